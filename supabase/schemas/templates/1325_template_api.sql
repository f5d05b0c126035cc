-- The functions of templates that supabase-js and the edge functions call.

-- functions: writing -----------------------------------------------------------------------------

create function public.create_template(
  name text, type public.page_type, content jsonb, marketplace_id uuid default null, is_default boolean default false,
  caching jsonb default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  template public.templates;
begin
  template.name := create_template.name;
  template.type := create_template.type;
  template.marketplace_id := create_template.marketplace_id;
  template.is_default := create_template.is_default;
  template.caching := create_template.caching;
  -- A separate statement, so that the next one sees its rows.
  template := private.create_template(template, create_template.content);
  return private.template_record(template);
end
$$;
comment on function public.create_template is
  'For content editors: creates a template and returns it. It is active at once if the caller is a publisher and all its references are active. Refuses with VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN, NOT_FOUND.';

create function public.save_template(template_id uuid, version_number integer, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  template public.templates;
begin
  template := private.save_template(template_id, version_number, changes);
  return private.template_record(template);
end
$$;
comment on function public.save_template is
  'For content editors: saves changes (name, content, is_default, caching) as a new version on top of version_number, and returns the template. Readers see the content once the version is activated. Refuses with CONFLICT, with the newest version, if there is a newer one; VALIDATION_ERROR, FORBIDDEN, NOT_FOUND.';

create function public.activate_template_version(template_id uuid, version_number integer) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  template public.templates;
begin
  template := private.activate_version(template_id, version_number);
  return private.template_record(template, version_number);
end
$$;
comment on function public.activate_template_version is
  'For content publishers: makes a version the active one, also an older one, and returns the template with it. Refuses with CONFLICT if it refers to templates that are not active; FORBIDDEN, NOT_FOUND.';

create function public.delete_template(template_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.delete_template(template_id);
end
$$;
comment on function public.delete_template is
  'Deletes a template. Content editors may delete one that was never active, publishers any. Products and categories that named it get the default template. Refuses with CONFLICT and used_by while others inherit from it or include it; FORBIDDEN, NOT_FOUND.';

-- functions: reading -----------------------------------------------------------------------------

create function private.page_type_of(words text) returns public.page_type
language plpgsql stable set search_path = ''
as $$
begin
  return words::public.page_type;
exception
  when invalid_text_representation then
    perform private.refuse('NOT_FOUND', 'There is no such template.');
    return null;
end
$$;
comment on function private.page_type_of is 'A page type by its name. Refuses with NOT_FOUND other names.';

create function private.built_in_record(type public.page_type) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', null, 'tenant_id', null, 'marketplace_id', null, 'name', type, 'type', type, 'is_default', true, 'content', null,
    'caching', null, 'version', 0, 'version_number', 0, 'active_version', 0, 'created_at', null, 'updated_at', null
  )
$$;
comment on function private.built_in_record is 'The built-in template of a page type, which is used if no other is the default. Its content is in the edge functions.';

create function public.get_template(id_or_type text, marketplace_id uuid default null, version integer default null) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  template public.templates;
  type public.page_type;
begin
  perform private.members_only();
  if private.is_uuid(id_or_type) then
    template := private.seen_template(id_or_type::uuid);
    if version is not null and version is distinct from template.active_version then
      perform private.judged_template(template.id);
    end if;
    return private.template_record(template, version);
  end if;
  type := private.page_type_of(id_or_type);
  template := private.default_template(type, coalesce(get_template.marketplace_id, private.sole_marketplace_id()));
  if template.id is null then
    return private.built_in_record(type);
  end if;
  return private.template_record(template, template.active_version);
end
$$;
comment on function public.get_template is
  'A template by id or by page type. With an id: for members with a content role the latest or the named version, for others the active one. With a page type: the template that renders such pages; the content of a built-in one is null. Refuses with NOT_FOUND, FORBIDDEN.';

create function private.list_templates(
  type public.page_type, marketplace_id uuid, search text, "order" text, size integer, skipped bigint
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_writer boolean := private.content_roles() <> '{}';
  shown_marketplaces uuid[] := case private.scope('templates.read') when 'own' then private.active_marketplace_ids() end;
  condition text := 't.tenant_id = $1'
    || case
      when is_writer then ''
      when not private.reads_templates_of(null) then ' and false'
      else ' and t.active_version is not null and ($7 is null or t.marketplace_id is null or t.marketplace_id = any ($7))'
    end
    || case when type is null then '' else ' and t.type = $2' end
    || case when marketplace_id is null then '' else ' and t.marketplace_id = $3' end
    || case when search is null then '' else ' and lower(t.name) like $4' end;
  ids uuid[];
  total bigint;
begin
  execute format(
    $query$
      select
        array(select t.id from public.templates t where %1$s order by t.updated_at %2$s, t.id offset $5 limit $6),
        (select count(*) from public.templates t where %1$s)
    $query$,
    condition, case "order" when 'asc' then 'asc' else 'desc' end
  )
  into ids, total
  using private.tenant_id(), type, marketplace_id, private.part_pattern(search), skipped, size, shown_marketplaces;
  perform private.bound_content_page((
    select sum(v.bytes)
    from public.templates t
    join private.template_versions v
      on v.tenant_id = t.tenant_id and v.template_id = t.id
        and v.version_number = case when is_writer then t.version_number else t.active_version end
    where t.id = any (ids)
  ));
  return jsonb_build_object('total', total, 'templates', (
    select coalesce(jsonb_agg(private.template_record(t) order by shown.position), '[]')
    from unnest(ids) with ordinality as shown (id, position)
    join public.templates t on t.id = shown.id
  ));
end
$$;
comment on function private.list_templates is 'As public.list_templates.';

create function public.list_templates(
  type public.page_type default null, marketplace_id uuid default null, search text default null,
  "order" text default 'desc', page integer default 1, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  perform private.members_only();
  return private.list_templates(
    type, marketplace_id, private.searched(search), "order", size, (greatest(page, 1)::bigint - 1) * size
  );
end
$$;
comment on function public.list_templates is
  'A page of templates, by default the newest first: for members with a content role all in their latest version, for others the active ones of marketplaces that they see. Refuses with LIMIT_REACHED if they are too large together.';

-- functions: versions ----------------------------------------------------------------------------

create function private.template_versions_of(
  template public.templates, "order" text, size integer, skipped bigint
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  numbers integer[];
begin
  if template.tenant_id is distinct from private.tenant_id() or private.content_roles() = '{}' then
    perform private.refuse('FORBIDDEN', 'Only admins and members with a content role may do this.');
  end if;
  execute format(
    $query$
      select array(
        select v.version_number from private.template_versions v
        where v.tenant_id = $4 and v.template_id = $1 order by v.version_number %s offset $2 limit $3
      )
    $query$,
    case "order" when 'asc' then 'asc' else 'desc' end
  )
  into numbers
  using template.id, skipped, size, template.tenant_id;
  return jsonb_build_object(
    'versions', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'id', v.id, 'template_id', v.template_id, 'version', v.version_number, 'changes', v.changes,
          'created_by', v.created_by, 'created_at', v.created_at,
          'is_active', v.version_number is not distinct from template.active_version
        )
        order by shown.position
      ), '[]')
      from unnest(numbers) with ordinality as shown (number, position)
      join private.template_versions v
        on v.tenant_id = template.tenant_id and v.template_id = template.id and v.version_number = shown.number
    ),
    'total', (
      select count(*)
      from private.template_versions v
      where v.tenant_id = template.tenant_id and v.template_id = template.id
    )
  );
end
$$;
comment on function private.template_versions_of is 'As public.list_template_versions.';

create function public.list_template_versions(
  template_id uuid, "order" text default 'desc', page integer default 1, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  return private.template_versions_of(
    private.judged_template(template_id), "order", size, (greatest(page, 1)::bigint - 1) * size
  );
end
$$;
comment on function public.list_template_versions is
  'A page of the kept versions of a template, by default the newest first: their changes, author, time, and which one is active. Refuses with FORBIDDEN, NOT_FOUND.';

create function public.compare_template_versions(template_id uuid, from_version integer, to_version integer) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  template public.templates := private.judged_template(template_id);
  one jsonb := private.template_content(template.id, from_version);
  other jsonb := private.template_content(template.id, to_version);
begin
  if one is null or other is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it is not kept any more.', case when one is null then 'from' else 'to' end
    );
  end if;
  return jsonb_build_object('from', one, 'to', other);
end
$$;
comment on function public.compare_template_versions is
  'The contents of two versions of a template. Refuses with FORBIDDEN, NOT_FOUND.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.page_type_of, private.built_in_record, private.list_templates, private.template_versions_of
to authenticated, service_role;
grant execute on function
  public.create_template, public.save_template, public.activate_template_version, public.delete_template,
  public.get_template, public.list_templates, public.list_template_versions, public.compare_template_versions
to authenticated;
