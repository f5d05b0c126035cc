-- The content of a template: an ordered list of sections, each with blocks, which may hold other blocks. Missing ids of
-- sections and blocks are made here, so that all callers use the same ids.

-- functions: missing keys ------------------------------------------------------------------------

create function private.whole_blocks(blocks jsonb, depth integer default 1) returns jsonb
language plpgsql volatile set search_path = ''
as $$
begin
  if jsonb_typeof(blocks) is distinct from 'array' or depth > 9 then
    return blocks;
  end if;
  return (
    select coalesce(jsonb_agg(private.whole_block(b.value, depth) order by b.position), '[]')
    from jsonb_array_elements(blocks) with ordinality as b (value, position)
  );
end
$$;
comment on function private.whole_blocks is 'Blocks with all their keys.';

create function private.whole_block(block jsonb, depth integer default 1) returns jsonb
language plpgsql volatile set search_path = ''
as $$
declare
  content jsonb := block -> 'content';
begin
  if jsonb_typeof(block) is distinct from 'object' then
    return block;
  end if;
  block := jsonb_build_object(
    'id', 'b-' || substring(replace(gen_random_uuid()::text, '-', '') for 12), 'required', false, 'settings', jsonb '{}',
    'permissions', jsonb '{}'
  ) || block;
  if block ->> 'type' = 'conditional' and jsonb_typeof(content) = 'object' then
    block := block || jsonb_build_object('content', content
      || case when content ? 'then' then jsonb_build_object('then', private.whole_blocks(content -> 'then', depth + 1)) else '{}' end
      || case when content ? 'else' then jsonb_build_object('else', private.whole_blocks(content -> 'else', depth + 1)) else '{}' end
    );
  end if;
  return block;
end
$$;
comment on function private.whole_block is 'A block with all its keys. A missing id is made, also for the blocks inside.';

create function private.whole_sections(sections jsonb) returns jsonb
language plpgsql volatile set search_path = ''
as $$
begin
  if jsonb_typeof(sections) is distinct from 'array' then
    return sections;
  end if;
  return (
    select coalesce(jsonb_agg(
      case when jsonb_typeof(s.value) = 'object' then
        jsonb_build_object(
          'id', 's-' || substring(replace(gen_random_uuid()::text, '-', '') for 12), 'name', '', 'order', s.position - 1
        ) || s.value || jsonb_build_object('blocks', private.whole_blocks(coalesce(s.value -> 'blocks', '[]')))
        else s.value
      end
      order by s.position
    ), '[]')
    from jsonb_array_elements(sections) with ordinality as s (value, position)
  );
end
$$;
comment on function private.whole_sections is 'Sections with all their keys. A missing order is the position in the list.';

create function private.whole_override(override jsonb) returns jsonb
language plpgsql volatile set search_path = ''
as $$
declare
  content jsonb := override -> 'content';
begin
  return case
    when jsonb_typeof(override) is distinct from 'object' then override
    -- The new block keeps the id of the block that it replaces.
    when override ->> 'action' = 'replace' and jsonb_typeof(content) = 'object' then override || jsonb_build_object(
      'content', private.whole_block(
        case when override ? 'block_id' then jsonb_build_object('id', override -> 'block_id') else '{}' end || content
      )
    )
    when override ->> 'action' in ('prepend', 'append') and jsonb_typeof(content) = 'array'
      then override || jsonb_build_object('content', private.whole_blocks(content))
    when override ->> 'action' in ('prepend', 'append')
      then override || jsonb_build_object('content', private.whole_block(content))
    else override
  end;
end
$$;
comment on function private.whole_override is 'An override of an inherited block, with all keys.';

create function private.whole_template(content jsonb) returns jsonb
language plpgsql volatile set search_path = ''
as $$
declare
  inheritance jsonb := nullif(content -> 'inheritance', 'null');
begin
  if jsonb_typeof(content) is distinct from 'object' then
    perform private.insist(false, 'content', 'an object', null);
  end if;
  if jsonb_typeof(inheritance) = 'object' then
    inheritance := jsonb '{"overrides": [], "extensions": []}' || inheritance;
    inheritance := inheritance || jsonb_build_object(
      'extensions', private.whole_sections(inheritance -> 'extensions'),
      'overrides', case when jsonb_typeof(inheritance -> 'overrides') = 'array' then (
        select coalesce(jsonb_agg(private.whole_override(o.value) order by o.position), '[]')
        from jsonb_array_elements(inheritance -> 'overrides') with ordinality as o (value, position)
      ) else inheritance -> 'overrides' end
    );
  end if;
  -- Without a layout of its own a template has the layout of its parent.
  return case when inheritance is null then jsonb '{"layout": "default"}' else '{}' end
    || jsonb '{"sections": [], "variables": [], "bindings": []}'
    || content
    || jsonb_build_object('sections', private.whole_sections(coalesce(content -> 'sections', '[]')))
    || case when inheritance is not null then jsonb_build_object('inheritance', inheritance) else '{}' end;
