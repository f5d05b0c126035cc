-- Dispatch: the function `export-dispatch` takes an export, writes parts of its files and reports, until the export is
-- ready.
--
-- A dispatcher has a lease of the export that it writes. The database knows the checkpoint before and after a part before
-- that part is sent. So the dispatcher that continues after a crash asks Storage how many bytes have arrived, and continues
-- from one of these checkpoints.
--
-- One large and one small export of a tenant are written at a time, in the order of the requests. A dispatcher gives an
-- export back after some megabytes, so that the exports of all tenants take turns.

-- functions ------------------------------------------------------------------------------------

create function private.wake_export_dispatch() returns void
language sql security definer set search_path = ''
as $$ select private.wake_for_jobs('{small_exports,large_exports,export_files}') $$;
comment on function private.wake_export_dispatch() is 'Wakes the dispatcher if an export is to be written or files are to be deleted.';

create function public.wake_export_dispatch() returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.wake_export_dispatch();
end
$$;
comment on function public.wake_export_dispatch() is
  'For the dispatcher: has it called again if an export is to be written or files are to be deleted.';

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
  perform private.end_job(q.queue, end_export.export_id) from unnest(array['small_exports', 'large_exports']) as q (queue);
  perform private.wake_export_dispatch();
end
$$;
comment on function private.end_export is 'Ends an export: it is ready, or has failed with this error. The next one may be written.';

create function private.give_up_export(export_id uuid) returns void
language sql security definer set search_path = ''
as $$
  select private.end_export(export_id, 'The export could not be written, several times in a row. Ask for it again.')
$$;
comment on function private.give_up_export is 'Ends an export whose attempts have failed.';

create function private.may_still_export(export_id uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from public.exports e
    join private.export_jobs j on j.export_id = e.id
    join public.members m on m.tenant_id = e.tenant_id and m.user_id = e.asked_by
    where e.id = may_still_export.export_id and m.status = 'active'
      and case private.scope_of('analytics.read', m.role) when 'all' then true when 'own' then m.supplier_id = (j.query).scope.supplier_id end
      and (e.type::text <> 'audit_log' or private.scope_of('audit_log.read', m.role) = 'all')
  )
$$;
comment on function private.may_still_export is
  'Whether the member who requested an export may still see its rows.';

create function private.held_export() returns private.jobs
language plpgsql security definer set search_path = ''
as $$
declare
  candidate private.jobs;
  job private.jobs;
begin
  for candidate in select j.* from private.due_jobs('{small_exports,large_exports}', 20) j loop
    -- Exports are locked before their jobs. Skips one that is being deleted.
    perform from public.exports e where e.id = candidate.subject_id for no key update skip locked;
    if found then
      select j.* into job from private.hold_jobs(array[candidate], 1) j;
      exit when found;
    end if;
  end loop;
  return job;
end
$$;
comment on function private.held_export() is
  'The job of the export that is next, of all tenants in turn, locked with its export until the end of the transaction; null if none is due.';

create function private.lease_export() returns private.jobs
language plpgsql security definer set search_path = ''
as $$
declare
  job private.jobs;
begin
  loop
    job := private.held_export();
    exit when job.subject_id is null;
    if not private.may_still_export(job.subject_id) then
      perform private.end_export(job.subject_id, 'The member who asked for the export may no longer see these rows.');
    elsif private.is_last_attempt(job) then
      perform private.give_up_export(job.subject_id);
    else
      job.lease := private.lease_jobs(array[job]);
      update public.exports e set status = 'running' where e.id = job.subject_id and e.status = 'queued';
      return job;
    end if;
  end loop;
  return null;
end
$$;
comment on function private.lease_export() is
  'Leases the next export; null if there is none. Ends exports whose member may no longer see their rows, and exports that were not written in six attempts.';

create function public.lease_export() returns jsonb
language plpgsql set search_path = ''
as $$
declare
  job private.jobs := private.lease_export();
begin
  return (
    select jsonb_build_object(
      'id', e.id, 'tenant_id', e.tenant_id, 'type', e.type, 'format', e.format, 'bom', e.bom,
      'lease', job.lease, 'checkpoint', w.checkpoint, 'upcoming', w.upcoming,
      'fields', (
        select jsonb_agg(jsonb_build_object('name', f.name, 'kind', f.kind) order by f.place)
        from private.export_fields(e.type) f
      ),
      'file_bytes', private.cap('export_file_bytes')
    )
    from public.exports e
    join private.export_jobs w on w.export_id = e.id
    where e.id = job.subject_id
  );
