-- Lists of products: one response with a page, the total, and the filters over the whole result. Search decides what is
-- in a list, and placement what comes first.

-- types ----------------------------------------------------------------------------------------

create type private.product_block as (ids uuid[], relevance_scores double precision[], promotions jsonb[]);
comment on type private.product_block is
  'Products in their order, each with its relevance for a search and its promotion.';

create type private.found_products as (
  page private.product_block, contenders private.product_block, counts private.product_count[], ids uuid[]
);
comment on type private.found_products is
  'A page of a result; the products of the whole result that have running campaigns; and the counts and, if requested, the ids of the whole result.';

-- functions ------------------------------------------------------------------------------------

create function private.find_products(
  search text, branch uuid[], promotable uuid[], filters private.product_filters, sort text, direction integer,
  size bigint, skipped bigint, with_ids boolean
) returns private.found_products
-- Planned once: 0.34 ms without, 0.14 with, for a category.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  unfiltered boolean := filters is null;
  found_products private.found_products;
begin
  with wanted as materialized (
    select
      p.id, p.marketplace_id, p.category_id, p.brand, p.lowest_price, p.highest_price, p.relevance, p.has_all,
      case sort
        when 'price' then case direction when 1 then p.lowest_price else -p.highest_price end::double precision
        when 'created_at' then direction * date_part('epoch', p.created_at)
        when 'updated_at' then direction * date_part('epoch', p.updated_at)
        when 'relevance' then -p.relevance
      end as rank,
      -- The newer one of two products with the same relevance comes first.
      case sort when 'relevance' then -date_part('epoch', p.created_at) end as age,
      case sort when 'name' then (select private.sort_name(n.name) collate "C" from public.products n where n.id = p.id) end as name
    from (
      select
        d.id, d.category_id, d.brand, d.lowest_price, d.highest_price, d.marketplace_id, d.created_at, d.updated_at,
        null::double precision as relevance, true as has_all
      from public.products d
      where d.tenant_id = tenant
        and d.category_id = any (branch)
        and d.status <> 'discontinued'
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, d.supplier_id, d.marketplace_id, d.status)
        and (unfiltered or private.is_wanted(d, filters))
        and search is null
      union all
      select
        f.id, f.category_id, f.brand, f.lowest_price, f.highest_price, f.marketplace_id, f.created_at, f.updated_at,
        f.relevance, f.has_all
      from private.products_found(search, branch, filters) f
      where search is not null
    ) as p
  )
  select
    (
      select row(array_agg(r.id), array_agg(r.relevance), null)::private.product_block
      from (
        select w.id, w.relevance
        from wanted w
        order by w.rank, w.age, case direction when 1 then w.name end, case direction when -1 then w.name end desc, w.id
        limit size offset skipped
      ) as r
    ),
    (
      select row(array_agg(w.id), array_agg(w.relevance), null)::private.product_block
      from unnest(promotable) as m (id)
      join wanted w on w.id = m.id
      -- Products that match only some words cannot be promoted above those that match all.
      where w.has_all or not exists (select from wanted other where other.has_all)
    ),
    array(
      select row(w.marketplace_id, w.category_id, w.brand, count(*), min(w.lowest_price), max(w.highest_price))::private.product_count
      from wanted w
      group by w.marketplace_id, w.category_id, w.brand
    ),
    case when with_ids then array(select w.id from wanted w) end
  into found_products;
  return found_products;
end
$$;
comment on function private.find_products is
  'The products that the caller sees in these categories (branch), or that match a search, or both: a page, all of them that have running campaigns, and the counts and, with_ids, the ids of all.';

create function private.catalog_page(
  filters private.product_filters, sort text, "order" text, size integer, skipped bigint, promotable uuid[],
  promotable_in uuid[], is_whole boolean, region text
) returns private.product_block
-- Without row-level security, whose estimates make the planner sort the whole catalog instead of reading a page of an index.
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
#variable_conflict use_variable
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  key text := case sort
    when 'price' then case "order" when 'asc' then 'p.lowest_price' else 'p.highest_price' end
    when 'name' then 'private.sort_name(p.name) collate "C"'
    when 'updated_at' then 'p.updated_at'
    else 'p.created_at'
  end;
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  among uuid[];
  seal text;
  promoted uuid[] := '{}'::uuid[];
  promotions jsonb[];
  rest uuid[];