end
$$;
comment on function private.whole_template is 'The content of a template with all its keys. Missing ids of sections and blocks are made.';

-- functions: checks ------------------------------------------------------------------------------

create function private.check_template_blocks(blocks jsonb, field text, depth integer) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist(depth <= 8, field, 'at most 8 blocks deep', null);
  perform private.insist_on_list(blocks, field, 50);
  perform private.check_template_block(b.value, format('%s[%s]', field, b.position - 1), depth)
  from jsonb_array_elements(blocks) with ordinality as b (value, position);
end
$$;
comment on function private.check_template_blocks is 'Refuses invalid blocks, and more than 50 in a list.';

create function private.check_template_block_content(type text, content jsonb, field text, depth integer) returns void
language plpgsql stable set search_path = ''
as $$
begin
  case type
    when 'static_content', 'dynamic_content' then
      perform private.insist(jsonb_typeof(content) = 'string', field, 'a text', null);
    when 'component' then
      perform private.insist_on_keys(content, field, array['component_id', 'props', 'variant']);
      perform private.insist(
        private.is_uuid(content ->> 'component_id'), field || '.component_id', 'the id of a component', content -> 'component_id'
      );
      perform private.insist(
        jsonb_typeof(coalesce(content -> 'props', '{}')) = 'object' and private.has_short_numbers(content), field || '.props',
        'an object', null
      );
      perform private.insist(
        private.is_optional_text(content -> 'variant', 100), field || '.variant', 'the name of a variant', content -> 'variant'
      );
    when 'include' then
      perform private.insist_on_keys(content, field, array['template_id']);
      perform private.insist(
        private.is_uuid(content ->> 'template_id'), field || '.template_id', 'the id of a template', content -> 'template_id'
      );
    when 'conditional' then
      perform private.insist_on_keys(content, field, array['expression', 'then', 'else']);
      perform private.check_expression(content -> 'expression', field || '.expression');
      perform private.check_template_blocks(content -> 'then', field || '.then', depth + 1);
      if content ? 'else' then
        perform private.check_template_blocks(content -> 'else', field || '.else', depth + 1);
      end if;
    when 'widget' then
      perform private.insist(
        content ->> 'widget' in ('text', 'image', 'video', 'gallery', 'product_grid', 'banner', 'testimonials'),
        field || '.widget', 'one of text, image, video, gallery, product_grid, banner, testimonials', content -> 'widget'
      );
      perform private.check_block_content(content ->> 'widget', content - 'widget', field);
  end case;
end
$$;
comment on function private.check_template_block_content is 'Refuses content that does not fit the type of the block.';

