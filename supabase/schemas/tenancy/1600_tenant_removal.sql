-- The end of a tenant. An admin asks for it; its staff lose access and its marketplaces close at once. A job then deletes its
-- accounts, rows and files, a few in each transaction, so that no other tenant waits, and the row of the tenant last.
--
-- Which tables have rows of tenants is read from the catalog, so that no list of them can be out of date.

-- functions: deletion --------------------------------------------------------------------------

create function private.end_accounts_of_tenant(tenant uuid, until timestamptz) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  account uuid;
begin
  for account in select m.user_id from public.members m where m.tenant_id = tenant limit 1000 loop
    perform private.end_account(tenant, account);
    exit when clock_timestamp() > until;
  end loop;
  return found;
end
$$;
comment on function private.end_accounts_of_tenant is
  'Ends memberships of a tenant, at most 1000 and until a time, with the accounts that have no other. Returns whether there were any.';

create function private.tables_of_tenants() returns setof regclass
language sql stable set search_path = ''
as $$
  select c.oid::regclass
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
    -- Jobs and paths of files outlast their tenant: the workers delete them when they have deleted the files.
    and c.oid <> all ('{private.tenant_removals,private.jobs,private.media_sweeps}'::regclass[])
    -- Rows of other tables go with the rows that they belong to: searching for them would read those of all tenants.
    and exists (
      select
      from pg_catalog.pg_index i
      where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indpred is null and i.indisvalid
    )
  -- Orders first and whole, after the movements that name them: nothing may be deleted from an order alone. Then what refers to
  -- others, which is newer, so that no statement deletes more than its rows.
  order by
    c.oid = 'public.inventory_movements'::regclass desc, c.oid = 'public.orders'::regclass desc, c.oid desc
$$;
comment on function private.tables_of_tenants() is
  'The tables from which the rows of a tenant are deleted, with partitions in place of their tables.';

create function private.delete_rows_of_tenant(tenant uuid, rows_of regclass, out deleted bigint, out error text)
language plpgsql security definer set search_path = ''
as $$
begin
  execute format(
    'delete from only %1$s t where t.ctid = any (array(select r.ctid from only %1$s r where r.tenant_id = $1 limit 100))',
    rows_of
  ) using tenant;
  get diagnostics deleted = row_count;
  set constraints all immediate;
exception
  -- Other rows still refer to these. If nothing else can be deleted either, the caller reports the error.
  when others then
    deleted := 0;
    error := format('%s: %s', rows_of, sqlerrm);
end
$$;
comment on function private.delete_rows_of_tenant is
  'Deletes at most 100 rows of a tenant from a table. error: why it could not.';

create function private.delete_tables_of_tenant(tenant uuid, until timestamptz) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  relation regclass;
  outcome record;
  has_deleted boolean := false;
  failure text;
begin
  for relation in select private.tables_of_tenants() loop
    loop
      outcome := private.delete_rows_of_tenant(tenant, relation);
      has_deleted := has_deleted or outcome.deleted > 0;
      failure := coalesce(outcome.error, failure);
      if has_deleted and clock_timestamp() > until then
        return true;
      end if;
      exit when outcome.deleted = 0;
    end loop;
  end loop;
  if failure is not null and not has_deleted then
    raise exception '%', failure;
  end if;
  return has_deleted;
end
$$;
comment on function private.delete_tables_of_tenant is
  'Deletes rows of a tenant until a time, at least one. Returns whether there were any; raises an error if there are some and none can be deleted.';

create function private.sweep_files_of_tenant(tenant uuid) returns boolean
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.media_sweeps (tenant_id, bucket, path)
  select tenant, o.bucket_id, o.name
  from storage.objects o
  where o.bucket_id in ('uploads', 'media', 'documents')
    and o.name collate "C" >= tenant || '/' and o.name collate "C" < tenant || '0'
    and not exists (select from private.media_sweeps s where s.bucket = o.bucket_id and s.path = o.name)
  limit 1000
  on conflict on constraint path_is_unique_in_media_sweeps do nothing;
  return found;
