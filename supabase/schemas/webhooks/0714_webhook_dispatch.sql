-- Dispatch: the function `webhook-dispatch` takes deliveries that are due, sends them and reports the attempts, each
-- under its lease. A report after the end of its lease changes nothing. Only one dispatcher at a time takes deliveries
-- of a webhook, and it sends the webhook at most ten at once. A job wakes a dispatcher each minute for deliveries
-- that remain.

create type private.shares as (of_webhook integer, of_tenant integer, bytes bigint, bytes_of_tenant bigint);
comment on type private.shares is
  'Limits on deliveries in flight: their number per webhook and per tenant, and the bytes of their bodies per dispatcher and per tenant.';

create type private.attempt as (
  id uuid, webhook_id uuid, leased_until timestamptz, url text, started_at timestamptz, duration_ms integer,
  response_code integer, response_body text, retry_after_seconds integer, error text
);
comment on type private.attempt is
  'An attempt at a delivery, as its dispatcher reports it. leased_until, url: the values with which the delivery was taken. started_at: null when it was not tried. error: null when it was delivered.';

-- functions: turns -----------------------------------------------------------------------------

create function private.waiting_webhooks() returns table (tenant_id uuid, webhook_id uuid, due_at timestamptz)
language plpgsql stable security definer
-- Uses the index at any size, because a session keeps a plan that was made while the tables were small. Plain index
-- scans also mark dead entries, which the next scan skips.
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return query
  with recursive first_waiting as (
    -- Steps from each webhook to the next in the index, so that only the first delivery of a webhook is read.
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
  'Webhooks that have deliveries in the queue, and when the first of them is due.';

create function private.shares_of(batch integer, room bigint default null) returns private.shares
language plpgsql stable security definer set search_path = ''
as $$
declare
  bytes bigint := least(private.cap('dispatch_bytes'), room);
begin
  -- A webhook may have at most a fifth of the deliveries that a dispatcher can send at once, and a tenant half, but at
  -- least one. So receivers that do not respond leave capacity for others.
  return (
    least(10, greatest(1, batch / 5)), least(private.cap('deliveries_under_way'), greatest(1, batch / 2))::integer,
    bytes, bytes / 2
  );
end
$$;
comment on function private.shares_of is
  'The limits for a dispatcher that can send batch more deliveries and hold room more bytes of bodies (null: the cap dispatch_bytes).';

create function private.webhooks_in_turn(shares private.shares, ahead jsonb default '{}')
returns table (webhook_id uuid, turn bigint)
-- A plan from when the tables were empty, which a session keeps, would scan webhook_leases.
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
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
  'Webhooks that have deliveries due and are below their limits and those of their tenants. ahead: how many deliveries above its limit each may have in flight. The more deliveries its tenant has in flight, the later the turn of a webhook.';

create function private.deliveries_in_turn(
  held uuid[], dispatcher uuid, batch integer, shares private.shares, ahead jsonb, moment timestamptz
)
returns table (place_in_queue tid, delivery_id uuid, number bigint, bytes_of_tenant bigint)
-- A plan from when the tables were empty, which a session keeps, would scan webhook_leases, webhooks and webhook_queue.
language plpgsql stable security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return query
  -- The deliveries in flight of these webhooks do not change while they are locked. The first delivery of each tenant
  -- comes before the second of any, and within a tenant the first of each webhook.
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
          -- Deliveries above the limit wait at the dispatcher and are not counted.
          coalesce(sum(least(u.deliveries, 10)) filter (where u.deliveries > 0), 0)::bigint as places,
          coalesce(sum(u.bytes), 0)::bigint as bytes_of_tenant,
          -- A dispatcher that shares the webhook does not know what the other one sends.
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
        -- Numbered after the limit: a window over due_at would read all rows with the same time.
        select q.row, q.delivery_id, row_number() over () as place
        from (
          select q.ctid as row, q.delivery_id
          from private.webhook_queue q
          where q.webhook_id = t.webhook_id and q.due_at <= moment
          order by q.due_at
          -- With many webhooks, each gets at most twice its share, because more rows would be read for nothing.
          limit greatest(0, least(shares.of_webhook + t.ahead - t.in_flight, 1 + 2 * batch / cardinality(held)))
        ) q
      ) as due
    ) as turned
  ) as given
  where given.number <= batch
    -- A share of the capacity that is left at this position, of the dispatcher and of the tenant.
    and given.place - given.ahead <= greatest(1, (batch - given.number + 1) / 5)
    and (
      given.place > 10
      or given.places + given.nth <= shares.of_tenant
      and given.place <= greatest(1, (shares.of_tenant - given.places - given.nth + 1) / 4)
    );
