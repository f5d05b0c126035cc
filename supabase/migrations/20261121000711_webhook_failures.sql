-- What comes of attempts: a delivery has arrived, or is tried again later, or failed for good. Registrations that nothing
-- reaches are warned of, and switched off.

-- types ----------------------------------------------------------------------------------------

create type private.missed_delivery as (gone boolean, next_attempt_at timestamptz);
comment on type private.missed_delivery is
  'What follows from an attempt that failed: its webhook is gone for good, or when the next one is made; never where it is null.';

-- tables ---------------------------------------------------------------------------------------

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

-- functions ------------------------------------------------------------------------------------

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

create function private.missed_delivery(
  delivery_id uuid, url text, response_code integer, retry_after_seconds integer
) returns private.missed_delivery
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  missed record;
  follows private.missed_delivery;
begin
  select w.active, d.attempts - d.attempts_before + 1 as attempt, w.url into missed
  from public.webhook_deliveries d
  join public.webhooks w on w.id = d.webhook_id
  where d.id = missed_delivery.delivery_id;
  -- Of an address that it has left, none of this is said.
  follows.gone := coalesce(response_code = 410 and missed_delivery.url = missed.url, false);
  if not follows.gone and missed.active then
    follows.next_attempt_at := private.next_attempt_at(missed.attempt + 1, response_code, retry_after_seconds);
  end if;
  return follows;
end
$$;
comment on function private.missed_delivery is
  'What follows from an attempt that failed.';

create function private.record_outcomes(done jsonb)
returns table (webhook_id uuid, reached boolean, gone boolean, failures bigint)
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  -- Whoever has lost the lease has nothing to say, and nobody says it twice.
  with held as materialized (
    select made.*, lease.place
    from jsonb_to_recordset(record_outcomes.done) as made (
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
    select h.*, (missed.of_delivery).gone, (missed.of_delivery).next_attempt_at
    from held h
    cross join lateral (
      -- Looked up for those alone.
      select case when h.error is not null
        then private.missed_delivery(h.id, h.url, h.response_code, h.retry_after_seconds) end as of_delivery
      offset 0
    ) as missed
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
  order by r.id;
end
$$;
comment on function private.record_outcomes is
  'Records what became of deliveries whose lease is still held, and tells of which webhooks that is to be followed up: whether they were reached, are gone for good, and how often they failed.';

create function private.record_attempts(done jsonb) returns void
language plpgsql security definer
-- Besides what it inherits: one by one, however few there were when its plan was made. From 20 leases to 5,000 it takes 9 ms
-- for 50 attempts, and without this 23.
set search_path = '' set enable_hashjoin = off set enable_mergejoin = off
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
    select o.* from private.record_outcomes(record_attempts.done) as o order by o.webhook_id
  loop
    if webhook.gone then
      perform private.switch_webhook_off(webhook.webhook_id, 'gone');
    elsif webhook.reached then
      update public.webhooks w set failing_since = null where w.id = webhook.webhook_id and w.failing_since is not null;
      delete from private.webhook_failures f where f.webhook_id = webhook.webhook_id;
    else
      perform private.note_failures(webhook.webhook_id, webhook.failures);
    end if;
  end loop;
end
$$;
comment on function private.record_attempts is
  'Records what came of attempts whose lease still holds, sets the next ones, and sees how their registrations fare.';

-- policies -------------------------------------------------------------------------------------

alter table private.webhook_schedule enable row level security;
alter table private.webhook_failures enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select on private.webhook_schedule, private.webhook_failures to service_role;

-- cron -----------------------------------------------------------------------------------------

select cron.schedule('end-switched-off-deliveries', '* * * * *', 'select private.end_switched_off(20000)');
