-- Deliveries: an event for a webhook is one row, written in the transaction of the event and signed when it is sent. A
-- delivery waits in the queue until a dispatcher takes it, under a lease of one minute. pg_net wakes the dispatcher after
-- the commit.

create type public.delivery_status as enum ('pending', 'retrying', 'success', 'failed');

-- tables ---------------------------------------------------------------------------------------

create table public.webhook_deliveries (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event text not null,
  -- Finds the event in its day's partition. No foreign key: a day's events are dropped at once, after their deliveries.
  event_at timestamptz not null,
  status public.delivery_status not null default 'pending',
  attempts integer not null default 0,
  -- Number of attempts before it was last sent again by hand: the schedule starts again after them.
  attempts_before integer not null default 0,
  next_attempt_at timestamptz default now(),
  -- The last attempt. Earlier attempts are in a table of their own, and so is the last one of a delivery that was given
  -- up.
  attempted_at timestamptz,
  duration_ms integer,
  response_code integer,
  response_body text,
  error text,
  -- Equal to event_at. The log is listed and filtered by it.
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- One index for lookups by id alone and for foreign keys with the tenant.
  constraint webhook_deliveries_pkey primary key (id, tenant_id),
  constraint event_is_unique_in_webhook_deliveries unique (webhook_id, event_at, event_id),
  constraint webhook_deliveries_webhook_id_fkey foreign key (tenant_id, webhook_id)
    references public.webhooks (tenant_id, id) on delete cascade,
  constraint webhook_deliveries_next_attempt_at_is_set_while_there_is_one
    check ((next_attempt_at is not null) = (status in ('pending', 'retrying'))),
  constraint webhook_deliveries_error_is_set_when_it_failed check (status <> 'failed' or error is not null),
  constraint webhook_deliveries_response_body_is_at_most_1024_characters check (char_length(response_body) <= 1024)
)
-- Each row is written twice within a second. No index has a column that the second write changes, and with free space
-- the row stays on its page, so that no index is updated.
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
comment on table public.webhook_deliveries is
  'The deliveries of events to webhooks. The id is sent as X-Webhook-ID, the same in every attempt.';

alter table public.webhook_deliveries replica identity full;
alter publication supabase_realtime add table public.webhook_deliveries;

create table private.webhook_queue (
  -- No foreign keys: they would cost each delivery, and make it wait for a lock of its webhook.
  delivery_id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  due_at timestamptz not null,
  constraint webhook_queue_pkey primary key (delivery_id, tenant_id)
);
comment on table private.webhook_queue is
  'Deliveries that wait for the time of their next attempt. A dispatcher skips a delivery that has ended or was deleted.';

create table private.webhook_leases (
  -- No foreign key: it would cost each attempt, and a report ends the lease of a deleted delivery as well.
  tenant_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  dispatcher uuid not null,
  leased_until timestamptz not null,
  bytes integer not null,
  -- In this order for lookups by webhook alone.
  constraint webhook_leases_pkey primary key (webhook_id, delivery_id, tenant_id)
);
comment on table private.webhook_leases is
  'Deliveries in flight, each an attempt: its dispatcher, the end of the lease, and the size of the body in bytes. leased_until is -infinity for a delivery that was returned untried, which waits again. Any other delivery whose lease has ended has failed.';

create table private.skipped_deliveries (
  -- No foreign key: a transaction that writes here does not wait for a lock of the webhook.
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event text not null,
  event_at timestamptz not null,
  constraint skipped_deliveries_pkey primary key (tenant_id, webhook_id, event_at, event_id)
);
comment on table private.skipped_deliveries is
  'Deliveries that could not be written with their event because their webhook was locked, perhaps to be deleted. The next sweep that finds it free writes them, or deletes those of a deleted webhook.';

-- indexes --------------------------------------------------------------------------------------