end
$$;
comment on function private.sweep_files_of_tenant is
  'Queues the deletion of files below the tenant''s id that no row points at, at most 1000. Returns whether there were any.';

create function private.remove_part_of_tenant(tenant uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  until constant timestamptz := clock_timestamp() + interval '1 second';
begin
  if not private.end_accounts_of_tenant(tenant, until)
    and not private.delete_tables_of_tenant(tenant, until)
    and not private.sweep_files_of_tenant(tenant)
  then
    -- Nobody completes an upload any more, so that its bytes need not wait.
    update private.media_sweeps s set due_at = now() where s.tenant_id = tenant and s.due_at > now();
    delete from public.tenants t where t.id = tenant;
  end if;
end
$$;
comment on function private.remove_part_of_tenant is
  'Deletes about a second''s worth of a tenant: accounts, then rows, then files, and at last the tenant.';

create function private.remove_tenants() returns text
language plpgsql security definer set search_path = ''
as $$
declare
  removal private.tenant_removals;
  failure text;
begin
  select r.* into removal
  from private.tenant_removals r
  where r.error is null or r.tried_at < now() - interval '5 minutes'
  order by r.tried_at
  limit 1
  for update skip locked;
  if removal.tenant_id is null then
    return null;
  end if;
  begin
    perform set_config('souk.removed_tenant', removal.tenant_id::text, true);
    perform private.remove_part_of_tenant(removal.tenant_id);
    set constraints all immediate;
  exception when query_canceled or others then
    failure := sqlerrm;
    raise warning 'tenant % cannot be removed: %', removal.tenant_id, failure;
  end;
  update private.tenant_removals r set tried_at = clock_timestamp(), error = failure
  where r.tenant_id = removal.tenant_id;
  return removal.tenant_id::text;
end
$$;
comment on function private.remove_tenants() is
  'A batch of a job: removes a part of the tenant that has waited longest. One that fails is tried again after five minutes, and stops no other. Null: none waits.';

-- functions: for the API -----------------------------------------------------------------------

create function private.remove_tenant(name text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  tenant public.tenants;
  removal private.tenant_removals;
begin
  perform private.require_permission('tenant.remove', 'Only an admin may remove its tenant.');
  select t.* into tenant from public.tenants t where t.id = private.tenant_id() for update;
  if remove_tenant.name is distinct from tenant.name then
    perform private.refuse(
      'VALIDATION_ERROR', 'name must be the name of the tenant, exactly as it is: it is removed for ever.', 'name',
      to_jsonb(remove_tenant.name)
    );
  end if;
  -- A second admin may have asked meanwhile.
  insert into private.tenant_removals as r (tenant_id) values (tenant.id)
  on conflict on constraint tenant_removals_pkey do update set asked_at = r.asked_at
  returning * into removal;
  -- Its customers have nothing left to visit, and lose their accounts within minutes. They may be many.
  update public.marketplaces m set status = 'inactive' where m.tenant_id = tenant.id and m.status = 'active';
  update public.members m
  set status = 'suspended'
  where m.tenant_id = tenant.id and (m.role <> 'customer' or m.content_roles <> '{}');
  return jsonb_build_object('tenant_id', removal.tenant_id, 'asked_at', removal.asked_at);
end
$$;
comment on function private.remove_tenant is 'See public.remove_tenant.';

create function public.remove_tenant(name text) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.remove_tenant(name);
end
$$;
comment on function public.remove_tenant is
  'For admins: removes the tenant for ever, with its accounts, records and files, in the background. name: the name of the tenant, as a confirmation. Its staff lose access and its marketplaces close at once. Returns tenant_id and asked_at. Refuses with FORBIDDEN, VALIDATION_ERROR.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.remove_tenant, public.remove_tenant to authenticated;
