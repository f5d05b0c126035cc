-- What runs before each request to the REST interface, also before those of the functions.

-- functions ------------------------------------------------------------------------------------

create function private.check_rest_request() returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  place text := private.request_header('x-souk-marketplace');
  tenant text := private.request_header('x-souk-tenant');
begin
  -- The text of the headers, because a header may be sent twice, and the value of the JSON is only one of them.
  if current_setting('role', true) is distinct from 'service_role'
    and current_setting('request.headers', true) ~ '"prefer": *"([^"\\]|\\.)*count *= *(planned|estimated)'
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'Prefer must not ask for a planned or estimated count. Ask for count=exact.', 'Prefer'
    );
  end if;
  if place is not null and private.is_visit() and private.marketplace_id() is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no active marketplace with this id or domain.', 'x-souk-marketplace', to_jsonb(place)
    );
  end if;
  if tenant is not null and auth.uid() is not null and lower(tenant) is distinct from auth.jwt() ->> 'tenant_id' then
    perform private.refuse(
      'CONFLICT',
      'Your session is in another tenant now. Switch back with POST /auth/switch, or go on without x-souk-tenant.',
      'x-souk-tenant', to_jsonb(tenant)
    );
  end if;
end
$$;
comment on function private.check_rest_request() is
  'Runs before each request to /rest/v1. Refuses with VALIDATION_ERROR a planned or estimated count, which tells the planner''s estimate for rows that row-level security hides; with NOT_FOUND a visit to a marketplace that is not there; with CONFLICT a request that names another tenant than its session''s.';

create function private.count_rest_request() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  caller uuid := auth.uid();
  this_minute timestamptz := private.this_minute();
  resets_in text := ceil(extract(epoch from this_minute + interval '1 minute' - now()))::text;
  allowed integer;
  counted bigint;
begin
  perform private.check_rest_request();
  if current_setting('role', true) is distinct from 'authenticated' or caller is null or private.is_counted() then
    return;
  end if;
  select coalesce(own.requests_per_minute, others.requests_per_minute) into allowed
  from private.rate_limits others
  left join private.rate_limits own on own.kind = private.tenant_role()::text
  where others.kind = 'customer';
  counted := (select count(*) from private.rest_requests r where r.user_id = caller and r.made_at >= this_minute)
    + coalesce(
      (select c.count from private.request_counts c where c.subject = 'user:' || caller and c.minute = this_minute), 0
    );
  if counted >= allowed then
    -- PostgREST turns this into a response like our refusals, with a header.
    raise sqlstate 'PGRST' using
      message = json_build_object(
        'code', 'PT429', 'message', 'RATE_LIMITED', 'details', '{}', 'hint', 'Too many requests. Try again later.'
      )::text,
      detail = json_build_object(
        'status', 429, 'headers', json_build_object(
          'Retry-After', resets_in, 'RateLimit-Limit', allowed::text, 'RateLimit-Remaining', '0',
          'RateLimit-Reset', resets_in
        )
      )::text;
  end if;
  -- A read-only transaction cannot count.
  if current_setting('transaction_read_only') = 'off' then
    insert into private.rest_requests (user_id, made_at) values (caller, now());
  end if;
end
$$;
comment on function private.count_rest_request() is
  'Runs before each request to /rest/v1 instead of check_rest_request, which it calls, if limit_rest has switched it on. Refuses with RATE_LIMITED a caller whose minute is used up, including requests to the functions. Counts requests that write or call a function that may write. A later refusal undoes the count.';

create function private.limit_rest(enabled boolean) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  execute format(
    'alter role authenticator in database %I set pgrst.db_pre_request = %L',
    current_database(), case when enabled then 'private.count_rest_request' else 'private.check_rest_request' end
  );
  notify pgrst, 'reload config';
end
$$;
comment on function private.limit_rest is 'See public.limit_rest.';

create function public.limit_rest(enabled boolean) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.limit_rest(enabled);
end
$$;
comment on function public.limit_rest is
  'For the operator: whether requests to /rest/v1 are counted with those of the functions. Off by default, because it costs each request a statement, and reads cannot be counted there.';

-- grants ---------------------------------------------------------------------------------------

-- They run as the role of the request. These roles need execute, or their requests would be refused.
grant execute on function private.check_rest_request() to anon, authenticated, service_role;
grant execute on function private.count_rest_request() to anon, authenticated, service_role;
grant execute on function private.limit_rest, public.limit_rest to service_role;

-- settings -------------------------------------------------------------------------------------

select private.limit_rest(false);
