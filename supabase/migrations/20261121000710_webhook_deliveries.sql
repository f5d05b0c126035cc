-- Deliveries: every event goes, signed, to every active registration that subscribed to it. A delivery
-- is a row written with its event; the function `webhook-dispatch` takes what is due, sends it and
-- reports. pg_net wakes it after a commit, and pg_cron each minute for what was left over.
--
-- A delivery waits in the queue until it is taken. Whoever takes it has a lease of it, and reports with that
-- lease: when its dispatcher has died this was an attempt that failed, and what comes too late changes nothing.
-- Of several dispatchers one at a time takes for a registration, and who has all of it under way sends ten at a time: no
-- receiver gets more at once than it may.

create type public.delivery_status as enum ('pending', 'retrying', 'success', 'failed');

create type private.shares as (of_webhook integer, of_tenant integer, bytes bigint, bytes_of_tenant bigint);
comment on type private.shares is
  'How much may be under way: deliveries of a webhook and of a tenant; and bytes of bodies, those that a dispatcher takes and those of a tenant.';

-- tables ---------------------------------------------------------------------------------------

create table public.webhook_deliveries (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event text not null,
  -- Finds the event among all days. No foreign key: a day's events are dropped at once, after their deliveries.
  event_at timestamptz not null,
  status public.delivery_status not null default 'pending',
  attempts integer not null default 0,
  -- Of these attempts, those before it was last sent again by hand: the schedule starts anew after them.
  attempts_before integer not null default 0,
  next_attempt_at timestamptz default now(),
  -- Its last attempt; those before it are earlier attempts, and so is one after which it was ended otherwise.
  attempted_at timestamptz,
  duration_ms integer,
  response_code integer,
  response_body text,
  error text,
  -- The event's time as well: so the log is listed, and asked since a time.
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Found by id alone, and pointed to with the tenant: one index for both.
  constraint webhook_deliveries_pkey primary key (id, tenant_id),
  constraint event_is_unique_in_webhook_deliveries unique (webhook_id, event_at, event_id),
  constraint webhook_deliveries_webhook_id_fkey foreign key (tenant_id, webhook_id)
    references public.webhooks (tenant_id, id) on delete cascade,
  constraint webhook_deliveries_next_attempt_at_is_set_while_there_is_one
    check ((next_attempt_at is not null) = (status in ('pending', 'retrying'))),
  constraint webhook_deliveries_error_is_set_when_it_failed check (status <> 'failed' or error is not null),
  constraint webhook_deliveries_response_body_is_at_most_1024_characters check (char_length(response_body) <= 1024)
)
-- Each row is written twice within a second. No index holds what the second time changes, and with room beside it
-- the row stays on its page: then no index is touched.
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
comment on table public.webhook_deliveries is
  'An event on its way to a registration, or arrived. Its id is X-Webhook-ID, the same at every attempt.';

alter table public.webhook_deliveries replica identity full;
alter publication supabase_realtime add table public.webhook_deliveries;

create table private.webhook_queue (
  -- No foreign keys: each delivery would pay for them, and wait for whoever holds its registration.
  delivery_id uuid primary key,
  tenant_id uuid not null,
  webhook_id uuid not null,
  due_at timestamptz not null
);
comment on table private.webhook_queue is
  'Deliveries that wait for the time of their next attempt. One that has ended meanwhile, or is gone, is passed over when it is taken.';

create table private.webhook_leases (
  -- No foreign key: each attempt would pay for it, and whoever reports ends his lease of what is gone as well.
  tenant_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  dispatcher uuid not null,
  leased_until timestamptz not null,
  bytes integer not null,
  constraint webhook_leases_pkey primary key (webhook_id, delivery_id)
);
comment on table private.webhook_leases is
  'Deliveries under way, each an attempt: which dispatcher has it for itself, until when, and how large its body is. One that was given back untried, until -infinity, waits again; any other whose lease is over has failed.';

create table private.skipped_deliveries (
  -- No foreign key: nobody who writes here waits for whoever holds the registration.
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event text not null,
  event_at timestamptz not null,
  constraint skipped_deliveries_pkey primary key (webhook_id, event_at, event_id)
);
comment on table private.skipped_deliveries is
  'Deliveries that could not be written with their event, since somebody held their registration, perhaps to delete it. The next sweep that finds it free writes them; those of one that is gone go too.';

create table private.earlier_attempts (
  tenant_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  attempt integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  response_code integer,
  response_body text,
  error text,
  constraint earlier_attempts_pkey primary key (tenant_id, delivery_id, attempt),
  constraint earlier_attempts_delivery_id_fkey foreign key (delivery_id, tenant_id)
    references public.webhook_deliveries (id, tenant_id) on delete cascade
);
comment on table private.earlier_attempts is
  'Attempts that another one, or another end, came after. Most deliveries arrive at once, and have none.';

create table private.webhook_schedule (
  attempt integer primary key,
  wait interval not null
);
comment on table private.webhook_schedule is
  'How long after the failure of the attempt before it each attempt is made.';

