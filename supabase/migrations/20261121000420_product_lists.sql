-- Lists of products: a page, its total and its filters over the whole result, in one answer.

create type private.product_count as (category_id uuid, brand text, count bigint, cheapest numeric, dearest numeric);
comment on type private.product_count is 'How many products of a category and a brand were found, and from which price to which.';

-- functions ------------------------------------------------------------------------------------

create function private.grams(tenant_id uuid, name text) returns bigint[]
language plpgsql immutable parallel safe cost 1000 set search_path = ''
as $$
declare
  folded text := lower(name);
  seed bigint := hashtextextended(tenant_id::text, 0);
begin
  return array(
    select hashtextextended(substr(folded, i, 3), seed) from generate_series(1, char_length(folded) - 2) as i
  );
end
$$;
comment on function private.grams is
  'Every three letters in a row of a name, hashed with its tenant: what an index finds a part of a name by, within one tenant.';

-- indexes --------------------------------------------------------------------------------------

create index products_tenant_id_created_at_idx on public.products (tenant_id, created_at desc, id);
create index products_tenant_id_updated_at_idx on public.products (tenant_id, updated_at desc, id);
create index products_tenant_id_name_idx on public.products (tenant_id, name, id);
create index products_tenant_id_price_idx on public.products (tenant_id, price, id);
-- Holds all that a list filters and counts by, so that filters over a whole catalog need no row of it.
create index products_category_idx on public.products (tenant_id, category_id, price, id)
  include (status, marketplace_id, supplier_id, brand, created_at, updated_at);
-- Without a pending list: it would be read whole by every search.
create index products_grams_idx on public.products using gin (private.grams(tenant_id, name)) with (fastupdate = off);

-- functions ------------------------------------------------------------------------------------

create function private.products_named(search text)
returns table (
  id uuid, category_id uuid, brand text, price numeric, marketplace_id uuid, supplier_id uuid,
  status public.product_status, created_at timestamptz, updated_at timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  viewer public.member_role := private.tenant_role();
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  folded text := lower(search);
  wanted bigint[] := private.grams(tenant, search);
begin
  return query
    select p.id, p.category_id, p.brand, p.price, p.marketplace_id, p.supplier_id, p.status, p.created_at, p.updated_at
    from (
      select d.* from public.product_details d
      where wanted <> '{}' and private.grams(d.tenant_id, d.name) @> wanted
      union all
      select d.* from public.product_details d
      where wanted = '{}' and d.tenant_id = tenant
    ) as p
    -- Not by `=`, for which the plan might read all that the tenant has besides.
    where p.tenant_id is not distinct from tenant
      and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      and strpos(lower(p.name), folded) > 0;
end
$$;
comment on function private.products_named is
  'What the caller sees of the products with a text in their name; an index finds three letters or more. Policies would keep a query of the caller''s own from that index, since an operator on text might tell what it reads: so this one looks past them, and asks what they ask.';

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

create function private.product_page(ids uuid[]) returns json
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(r order by shown.position), '[]')
    from unnest(ids) with ordinality as shown (id, position)
    join private.product_records r on r.id = shown.id
    where r.tenant_id = (select private.tenant_id())
  );
end
$$;
comment on function private.product_page is 'The records of products of its tenant that the caller was found to see, in the same sequence.';

create function public.list_products(
  search text default null,
  category uuid default null,
  price_min numeric default null,
  price_max numeric default null,
  marketplace_id uuid default null,
  supplier_id uuid default null,
  status public.product_status default null,
  brand text default null,
  sort text default 'created_at',
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns json
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  tenant uuid := private.tenant_id();
  branch uuid[];
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
  -- Numbers and times run backwards when they are negated.
  direction integer := case "order" when 'asc' then 1 else -1 end;
  ids uuid[];
  counts private.product_count[];
begin
  if coalesce(sort, '') not in ('created_at', 'updated_at', 'name', 'price') then
    perform private.refuse('VALIDATION_ERROR', 'Products are not sorted by this.', 'sort', to_jsonb(sort));
  elsif coalesce("order", '') not in ('asc', 'desc') then
    perform private.refuse('VALIDATION_ERROR', 'The order is asc or desc.', 'order', to_jsonb("order"));
  end if;

  if category is not null then
    branch := private.category_branch(tenant, category);
  end if;

  if branch is null and search is null then
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
        array(select w.id from wanted w order by w.%I %s, w.id limit $8 offset $9),
        array(
          select row(w.category_id, w.brand, count(*), min(w.price), max(w.price))::private.product_count
          from wanted w
          group by w.category_id, w.brand
        )',
      sort, "order"
    )
    into ids, counts
    using tenant, price_min, price_max, marketplace_id, supplier_id, status, brand, size, skipped;
  else
    -- A part of it is read once, by a plan that is kept: to plan takes longer than to read some hundred rows.
    with wanted as materialized (
      select
        p.id, p.category_id, p.brand, p.price,
        case sort when 'price' then direction * p.price end as price_rank,
        case sort
          when 'created_at' then direction * date_part('epoch', p.created_at)
          when 'updated_at' then direction * date_part('epoch', p.updated_at)
        end as time_rank,
        case sort when 'name' then (select n.name from public.products n where n.id = p.id) end as name
      from (
        select
          d.id, d.category_id, d.brand, d.price, d.marketplace_id, d.supplier_id, d.status, d.created_at, d.updated_at
        from public.product_details d
        where d.tenant_id = tenant and d.category_id = any (branch) and list_products.search is null
        union all
        select
          n.id, n.category_id, n.brand, n.price, n.marketplace_id, n.supplier_id, n.status, n.created_at, n.updated_at
        from private.products_named(list_products.search) n
        where list_products.search is not null and (branch is null or n.category_id = any (branch))
      ) as p
      where private.is_wanted(
        p.price, p.marketplace_id, p.supplier_id, p.status, p.brand, price_min, price_max,
        list_products.marketplace_id, list_products.supplier_id, list_products.status, list_products.brand
      )
    )
    select
      array(
        select w.id
        from wanted w
        order by
          w.price_rank, w.time_rank, case direction when 1 then w.name end, case direction when -1 then w.name end desc,
          w.id
        limit size offset skipped
      ),
      array(
        select row(w.category_id, w.brand, count(*), min(w.price), max(w.price))::private.product_count
        from wanted w
        group by w.category_id, w.brand
      )
    into ids, counts;
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
      'products', private.product_page(ids),
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
  private.grams, private.products_named, private.is_wanted, private.product_page
to authenticated, service_role;
grant execute on function public.list_products to authenticated;
