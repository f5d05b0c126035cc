-- Saving content. A save names the version that it began from, and is refused if there is a newer one. So nothing is
-- overwritten unseen. Over HTTP the edge functions then merge both and save again.

-- functions: documents ---------------------------------------------------------------------------

create function private.document_keys() returns text[]
language sql immutable
return array['slug', 'title', 'content', 'blocks', 'fields', 'layout', 'seo', 'visibility', 'visible_to', 'localizations'];
comment on function private.document_keys() is 'The keys of a document.';

create function private.slug_of(words text) returns text
language sql stable set search_path = ''
as $$
  -- Composed first: unaccent knows letters with their accents, and not accents alone.
  select nullif(
    trim('-' from left(
      trim('-' from regexp_replace(lower(extensions.unaccent(normalize(coalesce(words, ''), nfkc))), '[^a-z0-9]+', '-', 'g')), 200
    )), ''
  )
$$;
comment on function private.slug_of is 'The slug of a title: small letters, digits and hyphens, at most 200. Null if no letter or digit is left.';

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
begin
  perform private.insist(
    jsonb_typeof(title) = 'object' and (select count(*) from jsonb_object_keys(title)) <= private.cap('languages_per_content'),
    'title', 'an object of texts by language', title
  );
  perform private.insist(title ? language, 'title.' || language, 'a text of 1 to 500 characters', title -> language);
  for entry in select t.key, t.value from jsonb_each(title) as t loop
    perform private.insist(
      private.is_language(entry.key), 'title.' || left(entry.key, 50), 'named with a language, such as en or pt-BR', entry.value
    );
    perform private.insist(
      private.is_name(entry.value, 500),
      'title.' || entry.key, 'a text of 1 to 500 characters', entry.value
    );
  end loop;
end
$$;
comment on function private.check_title is 'Refuses a wrong title. It needs a text in the language of the original.';

