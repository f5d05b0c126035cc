-- The parts of a page: which version of which template renders it for the caller, the templates, components and
-- translations that it refers to, and the records that it shows.

-- types ----------------------------------------------------------------------------------------

create type private.page_request as (
  tenant_id uuid, template_id uuid, version_number integer, type public.page_type, marketplace_id uuid, product_id uuid,
  category_id uuid, language text, languages text[], role text, device text, sees_all boolean, has_session boolean,
  time_zone text
);
comment on type private.page_request is
  'A requested page: the version of the template (null: the built-in one), its subjects, the languages in order of preference, and the reader. sees_all: the reader may see blocks of all roles. has_session: the reader is a member, and has not only a preview''s token. time_zone: the tenant''s.';

-- functions: requested pages ---------------------------------------------------------------------

create function private.option_id(options jsonb, name text) returns uuid
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist(
    coalesce(options -> name, 'null') = 'null' or jsonb_typeof(options -> name) = 'string' and private.is_uuid(options ->> name),
    name, 'an id', options -> name
  );
  return (options ->> name)::uuid;
end
$$;
comment on function private.option_id is 'An id of the options of a page, or null. Refuses with VALIDATION_ERROR.';

create function private.begun_page(id_or_type text, options jsonb) returns private.page_request
language plpgsql stable security definer set search_path = ''
as $$
declare
  request private.page_request;
  preview private.template_previews;
begin
  perform private.known_only(options, array[
    'language', 'device', 'marketplace_id', 'product_id', 'category_id', 'version', 'preview', 'asset_ids'
  ]);
  request.tenant_id := private.tenant_id();
  if request.tenant_id is null and (private.is_visit() or options ->> 'preview' is null) then
    perform private.refuse_stranger();
  elsif options ->> 'preview' is not null then
    preview := private.template_preview(id_or_type, options ->> 'preview');
    request.has_session := coalesce(preview.tenant_id = request.tenant_id, false);
    request.tenant_id := preview.tenant_id;
    request.template_id := preview.template_id;
    request.version_number := preview.version_number;
  end if;
  request.has_session := coalesce(request.has_session, true);
  request.time_zone := private.time_zone_of(request.tenant_id);
  request.role := case
    when private.is_visit() then 'visitor' when request.has_session then private.tenant_role()::text else 'customer'
  end;
  request.sees_all := preview.template_id is not null or private.content_roles() <> '{}';
  request.device := options ->> 'device';
  perform private.insist(
    request.device is null or request.device in ('mobile', 'tablet', 'desktop'), 'device', 'one of mobile, tablet, desktop',
    options -> 'device'
  );
  perform private.insist(private.is_whole_number(options -> 'version', 1, 999999999), 'version', 'a whole number from 1', options -> 'version');
  request.language := options ->> 'language';
  perform private.insist(
    request.language is null or private.is_language(request.language), 'language', 'a language such as en or pt-BR',
    options -> 'language'
  );
  perform private.insist(
    jsonb_typeof(coalesce(options -> 'asset_ids', '[]')) = 'array' and octet_length(coalesce(options ->> 'asset_ids', '')) <= 4000,
    'asset_ids', 'a list of at most 100 ids', null
  );
  request.product_id := private.option_id(options, 'product_id');
  request.category_id := private.option_id(options, 'category_id');
  request.marketplace_id := private.option_id(options, 'marketplace_id');
  return request;
end
$$;
comment on function private.begun_page is 'A requested page with its options and reader, still without a template, except of a preview. Refuses with VALIDATION_ERROR, NOT_FOUND, FORBIDDEN.';

create function private.own_template(request private.page_request) returns public.templates
language sql stable security definer set search_path = ''
as $$
  select t
  from public.templates t
  where t.tenant_id = request.tenant_id and t.type = request.type and t.active_version is not null
    and (t.marketplace_id is null or t.marketplace_id = request.marketplace_id)
    and t.id = case request.type
      when 'product' then (
        select p.template_id from public.products p where p.tenant_id = request.tenant_id and p.id = request.product_id
      )
      when 'category' then (
        select k.template_id from public.categories k where k.tenant_id = request.tenant_id and k.id = request.category_id
      )
    end
$$;
comment on function private.own_template is 'The active template that the product or category of a page names; null if there is none.';

create function private.requested_page(id_or_type text, options jsonb) returns private.page_request
language plpgsql stable security definer set search_path = ''
as $$
declare
  request private.page_request := private.begun_page(id_or_type, options);
  template public.templates;
  version integer := (options ->> 'version')::integer;
