-- Pages of products: the filters of a list, the counts of its filters over a whole catalog, and the records of its
-- results. Later migrations find and rank the products.

-- types ----------------------------------------------------------------------------------------

-- The one place for what lists filter by. A new filter is a field here, a line of private.is_wanted, and an argument of
-- private.product_filters and of the functions that callers use.
create type private.product_filters as (
  price_min numeric, price_max numeric, marketplaces uuid[], supplier_id uuid, status public.product_status, brand text
);
comment on type private.product_filters is
  'The filters of a list of products, besides its search text and its categories. A filter that is null matches all.';

create type private.product_count as (
  marketplace_id uuid, category_id uuid, brand text, count integer, cheapest numeric, dearest numeric
);
comment on type private.product_count is
  'The number of products of a marketplace, a category and a brand, with their lowest and their highest price.';

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

-- Inlined into queries, like private.is_shown_to: of a product and of filters only the named fields are read, so that an
-- index alone can answer. Variants are read only if some are cheaper and others more expensive than the range.
create function private.is_wanted(product public.products, filters private.product_filters) returns boolean
language sql stable
return (filters.price_min is null or product.highest_price >= filters.price_min)
  and (filters.price_max is null or product.lowest_price <= filters.price_max)
  and (
    filters.price_min is null or filters.price_max is null
    or product.lowest_price >= filters.price_min or product.highest_price <= filters.price_max
    or private.has_price_between(product.id, filters.price_min, filters.price_max)
  )
  and (filters.marketplaces is null or product.marketplace_id = any (filters.marketplaces))
  and (filters.supplier_id is null or product.supplier_id = filters.supplier_id)
  and (filters.status is null or product.status = filters.status)
  and (filters.brand is null or product.brand = filters.brand);
comment on function private.is_wanted is
  'Whether a product matches the filters of a list. One of the product''s prices must be between price_min and price_max.';

create function private.product_filters(
  price_min numeric, price_max numeric, marketplace_id uuid, currency text, supplier_id uuid,
  status public.product_status, brand text
) returns private.product_filters
language plpgsql stable set search_path = ''
as $$
begin
  if num_nonnulls(price_min, price_max) > 0 then
    perform private.check_one_currency(marketplace_id, currency);
  end if;
  return row(
    price_min, price_max, private.marketplaces_asked(marketplace_id, currency), supplier_id, status, private.nfc(brand)
  );
end
$$;
comment on function private.product_filters is
  'The filters that a caller asks for. Refuses with VALIDATION_ERROR prices without a marketplace or currency in a tenant with several currencies.';

create function private.product_page(ids uuid[], relevance_scores double precision[], promotions jsonb[]) returns json
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
create function private.count_catalog(filters private.product_filters) returns setof private.product_count
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_custom_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  viewer public.member_role := private.tenant_role();
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
begin
  return query
    select p.marketplace_id, p.category_id, p.brand, count(*)::integer, min(p.lowest_price), max(p.highest_price)
    from public.products p
    where p.tenant_id = tenant
      and p.status <> 'discontinued'
      and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      and private.is_wanted(p, filters)
    group by p.marketplace_id, p.category_id, p.brand;
end
$$;
comment on function private.count_catalog is
  'The number of products that the caller sees in its tenant, by marketplace, category and brand, and their price range. Read from an index alone.';

create function private.count_filters(
  counts private.product_count[], out total bigint, out filters json, out is_mixed boolean
)
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
begin
  select
    coalesce(sum(c.count), 0), count(distinct m.currency) > 1,
    json_build_object(
      'categories', (
        select coalesce(
          json_agg(json_build_object('id', k.id, 'name', k.name, 'count', o.count) order by o.count desc, k.name collate "C", k.id),
          '[]'
        )
        from (select d.category_id, sum(d.count) as count from unnest(counts) as d group by d.category_id) as o
        join public.categories k on k.tenant_id = tenant and k.id = o.category_id
      ),
      'price_range', case count(distinct m.currency) when 1 then json_build_array(min(c.cheapest), max(c.dearest)) end,
      'brands', (
        select coalesce(json_agg(json_build_object('name', o.brand, 'count', o.count) order by o.count desc, o.brand collate "C"), '[]')
        from (select d.brand, sum(d.count) as count from unnest(counts) as d where d.brand is not null group by d.brand) as o
      )
    )
  into total, is_mixed, filters
  from unnest(counts) as c
  left join public.marketplaces m on m.tenant_id = tenant and m.id = c.marketplace_id;
end
$$;
comment on function private.count_filters is
  'The sum of counts of the caller''s products (total), the filters that a list answers, and whether the products have prices in several currencies (is_mixed).';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.has_price_between, private.is_wanted, private.product_filters, private.product_page, private.count_catalog,
  private.count_filters
to authenticated, service_role;
