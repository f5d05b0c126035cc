-- Limits: idempotency, rate limits and caps. A POST that is sent again with its Idempotency-Key is carried out once: its
-- outcome is stored in the same transaction, so that a crash leaves both or neither. Requests are counted here, because
-- functions run in many instances that share no memory.

-- tables ---------------------------------------------------------------------------------------

create table private.idempotency_keys (
  user_id uuid not null references auth.users (id) on delete cascade,
  tenant_id uuid references public.tenants (id) on delete cascade,
  key text not null,
  fingerprint bytea not null,
  outcome jsonb not null,
  created_at timestamptz not null default now(),
  constraint key_is_unique_in_idempotency_keys unique nulls not distinct (user_id, tenant_id, key),
  constraint idempotency_keys_outcome_is_an_answer_or_a_refusal check (outcome ? 'answer' <> outcome ? 'refusal')
);
comment on table private.idempotency_keys is
  'The outcome of each Idempotency-Key of a user, for 24 hours. tenant_id: the tenant of the request; the same key in another tenant is a different request. fingerprint: SHA-256 of the operation and its arguments.';
-- The whole row identifies it for replication, because tenant_id may be null.
alter table private.idempotency_keys replica identity full;

create table private.rate_limits (
  kind text primary key,
  requests_per_minute integer not null,
  constraint rate_limits_requests_per_minute_is_positive check (requests_per_minute > 0)
);
comment on table private.rate_limits is
  'Limits per minute: requests of a user by role, requests of an IP address without a token, failed logins of an e-mail address, reads and new checkouts of visitors and applications of suppliers of an IP address.';

create table private.caps (
  name text primary key,
  value bigint not null,
  unit text not null,
  constraint caps_value_is_positive check (value > 0)
);
comment on table private.caps is
  'Caps on resources that all tenants share: bytes, rows and events. The operator can change them.';

create unlogged table private.request_counts (
  subject text primary key,
  minute timestamptz not null,
  count integer not null
)
-- The same rows are updated all the time. With free space in each page, updates stay in their page (HOT).
with (fillfactor = 50);
comment on table private.request_counts is
  'The requests of each subject in its latest minute. Unlogged: lost in a crash.';

create unlogged table private.rest_requests (
  user_id uuid not null,
  made_at timestamptz not null
);
comment on table private.rest_requests is
  'Writes and calls of users through /rest/v1, if they are counted. One row for each, because counting in a shared row would block others until the end of the transaction. Unlogged: lost in a crash.';

-- indexes --------------------------------------------------------------------------------------

create index rest_requests_user_id_idx on private.rest_requests (user_id, made_at);
create index rest_requests_made_at_idx on private.rest_requests (made_at);

create index idempotency_keys_tenant_id_idx on private.idempotency_keys (tenant_id);
create index idempotency_keys_created_at_idx on private.idempotency_keys (created_at);

-- functions ------------------------------------------------------------------------------------

create function private.cap(name text) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  value bigint := (select c.value from private.caps c where c.name = cap.name);
begin
  if value is null then
    raise exception 'there is no cap named %', name;
  end if;
  return value;
end
$$;
comment on function private.cap is 'The value of a cap.';

create function private.refuse_beyond(cap text, message text, field text default null, value jsonb default null)
returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    'LIMIT_REACHED', message, field, value, jsonb_build_object('cap', cap, 'maximum', private.cap(cap))
  );
end
$$;
comment on function private.refuse_beyond is
  'Ends the transaction with LIMIT_REACHED, whose details have the cap and its value.';

create function private.bound_record(bytes bigint, share numeric, message text, field text default null) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if bytes > share * private.cap('record_bytes') then
    perform private.refuse_beyond('record_bytes', message, field);
  end if;
end
$$;
comment on function private.bound_record is
  'Refuses with LIMIT_REACHED a part of a record that is larger than its share of the cap record_bytes.';

create function public.set_cap(name text, value bigint) returns void
language plpgsql set search_path = ''
as $$
begin
  update private.caps c set value = set_cap.value where c.name = set_cap.name;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such cap.', 'name', to_jsonb(name));
  end if;
