-- Events: triggers write them in the transaction of the change. An event exists if and only if its change was committed.
--
-- Each day of events is a partition in the schema private. Partitions are created some days ahead, and dropped as a
-- whole when they are old enough. Events of a day without a partition go to the default partition, so that no change
-- fails for the lack of one; they are moved when the partition is created. All access is through public.events and its
-- policies.

-- tables ---------------------------------------------------------------------------------------

create table private.event_types (
  name text primary key
);
comment on table private.event_types is 'All event names.';

create table public.events (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  name text not null references private.event_types (name),
  payload jsonb not null,
  bytes integer not null generated always as (octet_length(payload::text)) stored,
  marketplace_id uuid,
  status text,
  -- A reader in the order of both who reads only what is older than every running transaction skips nothing.
  epoch timestamptz not null default private.record_epoch(),
  xact_id xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default clock_timestamp(),
  constraint events_pkey primary key (tenant_id, created_at, id)
) partition by range (created_at);
comment on table public.events is
  'The events of a tenant. payload: the body that webhooks send, as of the time of the event; it never changes. bytes: the size of the payload as text, so that it is known without reading it. marketplace_id, status: those of the event''s record at that time. epoch, xact_id: the transaction that wrote it, and the epoch of the database at that time. Partitioned by day.';

create table private.events_default partition of public.events default;
comment on table private.events_default is 'Events of days without a partition, until it is created.';

create table private.event_retention (
  keep interval not null,
  constraint event_retention_keep_is_at_least_a_day check (keep >= interval '1 day')
);
comment on table private.event_retention is 'The retention period of events. One row.';

create unlogged table private.event_counts (
  tenant_id uuid not null,
  backend integer not null,
  minute timestamptz not null,
  events integer not null,
  constraint event_counts_pkey primary key (tenant_id, backend)
)
-- Free space in each page, as in request_counts, so that frequent updates stay in their page (HOT).
with (fillfactor = 50);
comment on table private.event_counts is
  'The number of events of a tenant that each database connection wrote for users, in its latest minute with events. One row for each connection, so that no transaction waits for another. Unlogged: lost in a crash.';

create unlogged table private.new_products (
  id bigint generated always as identity primary key,
  ids uuid[] not null
);
comment on table private.new_products is
  'The products that a statement added, until the end of its transaction, which writes their events. Unlogged: no other transaction ever sees a row.';

create unlogged table private.moved_shipments (
  id bigint generated always as identity primary key,
  event text not null,
  order_id uuid not null,
  status public.shipment_status not null,
  ids uuid[] not null
);
comment on table private.moved_shipments is
  'The shipments of an order that a statement made or moved, until the end of its transaction, which writes their events. Unlogged: no other transaction ever sees a row.';

create type private.event_place as (epoch timestamptz, xact_id xid8, created_at timestamptz, id uuid);
comment on type private.event_place is
  'The place of an event in the list of events. All events of an earlier epoch, or of a transaction of this epoch with a smaller xact_id, come before it.';

-- indexes --------------------------------------------------------------------------------------

create unique index event_retention_is_one_row on private.event_retention ((true));
create index events_tenant_id_epoch_xact_id_idx on public.events (tenant_id, epoch, xact_id, created_at, id);
create index events_name_idx on public.events (name);

-- functions ------------------------------------------------------------------------------------

create function private.event_partition(day date) returns text
language sql immutable set search_path = ''
as $$
  select to_char(day::timestamp, '"events_"YYYYMMDD')
$$;
comment on function private.event_partition is 'The name of the partition of a day.';

create function private.day_begins(day date) returns timestamptz
language sql immutable set search_path = ''
as $$
  select day::timestamp at time zone 'utc'
$$;
comment on function private.day_begins is 'The start of a day in UTC.';

