-- Registration: an account of Supabase Auth becomes a member of a tenant in the transaction that creates it. The request
-- is in the account's metadata, so `/auth/register` and `supabase.auth.signUp({ options: { data } })` work alike:
-- `tenant_name` (a new tenant), or `tenant_id` with `role` customer (the default) or supplier, or `invitation`; and
-- `name`. Metadata grants no rights by itself: a new tenant is empty, anyone may join as a customer, as an unverified
-- supplier only where the tenant's settings say so, and an admin has decided what an invitation grants. A user with an
-- account joins further tenants by the same fields. This file also records the tenant of each session.
-- later: private.cap, private.refuse_beyond, private.claims_of_key, private.is_key, private.people_only, private.seller_setting

create type public.invitation_status as enum ('pending', 'accepted', 'expired');

-- tables ---------------------------------------------------------------------------------------

create table public.invitations (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  email text collate "C" not null,
  role public.member_role not null,
  supplier_id uuid,
  verified boolean not null default false,
  invited_by uuid references auth.users (id) on delete set null,
  expires_at timestamptz not null default now() + interval '7 days',
  accepted_at timestamptz,
  accepted_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  constraint invitations_tenant_id_id_key unique (tenant_id, id),
  constraint invitations_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint invitations_email_is_an_address_in_lower_case check (private.is_email(email)),
  constraint invitations_supplier_id_is_set_for_suppliers_only check (role = 'supplier' or supplier_id is null),
  constraint invitations_verified_is_for_suppliers_only check (role = 'supplier' or not verified)
);
comment on table public.invitations is
  'Invitations to join a tenant with a role, and for suppliers an organisation. Without one, the supplier gets a new organisation. verified: whether the organisation is verified when the invitation is accepted.';
alter table public.invitations replica identity using index invitations_tenant_id_id_key;

create table private.invitation_tokens (
  token_hash text not null,
  tenant_id uuid not null,
  invitation_id uuid not null,
  -- In this order for lookups by token.
  constraint invitation_tokens_pkey primary key (token_hash, tenant_id),
  constraint invitation_tokens_invitation_id_key unique (tenant_id, invitation_id),
  constraint invitation_tokens_invitation_id_fkey foreign key (tenant_id, invitation_id)
    references public.invitations (tenant_id, id) on delete cascade
);
comment on table private.invitation_tokens is
  'SHA-256 of the token of each invitation. The token itself is not stored: it is derived from the invitation''s id.';

create table private.signing_keys (
  name text primary key,
  key bytea not null default extensions.gen_random_bytes(32)
);
comment on table private.signing_keys is
  'Keys that tokens are derived from, and the key that identifies the functions. They are not in the vault, because its secrets cannot be read after the database is restored into another project.';

create table private.session_tenants (
  session_id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  chosen_at timestamptz not null default clock_timestamp()
);
comment on table private.session_tenants is
  'The tenant of each session, for users with several tenants. A new session starts in the tenant chosen last.';

create table private.spent_refresh_tokens (
  token_hash text primary key,
  session_id uuid not null,
  spent_at timestamptz not null default now()
);
comment on table private.spent_refresh_tokens is
  'SHA-256 of every refresh token used at /auth/refresh, with the time of its first use. Supabase Auth returns the successor of a used token again until the successor is used; /auth/refresh does so only for 10 seconds.';

-- indexes --------------------------------------------------------------------------------------

create unique index email_is_unique_in_invitations on public.invitations (tenant_id, email) where accepted_at is null;
create index invitations_tenant_id_created_at_idx on public.invitations (tenant_id, created_at desc, id);
create index invitations_supplier_idx on public.invitations (tenant_id, supplier_id);
create index invitations_invited_by_idx on public.invitations (invited_by);
create index invitations_accepted_by_idx on public.invitations (accepted_by);
create index session_tenants_user_id_idx on private.session_tenants (user_id, chosen_at desc);
create unique index session_tenants_tenant_id_idx on private.session_tenants (tenant_id, session_id);
alter table private.session_tenants replica identity using index session_tenants_tenant_id_idx;
create index session_tenants_chosen_at_idx on private.session_tenants (chosen_at);
create index spent_refresh_tokens_spent_at_idx on private.spent_refresh_tokens (spent_at);

