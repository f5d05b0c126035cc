-- Reading content. Callers who may see drafts get the draft. All others get the published version in their language.

-- functions: records -----------------------------------------------------------------------------

create function private.content_languages(content public.content) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'language', l.language, 'status', l.status, 'published_version_number', l.published_version_number,
        'outdated', l.original_version_number < content.original_version_number
      )
      order by l.language
    ),
    '[]'
  )
  from public.content_localizations l
  where l.content_id = content.id
$$;
comment on function private.content_languages is 'The translations of a piece of content: status, published version, and whether the original has changed since.';

create function private.draft_texts(document jsonb, original text, language text, fallback boolean, out document_in jsonb, out served_language text)
language plpgsql immutable set search_path = ''
as $$
declare
  spoken text[] := case when fallback then private.languages_after(language) else array[language] end;
  step text;
  translation jsonb;
begin
  served_language := original;
  document_in := private.original_in(document, original);
  if language = original then
    return;
  end if;
  if not fallback then
    translation := private.translation_in(document, language);
    served_language := case when translation <> '{}' then language end;
    document_in := private.translation_alone(document_in, translation);
    return;
  end if;
  -- The nearest language comes last and replaces the texts of its fallbacks.
  for i in reverse cardinality(spoken) .. 1 loop
    step := spoken[i];
    translation := private.translation_in(document, step);
    if step <> original and translation <> '{}' then
      document_in := private.with_translation(document_in, translation);
      served_language := step;
    end if;
  end loop;
end
$$;
comment on function private.draft_texts is
  'A draft in a language, field by field. served_language: the nearest language that supplied a field; null if there is no translation and fallback is off.';