create function private.move_events(partition text, first timestamptz, beyond timestamptz) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  execute format(
    $move$
      with moved as (
        delete from private.events_default e
        where e.created_at >= $1 and e.created_at < $2
        returning e.id, e.tenant_id, e.name, e.payload, e.marketplace_id, e.status, e.epoch, e.xact_id, e.created_at
      )
      insert into private.%I (id, tenant_id, name, payload, marketplace_id, status, epoch, xact_id, created_at)
      select m.id, m.tenant_id, m.name, m.payload, m.marketplace_id, m.status, m.epoch, m.xact_id, m.created_at
      from moved m
    $move$,
    partition
  )
  using first, beyond;
end
$$;
comment on function private.move_events is
  'Moves events of a period from the default partition into a table that is not a partition yet, so that no trigger fires again.';

create function private.make_event_partitions() returns void
-- A change waits at most this long for it. If it times out, the next try is an hour later. This also prevents deadlocks.
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  today date := (now() at time zone 'utc')::date;
  days date[] := array(
    select d.day
    from (
      select today + ahead from generate_series(0, 7) as ahead
      union
      select (e.created_at at time zone 'utc')::date from private.events_default e
    ) as d (day)
    where d.day <= today + 7 and to_regclass('private.' || private.event_partition(d.day)) is null
    order by d.day
  );
  day date;
begin
  if days = '{}' then
    return;
  end if;
  -- Two passes: the first may take long and blocks nothing.
  foreach day in array days loop
    execute format(
      'create table private.%I (like public.events including defaults including generated including indexes)', private.event_partition(day)
    );
    execute format('alter table private.%I enable row level security', private.event_partition(day));
    perform private.move_events(private.event_partition(day), private.day_begins(day), private.day_begins(day + 1));
  end loop;
  -- Locks are taken in the same order as in changes. Writers wait now, because an event on its way to the default
  -- partition would be refused there once the day has its own partition.
  lock table only public.tenants, only public.events in share row exclusive mode;
  foreach day in array days loop
    perform private.move_events(private.event_partition(day), private.day_begins(day), private.day_begins(day + 1));
    execute format(
      'alter table public.events attach partition private.%I for values from (%L) to (%L)',
      private.event_partition(day), private.day_begins(day), private.day_begins(day + 1)
    );
  end loop;
end
$$;
comment on function private.make_event_partitions() is
  'Creates the partitions of today and a week ahead, and of every day with events in the default partition, which it moves.';

create function private.begin_epoch() returns timestamptz
-- Writers wait meanwhile.
language plpgsql security definer set search_path = '' set lock_timeout = '2s'
as $$
declare
  begun timestamptz;
begin
  -- When it is granted, the transactions that have written events of the epoch before have ended.
  lock table only public.events in share row exclusive mode;
  update private.epoch e
  set epoch = greatest(clock_timestamp(), private.epoch_after(e) + interval '1 microsecond'),
      server_started_at = pg_postmaster_start_time()
  where true
  returning e.epoch into begun;
  return begun;
end
$$;
comment on function private.begin_epoch() is
  'Begins an epoch and returns it. For events that another database has written and that were added to this one: what is written from now on comes after them. Waits up to two seconds for transactions that have written events.';

create function private.microseconds(moment timestamptz) returns bigint
language sql immutable set search_path = ''
as $$
  select (extract(epoch from moment) * 1000000)::bigint
$$;
comment on function private.microseconds is 'The microseconds from 1970 to a moment.';

create function private.moment_at(microseconds bigint) returns timestamptz
language sql immutable set search_path = ''
as $$
  select timestamptz 'epoch' + microseconds * interval '1 microsecond'
$$;
comment on function private.moment_at is 'The moment so many microseconds after 1970.';

create function private.event_cursor(epoch timestamptz, xact_id xid8, created_at timestamptz, id uuid) returns text
language sql immutable set search_path = ''
as $$
  select private.microseconds(epoch) || '-' || xact_id || '.' || private.microseconds(created_at) || '.' || id
$$;
comment on function private.event_cursor is 'The cursor that continues a list of events after this event.';

