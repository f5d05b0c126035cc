-- Epochs. Postgres counts transactions for each server, and a database that is restored elsewhere, or to an earlier time,
-- goes on with other numbers. So what is ordered by transactions is ordered by the epoch first. A new epoch begins with
-- each start of the server, because none can be restored without one, and no transaction survives one. Nobody has to
-- begin it: its time is that of the start, which all transactions read alike, before one of them records it.
--
-- An epoch is a time, and not a number, so that it is later than all that readers have seen in a database of which this
-- one is an older copy.

-- tables ---------------------------------------------------------------------------------------

create table private.epoch (
  epoch timestamptz not null,
  server_started_at timestamptz not null
);
comment on table private.epoch is
  'The last recorded epoch, and the start of the server on which it was recorded. One row. With another start, the epoch of that start has begun: see private.present_epoch.';

-- indexes --------------------------------------------------------------------------------------

create unique index epoch_is_one_row on private.epoch ((true));

-- functions ------------------------------------------------------------------------------------

create function private.epoch_after(recorded private.epoch) returns timestamptz
language plpgsql stable set search_path = ''
as $$
begin
  -- A replica has a start of its own, and shows what its primary recorded.
  if recorded.server_started_at = pg_postmaster_start_time() or pg_is_in_recovery() then
    return recorded.epoch;
  end if;
  return greatest(recorded.epoch + interval '1 microsecond', pg_postmaster_start_time());
end
$$;
comment on function private.epoch_after is 'The present epoch, if this was the last that was recorded.';

create function private.present_epoch() returns timestamptz
language plpgsql stable security definer set search_path = ''
as $$
declare
  recorded private.epoch;
begin
  select e.* into recorded from private.epoch e;
  return private.epoch_after(recorded);
end
$$;
comment on function private.present_epoch() is
  'The epoch of this database: all transactions of earlier epochs have ended. It is the same before and after it is recorded.';

create function private.record_epoch() returns timestamptz
language plpgsql security definer set search_path = ''
as $$
declare
  recorded private.epoch;
begin
  select e.* into recorded from private.epoch e;
  if recorded.server_started_at = pg_postmaster_start_time() then
    return recorded.epoch;
  end if;
  -- A transaction that waited for another one here could wait for a long time, or forever.
  update private.epoch e
  set epoch = private.epoch_after(recorded), server_started_at = pg_postmaster_start_time()
  where e.ctid = (select n.ctid from private.epoch n where n.epoch = recorded.epoch for update skip locked);
  return private.epoch_after(recorded);
end
$$;
comment on function private.record_epoch() is
  'The present epoch, for a row that stores it. Records it, unless that is done or another transaction is doing it.';

-- policies -------------------------------------------------------------------------------------

alter table private.epoch enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.present_epoch to authenticated;
