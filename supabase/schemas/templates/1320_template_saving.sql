-- Saving and activating templates. A save names the version that it is based on. Each save that changes something makes a
-- version. Readers see it once it is activated. The parent, includes and components of a template must exist, and a template
-- cannot refer to itself, directly or through others.

-- functions: references -----------------------------------------------------------------------

create function private.check_template_targets(template public.templates, content jsonb) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  missing record;
begin
  select r.path, r.target_id, r.kind into missing
  from private.references_in(content) as r
  where case r.kind
    when 'component' then not exists (
      select from public.template_components c where c.tenant_id = template.tenant_id and c.id = r.target_id
    )
    -- A template of one marketplace cannot be part of another marketplace's template, nor of one for all marketplaces.
    else not exists (
      select from public.templates t
      where t.tenant_id = template.tenant_id and t.id = r.target_id
        and (t.marketplace_id is null or t.marketplace_id = template.marketplace_id)
    )
  end
  order by r.path
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR',
      format('%s names a %s that does not exist.', missing.path, case missing.kind when 'component' then missing.kind else 'template' end),
      missing.path, to_jsonb(missing.target_id)
    );
  end if;
end
$$;
comment on function private.check_template_targets is
  'Refuses with VALIDATION_ERROR content that names a missing parent, include or component.';

create view private.current_references as
select r.tenant_id, r.template_id, r.kind, r.target_id
from private.template_references r
join public.templates t
  on t.tenant_id = r.tenant_id and t.id = r.template_id and r.version_number in (t.version_number, t.active_version)
where r.kind <> 'component';
comment on view private.current_references is
  'The parents and includes of the latest and the active version of each template.';

create function private.check_template_graph(template public.templates) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  below record;
  above record;
  inherited constant text := 'content.inheritance.parent_id';
begin
  with recursive down (id, parents, includes) as (
    select template.id, 0, 0
    union
    select r.target_id, case r.kind when 'parent' then d.parents + 1 else 0 end, d.includes + (r.kind = 'include')::integer
    from down d
    join private.current_references r on r.tenant_id = template.tenant_id and r.template_id = d.id
    where d.parents <= 5 and d.includes <= 10
  )
  select
    bool_or(d.id = template.id and d.parents + d.includes > 0) as is_circle,
    max(d.parents) filter (where d.includes = 0) as parents,
    max(d.includes) as includes,
    count(distinct d.id) - 1 as templates
  into below
  from down d;
  if below.is_circle then
    perform private.refuse(
      'VALIDATION_ERROR', 'A template cannot inherit from or include itself, directly or through others.', inherited
    );
  end if;
  with recursive up (id, parents, includes, inherits) as (
    select template.id, 0, 0, true
    union
    select
      r.template_id, u.parents + (u.inherits and r.kind = 'parent')::integer, u.includes + (r.kind = 'include')::integer,
      u.inherits and r.kind = 'parent'
    from up u
    join private.current_references r on r.tenant_id = template.tenant_id and r.target_id = u.id
    where u.parents <= 5 and u.includes <= 10
  )
  select max(u.parents) as parents, max(u.includes) as includes into above from up u;
  if below.parents + above.parents > 5 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A template has at most 5 parents, including the parents of parents.', inherited
    );
  elsif below.includes + above.includes > 10 then
    perform private.refuse(
      'TEMPLATE_LIMIT', 'Templates can include each other at most 10 levels deep.',
      'content.sections', null, '{"limit": "depth", "maximum": 10}'
    );
  elsif below.templates > private.cap('includes_per_page') then
    perform private.refuse_beyond(
      'includes_per_page', 'This template includes too many templates.', 'content.sections'
    );
  end if;
end
$$;
comment on function private.check_template_graph is
  'Refuses a template that refers to itself, has more than 5 parents, or is part of includes more than 10 levels deep (TEMPLATE_LIMIT). The caller holds the lock of the tenant''s templates.';

create function private.inactive_targets(template public.templates, number integer) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(distinct jsonb_build_object('type', r.kind, 'id', r.target_id)), '[]')
  from private.template_references r
  left join public.templates t on t.tenant_id = r.tenant_id and t.id = r.target_id and t.active_version is not null
  left join public.template_components c on c.tenant_id = r.tenant_id and c.id = r.target_id
  where r.tenant_id = template.tenant_id and r.template_id = template.id and r.version_number = number
    and coalesce(t.id, c.id) is null
$$;
comment on function private.inactive_targets is
  'The references of a version that readers could not see: templates that are not active, and deleted records.';

-- functions: versions ----------------------------------------------------------------------------

