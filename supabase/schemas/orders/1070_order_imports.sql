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
  perform private.require_permission('orders.import', 'Only admins may import orders.');
  if jsonb_typeof(lines) is distinct from 'array' or jsonb_array_length(lines) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'Send a list of at most 1000 lines.', 'lines', 'null');
  end if;
  if lines <> '[]' then
    perform private.lock_import_turn(tenant);
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

-- policies -------------------------------------------------------------------------------------

alter table private.orders_as_imported enable row level security;
alter table private.items_as_imported enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.import_orders to authenticated;
grant execute on function public.import_orders to authenticated;