create index webhook_deliveries_webhook_idx on public.webhook_deliveries (tenant_id, webhook_id, created_at desc, id);
-- Failed deliveries all have an error; an index by status would change with every delivery.
create index webhook_deliveries_failed_idx on public.webhook_deliveries (tenant_id, webhook_id, created_at desc, id)
  where error is not null;
create index webhook_queue_due_idx on private.webhook_queue (webhook_id, due_at);

-- functions: waking the dispatcher -------------------------------------------------------------

create function private.wake_webhook_dispatch() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.wake('webhook-dispatch');
end
$$;
comment on function private.wake_webhook_dispatch() is
  'Has pg_net wake the dispatcher as soon as this transaction is committed.';

-- functions: writing deliveries ----------------------------------------------------------------

create function private.fan_out_events() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  with wanted as materialized (
    select e.tenant_id, w.id as webhook_id, e.id as event_id, e.name as event, e.created_at as event_at
    from new_events e
    join public.webhooks w on w.tenant_id = e.tenant_id and w.active and e.name = any (w.events)
    -- A filter does not apply to an event that lacks the field.
    where (e.marketplace_id = any (w.marketplace_ids)) is not false
      and (e.status = any (w.statuses)) is not false
  ),
  -- An order neither waits for a webhook that is being deleted nor fails because of it.
  free as materialized (
    select w.id
    from public.webhooks w
    where w.id = any (array(select distinct d.webhook_id from wanted d))
    for key share skip locked
  ),
  skipped as (
    insert into private.skipped_deliveries (tenant_id, webhook_id, event_id, event, event_at)
    select d.tenant_id, d.webhook_id, d.event_id, d.event, d.event_at
    from wanted d
    where d.webhook_id not in (select f.id from free f)
  )
  insert into public.webhook_deliveries (tenant_id, webhook_id, event_id, event, event_at, created_at)
  select d.tenant_id, d.webhook_id, d.event_id, d.event, d.event_at, d.event_at
  from wanted d
  where d.webhook_id in (select f.id from free f);
  if found then
    perform private.wake_webhook_dispatch();
  end if;
  return null;
end
$$;
comment on function private.fan_out_events() is
  'Statement trigger: writes a delivery for each event and each active webhook that subscribed to it and whose filter it passes. Deliveries for a locked webhook are kept for the sweep.';

create function private.fan_out_skipped() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- Waits for no lock, so it causes no deadlock. Locked rows stay for the next sweep.
  with waiting as materialized (
    select s.tenant_id, s.webhook_id, s.event_at, s.event_id
    from private.skipped_deliveries s
    limit 10000
    for update skip locked
  ),
  free as materialized (
    select w.id
    from public.webhooks w
    where w.id = any (array(select distinct s.webhook_id from waiting s))
    for key share skip locked
  ),
  ended as (
    delete from private.skipped_deliveries s
    using waiting
    where s.tenant_id = waiting.tenant_id and s.webhook_id = waiting.webhook_id and s.event_at = waiting.event_at
      and s.event_id = waiting.event_id
      and (
        s.webhook_id in (select f.id from free f)
        or not exists (select 1 from public.webhooks w where w.id = s.webhook_id)
      )
    returning s.tenant_id, s.webhook_id, s.event_id, s.event, s.event_at
  )
  -- Also for a webhook that was switched off meanwhile: its delivery ends like those that were in flight.
  insert into public.webhook_deliveries (tenant_id, webhook_id, event_id, event, event_at, created_at)
  select d.tenant_id, d.webhook_id, d.event_id, d.event, d.event_at, d.event_at
  from ended d
  where d.webhook_id in (select f.id from free f);
end
$$;
comment on function private.fan_out_skipped() is
  'Writes the deliveries that could not be written with their event, for webhooks that are no longer locked.';

create function private.queue_delivery() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.webhook_queue (tenant_id, webhook_id, due_at, delivery_id)
  values (new.tenant_id, new.webhook_id, new.next_attempt_at, new.id)
  on conflict (delivery_id, tenant_id) do update set due_at = excluded.due_at;
  return null;
