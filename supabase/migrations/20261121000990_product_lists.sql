-- Lists of products: a page, its total and its filters over the whole result, in one answer.

create type private.product_count as (category_id uuid, brand text, count bigint, cheapest numeric, dearest numeric);
comment on type private.product_count is 'How many products of a category and a brand were found, and from which price to which.';

-- indexes --------------------------------------------------------------------------------------

create index products_tenant_id_created_at_idx on public.products (tenant_id, created_at desc, id);
create index products_tenant_id_updated_at_idx on public.products (tenant_id, updated_at desc, id);
create index products_tenant_id_name_idx on public.products (tenant_id, name, id);
create index products_tenant_id_price_idx on public.products (tenant_id, price, id);
-- Holds all that a list filters and counts by, so that filters over a whole catalog need no row of it.
create index products_category_idx on public.products (tenant_id, category_id, price, id)
  include (status, marketplace_id, supplier_id, brand, created_at, updated_at);

-- functions ------------------------------------------------------------------------------------

-- As private.is_shown_to, a part of the query that asks it.
create function private.is_wanted(
  price numeric, marketplace_id uuid, supplier_id uuid, status public.product_status, brand text,
  price_min numeric, price_max numeric, only_marketplace uuid, only_supplier uuid,
  only_status public.product_status, only_brand text
) returns boolean
language sql immutable
return (price_min is null or price >= price_min)
  and (price_max is null or price <= price_max)
  and (only_marketplace is null or marketplace_id = only_marketplace)
  and (only_supplier is null or supplier_id = only_supplier)
  and (only_status is null or status = only_status)
  and (only_brand is null or brand = only_brand);
comment on function private.is_wanted is 'Whether a product is among what a list''s filters ask for; a filter that is null asks nothing.';

create function private.product_page(ids uuid[], relevance_scores double precision[], promotions jsonb[]) returns json
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(listed), '[]')
    from (
      select r.*, shown.relevance_score, shown.promotion
      from unnest(ids, relevance_scores, promotions) with ordinality as shown (id, relevance_score, promotion, position)
      join private.product_records r on r.id = shown.id
      where r.tenant_id = (select private.tenant_id())
      order by shown.position
    ) as listed
  );
end
$$;
comment on function private.product_page is
  'The records of products of its tenant that the caller was found to see, in the same sequence, each with how well it fits what was searched and how it is promoted.';

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
  counts private.product_count[];
  -- What campaigns run for, of which the auction makes what is shown first; all of it on the first page.
  promotable uuid[];
  among uuid[];
  -- Without filters all that is for sale is in it, unless a supplier asks, who sees its own.
  is_whole boolean := search is null
    and num_nonnulls(price_min, price_max, marketplace_id, supplier_id, status, brand, private.supplier_id()) = 0;
  promoted uuid[];
  promotions jsonb[];
