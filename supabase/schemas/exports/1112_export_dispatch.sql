-- Dispatch: the function `export-dispatch` takes an export, writes parts of its files and reports, until the export is
-- ready. pg_net wakes it after a commit, and a job each minute for exports that remain.
--
-- A dispatcher has a lease of the export that it writes. A report with another lease changes nothing. The database knows
-- the checkpoint before and after a part before that part is sent. So the dispatcher that continues after a crash asks
-- Storage how many bytes have arrived, and continues from one of these checkpoints.
--
-- One large and one small export of a tenant are written at a time, in the order of the requests. A dispatcher gives an
-- export back after some megabytes, so that the exports of all tenants take turns.

-- functions ------------------------------------------------------------------------------------

create function private.exports_to_write() returns setof private.export_jobs
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  select j.*
  from private.export_jobs j
  where (j.leased_until <= clock_timestamp()) is not false
    and j.due_at <= clock_timestamp()
    and j.export_id in (
      select distinct on (first.tenant_id, first.large) first.export_id
      from private.export_jobs first
      order by first.tenant_id, first.large, first.started_at, first.asked_at, first.export_id
    )
  order by j.due_at;
end
$$;
comment on function private.exports_to_write() is
  'Exports that a dispatcher may take: the first large and the first small one of each tenant, unless they are leased. The one that has been due the longest comes first.';

create function private.wake_export_dispatch() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from private.exports_to_write())
    or exists (select from private.export_removals r where r.due_at <= now())
  then
    perform private.wake('export-dispatch');
  end if;
end
$$;
comment on function private.wake_export_dispatch() is 'Wakes the dispatcher if an export is to be written or files are to be removed.';

create function public.wake_export_dispatch() returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.wake_export_dispatch();
end
$$;
comment on function public.wake_export_dispatch() is
  'For the dispatcher: has it called again if an export is to be written or files are to be removed.';

create function private.wake_for_exports() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.wake_export_dispatch();
  return null;
end
$$;
comment on function private.wake_for_exports() is 'Statement trigger: wakes the dispatcher if it has something to do.';

create function private.hold_export(export_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform from public.exports e where e.id = hold_export.export_id for no key update;
end
$$;
comment on function private.hold_export is
  'Locks an export until the end of the transaction. It comes before its job, as when an export is deleted: the other order could deadlock.';

create function private.end_export(export_id uuid, error text default null) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.exports e
  set status = (case when end_export.error is null then 'ready' else 'failed' end)::public.export_status,
      progress = case when end_export.error is null then 100 else e.progress end,
      error = end_export.error,
      finished_at = now(),
      expires_at = case when end_export.error is null then now() + interval '7 days' end
  where e.id = end_export.export_id;
  delete from private.export_jobs j where j.export_id = end_export.export_id;
  perform private.wake_export_dispatch();
end
$$;
comment on function private.end_export is 'Ends an export: it is ready, or has failed with this error. The next one may be written.';

create function private.may_still_export(job private.export_jobs) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from public.exports e
    join public.members m on m.tenant_id = e.tenant_id and m.user_id = e.asked_by
    where e.id = job.export_id and m.status = 'active'
      and (private.reads_all(m.role) or m.role = 'supplier' and m.supplier_id = (job.query).scope.supplier_id)
  )
$$;
comment on function private.may_still_export is
  'Whether the member who requested an export may still see its rows.';

create function private.take_export() returns private.export_jobs
language plpgsql security definer set search_path = ''
as $$
declare
  job private.export_jobs;
