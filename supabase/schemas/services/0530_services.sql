-- Services: the calendar of a product, the slots that follow from it, and their bookings. An item of an order that
-- names a starts_at makes a booking, and no slot is booked twice.

create extension if not exists btree_gist with schema extensions;

create type public.booking_status as enum ('booked', 'cancelled');

-- tables ---------------------------------------------------------------------------------------

create table public.service_calendars (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  time_zone text not null,
  duration_minutes integer not null,
  capacity integer not null default 1,
  lead_minutes integer not null default 0,
  cancellation_minutes integer not null default 0,
  location jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint service_calendars_tenant_id_product_id_key unique (tenant_id, product_id),
  constraint service_calendars_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint service_calendars_duration_minutes_is_between_5_and_1440 check (duration_minutes between 5 and 1440),
  constraint service_calendars_capacity_is_between_1_and_1000 check (capacity between 1 and 1000),
  constraint service_calendars_lead_minutes_is_between_0_and_525600 check (lead_minutes between 0 and 525600),
  constraint service_calendars_cancellation_minutes_is_between_0_and_525600
    check (cancellation_minutes between 0 and 525600),
  constraint service_calendars_location_is_an_object
    check (jsonb_typeof(location) = 'object' and char_length(location::text) <= 10000),
  constraint service_calendars_location_is_without_numbers_of_over_30_digits check (private.has_short_numbers(location)),
  constraint service_calendars_time_zone_is_at_most_100_characters check (char_length(time_zone) <= 100)
);
comment on table public.service_calendars is
  'How a service is booked: slots of duration_minutes with capacity seats each. A slot can be booked until lead_minutes before it starts, and its customer can cancel it until cancellation_minutes before.';
alter table public.service_calendars replica identity full;

create table public.service_hours (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  weekday smallint not null,
  opens time not null,
  closes time not null,
  constraint service_hours_product_id_fkey foreign key (tenant_id, product_id)
    references public.service_calendars (tenant_id, product_id) on delete cascade,
  constraint service_hours_weekday_is_between_1_and_7 check (weekday between 1 and 7),
  constraint service_hours_closes_is_after_it_opens check (closes > opens)
);
comment on table public.service_hours is
  'The weekly opening hours of a service, in its calendar''s time zone. Weekday 1 is Monday.';

create table public.service_exceptions (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  date date not null,
  opens time,
  closes time,
  constraint service_exceptions_product_id_fkey foreign key (tenant_id, product_id)
    references public.service_calendars (tenant_id, product_id) on delete cascade,
  constraint service_exceptions_date_is_in_the_years_1_to_9999 check (date between '0001-01-01' and '9999-12-31'),
  constraint service_exceptions_closes_is_set_with_opens check ((opens is null) = (closes is null)),
  constraint service_exceptions_closes_is_after_it_opens check (closes > opens)
);
comment on table public.service_exceptions is
  'Days with their own hours instead of the weekly ones. A row without hours closes the day.';

create table public.bookings (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  order_id uuid not null,
  order_item_id uuid not null,
  customer_id uuid not null,
  supplier_id uuid,
  name text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  seat integer not null,
  status public.booking_status not null default 'booked',
  cancellation_minutes integer not null default 0,
  -- Computed in UTC, because only that is immutable.
  cancellable_until timestamptz not null generated always as (
    (starts_at at time zone 'UTC' - make_interval(mins => cancellation_minutes)) at time zone 'UTC'
  ) stored,
  delivered_at timestamptz,
  delivery_delayed_until timestamptz,
  time_zone text not null,
  location jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint bookings_order_item_id_key unique (tenant_id, order_id, order_item_id),
  constraint bookings_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint bookings_order_item_id_fkey foreign key (tenant_id, order_id, order_item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint bookings_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id),
  constraint bookings_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint bookings_ends_at_is_after_starts_at check (ends_at > starts_at),
  constraint bookings_seat_is_at_least_1 check (seat >= 1),
  -- Holds for every writer: a seat is booked once at a time.
  constraint bookings_seat_is_taken_once exclude using gist (
    tenant_id with =, product_id with =, seat with =, tstzrange(starts_at, ends_at) with &&
  ) where (status = 'booked')
);
comment on table public.bookings is
  'One seat in a slot of a service for one item of an order, with name, location and cancellation_minutes as they were when it was booked. cancellable_until: the time until which its customer can cancel it. delivered_at: its end, once it is over and counts as delivered. delivery_delayed_until: the time before which the job does not try again.';

