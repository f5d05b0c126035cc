-- A new time zone changes the days of visitors. A job makes the days again whose events are kept, each in one transaction and
-- the newest first. Earlier days stay as they were.

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

create function private.redraw_visitor_day(tenant_id uuid, day date) returns void
language plpgsql security definer
-- A thousand events at a time are in memory, in the order in which they are read.
set search_path = '' set plan_cache_mode = force_custom_plan set enable_hashagg = off
as $$
#variable_conflict use_column
declare
  time_zone text := private.time_zone_of(redraw_visitor_day.tenant_id);
  starts_at timestamptz := redraw_visitor_day.day::timestamp at time zone time_zone;
  ends_at timestamptz := (redraw_visitor_day.day + 1)::timestamp at time zone time_zone;
  first_received date := (starts_at at time zone 'utc')::date;
  chunk record;
begin
  for chunk in
    select array_agg(e.event) as events
    from (
      select e::private.storefront_events as event, (row_number() over () - 1) / 1000 as turn
      from private.storefront_events e
      where e.tenant_id = redraw_visitor_day.tenant_id
        -- A late event arrives within a day.
        and e.received_on between first_received and first_received + 3
        and e.occurred_at >= starts_at and e.occurred_at < ends_at
    ) as e
    group by e.turn
    order by e.turn
  loop
    perform private.draw_visitor_days(chunk.events);
  end loop;
end
$$;
comment on function private.redraw_visitor_day is 'Makes a visitor day of a tenant from its events.';

create function private.redraw_visitor_days() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  redraw private.visitor_redraws;
begin
  for redraw in
    select r.*
    from private.visitor_redraws r
    where r.due_at <= now()
    order by r.due_at, r.day desc
    limit 100
    for update skip locked
  loop
    -- The rest follows a minute later.
    exit when clock_timestamp() > now() + interval '20 seconds';
    if redraw.is_cleared then
      -- Rows that were written anew while the day was deleted may be in no queue.
      insert into private.uncounted_visitor_days (tenant_id, day, visitor, marketplace_id)
      select d.tenant_id, d.day, d.visitor, d.marketplace_id
      from private.visitor_days d
      where d.tenant_id = redraw.tenant_id and d.day = redraw.day
        and private.counted_as(d.stage) is distinct from d.counted;
      delete from private.visitor_redraws r where r.tenant_id = redraw.tenant_id and r.day = redraw.day;
    else
      continue when not private.uncount_visitor_day(redraw.tenant_id, redraw.day);
      delete from private.visitor_days d where d.tenant_id = redraw.tenant_id and d.day = redraw.day;
      delete from private.visitor_product_days d where d.tenant_id = redraw.tenant_id and d.day = redraw.day;
      update private.visitor_redraws r
      set is_cleared = true, due_at = now() + interval '1 minute'
      where r.tenant_id = redraw.tenant_id and r.day = redraw.day;
    end if;
    perform private.redraw_visitor_day(redraw.tenant_id, redraw.day);
  end loop;
end
$$;
comment on function private.redraw_visitor_days() is
  'Makes up to a hundred visitor days again, for at most 20 seconds. A reader sees a day with its old visitors or its new ones.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_redraw_visitor_days
  after update of time_zone on public.tenants
  for each row when (new.time_zone <> old.time_zone)
  execute function private.queue_visitor_redraws();

-- policies -------------------------------------------------------------------------------------

alter table private.visitor_redraws enable row level security;

-- cron -----------------------------------------------------------------------------------------

select cron.schedule('redraw-visitor-days', '* * * * *', 'select private.redraw_visitor_days()');
