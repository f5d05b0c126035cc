-- The record of a product in the form of the API, and its creation, change and deletion.
-- later: private.review_of, private.keep_withheld

-- tables ---------------------------------------------------------------------------------------

create table private.product_openings (
  product_id uuid not null,
  tenant_id uuid not null,
  opening text not null,
  -- In this order for lookups by product alone.
  constraint product_openings_pkey primary key (product_id, tenant_id),
  constraint product_openings_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade
);
comment on table private.product_openings is
  'The row of each product as JSON without its end, so that variants and stock can be appended. It is written when the product changes, not each time it is listed: a page of 100 products takes 0.85 ms, and 2.0 ms without these rows. Over HTTP, GET /api/products?limit=100 takes 12 % longer without them (median of 4 rounds), limit=20 as long.';

-- views ----------------------------------------------------------------------------------------

-- It has its owner's rights, like private.product_stocks.
create view private.all_variants as
select v.tenant_id, v.product_id, v.id, v.name, v.sku, v.price, v.position, i.quantity, i.reserved, v.compare_at_price
from public.product_variants v
join public.inventory i on i.tenant_id = v.tenant_id and i.product_id = v.product_id and i.variant_id = v.id;
comment on view private.all_variants is 'All variants with their stock. Joined only to products that the caller sees.';

-- It has its owner's rights, like private.product_stocks.
create view private.product_suppliers as
select p.id as product_id, s.id, s.name, s.slug
from public.products p
join public.suppliers s on s.tenant_id = p.tenant_id and s.id = p.supplier_id;
comment on view private.product_suppliers is
  'The supplier of each product as its record shows it. Joined only to products that the caller sees.';

-- The only list of these fields: the views below, product_openings and ranked_products take them from here.
create view private.product_rows with (security_invoker = true) as
select
  p.id, p.tenant_id, p.marketplace_id, p.supplier_id, p.category_id, p.external_id, p.kind, p.track_inventory,
  p.name, p.slug, p.description, p.price, p.currency, p.images, p.attributes, p.brand, p.physical, p.template_id, p.status,
  p.created_at, p.updated_at
from public.products p;
comment on view private.product_rows is 'The fields of a product''s record that are columns of products, in the order of the record.';

-- Variants and inventory are json: building jsonb takes twice as long. Lists do not have the HTML of descriptions.
create view private.product_records with (security_invoker = true) as
select
  r.*,
  (select p.description_html from public.products p where p.id = r.id) as description_html,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'id', v.id, 'name', v.name, 'sku', v.sku, 'price', coalesce(v.price, r.price), 'own_price', v.price,
          'compare_at_price', v.compare_at_price,
          'lowest_price_30d', case
            when v.compare_at_price is not null then private.lowest_price_30d(r.id, r.price, v.id, v.price)
          end,
          'inventory', json_build_object('quantity', v.quantity, 'reserved', v.reserved)
        )
        order by v.position, v.id
      ),
      '[]'
    )
    from private.all_variants v
    where v.tenant_id = r.tenant_id and v.product_id = r.id
  ) as variants,
  (
    select json_build_object('quantity', s.quantity, 'reserved', s.reserved)
    from private.product_stocks s
    where s.tenant_id = r.tenant_id and s.product_id = r.id
  ) as inventory,
  (
    select json_build_object('id', s.id, 'name', s.name, 'slug', s.slug)
    from private.product_suppliers s
    where s.product_id = r.id
  ) as supplier,
  (select p.safety from public.products p where p.id = r.id) as safety,
  (select p.compare_at_price from public.products p where p.id = r.id) as compare_at_price,
  (
    select private.lowest_price_30d(p.id, p.price)
    from public.products p
    where p.id = r.id and p.compare_at_price is not null
  ) as lowest_price_30d
from private.product_rows r;
comment on view private.product_records is 'The whole record of a product, whatever its status.';

-- The only place that excludes discontinued products from lists and reads.
create view public.product_details with (security_invoker = true) as
select r.*
from private.product_records r
where r.status <> 'discontinued';
comment on view public.product_details is
  'The whole record of a product in the form of the API, with variants and stock. Without discontinued products.';