end
$$;
comment on function public.set_cap is
  'For the operator: sets a cap. docs/limits.md lists them. It applies from the next statement, to new data.';

create function private.kept_outcome(key text, fingerprint bytea) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller uuid := auth.uid();
  tenant uuid := private.tenant_id();
  kept private.idempotency_keys;
begin
  if caller is null then
    perform private.refuse('FORBIDDEN', 'An Idempotency-Key requires a signed-in user.');
  end if;
  if not private.try_hold('idempotency_key', format('%s %s %s', caller, tenant, kept_outcome.key)) then
    perform private.refuse_for_now(
      'A request with this key is still running. Try again in a moment.', 'Idempotency-Key', to_jsonb(kept_outcome.key)
    );
  end if;
  select * into kept
  from private.idempotency_keys k
  where k.user_id = caller and k.tenant_id is not distinct from tenant and k.key = kept_outcome.key
    and k.created_at > now() - interval '24 hours';
  if kept.fingerprint <> kept_outcome.fingerprint then
    perform private.refuse(
      'IDEMPOTENCY_KEY_REUSED', 'Another request was sent with this key.',
      'Idempotency-Key', to_jsonb(kept_outcome.key)
    );
  end if;
  return kept.outcome;
end
$$;
comment on function private.kept_outcome is
  'Locks a key of the caller until the end of the transaction, and returns its stored outcome; null for a new key. Refuses with CONFLICT, IDEMPOTENCY_KEY_REUSED.';

create function private.store_outcome(key text, fingerprint bytea, outcome jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.idempotency_keys (user_id, tenant_id, key, fingerprint, outcome)
  values (auth.uid(), private.tenant_id(), store_outcome.key, store_outcome.fingerprint, store_outcome.outcome)
  -- The row of a key may be older than 24 hours and not deleted yet.
  on conflict on constraint key_is_unique_in_idempotency_keys do update
  set fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at;
end
$$;
comment on function private.store_outcome is 'Stores the outcome of a request of the caller.';

create function private.call_of(operation text, arguments jsonb) returns text
language plpgsql stable set search_path = ''
as $$
declare
  call text;
begin
  -- The same choice as PostgREST: the function with all sent arguments and no missing ones.
  select format(
    'select to_jsonb(public.%I(%s)) from jsonb_to_record($1) as sent (%s)',
    p.proname,
    string_agg(format('%1$I => sent.%1$I', a.name), ', ' order by a.position) filter (where arguments ? a.name),
    string_agg(format('%I %s', a.name, format_type(a.type, null)), ', ' order by a.position)
  )
  into call
  from pg_catalog.pg_proc p
  cross join lateral unnest(p.proargnames, p.proargtypes::oid[])
    with ordinality as a (name, type, position)
  where p.pronamespace = 'public'::regnamespace
    and p.proname = operation
    and p.proname <> 'perform_once'
    and p.prokind = 'f'
    and not p.proretset
    and a.position <= p.pronargs
  group by p.oid, p.proname, p.pronargs, p.pronargdefaults
  having count(*) filter (where arguments ? a.name) = (select count(*) from jsonb_object_keys(arguments))
    and bool_and(arguments ? a.name or a.position > p.pronargs - p.pronargdefaults);
  if call is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no operation with this name and these arguments.', 'operation', to_jsonb(operation)
    );
  end if;
  return call;
end
$$;
comment on function private.call_of is
  'The statement that calls a function of the API. Its single parameter holds the named arguments.';

