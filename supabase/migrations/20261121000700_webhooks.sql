-- Webhooks: every event goes, signed, to every active registration that subscribed to it. A delivery
-- is a row written with its event; the function `webhook-dispatch` claims what is due, sends it and
-- reports. pg_net wakes it after a commit, and pg_cron each minute for what was left over.

create type public.delivery_status as enum ('pending', 'retrying', 'success', 'failed');

-- tables ---------------------------------------------------------------------------------------

create table public.webhooks (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  url text not null,
  events text[] not null,
  active boolean not null default true,
  -- Only written: a trigger keeps it where nobody but the dispatcher reads it, and leaves null here.
  secret text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhooks_tenant_id_id_key unique (tenant_id, id),
  constraint webhooks_url_is_an_http_address check (char_length(url) <= 2000 and url ~ '^https?://[^\s/?#]+'),
  constraint webhooks_events_is_a_list_of_at_least_one check (cardinality(events) >= 1)
);
comment on table public.webhooks is 'Where a tenant wants to be told of which events. Its secret can be written, never read.';

create table private.webhook_secrets (
  webhook_id uuid primary key references public.webhooks (id) on delete cascade deferrable initially deferred,
  secret text not null,
  constraint webhook_secrets_secret_is_at_least_16_characters check (char_length(secret) between 16 and 256)
);
comment on table private.webhook_secrets is 'What each registration''s deliveries are signed with.';

create table public.webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event text not null,
  status public.delivery_status not null default 'pending',
  attempts integer not null default 0,
  next_attempt_at timestamptz default now(),
  response_code integer,
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhook_deliveries_webhook_id_event_id_key unique (webhook_id, event_id),
  constraint webhook_deliveries_webhook_id_fkey foreign key (tenant_id, webhook_id)
    references public.webhooks (tenant_id, id) on delete cascade,
  constraint webhook_deliveries_event_id_fkey foreign key (tenant_id, event_id)
    references public.events (tenant_id, id) on delete cascade,
  constraint webhook_deliveries_next_attempt_at_is_set_while_there_is_one
    check ((next_attempt_at is not null) = (status in ('pending', 'retrying')))
);
comment on table public.webhook_deliveries is
  'An event on its way to a registration, or arrived. Its id is X-Webhook-ID, the same at every attempt.';

alter table public.webhook_deliveries replica identity full;
alter publication supabase_realtime add table public.webhook_deliveries;

create table private.webhook_schedule (
  attempt integer primary key,
  wait interval not null
);
comment on table private.webhook_schedule is 'How long after the failure of the attempt before it each attempt is made.';

insert into private.webhook_schedule (attempt, wait) values
  (2, '1 minute'), (3, '5 minutes'), (4, '15 minutes'), (5, '1 hour');

-- indexes --------------------------------------------------------------------------------------

create index webhooks_tenant_id_created_at_idx on public.webhooks (tenant_id, created_at desc, id);
create index webhook_deliveries_webhook_idx on public.webhook_deliveries (tenant_id, webhook_id, created_at desc, id);
create index webhook_deliveries_event_idx on public.webhook_deliveries (tenant_id, event_id);
create index webhook_deliveries_due_idx on public.webhook_deliveries (next_attempt_at)
  where next_attempt_at is not null;

-- functions ------------------------------------------------------------------------------------

create function private.new_webhook_secret() returns text
language sql volatile set search_path = ''
as $$
  select 'whsec_' || encode(extensions.gen_random_bytes(24), 'base64')
$$;
comment on function private.new_webhook_secret() is 'A secret in the form of Standard Webhooks, from 24 random bytes.';

