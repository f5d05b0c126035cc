-- Tenants, and who belongs to them in which role. Everything else in the database asks this chapter
-- one question: whose request is this?

create schema private;
comment on schema private is 'Helpers, triggers and secrets. Never exposed by the API.';
grant usage on schema private to authenticated, service_role, supabase_auth_admin;

-- What wakes functions after a commit and on a schedule.
do $$
begin
  if to_regclass('net.http_request_queue') is null then
    create extension if not exists pg_net with schema extensions;
  end if;
  if to_regclass('cron.job') is null then
    create extension if not exists pg_cron with schema pg_catalog;
  end if;
end
$$;

-- Nothing is granted by default; each chapter says who may do what with its tables and functions.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;
alter default privileges in schema public grant all on tables to service_role;
alter default privileges in schema public grant execute on functions to service_role;

-- A request may take 30 seconds; then its statement is cancelled.
alter role authenticated set statement_timeout = '30s';

create type public.member_role as enum ('customer', 'supplier', 'client', 'admin');
create type public.member_status as enum ('active', 'suspended');

-- tables ---------------------------------------------------------------------------------------

create table public.tenants (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  created_at timestamptz not null default now(),
  constraint tenants_name_is_1_to_200_characters check (char_length(name) between 1 and 200)
);
comment on table public.tenants is 'An operator''s whole business: its marketplaces, members and orders.';

create table public.suppliers (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  name text not null,
  verified boolean not null default false,
  created_at timestamptz not null default now(),
  constraint suppliers_tenant_id_id_key unique (tenant_id, id),
  constraint suppliers_name_is_1_to_200_characters check (char_length(name) between 1 and 200)
);
comment on table public.suppliers is 'An organisation that sells on a tenant''s marketplaces; members act for it.';

create table public.customers (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  user_id uuid references auth.users (id) on delete set null,
  name text not null default '',
  created_at timestamptz not null default now(),
  constraint customers_tenant_id_id_key unique (tenant_id, id),
  constraint customers_tenant_id_user_id_key unique (tenant_id, user_id)
);
comment on table public.customers is 'Someone who orders. Outlives the account, since orders do.';

create table public.members (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  role public.member_role not null,
  status public.member_status not null default 'active',
  supplier_id uuid,
  content_roles text[] not null default '{}',
  created_at timestamptz not null default now(),
  constraint members_pkey primary key (tenant_id, user_id),
  constraint members_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint members_supplier_id_is_set_for_suppliers_only
    check ((role = 'supplier') = (supplier_id is not null))
);
comment on table public.members is 'Which user belongs to which tenant, in which role.';

-- indexes --------------------------------------------------------------------------------------

create index members_user_id_idx on public.members (user_id);
create index members_supplier_idx on public.members (tenant_id, supplier_id);
create index customers_user_id_idx on public.customers (user_id);

-- functions ------------------------------------------------------------------------------------

create function private.refuse(
  code text, message text, field text default null, value jsonb default null
) returns void
language plpgsql set search_path = ''
as $$
declare
  status text := case code
    when 'FORBIDDEN' then '403'
    when 'NOT_FOUND' then '404'
    when 'CONFLICT' then '409'
    else '422'
  end;
begin
  -- PostgREST answers a condition PTxyz with the HTTP status xyz.
  raise exception using
    errcode = 'PT' || status,
    message = code,
    hint = message,
    detail = case
      when field is null then '{}'
      else jsonb_build_object('field', field, 'value', value)::text
    end;
end
$$;
comment on function private.refuse is
  'Ends the transaction with an error of ours: a code of the error table, a sentence, the field to blame and its value.';

-- Every policy asks these, so they are PL/pgSQL: it keeps their plans for the session, where a function
-- in SQL is planned anew at each call and takes eight times as long.

create function private.tenant_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select m.tenant_id
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  );
end
$$;
comment on function private.tenant_id() is 'The caller''s tenant; null when the membership is gone.';

create function private.tenant_role() returns public.member_role
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select m.role
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  );
end
$$;
comment on function private.tenant_role() is
  'The caller''s role as it is now, whatever the token says; null when the membership is gone.';

create function private.supplier_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select m.supplier_id
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  );
end
$$;
comment on function private.supplier_id() is 'The organisation the caller acts for; null for all but suppliers.';

create function private.customer_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select c.id
    from public.customers c
    where c.tenant_id = private.tenant_id()
      and c.user_id = (select auth.uid())
  );
end
$$;
comment on function private.customer_id() is 'The caller as a customer of the tenant; null for those who are none.';

create function private.only_for() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Definer functions and the service role come as other users; they have made their own checks.
  if current_user in ('anon', 'authenticated')
    and not coalesce((select private.tenant_role())::text = any (tg_argv), false)
  then
    perform private.refuse('FORBIDDEN', 'Your role may not change ' || tg_table_name || '.');
  end if;
  return null;
end
$$;
comment on function private.only_for() is
  'Statement trigger: refuses with FORBIDDEN, even where no row matches, unless the caller has one of the named roles.';

create function private.touch() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.touch() is 'Row trigger: notes the time of the change in updated_at.';

-- policies -------------------------------------------------------------------------------------

alter table public.tenants enable row level security;
alter table public.suppliers enable row level security;
alter table public.customers enable row level security;
alter table public.members enable row level security;

create policy "Members see their tenant" on public.tenants
  for select to authenticated
  using (id = (select private.tenant_id()));

create policy "Members see their tenant's suppliers" on public.suppliers
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Admins and clients see all customers, customers themselves" on public.customers
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'admin' then true
      when 'client' then true
      else id = (select private.customer_id())
    end
  );

create policy "Admins and clients see all members, others themselves" on public.members
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'admin' then true
      when 'client' then true
      else user_id = (select auth.uid())
    end
  );

create policy "Admins change members" on public.members
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins change suppliers" on public.suppliers
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create trigger members_are_changed_by_admins
  before insert or update or delete on public.members
  for each statement execute function private.only_for('admin');

create trigger suppliers_are_changed_by_admins
  before insert or update or delete on public.suppliers
  for each statement execute function private.only_for('admin');

-- grants ---------------------------------------------------------------------------------------

grant select on public.tenants, public.suppliers, public.customers, public.members to authenticated;
grant update (status) on public.members to authenticated;
grant update (name, verified) on public.suppliers to authenticated;
grant all on public.tenants, public.suppliers, public.customers, public.members to service_role;

grant execute on function
  private.refuse, private.tenant_id(), private.tenant_role(), private.supplier_id(), private.customer_id()
to authenticated, service_role;
