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
      'safety', (select d.safety from public.products d where d.id = p.id),
      'compare_at_price', (select d.compare_at_price from public.products d where d.id = p.id),
      'images', private.sent_images(p.images), 'variants', coalesce(v.variants, '[]')
    )
  from private.product_rows p
  cross join lateral (
    select jsonb_agg(
      jsonb_build_object(
        'name', v.name, 'sku', v.sku, 'price', v.price, 'compare_at_price', v.compare_at_price,
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
      and (sent.value <> 'null' or sent.key in ('category_id', 'physical', 'safety', 'compare_at_price'))
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
        when 'safety' then
          jsonb_strip_nulls(sent.value) <> jsonb_strip_nulls(current -> 'safety')
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
                then jsonb_strip_nulls(variant.value)
                  || case when variant.value -> 'price' = 'null' then jsonb '{"price": null}' else '{}' end
                  || case when variant.value -> 'compare_at_price' = 'null' then jsonb '{"compare_at_price": null}' else '{}' end
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
        (p.value ->> 'compare_at_price')::numeric as compare_at_price, p.value ? 'compare_at_price' as has_compare_at_price,
        (p.value ->> 'quantity')::integer as quantity
      from jsonb_array_elements(pairs) as p (value)
    loop
      if pair.id is null then
        pair.id := gen_random_uuid();
        insert into public.product_variants (id, product_id, name, sku, price, compare_at_price, position)
        values (pair.id, product.id, pair.name, pair.sku, pair.price, pair.compare_at_price, pair.index + 1);
      else
        update public.product_variants v
        set name = coalesce(pair.name, v.name),
            sku = coalesce(pair.sku, v.sku),
            price = case when pair.has_price then pair.price else v.price end,
            compare_at_price = case when pair.has_compare_at_price then pair.compare_at_price else v.compare_at_price end
        where v.id = pair.id
          and (
            v.name <> pair.name
            or v.sku is distinct from coalesce(pair.sku, v.sku)
            or pair.has_price and v.price is distinct from pair.price
            or pair.has_compare_at_price and v.compare_at_price is distinct from pair.compare_at_price
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
      insert into public.product_variants (id, product_id, name, sku, price, compare_at_price, position)
      select
        gen_random_uuid(), b.product_id, v.value ->> 'name', v.value ->> 'sku', (v.value ->> 'price')::numeric,
        (v.value ->> 'compare_at_price')::numeric, v.position
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
  -- The price of a product may rise before what its variants are compared with.
  set constraints public.products_check_compared_prices deferred;
  perform private.check_import_lines(batch);
  if exists (select from unnest(batch) as b where b.current is not null) then
    batch := private.change_imported(batch);
  end if;
  if exists (select from unnest(batch) as b where b.current is null) then
    batch := private.list_imported(batch);
  end if;
  perform private.list_variants(batch);
  perform private.import_stock(batch);
  set constraints public.products_check_compared_prices immediate;
  select count(*) filter (where b.current is null), count(*) filter (where b.current is not null and b.changed <> '{}')
  into imported, updated
  from unnest(batch) as b;
end
$$;
comment on function private.import_lines is
  'Creates the products of lines and changes those that match, or refuses all lines. Returns how many products were created, and how many were changed.';

create function private.lock_import_turn(tenant uuid) returns void
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
comment on function private.lock_import_turn is
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
  if wanted is not null and wanted <> private.has_unique_skus(private.tenant_id()) then
    if private.scope('tenant.write') is null then
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
  perform private.require_permission('products.write', 'Your role may not import products.');
  if jsonb_typeof(lines) is distinct from 'array' or jsonb_array_length(lines) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'Send a list of at most 1000 lines.', 'lines', 'null');
  end if;
  if lines = '[]' then
    return jsonb_build_object('imported', 0, 'updated', 0, 'unchanged', 0, 'failed', 0, 'errors', jsonb '[]');
  end if;
  lines := private.nfc(lines);
  perform private.lock_import_turn(tenant);
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
  perform private.require_permission('products.export', 'Your role may not export products.');
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
  private.import_lines, private.lock_import_turn, private.import_in_parts, private.counted_stock, private.counted_line,
  private.stock_remarks, private.set_unique_skus, private.questioned_lines
to authenticated;
grant execute on function public.import_products, public.export_products to authenticated;
