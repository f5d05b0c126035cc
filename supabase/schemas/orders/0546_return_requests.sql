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
  target public.orders;
  pieces private.piece[];
  suppliers uuid[];
  asked uuid;
begin
  perform private.require_permission('returns.request', 'Only the customer, clients and admins may request a return.');
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
  locked public.return_requests;
begin
  if answered then
    perform private.require_permission('returns.answer', 'Only its supplier and admins may answer a return request.');
  else
    perform private.require_permission(
      'returns.request', 'Only the customer, clients and admins may cancel a return request.'
    );
  end if;
  perform private.seen_order(locked_return_request.order_id);
  perform 1 from public.orders o where o.id = locked_return_request.order_id for update;
  select * into locked
  from public.return_requests r
  where r.tenant_id = private.tenant_id()
    and r.order_id = locked_return_request.order_id
    and r.id = locked_return_request.request_id
    and (not answered or private.scope('returns.answer') = 'all' or r.supplier_id = private.supplier_id());
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
    and case (select private.reach('orders.read'))
      when 'customer' then customer_id = (select private.customer_id())
      when 'supplier' then supplier_id = (select private.supplier_id())
      when 'all' then true
    end
  );

create policy "Everybody who sees a return request sees its items" on public.return_request_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.scope('orders.read')) = 'all' then true
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
