-- Schedules: exports that are queued each day, week or month, when the tenant's day begins.

-- types ----------------------------------------------------------------------------------------

create type public.export_frequency as enum ('day', 'week', 'month');

-- tables ---------------------------------------------------------------------------------------

create table public.export_schedules (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  asked_by uuid not null references auth.users (id) on delete cascade,
  type public.export_type not null,
  period text,
  marketplace_id uuid,
  supplier_id uuid,
  category uuid,
  currency text,
  "by" text,
  format public.export_format not null,
  bom boolean not null default false,
  email text,
  every public.export_frequency not null,
  next_at timestamptz not null,
  delayed_from timestamptz,
  last_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  constraint export_schedules_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint export_schedules_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint export_schedules_category_fkey foreign key (tenant_id, category)
    references public.categories (tenant_id, id) on delete cascade
);
comment on table public.export_schedules is
  'Recurring exports, queued on behalf of the member who made the schedule. period: it ends with the day before each export is due. next_at: when the next one is queued. delayed_from: when it was due, if it has to wait because of other exports. last_at, last_error: when the last one was due, and why it was refused; null if it was queued.';

-- indexes --------------------------------------------------------------------------------------

create unique index export_schedules_tenant_id_created_at_idx on public.export_schedules (tenant_id, created_at desc, id);
alter table public.export_schedules replica identity using index export_schedules_tenant_id_created_at_idx;
create index export_schedules_asked_by_idx on public.export_schedules (asked_by);
create index export_schedules_marketplace_id_idx on public.export_schedules (tenant_id, marketplace_id);
create index export_schedules_supplier_id_idx on public.export_schedules (tenant_id, supplier_id);
create index export_schedules_category_idx on public.export_schedules (tenant_id, category);
create index export_schedules_next_at_idx on public.export_schedules (next_at);

-- functions ------------------------------------------------------------------------------------

create function private.next_export_at(
  every public.export_frequency, time_zone text, after timestamptz default now()
) returns timestamptz
language sql stable set search_path = ''
as $$
  select (date_trunc(every::text, after at time zone time_zone) + ('1 ' || every)::interval) at time zone time_zone
$$;
comment on function private.next_export_at is
  'When the next day, week (on Monday) or month after a time begins in a time zone.';

create function private.create_export_schedule(
  request public.exports, period text, every public.export_frequency
) returns public.export_schedules
language plpgsql security definer set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(request.marketplace_id, request.supplier_id, request.category);
  made public.export_schedules;
begin
  request.tenant_id := scope.tenant_id;
  perform private.require_export_permission(request.type, scope.supplier_id);
  request := private.check_export(request);
  if period = 'custom' then
    perform private.refuse(
      'VALIDATION_ERROR',
      'period must be today, yesterday, 7d, 30d, 90d, 1y, last_week, last_month or last_quarter: it ends before the day of each export.',
      'period', to_jsonb(period)
    );
  end if;
  if every = 'month' then
    -- Months do not have 30 days each, so days would be missing from these files, or in two of them.
    perform private.insist(
      period is distinct from '30d', 'period', 'last_month for a monthly schedule, and not 30d', to_jsonb(period)
    );
    if period is null and not private.is_stock_of_records(request.type) then
      period := 'last_month';
    end if;
  end if;
  perform private.export_period(request.type, scope.time_zone, create_export_schedule.period, null, null);
  perform private.hold('exports', scope.tenant_id::text);
  if (select count(*) from public.export_schedules s where s.tenant_id = scope.tenant_id)
    >= private.cap('export_schedules_per_tenant')
  then
    perform private.refuse_beyond(
      'export_schedules_per_tenant', 'The tenant has the maximum number of schedules. Delete one first.'
    );
  end if;
  insert into public.export_schedules (
    tenant_id, asked_by, type, period, marketplace_id, supplier_id, category, currency, "by", format, bom, email, every,
    next_at
  )
  values (
    scope.tenant_id, auth.uid(), request.type, create_export_schedule.period, request.marketplace_id, scope.supplier_id,
    request.category, request.currency, request."by", request.format, request.bom, request.email, create_export_schedule.every,
    private.next_export_at(create_export_schedule.every, scope.time_zone)
  )
  returning * into made;
  return made;
end
$$;
comment on function private.create_export_schedule is 'Implements public.create_export_schedule.';

create function public.create_export_schedule(
  type public.export_type,
  format public.export_format,
  every public.export_frequency,
  period text default null,
  marketplace_id uuid default null,
  supplier_id uuid default null,
  category uuid default null,
  currency text default null,
  "by" text default null,
  bom boolean default false,
  email text default null
) returns public.export_schedules
language plpgsql set search_path = ''
as $$
declare
  request public.exports;
begin
  request.type := create_export_schedule.type;
  request.format := create_export_schedule.format;
  request.marketplace_id := create_export_schedule.marketplace_id;
  request.supplier_id := create_export_schedule.supplier_id;
  request.category := create_export_schedule.category;
  request.currency := create_export_schedule.currency;
  request."by" := create_export_schedule."by";
  request.bom := create_export_schedule.bom;
  request.email := create_export_schedule.email;
  return private.create_export_schedule(request, create_export_schedule.period, create_export_schedule.every);
