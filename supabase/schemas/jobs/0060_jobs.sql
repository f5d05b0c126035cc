-- The jobs of the database: what runs how often, when each is due, and how its last run went. A clock is a cron job that
-- runs what is due, one job after the other. There are few clocks, because each cron job needs a connection of its own.

-- tables ---------------------------------------------------------------------------------------

create table private.jobs_due (
  name text not null,
  queue text not null,
  command text not null,
  in_batches boolean not null,
  every interval not null,
  at interval not null,
  timeout interval not null,
  active boolean not null default true,
  due_at timestamptz not null,
  running_since timestamptz,
  last_batch text,
  last_run_at timestamptz,
  last_duration interval,
  failures integer not null default 0,
  last_failed_at timestamptz,
  last_error text,
  constraint jobs_due_pkey primary key (name),
  constraint jobs_due_every_check check (every >= interval '1 minute'),
  constraint jobs_due_at_check check (at >= interval '0' and at < every),
  constraint jobs_due_timeout_check check (timeout > interval '0')
);
comment on table private.jobs_due is 'The jobs that the clocks run, when each is due, and its last run.';
comment on column private.jobs_due.queue is 'The clock that runs it: main, workers or long.';
comment on column private.jobs_due.in_batches is
  'Whether the command does a part of the work. Its $1 is the text that it last returned; null starts, and ends, the work.';
comment on column private.jobs_due.at is 'The time after midnight in UTC, or within each interval, at which it is due.';
comment on column private.jobs_due.timeout is 'After this time, the next clock of another queue cancels a run.';
comment on column private.jobs_due.active is 'False switches the job off.';
comment on column private.jobs_due.last_batch is 'What the command returned, if more work is left.';
comment on column private.jobs_due.failures is 'The number of failed runs since the last one that succeeded.';
comment on column private.jobs_due.last_error is 'The error of the run at last_failed_at. It stays after a success.';

-- functions: schedules -------------------------------------------------------------------------

create function private.next_due(every interval, at interval) returns timestamptz
language sql volatile set search_path = ''
as $$
  select date_bin(next_due.every, clock_timestamp() - next_due.at, timestamptz '2000-01-01 00:00:00+00')
    + next_due.at + next_due.every
$$;
comment on function private.next_due is 'The next time of a schedule. Times that have passed are not repeated.';

create function private.schedule_job(
  name text, command text, every interval, at interval default '0', queue text default 'main',
  in_batches boolean default false, timeout interval default null
) returns void
language plpgsql set search_path = ''
as $$
begin
  insert into private.jobs_due as j (name, queue, command, in_batches, every, at, timeout, due_at)
  values (
    schedule_job.name, schedule_job.queue, schedule_job.command, schedule_job.in_batches, schedule_job.every,
    schedule_job.at,
    coalesce(schedule_job.timeout, case schedule_job.queue when 'long' then interval '10 minutes' else interval '1 minute' end),
    private.next_due(schedule_job.every, schedule_job.at)
  )
  on conflict on constraint jobs_due_pkey do update set
    queue = excluded.queue, command = excluded.command, in_batches = excluded.in_batches, every = excluded.every,
    at = excluded.at, timeout = excluded.timeout, due_at = excluded.due_at, last_batch = null, failures = 0;
end
$$;
comment on function private.schedule_job is
  'Adds a job, or changes the one with this name. The command is one statement without commits, with the schema of each name. Due every so often, at this time after midnight UTC: every => ''1 day'', at => ''03:27''; every => ''1 hour'', at => ''00:33''. Queues: main; workers, for what wakes an edge function; long, for what takes longer than a second.';

create function private.unschedule_job(name text) returns boolean
language plpgsql set search_path = ''
as $$
begin
  delete from private.jobs_due j where j.name = unschedule_job.name;
  return found;
end
$$;
comment on function private.unschedule_job is 'Removes a job. Returns whether there was one.';

-- functions: runs ------------------------------------------------------------------------------

