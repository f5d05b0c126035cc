-- Webhooks: where a tenant wants to be told of which events, and the secrets that sign what it is told.

-- tables ---------------------------------------------------------------------------------------

create table public.webhooks (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  url text not null,
  events text[] not null,
  description text not null default '',
  -- The filter: of records that have a marketplace or a status, it has to be one of these. Null: any.
  marketplace_ids uuid[],
  statuses text[],
  active boolean not null default true,
  failing_since timestamptz,
  disabled_reason text,
  -- Only written: a trigger keeps them where nobody but the dispatcher reads them, and leaves null here.
  secret text,
  headers jsonb,
  header_names text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhooks_tenant_id_id_key unique (tenant_id, id),
  constraint webhooks_url_is_an_http_address check (char_length(url) <= 2000 and url ~* '^https?://[^\s/?#]+'),
  constraint webhooks_url_is_free_of_credentials check (url !~ '^[^/]*//[^/?#]*@'),
  constraint webhooks_events_is_a_list_of_at_least_one check (cardinality(events) >= 1),
  constraint webhooks_description_is_at_most_500_characters check (char_length(description) <= 500),
  constraint webhooks_marketplace_ids_is_a_list_of_1_to_100 check (cardinality(marketplace_ids) between 1 and 100),
  constraint webhooks_statuses_is_a_list_of_1_to_100 check (cardinality(statuses) between 1 and 100),
  constraint webhooks_disabled_reason_is_gone_or_failing check (disabled_reason in ('gone', 'failing')),
  constraint webhooks_disabled_reason_is_set_only_while_it_is_off check (not active or disabled_reason is null)
);
comment on table public.webhooks is
  'Where a tenant wants to be told of which events. secret and headers can be written, never read. failing_since: no attempt has gone well since then. disabled_reason: why it was switched off, if nobody did so by hand.';

create table private.webhook_secrets (
  webhook_id uuid primary key references public.webhooks (id) on delete cascade deferrable initially deferred,
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  headers jsonb not null default '{}',
  constraint webhook_secrets_secret_is_at_least_16_characters check (char_length(secret) between 16 and 256),
  constraint webhook_secrets_previous_until_is_set_with_previous_secret
    check ((previous_until is null) = (previous_secret is null))
);
comment on table private.webhook_secrets is
  'What each registration''s deliveries are signed with, by the secret before a rotation too until previous_until; and the headers they carry, by name.';

create table private.event_statuses (
  name text primary key
);
comment on table private.event_statuses is
  'Every status of a record that events describe. A capability with events adds its own statuses.';

insert into private.event_statuses (name)
select distinct s.name
from unnest(
  enum_range(null::public.order_status)::text[]
  || enum_range(null::public.payment_status)::text[]
  || enum_range(null::public.payment_report)::text[]
  || enum_range(null::public.shipment_status)::text[]
  || enum_range(null::public.return_request_status)::text[]
  || enum_range(null::public.product_status)::text[]
) as s (name);

-- indexes --------------------------------------------------------------------------------------

create index webhooks_tenant_id_created_at_idx on public.webhooks (tenant_id, created_at desc, id);
create index webhook_secrets_previous_until_idx on private.webhook_secrets (previous_until)
  where previous_until is not null;

-- functions ------------------------------------------------------------------------------------

create function private.new_webhook_secret() returns text
language sql volatile set search_path = ''
as $$
  select 'whsec_' || encode(extensions.gen_random_bytes(24), 'base64')
$$;
comment on function private.new_webhook_secret() is 'A secret in the form of Standard Webhooks, from 24 random bytes.';

-- A part of the query that asks it.
create function private.webhook_signing(webhook_id uuid) returns table (secrets text[], headers jsonb)
language sql stable
begin atomic
  select
    case when s.previous_until > now() then array[s.secret, s.previous_secret] else array[s.secret] end,
    s.headers
  from private.webhook_secrets s
  where s.webhook_id = webhook_signing.webhook_id;
end;
comment on function private.webhook_signing is
  'What signs a registration''s deliveries, the current secret first and the one before for 24 hours; and the headers they carry.';

