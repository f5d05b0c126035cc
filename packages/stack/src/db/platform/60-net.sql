-- The tables and functions of pg_net, if the extension is not installed. The stack itself sends the
-- requests. Privileges are as hosted: the schema is not exposed, and is open to roles that reach
-- it.

do $platform$
begin
  if exists (select from pg_extension where extname = 'pg_net') then
    return;
  end if;

  if to_regtype('net.http_method') is null then
    create domain net.http_method as text check (lower(value) in ('get', 'post', 'delete'));
  end if;

  create unlogged table if not exists net.http_request_queue (
    id bigserial,
    method net.http_method not null,
    url text not null,
    headers jsonb,
    body bytea,
    timeout_milliseconds int not null
  );

  create unlogged table if not exists net._http_response (
    id bigint,
    status_code integer,
    content_type text,
    headers jsonb,
    content text,
    timed_out boolean,
    error_msg text,
    created timestamptz not null default now()
  );
  create index if not exists _http_response_created_idx on net._http_response (created);

  create or replace function net.wake() returns void
  language sql set search_path = ''
  as $$
    select pg_notify('net_wake', '')
  $$;

  -- The stack always sends requests while it runs.
  create or replace function net.check_worker_is_up() returns void language sql as '';
  create or replace function net.wait_until_running() returns void language sql as '';
  create or replace function net.worker_restart() returns boolean
  language sql set search_path = ''
  as $$
    select net.wake();
    select true
  $$;

  if to_regtype('net.request_status') is null then
    create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');
    create type net.http_response as (status_code integer, headers jsonb, body text);
    create type net.http_response_result as (
      status net.request_status, message text, response net.http_response
    );
  end if;

  create or replace function net._http_collect_response(request_id bigint, async boolean default true)
    returns net.http_response_result
  language plpgsql set search_path = ''
  as $$
  declare
    answer net._http_response;
  begin
    select * into answer from net._http_response where id = request_id;
    -- Waiting here would block PGlite's only session, so the answer could not arrive.
    if answer.id is null and not async then
      raise exception 'the local stack cannot wait for an answer inside the database' using
        hint = 'Ask again with async := true.';
    end if;
    if answer.id is null or answer.error_msg is not null then
      return (
        'ERROR', coalesce(answer.error_msg, 'request matching request_id not found'), null
      )::net.http_response_result;
    end if;
    return (
      'SUCCESS', 'ok', (answer.status_code, answer.headers, answer.content)::net.http_response
    )::net.http_response_result;
  end
  $$;

  create or replace function net._urlencode_string(string varchar) returns text
  language sql immutable set search_path = ''
  as $$
    select coalesce(string_agg(
      case
        when letter collate "C" ~ '[A-Za-z0-9_.~-]' then letter
        else regexp_replace(upper(encode(convert_to(letter, 'UTF8'), 'hex')), '(..)', '%\1', 'g')
      end, '' order by place), '')
    from regexp_split_to_table(string, '') with ordinality as letters (letter, place)
  $$;

  create or replace function net._encode_url_with_params_array(url text, params_array text[]) returns text
  language sql immutable set search_path = ''
  as $$
    select url || case
      when cardinality(params_array) = 0 then ''
      else case when position('?' in url) > 0 then '&' else '?' end || array_to_string(params_array, '&')
    end
  $$;

  create or replace function net.add_request(
    method text, url text, params jsonb, headers jsonb, body jsonb, timeout_milliseconds int
  ) returns bigint
  language plpgsql set search_path = ''
  as $$
  declare
    request_id bigint;
  begin
    insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
    values (
      $1,
      net._encode_url_with_params_array($2, array(
        select net._urlencode_string(key) || '=' || net._urlencode_string(value) from jsonb_each_text($3)
      )),
      $4,
      convert_to($5::text, 'UTF8'),
      $6
    )
    returning id into request_id;
    perform net.wake();
    return request_id;
  end
  $$;

  create or replace function net.http_get(
    url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds int default 5000
  ) returns bigint
  language sql set search_path = ''
  as $$
    select net.add_request('GET', url, params, headers, null, timeout_milliseconds)
  $$;

  create or replace function net.http_post(
    url text, body jsonb default '{}', params jsonb default '{}',
    headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds int default 5000
  ) returns bigint
  language plpgsql set search_path = ''
  as $$
  declare
    content_type text;
  begin
    select value into content_type
    from jsonb_each_text(coalesce(headers, '{}')) where lower(key) = 'content-type' limit 1;
    if content_type is null then
      headers := headers || '{"Content-Type": "application/json"}';
    elsif content_type <> 'application/json' then
      raise exception 'Content-Type header must be "application/json"';
    end if;
    return net.add_request('POST', url, params, headers, body, timeout_milliseconds);
  end
  $$;

  create or replace function net.http_delete(
    url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds int default 5000,
    body jsonb default null
  ) returns bigint
  language sql set search_path = ''
  as $$
    select net.add_request('DELETE', url, params, headers, body, timeout_milliseconds)
  $$;

  grant usage on schema net to public;
  grant all on all sequences in schema net to public;
  grant all on all tables in schema net to public;
end
$platform$;