end
$$;
comment on function public.create_export_schedule is
  'For admins, clients and suppliers: queues an export each day, week or month, when the tenant''s day begins. Returns the schedule. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR and LIMIT_REACHED.';

create function private.scheduled_scope(schedule public.export_schedules) returns private.analytics_scope
language sql stable security definer set search_path = ''
as $$
  select row(
    schedule.tenant_id, private.time_zone_of(schedule.tenant_id), schedule.marketplace_id, schedule.supplier_id,
    case when schedule.category is not null then private.category_branch(schedule.tenant_id, schedule.category) end
  )::private.analytics_scope
  from public.members m
  where m.tenant_id = schedule.tenant_id and m.user_id = schedule.asked_by and m.status = 'active'
    and case private.scope_of('analytics.read', m.role) when 'all' then true when 'own' then m.supplier_id = schedule.supplier_id end
$$;
comment on function private.scheduled_scope is
  'The scope of a schedule''s exports; null if its maker may no longer see such rows.';

create function private.run_export_schedule(schedule public.export_schedules) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  scope private.analytics_scope := private.scheduled_scope(schedule);
  request public.exports;
  problem text;
  refusal text;
  details text;
  state text;
  time_zone text := private.time_zone_of(schedule.tenant_id);
  -- Counted from when the export was due, and not from now, so that no day is left out after an outage.
  due_at timestamptz := coalesce(schedule.delayed_from, schedule.next_at);
  is_delayed boolean := false;
begin
  begin
    if scope.tenant_id is null then
      perform private.refuse('FORBIDDEN', 'The member who made the schedule may no longer see these rows.');
    end if;
    request := jsonb_populate_record(request, to_jsonb(schedule) - '{id,created_at}'::text[]);
    perform private.enqueue_export(
      private.check_export(request), scope,
      private.export_period(
        request.type, time_zone, schedule.period, null, null, run_on => (due_at at time zone time_zone)::date
      )
    );
  exception
    -- A schedule that is refused, or that takes too long, must not stop the others.
    when query_canceled or others then
      get stacked diagnostics
        problem = pg_exception_hint, refusal = message_text, details = pg_exception_detail, state = returned_sqlstate;
      problem := coalesce(nullif(problem, ''), sqlerrm);
      -- All schedules of a tenant are due at midnight, and there may be more of them than exports may wait. An error that is
      -- no refusal, such as a deadlock or a time limit, may be gone then, too.
      is_delayed := state not like 'PT%' or refusal = 'CONFLICT'
        or refusal = 'LIMIT_REACHED' and details::jsonb ->> 'cap' = 'exports_waiting';
  end;
  update public.export_schedules s
  set last_at = now(), last_error = problem,
      delayed_from = case when is_delayed then due_at end,
      next_at = case
        when is_delayed then now() + interval '5 minutes'
        else private.next_export_at(schedule.every, time_zone, due_at)
      end
  where s.id = schedule.id;
end
$$;
comment on function private.run_export_schedule is
  'Queues the export of a schedule for the period before it was due, and sets when the next one is due: at once if that time has passed, and in five minutes if too many exports wait or the export could not be queued for another passing reason.';

create function private.run_export_schedules() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.run_export_schedule(s)
  from (
    select due.*
    from public.export_schedules due
    where due.next_at <= now()
    order by due.next_at
    limit 100
    for update skip locked
  ) as s;
end
$$;
comment on function private.run_export_schedules() is 'Queues the exports of schedules that are due, at most 100.';

create function private.time_export_schedules() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.export_schedules s
  set delayed_from = null,
      next_at = private.next_export_at(
        s.every, new.time_zone,
        case
          when s.last_at is null then now()
          -- The first time that is in no file yet.
          else (
            date_trunc(s.every::text, coalesce(s.delayed_from, s.next_at) at time zone old.time_zone)
            - ('1 ' || s.every)::interval
          ) at time zone old.time_zone
        end
      )
  where s.tenant_id = new.id;
  return null;
end
$$;
comment on function private.time_export_schedules() is
  'Row trigger: after a tenant''s new time zone, its schedules continue with the day, week or month in which their last export ended.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.export_schedules
  for each row execute function private.keep_nfc();

create trigger tenants_time_export_schedules
  after update of time_zone on public.tenants
  for each row when (new.time_zone <> old.time_zone)
  execute function private.time_export_schedules();

-- policies -------------------------------------------------------------------------------------

alter table public.export_schedules enable row level security;

create policy "Admins see all schedules, clients and suppliers their own" on public.export_schedules
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.shows_export(
      (select private.scope('exports.read')), (select auth.uid()), (select private.supplier_id()), asked_by, supplier_id
    )
  );

create policy "Members delete the schedules that they see" on public.export_schedules
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.shows_export(
      (select private.scope('exports.read')), (select auth.uid()), (select private.supplier_id()), asked_by, supplier_id
    )
  );

-- grants ---------------------------------------------------------------------------------------

grant select, delete on public.export_schedules to authenticated;
grant all on public.export_schedules to service_role;
grant execute on function private.create_export_schedule, public.create_export_schedule to authenticated;