begin
  loop
    select j.* into job
    from private.export_jobs j
    join public.exports e on e.id = j.export_id
    where j.export_id in (select t.export_id from private.exports_to_write() t)
      -- Another dispatcher may have taken it since: these conditions are checked again once the row is locked.
      and (j.leased_until <= clock_timestamp()) is not false
      and j.due_at <= clock_timestamp()
    order by j.due_at
    limit 1
    for update of j skip locked
    for no key update of e skip locked;
    exit when not found;

    if not private.may_still_export(job) then
      perform private.end_export(job.export_id, 'The member who asked for the export may no longer see these rows.');
    elsif job.failures + (job.lease is not null)::integer > 5 then
      perform private.end_export(job.export_id, 'The export could not be written, several times in a row. Ask for it again.');
    else
      update private.export_jobs j
      set lease = gen_random_uuid(), leased_until = clock_timestamp() + interval '2 minutes',
          started_at = coalesce(j.started_at, clock_timestamp()),
          -- A dispatcher whose lease has ended may have crashed because of this export.
          failures = j.failures + (j.lease is not null)::integer
      where j.export_id = job.export_id
      returning * into job;
      update public.exports e set status = 'running' where e.id = job.export_id and e.status = 'queued';
      return job;
    end if;
  end loop;
  return null;
end
$$;
comment on function private.take_export() is
  'Leases the next export for two minutes; null if there is none. Ends exports whose member may no longer see their rows, and exports that have failed more than five times in a row.';

create function public.take_export() returns jsonb
language plpgsql set search_path = ''
as $$
declare
  job private.export_jobs := private.take_export();
begin
  if job.export_id is null then
    return null;
  end if;
  return (
    select jsonb_build_object(
      'id', e.id, 'tenant_id', e.tenant_id, 'type', e.type, 'format', e.format, 'bom', e.bom,
      'lease', job.lease, 'checkpoint', job.checkpoint, 'upcoming', job.upcoming,
      'fields', (
        select jsonb_agg(jsonb_build_object('name', f.name, 'kind', f.kind) order by f.place)
        from private.export_fields(e.type) f
      ),
      'file_bytes', private.cap('export_file_bytes')
    )
    from public.exports e
    where e.id = job.export_id
  );
end
$$;
comment on function public.take_export() is
  'For the dispatcher: leases the next export for two minutes. Returns it with its fields and checkpoints; null if there is nothing to write.';

create function public.read_export_rows(export_id uuid, lease uuid, after jsonb, bytes integer) returns json
language plpgsql set search_path = ''
as $$
declare
  job private.export_jobs;
begin
  select j.* into job
  from private.export_jobs j
  where j.export_id = read_export_rows.export_id and j.lease = read_export_rows.lease;
  if not found then
    return null;
  end if;
  return (
    select private.export_rows(
      e.type, job.query, e.format = 'json', read_export_rows.after, read_export_rows.bytes
    )
    from public.exports e
    where e.id = job.export_id
  );
end
$$;
comment on function public.read_export_rows is
  'For the dispatcher: a page of the rows of an export that it has leased, as {rows, after}; null if the lease is no longer valid.';

create function public.report_export(export_id uuid, lease uuid, checkpoint jsonb default null, upcoming jsonb default null)
returns boolean
language plpgsql set search_path = ''
as $$
declare
  job private.export_jobs;
begin
  perform private.hold_export(report_export.export_id);
  update private.export_jobs j
  set checkpoint = coalesce(report_export.checkpoint, j.upcoming - 'part'),
      upcoming = report_export.upcoming,
      failures = case
        -- Without a part that has arrived since, the next failure is one in a row.
        when (coalesce(report_export.checkpoint, j.upcoming) ->> 'bytes')::bigint
          > coalesce((j.checkpoint ->> 'bytes')::bigint, 0)
        then 0
        else j.failures
      end,
      leased_until = clock_timestamp() + interval '2 minutes'
  where j.export_id = report_export.export_id and j.lease = report_export.lease
  returning * into job;
  if not found then
    return false;
  end if;
  update public.exports e
  set rows = (job.checkpoint ->> 'rows')::bigint,
      bytes = (job.checkpoint ->> 'bytes')::bigint,
      progress = least(99, (job.checkpoint ->> 'rows')::bigint * 100 / greatest(job.total, 1)),
      files = case
        when (job.checkpoint ->> 'ended')::boolean then array(select jsonb_array_elements_text(job.checkpoint -> 'files'))
        else e.files
      end
  where e.id = job.export_id;
  if (job.checkpoint ->> 'ended')::boolean then
    perform private.end_export(job.export_id);
  end if;
  return true;
