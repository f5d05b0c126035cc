-- The furthest stage of each visitor on each of a tenant's days, from which the funnel and the conversion rate are
-- counted. Distinct visitors of several days cannot be added up, so the visitors of each day are kept, for 400 days.

-- tables ---------------------------------------------------------------------------------------

create table private.visitor_days (
  tenant_id uuid not null,
  day date not null,
  visitor uuid not null,
  marketplace_id uuid not null,
  stage private.visitor_stage not null,
  counted private.visitor_stage,
  constraint visitor_days_pkey primary key (tenant_id, day, visitor, marketplace_id),
  constraint visitor_days_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade
)
-- A visitor's stage changes within minutes: free space lets the row stay on its page.
with (fillfactor = 80);
comment on table private.visitor_days is
  'The furthest stage of each visitor in a marketplace on a day of the tenant''s time zone. counted: as what a rollup counts it, visit or order; null if it does not.';

create table private.visitor_product_days (
  tenant_id uuid not null,
  day date not null,
  visitor uuid not null,
  marketplace_id uuid not null,
  supplier_id uuid,
  category_id uuid,
  stage private.visitor_stage not null,
  constraint visitor_product_days_key
    unique nulls not distinct (tenant_id, day, visitor, marketplace_id, supplier_id, category_id),
  constraint visitor_product_days_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint visitor_product_days_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade
)
with (fillfactor = 80);
comment on table private.visitor_product_days is
  'The same for the products of a supplier (null: the operator''s own) and category. The category is the product''s at that time; there is no foreign key, so a day outlives it.';
-- The whole row identifies it for replication, because its key has columns that may be null.
alter table private.visitor_product_days replica identity full;

-- indexes --------------------------------------------------------------------------------------

create index visitor_product_days_supplier_idx on private.visitor_product_days (tenant_id, supplier_id, day);
create index visitor_product_days_category_idx on private.visitor_product_days (tenant_id, category_id, day);
create index visitor_days_marketplace_idx on private.visitor_days (tenant_id, marketplace_id, day);
-- The days of a visitor.
create index visitor_days_visitor_idx on private.visitor_days (tenant_id, visitor, day);
create index visitor_days_day_idx on private.visitor_days using brin (day);
create index visitor_product_days_day_idx on private.visitor_product_days using brin (day);

-- functions: drawing ---------------------------------------------------------------------------

-- Every transaction that changes days of visitors locks rows in one order, which prevents deadlocks: first
-- visitor_days, then visitor_product_days, each by day, visitor and marketplace, and last restated_days.
create function private.compute_visitor_days(events private.storefront_events[]) returns date[]
-- A cached plan may date from a time with few rows. These settings make every plan look rows up by index.
-- Planned once: 0.23 ms without, 0.06 with, for two events.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  changed date[];
begin
  with drawn as (
    insert into private.visitor_days as d (tenant_id, day, visitor, marketplace_id, stage)
    select n.tenant_id, n.day, n.visitor, n.marketplace_id, n.stage
    from (
      select
        e.tenant_id, (e.occurred_at at time zone t.time_zone)::date as day, e.visitor, e.marketplace_id,
        max(e.stage) as stage
      from unnest(events) as e
      join public.tenants t on t.id = e.tenant_id
      group by 1, 2, 3, 4
    ) as n
    left join private.visitor_days known
      on known.tenant_id = n.tenant_id and known.day = n.day and known.visitor = n.visitor
      and known.marketplace_id = n.marketplace_id
    -- Most events change nothing: then no row is written or locked.
    where known.stage is null or known.stage < n.stage
    order by n.tenant_id, n.day, n.visitor, n.marketplace_id
    on conflict on constraint visitor_days_pkey do update set stage = excluded.stage where d.stage < excluded.stage
    returning d.day
  )
  select array_agg(distinct d.day) into changed from drawn d;
  return coalesce(changed, '{}');
end
$$;
comment on function private.compute_visitor_days is
  'Adds a tenant''s events to the days of their visitors, where they reach a later stage. Returns the changed days.';

create function private.compute_visitor_product_days(events private.storefront_events[]) returns date[]
-- The settings are those of compute_visitor_days.
-- Planned once: 0.20 ms without, 0.05 with, for two events.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  changed date[];
begin
  with drawn as (
    insert into private.visitor_product_days as d (tenant_id, day, visitor, marketplace_id, supplier_id, category_id, stage)
    select n.tenant_id, n.day, n.visitor, n.marketplace_id, n.supplier_id, n.category_id, n.stage
    from (
      select
        e.tenant_id, (e.occurred_at at time zone t.time_zone)::date as day, e.visitor, e.marketplace_id, e.supplier_id,
        e.category_id, max(e.stage) as stage
      from unnest(events) as e
      join public.tenants t on t.id = e.tenant_id
      where e.product_id is not null
      group by 1, 2, 3, 4, 5, 6
    ) as n
    left join private.visitor_product_days known
      on known.tenant_id = n.tenant_id and known.day = n.day and known.visitor = n.visitor
      and known.marketplace_id = n.marketplace_id and known.supplier_id is not distinct from n.supplier_id
      and known.category_id is not distinct from n.category_id
    where known.stage is null or known.stage < n.stage
    order by n.tenant_id, n.day, n.visitor, n.marketplace_id, n.supplier_id, n.category_id
    on conflict on constraint visitor_product_days_key do update set stage = excluded.stage where d.stage < excluded.stage
    returning d.day
  )
  select array_agg(distinct d.day) into changed from drawn d;
  return coalesce(changed, '{}');
