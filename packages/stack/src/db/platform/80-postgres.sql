-- What `postgres` may do in the schemas of the services, as on hosted projects: use everything and hang triggers on it,
-- change nothing. Owners are the services' roles.

do $$
declare
  schema name;
  parameter text;
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
  -- Hosted, the extension supautils allows these. Seeds and restores switch triggers off with the first, the others are
  -- read by PostgREST from the settings of authenticator.
  foreach parameter in array array[
    'session_replication_role', 'pgrst.db_aggregates_enabled', 'pgrst.db_extra_search_path', 'pgrst.db_max_rows',
    'pgrst.db_plan_enabled', 'pgrst.db_pre_request', 'pgrst.db_schemas', 'pgrst.db_tx_end', 'pgrst.openapi_mode'
  ] loop
    if not has_parameter_privilege('postgres', parameter, 'set') then
      execute format('grant set on parameter %I to postgres', parameter);
    end if;
  end loop;
end
$$;
