-- Checks of documents of content. A save checks the parts that differ from the version below it.

-- functions: documents ---------------------------------------------------------------------------

create function private.document_keys() returns text[]
language sql immutable
return array['slug', 'title', 'content', 'blocks', 'fields', 'layout', 'seo', 'visibility', 'visible_to', 'localizations'];
comment on function private.document_keys() is 'The keys of a document.';

create function private.whole_document(document jsonb, type public.content_types, language text) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  defaults jsonb := (
    select jsonb_object_agg(f.value ->> 'name', f.value -> 'default_value')
    from jsonb_array_elements(type.fields) as f
    where coalesce(f.value -> 'default_value', 'null') <> 'null'
  );
begin
  if not document ? 'slug' then
    document := document || jsonb_build_object('slug', coalesce(
      private.slug_of(document -> 'title' ->> language), 'page-' || substring(gen_random_uuid()::text for 8)
    ));
  end if;
  if defaults is not null then
    document := document || jsonb_build_object('fields', defaults || coalesce(document -> 'fields', '{}'));
  end if;
  -- Each change copies the document, which may be long. So only incomplete blocks are completed.
  if jsonb_typeof(document -> 'blocks') = 'array'
    and document @? '$.blocks[*] ? (@.type() == "object" && !(exists (@.id) && exists (@.settings) && exists (@.permissions)))'
  then
    document := document || jsonb_build_object('blocks', (
      select jsonb_agg(
        case when jsonb_typeof(b.value) = 'object'
          then jsonb_build_object('id', gen_random_uuid(), 'settings', '{}'::jsonb, 'permissions', '{}'::jsonb) || b.value
          else b.value
        end
        order by b.position
      )
      from jsonb_array_elements(document -> 'blocks') with ordinality as b (value, position)
    ));
  end if;
  if not document ?& private.document_keys() then
    document := jsonb '{"title": {}, "content": null, "blocks": [], "fields": {}, "layout": null, "seo": {}, "visibility": "public", "visible_to": [], "localizations": {}}'
      || document;
  end if;
  return document;
end
$$;
comment on function private.whole_document is
  'A document with all its keys: missing parts are empty, fields have their defaults, and blocks have ids.';

create function private.check_title(title jsonb, language text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist(
    jsonb_typeof(title) = 'object' and (select count(*) from jsonb_object_keys(title)) <= private.cap('languages_per_content'),
    'title', 'an object of texts by language', title
  );
  for entry in
    select t.key, t.value from jsonb_each(title) as t
    union all
    select language, null::jsonb where not title ? language
  loop
    faults := faults || private.fault_unless(
      private.is_language(entry.key), 'title.' || left(entry.key, 50), 'named with a language, such as en or pt-BR', entry.value
    );
    faults := faults || private.fault_unless(
      private.is_name(entry.value, 500),
      'title.' || entry.key, 'a text of 1 to 500 characters', entry.value
    );
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_title is 'Refuses a wrong title. It needs a text in the language of the original.';

create function private.check_fields(type public.content_types, fields jsonb, before jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(jsonb_typeof(fields) = 'object', field, 'an object', fields);
  -- Values of fields that the type no longer has may stay unchanged.
  for entry in
    select f.key, f.value, d.value as definition
    from jsonb_each(fields) as f
    left join jsonb_array_elements(type.fields) with ordinality as d (value, position) on d.value ->> 'name' = f.key
    where f.value is distinct from before -> f.key
    order by d.position, f.key
  loop
    begin
      if entry.definition is null then
        perform private.refuse(
          'VALIDATION_ERROR', format('This content type has no field %s.', entry.key),
          format('%s.%s', field, entry.key), entry.value
        );
      elsif entry.value <> 'null' then
        perform private.check_field_value(entry.definition, entry.value, format('%s.%s', field, entry.key));
      end if;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_fields is 'Refuses changed fields that the content type does not have, or with wrong values.';

create function private.check_blocks(blocks jsonb, before jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  block record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(
    case when jsonb_typeof(blocks) = 'array' then jsonb_array_length(blocks) <= 200 end, 'blocks', 'a list of at most 200', blocks
  );
  for block in
    select b.value, k.value as before, format('blocks[%s]', b.position - 1) as field
    from jsonb_array_elements(blocks) with ordinality as b (value, position)
    left join jsonb_array_elements(before) as k on k.value ->> 'id' = b.value ->> 'id'
    -- Unchanged blocks were checked before.
    where k.value is distinct from b.value
    order by b.position
  loop
    begin
      perform private.check_block(block.value, block.field, block.before);
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct b.value ->> 'id') = count(*) from jsonb_array_elements(blocks) as b (value)),
    'blocks', 'a list without duplicate ids', null
  );
end
$$;
comment on function private.check_blocks is 'Refuses wrong blocks, and blocks with the same id.';

create function private.fits_block(block jsonb, translated jsonb) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  perform private.check_block_content(block ->> 'type', (block -> 'content') || translated, 'content');
  return true;
