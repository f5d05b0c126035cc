-- Registering: an account of Supabase Auth becomes a member of a tenant in the transaction that makes
-- it. What is wished for stands in the account's metadata, so it works alike through `/auth/register`
-- and `supabase.auth.signUp({ options: { data } })`: `tenant_name` (a new tenant) or `tenant_id` with
-- `role` customer (the default) or supplier; and `name`. None of them is a claim to any right: a new
-- tenant is empty, and anyone may join as a customer or an unverified supplier.

-- tables ---------------------------------------------------------------------------------------

create table private.spent_refresh_tokens (
  token_hash text primary key,
  spent_at timestamptz not null default now()
);
comment on table private.spent_refresh_tokens is
  'SHA-256 of every refresh token traded in at /auth/refresh. Supabase Auth itself forgives a second use; we do not.';

-- indexes --------------------------------------------------------------------------------------

create index spent_refresh_tokens_spent_at_idx on private.spent_refresh_tokens (spent_at);

-- functions ------------------------------------------------------------------------------------

create function private.registration_problem(wish jsonb) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select case
    when wish ->> 'tenant_id' is null then null
    when not exists (
      select 1
      from public.tenants t
      where t.id = (
        -- What is no uuid names nothing; the cast must not fail for it.
        case
          when wish ->> 'tenant_id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            then wish ->> 'tenant_id'
        end
      )::uuid
    )
      then jsonb_build_object('http_code', 404, 'message', 'No tenant has this id.')
    when coalesce(wish ->> 'role', 'customer') not in ('customer', 'supplier')
      then jsonb_build_object('http_code', 422, 'message', 'One can join as a customer or a supplier only.')
  end
$$;
comment on function private.registration_problem is
  'What stands against a registration, as an error object of an Auth hook; null when nothing does.';

create function private.before_user_created_hook(event jsonb) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_strip_nulls(
    jsonb_build_object('error', private.registration_problem(event -> 'user' -> 'user_metadata'))
  )
$$;
comment on function private.before_user_created_hook is
  'Auth hook: refuses a registration that could not be carried out, with a status and a reason.';

create function private.access_token_hook(event jsonb) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (
      select jsonb_set(
        event,
        '{claims}',
        (event -> 'claims') || jsonb_build_object('tenant_id', m.tenant_id, 'tenant_role', m.role)
      )
      from public.members m
      where m.user_id = (event ->> 'user_id')::uuid and m.status = 'active'
      order by m.created_at, m.tenant_id
      limit 1
    ),
    event
  )
$$;
comment on function private.access_token_hook is
  'Auth hook: puts tenant_id and tenant_role of the user''s membership into the access token.';

create function private.join_tenant() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  wish jsonb := coalesce(new.raw_user_meta_data, '{}');
  problem jsonb := private.registration_problem(wish);
  tenant uuid;
  supplier uuid;
  wished_role public.member_role;
  display_name text := coalesce(nullif(wish ->> 'name', ''), split_part(coalesce(new.email, ''), '@', 1));
begin
  if problem is not null then
    perform private.refuse(
      case problem ->> 'http_code' when '404' then 'NOT_FOUND' else 'VALIDATION_ERROR' end,
      problem ->> 'message', 'tenant_id', wish -> 'tenant_id'
    );
  end if;

  if wish ->> 'tenant_name' is not null then
    insert into public.tenants (name) values (wish ->> 'tenant_name') returning id into tenant;
    wished_role := 'admin';
  elsif wish ->> 'tenant_id' is not null then
    tenant := wish ->> 'tenant_id';
    wished_role := coalesce(wish ->> 'role', 'customer');
  else
    return null; -- An account made by other means joins later, or never.
  end if;

  if wished_role = 'supplier' then
    insert into public.suppliers (tenant_id, name) values (tenant, display_name) returning id into supplier;
  elsif wished_role = 'customer' then
    insert into public.customers (tenant_id, user_id, name) values (tenant, new.id, display_name);
  end if;

  insert into public.members (tenant_id, user_id, role, supplier_id)
  values (tenant, new.id, wished_role, supplier);
  return null;
end
$$;
comment on function private.join_tenant() is 'Makes the membership that a new account wishes for.';

create function public.me() returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object(
    'user', jsonb_build_object(
      'id', m.user_id,
      'email', auth.jwt() ->> 'email',
      'name', coalesce(auth.jwt() -> 'user_metadata' ->> 'name', ''),
      'role', m.role,
      'tenant_id', m.tenant_id
    ),
    'tenant', jsonb_build_object('id', t.id, 'name', t.name),
    'role', m.role,
    'supplier_id', m.supplier_id,
    'customer_id', private.customer_id()
  )
  from public.members m
  join public.tenants t on t.id = m.tenant_id
  where m.tenant_id = (select private.tenant_id()) and m.user_id = (select auth.uid())
$$;
comment on function public.me() is
  'The caller: user, tenant and role as they are now. Null when the membership is gone.';

create function public.spend_refresh_token(token_hash text) returns boolean
language sql set search_path = ''
as $$
  with spent as (
    insert into private.spent_refresh_tokens (token_hash)
    values (spend_refresh_token.token_hash)
    on conflict do nothing
    returning 1
  )
  select exists (select 1 from spent)
$$;
comment on function public.spend_refresh_token is
  'For /auth/refresh: notes that a token was traded in; false when it had been before.';

-- triggers -------------------------------------------------------------------------------------

create trigger a_new_account_joins_its_tenant
  after insert on auth.users
  for each row execute function private.join_tenant();

-- policies -------------------------------------------------------------------------------------

alter table private.spent_refresh_tokens enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select, insert on private.spent_refresh_tokens to service_role;
grant execute on function public.spend_refresh_token to service_role;

grant execute on function private.before_user_created_hook, private.access_token_hook to supabase_auth_admin;
grant execute on function public.me() to authenticated;

-- cron -----------------------------------------------------------------------------------------

-- Long after its session is over, nobody needs to remember a token.
select cron.schedule(
  'forget-spent-refresh-tokens', '17 3 * * *',
  $$delete from private.spent_refresh_tokens where spent_at < now() - interval '1 year'$$
);
