-- Made from supabase/schemas and supabase/reference by `npm run db -- migration`. Do not edit.

-- supabase/schemas/catalog/0414_product_records.sql

-- The record of a product in the form of the API, and its creation, change and deletion.

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
select v.tenant_id, v.product_id, v.id, v.name, v.sku, v.price, v.position, i.quantity, i.reserved
from public.product_variants v
join public.inventory i on i.tenant_id = v.tenant_id and i.product_id = v.product_id and i.variant_id = v.id;
comment on view private.all_variants is 'All variants with their stock. Joined only to products that the caller sees.';

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
  ) as inventory
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
  -- A record is the product's row and at most 200 variants of at most 2,970 bytes (455 characters of six bytes each, as
  -- JSON writes control characters, and the rest of the variant). Variants are measured only if the row leaves less space.
  perform private.bound_record(
    octet_length(o.opening) + coalesce(octet_length(to_json(p.description_html)::text), 0) + v.bytes, 1,
    'The product is too large. Shorten its description, images, attributes or variants.'
  )
  from public.products p
  join private.product_openings o on o.product_id = p.id and o.tenant_id = p.tenant_id
  cross join lateral (
    select coalesce(
      sum(octet_length(to_json(v.name)::text) + coalesce(octet_length(to_json(v.sku)::text), 4) + 240), 0
    ) as bytes
    from public.product_variants v
    where v.tenant_id = o.tenant_id and v.product_id = o.product_id
  ) as v
  where p.id = any (ids)
    -- Reduced HTML has no control characters, and so at most two bytes of JSON for one.
    and octet_length(o.opening) + 2 * coalesce(octet_length(p.description_html), 0) > private.cap('record_bytes') - 200 * 2970;
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
  perform private.bound_products(affected);
  return null;
end
$$;
comment on function private.bound_variants() is
  'Statement trigger: refuses more than 200 variants of a product, and products whose records exceed the cap record_bytes.';

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
  return (select private.shown_record(to_jsonb(d))::json from public.product_details d where d.id = product_id);
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
      select private.shown_record(
        to_jsonb(d) || case when former then jsonb_build_object('moved_to', d.slug) else '{}' end
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
      -- The stock of an existing variant is ignored.
      (5, not product.track_inventory
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
  'Refuses an invalid list of variants: too many, an invalid name or sku, a price with too many decimals, or a quantity for a product without a stock. Names the variant.';

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
  description_html text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  created public.products;
  listed jsonb;
begin
  insert into public.products
    (name, price, description, description_html, currency, marketplace_id, supplier_id, category_id, external_id, kind,
     track_inventory, status, images, attributes, physical, template_id, slug)
  values (
    create_product.name, create_product.price, create_product.description, create_product.description_html,
    create_product.currency,
    coalesce(create_product.marketplace_id, private.sole_marketplace_id()),
    coalesce(create_product.supplier_id, private.supplier_id()),
    create_product.category_id, create_product.external_id, create_product.kind,
    coalesce(create_product.track_inventory, create_product.kind = 'physical'), create_product.status,
    create_product.images, create_product.attributes, create_product.physical, create_product.template_id,
    create_product.slug
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
      insert into public.product_variants (id, product_id, name, sku, price, position)
      select
        (v.value ->> 'id')::uuid, created.id, v.value ->> 'name', v.value ->> 'sku',
        private.wanted_price(v.value, null, created.price, true), (v.value ->> 'position')::integer
      from jsonb_array_elements(listed) as v (value);
    exception
      when unique_violation then
        perform private.refuse_taken_sku(created, listed);
        raise;
    end;
  end if;

  perform private.write_opening_stock(created.id, create_product.inventory, listed);
  return (select private.shown_record(to_jsonb(r)) from private.product_records r where r.id = created.id);
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
    set name = wanted.name, sku = wanted.sku, price = wanted.price, position = wanted.position
    from (
      select
        v.id,
        l.value ->> 'name' as name,
        case when l.value ? 'sku' then l.value ->> 'sku' else v.sku end as sku,
        private.wanted_price(l.value, v.price, product.price, false) as price,
        (l.value ->> 'position')::integer as position
      from jsonb_array_elements(listed) as l (value)
      join public.product_variants v
        on v.tenant_id = product.tenant_id and v.product_id = product.id and v.id = (l.value ->> 'id')::uuid
    ) as wanted
    where v.id = wanted.id
      and (v.name, v.sku, v.price, v.position) is distinct from (wanted.name, wanted.sku, wanted.price, wanted.position);

    insert into public.product_variants (id, product_id, name, sku, price, position)
    select
      (l.value ->> 'id')::uuid, product.id, l.value ->> 'name', l.value ->> 'sku',
      private.wanted_price(l.value, null, product.price, true), (l.value ->> 'position')::integer
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
  if coalesce(private.tenant_role() not in ('admin', 'supplier'), true) then
    perform private.refuse('FORBIDDEN', 'Your role may not change products.');
  end if;

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
  end if;
  return (select private.shown_record(to_jsonb(r)) from private.product_records r where r.id = product_id);
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

create function private.managed_product(product_id uuid, reading boolean default false) returns public.products
language plpgsql stable security definer set search_path = ''
as $$
declare
  caller public.member_role := private.tenant_role();
  managed public.products;
begin
  select * into managed
  from public.products p
  where p.tenant_id = private.tenant_id()
    and p.id = managed_product.product_id
    and private.is_shown_to(
      caller, (select private.supplier_id()), (select private.active_marketplace_ids()),
      p.supplier_id, p.marketplace_id, p.status
    );
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  elsif (caller in ('admin', 'supplier') or reading and private.reads_all(caller)) is not true then
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
  referencing new table as changed
  for each statement execute function private.bound_variants();

create trigger products_write_openings_when_changed
  after update on public.products
  referencing new table as changed
  for each statement execute function private.write_changed_openings();

-- policies -------------------------------------------------------------------------------------

alter table private.product_openings enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select on
  public.product_details, private.product_records, private.product_rows, private.all_variants, private.product_stocks
  to authenticated, service_role;
grant execute on function
  private.refuse_repeated_variants, private.check_variants, private.refuse_taken_sku, private.listed_variants,
  private.write_variants, private.replace_variants, private.write_opening_stock, private.wanted_price, private.shown_record
  to authenticated, service_role;
grant execute on function private.managed_product to authenticated;
grant execute on function
  public.get_product, public.get_product_by_slug, public.create_product, public.update_product, public.delete_product
to authenticated;

-- supabase/schemas/inventory/0450_inventory.sql

-- Inventory: the stock, and the ledger with one row for each change of stock and its reason.

create type public.inventory_reason as enum (
  'opening', 'set', 'add', 'subtract', 'reserve', 'release', 'ship', 'void', 'return', 'import', 'licence_keys', 'removal'
);

-- tables ---------------------------------------------------------------------------------------

alter table public.inventory
  add column low_stock_threshold integer not null default 0,
  add constraint inventory_low_stock_threshold_is_not_negative check (low_stock_threshold >= 0);
comment on column public.inventory.low_stock_threshold is
  'The stock is low at or below this number of available pieces. 0 switches the warning off.';

-- Movements have numbers, because two may have the same timestamp. For each stock, the order of the numbers is the
-- order of the changes, also after a tenant has moved to another database: see private.continue_numbers.
create table public.inventory_movements (
  tenant_id uuid not null,
  id bigint generated always as identity,
  product_id uuid not null,
  variant_id uuid,
  reason public.inventory_reason not null,
  quantity_change integer not null,
  reserved_change integer not null,
  quantity integer not null,
  reserved integer not null,
  note text,
  order_id uuid,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint inventory_movements_pkey primary key (tenant_id, id),
  constraint inventory_movements_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint inventory_movements_note_is_at_most_2000_characters check (char_length(note) <= 2000)
);
comment on table public.inventory_movements is
  'The ledger of stock: every change of the stock of a product or variant, with its reason, its user, and the stock after it. The sum of all changes is the current stock. Rows are only added, and are deleted with their product.';

-- indexes --------------------------------------------------------------------------------------

create index inventory_movements_product_idx on public.inventory_movements (tenant_id, product_id, id);
create index inventory_movements_order_idx on public.inventory_movements (tenant_id, order_id)
  where order_id is not null;
-- Only columns that rarely change: an index on quantities would be written at every order.
create index inventory_low_stock_threshold_idx on public.inventory (tenant_id, product_id)
  where low_stock_threshold > 0;

-- functions ------------------------------------------------------------------------------------

create function private.record_movement() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  change jsonb := nullif(current_setting('souk.stock_change', true), '');
  why public.inventory_reason :=
    coalesce(change ->> 'reason', case tg_op when 'INSERT' then 'opening' else 'set' end)::public.inventory_reason;
begin
  case tg_op
    when 'DELETE' then
      -- A removed variant also removes its stock, which is a movement. If the product itself is deleted, so is its ledger.
      insert into public.inventory_movements
        (tenant_id, product_id, variant_id, reason, quantity_change, reserved_change, quantity, reserved, actor_id)
      select o.tenant_id, o.product_id, o.variant_id, 'removal', -o.quantity, -o.reserved, 0, 0, auth.uid()
      from old_inventory o
      where (o.quantity <> 0 or o.reserved <> 0)
        and (select true from public.products p where p.tenant_id = o.tenant_id and p.id = o.product_id);
    when 'INSERT' then
      insert into public.inventory_movements
        (tenant_id, product_id, variant_id, reason, quantity_change, reserved_change, quantity, reserved,
         note, order_id, actor_id)
      select
        n.tenant_id, n.product_id, n.variant_id, why, n.quantity, n.reserved, n.quantity, n.reserved,
        change ->> 'note', (change ->> 'order_id')::uuid, (select auth.uid())
      from new_inventory n
      where n.quantity <> 0 or n.reserved <> 0;
    else
      insert into public.inventory_movements
        (tenant_id, product_id, variant_id, reason, quantity_change, reserved_change, quantity, reserved,
         note, order_id, actor_id)
      select
        n.tenant_id, n.product_id, n.variant_id, why, n.quantity - o.quantity, n.reserved - o.reserved,
        n.quantity, n.reserved, change ->> 'note', (change ->> 'order_id')::uuid, (select auth.uid())
      from new_inventory n
      join old_inventory o on o.id = n.id
      where n.quantity <> o.quantity or n.reserved <> o.reserved;
  end case;
  return null;
end
$$;
comment on function private.record_movement() is 'Statement trigger: records every change of stock in the ledger.';

create function private.keep_the_ledger() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse('FORBIDDEN', 'The ledger cannot change. Correct the stock instead, which adds a movement.');
  return null;
end
$$;
comment on function private.keep_the_ledger() is 'Trigger: refuses every change, for all roles.';

create function private.check_count() returns trigger
language plpgsql set search_path = ''
as $$
declare
  change jsonb := nullif(current_setting('souk.stock_change', true), '');
begin
  perform private.refuse(
    'INSUFFICIENT_INVENTORY',
    case when new.reserved > 0
      then format('The stock must be at least %s, which orders have reserved.', new.reserved)
      else 'The stock must be at least 0.'
    end,
    'quantity',
    to_jsonb(case change ->> 'reason' when 'subtract' then old.quantity - new.quantity else new.quantity end)
  );
  return null;
end
$$;
comment on function private.check_count() is
  'Row trigger: refuses with INSUFFICIENT_INVENTORY a stock below the pieces that orders have reserved.';

create function private.sell_out_on_return() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The status of an inactive product does not follow its stock. A product that never had a piece is not sold out.
  if exists (
      select 1 from public.inventory_movements m where m.tenant_id = new.tenant_id and m.product_id = new.id
    )
    and (
      select s.quantity = s.reserved
      from private.product_stocks s
      where s.tenant_id = new.tenant_id and s.product_id = new.id
    )
  then
    new.status := 'out_of_stock';
  end if;
  return new;
end
$$;
comment on function private.sell_out_on_return() is
  'Row trigger: a product with a stock that becomes active without available pieces becomes out_of_stock.';

create function private.check_stock_change(
  product_id uuid, quantity integer, operation text, variant_id uuid, low_stock_threshold integer
) returns void
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  target record;
begin
  select
    p.track_inventory,
    exists (
      select 1 from public.product_variants v where v.tenant_id = p.tenant_id and v.product_id = p.id
    ) as has_variants
  into target
  from public.products p
  where p.id = check_stock_change.product_id and p.status <> 'discontinued';
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  elsif check_stock_change.quantity is null and check_stock_change.low_stock_threshold is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'quantity is required without a low_stock_threshold.', 'quantity', 'null'
    );
  elsif check_stock_change.quantity < 0 then
    perform private.refuse(
      'VALIDATION_ERROR', 'quantity must be at least 0.', 'quantity', to_jsonb(check_stock_change.quantity)
    );
  -- There is no default: a caller that forgot `add` would overwrite the count.
  elsif coalesce(check_stock_change.operation, case when check_stock_change.quantity is null then 'set' end)
    in ('set', 'add', 'subtract') is not true
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'operation must be set, add or subtract.', 'operation', to_jsonb(check_stock_change.operation)
    );
  elsif not target.track_inventory then
    perform private.refuse(
      'VALIDATION_ERROR', 'This product keeps no stock. Leave quantity out.', 'quantity', to_jsonb(check_stock_change.quantity)
    );
  elsif target.has_variants and check_stock_change.variant_id is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'variant_id is required: each variant of this product has its own stock.', 'variant_id', 'null'
    );
  end if;
end
$$;
comment on function private.check_stock_change is
  'Refuses a change of stock that the product does not take: NOT_FOUND, VALIDATION_ERROR on quantity, operation or variant_id.';

create function public.change_inventory(
  product_id uuid,
  quantity integer default null,
  operation text default null,
  variant_id uuid default null,
  note text default null,
  low_stock_threshold integer default null
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  changed public.inventory;
begin
  if coalesce(private.tenant_role() not in ('admin', 'supplier'), true) then
    perform private.refuse('FORBIDDEN', 'Your role may not change inventory.');
  end if;

  perform private.check_stock_change(
    change_inventory.product_id, change_inventory.quantity, change_inventory.operation, change_inventory.variant_id,
    change_inventory.low_stock_threshold
  );

  perform private.explain_stock_change(coalesce(change_inventory.operation, 'set'), change_inventory.note);
  begin
    update public.inventory i
    set quantity = case
          when change_inventory.quantity is null then i.quantity
          when change_inventory.operation = 'add' then i.quantity + change_inventory.quantity
          when change_inventory.operation = 'subtract' then i.quantity - change_inventory.quantity
          else change_inventory.quantity
        end,
        low_stock_threshold = coalesce(change_inventory.low_stock_threshold, i.low_stock_threshold)
    where i.product_id = change_inventory.product_id
      and i.variant_id is not distinct from change_inventory.variant_id
    returning * into changed;
  exception
    when numeric_value_out_of_range then
      perform private.refuse(
        'VALIDATION_ERROR', 'The stock must be at most 2147483647 pieces.',
        'quantity', to_jsonb(change_inventory.quantity)
      );
  end;
  if changed.id is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such variant.', 'variant_id', to_jsonb(change_inventory.variant_id)
    );
  end if;

  return jsonb_build_object(
    'product_id', changed.product_id, 'variant_id', changed.variant_id, 'quantity', changed.quantity,
    'reserved', changed.reserved, 'available', changed.quantity - changed.reserved,
    'low_stock_threshold', changed.low_stock_threshold
  );
end
$$;
comment on function public.change_inventory is
  'Sets, adds to or subtracts from the stock of a product or a variant, as the operation says, which is required with a quantity. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, INSUFFICIENT_INVENTORY. Returns the stock after the change.';

create function private.inventory_query(key text, direction text, conditions text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- A product with variants is sold by them, so its own row is listed only if it has pieces.
  return $query$
    with found as materialized (
      select i.id, $query$ || key || $query$ as key
      from public.inventory i
      join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
      where i.tenant_id = $1
        and p.track_inventory
        and p.status <> 'discontinued'
        and (
          i.variant_id is not null
          or i.quantity > 0
          or (
            select true from public.product_variants v
            where v.tenant_id = i.tenant_id and v.product_id = i.product_id
            limit 1
          ) is null
        )
    $query$
    || conditions || $query$
    ),
    shown as (
      select f.id, row_number() over (order by f.key $query$ || direction || $query$, f.id) as position
      from found f
      order by f.key $query$ || direction || $query$, f.id
      offset $4 limit $5
    )
    select jsonb_build_object(
      'inventory', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', i.id, 'product_id', i.product_id, 'variant_id', i.variant_id, 'product_name', p.name,
              'variant_name', v.name, 'sku', v.sku, 'marketplace_id', p.marketplace_id,
              'supplier_id', p.supplier_id, 'status', p.status, 'quantity', i.quantity, 'reserved', i.reserved,
              'available', i.quantity - i.reserved, 'low_stock_threshold', i.low_stock_threshold,
              'low_stock', i.low_stock_threshold > 0 and i.quantity - i.reserved <= i.low_stock_threshold,
              'updated_at', i.updated_at
            )
            order by s.position
          ),
          '[]'
        )
        from shown s
        join public.inventory i on i.id = s.id
        join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
        left join public.product_variants v on v.tenant_id = i.tenant_id and v.product_id = i.product_id and v.id = i.variant_id
      ),
      'total', (select count(*) from found)
    )
  $query$;
end
$$;
comment on function private.inventory_query is
  'The text of the query for a page of stock. key: the expression to sort by; direction: asc or desc; conditions: SQL that begins with and. Its parameters: tenant, product, marketplace, offset and limit.';

create function public.list_inventory(
  product_id uuid default null,
  marketplace_id uuid default null,
  low_stock boolean default null,
  sort text default 'updated_at',
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  key text := case sort
    when 'available' then 'i.quantity - i.reserved'
    when 'quantity' then 'i.quantity'
    when 'name' then 'private.sort_name(p.name) collate "C"'
    else 'i.updated_at'
  end;
  answer jsonb;
begin
  if not (private.reads_all() or coalesce(private.tenant_role() = 'supplier', false)) then
    perform private.refuse('FORBIDDEN', 'Your role may not read inventory.');
  end if;

  execute private.inventory_query(
    key, direction,
    case when list_inventory.product_id is null then '' else ' and i.product_id = $2' end
    || case when list_inventory.marketplace_id is null then '' else ' and p.marketplace_id = $3' end
    || case list_inventory.low_stock
         when true then ' and i.low_stock_threshold > 0 and i.quantity - i.reserved <= i.low_stock_threshold'
         when false then ' and (i.low_stock_threshold = 0 or i.quantity - i.reserved > i.low_stock_threshold)'
         else ''
       end
  )
  into answer
  using
    private.tenant_id(), list_inventory.product_id, list_inventory.marketplace_id,
    (greatest(page, 1)::bigint - 1) * size, size;
  return answer;
end
$$;
comment on function public.list_inventory is
  'A page of the stock for admins, clients and, for their products, suppliers, with the total: one row for each product or variant that can be sold. Sorts by updated_at, available, quantity or name.';

create function public.list_inventory_movements(
  product_id uuid default null,
  variant_id uuid default null,
  order_id uuid default null,
  reason public.inventory_reason default null,
  since text default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  condition text := 'm.tenant_id = $1'
    || case when list_inventory_movements.product_id is null then '' else ' and m.product_id = $2' end
    || case when list_inventory_movements.variant_id is null then '' else ' and m.variant_id = $3' end
    || case when list_inventory_movements.order_id is null then '' else ' and m.order_id = $4' end
    || case when list_inventory_movements.reason is null then '' else ' and m.reason = $5' end
    || case when list_inventory_movements.since is null then '' else ' and m.created_at >= $6' end;
  answer jsonb;
begin
  if not (private.reads_all() or coalesce(private.tenant_role() = 'supplier', false)) then
    perform private.refuse('FORBIDDEN', 'Your role may not read inventory.');
  end if;

  execute $query$
    with shown as (
      select m.* from public.inventory_movements m
      where $query$ || condition || $query$
      order by m.id $query$ || direction || $query$
      offset $7 limit $8
    )
    select jsonb_build_object(
      'movements', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', m.id, 'product_id', m.product_id, 'variant_id', m.variant_id, 'product_name', p.name,
              'variant_name', v.name, 'sku', v.sku, 'reason', m.reason, 'quantity_change', m.quantity_change,
              'reserved_change', m.reserved_change, 'quantity', m.quantity, 'reserved', m.reserved,
              'note', m.note, 'order_id', m.order_id, 'actor_id', m.actor_id, 'created_at', m.created_at
            )
            order by m.id $query$ || direction || $query$
          ),
          '[]'
        )
        from shown m
        join public.products p on p.tenant_id = m.tenant_id and p.id = m.product_id
        left join public.product_variants v on v.tenant_id = m.tenant_id and v.product_id = m.product_id and v.id = m.variant_id
      ),
      'total', (select count(*) from public.inventory_movements m where $query$ || condition || $query$)
    )
  $query$
  into answer
  using
    private.tenant_id(), list_inventory_movements.product_id, list_inventory_movements.variant_id,
    list_inventory_movements.order_id, list_inventory_movements.reason,
    private.moment_of(list_inventory_movements.since, 'since'),
    (greatest(page, 1)::bigint - 1) * size, size;
  return answer;
end
$$;
comment on function public.list_inventory_movements is
  'A page of the ledger of stock, for admins, clients and, for their products, suppliers; newest first. since: a time with its offset, or a day of the tenant''s time zone.';

create function public.get_inventory(product_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  answer jsonb;
begin
  if not (private.reads_all() or coalesce(private.tenant_role() = 'supplier', false)) then
    perform private.refuse('FORBIDDEN', 'Your role may not read inventory.');
  end if;

  select jsonb_build_object(
    'product_id', p.id,
    'quantity', s.quantity,
    'reserved', s.reserved,
    'available', s.quantity - s.reserved,
    'stock', jsonb_agg(
      jsonb_build_object(
        'variant_id', i.variant_id, 'variant_name', v.name, 'sku', v.sku, 'quantity', i.quantity,
        'reserved', i.reserved, 'available', i.quantity - i.reserved,
        'low_stock_threshold', i.low_stock_threshold,
        'low_stock', i.low_stock_threshold > 0 and i.quantity - i.reserved <= i.low_stock_threshold,
        'updated_at', i.updated_at
      )
      order by v.position nulls first, v.id
    ),
    -- The ledger has the pieces that an order has reserved and neither released nor shipped.
    'reservations', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'order_id', r.order_id, 'variant_id', r.variant_id, 'quantity', r.quantity, 'since', r.since
          )
          order by r.since, r.order_id
        ),
        '[]'
      )
      from (
        select m.order_id, m.variant_id, sum(m.reserved_change) as quantity, min(m.created_at) as since
        from public.inventory_movements m
        where m.tenant_id = p.tenant_id and m.product_id = p.id and m.order_id is not null
        group by m.order_id, m.variant_id
        having sum(m.reserved_change) > 0
        order by since, m.order_id
        limit 1000
      ) as r
    )
  )
  into answer
  from public.products p
  join private.product_stocks s on s.tenant_id = p.tenant_id and s.product_id = p.id
  join public.inventory i on i.tenant_id = p.tenant_id and i.product_id = p.id
  left join public.product_variants v on v.tenant_id = i.tenant_id and v.product_id = i.product_id and v.id = i.variant_id
  where p.id = get_inventory.product_id and p.status <> 'discontinued'
  group by p.tenant_id, p.id, s.quantity, s.reserved;
  if answer is null then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  end if;
  return answer;
end
$$;
comment on function public.get_inventory is
  'The stock of a product and of each variant, and the reservations of orders (at most the oldest 1000).';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.inventory_movements
  for each row execute function private.keep_nfc();

create trigger inventory_is_changed_by_admins_and_suppliers
  before insert or update or delete on public.inventory
  for each statement execute function private.only_for('admin', 'supplier');

create trigger inventory_check_count
  before insert or update of quantity, reserved on public.inventory
  for each row when (new.quantity < greatest(new.reserved, 0))
  execute function private.check_count();

create trigger inventory_record_opening
  after insert on public.inventory
  referencing new table as new_inventory
  for each statement
  execute function private.record_movement();

create trigger inventory_record_movement
  after update on public.inventory
  referencing old table as old_inventory new table as new_inventory
  for each statement
  execute function private.record_movement();

create trigger inventory_record_removal
  after delete on public.inventory
  referencing old table as old_inventory
  for each statement
  execute function private.record_movement();

create trigger inventory_movements_never_change
  before update or truncate on public.inventory_movements
  for each statement execute function private.keep_the_ledger();

-- At a trigger depth above 0, a foreign key deletes the rows together with their product.
create trigger inventory_movements_are_never_deleted
  before delete on public.inventory_movements
  for each row when (pg_trigger_depth() = 0) execute function private.keep_the_ledger();

create trigger products_sell_out_on_return
  before update of status on public.products
  for each row when (old.status = 'inactive' and new.status = 'active' and new.track_inventory)
  execute function private.sell_out_on_return();

-- policies -------------------------------------------------------------------------------------

alter table public.inventory_movements enable row level security;

create policy "Admins and clients read the ledger, suppliers that of their products" on public.inventory_movements
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then (select true from public.products p where p.id = product_id)
      else (select private.reads_all())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant update (low_stock_threshold) on public.inventory to authenticated;
grant select on public.inventory_movements to authenticated, service_role;
revoke insert, update, delete, truncate on public.inventory_movements from service_role;
grant execute on function
  private.check_stock_change, private.inventory_query, public.change_inventory, public.list_inventory,
  public.list_inventory_movements, public.get_inventory
to authenticated;

-- supabase/schemas/imports/0455_spreadsheets.sql

-- What spreadsheets make of codes when they open a CSV file and save it again: 00123 becomes 123, 12345678901234567890
-- becomes 1.23E+19, and 1-2 becomes a date. Imports ask before they store such a text in place of the original.
--
-- A code is a stored text, a cell the text of a file. The group of a code is a number; a cell has the ranges of the groups of
-- all codes that it may have been. So an index on groups finds these codes.

-- functions: dates -----------------------------------------------------------------------------

create function private.month_number(word text) returns integer
language plpgsql immutable strict set search_path = ''
as $$
declare
  months constant text[] := string_to_array(
    'january february march april may june july august september october november december '
    'januar februar märz april mai juni juli august september oktober november dezember '
    'يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر',
    ' '
  );
begin
  -- Most words are no month, and each code of a product is examined.
  if word !~* '^(jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|ينا|فبر|مار|أبر|ماي|يون|يول|أغس|سبت|أكت|نوف|ديس)' then
    return null;
  end if;
  return (
    select min((m.position - 1) % 12 + 1)
    from unnest(months) with ordinality as m (name, position)
    where starts_with(m.name, replace(lower(word), 'mrz', 'mär'))
  );
end
$$;
comment on function private.month_number is
  'The month of a name in English, German or Arabic, which may be shortened to three letters; null if it is none.';

create function private.date_group(variadic parts integer[]) returns numeric
language plpgsql immutable set search_path = ''
as $$
declare
  -- Languages order the parts of dates differently, and years have two digits or four.
  sorted integer[] := array(select p.part % 100 from unnest(parts) as p (part) order by 1);
begin
  if (
    select bool_or(p.part between 1 and 12) and count(*) filter (where p.part between 1 and 31) >= cardinality(parts) - 1
    from unnest(sorted) as p (part)
  ) then
    -- Below all numbers that are codes, so that the groups of numbers and dates differ.
    return -1e12 - (sorted[1] + 100 * sorted[2] + 10000 * (coalesce(sorted[3], -1) + 1));
  end if;
  return null;
end
$$;
comment on function private.date_group is
  'The group of codes that are read as a date of these parts: day and month, month and year, or all three; null if they are no date.';

create function private.date_ranges(day integer, month integer, year integer default null) returns numrange[]
language plpgsql immutable set search_path = ''
as $$
begin
  return array(
    select numrange(g.number, g.number, '[]')
    from unnest(array[
      private.date_group(day, month),
      -- 1.2 is a date, too, if the decimal separator is a comma.
      format('%s.%s', day, month)::numeric, format('%s.%s', month, day)::numeric,
      format('%s.%s', day, lpad(month::text, 2, '0'))::numeric, format('%s.%s', month, lpad(day::text, 2, '0'))::numeric,
      case when year is not null then private.date_group(day, month, year) end,
      -- Month and year are the first day of that month.
      case when day = 1 then private.date_group(month, year) end, case when month = 1 then private.date_group(day, year) end
    ]) as g (number)
    where g.number is not null
  );
end
$$;
comment on function private.date_ranges is
  'The groups of codes from which a spreadsheet makes a date. Day and month may be swapped.';

create function private.date_cell_ranges(cell text) returns numrange[]
language plpgsql immutable set search_path = ''
as $$
declare
  parts text[];
begin
  -- 2-Jan, 02. Jan, 2-Jan-26
  parts := regexp_match(cell, '^([0-9]{1,2})[-. ]{1,2}([^-/. 0-9]{3,9})(?:[-. ]{1,2}([0-9]{2}|[0-9]{4}))?$');
  if private.month_number(parts[2]) is not null then
    return private.date_ranges(parts[1]::integer, private.month_number(parts[2]), parts[3]::integer);
  end if;
  -- Jan-26
  parts := regexp_match(cell, '^([^-/. 0-9]{3,9})[- ]([0-9]{2}|[0-9]{4})$');
  if private.month_number(parts[1]) is not null then
    return private.date_ranges(1, private.month_number(parts[1]), parts[2]::integer);
  end if;
  -- 1/2/2026, 02.01.26
  parts := regexp_match(cell, '^([0-9]{1,2})([/.])([0-9]{1,2})\2([0-9]{2}|[0-9]{4})$');
  if parts is not null then
    return private.date_ranges(parts[1]::integer, parts[3]::integer, parts[4]::integer);
  end if;
  -- 02-01-2026
  parts := regexp_match(cell, '^([0-9]{1,2})-([0-9]{1,2})-([0-9]{4})$');
  if parts is not null then
    return private.date_ranges(parts[1]::integer, parts[2]::integer, parts[3]::integer);
  end if;
  -- 2026-01-02
  parts := regexp_match(cell, '^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})$');
  if parts is not null then
    return private.date_ranges(parts[3]::integer, parts[2]::integer, parts[1]::integer);
  end if;
  return '{}'::numrange[];
end
$$;
comment on function private.date_cell_ranges is
  'The groups of the codes of which a spreadsheet may make this text because it read them as a date.';

create function private.serial_ranges(cell text) returns numrange[]
language plpgsql immutable set search_path = ''
as $$
declare
  day date;
begin
  if cell !~ '^[1-9][0-9]{4}$' then
    return '{}'::numrange[];
  end if;
  -- Day 1 is 1900-01-01, and spreadsheets count a 29 February of that year.
  day := date '1899-12-30' + cell::integer;
  return private.date_ranges(
    extract(day from day)::integer, extract(month from day)::integer, extract(year from day)::integer
  );
end
$$;
comment on function private.serial_ranges is
  'The groups of the codes that a spreadsheet read as the date with this number of days.';

-- functions: codes and cells -------------------------------------------------------------------

create function private.code_group(code text) returns numeric
language plpgsql immutable strict set search_path = ''
as $$
declare
  parts text[];
begin
  if char_length(code) > 100 then
    return null;
  elsif code ~* '^[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[+-]?[0-9]{1,2})?$' then
    return replace(code, ',', '.')::numeric;
  end if;
  parts := regexp_match(code, '^([0-9]{1,2}|[0-9]{4})([-/.])([0-9]{1,2}|[0-9]{4})(?:\2([0-9]{1,2}|[0-9]{4})?)?$');
  if parts is not null then
    return private.date_group(
      variadic array_remove(array[parts[1]::integer, parts[3]::integer, parts[4]::integer], null)
    );
  end if;
  -- 1-MAR, MAR1, MAR 2024, 1.MAR.2024
  parts := regexp_match(code, '^([0-9]{1,2})?[-/. ]*([^-/. 0-9]{3,9})[-/. ]*([0-9]{1,2}|[0-9]{4})?$');
  if num_nonnulls(parts[1], parts[3]) > 0 and private.month_number(parts[2]) is not null then
    return private.date_group(
      variadic array_remove(array[parts[1]::integer, private.month_number(parts[2]), parts[3]::integer], null)
    );
  end if;
  return null;
end
$$;
comment on function private.code_group is
  'A number for a code that a spreadsheet reads as a number or as a date. Codes of which it may make the same text have close numbers. null for all other codes.';

create function private.cell_ranges(cell text) returns numrange[]
language plpgsql immutable strict set search_path = ''
as $$
declare
  parts text[];
  number numeric;
  unit numeric := 0;
begin
  if char_length(cell) > 100 then
    return '{}'::numrange[];
  end if;
  parts := regexp_match(cell, '^-?(0|[1-9][0-9]*)([.,][0-9]*[1-9])?$');
  if parts is not null then
    number := private.code_group(cell);
    -- A spreadsheet keeps 15 digits, other programs 17.
    unit := case
      when substr(parts[1], 16) ~ '^0+$' then format('1e%s', char_length(parts[1]) - 15)::numeric
      when substr(parts[1], 18) ~ '^0+$' then format('1e%s', char_length(parts[1]) - 17)::numeric
      else 0
    end;
    -- More digits were rounded or cut off.
    return array[numrange(number - unit / 2, number + unit, case unit when 0 then '[]' else '[)' end)];
  end if;
  parts := regexp_match(cell, '^[0-9](?:[.,]([0-9]+))?e([+-][0-9]{2,3})$', 'i');
  if parts is not null then
    number := replace(cell, ',', '.')::numeric;
    unit := format('1e%s', parts[2]::integer - char_length(coalesce(parts[1], '')))::numeric;
    return array[numrange(greatest(number - unit / 2, number * 0.95), number + unit, '[)')];
  end if;
  return private.date_cell_ranges(regexp_replace(cell, '[ T]0?0:00(:00)?$', ''));
end
$$;
comment on function private.cell_ranges is
  'The groups of the codes of which a spreadsheet may make this text; empty if it makes it of none.';

create function private.is_saved_as(code text, cell text) returns boolean
language plpgsql immutable strict set search_path = ''
as $$
begin
  return code <> cell and case
    -- The largest cell of a spreadsheet.
    when char_length(cell) between 32766 and 32767 then starts_with(code, cell)
    -- Characters that the encoding of a spreadsheet's file does not have.
    when strpos(cell, '?') > 0 then
      cell = regexp_replace(regexp_replace(code, '[\U00010000-\U0010FFFF]', '??', 'g'), '[^\u0001-\u007F]', '?', 'g')
    when cell in ('TRUE', 'WAHR', 'صواب') then lower(code) = 'true'
    when cell in ('FALSE', 'FALSCH', 'خطأ') then lower(code) = 'false'
    else exists (
      select from unnest(private.cell_ranges(cell) || private.serial_ranges(cell)) as r (span)
      where r.span @> private.code_group(code)
    )
  end;