end
$$;
comment on function public.lease_export() is
  'For the dispatcher: leases the next export for two minutes. Returns it with its fields and checkpoints; null if there is nothing to write.';

create function private.leased_export(export_id uuid, lease uuid) returns private.jobs
language plpgsql security definer set search_path = ''
as $$
declare
  job private.jobs;
begin
  -- The export comes before its job, as when it is deleted: the other order could deadlock.
  perform from public.exports e where e.id = leased_export.export_id for no key update;
  job := private.leased_job('small_exports', leased_export.export_id, leased_export.lease);
  if job.lease is null then
    job := private.leased_job('large_exports', leased_export.export_id, leased_export.lease);
  end if;
  return job;
end
$$;
comment on function private.leased_export is
  'The job of an export that is leased, locked with its export until the end of the transaction; null if the lease is lost.';

create function public.read_export_rows(export_id uuid, lease uuid, after jsonb, bytes integer) returns json
language plpgsql set search_path = ''
as $$
begin
  return (
    select private.export_rows(e.type, w.query, e.format = 'json', read_export_rows.after, read_export_rows.bytes)
    from private.jobs j
    join private.export_jobs w on w.export_id = j.subject_id
    join public.exports e on e.id = j.subject_id
    where j.queue in ('small_exports', 'large_exports') and j.subject_id = read_export_rows.export_id
      and j.lease = read_export_rows.lease
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
  job constant private.jobs := private.leased_export(report_export.export_id, report_export.lease);
  before private.export_jobs;
  work private.export_jobs;
begin
  if job.lease is null then
    return false;
  end if;
  select w.* into before from private.export_jobs w where w.export_id = job.subject_id;
  update private.export_jobs w
  set checkpoint = coalesce(report_export.checkpoint, w.upcoming - 'part'), upcoming = report_export.upcoming
  where w.export_id = job.subject_id
  returning * into work;
  perform private.extend_lease(
    job,
    -- Without a part that has arrived since, the next failure is one in a row.
    case
      when (work.checkpoint ->> 'bytes')::bigint > coalesce((before.checkpoint ->> 'bytes')::bigint, 0) then 1
      else job.attempts
    end
  );
  update public.exports e
  set rows = (work.checkpoint ->> 'rows')::bigint,
      bytes = (work.checkpoint ->> 'bytes')::bigint,
      progress = least(99, (work.checkpoint ->> 'rows')::bigint * 100 / greatest(work.total, 1)),
      files = case
        when (work.checkpoint ->> 'ended')::boolean then array(select jsonb_array_elements_text(work.checkpoint -> 'files'))
        else e.files
      end
  where e.id = job.subject_id;
  if (work.checkpoint ->> 'ended')::boolean then
    perform private.end_export(job.subject_id);
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
declare
  job constant private.jobs := private.leased_export(leave_export.export_id, leave_export.lease);
begin
  if job.lease is not null then
    update private.export_jobs w
    set checkpoint = case when arrived then w.upcoming - 'part' else w.checkpoint end,
        upcoming = case when not arrived then w.upcoming end
    where w.export_id = job.subject_id;
    if leave_export.error is not null then
      perform private.end_export(job.subject_id, leave_export.error);
    elsif not failed then
      perform private.release_job(job);
    elsif private.fail_job(job, 'writing has failed') is null then
      perform private.give_up_export(job.subject_id);
    end if;
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
declare
  held constant private.jobs[] := array(select j from private.hold_due_jobs('{export_files}', 20) j);
begin
  delete from private.jobs j
  using unnest(held) h
  where j.queue = h.queue and j.subject_id = h.subject_id
    and not exists (select from private.export_files(h.tenant_id, h.subject_id));
  perform private.lease_jobs(held);
  return array(
    select f.path
    from unnest(held) h
    cross join lateral private.export_files(h.tenant_id, h.subject_id) as f (path)
    order by f.path
    limit 1000
  );
end
$$;
create function public.export_files_to_remove() returns text[]
language plpgsql set search_path = ''
as $$
begin
  return private.export_files_to_remove();
end
$$;
comment on function public.export_files_to_remove() is
  'For the dispatcher: the paths of files that are to be deleted through Storage, at most 1,000. Those that are still there in two minutes are returned again.';

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
end
$$;
comment on function private.sweep_exports() is
  'Expires exports after 7 days, and deletes them after 90.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.lease_export(), private.leased_export, private.end_export, private.give_up_export,
  private.wake_export_dispatch(), private.export_source, private.export_fields, private.export_rows,
  private.export_files_to_remove(), public.lease_export(), public.read_export_rows, public.report_export,
  public.leave_export, public.export_files_to_remove(), public.wake_export_dispatch()
to service_role;