-- indexes --------------------------------------------------------------------------------------

create unique index service_hours_product_idx on public.service_hours (tenant_id, product_id, weekday, id);
alter table public.service_hours replica identity using index service_hours_product_idx;
create unique index service_exceptions_product_idx on public.service_exceptions (tenant_id, product_id, date, id);
alter table public.service_exceptions replica identity using index service_exceptions_product_idx;
create unique index bookings_tenant_id_starts_at_idx on public.bookings (tenant_id, starts_at, id);
alter table public.bookings replica identity using index bookings_tenant_id_starts_at_idx;
create index bookings_product_idx on public.bookings (tenant_id, product_id, starts_at, id);
create index bookings_customer_idx on public.bookings (tenant_id, customer_id, starts_at, id);
create index bookings_supplier_idx on public.bookings (tenant_id, supplier_id, starts_at, id);
-- For the job, which looks at all tenants at once.
create index bookings_ends_at_idx on public.bookings (ends_at) where status = 'booked' and delivered_at is null;

-- functions ------------------------------------------------------------------------------------

create view public.booking_details with (security_invoker = true) as
select
  b.id, b.tenant_id, b.product_id, b.order_id, b.order_item_id, b.customer_id, b.supplier_id, b.name, b.starts_at, b.ends_at,
  b.seat, b.status, b.cancellable_until, b.delivered_at, b.time_zone, b.location, b.created_at, b.updated_at,
  private.local_text(b.starts_at, t.time_zone) as starts_at_local,
  private.local_text(b.ends_at, t.time_zone) as ends_at_local,
  private.local_text(b.cancellable_until, t.time_zone) as cancellable_until_local,
  private.local_text(b.delivered_at, t.time_zone) as delivered_at_local,
  private.local_text(b.created_at, t.time_zone) as created_at_local,
  private.local_text(b.updated_at, t.time_zone) as updated_at_local
from public.bookings b
left join public.tenants t on t.id = b.tenant_id;
comment on view public.booking_details is
  'The bookings, as the API returns them: their times are also there as texts in the tenant''s time zone (…_local).';

create function private.check_calendar() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if (
    select p.kind from public.products p where p.tenant_id = new.tenant_id and p.id = new.product_id
  ) <> 'service' then
    perform private.refuse(
      'VALIDATION_ERROR', 'Only services can have a calendar.', 'product_id', to_jsonb(new.product_id)
    );
  end if;
  perform private.check_time_zone(new.time_zone);
  return new;
end
$$;
comment on function private.check_calendar() is 'Row trigger: only services have a calendar, and its time zone exists.';

create function private.check_hours(hours jsonb, field text, most integer) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  clash record;
begin
  if jsonb_typeof(hours) is distinct from 'array' then
    perform private.refuse('VALIDATION_ERROR', 'Hours must be a list of {opens, closes}.', field, hours);
  elsif jsonb_array_length(hours) > most then
    perform private.refuse('VALIDATION_ERROR', format('At most %s hours are allowed.', most), field);
  end if;
  with sent as (
    select
      h.position - 1 as index, h.value, (h.value ->> 'weekday')::integer as weekday,
      (h.value ->> 'opens')::time as opens, (h.value ->> 'closes')::time as closes
    from jsonb_array_elements(hours) with ordinality as h (value, position)
  )
  select a.index, a.value into clash
  from sent a
  where a.opens is null
    or a.closes is null
    or a.closes <= a.opens
    or exists (
      select 1
      from sent b
      where b.index < a.index and b.weekday is not distinct from a.weekday and a.opens < b.closes and b.opens < a.closes
    )
  order by a.index
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', 'Hours must open before they close, and must not overlap.',
      format('%s[%s]', field, clash.index), clash.value
    );
  end if;
end
$$;
comment on function private.check_hours is
  'Refuses with VALIDATION_ERROR hours that overlap or close before they open, and more than the maximum.';

