-- Numbers from sequences. Each database has its own, so rows of two databases may have the same number: the key of such a
-- table begins with the tenant, who is in one database at a time, and whose numbers only increase.

-- functions ------------------------------------------------------------------------------------

create function private.continue_numbers(tenant_id uuid) returns void
-- Writers of a table wait while its sequence is set.
language plpgsql security definer set search_path = '' set lock_timeout = '2s'
as $$
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
$$;
comment on function private.continue_numbers is
  'For rows of a tenant that another database has written and that were added to this one: numbers of new rows come after theirs. Before the tenant''s own requests are answered.';
