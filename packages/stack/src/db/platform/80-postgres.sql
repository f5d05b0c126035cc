-- What `postgres` may do in the schemas of the services, as on hosted projects: use everything and hang triggers on it,
-- change nothing. Owners are the services' roles.

do $$
declare
  schema name;
begin
  if (select rolsuper from pg_roles where rolname = 'postgres') then
    return;
  end if;
  foreach schema in array array['auth', 'cron', 'extensions', 'net', 'realtime', 'storage', 'vault'] loop
    execute format('grant all on all tables in schema %I to postgres with grant option', schema);
    execute format('grant all on all sequences in schema %I to postgres with grant option', schema);
    execute format('grant all on all routines in schema %I to postgres with grant option', schema);
  end loop;
  alter publication supabase_realtime owner to postgres;
  -- Seeds and restores switch triggers off with it. Hosted, the extension supautils allows it.
  grant set on parameter session_replication_role to postgres;
end
$$;
