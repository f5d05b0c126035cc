-- Dispatch: the function `export-dispatch` takes an export, writes a part of its file and reports, until it is ready.
-- pg_net wakes it after a commit, and pg_cron each minute for what was left over.
--
-- Whoever takes an export has a lease of it, with which it reports: what comes from somebody whose lease has ended
-- changes nothing. Before a part is sent the database knows how far the file is and how far it will be with it; so
-- whoever comes after one that died asks Storage which of both it is, and goes on there.
--
-- A tenant has one large export and one small one written at a time, in the sequence in which they were asked for.
-- Whoever works for a while hands on, so that all tenants' exports take turns.

-- functions ------------------------------------------------------------------------------------

create function private.exports_in_turn() returns setof private.export_jobs
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  select j.*
  from private.export_jobs j
  where (j.leased_until <= clock_timestamp()) is not false
    and j.turn_at <= clock_timestamp()
    and j.export_id in (
      select distinct on (first.tenant_id, first.large) first.export_id
      from private.export_jobs first
      order by first.tenant_id, first.large, first.started_at, first.asked_at, first.export_id
    )
  order by j.turn_at;
end
$$;
comment on function private.exports_in_turn() is
  'Exports that may be written on: of each tenant the first large and the first small one, unless somebody has it; whoever has waited longest first.';

create function private.kick_export_dispatch() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from private.exports_in_turn()) then
    perform private.wake('export-dispatch');
  end if;
end
$$;
comment on function private.kick_export_dispatch() is 'Wakes the dispatcher when there is something to write.';

create function private.kick_for_new_exports() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.kick_export_dispatch();
  return null;
end
$$;
comment on function private.kick_for_new_exports() is 'Statement trigger: wakes the dispatcher.';

create function private.end_export(export_id uuid, error text default null) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.export_jobs j where j.export_id = end_export.export_id;
  update public.exports e
  set status = (case when end_export.error is null then 'ready' else 'failed' end)::public.export_status,
      progress = case when end_export.error is null then 100 else e.progress end,
      error = end_export.error,
      finished_at = now(),
      expires_at = case when end_export.error is null then now() + interval '7 days' end
  where e.id = end_export.export_id;
  perform private.kick_export_dispatch();
end
$$;
comment on function private.end_export is 'An export is ready, or has failed for this reason; others have their turn.';

create function private.may_still_export(job private.export_jobs) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from public.exports e
    join public.members m on m.tenant_id = e.tenant_id and m.user_id = e.asked_by
    where e.id = job.export_id and m.status = 'active'
      and (private.reads_all(m.role) or m.role = 'supplier' and m.supplier_id = (job.wish).scope.supplier_id)
  )
$$;
comment on function private.may_still_export is
  'Whether whoever asked for an export is still somebody who may see what it shows.';

create function private.take_export() returns private.export_jobs
language plpgsql security definer set search_path = ''
as $$
declare
  job private.export_jobs;
begin
  loop
    select j.* into job
    from private.export_jobs j
    where j.export_id in (select t.export_id from private.exports_in_turn() t)
    order by j.turn_at
    limit 1
    for update skip locked;
    exit when not found;

    if not private.may_still_export(job) then
      perform private.end_export(job.export_id, 'Whoever asked for it may not see this any more.');
    elsif job.failures + (job.lease is not null)::integer > 5 then
      perform private.end_export(job.export_id, 'It could not be written, several times over. Ask for it again.');
    else
      update private.export_jobs j
      set lease = gen_random_uuid(), leased_until = clock_timestamp() + interval '2 minutes',
          started_at = coalesce(j.started_at, clock_timestamp()),
          -- Whose lease has ended has died of it, perhaps.
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
  'Leases the export whose turn it is, for two minutes; null where there is none. One whose asker is gone, or at which every dispatcher fails, has failed.';

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
      'lease', job.lease, 'reached', job.reached, 'ahead', job.ahead,
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
  'For the dispatcher: the export whose turn it is, with a lease of two minutes, what its rows have, and how far its file has come; null where there is nothing to write.';

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
      e.type, job.wish, e.format = 'json', read_export_rows.after, read_export_rows.bytes
    )
    from public.exports e
    where e.id = job.export_id
  );
end
$$;
comment on function public.read_export_rows is
  'For the dispatcher: a page of the rows of an export that it has leased, as {rows, after}; null once the lease is somebody else''s.';

create function public.report_export(export_id uuid, lease uuid, reached jsonb default null, ahead jsonb default null)
returns boolean
language plpgsql set search_path = ''
as $$
declare
  job private.export_jobs;
begin
  update private.export_jobs j
  set reached = coalesce(report_export.reached, j.ahead - 'part'), ahead = report_export.ahead, failures = 0,
      leased_until = clock_timestamp() + interval '2 minutes'
  where j.export_id = report_export.export_id and j.lease = report_export.lease
  returning * into job;
  if not found then
    return false;
  end if;
  update public.exports e
  set rows = (job.reached ->> 'rows')::bigint,
      bytes = (job.reached ->> 'bytes')::bigint,
      progress = least(99, (job.reached ->> 'rows')::bigint * 100 / greatest(job.total, 1)),
      files = case
        when (job.reached ->> 'ended')::boolean then array(select jsonb_array_elements_text(job.reached -> 'files'))
        else e.files
      end
  where e.id = job.export_id;
  if (job.reached ->> 'ended')::boolean then
    perform private.end_export(job.export_id);
  end if;
  return true;
end
$$;
comment on function public.report_export is
  'For the dispatcher: how far the file has come for certain (reached: as far as was ahead, unless it is said), and how far it will have come with the part that is sent next (ahead); ready where it has ended. Holds the lease for two minutes more; false once it is somebody else''s, or the export is gone.';

create function public.leave_export(
  export_id uuid, lease uuid, arrived boolean default false, failed boolean default false, error text default null
) returns void
language plpgsql set search_path = ''
as $$
begin
  update private.export_jobs j
  set lease = null, leased_until = null,
      reached = case when arrived then j.ahead - 'part' else j.reached end,
      ahead = case when not arrived then j.ahead end,
      failures = j.failures + failed::integer,
      turn_at = clock_timestamp() + case when failed then interval '5 seconds' * 2 ^ j.failures else interval '0' end
  where j.export_id = leave_export.export_id and j.lease = leave_export.lease;
  if found and leave_export.error is not null then
    perform private.end_export(leave_export.export_id, leave_export.error);
  end if;
  perform private.kick_export_dispatch();
end
$$;
comment on function public.leave_export is
  'For the dispatcher: gives back an export for another turn, when the part that was sent last has arrived; after a while where something has failed, and for good with the error that says why.';

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
  perform private.kick_export_dispatch();
end
$$;
comment on function private.sweep_exports() is
  'Deletes the files of exports after 7 days and what is known of them after 90, and wakes the dispatcher for what a crash left over.';

-- triggers -------------------------------------------------------------------------------------

create trigger export_jobs_kick_the_dispatcher
  after insert on private.export_jobs
  for each statement execute function private.kick_for_new_exports();

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.take_export(), private.end_export, private.kick_export_dispatch(), private.export_source, private.export_fields,
  private.export_rows,
  public.take_export(), public.read_export_rows, public.report_export, public.leave_export
to service_role;

-- cron -----------------------------------------------------------------------------------------

select cron.schedule('sweep-exports', '* * * * *', 'select private.sweep_exports()');
