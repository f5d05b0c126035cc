-- Queues: work that follows from a change of a row and that an edge function does, such as sending a mail or computing a
-- vector. A job is queued in the transaction of the change, and pg_net wakes the queue's worker after the commit.
--
-- - A worker takes jobs that are due, those of all tenants in turn, and gets a lease. It reports with that lease; a
--   report with another lease changes nothing.
-- - A job is due again when its lease ends. So the jobs of a worker that has crashed are taken by another one.
-- - Each lease is an attempt. After a failed attempt a job waits as long as its queue says. A job that fails too often
--   is given up: it stays without a time, unless its capability deletes it.
--
-- A capability that needs a queue adds a row to private.queues and writes one function that takes jobs and one that
-- records results. They call the functions of this file.

-- tables ---------------------------------------------------------------------------------------

create table private.queues (
  queue text not null,
  worker text not null,
  lease interval not null,
  waits interval[] not null,
  gives_up boolean not null default true,
  in_order boolean not null default false,
  constraint queues_pkey primary key (queue)
);
comment on table private.queues is 'The queues of jobs.';
comment on column private.queues.worker is 'The edge function that is woken.';
comment on column private.queues.lease is 'The time in which a worker reports.';
comment on column private.queues.waits is 'The wait after each failed attempt, up to a tenth longer.';
comment on column private.queues.gives_up is
  'Whether a job is given up after the attempt that follows the last wait. If not, the last wait repeats.';
comment on column private.queues.in_order is
  'Whether a tenant''s jobs are done one at a time, in the order in which they were queued.';

create table private.jobs (
  tenant_id uuid not null,
  queue text not null,
  subject_id uuid not null,
  queued_at timestamptz not null default now(),
  due_at timestamptz default clock_timestamp(),
  attempts integer not null default 0,
  lease uuid,
  leased_until timestamptz,
  is_counted boolean not null default false,
  error text,
  -- In this order for lookups by subject alone.
  constraint jobs_pkey primary key (queue, subject_id, tenant_id),
  constraint jobs_lease_is_set_with_its_end check ((lease is null) = (leased_until is null))
)
-- Each row is written a few times and deleted.
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
comment on table private.jobs is
  'The jobs of all queues: at most one for each subject of a queue. It has no foreign keys; a trigger deletes the jobs of a deleted subject.';
comment on column private.jobs.subject_id is 'What the job is about: the id of a mail, product, export, …';
comment on column private.jobs.due_at is 'When the next attempt is made. Null: the job is given up.';
comment on column private.jobs.attempts is 'Attempts that have begun since the job was queued. One that was given back untried does not count.';
comment on column private.jobs.is_counted is 'Whether the subject counts against a bound of its tenant, which counts it once.';
comment on column private.jobs.error is 'The error of the last attempt that failed.';

create index jobs_due_idx on private.jobs (queue, tenant_id, due_at) where due_at is not null;

-- functions: queueing --------------------------------------------------------------------------

create function private.add_queue(
  queue text, worker text, lease interval, waits interval[], gives_up boolean default true, in_order boolean default false
) returns void
language sql set search_path = ''
as $$
  insert into private.queues (queue, worker, lease, waits, gives_up, in_order)
  values (add_queue.queue, add_queue.worker, add_queue.lease, add_queue.waits, add_queue.gives_up, add_queue.in_order)
  on conflict on constraint queues_pkey do update
    set worker = excluded.worker, lease = excluded.lease, waits = excluded.waits, gives_up = excluded.gives_up,
        in_order = excluded.in_order
$$;
comment on function private.add_queue is 'Adds a queue, or changes the one with this name.';