begin
  request.marketplace_id := coalesce(request.marketplace_id, (
    select p.marketplace_id from public.products p where p.tenant_id = request.tenant_id and p.id = request.product_id
  ));
  if request.template_id is not null then
    select * into template from public.templates t where t.id = request.template_id;
  elsif private.is_uuid(id_or_type) then
    template := private.seen_template(id_or_type::uuid);
    if version is distinct from template.active_version and version is not null then
      perform private.judged_template(template.id);
    end if;
    request.version_number := coalesce(version, template.active_version, template.version_number);
  else
    request.type := private.page_type_of(id_or_type);
    request.marketplace_id := coalesce(request.marketplace_id, private.sole_marketplace_id());
    template := private.own_template(request);
    if template.id is null then
      template := private.default_template(request.type, request.marketplace_id);
    end if;
    request.version_number := template.active_version;
  end if;
  request.template_id := template.id;
  request.type := coalesce(template.type, request.type);
  request.marketplace_id := coalesce(request.marketplace_id, template.marketplace_id, case
    when request.tenant_id = private.tenant_id() then private.marketplace_id()
  end, (
    select (array_agg(m.id))[1] from public.marketplaces m where m.tenant_id = request.tenant_id having count(*) = 1
  ));
  request.languages := private.languages_after(request.language) || private.languages_after((
    select m.language from public.marketplaces m where m.tenant_id = request.tenant_id and m.id = request.marketplace_id
  ));
  request.language := coalesce(request.languages[1], 'en');
  request.languages := array(
    select l.language from unnest(request.languages) with ordinality as l (language, position)
    group by l.language order by min(l.position)
  );
  if request.template_id is not null and not exists (
    select
    from private.template_versions v
    where v.tenant_id = request.tenant_id and v.template_id = request.template_id
      and v.version_number = request.version_number
  ) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it is not kept any more.', 'version', options -> 'version'
    );
  end if;
  return request;
end
$$;
comment on function private.requested_page is
  'A requested page, by the id of a template or by a page type. Refuses with NOT_FOUND, FORBIDDEN, VALIDATION_ERROR.';

-- functions: records -----------------------------------------------------------------------------

create function private.page_product(request private.page_request) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  product jsonb;
begin
  if request.product_id is not null then
    product := (
      select to_jsonb(d) from public.product_details d
      where d.tenant_id = request.tenant_id and d.id = request.product_id
        and (request.has_session or d.status in ('active', 'out_of_stock'))
    );
    if product is null then
      perform private.refuse('NOT_FOUND', 'There is no such product.', 'product_id', to_jsonb(request.product_id));
    end if;
  end if;
  return product;
end
$$;
comment on function private.page_product is 'The product of a page as get_product returns it; null if it has none. Refuses with NOT_FOUND.';

create function private.page_category(request private.page_request) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  category jsonb;
begin
  if request.category_id is not null then
    category := (
      select private.category_tree(c)
      from public.categories c
      where c.tenant_id = request.tenant_id and c.id = request.category_id
    );
    if category is null then
      perform private.refuse('NOT_FOUND', 'There is no such category.', 'category_id', to_jsonb(request.category_id));
    end if;
  end if;
  return category;
end
$$;
comment on function private.page_category is 'The category of a page as get_category returns it; null if it has none. Refuses with NOT_FOUND.';

create function private.page_marketplace(request private.page_request, is_named boolean) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  marketplace jsonb;
begin
  if private.is_visit() then
    marketplace := private.visited_storefront(request.marketplace_id);
  else
    marketplace := (
      select private.storefront_of(m)
      from public.marketplaces m
      where m.tenant_id = request.tenant_id and m.id = request.marketplace_id
    );
  end if;
  if marketplace is null and is_named then
    perform private.refuse(
      'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(request.marketplace_id)
    );
  end if;
  return marketplace;
end
$$;
comment on function private.page_marketplace is
  'The public data of the marketplace of a page; null if the caller cannot see it. Refuses with NOT_FOUND if the request named it.';

-- functions: templates and components -----------------------------------------------------------

create function private.page_templates(request private.page_request)
returns table (unit_id uuid, template_id uuid, version_number integer, depth integer)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with recursive unit (unit_id, template_id, version_number, depth) as (
    select request.template_id, request.template_id, request.version_number, 0
    where request.template_id is not null
    union
    select
      case r.kind when 'parent' then u.unit_id else t.id end, t.id,
      coalesce(t.active_version, case when request.sees_all then t.version_number end),
      case r.kind when 'parent' then u.depth + 1 else 0 end
    from unit u
    join private.template_references r
      on r.tenant_id = request.tenant_id and r.template_id = u.template_id and r.version_number = u.version_number
        and r.kind <> 'component'
    join public.templates t on t.tenant_id = r.tenant_id and t.id = r.target_id
    where u.depth <= 5
  )
  select u.unit_id, u.template_id, u.version_number, u.depth from unit u where u.version_number is not null;
end
$$;
comment on function private.page_templates is
  'The templates of a page: its own and the included ones (unit_id), each with its parents; depth 1 is the nearest parent.';

create function private.page_components(request private.page_request) returns setof public.template_components
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  select c.*
  from public.template_components c
  where c.tenant_id = request.tenant_id and c.id in (
    select r.target_id
    from private.page_templates(request) as u
    join private.template_references r
      on r.tenant_id = request.tenant_id and r.template_id = u.template_id and r.version_number = u.version_number
    where r.kind = 'component'
  );
end
$$;
comment on function private.page_components is 'The components of a page.';

