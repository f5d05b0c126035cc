-- Pages of products: the filters of a list, the counts of its filters over a whole catalog, and the records of its
-- results. Later files find and rank the products.

-- types ----------------------------------------------------------------------------------------

-- The one definition of what lists filter by. A new filter is a field here, a line of private.is_wanted, and an
-- argument of the functions that callers use.
create type private.product_filters as (
  price_min numeric, price_max numeric, marketplaces uuid[], supplier_id uuid, status public.product_status,
  brands text[], selected jsonb, attributes jsonpath, ids uuid[]
);
comment on type private.product_filters is
  'The filters of a list of products, besides its search text and its categories. A filter that is null matches all. selected: the requested values of attributes by name; attributes: the same as a predicate.';

create type private.value_count as (name text, value text, count bigint);
comment on type private.value_count is 'The number of products that have a value of an attribute.';

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
  include (highest_price, status, marketplace_id, supplier_id, brand, created_at, updated_at, attribute_values);

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

create function private.values_of_large(product_id uuid) returns jsonb
-- A plan from when the tables were empty, which a session keeps, would scan products.
language plpgsql stable security definer cost 1000 set search_path = '' set enable_seqscan = off
as $$
begin
  return (select private.values_by_name(p.attributes) from public.products p where p.id = product_id);
end
$$;
comment on function private.values_of_large is
  'The values of a product''s attributes by name, for a product whose attribute_values are null because they are large.';

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
  and (filters.brands is null or product.brand = any (filters.brands))
  and (
    filters.attributes is null
    or coalesce(product.attribute_values, private.values_of_large(product.id)) @@ filters.attributes
  )
  and (filters.ids is null or product.id = any (filters.ids));
comment on function private.is_wanted is
  'Whether a product matches the filters of a list. One of the product''s prices must be between price_min and price_max.';

create function private.asked_texts(field text, asked text[], longest integer, most integer) returns text[]
language plpgsql stable set search_path = ''
as $$
declare
  wrong text;
begin
  if array_ndims(asked) > 1 or cardinality(asked) > most then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s must have at most %s values.', field, most), field, to_jsonb(asked)
    );
  end if;
  select a.value into wrong
  from unnest(asked) as a (value)
  where (char_length(a.value) between 1 and longest) is not true
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', format('Each value of %s must have 1 to %s characters.', field, longest), field, to_jsonb(wrong)
    );
  end if;
  return (
    select array_agg(a.value order by a.place)
    from (
      select private.nfc(sent.value) as value, min(sent.place) as place
      from unnest(asked) with ordinality as sent (value, place)
      group by private.nfc(sent.value)
    ) as a
  );
end
$$;
comment on function private.asked_texts is
  'The different values of a filter, in NFC; null if there are none. Refuses too many or too long ones with VALIDATION_ERROR on the field.';

create function private.selected_attributes(asked jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  sent record;
  name text;
  wanted text[];
  selected jsonb := '{}'::jsonb;
begin
  if (
    case jsonb_typeof(asked)
      when 'object' then (select count(*) > 10 from jsonb_object_keys(asked))
      else asked is not null
    end
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'attributes must be an object of at most 10 names, each with its values.', 'attributes', asked
    );
  end if;
  for sent in select a.key, a.value from jsonb_each(asked) as a (key, value) loop
    name := (private.asked_texts('attributes', array[sent.key], 100, 1))[1];
    if jsonb_typeof(sent.value) <> 'array' or jsonb_path_exists(
      sent.value, 'strict $[*] ? (@.type() != "string")', silent => true
    ) then
      perform private.refuse(
        'VALIDATION_ERROR', 'The values of an attribute must be a list of texts.', 'attributes.' || name, sent.value
      );
    end if;
    wanted := private.asked_texts(
      'attributes.' || name, array(select v.value from jsonb_array_elements_text(sent.value) as v (value)), 2000, 50
    );
    if wanted is not null then
      selected := selected || jsonb_build_object(name, wanted);
    end if;
  end loop;
  return nullif(selected, '{}');
end
$$;
comment on function private.selected_attributes is
  'The requested values of attributes by name: {"material": ["brass", "wool"]}. Names without values are left out; null if none has any. Refuses anything else with VALIDATION_ERROR.';

create function private.attribute_path(selected jsonb) returns jsonpath
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select string_agg(
      '(' || (
        select string_agg(format('$.%s == %s', to_json(s.name), v.value), ' || ')
        from jsonb_array_elements(s.accepted) as v (value)
      ) || ')',
      ' && '
    )
    from jsonb_each(selected) as s (name, accepted)
  )::jsonpath;
end
$$;
comment on function private.attribute_path is
  'A predicate on a product''s attribute_values that requires one of the selected values for each name.';

create function private.product_filters(
  filters private.product_filters, marketplace_id uuid, currency text, attributes jsonb
) returns private.product_filters
language plpgsql stable set search_path = ''
as $$
begin
  if num_nonnulls(filters.price_min, filters.price_max) > 0 then
    perform private.check_one_currency(marketplace_id, currency);
  end if;
  if cardinality(filters.ids) > 100 then
    perform private.refuse('VALIDATION_ERROR', 'ids must have at most 100 ids.', 'ids');
  end if;
  filters.marketplaces := private.marketplaces_asked(marketplace_id, currency);
  filters.brands := private.asked_texts('brand', filters.brands, 2000, 50);
  filters.selected := private.selected_attributes(attributes);
  filters.attributes := private.attribute_path(filters.selected);
  return filters;