-- A crashed session releases its locks, so a job is running only while its clock holds the lock of the queue.
create view private.running_jobs with (security_invoker = true) as
select j.name, j.queue, j.running_since, j.timeout, l.pid
from private.jobs_due j
join pg_catalog.pg_locks l
  on l.locktype = 'advisory' and l.granted and l.objsubid = 2
  and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
  and l.classid::bigint = private.kind_key('clock')
  and l.objid::bigint = private.lock_key(j.queue)::bigint & 4294967295
-- A clock runs one job at a time. Others are those of an interrupted run whose row begin_clock could not change.
where j.running_since = (select max(s.running_since) from private.jobs_due s where s.queue = j.queue);
comment on view private.running_jobs is 'The jobs that a clock is running, and the id of its server process.';

create function private.begin_clock(queue text) returns void
language plpgsql set search_path = ''
as $$
begin
  -- No clock can end its own run. A function's statement_timeout has no effect inside of a running statement.
  perform pg_cancel_backend(r.pid)
  from private.running_jobs r
  where r.queue <> begin_clock.queue and r.running_since < clock_timestamp() - r.timeout;

  -- The caller holds the lock of the queue, so these runs have ended with their session. The first interruption is
  -- repeated, behind everything that is due. A job that ends its session each time waits for its next time. A row that
  -- another transaction holds waits for the next clock.
  update private.jobs_due j set
    running_since = null, failures = j.failures + 1, last_failed_at = clock_timestamp(),
    last_error = format('The run of %s was interrupted: its session ended.', j.running_since),
    due_at = case when j.failures = 0 then clock_timestamp() else private.next_due(j.every, j.at) end
  where j.name in (
    select i.name
    from private.jobs_due i
    where i.queue = begin_clock.queue and i.running_since is not null
    for no key update skip locked
  );
end
$$;
comment on function private.begin_clock is
  'Cancels jobs of other queues that run for longer than their timeout, and finds those of this queue that were interrupted.';

create function private.start_job(queue text) returns private.jobs_due
language plpgsql set search_path = ''
as $$
declare
  job private.jobs_due;
begin
  update private.jobs_due j set running_since = clock_timestamp()
  where j.name = (
    select d.name
    from private.jobs_due d
    where d.queue = start_job.queue and d.active and d.due_at <= clock_timestamp() and d.running_since is null
    order by d.due_at, d.name
    limit 1
    for no key update skip locked
  )
  returning j.* into job;
  return job;
end
$$;
comment on function private.start_job is
  'Records the start of the job of a queue that has been due for the longest time, and returns it. Returns null if none is due, or others hold the rows of those that are.';

create function private.run_job(job private.jobs_due) returns void
-- Longer than a request may take (8 s), so that a job fails only for a lock that is not released.
language plpgsql set search_path = '' set lock_timeout = '10s'
as $$
declare
  batch text;
  error text;
begin
  begin
    if job.in_batches then
      execute job.command into batch using job.last_batch;
    else
      execute job.command;
    end if;
    -- Deferred triggers run here, so that their failure affects this job alone.
    set constraints all immediate;
  exception
    when query_canceled or assert_failure or others then
      error := format('%s (%s)', left(sqlerrm, 1000), sqlstate);
      raise warning 'the job % failed: %', job.name, error;
  end;
  -- A job may have taken another role.
  reset role;
  update private.jobs_due j set
    running_since = null, last_run_at = job.running_since, last_duration = clock_timestamp() - job.running_since,
    last_batch = case when error is null then batch end,
    -- Further batches run behind everything that is due.
    due_at = case when error is null and batch is not null then clock_timestamp() else private.next_due(j.every, j.at) end,
    failures = case when error is null then 0 else j.failures + 1 end,
    last_failed_at = case when error is null then j.last_failed_at else clock_timestamp() end,
    last_error = coalesce(error, j.last_error)
  where j.name = job.name;