begin
  if promotable <> '{}' then
    seal := private.promotion_seal('category');
    if not is_whole then
      among := array(
        select p.id
        from public.products p
        where p.tenant_id = tenant
          and p.id = any (promotable)
          and p.status <> 'discontinued'
          and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
          and (promotable_in is null or p.marketplace_id = any (promotable_in))
          and private.is_wanted(p, filters)
      );
    end if;
    select
      coalesce(array_agg(h.product_id order by h.place), '{}'),
      array_agg(private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) order by h.place)
    into promoted, promotions
    from private.hold_auction('category', null, among, size, region) as h
    where among is null or among <> '{}';
  end if;

  -- An index returns the page in its order.
  execute format(
    'select array(
      select p.id
      from public.products p
      where p.tenant_id = $1
        and p.status <> ''discontinued''
        and private.is_shown_to($6, $7, $8, p.supplier_id, p.marketplace_id, p.status)
        and private.is_wanted(p, $2)
        and p.id <> all ($5)
      order by %s %s, p.id
      limit $3 offset $4
    )',
    key, direction
  )
  into rest
  using
    tenant, filters, size - case skipped when 0 then cardinality(promoted) else 0 end,
    greatest(skipped - cardinality(promoted), 0), promoted, viewer, own_supplier, active_marketplaces;
  return case skipped
    when 0 then row(promoted || rest, null, promotions)::private.product_block
    else row(rest, null, null)::private.product_block
  end;
end
$$;
comment on function private.catalog_page is
  'A page of the whole catalog: first the products that an auction promotes (of promotable), then the rest in the requested order. promotable_in: the marketplaces whose campaigns may get a slot (null: all). is_whole: the result contains all products that may be promoted.';

create function private.promoted_page(
  hits private.product_block, contenders private.product_block, placement text, branch uuid[], is_whole boolean,
  size integer, skipped bigint, region text
) returns private.product_block
language plpgsql stable set search_path = ''
as $$
declare
  seal constant text := private.promotion_seal(placement);
  page private.product_block;
begin
  select array_agg(r.id), array_agg(r.relevance), array_agg(r.promotion)
  into page
  from (
    select candidate.id, candidate.relevance, held.promotion
    from (
      select f.id, f.relevance, f.position
      from unnest(hits.ids, hits.relevance_scores) with ordinality as f (id, relevance, position)
      union all
      select c.id, c.relevance, null
      from unnest(contenders.ids, contenders.relevance_scores) as c (id, relevance)
      where (c.id = any (hits.ids)) is not true
    ) as candidate
    left join (
      select
        h.product_id, h.place,
        private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) as promotion
      from private.hold_auction(placement, branch, case when not is_whole then contenders.ids end, size, region) as h
      where is_whole or contenders.ids <> '{}'
    ) as held on held.product_id = candidate.id
    where held.place is not null or candidate.position is not null
    order by held.place, candidate.position
    limit size offset skipped
  ) as r;
  return page;
end
$$;
comment on function private.promoted_page is
  'A page of a search or category: first the contenders that an auction promotes, wherever they stand in the result, then the other hits from the first one on. is_whole: the result contains all products that may be promoted, so that the auction needs no list of them.';

create function private.contenders_in(contenders private.product_block, marketplaces uuid[])
returns private.product_block
language plpgsql stable security definer set search_path = ''
as $$
declare
  kept private.product_block;
begin
  if marketplaces is null then
    return contenders;
  end if;
  select coalesce(array_agg(c.id), '{}'), array_agg(c.relevance), null::jsonb[]
  into kept
  from unnest(contenders.ids, contenders.relevance_scores) as c (id, relevance)
  join public.products p on p.id = c.id
  where p.marketplace_id = any (marketplaces);
  return kept;
end
$$;
comment on function private.contenders_in is 'The products of a block that are sold in these marketplaces (null: all).';

