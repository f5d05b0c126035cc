-- The rules for the parts of a document: rich texts and blocks. The edge functions report each wrong node and mark, and
-- drop unknown attributes. The rules here apply to every caller, also to one who calls these functions through REST.

-- tables ---------------------------------------------------------------------------------------

create table private.rich_text_nodes (
  node text primary key,
  attributes text[] not null,
  holds text[] not null
);
comment on table private.rich_text_nodes is
  'The nodes of a rich text, which is a ProseMirror document: the attributes of each, and the nodes that it may contain.';

-- functions: values ------------------------------------------------------------------------------

create function private.is_safe_link(address text) returns boolean
language sql immutable
-- http and https without user information before the host, which misleads readers; mailto; or a relative address. A relative
-- address has no colon before the first of / ? #, and names no host.
return char_length(address) between 1 and 2048
  and address ~* '^(https?://[^\s\\/?#@]+([/?#]|$)|mailto:[^\s\\]+@|(?!//)[^\s\\:/?#]*($|[/?#]))[^\s\\]*$'
  and address !~ '[\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]';
comment on function private.is_safe_link is
  'Whether a link may have this address: http, https, mailto, or relative.';

create function private.is_optional_text(value jsonb, longest integer) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(value, 'null') = 'null' or private.is_text(value, 0, longest)
$$;
comment on function private.is_optional_text is 'Whether a JSON value is null, missing, or a text of at most `longest` characters.';

create function private.is_whole_number(value jsonb, lowest integer, highest integer) returns boolean
language sql immutable set search_path = ''
as $$
  select case
    when coalesce(value, 'null') = 'null' then true
    else jsonb_typeof(value) = 'number' and value #>> '{}' ~ '^\d{1,9}$' and (value #>> '{}')::integer between lowest and highest
  end
$$;
comment on function private.is_whole_number is 'Whether a JSON value is null, missing, or a whole number from lowest to highest.';

-- functions: rich text ---------------------------------------------------------------------------

