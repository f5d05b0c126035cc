insert into private.event_statuses (name)
select distinct s.name
from unnest(
  enum_range(null::public.order_status)::text[]
  || enum_range(null::public.payment_status)::text[]
  || enum_range(null::public.payment_report)::text[]
  || enum_range(null::public.shipment_status)::text[]
  || enum_range(null::public.return_request_status)::text[]
  || enum_range(null::public.product_status)::text[]
) as s (name)
on conflict do nothing;

select private.schedule_job(
  'forget-webhook-secrets',
  $$
    update private.webhook_secrets
    set previous_secret = null, previous_until = null
    where previous_until <= now()
  $$,
  every => '1 hour', at => '00:23'
);

insert into private.webhook_schedule (attempt, wait) values
  (2, '1 minute'), (3, '5 minutes'), (4, '15 minutes'), (5, '1 hour')
on conflict (attempt) do update set wait = excluded.wait;

select private.schedule_job(
  'webhook-dispatch', 'select private.sweep_webhook_deliveries()',
  every => '1 minute', queue => 'workers'
);

select private.schedule_job(
  'end-switched-off-deliveries', 'select private.end_switched_off(20000)',
  every => '1 minute'
);
