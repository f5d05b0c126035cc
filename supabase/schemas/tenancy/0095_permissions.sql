-- What each role may do. Policies, triggers and functions ask for a permission, not for a role. They ask for the role only
-- where it says who somebody is: whose cart this is, for whom a text was written.
-- later: private.tenant_role

create type public.member_role as enum ('customer', 'supplier', 'client', 'admin');
create type private.permission_scope as enum ('own', 'all');

-- tables ---------------------------------------------------------------------------------------

create table private.permissions (
  permission text not null,
  role public.member_role not null,
  scope private.permission_scope not null,
  constraint permissions_pkey primary key (permission, role),
  constraint permissions_permission_is_resource_action check (permission ~ '^[a-z_]+\.[a-z_]+$')
);
comment on table private.permissions is
  'What each role may do, named resource.action. scope: all records of the tenant, or only those that belong to the caller''s organisation or customer. Without a row, a role may not. private.set_permission writes them.';

-- functions ------------------------------------------------------------------------------------

create function private.set_permission(
  permission text, all_of public.member_role[], own_of public.member_role[] default '{}'
) returns void
language plpgsql set search_path = ''
as $$
begin
  delete from private.permissions p where p.permission = set_permission.permission;
  insert into private.permissions (permission, role, scope)
  select set_permission.permission, unnest(all_of), 'all';
  insert into private.permissions (permission, role, scope)
  select set_permission.permission, unnest(own_of), 'own';
end
$$;
comment on function private.set_permission is
  'Sets which roles have a permission, for all records of their tenant (all_of) or for their own (own_of). For migrations.';

create function private.scope_of(permission text, role public.member_role) returns private.permission_scope
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select p.scope from private.permissions p where p.permission = scope_of.permission and p.role = scope_of.role
  );
end
$$;
comment on function private.scope_of is
  'The records of its tenant for which a role has a permission: all, own or, without the permission, null.';

-- Postgres puts the expression into the query that calls it. Most tokens have no scopes, which a text shows fastest.
create function private.is_in_token(permission text) returns boolean
language sql stable
return case
  when current_setting('request.jwt.claims', true) like '%"scopes"%'
    then coalesce(auth.jwt() -> 'scopes' ? permission, true)
  else true
end;
comment on function private.is_in_token is
  'Whether the caller''s token has a permission: all have every permission of their role, but those of API keys with scopes.';

create function private.scope(permission text) returns private.permission_scope
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select p.scope
    from private.permissions p
    where p.permission = scope.permission and p.role = private.tenant_role() and private.is_in_token(scope.permission)
  );
end
$$;
comment on function private.scope is
  'The records of the tenant for which the caller has a permission: all, own or, without the permission, null.';

create function private.reach(permission text) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select case p.scope when 'all' then 'all' else p.role::text end
    from private.permissions p
    where p.permission = reach.permission and p.role = private.tenant_role() and private.is_in_token(reach.permission)
  );
end
$$;
comment on function private.reach is
  'Like private.scope, where records belong to customers and to suppliers: all, or the role whose own records they are (customer, supplier), or null.';

create function private.require_permission(permission text, refusal text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if private.scope(permission) is null then
    perform private.refuse('FORBIDDEN', refusal);
  end if;
end
$$;
comment on function private.require_permission is
  'Refuses with FORBIDDEN a caller who has not this permission, not even for its own records.';

create function private.permitted_only() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Definer functions and the service role run as other users. They make their own checks.
  if current_user in ('anon', 'authenticated') and private.scope(tg_argv[0]) is null then
    perform private.refuse('FORBIDDEN', 'Your role may not change ' || tg_table_name || '.');
  end if;
  return null;
end
$$;
comment on function private.permitted_only() is
  'Statement trigger: refuses with FORBIDDEN, even where no row matches, unless the caller has the named permission.';

-- policies -------------------------------------------------------------------------------------

alter table private.permissions enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select on private.permissions to service_role;
grant execute on function
  private.is_in_token, private.scope_of, private.scope, private.reach, private.require_permission
to authenticated, service_role;
