insert into private.mail_kinds (key, event, status, is_optional, "to") values
  ('order_placed', 'order.created', null, false, null),
  ('order_shipped', 'order.status_changed', 'shipped', false, null),
  ('order_returned', 'order.status_changed', 'returned', false, null),
  ('order_cancelled', 'order.cancelled', null, false, null),
  ('order_refunded', 'payment.refunded', null, false, null),
  ('supplier_order_placed', 'order.created', null, true, 'supplier'),
  ('operator_order_placed', 'order.created', null, true, 'admins'),
  ('shipment_sent', 'shipment.created', null, false, 'buyer'),
  ('items_cancelled', 'order.items_cancelled', null, false, 'buyer'),
  ('return_requested', 'return.requested', null, false, 'supplier'),
  ('payment_failed', 'payment.failed', null, false, null),
  ('payout_paid', 'payout.paid', null, false, 'supplier'),
  ('welcome', 'user.registered', null, true, null),
  ('webhook_disabled', 'webhook.disabled', null, false, null),
  ('invitation', null, null, false, null),
  ('application_received', null, null, true, null),
  ('application_decided', null, null, false, null),
  ('product_decided', null, null, true, null),
  ('export_ready', null, null, false, null),
  ('campaign_approved', null, null, false, null),
  ('campaign_rejected', null, null, false, null),
  ('campaign_exhausted', null, null, false, null),
  ('low_stock', null, null, true, null)
on conflict (key) do update
  set event = excluded.event, status = excluded.status, is_optional = excluded.is_optional, "to" = excluded."to";

insert into private.caps (name, value, unit) values
  ('email_templates_per_tenant', 100, 'e-mail templates of a tenant')
on conflict (name) do update set unit = excluded.unit;

insert into private.caps (name, value, unit) values
  ('mails_per_event', 10, 'mails of one event'),
  ('order_mails_per_event', 100, 'mails of one event that tell members of an order'),
  ('mail_recipients', 10, 'members who get a mail of one event')
on conflict (name) do update set unit = excluded.unit;

insert into private.signing_keys (name) values ('mails')
on conflict do nothing;

insert into private.caps (name, value, unit) values
  ('mails_per_tenant_per_day', 50, 'mails of a tenant in a day, in UTC'),
  ('mails_per_address_per_hour', 20, 'mails of all tenants to one address in an hour'),
  ('order_mails_per_member_per_hour', 100, 'mails that tell a member of orders and applications in an hour'),
  ('unpaid_orders_per_address_per_hour', 1, 'unpaid orders about which one address gets mails in an hour'),
  ('mail_reports', 5, 'bounces and complaints among the last 100 mails of a tenant')
on conflict (name) do update set unit = excluded.unit;

select private.add_queue('mails', worker => 'mail-dispatch', lease => '2 minutes', waits => '{1 minute,5 minutes,15 minutes,1 hour}');

select private.schedule_job('sweep-mails', 'select private.sweep_mails()', every => '1 minute', queue => 'workers');