end
$$;
comment on function private.compute_visitor_product_days is
  'The same for the products of each supplier and category.';

create function private.restate_days(tenant_id uuid, days date[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  changed date;
begin
  for changed in select distinct d from unnest(days) as d order by d loop
    perform private.restate(restate_days.tenant_id, changed);
  end loop;
end
$$;
comment on function private.restate_days is 'Restates days of a tenant, the earliest first.';

create function private.compute_new_visitor_days() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  events private.storefront_events[] := array(select t::private.storefront_events from added t);
  days date[];
begin
  if events <> '{}' then
    days := private.compute_visitor_days(events);
    days := days || private.compute_visitor_product_days(events);
    perform private.restate_days((events[1]).tenant_id, days);
  end if;
  return null;
end
$$;
comment on function private.compute_new_visitor_days() is
  'Statement trigger: adds new events, all of one tenant, to the days of their visitors, and restates days that were over.';

-- functions: reading ---------------------------------------------------------------------------

create function private.visitor_stages(scope private.analytics_scope, since date, until date)
returns table (stage private.visitor_stage, visitors bigint)
-- 30 of 60 days of 220,000 visitor days take 31 ms, and 67 with a generic plan. Counting visitors on disk takes half as
-- long again.
language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_custom_plan set work_mem = '32MB'
as $$
#variable_conflict use_column
begin
  if scope.supplier_id is null and scope.categories is null then
    return query
    select v.stage, count(*)
    from (
      select max(d.stage) as stage
      from private.visitor_days d
      where d.tenant_id = scope.tenant_id and d.day between since and until
        and (scope.marketplace_id is null or d.marketplace_id = scope.marketplace_id)
      group by d.visitor
    ) as v
    group by v.stage;
  else
    return query
    select v.stage, count(*)
    from (
      select max(d.stage) as stage
      from private.visitor_product_days d
      where d.tenant_id = scope.tenant_id and d.day between since and until
        and (scope.marketplace_id is null or d.marketplace_id = scope.marketplace_id)
        and (scope.supplier_id is null or d.supplier_id = scope.supplier_id)
        and (scope.categories is null or d.category_id = any (scope.categories))
      group by d.visitor
    ) as v
    group by v.stage;
  end if;
end
$$;
comment on function private.visitor_stages is
  'The number of visitors by their last stage, from one day to another; with a supplier or category, for its products.';

create function private.funnel_report(asked private.analytics_scope, period private.analytics_period) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  stages jsonb;
  bots bigint;
begin
  if period.until - period.since >= 400 or period.since <= (now() at time zone scope.time_zone)::date - 400 then
    perform private.refuse(
      'VALIDATION_ERROR', 'The period must be within the last 400 days, because older visitors are deleted.', 'from',
      to_jsonb(period.since)
    );
  end if;

  with counted as materialized (
    select s.stage, s.visitors from private.visitor_stages(scope, period.since, period.until) as s
  ),
  reached as (
    select
      t.name, t.position,
      coalesce((select sum(c.visitors) from counted c where c.stage >= t.stage), 0) as count
    from (values
      (1, 'visitors', private.visitor_stage 'visit'), (2, 'product_view', 'product_view'),
      (3, 'add_to_cart', 'add_to_cart'), (4, 'checkout', 'checkout')
    ) as t (position, name, stage)
  )
  select
    jsonb_agg(
      jsonb_build_object(
        'name', r.name, 'count', r.count,
        'conversion', case r.position when 1 then 100 else private.percent_of(r.count, r.before) end
      )
      order by r.position
    ),
    coalesce((select c.visitors from counted c where c.stage = 'bot'), 0)
  into stages, bots
  from (select r.*, lag(r.count) over (order by r.position) as before from reached r) as r;
  return private.report_heading(scope, period) || jsonb_build_object('stages', stages, 'bots', bots);
end
$$;
comment on function private.funnel_report is 'public.analytics_funnel for a scope and a period.';

create function public.analytics_funnel(
  period text default '30d', "from" date default null, "to" date default null, marketplace_id uuid default null,
  supplier_id uuid default null, category uuid default null
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.funnel_report(scope, private.analytics_period(scope.time_zone, period, "from", "to"));
end
$$;
comment on function public.analytics_funnel is
  'For admins, clients and suppliers (for their own products): the number of distinct visitors who reached each stage, as {stages: [{name, count, conversion}], bots}. conversion: percent of the stage before. At most 400 days. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

-- triggers -------------------------------------------------------------------------------------

create trigger storefront_events_draw_visitor_days
  after insert on private.storefront_events
  referencing new table as added
  for each statement execute function private.compute_new_visitor_days();

-- policies -------------------------------------------------------------------------------------

alter table private.visitor_days enable row level security;
alter table private.visitor_product_days enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.funnel_report, public.analytics_funnel to authenticated;
