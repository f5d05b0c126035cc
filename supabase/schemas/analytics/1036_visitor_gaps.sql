-- Distinct visitors of a period, from sums by day.
--
-- Among the days of a visitor within a period, only the first has no earlier day within the period. So the number of
-- visitors from a to b is the number of visitor days d whose previous day is before a, or more than d - a days ago. A
-- rollup counts the visitor days of each day by that gap, for each marketplace and for the tenant as a whole, and
-- likewise for visitors who ordered. A day that is added between two others changes the gap of the later one, also
-- across parallel batches of events. Therefore only a job, one session at a time for a tenant, adds visitor days to the
-- rollup. A report adds the days that are queued.

-- tables ---------------------------------------------------------------------------------------

create table private.visitor_gaps (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  marketplace_id uuid,
  is_ordered boolean not null,
  day date not null,
  gap smallint not null,
  visitors integer not null,
  constraint visitor_gaps_key unique nulls not distinct (tenant_id, marketplace_id, is_ordered, day, gap),
  constraint visitor_gaps_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade
)
with (fillfactor = 80);
comment on table private.visitor_gaps is
  'The number of visitors of a day whose previous day was gap days before; 32767: never before. marketplace_id: null for all marketplaces together. is_ordered: only days on which they ordered.';
-- The whole row identifies it for replication, because marketplace_id may be null.
alter table private.visitor_gaps replica identity full;

create table private.uncounted_visitor_days (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  day date not null,
  visitor uuid not null,
  marketplace_id uuid not null
);
comment on table private.uncounted_visitor_days is
  'The queue: visitor days that private.visitor_gaps lacks, or counts as a visit without an order. A day may be queued twice, or be deleted since.';
-- The whole row identifies it for replication, because it has no key.
alter table private.uncounted_visitor_days replica identity full;

-- indexes --------------------------------------------------------------------------------------

create index uncounted_visitor_days_idx on private.uncounted_visitor_days (tenant_id, day, visitor, marketplace_id);

-- functions: adding to the rollup --------------------------------------------------------------

create function private.counted_as(stage private.visitor_stage) returns private.visitor_stage
language sql immutable
return case when stage = 'order' then private.visitor_stage 'order' when stage > 'bot' then private.visitor_stage 'visit' end;
comment on function private.counted_as is
  'As what a visitor day with this stage is counted: visit or order; null for bots.';

create function private.queue_visitor_days() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.uncounted_visitor_days (tenant_id, day, visitor, marketplace_id)
  select n.tenant_id, n.day, n.visitor, n.marketplace_id
  from new_days n
  where private.counted_as(n.stage) is distinct from n.counted;
  return null;
end
$$;
comment on function private.queue_visitor_days() is
  'Statement trigger: queues visitor days that are not counted, or with an earlier stage.';

create function private.count_visitor_days(tenant_id uuid, days private.visitor_days[]) returns void
-- Planned at each call: 2,000 days among 220,000 take 0.37 s, and 3.2 with a plan from when there were few, which a
-- session keeps.
language plpgsql security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  tenant uuid := count_visitor_days.tenant_id;
begin
  with change as materialized (
    select d.day, d.visitor, d.marketplace_id, d.counted from unnest(days) as d
  ),
  seen as (
    select
      d.day, d.visitor, d.marketplace_id, v.sign,
      case when v.sign < 0 or c.visitor is null then d.counted else c.counted end as counted
    from private.visitor_days d
    left join change c on c.day = d.day and c.visitor = d.visitor and c.marketplace_id = d.marketplace_id
    cross join (values (-1), (1)) as v (sign)
    where d.tenant_id = tenant and d.visitor = any (array(select distinct x.visitor from change x))
  ),
  visits as (
    select distinct s.sign, k.is_ordered, p.marketplace_id, s.visitor, s.day
    from seen s
    cross join (values (false), (true)) as k (is_ordered)
    cross join lateral (values (s.marketplace_id), (null)) as p (marketplace_id)
    where s.counted = 'order' or s.counted = 'visit' and not k.is_ordered
  ),
  gaps as (
    select
      t.sign, t.is_ordered, t.marketplace_id, t.day,
      coalesce(t.day - lag(t.day) over (
        partition by t.sign, t.is_ordered, t.marketplace_id, t.visitor order by t.day
      ), 32767)::smallint as gap
    from visits t
  )
  insert into private.visitor_gaps as g (tenant_id, marketplace_id, is_ordered, day, gap, visitors)
  select tenant, n.marketplace_id, n.is_ordered, n.day, n.gap, sum(n.sign)
  from gaps n
  group by n.marketplace_id, n.is_ordered, n.day, n.gap
  having sum(n.sign) <> 0
  on conflict on constraint visitor_gaps_key do update set visitors = g.visitors + excluded.visitors;

  update private.visitor_days d
  set counted = c.counted
  from unnest(days) as c
  where d.tenant_id = tenant and d.day = c.day and d.visitor = c.visitor and d.marketplace_id = c.marketplace_id;