create function private.calendar_record(tenant_id uuid, product_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return (
    select jsonb_build_object(
      'product_id', c.product_id, 'time_zone', c.time_zone, 'duration_minutes', c.duration_minutes,
      'capacity', c.capacity, 'lead_minutes', c.lead_minutes, 'cancellation_minutes', c.cancellation_minutes,
      'location', c.location,
      'hours', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'weekday', h.weekday, 'opens', to_char(h.opens, 'HH24:MI'), 'closes', to_char(h.closes, 'HH24:MI')
            )
            order by h.weekday, h.opens
          ),
          '[]'
        )
        from public.service_hours h
        where h.tenant_id = c.tenant_id and h.product_id = c.product_id
      ),
      'exceptions', (
        select coalesce(jsonb_agg(jsonb_build_object('date', day.date, 'hours', day.hours) order by day.date), '[]')
        from (
          select e.date,
            coalesce(
              jsonb_agg(
                jsonb_build_object('opens', to_char(e.opens, 'HH24:MI'), 'closes', to_char(e.closes, 'HH24:MI'))
                order by e.opens
              ) filter (where e.opens is not null),
              '[]'
            ) as hours
          from public.service_exceptions e
          where e.tenant_id = c.tenant_id and e.product_id = c.product_id
          group by e.date
        ) as day
      ),
      'created_at', c.created_at, 'updated_at', c.updated_at
    )
    from public.service_calendars c
    where c.tenant_id = calendar_record.tenant_id and c.product_id = calendar_record.product_id
  );
end
$$;
comment on function private.calendar_record is 'The record of a calendar, as the API returns it.';

