-- Requests for exports.

-- functions ------------------------------------------------------------------------------------

-- As a text, because the migration that adds a value to the enum cannot use it.
create function private.is_stock_of_records(type public.export_type) returns boolean
language sql immutable
return type in ('products', 'inventory', 'customers', 'campaigns', 'segments', 'cohorts') or type::text = 'discounts';
comment on function private.is_stock_of_records is
  'Whether exports of a type have all records so far if no period is given. Others have those of 30 days.';

create function private.export_period(
  type public.export_type, time_zone text, period text, "from" date, "to" date, run_on date default null
) returns private.analytics_period
language plpgsql stable set search_path = ''
as $$
declare
  wanted text := coalesce(period, '30d');
  everything private.analytics_period;
begin
  if coalesce(period, "from"::text, "to"::text) is null
    and private.is_stock_of_records(export_period.type)
  then
    everything.starts_at := '-infinity';
    everything.ends_at := now();
    return everything;
  end if;
  if run_on is null then
    return private.analytics_period(time_zone, wanted, "from", "to");
  end if;
  -- The day of the run has only begun. These periods do not contain it anyway.
  return private.period_of_days(
    time_zone, wanted,
    private.asked_days(
      case when wanted in ('yesterday', 'last_week', 'last_month', 'last_quarter') then run_on else run_on - 1 end,
      wanted, "from", "to"
    )
  );
end
$$;
comment on function private.export_period is
  'The period of an export: 30 days, or everything so far for types that are a stock of records. run_on: the day of a scheduled run; its period ends with the day before. Refuses with VALIDATION_ERROR.';

create function private.check_audit_export(request public.exports) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not exists (
    select
    from public.members m
    where m.tenant_id = request.tenant_id and m.user_id = coalesce(request.asked_by, auth.uid()) and m.status = 'active'
      and private.scope_of('audit_log.read', m.role) = 'all'
  ) then
    perform private.refuse('FORBIDDEN', 'Only admins may export the audit log.', 'type', to_jsonb(request.type));
  end if;
  perform private.insist(
    request.marketplace_id is null, 'marketplace_id', 'left out for the audit log', to_jsonb(request.marketplace_id)
  );
  perform private.insist(request.category is null, 'category', 'left out for the audit log', to_jsonb(request.category));
end
$$;
comment on function private.check_audit_export is
  'Checks a request for the audit log. Refuses with FORBIDDEN if the member who asks may not read it, and with VALIDATION_ERROR filters that it does not have.';

