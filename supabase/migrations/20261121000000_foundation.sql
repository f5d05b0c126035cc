-- What every chapter uses: the schema private, what nobody is granted unless a chapter says so, how long a statement may
-- take, and the few functions by which values are refused, locks are held, states are moved between and workers are woken.

create schema private;
comment on schema private is 'Helpers, triggers and secrets. Never exposed by the API.';
grant usage on schema private to authenticated, service_role, supabase_auth_admin;

-- What wakes functions after a commit and on a schedule.
do $$
begin
  if to_regclass('net.http_request_queue') is null then
    create extension if not exists pg_net with schema extensions;
  end if;
  if to_regclass('cron.job') is null then
    create extension if not exists pg_cron with schema pg_catalog;
  end if;
end
$$;

-- Nothing is granted by default; each chapter says who may do what with its tables and functions.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;
alter default privileges in schema public grant all on tables to service_role;
alter default privileges in schema public grant execute on functions to service_role;

-- A statement may take 8 seconds, as hosted, and wait 2 of them for what another one holds. Functions that need
-- longer say so. Whoever waits holds a connection, which all tenants share.
alter role authenticated set statement_timeout = '8s';
alter role authenticated set lock_timeout = '2s';

-- A request reads what one tenant has, while a plan that is kept reckons with a share of all that there is. By that
-- it would start workers (5 ms, where the rows take 0.1) from a million products on, and compile the statement anew
-- each time from ten millions on.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['anon', 'authenticated', 'service_role'] loop
    execute format('alter role %I set max_parallel_workers_per_gather = 0', role_name);
    execute format('alter role %I set jit = off', role_name);
  end loop;
end
$$;

-- types ----------------------------------------------------------------------------------------

-- What is locked by name, where no row stands for it. A kind's position is the first integer of its locks.
create type private.lock_kind as enum (
  'idempotency_key', 'category_tree', 'import', 'webhook', 'search_texts', 'category_campaigns', 'campaign_run', 'cap',
  'media_folders', 'sales_rollup', 'exports', 'templates', 'payouts'
);

-- tables ---------------------------------------------------------------------------------------

create table private.status_moves (
  subject text not null,
  from_status text not null,
  to_status text not null,
  constraint status_moves_pkey primary key (subject, from_status, to_status)
);
comment on table private.status_moves is
  'Every move between states that exists. The subject is a table, or a table and its column.';

-- functions: what a value has to be ------------------------------------------------------------

create function private.is_email(address text) returns boolean
language sql immutable set search_path = ''
as $$
  select address ~ '^\S+@[^@\s]+$' and address = lower(address) and char_length(address) <= 320
$$;
comment on function private.is_email is 'Whether a text has the form of an e-mail address, in lower case.';

create function private.is_uuid(words text) returns boolean
language sql immutable
return words ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
comment on function private.is_uuid is 'Whether a text can be cast to a uuid, as it is written everywhere.';

-- A regular expression's \s is what the server's locale takes for a space; these are spaces in every language.
create function private.is_more_than_spaces(words text) returns boolean
language sql immutable
return words ~ '[^\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]';
comment on function private.is_more_than_spaces is 'Whether there is anything to read in a text.';

create function private.is_language(tag text) returns boolean
language sql immutable
return tag ~ '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$';
comment on function private.is_language is 'Whether a text names a language, such as en or pt-BR.';

-- JSON keeps a number as it is written, sixteen thousand zeros too, and hands it on to whoever reads it.
create function private.has_short_numbers(value jsonb) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  -- Hardly any text has so many digits in a row, and only such a one is taken apart.
  return value::text !~ '[0-9.]{31}' or not exists (
    select from jsonb_path_query(value, 'strict $.** ? (@.type() == "number")') as found (number)
    where octet_length(found.number::text) > 31
  );
end
$$;
comment on function private.has_short_numbers is 'Whether every number in a JSON value has at most 30 digits.';