create function private.check_webhook() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  unknown text;
begin
  new.events := array(
    select distinct case wanted.name when 'payment.completed' then 'payment.succeeded' else wanted.name end
    from unnest(new.events) as wanted (name)
    order by 1
  );
  select wanted.name into unknown
  from unnest(new.events) as wanted (name)
  where not exists (select 1 from private.event_types t where t.name = wanted.name)
  limit 1;
  if unknown is not null then
    perform private.refuse('VALIDATION_ERROR', 'There is no such event.', 'events', to_jsonb(unknown));
  end if;

  if tg_op = 'INSERT' or new.secret is not null then
    new.secret := coalesce(new.secret, private.new_webhook_secret());
    -- The table's own constraint would quote the secret in its refusal.
    if char_length(new.secret) not between 16 and 256 then
      perform private.refuse('VALIDATION_ERROR', 'A secret has 16 to 256 characters.', 'secret');
    end if;
    insert into private.webhook_secrets (webhook_id, secret)
    values (new.id, new.secret)
    on conflict (webhook_id) do update set secret = excluded.secret;
    new.secret := null;
  end if;
  return new;
end
$$;
comment on function private.check_webhook() is
  'Row trigger: knows the event names, and takes the secret (makes one, where none is sent) out of the row.';

create function public.create_webhook(
  url text, events text[], secret text default null, active boolean default true
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  shown text := coalesce(create_webhook.secret, private.new_webhook_secret());
  created public.webhooks;
begin
  insert into public.webhooks (url, events, secret, active)
  values (create_webhook.url, create_webhook.events, shown, create_webhook.active)
  returning * into created;
  return to_jsonb(created) || jsonb_build_object('secret', shown);
end
$$;
comment on function public.create_webhook is
  'Registers a webhook and answers the whole registration with its secret, which is shown this once.';

create function private.fan_out_events() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.webhook_deliveries (tenant_id, webhook_id, event_id, event)
  select e.tenant_id, w.id, e.id, e.name
  from new_events e
  join public.webhooks w on w.tenant_id = e.tenant_id and w.active and e.name = any (w.events);
  if found then
    perform private.kick_webhook_dispatch();
  end if;
  return null;
end
$$;
comment on function private.fan_out_events() is 'Statement trigger: a delivery for each event and each active registration subscribed to it.';

create function private.end_deliveries() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.webhook_deliveries d
  set status = 'failed', next_attempt_at = null, error = 'the webhook was switched off'
  where d.tenant_id = new.tenant_id and d.webhook_id = new.id and d.next_attempt_at is not null;
  return null;
end
$$;
comment on function private.end_deliveries() is 'Row trigger: a webhook that is switched off gets nothing more, not even what was on its way.';

create function private.kick_webhook_dispatch() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  address text;
  key text;
begin
  -- Once in a transaction is enough, however many events it writes.
  if current_setting('souk.dispatch_kicked', true) = pg_current_xact_id()::text then
    return;
  end if;
  perform set_config('souk.dispatch_kicked', pg_current_xact_id()::text, true);

  select s.decrypted_secret into address from vault.decrypted_secrets s where s.name = 'functions_url';
  select s.decrypted_secret into key from vault.decrypted_secrets s where s.name = 'secret_key';
  if address is null or key is null then
    -- The change itself must not fail for it, and the deliveries wait.
    raise warning 'webhooks are not sent: put functions_url and secret_key into the Vault';
    return;
  end if;
  perform net.http_post(
    url := address || '/webhook-dispatch',
    headers := jsonb_build_object('Content-Type', 'application/json', 'apikey', key)
  );
end
$$;
comment on function private.kick_webhook_dispatch() is 'Has pg_net wake the dispatcher as soon as this transaction is committed.';

create function private.sweep_webhook_deliveries() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select 1 from public.webhook_deliveries d where d.next_attempt_at <= now()) then
    perform private.kick_webhook_dispatch();
  end if;
end
$$;
comment on function private.sweep_webhook_deliveries() is 'Wakes the dispatcher when something is due: retries, and what a crash left over.';