create function private.shown_assets(asset_ids uuid[], tenant_id uuid, language text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if asset_ids = '{}' then
    return jsonb '{}';
  end if;
  return (
    select coalesce(
      jsonb_object_agg(
        a.id,
        jsonb_build_object(
          'url', private.media_url(a), 'type', a.type, 'width', a.width, 'height', a.height,
          'srcset', private.srcset_of(private.media_variants(a)), 'focal_point', a.focal_point,
          'alt', coalesce(
            (
              select a.alt_texts ->> s.language
              from unnest(private.languages_after(shown_assets.language)) with ordinality as s (language, position)
              where a.alt_texts ? s.language
              order by s.position
              limit 1
            ),
            a.alt_text
          )
        )
      ),
      '{}'
    )
    from public.media_assets a
    where a.tenant_id = shown_assets.tenant_id and a.id = any (asset_ids) and a.status = 'ready' and not a.private
  );
end
$$;
comment on function private.shown_assets is 'The addresses, sizes and alternative texts of assets, by id.';

create function private.link_target(type text, id text, marketplace_id uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  publication public.published_content := private.seen_publication(type, id, marketplace_id);
  -- What is written about a product or a category is shown at its address.
  subject uuid := coalesce(
    publication.product_id, publication.category_id, case when private.is_uuid(id) then id::uuid end
  );
begin
  if type = 'products' then
    return (
      select '/products/' || p.slug from public.products p
      where p.tenant_id = private.tenant_id() and p.id = subject and p.status in ('active', 'out_of_stock')
        and p.marketplace_id = any (private.active_marketplace_ids())
    );
  elsif type = 'categories' then
    return (
      select '/categories/' || k.id from public.categories k
      where k.tenant_id = private.tenant_id() and k.id = subject
    );
  elsif publication.content_id is not null then
    return format('/%s/%s', publication.type, publication.slug);
  end if;
  return null;
end
$$;
comment on function private.link_target is
  'The relative address of content, a product or a category; null if the caller may not see it. Content about a product or a category has the address of its subject.';

create function private.link_targets(links jsonb, marketplace_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if links = '[]' then
    return jsonb '{}';
  end if;
  return (
    select coalesce(
      jsonb_object_agg(
        format('%s/%s', l.value ->> 'type', l.value ->> 'id'),
        private.link_target(l.value ->> 'type', l.value ->> 'id', link_targets.marketplace_id)
      ),
      '{}'
    )
    from jsonb_array_elements(links) as l
  );
end
$$;
comment on function private.link_targets is 'The addresses of the links of a document, by `<type>/<id>`.';

create function private.without_hidden_blocks(document jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not document @? '$.blocks[*].permissions.roles' or private.content_roles() <> '{}' then
    return document;
  end if;
  return jsonb_set(document, '{blocks}', (
    select coalesce(jsonb_agg(b.value order by b.position), '[]')
    from jsonb_array_elements(document -> 'blocks') with ordinality as b (value, position)
    where coalesce(b.value #> '{permissions,roles}', 'null') = 'null'
      or not private.is_visit() and b.value #> '{permissions,roles}' ? private.tenant_role()::text
  ));
end
$$;
comment on function private.without_hidden_blocks is 'A document without the blocks that the caller''s role may not see.';

create function private.draft_record(
  content public.content, branch text default 'main', version integer default null, language text default null,
  fallback boolean default true
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  head private.content_branches;
  document jsonb;
  served text;
begin
  select * into head
  from private.content_branches b
  where b.tenant_id = content.tenant_id and b.content_id = content.id and b.name = branch;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such branch.', 'branch', to_jsonb(branch));
  end if;
  document := case when version is null then head.document else private.version_document(content.id, version) end;
  if document is null then
    perform private.refuse('NOT_FOUND', 'There is no such version, or it was pruned.', 'version', to_jsonb(version));
  end if;
  if language is not null then
    select t.document_in, t.served_language into document, served
    from private.draft_texts(document, content.language, language, fallback) as t;
    if served is null then
      perform private.refuse(
        'NOT_FOUND', 'There is no translation into this language.', 'language', to_jsonb(language)
      );
    end if;
  end if;
  return document || jsonb_build_object(
    'id', content.id, 'tenant_id', content.tenant_id, 'type', content.type, 'marketplace_id', content.marketplace_id,
    'subject_id', coalesce(content.product_id, content.category_id), 'status', content.status,
    'version_number', coalesce(version, head.version_number),
    'published_version_number', content.published_version_number,
    'has_unpublished_changes', content.original_version_number > coalesce(content.published_version_number, 0),
    'scheduled_at', content.scheduled_at, 'scheduled_version_number', content.scheduled_version_number,
    'unpublish_at', content.unpublish_at, 'language', coalesce(language, content.language), 'served_language', served,
    'languages', private.content_languages(content), 'author_id', content.author_id,
    'published_at', content.published_at, 'created_at', content.created_at, 'updated_at', content.updated_at,
    'is_draft', true, 'moved_to', null, 'assets', private.shown_assets(
      private.asset_ids_in(document), content.tenant_id, coalesce(language, content.language)
    )
  );
end
$$;
comment on function private.draft_record is
  'The record of a piece of content for editors: the draft, a branch or a version. Without a language it has the title in all languages, and localizations.';

create function private.published_record(
  publication public.published_content, id text, languages text[], fallback boolean
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  requested text := coalesce(languages[1], publication.language);
  texts private.published_texts;
  document jsonb;
  visible jsonb;
begin
  select t.* into texts
  from unnest(languages) with ordinality as l (language, preference)
  cross join lateral unnest(
    case when fallback then private.languages_after(l.language) else array[l.language] end
  ) with ordinality as s (language, distance)
  join private.published_texts t
    on t.tenant_id = publication.tenant_id and t.content_id = publication.content_id and lower(t.language) = lower(s.language)
  order by l.preference, s.distance
  limit 1;
  if not found then
    if not fallback and languages is not null then
      perform private.refuse('NOT_FOUND', 'This is not published in this language.', 'language', to_jsonb(requested));
    end if;
    select t.* into texts
    from private.published_texts t
    where t.tenant_id = publication.tenant_id and t.content_id = publication.content_id and t.language = publication.language;
  end if;
  document := case
    -- Concatenation reads the stored value once.
    when fallback or texts.language = publication.language then texts.document || '{}'
    else private.translation_alone(texts.document, texts.translated)
  end;
  visible := private.without_hidden_blocks(document);
  if visible <> document then
    -- The assets and links of hidden blocks are hidden too.
    texts.asset_ids := private.asset_ids_in(visible);
    texts.links := private.links_in(visible);
  end if;
  return visible || jsonb_build_object(
    'id', publication.content_id, 'tenant_id', publication.tenant_id, 'type', publication.type,
    'marketplace_id', publication.marketplace_id, 'slug', publication.slug,
    'subject_id', coalesce(publication.product_id, publication.category_id), 'status', 'published',
    'version_number', publication.version_number, 'published_version_number', publication.version_number,
    'has_unpublished_changes', false, 'scheduled_at', null, 'scheduled_version_number', null, 'unpublish_at', null,
    'language', requested, 'served_language', texts.language,
    'languages', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'language', t.language, 'status', 'published', 'published_version_number', t.version_number, 'outdated', false
        )
        order by t.language
      ), '[]')
      from private.published_texts t
      where t.tenant_id = publication.tenant_id and t.content_id = publication.content_id
        and t.language <> publication.language
    ),
    'author_id', publication.author_id, 'published_at', publication.published_at, 'created_at', publication.created_at,
    'updated_at', publication.published_at, 'is_draft', false,
    'moved_to', case when not private.is_uuid(id) and publication.slug <> id then publication.slug end,
    'assets', private.shown_assets(texts.asset_ids, publication.tenant_id, texts.language),
    'links', private.link_targets(texts.links, publication.marketplace_id)
  );
end
$$;
comment on function private.published_record is
  'The record of a piece of content for readers, in the first available of some languages, or in the original''s. moved_to: the current slug, if the request named a former one.';

create function private.resolved_grid(content jsonb, marketplace_id uuid, is_promoted boolean) returns jsonb
-- Runs as the caller, so ranking and rights are those of the caller's own lists.
language plpgsql set search_path = ''
as $$
declare
  query jsonb := content -> 'query';
  filters private.product_filters;
  ids uuid[];
  -- Prices of a grid for all marketplaces are in the currency of the oldest one.
  currency text := case
    when resolved_grid.marketplace_id is null and (query ?| array['price_min', 'price_max'] or query ->> 'sort' = 'price')
      then (private.currencies_in_use())[1]
  end;
begin
  if content ? 'product_ids' then
    ids := array(
      select p.id
      from jsonb_array_elements_text(content -> 'product_ids') with ordinality as w (id, position)
      join public.products p on p.id = w.id::uuid
      where p.status = 'active'
      order by w.position
    );
    return coalesce(private.product_page(ids, null, null)::jsonb, '[]');
  end if;
  filters := private.product_filters(
    row(
      (query ->> 'price_min')::numeric, (query ->> 'price_max')::numeric, null, (query ->> 'supplier_id')::uuid, 'active',
      array_remove(array[query ->> 'brand'], null), null, null, null
    ),
    resolved_grid.marketplace_id, currency, null
  );
  return private.product_list(
    private.searched(query ->> 'search'),
    private.category_branches(private.tenant_id(), array_remove(array[(query ->> 'category')::uuid], null)), filters, null,
    -- Relevance and promotion have no ascending order.
    coalesce(query ->> 'sort', case query ->> 'order' when 'asc' then 'created_at' end),
    coalesce(query ->> 'order', 'desc'), least(coalesce((query ->> 'limit')::integer, 12), 1000), 0, null, is_promoted
  ) -> 'products';
exception
  -- The grid of a deleted category is empty.
  when sqlstate 'PT404' then
    return jsonb '[]';
end
$$;
comment on function private.resolved_grid is 'The products that a grid shows to the caller, ranked as in a product list. is_promoted: whether promoted products come first, marked by their field promotion.';

create function private.with_products(record jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  grids_at_most constant integer := 10;
  block record;
  marketplace uuid := (record ->> 'marketplace_id')::uuid;
begin
  for block in
    select b.value, b.position - 1 as index
    from jsonb_array_elements(record -> 'blocks') with ordinality as b (value, position)
    where b.value ->> 'type' = 'product_grid' and b.value -> 'content' <> 'null'
    order by b.position
    limit grids_at_most
  loop
    record := jsonb_set(
      record, array['blocks', block.index::text, 'products'], private.resolved_grid(block.value -> 'content', marketplace, true)
    );
  end loop;
  return record;
end
$$;
comment on function private.with_products is 'A record of content with the products of its first 10 grids.';

create function private.requested_languages(language text, preferred_languages text[]) returns text[]
language sql immutable
return case when language is null then nullif(preferred_languages[1:10], '{}') else array[language] end;
comment on function private.requested_languages is
  'The requested languages, most preferred first: `language`, or the first 10 of preferred_languages. Null if there are none.';

create function private.read_content(
  type text, id text, language text, preferred_languages text[], fallback boolean, marketplace_id uuid, version integer,
  branch text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  draft public.content := private.draft_of(type, id, marketplace_id);
  publication public.published_content;
begin
  if draft.id is not null then
    return private.draft_record(draft, coalesce(branch, 'main'), version, language, fallback);
  end if;
  if version is not null or branch is not null then
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  publication := private.seen_publication(type, id, marketplace_id);
  if publication.content_id is null then
    perform private.refuse('NOT_FOUND', 'There is no such content.');
  end if;
  return private.published_record(publication, id, private.requested_languages(language, preferred_languages), fallback);
end
$$;
comment on function private.read_content is 'As public.get_content, without products in grids.';

create function public.get_content(
  type text,
  id text,
  language text default null,
  fallback boolean default true,
  marketplace_id uuid default null,
  resolve boolean default false,
  version integer default null,
  branch text default null,
  preferred_languages text[] default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  answer jsonb;
begin
  perform private.members_only();
  if language is not null and not private.is_language(language) then
    perform private.refuse(
      'VALIDATION_ERROR', 'language must be a language tag, such as en or pt-BR.', 'language', to_jsonb(language)
    );
  end if;
  answer := private.read_content(type, id, language, preferred_languages, fallback, marketplace_id, version, branch);
  if not answer ? 'links' then
    answer := answer || jsonb_build_object(
      'links', private.link_targets(private.links_in(answer), (answer ->> 'marketplace_id')::uuid)
    );
  end if;
  return case when resolve then private.with_products(answer) else answer end;
end
$$;
comment on function public.get_content is
  'A piece of content by its id, its slug, or the id of the product or category that it describes. Callers who may see drafts get the draft, or the given version or branch. Others get the published version, in `language` or the first available of preferred_languages. resolve: with the products of its grids. Errors: NOT_FOUND, VALIDATION_ERROR.';

-- functions: lists -------------------------------------------------------------------------------

create function private.part_pattern(words text) returns text
language sql immutable set search_path = ''
as $$
  select '%' || regexp_replace(lower(words), '([\\%_])', '\\\1', 'g') || '%'
$$;
comment on function private.part_pattern is 'The pattern of LIKE for texts that contain `words` literally.';

create function private.bound_content_page(bytes numeric) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if bytes > private.cap('list_bytes') then
    perform private.refuse_beyond(
      'list_bytes', 'The documents on this page are too large. Send a smaller limit.', 'limit'
    );
  end if;
end
$$;
comment on function private.bound_content_page is 'Refuses a page whose documents together exceed the cap list_bytes, with LIMIT_REACHED.';

create function private.list_drafts(
  type text, status public.content_status, marketplace_id uuid, search text, language text, "order" text, size integer,
  skipped bigint
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  condition text := 'c.tenant_id = $1 and c.type = $2'
    || case when private.content_roles() = '{}' then ' and c.supplier_id = $3' else '' end
    || case when status is null then '' else ' and c.status = $4' end
    || case when marketplace_id is null then '' else ' and c.marketplace_id = $5' end
    || case when search is null then '' else ' and (c.slug like $6 or lower(c.title::text) like $6)' end;
  -- Search results and the content of a supplier are few, so they are counted row by row.
  is_counted boolean := search is null and private.content_roles() <> '{}';
  ids uuid[];
  total bigint;
begin
  execute format(
    $query$
      select
        array(select c.id from public.content c where %1$s order by c.updated_at %2$s, c.id offset $7 limit $8),
        %3$s
    $query$,
    condition, case "order" when 'asc' then 'asc' else 'desc' end,
    case when is_counted then 'private.number_of_drafts($2, $4, $5)'
      else format('(select count(*) from public.content c where %s)', condition)
    end
  )
  into ids, total
  using
    private.tenant_id(), type, private.supplier_id('content.write'), status, marketplace_id, private.part_pattern(search), skipped, size;
  perform private.bound_content_page((
    select sum(v.bytes)
    from public.content c
    join private.content_versions v on v.content_id = c.id and v.version_number = c.version_number
    where c.id = any (ids)
  ));
  return jsonb_build_object('total', total, 'content', (
    select coalesce(jsonb_agg(private.draft_record(c, language => list_drafts.language) order by shown.position), '[]')
    from unnest(ids) with ordinality as shown (id, position)
    join public.content c on c.id = shown.id
  ));
end
$$;
comment on function private.list_drafts is 'A page of the content of a type, for editors.';

create function private.list_published(
  type text, marketplace_id uuid, search text, languages text[], "order" text, size integer, skipped bigint
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  condition text := 'p.tenant_id = $1 and p.type = $2 and (p.visibility = ''public'''
    || case when private.is_guest() then '' else ' or p.visibility = ''members''' end
    || case when private.is_visit() then ') and p.marketplace_id = private.marketplace_id()'
      else ' or p.visibility = ''roles'' and $3 = any (p.visible_to))' end
    || case when marketplace_id is null then '' else ' and p.marketplace_id = $4' end
    || case when search is null then '' else ' and (p.slug like $5 or lower(p.title::text) like $5)' end;
  ids uuid[];
  total bigint;
begin
  execute format(
    $query$
      select
        array(
          select p.content_id from public.published_content p where %1$s
          order by p.published_at %2$s, p.content_id offset $6 limit $7
        ),
        %3$s
    $query$,
    condition, case "order" when 'asc' then 'asc' else 'desc' end,
    case when search is null then 'private.number_of_published($2, $4)'
      else format('(select count(*) from public.published_content p where %s)', condition)
    end
  )
  into ids, total
  using private.tenant_id(), type, private.tenant_role(), marketplace_id, private.part_pattern(search), skipped, size;
  perform private.bound_content_page((
    select sum(l.bytes)
    from (
      select max(t.bytes) as bytes
      from private.published_texts t
      where t.tenant_id = private.tenant_id() and t.content_id = any (ids)
      group by t.content_id
    ) as l
  ));
  return jsonb_build_object('total', total, 'content', (
    select coalesce(jsonb_agg(private.published_record(p, p.slug, list_published.languages, true) order by shown.position), '[]')
    from unnest(ids) with ordinality as shown (id, position)
    join public.published_content p on p.content_id = shown.id
  ));
end
$$;
comment on function private.list_published is 'A page of the published content of a type that the caller may read.';

create function public.list_content(
  type text,
  status public.content_status default null,
  marketplace_id uuid default null,
  search text default null,
  language text default null,
  preferred_languages text[] default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
begin
  perform private.members_only();
  perform private.content_type_of(type);
  search := private.searched(search);
  if private.content_roles() <> '{}' or type = 'products' and private.supplier_id('content.write') is not null then
    return private.list_drafts(type, status, marketplace_id, search, language, "order", size, skipped);
  elsif status is distinct from 'published' and status is not null then
    return jsonb_build_object('content', jsonb '[]', 'total', 0);
  end if;
  return private.list_published(
    type, marketplace_id, search, private.requested_languages(language, preferred_languages), "order", size, skipped
  );
end
$$;
comment on function public.list_content is
  'A page of the content of a type, newest first by default: drafts for callers who may see them, published content for others. search: a part of slug or title. Errors: NOT_FOUND, LIMIT_REACHED.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.read_content, private.requested_languages, private.links_in, private.link_targets, private.resolved_grid,
  private.with_products, private.list_drafts, private.list_published
to authenticated, service_role;
grant execute on function public.get_content, public.list_content to authenticated;
