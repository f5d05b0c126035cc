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
  select
    target.tenant_id, target.id, cancelled, i.id, p.quantity,
    private.price_of(i, i.sold_quantity) - private.price_of(i, i.sold_quantity - p.quantity)
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
  by_buyer boolean := private.reach('orders.cancel') = 'customer';
  target public.orders := private.seen_order(cancel_order_items.order_id);
  there private.piece[];
  pieces private.piece[];
  cancelled uuid;
begin
  perform private.require_permission('orders.cancel', 'Your role may not cancel items.');
  -- Access to an order never changes. Its status may change until the row is locked.
  select * into target from public.orders o where o.id = target.id for update;
  there := array(select p from private.cancellable_pieces(target) as p);
  pieces := case
    when items is null then array(select p from unnest(there) as p where p.quantity > 0)
    else private.wanted_pieces(items, there, 'Only %s of them are open.')
  end;
  if cardinality(pieces) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'This order has no open items.');
  elsif by_buyer and exists (
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
  elsif by_buyer and exists (select from unnest(pieces) as p where p.item_id = any (private.late_slots(target))) then
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
    and case (select private.reach('orders.read'))
      when 'customer' then (select true from public.orders o where o.id = order_id)
      when 'supplier' then (
        select true
        from public.order_cancellation_items i
        where i.tenant_id = order_cancellations.tenant_id
          and i.order_id = order_cancellations.order_id
          and i.cancellation_id = order_cancellations.id
        limit 1
      )
      when 'all' then true
    end
  );

create policy "Members who see an item see its cancellations" on public.order_cancellation_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.scope('orders.read')) = 'all' then true
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