-- functions ------------------------------------------------------------------------------------

create function private.token_hash(token text) returns text
language sql immutable set search_path = ''
as $$
  select encode(sha256(convert_to(token, 'utf8')), 'hex')
$$;
comment on function private.token_hash is 'The hash of a token, which is stored instead of it.';

create function private.signed(with_key text, message text) returns bytea
language sql stable security definer set search_path = ''
as $$
  select extensions.hmac(convert_to(message, 'utf8'), k.key, 'sha256')
  from private.signing_keys k
  where k.name = with_key
$$;
comment on function private.signed is 'The signature of a message with the key of this name. Granted to nobody.';

create function private.set_signing_key(name text, key text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  given bytea := case when key ~ '^([0-9a-f]{2}){32,128}$' then decode(key, 'hex') end;
  present bytea := (select k.key from private.signing_keys k where k.name = set_signing_key.name);
begin
  -- No message has the value: it would be in logs.
  if present is null then
    perform private.refuse(
      'VALIDATION_ERROR',
      format('name must be one of %s.', (select string_agg(k.name, ', ' order by k.name) from private.signing_keys k)),
      'name', to_jsonb(set_signing_key.name)
    );
  elsif given is null then
    perform private.refuse('VALIDATION_ERROR', 'key must have 32 to 128 bytes, as hexadecimal digits in lower case.', 'key');
  elsif given = present then
    return;
  elsif exists (select from public.tenants) then
    perform private.refuse(
      'CONFLICT', 'What the present key has signed would no longer be valid. A key can be set until the first tenant exists.', 'key'
    );
  end if;
  update private.signing_keys k set key = given where k.name = set_signing_key.name;
end
$$;
comment on function private.set_signing_key is 'See public.set_signing_key.';

create function public.set_signing_key(name text, key text) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.set_signing_key(name, key);
end
$$;
comment on function public.set_signing_key is
  'For the operator: sets the key of this name in private.signing_keys, as hexadecimal digits, until the first tenant exists. So that a tenant can move between two projects, both have the same keys. The present key can be set at any time. Refuses with VALIDATION_ERROR, CONFLICT.';

create function private.invitation_token(invitation_id uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select encode(private.signed('invitations', invitation_token.invitation_id::text), 'hex')
$$;
comment on function private.invitation_token is 'The token of an invitation, which is always the same. Granted to nobody.';

create function private.own_invitation_token(invitation_id uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select private.invitation_token(i.id)
  from public.invitations i
  where i.id = own_invitation_token.invitation_id
    and i.tenant_id = private.tenant_id()
    and i.invited_by = auth.uid()
$$;
comment on function private.own_invitation_token is
  'The token of an invitation that the caller created; null for another user''s invitation, or a withdrawn one.';

create function private.invitation_of(token text) returns public.invitations
language sql stable security definer set search_path = ''
as $$
  select i
  from private.invitation_tokens t
  join public.invitations i on i.tenant_id = t.tenant_id and i.id = t.invitation_id
  where t.token_hash = private.token_hash(token)
$$;
comment on function private.invitation_of is 'The invitation of a token; null for an unknown token or a withdrawn invitation.';

create function private.problem(http_code integer, field text, message text) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('http_code', http_code, 'field', field, 'message', message)
$$;
comment on function private.problem is 'A problem with a request to join: an error object of an Auth hook, and the invalid field.';

create function private.refuse_problem(problem jsonb, value jsonb default 'null') returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    case problem ->> 'http_code' when '404' then 'NOT_FOUND' when '403' then 'FORBIDDEN' else 'VALIDATION_ERROR' end,
    problem ->> 'message', problem ->> 'field', value
  );
end
$$;
comment on function private.refuse_problem is
  'Ends the transaction with a problem: NOT_FOUND, FORBIDDEN or VALIDATION_ERROR, with its field and the value that was sent.';

create function private.invitation_problem(token text, email text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  invitation public.invitations := private.invitation_of(token);
begin
  return case
    when invitation.id is null or not private.is_tenant_kept(invitation.tenant_id)
      then private.problem(404, 'invitation', 'There is no such invitation.')
    when invitation.email <> lower(coalesce(invitation_problem.email, ''))
      then private.problem(422, 'invitation', 'The invitation is for another e-mail address.')
    when invitation.accepted_at is not null
      then private.problem(422, 'invitation', 'The invitation has already been accepted.')
    when invitation.expires_at <= now()
      then private.problem(422, 'invitation', 'The invitation has expired. Ask for a new one.')
  end;
end
$$;
comment on function private.invitation_problem is 'The reason why an invitation cannot be accepted; null if it can.';

create function private.seller_signup_problem(tenant_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case private.seller_setting(tenant_id, 'signup')
    when 'open' then null
    when 'application'
      then private.problem(403, 'role', 'Suppliers apply to this tenant first: POST /api/supplier-applications.')
    else private.problem(403, 'role', 'Suppliers join this tenant by an invitation only. Ask its admins for one.')
  end;
end
$$;
comment on function private.seller_signup_problem is
  'The reason why nobody can join a tenant as a supplier without an invitation; null if anybody can.';

create function private.join_problem(request jsonb, email text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case
    when num_nonnulls(request ->> 'tenant_name', request ->> 'tenant_id', request ->> 'invitation') > 1
      then private.problem(422, 'tenant_name', 'Send one of tenant_name, tenant_id and invitation.')
    when request ->> 'invitation' is not null
      then private.invitation_problem(request ->> 'invitation', email)
    when char_length(request ->> 'tenant_name') not between 1 and 200
        or not private.is_more_than_spaces(request ->> 'tenant_name')
      then private.problem(422, 'tenant_name', 'tenant_name must have 1 to 200 characters, one of them visible.')
    when request ->> 'tenant_id' is null then null
    -- A text that is not a UUID matches nothing. The cast must not fail.
    when not private.is_tenant_kept(
      (case when private.is_uuid(request ->> 'tenant_id') then request ->> 'tenant_id' end)::uuid
    )
      then private.problem(404, 'tenant_id', 'No tenant has this id.')
    when coalesce(request ->> 'role', 'customer') not in ('customer', 'supplier')
      then private.problem(422, 'role', 'role must be customer or supplier.')
    when request ->> 'role' = 'supplier' then private.seller_signup_problem((request ->> 'tenant_id')::uuid)
  end;
end
$$;
comment on function private.join_problem is
  'The reason why a request to join, {tenant_name}, {tenant_id, role} or {invitation}, cannot be carried out; null if it can.';

create function private.access_token_hook(event jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  account uuid := (event ->> 'user_id')::uuid;
  session uuid := (event -> 'claims' ->> 'session_id')::uuid;
  member public.members;
  key constant jsonb := private.claims_of_key(account);
begin
  if key ? 'error' then
    return key;
  end if;
  select m.* into member
  from public.members m
  where m.user_id = account and m.status = 'active'
  order by
    m.tenant_id = (select s.tenant_id from private.session_tenants s where s.session_id = session) desc nulls last,
    m.tenant_id = (
      select s.tenant_id
      from private.session_tenants s
      where s.user_id = account
      order by s.chosen_at desc
      limit 1
    ) desc nulls last,
    m.created_at, m.tenant_id
  limit 1;
  if member.tenant_id is null then
    return event;
  end if;

  -- A session stays in its tenant, whatever other sessions of the user choose.
  if session is not null then
    insert into private.session_tenants (session_id, user_id, tenant_id)
    values (session, account, member.tenant_id)
    on conflict do nothing;
  end if;
  return jsonb_set(
    event,
    '{claims}',
    (event -> 'claims') || jsonb_build_object('tenant_id', member.tenant_id, 'tenant_role', member.role) || key
  );
end
$$;
comment on function private.access_token_hook is
  'Auth hook: puts tenant_id and tenant_role into the access token: those of the session''s tenant while the user is an active member of it, else those of another tenant of the user. And scopes, for an API key that does not have all permissions of its role; refused if it has expired.';

create function private.use_invitation(token text, account uuid) returns public.invitations
language plpgsql security definer set search_path = ''
as $$
declare
  taken public.invitations;
begin
  -- If several requests use the same token at the same time, one of them succeeds.
  update public.invitations i
  set accepted_at = now(), accepted_by = account
  where i.id = (private.invitation_of(token)).id and i.accepted_at is null
  returning i.* into taken;
  if taken.id is null then
    perform private.refuse('VALIDATION_ERROR', 'The invitation has already been accepted.', 'invitation', 'null');
  end if;
  return taken;
end
$$;
comment on function private.use_invitation is
  'Marks a valid invitation as accepted. The calling function creates the membership.';

create function private.join_as(
  tenant uuid, account uuid, role public.member_role, supplier uuid, display_name text, verified boolean default false
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if join_as.role = 'supplier' and supplier is null then
    insert into public.suppliers (tenant_id, name, verified)
    values (tenant, display_name, join_as.verified)
    returning id into supplier;
  elsif join_as.verified then
    update public.suppliers s
    set verified = true
    where s.tenant_id = tenant and s.id = supplier and not s.verified;
  end if;
  insert into public.members (tenant_id, user_id, role, supplier_id)
  values (tenant, account, join_as.role, supplier)
  on conflict do nothing;
  if not found then
    perform private.refuse('CONFLICT', 'You are already a member of this tenant.');
  end if;
end
$$;
comment on function private.join_as is
  'Creates a membership. A supplier without an organisation gets a new one with its own name. verified: whether the organisation becomes verified. Refuses members with CONFLICT.';

create function private.join_by_request(request jsonb, account uuid) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  address text;
  display_name text;
  problem jsonb;
  invitation public.invitations;
  tenant uuid;
begin
  select u.email, coalesce(nullif(private.account_name(u.raw_user_meta_data, u.email), ''), 'Nameless')
  into address, display_name
  from auth.users u
  where u.id = account;
  problem := private.join_problem(request, address);
  if problem is not null then
    -- A refusal never contains a token.
    perform private.refuse_problem(problem, coalesce((request - 'invitation') -> (problem ->> 'field'), 'null'));
  end if;

  if request ->> 'tenant_name' is not null then
    insert into public.tenants (name) values (request ->> 'tenant_name') returning id into tenant;
    perform private.join_as(tenant, account, 'admin', null, display_name);
  elsif request ->> 'tenant_id' is not null then
    tenant := (request ->> 'tenant_id')::uuid;
    perform private.join_as(
      tenant, account, coalesce(request ->> 'role', 'customer')::public.member_role, null, display_name
    );
  elsif request ->> 'invitation' is not null then
    invitation := private.use_invitation(request ->> 'invitation', account);
    tenant := invitation.tenant_id;
    perform private.join_as(tenant, account, invitation.role, invitation.supplier_id, display_name, invitation.verified);
  end if;
  return tenant;
end
$$;
comment on function private.join_by_request is
  'Creates the membership that an account requests, and returns its tenant; null if it requests none. Refuses with NOT_FOUND, VALIDATION_ERROR, CONFLICT.';

create function private.join_by_registration() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.join_by_request(coalesce(new.raw_user_meta_data, '{}'), new.id);
  return null;
end
$$;
comment on function private.join_by_registration() is 'Row trigger: creates the membership that a new account requests.';

create function private.check_colleague_invitation(tenant uuid, organisation uuid, address text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- It does not say whether the address is a member's: suppliers do not know the tenant's customers.
  if exists (
    select
    from public.invitations i
    where i.tenant_id = tenant and i.email = address and i.accepted_at is null and i.expires_at > now()
      and i.supplier_id is distinct from organisation
  ) then
    perform private.refuse(
      'CONFLICT', 'This address has an invitation of the tenant. It can be accepted or withdrawn first.', 'email', to_jsonb(address)
    );
  end if;
  -- The lock lets parallel transactions count each other's invitations.
  perform private.hold('cap', 'invitations of ' || organisation);
  if (
    select count(*)
    from public.invitations i
    where i.tenant_id = tenant and i.supplier_id = organisation and i.accepted_at is null and i.email <> address
  ) >= private.cap('invitations_per_supplier') then
    perform private.refuse_beyond(
      'invitations_per_supplier', 'The supplier has the maximum number of open invitations. Withdraw one first.'
    );
  end if;
end
$$;
comment on function private.check_colleague_invitation is
  'Refuses the invitation of a supplier for an address that the tenant has invited otherwise (CONFLICT), and more than the cap invitations_per_supplier (LIMIT_REACHED).';

create function private.create_invitation(
  email text, role public.member_role, supplier_id uuid, verified boolean
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  address text := lower(create_invitation.email);
  is_admin constant boolean := private.scope('invitations.write') = 'all';
  organisation constant uuid := coalesce(create_invitation.supplier_id, case when not is_admin then private.supplier_id() end);
  token text;
  created public.invitations;
begin
  perform private.require_permission('invitations.write', 'Only admins and suppliers may invite members.');
  perform private.people_only('invite members');
  if not is_admin and (
    create_invitation.role <> 'supplier' or organisation <> private.supplier_id() or coalesce(create_invitation.verified, false)
  ) then
    perform private.refuse('FORBIDDEN', 'Suppliers invite colleagues into their own organisation, with the role supplier.', 'role', to_jsonb(role));
  end if;
  if is_admin and exists (select 1 from public.members m where m.tenant_id = tenant and m.email = address) then
    perform private.refuse(
      'CONFLICT', 'There is already a member with this address.', 'email', to_jsonb(create_invitation.email)
    );
  elsif not is_admin then
    perform private.check_colleague_invitation(tenant, organisation, address);
  end if;
  -- Only the latest token for an address is valid.
  delete from public.invitations i
  where i.tenant_id = tenant and i.email = address and i.accepted_at is null;
  insert into public.invitations (tenant_id, email, role, supplier_id, verified, invited_by)
  values (
    tenant, address, create_invitation.role, organisation,
    coalesce(create_invitation.verified, is_admin and create_invitation.role = 'supplier'), auth.uid()
  )
  returning * into created;
  token := private.invitation_token(created.id);
  insert into private.invitation_tokens (token_hash, tenant_id, invitation_id)
  values (private.token_hash(token), created.tenant_id, created.id);
  return to_jsonb(created) || jsonb_build_object('status', 'pending', 'token', token);
end
$$;
comment on function private.create_invitation is
  'Creates an invitation and its token. Refuses with FORBIDDEN, CONFLICT, NOT_FOUND (the supplier), VALIDATION_ERROR.';

create function public.create_invitation(
  email text, role public.member_role, supplier_id uuid default null, verified boolean default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.create_invitation(email, role, supplier_id, verified);
end
$$;
comment on function public.create_invitation is
  'For admins, and suppliers for their own organisation: invites an e-mail address, and replaces its earlier invitation. verified: whether the organisation of a supplier is verified when the invitation is accepted; true by default for admins, never for suppliers. Returns the whole record with the token, which is shown only once.';

create function private.withdraw_invitations() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.invitations i
  where i.tenant_id = old.tenant_id and i.email = old.email and i.accepted_at is null;
  return null;
end
$$;
comment on function private.withdraw_invitations() is
  'Row trigger: withdraws the invitations of a removed member, so that it cannot join again with one.';

create view public.invitation_details with (security_invoker = true) as
select
  i.id, i.tenant_id, i.email, i.role, i.supplier_id, i.verified, i.invited_by, i.expires_at, i.accepted_at, i.accepted_by,
  i.created_at,
  case
    when i.accepted_at is not null then 'accepted'
    when i.expires_at <= now() then 'expired'
    else 'pending'
  end::public.invitation_status as status
from public.invitations i;
comment on view public.invitation_details is 'Invitations with their status.';

create function private.my_tenants() returns table (
  id uuid, name text, role public.member_role, status public.member_status, supplier_id uuid, customer_id uuid,
  current boolean, created_at timestamptz
)
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
    select
      t.id, t.name, m.role, m.status, m.supplier_id, c.id,
      t.id = ((select auth.jwt()) ->> 'tenant_id')::uuid and m.status = 'active', m.created_at
    from public.members m
    join public.tenants t on t.id = m.tenant_id
    left join public.customers c on c.tenant_id = m.tenant_id and c.user_id = m.user_id
    where m.user_id = (select auth.uid());
end
$$;
comment on function private.my_tenants() is 'The memberships of the caller in all tenants.';

create function public.my_tenants() returns table (
  id uuid, name text, role public.member_role, status public.member_status, supplier_id uuid, customer_id uuid,
  current boolean, created_at timestamptz, sort_name private.sort_text
)
language plpgsql stable set search_path = ''
as $$
begin
  return query
    select m.id, m.name, m.role, m.status, m.supplier_id, m.customer_id, coalesce(m.current, false), m.created_at,
      private.sort_name(m.name)::private.sort_text
    from private.my_tenants() m;
end
$$;
comment on function public.my_tenants() is
  'The caller''s memberships with role and status. current: whether the token is of this tenant. sort_name: the key for sorting by name.';

create function private.my_tenant(tenant_id uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select to_jsonb(t) - 'sort_name' from public.my_tenants() t where t.id = my_tenant.tenant_id
$$;
comment on function private.my_tenant is 'One membership of the caller.';

create function private.join_one_more(request jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid;
begin
  if (select u.is_anonymous from auth.users u where u.id = auth.uid()) then
    perform private.refuse('FORBIDDEN', 'A guest is a customer of one tenant. Register first.');
  elsif private.is_key() then
    perform private.refuse('FORBIDDEN', 'An API key belongs to one tenant.');
  end if;
  -- A statement of its own, so that the next statement sees the membership.
  tenant := private.join_by_request(request, auth.uid());
  return private.my_tenant(tenant);
end
$$;
comment on function private.join_one_more is
  'Makes the caller a member of a further tenant, and returns the membership. Refuses with FORBIDDEN (guests and API keys), NOT_FOUND, VALIDATION_ERROR, CONFLICT.';

create function public.open_tenant(tenant_name text) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.join_one_more(jsonb_build_object('tenant_name', coalesce(tenant_name, '')));
end
$$;
comment on function public.open_tenant is
  'For users with an account: creates a tenant with the caller as its admin. Returns the membership. Switch to it with switch_tenant.';

create function public.join_tenant(tenant_id uuid, role public.member_role default 'customer') returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.join_one_more(jsonb_build_object('tenant_id', coalesce(tenant_id::text, ''), 'role', role));
end
$$;
comment on function public.join_tenant is
  'For users with an account: joins a tenant as a customer, or as a supplier with a new, unverified organisation. Returns the membership. Switch to it with switch_tenant.';

create function public.accept_invitation(invitation text) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.join_one_more(jsonb_build_object('invitation', coalesce(invitation, '')));
end
$$;
comment on function public.accept_invitation is
  'For users with an account: accepts the invitation of a token. Returns the membership. Switch to it with switch_tenant.';

create function private.switch_tenant(tenant_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  account uuid := auth.uid();
  session uuid := (auth.jwt() ->> 'session_id')::uuid;
begin
  perform 1
  from public.members m
  where m.user_id = account and m.tenant_id = switch_tenant.tenant_id and m.status = 'active';
  if not found then
    perform private.refuse(
      'NOT_FOUND', 'You are not an active member of a tenant with this id.', 'tenant_id', to_jsonb(switch_tenant.tenant_id)
    );
  elsif session is null then
    perform private.refuse('FORBIDDEN', 'This token has no session. Log in again.');
  end if;
  insert into private.session_tenants (session_id, user_id, tenant_id)
  values (session, account, switch_tenant.tenant_id)
  on conflict on constraint session_tenants_pkey do update
  set tenant_id = excluded.tenant_id, chosen_at = excluded.chosen_at;
  return private.my_tenant(switch_tenant.tenant_id);
end
$$;
comment on function private.switch_tenant is 'Records the tenant of the caller''s session. Refuses with NOT_FOUND.';

create function public.switch_tenant(tenant_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.switch_tenant(tenant_id);
end
$$;
comment on function public.switch_tenant is
  'Moves the caller''s session to another tenant of the caller, and returns that membership. Refresh the session to get a token of that tenant.';

create function public.me() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'user', jsonb_build_object(
        'id', m.user_id, 'email', nullif(m.email, ''), 'name', m.name, 'role', m.role, 'tenant_id', m.tenant_id,
        'is_anonymous', m.is_anonymous
      ),
      'tenant', jsonb_build_object('id', t.id, 'name', t.name),
      'role', m.role,
      'content_roles', m.content_roles,
      'supplier_id', m.supplier_id,
      'supplier', (
        select jsonb_build_object('id', s.id, 'name', s.name, 'verified', s.verified)
        from public.suppliers s
        where s.id = m.supplier_id
      ),
      'customer_id', private.customer_id()
    )
    from public.members m
    join public.tenants t on t.id = m.tenant_id
    where m.tenant_id = (select private.tenant_id()) and m.user_id = (select auth.uid())
  );
end
$$;
comment on function public.me() is
  'The caller''s current user, tenant and role. Null without an active membership.';

create function private.end_session_of_spent(token_hash text) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  -- The same as refresh_token_reuse_interval in the configuration of Supabase Auth.
  late boolean := exists (
    select
    from private.spent_refresh_tokens t
    where t.token_hash = end_session_of_spent.token_hash and t.spent_at <= now() - interval '10 seconds'
  );
begin
  if late then
    delete from auth.sessions s
    using private.spent_refresh_tokens t
    where t.token_hash = end_session_of_spent.token_hash and s.id = t.session_id;
  end if;
  return late;
end
$$;
comment on function private.end_session_of_spent is 'See public.end_session_of_spent.';

create function public.end_session_of_spent(token_hash text) returns boolean
language plpgsql set search_path = ''
as $$
begin
  return private.end_session_of_spent(token_hash);
end
$$;
comment on function public.end_session_of_spent is
  'For /auth/refresh: ends the session of a token whose first use was 10 seconds ago or earlier, with all its tokens. Returns whether it did.';

create function public.spend_refresh_token(token_hash text, session_id uuid) returns boolean
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into private.spent_refresh_tokens (token_hash, session_id)
  values (spend_refresh_token.token_hash, spend_refresh_token.session_id)
  on conflict on constraint spent_refresh_tokens_pkey do nothing;
  return not private.end_session_of_spent(spend_refresh_token.token_hash);
end
$$;
comment on function public.spend_refresh_token is
  'For /auth/refresh: records the first use of a session''s token. Returns whether the current use is within 10 seconds of it. If it is later, ends the session.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.invitations for each row execute function private.keep_nfc();

create trigger a_new_account_joins_its_tenant
  after insert on auth.users
  for each row when (not new.is_anonymous)
  execute function private.join_by_registration();

create trigger invitations_are_made_by_admins
  before insert or update or delete on public.invitations
  for each statement execute function private.permitted_only('invitations.write');

create trigger members_withdraw_invitations
  after delete on public.members
  for each row execute function private.withdraw_invitations();

-- policies -------------------------------------------------------------------------------------

alter table private.invitation_tokens enable row level security;
alter table private.signing_keys enable row level security;
alter table private.session_tenants enable row level security;
alter table private.spent_refresh_tokens enable row level security;
alter table public.invitations enable row level security;

create policy "Admins and clients see all invitations, suppliers those into their organisation" on public.invitations
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('invitations.read'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
    end
  );

create policy "Admins withdraw any invitation, suppliers those into their organisation" on public.invitations
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('invitations.write'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select, insert on private.spent_refresh_tokens to service_role;
grant execute on function
  private.end_session_of_spent, public.end_session_of_spent, public.spend_refresh_token
to service_role;

grant execute on function private.refuse_problem, private.set_signing_key, public.set_signing_key to service_role;
grant execute on function private.access_token_hook to supabase_auth_admin;
grant select, delete on public.invitations to authenticated;
grant select on public.invitation_details to authenticated;
grant all on public.invitations, public.invitation_details to service_role;
grant execute on function
  private.own_invitation_token, private.create_invitation, private.join_one_more, private.switch_tenant, private.my_tenants()
to authenticated;
grant execute on function
  public.create_invitation, public.open_tenant, public.join_tenant, public.accept_invitation,
  public.switch_tenant, public.my_tenants(), public.me()
to authenticated;