create function private.told_value(value jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  -- Ten bytes can stand for a number of sixteen thousand digits, and what is refused may be kept for whoever asks again.
  return case when octet_length(value::text) <= 8192 and private.has_short_numbers(value) then value end;
end
$$;
comment on function private.told_value is 'What a refusal tells of the value that was sent: all of it, or null where it is large.';

create function private.refusal(
  code text, message text, field text default null, value jsonb default null, beside jsonb default '{}'
) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  status text := case code
    when 'INVALID_REQUEST' then '400'
    when 'FORBIDDEN' then '403'
    when 'NOT_FOUND' then '404'
    when 'CONFLICT' then '409'
    else '422'
  end;
begin
  -- PostgREST answers a condition PTxyz with the HTTP status xyz.
  return jsonb_build_object(
    'code', 'PT' || status, 'message', code, 'hint', message,
    'details', (
      case
        when field is null then '{}' else jsonb_build_object('field', field, 'value', private.told_value(value))
      end || beside
    )::text
  );
end
$$;
comment on function private.refusal is 'What refuse says, as PostgREST words it: for where one line among many is refused.';

create function private.refuse(
  code text, message text, field text default null, value jsonb default null, beside jsonb default '{}'
) returns void
language plpgsql set search_path = ''
as $$
declare
  told constant jsonb := private.refusal(code, message, field, value, beside);
begin
  raise exception using
    errcode = told ->> 'code', message = told ->> 'message', hint = told ->> 'hint', detail = told ->> 'details';
end
$$;
comment on function private.refuse is
  'Ends the transaction with an error of ours: a code of the error table, a sentence, the field to blame and its value, and what else the details tell beside them.';

create function private.known_only(wish jsonb, known text[], inside text default '') returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  unknown text;
begin
  if jsonb_typeof(wish) <> 'object' then
    perform private.refuse('VALIDATION_ERROR', 'This has to be an object.', nullif(rtrim(inside, '.'), ''));
  end if;
  unknown := (select k.key from jsonb_object_keys(wish) as k (key) where k.key <> all (known) order by 1 limit 1);
  if unknown is not null then
    perform private.refuse('VALIDATION_ERROR', unknown || ' is not known here.', inside || unknown);
  end if;
  return wish;
end
$$;
comment on function private.known_only is
  'A wish as it is. Refuses with VALIDATION_ERROR one that is no object, or holds what would not be looked at.';

create function private.insist(holds boolean, field text, rule text, value jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  if holds is not true then
    perform private.refuse('VALIDATION_ERROR', format('%s has to be %s.', field, rule), field, coalesce(value, 'null'));
  end if;
end
$$;
comment on function private.insist is 'Refuses the value of a field with VALIDATION_ERROR, unless the condition holds.';

create function private.insist_on_keys(value jsonb, field text, allowed text[]) returns void
language plpgsql set search_path = ''
as $$
declare
  key text;
begin
  perform private.insist(jsonb_typeof(value) = 'object', field, 'an object', value);
  for key in select k from jsonb_object_keys(value) as k where k <> all (allowed) loop
    perform private.refuse(
      'VALIDATION_ERROR', format('%s.%s is not known. Known are: %s.', field, key, array_to_string(allowed, ', ')),
      format('%s.%s', field, key), value -> key
    );
  end loop;
end
$$;
comment on function private.insist_on_keys is 'Refuses what is no object, and keys other than the ones named.';

create function private.is_text(value jsonb, shortest integer, longest integer, pattern text default '') returns boolean
language sql immutable set search_path = ''
as $$
  select jsonb_typeof(value) = 'string'
    and char_length(value #>> '{}') between shortest and longest
    and value #>> '{}' ~ pattern
$$;
comment on function private.is_text is 'Whether a JSON value is a text of a length, in which a pattern is found.';

create function private.is_address(value jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  -- Of spaces also those that \s leaves out here, and JavaScript's does not.
  select private.is_text(value, 1, 2048, '^https?://[^\s/?#@]+([/?#]\S*)?$')
    and value #>> '{}' !~ '[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'
$$;
comment on function private.is_address is 'Whether a JSON value is an address of the web.';

create function private.check_texts(value jsonb, field text, name_pattern text, name_rule text) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
begin
  perform private.insist(
    jsonb_typeof(value) = 'object' and (select count(*) from jsonb_object_keys(value)) <= 100,
    field, 'an object of at most 100 entries', value
  );
  for entry in select e.key, e.value from jsonb_each(value) as e loop
    perform private.insist(
      entry.key ~ name_pattern, format('%s.%s', field, entry.key), 'named with ' || name_rule, entry.value
    );
    perform private.insist(
      private.is_text(entry.value, 1, 1000), format('%s.%s', field, entry.key), 'a text of 1 to 1000 characters', entry.value
    );
  end loop;
end
$$;
comment on function private.check_texts is 'Refuses what is no object of short texts.';

create function private.check_list(value jsonb, field text, longest integer) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
begin
  perform private.insist(
    case when jsonb_typeof(value) = 'array' then jsonb_array_length(value) <= 100 end,
    field, 'a list of at most 100', value
  );
  for entry in
    select e.value, e.position - 1 as index
    from jsonb_array_elements(value) with ordinality as e (value, position)
  loop
    perform private.insist(
      private.is_text(entry.value, 1, longest), format('%s[%s]', field, entry.index),
      format('a text of 1 to %s characters', longest), entry.value
    );
  end loop;
  perform private.insist(
    (select count(distinct e.value) = count(*) from jsonb_array_elements(value) as e (value)),
    field, 'a list without repetitions', value
  );
end
$$;
comment on function private.check_list is 'Refuses what is no list of short texts that are all different.';

create function private.checked_amount(amount numeric, field text) returns numeric
language plpgsql immutable set search_path = ''
as $$
begin
  -- NaN is larger than any number.
  perform private.insist(
    amount is null or amount between 0 and 9999999999.99 and scale(trim_scale(amount)) <= 2,
    field, 'an amount from 0 on with at most 2 decimals', to_jsonb(amount)
  );
  return amount;
end
$$;
comment on function private.checked_amount is
  'An amount as it is, null too. Refuses with VALIDATION_ERROR what a column would round or could not hold.';

create function private.time_of(written text) returns timestamptz
language plpgsql immutable set search_path = ''
as $$
begin
  if written ~ '^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$' then
    return written::timestamptz;
  end if;
  return null;
exception
  -- Of any kind: a day that there is not, or an offset.
  when data_exception then
    return null;
end
$$;
comment on function private.time_of is 'A time of ISO 8601 with its offset; null for what is none.';

create function private.check_time_zone(time_zone text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  -- Names of regions know of daylight saving; abbreviations and offsets do not.
  if time_zone !~ '^(UTC|[A-Za-z_]+(/[A-Za-z0-9_+-]+)+)$' or char_length(time_zone) > 100 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A time zone is a name such as Europe/Berlin, or UTC.', 'time_zone', to_jsonb(time_zone)
    );
  end if;
  perform now() at time zone time_zone;
exception
  when invalid_parameter_value then
    perform private.refuse('VALIDATION_ERROR', 'There is no such time zone.', 'time_zone', to_jsonb(time_zone));
end
$$;
comment on function private.check_time_zone is 'Refuses with VALIDATION_ERROR what is no name of a time zone.';

-- functions: locks -----------------------------------------------------------------------------

create function private.lock_key(subject text) returns integer
language sql immutable set search_path = ''
as $$
  select ('x' || encode(substring(sha256(convert_to(subject, 'utf8')) for 4), 'hex'))::bit(32)::integer
$$;
comment on function private.lock_key is
  'The second integer of an advisory lock. Subjects that come to the same one wait for each other, and do so within their kind only.';

create function private.hold(kind private.lock_kind, subject text, shared boolean default false) returns void
language plpgsql set search_path = '' set lock_timeout = '2s'
as $$
declare
  kind_key integer := array_position(enum_range(null::private.lock_kind), kind);
begin
  if shared then
    perform pg_advisory_xact_lock_shared(kind_key, private.lock_key(subject));
  else
    perform pg_advisory_xact_lock(kind_key, private.lock_key(subject));
  end if;
exception
  when lock_not_available then
    perform private.refuse('CONFLICT', 'Another request is changing the same thing. Try again in a moment.');
end
$$;
comment on function private.hold is
  'Holds the lock of a subject until the end of the transaction, alone or with others who share it. Waits two seconds, then refuses with CONFLICT. Subjects name their tenant, user or record.';

create function private.try_hold(kind private.lock_kind, subject text, shared boolean default false) returns boolean
language plpgsql set search_path = ''
as $$
declare
  kind_key integer := array_position(enum_range(null::private.lock_kind), kind);
begin
  return case
    when shared then pg_try_advisory_xact_lock_shared(kind_key, private.lock_key(subject))
    else pg_try_advisory_xact_lock(kind_key, private.lock_key(subject))
  end;
end
$$;
comment on function private.try_hold is
  'Holds the lock of a subject until the end of the transaction, alone or with others who share it, and says whether it could. It never waits.';

-- functions: rows ------------------------------------------------------------------------------

create function private.touch() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.touch() is 'Row trigger: notes the time of the change in updated_at.';

create function private.check_status_move() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  column_name text := coalesce(tg_argv[0], 'status');
  moved text := tg_table_name || coalesce('.' || tg_argv[0], '');
  old_status text := to_jsonb(old) ->> column_name;
  new_status text := to_jsonb(new) ->> column_name;
begin
  if old_status is distinct from new_status and not exists (
    select 1 from private.status_moves m
    where m.subject = moved
      and m.from_status = old_status
      and m.to_status = new_status
  ) then
    perform private.refuse(
      'INVALID_TRANSITION', format('The %s cannot go from %s to %s.', column_name, old_status, new_status),
      column_name, to_jsonb(new_status)
    );
  end if;
  return new;
end
$$;
comment on function private.check_status_move() is
  'Row trigger: refuses with INVALID_TRANSITION a move that is no row of status_moves. Argument: the column, if not status.';

-- functions: workers ---------------------------------------------------------------------------

create function private.wake(worker text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  mark text := 'souk.woken_at_' || translate(worker, '-', '_');
  address text;
  key text;
begin
  -- Once in a transaction is enough, however much it has for whoever is there.
  if current_setting(mark, true) = pg_current_xact_id()::text then
    return;
  end if;
  perform set_config(mark, pg_current_xact_id()::text, true);

  select s.decrypted_secret into address from vault.decrypted_secrets s where s.name = 'functions_url';
  select s.decrypted_secret into key from vault.decrypted_secrets s where s.name = 'secret_key';
  if address is null or key is null then
    -- The change itself must not fail for it, and the work waits.
    raise warning 'nobody is woken at %: put functions_url and secret_key into the Vault', worker;
    return;
  end if;
  perform net.http_post(
    url := address || '/' || worker,
    headers := jsonb_build_object('Content-Type', 'application/json', 'apikey', key)
  );
end
$$;
comment on function private.wake is
  'Has pg_net wake the function of that name as soon as this transaction is committed.';

-- policies -------------------------------------------------------------------------------------

alter table private.status_moves enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.is_email, private.is_uuid, private.is_language, private.is_more_than_spaces, private.has_short_numbers, private.told_value,
  private.refusal, private.refuse, private.known_only, private.check_time_zone, private.lock_key, private.hold, private.try_hold
to authenticated, service_role;