end
$$;
comment on function private.is_saved_as is
  'Whether a spreadsheet that opens and saves a file may turn the text code into the text cell.';

create function private.changed_codes(stored jsonb, given jsonb)
returns table (place bigint, field text, code text, cell text)
language plpgsql immutable set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select 0::bigint, f.key, stored ->> f.key, f.value #>> '{}'
  from jsonb_each(given) as f
  where jsonb_typeof(f.value) in ('string', 'number') and jsonb_typeof(stored -> f.key) = 'string'
    and private.is_saved_as(stored ->> f.key, f.value #>> '{}')
  union all
  select g.position, format('attributes[%s].value', g.position - 1), s.value ->> 'value', g.value ->> 'value'
  from jsonb_path_query(given, '$.attributes[*]') with ordinality as g (value, position)
  join jsonb_array_elements(stored -> 'attributes') as s on s.value ->> 'name' = g.value ->> 'name'
  where coalesce(s.value ->> 'type' not in ('number', 'boolean'), true)
    and private.is_saved_as(s.value ->> 'value', g.value ->> 'value')
  union all
  -- A text that another variant has is that variant's.
  select g.position, format('variants[%s].%s', g.position - 1, f.key), s.value ->> f.key, f.value
  from jsonb_path_query(given, '$.variants[*]') with ordinality as g (value, position)
  cross join jsonb_each_text(case jsonb_typeof(g.value) when 'object' then g.value else '{}' end) as f
  join jsonb_array_elements(stored -> 'variants') as s
    on jsonb_typeof(s.value -> f.key) = 'string' and private.is_saved_as(s.value ->> f.key, f.value)
  where not stored -> 'variants' @> jsonb_build_array(jsonb_build_object(f.key, f.value))
  order by 1, 2;
end
$$;
comment on function private.changed_codes is
  'The texts of a given product that a spreadsheet may have made of those of the stored one, with their field.';

create function private.code_question(record text, code text, cell text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return format(
    '%s %s, which a spreadsheet may have changed to %s. Send the former, or accept_changed_codes=true if the latter is meant.',
    record, left(code, 60), left(cell, 60)
  );
end
$$;
comment on function private.code_question is 'What an import asks about a code that a spreadsheet may have changed.';

create function private.refused_questions(questions jsonb) returns jsonb
language sql immutable set search_path = ''
return (
  select coalesce(
    jsonb_agg(
      jsonb_build_object('line', q.value -> 'line')
        || private.refusal('VALIDATION_ERROR', q.value ->> 'message', q.value ->> 'field', q.value -> 'cell')
    ),
    '[]'
  )
  from jsonb_array_elements(questions) as q
);
comment on function private.refused_questions is 'The errors of lines about which an import asks, in the form of PostgREST.';

create function private.remarks_of(questions jsonb, others jsonb default '[]') returns jsonb
language sql immutable set search_path = ''
return (
  select case when count(*) = 0 then '{}' else jsonb_build_object('remarks', jsonb_agg(r.remark order by r.place)) end
  from (
    select 1 as place, q.value - array['position', 'cell'] || jsonb '{"code": "CODE_CHANGED"}' as remark
    from jsonb_array_elements(questions) as q
    union all
    select 2, o.value from jsonb_array_elements(others) as o
  ) as r
);
comment on function private.remarks_of is
  'The questions of an import, and other remarks, as its result has them: in remarks, with line, code, field and message; nothing without any.';

-- grants ---------------------------------------------------------------------------------------

-- The indexes compute them for whoever writes a row.
grant execute on function
  private.month_number, private.date_group, private.code_group
to authenticated, service_role;
grant execute on function
  private.date_ranges, private.date_cell_ranges, private.serial_ranges, private.cell_ranges, private.is_saved_as,
  private.changed_codes, private.code_question, private.refused_questions, private.remarks_of
to authenticated;

-- supabase/schemas/imports/0460_imports.sql

-- Imports of products, up to 1000 lines per request. Each line succeeds or fails by itself. An export has the format of
-- an import, so importing it again changes nothing.

-- A line of an import with the product that it matches. current: that product as a line; null if there is none.
-- changed: the names of the fields that differ. product_id and tracked: those of the matching product, or of the
-- created one.
create type private.import_line as (
  position bigint,
  line jsonb,
  current jsonb,
  changed text[],
  marketplace_id uuid,
  supplier_id uuid,
  product_id uuid,
  tracked boolean
);

-- indexes --------------------------------------------------------------------------------------

create index products_code_group_idx on public.products (tenant_id, private.code_group(external_id))
  where private.code_group(external_id) is not null;

-- functions ------------------------------------------------------------------------------------

-- Queries that look up rows here run through `execute`, which plans them for each call, once for hundreds of lines. A
-- cached plan from when the tenant had few rows would keep reading all of them.

create function private.product_lines(ids uuid[]) returns table (id uuid, line jsonb)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select
    p.id,
    to_jsonb(p) - array['tenant_id', 'brand', 'template_id', 'created_at', 'updated_at'] || jsonb_build_object(
      'quantity', case when p.track_inventory and v.variants is null then (
        select i.quantity from public.inventory i where i.product_id = p.id and i.variant_id is null
      ) end,
      'description_html', (select d.description_html from public.products d where d.id = p.id),
      'images', private.sent_images(p.images), 'variants', coalesce(v.variants, '[]')
    )
  from private.product_rows p
  cross join lateral (
    select jsonb_agg(
      jsonb_build_object(
        'name', v.name, 'sku', v.sku, 'price', v.price,
        'quantity', case when p.track_inventory then (
          select i.quantity from public.inventory i where i.product_id = p.id and i.variant_id = v.id
        ) end
      )
      order by v.position, v.id
    ) as variants
    from public.product_variants v
    where v.tenant_id = p.tenant_id and v.product_id = p.id
  ) as v
  where p.tenant_id = private.tenant_id() and p.id = any (ids);
end
$$;
comment on function private.product_lines is
  'Products in the format of imports and exports. The caller must have checked that the user may see them. quantity is null if variants hold the stock, or if no stock is kept.';

create function private.lock_stock_of_products(product_ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform 1
  from public.inventory i
  where i.tenant_id = private.tenant_id() and i.product_id = any (product_ids)
  order by i.id
  for update;
end
$$;
comment on function private.lock_stock_of_products is
  'Locks the inventory rows of products in the order of their ids. Every function that locks several rows uses this order, which prevents deadlocks.';

create function private.changed_fields(line jsonb, current jsonb) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select coalesce(array_agg(sent.key), '{}')
    from jsonb_each(line) as sent
    where sent.key <> 'line'
      -- Null means no change, except in fields that may be null.
      and (sent.value <> 'null' or sent.key in ('category_id', 'physical'))
      and case sent.key
        -- Stock moves a product between active and out_of_stock, so both count as active here.
        when 'status' then
          (case line ->> 'status' when 'out_of_stock' then 'active' else line ->> 'status' end)
            <> (case current ->> 'status' when 'out_of_stock' then 'active' else current ->> 'status' end)
        -- As in a change of one product: the field that differs counts, and of two description_html. The description may be
        -- HTML itself. Spreadsheets change its ends of lines.
        when 'description' then
          coalesce(nullif(line -> 'description_html', 'null') = current -> 'description_html', true)
          and replace(sent.value #>> '{}', E'\r\n', E'\n') <> replace(current ->> 'description', E'\r\n', E'\n') and (
            select settled.html is null or settled.html is distinct from current ->> 'description_html'
            from private.settle_html(sent.value #>> '{}', null, 'description') as settled
          )
        -- HTML that is too long is refused when its line is imported.
        when 'description_html' then char_length(sent.value #>> '{}') > 200000 or (
          select settled.html is distinct from current ->> 'description_html'
          from private.settle_html(null, sent.value #>> '{}', 'description_html') as settled
        )
        when 'attributes' then
          jsonb_typeof(sent.value) <> 'array'
          or jsonb_array_length(sent.value) <> jsonb_array_length(current -> 'attributes')
          or exists (
            select 1 from jsonb_array_elements(sent.value) as attribute
            where not (current -> 'attributes') @> jsonb_build_array(attribute.value)
          )
        when 'images' then
          jsonb_typeof(sent.value) <> 'array'
          or (
            select coalesce(jsonb_agg(
              case
                when jsonb_typeof(image.value) <> 'object' then image.value
                when image.value ? 'asset_id' then jsonb_build_object(
                  'asset_id', image.value -> 'asset_id',
                  'alt', coalesce(image.value -> 'alt', current -> 'images' -> (image.position::integer - 1) -> 'alt')
                )
                else '{"alt": ""}' || image.value
              end
              order by image.position
            ), '[]')
            from jsonb_array_elements(sent.value) with ordinality as image (value, position)
          ) <> current -> 'images'
        when 'physical' then
          jsonb_strip_nulls(sent.value) <> jsonb_strip_nulls(current -> 'physical')
        when 'variants' then
          jsonb_typeof(sent.value) <> 'array'
          -- Duplicates count as a change, even if the product has them, so that import_variants refuses them.
          or (
            select count(variant.value ->> 'name') > count(distinct variant.value ->> 'name')
            from jsonb_array_elements(sent.value) as variant
          )
          or exists (
            select 1 from jsonb_array_elements(sent.value) as variant
            where not (current -> 'variants') @> jsonb_build_array(
              case when jsonb_typeof(variant.value) = 'object'
                then jsonb_strip_nulls(variant.value - 'price')
                  || case when variant.value ? 'price'
                       then jsonb_build_object('price', variant.value -> 'price') else '{}' end
                else variant.value
              end
            )
          )
        else sent.value is distinct from current -> sent.key
      end
  );
end
$$;
comment on function private.changed_fields is
  'The names of the fields of a line whose values differ from the product''s.';

create function private.settled_attributes(category_id uuid, attributes jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return private.checked_attributes(private.tenant_id(), category_id, attributes);
end
$$;
comment on function private.settled_attributes is
  'Attributes as they would be stored. The category may change the types that a line gives them.';

create function private.paired_variants(product_id uuid, variants jsonb)
returns table (index bigint, variant jsonb, variant_id uuid)
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with sent as (
    select s.position - 1 as index, s.value as variant, count(*) over (partition by s.value ->> 'sku') as with_sku
    from jsonb_array_elements(variants) with ordinality as s (value, position)
  ),
  own as (
    select v.id, v.name, v.sku, count(*) over (partition by v.sku) as with_sku
    from public.product_variants v
    where v.product_id = paired_variants.product_id
  ),
  by_sku as (
    select s.index, o.id
    from sent s
    join own o on o.sku = s.variant ->> 'sku'
    where s.with_sku = 1 and o.with_sku = 1
  )
  select s.index, s.variant, coalesce(k.id, n.id)
  from sent s
  left join by_sku k on k.index = s.index
  left join own n
    on k.id is null and private.folded_name(n.name) = private.folded_name(s.variant ->> 'name')
      and n.id <> all (array(select b.id from by_sku b))
  order by s.index;
end
$$;
comment on function private.paired_variants is
  'The variants of a line, each with the variant of the product that it matches: the one with its sku if no other has it, else the one with its name unless another entry has that one''s sku. variant_id is null for a new variant.';

create function private.import_variant_stock(product public.products, variant uuid, quantity integer, index bigint)
returns void
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  field text := format('variants[%s].quantity', index);
  short integer;
begin
  if not product.track_inventory then
    perform private.refuse(
      'VALIDATION_ERROR', 'This product keeps no stock. Leave quantity out.', field, to_jsonb(import_variant_stock.quantity)
    );
  end if;
  update public.inventory i
  set quantity = greatest(import_variant_stock.quantity, i.reserved)
  where i.product_id = product.id and i.variant_id = variant
    and i.quantity <> greatest(import_variant_stock.quantity, i.reserved);
  select i.reserved into short
  from public.inventory i
  where i.product_id = product.id and i.variant_id = variant and i.reserved > import_variant_stock.quantity;
  if found then
    perform private.refuse(
      'INSUFFICIENT_INVENTORY', format('The stock must be at least %s, which orders have reserved.', short),
      field, to_jsonb(import_variant_stock.quantity)
    );
  end if;
end
$$;
comment on function private.import_variant_stock is
  'Sets the stock of a variant to the quantity in its line. Refuses with VALIDATION_ERROR if the product keeps no stock, with INSUFFICIENT_INVENTORY if orders have reserved more.';

create function private.import_variants(product_id uuid, variants jsonb) returns void
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  product public.products;
  pairs jsonb;
  pair record;
begin
  select p.* into product from public.products p where p.id = import_variants.product_id;
  perform private.check_variants(product, variants);
  perform private.refuse_repeated_variants(product, variants);
  select coalesce(jsonb_agg(p.variant || jsonb_build_object('id', p.variant_id, 'index', p.index) order by p.index), '[]')
  into pairs
  from private.paired_variants(product.id, variants) as p;

  -- Variants may swap their names one by one.
  set constraints public.name_is_unique_in_product_variants deferred;
  begin
    for pair in
      select
        (p.value ->> 'index')::bigint as index, (p.value ->> 'id')::uuid as id, p.value ->> 'name' as name,
        p.value ->> 'sku' as sku, (p.value ->> 'price')::numeric as price, p.value ? 'price' as has_price,
        (p.value ->> 'quantity')::integer as quantity
      from jsonb_array_elements(pairs) as p (value)
    loop
      if pair.id is null then
        pair.id := gen_random_uuid();
        insert into public.product_variants (id, product_id, name, sku, price, position)
        values (pair.id, product.id, pair.name, pair.sku, pair.price, pair.index + 1);
      else
        update public.product_variants v
        set name = coalesce(pair.name, v.name),
            sku = coalesce(pair.sku, v.sku),
            price = case when pair.has_price then pair.price else v.price end
        where v.id = pair.id
          and (
            v.name <> pair.name
            or v.sku is distinct from coalesce(pair.sku, v.sku)
            or pair.has_price and v.price is distinct from pair.price
          );
      end if;
      if pair.quantity is not null then
        perform private.import_variant_stock(product, pair.id, pair.quantity, pair.index);
      end if;
    end loop;
    set constraints public.name_is_unique_in_product_variants immediate;
  exception
    when unique_violation then
      perform private.refuse_taken_sku(product, pairs);
      raise;
    when exclusion_violation then
      perform private.refuse(
        'VALIDATION_ERROR', 'Variants of a product must have different names. Upper and lower case count as equal.',
        'variants', variants
      );
  end;
end
$$;
comment on function private.import_variants is
  'Creates and changes a product''s variants as a line says. Variants that the line does not name stay.';

create function private.refresh_statistics(tables regclass[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  grown regclass;
begin
  for grown in
    select c.oid::regclass
    from pg_catalog.pg_class c
    where c.oid = any (tables)
      and pg_relation_size(c.oid) > (16 + 1.5 * c.relpages) * current_setting('block_size')::integer
    order by c.oid
  loop
    execute format('analyze (skip_locked) %s', grown);
  end loop;
end
$$;
comment on function private.refresh_statistics is
  'Runs ANALYZE on tables that have grown by half since it last ran, and skips those that are locked. This also discards cached plans, such as those of foreign keys, which read all rows of a tenant if they were made while it had few.';

create function private.counted_stock(holder jsonb, is_digital boolean) returns jsonb
language sql immutable set search_path = ''
return case
  when jsonb_typeof(holder) <> 'object' then holder
  when is_digital then holder - 'quantity'
  when holder @? '$.quantity ? (@ < 0)' then holder || jsonb '{"quantity": 0}'
  else holder
end;
comment on function private.counted_stock is
  'A line or a variant of it with the quantity that counts: 0 for one below 0, and none for digital goods.';

create function private.counted_line(line jsonb, kind text) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  if kind is distinct from 'digital' and not (line @? '$.quantity ? (@ < 0)' or line @? '$.variants[*].quantity ? (@ < 0)') then
    return line;
  elsif jsonb_typeof(line -> 'variants') = 'array' then
    line := jsonb_set(line, '{variants}', (
      select coalesce(jsonb_agg(private.counted_stock(v.value, kind = 'digital') order by v.position), '[]')
      from jsonb_array_elements(line -> 'variants') with ordinality as v (value, position)
    ));
  end if;
  return private.counted_stock(line, kind = 'digital');
end
$$;
comment on function private.counted_line is 'A line of an import with the quantities that count. Sources have stocks below 0, and stocks of digital goods.';

create function private.stock_remarks(lines jsonb, batch private.import_line[]) returns jsonb
language sql stable set search_path = ''
as $$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'line', coalesce(sent.line -> 'line', to_jsonb(b.position)), 'field', stock.field,
      'code', case when digital.it_is then 'QUANTITY_IGNORED' else 'QUANTITY_BELOW_ZERO' end,
      'message', case
        when not digital.it_is then 'A quantity below 0 counts as 0.'
        when b.tracked then 'The stock of this digital product is the number of its licence keys. The quantity was ignored.'
        else 'This digital product is sold without limit. The quantity was ignored.'
      end
    )
    order by b.position, stock.place
  ), '[]')
  from unnest(batch) as b
  cross join lateral (select lines -> (b.position - 1)::integer as line) as sent
  cross join lateral (select coalesce(b.current ->> 'kind', b.line ->> 'kind') is not distinct from 'digital' as it_is) as digital
  cross join lateral (
    select 0 as place, 'quantity' as field, sent.line -> 'quantity' as quantity, b.current -> 'quantity' as kept
    union all
    select
      v.position, format('variants[%s].quantity', v.position - 1), v.value -> 'quantity',
      jsonb_path_query_first(
        b.current, '$.variants[*] ? (@.name == $name).quantity', jsonb_build_object('name', v.value -> 'name')
      )
    from jsonb_array_elements(
      case when jsonb_typeof(sent.line -> 'variants') = 'array' then sent.line -> 'variants' else '[]' end
    ) with ordinality as v (value, position)
  ) as stock
  where sent.line <> b.line
    and stock.quantity <> 'null'
    and case when digital.it_is then stock.quantity is distinct from stock.kept else stock.quantity @? '$ ? (@ < 0)' end
$$;
comment on function private.stock_remarks is
  'The remarks about quantities of lines that do not count as they were sent, as private.counted_line has them.';

create function private.compared_lines(lines jsonb, tenant uuid, sole_marketplace uuid, own_supplier uuid)
returns private.import_line[]
language plpgsql stable set search_path = ''
as $$
declare
  uuid_pattern constant text := '^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$';
  compared private.import_line[];
begin
  execute $query$
    with given as materialized (
      select
        e.position, e.value as line,
        case when e.value ->> 'id' ~ $5 then (e.value ->> 'id')::uuid end as id,
        -- Extracted here. In a condition on products, ->> would run after the policies, because it is not leakproof,
        -- and no index could be used.
        e.value ->> 'external_id' as external_id,
        case
          when e.value ->> 'marketplace_id' is null then $3
          when e.value ->> 'marketplace_id' ~ $5 then (e.value ->> 'marketplace_id')::uuid
        end as marketplace_id,
        case
          when e.value ->> 'supplier_id' is null then $4
          when e.value ->> 'supplier_id' ~ $5 then (e.value ->> 'supplier_id')::uuid
        end as supplier_id
      from jsonb_array_elements($1) with ordinality as e (value, position)
    ),
    known as materialized (
      select g.*, found.id as product_id
      from given g
      left join lateral (
        select p.id
        from public.products p
        where p.tenant_id = $2 and p.id = g.id and p.status <> 'discontinued'
        union all
        select p.id
        from public.products p
        where g.line ->> 'id' is null
          and p.tenant_id = $2 and p.marketplace_id = g.marketplace_id
          and p.external_id = g.external_id and p.status <> 'discontinued'
          and p.supplier_id is not distinct from g.supplier_id
      ) as found on true
    )
    select array_agg(
      row(
        k.position, c.line, l.line, case when l.id is not null then private.changed_fields(c.line, l.line) end,
        k.marketplace_id, k.supplier_id, l.id,
        coalesce(k.line ->> 'track_inventory', l.line ->> 'track_inventory')::boolean
      )::private.import_line
      order by k.position
    )
    from known k
    left join private.product_lines((select array_agg(product_id) from known where product_id is not null)) as l
      on l.id = k.product_id
    cross join lateral (
      select private.counted_line(k.line, coalesce(l.line ->> 'kind', k.line ->> 'kind')) as line
    ) as c
  $query$
  into compared
  using lines, tenant, sole_marketplace, own_supplier, uuid_pattern;
  return coalesce(compared, '{}');
end
$$;
comment on function private.compared_lines is
  'The lines of an import, each with the product that it matches and the fields that differ.';

create function private.check_import_lines(batch private.import_line[]) returns void
language plpgsql stable set search_path = ''
as $$
declare
  problem record;
begin
  select f.code, f.message, f.field, b.line -> f.field as value into problem
  from unnest(batch) as b
  cross join lateral (values
    (1, b.line ->> 'status' not in ('draft', 'active', 'inactive', 'out_of_stock'),
      'VALIDATION_ERROR', 'status', 'status must be draft, active or inactive.'),
    (2, b.current is null and b.line ->> 'id' is not null, 'NOT_FOUND', 'id', 'There is no such product.'),
    (3, b.current is null and b.line ->> 'external_id' is null,
      'VALIDATION_ERROR', 'external_id', 'external_id is required for a new product.'),
    (4, 'marketplace_id' = any (b.changed),
      'VALIDATION_ERROR', 'marketplace_id', 'The marketplace_id of an existing product cannot change.'),
    (5, 'supplier_id' = any (b.changed),
      'VALIDATION_ERROR', 'supplier_id', 'The supplier_id of an existing product cannot change.'),
    (6, 'kind' = any (b.changed), 'VALIDATION_ERROR', 'kind', 'The kind of an existing product cannot change.'),
    (7, 'currency' = any (b.changed),
      'VALIDATION_ERROR', 'currency', 'The currency of an existing product cannot change.')
  ) as f (rank, applies, code, field, message)
  where f.applies
  order by b.position, f.rank
  limit 1;
  if found then
    perform private.refuse(problem.code, problem.message, problem.field, coalesce(problem.value, 'null'));
  end if;
end
$$;
comment on function private.check_import_lines is
  'Refuses an unknown id, a new product without an external_id, a status that an import cannot set, and a change of a field that never changes.';

create function private.new_product(line private.import_line) returns public.products
language sql stable set search_path = ''
as $$
  select jsonb_populate_record(
    null::public.products,
    jsonb_build_object(
      'kind', 'physical', 'slug', '', 'description', '', 'images', jsonb_build_array(), 'attributes', jsonb_build_array(),
      'track_inventory', coalesce(line.line ->> 'kind', 'physical') = 'physical'
    )
    || (select jsonb_object_agg(f.key, f.value) from jsonb_each(line.line) as f where f.value <> 'null')
    || jsonb_build_object(
      'marketplace_id', line.marketplace_id, 'supplier_id', line.supplier_id,
      'status', coalesce(nullif(line.line ->> 'status', 'out_of_stock'), 'active')
    )
  )
$$;
comment on function private.new_product is 'The product that a line of an import creates.';

create function private.changed_product(product public.products, line private.import_line) returns public.products
language sql stable set search_path = ''
as $$
  select jsonb_populate_record(
    product,
    (
      select coalesce(jsonb_object_agg(f.key, case f.key
        when 'status' then to_jsonb(coalesce(nullif(f.value #>> '{}', 'out_of_stock'), 'active'))
        else f.value
      end), '{}')
      from jsonb_each(line.line) as f
      where f.key = any (line.changed)
    )
    || jsonb_build_object('track_inventory', line.tracked)
  )
$$;
comment on function private.changed_product is 'A product with the fields of a line of an import that differ.';

create function private.list_imported(batch private.import_line[]) returns private.import_line[]
language plpgsql set search_path = ''
as $$
declare
  listed private.import_line[];
begin
  execute format($query$
    with made as (
      insert into public.products (%1$s)
      select %1$s
      from (
        select n.*
        from unnest($1) as b
        cross join lateral private.new_product(b) as n
        where b.current is null
        order by b.position
      ) as n
      returning id, marketplace_id, supplier_id, external_id, track_inventory
    )
    select array_agg(
      row(
        b.position, b.line, b.current,
        case when b.current is null
          then array_remove(
            array[
              case when b.line -> 'variants' not in ('null', '[]') then 'variants' end,
              case when b.line -> 'quantity' <> 'null' then 'quantity' end
            ],
            null
          )
          else b.changed
        end,
        b.marketplace_id, b.supplier_id, coalesce(m.id, b.product_id), coalesce(m.track_inventory, b.tracked)
      )::private.import_line
      order by b.position
    )
    from unnest($1) as b
    left join made m
      on b.current is null and m.external_id = b.line ->> 'external_id' and m.marketplace_id = b.marketplace_id
        and m.supplier_id is not distinct from b.supplier_id
  $query$, private.product_columns('insert'))
  into listed
  using batch;
  return listed;
end
$$;
comment on function private.list_imported is
  'Creates the products of lines that match none. Returns all lines; those of created products have the product''s id and the fields that are still to be set.';

create function private.change_imported(batch private.import_line[]) returns private.import_line[]
language plpgsql set search_path = ''
as $$
declare
  settled private.import_line[] := array(
    select
      case
        when b.current is not null and 'attributes' = any (b.changed)
          and private.settled_attributes(
            ((case when b.line ? 'category_id' then b.line else b.current end) ->> 'category_id')::uuid,
            b.line -> 'attributes'
          ) = b.current -> 'attributes'
        then row(
          b.position, b.line, b.current, array_remove(b.changed, 'attributes'), b.marketplace_id, b.supplier_id,
          b.product_id, b.tracked
        )::private.import_line
        else b
      end
    from unnest(batch) as b
    order by b.position
  );
begin
  execute format($query$
    update public.products p
    set (%1$s) = (select %1$s from private.changed_product(p, b) as c)
    from unnest($1) as b
    where p.tenant_id = $2 and p.id = b.product_id and b.current is not null
      and not b.changed <@ array['variants', 'quantity']
  $query$, private.product_columns('update'))
  using settled, private.tenant_id();
  return settled;
end
$$;
comment on function private.change_imported is
  'Changes the matching products in the fields that differ. Returns the lines, without attributes whose stored form does not differ.';

create function private.list_variants(batch private.import_line[]) returns void
language plpgsql set search_path = ''
as $$
declare
  together private.import_line[];
  one private.import_line;
begin
  -- Valid variants of new products are created together. A line that is alone in its batch goes the other way, because
  -- it may have been refused among others, and its error has to name the field.
  together := array(
    select b
    from unnest(batch) as b
    where cardinality(batch) > 1
      and 'variants' = any (b.changed) and b.current is null and b.tracked
      and jsonb_typeof(b.line -> 'variants') = 'array'
      and (
        select count(distinct private.folded_name(v.value ->> 'name')) = count(*)
          and count(distinct v.value ->> 'sku') = count(v.value ->> 'sku')
        from jsonb_array_elements(b.line -> 'variants') as v (value)
      )
    order by b.position
  );
  if together <> '{}' then
    execute $query$
      insert into public.product_variants (id, product_id, name, sku, price, position)
      select
        gen_random_uuid(), b.product_id, v.value ->> 'name', v.value ->> 'sku', (v.value ->> 'price')::numeric,
        v.position
      from unnest($1) as b
      cross join lateral jsonb_array_elements(b.line -> 'variants') with ordinality as v (value, position)
      order by b.position, v.position
    $query$
    using together;
    execute $query$
      update public.inventory i
      set quantity = (w.value ->> 'quantity')::integer
      from unnest($1) as b
      cross join lateral jsonb_array_elements(b.line -> 'variants') with ordinality as w (value, position)
      join public.product_variants v
        on v.tenant_id = $2 and v.product_id = b.product_id and v.position = w.position
      where i.tenant_id = $2 and i.product_id = v.product_id and i.variant_id = v.id
        and i.quantity <> (w.value ->> 'quantity')::integer
    $query$
    using together, private.tenant_id();
  end if;
  for one in
    select b.*
    from unnest(batch) as b
    where 'variants' = any (b.changed)
      and b.position <> all (array(select t.position from unnest(together) as t))
    order by b.position
  loop
    perform private.import_variants(one.product_id, one.line -> 'variants');
  end loop;
end
$$;
comment on function private.list_variants is 'Creates and changes the variants of products as their lines say.';

create function private.import_stock(batch private.import_line[]) returns void
language plpgsql set search_path = ''
as $$
declare
  counted private.import_line[] := array(
    select b from unnest(batch) as b where 'quantity' = any (b.changed) order by b.position
  );
  problem record;
begin
  if counted = '{}' then
    return;
  end if;
  execute $query$
    select b.line -> 'quantity' as value, b.tracked
    from unnest($1) as b
    where not b.tracked
      or exists (select from public.product_variants v where v.tenant_id = $2 and v.product_id = b.product_id)
    order by b.position
    limit 1
  $query$
  into problem
  using counted, private.tenant_id();
  if problem.value is not null then
    perform private.refuse(
      'VALIDATION_ERROR',
      case when problem.tracked
        then 'This product has variants. Send the quantity of each variant instead.'
        else 'This product keeps no stock. Leave quantity out.'
      end,
      'quantity', problem.value
    );
  end if;
  execute $query$
    update public.inventory i
    set quantity = (b.line ->> 'quantity')::integer
    from unnest($1) as b
    where i.tenant_id = $2 and i.product_id = b.product_id and i.variant_id is null
      and i.quantity <> (b.line ->> 'quantity')::integer
  $query$
  using counted, private.tenant_id();
end
$$;
comment on function private.import_stock is
  'Sets the stock of products without variants to the quantities in their lines.';

create function private.import_lines(batch private.import_line[], out imported integer, out updated integer)
language plpgsql set search_path = ''
as $$
begin
  perform private.check_import_lines(batch);
  if exists (select from unnest(batch) as b where b.current is not null) then
    batch := private.change_imported(batch);
  end if;
  if exists (select from unnest(batch) as b where b.current is null) then
    batch := private.list_imported(batch);
  end if;
  perform private.list_variants(batch);
  perform private.import_stock(batch);
  select count(*) filter (where b.current is null), count(*) filter (where b.current is not null and b.changed <> '{}')
  into imported, updated
  from unnest(batch) as b;
end
$$;
comment on function private.import_lines is
  'Creates the products of lines and changes those that match, or refuses all lines. Returns how many products were created, and how many were changed.';

create function private.take_import_turn(tenant uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  -- Imports of a tenant run one at a time, because two imports of the same records could deadlock. The second one is
  -- refused at once: while it waited, it would hold a connection that other tenants need.
  if not private.try_hold('import', tenant::text) then
    perform private.refuse_for_now('Another import of this tenant is running. Try again when it has finished.');
  end if;
end
$$;
comment on function private.take_import_turn is
  'Takes the tenant''s lock for imports until the end of the transaction, or refuses with CONFLICT.';

create function private.import_in_parts(
  batch private.import_line[], out imported integer, out updated integer, out errors jsonb
)
language plpgsql set search_path = ''
as $$
declare
  -- Number of lines that are tried together, at most 1000. After a refusal it is a quarter, down to a single line;
  -- after each success it doubles.
  size integer := 1000;
  next integer := 1;
  made record;
  state text;
  message text;
  details text;
  hint text;
begin
  imported := 0;
  updated := 0;
  errors := jsonb '[]';
  while next <= cardinality(batch) loop
    begin
      made := private.import_lines(batch[next:next + size - 1]);
      imported := imported + made.imported;
      updated := updated + made.updated;
      next := next + size;
      size := least(size * 2, 1000);
    exception
      when others then
        get stacked diagnostics
          state = returned_sqlstate, message = message_text, details = pg_exception_detail, hint = pg_exception_hint;
        -- Another request changes the same rows: no field of a line is wrong, and the caller can send all lines again.
        if state = 'PT409' and not details::jsonb ? 'field' then
          raise;
        end if;
        if size > 1 then
          size := greatest(least(size, cardinality(batch) - next + 1) / 4, 1);
          continue;
        end if;
        errors := errors || jsonb_build_object(
          'line', coalesce(batch[next].line -> 'line', to_jsonb(batch[next].position)),
          'code', state, 'message', message, 'details', details, 'hint', hint
        );
        next := next + 1;
    end;
  end loop;
end
$$;
comment on function private.import_in_parts is
  'Imports lines and leaves out those that are refused. Returns how many products were created and changed, and the error of each refused line.';

create function private.set_unique_skus(wanted boolean) returns void
language plpgsql set search_path = ''
as $$
begin
  if wanted <> private.has_unique_skus(private.tenant_id()) then
    if private.tenant_role() is distinct from 'admin' then
      perform private.refuse('FORBIDDEN', 'Only admins may change whether skus are unique.', 'unique_skus', to_jsonb(wanted));
    end if;
    perform public.update_tenant(
      jsonb_build_object('settings', jsonb_build_object('catalog', jsonb_build_object('unique_skus', wanted)))
    );
  end if;
end
$$;
comment on function private.set_unique_skus is
  'Changes whether the skus of the tenant are unique, if it differs; null changes nothing. Refuses with FORBIDDEN, CONFLICT.';

create function private.questioned_lines(compared private.import_line[]) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  questions jsonb;
begin
  execute $query$
    -- The ranges first, and then an index scan for each. Otherwise each line may be compared with each product.
    with asked as materialized (
      select b.*, r.span, b.line ->> 'external_id' as external_id
      from unnest($1) as b
      cross join lateral unnest(private.cell_ranges(b.line ->> 'external_id')) as r (span)
      where b.current is null and b.line ->> 'id' is null and ($3 is null or b.supplier_id = $3)
    ),
    question as (
      select
        a.position, 0 as place, a.line, 'external_id' as field, 'There is a product with the external_id' as about,
        found.external_id as code, a.external_id as cell
      from asked a
      cross join lateral (
        select p.external_id
        from public.products p
        where p.tenant_id = $2 and p.marketplace_id = a.marketplace_id and p.supplier_id is not distinct from a.supplier_id
          and private.code_group(p.external_id) between lower(a.span) and upper(a.span)
          and a.span @> private.code_group(p.external_id)
          and p.external_id <> a.external_id and p.status <> 'discontinued'
        offset 0
      ) as found
      union all
      select b.position, c.place, b.line, c.field, 'This was', c.code, c.cell
      from unnest($1) as b
      cross join lateral private.changed_codes(b.current, b.line) as c
      where b.current is not null and b.changed <> '{}'
    )
    select jsonb_agg(to_jsonb(q) order by q.position)
    from (
      select distinct on (q.position)
        q.position, coalesce(q.line -> 'line', to_jsonb(q.position)) as line, q.field, q.cell,
        private.code_question(q.about, q.code, q.cell) as message
      from question q
      order by q.position, q.place, q.field, q.code
    ) as q
  $query$
  into questions
  using compared, private.tenant_id(), private.supplier_id();
  return coalesce(questions, '[]');
end
$$;
comment on function private.questioned_lines is
  'The lines of an import with a code that a spreadsheet may have changed: of the product that they match, or of the one that they would match with it. One question for each.';

create function public.import_products(
  lines jsonb, marketplace_id uuid default null, dry_run boolean default false, unique_skus boolean default null,
  accept_changed_codes boolean default false
) returns jsonb
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  compared private.import_line[];
  batch private.import_line[];
  questions jsonb := jsonb_build_array();
  refused jsonb := jsonb_build_array();
  tried record;
  remarks jsonb;
begin
  if coalesce(private.tenant_role() not in ('admin', 'supplier'), true) then
    perform private.refuse('FORBIDDEN', 'Your role may not import products.');
  elsif jsonb_typeof(lines) is distinct from 'array' or jsonb_array_length(lines) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'Send a list of at most 1000 lines.', 'lines', 'null');
  end if;
  if lines = '[]' then
    return jsonb_build_object('imported', 0, 'updated', 0, 'unchanged', 0, 'failed', 0, 'errors', jsonb '[]');
  end if;
  lines := private.nfc(lines);
  perform private.take_import_turn(tenant);
  perform private.explain_stock_change('import');
  perform private.refresh_statistics(array['public.products', 'public.product_variants', 'public.inventory']::regclass[]);

  begin
    perform private.set_unique_skus(unique_skus);
    compared := private.compared_lines(
      lines, tenant, coalesce(import_products.marketplace_id, private.sole_marketplace_id()), private.supplier_id()
    );
    questions := private.questioned_lines(compared);
    if accept_changed_codes is not true then
      refused := private.refused_questions(questions);
    end if;
    batch := array(
      select c
      from unnest(compared) as c
      where c.changed is distinct from '{}'
        and (
          accept_changed_codes is true
          or c.position <> all (array(select (q.value -> 'position')::bigint from jsonb_array_elements(questions) as q))
        )
      order by c.position
    );
    perform private.lock_stock_of_products(array(select c.product_id from unnest(batch) as c where c.current is not null));
    tried := private.import_in_parts(batch);
    if dry_run then
      raise exception using errcode = 'SOUK0';
    end if;
  exception
    when sqlstate 'SOUK0' then
      null; -- Everything is rolled back; the counts and errors remain.
  end;

  refused := refused || tried.errors;
  select coalesce(jsonb_agg(r.value), '[]') into remarks
  from jsonb_array_elements(private.stock_remarks(lines, compared)) as r
  where not refused @> jsonb_build_array(jsonb_build_object('line', r.value -> 'line'));
  return jsonb_build_object(
    'imported', tried.imported, 'updated', tried.updated,
    'unchanged', jsonb_array_length(lines) - tried.imported - tried.updated - jsonb_array_length(refused),
    'failed', jsonb_array_length(refused), 'errors', refused
  ) || private.remarks_of(questions, remarks);
end
$$;
comment on function public.import_products is
  'Imports up to 1000 lines, each by itself: creates the products that are not there yet, changes those that differ and leaves the others. A line matches a product by id or external_id. Returns the counts, and for each failed line its error in PostgREST''s format. With dry_run nothing is stored. remarks, if there are any: the quantities that did not count as they were sent, and the questions about codes that a spreadsheet may have changed, whose lines fail without accept_changed_codes. unique_skus, for admins: whether skus are unique from now on, as in the tenant''s settings. Refuses with CONFLICT while another import of the tenant runs.';

create function public.export_products(
  after uuid default null,
  "limit" integer default 500,
  marketplace_id uuid default null,
  supplier_id uuid default null,
  category uuid default null,
  status public.product_status default null
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  answer jsonb;
begin
  if not (private.reads_all() or coalesce(private.tenant_role() = 'supplier', false)) then
    perform private.refuse('FORBIDDEN', 'Your role may not export products.');
  end if;
  execute $query$
    with recursive branch (id) as (
      select c.id from public.categories c where c.id = $6
      union
      select c.id from branch b join public.categories c on c.parent_id = b.id
    ),
    page as materialized (
      select p.id
      from public.products p
      where p.tenant_id = $1 and p.status <> 'discontinued'
    $query$
    || case when after is null then '' else ' and p.id > $2' end
    || case when export_products.marketplace_id is null then '' else ' and p.marketplace_id = $4' end
    || case when export_products.supplier_id is null then '' else ' and p.supplier_id = $5' end
    || case when category is null then '' else ' and p.category_id in (select b.id from branch b)' end
    || case when export_products.status is null then '' else ' and p.status = $7' end
    || $query$
      order by p.tenant_id, p.id
      limit $3
    )
    select coalesce(jsonb_agg(l.line order by l.id), '[]')
    from private.product_lines((select array_agg(page.id) from page)) as l
  $query$
  into answer
  using
    private.tenant_id(), after, least(greatest("limit", 1), 1000), export_products.marketplace_id,
    export_products.supplier_id, category, export_products.status;
  return answer;
end
$$;
comment on function public.export_products is
  'The next products after the given id, in the order of ids and in the format of import_products.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.product_lines, private.lock_stock_of_products, private.changed_fields, private.settled_attributes,
  private.refresh_statistics, private.compared_lines, private.check_import_lines, private.new_product, private.changed_product,
  private.list_imported, private.change_imported,
  private.paired_variants, private.import_variant_stock, private.import_variants, private.list_variants, private.import_stock,
  private.import_lines, private.take_import_turn, private.import_in_parts, private.counted_stock, private.counted_line,
  private.stock_remarks, private.set_unique_skus, private.questioned_lines
to authenticated;
grant execute on function public.import_products, public.export_products to authenticated;

-- supabase/schemas/catalog/0470_product_pages.sql

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
    names, private.tenant_id(), private.tenant_role(), private.supplier_id(), private.active_marketplace_ids(), filters,
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

-- supabase/schemas/catalog/0475_kept_counts.sql

-- The counts of a whole catalog, which are kept until a product changes. A list of 100,000 products counts all of them,
-- which takes longer than anything else in it, and most callers ask for the same counts.

-- tables ---------------------------------------------------------------------------------------

create table private.catalog_changes (
  -- Without a foreign key, because the products of a deleted tenant are deleted after it.
  tenant_id uuid not null,
  xact_id xid8 not null default pg_current_xact_id(),
  finished_at timestamptz,
  primary key (tenant_id, xact_id)
);
comment on table private.catalog_changes is
  'The transactions of the last hours that changed what lists of a tenant''s products count. finished_at: when the transaction was first known to have ended.';

create table private.kept_counts (
  tenant_id uuid not null references public.tenants on delete cascade,
  question bytea not null,
  counts private.product_count[] not null,
  attributes json,
  epoch timestamptz not null default private.present_epoch(),
  snapshot pg_snapshot not null,
  kept_by xid8 not null default pg_current_xact_id(),
  kept_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, question)
);
comment on table private.kept_counts is
  'Counts of whole catalogs as they were in a snapshot. They hold in the epoch of the snapshot, until a transaction that is not in the snapshot, or the one that kept them, changes a product. question: a hash of all that the counts depend on.';

-- indexes --------------------------------------------------------------------------------------

create index kept_counts_kept_at_idx on private.kept_counts (kept_at);
create index catalog_changes_finished_at_idx on private.catalog_changes (finished_at);

-- functions ------------------------------------------------------------------------------------

create function private.note_catalog_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.catalog_changes as c (tenant_id)
  values (coalesce(new.tenant_id, old.tenant_id))
  -- In an earlier epoch, another transaction may have had the same number.
  on conflict on constraint catalog_changes_pkey do update set finished_at = null where c.finished_at is not null;
  return null;
end
$$;
comment on function private.note_catalog_change is
  'Notes the transaction in catalog_changes, so that counts of earlier snapshots no longer hold.';

create function private.counts_question(filters private.product_filters, facets text[]) returns bytea
language plpgsql stable set search_path = ''
as $$
begin
  -- A change of a variant's price may leave the product as it is, and change which products have a price in a range.
  if filters.price_min is not null or filters.price_max is not null or filters.ids is not null then
    return null;
  end if;
  return sha256(
    convert_to(
      row(
        private.tenant_role(), private.supplier_id(), private.active_marketplace_ids(), filters, facets
      )::text,
      'UTF8'
    )
  );
end
$$;
comment on function private.counts_question is
  'A hash of all that the counts of the caller''s catalog depend on, besides the tenant''s products. Null if the counts cannot be kept.';

create function private.find_kept_counts(question bytea) returns private.kept_counts
-- A plan from when the tables were empty, which a session keeps, would scan kept_counts and catalog_changes.
language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
begin
  return (
    select k
    from private.kept_counts k
    where k.tenant_id = private.tenant_id()
      and k.question = find_kept_counts.question
      and k.kept_at > clock_timestamp() - interval '1 hour'
      and k.epoch = private.present_epoch()
      and not exists (
        select
        from private.catalog_changes c
        where c.tenant_id = k.tenant_id
          and c.xact_id >= pg_snapshot_xmin(k.snapshot)
          and (c.xact_id = k.kept_by or not pg_visible_in_snapshot(c.xact_id, k.snapshot))
      )
  );
end
$$;
comment on function private.find_kept_counts is
  'The kept answer to a question of the caller''s tenant, if no product has changed since. Otherwise null.';

create function private.keep_counts(
  question bytea, counts private.product_count[], attributes json, snapshot pg_snapshot
) returns void
-- A plan from when the table was empty, which a session keeps, would scan kept_counts and products.
language plpgsql set search_path = '' set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
begin
  if pg_column_size(counts) + coalesce(octet_length(attributes::text), 0) > 262144
    or current_setting('transaction_read_only') = 'on' or current_setting('transaction_isolation') <> 'read committed'
    -- The snapshot of a long transaction may be older than catalog_changes.
    or now() < clock_timestamp() - interval '1 minute'
    or not private.try_hold('kept_counts', tenant::text)
    or exists (
      select
      from private.kept_counts k
      where k.tenant_id = tenant and k.kept_at > clock_timestamp() - interval '1 second'
    )
    -- Fewer are counted faster than an answer is kept.
    or not exists (select from public.products p where p.tenant_id = tenant offset 999)
  then
    return;
  end if;
  delete from private.kept_counts k
  where k.tenant_id = tenant
    and (
      k.question = keep_counts.question
      or k.question in (
        select o.question
        from private.kept_counts o
        where o.tenant_id = tenant
        order by o.kept_at desc
        offset 19
      )
    );
  insert into private.kept_counts (tenant_id, question, counts, attributes, snapshot)
  values (tenant, keep_counts.question, keep_counts.counts, keep_counts.attributes, keep_counts.snapshot);
end
$$;
comment on function private.keep_counts is
  'Keeps counts of a tenant with at least 1,000 products, if they have at most 256 kB, at most once a second for a tenant. The 20 newest of a tenant are kept. snapshot: the one in which they were counted. Never waits.';

create function private.forget_counts() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.kept_counts k
  where (k.tenant_id, k.question) in (
    select o.tenant_id, o.question
    from private.kept_counts o
    where o.kept_at < now() - interval '1 hour'
      or o.epoch <> private.present_epoch()
    for update skip locked
  );
  -- Counts hold for an hour, in a snapshot that was at most a minute old when they were kept. So a transaction that ended
  -- 70 minutes ago is in the snapshots of all of them. Rows of an earlier epoch may name transactions that are still to
  -- come here.
  delete from private.catalog_changes c
  where c.finished_at < now() - interval '70 minutes' or c.xact_id >= pg_snapshot_xmax(pg_current_snapshot());
  update private.catalog_changes c
  set finished_at = clock_timestamp()
  where c.finished_at is null and c.xact_id < pg_snapshot_xmin(pg_current_snapshot());
end
$$;
comment on function private.forget_counts is
  'For a job: deletes counts that were kept more than an hour ago, and the changes that no counts can depend on, 70 to 90 minutes after their transactions ended.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_note_catalog_change
  after insert or delete on public.products
  for each row execute function private.note_catalog_change();

create trigger products_note_catalog_change_of_counted
  after update on public.products
  for each row when (
    (
      old.status, old.marketplace_id, old.supplier_id, old.category_id, old.brand, old.lowest_price, old.highest_price,
      old.attributes
    ) is distinct from (
      new.status, new.marketplace_id, new.supplier_id, new.category_id, new.brand, new.lowest_price, new.highest_price,
      new.attributes
    )
  )
  execute function private.note_catalog_change();

-- policies -------------------------------------------------------------------------------------

alter table private.catalog_changes enable row level security;
alter table private.kept_counts enable row level security;

-- supabase/schemas/orders/0500_orders.sql

-- Orders: placed against stock that is reserved in the same transaction, and numbered without gaps. This file has
-- their tables, the checks of amounts and addresses, and the functions that lock and move their stock.

create type public.order_status as enum (
  'pending', 'confirmed', 'processing', 'shipped', 'delivered', 'cancelled', 'returned'
);
create type public.payment_status as enum ('pending', 'paid', 'failed', 'refunded');

-- The properties of statuses are defined here alone. An order moves forward in the sequence of the type, so a new status
-- before 'shipped' holds stock. These functions have no SET clause, so that Postgres inlines them into queries and trigger
-- conditions.
create function private.holds_stock(status public.order_status) returns boolean
language sql immutable
return status < 'shipped';
comment on function private.holds_stock is
  'Whether the pieces of an order with this status are still reserved in the stock.';

create function private.is_untouched(status public.order_status) returns boolean
language sql immutable
return status < 'processing';
comment on function private.is_untouched is
  'Whether work on an order with this status has not begun, so that its customer may still cancel it.';

create function private.is_sent(status public.order_status) returns boolean
language sql immutable
return status in ('shipped', 'delivered');
comment on function private.is_sent is 'Whether an order with this status was sent, and was not returned as a whole.';

create function private.is_void(status public.order_status) returns boolean
language sql immutable
return status in ('cancelled', 'returned');
comment on function private.is_void is 'Whether an order with this status was cancelled, or returned as a whole.';

create function private.was_paid(status public.payment_status) returns boolean
language sql immutable
return status in ('paid', 'refunded');
comment on function private.was_paid is
  'Whether an order with this payment status was paid, even if the payment was refunded since.';

-- tables ---------------------------------------------------------------------------------------

create table private.order_numbers (
  tenant_id uuid not null,
  marketplace_id uuid not null,
  last_number bigint not null,
  constraint order_numbers_pkey primary key (tenant_id, marketplace_id),
  constraint order_numbers_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade
);
comment on table private.order_numbers is 'The number of each marketplace''s last order.';

create table public.orders (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  marketplace_id uuid not null,
  number bigint not null,
  customer_id uuid not null,
  status public.order_status not null default 'pending',
  payment_status public.payment_status not null default 'pending',
  currency text not null,
  delivery_method text,
  payment_method text,
  payment_due_at timestamptz,
  payment_reversed_at timestamptz,
  shipping_address jsonb,
  billing_address jsonb,
  tax_id text,
  contact jsonb,
  language text,
  external_id text,
  imported_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint orders_tenant_id_id_key unique (tenant_id, id),
  -- In this order of columns, the index also finds an order by its number alone.
  constraint number_is_unique_in_orders unique (tenant_id, number, marketplace_id),
  constraint orders_marketplace_id_fkey foreign key (tenant_id, marketplace_id, currency)
    references public.marketplaces (tenant_id, id, currency),
  constraint orders_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id),
  constraint orders_shipping_address_is_without_numbers_of_over_30_digits check (private.has_short_numbers(shipping_address)),
  constraint orders_billing_address_is_without_numbers_of_over_30_digits check (private.has_short_numbers(billing_address)),
  constraint orders_tax_id_is_1_to_50_characters check (char_length(tax_id) between 1 and 50 and private.is_more_than_spaces(tax_id)),
  constraint orders_language_is_a_language check (private.is_language(language)),
  constraint orders_external_id_is_1_to_200_characters check (char_length(external_id) between 1 and 200),
  constraint orders_imported_at_is_set_with_the_external_id check ((imported_at is null) = (external_id is null))
);
comment on table public.orders is
  'An order of a customer on a marketplace, with what everybody who sees it may know. Items and amounts are in its parts. payment_due_at: the deadline for the payment of a pending order; null if no payment is due. payment_reversed_at: when its payment was taken back; null if it was not, or if the order was paid again. shipping_address: name, company, street, city, region, postal_code, country, phone and any other fields that were sent; null if all items are digital goods and services. billing_address: the same of the invoice; null if it is the shipping_address. tax_id: the buyer''s tax number. contact: email, name and phone of the person to write to about the order; null if that is the customer''s account. language: the language of mails about the order; null if it is not known. imported_at: set for a past order of another system, which calls it external_id; such an order never reserves or moves stock, costs no commission, emits no event and belongs to no click. Both are null for orders that were placed here.';

create table public.order_parts (
  tenant_id uuid not null,
  order_id uuid not null,
  supplier_id uuid,
  customer_id uuid not null,
  status public.order_status not null default 'pending',
  accepted boolean not null default false,
  subtotal numeric not null,
  delivery_amount numeric not null default 0,
  delivery_recipient public.delivery_recipient not null default 'operator',
  delivery_owed boolean not null default true,
  delivers_all boolean not null default false,
  legal jsonb not null default '{}',
  constraint supplier_id_is_unique_in_order_parts unique nulls not distinct (order_id, supplier_id),
  constraint order_parts_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_parts_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint order_parts_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id),
  constraint order_parts_subtotal_is_not_negative check (subtotal >= 0),
  constraint order_parts_subtotal_is_of_at_most_4_decimals check (scale(subtotal) <= 4),
  constraint order_parts_delivery_amount_is_not_negative check (delivery_amount >= 0),
  constraint order_parts_delivery_amount_is_of_at_most_4_decimals check (scale(delivery_amount) <= 4),
  constraint order_parts_delivery_recipient_is_operator_without_a_supplier
    check (delivery_recipient = 'operator' or supplier_id is not null),
  constraint order_parts_delivers_all_is_for_the_operator check (not delivers_all or supplier_id is null)
);
comment on table public.order_parts is
  'The part of each supplier in an order, with its status and price; without a supplier, the part of the operator. A supplier sees its own part. accepted: the order was moved by hand beyond pending, so that the payment deadline cancels nothing of it. legal: the supplier''s legal identity when the order was placed; empty if it was not known, and for imported orders. delivery_recipient: who receives the delivery_amount, by the marketplace''s settings when the order was placed. delivery_owed: whether the delivery_amount is owed; false once all pieces that it was for are cancelled or lost. delivers_all: delivery is charged once for the whole order, on this part of the operator.';
-- The whole row identifies it for replication, because supplier_id may be null.
alter table public.order_parts replica identity full;

create table public.order_items (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  position integer not null,
  product_id uuid not null,
  variant_id uuid,
  supplier_id uuid,
  name text not null,
  quantity integer not null,
  shipped_quantity integer not null default 0,
  delivered_quantity integer not null default 0,
  returned_quantity integer not null default 0,
  lost_quantity integer not null default 0,
  cancelled_quantity integer not null default 0,
  unpaid_quantity integer not null default 0,
  sold_quantity integer not null
    generated always as (quantity - cancelled_quantity - returned_quantity - lost_quantity) stored,
  starts_at timestamptz,
  price numeric not null,
  amount numeric not null generated always as (price * quantity) stored,
  constraint order_items_tenant_id_order_id_id_key unique (tenant_id, order_id, id),
  constraint order_items_order_id_position_key unique (order_id, position),
  constraint order_items_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_items_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id),
  constraint order_items_variant_id_fkey foreign key (tenant_id, product_id, variant_id)
    references public.product_variants (tenant_id, product_id, id),
  constraint order_items_price_is_not_negative check (price >= 0),
  constraint order_items_price_is_of_at_most_4_decimals check (scale(price) <= 4),
  constraint order_items_quantity_is_positive check (quantity > 0),
  constraint order_items_quantity_is_open_shipped_or_cancelled
    check (shipped_quantity >= 0 and cancelled_quantity >= 0 and shipped_quantity + cancelled_quantity <= quantity),
  constraint order_items_shipped_quantity_is_in_transit_delivered_or_lost
    check (delivered_quantity >= 0 and lost_quantity >= 0 and delivered_quantity + lost_quantity <= shipped_quantity),
  constraint order_items_returned_quantity_is_at_most_what_was_delivered
    check (returned_quantity between 0 and delivered_quantity),
  constraint order_items_unpaid_quantity_is_part_of_the_quantity check (unpaid_quantity between 0 and quantity)
);
comment on table public.order_items is
  'The lines of an order, with name and price as they were when it was placed, and the number of pieces in each state. shipped_quantity includes delivered and lost pieces, delivered_quantity includes returned ones. sold_quantity: pieces that are neither cancelled, returned nor lost. unpaid_quantity: pieces that were cancelled, returned or lost before the order was paid, so that nobody paid for them.';
alter table public.order_items replica identity using index order_items_tenant_id_order_id_id_key;

alter table public.orders replica identity full;
alter publication supabase_realtime add table public.orders;

-- The ledger says for which order stock moved. Checked at commit: stock is reserved before the order is written.
alter table public.inventory_movements
  add constraint inventory_movements_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) deferrable initially deferred;

-- indexes --------------------------------------------------------------------------------------

create unique index external_id_is_unique_in_orders on public.orders (tenant_id, external_id, marketplace_id)
  where external_id is not null;
create index orders_tenant_id_created_at_idx on public.orders (tenant_id, created_at desc, id);
create index orders_marketplace_idx on public.orders (tenant_id, marketplace_id, currency);
create index orders_customer_idx on public.orders (tenant_id, customer_id, created_at desc, id);
create index order_parts_supplier_idx on public.order_parts (tenant_id, supplier_id, order_id);
create index order_parts_customer_idx on public.order_parts (tenant_id, customer_id);
create index order_items_product_idx on public.order_items (tenant_id, product_id, variant_id);

-- functions ------------------------------------------------------------------------------------

create function private.take_order_number() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Orders of one marketplace wait for each other from here to their commit, which is the price of numbers without
  -- gaps. Their stock is reserved before.
  insert into private.order_numbers as n (tenant_id, marketplace_id, last_number)
  values (new.tenant_id, new.marketplace_id, 1)
  on conflict (tenant_id, marketplace_id) do update set last_number = n.last_number + 1
  returning n.last_number into new.number;
  return new;
end
$$;
comment on function private.take_order_number() is 'Row trigger: numbers the orders of each marketplace 1, 2, 3, without gaps.';

create function private.check_order_money() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  touched uuid;
  broken text;
begin
  if tg_table_name = 'orders' then
    touched := new.id;
  elsif tg_op = 'DELETE' then
    touched := old.order_id;
  else
    touched := new.order_id;
  end if;

  select case
    when sum(line.sold) <> sum(line.charged) or line.supplier_id is not null and not bool_or(line.is_part)
      then 'order_parts_subtotal_is_the_sum_of_its_items'
    when max(scale(line.finest)) > c.exponent then 'order_parts_amounts_are_no_finer_than_the_currency'
  end as rule
  into broken
  from public.orders o
  join private.currencies c on c.code = o.currency
  cross join lateral (
    select i.supplier_id, i.amount as sold, 0 as charged, trim_scale(i.price) as finest, false as is_part
    from public.order_items i
    where i.tenant_id = o.tenant_id and i.order_id = o.id
    union all
    select p.supplier_id, 0, p.subtotal, trim_scale(p.delivery_amount), true
    from public.order_parts p
    where p.tenant_id = o.tenant_id and p.order_id = o.id
  ) as line
  where o.id = touched
  group by line.supplier_id, c.exponent
  order by rule
  limit 1;

  if broken is not null then
    raise exception using
      errcode = 'check_violation',
      message = format('new row for relation "order_parts" violates check constraint "%s"', broken);
  end if;
  return null;
end
$$;
comment on function private.check_order_money() is
  'Row trigger at commit: the items of each part of an order add up to its subtotal, and no amount has more decimals than its currency.';

create function private.check_address() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.shipping_address is not null then
    new.shipping_address := private.checked_address(new.shipping_address, null);
  end if;
  if new.billing_address is not null then
    new.billing_address := private.checked_address(new.billing_address, null, 'billing_address');
  end if;
  return new;
end
$$;
comment on function private.check_address() is
  'Row trigger: checks the addresses with private.checked_address. Refuses with VALIDATION_ERROR.';

create function private.ordering_customer(customer_id uuid) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  caller public.member_role := private.tenant_role();
begin
  if caller = 'customer' then
    if customer_id is not null and customer_id <> private.customer_id() then
      perform private.refuse(
        'FORBIDDEN', 'customer_id must be your own, or left out.', 'customer_id', to_jsonb(customer_id)
      );
    end if;
    return private.customer_id();
  elsif private.reads_all(caller) then
    if customer_id is null then
      perform private.refuse('VALIDATION_ERROR', 'customer_id is required.', 'customer_id', 'null');
    elsif not exists (
      select 1 from public.customers c
      where c.tenant_id = private.tenant_id() and c.id = ordering_customer.customer_id
    ) then
      perform private.refuse('NOT_FOUND', 'There is no such customer.', 'customer_id', to_jsonb(customer_id));
    end if;
    return customer_id;
  end if;
  perform private.refuse('FORBIDDEN', 'Your role may not place orders.');
  return null;
end
$$;
comment on function private.ordering_customer is
  'The customer for whom the caller places an order. Refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function private.seen_order(order_id uuid) returns public.orders
language plpgsql stable security definer set search_path = ''
as $$
declare
  seen public.orders;
begin
  select * into seen
  from public.orders o
  where o.tenant_id = private.tenant_id()
    and o.id = seen_order.order_id
    and case private.tenant_role()
      when 'customer' then o.customer_id = private.customer_id()
      when 'supplier' then exists (
        select 1 from public.order_parts p where p.order_id = o.id and p.supplier_id = private.supplier_id()
      )
      else private.reads_all()
    end;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  end if;
  return seen;
end
$$;
comment on function private.seen_order is
  'An order that the caller sees, for functions that bypass the policies. Refuses with NOT_FOUND.';

create function private.lock_stock(tenant_id uuid, pieces jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  products uuid[];
  units uuid[];
begin
  select
    array_agg((piece ->> 'product_id')::uuid),
    array_agg(coalesce(piece ->> 'variant_id', piece ->> 'product_id')::uuid)
  into products, units
  from jsonb_array_elements(pieces) as piece;

  perform 1
  from public.inventory i
  where i.tenant_id = lock_stock.tenant_id
    and i.product_id = any (products)
    and coalesce(i.variant_id, i.product_id) = any (units)
  order by i.id
  for update;
end
$$;
comment on function private.lock_stock is
  'Locks the stock of pieces, a list of product_id and variant_id, in the order of ids. Everything that takes stock for orders calls this first, which prevents deadlocks.';

create function private.take_stock(tenant_id uuid, order_id uuid, reason text, pieces jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  quantity_sign integer := case reason when 'ship' then -1 when 'return' then 1 when 'void' then 1 else 0 end;
  reserved_sign integer :=
    case reason when 'reserve' then 1 when 'release' then -1 when 'ship' then -1 when 'void' then 1 else 0 end;
  products uuid[] := array(select (piece ->> 'product_id')::uuid from jsonb_array_elements(pieces) as piece);
begin
  perform private.explain_stock_change(reason, order_id => take_stock.order_id);
  update public.inventory i
  set quantity = i.quantity + quantity_sign * taken.quantity,
      reserved = i.reserved + reserved_sign * taken.quantity
  from (
    select piece.product_id, piece.variant_id, sum(piece.quantity)::integer as quantity
    from jsonb_to_recordset(pieces) as piece (product_id uuid, variant_id uuid, quantity integer)
    join (
      select p.id from public.products p where p.id = any (products) and p.track_inventory
    ) as tracked on tracked.id = piece.product_id
    group by piece.product_id, piece.variant_id
  ) as taken
  where i.tenant_id = take_stock.tenant_id
    and i.product_id = any (products)
    and i.product_id = taken.product_id
    and i.variant_id is not distinct from taken.variant_id;
end
$$;
comment on function private.take_stock is
  'Moves the stock of an order''s pieces, a list of product_id, variant_id and quantity, for one of the ledger''s reasons: reserve, release, ship, void, return. The caller has locked the stock.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.orders for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.order_parts for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.order_items for each row execute function private.keep_nfc();

create trigger orders_check_address
  before insert or update of shipping_address, billing_address on public.orders
  for each row when (coalesce(new.shipping_address, new.billing_address) is not null)
  execute function private.check_address();

create trigger orders_take_number
  before insert on public.orders
  for each row execute function private.take_order_number();

create trigger orders_touch
  before update on public.orders
  for each row execute function private.touch();

create constraint trigger orders_check_money
  after update of currency on public.orders
  deferrable initially deferred
  for each row execute function private.check_order_money();

create constraint trigger order_parts_check_money
  after insert or update of order_id, supplier_id, subtotal, delivery_amount or delete on public.order_parts
  deferrable initially deferred
  for each row execute function private.check_order_money();

create constraint trigger order_items_check_money
  after insert or update of price, quantity or delete on public.order_items
  deferrable initially deferred
  for each row execute function private.check_order_money();

-- policies -------------------------------------------------------------------------------------

alter table private.order_numbers enable row level security;
alter table public.orders enable row level security;
alter table public.order_parts enable row level security;
alter table public.order_items enable row level security;

create policy "Admins and clients see all orders, customers their own, suppliers those with their items" on public.orders
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then customer_id = (select private.customer_id())
      -- For few orders Postgres looks up each part; for many it reads all parts of the supplier once.
      when 'supplier' then exists (
        select 1 from public.order_parts p where p.order_id = orders.id and p.supplier_id = (select private.supplier_id())
      )
      else (select private.reads_all())
    end
  );

create policy "Admins and clients see all parts, customers those of their orders, suppliers their own" on public.order_parts
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then customer_id = (select private.customer_id())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

create policy "Members who see an order see its items, suppliers their own" on public.order_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then (select true from public.orders o where o.id = order_id)
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

-- grants ---------------------------------------------------------------------------------------

-- Functions and trigger conditions that run as the caller use these.
grant execute on function private.holds_stock, private.is_untouched, private.is_sent, private.is_void, private.was_paid
  to authenticated, service_role;
grant select on public.orders, public.order_parts, public.order_items to authenticated;
grant all on public.orders, public.order_parts, public.order_items to service_role;

-- supabase/schemas/orders/0505_ordered_products.sql

-- A product that was ever ordered is discontinued instead of deleted.

-- functions ------------------------------------------------------------------------------------

create function private.keep_ordered_product() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The row is locked, so no order can be placed in between. If the tenant is deleted, its products are deleted too.
  if exists (
      select 1 from public.order_items i where i.tenant_id = old.tenant_id and i.product_id = old.id
    )
    and exists (select 1 from public.tenants t where t.id = old.tenant_id)
  then
    update public.products p
    set status = 'discontinued'
    where p.id = old.id and p.status <> 'discontinued';
    return null;
  end if;
  return old;
end
$$;
comment on function private.keep_ordered_product() is
  'Row trigger: discontinues a product that was ever ordered instead of deleting it.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_stay_when_ordered
  before delete on public.products
  for each row execute function private.keep_ordered_product();

-- supabase/schemas/orders/0510_order_notes.sql

-- Notes on orders: internal ones for members who work on the order, others for everybody who sees it.

create type public.note_visibility as enum ('internal', 'customer');

-- tables ---------------------------------------------------------------------------------------

create table public.order_notes (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  text text not null,
  visibility public.note_visibility not null,
  supplier_id uuid,
  author_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint order_notes_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_notes_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint order_notes_text_is_1_to_5000_characters_and_not_blank
    check (char_length(text) <= 5000 and text ~ '\S')
);
comment on table public.order_notes is
  'Notes on an order. Internal ones are for admins and clients, and for the supplier whose member wrote them (supplier_id); the others are for all who see the order.';

-- indexes --------------------------------------------------------------------------------------

create unique index order_notes_order_idx on public.order_notes (tenant_id, order_id, created_at, id);
alter table public.order_notes replica identity using index order_notes_order_idx;
create index order_notes_supplier_idx on public.order_notes (tenant_id, supplier_id);

-- functions ------------------------------------------------------------------------------------

create function private.add_order_note(order_id uuid, text text, visibility public.note_visibility) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  caller public.member_role := private.tenant_role();
  added uuid;
begin
  perform private.seen_order(add_order_note.order_id);
  if caller = 'customer' and add_order_note.visibility = 'internal' then
    perform private.refuse(
      'FORBIDDEN', 'visibility must be customer for a note of a customer.', 'visibility', '"internal"'
    );
  elsif add_order_note.text is null then
    perform private.refuse('VALIDATION_ERROR', 'text is required.', 'text', 'null');
  end if;
  -- Lists of orders return all notes, so their number is limited. The lock lets parallel requests count each other's
  -- notes.
  perform 1 from public.orders o where o.id = add_order_note.order_id for no key update;
  if (
    select count(*) from public.order_notes n where n.tenant_id = tenant and n.order_id = add_order_note.order_id
  ) >= 200 then
    perform private.refuse('VALIDATION_ERROR', 'An order can have at most 200 notes.');
  end if;
  perform private.bound_record(
    (
      select coalesce(sum(octet_length(to_json(n.text)::text)), 0)
      from public.order_notes n
      where n.tenant_id = tenant and n.order_id = add_order_note.order_id
    ) + octet_length(to_json(add_order_note.text)::text),
    0.25, 'The notes of this order are too long together. Shorten this note.', 'text'
  );

  insert into public.order_notes (tenant_id, order_id, text, visibility, supplier_id, author_id)
  values (
    tenant, add_order_note.order_id, add_order_note.text,
    coalesce(
      add_order_note.visibility,
      case caller when 'customer' then 'customer' else 'internal' end::public.note_visibility
    ),
    private.supplier_id(), auth.uid()
  )
  returning id into added;
  return added;
end
$$;
comment on function private.add_order_note is
  'Adds a note to an order that the caller sees, or refuses: NOT_FOUND, FORBIDDEN, VALIDATION_ERROR.';

create function public.add_order_note(
  order_id uuid, text text, visibility public.note_visibility default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  added uuid := private.add_order_note(order_id, text, visibility);
begin
  return (select to_jsonb(n) from public.order_notes n where n.id = added);
end
$$;
comment on function public.add_order_note is
  'Adds a note to an order and returns it. Everybody who sees the order can read a customer''s note. Other notes are internal unless visibility is customer.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.order_notes for each row execute function private.keep_nfc();

-- policies -------------------------------------------------------------------------------------

alter table public.order_notes enable row level security;

create policy "Admins and clients see all notes, customers those for them, suppliers their own and the operator's for customers" on public.order_notes
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then visibility = 'customer' and (select true from public.orders o where o.id = order_id)
      when 'supplier' then
        (visibility = 'customer' and supplier_id is null or supplier_id = (select private.supplier_id()))
        and (select true from public.orders o where o.id = order_id)
      else (select private.reads_all())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.order_notes to authenticated;
grant all on public.order_notes to service_role;
grant execute on function private.add_order_note to authenticated;
grant execute on function public.add_order_note to authenticated;

-- supabase/schemas/services/0530_services.sql

-- Services: the calendar of a product, the slots that follow from it, and their bookings. An item of an order that
-- names a starts_at makes a booking, and no slot is booked twice.

create extension if not exists btree_gist with schema extensions;

create type public.booking_status as enum ('booked', 'cancelled');

-- tables ---------------------------------------------------------------------------------------

create table public.service_calendars (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  time_zone text not null,
  duration_minutes integer not null,
  capacity integer not null default 1,
  lead_minutes integer not null default 0,
  cancellation_minutes integer not null default 0,
  location jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint service_calendars_tenant_id_product_id_key unique (tenant_id, product_id),
  constraint service_calendars_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint service_calendars_duration_minutes_is_between_5_and_1440 check (duration_minutes between 5 and 1440),
  constraint service_calendars_capacity_is_between_1_and_1000 check (capacity between 1 and 1000),
  constraint service_calendars_lead_minutes_is_between_0_and_525600 check (lead_minutes between 0 and 525600),
  constraint service_calendars_cancellation_minutes_is_between_0_and_525600
    check (cancellation_minutes between 0 and 525600),
  constraint service_calendars_location_is_an_object
    check (jsonb_typeof(location) = 'object' and char_length(location::text) <= 10000),
  constraint service_calendars_location_is_without_numbers_of_over_30_digits check (private.has_short_numbers(location)),
  constraint service_calendars_time_zone_is_at_most_100_characters check (char_length(time_zone) <= 100)
);
comment on table public.service_calendars is
  'How a service is booked: slots of duration_minutes with capacity seats each. A slot can be booked until lead_minutes before it starts, and its customer can cancel it until cancellation_minutes before.';
alter table public.service_calendars replica identity full;

create table public.service_hours (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  weekday smallint not null,
  opens time not null,
  closes time not null,
  constraint service_hours_product_id_fkey foreign key (tenant_id, product_id)
    references public.service_calendars (tenant_id, product_id) on delete cascade,
  constraint service_hours_weekday_is_between_1_and_7 check (weekday between 1 and 7),
  constraint service_hours_closes_is_after_it_opens check (closes > opens)
);
comment on table public.service_hours is
  'The weekly opening hours of a service, in its calendar''s time zone. Weekday 1 is Monday.';

create table public.service_exceptions (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  date date not null,
  opens time,
  closes time,
  constraint service_exceptions_product_id_fkey foreign key (tenant_id, product_id)
    references public.service_calendars (tenant_id, product_id) on delete cascade,
  constraint service_exceptions_date_is_in_the_years_1_to_9999 check (date between '0001-01-01' and '9999-12-31'),
  constraint service_exceptions_closes_is_set_with_opens check ((opens is null) = (closes is null)),
  constraint service_exceptions_closes_is_after_it_opens check (closes > opens)
);
comment on table public.service_exceptions is
  'Days with their own hours instead of the weekly ones. A row without hours closes the day.';

create table public.bookings (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  order_id uuid not null,
  order_item_id uuid not null,
  customer_id uuid not null,
  supplier_id uuid,
  name text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  seat integer not null,
  status public.booking_status not null default 'booked',
  cancellation_minutes integer not null default 0,
  -- Computed in UTC, because only that is immutable.
  cancellable_until timestamptz not null generated always as (
    (starts_at at time zone 'UTC' - make_interval(mins => cancellation_minutes)) at time zone 'UTC'
  ) stored,
  delivered_at timestamptz,
  delivery_delayed_until timestamptz,
  time_zone text not null,
  location jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint bookings_order_item_id_key unique (tenant_id, order_id, order_item_id),
  constraint bookings_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint bookings_order_item_id_fkey foreign key (tenant_id, order_id, order_item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint bookings_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id),
  constraint bookings_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint bookings_ends_at_is_after_starts_at check (ends_at > starts_at),
  constraint bookings_seat_is_at_least_1 check (seat >= 1),
  -- Holds for every writer: a seat is booked once at a time.
  constraint bookings_seat_is_taken_once exclude using gist (
    tenant_id with =, product_id with =, seat with =, tstzrange(starts_at, ends_at) with &&
  ) where (status = 'booked')
);
comment on table public.bookings is
  'One seat in a slot of a service for one item of an order, with name, location and cancellation_minutes as they were when it was booked. cancellable_until: the time until which its customer can cancel it. delivered_at: its end, once it is over and counts as delivered. delivery_delayed_until: the time before which the job does not try again.';

-- indexes --------------------------------------------------------------------------------------

create unique index service_hours_product_idx on public.service_hours (tenant_id, product_id, weekday, id);
alter table public.service_hours replica identity using index service_hours_product_idx;
create unique index service_exceptions_product_idx on public.service_exceptions (tenant_id, product_id, date, id);
alter table public.service_exceptions replica identity using index service_exceptions_product_idx;
create unique index bookings_tenant_id_starts_at_idx on public.bookings (tenant_id, starts_at, id);
alter table public.bookings replica identity using index bookings_tenant_id_starts_at_idx;
create index bookings_product_idx on public.bookings (tenant_id, product_id, starts_at, id);
create index bookings_customer_idx on public.bookings (tenant_id, customer_id, starts_at, id);
create index bookings_supplier_idx on public.bookings (tenant_id, supplier_id, starts_at, id);
-- For the job, which looks at all tenants at once.
create index bookings_ends_at_idx on public.bookings (ends_at) where status = 'booked' and delivered_at is null;

-- functions ------------------------------------------------------------------------------------

create view public.booking_details with (security_invoker = true) as
select
  b.id, b.tenant_id, b.product_id, b.order_id, b.order_item_id, b.customer_id, b.supplier_id, b.name, b.starts_at, b.ends_at,
  b.seat, b.status, b.cancellable_until, b.delivered_at, b.time_zone, b.location, b.created_at, b.updated_at,
  private.local_text(b.starts_at, t.time_zone) as starts_at_local,
  private.local_text(b.ends_at, t.time_zone) as ends_at_local,
  private.local_text(b.cancellable_until, t.time_zone) as cancellable_until_local,
  private.local_text(b.delivered_at, t.time_zone) as delivered_at_local,
  private.local_text(b.created_at, t.time_zone) as created_at_local,
  private.local_text(b.updated_at, t.time_zone) as updated_at_local
from public.bookings b
left join public.tenants t on t.id = b.tenant_id;
comment on view public.booking_details is
  'The bookings, as the API returns them: their times are also there as texts in the tenant''s time zone (…_local).';

create function private.check_calendar() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if (
    select p.kind from public.products p where p.tenant_id = new.tenant_id and p.id = new.product_id
  ) <> 'service' then
    perform private.refuse(
      'VALIDATION_ERROR', 'Only services can have a calendar.', 'product_id', to_jsonb(new.product_id)
    );
  end if;
  perform private.check_time_zone(new.time_zone);
  return new;
end
$$;
comment on function private.check_calendar() is 'Row trigger: only services have a calendar, and its time zone exists.';

create function private.check_hours(hours jsonb, field text, most integer) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  clash record;
begin
  if jsonb_typeof(hours) is distinct from 'array' then
    perform private.refuse('VALIDATION_ERROR', 'Hours must be a list of {opens, closes}.', field, hours);
  elsif jsonb_array_length(hours) > most then
    perform private.refuse('VALIDATION_ERROR', format('At most %s hours are allowed.', most), field);
  end if;
  with sent as (
    select
      h.position - 1 as index, h.value, (h.value ->> 'weekday')::integer as weekday,
      (h.value ->> 'opens')::time as opens, (h.value ->> 'closes')::time as closes
    from jsonb_array_elements(hours) with ordinality as h (value, position)
  )
  select a.index, a.value into clash
  from sent a
  where a.opens is null
    or a.closes is null
    or a.closes <= a.opens
    or exists (
      select 1
      from sent b
      where b.index < a.index and b.weekday is not distinct from a.weekday and a.opens < b.closes and b.opens < a.closes
    )
  order by a.index
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', 'Hours must open before they close, and must not overlap.',
      format('%s[%s]', field, clash.index), clash.value
    );
  end if;
end
$$;
comment on function private.check_hours is
  'Refuses with VALIDATION_ERROR hours that overlap or close before they open, and more than the maximum.';

create function private.calendar_record(tenant_id uuid, product_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return (
    select jsonb_build_object(
      'product_id', c.product_id, 'time_zone', c.time_zone, 'duration_minutes', c.duration_minutes,
      'capacity', c.capacity, 'lead_minutes', c.lead_minutes, 'cancellation_minutes', c.cancellation_minutes,
      'location', c.location,
      'hours', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'weekday', h.weekday, 'opens', to_char(h.opens, 'HH24:MI'), 'closes', to_char(h.closes, 'HH24:MI')
            )
            order by h.weekday, h.opens
          ),
          '[]'
        )
        from public.service_hours h
        where h.tenant_id = c.tenant_id and h.product_id = c.product_id
      ),
      'exceptions', (
        select coalesce(jsonb_agg(jsonb_build_object('date', day.date, 'hours', day.hours) order by day.date), '[]')
        from (
          select e.date,
            coalesce(
              jsonb_agg(
                jsonb_build_object('opens', to_char(e.opens, 'HH24:MI'), 'closes', to_char(e.closes, 'HH24:MI'))
                order by e.opens
              ) filter (where e.opens is not null),
              '[]'
            ) as hours
          from public.service_exceptions e
          where e.tenant_id = c.tenant_id and e.product_id = c.product_id
          group by e.date
        ) as day
      ),
      'created_at', c.created_at, 'updated_at', c.updated_at
    )
    from public.service_calendars c
    where c.tenant_id = calendar_record.tenant_id and c.product_id = calendar_record.product_id
  );
end
$$;
comment on function private.calendar_record is 'The record of a calendar, as the API returns it.';

create function private.bookable_product(product_id uuid) returns uuid
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if not exists (
    select 1
    from public.products p
    join public.service_calendars c on c.tenant_id = p.tenant_id and c.product_id = p.id
    where p.tenant_id = (select private.tenant_id()) and p.id = bookable_product.product_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such product, or it has no calendar.');
  end if;
  return private.tenant_id();
end
$$;
comment on function private.bookable_product is
  'The tenant of a product that the caller sees and that has a calendar. Refuses with NOT_FOUND.';

create function public.get_service_calendar(product_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.calendar_record(private.bookable_product(product_id), product_id);
end
$$;
comment on function public.get_service_calendar is 'The calendar of a service, for everybody who sees the product.';

create function private.set_service_calendar(
  product_id uuid, time_zone text, duration_minutes integer, capacity integer, lead_minutes integer, location jsonb,
  hours jsonb, exceptions jsonb, cancellation_minutes integer
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  product public.products := private.managed_product(set_service_calendar.product_id);
  day record;
  kept jsonb;
begin
  perform private.check_hours(hours, 'hours', 200);
  if exists (
    select 1
    from jsonb_array_elements(hours) as h
    where (h ->> 'weekday')::integer not between 1 and 7 or h ->> 'weekday' is null
  ) then
    perform private.refuse('VALIDATION_ERROR', 'weekday must be a number from 1 (Monday) to 7.', 'hours', hours);
  elsif jsonb_typeof(exceptions) is distinct from 'array' then
    perform private.refuse('VALIDATION_ERROR', 'exceptions must be a list of {date, hours}.', 'exceptions', exceptions);
  elsif jsonb_array_length(exceptions) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'exceptions must have at most 1000 entries.', 'exceptions');
  end if;
  for day in
    select
      e.position - 1 as index, e.value, e.value -> 'hours' as hours,
      ((e.value ->> 'date')::date between '0001-01-01' and '9999-12-31') is not true
        or count(*) over (partition by (e.value ->> 'date')::date order by e.position) > 1 as wrong
    from jsonb_array_elements(exceptions) with ordinality as e (value, position)
    order by e.position
  loop
    if day.wrong then
      perform private.refuse(
        'VALIDATION_ERROR', 'Each exception must have a different date, in the years 1 to 9999.',
        format('exceptions[%s].date', day.index),
        day.value -> 'date'
      );
    end if;
    perform private.check_hours(day.hours, format('exceptions[%s].hours', day.index), 50);
  end loop;

  insert into public.service_calendars as c
    (tenant_id, product_id, time_zone, duration_minutes, capacity, lead_minutes, cancellation_minutes, location)
  values (
    product.tenant_id, product.id, set_service_calendar.time_zone, set_service_calendar.duration_minutes,
    set_service_calendar.capacity, set_service_calendar.lead_minutes, set_service_calendar.cancellation_minutes,
    set_service_calendar.location
  )
  on conflict (tenant_id, product_id) do update
    set time_zone = excluded.time_zone,
        duration_minutes = excluded.duration_minutes,
        capacity = excluded.capacity,
        lead_minutes = excluded.lead_minutes,
        cancellation_minutes = excluded.cancellation_minutes,
        location = excluded.location;

  delete from public.service_hours h where h.tenant_id = product.tenant_id and h.product_id = product.id;
  insert into public.service_hours (tenant_id, product_id, weekday, opens, closes)
  select product.tenant_id, product.id, h.weekday, h.opens, h.closes
  from jsonb_to_recordset(hours) as h (weekday smallint, opens time, closes time);

  delete from public.service_exceptions e where e.tenant_id = product.tenant_id and e.product_id = product.id;
  insert into public.service_exceptions (tenant_id, product_id, date, opens, closes)
  select product.tenant_id, product.id, e.date, h.opens, h.closes
  from jsonb_to_recordset(exceptions) as e (date date, hours jsonb)
  left join lateral jsonb_to_recordset(e.hours) as h (opens time, closes time) on true;

  kept := private.calendar_record(product.tenant_id, product.id);
  perform private.bound_record(
    octet_length(kept::text), 1, 'The calendar is too large. Remove exceptions.', 'exceptions'
  );
  return kept;
end
$$;
comment on function private.set_service_calendar is
  'Creates or replaces the calendar of a service. Refuses with NOT_FOUND, FORBIDDEN, VALIDATION_ERROR.';

create function public.set_service_calendar(
  product_id uuid,
  time_zone text,
  duration_minutes integer,
  capacity integer default 1,
  lead_minutes integer default 0,
  location jsonb default null,
  hours jsonb default '[]',
  exceptions jsonb default '[]',
  cancellation_minutes integer default 0
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.set_service_calendar(
    product_id, time_zone, duration_minutes, capacity, lead_minutes, location, hours, exceptions,
    cancellation_minutes
  );
end
$$;
comment on function public.set_service_calendar is
  'Creates the calendar of a service or replaces all of it. hours: a list of weekday (1 is Monday), opens and closes. exceptions: a list of date and hours; no hours close the day. cancellation_minutes: the time before the start of a slot until which its customer can cancel it. Existing bookings stay.';

create function private.service_slots(tenant_id uuid, product_id uuid, first_day date, last_day date)
returns table (starts_at timestamptz, ends_at timestamptz, available integer)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  -- JIT compilation takes longer than the query.
  -- Opening hours are local times and slots have a fixed duration, so a day on which the clock changes has more or
  -- fewer slots.
  return query
    with calendar as (
      select * from public.service_calendars c
      where c.tenant_id = service_slots.tenant_id and c.product_id = service_slots.product_id
    ),
    exception as (
      select e.date, e.opens, e.closes
      from public.service_exceptions e
      where e.tenant_id = service_slots.tenant_id
        and e.product_id = service_slots.product_id
        and e.date between first_day and last_day
    ),
    opening as (
      select day.date, h.opens, h.closes
      from (
        select first_day + offs as date from generate_series(0, last_day - first_day) as offs
      ) as day
      join public.service_hours h
        on h.tenant_id = service_slots.tenant_id
        and h.product_id = service_slots.product_id
        and h.weekday = extract(isodow from day.date)
      where day.date not in (select e.date from exception e)
      union all
      select e.date, e.opens, e.closes from exception e where e.opens is not null
    ),
    slot as (
      select distinct s.starts_at, s.starts_at + make_interval(mins => c.duration_minutes) as ends_at, c.capacity
      from calendar c
      cross join opening o
      cross join lateral generate_series(
        (o.date + o.opens) at time zone c.time_zone,
        (o.date + o.closes) at time zone c.time_zone - make_interval(mins => c.duration_minutes),
        make_interval(mins => c.duration_minutes)
      ) as s (starts_at)
      where s.starts_at >= now() + make_interval(mins => c.lead_minutes)
    ),
    -- The longest booking: one that is still going on at a slot began at most this long before it.
    longest as (
      select max(b.ends_at - b.starts_at) as duration
      from public.bookings b
      where b.tenant_id = service_slots.tenant_id
        and b.product_id = service_slots.product_id
        and b.starts_at between first_day - interval '2 days' and last_day + interval '2 days'
        and b.status = 'booked'
    ),
    counted as (
      select
        slot.starts_at, slot.ends_at,
        slot.capacity - (
          select count(distinct b.seat)::integer
          from public.bookings b
          where b.tenant_id = service_slots.tenant_id
            and b.product_id = service_slots.product_id
            and b.starts_at > slot.starts_at - (select longest.duration from longest)
            and b.starts_at < slot.ends_at
            and b.ends_at > slot.starts_at
            and b.status = 'booked'
            and b.seat <= slot.capacity
        ) as available
      from slot
    )
    select counted.starts_at, counted.ends_at, counted.available
    from counted
    where counted.available > 0;
end
$$;
comment on function private.service_slots is
  'The slots of a service that can be booked and have seats left, on these days in the time zone of its calendar.';

create function public.list_service_slots(
  product_id uuid,
  "from" date default null,
  "to" date default null,
  "order" text default 'asc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  tenant uuid := private.bookable_product(product_id);
  tenant_zone text := private.time_zone_of(tenant);
  zone text := (
    select c.time_zone
    from public.service_calendars c
    where c.tenant_id = tenant and c.product_id = list_service_slots.product_id
  );
  first_day date := coalesce("from", (now() at time zone tenant_zone)::date);
  last_day date := coalesce("to", first_day + 6);
  begins_at timestamptz := first_day::timestamp at time zone tenant_zone;
  stops_at timestamptz := (last_day + 1)::timestamp at time zone tenant_zone;
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
begin
  if last_day < first_day then
    perform private.refuse('VALIDATION_ERROR', 'to must not be before from.', 'to', to_jsonb(last_day));
  elsif last_day - first_day > 61 then
    perform private.refuse('VALIDATION_ERROR', 'to must be at most 61 days after from.', 'to', to_jsonb(last_day));
  end if;
  return (
    with found as (
      select
        s.starts_at, s.ends_at, private.local_text(s.starts_at, tenant_zone) as starts_at_local,
        private.local_text(s.ends_at, tenant_zone) as ends_at_local, s.available,
        row_number() over (
          order by case "order" when 'desc' then s.starts_at end desc, case "order" when 'desc' then null else s.starts_at end
        ) as position
      -- The days of opening hours are those of the calendar's time zone.
      from private.service_slots(
        tenant, product_id, (begins_at at time zone zone)::date, (stops_at at time zone zone)::date
      ) as s
      where s.starts_at >= begins_at and s.starts_at < stops_at
    )
    select jsonb_build_object(
      'product_id', product_id, 'time_zone', zone, 'from', first_day, 'to', last_day,
      'slots', coalesce(
        jsonb_agg(to_jsonb(f) - 'position' order by f.position)
          filter (where f.position > skipped and f.position <= skipped + size),
        '[]'
      ),
      'total', count(*)
    )
    from found f
  );
end
$$;
comment on function public.list_service_slots is
  'A page of the free slots of a service between two days of the tenant''s time zone, at most 62 days; by default today and the next six days. time_zone: that of the calendar''s opening hours; starts_at_local and ends_at_local are in the tenant''s.';

create function private.free_seat(calendar public.service_calendars, starts_at timestamptz, path text) returns integer
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  day constant date := free_seat.starts_at at time zone calendar.time_zone;
begin
  if not isfinite(free_seat.starts_at) or not exists (
    select 1
    from private.service_slots(calendar.tenant_id, calendar.product_id, day, day) as s
    where s.starts_at = free_seat.starts_at
  ) then
    perform private.refuse(
      'SLOT_NOT_AVAILABLE', 'This slot is not available. Choose one of the free slots.', path || 'starts_at'
    );
  end if;
  return (
    select min(free.seat)
    from generate_series(1, calendar.capacity) as free (seat)
    where not exists (
      select 1
      from public.bookings b
      where b.tenant_id = calendar.tenant_id
        and b.product_id = calendar.product_id
        and b.seat = free.seat
        and b.status = 'booked'
        and tstzrange(b.starts_at, b.ends_at)
          && tstzrange(free_seat.starts_at, free_seat.starts_at + make_interval(mins => calendar.duration_minutes))
    )
  );
end
$$;
comment on function private.free_seat is
  'The first free seat of a slot. The caller has locked the calendar. Refuses with SLOT_NOT_AVAILABLE.';

create function private.book_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  item record;
begin
  -- Locks the calendars until the end of the transaction, in the order of products, which prevents deadlocks. What is
  -- read below stays true.
  perform 1
  from public.service_calendars c
  join new_items n on n.tenant_id = c.tenant_id and n.product_id = c.product_id
  join public.orders o on o.tenant_id = n.tenant_id and o.id = n.order_id and o.imported_at is null
  order by c.product_id
  for no key update of c;

  for item in
    select
      n.*, o.customer_id, c as calendar,
      format('items[%s].', n.position - 1) as path
    from new_items n
    join public.products p on p.tenant_id = n.tenant_id and p.id = n.product_id
    join public.orders o on o.tenant_id = n.tenant_id and o.id = n.order_id and o.imported_at is null
    left join public.service_calendars c on c.tenant_id = n.tenant_id and c.product_id = n.product_id
    where p.kind = 'service' or n.starts_at is not null
    order by n.order_id, n.position
  loop
    -- The refusals leave out the value of starts_at, which is no longer in the form that was sent.
    if (item.calendar).id is null then
      continue when item.starts_at is null;
      perform private.refuse(
        'VALIDATION_ERROR', 'This product has no calendar. Leave starts_at out.', item.path || 'starts_at'
      );
    elsif item.starts_at is null then
      perform private.refuse(
        'VALIDATION_ERROR', 'starts_at is required: name the slot to book.', item.path || 'starts_at', 'null'
      );
    elsif item.quantity <> 1 then
      perform private.refuse(
        'VALIDATION_ERROR', 'quantity must be 1 for a service. Send one item for each place.', item.path || 'quantity',
        to_jsonb(item.quantity)
      );
    end if;

    begin
      insert into public.bookings (
        tenant_id, product_id, order_id, order_item_id, customer_id, supplier_id, name, starts_at, ends_at, seat,
        cancellation_minutes, time_zone, location
      )
      values (
        item.tenant_id, item.product_id, item.order_id, item.id, item.customer_id, item.supplier_id, item.name,
        item.starts_at, item.starts_at + make_interval(mins => (item.calendar).duration_minutes),
        private.free_seat(item.calendar, item.starts_at, item.path),
        (item.calendar).cancellation_minutes, (item.calendar).time_zone, (item.calendar).location
      );
    exception
      -- The constraint refuses a seat that another writer has booked.
      when exclusion_violation then
        perform private.refuse(
          'SLOT_NOT_AVAILABLE', 'This slot was just booked. Choose another one.', item.path || 'starts_at'
        );
    end;
  end loop;
  return null;
end
$$;
comment on function private.book_items() is
  'Statement trigger: books the items of services, or refuses the order: VALIDATION_ERROR, SLOT_NOT_AVAILABLE. Items of imported orders are not booked.';

create function private.free_bookings() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.bookings b
  set status = 'cancelled'
  where b.tenant_id = new.tenant_id
    and b.order_id = new.order_id
    and b.order_item_id = new.id
    and b.status = 'booked';
  return null;
end
$$;
comment on function private.free_bookings() is
  'Row trigger: cancels the bookings of items that are cancelled or returned, which frees their slots.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.service_calendars
  for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.bookings for each row execute function private.keep_nfc();

create trigger service_calendars_check_calendar
  before insert or update on public.service_calendars
  for each row execute function private.check_calendar();

create trigger service_calendars_touch
  before update on public.service_calendars
  for each row execute function private.touch();

create trigger bookings_touch
  before update on public.bookings
  for each row execute function private.touch();

create trigger order_items_book
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.book_items();

create trigger order_items_free_bookings
  after update on public.order_items
  for each row when (new.sold_quantity < old.sold_quantity)
  execute function private.free_bookings();

-- policies -------------------------------------------------------------------------------------

alter table public.service_calendars enable row level security;
alter table public.service_hours enable row level security;
alter table public.service_exceptions enable row level security;
alter table public.bookings enable row level security;

create policy "Members who see a product see its calendar" on public.service_calendars
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Members who see a product see its hours" on public.service_hours
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Members who see a product see its exceptions" on public.service_exceptions
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins and clients see all bookings, customers their own, suppliers those of their items" on public.bookings
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then customer_id = (select private.customer_id())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on
  public.service_calendars, public.service_hours, public.service_exceptions, public.bookings, public.booking_details
to authenticated;
grant all on
  public.service_calendars, public.service_hours, public.service_exceptions, public.bookings, public.booking_details
to service_role;
grant execute on function
  private.set_service_calendar, private.calendar_record, private.bookable_product, private.service_slots
to authenticated;
grant execute on function
  public.get_service_calendar, public.set_service_calendar, public.list_service_slots
to authenticated;

-- supabase/schemas/orders/0540_order_pieces.sql

-- The pieces of an order: each is open, in transit, delivered, returned, lost or cancelled. An item counts its pieces
-- in each state. The status of the order, and of each supplier's part, follows from these counts. Every change of a
-- piece goes through move_pieces.

-- types ----------------------------------------------------------------------------------------

create type public.piece_state as enum ('open', 'shipped', 'delivered', 'returned', 'lost', 'cancelled');

create type private.piece as (
  item_id uuid, "position" integer, product_id uuid, variant_id uuid, supplier_id uuid, is_digital boolean,
  quantity integer
);
comment on type private.piece is 'A number of pieces (quantity) of an item of an order.';

-- tables ---------------------------------------------------------------------------------------

create table private.piece_states (
  state public.piece_state not null,
  is_shipped boolean not null default false,
  is_delivered boolean not null default false,
  is_returned boolean not null default false,
  is_lost boolean not null default false,
  is_cancelled boolean not null default false,
  constraint piece_states_pkey primary key (state)
);
comment on table private.piece_states is
  'Which quantities of an item count a piece in a state. So quantity = open + shipped + cancelled, and shipped = in transit + delivered + lost. The state shipped means in transit.';

create table private.piece_moves (
  name text not null,
  from_state public.piece_state not null,
  to_state public.piece_state not null,
  stock_reason public.inventory_reason,
  constraint piece_moves_pkey primary key (name),
  constraint piece_moves_from_state_fkey foreign key (from_state) references private.piece_states (state),
  constraint piece_moves_to_state_fkey foreign key (to_state) references private.piece_states (state)
);
comment on table private.piece_moves is
  'Every move of a piece that exists, and the reason (of inventory_movements) for which it moves the stock; null if it moves none.';

create table public.order_status_changes (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  old_status public.order_status not null,
  new_status public.order_status not null,
  note text,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint order_status_changes_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_status_changes_note_is_at_most_2000_characters check (char_length(note) <= 2000)
);
comment on table public.order_status_changes is
  'The history of each order: who moved it, when, from which status to which. Without an actor it was a job, or one of several suppliers of the order.';

-- indexes --------------------------------------------------------------------------------------

create unique index order_status_changes_order_idx on public.order_status_changes (tenant_id, order_id, created_at, id);
alter table public.order_status_changes replica identity using index order_status_changes_order_idx;

-- functions ------------------------------------------------------------------------------------

create function private.status_of_pieces(
  given public.order_status, kept numeric, lost numeric, returned numeric, delivered numeric, shipped numeric, is_begun boolean
) returns public.order_status
language sql immutable
return case
  when kept = 0 and lost = 0 then 'cancelled'::public.order_status
  when kept = 0 or returned = kept then 'returned'
  when delivered = kept then 'delivered'
  when shipped = kept then 'shipped'
  when is_begun or not private.holds_stock(given) then 'processing'
  else given
end;
comment on function private.status_of_pieces is
  'The status of an order, or of a part of one, by its pieces. kept: pieces that are neither cancelled nor lost; returned, delivered and shipped: pieces of these that are at least so far; is_begun: a piece that is not digital was shipped; given: the status until now, or the one to which it is moved by hand.';

create function private.pieces_in(target public.orders, variadic states public.piece_state[] default '{}')
returns setof private.piece
language plpgsql stable security definer set search_path = ''
as $$
declare
  -- A supplier moves only its own items.
  own_supplier uuid := private.supplier_id();
begin
  return query
  select
    i.id, i.position, i.product_id, i.variant_id, i.supplier_id, p.kind = 'digital',
    case when 'open' = any (states) then i.quantity - i.shipped_quantity - i.cancelled_quantity else 0 end
    + case when 'shipped' = any (states) then i.shipped_quantity - i.delivered_quantity - i.lost_quantity else 0 end
    + case when 'delivered' = any (states) then i.delivered_quantity - i.returned_quantity else 0 end
  from public.order_items i
  join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
  where i.tenant_id = target.tenant_id and i.order_id = target.id
    and (own_supplier is null or i.supplier_id = own_supplier)
  order by i.position;
end
$$;
comment on function private.pieces_in is
  'The number of pieces of each item of an order, also 0, in these states: open, shipped (in transit) and delivered (not returned). A supplier gets its own items.';

create function private.wanted_pieces(items jsonb, there private.piece[], too_many text) returns private.piece[]
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted private.piece[];
  problem record;
begin
  if jsonb_typeof(items) is distinct from 'array' or jsonb_array_length(items) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'items must name at least one item.', 'items', items);
  elsif jsonb_array_length(items) > 500 then
    perform private.refuse('VALIDATION_ERROR', 'items must have at most 500 entries.', 'items');
  end if;
  perform private.known_only(sent.value, '{item_id,quantity}', format('items[%s].', sent.position - 1))
  from jsonb_array_elements(items) with ordinality as sent (value, position);

  select line.* into problem
  from (
    select
      sent.position, sent.value, piece.item_id, (sent.value ->> 'quantity')::integer as quantity, piece.quantity as there,
      sum((sent.value ->> 'quantity')::integer) over (partition by piece.item_id order by sent.position) as wanted
    from jsonb_array_elements(items) with ordinality as sent (value, position)
    left join unnest(there) as piece on piece.item_id = (sent.value ->> 'item_id')::uuid
  ) as line
  where line.item_id is null or coalesce(line.quantity, 0) <= 0 or line.wanted > line.there
  order by line.position
  limit 1;
  if found and problem.item_id is null then
    perform private.refuse(
      'NOT_FOUND', 'The order has no such item.',
      format('items[%s].item_id', problem.position - 1), problem.value -> 'item_id'
    );
  elsif found then
    perform private.refuse(
      'VALIDATION_ERROR',
      case when coalesce(problem.quantity, 0) <= 0 then 'quantity must be at least 1.' else format(too_many, problem.there) end,
      format('items[%s].quantity', problem.position - 1), problem.value -> 'quantity'
    );
  end if;

  select array_agg(
    row(
      piece.item_id, piece.position, piece.product_id, piece.variant_id, piece.supplier_id, piece.is_digital, sent.quantity
    )::private.piece
    order by piece.position
  )
  into wanted
  from (
    select (s.value ->> 'item_id')::uuid as item_id, sum((s.value ->> 'quantity')::integer)::integer as quantity
    from jsonb_array_elements(items) as s (value)
    group by 1
  ) as sent
  join unnest(there) as piece on piece.item_id = sent.item_id;
  return wanted;
end
$$;
comment on function private.wanted_pieces is
  'The pieces that a caller names by item_id and quantity, out of those that are there. too_many: the message if it names more, with %s for the number that is there. Refuses: NOT_FOUND, VALIDATION_ERROR.';

create function private.pieces_among(there private.piece[], wanted private.piece[]) returns private.piece[]
language sql immutable set search_path = ''
as $$
  select array_agg(
    row(
      w.item_id, w.position, w.product_id, w.variant_id, w.supplier_id, w.is_digital, least(w.quantity, t.quantity)
    )::private.piece
    order by w.position
  )
  from unnest(wanted) as w
  join unnest(there) as t on t.item_id = w.item_id
  where least(w.quantity, t.quantity) > 0
$$;
comment on function private.pieces_among is 'As many of the wanted pieces of each item as are there; null if there are none.';

create function private.move_pieces(target public.orders, move text, pieces private.piece[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  reason public.inventory_reason;
  moved jsonb := to_jsonb(pieces);
begin
  if coalesce(cardinality(pieces), 0) = 0 then
    return;
  end if;
  select m.stock_reason into strict reason from private.piece_moves m where m.name = move_pieces.move;
  -- An imported order never moves stock.
  if reason is not null and target.imported_at is null then
    perform private.lock_stock(target.tenant_id, moved);
    perform private.take_stock(target.tenant_id, target.id, reason::text, moved);
  end if;

  update public.order_items i
  set shipped_quantity = i.shipped_quantity + sent.quantity * (after.is_shipped::integer - before.is_shipped::integer),
      delivered_quantity =
        i.delivered_quantity + sent.quantity * (after.is_delivered::integer - before.is_delivered::integer),
      returned_quantity = i.returned_quantity + sent.quantity * (after.is_returned::integer - before.is_returned::integer),
      lost_quantity = i.lost_quantity + sent.quantity * (after.is_lost::integer - before.is_lost::integer),
      cancelled_quantity =
        i.cancelled_quantity + sent.quantity * (after.is_cancelled::integer - before.is_cancelled::integer)
  from (select p.item_id, sum(p.quantity)::integer as quantity from unnest(pieces) as p group by p.item_id) as sent
  cross join private.piece_moves m
  join private.piece_states before on before.state = m.from_state
  join private.piece_states after on after.state = m.to_state
  where m.name = move_pieces.move
    and i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = sent.item_id;
end
$$;
comment on function private.move_pieces is
  'Makes a move of piece_moves with pieces of an order, and moves the stock with them. The caller has locked the order''s row, has checked that the pieces are in the state where the move begins, and calls follow_pieces afterwards.';

create function private.has_one_seller(target public.orders) returns boolean
language sql stable security definer set search_path = ''
as $$
  select count(*) <= 1
  from (
    select distinct i.supplier_id
    from public.order_items i
    where i.tenant_id = target.tenant_id and i.order_id = target.id
  ) as seller
$$;
comment on function private.has_one_seller is
  'Whether all items of an order are of one supplier, or of the operator. If not, several suppliers read its history, which must not reveal what one of them, or the customer, did with another one''s items.';

create function private.follow_pieces(
  target public.orders, note text default null, given public.order_status default null
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  current_status public.order_status := (select o.status from public.orders o where o.id = target.id);
  next_status public.order_status;
begin
  with counted as materialized (
    select
      i.supplier_id,
      sum(i.quantity - i.cancelled_quantity - i.lost_quantity) as kept,
      sum(i.lost_quantity) as lost,
      sum(i.returned_quantity) as returned,
      sum(i.delivered_quantity) as delivered,
      sum(i.shipped_quantity - i.lost_quantity) as shipped,
      -- Digital goods are handed out by themselves.
      bool_or(i.shipped_quantity > 0 and p.kind <> 'digital') as is_begun
    from public.order_items i
    join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
    where i.tenant_id = target.tenant_id and i.order_id = target.id
    group by i.supplier_id
  ),
  whole as (
    select private.status_of_pieces(
      current_status, sum(c.kept), sum(c.lost), sum(c.returned), sum(c.delivered), sum(c.shipped), bool_or(c.is_begun)
    ) as status, sum(c.kept) as kept
    from counted c
  ),
  parts as (
    update public.order_parts p
    set status = after.status,
        delivery_owed = after.delivery_owed,
        accepted = p.accepted or coalesce(given > 'pending', false)
    from (
      select
        part.supplier_id,
        case
          -- A part that delivers the whole order has the status of the order once no item of its own is left.
          when c.kept is null or c.kept = 0 and c.lost = 0 and part.delivers_all then whole.status
          else private.status_of_pieces(
            greatest(part.status, coalesce(given, 'pending')), c.kept, c.lost, c.returned, c.delivered, c.shipped, c.is_begun
          )
        end as status,
        -- A delivery of which nothing arrives is not owed.
        coalesce(case when part.delivers_all then whole.kept else c.kept end, 0) > 0 as delivery_owed
      from public.order_parts part
      cross join whole
      left join counted c on c.supplier_id is not distinct from part.supplier_id
      where part.tenant_id = target.tenant_id and part.order_id = target.id
    ) as after
    where p.tenant_id = target.tenant_id and p.order_id = target.id
      and p.supplier_id is not distinct from after.supplier_id
      and (p.status, p.delivery_owed, p.accepted)
        <> (after.status, after.delivery_owed, p.accepted or coalesce(given > 'pending', false))
  )
  select w.status into next_status from whole w;

  -- The row is written even if its status stays, so that Realtime reports it. If a status is given, the caller has
  -- written the row already.
  if given is null or next_status <> current_status then
    update public.orders o
    set status = next_status, updated_at = now()
    where o.id = target.id;
  end if;
  if next_status <> current_status then
    insert into public.order_status_changes (tenant_id, order_id, old_status, new_status, note, actor_id)
    values (
      target.tenant_id, target.id, current_status, next_status, follow_pieces.note,
      case when private.supplier_id() is null or private.has_one_seller(target) then auth.uid() end
    );
  end if;
end
$$;
comment on function private.follow_pieces is
  'Sets the status of an order and of its parts to the one that their pieces have, and writes the history. note: for everybody who sees the order. given: the status to which the whole order is moved by hand, which its parts get at least; null if it is not.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.order_status_changes
  for each row execute function private.keep_nfc();

create trigger orders_check_status_move
  before update of status on public.orders
  for each row execute function private.check_status_move();

-- policies -------------------------------------------------------------------------------------

alter table private.piece_states enable row level security;
alter table private.piece_moves enable row level security;
alter table public.order_status_changes enable row level security;

create policy "Members who see an order see its history" on public.order_status_changes
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.reads_all()) then true
      else (select true from public.orders o where o.id = order_id)
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.order_status_changes to authenticated;
grant all on public.order_status_changes to service_role;

-- supabase/schemas/orders/0541_shipments.sql

-- Shipments: pieces that a supplier, or the operator for it, has handed to a carrier. They are in transit until the shipment
-- is delivered (by a report or by time) or lost. The pieces of a void shipment, which was a mistake, are open again.

create type public.shipment_status as enum ('shipped', 'delivered', 'lost', 'void');

-- tables ---------------------------------------------------------------------------------------

create table public.shipments (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  supplier_id uuid,
  customer_id uuid not null,
  status public.shipment_status not null default 'shipped',
  resent boolean not null default false,
  carrier text,
  tracking_number text,
  tracking_url text,
  note text,
  actor_id uuid,
  delivery_expected_by timestamptz not null,
  delivered_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now(),
  constraint shipments_tenant_id_order_id_id_key unique (tenant_id, order_id, id),
  constraint shipments_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint shipments_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint shipments_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id),
  constraint shipments_resent_is_for_lost_ones check (not resent or status = 'lost'),
  constraint shipments_carrier_is_1_to_100_characters check (char_length(carrier) between 1 and 100),
  constraint shipments_tracking_number_is_1_to_200_characters check (char_length(tracking_number) between 1 and 200),
  constraint shipments_tracking_url_is_an_https_address
    check (char_length(tracking_url) <= 2000 and tracking_url ~ '^https://[^\s/?#]+[^\s]*$'),
  constraint shipments_note_is_1_to_2000_characters check (char_length(note) between 1 and 2000),
  constraint shipments_delivered_at_is_set_once_delivered check ((delivered_at is null) = (status <> 'delivered'))
);
comment on table public.shipments is
  'Pieces of an order that left together: items of one supplier, or of the operator (supplier_id is null). resent: it is lost, and its pieces were reserved again. actor_id: the user who made it. delivery_expected_by: the time from which it counts as delivered without a report.';

create table public.shipment_items (
  tenant_id uuid not null,
  order_id uuid not null,
  shipment_id uuid not null,
  item_id uuid not null,
  quantity integer not null,
  constraint shipment_items_pkey primary key (tenant_id, order_id, shipment_id, item_id),
  constraint shipment_items_shipment_id_fkey foreign key (tenant_id, order_id, shipment_id)
    references public.shipments (tenant_id, order_id, id) on delete cascade,
  constraint shipment_items_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint shipment_items_quantity_is_positive check (quantity > 0)
);
comment on table public.shipment_items is 'The number of pieces of each item in a shipment when it left.';

alter table public.shipments replica identity full;
alter publication supabase_realtime add table public.shipments;

-- indexes --------------------------------------------------------------------------------------

create index shipments_order_idx on public.shipments (tenant_id, order_id, created_at);
create index shipments_supplier_idx on public.shipments (tenant_id, supplier_id);
create index shipments_customer_idx on public.shipments (tenant_id, customer_id);
create index shipment_items_item_idx on public.shipment_items (tenant_id, order_id, item_id);
-- For the job, which looks at all tenants at once.
create index shipments_delivery_expected_by_idx on public.shipments (delivery_expected_by) where status = 'shipped';

-- functions ------------------------------------------------------------------------------------

create view public.shipment_details with (security_invoker = true) as
select
  s.id, s.tenant_id, s.order_id, s.supplier_id, s.status, s.resent, s.carrier, s.tracking_number, s.tracking_url, s.note,
  s.actor_id, s.delivery_expected_by, s.delivered_at, s.created_at, s.updated_at,
  private.local_text(s.delivery_expected_by, t.time_zone) as delivery_expected_by_local,
  private.local_text(s.delivered_at, t.time_zone) as delivered_at_local,
  private.local_text(s.created_at, t.time_zone) as created_at_local,
  private.local_text(s.updated_at, t.time_zone) as updated_at_local,
  (
    select coalesce(
      jsonb_agg(jsonb_build_object('item_id', i.item_id, 'quantity', i.quantity) order by i.item_id), '[]'
    )
    from public.shipment_items i
    where i.tenant_id = s.tenant_id and i.order_id = s.order_id and i.shipment_id = s.id
  ) as items
from public.shipments s
left join public.tenants t on t.id = s.tenant_id;
comment on view public.shipment_details is
  'The shipments with their items. Their times are also there as texts in the tenant''s time zone (…_local).';

create function private.business_of(marketplace_id uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(m.settings -> 'business', '{}') from public.marketplaces m where m.id = business_of.marketplace_id
$$;
comment on function private.business_of is 'The settings.business of a marketplace.';

create function private.ship_pieces(target public.orders, pieces private.piece[], details public.shipments) returns uuid[]
language plpgsql security definer set search_path = ''
as $$
declare
  days integer := coalesce((private.business_of(target.marketplace_id) ->> 'delivered_after_days')::integer, 14);
  made uuid[];
begin
  -- The limit is per supplier, so that one cannot use up the limit of another.
  if exists (
    select
    from (
      select s.supplier_id
      from public.shipments s
      where s.tenant_id = target.tenant_id and s.order_id = target.id
      group by s.supplier_id
      having count(*) >= 100
    ) as busy
    join unnest(pieces) as p on p.supplier_id is not distinct from busy.supplier_id
  ) then
    perform private.refuse('VALIDATION_ERROR', 'A supplier has at most 100 shipments of an order.');
  end if;
  -- All suppliers at once: an order may have 500 of them.
  with part as materialized (
    select p.supplier_id, gen_random_uuid() as shipment_id, array_agg(p.* order by p.position) as pieces
    from unnest(pieces) as p
    group by p.supplier_id
  ),
  sent as (
    insert into public.shipments (
      id, tenant_id, order_id, supplier_id, customer_id, carrier, tracking_number, tracking_url, note, actor_id,
      delivery_expected_by
    )
    select
      part.shipment_id, target.tenant_id, target.id, part.supplier_id, target.customer_id, details.carrier,
      details.tracking_number, details.tracking_url, details.note, auth.uid(), now() + make_interval(days => days)
    from part
    order by part.supplier_id
    returning id
  ),
  held as (
    insert into public.shipment_items (tenant_id, order_id, shipment_id, item_id, quantity)
    select target.tenant_id, target.id, part.shipment_id, p.item_id, p.quantity
    from part
    cross join unnest(part.pieces) as p
  )
  select array_agg(sent.id) into made from sent;
  perform private.move_pieces(target, 'ship', pieces);
  return made;
end
$$;
comment on function private.ship_pieces is
  'Makes a shipment of open pieces for each of their suppliers, with carrier, tracking and note of details. The caller calls follow_pieces afterwards.';

create function private.ship_all(target public.orders, note text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  there private.piece[] := array(select p from private.pieces_in(target, 'open') as p where p.quantity > 0);
  details public.shipments;
begin
  details.note := nullif(ship_all.note, '');
  perform private.ship_pieces(target, array(select p from unnest(there) as p where not p.is_digital), details);
  -- Digital goods need no carrier.
  perform private.move_pieces(target, 'ship', array(select p from unnest(there) as p where p.is_digital));
end
$$;
comment on function private.ship_all is 'Ships all open pieces of an order, in one shipment per supplier. The caller calls follow_pieces afterwards.';

create function private.deliver_shipments(target public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.shipments s
  set status = 'delivered', delivered_at = now()
  where s.tenant_id = target.tenant_id and s.order_id = target.id and s.status = 'shipped';
  perform private.move_pieces(
    target, 'deliver', array(select p from private.pieces_in(target, 'shipped') as p where p.quantity > 0)
  );
end
$$;
comment on function private.deliver_shipments is 'Marks all shipments of an order that are in transit as delivered. The caller calls follow_pieces afterwards.';

create function private.waits_for_payment(target public.orders) returns boolean
language sql stable security definer set search_path = ''
as $$
  select target.payment_status in ('pending', 'failed') and target.imported_at is null
    and (private.business_of(target.marketplace_id) ->> 'ship_unpaid')::boolean is false
$$;
comment on function private.waits_for_payment is
  'Whether an order is unpaid and its marketplace delivers only what is paid: settings.business.ship_unpaid is false.';

create function private.insist_on_payment(target public.orders) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.waits_for_payment(target) then
    perform private.refuse('VALIDATION_ERROR', 'This marketplace ships only orders that are paid.');
  end if;
end
$$;
comment on function private.insist_on_payment is
  'Refuses with VALIDATION_ERROR to ship an unpaid order where settings.business.ship_unpaid is false.';

create function private.create_shipment(
  order_id uuid, items jsonb, carrier text, tracking_number text, tracking_url text, note text
) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  caller public.member_role := private.tenant_role();
  target public.orders;
  there private.piece[];
  pieces private.piece[];
  suppliers uuid[];
  details public.shipments;
  made uuid;
begin
  if not (caller = 'supplier' or private.reads_all(caller)) then
    perform private.refuse('FORBIDDEN', 'Your role may not create shipments.');
  end if;
  -- Access to an order never changes. Its status may change until the row is locked.
  target := private.seen_order(create_shipment.order_id);
  select * into target from public.orders o where o.id = target.id for update;

  there := array(select p from private.pieces_in(target, 'open') as p where not p.is_digital);
  pieces := case
    when create_shipment.items is null then array(select p from unnest(there) as p where p.quantity > 0)
    else private.wanted_pieces(create_shipment.items, there, 'Only %s of them are left to ship.')
  end;
  suppliers := array(select distinct p.supplier_id from unnest(pieces) as p);
  if cardinality(pieces) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'This order has no items left to ship.');
  elsif cardinality(suppliers) > 1 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A shipment must have items of one supplier. Name them in items.', 'items', items
    );
  end if;
  perform private.insist_on_payment(target);

  details.carrier := create_shipment.carrier;
  details.tracking_number := create_shipment.tracking_number;
  details.tracking_url := create_shipment.tracking_url;
  details.note := create_shipment.note;
  made := (private.ship_pieces(target, pieces, details))[1];
  perform private.follow_pieces(target, case when private.has_one_seller(target) then create_shipment.note end);
  return made;
end
$$;
comment on function private.create_shipment is
  'Ships open pieces of an order, and returns the id of the shipment, or refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.create_shipment(
  order_id uuid,
  items jsonb default null,
  carrier text default null,
  tracking_number text default null,
  tracking_url text default null,
  note text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  made uuid := private.create_shipment(order_id, items, carrier, tracking_number, tracking_url, note);
begin
  return (
    select to_jsonb(d) || jsonb_build_object('order_status', o.status)
    from public.shipment_details d
    join public.orders o on o.id = d.order_id
    where d.id = made
  );
end
$$;
comment on function public.create_shipment is
  'Ships items of one supplier, a list of item_id and quantity; by default all that is left for the caller to ship. For suppliers (their own items), admins and clients. Returns the shipment with the order_status.';

create function private.insist_on_stock(target public.orders, pieces private.piece[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- The stock does not change after the lock.
  perform private.lock_stock(target.tenant_id, to_jsonb(pieces));
  if exists (
    select 1
    from unnest(pieces) as p
    join public.products product on product.id = p.product_id and product.track_inventory
    join public.inventory i
      on i.tenant_id = target.tenant_id and i.product_id = p.product_id and i.variant_id is not distinct from p.variant_id
    group by i.id, i.quantity, i.reserved
    having sum(p.quantity) > i.quantity - i.reserved
  ) then
    perform private.refuse(
      'INSUFFICIENT_INVENTORY', 'There is not enough stock to send these pieces again. Leave resend out.', 'resend', 'true'
    );
  end if;
end
$$;
comment on function private.insist_on_stock is 'Refuses with INSUFFICIENT_INVENTORY to send more pieces again than are available.';

create function private.held_pieces(target public.orders, shipment_ids uuid[], among private.piece[])
returns private.piece[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select
      row(
        p.item_id, p.position, p.product_id, p.variant_id, p.supplier_id, p.is_digital, sum(i.quantity)::integer
      )::private.piece
    from public.shipment_items i
    join unnest(among) as p on p.item_id = i.item_id
    where i.tenant_id = target.tenant_id and i.order_id = target.id and i.shipment_id = any (shipment_ids)
    group by p.item_id, p.position, p.product_id, p.variant_id, p.supplier_id, p.is_digital
    order by p.position
  )
$$;
comment on function private.held_pieces is 'The pieces of these items that shipments of an order had when they left.';

create function private.end_shipment(
  target public.orders, shipment public.shipments, status public.shipment_status, resend boolean
) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  under_way private.piece[] := array(select p from private.pieces_in(target, 'shipped') as p);
  held private.piece[];
  pieces private.piece[];
  move text := case end_shipment.status
    when 'delivered' then 'deliver'
    when 'void' then 'void'
    when 'lost' then case when resend then 'resend' else 'lose' end
  end;
begin
  update public.shipments s
  set status = end_shipment.status, resent = move = 'resend',
      delivered_at = case end_shipment.status when 'delivered' then now() end
  where s.id = shipment.id;

  held := private.held_pieces(target, array[shipment.id], under_way);
  -- Pieces may have come back before anybody reported them delivered.
  pieces := private.pieces_among(under_way, held);
  if move in ('void', 'resend') and pieces is distinct from held then
    perform private.refuse(
      'VALIDATION_ERROR', 'Some pieces of this shipment have come back. It can only become delivered or lost.',
      case move when 'void' then 'status' else 'resend' end
    );
  elsif move = 'resend' then
    perform private.insist_on_stock(target, pieces);
  end if;
  perform private.move_pieces(target, move, pieces);
  perform private.follow_pieces(target);
end
$$;
comment on function private.end_shipment is
  'Marks a shipment in transit as delivered, lost or void, and moves its pieces. The caller has locked the order''s row. Refuses: INSUFFICIENT_INVENTORY, VALIDATION_ERROR.';

create function private.update_shipment(order_id uuid, shipment_id uuid, changes jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  caller public.member_role := private.tenant_role();
  target public.orders;
  shipment public.shipments;
  wanted public.shipment_status;
begin
  if not (caller = 'supplier' or private.reads_all(caller)) then
    perform private.refuse('FORBIDDEN', 'Your role may not change shipments.');
  end if;
  target := private.seen_order(update_shipment.order_id);
  select * into target from public.orders o where o.id = target.id for update;
  select * into shipment
  from public.shipments s
  where s.tenant_id = target.tenant_id and s.order_id = target.id and s.id = update_shipment.shipment_id
    and (caller <> 'supplier' or s.supplier_id = private.supplier_id());
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such shipment.');
  end if;
  perform private.known_only(changes, '{carrier,tracking_number,tracking_url,note,status,resend}');

  update public.shipments s
  set carrier = case when changes ? 'carrier' then changes ->> 'carrier' else s.carrier end,
      tracking_number = case when changes ? 'tracking_number' then changes ->> 'tracking_number' else s.tracking_number end,
      tracking_url = case when changes ? 'tracking_url' then changes ->> 'tracking_url' else s.tracking_url end,
      note = case when changes ? 'note' then changes ->> 'note' else s.note end
  where s.id = shipment.id
  returning * into shipment;

  wanted := (changes ->> 'status')::public.shipment_status;
  if wanted is null then
    perform private.insist(not changes ? 'resend', 'resend', 'left out unless the status is lost', changes -> 'resend');
    return;
  end if;
  perform private.insist(
    not changes ? 'resend' or wanted = 'lost' and jsonb_typeof(changes -> 'resend') = 'boolean',
    'resend', 'true or false, and left out unless the status is lost', changes -> 'resend'
  );
  if wanted = shipment.status then
    perform private.refuse(
      'INVALID_TRANSITION', format('The shipment is %s already.', shipment.status), 'status', to_jsonb(wanted)
    );
  elsif wanted = 'void' and caller <> 'admin' and shipment.actor_id is distinct from auth.uid() then
    perform private.refuse(
      'FORBIDDEN', 'Only the user who created a shipment and admins may void it.', 'status', '"void"'
    );
  end if;
  perform private.end_shipment(target, shipment, wanted, coalesce((changes ->> 'resend')::boolean, false));
end
$$;
comment on function private.update_shipment is
  'Changes a shipment, and moves its pieces with its status, or refuses: NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, INVALID_TRANSITION, INSUFFICIENT_INVENTORY.';

create function public.update_shipment(order_id uuid, shipment_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.update_shipment(order_id, shipment_id, changes);
  return (
    select to_jsonb(d) || jsonb_build_object('order_status', o.status)
    from public.shipment_details d
    join public.orders o on o.id = d.order_id
    where d.id = update_shipment.shipment_id
  );
end
$$;
comment on function public.update_shipment is
  'Changes the carrier, tracking_number, tracking_url and note of a shipment, and its status: delivered, lost (with resend its pieces are reserved again) or void. For its supplier, admins and clients. Returns the shipment with the order_status.';

create function public.list_shipments(order_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  if not exists (select from public.orders o where o.id = list_shipments.order_id) then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  end if;
  return jsonb_build_object('shipments', (
    select coalesce(jsonb_agg(to_jsonb(d) order by d.created_at), '[]')
    from public.shipment_details d
    where d.tenant_id = (select private.tenant_id()) and d.order_id = list_shipments.order_id
  ));
end
$$;
comment on function public.list_shipments is 'The shipments of an order, the oldest first. A supplier gets its own.';

create function private.deliver_due_shipments(batch integer) returns integer
language plpgsql security definer set search_path = ''
as $$
declare
  due record;
  target public.orders;
  arrived uuid[];
  under_way private.piece[];
  delivered integer := 0;
begin
  -- The shipments of an order together, so that its status moves once.
  for due in
    select s.order_id, array_agg(s.id) as shipment_ids
    from (
      select s.id, s.order_id, s.delivery_expected_by
      from public.shipments s
      where s.status = 'shipped' and s.delivery_expected_by <= now()
      order by s.delivery_expected_by
      limit batch
    ) as s
    group by s.order_id
    order by min(s.delivery_expected_by)
  loop
    begin
      -- Another transaction is changing the order, and may be reporting its shipments.
      select * into target from public.orders o where o.id = due.order_id for update skip locked;
      continue when not found;
      with ended as (
        update public.shipments s
        set status = 'delivered', delivered_at = now()
        where s.id = any (due.shipment_ids) and s.status = 'shipped'
        returning s.id
      )
      select array_agg(e.id) into arrived from ended e;
      continue when arrived is null;
      under_way := array(select p from private.pieces_in(target, 'shipped') as p);
      perform private.move_pieces(
        -- Pieces may have come back before that.
        target, 'deliver', private.pieces_among(under_way, private.held_pieces(target, arrived, under_way))
      );
      perform private.follow_pieces(target);
      -- Deferred triggers run here, so that a failure affects this order alone.
      set constraints all immediate;
      delivered := delivered + cardinality(arrived);
    exception
      when others then
        raise warning 'shipments of order % could not be marked as delivered: %', due.order_id, sqlerrm;
        update public.shipments s
        set delivery_expected_by = now() + interval '1 hour'
        where s.id = any (due.shipment_ids) and s.status = 'shipped';
    end;
    set constraints all deferred;
  end loop;
  return delivered;
end
$$;
comment on function private.deliver_due_shipments is
  'Marks shipments as delivered whose delivery_expected_by is past, at most batch. Those of an order that fails are tried again in an hour. Returns how many.';

create function public.deliver_due_shipments(batch integer default 100) returns integer
language plpgsql set search_path = ''
as $$
begin
  return private.deliver_due_shipments(batch);
end
$$;
comment on function public.deliver_due_shipments is
  'For a job: marks shipments as delivered whose delivery_expected_by is past, at most batch. Returns how many.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.shipments for each row execute function private.keep_nfc();

create trigger shipments_check_status_move
  before update of status on public.shipments
  for each row execute function private.check_status_move();

create trigger shipments_touch
  before update on public.shipments
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.shipments enable row level security;
alter table public.shipment_items enable row level security;

create policy "Admins and clients see all shipments, customers those of their orders, suppliers their own" on public.shipments
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then customer_id = (select private.customer_id())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

create policy "Everybody who sees a shipment sees its items" on public.shipment_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.reads_all()) then true
      else (select true from public.shipments s where s.id = shipment_id)
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.shipments, public.shipment_items, public.shipment_details to authenticated;
grant all on public.shipments, public.shipment_items, public.shipment_details to service_role;
grant execute on function private.create_shipment, private.update_shipment to authenticated;
grant execute on function public.create_shipment, public.update_shipment, public.list_shipments to authenticated;
grant execute on function private.deliver_due_shipments to service_role;
grant execute on function public.deliver_due_shipments to service_role;

-- supabase/schemas/orders/0542_order_cancellations.sql

-- Cancellations of pieces that are not shipped. A supplier cancels its own items, a customer items of a part that is
-- pending or confirmed and slots before their time, admins and clients any. Slots that are over count as delivered. The
-- order is cancelled when its last piece is.

-- tables ---------------------------------------------------------------------------------------

create table public.order_cancellations (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  reason text,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint order_cancellations_tenant_id_order_id_id_key unique (tenant_id, order_id, id),
  constraint order_cancellations_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_cancellations_reason_is_at_most_2000_characters check (char_length(reason) <= 2000)
);
comment on table public.order_cancellations is
  'Each cancellation of pieces of an order. The cancellation of a whole order is in its history instead. Without an actor it was a job.';
alter table public.order_cancellations replica identity using index order_cancellations_tenant_id_order_id_id_key;

create table public.order_cancellation_items (
  tenant_id uuid not null,
  order_id uuid not null,
  cancellation_id uuid not null,
  item_id uuid not null,
  quantity integer not null,
  amount numeric not null,
  constraint order_cancellation_items_pkey primary key (tenant_id, order_id, cancellation_id, item_id),
  constraint order_cancellation_items_cancellation_id_fkey foreign key (tenant_id, order_id, cancellation_id)
    references public.order_cancellations (tenant_id, order_id, id) on delete cascade,
  constraint order_cancellation_items_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint order_cancellation_items_quantity_is_positive check (quantity > 0),
  constraint order_cancellation_items_amount_is_of_at_most_4_decimals check (scale(amount) <= 4)
);
comment on table public.order_cancellation_items is 'The pieces of each cancellation, and their price (amount).';

-- indexes --------------------------------------------------------------------------------------

create index order_cancellations_order_idx on public.order_cancellations (tenant_id, order_id, created_at);
create index order_cancellation_items_item_idx on public.order_cancellation_items (tenant_id, order_id, item_id);

-- functions ------------------------------------------------------------------------------------

create function private.ended_slots(target public.orders) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select b.order_item_id
    from public.bookings b
    where b.tenant_id = target.tenant_id and b.order_id = target.id and b.status = 'booked' and b.ends_at <= now()
      and not private.waits_for_payment(target)
  )
$$;
comment on function private.ended_slots is
  'The items of an order whose slots are over. They count as delivered, even before the job has moved their pieces.';

create function private.late_slots(target public.orders) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select b.order_item_id
    from public.bookings b
    where b.tenant_id = target.tenant_id and b.order_id = target.id and b.status = 'booked'
      and b.cancellable_until <= now()
  )
$$;
comment on function private.late_slots is 'The items of an order whose slots the customer can no longer cancel.';

create function private.cancellable_pieces(target public.orders) returns setof private.piece
language sql stable security definer set search_path = ''
as $$
  select
    p.item_id, p.position, p.product_id, p.variant_id, p.supplier_id, p.is_digital,
    case when p.item_id = any (private.ended_slots(target)) then 0 else p.quantity end
  from private.pieces_in(target, 'open') as p
$$;
comment on function private.cancellable_pieces is
  'The number of pieces of each item of an order, also 0, that can be cancelled: those that are open, without slots that are over.';

create function private.cancel_pieces(target public.orders, pieces private.piece[], reason text) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  cancelled uuid;
begin
  insert into public.order_cancellations (tenant_id, order_id, reason, actor_id)
  values (target.tenant_id, target.id, cancel_pieces.reason, auth.uid())
  returning id into cancelled;
  insert into public.order_cancellation_items (tenant_id, order_id, cancellation_id, item_id, quantity, amount)
  select target.tenant_id, target.id, cancelled, i.id, p.quantity, p.quantity * i.price
  from unnest(pieces) as p
  join public.order_items i on i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = p.item_id;
  perform private.move_pieces(target, 'cancel', pieces);
  return cancelled;
end
$$;
comment on function private.cancel_pieces is
  'Cancels open pieces of an order and records it. The caller calls follow_pieces afterwards.';

create function private.bound_cancellations(target public.orders, items integer, reason text) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  there record;
begin
  select count(*) as cancellations, coalesce(sum(octet_length(to_json(c.reason)::text)), 0) as bytes into there
  from public.order_cancellations c
  where c.tenant_id = target.tenant_id and c.order_id = target.id;
  -- The record of an order lists all cancellations, so their number and size are limited.
  if there.cancellations >= 200 then
    perform private.refuse(
      'VALIDATION_ERROR',
      'An order has at most 200 cancellations of single items. Leave out items to cancel all that is open.'
    );
  end if;
  perform private.bound_record(
    there.bytes + coalesce(octet_length(to_json(bound_cancellations.reason)::text), 0) + 100 * (
      bound_cancellations.items + (
        select count(*)
        from public.order_cancellation_items i
        where i.tenant_id = target.tenant_id and i.order_id = target.id
      )
    ),
    0.03125, 'The record of this order cannot hold more cancellations. Leave out items to cancel all that is open, or shorten the reason.'
  );
end
$$;
comment on function private.bound_cancellations is
  'Refuses a cancellation of single items that the record of an order cannot hold: VALIDATION_ERROR, LIMIT_REACHED.';

create function private.cancel_order_items(order_id uuid, items jsonb, reason text) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  caller public.member_role := private.tenant_role();
  target public.orders := private.seen_order(cancel_order_items.order_id);
  there private.piece[];
  pieces private.piece[];
  cancelled uuid;
begin
  -- Access to an order never changes. Its status may change until the row is locked.
  select * into target from public.orders o where o.id = target.id for update;
  there := array(select p from private.cancellable_pieces(target) as p);
  pieces := case
    when items is null then array(select p from unnest(there) as p where p.quantity > 0)
    else private.wanted_pieces(items, there, 'Only %s of them are open.')
  end;
  if cardinality(pieces) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'This order has no open items.');
  elsif caller = 'customer' and exists (
    select 1
    from unnest(pieces) as p
    join public.order_parts part
      on part.tenant_id = target.tenant_id and part.order_id = target.id
      and part.supplier_id is not distinct from p.supplier_id
    where not private.is_untouched(part.status)
  ) then
    perform private.refuse(
      'FORBIDDEN', 'The supplier has started to process these items, so you can no longer cancel them. Ask the shop.',
      'items', items
    );
  elsif caller = 'customer' and exists (select from unnest(pieces) as p where p.item_id = any (private.late_slots(target))) then
    perform private.refuse(
      'FORBIDDEN', 'It is too late to cancel this booking yourself: see its cancellable_until. Ask the shop.', 'items', items
    );
  end if;
  if items is not null then
    perform private.bound_cancellations(target, cardinality(pieces), cancel_order_items.reason);
  end if;
  cancelled := private.cancel_pieces(target, pieces, cancel_order_items.reason);
  perform private.follow_pieces(target, case when private.has_one_seller(target) then cancel_order_items.reason end);
  return cancelled;
end
$$;
comment on function private.cancel_order_items is
  'Cancels open pieces of an order and releases their stock, or refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create view public.order_cancellation_details with (security_invoker = true) as
select
  c.id, c.tenant_id, c.order_id, c.reason, c.actor_id, c.created_at, gone.items, gone.amount
from public.order_cancellations c
cross join lateral (
  select
    coalesce(
      jsonb_agg(
        jsonb_build_object('item_id', i.item_id, 'quantity', i.quantity, 'amount', i.amount) order by i.item_id
      ),
      '[]'
    ) as items,
    coalesce(sum(i.amount), 0) as amount
  from public.order_cancellation_items i
  where i.tenant_id = c.tenant_id and i.order_id = c.order_id and i.cancellation_id = c.id
) as gone;
comment on view public.order_cancellation_details is
  'The cancellations of orders, with their items and price. A supplier sees its own items and their price.';

create function public.cancel_order_items(order_id uuid, items jsonb default null, reason text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  cancelled uuid := private.cancel_order_items(order_id, items, reason);
begin
  return (
    select to_jsonb(d) || jsonb_build_object('order_status', o.status)
    from public.order_cancellation_details d
    join public.orders o on o.id = d.order_id
    where d.id = cancelled
  );
end
$$;
comment on function public.cancel_order_items is
  'Cancels items that are not shipped, a list of item_id and quantity; by default all that the caller may cancel. Suppliers cancel their own items, customers those of a part that is pending or confirmed and slots until their cancellable_until, admins and clients any. Slots that are over cannot be cancelled. Returns the cancellation with the order_status.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.order_cancellations
  for each row execute function private.keep_nfc();

-- policies -------------------------------------------------------------------------------------

alter table public.order_cancellations enable row level security;
alter table public.order_cancellation_items enable row level security;

create policy "Members who see an order see its cancellations, suppliers those of their items" on public.order_cancellations
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then (select true from public.orders o where o.id = order_id)
      when 'supplier' then (
        select true
        from public.order_cancellation_items i
        where i.tenant_id = order_cancellations.tenant_id
          and i.order_id = order_cancellations.order_id
          and i.cancellation_id = order_cancellations.id
        limit 1
      )
      else (select private.reads_all())
    end
  );

create policy "Members who see an item see its cancellations" on public.order_cancellation_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.reads_all()) then true
      else (select true from public.order_items i where i.id = item_id)
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.order_cancellations, public.order_cancellation_items, public.order_cancellation_details
  to authenticated;
grant all on public.order_cancellations, public.order_cancellation_items, public.order_cancellation_details
  to service_role;
grant execute on function private.cancel_order_items to authenticated;
grant execute on function public.cancel_order_items to authenticated;

-- supabase/schemas/orders/0543_order_returns.sql

-- Returns: shipped pieces of an order come back, some or all. The order is returned when its last piece is back.

-- tables ---------------------------------------------------------------------------------------

create table public.order_returns (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  note text,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint order_returns_tenant_id_order_id_id_key unique (tenant_id, order_id, id),
  constraint order_returns_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_returns_note_is_at_most_2000_characters check (char_length(note) <= 2000)
);
comment on table public.order_returns is 'The returns of an order: each row is one time that pieces came back.';
alter table public.order_returns replica identity using index order_returns_tenant_id_order_id_id_key;

create table public.order_return_items (
  tenant_id uuid not null,
  order_id uuid not null,
  return_id uuid not null,
  item_id uuid not null,
  quantity integer not null,
  amount numeric not null,
  restocked boolean not null default true,
  constraint order_return_items_pkey primary key (tenant_id, order_id, return_id, item_id),
  constraint order_return_items_return_id_fkey foreign key (tenant_id, order_id, return_id)
    references public.order_returns (tenant_id, order_id, id) on delete cascade,
  constraint order_return_items_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint order_return_items_quantity_is_positive check (quantity > 0),
  constraint order_return_items_amount_is_of_at_most_4_decimals check (scale(amount) <= 4)
);
comment on table public.order_return_items is 'The pieces of each return, their price (amount), and whether they were put back into stock.';

create table private.returned_pieces (
  tenant_id uuid not null,
  order_id uuid not null,
  shipment_id uuid not null,
  item_id uuid not null,
  request_id uuid,
  quantity integer not null,
  constraint returned_pieces_key unique nulls not distinct (tenant_id, order_id, shipment_id, item_id, request_id),
  constraint returned_pieces_shipment_id_fkey foreign key (tenant_id, order_id, shipment_id, item_id)
    references public.shipment_items (tenant_id, order_id, shipment_id, item_id) on delete cascade,
  constraint returned_pieces_quantity_is_not_negative check (quantity >= 0)
);
comment on table private.returned_pieces is
  'The shipments of pieces that came back or that the customer wants to send back, so that each piece is returned in its own window. request_id: the return request; null if an admin took the pieces back without one.';
-- The whole row identifies it for replication, because request_id may be null.
alter table private.returned_pieces replica identity full;

-- indexes --------------------------------------------------------------------------------------

create index order_return_items_item_idx on public.order_return_items (tenant_id, order_id, item_id);

-- functions ------------------------------------------------------------------------------------

create function private.take_back(
  target public.orders, pieces private.piece[], note text, discarded uuid[] default '{}'
) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  delivered private.piece[] :=
    private.pieces_among(array(select p from private.pieces_in(target, 'delivered') as p), pieces);
  returned uuid;
begin
  if target.imported_at is null then
    -- One lock for all moves below: with one each, two returns could deadlock.
    perform private.lock_stock(target.tenant_id, to_jsonb(pieces));
  end if;
  insert into public.order_returns (tenant_id, order_id, note, actor_id)
  values (target.tenant_id, target.id, take_back.note, auth.uid())
  returning id into returned;
  insert into public.order_return_items (tenant_id, order_id, return_id, item_id, quantity, amount, restocked)
  select target.tenant_id, target.id, returned, i.id, p.quantity, p.quantity * i.price, i.id <> all (discarded)
  from unnest(pieces) as p
  join public.order_items i on i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = p.item_id;

  perform private.move_pieces(
    target, 'take_back', array(select p from unnest(delivered) as p where p.item_id <> all (discarded))
  );
  perform private.move_pieces(
    target, 'discard', array(select p from unnest(delivered) as p where p.item_id = any (discarded))
  );
  perform private.move_pieces(target, 'turn_back', array(
    select row(
      p.item_id, p.position, p.product_id, p.variant_id, p.supplier_id, p.is_digital, p.quantity - coalesce(d.quantity, 0)
    )::private.piece
    from unnest(pieces) as p
    left join unnest(delivered) as d on d.item_id = p.item_id
    where p.quantity > coalesce(d.quantity, 0)
  ));
  return returned;
end
$$;
comment on function private.take_back is
  'Takes back shipped pieces of an order, delivered ones first, puts them into stock, and records the return. Pieces of the items in discarded, which have to be delivered, are not put into stock. The caller calls follow_pieces afterwards.';

create function private.return_window_start(target public.orders) returns timestamptz
language sql stable security definer set search_path = ''
as $$
  select now() - make_interval(
    days => coalesce((private.business_of(target.marketplace_id) ->> 'return_days')::integer, 14)
  )
$$;
comment on function private.return_window_start is
  'The time after which a piece was delivered if its return can be requested now: settings.business.return_days ago, 14 by default.';

create function private.unreturned_pieces(target public.orders)
returns table (shipment_id uuid, item_id uuid, delivered_at timestamptz, created_at timestamptz, quantity integer)
language sql stable security definer set search_path = ''
as $$
  select i.shipment_id, i.item_id, s.delivered_at, s.created_at, i.quantity - coalesce(sum(r.quantity), 0)::integer
  from public.shipments s
  join public.shipment_items i on i.tenant_id = s.tenant_id and i.order_id = s.order_id and i.shipment_id = s.id
  left join private.returned_pieces r
    on r.tenant_id = i.tenant_id and r.order_id = i.order_id and r.shipment_id = i.shipment_id and r.item_id = i.item_id
  where s.tenant_id = target.tenant_id and s.order_id = target.id and s.status in ('shipped', 'delivered')
  group by i.shipment_id, i.item_id, i.quantity, s.delivered_at, s.created_at
$$;
comment on function private.unreturned_pieces is
  'The pieces of each shipment of an order, in transit or delivered, that no return and no return request has.';

create function private.assign_returned_pieces(target public.orders, pieces private.piece[], request_id uuid) returns void
language sql security definer set search_path = ''
as $$
  insert into private.returned_pieces as r (tenant_id, order_id, shipment_id, item_id, request_id, quantity)
  select
    target.tenant_id, target.id, there.shipment_id, there.item_id, assign_returned_pieces.request_id,
    least(there.quantity, there.wanted - there.before)
  from (
    select
      u.shipment_id, u.item_id, u.quantity, p.quantity as wanted,
      -- Nobody knows in which shipment a piece was. The oldest that is still in its window leaves the customer the most
      -- time for the others. Pieces in transit come last.
      coalesce(
        sum(u.quantity) over (
          partition by u.item_id
          order by
            u.delivered_at > private.return_window_start(target) is not true, u.delivered_at nulls last,
            u.created_at desc, u.shipment_id
          rows between unbounded preceding and 1 preceding
        ),
        0
      ) as before
    from unnest(pieces) as p
    join private.unreturned_pieces(target) as u on u.item_id = p.item_id and u.quantity > 0
  ) as there
  where there.before < there.wanted
  on conflict on constraint returned_pieces_key do update set quantity = r.quantity + excluded.quantity
$$;
comment on function private.assign_returned_pieces is
  'Records in which shipments the pieces of a return request, or of a return without one (request_id is null), were. The caller has locked the order''s row.';

create function private.take_all_back(target public.orders, note text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.take_back(
    target, array(select p from private.pieces_in(target, 'shipped', 'delivered') as p where p.quantity > 0),
    take_all_back.note
  );
end
$$;
comment on function private.take_all_back is 'Takes back all shipped pieces of an order. The caller calls follow_pieces afterwards.';

create function private.bound_returns(target public.orders, items integer, note text) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  there record;
begin
  select count(*) as returns, coalesce(sum(octet_length(to_json(r.note)::text)), 0) as bytes into there
  from public.order_returns r
  where r.tenant_id = target.tenant_id and r.order_id = target.id;
  -- The record of an order lists all returns, so their number and size are limited.
  if there.returns >= 200 then
    perform private.refuse('VALIDATION_ERROR', 'An order can have at most 200 returns. Move it to returned instead.');
  end if;
  -- 100 bytes per line of a return: an id, a quantity and an amount.
  perform private.bound_record(
    there.bytes + coalesce(octet_length(to_json(bound_returns.note)::text), 0) + 100 * (
      bound_returns.items + (
        select count(*)
        from public.order_return_items i
        where i.tenant_id = target.tenant_id and i.order_id = target.id
      )
    ),
    0.06, 'The record of this order cannot hold more returns. Move it to returned instead, or shorten the note.'
  );
end
$$;
comment on function private.bound_returns is
  'Refuses a return that the record of an order cannot hold: VALIDATION_ERROR, LIMIT_REACHED.';

create function private.return_order_items(order_id uuid, items jsonb, note text) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  target public.orders;
  outside private.piece[];
  pieces private.piece[];
  returned uuid;
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Your role may not record returns.');
  end if;
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = return_order_items.order_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  end if;
  outside := array(select p from private.pieces_in(target, 'shipped', 'delivered') as p);
  if not exists (select from unnest(outside) as p where p.quantity > 0) then
    perform private.refuse(
      'INVALID_TRANSITION', format('The order is %s. Only shipped and delivered items can be returned.', target.status)
    );
  end if;
  pieces := private.wanted_pieces(items, outside, 'Only %s of them can still be returned.');
  perform private.bound_returns(target, cardinality(pieces), return_order_items.note);
  perform private.assign_returned_pieces(target, pieces, null);
  returned := private.take_back(target, pieces, return_order_items.note);
  perform private.follow_pieces(target, return_order_items.note);
  return returned;
end
$$;
comment on function private.return_order_items is
  'Takes pieces of an order that were shipped or delivered back into stock, or refuses: FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR.';

create function public.return_order_items(order_id uuid, items jsonb, note text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  returned uuid := private.return_order_items(order_id, items, note);
begin
  return (
    select to_jsonb(d) || jsonb_build_object('order_status', o.status)
    from public.order_return_details d
    join public.orders o on o.id = d.order_id
    where d.id = returned
  );
end
$$;
comment on function public.return_order_items is
  'For admins: takes items, a list of item_id and quantity, back into stock, and returns the record of the return. The order becomes returned when its last piece is back.';

create view public.order_return_details with (security_invoker = true) as
select
  r.id, r.tenant_id, r.order_id, r.note, r.actor_id, r.created_at, back.items, back.amount
from public.order_returns r
cross join lateral (
  select
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'item_id', i.item_id, 'quantity', i.quantity, 'amount', i.amount, 'restocked', i.restocked
        )
        order by i.item_id
      ),
      '[]'
    ) as items,
    coalesce(sum(i.amount), 0) as amount
  from public.order_return_items i
  where i.tenant_id = r.tenant_id and i.order_id = r.order_id and i.return_id = r.id
) as back;
comment on view public.order_return_details is
  'The returns of orders, with their items and price. A supplier sees its own items and their price.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.order_returns
  for each row execute function private.keep_nfc();

-- policies -------------------------------------------------------------------------------------

alter table private.returned_pieces enable row level security;
alter table public.order_returns enable row level security;
alter table public.order_return_items enable row level security;

create policy "Members who see an order see its returns, suppliers those of their items" on public.order_returns
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then (select true from public.orders o where o.id = order_id)
      when 'supplier' then (
        select true
        from public.order_return_items i
        where i.tenant_id = order_returns.tenant_id
          and i.order_id = order_returns.order_id
          and i.return_id = order_returns.id
        limit 1
      )
      else (select private.reads_all())
    end
  );

create policy "Members who see an item see its returns" on public.order_return_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.reads_all()) then true
      else (select true from public.order_items i where i.id = item_id)
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.order_returns, public.order_return_items,
  public.order_return_details to authenticated;
grant all on public.order_returns, public.order_return_items,
  public.order_return_details to service_role;
grant execute on function private.return_order_items to authenticated;
grant execute on function public.return_order_items to authenticated;

-- supabase/schemas/orders/0544_order_moves.sql

-- Moves of a whole order by hand, as private.status_moves allows. The pieces move too: a move to shipped ships all that
-- is left.

-- functions ------------------------------------------------------------------------------------

create function private.move_order(target public.orders, status public.order_status, note text) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  -- The table has more moves, which only follow from pieces.
  if not private.is_void(move_order.status) and move_order.status <= target.status
    or move_order.status = target.status
    or move_order.status = 'returned' and not private.is_sent(target.status)
  then
    perform private.refuse(
      'INVALID_TRANSITION', format('The order is %s already.', target.status), 'status', to_jsonb(move_order.status)
    );
  end if;
  if move_order.status = 'cancelled' and private.holds_stock(target.status) and exists (
    select
    from public.order_items i
    join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
    where i.tenant_id = target.tenant_id and i.order_id = target.id
      -- Digital goods that were handed out do not count: they are revoked.
      and i.shipped_quantity > case p.kind when 'digital' then i.delivered_quantity - i.returned_quantity else 0 end
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'Some items were shipped. Cancel the other items instead of the order.', 'status', '"cancelled"'
    );
  elsif move_order.status = 'cancelled' and cardinality(private.ended_slots(target)) > 0 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A booked slot is over. Cancel the other items instead of the order.', 'status', '"cancelled"'
    );
  end if;

  if move_order.status in ('shipped', 'delivered') and private.holds_stock(target.status) then
    perform private.insist_on_payment(target);
  end if;

  if not private.holds_stock(move_order.status) and target.imported_at is null then
    -- One lock for all moves below: with one each, two orders could deadlock.
    perform private.lock_stock(target.tenant_id, to_jsonb(array(select p from private.pieces_in(target) as p)));
  end if;
  -- Before its pieces move, because this update hands out licence keys.
  update public.orders o
  set status = move_order.status
  where o.id = target.id;
  insert into public.order_status_changes (tenant_id, order_id, old_status, new_status, note, actor_id)
  values (target.tenant_id, target.id, target.status, move_order.status, move_order.note, auth.uid());

  case move_order.status
    when 'shipped' then
      perform private.ship_all(target, move_order.note);
    when 'delivered' then
      perform private.ship_all(target, move_order.note);
      perform private.deliver_shipments(target);
    when 'cancelled' then
      perform private.move_pieces(
        target, 'cancel', array(select p from private.pieces_in(target, 'open') as p where p.quantity > 0)
      );
      perform private.move_pieces(
        target, 'revoke', array(select p from private.pieces_in(target, 'delivered') as p where p.quantity > 0)
      );
    when 'returned' then
      perform private.deliver_shipments(target);
      perform private.take_all_back(target, move_order.note);
    else
      null;
  end case;
  perform private.follow_pieces(
    target, move_order.note,
    case when private.holds_stock(move_order.status) then move_order.status else 'pending' end
  );
end
$$;
comment on function private.move_order is
  'Moves an order with its history, pieces and stock. The caller has locked the order''s row. Refuses: INVALID_TRANSITION, VALIDATION_ERROR.';

create function private.is_late_to_cancel(target public.orders) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return not private.is_untouched(target.status)
    or cardinality(private.late_slots(target)) > 0
    or exists (select from private.pieces_in(target, 'delivered') as p where p.quantity > 0);
end
$$;
comment on function private.is_late_to_cancel is
  'Whether a customer can no longer cancel its order: the work on it has begun, digital goods were handed out, or it is too late for one of its slots.';

create function private.change_order_status(order_id uuid, status public.order_status, note text) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  caller public.member_role := private.tenant_role();
  target public.orders := private.seen_order(change_order_status.order_id);
  may boolean;
  is_late boolean;
begin
  -- Access to an order never changes. Its status may change until the row is locked.
  select * into target from public.orders o where o.id = target.id for update;
  is_late := private.is_late_to_cancel(target);

  may := case caller
    when 'admin' then true
    when 'customer' then change_order_status.status = 'cancelled'
    when 'supplier' then
      not private.is_void(change_order_status.status)
      and not exists (
        select 1 from public.order_items i
        where i.tenant_id = target.tenant_id
          and i.order_id = target.id
          and i.supplier_id is distinct from private.supplier_id()
      )
    else false
  end;
  if not may then
    perform private.refuse(
      'FORBIDDEN', 'Your role may not move this order to this status.', 'status', to_jsonb(change_order_status.status)
    );
  end if;

  perform private.move_order(target, change_order_status.status, change_order_status.note);

  if caller = 'customer' and is_late then
    perform private.refuse(
      'FORBIDDEN', 'You can no longer cancel this order yourself. Ask the shop.', 'status', to_jsonb(change_order_status.status)
    );
  end if;
end
$$;
comment on function private.change_order_status is
  'Moves an order and its stock, or refuses: NOT_FOUND, FORBIDDEN, INVALID_TRANSITION, VALIDATION_ERROR.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.change_order_status to authenticated;

-- supabase/schemas/digital/0545_digital.sql

-- Digital goods: the files of a product, and the licence keys that are its stock. They are delivered in the transaction
-- that reports the order as paid.
--
-- A digital product with track_inventory sells licence keys, and its stock is counted from them:
--
--   quantity = keys that were not handed out
--   reserved = open pieces of orders, as for any product
--
-- An order that is paid, or moved by hand to shipped or delivered, gets as many keys as it has pieces. The pieces are
-- shipped and delivered in the same transaction, and leave quantity and reserved. A key that was handed out is never
-- sold again, so returned pieces are not put back into stock. Therefore quantity - reserved is the number of keys that
-- nobody has ordered, and an order that reserved its pieces finds its keys. Every function that adds, removes or hands
-- out keys locks the inventory row that counts them.

-- tables ---------------------------------------------------------------------------------------

create table public.product_files (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id(),
  product_id uuid not null,
  name text not null,
  url text,
  asset_id uuid,
  size_bytes bigint,
  sha256 text,
  created_at timestamptz not null default now(),
  constraint product_files_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  -- Cascades only when the tenant is deleted: keep_shown_media refuses to delete an asset that is used.
  constraint product_files_asset_id_fkey foreign key (tenant_id, asset_id)
    references public.media_assets (tenant_id, id) on delete cascade,
  constraint product_files_url_is_there_unless_an_asset_id_is check ((url is null) = (asset_id is not null)),
  constraint product_files_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint product_files_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint product_files_url_is_an_https_address
    check (char_length(url) <= 2000 and url ~ '^https://[^\s/?#]+[^\s]*$'),
  -- 2^53 - 1, the largest integer that all JSON parsers read exactly.
  constraint product_files_size_bytes_is_between_0_and_9007199254740991
    check (size_bytes between 0 and 9007199254740991),
  constraint product_files_sha256_is_64_lower_case_hexadecimal_digits check (sha256 ~ '^[0-9a-f]{64}$')
);
comment on table public.product_files is
  'The files that buyers of a digital product download: an address, or a private asset of the media library. Customers get them from order_downloads only.';

create table public.licence_keys (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  variant_id uuid,
  masked_code text not null,
  order_id uuid,
  order_item_id uuid,
  in_stock boolean not null default true,
  handed_out_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint licence_keys_tenant_id_product_id_id_key unique (tenant_id, product_id, id),
  constraint licence_keys_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint licence_keys_variant_id_fkey foreign key (tenant_id, product_id, variant_id)
    references public.product_variants (tenant_id, product_id, id) on delete cascade,
  constraint licence_keys_order_item_id_fkey foreign key (tenant_id, order_id, order_item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint licence_keys_order_id_is_set_with_the_item check ((order_id is null) = (order_item_id is null)),
  constraint licence_keys_in_stock_is_true_until_it_is_handed_out check (in_stock or order_item_id is not null),
  constraint licence_keys_handed_out_at_is_set_with_the_item check ((handed_out_at is null) = (order_item_id is null)),
  constraint licence_keys_revoked_at_is_set_after_the_item check (revoked_at is null or order_item_id is not null)
);
comment on table public.licence_keys is
  'The licence keys of a product: available, handed out to an item of an order, or revoked. The codes are in private.licence_codes.';
alter table public.licence_keys replica identity using index licence_keys_tenant_id_product_id_id_key;

create table private.licence_codes (
  tenant_id uuid not null,
  product_id uuid not null,
  licence_key_id uuid not null,
  code text not null,
  constraint licence_codes_pkey primary key (tenant_id, product_id, licence_key_id),
  constraint licence_codes_licence_key_id_fkey foreign key (tenant_id, product_id, licence_key_id)
    references public.licence_keys (tenant_id, product_id, id) on delete cascade,
  constraint code_is_unique_in_licence_codes unique (product_id, code)
);
comment on table private.licence_codes is
  'The code of each licence key. Only add_licence_keys writes it, and only order_downloads reads it.';

-- indexes --------------------------------------------------------------------------------------

create unique index product_files_product_idx on public.product_files (tenant_id, product_id, created_at, id);
alter table public.product_files replica identity using index product_files_product_idx;
create index product_files_asset_idx on public.product_files (tenant_id, asset_id);
create index licence_keys_product_idx on public.licence_keys (tenant_id, product_id, created_at desc, id);
create index licence_keys_variant_idx on public.licence_keys (tenant_id, product_id, variant_id);
create index licence_keys_available_idx on public.licence_keys (tenant_id, product_id, variant_id, created_at, id)
  where order_item_id is null;
create index licence_keys_in_stock_idx on public.licence_keys (tenant_id, product_id, variant_id) where in_stock;
create index licence_keys_order_item_idx on public.licence_keys (tenant_id, order_id, order_item_id);

-- functions ------------------------------------------------------------------------------------

create function private.file_path(file public.product_files) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select a.path from public.media_assets a where a.tenant_id = file.tenant_id and a.id = file.asset_id
  );
end
$$;
comment on function private.file_path is
  'The path of a file''s bytes in the bucket documents; null for a file that is an address.';

create function private.check_file_asset(file public.product_files) returns void
language plpgsql set search_path = ''
as $$
declare
  asset public.media_assets := private.seen_media(file.asset_id);
  seller uuid := (select p.supplier_id from public.products p where p.tenant_id = file.tenant_id and p.id = file.product_id);
begin
  if not asset.private or asset.status <> 'ready' then
    perform private.refuse(
      'VALIDATION_ERROR', 'asset_id must be the id of a private asset that is complete.', 'asset_id', to_jsonb(file.asset_id)
    );
  elsif not private.changes_media(asset) then
    perform private.refuse('FORBIDDEN', 'Only the supplier of an asset, content editors and admins may sell it.');
  elsif not private.may_show(seller, asset) then
    perform private.refuse(
      'VALIDATION_ERROR', 'asset_id must be the id of an asset of the product''s supplier, or of the operator.',
      'asset_id', to_jsonb(file.asset_id)
    );
  end if;
end
$$;
comment on function private.check_file_asset is
  'Refuses an asset that the caller does not see (NOT_FOUND) or may not change (FORBIDDEN), or that is not private and ready, or belongs to another supplier than the product (VALIDATION_ERROR).';

create function private.note_sold_asset() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into private.media_uses (tenant_id, asset_id, type, id) values (new.tenant_id, new.asset_id, 'file', new.id);
  else
    delete from private.media_uses u
    where u.tenant_id = old.tenant_id and u.asset_id = old.asset_id and u.type = 'file' and u.id = old.id;
  end if;
  return null;
end
$$;
comment on function private.note_sold_asset() is 'Row trigger: keeps the row of media_uses of a file that is an asset.';

create function private.check_product_file() returns trigger
language plpgsql set search_path = ''
as $$
declare
  kind public.product_kind := (
    select p.kind from public.products p where p.tenant_id = new.tenant_id and p.id = new.product_id
  );
begin
  if kind is null and tg_op = 'INSERT' then
    perform private.refuse('NOT_FOUND', 'There is no such product.', 'product_id', to_jsonb(new.product_id));
  elsif kind <> 'digital' then
    perform private.refuse(
      'VALIDATION_ERROR', 'Only digital products can have files.', 'product_id', to_jsonb(new.product_id)
    );
  end if;
  if new.asset_id is not null and current_user = 'authenticated' then
    perform private.check_file_asset(new);
  end if;
  return new;
end
$$;
comment on function private.check_product_file() is
  'Row trigger: only digital products have files, and the caller may sell the asset. Refuses: NOT_FOUND, FORBIDDEN, VALIDATION_ERROR.';

create function public.add_product_file(
  product_id uuid, name text, url text default null, size_bytes bigint default null, sha256 text default null,
  asset_id uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  added public.product_files;
begin
  insert into public.product_files (product_id, name, url, size_bytes, sha256, asset_id)
  values (
    add_product_file.product_id, add_product_file.name, add_product_file.url, add_product_file.size_bytes,
    add_product_file.sha256, add_product_file.asset_id
  )
  returning * into added;
  return to_jsonb(added) || jsonb_build_object('path', private.file_path(added));
end
$$;
comment on function public.add_product_file is 'Adds a file to a digital product and returns it.';

create function public.list_product_files(
  product_id uuid, "order" text default 'asc', page integer default 1, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
begin
  perform private.managed_product(product_id, true);
  return (
    with found as (
      select
        f.*, private.file_path(f) as path,
        row_number() over (
          order by case "order" when 'desc' then f.created_at end desc, case "order" when 'desc' then null else f.created_at end, f.id
        ) as position
      from public.product_files f
      where f.tenant_id = (select private.tenant_id()) and f.product_id = list_product_files.product_id
    )
    select jsonb_build_object(
      'files', coalesce(
        jsonb_agg(to_jsonb(f) - 'position' order by f.position)
          filter (where f.position > skipped and f.position <= skipped + size),
        '[]'
      ),
      'total', count(*)
    )
    from found f
  );
end
$$;
comment on function public.list_product_files is
  'A page of a product''s files, by the time they were added. For its supplier, admins and clients.';

create function private.sells_licence_keys(product_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select p.kind = 'digital' and p.track_inventory from public.products p where p.id = sells_licence_keys.product_id
  );
end
$$;
comment on function private.sells_licence_keys is 'Whether a product''s stock is its licence keys.';

create function private.keep_licence_key_stock() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  why jsonb;
  leaving integer;
begin
  if not private.sells_licence_keys(new.product_id) then
    return new;
  end if;
  why := nullif(current_setting('souk.stock_change', true), '')::jsonb;
  case why ->> 'reason'
    when 'licence_keys', 'reserve' then
      null;
    when 'ship', 'release' then
      update public.licence_keys k
      set in_stock = false
      where k.tenant_id = new.tenant_id
        and k.order_id = (why ->> 'order_id')::uuid
        and k.product_id = new.product_id
        and k.variant_id is not distinct from new.variant_id
        and k.in_stock;
      get diagnostics leaving = row_count;
      new.quantity := old.quantity - leaving;
    when 'return' then
      new.quantity := old.quantity;
    else
      if new.quantity <> old.quantity then
        perform private.refuse(
          'VALIDATION_ERROR', 'The stock of this product is the number of its licence keys. Add or remove keys instead.',
          'quantity', to_jsonb(new.quantity)
        );
      end if;
  end case;
  return new;
end
$$;
comment on function private.keep_licence_key_stock() is
  'Row trigger: the stock of licence keys cannot be set by hand, and keys that were handed out never come back into stock.';

create function private.check_licence_key_stock() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  counted integer;
  there integer;
begin
  if not coalesce(private.sells_licence_keys(new.product_id), false) then
    return null;
  end if;
  select i.quantity into counted from public.inventory i where i.id = new.id;
  if not found then
    return null;
  end if;
  select count(*) into there
  from public.licence_keys k
  where k.tenant_id = new.tenant_id
    and k.product_id = new.product_id
    and k.variant_id is not distinct from new.variant_id
    and k.in_stock;
  if counted <> there then
    raise exception 'the stock % of % is not its licence keys, which are %', counted, new.product_id, there
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
comment on function private.check_licence_key_stock() is
  'Constraint trigger at commit: the stock of a product with licence keys is the number of keys that were not handed out.';

create function private.count_licence_keys() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.explain_stock_change('licence_keys');
  update public.inventory i
  set quantity = i.quantity + changed.pieces
  from (
    select k.tenant_id, k.product_id, k.variant_id,
      (case tg_op when 'INSERT' then 1 else -1 end * count(*))::integer as pieces
    from changed_keys k
    where k.in_stock
    group by k.tenant_id, k.product_id, k.variant_id
  ) as changed
  where i.tenant_id = changed.tenant_id
    and i.product_id = changed.product_id
    and i.variant_id is not distinct from changed.variant_id;
  return null;
end
$$;
comment on function private.count_licence_keys() is
  'Statement trigger: adds and subtracts stock as keys are added and removed.';

create function private.lock_licence_keys(product_id uuid, variant_id uuid) returns public.inventory
language plpgsql security definer set search_path = ''
as $$
declare
  locked public.inventory;
begin
  select * into locked
  from public.inventory i
  where i.product_id = lock_licence_keys.product_id and i.variant_id is not distinct from lock_licence_keys.variant_id
  for update;
  return locked;
end
$$;
comment on function private.lock_licence_keys is
  'Locks the inventory row that counts the licence keys of a product or of a variant.';

create function private.licence_key_counts(tenant_id uuid, product_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return (
    select jsonb_build_object(
      'available', count(*) filter (where k.order_item_id is null),
      'handed_out', count(*) filter (where k.order_item_id is not null and k.revoked_at is null),
      'revoked', count(*) filter (where k.revoked_at is not null)
    )
    from public.licence_keys k
    where k.tenant_id = licence_key_counts.tenant_id and k.product_id = licence_key_counts.product_id
  );
end
$$;
comment on function private.licence_key_counts is 'How many licence keys of a product there are in each status.';

create function private.add_licence_keys(product_id uuid, codes text[], variant_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  product public.products := private.managed_product(add_licence_keys.product_id);
  bad integer;
  repeated jsonb;
begin
  perform private.lock_licence_keys(product.id, add_licence_keys.variant_id);
  if not private.sells_licence_keys(product.id) then
    perform private.refuse(
      'VALIDATION_ERROR', 'Only digital products with track_inventory can have licence keys.',
      'product_id', to_jsonb(product.id)
    );
  elsif add_licence_keys.variant_id is not null and not exists (
    select 1
    from public.product_variants v
    where v.tenant_id = product.tenant_id and v.product_id = product.id and v.id = add_licence_keys.variant_id
  ) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such variant.', 'variant_id', to_jsonb(add_licence_keys.variant_id)
    );
  elsif add_licence_keys.variant_id is null and exists (
    select 1 from public.product_variants v where v.tenant_id = product.tenant_id and v.product_id = product.id
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'variant_id is required, because the product has variants.', 'variant_id', 'null'
    );
  elsif coalesce(cardinality(codes), 0) not between 1 and 1000 then
    perform private.refuse('VALIDATION_ERROR', 'codes must have 1 to 1000 entries.', 'codes');
  end if;
  -- Refusals name the position of a code and never the code, which is secret.
  select min(sent.position) into bad
  from unnest(codes) with ordinality as sent (code, position)
  where sent.code is null or char_length(btrim(sent.code)) not between 4 and 500 or sent.code ~ '[[:cntrl:]]';
  if bad is not null then
    perform private.refuse(
      'VALIDATION_ERROR', 'A code must have 4 to 500 characters, without line breaks.', format('codes[%s]', bad - 1)
    );
  end if;

  with sent as (
    select gen_random_uuid() as id, btrim(s.code) as code, s.position - 1 as index
    from unnest(codes) with ordinality as s (code, position)
  ),
  stored as (
    insert into private.licence_codes (tenant_id, product_id, licence_key_id, code)
    select product.tenant_id, product.id, sent.id, sent.code from sent order by sent.index
    on conflict (product_id, code) do nothing
    returning licence_key_id, code
  ),
  added as (
    insert into public.licence_keys (id, tenant_id, product_id, variant_id, masked_code)
    select
      stored.licence_key_id, product.tenant_id, product.id, add_licence_keys.variant_id,
      '••••' || right(stored.code, least(4, char_length(stored.code) / 2))
    from stored
  )
  select coalesce(jsonb_agg(sent.index order by sent.index), '[]') into repeated
  from sent
  where not exists (select 1 from stored where stored.licence_key_id = sent.id);

  return jsonb_build_object(
    'product_id', product.id,
    'variant_id', add_licence_keys.variant_id,
    'added', cardinality(codes) - jsonb_array_length(repeated),
    'duplicates', repeated,
    'counts', private.licence_key_counts(product.tenant_id, product.id)
  );
end
$$;
comment on function private.add_licence_keys is
  'Adds licence keys and as many pieces of stock. Refuses with NOT_FOUND, FORBIDDEN, VALIDATION_ERROR.';

create function public.add_licence_keys(product_id uuid, codes text[], variant_id uuid default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.add_licence_keys(product_id, codes, variant_id);
end
$$;
comment on function public.add_licence_keys is
  'Adds up to 1000 licence keys to a digital product with track_inventory. Codes that the product has already are skipped, and their positions returned in duplicates.';

create function private.remove_licence_key(product_id uuid, licence_key_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  product public.products := private.managed_product(remove_licence_key.product_id);
  key public.licence_keys;
  stock public.inventory;
begin
  select * into key
  from public.licence_keys k
  where k.tenant_id = product.tenant_id and k.product_id = product.id and k.id = remove_licence_key.licence_key_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such licence key.');
  end if;
  stock := private.lock_licence_keys(key.product_id, key.variant_id);
  -- Another transaction may have handed the key out or removed it before the lock.
  select * into key from public.licence_keys k where k.id = key.id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such licence key.');
  elsif key.order_item_id is not null then
    perform private.refuse('CONFLICT', 'This licence key was handed out. It stays with its order.');
  elsif stock.quantity - stock.reserved < 1 then
    perform private.refuse('INSUFFICIENT_INVENTORY', 'Orders have reserved all licence keys that are left.');
  end if;
  delete from public.licence_keys k where k.id = key.id;
end
$$;
comment on function private.remove_licence_key is
  'Removes a key that was not handed out, and its piece of stock. Refuses with NOT_FOUND, FORBIDDEN, CONFLICT, INSUFFICIENT_INVENTORY.';

create function public.remove_licence_key(product_id uuid, licence_key_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.remove_licence_key(product_id, licence_key_id);
end
$$;
comment on function public.remove_licence_key is 'Removes a licence key that was not handed out, and its piece of stock.';

create function private.list_licence_keys(
  product_id uuid, variant_id uuid, status text, "order" text, page integer, "limit" integer
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  product public.products := private.managed_product(list_licence_keys.product_id, true);
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  condition text := 'k.tenant_id = $1 and k.product_id = $2'
    || case when list_licence_keys.variant_id is null then '' else ' and k.variant_id = $3' end
    || case list_licence_keys.status
         when 'available' then ' and k.order_item_id is null'
         when 'handed_out' then ' and k.order_item_id is not null and k.revoked_at is null'
         when 'revoked' then ' and k.revoked_at is not null'
         else ''
       end;
  answer jsonb;
begin
  if list_licence_keys.status not in ('available', 'handed_out', 'revoked') then
    perform private.refuse(
      'VALIDATION_ERROR', 'status must be available, handed_out or revoked.', 'status', to_jsonb(list_licence_keys.status)
    );
  end if;
  execute $query$
    with shown as (
      select k.* from public.licence_keys k
      where $query$ || condition || $query$
      order by k.created_at $query$ || direction || $query$, k.id
      offset $4 limit $5
    )
    select jsonb_build_object(
      'licence_keys', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', k.id, 'product_id', k.product_id, 'variant_id', k.variant_id, 'code', k.masked_code,
              'status', case
                when k.order_item_id is null then 'available'
                when k.revoked_at is null then 'handed_out'
                else 'revoked'
              end,
              'order_id', k.order_id, 'item_id', k.order_item_id,
              'handed_out_at', k.handed_out_at, 'revoked_at', k.revoked_at, 'created_at', k.created_at
            )
            order by k.created_at $query$ || direction || $query$, k.id
          ),
          '[]'
        )
        from shown k
      ),
      'total', (select count(*) from public.licence_keys k where $query$ || condition || $query$)
    )
  $query$
  into answer
  using product.tenant_id, product.id, list_licence_keys.variant_id, (greatest(page, 1)::bigint - 1) * size, size;
  return answer || jsonb_build_object('counts', private.licence_key_counts(product.tenant_id, product.id));
end
$$;
comment on function private.list_licence_keys is 'A page of a product''s licence keys. Refuses with NOT_FOUND, FORBIDDEN.';

create function public.list_licence_keys(
  product_id uuid,
  variant_id uuid default null,
  status text default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.list_licence_keys(product_id, variant_id, status, "order", page, "limit");
end
$$;
comment on function public.list_licence_keys is
  'A page of a product''s licence keys with masked codes, by the time they were added, and the number of keys in each status. For its supplier, admins and clients.';

create function private.hand_out_pieces(target public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  pieces private.piece[] := array(
    select p from private.pieces_in(target, 'open') as p where p.quantity > 0 and p.is_digital
  );
begin
  if cardinality(pieces) > 0 then
    perform private.move_pieces(target, 'ship', pieces);
    perform private.move_pieces(target, 'deliver', pieces);
    perform private.follow_pieces(target, 'Digital items are delivered when they are paid.');
  end if;
end
$$;
comment on function private.hand_out_pieces is 'Delivers the digital pieces of an order that is paid.';

create function private.hand_out_licence_keys(bought public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  with_keys boolean;
  item record;
  handed integer;
begin
  select bool_or(p.kind = 'digital' and p.track_inventory)
  into with_keys
  from public.order_items i
  join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
  where i.tenant_id = bought.tenant_id and i.order_id = bought.id;

  if with_keys then
    -- Locks all stock of the order in the order of ids, as the functions that move orders do.
    perform 1
    from public.inventory s
    join public.order_items i
      on i.tenant_id = s.tenant_id and i.product_id = s.product_id and i.variant_id is not distinct from s.variant_id
    where i.tenant_id = bought.tenant_id and i.order_id = bought.id
    order by s.id
    for update of s;

    for item in
      select i.id, i.product_id, i.variant_id, i.position,
        i.quantity - i.cancelled_quantity - (
          select count(*)
          from public.licence_keys k
          where k.tenant_id = i.tenant_id and k.order_id = i.order_id and k.order_item_id = i.id
        ) as missing
      from public.order_items i
      join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
      where i.tenant_id = bought.tenant_id and i.order_id = bought.id and p.kind = 'digital' and p.track_inventory
      order by i.position
    loop
      update public.licence_keys k
      set order_id = bought.id, order_item_id = item.id, handed_out_at = now()
      where k.id in (
        select f.id
        from public.licence_keys f
        where f.tenant_id = bought.tenant_id
          and f.product_id = item.product_id
          and f.variant_id is not distinct from item.variant_id
          and f.order_item_id is null
        order by f.created_at, f.id
        limit item.missing
        for update skip locked
      );
      get diagnostics handed = row_count;
      if handed < item.missing then
        raise exception 'order % lacks % licence keys at position %', bought.id, item.missing - handed, item.position;
      end if;
    end loop;
  end if;

  -- In a move by hand to shipped or delivered, move_order moves the pieces.
  if bought.payment_status = 'paid' and private.holds_stock(bought.status) then
    perform private.hand_out_pieces(bought);
  end if;
end
$$;
comment on function private.hand_out_licence_keys is
  'Gives an order that is paid, shipped or delivered its licence keys, one per piece; its digital pieces are delivered when it is paid.';

create function private.revoke_licence_keys() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_table_name = 'orders' then
    update public.licence_keys k
    set revoked_at = now()
    where k.tenant_id = new.tenant_id and k.order_id = new.id and k.revoked_at is null;
  else
    -- One key for each piece that was cancelled or returned, those that were handed out last first.
    update public.licence_keys k
    set revoked_at = now()
    where k.id in (
      select handed.id
      from public.licence_keys handed
      where handed.tenant_id = new.tenant_id
        and handed.order_id = new.order_id
        and handed.order_item_id = new.id
        and handed.revoked_at is null
      order by handed.created_at desc, handed.id desc
      limit old.sold_quantity - new.sold_quantity
    );
  end if;
  return null;
end
$$;
comment on function private.revoke_licence_keys() is
  'Row trigger: revokes the licence keys of pieces that were cancelled or returned, and of an order whose payment was refunded or reversed.';

create function private.restore_licence_keys(bought public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- One key for each piece that is left, those that were handed out first first, the reverse of revoke_licence_keys.
  update public.licence_keys k
  set revoked_at = null
  from public.order_items i
  cross join lateral (
    select handed.id
    from public.licence_keys handed
    where handed.tenant_id = i.tenant_id and handed.order_id = i.order_id and handed.order_item_id = i.id
    order by handed.created_at, handed.id
    limit i.sold_quantity
  ) as kept
  where i.tenant_id = bought.tenant_id and i.order_id = bought.id and k.id = kept.id and k.revoked_at is not null;
end
$$;
comment on function private.restore_licence_keys is
  'Gives an order that is paid again the licence keys of its pieces back, after a failed refund or a reversed payment.';

create function private.give_licence_keys() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.imported_at is null
    and not private.is_void(new.status)
    and (
      new.payment_status = 'paid' and old.payment_status <> 'paid'
      or private.is_sent(new.status) and not private.is_sent(old.status)
    )
  then
    perform private.hand_out_licence_keys(new);
  end if;
  if new.payment_status = 'paid' and old.payment_status in ('failed', 'refunded') then
    perform private.restore_licence_keys(new);
  end if;
  return null;
end
$$;
comment on function private.give_licence_keys() is
  'Row trigger: an order gets its licence keys, and those back that were revoked.';

create function private.order_downloads(order_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  caller public.member_role := private.tenant_role();
  target public.orders := private.seen_order(order_downloads.order_id);
begin
  if (caller = 'customer' or private.reads_all(caller)) is not true then
    perform private.refuse('FORBIDDEN', 'Only the customer of an order, clients and admins may read its downloads.');
  end if;

  if private.is_void(target.status)
    or target.payment_status = 'refunded'
    -- A reversed payment also ends access to goods that were delivered. A payment that never arrived does not.
    or target.payment_reversed_at is not null
    or target.payment_status <> 'paid' and not private.is_sent(target.status)
  then
    return '{"files": [], "licence_keys": []}'::jsonb;
  end if;
  return jsonb_build_object(
    'files', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'id', f.id, 'item_id', i.id, 'product_id', f.product_id, 'name', f.name, 'url', f.url,
            'path', private.file_path(f), 'size_bytes', f.size_bytes, 'sha256', f.sha256
          )
          order by i.position, f.created_at, f.id
        ),
        '[]'
      )
      from public.order_items i
      join public.product_files f on f.tenant_id = i.tenant_id and f.product_id = i.product_id
      where i.tenant_id = target.tenant_id and i.order_id = target.id and i.sold_quantity > 0
    ),
    'licence_keys', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'item_id', i.id, 'product_id', k.product_id, 'variant_id', k.variant_id, 'code', c.code
          )
          order by i.position, k.created_at, k.id
        ),
        '[]'
      )
      from public.order_items i
      join public.licence_keys k
        on k.tenant_id = i.tenant_id and k.order_id = i.order_id and k.order_item_id = i.id and k.revoked_at is null
      join private.licence_codes c
        on c.tenant_id = k.tenant_id and c.product_id = k.product_id and c.licence_key_id = k.id
      where i.tenant_id = target.tenant_id and i.order_id = target.id
    )
  );
end
$$;
comment on function private.order_downloads is
  'The files and licence keys of an order. Refuses with NOT_FOUND, FORBIDDEN.';

create function public.order_downloads(order_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.order_downloads(order_id);
end
$$;
comment on function public.order_downloads is
  'The files and licence keys of an order for its customer: none until it is paid or delivered, and none after a return, a refund or a reversed payment.';

create function private.keep_what_is_sold() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  field text := case when old.kind <> new.kind then 'kind' else 'track_inventory' end;
begin
  -- Orders and new keys lock these rows, so what is read below stays true.
  perform 1
  from public.inventory i
  where i.tenant_id = old.tenant_id and i.product_id = old.id
  order by i.id
  for update;
  if exists (
      select 1 from public.order_items i where i.tenant_id = old.tenant_id and i.product_id = old.id
    )
    or exists (
      select 1 from public.licence_keys k where k.tenant_id = old.tenant_id and k.product_id = old.id
    )
    or exists (
      select 1
      from public.inventory i
      where i.tenant_id = old.tenant_id and i.product_id = old.id and i.quantity <> 0
    )
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'kind and track_inventory cannot change, because the product was ordered or has stock.', field,
      to_jsonb(new) -> field
    );
  elsif new.kind <> 'digital' and exists (
    select 1 from public.product_files f where f.tenant_id = old.tenant_id and f.product_id = old.id
  ) then
    perform private.refuse('VALIDATION_ERROR', 'Only digital products can have files.', field, to_jsonb(new) -> field);
  end if;
  return new;
end
$$;
comment on function private.keep_what_is_sold() is
  'Row trigger: kind and track_inventory of a product cannot change once it was ordered or has stock or licence keys, and only digital products have files.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.product_files
  for each row execute function private.keep_nfc();

create trigger product_files_are_changed_by_admins_and_suppliers
  before insert or update or delete on public.product_files
  for each statement execute function private.only_for('admin', 'supplier');

create trigger product_files_check_product
  before insert or update of product_id on public.product_files
  for each row execute function private.check_product_file();

create trigger product_files_note_sold_asset
  after insert on public.product_files
  for each row when (new.asset_id is not null)
  execute function private.note_sold_asset();

create trigger product_files_forget_sold_asset
  after delete on public.product_files
  for each row when (old.asset_id is not null)
  execute function private.note_sold_asset();

create trigger products_keep_what_is_sold
  before update of kind, track_inventory on public.products
  for each row when (
    (old.kind <> new.kind or old.track_inventory <> new.track_inventory)
    and (old.kind = 'digital' or new.kind = 'digital')
  )
  execute function private.keep_what_is_sold();

-- Reserving, which every order does, is excluded, because it moves no keys.
create trigger inventory_keep_licence_key_stock
  before update of quantity, reserved on public.inventory
  for each row when (new.quantity <> old.quantity or new.reserved < old.reserved)
  execute function private.keep_licence_key_stock();

create constraint trigger inventory_check_licence_key_stock
  after update of quantity on public.inventory
  deferrable initially deferred
  for each row when (new.quantity <> old.quantity)
  execute function private.check_licence_key_stock();

create trigger licence_keys_count_added
  after insert on public.licence_keys
  referencing new table as changed_keys
  for each statement execute function private.count_licence_keys();

create trigger licence_keys_count_removed
  after delete on public.licence_keys
  referencing old table as changed_keys
  for each statement execute function private.count_licence_keys();

create trigger orders_give_licence_keys
  after update of status, payment_status on public.orders
  for each row when (
    new.payment_status = 'paid' and old.payment_status <> 'paid' or private.is_sent(new.status) and not private.is_sent(old.status)
  )
  execute function private.give_licence_keys();

create trigger orders_revoke_licence_keys
  after update of payment_status on public.orders
  for each row when (
    new.payment_status = 'refunded' and old.payment_status <> 'refunded'
    or new.payment_status = 'failed' and old.payment_status = 'paid'
  )
  execute function private.revoke_licence_keys();

create trigger order_items_revoke_licence_keys
  after update on public.order_items
  for each row when (new.sold_quantity < old.sold_quantity)
  execute function private.revoke_licence_keys();

-- policies -------------------------------------------------------------------------------------

alter table public.product_files enable row level security;
alter table public.licence_keys enable row level security;
alter table private.licence_codes enable row level security;

create policy "Admins and clients see all files, suppliers those of their products" on public.product_files
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then (select true from public.products p where p.id = product_id)
      else (select private.reads_all())
    end
  );

create policy "Admins add files to any product, suppliers to their own" on public.product_files
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins remove files of any product, suppliers of their own" on public.product_files
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins and clients see all licence keys, suppliers those of their products" on public.licence_keys
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then (select true from public.products p where p.id = product_id)
      else (select private.reads_all())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select, delete on public.product_files to authenticated;
grant insert (product_id, name, url, size_bytes, sha256, asset_id) on public.product_files to authenticated;
grant select on public.licence_keys to authenticated;
grant all on public.product_files, public.licence_keys to service_role;
grant execute on function
  private.file_path, private.check_file_asset, private.add_licence_keys,
  private.remove_licence_key, private.list_licence_keys, private.order_downloads
to authenticated;
grant execute on function
  public.add_product_file, public.list_product_files, public.add_licence_keys, public.remove_licence_key,
  public.list_licence_keys, public.order_downloads
to authenticated;

-- supabase/schemas/orders/0546_return_requests.sql

-- Return requests: a customer asks to send delivered pieces back. Their supplier approves or rejects, and reports which pieces
-- came, which may be fewer. Only then do the pieces and the stock move.

create type public.return_request_status as enum ('requested', 'approved', 'rejected', 'received', 'cancelled');

-- tables ---------------------------------------------------------------------------------------

create table public.return_requests (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  supplier_id uuid,
  customer_id uuid not null,
  status public.return_request_status not null default 'requested',
  reason text,
  note text,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now(),
  constraint return_requests_tenant_id_order_id_id_key unique (tenant_id, order_id, id),
  constraint return_requests_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint return_requests_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint return_requests_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id),
  constraint return_requests_reason_is_at_most_2000_characters check (char_length(reason) <= 2000),
  constraint return_requests_note_is_at_most_2000_characters check (char_length(note) <= 2000)
);
comment on table public.return_requests is
  'Requests to send back items of one supplier, or of the operator (supplier_id is null). reason: the customer''s reason. note: the note of the last answer. actor_id: the user who made the request.';
