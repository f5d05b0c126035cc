-- The audit log: who changed which record, when, by which operation and from which address. A trigger writes it with the
-- change, for writes of admins, clients, suppliers, API keys and services. It has the names of changed fields, and no values.
--
-- The triggers of the tables are in the last file of audit.

-- types ----------------------------------------------------------------------------------------

create type public.audit_action as enum ('created', 'changed', 'deleted');

create type private.audit_source as (
  tenant_id uuid, actor text, actor_id uuid, supplier_id uuid, operation text, address text
);
comment on type private.audit_source is
  'What the audit log says about a request. tenant_id: the only tenant whose records it may change; null for a service.';

create type private.audited_record as (tenant_id uuid, record_id text, fields text[]);
comment on type private.audited_record is 'A record that a statement changed, and the names of its changed fields.';

-- tables ---------------------------------------------------------------------------------------

create table public.audit_log (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  actor text not null,
  actor_id uuid,
  supplier_id uuid,
  operation text not null,
  action public.audit_action not null,
  record_type text not null,
  record_id text not null,
  fields text[] not null default '{}',
  address text,
  constraint audit_log_pkey primary key (tenant_id, created_at, id),
  constraint audit_log_actor_id_is_set_unless_it_is_a_service check ((actor = 'service') = (actor_id is null))
);
comment on table public.audit_log is
  'Changes of a tenant''s records by admins, clients, suppliers, API keys and services, for 400 days. actor: who made the change: a member by its role, a customer with content roles (editor), an API key (key), or a program with the secret key (service). actor_id: the account, or the id of the API key; null for a service. supplier_id: the organisation of a supplier. operation: the operationId of the API, or the method and path of a request to /rest/v1. record_type: a table; record_id: the id of its row. fields: the names of the fields that changed; empty for created and deleted records. address: the IP address, for IPv6 its /64 network; null if unknown. Triggers alone write it.';

-- indexes --------------------------------------------------------------------------------------

create index audit_log_record_idx on public.audit_log (tenant_id, record_id, created_at desc);
create index audit_log_actor_idx on public.audit_log (tenant_id, actor_id, created_at desc);
create index audit_log_created_at_idx on public.audit_log (created_at);

-- functions: requests --------------------------------------------------------------------------

create function private.audited_caller(out actor text, out supplier_id uuid)
language plpgsql security definer set search_path = ''
as $$
declare
  request constant text := nullif(current_setting('request.jwt.claims', true), '');
  claims jsonb;
  known text[];
begin
  if request is null then
    return;
  elsif current_setting('souk.audited_request', true) = request then
    known := string_to_array(current_setting('souk.audited_caller'), ' ');
    actor := known[1];
    supplier_id := known[2]::uuid;
    return;
  end if;
  -- Every statement of an order or import asks, so it is looked up once per transaction.
  claims := request::jsonb;
  if claims ->> 'role' = 'service_role' then
    actor := 'service';
  else
    select
      case when m.is_key then 'key' when m.role = 'customer' then 'editor' else m.role::text end, m.supplier_id
    into actor, supplier_id
    from public.members m
    where m.tenant_id = (claims ->> 'tenant_id')::uuid and m.user_id = (claims ->> 'sub')::uuid
      and m.status = 'active' and (m.role <> 'customer' or m.content_roles <> '{}');
  end if;
  perform set_config('souk.audited_caller', concat_ws(' ', actor, supplier_id), true),
    set_config('souk.audited_request', request, true);
end
$$;
comment on function private.audited_caller is
  'Who makes the changes of this request, as the audit log names it; nulls unless private.is_audited().';

-- Without a SET clause, so that Postgres inlines it into the conditions of triggers: each statement of an order asks.
create function private.is_audited() returns boolean
language sql volatile
return case
  when current_setting('request.jwt.claims', true) = current_setting('souk.audited_request', true)
    then current_setting('souk.audited_caller', true) <> ''
  else (private.audited_caller()).actor is not null