end
$$;
comment on function private.count_visitor_days is
  'Counts visitor days of a tenant as their field counted says, instead of as before. The caller holds the lock visitor_rollup and has locked the rows.';

create function private.count_visitors(tenant_id uuid, most integer) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := count_visitors.tenant_id;
  taken tid[];
  days private.visitor_days[];
  gone integer;
begin
  -- One session at a time counts for a tenant. Events and orders do not need this lock.
  if not private.try_hold('visitor_rollup', tenant::text) then
    return 0;
  end if;
  taken := array(
    select u.ctid
    from private.uncounted_visitor_days u
    where u.tenant_id = tenant
    order by u.day, u.visitor, u.marketplace_id
    limit most
  );
  -- A day that a batch of events is changing waits for the next time, so that neither waits for the other.
  days := array(
    select row(d.tenant_id, d.day, d.visitor, d.marketplace_id, d.stage, private.counted_as(d.stage))::private.visitor_days
    from private.visitor_days d
    where d.tenant_id = tenant
      and (d.day, d.visitor, d.marketplace_id) in (
        select u.day, u.visitor, u.marketplace_id from private.uncounted_visitor_days u where u.ctid = any (taken)
      )
    order by d.day, d.visitor, d.marketplace_id
    for update of d skip locked
  );
  delete from private.uncounted_visitor_days u
  where u.ctid = any (taken)
    and (
      (u.day, u.visitor, u.marketplace_id) in (select d.day, d.visitor, d.marketplace_id from unnest(days) as d)
      or not exists (
        select from private.visitor_days d
        where d.tenant_id = tenant and d.day = u.day and d.visitor = u.visitor and d.marketplace_id = u.marketplace_id
      )
    );
  get diagnostics gone = row_count;
  perform private.count_visitor_days(tenant, days);
  return gone;
end
$$;
comment on function private.count_visitors(uuid, integer) is
  'Adds queued visitor days of a tenant to private.visitor_gaps. Returns how many left the queue.';

create function private.uncount_visitor_day(tenant_id uuid, day date) returns boolean
-- Planned at each call: a day of 100 visitors among 220,000 days takes 18 ms, and 39 with a plan from when there were
-- few, which a session keeps.
language plpgsql security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  if not private.try_hold('visitor_rollup', uncount_visitor_day.tenant_id::text) then
    return false;
  end if;
  perform private.count_visitor_days(
    uncount_visitor_day.tenant_id,
    array(
      select row(d.tenant_id, d.day, d.visitor, d.marketplace_id, d.stage, null)::private.visitor_days
      from private.visitor_days d
      where d.tenant_id = uncount_visitor_day.tenant_id and d.day = uncount_visitor_day.day
      order by d.visitor, d.marketplace_id
      for update
    )
  );
  return true;
end
$$;
comment on function private.uncount_visitor_day is
  'Takes a visitor day of a tenant out of private.visitor_gaps, before its rows are deleted; false while another session counts visitors.';

create function private.tenants_to_count(most integer) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  with recursive waiting (tenant_id) as (
    (select u.tenant_id from private.uncounted_visitor_days u order by u.tenant_id limit 1)
    union all
    select (
      select u.tenant_id from private.uncounted_visitor_days u where u.tenant_id > w.tenant_id order by u.tenant_id limit 1
    )
    from waiting w
    where w.tenant_id is not null
  )
  -- In random order, so that every tenant is served, however much the others have.
  select array(
    select w.tenant_id from waiting w where w.tenant_id is not null order by random() limit most
  )
$$;
comment on function private.tenants_to_count is 'Some tenants that have queued visitor days.';

create function public.count_visitors(batch integer default 2000, rounds integer default 0) returns integer
language plpgsql set search_path = ''
as $$
declare
  tenants uuid[] := private.tenants_to_count(20);
  counted integer := 0;