create function private.event_horizon() returns private.event_place
language plpgsql stable set search_path = ''
as $$
begin
  -- Every transaction with a smaller id has ended, so no event that commits later comes before the events that exist
  -- now.
  return (
    private.present_epoch(), pg_snapshot_xmin(pg_current_snapshot()), timestamptz '-infinity',
    uuid '00000000-0000-0000-0000-000000000000'
  );
end
$$;
comment on function private.event_horizon() is 'The place before which no more events can appear. Lists of events end here.';

create function private.read_event_cursor(cursor text) returns private.event_place
language plpgsql stable set search_path = ''
as $$
declare
  -- An epoch, which is the first one if it is left out; a transaction; and the time and id of its last event that was
  -- listed, without which none of its events was.
  read text[] := regexp_match(
    cursor, '^(?:(\d{1,17})-)?(\d{1,18})(?:\.(-?\d{1,17})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?$'
  );
  place private.event_place := (
    private.moment_at(coalesce(read[1]::bigint, 0)),
    coalesce(read[2], '0')::xid8,
    coalesce(private.moment_at(read[3]::bigint), '-infinity'),
    coalesce(read[4]::uuid, uuid '00000000-0000-0000-0000-000000000000')
  );
begin
  -- A cursor of another database may name what is still to come here, and would skip it.
  if cursor is not null and (
    place.xact_id < '1'
    or (place.epoch, place.xact_id) > (private.present_epoch(), pg_snapshot_xmax(pg_current_snapshot()))
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'after is not a cursor of these events. Start without it, or with since.', 'after',
      to_jsonb(cursor)
    );
  end if;
  return place;
end
$$;
comment on function private.read_event_cursor is
  'The place that a cursor names; for null the place before the first event. Refuses with VALIDATION_ERROR on after.';

create function private.last_event_to_search(
  done private.event_place, horizon private.event_place, earliest timestamptz
) returns private.event_place
language plpgsql stable set search_path = ''
as $$
declare
  -- Events that one page searches for those of one name, so that no page takes long.
  searched constant integer := 10000;
  last private.event_place;
begin
  select e.epoch, e.xact_id, e.created_at, e.id
  into last.epoch, last.xact_id, last.created_at, last.id
  from public.events e
  where (e.epoch, e.xact_id, e.created_at, e.id) > (done.epoch, done.xact_id, done.created_at, done.id)
    and (e.epoch, e.xact_id) < (horizon.epoch, horizon.xact_id)
    and e.created_at >= earliest
  order by e.epoch, e.xact_id, e.created_at, e.id
  offset searched - 1 limit 1;
  return last;
end
$$;
comment on function private.last_event_to_search is
  'The last event that a page of events with one name reads; null when fewer are left before the horizon.';

create function private.newest_event(done private.event_place, horizon private.event_place) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select private.event_cursor(e.epoch, e.xact_id, e.created_at, e.id)
    from public.events e
    where (e.epoch, e.xact_id, e.created_at, e.id) > (done.epoch, done.xact_id, done.created_at, done.id)
      and (e.epoch, e.xact_id) < (horizon.epoch, horizon.xact_id)
    order by e.epoch desc, e.xact_id desc, e.created_at desc, e.id desc
    limit 1
  );
end
$$;
comment on function private.newest_event is
  'The cursor of the newest event below the horizon; null when none came after done.';

