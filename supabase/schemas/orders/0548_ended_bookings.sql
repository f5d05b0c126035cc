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
