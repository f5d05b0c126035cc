-- Made from supabase/schemas and supabase/reference by `npm run db -- migration`. Do not edit.

-- supabase/by_hand/before.sql

-- Statements that the migration since the last release runs first, while the tables are still the old ones: they keep rows
-- for after.sql, which also drops what they made.

-- The queues of capabilities become rows of private.jobs: see after.sql.
create table private.waiting_jobs as
select 'mails' as queue, q.tenant_id, q.mail_id as subject_id, q.due_at, q.tries as attempts, q.is_counted
from private.mail_queue q
union all
select case when j.large then 'large_exports' else 'small_exports' end, j.tenant_id, j.export_id, j.due_at, j.failures, false
from private.export_jobs j
union all
select 'export_files', r.tenant_id, r.export_id, r.due_at, 0, false from private.export_removals r
union all
select 'media_cleanings', c.tenant_id, c.asset_id, c.due_at, c.attempts, false from private.media_cleanings c;

-- supabase/by_hand/changes.sql

-- Statements that the migration since the last release runs between before.sql and the difference, which begins where they
-- end: renames and other changes that a difference would take for a removal and an addition.

-- Jobs have subjects with a uuid.
alter table private.media_sweeps drop column id;
alter table private.media_sweeps add column id uuid not null default gen_random_uuid();
alter table private.media_sweeps add constraint media_sweeps_pkey primary key (tenant_id, id);

alter table private.letters rename to mail_kinds;
alter table private.mail_kinds rename constraint letters_pkey to mail_kinds_pkey;
alter table private.mail_kinds rename constraint letters_event_fkey to mail_kinds_event_fkey;
SET local check_function_bodies = off;

COMMENT ON FUNCTION "private"."export_files_to_remove"() IS NULL;

DROP TRIGGER "export_jobs_wake_the_dispatcher" ON "private"."export_jobs";

DROP TRIGGER "media_sweeps_wake_the_worker" ON "private"."media_sweeps";

DROP INDEX "private"."export_jobs_tenant_id_idx";

DROP INDEX "private"."media_sweeps_due_at_idx";

ALTER TABLE "private"."export_jobs"
  DROP CONSTRAINT "export_jobs_lease_is_set_with_its_end";

ALTER TABLE "private"."mail_queue"
  DROP CONSTRAINT "mail_queue_mail_id_fkey";

ALTER TABLE "private"."media_cleanings"
  DROP CONSTRAINT "media_cleanings_asset_id_fkey";

DROP FUNCTION "private"."clean_media"();

DROP FUNCTION "private"."end_mail_leases"();

DROP FUNCTION "private"."exports_to_write"();

DROP FUNCTION "private"."hold_export"(uuid);

DROP FUNCTION "private"."is_own_letter"(public.mails);

DROP FUNCTION "private"."keep_letters"(jsonb);

DROP FUNCTION "private"."kick_mail_dispatch"();

DROP FUNCTION "private"."letter_items"(jsonb, jsonb);

DROP FUNCTION "private"."letter_marketplace"(public.marketplaces);

DROP FUNCTION "private"."letter_order"(jsonb);

DROP FUNCTION "private"."letter_pieces"(jsonb, integer);

DROP FUNCTION "private"."letter_to_send"(public.mails, uuid);

DROP FUNCTION "private"."letter_variables"(public.mails);

DROP FUNCTION "private"."letters_on"(uuid, text, text);

DROP FUNCTION "private"."mails_in_turn"(integer);

DROP FUNCTION "private"."may_still_export"(private.export_jobs);

DROP FUNCTION "private"."miss_mail"(uuid, text, boolean);

DROP FUNCTION "private"."take_export"();

DROP FUNCTION "private"."unused_own_letter"(public.mails);

DROP FUNCTION "private"."wake_export_dispatch"();

DROP FUNCTION "private"."wake_media_sweep"();

DROP FUNCTION "public"."keep_letters"(jsonb);

DROP FUNCTION "public"."take_media_cleanings"(integer);

DROP FUNCTION "public"."take_media_sweeps"(jsonb, integer);

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "asked_at";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "due_at";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "failures";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "large";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "leased_until";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "lease";

ALTER TABLE "private"."export_jobs"
  DROP COLUMN "started_at";

ALTER TABLE "private"."media_sweeps"
  DROP COLUMN "leased_until";

DROP TABLE "private"."export_removals";

DROP FUNCTION "private"."wake_for_exports"();

DROP TABLE "private"."mail_queue";

DROP TABLE "private"."mail_schedule";

DROP TABLE "private"."media_cleanings";

CREATE TABLE "private"."jobs" (
  "tenant_id"    uuid                     NOT NULL,
  "queue"        text                     NOT NULL,
  "subject_id"   uuid                     NOT NULL,
  "queued_at"    timestamp with time zone NOT NULL DEFAULT now(),
  "due_at"       timestamp with time zone DEFAULT clock_timestamp(),
  "attempts"     integer                  NOT NULL DEFAULT 0,
  "lease"        uuid,
  "leased_until" timestamp with time zone,
  "is_counted"   boolean                  NOT NULL DEFAULT false,
  "error"        text,
  CONSTRAINT "jobs_lease_is_set_with_its_end" CHECK (((lease IS NULL) = (leased_until IS NULL))),
  CONSTRAINT "jobs_pkey" PRIMARY KEY (queue, subject_id, tenant_id)
);

ALTER TABLE "private"."jobs"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."jobs"
  SET (autovacuum_vacuum_scale_factor=0.05, fillfactor=70);

CREATE TABLE "private"."queues" (
  "queue"    text       NOT NULL,
  "worker"   text       NOT NULL,
  "lease"    interval   NOT NULL,
  "waits"    interval[] NOT NULL,
  "gives_up" boolean    NOT NULL DEFAULT true,
  "in_order" boolean    NOT NULL DEFAULT false,
  CONSTRAINT "queues_pkey" PRIMARY KEY (queue)
);

