-- Order channels: on the private channel order:{id}, everybody who sees an order receives its changes when they are
-- committed, and sees who else is connected. Only the database sends messages on it.

-- functions ------------------------------------------------------------------------------------

create function private.order_of_channel(topic text) returns uuid
language plpgsql immutable set search_path = ''
as $$
begin
  -- Only in the form in which the database sends: a channel with another spelling could be joined but would stay
  -- silent.
  if topic ~ '^order:[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then
    return substr(topic, 7)::uuid;
  end if;
  return null;
end
$$;
comment on function private.order_of_channel is 'The order that a channel is about; null for any other channel.';

create function private.shares_order(order_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(private.reach('orders.read') = 'supplier', false) and exists (
    select 1
    from public.order_parts p
    where p.order_id = shares_order.order_id and p.supplier_id <> private.supplier_id()
  );
end
$$;
comment on function private.shares_order is
  'Whether the caller is one of several suppliers of an order, who must not learn about each other.';

create function private.broadcast_about_pieces(order_id uuid, event text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- Every supplier of the order receives the message, so it must not say whose pieces moved.
  perform realtime.send(jsonb_build_object('id', order_id), event, 'order:' || order_id, true);
exception
  when others then
    raise warning 'event % of order % could not be broadcast: %', event, order_id, sqlerrm;
end
$$;
comment on function private.broadcast_about_pieces is
  'Broadcasts an event on an order''s channel when the transaction commits. Never fails.';

create function private.broadcast_pieces() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.broadcast_about_pieces(change.order_id, change.event)
    from (
      select distinct
        m.order_id,
        case tg_table_name
          when 'order_cancellations' then 'order.items_cancelled'
          when 'return_requests' then 'return.' || (to_jsonb(m) ->> 'status')
          else 'shipment.created'
        end as event
      from moved m
    ) as change;
  else
    perform private.broadcast_about_pieces(change.order_id, change.event)
    from (
      select distinct
        m.order_id, case tg_table_name when 'return_requests' then 'return.' else 'shipment.' end || m.status as event
      from moved m
      join before b on b.id = m.id and b.status <> m.status
    ) as change;
  end if;
  return null;
end
$$;
comment on function private.broadcast_pieces() is
  'Statement trigger: broadcasts on an order''s channel that its shipments, return requests or cancellations were created or moved, one message for all of them.';

create function private.broadcast_order_moves() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  channel text := 'order:' || new.id;
  -- Only fields that every listener may see, suppliers as well as the customer.
  payload jsonb := jsonb_build_object(
    'id', new.id, 'number', new.number, 'status', new.status, 'old_status', old.status,
    'payment_status', new.payment_status, 'old_payment_status', old.payment_status,
    'updated_at', new.updated_at
  );
begin
  if new.status <> old.status then
    perform realtime.send(payload, 'order.status_changed', channel, true);
  end if;
  if new.payment_status <> old.payment_status then
    perform realtime.send(payload, 'order.payment_status_changed', channel, true);
  end if;
  return null;
exception
  when others then
    -- realtime.send raises a warning if a message cannot be stored. If it is missing or forbidden, orders still move.
    raise warning 'nobody is told that order % moved: %', new.id, sqlerrm;
    return null;
end
$$;
comment on function private.broadcast_order_moves() is
  'Row trigger: broadcasts on an order''s channel that its status or payment status changed, when the transaction commits. Never fails.';

-- triggers -------------------------------------------------------------------------------------

create trigger orders_broadcast_moves
  after update of status, payment_status on public.orders
  for each row when (old.status <> new.status or old.payment_status <> new.payment_status)
  execute function private.broadcast_order_moves();

create trigger shipments_broadcast_created
  after insert on public.shipments
  referencing new table as moved
  for each statement execute function private.broadcast_pieces();

create trigger shipments_broadcast_moves
  after update on public.shipments
  referencing old table as before new table as moved
  for each statement execute function private.broadcast_pieces();

create trigger return_requests_broadcast_requested
  after insert on public.return_requests
  referencing new table as moved
  for each statement execute function private.broadcast_pieces();

create trigger return_requests_broadcast_moves
  after update on public.return_requests
  referencing old table as before new table as moved
  for each statement execute function private.broadcast_pieces();

create trigger order_cancellations_broadcast
  after insert on public.order_cancellations
  referencing new table as moved
  for each statement execute function private.broadcast_pieces();

-- policies -------------------------------------------------------------------------------------

-- Realtime checks these policies when a channel is joined and when its token is renewed. The order is looked up once
-- per statement, and not at all for other channels. On hosted Supabase this table belongs to Supabase: policies on it
-- are allowed, comments are not.

create policy "Members who see an order receive its messages and presence" on realtime.messages
  for select to authenticated
  using (
    topic = (select realtime.topic())
    and (
      extension <> 'presence'
      or not (select private.shares_order(private.order_of_channel(realtime.topic())))
    )
    and (
      select true from public.orders o
      where o.id = (select private.order_of_channel(realtime.topic()))
    )
  );

create policy "Members who see an order may show their presence" on realtime.messages
  for insert to authenticated
  with check (
    extension = 'presence'
    and topic = (select realtime.topic())
    and (
      select true from public.orders o
      where o.id = (select private.order_of_channel(realtime.topic()))
    )
  );

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.order_of_channel, private.shares_order to authenticated;