create function private.bookable_product(product_id uuid) returns uuid
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if not exists (
    select 1
    from public.products p
    join public.service_calendars c on c.tenant_id = p.tenant_id and c.product_id = p.id
    where p.tenant_id = (select private.tenant_id()) and p.id = bookable_product.product_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such product, or it has no calendar.');
  end if;
  return private.tenant_id();
end
$$;
comment on function private.bookable_product is
  'The tenant of a product that the caller sees and that has a calendar. Refuses with NOT_FOUND.';

create function public.get_service_calendar(product_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.calendar_record(private.bookable_product(product_id), product_id);
end
$$;
comment on function public.get_service_calendar is 'The calendar of a service, for everybody who sees the product.';

create function private.set_service_calendar(
  product_id uuid, time_zone text, duration_minutes integer, capacity integer, lead_minutes integer, location jsonb,
  hours jsonb, exceptions jsonb, cancellation_minutes integer
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  product public.products := private.managed_product(set_service_calendar.product_id, 'calendars.write');
  day record;
  kept jsonb;
begin
  perform private.check_hours(hours, 'hours', 200);
  if exists (
    select 1
    from jsonb_array_elements(hours) as h
    where (h ->> 'weekday')::integer not between 1 and 7 or h ->> 'weekday' is null
  ) then
    perform private.refuse('VALIDATION_ERROR', 'weekday must be a number from 1 (Monday) to 7.', 'hours', hours);
  elsif jsonb_typeof(exceptions) is distinct from 'array' then
    perform private.refuse('VALIDATION_ERROR', 'exceptions must be a list of {date, hours}.', 'exceptions', exceptions);
  elsif jsonb_array_length(exceptions) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'exceptions must have at most 1000 entries.', 'exceptions');
  end if;
  for day in
    select
      e.position - 1 as index, e.value, e.value -> 'hours' as hours,
      ((e.value ->> 'date')::date between '0001-01-01' and '9999-12-31') is not true
        or count(*) over (partition by (e.value ->> 'date')::date order by e.position) > 1 as wrong
    from jsonb_array_elements(exceptions) with ordinality as e (value, position)
    order by e.position
  loop
    if day.wrong then
      perform private.refuse(
        'VALIDATION_ERROR', 'Each exception must have a different date, in the years 1 to 9999.',
        format('exceptions[%s].date', day.index),
        day.value -> 'date'
      );
    end if;
    perform private.check_hours(day.hours, format('exceptions[%s].hours', day.index), 50);
  end loop;

  insert into public.service_calendars as c
    (tenant_id, product_id, time_zone, duration_minutes, capacity, lead_minutes, cancellation_minutes, location)
  values (
    product.tenant_id, product.id, set_service_calendar.time_zone, set_service_calendar.duration_minutes,
    set_service_calendar.capacity, set_service_calendar.lead_minutes, set_service_calendar.cancellation_minutes,
    set_service_calendar.location
  )
  on conflict (tenant_id, product_id) do update
    set time_zone = excluded.time_zone,
        duration_minutes = excluded.duration_minutes,
        capacity = excluded.capacity,
        lead_minutes = excluded.lead_minutes,
        cancellation_minutes = excluded.cancellation_minutes,
        location = excluded.location;

  delete from public.service_hours h where h.tenant_id = product.tenant_id and h.product_id = product.id;
  insert into public.service_hours (tenant_id, product_id, weekday, opens, closes)
  select product.tenant_id, product.id, h.weekday, h.opens, h.closes
  from jsonb_to_recordset(hours) as h (weekday smallint, opens time, closes time);

  delete from public.service_exceptions e where e.tenant_id = product.tenant_id and e.product_id = product.id;
  insert into public.service_exceptions (tenant_id, product_id, date, opens, closes)
  select product.tenant_id, product.id, e.date, h.opens, h.closes
  from jsonb_to_recordset(exceptions) as e (date date, hours jsonb)
  left join lateral jsonb_to_recordset(e.hours) as h (opens time, closes time) on true;

  kept := private.calendar_record(product.tenant_id, product.id);
  perform private.bound_record(
    octet_length(kept::text), 1, 'The calendar is too large. Remove exceptions.', 'exceptions'
  );
  return kept;
end
$$;
comment on function private.set_service_calendar is
  'Creates or replaces the calendar of a service. Refuses with NOT_FOUND, FORBIDDEN, VALIDATION_ERROR.';

create function public.set_service_calendar(
  product_id uuid,
  time_zone text,
  duration_minutes integer,
  capacity integer default 1,
  lead_minutes integer default 0,
  location jsonb default null,
  hours jsonb default '[]',
  exceptions jsonb default '[]',
  cancellation_minutes integer default 0
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.set_service_calendar(
    product_id, time_zone, duration_minutes, capacity, lead_minutes, location, hours, exceptions,
    cancellation_minutes
  );
end
$$;
comment on function public.set_service_calendar is
  'Creates the calendar of a service or replaces all of it. hours: a list of weekday (1 is Monday), opens and closes. exceptions: a list of date and hours; no hours close the day. cancellation_minutes: the time before the start of a slot until which its customer can cancel it. Existing bookings stay.';

create function private.service_slots(tenant_id uuid, product_id uuid, first_day date, last_day date)
returns table (starts_at timestamptz, ends_at timestamptz, available integer)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  -- JIT compilation takes longer than the query.
  -- Opening hours are local times and slots have a fixed duration, so a day on which the clock changes has more or
  -- fewer slots.
  return query
    with calendar as (
      select * from public.service_calendars c
      where c.tenant_id = service_slots.tenant_id and c.product_id = service_slots.product_id
    ),
    exception as (
      select e.date, e.opens, e.closes
      from public.service_exceptions e
      where e.tenant_id = service_slots.tenant_id
        and e.product_id = service_slots.product_id
        and e.date between first_day and last_day
    ),
    opening as (
      select day.date, h.opens, h.closes
      from (
        select first_day + offs as date from generate_series(0, last_day - first_day) as offs
      ) as day
      join public.service_hours h
        on h.tenant_id = service_slots.tenant_id
        and h.product_id = service_slots.product_id
        and h.weekday = extract(isodow from day.date)
      where day.date not in (select e.date from exception e)
      union all
      select e.date, e.opens, e.closes from exception e where e.opens is not null
    ),
    slot as (
      select distinct s.starts_at, s.starts_at + make_interval(mins => c.duration_minutes) as ends_at, c.capacity
      from calendar c
      cross join opening o
      cross join lateral generate_series(
        (o.date + o.opens) at time zone c.time_zone,
        (o.date + o.closes) at time zone c.time_zone - make_interval(mins => c.duration_minutes),
        make_interval(mins => c.duration_minutes)
      ) as s (starts_at)
      where s.starts_at >= now() + make_interval(mins => c.lead_minutes)
    ),
    -- The longest booking: one that is still going on at a slot began at most this long before it.
    longest as (
      select max(b.ends_at - b.starts_at) as duration
      from public.bookings b
      where b.tenant_id = service_slots.tenant_id
        and b.product_id = service_slots.product_id
        and b.starts_at between first_day - interval '2 days' and last_day + interval '2 days'
        and b.status = 'booked'
    ),
    counted as (
      select
        slot.starts_at, slot.ends_at,
        slot.capacity - (
          select count(distinct b.seat)::integer
          from public.bookings b
          where b.tenant_id = service_slots.tenant_id
            and b.product_id = service_slots.product_id
            and b.starts_at > slot.starts_at - (select longest.duration from longest)
            and b.starts_at < slot.ends_at
            and b.ends_at > slot.starts_at
            and b.status = 'booked'
            and b.seat <= slot.capacity
        ) as available
      from slot
    )
    select counted.starts_at, counted.ends_at, counted.available
    from counted
    where counted.available > 0;
end
$$;
comment on function private.service_slots is
  'The slots of a service that can be booked and have seats left, on these days in the time zone of its calendar.';

create function public.list_service_slots(
  product_id uuid,
  "from" date default null,
  "to" date default null,
  "order" text default 'asc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  tenant uuid := private.bookable_product(product_id);
  tenant_zone text := private.time_zone_of(tenant);
  zone text := (
    select c.time_zone
    from public.service_calendars c
    where c.tenant_id = tenant and c.product_id = list_service_slots.product_id
  );
  first_day date := coalesce("from", (now() at time zone tenant_zone)::date);
  last_day date := coalesce("to", first_day + 6);
  begins_at timestamptz := first_day::timestamp at time zone tenant_zone;
  stops_at timestamptz := (last_day + 1)::timestamp at time zone tenant_zone;
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
begin
  if last_day < first_day then
    perform private.refuse('VALIDATION_ERROR', 'to must not be before from.', 'to', to_jsonb(last_day));
  elsif last_day - first_day > 61 then
    perform private.refuse('VALIDATION_ERROR', 'to must be at most 61 days after from.', 'to', to_jsonb(last_day));
  end if;
  return (
    with found as (
      select
        s.starts_at, s.ends_at, private.local_text(s.starts_at, tenant_zone) as starts_at_local,
        private.local_text(s.ends_at, tenant_zone) as ends_at_local, s.available,
        row_number() over (
          order by case "order" when 'desc' then s.starts_at end desc, case "order" when 'desc' then null else s.starts_at end
        ) as position
      -- The days of opening hours are those of the calendar's time zone.
      from private.service_slots(
        tenant, product_id, (begins_at at time zone zone)::date, (stops_at at time zone zone)::date
      ) as s
      where s.starts_at >= begins_at and s.starts_at < stops_at
    )
    select jsonb_build_object(
      'product_id', product_id, 'time_zone', zone, 'from', first_day, 'to', last_day,
      'slots', coalesce(
        jsonb_agg(to_jsonb(f) - 'position' order by f.position)
          filter (where f.position > skipped and f.position <= skipped + size),
        '[]'
      ),
      'total', count(*)
    )
    from found f
  );
end
$$;
comment on function public.list_service_slots is
  'A page of the free slots of a service between two days of the tenant''s time zone, at most 62 days; by default today and the next six days. time_zone: that of the calendar''s opening hours; starts_at_local and ends_at_local are in the tenant''s.';

create function private.free_seat(calendar public.service_calendars, starts_at timestamptz, path text) returns integer
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  day constant date := free_seat.starts_at at time zone calendar.time_zone;
begin
  if not isfinite(free_seat.starts_at) or not exists (
    select 1
    from private.service_slots(calendar.tenant_id, calendar.product_id, day, day) as s
    where s.starts_at = free_seat.starts_at
  ) then
    perform private.refuse(
      'SLOT_NOT_AVAILABLE', 'This slot is not available. Choose one of the free slots.', path || 'starts_at'
    );
  end if;
  return (
    select min(free.seat)
    from generate_series(1, calendar.capacity) as free (seat)
    where not exists (
      select 1
      from public.bookings b
      where b.tenant_id = calendar.tenant_id
        and b.product_id = calendar.product_id
        and b.seat = free.seat
        and b.status = 'booked'
        and tstzrange(b.starts_at, b.ends_at)
          && tstzrange(free_seat.starts_at, free_seat.starts_at + make_interval(mins => calendar.duration_minutes))
    )
  );
end
$$;
comment on function private.free_seat is
  'The first free seat of a slot. The caller has locked the calendar. Refuses with SLOT_NOT_AVAILABLE.';

create function private.check_booking(
  calendar public.service_calendars, starts_at timestamptz, quantity integer, path text
) returns void
language plpgsql set search_path = ''
as $$
begin
  -- The refusals leave out the value of starts_at, which is no longer in the form that was sent.
  if calendar.id is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'This product has no calendar. Leave starts_at out.', path || 'starts_at'
    );
  elsif starts_at is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'starts_at is required: name the slot to book.', path || 'starts_at', 'null'
    );
  elsif quantity <> 1 then
    perform private.refuse(
      'VALIDATION_ERROR', 'quantity must be 1 for a service. Send one item for each place.', path || 'quantity',
      to_jsonb(quantity)
    );
  end if;
end
$$;
comment on function private.check_booking is
  'Refuses with VALIDATION_ERROR an item that names no slot of its service, or several places, or a slot of a product without a calendar.';

create function private.book_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  item record;
begin
  -- Locks the calendars until the end of the transaction, in the order of products, which prevents deadlocks. What is
  -- read below stays true.
  perform 1
  from public.service_calendars c
  join new_items n on n.tenant_id = c.tenant_id and n.product_id = c.product_id
  join public.orders o on o.tenant_id = n.tenant_id and o.id = n.order_id and o.imported_at is null
  order by c.product_id
  for no key update of c;

  for item in
    select
      n.*, o.customer_id, c as calendar,
      format('items[%s].', n.position - 1) as path
    from new_items n
    join public.products p on p.tenant_id = n.tenant_id and p.id = n.product_id
    join public.orders o on o.tenant_id = n.tenant_id and o.id = n.order_id and o.imported_at is null
    left join public.service_calendars c on c.tenant_id = n.tenant_id and c.product_id = n.product_id
    where p.kind = 'service' or n.starts_at is not null
    order by n.order_id, n.position
  loop
    continue when (item.calendar).id is null and item.starts_at is null;
    perform private.check_booking(item.calendar, item.starts_at, item.quantity, item.path);
    begin
      insert into public.bookings (
        tenant_id, product_id, order_id, order_item_id, customer_id, supplier_id, name, starts_at, ends_at, seat,
        cancellation_minutes, time_zone, location
      )
      values (
        item.tenant_id, item.product_id, item.order_id, item.id, item.customer_id, item.supplier_id, item.name,
        item.starts_at, item.starts_at + make_interval(mins => (item.calendar).duration_minutes),
        private.free_seat(item.calendar, item.starts_at, item.path),
        (item.calendar).cancellation_minutes, (item.calendar).time_zone, (item.calendar).location
      );
    exception
      -- The constraint refuses a seat that another writer has booked.
      when exclusion_violation then
        perform private.refuse(
          'SLOT_NOT_AVAILABLE', 'This slot was just booked. Choose another one.', item.path || 'starts_at'
        );
    end;
  end loop;
  return null;
end
$$;
comment on function private.book_items() is
  'Statement trigger: books the items of services, or refuses the order: VALIDATION_ERROR, SLOT_NOT_AVAILABLE. Items of imported orders are not booked.';

create function private.free_bookings() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.bookings b
  set status = 'cancelled'
  where b.tenant_id = new.tenant_id
    and b.order_id = new.order_id
    and b.order_item_id = new.id
    and b.status = 'booked';
  return null;
end
$$;
comment on function private.free_bookings() is
  'Row trigger: cancels the bookings of items that are cancelled or returned, which frees their slots.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.service_calendars
  for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.bookings for each row execute function private.keep_nfc();

create trigger service_calendars_check_calendar
  before insert or update on public.service_calendars
  for each row execute function private.check_calendar();

create trigger service_calendars_touch
  before update on public.service_calendars
  for each row execute function private.touch();

create trigger bookings_touch
  before update on public.bookings
  for each row execute function private.touch();

create trigger order_items_book
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.book_items();

create trigger order_items_free_bookings
  after update on public.order_items
  for each row when (new.sold_quantity < old.sold_quantity)
  execute function private.free_bookings();

-- policies -------------------------------------------------------------------------------------

alter table public.service_calendars enable row level security;
alter table public.service_hours enable row level security;
alter table public.service_exceptions enable row level security;
alter table public.bookings enable row level security;

create policy "Members who see a product see its calendar" on public.service_calendars
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Members who see a product see its hours" on public.service_hours
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Members who see a product see its exceptions" on public.service_exceptions
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins and clients see all bookings, customers their own, suppliers those of their items" on public.bookings
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.reach('bookings.read'))
      when 'customer' then customer_id = (select private.customer_id())
      when 'supplier' then supplier_id = (select private.supplier_id())
      when 'all' then true
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on
  public.service_calendars, public.service_hours, public.service_exceptions, public.bookings, public.booking_details
to authenticated;
grant all on
  public.service_calendars, public.service_hours, public.service_exceptions, public.bookings, public.booking_details
to service_role;
grant execute on function
  private.set_service_calendar, private.calendar_record, private.bookable_product, private.service_slots
to authenticated;
grant execute on function
  public.get_service_calendar, public.set_service_calendar, public.list_service_slots
to authenticated;
