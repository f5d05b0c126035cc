insert into private.mail_kinds (key, event, status, is_optional) values
  ('order_placed', 'order.created', null, false),
  ('order_shipped', 'order.status_changed', 'shipped', false),
  ('order_returned', 'order.status_changed', 'returned', false),
  ('order_cancelled', 'order.cancelled', null, false),
  ('order_refunded', 'payment.refunded', null, false),
  ('payment_failed', 'payment.failed', null, false),
  ('welcome', 'user.registered', null, true),
  ('webhook_disabled', 'webhook.disabled', null, false),
  ('invitation', null, null, false),
  ('application_received', null, null, true),
  ('application_decided', null, null, false),
  ('product_decided', null, null, true),
  ('export_ready', null, null, false),
  ('campaign_approved', null, null, false),
  ('campaign_rejected', null, null, false),
  ('campaign_exhausted', null, null, false),
  ('low_stock', null, null, true)
on conflict (key) do update set event = excluded.event, status = excluded.status, is_optional = excluded.is_optional;

insert into private.caps (name, value, unit) values
  ('email_templates_per_tenant', 100, 'e-mail templates of a tenant')
on conflict (name) do update set unit = excluded.unit;

insert into private.caps (name, value, unit) values
  ('mails_per_event', 10, 'mails of one event'),
  ('mail_recipients', 10, 'members who get a mail of one event')
on conflict (name) do update set unit = excluded.unit;

insert into private.signing_keys (name) values ('mails')
on conflict do nothing;

insert into private.caps (name, value, unit) values
  ('mails_per_tenant_per_day', 50, 'mails of a tenant in a day, in UTC'),
  ('mails_per_address_per_hour', 20, 'mails of all tenants to one address in an hour'),
  ('unpaid_orders_per_address_per_hour', 1, 'unpaid orders about which one address gets mails in an hour'),
  ('mail_reports', 5, 'bounces and complaints among the last 100 mails of a tenant')
on conflict (name) do update set unit = excluded.unit;

select private.add_queue('mails', worker => 'mail-dispatch', lease => '2 minutes', waits => '{1 minute,5 minutes,15 minutes,1 hour}');

select private.schedule_job('sweep-mails', 'select private.sweep_mails()', every => '1 minute', queue => 'workers');