create function private.require_export_permission(type public.export_type, supplier_id uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  needed constant text := case type
    when 'orders' then 'orders.read'
    when 'order_items' then 'orders.read'
    when 'products' then 'products.read'
    when 'inventory' then 'inventory.read'
    when 'campaigns' then 'campaigns.read'
    when 'discounts' then 'discounts.read'
    when 'commissions' then 'commissions.read'
    -- Those of a supplier have no names and addresses.
    when 'customers' then case when supplier_id is null then 'customers.read' end
    when 'audit_log' then 'audit_log.read'
  end;
begin
  perform private.require_permission('exports.read', 'You may not read exports.');
  if needed is not null then
    perform private.require_permission(needed, format('Without the permission %s you may not export %s.', needed, type));
  end if;
end
$$;
comment on function private.require_export_permission is
  'Refuses with FORBIDDEN a caller who may not read what an export of this type has. supplier_id: the only supplier whose rows it has, or null.';

create function private.check_export(request public.exports) returns public.exports
language plpgsql stable security definer set search_path = ''
as $$
begin
  if request."by" is not null then
    perform private.insist(request.type = 'revenue', 'by', 'left out, except for revenue', to_jsonb(request."by"));
    perform private.insist_on_by(request."by");
  end if;
  if request.type = 'audit_log' then
    perform private.check_audit_export(request);
  end if;
  request.currency := private.checked_currency(request.currency);
  request.email := lower(request.email);
  if request.email is not null and not exists (
    select from public.members m
    where m.tenant_id = request.tenant_id and m.email = request.email and m.status = 'active'
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'email must be the address of an active member of the tenant.',
      'email', to_jsonb(request.email)
    );
  end if;
  return request;
end
$$;
comment on function private.check_export is
  'Checks a request, and returns it with the address in lower case. Refuses with VALIDATION_ERROR an address of no active member, an unknown currency, and a dimension that the type does not have; with FORBIDDEN the audit log, except for admins.';

create function private.counted_export(request public.exports, query private.export_query) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_xlsx boolean := request.format = 'xlsx';
  cap text := case when is_xlsx then 'export_rows_xlsx' else 'export_rows' end;
  most bigint := private.cap(cap);
  counted bigint := private.count_export_rows(request.type, query, most + 1);
begin
  if counted > most then
    perform private.refuse_beyond(
      cap,
      format('The export has more than %s rows: choose %s.', most, case when is_xlsx then 'csv' else 'a shorter period' end),
      case when is_xlsx then 'format' else 'period' end,
      to_jsonb(case when is_xlsx then 'xlsx' else (query).period.name end)
    );
  end if;
  return counted;
end
$$;
comment on function private.counted_export is
  'Counts the rows of an export. Refuses with LIMIT_REACHED more than its format may have.';

create function private.insist_on_room_for_export(tenant_id uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if (
    select count(*) from private.export_jobs j where j.tenant_id = insist_on_room_for_export.tenant_id
  ) >= private.cap('exports_waiting') then
    perform private.refuse_beyond('exports_waiting', 'Too many exports wait. Try again when one of them is ready.');
  end if;
end
$$;
comment on function private.insist_on_room_for_export is
  'Refuses with LIMIT_REACHED while the maximum number of a tenant''s exports waits.';

create function private.enqueue_export(
  request public.exports, scope private.analytics_scope, period private.analytics_period
) returns public.exports
language plpgsql security definer set search_path = ''
as $$
declare
  query private.export_query := row(scope, period, now(), request.currency, request."by");
  total bigint;
  made public.exports;
begin
  -- Counting takes long, so it comes before the lock, and only if there is room.
  perform private.insist_on_room_for_export(request.tenant_id);
  total := private.counted_export(request, query);
  perform private.hold('exports', request.tenant_id::text);
  perform private.insist_on_room_for_export(request.tenant_id);
  insert into public.exports (
    tenant_id, asked_by, type, period, "from", "to", marketplace_id, supplier_id, category, currency, "by", format, bom, email
  )
  values (
    request.tenant_id, request.asked_by, request.type, period.name, period.since, period.until, request.marketplace_id,
    scope.supplier_id, request.category, request.currency, request."by", request.format, request.bom, request.email
  )
  returning * into made;
  insert into private.export_jobs (export_id, tenant_id, query, total) values (made.id, made.tenant_id, query, total);
  perform private.queue_jobs(
    case when total > private.cap('export_rows_small') then 'large_exports' else 'small_exports' end,
    array[made.tenant_id], array[made.id]
  );
  return made;
end
$$;
comment on function private.enqueue_export is
  'Queues an export of a scope and a period, without a check of the caller. Refuses with LIMIT_REACHED.';

create function private.create_export(request public.exports, period text, "from" date, "to" date) returns public.exports
language plpgsql security definer set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(request.marketplace_id, request.supplier_id, request.category);
begin
  request.tenant_id := scope.tenant_id;
  request.asked_by := auth.uid();
  perform private.require_export_permission(request.type, scope.supplier_id);
  return private.enqueue_export(
    private.check_export(request), scope,
    private.export_period(request.type, scope.time_zone, create_export.period, "from", "to")
  );
end
$$;
comment on function private.create_export is 'Implements public.create_export.';

create function public.create_export(
  type public.export_type,
  format public.export_format,
  period text default null,
  "from" date default null,
  "to" date default null,
  marketplace_id uuid default null,
  supplier_id uuid default null,
  category uuid default null,
  currency text default null,
  "by" text default null,
  bom boolean default false,
  email text default null
) returns public.exports
-- Up to 5 million rows are counted.
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
declare
  request public.exports;
begin
  request.type := create_export.type;
  request.format := create_export.format;
  request.marketplace_id := create_export.marketplace_id;
  request.supplier_id := create_export.supplier_id;
  request.category := create_export.category;
  request.currency := create_export.currency;
  request."by" := create_export."by";
  request.bom := create_export.bom;
  request.email := create_export.email;
  return private.create_export(request, create_export.period, "from", "to");
end
$$;
comment on function public.create_export is
  'For admins, clients and suppliers: queues an export of the rows of a type that the caller may see and that exist now. Returns the export; read it again until it is ready. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR and LIMIT_REACHED.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.create_export, public.create_export to authenticated;