ALTER TABLE "private"."queues"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.add_queue (
  queue    text,
  worker   text,
  lease    interval,
  waits    interval[],
  gives_up boolean    DEFAULT true,
  in_order boolean    DEFAULT false
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.queues (queue, worker, lease, waits, gives_up, in_order)
  values (add_queue.queue, add_queue.worker, add_queue.lease, add_queue.waits, add_queue.gives_up, add_queue.in_order)
  on conflict on constraint queues_pkey do update
    set worker = excluded.worker, lease = excluded.lease, waits = excluded.waits, gives_up = excluded.gives_up,
        in_order = excluded.in_order
$function$;

CREATE OR REPLACE FUNCTION private.admit_mail (
  mail public.mails
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  exceeded text;
begin
  if (select j.is_counted from private.jobs j where j.queue = 'mails' and j.subject_id = mail.id) then
    return null;
  end if;
  exceeded := private.exceeded_mail_bound(mail);
  if exceeded is null then
    perform private.count_as_sent(mail);
  end if;
  return exceeded;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_email_template()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  unknown text;
begin
  perform private.check_localized(new.subject, 'subject', 1000);
  perform private.check_localized(new.html_content, 'html_content', 100000);
  if new.text_content is not null then
    perform private.check_localized(new.text_content, 'text_content', 100000);
  end if;
  perform private.bound_record(
    octet_length(new.subject::text) + octet_length(new.html_content::text)
      + coalesce(octet_length(new.text_content::text), 0),
    0.75, 'The texts of an e-mail template together are too long.', 'html_content'
  );
  if exists (select from unnest(new.variables) as v (name) where (char_length(v.name) between 1 and 100) is not true) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The name of a variable must have 1 to 100 characters.', 'variables', null
    );
  end if;
  unknown := (
    select e.name
    from unnest(new.trigger_events) as e (name)
    where not exists (select from private.event_types t where t.name = e.name)
    limit 1
  );
  if unknown is not null then
    perform private.refuse('VALIDATION_ERROR', 'There is no such event.', 'trigger_events', to_jsonb(unknown));
  elsif new.trigger_events <> '{}' and exists (select from private.mail_kinds l where l.key = new.key) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The events of a built-in letter cannot be changed: leave trigger_events out.',
      'trigger_events', to_jsonb(new.trigger_events)
    );
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.continue_numbers (
  tenant_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET lock_timeout TO '2s'
  AS $function$
declare
  numbered record;
  highest bigint;
  last bigint;
begin
  for numbered in
    select format('%I.%I', n.nspname, c.relname) as name, a.attname as column
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id'
    where a.attidentity <> '' and not a.attisdropped and n.nspname in ('public', 'private')
    order by name
  loop
    execute format('select max(%I) from %s where tenant_id = $1', numbered.column, numbered.name)
    into highest using continue_numbers.tenant_id;
    execute format('select last_value from %s', pg_get_serial_sequence(numbered.name, numbered.column)) into last;
    if highest > last then
      -- No number is taken until the transaction ends.
      execute format('lock table %s in share row exclusive mode', numbered.name);
      perform setval(pg_get_serial_sequence(numbered.name, numbered.column), highest);
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.count_as_sent (
  mail public.mails
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  today constant date := (now() at time zone 'utc')::date;
  unpaid constant bytea := private.mail_subject('unpaid', mail."to");
begin
  update private.mail_senders s
  set mails = private.mails_of_today(mail.tenant_id) + 1, day = today
  where s.tenant_id = mail.tenant_id;
  perform private.count_mail(private.mail_subject('address', mail."to"), null);
  if mail.is_unpaid
    and not exists (select from private.mail_counts c where c.subject = unpaid and c.cause_id = mail.cause_id)
  then
    perform private.count_mail(unpaid, mail.cause_id);
  end if;
  update private.jobs j set is_counted = true where j.queue = 'mails' and j.subject_id = mail.id;
end
$function$;

CREATE OR REPLACE FUNCTION private.delete_jobs()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.jobs j
  using deleted d
  where j.queue = any (tg_argv) and j.subject_id = d.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.due_jobs (
  queues text[],
  batch  integer
)
  RETURNS SETOF private.jobs
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select j.*
  from private.queues q
  cross join lateral private.due_jobs_of(q, batch, clock_timestamp()) d
  join private.jobs j on j.queue = q.queue and j.subject_id = d.subject_id and j.tenant_id = d.tenant_id
  where q.queue = any (queues)
  order by d.turn, d.due_at
  limit batch
$function$;

CREATE OR REPLACE FUNCTION private.due_jobs_of (
  source private.queues,
  batch  integer,
  moment timestamp with time zone
)
  RETURNS TABLE (
    tenant_id  uuid,
    subject_id uuid,
    due_at     timestamp with time zone,
    turn       bigint
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.end_export (
  export_id uuid,
  error     text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.end_job (
  queue      text,
  subject_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.jobs j where j.queue = end_job.queue and j.subject_id = end_job.subject_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.end_mail (
  mail_id     uuid,
  status      public.mail_status,
  error       text,
  provider_id text               DEFAULT NULL::text,
  was_tried   boolean            DEFAULT true
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.end_job('mails', end_mail.mail_id);
  -- A mail that failed keeps its content for a retry.
  delete from private.mail_contents c where c.mail_id = end_mail.mail_id and end_mail.status = 'success';
  -- One update, since each update of the status writes to all indexes.
  update public.mails m
  set status = end_mail.status,
      attempts = m.attempts + end_mail.was_tried::integer,
      error = end_mail.error,
      provider_id = coalesce(end_mail.provider_id, m.provider_id),
      next_attempt_at = null,
      sent_at = case when end_mail.status = 'success' then clock_timestamp() end
  where m.id = end_mail.mail_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_export (
  request public.exports,
  scope   private.analytics_scope,
  period  private.analytics_period
)
  RETURNS public.exports
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  query private.export_query := row(scope, period, now(), request.currency, request."by");
  total bigint;
  made public.exports;
begin
  -- Counting takes long, so it comes before the lock, and only if there is room.
  perform private.insist_on_room_for_export(request.tenant_id);
  total := private.counted_export(request, query);
  perform private.hold('exports', request.tenant_id::text);
  perform private.insist_on_room_for_export(request.tenant_id);
  insert into public.exports (
    tenant_id, asked_by, type, period, "from", "to", marketplace_id, supplier_id, category, currency, "by", format, bom, email
  )
  values (
    request.tenant_id, request.asked_by, request.type, period.name, period.since, period.until, request.marketplace_id,
    scope.supplier_id, request.category, request.currency, request."by", request.format, request.bom, request.email
  )
  returning * into made;
  insert into private.export_jobs (export_id, tenant_id, query, total) values (made.id, made.tenant_id, query, total);
  perform private.queue_jobs(
    case when total > private.cap('export_rows_small') then 'large_exports' else 'small_exports' end,
    array[made.tenant_id], array[made.id]
  );
  return made;
end
$function$;

CREATE OR REPLACE FUNCTION private.export_files_to_remove()
  RETURNS text[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.extend_lease (
  job      private.jobs,
  attempts integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ending constant timestamptz := clock_timestamp() + (select q.lease from private.queues q where q.queue = job.queue);
begin
  update private.jobs j
  set leased_until = ending, due_at = ending, attempts = extend_lease.attempts
  where j.queue = job.queue and j.subject_id = job.subject_id and j.tenant_id = job.tenant_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.fail_job (
  job         private.jobs,
  error       text,
  retry_after interval     DEFAULT '00:00:00'::interval
)
  RETURNS timestamp WITH time zone
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.give_up_export (
  export_id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.end_export(export_id, 'The export could not be written, several times in a row. Ask for it again.')
$function$;

CREATE OR REPLACE FUNCTION private.held_export()
  RETURNS private.jobs
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.hold_due_jobs (
  queues text[],
  batch  integer
)
  RETURNS SETOF private.jobs
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- More than batch, since other workers may take some at this moment.
  select j.* from private.hold_jobs(array(select d from private.due_jobs(queues, 2 * batch) d), batch) j
$function$;

CREATE OR REPLACE FUNCTION private.hold_due_mails (
  batch integer
)
  RETURNS SETOF public.mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  job private.jobs;
  mail public.mails;
  refusal private.mail_refusal;
begin
  for job in select j.* from private.hold_due_jobs('{mails}', hold_due_mails.batch) j loop
    select m.* into mail from public.mails m where m.tenant_id = job.tenant_id and m.id = job.subject_id;
    refusal := private.refused_mail(mail);
    if job.lease is not null then
      -- The dispatcher may have crashed because of this mail.
      perform private.record_failed_mail(job, 'The dispatcher ended before it recorded the result.');
    elsif refusal.status is not null then
      perform private.end_mail(mail.id, refusal.status, refusal.error, was_tried => false);
    else
      return next mail;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.hold_jobs (
  jobs  private.jobs[],
  batch integer
)
  RETURNS SETOF private.jobs
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select j.*
  from unnest(jobs) with ordinality as d
  join private.jobs j on j.queue = d.queue and j.subject_id = d.subject_id and j.tenant_id = d.tenant_id
  where j.due_at <= clock_timestamp()
  order by d.ordinality
  limit batch
  for update of j skip locked
$function$;

CREATE OR REPLACE FUNCTION private.is_last_attempt (
  job private.jobs
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select q.gives_up and job.attempts > cardinality(q.waits) from private.queues q where q.queue = job.queue
$function$;

CREATE OR REPLACE FUNCTION private.lease_jobs (
  held private.jobs[]
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.lease_mails (
  batch integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  most_bytes constant bigint := private.cap('dispatch_bytes') / 2;
  due constant public.mails[] := array(select m from private.hold_due_mails(lease_mails.batch) m);
  taken uuid[] := '{}'::uuid[];
  mails jsonb := jsonb_build_array();
  bytes bigint := 0;
  exceeded text;
  content jsonb;
  mail public.mails;
  lease uuid;
begin
  perform private.hold_mail_counts(due);
  foreach mail in array due loop
    exceeded := private.admit_mail(mail);
    if exceeded is not null then
      perform private.end_mail(mail.id, 'suppressed', exceeded, was_tried => false);
      continue;
    end if;
    content := private.mail_to_send(mail);
    bytes := bytes + octet_length(content::text);
    exit when bytes > most_bytes and taken <> '{}';
    mails := mails || content;
    taken := taken || mail.id;
  end loop;
  lease := private.lease_jobs(array(select j from private.jobs j where j.queue = 'mails' and j.subject_id = any (taken)));
  return (
    select jsonb_agg(m.mail || jsonb_build_object('lease', lease) order by m.position)
    from jsonb_array_elements(mails) with ordinality as m (mail, position)
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.leased_export (
  export_id uuid,
  lease     uuid
)
  RETURNS private.jobs
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.leased_job (
  queue      text,
  subject_id uuid,
  lease      uuid
)
  RETURNS private.jobs
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  job private.jobs;
begin
  select j.* into job
  from private.jobs j
  where j.queue = leased_job.queue and j.subject_id = leased_job.subject_id and j.lease = leased_job.lease
  for update;
  return job;
end
$function$;

CREATE OR REPLACE FUNCTION private.mail_items (
  items       jsonb,
  order_items jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_agg(
    jsonb_build_object(
      'name', o.value -> 'name', 'price', o.value -> 'price',
      'amount', (o.value ->> 'price')::numeric * (i.value ->> 'quantity')::integer
    ) || i.value
    order by i.position
  )
  from jsonb_array_elements(items) with ordinality as i (value, position)
  left join jsonb_array_elements(order_items) as o (value) on o.value ->> 'id' = i.value ->> 'item_id'
$function$;

CREATE OR REPLACE FUNCTION private.mail_kinds_on (
  tenant_id uuid,
  event     text,
  status    text
)
  RETURNS TABLE (
    template text,
    is_own   boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select l.key, false
  from private.mail_kinds l
  where l.event = mail_kinds_on.event and (l.status is null or l.status = mail_kinds_on.status)
  union all
  select t.key, true
  from public.email_templates t
  where t.tenant_id = mail_kinds_on.tenant_id and t.trigger_events <> '{}' and mail_kinds_on.event = any (t.trigger_events)
$function$;

CREATE OR REPLACE FUNCTION private.mail_marketplace (
  shop public.marketplaces
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'id', shop.id, 'name', shop.name, 'domain', shop.domain, 'currency', shop.currency, 'language', shop.language,
    'settings', jsonb_build_object('branding', shop.settings -> 'branding'),
    'reply_to', shop.settings #>> '{business,reply_to}'
  )
$function$;

CREATE OR REPLACE FUNCTION private.mail_order (
  details jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  with item as materialized (
    select
      i.value as item, i.position, (i.value ->> 'price')::numeric as price,
      n.shipped_quantity - n.delivered_quantity - n.lost_quantity as sent,
      n.cancelled_quantity as cancelled, n.returned_quantity as returned, n.lost_quantity as lost,
      n.quantity - n.cancelled_quantity - n.returned_quantity - n.lost_quantity as kept
    from jsonb_array_elements(details -> 'items') with ordinality as i (value, position)
    cross join lateral jsonb_to_record(i.value) as n (
      quantity integer, shipped_quantity integer, delivered_quantity integer, cancelled_quantity integer,
      returned_quantity integer, lost_quantity integer
    )
  ),
  delivery as (
    select
      coalesce(sum(p.delivery_amount) filter (where p.delivery_owed), 0) as owed,
      coalesce(sum(p.delivery_amount) filter (where p.status = 'cancelled'), 0) as cancelled
    from jsonb_to_recordset(details -> 'parts') as p (status text, delivery_owed boolean, delivery_amount numeric)
  )
  select details || jsonb_build_object(
    'sent_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.sent) order by i.position) filter (where i.sent > 0), '[]'),
    'cancelled_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.cancelled) order by i.position) filter (where i.cancelled > 0), '[]'),
    'returned_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.returned) order by i.position) filter (where i.returned > 0), '[]'),
    'lost_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.lost) order by i.position) filter (where i.lost > 0), '[]'),
    'cancelled_amount', sum(i.price * i.cancelled) + min(d.cancelled), 'cancelled_delivery', min(d.cancelled),
    'returned_amount', sum(i.price * i.returned), 'lost_amount', sum(i.price * i.lost),
    'owed_amount', sum(i.price * i.kept) + min(d.owed), 'owed_delivery', min(d.owed)
  )
  from item i
  cross join delivery d
$function$;

CREATE OR REPLACE FUNCTION private.mail_pieces (
  item   jsonb,
  pieces integer
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
RETURN (item || jsonb_build_object('quantity', pieces, 'amount', (((item ->> 'price'::text))::numeric * (pieces)::numeric)));

CREATE OR REPLACE FUNCTION private.mail_to_send (
  mail public.mails
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'id', mail.id, 'to', mail."to", 'name', mail.name, 'template', mail.template,
      'is_test', mail.is_test,
      'languages', mail.languages,
      'content', (
        select jsonb_build_object('subject', c.subject, 'html', c.html, 'text', c.text)
        from private.mail_contents c
        where c.mail_id = mail.id
      ),
      'own', (
        select jsonb_build_object('subject', t.subject, 'html_content', t.html_content, 'text_content', t.text_content)
        from public.email_templates t
        where t.tenant_id = mail.tenant_id and t.key = mail.template and n.mail_status = 'approved'
      ),
      'tenant', jsonb_build_object('name', n.name),
      'time_zone', n.time_zone,
      'marketplace', (
        select private.mail_marketplace(m)
        from public.marketplaces m
        where m.tenant_id = mail.tenant_id and m.id = mail.marketplace_id
      ),
      'variables', private.mail_variables(mail),
      'files', case
        when mail.template = 'export_ready' then (
          select to_jsonb(e.files)
          from public.exports e
          where e.tenant_id = mail.tenant_id and e.id = mail.cause_id
        )
      end,
      -- The mails of a tenant are optional, too.
      'unsubscribe_token', case
        when not exists (select from private.mail_kinds l where l.key = mail.template and not l.is_optional)
          then private.unsubscribe_token(mail.tenant_id, mail.template, mail."to")
      end
    )
    from public.tenants n
    where n.id = mail.tenant_id
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.mail_variables (
  mail public.mails
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  event_data jsonb := coalesce(
    (
      select e.payload -> 'data' || jsonb_strip_nulls(jsonb_build_object(
        'old_status', e.payload -> 'old_status', 'new_status', e.payload -> 'new_status'
      ))
      from public.events e
      where e.tenant_id = mail.tenant_id and e.created_at = mail.event_at and e.id = mail.event_id
    ),
    '{}'
  );
begin
  if event_data ? 'order' then
    -- The commissions of suppliers and the notes of members are not for buyers.
    event_data := jsonb_set(
      event_data, '{order}',
      private.mail_order(event_data -> 'order') - '{commissions,notes,history}'::text[]
        || jsonb_build_object('note', event_data #> '{order,history,-1,note}')
    ) || (
      select coalesce(
        jsonb_object_agg(
          d.key,
          d.value || jsonb_build_object(
            'items', private.mail_items(d.value -> 'items', event_data #> '{order,items}')
          )
        ),
        '{}'
      )
      from jsonb_each(event_data) as d
      where d.key in ('shipment', 'cancellation', 'return', 'payment') and jsonb_typeof(d.value -> 'items') = 'array'
    );
  end if;
  return event_data || mail.variables
    || coalesce(
      -- Found by the cause of the mail, not by its variables, which an admin chooses for a test.
      (
        select jsonb_build_object(
          'invitation',
          mail.variables -> 'invitation' || jsonb_build_object('token', private.invitation_token(i.id))
        )
        from public.invitations i
        where i.tenant_id = mail.tenant_id and i.id = mail.cause_id and i.email = mail."to"
          and mail.template = 'invitation'
      ),
      '{}'
    )
    || case
      when event_data ? 'order' then jsonb_build_object('customer', jsonb_build_object('name', mail.name, 'email', mail."to"))
      else '{}'
    end;
end
$function$;

CREATE OR REPLACE FUNCTION private.may_still_export (
  export_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select
    from public.exports e
    join private.export_jobs j on j.export_id = e.id
    join public.members m on m.tenant_id = e.tenant_id and m.user_id = e.asked_by
    where e.id = may_still_export.export_id and m.status = 'active'
      and (private.reads_all(m.role) or m.role = 'supplier' and m.supplier_id = (j.query).scope.supplier_id)
  )
$function$;

CREATE OR REPLACE FUNCTION private.needs_own_template (
  mail public.mails
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select mail.is_test or not exists (select from private.mail_kinds l where l.key = mail.template)
$function$;

CREATE OR REPLACE FUNCTION private.queue_export_removal()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.queue_jobs(
    'export_files', array[old.tenant_id], array[old.id],
    -- A part that is in flight arrives within the time of a lease.
    array[now() + case old.status when 'running' then interval '10 minutes' else interval '0' end]
  );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_jobs (
  queue      text,
  tenants    uuid[],
  subjects   uuid[],
  due_at     timestamp with time zone[] DEFAULT NULL::timestamp WITH time zone[],
  is_changed boolean                    DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.queue_mails()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.queue_jobs('mails', array_agg(w.tenant_id), array_agg(w.id), array_agg(w.next_attempt_at))
  from written w
  where w.next_attempt_at is not null;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_media_cleanings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if private.keeps_metadata(old.settings) and not private.keeps_metadata(new.settings) then
    perform private.queue_jobs('media_cleanings', array_agg(a.tenant_id), array_agg(a.id))
    from public.media_assets a
    where a.tenant_id = new.id and private.has_metadata(a.type, a.status, a.private, a.cleaned);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_media_sweeps()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.queue_jobs(
    'media_sweeps', array_agg(w.tenant_id), array_agg(w.id), array_agg(w.due_at), is_changed => true
  )
  from written w;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_failed_mail (
  job      private.jobs,
  error    text,
  is_final boolean      DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  due constant timestamptz := case when not is_final then private.fail_job(job, record_failed_mail.error) end;
begin
  if due is null then
    perform private.end_mail(job.subject_id, 'failed', record_failed_mail.error);
    return;
  end if;
  update public.mails m
  set status = 'retrying', attempts = m.attempts + 1, error = record_failed_mail.error, next_attempt_at = due
  where m.id = job.subject_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_mail (
  id                  uuid,
  lease               uuid,
  outcome             text,
  provider_id         text,
  error               text,
  retry_after_seconds integer,
  address_gone        boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  job private.jobs;
  mail public.mails;
begin
  -- A report with a lease that has ended changes nothing, unless the mail was sent.
  select j.* into job
  from private.jobs j
  where j.queue = 'mails' and j.subject_id = record_mail.id
    and (j.lease = record_mail.lease or record_mail.outcome = 'sent')
  for update;
  if not found then
    return;
  end if;
  select m.* into mail from public.mails m where m.tenant_id = job.tenant_id and m.id = job.subject_id;
  case record_mail.outcome
    when 'sent' then
      -- The error of a tenant's template, which the built-in mail has replaced, is kept.
      perform private.end_mail(mail.id, 'success', case when mail.status = 'pending' then mail.error end, record_mail.provider_id);
    when 'untried', 'throttled' then
      update public.mails m
      set next_attempt_at = private.release_job(
        job, make_interval(secs => least(greatest(coalesce(retry_after_seconds, 0), 0), 3600))
      )
      where m.id = mail.id;
    else
      if record_mail.address_gone then
        perform private.record_mail_report(mail, 'bounce');
      end if;
      perform private.record_failed_mail(job, left(record_mail.error, 1000), record_mail.outcome = 'permanent');
  end case;
end
$function$;

CREATE OR REPLACE FUNCTION private.refused_mail (
  mail public.mails
)
  RETURNS private.mail_refusal
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  is_paused constant boolean := (select t.mail_paused_at is not null from public.tenants t where t.id = mail.tenant_id);
  refusal private.mail_refusal;
begin
  if private.is_suppressed(mail.tenant_id, mail."to", mail.template) then
    refusal.status := 'suppressed';
    refusal.error := 'The address is suppressed: it has unsubscribed, complained or bounced.';
  elsif mail.attempts = 0 and mail.created_at < now() - interval '1 day' then
    refusal.status := 'failed';
    refusal.error := 'No dispatcher could send it within a day: check MAIL_URL and MAIL_FROM.';
  elsif is_paused then
    refusal.status := 'failed';
    refusal.error := 'The mail of the tenant is paused, because too many of its mails bounced or were complained about. '
      || 'The owner of the project can resume it.';
  elsif private.needs_own_template(mail) and private.unused_own_template(mail) is not null then
    refusal.status := 'suppressed';
    refusal.error := private.unused_own_template(mail);
  end if;
  return refusal;
end
$function$;

CREATE OR REPLACE FUNCTION private.release_job (
  job  private.jobs,
  wait interval     DEFAULT '00:00:00'::interval
)
  RETURNS timestamp WITH time zone
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  due timestamptz;
begin
  update private.jobs j
  set lease = null, leased_until = null, due_at = clock_timestamp() + release_job.wait, attempts = greatest(j.attempts - 1, 0)
  where j.queue = job.queue and j.subject_id = job.subject_id and j.tenant_id = job.tenant_id
  returning j.due_at into due;
  return due;
end
$function$;

CREATE OR REPLACE FUNCTION private.retry_mail (
  mail_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  mail public.mails;
begin
  select m.* into mail
  from public.mails m
  where m.tenant_id = private.tenant_id() and m.id = retry_mail.mail_id and private.tenant_role() = 'admin'
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such mail.');
  elsif mail.status <> 'failed' then
    perform private.refuse(
      'CONFLICT', 'Only a mail that has failed can be sent again.',
      'status', to_jsonb(mail.status)
    );
  end if;
  update public.mails m
  set status = (case when m.attempts = 0 then 'pending' else 'retrying' end)::public.mail_status, next_attempt_at = now()
  where m.id = mail.id
  returning m.* into mail;
  perform private.queue_jobs('mails', array[mail.tenant_id], array[mail.id]);
  return to_jsonb(mail);
end
$function$;

CREATE OR REPLACE FUNCTION private.right_to_left_tags()
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
RETURN '^(ar|arc|ckb|dv|fa|he|iw|ks|ku-arab|ps|sd|ug|ur|yi)(-|$)|-(arab|hebr|thaa|syrc|nkoo)(-|$)'::text;

CREATE OR REPLACE FUNCTION private.is_written_from_right (
  language text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
RETURN (LANGUAGE ~* private.right_to_left_tags());

CREATE OR REPLACE FUNCTION private.store_mail_contents (
  contents jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  content record;
begin
  for content in
    select l.*, j as job
    from jsonb_to_recordset(contents) as l (id uuid, lease uuid, subject text, html text, text text, error text)
    join private.jobs j on j.queue = 'mails' and j.subject_id = l.id and j.lease = l.lease
  loop
    if content.html is null then
      -- Each attempt would fail.
      perform private.record_failed_mail(content.job, content.error, is_final => true);
    else
      insert into private.mail_contents (mail_id, tenant_id, subject, html, text)
      values (content.id, (content.job).tenant_id, content.subject, content.html, content.text)
      on conflict on constraint mail_contents_pkey do nothing;
      update public.mails m
      set subject = content.subject, error = coalesce(content.error, private.unused_own_template(m))
      where m.id = content.id;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.sweep_exports()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.exports e
  set status = 'expired', files = '{}', expires_at = null
  where e.id in (select d.id from public.exports d where d.expires_at <= now() limit 1000);
  delete from public.exports e
  where e.id in (
    select d.id from public.exports d where d.finished_at <= now() - interval '90 days' limit 1000
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.sweep_mails()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from public.mails m
  where m.id in (select d.id from public.mails d where d.created_at < now() - interval '90 days' limit 10000);
  delete from private.mail_counts c
  where c.subject in (
    select d.subject
    from private.mail_counts d
    where d.counted_at < now() - interval '1 hour'
    limit 10000
    for update skip locked
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.sweep_media()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from public.media_assets a
  using private.media_uploads u
  where u.created_at < now() - interval '1 day' and a.tenant_id = u.tenant_id and a.id = u.asset_id
    and a.status = 'uploading';
  delete from private.media_uploads u where u.created_at < now() - interval '1 day';

  -- Objects that were uploaded and never registered.
  insert into private.media_sweeps (tenant_id, bucket, path)
  select case when o.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' then left(o.name, 36)::uuid else gen_random_uuid() end,
    'uploads', o.name
  from storage.objects o
  where o.bucket_id = 'uploads' and o.created_at < now() - interval '26 hours'
    and not exists (select from private.media_uploads u where u.path = o.name)
  limit 1000
  on conflict on constraint path_is_unique_in_media_sweeps do nothing;
end
$function$;

CREATE OR REPLACE FUNCTION private.take_export()
  RETURNS private.jobs
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.take_mails (
  batch integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  taken jsonb;
begin
  if take_mails.batch > 0 then
    -- The dispatcher stops at an empty list, which mails that have ended do not mean.
    for round in 1..10 loop
      taken := private.lease_mails(take_mails.batch);
      if taken is not null then
        return taken;
      end if;
      exit when not exists (select from private.due_jobs('{mails}', 1));
    end loop;
  end if;
  perform private.wake_for_jobs('{mails}');
  return '[]'::jsonb;
end
$function$;

CREATE OR REPLACE FUNCTION private.unused_own_template (
  mail public.mails
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select 'Your own letter is sent once the owner of the project has approved your mail.'
  from public.tenants t
  where t.id = mail.tenant_id and t.mail_status <> 'approved'
    and (
      private.needs_own_template(mail)
      or exists (select from public.email_templates e where e.tenant_id = mail.tenant_id and e.key = mail.template)
    )
$function$;

CREATE OR REPLACE FUNCTION private.wait_after (
  job private.jobs
)
  RETURNS interval
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select q.waits[least(greatest(job.attempts, 1), cardinality(q.waits))] from private.queues q where q.queue = job.queue
$function$;

CREATE OR REPLACE FUNCTION private.wake_export_dispatch()
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$ select private.wake_for_jobs('{small_exports,large_exports,export_files}') $function$;

CREATE OR REPLACE FUNCTION private.wake_for_jobs (
  queues text[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  waiting private.queues;
begin
  for waiting in select q.* from private.queues q where q.queue = any (queues) order by q.queue loop
    if exists (select from private.due_jobs_of(waiting, 1, clock_timestamp())) then
      perform private.wake(waiting.worker);
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.wake_workers()
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$ select private.wake_for_jobs(array(select q.queue from private.queues q)) $function$;

CREATE OR REPLACE FUNCTION private.write_mail_of_invitation()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The mail gets the token when it is rendered, so that this table never contains it.
  perform private.write_mail(
    'invitation', new.id, new.tenant_id,
    array[private.recipient(new.tenant_id, new.email, '', null, null)],
    jsonb_build_object('invitation', jsonb_build_object('id', new.id, 'role', new.role, 'expires_at', new.expires_at))
  );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.write_mails_of_events()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.write_mails(array(
    select row(e.tenant_id, w.template, e.id, e.id, e.created_at, r, '{}'::jsonb, false, u.is_unpaid)::private.new_mail
    from (
      -- Looked up once for each kind of event: an import writes thousands of events in one statement.
      select k.*, l.template, l.is_own
      from (select distinct e.tenant_id, e.name, e.status from new_events e) k
      cross join lateral private.mail_kinds_on(k.tenant_id, k.name, k.status) as l
    ) w
    join new_events e
      on e.tenant_id = w.tenant_id and e.name = w.name and e.status is not distinct from w.status
    cross join lateral private.recipients_of(e.tenant_id, e.payload -> 'data') r
    cross join lateral private.is_unpaid_by_buyer(e.tenant_id, e.name, e.payload -> 'data') as u (is_unpaid)
    -- The built-in mails come first, within the bound of an event.
    order by e.created_at, w.is_own
  ));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.email_template_preview (
  template_id    uuid,
  marketplace_id uuid    DEFAULT NULL::uuid,
  is_test        boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  template public.email_templates;
begin
  if is_test then
    perform private.check_may_test_mails();
  end if;
  select t.* into template from public.email_templates t where t.id = email_template_preview.template_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such e-mail template.');
  end if;
  return (
    select jsonb_build_object(
      'key', template.key,
      'own', jsonb_build_object(
        'subject', template.subject, 'html_content', template.html_content, 'text_content', template.text_content
      ),
      'tenant', jsonb_build_object('name', n.name),
      'time_zone', n.time_zone,
      'marketplace', (
        select private.mail_marketplace(m)
        from public.marketplaces m
        where m.tenant_id = template.tenant_id
          and (email_template_preview.marketplace_id is null or m.id = email_template_preview.marketplace_id)
        order by m.status = 'active' desc, m.created_at, m.id
        limit 1
      )
    )
    from public.tenants n
    where n.id = template.tenant_id
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.fail_media_cleaning (
  asset_id uuid,
  lease    uuid,
  error    text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.fail_job(private.leased_job('media_cleanings', asset_id, lease), error)
$function$;

REVOKE ALL ON FUNCTION "public"."fail_media_cleaning"(uuid, uuid, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.finish_media_cleaning (
  asset_id  uuid,
  path      text,
  size      bigint,
  resizable boolean,
  width     integer DEFAULT NULL::integer,
  height    integer DEFAULT NULL::integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  is_same boolean;
begin
  -- The asset before the row that refers to it, as when it is deleted: the other order could deadlock.
  update public.media_assets a
  set size = finish_media_cleaning.size, cleaned = true,
      -- A WebP loses its rotation. What Storage cannot decode stays as it is.
      resizable = finish_media_cleaning.resizable and (a.resizable or a.content_type = 'image/webp'),
      width = coalesce(finish_media_cleaning.width, a.width), height = coalesce(finish_media_cleaning.height, a.height)
  where a.id = finish_media_cleaning.asset_id and a.bucket = 'media' and a.path = finish_media_cleaning.path;
  is_same := found;
  perform private.end_job('media_cleanings', finish_media_cleaning.asset_id);
  return is_same;
end
$function$;

CREATE OR REPLACE FUNCTION public.leave_export (
  export_id uuid,
  lease     uuid,
  arrived   boolean DEFAULT false,
  failed    boolean DEFAULT false,
  error     text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.read_export_rows (
  export_id uuid,
  lease     uuid,
  after     jsonb,
  bytes     integer
)
  RETURNS json
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.report_export (
  export_id  uuid,
  lease      uuid,
  checkpoint jsonb DEFAULT NULL::jsonb,
  upcoming   jsonb DEFAULT NULL::jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.store_mail_contents (
  contents jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.store_mail_contents(contents);
end
$function$;

REVOKE ALL ON FUNCTION "public"."store_mail_contents"(jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.take_export()
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  job private.jobs := private.take_export();
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
$function$;

CREATE OR REPLACE FUNCTION public.take_media_cleanings (
  batch integer
)
  RETURNS TABLE (
    asset_id     uuid,
    lease        uuid,
    content_type text,
    path         text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  held constant private.jobs[] := array(select j from private.hold_due_jobs('{media_cleanings}', batch) j);
begin
  perform private.end_job(h.queue, h.subject_id)
  from unnest(held) h
  join public.media_assets a on a.tenant_id = h.tenant_id and a.id = h.subject_id
  join public.tenants t on t.id = h.tenant_id
  where not private.has_metadata(a.type, a.status, a.private, a.cleaned) or private.keeps_metadata(t.settings);
  lease := private.lease_jobs(held);
  return query
    select a.id, j.lease, a.content_type, a.path
    from unnest(held) h
    join private.jobs j on j.queue = h.queue and j.subject_id = h.subject_id
    join public.media_assets a on a.tenant_id = h.tenant_id and a.id = h.subject_id;
end
$function$;

REVOKE ALL ON FUNCTION "public"."take_media_cleanings"(integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.take_media_sweeps (
  done  jsonb,
  batch integer
)
  RETURNS TABLE (
    id     uuid,
    lease  uuid,
    bucket text,
    names  text[]
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  held private.jobs[];
begin
  delete from private.media_sweeps s
  using jsonb_to_recordset(done) as d (id uuid, lease uuid)
  join private.jobs j on j.queue = 'media_sweeps' and j.subject_id = d.id and j.lease = d.lease
  where s.tenant_id = j.tenant_id and s.id = d.id
    -- A path may stand for more names than one batch deletes.
    and private.names_below(s.bucket, s.path) = '{}';
  held := array(select j from private.hold_due_jobs('{media_sweeps}', batch) j);
  lease := private.lease_jobs(held);
  return query
    select s.id, take_media_sweeps.lease, s.bucket, private.names_below(s.bucket, s.path)
    from unnest(held) h
    join private.media_sweeps s on s.tenant_id = h.tenant_id and s.id = h.subject_id;
end
$function$;

REVOKE ALL ON FUNCTION "public"."take_media_sweeps"(jsonb, integer) FROM PUBLIC, "anon", "authenticated";

CREATE INDEX export_jobs_tenant_id_idx ON private.export_jobs USING btree (tenant_id, export_id);

CREATE INDEX jobs_due_idx ON private.jobs USING btree (queue, tenant_id, due_at)
  WHERE (due_at IS NOT NULL);

CREATE TRIGGER media_sweeps_delete_jobs AFTER DELETE ON private.media_sweeps REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION private.delete_jobs (
  'media_sweeps'
);

CREATE TRIGGER media_sweeps_queue_changed
  AFTER UPDATE ON private.media_sweeps REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.queue_media_sweeps();

CREATE TRIGGER media_sweeps_queue_new
  AFTER INSERT ON private.media_sweeps REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.queue_media_sweeps();

CREATE TRIGGER exports_delete_jobs AFTER DELETE ON public.exports REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION private.delete_jobs (
  'small_exports',
  'large_exports'
);

CREATE TRIGGER mails_delete_jobs AFTER DELETE ON public.mails REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION private.delete_jobs (
  'mails'
);

CREATE TRIGGER media_assets_delete_jobs AFTER DELETE ON public.media_assets REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION private.delete_jobs (
  'media_cleanings'
);

COMMENT ON COLUMN "private"."jobs"."attempts" IS 'Attempts that have begun since the job was queued. One that was given back untried does not count.';

COMMENT ON COLUMN "private"."jobs"."due_at" IS 'When the next attempt is made. Null: the job is given up.';

COMMENT ON COLUMN "private"."jobs"."error" IS 'The error of the last attempt that failed.';

COMMENT ON COLUMN "private"."jobs"."is_counted" IS 'Whether the subject counts against a bound of its tenant, which counts it once.';

COMMENT ON COLUMN "private"."jobs"."subject_id" IS 'What the job is about: the id of a mail, product, export, …';

COMMENT ON COLUMN "private"."queues"."gives_up" IS 'Whether a job is given up after the attempt that follows the last wait. If not, the last wait repeats.';

COMMENT ON COLUMN "private"."queues"."in_order" IS 'Whether a tenant''s jobs are done one at a time, in the order in which they were queued.';

COMMENT ON COLUMN "private"."queues"."lease" IS 'The time in which a worker reports.';

COMMENT ON COLUMN "private"."queues"."waits" IS 'The wait after each failed attempt, up to a tenth longer.';

COMMENT ON COLUMN "private"."queues"."worker" IS 'The edge function that is woken.';

COMMENT ON COLUMN "public"."tenants"."mail_status" IS 'Whether the owner of the project lets the tenant send mails of its own: new or approved.';

COMMENT ON FUNCTION "private"."add_queue"(text, text, interval, interval[], boolean, boolean) IS 'Adds a queue, or changes the one with this name.';

COMMENT ON FUNCTION "private"."delete_jobs"() IS 'Statement trigger with the names of queues: deletes the jobs of deleted subjects.';

COMMENT ON FUNCTION "private"."due_jobs"(text[], integer) IS 'Up to batch jobs of some queues that are due: the first one of each tenant, then the second ones, and so on.';

COMMENT ON FUNCTION "private"."due_jobs_of"(private.queues, integer, timestamp with time zone) IS 'Jobs of a queue that are due: of up to 400 tenants, at most batch each. turn: the place among those of its tenant.';

COMMENT ON FUNCTION "private"."end_job"(text, uuid) IS 'Removes the job of a subject, which is done or cannot be done.';

COMMENT ON FUNCTION "private"."extend_lease"(private.jobs, integer) IS 'Lets the lease of a job begin anew. attempts: those that have begun since the job last made progress.';

COMMENT ON FUNCTION "private"."fail_job"(private.jobs, text, interval) IS 'Ends an attempt that has failed. Returns when the next one is made: not before retry_after, which is at most an hour. Null if the job is given up.';

COMMENT ON FUNCTION "private"."give_up_export"(uuid) IS 'Ends an export whose attempts have failed.';

COMMENT ON FUNCTION "private"."held_export"() IS 'The job of the export that is next, of all tenants in turn, locked with its export until the end of the transaction; null if none is due.';

COMMENT ON FUNCTION "private"."hold_due_jobs"(text[], integer) IS 'As private.due_jobs, locked until the end of the transaction. A job with a lease is one whose worker has not reported in time.';

COMMENT ON FUNCTION "private"."hold_due_mails"(integer) IS 'Up to batch mails that are due and may be sent, until the end of the transaction. Ends those that may not.';

COMMENT ON FUNCTION "private"."hold_jobs"(private.jobs[], integer) IS 'Locks up to batch of these jobs until the end of the transaction, and returns them. Leaves out those that another worker has taken meanwhile.';

COMMENT ON FUNCTION "private"."is_last_attempt"(private.jobs) IS 'Whether no attempt follows the one that has begun last.';

COMMENT ON FUNCTION "private"."is_suppressed"(uuid, text, text) IS 'Whether an address gets no mails of this kind.';

COMMENT ON FUNCTION "private"."lease_jobs"(private.jobs[]) IS 'Begins an attempt at jobs that are held. Returns its lease.';

COMMENT ON FUNCTION "private"."lease_mails"(integer) IS 'Leases up to batch mails that are due, with what rendering them requires. Null if none is left to send.';

COMMENT ON FUNCTION "private"."leased_export"(uuid, uuid) IS 'The job of an export that is leased, locked with its export until the end of the transaction; null if the lease is lost.';

COMMENT ON FUNCTION "private"."leased_job"(text, uuid, uuid) IS 'The job of a lease, locked until the end of the transaction; null if the lease is lost.';

COMMENT ON FUNCTION "private"."mail_items"(jsonb, jsonb) IS 'The items of a shipment, cancellation, return or refund for a mail: with the name and price of the order''s item, and their amount.';

COMMENT ON FUNCTION "private"."mail_kinds_on"(uuid, text, text) IS 'The kinds of mail that an event sends: built-in ones, and those of the tenant.';

COMMENT ON FUNCTION "private"."mail_marketplace"(public.marketplaces) IS 'The variable marketplace of a mail, and reply_to for its headers.';

COMMENT ON FUNCTION "private"."mail_order"(jsonb) IS 'The order of an event for a mail, with its pieces in each state as lists and sums: sent_items (on their way), cancelled_items, returned_items, lost_items. owed_amount: its price then, as private.owed_amount. All are empty if the event is truncated.';

COMMENT ON FUNCTION "private"."mail_pieces"(jsonb, integer) IS 'Some pieces of an item of an order, with their price as amount.';

COMMENT ON FUNCTION "private"."mail_to_send"(public.mails) IS 'A mail with everything that rendering and sending it requires.';

COMMENT ON FUNCTION "private"."mail_variables"(public.mails) IS 'The variables of a mail: the data of its event that its recipient may see, and the mail''s own.';

COMMENT ON FUNCTION "private"."may_still_export"(uuid) IS 'Whether the member who requested an export may still see its rows.';

COMMENT ON FUNCTION "private"."needs_own_template"(public.mails) IS 'Whether a mail needs the template of its tenant, which no built-in one can replace.';

COMMENT ON FUNCTION "private"."queue_jobs"(text, uuid[], uuid[], timestamp with time zone[], boolean) IS 'Queues a job for each subject, due now unless due_at has another time, and wakes the worker of the queue. A job that exists stays as it is; with is_changed it begins again, and a worker that has it loses its lease.';

COMMENT ON FUNCTION "private"."queue_media_sweeps"() IS 'Statement trigger: queues the deletion of paths.';

COMMENT ON FUNCTION "private"."read_unsubscribe_token"(text) IS 'The tenant, kind of mail and address of a token; nulls if the token is not valid.';

COMMENT ON FUNCTION "private"."record_failed_mail"(private.jobs, text, boolean) IS 'Records a failed attempt and plans the next one; ends the mail if it was the last one, or is_final.';

COMMENT ON FUNCTION "private"."release_job"(private.jobs, interval) IS 'Gives back a job that was not tried. Returns when it is due again: after wait.';

COMMENT ON FUNCTION "private"."right_to_left_tags"() IS 'A regular expression for the tags of languages that are usually written from right to left, regardless of case. `npm run types` writes it for the functions and the client, too.';

COMMENT ON FUNCTION "private"."shop_of"(uuid, uuid) IS 'The marketplace that a mail comes from: the one it is about, or else the tenant''s oldest active one. Null if there is none.';

COMMENT ON FUNCTION "private"."store_mail_contents"(jsonb) IS 'As public.store_mail_contents.';

COMMENT ON FUNCTION "private"."suppress"(uuid, text, text, public.suppression_reason) IS 'Suppresses a kind of mail for an address; all mails if template is null.';

COMMENT ON FUNCTION "private"."sweep_exports"() IS 'Expires exports after 7 days, and deletes them after 90.';

COMMENT ON FUNCTION "private"."sweep_mails"() IS 'Deletes mails after 90 days and counts of addresses after an hour.';

COMMENT ON FUNCTION "private"."sweep_media"() IS 'Deletes uploads that were announced a day ago and not completed, and the bytes of those that were never registered.';

COMMENT ON FUNCTION "private"."take_export"() IS 'Leases the next export; null if there is none. Ends exports whose member may no longer see their rows, and exports that were not written in six attempts.';

COMMENT ON FUNCTION "private"."unsubscribe_token"(uuid, text, text) IS 'The token that unsubscribes an address from a kind of mail. It is not stored and does not expire. Granted to nobody.';

COMMENT ON FUNCTION "private"."unused_own_template"(public.mails) IS 'Why a mail is not made with the tenant''s own template; null if it has, or if there is none.';

COMMENT ON FUNCTION "private"."wait_after"(private.jobs) IS 'The wait after the attempt that has begun last, if it fails.';

COMMENT ON FUNCTION "private"."wake_export_dispatch"() IS 'Wakes the dispatcher if an export is to be written or files are to be deleted.';

COMMENT ON FUNCTION "private"."wake_for_jobs"(text[]) IS 'Wakes the workers of those of these queues that have a job due.';

COMMENT ON FUNCTION "private"."wake_workers"() IS 'For a job each minute: wakes the worker of each queue with a job that is due, such as a retry or one of a crashed worker.';

COMMENT ON FUNCTION "private"."write_mail"(text, uuid, uuid, private.recipient[], jsonb, boolean) IS 'Writes the mails of a kind that is not sent on an event.';

COMMENT ON FUNCTION "private"."write_mails_of_events"() IS 'Statement trigger: writes a mail for each event, kind and recipient.';

COMMENT ON FUNCTION "public"."export_files_to_remove"() IS 'For the dispatcher: the paths of files that are to be deleted through Storage, at most 1,000. Those that are still there in two minutes are returned again.';

COMMENT ON FUNCTION "public"."fail_media_cleaning"(uuid, uuid, text) IS 'For the function media-sweep: records why an image was not cleaned. The wait for the next attempt doubles with each.';

COMMENT ON FUNCTION "public"."set_mail_status"(uuid, public.tenant_mail_status) IS 'For the operator: approves a tenant''s mail, so that mails of its own are sent, or takes that back with new. Refuses with NOT_FOUND.';

COMMENT ON FUNCTION "public"."store_mail_contents"(jsonb) IS 'For the dispatcher: stores rendered mails, {id, lease, subject, html, text, error}, before they are sent; one without html cannot be rendered. error: why the built-in mail replaces the tenant''s.';

COMMENT ON FUNCTION "public"."take_media_cleanings"(integer) IS 'For the function media-sweep: leases images whose metadata is to be removed, and drops those that are to keep it. Returns their paths in the bucket media.';

COMMENT ON FUNCTION "public"."take_media_sweeps"(jsonb, integer) IS 'For the function media-sweep: removes the reported paths that are empty now, and leases due paths. Returns for each the names to delete, which may be none.';

COMMENT ON FUNCTION "public"."wake_export_dispatch"() IS 'For the dispatcher: has it called again if an export is to be written or files are to be deleted.';

COMMENT ON TABLE "private"."export_jobs" IS 'What the job of an export writes, and how far it is. total: rows, counted when it was requested. checkpoint: the position up to which its files have certainly arrived in Storage. upcoming: the checkpoint that holds once the part in flight has arrived.';

COMMENT ON TABLE "private"."jobs" IS 'The jobs of all queues: at most one for each subject of a queue. It has no foreign keys; a trigger deletes the jobs of a deleted subject.';

COMMENT ON TABLE "private"."mail_kinds" IS 'The built-in kinds of mail. event and status: what they are sent on; status is null if every event of that name sends the mail, event is null if a trigger of another table does. is_optional: whether the recipient may unsubscribe from it.';

COMMENT ON TABLE "private"."media_sweeps" IS 'Paths in Storage whose bytes are deleted, from due_at on. A path that ends with a dot stands for all paths that begin with it. counts: whether the bytes count against the quota until they are deleted.';

COMMENT ON TABLE "private"."queues" IS 'The queues of jobs.';

COMMENT ON TABLE "public"."email_templates" IS 'E-mail templates of a tenant. One with the key of a built-in mail replaces it; any other is sent on its trigger_events. subject, html_content, text_content: Liquid, one text or an object of texts by language. variables: names of variables in these texts, for editors.';

COMMENT ON TABLE "public"."mail_suppressions" IS 'Addresses that get no mails of a tenant. template: the key of the kind that is suppressed; null for all mails.';

COMMENT ON TABLE "public"."mails" IS 'A mail to an address: waiting, sent or failed. template: the key of its kind or e-mail template. languages: in the order of preference. variables: what the mail shows, in addition to the data of its event. is_test: sent by an admin to itself, with samples for variables that were not sent along. is_unpaid: about an order that was not paid, and caused by somebody other than the shop. subject: as rendered at the first attempt. error: of the last attempt; if the mail was sent, why the built-in mail has replaced the tenant''s. provider_id: the mail''s id at the provider.';

COMMENT ON TYPE "private"."new_mail" IS 'A mail to write: its kind, cause, recipient and variables. is_unpaid: as in public.mails.';

REVOKE ALL ON FUNCTION "private"."add_queue"(text, text, interval, interval[], boolean, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_queue"(text, text, interval, interval[], boolean, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_queue"(text, text, interval, interval[], boolean, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_jobs"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_jobs"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_jobs"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."due_jobs"(text[], integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."due_jobs"(text[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."due_jobs"(text[], integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."due_jobs_of"(private.queues, integer, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."due_jobs_of"(private.queues, integer, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."due_jobs_of"(private.queues, integer, timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_job"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_job"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_job"(text, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_job"(text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."extend_lease"(private.jobs, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."extend_lease"(private.jobs, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."extend_lease"(private.jobs, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."extend_lease"(private.jobs, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."fail_job"(private.jobs, text, interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."fail_job"(private.jobs, text, interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."fail_job"(private.jobs, text, interval) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."fail_job"(private.jobs, text, interval) TO "service_role";

REVOKE ALL ON FUNCTION "private"."give_up_export"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."give_up_export"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."give_up_export"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."give_up_export"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."held_export"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."held_export"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."held_export"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."hold_due_jobs"(text[], integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hold_due_jobs"(text[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_due_jobs"(text[], integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_due_jobs"(text[], integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."hold_jobs"(private.jobs[], integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hold_jobs"(private.jobs[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_jobs"(private.jobs[], integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_last_attempt"(private.jobs) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_last_attempt"(private.jobs) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_last_attempt"(private.jobs) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_last_attempt"(private.jobs) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lease_jobs"(private.jobs[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lease_jobs"(private.jobs[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_jobs"(private.jobs[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_jobs"(private.jobs[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."leased_export"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."leased_export"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."leased_export"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."leased_export"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."leased_job"(text, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."leased_job"(text, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."leased_job"(text, uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."leased_job"(text, uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_items"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_items"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_items"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_kinds_on"(uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_kinds_on"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_kinds_on"(uuid, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_marketplace"(public.marketplaces) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_marketplace"(public.marketplaces) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."mail_marketplace"(public.marketplaces) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_marketplace"(public.marketplaces) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_order"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_order"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_order"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_pieces"(jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_pieces"(jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_pieces"(jsonb, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_to_send"(public.mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_to_send"(public.mails) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_to_send"(public.mails) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_variables"(public.mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_variables"(public.mails) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_variables"(public.mails) TO "postgres";

REVOKE ALL ON FUNCTION "private"."may_still_export"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."may_still_export"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."may_still_export"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."needs_own_template"(public.mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."needs_own_template"(public.mails) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."needs_own_template"(public.mails) TO "postgres";

REVOKE ALL ON FUNCTION "private"."queue_jobs"(text, uuid[], uuid[], timestamp WITH time zone[], boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."queue_jobs"(text, uuid[], uuid[], timestamp WITH time zone[], boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."queue_jobs"(text, uuid[], uuid[], timestamp WITH time zone[], boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."queue_media_sweeps"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."queue_media_sweeps"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."queue_media_sweeps"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_failed_mail"(private.jobs, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_failed_mail"(private.jobs, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_failed_mail"(private.jobs, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_job"(private.jobs, interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."release_job"(private.jobs, interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_job"(private.jobs, interval) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_job"(private.jobs, interval) TO "service_role";

REVOKE ALL ON FUNCTION "private"."right_to_left_tags"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."right_to_left_tags"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."right_to_left_tags"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_mail_contents"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_mail_contents"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_mail_contents"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_mail_contents"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."take_export"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."take_export"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."take_export"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."take_export"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."unused_own_template"(public.mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unused_own_template"(public.mails) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."unused_own_template"(public.mails) TO "postgres";

REVOKE ALL ON FUNCTION "private"."wait_after"(private.jobs) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wait_after"(private.jobs) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wait_after"(private.jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."wake_export_dispatch"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wake_export_dispatch"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_export_dispatch"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_export_dispatch"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."wake_for_jobs"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wake_for_jobs"(text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_for_jobs"(text[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_for_jobs"(text[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."wake_workers"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wake_workers"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_workers"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."fail_media_cleaning"(uuid, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."fail_media_cleaning"(uuid, uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."fail_media_cleaning"(uuid, uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."store_mail_contents"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."store_mail_contents"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."store_mail_contents"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."take_media_cleanings"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."take_media_cleanings"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."take_media_cleanings"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."take_media_sweeps"(jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."take_media_sweeps"(jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."take_media_sweeps"(jsonb, integer) TO "service_role";

REVOKE ALL ON TABLE "private"."export_jobs" FROM "service_role";

GRANT SELECT, UPDATE ON TABLE "private"."export_jobs" TO "service_role";

GRANT SELECT ON TABLE "private"."jobs" TO "service_role";

GRANT SELECT ON TABLE "private"."queues" TO "service_role";

-- supabase/by_hand/after.sql

-- Statements that the migration since the last release runs behind the difference: rows that move into new columns, and
-- what the difference does not show, such as dictionaries of text search.

insert into private.jobs (queue, tenant_id, subject_id, due_at, attempts, is_counted)
select w.queue, w.tenant_id, w.subject_id, w.due_at, w.attempts, w.is_counted from private.waiting_jobs w;

drop table private.waiting_jobs;

insert into private.jobs (queue, tenant_id, subject_id, due_at)
select 'media_sweeps', s.tenant_id, s.id, s.due_at from private.media_sweeps s;

-- Servers without vectors lack these tables.
do $$
begin
  if to_regclass('private.embedding_queue') is not null then
    insert into private.jobs (queue, tenant_id, subject_id, queued_at, due_at, attempts, error)
    select 'embeddings', q.tenant_id, q.product_id, q.queued_at, q.next_attempt_at, q.attempts, q.error
    from private.embedding_queue q;
    insert into private.jobs (queue, tenant_id, subject_id)
    select 'word_lessons', l.tenant_id, l.tenant_id from private.word_lessons l where l.is_due;
  end if;
end
$$;

select private.unschedule_job('clean-media');

-- supabase/reference/exports.sql

insert into private.caps (name, value, unit) values
  ('export_rows', 5000000, 'rows of an export as csv or json'),
  ('export_rows_xlsx', 20000, 'rows of an export as xlsx'),
  ('export_rows_small', 50000, 'rows of a small export, which is written beside a larger one of its tenant'),
  ('export_file_bytes', 52428800, 'bytes of a file of an export; an export with more has several files'),
  ('exports_waiting', 20, 'exports of a tenant that wait or are being written')
on conflict (name) do update set unit = excluded.unit;

insert into private.status_moves (subject, from_status, to_status) values
  ('exports', 'queued', 'running'),
  ('exports', 'queued', 'failed'),
  ('exports', 'running', 'ready'),
  ('exports', 'running', 'failed'),
  ('exports', 'ready', 'expired')
on conflict do nothing;

insert into storage.buckets (id, name, public, allowed_mime_types)
values (
  'exports', 'exports', false,
  array['text/csv', 'application/json', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']
)
on conflict (id) do update set public = excluded.public, allowed_mime_types = excluded.allowed_mime_types;

-- Beside a large export of a tenant, a small one is written.
select private.add_queue(
  q.name, worker => 'export-dispatch', lease => '2 minutes', waits => '{5 seconds,10 seconds,20 seconds,40 seconds,80 seconds}',
  in_order => true
)
from unnest(array['small_exports', 'large_exports']) as q (name);

select private.add_queue('export_files', worker => 'export-dispatch', lease => '2 minutes', waits => '{1 minute}', gives_up => false);

select private.schedule_job('sweep-exports', 'select private.sweep_exports()', every => '1 minute', queue => 'workers');

insert into private.caps (name, value, unit) values
  ('export_schedules_per_tenant', 100, 'schedules of exports of a tenant')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job('run-export-schedules', 'select private.run_export_schedules()', every => '5 minutes');

-- supabase/reference/jobs.sql

-- Supabase advises at most 8 cron jobs at once. These are all; capabilities add rows to jobs_due.
select cron.schedule('clock', '* * * * *', 'call private.run_due_jobs()');

select cron.schedule('clock-workers', '* * * * *', $$call private.run_due_jobs('workers')$$);

select cron.schedule('clock-long', '* * * * *', $$call private.run_due_jobs('long')$$);

select private.schedule_job(
  'delete-old-cron-runs', $$select private.delete_old_cron_runs(keep => '7 days', batch => 10000)$$,
  every => '1 hour', at => '00:51', queue => 'long', in_batches => true
);

select private.schedule_job('wake-workers', 'select private.wake_workers()', every => '1 minute', queue => 'workers');

-- supabase/reference/mail.sql

insert into private.mail_kinds (key, event, status, is_optional) values
  ('order_placed', 'order.created', null, false),
  ('order_shipped', 'order.status_changed', 'shipped', false),
  ('order_returned', 'order.status_changed', 'returned', false),
  ('order_cancelled', 'order.cancelled', null, false),
  ('order_refunded', 'payment.refunded', null, false),
  ('payment_failed', 'payment.failed', null, false),
  ('welcome', 'user.registered', null, true),
  ('webhook_disabled', 'webhook.disabled', null, false),
  ('invitation', null, null, false),
  ('export_ready', null, null, false),
  ('campaign_approved', null, null, false),
  ('campaign_rejected', null, null, false),
  ('campaign_exhausted', null, null, false),
  ('low_stock', null, null, true)
on conflict (key) do update set event = excluded.event, status = excluded.status, is_optional = excluded.is_optional;

insert into private.caps (name, value, unit) values
  ('email_templates_per_tenant', 100, 'e-mail templates of a tenant')
on conflict (name) do update set unit = excluded.unit;

insert into private.caps (name, value, unit) values
  ('mails_per_event', 10, 'mails of one event'),
  ('mail_recipients', 10, 'members who get a mail of one event')
on conflict (name) do update set unit = excluded.unit;

insert into private.signing_keys (name) values ('mails')
on conflict do nothing;

insert into private.caps (name, value, unit) values
  ('mails_per_tenant_per_day', 50, 'mails of a tenant in a day, in UTC'),
  ('mails_per_address_per_hour', 20, 'mails of all tenants to one address in an hour'),
  ('unpaid_orders_per_address_per_hour', 1, 'unpaid orders about which one address gets mails in an hour'),
  ('mail_reports', 5, 'bounces and complaints among the last 100 mails of a tenant')
on conflict (name) do update set unit = excluded.unit;

select private.add_queue('mails', worker => 'mail-dispatch', lease => '2 minutes', waits => '{1 minute,5 minutes,15 minutes,1 hour}');

select private.schedule_job('sweep-mails', 'select private.sweep_mails()', every => '1 minute', queue => 'workers');

-- supabase/reference/media.sql

insert into private.media_types (content_type, type, extension) values
  ('image/jpeg', 'image', 'jpg'), ('image/png', 'image', 'png'), ('image/webp', 'image', 'webp'),
  ('image/avif', 'image', 'avif'), ('image/gif', 'image', 'gif'),
  -- A PNG that moves: `complete` makes it image/png.
  ('image/apng', 'image', 'png'),
  -- The same structure under another name: `complete` makes them video/mp4.
  ('video/x-m4v', 'video', 'mp4'), ('video/3gpp', 'video', 'mp4'), ('video/3gpp2', 'video', 'mp4'),
  ('video/mp4', 'video', 'mp4'), ('video/webm', 'video', 'webm'),
  ('application/pdf', 'document', 'pdf'), ('text/plain', 'document', 'txt'), ('text/csv', 'document', 'csv'),
  ('application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document', 'docx'),
  ('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'document', 'xlsx'),
  ('model/gltf-binary', 'model_3d', 'glb'), ('model/gltf+json', 'model_3d', 'gltf'),
  ('model/vnd.usdz+zip', 'model_3d', 'usdz')
on conflict (content_type) do update set type = excluded.type, extension = excluded.extension;

insert into private.caps (name, value, unit) values
  ('media_file_bytes', 52428800, 'bytes of a file, unless the tenant''s settings have another limit'),
  ('media_file_bytes_at_most', 5368709120, 'bytes of a file that a tenant''s settings may allow'),
  ('media_quota_bytes', 5368709120, 'bytes of all media of a tenant, unless its settings have another limit'),
  ('media_quota_bytes_at_most', 1099511627776, 'bytes of all media that a tenant''s settings may allow'),
  ('media_assets_per_tenant', 100000, 'assets of a tenant''s media library'),
  ('media_folders_per_tenant', 1000, 'folders of a tenant''s media library'),
  ('products_per_image', 1000, 'products that show the same image of the library')
on conflict (name) do update set unit = excluded.unit;

insert into private.media_settings default values
on conflict do nothing;

insert into storage.buckets (id, name, public, allowed_mime_types)
select b.id, b.id, b.id = 'media', array(select t.content_type from private.media_types t order by t.content_type)
from unnest(array['uploads', 'media', 'documents']) as b (id)
on conflict (id) do update set public = excluded.public, allowed_mime_types = excluded.allowed_mime_types;

select private.schedule_job('sweep-media', 'select private.sweep_media()', every => '10 minutes', queue => 'workers');

select private.add_queue('media_sweeps', worker => 'media-sweep', lease => '2 minutes', waits => '{1 minute}', gives_up => false);

select private.add_queue(
  'media_cleanings', worker => 'media-sweep', lease => '5 minutes',
  waits => '{10 minutes,20 minutes,40 minutes,80 minutes,160 minutes,320 minutes,640 minutes,1280 minutes}', gives_up => false
);