alter table public.return_requests replica identity using index return_requests_tenant_id_order_id_id_key;

create table public.return_request_items (
  tenant_id uuid not null,
  order_id uuid not null,
  request_id uuid not null,
  item_id uuid not null,
  quantity integer not null,
  received_quantity integer not null default 0,
  constraint return_request_items_pkey primary key (tenant_id, order_id, request_id, item_id),
  constraint return_request_items_request_id_fkey foreign key (tenant_id, order_id, request_id)
    references public.return_requests (tenant_id, order_id, id) on delete cascade,
  constraint return_request_items_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint return_request_items_quantity_is_positive check (quantity > 0),
  constraint return_request_items_received_quantity_is_at_most_the_quantity
    check (received_quantity between 0 and quantity)
);
comment on table public.return_request_items is 'The number of pieces of each item that the customer wants to send back, and that came back.';

alter table private.returned_pieces
  add constraint returned_pieces_request_id_fkey foreign key (tenant_id, order_id, request_id)
    references public.return_requests (tenant_id, order_id, id) on delete cascade;

-- indexes --------------------------------------------------------------------------------------

create index return_requests_order_idx on public.return_requests (tenant_id, order_id, created_at);
create index return_requests_supplier_idx on public.return_requests (tenant_id, supplier_id);
create index return_requests_customer_idx on public.return_requests (tenant_id, customer_id);
create index returned_pieces_request_idx on private.returned_pieces (tenant_id, order_id, request_id);
create index return_request_items_item_idx on public.return_request_items (tenant_id, order_id, item_id);

