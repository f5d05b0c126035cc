-- Moves of a whole order by hand, as private.status_moves allows. The pieces move too: a move to shipped ships all that
-- is left.

-- functions ------------------------------------------------------------------------------------

create function private.move_order(target public.orders, status public.order_status, note text) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  -- The table has more moves, which only follow from pieces.
  if not private.is_void(move_order.status) and move_order.status <= target.status
    or move_order.status = target.status
    or move_order.status = 'returned' and not private.is_sent(target.status)
  then
    perform private.refuse(
      'INVALID_TRANSITION', format('The order is %s already.', target.status), 'status', to_jsonb(move_order.status)
    );
  end if;
  if move_order.status = 'cancelled' and private.holds_stock(target.status) and exists (
    select
    from public.order_items i
    join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
    where i.tenant_id = target.tenant_id and i.order_id = target.id
      -- Digital goods that were handed out do not count: they are revoked.
      and i.shipped_quantity > case p.kind when 'digital' then i.delivered_quantity - i.returned_quantity else 0 end
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'Some items were shipped. Cancel the other items instead of the order.', 'status', '"cancelled"'
    );
  elsif move_order.status = 'cancelled' and cardinality(private.ended_slots(target)) > 0 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A booked slot is over. Cancel the other items instead of the order.', 'status', '"cancelled"'
    );
  end if;

  if move_order.status in ('shipped', 'delivered') and private.holds_stock(target.status) then
    perform private.insist_on_payment(target);
  end if;

  if not private.holds_stock(move_order.status) and target.imported_at is null then
    -- One lock for all moves below: with one each, two orders could deadlock.
    perform private.lock_stock(target.tenant_id, to_jsonb(array(select p from private.pieces_in(target) as p)));
  end if;
  -- Before its pieces move, because this update hands out licence keys.
  update public.orders o
  set status = move_order.status
  where o.id = target.id;
  insert into public.order_status_changes (tenant_id, order_id, old_status, new_status, note, actor_id)
  values (target.tenant_id, target.id, target.status, move_order.status, move_order.note, auth.uid());

  case move_order.status
    when 'shipped' then
      perform private.ship_all(target, move_order.note);
    when 'delivered' then
      perform private.ship_all(target, move_order.note);
      perform private.deliver_shipments(target);
    when 'cancelled' then
      perform private.move_pieces(
        target, 'cancel', array(select p from private.pieces_in(target, 'open') as p where p.quantity > 0)
      );
      perform private.move_pieces(
        target, 'revoke', array(select p from private.pieces_in(target, 'delivered') as p where p.quantity > 0)
      );
    when 'returned' then
      perform private.deliver_shipments(target);
      perform private.take_all_back(target, move_order.note);
    else
      null;
  end case;
  perform private.follow_pieces(
    target, move_order.note,
    case when private.holds_stock(move_order.status) then move_order.status else 'pending' end
  );
end
$$;
comment on function private.move_order is
  'Moves an order with its history, pieces and stock. The caller has locked the order''s row. Refuses: INVALID_TRANSITION, VALIDATION_ERROR.';

create function private.is_late_to_cancel(target public.orders) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return not private.is_untouched(target.status)
    or cardinality(private.late_slots(target)) > 0
    or exists (select from private.pieces_in(target, 'delivered') as p where p.quantity > 0);
end
$$;
comment on function private.is_late_to_cancel is
  'Whether a customer can no longer cancel its order: the work on it has begun, digital goods were handed out, or it is too late for one of its slots.';

create function private.change_order_status(order_id uuid, status public.order_status, note text) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reach text := private.reach('orders.move');
  target public.orders := private.seen_order(change_order_status.order_id);
  may boolean;
  is_late boolean;
begin
  -- Access to an order never changes. Its status may change until the row is locked.
  select * into target from public.orders o where o.id = target.id for update;
  is_late := private.is_late_to_cancel(target);

  may := case reach
    when 'all' then true
    when 'customer' then change_order_status.status = 'cancelled'
    when 'supplier' then
      not private.is_void(change_order_status.status)
      and not exists (
        select 1 from public.order_items i
        where i.tenant_id = target.tenant_id
          and i.order_id = target.id
          and i.supplier_id is distinct from private.supplier_id()
      )
    else false
  end;
  if not may then
    perform private.refuse(
      'FORBIDDEN', 'Your role may not move this order to this status.', 'status', to_jsonb(change_order_status.status)
    );
  end if;

  perform private.move_order(target, change_order_status.status, change_order_status.note);

  if reach = 'customer' and is_late then
    perform private.refuse(
      'FORBIDDEN', 'You can no longer cancel this order yourself. Ask the shop.', 'status', to_jsonb(change_order_status.status)
    );
  end if;
end
$$;
comment on function private.change_order_status is
  'Moves an order and its stock, or refuses: NOT_FOUND, FORBIDDEN, INVALID_TRANSITION, VALIDATION_ERROR.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.change_order_status to authenticated;
