-- Lists of products: a page, its total and its filters over the whole result, in one answer. Search says what fits, and
-- placement what comes first: both know products, so that the list comes after them all.

-- functions ------------------------------------------------------------------------------------

create function private.find_products(
  search text, branch uuid[], promotable uuid[], price_min numeric, price_max numeric, only_marketplace uuid,
  only_supplier uuid, only_status public.product_status, only_brand text, sort text, direction integer,
  size bigint, skipped bigint,
  out ids uuid[], out relevance_scores double precision[],
  out contenders uuid[], out contender_scores double precision[], out total bigint, out filters json
)
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  viewer public.member_role := private.tenant_role();
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
begin
  with wanted as materialized (
    select
      p.id, p.category_id, p.brand, p.lowest_price, p.highest_price, p.relevance, p.has_all,
      case sort
        when 'price' then case direction when 1 then p.lowest_price else -p.highest_price end::double precision
        when 'created_at' then direction * date_part('epoch', p.created_at)
        when 'updated_at' then direction * date_part('epoch', p.updated_at)
        when 'relevance' then -p.relevance
      end as rank,
      -- Of two that fit as well, the newer one.
      case sort when 'relevance' then -date_part('epoch', p.created_at) end as age,
      case sort when 'name' then (select n.name from public.products n where n.id = p.id) end as name
    from (
      select
        d.id, d.category_id, d.brand, d.lowest_price, d.highest_price, d.marketplace_id, d.supplier_id, d.status,
        d.created_at, d.updated_at, null::double precision as relevance, true as has_all
      from public.products d
      where d.tenant_id = tenant
        and d.category_id = any (branch)
        and d.status <> 'discontinued'
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, d.supplier_id, d.marketplace_id, d.status)
        and private.is_wanted(
          d.id, d.lowest_price, d.highest_price, d.marketplace_id, d.supplier_id, d.status, d.brand, price_min, price_max,
          only_marketplace, only_supplier, only_status, only_brand
        )
        and search is null
      union all
      select
        f.id, f.category_id, f.brand, f.lowest_price, f.highest_price, f.marketplace_id, f.supplier_id, f.status,
        f.created_at, f.updated_at, f.relevance, f.has_all
      from private.products_found(
        search, branch, price_min, price_max, only_marketplace, only_supplier, only_status, only_brand
      ) f
      where search is not null
    ) as p
  ),
  counted as materialized (
    select w.category_id, w.brand, count(*)::integer as count, min(w.lowest_price) as cheapest,
      max(w.highest_price) as dearest
    from wanted w
    group by w.category_id, w.brand
    union all
    select c.category_id, c.brand, c.count, c.cheapest, c.dearest
    from private.count_catalog(
      tenant, viewer, own_supplier, active_marketplaces, price_min, price_max,
      only_marketplace, only_supplier, only_status, only_brand
    ) c
    where search is null and branch is null
  )
  select
    shown.ids, shown.relevance_scores, promoted.ids, promoted.relevance_scores, whole.count,
    json_build_object(
      'categories', (
        select coalesce(
          json_agg(json_build_object('id', k.id, 'name', k.name, 'count', c.count) order by c.count desc, k.name, k.id),
          '[]'
        )
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
      select w.id, w.relevance
      from wanted w
      order by w.rank, w.age, case direction when 1 then w.name end, case direction when -1 then w.name end desc, w.id
      limit size offset skipped
    ) as r
  ) as shown
  cross join (
    select array_agg(w.id) as ids, array_agg(w.relevance) as relevance_scores
    from unnest(promotable) as m (id)
    join wanted w on w.id = m.id
    -- Nobody pays to stand with half of the words before what has them all.
    where w.has_all or not exists (select from wanted other where other.has_all)
  ) as promoted
  cross join (
    select
      coalesce(sum(o.count), 0) as count, coalesce(min(o.cheapest), 0) as cheapest, coalesce(max(o.dearest), 0) as dearest
    from counted o
  ) as whole;