create function private.page_localizations(request private.page_request) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    with localizations as (
      -- The texts of the template precede those of its parents, and these those of included templates.
      select l.*, (u.unit_id <> request.template_id)::integer * 10 + u.depth as rank
      from private.page_templates(request) as u
      join public.template_localizations l on l.tenant_id = request.tenant_id and l.base_template_id = u.template_id
      where l.language = any (request.languages)
    )
    select coalesce(jsonb_agg(whole.localization order by array_position(request.languages, whole.language)), '[]')
    from (
      select s.language, jsonb_build_object(
        'language', s.language,
        'translations', (
          select coalesce(jsonb_agg(nearest.translation), '[]')
          from (
            select distinct on (t.value ->> 'key') t.value as translation
            from localizations one
            cross join lateral jsonb_array_elements(one.translations) as t
            where one.language = s.language
            order by t.value ->> 'key', one.rank, one.id
          ) as nearest
        ),
        'rtl_support', (array_agg(s.rtl_support order by s.rank, s.id))[1],
        'custom_styles', string_agg(s.custom_styles, e'\n' order by s.rank desc, s.id),
        'formatting', (array_agg(s.formatting order by s.formatting is null, s.rank, s.id))[1]
      ) as localization
      from localizations s
      group by s.language
    ) as whole
  );
end
$$;
comment on function private.page_localizations is
  'The translations of a page, in order of preference. Texts of the template precede those of its parents, and these those of included templates.';

create function private.page_sources(request private.page_request, more_assets uuid[]) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  components jsonb;
  units jsonb;
  assets uuid[];
  bytes bigint;
begin
  select
    coalesce(jsonb_object_agg(c.id, private.component_record(c)), '{}'),
    coalesce(array_agg(a.id) filter (where a.id is not null), '{}') || coalesce(more_assets, '{}')
  into components, assets
  from private.page_components(request) as c
  left join lateral unnest(c.asset_ids) as a (id) on true;
  with made as (
    select u.unit_id, u.depth, v.bytes, v.asset_ids, jsonb_build_object(
      'id', v.template_id, 'version', v.version_number, 'content', case
        when request.sees_all then v.content else private.visible_template(v.content, request.role)
      end
    ) as unit
    from private.page_templates(request) as u
    join private.template_versions v
      on v.tenant_id = request.tenant_id and v.template_id = u.template_id and v.version_number = u.version_number
  )
  select
    coalesce(sum(m.bytes), 0) + octet_length(components::text),
    jsonb_object_agg(m.unit_id, whole.unit) filter (where m.depth = 0),
    assets || array(select distinct a.id from made o cross join lateral unnest(o.asset_ids) as a (id))
  into bytes, units, assets
  from made m
  cross join lateral (
    select m.unit || jsonb_build_object('parents', coalesce(jsonb_agg(p.unit order by p.depth), '[]')) as unit
    from made p where p.unit_id = m.unit_id and p.depth > 0
  ) as whole;
  if bytes > private.cap('template_input_bytes') then
    perform private.refuse(
      'TEMPLATE_LIMIT', 'The templates and components of this page are too large together.',
      null, null, jsonb_build_object('limit', 'bytes', 'maximum', private.cap('template_input_bytes'))
    );
  end if;
  return jsonb_build_object(
    'content', units #> array[request.template_id::text, 'content'],
    'parents', coalesce(units #> array[request.template_id::text, 'parents'], '[]'),
    'includes', coalesce(units - request.template_id::text, '{}'), 'components', components,
    'assets', private.shown_assets(assets, request.tenant_id, request.language)
  );
end
$$;
comment on function private.page_sources is
  'The contents of the templates and components of a page, as the caller may read them, and the assets that they name. Refuses with TEMPLATE_LIMIT if they are too large together.';

create function private.grids_in(sources jsonb, template_id uuid) returns table (key text, grid jsonb)
language sql immutable set search_path = ''
as $$
  with contents (prefix, depth, content) as (
    select '', 0, sources -> 'content' where sources -> 'content' <> 'null'
    union all
    select '', p.position::integer, p.value -> 'content'
    from jsonb_array_elements(sources -> 'parents') with ordinality as p (value, position)
    union all
    select i.key || '/', 0, i.value -> 'content' from jsonb_each(sources -> 'includes') as i
    union all
    select i.key || '/', p.position::integer, p.value -> 'content'
    from jsonb_each(sources -> 'includes') as i
    cross join lateral jsonb_array_elements(i.value -> 'parents') with ordinality as p (value, position)
  )
  select g.key, g.grid
  from (
    select distinct on (t.prefix || (b.block ->> 'id')) t.prefix || (b.block ->> 'id') as key, t.prefix,
      (b.block -> 'content') - 'widget' as grid
    from contents t
    cross join lateral private.template_blocks(t.content) as b
    where b.block #>> '{content,widget}' = 'product_grid'
      or b.is_partial and jsonb_typeof(b.block -> 'content') = 'object' and b.block -> 'content' ?| array['query', 'product_ids']
    -- A template overrides the blocks of its parents.
    order by t.prefix || (b.block ->> 'id'), t.depth
  ) as g
  order by g.prefix, g.key
  limit 10
$$;
comment on function private.grids_in is
  'The product grids of a page, at most 10. key: the id of the block, or `<template>/<block>` in an included template.';
