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
          case
            when t.value is null then b.value
            -- The block had another type when it was translated.
            when b.value ->> 'type' = 'text' and t.value #>> '{content,text,type}' is distinct from 'doc' then b.value
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
  whole jsonb := private.version_document(content.id, content.published_version_number);
  original jsonb := private.original_in(whole, content.language);
  titles jsonb := jsonb_build_object(content.language, original -> 'title');
  spoken text[] := array[content.language];
  translation record;
  served jsonb;
  step jsonb;
begin
  delete from private.published_texts t where t.content_id = content.id;
  perform private.write_published_text(content, content.language, content.published_version_number, original, '{}');
  -- Shorter tags first: pt-BR falls back to pt.
  for translation in
    select l.language, l.published_version_number,
      private.translation_in(private.version_document(content.id, l.published_version_number), l.language) as texts
    from public.content_localizations l
    where l.content_id = content.id and l.published_version_number is not null
    order by char_length(l.language), l.language
  loop
    served := original;
    for step in
      select t.translated
      from private.published_texts t
      where t.content_id = content.id and t.language = any (private.languages_after(translation.language))
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

create function private.forget_shown_content() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.media_uses u where u.tenant_id = old.tenant_id and u.type = 'content' and u.id = old.id;
  return null;
end
$$;
comment on function private.forget_shown_content() is 'Row trigger: deleted content uses no assets.';

create function private.note_content_assets(content public.content) returns void
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
comment on function private.note_content_assets is
  'Records the assets that the versions in use show. They cannot be deleted until then.';

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
  perform private.write_published_texts(content);
  perform private.note_content_assets(content);
  return content;
end
$$;
comment on function private.publish_version is
  'Publishes a version in place of the one that was published. Errors: CONFLICT if other content is published under its slug.';

create function private.withdraw(content public.content) returns public.content
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.published_content p where p.content_id = content.id;
  update public.content c
  set published_version_number = null, published_at = null, unpublish_at = null
  where c.id = content.id
  returning * into content;
  perform private.note_content_assets(content);
  return content;
end
$$;
comment on function private.withdraw is 'Ends the publication of a piece of content. Its published translations return when it is published again.';

-- triggers -------------------------------------------------------------------------------------

create trigger content_forget_shown_assets
  after delete on public.content
  for each row execute function private.forget_shown_content();
