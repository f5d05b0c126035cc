-- Limits on what a customer reserves without paying, and orders that replace an earlier one of the same customer. Both
-- are steps of placing an order.

-- indexes --------------------------------------------------------------------------------------

-- The orders that wait for their payment, which cancel_unpaid_orders cancels after the deadline.
create index orders_waiting_idx on public.orders (tenant_id, customer_id, marketplace_id)
  where status in ('pending', 'processing') and payment_status in ('pending', 'failed') and payment_due_at is not null;

-- functions ------------------------------------------------------------------------------------

create function private.refuse_reservation(
  setting text, maximum bigint, message text, field text default null, value jsonb default null
) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    'LIMIT_REACHED', message || ' Pay or cancel unpaid orders, or name one in replaces.', field, value,
    jsonb_build_object('cap', setting, 'maximum', maximum)
  );
end
$$;
comment on function private.refuse_reservation is
  'Refuses with LIMIT_REACHED. The details name the setting of the marketplace, and its value or the default.';

create function private.free_pieces(tenant uuid, product uuid) returns bigint
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    -- The own row of a product with variants is not used.
    sum(i.quantity - i.reserved) filter (where i.variant_id is not null), sum(i.quantity - i.reserved)
  )
  from public.inventory i
  where i.tenant_id = tenant and i.product_id = product
$$;
comment on function private.free_pieces is 'The pieces of a product in stock, with all its variants, that no order has reserved.';