end;
comment on function private.is_audited() is
  'Whether the audit log has the changes of this request: those of active members except for customers without content roles, and of services. Not true for timers and Supabase Auth, whose requests have no claims.';

create function private.request_operation() returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return left(
    coalesce(
      case when private.is_counted() then private.request_header('x-souk-operation') end,
      nullif(
        concat_ws(
          ' ', nullif(current_setting('request.method', true), ''),
          nullif(split_part(current_setting('request.path', true), '?', 1), '')
        ),
        ''
      ),
      'unknown'
    ),
    200
  );
end
$$;
comment on function private.request_operation() is
  'The operation of the request: the operationId that an edge function sent with its key, else the method and path of the request to the REST interface.';

create function private.request_address() returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return nullif(
    private.network_of(
      coalesce(
        case when private.is_counted() then private.request_header('x-souk-caller-address') end,
        private.proxy_address()
      )
    ),
    'unknown'
  );
end
$$;
comment on function private.request_address() is
  'The IP address of the caller, for IPv6 its /64 network: the one that an edge function sent with its key, else the one that the API''s proxies saw. Null if unknown.';

create function private.audit_source() returns private.audit_source
language plpgsql security definer set search_path = ''
as $$
declare
  source private.audit_source;
begin
  select c.actor, c.supplier_id into source.actor, source.supplier_id from private.audited_caller() c;
  if source.actor is distinct from 'service' then
    source.tenant_id := (auth.jwt() ->> 'tenant_id')::uuid;
    source.actor_id := auth.uid();
  end if;
  source.operation := private.request_operation();
  source.address := private.request_address();
  return source;
end
$$;
comment on function private.audit_source() is
  'What the audit log says about this request. actor is null unless private.is_audited().';

-- functions: changes ---------------------------------------------------------------------------

