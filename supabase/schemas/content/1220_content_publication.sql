-- Publication. The transaction that publishes writes one whole document per language, with untranslated fields filled in.
-- So a reader needs one row.

-- functions: languages ---------------------------------------------------------------------------

create function private.translation_in(document jsonb, language text) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_strip_nulls(
    coalesce(document -> 'localizations' -> language, '{}') || jsonb_build_object('title', document -> 'title' -> language)
  )
$$;
comment on function private.translation_in is 'The texts of a translation in a document: title, content, seo, fields, blocks.';

create function private.original_in(document jsonb, language text) returns jsonb
language sql immutable set search_path = ''
as $$
  select (document - 'localizations') || jsonb_build_object('title', document -> 'title' -> language)
$$;
comment on function private.original_in is 'The original in a document, with its title as a text.';

create function private.with_translation(document jsonb, translation jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select document
    || case when translation ? 'title' then jsonb_build_object('title', translation -> 'title') else '{}' end
    || case when translation ? 'content' then jsonb_build_object('content', translation -> 'content') else '{}' end
    || jsonb_build_object(
      'seo', (document -> 'seo') || coalesce(translation -> 'seo', '{}'),
      'fields', (document -> 'fields') || coalesce(translation -> 'fields', '{}'),
      'blocks', (
        select coalesce(jsonb_agg(
          case when t.value is null then b.value
            else b.value || jsonb_build_object('content', (b.value -> 'content') || (t.value -> 'content'))
          end
          order by b.position
        ), '[]')
        from jsonb_array_elements(document -> 'blocks') with ordinality as b (value, position)
        left join jsonb_array_elements(coalesce(translation -> 'blocks', '[]')) as t (value)
          on t.value ->> 'id' = b.value ->> 'id'
      )
    )
$$;
comment on function private.with_translation is 'A document with the translated fields in place of the original ones.';

create function private.translation_alone(document jsonb, translation jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select document || jsonb_build_object(
    'title', translation -> 'title', 'content', translation -> 'content', 'seo', coalesce(translation -> 'seo', '{}'),
    'fields', (
      select coalesce(jsonb_object_agg(f.key, translation -> 'fields' -> f.key), '{}') from jsonb_each(document -> 'fields') as f
    ),
    'blocks', (
      select coalesce(jsonb_agg(b.value || jsonb_build_object('content', t.value -> 'content') order by b.position), '[]')
      from jsonb_array_elements(document -> 'blocks') with ordinality as b (value, position)
      left join jsonb_array_elements(coalesce(translation -> 'blocks', '[]')) as t (value)
        on t.value ->> 'id' = b.value ->> 'id'
    )
  )
$$;
comment on function private.translation_alone is 'A document in which untranslated fields are null.';

create function private.fitting_translation(translation jsonb, made_for jsonb, document jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select case when not translation ? 'blocks' then translation
    else translation || jsonb_build_object('blocks', (
      select coalesce(jsonb_agg(t.value order by t.position), '[]')
      from jsonb_array_elements(translation -> 'blocks') with ordinality as t (value, position)
      where not exists (
        select
        from jsonb_array_elements(made_for -> 'blocks') as m
        join jsonb_array_elements(document -> 'blocks') as b on b.value ->> 'id' = m.value ->> 'id'
        where m.value ->> 'id' = t.value ->> 'id' and m.value ->> 'type' <> b.value ->> 'type'
      )
    ))
  end
$$;
comment on function private.fitting_translation is
  'A translation without the texts of blocks that have another type in the document than in the one it was made for.';

create function private.languages_after(language text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  languages text[] := array[]::text[];
begin
  -- pt-BR, and then pt.
  while language <> '' loop
    languages := languages || language;
    language := substring(language from '^(.+)-[^-]*$');
  end loop;
  return languages;
end
$$;
comment on function private.languages_after is 'A language and its fallbacks, such as pt-BR and pt.';

-- functions: publishing --------------------------------------------------------------------------

create function private.links_in(document jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(distinct r), '[]')
  from jsonb_path_query(document, 'strict $.**.ref') as r
  where jsonb_typeof(r) = 'object'
$$;
comment on function private.links_in is 'The references of a document''s links to content, products and categories.';

create function private.write_published_text(
  content public.content, language text, version_number integer, document jsonb, translated jsonb
) returns void
language sql security definer set search_path = ''
as $$
  insert into private.published_texts (tenant_id, content_id, language, version_number, document, translated, asset_ids, links)
  values (
    content.tenant_id, content.id, language, version_number, document, translated, private.asset_ids_in(document),
    private.links_in(document)
  )
$$;
comment on function private.write_published_text is 'Writes the published document of one language.';

create function private.write_published_texts(content public.content) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  original jsonb := private.original_in(
    private.version_document(content.id, content.published_version_number), content.language
  );
  titles jsonb := jsonb_build_object(content.language, original -> 'title');
  spoken text[] := array[content.language];
  translation record;
  served jsonb;
  step jsonb;
begin
  delete from private.published_texts t where t.tenant_id = content.tenant_id and t.content_id = content.id;
  perform private.write_published_text(content, content.language, content.published_version_number, original, '{}');
  -- Shorter tags first: pt-BR falls back to pt.
  for translation in
    select l.language, l.published_version_number,
      private.fitting_translation(private.translation_in(v.document, l.language), v.document, original) as texts
    from public.content_localizations l
    cross join lateral private.version_document(content.id, l.published_version_number) as v (document)
    where l.content_id = content.id and l.published_version_number is not null
    order by char_length(l.language), l.language
  loop
    served := original;
    for step in
      select t.translated
      from private.published_texts t
      where t.tenant_id = content.tenant_id and t.content_id = content.id
        and t.language = any (private.languages_after(translation.language))
      order by char_length(t.language)
    loop
      served := private.with_translation(served, step);
    end loop;
    perform private.write_published_text(
      content, translation.language, translation.published_version_number,
      private.with_translation(served, translation.texts), translation.texts
    );
    spoken := spoken || translation.language;
    titles := titles || jsonb_strip_nulls(jsonb_build_object(translation.language, translation.texts -> 'title'));
  end loop;
  update public.published_content p set languages = spoken, title = titles where p.content_id = content.id;
end
$$;
comment on function private.write_published_texts is
  'Rewrites the published documents of all languages of a piece of content.';

create function private.delete_content_media_uses() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.media_uses u where u.tenant_id = old.tenant_id and u.type = 'content' and u.id = old.id;
  return null;
end
$$;
comment on function private.delete_content_media_uses() is 'Row trigger: deleted content uses no assets.';

create function private.record_content_assets(content public.content) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  shown uuid[] := array(
    select distinct a.id
    from private.content_versions v
    cross join lateral unnest(v.asset_ids) as a (id)
    where v.content_id = content.id and v.version_number in (select s from private.shown_versions(content) as s)
  );
begin
  delete from private.media_uses u
  where u.tenant_id = content.tenant_id and u.type = 'content' and u.id = content.id and u.asset_id <> all (shown);
  -- An older version may name an asset that was deleted since.
  insert into private.media_uses (tenant_id, asset_id, type, id)
  select content.tenant_id, a.id, 'content', content.id
  from public.media_assets a
  where a.tenant_id = content.tenant_id and a.id = any (shown)
  order by a.id
  for key share of a
  on conflict on constraint media_uses_pkey do nothing;
end
$$;
comment on function private.record_content_assets is
  'Records the assets that the versions in use show. They cannot be deleted until then.';

create function private.drop_unused_translations(content public.content) returns void
language sql security definer set search_path = ''
as $$
  delete from public.content_localizations l
  using private.content_branches b
  where l.content_id = content.id and b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = 'main'
    and coalesce(l.published_version_number, l.withdrawn_version_number) is null
    and (l.language = any (content.scheduled_languages)) is not true
    and not (b.document -> 'title') || (b.document -> 'localizations') ? l.language
$$;
comment on function private.drop_unused_translations is
  'Removes translations that the draft no longer has, unless they are published, scheduled, or return with their original.';

create function private.unscheduled(content public.content, languages text[] default null) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  others text[] := array(
    select s.language
    from unnest(coalesce(content.scheduled_languages, array[content.language])) as s (language)
    where s.language <> all (languages)
  );
begin
  if content.scheduled_at is null then
    return content;
  end if;
  update public.content c
  set scheduled_languages = nullif(others, '{}'),
      scheduled_at = case when others <> '{}' then c.scheduled_at end,
      scheduled_version_number = case when others <> '{}' then c.scheduled_version_number end
  where c.id = content.id
  returning * into content;
  perform private.drop_unused_translations(content);
  perform private.record_content_assets(content);
  return content;
end
$$;
comment on function private.unscheduled is
  'Takes languages out of the scheduled publication, or ends it: if languages is null, or if no language is left.';

create function private.status_when_published(
  localization public.content_localizations, number integer
) returns public.translation_status
language sql stable security definer set search_path = ''
as $$
  select case
    when localization.status = 'approved'
      and private.translation_in(b.document, localization.language)
        = private.translation_in(private.version_document(b.content_id, number), localization.language)
    then 'published'
    else localization.status
  end
  from private.content_branches b
  where b.tenant_id = localization.tenant_id and b.content_id = localization.content_id and b.name = 'main'
$$;
comment on function private.status_when_published is
  'The status of a translation after the publication of a version: published if the draft has the same texts, and otherwise unchanged.';

create function private.return_translations(content public.content) returns void
language sql security definer set search_path = ''
as $$
  update public.content_localizations l
  set status = private.status_when_published(l, l.withdrawn_version_number),
      published_version_number = l.withdrawn_version_number, withdrawn_version_number = null
  where l.content_id = content.id and l.withdrawn_version_number is not null
$$;
comment on function private.return_translations is 'Publishes the translations again that were unpublished with their original.';

create function private.leave_withdrawn(content public.content) returns void
language sql security definer set search_path = ''
as $$
  update public.content_localizations l
  set withdrawn_version_number = null
  where l.content_id = content.id and l.withdrawn_version_number is not null
$$;
comment on function private.leave_withdrawn is
  'For a publication that names its languages: translations that were unpublished with their original do not return with it.';

create function private.publish_version(content public.content, number integer) returns public.content
language plpgsql security definer set search_path = ''
as $$
declare
  document jsonb := private.version_document(content.id, number);
  slug_before text := (select p.slug from public.published_content p where p.content_id = content.id);
begin
  insert into public.published_content as p (
    content_id, tenant_id, type, marketplace_id, product_id, category_id, slug, language, languages, title, visibility,
    visible_to, version_number, author_id, created_at
  )
  values (
    content.id, content.tenant_id, content.type, content.marketplace_id, content.product_id, content.category_id,
    document ->> 'slug', content.language, array[content.language], '{}',
    (document ->> 'visibility')::public.content_visibility,
    array(select jsonb_array_elements_text(document -> 'visible_to')::public.member_role), number, content.author_id,
    content.created_at
  )
  on conflict (content_id) do update
  set slug = excluded.slug, visibility = excluded.visibility, visible_to = excluded.visible_to,
      version_number = excluded.version_number, published_at = now();
  delete from private.former_slugs f
  where f.tenant_id = content.tenant_id and f.marketplace_id = content.marketplace_id and f.type = content.type
    and f.slug = document ->> 'slug';
  if slug_before <> document ->> 'slug' then
    insert into private.former_slugs (tenant_id, marketplace_id, type, slug, content_id)
    values (content.tenant_id, content.marketplace_id, content.type, slug_before, content.id)
    on conflict on constraint former_slugs_pkey do update set content_id = excluded.content_id;
  end if;
  update public.content c
  set published_version_number = number, published_at = now()
  where c.id = content.id
  returning * into content;
  perform private.return_translations(content);
  perform private.write_published_texts(content);
  perform private.record_content_assets(content);
  return content;
end
$$;
comment on function private.publish_version is
  'Publishes a version in place of the one that was published. Errors: CONFLICT if other content is published under its slug.';

create function private.check_slug_is_free() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  claimed text := new.document ->> 'slug';
  content public.content;
begin
  select * into content from public.content c where c.id = new.content_id;
  -- One statement reads both, so it misses no page that is published and renamed meanwhile.
  if exists (
    select from public.published_content p
    where p.tenant_id = content.tenant_id and p.type = content.type and p.slug = claimed
      and p.marketplace_id = content.marketplace_id and p.content_id <> content.id
    union all
    select from public.content c
    where c.tenant_id = content.tenant_id and c.type = content.type and c.slug = claimed
      and c.marketplace_id = content.marketplace_id and c.id <> content.id
  ) then
    perform private.refuse(
      'CONFLICT', 'Another page has this slug. Choose another slug, or rename and publish that page first.', 'slug', to_jsonb(claimed)
    );
  end if;
  return null;
end
$$;
comment on function private.check_slug_is_free() is
  'Row trigger: refuses a draft whose slug is that of another page, as published or in its draft, with CONFLICT on slug.';

create function private.withdraw(content public.content) returns public.content
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.published_content p where p.content_id = content.id;
  update public.content_localizations l
  set status = case l.status when 'published' then 'approved' else l.status end,
      withdrawn_version_number = l.published_version_number, published_version_number = null
  where l.content_id = content.id and l.published_version_number is not null;
  update public.content c
  set published_version_number = null, published_at = null, unpublish_at = null
  where c.id = content.id
  returning * into content;
  content := private.unscheduled(content);
  perform private.record_content_assets(content);
  return content;
end
$$;
comment on function private.withdraw is
  'Ends the publication of a piece of content in all languages, and its schedule. Its published translations return when it is published again.';

-- triggers -------------------------------------------------------------------------------------

create trigger content_forget_shown_assets
  after delete on public.content
  for each row execute function private.delete_content_media_uses();

-- A new branch may begin at a version whose slug is taken by now. It claims the slug only when it changes it.
create trigger content_branches_check_slug_of_new_content
  after insert on private.content_branches
  for each row when (new.name = 'main')
  execute function private.check_slug_is_free();

create trigger content_branches_check_slug
  after update of document on private.content_branches
  for each row when (old.document ->> 'slug' <> new.document ->> 'slug')
  execute function private.check_slug_is_free();
