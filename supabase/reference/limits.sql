insert into private.rate_limits (kind, requests_per_minute) values
  ('customer', 100), ('supplier', 500), ('client', 1000), ('admin', 2000), ('address', 100), ('login', 10), ('visitor', 300), ('applicant', 10),
  ('checkout', 60)
on conflict do nothing;

insert into private.caps (name, value, unit) values
  ('record_bytes', 1048576, 'bytes of a record in a response'),
  ('event_bytes', 524288, 'bytes of an event''s body'),
  ('events_per_minute', 5000, 'events of a tenant per minute, without imports'),
  ('event_page_bytes', 8388608, 'bytes of a page of events'),
  ('webhooks_per_tenant', 100, 'webhooks of a tenant'),
  ('api_keys_per_tenant', 100, 'API keys of a tenant'),
  ('invitations_per_supplier', 20, 'open invitations of a supplier'),
  ('supplier_applications_per_tenant', 1000, 'supplier applications of a tenant that wait'),
  ('addresses_per_customer', 20, 'addresses that a customer keeps'),
  ('deliveries_under_way', 100, 'deliveries of a tenant in flight'),
  ('dispatch_bytes', 8388608, 'bytes of bodies per take of a dispatcher'),
  ('deliveries_recovered', 10000, 'deliveries per recovery'),
  ('products_per_supplier', 100000, 'products of a supplier that are not discontinued'),
  ('list_bytes', 33554432, 'bytes of a page of products')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'forget-idempotency-keys', $$delete from private.idempotency_keys where created_at < now() - interval '24 hours'$$,
  every => '1 hour', at => '00:07', queue => 'long'
);

select private.schedule_job(
  'forget-request-counts', $$delete from private.request_counts where minute < now() - interval '2 minutes'$$,
  every => '10 minutes', queue => 'long'
);

select private.schedule_job(
  'forget-rest-requests', $$delete from private.rest_requests where made_at < now() - interval '2 minutes'$$,
  every => '5 minutes', queue => 'long'
);
