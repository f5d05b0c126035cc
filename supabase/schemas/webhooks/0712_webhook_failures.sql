-- Failures: when a failed delivery is tried again, how long its attempts are kept, when its webhook is switched off,
-- and how an admin sends it again.
-- later: private.audit_act

-- tables ---------------------------------------------------------------------------------------

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
  'Attempts that were not the end of their delivery. Most deliveries succeed at once and have none.';

create table private.webhook_schedule (
  attempt integer primary key,
  wait interval not null
);
comment on table private.webhook_schedule is
  'The wait between the failure of an attempt and the next one, whose number is attempt.';

create table private.webhook_failures (
  tenant_id uuid not null,
  webhook_id uuid not null,
  attempts integer not null,
  warnings integer not null default 0,
  -- In this order for lookups by webhook alone.
  constraint webhook_failures_pkey primary key (webhook_id, tenant_id),
  constraint webhook_failures_webhook_id_fkey foreign key (tenant_id, webhook_id)
    references public.webhooks (tenant_id, id) on delete cascade
);
comment on table private.webhook_failures is
  'Webhooks that fail: how many attempts have failed since webhooks.failing_since, and how many warnings their tenant has had.';

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
  'Each attempt at a delivery: its time and duration, and the receiver''s response. error: null when it was delivered.';

-- functions: failed attempts -------------------------------------------------------------------

create function private.store_earlier_attempt() returns trigger
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
comment on function private.store_earlier_attempt() is
  'Row trigger: moves the last attempt of a delivery to earlier_attempts when another one replaces it.';

create function private.next_attempt_at(attempt integer, response_code integer, retry_after_seconds integer)
returns timestamptz
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- Up to a tenth later, so that deliveries that failed together are not all tried at the same moment.
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
  'The time of the attempt with this number, if the previous one failed now with this response; null if there is no further attempt.';

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
  'Switches a failing webhook off, and writes the event webhook.disabled.';

create function private.record_failures(webhook_id uuid, failures bigint) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  webhook public.webhooks := (select w from public.webhooks w where w.id = record_failures.webhook_id and w.active);
  noted private.webhook_failures;
  lasted interval := coalesce(now() - webhook.failing_since, '0');
  -- One warning each after 6, 12 and 18 hours.
  deserved integer := least(3, floor(extract(epoch from lasted) / 21600));
begin
  if webhook.id is null then
    return;
  end if;
  if webhook.failing_since is null then
    update public.webhooks w set failing_since = now() where w.id = webhook.id;
    delete from private.webhook_failures f where f.webhook_id = webhook.id;
  end if;
  insert into private.webhook_failures as f (tenant_id, webhook_id, attempts)
  values (webhook.tenant_id, webhook.id, record_failures.failures)
  on conflict (webhook_id, tenant_id) do update set attempts = f.attempts + excluded.attempts
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
comment on function private.record_failures is
  'Counts the failed attempts of a webhook since its last success, warns its tenant, and finally switches it off.';

create function private.end_leases() returns void
-- A plan from when the tables were empty, which a session keeps, would scan webhook_leases, webhook_deliveries and webhooks.
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  -- Skips a lease that a late report ends at this moment.
  with over as materialized (
    select l.ctid as place, l.delivery_id, l.leased_until
    from private.webhook_leases l
    where l.leased_until <= clock_timestamp()
    -- Ordered to use the index, because ended leases take more space in the table than current ones.
    order by l.webhook_id, l.delivery_id
    for update skip locked
  ),
  ended as (
    delete from private.webhook_leases l where l.ctid = any (array(select o.place from over o))
  ),
  -- The delivery may have crashed its dispatcher, so it counts as an attempt, and the number of attempts stays limited.
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
  'Queues deliveries again that were returned untried, and records a failed attempt for those whose dispatcher crashed.';

-- functions: sending again ---------------------------------------------------------------------

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
  perform private.require_permission('webhooks.write', 'Only admins and clients may send deliveries again.');
  if active is null then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  if not active then
    perform private.refuse('CONFLICT', 'The webhook is switched off. Switch it on first.', 'active', to_jsonb(false));
  end if;