end
$$;
comment on function private.deliveries_in_turn is
  'The deliveries that a dispatcher may take now from the webhooks that it has locked: their address in the queue, their number in turn, and the bytes that their tenant has in flight.';

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
  'How many deliveries above its limit each fast webhook may have, which wait at the dispatcher: twice the number that it has answered within 50 ms since the last report.';

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
  'Ends up to most deliveries that still wait for webhooks that are off or deleted: those of an event that was written while the webhook was switched off, and those beyond the first 100.';

create function private.sweep_webhook_deliveries() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.fan_out_skipped();
  perform private.end_leases();
  perform private.end_switched_off(1000);
  -- A webhook at its limit needs no wake: the dispatcher that sends its deliveries takes the next ones.
  if exists (select 1 from private.webhooks_in_turn(private.shares_of(200))) then
    perform private.wake_webhook_dispatch();
  end if;
end
$$;
comment on function private.sweep_webhook_deliveries() is
  'Wakes the dispatcher when there is a delivery to send: a retry, one whose webhook was locked, or one of a crashed dispatcher.';

-- functions: recording attempts ----------------------------------------------------------------

create function private.lock_webhooks_of(done jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- Webhooks are locked before their deliveries and in one order, so that reports do not deadlock.
  perform 1
  from public.webhooks w
  join (
    select made.webhook_id as id, bool_or(made.error is not null) as failed
    from jsonb_to_recordset(lock_webhooks_of.done) as made (webhook_id uuid, error text)
    group by made.webhook_id
  ) as made on made.id = w.id
  where made.failed or w.failing_since is not null
  order by w.id
  for no key update of w;
end
$$;
comment on function private.lock_webhooks_of is
  'Locks the webhooks whose state these attempts may change: those with a failed attempt and those that are failing.';

create function private.end_own_leases(done jsonb) returns setof private.attempt
language plpgsql security definer rows 100 set search_path = ''
as $$
begin
  return query
  -- An attempt whose lease has ended, or that was reported before, is ignored.
  with held as materialized (
    select made.*, lease.place
    from jsonb_populate_recordset(null::private.attempt, end_own_leases.done) as made
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
  )
  select
    h.id, h.webhook_id, h.leased_until, h.url, h.started_at, h.duration_ms, h.response_code, h.response_body,
    h.retry_after_seconds, h.error
  from held h
  where h.started_at is not null;
end
$$;
comment on function private.end_own_leases is
  'Ends the leases of reported deliveries and returns the attempts whose lease was still valid. A delivery that was not tried waits again.';

create function private.update_webhook_state(webhook_id uuid, reached boolean, gone boolean, failures bigint) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  if update_webhook_state.gone then
    perform private.switch_webhook_off(update_webhook_state.webhook_id, 'gone');
  elsif update_webhook_state.reached then
    update public.webhooks w
    set failing_since = null
    where w.id = update_webhook_state.webhook_id and w.failing_since is not null;
    delete from private.webhook_failures f where f.webhook_id = update_webhook_state.webhook_id;
  else
    perform private.record_failures(update_webhook_state.webhook_id, update_webhook_state.failures);
  end if;
end
$$;
comment on function private.update_webhook_state is
  'Updates the state of a webhook after attempts: switched off when its receiver is gone, working when one was delivered, else failing.';

create function private.record_attempts(done jsonb) returns void
-- A plan from when the tables were empty, which a session keeps, would scan webhook_deliveries and webhooks.
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  webhook record;
begin
  perform private.lock_webhooks_of(record_attempts.done);

  for webhook in
    with made as materialized (
      select a.*, missed.gone, missed.next_attempt_at
      from private.end_own_leases(record_attempts.done) a
      left join lateral (
        select
          missed.gone,
          case
            when not missed.gone and missed.active
              then private.next_attempt_at(missed.attempt + 1, a.response_code, a.retry_after_seconds)
          end as next_attempt_at
        from (
          select
            -- A 410 of an address that the webhook no longer has does not count.
            coalesce(a.response_code = 410 and a.url = w.url, false) as gone,
            w.active,
            d.attempts - d.attempts_before + 1 as attempt
          from public.webhook_deliveries d
          join public.webhooks w on w.id = d.webhook_id
          where d.id = a.id and a.error is not null
          -- Read for failed attempts only.
          offset 0
        ) as missed
      ) as missed on true
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
    select r.webhook_id as id, r.reached, r.gone, r.failures
    from (
      select
        r.webhook_id,
        bool_or(r.error is null) as reached,
        bool_or(r.gone) as gone,
        count(r.error) as failures
      from recorded r
      group by r.webhook_id
    ) as r
    join public.webhooks w on w.id = r.webhook_id
    where r.failures > 0 or w.failing_since is not null
    order by r.webhook_id
  loop
    perform private.update_webhook_state(webhook.id, webhook.reached, webhook.gone, webhook.failures);
  end loop;
end
$$;
comment on function private.record_attempts is
  'Records attempts whose lease was still valid, sets the time of the next ones, and updates the state of their webhooks.';

-- functions: for the dispatcher ----------------------------------------------------------------

create function private.hold_webhooks(shares private.shares, ahead jsonb, batch integer) returns uuid[]
language plpgsql security definer set search_path = ''
as $$
begin
  return array(
    select t.webhook_id
    from (
      select t.webhook_id
      from private.webhooks_in_turn(hold_webhooks.shares, hold_webhooks.ahead) t
      order by t.turn, random()
      offset 0
    ) t
    where exists (select 1 from public.webhooks w where w.id = t.webhook_id and w.active)
      and private.try_hold('webhook', t.webhook_id::text)
    limit hold_webhooks.batch
  );
end
$$;
comment on function private.hold_webhooks is
  'Locks up to batch active webhooks that have deliveries due, in turn, and returns their ids. Skips webhooks that another dispatcher has locked.';

create function private.deliveries_that_fit(
  held uuid[], dispatcher uuid, batch integer, shares private.shares, ahead jsonb, moment timestamptz
)
returns table (
  place_in_queue tid, id uuid, tenant_id uuid, webhook_id uuid, event text, event_id uuid, event_at timestamptz,
  bytes integer
)
language plpgsql stable security definer rows 100 set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with chosen as materialized (
    select c.place_in_queue, c.number, c.bytes_of_tenant, d.*, coalesce(e.bytes, 0) as bytes
    from private.deliveries_in_turn(held, deliveries_that_fit.dispatcher, batch, shares, ahead, moment) c
    -- One index lookup for each delivery. There is no row for a delivery that has ended or was deleted since.
    left join lateral (
      select d.id, d.tenant_id, d.webhook_id, d.event, d.event_id, d.event_at
      from public.webhook_deliveries d
      where d.id = c.delivery_id and d.next_attempt_at is not null
      limit 1
    ) d on true
    left join lateral (
      select e.bytes
      from public.events e
      where e.tenant_id = d.tenant_id and e.created_at = d.event_at and e.id = d.event_id
      limit 1
    ) e on true
  )
  -- Chosen by size before any body is read. The first delivery fits whatever its size.
  select f.place_in_queue, f.id, f.tenant_id, f.webhook_id, f.event, f.event_id, f.event_at, f.bytes
  from (
    select f.*, sum(f.bytes) over (order by f.number) as total
    from (
      select c.*, c.bytes_of_tenant + sum(c.bytes) over (partition by c.tenant_id order by c.number) as of_tenant
      from chosen c
    ) f
    where f.of_tenant <= shares.bytes_of_tenant or f.of_tenant = f.bytes
  ) f
  where f.total <= shares.bytes or f.total = f.bytes;
end
$$;
comment on function private.deliveries_that_fit is
  'The deliveries that a dispatcher takes from the webhooks that it has locked: in turn, within its own limit of bytes and that of each tenant. id is null if the delivery has ended or was deleted since it was queued.';

create function private.lease_webhook_deliveries(
  dispatcher uuid, done jsonb, batch integer, room bigint default null, with_bodies boolean default true
)
returns table (
  id uuid, webhook_id uuid, url text, event text, body text, bytes integer, secrets text[], headers jsonb,
  leased_until timestamptz
)
-- These settings are also those of what it calls. A plan from when the tables were empty, which a session keeps, would
-- scan webhook_queue.
-- Planned once: 0.40 ms without, 0.29 with, for a batch of 5 and what it calls.
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  shares private.shares := private.shares_of(batch, room);
  ahead jsonb := private.ahead_of(lease_webhook_deliveries.done);
  held uuid[];
  moment timestamptz;
begin
  perform private.record_attempts(lease_webhook_deliveries.done);
  if lease_webhook_deliveries.batch < 1 then
    perform private.sweep_webhook_deliveries();
    return;
  end if;
  perform private.end_leases();
  if shares.bytes < 1 then
    return;
  end if;
  held := private.hold_webhooks(shares, ahead, batch);
  if held = '{}' then
    return;
  end if;

  moment := clock_timestamp();
  return query
  with fitting as materialized (
    select f.*
    from private.deliveries_that_fit(held, lease_webhook_deliveries.dispatcher, batch, shares, ahead, moment) f
  ),
  taken as (
    -- Deleted by row address, which is valid within this statement and reads nothing else, however old the statistics.
    delete from private.webhook_queue q
    where q.ctid = any (array(select f.place_in_queue from fitting f))
    returning q.delivery_id
  ),
  leased as (
    insert into private.webhook_leases (tenant_id, webhook_id, delivery_id, dispatcher, leased_until, bytes)
    select
      f.tenant_id, f.webhook_id, f.id, lease_webhook_deliveries.dispatcher, moment + interval '1 minute', f.bytes
    from fitting f
    -- A hashed lookup. Without `is true` Postgres might plan a join that compares each row with each.
    where (f.id in (select t.delivery_id from taken t)) is true
    -- A delivery that was sent again by hand while it is in flight has a lease already.
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
      when lease_webhook_deliveries.with_bodies
        then (
          select e.payload::text
          from public.events e
          where e.tenant_id = f.tenant_id and e.created_at = f.event_at and e.id = f.event_id
        )
    end,
    f.bytes, r.secrets, r.headers, moment + interval '1 minute'
  from fitting f
  join receivers r on r.id = f.webhook_id
  where (f.id in (select l.delivery_id from leased l)) is true;
end
$$;
comment on function private.lease_webhook_deliveries is 'As public.lease_webhook_deliveries.';

create function public.lease_webhook_deliveries(
  dispatcher uuid, done jsonb, batch integer, room bigint default null, with_bodies boolean default true
)
returns table (
  id uuid, webhook_id uuid, url text, event text, body text, bytes integer, secrets text[], headers jsonb,
  leased_until timestamptz
)
language plpgsql set search_path = ''
as $$
begin
  return query
    select
      t.id, t.webhook_id, t.url, t.event, t.body, t.bytes, t.secrets, t.headers, t.leased_until
    from private.lease_webhook_deliveries(
      lease_webhook_deliveries.dispatcher, lease_webhook_deliveries.done, lease_webhook_deliveries.batch,
      lease_webhook_deliveries.room, lease_webhook_deliveries.with_bodies
    ) t;
end
$$;
comment on function public.lease_webhook_deliveries is
  'For the dispatcher: records attempts and takes up to batch deliveries that are due, under a lease of one minute, with what is needed to send them. done: a list of {id, webhook_id, leased_until and url as they were taken, started_at, duration_ms, response_code, response_body, retry_after_seconds, error}; one without started_at is returned untried. The bodies together have at most room bytes, and at most the cap dispatch_bytes, but one delivery is always taken. Without with_bodies no bodies are returned; webhook_body reads them. A delivery that is neither reported nor returned within its lease has failed. With batch 0 no delivery is taken, and another dispatcher is woken if any are left.';

create function public.webhook_body(delivery_id uuid) returns text
language sql stable set search_path = ''
as $$
  select e.payload::text
  from public.webhook_deliveries d
  join public.events e on e.tenant_id = d.tenant_id and e.created_at = d.event_at and e.id = d.event_id
  where d.id = webhook_body.delivery_id
$$;
comment on function public.webhook_body is 'For the dispatcher: the body of a delivery that it took without one; null when its event is deleted.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.lease_webhook_deliveries, public.lease_webhook_deliveries, public.webhook_body to service_role;