begin
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
  end if;

  if branch is null and search is null then
    if promotable <> '{}' then
      if not is_whole then
        among := array(
          select p.id
          from public.product_details p
          where p.tenant_id = tenant
            and p.id = any (promotable)
            and private.is_wanted(
              p.price, p.marketplace_id, p.supplier_id, p.status, p.brand, price_min, price_max,
              list_products.marketplace_id, list_products.supplier_id, list_products.status, list_products.brand
            )
        );
      end if;
      if among is null or among <> '{}' then
        select
          array_agg(h.product_id order by h.place),
          array_agg(private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place) order by h.place)
        into promoted, promotions
        from private.hold_auction('category', null, among, size, region) as h;
      end if;
    end if;

    -- Of the whole catalog, an index counts without touching a row, and another has the page in its order.
    execute format(
      'with wanted as not materialized (
        select p.id, p.category_id, p.brand, p.price, p.created_at, p.updated_at, p.name
        from public.product_details p
        where p.tenant_id = $1
          and private.is_wanted(
            p.price, p.marketplace_id, p.supplier_id, p.status, p.brand, $2, $3, $4, $5, $6, $7
          )
      )
      select
        array(select w.id from wanted w where w.id <> all ($10) order by w.%I %s, w.id limit $8 offset $9),
        array(
          select row(w.category_id, w.brand, count(*), min(w.price), max(w.price))::private.product_count
          from wanted w
          group by w.category_id, w.brand
        )',
      coalesce(sort, 'created_at'), "order"
    )
    into ids, counts
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
  else
    -- A part of it is read once, by a plan that is kept: to plan takes longer than to read some hundred rows.
    with wanted as materialized (
      select
        p.id, p.category_id, p.brand, p.price, p.relevance, p.has_all,
        case when sort is null then -p.relevance end as relevance_rank,
        case sort when 'price' then direction * p.price end as price_rank,
        case coalesce(sort, 'created_at')
          when 'created_at' then direction * date_part('epoch', p.created_at)
          when 'updated_at' then direction * date_part('epoch', p.updated_at)
        end as time_rank,
        case sort when 'name' then (select n.name from public.products n where n.id = p.id) end as name
      from (
        select
          d.id, d.category_id, d.brand, d.price, d.marketplace_id, d.supplier_id, d.status, d.created_at, d.updated_at,
          null::double precision as relevance, true as has_all
        from public.product_details d
        where d.tenant_id = tenant and d.category_id = any (branch) and list_products.search is null
        union all
        select
          f.id, f.category_id, f.brand, f.price, f.marketplace_id, f.supplier_id, f.status, f.created_at, f.updated_at,
          f.relevance, f.has_all
        from private.products_found(list_products.search) f
        where list_products.search is not null and (branch is null or f.category_id = any (branch))
      ) as p
      where private.is_wanted(
        p.price, p.marketplace_id, p.supplier_id, p.status, p.brand, price_min, price_max,
        list_products.marketplace_id, list_products.supplier_id, list_products.status, list_products.brand
      )
    ),
    shown_first as materialized (
      select
        h.product_id, h.place,
        private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place) as promotion
      from private.hold_auction(
        case when list_products.search is null then 'category' else 'search' end,
        branch,
        case
          when not is_whole then array(
            select w.id
            from unnest(promotable) as m (id)
            join wanted w on w.id = m.id
            -- Nobody pays to stand with half of the words before what has them all.
            where w.has_all or not exists (select from wanted other where other.has_all)
          )
        end,
        size,
        region
      ) as h
      where promotable <> '{}'
    )
    select
      paged.ids, paged.relevance_scores, paged.promotions,
      array(
        select row(w.category_id, w.brand, count(*), min(w.price), max(w.price))::private.product_count
        from wanted w
        group by w.category_id, w.brand
      )
    into ids, relevance_scores, promotions, counts
    from (
      select
        array_agg(r.id) as ids, array_agg(r.relevance) as relevance_scores, array_agg(r.promotion) as promotions
      from (
        select w.id, w.relevance, f.promotion
        from wanted w
        left join shown_first f on f.product_id = w.id
        order by
          f.place, w.relevance_rank, w.price_rank, w.time_rank,
          case direction when 1 then w.name end, case direction when -1 then w.name end desc, w.id
        limit size offset skipped
      ) as r
    ) as paged;
  end if;

  return (
    -- The subject, as grouping() tells it: 1 a category, 2 a brand, 3 all that was found.
    with counted as materialized (
      select
        c.category_id, c.brand, sum(c.count) as count, min(c.cheapest) as cheapest, max(c.dearest) as dearest,
        grouping(c.category_id, c.brand) as subject
      from unnest(counts) as c
      group by grouping sets ((c.category_id), (c.brand), ())
    )
    select json_build_object(
      'products', private.product_page(ids, relevance_scores, promotions),
      'total', coalesce(whole.count, 0),
      'filters', json_build_object(
        'categories', (
          select coalesce(
            json_agg(
              json_build_object('id', k.id, 'name', k.name, 'count', c.count) order by c.count desc, k.name, k.id
            ),
            '[]'
          )
          from counted c
          join public.categories k on k.tenant_id = tenant and k.id = c.category_id
          where c.subject = 1
        ),
        'price_range', json_build_array(coalesce(whole.cheapest, 0), coalesce(whole.dearest, 0)),
        'brands', (
          select coalesce(
            json_agg(json_build_object('name', c.brand, 'count', c.count) order by c.count desc, c.brand), '[]'
          )
          from counted c
          where c.subject = 2 and c.brand is not null
        )
      )
    )
    from counted whole
    where whole.subject = 3
  );
end
$$;
comment on function public.list_products is
  'A page of the products the caller may see, with total and filters over the whole result, in one answer.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.is_wanted, private.product_page
to authenticated, service_role;
grant execute on function public.list_products to authenticated;