end
$$;
comment on function private.check_that_webhook_is_on is
  'Refuses a caller that may not send the deliveries of a webhook again: FORBIDDEN, NOT_FOUND, CONFLICT (the webhook is off).';

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
    perform private.wake_webhook_dispatch();
  end if;
end
$$;
comment on function private.send_again is 'Queues deliveries to be sent now, with as many attempts as new ones.';

create function private.retry_delivery(webhook_id uuid, delivery_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  delivery public.webhook_deliveries;
begin
  perform private.check_that_webhook_is_on(retry_delivery.webhook_id);
  -- An attempt whose lease has ended is recorded before the new ones.
  perform private.end_leases();
  select d.* into delivery
  from public.webhook_deliveries d
  where d.webhook_id = retry_delivery.webhook_id and d.id = retry_delivery.delivery_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such delivery.');
  end if;
  if not exists (
    select
    from public.events e
    where e.tenant_id = delivery.tenant_id and e.created_at = delivery.event_at and e.id = delivery.event_id
  ) then
    perform private.refuse('CONFLICT', 'The event of this delivery was deleted after its retention period.');
  end if;
  -- A delivery in flight is being sent already.
  if not exists (
    select 1
    from private.webhook_leases l
    where l.webhook_id = delivery.webhook_id and l.delivery_id = delivery.id and l.leased_until > now()
  ) then
    perform private.send_again(array[delivery.id]);
    select d.* into delivery from public.webhook_deliveries d where d.id = delivery.id;
  end if;
  perform private.audit_act(delivery.tenant_id, 'webhook_deliveries', delivery.id, '{status}');
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
  'For admins and clients: sends a delivery again now, whatever its status, with as many attempts as a new one, and returns it. Refuses with FORBIDDEN, NOT_FOUND, CONFLICT (the webhook is off, or the event was deleted).';

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
      -- Equal to event_at, and in the index.
      and d.created_at >= recover_webhook.since
      and (
        select true
        from public.events e
        where e.tenant_id = d.tenant_id and e.created_at = d.event_at and e.id = d.event_id
      )
    order by d.created_at, d.id desc
    limit most
    for update
  );
  perform private.send_again(failed);
  perform private.audit_act(private.tenant_id(), 'webhooks', recover_webhook.webhook_id, '{deliveries}');
  return jsonb_build_object('recovered', cardinality(failed), 'more', cardinality(failed) = most);
end
$$;
comment on function private.recover_webhook is 'As public.recover_webhook.';

create function public.recover_webhook(webhook_id uuid, since text) returns jsonb
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
begin
  return private.recover_webhook(webhook_id, private.moment_of(since, 'since'));
end
$$;
comment on function public.recover_webhook is
  'For admins and clients: sends the failed deliveries of events since this time (with its offset, or a day of the tenant''s time zone) again now, with as many attempts as new ones, the oldest first, at most as many as the cap deliveries_recovered. Returns {recovered, more}: how many, and whether to call again. Refuses with FORBIDDEN, NOT_FOUND, CONFLICT (the webhook is off).';

-- triggers -------------------------------------------------------------------------------------

create trigger webhook_deliveries_keep_attempt
  after update on public.webhook_deliveries
  for each row when (old.attempted_at is not null and (new.attempted_at is null or new.attempts > old.attempts))
  execute function private.store_earlier_attempt();

-- policies -------------------------------------------------------------------------------------

alter table private.webhook_schedule enable row level security;
alter table private.webhook_failures enable row level security;
alter table private.earlier_attempts enable row level security;

create policy "Admins and clients see their tenant's attempts" on private.earlier_attempts
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.scope('webhooks.read')) = 'all'
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.webhook_attempts, private.earlier_attempts to authenticated, service_role;
grant select on private.webhook_schedule, private.webhook_failures to service_role;
grant execute on function private.retry_delivery, private.recover_webhook to authenticated, service_role;
grant execute on function public.retry_delivery, public.recover_webhook to authenticated;