create function private.check_block_frame(block jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  settings jsonb := coalesce(block -> 'settings', '{}');
begin
  perform private.insist_on_keys(
    block, field, array['id', 'name', 'type', 'required', 'content', 'settings', 'permissions']
  );
  perform private.insist(
    private.is_optional_text(block -> 'name', 200), field || '.name', 'a text of at most 200 characters', block -> 'name'
  );
  perform private.insist(
    jsonb_typeof(coalesce(block -> 'required', 'false')) = 'boolean', field || '.required', 'true or false', block -> 'required'
  );
  perform private.insist_on_keys(settings, field || '.settings', array['element', 'class', 'label']);
  perform private.insist(
    coalesce(nullif(settings -> 'element', 'null'), '"div"')
      in ('"div"', '"section"', '"article"', '"aside"', '"header"', '"footer"', '"nav"', '"main"'),
    field || '.settings.element', 'one of div, section, article, aside, header, footer, nav, main', settings -> 'element'
  );
  perform private.insist(
    coalesce(settings -> 'class', 'null') = 'null' or private.is_text(settings -> 'class', 0, 200, '^[A-Za-z0-9_ -]*$'),
    field || '.settings.class', 'names of classes: letters, digits, _ and -', settings -> 'class'
  );
  perform private.insist(
    private.is_optional_text(settings -> 'label', 200), field || '.settings.label', 'a text of at most 200 characters',
    settings -> 'label'
  );
  perform private.insist_on_keys(coalesce(block -> 'permissions', '{}'), field || '.permissions', array['roles']);
  perform private.check_readers(block #> '{permissions,roles}', field || '.permissions.roles');
end
$$;
comment on function private.check_block_frame is 'Refuses invalid keys of a block beside its content: name, required, settings, permissions.';

create function private.check_template_block(block jsonb, field text, depth integer default 1) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.check_block_frame(block, field);
  perform private.insist(
    private.is_text(block -> 'id', 1, 64, '^[A-Za-z0-9_-]+$'), field || '.id', 'up to 64 letters, digits, _ and -', block -> 'id'
  );
  perform private.insist(
    block ->> 'type' in ('static_content', 'dynamic_content', 'component', 'widget', 'include', 'conditional'),
    field || '.type', 'one of static_content, dynamic_content, component, widget, include, conditional', block -> 'type'
  );
  perform private.check_template_block_content(block ->> 'type', block -> 'content', field || '.content', depth);
end
$$;
comment on function private.check_template_block is 'Refuses an invalid block of a template.';

create function private.check_template_sections(sections jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  section record;
begin
  perform private.insist_on_list(sections, field, 25);
  for section in
    select s.value, format('%s[%s]', field, s.position - 1) as field
    from jsonb_array_elements(sections) with ordinality as s (value, position)
  loop
    perform private.insist_on_keys(
      section.value, section.field, array['id', 'name', 'order', 'blocks', 'conditions', 'responsive']
    );
    perform private.insist(
      private.is_text(section.value -> 'id', 1, 64, '^[A-Za-z0-9_-]+$'), section.field || '.id',
      'up to 64 letters, digits, _ and -', section.value -> 'id'
    );
    perform private.insist(
      private.is_text(section.value -> 'name', 0, 200), section.field || '.name', 'a text of at most 200 characters',
      section.value -> 'name'
    );
    perform private.insist(
      jsonb_typeof(section.value -> 'order') = 'number' and private.has_short_numbers(section.value -> 'order'),
      section.field || '.order', 'a number', section.value -> 'order'
    );
    perform private.check_template_blocks(section.value -> 'blocks', section.field || '.blocks', 1);
    perform private.check_conditions(section.value -> 'conditions', section.field || '.conditions');
    perform private.check_responsive(section.value -> 'responsive', section.field || '.responsive');
  end loop;
  perform private.insist(
    (select count(distinct s.value ->> 'id') = count(*) from jsonb_array_elements(sections) as s), field,
    'a list with unique ids', null
  );
end
$$;
comment on function private.check_template_sections is 'Refuses invalid sections, and more than 25 in a template.';

create function private.check_override(override jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  content jsonb := override -> 'content';
begin
  perform private.insist_on_keys(override, field, array['block_id', 'action', 'content']);
  perform private.insist(
    private.is_text(override -> 'block_id', 1, 64, '^[A-Za-z0-9_-]+$'), field || '.block_id',
    'the id of a block of a parent', override -> 'block_id'
  );
  case override ->> 'action'
    when 'replace' then
      perform private.check_template_block(content, field || '.content');
    when 'extend' then
      perform private.check_block_frame(content, field || '.content');
      perform private.insist(not content ? 'id', field || '.content.id', 'left out, because the block keeps its id', content -> 'id');
      -- The missing keys are the parent's. They are checked together when the page is rendered.
      if jsonb_typeof(content #> '{content,then}') is not null then
        perform private.check_template_blocks(content #> '{content,then}', field || '.content.content.then', 2);
      end if;
      if jsonb_typeof(content #> '{content,else}') is not null then
        perform private.check_template_blocks(content #> '{content,else}', field || '.content.content.else', 2);
      end if;
    when 'prepend', 'append' then
      perform private.check_template_blocks(
        case jsonb_typeof(content) when 'array' then content else jsonb_build_array(content) end, field || '.content', 1
      );
    else
      perform private.insist(
        false, field || '.action', 'one of replace, extend, prepend, append', override -> 'action'
      );
  end case;
end
$$;
comment on function private.check_override is 'Refuses an invalid override of an inherited block: replace, extend, prepend, append.';

create function private.check_inheritance(inheritance jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if coalesce(inheritance, 'null') = 'null' then
    return;
  end if;
  perform private.insist_on_keys(inheritance, field, array['parent_id', 'overrides', 'extensions']);
  perform private.insist(
    private.is_uuid(inheritance ->> 'parent_id'), field || '.parent_id', 'the id of a template', inheritance -> 'parent_id'
  );
  perform private.insist_on_list(inheritance -> 'overrides', field || '.overrides', 200);
  perform private.check_override(o.value, format('%s.overrides[%s]', field, o.position - 1))
  from jsonb_array_elements(inheritance -> 'overrides') with ordinality as o (value, position);
  perform private.check_template_sections(inheritance -> 'extensions', field || '.extensions');
end
$$;
comment on function private.check_inheritance is 'Refuses an invalid inheritance. Null means that the template inherits nothing.';