-- functions ------------------------------------------------------------------------------------

create view public.return_request_details with (security_invoker = true) as
select
  r.id, r.tenant_id, r.order_id, r.supplier_id, r.status, r.reason, r.note, r.actor_id, r.created_at, r.updated_at,
  private.local_text(r.created_at, t.time_zone) as created_at_local,
  private.local_text(r.updated_at, t.time_zone) as updated_at_local,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object('item_id', i.item_id, 'quantity', i.quantity, 'received_quantity', i.received_quantity)
        order by i.item_id
      ),
      '[]'
    )
    from public.return_request_items i
    where i.tenant_id = r.tenant_id and i.order_id = r.order_id and i.request_id = r.id
  ) as items
from public.return_requests r
left join public.tenants t on t.id = r.tenant_id;
comment on view public.return_request_details is
  'The return requests with their items. Their times are also there as texts in the tenant''s time zone (…_local).';

create function private.returnable_pieces(target public.orders) returns setof private.piece
language plpgsql stable security definer set search_path = ''
as $$
declare
  window_start timestamptz := private.return_window_start(target);
begin
  return query
  with shipped as materialized (
    select u.item_id, coalesce(sum(u.quantity) filter (where u.delivered_at > window_start and u.quantity > 0), 0) as quantity
    from private.unreturned_pieces(target) as u
    group by u.item_id
  )
  select
    p.item_id, p.position, p.product_id, p.variant_id, p.supplier_id, p.is_digital,
    greatest(least(p.quantity - asked.quantity, recent.quantity), 0)::integer
  from private.pieces_in(target, 'delivered') as p
  left join shipped on shipped.item_id = p.item_id
  left join public.bookings slot
    on slot.tenant_id = target.tenant_id and slot.order_id = target.id and slot.order_item_id = p.item_id
  cross join lateral (
    select case
      -- A slot was delivered when it ended.
      when slot.delivered_at is not null then case when slot.delivered_at > window_start then p.quantity else 0 end
      when shipped.item_id is not null then shipped.quantity
      -- The pieces of an imported order are in no shipment. Its history has the time of their delivery.
      when target.imported_at is not null and not p.is_digital and exists (
        select
        from public.order_status_changes h
        where h.tenant_id = target.tenant_id and h.order_id = target.id
          and h.new_status = 'delivered' and h.created_at > window_start
      ) then p.quantity
      else 0
    end as quantity
  ) as recent
  cross join lateral (
    select coalesce(sum(i.quantity), 0) as quantity
    from public.return_request_items i
    join public.return_requests r on r.tenant_id = i.tenant_id and r.order_id = i.order_id and r.id = i.request_id
    where i.tenant_id = target.tenant_id and i.order_id = target.id and i.item_id = p.item_id
      and r.status in ('requested', 'approved')
  ) as asked;
