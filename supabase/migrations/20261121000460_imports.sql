-- Imports: many products at once, each a line that stands or falls alone. What is exported reads as it
-- is imported, so that importing it again changes nothing.

-- functions ------------------------------------------------------------------------------------

create function private.product_lines(ids uuid[]) returns table (id uuid, line jsonb)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select
    p.id,
    jsonb_build_object(
      'id', p.id, 'external_id', p.external_id, 'marketplace_id', p.marketplace_id, 'supplier_id', p.supplier_id,
      'category_id', p.category_id, 'kind', p.kind, 'track_inventory', p.track_inventory, 'status', p.status,
      'name', p.name, 'description', p.description, 'price', p.price, 'currency', p.currency,
      'quantity', case when p.track_inventory and v.variants is null then (
        select i.quantity from public.inventory i where i.product_id = p.id and i.variant_id is null
      ) end,
      'images', p.images, 'attributes', p.attributes, 'physical', p.physical, 'variants', coalesce(v.variants, '[]')
    )
  from public.products p
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
  'Products as lines of an export, and of an import, for whoever has made sure that the caller may see them. quantity is null where variants hold the stock, or none is kept.';

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
  'Locks the rows of stock of products in the order of their ids, as all do who change several, so that nobody waits in a circle.';

create function private.changed_fields(line jsonb, current jsonb) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select coalesce(array_agg(sent.key), '{}')
    from jsonb_each(line) as sent
    where sent.key <> 'line'
      -- Null says nothing, but where there can be none.
      and (sent.value <> 'null' or sent.key in ('category_id', 'physical'))
      and case sent.key
        -- Stock moves a product to and from out_of_stock: to a line it is active.
        when 'status' then
          (case line ->> 'status' when 'out_of_stock' then 'active' else line ->> 'status' end)
            <> (case current ->> 'status' when 'out_of_stock' then 'active' else current ->> 'status' end)
        when 'attributes' then
          jsonb_typeof(sent.value) <> 'array'
          or jsonb_array_length(sent.value) <> jsonb_array_length(current -> 'attributes')
          or exists (
            select 1 from jsonb_array_elements(sent.value) as wish
            where not (current -> 'attributes') @> jsonb_build_array(wish.value)
          )
        when 'images' then
          jsonb_typeof(sent.value) <> 'array'
          or (
            select coalesce(jsonb_agg(
              case when jsonb_typeof(wish.value) = 'object' then '{"alt": ""}' || wish.value else wish.value end
              order by wish.position
            ), '[]')
            from jsonb_array_elements(sent.value) with ordinality as wish (value, position)
          ) <> current -> 'images'
        when 'physical' then
          jsonb_strip_nulls(sent.value) <> jsonb_strip_nulls(current -> 'physical')
        when 'variants' then
          jsonb_typeof(sent.value) <> 'array'
          or exists (
            select 1 from jsonb_array_elements(sent.value) as wish
            where not (current -> 'variants') @> jsonb_build_array(
              case when jsonb_typeof(wish.value) = 'object'
                then jsonb_strip_nulls(wish.value - 'price')
                  || case when wish.value ? 'price'
                       then jsonb_build_object('price', wish.value -> 'price') else '{}' end
                else wish.value
              end
            )
          )
        else sent.value is distinct from current -> sent.key
      end
  );
end
$$;
comment on function private.changed_fields is
  'What a line would change of a product: the names of its fields that say something else than there is.';

