-- Deletes events after their retention period, with their deliveries.

-- functions ------------------------------------------------------------------------------------

create function private.delete_old_events() returns void
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  before timestamptz := date_trunc('day', now() - (select r.keep from private.event_retention r), 'utc');
  partitions text[] := array(
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.events'::regclass
      and c.relname ~ '^events_[0-9]{8}$'
      and c.relname < private.event_partition((before at time zone 'utc')::date)
  );
  partition text;
begin
  if partitions = '{}' and not exists (select from private.events_default e where e.created_at < before) then
    return;
  end if;
  perform private.delete_old_deliveries(before);
  delete from private.events_default e where e.created_at < before;
  -- Last, because other transactions wait from here on.
  foreach partition in array partitions loop
    execute format('drop table private.%I', partition);
  end loop;
end
$$;
comment on function private.delete_old_events() is
  'Deletes events that are older than the retention period, after their deliveries. Whole days are deleted by dropping their partition.';