end
$$;
comment on function private.returnable_pieces is
  'The number of pieces of each item of an order for which a return can be requested: delivered within the marketplace''s return_days, not returned, and in no open request. Digital goods are in no shipment, so it is 0 for them.';

create function private.request_return(order_id uuid, items jsonb, reason text) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  caller public.member_role := private.tenant_role();
  target public.orders;
  pieces private.piece[];
  suppliers uuid[];
  asked uuid;
begin
  if not (caller = 'customer' or private.reads_all(caller)) then
    perform private.refuse('FORBIDDEN', 'Only the customer, clients and admins may request a return.');
  end if;
  -- Access to an order never changes. Its status may change until the row is locked.
  target := private.seen_order(request_return.order_id);
  select * into target from public.orders o where o.id = target.id for update;

  pieces := private.wanted_pieces(
    items, array(select p from private.returnable_pieces(target) as p), 'Only %s of them can be returned now.'
  );
  suppliers := array(select distinct p.supplier_id from unnest(pieces) as p);
  if cardinality(suppliers) > 1 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A return request must have items of one supplier. Send one request for each supplier.',
      'items', items
    );
  elsif (
    select count(*) from public.return_requests r where r.tenant_id = target.tenant_id and r.order_id = target.id
  ) >= 100 then
    perform private.refuse('VALIDATION_ERROR', 'An order has at most 100 return requests.');
  end if;
  insert into public.return_requests (tenant_id, order_id, supplier_id, customer_id, reason, actor_id)
  values (target.tenant_id, target.id, suppliers[1], target.customer_id, request_return.reason, auth.uid())
  returning id into asked;
  insert into public.return_request_items (tenant_id, order_id, request_id, item_id, quantity)
  select target.tenant_id, target.id, asked, p.item_id, p.quantity from unnest(pieces) as p;
  perform private.assign_returned_pieces(target, pieces, asked);
  return asked;
