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
  target public.orders;
  there private.piece[];
  pieces private.piece[];
  suppliers uuid[];
  details public.shipments;
  made uuid;
begin
  perform private.require_permission('shipments.write', 'Your role may not create shipments.');
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
  target public.orders;
  shipment public.shipments;
  wanted public.shipment_status;
begin
  perform private.require_permission('shipments.write', 'Your role may not change shipments.');
  target := private.seen_order(update_shipment.order_id);
  select * into target from public.orders o where o.id = target.id for update;
  select * into shipment
  from public.shipments s
  where s.tenant_id = target.tenant_id and s.order_id = target.id and s.id = update_shipment.shipment_id
    and (private.scope('shipments.write') = 'all' or s.supplier_id = private.supplier_id());
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
  elsif wanted = 'void' and private.scope('shipments.void') is null and shipment.actor_id is distinct from auth.uid() then
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
    and case (select private.reach('orders.read'))
      when 'customer' then customer_id = (select private.customer_id())
      when 'supplier' then supplier_id = (select private.supplier_id())
      when 'all' then true
    end
  );

create policy "Everybody who sees a shipment sees its items" on public.shipment_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.scope('orders.read')) = 'all' then true
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
