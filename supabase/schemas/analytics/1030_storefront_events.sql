-- Visits of a shop: events that shops report, and orders that customers place themselves.
--
-- Each day of arrival, in UTC, is a partition, as in public.events. So a duplicate is looked up in two partitions only,
-- however many events there are.

-- types ----------------------------------------------------------------------------------------

create type private.visitor_stage as enum ('bot', 'visit', 'product_view', 'add_to_cart', 'checkout', 'order');
comment on type private.visitor_stage is
  'How far a visitor came: a later stage implies the earlier ones. bot: a program that declares itself one.';

-- tables ---------------------------------------------------------------------------------------

create table private.storefront_events (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  id uuid not null,
  received_on date not null default (now() at time zone 'utc')::date,
  occurred_at timestamptz not null,
  stage private.visitor_stage not null,
  visitor uuid not null,
  marketplace_id uuid not null,
  product_id uuid,
  supplier_id uuid,
  category_id uuid,
  constraint storefront_events_pkey primary key (tenant_id, id, received_on)
) partition by range (received_on);
comment on table private.storefront_events is
  'What visitors did, kept for 90 days. received_on: the day of arrival, in UTC. visitor: a user id, or a hash of the shop''s visitor name. supplier_id, category_id: the product''s at that time. id: as sent; for an order, the id of its item. Partitioned by day.';

create table private.storefront_events_default partition of private.storefront_events default;
comment on table private.storefront_events_default is 'Events of days that have no partition yet.';

-- functions: partitions ------------------------------------------------------------------------

create function private.storefront_partition(day date) returns text
language sql immutable set search_path = ''
as $$
  select to_char(day::timestamp, '"storefront_events_"YYYYMMDD')
$$;
comment on function private.storefront_partition is 'The name of a day''s partition.';

create function private.make_storefront_partitions() returns void
-- The settings are those of make_event_partitions.
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  today date := (now() at time zone 'utc')::date;
  days date[] := array(
    select d.day
    from (
      select today + ahead from generate_series(0, 7) as ahead
      union
      select e.received_on from private.storefront_events_default e
    ) as d (day)
    where to_regclass('private.' || private.storefront_partition(d.day)) is null
    order by d.day
  );
  day date;
begin
  if days = '{}' then
    return;
  end if;
  -- In the order in which changes lock them.
  lock table only public.tenants, only private.storefront_events in share row exclusive mode;
  foreach day in array days loop
    execute format(
      'create table private.%I (like private.storefront_events including defaults including indexes)',
      private.storefront_partition(day)
    );
    execute format('alter table private.%I enable row level security', private.storefront_partition(day));
    execute format(
      $move$
        with moved as (
          delete from private.storefront_events_default e where e.received_on = $1
          returning
            e.tenant_id, e.id, e.received_on, e.occurred_at, e.stage, e.visitor, e.marketplace_id, e.product_id,
            e.supplier_id, e.category_id
        )
        insert into private.%I (
          tenant_id, id, received_on, occurred_at, stage, visitor, marketplace_id, product_id, supplier_id, category_id
        )
        select
          m.tenant_id, m.id, m.received_on, m.occurred_at, m.stage, m.visitor, m.marketplace_id, m.product_id,
          m.supplier_id, m.category_id
        from moved m
      $move$,
      private.storefront_partition(day)
    )
    using day;
    execute format(
      'alter table private.storefront_events attach partition private.%I for values from (%L) to (%L)',
      private.storefront_partition(day), day, day + 1
    );
  end loop;
end
$$;
comment on function private.make_storefront_partitions() is
  'Makes the partitions of today, the next week, and every day that has events in the default partition, and moves these events.';

create function private.delete_old_storefront_events() returns void
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  before date := (now() at time zone 'utc')::date - 90;
  partition text;
begin
  delete from private.storefront_events_default e where e.received_on < before;
  for partition in
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'private.storefront_events'::regclass
      and c.relname ~ '^storefront_events_[0-9]{8}$'
      and c.relname < private.storefront_partition(before)
    order by c.relname
  loop
    execute format('drop table private.%I', partition);
  end loop;
end
$$;
comment on function private.delete_old_storefront_events() is 'Drops the events of days that are more than 90 days ago.';

-- functions: orders ----------------------------------------------------------------------------

create function private.record_ordering_visitor() returns trigger
-- A cached plan may date from a time with few rows. These settings make every plan look rows up by index.
language plpgsql security definer set search_path = ''
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  -- Orders of admins and clients and imported orders have no visitor.
  if private.scope('orders.place') is distinct from 'own' then
    return null;
  end if;
  insert into private.storefront_events (
    tenant_id, id, occurred_at, stage, visitor, marketplace_id, product_id, supplier_id, category_id
  )
  select
    i.tenant_id, i.id, o.created_at, 'order',
    -- A guest's earlier events may be those of a visitor.
    case when private.is_guest() then coalesce(private.sent_visitor_id(), c.user_id) else c.user_id end,
    o.marketplace_id, i.product_id, i.supplier_id, p.category_id
  from new_items i
  join public.orders o on o.id = i.order_id
  join public.customers c on c.id = o.customer_id
  join public.products p on p.id = i.product_id
  where c.user_id = auth.uid()
  order by i.id
  on conflict do nothing;
  return null;
end
$$;
comment on function private.record_ordering_visitor() is
  'Statement trigger: records that a customer who orders for itself is a visitor at the stage order.';

-- triggers -------------------------------------------------------------------------------------

create trigger order_items_note_visitor
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.record_ordering_visitor();

-- policies -------------------------------------------------------------------------------------

alter table private.storefront_events enable row level security;
alter table private.storefront_events_default enable row level security;
