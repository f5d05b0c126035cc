-- Webhooks: the URLs to which a tenant has its events sent, and the secrets that sign the deliveries.

-- tables ---------------------------------------------------------------------------------------

create table public.webhooks (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  url text not null,
  events text[] not null,
  description text not null default '',
  -- The filter: an event whose record has a marketplace or a status passes only if it is in the list. Null passes all.
  marketplace_ids uuid[],
  statuses text[],
  active boolean not null default true,
  failing_since timestamptz,
  disabled_reason text,
  -- Write-only: a trigger moves these to private.webhook_secrets and leaves null here.
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
  'The webhooks of a tenant: a URL and the events that it gets. secret and headers can be written but not read. failing_since: no attempt has succeeded since then. disabled_reason: why the webhook was switched off, unless a user did it.';
alter table public.webhooks replica identity using index webhooks_tenant_id_id_key;

create table private.webhook_secrets (
  tenant_id uuid not null,
  webhook_id uuid not null,
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  headers jsonb not null default '{}',
  -- In this order for lookups by webhook alone.
  constraint webhook_secrets_pkey primary key (webhook_id, tenant_id),
  constraint webhook_secrets_webhook_id_fkey foreign key (tenant_id, webhook_id)
    references public.webhooks (tenant_id, id) on delete cascade deferrable initially deferred,
  constraint webhook_secrets_secret_is_at_least_16_characters check (char_length(secret) between 16 and 256),
  constraint webhook_secrets_previous_until_is_set_with_previous_secret
    check ((previous_until is null) = (previous_secret is null))
);
comment on table private.webhook_secrets is
  'The secret that signs the deliveries of each webhook, the previous one, which also signs until previous_until after a rotation, and the headers of its deliveries by name.';

create table private.event_statuses (
  name text primary key
);
comment on table private.event_statuses is
  'Every status of a record that events describe. A capability with events adds its own statuses.';

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

-- Without a SET clause, so that Postgres inlines it into the calling query.
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
  'The secrets that sign a webhook''s deliveries, the current one first and the previous one for 24 hours after a rotation, and the headers of the deliveries.';

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
  'Refuses a filter with an unknown marketplace (NOT_FOUND) or an unknown status (VALIDATION_ERROR).';

create function private.check_webhook_headers(headers jsonb) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  problem record;
begin
  if jsonb_typeof(headers) <> 'object' then
    perform private.refuse('VALIDATION_ERROR', 'headers must be an object of values by name.', 'headers');
  end if;
  if (select count(*) > 10 from jsonb_object_keys(headers)) then
    perform private.refuse('VALIDATION_ERROR', 'headers must have at most 10 entries.', 'headers');
  end if;
  -- A refusal does not contain the value, because it may be a secret.
  select
    h.key as name,
    case
      when h.key collate "C" !~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,100}$' then 'This is not a valid name of a header.'
      when lower(h.key) ~ '^((content|webhook|x-webhook|proxy)-.*|host|user-agent|expect|accept-encoding)$'
        or lower(h.key) in ('connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade')
        then 'Deliveries set this header themselves. Leave it out.'
      when count(*) over (partition by lower(h.key)) > 1 then 'This header may appear only once.'
      when jsonb_typeof(h.value) <> 'string'
        or (h.value #>> '{}') collate "C" !~ '^[!-~]([ -~]*[!-~])?$'
        or char_length(h.value #>> '{}') > 1000
        then 'The value of a header must have 1 to 1000 printable ASCII characters, without spaces at its ends.'
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
  'Refuses with VALIDATION_ERROR invalid headers, and those that the dispatcher sets itself.';

create function private.check_webhook_secret(secret text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if char_length(secret) not between 16 and 256 then
    perform private.refuse('VALIDATION_ERROR', 'secret must have 16 to 256 characters.', 'secret');
  end if;
  -- Libraries disagree about invalid base64, and some decode it to nothing.
  if secret like 'whsec\_%'
    and secret !~ '^whsec_([A-Za-z0-9+/]{4}){5,}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$'
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'secret must have the base64 of at least 16 bytes after whsec_.', 'secret'
    );
  end if;
end
$$;
comment on function private.check_webhook_secret is
  'Refuses with VALIDATION_ERROR a secret that is too short, or that begins like one of Standard Webhooks but is not base64.';

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
  'Row trigger: checks the names of events and the filter, and clears disabled_reason and failing_since when a webhook is switched on.';

create function private.store_webhook_secrets() returns trigger
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
    insert into private.webhook_secrets (tenant_id, webhook_id, secret, headers)
    values (new.tenant_id, new.id, new.secret, new.headers)
    -- An upsert fires this trigger before it finds that the webhook exists.
    on conflict (webhook_id, tenant_id) do nothing;
  else
    update private.webhook_secrets s
    set headers = new.headers
    where s.webhook_id = new.id and new.headers is not null;
    update private.webhook_secrets s
    set previous_secret = s.secret, previous_until = now() + interval '24 hours', secret = new.secret
    -- Setting the same secret again keeps the previous one.
    where s.webhook_id = new.id and s.secret <> new.secret;
  end if;
  new.secret := null;
  new.headers := null;
  return new;
end
$$;
comment on function private.store_webhook_secrets() is
  'Row trigger: moves the secret and the headers to webhook_secrets, and generates a secret if none is sent.';

create function private.bound_webhooks() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid;
begin
  for tenant in select distinct r.tenant_id from registered r order by r.tenant_id loop
    -- The lock lets parallel transactions count each other's webhooks.
    perform private.hold('cap', 'webhooks of ' || tenant);
    if (select count(*) from public.webhooks w where w.tenant_id = tenant) > private.cap('webhooks_per_tenant') then
      perform private.refuse_beyond(
        'webhooks_per_tenant', 'The tenant has the maximum number of webhooks. Delete one first.'
      );
    end if;
  end loop;
  return null;
end
$$;
comment on function private.bound_webhooks() is
  'Statement trigger: refuses with LIMIT_REACHED more webhooks than the cap webhooks_per_tenant.';

create view public.webhook_details with (security_invoker = true) as
select
  w.id, w.tenant_id, w.url, w.description, w.events,
  case
    when num_nonnulls(w.marketplace_ids, w.statuses) > 0
      then jsonb_build_object('marketplace_ids', w.marketplace_ids, 'statuses', w.statuses)
  end as filter,
  w.header_names, w.active, w.disabled_reason, w.failing_since, w.created_at, w.updated_at
from public.webhooks w;
comment on view public.webhook_details is 'Webhooks as the API returns them.';

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
  'For admins and clients: creates a webhook and returns it with its secret, which is not shown again. filter: {marketplace_ids, statuses}; either may be null. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND (a marketplace), LIMIT_REACHED.';

create function public.change_webhook(webhook_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  wanted jsonb := private.known_only(nullif(changes -> 'filter', 'null'), '{marketplace_ids,statuses}', 'filter.');
  changed uuid;
begin
  if changes ? 'secret' then
    perform private.refuse(
      'VALIDATION_ERROR', 'secret cannot be changed here. Use rotate-secret (rotate_webhook_secret).', 'secret'
    );
  end if;
  perform private.known_only(
    changes,
    '{url,events,description,filter,headers,active,'
    -- Fields that cannot be changed are accepted and ignored, so that a record can be sent back as it was read.
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
  'For admins and clients: changes the fields that are sent (url, events, description, filter, headers, active) and returns the webhook. filter and headers are replaced as a whole. Other fields of the record are ignored, so that it can be sent back whole. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND.';

create function private.rotate_webhook_secret(webhook_id uuid, secret text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  shown text := coalesce(rotate_webhook_secret.secret, private.new_webhook_secret());
begin
  perform private.require_permission('webhooks.write', 'Only admins and clients may rotate secrets.');
  update public.webhooks w
  set secret = shown
  where w.tenant_id = private.tenant_id() and w.id = rotate_webhook_secret.webhook_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  return (
    select to_jsonb(d) || jsonb_build_object('secret', shown, 'previous_secret_until', s.previous_until)
    from public.webhook_details d
    join private.webhook_secrets s on s.tenant_id = d.tenant_id and s.webhook_id = d.id
    where d.id = rotate_webhook_secret.webhook_id
  );
end
$$;
comment on function private.rotate_webhook_secret is
  'Replaces the secret of a webhook. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.rotate_webhook_secret(webhook_id uuid, secret text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.rotate_webhook_secret(webhook_id, secret);
end
$$;
comment on function public.rotate_webhook_secret is
  'For admins and clients: replaces the secret of a webhook by the one that is sent or by a new one. The previous secret also signs for 24 hours (previous_secret_until). Returns the webhook with its secret, which is not shown again. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.webhook_target(webhook_id uuid) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object('url', w.url, 'secrets', s.secrets, 'headers', s.headers)
  from public.webhooks w
  cross join lateral private.webhook_signing(w.id) s
  where w.id = webhook_target.webhook_id
$$;
comment on function public.webhook_target is
  'For the edge functions, which check before that the caller sees the webhook: {url, secrets, headers}, to send it a test delivery at once.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.webhooks for each row execute function private.keep_nfc();

create trigger webhooks_are_changed_by_admins_and_clients
  before insert or update or delete on public.webhooks
  for each statement execute function private.permitted_only('webhooks.write');

create trigger webhooks_check
  before insert or update of events, marketplace_ids, statuses, active on public.webhooks
  for each row execute function private.check_webhook();

create trigger webhooks_keep_secrets
  before insert or update of secret, headers on public.webhooks
  for each row execute function private.store_webhook_secrets();

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
    and (select private.scope('webhooks.read')) = 'all'
  );

create policy "Admins and clients register webhooks" on public.webhooks
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.scope('webhooks.write')) = 'all'
    -- It is sent what one reads with this permission.
    and (select private.scope('events.read')) = 'all'
  );

create policy "Admins and clients change webhooks" on public.webhooks
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.scope('webhooks.write')) = 'all'
  )
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.scope('webhooks.write')) = 'all'
    -- It is sent what one reads with this permission.
    and (select private.scope('events.read')) = 'all'
  );

create policy "Admins and clients remove webhooks" on public.webhooks
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.scope('webhooks.write')) = 'all'
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