end
$$;
comment on function private.run_job is
  'Runs a job that start_job has returned, or its next batch. An error undoes only what the job has done, and is recorded.';

create procedure private.run_due_jobs(queue text default 'main')
language plpgsql
as $$
declare
  -- Jobs that are left over are the first of the next run, which begins in the next minute.
  stops_at constant timestamptz := clock_timestamp() + interval '45 seconds';
  job private.jobs_due;
begin
  -- The lock belongs to the session, so it outlasts the commits and ends with a crash.
  if not private.try_keep('clock', run_due_jobs.queue) then
    return;
  end if;
  perform private.begin_clock(run_due_jobs.queue);
  loop
    job := private.start_job(run_due_jobs.queue);
    exit when job.name is null;
    commit;
    perform private.run_job(job);
    commit;
    exit when clock_timestamp() > stops_at;
  end loop;
  perform private.let_go('clock', run_due_jobs.queue);
end
$$;
comment on procedure private.run_due_jobs is
  'For a cron job: runs the jobs of a queue that are due, each in its own transaction, those that have waited longest first. Starts none after 45 seconds. Does nothing while another call for the queue is running.';

-- functions: watching --------------------------------------------------------------------------

create function private.job_health() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  -- A clock runs each minute, and the clock of another queue may have to cancel a job first.
  late_after constant interval := interval '3 minutes';
  jobs jsonb;
begin
  with watched as (
    select j.due_at, j.failures > 0 as is_failing, j.active and j.due_at < now() - late_after as is_late,
      jsonb_build_object(
        'name', j.name, 'queue', j.queue, 'every_seconds', extract(epoch from j.every)::integer, 'due_at', j.due_at,
        'running_since', (select r.running_since from private.running_jobs r where r.name = j.name),
        'last_run_at', j.last_run_at, 'last_duration_ms', round(1000 * extract(epoch from j.last_duration))::bigint,
        'failures', j.failures, 'last_failed_at', j.last_failed_at, 'last_error', j.last_error
      ) as job
    from private.jobs_due j
  )
  select jsonb_build_object(
    'total', count(*),
    'failing', coalesce(jsonb_agg(w.job order by w.due_at) filter (where w.is_failing), '[]'),
    'late', coalesce(jsonb_agg(w.job order by w.due_at) filter (where w.is_late), '[]')
  )
  into jobs
  from watched w;
  return jobs;
end
$$;
comment on function private.job_health is
  'The number of jobs, those whose last run failed, and those that have been due for more than 3 minutes.';

create function public.health() returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  jobs constant jsonb := private.job_health();
begin
  return jsonb_build_object(
    'status', case when jobs -> 'failing' = '[]' and jobs -> 'late' = '[]' then 'ok' else 'failing' end,
    'checked_at', now(), 'jobs', jobs
  );
end
$$;
comment on function public.health is
  'For operators of the project, with a secret key: whether jobs of the database fail or are late, and which.';

-- functions: retention -------------------------------------------------------------------------

create function private.delete_old_cron_runs(keep interval, batch integer) returns text
language plpgsql set search_path = ''
as $$
declare
  -- Runs have ascending ids. A run that could not be started has no times.
  last_old constant bigint := (select max(d.runid) from cron.job_run_details d where d.start_time < now() - keep);
begin
  delete from cron.job_run_details d
  where d.runid in (
    select o.runid from cron.job_run_details o where o.runid <= last_old order by o.runid limit batch
  );
  return case when exists (select from cron.job_run_details d where d.runid <= last_old) then 'more' end;
end
$$;
comment on function private.delete_old_cron_runs is
  'Deletes a batch of the rows of cron.job_run_details that began longer ago than this. pg_cron itself deletes none. Returns null if none is left.';

-- policies -------------------------------------------------------------------------------------

alter table private.jobs_due enable row level security;

-- grants ---------------------------------------------------------------------------------------

-- Commands run as the owner, so nobody else may write them.
grant execute on function private.job_health, public.health to service_role;