create function public.claim_webhook_deliveries(batch integer default 50)
returns table (id uuid, url text, secret text, event text, body text)
language sql set search_path = ''
as $$
  with due as (
    select d.id
    from public.webhook_deliveries d
    where d.next_attempt_at <= now()
    order by d.next_attempt_at
    limit claim_webhook_deliveries.batch
    for update skip locked
  ),
  claimed as (
    -- The claim is a lease: if the dispatcher dies, the delivery is due again after a minute.
    update public.webhook_deliveries d
    set next_attempt_at = now() + interval '1 minute'
    from due
    where d.id = due.id
    returning d.id, d.webhook_id, d.event_id, d.event
  )
  select c.id, w.url, s.secret, c.event, e.payload::text
  from claimed c
  join public.webhooks w on w.id = c.webhook_id
  join private.webhook_secrets s on s.webhook_id = c.webhook_id
  join public.events e on e.id = c.event_id
$$;
comment on function public.claim_webhook_deliveries is
  'For the dispatcher: due deliveries, leased to it for a minute, with what it takes to send them.';

create function public.record_webhook_attempts(attempts jsonb) returns void
language sql set search_path = ''
as $$
  update public.webhook_deliveries d
  set attempts = d.attempts + 1,
      response_code = made.response_code,
      error = made.error,
      status = case
        when made.error is null then 'success'
        when s.wait is null then 'failed'
        else 'retrying'
      end::public.delivery_status,
      next_attempt_at = case when made.error is null then null else now() + s.wait end
  from jsonb_to_recordset(record_webhook_attempts.attempts) as made (id uuid, response_code integer, error text)
  join public.webhook_deliveries before on before.id = made.id
  left join private.webhook_schedule s on s.attempt = before.attempts + 2
  where d.id = made.id and d.status in ('pending', 'retrying')
$$;
comment on function public.record_webhook_attempts is
  'For the dispatcher: what came of its attempts, a list of id, response_code, error (null: delivered). Sets the next attempt.';

-- triggers -------------------------------------------------------------------------------------

create trigger webhooks_are_changed_by_admins_and_clients
  before insert or update or delete on public.webhooks
  for each statement execute function private.only_for('admin', 'client');

create trigger webhooks_check
  before insert or update on public.webhooks
  for each row execute function private.check_webhook();

create trigger webhooks_touch
  before update on public.webhooks
  for each row execute function private.touch();

create trigger webhooks_end_deliveries
  after update of active on public.webhooks
  for each row when (old.active and not new.active)
  execute function private.end_deliveries();

create trigger webhook_deliveries_touch
  before update on public.webhook_deliveries
  for each row execute function private.touch();

create trigger events_fan_out
  after insert on public.events
  referencing new table as new_events
  for each statement execute function private.fan_out_events();

-- policies -------------------------------------------------------------------------------------

alter table private.webhook_secrets enable row level security;
alter table private.webhook_schedule enable row level security;
alter table public.webhooks enable row level security;
alter table public.webhook_deliveries enable row level security;

create policy "Admins and clients see their tenant's webhooks" on public.webhooks
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'client')
  );

create policy "Admins and clients register webhooks" on public.webhooks
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'client')
  );

create policy "Admins and clients change webhooks" on public.webhooks
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'client')
  )
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'client')
  );

create policy "Admins and clients remove webhooks" on public.webhooks
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'client')
  );

create policy "Admins and clients see their tenant's deliveries" on public.webhook_deliveries
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'client')
  );

-- grants ---------------------------------------------------------------------------------------

grant select, insert (url, events, active, secret), update (url, events, active), delete
  on public.webhooks to authenticated;
grant select on public.webhook_deliveries to authenticated;
grant all on public.webhooks, public.webhook_deliveries to service_role;
grant execute on function private.new_webhook_secret() to authenticated, service_role;
grant execute on function public.create_webhook to authenticated;
grant select on private.webhook_secrets, private.webhook_schedule to service_role;
grant execute on function public.claim_webhook_deliveries, public.record_webhook_attempts to service_role;

-- cron -----------------------------------------------------------------------------------------

select cron.schedule('webhook-dispatch', '* * * * *', 'select private.sweep_webhook_deliveries()');