begin
  for i in 1 .. cardinality(tenants) loop
    counted := counted + private.count_visitors(tenants[i], greatest(batch / cardinality(tenants), 1));
  end loop;
  -- Each transaction adds a limited number, so that a batch of events waits only briefly for their rows.
  if rounds > 0 and counted > 0 and private.tenants_to_count(1) <> '{}' then
    perform private.perform_later('count_visitors', jsonb_build_object('batch', batch, 'rounds', rounds - 1));
  end if;
  return counted;
end
$$;
comment on function public.count_visitors is
  'For a job: adds queued visitor days of up to 20 tenants to private.visitor_gaps, and continues up to rounds times. Returns how many.';

-- functions: reading ---------------------------------------------------------------------------

create function private.count_distinct_visitors(
  scope private.analytics_scope, since date, until date, stage private.visitor_stage
) returns bigint
-- Planned at each call: 30 days among 220,000 visitor days take 25 ms, and more than 3 s with a plan from when there were
-- few, which a session keeps. A later plan would take 15 ms, and planning each time 35.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  return (
    select coalesce(sum(g.visitors), 0)
    from private.visitor_gaps g
    where g.tenant_id = scope.tenant_id
      and (g.marketplace_id = scope.marketplace_id or scope.marketplace_id is null and g.marketplace_id is null)
      and g.is_ordered = (count_distinct_visitors.stage = 'order') and g.day between since and until and g.gap > g.day - since
  ) + (
    select count(distinct d.visitor)
    from private.uncounted_visitor_days u
    join private.visitor_days d
      on d.tenant_id = u.tenant_id and d.day = u.day and d.visitor = u.visitor and d.marketplace_id = u.marketplace_id
    where u.tenant_id = scope.tenant_id and u.day between since and until
      and (scope.marketplace_id is null or u.marketplace_id = scope.marketplace_id)
      and d.stage >= count_distinct_visitors.stage
      and not exists (
        select from private.visitor_days c
        where c.tenant_id = u.tenant_id and c.visitor = u.visitor and c.day between since and until
          and (scope.marketplace_id is null or c.marketplace_id = scope.marketplace_id)
          and c.counted >= count_distinct_visitors.stage
      )
  );
end
$$;
comment on function private.count_distinct_visitors is
  'The number of distinct visitors of a tenant or marketplace from one day to another, or, with the stage order, of those who ordered.';

create function private.visitors_of(
  scope private.analytics_scope, since date, until date, out visitors bigint, out ordered bigint
)
language plpgsql stable security definer set search_path = ''
as $$
begin
  if scope.supplier_id is null and scope.categories is null then
    visitors_of.visitors := private.count_distinct_visitors(scope, since, until, 'visit');
    visitors_of.ordered := private.count_distinct_visitors(scope, since, until, 'order');
    return;
  end if;
  select
    coalesce(sum(s.visitors) filter (where s.stage > 'bot'), 0),
    coalesce(sum(s.visitors) filter (where s.stage = 'order'), 0)
  into visitors_of.visitors, visitors_of.ordered
  from private.visitor_stages(scope, since, until) as s;
end
$$;
comment on function private.visitors_of is 'The number of visitors from one day to another, and of those who placed an order themselves.';

-- functions: comparing -------------------------------------------------------------------------