insert into private.webhook_schedule (attempt, wait) values
  (2, '1 minute'), (3, '5 minutes'), (4, '15 minutes'), (5, '1 hour');

create table private.webhook_failures (
  webhook_id uuid primary key references public.webhooks (id) on delete cascade,
  attempts integer not null,
  warnings integer not null default 0
);
comment on table private.webhook_failures is
  'Registrations that nothing reaches: how many attempts have failed since webhooks.failing_since, and how many warnings their tenant has had.';

-- indexes --------------------------------------------------------------------------------------

create index webhook_deliveries_webhook_idx on public.webhook_deliveries (tenant_id, webhook_id, created_at desc, id);
-- By the error that they all have: an index by the status would change with every delivery.
create index webhook_deliveries_failed_idx on public.webhook_deliveries (tenant_id, webhook_id, created_at desc, id)
  where error is not null;
create index webhook_queue_due_idx on private.webhook_queue (webhook_id, due_at);

-- views ----------------------------------------------------------------------------------------

create view public.webhook_attempts with (security_invoker = true) as
select
  d.tenant_id, d.webhook_id, d.id as delivery_id, d.attempts as attempt, d.attempted_at as started_at,
  d.duration_ms, d.response_code, d.response_body, d.error
from public.webhook_deliveries d
where d.attempted_at is not null
union all
select
  a.tenant_id, a.webhook_id, a.delivery_id, a.attempt, a.started_at,
  a.duration_ms, a.response_code, a.response_body, a.error
from private.earlier_attempts a;
comment on view public.webhook_attempts is
  'Each attempt at a delivery: when, how long it took, and what the receiver answered. error: null when it was delivered.';

-- functions: writing deliveries ----------------------------------------------------------------

create function private.fan_out_events() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  with wanted as materialized (
    select e.tenant_id, w.id as webhook_id, e.id as event_id, e.name as event, e.created_at as event_at
    from new_events e
    join public.webhooks w on w.tenant_id = e.tenant_id and w.active and e.name = any (w.events)
    -- What an event does not have, no filter asks for.
    where (e.marketplace_id = any (w.marketplace_ids)) is not false
      and (e.status = any (w.statuses)) is not false
  ),
  -- No order waits for one that is being deleted, or fails with it.
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
    perform private.kick_webhook_dispatch();
  end if;
  return null;
end
$$;
comment on function private.fan_out_events() is
  'Statement trigger: a delivery for each event and each active registration subscribed to it whose filter lets it pass. What is for one that somebody holds is kept for the sweep.';

create function private.fan_out_skipped() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- It waits for nobody, so no deadlock comes of it; what is held stays for the next time.
  with waiting as materialized (
    select s.webhook_id, s.event_at, s.event_id
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
    where s.webhook_id = waiting.webhook_id and s.event_at = waiting.event_at and s.event_id = waiting.event_id
      and (
        s.webhook_id in (select f.id from free f)
        or not exists (select 1 from public.webhooks w where w.id = s.webhook_id)
      )
    returning s.tenant_id, s.webhook_id, s.event_id, s.event, s.event_at
  )
  -- To one that was switched off since then too: it is taken, and ends as what was on its way did.
  insert into public.webhook_deliveries (tenant_id, webhook_id, event_id, event, event_at, created_at)
  select d.tenant_id, d.webhook_id, d.event_id, d.event, d.event_at, d.event_at
  from ended d
  where d.webhook_id in (select f.id from free f);
end
$$;
comment on function private.fan_out_skipped() is
  'Writes the deliveries that could not be written with their event, of the registrations that nobody holds any more.';

create function private.queue_delivery() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.webhook_queue (tenant_id, webhook_id, due_at, delivery_id)
  values (new.tenant_id, new.webhook_id, new.next_attempt_at, new.id)
  on conflict (delivery_id) do update set due_at = excluded.due_at;
  return null;
end
$$;
comment on function private.queue_delivery() is
  'Row trigger: a delivery that is tried again waits for it, whoever has set when.';

create function private.keep_attempt() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.earlier_attempts (
    tenant_id, webhook_id, delivery_id, attempt, started_at, duration_ms, response_code, response_body, error
  )
  values (
    old.tenant_id, old.webhook_id, old.id, old.attempts,
    old.attempted_at, old.duration_ms, old.response_code, old.response_body, old.error
  );
  return null;
end
$$;
comment on function private.keep_attempt() is
  'Row trigger: what takes the place of a delivery''s last attempt leaves it among the earlier ones.';

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
  'Statement trigger: what is written waits for its first attempt.';

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
  -- What is under way stays leased: how that ends is still recorded.
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
  'Ends what was on its way to a webhook, so many deliveries at most; answers how many.';

create function private.end_deliveries() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Of a hundred webhooks at once, more would take longer than a dispatcher waits: those end with the next sweeps.
  perform private.give_up_deliveries(new.id, 100);
  return null;
end
$$;
comment on function private.end_deliveries() is
  'Row trigger: a webhook that is switched off gets nothing more, not even what was on its way.';