create function private.check_webhook_filter(tenant_id uuid, marketplace_ids uuid[], statuses text[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  unknown text;
begin
  select wanted.id into unknown
  from unnest(marketplace_ids) as wanted (id)
  where not exists (
    select 1
    from public.marketplaces m
    where m.tenant_id = check_webhook_filter.tenant_id and m.id = wanted.id
  )
  limit 1;
  if found then
    perform private.refuse(
      'NOT_FOUND', 'There is no such marketplace.', 'filter.marketplace_ids', to_jsonb(unknown)
    );
  end if;
  select wanted.status into unknown
  from unnest(statuses) as wanted (status)
  where not exists (select 1 from private.event_statuses s where s.name = wanted.status)
  limit 1;
  if found then
    perform private.refuse('VALIDATION_ERROR', 'There is no such status.', 'filter.statuses', to_jsonb(unknown));
  end if;
end
$$;
comment on function private.check_webhook_filter is
  'Refuses a filter that nothing could pass, with NOT_FOUND for a marketplace and VALIDATION_ERROR for a status.';

create function private.check_webhook_headers(headers jsonb) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  problem record;
begin
  if jsonb_typeof(headers) <> 'object' then
    perform private.refuse('VALIDATION_ERROR', 'Headers are an object of values by their names.', 'headers');
  end if;
  if (select count(*) > 10 from jsonb_object_keys(headers)) then
    perform private.refuse('VALIDATION_ERROR', 'A registration has at most 10 headers of its own.', 'headers');
  end if;
  -- A value is told to nobody, not even in a refusal.
  select
    h.key as name,
    case
      when h.key collate "C" !~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,100}$' then 'This is no name of a header.'
      when lower(h.key) ~ '^((content|webhook|x-webhook|proxy)-.*|host|user-agent|expect|accept-encoding)$'
        or lower(h.key) in ('connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade')
        then 'This header is ours to set.'
      when count(*) over (partition by lower(h.key)) > 1 then 'This header is there twice.'
      when jsonb_typeof(h.value) <> 'string'
        or (h.value #>> '{}') collate "C" !~ '^[!-~]([ -~]*[!-~])?$'
        or char_length(h.value #>> '{}') > 1000
        then 'A value is 1 to 1000 printable characters of ASCII, and begins and ends with no space.'
    end as message
  into problem
  from jsonb_each(headers) as h
  order by message nulls last, name
  limit 1;
  if problem.message is not null then
    perform private.refuse('VALIDATION_ERROR', problem.message, 'headers.' || problem.name);
  end if;
end
$$;
comment on function private.check_webhook_headers is
  'Refuses with VALIDATION_ERROR headers that no request may carry, or that we set ourselves.';

create function private.check_webhook_secret(secret text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if char_length(secret) not between 16 and 256 then
    perform private.refuse('VALIDATION_ERROR', 'A secret has 16 to 256 characters.', 'secret');
  end if;
  -- What is no base64 would be read in as many ways as there are libraries, some of them as nothing at all.
  if secret like 'whsec\_%'
    and secret !~ '^whsec_([A-Za-z0-9+/]{4}){5,}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$'
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'After whsec_ a secret is the base64 of 16 bytes or more.', 'secret'
    );
  end if;
end
$$;
comment on function private.check_webhook_secret is
  'Refuses with VALIDATION_ERROR a secret that is too short, or in the form of Standard Webhooks and wrong.';

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
  if found then
    perform private.refuse('VALIDATION_ERROR', 'There is no such event.', 'events', to_jsonb(unknown));
  end if;

  if num_nonnulls(new.marketplace_ids, new.statuses) > 0 then
    perform private.check_webhook_filter(new.tenant_id, new.marketplace_ids, new.statuses);
  end if;
  if tg_op = 'UPDATE' and new.active and not old.active then
    new.disabled_reason := null;
    new.failing_since := null;
  end if;
  return new;
end
$$;
comment on function private.check_webhook() is
  'Row trigger: knows the names of events and what filters may ask for; forgets, when a webhook is switched on again, why it was off.';

create function private.keep_webhook_secrets() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.secret := coalesce(new.secret, private.new_webhook_secret());
    new.headers := coalesce(new.headers, '{}');
  end if;
  if new.secret is not null then
    perform private.check_webhook_secret(new.secret);
  end if;
  if new.headers is not null then
    perform private.check_webhook_headers(new.headers);
    new.header_names := array(select jsonb_object_keys(new.headers) order by 1);
  end if;

  if tg_op = 'INSERT' then
    insert into private.webhook_secrets (webhook_id, secret, headers)
    values (new.id, new.secret, new.headers)
    -- An upsert comes by here before it finds that the registration is there.
    on conflict (webhook_id) do nothing;
  else
    update private.webhook_secrets s
    set headers = new.headers
    where s.webhook_id = new.id and new.headers is not null;
    update private.webhook_secrets s
    set previous_secret = s.secret, previous_until = now() + interval '24 hours', secret = new.secret
    -- Changed twice to the same one, the one before it still signs.
    where s.webhook_id = new.id and s.secret <> new.secret;
  end if;
  new.secret := null;
  new.headers := null;
  return new;
end
$$;
comment on function private.keep_webhook_secrets() is
  'Row trigger: takes the secret (makes one, where none is sent) and the headers out of the row.';

create function private.bound_webhooks() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid;
begin
  for tenant in select distinct r.tenant_id from registered r order by r.tenant_id loop
    -- Each counts after those that came before it.
    perform private.hold('cap', 'webhooks of ' || tenant);
    if (select count(*) from public.webhooks w where w.tenant_id = tenant) > private.cap('webhooks_per_tenant') then
      perform private.refuse_beyond('webhooks_per_tenant', 'Your tenant has as many webhooks as it may have.');
    end if;
  end loop;
  return null;
end
$$;
comment on function private.bound_webhooks() is
  'Statement trigger: a tenant has no more webhooks than the cap webhooks_per_tenant allows.';

create view public.webhook_details with (security_invoker = true) as
select
  w.id, w.tenant_id, w.url, w.description, w.events,
  case
    when num_nonnulls(w.marketplace_ids, w.statuses) > 0
      then jsonb_build_object('marketplace_ids', w.marketplace_ids, 'statuses', w.statuses)
  end as filter,
  w.header_names, w.active, w.disabled_reason, w.failing_since, w.created_at, w.updated_at
from public.webhooks w;
comment on view public.webhook_details is 'Registrations as the API shows them.';

create function private.listed(list jsonb) returns text[]
language sql immutable set search_path = ''
as $$
  select case when jsonb_typeof(list) <> 'null' then array(select jsonb_array_elements_text(list)) end
$$;
comment on function private.listed is 'The texts of a JSON list; null for null.';

create function public.create_webhook(
  url text,
  events text[],
  description text default '',
  filter jsonb default null,
  headers jsonb default '{}',
  secret text default null,
  active boolean default true
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  shown text := coalesce(create_webhook.secret, private.new_webhook_secret());
  wanted jsonb := private.known_only(nullif(create_webhook.filter, 'null'), '{marketplace_ids,statuses}', 'filter.');
  created uuid;
begin
  insert into public.webhooks (url, events, description, marketplace_ids, statuses, headers, secret, active)
  values (
    create_webhook.url,
    create_webhook.events,
    create_webhook.description,
    private.listed(wanted -> 'marketplace_ids')::uuid[],
    private.listed(wanted -> 'statuses'),
    create_webhook.headers,
    shown,
    create_webhook.active
  )
  returning id into created;
  return (
    select to_jsonb(d) || jsonb_build_object('secret', shown) from public.webhook_details d where d.id = created
  );
end
$$;
comment on function public.create_webhook is
  'For admins and clients: registers a webhook and answers the whole registration with its secret, which is shown this once. filter: {marketplace_ids, statuses}, of which either may be null. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND (a marketplace), LIMIT_REACHED.';

create function public.change_webhook(webhook_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  wanted jsonb := private.known_only(nullif(changes -> 'filter', 'null'), '{marketplace_ids,statuses}', 'filter.');
  changed uuid;
begin
  if changes ? 'secret' then
    perform private.refuse('VALIDATION_ERROR', 'A secret is changed by rotate-secret (rotate_webhook_secret).', 'secret');
  end if;
  perform private.known_only(
    changes,
    '{url,events,description,filter,headers,active,'
    -- What stays as it is: the record may be sent back as it was read.
    'id,tenant_id,header_names,disabled_reason,failing_since,created_at,updated_at}'
  );
  update public.webhooks w
  set url = coalesce(changes ->> 'url', w.url),
      events = case when changes ? 'events' then private.listed(changes -> 'events') else w.events end,
      description = coalesce(changes ->> 'description', w.description),
      marketplace_ids = case
        when changes ? 'filter' then private.listed(wanted -> 'marketplace_ids')::uuid[]
        else w.marketplace_ids
      end,
      statuses = case
        when changes ? 'filter' then private.listed(wanted -> 'statuses') else w.statuses
      end,
      headers = changes -> 'headers',
      active = coalesce((changes ->> 'active')::boolean, w.active)
  where w.id = change_webhook.webhook_id
  returning w.id into changed;
  if changed is null then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  return (select to_jsonb(d) from public.webhook_details d where d.id = changed);
end
$$;
comment on function public.change_webhook is
  'For admins and clients: changes the fields that are sent (url, events, description, filter, headers, active), filter and headers as wholes, and answers the whole registration. Of what else the record shows nothing is changed, so that it can be sent back whole. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND.';

create function private.rotate_webhook_secret(webhook_id uuid, secret text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  shown text := coalesce(rotate_webhook_secret.secret, private.new_webhook_secret());
begin
  if not private.reads_all() then
    perform private.refuse('FORBIDDEN', 'Admins and clients rotate secrets.');
  end if;
  update public.webhooks w
  set secret = shown
  where w.tenant_id = private.tenant_id() and w.id = rotate_webhook_secret.webhook_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  return (
    select to_jsonb(d) || jsonb_build_object('secret', shown, 'previous_secret_until', s.previous_until)
    from public.webhook_details d
    join private.webhook_secrets s on s.webhook_id = d.id
    where d.id = rotate_webhook_secret.webhook_id
  );
end
$$;
comment on function private.rotate_webhook_secret is
  'Gives a webhook another secret. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.rotate_webhook_secret(webhook_id uuid, secret text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.rotate_webhook_secret(webhook_id, secret);
end
$$;
comment on function public.rotate_webhook_secret is
  'For admins and clients: gives a webhook another secret, the one sent or a new one, beside which the one before signs for 24 hours (previous_secret_until). Answers the whole registration with the secret, which is shown this once. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.webhook_target(webhook_id uuid) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object('url', w.url, 'secrets', s.secrets, 'headers', s.headers)
  from public.webhooks w
  cross join lateral private.webhook_signing(w.id) s
  where w.id = webhook_target.webhook_id
$$;
comment on function public.webhook_target is
  'For the functions, which ask first whether the caller sees the registration: {url, secrets, headers}, to send to it out of turn.';

-- triggers -------------------------------------------------------------------------------------

create trigger webhooks_are_changed_by_admins_and_clients
  before insert or update or delete on public.webhooks
  for each statement execute function private.only_for('admin', 'client');

create trigger webhooks_check
  before insert or update of events, marketplace_ids, statuses, active on public.webhooks
  for each row execute function private.check_webhook();

create trigger webhooks_keep_secrets
  before insert or update of secret, headers on public.webhooks
  for each row execute function private.keep_webhook_secrets();

create trigger webhooks_bound
  after insert on public.webhooks
  referencing new table as registered
  for each statement execute function private.bound_webhooks();

create trigger webhooks_touch
  before update on public.webhooks
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table private.webhook_secrets enable row level security;
alter table private.event_statuses enable row level security;
alter table public.webhooks enable row level security;

create policy "Admins and clients see their tenant's webhooks" on public.webhooks
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

create policy "Admins and clients register webhooks" on public.webhooks
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

create policy "Admins and clients change webhooks" on public.webhooks
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  )
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

create policy "Admins and clients remove webhooks" on public.webhooks
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

-- grants ---------------------------------------------------------------------------------------

grant select,
  insert (url, events, description, marketplace_ids, statuses, active, secret, headers),
  update (url, events, description, marketplace_ids, statuses, active, headers),
  delete
  on public.webhooks to authenticated;
grant select on public.webhook_details to authenticated;
grant all on public.webhooks to service_role;
grant select on private.webhook_secrets to service_role;
grant execute on function
  private.new_webhook_secret(), private.listed, private.rotate_webhook_secret
  to authenticated, service_role;
grant execute on function private.webhook_signing to service_role;
grant execute on function public.create_webhook, public.change_webhook, public.rotate_webhook_secret
  to authenticated;
grant execute on function public.webhook_target to service_role;

-- cron -----------------------------------------------------------------------------------------

select cron.schedule(
  'forget-webhook-secrets', '23 * * * *',
  $$
    update private.webhook_secrets
    set previous_secret = null, previous_until = null
    where previous_until <= now()
  $$
);