create function private.differences_of_visitors(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with visits as (
    select distinct k.is_ordered, p.marketplace_id, d.visitor, d.day
    from private.visitor_days d
    cross join (values (false), (true)) as k (is_ordered)
    cross join lateral (values (d.marketplace_id), (null)) as p (marketplace_id)
    where d.tenant_id = differences_of_visitors.tenant_id
      and (d.counted = 'order' or d.counted = 'visit' and not k.is_ordered)
  ),
  kept as (
    select t.is_ordered, t.marketplace_id, t.day, count(*) as visitors, sum(coalesce(t.day - t.before, 32767)) as gaps
    from (
      select t.*, lag(t.day) over (partition by t.is_ordered, t.marketplace_id, t.visitor order by t.day) as before
      from visits t
    ) as t
    group by 1, 2, 3
  ),
  -- Days that are no longer kept are before every period that can be requested.
  added as (
    select
      g.is_ordered, g.marketplace_id, g.day, sum(g.visitors) as visitors,
      sum(g.visitors * case when g.day - g.gap < o.oldest then 32767 else g.gap end) as gaps
    from private.visitor_gaps g
    cross join (
      select min(d.day) as oldest from private.visitor_days d where d.tenant_id = differences_of_visitors.tenant_id
    ) as o
    where g.tenant_id = differences_of_visitors.tenant_id and g.day >= o.oldest
    group by 1, 2, 3
  ),
  missed as (
    select d.marketplace_id, d.day, count(*) as days
    from private.visitor_days d
    where d.tenant_id = differences_of_visitors.tenant_id
      and private.counted_as(d.stage) is distinct from d.counted
      and not exists (
        select from private.uncounted_visitor_days u
        where u.tenant_id = d.tenant_id and u.day = d.day and u.visitor = d.visitor and u.marketplace_id = d.marketplace_id
      )
    group by 1, 2
  ),
  found as (
    select
      coalesce(k.marketplace_id, a.marketplace_id) as marketplace_id, f.rule,
      coalesce(k.day, a.day) as day, f.expected, f.found,
      coalesce(k.is_ordered, a.is_ordered) as is_ordered
    from kept k
    full join added a
      on a.is_ordered = k.is_ordered and a.day = k.day and a.marketplace_id is not distinct from k.marketplace_id
    cross join lateral (
      values ('visitors', k.visitors, a.visitors), ('gaps of visitors', k.gaps, a.gaps)
    ) as f (rule, expected, found)
    where coalesce(f.expected, 0) <> coalesce(f.found, 0)
    union all
    select m.marketplace_id, 'visitors that are not counted', m.day, 0, m.days, false from missed m
  )
  select
    coalesce(f.marketplace_id, (
      select m.id from public.marketplaces m
      where m.tenant_id = differences_of_visitors.tenant_id
      order by m.created_at, m.id
      limit 1
    )),
    null,
    f.rule || case when f.is_ordered then ' who ordered' else '' end
      || case when f.marketplace_id is null then ', all marketplaces' else '' end,
    f.day, f.expected, f.found
  from found f
$$;
comment on function private.differences_of_visitors is
  'Where the rollup of a tenant''s visitors differs from their days. Differences of all marketplaces together are reported for the oldest marketplace.';

create function private.compare_visitors(tenant_id uuid) returns integer
language plpgsql security definer set search_path = ''
as $$
begin
  return private.emit_differences(
    compare_visitors.tenant_id, array(select d from private.differences_of_visitors(compare_visitors.tenant_id) as d)
  );
end
$$;
comment on function private.compare_visitors is
  'Writes an analytics.mismatch event for each marketplace of a tenant whose numbers of visitors are wrong. Returns how many events.';

create function private.next_visited_tenant(after uuid) returns uuid
language sql stable security definer set search_path = ''
as $$
  select d.tenant_id
  from private.visitor_days d
  where d.tenant_id > coalesce(after, '00000000-0000-0000-0000-000000000000')
  order by d.tenant_id
  limit 1
$$;
comment on function private.next_visited_tenant is 'The next tenant, by id, that has had visitors.';

create function public.compare_visitors(after uuid default null) returns uuid
language plpgsql set search_path = '' set statement_timeout = '300s'
as $$
declare
  tenant uuid := private.next_visited_tenant(after);
begin
  if tenant is null then
    return null;
  end if;
  begin
    perform private.compare_visitors(tenant);
  exception
    -- A failure or timeout for one tenant must not stop the comparison of the others.
    when query_canceled or others then
      raise warning 'the visitors of tenant % could not be compared: %', tenant, sqlerrm;
  end;
  -- Each tenant has its own transaction.
  perform private.perform_later('compare_visitors', jsonb_build_object('after', tenant));
  return tenant;
end
$$;
comment on function public.compare_visitors is
  'For a job: compares the next tenant''s numbers of visitors with their days, then continues with the tenant after it. Returns the tenant.';

-- triggers -------------------------------------------------------------------------------------

create trigger visitor_days_queue_new
  after insert on private.visitor_days
  referencing new table as new_days
  for each statement execute function private.queue_visitor_days();

create trigger visitor_days_queue_changed
  after update on private.visitor_days
  referencing new table as new_days
  for each statement execute function private.queue_visitor_days();

-- policies -------------------------------------------------------------------------------------

alter table private.visitor_gaps enable row level security;
alter table private.uncounted_visitor_days enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.count_visitors(uuid, integer), private.tenants_to_count, private.compare_visitors, private.next_visited_tenant
to service_role;
grant execute on function public.count_visitors(integer, integer), public.compare_visitors to service_role;