end
$$;
comment on function private.request_return is
  'Creates a return request for delivered pieces of an order and returns its id, or refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function private.locked_return_request(order_id uuid, request_id uuid, answered boolean)
returns public.return_requests
language plpgsql security definer set search_path = ''
as $$
declare
  caller public.member_role := private.tenant_role();
  locked public.return_requests;
begin
  if not coalesce(
    case when answered then caller in ('admin', 'supplier') else caller = 'customer' or private.reads_all(caller) end,
    false
  ) then
    perform private.refuse('FORBIDDEN', case
      when answered then 'Only its supplier and admins may answer a return request.'
      else 'Only the customer, clients and admins may cancel a return request.'
    end);
  end if;
  perform private.seen_order(locked_return_request.order_id);
  perform 1 from public.orders o where o.id = locked_return_request.order_id for update;
  select * into locked
  from public.return_requests r
  where r.tenant_id = private.tenant_id()
    and r.order_id = locked_return_request.order_id
    and r.id = locked_return_request.request_id
    and (caller <> 'supplier' or r.supplier_id = private.supplier_id());
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such return request.');
  end if;
  return locked;
end
$$;
comment on function private.locked_return_request is
  'Locks an order and returns its return request, which the caller may answer (answered) or cancel. Refuses: FORBIDDEN, NOT_FOUND.';

