-- `fill.rows` deliveries of the last 29 days, each of a separate event and with one attempt, to all
-- registrations in turn. Requires a superuser and registrations. Triggers are off.

-- Rows of the default partition whose day has no partition get one.
insert into public.events (tenant_id, name, payload, created_at)
select t.id, 'order.created', '{}', now() - n * interval '1 day'
from (select id from public.tenants limit 1) as t, generate_series(1, 30) as n;
select private.make_event_partitions();

set session_replication_role = replica;

drop table if exists pg_temp.past;
create temp table past as
select
  n, gen_random_uuid() as event_id, gen_random_uuid() as delivery_id, w.id as webhook_id, w.tenant_id,
  now() - interval '29 days' + n * interval '29 days' / current_setting('fill.rows')::integer as at
from generate_series(1, current_setting('fill.rows')::integer) as n
join (select w.*, row_number() over (order by w.id) - 1 as place, count(*) over () as many from public.webhooks w) as w
  on w.place = n % w.many;

insert into public.events (id, tenant_id, name, payload, created_at)
select p.event_id, p.tenant_id, 'order.created', jsonb_build_object('event', 'order.created', 'sequence', p.n), p.at
from past p
order by p.n;

insert into public.webhook_deliveries (
  id, tenant_id, webhook_id, event_id, event, event_at, status, attempts, next_attempt_at,
  attempted_at, duration_ms, response_code, response_body, created_at, updated_at
)
select
  p.delivery_id, p.tenant_id, p.webhook_id, p.event_id, 'order.created', p.at, 'success', 1, null,
  p.at, 12, 200, 'ok', p.at, p.at
from past p
order by p.n;

set session_replication_role = origin;