create function private.forget_deliveries(before timestamptz) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  webhook uuid;
begin
  -- One registration at a time, so that no index has to be kept for this alone.
  for webhook in select w.id from public.webhooks w loop
    delete from public.webhook_deliveries d
    where d.webhook_id = webhook and d.event_at < forget_deliveries.before;
  end loop;
  delete from private.skipped_deliveries s where s.event_at < forget_deliveries.before;
end
$$;
comment on function private.forget_deliveries is
  'Deletes the deliveries, with their attempts, of events from before that time.';

-- functions: whose turn it is ------------------------------------------------------------------

create function private.waiting_webhooks() returns table (tenant_id uuid, webhook_id uuid, due_at timestamptz)
language plpgsql stable security definer
-- By index at any size, since a plan made while the tables are small is kept for the session; and by plain
-- index scans, which mark the entries of what is done, so that the next one passes them over.
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  with recursive first_waiting as (
    -- From each registration to the next one by the index: what waits behind the first one is not read.
    (
      select q.tenant_id, q.webhook_id, q.due_at
      from private.webhook_queue q
      order by q.webhook_id, q.due_at
      limit 1
    )
    union all
    select next.tenant_id, next.webhook_id, next.due_at
    from first_waiting f
    cross join lateral (
      select q.tenant_id, q.webhook_id, q.due_at
      from private.webhook_queue q
      where q.webhook_id > f.webhook_id
      order by q.webhook_id, q.due_at
      limit 1
    ) as next
  )
  select f.tenant_id, f.webhook_id, f.due_at from first_waiting f;
end
$$;
comment on function private.waiting_webhooks() is
  'Registrations that something waits for, and when the first of it is due.';

create function private.shares_of(batch integer, room bigint default null) returns private.shares
language plpgsql stable security definer set search_path = ''
as $$
declare
  bytes bigint := least(private.cap('dispatch_bytes'), room);
begin
  -- Of what a dispatcher can still send at once no registration has more than a fifth under way, and no tenant
  -- more than half, but one delivery at least: those that hang leave room for the others.
  return (
    least(10, greatest(1, batch / 5)), least(private.cap('deliveries_under_way'), greatest(1, batch / 2))::integer,
    bytes, bytes / 2
  );
end
$$;
comment on function private.shares_of is
  'What is everybody''s share of a dispatcher that can send so many deliveries more, and has room for so many bytes of bodies (null: for as many as one may take).';

create function private.webhooks_in_turn(shares private.shares, ahead jsonb default '{}')
returns table (webhook_id uuid, turn bigint)
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- An event may have been written since this transaction began.
  moment timestamptz := clock_timestamp();
begin
  return query
  with under_way as materialized (
    select l.tenant_id, l.webhook_id, count(*) as deliveries, sum(l.bytes) as bytes
    from private.webhook_leases l
    group by l.webhook_id, l.tenant_id
  ),
  due as (
    select
      f.tenant_id, f.webhook_id, coalesce(u.deliveries, 0) as in_flight,
      coalesce(t.deliveries, 0) as of_tenant, coalesce(t.places, 0) as places, coalesce(t.bytes, 0) as bytes
    from private.waiting_webhooks() f
    left join under_way u on u.webhook_id = f.webhook_id
    left join (
      select
        u.tenant_id, sum(u.deliveries) as deliveries, sum(least(u.deliveries, 10)) as places, sum(u.bytes) as bytes
      from under_way u
      group by u.tenant_id
    ) t on t.tenant_id = f.tenant_id
    where f.due_at <= moment
  )
  select
    d.webhook_id,
    (d.of_tenant + row_number() over (partition by d.tenant_id order by d.in_flight, random()))::bigint
  from due d
  where d.in_flight < shares.of_webhook + coalesce((webhooks_in_turn.ahead ->> d.webhook_id::text)::integer, 0)
    and (d.places < shares.of_tenant or d.in_flight >= 10)
    and d.bytes < shares.bytes_of_tenant;
end
$$;
comment on function private.webhooks_in_turn is
  'Registrations that something is due for and that have less than their share under way, or more by what each may have ahead, as their tenants have; the turn of each is the later the more its tenant has under way already.';

