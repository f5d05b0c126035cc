-- Content of the first tenant of bench/commerce/fill.sql: 10,000 static pages of 20 blocks, published in 5 languages, 1,000
-- pieces of content of the type `few` and 100,000 of the type `many`. Requires a superuser. Triggers are off, so this script writes
-- what they would write.
--
-- An id has the kind and the number: pages d5, few d6, many d7. `set fill.pages`, `fill.few` and `fill.many` change the numbers.

set session_replication_role = replica;

create or replace function pg_temp.id(kind text, n bigint) returns uuid language sql immutable
  as $$ select (kind || '000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid $$;

create or replace function pg_temp.many(name text, otherwise integer) returns integer language sql stable
  as $$ select coalesce(nullif(current_setting('fill.' || name, true), ''), otherwise::text)::integer $$;

drop table if exists pg_temp.shop;
create temp table shop as
select
  '00000000-0000-4000-8000-000000000001'::uuid as tenant_id, pg_temp.id('f4', 1) as marketplace_id,
  pg_temp.id('f2', 1) as author_id;

insert into public.content_types (tenant_id, key, name, built_in, fields)
select s.tenant_id, t.key, t.key, t.built_in, t.fields
from shop s
cross join (values
  ('products', true, '[]'::jsonb), ('categories', true, '[]'), ('static_pages', true, '[]'),
  ('few', false, '[{"name": "note", "type": "string"}]'), ('many', false, '[{"name": "note", "type": "string"}]')
) as t (key, built_in, fields)
on conflict do nothing;

-- texts ------------------------------------------------------------------------------------------

create or replace function pg_temp.doc(words text, target text) returns jsonb language sql immutable as $$
  select jsonb_build_object('type', 'doc', 'content', jsonb_build_array(
    jsonb_build_object('type', 'heading', 'attrs', jsonb_build_object('level', 2), 'content', jsonb_build_array(
      jsonb_build_object('type', 'text', 'text', words)
    )),
    jsonb_build_object('type', 'paragraph', 'content', jsonb_build_array(
      jsonb_build_object('type', 'text', 'text', 'Made by hand in a workshop that has been there for longer than '),
      jsonb_build_object('type', 'text', 'text', 'anybody', 'marks', jsonb_build_array(jsonb_build_object('type', 'bold'))),
      jsonb_build_object('type', 'text', 'text', ' remembers: ' || words, 'marks', case when target is null then '[]' else
        jsonb_build_array(jsonb_build_object('type', 'link', 'attrs', jsonb_build_object(
          'ref', jsonb_build_object('type', 'static_pages', 'id', target)
        )))
      end)
    ))
  ))
$$;

-- 12 texts, 4 images, 2 banners, testimonials, and a product grid.
create or replace function pg_temp.block(n integer, language text) returns jsonb language sql immutable as $$
  select jsonb_build_object('id', 'block-' || n, 'settings', '{}'::jsonb, 'permissions', '{}'::jsonb) || case
    when n % 5 = 0 then jsonb_build_object('type', 'image', 'content', jsonb_build_object(
      'asset_id', pg_temp.id('d2', 100 + n), 'alt', 'A lantern, ' || language
    ))
    when n in (2, 13) then jsonb_build_object('type', 'banner', 'content', jsonb_build_object(
      'title', 'Sale ' || language, 'text', 'Until the end of the month', 'href', '/sale'
    ))
    when n = 7 then jsonb_build_object('type', 'testimonials', 'content', jsonb_build_object('items', jsonb_build_array(
      jsonb_build_object('author', 'Amina', 'text', 'Splendid ' || language),
      jsonb_build_object('author', 'Karim', 'text', 'It came in a day ' || language)
    )))
    when n = 18 then jsonb_build_object('type', 'product_grid', 'content', '{"query": {"limit": 8}}'::jsonb)
    else jsonb_build_object('type', 'text', 'content', jsonb_build_object(
      'text', pg_temp.doc(format('Block %s in %s', n, language), case when n in (3, 11) then 'story-' || n end)
    ))
  end
$$;

drop table if exists pg_temp.tongues;
create temp table tongues as
select
  l.language, l.position, jsonb_agg(pg_temp.block(b.n, l.language) order by b.n) as blocks,
  jsonb_agg(jsonb_build_object('id', 'block-' || b.n, 'content', pg_temp.block(b.n, l.language) -> 'content') order by b.n)
    as translated
from unnest(array['en', 'ar', 'de', 'es', 'fr']) with ordinality as l (language, position)
cross join generate_series(1, 20) as b (n)
group by l.language, l.position;

drop table if exists pg_temp.pieces;
create temp table pieces as
select
  k.type, n, pg_temp.id(k.prefix, n) as content_id, k.slug || n as slug,
  (select jsonb_object_agg(t.language, format('%s %s %s', k.title, n, t.language)) from tongues t where t.position <= k.languages) as title,
  timestamptz '2026-01-01' + n * interval '1 minute' as created_at, k.languages
from (values
  ('static_pages', 'd5', 'story-', 'Story', 5, pg_temp.many('pages', 10000)),
  ('few', 'd6', 'few-', 'Note', 1, pg_temp.many('few', 1000)),
  ('many', 'd7', 'many-', 'Note', 1, pg_temp.many('many', 100000))
) as k (type, prefix, slug, title, languages, count)
cross join lateral generate_series(1, k.count) as n;
analyze pieces;

-- The texts of a page in each language.
create or replace function pg_temp.texts(piece pieces, language text, blocks jsonb) returns jsonb language sql immutable as $$
  select jsonb_build_object(
    'slug', piece.slug, 'title', piece.title -> language, 'content', pg_temp.doc(piece.title ->> language, null),
    'blocks', case piece.type when 'static_pages' then blocks else '[]' end,
    'fields', case piece.type when 'static_pages' then '{}' else jsonb_build_object('note', 'Number ' || piece.n) end,
    'layout', null, 'seo', jsonb_build_object('title', piece.title -> language, 'description', 'All that there is to say.'),
    'visibility', 'public', 'visible_to', '[]'::jsonb
  )
$$;

-- rows -------------------------------------------------------------------------------------------

insert into public.content (
  id, tenant_id, type, marketplace_id, language, slug, title, status, published_version_number, author_id, published_at,
  created_at, updated_at
)
select
  p.content_id, s.tenant_id, p.type, s.marketplace_id, 'en', p.slug, p.title, 'published', 1, s.author_id, p.created_at,
  p.created_at, p.created_at
from pieces p
cross join shop s
order by p.n;

insert into private.content_branches (tenant_id, content_id, name, version_number, document)
select
  s.tenant_id, p.content_id, 'main', 1,
  pg_temp.texts(p, 'en', en.blocks) || jsonb_build_object('title', p.title, 'localizations', case p.languages when 1 then '{}' else (
    select jsonb_object_agg(t.language, jsonb_build_object(
      'content', pg_temp.doc(p.title ->> t.language, null), 'blocks', t.translated
    ))
    from tongues t
    where t.language <> 'en'
  ) end)
from pieces p
cross join shop s
join tongues en on en.language = 'en'
order by p.n;

insert into private.content_versions (
  tenant_id, content_id, version_number, parents, branch, author_id, changes, asset_ids, body, bytes, created_at
)
select
  b.tenant_id, b.content_id, 1, '{}', 'main', s.author_id, '{}',
  case p.type when 'static_pages' then array[
    pg_temp.id('d2', 105), pg_temp.id('d2', 110), pg_temp.id('d2', 115), pg_temp.id('d2', 120)
  ] else '{}' end,
  convert_to(b.document::text, 'utf8'), octet_length(b.document::text), p.created_at
from private.content_branches b
join pieces p on p.content_id = b.content_id
cross join shop s
order by p.n;

insert into public.content_localizations (
  tenant_id, content_id, language, status, original_version_number, published_version_number, last_updated
)
select s.tenant_id, p.content_id, t.language, 'published', 1, 1, p.created_at
from pieces p
cross join shop s
join tongues t on t.position between 2 and p.languages;

insert into public.published_content (
  content_id, tenant_id, type, marketplace_id, slug, language, languages, title, visibility, version_number, author_id,
  created_at, published_at
)
select
  p.content_id, s.tenant_id, p.type, s.marketplace_id, p.slug, 'en',
  (select array_agg(t.language order by t.position) from tongues t where t.position <= p.languages), p.title, 'public', 1,
  s.author_id, p.created_at, p.created_at
from pieces p
cross join shop s
order by p.n;

insert into private.published_texts (tenant_id, content_id, language, version_number, document, translated, asset_ids, links)
select
  s.tenant_id, p.content_id, t.language, 1, pg_temp.texts(p, t.language, t.blocks),
  case t.language when 'en' then '{}' else jsonb_build_object(
    'title', p.title -> t.language, 'content', pg_temp.doc(p.title ->> t.language, null), 'blocks', t.translated
  ) end,
  case p.type when 'static_pages' then array[
    pg_temp.id('d2', 105), pg_temp.id('d2', 110), pg_temp.id('d2', 115), pg_temp.id('d2', 120)
  ] else '{}' end,
  case p.type when 'static_pages' then
    '[{"id": "story-3", "type": "static_pages"}, {"id": "story-11", "type": "static_pages"}]'::jsonb
  else '[]' end
from pieces p
cross join shop s
join tongues t on t.position <= p.languages
order by p.n, t.position;

insert into private.media_uses (tenant_id, asset_id, type, id)
select s.tenant_id, a.id, 'content', p.content_id
from pieces p
cross join shop s
cross join unnest(array[
  pg_temp.id('d2', 105), pg_temp.id('d2', 110), pg_temp.id('d2', 115), pg_temp.id('d2', 120)
]) as a (id)
where p.type = 'static_pages';

insert into private.content_counts (tenant_id, type, marketplace_id, status, pieces)
select c.tenant_id, c.type, c.marketplace_id, c.status, count(*)
from public.content c
join pieces p on p.content_id = c.id
group by 1, 2, 3, 4;

insert into private.content_counts (tenant_id, type, marketplace_id, visibility, visible_to, pieces)
select p.tenant_id, p.type, p.marketplace_id, p.visibility, p.visible_to, count(*)
from public.published_content p
join pieces k on k.content_id = p.content_id
group by 1, 2, 3, 4, 5;

set session_replication_role = origin;
