-- How exports are asked for.

-- functions ------------------------------------------------------------------------------------

create function private.export_period(
  type public.export_type, time_zone text, period text, "from" date, "to" date
) returns private.analytics_period
language plpgsql stable set search_path = ''
as $$
declare
  all_there_is private.analytics_period;
begin
  if coalesce(period, "from"::text, "to"::text) is null
    and type in ('products', 'inventory', 'customers', 'campaigns', 'segments', 'cohorts')
  then
    all_there_is.starts_at := '-infinity';
    all_there_is.ends_at := now();
    return all_there_is;
  end if;
  return private.analytics_period(time_zone, coalesce(period, '30d'), "from", "to");
end
$$;
comment on function private.export_period is
  'The period of an export: 30 days unless it says otherwise, and of what a tenant has all that is there by now.';

create function private.check_export(wish public.exports) returns public.exports
language plpgsql stable security definer set search_path = ''
as $$
begin
  if wish."by" is not null then
    perform private.insist(wish.type = 'revenue', 'by', 'left out, but for revenue', to_jsonb(wish."by"));
    perform private.insist_on_by(wish."by");
  end if;
  wish.currency := private.checked_currency(wish.currency);
  wish.email := lower(wish.email);
  if wish.email is not null and not exists (
    select from public.members m
    where m.tenant_id = wish.tenant_id and m.email = wish.email and m.status = 'active'
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'Exports are announced to active members of the tenant, by the address of their account.',
      'email', to_jsonb(wish.email)
    );
  end if;
  return wish;
end
$$;
comment on function private.check_export is
  'What is asked for, its address in lower case. Refuses with VALIDATION_ERROR an address that is no active member''s, no currency, and what its type has no use for.';

create function private.counted_export(wish public.exports, rows private.export_wish) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_xlsx boolean := wish.format = 'xlsx';
  cap text := case when is_xlsx then 'export_rows_xlsx' else 'export_rows' end;
  most bigint := private.cap(cap);
  counted bigint := private.count_export_rows(wish.type, rows, most + 1);
begin
  if counted > most then
    perform private.refuse_beyond(
      cap, format('This has more than %s rows: take %s.', most, case when is_xlsx then 'csv' else 'a shorter period' end),
      case when is_xlsx then 'format' else 'period' end,
      to_jsonb(case when is_xlsx then 'xlsx' else (rows).period.name end)
    );
  end if;
  return counted;
end
$$;
comment on function private.counted_export is
  'How many rows an export has. Refuses with LIMIT_REACHED one that has more than its format may.';

create function private.insist_on_room_for_export(tenant_id uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if (
    select count(*) from private.export_jobs j where j.tenant_id = insist_on_room_for_export.tenant_id
  ) >= private.cap('exports_waiting') then
    perform private.refuse_beyond('exports_waiting', 'As many exports wait as may. Try again when one of them is ready.');
  end if;
end
$$;
comment on function private.insist_on_room_for_export is
  'Refuses with LIMIT_REACHED where as many exports of a tenant wait as may.';

create function private.enqueue_export(
  wish public.exports, scope private.analytics_scope, period private.analytics_period
) returns public.exports
language plpgsql security definer set search_path = ''
as $$
declare
  rows private.export_wish := row(scope, period, now(), wish.currency, wish."by");
  total bigint;
  made public.exports;
begin
  -- Rows are counted, which takes long, before the lock, and only where there is room.
  perform private.insist_on_room_for_export(wish.tenant_id);
  total := private.counted_export(wish, rows);
  perform private.hold('exports', wish.tenant_id::text);
  perform private.insist_on_room_for_export(wish.tenant_id);
  insert into public.exports (
    tenant_id, asked_by, type, period, "from", "to", marketplace_id, supplier_id, category, currency, "by", format, bom, email
  )
  values (
    wish.tenant_id, wish.asked_by, wish.type, period.name, period.since, period.until, wish.marketplace_id,
    scope.supplier_id, wish.category, wish.currency, wish."by", wish.format, wish.bom, wish.email
  )
  returning * into made;
  insert into private.export_jobs (export_id, tenant_id, wish, total, large)
  values (made.id, made.tenant_id, rows, total, total > private.cap('export_rows_small'));
  return made;
end
$$;
comment on function private.enqueue_export is
  'Has an export written soon: of this scope and period, whoever asks. Refuses with LIMIT_REACHED.';

create function private.create_export(wish public.exports, period text, "from" date, "to" date) returns public.exports
language plpgsql security definer set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(wish.marketplace_id, wish.supplier_id, wish.category);
begin
  wish.tenant_id := scope.tenant_id;
  wish.asked_by := auth.uid();
  return private.enqueue_export(
    private.check_export(wish), scope,
    private.export_period(wish.type, scope.time_zone, create_export.period, "from", "to")
  );
end
$$;
comment on function private.create_export is 'As public.create_export.';

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
-- Its rows are counted, as many as there may be.
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
declare
  wish public.exports;
begin
  wish.type := create_export.type;
  wish.format := create_export.format;
  wish.marketplace_id := create_export.marketplace_id;
  wish.supplier_id := create_export.supplier_id;
  wish.category := create_export.category;
  wish.currency := create_export.currency;
  wish."by" := create_export."by";
  wish.bom := create_export.bom;
  wish.email := create_export.email;
  return private.create_export(wish, create_export.period, "from", "to");
end
$$;
comment on function public.create_export is
  'For admins, clients and suppliers: has the rows of a type written into a file, those that the caller may see and that there are now. Answers the export, which is queued; read it again until it is ready. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR and LIMIT_REACHED.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.create_export, public.create_export to authenticated;