create function private.queue_jobs(
  queue text, tenants uuid[], subjects uuid[], due_at timestamptz[] default null, is_changed boolean default false
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  worker text;
begin
  select q.worker into strict worker from private.queues q where q.queue = queue_jobs.queue;
  insert into private.jobs as j (queue, tenant_id, subject_id, due_at)
  select queue_jobs.queue, s.tenant_id, s.subject_id, coalesce(s.due_at, clock_timestamp())
  from unnest(queue_jobs.tenants, queue_jobs.subjects, queue_jobs.due_at) as s (tenant_id, subject_id, due_at)
  -- In one order, which prevents deadlocks.
  order by s.subject_id
  on conflict on constraint jobs_pkey do update
    set queued_at = excluded.queued_at, due_at = excluded.due_at, attempts = 0, lease = null, leased_until = null,
        is_counted = false, error = null
    where queue_jobs.is_changed;
  if found then
    perform private.wake(worker);
  end if;
end
$$;
comment on function private.queue_jobs is
  'Queues a job for each subject, due now unless due_at has another time, and wakes the worker of the queue. A job that exists stays as it is; with is_changed it begins again, and a worker that has it loses its lease.';

create function private.delete_jobs() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.jobs j
  using deleted d
  where j.queue = any (tg_argv) and j.subject_id = d.id;
  return null;
end
$$;
comment on function private.delete_jobs() is
  'Statement trigger with the names of queues: deletes the jobs of deleted subjects.';

-- functions: taking ----------------------------------------------------------------------------

create function private.due_jobs_of(source private.queues, batch integer, moment timestamptz)
returns table (tenant_id uuid, subject_id uuid, due_at timestamptz, turn bigint)
-- A session keeps the plan that it made while the table was small, and that plan has to use the index too.
language plpgsql volatile security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  -- Random, so that every tenant is first in some batch if there are too many tenants for one.
  beginning constant uuid := gen_random_uuid();
begin
  return query
  -- Steps from each tenant to the next in the index, and from the last one to the first.
  with recursive tenants (tenant_id, due_at, has_turned, steps, found) as (
    select beginning, null::timestamptz, false, 0, 0
    union all
    select n.tenant_id, n.due_at, n.has_turned, t.steps + 1, t.found + (n.due_at <= moment)::integer
    from tenants t
    cross join lateral (
      (
        select j.tenant_id, j.due_at, t.has_turned
        from private.jobs j
        where j.queue = source.queue and j.due_at is not null and j.tenant_id > t.tenant_id
          and (j.tenant_id < beginning or not t.has_turned)
        order by j.tenant_id, j.due_at
        limit 1
      )
      union all
      (
        select j.tenant_id, j.due_at, true
        from private.jobs j
        where j.queue = source.queue and j.due_at is not null and j.tenant_id < beginning and not t.has_turned
        order by j.tenant_id, j.due_at
        limit 1
      )
      limit 1
    ) as n
    where t.steps < 5000 and t.found < 400
  )
  select t.tenant_id, d.subject_id, d.due_at, row_number() over (partition by t.tenant_id order by d.due_at)
  from tenants t
  cross join lateral (
    (
      select j.subject_id, j.due_at
      from private.jobs j
      where not source.in_order and j.queue = source.queue and j.tenant_id = t.tenant_id and j.due_at <= moment
      order by j.due_at
      limit batch
    )
    union all
    -- The first one alone, also while it is in flight or waits after a failure.
    select f.subject_id, f.due_at
    from (
      select j.subject_id, j.due_at
      from private.jobs j
      where source.in_order and j.queue = source.queue and j.tenant_id = t.tenant_id and j.due_at is not null
      order by j.queued_at, j.subject_id
      limit 1
    ) as f
    where f.due_at <= moment
  ) as d
  where t.due_at <= moment;
end
$$;
comment on function private.due_jobs_of is
  'Jobs of a queue that are due: of up to 400 tenants, at most batch each. turn: the place among those of its tenant.';

create function private.due_jobs(queues text[], batch integer) returns setof private.jobs
language sql volatile security definer set search_path = ''
as $$
  select j.*
  from private.queues q
  cross join lateral private.due_jobs_of(q, batch, clock_timestamp()) d
  join private.jobs j on j.queue = q.queue and j.subject_id = d.subject_id and j.tenant_id = d.tenant_id
  where q.queue = any (queues)
  order by d.turn, d.due_at
  limit batch
$$;
comment on function private.due_jobs is
  'Up to batch jobs of some queues that are due: the first one of each tenant, then the second ones, and so on.';

create function private.hold_jobs(jobs private.jobs[], batch integer) returns setof private.jobs
language sql volatile security definer set search_path = ''
as $$
  select j.*
  from unnest(jobs) with ordinality as d
  join private.jobs j on j.queue = d.queue and j.subject_id = d.subject_id and j.tenant_id = d.tenant_id
  where j.due_at <= clock_timestamp()
  order by d.ordinality
  limit batch
  for update of j skip locked
$$;
comment on function private.hold_jobs is
  'Locks up to batch of these jobs until the end of the transaction, and returns them. Leaves out those that another worker has taken meanwhile.';

create function private.hold_due_jobs(queues text[], batch integer) returns setof private.jobs
language sql volatile security definer set search_path = ''
as $$
  -- More than batch, since other workers may take some at this moment.
  select j.* from private.hold_jobs(array(select d from private.due_jobs(queues, 2 * batch) d), batch) j
$$;
comment on function private.hold_due_jobs is
  'As private.due_jobs, locked until the end of the transaction. A job with a lease is one whose worker has not reported in time.';

create function private.lease_jobs(held private.jobs[]) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  new_lease constant uuid := gen_random_uuid();
  moment constant timestamptz := clock_timestamp();
begin
  update private.jobs j
  set lease = new_lease, leased_until = moment + q.lease, due_at = moment + q.lease, attempts = j.attempts + 1
  from unnest(held) h
  join private.queues q on q.queue = h.queue
  where j.queue = h.queue and j.subject_id = h.subject_id and j.tenant_id = h.tenant_id;
  return new_lease;
end
$$;
comment on function private.lease_jobs is 'Begins an attempt at jobs that are held. Returns its lease.';

create function private.is_last_attempt(job private.jobs) returns boolean
language sql stable security definer set search_path = ''
as $$
  select q.gives_up and job.attempts > cardinality(q.waits) from private.queues q where q.queue = job.queue
$$;
comment on function private.is_last_attempt is 'Whether no attempt follows the one that has begun last.';

create function private.wait_after(job private.jobs) returns interval
language sql stable security definer set search_path = ''
as $$
  select q.waits[least(greatest(job.attempts, 1), cardinality(q.waits))] from private.queues q where q.queue = job.queue
$$;
comment on function private.wait_after is 'The wait after the attempt that has begun last, if it fails.';

-- functions: reporting -------------------------------------------------------------------------

create function private.leased_job(queue text, subject_id uuid, lease uuid) returns private.jobs
language plpgsql security definer set search_path = ''
as $$
declare
  job private.jobs;
begin
  select j.* into job
  from private.jobs j
  where j.queue = leased_job.queue and j.subject_id = leased_job.subject_id and j.lease = leased_job.lease
  for update;
  return job;
end
$$;
comment on function private.leased_job is 'The job of a lease, locked until the end of the transaction; null if the lease is lost.';

create function private.extend_lease(job private.jobs, attempts integer) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  ending constant timestamptz := clock_timestamp() + (select q.lease from private.queues q where q.queue = job.queue);
begin
  update private.jobs j
  set leased_until = ending, due_at = ending, attempts = extend_lease.attempts
  where j.queue = job.queue and j.subject_id = job.subject_id and j.tenant_id = job.tenant_id;
end
$$;
comment on function private.extend_lease is
  'Lets the lease of a job begin anew. attempts: those that have begun since the job last made progress.';

create function private.end_job(queue text, subject_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.jobs j where j.queue = end_job.queue and j.subject_id = end_job.subject_id;
end
$$;
comment on function private.end_job is 'Removes the job of a subject, which is done or cannot be done.';

create function private.release_job(job private.jobs, wait interval default '0') returns timestamptz
language plpgsql security definer set search_path = ''
as $$
declare
  due timestamptz;
begin
  update private.jobs j
  set lease = null, leased_until = null, due_at = clock_timestamp() + release_job.wait, attempts = greatest(j.attempts - 1, 0)
  where j.queue = job.queue and j.subject_id = job.subject_id and j.tenant_id = job.tenant_id
  returning j.due_at into due;
  return due;
end
$$;
comment on function private.release_job is
  'Gives back a job that was not tried. Returns when it is due again: after wait.';

create function private.fail_job(job private.jobs, error text, retry_after interval default '0') returns timestamptz
language plpgsql security definer set search_path = ''
as $$
declare
  due timestamptz;
begin
  if not private.is_last_attempt(job) then
    due := clock_timestamp() + greatest(
      -- Up to a tenth later, so that jobs that failed together are not all due together.
      private.wait_after(job) * (1 + 0.1 * random()), least(fail_job.retry_after, interval '1 hour')
    );
  end if;
  update private.jobs j
  set lease = null, leased_until = null, error = left(fail_job.error, 1000), due_at = due
  where j.queue = job.queue and j.subject_id = job.subject_id and j.tenant_id = job.tenant_id;
  return due;
end
$$;
comment on function private.fail_job is
  'Ends an attempt that has failed. Returns when the next one is made: not before retry_after, which is at most an hour. Null if the job is given up.';

-- functions: waking ----------------------------------------------------------------------------

create function private.wake_for_jobs(queues text[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  waiting private.queues;
begin
  for waiting in select q.* from private.queues q where q.queue = any (queues) order by q.queue loop
    if exists (select from private.due_jobs_of(waiting, 1, clock_timestamp())) then
      perform private.wake(waiting.worker);
    end if;
  end loop;
end
$$;
comment on function private.wake_for_jobs is 'Wakes the workers of those of these queues that have a job due.';

create function private.wake_workers() returns void
language sql security definer set search_path = ''
as $$ select private.wake_for_jobs(array(select q.queue from private.queues q)) $$;
comment on function private.wake_workers() is
  'For a job each minute: wakes the worker of each queue with a job that is due, such as a retry or one of a crashed worker.';

-- policies -------------------------------------------------------------------------------------

alter table private.queues enable row level security;
alter table private.jobs enable row level security;