-- functions ------------------------------------------------------------------------------------

create function private.write_openings(ids uuid[]) returns void
-- UTC, independent of the time zone of the session that changes them.
-- A plan from when the tables were empty, which a session keeps, would scan products.
-- Planned once: 0.32 ms without, 0.09 with, for a new product.
language plpgsql security definer set search_path = '' set timezone = 'UTC'
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  insert into private.product_openings (product_id, tenant_id, opening)
  select r.id, r.tenant_id, left(row_to_json(r)::text, -1)
  from private.product_rows r
  where r.id = any (ids)
  on conflict (product_id, tenant_id) do update
  set opening = excluded.opening;
end
$$;
comment on function private.write_openings is 'Writes the rows of product_openings for products.';

create function private.bound_products(ids uuid[]) returns void
-- It also uses UTC, because it compares with the rows of write_openings.
-- A plan from when the tables were empty, which a session keeps, would scan product_openings and product_variants.
-- Planned once: 0.29 ms without, 0.04 with, for a new product.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  -- A record is the product's row and at most 200 variants of at most 3,050 bytes (455 characters of six bytes each, as
  -- JSON writes control characters, and the rest of the variant). Variants are measured only if the row leaves less space.
  perform private.bound_record(
    -- Its supplier has a name and a slug of at most 200 characters.
    octet_length(o.opening) + coalesce(octet_length(to_json(p.description_html)::text), 0)
      + coalesce(octet_length(p.safety::text), 0) + v.bytes + 1600,
    1,
    'The product is too large. Shorten its description, images, attributes or variants.'
  )
  from public.products p
  join private.product_openings o on o.product_id = p.id and o.tenant_id = p.tenant_id
  cross join lateral (
    select coalesce(
      sum(octet_length(to_json(v.name)::text) + coalesce(octet_length(to_json(v.sku)::text), 4) + 320), 0
    ) as bytes
    from public.product_variants v
    where v.tenant_id = o.tenant_id and v.product_id = o.product_id
  ) as v
  where p.id = any (ids)
    -- Reduced HTML has no control characters, and so at most two bytes of JSON for one.
    and octet_length(o.opening) + 2 * coalesce(octet_length(p.description_html), 0) + coalesce(octet_length(p.safety::text), 0)
      > private.cap('record_bytes') - 1600 - 200 * 3050;
end
$$;
comment on function private.bound_products is 'Refuses with LIMIT_REACHED products whose records exceed the cap record_bytes.';

create function private.bound_variants() returns trigger
-- A plan from when product_variants was empty, which a session keeps, would scan it.
-- Planned once: 0.08 ms without, 0.02 with, for a new product.
language plpgsql security definer set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  affected uuid[] := array(select distinct c.product_id from changed c);
  compared uuid[];
begin
  if exists (
    select 1
    from public.product_variants v
    where v.product_id = any (affected) and v.tenant_id = any (array(select c.tenant_id from changed c))
    group by v.product_id
    having count(*) > 200
  ) then
    perform private.refuse('VALIDATION_ERROR', 'A product must have at most 200 variants.', 'variants');
  end if;
  if tg_op = 'INSERT' then
    compared := array(select c.id from changed c where c.compare_at_price is not null);
  else
    -- Without those whose prices this statement keeps: the product's price may have risen just before, and theirs may follow.
    compared := array(
      select d.id
      from (
        select c.id, c.price, c.compare_at_price from changed c where c.compare_at_price is not null
        except
        select f.id, f.price, f.compare_at_price from former f
      ) as d
    );
  end if;
  if compared <> '{}' then
    perform private.check_compared_prices(compared);
  end if;
  perform private.bound_products(affected);
  return null;
end
$$;
comment on function private.bound_variants() is
  'Statement trigger: refuses more than 200 variants of a product, those that are compared with a price that is not greater, and products whose records exceed the cap record_bytes.';

create function private.write_changed_openings() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  ids uuid[] := array(select c.id from changed c);
begin
  perform private.write_openings(ids);
  perform private.bound_products(ids);
  return null;
end
$$;
comment on function private.write_changed_openings() is
  'Statement trigger: writes product_openings of changed products, and refuses products that are too large.';