create function private.attribute_is_right(name text, value jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  select value = 'null' or case name
    when 'level' then private.is_whole_number(value, 1, 6)
    when 'start' then private.is_whole_number(value, 0, 1000000)
    when 'colspan' then private.is_whole_number(value, 1, 100)
    when 'rowspan' then private.is_whole_number(value, 1, 100)
    when 'language' then private.is_text(value, 1, 50, '^[A-Za-z0-9_+#.-]+$')
    when 'asset_id' then jsonb_typeof(value) = 'string' and private.is_uuid(value #>> '{}')
    when 'src' then private.is_text(value, 1, 2048) and value #>> '{}' !~* '^mailto:' and private.is_safe_link(value #>> '{}')
    when 'href' then private.is_text(value, 1, 2048) and private.is_safe_link(value #>> '{}')
    when 'alt' then private.is_text(value, 0, 500)
    when 'title' then private.is_text(value, 0, 500)
    when 'target' then value in ('"_blank"', '"_self"')
    when 'rel' then private.is_text(value, 0, 100, '^((noopener|noreferrer|nofollow|sponsored|ugc) ?)*$')
    when 'ref' then jsonb_typeof(value) = 'object'
      and private.is_text(value -> 'type', 1, 50, '^[a-z][a-z0-9_]*$') and private.is_text(value -> 'id', 1, 200)
      and not exists (select from jsonb_object_keys(value) as k where k not in ('type', 'id'))
    else false
  end
$$;
comment on function private.attribute_is_right is
  'Whether the value of an attribute of a node or link is allowed. False for an unknown attribute.';

create function private.mark_is_right(mark jsonb) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  if jsonb_typeof(mark) <> 'object' or mark - array['type', 'attrs'] <> '{}' then
    return false;
  elsif mark ->> 'type' in ('bold', 'italic', 'strike', 'underline', 'code') then
    return coalesce(mark -> 'attrs', '{}') in ('{}', 'null');
  elsif mark -> 'type' is distinct from '"link"' or jsonb_typeof(mark -> 'attrs') is distinct from 'object' then
    return false;
  end if;
  return not exists (
    select from jsonb_each(mark -> 'attrs') as a
    where a.key not in ('href', 'target', 'rel', 'ref') or private.attribute_is_right(a.key, a.value) is not true
  );
end
$$;
comment on function private.mark_is_right is 'Whether a mark is known and has only its own attributes.';

create function private.rich_text_fault(node jsonb, inside text) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  kind private.rich_text_nodes;
  mark jsonb;
begin
  if jsonb_typeof(node) <> 'object' then
    return 'a node, such as {"type": "paragraph"}';
  end if;
  -- A long text has thousands of nodes. Queries run only for nodes that have the part in question.
  select n.* into kind
  from private.rich_text_nodes n
  where n.node = rich_text_fault.node ->> 'type'
    and case when inside is null then n.node = 'doc'
      else n.node = any ((select i.holds from private.rich_text_nodes i where i.node = inside)::text[])
    end;
  if not found then
    return format('a node that is allowed in %s', coalesce(inside, 'a rich text'));
  end if;
  if node - array['type', 'attrs', 'content', 'marks', 'text'] <> '{}' then
    return 'a node without keys other than type, attrs, content, marks and text';
  end if;
  if (kind.node = 'text') <> (node ? 'text') or node ? 'text' and not private.is_text(node -> 'text', 1, 100000)
    or node ? 'text' and node ? 'content'
  then
    return 'a text node with a text, or another node without one';
  end if;
  if coalesce(node -> 'attrs', 'null') not in ('null', '{}') then
    if jsonb_typeof(node -> 'attrs') <> 'object' or exists (
      select from jsonb_each(node -> 'attrs') as a
      where a.key <> all (kind.attributes) or private.attribute_is_right(a.key, a.value) is not true
    ) then
      return 'a node with known attributes and allowed values';
    end if;
  end if;
  if node ? 'marks' then
    if jsonb_typeof(node -> 'marks') <> 'array' then
      return 'a node whose marks are a list';
    end if;
    for i in 0 .. jsonb_array_length(node -> 'marks') - 1 loop
      mark := node -> 'marks' -> i;
      if not private.mark_is_right(mark) then
        return 'a node with known marks and safe links';
      end if;
    end loop;
  end if;
  return case when node ? 'content' and jsonb_typeof(node -> 'content') <> 'array' then 'a node whose content is a list' end;
end
$$;
comment on function private.rich_text_fault is 'The rule that a node breaks; null if it breaks none.';

create function private.check_rich_text(document jsonb, field text, before jsonb default null) returns void
language plpgsql stable set search_path = ''
as $$
declare
  fault record;
begin
  if document is null or document = 'null' then
    return;
  end if;
  perform private.insist(octet_length(document::text) <= 900000, field, 'a rich text of at most 900,000 bytes', null);
  with recursive node (path, depth, inside, value) as (
    select format('%s.content[%s]', field, c.position - 1), 2, document ->> 'type', c.value
    from jsonb_array_elements(
      case jsonb_typeof(document -> 'content') when 'array' then document -> 'content' else '[]' end
    ) with ordinality as c (value, position)
    -- Nodes that the text had before were checked then, whatever their position.
    where not exists (
      select from jsonb_array_elements(
        case jsonb_typeof(before -> 'content') when 'array' then before -> 'content' else '[]' end
      ) as k
      where k.value = c.value
    )
    union all
    select format('%s.content[%s]', n.path, c.position - 1), n.depth + 1, n.value ->> 'type', c.value
    from node n
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(n.value -> 'content') when 'array' then n.value -> 'content' else '[]' end
    ) with ordinality as c (value, position)
    where jsonb_typeof(n.value) = 'object' and n.depth <= 20
  )
  select n.path, f.rule into fault
  from (select field, 1, null, document union all select n.* from node n) as n (path, depth, inside, value)
  cross join lateral (
    -- A node and its list of nodes are two levels.
    select case when n.depth > 20 then 'at most 40 levels deep' else private.rich_text_fault(n.value, n.inside) end as rule
  ) as f
  where f.rule is not null
  limit 1;
  if found then
    perform private.insist(false, fault.path, fault.rule, null);
  end if;
end
$$;
comment on function private.check_rich_text is
  'Refuses a wrong rich text with VALIDATION_ERROR, and names the node. Null is allowed. before: the text as it was checked last.';

-- functions: blocks ------------------------------------------------------------------------------

create function private.check_shown_asset(value jsonb, field text, is_needed boolean, known text[]) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist_on_keys(value, field, known);
  perform private.insist(
    case when value -> 'asset_id' = 'null' or not value ? 'asset_id' then not is_needed
      else private.is_uuid(value ->> 'asset_id')
    end,
    field || '.asset_id', 'the id of an asset', value -> 'asset_id'
  );
  perform private.insist(
    private.is_optional_text(value -> 'alt', 500), field || '.alt', 'a text of at most 500 characters', value -> 'alt'
  );
  perform private.insist(
    private.is_optional_text(value -> 'title', 500), field || '.title', 'a text of at most 500 characters', value -> 'title'
  );
end
$$;
comment on function private.check_shown_asset is 'Refuses the content of a block or field that shows an asset, if it is wrong. is_needed: whether asset_id is required.';

create function private.check_product_grid(grid jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  query jsonb := grid -> 'query';
  keys constant text[] := array['search', 'category', 'price_min', 'price_max', 'supplier_id', 'brand', 'sort', 'order', 'limit'];
begin
  perform private.insist_on_keys(grid, field, array['product_ids', 'query']);
  perform private.insist((grid ? 'product_ids') <> (grid ? 'query'), field, 'an object with either product_ids or query', grid);
  if grid ? 'product_ids' then
    perform private.check_list(grid -> 'product_ids', field || '.product_ids', 36);
    perform private.insist(
      not exists (select from jsonb_array_elements_text(grid -> 'product_ids') as i where not private.is_uuid(i.value)),
      field || '.product_ids', 'a list of ids', grid -> 'product_ids'
    );
    return;
  end if;
  perform private.insist_on_keys(query, field || '.query', keys);
  perform private.insist(
    private.is_optional_text(query -> 'search', 200) and private.is_optional_text(query -> 'brand', 200)
      and private.is_uuid(coalesce(query ->> 'category', gen_random_uuid()::text))
      and private.is_uuid(coalesce(query ->> 'supplier_id', gen_random_uuid()::text))
      and coalesce(query ->> 'sort', 'name') in ('created_at', 'updated_at', 'name', 'price')
      and coalesce(query ->> 'order', 'asc') in ('asc', 'desc')
      and coalesce(query -> 'price_min', '0') >= '0' and coalesce(query -> 'price_max', '0') >= '0'
      and jsonb_typeof(coalesce(query -> 'price_min', '0')) = 'number'
      and jsonb_typeof(coalesce(query -> 'price_max', '0')) = 'number' and private.has_short_numbers(query)
      and private.is_whole_number(query -> 'limit', 1, 100),
    field || '.query', format('a query of products: %s (at most 100)', array_to_string(keys, ', ')), query
  );
end
$$;
comment on function private.check_product_grid is 'Refuses the content of a product grid that has neither a list of ids nor a query of products.';

create function private.check_block_content(type text, content jsonb, field text, before jsonb default null) returns void
language plpgsql stable set search_path = ''
as $$
declare
  entry record;
  list text := case type when 'gallery' then 'images' when 'testimonials' then 'items' end;
begin
  case type
    when 'text' then
      perform private.insist_on_keys(content, field, array['text']);
      perform private.check_rich_text(content -> 'text', field || '.text', before -> 'text');
    when 'image', 'video' then
      perform private.check_shown_asset(content, field, true, array['asset_id', 'alt', 'title']);
    when 'product_grid' then
      perform private.check_product_grid(content, field);
    when 'banner' then
      perform private.check_shown_asset(content - 'text' - 'href', field, false, array['asset_id', 'title']);
      perform private.insist(
        private.is_optional_text(content -> 'text', 2000), field || '.text', 'a text of at most 2000 characters', content -> 'text'
      );
      perform private.insist(
        coalesce(content -> 'href', 'null') = 'null'
          or jsonb_typeof(content -> 'href') = 'string' and private.is_safe_link(content ->> 'href'),
        field || '.href', 'an address: http, https, mailto or within the site', content -> 'href'
      );
    else
      perform private.insist_on_keys(content, field, array[list]);
      perform private.insist(
        case when jsonb_typeof(content -> list) = 'array' then jsonb_array_length(content -> list) <= 100 end,
        field || '.' || list, 'a list of at most 100', content -> list
      );
      for entry in
        select e.value, format('%s.%s[%s]', field, list, e.position - 1) as field
        from jsonb_array_elements(content -> list) with ordinality as e (value, position)
      loop
        if type = 'gallery' then
          perform private.check_shown_asset(entry.value, entry.field, true, array['id', 'asset_id', 'alt']);
        else
          perform private.insist_on_keys(entry.value, entry.field, array['id', 'author', 'text']);
          perform private.insist(
            private.is_text(entry.value -> 'author', 1, 200) and private.is_text(entry.value -> 'text', 1, 2000),
            entry.field, 'an author and a text', entry.value
          );
        end if;
      end loop;
  end case;
end
$$;
comment on function private.check_block_content is 'Refuses content that does not fit the type of its block. before: the content as it was checked last.';

create function private.check_block(block jsonb, field text, before jsonb default null) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist_on_keys(block, field, array['id', 'type', 'content', 'settings', 'permissions']);
  perform private.insist(
    private.is_text(block -> 'id', 1, 64, '^[A-Za-z0-9_-]+$'), field || '.id', 'up to 64 letters, digits, _ and -', block -> 'id'
  );
  perform private.insist(
    block ->> 'type' in ('text', 'image', 'video', 'gallery', 'product_grid', 'banner', 'testimonials'), field || '.type',
    'one of text, image, video, gallery, product_grid, banner, testimonials', block -> 'type'
  );
  perform private.insist(jsonb_typeof(block -> 'content') = 'object', field || '.content', 'an object', block -> 'content');
  perform private.check_block_content(block ->> 'type', block -> 'content', field || '.content', before -> 'content');
  perform private.insist(
    jsonb_typeof(block -> 'settings') = 'object' and octet_length(block ->> 'settings') <= 20000
      and private.has_short_numbers(block -> 'settings'),
    field || '.settings', 'an object of at most 20,000 bytes', block -> 'settings'
  );
  perform private.insist_on_keys(block -> 'permissions', field || '.permissions', array['roles']);
  perform private.check_readers(block #> '{permissions,roles}', field || '.permissions.roles');
end
$$;
comment on function private.check_block is 'Refuses a wrong block. A block has id, type, content, settings and permissions; only permissions.roles see it.';

create function private.check_readers(roles jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  known constant text[] := enum_range(null::public.member_role)::text[];
begin
  perform private.insist(
    coalesce(roles, 'null') = 'null' or jsonb_typeof(roles) = 'array' and jsonb_array_length(roles) > 0 and not exists (
      select from jsonb_array_elements(roles) as r
      where r.value <> all (array(select to_jsonb(k.role) from unnest(known) as k (role)))
    ),
    field, 'a list of ' || array_to_string(known, ', '), roles
  );
end
$$;
comment on function private.check_readers is 'Refuses a list that holds anything but roles of a tenant. Null and a missing list mean all roles.';

-- policies -------------------------------------------------------------------------------------

alter table private.rich_text_nodes enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.is_safe_link, private.is_optional_text, private.is_whole_number,
  private.attribute_is_right, private.mark_is_right, private.rich_text_fault
to authenticated, service_role;
