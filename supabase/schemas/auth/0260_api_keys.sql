-- API keys: for machines, such as a shop's backend. A key is an account of Supabase Auth with a membership, so that every rule
-- for members applies to it: its id is the account's, its secret the account's password, of which Auth stores a hash.
-- /auth/token exchanges them for a session. With the key its account ends, and so do the membership and the sessions.

-- tables ---------------------------------------------------------------------------------------

create table public.api_keys (
  id uuid not null references auth.users (id) on delete cascade,
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  client_id text not null,
  name text not null,
  role public.member_role not null,
  supplier_id uuid,
  scopes text[],
  created_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  constraint api_keys_pkey primary key (tenant_id, id),
  constraint api_keys_tenant_id_client_id_key unique (tenant_id, client_id),
  constraint api_keys_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint api_keys_role_is_client_or_supplier check (role in ('client', 'supplier')),
  constraint api_keys_supplier_id_is_set_for_suppliers_only check ((role = 'supplier') = (supplier_id is not null)),
  constraint api_keys_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint api_keys_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.api_keys is
  'The keys of machines. id: the account that acts. scopes: the permissions of the role that the key has; null: all of them. last_used_at: when it last got a session. The secret is not stored here: Supabase Auth has its hash.';

-- indexes --------------------------------------------------------------------------------------

create index api_keys_id_idx on public.api_keys (id);
create index api_keys_created_by_idx on public.api_keys (created_by);
create index api_keys_supplier_idx on public.api_keys (tenant_id, supplier_id);
create index api_keys_tenant_id_created_at_idx on public.api_keys (tenant_id, created_at desc, id);
create index api_keys_expires_at_idx on public.api_keys (expires_at);

-- functions ------------------------------------------------------------------------------------

create function private.is_key() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from public.api_keys k where k.id = auth.uid())
$$;
comment on function private.is_key() is 'Whether the caller is a machine with an API key.';

create function private.people_only(act text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if private.is_key() then
    perform private.refuse('FORBIDDEN', format('An API key cannot %s. Sign in as an admin or a supplier.', act));
  end if;
end
$$;
comment on function private.people_only is
  'Refuses with FORBIDDEN a machine with an API key: whoever has got hold of one gets no further with it.';

create function private.claims_of_key(account uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  key public.api_keys;
begin
  update public.api_keys k
  set last_used_at = now()
  where k.id = account and (k.expires_at > now()) is not false
  returning * into key;
  if found then
    return case when key.scopes is null then '{}' else jsonb_build_object('scopes', key.scopes) end;
  elsif exists (select from public.api_keys k where k.id = account) then
    return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'The API key has expired.'));
  end if;
  return '{}'::jsonb;
end
$$;
comment on function private.claims_of_key is
  'What the access token of an account says beside its tenant: the scopes of an API key, whose use is recorded. An error of an Auth hook for a key that has expired. Empty for people.';

create function private.check_key_scopes(scopes text[], role public.member_role) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  unknown text;
begin
  perform private.insist(
    cardinality(scopes) between 1 and 100, 'scopes', '1 to 100 permissions, or null for all of the role', to_jsonb(scopes)
  )
  where scopes is not null;
  select s.name into unknown
  from unnest(scopes) as s (name)
  where s.name is null or private.scope_of(s.name, check_key_scopes.role) is null
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', format('A %s has no permission %s. docs/roles.md lists them.', role, coalesce(unknown, 'null')), 'scopes',
      to_jsonb(scopes)
    );
  end if;
end
$$;
comment on function private.check_key_scopes is 'Refuses with VALIDATION_ERROR scopes that are no permissions of the role.';

create function private.create_key_account(id uuid, address text, name text, secret text) returns void
language sql security definer set search_path = ''
as $$
  -- Supabase Auth reads these texts, and fails where they are null.
  insert into auth.users (
    instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
    created_at, updated_at, confirmation_token, recovery_token, email_change, email_change_token_new
  )
  values (
    '00000000-0000-0000-0000-000000000000', id, 'authenticated', 'authenticated', address,
    extensions.crypt(secret, extensions.gen_salt('bf', 10)), now(), '{"provider": "email", "providers": ["email"]}',
    jsonb_build_object('name', name), now(), now(), '', '', '', ''
  )
$$;
comment on function private.create_key_account is
  'Creates the account of an API key, with an address that gets no mail. Granted to nobody.';

