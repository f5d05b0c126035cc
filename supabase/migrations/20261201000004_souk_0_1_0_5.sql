-- Made from supabase/schemas and supabase/reference by `npm run db -- migration`. Do not edit.

-- supabase/schemas/orders/1070_order_imports.sql

-- Past orders of another system, imported line by line. Each line succeeds or fails alone.
--
-- An imported order has imported_at and external_id. Otherwise it has the same rows as an order that was placed here:
-- created_at is the time at which it was placed; order_status_changes, order_returns and payments have the times of the line
-- and no actor. The files of orders test imported_at: such an order takes no stock, no licence key and no slot, costs no
-- commission, is never cancelled for lack of payment (payment_due_at is null), makes no event and belongs to no click.

-- types ----------------------------------------------------------------------------------------

create type private.past_order as (
  position integer,
  line jsonb,
  error jsonb,
  marketplace_id uuid,
  currency text,
  customer_id uuid,
  order_id uuid,
  is_new boolean,
  items jsonb
);
comment on type private.past_order is
  'A line of an import of orders, with its error or its order. is_new: the line makes the order. items: the items of a new order, as in order_items.';

-- tables ---------------------------------------------------------------------------------------

create table private.orders_as_imported (
  tenant_id uuid not null,
  order_id uuid not null,
  status public.order_status not null,
  payment_status public.payment_status not null,
  email_hash bytea,
  constraint orders_as_imported_pkey primary key (tenant_id, order_id),
  constraint orders_as_imported_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade
);
comment on table private.orders_as_imported is
  'What may change of a past order after its import, as it was imported, so that the same line is recognised. email_hash: of the customer''s address, with the order''s id; null if there was none.';

create table private.items_as_imported (
  tenant_id uuid not null,
  order_id uuid not null,
  item_id uuid not null,
  external_id text,
  sku text,
  constraint items_as_imported_pkey primary key (tenant_id, order_id, item_id),
  constraint items_as_imported_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade
);
comment on table private.items_as_imported is
  'The external_id of the product and the sku of the variant of each item of a past order when it was imported. Products may change theirs, and lose them when they are discontinued.';

-- indexes --------------------------------------------------------------------------------------

create index orders_code_group_idx on public.orders (tenant_id, private.code_group(external_id))
  where private.code_group(external_id) is not null;
create index customers_code_group_idx on public.customers (tenant_id, private.code_group(external_id))
  where private.code_group(external_id) is not null;

-- functions: lines -----------------------------------------------------------------------------

