-- Lists of products: a page, its total and its filters over the whole result, in one answer. Search says what fits, and
-- placement what comes first: both know products, so that the list comes after them all.

-- types ----------------------------------------------------------------------------------------

create type private.product_block as (ids uuid[], relevance_scores double precision[], promotions jsonb[]);
comment on type private.product_block is
  'Products in their sequence, each with how well it fits what was searched, and with how it is promoted.';

-- functions ------------------------------------------------------------------------------------

-- A part of the query that asks it.
create function private.rank_of(
  sort text, direction integer, price numeric, created_at timestamptz, updated_at timestamptz,
  relevance double precision
) returns double precision
language sql stable
return case sort
  when 'price' then direction * price::double precision
  when 'created_at' then direction * date_part('epoch', created_at)
  when 'updated_at' then direction * date_part('epoch', updated_at)
  when 'relevance' then -relevance
end;
comment on function private.rank_of is
  'Where a product stands in a list, the least first. direction: -1 runs it backwards, where it is not relevance.';

create function private.find_products(
  search text, branch uuid[], promotable uuid[], filter private.product_filter, sort text, direction integer,
  size bigint, skipped bigint,
  out ids uuid[], out relevance_scores double precision[],
  out contenders uuid[], out contender_scores double precision[], out total bigint, out filters json
)
language plpgsql stable security definer set search_path = ''
-- As product_page: from 40 products to 20,000 a plan that is kept reads 30 pages for 20 of them, and without this 207.
set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  viewer public.member_role := private.tenant_role();
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
begin
  with hit as materialized (
    select p.id, p.category_id, p.brand, p.price, p.relevance, p.has_all,
      private.rank_of(sort, direction, p.price, p.created_at, p.updated_at, p.relevance) as rank,
      case sort when 'relevance' then -date_part('epoch', p.created_at) end as age,
      case sort when 'name' then (select n.name from public.products n where n.id = p.id) end as name
    from (
      select
        d.id, d.category_id, d.brand, d.price, d.created_at, d.updated_at,
        null::double precision as relevance, true as has_all
      from public.products d
      where d.tenant_id = tenant and d.category_id = any (branch) and d.status <> 'discontinued' and search is null
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, d.supplier_id, d.marketplace_id, d.status)
        and private.is_wanted(d, filter)
      union all
      select f.id, f.category_id, f.brand, f.price, f.created_at, f.updated_at, f.relevance, f.has_all
      from private.products_found(search, branch, filter) f
      where search is not null
    ) as p
  ),
  counted as materialized (
    select h.category_id, h.brand, count(*)::integer as count, min(h.price) as cheapest, max(h.price) as dearest
    from hit h
    group by h.category_id, h.brand
    union all
    select c.category_id, c.brand, c.count, c.cheapest, c.dearest
    from private.count_catalog(tenant, viewer, own_supplier, active_marketplaces, filter) c
    where search is null and branch is null
  )
  select shown.ids, shown.relevance_scores, promoted.ids, promoted.relevance_scores, whole.count, json_build_object(
    'categories', (
      select coalesce(json_agg(json_build_object('id', k.id, 'name', k.name, 'count', c.count)
        order by c.count desc, k.name, k.id), '[]')
      from (select o.category_id, sum(o.count) as count from counted o group by o.category_id) as c
      join public.categories k on k.tenant_id = tenant and k.id = c.category_id
    ),
    'price_range', json_build_array(whole.cheapest, whole.dearest),
    'brands', (
      select coalesce(json_agg(json_build_object('name', b.brand, 'count', b.count) order by b.count desc, b.brand), '[]')
      from (select o.brand, sum(o.count) as count from counted o where o.brand is not null group by o.brand) as b
    )
  )
  into ids, relevance_scores, contenders, contender_scores, total, filters
  from (
    select array_agg(r.id) as ids, array_agg(r.relevance) as relevance_scores
    from (
      select h.id, h.relevance from hit h
      order by h.rank, h.age, case direction when 1 then h.name end, case direction when -1 then h.name end desc, h.id
      limit size offset skipped
    ) as r
  ) as shown
  cross join (
    select array_agg(h.id) as ids, array_agg(h.relevance) as relevance_scores
    from unnest(promotable) as m (id)
    join hit h on h.id = m.id
    -- Nobody pays to stand with half of the words before what has them all.
    where h.has_all or not exists (select from hit other where other.has_all)
  ) as promoted
  cross join (
    select coalesce(sum(o.count), 0) as count, coalesce(min(o.cheapest), 0) as cheapest,
      coalesce(max(o.dearest), 0) as dearest
    from counted o
  ) as whole;
end
$$;
comment on function private.find_products is
  'What the caller sees of the products of categories (branch), of those that fit a text, of both or, with neither, of the whole catalog: how many there are, and of which categories and brands. Of a part of the catalog also the ids of a page, and of those that campaigns run for, wherever they stand. By a plan that is kept: to plan takes longer than to read some hundred rows.';

create function private.catalog_page(
  filter private.product_filter, sort text, "order" text, size integer, skipped bigint, promotable uuid[],
  region text, out ids uuid[], out promotions jsonb[]
)
language plpgsql set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
  among uuid[];
  seal text;
  promoted uuid[];