create function private.store_template_version(template public.templates, number integer, content jsonb, changes text[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.template_versions (
    tenant_id, template_id, version_number, content, changes, asset_ids, reads_sources, has_grids, bytes, created_by
  )
  values (
    template.tenant_id, template.id, number, content, changes, private.assets_named_in(template.tenant_id, content::text),
    content @? '$.bindings[*].source ? (@.type == "api" || @.type == "database")',
    content @? 'strict $.** ? (@.widget == "product_grid")', octet_length(content::text), auth.uid()
  );
  insert into private.template_references (tenant_id, template_id, version_number, kind, target_id)
  select template.tenant_id, template.id, number, r.kind, r.target_id
  from private.references_in(content) as r;
  -- Versions beyond the number that is kept are deleted, the oldest first.
  delete from private.template_versions v
  where v.tenant_id = template.tenant_id and v.template_id = template.id
    and v.version_number <= number - private.cap('versions_per_template')
    and v.version_number is distinct from template.active_version;
end
$$;
comment on function private.store_template_version is 'Stores a version of a template, with its references.';

create function private.record_template_assets(template public.templates) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  shown uuid[] := array(
    select distinct a.id
    from private.template_versions v
    cross join lateral unnest(v.asset_ids) as a (id)
    where v.tenant_id = template.tenant_id and v.template_id = template.id
      and v.version_number in (template.version_number, template.active_version)
  );
begin
  delete from private.media_uses u
  where u.tenant_id = template.tenant_id and u.type = 'template' and u.id = template.id and u.asset_id <> all (shown);
  insert into private.media_uses (tenant_id, asset_id, type, id)
  select template.tenant_id, a.id, 'template', template.id
  from public.media_assets a
  where a.tenant_id = template.tenant_id and a.id = any (shown)
  order by a.id
  for key share of a
  on conflict on constraint media_uses_pkey do nothing;
end
$$;
comment on function private.record_template_assets is
  'Keeps the rows of private.media_uses for the latest and the active version of a template, so that its assets cannot be deleted.';

create function private.delete_template_media_uses() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.media_uses u where u.tenant_id = old.tenant_id and u.type = 'template' and u.id = old.id;
  return null;
end
$$;
comment on function private.delete_template_media_uses() is 'Row trigger: deletes the rows of private.media_uses of a deleted template.';

create function private.activate(template public.templates, number integer) returns public.templates
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.insist_on_content_role('publisher');
  if template.is_default and template.active_version is null then
    perform private.replace_default(template);
  end if;
  update public.templates t set active_version = number, updated_at = now() where t.id = template.id returning * into template;
  perform private.check_template_graph(template);
  perform private.record_template_assets(template);
  return template;
end
$$;
comment on function private.activate is 'Makes an existing version the active one.';

create function private.replace_default(template public.templates) returns void
language sql security definer set search_path = ''
as $$
  update public.templates t
  set is_default = false, updated_at = now()
  where t.tenant_id = template.tenant_id and t.marketplace_id is not distinct from template.marketplace_id
    and t.type = template.type and t.is_default and t.active_version is not null and t.id <> template.id
$$;
comment on function private.replace_default is 'Ends is_default of the active default template that this template replaces.';

-- functions: beginning and saving ----------------------------------------------------------------

create function private.create_template(template public.templates, content jsonb) returns public.templates
language plpgsql security definer set search_path = ''
as $$
declare
  made public.templates;
begin
  perform private.insist_on_content_role('editor');
  template.tenant_id := private.tenant_id();
  perform private.hold('templates', template.tenant_id::text);
  if private.cap('templates_per_tenant') <= (select count(*) from public.templates t where t.tenant_id = template.tenant_id) then
    perform private.refuse_beyond('templates_per_tenant', 'The tenant has the maximum number of templates.');
  end if;
  perform private.check_caching(template.caching);
  content := private.whole_template(content);
  perform private.check_template_content(content);
  perform private.check_template_targets(template, content);
  insert into public.templates (tenant_id, marketplace_id, name, type, is_default, caching)
  values (
    template.tenant_id, template.marketplace_id, template.name, template.type, coalesce(template.is_default, false),
    nullif(template.caching, 'null')
  )
  returning * into made;
  perform private.store_template_version(made, 1, content, '{}');
  -- A template with inactive references stays inactive, until somebody activates it.
  if array['publisher', 'admin'] && private.content_roles() and private.inactive_targets(made, 1) = '[]' then
    return private.activate(made, 1);
  end if;
  perform private.check_template_graph(made);
  perform private.record_template_assets(made);
  return made;
end
$$;
comment on function private.create_template is
  'Creates a template, and activates it if the caller may and all its references are active. Refuses with VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN, NOT_FOUND.';

create function private.save_template(template_id uuid, version_number integer, changes jsonb) returns public.templates
language plpgsql security definer set search_path = ''
as $$
declare
  was public.templates := private.edited_template(template_id, 'editor');
  before jsonb := (
    select v.content
    from private.template_versions v
    where v.tenant_id = was.tenant_id and v.template_id = was.id and v.version_number = was.version_number
  );
  after jsonb := before;
  changed public.templates := was;
  paths text[];
begin
  if was.version_number is distinct from save_template.version_number then
    perform private.refuse_stale(save_template.version_number, was.version_number);
  end if;
  changed := private.changed_template(was, changes);
  if changes ? 'content' then
    after := private.whole_template(changes -> 'content');
    perform private.check_template_content(after);
    perform private.check_template_targets(was, after);
  end if;
  paths := private.changed_template_paths(before, after)
    || case when changed.name <> was.name then array['name'] end
    || case when changed.is_default <> was.is_default then array['is_default'] end
    || case when changed.caching is distinct from was.caching then array['caching'] end;
  if paths = '{}' then
    return was;
  end if;
  if changed.is_default and not was.is_default and was.active_version is not null then
    perform private.replace_default(was);
  end if;
  perform private.store_template_version(was, was.version_number + 1, after, paths);
  update public.templates t
  set name = changed.name, is_default = changed.is_default, caching = changed.caching,
      version_number = was.version_number + 1, updated_at = now(),
      -- If the content is the same, readers see the same page: the latest version stays the active one.
      active_version = case when was.active_version = was.version_number and before = after then was.version_number + 1 else t.active_version end
  where t.id = was.id
  returning * into changed;
  perform private.check_template_graph(changed);
  perform private.record_template_assets(changed);
  return changed;
end
$$;
comment on function private.save_template is
  'Saves changes of a template as a new version on top of version_number. Refuses with CONFLICT, with the newest version, if there is a newer one; VALIDATION_ERROR, FORBIDDEN, NOT_FOUND.';

create function private.changed_template(was public.templates, changes jsonb) returns public.templates
language plpgsql stable security definer set search_path = ''
as $$
declare
  changed public.templates := was;
  fixed text;
begin
  perform private.known_only(changes, array['name', 'content', 'is_default', 'caching', 'marketplace_id', 'type']);
  fixed := (
    select min(f.name) from unnest(array['marketplace_id', 'type']) as f (name)
    where changes ? f.name and changes -> f.name is distinct from to_jsonb(was) -> f.name
  );
  if fixed is not null then
    perform private.refuse(
      'VALIDATION_ERROR', format('The %s of a template cannot change.', fixed), fixed, changes -> fixed
    );
  end if;
  if changes ? 'name' then
    perform private.insist(private.is_text(changes -> 'name', 1, 200), 'name', 'a text of 1 to 200 characters', changes -> 'name');
    changed.name := changes ->> 'name';
  end if;
  if changes ? 'caching' then
    perform private.check_caching(changes -> 'caching');
    changed.caching := nullif(changes -> 'caching', 'null');
  end if;
  if changes ? 'is_default' then
    perform private.insist(
      jsonb_typeof(changes -> 'is_default') = 'boolean', 'is_default', 'true or false', changes -> 'is_default'
    );
    changed.is_default := (changes ->> 'is_default')::boolean;
    -- This changes the page that readers see.
    if changed.is_default <> was.is_default and was.active_version is not null then
      perform private.insist_on_content_role('publisher');
    end if;
  end if;
  return changed;
end
$$;
comment on function private.changed_template is
  'A template with changes applied, except content. Refuses with VALIDATION_ERROR; FORBIDDEN if readers would see another page and the caller is not a publisher.';

create function private.activate_version(template_id uuid, number integer) returns public.templates
language plpgsql security definer set search_path = ''
as $$
declare
  template public.templates := private.edited_template(template_id, 'publisher');
  unseen jsonb;
begin
  if not exists (
    select
    from private.template_versions v
    where v.tenant_id = template.tenant_id and v.template_id = template.id and v.version_number = number
  ) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it is not kept any more.', 'version_number', to_jsonb(number)
    );
  end if;
  unseen := private.inactive_targets(template, number);
  if unseen <> '[]' then
    perform private.refuse('CONFLICT', format(
      'This version refers to a %s that is not active or was deleted: %s.',
      case unseen #>> '{0,type}' when 'component' then 'component' else 'template' end, unseen #>> '{0,id}'
    ));
  end if;
  return private.activate(template, number);
end
$$;
comment on function private.activate_version is
  'Makes a version the active one, also an older one. Refuses with CONFLICT if it refers to templates that are not active; FORBIDDEN, NOT_FOUND.';

create function private.delete_template(template_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  template public.templates := private.edited_template(template_id, 'editor');
  used_by jsonb := private.users_of(template.tenant_id, template.id);
begin
  if template.active_version is not null then
    perform private.insist_on_content_role('publisher');
  end if;
  if used_by <> '[]' then
    perform private.refuse(
      'CONFLICT', 'Other templates inherit from this template or include it. Change them first.',
      null, null, jsonb_build_object('used_by', used_by)
    );
  end if;
  delete from public.templates t where t.id = template.id;
end
$$;
comment on function private.delete_template is
  'Deletes a template. Refuses with CONFLICT and used_by while others inherit from it or include it; FORBIDDEN, NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger templates_forget_assets
  after delete on public.templates
  for each row execute function private.delete_template_media_uses();

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.create_template, private.save_template, private.activate_version, private.delete_template
to authenticated, service_role;