exception
  when sqlstate 'PT422' then
    return false;
end
$$;
comment on function private.fits_block is 'Whether translated content fits the type of a block.';

create function private.without_old_translations(document jsonb, before jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  old record;
  place text[];
  kept jsonb;
begin
  for old in
    select l.key as language, t.value
    from jsonb_each(before -> 'localizations') as l
    cross join lateral jsonb_array_elements(l.value -> 'blocks') as t
    join jsonb_path_query(document, '$.blocks[*]') as b (value) on b.value ->> 'id' = t.value ->> 'id'
    left join jsonb_array_elements(before -> 'blocks') as k on k.value ->> 'id' = t.value ->> 'id'
    where case
      -- A block that was removed earlier may return with another type.
      when k.value is null then not private.fits_block(b.value, t.value -> 'content')
      else b.value ->> 'type' <> k.value ->> 'type'
    end
  loop
    place := array['localizations', old.language, 'blocks'];
    if jsonb_typeof(document #> place) = 'array' then
      -- A text that the save itself sends for the new type is kept.
      kept := (
        select jsonb_agg(t.value order by t.position)
        from jsonb_array_elements(document #> place) with ordinality as t (value, position)
        where t.value <> old.value
      );
      document := case when kept is null then document #- place else jsonb_set(document, place, kept) end;
    end if;
  end loop;
  return document;
end
$$;
comment on function private.without_old_translations is
  'A document without the translations that it has from an earlier document, of blocks whose type has changed since.';

create function private.changed_by_hand(before jsonb, document jsonb, changed text[]) returns text[]
language plpgsql stable set search_path = ''
as $$
declare
  kept jsonb := private.without_old_translations(
    before || jsonb_build_object('blocks', document -> 'blocks'), before
  ) -> 'localizations';
begin
  return case when kept = before -> 'localizations' then changed
    else private.changed_paths(before || jsonb_build_object('localizations', kept), document)
  end;
end
$$;
comment on function private.changed_by_hand is
  'The changed paths without those of translations that changed only because a block got another type.';

create function private.check_translated_blocks(blocks jsonb, originals jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  block record;
begin
  perform private.insist(
    case when jsonb_typeof(blocks) = 'array' then jsonb_array_length(blocks) <= 200 end, field, 'a list of at most 200', blocks
  );
  for block in
    select t.value, o.value as original, format('%s[%s]', field, t.position - 1) as field
    from jsonb_array_elements(blocks) with ordinality as t (value, position)
    left join jsonb_array_elements(originals) as o on o.value ->> 'id' = t.value ->> 'id'
    order by t.position
  loop
    perform private.insist_on_keys(block.value, block.field, array['id', 'content']);
    perform private.insist(jsonb_typeof(block.value -> 'content') = 'object', block.field || '.content', 'an object', null);
    -- The translation of a removed block is not shown, so it is not checked.
    if block.original is not null then
      perform private.check_block_content(
        block.original ->> 'type', (block.original -> 'content') || (block.value -> 'content'), block.field || '.content'
      );
    end if;
  end loop;
end
$$;
comment on function private.check_translated_blocks is 'Refuses translations of blocks that do not fit them.';

create function private.check_localization(
  type public.content_types, document jsonb, language text, texts jsonb, before jsonb
) returns void
language plpgsql stable set search_path = ''
as $$
declare
  field text := 'localizations.' || left(language, 50);
  part record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(private.is_language(language), field, 'named with a language, such as en or pt-BR', null);
  perform private.insist_on_keys(texts, field, array['content', 'seo', 'fields', 'blocks']);
  if texts = before then
    return;
  end if;
  for part in
    select t.key, t.value, format('%s.%s', field, t.key) as field
    from jsonb_each(texts) as t
    order by array_position(array['content', 'seo', 'fields', 'blocks'], t.key)
  loop
    begin
      case part.key
        when 'content' then perform private.check_rich_text(part.value, part.field, before -> 'content');
        when 'seo' then perform private.check_seo(part.value, part.field, private.content_seo_keys());
        when 'fields' then
          perform private.check_fields(type, part.value, coalesce(before -> 'fields', '{}'), part.field);
        else
          perform private.check_translated_blocks(part.value, document -> 'blocks', part.field);
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_localization is 'Refuses a translation that does not fit its document.';

create function private.content_seo_keys() returns text[]
language sql immutable
return array['title', 'description', 'keywords', 'canonical_url', 'og_tags', 'schema_markup'];
comment on function private.content_seo_keys() is 'The keys of the SEO data of content.';

create function private.check_localizations(
  type public.content_types, language text, document jsonb, before jsonb
) returns void
language plpgsql stable set search_path = ''
as $$
declare
  localization record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(
    jsonb_typeof(document -> 'localizations') = 'object'
      and (select count(*) from jsonb_object_keys(document -> 'localizations')) <= private.cap('languages_per_content'),
    'localizations', 'an object of translations by language', null
  );
  for localization in select l.key, l.value from jsonb_each(document -> 'localizations') as l loop
    begin
      perform private.insist(
        localization.key <> language, 'localizations.' || language, 'a language other than the original''s', null
      );
      perform private.check_localization(
        type, document, localization.key, localization.value, before -> 'localizations' -> localization.key
      );
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_localizations is 'Refuses translations that do not fit their document.';

create function private.check_part(
  part text, type public.content_types, language text, document jsonb, before jsonb
) returns void
language plpgsql stable set search_path = ''
as $$
declare
  value jsonb := document -> part;
begin
  case part
    when 'slug' then
      perform private.insist(
        -- A UUID would be looked up as an id.
        private.is_text(value, 1, 200, '^[a-z0-9]+(-[a-z0-9]+)*$') and not private.is_uuid(value #>> '{}'),
        part, 'up to 200 small letters, digits and hyphens, and no UUID', value
      );
    when 'title' then perform private.check_title(value, language);
    when 'content' then
      if value is distinct from before -> part then
        perform private.check_rich_text(value, part, before -> part);
      end if;
    when 'blocks' then perform private.check_blocks(value, coalesce(before -> part, '[]'));
    when 'fields' then perform private.check_fields(type, value, coalesce(before -> part, '{}'), part);
    when 'layout' then
      perform private.insist(
        value = 'null' or private.is_text(value, 1, 100, '^[A-Za-z0-9_-]+$'), part, 'up to 100 letters, digits, _ and -', value
      );
    when 'seo' then perform private.check_seo(value, part, private.content_seo_keys());
    when 'visibility' then
      perform private.insist(value #>> '{}' in ('public', 'members', 'roles'), part, 'one of public, members, roles', value);
    when 'visible_to' then
      perform private.check_readers(nullif(value, '[]'), part);
      perform private.insist(
        (document ->> 'visibility' = 'roles') = (value <> '[]'), part,
        'a list of roles if visibility is roles, and empty otherwise', value
      );
    else perform private.check_localizations(type, language, document, before);
  end case;
end
$$;
comment on function private.check_part is 'Refuses a wrong part of a document, which has one of document_keys.';

create function private.check_document(type public.content_types, language text, document jsonb, before jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  part text;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.known_only(document, private.document_keys());
  -- The rest of the record, with the assets of its images, needs the remaining share.
  perform private.bound_record(octet_length(document::text), 0.85, 'This content is too large.');
  foreach part in array private.document_keys() loop
    begin
      perform private.check_part(part, type, language, document, before);
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_document is
  'Refuses a wrong document with VALIDATION_ERROR, and names the fields. Parts that are the same as before were checked then.';

create function private.missing_references(content public.content, document jsonb, before jsonb default null)
returns table (path text, id uuid)
language sql stable security definer set search_path = ''
as $$
  select distinct p.path, (r.value #>> '{}')::uuid
  from private.parts_of(document, before) as p
  cross join lateral (
    select a as value, 'asset' as kind from jsonb_path_query(p.value, 'strict $.**.asset_id') as a
    union all
    select i, 'product' from jsonb_path_query(p.value, 'strict $.**.product_ids') as l
    cross join lateral jsonb_array_elements(case jsonb_typeof(l) when 'array' then l else '[]' end) as i
  ) as r
  where case
      when jsonb_typeof(r.value) <> 'string' or not private.is_uuid(r.value #>> '{}') then false
      when r.kind = 'asset' then not exists (
        select from public.media_assets a
        where a.tenant_id = content.tenant_id and a.id = (r.value #>> '{}')::uuid
          and a.status = 'ready' and not a.private
          -- Pages of the operator show assets of all suppliers.
          and (content.supplier_id is null or private.may_show(content.supplier_id, a))
      )
      else not exists (
        select from public.products p
        where p.tenant_id = content.tenant_id and p.id = (r.value #>> '{}')::uuid and p.status <> 'discontinued'
      )
    end
$$;
comment on function private.missing_references is
  'The paths of a document that name an asset that is missing, unfinished, private or of another supplier than the content''s, or a missing product. Only in parts that differ from before.';

create function private.check_references(
  content public.content, document jsonb, before jsonb, other jsonb default null
) returns void
language plpgsql stable set search_path = ''
as $$
declare
  faults jsonb;
begin
  select coalesce(jsonb_agg(private.fault(
    format('%s names an asset or product that is missing, not public, or of another supplier.', m.path), m.path, to_jsonb(m.id)
  ) order by m.path, m.id), '[]')
  into faults
  from private.missing_references(content, document, before) as m
  where not exists (
    select
    from (values (before), (other)) as earlier (document)
    cross join lateral private.missing_references(content, coalesce(earlier.document, '{}')) as b
    where b.id = m.id
  );
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_references is
  'Refuses a document that names an asset or product that it may not name, unless it did so before. other: a document that was merged into it.';
