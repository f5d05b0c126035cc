-- Creates the roles, schemas and defaults that hosted Supabase gives every project before its first
-- migration. Runs at every start. Settings that a migration may change are only set the first time.

do $$
declare
  wanted record;
  setting record;
begin
  for wanted in
    select * from (values
      ('anon', 'nologin noinherit', '{"statement_timeout": "3s"}'),
      ('authenticated', 'nologin noinherit', '{"statement_timeout": "8s"}'),
      ('service_role', 'nologin noinherit bypassrls', '{}'),
      ('authenticator', 'login noinherit', '{"statement_timeout": "8s", "lock_timeout": "8s"}'),
      ('postgres', 'login createdb createrole replication bypassrls', '{}'),
      ('supabase_admin', 'nologin', '{}'),
      ('supabase_auth_admin', 'nologin noinherit createrole', '{}'),
      ('supabase_storage_admin', 'nologin noinherit', '{}'),
      ('supabase_realtime_admin', 'nologin noinherit', '{}'),
      ('dashboard_user', 'nologin', '{}')
    ) as roles (name, attributes, settings)
  loop
    if not exists (select 1 from pg_roles where rolname = wanted.name) then
      execute format('create role %I %s', wanted.name, wanted.attributes);
      for setting in select * from jsonb_each_text(wanted.settings::jsonb) loop
        execute format('alter role %I set %I = %L', wanted.name, setting.key, setting.value);
      end loop;
    end if;
  end loop;
end
$$;

grant anon, authenticated, service_role to authenticator;

-- Migrations, seeds and jobs run as `postgres`, which owns the database and is no superuser, unless the server was made
-- with it as its superuser.
do $$
begin
  if not (select rolsuper or rolcreaterole from pg_roles where rolname = 'postgres') then
    alter role postgres createdb createrole replication bypassrls;
  end if;
  if (select rolconfig is null from pg_roles where rolname = 'postgres') then
    alter role postgres set statement_timeout = '2min';
  end if;
  execute format('alter database %I owner to postgres', current_database());
end
$$;
grant anon, authenticated, service_role, authenticator, pg_monitor, pg_read_all_data, pg_signal_backend
  to postgres with admin option;

do $$
declare
  maker name;
begin
  if to_regnamespace('extensions') is null then
    foreach maker in array array[current_user, 'postgres'] loop
      execute format('alter default privileges for role %I in schema public
        grant all on tables to postgres, anon, authenticated, service_role', maker);
      execute format('alter default privileges for role %I in schema public
        grant all on functions to postgres, anon, authenticated, service_role', maker);
      execute format('alter default privileges for role %I in schema public
        grant all on sequences to postgres, anon, authenticated, service_role', maker);
    end loop;
  end if;
end
$$;

create schema if not exists extensions;
create schema if not exists auth;
create schema if not exists realtime;
create schema if not exists storage;
create schema if not exists vault;
create schema if not exists net;
create schema if not exists cron;

grant usage on schema extensions to anon, authenticated, service_role;
grant all on schema auth, extensions, realtime, storage, vault, net, cron to postgres;
grant usage on schema cron to postgres with grant option;
grant usage on schema auth to anon, authenticated, service_role;
grant all on schema auth to supabase_auth_admin;
alter role supabase_auth_admin set search_path = 'auth';

do $$
begin
  execute format('alter database %I set search_path = "$user", public, extensions', current_database());
end
$$;
set search_path = "$user", public, extensions;

create extension if not exists pgcrypto with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;

grant usage on schema public to anon, authenticated, service_role;

create or replace function auth.jwt() returns jsonb
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

create or replace function auth.uid() returns uuid
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;

create or replace function auth.role() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$$;

create or replace function auth.email() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$$;

-- Supabase Auth replaces them in its own migrations.
alter function auth.jwt() owner to supabase_auth_admin;
alter function auth.uid() owner to supabase_auth_admin;
alter function auth.role() owner to supabase_auth_admin;
alter function auth.email() owner to supabase_auth_admin;

do $$
begin
  if not exists (select 1 from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end
$$;
