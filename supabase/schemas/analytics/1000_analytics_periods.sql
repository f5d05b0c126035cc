-- The parts that all reports share: the scope of a report, its period, and the first fields of its response.

-- types ----------------------------------------------------------------------------------------

create type private.analytics_scope as (
  tenant_id uuid,
  time_zone text,
  marketplace_id uuid,
  supplier_id uuid,
  categories uuid[]
);
comment on type private.analytics_scope is
  'The scope of a report. A null field filters nothing. time_zone: the tenant''s. categories: the category with all below it.';

create type private.analytics_period as (
  name text,
  since date,
  until date,
  starts_at timestamptz,
  ends_at timestamptz,
  before_since date,
  before_until date,
  before_starts_at timestamptz,
  before_ends_at timestamptz
);
comment on type private.analytics_period is
  'The period of a report: the days since to until, both included, from starts_at to before ends_at. ends_at is now if the last day is today. before_: the same number of days just before, up to the same time of day.';

-- tables ---------------------------------------------------------------------------------------

create table private.restated_days (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  day date not null,
  restated_at timestamptz not null,
  constraint restated_days_pkey primary key (tenant_id, day)
);
comment on table private.restated_days is
  'Days that were over when their figures changed, with the time of the last change. -infinity stands for all days that were over then.';

-- functions ------------------------------------------------------------------------------------

create function private.analytics_scope(marketplace_id uuid, supplier_id uuid, category uuid)
returns private.analytics_scope
language plpgsql stable security definer set search_path = ''
as $$
declare
  scope private.analytics_scope;
begin
  perform private.require_permission('analytics.read', 'Your role may not read analytics.');
  scope.tenant_id := private.tenant_id();
  if private.scope('analytics.read') = 'own' then
    scope.supplier_id := private.supplier_id();
    if analytics_scope.supplier_id <> scope.supplier_id then
      perform private.refuse(
        'FORBIDDEN', 'Suppliers may only read analytics of their own sales.',
        'supplier_id', to_jsonb(analytics_scope.supplier_id)
      );
    end if;
  elsif analytics_scope.supplier_id is not null then
    select s.id into scope.supplier_id
    from public.suppliers s
    where s.tenant_id = scope.tenant_id and s.id = analytics_scope.supplier_id;
    if not found then
      perform private.refuse(
        'NOT_FOUND', 'There is no such supplier.', 'supplier_id', to_jsonb(analytics_scope.supplier_id)
      );
    end if;
  end if;
  if analytics_scope.marketplace_id is not null then
    select m.id into scope.marketplace_id
    from public.marketplaces m
    where m.tenant_id = scope.tenant_id and m.id = analytics_scope.marketplace_id;
    if not found then
      perform private.refuse(
        'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(analytics_scope.marketplace_id)
      );
    end if;
  end if;
  if category is not null then
    if not exists (select from public.categories c where c.tenant_id = scope.tenant_id and c.id = category) then
      perform private.refuse('NOT_FOUND', 'There is no such category.', 'category', to_jsonb(category));
    end if;
    scope.categories := private.category_branch(scope.tenant_id, category);
  end if;
  scope.time_zone := private.time_zone_of(scope.tenant_id);
  return scope;
end
$$;
comment on function private.analytics_scope(uuid, uuid, uuid) is
  'The scope that the caller requests: the tenant for admins and clients, their own sales for suppliers. Refuses other roles with FORBIDDEN, and unknown ids with NOT_FOUND.';

create function private.checked_scope(asked private.analytics_scope) returns private.analytics_scope
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- A job has no caller: its scope was checked when it was requested.
  if auth.uid() is not null and (
    asked.tenant_id = private.tenant_id() and (private.scope('analytics.read') = 'all' or asked.supplier_id = private.supplier_id())
  ) is not true then
    perform private.refuse('FORBIDDEN', 'Your role may not read these analytics.');
  end if;
  return asked;
end
$$;
comment on function private.checked_scope is
  'Returns the scope unchanged if the caller may see its figures, else refuses with FORBIDDEN. Every report that runs with more rights than its caller calls it first.';

create function private.of_operator(scope private.analytics_scope) returns boolean
language sql immutable
return scope.supplier_id is null and scope.categories is null;
comment on function private.of_operator is
  'Whether the scope has whole orders, with delivery and payments, and not only some of their items.';

create function private.asked_days(today date, period text, "from" date, "to" date) returns daterange
language plpgsql immutable set search_path = ''
as $$
declare
  days integer := case period
    when 'today' then 1 when 'yesterday' then 1 when '7d' then 7 when '30d' then 30 when '90d' then 90 when '1y' then 365
  end;
  unit text := case period when 'last_week' then 'week' when 'last_month' then 'month' when 'last_quarter' then 'quarter' end;
  begun date := date_trunc(unit, today::timestamp);