create function private.bound_reservations(
  site public.marketplaces, buyer uuid, lines jsonb, replaced uuid default null
) returns void
-- A session may keep a plan from when the tables were empty. It would scan orders and order_items.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  most_orders integer := coalesce((site.settings #>> '{business,max_unpaid_orders}')::integer, 50);
  most_pieces integer := (site.settings #>> '{business,max_unpaid_pieces}')::integer;
  waiting uuid[] := array(
    select o.id
    from public.orders o
    where o.tenant_id = site.tenant_id and o.customer_id = buyer and o.marketplace_id = site.id
      and o.status in ('pending', 'processing') and o.payment_status in ('pending', 'failed')
      and o.payment_due_at is not null and o.id is distinct from replaced
    limit most_orders
  );
  beyond record;
begin
  if cardinality(waiting) >= most_orders then
    perform private.refuse_reservation(
      'max_unpaid_orders', most_orders, format('A customer may have at most %s unpaid orders here.', most_orders)
    );
  end if;
  with held as (
    select
      i.product_id, sum(i.quantity - i.shipped_quantity - i.cancelled_quantity) as all_pieces,
      sum(i.quantity - i.shipped_quantity - i.cancelled_quantity) filter (where i.order_id is distinct from replaced) as pieces
    from public.order_items i
    where i.tenant_id = site.tenant_id and i.order_id = any (waiting || replaced)
    group by i.product_id
  ),
  wanted as (
    select
      line.position, line.product_id, line.quantity, p.track_inventory,
      sum(line.quantity) over (partition by line.product_id order by line.position) as pieces
    from jsonb_to_recordset(lines) as line (position integer, product_id uuid, quantity integer, starts_at timestamptz)
    join public.products p on p.id = line.product_id
    -- Products without stock reserve nothing, except for the slots of services.
    where p.track_inventory or line.starts_at is not null
  )
  select w.position, w.quantity, coalesce(h.pieces, 0) as held, bound.most into beyond
  from wanted w
  left join held h on h.product_id = w.product_id
  cross join lateral (
    select case
      when most_pieces is not null then most_pieces
      -- What the customer holds counts as free, so that several orders reach as far as one.
      when w.track_inventory then
        greatest(20, (private.free_pieces(site.tenant_id, w.product_id) + coalesce(h.all_pieces, 0)) / 10)
      else 20
    end as most
  ) as bound
  where w.pieces + coalesce(h.pieces, 0) > bound.most
  order by w.position
  limit 1;
  if found then
    perform private.refuse_reservation(
      'max_unpaid_pieces', beyond.most,
      format(
        'A customer may reserve at most %s unpaid pieces of this product; %s are in unpaid orders.', beyond.most, beyond.held
      ),
      format('items[%s].quantity', beyond.position - 1), to_jsonb(beyond.quantity)
    );
  end if;
end
$$;
comment on function private.bound_reservations is
  'Refuses with LIMIT_REACHED an order that would exceed the customer''s limits on a marketplace: settings.business.max_unpaid_orders, or max_unpaid_pieces for each product (by default 20 pieces or a tenth of its free stock, whichever is more). replaced: an order that does not count, because this one replaces it. Who places an order holds the lock of the customer.';

create function private.check_replaceable(target public.orders, order_id uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if target.id is null then
    perform private.refuse('NOT_FOUND', 'The customer has no such order.', 'replaces', to_jsonb(order_id));
  elsif private.was_paid(target.payment_status) or private.is_late_to_cancel(target) then
    perform private.refuse(
      'INVALID_TRANSITION',
      format(
        'Only an unpaid order that is pending or confirmed, and has no delivered items, can be replaced. This one is %s.',
        case when private.was_paid(target.payment_status) then target.payment_status::text else target.status::text end
      ),
      'replaces', to_jsonb(order_id)
    );
  end if;
end
$$;
comment on function private.check_replaceable is
  'Refuses with INVALID_TRANSITION to replace an order that is paid or can no longer be cancelled, and with NOT_FOUND one that was not found (target is null).';

create function private.replaced_order(order_id uuid, buyer uuid) returns public.orders
language plpgsql security definer set search_path = ''
as $$
declare
  target public.orders;
begin
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = replaced_order.order_id and o.customer_id = buyer
  for update;
  perform private.check_replaceable(target, order_id);
  return target;
end
$$;
comment on function private.replaced_order is
  'Locks an unpaid order of a customer that another order replaces. Refuses as check_replaceable does.';

create function private.find_replaceable(order_id uuid, buyer uuid) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  target public.orders;
begin
  if order_id is not null then
    select * into target
    from public.orders o
    where o.tenant_id = private.tenant_id() and o.id = find_replaceable.order_id and o.customer_id = buyer;
    perform private.check_replaceable(target, order_id);
  end if;
  return target.id;
end
$$;
comment on function private.find_replaceable is
  'The same order before it is locked, for a quote; null for null. Refuses as check_replaceable does.';

create function private.open_pieces(tenant uuid, order_id uuid, product_id uuid, variant_id uuid) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(sum(i.quantity - i.shipped_quantity - i.cancelled_quantity), 0)
    from public.order_items i
    where i.tenant_id = tenant and i.order_id = open_pieces.order_id and i.product_id = open_pieces.product_id
      and i.variant_id is not distinct from open_pieces.variant_id
  );
end
$$;
comment on function private.open_pieces is
  'The pieces of a product or variant that an order reserves.';

-- Postgres puts the expression into the query that calls it.
create function private.available_pieces(stock public.inventory, replaced uuid) returns bigint
language sql stable
return (stock).quantity - (stock).reserved + case
  when replaced is null then 0
  else private.open_pieces((stock).tenant_id, replaced, (stock).product_id, (stock).variant_id)
end;
comment on function private.available_pieces is
  'The pieces in stock that no order has reserved. replaced: an order whose pieces count as free; null for none.';

create function private.free_replaced(target public.orders, items jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  pieces jsonb := items || to_jsonb(array(select p from private.pieces_in(target, 'open') as p));
begin
  -- Locks the stock of both orders and then their products, each in the order of ids. With one lock per order, two
  -- customers who replace orders of the same products could deadlock.
  perform private.lock_stock(target.tenant_id, pieces);
  perform 1
  from public.products p
  where p.tenant_id = target.tenant_id
    and p.id = any (array(select (piece ->> 'product_id')::uuid from jsonb_array_elements(pieces) as piece))
  order by p.id
  for no key update;
  perform private.move_order(target, 'cancelled', 'replaced by another order');
end
$$;
comment on function private.free_replaced is
  'Cancels an order that replaced_order has locked, and releases its stock. Before that, it locks the stock of that order and of the new items.';

create function private.lock_for_order(buyer uuid, items jsonb, replaces uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
begin
  if private.scope('orders.place') = 'own' then
    -- Parallel checkouts of a customer wait for each other, because each counts what the others reserve.
    perform private.hold('reservations', format('%s %s', tenant, buyer));
  end if;
  if replaces is null then
    perform private.lock_stock(tenant, items);
  else
    perform private.free_replaced(private.replaced_order(replaces, buyer), items);
  end if;
end
$$;
comment on function private.lock_for_order is
  'Takes all locks for placing an order, and cancels the order that it replaces: first the customer, if the customer is the caller, then the replaced order, then the stock. Refuses with CONFLICT and as replaced_order does.';