create function private.create_api_key(
  name text, role public.member_role, supplier_id uuid, scopes text[], expires_at timestamptz
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
  is_own constant boolean := private.scope('api_keys.write') = 'own';
  account constant uuid := gen_random_uuid();
  secret constant text := 'sks_' || encode(extensions.gen_random_bytes(32), 'hex');
  created public.api_keys;
begin
  perform private.require_permission('api_keys.write', 'Only admins and suppliers may create API keys.');
  perform private.people_only('create keys');
  if is_own and (create_api_key.role <> 'supplier' or create_api_key.supplier_id <> private.supplier_id()) then
    perform private.refuse('FORBIDDEN', 'Suppliers create keys with the role supplier, for themselves.', 'role', to_jsonb(role));
  end if;
  created.role := coalesce(create_api_key.role, case when is_own then 'supplier' else 'client' end::public.member_role);
  created.supplier_id := coalesce(create_api_key.supplier_id, case when is_own then private.supplier_id() end);
  perform private.insist(created.role in ('client', 'supplier'), 'role', 'client or supplier', to_jsonb(role));
  perform private.insist(
    (created.role = 'supplier') = (created.supplier_id is not null), 'supplier_id', 'set for the role supplier, and for no other',
    to_jsonb(supplier_id)
  );
  perform private.insist(
    (create_api_key.expires_at > now()) is not false, 'expires_at', 'a time in the future', to_jsonb(create_api_key.expires_at)
  );
  perform private.check_key_scopes(create_api_key.scopes, created.role);
  -- The lock lets parallel transactions count each other's keys.
  perform private.hold('cap', 'API keys of ' || tenant);
  if (select count(*) from public.api_keys k where k.tenant_id = tenant) >= private.cap('api_keys_per_tenant') then
    perform private.refuse_beyond('api_keys_per_tenant', 'The tenant has the maximum number of API keys. Remove one first.');
  end if;

  created.client_id := 'key_' || replace(account::text, '-', '');
  perform private.create_key_account(account, created.client_id || '@keys.invalid', create_api_key.name, secret);
  insert into public.api_keys (id, tenant_id, client_id, name, role, supplier_id, scopes, created_by, expires_at)
  values (
    account, tenant, created.client_id, create_api_key.name, created.role, created.supplier_id, create_api_key.scopes,
    auth.uid(), create_api_key.expires_at
  )
  returning * into created;
  insert into public.members (tenant_id, user_id, role, supplier_id, is_key)
  values (tenant, account, created.role, created.supplier_id, true);
  return to_jsonb(created) - 'tenant_id' || jsonb_build_object('client_secret', secret);
end
$$;
comment on function private.create_api_key is 'See public.create_api_key.';

create function public.create_api_key(
  name text, role public.member_role default null, supplier_id uuid default null, scopes text[] default null,
  expires_at timestamptz default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.create_api_key(name, role, supplier_id, scopes, expires_at);
end
$$;
comment on function public.create_api_key is
  'For admins, and suppliers for themselves: creates an API key and returns it with its client_secret, which is not shown again. role: client (the default of admins) or supplier, which needs supplier_id of admins. scopes: permissions of the role; null: all. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND (a supplier), LIMIT_REACHED.';

create function private.remove_api_key(api_key_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  scope constant private.permission_scope := private.scope('api_keys.write');
begin
  perform private.require_permission('api_keys.write', 'Only admins and suppliers may remove API keys.');
  perform private.people_only('remove keys');
  delete from public.api_keys k
  where k.tenant_id = private.tenant_id() and k.id = remove_api_key.api_key_id
    and (scope = 'all' or k.supplier_id = private.supplier_id());
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such API key.');
  end if;
end
$$;
comment on function private.remove_api_key is 'See public.remove_api_key.';

create function public.remove_api_key(api_key_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.remove_api_key(api_key_id);
end
$$;
comment on function public.remove_api_key is
  'For admins, and suppliers for their own: removes an API key. Its sessions end at once. Refuses with FORBIDDEN, NOT_FOUND.';

create function private.delete_key_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.users u where u.id = old.id;
  return null;
end
$$;
comment on function private.delete_key_account() is
  'Row trigger: deletes the account of an API key that was removed, and with it the membership and the sessions.';

create function private.suspend_expired_keys() returns void
language sql security definer set search_path = ''
as $$
  update public.members m
  set status = 'suspended'
  from public.api_keys k
  where k.expires_at <= now() and m.tenant_id = k.tenant_id and m.user_id = k.id and m.status = 'active'
$$;
comment on function private.suspend_expired_keys() is
  'For a job: ends the sessions of API keys that have expired. /auth/token refuses them at once.';

create function private.keep_key_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from public.api_keys k where k.id = old.id) then
    perform private.refuse('FORBIDDEN', 'An API key does not change. Create another one, and remove this one.');
  end if;
  return new;
end
$$;
comment on function private.keep_key_account() is
  'Row trigger: refuses another secret or address for an API key, which its access token alone could ask of Supabase Auth.';

create function private.end_old_key_sessions() returns text
language plpgsql security definer set search_path = ''
as $$
declare
  ended integer;
begin
  delete from auth.sessions s
  where s.id in (
    select o.id
    from public.api_keys k
    join auth.sessions o on o.user_id = k.id
    where o.created_at < now() - interval '1 day'
    limit 1000
  );
  get diagnostics ended = row_count;
  return case when ended = 1000 then 'more' end;
end
$$;
comment on function private.end_old_key_sessions() is
  'A batch of a job: deletes sessions of API keys of more than a day ago, whose tokens have long expired. Each request for a token leaves one.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.api_keys for each row execute function private.keep_nfc();

create trigger api_keys_delete_account
  after delete on public.api_keys
  for each row execute function private.delete_key_account();

create trigger users_keep_key_account
  before update of encrypted_password, email, phone on auth.users
  for each row when (
    old.encrypted_password is distinct from new.encrypted_password
    or old.email is distinct from new.email or old.phone is distinct from new.phone
  )
  execute function private.keep_key_account();

-- policies -------------------------------------------------------------------------------------

alter table public.api_keys enable row level security;

create policy "Admins see all keys, suppliers their own" on public.api_keys
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('api_keys.read'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.api_keys to authenticated;
grant all on public.api_keys to service_role;
grant execute on function public.create_api_key, public.remove_api_key, private.create_api_key, private.remove_api_key
to authenticated;
