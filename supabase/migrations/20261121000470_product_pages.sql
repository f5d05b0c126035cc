-- Pages of products: the filters of a list, the counts of its filters over a whole catalog, and the records of its
-- results. Later migrations find and rank the products.

-- indexes --------------------------------------------------------------------------------------

create index products_tenant_id_created_at_idx on public.products (tenant_id, created_at desc, id);
create index products_tenant_id_updated_at_idx on public.products (tenant_id, updated_at desc, id);
create index products_tenant_id_name_idx on public.products (tenant_id, (private.sort_name(name) collate "C"), id);
create index products_tenant_id_lowest_price_idx on public.products (tenant_id, lowest_price, id);
create index products_tenant_id_highest_price_idx on public.products (tenant_id, highest_price desc, id);
-- Includes all columns that a list filters and counts by, so that filters over a whole catalog read no row.
create index products_category_idx on public.products (tenant_id, category_id, lowest_price, id)
  include (highest_price, status, marketplace_id, supplier_id, brand, created_at, updated_at);

-- functions ------------------------------------------------------------------------------------

create function private.has_price_between(product_id uuid, price_min numeric, price_max numeric) returns boolean
-- A plan from when the tables were empty, which a session keeps, would scan products and product_variants.
language plpgsql stable security definer cost 1000 set search_path = '' set enable_seqscan = off
as $$
begin
  return exists (
    select 1
    from public.products p
    join public.product_variants v on v.tenant_id = p.tenant_id and v.product_id = p.id
    where p.id = has_price_between.product_id and coalesce(v.price, p.price) between price_min and price_max
  );
end
$$;
comment on function private.has_price_between is 'Whether a variant of a product has a price within a range.';

-- Inlined into queries, like private.is_shown_to. Variants are read only if some are cheaper and others more expensive
-- than the range.
create function private.is_wanted(
  id uuid, lowest_price numeric, highest_price numeric, marketplace_id uuid, supplier_id uuid,
  status public.product_status, brand text, price_min numeric, price_max numeric, only_marketplaces uuid[],
  only_supplier uuid, only_status public.product_status, only_brand text
) returns boolean
language sql stable
return (price_min is null or highest_price >= price_min)
  and (price_max is null or lowest_price <= price_max)
  and (
    price_min is null or price_max is null or lowest_price >= price_min or highest_price <= price_max
    or private.has_price_between(id, price_min, price_max)
  )
  and (only_marketplaces is null or marketplace_id = any (only_marketplaces))
  and (only_supplier is null or supplier_id = only_supplier)
  and (only_status is null or status = only_status)
  and (only_brand is null or brand = only_brand);
comment on function private.is_wanted is
  'Whether a product matches the filters of a list. A filter that is null matches all. One of the product''s prices must be between price_min and price_max.';

create function private.product_page(ids uuid[], relevance_scores double precision[], promotions jsonb[]) returns json
-- A plan from when the tables were empty, which a session keeps, would scan products, their openings, variants and stock.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
begin
  -- The sizes of large texts are stored beside the row, so no text is read for this.
  if private.cap('list_bytes') < (
    select sum(octet_length(o.opening)) from private.product_openings o where o.product_id = any (ids)
  ) then
    perform private.refuse_beyond(
      'list_bytes', 'The products of this page are too large together. Send a smaller limit.', 'limit'
    );
  end if;
  return (
    select
      concat(
        '[',
        string_agg(
          concat(
            o.opening,
            ',"variants":', case
              when s.has_variants then (select r.variants from private.product_records r where r.id = o.product_id)
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
    join private.product_openings o on o.product_id = shown.id and o.tenant_id = tenant
    cross join lateral (
      select s.has_variants, s.quantity, s.reserved
      from private.product_stocks s
      where s.tenant_id = o.tenant_id and s.product_id = o.product_id
      -- `limit` makes Postgres look up the stock of each product, instead of reading the whole tenant's.
      limit 1
    ) as s
  );
end
$$;
comment on function private.product_page is
  'The records of products that the caller may see, which must be checked before, in the same order, each with its relevance and promotion.';

-- Planned at each call, for the filters that are sent: checking a whole catalog against all filters takes longer.
create function private.count_catalog(
  tenant uuid, viewer public.member_role, own_supplier uuid, active_marketplaces uuid[],
  price_min numeric, price_max numeric, only_marketplaces uuid[], only_supplier uuid,
  only_status public.product_status, only_brand text
) returns table (
  marketplace_id uuid, category_id uuid, brand text, count integer, cheapest numeric, dearest numeric
)
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_custom_plan set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
    select p.marketplace_id, p.category_id, p.brand, count(*)::integer, min(p.lowest_price), max(p.highest_price)
    from public.products p
    where p.tenant_id = tenant
      and p.status <> 'discontinued'
      and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      and private.is_wanted(
        p.id, p.lowest_price, p.highest_price, p.marketplace_id, p.supplier_id, p.status, p.brand, price_min, price_max,
        only_marketplaces, only_supplier, only_status, only_brand
      )
    group by p.marketplace_id, p.category_id, p.brand;
end
$$;
comment on function private.count_catalog is
  'The number of a tenant''s products that a viewer sees, by marketplace, category and brand, and their price range. Read from an index alone. For find_products, which passes the viewer.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.has_price_between, private.is_wanted, private.product_page to authenticated, service_role;
