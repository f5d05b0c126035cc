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
  include (status, marketplace_id, supplier_id, brand);
-- Without a pending list: it would be read whole by every search.
create index products_grams_idx on public.products using gin (private.grams(tenant_id, name)) with (fastupdate = off);

-- functions ------------------------------------------------------------------------------------

create function private.products_named(search text) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  wanted bigint[] := private.grams(private.tenant_id(), search);
  folded text := lower(search);
begin
  return array(
    select p.id
    from public.products p
    where private.grams(p.tenant_id, p.name) @> wanted and strpos(lower(p.name), folded) > 0
  );
end
$$;
comment on function private.products_named is
  'The caller''s tenant''s products with a text of three letters or more in their name. Which of them the caller may see, policies say: they keep a query of the caller''s own from this index, since an operator on text might tell what it reads.';

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

create function private.category_counts(tenant_id uuid, counts private.product_count[]) returns json
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(f order by f.count desc, f.name, f.id), '[]')
    from (
      select k.id, k.name, c.count
      from (select c.category_id, sum(c.count) as count from unnest(counts) as c group by c.category_id) as c
      join public.categories k on k.tenant_id = category_counts.tenant_id and k.id = c.category_id
    ) as f
  );
end
$$;
comment on function private.category_counts is 'How many products were found in each category, most first.';

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
language plpgsql stable set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
  branch uuid[];
  named uuid[];
  relation text := 'public.product_details p';
  conditions text := 'p.tenant_id = $1';
  ordering text;
  size integer := least(greatest("limit", 1), 1000);
  ids uuid[];
  counts private.product_count[];
begin
  if coalesce(sort, '') not in ('created_at', 'updated_at', 'name', 'price') then
    perform private.refuse('VALIDATION_ERROR', 'Products are not sorted by this.', 'sort', to_jsonb(sort));
  elsif coalesce("order", '') not in ('asc', 'desc') then
    perform private.refuse('VALIDATION_ERROR', 'The order is asc or desc.', 'order', to_jsonb("order"));
  end if;
  ordering := format('%I %s, id', sort, "order");

  if category is not null then
    branch := private.category_branch(tenant, category);
    conditions := conditions || case cardinality(branch)
      when 1 then ' and p.category_id = ($2)[1]'
      else ' and p.category_id = any ($2)'
    end;
  end if;
  if char_length(search) >= 3 then
    named := private.products_named(search);
    relation := relation || ' join unnest($3) as named (id) on p.id = named.id';
  elsif search is not null then
    conditions := conditions || ' and strpos(lower(p.name), lower($4)) > 0';
  end if;
  if price_min is not null then
    conditions := conditions || ' and p.price >= $5';
  end if;
  if price_max is not null then
    conditions := conditions || ' and p.price <= $6';
  end if;
  if marketplace_id is not null then
    conditions := conditions || ' and p.marketplace_id = $7';
  end if;
  if supplier_id is not null then
    conditions := conditions || ' and p.supplier_id = $8';
  end if;
  if status is not null then
    conditions := conditions || ' and p.status = $9';
  end if;
  if brand is not null then
    conditions := conditions || ' and p.brand = $10';
  end if;

  execute
    case
      -- A part of the catalog is read once. Of the whole, an index counts without touching a row, and
      -- another has the page in its order.
      when category is not null or search is not null then
        'with found as materialized (
          select p.id, p.category_id, p.brand, p.price'
          || case when sort <> 'price' then format(', p.%I', sort) else '' end || '
          from ' || relation || ' where ' || conditions || '
        )
        select
          array(select id from found order by ' || ordering || ' limit $11 offset $12),'
      else
        'with found as (
          select p.category_id, p.brand, p.price from ' || relation || ' where ' || conditions || '
        )
        select
          array(
            select p.id from ' || relation || ' where ' || conditions || '
            order by ' || ordering || ' limit $11 offset $12
          ),'
    end || '
          array(
            select row(category_id, brand, count(*), min(price), max(price))::private.product_count
            from found
            group by category_id, brand
          )'
  into ids, counts
  using tenant, branch, named, search, price_min, price_max, marketplace_id, supplier_id, status, brand,
    size, (greatest(page, 1)::bigint - 1) * size;

  return (
    select json_build_object(
      'products', private.product_page(ids),
      'total', coalesce(sum(c.count), 0),
      'filters', json_build_object(
        'categories', private.category_counts(tenant, counts),
        'price_range', json_build_array(coalesce(min(c.cheapest), 0), coalesce(max(c.dearest), 0)),
        'brands', (
          select coalesce(json_agg(b order by b.count desc, b.name), '[]')
          from (
            select c.brand as name, sum(c.count) as count from unnest(counts) as c where c.brand is not null group by c.brand
          ) as b
        )
      )
    )
    from unnest(counts) as c
  );
end
$$;
comment on function public.list_products is
  'A page of the products the caller may see, with total and filters over the whole result, in one answer.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.grams, private.products_named, private.product_page, private.category_counts
to authenticated, service_role;
grant execute on function public.list_products to authenticated;