create function private.count_facets(
  facets text[], search text, branch uuid[], filters private.product_filters, among uuid[],
  inout counts private.product_count[], out attributes json
)
language plpgsql stable set search_path = ''
as $$
declare
  selected text[] := array(
    select f.name
    from unnest(facets) as f (name)
    where filters.selected ? f.name or f.name = 'brand' and filters.brands is not null
  );
  others text[] := array(
    select f.name from unnest(facets) as f (name) where f.name <> all (selected) and f.name <> 'brand'
  );
  counted private.value_count[];
  name text;
  wider private.product_filters;
begin
  if others <> '{}' then
    select v.facets, coalesce(counts, v.products) into counted, counts
    from private.count_values(others, filters, branch, among, counts is null) as v;
  elsif counts is null then
    counts := array(select c from private.count_catalog(filters) as c);
  end if;
  if 'brand' = any (facets) and 'brand' <> all (selected) then
    counted := counted || array(
      select row('brand', c.brand, sum(c.count))::private.value_count
      from unnest(counts) as c
      where c.brand is not null
      group by c.brand
      order by sum(c.count) desc, c.brand collate "C"
      limit 100
    );
  end if;
  foreach name in array selected loop
    wider := filters;
    wider.selected := wider.selected - name;
    wider.attributes := private.attribute_path(wider.selected);
    if name = 'brand' then
      wider.brands := null;
    end if;
    if search is not null then
      among := array(select f.id from private.products_found(search, branch, wider) as f);
    end if;
    counted := counted || (private.count_values(array[name], wider, branch, among, false)).facets;
  end loop;
  attributes := (
    select json_agg(
      json_build_object(
        'name', f.name,
        'values', (
          select coalesce(
            json_agg(json_build_object('value', c.value, 'count', c.count) order by c.count desc, c.value collate "C"), '[]'
          )
          from unnest(counted) as c
          where c.name = f.name
        )
      )
      order by f.position
    )
    from unnest(facets) with ordinality as f (name, position)
  );
end
$$;
comment on function private.count_facets is
  'The number of products of a result for each value of some attributes. among: the products of a search. Each attribute is counted as if none of its own values were selected (attributes): [{"name": "material", "values": [{"value": "brass", "count": 2}]}]. counts: the counts of the result; null for the whole catalog, which is then counted in the same reading.';

create function private.catalog_counts(
  filters private.product_filters, facets text[], out counts private.product_count[], out attributes json
)
language plpgsql stable security definer set search_path = ''
as $$
declare
  question bytea := private.counts_question(filters, facets);
  kept private.kept_counts := private.find_kept_counts(question);
begin
  if kept.tenant_id is not null then
    counts := kept.counts;
    attributes := kept.attributes;
    return;
  elsif facets is null then
    counts := array(select c from private.count_catalog(filters) as c);
  else
    select f.counts, f.attributes into counts, attributes
    from private.count_facets(facets, null, null, filters, null, null) as f;
  end if;
  if question is not null then
    perform private.store_counts(question, counts, attributes, pg_current_snapshot());
  end if;
end
$$;
comment on function private.catalog_counts is
  'The counts of the caller''s whole catalog, as count_facets returns them. They are kept until a product changes.';

create function private.product_list(
  search text, branch uuid[], filters private.product_filters, facets text[], sort text, "order" text, size integer,
  skipped bigint, region text, is_promoted boolean default true
) returns json
-- Stable, as all that it calls except the auction: so the page, the counts and the records are of one snapshot.
language plpgsql stable set search_path = ''
as $$
declare
  is_catalog boolean := branch is null and search is null;
  -- The products with running campaigns, from which the auction chooses those on the first page.
  promotable uuid[] := case
    when is_promoted and sort is null and filters.ids is null then private.promoted_products(branch)
  end;
  -- Bids in several currencies cannot be compared, so only campaigns in the currency of the oldest marketplace get
  -- slots.
  promotable_in uuid[];
  -- Promoted products may be anywhere in the result.
  from_start boolean := promotable <> '{}';
  is_whole boolean;
  counts private.product_count[];
  counted record;
  attributes json;
  found_products private.found_products;
  shown private.product_block;
