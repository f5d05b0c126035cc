-- Every column with personal data of customers. tests/customers/personal-data.test.ts fails for a column of a tenant that
-- looks like personal data and is neither here nor in its list of what is not.
delete from private.personal_data;

insert into private.personal_data (table_name, column_name, found_by, erasure, replacement, shown_to)
select
  p.table_name, c.name, p.found_by::jsonb, p.erasure::private.erasure, p.replacement, p.shown_to::private.permission_scope
from (values
  ('public.customers', '{name}', '{"id": "customers"}', 'text', '', 'own'),
  ('public.customers', '{email,contact_email,phone,language,external_id}', '{"id": "customers"}', 'null', null, 'own'),
  ('public.members', '{email,name}', '{"user_id": "users"}', 'cascade', null, 'own'),
  ('public.invitations', '{email}', '{"email": "addresses", "accepted_by": "users"}', 'row', null, 'own'),
  -- The supplier that an approval has made stays, with its own name and legal identity.
  ('public.supplier_applications', '{name,email,country,legal,message,reason}', '{"email": "addresses", "user_id": "users"}', 'row', null, 'own'),

  ('private.customer_addresses', '{address}', '{"customer_id": "customers"}', 'row', null, 'own'),
  -- A job deletes them a day after they have ended.
  ('private.checkouts', '{email,request,quote}', '{"user_id": "users", "customer_id": "customers", "email": "addresses"}', 'row', null, 'own'),
  ('public.orders', '{shipping_address,billing_address}', '{"customer_id": "customers"}', 'address', null, 'own'),
  ('public.orders', '{contact,tax_id,language}', '{"customer_id": "customers"}', 'null', null, 'own'),
  ('public.orders', '{number,status,payment_status,currency,external_id}', '{"customer_id": "customers"}', 'kept', null, 'own'),
  ('public.order_items', '{name,quantity,price}', '{"order_id": "orders"}', 'kept', null, 'own'),
  -- Internal notes are among them.
  ('public.order_notes', '{text}', '{"order_id": "orders"}', 'text', '[erased]', 'all'),
  ('public.order_status_changes', '{note}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.shipments', '{tracking_number,tracking_url,note}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.order_cancellations', '{reason}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.order_returns', '{note}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.return_requests', '{reason,note}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.payments', '{status,amount,currency,reference}', '{"order_id": "orders"}', 'kept', null, 'own'),
  ('public.payment_sessions', '{status,amount,currency,reference}', '{"order_id": "orders"}', 'kept', null, 'own'),
  ('public.payment_sessions', '{return_url}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.refunds', '{status,amount,currency,payment_reference,reference}', '{"order_id": "orders"}', 'kept', null, 'own'),
  ('public.refunds', '{reason}', '{"order_id": "orders"}', 'null', null, 'own'),
  ('public.bookings', '{name,starts_at,ends_at,status}', '{"customer_id": "customers"}', 'kept', null, 'own'),
  ('private.orders_as_imported', '{email_hash}', '{"order_id": "orders"}', 'null', null, null),

  ('public.events', '{payload}', '{"id": "events"}', 'identifiers', null, null),
  ('public.webhook_deliveries', '{response_body}', '{"id": "deliveries"}', 'null', null, null),
  ('private.earlier_attempts', '{response_body}', '{"delivery_id": "deliveries"}', 'null', null, null),

  ('public.mails', '{to,name,languages,variables,subject,error,provider_id}', '{"to": "addresses", "event_id": "events", "order_id": "orders", "cause_id": "applications"}', 'row', null, 'own'),
  ('private.mail_contents', '{subject,html,text}', '{}', 'cascade', null, null),
  ('public.mail_suppressions', '{email}', '{"email": "addresses"}', 'row', null, 'own'),

  ('public.exports', '{email}', '{"email": "addresses"}', 'null', null, null),
  ('public.export_schedules', '{email}', '{"email": "addresses"}', 'null', null, null),
  -- Of the customer's own requests, and of those of the staff about the customer.
  ('private.idempotency_keys', '{key,fingerprint,outcome}', '{"user_id": "users", "outcome": "words"}', 'row', null, null)
) as p (table_name, columns, found_by, erasure, replacement, shown_to)
cross join unnest(p.columns::text[]) as c (name);

select private.schedule_job(
  'claim-customers', 'select private.claim_due_customers(100)', every => '1 minute', queue => 'long', in_batches => true
);
