-- Pages of products: what a list filters by, how its filters are counted over a whole catalog, and the records of what
-- it has found. What finds products, and what puts some before others, comes to it later.

-- types ----------------------------------------------------------------------------------------

create type private.product_filter as (
  price_min numeric, price_max numeric, marketplace_id uuid, supplier_id uuid, status public.product_status, brand text
);
comment on type private.product_filter is
  'What a list of products is filtered by, beside its category and its text; what is null asks nothing.';

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
create function private.is_wanted(product public.products, filter private.product_filter) returns boolean
language sql immutable
return (filter.price_min is null or product.price >= filter.price_min)
  and (filter.price_max is null or product.price <= filter.price_max)
  and (filter.marketplace_id is null or product.marketplace_id = filter.marketplace_id)
  and (filter.supplier_id is null or product.supplier_id = filter.supplier_id)
  and (filter.status is null or product.status = filter.status)
  and (filter.brand is null or product.brand = filter.brand);
comment on function private.is_wanted is 'Whether a product is among what a list''s filter asks for.';

create function private.product_page(ids uuid[], relevance_scores double precision[], promotions jsonb[]) returns json
-- Whatever the time zone of whoever asks.
language plpgsql stable security definer set search_path = '' set timezone = 'UTC'
-- By index also where its plan was made when there was next to nothing, which is kept until the tables are counted: from 40
-- products to 20,000 it reads 172 pages for 20 of them, and without this 8,195.
set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
begin
  if private.cap('list_bytes') < (
    select sum(s.bytes) from private.product_sizes s where s.product_id = any (ids)
  ) then
    perform private.refuse_beyond(
      'list_bytes', 'These products are too large to be listed together. Ask for fewer at a time.', 'limit'
    );
  end if;
  return (
    select
      concat(
        '[',
        string_agg(
          concat(
            -- Written each time: texts that were kept would save 0.3 ms of a page of 20, 6 % of a list over HTTP.
            left(row_to_json(p)::text, -1),
            ',"variants":', case
              when s.has_variants then (select r.variants from private.product_records r where r.id = p.id)
              else '[]'
            end,
            ',"inventory":{"quantity":', s.quantity, ',"reserved":', s.reserved,
            '},"relevance_score":', coalesce(shown.relevance_score::text, 'null'),
            ',"promotion":', coalesce(shown.promotion::text, 'null'),
            '}'
          ),
          ',' order by shown.position
        ),
        ']'
      )::json
    from unnest(ids, relevance_scores, promotions) with ordinality as shown (id, relevance_score, promotion, position)
    join public.products p on p.id = shown.id and p.tenant_id = tenant
    cross join lateral (
      select s.has_variants, s.quantity, s.reserved
      from private.product_stocks s
      where s.tenant_id = p.tenant_id and s.product_id = p.id
      -- One by one, and not the stock of the whole tenant.
      limit 1
    ) as s
  );
end
$$;
comment on function private.product_page is
  'The records of products of its tenant that the caller was found to see, in the same sequence, each with how well it fits what was searched and how it is promoted.';

-- Planned each time, for the filters that are asked: to hold each of 10,000 products to all of them takes 9.9 ms, where
-- 5.3 are enough.
create function private.count_catalog(
  tenant uuid, viewer public.member_role, own_supplier uuid, active_marketplaces uuid[], filter private.product_filter
) returns table (category_id uuid, brand text, count integer, cheapest numeric, dearest numeric)
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_custom_plan set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
    select p.category_id, p.brand, count(*)::integer, min(p.price), max(p.price)
    from public.products p
    where p.tenant_id = tenant
      and p.status <> 'discontinued'
      and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      and private.is_wanted(p, filter)
    group by p.category_id, p.brand;
end
$$;
comment on function private.count_catalog is
  'How many of a tenant''s products a viewer sees, of each category and brand, and from which price to which: read from an index alone. For find_products, which says who looks.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.is_wanted, private.product_page to authenticated, service_role;