create function private.shown_record(record jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  return case when record -> 'description_html' = 'null' then record - 'description_html' else record end;
end
$$;
comment on function private.shown_record is 'The record of a product, without the description_html of a plain text.';

create function public.get_product(product_id uuid) returns json
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select (private.shown_record(to_jsonb(d)) || private.review_of(d.id))::json from public.product_details d where d.id = product_id
  );
end
$$;
comment on function public.get_product is 'The whole record of a product; null if the caller does not see it.';

create function public.get_product_by_slug(slug text, marketplace_id uuid default null) returns json
language plpgsql stable set search_path = ''
as $$
declare
  former boolean;
  ids uuid[];
  shown json[];
begin
  -- A product that has the slug comes before one that had it in another marketplace.
  foreach former in array array[false, true] loop
    ids := private.products_with_slug(get_product_by_slug.slug, get_product_by_slug.marketplace_id, former);
    shown := array(
      select (
        private.shown_record(to_jsonb(d)) || private.review_of(d.id)
        || case when former then jsonb_build_object('moved_to', d.slug) else '{}' end
      )::json
      from public.product_details d
      where d.id = any (ids)
      limit 2
    );
    if cardinality(shown) > 1 then
      perform private.refuse(
        'VALIDATION_ERROR', 'Several marketplaces have a product with this slug. Send marketplace_id.', 'marketplace_id', 'null'
      );
    elsif cardinality(shown) = 1 then
      return shown[1];
    end if;
  end loop;
  return null;
end
$$;
comment on function public.get_product_by_slug is
  'The whole record of a product by its slug or by one that it had before, then with moved_to, its current slug; null if the caller sees none. Refuses with VALIDATION_ERROR a slug that several marketplaces have, without marketplace_id.';

