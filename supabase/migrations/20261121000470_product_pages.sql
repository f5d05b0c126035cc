-- Pages of products: what a list filters by, how its filters are counted over a whole catalog, and the records of what
-- it has found. What finds products, and what puts some before others, comes to it later.

-- indexes --------------------------------------------------------------------------------------

create index products_tenant_id_created_at_idx on public.products (tenant_id, created_at desc, id);
create index products_tenant_id_updated_at_idx on public.products (tenant_id, updated_at desc, id);
create index products_tenant_id_name_idx on public.products (tenant_id, (private.sort_name(name) collate "C"), id);
create index products_tenant_id_lowest_price_idx on public.products (tenant_id, lowest_price, id);
create index products_tenant_id_highest_price_idx on public.products (tenant_id, highest_price desc, id);
-- Holds all that a list filters and counts by, so that filters over a whole catalog need no row of it.
create index products_category_idx on public.products (tenant_id, category_id, lowest_price, id)
  include (highest_price, status, marketplace_id, supplier_id, brand, created_at, updated_at);

-- functions ------------------------------------------------------------------------------------

create function private.has_price_between(product_id uuid, price_min numeric, price_max numeric) returns boolean
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
comment on function private.has_price_between is 'Whether a variant of a product costs no less than one price and no more than another.';

-- As private.is_shown_to, a part of the query that asks it. Variants are only read where some cost less than is asked,
-- and others more.
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
  'Whether a product is among what a list''s filters ask for; a filter that is null asks nothing. One of its prices has to lie between price_min and price_max.';

create function private.product_page(ids uuid[], relevance_scores double precision[], promotions jsonb[]) returns json
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
begin
  -- Of large texts the sizes are beside the row, and none is read for this.
  if private.cap('list_bytes') < (
    select sum(octet_length(o.opening)) from private.product_openings o where o.product_id = any (ids)
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
      -- One by one, and not the stock of the whole tenant.
      limit 1
    ) as s
  );
end
$$;
comment on function private.product_page is
  'The records of products of its tenant that the caller was found to see, in the same sequence, each with how well it fits what was searched and how it is promoted.';

-- Planned each time, for the filters that are asked: to hold a whole catalog to all of them takes longer than that.
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
  'How many of a tenant''s products a viewer sees, of each marketplace, category and brand, and from which price to which: read from an index alone. For find_products, which says who looks.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.has_price_between, private.is_wanted, private.product_page to authenticated, service_role;
