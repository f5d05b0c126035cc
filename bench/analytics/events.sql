-- 90 days of storefront events for the tenants of fill.sql: `fill.events` for each, with eight
-- events per visitor. Requires a superuser. Triggers are off, and the rows of visitor days are
-- computed from the events.

set session_replication_role = replica;
set work_mem = '256MB';
select setseed(0.5);

-- The names are those in fill.sql of bench/commerce.
create temp table if not exists shops as
select
  t, ('00000000-0000-4000-8000-' || lpad(t::text, 12, '0'))::uuid as tenant_id,
  ('f4000000-0000-4000-8000-' || lpad(t::text, 12, '0'))::uuid as marketplace_id
from generate_series(1, 2) as t;

create temp table offered as
select p.tenant_id, p.id, p.supplier_id, p.category_id, p.place - 1 as place
from (
  select p.*, row_number() over (partition by p.tenant_id order by p.id) as place
  from public.products p
  where p.tenant_id in (select s.tenant_id from shops s)
) as p
where p.place <= 50;
analyze offered;

-- A row for each day, so that each day has its partition.
create temp table marks as
select gen_random_uuid() as id, (now() at time zone 'utc')::date - ago as day from generate_series(0, 89) as ago;

insert into private.storefront_events (tenant_id, id, received_on, occurred_at, stage, visitor, marketplace_id)
select s.tenant_id, m.id, m.day, m.day, 'visit', m.id, s.marketplace_id from marks m, shops s where s.t = 1;
select private.make_storefront_partitions();

insert into private.storefront_events (
  tenant_id, id, received_on, occurred_at, stage, visitor, marketplace_id, product_id, supplier_id, category_id
)
select
  s.tenant_id, gen_random_uuid(), (e.at at time zone 'utc')::date, e.at, e.stage, md5(format('visitor %s %s', s.t, e.n / 8))::uuid,
  s.marketplace_id, p.id, p.supplier_id, p.category_id
from shops s
cross join lateral (
  select
    n,
    -- The events of a visitor are within a few days.
    now() - ((n / 8 * 7919::bigint) % 85 + 4 * random()) * interval '1 day' as at,
    (array['visit', 'product_view', 'product_view', 'add_to_cart', 'checkout', 'order'])
      [1 + floor(6 * power(random(), 2.5))::integer]::private.visitor_stage as stage
  from generate_series(1, coalesce(nullif(current_setting('fill.events', true), ''), '2500000')::integer) as n
) as e
join offered p on p.tenant_id = s.tenant_id and p.place = e.n % 50;

insert into private.visitor_days (tenant_id, day, visitor, marketplace_id, stage)
select e.tenant_id, (e.occurred_at at time zone 'utc')::date, e.visitor, e.marketplace_id, max(e.stage)
from private.storefront_events e
group by 1, 2, 3, 4
on conflict do nothing;

insert into private.visitor_product_days (tenant_id, day, visitor, marketplace_id, supplier_id, category_id, stage)
select
  e.tenant_id, (e.occurred_at at time zone 'utc')::date, e.visitor, e.marketplace_id, e.supplier_id, e.category_id,
  max(e.stage)
from private.storefront_events e
where e.product_id is not null
group by 1, 2, 3, 4, 5, 6
on conflict do nothing;

insert into private.uncounted_visitor_days (tenant_id, day, visitor, marketplace_id)
select d.tenant_id, d.day, d.visitor, d.marketplace_id from private.visitor_days d where d.stage > 'bot';

set session_replication_role = origin;
analyze private.storefront_events;
analyze private.visitor_days;
analyze private.visitor_product_days;