create function private.end_leases() returns void
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
begin
  -- What somebody records this moment, too late, is passed over.
  with over as materialized (
    select l.ctid as place, l.delivery_id, l.leased_until
    from private.webhook_leases l
    where l.leased_until <= clock_timestamp()
    -- By the index: what is over has left more room in the table than what is there takes.
    order by l.webhook_id, l.delivery_id
    for update skip locked
  ),
  ended as (
    delete from private.webhook_leases l where l.ctid = any (array(select o.place from over o))
  ),
  -- Whoever had it may have died of it. So it was an attempt, and there are no more of these than of others.
  lost as (
    update public.webhook_deliveries d
    set attempts = d.attempts + 1,
        status = (case when l.next_attempt_at is null then 'failed' else 'retrying' end)::public.delivery_status,
        next_attempt_at = l.next_attempt_at,
        attempted_at = l.leased_until - interval '1 minute',
        duration_ms = 60000,
        response_code = null,
        response_body = null,
        error = 'the dispatcher ended before it could tell what came of it'
    from (
      select
        o.delivery_id, o.leased_until,
        case when w.active then private.next_attempt_at(d.attempts - d.attempts_before + 2, null, null) end
          as next_attempt_at
      from over o
      join public.webhook_deliveries d on d.id = o.delivery_id and d.next_attempt_at is not null
      join public.webhooks w on w.id = d.webhook_id
      where o.leased_until <> '-infinity'
      offset 0
    ) l
    where d.id = l.delivery_id
  )
  insert into private.webhook_queue (tenant_id, webhook_id, due_at, delivery_id)
  select d.tenant_id, d.webhook_id, d.next_attempt_at, d.id
  from public.webhook_deliveries d
  where d.id = any (array(select o.delivery_id from over o where o.leased_until = '-infinity'))
    and d.next_attempt_at is not null
  on conflict do nothing;
end
$$;
comment on function private.end_leases() is
  'Has wait again what was given back untried, and records as an attempt that failed what a dispatcher had that died.';

create function private.end_switched_off(most integer) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  left_over integer := most;
  webhook uuid;
begin
  for webhook in
    select f.webhook_id
    from private.waiting_webhooks() f
    where not exists (select 1 from public.webhooks w where w.id = f.webhook_id and w.active)
  loop
    left_over := left_over - private.give_up_deliveries(webhook, left_over);
    exit when left_over <= 0;
  end loop;
end
$$;
comment on function private.end_switched_off is
  'Ends so many deliveries at most of what waits for webhooks that are switched off or gone, and did not end with them: an event and a switching off may have passed each other by, and of many deliveries only the first ones end at once.';

-- functions: waking the dispatcher -------------------------------------------------------------

create function private.kick_webhook_dispatch() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.wake('webhook-dispatch');
end
$$;
comment on function private.kick_webhook_dispatch() is
  'Has pg_net wake the dispatcher as soon as this transaction is committed.';

create function private.sweep_webhook_deliveries() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.fan_out_skipped();
  perform private.end_leases();
  perform private.end_switched_off(1000);
  -- For a registration that has as much under way as it may have, whoever sends that goes on.
  if exists (select 1 from private.webhooks_in_turn(private.shares_of(200))) then
    perform private.kick_webhook_dispatch();
  end if;
end
$$;
comment on function private.sweep_webhook_deliveries() is
  'Wakes the dispatcher when something can be sent: retries, what was skipped, and what a crash left over.';

-- functions: what comes of attempts ------------------------------------------------------------

create function private.next_attempt_at(attempt integer, response_code integer, retry_after_seconds integer)
returns timestamptz
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- Up to a tenth later, so that not all that failed together comes back together.
  wait interval := (
    select s.wait * (1 + 0.1 * random()) from private.webhook_schedule s where s.attempt = next_attempt_at.attempt
  );
begin
  if wait is not null and response_code in (429, 503) then
    wait := greatest(wait, least(make_interval(secs => coalesce(retry_after_seconds, 0)), interval '1 hour'));
  end if;
  return now() + wait;
end
$$;
comment on function private.next_attempt_at is
  'When the attempt with this number is made, if the one before it has failed now and in this way; null when there is none.';