create function private.without_secret(outcome jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select case
    when jsonb_typeof(outcome #> '{answer,secret}') = 'string' then
      jsonb_set(
        outcome, '{answer}',
        (outcome -> 'answer') || jsonb_build_object(
          'secret', null,
          'secret_sha256', encode(sha256(convert_to(outcome #>> '{answer,secret}', 'utf8')), 'hex')
        )
      )
    when jsonb_typeof(outcome #> '{answer,token}') = 'string' then jsonb_set(outcome, '{answer,token}', 'null')
    when jsonb_typeof(outcome #> '{answer,client_secret}') = 'string'
      then jsonb_set(outcome, '{answer,client_secret}', 'null')
    when jsonb_typeof(outcome #> '{answer,invitation,token}') = 'string'
      then jsonb_set(outcome, '{answer,invitation,token}', 'null')
    else outcome
  end
$$;
comment on function private.without_secret is
  'An outcome in which the secret of a webhook is replaced by its digest, because secrets are stored in one place only; and without a token or the secret of an API key, which are not stored.';

create function private.with_token(operation text, outcome jsonb) returns jsonb
language sql stable set search_path = ''
as $$
  select case
    when operation = 'create_invitation' and outcome ? 'answer' then
      jsonb_set(
        outcome, '{answer,token}',
        coalesce(to_jsonb(private.own_invitation_token((outcome #>> '{answer,id}')::uuid)), 'null')
      )
    else outcome
  end
$$;
comment on function private.with_token is
  'A stored outcome with its token, which is derived again; null if its invitation was withdrawn.';

create function public.perform_once(key text, operation text, arguments jsonb) returns jsonb
-- The timeout of the longest operation that it calls, because the timeout of a called function has no effect.
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
declare
  fingerprint bytea := sha256(convert_to(jsonb_build_array(operation, arguments)::text, 'utf8'));
  outcome jsonb;
begin
  if perform_once.key is null or perform_once.key collate "C" !~ '^[ -~]{1,255}$' then
    perform private.refuse(
      'INVALID_REQUEST', 'Idempotency-Key must have 1 to 255 printable ASCII characters.',
      'Idempotency-Key', to_jsonb(perform_once.key)
    );
  end if;
  outcome := private.kept_outcome(perform_once.key, fingerprint);
  if outcome is not null then
    return private.with_token(operation, outcome) || jsonb_build_object('replayed', true);
  end if;

  declare
    call text := private.call_of(operation, arguments);
    answer jsonb;
    state text;
    code text;
    details text;
    hint text;
  begin
    execute call into answer using arguments;
    outcome := jsonb_build_object('answer', answer);
  exception
    when others then
      get stacked diagnostics
        state = returned_sqlstate, code = message_text, details = pg_exception_detail, hint = pg_exception_hint;
      -- Our refusals are stored. Other errors may not occur again, so they are not, nor those of private.refuse_for_now.
      if state !~ '^PT4' or state = 'PT429' or details like '%"retry": true%' then
        raise;
      end if;
      outcome := jsonb_build_object(
        'refusal', jsonb_build_object('code', state, 'message', code, 'details', details, 'hint', hint)
      );
  end;
  perform private.store_outcome(perform_once.key, fingerprint, private.without_secret(outcome));
  return outcome || jsonb_build_object('replayed', false);
end
$$;
comment on function public.perform_once is
  'Calls a function of the API once for each key of a user, and returns {answer, replayed} or, if it refused, {refusal: {code, message, details, hint}, replayed}. The same key and arguments within 24 hours return the first outcome again: with the token of an invitation while that exists, and with the digest of a secret (secret_sha256). Other arguments: IDEMPOTENCY_KEY_REUSED. Still running: CONFLICT.';

create function private.this_minute() returns timestamptz
language plpgsql stable set search_path = ''
as $$
begin
  return date_trunc('minute', now());
end
$$;
comment on function private.this_minute() is 'The start of the current minute, in which requests and events are counted.';

create function public.count_requests(requests jsonb)
returns table (minute timestamptz, resets_in integer, allowed integer, counted integer, member boolean)
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  this_minute timestamptz := private.this_minute();
begin
  return query
  with asked as (
    select r.kind || ':' || coalesce(r.user_id::text, r.id) as subject, r.kind, r.user_id, r.tenant_id, r.position,
      coalesce(r.cost, 1) as cost
    from rows from (jsonb_to_recordset(requests) as (kind text, id text, user_id uuid, tenant_id uuid, cost integer))
      with ordinality as r (kind, id, user_id, tenant_id, cost, position)
  ),
  counted as (
    insert into private.request_counts as c (subject, minute, count)
    select a.subject, this_minute, sum(a.cost)
    from asked a
    group by a.subject
    -- All transactions lock rows in this order, which prevents deadlocks.
    order by a.subject
    on conflict (subject) do update
    set minute = greatest(c.minute, excluded.minute),
        count = excluded.count + case when c.minute < excluded.minute then 0 else c.count end
    returning c.subject, c.minute, c.count
  )
  select
    c.minute,
    ceil(extract(epoch from c.minute + interval '1 minute' - now()))::integer,
    l.requests_per_minute,
    -- The count after each of a subject's requests. The last one is the stored count.
    (
      c.count + rest.count + a.cost - sum(a.cost) over (partition by a.subject order by a.position desc)
    )::integer,
    m.role is not null
  from asked a
  join counted c on c.subject = a.subject
  cross join lateral (
    select count(*) as count from private.rest_requests r where r.user_id = a.user_id and r.made_at >= c.minute
  ) rest
  left join public.members m
    on m.user_id = a.user_id and m.tenant_id = a.tenant_id and m.status = 'active'
  -- A role without its own limit has the limit of customers.
  left join private.rate_limits own on a.kind = 'user' and own.kind = m.role::text
  left join private.rate_limits l
    on l.kind = case a.kind when 'user' then coalesce(own.kind, 'customer') else a.kind end
  order by a.position;
end
$$;
comment on function public.count_requests is
  'For the functions: counts requests, a list of {kind: user, user_id, tenant_id, cost} and {kind: address | applicant | checkout | login | visitor, id, cost}, in one statement. cost: the number of requests that it counts as, 1 if left out; 0 only reads the count. Returns for each, in the same order: the minute, the seconds left in it, the limit, the count including this request, and whether the user is an active member of the tenant. A user''s limit is the limit of its current role.';

create function private.functions_key() returns text
language sql stable security definer set search_path = ''
as $$
  select encode(k.key, 'hex') from private.signing_keys k where k.name = 'functions'
$$;
comment on function private.functions_key() is 'See public.functions_key.';

create function public.functions_key() returns text
language plpgsql stable set search_path = ''
as $$
begin
  return private.functions_key();
end
$$;
comment on function public.functions_key() is
  'For the functions: the key that they send with a user''s token, so that /rest/v1 does not count a request again.';

create function public.take_back_request(kind text, id text, minute timestamptz) returns void
language sql set search_path = ''
as $$
  update private.request_counts c
  set count = c.count - 1
  where c.subject = take_back_request.kind || ':' || take_back_request.id and c.minute = take_back_request.minute
$$;
comment on function public.take_back_request is
  'For the functions: takes back a count of a minute, such as for a successful login.';

create function public.set_rate_limit(kind text, requests_per_minute integer) returns void
language plpgsql set search_path = ''
as $$
begin
  update private.rate_limits l
  set requests_per_minute = set_rate_limit.requests_per_minute
  where l.kind = set_rate_limit.kind;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such kind of limit.', 'kind', to_jsonb(kind));
  end if;
end
$$;
comment on function public.set_rate_limit is
  'For the operator: sets the requests per minute of a customer, supplier, client, admin or IP address, of the visitors of an IP address, their new checkouts (checkout), its applications (applicant), or the failed logins per minute.';

-- policies -------------------------------------------------------------------------------------

alter table private.idempotency_keys enable row level security;
alter table private.rate_limits enable row level security;
alter table private.request_counts enable row level security;
alter table private.rest_requests enable row level security;
alter table private.caps enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.kept_outcome, private.store_outcome, private.without_secret, private.with_token,
  private.call_of to authenticated;
grant execute on function public.perform_once to authenticated;

grant select, update on private.rate_limits to service_role;
grant select, insert, update on private.request_counts to service_role;
grant select on private.rest_requests to service_role;
grant execute on function
  public.count_requests, public.take_back_request, public.set_rate_limit, public.functions_key()
to service_role;
grant execute on function private.this_minute(), private.functions_key() to service_role;

grant select, update on private.caps to service_role;
grant execute on function public.set_cap to service_role;
grant execute on function private.cap, private.refuse_beyond, private.bound_record to authenticated, service_role;
