-- The whole content of a template: its blocks, its references, the paths in which two versions differ, and the part that a
-- role may read.

-- functions: content -----------------------------------------------------------------------------

create function private.template_blocks(content jsonb) returns table (block jsonb, path text, is_partial boolean)
language sql immutable set search_path = ''
as $$
  with recursive found (block, path, is_partial) as (
    select b.value, format('sections[%s].blocks[%s]', s.position - 1, b.position - 1), false
    from jsonb_array_elements(content -> 'sections') with ordinality as s (value, position)
    cross join lateral jsonb_array_elements(s.value -> 'blocks') with ordinality as b (value, position)
    union all
    select b.value, format('inheritance.extensions[%s].blocks[%s]', s.position - 1, b.position - 1), false
    from jsonb_array_elements(nullif(content #> '{inheritance,extensions}', 'null')) with ordinality as s (value, position)
    cross join lateral jsonb_array_elements(s.value -> 'blocks') with ordinality as b (value, position)
    union all
    select
      case when o.value ->> 'action' = 'extend' then b.value || jsonb_build_object('id', o.value -> 'block_id') else b.value end,
      format('inheritance.overrides[%s].content', o.position - 1), o.value ->> 'action' = 'extend'
    from jsonb_array_elements(nullif(content #> '{inheritance,overrides}', 'null')) with ordinality as o (value, position)
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(o.value -> 'content') when 'array' then o.value -> 'content' else jsonb_build_array(o.value -> 'content') end
    ) as b
    union all
    select c.value, format('%s.content.%s[%s]', f.path, branch.name, c.position - 1), false
    from found f
    cross join (values ('then'), ('else')) as branch (name)
    cross join lateral jsonb_array_elements(
      case when coalesce(f.block ->> 'type', 'conditional') = 'conditional'
          and jsonb_typeof(f.block #> array['content', branch.name]) = 'array'
        then f.block #> array['content', branch.name]
        else '[]'
      end
    ) with ordinality as c (value, position)
  )
  select f.block, f.path, f.is_partial from found f
$$;
comment on function private.template_blocks is
  'All blocks of a template, also those inside others, with their paths. is_partial: the block extends an inherited one and has only some of its keys.';

create function private.references_in(content jsonb) returns table (kind text, target_id uuid, path text)
language sql immutable set search_path = ''
as $$
  select 'parent', (content #>> '{inheritance,parent_id}')::uuid, 'content.inheritance.parent_id'
  where content #>> '{inheritance,parent_id}' is not null
  union all
  select distinct on (r.kind, r.id) r.kind, r.id::uuid, format('content.%s.content.%s', r.path, r.key)
  from (
    select k.kind, k.key, b.path, b.block -> 'content' ->> k.key as id
    from private.template_blocks(content) as b
    join (values ('include', 'template_id'), ('component', 'component_id')) as k (kind, key)
      on b.block ->> 'type' = k.kind or b.is_partial and not b.block ? 'type'
    where jsonb_typeof(b.block -> 'content') = 'object'
  ) as r
  where private.is_uuid(r.id)
$$;
comment on function private.references_in is
  'The references of a template: its parent, the templates that it includes and its components, each with the first path that names it.';

create function private.uuids_in(words text) returns uuid[]
language sql immutable set search_path = ''
as $$
  select array(
    select distinct m[1]::uuid
    from regexp_matches(words, '\m([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\M', 'g') as m
    limit 1000
  )
$$;
comment on function private.uuids_in is 'The uuids in a text, at most 1,000.';

create function private.assets_named_in(tenant_id uuid, words text) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select a.id
    from public.media_assets a
    where a.tenant_id = assets_named_in.tenant_id and a.id = any (private.uuids_in(words))
    order by a.id
    limit 500
  )
$$;
comment on function private.assets_named_in is 'The assets of a tenant whose ids are in a text, as a value or as an argument of a filter.';

-- functions: checks ------------------------------------------------------------------------------

create function private.check_template_content(content jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  ids bigint;
  different bigint;
begin
  if octet_length(content::text) > private.cap('template_bytes') then
    perform private.refuse_beyond('template_bytes', 'This template is too large.', 'content');
  end if;
  perform private.insist_on_keys(
    content, 'content', array['layout', 'sidebar', 'sections', 'variables', 'bindings', 'inheritance', 'styles']
  );
  perform private.insist(
    coalesce(nullif(content -> 'layout', 'null'), '"default"')
      in ('"default"', '"full_width"', '"sidebar_left"', '"sidebar_right"'),
    'content.layout', 'one of default, full_width, sidebar_left, sidebar_right', content -> 'layout'
  );
  if coalesce(content -> 'sidebar', 'null') <> 'null' then
    perform private.check_list(content -> 'sidebar', 'content.sidebar', 64);
  end if;
  perform private.check_template_sections(content -> 'sections', 'content.sections');
  perform private.check_template_variables(content -> 'variables', 'content.variables');
  perform private.insist_on_list(content -> 'bindings', 'content.bindings', 10);
  perform private.check_binding(b.value, format('content.bindings[%s]', b.position - 1))
  from jsonb_array_elements(content -> 'bindings') with ordinality as b (value, position);
  perform private.insist(
    (select count(distinct b.value ->> 'variable') = count(*) from jsonb_array_elements(content -> 'bindings') as b),
    'content.bindings', 'a list with unique variables', null
  );
  perform private.check_inheritance(content -> 'inheritance', 'content.inheritance');
  perform private.insist(
    private.is_text_of(content -> 'styles', 100000), 'content.styles', 'a text of at most 100,000 bytes', null
  );
  select count(*), count(distinct b.block ->> 'id') into ids, different
  from private.template_blocks(content) as b
  where not b.is_partial;
  perform private.insist(ids = different, 'content.sections', 'blocks with unique ids', null);
end
$$;
comment on function private.check_template_content is 'Refuses invalid content of a template. The error names the field.';

-- functions: differences -------------------------------------------------------------------------

create function private.template_parts(content jsonb) returns table (path text, value jsonb, place bigint)
language sql immutable set search_path = ''
as $$
  select t.key, t.value, null::bigint
  from jsonb_each(content) as t
  where t.key not in ('sections', 'variables', 'bindings')
  union all
  select 'sections.' || (s.value ->> 'id'), s.value - 'blocks', s.position
  from jsonb_array_elements(content -> 'sections') with ordinality as s (value, position)
  union all
  select format('sections.%s.blocks.%s', s.value ->> 'id', b.value ->> 'id'), b.value, b.position
  from jsonb_array_elements(content -> 'sections') as s
  cross join lateral jsonb_array_elements(s.value -> 'blocks') with ordinality as b (value, position)
  union all
  select 'variables.' || (v.value ->> 'name'), v.value, v.position
  from jsonb_array_elements(content -> 'variables') with ordinality as v (value, position)
  union all
  select 'bindings.' || (b.value ->> 'variable'), b.value, b.position
  from jsonb_array_elements(content -> 'bindings') with ordinality as b (value, position)
$$;
comment on function private.template_parts is 'The parts of a template that `changes` names, each with its path, and with its position if it is in a list.';

create function private.changed_template_paths(before jsonb, after jsonb) returns text[]
language sql immutable set search_path = ''
as $$
  select array(
    select coalesce(b.path, a.path)
    from private.template_parts(before) as b
    full join private.template_parts(after) as a on a.path = b.path
    where b.value is distinct from a.value or b.place is distinct from a.place
    order by 1
    limit 1000
  )
$$;
comment on function private.changed_template_paths is 'The paths in which two contents differ, at most 1,000.';

-- functions: permissions -------------------------------------------------------------------------

create function private.visible_blocks(blocks jsonb, role text) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(private.visible_block(b.value, role) order by b.position), '[]')
    from jsonb_array_elements(blocks) with ordinality as b (value, position)
  );
end
$$;
comment on function private.visible_blocks is 'Blocks as a role may read them.';

create function private.visible_block(block jsonb, role text) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  branch text;
begin
  if jsonb_typeof(block #> '{permissions,roles}') = 'array' and (block #> '{permissions,roles}') ? role is not true then
    -- The block itself and its roles stay, because a template that inherits may override it.
    return (block - 'name') || jsonb_build_object('type', 'static_content', 'content', '', 'required', false);
  end if;
  foreach branch in array array['then', 'else'] loop
    if jsonb_typeof(block #> array['content', branch]) = 'array' and coalesce(block ->> 'type', 'conditional') = 'conditional' then
      block := jsonb_set(block, array['content', branch], private.visible_blocks(block #> array['content', branch], role));
    end if;
  end loop;
  return block;
end
$$;
comment on function private.visible_block is 'A block as a role may read it. It has no content if it is for other roles.';

create function private.visible_sections(sections jsonb, role text) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(
    s.value || jsonb_build_object('blocks', private.visible_blocks(s.value -> 'blocks', role)) order by s.position
  ), '[]')
  from jsonb_array_elements(sections) with ordinality as s (value, position)
$$;
comment on function private.visible_sections is 'Sections as a role may read them.';

create function private.visible_template(content jsonb, role text) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  if not content @? 'strict $.**.permissions.roles' then
    return content;
  end if;
  content := content || jsonb_build_object('sections', private.visible_sections(content -> 'sections', role));
  if jsonb_typeof(content -> 'inheritance') = 'object' then
    content := jsonb_set(content, '{inheritance}', (content -> 'inheritance') || jsonb_build_object(
      'extensions', private.visible_sections(content #> '{inheritance,extensions}', role),
      'overrides', (
        select coalesce(jsonb_agg(
          o.value || jsonb_build_object('content', case jsonb_typeof(o.value -> 'content')
            when 'array' then private.visible_blocks(o.value -> 'content', role)
            else private.visible_block(o.value -> 'content', role)
          end)
          order by o.position
        ), '[]')
        from jsonb_array_elements(content #> '{inheritance,overrides}') with ordinality as o (value, position)
      )
    ));
  end if;
  return content;
end
$$;
comment on function private.visible_template is 'The content of a template as a role may read it, without the content of blocks for other roles.';