create function private.switch_webhook_off(webhook_id uuid, reason text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.webhooks w
  set active = false, disabled_reason = switch_webhook_off.reason
  where w.id = switch_webhook_off.webhook_id and w.active;
  if found then
    perform private.emit(d.tenant_id, 'webhook.disabled', jsonb_build_object('webhook', to_jsonb(d)))
    from public.webhook_details d
    where d.id = switch_webhook_off.webhook_id;
  end if;
end
$$;
comment on function private.switch_webhook_off is
  'Switches a registration off that nothing reaches, which its tenant is told.';

create function private.note_failures(webhook_id uuid, failures bigint) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  webhook public.webhooks := (select w from public.webhooks w where w.id = note_failures.webhook_id and w.active);
  noted private.webhook_failures;
  lasted interval := coalesce(now() - webhook.failing_since, '0');
  -- After 6, 12 and 18 hours.
  deserved integer := least(3, floor(extract(epoch from lasted) / 21600));
begin
  if webhook.id is null then
    return;
  end if;
  if webhook.failing_since is null then
    update public.webhooks w set failing_since = now() where w.id = webhook.id;
    delete from private.webhook_failures f where f.webhook_id = webhook.id;
  end if;
  insert into private.webhook_failures as f (webhook_id, attempts)
  values (webhook.id, note_failures.failures)
  on conflict (webhook_id) do update set attempts = f.attempts + excluded.attempts
  returning * into noted;

  if lasted >= interval '24 hours' and noted.attempts >= 10 then
    perform private.switch_webhook_off(webhook.id, 'failing');
    return;
  end if;
  if deserved > noted.warnings then
    update private.webhook_failures f set warnings = deserved where f.webhook_id = webhook.id;
    perform private.emit(d.tenant_id, 'webhook.failing', jsonb_build_object('webhook', to_jsonb(d)))
    from public.webhook_details d
    where d.id = webhook.id;
  end if;
end
$$;
comment on function private.note_failures is
  'Counts failed attempts at a registration that none has reached in between; warns its tenant, and in the end switches it off.';

create function private.record_attempts(done jsonb) returns void
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  webhook record;
begin
  -- Registrations before their deliveries, and in one sequence, as everybody locks them who needs both.
  perform 1
  from public.webhooks w
  join (
    select made.webhook_id as id, bool_or(made.error is not null) as failed
    from jsonb_to_recordset(record_attempts.done) as made (webhook_id uuid, error text)
    group by made.webhook_id
  ) as made on made.id = w.id
  where made.failed or w.failing_since is not null
  order by w.id
  for no key update of w;

  for webhook in
    -- Whoever has lost the lease has nothing to say, and nobody says it twice.
    with held as materialized (
      select made.*, lease.place
      from jsonb_to_recordset(record_attempts.done) as made (
        id uuid, webhook_id uuid, leased_until timestamptz, url text, started_at timestamptz, duration_ms integer,
        response_code integer, response_body text, retry_after_seconds integer, error text
      )
      cross join lateral (
        select l.ctid as place
        from private.webhook_leases l
        where l.webhook_id = made.webhook_id and l.delivery_id = made.id and l.leased_until = made.leased_until
        limit 1
        for update
      ) as lease
    ),
    freed as (
      delete from private.webhook_leases l
      where l.ctid = any (array(select h.place from held h where h.started_at is not null))
    ),
    given_back as (
      update private.webhook_leases l
      set leased_until = '-infinity'
      where l.ctid = any (array(select h.place from held h where h.started_at is null))
    ),
    made as materialized (
      select h.*, missed.gone, missed.next_attempt_at
      from held h
      left join lateral (
        select
          missed.gone,
          case
            when not missed.gone and missed.active
              then private.next_attempt_at(missed.attempt + 1, h.response_code, h.retry_after_seconds)
          end as next_attempt_at
        from (
          select
            -- Of an address that it has left, none of this is said.
            coalesce(h.response_code = 410 and h.url = w.url, false) as gone,
            w.active,
            d.attempts - d.attempts_before + 1 as attempt
          from public.webhook_deliveries d
          join public.webhooks w on w.id = d.webhook_id
          where d.id = h.id and h.error is not null
          -- Looked up for those alone.
          offset 0
        ) as missed
      ) as missed on true
      -- The others are given back untried.
      where h.started_at is not null
    ),
    recorded as (
      update public.webhook_deliveries d
      set attempts = d.attempts + 1,
          status = case
            when m.error is null then 'success'
            when m.next_attempt_at is null then 'failed'
            else 'retrying'
          end::public.delivery_status,
          next_attempt_at = m.next_attempt_at,
          attempted_at = m.started_at,
          duration_ms = m.duration_ms,
          response_code = m.response_code,
          response_body = left(m.response_body, 1024),
          error = m.error,
          updated_at = now()
      from made m
      where d.id = m.id
      returning d.webhook_id, d.error, m.gone
    )
    select r.id, r.reached, r.gone, r.failures
    from (
      select
        r.webhook_id as id,
        bool_or(r.error is null) as reached,
        bool_or(r.gone) as gone,
        count(r.error) as failures
      from recorded r
      group by r.webhook_id
    ) as r
    join public.webhooks w on w.id = r.id
    where r.failures > 0 or w.failing_since is not null
    order by r.id
  loop
    if webhook.gone then
      perform private.switch_webhook_off(webhook.id, 'gone');
    elsif webhook.reached then
      update public.webhooks w set failing_since = null where w.id = webhook.id and w.failing_since is not null;
      delete from private.webhook_failures f where f.webhook_id = webhook.id;
    else
      perform private.note_failures(webhook.id, webhook.failures);
    end if;
  end loop;
end
$$;
comment on function private.record_attempts is
  'Records what came of attempts whose lease still holds, sets the next ones, and sees how their registrations fare.';

-- functions: for the dispatcher ----------------------------------------------------------------

create function private.deliveries_in_turn(
  held uuid[], dispatcher uuid, batch integer, shares private.shares, ahead jsonb, moment timestamptz
)
returns table (place_in_queue tid, delivery_id uuid, number bigint, bytes_of_tenant bigint)
language plpgsql stable security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  -- What they have under way stays so, now that they are held. The first one of each tenant comes
  -- before anybody's second one, and within a tenant the first one of each registration.
  with under_way as materialized (
    select
      l.tenant_id, l.webhook_id, count(*) as deliveries, sum(l.bytes) as bytes,
      bool_or(l.dispatcher <> deliveries_in_turn.dispatcher) as shared
    from private.webhook_leases l
    group by l.webhook_id, l.tenant_id
  )
  select given.row, given.delivery_id, given.number, given.bytes_of_tenant
  from (
    select
      turned.*, row_number() over (order by turned.of_tenant + turned.nth, random()) as number
    from (
      select
        due.row, due.delivery_id, t.in_flight + due.place as place, t.ahead, t.of_tenant, t.places, t.bytes_of_tenant,
        row_number() over (partition by t.tenant_id order by t.in_flight + due.place, random()) as nth
      from (
        select
          w.tenant_id, w.id as webhook_id,
          coalesce(sum(u.deliveries) filter (where u.webhook_id = w.id), 0)::bigint as in_flight,
          coalesce(sum(u.deliveries), 0)::bigint as of_tenant,
          -- What is ahead waits, and is in nobody's way.
          coalesce(sum(least(u.deliveries, 10)) filter (where u.deliveries > 0), 0)::bigint as places,
          coalesce(sum(u.bytes), 0)::bigint as bytes_of_tenant,
          -- Who shares it with another dispatcher does not know what that one sends.
          case
            when bool_or(u.shared) filter (where u.webhook_id = w.id) then 0
            else coalesce((deliveries_in_turn.ahead ->> w.id::text)::integer, 0)
          end as ahead
        from public.webhooks w
        left join under_way u on u.tenant_id = w.tenant_id
        where w.id = any (held)
        group by w.tenant_id, w.id
      ) t
      cross join lateral (
        -- Numbered once they are so few: over their times, all that has the same one would be read.
        select q.row, q.delivery_id, row_number() over () as place
        from (
          select q.ctid as row, q.delivery_id
          from private.webhook_queue q
          where q.webhook_id = t.webhook_id and q.due_at <= moment
          order by q.due_at
          -- Of many registrations none gets more than twice its part at a time: the rest would be read for nothing.
          limit greatest(0, least(shares.of_webhook + t.ahead - t.in_flight, 1 + 2 * batch / cardinality(held)))
        ) q
      ) as due
    ) as turned
  ) as given
  where given.number <= batch
    -- Of what is then still free, at the dispatcher and for the tenant.
    and given.place - given.ahead <= greatest(1, (batch - given.number + 1) / 5)
    and (
      given.place > 10
      or given.places + given.nth <= shares.of_tenant
      and given.place <= greatest(1, (shares.of_tenant - given.places - given.nth + 1) / 4)
    );
end
$$;
comment on function private.deliveries_in_turn is
  'What a dispatcher may take now of the registrations that it holds: where it waits, numbered in turn, and how many bytes its tenant has under way.';

create function private.ahead_of(done jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_object_agg(a.webhook_id, 2 * a.deliveries), '{}')
  from (
    select made.webhook_id, count(*) as deliveries
    from jsonb_to_recordset(done) as made (webhook_id uuid, response_code integer, duration_ms integer)
    where made.response_code is not null and made.duration_ms < 50
    group by made.webhook_id
  ) as a
$$;
comment on function private.ahead_of is
  'A registration that answers at once gets more, which wait at the dispatcher, so that they need not wait for a turn: twice what it has answered since the last one, since this turn and the next one take as long again.';

create function private.take_webhook_deliveries(
  dispatcher uuid, done jsonb, batch integer, room bigint default null, with_bodies boolean default true
)
returns table (
  id uuid, webhook_id uuid, url text, event text, body text, bytes integer, secrets text[], headers jsonb,
  leased_until timestamptz
)
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  shares private.shares := private.shares_of(batch, room);
  ahead jsonb := private.ahead_of(take_webhook_deliveries.done);
  held uuid[];
  moment timestamptz;
begin
  perform private.record_attempts(take_webhook_deliveries.done);
  if take_webhook_deliveries.batch < 1 then
    perform private.sweep_webhook_deliveries();
    return;
  end if;
  perform private.end_leases();
  if shares.bytes < 1 then
    return;
  end if;

  -- One dispatcher at a time takes for a registration, and the others pass it over.
  held := array(
    select t.webhook_id
    from (select t.webhook_id from private.webhooks_in_turn(shares, ahead) t order by t.turn, random() offset 0) t
    where exists (select 1 from public.webhooks w where w.id = t.webhook_id and w.active)
      and private.try_hold('webhook', t.webhook_id::text)
    limit take_webhook_deliveries.batch
  );
  if held = '{}' then
    return;
  end if;

  moment := clock_timestamp();
  return query
  with chosen as materialized (
    select c.place_in_queue, c.number, c.bytes_of_tenant, d.*, coalesce(e.bytes, 0) as bytes
    from private.deliveries_in_turn(held, take_webhook_deliveries.dispatcher, batch, shares, ahead, moment) c
    -- Looked up, each of them. Of what has ended or is gone since it waits, nothing is found.
    left join lateral (
      select d.id, d.tenant_id, d.webhook_id, d.event, d.event_id, d.event_at
      from public.webhook_deliveries d
      where d.id = c.delivery_id and d.next_attempt_at is not null
      limit 1
    ) d on true
    left join lateral (
      select e.bytes from public.events e where e.created_at = d.event_at and e.id = d.event_id limit 1
    ) e on true
  ),
  -- By their sizes: of what there is no room for, no body is read. The first one comes whatever its size.
  fitting as materialized (
    select f.*
    from (
      select f.*, sum(f.bytes) over (order by f.number) as total
      from (
        select c.*, c.bytes_of_tenant + sum(c.bytes) over (partition by c.tenant_id order by c.number) as of_tenant
        from chosen c
      ) f
      where f.of_tenant <= shares.bytes_of_tenant or f.of_tenant = f.bytes
    ) f
    where f.total <= shares.bytes or f.total = f.bytes
  ),
  taken as (
    -- By their places, which are good for this statement: however old the statistics, nothing else is read.
    delete from private.webhook_queue q
    where q.ctid = any (array(select f.place_in_queue from fitting f))
    returning q.delivery_id
  ),
  leased as (
    insert into private.webhook_leases (tenant_id, webhook_id, delivery_id, dispatcher, leased_until, bytes)
    select
      f.tenant_id, f.webhook_id, f.id, take_webhook_deliveries.dispatcher, moment + interval '1 minute', f.bytes
    from fitting f
    -- Looked up; without `is true` it would be a join, which may compare each with each.
    where (f.id in (select t.delivery_id from taken t)) is true
    -- What was sent again by hand while it is under way.
    on conflict do nothing
    returning delivery_id
  ),
  receivers as materialized (
    select w.id, w.url, s.secrets, s.headers
    from public.webhooks w
    cross join lateral private.webhook_signing(w.id) s
    where w.id = any (held)
  )
  select
    f.id, f.webhook_id, r.url, f.event,
    case
      when take_webhook_deliveries.with_bodies
        then (select e.payload::text from public.events e where e.created_at = f.event_at and e.id = f.event_id)
    end,
    f.bytes, r.secrets, r.headers, moment + interval '1 minute'
  from fitting f
  join receivers r on r.id = f.webhook_id
  where (f.id in (select l.delivery_id from leased l)) is true;
end
$$;
comment on function private.take_webhook_deliveries is 'As public.take_webhook_deliveries.';

create function public.take_webhook_deliveries(
  dispatcher uuid, done jsonb, batch integer, room bigint default null, with_bodies boolean default true
)
returns table (
  id uuid, webhook_id uuid, url text, event text, body text, bytes integer, secrets text[], headers jsonb,
  leased_until timestamptz
)
language sql set search_path = ''
as $$
  select
    t.id, t.webhook_id, t.url, t.event, t.body, t.bytes, t.secrets, t.headers, t.leased_until
  from private.take_webhook_deliveries(
    take_webhook_deliveries.dispatcher, take_webhook_deliveries.done, take_webhook_deliveries.batch,
    take_webhook_deliveries.room, take_webhook_deliveries.with_bodies
  ) t
$$;
comment on function public.take_webhook_deliveries is
  'For the dispatcher: records what came of attempts (done: a list of {id, webhook_id, leased_until and url as it was taken with, started_at, duration_ms, response_code, response_body, retry_after_seconds, error}; one without started_at is given back untried) and takes up to batch deliveries that are due, leased to it for a minute, with what it takes to send them: bodies of as many bytes together as it has room for, at most those of the cap dispatch_bytes, but one delivery at least; or, not with_bodies, none, which webhook_body reads. What is neither recorded nor given back within that minute was an attempt that failed. With batch 0 it takes nothing, and wakes another dispatcher if something is left.';

create function public.webhook_body(delivery_id uuid) returns text
language sql stable set search_path = ''
as $$
  select e.payload::text
  from public.webhook_deliveries d
  join public.events e on e.created_at = d.event_at and e.id = d.event_id
  where d.id = webhook_body.delivery_id
$$;
comment on function public.webhook_body is 'For the dispatcher: the body of a delivery that it took without; null when its event is forgotten.';

-- functions: for admins and clients ------------------------------------------------------------

create function private.check_that_webhook_is_on(webhook_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  active boolean := (
    select w.active
    from public.webhooks w
    where w.tenant_id = private.tenant_id() and w.id = check_that_webhook_is_on.webhook_id
  );
begin
  if not private.reads_all() then
    perform private.refuse('FORBIDDEN', 'Admins and clients send deliveries again.');
  end if;
  if active is null then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  if not active then
    perform private.refuse('CONFLICT', 'The webhook is switched off.', 'active', to_jsonb(false));
  end if;
end
$$;
comment on function private.check_that_webhook_is_on is
  'Refuses with FORBIDDEN, NOT_FOUND or CONFLICT whoever may not send a webhook''s deliveries again.';

create function private.send_again(ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.webhook_deliveries d
  set status = (case when d.attempts = 0 then 'pending' else 'retrying' end)::public.delivery_status,
      attempts_before = d.attempts,
      next_attempt_at = now()
  where d.id = any (ids);
  if found then
    perform private.kick_webhook_dispatch();
  end if;
end
$$;
comment on function private.send_again is 'Has deliveries sent now, and as often as new ones.';

create function private.retry_delivery(webhook_id uuid, delivery_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  delivery public.webhook_deliveries;
begin
  perform private.check_that_webhook_is_on(retry_delivery.webhook_id);
  -- Of one that nobody sends any more, the attempt counts before those to come.
  perform private.end_leases();
  select d.* into delivery
  from public.webhook_deliveries d
  where d.webhook_id = retry_delivery.webhook_id and d.id = retry_delivery.delivery_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such delivery.');
  end if;
  if (select true from public.events e where e.created_at = delivery.event_at and e.id = delivery.event_id) is null then
    perform private.refuse('CONFLICT', 'The event of this delivery is forgotten.');
  end if;
  -- What is under way is being sent already.
  if not exists (
    select 1
    from private.webhook_leases l
    where l.webhook_id = delivery.webhook_id and l.delivery_id = delivery.id and l.leased_until > now()
  ) then
    perform private.send_again(array[delivery.id]);
    select d.* into delivery from public.webhook_deliveries d where d.id = delivery.id;
  end if;
  return to_jsonb(delivery);
end
$$;
comment on function private.retry_delivery is 'As public.retry_delivery.';

create function public.retry_delivery(webhook_id uuid, delivery_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.retry_delivery(webhook_id, delivery_id);
end
$$;
comment on function public.retry_delivery is
  'For admins and clients: sends a delivery again, now, whatever came of it, and as often as a new one. Answers the delivery. Refuses with FORBIDDEN, NOT_FOUND, CONFLICT (the webhook is off, or the event forgotten).';

create function private.recover_webhook(webhook_id uuid, since timestamptz) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  most constant bigint := private.cap('deliveries_recovered');
  failed uuid[];
begin
  perform private.check_that_webhook_is_on(recover_webhook.webhook_id);
  failed := array(
    select d.id
    from public.webhook_deliveries d
    where d.tenant_id = private.tenant_id() and d.webhook_id = recover_webhook.webhook_id
      and d.status = 'failed' and d.error is not null
      -- The event's time, as event_at is, and in the index.
      and d.created_at >= recover_webhook.since
      and (select true from public.events e where e.created_at = d.event_at and e.id = d.event_id)
    order by d.created_at, d.id desc
    limit most
    for update
  );
  perform private.send_again(failed);
  return jsonb_build_object('recovered', cardinality(failed), 'more', cardinality(failed) = most);
end
$$;
comment on function private.recover_webhook is 'As public.recover_webhook.';

create function public.recover_webhook(webhook_id uuid, since timestamptz) returns jsonb
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
begin
  return private.recover_webhook(webhook_id, since);
end
$$;
comment on function public.recover_webhook is
  'For admins and clients: sends again what failed of the events since then, now, and as often as what is new, the oldest first and as many at once as the cap deliveries_recovered allows. Answers {recovered, more}: how many, and whether to ask again. Refuses with FORBIDDEN, NOT_FOUND, CONFLICT (the webhook is off).';

-- triggers -------------------------------------------------------------------------------------

create trigger webhooks_end_deliveries
  after update of active on public.webhooks
  for each row when (old.active and not new.active)
  execute function private.end_deliveries();

create trigger webhook_deliveries_touch
  before update on public.webhook_deliveries
  -- Whoever records attempts, of which there are many, notes the time himself.
  for each row when (new.updated_at = old.updated_at)
  execute function private.touch();

create trigger webhook_deliveries_keep_attempt
  after update on public.webhook_deliveries
  for each row when (old.attempted_at is not null and (new.attempted_at is null or new.attempts > old.attempts))
  execute function private.keep_attempt();

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

alter table private.webhook_schedule enable row level security;
alter table private.webhook_queue enable row level security;
alter table private.webhook_leases enable row level security;
alter table private.skipped_deliveries enable row level security;
alter table private.webhook_failures enable row level security;
alter table public.webhook_deliveries enable row level security;
alter table private.earlier_attempts enable row level security;

create policy "Admins and clients see their tenant's deliveries" on public.webhook_deliveries
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

create policy "Admins and clients see their tenant's attempts" on private.earlier_attempts
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.webhook_deliveries, public.webhook_attempts, private.earlier_attempts to authenticated;
grant all on public.webhook_deliveries to service_role;
grant select on public.webhook_attempts, private.earlier_attempts to service_role;
grant select on private.webhook_schedule, private.webhook_failures to service_role;
grant execute on function private.retry_delivery, private.recover_webhook to authenticated, service_role;
grant execute on function public.retry_delivery, public.recover_webhook to authenticated;
grant execute on function private.take_webhook_deliveries, public.take_webhook_deliveries, public.webhook_body to service_role;

-- cron -----------------------------------------------------------------------------------------

select cron.schedule('webhook-dispatch', '* * * * *', 'select private.sweep_webhook_deliveries()');
select cron.schedule('end-switched-off-deliveries', '* * * * *', 'select private.end_switched_off(20000)');
