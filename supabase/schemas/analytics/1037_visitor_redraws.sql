-- A new time zone changes the days of visitors. A job makes the days again whose events are kept, each in one
-- transaction. Earlier days stay as they were.

-- tables ---------------------------------------------------------------------------------------

create table private.visitor_redraws (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  day date not null,
  is_cleared boolean not null default false,
  due_at timestamptz not null default now(),
  constraint visitor_redraws_pkey primary key (tenant_id, day)
);
comment on table private.visitor_redraws is
  'Visitor days that are made again from their events: deleted and made, and a minute later made once more, for events of transactions that were open meanwhile.';

-- indexes --------------------------------------------------------------------------------------

create index visitor_redraws_due_at_idx on private.visitor_redraws (due_at);

-- functions ------------------------------------------------------------------------------------

create function private.queue_visitor_redraws() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  today date := (now() at time zone new.time_zone)::date;
begin
  insert into private.visitor_redraws as r (tenant_id, day)
  select new.id, d.day::date
  -- From the earliest day that has all its events to the last day in either zone.
  from generate_series(today - 88, greatest(today, (now() at time zone old.time_zone)::date), interval '1 day') as d (day)
  where exists (select from private.visitor_days v where v.tenant_id = new.id)
  on conflict on constraint visitor_redraws_pkey do update set is_cleared = false, due_at = excluded.due_at;
  return null;
end
$$;
comment on function private.queue_visitor_redraws() is 'Row trigger: has visitor days made again for a new time zone.';

create function private.events_of_day(tenant_id uuid, day date) returns table (events private.storefront_events[])
-- Planned at each call: a day of 1,000 events among 350,000 takes 3 ms, and 45 with a plan from when there were few, which
-- a session keeps.
language plpgsql stable security definer
-- 1,000 events at a time are in memory, in the order in which they are read. A hash would hold those of the whole day:
-- 20 MB instead of 13 for 50,000 events, with a work_mem of 4 MB, in the same time.
set search_path = '' set plan_cache_mode = force_custom_plan set enable_hashagg = off
as $$
#variable_conflict use_column
declare
  time_zone text := private.time_zone_of(events_of_day.tenant_id);
  starts_at timestamptz := events_of_day.day::timestamp at time zone time_zone;
  ends_at timestamptz := (events_of_day.day + 1)::timestamp at time zone time_zone;
  first_received date := (starts_at at time zone 'utc')::date;
begin
  return query
  select array_agg(e.event)
  from (
    select
      e::private.storefront_events as event,
      (row_number() over (order by e.visitor, e.marketplace_id, e.supplier_id, e.category_id) - 1) / 1000 as turn
    from private.storefront_events e
    where e.tenant_id = events_of_day.tenant_id
      -- A late event arrives within a day.
      and e.received_on between first_received and first_received + 3
      and e.occurred_at >= starts_at and e.occurred_at < ends_at
  ) as e
  group by e.turn
  order by e.turn;
end
$$;
comment on function private.events_of_day is
  'The events of a tenant''s day, in arrays of at most 1000, in the order in which the days of their visitors are locked.';

create function private.redraw_visitor_day(redraw private.visitor_redraws, out is_changed boolean)
language plpgsql security definer set search_path = ''
as $$
begin
  if redraw.is_cleared then
    -- Rows that were written again while the day was deleted may be missing in the queue.
    insert into private.uncounted_visitor_days (tenant_id, day, visitor, marketplace_id)
    select d.tenant_id, d.day, d.visitor, d.marketplace_id
    from private.visitor_days d
    where d.tenant_id = redraw.tenant_id and d.day = redraw.day
      and private.counted_as(d.stage) is distinct from d.counted;
  elsif private.uncount_visitor_day(redraw.tenant_id, redraw.day) then
    delete from private.visitor_days d where d.tenant_id = redraw.tenant_id and d.day = redraw.day;
  else
    return;
  end if;
  select coalesce(bool_or(private.compute_visitor_days(e.events) <> '{}'), false)
  into is_changed
  from private.events_of_day(redraw.tenant_id, redraw.day) as e;
  is_changed := is_changed or not redraw.is_cleared;
end
$$;
comment on function private.redraw_visitor_day is
  'Makes a visitor day of a tenant from its events. Null, and nothing is made, while another session counts the tenant''s visitors.';

create function private.redraw_visitor_product_day(redraw private.visitor_redraws, out is_changed boolean)
language plpgsql security definer set search_path = ''
as $$
begin
  if not redraw.is_cleared then
    delete from private.visitor_product_days d
    where d.ctid = any (array(
      select o.ctid
      from private.visitor_product_days o
      where o.tenant_id = redraw.tenant_id and o.day = redraw.day
      order by o.visitor, o.marketplace_id, o.supplier_id, o.category_id
      for update
    ));
  end if;
  select coalesce(bool_or(private.compute_visitor_product_days(e.events) <> '{}'), false)
  into is_changed
  from private.events_of_day(redraw.tenant_id, redraw.day) as e;
end
$$;
comment on function private.redraw_visitor_product_day is
  'Makes a day of the visitors of a tenant''s products from its events.';

create function private.redraw_visitor_days() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  redraw private.visitor_redraws;
  redrawn private.visitor_redraws[] := '{}'::private.visitor_redraws[];
  restated private.visitor_redraws[] := '{}'::private.visitor_redraws[];
  is_changed boolean;
begin
  -- Locks are taken in the order of compute_visitor_days.
  for redraw in
    select w.*
    from (
      select r.*
      from private.visitor_redraws r
      where r.due_at <= now()
      order by r.due_at, r.day desc
      limit 100
      for update skip locked
    ) as w
    order by w.tenant_id, w.day
  loop
    -- The rest follows a minute later.
    exit when clock_timestamp() > now() + interval '10 seconds';
    is_changed := private.redraw_visitor_day(redraw);
    continue when is_changed is null;
    redrawn := redrawn || redraw;
    if is_changed then
      restated := restated || redraw;
    end if;
  end loop;
  foreach redraw in array redrawn loop
    if private.redraw_visitor_product_day(redraw) then
      restated := restated || redraw;
    end if;
  end loop;
  perform private.restate(r.tenant_id, r.day)
  from (select distinct d.tenant_id, d.day from unnest(restated) as d order by d.tenant_id, d.day) as r;
  foreach redraw in array redrawn loop
    if redraw.is_cleared then
      delete from private.visitor_redraws r where r.tenant_id = redraw.tenant_id and r.day = redraw.day;
    else
      update private.visitor_redraws r
      set is_cleared = true, due_at = now() + interval '1 minute'
      where r.tenant_id = redraw.tenant_id and r.day = redraw.day;
    end if;
  end loop;
end
$$;
comment on function private.redraw_visitor_days() is
  'Makes up to a hundred visitor days again, for about 20 seconds. A reader sees a day with either its old visitors or its new ones.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_redraw_visitor_days
  after update of time_zone on public.tenants
  for each row when (new.time_zone <> old.time_zone)
  execute function private.queue_visitor_redraws();

-- policies -------------------------------------------------------------------------------------

alter table private.visitor_redraws enable row level security;