create function private.refuse_repeated_variants(product public.products, variants jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  problem record;
begin
  select sent.position - 1 as index, sent.value -> 'name' as name, sent.value -> 'sku' as sku, sent.nth_of_name > 1 as is_name
  into problem
  from (
    select
      v.position, v.value,
      row_number() over (partition by private.folded_name(v.value ->> 'name') order by v.position) as nth_of_name,
      row_number() over (partition by v.value ->> 'sku' order by v.position) as nth_of_sku
    from jsonb_array_elements(variants) with ordinality as v (value, position)
  ) as sent
  where (sent.nth_of_name > 1 and sent.value ->> 'name' is not null)
    or (sent.nth_of_sku > 1 and sent.value ->> 'sku' is not null and private.has_unique_skus(product.tenant_id))
  order by sent.position
  limit 1;
  if problem.is_name and problem.name <> 'null' then
    perform private.refuse(
      'VALIDATION_ERROR', 'Variants of a product must have different names. Upper and lower case count as equal.',
      format('variants[%s].name', problem.index), problem.name
    );
  elsif found then
    perform private.refuse(
      'CONFLICT', 'Another variant of this product has this sku.', format('variants[%s].sku', problem.index), problem.sku
    );
  end if;
end
$$;
comment on function private.refuse_repeated_variants is
  'Refuses a list of variants two of which have the same name (VALIDATION_ERROR) or, if skus are unique, the same sku (CONFLICT). Names the second of them.';

-- Callers send a record back as they read it, with both prices. So the price that they changed counts.
create function private.wanted_price(sent jsonb, own numeric, product_price numeric, is_new boolean) returns numeric
language sql immutable
return case
  when sent ? 'own_price' and (sent ->> 'own_price')::numeric is distinct from own then (sent ->> 'own_price')::numeric
  when not sent ? 'price' then own
  -- A variant without a price of its own keeps none while its price is that of the product.
  when own is null and (sent ->> 'price')::numeric = product_price and (sent ? 'own_price' or not is_new) then null
  else (sent ->> 'price')::numeric
end;
comment on function private.wanted_price is
  'The own price that a variant gets, null if it inherits the product''s: from sent, which may have own_price, price or both. own: its own price before.';

create function private.check_variants(product public.products, variants jsonb) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  decimals smallint := (select c.exponent from private.currencies c where c.code = product.currency);
  faults jsonb;
begin
  if jsonb_typeof(variants) is distinct from 'array' or jsonb_array_length(variants) > 200 then
    perform private.refuse('VALIDATION_ERROR', 'variants must be a list of at most 200.', 'variants', variants);
  end if;

  select coalesce(jsonb_agg(private.fault(
    fault.message, format('variants[%s].%s', sent.position - 1, array_to_string(fault.path, '.')), sent.value #> fault.path
  ) order by sent.position), '[]')
  into faults
  from jsonb_array_elements(variants) with ordinality as sent (value, position)
  cross join lateral (
    select f.path, f.message
    from (values
      (1, not private.is_name(sent.value -> 'name', 200),
        array['name'], 'The name of a variant must have 1 to 200 characters, one of which is visible.'),
      (2, not private.is_text(nullif(sent.value -> 'sku', 'null'), 1, 255),
        array['sku'], 'A sku must have 1 to 255 characters.'),
      (3, scale(trim_scale((sent.value ->> 'price')::numeric)) > decimals,
        array['price'], format('A price in this currency has at most %s decimals.', decimals)),
      (4, scale(trim_scale((sent.value ->> 'own_price')::numeric)) > decimals,
        array['own_price'], format('A price in this currency has at most %s decimals.', decimals)),
      (5, scale(trim_scale((sent.value ->> 'compare_at_price')::numeric)) > decimals,
        array['compare_at_price'], format('A price in this currency has at most %s decimals.', decimals)),
      -- The stock of an existing variant is ignored.
      (6, not product.track_inventory
          and (sent.value #>> '{inventory,quantity}')::integer > 0
          and not exists (
            select 1 from public.product_variants v
            where v.tenant_id = product.tenant_id and v.product_id = product.id and v.id = (sent.value ->> 'id')::uuid
          ),
        array['inventory', 'quantity'], 'inventory must be left out: this product has no stock.')
    ) as f (rank, applies, path, message)
    where f.applies
    order by f.rank
    limit 1
  ) as fault;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_variants is
  'Refuses an invalid list of variants: too many, an invalid name or sku, a price or compare_at_price with too many decimals, or a quantity for a product without a stock. Names the variant.';

create function private.refuse_taken_sku(product public.products, variants jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  problem record;
begin
  select sent.position - 1 as index, sent.value -> 'sku' as sku into problem
  from jsonb_array_elements(variants) with ordinality as sent (value, position)
  where exists (
      select 1 from public.product_variants v
      where v.tenant_id = product.tenant_id
        and v.marketplace_id = product.marketplace_id
        and v.supplier_id is not distinct from product.supplier_id
        and v.sku = sent.value ->> 'sku'
        and v.sku_is_unique
        and v.id is distinct from (sent.value ->> 'id')::uuid
    )
  order by sent.position
  limit 1;
  if found then
    perform private.refuse(
      'CONFLICT',
      'Another variant of this supplier has this sku in this marketplace. Send another one, or let an admin set settings.catalog.unique_skus to false.',
      format('variants[%s].sku', problem.index), problem.sku
    );
  end if;
end
$$;
comment on function private.refuse_taken_sku is
  'Refuses with CONFLICT if another variant of the supplier in the marketplace has the sku of a variant in the list. Names the first one.';

create function private.write_opening_stock(product_id uuid, inventory jsonb, listed jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.explain_stock_change('opening');
  update public.inventory i
  set quantity = stock.quantity
  from (
    select null::uuid as variant_id, (write_opening_stock.inventory ->> 'quantity')::integer as quantity
    union all
    select v.id, (v.inventory ->> 'quantity')::integer
    from jsonb_to_recordset(listed) as v (id uuid, inventory jsonb)
  ) as stock
  where i.product_id = write_opening_stock.product_id
    and i.variant_id is not distinct from stock.variant_id
    and stock.quantity <> 0;
end
$$;
comment on function private.write_opening_stock is
  'Writes the first quantities of a new product and of its variants, which are listed with their ids.';

create function public.create_product(
  name text,
  price numeric,
  description text default '',
  currency text default null,
  marketplace_id uuid default null,
  supplier_id uuid default null,
  category_id uuid default null,
  external_id text default null,
  kind public.product_kind default 'physical',
  track_inventory boolean default null,
  status public.product_status default 'active',
  images jsonb default '[]',
  attributes jsonb default '[]',
  physical jsonb default null,
  template_id uuid default null,
  variants jsonb default '[]',
  inventory jsonb default '{}',
  slug text default null,
  description_html text default null,
  safety jsonb default null,
  compare_at_price numeric default null
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  created public.products;
  listed jsonb;
begin
  insert into public.products
    (name, price, compare_at_price, description, description_html, currency, marketplace_id, supplier_id, category_id,
     external_id, kind, track_inventory, status, images, attributes, physical, safety, template_id, slug)
  values (
    create_product.name, create_product.price, create_product.compare_at_price, create_product.description,
    create_product.description_html, create_product.currency,
    coalesce(create_product.marketplace_id, private.sole_marketplace_id()),
    coalesce(create_product.supplier_id, private.supplier_id()),
    create_product.category_id, create_product.external_id, create_product.kind,
    coalesce(create_product.track_inventory, create_product.kind = 'physical'), create_product.status,
    create_product.images, create_product.attributes, create_product.physical, create_product.safety,
    create_product.template_id, create_product.slug
  )
  returning * into created;
  if not created.track_inventory and (create_product.inventory ->> 'quantity')::integer > 0 then
    perform private.refuse(
      'VALIDATION_ERROR', 'inventory must be left out: this product has no stock.', 'inventory.quantity',
      create_product.inventory -> 'quantity'
    );
  end if;
  perform private.check_variants(created, create_product.variants);
  perform private.refuse_repeated_variants(created, create_product.variants);

  select coalesce(jsonb_agg(sent.value || jsonb_build_object('id', gen_random_uuid(), 'position', sent.position)), '[]')
  into listed
  from jsonb_array_elements(create_product.variants) with ordinality as sent (value, position);

  if listed <> '[]' then
    begin
      insert into public.product_variants (id, product_id, name, sku, price, compare_at_price, position)
      select
        (v.value ->> 'id')::uuid, created.id, v.value ->> 'name', v.value ->> 'sku',
        private.wanted_price(v.value, null, created.price, true), (v.value ->> 'compare_at_price')::numeric,
        (v.value ->> 'position')::integer
      from jsonb_array_elements(listed) as v (value);
    exception
      when unique_violation then
        perform private.refuse_taken_sku(created, listed);
        raise;
    end;
  end if;

  perform private.write_opening_stock(created.id, create_product.inventory, listed);
  return (select private.shown_record(to_jsonb(r)) || private.review_of(r.id) from private.product_records r where r.id = created.id);
end
$$;
comment on function public.create_product is
  'Creates a product with its variants and their stock in one transaction, and returns its whole record.';

create function private.listed_variants(product public.products, variants jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  listed jsonb;
  problem record;
begin
  select coalesce(
    jsonb_agg(
      jsonb_build_object('name', v.name) || sent.value || jsonb_build_object(
        'id', coalesce(v.id, gen_random_uuid()), 'is_new', v.id is null, 'position', sent.position,
        'sent_id', sent.value -> 'id'
      )
      order by sent.position
    ),
    '[]'
  )
  into listed
  from jsonb_array_elements(variants) with ordinality as sent (value, position)
  left join public.product_variants v
    on v.tenant_id = product.tenant_id and v.product_id = product.id and v.id = (sent.value ->> 'id')::uuid;

  select sent.position - 1 as index, sent.value -> 'sent_id' as id into problem
  from jsonb_array_elements(listed) with ordinality as sent (value, position)
  where sent.value ->> 'sent_id' is not null and (sent.value ->> 'is_new')::boolean
  order by sent.position
  limit 1;
  if found then
    perform private.refuse(
      'NOT_FOUND', 'The product has no such variant.', format('variants[%s].id', problem.index), problem.id
    );
  end if;
  select max(sent.position) - 1 as index, sent.value -> 'id' as id into problem
  from jsonb_array_elements(listed) with ordinality as sent (value, position)
  group by sent.value -> 'id'
  having count(*) > 1
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', 'This variant is there twice.', format('variants[%s].id', problem.index), problem.id
    );
  end if;
  perform private.refuse_repeated_variants(product, listed);
  return listed;
end
$$;
comment on function private.listed_variants is
  'The variants as they were sent, each with name, position, id, is_new and sent_id, the id that was sent. Refuses with NOT_FOUND or VALIDATION_ERROR an id that the product lacks or that is there twice, and repeated names or skus.';

create function private.write_variants(product public.products, listed jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  -- Two variants may swap their skus, so a sku that changes is removed first.
  update public.product_variants v
  set sku = null
  from jsonb_to_recordset(listed) as l (id uuid, sku text)
  where v.tenant_id = product.tenant_id
    and v.product_id = product.id
    and v.id = l.id
    and v.sku <> l.sku;

  begin
    update public.product_variants v
    set name = wanted.name, sku = wanted.sku, price = wanted.price, compare_at_price = wanted.compare_at_price,
        position = wanted.position
    from (
      select
        v.id,
        l.value ->> 'name' as name,
        case when l.value ? 'sku' then l.value ->> 'sku' else v.sku end as sku,
        private.wanted_price(l.value, v.price, product.price, false) as price,
        case when l.value ? 'compare_at_price' then (l.value ->> 'compare_at_price')::numeric else v.compare_at_price end
          as compare_at_price,
        (l.value ->> 'position')::integer as position
      from jsonb_array_elements(listed) as l (value)
      join public.product_variants v
        on v.tenant_id = product.tenant_id and v.product_id = product.id and v.id = (l.value ->> 'id')::uuid
    ) as wanted
    where v.id = wanted.id
      and (v.name, v.sku, v.price, v.compare_at_price, v.position)
        is distinct from (wanted.name, wanted.sku, wanted.price, wanted.compare_at_price, wanted.position);

    insert into public.product_variants (id, product_id, name, sku, price, compare_at_price, position)
    select
      (l.value ->> 'id')::uuid, product.id, l.value ->> 'name', l.value ->> 'sku',
      private.wanted_price(l.value, null, product.price, true), (l.value ->> 'compare_at_price')::numeric,
      (l.value ->> 'position')::integer
    from jsonb_array_elements(listed) as l (value)
    where (l.value ->> 'is_new')::boolean;
  exception
    when unique_violation then
      perform private.refuse_taken_sku(product, listed);
      raise;
  end;
end
$$;
comment on function private.write_variants is
  'Changes the variants of a product that the list has with their id, and inserts its new ones. Refuses a sku that is taken.';

create function private.replace_variants(product public.products, variants jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  listed jsonb := private.listed_variants(product, variants);
begin
  begin
    delete from public.product_variants v
    where v.tenant_id = product.tenant_id
      and v.product_id = product.id
      and not listed @> jsonb_build_array(jsonb_build_object('id', v.id));
  exception
    when foreign_key_violation then
      perform private.refuse(
        'CONFLICT', 'A variant that was ordered cannot be removed. Rename it instead.', 'variants', variants
      );
  end;
  perform private.write_variants(product, listed);

  perform private.explain_stock_change('opening');
  update public.inventory i
  set quantity = (l.inventory ->> 'quantity')::integer
  from jsonb_to_recordset(listed) as l (id uuid, is_new boolean, inventory jsonb)
  where i.product_id = product.id
    and i.variant_id = l.id
    and l.is_new
    and (l.inventory ->> 'quantity')::integer <> 0;
end
$$;
comment on function private.replace_variants is
  'Makes the variants of a product those of a checked list: variants with a listed id are changed, new ones are inserted, the others are deleted.';

create function public.update_product(product_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  was public.products;
  changed public.products;
  fixed text;
begin
  perform private.require_permission('products.write', 'Your role may not change products.');

  select p.* into was
  from public.products p
  where p.id = product_id
  for no key update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  elsif not private.is_unchanged(was.updated_at, changes) then
    perform private.refuse_outdated('product', changes);
  end if;

  changed := jsonb_populate_record(was, changes - 'updated_at');
  select min(f.name) into fixed
  from unnest(array['marketplace_id', 'supplier_id', 'currency', 'kind']) as f (name)
  where to_jsonb(changed) -> f.name is distinct from to_jsonb(was) -> f.name;
  if fixed is not null then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s of a product cannot change.', fixed), fixed, changes -> fixed
    );
  end if;

  -- It may be inactive already, only because its supplier may not sell now. A record that is sent back says nothing new.
  if changes - 'updated_at' = '{"status": "inactive"}' then
    perform private.keep_withheld(was.id, was.tenant_id);
  end if;
  if changes ? 'variants' then
    -- Its price may rise before what its variants are compared with.
    set constraints public.products_check_compared_prices deferred;
  end if;
  -- Triggers refuse changes of a discontinued product, also if only its variants would change.
  if changed is distinct from was or was.status = 'discontinued' then
    execute format(
      'update public.products p set (%1$s) = (select %1$s from (select ($1).*) as c) where p.id = $2',
      private.product_columns('update')
    )
    using changed, was.id;
  end if;
  if changes ? 'variants' then
    perform private.check_variants(changed, changes -> 'variants');
    perform private.replace_variants(was, changes -> 'variants');
    set constraints public.products_check_compared_prices immediate;
  end if;
  return (select private.shown_record(to_jsonb(r)) || private.review_of(r.id) from private.product_records r where r.id = product_id);
end
$$;
comment on function public.update_product is
  'Changes a product and returns its whole record. Fields that are not sent do not change; a new name keeps the slug. variants replace the whole list, by id. Refuses with CONFLICT if updated_at is sent and differs from the product''s.';

create function public.delete_product(product_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform 1 from public.product_details d where d.id = product_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  end if;
  -- Stock is locked before products, in the same order as in orders, which prevents deadlocks.
  perform 1 from public.inventory i where i.product_id = delete_product.product_id order by i.id for update;
  delete from public.products p where p.id = product_id;
end
$$;
comment on function public.delete_product is
  'Deletes a product. A product that was ordered before becomes discontinued: it is in no list and cannot be read.';

create function private.managed_product(product_id uuid, permission text) returns public.products
language plpgsql stable security definer set search_path = ''
as $$
declare
  managed public.products;
begin
  select * into managed
  from public.products p
  where p.tenant_id = private.tenant_id()
    and p.id = managed_product.product_id
    and private.is_shown_to(
      (select private.reach('products.read')), (select private.supplier_id()), (select private.active_marketplace_ids()),
      p.supplier_id, p.marketplace_id, p.status
    );
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  elsif private.scope(permission) is null then
    perform private.refuse('FORBIDDEN', 'Only the supplier of the product and admins may do this.');
  end if;
  return managed;
end
$$;
comment on function private.managed_product is
  'A product that the caller manages: its supplier and admins, for reading also clients. Refuses with NOT_FOUND, FORBIDDEN.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_write_openings_when_listed
  after insert on public.products
  referencing new table as changed
  for each statement execute function private.write_changed_openings();

-- It runs after product_variants_touch_product, whose lock makes concurrent additions run one after another.
create trigger product_variants_weigh_when_added
  after insert on public.product_variants
  referencing new table as changed
  for each statement execute function private.bound_variants();

create trigger product_variants_weigh_when_changed
  after update on public.product_variants
  referencing old table as former new table as changed
  for each statement execute function private.bound_variants();

create trigger products_write_openings_when_changed
  after update on public.products
  referencing new table as changed
  for each statement execute function private.write_changed_openings();

-- policies -------------------------------------------------------------------------------------

alter table private.product_openings enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select on
  public.product_details, private.product_records, private.product_rows, private.product_suppliers, private.all_variants,
  private.product_stocks
  to authenticated, service_role;
grant execute on function
  private.refuse_repeated_variants, private.check_variants, private.refuse_taken_sku, private.listed_variants,
  private.write_variants, private.replace_variants, private.write_opening_stock, private.wanted_price, private.shown_record
  to authenticated, service_role;
grant execute on function private.managed_product to authenticated;
grant execute on function
  public.get_product, public.get_product_by_slug, public.create_product, public.update_product, public.delete_product
to authenticated;