create function private.check_past_times(line jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  status constant text := line ->> 'status';
  placed constant timestamptz := private.time_of(line ->> 'placed_at');
  wrong record;
begin
  select
    t.field,
    case
      when line ->> t.field is null then format('The status %s requires this field.', status)
      when not t.needed and not t.allowed then format('The status %s does not allow this field.', status)
      when t.happened is null then 'This is a time of ISO 8601 with its offset: 2025-03-01T09:30:00Z.'
      when t.happened > now() then 'This lies in the future.'
      else format('This is before %s.', t.after_field)
    end as message
  into wrong
  from (
    values
      (1, 'placed_at', true, true, placed, null, null),
      (2, 'completed_at', status = 'delivered', status = 'returned',
        private.time_of(line ->> 'completed_at'), 'placed_at', placed),
      (3, 'cancelled_at', status = 'cancelled', false, private.time_of(line ->> 'cancelled_at'), 'placed_at', placed),
      (4, 'returned_at', status = 'returned', false, private.time_of(line ->> 'returned_at'),
        case when line ->> 'completed_at' is null then 'placed_at' else 'completed_at' end,
        coalesce(private.time_of(line ->> 'completed_at'), placed))
  ) as t (rank, field, needed, allowed, happened, after_field, after)
  where case
    when line ->> t.field is null then t.needed
    else not (t.needed or t.allowed) or t.happened is null or t.happened > now() or t.happened < t.after
  end
  order by t.rank
  limit 1;
  if found then
    perform private.refuse('VALIDATION_ERROR', wrong.message, wrong.field, coalesce(line -> wrong.field, 'null'));
  end if;
end
$$;
comment on function private.check_past_times is
  'Refuses with VALIDATION_ERROR a line whose times do not fit its status, or are impossible.';

create function private.check_past_items(items jsonb) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  wrong record;
begin
  perform private.insist(
    case when jsonb_typeof(items) = 'array' then jsonb_array_length(items) between 1 and 500 end,
    'items', 'a list of 1 to 500', items
  );
  select format('items[%s]%s', i.position - 1, '.' || r.field) as field, r.rule, i.value -> r.field as value into wrong
  from jsonb_array_elements(items) with ordinality as i (value, position)
  cross join lateral (
    values
      (1, null, jsonb_typeof(i.value) = 'object', 'an object'),
      (2, (
          select k from jsonb_object_keys(case when jsonb_typeof(i.value) = 'object' then i.value else '{}' end) as k
          where k not in ('product_id', 'product_external_id', 'supplier_id', 'variant_sku', 'quantity', 'price')
          limit 1
        ), null, 'left out: it is not known here'),
      (3, 'product_id', (i.value ->> 'product_id' is null) <> (i.value ->> 'product_external_id' is null),
        'there, or else product_external_id'),
      (4, 'product_id', i.value ->> 'product_id' is null or private.is_uuid(i.value ->> 'product_id'), 'an id'),
      (5, 'product_external_id', coalesce(jsonb_typeof(i.value -> 'product_external_id'), 'null') in ('string', 'null'), 'a text'),
      (6, 'supplier_id', i.value ->> 'supplier_id' is null or private.is_uuid(i.value ->> 'supplier_id'), 'an id'),
      (7, 'variant_sku', coalesce(jsonb_typeof(i.value -> 'variant_sku'), 'null') in ('string', 'null'), 'a text'),
      (8, 'quantity', jsonb_typeof(i.value -> 'quantity') = 'number' and i.value ->> 'quantity' ~ '^[1-9]\d{0,6}$'
        and (i.value ->> 'quantity')::numeric <= 1000000, 'a whole number from 1 to 1000000'),
      (9, 'price', case when jsonb_typeof(i.value -> 'price') = 'number'
        then (i.value ->> 'price')::numeric between 0 and 999999999999999 end, 'an amount from 0 on')
  ) as r (rank, field, holds, rule)
  where r.holds is not true and (r.rank <> 2 or r.field is not null)
  order by i.position, r.rank
  limit 1;
  if found then
    perform private.insist(false, wrong.field, wrong.rule, wrong.value);
  end if;
end
$$;
comment on function private.check_past_items is
  'Refuses with VALIDATION_ERROR invalid items of a past order. Their products are looked up later.';

create function private.check_past_order(line jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  customer constant jsonb := line -> 'customer';
begin
  perform private.insist(jsonb_typeof(line) = 'object', 'line', 'an object', line);
  perform private.known_only(
    line,
    '{line,external_id,marketplace_id,placed_at,customer,items,status,payment_status,shipping_address,billing_address,tax_id,completed_at,cancelled_at,returned_at}'
  );
  perform private.insist(
    private.is_text(line -> 'external_id', 1, 200), 'external_id', 'a text of 1 to 200 characters', line -> 'external_id'
  );
  perform private.insist(
    line ->> 'status' = any (enum_range(null::public.order_status)::text[]), 'status',
    'one of ' || array_to_string(enum_range(null::public.order_status), ', '), line -> 'status'
  );
  perform private.insist(
    line ->> 'payment_status' = any (enum_range(null::public.payment_status)::text[]), 'payment_status',
    'one of ' || array_to_string(enum_range(null::public.payment_status), ', '), line -> 'payment_status'
  );
  perform private.check_past_times(line);
  perform private.insist_on_keys(customer, 'customer', '{email,name,external_id}');
  perform private.insist(
    case when customer ->> 'email' is null then customer ->> 'external_id' is not null
      else private.is_email(lower(customer ->> 'email')) end,
    'customer.email', 'an e-mail address, unless the customer has an external_id', customer -> 'email'
  );
  perform private.insist(
    coalesce(customer ->> 'name', '') = '' or private.is_name(customer -> 'name', 200), 'customer.name',
    'a text of at most 200 characters, one of them visible', customer -> 'name'
  );
  perform private.insist(
    customer ->> 'external_id' is null or private.is_text(customer -> 'external_id', 1, 200), 'customer.external_id',
    'a text of 1 to 200 characters', customer -> 'external_id'
  );
  perform private.check_past_items(line -> 'items');
  perform private.checked_address(line -> 'shipping_address', null);
  if coalesce(line -> 'billing_address', 'null') <> 'null' then
    perform private.checked_address(line -> 'billing_address', null, 'billing_address');
  end if;
  perform private.check_tax_id(line -> 'tax_id');
  perform private.insist(
    private.has_short_numbers(coalesce(line -> a.field, 'null')), a.field, 'without numbers of over 30 digits', line -> a.field
  )
  from (values ('shipping_address'), ('billing_address')) as a (field);
end
$$;
comment on function private.check_past_order is
  'Refuses with VALIDATION_ERROR a line that is invalid by itself, without looking anything up.';

create function private.past_order_error(line jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  code text;
  message text;
  details text;
  hint text;
begin
  perform private.check_past_order(line);
  return null;
exception
  when others then
    get stacked diagnostics
      code = returned_sqlstate, message = message_text, details = pg_exception_detail, hint = pg_exception_hint;
    return jsonb_build_object('code', code, 'message', message, 'details', details, 'hint', hint);
end
$$;
comment on function private.past_order_error is
  'The error of a line that is invalid by itself, in the form of PostgREST; null if it is valid.';

-- functions: looking up ------------------------------------------------------------------------

-- Queries that look rows up use `execute`, which plans them for every call, once for hundreds of lines. A plan that was cached
-- when a tenant had few rows would read all of them.

create function private.read_past_orders(tenant uuid, lines jsonb, usual_marketplace uuid) returns private.past_order[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  batch private.past_order[];
begin
  execute $query$
    with given as materialized (
      select
        e.position, e.value as line, private.past_order_error(e.value) as error,
        e.value ->> 'external_id' as external_id,
        case
          when e.value ->> 'marketplace_id' is null then $3
          when private.is_uuid(e.value ->> 'marketplace_id') then (e.value ->> 'marketplace_id')::uuid
        end as marketplace_id
      from jsonb_array_elements($2) with ordinality as e (value, position)
    )
    select array_agg(
      row(
        g.position, g.line,
        case
          when g.error is not null then g.error
          when m.id is null and g.marketplace_id is null and g.line ->> 'marketplace_id' is null then private.refusal(
            'VALIDATION_ERROR', 'marketplace_id is required: the tenant has several marketplaces.', 'marketplace_id', 'null'
          )
          when m.id is null then private.refusal(
            'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id',
            coalesce(nullif(g.line -> 'marketplace_id', 'null'), to_jsonb(g.marketplace_id))
          )
        end,
        m.id, m.currency, null, o.id, false, null
      )::private.past_order
      order by g.position
    )
    from given g
    left join public.marketplaces m on m.tenant_id = $1 and m.id = g.marketplace_id
    left join public.orders o on o.tenant_id = $1 and o.marketplace_id = m.id and o.external_id = g.external_id
  $query$
  into batch
  using tenant, lines, usual_marketplace;
  return batch;
end
$$;
comment on function private.read_past_orders is
  'The lines of an import of orders, each with its existing order, if there is one, or its error.';

create function private.sold_items(tenant uuid, batch private.past_order[])
returns table ("position" integer, place integer, line jsonb, supplier_id uuid, currency text, sold jsonb, fault text)
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query execute $query$
    with item as materialized (
      select
        b.position, i.position::integer as place, i.value as line, b.marketplace_id, b.currency,
        -- Cast here, so that an index is used.
        (i.value ->> 'product_id')::uuid as product_id, i.value ->> 'product_external_id' as external_id,
        (i.value ->> 'supplier_id')::uuid as supplier_id, i.value ->> 'variant_sku' as sku,
        trim_scale((i.value ->> 'price')::numeric) as price
      from unnest($2) as b
      cross join lateral jsonb_array_elements(b.line -> 'items') with ordinality as i (value, position)
      where b.error is null and b.order_id is null
    ),
    candidate as (
      select i.position, i.place, true as is_listed, p.id, p.supplier_id, p.name
      from item i
      join public.products p on p.tenant_id = $1 and p.id = i.product_id
      where p.marketplace_id = i.marketplace_id
      union all
      select i.position, i.place, true, p.id, p.supplier_id, p.name
      from item i
      join public.products p
        on p.tenant_id = $1 and p.marketplace_id = i.marketplace_id and p.external_id = i.external_id
        and p.status <> 'discontinued'
      union all
      (
        -- A discontinued product may have been sold; of several with the same external_id, the last one counts.
        select distinct on (i.position, i.place, p.supplier_id) i.position, i.place, false, p.id, p.supplier_id, p.name
        from item i
        join public.products p
          on p.tenant_id = $1 and p.marketplace_id = i.marketplace_id and p.external_id = i.external_id
          and p.status = 'discontinued'
        order by i.position, i.place, p.supplier_id, p.created_at desc, p.id
      )
    ),
    product as (
      select distinct on (c.position, c.place)
        c.*, count(*) over (partition by c.position, c.place, c.is_listed) as rivals
      from candidate c
      join item i on i.position = c.position and i.place = c.place
      where i.supplier_id is null or c.supplier_id = i.supplier_id
      order by c.position, c.place, c.is_listed desc
    )
    select
      i.position, i.place, i.line, p.supplier_id, i.currency,
      jsonb_build_object(
        'position', i.place, 'product_id', p.id, 'variant_id', v.id, 'supplier_id', p.supplier_id,
        'name', p.name || coalesce(' – ' || v.name, ''), 'quantity', i.line -> 'quantity', 'price', i.price
      ),
      case
        when p.id is null and i.product_id is not null then 'product_id'
        when p.id is null then 'product_external_id'
        when p.rivals > 1 then 'supplier_id'
        when i.sku is not null and v.id is null then 'variant_sku'
        when scale(i.price) > n.exponent then 'price'
      end
    from item i
    join private.currencies n on n.code = i.currency
    left join product p on p.position = i.position and p.place = i.place
    left join lateral (
      -- Variants of a product may have the same sku, if the tenant's settings say so.
      select w.id, w.name
      from public.product_variants w
      where w.tenant_id = $1 and w.product_id = p.id and w.sku = i.sku
      order by w.position, w.id
      limit 1
    ) as v on true
  $query$
  using tenant, batch;
end
$$;
comment on function private.sold_items is
  'The items of new past orders: the row for order_items (sold), and the field that is wrong (fault), if any.';

create function private.with_past_items(tenant uuid, batch private.past_order[]) returns private.past_order[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(
    select
      row(
        b.position, b.line,
        case
          when b.error is not null or s.items is null then b.error
          when s.fault is not null then private.refusal(
            case when s.fault ->> 'field' in ('supplier_id', 'price') then 'VALIDATION_ERROR' else 'NOT_FOUND' end,
            case s.fault ->> 'field'
              when 'supplier_id' then 'Several suppliers have a product with this external_id: send supplier_id, or product_id instead.'
              when 'variant_sku' then 'The product has no such variant.'
              when 'price' then format('The price has more decimals than %s allows.', b.currency)
              else 'The marketplace has no such product.'
            end,
            format('items[%s].%s', (s.fault ->> 'place')::integer - 1, s.fault ->> 'field'), s.fault -> 'value'
          )
          when s.total > private.dearest_order(b.currency) then private.refusal(
            'VALIDATION_ERROR', 'The total is more than one order can cost.', 'items'
          )
          when octet_length(s.items::text) > 0.375 * private.cap('record_bytes') then private.refusal(
            'VALIDATION_ERROR', 'The items are larger than the record of an order can be.', 'items'
          )
        end,
        b.marketplace_id, b.currency, b.customer_id, b.order_id, b.is_new, s.items
      )::private.past_order
    from unnest(batch) as b
    left join (
      select
        i.position, jsonb_agg(i.sold order by i.place) as items,
        sum((i.sold ->> 'price')::numeric * (i.sold ->> 'quantity')::integer) as total,
        (
          array_agg(
            jsonb_build_object('field', i.fault, 'place', i.place, 'value', coalesce(i.line -> i.fault, 'null'))
            order by i.place
          ) filter (where i.fault is not null)
        )[1] as fault
      from private.sold_items(tenant, batch) as i
      group by i.position
    ) as s on s.position = b.position
    order by b.position
  );
end
$$;
comment on function private.with_past_items is
  'The lines of an import with their items, or their errors.';

-- functions: writing ---------------------------------------------------------------------------

create function private.take_past_orders(batch private.past_order[]) returns private.past_order[]
language plpgsql set search_path = ''
as $$
begin
  -- The first valid line of an order makes it; later lines are compared with it.
  return array(
    select
      row(
        b.position, b.line, b.error, b.marketplace_id, b.currency, b.customer_id,
        coalesce(b.order_id, n.order_id), coalesce(n.position = b.position, false), b.items
      )::private.past_order
    from unnest(batch) as b
    left join (
      select distinct on (g.marketplace_id, g.line ->> 'external_id')
        g.position, g.marketplace_id, g.line ->> 'external_id' as external_id, gen_random_uuid() as order_id
      from unnest(batch) as g
      where g.error is null and g.order_id is null
      order by g.marketplace_id, g.line ->> 'external_id', g.position
    ) as n
      on b.error is null and n.marketplace_id = b.marketplace_id and n.external_id = b.line ->> 'external_id'
    order by b.position
  );
end
$$;
comment on function private.take_past_orders is 'The lines of an import, those that make an order with its new id.';

create function private.with_past_customers(tenant uuid, batch private.past_order[]) returns private.past_order[]
language plpgsql security definer set search_path = ''
as $$
declare
  known private.past_order[];
begin
  execute $query$
    with named as materialized (
      select s.*, s.email is null as lacks_email, coalesce(s.email, s.external_id) as called
      from (
        select
          b.position, b.line #>> '{customer,external_id}' as external_id,
          coalesce(b.line #>> '{customer,name}', '') as name,
          -- One line may have the address of a customer whom another line names by external_id only.
          coalesce(
            lower(b.line #>> '{customer,email}'),
            case when b.line #>> '{customer,external_id}' is not null then
              min(lower(b.line #>> '{customer,email}')) over (partition by b.line #>> '{customer,external_id}')
            end
          ) as email
        from unnest($2) as b
        where b.is_new
      ) as s
    ),
    wanted as materialized (
      select distinct on (n.lacks_email, n.called) n.*
      from named n
      order by n.lacks_email, n.called, n.external_id, n.position
    ),
    found as materialized (
      select w.*, k.id
      from wanted w
      left join lateral (
        select c.id
        from public.customers c
        left join auth.users u on u.id = c.user_id
        where c.tenant_id = $1 and c.email = w.email
          -- An account with an unconfirmed address gets no past orders.
          and (c.user_id is null or u.email_confirmed_at is not null)
        order by c.user_id is null, c.created_at, c.id
        limit 1
      ) as by_email on w.email is not null
      left join lateral (
        select c.id
        from public.customers c
        where c.tenant_id = $1 and c.external_id = w.external_id
        order by c.created_at, c.id
        limit 1
      ) as by_name on w.email is null
      cross join lateral (select coalesce(by_email.id, by_name.id) as id) as k
    ),
    called as (
      update public.customers c
      set external_id = f.external_id
      from found f
      where c.id = f.id and c.external_id is null and f.external_id is not null
    ),
    made as (
      insert into public.customers (tenant_id, name, email, external_id)
      select $1, f.name, f.email, f.external_id
      from found f
      where f.id is null
      returning id, email, external_id
    )
    select array_agg(
      row(
        b.position, b.line, b.error, b.marketplace_id, b.currency, coalesce(f.id, m.id), b.order_id, b.is_new, b.items
      )::private.past_order
      order by b.position
    )
    from unnest($2) as b
    left join named n on n.position = b.position
    left join found f on f.called = n.called and f.lacks_email = n.lacks_email
    left join made m on coalesce(m.email, m.external_id) = n.called and (m.email is null) = n.lacks_email
  $query$
  into known
  using tenant, batch;
  return known;
end
$$;
comment on function private.with_past_customers is
  'The lines of an import, new orders with their customers: found by e-mail address, or by external_id if there is none, or else made, without an account.';

create function private.hash_of_email(order_id uuid, email text) returns bytea
language sql immutable
return sha256(convert_to(order_id || ' ' || lower(email), 'UTF8'));
comment on function private.hash_of_email is
  'Recognises the address of a past order''s customer without keeping it; null for none.';

create function private.write_past_orders(tenant uuid, batch private.past_order[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.orders (
    id, tenant_id, marketplace_id, customer_id, status, payment_status, currency, shipping_address, billing_address,
    tax_id, external_id, imported_at, created_at
  )
  select
    b.order_id, tenant, b.marketplace_id, b.customer_id, (b.line ->> 'status')::public.order_status,
    (b.line ->> 'payment_status')::public.payment_status, b.currency, b.line -> 'shipping_address',
    nullif(b.line -> 'billing_address', 'null'), b.line ->> 'tax_id',
    b.line ->> 'external_id', now(), (b.line ->> 'placed_at')::timestamptz
  from unnest(batch) as b
  -- Orders are numbered in this order, and marketplaces are locked one after the other.
  order by b.marketplace_id, (b.line ->> 'placed_at')::timestamptz, b.position;

  insert into private.orders_as_imported (tenant_id, order_id, status, payment_status, email_hash)
  select
    tenant, b.order_id, (b.line ->> 'status')::public.order_status,
    (b.line ->> 'payment_status')::public.payment_status,
    private.hash_of_email(b.order_id, b.line #>> '{customer,email}')
  from unnest(batch) as b;

  -- The times of other moves are not known.
  insert into public.order_status_changes (tenant_id, order_id, old_status, new_status, created_at)
  select
    tenant, b.order_id, m.old_status::public.order_status, m.new_status::public.order_status,
    (b.line ->> m.field)::timestamptz
  from unnest(batch) as b
  cross join lateral (
    values
      ('completed_at', 'pending', 'delivered'),
      ('cancelled_at', 'pending', 'cancelled'),
      ('returned_at', case when b.line ->> 'completed_at' is null then 'shipped' else 'delivered' end, 'returned')
  ) as m (field, old_status, new_status)
  where b.line ->> m.field is not null;
end
$$;
comment on function private.write_past_orders is
  'Inserts past orders and the times at which they were delivered, cancelled or returned. Has to run before write_past_items, because the book of sales reads these times.';

create function private.write_past_items(tenant uuid, batch private.past_order[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.order_parts (tenant_id, order_id, supplier_id, customer_id, status, delivery_owed, subtotal)
  select
    tenant, b.order_id, i.supplier_id, b.customer_id, (b.line ->> 'status')::public.order_status,
    b.line ->> 'status' <> 'cancelled', sum(i.price * i.quantity)
  from unnest(batch) as b
  cross join lateral jsonb_to_recordset(b.items) as i (supplier_id uuid, quantity integer, price numeric)
  group by b.order_id, i.supplier_id, b.customer_id, b.line ->> 'status';

  insert into public.order_items (
    tenant_id, order_id, position, product_id, variant_id, supplier_id, name, quantity, shipped_quantity,
    delivered_quantity, returned_quantity, cancelled_quantity, price
  )
  select
    tenant, b.order_id, i.position, i.product_id, i.variant_id, i.supplier_id, i.name, i.quantity,
    i.quantity * state.is_shipped::integer, i.quantity * state.is_delivered::integer,
    i.quantity * state.is_returned::integer, i.quantity * state.is_cancelled::integer, i.price
  from unnest(batch) as b
  cross join lateral jsonb_to_recordset(b.items) as i (
    position integer, product_id uuid, variant_id uuid, supplier_id uuid, name text, quantity integer, price numeric
  )
  -- All pieces of a past order are in one state. They are open until it is shipped.
  join private.piece_states state on state.state = case
    when private.holds_stock((b.line ->> 'status')::public.order_status) then 'open' else b.line ->> 'status'
  end::public.piece_state;

  execute $query$
    insert into private.items_as_imported (tenant_id, order_id, item_id, external_id, sku)
    select i.tenant_id, i.order_id, i.id, p.external_id, v.sku
    from public.order_items i
    join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
    left join public.product_variants v
      on v.tenant_id = i.tenant_id and v.product_id = i.product_id and v.id = i.variant_id
    where i.tenant_id = $1 and i.order_id = any (array(select b.order_id from unnest($2) as b))
  $query$
  using tenant, batch;

  with back as (
    insert into public.order_returns (tenant_id, order_id, created_at)
    select tenant, b.order_id, (b.line ->> 'returned_at')::timestamptz
    from unnest(batch) as b
    where b.line ->> 'returned_at' is not null
    returning id, order_id
  )
  insert into public.order_return_items (tenant_id, order_id, return_id, item_id, quantity, amount)
  select tenant, back.order_id, back.id, i.id, i.quantity, i.amount
  from back
  join public.order_items i on i.tenant_id = tenant and i.order_id = back.order_id;
end
$$;
comment on function private.write_past_items is 'Inserts the parts, items and returns of past orders.';

create function private.write_past_payments(tenant uuid, batch private.past_order[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.payments (tenant_id, order_id, status, amount, currency, reference, created_at)
  select
    tenant, b.order_id, r.status, t.amount, b.currency, 'imported',
    case r.status when 'paid' then (b.line ->> 'placed_at')::timestamptz
      else coalesce(
        b.line ->> 'returned_at', b.line ->> 'cancelled_at', b.line ->> 'completed_at', b.line ->> 'placed_at'
      )::timestamptz
    end
  from unnest(batch) as b
  join (values ('paid'::public.payment_report), ('refunded')) as r (status)
    on b.line ->> 'payment_status' in (r.status::text, 'refunded')
  cross join lateral (
    select sum(i.price * i.quantity) as amount
    from jsonb_to_recordset(b.items) as i (quantity integer, price numeric)
  ) as t
  where t.amount > 0;
end
$$;
comment on function private.write_past_payments is
  'Inserts the payments of past orders when they were placed, and refunds when they ended.';

-- functions: comparing with existing orders -----------------------------------------------------

create function private.compared_items(tenant uuid, batch private.past_order[]) returns table ("position" integer, same boolean)
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query execute $query$
    with sent as materialized (
      select b.position, b.order_id, i.position::integer as place, i.value as line
      from unnest($2) as b
      cross join lateral jsonb_array_elements(b.line -> 'items') with ordinality as i (value, position)
      where b.error is null and b.order_id is not null and not b.is_new
    ),
    kept as materialized (
      select
        i.order_id, i.position, i.product_id, i.variant_id, i.supplier_id, i.quantity, i.price,
        array[n.external_id, p.external_id] as external_ids, array[n.sku, v.sku] as skus
      from public.order_items i
      left join private.items_as_imported n
        on n.tenant_id = i.tenant_id and n.order_id = i.order_id and n.item_id = i.id
      join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
      left join public.product_variants v
        on v.tenant_id = i.tenant_id and v.product_id = i.product_id and v.id = i.variant_id
      where i.tenant_id = $1 and i.order_id = any (array(select s.order_id from sent s))
    )
    select
      s.position,
      count(*) = (select count(*) from kept k where k.order_id = s.order_id)
        and bool_and(
          (
            k.quantity = (s.line ->> 'quantity')::integer
            and k.price = (s.line ->> 'price')::numeric
            and case when s.line ->> 'product_id' is null then s.line ->> 'product_external_id' = any (k.external_ids)
              else k.product_id = (s.line ->> 'product_id')::uuid end
            and (s.line ->> 'supplier_id' is null or k.supplier_id = (s.line ->> 'supplier_id')::uuid)
            and case when s.line ->> 'variant_sku' is null then k.variant_id is null
              else s.line ->> 'variant_sku' = any (k.skus) end
          ) is true
        )
    from sent s
    left join kept k on k.order_id = s.order_id and k.position = s.place
    group by s.position, s.order_id
  $query$
  using tenant, batch;
end
$$;
comment on function private.compared_items is
  'Whether the lines of existing orders have the same items. A product and its variant are those of the order''s own item, by what they were called at the import or are called now.';

create function private.said_otherwise(tenant uuid, batch private.past_order[])
returns table ("position" integer, field text)
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query execute $query$
    select
      b.position,
      case
        when (b.line ->> 'placed_at')::timestamptz <> o.created_at then 'placed_at'
        when not coalesce(lower(b.line #>> '{customer,email}') = c.email, false)
          and not coalesce(b.line #>> '{customer,external_id}' = c.external_id, false)
          and not coalesce(private.hash_of_email(o.id, b.line #>> '{customer,email}') = w.email_hash, false)
          then 'customer'
        when not i.same then 'items'
        when b.line ->> 'status' <> all (array[w.status, o.status]::text[]) then 'status'
        when b.line ->> 'payment_status' <> all (array[w.payment_status, o.payment_status]::text[]) then 'payment_status'
        when private.checked_address(b.line -> 'shipping_address', null) <> o.shipping_address then 'shipping_address'
        when private.checked_address(
          coalesce(nullif(b.line -> 'billing_address', 'null'), b.line -> 'shipping_address'), null
        ) <> coalesce(o.billing_address, o.shipping_address) then 'billing_address'
        when b.line ->> 'tax_id' is distinct from o.tax_id then 'tax_id'
        when (b.line ->> 'completed_at')::timestamptz is distinct from m.completed_at and (m.completed_at is not null or m.is_same)
          then 'completed_at'
        when (b.line ->> 'cancelled_at')::timestamptz is distinct from m.cancelled_at and (m.cancelled_at is not null or m.is_same)
          then 'cancelled_at'
        when (b.line ->> 'returned_at')::timestamptz is distinct from m.returned_at and (m.returned_at is not null or m.is_same)
          then 'returned_at'
      end
    from unnest($2) as b
    join private.compared_items($1, $2) as i on i.position = b.position
    join public.orders o on o.tenant_id = $1 and o.id = b.order_id
    join private.orders_as_imported w on w.tenant_id = $1 and w.order_id = o.id
    join public.customers c on c.tenant_id = $1 and c.id = o.customer_id
    cross join lateral (
      select
        -- Of a move since the import, the other system has its own time.
        b.line ->> 'status' = w.status::text as is_same,
        max(h.created_at) filter (where h.new_status = 'delivered') as completed_at,
        max(h.created_at) filter (where h.new_status = 'cancelled') as cancelled_at,
        max(h.created_at) filter (where h.new_status = 'returned') as returned_at
      from public.order_status_changes h
      -- Later moves were made here. The times of a line are never later than its import.
      where h.tenant_id = $1 and h.order_id = o.id and h.created_at <= o.imported_at
    ) as m
  $query$
  using tenant, batch;
end
$$;
comment on function private.said_otherwise is
  'The first field in which the line of an existing order contradicts it; null if none does. The order may have been moved and paid since its import.';

create function private.compared_past_orders(tenant uuid, batch private.past_order[]) returns private.past_order[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(
    select
      row(
        b.position, b.line,
        coalesce(
          b.error,
          case when d.field is not null then private.refusal(
            'CONFLICT', 'The order exists and differs in this field. An import does not change orders.', d.field,
            coalesce(b.line -> d.field, 'null')
          ) end
        ),
        b.marketplace_id, b.currency, b.customer_id, b.order_id, b.is_new, b.items
      )::private.past_order
    from unnest(batch) as b
    left join private.said_otherwise(tenant, batch) as d on d.position = b.position
    order by b.position
  );
end
$$;
comment on function private.compared_past_orders is
  'The lines of an import, with an error for those that contradict an existing order.';

-- functions: the import ------------------------------------------------------------------------

create function private.questioned_orders(tenant uuid, batch private.past_order[]) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  questions jsonb;
begin
  execute $query$
    -- The ranges first, and then an index scan for each. Otherwise each line may be compared with each order.
    with asked as materialized (
      select b.position, b.line, b.marketplace_id, n.place, n.field, n.cell, r.span
      from unnest($2) as b
      cross join lateral (values
        (1, 'external_id', b.line ->> 'external_id'),
        (2, 'customer.external_id', case when b.line #>> '{customer,email}' is null then b.line #>> '{customer,external_id}' end)
      ) as n (place, field, cell)
      cross join lateral unnest(private.cell_ranges(n.cell)) as r (span)
      where b.error is null and b.order_id is null
    ),
    question as (
      select a.*, 'There is an order with the external_id' as about, found.external_id as code
      from asked a
      cross join lateral (
        select o.external_id
        from public.orders o
        where o.tenant_id = $1 and o.marketplace_id = a.marketplace_id
          and private.code_group(o.external_id) between lower(a.span) and upper(a.span)
          and a.span @> private.code_group(o.external_id)
        offset 0
      ) as found
      where a.place = 1
      union all
      select a.*, 'There is a customer with the external_id', found.external_id
      from asked a
      cross join lateral (
        select c.external_id
        from public.customers c
        where c.tenant_id = $1
          and private.code_group(c.external_id) between lower(a.span) and upper(a.span)
          and a.span @> private.code_group(c.external_id)
        offset 0
      ) as found
      where a.place = 2
        and not exists (select from public.customers k where k.tenant_id = $1 and k.external_id = a.cell)
    )
    select jsonb_agg(to_jsonb(q) order by q.position)
    from (
      select distinct on (q.position)
        q.position, coalesce(q.line -> 'line', to_jsonb(q.position)) as line, q.field, q.cell,
        private.code_question(q.about, q.code, q.cell) as message
      from question q
      order by q.position, q.place, q.code
    ) as q
  $query$
  into questions
  using tenant, batch;
  return coalesce(questions, '[]');
end
$$;
comment on function private.questioned_orders is
  'The lines of new orders whose external_id, or whose customer''s, a spreadsheet may have changed. One question for each.';

create function private.without_questioned(batch private.past_order[], questions jsonb) returns private.past_order[]
language plpgsql immutable set search_path = ''
as $$
begin
  return array(
    select
      row(
        b.position, b.line,
        case when q.value is null then b.error else (private.refused_questions(jsonb_build_array(q.value)) -> 0) - 'line' end,
        b.marketplace_id, b.currency, b.customer_id, b.order_id, b.is_new, b.items
      )::private.past_order
    from unnest(batch) as b
    left join jsonb_array_elements(questions) as q on (q.value -> 'position')::bigint = b.position
    order by b.position
  );
end
$$;
comment on function private.without_questioned is 'The lines of an import, with an error for each about which it asks.';

create function private.imported_orders(
  tenant uuid, lines jsonb, usual_marketplace uuid, dry_run boolean, accept_changed_codes boolean,
  out batch private.past_order[], out questions jsonb
)
language plpgsql security definer set search_path = ''
as $$
declare
  made private.past_order[];
begin
  batch := private.read_past_orders(tenant, lines, usual_marketplace);
  questions := private.questioned_orders(tenant, batch);
  if accept_changed_codes is not true then
    batch := private.without_questioned(batch, questions);
  end if;
  batch := private.take_past_orders(private.with_past_items(tenant, batch));
  begin
    if exists (select from unnest(batch) as b where b.is_new) then
      batch := private.with_past_customers(tenant, batch);
      made := array(select b from unnest(batch) as b where b.is_new);
      perform private.write_past_orders(tenant, made);
      perform private.write_past_items(tenant, made);
      perform private.write_past_payments(tenant, made);
    end if;
    batch := private.compared_past_orders(tenant, batch);
    if dry_run then
      raise exception using errcode = 'SOUK0';
    end if;
  exception
    when sqlstate 'SOUK0' then
      null; -- Everything is rolled back; the batch still has the results.
  end;
end
$$;
comment on function private.imported_orders is
  'Imports past orders and returns the result of each line, and the questions about codes. With dry_run it changes nothing.';

create function private.import_orders(
  lines jsonb, marketplace_id uuid, dry_run boolean, accept_changed_codes boolean
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
  imported record;
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Only admins may import orders.');
  elsif jsonb_typeof(lines) is distinct from 'array' or jsonb_array_length(lines) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'Send a list of at most 1000 lines.', 'lines', 'null');
  end if;
  if lines <> '[]' then
    perform private.take_import_turn(tenant);
    perform private.refresh_statistics(
      array[
        'public.orders', 'public.order_parts', 'public.order_items', 'public.order_status_changes', 'public.order_returns',
        'public.order_return_items', 'public.payments', 'public.customers'
      ]::regclass[]
    );
  end if;
  imported := private.imported_orders(
    tenant, lines, coalesce(import_orders.marketplace_id, private.sole_marketplace_id()), dry_run, accept_changed_codes
  );
  return (
    select jsonb_build_object(
      'imported', count(*) filter (where b.error is null and b.is_new), 'updated', 0,
      'unchanged', count(*) filter (where b.error is null and not b.is_new), 'failed', count(b.error),
      'errors', coalesce(
        jsonb_agg(
          jsonb_build_object('line', coalesce(b.line -> 'line', to_jsonb(b.position))) || b.error order by b.position
        ) filter (where b.error is not null),
        '[]'
      )
    ) || private.remarks_of(imported.questions)
    from unnest(imported.batch) as b
  );
end
$$;
comment on function private.import_orders is
  'Imports past orders for an admin, or refuses: FORBIDDEN, VALIDATION_ERROR, or CONFLICT while another import of the tenant is running.';

create function public.import_orders(
  lines jsonb, marketplace_id uuid default null, dry_run boolean default false, accept_changed_codes boolean default false
) returns jsonb
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
begin
  return private.import_orders(private.nfc(lines), marketplace_id, dry_run, accept_changed_codes);
end
$$;
comment on function public.import_orders is
  'For admins: imports up to 1000 past orders of another system, each by itself, identified by external_id. A line that equals an existing order changes nothing; one that contradicts it fails. No stock moves and no event follows. Returns the counts, and the error of each failed line in the form of PostgREST. A dry run changes nothing. remarks: the questions about an external_id that a spreadsheet may have changed; their lines fail without accept_changed_codes. Refuses with CONFLICT while another import of the tenant is running.';

-- functions: taking over a customer -----------------------------------------------------------

create function private.past_customer(tenant_id uuid, user_id uuid, email text) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  past uuid;
begin
  select c.id into past
  from public.customers c
  where c.tenant_id = past_customer.tenant_id
    and c.email = past_customer.email
    and c.user_id is null
    and exists (
      select from public.orders o where o.tenant_id = c.tenant_id and o.customer_id = c.id and o.imported_at is not null
    )
    -- An account with an unconfirmed address takes nothing over.
    and exists (
      select from auth.users u
      where u.id = past_customer.user_id and lower(u.email) = c.email and u.email_confirmed_at is not null
    )
  order by c.created_at, c.id
  limit 1
  for update of c;
  return past;
end
$$;
comment on function private.past_customer is
  'The imported customer without an account that has an account''s address; null unless the address is confirmed.';

create function private.take_over_past_customer() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  past uuid;
begin
  -- A user who is a customer already stays that customer.
  if exists (
    select from public.customers c where c.tenant_id = new.tenant_id and c.user_id = new.user_id
  ) then
    return new;
  end if;
  past := private.past_customer(new.tenant_id, new.user_id, new.email);
  if past is null then
    return new;
  end if;
  update public.customers c set user_id = new.user_id, name = new.name where c.id = past;
  return null;
end
$$;
comment on function private.take_over_past_customer() is
  'Row trigger: a user who joins with the address of an imported customer becomes that customer, instead of a new one.';

create function private.take_over_confirmed() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  taken jsonb;
begin
  select jsonb_agg(jsonb_build_object('own', o.id, 'past', o.past, 'name', o.name)) into taken
  from (
    select c.id, c.name, private.past_customer(c.tenant_id, c.user_id, lower(new.email)) as past
    from public.customers c
    where c.user_id = new.id
      and not exists (select from public.orders o where o.tenant_id = c.tenant_id and o.customer_id = c.id)
  ) as o
  where o.past is not null;

  delete from public.customers c using jsonb_to_recordset(taken) as t (own uuid) where c.id = t.own;
  update public.customers c
  set user_id = new.id, name = t.name
  from jsonb_to_recordset(taken) as t (past uuid, name text)
  where c.id = t.past;
  return null;
end
$$;
comment on function private.take_over_confirmed() is
  'Row trigger: a user who confirms the address of an imported customer becomes that customer, unless the user has ordered as another one.';

-- triggers -------------------------------------------------------------------------------------

create trigger customers_take_over_past_customer
  before insert on public.customers
  for each row when (new.user_id is not null and new.email is not null)
  execute function private.take_over_past_customer();

create trigger customers_take_over_confirmed
  after update of email_confirmed_at on auth.users
  for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null)
  execute function private.take_over_confirmed();

-- policies -------------------------------------------------------------------------------------

alter table private.orders_as_imported enable row level security;
alter table private.items_as_imported enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.import_orders to authenticated;
grant execute on function public.import_orders to authenticated;

-- supabase/schemas/exports/1100_exports.sql

-- Exports: files of rows that a member requests and a worker writes. This file has the tables of exports and their
-- jobs, the policies, the limit on their number, and the deletion of files.

-- types ----------------------------------------------------------------------------------------

create type public.export_type as enum (
  'sales', 'revenue', 'orders', 'order_items', 'products', 'inventory', 'customers', 'segments', 'cohorts', 'funnel',
  'campaigns', 'commissions'
);
create type public.export_format as enum ('csv', 'xlsx', 'json');
create type public.export_status as enum ('queued', 'running', 'ready', 'failed', 'expired');

create type private.export_query as (
  scope private.analytics_scope,
  period private.analytics_period,
  asked_at timestamptz,
  currency text,
  "by" text
);
comment on type private.export_query is
  'The rows of an export, fixed when it is requested. by: the dimension of a revenue report.';

-- tables ---------------------------------------------------------------------------------------

create table public.exports (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  asked_by uuid references auth.users (id) on delete set null,
  type public.export_type not null,
  period text,
  "from" date,
  "to" date,
  marketplace_id uuid,
  supplier_id uuid,
  category uuid,
  currency text,
  "by" text,
  format public.export_format not null,
  bom boolean not null default false,
  email text,
  status public.export_status not null default 'queued',
  progress integer not null default 0,
  rows bigint not null default 0,
  bytes bigint not null default 0,
  files text[] not null default '{}',
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  expires_at timestamptz,
  constraint exports_tenant_id_id_key unique (tenant_id, id),
  constraint exports_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint exports_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint exports_category_fkey foreign key (tenant_id, category)
    references public.categories (tenant_id, id) on delete cascade,
  constraint exports_progress_is_from_0_to_100 check (progress between 0 and 100),
  constraint exports_rows_is_not_negative check (rows >= 0),
  constraint exports_bytes_is_not_negative check (bytes >= 0),
  constraint exports_expires_at_is_set_when_it_is_ready check ((status = 'ready') = (expires_at is not null)),
  constraint exports_error_is_set_when_it_failed check ((status = 'failed') = (error is not null))
);
comment on table public.exports is
  'Files of rows that members have requested. asked_by: a user, null once deleted. from, to: the days of the period; null without a period. progress: in percent. rows, bytes: written so far. files: paths in the bucket exports, in order, once it is ready; deleted at expires_at. email: the address of an active member who is to be notified.';

create table private.export_jobs (
  export_id uuid not null,
  tenant_id uuid not null,
  query private.export_query not null,
  total bigint not null,
  large boolean not null,
  asked_at timestamptz not null default now(),
  started_at timestamptz,
  checkpoint jsonb,
  upcoming jsonb,
  failures integer not null default 0,
  due_at timestamptz not null default now(),
  lease uuid,
  leased_until timestamptz,
  -- In this order for lookups by export alone.
  constraint export_jobs_pkey primary key (export_id, tenant_id),
  constraint export_jobs_export_id_fkey foreign key (tenant_id, export_id)
    references public.exports (tenant_id, id) on delete cascade,
  constraint export_jobs_lease_is_set_with_its_end check ((lease is null) = (leased_until is null))
);
comment on table private.export_jobs is
  'Exports that wait or are being written. total: rows, counted when it was requested. large: has more rows than a small export. checkpoint: the position up to which its files have certainly arrived in Storage. upcoming: the checkpoint that holds once the part in flight has arrived. failures: consecutive ones, without a part that arrived in between. lease: of the one dispatcher that writes it, valid until leased_until.';

-- The bytes in a checkpoint are base64, which does not compress.
alter table private.export_jobs alter column checkpoint set storage external;
alter table private.export_jobs alter column upcoming set storage external;

create table private.export_removals (
  export_id uuid not null,
  tenant_id uuid not null,
  due_at timestamptz not null,
  constraint export_removals_pkey primary key (tenant_id, export_id)
);
comment on table private.export_removals is
  'Exports whose files are to be deleted from Storage. The rows outlive the export and its tenant, so they have no foreign keys. due_at: later for an export that was being written, because a part of it may still be in flight.';

-- Realtime reports the progress of an export.
alter table public.exports replica identity full;
alter publication supabase_realtime add table public.exports;

-- indexes --------------------------------------------------------------------------------------

create index exports_tenant_id_created_at_idx on public.exports (tenant_id, created_at desc, id);
create index exports_asked_by_idx on public.exports (asked_by);
create index exports_marketplace_id_idx on public.exports (tenant_id, marketplace_id);
create index exports_supplier_id_idx on public.exports (tenant_id, supplier_id);
create index exports_category_idx on public.exports (tenant_id, category);
create index exports_expires_at_idx on public.exports (expires_at) where expires_at is not null;
create index exports_finished_at_idx on public.exports (finished_at) where finished_at is not null;
create index export_jobs_tenant_id_idx on private.export_jobs (tenant_id, large, asked_at);
create index export_removals_due_at_idx on private.export_removals (due_at);

-- functions ------------------------------------------------------------------------------------

create function private.queue_export_removal() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.export_removals (export_id, tenant_id, due_at)
  values (
    old.id, old.tenant_id,
    -- A part that is in flight arrives within the time of a lease.
    now() + case old.status when 'running' then interval '10 minutes' else interval '0' end
  )
  on conflict (tenant_id, export_id) do update set due_at = excluded.due_at;
  return null;
end
$$;
comment on function private.queue_export_removal() is
  'Row trigger: queues the deletion of the files of an export that was deleted, has failed or has expired.';

-- Without a SET clause, so that Postgres inlines it into the policies.
create function private.shows_export(
  viewer public.member_role, viewer_id uuid, own_supplier uuid, asked_by uuid, supplier_id uuid
) returns boolean
language sql immutable
return case viewer
  when 'admin' then true
  when 'supplier' then asked_by = viewer_id and supplier_id = own_supplier
  else asked_by = viewer_id and private.reads_all(viewer)
end;
comment on function private.shows_export is
  'Whether a member sees an export or a schedule: admins all of them, other members those they requested, while their role may still see such rows.';

create function private.may_fetch_export(name text) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  -- A path begins with the ids of the tenant and the export. The policies of the table decide whether the caller sees it.
  return name ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}[.]' and exists (
    select from public.exports e where e.id = substring(name from 38 for 36)::uuid and name = any (e.files)
  );
end
$$;
comment on function private.may_fetch_export is 'Whether the caller sees the export that has the file of this path.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.exports for each row execute function private.keep_nfc();

create trigger exports_check_status_move
  before update of status on public.exports
  for each row execute function private.check_status_move();

create trigger exports_queue_removal_of_deleted
  after delete on public.exports
  for each row execute function private.queue_export_removal();

create trigger exports_queue_removal_of_failed_or_expired
  after update of status on public.exports
  for each row when (new.status in ('failed', 'expired'))
  execute function private.queue_export_removal();

-- policies -------------------------------------------------------------------------------------

alter table public.exports enable row level security;
alter table private.export_jobs enable row level security;
alter table private.export_removals enable row level security;

create policy "Admins see all exports, clients and suppliers those they asked for" on public.exports
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.shows_export(
      (select private.tenant_role()), (select auth.uid()), (select private.supplier_id()), asked_by, supplier_id
    )
  );

create policy "Members delete the exports that they see" on public.exports
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.shows_export(
      (select private.tenant_role()), (select auth.uid()), (select private.supplier_id()), asked_by, supplier_id
    )
  );

create policy "Members fetch the files of exports that they see" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'exports'
    and not (select private.lists_objects())
    and (storage.foldername(name))[1] = (select private.tenant_id())::text
    and private.may_fetch_export(name)
  );

-- grants ---------------------------------------------------------------------------------------

-- Only functions insert, and only the dispatcher updates.
grant select, delete on public.exports to authenticated;
grant all on public.exports to service_role;
grant select, update, delete on private.export_jobs to service_role;
grant execute on function private.shows_export, private.may_fetch_export to authenticated, service_role;

-- supabase/schemas/exports/1104_export_rows.sql

-- The rows of exports: a function for each type, which returns the records that a query selects, with the fields of the
-- API by the API's names.
--
-- Each is a function in SQL without a SET clause, so that Postgres inlines it into the calling query: counting reads
-- only an index, and a page stops when it is full. Every row begins with its place (at, key and part), which never
-- changes, so that a file can be continued after a place. Orders that were imported after asked_at are left out,
-- whatever their date.

-- functions ------------------------------------------------------------------------------------

create function private.exported_orders(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, number bigint, marketplace_id uuid, customer_id uuid, status public.order_status,
  payment_status public.payment_status, subtotal_amount numeric, delivery_amount numeric, total_amount numeric,
  refund_due numeric, refund_due_for jsonb, currency text, delivery_method text, payment_method text, payment_due_at timestamptz,
  shipping_address jsonb, billing_address jsonb, tax_id text, contact jsonb, language text, external_id text, imported_at timestamptz, created_at timestamptz, updated_at timestamptz
)
language sql stable
begin atomic
  select
    o.created_at, o.id, null::uuid,
    o.id, o.number, o.marketplace_id, o.customer_id, o.status, o.payment_status, money.subtotal, money.delivery,
    money.subtotal + money.delivery,
    due.amount,
    case when due.amount > 0 then private.refund_due_for(o, due.amount) else '{"items": [], "deliveries": []}' end,
    o.currency, o.delivery_method, o.payment_method, o.payment_due_at, o.shipping_address,
    coalesce(o.billing_address, o.shipping_address), o.tax_id, o.contact, o.language,
    o.external_id, o.imported_at, o.created_at, o.updated_at
  from public.orders o
  left join lateral (
    select coalesce(sum(p.subtotal), 0) as subtotal, coalesce(sum(p.delivery_amount), 0) as delivery
    from public.order_parts p
    where p.tenant_id = o.tenant_id and p.order_id = o.id
      and ((query).scope.supplier_id is null or p.supplier_id = (query).scope.supplier_id)
  ) money on true
  cross join lateral (
    select case when (query).scope.supplier_id is null then (select d.amount from private.refund_due(o) as d) else 0 end as amount
  ) due
  where o.tenant_id = (query).scope.tenant_id
    and o.created_at >= (query).period.starts_at and o.created_at < (query).period.ends_at
    and (o.imported_at is null or o.imported_at < (query).asked_at)
    and ((query).currency is null or o.currency = (query).currency)
    and ((query).scope.marketplace_id is null or o.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or exists (
      select from public.order_parts p where p.order_id = o.id and p.supplier_id = (query).scope.supplier_id
    ))
    and ((query).scope.categories is null or exists (
      select from public.order_items i
      join public.products s on s.tenant_id = i.tenant_id and s.id = i.product_id
      where i.order_id = o.id and s.category_id = any ((query).scope.categories)
    ));
end;
comment on function private.exported_orders is
  'Orders placed in the period. For a supplier: orders with its items, and the amounts of these. For categories: orders with items in them.';

create function private.exported_order_items(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, order_id uuid, number bigint, marketplace_id uuid, customer_id uuid, status public.order_status,
  payment_status public.payment_status, product_id uuid, variant_id uuid, supplier_id uuid, name text,
  quantity integer, shipped_quantity integer, delivered_quantity integer, cancelled_quantity integer,
  returned_quantity integer, lost_quantity integer, starts_at timestamptz, price numeric, amount numeric, currency text,
  created_at timestamptz
)
language sql stable
begin atomic
  select
    o.created_at, o.id, i.id,
    i.id, o.id, o.number, o.marketplace_id, o.customer_id, o.status, o.payment_status, i.product_id, i.variant_id,
    i.supplier_id, i.name, i.quantity, i.shipped_quantity, i.delivered_quantity, i.cancelled_quantity,
    i.returned_quantity, i.lost_quantity, i.starts_at, i.price, i.amount, o.currency, o.created_at
  from public.orders o
  join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
  where o.tenant_id = (query).scope.tenant_id
    and o.created_at >= (query).period.starts_at and o.created_at < (query).period.ends_at
    and (o.imported_at is null or o.imported_at < (query).asked_at)
    and ((query).currency is null or o.currency = (query).currency)
    and ((query).scope.marketplace_id is null or o.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or i.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or exists (
      select from public.products s
      where s.tenant_id = i.tenant_id and s.id = i.product_id and s.category_id = any ((query).scope.categories)
    ));
end;
comment on function private.exported_order_items is 'Items of orders placed in the period.';

create function private.exported_products(query private.export_query)
returns table (at timestamptz, key uuid, part uuid, record public.product_details)
language sql stable
begin atomic
  select d.created_at, d.id, null::uuid, d
  from public.product_details d
  where d.tenant_id = (query).scope.tenant_id
    and d.created_at >= (query).period.starts_at and d.created_at < (query).period.ends_at
    and ((query).scope.marketplace_id is null or d.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or d.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or d.category_id = any ((query).scope.categories));
end;
comment on function private.exported_products is 'Products listed in the period, without discontinued ones.';

create function private.exported_inventory(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, product_id uuid, variant_id uuid, product_name text, variant_name text, sku text, marketplace_id uuid,
  supplier_id uuid, status public.product_status, quantity integer, reserved integer, available integer,
  low_stock_threshold integer, low_stock boolean, updated_at timestamptz
)
language sql stable
begin atomic
  select
    p.created_at, p.id, i.id,
    i.id, i.product_id, i.variant_id, p.name, v.name, v.sku, p.marketplace_id, p.supplier_id, p.status, i.quantity,
    i.reserved, i.quantity - i.reserved, i.low_stock_threshold,
    i.low_stock_threshold > 0 and i.quantity - i.reserved <= i.low_stock_threshold, i.updated_at
  from public.products p
  join public.inventory i on i.tenant_id = p.tenant_id and i.product_id = p.id
  left join public.product_variants v
    on v.tenant_id = i.tenant_id and v.product_id = i.product_id and v.id = i.variant_id
  where p.tenant_id = (query).scope.tenant_id
    and p.created_at >= (query).period.starts_at and p.created_at < (query).period.ends_at
    and p.track_inventory and p.status <> 'discontinued'
    and ((query).scope.marketplace_id is null or p.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or p.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or p.category_id = any ((query).scope.categories))
    -- A product with variants has a row of its own only if it has pieces, as in list_inventory.
    and (
      i.variant_id is not null or i.quantity > 0
      or not exists (
        select from public.product_variants w where w.tenant_id = p.tenant_id and w.product_id = p.id
      )
    );
end;
comment on function private.exported_inventory is 'The current stock of products listed in the period.';

create function private.exported_customers(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, user_id uuid, name text, email text, is_guest boolean, language text, external_id text, orders bigint,
  last_ordered_at timestamptz, created_at timestamptz
)
language sql stable
begin atomic
  select
    c.created_at, c.id, null::uuid,
    c.id, case when (query).scope.supplier_id is null then c.user_id end,
    case when (query).scope.supplier_id is null then c.name end, case when (query).scope.supplier_id is null then c.email end,
    case when (query).scope.supplier_id is null then c.is_guest end,
    case when (query).scope.supplier_id is null then c.language end,
    case when (query).scope.supplier_id is null then c.external_id end,
    case when (query).scope.supplier_id is null then c.orders end,
    case when (query).scope.supplier_id is null then c.last_ordered_at end, c.created_at
  from public.customer_details c
  where c.tenant_id = (query).scope.tenant_id
    and (not c.is_guest or c.last_ordered_at is not null)
    and c.created_at >= (query).period.starts_at and c.created_at < (query).period.ends_at
    and ((query).scope.marketplace_id is null or exists (
      select from public.orders o
      where o.tenant_id = c.tenant_id and o.customer_id = c.id and o.marketplace_id = (query).scope.marketplace_id
    ))
    and ((query).scope.supplier_id is null or exists (
      select from public.order_parts p
      where p.tenant_id = c.tenant_id and p.customer_id = c.id and p.supplier_id = (query).scope.supplier_id
    ))
    and ((query).scope.categories is null or exists (
      select from public.orders o
      join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
      join public.products s on s.tenant_id = i.tenant_id and s.id = i.product_id
      where o.tenant_id = c.tenant_id and o.customer_id = c.id and s.category_id = any ((query).scope.categories)
    ));
end;
comment on function private.exported_customers is
  'Customers who registered, or as guests first came, in the period, without guests who have not ordered; with a marketplace, supplier or category, those who have ordered there at any time. For a supplier without names, addresses and orders elsewhere, which suppliers may not see.';

create function private.exported_campaigns(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, supplier_id uuid, marketplace_id uuid, currency text, product_id uuid, category_id uuid,
  pricing_model public.pricing_model, start_date timestamptz, end_date timestamptz, daily_budget numeric,
  bid_amount numeric, max_bid numeric, fee numeric, regions text[], labels text[], highlighted boolean,
  pinned boolean, status public.campaign_status, note text, created_at timestamptz, updated_at timestamptz
)
language sql stable
begin atomic
  select
    c.created_at, c.id, null::uuid,
    c.id, c.supplier_id, c.marketplace_id, c.currency, c.product_id, c.category_id, c.pricing_model, c.start_date,
    c.end_date, c.daily_budget, c.bid_amount, c.max_bid, c.fee, c.regions, c.labels, c.highlighted, c.pinned, c.status, c.note,
    c.created_at, c.updated_at
  from public.campaigns c
  where c.tenant_id = (query).scope.tenant_id
    and c.created_at >= (query).period.starts_at and c.created_at < (query).period.ends_at
    and ((query).scope.marketplace_id is null or c.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or c.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or c.category_id = any ((query).scope.categories));
end;
comment on function private.exported_campaigns is 'Campaigns created in the period.';

create function private.exported_commissions(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  order_id uuid, supplier_id uuid, marketplace_id uuid, number bigint, status public.order_status,
  order_status public.order_status, payment_status public.payment_status, currency text, sales_amount numeric,
  delivery_amount numeric, commission_percent numeric, delivery_percent numeric, commission_amount numeric,
  refunded_amount numeric, payout_amount numeric, completed_at timestamptz, due_at timestamptz, created_at timestamptz,
  updated_at timestamptz
)
language sql stable
begin atomic
  select
    d.created_at, d.order_id, d.supplier_id,
    d.order_id, d.supplier_id, d.marketplace_id, d.number, d.status, d.order_status, d.payment_status, d.currency,
    d.sales_amount, d.delivery_amount, d.commission_percent, d.delivery_percent, d.commission_amount, d.refunded_amount,
    d.payout_amount, d.completed_at, d.due_at, d.created_at, d.updated_at
  from public.commission_details d
  where d.tenant_id = (query).scope.tenant_id
    and d.created_at >= (query).period.starts_at and d.created_at < (query).period.ends_at
    and ((query).currency is null or d.currency = (query).currency)
    and ((query).scope.marketplace_id is null or d.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or d.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or exists (
      select from public.order_items i
      join public.products s on s.tenant_id = i.tenant_id and s.id = i.product_id
      where i.order_id = d.order_id and i.supplier_id = d.supplier_id and s.category_id = any ((query).scope.categories)
    ));
end;
comment on function private.exported_commissions is 'Commission lines of orders placed in the period.';

-- Reports, as the API returns them. They have few rows in an order of their own, so they are read in one page.

create function private.exported_sales(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  date date, revenue numeric, orders bigint, average_order numeric, items bigint, cancelled numeric, returned numeric,
  currency text
)
language sql stable
begin atomic
  select null::timestamptz, null::uuid, null::uuid, r.*, report.report ->> 'currency'
  from private.sales_report((query).scope, (query).period, 'day', 'booked', (query).currency) as report (report)
  cross join lateral jsonb_to_recordset(report.report -> 'data') as r (
    date date, revenue numeric, orders bigint, average_order numeric, items bigint, cancelled numeric, returned numeric
  );
end;
comment on function private.exported_sales is 'Sales by day.';

create function private.exported_revenue(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id text, name text, revenue numeric, orders bigint, share numeric, currency text
)
language sql stable
begin atomic
  select null::timestamptz, null::uuid, null::uuid, r.*, report.report ->> 'currency'
  from private.revenue_report(
    (query).scope, (query).period, coalesce((query)."by", 'marketplace'), 'day', 'booked', (query).currency
  ) as report (report)
  cross join lateral jsonb_to_recordset(report.report -> 'breakdown') as r (
    id text, name text, revenue numeric, orders bigint, share numeric
  );
end;
comment on function private.exported_revenue is 'The breakdown of revenue: by marketplace, unless the query names another dimension.';

create function private.exported_segments(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  name text, criteria text, count bigint, revenue numeric, revenue_share numeric, currency text
)
language sql stable
begin atomic
  select null::timestamptz, null::uuid, null::uuid, r.*, report.report ->> 'currency'
  from private.segments_report((query).scope, (query).currency) as report (report)
  cross join lateral jsonb_to_recordset(report.report -> 'segments') as r (
    name text, criteria text, count bigint, revenue numeric, revenue_share numeric
  );
end;
comment on function private.exported_segments is 'Segments of customers, as they are now.';

create function private.exported_cohorts(query private.export_query)
returns table (at timestamptz, key uuid, part uuid, period text, users bigint, retention jsonb)
language sql stable
begin atomic
  select null::timestamptz, null::uuid, null::uuid, r.*
  from private.cohorts_report((query).scope, 'retention', 12, (query).currency) as report (report)
  cross join lateral jsonb_to_recordset(report.report -> 'cohorts') as r (
    period text, users bigint, retention jsonb
  );
end;
comment on function private.exported_cohorts is 'Retention of customers by the month of their first order, for the last 12 months.';

create function private.exported_funnel(query private.export_query)
returns table (at timestamptz, key uuid, part uuid, name text, count bigint, conversion numeric)
language sql stable
begin atomic
  select null::timestamptz, null::uuid, null::uuid, r.*
  from private.funnel_report((query).scope, (query).period) as report (report)
  cross join lateral jsonb_to_recordset(report.report -> 'stages') as r (name text, count bigint, conversion numeric);
end;
comment on function private.exported_funnel is 'Stages of the funnel.';

create function private.export_source(type public.export_type) returns regprocedure
language sql stable set search_path = ''
as $$
  select format('private.exported_%s(private.export_query)', type)::regprocedure
$$;
comment on function private.export_source is 'The function that returns the rows of a type.';

create function private.export_fields(type public.export_type)
returns table (name text, kind text, place bigint, source text)
language sql stable set search_path = ''
as $$
  with outputs as (
    select f.name, f.type, f.place, t.typrelid
    from pg_catalog.pg_proc p
    cross join lateral unnest(p.proargnames, p.proallargtypes, p.proargmodes)
      with ordinality as f (name, type, mode, place)
    join pg_catalog.pg_type t on t.oid = f.type
    where p.oid = private.export_source(export_fields.type)::oid
      and f.mode = 't' and f.name not in ('at', 'key', 'part')
  ),
  fields as (
    select o.name, o.type, o.place, 0 as place_in_record, format('r.%I', o.name) as source
    from outputs o
    where o.typrelid = 0
    union all
    -- A record has the fields that its lists have.
    select a.attname::text, a.atttypid, o.place, a.attnum, format('(r.%I).%I', o.name, a.attname)
    from outputs o
    join pg_catalog.pg_attribute a on a.attrelid = o.typrelid and a.attnum > 0 and not a.attisdropped
    where a.attname not in ('tenant_id', 'description_html')
  )
  select
    f.name,
    case
      when f.type in ('json'::regtype, 'jsonb'::regtype, 'text[]'::regtype) then 'json'
      when f.type in ('integer'::regtype, 'bigint'::regtype, 'numeric'::regtype) then 'number'
      when f.type = 'boolean'::regtype then 'boolean'
      when f.type = 'date'::regtype then 'date'
      when f.type = 'timestamptz'::regtype then 'time'
      else 'text'
    end,
    row_number() over (order by f.place, f.place_in_record), f.source
  from fields f
$$;
comment on function private.export_fields is
  'The fields of the rows of a type, in order, the kind of each (text, number, boolean, date, time or json), and its value in a row r as SQL. An output of its function that is a record stands for the fields of the record.';

create function private.is_report(type public.export_type) returns boolean
language sql immutable
return type in ('sales', 'revenue', 'segments', 'cohorts', 'funnel');
comment on function private.is_report is
  'Whether a type is a report: its rows are few, have an order of their own, and are read in one page.';

create function private.count_export_rows(type public.export_type, query private.export_query, at_most bigint)
returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  counted bigint;
begin
  execute format(
    'select count(*) from (select from %s($1) limit $2) as r', private.export_source(type)::regproc
  )
  into counted
  using query, at_most;
  return counted;
end
$$;
comment on function private.count_export_rows is 'Counts the rows of an export, up to at_most.';

create function private.export_line(type public.export_type, as_objects boolean) returns text
language sql stable set search_path = ''
as $$
  select case when as_objects
    then format(
      'to_json((select row_to_json(o) from (select %s) as o)::text)',
      string_agg(format('%s as %I', f.source, f.name), ', ' order by f.place)
    )
    else format(
      'json_build_array(%s)',
      string_agg(
        format(case f.kind when 'number' then '%s::text' when 'json' then 'to_json(%s)::text' else '%s' end, f.source),
        ', ' order by f.place
      )
    )
  end
  from private.export_fields(type) f
$$;
comment on function private.export_line is
  'The SQL expression for a row r of a type: an object as text, or a list of cells. In cells, numbers and JSON are texts, so that no digit is lost.';

create function private.export_rows(
  type public.export_type, query private.export_query, as_objects boolean, after jsonb, bytes integer
) returns json
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_report boolean := private.is_report(type);
  condition text := case when after is null then 'true' else
    'r.at <= $2 and (r.at < $2 or r.key > $3 or r.key = $3 and r.part > $4)'
  end;
  -- The limit makes Postgres plan for the first rows.
  ordering text := case when is_report then '' else 'order by r.at desc, r.key, r.part limit 10000' end;
  row_at timestamptz;
  row_key uuid;
  row_part uuid;
  line json;
  lines json[] := array[]::json[];
  remaining integer := bytes;
begin
  perform set_config('timezone', (query).scope.time_zone, true);
  -- A loop that ends when the page is full, so that the remaining rows are not read.
  for row_at, row_key, row_part, line in execute format(
    'select r.at, r.key, r.part, %s as line from %s($1) as r where %s %s',
    private.export_line(type, as_objects), private.export_source(type)::regproc, condition, ordering
  )
  using query, (after ->> 0)::timestamptz, (after ->> 1)::uuid, (after ->> 2)::uuid
  loop
    lines := lines || line;
    remaining := remaining - pg_column_size(line);
    exit when remaining <= 0 and not is_report;
  end loop;
  return json_build_object(
    'rows', lines,
    'after', case
      when not is_report and (remaining <= 0 or cardinality(lines) = 10000) then json_build_array(row_at, row_key, row_part)
    end
  );
end
$$;
comment on function private.export_rows is
  'A page of the rows of an export, as {rows, after}: those after the given place, or the first ones if it is null. A page has at most 10,000 rows and ends with the row that exceeds the given number of bytes. A row is a list of cells, or an object as text; times have the offset of the tenant''s time zone. after in the result: the place of the last row, null if none follows.';

-- supabase/schemas/exports/1108_export_records.sql

-- Requests for exports.

-- functions ------------------------------------------------------------------------------------

create function private.is_stock_of_records(type public.export_type) returns boolean
language sql immutable
return type in ('products', 'inventory', 'customers', 'campaigns', 'segments', 'cohorts');
comment on function private.is_stock_of_records is
  'Whether exports of a type have all records so far if no period is given. Others have those of 30 days.';

create function private.export_period(
  type public.export_type, time_zone text, period text, "from" date, "to" date, run_on date default null
) returns private.analytics_period
language plpgsql stable set search_path = ''
as $$
declare
  wanted text := coalesce(period, '30d');
  everything private.analytics_period;
begin
  if coalesce(period, "from"::text, "to"::text) is null
    and private.is_stock_of_records(export_period.type)
  then
    everything.starts_at := '-infinity';
    everything.ends_at := now();
    return everything;
  end if;
  if run_on is null then
    return private.analytics_period(time_zone, wanted, "from", "to");
  end if;
  -- The day of the run has only begun. These periods do not contain it anyway.
  return private.period_of_days(
    time_zone, wanted,
    private.asked_days(
      case when wanted in ('yesterday', 'last_week', 'last_month', 'last_quarter') then run_on else run_on - 1 end,
      wanted, "from", "to"
    )
  );
end
$$;
comment on function private.export_period is
  'The period of an export: 30 days, or everything so far for types that are a stock of records. run_on: the day of a scheduled run; its period ends with the day before. Refuses with VALIDATION_ERROR.';

create function private.check_export(request public.exports) returns public.exports
language plpgsql stable security definer set search_path = ''
as $$
begin
  if request."by" is not null then
    perform private.insist(request.type = 'revenue', 'by', 'left out, except for revenue', to_jsonb(request."by"));
    perform private.insist_on_by(request."by");
  end if;
  request.currency := private.checked_currency(request.currency);
  request.email := lower(request.email);
  if request.email is not null and not exists (
    select from public.members m
    where m.tenant_id = request.tenant_id and m.email = request.email and m.status = 'active'
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'email must be the address of an active member of the tenant.',
      'email', to_jsonb(request.email)
    );
  end if;
  return request;
end
$$;
comment on function private.check_export is
  'Checks a request, and returns it with the address in lower case. Refuses with VALIDATION_ERROR an address of no active member, an unknown currency, and a dimension that the type does not have.';

create function private.counted_export(request public.exports, query private.export_query) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_xlsx boolean := request.format = 'xlsx';
  cap text := case when is_xlsx then 'export_rows_xlsx' else 'export_rows' end;
  most bigint := private.cap(cap);
  counted bigint := private.count_export_rows(request.type, query, most + 1);
begin
  if counted > most then
    perform private.refuse_beyond(
      cap,
      format('The export has more than %s rows: choose %s.', most, case when is_xlsx then 'csv' else 'a shorter period' end),
      case when is_xlsx then 'format' else 'period' end,
      to_jsonb(case when is_xlsx then 'xlsx' else (query).period.name end)
    );
  end if;
  return counted;
end
$$;
comment on function private.counted_export is
  'Counts the rows of an export. Refuses with LIMIT_REACHED more than its format may have.';

create function private.insist_on_room_for_export(tenant_id uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if (
    select count(*) from private.export_jobs j where j.tenant_id = insist_on_room_for_export.tenant_id
  ) >= private.cap('exports_waiting') then
    perform private.refuse_beyond('exports_waiting', 'Too many exports wait. Try again when one of them is ready.');
  end if;
end
$$;
comment on function private.insist_on_room_for_export is
  'Refuses with LIMIT_REACHED while the maximum number of a tenant''s exports waits.';

create function private.enqueue_export(
  request public.exports, scope private.analytics_scope, period private.analytics_period
) returns public.exports
language plpgsql security definer set search_path = ''
as $$
declare
  query private.export_query := row(scope, period, now(), request.currency, request."by");
  total bigint;
  made public.exports;
begin
  -- Counting takes long, so it comes before the lock, and only if there is room.
  perform private.insist_on_room_for_export(request.tenant_id);
  total := private.counted_export(request, query);
  perform private.hold('exports', request.tenant_id::text);
  perform private.insist_on_room_for_export(request.tenant_id);
  insert into public.exports (
    tenant_id, asked_by, type, period, "from", "to", marketplace_id, supplier_id, category, currency, "by", format, bom, email
  )
  values (
    request.tenant_id, request.asked_by, request.type, period.name, period.since, period.until, request.marketplace_id,
    scope.supplier_id, request.category, request.currency, request."by", request.format, request.bom, request.email
  )
  returning * into made;
  insert into private.export_jobs (export_id, tenant_id, query, total, large)
  values (made.id, made.tenant_id, query, total, total > private.cap('export_rows_small'));
  return made;
end
$$;
comment on function private.enqueue_export is
  'Queues an export of a scope and a period, without a check of the caller. Refuses with LIMIT_REACHED.';

create function private.create_export(request public.exports, period text, "from" date, "to" date) returns public.exports
language plpgsql security definer set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(request.marketplace_id, request.supplier_id, request.category);
begin
  request.tenant_id := scope.tenant_id;
  request.asked_by := auth.uid();
  return private.enqueue_export(
    private.check_export(request), scope,
    private.export_period(request.type, scope.time_zone, create_export.period, "from", "to")
  );
end
$$;
comment on function private.create_export is 'Implements public.create_export.';

create function public.create_export(
  type public.export_type,
  format public.export_format,
  period text default null,
  "from" date default null,
  "to" date default null,
  marketplace_id uuid default null,
  supplier_id uuid default null,
  category uuid default null,
  currency text default null,
  "by" text default null,
  bom boolean default false,
  email text default null
) returns public.exports
-- Up to 5 million rows are counted.
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
declare
  request public.exports;
begin
  request.type := create_export.type;
  request.format := create_export.format;
  request.marketplace_id := create_export.marketplace_id;
  request.supplier_id := create_export.supplier_id;
  request.category := create_export.category;
  request.currency := create_export.currency;
  request."by" := create_export."by";
  request.bom := create_export.bom;
  request.email := create_export.email;
  return private.create_export(request, create_export.period, "from", "to");
end
$$;
comment on function public.create_export is
  'For admins, clients and suppliers: queues an export of the rows of a type that the caller may see and that exist now. Returns the export; read it again until it is ready. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR and LIMIT_REACHED.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.create_export, public.create_export to authenticated;

-- supabase/schemas/exports/1112_export_dispatch.sql

-- Dispatch: the function `export-dispatch` takes an export, writes parts of its files and reports, until the export is
-- ready. pg_net wakes it after a commit, and a job each minute for exports that remain.
--
-- A dispatcher has a lease of the export that it writes. A report with another lease changes nothing. The database knows
-- the checkpoint before and after a part before that part is sent. So the dispatcher that continues after a crash asks
-- Storage how many bytes have arrived, and continues from one of these checkpoints.
--
-- One large and one small export of a tenant are written at a time, in the order of the requests. A dispatcher gives an
-- export back after some megabytes, so that the exports of all tenants take turns.

-- functions ------------------------------------------------------------------------------------

create function private.exports_to_write() returns setof private.export_jobs
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  select j.*
  from private.export_jobs j
  where (j.leased_until <= clock_timestamp()) is not false
    and j.due_at <= clock_timestamp()
    and j.export_id in (
      select distinct on (first.tenant_id, first.large) first.export_id
      from private.export_jobs first
      order by first.tenant_id, first.large, first.started_at, first.asked_at, first.export_id
    )
  order by j.due_at;
end
$$;
comment on function private.exports_to_write() is
  'Exports that a dispatcher may take: the first large and the first small one of each tenant, unless they are leased. The one that has been due the longest comes first.';

create function private.wake_export_dispatch() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from private.exports_to_write())
    or exists (select from private.export_removals r where r.due_at <= now())
  then
    perform private.wake('export-dispatch');
  end if;
end
$$;
comment on function private.wake_export_dispatch() is 'Wakes the dispatcher if an export is to be written or files are to be removed.';

create function public.wake_export_dispatch() returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.wake_export_dispatch();
end
$$;
comment on function public.wake_export_dispatch() is
  'For the dispatcher: has it called again if an export is to be written or files are to be removed.';

create function private.wake_for_exports() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.wake_export_dispatch();
  return null;
end
$$;
comment on function private.wake_for_exports() is 'Statement trigger: wakes the dispatcher if it has something to do.';

create function private.hold_export(export_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform from public.exports e where e.id = hold_export.export_id for no key update;
end
$$;
comment on function private.hold_export is
  'Locks an export until the end of the transaction. It comes before its job, as when an export is deleted: the other order could deadlock.';

create function private.end_export(export_id uuid, error text default null) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.exports e
  set status = (case when end_export.error is null then 'ready' else 'failed' end)::public.export_status,
      progress = case when end_export.error is null then 100 else e.progress end,
      error = end_export.error,
      finished_at = now(),
      expires_at = case when end_export.error is null then now() + interval '7 days' end
  where e.id = end_export.export_id;
  delete from private.export_jobs j where j.export_id = end_export.export_id;
  perform private.wake_export_dispatch();
end
$$;
comment on function private.end_export is 'Ends an export: it is ready, or has failed with this error. The next one may be written.';

create function private.may_still_export(job private.export_jobs) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from public.exports e
    join public.members m on m.tenant_id = e.tenant_id and m.user_id = e.asked_by
    where e.id = job.export_id and m.status = 'active'
      and (private.reads_all(m.role) or m.role = 'supplier' and m.supplier_id = (job.query).scope.supplier_id)
  )
$$;
comment on function private.may_still_export is
  'Whether the member who requested an export may still see its rows.';

create function private.take_export() returns private.export_jobs
language plpgsql security definer set search_path = ''
as $$
declare
  job private.export_jobs;
begin
  loop
    select j.* into job
    from private.export_jobs j
    join public.exports e on e.id = j.export_id
    where j.export_id in (select t.export_id from private.exports_to_write() t)
      -- Another dispatcher may have taken it since: these conditions are checked again once the row is locked.
      and (j.leased_until <= clock_timestamp()) is not false
      and j.due_at <= clock_timestamp()
    order by j.due_at
    limit 1
    for update of j skip locked
    for no key update of e skip locked;
    exit when not found;

    if not private.may_still_export(job) then
      perform private.end_export(job.export_id, 'The member who asked for the export may no longer see these rows.');
    elsif job.failures + (job.lease is not null)::integer > 5 then
      perform private.end_export(job.export_id, 'The export could not be written, several times in a row. Ask for it again.');
    else
      update private.export_jobs j
      set lease = gen_random_uuid(), leased_until = clock_timestamp() + interval '2 minutes',
          started_at = coalesce(j.started_at, clock_timestamp()),
          -- A dispatcher whose lease has ended may have crashed because of this export.
          failures = j.failures + (j.lease is not null)::integer
      where j.export_id = job.export_id
      returning * into job;
      update public.exports e set status = 'running' where e.id = job.export_id and e.status = 'queued';
      return job;
    end if;
  end loop;
  return null;
end
$$;
comment on function private.take_export() is
  'Leases the next export for two minutes; null if there is none. Ends exports whose member may no longer see their rows, and exports that have failed more than five times in a row.';

create function public.take_export() returns jsonb
language plpgsql set search_path = ''
as $$
declare
  job private.export_jobs := private.take_export();
begin
  if job.export_id is null then
    return null;
  end if;
  return (
    select jsonb_build_object(
      'id', e.id, 'tenant_id', e.tenant_id, 'type', e.type, 'format', e.format, 'bom', e.bom,
      'lease', job.lease, 'checkpoint', job.checkpoint, 'upcoming', job.upcoming,
      'fields', (
        select jsonb_agg(jsonb_build_object('name', f.name, 'kind', f.kind) order by f.place)
        from private.export_fields(e.type) f
      ),
      'file_bytes', private.cap('export_file_bytes')
    )
    from public.exports e
    where e.id = job.export_id
  );
end
$$;
comment on function public.take_export() is
  'For the dispatcher: leases the next export for two minutes. Returns it with its fields and checkpoints; null if there is nothing to write.';

create function public.read_export_rows(export_id uuid, lease uuid, after jsonb, bytes integer) returns json
language plpgsql set search_path = ''
as $$
declare
  job private.export_jobs;
begin
  select j.* into job
  from private.export_jobs j
  where j.export_id = read_export_rows.export_id and j.lease = read_export_rows.lease;
  if not found then
    return null;
  end if;
  return (
    select private.export_rows(
      e.type, job.query, e.format = 'json', read_export_rows.after, read_export_rows.bytes
    )
    from public.exports e
    where e.id = job.export_id
  );
end
$$;
comment on function public.read_export_rows is
  'For the dispatcher: a page of the rows of an export that it has leased, as {rows, after}; null if the lease is no longer valid.';

create function public.report_export(export_id uuid, lease uuid, checkpoint jsonb default null, upcoming jsonb default null)
returns boolean
language plpgsql set search_path = ''
as $$
declare
  job private.export_jobs;
begin
  perform private.hold_export(report_export.export_id);
  update private.export_jobs j
  set checkpoint = coalesce(report_export.checkpoint, j.upcoming - 'part'),
      upcoming = report_export.upcoming,
      failures = case
        -- Without a part that has arrived since, the next failure is one in a row.
        when (coalesce(report_export.checkpoint, j.upcoming) ->> 'bytes')::bigint
          > coalesce((j.checkpoint ->> 'bytes')::bigint, 0)
        then 0
        else j.failures
      end,
      leased_until = clock_timestamp() + interval '2 minutes'
  where j.export_id = report_export.export_id and j.lease = report_export.lease
  returning * into job;
  if not found then
    return false;
  end if;
  update public.exports e
  set rows = (job.checkpoint ->> 'rows')::bigint,
      bytes = (job.checkpoint ->> 'bytes')::bigint,
      progress = least(99, (job.checkpoint ->> 'rows')::bigint * 100 / greatest(job.total, 1)),
      files = case
        when (job.checkpoint ->> 'ended')::boolean then array(select jsonb_array_elements_text(job.checkpoint -> 'files'))
        else e.files
      end
  where e.id = job.export_id;
  if (job.checkpoint ->> 'ended')::boolean then
    perform private.end_export(job.export_id);
  end if;
  return true;
end
$$;
comment on function public.report_export is
  'For the dispatcher: stores the checkpoint (if left out, the upcoming one that was stored before) and the upcoming one, which holds once the next part has arrived. Ends the export if the checkpoint is the last one. Extends the lease by two minutes; false if it is no longer valid or the export is deleted.';

create function public.leave_export(
  export_id uuid, lease uuid, arrived boolean default false, failed boolean default false, error text default null
) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.hold_export(leave_export.export_id);
  update private.export_jobs j
  set lease = null, leased_until = null,
      checkpoint = case when arrived then j.upcoming - 'part' else j.checkpoint end,
      upcoming = case when not arrived then j.upcoming end,
      failures = j.failures + failed::integer,
      due_at = clock_timestamp() + case when failed then interval '5 seconds' * 2 ^ j.failures else interval '0' end
  where j.export_id = leave_export.export_id and j.lease = leave_export.lease;
  if found and leave_export.error is not null then
    perform private.end_export(leave_export.export_id, leave_export.error);
  end if;
  perform private.wake_export_dispatch();
end
$$;
comment on function public.leave_export is
  'For the dispatcher: gives an export back. arrived: the part that was sent last has arrived. failed: it is due again after a pause, which doubles with each failure from 5 s on. error: it has failed for good.';

create function private.export_files(tenant_id uuid, export_id uuid) returns setof text
language sql stable security definer set search_path = ''
as $$
  select o.name
  from storage.objects o
  where o.bucket_id = 'exports'
    and o.name collate "C" >= format('%s/%s.', tenant_id, export_id)
    and o.name collate "C" < format('%s/%s/', tenant_id, export_id)
$$;
comment on function private.export_files is
  'The paths in Storage of an export: its files, and those that a dispatcher that crashed has left.';

create function private.export_files_to_remove() returns text[]
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.export_removals r
  where r.due_at <= clock_timestamp()
    and not exists (select from private.export_files(r.tenant_id, r.export_id));
  return array(
    select f.path
    from private.export_removals r
    cross join lateral private.export_files(r.tenant_id, r.export_id) as f (path)
    where r.due_at <= clock_timestamp()
    order by r.due_at, f.path
    limit 1000
  );
end
$$;
comment on function private.export_files_to_remove() is 'Implements public.export_files_to_remove.';

create function public.export_files_to_remove() returns text[]
language plpgsql set search_path = ''
as $$
begin
  return private.export_files_to_remove();
end
$$;
comment on function public.export_files_to_remove() is
  'For the dispatcher: the paths of files that are to be deleted through Storage, at most 1,000. Forgets exports that have none left.';

create function private.sweep_exports() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.exports e
  set status = 'expired', files = '{}', expires_at = null
  where e.id in (select d.id from public.exports d where d.expires_at <= now() limit 1000);
  delete from public.exports e
  where e.id in (
    select d.id from public.exports d where d.finished_at <= now() - interval '90 days' limit 1000
  );
  perform private.wake_export_dispatch();
end
$$;
comment on function private.sweep_exports() is
  'Expires exports after 7 days, deletes them after 90, and wakes the dispatcher for exports of crashed dispatchers.';

-- triggers -------------------------------------------------------------------------------------

create trigger export_jobs_wake_the_dispatcher
  after insert on private.export_jobs
  for each statement execute function private.wake_for_exports();

create trigger export_removals_wake_the_dispatcher
  after insert on private.export_removals
  for each statement execute function private.wake_for_exports();

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.take_export(), private.hold_export, private.end_export, private.wake_export_dispatch(), private.export_source, private.export_fields,
  private.export_rows,
  private.export_files_to_remove(), public.take_export(), public.read_export_rows, public.report_export,
  public.leave_export, public.export_files_to_remove(), public.wake_export_dispatch()
to service_role;

-- supabase/schemas/exports/1116_export_schedules.sql

-- Schedules: exports that are queued each day, week or month, when the tenant's day begins.

-- types ----------------------------------------------------------------------------------------

create type public.export_frequency as enum ('day', 'week', 'month');

-- tables ---------------------------------------------------------------------------------------

create table public.export_schedules (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  asked_by uuid not null references auth.users (id) on delete cascade,
  type public.export_type not null,
  period text,
  marketplace_id uuid,
  supplier_id uuid,
  category uuid,
  currency text,
  "by" text,
  format public.export_format not null,
  bom boolean not null default false,
  email text,
  every public.export_frequency not null,
  next_at timestamptz not null,
  delayed_from timestamptz,
  last_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  constraint export_schedules_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint export_schedules_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint export_schedules_category_fkey foreign key (tenant_id, category)
    references public.categories (tenant_id, id) on delete cascade
);
comment on table public.export_schedules is
  'Recurring exports, queued on behalf of the member who made the schedule. period: it ends with the day before each export is due. next_at: when the next one is queued. delayed_from: when it was due, if it has to wait because of other exports. last_at, last_error: when the last one was due, and why it was refused; null if it was queued.';

-- indexes --------------------------------------------------------------------------------------

create unique index export_schedules_tenant_id_created_at_idx on public.export_schedules (tenant_id, created_at desc, id);
alter table public.export_schedules replica identity using index export_schedules_tenant_id_created_at_idx;
create index export_schedules_asked_by_idx on public.export_schedules (asked_by);
create index export_schedules_marketplace_id_idx on public.export_schedules (tenant_id, marketplace_id);
create index export_schedules_supplier_id_idx on public.export_schedules (tenant_id, supplier_id);
create index export_schedules_category_idx on public.export_schedules (tenant_id, category);
create index export_schedules_next_at_idx on public.export_schedules (next_at);

-- functions ------------------------------------------------------------------------------------

create function private.next_export_at(
  every public.export_frequency, time_zone text, after timestamptz default now()
) returns timestamptz
language sql stable set search_path = ''
as $$
  select (date_trunc(every::text, after at time zone time_zone) + ('1 ' || every)::interval) at time zone time_zone
$$;
comment on function private.next_export_at is
  'When the next day, week (on Monday) or month after a time begins in a time zone.';

create function private.create_export_schedule(
  request public.exports, period text, every public.export_frequency
) returns public.export_schedules
language plpgsql security definer set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(request.marketplace_id, request.supplier_id, request.category);
  made public.export_schedules;
begin
  request.tenant_id := scope.tenant_id;
  request := private.check_export(request);
  if period = 'custom' then
    perform private.refuse(
      'VALIDATION_ERROR',
      'period must be today, yesterday, 7d, 30d, 90d, 1y, last_week, last_month or last_quarter: it ends before the day of each export.',
      'period', to_jsonb(period)
    );
  end if;
  if every = 'month' then
    -- Months do not have 30 days each, so days would be missing from these files, or in two of them.
    perform private.insist(
      period is distinct from '30d', 'period', 'last_month for a monthly schedule, and not 30d', to_jsonb(period)
    );
    if period is null and not private.is_stock_of_records(request.type) then
      period := 'last_month';
    end if;
  end if;
  perform private.export_period(request.type, scope.time_zone, create_export_schedule.period, null, null);
  perform private.hold('exports', scope.tenant_id::text);
  if (select count(*) from public.export_schedules s where s.tenant_id = scope.tenant_id)
    >= private.cap('export_schedules_per_tenant')
  then
    perform private.refuse_beyond(
      'export_schedules_per_tenant', 'The tenant has the maximum number of schedules. Delete one first.'
    );
  end if;
  insert into public.export_schedules (
    tenant_id, asked_by, type, period, marketplace_id, supplier_id, category, currency, "by", format, bom, email, every,
    next_at
  )
  values (
    scope.tenant_id, auth.uid(), request.type, create_export_schedule.period, request.marketplace_id, scope.supplier_id,
    request.category, request.currency, request."by", request.format, request.bom, request.email, create_export_schedule.every,
    private.next_export_at(create_export_schedule.every, scope.time_zone)
  )
  returning * into made;
  return made;
end
$$;
comment on function private.create_export_schedule is 'Implements public.create_export_schedule.';

create function public.create_export_schedule(
  type public.export_type,
  format public.export_format,
  every public.export_frequency,
  period text default null,
  marketplace_id uuid default null,
  supplier_id uuid default null,
  category uuid default null,
  currency text default null,
  "by" text default null,
  bom boolean default false,
  email text default null
) returns public.export_schedules
language plpgsql set search_path = ''
as $$
declare
  request public.exports;
begin
  request.type := create_export_schedule.type;
  request.format := create_export_schedule.format;
  request.marketplace_id := create_export_schedule.marketplace_id;
  request.supplier_id := create_export_schedule.supplier_id;
  request.category := create_export_schedule.category;
  request.currency := create_export_schedule.currency;
  request."by" := create_export_schedule."by";
  request.bom := create_export_schedule.bom;
  request.email := create_export_schedule.email;
  return private.create_export_schedule(request, create_export_schedule.period, create_export_schedule.every);
end
$$;
comment on function public.create_export_schedule is
  'For admins, clients and suppliers: queues an export each day, week or month, when the tenant''s day begins. Returns the schedule. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR and LIMIT_REACHED.';

create function private.scheduled_scope(schedule public.export_schedules) returns private.analytics_scope
language sql stable security definer set search_path = ''
as $$
  select row(
    schedule.tenant_id, private.time_zone_of(schedule.tenant_id), schedule.marketplace_id, schedule.supplier_id,
    case when schedule.category is not null then private.category_branch(schedule.tenant_id, schedule.category) end
  )::private.analytics_scope
  from public.members m
  where m.tenant_id = schedule.tenant_id and m.user_id = schedule.asked_by and m.status = 'active'
    and (private.reads_all(m.role) or m.role = 'supplier' and m.supplier_id = schedule.supplier_id)
$$;
comment on function private.scheduled_scope is
  'The scope of a schedule''s exports; null if its maker may no longer see such rows.';

create function private.run_export_schedule(schedule public.export_schedules) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  scope private.analytics_scope := private.scheduled_scope(schedule);
  request public.exports;
  problem text;
  refusal text;
  details text;
  state text;
  time_zone text := private.time_zone_of(schedule.tenant_id);
  -- Counted from when the export was due, and not from now, so that no day is left out after an outage.
  due_at timestamptz := coalesce(schedule.delayed_from, schedule.next_at);
  is_delayed boolean := false;
begin
  begin
    if scope.tenant_id is null then
      perform private.refuse('FORBIDDEN', 'The member who made the schedule may no longer see these rows.');
    end if;
    request := jsonb_populate_record(request, to_jsonb(schedule) - '{id,created_at}'::text[]);
    perform private.enqueue_export(
      private.check_export(request), scope,
      private.export_period(
        request.type, time_zone, schedule.period, null, null, run_on => (due_at at time zone time_zone)::date
      )
    );
  exception
    -- A schedule that is refused, or that takes too long, must not stop the others.
    when query_canceled or others then
      get stacked diagnostics
        problem = pg_exception_hint, refusal = message_text, details = pg_exception_detail, state = returned_sqlstate;
      problem := coalesce(nullif(problem, ''), sqlerrm);
      -- All schedules of a tenant are due at midnight, and there may be more of them than exports may wait. An error that is
      -- no refusal, such as a deadlock or a time limit, may be gone then, too.
      is_delayed := state not like 'PT%' or refusal = 'CONFLICT'
        or refusal = 'LIMIT_REACHED' and details::jsonb ->> 'cap' = 'exports_waiting';
  end;
  update public.export_schedules s
  set last_at = now(), last_error = problem,
      delayed_from = case when is_delayed then due_at end,
      next_at = case
        when is_delayed then now() + interval '5 minutes'
        else private.next_export_at(schedule.every, time_zone, due_at)
      end
  where s.id = schedule.id;
end
$$;
comment on function private.run_export_schedule is
  'Queues the export of a schedule for the period before it was due, and sets when the next one is due: at once if that time has passed, and in five minutes if too many exports wait or the export could not be queued for another passing reason.';

create function private.run_export_schedules() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.run_export_schedule(s)
  from (
    select due.*
    from public.export_schedules due
    where due.next_at <= now()
    order by due.next_at
    limit 100
    for update skip locked
  ) as s;
end
$$;
comment on function private.run_export_schedules() is 'Queues the exports of schedules that are due, at most 100.';

create function private.time_export_schedules() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.export_schedules s
  set delayed_from = null,
      next_at = private.next_export_at(
        s.every, new.time_zone,
        case
          when s.last_at is null then now()
          -- The first time that is in no file yet.
          else (
            date_trunc(s.every::text, coalesce(s.delayed_from, s.next_at) at time zone old.time_zone)
            - ('1 ' || s.every)::interval
          ) at time zone old.time_zone
        end
      )
  where s.tenant_id = new.id;
  return null;
end
$$;
comment on function private.time_export_schedules() is
  'Row trigger: after a tenant''s new time zone, its schedules continue with the day, week or month in which their last export ended.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.export_schedules
  for each row execute function private.keep_nfc();

create trigger tenants_time_export_schedules
  after update of time_zone on public.tenants
  for each row when (new.time_zone <> old.time_zone)
  execute function private.time_export_schedules();

-- policies -------------------------------------------------------------------------------------

alter table public.export_schedules enable row level security;

create policy "Admins see all schedules, clients and suppliers their own" on public.export_schedules
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.shows_export(
      (select private.tenant_role()), (select auth.uid()), (select private.supplier_id()), asked_by, supplier_id
    )
  );

create policy "Members delete the schedules that they see" on public.export_schedules
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.shows_export(
      (select private.tenant_role()), (select auth.uid()), (select private.supplier_id()), asked_by, supplier_id
    )
  );

-- grants ---------------------------------------------------------------------------------------

grant select, delete on public.export_schedules to authenticated;
grant all on public.export_schedules to service_role;
grant execute on function private.create_export_schedule, public.create_export_schedule to authenticated;

-- supabase/schemas/content/1200_content_types.sql

-- Content types. Every tenant has three from the start: products, categories and static_pages. It can add its own, with
-- fields that it defines. The workflow of a type says which content role makes which move.

create type public.content_status as enum ('draft', 'in_review', 'approved', 'published', 'archived');

-- tables ---------------------------------------------------------------------------------------

create table private.content_move_rules (
  move text not null,
  from_status public.content_status not null,
  to_status public.content_status not null,
  role text not null,
  constraint content_move_rules_pkey primary key (move, from_status)
);
comment on table private.content_move_rules is
  'The moves of content: from which status to which, and the content role that makes each. The workflow of a type can name another role. Admins make every move.';

create table public.content_types (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  key text collate "C" not null,
  name text not null,
  fields jsonb not null default '[]',
  workflow jsonb not null default '[]',
  built_in boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint key_is_unique_in_content_types unique (tenant_id, key),
  constraint content_types_key_is_small_letters_digits_and_underscores check (key ~ '^[a-z][a-z0-9_]{0,49}$'),
  constraint content_types_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint content_types_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.content_types is
  'The content types of a tenant. fields: name, type, required, validation, default_value of each. workflow: the steps that say which role makes which move. built_in: every tenant has it, and nobody can delete it.';
alter table public.content_types replica identity full;

-- functions: permissions -------------------------------------------------------------------------

create function private.content_roles() returns text[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select case
      when m.role = 'admin' or 'admin' = any (m.content_roles) then array['editor', 'reviewer', 'publisher', 'admin']
      else m.content_roles
    end
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
      and not private.reads_as_customer()
  ), '{}');
end
$$;
comment on function private.content_roles() is
  'The caller''s content roles: editor, reviewer, publisher, admin. Admins of the tenant have all four; readers have none, and neither has anybody if private.reads_as_customer().';

create function private.insist_on_content_admin() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not 'admin' = any (private.content_roles()) then
    perform private.refuse(
      'FORBIDDEN', 'Only admins and members with the content role admin may change content types.'
    );
  end if;
end
$$;
comment on function private.insist_on_content_admin() is
  'Refuses a caller who is not an admin and has not the content role admin, with FORBIDDEN.';

-- functions: fields --------------------------------------------------------------------------------

create function private.check_field_value(definition jsonb, value jsonb, field text) returns void
language plpgsql set search_path = ''
as $$
declare
  rules jsonb := coalesce(nullif(definition -> 'validation', 'null'), '{}');
  amount numeric;
begin
  case definition ->> 'type'
    when 'string' then
      perform private.insist(
        private.is_text(
          value, coalesce((rules ->> 'min_length')::integer, 0), coalesce((rules ->> 'max_length')::integer, 10000)
        ),
        field, format(
          'a text of %s to %s characters', coalesce(rules ->> 'min_length', '0'), coalesce(rules ->> 'max_length', '10000')
        ), value
      );
    when 'number' then
      perform private.insist(
        jsonb_typeof(value) = 'number' and private.has_short_numbers(value), field, 'a number', value
      );
      amount := (value #>> '{}')::numeric;
      perform private.insist(
        amount >= coalesce((rules ->> 'min')::numeric, amount), field, format('at least %s', rules ->> 'min'), value
      );
      perform private.insist(
        amount <= coalesce((rules ->> 'max')::numeric, amount), field, format('at most %s', rules ->> 'max'), value
      );
    when 'boolean' then
      perform private.insist(jsonb_typeof(value) = 'boolean', field, 'true or false', value);
    when 'array' then
      perform private.insist(jsonb_typeof(value) = 'array' and private.has_short_numbers(value), field, 'a list', value);
    when 'object' then
      perform private.insist(jsonb_typeof(value) = 'object' and private.has_short_numbers(value), field, 'an object', value);
    when 'image' then
      perform private.insist_on_keys(value, field, array['asset_id', 'alt']);
      perform private.insist(
        private.is_uuid(value ->> 'asset_id'), field || '.asset_id', 'the id of an asset', value -> 'asset_id'
      );
      perform private.insist(
        not value ? 'alt' or value -> 'alt' = 'null' or private.is_text(value -> 'alt', 0, 500), field || '.alt',
        'a text of at most 500 characters', value -> 'alt'
      );
    when 'color' then
      perform private.insist(private.is_text(value, 7, 7, '^#[0-9A-Fa-f]{6}$'), field, 'a color like #1a2b3c', value);
    when 'date' then
      perform private.insist(
        private.is_text(value, 10, 10, '^\d{4}-\d{2}-\d{2}$') and private.time_of((value #>> '{}') || 'T00:00Z') is not null,
        field, 'a date such as 2026-01-01', value
      );
  end case;
  if rules ? 'options' then
    perform private.insist(
      rules -> 'options' @> jsonb_build_array(value), field,
      'one of ' || (select string_agg(o.value #>> '{}', ', ') from jsonb_array_elements(rules -> 'options') as o), value
    );
  end if;
end
$$;
comment on function private.check_field_value is
  'Refuses a value that does not fit the type or the validation of its field, with VALIDATION_ERROR.';

create function private.check_validation(rules jsonb, type text, field text) returns void
language plpgsql set search_path = ''
as $$
declare
  rule record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist_on_keys(
    rules, field,
    case type
      when 'string' then array['min_length', 'max_length', 'options']
      when 'number' then array['min', 'max', 'options']
      else array[]::text[]
    end
  );
  for rule in select r.key, r.value from jsonb_each(rules) as r loop
    case rule.key
      when 'options' then
        faults := faults || private.fault_unless(
          case
            when jsonb_typeof(rule.value) = 'array' then jsonb_array_length(rule.value) between 1 and 100
              and not exists (
                select from jsonb_array_elements(rule.value) as o
                where jsonb_typeof(o.value) <> type or char_length(o.value #>> '{}') > 200
              )
          end,
          field || '.options', format('a list of 1 to 100, each a %s', type), rule.value
        );
      when 'min_length', 'max_length' then
        faults := faults || private.fault_unless(
          jsonb_typeof(rule.value) = 'number' and (rule.value #>> '{}') ~ '^\d{1,5}$', field || '.' || rule.key,
          'a whole number from 0 to 99999', rule.value
        );
      else
        faults := faults || private.fault_unless(
          jsonb_typeof(rule.value) = 'number' and private.has_short_numbers(rule.value), field || '.' || rule.key,
          'a number', rule.value
        );
    end case;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_validation is 'Refuses rules that this type of field does not have.';

create function private.content_field_faults(definition jsonb, field text) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  rules jsonb := coalesce(nullif(definition -> 'validation', 'null'), '{}');
  value jsonb := nullif(definition -> 'default_value', 'null');
  faults jsonb := '[]'::jsonb;
  is_typed boolean :=
    definition ->> 'type' in ('string', 'number', 'boolean', 'array', 'object', 'image', 'color', 'date');
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_keys(definition, field, array['name', 'type', 'required', 'validation', 'default_value']);
  faults := private.fault_unless(
    private.is_text(definition -> 'name', 1, 50, '^[a-z][a-z0-9_]*$'), field || '.name',
    'up to 50 small letters, digits and underscores', definition -> 'name'
  ) || private.fault_unless(
    is_typed, field || '.type', 'one of string, number, boolean, array, object, image, color, date', definition -> 'type'
  ) || private.fault_unless(
    jsonb_typeof(coalesce(definition -> 'required', 'false')) = 'boolean', field || '.required', 'true or false',
    definition -> 'required'
  );
  if is_typed is not true then
    return faults;
  end if;
  begin
    perform private.check_validation(rules, definition ->> 'type', field || '.validation');
  exception
    when sqlstate 'PT422' then
      get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
      faults := faults || private.faults_in(code, reason, detail);
      -- Wrong rules cannot be applied.
      rules := '{}';
  end;
  if value is not null then
    perform private.check_field_value(
      definition || jsonb_build_object('validation', rules), value, field || '.default_value'
    );
  end if;
  return faults;
exception
  when sqlstate 'PT422' then
    get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
    return faults || private.faults_in(code, reason, detail);
end
$$;
comment on function private.content_field_faults is 'What is wrong in the definition of a field of a type.';

create function private.check_content_fields(fields jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist(
    case when jsonb_typeof(fields) = 'array' then jsonb_array_length(fields) <= 100 end,
    'fields', 'a list of at most 100', fields
  );
  for entry in
    select f.value, format('fields[%s]', f.position - 1) as field
    from jsonb_array_elements(fields) with ordinality as f (value, position)
  loop
    faults := faults || private.content_field_faults(entry.value, entry.field);
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct f.value ->> 'name') = count(*) from jsonb_array_elements(fields) as f (value)),
    'fields', 'a list without duplicate names', fields
  );
end
$$;
comment on function private.check_content_fields is 'Refuses wrong definitions of a type''s fields. Names the wrong ones.';

create function private.check_workflow(steps jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  step record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(
    case when jsonb_typeof(steps) = 'array' then jsonb_array_length(steps) <= 20 end,
    'steps', 'a list of at most 20', steps
  );
  for step in
    select s.value, format('steps[%s]', s.position - 1) as field
    from jsonb_array_elements(steps) with ordinality as s (value, position)
  loop
    begin
      perform private.insist_on_keys(
        step.value, step.field, array['id', 'name', 'assignee_role', 'required_actions', 'auto_transition']
      );
      perform private.insist(
        private.is_text(step.value -> 'id', 1, 50, '^[A-Za-z0-9_-]+$'), step.field || '.id',
        'up to 50 letters, digits, _ and -', step.value -> 'id'
      );
      perform private.insist(
        private.is_name(step.value -> 'name', 200), step.field || '.name', 'a text of 1 to 200 characters, one of them visible',
        step.value -> 'name'
      );
      perform private.insist(
        step.value ->> 'assignee_role' in ('editor', 'reviewer', 'publisher', 'admin'), step.field || '.assignee_role',
        'one of editor, reviewer, publisher, admin', step.value -> 'assignee_role'
      );
      perform private.insist(
        case when jsonb_typeof(step.value -> 'required_actions') = 'array' then
          jsonb_array_length(step.value -> 'required_actions') > 0 and not exists (
            select from jsonb_array_elements(step.value -> 'required_actions') as a
            where not exists (select from private.content_move_rules r where to_jsonb(r.move) = a.value)
          )
        end,
        step.field || '.required_actions', 'a list of moves, such as approve', step.value -> 'required_actions'
      );
      perform private.insist(
        jsonb_typeof(coalesce(step.value -> 'auto_transition', 'false')) = 'boolean'
          and (coalesce(step.value -> 'auto_transition', 'false') = 'false'
            or step.value -> 'required_actions' in ('["approve"]', '["publish"]')),
        step.field || '.auto_transition', 'true only if the step''s one action is approve or publish',
        step.value -> 'auto_transition'
      );
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct s.value ->> 'id') = count(*) from jsonb_array_elements(steps) as s (value))
      and not exists (
        select a.value
        from jsonb_array_elements(steps) as s (value)
        cross join lateral jsonb_array_elements(s.value -> 'required_actions') as a (value)
        group by a.value
        having count(*) > 1
      ),
    'steps', 'a list in which each id and each move occurs once', steps
  );
end
$$;
comment on function private.check_workflow is
  'Refuses wrong steps of a workflow. content_move_rules applies to a move that no step names.';

create function private.check_content_type() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.bound_record(
    octet_length(new.fields::text) + octet_length(new.workflow::text), 0.1,
    'The fields and the workflow of this content type are too large.'
  );
  perform private.check_content_fields(new.fields);
  perform private.check_workflow(new.workflow);
  if tg_op = 'INSERT' and not new.built_in and (
    select count(*) >= private.cap('content_types_per_tenant')
    from public.content_types t where t.tenant_id = new.tenant_id
  ) then
    perform private.refuse_beyond('content_types_per_tenant', 'The tenant has the maximum number of content types.');
  end if;
  return new;
end
$$;
comment on function private.check_content_type() is 'Row trigger: checks the fields and the workflow of a content type, and the number of types.';

create function private.open_content_types() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.content_types (tenant_id, key, name, built_in)
  values
    (new.id, 'products', 'Products', true), (new.id, 'categories', 'Categories', true),
    (new.id, 'static_pages', 'Static pages', true);
  return null;
end
$$;
comment on function private.open_content_types() is 'Row trigger: gives a new tenant the built-in content types.';

-- functions: the API -------------------------------------------------------------------------------

create function private.content_type_of(key text) returns public.content_types
language plpgsql stable security definer set search_path = ''
as $$
declare
  type public.content_types;
begin
  -- members_only would let everybody pass: this function runs as its owner.
  if private.tenant_id() is null then
    perform private.refuse('FORBIDDEN', 'You are not an active member of this tenant.');
  end if;
  select * into type
  from public.content_types t
  where t.tenant_id = private.tenant_id() and t.key = content_type_of.key;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such content type.');
  end if;
  return type;
end
$$;
comment on function private.content_type_of is 'A content type of the caller''s tenant, by its key. Errors: NOT_FOUND; FORBIDDEN for a caller who is no longer a member.';

create function public.create_content_type(key text, name text, fields jsonb default '[]') returns jsonb
language plpgsql set search_path = ''
as $$
declare
  made public.content_types;
begin
  perform private.insist_on_content_admin();
  insert into public.content_types (tenant_id, key, name, fields)
  values (private.tenant_id(), create_content_type.key, create_content_type.name, create_content_type.fields)
  returning * into made;
  return to_jsonb(made);
end
$$;
comment on function public.create_content_type is
  'For admins: creates a content type and returns its record. Errors: CONFLICT if the key is taken, VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN.';

create function public.update_content_type(key text, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  type public.content_types := private.content_type_of(update_content_type.key);
begin
  perform private.insist_on_content_admin();
  perform private.known_only(changes, array['name', 'fields', 'workflow']);
  update public.content_types t
  set name = case when changes ? 'name' then changes ->> 'name' else t.name end,
      fields = case when changes ? 'fields' then changes -> 'fields' else t.fields end,
      workflow = case when changes ? 'workflow' then changes -> 'workflow' else t.workflow end
  where t.id = type.id
  returning * into type;
  return to_jsonb(type);
end
$$;
comment on function public.update_content_type is
  'For admins: changes the name, fields and workflow of a content type, also of a built-in one, and returns its record. Content keeps the values of a removed field until somebody changes them. Errors: NOT_FOUND, VALIDATION_ERROR, FORBIDDEN.';

create function public.delete_content_type(key text) returns void
language plpgsql set search_path = ''
as $$
declare
  type public.content_types := private.content_type_of(delete_content_type.key);
begin
  perform private.insist_on_content_admin();
  if type.built_in then
    perform private.refuse('CONFLICT', 'A built-in content type cannot be deleted.');
  end if;
  delete from public.content_types t where t.id = type.id;
exception
  when foreign_key_violation then
    perform private.refuse('CONFLICT', 'This content type still has content. Delete the content first.');
end
$$;
comment on function public.delete_content_type is
  'For admins: deletes a content type. Errors: CONFLICT if it is built in or still has content, NOT_FOUND, FORBIDDEN.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.content_types
  for each row execute function private.keep_nfc();

create trigger content_types_check
  before insert or update of fields, workflow on public.content_types
  for each row execute function private.check_content_type();

create trigger content_types_touch
  before update on public.content_types
  for each row execute function private.touch();

create trigger tenants_open_content_types
  after insert on public.tenants
  for each row execute function private.open_content_types();

-- policies -------------------------------------------------------------------------------------

alter table private.content_move_rules enable row level security;
alter table public.content_types enable row level security;

create policy "Members see their tenant's content types" on public.content_types
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Content admins create types" on public.content_types
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and 'admin' = any ((select private.content_roles())::text[]));

create policy "Content admins change types" on public.content_types
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and 'admin' = any ((select private.content_roles())::text[]))
  with check (tenant_id = (select private.tenant_id()) and 'admin' = any ((select private.content_roles())::text[]));

create policy "Content admins delete their own types" on public.content_types
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id()) and not built_in
    and 'admin' = any ((select private.content_roles())::text[])
  );

-- grants ---------------------------------------------------------------------------------------

grant select, delete, insert (tenant_id, key, name, fields), update (name, fields, workflow) on public.content_types to authenticated;
grant all on public.content_types to service_role;
grant execute on function
  private.content_roles(), private.insist_on_content_admin(), private.content_type_of
to authenticated, service_role;
grant execute on function
  public.create_content_type, public.update_content_type, public.delete_content_type
to authenticated;

-- supabase/schemas/content/1205_content_documents.sql

-- The rules for the parts of a document: rich texts and blocks. The edge functions report each wrong node and mark, and
-- drop unknown attributes. The rules here apply to every caller, also to one who calls these functions through REST.

-- tables ---------------------------------------------------------------------------------------

create table private.rich_text_nodes (
  node text primary key,
  attributes text[] not null,
  holds text[] not null
);
comment on table private.rich_text_nodes is
  'The nodes of a rich text, which is a ProseMirror document: the attributes of each, and the nodes that it may contain.';

-- functions: values ------------------------------------------------------------------------------

create function private.is_safe_link(address text) returns boolean
language sql immutable
-- http and https without user information before the host, which misleads readers; mailto; or a relative address. A relative
-- address has no colon before the first of / ? #, and names no host.
return char_length(address) between 1 and 2048
  and address ~* '^(https?://[^\s\\/?#@]+([/?#]|$)|mailto:[^\s\\]+@|(?!//)[^\s\\:/?#]*($|[/?#]))[^\s\\]*$'
  and address !~ '[\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]';
comment on function private.is_safe_link is
  'Whether a link may have this address: http, https, mailto, or relative.';

create function private.is_optional_text(value jsonb, longest integer) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(value, 'null') = 'null' or private.is_text(value, 0, longest)
$$;
comment on function private.is_optional_text is 'Whether a JSON value is null, missing, or a text of at most `longest` characters.';

create function private.is_whole_number(value jsonb, lowest integer, highest integer) returns boolean
language sql immutable set search_path = ''
as $$
  select case
    when coalesce(value, 'null') = 'null' then true
    else jsonb_typeof(value) = 'number' and value #>> '{}' ~ '^\d{1,9}$' and (value #>> '{}')::integer between lowest and highest
  end
$$;
comment on function private.is_whole_number is 'Whether a JSON value is null, missing, or a whole number from lowest to highest.';

-- functions: rich text ---------------------------------------------------------------------------

create function private.attribute_is_right(name text, value jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  select value = 'null' or case name
    when 'level' then private.is_whole_number(value, 1, 6)
    when 'start' then private.is_whole_number(value, 0, 1000000)
    when 'colspan' then private.is_whole_number(value, 1, 100)
    when 'rowspan' then private.is_whole_number(value, 1, 100)
    when 'language' then private.is_text(value, 1, 50, '^[A-Za-z0-9_+#.-]+$')
    when 'asset_id' then jsonb_typeof(value) = 'string' and private.is_uuid(value #>> '{}')
    when 'src' then private.is_text(value, 1, 2048) and value #>> '{}' !~* '^mailto:' and private.is_safe_link(value #>> '{}')
    when 'href' then private.is_text(value, 1, 2048) and private.is_safe_link(value #>> '{}')
    when 'alt' then private.is_text(value, 0, 500)
    when 'title' then private.is_text(value, 0, 500)
    when 'target' then value in ('"_blank"', '"_self"')
    when 'rel' then private.is_text(value, 0, 100, '^((noopener|noreferrer|nofollow|sponsored|ugc) ?)*$')
    when 'ref' then jsonb_typeof(value) = 'object'
      and private.is_text(value -> 'type', 1, 50, '^[a-z][a-z0-9_]*$') and private.is_text(value -> 'id', 1, 200)
      and not exists (select from jsonb_object_keys(value) as k where k not in ('type', 'id'))
    else false
  end
$$;
comment on function private.attribute_is_right is
  'Whether the value of an attribute of a node or link is allowed. False for an unknown attribute.';

create function private.mark_is_right(mark jsonb) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  if jsonb_typeof(mark) <> 'object' or mark - array['type', 'attrs'] <> '{}' then
    return false;
  elsif mark ->> 'type' in ('bold', 'italic', 'strike', 'underline', 'code') then
    return coalesce(mark -> 'attrs', '{}') in ('{}', 'null');
  elsif mark -> 'type' is distinct from '"link"' or jsonb_typeof(mark -> 'attrs') is distinct from 'object' then
    return false;
  end if;
  return not exists (
    select from jsonb_each(mark -> 'attrs') as a
    where a.key not in ('href', 'target', 'rel', 'ref') or private.attribute_is_right(a.key, a.value) is not true
  );
end
$$;
comment on function private.mark_is_right is 'Whether a mark is known and has only its own attributes.';

create function private.rich_text_fault(node jsonb, inside text) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  kind private.rich_text_nodes;
  mark jsonb;
begin
  if jsonb_typeof(node) <> 'object' then
    return 'a node, such as {"type": "paragraph"}';
  end if;
  -- A long text has thousands of nodes. Queries run only for nodes that have the part in question.
  select n.* into kind
  from private.rich_text_nodes n
  where n.node = rich_text_fault.node ->> 'type'
    and case when inside is null then n.node = 'doc'
      else n.node = any ((select i.holds from private.rich_text_nodes i where i.node = inside)::text[])
    end;
  if not found then
    return format('a node that is allowed in %s', coalesce(inside, 'a rich text'));
  end if;
  if node - array['type', 'attrs', 'content', 'marks', 'text'] <> '{}' then
    return 'a node without keys other than type, attrs, content, marks and text';
  end if;
  if (kind.node = 'text') <> (node ? 'text') or node ? 'text' and not private.is_text(node -> 'text', 1, 100000)
    or node ? 'text' and node ? 'content'
  then
    return 'a text node with a text, or another node without one';
  end if;
  if coalesce(node -> 'attrs', 'null') not in ('null', '{}') then
    if jsonb_typeof(node -> 'attrs') <> 'object' or exists (
      select from jsonb_each(node -> 'attrs') as a
      where a.key <> all (kind.attributes) or private.attribute_is_right(a.key, a.value) is not true
    ) then
      return 'a node with known attributes and allowed values';
    end if;
  end if;
  if node ? 'marks' then
    if jsonb_typeof(node -> 'marks') <> 'array' then
      return 'a node whose marks are a list';
    end if;
    for i in 0 .. jsonb_array_length(node -> 'marks') - 1 loop
      mark := node -> 'marks' -> i;
      if not private.mark_is_right(mark) then
        return 'a node with known marks and safe links';
      end if;
    end loop;
  end if;
  return case when node ? 'content' and jsonb_typeof(node -> 'content') <> 'array' then 'a node whose content is a list' end;
end
$$;
comment on function private.rich_text_fault is 'The rule that a node breaks; null if it breaks none.';

create function private.check_rich_text(document jsonb, field text, before jsonb default null) returns void
language plpgsql stable set search_path = ''
as $$
declare
  fault record;
begin
  if document is null or document = 'null' then
    return;
  end if;
  perform private.insist(octet_length(document::text) <= 900000, field, 'a rich text of at most 900,000 bytes', null);
  with recursive node (path, depth, inside, value) as (
    select format('%s.content[%s]', field, c.position - 1), 2, document ->> 'type', c.value
    from jsonb_array_elements(
      case jsonb_typeof(document -> 'content') when 'array' then document -> 'content' else '[]' end
    ) with ordinality as c (value, position)
    -- Nodes that the text had before were checked then, whatever their position.
    where not exists (
      select from jsonb_array_elements(
        case jsonb_typeof(before -> 'content') when 'array' then before -> 'content' else '[]' end
      ) as k
      where k.value = c.value
    )
    union all
    select format('%s.content[%s]', n.path, c.position - 1), n.depth + 1, n.value ->> 'type', c.value
    from node n
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(n.value -> 'content') when 'array' then n.value -> 'content' else '[]' end
    ) with ordinality as c (value, position)
    where jsonb_typeof(n.value) = 'object' and n.depth <= 20
  )
  select n.path, f.rule into fault
  from (select field, 1, null, document union all select n.* from node n) as n (path, depth, inside, value)
  cross join lateral (
    -- A node and its list of nodes are two levels.
    select case when n.depth > 20 then 'at most 40 levels deep' else private.rich_text_fault(n.value, n.inside) end as rule
  ) as f
  where f.rule is not null
  limit 1;
  if found then
    perform private.insist(false, fault.path, fault.rule, null);
  end if;
end
$$;
comment on function private.check_rich_text is
  'Refuses a wrong rich text with VALIDATION_ERROR, and names the node. Null is allowed. before: the text as it was checked last.';

-- functions: blocks ------------------------------------------------------------------------------

create function private.check_shown_asset(value jsonb, field text, is_needed boolean, known text[]) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist_on_keys(value, field, known);
  perform private.insist(
    case when value -> 'asset_id' = 'null' or not value ? 'asset_id' then not is_needed
      else private.is_uuid(value ->> 'asset_id')
    end,
    field || '.asset_id', 'the id of an asset', value -> 'asset_id'
  );
  perform private.insist(
    private.is_optional_text(value -> 'alt', 500), field || '.alt', 'a text of at most 500 characters', value -> 'alt'
  );
  perform private.insist(
    private.is_optional_text(value -> 'title', 500), field || '.title', 'a text of at most 500 characters', value -> 'title'
  );
end
$$;
comment on function private.check_shown_asset is 'Refuses the content of a block or field that shows an asset, if it is wrong. is_needed: whether asset_id is required.';

create function private.check_product_grid(grid jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  query jsonb := grid -> 'query';
  keys constant text[] := array['search', 'category', 'price_min', 'price_max', 'supplier_id', 'brand', 'sort', 'order', 'limit'];
begin
  perform private.insist_on_keys(grid, field, array['product_ids', 'query']);
  perform private.insist((grid ? 'product_ids') <> (grid ? 'query'), field, 'an object with either product_ids or query', grid);
  if grid ? 'product_ids' then
    perform private.check_list(grid -> 'product_ids', field || '.product_ids', 36);
    perform private.insist(
      not exists (select from jsonb_array_elements_text(grid -> 'product_ids') as i where not private.is_uuid(i.value)),
      field || '.product_ids', 'a list of ids', grid -> 'product_ids'
    );
    return;
  end if;
  perform private.insist_on_keys(query, field || '.query', keys);
  perform private.insist(
    private.is_optional_text(query -> 'search', 200) and private.is_optional_text(query -> 'brand', 200)
      and private.is_uuid(coalesce(query ->> 'category', gen_random_uuid()::text))
      and private.is_uuid(coalesce(query ->> 'supplier_id', gen_random_uuid()::text))
      and coalesce(query ->> 'sort', 'name') in ('created_at', 'updated_at', 'name', 'price')
      and coalesce(query ->> 'order', 'asc') in ('asc', 'desc')
      and coalesce(query -> 'price_min', '0') >= '0' and coalesce(query -> 'price_max', '0') >= '0'
      and jsonb_typeof(coalesce(query -> 'price_min', '0')) = 'number'
      and jsonb_typeof(coalesce(query -> 'price_max', '0')) = 'number' and private.has_short_numbers(query)
      and private.is_whole_number(query -> 'limit', 1, 100),
    field || '.query', format('a query of products: %s (at most 100)', array_to_string(keys, ', ')), query
  );
end
$$;
comment on function private.check_product_grid is 'Refuses the content of a product grid that has neither a list of ids nor a query of products.';

create function private.check_block_content(type text, content jsonb, field text, before jsonb default null) returns void
language plpgsql stable set search_path = ''
as $$
declare
  entry record;
  list text := case type when 'gallery' then 'images' when 'testimonials' then 'items' end;
begin
  case type
    when 'text' then
      perform private.insist_on_keys(content, field, array['text']);
      perform private.check_rich_text(content -> 'text', field || '.text', before -> 'text');
    when 'image', 'video' then
      perform private.check_shown_asset(content, field, true, array['asset_id', 'alt', 'title']);
    when 'product_grid' then
      perform private.check_product_grid(content, field);
    when 'banner' then
      perform private.check_shown_asset(content - 'text' - 'href', field, false, array['asset_id', 'title']);
      perform private.insist(
        private.is_optional_text(content -> 'text', 2000), field || '.text', 'a text of at most 2000 characters', content -> 'text'
      );
      perform private.insist(
        coalesce(content -> 'href', 'null') = 'null'
          or jsonb_typeof(content -> 'href') = 'string' and private.is_safe_link(content ->> 'href'),
        field || '.href', 'an address: http, https, mailto or within the site', content -> 'href'
      );
    else
      perform private.insist_on_keys(content, field, array[list]);
      perform private.insist(
        case when jsonb_typeof(content -> list) = 'array' then jsonb_array_length(content -> list) <= 100 end,
        field || '.' || list, 'a list of at most 100', content -> list
      );
      for entry in
        select e.value, format('%s.%s[%s]', field, list, e.position - 1) as field
        from jsonb_array_elements(content -> list) with ordinality as e (value, position)
      loop
        if type = 'gallery' then
          perform private.check_shown_asset(entry.value, entry.field, true, array['id', 'asset_id', 'alt']);
        else
          perform private.insist_on_keys(entry.value, entry.field, array['id', 'author', 'text']);
          perform private.insist(
            private.is_text(entry.value -> 'author', 1, 200) and private.is_text(entry.value -> 'text', 1, 2000),
            entry.field, 'an author and a text', entry.value
          );
        end if;
      end loop;
  end case;
end
$$;
comment on function private.check_block_content is 'Refuses content that does not fit the type of its block. before: the content as it was checked last.';

create function private.check_block(block jsonb, field text, before jsonb default null) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist_on_keys(block, field, array['id', 'type', 'content', 'settings', 'permissions']);
  perform private.insist(
    private.is_text(block -> 'id', 1, 64, '^[A-Za-z0-9_-]+$'), field || '.id', 'up to 64 letters, digits, _ and -', block -> 'id'
  );
  perform private.insist(
    block ->> 'type' in ('text', 'image', 'video', 'gallery', 'product_grid', 'banner', 'testimonials'), field || '.type',
    'one of text, image, video, gallery, product_grid, banner, testimonials', block -> 'type'
  );
  perform private.insist(jsonb_typeof(block -> 'content') = 'object', field || '.content', 'an object', block -> 'content');
  perform private.check_block_content(block ->> 'type', block -> 'content', field || '.content', before -> 'content');
  perform private.insist(
    jsonb_typeof(block -> 'settings') = 'object' and octet_length(block ->> 'settings') <= 20000
      and private.has_short_numbers(block -> 'settings'),
    field || '.settings', 'an object of at most 20,000 bytes', block -> 'settings'
  );
  perform private.insist_on_keys(block -> 'permissions', field || '.permissions', array['roles']);
  perform private.check_readers(block #> '{permissions,roles}', field || '.permissions.roles');
end
$$;
comment on function private.check_block is 'Refuses a wrong block. A block has id, type, content, settings and permissions; only permissions.roles see it.';

create function private.check_readers(roles jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  known constant text[] := enum_range(null::public.member_role)::text[];
begin
  perform private.insist(
    coalesce(roles, 'null') = 'null' or jsonb_typeof(roles) = 'array' and jsonb_array_length(roles) > 0 and not exists (
      select from jsonb_array_elements(roles) as r
      where r.value <> all (array(select to_jsonb(k.role) from unnest(known) as k (role)))
    ),
    field, 'a list of ' || array_to_string(known, ', '), roles
  );
end
$$;
comment on function private.check_readers is 'Refuses a list that holds anything but roles of a tenant. Null and a missing list mean all roles.';

-- policies -------------------------------------------------------------------------------------

alter table private.rich_text_nodes enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.is_safe_link, private.is_optional_text, private.is_whole_number,
  private.attribute_is_right, private.mark_is_right, private.rich_text_fault
to authenticated, service_role;

-- supabase/schemas/content/1210_content.sql

-- Content: its working draft and its published version. Callers who may see drafts read public.content. All others read
-- public.published_content, which holds nothing of a draft. The texts are in the private schema, because some of their
-- blocks are for certain roles only: functions return them.
--
--   content            one row for each piece of content: status, slug, schedule
--   content_branches   the working document of each branch; `main` is the one that is reviewed and published
--   published_content  one row for each published piece, with the document of each language in published_texts

create type public.translation_status as enum ('draft', 'in_progress', 'review', 'approved', 'published');
create type public.content_visibility as enum ('public', 'members', 'roles');

-- tables ---------------------------------------------------------------------------------------

create table public.content (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  type text not null,
  marketplace_id uuid not null,
  product_id uuid,
  category_id uuid,
  supplier_id uuid,
  language text not null,
  slug text not null,
  title jsonb not null,
  status public.content_status not null default 'draft',
  version_number integer not null default 1,
  last_version_number integer not null default 1,
  original_version_number integer not null default 1,
  published_version_number integer,
  scheduled_version_number integer,
  scheduled_languages text[],
  scheduled_at timestamptz,
  unpublish_at timestamptz,
  author_id uuid references auth.users (id) on delete set null,
  published_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint content_tenant_id_id_key unique (tenant_id, id),
  -- A lookup by slug seldom names the marketplace, so that column comes last.
  constraint slug_is_unique_in_content unique (tenant_id, type, slug, marketplace_id),
  constraint content_type_fkey foreign key (tenant_id, type) references public.content_types (tenant_id, key),
  constraint content_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint content_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint content_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id) on delete cascade,
  constraint content_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint content_type_is_that_of_its_subject
    check ((type = 'products') = (product_id is not null) and (type = 'categories') = (category_id is not null)),
  constraint content_slug_is_small_letters_digits_and_hyphens check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 200),
  constraint content_scheduled_at_is_set_with_its_version check ((scheduled_at is null) = (scheduled_version_number is null))
);
comment on table public.content is
  'A piece of content for callers who may see drafts: its status, and the slug and title of its draft. language: the language of the original. original_version_number: the last version that changed the original; older translations are outdated. last_version_number: the newest version of all branches.';

create table private.content_branches (
  tenant_id uuid not null,
  content_id uuid not null,
  name text not null,
  version_number integer not null,
  document jsonb not null,
  created_at timestamptz not null default now(),
  constraint content_branches_pkey primary key (tenant_id, content_id, name),
  constraint content_branches_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade,
  constraint content_branches_name_is_small_letters_digits_and_hyphens check (name ~ '^[a-z0-9][a-z0-9_-]{0,49}$')
);
comment on table private.content_branches is
  'The branches of a piece of content: the newest version of each, and its document.';

create table public.published_content (
  content_id uuid primary key,
  tenant_id uuid not null,
  type text not null,
  marketplace_id uuid not null,
  product_id uuid,
  category_id uuid,
  slug text not null,
  language text not null,
  languages text[] not null,
  title jsonb not null,
  visibility public.content_visibility not null,
  visible_to public.member_role[] not null default '{}',
  version_number integer not null,
  author_id uuid,
  created_at timestamptz not null,
  published_at timestamptz not null default now(),
  constraint published_content_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade,
  constraint slug_is_unique_in_published_content unique (tenant_id, type, slug, marketplace_id)
);
comment on table public.published_content is
  'What readers see: one row for each published piece of content. languages: the published ones, the original''s first. Functions return its texts.';
-- No constraint: to PostgREST, it would make published_content a single object, and not a list, of content.
create unique index published_content_tenant_idx on public.published_content (tenant_id, content_id);

create table private.published_texts (
  tenant_id uuid not null,
  content_id uuid not null,
  language text not null,
  version_number integer not null,
  document jsonb not null,
  translated jsonb not null,
  asset_ids uuid[] not null,
  links jsonb not null,
  bytes integer not null generated always as (octet_length(document::text)) stored,
  constraint published_texts_pkey primary key (tenant_id, content_id, language),
  constraint published_texts_content_id_fkey foreign key (tenant_id, content_id)
    references public.published_content (tenant_id, content_id) on delete cascade
);
comment on table private.published_texts is
  'The document of each published language. Untranslated fields already have the text of the fallback language. translated: the texts of this language only, from version_number. asset_ids, links: what the document refers to.';

create table private.former_slugs (
  tenant_id uuid not null,
  marketplace_id uuid not null,
  type text not null,
  slug text not null,
  content_id uuid not null,
  constraint former_slugs_pkey primary key (tenant_id, type, slug, marketplace_id),
  constraint former_slugs_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade
);
comment on table private.former_slugs is
  'The slugs under which content was published before. Each leads to its content until other content takes the slug.';

create table public.content_moves (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  content_id uuid not null,
  move text not null,
  from_status public.content_status not null,
  to_status public.content_status not null,
  version_number integer not null,
  actor_id uuid references auth.users (id) on delete set null,
  comment text,
  created_at timestamptz not null default clock_timestamp(),
  constraint content_moves_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade
);
comment on table public.content_moves is
  'Every move of content, with its actor and comment. actor_id is null for scheduled moves and automatic steps of the workflow. `edit` is the move of a save that returns content to draft.';

create table public.content_localizations (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  content_id uuid not null,
  language text not null,
  status public.translation_status not null default 'draft',
  translator_id uuid references auth.users (id) on delete set null,
  original_version_number integer not null,
  published_version_number integer,
  withdrawn_version_number integer,
  last_updated timestamptz not null default now(),
  constraint language_is_unique_in_content_localizations unique (content_id, language),
  constraint content_localizations_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade,
  constraint content_localizations_language_is_a_language check (private.is_language(language))
);
comment on table public.content_localizations is
  'The status of a translation. original_version_number: the version of the original that it was written or reviewed for. withdrawn_version_number: the version that was unpublished with the original, and returns with it. Its texts are part of the document, which functions return.';

alter table public.content replica identity full;
alter table public.published_content replica identity full;
alter publication supabase_realtime add table public.content, public.published_content;

-- indexes --------------------------------------------------------------------------------------

create unique index subject_id_is_unique_in_content on public.content (tenant_id, marketplace_id, coalesce(product_id, category_id));
create index content_list_idx on public.content (tenant_id, type, updated_at desc, id);
create index content_status_idx on public.content (tenant_id, type, status, updated_at desc, id);
create index content_supplier_idx on public.content (tenant_id, supplier_id);
create index content_author_id_idx on public.content (author_id);
create index content_scheduled_at_idx on public.content (scheduled_at) where scheduled_at is not null;
create index content_unpublish_at_idx on public.content (unpublish_at) where unpublish_at is not null;
create index content_product_idx on public.content (tenant_id, product_id);
create index content_category_idx on public.content (tenant_id, category_id);
create index published_content_list_idx on public.published_content (tenant_id, type, published_at desc, content_id);
create index published_content_product_idx on public.published_content (tenant_id, product_id);
create index published_content_category_idx on public.published_content (tenant_id, category_id);
create index former_slugs_content_id_idx on private.former_slugs (tenant_id, content_id);
create unique index content_moves_content_idx on public.content_moves (tenant_id, content_id, created_at desc, id);
alter table public.content_moves replica identity using index content_moves_content_idx;
create index content_moves_actor_id_idx on public.content_moves (actor_id);
create unique index content_localizations_content_idx on public.content_localizations (tenant_id, content_id, id);
alter table public.content_localizations replica identity using index content_localizations_content_idx;
create index content_localizations_translator_id_idx on public.content_localizations (translator_id);

-- functions: permissions -------------------------------------------------------------------------

create function private.roles_for(content public.content) returns text[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  roles text[] := private.content_roles();
begin
  if content.tenant_id is distinct from private.tenant_id() then
    return array[]::text[];
  end if;
  -- Suppliers write about their own products. They do not review or publish.
  return case
    when content.supplier_id = private.supplier_id() and not 'editor' = any (roles) then array_append(roles, 'editor')
    else roles
  end;
end
$$;
comment on function private.roles_for is 'The caller''s content roles for a piece of content. The supplier of the described product is an editor of it. Empty for a reader.';

create function private.insist_on_one(matches uuid[]) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if cardinality(matches) > 1 then
    perform private.refuse(
      'VALIDATION_ERROR', 'Several marketplaces have content with this slug. Send marketplace_id.', 'marketplace_id', 'null'
    );
  end if;
end
$$;
comment on function private.insist_on_one is 'Refuses a slug that content of several marketplaces has, with VALIDATION_ERROR on marketplace_id.';

create function private.draft_of(type text, id text, marketplace_id uuid default null) returns public.content
language plpgsql stable security definer set search_path = ''
as $$
declare
  found_content public.content;
  matches uuid[];
  tenant uuid := private.tenant_id();
  sees_all boolean := private.content_roles() <> '{}';
  own uuid := private.supplier_id();
begin
  perform private.content_type_of(type);
  -- Nearly all callers are readers.
  if not sees_all and own is null then
    return null;
  end if;
  if private.is_uuid(id) then
    select * into found_content
    from public.content c
    where c.tenant_id = tenant and c.type = draft_of.type and c.id = draft_of.id::uuid;
    if not found then
      select * into found_content
      from public.content c
      where c.tenant_id = tenant and c.type = draft_of.type
        and (c.product_id = draft_of.id::uuid or c.category_id = draft_of.id::uuid)
        and (draft_of.marketplace_id is null or c.marketplace_id = draft_of.marketplace_id)
      order by c.created_at, c.id
      limit 1;
    end if;
  else
    matches := array(
      select c.id
      from public.content c
      where c.tenant_id = tenant and c.type = draft_of.type and c.slug = draft_of.id
        and (draft_of.marketplace_id is null or c.marketplace_id = draft_of.marketplace_id)
        and (sees_all or c.supplier_id = own)
      limit 2
    );
    if matches = '{}' then
      -- The published slug may differ from the draft's.
      matches := array(
        select c.id
        from public.published_content p
        join public.content c on c.id = p.content_id
        where p.tenant_id = tenant and p.type = draft_of.type and p.slug = draft_of.id
          and (draft_of.marketplace_id is null or p.marketplace_id = draft_of.marketplace_id)
          and (sees_all or c.supplier_id = own)
        limit 2
      );
    end if;
    perform private.insist_on_one(matches);
    select * into found_content from public.content c where c.id = matches[1];
  end if;
  if found_content.id is null or private.roles_for(found_content) = '{}' then
    return null;
  end if;
  return found_content;
end
$$;
comment on function private.draft_of is
  'A piece of content whose draft the caller may see: by its id, the slug of its draft, its published slug, or the id of the product or category that it describes. Null if there is none.';

create function private.editable(type text, id text, role text) returns public.content
language plpgsql stable security definer set search_path = ''
as $$
declare
  content public.content := private.draft_of(type, id);
begin
  if content.id is null then
    -- FORBIDDEN for content that the caller can read; NOT_FOUND for all other content.
    if exists (select from private.seen_publication(type, id, null) as p where p.content_id is not null) then
      perform private.refuse('FORBIDDEN', 'Only members with a content role may change content.');
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  if role is not null and not array[role, 'admin'] && private.roles_for(content) then
    perform private.refuse('FORBIDDEN', format('This requires the content role %s.', role));
  end if;
  return content;
end
$$;
comment on function private.editable is
  'A piece of content that the caller may change with this content role. If role is null: whose draft the caller may see. Errors: NOT_FOUND, FORBIDDEN.';

create function private.edited(type text, id text, role text default 'editor') returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  content public.content := private.editable(type, id, role);
begin
  select * into content from public.content c where c.id = content.id for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  return content;
end
$$;
comment on function private.edited is 'As private.editable, and locks the piece of content until the transaction ends. Errors: NOT_FOUND, FORBIDDEN.';

create function private.is_published_for(content public.published_content) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return content.tenant_id = private.tenant_id() and private.is_of_visit(content.marketplace_id) and case content.visibility
    when 'public' then true
    when 'members' then not private.is_guest()
    when 'roles' then private.tenant_role() = any (content.visible_to) and not private.is_visit() or private.content_roles() <> '{}'
    else false
  end;
end
$$;
comment on function private.is_published_for is 'Whether the caller may read a published piece of content.';

create function private.seen_publication(type text, id text, marketplace_id uuid) returns public.published_content
language plpgsql stable security definer set search_path = ''
as $$
declare
  publication public.published_content;
  matches uuid[];
  tenant uuid := private.tenant_id();
begin
  if private.is_uuid(id) then
    select * into publication
    from public.published_content p
    where p.tenant_id = tenant and p.content_id = seen_publication.id::uuid and p.type = seen_publication.type;
    if not found and seen_publication.type in ('products', 'categories') then
      select * into publication
      from public.published_content p
      where p.tenant_id = tenant and p.type = seen_publication.type
        and (p.product_id = seen_publication.id::uuid or p.category_id = seen_publication.id::uuid)
        and (seen_publication.marketplace_id is null or p.marketplace_id = seen_publication.marketplace_id)
        and private.is_of_visit(p.marketplace_id)
      order by p.published_at, p.content_id
      limit 1;
    end if;
  else
    matches := array(
      select p.content_id
      from public.published_content p
      where p.tenant_id = tenant and p.type = seen_publication.type and p.slug = seen_publication.id
        and (seen_publication.marketplace_id is null or p.marketplace_id = seen_publication.marketplace_id)
        and private.is_of_visit(p.marketplace_id)
      limit 2
    );
    if matches = '{}' then
      matches := array(
        select f.content_id
        from private.former_slugs f
        where f.tenant_id = tenant and f.type = seen_publication.type and f.slug = seen_publication.id
          and (seen_publication.marketplace_id is null or f.marketplace_id = seen_publication.marketplace_id)
          and private.is_of_visit(f.marketplace_id)
        limit 2
      );
    end if;
    perform private.insist_on_one(matches);
    select * into publication from public.published_content p where p.content_id = matches[1];
  end if;
  if publication.content_id is null or not private.is_published_for(publication) then
    return null;
  end if;
  return publication;
end
$$;
comment on function private.seen_publication is
  'Published content that the caller may read: by its id, its slug, a former slug, or the id of the product or category that it describes. Null if there is none.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.content for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.content_moves
  for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.content_localizations
  for each row execute function private.keep_nfc();

create trigger content_check_status_move
  before update of status on public.content
  for each row execute function private.check_status_move();

-- policies -------------------------------------------------------------------------------------

alter table public.content enable row level security;
alter table private.content_branches enable row level security;
alter table public.published_content enable row level security;
alter table private.published_texts enable row level security;
alter table private.former_slugs enable row level security;
alter table public.content_moves enable row level security;
alter table public.content_localizations enable row level security;

create policy "Content roles see all content, suppliers that of their products" on public.content
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (cardinality((select private.content_roles())) > 0 or supplier_id = (select private.supplier_id()))
  );

create policy "Members see what is published for them" on public.published_content
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case visibility
      when 'public' then true
      when 'members' then not (select private.is_guest())
      when 'roles' then (select private.tenant_role()) = any (visible_to) or cardinality((select private.content_roles())) > 0
      else false
    end
  );

-- A scalar subquery looks up one piece of content, as for the variants of products.
create policy "Members who see a draft see its moves" on public.content_moves
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select true from public.content c where c.id = content_id));

create policy "Members who see a draft see its translations" on public.content_localizations
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select true from public.content c where c.id = content_id));

-- grants ---------------------------------------------------------------------------------------

-- Only functions write these tables: a row alone would be content without its texts.
grant select on public.content, public.published_content, public.content_moves, public.content_localizations
to authenticated, service_role;
revoke insert, update, delete, truncate on
  public.content, public.published_content, public.content_moves, public.content_localizations
from service_role;
grant execute on function
  private.roles_for, private.draft_of, private.editable, private.edited, private.is_published_for, private.seen_publication
to authenticated, service_role;

-- supabase/schemas/content/1212_content_counts.sql

-- The number of pieces of content. A list returns its total, and counting 100,000 rows would take longer than the rest of
-- the list. Each change adds a row with +1 or -1, and a job sums rows up. So no transaction waits for another one, and a
-- total is the sum of a few rows.

-- tables ---------------------------------------------------------------------------------------

create table private.content_counts (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  type text not null,
  marketplace_id uuid not null,
  status public.content_status,
  visibility public.content_visibility,
  visible_to public.member_role[],
  pieces integer not null,
  constraint content_counts_is_of_drafts_or_of_what_is_published check ((status is null) <> (visibility is null))
);
comment on table private.content_counts is
  'Changes of the number of pieces of content: by status, for editors, and by visibility, for readers. The sum is the current number.';
-- The whole row identifies it for replication, because it has no key.
alter table private.content_counts replica identity full;

-- indexes --------------------------------------------------------------------------------------

create index content_counts_tenant_idx on private.content_counts (tenant_id, type);

-- functions --------------------------------------------------------------------------------------

create function private.count_content() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  content public.content := case when tg_op = 'DELETE' then old else new end;
begin
  insert into private.content_counts (tenant_id, type, marketplace_id, status, pieces)
  select content.tenant_id, content.type, content.marketplace_id, c.status, c.pieces
  from unnest(
    array[case when tg_op <> 'INSERT' then old.status end, case when tg_op <> 'DELETE' then new.status end], array[-1, 1]
  ) as c (status, pieces)
  -- Nothing is counted while the tenant itself is deleted.
  where c.status is not null and exists (select from public.tenants t where t.id = content.tenant_id);
  return null;
end
$$;
comment on function private.count_content() is 'Row trigger: counts content by status.';

create function private.count_published_content() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' and exists (select from public.tenants t where t.id = old.tenant_id) then
    insert into private.content_counts (tenant_id, type, marketplace_id, visibility, visible_to, pieces)
    values (old.tenant_id, old.type, old.marketplace_id, old.visibility, old.visible_to, -1);
  end if;
  if tg_op <> 'DELETE' then
    insert into private.content_counts (tenant_id, type, marketplace_id, visibility, visible_to, pieces)
    values (new.tenant_id, new.type, new.marketplace_id, new.visibility, new.visible_to, 1);
  end if;
  return null;
end
$$;
comment on function private.count_published_content() is 'Row trigger: counts published content by visibility.';

create function private.number_of_drafts(
  type text default null, status public.content_status default null, marketplace_id uuid default null
) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select sum(c.pieces)
    from private.content_counts c
    where c.tenant_id = private.tenant_id()
      and c.status is not null
      and (number_of_drafts.type is null or c.type = number_of_drafts.type)
      and (number_of_drafts.status is null or c.status = number_of_drafts.status)
      and (number_of_drafts.marketplace_id is null or c.marketplace_id = number_of_drafts.marketplace_id)
  ), 0);
end
$$;
comment on function private.number_of_drafts is 'The number of pieces of content of the caller''s tenant, of a type, a status or a marketplace if one is given.';

create function private.number_of_published(type text, marketplace_id uuid default null) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select sum(c.pieces)
    from private.content_counts c
    where c.tenant_id = private.tenant_id()
      and c.type = number_of_published.type
      and case c.visibility
        when 'public' then true
        when 'members' then not private.is_guest()
        when 'roles' then private.tenant_role() = any (c.visible_to) and not private.is_visit()
        else false
      end
      and (number_of_published.marketplace_id is null or c.marketplace_id = number_of_published.marketplace_id)
      and private.is_of_visit(c.marketplace_id)
  ), 0);
end
$$;
comment on function private.number_of_published is 'The number of published pieces of content of a type that the caller may read.';

create function private.gather_content_counts() returns void
language sql security definer set search_path = ''
as $$
  -- A concurrent reader sees either the old rows or the new one.
  with gone as (
    delete from private.content_counts c
    where c.ctid = any (array(
      select w.ctid
      from private.content_counts w
      join (
        select m.tenant_id, m.type from private.content_counts m group by m.tenant_id, m.type having count(*) > 50 limit 1000
      ) as many on many.tenant_id = w.tenant_id and many.type = w.type
      for update of w skip locked
    ))
    returning c.*
  )
  insert into private.content_counts (tenant_id, type, marketplace_id, status, visibility, visible_to, pieces)
  select g.tenant_id, g.type, g.marketplace_id, g.status, g.visibility, g.visible_to, sum(g.pieces)
  from gone g
  group by g.tenant_id, g.type, g.marketplace_id, g.status, g.visibility, g.visible_to
  having sum(g.pieces) <> 0
$$;
comment on function private.gather_content_counts() is 'Replaces the rows of a type that has more than 50 by their sums.';

-- triggers -------------------------------------------------------------------------------------

create trigger content_count
  after insert or delete on public.content
  for each row execute function private.count_content();

create trigger content_count_status
  after update of status on public.content
  for each row when (old.status <> new.status)
  execute function private.count_content();

create trigger published_content_count
  after insert or delete on public.published_content
  for each row execute function private.count_published_content();

create trigger published_content_count_visibility
  after update of visibility, visible_to on public.published_content
  for each row when (old.visibility <> new.visibility or old.visible_to <> new.visible_to)
  execute function private.count_published_content();

-- policies -------------------------------------------------------------------------------------

alter table private.content_counts enable row level security;

-- supabase/schemas/content/1215_content_versions.sql

-- Versions of content: every save that changed something. They form a graph through their parents, and never change. A save
-- changes little of a long page, so a version stores only the bytes between the common beginning and the common end of its
-- document and its parent's. Every sixteenth version is stored whole, so reading a version takes at most 16 steps.

-- tables ---------------------------------------------------------------------------------------

create table private.content_versions (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  content_id uuid not null,
  version_number integer not null,
  parents integer[] not null,
  branch text not null,
  autosave boolean not null default false,
  author_id uuid references auth.users (id) on delete set null,
  comment text,
  changes text[] not null,
  asset_ids uuid[] not null,
  -- The version that this one is stored against, the number of bytes that both begin and end with, and the number of steps
  -- to a version that is stored whole.
  base_number integer,
  head_bytes integer not null default 0,
  tail_bytes integer not null default 0,
  steps smallint not null default 0,
  body bytea,
  bytes integer not null,
  created_at timestamptz not null default clock_timestamp(),
  -- In this order, because a version is read through the versions that it is stored against.
  constraint content_versions_pkey primary key (content_id, version_number, tenant_id),
  constraint content_versions_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade
);
comment on table private.content_versions is
  'The versions of each piece of content. changes: the paths that differ from the first parent. body: the document as JSON in UTF-8, without the common beginning and end of base_number; null for a version that was pruned, which stays in the graph. bytes: the size of the whole document.';

-- indexes --------------------------------------------------------------------------------------

create index content_versions_author_id_idx on private.content_versions (author_id);
create index content_versions_kept_idx on private.content_versions (content_id, version_number desc) where body is not null;

-- functions: storing -----------------------------------------------------------------------------

create function private.common_head(one bytea, other bytea) returns integer
language plpgsql immutable set search_path = ''
as $$
declare
  same integer := 0;
  most integer := least(octet_length(one), octet_length(other));
  middle integer;
begin
  while same < most loop
    middle := (same + most + 1) / 2;
    if substring(one from same + 1 for middle - same) = substring(other from same + 1 for middle - same) then
      same := middle;
    else
      most := middle - 1;
    end if;
  end loop;
  return same;
end
$$;
comment on function private.common_head is 'The number of equal bytes at the beginning of two texts.';

create function private.common_tail(one bytea, other bytea, most integer) returns integer
language plpgsql immutable set search_path = ''
as $$
declare
  same integer := 0;
  middle integer;
begin
  while same < most loop
    middle := (same + most + 1) / 2;
    if substring(one from octet_length(one) - middle + 1 for middle - same)
      = substring(other from octet_length(other) - middle + 1 for middle - same)
    then
      same := middle;
    else
      most := middle - 1;
    end if;
  end loop;
  return same;
end
$$;
comment on function private.common_tail is 'The number of equal bytes at the end of two texts, at most `most`.';

create function private.version_bytes(content_id uuid, version_number integer) returns bytea
language plpgsql stable security definer set search_path = ''
as $$
declare
  version private.content_versions;
  base bytea;
begin
  select * into version
  from private.content_versions v
  where v.content_id = version_bytes.content_id and v.version_number = version_bytes.version_number;
  if version.base_number is null then
    return version.body;
  end if;
  base := private.version_bytes(content_id, version.base_number);
  return substring(base from 1 for version.head_bytes) || version.body
    || substring(base from octet_length(base) - version.tail_bytes + 1);
end
$$;
comment on function private.version_bytes is 'The document of a version as JSON in UTF-8; null for a pruned version.';

create function private.version_document(content_id uuid, version_number integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return convert_from(private.version_bytes(content_id, version_number), 'utf8')::jsonb;
end
$$;
comment on function private.version_document is 'The document of a version; null for a pruned version.';

create function private.asset_ids_in(document jsonb) returns uuid[]
language sql immutable set search_path = ''
as $$
  select coalesce(array_agg(distinct (a #>> '{}')::uuid), '{}')
  from jsonb_path_query(document, 'strict $.**.asset_id') as a
  where jsonb_typeof(a) = 'string' and private.is_uuid(a #>> '{}')
$$;
comment on function private.asset_ids_in is 'The ids of the media assets that a document shows.';

create function private.store_version(
  content public.content, number integer, parents integer[], branch text, document jsonb, changes text[],
  comment text, autosave boolean
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  steps_at_most constant integer := 15;
  whole bytea := convert_to(document::text, 'utf8');
  base bytea;
  base_steps integer;
  head integer := 0;
  tail integer := 0;
begin
  if parents <> '{}' then
    base := private.version_bytes(content.id, store_version.parents[1]);
    base_steps := (
      select v.steps from private.content_versions v
      where v.content_id = content.id and v.version_number = store_version.parents[1]
    );
  end if;
  if base is not null and base_steps < steps_at_most then
    head := private.common_head(base, whole);
    tail := private.common_tail(base, whole, least(octet_length(base), octet_length(whole)) - head);
  end if;
  -- A version that shares little is stored whole.
  if head + tail < octet_length(whole) / 2 then
    base := null;
    head := 0;
    tail := 0;
  end if;
  insert into private.content_versions (
    tenant_id, content_id, version_number, parents, branch, autosave, author_id, comment, changes, asset_ids,
    base_number, head_bytes, tail_bytes, steps, body, bytes
  )
  values (
    content.tenant_id, content.id, number, parents, branch, autosave, auth.uid(), nullif(store_version.comment, ''),
    changes, private.asset_ids_in(document),
    case when base is not null and head + tail > 0 then parents[1] end, head, tail,
    case when base is not null and head + tail > 0 then base_steps + 1 else 0 end,
    substring(whole from head + 1 for octet_length(whole) - head - tail), octet_length(whole)
  );
end
$$;
comment on function private.store_version is 'Stores a document as a version.';

create function private.forget_version(content_id uuid, version_number integer) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- Versions that are stored against it are stored whole from now on.
  update private.content_versions v
  set body = private.version_bytes(v.content_id, v.version_number), base_number = null, head_bytes = 0, tail_bytes = 0, steps = 0
  where v.content_id = forget_version.content_id and v.base_number = forget_version.version_number;
  update private.content_versions v
  set body = null, base_number = null, head_bytes = 0, tail_bytes = 0, steps = 0
  where v.content_id = forget_version.content_id and v.version_number = forget_version.version_number;
end
$$;
comment on function private.forget_version is 'Prunes a version: removes its document and keeps its place in the graph.';

-- functions: the graph ---------------------------------------------------------------------------

create function private.versions_above(content_id uuid, version_number integer) returns setof integer
language sql stable security definer set search_path = ''
as $$
  with recursive above (number) as (
    select versions_above.version_number
    union
    select p.number
    from above a
    join private.content_versions v on v.content_id = versions_above.content_id and v.version_number = a.number
    cross join lateral unnest(v.parents) as p (number)
  )
  select a.number from above a
$$;
comment on function private.versions_above is 'A version and all its ancestors.';

create function private.common_version(content_id uuid, one integer, other integer) returns integer
language sql stable security definer set search_path = ''
as $$
  -- Numbers grow along the graph, so the largest common ancestor is the nearest.
  select max(a.number)
  from private.versions_above(content_id, one) as a (number)
  join private.versions_above(content_id, other) as b (number) on b.number = a.number
$$;
comment on function private.common_version is 'The nearest common ancestor of two versions.';

create function private.shown_versions(content public.content) returns setof integer
language sql stable security definer set search_path = ''
as $$
  select n.number
  from unnest(array[content.published_version_number, content.scheduled_version_number]) as n (number)
  where n.number is not null
  union
  select b.version_number from private.content_branches b where b.tenant_id = content.tenant_id and b.content_id = content.id
  union
  select coalesce(l.published_version_number, l.withdrawn_version_number)
  from public.content_localizations l
  where l.content_id = content.id and coalesce(l.published_version_number, l.withdrawn_version_number) is not null
$$;
comment on function private.shown_versions is
  'The versions in use: published, scheduled, heads of branches, and translations that return with their original.';

create function private.kept_versions(content public.content) returns setof integer
language sql stable security definer set search_path = ''
as $$
  select s from private.shown_versions(content) as s
  union
  select private.common_version(content.id, one.version_number, other.version_number)
  from private.content_branches one
  join private.content_branches other
    on other.tenant_id = one.tenant_id and other.content_id = one.content_id and other.name > one.name
  where one.tenant_id = content.tenant_id and one.content_id = content.id
$$;
comment on function private.kept_versions is
  'The versions that are never pruned: those in use, and the bases of merges between branches.';

create function private.prune_versions(content public.content) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  most bigint := coalesce(
    (select (t.settings #>> '{content,keep_versions}')::bigint from public.tenants t where t.id = content.tenant_id),
    private.cap('versions_per_content')
  );
begin
  if content.last_version_number <= most then
    return;
  end if;
  perform private.forget_version(content.id, v.version_number)
  from private.content_versions v
  where v.content_id = content.id
    and v.body is not null
    and v.version_number <= (
      select min(kept.version_number)
      from (
        select k.version_number from private.content_versions k
        where k.content_id = content.id and k.body is not null
        order by k.version_number desc
        limit most
      ) as kept
    ) - 1
    and v.version_number not in (select k from private.kept_versions(content) as k);
end
$$;
comment on function private.prune_versions is
  'Prunes the oldest versions of a piece of content beyond settings.content.keep_versions.';

-- functions: differences -------------------------------------------------------------------------

create function private.parts_of(document jsonb, other jsonb default null)
returns table (path text, value jsonb, place bigint)
language plpgsql immutable set search_path = ''
as $$
begin
  return query
    select d.key, d.value, null::bigint
    from jsonb_each(document) as d
    where d.key not in ('title', 'fields', 'seo', 'blocks', 'localizations') and d.value is distinct from other -> d.key
    union all
    select d.key || '.' || e.key, e.value, null
    from unnest(array['title', 'fields', 'seo']) as d (key)
    cross join lateral jsonb_each(document -> d.key) as e
    where document -> d.key is distinct from other -> d.key
    union all
    select 'blocks.' || (b.value ->> 'id'), b.value, b.position
    from jsonb_array_elements(
      case when document -> 'blocks' is distinct from other -> 'blocks' then document -> 'blocks' end
    ) with ordinality as b (value, position)
    union all
    select format('localizations.%s.%s', l.key, e.key), e.value, null
    from jsonb_each(document -> 'localizations') as l
    cross join lateral jsonb_each(l.value) as e
    where l.value is distinct from other -> 'localizations' -> l.key;
end
$$;
comment on function private.parts_of is
  'The parts of a document that a change can name, each with its path, and the position of each block. Parts that another document has as well are left out.';

create function private.changed_paths(before jsonb, after jsonb) returns text[]
language sql immutable set search_path = ''
as $$
  select coalesce(array_agg(path order by path), '{}')
  from (
    select coalesce(b.path, a.path) as path
    from private.parts_of(before, after) as b
    full join private.parts_of(after, before) as a on a.path = b.path
    where b.value is distinct from a.value or b.place is distinct from a.place
    order by 1
    limit 1000
  ) as changed
$$;
comment on function private.changed_paths is 'The first 1,000 paths that differ between two documents.';

-- policies -------------------------------------------------------------------------------------

alter table private.content_versions enable row level security;

-- supabase/schemas/content/1220_content_publication.sql

-- Publication. The transaction that publishes writes one whole document per language, with untranslated fields filled in.
-- So a reader needs one row.

-- functions: languages ---------------------------------------------------------------------------

create function private.translation_in(document jsonb, language text) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_strip_nulls(
    coalesce(document -> 'localizations' -> language, '{}') || jsonb_build_object('title', document -> 'title' -> language)
  )
$$;
comment on function private.translation_in is 'The texts of a translation in a document: title, content, seo, fields, blocks.';

create function private.original_in(document jsonb, language text) returns jsonb
language sql immutable set search_path = ''
as $$
  select (document - 'localizations') || jsonb_build_object('title', document -> 'title' -> language)
$$;
comment on function private.original_in is 'The original in a document, with its title as a text.';

create function private.with_translation(document jsonb, translation jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select document
    || case when translation ? 'title' then jsonb_build_object('title', translation -> 'title') else '{}' end
    || case when translation ? 'content' then jsonb_build_object('content', translation -> 'content') else '{}' end
    || jsonb_build_object(
      'seo', (document -> 'seo') || coalesce(translation -> 'seo', '{}'),
      'fields', (document -> 'fields') || coalesce(translation -> 'fields', '{}'),
      'blocks', (
        select coalesce(jsonb_agg(
          case when t.value is null then b.value
            else b.value || jsonb_build_object('content', (b.value -> 'content') || (t.value -> 'content'))
          end
          order by b.position
        ), '[]')
        from jsonb_array_elements(document -> 'blocks') with ordinality as b (value, position)
        left join jsonb_array_elements(coalesce(translation -> 'blocks', '[]')) as t (value)
          on t.value ->> 'id' = b.value ->> 'id'
      )
    )
$$;
comment on function private.with_translation is 'A document with the translated fields in place of the original ones.';

create function private.translation_alone(document jsonb, translation jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select document || jsonb_build_object(
    'title', translation -> 'title', 'content', translation -> 'content', 'seo', coalesce(translation -> 'seo', '{}'),
    'fields', (
      select coalesce(jsonb_object_agg(f.key, translation -> 'fields' -> f.key), '{}') from jsonb_each(document -> 'fields') as f
    ),
    'blocks', (
      select coalesce(jsonb_agg(b.value || jsonb_build_object('content', t.value -> 'content') order by b.position), '[]')
      from jsonb_array_elements(document -> 'blocks') with ordinality as b (value, position)
      left join jsonb_array_elements(coalesce(translation -> 'blocks', '[]')) as t (value)
        on t.value ->> 'id' = b.value ->> 'id'
    )
  )
$$;
comment on function private.translation_alone is 'A document in which untranslated fields are null.';

create function private.fitting_translation(translation jsonb, made_for jsonb, document jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select case when not translation ? 'blocks' then translation
    else translation || jsonb_build_object('blocks', (
      select coalesce(jsonb_agg(t.value order by t.position), '[]')
      from jsonb_array_elements(translation -> 'blocks') with ordinality as t (value, position)
      where not exists (
        select
        from jsonb_array_elements(made_for -> 'blocks') as m
        join jsonb_array_elements(document -> 'blocks') as b on b.value ->> 'id' = m.value ->> 'id'
        where m.value ->> 'id' = t.value ->> 'id' and m.value ->> 'type' <> b.value ->> 'type'
      )
    ))
  end
$$;
comment on function private.fitting_translation is
  'A translation without the texts of blocks that have another type in the document than in the one it was made for.';

create function private.languages_after(language text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  languages text[] := array[]::text[];
begin
  -- pt-BR, and then pt.
  while language <> '' loop
    languages := languages || language;
    language := substring(language from '^(.+)-[^-]*$');
  end loop;
  return languages;
end
$$;
comment on function private.languages_after is 'A language and its fallbacks, such as pt-BR and pt.';

-- functions: publishing --------------------------------------------------------------------------

create function private.links_in(document jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(distinct r), '[]')
  from jsonb_path_query(document, 'strict $.**.ref') as r
  where jsonb_typeof(r) = 'object'
$$;
comment on function private.links_in is 'The references of a document''s links to content, products and categories.';

create function private.write_published_text(
  content public.content, language text, version_number integer, document jsonb, translated jsonb
) returns void
language sql security definer set search_path = ''
as $$
  insert into private.published_texts (tenant_id, content_id, language, version_number, document, translated, asset_ids, links)
  values (
    content.tenant_id, content.id, language, version_number, document, translated, private.asset_ids_in(document),
    private.links_in(document)
  )
$$;
comment on function private.write_published_text is 'Writes the published document of one language.';

create function private.write_published_texts(content public.content) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  original jsonb := private.original_in(
    private.version_document(content.id, content.published_version_number), content.language
  );
  titles jsonb := jsonb_build_object(content.language, original -> 'title');
  spoken text[] := array[content.language];
  translation record;
  served jsonb;
  step jsonb;
begin
  delete from private.published_texts t where t.tenant_id = content.tenant_id and t.content_id = content.id;
  perform private.write_published_text(content, content.language, content.published_version_number, original, '{}');
  -- Shorter tags first: pt-BR falls back to pt.
  for translation in
    select l.language, l.published_version_number,
      private.fitting_translation(private.translation_in(v.document, l.language), v.document, original) as texts
    from public.content_localizations l
    cross join lateral private.version_document(content.id, l.published_version_number) as v (document)
    where l.content_id = content.id and l.published_version_number is not null
    order by char_length(l.language), l.language
  loop
    served := original;
    for step in
      select t.translated
      from private.published_texts t
      where t.tenant_id = content.tenant_id and t.content_id = content.id
        and t.language = any (private.languages_after(translation.language))
      order by char_length(t.language)
    loop
      served := private.with_translation(served, step);
    end loop;
    perform private.write_published_text(
      content, translation.language, translation.published_version_number,
      private.with_translation(served, translation.texts), translation.texts
    );
    spoken := spoken || translation.language;
    titles := titles || jsonb_strip_nulls(jsonb_build_object(translation.language, translation.texts -> 'title'));
  end loop;
  update public.published_content p set languages = spoken, title = titles where p.content_id = content.id;
end
$$;
comment on function private.write_published_texts is
  'Rewrites the published documents of all languages of a piece of content.';

create function private.forget_shown_content() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.media_uses u where u.tenant_id = old.tenant_id and u.type = 'content' and u.id = old.id;
  return null;
end
$$;
comment on function private.forget_shown_content() is 'Row trigger: deleted content uses no assets.';

create function private.note_content_assets(content public.content) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  shown uuid[] := array(
    select distinct a.id
    from private.content_versions v
    cross join lateral unnest(v.asset_ids) as a (id)
    where v.content_id = content.id and v.version_number in (select s from private.shown_versions(content) as s)
  );
begin
  delete from private.media_uses u
  where u.tenant_id = content.tenant_id and u.type = 'content' and u.id = content.id and u.asset_id <> all (shown);
  -- An older version may name an asset that was deleted since.
  insert into private.media_uses (tenant_id, asset_id, type, id)
  select content.tenant_id, a.id, 'content', content.id
  from public.media_assets a
  where a.tenant_id = content.tenant_id and a.id = any (shown)
  order by a.id
  for key share of a
  on conflict on constraint media_uses_pkey do nothing;
end
$$;
comment on function private.note_content_assets is
  'Records the assets that the versions in use show. They cannot be deleted until then.';

create function private.drop_unused_translations(content public.content) returns void
language sql security definer set search_path = ''
as $$
  delete from public.content_localizations l
  using private.content_branches b
  where l.content_id = content.id and b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = 'main'
    and coalesce(l.published_version_number, l.withdrawn_version_number) is null
    and (l.language = any (content.scheduled_languages)) is not true
    and not (b.document -> 'title') || (b.document -> 'localizations') ? l.language
$$;
comment on function private.drop_unused_translations is
  'Removes translations that the draft no longer has, unless they are published, scheduled, or return with their original.';

create function private.unscheduled(content public.content, languages text[] default null) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  others text[] := array(
    select s.language
    from unnest(coalesce(content.scheduled_languages, array[content.language])) as s (language)
    where s.language <> all (languages)
  );
begin
  if content.scheduled_at is null then
    return content;
  end if;
  update public.content c
  set scheduled_languages = nullif(others, '{}'),
      scheduled_at = case when others <> '{}' then c.scheduled_at end,
      scheduled_version_number = case when others <> '{}' then c.scheduled_version_number end
  where c.id = content.id
  returning * into content;
  perform private.drop_unused_translations(content);
  perform private.note_content_assets(content);
  return content;
end
$$;
comment on function private.unscheduled is
  'Takes languages out of the scheduled publication, or ends it: if languages is null, or if no language is left.';

create function private.status_when_published(
  localization public.content_localizations, number integer
) returns public.translation_status
language sql stable security definer set search_path = ''
as $$
  select case
    when localization.status = 'approved'
      and private.translation_in(b.document, localization.language)
        = private.translation_in(private.version_document(b.content_id, number), localization.language)
    then 'published'
    else localization.status
  end
  from private.content_branches b
  where b.tenant_id = localization.tenant_id and b.content_id = localization.content_id and b.name = 'main'
$$;
comment on function private.status_when_published is
  'The status of a translation after the publication of a version: published if the draft has the same texts, and otherwise unchanged.';

create function private.return_translations(content public.content) returns void
language sql security definer set search_path = ''
as $$
  update public.content_localizations l
  set status = private.status_when_published(l, l.withdrawn_version_number),
      published_version_number = l.withdrawn_version_number, withdrawn_version_number = null
  where l.content_id = content.id and l.withdrawn_version_number is not null
$$;
comment on function private.return_translations is 'Publishes the translations again that were unpublished with their original.';

create function private.leave_withdrawn(content public.content) returns void
language sql security definer set search_path = ''
as $$
  update public.content_localizations l
  set withdrawn_version_number = null
  where l.content_id = content.id and l.withdrawn_version_number is not null
$$;
comment on function private.leave_withdrawn is
  'For a publication that names its languages: translations that were unpublished with their original do not return with it.';

create function private.publish_version(content public.content, number integer) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  document jsonb := private.version_document(content.id, number);
  slug_before text := (select p.slug from public.published_content p where p.content_id = content.id);
begin
  insert into public.published_content as p (
    content_id, tenant_id, type, marketplace_id, product_id, category_id, slug, language, languages, title, visibility,
    visible_to, version_number, author_id, created_at
  )
  values (
    content.id, content.tenant_id, content.type, content.marketplace_id, content.product_id, content.category_id,
    document ->> 'slug', content.language, array[content.language], '{}',
    (document ->> 'visibility')::public.content_visibility,
    array(select jsonb_array_elements_text(document -> 'visible_to')::public.member_role), number, content.author_id,
    content.created_at
  )
  on conflict (content_id) do update
  set slug = excluded.slug, visibility = excluded.visibility, visible_to = excluded.visible_to,
      version_number = excluded.version_number, published_at = now();
  delete from private.former_slugs f
  where f.tenant_id = content.tenant_id and f.marketplace_id = content.marketplace_id and f.type = content.type
    and f.slug = document ->> 'slug';
  if slug_before <> document ->> 'slug' then
    insert into private.former_slugs (tenant_id, marketplace_id, type, slug, content_id)
    values (content.tenant_id, content.marketplace_id, content.type, slug_before, content.id)
    on conflict on constraint former_slugs_pkey do update set content_id = excluded.content_id;
  end if;
  update public.content c
  set published_version_number = number, published_at = now()
  where c.id = content.id
  returning * into content;
  perform private.return_translations(content);
  perform private.write_published_texts(content);
  perform private.note_content_assets(content);
  return content;
end
$$;
comment on function private.publish_version is
  'Publishes a version in place of the one that was published. Errors: CONFLICT if other content is published under its slug.';

create function private.check_slug_is_free() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  claimed text := new.document ->> 'slug';
  content public.content;
begin
  select * into content from public.content c where c.id = new.content_id;
  -- One statement reads both, so it misses no page that is published and renamed meanwhile.
  if exists (
    select from public.published_content p
    where p.tenant_id = content.tenant_id and p.type = content.type and p.slug = claimed
      and p.marketplace_id = content.marketplace_id and p.content_id <> content.id
    union all
    select from public.content c
    where c.tenant_id = content.tenant_id and c.type = content.type and c.slug = claimed
      and c.marketplace_id = content.marketplace_id and c.id <> content.id
  ) then
    perform private.refuse(
      'CONFLICT', 'Another page has this slug. Choose another slug, or rename and publish that page first.', 'slug', to_jsonb(claimed)
    );
  end if;
  return null;
end
$$;
comment on function private.check_slug_is_free() is
  'Row trigger: refuses a draft whose slug is that of another page, as published or in its draft, with CONFLICT on slug.';

create function private.withdraw(content public.content) returns public.content
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.published_content p where p.content_id = content.id;
  update public.content_localizations l
  set status = case l.status when 'published' then 'approved' else l.status end,
      withdrawn_version_number = l.published_version_number, published_version_number = null
  where l.content_id = content.id and l.published_version_number is not null;
  update public.content c
  set published_version_number = null, published_at = null, unpublish_at = null
  where c.id = content.id
  returning * into content;
  content := private.unscheduled(content);
  perform private.note_content_assets(content);
  return content;
end
$$;
comment on function private.withdraw is
  'Ends the publication of a piece of content in all languages, and its schedule. Its published translations return when it is published again.';

-- triggers -------------------------------------------------------------------------------------

create trigger content_forget_shown_assets
  after delete on public.content
  for each row execute function private.forget_shown_content();

-- A new branch may begin at a version whose slug is taken by now. It claims the slug only when it changes it.
create trigger content_branches_check_slug_of_new_content
  after insert on private.content_branches
  for each row when (new.name = 'main')
  execute function private.check_slug_is_free();

create trigger content_branches_check_slug
  after update of document on private.content_branches
  for each row when (old.document ->> 'slug' <> new.document ->> 'slug')
  execute function private.check_slug_is_free();

-- supabase/schemas/content/1222_content_checks.sql

-- Checks of documents of content. A save checks the parts that differ from the version below it.

-- functions: documents ---------------------------------------------------------------------------

create function private.document_keys() returns text[]
language sql immutable
return array['slug', 'title', 'content', 'blocks', 'fields', 'layout', 'seo', 'visibility', 'visible_to', 'localizations'];
comment on function private.document_keys() is 'The keys of a document.';

create function private.whole_document(document jsonb, type public.content_types, language text) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  defaults jsonb := (
    select jsonb_object_agg(f.value ->> 'name', f.value -> 'default_value')
    from jsonb_array_elements(type.fields) as f
    where coalesce(f.value -> 'default_value', 'null') <> 'null'
  );
begin
  if not document ? 'slug' then
    document := document || jsonb_build_object('slug', coalesce(
      private.slug_of(document -> 'title' ->> language), 'page-' || substring(gen_random_uuid()::text for 8)
    ));
  end if;
  if defaults is not null then
    document := document || jsonb_build_object('fields', defaults || coalesce(document -> 'fields', '{}'));
  end if;
  -- Each change copies the document, which may be long. So only incomplete blocks are completed.
  if jsonb_typeof(document -> 'blocks') = 'array'
    and document @? '$.blocks[*] ? (@.type() == "object" && !(exists (@.id) && exists (@.settings) && exists (@.permissions)))'
  then
    document := document || jsonb_build_object('blocks', (
      select jsonb_agg(
        case when jsonb_typeof(b.value) = 'object'
          then jsonb_build_object('id', gen_random_uuid(), 'settings', '{}'::jsonb, 'permissions', '{}'::jsonb) || b.value
          else b.value
        end
        order by b.position
      )
      from jsonb_array_elements(document -> 'blocks') with ordinality as b (value, position)
    ));
  end if;
  if not document ?& private.document_keys() then
    document := jsonb '{"title": {}, "content": null, "blocks": [], "fields": {}, "layout": null, "seo": {}, "visibility": "public", "visible_to": [], "localizations": {}}'
      || document;
  end if;
  return document;
end
$$;
comment on function private.whole_document is
  'A document with all its keys: missing parts are empty, fields have their defaults, and blocks have ids.';

create function private.check_title(title jsonb, language text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist(
    jsonb_typeof(title) = 'object' and (select count(*) from jsonb_object_keys(title)) <= private.cap('languages_per_content'),
    'title', 'an object of texts by language', title
  );
  for entry in
    select t.key, t.value from jsonb_each(title) as t
    union all
    select language, null::jsonb where not title ? language
  loop
    faults := faults || private.fault_unless(
      private.is_language(entry.key), 'title.' || left(entry.key, 50), 'named with a language, such as en or pt-BR', entry.value
    );
    faults := faults || private.fault_unless(
      private.is_name(entry.value, 500),
      'title.' || entry.key, 'a text of 1 to 500 characters', entry.value
    );
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_title is 'Refuses a wrong title. It needs a text in the language of the original.';

create function private.check_fields(type public.content_types, fields jsonb, before jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(jsonb_typeof(fields) = 'object', field, 'an object', fields);
  -- Values of fields that the type no longer has may stay unchanged.
  for entry in
    select f.key, f.value, d.value as definition
    from jsonb_each(fields) as f
    left join jsonb_array_elements(type.fields) with ordinality as d (value, position) on d.value ->> 'name' = f.key
    where f.value is distinct from before -> f.key
    order by d.position, f.key
  loop
    begin
      if entry.definition is null then
        perform private.refuse(
          'VALIDATION_ERROR', format('This content type has no field %s.', entry.key),
          format('%s.%s', field, entry.key), entry.value
        );
      elsif entry.value <> 'null' then
        perform private.check_field_value(entry.definition, entry.value, format('%s.%s', field, entry.key));
      end if;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_fields is 'Refuses changed fields that the content type does not have, or with wrong values.';

create function private.check_blocks(blocks jsonb, before jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  block record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(
    case when jsonb_typeof(blocks) = 'array' then jsonb_array_length(blocks) <= 200 end, 'blocks', 'a list of at most 200', blocks
  );
  for block in
    select b.value, k.value as before, format('blocks[%s]', b.position - 1) as field
    from jsonb_array_elements(blocks) with ordinality as b (value, position)
    left join jsonb_array_elements(before) as k on k.value ->> 'id' = b.value ->> 'id'
    -- Unchanged blocks were checked before.
    where k.value is distinct from b.value
    order by b.position
  loop
    begin
      perform private.check_block(block.value, block.field, block.before);
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct b.value ->> 'id') = count(*) from jsonb_array_elements(blocks) as b (value)),
    'blocks', 'a list without duplicate ids', null
  );
end
$$;
comment on function private.check_blocks is 'Refuses wrong blocks, and blocks with the same id.';

create function private.fits_block(block jsonb, translated jsonb) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  perform private.check_block_content(block ->> 'type', (block -> 'content') || translated, 'content');
  return true;
exception
  when sqlstate 'PT422' then
    return false;
end
$$;
comment on function private.fits_block is 'Whether translated content fits the type of a block.';

create function private.without_old_translations(document jsonb, before jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  old record;
  place text[];
  kept jsonb;
begin
  for old in
    select l.key as language, t.value
    from jsonb_each(before -> 'localizations') as l
    cross join lateral jsonb_array_elements(l.value -> 'blocks') as t
    join jsonb_path_query(document, '$.blocks[*]') as b (value) on b.value ->> 'id' = t.value ->> 'id'
    left join jsonb_array_elements(before -> 'blocks') as k on k.value ->> 'id' = t.value ->> 'id'
    where case
      -- A block that was removed earlier may return with another type.
      when k.value is null then not private.fits_block(b.value, t.value -> 'content')
      else b.value ->> 'type' <> k.value ->> 'type'
    end
  loop
    place := array['localizations', old.language, 'blocks'];
    if jsonb_typeof(document #> place) = 'array' then
      -- A text that the save itself sends for the new type is kept.
      kept := (
        select jsonb_agg(t.value order by t.position)
        from jsonb_array_elements(document #> place) with ordinality as t (value, position)
        where t.value <> old.value
      );
      document := case when kept is null then document #- place else jsonb_set(document, place, kept) end;
    end if;
  end loop;
  return document;
end
$$;
comment on function private.without_old_translations is
  'A document without the translations that it has from an earlier document, of blocks whose type has changed since.';

create function private.changed_by_hand(before jsonb, document jsonb, changed text[]) returns text[]
language plpgsql stable set search_path = ''
as $$
declare
  kept jsonb := private.without_old_translations(
    before || jsonb_build_object('blocks', document -> 'blocks'), before
  ) -> 'localizations';
begin
  return case when kept = before -> 'localizations' then changed
    else private.changed_paths(before || jsonb_build_object('localizations', kept), document)
  end;
end
$$;
comment on function private.changed_by_hand is
  'The changed paths without those of translations that changed only because a block got another type.';

create function private.check_translated_blocks(blocks jsonb, originals jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  block record;
begin
  perform private.insist(
    case when jsonb_typeof(blocks) = 'array' then jsonb_array_length(blocks) <= 200 end, field, 'a list of at most 200', blocks
  );
  for block in
    select t.value, o.value as original, format('%s[%s]', field, t.position - 1) as field
    from jsonb_array_elements(blocks) with ordinality as t (value, position)
    left join jsonb_array_elements(originals) as o on o.value ->> 'id' = t.value ->> 'id'
    order by t.position
  loop
    perform private.insist_on_keys(block.value, block.field, array['id', 'content']);
    perform private.insist(jsonb_typeof(block.value -> 'content') = 'object', block.field || '.content', 'an object', null);
    -- The translation of a removed block is not shown, so it is not checked.
    if block.original is not null then
      perform private.check_block_content(
        block.original ->> 'type', (block.original -> 'content') || (block.value -> 'content'), block.field || '.content'
      );
    end if;
  end loop;
end
$$;
comment on function private.check_translated_blocks is 'Refuses translations of blocks that do not fit them.';

create function private.check_localization(
  type public.content_types, document jsonb, language text, texts jsonb, before jsonb
) returns void
language plpgsql stable set search_path = ''
as $$
declare
  field text := 'localizations.' || left(language, 50);
  part record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(private.is_language(language), field, 'named with a language, such as en or pt-BR', null);
  perform private.insist_on_keys(texts, field, array['content', 'seo', 'fields', 'blocks']);
  if texts = before then
    return;
  end if;
  for part in
    select t.key, t.value, format('%s.%s', field, t.key) as field
    from jsonb_each(texts) as t
    order by array_position(array['content', 'seo', 'fields', 'blocks'], t.key)
  loop
    begin
      case part.key
        when 'content' then perform private.check_rich_text(part.value, part.field, before -> 'content');
        when 'seo' then perform private.check_seo(part.value, part.field, private.content_seo_keys());
        when 'fields' then
          perform private.check_fields(type, part.value, coalesce(before -> 'fields', '{}'), part.field);
        else
          perform private.check_translated_blocks(part.value, document -> 'blocks', part.field);
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_localization is 'Refuses a translation that does not fit its document.';

create function private.content_seo_keys() returns text[]
language sql immutable
return array['title', 'description', 'keywords', 'canonical_url', 'og_tags', 'schema_markup'];
comment on function private.content_seo_keys() is 'The keys of the SEO data of content.';

create function private.check_localizations(
  type public.content_types, language text, document jsonb, before jsonb
) returns void
language plpgsql stable set search_path = ''
as $$
declare
  localization record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(
    jsonb_typeof(document -> 'localizations') = 'object'
      and (select count(*) from jsonb_object_keys(document -> 'localizations')) <= private.cap('languages_per_content'),
    'localizations', 'an object of translations by language', null
  );
  for localization in select l.key, l.value from jsonb_each(document -> 'localizations') as l loop
    begin
      perform private.insist(
        localization.key <> language, 'localizations.' || language, 'a language other than the original''s', null
      );
      perform private.check_localization(
        type, document, localization.key, localization.value, before -> 'localizations' -> localization.key
      );
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_localizations is 'Refuses translations that do not fit their document.';

create function private.check_part(
  part text, type public.content_types, language text, document jsonb, before jsonb
) returns void
language plpgsql stable set search_path = ''
as $$
declare
  value jsonb := document -> part;
begin
  case part
    when 'slug' then
      perform private.insist(
        -- A UUID would be looked up as an id.
        private.is_text(value, 1, 200, '^[a-z0-9]+(-[a-z0-9]+)*$') and not private.is_uuid(value #>> '{}'),
        part, 'up to 200 small letters, digits and hyphens, and no UUID', value
      );
    when 'title' then perform private.check_title(value, language);
    when 'content' then
      if value is distinct from before -> part then
        perform private.check_rich_text(value, part, before -> part);
      end if;
    when 'blocks' then perform private.check_blocks(value, coalesce(before -> part, '[]'));
    when 'fields' then perform private.check_fields(type, value, coalesce(before -> part, '{}'), part);
    when 'layout' then
      perform private.insist(
        value = 'null' or private.is_text(value, 1, 100, '^[A-Za-z0-9_-]+$'), part, 'up to 100 letters, digits, _ and -', value
      );
    when 'seo' then perform private.check_seo(value, part, private.content_seo_keys());
    when 'visibility' then
      perform private.insist(value #>> '{}' in ('public', 'members', 'roles'), part, 'one of public, members, roles', value);
    when 'visible_to' then
      perform private.check_readers(nullif(value, '[]'), part);
      perform private.insist(
        (document ->> 'visibility' = 'roles') = (value <> '[]'), part,
        'a list of roles if visibility is roles, and empty otherwise', value
      );
    else perform private.check_localizations(type, language, document, before);
  end case;
end
$$;
comment on function private.check_part is 'Refuses a wrong part of a document, which has one of document_keys.';

create function private.check_document(type public.content_types, language text, document jsonb, before jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  part text;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.known_only(document, private.document_keys());
  -- The rest of the record, with the assets of its images, needs the remaining share.
  perform private.bound_record(octet_length(document::text), 0.85, 'This content is too large.');
  foreach part in array private.document_keys() loop
    begin
      perform private.check_part(part, type, language, document, before);
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_document is
  'Refuses a wrong document with VALIDATION_ERROR, and names the fields. Parts that are the same as before were checked then.';

create function private.missing_references(content public.content, document jsonb, before jsonb default null)
returns table (path text, id uuid)
language sql stable security definer set search_path = ''
as $$
  select distinct p.path, (r.value #>> '{}')::uuid
  from private.parts_of(document, before) as p
  cross join lateral (
    select a as value, 'asset' as kind from jsonb_path_query(p.value, 'strict $.**.asset_id') as a
    union all
    select i, 'product' from jsonb_path_query(p.value, 'strict $.**.product_ids') as l
    cross join lateral jsonb_array_elements(case jsonb_typeof(l) when 'array' then l else '[]' end) as i
  ) as r
  where case
      when jsonb_typeof(r.value) <> 'string' or not private.is_uuid(r.value #>> '{}') then false
      when r.kind = 'asset' then not exists (
        select from public.media_assets a
        where a.tenant_id = content.tenant_id and a.id = (r.value #>> '{}')::uuid
          and a.status = 'ready' and not a.private
          -- Pages of the operator show assets of all suppliers.
          and (content.supplier_id is null or private.may_show(content.supplier_id, a))
      )
      else not exists (
        select from public.products p
        where p.tenant_id = content.tenant_id and p.id = (r.value #>> '{}')::uuid and p.status <> 'discontinued'
      )
    end
$$;
comment on function private.missing_references is
  'The paths of a document that name an asset that is missing, unfinished, private or of another supplier than the content''s, or a missing product. Only in parts that differ from before.';

create function private.check_references(
  content public.content, document jsonb, before jsonb, other jsonb default null
) returns void
language plpgsql stable set search_path = ''
as $$
declare
  faults jsonb;
begin
  select coalesce(jsonb_agg(private.fault(
    format('%s names an asset or product that is missing, not public, or of another supplier.', m.path), m.path, to_jsonb(m.id)
  ) order by m.path, m.id), '[]')
  into faults
  from private.missing_references(content, document, before) as m
  where not exists (
    select
    from (values (before), (other)) as earlier (document)
    cross join lateral private.missing_references(content, coalesce(earlier.document, '{}')) as b
    where b.id = m.id
  );
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_references is
  'Refuses a document that names an asset or product that it may not name, unless it did so before. other: a document that was merged into it.';

-- supabase/schemas/content/1225_content_saving.sql

-- Saving content. A save names the version that it began from, and is refused if there is a newer one. So nothing is
-- overwritten unseen. Over HTTP the edge functions then merge both and save again.

-- functions: saving ------------------------------------------------------------------------------

create function private.refuse_stale(sent integer, newest integer) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    'CONFLICT', 'There is a newer version. Read it, and save again on top of it.', 'version_number', to_jsonb(sent),
    jsonb_build_object('version_number', newest)
  );
end
$$;
comment on function private.refuse_stale is 'Refuses a stale save with CONFLICT. details.version_number is the newest version.';

create function private.follow_translations(content public.content, document jsonb, changed text[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  spoken text[] := array(
    select k from jsonb_object_keys((document -> 'title') || (document -> 'localizations')) as k where k <> content.language
  );
begin
  perform private.drop_unused_translations(content);
  -- Readers still see these, or will.
  update public.content_localizations l
  set status = 'draft'
  where l.content_id = content.id and l.language <> all (spoken) and l.status in ('review', 'approved', 'published');
  insert into public.content_localizations as l (tenant_id, content_id, language, translator_id, original_version_number)
  select content.tenant_id, content.id, s.language, auth.uid(), content.original_version_number
  from unnest(spoken) as s (language)
  on conflict on constraint language_is_unique_in_content_localizations do update
  set translator_id = excluded.translator_id, original_version_number = excluded.original_version_number,
      last_updated = now(),
      -- The reviewed text has changed.
      status = case when l.status in ('review', 'approved', 'published') then 'draft' else l.status end
  where exists (
    select from unnest(changed) as c (path)
    where c.path = 'title.' || l.language or c.path like format('localizations.%s.%%', replace(l.language, '_', '\_'))
  );
end
$$;
comment on function private.follow_translations is
  'Adds and removes translations as a save has them. A changed translation that was reviewed returns to draft.';

create function private.replaced_autosave(content public.content, head private.content_branches) returns private.content_versions
language sql stable security definer set search_path = ''
as $$
  select v.*
  from private.content_versions v
  where v.content_id = content.id and v.version_number = head.version_number and v.autosave
    and v.author_id = auth.uid() and v.created_at > now() - interval '10 minutes'
    and v.parents <> '{}'
    and v.version_number not in (
      select n from unnest(array[content.published_version_number, content.scheduled_version_number]) as n where n is not null
      union all
      select coalesce(l.published_version_number, l.withdrawn_version_number) from public.content_localizations l
      where l.content_id = content.id and coalesce(l.published_version_number, l.withdrawn_version_number) is not null
      union all
      select b.version_number
      from private.content_branches b
      where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name <> head.name
    )
    -- No other branch continues from it.
    and not exists (
      select from private.content_versions n
      where n.content_id = content.id and n.version_number > v.version_number and v.version_number = any (n.parents)
    )
$$;
comment on function private.replaced_autosave is
  'The head of a branch if it is an autosave of the caller within the last 10 minutes that nothing else uses yet.';

create function private.advance_main(
  content public.content, number integer, document jsonb, changed text[]
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  before public.content_status := content.status;
  -- Translations are reviewed and published separately.
  touches_original boolean := exists (
    select from unnest(changed) as c (path)
    where c.path not like 'localizations.%' and (c.path not like 'title.%' or c.path = 'title.' || content.language)
  );
begin
  update public.content c
  set version_number = number, slug = document ->> 'slug', title = document -> 'title', updated_at = now(),
      original_version_number = case when touches_original then number else c.original_version_number end,
      status = case when touches_original and c.status <> 'archived' then 'draft' else c.status end
  where c.id = content.id
  returning * into content;
  if content.status <> before then
    insert into public.content_moves (tenant_id, content_id, move, from_status, to_status, version_number, actor_id)
    values (content.tenant_id, content.id, 'edit', before, content.status, number, auth.uid());
  end if;
  perform private.follow_translations(content, document, changed);
  return content;
end
$$;
comment on function private.advance_main is
  'Moves main to a new version. A change of the original returns content to draft.';

create function private.head_of(content public.content, branch text, base integer) returns private.content_branches
language plpgsql stable security definer set search_path = ''
as $$
declare
  head private.content_branches;
begin
  select * into head
  from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = branch;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such branch.', 'branch', to_jsonb(branch));
  elsif head.version_number is distinct from base then
    perform private.refuse_stale(base, head.version_number);
  end if;
  -- Concatenation reads the stored value once. Otherwise each use of the document would read it again.
  head.document := head.document || '{}';
  return head;
end
$$;
comment on function private.head_of is 'The head of a branch, whose version has to be base. Errors: NOT_FOUND, CONFLICT.';

create function private.save_draft(
  content public.content, branch text, base integer, document jsonb, comment text, autosave boolean default false,
  merged_from integer default null
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  head private.content_branches := private.head_of(content, branch, base);
  replaced private.content_versions;
  changed text[];
  line integer[];
  number integer := content.last_version_number + 1;
begin
  perform private.check_move_comment(comment);
  changed := private.changed_paths(head.document, document);
  if changed = '{}' and merged_from is null then
    return content;
  end if;
  line := array[head.version_number] || merged_from;
  if autosave then
    replaced := private.replaced_autosave(content, head);
    if replaced.content_id is not null then
      line := replaced.parents;
    end if;
  end if;
  perform private.store_version(
    content, number, array_remove(line, null), branch, document,
    case when replaced.content_id is null then changed
      else private.changed_paths(private.version_document(content.id, line[1]), document)
    end,
    comment, autosave
  );
  delete from private.content_versions v where v.content_id = content.id and v.version_number = replaced.version_number;
  update private.content_branches b
  set version_number = number, document = save_draft.document
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = branch;
  update public.content c set last_version_number = number, updated_at = now() where c.id = content.id returning * into content;
  if branch = 'main' then
    content := private.advance_main(
      content, number, document, private.changed_by_hand(head.document, document, changed)
    );
  end if;
  perform private.note_content_assets(content);
  perform private.prune_versions(content);
  return content;
end
$$;
comment on function private.save_draft is
  'Saves a checked document as the next version of a branch, whose head has to be base. Without a change it makes no version. Errors: CONFLICT if it is stale or its slug is taken, NOT_FOUND.';

create function private.check_move_comment(comment text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if char_length(comment) > private.cap('content_move_comment') then
    perform private.refuse_beyond('content_move_comment', 'The comment is too long. Shorten it.', 'comment');
  end if;
end
$$;
comment on function private.check_move_comment is 'Refuses a comment that is too long, with LIMIT_REACHED.';

create function private.save_changes(
  content public.content, branch text, base integer, changes jsonb, comment text, autosave boolean
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  type public.content_types := private.content_type_of(content.type);
  -- This comes first: whether changes are valid depends on the version below them.
  before jsonb := (private.head_of(content, branch, base)).document;
  document jsonb;
begin
  perform private.known_only(changes, private.document_keys());
  document := private.without_old_translations(private.whole_document(before || changes, type, content.language), before);
  perform private.check_document(type, content.language, document, before);
  perform private.check_references(content, document, before);
  return private.save_draft(content, branch, base, document, comment, autosave);
end
$$;
comment on function private.save_changes is 'Saves the sent parts of a document and keeps the others.';

-- functions: beginning ---------------------------------------------------------------------------

create function private.subject_of(type text, subject_id uuid, out product_id uuid, out category_id uuid, out supplier_id uuid, out marketplace_id uuid)
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
begin
  if type not in ('products', 'categories') then
    perform private.insist(
      subject_id is null, 'subject_id', 'absent: only content of the types products and categories describes something',
      to_jsonb(subject_id)
    );
    return;
  end if;
  if type = 'products' then
    select p.id, p.supplier_id, p.marketplace_id into product_id, supplier_id, marketplace_id
    from public.products p
    where p.tenant_id = tenant and p.id = subject_of.subject_id and p.status <> 'discontinued';
  else
    select k.id into category_id from public.categories k where k.tenant_id = tenant and k.id = subject_of.subject_id;
  end if;
  if coalesce(product_id, category_id) is null then
    perform private.refuse(
      case when subject_id is null then 'VALIDATION_ERROR' else 'NOT_FOUND' end,
      'subject_id must be the id of a product or category.', 'subject_id', coalesce(to_jsonb(subject_id), 'null')
    );
  end if;
end
$$;
comment on function private.subject_of is
  'The product, with its supplier and marketplace, or the category that content describes. Errors: NOT_FOUND, VALIDATION_ERROR on subject_id.';

create function private.create_content(
  type public.content_types, document jsonb, marketplace_id uuid, subject_id uuid, comment text
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  subject record := private.subject_of(type.key, subject_id);
  place public.marketplaces;
  created public.content;
  whole jsonb;
begin
  if not 'editor' = any (private.content_roles())
    and not coalesce(subject.supplier_id = private.supplier_id(), false)
  then
    perform private.refuse(
      'FORBIDDEN', 'Only editors and admins may create content. Suppliers may describe their own products.'
    );
  end if;
  select * into place
  from public.marketplaces m
  where m.tenant_id = private.tenant_id()
    and m.id = coalesce(create_content.marketplace_id, subject.marketplace_id, private.sole_marketplace_id());
  perform private.insist(place.id is not null, 'marketplace_id', 'the id of a marketplace of your tenant', to_jsonb(create_content.marketplace_id));
  perform private.insist(
    place.id = coalesce(subject.marketplace_id, place.id), 'marketplace_id', 'the marketplace of the product', to_jsonb(place.id)
  );
  if private.cap('content_per_tenant') <= private.number_of_drafts() then
    perform private.refuse_beyond('content_per_tenant', 'The tenant has the maximum number of pieces of content.');
  end if;
  perform private.known_only(document, private.document_keys());
  perform private.check_move_comment(comment);
  whole := private.whole_document(document, type, place.language);
  perform private.check_document(type, place.language, whole, null);
  insert into public.content (
    tenant_id, type, marketplace_id, product_id, category_id, supplier_id, language, slug, title, author_id
  )
  values (
    place.tenant_id, type.key, place.id, subject.product_id, subject.category_id, subject.supplier_id, place.language,
    whole ->> 'slug', whole -> 'title', auth.uid()
  )
  returning * into created;
  perform private.check_references(created, whole, null);
  insert into private.content_branches (tenant_id, content_id, name, version_number, document)
  values (created.tenant_id, created.id, 'main', 1, whole);
  perform private.store_version(created, 1, '{}', 'main', whole, '{}', comment, false);
  perform private.follow_translations(created, whole, '{}');
  perform private.note_content_assets(created);
  return created;
end
$$;
comment on function private.create_content is 'Creates a draft. Errors: CONFLICT, VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN, NOT_FOUND.';

-- supabase/schemas/content/1230_content_moves.sql

-- Moves of content between statuses, publication, and scheduled publication. The workflow of the type says which content
-- role makes a move; otherwise private.content_move_rules does.

-- functions: moves -------------------------------------------------------------------------------

create function private.insist_on_role(content public.content, move text, role text) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  roles text[] := private.roles_for(content);
begin
  -- A move that no rule names has no role. Nobody but an admin makes it.
  if (role = any (roles) or 'admin' = any (roles)) is not true then
    perform private.refuse(
      'FORBIDDEN', format('To %s content, you need the content role %s.', move, role), 'move', to_jsonb(move)
    );
  end if;
end
$$;
comment on function private.insist_on_role is 'Refuses a caller who has neither this content role nor admin, with FORBIDDEN.';

create function private.insist_on_mover(content public.content, move text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.insist_on_role(content, move, coalesce(
    (
      select s.value ->> 'assignee_role'
      from public.content_types t
      cross join lateral jsonb_array_elements(t.workflow) as s
      where t.tenant_id = content.tenant_id and t.key = content.type and s.value -> 'required_actions' @> to_jsonb(move)
    ),
    (select r.role from private.content_move_rules r where r.move = insist_on_mover.move limit 1)
  ));
end
$$;
comment on function private.insist_on_mover is
  'Refuses a caller who may not make a move, with FORBIDDEN: by the workflow of the type, or by content_move_rules.';

create function private.needs_four_eyes(content public.content) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce(t.settings #> '{content,four_eyes}' = 'true', false) from public.tenants t where t.id = content.tenant_id
$$;
comment on function private.needs_four_eyes is 'Whether settings.content.four_eyes is on: authors may not approve their own content.';

create function private.last_published_version(content public.content) returns integer
language sql stable security definer set search_path = ''
as $$
  select coalesce(content.published_version_number, max(m.version_number), 0)
  from public.content_moves m
  where m.tenant_id = content.tenant_id and m.content_id = content.id and m.move = 'publish'
$$;
comment on function private.last_published_version is
  'The version that readers see, or else the newest one that they saw. 0 for content that was never published.';

create function private.insist_on_four_eyes(content public.content) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.needs_four_eyes(content) and exists (
    select from private.content_versions v
    where v.content_id = content.id and v.author_id = auth.uid()
      and v.version_number > private.last_published_version(content)
  ) then
    perform private.refuse(
      'FORBIDDEN', 'Somebody else must approve this, because you wrote a version since the last publication.'
    );
  end if;
end
$$;
comment on function private.insist_on_four_eyes is
  'Refuses the author of a version since the last publication if settings.content.four_eyes is on, with FORBIDDEN.';

create function private.check_required_fields(content public.content) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  faults jsonb := (
    select coalesce(jsonb_agg(
      private.fault(f.value ->> 'name' || ' is missing.', 'fields.' || (f.value ->> 'name'), 'null') order by f.position
    ), '[]')
    from public.content_types t
    cross join lateral jsonb_array_elements(t.fields) with ordinality as f (value, position)
    join private.content_branches b on b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = 'main'
    where t.tenant_id = content.tenant_id and t.key = content.type and f.value -> 'required' = 'true'
      and coalesce(b.document -> 'fields' -> (f.value ->> 'name'), 'null') = 'null'
  );
begin
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_required_fields is 'Refuses a draft without a required field of its type.';

create function private.note_move(
  content public.content, move text, before public.content_status, comment text, version integer default null
) returns void
language sql security definer set search_path = ''
as $$
  insert into public.content_moves (tenant_id, content_id, move, from_status, to_status, version_number, actor_id, comment)
  values (
    content.tenant_id, content.id, move, before, content.status, coalesce(version, content.version_number), auth.uid(),
    nullif(comment, '')
  )
$$;
comment on function private.note_move is 'Records a move of the caller. version: the version that was moved, if not the draft''s.';

create function private.publish_draft(content public.content) returns public.content
language sql security definer set search_path = ''
as $$
  select private.publish_version(private.unscheduled(content, array[content.language]), content.version_number)
$$;
comment on function private.publish_draft is 'Publishes the original of the draft, in place of its scheduled publication.';

create function private.move_content(content public.content, move text, comment text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  before public.content_status := content.status;
  rule private.content_move_rules;
begin
  select * into rule
  from private.content_move_rules r
  where r.move = move_content.move
    -- The draft may have changed since the publication that is archived.
    and (r.from_status = content.status or r.move = 'archive' and content.published_version_number is not null);
  if not found then
    perform private.refuse(
      'INVALID_TRANSITION', format('Content that is %s has no move %s.', content.status, move), 'move', to_jsonb(move)
    );
  end if;
  perform private.insist_on_mover(content, move);
  perform private.check_move_comment(comment);
  if move in ('submit', 'approve', 'publish') then
    perform private.check_required_fields(content);
  end if;
  if move = 'approve' then
    perform private.insist_on_four_eyes(content);
  end if;
  update public.content c
  set status = rule.to_status, updated_at = now(), deleted_at = case move when 'restore' then null else c.deleted_at end
  where c.id = content.id
  returning * into content;
  perform private.note_move(content, move, before, comment);
  return case move
    when 'publish' then private.publish_draft(content)
    when 'archive' then private.withdraw(content)
    when 'reject' then private.unscheduled(content)
    else content
  end;
end
$$;
comment on function private.move_content is
  'Makes a move of content_move_rules. Errors: INVALID_TRANSITION, FORBIDDEN, VALIDATION_ERROR.';

create function private.follow_workflow(content public.content, made text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  next text := case made when 'submit' then 'approve' when 'approve' then 'publish' end;
  before public.content_status := content.status;
begin
  if next is null or not exists (
      select from public.content_types t
      cross join lateral jsonb_array_elements(t.workflow) as s
      where t.tenant_id = content.tenant_id and t.key = content.type
        and s.value -> 'required_actions' = jsonb_build_array(next) and s.value -> 'auto_transition' = 'true'
    )
    -- With four eyes, a person has to approve.
    or next = 'approve' and private.needs_four_eyes(content)
  then
    return content;
  end if;
  update public.content c
  set status = case next when 'approve' then 'approved' else 'published' end::public.content_status
  where c.id = content.id
  returning * into content;
  insert into public.content_moves (tenant_id, content_id, move, from_status, to_status, version_number)
  values (content.tenant_id, content.id, next, before, content.status, content.version_number);
  if next = 'publish' then
    return private.publish_draft(content);
  end if;
  return private.follow_workflow(content, next);
end
$$;
comment on function private.follow_workflow is 'Makes the automatic moves that follow a move in the workflow.';

-- functions: translations ------------------------------------------------------------------------

create function private.localization_of(content public.content, language text) returns public.content_localizations
language plpgsql stable security definer set search_path = ''
as $$
declare
  localization public.content_localizations;
begin
  select * into localization
  from public.content_localizations l
  where l.content_id = content.id and l.language = localization_of.language;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no translation into this language.', 'language', to_jsonb(language));
  end if;
  return localization;
end
$$;
comment on function private.localization_of is 'A translation of a piece of content. Errors: NOT_FOUND.';

create function private.role_for_translation(one public.translation_status, other public.translation_status) returns text
language sql immutable set search_path = ''
as $$
  -- The later of the two statuses decides.
  select case greatest(one, other) when 'published' then 'publisher' when 'approved' then 'reviewer' else 'editor' end
$$;
comment on function private.role_for_translation is 'The content role that moves a translation between two statuses.';

create function private.insist_on_other_translator(
  content public.content, localization public.content_localizations
) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.needs_four_eyes(content) and exists (
    select from private.content_versions v
    where v.content_id = content.id and v.author_id = auth.uid()
      and v.version_number > coalesce(localization.published_version_number, 0)
      and (v.parents = '{}' or exists (
        select from unnest(v.changes) as c (path)
        where c.path = 'title.' || localization.language
          or starts_with(c.path, format('localizations.%s.', localization.language))
      ))
  ) then
    perform private.refuse('FORBIDDEN', 'Somebody else must approve this translation, because you wrote a part of it.');
  end if;
end
$$;
comment on function private.insist_on_other_translator is
  'Refuses a caller who wrote part of a translation since its last publication if settings.content.four_eyes is on, with FORBIDDEN.';

create function private.move_translation(
  content public.content, language text, status public.translation_status
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  localization public.content_localizations := private.localization_of(content, language);
  states constant public.translation_status[] := enum_range(null::public.translation_status);
  step integer := array_position(states, status) - array_position(states, localization.status);
begin
  if (step in (1, -1) or step < 0 and status = 'draft') is not true then
    perform private.refuse(
      'INVALID_TRANSITION', format('A translation cannot go from %s to %s.', localization.status, status),
      'status', to_jsonb(status)
    );
  end if;
  perform private.insist_on_role(content, 'move this translation', private.role_for_translation(localization.status, status));
  if status = 'approved' and step > 0 then
    perform private.insist_on_other_translator(content, localization);
  end if;
  update public.content_localizations l
  set status = move_translation.status, last_updated = now(),
      published_version_number = case
        when move_translation.status = 'published' then content.version_number
        when localization.status = 'published' then null
        else l.published_version_number
      end,
      -- Who sends it to review, or approves it, confirms it for the original of now.
      original_version_number = case when step > 0 and move_translation.status in ('review', 'approved')
        then content.original_version_number else l.original_version_number
      end,
      -- Once it was moved back, or published by itself, it does not return with the original.
      withdrawn_version_number = case when step > 0 and move_translation.status <> 'published' then l.withdrawn_version_number end
  where l.id = localization.id;
  if 'published' in (status, localization.status) then
    content := private.unscheduled(content, array[language]);
  end if;
  if content.published_version_number is not null and (status = 'published' or localization.status = 'published') then
    update public.published_content p set published_at = now() where p.content_id = content.id and status = 'published';
    perform private.write_published_texts(content);
  end if;
  perform private.note_content_assets(content);
end
$$;
comment on function private.move_translation is
  'Moves a translation by one status, or back to draft. Readers see a published translation as soon as the original is published. Errors: INVALID_TRANSITION, FORBIDDEN, NOT_FOUND.';

create function private.withdraw_translation(content public.content, language text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  localization public.content_localizations := private.localization_of(content, language);
begin
  if localization.published_version_number is null then
    perform private.refuse(
      'INVALID_TRANSITION', format('The translation into %s is not published.', language),
      'languages', to_jsonb(array[language])
    );
  end if;
  update public.content_localizations l
  -- Content that was changed since is a draft already.
  set published_version_number = null, last_updated = now(),
      status = case l.status when 'published' then 'approved' else l.status end
  where l.id = localization.id;
  if content.published_version_number is not null then
    perform private.write_published_texts(content);
  end if;
  content := private.unscheduled(content, array[language]);
  perform private.drop_unused_translations(content);
  perform private.note_content_assets(content);
  return content;
end
$$;
comment on function private.withdraw_translation is
  'Unpublishes a translation, and takes it out of the schedule. Errors: INVALID_TRANSITION if it is not published, NOT_FOUND.';

-- functions: publication -------------------------------------------------------------------------

create function private.publish_languages(content public.content, languages text[], comment text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  language text;
begin
  if content.language = any (languages) and content.status = 'published' then
    perform private.insist_on_mover(content, 'publish');
    perform private.check_move_comment(comment);
  elsif languages is null or content.language = any (languages) then
    if languages is not null then
      perform private.leave_withdrawn(content);
    end if;
    content := private.move_content(content, 'publish', comment);
  end if;
  for language in select distinct l from unnest(languages) as l where l <> content.language loop
    if (private.localization_of(content, language)).status = 'published' then
      perform private.insist_on_role(content, 'publish', 'publisher');
    else
      perform private.move_translation(content, language, 'published');
    end if;
  end loop;
  return content;
end
$$;
comment on function private.publish_languages is
  'Publishes the original, or only the given languages. Those that are published already stay so.';

create function private.schedule_content(
  content public.content, at timestamptz, languages text[], comment text
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  language text;
  others text[] := array(
    select s.language
    from unnest(coalesce(content.scheduled_languages, array[content.language])) as s (language)
    where content.scheduled_at is not null and s.language <> all (coalesce(languages, array[content.language]))
  );
begin
  perform private.insist_on_mover(content, 'publish');
  if (languages is null or content.language = any (languages)) and content.status <> 'approved'
    and (languages is null or content.status <> 'published')
  then
    perform private.refuse(
      'INVALID_TRANSITION', format('Content that is %s cannot be published.', content.status), 'move', '"publish"'
    );
  end if;
  foreach language in array coalesce(array_remove(languages, content.language), '{}') loop
    if (private.localization_of(content, language)).status not in ('approved', 'published') then
      perform private.refuse(
        'INVALID_TRANSITION', format('The translation into %s is not approved.', language), 'languages', to_jsonb(languages)
      );
    end if;
  end loop;
  if others <> '{}' then
    perform private.refuse(
      'CONFLICT',
      format('%s is scheduled already. Name it too, or cancel its schedule first.', array_to_string(others, ', ')),
      'languages', to_jsonb(languages)
    );
  end if;
  perform private.check_required_fields(content);
  perform private.check_move_comment(comment);
  update public.content c
  set scheduled_at = at, scheduled_version_number = c.version_number, scheduled_languages = languages, updated_at = now()
  where c.id = content.id
  returning * into content;
  perform private.note_content_assets(content);
  perform private.note_move(content, 'schedule', content.status, comment);
  return content;
end
$$;
comment on function private.schedule_content is
  'Schedules the publication of the current version, in place of an earlier schedule of these languages. Later saves do not change it. Errors: INVALID_TRANSITION, FORBIDDEN, VALIDATION_ERROR, CONFLICT if other languages are scheduled.';

create function private.publish_scheduled(content public.content) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  before public.content_status := content.status;
  languages text[] := content.scheduled_languages;
  number integer := content.scheduled_version_number;
begin
  update public.content c
  set scheduled_at = null, scheduled_version_number = null, scheduled_languages = null,
      -- A version that was saved since needs its own review.
      status = case
        when c.status = 'approved' and c.version_number = number and (languages is null or c.language = any (languages))
          then 'published'
        else c.status
      end
  where c.id = content.id
  returning * into content;
  if languages is null or content.language = any (languages) then
    if languages is not null then
      perform private.leave_withdrawn(content);
    end if;
    content := private.publish_version(content, number);
    perform private.note_move(content, 'publish', before, null, number);
  end if;
  update public.content_localizations l
  set status = private.status_when_published(l, number), published_version_number = number, withdrawn_version_number = null,
      last_updated = now()
  where l.content_id = content.id and l.language = any (languages);
  if found then
    if content.published_version_number is not null then
      update public.published_content p set published_at = now() where p.content_id = content.id;
      perform private.write_published_texts(content);
    end if;
    perform private.note_content_assets(content);
  end if;
  return content;
end
$$;
comment on function private.publish_scheduled is
  'Publishes the scheduled version in the scheduled languages, whatever was saved since, and ends its schedule.';

create function private.unpublish_original(content public.content, comment text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  before public.content_status := content.status;
begin
  if content.published_version_number is null then
    perform private.refuse('INVALID_TRANSITION', 'This content is not published.', 'move', '"unpublish"');
  end if;
  update public.content c
  -- Content that was changed since is a draft already.
  set status = case c.status when 'published' then 'draft' else c.status end, updated_at = now()
  where c.id = content.id
  returning * into content;
  perform private.note_move(content, 'unpublish', before, comment);
  return private.withdraw(content);
end
$$;
comment on function private.unpublish_original is 'Unpublishes a piece of content. Errors: INVALID_TRANSITION if it is not published.';

create function private.run_content_schedule() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  due public.content;
begin
  -- Row by row: a concurrent run takes other rows, and a failure stops no other row.
  for due in
    select c.* from public.content c where c.scheduled_at <= now()
    order by c.scheduled_at, c.id
    limit 1000
    for update skip locked
  loop
    begin
      perform private.publish_scheduled(due);
    exception
      when deadlock_detected or lock_not_available or serialization_failure then
        -- It stays due, and the next run publishes it.
        null;
      when others then
        perform private.unscheduled(due);
        perform private.note_move(
          due, 'schedule_failed', due.status,
          case sqlstate when '23505' then 'Other content is published under this slug.' else sqlerrm end
        );
    end;
  end loop;
  for due in
    select c.* from public.content c where c.unpublish_at <= now()
    order by c.unpublish_at, c.id
    limit 1000
    for update skip locked
  loop
    if due.published_version_number is null then
      update public.content c set unpublish_at = null where c.id = due.id;
    else
      perform private.unpublish_original(due, null);
    end if;
  end loop;
end
$$;
comment on function private.run_content_schedule() is
  'Publishes and unpublishes what is due, at most 1,000 pieces of each. Content that cannot be published, for example because its slug is taken, is not tried again; the move schedule_failed says why. After a deadlock or a lock timeout it is tried again.';

create function private.remove_content(content public.content) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  was_published boolean := content.published_version_number is not null or exists (
    select from public.content_moves m where m.content_id = content.id and m.move = 'publish'
  );
  before public.content_status := content.status;
begin
  if not was_published then
    perform private.insist_on_role(content, 'delete', 'editor');
    delete from public.content c where c.id = content.id;
    return;
  end if;
  perform private.insist_on_role(content, 'delete', 'publisher');
  if content.deleted_at is not null then
    return;
  end if;
  update public.content c
  set status = 'archived', deleted_at = now(), updated_at = now()
  where c.id = content.id
  returning * into content;
  perform private.note_move(content, 'delete', before, null);
  perform private.withdraw(content);
end
$$;
comment on function private.remove_content is
  'Deletes a draft that was never published, and archives any other content. Publishers can restore it. Errors: FORBIDDEN.';

-- supabase/schemas/content/1235_content_reading.sql

-- Reading content. Callers who may see drafts get the draft. All others get the published version in their language.

-- functions: records -----------------------------------------------------------------------------

create function private.content_languages(content public.content) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'language', l.language, 'status', l.status, 'published_version_number', l.published_version_number,
        'outdated', l.original_version_number < content.original_version_number
      )
      order by l.language
    ),
    '[]'
  )
  from public.content_localizations l
  where l.content_id = content.id
$$;
comment on function private.content_languages is 'The translations of a piece of content: status, published version, and whether the original has changed since.';

create function private.draft_texts(document jsonb, original text, language text, fallback boolean, out document_in jsonb, out served_language text)
language plpgsql immutable set search_path = ''
as $$
declare
  spoken text[] := case when fallback then private.languages_after(language) else array[language] end;
  step text;
  translation jsonb;
begin
  served_language := original;
  document_in := private.original_in(document, original);
  if language = original then
    return;
  end if;
  if not fallback then
    translation := private.translation_in(document, language);
    served_language := case when translation <> '{}' then language end;
    document_in := private.translation_alone(document_in, translation);
    return;
  end if;
  -- The nearest language comes last and replaces the texts of its fallbacks.
  for i in reverse cardinality(spoken) .. 1 loop
    step := spoken[i];
    translation := private.translation_in(document, step);
    if step <> original and translation <> '{}' then
      document_in := private.with_translation(document_in, translation);
      served_language := step;
    end if;
  end loop;
end
$$;
comment on function private.draft_texts is
  'A draft in a language, field by field. served_language: the nearest language that supplied a field; null if there is no translation and fallback is off.';

create function private.shown_assets(asset_ids uuid[], tenant_id uuid, language text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if asset_ids = '{}' then
    return jsonb '{}';
  end if;
  return (
    select coalesce(
      jsonb_object_agg(
        a.id,
        jsonb_build_object(
          'url', private.media_url(a), 'type', a.type, 'width', a.width, 'height', a.height,
          'srcset', private.srcset_of(private.media_variants(a)), 'focal_point', a.focal_point,
          'alt', coalesce(
            (
              select a.alt_texts ->> s.language
              from unnest(private.languages_after(shown_assets.language)) with ordinality as s (language, position)
              where a.alt_texts ? s.language
              order by s.position
              limit 1
            ),
            a.alt_text
          )
        )
      ),
      '{}'
    )
    from public.media_assets a
    where a.tenant_id = shown_assets.tenant_id and a.id = any (asset_ids) and a.status = 'ready' and not a.private
  );
end
$$;
comment on function private.shown_assets is 'The addresses, sizes and alternative texts of assets, by id.';

create function private.link_target(type text, id text, marketplace_id uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  publication public.published_content := private.seen_publication(type, id, marketplace_id);
  -- What is written about a product or a category is shown at its address.
  subject uuid := coalesce(
    publication.product_id, publication.category_id, case when private.is_uuid(id) then id::uuid end
  );
begin
  if type = 'products' then
    return (
      select '/products/' || p.slug from public.products p
      where p.tenant_id = private.tenant_id() and p.id = subject and p.status in ('active', 'out_of_stock')
        and p.marketplace_id = any (private.active_marketplace_ids())
    );
  elsif type = 'categories' then
    return (
      select '/categories/' || k.id from public.categories k
      where k.tenant_id = private.tenant_id() and k.id = subject
    );
  elsif publication.content_id is not null then
    return format('/%s/%s', publication.type, publication.slug);
  end if;
  return null;
end
$$;
comment on function private.link_target is
  'The relative address of content, a product or a category; null if the caller may not see it. Content about a product or a category has the address of its subject.';

create function private.link_targets(links jsonb, marketplace_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if links = '[]' then
    return jsonb '{}';
  end if;
  return (
    select coalesce(
      jsonb_object_agg(
        format('%s/%s', l.value ->> 'type', l.value ->> 'id'),
        private.link_target(l.value ->> 'type', l.value ->> 'id', link_targets.marketplace_id)
      ),
      '{}'
    )
    from jsonb_array_elements(links) as l
  );
end
$$;
comment on function private.link_targets is 'The addresses of the links of a document, by `<type>/<id>`.';

create function private.without_hidden_blocks(document jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not document @? '$.blocks[*].permissions.roles' or private.content_roles() <> '{}' then
    return document;
  end if;
  return jsonb_set(document, '{blocks}', (
    select coalesce(jsonb_agg(b.value order by b.position), '[]')
    from jsonb_array_elements(document -> 'blocks') with ordinality as b (value, position)
    where coalesce(b.value #> '{permissions,roles}', 'null') = 'null'
      or not private.is_visit() and b.value #> '{permissions,roles}' ? private.tenant_role()::text
  ));
end
$$;
comment on function private.without_hidden_blocks is 'A document without the blocks that the caller''s role may not see.';

create function private.draft_record(
  content public.content, branch text default 'main', version integer default null, language text default null,
  fallback boolean default true
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  head private.content_branches;
  document jsonb;
  served text;
begin
  select * into head
  from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = branch;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such branch.', 'branch', to_jsonb(branch));
  end if;
  document := case when version is null then head.document else private.version_document(content.id, version) end;
  if document is null then
    perform private.refuse('NOT_FOUND', 'There is no such version, or it was pruned.', 'version', to_jsonb(version));
  end if;
  if language is not null then
    select t.document_in, t.served_language into document, served
    from private.draft_texts(document, content.language, language, fallback) as t;
    if served is null then
      perform private.refuse(
        'NOT_FOUND', 'There is no translation into this language.', 'language', to_jsonb(language)
      );
    end if;
  end if;
  return document || jsonb_build_object(
    'id', content.id, 'tenant_id', content.tenant_id, 'type', content.type, 'marketplace_id', content.marketplace_id,
    'subject_id', coalesce(content.product_id, content.category_id), 'status', content.status,
    'version_number', coalesce(version, head.version_number),
    'published_version_number', content.published_version_number,
    'has_unpublished_changes', content.original_version_number > coalesce(content.published_version_number, 0),
    'scheduled_at', content.scheduled_at, 'scheduled_version_number', content.scheduled_version_number,
    'unpublish_at', content.unpublish_at, 'language', coalesce(language, content.language), 'served_language', served,
    'languages', private.content_languages(content), 'author_id', content.author_id,
    'published_at', content.published_at, 'created_at', content.created_at, 'updated_at', content.updated_at,
    'is_draft', true, 'moved_to', null, 'assets', private.shown_assets(
      private.asset_ids_in(document), content.tenant_id, coalesce(language, content.language)
    )
  );
end
$$;
comment on function private.draft_record is
  'The record of a piece of content for editors: the draft, a branch or a version. Without a language it has the title in all languages, and localizations.';

create function private.published_record(
  publication public.published_content, id text, languages text[], fallback boolean
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  requested text := coalesce(languages[1], publication.language);
  texts private.published_texts;
  document jsonb;
  visible jsonb;
begin
  select t.* into texts
  from unnest(languages) with ordinality as l (language, preference)
  cross join lateral unnest(
    case when fallback then private.languages_after(l.language) else array[l.language] end
  ) with ordinality as s (language, distance)
  join private.published_texts t
    on t.tenant_id = publication.tenant_id and t.content_id = publication.content_id and lower(t.language) = lower(s.language)
  order by l.preference, s.distance
  limit 1;
  if not found then
    if not fallback and languages is not null then
      perform private.refuse('NOT_FOUND', 'This is not published in this language.', 'language', to_jsonb(requested));
    end if;
    select t.* into texts
    from private.published_texts t
    where t.tenant_id = publication.tenant_id and t.content_id = publication.content_id and t.language = publication.language;
  end if;
  document := case
    -- Concatenation reads the stored value once.
    when fallback or texts.language = publication.language then texts.document || '{}'
    else private.translation_alone(texts.document, texts.translated)
  end;
  visible := private.without_hidden_blocks(document);
  if visible <> document then
    -- The assets and links of hidden blocks are hidden too.
    texts.asset_ids := private.asset_ids_in(visible);
    texts.links := private.links_in(visible);
  end if;
  return visible || jsonb_build_object(
    'id', publication.content_id, 'tenant_id', publication.tenant_id, 'type', publication.type,
    'marketplace_id', publication.marketplace_id, 'slug', publication.slug,
    'subject_id', coalesce(publication.product_id, publication.category_id), 'status', 'published',
    'version_number', publication.version_number, 'published_version_number', publication.version_number,
    'has_unpublished_changes', false, 'scheduled_at', null, 'scheduled_version_number', null, 'unpublish_at', null,
    'language', requested, 'served_language', texts.language,
    'languages', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'language', t.language, 'status', 'published', 'published_version_number', t.version_number, 'outdated', false
        )
        order by t.language
      ), '[]')
      from private.published_texts t
      where t.tenant_id = publication.tenant_id and t.content_id = publication.content_id
        and t.language <> publication.language
    ),
    'author_id', publication.author_id, 'published_at', publication.published_at, 'created_at', publication.created_at,
    'updated_at', publication.published_at, 'is_draft', false,
    'moved_to', case when not private.is_uuid(id) and publication.slug <> id then publication.slug end,
    'assets', private.shown_assets(texts.asset_ids, publication.tenant_id, texts.language),
    'links', private.link_targets(texts.links, publication.marketplace_id)
  );
end
$$;
comment on function private.published_record is
  'The record of a piece of content for readers, in the first available of some languages, or in the original''s. moved_to: the current slug, if the request named a former one.';

create function private.resolved_grid(content jsonb, marketplace_id uuid, is_promoted boolean) returns jsonb
-- Runs as the caller, so ranking and rights are those of the caller's own lists.
language plpgsql set search_path = ''
as $$
declare
  query jsonb := content -> 'query';
  filters private.product_filters;
  ids uuid[];
  -- Prices of a grid for all marketplaces are in the currency of the oldest one.
  currency text := case
    when resolved_grid.marketplace_id is null and (query ?| array['price_min', 'price_max'] or query ->> 'sort' = 'price')
      then (private.currencies_in_use())[1]
  end;
begin
  if content ? 'product_ids' then
    ids := array(
      select p.id
      from jsonb_array_elements_text(content -> 'product_ids') with ordinality as w (id, position)
      join public.products p on p.id = w.id::uuid
      where p.status = 'active'
      order by w.position
    );
    return coalesce(private.product_page(ids, null, null)::jsonb, '[]');
  end if;
  filters := private.product_filters(
    row(
      (query ->> 'price_min')::numeric, (query ->> 'price_max')::numeric, null, (query ->> 'supplier_id')::uuid, 'active',
      array_remove(array[query ->> 'brand'], null), null, null, null
    ),
    resolved_grid.marketplace_id, currency, null
  );
  return private.product_list(
    private.searched(query ->> 'search'),
    private.category_branches(private.tenant_id(), array_remove(array[(query ->> 'category')::uuid], null)), filters, null,
    -- Relevance and promotion have no ascending order.
    coalesce(query ->> 'sort', case query ->> 'order' when 'asc' then 'created_at' end),
    coalesce(query ->> 'order', 'desc'), least(coalesce((query ->> 'limit')::integer, 12), 1000), 0, null, is_promoted
  ) -> 'products';
exception
  -- The grid of a deleted category is empty.
  when sqlstate 'PT404' then
    return jsonb '[]';
end
$$;
comment on function private.resolved_grid is 'The products that a grid shows to the caller, ranked as in a product list. is_promoted: whether promoted products come first, marked by their field promotion.';

create function private.with_products(record jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  grids_at_most constant integer := 10;
  block record;
  marketplace uuid := (record ->> 'marketplace_id')::uuid;
begin
  for block in
    select b.value, b.position - 1 as index
    from jsonb_array_elements(record -> 'blocks') with ordinality as b (value, position)
    where b.value ->> 'type' = 'product_grid' and b.value -> 'content' <> 'null'
    order by b.position
    limit grids_at_most
  loop
    record := jsonb_set(
      record, array['blocks', block.index::text, 'products'], private.resolved_grid(block.value -> 'content', marketplace, true)
    );
  end loop;
  return record;
end
$$;
comment on function private.with_products is 'A record of content with the products of its first 10 grids.';

create function private.requested_languages(language text, preferred_languages text[]) returns text[]
language sql immutable
return case when language is null then nullif(preferred_languages[1:10], '{}') else array[language] end;
comment on function private.requested_languages is
  'The requested languages, most preferred first: `language`, or the first 10 of preferred_languages. Null if there are none.';

create function private.read_content(
  type text, id text, language text, preferred_languages text[], fallback boolean, marketplace_id uuid, version integer,
  branch text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  draft public.content := private.draft_of(type, id, marketplace_id);
  publication public.published_content;
begin
  if draft.id is not null then
    return private.draft_record(draft, coalesce(branch, 'main'), version, language, fallback);
  end if;
  if version is not null or branch is not null then
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  publication := private.seen_publication(type, id, marketplace_id);
  if publication.content_id is null then
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  return private.published_record(publication, id, private.requested_languages(language, preferred_languages), fallback);
end
$$;
comment on function private.read_content is 'As public.get_content, without products in grids.';

create function public.get_content(
  type text,
  id text,
  language text default null,
  fallback boolean default true,
  marketplace_id uuid default null,
  resolve boolean default false,
  version integer default null,
  branch text default null,
  preferred_languages text[] default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  answer jsonb;
begin
  perform private.members_only();
  if language is not null and not private.is_language(language) then
    perform private.refuse(
      'VALIDATION_ERROR', 'language must be a language tag, such as en or pt-BR.', 'language', to_jsonb(language)
    );
  end if;
  answer := private.read_content(type, id, language, preferred_languages, fallback, marketplace_id, version, branch);
  if not answer ? 'links' then
    answer := answer || jsonb_build_object(
      'links', private.link_targets(private.links_in(answer), (answer ->> 'marketplace_id')::uuid)
    );
  end if;
  return case when resolve then private.with_products(answer) else answer end;
end
$$;
comment on function public.get_content is
  'A piece of content by its id, its slug, or the id of the product or category that it describes. Callers who may see drafts get the draft, or the given version or branch. Others get the published version, in `language` or the first available of preferred_languages. resolve: with the products of its grids. Errors: NOT_FOUND, VALIDATION_ERROR.';

-- functions: lists -------------------------------------------------------------------------------

create function private.part_pattern(words text) returns text
language sql immutable set search_path = ''
as $$
  select '%' || regexp_replace(lower(words), '([\\%_])', '\\\1', 'g') || '%'
$$;
comment on function private.part_pattern is 'The pattern of LIKE for texts that contain `words` literally.';

create function private.bound_content_page(bytes numeric) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if bytes > private.cap('list_bytes') then
    perform private.refuse_beyond(
      'list_bytes', 'The documents on this page are too large. Send a smaller limit.', 'limit'
    );
  end if;
end
$$;
comment on function private.bound_content_page is 'Refuses a page whose documents together exceed the cap list_bytes, with LIMIT_REACHED.';

create function private.list_drafts(
  type text, status public.content_status, marketplace_id uuid, search text, language text, "order" text, size integer,
  skipped bigint
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  condition text := 'c.tenant_id = $1 and c.type = $2'
    || case when private.content_roles() = '{}' then ' and c.supplier_id = $3' else '' end
    || case when status is null then '' else ' and c.status = $4' end
    || case when marketplace_id is null then '' else ' and c.marketplace_id = $5' end
    || case when search is null then '' else ' and (c.slug like $6 or lower(c.title::text) like $6)' end;
  -- Search results and the content of a supplier are few, so they are counted row by row.
  is_counted boolean := search is null and private.content_roles() <> '{}';
  ids uuid[];
  total bigint;
begin
  execute format(
    $query$
      select
        array(select c.id from public.content c where %1$s order by c.updated_at %2$s, c.id offset $7 limit $8),
        %3$s
    $query$,
    condition, case "order" when 'asc' then 'asc' else 'desc' end,
    case when is_counted then 'private.number_of_drafts($2, $4, $5)'
      else format('(select count(*) from public.content c where %s)', condition)
    end
  )
  into ids, total
  using
    private.tenant_id(), type, private.supplier_id(), status, marketplace_id, private.part_pattern(search), skipped, size;
  perform private.bound_content_page((
    select sum(v.bytes)
    from public.content c
    join private.content_versions v on v.content_id = c.id and v.version_number = c.version_number
    where c.id = any (ids)
  ));
  return jsonb_build_object('total', total, 'content', (
    select coalesce(jsonb_agg(private.draft_record(c, language => list_drafts.language) order by shown.position), '[]')
    from unnest(ids) with ordinality as shown (id, position)
    join public.content c on c.id = shown.id
  ));
end
$$;
comment on function private.list_drafts is 'A page of the content of a type, for editors.';

create function private.list_published(
  type text, marketplace_id uuid, search text, languages text[], "order" text, size integer, skipped bigint
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  condition text := 'p.tenant_id = $1 and p.type = $2 and (p.visibility = ''public'''
    || case when private.is_guest() then '' else ' or p.visibility = ''members''' end
    || case when private.is_visit() then ') and p.marketplace_id = private.marketplace_id()'
      else ' or p.visibility = ''roles'' and $3 = any (p.visible_to))' end
    || case when marketplace_id is null then '' else ' and p.marketplace_id = $4' end
    || case when search is null then '' else ' and (p.slug like $5 or lower(p.title::text) like $5)' end;
  ids uuid[];
  total bigint;
begin
  execute format(
    $query$
      select
        array(
          select p.content_id from public.published_content p where %1$s
          order by p.published_at %2$s, p.content_id offset $6 limit $7
        ),
        %3$s
    $query$,
    condition, case "order" when 'asc' then 'asc' else 'desc' end,
    case when search is null then 'private.number_of_published($2, $4)'
      else format('(select count(*) from public.published_content p where %s)', condition)
    end
  )
  into ids, total
  using private.tenant_id(), type, private.tenant_role(), marketplace_id, private.part_pattern(search), skipped, size;
  perform private.bound_content_page((
    select sum(l.bytes)
    from (
      select max(t.bytes) as bytes
      from private.published_texts t
      where t.tenant_id = private.tenant_id() and t.content_id = any (ids)
      group by t.content_id
    ) as l
  ));
  return jsonb_build_object('total', total, 'content', (
    select coalesce(jsonb_agg(private.published_record(p, p.slug, list_published.languages, true) order by shown.position), '[]')
    from unnest(ids) with ordinality as shown (id, position)
    join public.published_content p on p.content_id = shown.id
  ));
end
$$;
comment on function private.list_published is 'A page of the published content of a type that the caller may read.';

create function public.list_content(
  type text,
  status public.content_status default null,
  marketplace_id uuid default null,
  search text default null,
  language text default null,
  preferred_languages text[] default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
begin
  perform private.members_only();
  perform private.content_type_of(type);
  search := private.searched(search);
  if private.content_roles() <> '{}' or type = 'products' and private.supplier_id() is not null then
    return private.list_drafts(type, status, marketplace_id, search, language, "order", size, skipped);
  elsif status is distinct from 'published' and status is not null then
    return jsonb_build_object('content', jsonb '[]', 'total', 0);
  end if;
  return private.list_published(
    type, marketplace_id, search, private.requested_languages(language, preferred_languages), "order", size, skipped
  );
end
$$;
comment on function public.list_content is
  'A page of the content of a type, newest first by default: drafts for callers who may see them, published content for others. search: a part of slug or title. Errors: NOT_FOUND, LIMIT_REACHED.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.read_content, private.requested_languages, private.links_in, private.link_targets, private.resolved_grid,
  private.with_products, private.list_drafts, private.list_published
to authenticated, service_role;
grant execute on function public.get_content, public.list_content to authenticated;

-- supabase/schemas/content/1240_content_api.sql

-- The public functions of content. supabase-js can call them too. The edge functions add merging.

-- tables ---------------------------------------------------------------------------------------

create table private.content_previews (
  token_sha256 bytea not null,
  tenant_id uuid not null,
  content_id uuid not null,
  branch text not null,
  made_by uuid references auth.users (id) on delete cascade,
  expires_at timestamptz not null,
  -- In this order for lookups by token.
  constraint content_previews_pkey primary key (token_sha256, tenant_id),
  constraint content_previews_content_id_fkey foreign key (tenant_id, content_id)
    references public.content (tenant_id, id) on delete cascade
);
comment on table private.content_previews is 'Tokens that read a draft without a session, until expires_at. Only the digest of a token is stored.';

create index content_previews_content_idx on private.content_previews (tenant_id, content_id);
create index content_previews_made_by_idx on private.content_previews (made_by);
create index content_previews_expires_at_idx on private.content_previews (expires_at);

-- functions: settings ----------------------------------------------------------------------------

create function private.check_content_settings() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  settings jsonb := new.settings -> 'content';
begin
  perform private.insist_on_keys(settings, 'settings.content', array['four_eyes', 'keep_versions', 'preview_url']);
  perform private.refuse_all(
    private.fault_unless(
      jsonb_typeof(coalesce(settings -> 'four_eyes', 'false')) = 'boolean', 'settings.content.four_eyes', 'true or false',
      settings -> 'four_eyes'
    )
    || private.fault_unless(
      settings -> 'keep_versions' is null
        or jsonb_typeof(settings -> 'keep_versions') = 'number' and settings ->> 'keep_versions' ~ '^[1-9]\d{0,5}$'
          and (settings ->> 'keep_versions')::integer <= private.cap('versions_per_content'),
      'settings.content.keep_versions', format('a whole number from 1 to %s', private.cap('versions_per_content')),
      settings -> 'keep_versions'
    )
    || private.fault_unless(
      settings -> 'preview_url' is null or private.is_address(settings -> 'preview_url'), 'settings.content.preview_url',
      'an address (https://…)', settings -> 'preview_url'
    )
  );
  return new;
end
$$;
comment on function private.check_content_settings() is
  'Row trigger: checks the tenant''s settings of content: four_eyes, keep_versions, preview_url.';

-- functions: beginning and saving ----------------------------------------------------------------

create function public.create_content(
  type text, document jsonb, marketplace_id uuid default null, subject_id uuid default null, comment text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content;
begin
  -- A separate statement, so that the next one sees its rows.
  content := private.create_content(private.content_type_of(type), document, marketplace_id, subject_id, comment);
  return private.draft_record(content);
end
$$;
comment on function public.create_content is
  'Creates a draft and returns its record. document: slug, title (by language), content, blocks, fields, layout, seo, visibility, visible_to, localizations; missing parts are empty. Errors: CONFLICT if the slug is taken or the subject already has content, VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN, NOT_FOUND.';

create function public.save_content(
  type text, id text, version_number integer, changes jsonb, branch text default 'main', comment text default null,
  autosave boolean default false
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited(type, id);
begin
  content := private.save_changes(content, branch, version_number, changes, comment, autosave);
  return private.draft_record(content, branch);
end
$$;
comment on function public.save_content is
  'Saves the sent parts of a document on top of version_number, and returns the record. Errors: CONFLICT if there is a newer version (details.version_number) or the slug is taken, VALIDATION_ERROR, FORBIDDEN, NOT_FOUND.';

create function public.rollback_content(
  type text, id text, to_version integer, version_number integer default null, comment text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited(type, id);
  document jsonb := private.version_document(content.id, to_version);
begin
  if document is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it was pruned.', 'version_number', to_jsonb(to_version)
    );
  end if;
  content := private.save_draft(
    content, 'main', coalesce(rollback_content.version_number, content.version_number), document,
    coalesce(comment, format('Back to version %s', to_version))
  );
  return private.draft_record(content) || jsonb_build_object(
    'missing', array(select m.path from private.missing_references(content, document) as m order by m.path)
  );
end
$$;
comment on function public.rollback_content is
  'Saves the document of an earlier version as a new version. missing: the paths that name assets or products that were removed since. Errors: NOT_FOUND, CONFLICT, FORBIDDEN.';

create function public.delete_content(type text, id text) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.remove_content(private.edited(type, id, null));
end
$$;
comment on function public.delete_content is
  'Deletes a draft that was never published. Archives any other content, for publishers. Errors: NOT_FOUND, FORBIDDEN.';

-- functions: merging -----------------------------------------------------------------------------

create function public.content_to_merge(
  type text, id text, version_number integer, branch text default 'main', key_only boolean default false
) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.merge_sides(private.editable(type, id, 'editor'), version_number, null, branch, key_only);
end
$$;
comment on function public.content_to_merge is
  'The documents for merging a stale save: base (the version that it began from) and ours (the head of the branch), each {version_number, document}. key is the same as long as they are; with key_only nothing else is returned. Errors: NOT_FOUND, FORBIDDEN.';

create function private.merge_sides(
  content public.content, base integer, from_branch text, into_branch text, key_only boolean default false
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  theirs private.content_branches;
  ours private.content_branches;
  key text;
begin
  select * into ours
  from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = into_branch;
  select * into theirs
  from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = from_branch;
  if ours.name is null or from_branch is not null and theirs.name is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such branch.', case when ours.name is null then 'into' else 'from' end
    );
  end if;
  base := coalesce(base, private.common_version(content.id, ours.version_number, theirs.version_number));
  -- Versions never change.
  key := concat_ws('.', content.id, base, ours.version_number, theirs.version_number);
  if key_only then
    return jsonb_build_object('key', key);
  end if;
  return jsonb_build_object(
    'key', key,
    'base', jsonb_build_object('version_number', base, 'document', private.version_document(content.id, base)),
    'ours', jsonb_build_object('version_number', ours.version_number, 'document', ours.document),
    'theirs', case when theirs.name is not null then
      jsonb_build_object('version_number', theirs.version_number, 'document', theirs.document)
    end
  );
end
$$;
comment on function private.merge_sides is
  'The documents that a merge compares, and a key that names their versions. The base document is null if it was pruned.';

create function public.branches_to_merge(
  type text, id text, "from" text, "into" text, key_only boolean default false
) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.merge_sides(private.editable(type, id, 'editor'), null, "from", "into", key_only);
end
$$;
comment on function public.branches_to_merge is
  'The documents for merging one branch into another: base (their nearest common version), ours (the head of into) and theirs (the head of from). key and key_only: as content_to_merge. Errors: NOT_FOUND, FORBIDDEN.';

create function public.merge_content(
  type text, id text, "from" text, "into" text, from_version integer, into_version integer, document jsonb,
  comment text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited(type, id);
  sides jsonb := private.merge_sides(content, null, "from", "into");
begin
  if (sides #>> '{theirs,version_number}')::integer is distinct from from_version then
    perform private.refuse_stale(from_version, (sides #>> '{theirs,version_number}')::integer);
  elsif (sides #>> '{ours,version_number}')::integer is distinct from into_version then
    perform private.refuse_stale(into_version, (sides #>> '{ours,version_number}')::integer);
  elsif (sides #>> '{base,version_number}')::integer = from_version then
    -- `into` already has all of `from`.
    return private.draft_record(content, "into");
  end if;
  content := private.save_merge(
    content, "into", into_version, from_version, document, sides, comment
  );
  return private.draft_record(content, "into");
end
$$;
comment on function public.merge_content is
  'Saves a merged document as a version with two parents. Saves nothing if `into` already has all of `from`. from_version and into_version are the merged versions. Errors: CONFLICT if either branch has a newer version, VALIDATION_ERROR, FORBIDDEN, NOT_FOUND.';

create function private.save_merge(
  content public.content, into_branch text, into_version integer, from_version integer, document jsonb, sides jsonb,
  comment text
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  type public.content_types := private.content_type_of(content.type);
  before jsonb := sides #> '{ours,document}';
  whole jsonb := private.whole_document(document, type, content.language);
begin
  whole := private.without_old_translations(private.without_old_translations(whole, before), sides #> '{theirs,document}');
  perform private.check_document(type, content.language, whole, before);
  perform private.check_references(content, whole, before, sides #> '{theirs,document}');
  return private.save_draft(content, into_branch, into_version, whole, comment, merged_from => from_version);
end
$$;
comment on function private.save_merge is 'Checks and saves a merged document. sides: the documents that were merged.';

create function public.create_content_branch(type text, id text, name text, from_version integer default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.open_branch(private.edited(type, id), name, from_version);
end
$$;
comment on function public.create_content_branch is
  'Creates a branch at a version, or at the head of main. Errors: CONFLICT if the name is taken, LIMIT_REACHED, NOT_FOUND, FORBIDDEN.';

create function private.open_branch(content public.content, name text, from_version integer) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  number integer := coalesce(from_version, content.version_number);
  document jsonb := private.version_document(content.id, number);
  opened private.content_branches;
begin
  if document is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it was pruned.', 'from_version', to_jsonb(from_version)
    );
  elsif private.cap('branches_per_content') <= (
    select count(*) from private.content_branches b where b.tenant_id = content.tenant_id and b.content_id = content.id
  ) then
    perform private.refuse_beyond('branches_per_content', 'This content has the maximum number of branches.');
  end if;
  insert into private.content_branches (tenant_id, content_id, name, version_number, document)
  values (content.tenant_id, content.id, open_branch.name, number, document)
  on conflict on constraint content_branches_pkey do nothing
  returning * into opened;
  if opened.name is null then
    perform private.refuse('CONFLICT', 'A branch with this name already exists.', 'name', to_jsonb(name));
  end if;
  return private.branch_record(opened);
end
$$;
comment on function private.open_branch is 'Creates a branch of a piece of content.';

create function private.branch_record(branch private.content_branches) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('name', branch.name, 'version_number', branch.version_number, 'created_at', branch.created_at)
$$;
comment on function private.branch_record is 'The record of a branch.';

create function public.list_content_branches(type text, id text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.branches_of(private.seen_draft(type, id));
end
$$;
comment on function public.list_content_branches is 'The branches of a piece of content, main first. Errors: NOT_FOUND.';

create function private.branches_of(content public.content) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_agg(private.branch_record(b) order by b.name <> 'main', private.sort_name(b.name) collate "C", b.name collate "C")
  from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id
$$;
comment on function private.branches_of is 'The branches of a piece of content.';

create function public.delete_content_branch(type text, id text, name text) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.close_branch(private.edited(type, id), name);
end
$$;
comment on function public.delete_content_branch is
  'Deletes a branch and keeps its versions. Errors: CONFLICT for main, NOT_FOUND, FORBIDDEN.';

create function private.close_branch(content public.content, name text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if name = 'main' then
    perform private.refuse('CONFLICT', 'The branch main cannot be deleted.');
  end if;
  delete from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = close_branch.name;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such branch.', 'name', to_jsonb(name));
  end if;
  perform private.note_content_assets(content);
end
$$;
comment on function private.close_branch is 'Deletes a branch of a piece of content.';

-- functions: history -----------------------------------------------------------------------------

create function private.seen_draft(type text, id text) returns public.content
language plpgsql stable security definer set search_path = ''
as $$
declare
  content public.content := private.draft_of(type, id);
begin
  if content.id is null then
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  return content;
end
$$;
comment on function private.seen_draft is 'A piece of content whose draft the caller may see. Errors: NOT_FOUND.';

create function private.version_record(version private.content_versions) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'id', version.id, 'content_id', version.content_id, 'version_number', version.version_number,
    'parents', version.parents, 'branch', version.branch, 'changes', version.changes, 'author_id', version.author_id,
    'timestamp', version.created_at, 'comment', version.comment, 'autosave', version.autosave, 'bytes', version.bytes
  )
$$;
comment on function private.version_record is 'The record of a version, without its document.';

create function private.versions_of(content public.content, "order" text, size integer, skipped bigint) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  numbers integer[];
begin
  execute format(
    $query$
      select array(
        select v.version_number from private.content_versions v
        where v.content_id = $1 and v.body is not null
        order by v.version_number %s
        offset $2 limit $3
      )
    $query$,
    case "order" when 'asc' then 'asc' else 'desc' end
  )
  into numbers
  using content.id, skipped, size;
  return jsonb_build_object(
    'versions', (
      select coalesce(jsonb_agg(private.version_record(v) order by shown.position), '[]')
      from unnest(numbers) with ordinality as shown (number, position)
      join private.content_versions v on v.content_id = content.id and v.version_number = shown.number
    ),
    'total', (select count(*) from private.content_versions v where v.content_id = content.id and v.body is not null)
  );
end
$$;
comment on function private.versions_of is 'A page of the stored versions of a piece of content.';

create function public.list_content_versions(
  type text, id text, page integer default 1, "limit" integer default 100, "order" text default 'desc'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  return private.versions_of(
    private.seen_draft(type, id), "order", size, (greatest(page, 1)::bigint - 1) * size
  );
end
$$;
comment on function public.list_content_versions is
  'A page of the versions of a piece of content, newest first by default. Errors: NOT_FOUND.';

create function public.get_content_version(type text, id text, version_number integer) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.version_of(private.seen_draft(type, id), version_number);
end
$$;
comment on function public.get_content_version is
  'A version of a piece of content with its document. Errors: NOT_FOUND, also for a pruned version.';

create function private.version_of(content public.content, version_number integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  version private.content_versions;
begin
  select * into version
  from private.content_versions v
  where v.content_id = content.id and v.version_number = version_of.version_number and v.body is not null;
  if not found then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it was pruned.', 'version', to_jsonb(version_number)
    );
  end if;
  return private.version_record(version)
    || jsonb_build_object('document', private.version_document(content.id, version_number));
end
$$;
comment on function private.version_of is 'A version with its document.';

create function public.compare_content(type text, id text, from_version integer, to_version integer) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  content public.content := private.seen_draft(type, id);
  one jsonb := private.version_document(content.id, from_version);
  other jsonb := private.version_document(content.id, to_version);
begin
  if one is null or other is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it was pruned.', case when one is null then 'from' else 'to' end
    );
  end if;
  return jsonb_build_object('from', one, 'to', other);
end
$$;
comment on function public.compare_content is 'The documents of two versions of a piece of content. Errors: NOT_FOUND.';

create function private.moves_of(content public.content, "order" text, size integer, skipped bigint) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  ids uuid[];
begin
  execute format(
    $query$
      select array(
        select m.id from public.content_moves m
        where m.tenant_id = $1 and m.content_id = $2
        order by m.created_at %1$s, m.id %1$s
        offset $3 limit $4
      )
    $query$,
    case "order" when 'asc' then 'asc' else 'desc' end
  )
  into ids
  using content.tenant_id, content.id, skipped, size;
  return jsonb_build_object(
    'moves', (
      select coalesce(jsonb_agg(to_jsonb(m) order by shown.position), '[]')
      from unnest(ids) with ordinality as shown (id, position)
      join public.content_moves m on m.id = shown.id
    ),
    'total', (
      select count(*) from public.content_moves m where m.tenant_id = content.tenant_id and m.content_id = content.id
    )
  );
end
$$;
comment on function private.moves_of is 'A page of the moves of a piece of content.';

create function public.list_content_moves(
  type text, id text, page integer default 1, "limit" integer default 100, "order" text default 'desc'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  return private.moves_of(
    private.seen_draft(type, id), "order", size, (greatest(page, 1)::bigint - 1) * size
  );
end
$$;
comment on function public.list_content_moves is
  'A page of the moves of a piece of content, newest first by default. Errors: NOT_FOUND.';

-- functions: moves -------------------------------------------------------------------------------

create function public.move_content(type text, id text, move text, comment text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited_by_any(type, id);
begin
  if move = 'unpublish' then
    return public.unpublish_content(type, id, null, comment);
  end if;
  content := private.move_content(content, move, comment);
  content := private.follow_workflow(content, move);
  return private.draft_record(content);
end
$$;
comment on function public.move_content is
  'Makes a move of a piece of content (submit, approve, reject, publish, unpublish, archive, restore) and returns its record. Errors: INVALID_TRANSITION, FORBIDDEN, VALIDATION_ERROR, CONFLICT, NOT_FOUND.';

create function private.edited_by_any(type text, id text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  content public.content := private.seen_draft(type, id);
begin
  select * into content from public.content c where c.id = content.id for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  return content;
end
$$;
comment on function private.edited_by_any is
  'A piece of content whose draft the caller may see, locked until the transaction ends. The move checks the role. Errors: NOT_FOUND.';

create function public.publish_content(
  type text, id text, at timestamptz default null, until timestamptz default null, languages text[] default null,
  comment text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited_by_any(type, id);
begin
  content := private.publish_from_until(content, at, until, languages, comment);
  return private.draft_record(content);
end
$$;
comment on function public.publish_content is
  'Publishes a piece of content, or only the given languages, now or at a time, and until a time. Named languages that are published already stay so. Returns the record. Errors: INVALID_TRANSITION, FORBIDDEN, CONFLICT, VALIDATION_ERROR, NOT_FOUND.';

create function private.publish_from_until(
  content public.content, at timestamptz, until timestamptz, languages text[], comment text
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  is_original boolean := languages is null or content.language = any (languages);
  -- An original that is live already keeps its end, unless a new one is sent.
  sets_end boolean := is_original and (until is not null or at is not null or content.status <> 'published');
begin
  perform private.insist(at is null or at > now(), 'at', 'in the future', to_jsonb(at));
  perform private.insist(until is null or until > coalesce(at, now()), 'until', 'after at, and in the future', to_jsonb(until));
  perform private.insist(
    languages is null or cardinality(languages) > 0, 'languages', 'a list of languages, or absent', to_jsonb(languages)
  );
  -- A translation ends when its original ends.
  perform private.insist(until is null or is_original, 'until', 'absent if languages does not contain the original''s language', to_jsonb(until));
  content := case
    when at is null then private.publish_languages(content, languages, comment)
    else private.schedule_content(content, at, languages, comment)
  end;
  update public.content c
  set unpublish_at = case when sets_end then until else c.unpublish_at end
  where c.id = content.id
  returning * into content;
  return content;
end
$$;
comment on function private.publish_from_until is 'Publishes now or schedules the publication and its end.';

create function public.unpublish_content(type text, id text, languages text[] default null, comment text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited_by_any(type, id);
begin
  content := private.unpublish_languages(content, languages, comment);
  return private.draft_record(content);
end
$$;
comment on function public.unpublish_content is
  'Unpublishes a piece of content, or only the given languages, takes them out of the schedule, and returns the record. Errors: INVALID_TRANSITION, FORBIDDEN, NOT_FOUND.';

create function private.unpublish_languages(content public.content, languages text[], comment text) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  language text;
begin
  perform private.insist_on_mover(content, 'unpublish');
  perform private.check_move_comment(comment);
  for language in select distinct l from unnest(languages) as l loop
    if language <> content.language then
      content := private.withdraw_translation(content, language);
    end if;
  end loop;
  if languages is null or content.language = any (languages) then
    return private.unpublish_original(content, comment);
  end if;
  return content;
end
$$;
comment on function private.unpublish_languages is 'Unpublishes the original, or only the given languages.';

create function public.cancel_content_schedule(type text, id text) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited_by_any(type, id);
begin
  content := private.unschedule(content);
  return private.draft_record(content);
end
$$;
comment on function public.cancel_content_schedule is
  'Cancels the scheduled publication and the scheduled end, and returns the record. Errors: FORBIDDEN, NOT_FOUND.';

create function private.unschedule(content public.content) returns public.content
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.insist_on_mover(content, 'publish');
  update public.content c set unpublish_at = null, updated_at = now() where c.id = content.id returning * into content;
  return private.unscheduled(content);
end
$$;
comment on function private.unschedule is 'Cancels the schedule of a piece of content.';

-- functions: translations ------------------------------------------------------------------------

create function private.localization_record(content public.content, language text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  localization public.content_localizations := private.localization_of(content, language);
  document jsonb := (
    select b.document
    from private.content_branches b
    where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = 'main'
  );
begin
  return jsonb_build_object(
    'content_id', content.id, 'language', language, 'status', localization.status,
    'translator_id', localization.translator_id, 'last_updated', localization.last_updated,
    'published_version_number', localization.published_version_number,
    'outdated', localization.original_version_number < content.original_version_number,
    'version_number', content.version_number, 'title', null, 'content', null, 'seo', jsonb '{}', 'fields', jsonb '{}',
    'blocks', jsonb '[]'
  ) || private.translation_in(document, language);
end
$$;
comment on function private.localization_record is 'A translation: its status, and its texts in the draft.';

create function public.get_localization(type text, id text, language text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.localization_record(private.seen_draft(type, id), language);
end
$$;
comment on function public.get_localization is 'A translation of a piece of content, for callers who may see its draft. Errors: NOT_FOUND.';

create function public.save_localization(
  type text, id text, language text, version_number integer, changes jsonb, comment text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  before public.content := private.edited(type, id);
  content public.content;
begin
  content := private.save_changes(
    before, 'main', version_number, private.localized_changes(before, language, changes), comment, false
  );
  if content.version_number = before.version_number and changes <> '{}' then
    perform private.confirm_translation(content, language);
  end if;
  return private.localization_record(content, language);
end
$$;
comment on function public.save_localization is
  'Saves the sent parts of a translation (title, content, seo, fields, blocks) on top of version_number, and returns the translation. null removes a part. The same texts again confirm a translation that is outdated. Errors: as save_content.';

create function private.confirm_translation(content public.content, language text) returns void
language sql security definer set search_path = ''
as $$
  update public.content_localizations l
  set original_version_number = content.original_version_number, last_updated = now()
  where l.content_id = content.id and l.language = confirm_translation.language
    and l.original_version_number < content.original_version_number
$$;
comment on function private.confirm_translation is 'Records that a translation is right for the original of now.';

create function private.localized_changes(content public.content, language text, changes jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  document jsonb := (
    select b.document
    from private.content_branches b
    where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = 'main'
  );
  titles jsonb := document -> 'title';
  texts jsonb := coalesce(document -> 'localizations' -> language, '{}') || (changes - 'title');
begin
  perform private.known_only(changes, array['title', 'content', 'seo', 'fields', 'blocks']);
  perform private.insist(language <> content.language, 'language', 'a language other than the original''s', to_jsonb(language));
  if changes ? 'title' then
    titles := case when changes -> 'title' = 'null' then titles - language
      else titles || jsonb_build_object(language, changes -> 'title')
    end;
  end if;
  return jsonb_build_object(
    'title', titles,
    'localizations', (document -> 'localizations') || jsonb_build_object(language, (
      select coalesce(jsonb_object_agg(t.key, t.value), '{}') from jsonb_each(texts) as t where t.value <> 'null'
    ))
  );
end
$$;
comment on function private.localized_changes is 'The changes of a document that a change of a translation makes.';

create function public.set_localization_status(
  type text, id text, language text, status public.translation_status
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  content public.content := private.edited_by_any(type, id);
begin
  perform private.move_translation(content, language, status);
  return private.localization_record(content, language);
end
$$;
comment on function public.set_localization_status is
  'Moves a translation by one status (draft, in_progress, review, approved, published), or back to draft, and returns it. Errors: INVALID_TRANSITION, FORBIDDEN, NOT_FOUND.';

-- functions: previews ----------------------------------------------------------------------------

create function public.create_content_preview(type text, id text, branch text default 'main', language text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.open_preview(private.seen_draft(type, id), branch, language);
end
$$;
comment on function public.create_content_preview is
  'Creates a token that reads a draft without a session for 24 hours: {url, token, expires_at}. Errors: NOT_FOUND.';

create function private.open_preview(content public.content, branch text, language text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  token text := translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
  ends timestamptz := now() + interval '24 hours';
  address text := (select t.settings #>> '{content,preview_url}' from public.tenants t where t.id = content.tenant_id);
begin
  if not exists (
    select
    from private.content_branches b
    where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = branch
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such branch.', 'branch', to_jsonb(branch));
  end if;
  insert into private.content_previews (token_sha256, tenant_id, content_id, branch, made_by, expires_at)
  values (sha256(convert_to(token, 'utf8')), content.tenant_id, content.id, branch, auth.uid(), ends);
  return jsonb_build_object(
    'token', token, 'expires_at', ends, 'url', replace(replace(replace(replace(
      address, '{type}', content.type), '{slug}', content.slug), '{language}', coalesce(language, content.language)), '{token}', token)
  );
end
$$;
comment on function private.open_preview is 'Creates a preview token for a draft.';

create function public.delete_content_preview(type text, id text) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.close_previews(private.seen_draft(type, id));
end
$$;
comment on function public.delete_content_preview is 'Revokes all previews of a piece of content. Errors: NOT_FOUND.';

create function private.close_previews(content public.content) returns void
language sql security definer set search_path = ''
as $$
  delete from private.content_previews p where p.tenant_id = content.tenant_id and p.content_id = content.id
$$;
comment on function private.close_previews is 'Revokes all previews of a piece of content.';

create function private.public_links(links jsonb, content public.content) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_object_agg(
    format('%s/%s', l.type, l.id),
    coalesce(
      (
        select format('/%s/%s', p.type, p.slug)
        from public.published_content p
        where p.tenant_id = content.tenant_id and p.type = l.type and p.visibility = 'public'
          and case
            when private.is_uuid(l.id) then l.id::uuid in (p.content_id, p.product_id, p.category_id)
            else p.slug = l.id and p.marketplace_id = content.marketplace_id
          end
        order by p.marketplace_id <> content.marketplace_id, p.content_id
        limit 1
      ),
      case when l.type in ('products', 'categories') and private.is_uuid(l.id) then format('/%s/%s', l.type, l.id) end
    )
  ), '{}')
  from (select e.value ->> 'type' as type, e.value ->> 'id' as id from jsonb_array_elements(links) as e) as l
$$;
comment on function private.public_links is 'The addresses of the links of a draft, for a reader without a session.';

create function public.preview_content(type text, id text, token text, language text default null) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  content public.content;
  preview private.content_previews;
  answer jsonb;
begin
  select p.* into preview
  from private.content_previews p
  join public.content c on c.id = p.content_id
  join public.members m on m.tenant_id = p.tenant_id and m.user_id = p.made_by and m.status = 'active'
    -- The same as private.roles_for(), of somebody else.
    and (m.role = 'admin' or m.content_roles <> '{}' or m.supplier_id = c.supplier_id)
  where p.token_sha256 = sha256(convert_to(token, 'utf8')) and p.expires_at > now();
  select c.* into content
  from public.content c
  where c.id = preview.content_id and c.type = preview_content.type
    and preview_content.id in (c.id::text, c.slug, c.product_id::text, c.category_id::text);
  if content.id is null then
    perform private.refuse('NOT_FOUND', 'There is no such preview, or it has expired.');
  end if;
  answer := private.draft_record(content, preview.branch, null, language);
  return answer || jsonb_build_object('links', private.public_links(private.links_in(answer), content));
end
$$;
comment on function public.preview_content is 'For the edge functions: the draft of a preview token, while its creator may see the draft. Errors: NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_check_content_settings
  before insert or update of settings on public.tenants
  for each row when (new.settings ? 'content')
  execute function private.check_content_settings();

-- policies -------------------------------------------------------------------------------------

alter table private.content_previews enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.create_content, private.save_changes, private.save_draft, private.save_merge, private.merge_sides,
  private.open_branch, private.close_branch, private.branches_of, private.seen_draft, private.versions_of, private.version_of,
  private.version_document, private.missing_references, private.moves_of, private.edited_by_any, private.move_content,
  private.follow_workflow, private.publish_from_until,
  private.unpublish_languages, private.unschedule, private.localization_record, private.localized_changes,
  private.move_translation, private.confirm_translation, private.open_preview, private.close_previews, private.public_links, private.remove_content, private.draft_record,
  private.refuse_stale
to authenticated, service_role;
grant select on private.content_previews to service_role;
grant execute on function
  public.create_content, public.save_content, public.rollback_content, public.delete_content, public.content_to_merge,
  public.branches_to_merge, public.merge_content, public.create_content_branch, public.list_content_branches,
  public.delete_content_branch, public.list_content_versions, public.get_content_version, public.compare_content, public.list_content_moves,
  public.move_content, public.publish_content, public.unpublish_content, public.cancel_content_schedule,
  public.get_localization, public.save_localization, public.set_localization_status,
  public.create_content_preview, public.delete_content_preview
to authenticated;

-- supabase/schemas/content/1245_content_events.sql

-- The events of content: created, status_changed, published, deleted.

-- functions ------------------------------------------------------------------------------------

create function private.content_event_data(content public.content) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('content', jsonb_build_object(
    'id', content.id, 'tenant_id', content.tenant_id, 'marketplace_id', content.marketplace_id, 'type', content.type,
    'slug', content.slug, 'subject_id', coalesce(content.product_id, content.category_id), 'title', content.title,
    'status', content.status, 'author_id', content.author_id, 'version_number', content.version_number,
    'published_version_number', content.published_version_number, 'created_at', content.created_at,
    'updated_at', content.updated_at
  ))
$$;
comment on function private.content_event_data is 'The data of an event about content, without its texts.';

create function private.emit_content_event() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  content public.content := case when tg_op = 'DELETE' then old else new end;
  data jsonb := private.content_event_data(content);
begin
  if tg_op = 'DELETE' and not exists (select from public.tenants t where t.id = content.tenant_id) then
    -- No events while the tenant itself is deleted.
    return null;
  end if;
  if tg_op = 'UPDATE' and old.status <> new.status then
    perform private.emit(
      content.tenant_id, 'content.status_changed', data,
      jsonb_build_object('content_id', content.id, 'old_status', old.status, 'new_status', new.status),
      content.marketplace_id, content.status::text
    );
  end if;
  if tg_op <> 'UPDATE' or old.deleted_at is null and new.deleted_at is not null then
    perform private.emit(
      content.tenant_id, case when tg_op = 'INSERT' then 'content.created' else 'content.deleted' end, data,
      marketplace_id => content.marketplace_id, status => content.status::text
    );
  end if;
  return null;
end
$$;
comment on function private.emit_content_event() is 'Row trigger: emits content.created, content.status_changed and content.deleted.';

create function private.emit_content_published() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  content public.content := (select c from public.content c where c.id = new.content_id);
begin
  perform private.emit(
    new.tenant_id, 'content.published', private.content_event_data(content),
    marketplace_id => new.marketplace_id, status => content.status::text
  );
  return null;
end
$$;
comment on function private.emit_content_published() is 'Row trigger at commit: emits content.published.';

-- triggers -------------------------------------------------------------------------------------

create trigger content_emit_created
  after insert on public.content
  for each row execute function private.emit_content_event();

create trigger content_emit_changes
  after update of status, deleted_at on public.content
  for each row when (old.status <> new.status or old.deleted_at is distinct from new.deleted_at)
  execute function private.emit_content_event();

create trigger content_emit_deleted
  after delete on public.content
  for each row execute function private.emit_content_event();

create constraint trigger published_content_emit_published
  after insert on public.published_content
  deferrable initially deferred
  for each row execute function private.emit_content_published();

-- published_at is the time of the transaction, so several languages published together emit one event.
create constraint trigger published_content_emit_published_again
  after update of published_at on public.published_content
  deferrable initially deferred
  for each row when (old.published_at <> new.published_at)
  execute function private.emit_content_published();

-- supabase/schemas/templates/1300_template_parts.sql

-- The parts of a template: variables, conditions, blocks, sections and inheritance. These rules hold for every caller. The
-- edge functions also check when a template is saved that its texts can be rendered safely. A text that was saved by
-- supabase-js, without that check, is checked when it is rendered.

create type public.page_type as enum ('homepage', 'category', 'product', 'checkout', 'profile', 'search_results');
create type public.component_category as enum ('layout', 'navigation', 'form', 'content', 'ecommerce', 'media', 'feedback');

-- functions: values ------------------------------------------------------------------------------

create function private.insist_on_list(value jsonb, field text, most integer) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist(
    case when jsonb_typeof(value) = 'array' then jsonb_array_length(value) <= most end, field,
    format('a list of at most %s', most), null
  );
end
$$;
comment on function private.insist_on_list is 'Refuses a value that is not a list, or has more than `most` items.';

create function private.check_template_variable(definition jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  rule record;
begin
  perform private.insist_on_keys(
    definition, field, array['name', 'type', 'default_value', 'required', 'description', 'validation']
  );
  perform private.insist(
    private.is_text(definition -> 'name', 1, 50, '^[a-z][a-z0-9_]*$'), field || '.name',
    'up to 50 small letters, digits and underscores', definition -> 'name'
  );
  perform private.insist(
    definition ->> 'type' in ('string', 'number', 'boolean', 'array', 'object', 'image', 'color', 'date'), field || '.type',
    'one of string, number, boolean, array, object, image, color, date', definition -> 'type'
  );
  perform private.insist(
    jsonb_typeof(coalesce(definition -> 'required', 'false')) = 'boolean', field || '.required', 'true or false',
    definition -> 'required'
  );
  perform private.insist(
    private.is_optional_text(definition -> 'description', 1000), field || '.description',
    'a text of at most 1000 characters', definition -> 'description'
  );
  if coalesce(definition -> 'validation', 'null') <> 'null' then
    perform private.insist_on_keys(
      definition -> 'validation', field || '.validation',
      array['min', 'max', 'min_length', 'max_length', 'pattern', 'options']
    );
  end if;
  for rule in
    select r.key, r.value from jsonb_each(nullif(definition -> 'validation', 'null')) as r where r.value <> 'null'
  loop
    perform private.insist(
      case
        when rule.key in ('min', 'max') then
          jsonb_typeof(rule.value) = 'number' and private.has_short_numbers(rule.value)
            or definition ->> 'type' = 'date' and private.is_text(rule.value, 10, 10, '^\d{4}-\d{2}-\d{2}$')
        when rule.key = 'pattern' then private.is_text(rule.value, 1, 500)
        when rule.key = 'options' then jsonb_typeof(rule.value) = 'array' and octet_length(rule.value::text) <= 20000
          and private.has_short_numbers(rule.value)
        else private.is_whole_number(rule.value, 0, 100000)
      end,
      format('%s.validation.%s', field, rule.key), 'as docs/template-pages.md describes', rule.value
    );
  end loop;
  if coalesce(definition -> 'default_value', 'null') <> 'null' then
    perform private.check_field_value(
      -- The edge functions check the pattern, in linear time, and the length of lists.
      definition || jsonb_build_object('validation', case when definition ->> 'type' in ('string', 'number') then
        jsonb_strip_nulls(coalesce(nullif(definition -> 'validation', 'null'), '{}') - 'pattern')
      end),
      definition -> 'default_value', field || '.default_value'
    );
  end if;
end
$$;
comment on function private.check_template_variable is
  'Refuses an invalid definition of a variable: name, type, default_value, required, description, validation.';

create function private.check_template_variables(variables jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  variable record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_list(variables, field, 100);
  for variable in
    select v.value, format('%s[%s]', field, v.position - 1) as field
    from jsonb_array_elements(variables) with ordinality as v (value, position)
    order by v.position
  loop
    begin
      perform private.check_template_variable(variable.value, variable.field);
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct v.value ->> 'name') = count(*) from jsonb_array_elements(variables) as v), field,
    'a list with unique names', null
  );
end
$$;
comment on function private.check_template_variables is 'Refuses invalid definitions of variables, and two with the same name.';

-- functions: conditions --------------------------------------------------------------------------

create function private.check_expression(expression jsonb, field text, depth integer default 1) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist(depth <= 10, field, 'at most 10 levels deep', null);
  if jsonb_typeof(expression) = 'array' then
    perform private.insist_on_list(expression, field, 20);
    perform private.check_expression(e.value, format('%s[%s]', field, e.position - 1), depth + 1)
    from jsonb_array_elements(expression) with ordinality as e (value, position);
  elsif jsonb_typeof(expression) = 'object' and expression ? 'conditions' then
    perform private.insist_on_keys(expression, field, array['operator', 'conditions']);
    perform private.insist(
      expression ->> 'operator' in ('AND', 'OR', 'NOT'), field || '.operator', 'one of AND, OR, NOT', expression -> 'operator'
    );
    perform private.insist_on_list(expression -> 'conditions', field || '.conditions', 20);
    perform private.check_expression(c.value, format('%s.conditions[%s]', field, c.position - 1), depth + 1)
    from jsonb_array_elements(expression -> 'conditions') with ordinality as c (value, position);
  else
    perform private.insist_on_keys(expression, field, array['variable', 'operator', 'value', 'logic']);
    perform private.insist(
      private.is_text(expression -> 'variable', 1, 200, '^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)*$'), field || '.variable',
      'the name of a variable, or a path such as product.price', expression -> 'variable'
    );
    perform private.insist(
      expression ->> 'operator' in ('equals', 'not_equals', 'greater_than', 'less_than', 'contains', 'exists'),
      field || '.operator', 'one of equals, not_equals, greater_than, less_than, contains, exists', expression -> 'operator'
    );
    perform private.insist(
      coalesce(expression -> 'logic', 'null') in ('null', '"AND"', '"OR"'), field || '.logic', 'AND or OR', expression -> 'logic'
    );
    perform private.insist(
      octet_length(coalesce(expression -> 'value', 'null')::text) <= 2000 and private.has_short_numbers(expression),
      field || '.value', 'at most 2000 bytes', null
    );
  end if;
end
$$;
comment on function private.check_expression is
  'Refuses an invalid expression. Valid are a comparison, a list of expressions, and conditions joined by AND, OR, NOT.';

create function private.check_conditions(conditions jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  condition record;
begin
  if coalesce(conditions, 'null') = 'null' then
    return;
  end if;
  perform private.insist_on_list(conditions, field, 20);
  for condition in
    select c.value, format('%s[%s]', field, c.position - 1) as field
    from jsonb_array_elements(conditions) with ordinality as c (value, position)
  loop
    perform private.insist_on_keys(condition.value, condition.field, array['id', 'expression', 'action']);
    perform private.insist(
      coalesce(condition.value -> 'id', 'null') = 'null' or private.is_text(condition.value -> 'id', 1, 64, '^[A-Za-z0-9_-]+$'),
      condition.field || '.id', 'up to 64 letters, digits, _ and -', condition.value -> 'id'
    );
    perform private.insist(
      condition.value ->> 'action' in ('show', 'hide'), condition.field || '.action', 'show or hide', condition.value -> 'action'
    );
    perform private.check_expression(condition.value -> 'expression', condition.field || '.expression');
  end loop;
end
$$;
comment on function private.check_conditions is 'Refuses invalid conditions of a section. Null means that the section is always shown.';

create function private.check_responsive(rules jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  rule record;
begin
  if coalesce(rules, 'null') = 'null' then
    return;
  end if;
  perform private.insist_on_list(rules, field, 10);
  for rule in
    select r.value, format('%s[%s]', field, r.position - 1) as field
    from jsonb_array_elements(rules) with ordinality as r (value, position)
  loop
    perform private.insist_on_keys(rule.value, rule.field, array['breakpoint', 'styles', 'visibility']);
    perform private.insist(
      rule.value ->> 'breakpoint' in ('mobile', 'tablet', 'desktop'), rule.field || '.breakpoint',
      'one of mobile, tablet, desktop', rule.value -> 'breakpoint'
    );
    if coalesce(rule.value -> 'styles', 'null') <> 'null' then
      perform private.check_texts(
        rule.value -> 'styles', rule.field || '.styles', '^(--)?[A-Za-z][A-Za-z0-9-]{0,63}$', 'a property of CSS'
      );
    end if;
    if coalesce(rule.value -> 'visibility', 'null') <> 'null' then
      perform private.insist_on_keys(rule.value -> 'visibility', rule.field || '.visibility', array['show_on', 'hide_on']);
      perform private.insist(
        coalesce(nullif(rule.value #> '{visibility,show_on}', 'null'), '[]') <@ '["mobile", "tablet", "desktop"]'
          and coalesce(nullif(rule.value #> '{visibility,hide_on}', 'null'), '[]') <@ '["mobile", "tablet", "desktop"]',
        rule.field || '.visibility', 'lists of mobile, tablet, desktop', rule.value -> 'visibility'
      );
    end if;
  end loop;
end
$$;
comment on function private.check_responsive is 'Refuses invalid responsive rules: breakpoint, styles, visibility.';

create function private.is_text_of(value jsonb, bytes integer) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(value, 'null') = 'null' or jsonb_typeof(value) = 'string' and octet_length(value #>> '{}') <= bytes
$$;
comment on function private.is_text_of is 'Whether a JSON value is a text of at most this number of bytes, null or missing.';

-- functions: data --------------------------------------------------------------------------------

create function private.check_binding(binding jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  source jsonb := binding -> 'source';
  key text := case source ->> 'type'
    when 'api' then 'endpoint' when 'database' then 'query' when 'static' then 'value' when 'computed' then 'formula'
  end;
begin
  perform private.insist_on_keys(binding, field, array['variable', 'source', 'transformation', 'caching']);
  perform private.insist(
    private.is_text(binding -> 'variable', 1, 50, '^[a-z][a-z0-9_]*$'), field || '.variable',
    'up to 50 small letters, digits and underscores', binding -> 'variable'
  );
  perform private.insist_on_keys(source, field || '.source', array['type', 'endpoint', 'query', 'value', 'formula']);
  perform private.insist(
    key is not null, field || '.source.type', 'one of api, database, static, computed', source -> 'type'
  );
  perform private.insist(
    source ? key and (key = 'value' or private.is_text(source -> key, 1, 2000)), format('%s.source.%s', field, key),
    case key when 'value' then 'there' else 'a text of 1 to 2000 characters' end, source -> key
  );
  perform private.insist(
    key <> 'endpoint' or source ->> 'endpoint' ~ '^/[^/\\]', field || '.source.endpoint', 'a path of this API, such as /api/products',
    source -> 'endpoint'
  );
  perform private.insist(private.has_short_numbers(source), field || '.source.value', 'free of numbers with more than 31 digits', null);
  perform private.insist(
    private.is_optional_text(binding -> 'transformation', 2000), field || '.transformation',
    'a text of at most 2000 characters', binding -> 'transformation'
  );
  if coalesce(binding -> 'caching', 'null') <> 'null' then
    perform private.insist_on_keys(binding -> 'caching', field || '.caching', array['duration']);
    perform private.insist(
      private.is_whole_number(binding #> '{caching,duration}', 0, 86400), field || '.caching.duration',
      'a whole number of seconds, at most 86400', binding #> '{caching,duration}'
    );
  end if;
end
$$;
comment on function private.check_binding is 'Refuses an invalid binding of a variable to a source: api, database, static or computed.';

create function private.check_caching(caching jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if coalesce(caching, 'null') = 'null' then
    return;
  end if;
  perform private.insist_on_keys(caching, 'caching', array['strategy', 'duration', 'invalidation', 'compression']);
  perform private.insist(
    caching ->> 'strategy' in ('memory', 'redis', 'filesystem', 'cdn'), 'caching.strategy',
    'one of memory, redis, filesystem, cdn', caching -> 'strategy'
  );
  perform private.insist(
    caching ? 'duration' and caching -> 'duration' <> 'null' and private.is_whole_number(caching -> 'duration', 0, 86400),
    'caching.duration', 'a whole number of seconds, at most 86400', caching -> 'duration'
  );
  if coalesce(caching -> 'invalidation', 'null') <> 'null' then
    perform private.check_list(caching -> 'invalidation', 'caching.invalidation', 100);
  end if;
  perform private.insist(
    jsonb_typeof(coalesce(nullif(caching -> 'compression', 'null'), 'false')) = 'boolean', 'caching.compression',
    'true or false', caching -> 'compression'
  );
end
$$;
comment on function private.check_caching is 'Refuses invalid settings of caching: strategy, duration, invalidation, compression.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.is_text_of to authenticated, service_role;

-- supabase/schemas/templates/1303_template_contents.sql

-- The content of a template: an ordered list of sections, each with blocks, which may hold other blocks. Missing ids of
-- sections and blocks are made here, so that all callers use the same ids.

-- functions: missing keys ------------------------------------------------------------------------

create function private.whole_blocks(blocks jsonb, depth integer default 1) returns jsonb
language plpgsql volatile set search_path = ''
as $$
begin
  if jsonb_typeof(blocks) is distinct from 'array' or depth > 9 then
    return blocks;
  end if;
  return (
    select coalesce(jsonb_agg(private.whole_block(b.value, depth) order by b.position), '[]')
    from jsonb_array_elements(blocks) with ordinality as b (value, position)
  );
end
$$;
comment on function private.whole_blocks is 'Blocks with all their keys.';

create function private.whole_block(block jsonb, depth integer default 1) returns jsonb
language plpgsql volatile set search_path = ''
as $$
declare
  content jsonb := block -> 'content';
begin
  if jsonb_typeof(block) is distinct from 'object' then
    return block;
  end if;
  block := jsonb_build_object(
    'id', 'b-' || substring(replace(gen_random_uuid()::text, '-', '') for 12), 'required', false, 'settings', jsonb '{}',
    'permissions', jsonb '{}'
  ) || block;
  if block ->> 'type' = 'conditional' and jsonb_typeof(content) = 'object' then
    block := block || jsonb_build_object('content', content
      || case when content ? 'then' then jsonb_build_object('then', private.whole_blocks(content -> 'then', depth + 1)) else '{}' end
      || case when content ? 'else' then jsonb_build_object('else', private.whole_blocks(content -> 'else', depth + 1)) else '{}' end
    );
  end if;
  return block;
end
$$;
comment on function private.whole_block is 'A block with all its keys. A missing id is made, also for the blocks inside.';

create function private.whole_sections(sections jsonb) returns jsonb
language plpgsql volatile set search_path = ''
as $$
begin
  if jsonb_typeof(sections) is distinct from 'array' then
    return sections;
  end if;
  return (
    select coalesce(jsonb_agg(
      case when jsonb_typeof(s.value) = 'object' then
        jsonb_build_object(
          'id', 's-' || substring(replace(gen_random_uuid()::text, '-', '') for 12), 'name', '', 'order', s.position - 1
        ) || s.value || jsonb_build_object('blocks', private.whole_blocks(coalesce(s.value -> 'blocks', '[]')))
        else s.value
      end
      order by s.position
    ), '[]')
    from jsonb_array_elements(sections) with ordinality as s (value, position)
  );
end
$$;
comment on function private.whole_sections is 'Sections with all their keys. A missing order is the position in the list.';

create function private.whole_override(override jsonb) returns jsonb
language plpgsql volatile set search_path = ''
as $$
declare
  content jsonb := override -> 'content';
begin
  return case
    when jsonb_typeof(override) is distinct from 'object' then override
    -- The new block keeps the id of the block that it replaces.
    when override ->> 'action' = 'replace' and jsonb_typeof(content) = 'object' then override || jsonb_build_object(
      'content', private.whole_block(
        case when override ? 'block_id' then jsonb_build_object('id', override -> 'block_id') else '{}' end || content
      )
    )
    when override ->> 'action' in ('prepend', 'append') and jsonb_typeof(content) = 'array'
      then override || jsonb_build_object('content', private.whole_blocks(content))
    when override ->> 'action' in ('prepend', 'append')
      then override || jsonb_build_object('content', private.whole_block(content))
    else override
  end;
end
$$;
comment on function private.whole_override is 'An override of an inherited block, with all keys.';

create function private.whole_template(content jsonb) returns jsonb
language plpgsql volatile set search_path = ''
as $$
declare
  inheritance jsonb := nullif(content -> 'inheritance', 'null');
begin
  if jsonb_typeof(content) is distinct from 'object' then
    perform private.insist(false, 'content', 'an object', null);
  end if;
  if jsonb_typeof(inheritance) = 'object' then
    inheritance := jsonb '{"overrides": [], "extensions": []}' || inheritance;
    inheritance := inheritance || jsonb_build_object(
      'extensions', private.whole_sections(inheritance -> 'extensions'),
      'overrides', case when jsonb_typeof(inheritance -> 'overrides') = 'array' then (
        select coalesce(jsonb_agg(private.whole_override(o.value) order by o.position), '[]')
        from jsonb_array_elements(inheritance -> 'overrides') with ordinality as o (value, position)
      ) else inheritance -> 'overrides' end
    );
  end if;
  -- Without a layout of its own a template has the layout of its parent.
  return case when inheritance is null then jsonb '{"layout": "default"}' else '{}' end
    || jsonb '{"sections": [], "variables": [], "bindings": []}'
    || content
    || jsonb_build_object('sections', private.whole_sections(coalesce(content -> 'sections', '[]')))
    || case when inheritance is not null then jsonb_build_object('inheritance', inheritance) else '{}' end;
end
$$;
comment on function private.whole_template is 'The content of a template with all its keys. Missing ids of sections and blocks are made.';

-- functions: checks ------------------------------------------------------------------------------

create function private.check_template_blocks(blocks jsonb, field text, depth integer) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist(depth <= 8, field, 'at most 8 blocks deep', null);
  perform private.insist_on_list(blocks, field, 50);
  perform private.check_template_block(b.value, format('%s[%s]', field, b.position - 1), depth)
  from jsonb_array_elements(blocks) with ordinality as b (value, position);
end
$$;
comment on function private.check_template_blocks is 'Refuses invalid blocks, and more than 50 in a list.';

create function private.check_template_block_content(type text, content jsonb, field text, depth integer) returns void
language plpgsql stable set search_path = ''
as $$
begin
  case type
    when 'static_content', 'dynamic_content' then
      perform private.insist(jsonb_typeof(content) = 'string', field, 'a text', null);
    when 'component' then
      perform private.insist_on_keys(content, field, array['component_id', 'props', 'variant']);
      perform private.insist(
        private.is_uuid(content ->> 'component_id'), field || '.component_id', 'the id of a component', content -> 'component_id'
      );
      perform private.insist(
        jsonb_typeof(coalesce(content -> 'props', '{}')) = 'object' and private.has_short_numbers(content), field || '.props',
        'an object', null
      );
      perform private.insist(
        private.is_optional_text(content -> 'variant', 100), field || '.variant', 'the name of a variant', content -> 'variant'
      );
    when 'include' then
      perform private.insist_on_keys(content, field, array['template_id']);
      perform private.insist(
        private.is_uuid(content ->> 'template_id'), field || '.template_id', 'the id of a template', content -> 'template_id'
      );
    when 'conditional' then
      perform private.insist_on_keys(content, field, array['expression', 'then', 'else']);
      perform private.check_expression(content -> 'expression', field || '.expression');
      perform private.check_template_blocks(content -> 'then', field || '.then', depth + 1);
      if content ? 'else' then
        perform private.check_template_blocks(content -> 'else', field || '.else', depth + 1);
      end if;
    when 'widget' then
      perform private.insist(
        content ->> 'widget' in ('text', 'image', 'video', 'gallery', 'product_grid', 'banner', 'testimonials'),
        field || '.widget', 'one of text, image, video, gallery, product_grid, banner, testimonials', content -> 'widget'
      );
      perform private.check_block_content(content ->> 'widget', content - 'widget', field);
  end case;
end
$$;
comment on function private.check_template_block_content is 'Refuses content that does not fit the type of the block.';

create function private.check_block_frame(block jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  settings jsonb := coalesce(block -> 'settings', '{}');
begin
  perform private.insist_on_keys(
    block, field, array['id', 'name', 'type', 'required', 'content', 'settings', 'permissions']
  );
  perform private.insist(
    private.is_optional_text(block -> 'name', 200), field || '.name', 'a text of at most 200 characters', block -> 'name'
  );
  perform private.insist(
    jsonb_typeof(coalesce(block -> 'required', 'false')) = 'boolean', field || '.required', 'true or false', block -> 'required'
  );
  perform private.insist_on_keys(settings, field || '.settings', array['element', 'class', 'label']);
  perform private.insist(
    coalesce(nullif(settings -> 'element', 'null'), '"div"')
      in ('"div"', '"section"', '"article"', '"aside"', '"header"', '"footer"', '"nav"', '"main"'),
    field || '.settings.element', 'one of div, section, article, aside, header, footer, nav, main', settings -> 'element'
  );
  perform private.insist(
    coalesce(settings -> 'class', 'null') = 'null' or private.is_text(settings -> 'class', 0, 200, '^[A-Za-z0-9_ -]*$'),
    field || '.settings.class', 'names of classes: letters, digits, _ and -', settings -> 'class'
  );
  perform private.insist(
    private.is_optional_text(settings -> 'label', 200), field || '.settings.label', 'a text of at most 200 characters',
    settings -> 'label'
  );
  perform private.insist_on_keys(coalesce(block -> 'permissions', '{}'), field || '.permissions', array['roles']);
  perform private.check_readers(block #> '{permissions,roles}', field || '.permissions.roles');
end
$$;
comment on function private.check_block_frame is 'Refuses invalid keys of a block beside its content: name, required, settings, permissions.';

create function private.check_template_block(block jsonb, field text, depth integer default 1) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.check_block_frame(block, field);
  perform private.insist(
    private.is_text(block -> 'id', 1, 64, '^[A-Za-z0-9_-]+$'), field || '.id', 'up to 64 letters, digits, _ and -', block -> 'id'
  );
  perform private.insist(
    block ->> 'type' in ('static_content', 'dynamic_content', 'component', 'widget', 'include', 'conditional'),
    field || '.type', 'one of static_content, dynamic_content, component, widget, include, conditional', block -> 'type'
  );
  perform private.check_template_block_content(block ->> 'type', block -> 'content', field || '.content', depth);
end
$$;
comment on function private.check_template_block is 'Refuses an invalid block of a template.';

create function private.check_template_sections(sections jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  section record;
begin
  perform private.insist_on_list(sections, field, 25);
  for section in
    select s.value, format('%s[%s]', field, s.position - 1) as field
    from jsonb_array_elements(sections) with ordinality as s (value, position)
  loop
    perform private.insist_on_keys(
      section.value, section.field, array['id', 'name', 'order', 'blocks', 'conditions', 'responsive']
    );
    perform private.insist(
      private.is_text(section.value -> 'id', 1, 64, '^[A-Za-z0-9_-]+$'), section.field || '.id',
      'up to 64 letters, digits, _ and -', section.value -> 'id'
    );
    perform private.insist(
      private.is_text(section.value -> 'name', 0, 200), section.field || '.name', 'a text of at most 200 characters',
      section.value -> 'name'
    );
    perform private.insist(
      jsonb_typeof(section.value -> 'order') = 'number' and private.has_short_numbers(section.value -> 'order'),
      section.field || '.order', 'a number', section.value -> 'order'
    );
    perform private.check_template_blocks(section.value -> 'blocks', section.field || '.blocks', 1);
    perform private.check_conditions(section.value -> 'conditions', section.field || '.conditions');
    perform private.check_responsive(section.value -> 'responsive', section.field || '.responsive');
  end loop;
  perform private.insist(
    (select count(distinct s.value ->> 'id') = count(*) from jsonb_array_elements(sections) as s), field,
    'a list with unique ids', null
  );
end
$$;
comment on function private.check_template_sections is 'Refuses invalid sections, and more than 25 in a template.';

create function private.check_override(override jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  content jsonb := override -> 'content';
begin
  perform private.insist_on_keys(override, field, array['block_id', 'action', 'content']);
  perform private.insist(
    private.is_text(override -> 'block_id', 1, 64, '^[A-Za-z0-9_-]+$'), field || '.block_id',
    'the id of a block of a parent', override -> 'block_id'
  );
  case override ->> 'action'
    when 'replace' then
      perform private.check_template_block(content, field || '.content');
    when 'extend' then
      perform private.check_block_frame(content, field || '.content');
      perform private.insist(not content ? 'id', field || '.content.id', 'left out, because the block keeps its id', content -> 'id');
      -- The missing keys are the parent's. They are checked together when the page is rendered.
      if jsonb_typeof(content #> '{content,then}') is not null then
        perform private.check_template_blocks(content #> '{content,then}', field || '.content.content.then', 2);
      end if;
      if jsonb_typeof(content #> '{content,else}') is not null then
        perform private.check_template_blocks(content #> '{content,else}', field || '.content.content.else', 2);
      end if;
    when 'prepend', 'append' then
      perform private.check_template_blocks(
        case jsonb_typeof(content) when 'array' then content else jsonb_build_array(content) end, field || '.content', 1
      );
    else
      perform private.insist(
        false, field || '.action', 'one of replace, extend, prepend, append', override -> 'action'
      );
  end case;
end
$$;
comment on function private.check_override is 'Refuses an invalid override of an inherited block: replace, extend, prepend, append.';

create function private.check_inheritance(inheritance jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if coalesce(inheritance, 'null') = 'null' then
    return;
  end if;
  perform private.insist_on_keys(inheritance, field, array['parent_id', 'overrides', 'extensions']);
  perform private.insist(
    private.is_uuid(inheritance ->> 'parent_id'), field || '.parent_id', 'the id of a template', inheritance -> 'parent_id'
  );
  perform private.insist_on_list(inheritance -> 'overrides', field || '.overrides', 200);
  perform private.check_override(o.value, format('%s.overrides[%s]', field, o.position - 1))
  from jsonb_array_elements(inheritance -> 'overrides') with ordinality as o (value, position);
  perform private.check_template_sections(inheritance -> 'extensions', field || '.extensions');
end
$$;
comment on function private.check_inheritance is 'Refuses an invalid inheritance. Null means that the template inherits nothing.';

-- supabase/schemas/templates/1306_template_texts.sql

-- The whole content of a template: its blocks, its references, the paths in which two versions differ, and the part that a
-- role may read.

-- functions: content -----------------------------------------------------------------------------

create function private.template_blocks(content jsonb) returns table (block jsonb, path text, is_partial boolean)
language sql immutable set search_path = ''
as $$
  with recursive found (block, path, is_partial) as (
    select b.value, format('sections[%s].blocks[%s]', s.position - 1, b.position - 1), false
    from jsonb_array_elements(content -> 'sections') with ordinality as s (value, position)
    cross join lateral jsonb_array_elements(s.value -> 'blocks') with ordinality as b (value, position)
    union all
    select b.value, format('inheritance.extensions[%s].blocks[%s]', s.position - 1, b.position - 1), false
    from jsonb_array_elements(nullif(content #> '{inheritance,extensions}', 'null')) with ordinality as s (value, position)
    cross join lateral jsonb_array_elements(s.value -> 'blocks') with ordinality as b (value, position)
    union all
    select
      case when o.value ->> 'action' = 'extend' then b.value || jsonb_build_object('id', o.value -> 'block_id') else b.value end,
      format('inheritance.overrides[%s].content', o.position - 1), o.value ->> 'action' = 'extend'
    from jsonb_array_elements(nullif(content #> '{inheritance,overrides}', 'null')) with ordinality as o (value, position)
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(o.value -> 'content') when 'array' then o.value -> 'content' else jsonb_build_array(o.value -> 'content') end
    ) as b
    union all
    select c.value, format('%s.content.%s[%s]', f.path, branch.name, c.position - 1), false
    from found f
    cross join (values ('then'), ('else')) as branch (name)
    cross join lateral jsonb_array_elements(
      case when coalesce(f.block ->> 'type', 'conditional') = 'conditional'
          and jsonb_typeof(f.block #> array['content', branch.name]) = 'array'
        then f.block #> array['content', branch.name]
        else '[]'
      end
    ) with ordinality as c (value, position)
  )
  select f.block, f.path, f.is_partial from found f
$$;
comment on function private.template_blocks is
  'All blocks of a template, also those inside others, with their paths. is_partial: the block extends an inherited one and has only some of its keys.';

create function private.references_in(content jsonb) returns table (kind text, target_id uuid, path text)
language sql immutable set search_path = ''
as $$
  select 'parent', (content #>> '{inheritance,parent_id}')::uuid, 'content.inheritance.parent_id'
  where content #>> '{inheritance,parent_id}' is not null
  union all
  select distinct on (r.kind, r.id) r.kind, r.id::uuid, format('content.%s.content.%s', r.path, r.key)
  from (
    select k.kind, k.key, b.path, b.block -> 'content' ->> k.key as id
    from private.template_blocks(content) as b
    join (values ('include', 'template_id'), ('component', 'component_id')) as k (kind, key)
      on b.block ->> 'type' = k.kind or b.is_partial and not b.block ? 'type'
    where jsonb_typeof(b.block -> 'content') = 'object'
  ) as r
  where private.is_uuid(r.id)
$$;
comment on function private.references_in is
  'The references of a template: its parent, the templates that it includes and its components, each with the first path that names it.';

create function private.uuids_in(words text) returns uuid[]
language sql immutable set search_path = ''
as $$
  select array(
    select distinct m[1]::uuid
    from regexp_matches(words, '\m([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\M', 'g') as m
    limit 1000
  )
$$;
comment on function private.uuids_in is 'The uuids in a text, at most 1,000.';

create function private.assets_named_in(tenant_id uuid, words text) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select a.id
    from public.media_assets a
    where a.tenant_id = assets_named_in.tenant_id and a.id = any (private.uuids_in(words))
    order by a.id
    limit 500
  )
$$;
comment on function private.assets_named_in is 'The assets of a tenant whose ids are in a text, as a value or as an argument of a filter.';

-- functions: checks ------------------------------------------------------------------------------

create function private.check_template_content(content jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  ids bigint;
  different bigint;
begin
  if octet_length(content::text) > private.cap('template_bytes') then
    perform private.refuse_beyond('template_bytes', 'This template is too large.', 'content');
  end if;
  perform private.insist_on_keys(
    content, 'content', array['layout', 'sidebar', 'sections', 'variables', 'bindings', 'inheritance', 'styles']
  );
  perform private.insist(
    coalesce(nullif(content -> 'layout', 'null'), '"default"')
      in ('"default"', '"full_width"', '"sidebar_left"', '"sidebar_right"'),
    'content.layout', 'one of default, full_width, sidebar_left, sidebar_right', content -> 'layout'
  );
  if coalesce(content -> 'sidebar', 'null') <> 'null' then
    perform private.check_list(content -> 'sidebar', 'content.sidebar', 64);
  end if;
  perform private.check_template_sections(content -> 'sections', 'content.sections');
  perform private.check_template_variables(content -> 'variables', 'content.variables');
  perform private.insist_on_list(content -> 'bindings', 'content.bindings', 10);
  perform private.check_binding(b.value, format('content.bindings[%s]', b.position - 1))
  from jsonb_array_elements(content -> 'bindings') with ordinality as b (value, position);
  perform private.insist(
    (select count(distinct b.value ->> 'variable') = count(*) from jsonb_array_elements(content -> 'bindings') as b),
    'content.bindings', 'a list with unique variables', null
  );
  perform private.check_inheritance(content -> 'inheritance', 'content.inheritance');
  perform private.insist(
    private.is_text_of(content -> 'styles', 100000), 'content.styles', 'a text of at most 100,000 bytes', null
  );
  select count(*), count(distinct b.block ->> 'id') into ids, different
  from private.template_blocks(content) as b
  where not b.is_partial;
  perform private.insist(ids = different, 'content.sections', 'blocks with unique ids', null);
end
$$;
comment on function private.check_template_content is 'Refuses invalid content of a template. The error names the field.';

-- functions: differences -------------------------------------------------------------------------

create function private.template_parts(content jsonb) returns table (path text, value jsonb, place bigint)
language sql immutable set search_path = ''
as $$
  select t.key, t.value, null::bigint
  from jsonb_each(content) as t
  where t.key not in ('sections', 'variables', 'bindings')
  union all
  select 'sections.' || (s.value ->> 'id'), s.value - 'blocks', s.position
  from jsonb_array_elements(content -> 'sections') with ordinality as s (value, position)
  union all
  select format('sections.%s.blocks.%s', s.value ->> 'id', b.value ->> 'id'), b.value, b.position
  from jsonb_array_elements(content -> 'sections') as s
  cross join lateral jsonb_array_elements(s.value -> 'blocks') with ordinality as b (value, position)
  union all
  select 'variables.' || (v.value ->> 'name'), v.value, v.position
  from jsonb_array_elements(content -> 'variables') with ordinality as v (value, position)
  union all
  select 'bindings.' || (b.value ->> 'variable'), b.value, b.position
  from jsonb_array_elements(content -> 'bindings') with ordinality as b (value, position)
$$;
comment on function private.template_parts is 'The parts of a template that `changes` names, each with its path, and with its position if it is in a list.';

create function private.changed_template_paths(before jsonb, after jsonb) returns text[]
language sql immutable set search_path = ''
as $$
  select array(
    select coalesce(b.path, a.path)
    from private.template_parts(before) as b
    full join private.template_parts(after) as a on a.path = b.path
    where b.value is distinct from a.value or b.place is distinct from a.place
    order by 1
    limit 1000
  )
$$;
comment on function private.changed_template_paths is 'The paths in which two contents differ, at most 1,000.';

-- functions: permissions -------------------------------------------------------------------------

create function private.visible_blocks(blocks jsonb, role text) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(private.visible_block(b.value, role) order by b.position), '[]')
    from jsonb_array_elements(blocks) with ordinality as b (value, position)
  );
end
$$;
comment on function private.visible_blocks is 'Blocks as a role may read them.';

create function private.visible_block(block jsonb, role text) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  branch text;
begin
  if jsonb_typeof(block #> '{permissions,roles}') = 'array' and (block #> '{permissions,roles}') ? role is not true then
    -- The block itself and its roles stay, because a template that inherits may override it.
    return (block - 'name') || jsonb_build_object('type', 'static_content', 'content', '', 'required', false);
  end if;
  foreach branch in array array['then', 'else'] loop
    if jsonb_typeof(block #> array['content', branch]) = 'array' and coalesce(block ->> 'type', 'conditional') = 'conditional' then
      block := jsonb_set(block, array['content', branch], private.visible_blocks(block #> array['content', branch], role));
    end if;
  end loop;
  return block;
end
$$;
comment on function private.visible_block is 'A block as a role may read it. It has no content if it is for other roles.';

create function private.visible_sections(sections jsonb, role text) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(
    s.value || jsonb_build_object('blocks', private.visible_blocks(s.value -> 'blocks', role)) order by s.position
  ), '[]')
  from jsonb_array_elements(sections) with ordinality as s (value, position)
$$;
comment on function private.visible_sections is 'Sections as a role may read them.';

create function private.visible_template(content jsonb, role text) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  if not content @? 'strict $.**.permissions.roles' then
    return content;
  end if;
  content := content || jsonb_build_object('sections', private.visible_sections(content -> 'sections', role));
  if jsonb_typeof(content -> 'inheritance') = 'object' then
    content := jsonb_set(content, '{inheritance}', (content -> 'inheritance') || jsonb_build_object(
      'extensions', private.visible_sections(content #> '{inheritance,extensions}', role),
      'overrides', (
        select coalesce(jsonb_agg(
          o.value || jsonb_build_object('content', case jsonb_typeof(o.value -> 'content')
            when 'array' then private.visible_blocks(o.value -> 'content', role)
            else private.visible_block(o.value -> 'content', role)
          end)
          order by o.position
        ), '[]')
        from jsonb_array_elements(content #> '{inheritance,overrides}') with ordinality as o (value, position)
      )
    ));
  end if;
  return content;
end
$$;
comment on function private.visible_template is 'The content of a template as a role may read it, without the content of blocks for other roles.';

-- supabase/schemas/templates/1310_templates.sql

-- Templates render the pages of a marketplace. A template has versions. Readers see the active version, writers the latest.
-- The contents are in the schema private, because some blocks are for some roles only. Functions return them.
--
--   templates            one row per template
--   template_versions    the content of each save; rows never change
--   template_references  the parent, includes and components of each version

-- tables ---------------------------------------------------------------------------------------

create table public.templates (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  marketplace_id uuid,
  name text not null,
  type public.page_type not null,
  is_default boolean not null default false,
  caching jsonb,
  version_number integer not null default 1,
  active_version integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint templates_tenant_id_id_key unique (tenant_id, id),
  constraint templates_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint templates_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint templates_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint templates_caching_is_at_most_10000_bytes check (octet_length(caching::text) <= 10000)
);
comment on table public.templates is
  'Templates of the pages of a marketplace, or of all marketplaces if marketplace_id is null. version_number: the latest version; active_version: the one that readers see. is_default: once active, it renders the pages of its type. Functions return the content.';
alter table public.templates replica identity using index templates_tenant_id_id_key;

create table private.template_versions (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  template_id uuid not null,
  version_number integer not null,
  content jsonb not null,
  changes text[] not null,
  asset_ids uuid[] not null,
  reads_sources boolean not null,
  has_grids boolean not null,
  bytes integer not null,
  created_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default clock_timestamp(),
  constraint template_versions_pkey primary key (tenant_id, template_id, version_number),
  constraint template_versions_template_id_fkey foreign key (tenant_id, template_id)
    references public.templates (tenant_id, id) on delete cascade
);
comment on table private.template_versions is
  'The versions of each template; rows never change. changes: the paths that differ from the version before. asset_ids, reads_sources, has_grids: facts about the content, computed when it is saved.';

create table private.template_references (
  tenant_id uuid not null,
  template_id uuid not null,
  version_number integer not null,
  kind text not null,
  target_id uuid not null,
  constraint template_references_pkey primary key (tenant_id, template_id, version_number, kind, target_id),
  constraint template_references_version_fkey foreign key (tenant_id, template_id, version_number)
    references private.template_versions (tenant_id, template_id, version_number) on delete cascade,
  constraint template_references_kind_is_parent_include_or_component check (kind in ('parent', 'include', 'component'))
);
comment on table private.template_references is
  'The templates and components that each version refers to. What the latest or the active version refers to cannot be deleted; older versions may refer to deleted records.';

-- indexes --------------------------------------------------------------------------------------

create unique index is_default_is_unique_in_templates on public.templates (tenant_id, marketplace_id, type) nulls not distinct
  where is_default and active_version is not null;
create index templates_list_idx on public.templates (tenant_id, updated_at desc, id);
create index templates_marketplace_idx on public.templates (tenant_id, marketplace_id);
create index template_versions_created_by_idx on private.template_versions (created_by);
create index template_references_target_idx on private.template_references (tenant_id, target_id, kind);

-- functions: permissions -------------------------------------------------------------------------

create function private.reads_templates_of(marketplace_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case private.tenant_role()
    when 'customer' then marketplace_id is null or marketplace_id = any (private.active_marketplace_ids())
    when 'supplier' then true
    else private.reads_all() or private.content_roles() <> '{}'
  end;
end
$$;
comment on function private.reads_templates_of is
  'Whether the caller may see templates of a marketplace; null: of all marketplaces.';

create function private.seen_template(template_id uuid) returns public.templates
language plpgsql stable security definer set search_path = ''
as $$
declare
  template public.templates;
begin
  select * into template
  from public.templates t
  where t.tenant_id = private.tenant_id() and t.id = seen_template.template_id;
  if template.id is null or private.content_roles() = '{}'
    and (template.active_version is null or not private.reads_templates_of(template.marketplace_id))
  then
    perform private.refuse('NOT_FOUND', 'There is no such template.');
  end if;
  return template;
end
$$;
comment on function private.seen_template is
  'A template that the caller may see: any with a content role, otherwise an active one of a marketplace that the caller sees. Refuses with NOT_FOUND.';

create function private.insist_on_content_role(role text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not array[role, 'admin'] && private.content_roles() then
    perform private.refuse('FORBIDDEN', format('Only admins and members with the content role %s may do this.', role));
  end if;
end
$$;
comment on function private.insist_on_content_role is 'Refuses with FORBIDDEN callers without this content role.';

create function private.judged_template(template_id uuid) returns public.templates
language plpgsql stable security definer set search_path = ''
as $$
declare
  template public.templates := private.seen_template(template_id);
begin
  if private.content_roles() = '{}' then
    perform private.refuse('FORBIDDEN', 'Only admins and members with a content role may do this.');
  end if;
  return template;
end
$$;
comment on function private.judged_template is
  'A template whose versions the caller may all see. Refuses with NOT_FOUND, FORBIDDEN.';

create function private.edited_template(template_id uuid, role text) returns public.templates
language plpgsql security definer set search_path = ''
as $$
declare
  template public.templates := private.seen_template(template_id);
begin
  perform private.insist_on_content_role(role);
  -- One lock for all templates of the tenant, because they refer to each other.
  perform private.hold('templates', template.tenant_id::text);
  select * into template from public.templates t where t.id = template.id for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such template.');
  end if;
  return template;
end
$$;
comment on function private.edited_template is
  'A template that the caller may change with this content role. Locks all templates of the tenant until the transaction ends. Refuses with NOT_FOUND, FORBIDDEN.';

create function private.default_template(type public.page_type, marketplace_id uuid) returns public.templates
language sql stable security definer set search_path = ''
as $$
  select t
  from public.templates t
  where t.tenant_id = private.tenant_id() and t.type = default_template.type
    and t.is_default and t.active_version is not null
    and (t.marketplace_id is null or t.marketplace_id = default_template.marketplace_id)
    and private.reads_templates_of(t.marketplace_id)
  order by t.marketplace_id nulls last
  limit 1
$$;
comment on function private.default_template is
  'The active default template of a page type: the marketplace''s, else the one for all marketplaces, else null, which means the built-in one.';

-- functions: texts -------------------------------------------------------------------------------

create function private.template_content(template_id uuid, version_number integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select case when private.content_roles() = '{}' then private.visible_template(v.content, private.tenant_role()::text) else v.content end
    from private.template_versions v
    where v.template_id = template_content.template_id and v.version_number = template_content.version_number
      and v.tenant_id = private.tenant_id()
  );
end
$$;
comment on function private.template_content is
  'The content of a version as the caller''s role may read it; null if the version is not kept any more. The calling function checks whether the caller may read this version.';

create function private.template_record(template public.templates, version integer default null) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_writer boolean := private.content_roles() <> '{}';
  shown integer := case when is_writer then coalesce(version, template.version_number) else template.active_version end;
  content jsonb := private.template_content(template.id, shown);
begin
  if content is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it is not kept any more.', 'version', to_jsonb(version)
    );
  end if;
  return jsonb_build_object(
    'id', template.id, 'tenant_id', template.tenant_id, 'marketplace_id', template.marketplace_id, 'name', template.name,
    'type', template.type, 'is_default', template.is_default, 'content', content, 'caching', template.caching,
    'version', shown, 'version_number', case when is_writer then template.version_number else shown end,
    'active_version', template.active_version, 'created_at', template.created_at, 'updated_at', template.updated_at
  );
end
$$;
comment on function private.template_record is
  'A template as JSON: for members with a content role the latest or the named version, for others the active one.';

-- triggers ------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.templates for each row execute function private.keep_nfc();

-- policies -------------------------------------------------------------------------------------

alter table public.templates enable row level security;
alter table private.template_versions enable row level security;
alter table private.template_references enable row level security;

create policy "Content roles see all templates, others the active ones of marketplaces that they see" on public.templates
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (
      cardinality((select private.content_roles())) > 0
      or active_version is not null and case (select private.tenant_role())
        when 'customer' then marketplace_id is null or marketplace_id = any ((select private.active_marketplace_ids())::uuid[])
        when 'supplier' then true
        else (select private.reads_all())
      end
    )
  );

-- grants ---------------------------------------------------------------------------------------

-- Only functions write, because a row alone would be a template without content.
grant select on public.templates to authenticated, service_role;
revoke insert, update, delete, truncate on public.templates from service_role;
grant execute on function
  private.reads_templates_of, private.seen_template, private.insist_on_content_role, private.judged_template,
  private.edited_template, private.default_template, private.template_content, private.template_record
to authenticated, service_role;