begin
  if is_catalog then
    select c.counts, c.attributes into counts, attributes from private.catalog_counts(filters, facets) as c;
  else
    found_products := private.find_products(
      search, branch, promotable, filters, coalesce(sort, case when search is null then 'created_at' else 'relevance' end),
      -- Negated numbers and times sort in descending order.
      case "order" when 'asc' then 1 else -1 end,
      case when from_start then skipped + size else size end, case when from_start then 0 else skipped end,
      facets is not null and search is not null
    );
    counts := found_products.counts;
    shown := found_products.page;
    if facets is not null then
      attributes := (private.count_facets(facets, search, branch, filters, found_products.ids, counts)).attributes;
    end if;
  end if;
  counted := private.count_filters(counts);
  if counted.is_mixed then
    promotable_in := private.marketplaces_asked(null, (private.currencies_in_use())[1]);
  end if;
  -- Without filters the result contains everything that is for sale, except for a supplier, who sees only its own, and a
  -- visitor, who sees one marketplace.
  is_whole := search is null and promotable_in is null and filters is null and private.supplier_id() is null
    and not private.is_visit();

  if is_catalog then
    shown := private.catalog_page(
      filters, coalesce(sort, 'created_at'), "order", size, skipped, promotable, promotable_in, is_whole, region
    );
  elsif from_start then
    shown := private.promoted_page(
      shown, private.contenders_in(found_products.contenders, promotable_in),
      case when search is null then 'category' else 'search' end, branch, is_whole, size, skipped, region
    );
  end if;
  if facets is not null then
    counted.filters := concat(
      left(counted.filters::text, -1), ', "attributes": ', attributes, '}'
    )::json;
  end if;
  -- The API reads the first fields of a large page without parsing the others.
  return json_build_object(
    'total', counted.total, 'page', skipped / size + 1, 'limit', size,
    'products', private.product_page(shown.ids, shown.relevance_scores, shown.promotions), 'filters', counted.filters
  );
end
$$;
comment on function private.product_list is
  'A page of products and the counts of the whole result, for list_products, which checks the arguments. branch: the requested categories and their descendants (null: all). is_promoted: whether promoted products come first.';

create function public.list_products(
  search text default null,
  category uuid[] default null,
  price_min numeric default null,
  price_max numeric default null,
  marketplace_id uuid default null,
  currency text default null,
  supplier_id uuid default null,
  status public.product_status default null,
  brand text[] default null,
  attributes jsonb default null,
  ids uuid[] default null,
  facets text[] default null,
  sort text default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100,
  region text default null
) returns json
-- Volatile, because a share of auctions is recorded.
language plpgsql set search_path = ''
as $$
declare
  branch uuid[] := private.category_branches(private.tenant_id(), category);
  filters private.product_filters;
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
begin
  perform private.members_only();
  search := private.searched(search);
  if sort not in ('created_at', 'updated_at', 'name', 'price') then
    perform private.refuse(
      'VALIDATION_ERROR', 'sort must be created_at, updated_at, name or price.', 'sort', to_jsonb(sort)
    );
  elsif coalesce("order", '') not in ('asc', 'desc') then
    perform private.refuse('VALIDATION_ERROR', 'order must be asc or desc.', 'order', to_jsonb("order"));
  elsif sort = 'price' then
    perform private.check_one_currency(marketplace_id, currency);
  end if;
  filters := private.product_filters(
    row(price_min, price_max, null, supplier_id, status, brand, null, null, ids), marketplace_id, currency, attributes
  );
  facets := private.asked_texts('facets', facets, 100, 10);
  -- Relevance and promotion have no ascending order, so order=asc alone sorts by time.
  sort := coalesce(sort, case "order" when 'asc' then 'created_at' end);
  return private.product_list(search, branch, filters, facets, sort, "order", size, skipped, region);
end
$$;
comment on function public.list_products is
  'A page of the products that the caller may see, with total and filters over the whole result. brand and category: any of these. attributes: {"material": ["brass", "wool"]}, any of the values for each name. facets: names of attributes whose values are counted in filters, each without its own selection. ids: only these products, without promotion. In a tenant with several currencies price_min, price_max and the sort price require a marketplace_id or a currency. Refuses with VALIDATION_ERROR.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.find_products, private.catalog_page, private.promoted_page, private.contenders_in, private.count_facets,
  private.catalog_counts, private.product_list
to authenticated, service_role;
grant execute on function public.list_products to authenticated;
