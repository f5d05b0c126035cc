-- The database objects of Realtime. As hosted: `realtime.messages` with its functions. Specific to the stack, which has
-- no logical decoding: row triggers on the tables of the publication `supabase_realtime` write to an unlogged queue,
-- which the service empties.

grant usage on schema realtime to anon, authenticated, service_role;

-- Broadcasts sent from SQL. Its policies decide who may read and write a private channel: the service tests them with a
-- row that it rolls back.
create table if not exists realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default now(),
  inserted_at timestamp not null default now(),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  constraint messages_pkey primary key (id, inserted_at),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
);
alter table realtime.messages enable row level security;
alter table realtime.messages owner to supabase_realtime_admin;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
create index if not exists messages_inserted_at_topic_index
  on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private;

create or replace function realtime.topic() returns text
language sql stable
as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;

-- Runs as its caller, so that the policies of realtime.messages apply. As hosted, an error becomes a warning: a
-- broadcast never fails its transaction.
create or replace function realtime.send(
  payload jsonb, event text, topic text, private boolean default true
) returns void
language plpgsql
as $$
declare
  message_id uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', send.topic, true);
  insert into realtime.messages (id, topic, extension, event, private, payload)
  values (
    message_id, send.topic, 'broadcast', send.event, send.private,
    case when send.payload ? 'id' then send.payload
      else jsonb_set(send.payload, '{id}', to_jsonb(message_id))
    end
  );
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create or replace function realtime.send_binary(
  payload bytea, event text, topic text, private boolean default true
) returns void
language plpgsql
as $$
begin
  perform set_config('realtime.topic', send_binary.topic, true);
  insert into realtime.messages (topic, extension, event, private, binary_payload)
  values (
    send_binary.topic, 'broadcast', send_binary.event, send_binary.private, send_binary.payload
  );
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void
language plpgsql
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', old, 'record', new, 'operation', operation,
      'table', table_name, 'schema', table_schema
    ),
    event_name, topic_name
  );
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end
$$;

-- The queue of committed changes and messages, ordered by `seq`. For one row this is the order of its commits, because
-- `seq` is assigned while the row is locked. The records are json, because to_jsonb refuses a \u0000 that a json column
-- may hold, and this trigger must never fail.
create unlogged table if not exists realtime.changes (
  seq bigint generated always as identity primary key,
  relation oid not null,
  action text not null,
  record json,
  old_record json,
  transaction xid8 not null default pg_current_xact_id(),
  at timestamptz not null default clock_timestamp()
);
revoke all on realtime.changes from public, anon, authenticated, service_role;

-- The time, in seconds since the epoch, until which changes are captured. It is a sequence, because its value is
-- visible outside of snapshots: a transaction that began before the first subscription sees the new value. It expires,
-- because after a crash of the service nothing would stop the capture.
create sequence if not exists realtime.capture_until;
revoke all on realtime.capture_until from public, anon, authenticated, service_role;

-- Time zone UTC: otherwise the json of a timestamptz depends on the writer's session.
create or replace function realtime.capture() returns trigger
language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
begin
  if (select s.last_value from realtime.capture_until s) < extract(epoch from clock_timestamp()) then
    return null;
  end if;
  insert into realtime.changes (relation, action, record, old_record)
  values (
    tg_relid, tg_op,
    case when tg_op <> 'DELETE' then to_json(new) end,
    case when tg_op <> 'INSERT' then to_json(old) end
  );
  perform pg_notify('realtime_changes', '');
  return null;
end
$$;
revoke execute on function realtime.capture() from public, anon, authenticated, service_role;

create or replace trigger realtime_capture after insert on realtime.messages
  for each row execute function realtime.capture();

-- Adds the capturing trigger to the tables of the publication and removes it from all others. Takes no lock if nothing
-- changed.
create or replace function realtime.follow_publication() returns void
language plpgsql set search_path = '' set lock_timeout = '2s'
as $$
declare
  followed record;
begin
  for followed in
    with published as (
      select c.oid as relation,
        concat_ws(' or ',
          case when p.pubinsert then 'insert' end,
          case when p.pubupdate then 'update' end,
          case when p.pubdelete then 'delete' end
        ) as events,
        p.pubinsert::int * 4 + p.pubdelete::int * 8 + p.pubupdate::int * 16 as event_bits
      from pg_catalog.pg_publication p
      join pg_catalog.pg_publication_tables t on t.pubname = p.pubname
      join pg_catalog.pg_namespace n on n.nspname = t.schemaname
      join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.tablename
      where p.pubname = 'supabase_realtime' and n.nspname <> 'realtime'
        and (p.pubinsert or p.pubupdate or p.pubdelete)
    ),
    triggered as (
      select g.tgrelid as relation, g.tgtype & 28 as event_bits
      from pg_catalog.pg_trigger g
      where g.tgfoid = 'realtime.capture()'::regprocedure
        and g.tgrelid <> 'realtime.messages'::regclass and g.tgparentid = 0
    )
    select coalesce(published.relation, triggered.relation)::regclass as relation, published.events
    from published
    full join triggered on triggered.relation = published.relation
    where published.event_bits is distinct from triggered.event_bits
  loop
    if followed.events is null then
      execute format('drop trigger realtime_capture on %s', followed.relation);
    else
      execute format(
        'create or replace trigger realtime_capture after %s on %s
           for each row execute function realtime.capture()',
        followed.events, followed.relation
      );
    end if;
  end loop;
end
$$;
revoke execute on function realtime.follow_publication() from public, anon, authenticated, service_role;

-- Updates the triggers when the publication changes, and notifies the service at the commit. A table that is locked by
-- a writer at that moment is updated with the next subscription.
create or replace function realtime.publication_changed() returns event_trigger
language plpgsql security definer set search_path = ''
as $$
begin
  begin
    perform realtime.follow_publication();
  exception when lock_not_available then
    raise warning 'a published table is locked: its changes are captured later';
  end;
  perform pg_notify('realtime_publication', '');
end
$$;
revoke execute on function realtime.publication_changed() from public, anon, authenticated, service_role;

do $$
begin
  if not exists (select from pg_event_trigger where evtname = 'realtime_publication') then
    create event trigger realtime_publication on ddl_command_end
      when tag in ('CREATE PUBLICATION', 'ALTER PUBLICATION', 'DROP PUBLICATION')
      execute function realtime.publication_changed();
  end if;
end
$$;