create function private.move_return_request(
  order_id uuid, request_id uuid, status public.return_request_status, note text
) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  request public.return_requests := private.locked_return_request(
    move_return_request.order_id, move_return_request.request_id, move_return_request.status <> 'cancelled'
  );
begin
  if request.status = move_return_request.status then
    perform private.refuse(
      'INVALID_TRANSITION', format('The return request is %s already.', request.status), 'status', to_jsonb(request.status)
    );
  end if;
  update public.return_requests r
  set status = move_return_request.status, note = coalesce(move_return_request.note, r.note)
  where r.id = request.id;
  if move_return_request.status in ('rejected', 'cancelled') then
    delete from private.returned_pieces r
    where r.tenant_id = request.tenant_id and r.order_id = request.order_id and r.request_id = request.id;
  end if;
end
$$;
comment on function private.move_return_request is
  'Approves, rejects or cancels a return request, or refuses: FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

create function private.received_items(request public.return_requests, items jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  wrong record;
begin
  if items is null then
    return (
      select jsonb_agg(jsonb_build_object('item_id', i.item_id, 'quantity', i.quantity, 'restock', true))
      from public.return_request_items i
      where i.tenant_id = request.tenant_id and i.order_id = request.order_id and i.request_id = request.id
    );
  elsif jsonb_typeof(items) <> 'array' then
    perform private.refuse('VALIDATION_ERROR', 'items must be a list.', 'items', items);
  end if;
  perform private.known_only(sent.value, '{item_id,quantity,restock}', format('items[%s].', sent.position - 1))
  from jsonb_array_elements(items) with ordinality as sent (value, position);
  select line.* into wrong
  from (
    select
      sent.position, sent.value, i.quantity,
      count(*) over (partition by (sent.value ->> 'item_id')::uuid order by sent.position) > 1 as is_repeated
    from jsonb_array_elements(items) with ordinality as sent (value, position)
    left join public.return_request_items i
      on i.tenant_id = request.tenant_id and i.order_id = request.order_id and i.request_id = request.id
      and i.item_id = (sent.value ->> 'item_id')::uuid
  ) as line
  where line.is_repeated or line.quantity is null
    or coalesce((line.value ->> 'quantity')::integer, 0) not between 1 and line.quantity
    or jsonb_typeof(coalesce(line.value -> 'restock', 'true')) <> 'boolean'
  order by line.position
  limit 1;
  if found and wrong.quantity is null then
    perform private.refuse(
      'NOT_FOUND', 'The return request has no such item.',
      format('items[%s].item_id', wrong.position - 1), wrong.value -> 'item_id'
    );
  elsif found then
    perform private.refuse(
      'VALIDATION_ERROR', format('Name each item once, with a quantity from 1 to %s.', wrong.quantity),
      format('items[%s].quantity', wrong.position - 1), wrong.value -> 'quantity'
    );
  end if;
  return items;
end
$$;
comment on function private.received_items is
  'The items of a return request that came back, a list of item_id, quantity and restock; by default all items of the request. Refuses: NOT_FOUND, VALIDATION_ERROR.';

create function private.free_kept_pieces(request public.return_requests, received private.piece[]) returns void
language sql security definer set search_path = ''
as $$
  update private.returned_pieces r
  set quantity = least(r.quantity, greatest(there.received - there.before, 0))
  from (
    select
      r.shipment_id, r.item_id, coalesce(p.quantity, 0) as received,
      coalesce(
        sum(r.quantity) over (
          partition by r.item_id
          order by s.delivered_at, s.id
          rows between unbounded preceding and 1 preceding
        ),
        0
      ) as before
    from private.returned_pieces r
    join public.shipments s on s.tenant_id = r.tenant_id and s.order_id = r.order_id and s.id = r.shipment_id
    left join unnest(received) as p on p.item_id = r.item_id
    where r.tenant_id = request.tenant_id and r.order_id = request.order_id and r.request_id = request.id
  ) as there
  where r.tenant_id = request.tenant_id and r.order_id = request.order_id and r.request_id = request.id
    and r.shipment_id = there.shipment_id and r.item_id = there.item_id
$$;
comment on function private.free_kept_pieces is
  'Frees the pieces of a return request that did not come back, the newest deliveries first, so that the customer may ask again.';

create function private.receive_return(order_id uuid, request_id uuid, items jsonb, note text) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  request public.return_requests :=
    private.locked_return_request(receive_return.order_id, receive_return.request_id, true);
  target public.orders;
  received jsonb := private.received_items(request, receive_return.items);
  pieces private.piece[];
begin
  if request.status <> 'approved' then
    perform private.refuse(
      'INVALID_TRANSITION', format('The return request is %s. Only approved ones can be received.', request.status),
      'status', to_jsonb(request.status)
    );
  end if;
  select * into target from public.orders o where o.id = request.order_id;
  pieces := private.wanted_pieces(
    (select jsonb_agg(r.value - 'restock') from jsonb_array_elements(received) as r (value)),
    array(select p from private.pieces_in(target, 'delivered') as p), 'Only %s of them can still be returned.'
  );
  perform private.bound_returns(target, cardinality(pieces), receive_return.note);
  perform private.take_back(target, pieces, receive_return.note, array(
    select (r.value ->> 'item_id')::uuid
    from jsonb_array_elements(received) as r (value)
    where (r.value ->> 'restock')::boolean is false
  ));

  perform private.free_kept_pieces(request, pieces);
  update public.return_request_items i
  set received_quantity = p.quantity
  from unnest(pieces) as p
  where i.tenant_id = request.tenant_id and i.order_id = request.order_id and i.request_id = request.id
    and i.item_id = p.item_id;
  update public.return_requests r
  set status = 'received', note = coalesce(receive_return.note, r.note)
  where r.id = request.id;
  perform private.follow_pieces(target, case when private.has_one_seller(target) then receive_return.note end);
end
$$;
comment on function private.receive_return is
  'Takes back the pieces of an approved return request that came, and puts them into stock unless restock is false. Refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION.';

create function private.return_request_record(request_id uuid) returns jsonb
language sql stable set search_path = ''
as $$
  select to_jsonb(d) || jsonb_build_object('order_status', o.status)
  from public.return_request_details d
  join public.orders o on o.id = d.order_id
  where d.id = request_id
$$;
comment on function private.return_request_record is 'A return request as the caller sees it, with its order_status.';

create function public.request_return(order_id uuid, items jsonb, reason text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  asked uuid := private.request_return(order_id, items, reason);
begin
  return private.return_request_record(asked);
end
$$;
comment on function public.request_return is
  'Requests to send back items of one supplier, a list of item_id and quantity. For customers, and for clients and admins on their behalf. Returns the request.';

create function public.list_return_requests(order_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  if not exists (select from public.orders o where o.id = list_return_requests.order_id) then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  end if;
  return jsonb_build_object('return_requests', (
    select coalesce(jsonb_agg(to_jsonb(d) order by d.created_at), '[]')
    from public.return_request_details d
    where d.tenant_id = (select private.tenant_id()) and d.order_id = list_return_requests.order_id
  ));
end
$$;
comment on function public.list_return_requests is 'The return requests of an order, the oldest first. A supplier gets its own.';

create function public.approve_return(order_id uuid, request_id uuid, note text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.move_return_request(order_id, request_id, 'approved', note);
  return private.return_request_record(request_id);
end
$$;
comment on function public.approve_return is 'For its supplier and admins: approves a return request and returns it.';

create function public.reject_return(order_id uuid, request_id uuid, note text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.move_return_request(order_id, request_id, 'rejected', note);
  return private.return_request_record(request_id);
end
$$;
comment on function public.reject_return is 'For its supplier and admins: rejects a return request and returns it.';

create function public.cancel_return(order_id uuid, request_id uuid, note text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.move_return_request(order_id, request_id, 'cancelled', note);
  return private.return_request_record(request_id);
end
$$;
comment on function public.cancel_return is
  'For customers, and clients and admins on their behalf: cancels a return request that is not received and returns it.';

create function public.receive_return(
  order_id uuid, request_id uuid, items jsonb default null, note text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.receive_return(order_id, request_id, items, note);
  return private.return_request_record(request_id);
end
$$;
comment on function public.receive_return is
  'For its supplier and admins: reports the items that came back of an approved return request, a list of item_id, quantity and restock (true by default); by default all of them. Returns the request with the order_status.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.return_requests
  for each row execute function private.keep_nfc();

create trigger return_requests_check_status_move
  before update of status on public.return_requests
  for each row execute function private.check_status_move();

create trigger return_requests_touch
  before update on public.return_requests
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.return_requests enable row level security;
alter table public.return_request_items enable row level security;

create policy "Admins and clients see all return requests, customers those of their orders, suppliers their own" on public.return_requests
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then customer_id = (select private.customer_id())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

create policy "Everybody who sees a return request sees its items" on public.return_request_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.reads_all()) then true
      else (select true from public.return_requests r where r.id = request_id)
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.return_requests, public.return_request_items, public.return_request_details to authenticated;
grant all on public.return_requests, public.return_request_items, public.return_request_details to service_role;
grant execute on function
  private.request_return, private.move_return_request, private.receive_return, private.return_request_record
to authenticated;
grant execute on function
  public.request_return, public.list_return_requests, public.approve_return, public.reject_return, public.cancel_return,
  public.receive_return
to authenticated;

-- supabase/schemas/orders/0548_ended_bookings.sql

-- Slots that are over count as delivered, as shipments do after some days: their pieces move, and the order with them.

-- functions ------------------------------------------------------------------------------------

create function private.deliver_slots(target public.orders, booking_ids uuid[]) returns integer
language plpgsql security definer set search_path = ''
as $$
declare
  items uuid[];
  open private.piece[];
  under_way private.piece[];
begin
  with ended as (
    update public.bookings b
    set delivered_at = b.ends_at
    where b.id = any (booking_ids)
      -- Not as in bookings_ends_at_idx: a plan that was kept from when there were few rows would read all of that index.
      and b.status <> 'cancelled' and b.delivered_at is null and b.ends_at <= now()
    returning b.order_item_id
  )
  select array_agg(e.order_item_id) into items from ended e;
  if items is null then
    return 0;
  end if;
  -- Pieces that were moved by hand before are delivered, or in a shipment.
  open := array(
    select p from private.pieces_in(target, 'open') as p where p.item_id = any (items) and p.quantity > 0
  );
  perform private.move_pieces(target, 'ship', open);
  under_way := array(
    select p from private.pieces_in(target, 'shipped') as p where p.item_id = any (items) and p.quantity > 0
  );
  perform private.move_pieces(target, 'deliver', under_way);
  if cardinality(under_way) > 0 then
    perform private.follow_pieces(target);
  end if;
  return cardinality(items);
end
$$;
comment on function private.deliver_slots is
  'Marks bookings of an order that are over as delivered, and moves their pieces. The caller has locked the order''s row. Returns how many.';

create function private.deliver_ended_bookings(batch integer) returns integer
language plpgsql security definer set search_path = ''
as $$
declare
  due record;
  target public.orders;
  delivered integer := 0;
begin
  -- The bookings of an order together, so that its status moves once.
  for due in
    select b.order_id, array_agg(b.id) as booking_ids
    from (
      select b.id, b.order_id, b.ends_at
      from public.bookings b
      where b.status = 'booked' and b.delivered_at is null and b.ends_at <= now()
        and (b.delivery_delayed_until is null or b.delivery_delayed_until <= now())
      order by b.ends_at
      limit batch
    ) as b
    group by b.order_id
    order by min(b.ends_at)
  loop
    begin
      -- Another transaction is changing the order.
      select * into target from public.orders o where o.id = due.order_id for update skip locked;
      continue when not found;
      if private.waits_for_payment(target) then
        update public.bookings b
        set delivery_delayed_until = now() + interval '1 hour'
        where b.id = any (due.booking_ids);
        continue;
      end if;
      delivered := delivered + private.deliver_slots(target, due.booking_ids);
      -- Deferred triggers run here, so that a failure affects this order alone.
      set constraints all immediate;
    exception
      when others then
        raise warning 'bookings of order % could not be marked as delivered: %', due.order_id, sqlerrm;
        update public.bookings b
        set delivery_delayed_until = now() + interval '1 hour'
        where b.id = any (due.booking_ids);
    end;
    set constraints all deferred;
  end loop;
  return delivered;
end
$$;
comment on function private.deliver_ended_bookings is
  'Marks bookings as delivered that are over, at most batch. Those of an order that fails, or that waits for its payment where only paid orders are delivered, are tried again in an hour. Returns how many.';

create function public.deliver_ended_bookings(batch integer default 100) returns integer
language plpgsql set search_path = ''
as $$
begin
  return private.deliver_ended_bookings(batch);
end
$$;
comment on function public.deliver_ended_bookings is
  'For a job: marks bookings as delivered that are over, at most batch. Returns how many.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.deliver_ended_bookings to service_role;
grant execute on function public.deliver_ended_bookings to service_role;

-- supabase/schemas/orders/0550_payments.sql

-- Payments: reports of a payment service, or of the operator, about an order. Each report is a row that moves the
-- order's payment_status. A failed refund and a reversed payment are reports too: they undo the row with the same
-- reference. A job cancels orders that are not paid in time.

create type public.refund_bearer as enum ('operator', 'supplier');

create type public.payment_report as enum ('paid', 'failed', 'refunded', 'refund_failed', 'payment_reversed');
comment on type public.payment_report is
  'What can be reported about an order''s payment. refund_failed undoes a refund, payment_reversed a payment (a bounced debit, a lost dispute).';

-- tables ---------------------------------------------------------------------------------------

create table public.payments (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  status public.payment_report not null,
  amount numeric not null,
  currency text not null,
  reference text not null,
  items jsonb,
  delivery_amount numeric,
  borne_by public.refund_bearer,
  named_amount numeric not null default 0,
  delivery_shares jsonb,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint payments_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  -- Payment services may send the same report twice.
  constraint reference_is_unique_in_payments unique (tenant_id, order_id, status, reference),
  constraint payments_amount_is_positive_and_at_most_999999999999999 check (amount > 0 and amount <= 999999999999999),
  constraint payments_amount_is_of_at_most_4_decimals check (scale(amount) <= 4),
  constraint payments_reference_is_1_to_200_characters check (char_length(reference) between 1 and 200),
  constraint payments_items_is_null_unless_refunded
    check (status = 'refunded' or num_nonnulls(items, delivery_amount, delivery_shares, borne_by) = 0),
  constraint payments_delivery_amount_is_not_negative check (delivery_amount >= 0)
);
comment on table public.payments is
  'The reports on the payment of an order: paid, failed, refunded, refund_failed or payment_reversed, with the amount and the reference at the payment service. refund_failed and payment_reversed have the reference of the refund or payment that they undo. items (item_id, amount) and delivery_amount: what a refund is for, if it names that; named_amount: their sum; delivery_shares: the parts whose delivery it is for (supplier_id, amount); borne_by: who bears it. Rows are only added.';

-- indexes --------------------------------------------------------------------------------------

create unique index payments_order_idx on public.payments (tenant_id, order_id, created_at, id);
alter table public.payments replica identity using index payments_order_idx;
-- For the job, which looks at all tenants at once.
create index orders_payment_due_idx on public.orders (payment_due_at)
  where status in ('pending', 'processing') and payment_status in ('pending', 'failed');

-- functions ------------------------------------------------------------------------------------

create function private.owed_amount(target public.orders) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(sum(i.price * i.sold_quantity), 0)
    from public.order_items i
    where i.tenant_id = target.tenant_id and i.order_id = target.id
  ) + (
    select coalesce(sum(p.delivery_amount), 0)
    from public.order_parts p
    where p.tenant_id = target.tenant_id and p.order_id = target.id and p.delivery_owed
  );
end
$$;
comment on function private.owed_amount is
  'The current price of an order: its total, minus cancelled, returned and lost pieces, and minus the delivery of parts whose pieces are all cancelled or lost.';

create function private.balance_change(status public.payment_report, amount numeric) returns numeric
language sql immutable
return case
  when status in ('paid', 'refund_failed') then amount
  when status in ('refunded', 'payment_reversed') then -amount
  else 0
end;
comment on function private.balance_change is
  'The change of an order''s balance by a report: positive for money that came in, negative for money that went back.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.standing_refunds(target public.orders) returns setof public.payments
language sql stable
begin atomic
  select p.*
  from public.payments p
  where p.tenant_id = target.tenant_id and p.order_id = target.id and p.status = 'refunded'
    and not exists (
      select
      from public.payments undone
      where undone.tenant_id = p.tenant_id and undone.order_id = p.order_id
        and case undone.status
          when 'refund_failed' then undone.reference = p.reference
          when 'payment_reversed' then undone.created_at > p.created_at
        end
    );
end;
comment on function private.standing_refunds is
  'The refunds of an order that did not fail. Refunds before a reversed payment do not count, because the order is paid again after it.';

-- Also inlined.
create function private.refunded_items(target public.orders)
returns table (item_id uuid, amount numeric, kept_amount numeric, borne_amount numeric)
language sql stable
begin atomic
  select back.item_id, back.amount, kept.amount, least(back.borne, kept.amount)
  from (
    select
      (line.value ->> 'item_id')::uuid as item_id, sum((line.value ->> 'amount')::numeric) as amount,
      coalesce(sum((line.value ->> 'amount')::numeric) filter (where r.borne_by = 'supplier'), 0) as borne
    from private.standing_refunds(target) r
    cross join jsonb_array_elements(r.items) as line (value)
    group by 1
  ) as back
  join public.order_items i on i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = back.item_id
  cross join lateral (
    select greatest(0, back.amount - i.price * (i.quantity - i.unpaid_quantity - i.sold_quantity)) as amount
  ) as kept;
end;
comment on function private.refunded_items is
  'What was refunded for each item of an order. It is set off against the pieces that were paid and are gone; kept_amount is the rest, which lowers the price of the pieces that the customer keeps. borne_amount: what the supplier bears of that.';

create function private.refunded_deliveries(target public.orders)
returns table (supplier_id uuid, is_owed boolean, paid_amount numeric, amount numeric, kept_amount numeric)
language sql stable
begin atomic
  select
    p.supplier_id, p.delivery_owed, paid.amount, back.amount,
    greatest(0, back.amount - case when p.delivery_owed then 0 else paid.amount end)
  from public.order_parts p
  cross join lateral (
    select case
      when p.delivery_owed or exists (
        select
        from public.order_items i
        where i.tenant_id = p.tenant_id and i.order_id = p.order_id and i.unpaid_quantity < i.quantity
          and (p.delivers_all or i.supplier_id is not distinct from p.supplier_id)
      ) then p.delivery_amount
      else 0
    end as amount
  ) as paid
  cross join lateral (
    select coalesce(sum((share.value ->> 'amount')::numeric), 0) as amount
    from private.standing_refunds(target) r
    cross join jsonb_array_elements(r.delivery_shares) as share (value)
    where (share.value ->> 'supplier_id')::uuid is not distinct from p.supplier_id
  ) as back
  where p.tenant_id = target.tenant_id and p.order_id = target.id and p.delivery_amount > 0;
end;
comment on function private.refunded_deliveries is
  'What was paid and refunded for the delivery of each part of an order. kept_amount: what was refunded of a delivery that is still owed.';

create function private.kept_refunds(target public.orders) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select coalesce(sum(i.kept_amount), 0) from private.refunded_items(target) i)
    + (select coalesce(sum(d.kept_amount), 0) from private.refunded_deliveries(target) d);
end
$$;
comment on function private.kept_refunds is
  'The refunds of an order that lower the price of items and deliveries which the customer keeps.';

create function private.payment_deadline(business jsonb) returns timestamptz
language sql stable
return now() + make_interval(mins => coalesce((business ->> 'payment_deadline_minutes')::integer, 1440));
comment on function private.payment_deadline is
  'The payment deadline of an order that starts to wait for its payment now. business: the marketplace''s settings.business.';

-- A set without a SET clause, so that Postgres inlines it into queries. As a scalar function, called for each order, it took
-- two thirds of the time of a list of orders.
create function private.refund_due(target public.orders) returns table (amount numeric)
language sql stable
begin atomic
  select
    case
      when private.was_paid(target.payment_status) then
        greatest(
          0,
          -- At most what is left of the payments. Goodwill refunds do not reduce it.
          least(
            sums.remaining,
            sums.remaining + (select coalesce(sum(r.amount - r.named_amount), 0) from private.standing_refunds(target) r)
              + case when sums.are_named then private.kept_refunds(target) else 0 end
              - private.owed_amount(target)
          )
        )
      else 0
    end
  from (
    select coalesce(sum(private.balance_change(p.status, p.amount)), 0) as remaining, bool_or(p.named_amount > 0) as are_named
    from public.payments p
    where p.tenant_id = target.tenant_id and p.order_id = target.id
  ) as sums;
end;
comment on function private.refund_due is
  'The amount to give back for an order: what was paid, minus its current price, minus refunds for items and deliveries that are gone. A refund for an item or a delivery is set off against that one only. Failed refunds and reversed payments do not count. 0 for callers who do not see its payments.';

create function private.refund_due_for(target public.orders, due numeric) returns jsonb
language sql stable security definer set search_path = ''
as $$
  with gone as (
    select
      i.id as item_id, null::uuid as supplier_id, i.position as position, true as is_item,
      i.price * (i.quantity - i.unpaid_quantity - i.sold_quantity) - coalesce(r.amount, 0) as amount
    from public.order_items i
    left join private.refunded_items(target) as r on r.item_id = i.id
    where i.tenant_id = target.tenant_id and i.order_id = target.id
    union all
    select null, d.supplier_id, null, false, d.paid_amount - d.amount
    from private.refunded_deliveries(target) as d
    where not d.is_owed
  ),
  summed as (
    select g.*, sum(g.amount) over (order by not g.is_item, g.position, g.supplier_id) - g.amount as before
    from gone g
    where g.amount > 0
  ),
  left_over as (
    -- Goodwill refunds leave less of the payment than is due.
    select s.*, least(s.amount, due - s.before) as due_amount from summed s where s.before < due
  )
  select jsonb_build_object(
    'items', coalesce(
      jsonb_agg(jsonb_build_object('item_id', l.item_id, 'amount', l.due_amount) order by l.position) filter (where l.is_item), '[]'
    ),
    'deliveries', coalesce(
      jsonb_agg(jsonb_build_object('supplier_id', l.supplier_id, 'amount', l.due_amount) order by l.supplier_id)
        filter (where not l.is_item),
      '[]'
    )
  )
  from left_over l
$$;
comment on function private.refund_due_for is
  'What the refund_due of an order is for: amounts of items, and of the deliveries of parts. Together at most that amount; if less is left of the payment than is due, the first items come first.';

create function private.refused_refund_line(target public.orders, refund public.payments, exponent integer) returns jsonb
language sql stable security definer set search_path = ''
as $$
  with line as (
    select
      sent.position - 1 as position, i.id, i.supplier_id, (sent.value ->> 'amount')::numeric as amount, sent.value,
      count(*) over (partition by (sent.value ->> 'item_id')::uuid) > 1 as is_repeated,
      least(
        i.price * (i.quantity - i.unpaid_quantity) - coalesce(earlier.amount, 0),
        -- A supplier earns nothing for returned pieces, so it can bear refunds only of pieces that the customer keeps.
        case refund.borne_by when 'supplier' then i.price * i.sold_quantity - coalesce(earlier.borne_amount, 0) end
      ) as most
    from jsonb_array_elements(refund.items) with ordinality as sent (value, position)
    left join public.order_items i
      on i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = (sent.value ->> 'item_id')::uuid
    left join private.refunded_items(target) as earlier on earlier.item_id = i.id
  ),
  judged as (
    select
      l.*,
      case
        when l.id is null then 'The order has no such item.'
        when l.is_repeated then 'Name each item once.'
        when refund.borne_by = 'supplier' and l.supplier_id is null then 'This item has no supplier who could bear the refund.'
        when coalesce(l.amount, 0) <= 0 or scale(trim_scale(l.amount)) > exponent
          then format('amount must be above 0, with at most %s decimals.', exponent)
        when l.amount > l.most then format('At most %s of this item can be refunded.', greatest(l.most, 0))
      end as fault
    from line l
  )
  select jsonb_build_object(
    'code', case when j.id is null then 'NOT_FOUND' else 'VALIDATION_ERROR' end,
    'message', j.fault,
    'field', format('items[%s].%s', j.position, case when j.id is null or j.is_repeated then 'item_id' else 'amount' end),
    'value', j.value -> case when j.id is null or j.is_repeated then 'item_id' else 'amount' end
  )
  from judged j
  where j.fault is not null
  order by j.position
  limit 1
$$;
comment on function private.refused_refund_line is
  'The refusal of the first wrong item of a refund, with code, message, field and value; null if none is wrong.';

create function private.bound_reports(target public.orders, more integer, message text, field text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- The record of an order lists all reports. A report takes at most 855 bytes without its items.
  perform private.bound_record(
    bound_reports.more + (
      select coalesce(sum(855 + coalesce(octet_length(p.items::text), 0)), 0)
      from public.payments p
      where p.tenant_id = target.tenant_id and p.order_id = target.id
    ),
    0.164, bound_reports.message, bound_reports.field
  );
end
$$;
comment on function private.bound_reports is
  'Refuses with LIMIT_REACHED if the reports on an order''s payment, with this many bytes more, exceed what its record may hold.';

create function private.check_refund(target public.orders, refund public.payments, exponent integer) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
declare
  problem jsonb;
  named numeric;
  delivery_left numeric;
begin
  if refund.borne_by = 'supplier' and target.imported_at is not null then
    perform private.refuse(
      'VALIDATION_ERROR', 'Suppliers cannot bear refunds of imported orders, which were settled elsewhere.',
      'borne_by', '"supplier"'
    );
  end if;
  if refund.items is not null then
    perform private.insist(
      case when jsonb_typeof(refund.items) = 'array' then jsonb_array_length(refund.items) between 1 and 500 end,
      'items', 'a list of 1 to 500', null
    );
    perform private.known_only(sent.value, '{item_id,amount}', format('items[%s].', sent.position - 1))
    from jsonb_array_elements(refund.items) with ordinality as sent (value, position);
    problem := private.refused_refund_line(target, refund, exponent);
    if problem is not null then
      perform private.refuse(problem ->> 'code', problem ->> 'message', problem ->> 'field', problem -> 'value');
    end if;
    perform private.bound_reports(
      target, 855 + octet_length(refund.items::text),
      'The record of this order cannot hold more items of refunds. Leave items out.', 'items'
    );
  end if;

  select coalesce(sum(d.paid_amount - d.amount), 0) into delivery_left from private.refunded_deliveries(target) d;
  if scale(trim_scale(refund.delivery_amount)) > exponent then
    perform private.refuse(
      'VALIDATION_ERROR', format('delivery_amount must have at most %s decimals.', exponent), 'delivery_amount',
      to_jsonb(refund.delivery_amount)
    );
  elsif refund.delivery_amount > delivery_left then
    perform private.refuse(
      'VALIDATION_ERROR', format('At most %s of the delivery can be refunded.', delivery_left), 'delivery_amount',
      to_jsonb(refund.delivery_amount)
    );
  elsif refund.borne_by = 'supplier' and refund.delivery_amount > 0 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A supplier can bear refunds of its items only. The operator bears refunds of delivery.',
      'delivery_amount', to_jsonb(refund.delivery_amount)
    );
  end if;

  named := coalesce(
    (select sum((given.value ->> 'amount')::numeric) from jsonb_array_elements(refund.items) as given (value)), 0
  ) + coalesce(refund.delivery_amount, 0);
  if named > refund.amount or refund.borne_by = 'supplier' and named < refund.amount then
    perform private.refuse(
      'VALIDATION_ERROR', format('The items and the delivery_amount of this refund add up to %s. Correct them, or amount.', named),
      'amount',
      to_jsonb(refund.amount)
    );
  end if;
  return named;
end
$$;
comment on function private.check_refund is
  'The sum of the items and the delivery that a refund names. Refuses wrong ones: NOT_FOUND, VALIDATION_ERROR, LIMIT_REACHED.';

create function private.delivery_shares(target public.orders, refund public.payments) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_agg(jsonb_build_object('supplier_id', share.supplier_id, 'amount', share.amount) order by share.place)
  from (
    select
      d.supplier_id, d.place,
      least(d.rest, coalesce(refund.delivery_amount, 0) - (sum(d.rest) over (order by d.place) - d.rest)) as amount
    from (
      select
        d.supplier_id, d.paid_amount - d.amount as rest,
        row_number() over (order by d.is_owed, item.is_named desc nulls last, item.position, d.supplier_id) as place
      from private.refunded_deliveries(target) d
      cross join lateral (
        select
          min(i.position) as position,
          bool_or(
            exists (
              select from jsonb_array_elements(refund.items) as named (value)
              where (named.value ->> 'item_id')::uuid = i.id
            )
          ) as is_named
        from public.order_items i
        where i.tenant_id = target.tenant_id and i.order_id = target.id
          and i.supplier_id is not distinct from d.supplier_id
      ) as item
    ) as d
  ) as share
  where share.amount > 0
$$;
comment on function private.delivery_shares is
  'The parts whose delivery a refund is for: first those whose delivery is no longer owed, then those of the items that it names, then the others in the order of their items.';

create function private.record_unpaid_pieces(target public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (
    select
    from public.order_items i
    where i.tenant_id = target.tenant_id and i.order_id = target.id and i.unpaid_quantity <> i.quantity - i.sold_quantity
  ) then
    update public.order_items i
    set unpaid_quantity = i.quantity - i.sold_quantity
    where i.tenant_id = target.tenant_id and i.order_id = target.id and i.unpaid_quantity <> i.quantity - i.sold_quantity;
  end if;
end
$$;
comment on function private.record_unpaid_pieces is
  'Writes into the items of an order that is being paid how many of their pieces the payment is not for.';

create function private.refundable_amount(target public.orders, refund public.payments) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
declare
  remaining numeric;
  reports integer;
begin
  select coalesce(sum(private.balance_change(p.status, p.amount)), 0), count(*)
  into remaining, reports
  from public.payments p
  where p.tenant_id = target.tenant_id and p.order_id = target.id and p.status <> 'failed';
  if refund.amount > remaining then
    perform private.refuse(
      'VALIDATION_ERROR', format('At most %s can be refunded.', remaining), 'amount', to_jsonb(refund.amount)
    );
  elsif refund.amount < remaining and reports >= 200 then
    -- The record of an order lists all reports: the payment and 199 reports after it.
    perform private.refuse(
      'VALIDATION_ERROR', format('This order has 200 reports on its payment. Refund all that is left: %s.', remaining),
      'amount', to_jsonb(refund.amount)
    );
  end if;
  return remaining;
end
$$;
comment on function private.refundable_amount is
  'The amount that can be given back for an order before this refund. Refuses with VALIDATION_ERROR a larger refund, and after 199 other reports also a smaller one.';

create function private.undone_report(target public.orders, undo public.payments) returns public.payments
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_refund boolean := undo.status = 'refund_failed';
  undone public.payments;
begin
  select * into undone
  from public.payments p
  where p.tenant_id = target.tenant_id
    and p.order_id = target.id
    and p.status = case when is_refund then 'refunded' else 'paid' end::public.payment_report
    and p.reference = undo.reference;
  if not found then
    perform private.refuse(
      'NOT_FOUND',
      case when is_refund then 'No refund of this order has this reference.' else 'No payment of this order has this reference.' end,
      'reference', to_jsonb(undo.reference)
    );
  elsif exists (
    select
    from public.payments p
    where p.tenant_id = target.tenant_id and p.order_id = target.id and p.status = undo.status
      and p.reference = undo.reference
  ) then
    perform private.refuse(
      'INVALID_TRANSITION',
      case
        when is_refund then 'This refund was reported as failed before.'
        else 'This payment was reported as reversed before.'
      end,
      'reference', to_jsonb(undo.reference)
    );
  end if;
  return undone;
end
$$;
comment on function private.undone_report is
  'The failed refund or the reversed payment with the reference of this report. Refuses with NOT_FOUND if there is none, with INVALID_TRANSITION if it was undone before.';

create function private.undone_amount(target public.orders, undo public.payments, undone public.payments) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
declare
  remaining numeric;
  amount numeric;
begin
  -- Leaves space for this report and the next one: another refund or another payment.
  perform private.bound_reports(
    target, 2 * 855, 'The record of this order cannot hold more reports on its payment.', 'reference'
  );
  select sum(private.balance_change(p.status, p.amount)) into remaining
  from public.payments p
  where p.tenant_id = target.tenant_id and p.order_id = target.id;
  -- Refunds may have given a part of a payment back before it was reversed.
  amount := case undo.status when 'refund_failed' then undone.amount else least(undone.amount, remaining) end;
  if undo.amount <> amount then
    perform private.refuse(
      'VALIDATION_ERROR', format('amount must be %s, or left out.', amount), 'amount', to_jsonb(undo.amount)
    );
  end if;
  return amount;
end
$$;
comment on function private.undone_amount is
  'The amount that a report of refund_failed or payment_reversed undoes. Refuses: VALIDATION_ERROR for another amount, LIMIT_REACHED.';

create function private.insist_on_report(target public.orders, report public.payments) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not exists (
    select 1
    from private.status_moves m
    where m.subject = 'payments'
      and m.from_status = target.payment_status::text
      and m.to_status = report.status::text
  ) then
    perform private.refuse(
      'INVALID_TRANSITION', format('The payment_status of the order is %s, which does not allow this report.', target.payment_status),
      'status', to_jsonb(report.status)
    );
  elsif target.status = 'cancelled' and report.status = 'paid' then
    perform private.refuse(
      'INVALID_TRANSITION', 'The order is cancelled and cannot be paid.', 'status', to_jsonb(report.status)
    );
  end if;
end
$$;
comment on function private.insist_on_report is
  'Refuses with INVALID_TRANSITION a report that does not fit the order''s payment_status, and the payment of a cancelled order.';

create function private.stored_refund_items(items jsonb, exponent smallint) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_agg(
    jsonb_build_object(
      'item_id', (line.value ->> 'item_id')::uuid, 'amount', round((line.value ->> 'amount')::numeric, exponent)
    )
    order by line.position
  )
  from jsonb_array_elements(items) with ordinality as line (value, position)
$$;
comment on function private.stored_refund_items is
  'The items of a refund as they are stored: ids in lower case and amounts as numbers, as in the other records.';

create function private.settle_payment() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  target public.orders;
  exponent smallint;
  undone public.payments;
  remaining numeric;
begin
  select * into target
  from public.orders o
  where o.tenant_id = new.tenant_id and o.id = new.order_id
  for update;
  if not found then
    -- The foreign key refuses the row.
    return new;
  end if;
  new.currency := target.currency;
  if new.created_at <= target.imported_at then
    -- A past payment of an imported order: the order's payment_status includes it already.
    return new;
  end if;
  select c.exponent into exponent from private.currencies c where c.code = target.currency;

  if new.status in ('refund_failed', 'payment_reversed') then
    undone := private.undone_report(target, new);
  end if;
  perform private.insist_on_report(target, new);

  if new.status = 'refunded' then
    remaining := private.refundable_amount(target, new);
  elsif new.status = 'paid' and new.amount <> private.owed_amount(target) then
    perform private.refuse(
      'VALIDATION_ERROR', format('amount must be %s, the price of the order.', private.owed_amount(target)),
      'amount', to_jsonb(new.amount)
    );
  end if;
  if new.status = 'refunded' then
    new.borne_by := coalesce(new.borne_by, 'operator');
    new.named_amount := private.check_refund(target, new, exponent);
    new.items := private.stored_refund_items(new.items, exponent);
    new.delivery_shares := private.delivery_shares(target, new);
  elsif new.status = 'paid' then
    perform private.record_unpaid_pieces(target);
  elsif undone.id is not null then
    new.amount := private.undone_amount(target, new, undone);
  end if;
  if scale(trim_scale(new.amount)) > exponent then
    perform private.refuse(
      'VALIDATION_ERROR', format('amount has more decimals than %s allows.', target.currency), 'amount', to_jsonb(new.amount)
    );
  end if;
  new.amount := round(new.amount, exponent);

  -- An order that is refunded in parts stays paid until the last part. After a reversal it waits for another payment.
  update public.orders o
  set payment_status = case
        when new.status = 'refunded' and new.amount < remaining then o.payment_status
        when new.status = 'refund_failed' then 'paid'
        when new.status = 'payment_reversed' then 'failed'
        else new.status::text::public.payment_status
      end,
      payment_due_at = case
        when new.status = 'payment_reversed' and o.imported_at is null
          then private.payment_deadline(private.business_of(o.marketplace_id))
        else o.payment_due_at
      end,
      payment_reversed_at = case new.status
        when 'payment_reversed' then now()
        when 'paid' then null
        else o.payment_reversed_at
      end
  where o.id = target.id;
  return new;
end
$$;
comment on function private.settle_payment() is
  'Row trigger: accepts a report only if the order''s payment_status allows it and its amount is right, and moves the payment_status. Past payments of imported orders are stored as they are. Refuses: INVALID_TRANSITION, NOT_FOUND, VALIDATION_ERROR, LIMIT_REACHED.';

create function private.owe_nothing() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.payment_due_at := null;
  return new;
end
$$;
comment on function private.owe_nothing() is
  'Row trigger: removes the payment deadline of an order that is paid, cancelled or returned.';

create function private.report_payment(
  order_id uuid, status public.payment_report, reference text, amount numeric, items jsonb, delivery_amount numeric,
  borne_by public.refund_bearer
) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  target public.orders;
  earlier public.payments;
  reported uuid;
begin
  if not private.reads_all() then
    perform private.refuse('FORBIDDEN', 'Your role may not report payments.');
  end if;
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = report_payment.order_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  elsif report_payment.amount is null and report_payment.status in ('paid', 'failed', 'refunded') then
    perform private.refuse(
      'VALIDATION_ERROR', format('amount is required for a report of %s.', status), 'amount', 'null'
    );
  end if;

  select * into earlier
  from public.payments p
  where p.tenant_id = target.tenant_id
    and p.order_id = target.id
    and p.status = report_payment.status
    and p.reference = report_payment.reference
    -- Reports that undo another one are refused when they are repeated.
    and p.status not in ('refund_failed', 'payment_reversed');
  if not found then
    insert into public.payments (
      tenant_id, order_id, status, amount, currency, reference, items, delivery_amount, borne_by, actor_id
    )
    values (
      target.tenant_id, target.id, report_payment.status, report_payment.amount, target.currency,
      report_payment.reference, report_payment.items, report_payment.delivery_amount, report_payment.borne_by, auth.uid()
    )
    returning id into reported;
    return reported;
  elsif earlier.amount <> report_payment.amount then
    perform private.refuse(
      'CONFLICT', format('%s was reported with another amount.', earlier.reference),
      'reference', to_jsonb(earlier.reference)
    );
  end if;
  return earlier.id;
end
$$;
comment on function private.report_payment is
  'Stores a report on an order''s payment, or refuses: FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR, CONFLICT. A repeated report changes nothing.';

create function public.report_payment(
  order_id uuid, status public.payment_report, reference text, amount numeric default null, items jsonb default null,
  delivery_amount numeric default null, borne_by public.refund_bearer default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  reported uuid :=
    private.report_payment(order_id, status, reference, amount, items, delivery_amount, borne_by);
begin
  return (
    select to_jsonb(p) - '{named_amount,delivery_shares}'::text[] || jsonb_build_object('payment_status', o.payment_status)
    from public.payments p
    join public.orders o on o.id = p.order_id
    where p.id = reported
  );
end
$$;
comment on function public.report_payment is
  'For clients and admins: reports paid, failed, refunded, refund_failed or payment_reversed, and returns the payment with the order''s payment_status. refund_failed and payment_reversed undo the refund or payment with this reference, once, and need no amount. A refund may name items (a list of item_id and amount), delivery_amount, and borne_by (operator by default, or supplier). Any other report with the same status and reference again returns the existing one.';

create function private.cancel_unpaid(target public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  reason text := 'not paid in time';
  waiting private.piece[];
begin
  if target.status = 'pending' and cardinality(private.ended_slots(target)) = 0 then
    perform private.move_order(target, 'cancelled', reason);
    return;
  end if;
  -- A slot is over, or the order is processing because of a shipment, or was accepted by hand. What was delivered or
  -- shipped is still owed.
  waiting := array(
    select p
    from private.cancellable_pieces(target) as p
    join public.order_parts part
      on part.tenant_id = target.tenant_id and part.order_id = target.id
      and part.supplier_id is not distinct from p.supplier_id
    where p.quantity > 0 and not part.accepted
  );
  if cardinality(waiting) > 0 then
    perform private.cancel_pieces(target, waiting, reason);
    perform private.follow_pieces(target, reason);
  end if;
  update public.orders o set payment_due_at = null where o.id = target.id;
end
$$;
comment on function private.cancel_unpaid is
  'Cancels the pieces of an unpaid order that are not shipped, unless the order was accepted by hand. The caller has locked its row and stock.';

create function private.cancel_unpaid_orders(batch integer) returns integer
language plpgsql security definer set search_path = ''
as $$
declare
  due uuid[];
  target public.orders;
  cancelled integer := 0;
begin
  -- Skips orders that another transaction is paying or moving.
  select array_agg(o.id) into due
  from (
    select o.id
    from public.orders o
    where o.status in ('pending', 'processing')
      and o.payment_status in ('pending', 'failed')
      and o.payment_due_at <= now()
    order by o.payment_due_at
    limit cancel_unpaid_orders.batch
    for update skip locked
  ) as o;
  if due is null then
    return 0;
  end if;

  -- Locks the stock of all these orders and then their products, each in the order of ids. Locking order by order could
  -- deadlock with customers who buy.
  perform 1
  from public.inventory i
  where i.id in (
    select s.id
    from public.order_items oi
    join public.inventory s on s.product_id = oi.product_id and s.variant_id is not distinct from oi.variant_id
    where oi.order_id = any (due)
  )
  order by i.id
  for update;
  perform 1
  from public.products p
  where p.id in (select oi.product_id from public.order_items oi where oi.order_id = any (due))
  order by p.id
  for no key update;

  for target in select o.* from public.orders o where o.id = any (due) loop
    begin
      perform private.cancel_unpaid(target);
      -- Deferred triggers run here, so that a failure affects this order alone.
      set constraints all immediate;
      cancelled := cancelled + 1;
    exception
      when others then
        -- An order that cannot be cancelled is tried again in an hour, so that it does not block the others.
        raise warning 'order % is not paid and could not be cancelled: %', target.id, sqlerrm;
        update public.orders o set payment_due_at = now() + interval '1 hour' where o.id = target.id;
    end;
    set constraints all deferred;
  end loop;
  return cancelled;
end
$$;
comment on function private.cancel_unpaid_orders is
  'Cancels the unshipped pieces of unpaid orders whose payment_due_at is past, of at most this many orders, and releases the stock. An order that fails is tried again in an hour. Returns how many orders were cancelled.';

create function private.unpaid_orders_wait() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select 1
    from public.orders o
    where o.status in ('pending', 'processing')
      and o.payment_status in ('pending', 'failed')
      and o.payment_due_at <= now()
  );
end
$$;
comment on function private.unpaid_orders_wait is 'Whether there are unpaid orders whose payment_due_at is past.';

create function private.perform_later(operation text, arguments jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  address text;
  key text;
begin
  select s.decrypted_secret into address from vault.decrypted_secrets s where s.name = 'functions_url';
  select s.decrypted_secret into key from vault.decrypted_secrets s where s.name = 'secret_key';
  if address is null or key is null then
    raise warning '% waits for the clock: put functions_url and secret_key into the Vault', operation;
    return;
  end if;
  perform net.http_post(
    url := regexp_replace(address, '/functions/v1/?$', '/rest/v1/rpc/') || operation,
    body := arguments,
    headers := jsonb_build_object(
      'Content-Type', 'application/json', 'apikey', key, 'Authorization', 'Bearer ' || key
    )
  );
end
$$;
comment on function private.perform_later is
  'Has pg_net call a function of the API with the secret key after this transaction commits, in a transaction of its own.';

create function public.cancel_unpaid_orders(batch integer default 100, rounds integer default 0) returns integer
language plpgsql set search_path = ''
as $$
declare
  cancelled integer := private.cancel_unpaid_orders(batch);
begin
  -- Customers wait for the stock that this transaction locks, two seconds at most, so each transaction cancels few
  -- orders.
  if rounds > 0 and private.unpaid_orders_wait() then
    perform private.perform_later('cancel_unpaid_orders', jsonb_build_object('batch', batch, 'rounds', rounds - 1));
  end if;
  return cancelled;
end
$$;
comment on function public.cancel_unpaid_orders is
  'For a job: cancels the unshipped pieces of unpaid orders whose payment_due_at is past, of at most this many orders, and releases the stock. If more are due, up to this many rounds follow, each in its own transaction. Returns how many orders this call cancelled.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.payments for each row execute function private.keep_nfc();

create trigger orders_check_payment_status_move
  before update of payment_status on public.orders
  for each row execute function private.check_status_move('payment_status');

create trigger orders_owe_nothing
  before update of status, payment_status on public.orders
  for each row when (
    new.payment_due_at is not null
    and (new.payment_status in ('paid', 'refunded') or new.status in ('cancelled', 'returned'))
  )
  execute function private.owe_nothing();

create trigger payments_settle
  before insert on public.payments
  for each row execute function private.settle_payment();

-- policies -------------------------------------------------------------------------------------

alter table public.payments enable row level security;

create policy "Admins and clients see all payments, customers those of their orders" on public.payments
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then (select true from public.orders o where o.id = order_id)
      else (select private.reads_all())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.payments to authenticated;
revoke update, delete, truncate on public.payments from service_role;
grant select, insert on public.payments to service_role;
grant execute on function private.report_payment to authenticated;
grant execute on function
  private.refund_due, private.refund_due_for, private.owed_amount, private.kept_refunds, private.standing_refunds, private.balance_change
to authenticated, service_role;
grant execute on function public.report_payment to authenticated;
grant execute on function private.cancel_unpaid_orders, private.unpaid_orders_wait, private.perform_later to service_role;
grant execute on function public.cancel_unpaid_orders to service_role;

-- supabase/schemas/orders/0555_commission_rates.sql

-- Rates of commission, in percent of a sale: the supplier's rate, else the rate of the product's category or of its
-- nearest ancestor with one, else the marketplace's. An order keeps the rates of the time when it was placed.

-- tables ---------------------------------------------------------------------------------------

create table public.commission_rates (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  supplier_id uuid,
  category_id uuid,
  commission_percent numeric not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint supplier_id_is_unique_in_commission_rates unique (tenant_id, supplier_id),
  constraint category_id_is_unique_in_commission_rates unique (tenant_id, category_id),
  constraint commission_rates_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint commission_rates_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id) on delete cascade,
  constraint commission_rates_supplier_id_or_category_id_is_set check (num_nonnulls(supplier_id, category_id) = 1),
  constraint commission_rates_commission_percent_is_from_0_to_100 check (commission_percent between 0 and 100),
  constraint commission_rates_commission_percent_is_of_at_most_4_decimals check (scale(commission_percent) <= 4)
);
comment on table public.commission_rates is
  'The rate of commission of a supplier, or of a category and all categories below it, in percent.';

-- indexes --------------------------------------------------------------------------------------

create unique index commission_rates_tenant_id_created_at_idx on public.commission_rates (tenant_id, created_at desc, id);
alter table public.commission_rates replica identity using index commission_rates_tenant_id_created_at_idx;

-- functions ------------------------------------------------------------------------------------

create function private.category_percent(tenant_id uuid, category_id uuid) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    with recursive line (id, parent_id, depth) as (
      select c.id, c.parent_id, 1
      from public.categories c
      where c.tenant_id = category_percent.tenant_id and c.id = category_percent.category_id
      union all
      select c.id, c.parent_id, l.depth + 1
      from line l
      join public.categories c on c.tenant_id = category_percent.tenant_id and c.id = l.parent_id
    )
    select r.commission_percent
    from line l
    join public.commission_rates r on r.tenant_id = category_percent.tenant_id and r.category_id = l.id
    order by l.depth
    limit 1
  );
end
$$;
comment on function private.category_percent is
  'The rate of commission of a category, or of its nearest ancestor that has one; null if none has.';

create function public.set_commission_rate(
  commission_percent numeric, supplier_id uuid default null, category_id uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  kept public.commission_rates;
begin
  update public.commission_rates r
  set commission_percent = trim_scale(set_commission_rate.commission_percent)
  where r.tenant_id = private.tenant_id()
    and (r.supplier_id = set_commission_rate.supplier_id or r.category_id = set_commission_rate.category_id)
    and num_nonnulls(set_commission_rate.supplier_id, set_commission_rate.category_id) = 1
  returning r.* into kept;
  if not found then
    insert into public.commission_rates (supplier_id, category_id, commission_percent)
    values (
      set_commission_rate.supplier_id, set_commission_rate.category_id,
      trim_scale(set_commission_rate.commission_percent)
    )
    returning * into kept;
  end if;
  return to_jsonb(kept);
end
$$;
comment on function public.set_commission_rate is
  'For admins: sets the rate of commission of a supplier or of a category, for future orders. Returns the rate.';

-- triggers -------------------------------------------------------------------------------------

create trigger commission_rates_are_changed_by_admins
  before insert or update or delete on public.commission_rates
  for each statement execute function private.only_for('admin');

create trigger commission_rates_touch
  before update on public.commission_rates
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.commission_rates enable row level security;

create policy "Admins and clients see all rates, suppliers their own and those of categories" on public.commission_rates
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id is null or supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

create policy "Admins make rates" on public.commission_rates
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins change rates" on public.commission_rates
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins remove rates" on public.commission_rates
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- grants ---------------------------------------------------------------------------------------

grant select, delete on public.commission_rates to authenticated;
grant insert (supplier_id, category_id, commission_percent), update (commission_percent)
  on public.commission_rates to authenticated;
grant all on public.commission_rates to service_role;
grant execute on function public.set_commission_rate to authenticated;
