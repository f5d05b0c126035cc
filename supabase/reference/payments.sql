insert into private.caps (name, value, unit) values
  ('payment_sessions_per_order', 100, 'payments of an order that are begun')
on conflict (name) do update set unit = excluded.unit;

-- A refund is never given up: only the provider's answer ends it.
select private.add_queue(
  'refunds', worker => 'payments', lease => '2 minutes', waits => '{1 minute,5 minutes,30 minutes,2 hours}', gives_up => false
);
