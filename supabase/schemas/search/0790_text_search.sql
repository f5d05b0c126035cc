-- The dictionaries and configurations of text search: how each language folds its words. The difference between two
-- databases does not show them, so a change of this file is also a statement in supabase/by_hand.

-- Names are found by each of their words, including stop words, because "The Who" has no others. So each language has
-- two configurations: the one of Postgres, and one here with a stemmer that keeps stop words.
do $$
declare
  language text;
begin
  for language in
    select c.cfgname
    from pg_catalog.pg_ts_config c
    where c.cfgnamespace = 'pg_catalog'::regnamespace
  loop
    execute format('create text search configuration private.%I (copy = pg_catalog.%I)', language, language);
  end loop;
  for language in
    select distinct d.dictname
    from pg_catalog.pg_ts_config_map m
    join pg_catalog.pg_ts_config c on c.oid = m.mapcfg
    join pg_catalog.pg_ts_dict d on d.oid = m.mapdict
    where c.cfgnamespace = 'private'::regnamespace and d.dictname like '%\_stem'
  loop
    execute format(
      'create text search dictionary private.%I (template = pg_catalog.snowball, language = %I)',
      language, regexp_replace(language, '_stem$', '')
    );
  end loop;
  for language in
    select distinct format(
      'alter text search configuration private.%I alter mapping replace pg_catalog.%I with private.%I',
      c.cfgname, d.dictname, d.dictname
    )
    from pg_catalog.pg_ts_config_map m
    join pg_catalog.pg_ts_config c on c.oid = m.mapcfg
    join pg_catalog.pg_ts_dict d on d.oid = m.mapdict
    where c.cfgnamespace = 'private'::regnamespace and d.dictname like '%\_stem'
  loop
    execute language;
  end loop;
end
$$;