create function public.list_events(
  after text default null, name text default null, since text default null, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  size integer := least(greatest(coalesce("limit", 100), 1), 1000);
  most_bytes bigint := private.cap('event_page_bytes');
  horizon private.event_place;
  earliest timestamptz := coalesce(private.moment_of(since, 'since'), '-infinity');
  done private.event_place;
  last private.event_place;
  page jsonb;
  next text;
  more boolean := false;
begin
  perform private.require_permission('events.read', 'Your role may not read events.');
  horizon := private.event_horizon();
  done := private.read_event_cursor(after);
  if list_events.name is not null then
    last := private.last_event_to_search(done, horizon, earliest);
    more := last.id is not null;
  end if;
  if not more then
    last := horizon;
  end if;

  select
    coalesce(jsonb_agg(jsonb_build_object('id', p.id) || p.payload order by p.position), '[]'),
    max(private.event_cursor(p.epoch, p.xact_id, p.created_at, p.id))
      filter (where p.position = size or p.next_total > most_bytes)
  into page, next
  from (
    -- Chosen by size, so that no payload is read that the page has no room for.
    select t.*, lead(t.total) over (order by t.position) as next_total
    from (
      select
        e.id, e.payload, e.epoch, e.xact_id, e.created_at,
        row_number() over in_sequence as position, sum(e.bytes) over in_sequence as total
      from public.events e
      where (e.epoch, e.xact_id, e.created_at, e.id) > (done.epoch, done.xact_id, done.created_at, done.id)
        and (e.epoch, e.xact_id, e.created_at, e.id) <= (last.epoch, last.xact_id, last.created_at, last.id)
        and (list_events.name is null or e.name = list_events.name)
        and e.created_at >= earliest
      window in_sequence as (order by e.epoch, e.xact_id, e.created_at, e.id)
      order by e.epoch, e.xact_id, e.created_at, e.id
      limit size
    ) t
  ) p
  where p.position = 1 or p.total <= most_bytes;
  return jsonb_build_object(
    'events', page,
    'next', case
      when next is null and more then private.event_cursor(last.epoch, last.xact_id, last.created_at, last.id)
      -- The last page continues after the newest event below the horizon, even if a filter leaves that event out. It
      -- does not continue at the horizon, because after a crash the ids of transactions without changes are assigned
      -- again.
      else coalesce(next, private.newest_event(done, horizon), after, '1')
    end,
    'more', more or next is not null
  );
end
$$;
comment on function public.list_events is
  'For admins and clients: the tenant''s events after a cursor, as {events, next, more}. Events are whole bodies in the order of their transactions, which a restore does not change; no event that commits later comes before one that was listed. next: the cursor of the next page, also when no events are left. A page ends before the event that would exceed the cap event_page_bytes. since: a time with its offset, or a day of the tenant''s time zone. Refuses with FORBIDDEN, VALIDATION_ERROR.';

create function public.set_event_retention(keep interval) returns void
language sql set search_path = ''
as $$
  update private.event_retention r set keep = set_event_retention.keep where true
$$;
comment on function public.set_event_retention is
  'For the operator: sets the retention period of events, at least a day. Older events are deleted within an hour.';

create type private.news as (
  tenant_id uuid, name text, data jsonb, beside jsonb, marketplace_id uuid, status text
);
comment on type private.news is
  'An event to write. beside: further fields at the top level, beside data. marketplace_id, status: those of its record, if it has them.';

create function private.count_events(tenant_id uuid, events integer) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  this_minute timestamptz := private.this_minute();
  -- For this transaction: the number of events written, and the number of them that are counted.
  counts integer[];
  written integer;
begin
  -- Timers, services and imports are not limited.
  if auth.uid() is null
    or nullif(current_setting('souk.stock_change', true), '')::jsonb ->> 'reason' = 'import'
  then
    return;
  end if;
  counts := coalesce(nullif(current_setting('souk.events_written', true), ''), '{0,0}')::integer[];
  written := counts[1] + count_events.events;
  -- A transaction that updated its row at each of a thousand events would leave a thousand row versions. So the row is
  -- updated when the number has doubled, and later after every 64 events.
  if written < least(2 * counts[2], counts[2] + 64) then
    perform set_config('souk.events_written', array[written, counts[2]]::text, true);
    return;
  end if;
  perform set_config('souk.events_written', array[written, written]::text, true);
  insert into private.event_counts as c (tenant_id, backend, minute, events)
  values (count_events.tenant_id, pg_backend_pid(), this_minute, written - counts[2])
  on conflict (tenant_id, backend) do update
  set minute = excluded.minute,
      events = excluded.events + case when c.minute = excluded.minute then c.events else 0 end;
  if private.cap('events_per_minute') < (
    select sum(c.events)
    from private.event_counts c
    where c.tenant_id = count_events.tenant_id and c.minute = this_minute
  ) then
    perform private.refuse_beyond(
      'events_per_minute', 'The tenant has reached its limit of events per minute. Wait a minute, or change fewer records at once.'
    );
  end if;
end
$$;
comment on function private.count_events is
  'Counts events that a user''s request is about to write, and refuses with LIMIT_REACHED events beyond the cap of the minute. The refusal ends the whole transaction.';

create function private.shortened(data jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(
    jsonb_object_agg(
      record.key,
      case jsonb_typeof(record.value)
        when 'object' then (
          select coalesce(jsonb_object_agg(field.key, field.value), '{}')
          from jsonb_each(record.value) as field
          where jsonb_typeof(field.value) not in ('object', 'array')
            and (char_length(field.value #>> '{}') > 200) is not true
        )
        else record.value
      end
    ),
    '{}'
  )
  from jsonb_each(data) as record
  where jsonb_typeof(record.value) = 'object'
    or jsonb_typeof(record.value) <> 'array' and (char_length(record.value #>> '{}') > 200) is not true
$$;
comment on function private.shortened is
  'The data of an event that is too large: of each record only the fields that are not lists or objects and have at most 200 characters, such as its ids, status and amounts.';

create function private.emit_all(news private.news[]) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- Each event is a microsecond later than the one before, which is less than the time to write it, so that the order is kept.
  happened timestamptz := clock_timestamp();
  most_bytes bigint := private.cap('event_bytes');
  written record;
begin
  -- Nobody hears of the end of a tenant's records.
  if nullif(current_setting('souk.removed_tenant', true), '') is not null then
    return;
  end if;
  perform private.count_events(n.tenant_id, n.events)
  from (
    -- A large event counts once for every 8 kB.
    select n.tenant_id, sum(1 + pg_column_size(n.data) / 8192)::integer as events
    from unnest(news) as n
    group by n.tenant_id
    order by n.tenant_id
  ) as n;
  for written in
    with numbered as materialized (
      select n.*, gen_random_uuid() as id, happened + (n.position - 1) * interval '1 microsecond' as created_at
      from unnest(news) with ordinality as n (tenant_id, name, data, beside, marketplace_id, status, position)
    )
    insert into public.events as e (id, tenant_id, name, payload, marketplace_id, status, epoch, created_at)
    select
      t.id, t.tenant_id, t.name,
      jsonb_build_object(
        'id', t.id, 'event', t.name,
        'timestamp', to_char(t.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) || coalesce(t.beside, '{}') || jsonb_build_object('data', t.data),
      t.marketplace_id, t.status, (select private.record_epoch()), t.created_at
    from numbered t
    order by t.position
    returning e.id, e.tenant_id, e.created_at, e.bytes
  loop
    -- The payload is written before it is measured, because measuring a copy would cost as much as writing.
    if written.bytes > most_bytes then
      update public.events e
      set payload = e.payload
        || jsonb_build_object('truncated', true, 'data', private.shortened(e.payload -> 'data'))
      where e.tenant_id = written.tenant_id and e.created_at = written.created_at and e.id = written.id;
    end if;
  end loop;
end
$$;
comment on function private.emit_all is
  'Writes events in order: id, event, timestamp, data and further fields at the top level. An event beyond the cap event_bytes has truncated: true and only the short fields of its records.';

create function private.emit(
  tenant_id uuid, name text, data jsonb, beside jsonb default '{}',
  marketplace_id uuid default null, status text default null
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit_all(array[row(tenant_id, name, data, beside, marketplace_id, status)::private.news]);
end
$$;
comment on function private.emit is 'Writes one event. See private.emit_all.';

create function private.order_event_data(order_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('order', to_jsonb(d) || jsonb_build_object('total', d.total_amount))
    from public.order_details d
    where d.id = order_event_data.order_id
  );
end
$$;
comment on function private.order_event_data is 'The data of an order event: the whole record, and its total_amount also as total.';

create function private.emit_order_created() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(
    new.tenant_id, 'order.created', private.order_event_data(new.id),
    marketplace_id => new.marketplace_id, status => new.status::text
  );
  return null;
end
$$;
comment on function private.emit_order_created() is 'Row trigger at commit, when the order has its items.';

create function private.emit_order_status_changed() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  data jsonb := private.order_event_data(new.id);
begin
  perform private.emit(
    new.tenant_id, 'order.status_changed', data,
    jsonb_build_object('order_id', new.id, 'old_status', old.status, 'new_status', new.status),
    new.marketplace_id, new.status::text
  );
  if new.status in ('cancelled', 'delivered') then
    perform private.emit(
      new.tenant_id, case new.status when 'cancelled' then 'order.cancelled' else 'order.completed' end, data,
      marketplace_id => new.marketplace_id, status => new.status::text
    );
  end if;
  return null;
end
$$;
comment on function private.emit_order_status_changed() is 'Row trigger: writes an event for every move, and a second one for some.';

create function private.emit_about_order(name text, order_id uuid, thing text, variadic records jsonb[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  about jsonb := private.order_event_data(order_id);
  -- Hundreds of suppliers may move in one transaction, and the record grows with each. All events together would be large.
  too_large boolean := cardinality(records) > 1
    and cardinality(records) * octet_length(about::text) > private.cap('event_bytes');
begin
  if about -> 'order' ->> 'imported_at' is not null then
    return;
  elsif too_large then
    about := private.shortened(about);
  end if;
  perform private.emit_all(array(
    select row(
      (r.record ->> 'tenant_id')::uuid, emit_about_order.name,
      case when too_large then private.shortened(event.data) else event.data end || about,
      case when too_large then '{"truncated": true}' end,
      (about -> 'order' ->> 'marketplace_id')::uuid, coalesce(r.record ->> 'status', about -> 'order' ->> 'status')
    )::private.news
    from unnest(records) with ordinality as r (record, position)
    cross join lateral (select jsonb_build_object(thing, r.record) as data) as event
    order by r.position
  ));
end
$$;
comment on function private.emit_about_order is
  'Writes an event about each of these records of an order, with the order''s whole record, unless the order was imported. If the events together would hold more of it than the cap event_bytes, they have truncated: true and the short fields only.';

create function private.emit_payment_reported() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit_about_order(
    case new.status
      when 'paid' then 'payment.succeeded'
      when 'payment_reversed' then 'payment.failed'
      else 'payment.' || new.status
    end,
    new.order_id, 'payment', to_jsonb(new) - '{named_amount,delivery_shares}'::text[]
  );
  return null;
end
$$;
comment on function private.emit_payment_reported() is
  'Row trigger at commit: writes an event for every report on a payment, with the payment and its order, unless the order was imported.';

create function private.collect_moved_shipments() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into private.moved_shipments (event, order_id, status, ids)
    select 'shipment.created', m.order_id, m.status, array_agg(m.id order by m.created_at)
    from moved m
    group by m.order_id, m.status;
  else
    insert into private.moved_shipments (event, order_id, status, ids)
    select 'shipment.' || m.status, m.order_id, m.status, array_agg(m.id order by m.created_at)
    from moved m
    join before b on b.id = m.id and b.status <> m.status
    where m.status in ('delivered', 'lost')
    group by m.order_id, m.status;
  end if;
  return null;
end
$$;
comment on function private.collect_moved_shipments() is
  'Statement trigger: collects the shipments of each order that a statement made or moved, so that one trigger at commit writes their events.';

create function private.emit_shipments_moved() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit_about_order(new.event, new.order_id, 'shipment', variadic array(
    -- The status of this move, even if the transaction moves the shipment again.
    select to_jsonb(d) || jsonb_build_object('status', new.status)
    from unnest(new.ids) with ordinality as m (id, position)
    join public.shipment_details d on d.id = m.id
    order by m.position
  ));
  delete from private.moved_shipments m where m.id = new.id;
  return null;
end
$$;
comment on function private.emit_shipments_moved() is
  'Row trigger at commit, when shipments have their items: writes an event about each shipment that was made, delivered or lost.';

create function private.emit_items_cancelled() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit_about_order('order.items_cancelled', d.order_id, 'cancellation', to_jsonb(d))
  from public.order_cancellation_details d
  where d.id = new.id;
  return null;
end
$$;
comment on function private.emit_items_cancelled() is
  'Row trigger at commit, when a cancellation has its items: writes its event.';

create function private.emit_return_moved() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit_about_order(
    'return.' || new.status, d.order_id, 'return', to_jsonb(d) || jsonb_build_object('status', new.status)
  )
  from public.return_request_details d
  where d.id = new.id;
  return null;
end
$$;
comment on function private.emit_return_moved() is
  'Row trigger at commit, when a return request has its items: writes an event when it is made, approved, rejected or received.';

create function private.emit_about_products(ids uuid[], name text) returns void
-- The session caches its plans, also from when there were few rows. The plans must look rows up one by one.
-- Planned once: 0.43 ms without, 0.15 with, for 5 products.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  perform private.emit_all(array(
    select row(
      r.tenant_id, emit_about_products.name, jsonb_build_object('product', to_jsonb(r) - '{description_html,safety}'::text[]), null, r.marketplace_id, r.status
    )::private.news
    from unnest(ids) with ordinality as wanted (id, position)
    join private.product_records r on r.id = wanted.id
    order by wanted.position
  ));
end
$$;
comment on function private.emit_about_products is 'Writes an event about each of some products, with its record as lists have it.';

create function private.already_emitted(event text, subject uuid) returns boolean
language plpgsql set search_path = ''
as $$
declare
  emitted text := coalesce(current_setting('souk.emitted', true), '');
  mark text := event || ' ' || subject || ',';
begin
  if position(mark in emitted) > 0 then
    return true;
  end if;
  perform set_config('souk.emitted', emitted || mark, true);
  return false;
end
$$;
comment on function private.already_emitted is
  'Returns whether this transaction has already written this event about a subject, and records that it has.';

create function private.collect_new_products() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.new_products (ids) select array_agg(a.id) from added a having count(*) > 0;
  return null;
end
$$;
comment on function private.collect_new_products() is
  'Statement trigger: collects the products that a statement added, so that one trigger at commit writes their events.';

create function private.emit_product_created() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- In batches of 100, so that large products fit into memory.
  for i in 1 .. cardinality(new.ids) by 100 loop
    perform private.emit_about_products(new.ids[i:i + 99], 'product.created');
  end loop;
  delete from private.new_products n where n.id = new.id;
  return null;
end
$$;
comment on function private.emit_product_created() is 'Row trigger at commit, when products have their variants and stock.';

create function private.emit_product_event() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  now_is public.products;
begin
  -- The transaction is at its end, so the product does not change again. New and deleted products have their own events.
  select p.* into now_is from public.products p where p.id = new.id and p.created_at <> now();
  if not found then
    return null;
  end if;
  if new.status = 'out_of_stock' and old.status <> 'out_of_stock' and now_is.status = 'out_of_stock' then
    if not private.already_emitted('product.out_of_stock', new.id) then
      perform private.emit_about_products(array[now_is.id], 'product.out_of_stock');
    end if;
    if old.updated_at <> now() then
      return null;
    end if;
  end if;
  -- If a transaction changes a product several times, only its final state is written.
  if now_is = new and not private.already_emitted('product.updated', new.id) then
    perform private.emit_about_products(array[now_is.id], 'product.updated');
  end if;
  return null;
end
$$;
comment on function private.emit_product_event() is
  'Row trigger at commit: writes the events that a product was changed or sold out, each once.';

create function private.user_event_data(member public.members) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'user', jsonb_build_object(
      'id', u.id, 'email', member.email, 'name', member.name, 'role', member.role,
      'email_verified', u.email_confirmed_at is not null
    )
  )
  from auth.users u
  where u.id = member.user_id
$$;
comment on function private.user_event_data is 'The data of a user event: the user and its role.';

create function private.emit_user_registered() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(new.tenant_id, 'user.registered', private.user_event_data(new));
  return null;
end
$$;
comment on function private.emit_user_registered() is 'Row trigger: writes the event that a user has become a member of the tenant.';

create function private.emit_user_verified() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(m.tenant_id, 'user.verified', private.user_event_data(m))
  from public.members m
  where m.user_id = new.id;
  return null;
end
$$;
comment on function private.emit_user_verified() is
  'Row trigger: writes the event that a user''s address was confirmed, in each tenant of the user.';

-- triggers -------------------------------------------------------------------------------------

-- An imported order writes no event, neither at the import nor when it moves.
create constraint trigger orders_emit_created
  after insert on public.orders
  deferrable initially deferred
  for each row when (new.imported_at is null)
  execute function private.emit_order_created();

-- The history is written after the move. At commit, the payload includes both.
create constraint trigger orders_emit_status_changed
  after update of status on public.orders
  deferrable initially deferred
  for each row when (old.status is distinct from new.status and new.imported_at is null)
  execute function private.emit_order_status_changed();

create constraint trigger payments_emit_reported
  after insert on public.payments
  deferrable initially deferred
  for each row execute function private.emit_payment_reported();

create trigger shipments_note_new
  after insert on public.shipments
  referencing new table as moved
  for each statement execute function private.collect_moved_shipments();

create trigger shipments_note_moves
  after update on public.shipments
  referencing old table as before new table as moved
  for each statement execute function private.collect_moved_shipments();

create constraint trigger moved_shipments_emit
  after insert on private.moved_shipments
  deferrable initially deferred
  for each row execute function private.emit_shipments_moved();

create constraint trigger return_requests_emit_requested
  after insert on public.return_requests
  deferrable initially deferred
  for each row execute function private.emit_return_moved();

create constraint trigger return_requests_emit_moved
  after update of status on public.return_requests
  deferrable initially deferred
  for each row when (old.status <> new.status and new.status in ('approved', 'rejected', 'received'))
  execute function private.emit_return_moved();

create constraint trigger order_cancellations_emit_items_cancelled
  after insert on public.order_cancellations
  deferrable initially deferred
  for each row execute function private.emit_items_cancelled();

create trigger products_note_new
  after insert on public.products
  referencing new table as added
  for each statement execute function private.collect_new_products();

create constraint trigger new_products_emit_created
  after insert on private.new_products
  deferrable initially deferred
  for each row execute function private.emit_product_created();

create constraint trigger products_emit_updated
  after update on public.products
  deferrable initially deferred
  for each row when (old.* is distinct from new.*)
  execute function private.emit_product_event();

create trigger members_emit_user_registered
  after insert on public.members
  for each row when (not new.is_anonymous)
  execute function private.emit_user_registered();

-- A guest registers by getting an e-mail address.
create trigger guests_emit_user_registered
  after update of email on public.members
  for each row when (old.email = '' and new.email <> '')
  execute function private.emit_user_registered();

create trigger members_emit_user_verified
  after update of email_confirmed_at on auth.users
  for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null)
  execute function private.emit_user_verified();

-- policies -------------------------------------------------------------------------------------

alter table private.event_types enable row level security;
alter table private.event_retention enable row level security;
alter table private.event_counts enable row level security;
alter table private.new_products enable row level security;
alter table private.moved_shipments enable row level security;
alter table private.events_default enable row level security;
alter table public.events enable row level security;

create policy "Admins and clients see their tenant's events" on public.events
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.scope('events.read')) = 'all'
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.events to authenticated;
grant select on public.events to service_role;
-- Only triggers write events, and events do not change.
revoke insert, update, delete, truncate on public.events from service_role;

grant execute on function
  private.microseconds, private.moment_at, private.event_cursor, private.event_horizon, private.read_event_cursor, private.last_event_to_search, private.newest_event,
  public.list_events
to authenticated;
grant select, update on private.event_retention to service_role;
grant execute on function public.set_event_retention to service_role;
