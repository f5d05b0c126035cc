-- One form for all texts, Unicode NFC, because programs may write accented letters as one character or as two, and both
-- are the same name. This migration is the last, because it concerns every table.

-- functions ------------------------------------------------------------------------------------

create function private.keep_nfc() returns trigger
language plpgsql set search_path = ''
as $$
declare
  row_text text := new::text;
begin
  if octet_length(row_text) = char_length(row_text) or row_text is nfc normalized then
    return new;
  end if;
  return jsonb_populate_record(
    new,
    (
      select jsonb_object_agg(e.key, private.nfc(e.value))
      from jsonb_each(to_jsonb(new)) as e
      where private.nfc(e.value) <> e.value
    )
  );
end
$$;
comment on function private.keep_nfc() is 'Row trigger: texts are stored in Unicode NFC.';

-- triggers -------------------------------------------------------------------------------------

-- All tables of the API with texts, except for copies of other tables and for codes, which are sold unchanged. Triggers
-- fire in the order of their names, and this one has to be the first.
do $$
declare
  relation regclass;
begin
  for relation in
    select c.oid
    from pg_catalog.pg_class c
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'p')
      and c.relname not in ('events', 'licence_keys', 'mails', 'published_content', 'webhook_deliveries')
      and exists (
        select from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and not a.attisdropped
          and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype)
      )
    order by c.relname
  loop
    execute format(
      'create trigger _keep_nfc before insert or update on %s for each row execute function private.keep_nfc()', relation
    );
  end loop;
end
$$;