end
$$;
comment on function public.report_export is
  'For the dispatcher: stores the checkpoint (if left out, the upcoming one that was stored before) and the upcoming one, which holds once the next part has arrived. Ends the export if the checkpoint is the last one. Extends the lease by two minutes; false if it is no longer valid or the export is deleted.';

create function public.leave_export(
  export_id uuid, lease uuid, arrived boolean default false, failed boolean default false, error text default null
) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.hold_export(leave_export.export_id);
  update private.export_jobs j
  set lease = null, leased_until = null,
      checkpoint = case when arrived then j.upcoming - 'part' else j.checkpoint end,
      upcoming = case when not arrived then j.upcoming end,
      failures = j.failures + failed::integer,
      due_at = clock_timestamp() + case when failed then interval '5 seconds' * 2 ^ j.failures else interval '0' end
  where j.export_id = leave_export.export_id and j.lease = leave_export.lease;
  if found and leave_export.error is not null then
    perform private.end_export(leave_export.export_id, leave_export.error);
  end if;
  perform private.wake_export_dispatch();
end
$$;
comment on function public.leave_export is
  'For the dispatcher: gives an export back. arrived: the part that was sent last has arrived. failed: it is due again after a pause, which doubles with each failure from 5 s on. error: it has failed for good.';

create function private.export_files(tenant_id uuid, export_id uuid) returns setof text
language sql stable security definer set search_path = ''
as $$
  select o.name
  from storage.objects o
  where o.bucket_id = 'exports'
    and o.name collate "C" >= format('%s/%s.', tenant_id, export_id)
    and o.name collate "C" < format('%s/%s/', tenant_id, export_id)
$$;
comment on function private.export_files is
  'The paths in Storage of an export: its files, and those that a dispatcher that crashed has left.';

create function private.export_files_to_remove() returns text[]
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.export_removals r
  where r.due_at <= clock_timestamp()
    and not exists (select from private.export_files(r.tenant_id, r.export_id));
  return array(
    select f.path
    from private.export_removals r
    cross join lateral private.export_files(r.tenant_id, r.export_id) as f (path)
    where r.due_at <= clock_timestamp()
    order by r.due_at, f.path
    limit 1000
  );
end
$$;
comment on function private.export_files_to_remove() is 'Implements public.export_files_to_remove.';

create function public.export_files_to_remove() returns text[]
language plpgsql set search_path = ''
as $$
begin
  return private.export_files_to_remove();
end
$$;
comment on function public.export_files_to_remove() is
  'For the dispatcher: the paths of files that are to be deleted through Storage, at most 1,000. Forgets exports that have none left.';

create function private.sweep_exports() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.exports e
  set status = 'expired', files = '{}', expires_at = null
  where e.id in (select d.id from public.exports d where d.expires_at <= now() limit 1000);
  delete from public.exports e
  where e.id in (
    select d.id from public.exports d where d.finished_at <= now() - interval '90 days' limit 1000
  );
  perform private.wake_export_dispatch();
end
$$;
comment on function private.sweep_exports() is
  'Expires exports after 7 days, deletes them after 90, and wakes the dispatcher for exports of crashed dispatchers.';

-- triggers -------------------------------------------------------------------------------------

create trigger export_jobs_wake_the_dispatcher
  after insert on private.export_jobs
  for each statement execute function private.wake_for_exports();

create trigger export_removals_wake_the_dispatcher
  after insert on private.export_removals
  for each statement execute function private.wake_for_exports();

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.take_export(), private.hold_export, private.end_export, private.wake_export_dispatch(), private.export_source, private.export_fields,
  private.export_rows,
  private.export_files_to_remove(), public.take_export(), public.read_export_rows, public.report_export,
  public.leave_export, public.export_files_to_remove(), public.wake_export_dispatch()
to service_role;
