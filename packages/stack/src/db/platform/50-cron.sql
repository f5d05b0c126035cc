-- The tables and functions of pg_cron, if the extension is not installed. The stack itself runs the
-- jobs.

do $platform$
begin
  if exists (select from pg_extension where extname = 'pg_cron') then
    return;
  end if;

  create sequence if not exists cron.jobid_seq;
  create sequence if not exists cron.runid_seq;

  create table if not exists cron.job (
    jobid bigint primary key default nextval('cron.jobid_seq'),
    schedule text not null,
    command text not null,
    nodename text not null default 'localhost',
    nodeport int not null default coalesce(inet_server_port(), 5432),
    database text not null default current_database(),
    username text not null default current_user,
    active boolean not null default true,
    jobname text,
    constraint jobname_username_uniq unique (jobname, username)
  );

  create table if not exists cron.job_run_details (
    jobid bigint,
    runid bigint primary key default nextval('cron.runid_seq'),
    job_pid integer,
    database text,
    username text,
    command text,
    status text,
    return_message text,
    start_time timestamptz,
    end_time timestamptz
  );

  -- Every role with usage of the schema manages its own jobs, as with the extension. The policies
  -- enforce it.
  grant select, insert, delete, update (schedule, command) on cron.job to public;
  grant select, delete on cron.job_run_details to public;
  grant usage on sequence cron.jobid_seq to public;
  alter table cron.job enable row level security;
  alter table cron.job_run_details enable row level security;
  drop policy if exists cron_job_policy on cron.job;
  create policy cron_job_policy on cron.job using (username = current_user);
  drop policy if exists cron_job_run_details_policy on cron.job_run_details;
  create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

  -- Makes the stack read the table again.
  create or replace function cron.job_cache_invalidate() returns trigger
  language plpgsql set search_path = ''
  as $$
  begin
    perform pg_notify('cron_job', '');
    return null;
  end
  $$;

  drop trigger if exists cron_job_cache_invalidate on cron.job;
  create trigger cron_job_cache_invalidate
    after insert or update or delete or truncate on cron.job
    for each statement execute function cron.job_cache_invalidate();

  -- Returns the numbers that a field stands for; null if pg_cron refuses it. Like pg_cron it ignores the text after an
  -- element up to the next blank (`*5` is `*`), and fills a backward range by bytes of a bit string: from each end to
  -- the border of its byte, or nothing if both are in the same byte.
  create or replace function cron.read_field(field text, lowest int, highest int, names text[]) returns int[]
  language plpgsql immutable set search_path = ''
  as $$
  declare
    piece text[];
    ends int[];
    step int;
    numbers int[] := '{}';
  begin
    loop
      piece := coalesce(
        regexp_match(field, '^(\*)()(/[0-9A-Za-z]*)?(.*)$'),
        regexp_match(field, '^([0-9A-Za-z]+)(-[0-9A-Za-z]*)?(/[0-9A-Za-z]*)?(.*)$')
      );
      ends := array(
        select case
          when word = '*' then (array[lowest, highest])[n]
          when word ~ '^[0-9]{1,9}$' then word::int
          else array_position(names, lower(word)) - 1 + lowest
        end
        from unnest(array[piece[1], coalesce(substr(nullif(piece[2], ''), 2), piece[1])])
          with ordinality as w (word, n)
        order by n
      );
      step := case when piece[3] is null then 1 when piece[3] ~ '^/[0-9]{1,9}$' then substr(piece[3], 2)::int end;
      if ends[1] is null or ends[2] is null or step is null or step not between 1 and highest
        or ends[1] not between lowest and highest or ends[2] not between lowest and highest
        or (piece[2] is null and piece[3] is not null) then
        return null;
      end if;
      if ends[1] <= ends[2] or step > 1 then
        numbers := numbers || array(select generate_series(ends[1], ends[2], step));
      elsif (ends[1] - lowest) / 8 <> (ends[2] - lowest) / 8 then
        numbers := numbers
          || array(select generate_series(ends[1], (ends[1] - lowest) / 8 * 8 + 7 + lowest))
          || array(select generate_series((ends[2] - lowest) / 8 * 8 + lowest, ends[2]));
      end if;
      exit when piece[4] !~ '^,';
      field := substr(piece[4], 2);
    end loop;
    return numbers;
  end
  $$;

  -- Returns when a job is due; null if pg_cron refuses the schedule. Ignores the text after the
  -- fifth field.
  create or replace function cron.read_schedule(schedule text) returns jsonb
  language plpgsql immutable set search_path = ''
  as $$
  declare
    line text := ltrim(schedule, E' \t\n');
    f text[] := regexp_split_to_array(line, '[ \t]+');
    minutes int[] := cron.read_field(f[1], 0, 59, '{}');
    hours int[] := cron.read_field(f[2], 0, 23, '{}');
    days int[] := case f[3] when '$' then '{}' else cron.read_field(f[3], 1, 31, '{}') end;
    months int[] := cron.read_field(f[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}');
    weekdays int[] := cron.read_field(f[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}');
    seconds int := substring(lower(schedule) from '^\s*\+?0*([0-9]{1,2})\s*second(?:s\s*)?$');
  begin
    if left(line, 1) = '@' then
      return case substring(line from '^@([^ \t\n]*)')
        when 'reboot' then '{"start": true}'
        when 'restart' then '{"start": true}'
        when 'hourly' then cron.read_schedule('0 * * * *')
        when 'daily' then cron.read_schedule('0 0 * * *')
        when 'midnight' then cron.read_schedule('0 0 * * *')
        when 'weekly' then cron.read_schedule('0 0 * * 0')
        when 'monthly' then cron.read_schedule('0 0 1 * *')
      -- pg_cron stores January as month 0, which does not exist, so these jobs never run.
        when 'yearly' then cron.read_schedule('0 0 1 1 *') || '{"months": []}'
        when 'annually' then cron.read_schedule('0 0 1 1 *') || '{"months": []}'
      end;
    end if;
    if seconds between 1 and 59 then
      return jsonb_build_object('seconds', seconds);
    end if;
    if num_nulls(minutes, hours, days, months, weekdays) > 0 or array_to_string(f[1:4], '') ~ '\n' then
      return null;
    end if;
    return jsonb_build_object(
      'minutes', minutes, 'hours', hours, 'days', days, 'months', months, 'weekdays', weekdays,
      'last_day', f[3] = '$', 'both_days', f[3] ~ '^\*' or f[5] ~ '^\*'
    );
  end
  $$;

  create or replace function cron.check_schedule(schedule text) returns void
  language plpgsql set search_path = ''
  as $$
  begin
    if schedule is null then
      raise exception 'schedule can not be NULL';
    end if;
    if cron.read_schedule(schedule) is null then
      raise exception 'invalid schedule: %', schedule using
        errcode = 'invalid_parameter_value',
        hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
    end if;
  end
  $$;

  create or replace function cron.schedule(job_name text, schedule text, command text) returns bigint
  language plpgsql set search_path = ''
  as $$
  declare
    id bigint;
  begin
    if job_name is null then
      raise exception 'job_name can not be NULL';
    end if;
    if command is null then
      raise exception 'command can not be NULL';
    end if;
    perform cron.check_schedule(schedule);
    insert into cron.job (schedule, command, username, jobname)
    values ($2, $3, current_user, $1)
    on conflict on constraint jobname_username_uniq
      do update set schedule = excluded.schedule, command = excluded.command
    returning jobid into id;
    return id;
  end
  $$;

  create or replace function cron.schedule(schedule text, command text) returns bigint
  language plpgsql strict set search_path = ''
  as $$
  declare
    id bigint;
  begin
    perform cron.check_schedule(schedule);
    insert into cron.job (schedule, command, username) values ($1, $2, current_user) returning jobid into id;
    return id;
  end
  $$;

  create or replace function cron.schedule_in_database(
    job_name text, schedule text, command text, database text, username text default null, active boolean default true
  ) returns bigint
  language plpgsql set search_path = ''
  as $$
  declare
    id bigint;
  begin
    if database is distinct from current_database() then
      raise exception 'the local stack runs jobs in the database % only', current_database();
    end if;
    id := cron.schedule(job_name, schedule, command);
    update cron.job j set username = coalesce($5, j.username), active = coalesce($6, true) where j.jobid = id;
    return id;
  end
  $$;
  revoke execute on function cron.schedule_in_database(text, text, text, text, text, boolean) from public;

  create or replace function cron.unschedule(job_id bigint) returns boolean
  language plpgsql strict set search_path = ''
  as $$
  begin
    delete from cron.job j
    where j.jobid = job_id;
    if not found then
      raise exception 'could not find valid entry for job %', job_id;
    end if;
    return true;
  end
  $$;

  create or replace function cron.unschedule(job_name text) returns boolean
  language plpgsql strict set search_path = ''
  as $$
  begin
    delete from cron.job j where j.jobname = job_name and j.username = current_user;
    if not found then
      raise exception 'could not find valid entry for job ''%''', job_name;
    end if;
    return true;
  end
  $$;

  create or replace function cron.alter_job(
    job_id bigint, schedule text default null, command text default null, database text default null,
    username text default null, active boolean default null
  ) returns void
  language plpgsql set search_path = ''
  as $$
  begin
    if num_nonnulls(schedule, command, database, username, active) = 0 then
      raise exception 'no updates specified' using
        hint = 'You must specify at least one job attribute to change when calling alter_job';
    end if;
    if schedule is not null then
      perform cron.check_schedule(schedule);
    end if;
    if database is distinct from current_database() and database is not null then
      raise exception 'the local stack runs jobs in the database % only', current_database();
    end if;
    update cron.job j
    set schedule = coalesce($2, j.schedule), command = coalesce($3, j.command),
        username = coalesce($5, j.username), active = coalesce($6, j.active)
    where j.jobid = job_id;
    if not found then
      raise exception 'Job % does not exist or you don''t own it', job_id;
    end if;
  end
  $$;
  revoke execute on function cron.alter_job(bigint, text, text, text, text, boolean) from public;
end
$platform$;