end
$$;
comment on function private.find_products is
  'What the caller sees of the products of categories (branch), of those that fit a text, of both or, with neither, of the whole catalog: how many there are, and of which categories and brands. Of a part of the catalog also the ids of a page, and of those that campaigns run for, wherever they stand. By a plan that is kept: to plan takes longer than to read some hundred rows.';

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
language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  tenant uuid := private.tenant_id();
  branch uuid[];
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
  -- Numbers and times run backwards when they are negated.
  direction integer := case "order" when 'asc' then 1 else -1 end;
  ids uuid[];
  relevance_scores double precision[];
  total bigint;
  filters json;
  -- What campaigns run for, of which the auction makes what is shown first; all of it on the first page.
  promotable uuid[];
  among uuid[];
  among_scores double precision[];
  -- Without filters all that is for sale is in it, unless a supplier asks, who sees its own.
  is_whole boolean := search is null
    and num_nonnulls(price_min, price_max, marketplace_id, supplier_id, status, brand, private.supplier_id()) = 0;
  promoted uuid[];
  promotions jsonb[];
  seal text;
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
    branch := private.category_branch(tenant, category);
  end if;
  if sort is null then
    promotable := private.promoted_products(branch);
    if promotable <> '{}' then
      seal := private.promotion_seal(case when search is null then 'category' else 'search' end);
    end if;
  end if;

  select f.ids, f.relevance_scores, f.contenders, f.contender_scores, f.total, f.filters
  into ids, relevance_scores, among, among_scores, total, filters
  from private.find_products(
    search, branch, promotable, price_min, price_max, marketplace_id, supplier_id, status, brand,
    coalesce(sort, case when search is null then 'created_at' else 'relevance' end), direction,
    -- What is put before others may stand anywhere.
    case when promotable <> '{}' then skipped + size else size end,
    case when promotable <> '{}' then 0 else skipped end
  ) f;

  if branch is null and search is null then
    if promotable <> '{}' then
      if not is_whole then
        among := array(
          select p.id
          from public.products p
          where p.tenant_id = tenant
            and p.id = any (promotable)
            and p.status <> 'discontinued'
            and private.is_wanted(
              p.id, p.lowest_price, p.highest_price, p.marketplace_id, p.supplier_id, p.status, p.brand, price_min, price_max,
              list_products.marketplace_id, list_products.supplier_id, list_products.status, list_products.brand
            )
        );
      end if;
      if among is null or among <> '{}' then
        select
          array_agg(h.product_id order by h.place),
          array_agg(private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) order by h.place)
        into promoted, promotions
        from private.hold_auction('category', null, among, size, region) as h;
      end if;
    end if;

    -- Of the whole catalog, an index has the page in its order.
    execute format(
      'select array(
        select p.id
        from public.products p
        where p.tenant_id = $1
          and p.status <> ''discontinued''
          and private.is_wanted(
            p.id, p.lowest_price, p.highest_price, p.marketplace_id, p.supplier_id, p.status, p.brand,
            $2, $3, $4, $5, $6, $7
          )
          and p.id <> all ($10)
        order by p.%I %s, p.id
        limit $8 offset $9
      )',
      case
        when sort = 'price' then case "order" when 'asc' then 'lowest_price' else 'highest_price' end
        else coalesce(sort, 'created_at')
      end,
      "order"
    )
    into ids
    using
      tenant, price_min, price_max, marketplace_id, supplier_id, status, brand,
      size - case skipped when 0 then cardinality(coalesce(promoted, '{}')) else 0 end,
      greatest(skipped - cardinality(coalesce(promoted, '{}')), 0),
      coalesce(promoted, '{}');
    if skipped = 0 then
      ids := promoted || ids;
    else
      promotions := null;
    end if;
  elsif promotable <> '{}' then
    select array_agg(r.id), array_agg(r.relevance), array_agg(r.promotion)
    into ids, relevance_scores, promotions
    from (
      select found.id, found.relevance, held.promotion
      from (
        select f.id, f.relevance, f.position
        from unnest(ids, relevance_scores) with ordinality as f (id, relevance, position)
        union all
        select c.id, c.relevance, null
        from unnest(among, among_scores) as c (id, relevance)
        where (c.id = any (ids)) is not true
      ) as found
      left join (
        select
          h.product_id, h.place,
          private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) as promotion
        from private.hold_auction(
          case when search is null then 'category' else 'search' end, branch, case when not is_whole then among end,
          size, region
        ) as h
        where is_whole or among <> '{}'
      ) as held on held.product_id = found.id
      where held.place is not null or found.position is not null
      order by held.place, found.position
      limit size offset skipped
    ) as r;
  end if;

  return json_build_object(
    'products', private.product_page(ids, relevance_scores, promotions), 'total', total,
    'page', greatest(page, 1), 'limit', size, 'filters', filters
  );
end
$$;
comment on function public.list_products is
  'A page of the products the caller may see, with total and filters over the whole result, in one answer.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.find_products to authenticated, service_role;
grant execute on function public.list_products to authenticated;
