insert into private.piece_states (state, is_shipped, is_delivered, is_returned, is_lost, is_cancelled) values
  ('open', false, false, false, false, false),
  ('shipped', true, false, false, false, false),
  ('delivered', true, true, false, false, false),
  ('returned', true, true, true, false, false),
  ('lost', true, false, false, true, false),
  ('cancelled', false, false, false, false, true)
on conflict (state) do update set
  is_shipped = excluded.is_shipped, is_delivered = excluded.is_delivered, is_returned = excluded.is_returned,
  is_lost = excluded.is_lost, is_cancelled = excluded.is_cancelled;

insert into private.piece_moves (name, from_state, to_state, stock_reason) values
  ('cancel', 'open', 'cancelled', 'release'),
  ('ship', 'open', 'shipped', 'ship'),
  ('deliver', 'shipped', 'delivered', null),
  ('lose', 'shipped', 'lost', null),
  -- The shipment was a mistake.
  ('void', 'shipped', 'open', 'void'),
  -- It is lost, and another piece will be sent.
  ('resend', 'shipped', 'open', 'reserve'),
  ('take_back', 'delivered', 'returned', 'return'),
  -- It came back and cannot be sold again.
  ('discard', 'delivered', 'returned', null),
  -- It came back before anybody reported it delivered.
  ('turn_back', 'shipped', 'returned', 'return'),
  -- Digital goods that were handed out, when the whole order is cancelled.
  ('revoke', 'delivered', 'cancelled', null)
on conflict (name) do update set
  from_state = excluded.from_state, to_state = excluded.to_state, stock_reason = excluded.stock_reason;

-- Forward by any number of steps, in the sequence of the type; out as the traits allow.
with statuses as (select unnest(enum_range(null::public.order_status)) as status)
insert into private.status_moves (subject, from_status, to_status)
select 'orders', a.status, b.status
from statuses as a
join statuses as b on case b.status
  when 'cancelled' then private.holds_stock(a.status)
  when 'returned' then private.is_sent(a.status)
  else a.status < b.status and not private.is_void(a.status)
end
union all
-- These only follow from pieces: a shipment was void or is sent again; the last pieces came back, were lost or were
-- cancelled.
values
  ('orders', 'shipped'::public.order_status, 'processing'::public.order_status),
  ('orders', 'pending', 'returned'), ('orders', 'confirmed', 'returned'), ('orders', 'processing', 'returned')
on conflict do nothing;

insert into private.status_moves (subject, from_status, to_status) values
  ('shipments', 'shipped', 'delivered'),
  ('shipments', 'shipped', 'lost'),
  ('shipments', 'shipped', 'void')
on conflict do nothing;

-- A hundred at a time: a request that changes one of their orders waits for the lock two seconds at most.
select private.schedule_job('deliver-due-shipments', 'select public.deliver_due_shipments()', every => '1 minute');

insert into private.status_moves (subject, from_status, to_status) values
  ('return_requests', 'requested', 'approved'),
  ('return_requests', 'requested', 'rejected'),
  ('return_requests', 'requested', 'cancelled'),
  ('return_requests', 'approved', 'received'),
  ('return_requests', 'approved', 'cancelled')
on conflict do nothing;

-- A hundred at a time: a request that changes one of their orders waits for the lock two seconds at most.
select private.schedule_job('deliver-ended-bookings', 'select public.deliver_ended_bookings()', every => '1 minute');

insert into private.status_moves (subject, from_status, to_status) values
  ('orders.payment_status', 'pending', 'paid'),
  ('orders.payment_status', 'pending', 'failed'),
  ('orders.payment_status', 'failed', 'paid'),
  ('orders.payment_status', 'paid', 'failed'),
  ('orders.payment_status', 'paid', 'refunded'),
  ('orders.payment_status', 'refunded', 'paid'),
  -- The reports that are allowed in each payment status.
  ('payments', 'pending', 'paid'),
  ('payments', 'pending', 'failed'),
  ('payments', 'failed', 'paid'),
  ('payments', 'paid', 'refunded'),
  ('payments', 'paid', 'refund_failed'),
  ('payments', 'paid', 'payment_reversed'),
  ('payments', 'refunded', 'refund_failed')
on conflict do nothing;

select private.schedule_job(
  'cancel-unpaid-orders', 'select public.cancel_unpaid_orders(rounds => 50)',
  every => '1 minute'
);

select private.schedule_job(
  'forget-guests', 'select private.delete_old_guests(100)',
  every => '10 minutes', queue => 'long', in_batches => true
);