create function private.audited_fields(before jsonb, after jsonb, ignored text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  return array(
    select a.key
    from jsonb_each(after) as a
    where a.key <> 'settings' and a.key <> all (ignored) and before -> a.key is distinct from a.value
    union all
    select 'settings.' || g.key
    from jsonb_object_keys((before -> 'settings') || (after -> 'settings')) as g (key)
    where before -> 'settings' -> g.key is distinct from after -> 'settings' -> g.key
    order by 1
  );
end
$$;
comment on function private.audited_fields is
  'The names of the fields that differ between two versions of a row, in alphabetical order; of settings the groups, such as settings.catalog.';

create function private.write_audit(
  source private.audit_source, action public.audit_action, record_type text, records private.audited_record[]
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.audit_log (
    tenant_id, actor, actor_id, supplier_id, operation, action, record_type, record_id, fields, address
  )
  select
    r.tenant_id, source.actor, source.actor_id, source.supplier_id, source.operation, write_audit.action,
    write_audit.record_type, r.record_id, r.fields, source.address
  from unnest(records) as r
  -- The records of a tenant that is being removed have no log any more.
  where exists (select from public.tenants t where t.id = r.tenant_id)
    and (source.actor = 'service' or r.tenant_id = source.tenant_id);
end
$$;
comment on function private.write_audit is
  'Writes a row of the audit log for each record, if the request may change records of its tenant.';

create function private.audit_act(tenant_id uuid, record_type text, record_id uuid, fields text[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if private.is_audited() then
    perform private.write_audit(
      private.audit_source(), 'changed', record_type, array[row(tenant_id, record_id::text, fields)::private.audited_record]
    );
  end if;
end
$$;
comment on function private.audit_act is
  'Writes a change to the audit log. For acts whose tables have no trigger, because services write to them all the time.';

create function private.record_audit() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  -- The columns that tell rows apart, first the one that the log shows.
  keys constant text[] := string_to_array(tg_argv[0], ',');
  ignored constant text[] := '{updated_at}'::text[] || coalesce(tg_argv[1:], '{}');
  source private.audit_source;
  records private.audited_record[];
begin
  if tg_table_name = 'members' then
    -- private.audited_caller() looks again: the caller may have become a member, or be one no more.
    perform set_config('souk.audited_request', '', true);
  end if;
  source := private.audit_source();
  -- An admin who leaves the tenant, or gives up the role, is no admin any more when the statement has ended.
  if source.actor is null and tg_table_name = 'members' and tg_op <> 'INSERT' then
    select case when o.is_key then 'key' else o.role::text end, o.supplier_id
    into source.actor, source.supplier_id
    from old_rows o
    where o.tenant_id = source.tenant_id and o.user_id = source.actor_id and o.status = 'active' and o.role <> 'customer';
  end if;
  if source.actor is null then
    return null;
  elsif tg_op = 'INSERT' then
    records := array(
      select distinct
        row(coalesce(n.row ->> 'tenant_id', n.row ->> 'id')::uuid, n.row ->> keys[1], '{}')::private.audited_record
      from (select to_jsonb(c) as row from new_rows c) n
    );
  elsif tg_op = 'DELETE' then
    records := array(
      select distinct
        row(coalesce(o.row ->> 'tenant_id', o.row ->> 'id')::uuid, o.row ->> keys[1], '{}')::private.audited_record
      from (select to_jsonb(c) as row from old_rows c) o
    );
  else
    records := array(
      select distinct row(c.tenant_id, c.record_id, c.fields)::private.audited_record
      from (
        select
          coalesce(g.after ->> 'tenant_id', g.after ->> 'id')::uuid as tenant_id, g.after ->> keys[1] as record_id,
          private.audited_fields(g.before, g.after, ignored) as fields
        -- Grouped, not joined: a join would be planned for few rows, and be quadratic for many.
        from (
          select
            (array_agg(p.row) filter (where not p.is_new))[1] as before,
            (array_agg(p.row) filter (where p.is_new))[1] as after
          from (
            select to_jsonb(c) as row, true as is_new from new_rows c
            union all
            select to_jsonb(c), false from old_rows c
          ) p
          group by p.row ->> 'tenant_id', p.row ->> keys[1], p.row ->> keys[2]
        ) g
      ) c
      where c.fields <> '{}'
    );
  end if;
  if records <> '{}' then
    perform private.write_audit(
      source, case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'changed' end::public.audit_action,
      tg_table_name, records
    );
  end if;
  return null;
end
$$;
comment on function private.record_audit() is
  'Statement trigger with new_rows, old_rows or both: writes the records that a statement created, changed or deleted to the audit log, as the request that changed them. Its arguments: the columns that tell rows apart, separated by commas, first the one that the log shows; then the columns that only the database sets, whose changes are not in the log.';

-- functions: retention -------------------------------------------------------------------------

create function private.delete_old_audit_entries(keep interval, batch integer) returns text
-- A session keeps a plan from when the log was short, which would read all of it.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  deleted integer;
begin
  delete from public.audit_log a
  where a.ctid = any (array(
    select o.ctid from public.audit_log o where o.created_at < now() - keep order by o.created_at limit batch
  ));
  get diagnostics deleted = row_count;
  return case when deleted = batch then 'more' end;
end
$$;
comment on function private.delete_old_audit_entries is
  'For a job: deletes a batch of the oldest rows of the audit log, and returns whether there may be more.';

-- policies -------------------------------------------------------------------------------------

alter table public.audit_log enable row level security;

create policy "Admins see the audit log of their tenant" on public.audit_log
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('audit_log.read')) = 'all');

-- grants ---------------------------------------------------------------------------------------

grant select on public.audit_log to authenticated;
revoke all on public.audit_log from service_role;
grant select on public.audit_log to service_role;
grant execute on function private.is_audited(), private.audited_caller() to authenticated, service_role;