create function private.settled_attributes(category_id uuid, attributes jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return private.checked_attributes(private.tenant_id(), category_id, attributes);
end
$$;
comment on function private.settled_attributes is
  'Attributes as they would be kept. What a line says of their types may be settled otherwise by the category.';

create function private.import_variants(product_id uuid, tracked boolean, variants jsonb) returns void
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  wish record;
  variant uuid;
  short integer;
begin
  if jsonb_typeof(variants) <> 'array' then
    perform private.refuse('VALIDATION_ERROR', 'variants is a list.', 'variants', variants);
  end if;
  for wish in
    select
      sent.position - 1 as index, sent.position as position, sent.value ->> 'name' as name,
      sent.value ->> 'sku' as sku, (sent.value ->> 'price')::numeric as price, sent.value ? 'price' as has_price,
      (sent.value ->> 'quantity')::integer as quantity
    from jsonb_array_elements(variants) with ordinality as sent (value, position)
  loop
    -- A variant is known by its sku, or else by its name.
    select v.id into variant
    from public.product_variants v
    where v.product_id = import_variants.product_id
      and (v.sku = wish.sku or v.name = wish.name and (v.sku is null or wish.sku is null))
    order by v.sku is not distinct from wish.sku desc, v.position, v.id
    limit 1;
    if variant is null then
      variant := gen_random_uuid();
      insert into public.product_variants (id, product_id, name, sku, price, position)
      values (variant, import_variants.product_id, wish.name, wish.sku, wish.price, wish.position);
    else
      update public.product_variants v
      set name = coalesce(wish.name, v.name),
          sku = coalesce(wish.sku, v.sku),
          price = case when wish.has_price then wish.price else v.price end
      where v.id = variant
        and (
          v.name <> wish.name
          or v.sku is distinct from coalesce(wish.sku, v.sku)
          or wish.has_price and v.price is distinct from wish.price
        );
    end if;
    if wish.quantity is not null then
      if not tracked then
        perform private.refuse(
          'VALIDATION_ERROR', 'This product is sold without a stock.',
          format('variants[%s].quantity', wish.index), to_jsonb(wish.quantity)
        );
      end if;
      update public.inventory i
      set quantity = greatest(wish.quantity, i.reserved)
      where i.product_id = import_variants.product_id and i.variant_id = variant
        and i.quantity <> greatest(wish.quantity, i.reserved);
      select i.reserved into short
      from public.inventory i
      where i.product_id = import_variants.product_id and i.variant_id = variant and i.reserved > wish.quantity;
      if found or wish.quantity < 0 then
        perform private.refuse(
          'INSUFFICIENT_INVENTORY', format('%s are promised to orders: the stock cannot be less.', coalesce(short, 0)),
          format('variants[%s].quantity', wish.index), to_jsonb(wish.quantity)
        );
      end if;
    end if;
  end loop;
end
$$;
comment on function private.import_variants is
  'Makes a product''s variants as a line says. Variants that it does not name stay as they are.';

create function private.import_product(line jsonb, current jsonb, changed text[], marketplace_id uuid, supplier_id uuid)
returns boolean
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  target uuid := (current ->> 'id')::uuid;
  tracked boolean;
  settled text;
begin
  if line ->> 'status' not in ('draft', 'active', 'inactive', 'out_of_stock') then
    perform private.refuse(
      'VALIDATION_ERROR', 'An import lists products as draft, active or inactive.', 'status', line -> 'status'
    );
  end if;

  if target is null then
    if line ->> 'id' is not null then
      perform private.refuse('NOT_FOUND', 'There is no such product.', 'id', line -> 'id');
    elsif line ->> 'external_id' is null then
      perform private.refuse(
        'VALIDATION_ERROR', 'Give each product an external_id: an import knows it by that.', 'external_id', 'null'
      );
    end if;
    insert into public.products
      (marketplace_id, supplier_id, category_id, external_id, kind, track_inventory, name, description, price,
       currency, images, attributes, physical, status)
    values (
      import_product.marketplace_id, import_product.supplier_id, (line ->> 'category_id')::uuid,
      line ->> 'external_id', coalesce(line ->> 'kind', 'physical')::public.product_kind,
      coalesce((line ->> 'track_inventory')::boolean, coalesce(line ->> 'kind', 'physical') = 'physical'),
      line ->> 'name', coalesce(line ->> 'description', ''), (line ->> 'price')::numeric, line ->> 'currency',
      coalesce(nullif(line -> 'images', 'null'), '[]'), coalesce(nullif(line -> 'attributes', 'null'), '[]'),
      nullif(line -> 'physical', 'null'),
      coalesce(nullif(line ->> 'status', 'out_of_stock'), 'active')::public.product_status
    )
    returning id, track_inventory into target, tracked;
    changed := array_remove(
      array[
        case when line -> 'variants' not in ('null', '[]') then 'variants' end,
        case when line -> 'quantity' <> 'null' then 'quantity' end
      ],
      null
    );
  else
    foreach settled in array array['marketplace_id', 'supplier_id', 'kind', 'currency'] loop
      if settled = any (changed) then
        perform private.refuse(
          'VALIDATION_ERROR', format('The %s of a product that is there does not change.', settled),
          settled, line -> settled
        );
      end if;
    end loop;
    if 'attributes' = any (changed)
      and private.settled_attributes(
        ((case when line ? 'category_id' then line else current end) ->> 'category_id')::uuid, line -> 'attributes'
      ) = current -> 'attributes'
    then
      changed := array_remove(changed, 'attributes');
    end if;
    if changed = '{}' then
      return false;
    end if;
    tracked := coalesce(line ->> 'track_inventory', current ->> 'track_inventory')::boolean;
    if changed && array[
      'external_id', 'category_id', 'track_inventory', 'status', 'name', 'description', 'price', 'images',
      'attributes', 'physical'
    ] then
      update public.products p
      set external_id = case when 'external_id' = any (changed) then line ->> 'external_id' else p.external_id end,
          category_id = case when 'category_id' = any (changed) then (line ->> 'category_id')::uuid else p.category_id end,
          track_inventory = tracked,
          status = case
            when 'status' = any (changed) then coalesce(nullif(line ->> 'status', 'out_of_stock'), 'active')::public.product_status
            else p.status
          end,
          name = case when 'name' = any (changed) then line ->> 'name' else p.name end,
          description = case when 'description' = any (changed) then line ->> 'description' else p.description end,
          price = case when 'price' = any (changed) then (line ->> 'price')::numeric else p.price end,
          images = case when 'images' = any (changed) then line -> 'images' else p.images end,
          attributes = case when 'attributes' = any (changed) then line -> 'attributes' else p.attributes end,
          physical = case when 'physical' = any (changed) then nullif(line -> 'physical', 'null') else p.physical end
      where p.id = target;
    end if;
  end if;

  if 'variants' = any (changed) then
    perform private.import_variants(target, tracked, line -> 'variants');
  end if;
  if 'quantity' = any (changed) then
    if not tracked then
      perform private.refuse(
        'VALIDATION_ERROR', 'This product is sold without a stock.', 'quantity', line -> 'quantity'
      );
    elsif exists (select 1 from public.product_variants v where v.product_id = target) then
      perform private.refuse(
        'VALIDATION_ERROR', 'Each variant of this product has a stock of its own: say it there.',
        'quantity', line -> 'quantity'
      );
    end if;
    update public.inventory i
    set quantity = (line ->> 'quantity')::integer
    where i.product_id = target and i.variant_id is null and i.quantity <> (line ->> 'quantity')::integer;
  end if;
  return true;
end
$$;
comment on function private.import_product is
  'Makes the product of a line, or changes the current one in what the line says otherwise, or refuses. Answers whether there was anything to do.';

create function public.import_products(lines jsonb, marketplace_id uuid default null, dry_run boolean default false)
returns jsonb
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
#variable_conflict use_column
declare
  uuid_pattern constant text := '^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$';
  tenant uuid := private.tenant_id();
  sole uuid := coalesce(import_products.marketplace_id, private.sole_marketplace_id());
  own_supplier uuid := private.supplier_id();
  sent record;
  imported integer := 0;
  updated integer := 0;
  unchanged integer := 0;
  errors jsonb := jsonb '[]';
  state text;
  message text;
  details text;
  hint text;
begin
  if coalesce(private.tenant_role() not in ('admin', 'supplier'), true) then
    perform private.refuse('FORBIDDEN', 'Your role may not import products.');
  elsif jsonb_typeof(lines) is distinct from 'array' or jsonb_array_length(lines) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'Send a list of at most 1000 lines.', 'lines', 'null');
  end if;
  perform private.explain_stock_change('import');
  -- Imports of a tenant take turns, so that two of the same products do not wait for one another in a circle.
  perform pg_advisory_xact_lock(hashtextextended('souk.import:' || tenant::text, 0));

  begin
    for sent in
      with given as materialized (
        select
          e.position, e.value as line,
          case when e.value ->> 'id' ~ uuid_pattern then (e.value ->> 'id')::uuid end as id,
          case
            when e.value ->> 'marketplace_id' is null then sole
            when e.value ->> 'marketplace_id' ~ uuid_pattern then (e.value ->> 'marketplace_id')::uuid
          end as marketplace_id,
          case
            when e.value ->> 'supplier_id' is null then own_supplier
            when e.value ->> 'supplier_id' ~ uuid_pattern then (e.value ->> 'supplier_id')::uuid
          end as supplier_id
        from jsonb_array_elements(lines) with ordinality as e (value, position)
      ),
      known as materialized (
        select g.*, found.id as product_id
        from given g
        left join lateral (
          select p.id
          from public.products p
          where p.tenant_id = tenant and p.id = g.id and p.status <> 'discontinued'
          union all
          select p.id
          from public.products p
          where g.line ->> 'id' is null
            and p.tenant_id = tenant and p.marketplace_id = g.marketplace_id
            and p.external_id = g.line ->> 'external_id' and p.status <> 'discontinued'
            and p.supplier_id is not distinct from g.supplier_id
        ) as found on true
      ),
      compared as materialized (
        select
          k.position, k.line, k.marketplace_id, k.supplier_id, l.line as current,
          case when l.id is not null then private.changed_fields(k.line, l.line) end as changed
        from known k
        left join private.product_lines((select array_agg(product_id) from known)) as l on l.id = k.product_id
      ),
      locked as materialized (
        select private.lock_stock_of_products(array_agg((c.current ->> 'id')::uuid))
        from compared c
        where c.changed <> '{}'
      )
      select c.* from compared c, locked order by c.position
    loop
      if sent.changed = '{}' then
        unchanged := unchanged + 1;
        continue;
      end if;
      begin
        if not private.import_product(sent.line, sent.current, sent.changed, sent.marketplace_id, sent.supplier_id) then
          unchanged := unchanged + 1;
        elsif sent.current is null then
          imported := imported + 1;
        else
          updated := updated + 1;
        end if;
      exception
        when others then
          get stacked diagnostics
            state = returned_sqlstate, message = message_text, details = pg_exception_detail, hint = pg_exception_hint;
          errors := errors || jsonb_build_object(
            'line', coalesce(sent.line -> 'line', to_jsonb(sent.position)),
            'code', state, 'message', message, 'details', details, 'hint', hint
          );
      end;
    end loop;
    if dry_run then
      raise exception using errcode = 'SOUK0';
    end if;
  exception
    when sqlstate 'SOUK0' then
      null; -- All of it is undone; the counts are what it would have come to.
  end;

  return jsonb_build_object(
    'imported', imported, 'updated', updated, 'unchanged', unchanged,
    'failed', jsonb_array_length(errors), 'errors', errors
  );
end
$$;
comment on function public.import_products is
  'Imports up to 1000 lines, each for itself: makes the products that are not there, known by their external_id or id, changes those that say otherwise, and leaves alone the rest. Answers how many, and for each line that failed the error as PostgREST words it. A dry run leaves nothing behind.';

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
  if not (private.reads_all() or private.tenant_role() = 'supplier') then
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
  'The next products after the one named, in the sequence of their ids, as import_products reads them.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.product_lines, private.lock_stock_of_products, private.changed_fields, private.settled_attributes,
  private.import_variants, private.import_product
to authenticated;
grant execute on function public.import_products, public.export_products to authenticated;