begin
  if coalesce(days::text, unit) is not null then
    if coalesce("from", "to") is not null then
      perform private.refuse(
        'VALIDATION_ERROR', 'from and to are for the period custom only.',
        case when "from" is null then 'to' else 'from' end, to_jsonb(coalesce("from", "to"))
      );
    elsif period = 'yesterday' then
      return daterange(today - 1, today);
    elsif unit is not null then
      -- The day before the current one began is in the last one.
      return daterange(date_trunc(unit, (begun - 1)::timestamp)::date, begun);
    end if;
    return daterange(today - days + 1, today + 1);
  elsif period is distinct from 'custom' then
    perform private.refuse(
      'VALIDATION_ERROR',
      'period must be today, yesterday, 7d, 30d, 90d, 1y, last_week, last_month, last_quarter or custom.',
      'period', to_jsonb(period)
    );
  elsif "from" is null or not isfinite("from") then
    perform private.refuse(
      'VALIDATION_ERROR', 'from is required for the period custom: a date.', 'from', to_jsonb("from")
    );
  elsif "to" is null or not isfinite("to") then
    perform private.refuse('VALIDATION_ERROR', 'to is required for the period custom: a date.', 'to', to_jsonb("to"));
  elsif "to" < "from" then
    perform private.refuse('VALIDATION_ERROR', 'to must not be before from.', 'to', to_jsonb("to"));
  elsif "to" >= "from" + interval '5 years' then
    perform private.refuse('VALIDATION_ERROR', 'The period must be at most 5 years long.', 'to', to_jsonb("to"));
  end if;
  return daterange("from", "to" + 1);
end
$$;
comment on function private.asked_days is 'The days of a period as of today. Refuses with VALIDATION_ERROR.';

create function private.period_of_days(time_zone text, name text, days daterange) returns private.analytics_period
language plpgsql stable set search_path = ''
as $$
declare
  clock timestamp := now() at time zone time_zone;
  length integer := upper(days) - lower(days);
  asked private.analytics_period;
begin
  asked.name := period_of_days.name;
  asked.since := lower(days);
  asked.until := upper(days) - 1;
  asked.starts_at := asked.since::timestamp at time zone time_zone;
  asked.before_since := asked.since - length;
  asked.before_until := asked.since - 1;
  asked.before_starts_at := asked.before_since::timestamp at time zone time_zone;
  if asked.until < clock::date then
    asked.ends_at := upper(days)::timestamp at time zone time_zone;
    asked.before_ends_at := asked.starts_at;
  else
    -- A period in the future is empty, and so is the period that it is compared with.
    asked.ends_at := greatest(now(), asked.starts_at);
    asked.before_ends_at := greatest(
      least((clock - make_interval(days => length)) at time zone time_zone, asked.starts_at), asked.before_starts_at
    );
  end if;
  return asked;
end
$$;
comment on function private.period_of_days is 'These days of a time zone as a period.';

create function private.analytics_period(time_zone text, period text, "from" date, "to" date)
returns private.analytics_period
language sql stable
return private.period_of_days(
  time_zone, period, private.asked_days((now() at time zone time_zone)::date, period, "from", "to")
);
comment on function private.analytics_period(text, text, date, date) is
  'A period in the days of a time zone, as of now. Refuses with VALIDATION_ERROR.';

create function private.change_of(amount numeric, before numeric) returns numeric
language sql immutable
return case when before > 0 then round(100 * (amount - before) / before, 1) end;
comment on function private.change_of is
  'The change of an amount in percent; null where the earlier amount was zero or negative.';

create function private.change_text(change numeric) returns text
language sql immutable
return case when change > 0 then '+' else '' end || change || '%';
comment on function private.change_text is 'The text of a change: +12.5%, -3.0%, 0.0%; null for null.';

create function private.percent_of(part numeric, whole numeric) returns numeric
language sql immutable
return round(100 * part / nullif(whole, 0), 1);
comment on function private.percent_of is 'A part of a whole in percent, with one decimal; null if the whole is zero.';

create function private.restate(tenant_id uuid, day date) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if day < (now() at time zone private.time_zone_of(restate.tenant_id))::date then
    insert into private.restated_days as d (tenant_id, day, restated_at)
    values (restate.tenant_id, restate.day, now())
    on conflict on constraint restated_days_pkey do update set restated_at = excluded.restated_at;
  end if;
end
$$;
comment on function private.restate is
  'Records that the figures of a tenant''s day change now, if that day is over; with -infinity, those of all days that are over.';

create function private.restated_at(scope private.analytics_scope, period private.analytics_period)
returns timestamptz
language sql stable security definer set search_path = ''
as $$
  select max(d.restated_at)
  from private.restated_days d
  where d.tenant_id = scope.tenant_id
    and (
      d.day between period.since and period.until
      or d.day = '-infinity' and period.since < (d.restated_at at time zone scope.time_zone)::date
    )
$$;
comment on function private.restated_at is 'The last time that a day of the period changed after it was over; null if none did.';

create function private.report_heading(scope private.analytics_scope, period private.analytics_period) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object(
    'period', period.name, 'from', period.since, 'to', period.until, 'time_zone', scope.time_zone,
    'restated_at', private.restated_at(scope, period)
  )
$$;
comment on function private.report_heading is 'The fields of every report: its period, time zone, and when one of its days was restated.';

-- policies -------------------------------------------------------------------------------------

alter table private.restated_days enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.analytics_scope(uuid, uuid, uuid), private.asked_days, private.period_of_days,
  private.analytics_period(text, text, date, date),
  private.change_of, private.change_text, private.percent_of, private.restated_at, private.report_heading,
  private.of_operator
to authenticated, service_role;