end
$$;
comment on function private.queue_delivery() is
  'Row trigger: queues a delivery that is to be tried again until its next_attempt_at.';

create function private.queue_new_deliveries() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.webhook_queue (tenant_id, webhook_id, due_at, delivery_id)
  select w.tenant_id, w.webhook_id, w.next_attempt_at, w.id
  from written w
  where w.next_attempt_at is not null;
  return null;
end
$$;
comment on function private.queue_new_deliveries() is
  'Statement trigger: queues new deliveries for their first attempt.';

create function private.give_up_deliveries(webhook_id uuid, most integer) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  waiting uuid[];
begin
  with ended as (
    delete from private.webhook_queue q
    where q.ctid = any (array(
      select w.ctid from private.webhook_queue w where w.webhook_id = give_up_deliveries.webhook_id limit most
    ))
    returning q.delivery_id
  )
  select coalesce(array_agg(e.delivery_id), '{}') into waiting from ended e;
  -- Deliveries in flight stay leased: the end of their attempt is still recorded.
  update public.webhook_deliveries d
  set status = 'failed', next_attempt_at = null,
      attempted_at = null, duration_ms = null, response_body = null, error = 'the webhook was switched off'
  where d.next_attempt_at is not null and d.id = any (
    waiting || array(
      select l.delivery_id from private.webhook_leases l where l.webhook_id = give_up_deliveries.webhook_id
    )
  );
  return cardinality(waiting);
end
$$;
comment on function private.give_up_deliveries is
  'Ends up to most deliveries that wait for a webhook and returns how many.';

create function private.end_deliveries() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- At most 100, because switching off 100 webhooks at once would otherwise take longer than a dispatcher waits. Sweeps
  -- end the others.
  perform private.give_up_deliveries(new.id, 100);
  return null;
end
$$;
comment on function private.end_deliveries() is
  'Row trigger: a webhook that is switched off gets no more deliveries, and those that wait for it end.';

create function private.delete_old_deliveries(before timestamptz) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  webhook uuid;
begin
  -- One webhook at a time, so that this needs no index of its own.
  for webhook in select w.id from public.webhooks w loop
    delete from public.webhook_deliveries d
    where d.webhook_id = webhook and d.event_at < delete_old_deliveries.before;
  end loop;
  delete from private.skipped_deliveries s where s.event_at < delete_old_deliveries.before;
end
$$;
comment on function private.delete_old_deliveries is
  'Deletes the deliveries of events before this time, with their attempts.';

-- triggers -------------------------------------------------------------------------------------

create trigger webhooks_end_deliveries
  after update of active on public.webhooks
  for each row when (old.active and not new.active)
  execute function private.end_deliveries();

create trigger webhook_deliveries_touch
  before update on public.webhook_deliveries
  -- Recording attempts happens often and sets the time itself.
  for each row when (new.updated_at = old.updated_at)
  execute function private.touch();

create trigger webhook_deliveries_queue_new
  after insert on public.webhook_deliveries
  referencing new table as written
  for each statement execute function private.queue_new_deliveries();

create trigger webhook_deliveries_queue
  after update of next_attempt_at on public.webhook_deliveries
  for each row when (new.next_attempt_at is not null)
  execute function private.queue_delivery();

create trigger events_fan_out
  after insert on public.events
  referencing new table as new_events
  for each statement execute function private.fan_out_events();

-- policies -------------------------------------------------------------------------------------

alter table private.webhook_queue enable row level security;
alter table private.webhook_leases enable row level security;
alter table private.skipped_deliveries enable row level security;
alter table public.webhook_deliveries enable row level security;

create policy "Admins and clients see their tenant's deliveries" on public.webhook_deliveries
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.scope('webhooks.read')) = 'all'
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.webhook_deliveries to authenticated;
grant all on public.webhook_deliveries to service_role;