create function private.check_fields(type public.content_types, fields jsonb, before jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  entry record;
  definition jsonb;
begin
  perform private.insist(jsonb_typeof(fields) = 'object', field, 'an object', fields);
  -- Values of fields that the type no longer has may stay unchanged.
  for entry in
    select f.key, f.value from jsonb_each(fields) as f where f.value is distinct from before -> f.key
  loop
    definition := (select d.value from jsonb_array_elements(type.fields) as d where d.value ->> 'name' = entry.key);
    if definition is null then
      perform private.refuse(
        'VALIDATION_ERROR', format('This content type has no field %s.', entry.key),
        format('%s.%s', field, entry.key), entry.value
      );
    end if;
    if entry.value <> 'null' then
      perform private.check_field_value(definition, entry.value, format('%s.%s', field, entry.key));
    end if;
  end loop;
end
$$;
comment on function private.check_fields is 'Refuses changed fields that the content type does not have, or with wrong values.';

create function private.check_blocks(blocks jsonb, before jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  block record;
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
    perform private.check_block(block.value, block.field, block.before);
  end loop;
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

create function private.check_localization(
  type public.content_types, document jsonb, language text, texts jsonb, before jsonb
) returns void
language plpgsql stable set search_path = ''
as $$
declare
  field text := 'localizations.' || left(language, 50);
  block record;
begin
  perform private.insist(private.is_language(language), field, 'named with a language, such as en or pt-BR', null);
  perform private.insist_on_keys(texts, field, array['content', 'seo', 'fields', 'blocks']);
  if texts = before then
    return;
  end if;
  perform private.check_rich_text(texts -> 'content', field || '.content', before -> 'content');
  if texts ? 'seo' then
    perform private.check_seo(texts -> 'seo', field || '.seo', private.content_seo_keys());
  end if;
  if texts ? 'fields' then
    perform private.check_fields(type, texts -> 'fields', coalesce(before -> 'fields', '{}'), field || '.fields');
  end if;
  if texts ? 'blocks' then
    perform private.insist(
      case when jsonb_typeof(texts -> 'blocks') = 'array' then jsonb_array_length(texts -> 'blocks') <= 200 end,
      field || '.blocks', 'a list of at most 200', texts -> 'blocks'
    );
    for block in
      select t.value, o.value as original, format('%s.blocks[%s]', field, t.position - 1) as field
      from jsonb_array_elements(texts -> 'blocks') with ordinality as t (value, position)
      left join jsonb_array_elements(document -> 'blocks') as o on o.value ->> 'id' = t.value ->> 'id'
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
  end if;
end
$$;
comment on function private.check_localization is 'Refuses a translation that does not fit its document.';

create function private.content_seo_keys() returns text[]
language sql immutable
return array['title', 'description', 'keywords', 'canonical_url', 'og_tags', 'schema_markup'];
comment on function private.content_seo_keys() is 'The keys of the SEO data of content.';

create function private.check_document(type public.content_types, language text, document jsonb, before jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  localization record;
begin
  perform private.known_only(document, private.document_keys());
  -- The rest of the record, with the assets of its images, needs the remaining share.
  perform private.bound_record(octet_length(document::text), 0.85, 'This content is too large.');
  perform private.insist(
    private.is_text(document -> 'slug', 1, 200, '^[a-z0-9]+(-[a-z0-9]+)*$')
      -- A UUID would be looked up as an id.
      and not private.is_uuid(document ->> 'slug'),
    'slug', 'up to 200 small letters, digits and hyphens, and no UUID', document -> 'slug'
  );
  perform private.check_title(document -> 'title', language);
  if document -> 'content' is distinct from before -> 'content' then
    perform private.check_rich_text(document -> 'content', 'content', before -> 'content');
  end if;
  perform private.check_blocks(document -> 'blocks', coalesce(before -> 'blocks', '[]'));
  perform private.check_fields(type, document -> 'fields', coalesce(before -> 'fields', '{}'), 'fields');
  perform private.insist(
    document -> 'layout' = 'null' or private.is_text(document -> 'layout', 1, 100, '^[A-Za-z0-9_-]+$'), 'layout',
    'up to 100 letters, digits, _ and -', document -> 'layout'
  );
  perform private.check_seo(document -> 'seo', 'seo', private.content_seo_keys());
  perform private.insist(
    document ->> 'visibility' in ('public', 'members', 'roles'), 'visibility', 'one of public, members, roles',
    document -> 'visibility'
  );
  perform private.check_readers(nullif(document -> 'visible_to', '[]'), 'visible_to');
  perform private.insist(
    (document ->> 'visibility' = 'roles') = (document -> 'visible_to' <> '[]'), 'visible_to',
    'a list of roles if visibility is roles, and empty otherwise', document -> 'visible_to'
  );
  perform private.insist(
    jsonb_typeof(document -> 'localizations') = 'object'
      and (select count(*) from jsonb_object_keys(document -> 'localizations')) <= private.cap('languages_per_content'),
    'localizations', 'an object of translations by language', null
  );
  for localization in select l.key, l.value from jsonb_each(document -> 'localizations') as l loop
    perform private.insist(
      localization.key <> language, 'localizations.' || language, 'a language other than the original''s', null
    );
    perform private.check_localization(
      type, document, localization.key, localization.value, before -> 'localizations' -> localization.key
    );
  end loop;
end
$$;
comment on function private.check_document is
  'Refuses a wrong document with VALIDATION_ERROR, and names the field. Parts that are the same as before were checked then.';

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
          and a.status = 'ready' and not a.private and private.may_show(content.supplier_id, a)
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
  missing record;
begin
  select m.path, m.id into missing
  from private.missing_references(content, document, before) as m
  where not exists (
    select
    from (values (before), (other)) as earlier (document)
    cross join lateral private.missing_references(content, coalesce(earlier.document, '{}')) as b
    where b.id = m.id
  )
  order by m.path
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s names an asset or product that is missing, not public, or of another supplier.', missing.path),
      missing.path, to_jsonb(missing.id)
    );
  end if;
end
$$;
comment on function private.check_references is
  'Refuses a document that names an asset or product that it may not name, unless it did so before. other: a document that was merged into it.';

-- functions: saving ------------------------------------------------------------------------------

create function private.refuse_stale(sent integer, newest integer) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    'CONFLICT', 'There is a newer version. Read it, and save again on top of it.', 'version_number', to_jsonb(sent),
    jsonb_build_object('version_number', newest)
  );
end
$$;
comment on function private.refuse_stale is 'Refuses a stale save with CONFLICT. details.version_number is the newest version.';

create function private.follow_translations(content public.content, document jsonb, changed text[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  spoken text[] := array(
    select k from jsonb_object_keys((document -> 'title') || (document -> 'localizations')) as k where k <> content.language
  );
begin
  perform private.drop_unused_translations(content);
  -- Readers still see these, or will.
  update public.content_localizations l
  set status = 'draft'
  where l.content_id = content.id and l.language <> all (spoken) and l.status in ('review', 'approved', 'published');
  insert into public.content_localizations as l (tenant_id, content_id, language, translator_id, original_version_number)
  select content.tenant_id, content.id, s.language, auth.uid(), content.original_version_number
  from unnest(spoken) as s (language)
  on conflict on constraint language_is_unique_in_content_localizations do update
  set translator_id = excluded.translator_id, original_version_number = excluded.original_version_number,
      last_updated = now(),
      -- The reviewed text has changed.
      status = case when l.status in ('review', 'approved', 'published') then 'draft' else l.status end
  where exists (
    select from unnest(changed) as c (path)
    where c.path = 'title.' || l.language or c.path like format('localizations.%s.%%', replace(l.language, '_', '\_'))
  );
end
$$;
comment on function private.follow_translations is
  'Adds and removes translations as a save has them. A changed translation that was reviewed returns to draft.';

create function private.replaced_autosave(content public.content, head private.content_branches) returns private.content_versions
language sql stable security definer set search_path = ''
as $$
  select v.*
  from private.content_versions v
  where v.content_id = content.id and v.version_number = head.version_number and v.autosave
    and v.author_id = auth.uid() and v.created_at > now() - interval '10 minutes'
    and v.parents <> '{}'
    and v.version_number not in (
      select n from unnest(array[content.published_version_number, content.scheduled_version_number]) as n where n is not null
      union all
      select coalesce(l.published_version_number, l.withdrawn_version_number) from public.content_localizations l
      where l.content_id = content.id and coalesce(l.published_version_number, l.withdrawn_version_number) is not null
      union all
      select b.version_number from private.content_branches b where b.content_id = content.id and b.name <> head.name
    )
    -- No other branch continues from it.
    and not exists (
      select from private.content_versions n
      where n.content_id = content.id and n.version_number > v.version_number and v.version_number = any (n.parents)
    )
$$;
comment on function private.replaced_autosave is
  'The head of a branch if it is an autosave of the caller within the last 10 minutes that nothing else uses yet.';

create function private.advance_main(
  content public.content, number integer, document jsonb, changed text[]
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  before public.content_status := content.status;
  -- Translations are reviewed and published separately.
  touches_original boolean := exists (
    select from unnest(changed) as c (path)
    where c.path not like 'localizations.%' and (c.path not like 'title.%' or c.path = 'title.' || content.language)
  );
begin
  update public.content c
  set version_number = number, slug = document ->> 'slug', title = document -> 'title', updated_at = now(),
      original_version_number = case when touches_original then number else c.original_version_number end,
      status = case when touches_original and c.status <> 'archived' then 'draft' else c.status end
  where c.id = content.id
  returning * into content;
  if content.status <> before then
    insert into public.content_moves (tenant_id, content_id, move, from_status, to_status, version_number, actor_id)
    values (content.tenant_id, content.id, 'edit', before, content.status, number, auth.uid());
  end if;
  perform private.follow_translations(content, document, changed);
  return content;
end
$$;
comment on function private.advance_main is
  'Moves main to a new version. A change of the original returns content to draft.';

create function private.head_of(content public.content, branch text, base integer) returns private.content_branches
language plpgsql stable security definer set search_path = ''
as $$
declare
  head private.content_branches;
begin
  select * into head from private.content_branches b where b.content_id = content.id and b.name = branch;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such branch.', 'branch', to_jsonb(branch));
  elsif head.version_number is distinct from base then
    perform private.refuse_stale(base, head.version_number);
  end if;
  -- Concatenation reads the stored value once. Otherwise each use of the document would read it again.
  head.document := head.document || '{}';
  return head;
end
$$;
comment on function private.head_of is 'The head of a branch, whose version has to be base. Errors: NOT_FOUND, CONFLICT.';

create function private.save_draft(
  content public.content, branch text, base integer, document jsonb, comment text, autosave boolean default false,
  merged_from integer default null
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  head private.content_branches := private.head_of(content, branch, base);
  replaced private.content_versions;
  changed text[];
  line integer[];
  number integer := content.last_version_number + 1;
begin
  perform private.check_move_comment(comment);
  changed := private.changed_paths(head.document, document);
  if changed = '{}' and merged_from is null then
    return content;
  end if;
  line := array[head.version_number] || merged_from;
  if autosave then
    replaced := private.replaced_autosave(content, head);
    if replaced.content_id is not null then
      line := replaced.parents;
    end if;
  end if;
  perform private.store_version(
    content, number, array_remove(line, null), branch, document,
    case when replaced.content_id is null then changed
      else private.changed_paths(private.version_document(content.id, line[1]), document)
    end,
    comment, autosave
  );
  delete from private.content_versions v where v.content_id = content.id and v.version_number = replaced.version_number;
  update private.content_branches b
  set version_number = number, document = save_draft.document
  where b.content_id = content.id and b.name = branch;
  update public.content c set last_version_number = number, updated_at = now() where c.id = content.id returning * into content;
  if branch = 'main' then
    content := private.advance_main(
      content, number, document, private.changed_by_hand(head.document, document, changed)
    );
  end if;
  perform private.note_content_assets(content);
  perform private.prune_versions(content);
  return content;
end
$$;
comment on function private.save_draft is
  'Saves a checked document as the next version of a branch, whose head has to be base. Without a change it makes no version. Errors: CONFLICT if it is stale or its slug is taken, NOT_FOUND.';

create function private.check_move_comment(comment text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if char_length(comment) > private.cap('content_move_comment') then
    perform private.refuse_beyond('content_move_comment', 'The comment is too long. Shorten it.', 'comment');
  end if;
end
$$;
comment on function private.check_move_comment is 'Refuses a comment that is too long, with LIMIT_REACHED.';

create function private.save_changes(
  content public.content, branch text, base integer, changes jsonb, comment text, autosave boolean
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  type public.content_types := private.content_type_of(content.type);
  -- This comes first: whether changes are valid depends on the version below them.
  before jsonb := (private.head_of(content, branch, base)).document;
  document jsonb;
begin
  perform private.known_only(changes, private.document_keys());
  document := private.without_old_translations(private.whole_document(before || changes, type, content.language), before);
  perform private.check_document(type, content.language, document, before);
  perform private.check_references(content, document, before);
  return private.save_draft(content, branch, base, document, comment, autosave);
end
$$;
comment on function private.save_changes is 'Saves the sent parts of a document and keeps the others.';

-- functions: beginning ---------------------------------------------------------------------------

create function private.subject_of(type text, subject_id uuid, out product_id uuid, out category_id uuid, out supplier_id uuid, out marketplace_id uuid)
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
begin
  if type not in ('products', 'categories') then
    perform private.insist(
      subject_id is null, 'subject_id', 'absent: only content of the types products and categories describes something',
      to_jsonb(subject_id)
    );
    return;
  end if;
  if type = 'products' then
    select p.id, p.supplier_id, p.marketplace_id into product_id, supplier_id, marketplace_id
    from public.products p
    where p.tenant_id = tenant and p.id = subject_of.subject_id and p.status <> 'discontinued';
  else
    select k.id into category_id from public.categories k where k.tenant_id = tenant and k.id = subject_of.subject_id;
  end if;
  if coalesce(product_id, category_id) is null then
    perform private.refuse(
      case when subject_id is null then 'VALIDATION_ERROR' else 'NOT_FOUND' end,
      'subject_id must be the id of a product or category.', 'subject_id', coalesce(to_jsonb(subject_id), 'null')
    );
  end if;
end
$$;
comment on function private.subject_of is
  'The product, with its supplier and marketplace, or the category that content describes. Errors: NOT_FOUND, VALIDATION_ERROR on subject_id.';

create function private.create_content(
  type public.content_types, document jsonb, marketplace_id uuid, subject_id uuid, comment text
) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  subject record := private.subject_of(type.key, subject_id);
  place public.marketplaces;
  created public.content;
  whole jsonb;
begin
  if not 'editor' = any (private.content_roles())
    and not coalesce(subject.supplier_id = private.supplier_id(), false)
  then
    perform private.refuse(
      'FORBIDDEN', 'Only editors and admins may create content. Suppliers may describe their own products.'
    );
  end if;
  select * into place
  from public.marketplaces m
  where m.tenant_id = private.tenant_id()
    and m.id = coalesce(create_content.marketplace_id, subject.marketplace_id, private.sole_marketplace_id());
  perform private.insist(place.id is not null, 'marketplace_id', 'the id of a marketplace of your tenant', to_jsonb(create_content.marketplace_id));
  perform private.insist(
    place.id = coalesce(subject.marketplace_id, place.id), 'marketplace_id', 'the marketplace of the product', to_jsonb(place.id)
  );
  if private.cap('content_per_tenant') <= private.number_of_drafts() then
    perform private.refuse_beyond('content_per_tenant', 'The tenant has the maximum number of pieces of content.');
  end if;
  perform private.known_only(document, private.document_keys());
  perform private.check_move_comment(comment);
  whole := private.whole_document(document, type, place.language);
  perform private.check_document(type, place.language, whole, null);
  insert into public.content (
    tenant_id, type, marketplace_id, product_id, category_id, supplier_id, language, slug, title, author_id
  )
  values (
    place.tenant_id, type.key, place.id, subject.product_id, subject.category_id, subject.supplier_id, place.language,
    whole ->> 'slug', whole -> 'title', auth.uid()
  )
  returning * into created;
  perform private.check_references(created, whole, null);
  insert into private.content_branches (tenant_id, content_id, name, version_number, document)
  values (created.tenant_id, created.id, 'main', 1, whole);
  perform private.store_version(created, 1, '{}', 'main', whole, '{}', comment, false);
  perform private.follow_translations(created, whole, '{}');
  perform private.note_content_assets(created);
  return created;
end
$$;
comment on function private.create_content is 'Creates a draft. Errors: CONFLICT, VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN, NOT_FOUND.';