begin
  if promotable <> '{}' then
    seal := private.promotion_seal('category');
    -- Without a filter all that is for sale is in it, unless a supplier asks, who sees its own.
    if not (filter is null) or private.supplier_id() is not null then
      among := array(
        select p.id
        from public.products p
        where p.tenant_id = tenant and p.id = any (promotable) and p.status <> 'discontinued'
          and private.is_wanted(p, filter)
      );
    end if;
    select
      array_agg(h.product_id order by h.place),
      array_agg(private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) order by h.place)
    into promoted, promotions
    from private.hold_auction('category', null, among, size, region) as h
    where among is null or among <> '{}';
  end if;

  -- An index has the page in its order.
  execute format(
    'select array(
      select p.id
      from public.products p
      where p.tenant_id = $1 and p.status <> ''discontinued'' and private.is_wanted(p, $2) and p.id <> all ($5)
      order by p.%I %s, p.id
      limit $3 offset $4
    )',
    sort, "order"
  )
  into ids
  using
    tenant, filter,
    size - case skipped when 0 then cardinality(coalesce(promoted, '{}')) else 0 end,
    greatest(skipped - cardinality(coalesce(promoted, '{}')), 0),
    coalesce(promoted, '{}');
  if skipped = 0 then
    ids := promoted || ids;
  else
    promotions := null;
  end if;
end
$$;
comment on function private.catalog_page is
  'A page of the whole catalog: what an auction puts first of what campaigns run for (promotable), and then what comes in the order that was asked.';

create function private.promoted_page(
  hits private.product_block, contenders private.product_block, placement text, branch uuid[], is_whole boolean,
  size integer, skipped bigint, region text
) returns private.product_block
language plpgsql set search_path = ''
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
      from private.hold_auction(
        placement, branch, case when not is_whole then contenders.ids end, size, region
      ) as h
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
  'A page of what was found (hits: from the first to the last of that page), after what an auction puts first of the contenders, wherever these stand. is_whole: all that may win was found, so that nothing has to be told of them.';

create function public.list_products(
  search text default null,
  category uuid default null,
  price_min numeric default null,
  price_max numeric default null,
  marketplace_id uuid default null,
  supplier_id uuid default null,
  status public.product_status default null,
  brand text default null,
  sort text default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100,
  region text default null
) returns json
-- Volatile, since a share of auctions is kept.
-- By plans that are kept: to plan takes 0.45 ms of 1.8 for a list, and 0.9 of 7.7 for a search.
language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  filter private.product_filter := row(price_min, price_max, marketplace_id, supplier_id, status, brand);
  branch uuid[];
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
  -- Of all that campaigns run for, an auction makes what is shown first, where nobody asks for a sequence.
  promotable uuid[];
  hits record;
  shown private.product_block;
begin
  perform private.members_only();
  if sort not in ('created_at', 'updated_at', 'name', 'price') then
    perform private.refuse('VALIDATION_ERROR', 'Products are not sorted by this.', 'sort', to_jsonb(sort));
  elsif coalesce("order", '') not in ('asc', 'desc') then
    perform private.refuse('VALIDATION_ERROR', 'The order is asc or desc.', 'order', to_jsonb("order"));
  end if;
  -- A ranking is not turned round: who asks for an order means that of time.
  sort := coalesce(sort, case "order" when 'asc' then 'created_at' end);
  if category is not null then
    branch := private.category_branch(private.tenant_id(), category);
  end if;
  if sort is null then
    promotable := private.promoted_products(branch);
  end if;

  hits := private.find_products(
    search, branch, promotable, filter,
    coalesce(sort, case when search is null then 'created_at' else 'relevance' end),
    -- Numbers and times run backwards when they are negated.
    case "order" when 'asc' then 1 else -1 end,
    -- What is put before others may stand anywhere.
    case when promotable <> '{}' then skipped + size else size end,
    case when promotable <> '{}' then 0 else skipped end
  );
  shown := row(hits.ids, hits.relevance_scores, null)::private.product_block;
  if branch is null and search is null then
    select c.ids, null::double precision[], c.promotions into shown
    from private.catalog_page(filter, coalesce(sort, 'created_at'), "order", size, skipped, promotable, region) as c;
  elsif promotable <> '{}' then
    shown := private.promoted_page(
      shown, row(hits.contenders, hits.contender_scores, null),
      case when search is null then 'category' else 'search' end, branch,
      -- Without a filter all that is for sale is in it, unless a supplier asks, who sees its own.
      search is null and filter is null and private.supplier_id() is null,
      size, skipped, region
    );
  end if;

  return json_build_object(
    'products', private.product_page(shown.ids, shown.relevance_scores, shown.promotions), 'total', hits.total,
    'page', greatest(page, 1), 'limit', size, 'filters', hits.filters
  );
end
$$;
comment on function public.list_products is
  'A page of the products the caller may see, with total and filters over the whole result, in one answer.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.find_products, private.catalog_page, private.promoted_page
to authenticated, service_role;
grant execute on function public.list_products to authenticated;