end
$$;
comment on function private.product_filters is
  'The filters that a caller requests: checks the given ones, and completes those that follow from the marketplace, the currency and the attributes. Refuses with VALIDATION_ERROR too many or too long values, and prices without a marketplace or currency in a tenant with several currencies.';

create function private.product_page(ids uuid[], relevance_scores double precision[], promotions jsonb[]) returns json
-- A plan from when the tables were empty, which a session keeps, would scan products, their openings, variants and stock.
-- Planned once: 0.43 ms without, 0.07 with, for one product.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
begin
  -- The sizes of large texts are stored beside the row, so no text is read for this.
  if private.cap('list_bytes') < (
    select sum(octet_length(o.opening))
    from private.product_openings o
    where o.product_id = any (ids) and o.tenant_id = tenant
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
            '},"supplier":', coalesce(offer.supplier::text, 'null'),
            ',"compare_at_price":', coalesce(offer.compare_at_price::text, 'null'),
            ',"lowest_price_30d":', coalesce(offer.lowest_price_30d::text, 'null'),
            ',"relevance_score":', coalesce(shown.relevance_score::text, 'null'),
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
    cross join lateral (
      select
        p.compare_at_price,
        case when p.compare_at_price is not null then private.lowest_price_30d(p.id, p.price) end as lowest_price_30d,
        (
          select json_build_object('id', w.id, 'name', w.name, 'slug', w.slug)
          from public.suppliers w
          where w.tenant_id = p.tenant_id and w.id = p.supplier_id
        ) as supplier
      from public.products p
      where p.id = o.product_id
      limit 1
    ) as offer
  );
end
$$;
comment on function private.product_page is
  'The records of products in the given order, each with its relevance and promotion. The caller must have checked that the user may see them.';

-- Planned at each call for the filters that are sent, because checking a whole catalog against all filters takes longer
-- than planning.
create function private.count_catalog(filters private.product_filters) returns setof private.product_count
-- A generic plan takes 9.2 ms for 10,045 products, this one 5.1, and 3.5 instead of 0.16 where ids are sent.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_custom_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
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
-- A plan from when the tables were empty, which a session keeps, would scan categories and marketplaces.
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off
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
  'The sum of counts of the caller''s products (total), the filters that a list returns, and whether the products have prices in several currencies (is_mixed).';

create function private.count_values(
  names text[], filters private.product_filters, branch uuid[], among uuid[], with_products boolean,
  out facets private.value_count[], out products private.product_count[]
)
language plpgsql stable security definer set search_path = ''
-- The planner expects as many values as products. If their hashes do not fit the memory, it sorts all products for each
-- name: 100,000 products and three names took 177 ms sorted and 92 ms hashed, in turn in one session.
set enable_seqscan = off set enable_sort = off set work_mem = '64MB'
as $$
begin
  -- Grouped once for each name in one reading of an index. Products without the attribute are in the group of null.
  execute (
    select format(
      'with grouped as materialized (
        select
          case %s end as place, coalesce(%s) as value, p.marketplace_id, p.category_id, p.brand,
          count(*) as count, min(p.lowest_price) as cheapest, max(p.highest_price) as dearest
        from (
          select
            case when $9 then p.marketplace_id end as marketplace_id, case when $9 then p.category_id end as category_id,
            case when $9 then p.brand end as brand, p.lowest_price, p.highest_price, %s
          from (
            select
              p.marketplace_id, p.category_id, p.brand, p.lowest_price, p.highest_price,
              coalesce(p.attribute_values, private.values_of_large(p.id)) as by_name
            from public.products p
            where p.tenant_id = $2
              and p.status <> ''discontinued''
              and private.is_shown_to($3, $4, $5, p.supplier_id, p.marketplace_id, p.status)
              and private.is_wanted(p, $6)
              and ($7 is null or p.category_id = any ($7))
              and ($8 is null or p.id = any ($8))
          ) as p
        ) as p
        group by grouping sets ((p.marketplace_id, p.category_id, p.brand), %s)
      )
      select
        array(
          select row(($1)[r.place], r.value, r.count)::private.value_count
          from (
            select
              g.place, g.value, g.count,
              row_number() over (partition by g.place order by g.count desc, g.value collate "C") as rank
            from grouped g
            where g.value is not null
          ) as r
          where r.rank <= 100
        ),
        array(
          select row(g.marketplace_id, g.category_id, g.brand, g.count, g.cheapest, g.dearest)::private.product_count
          from grouped g
          where g.place is null and $9
        )',
      string_agg(format('when grouping(value_%s) = 0 then %s', n.place, n.place), ' '),
      string_agg(format('value_%s', n.place), ', '),
      string_agg(format('p.by_name ->> %L as value_%s', n.name, n.place), ', '),
      string_agg(format('(value_%s)', n.place), ', ')
    )
    from unnest(names) with ordinality as n (name, place)
  )
  into facets, products
  using
    names, private.tenant_id(), private.reach('products.read'), private.supplier_id(), private.active_marketplace_ids(), filters,
    branch, among, with_products;
end
$$;
comment on function private.count_values is
  'The number of products that the caller sees for each value of some attributes, without zeros: the 100 most frequent values of each. branch: only these categories (null: all); among: only these products (null: all). with_products: also returns what private.count_catalog returns, from the same reading.';

-- grants ---------------------------------------------------------------------------------------

-- Not has_price_between, values_of_large and is_wanted. They answer for products of any tenant, so only functions that
-- select by tenant, with their owner's rights, call them.
grant execute on function
  private.asked_texts, private.selected_attributes, private.attribute_path, private.product_filters, private.product_page,
  private.count_catalog, private.count_filters, private.count_values
to authenticated, service_role;
