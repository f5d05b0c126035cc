-- Made from supabase/schemas and supabase/reference by `npm run db -- migration`. Do not edit.

-- supabase/schemas/templates/1315_template_components.sql

-- Components are parts that many templates show. A component has a text, styles and props. A change shows at once in all
-- templates.

-- tables ---------------------------------------------------------------------------------------

create table public.template_components (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  name text not null,
  category public.component_category not null,
  content text not null,
  props jsonb not null default '[]',
  styles text not null default '',
  variants jsonb not null default '[]',
  responsive jsonb not null default '[]',
  asset_ids uuid[] not null default '{}',
  version_number integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint template_components_tenant_id_id_key unique (tenant_id, id),
  constraint template_components_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint template_components_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint template_components_styles_is_at_most_100000_bytes check (octet_length(styles) <= 100000)
);
comment on table public.template_components is
  'Parts that templates show. content: Liquid, which reads the props only. variants: name, props (defaults), styles, content. version_number: the number of saves. asset_ids: the assets that it names.';
alter table public.template_components replica identity using index template_components_tenant_id_id_key;

-- indexes --------------------------------------------------------------------------------------

create index template_components_list_idx on public.template_components (tenant_id, (private.sort_name(name) collate "C"), id);

-- functions --------------------------------------------------------------------------------------

create function public.sort_name(component public.template_components) returns private.sort_text
language sql immutable
return private.sort_name((component).name);
comment on function public.sort_name(public.template_components) is
  'The key for sorting components by name: .order(''sort_name'').';

create function private.check_variants_of_component(variants jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  variant record;
begin
  perform private.insist_on_list(variants, 'variants', 50);
  for variant in
    select v.value, format('variants[%s]', v.position - 1) as field
    from jsonb_array_elements(variants) with ordinality as v (value, position)
  loop
    perform private.insist_on_keys(variant.value, variant.field, array['name', 'props', 'styles', 'content']);
    perform private.insist(
      private.is_text(variant.value -> 'name', 1, 100, '^[A-Za-z0-9_-]+$'), variant.field || '.name',
      'up to 100 letters, digits, _ and -', variant.value -> 'name'
    );
    perform private.insist(
      coalesce(variant.value -> 'props', 'null') = 'null'
        or jsonb_typeof(variant.value -> 'props') = 'object' and private.has_short_numbers(variant.value -> 'props'),
      variant.field || '.props', 'an object', null
    );
    perform private.insist(
      private.is_text_of(variant.value -> 'styles', 100000), variant.field || '.styles', 'a text of at most 100,000 bytes', null
    );
    perform private.insist(
      private.is_text_of(variant.value -> 'content', 100000), variant.field || '.content', 'a text of at most 100,000 bytes', null
    );
  end loop;
  perform private.insist(
    (select count(distinct v.value ->> 'name') = count(*) from jsonb_array_elements(variants) as v), 'variants',
    'a list with unique names', null
  );
end
$$;
comment on function private.check_variants_of_component is 'Refuses invalid variants of a component, and two with the same name.';

create function private.check_component() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  words text := concat_ws(' ', new.content, new.props::text, new.styles, new.variants::text, new.responsive::text);
begin
  if octet_length(words) > private.cap('component_bytes') then
    perform private.refuse_beyond('component_bytes', 'This component is too large.', 'content');
  end if;
  perform private.check_template_variables(new.props, 'props');
  perform private.check_variants_of_component(new.variants);
  perform private.check_responsive(new.responsive, 'responsive');
  new.asset_ids := private.assets_named_in(new.tenant_id, words);
  return new;
end
$$;
comment on function private.check_component() is 'Row trigger: checks the props, variants and responsive rules of a component, and sets its asset_ids.';

create function private.note_component_assets() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.media_uses u
  where u.tenant_id = old.tenant_id and u.type = 'component' and u.id = old.id
    and (tg_op = 'DELETE' or u.asset_id <> all (new.asset_ids));
  if tg_op <> 'DELETE' then
    insert into private.media_uses (tenant_id, asset_id, type, id)
    select a.tenant_id, a.id, 'component', new.id
    from public.media_assets a
    where a.tenant_id = new.tenant_id and a.id = any (new.asset_ids)
    order by a.id
    for key share of a
    on conflict on constraint media_uses_pkey do nothing;
  end if;
  return null;
end
$$;
comment on function private.note_component_assets() is 'Row trigger: keeps the rows of private.media_uses for a component, so that its assets cannot be deleted.';

create function private.component_record(component public.template_components) returns jsonb
language sql stable set search_path = ''
as $$
  select to_jsonb(component) - 'asset_ids'
$$;
comment on function private.component_record is 'A component as JSON.';

create function private.edited_component(component_id uuid) returns public.template_components
language plpgsql security definer set search_path = ''
as $$
declare
  component public.template_components;
begin
  perform private.insist_on_content_role('editor');
  perform private.hold('templates', private.tenant_id()::text);
  select * into component
  from public.template_components c
  where c.tenant_id = private.tenant_id() and c.id = edited_component.component_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such component.');
  end if;
  return component;
end
$$;
comment on function private.edited_component is
  'A component that the caller may change, locked until the transaction ends. Refuses with NOT_FOUND, FORBIDDEN.';

create function private.create_component(component public.template_components) returns public.template_components
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
begin
  perform private.insist_on_content_role('editor');
  if private.cap('components_per_tenant') <= (select count(*) from public.template_components c where c.tenant_id = tenant) then
    perform private.refuse_beyond('components_per_tenant', 'The tenant has the maximum number of components.');
  end if;
  insert into public.template_components (tenant_id, name, category, content, props, styles, variants, responsive)
  values (
    tenant, component.name, component.category, component.content, component.props, component.styles, component.variants,
    component.responsive
  )
  returning * into component;
  return component;
end
$$;
comment on function private.create_component is 'As public.create_template_component.';

create function public.create_template_component(
  name text, category public.component_category, content text, props jsonb default '[]', styles text default '',
  variants jsonb default '[]', responsive jsonb default '[]'
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  component public.template_components;
begin
  component.name := create_template_component.name;
  component.category := create_template_component.category;
  component.content := create_template_component.content;
  component.props := create_template_component.props;
  component.styles := create_template_component.styles;
  component.variants := create_template_component.variants;
  component.responsive := create_template_component.responsive;
  return private.component_record(private.create_component(component));
end
$$;
comment on function public.create_template_component is
  'For content editors: creates a component and returns it. Refuses with VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN.';

create function private.save_component(component_id uuid, version_number integer, changes jsonb) returns public.template_components
language plpgsql security definer set search_path = ''
as $$
declare
  was public.template_components := private.edited_component(component_id);
  changed public.template_components;
begin
  if was.version_number is distinct from save_component.version_number then
    perform private.refuse_stale(save_component.version_number, was.version_number);
  end if;
  perform private.known_only(changes, array['name', 'category', 'content', 'props', 'styles', 'variants', 'responsive']);
  changed := jsonb_populate_record(was, changes);
  if changed is not distinct from was then
    return was;
  end if;
  update public.template_components c
  set name = changed.name, category = changed.category, content = changed.content, props = changed.props,
      styles = changed.styles, variants = changed.variants, responsive = changed.responsive,
      version_number = c.version_number + 1
  where c.id = was.id
  returning * into changed;
  return changed;
end
$$;
comment on function private.save_component is 'As public.save_template_component.';

create function public.save_template_component(component_id uuid, version_number integer, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.component_record(private.save_component(component_id, version_number, changes));
end
$$;
comment on function public.save_template_component is
  'For content editors: saves changes of a component on top of version_number and returns it. They show at once in all templates. Refuses with CONFLICT if there is a newer version; VALIDATION_ERROR, FORBIDDEN, NOT_FOUND.';

create function private.delete_component(component_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  component public.template_components := private.edited_component(component_id);
  used_by jsonb := private.users_of(component.tenant_id, component.id);
begin
  if used_by <> '[]' then
    perform private.refuse(
      'CONFLICT', 'Templates show this component. Remove it from them first.',
      null, null, jsonb_build_object('used_by', used_by)
    );
  end if;
  delete from public.template_components c where c.id = component.id;
end
$$;
comment on function private.delete_component is 'As public.delete_template_component.';

create function private.users_of(tenant_id uuid, target_id uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('type', 'template', 'id', u.id) order by u.id), '[]')
  from (
    select distinct t.id
    from private.template_references r
    join public.templates t
      on t.tenant_id = r.tenant_id and t.id = r.template_id and r.version_number in (t.version_number, t.active_version)
    where r.tenant_id = users_of.tenant_id and r.target_id = users_of.target_id and t.id <> users_of.target_id
    order by t.id
    limit 100
  ) as u
$$;
comment on function private.users_of is
  'The templates whose latest or active version refers to a template or a component, at most 100.';

create function public.delete_template_component(component_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.delete_component(component_id);
end
$$;
comment on function public.delete_template_component is
  'For content editors: deletes a component. Refuses with CONFLICT and used_by while the latest or the active version of a template shows it; FORBIDDEN, NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.template_components
  for each row execute function private.keep_nfc();

create trigger template_components_check
  before insert or update on public.template_components
  for each row execute function private.check_component();

create trigger template_components_note_assets
  after insert or update or delete on public.template_components
  for each row execute function private.note_component_assets();

create trigger template_components_touch
  before update on public.template_components
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.template_components enable row level security;

create policy "Content roles see components" on public.template_components
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and cardinality((select private.content_roles())) > 0);

-- grants ---------------------------------------------------------------------------------------

grant select on public.template_components to authenticated, service_role;
revoke insert, update, delete, truncate on public.template_components from service_role;
grant execute on function public.sort_name(public.template_components) to authenticated, service_role;
grant execute on function
  private.component_record, private.create_component, private.save_component, private.delete_component
to authenticated, service_role;
grant execute on function
  public.create_template_component, public.save_template_component, public.delete_template_component
to authenticated;

-- supabase/schemas/templates/1320_template_saving.sql

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

create function private.note_template_assets(template public.templates) returns void
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
comment on function private.note_template_assets is
  'Keeps the rows of private.media_uses for the latest and the active version of a template, so that its assets cannot be deleted.';

create function private.forget_template_assets() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.media_uses u where u.tenant_id = old.tenant_id and u.type = 'template' and u.id = old.id;
  return null;
end
$$;
comment on function private.forget_template_assets() is 'Row trigger: deletes the rows of private.media_uses of a deleted template.';

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
  perform private.note_template_assets(template);
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
  perform private.note_template_assets(made);
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
  perform private.note_template_assets(changed);
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
  for each row execute function private.forget_template_assets();

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.create_template, private.save_template, private.activate_version, private.delete_template
to authenticated, service_role;

-- supabase/schemas/templates/1325_template_api.sql

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
  shown_marketplaces uuid[] := case private.tenant_role() when 'customer' then private.active_marketplace_ids() end;
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

-- supabase/schemas/templates/1330_template_localizations.sql

-- The texts of templates in other languages, by key; the direction of writing; and the formats of money, dates and numbers. A
-- translation shows at once.

-- tables ---------------------------------------------------------------------------------------

create table public.template_localizations (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  base_template_id uuid not null,
  language text not null,
  translations jsonb not null default '[]',
  rtl_support boolean not null,
  custom_styles text,
  formatting jsonb,
  version_number integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint language_is_unique_in_template_localizations unique (base_template_id, language),
  constraint template_localizations_base_template_id_fkey foreign key (tenant_id, base_template_id)
    references public.templates (tenant_id, id) on delete cascade,
  constraint template_localizations_language_is_a_language check (private.is_language(language)),
  constraint template_localizations_custom_styles_is_at_most_100000_bytes check (octet_length(custom_styles) <= 100000)
);
comment on table public.template_localizations is
  'The texts of a template in a language, by key, with plural forms. rtl_support: the language is written from right to left. formatting: date_format, time_format, currency_format, number_format. version_number: the number of saves.';

-- indexes --------------------------------------------------------------------------------------

create unique index template_localizations_template_idx on public.template_localizations (tenant_id, base_template_id, id);
alter table public.template_localizations replica identity using index template_localizations_template_idx;

-- functions --------------------------------------------------------------------------------------

create function private.is_written_from_right(language text) returns boolean
language sql immutable
return split_part(lower(language), '-', 1) in ('ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ks', 'ps', 'sd', 'ug', 'ur', 'yi');
comment on function private.is_written_from_right is 'Whether a language is usually written from right to left.';

create function private.check_template_translation(translation jsonb, field text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  forms jsonb := nullif(translation -> 'plural_forms', 'null');
begin
  perform private.insist_on_keys(translation, field, array['key', 'value', 'context', 'plural_forms']);
  perform private.insist(
    private.is_text(translation -> 'key', 1, 200, '^[A-Za-z0-9_.-]+$'), field || '.key',
    'up to 200 letters, digits, dots, _ and -', translation -> 'key'
  );
  perform private.insist(
    private.is_text(translation -> 'value', 0, 10000), field || '.value', 'a text of at most 10000 characters',
    translation -> 'value'
  );
  perform private.insist(
    private.is_optional_text(translation -> 'context', 500), field || '.context', 'a text of at most 500 characters',
    translation -> 'context'
  );
  if forms is not null then
    perform private.insist_on_keys(forms, field || '.plural_forms', array['zero', 'one', 'two', 'few', 'many', 'other']);
    perform private.insist(
      forms ? 'other' and not exists (select from jsonb_each(forms) as f where not private.is_text(f.value, 0, 10000)),
      field || '.plural_forms', 'texts by plural category, with a text for other', forms
    );
  end if;
end
$$;
comment on function private.check_template_translation is 'Refuses an invalid translation: key, value, context, plural_forms.';

create function private.check_formatting(formatting jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if formatting is null or formatting = 'null' then
    return;
  end if;
  perform private.insist_on_keys(
    formatting, 'formatting', array['date_format', 'time_format', 'currency_format', 'number_format']
  );
  perform private.insist(
    coalesce(formatting ->> 'date_format', 'short') in ('short', 'medium', 'long', 'full'), 'formatting.date_format',
    'one of short, medium, long, full', formatting -> 'date_format'
  );
  perform private.insist(
    coalesce(formatting ->> 'time_format', 'short') in ('short', 'medium', 'long', 'full'), 'formatting.time_format',
    'one of short, medium, long, full', formatting -> 'time_format'
  );
  perform private.insist(
    coalesce(formatting ->> 'currency_format', 'symbol') in ('symbol', 'narrow_symbol', 'code', 'name'),
    'formatting.currency_format', 'one of symbol, narrow_symbol, code, name', formatting -> 'currency_format'
  );
  perform private.insist(
    coalesce(formatting ->> 'number_format', 'plain') in ('grouped', 'plain', 'compact'), 'formatting.number_format',
    'one of grouped, plain, compact', formatting -> 'number_format'
  );
end
$$;
comment on function private.check_formatting is 'Refuses invalid formats: date_format, time_format, currency_format, number_format. Null means the formats of the language.';

create function private.check_template_localization() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if octet_length(new.translations::text) > private.cap('component_bytes') then
    perform private.refuse_beyond('component_bytes', 'These translations are too large.', 'translations');
  end if;
  perform private.insist_on_list(new.translations, 'translations', 2000);
  perform private.check_template_translation(t.value, format('translations[%s]', t.position - 1))
  from jsonb_array_elements(new.translations) with ordinality as t (value, position);
  perform private.insist(
    (select count(distinct t.value ->> 'key') = count(*) from jsonb_array_elements(new.translations) as t), 'translations',
    'a list with unique keys', null
  );
  perform private.check_formatting(new.formatting);
  return new;
end
$$;
comment on function private.check_template_localization() is 'Row trigger: checks the translations and formats of a template, and their size.';

create function private.localization_of_template(template_id uuid, language text) returns public.template_localizations
language plpgsql stable security definer set search_path = ''
as $$
declare
  localization public.template_localizations;
  template public.templates := private.judged_template(template_id);
begin
  select * into localization
  from public.template_localizations l
  where l.base_template_id = template.id and l.language = localization_of_template.language;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no translation into this language.', 'language', to_jsonb(language));
  end if;
  return localization;
end
$$;
comment on function private.localization_of_template is
  'The translation of a template into a language. Refuses with NOT_FOUND, FORBIDDEN.';

create function private.save_template_localization(
  template_id uuid, language text, version_number integer, changes jsonb
) returns public.template_localizations
language plpgsql security definer set search_path = ''
as $$
declare
  template public.templates := private.edited_template(template_id, 'editor');
  was public.template_localizations;
  changed public.template_localizations;
begin
  perform private.known_only(changes, array['translations', 'rtl_support', 'custom_styles', 'formatting']);
  select * into was
  from public.template_localizations l
  where l.base_template_id = template.id and l.language = save_template_localization.language;
  if coalesce(was.version_number, 0) <> coalesce(save_template_localization.version_number, 0) then
    perform private.refuse_stale(save_template_localization.version_number, coalesce(was.version_number, 0));
  end if;
  changed := jsonb_populate_record(was, changes);
  changed.formatting := nullif(changed.formatting, 'null');
  if was.id is null then
    if private.cap('languages_per_template') <= (
      select count(*) from public.template_localizations l where l.base_template_id = template.id
    ) then
      perform private.refuse_beyond('languages_per_template', 'This template has the maximum number of languages.');
    end if;
    insert into public.template_localizations as l (
      tenant_id, base_template_id, language, translations, rtl_support, custom_styles, formatting
    )
    values (
      template.tenant_id, template.id, save_template_localization.language, coalesce(changed.translations, '[]'),
      coalesce(changed.rtl_support, private.is_written_from_right(save_template_localization.language)),
      changed.custom_styles, changed.formatting
    )
    returning * into changed;
  elsif changed is distinct from was then
    update public.template_localizations l
    set translations = changed.translations, rtl_support = changed.rtl_support, custom_styles = changed.custom_styles,
        formatting = changed.formatting, version_number = l.version_number + 1
    where l.id = was.id
    returning * into changed;
  end if;
  return changed;
end
$$;
comment on function private.save_template_localization is 'As public.save_template_localization.';

create function public.get_template_localization(template_id uuid, language text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return to_jsonb(private.localization_of_template(template_id, language));
end
$$;
comment on function public.get_template_localization is
  'The translation of a template into a language. Refuses with NOT_FOUND, FORBIDDEN.';

create function public.save_template_localization(
  template_id uuid, language text, changes jsonb, version_number integer default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return to_jsonb(private.save_template_localization(template_id, language, version_number, changes));
end
$$;
comment on function public.save_template_localization is
  'For content editors: saves changes (translations, rtl_support, custom_styles, formatting) of a translation on top of version_number, which is null or 0 for a new one, and returns it. Refuses with CONFLICT if there is a newer version; VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN, NOT_FOUND.';

create function public.list_template_localizations(template_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  template public.templates := private.judged_template(template_id);
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(l) order by l.language), '[]')
    from public.template_localizations l
    where l.tenant_id = template.tenant_id and l.base_template_id = template.id
  );
end
$$;
comment on function public.list_template_localizations is
  'All translations of a template, for members with a content role. Refuses with NOT_FOUND, FORBIDDEN.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.template_localizations
  for each row execute function private.keep_nfc();

create trigger template_localizations_check
  before insert or update on public.template_localizations
  for each row execute function private.check_template_localization();

create trigger template_localizations_touch
  before update on public.template_localizations
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.template_localizations enable row level security;

create policy "Content roles see translations of templates" on public.template_localizations
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and cardinality((select private.content_roles())) > 0);

-- grants ---------------------------------------------------------------------------------------

grant select on public.template_localizations to authenticated, service_role;
revoke insert, update, delete, truncate on public.template_localizations from service_role;
grant execute on function private.localization_of_template, private.save_template_localization to authenticated, service_role;
grant execute on function
  public.get_template_localization, public.save_template_localization, public.list_template_localizations
to authenticated;

-- supabase/schemas/templates/1335_template_previews.sql

-- Previews: a token shows a version of a template for 24 hours, without a session.

-- tables ---------------------------------------------------------------------------------------

create table private.template_previews (
  token_sha256 bytea not null,
  tenant_id uuid not null,
  template_id uuid not null,
  version_number integer not null,
  made_by uuid references auth.users (id) on delete cascade,
  expires_at timestamptz not null,
  -- In this order for lookups by token.
  constraint template_previews_pkey primary key (token_sha256, tenant_id),
  constraint template_previews_version_fkey foreign key (tenant_id, template_id, version_number)
    references private.template_versions (tenant_id, template_id, version_number) on delete cascade
);
comment on table private.template_previews is
  'Tokens that show a version of a template without a session until expires_at. Only the digest of a token is kept.';

create index template_previews_template_idx on private.template_previews (tenant_id, template_id, version_number);
create index template_previews_made_by_idx on private.template_previews (made_by);
create index template_previews_expires_at_idx on private.template_previews (expires_at);

-- functions --------------------------------------------------------------------------------------

create function private.open_template_preview(template_id uuid, version integer) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  template public.templates := private.judged_template(template_id);
  number integer := coalesce(version, template.version_number);
  token text := translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
  ends timestamptz := now() + interval '24 hours';
begin
  if not exists (
    select
    from private.template_versions v
    where v.tenant_id = template.tenant_id and v.template_id = template.id and v.version_number = number
  ) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it is not kept any more.', 'version', to_jsonb(version)
    );
  end if;
  insert into private.template_previews (token_sha256, tenant_id, template_id, version_number, made_by, expires_at)
  values (sha256(convert_to(token, 'utf8')), template.tenant_id, template.id, number, auth.uid(), ends);
  return jsonb_build_object(
    'url', format('/functions/v1/api/templates/%s/render?preview=%s', template.id, token), 'token', token, 'version', number,
    'expires_at', ends
  );
end
$$;
comment on function private.open_template_preview is 'As public.create_template_preview.';

create function public.create_template_preview(template_id uuid, version integer default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.open_template_preview(template_id, version);
end
$$;
comment on function public.create_template_preview is
  'Makes a token that shows a version of a template, by default the latest, without a session for 24 hours. Returns {url, token, version, expires_at}; url is a path of the project. Refuses with FORBIDDEN, NOT_FOUND.';

create function private.close_template_previews(template_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  template public.templates := private.judged_template(template_id);
begin
  delete from private.template_previews p where p.tenant_id = template.tenant_id and p.template_id = template.id;
end
$$;
comment on function private.close_template_previews is 'As public.delete_template_preview.';

create function public.delete_template_preview(template_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.close_template_previews(template_id);
end
$$;
comment on function public.delete_template_preview is 'Ends all previews of a template. Refuses with FORBIDDEN, NOT_FOUND.';

create function private.template_preview(id text, token text) returns private.template_previews
language plpgsql stable security definer set search_path = ''
as $$
declare
  preview private.template_previews;
begin
  select p.* into preview
  from private.template_previews p
  join public.members m on m.tenant_id = p.tenant_id and m.user_id = p.made_by and m.status = 'active'
    and (m.role = 'admin' or m.content_roles <> '{}')
  where p.token_sha256 = sha256(convert_to(token, 'utf8')) and p.expires_at > now() and p.template_id::text = lower(id);
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such preview, or it has ended.');
  end if;
  return preview;
end
$$;
comment on function private.template_preview is
  'The preview of a token, as long as the member who made it may see all versions. Refuses with NOT_FOUND.';

-- policies -------------------------------------------------------------------------------------

alter table private.template_previews enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.open_template_preview, private.close_template_previews, private.template_preview
to authenticated, service_role;
grant execute on function public.create_template_preview, public.delete_template_preview to authenticated;

-- supabase/schemas/templates/1340_template_inputs.sql

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

-- supabase/schemas/templates/1342_template_pages.sql

-- template_inputs returns everything that renders a page, in one call. template_key returns the key of the same page, which
-- changes with each of its inputs: a page that was kept under the key may be shown.

-- functions --------------------------------------------------------------------------------------

create function private.page_versions(request private.page_request) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- The templates of the page are read once, because that is the most expensive part.
  return (
    with unit as materialized (
      select u.unit_id, u.depth, v.template_id, v.version_number, v.reads_sources, v.has_grids, v.asset_ids
      from private.page_templates(request) as u
      join private.template_versions v
        on v.tenant_id = request.tenant_id and v.template_id = u.template_id and v.version_number = u.version_number
    ), component as materialized (
      select c.id, c.version_number, c.asset_ids
      from public.template_components c
      where c.tenant_id = request.tenant_id and c.id in (
        select r.target_id
        from unit u
        join private.template_references r
          on r.tenant_id = request.tenant_id and r.template_id = u.template_id and r.version_number = u.version_number
        where r.kind = 'component'
      )
    )
    select concat_ws(
      ' ',
      string_agg(format('%s:%s:%s', u.unit_id, u.template_id, u.version_number), ',' order by u.unit_id, u.depth),
      -- Sources and grids depend on the rights of the caller.
      case when bool_or(u.reads_sources) then format('user %s', auth.uid()) end,
      case when bool_or(u.has_grids or u.reads_sources) then format('supplier %s', private.supplier_id()) end,
      case when bool_or(u.has_grids) then (
        select max(p.updated_at)::text from public.products p where p.tenant_id = request.tenant_id
      ) end,
      case when bool_or(u.has_grids) then (
        select max(m.id)::text from public.inventory_movements m where m.tenant_id = request.tenant_id
      ) end,
      (select string_agg(format('%s:%s', c.id, c.version_number), ',' order by c.id) from component c),
      (
        select string_agg(format('%s:%s', l.id, l.version_number), ',' order by l.id)
        from public.template_localizations l
        where l.tenant_id = request.tenant_id and l.language = any (request.languages)
          and l.base_template_id in (select o.template_id from unit o)
      ),
      (
        select max(a.updated_at)::text || count(*)
        from public.media_assets a
        where a.tenant_id = request.tenant_id and a.id in (
          select s.id from unit o cross join lateral unnest(o.asset_ids) as s (id)
          union all
          select s.id from component c cross join lateral unnest(c.asset_ids) as s (id)
        )
      ),
      (
        select m.updated_at::text
        from public.marketplaces m
        where m.tenant_id = request.tenant_id and m.id = request.marketplace_id
      ),
      (select concat(t.updated_at, t.caching) from public.templates t where t.id = request.template_id)
    )
    from unit u
  );
end
$$;
comment on function private.page_versions is 'The versions of all records that render a page, in one text. A grid of products depends on the last change of a product and on the last movement of stock.';

create function private.page_key(request private.page_request, product jsonb, category jsonb) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return encode(
    sha256(convert_to(
      concat_ws(
        e'\n', request.tenant_id, request.template_id, request.type, request.version_number, request.marketplace_id,
        request.language, request.device, array_to_string(request.languages, ','), request.role, request.sees_all,
        request.has_session, request.time_zone, private.page_versions(request), product, category
      ),
      'utf8'
    )),
    'hex'
  );
end
$$;
comment on function private.page_key is 'The key of a page. It differs for other inputs and for callers with other rights.';

create function public.template_key(id_or_type text, options jsonb default '{}') returns text
language plpgsql stable set search_path = ''
as $$
declare
  request private.page_request := private.requested_page(id_or_type, options);
begin
  -- Called for its refusal only: page_versions has the version of the marketplace.
  if options ->> 'marketplace_id' is not null then
    perform private.page_marketplace(request, true);
  end if;
  return private.page_key(request, private.page_product(request), private.page_category(request));
end
$$;
comment on function public.template_key is
  'The key that template_inputs returns for the same options. It does not cover the values of the sources api and database. Refuses as template_inputs does.';

create function public.template_inputs(id_or_type text, options jsonb default '{}') returns jsonb
-- Volatile, because lists of products may record auctions.
language plpgsql volatile set search_path = ''
as $$
declare
  request private.page_request := private.requested_page(id_or_type, options);
  marketplace jsonb := private.page_marketplace(request, options ->> 'marketplace_id' is not null);
  product jsonb := private.page_product(request);
  category jsonb := private.page_category(request);
  sources jsonb := private.page_sources(request, private.uuids_in(options ->> 'asset_ids'));
  key text := private.page_key(request, product, category);
  grids jsonb := '{}'::jsonb;
begin
  if request.has_session then
    -- As sources do, grids show what a customer sees.
    perform set_config('souk.rights', 'customer', true);
    -- Grids show no labels and no tokens, and a kept page is for several readers.
    select coalesce(jsonb_object_agg(g.key, private.resolved_grid(g.grid, request.marketplace_id, false)), '{}') into grids
    from private.grids_in(sources, request.template_id) as g;
    perform set_config('souk.rights', '', true);
  end if;
  return sources || jsonb_build_object(
    'tenant_id', request.tenant_id, 'time_zone', request.time_zone, 'template', private.page_template(request),
    'version', coalesce(request.version_number, 0),
    'localizations', private.page_localizations(request), 'marketplace', marketplace, 'product', product,
    'category', category,
    'language', request.language, 'languages', private.page_languages(request), 'role', request.role,
    'products', grids, 'key', key
  );
end
$$;
comment on function public.template_inputs is
  'Everything that renders a page, as the caller may see it: tenant_id, time_zone, template, version, content (null for a built-in one), parents, includes, components, localizations, marketplace, product, category, language, languages, assets, products (of grids, by block), role, key. options: language, device, marketplace_id, product_id, category_id, asset_ids; version, for members with a content role; preview, a token. Refuses with NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, TEMPLATE_LIMIT.';

create function public.page_assets(tenant_id uuid, asset_ids uuid[], language text) returns jsonb
language sql stable set search_path = ''
as $$
  select private.shown_assets(asset_ids, tenant_id, language)
$$;
comment on function public.page_assets is
  'For the functions: the addresses, sizes and alternative texts of public assets, by id, as template_inputs returns them.';

create function private.zone_offset(time_zone text, second bigint) returns integer
language sql stable set search_path = ''
as $$
  select extract(epoch from to_timestamp(second) at time zone time_zone)::bigint - second
$$;
comment on function private.zone_offset is 'The offset of a time zone from UTC at a second since 1970, in seconds.';

create function public.zone_offsets(time_zone text) returns jsonb
language sql stable set search_path = ''
as $$
  with recursive week as materialized (
    -- From 1970 to 2060. No zone has changed its offset twice in a week.
    select w.second, private.zone_offset(time_zone, w.second) as utc_offset
    from generate_series(0, 2840140800, 604800) as w (second)
  ), change (low, high, before) as (
    select w.low, w.high, w.before
    from (
      select
        lag(o.second) over by_time as low, o.second as high, lag(o.utc_offset) over by_time as before, o.utc_offset as after
      from week o
      window by_time as (order by o.second)
    ) as w
    where w.before <> w.after
    union all
    select
      case when m.utc_offset = c.before then m.second else c.low end,
      case when m.utc_offset = c.before then c.high else m.second end, c.before
    from change c
    cross join lateral (
      select h.second, private.zone_offset(time_zone, h.second) as utc_offset
      from (select (c.low + c.high) / 120 * 60 as second) as h
    ) as m
    where c.high - c.low > 60
  )
  select jsonb_build_array(jsonb_build_array(0, private.zone_offset(time_zone, 0))) || coalesce(
    jsonb_agg(jsonb_build_array(c.high, private.zone_offset(time_zone, c.high)) order by c.high), '[]'
  )
  from change c
  where c.high - c.low <= 60
$$;
comment on function public.zone_offsets is
  'For the functions: the offsets of a time zone from UTC as this server has them, with the minute from which each holds: [[0, 3600], …], in seconds. Their engines have older zone data.';

create function private.page_template(request private.page_request) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (
      select jsonb_build_object(
        'id', t.id, 'name', t.name, 'type', t.type, 'marketplace_id', t.marketplace_id, 'caching', t.caching
      )
      from public.templates t where t.tenant_id = request.tenant_id and t.id = request.template_id
    ),
    jsonb_build_object('id', null, 'name', request.type, 'type', request.type, 'marketplace_id', null, 'caching', null)
  );
end
$$;
comment on function private.page_template is 'The template of a page, without its content.';

create function private.page_languages(request private.page_request) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(distinct l.language), '[]')
    from (
      select o.language
      from public.template_localizations o
      where o.tenant_id = request.tenant_id
        and o.base_template_id in (
          select u.template_id from private.page_templates(request) as u where u.unit_id = request.template_id
        )
      union all
      select m.language from public.marketplaces m where m.tenant_id = request.tenant_id and m.id = request.marketplace_id
    ) as l
  );
end
$$;
comment on function private.page_languages is 'The languages of a page: the marketplace''s, and those of the translations of its templates.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.requested_page, private.page_product, private.page_category, private.page_marketplace, private.page_templates,
  private.page_components, private.page_localizations, private.page_sources, private.grids_in, private.page_versions,
  private.page_key, private.page_template, private.page_languages, private.uuids_in, private.template_blocks
to authenticated, service_role;
grant execute on function public.template_inputs, public.template_key to authenticated, service_role;
grant execute on function private.shown_assets, private.zone_offset, public.page_assets, public.zone_offsets to service_role;

-- supabase/schemas/templates/1345_template_subjects.sql

-- A product or category may name its template, which has its type and its marketplace, or is for all marketplaces. When that
-- template is deleted, the default template is used again.

-- indexes --------------------------------------------------------------------------------------

create index products_template_idx on public.products (tenant_id, template_id) where template_id is not null;
create index categories_template_idx on public.categories (tenant_id, template_id) where template_id is not null;

alter table public.products add constraint products_template_id_fkey foreign key (tenant_id, template_id)
  references public.templates (tenant_id, id) on delete set null (template_id);
alter table public.categories add constraint categories_template_id_fkey foreign key (tenant_id, template_id)
  references public.templates (tenant_id, id) on delete set null (template_id);

-- functions --------------------------------------------------------------------------------------

create function private.check_own_template() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  marketplace uuid := (to_jsonb(new) ->> 'marketplace_id')::uuid;
begin
  perform private.insist(
    -- The foreign key refuses an id that does not exist.
    not exists (
      select from public.templates t
      where t.tenant_id = new.tenant_id and t.id = new.template_id
        and (
          t.type::text <> tg_argv[0]
          -- All marketplaces share the categories.
          or tg_argv[0] = 'product' and t.marketplace_id <> marketplace
        )
    ),
    'template_id', format('a template of type %s, for this marketplace or for all marketplaces', tg_argv[0]), to_jsonb(new.template_id)
  );
  return null;
end
$$;
comment on function private.check_own_template() is
  'Row trigger: template_id must name a template of the type in the argument.';

-- triggers -------------------------------------------------------------------------------------

-- Afterwards, because other triggers set the marketplace of a product.
create trigger products_check_template
  after insert or update of template_id on public.products
  for each row when (new.template_id is not null)
  execute function private.check_own_template('product');

create trigger categories_check_template
  after insert or update of template_id on public.categories
  for each row when (new.template_id is not null)
  execute function private.check_own_template('category');

-- supabase/schemas/mail/1400_email_templates.sql

-- E-mail templates: the built-in letters, and the letters of a tenant, which replace them or are sent in addition. The
-- texts of the built-in letters are in the functions, which render them.

-- tables ---------------------------------------------------------------------------------------

create table private.letters (
  key text primary key,
  event text references private.event_types (name),
  status text,
  is_optional boolean not null default false
);
comment on table private.letters is
  'The built-in letters. event and status: what they are sent on; status is null if every event of that name sends the letter, event is null if a trigger of another table does. is_optional: whether the recipient may unsubscribe from it.';

create table public.email_templates (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  key text collate "C" not null,
  name text not null,
  subject jsonb not null,
  html_content jsonb not null,
  text_content jsonb,
  variables text[] not null default '{}',
  trigger_events text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint email_templates_tenant_id_id_key unique (tenant_id, id),
  constraint key_is_unique_in_email_templates unique (tenant_id, key),
  constraint email_templates_key_is_a_word_of_at_most_63_characters check (key ~ '^[a-z][a-z0-9_]{0,62}$'),
  constraint email_templates_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint email_templates_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint email_templates_variables_is_a_list_of_at_most_100 check (cardinality(variables) <= 100),
  constraint email_templates_trigger_events_is_a_list_of_at_most_20 check (cardinality(trigger_events) <= 20)
);
comment on table public.email_templates is
  'Letters of a tenant. One with the key of a built-in letter replaces it; any other is sent on its trigger_events. subject, html_content, text_content: Liquid, one text or an object of texts by language. variables: names of variables in these texts, for editors.';
alter table public.email_templates replica identity using index email_templates_tenant_id_id_key;

-- indexes --------------------------------------------------------------------------------------

create index email_templates_tenant_id_created_at_idx on public.email_templates (tenant_id, created_at desc, id);
create index email_templates_trigger_events_idx on public.email_templates (tenant_id) where trigger_events <> '{}';

-- functions ------------------------------------------------------------------------------------

create function public.sort_name(template public.email_templates) returns private.sort_text
language sql immutable
return private.sort_name((template).name);
comment on function public.sort_name(public.email_templates) is
  'The key for sorting e-mail templates by name: .order(''sort_name'').';

create function private.check_localized(texts jsonb, field text, longest integer) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  entry record;
begin
  if jsonb_typeof(texts) = 'string' then
    perform private.insist(
      private.is_text(texts, 1, longest), field, format('a text of 1 to %s characters', longest), null
    );
    return;
  end if;
  perform private.insist(
    jsonb_typeof(texts) = 'object' and (select count(*) from jsonb_object_keys(texts)) between 1 and 50,
    field, 'a text, or an object of 1 to 50 texts by language', null
  );
  for entry in select e.key, e.value from jsonb_each(texts) as e loop
    perform private.insist(
      private.is_language(entry.key), format('%s.%s', field, left(entry.key, 50)),
      'named with a language, such as en or pt-BR', null
    );
    perform private.insist(
      private.is_text(entry.value, 1, longest), format('%s.%s', field, entry.key),
      format('a text of 1 to %s characters', longest), null
    );
  end loop;
end
$$;
comment on function private.check_localized is
  'Refuses with VALIDATION_ERROR a value that is neither a text nor an object of texts by language. The refusal does not repeat the texts, which may be long.';

create function private.check_email_template() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  unknown text;
begin
  perform private.check_localized(new.subject, 'subject', 1000);
  perform private.check_localized(new.html_content, 'html_content', 100000);
  if new.text_content is not null then
    perform private.check_localized(new.text_content, 'text_content', 100000);
  end if;
  perform private.bound_record(
    octet_length(new.subject::text) + octet_length(new.html_content::text)
      + coalesce(octet_length(new.text_content::text), 0),
    0.75, 'The texts of an e-mail template together are too long.', 'html_content'
  );
  if exists (select from unnest(new.variables) as v (name) where (char_length(v.name) between 1 and 100) is not true) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The name of a variable must have 1 to 100 characters.', 'variables', null
    );
  end if;
  unknown := (
    select e.name
    from unnest(new.trigger_events) as e (name)
    where not exists (select from private.event_types t where t.name = e.name)
    limit 1
  );
  if unknown is not null then
    perform private.refuse('VALIDATION_ERROR', 'There is no such event.', 'trigger_events', to_jsonb(unknown));
  elsif new.trigger_events <> '{}' and exists (select from private.letters l where l.key = new.key) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The events of a built-in letter cannot be changed: leave trigger_events out.',
      'trigger_events', to_jsonb(new.trigger_events)
    );
  end if;
  return new;
end
$$;
comment on function private.check_email_template() is
  'Row trigger: refuses with VALIDATION_ERROR values that are no texts and unknown events, and with LIMIT_REACHED texts that are too long.';

create function private.bound_email_templates() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid;
begin
  for tenant in select distinct w.tenant_id from written w order by w.tenant_id loop
    -- Concurrent inserts of a tenant are counted one after the other.
    perform private.hold('cap', 'email templates of ' || tenant);
    if (select count(*) from public.email_templates t where t.tenant_id = tenant)
      > private.cap('email_templates_per_tenant')
    then
      perform private.refuse_beyond(
        'email_templates_per_tenant', 'The tenant has the maximum number of e-mail templates. Delete one first.'
      );
    end if;
  end loop;
  return null;
end
$$;
comment on function private.bound_email_templates() is
  'Statement trigger: refuses with LIMIT_REACHED more e-mail templates than the cap email_templates_per_tenant.';

create function public.create_email_template(
  key text, name text, subject jsonb, html_content jsonb, text_content jsonb default null,
  variables text[] default '{}', trigger_events text[] default '{}'
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  created public.email_templates;
begin
  insert into public.email_templates (key, name, subject, html_content, text_content, variables, trigger_events)
  values (
    create_email_template.key, create_email_template.name, create_email_template.subject,
    create_email_template.html_content, create_email_template.text_content, create_email_template.variables,
    create_email_template.trigger_events
  )
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function public.create_email_template is
  'For admins: creates an e-mail template. Returns the whole record. Refuses with FORBIDDEN, CONFLICT (the key), VALIDATION_ERROR, LIMIT_REACHED.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.email_templates
  for each row execute function private.keep_nfc();

create trigger email_templates_are_changed_by_admins
  before insert or update or delete on public.email_templates
  for each statement execute function private.only_for('admin');

create trigger email_templates_check
  before insert or update on public.email_templates
  for each row execute function private.check_email_template();

create trigger email_templates_bound
  after insert on public.email_templates
  referencing new table as written
  for each statement execute function private.bound_email_templates();

create trigger email_templates_touch
  before update on public.email_templates
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table private.letters enable row level security;
alter table public.email_templates enable row level security;

create policy "Admins and clients see their tenant's e-mail templates" on public.email_templates
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.reads_all()));

create policy "Admins create e-mail templates" on public.email_templates
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins change e-mail templates" on public.email_templates
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins delete e-mail templates" on public.email_templates
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- grants ---------------------------------------------------------------------------------------

grant select, delete,
  insert (key, name, subject, html_content, text_content, variables, trigger_events),
  update (name, subject, html_content, text_content, variables, trigger_events)
on public.email_templates to authenticated;
grant all on public.email_templates to service_role;
grant execute on function public.create_email_template to authenticated;
grant execute on function public.sort_name(public.email_templates) to authenticated, service_role;

-- supabase/schemas/mail/1410_mails.sql

-- Mails: the outbox. A mail is written in the transaction of its event. There is one mail for each event, letter and
-- address, even if the event is repeated. The dispatcher renders and sends it.

-- types ----------------------------------------------------------------------------------------

create type public.mail_status as enum ('pending', 'retrying', 'success', 'failed', 'suppressed');

create type private.recipient as (address text, name text, languages text[], marketplace_id uuid);
comment on type private.recipient is
  'The recipient of a mail. languages: in the order of preference. marketplace_id: the marketplace that the mail comes from; null if it comes from none.';

create type private.new_mail as (
  tenant_id uuid, template text, cause_id uuid, event_id uuid, event_at timestamptz, recipient private.recipient,
  variables jsonb, is_test boolean, is_unpaid boolean
);
comment on type private.new_mail is 'A mail to write: its letter, cause, recipient and variables. is_unpaid: as in public.mails.';

create table public.mails (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  template text not null,
  -- The event, or another record that the mail is about.
  cause_id uuid not null,
  event_id uuid,
  -- Finds the event in the partition of its day.
  event_at timestamptz,
  marketplace_id uuid,
  "to" text not null,
  name text not null default '',
  languages text[] not null default '{}',
  variables jsonb not null default '{}',
  is_test boolean not null default false,
  is_unpaid boolean not null default false,
  subject text,
  status public.mail_status not null default 'pending',
  attempts integer not null default 0,
  error text,
  provider_id text,
  next_attempt_at timestamptz default now(),
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint mails_tenant_id_id_key unique (tenant_id, id),
  constraint cause_id_is_unique_in_mails unique (tenant_id, cause_id, template, "to"),
  constraint mails_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete set null (marketplace_id),
  constraint mails_variables_is_at_most_64_kb check (octet_length(variables::text) <= 65536),
  constraint mails_variables_is_without_numbers_of_over_30_digits check (private.has_short_numbers(variables)),
  constraint mails_to_is_an_address check (private.is_email("to")),
  constraint mails_next_attempt_at_is_set_while_there_is_one
    check ((next_attempt_at is not null) = (status in ('pending', 'retrying'))),
  constraint mails_sent_at_is_set_when_it_was_sent check ((sent_at is not null) = (status = 'success')),
  constraint mails_error_is_set_when_it_failed check (status not in ('failed', 'suppressed') or error is not null)
);
comment on table public.mails is
  'A letter to an address: waiting, sent or failed. template: the key of the letter. languages: in the order of preference. variables: what the letter shows, in addition to the data of its event. is_test: sent by an admin to itself, with samples for variables that were not sent along. is_unpaid: about an order that was not paid, and caused by somebody other than the shop. subject: as rendered at the first attempt. error: of the last attempt; if the mail was sent, why the built-in letter has replaced the tenant''s. provider_id: the mail''s id at the provider.';
alter table public.mails replica identity using index mails_tenant_id_id_key;

create table private.mail_queue (
  mail_id uuid not null,
  tenant_id uuid not null,
  due_at timestamptz not null,
  -- Attempts since the mail was written or retried by an admin.
  tries integer not null default 0,
  is_counted boolean not null default false,
  lease uuid,
  leased_until timestamptz,
  -- In this order for lookups by mail alone.
  constraint mail_queue_pkey primary key (mail_id, tenant_id),
  constraint mail_queue_mail_id_fkey foreign key (tenant_id, mail_id)
    references public.mails (tenant_id, id) on delete cascade
);
comment on table private.mail_queue is
  'Mails that wait for an attempt. is_counted: whether the mail is within the bounds of its tenant and its address, which count it once. lease: of the dispatcher that is sending the mail.';

create table private.mail_contents (
  mail_id uuid not null,
  tenant_id uuid not null,
  subject text not null,
  html text not null,
  text text not null,
  constraint mail_contents_pkey primary key (mail_id, tenant_id),
  constraint mail_contents_mail_id_fkey foreign key (tenant_id, mail_id)
    references public.mails (tenant_id, id) on delete cascade,
  constraint mail_contents_is_at_most_90_kb check (octet_length(html) + octet_length(text) <= 92160)
);
comment on table private.mail_contents is
  'Letters as rendered at the first attempt, so that all attempts send the same content. Deleted when they are sent, since they may contain the token of an invitation.';

-- indexes --------------------------------------------------------------------------------------

create index mails_tenant_id_created_at_idx on public.mails (tenant_id, created_at desc, id);
create index mails_marketplace_idx on public.mails (tenant_id, marketplace_id);
create index mails_to_idx on public.mails (tenant_id, "to", created_at desc);
create index mails_status_idx on public.mails (tenant_id, created_at desc, id) where status <> 'success';
create index mails_provider_id_idx on public.mails (provider_id) where provider_id is not null;
create index mails_created_at_idx on public.mails (created_at);
create index mail_queue_due_idx on private.mail_queue (tenant_id, due_at) where lease is null;
create index mail_queue_leased_idx on private.mail_queue (leased_until) where lease is not null;

-- functions: recipients ---------------------------------------------------------------------------

create function private.shop_of(tenant_id uuid, marketplace_id uuid) returns public.marketplaces
language sql stable security definer set search_path = ''
as $$
  select m.*
  from public.marketplaces m
  where m.tenant_id = shop_of.tenant_id and (shop_of.marketplace_id is null or m.id = shop_of.marketplace_id)
  order by m.status = 'active' desc, m.created_at, m.id
  limit 1
$$;
comment on function private.shop_of is
  'The marketplace that a letter comes from: the one it is about, or else the tenant''s oldest active one. Null if there is none.';

create function private.recipient(
  tenant_id uuid, address text, name text, language text, marketplace_id uuid
) returns private.recipient
language plpgsql stable security definer set search_path = ''
as $$
declare
  shop public.marketplaces := private.shop_of(recipient.tenant_id, recipient.marketplace_id);
begin
  return (
    lower(address), coalesce(recipient.name, ''), array_remove(array[recipient.language, shop.language], null), shop.id
  );
end
$$;
comment on function private.recipient is 'A recipient, whose languages are its own and the marketplace''s.';

create function private.members_to_notify(tenant_id uuid, supplier_id uuid, marketplace_id uuid)
returns setof private.recipient
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  select r.*
  from (
    select m.email, m.name, private.account_language(u.raw_user_meta_data) as language
    from public.members m
    join auth.users u on u.id = m.user_id
    where m.tenant_id = members_to_notify.tenant_id
      and m.status = 'active'
      and case
        when members_to_notify.supplier_id is null then m.role = 'admin'
        else m.role = 'supplier' and m.supplier_id = members_to_notify.supplier_id
      end
      and private.is_email(m.email)
    order by m.created_at, m.user_id
    limit private.cap('mail_recipients')
  ) m
  cross join lateral private.recipient(
    members_to_notify.tenant_id, m.email, m.name, m.language, members_to_notify.marketplace_id
  ) r;
end
$$;
comment on function private.members_to_notify is
  'The active members who act for a supplier, or the admins if supplier_id is null: the oldest ones, at most the cap mail_recipients.';

create function private.buyer_of(tenant_id uuid, order_id uuid) returns setof private.recipient
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  select r.*
  from public.orders o
  join public.customers c on c.tenant_id = o.tenant_id and c.id = o.customer_id
  cross join lateral private.recipient(
    o.tenant_id, coalesce(o.contact ->> 'email', c.email), coalesce(o.contact ->> 'name', c.name),
    coalesce(o.language, c.language), o.marketplace_id
  ) r
  where o.tenant_id = buyer_of.tenant_id and o.id = buyer_of.order_id
    and coalesce(o.contact ->> 'email', c.email) is not null;
end
$$;
comment on function private.buyer_of is 'The recipient of the mails about an order: its contact, or else its customer; none if neither has an address.';

create function private.recipients_of(tenant_id uuid, data jsonb) returns setof private.recipient
language plpgsql stable security definer set search_path = ''
as $$
begin
  if data ? 'order' then
    return query select * from private.buyer_of(recipients_of.tenant_id, (data #>> '{order,id}')::uuid);
  elsif data ? 'user' then
    return query
    select r.*
    from private.recipient(
      recipients_of.tenant_id, data #>> '{user,email}', data #>> '{user,name}',
      (
        select private.account_language(u.raw_user_meta_data)
        from auth.users u
        where u.id = (data #>> '{user,id}')::uuid
      ),
      null
    ) r
    where private.is_email(lower(data #>> '{user,email}'));
  else
    return query
    select *
    from private.members_to_notify(
      recipients_of.tenant_id, (data #>> '{product,supplier_id}')::uuid, (data #>> '{product,marketplace_id}')::uuid
    );
  end if;
end
$$;
comment on function private.recipients_of is
  'The recipients of the mails about an event: the buyer of its order, its user, the members of the supplier of its product, or else the admins.';

-- functions: outbox ------------------------------------------------------------------------------

create function private.letters_on(tenant_id uuid, event text, status text) returns table (template text, is_own boolean)
language sql stable security definer set search_path = ''
as $$
  select l.key, false
  from private.letters l
  where l.event = letters_on.event and (l.status is null or l.status = letters_on.status)
  union all
  select t.key, true
  from public.email_templates t
  where t.tenant_id = letters_on.tenant_id and t.trigger_events <> '{}' and letters_on.event = any (t.trigger_events)
$$;
comment on function private.letters_on is 'The letters that an event sends: built-in ones, and those of the tenant.';

create function private.is_unpaid_by_buyer(tenant_id uuid, event text, data jsonb) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (
      select not private.was_paid(o.payment_status)
      from public.orders o
      where o.tenant_id = is_unpaid_by_buyer.tenant_id and o.id = (data #>> '{order,id}')::uuid
    )
    and (
      is_unpaid_by_buyer.event = 'order.created'
      or (private.tenant_role() in ('admin', 'supplier', 'client')) is not true
    ),
    false
  );
end
$$;
comment on function private.is_unpaid_by_buyer is
  'Whether an event is about an order that is not paid, and was not caused by the shop after the order was placed. Everybody can cause such events, with any address.';

create function private.write_mails(mails private.new_mail[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  most constant bigint := private.cap('mails_per_event');
begin
  insert into public.mails (
    tenant_id, template, cause_id, event_id, event_at, marketplace_id, "to", name, languages, variables, is_test,
    is_unpaid, status, next_attempt_at, error
  )
  select
    m.tenant_id, m.template, m.cause_id, m.event_id, m.event_at, (m.recipient).marketplace_id, (m.recipient).address,
    (m.recipient).name, (m.recipient).languages, m.variables, m.is_test, m.is_unpaid,
    case when m.number > most then 'suppressed' else 'pending' end::public.mail_status,
    case when m.number <= most then now() end,
    case when m.number > most then format('This would be more than the %s mails of one event.', most) end
  from (
    select
      w.*,
      row_number() over (partition by w.tenant_id, w.cause_id order by w.position) + (
        select count(*)
        from (
          select from public.mails m
          where m.tenant_id = w.tenant_id and m.cause_id = w.cause_id
          limit most
        ) as before
      ) as number
    from unnest(write_mails.mails) with ordinality as w (
      tenant_id, template, cause_id, event_id, event_at, recipient, variables, is_test, is_unpaid, position
    )
    where private.is_email((w.recipient).address)
    order by w.position
  ) m
  on conflict on constraint cause_id_is_unique_in_mails do nothing;
end
$$;
comment on function private.write_mails is
  'Writes mails that are not written yet. Mails of an event beyond the cap mails_per_event are suppressed. A recipient whose address is not valid is left out: no event fails because of its mails.';

create function private.write_mail(
  template text, cause_id uuid, tenant_id uuid, recipients private.recipient[], variables jsonb,
  is_test boolean default false
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mails(array(
    select row(
      write_mail.tenant_id, write_mail.template, write_mail.cause_id, null, null, r, write_mail.variables,
      write_mail.is_test, false
    )::private.new_mail
    from unnest(recipients) as r
  ));
end
$$;
comment on function private.write_mail is 'Writes the mails of a letter that is not sent on an event.';

create function private.write_mails_of_events() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mails(array(
    select row(e.tenant_id, w.template, e.id, e.id, e.created_at, r, '{}'::jsonb, false, u.is_unpaid)::private.new_mail
    from (
      -- Looked up once for each kind of event: an import writes thousands of events in one statement.
      select k.*, l.template, l.is_own
      from (select distinct e.tenant_id, e.name, e.status from new_events e) k
      cross join lateral private.letters_on(k.tenant_id, k.name, k.status) as l
    ) w
    join new_events e
      on e.tenant_id = w.tenant_id and e.name = w.name and e.status is not distinct from w.status
    cross join lateral private.recipients_of(e.tenant_id, e.payload -> 'data') r
    cross join lateral private.is_unpaid_by_buyer(e.tenant_id, e.name, e.payload -> 'data') as u (is_unpaid)
    -- The built-in letters come first, within the bound of an event.
    order by e.created_at, w.is_own
  ));
  return null;
end
$$;
comment on function private.write_mails_of_events() is
  'Statement trigger: writes a mail for each event, letter and recipient.';

create function private.queue_mails() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.mail_queue (mail_id, tenant_id, due_at)
  select w.id, w.tenant_id, w.next_attempt_at from written w where w.next_attempt_at is not null;
  if found then
    perform private.wake('mail-dispatch');
  end if;
  return null;
end
$$;
comment on function private.queue_mails() is 'Statement trigger: queues new mails and wakes the dispatcher.';

-- triggers -------------------------------------------------------------------------------------

create trigger mails_queue
  after insert on public.mails
  referencing new table as written
  for each statement execute function private.queue_mails();

create trigger mails_touch
  before update on public.mails
  for each row execute function private.touch();

create trigger events_write_mails
  after insert on public.events
  referencing new table as new_events
  for each statement execute function private.write_mails_of_events();

-- policies -------------------------------------------------------------------------------------

alter table public.mails enable row level security;
alter table private.mail_queue enable row level security;
alter table private.mail_contents enable row level security;

create policy "Admins see their tenant's mails" on public.mails
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- grants ---------------------------------------------------------------------------------------

grant select on public.mails to authenticated;
grant select on public.mails to service_role;
revoke insert, update, delete, truncate on public.mails from service_role;

-- supabase/schemas/mail/1415_mail_causes.sql

-- Mails that are not sent on an event: about invitations, exports, campaigns and low stock.

-- functions ------------------------------------------------------------------------------------

create function private.once_a_day(subject uuid) returns uuid
language sql stable set search_path = ''
as $$
  select md5(subject::text || (now() at time zone 'utc')::date)::uuid
$$;
comment on function private.once_a_day is
  'The cause of a mail that is sent once a day at most, however often its occasion occurs. subject: the record that the mail is about.';

create function private.write_mail_of_invitation() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The letter gets the token when it is rendered, so that this table never contains it.
  perform private.write_mail(
    'invitation', new.id, new.tenant_id,
    array[private.recipient(new.tenant_id, new.email, '', null, null)],
    jsonb_build_object('invitation', jsonb_build_object('id', new.id, 'role', new.role, 'expires_at', new.expires_at))
  );
  return null;
end
$$;
comment on function private.write_mail_of_invitation() is 'Row trigger: writes a mail to the invited address.';

create function private.write_mail_of_export() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mail(
    'export_ready', new.id, new.tenant_id,
    array[
      private.recipient(
        new.tenant_id, m.email, m.name, private.account_language(u.raw_user_meta_data), new.marketplace_id
      )
    ],
    jsonb_build_object(
      'export', jsonb_build_object(
        'id', new.id, 'type', new.type, 'format', new.format, 'rows', new.rows, 'bytes', new.bytes,
        'expires_at', new.expires_at
      )
    )
  )
  from public.members m
  join auth.users u on u.id = m.user_id
  where m.tenant_id = new.tenant_id and m.email = lower(new.email) and m.status = 'active';
  return null;
end
$$;
comment on function private.write_mail_of_export() is
  'Row trigger: writes a mail to the address of an export that is ready, if that is still an active member.';

create function private.write_mail_of_campaign() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mail(
    case
      when new.status = 'exhausted' then 'campaign_exhausted'
      when new.status = 'rejected' then 'campaign_rejected'
      else 'campaign_approved'
    end,
    case when new.status = 'exhausted' then private.once_a_day(new.id) else gen_random_uuid() end,
    new.tenant_id,
    array(select r from private.members_to_notify(new.tenant_id, new.supplier_id, new.marketplace_id) r),
    jsonb_build_object(
      'campaign', jsonb_build_object(
        'id', new.id, 'product_name', p.name, 'status', new.status, 'pricing_model', new.pricing_model,
        'start_date', new.start_date, 'end_date', new.end_date, 'daily_budget', new.daily_budget,
        'currency', p.currency, 'note', new.note
      )
    )
  )
  from public.products p
  where p.tenant_id = new.tenant_id and p.id = new.product_id;
  return null;
end
$$;
comment on function private.write_mail_of_campaign() is
  'Row trigger: writes a mail to the members of the supplier whose campaign was approved or rejected, or has used up its daily budget (once a day at most).';

create function private.write_mail_of_stock() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mail(
    'low_stock', private.once_a_day(new.id), new.tenant_id,
    array(select r from private.members_to_notify(new.tenant_id, p.supplier_id, p.marketplace_id) r),
    jsonb_build_object(
      'product', jsonb_build_object('id', p.id, 'name', p.name || coalesce(' – ' || v.name, ''), 'sku', v.sku),
      'inventory', jsonb_build_object(
        'available', new.quantity - new.reserved, 'low_stock_threshold', new.low_stock_threshold
      )
    )
  )
  from public.products p
  left join public.product_variants v on v.tenant_id = new.tenant_id and v.id = new.variant_id
  where p.tenant_id = new.tenant_id and p.id = new.product_id;
  return null;
end
$$;
comment on function private.write_mail_of_stock() is
  'Row trigger: writes a mail to the members of the supplier whose stock has fallen to its threshold, once a day at most.';

-- triggers -------------------------------------------------------------------------------------

create trigger invitations_write_mail
  after insert on public.invitations
  for each row execute function private.write_mail_of_invitation();

create trigger exports_write_mail
  after update of status on public.exports
  for each row when (new.status = 'ready' and old.status <> 'ready' and new.email is not null)
  execute function private.write_mail_of_export();

create trigger campaigns_write_mail
  after update of status on public.campaigns
  for each row when (
    new.status <> old.status and (
      new.status in ('exhausted', 'rejected')
      or old.status = 'pending_review' and new.status in ('scheduled', 'active')
    )
  )
  execute function private.write_mail_of_campaign();

-- A threshold of 0 switches the warning off.
create trigger inventory_writes_mail
  after update of quantity, reserved, low_stock_threshold on public.inventory
  for each row when (
    new.low_stock_threshold > 0
    and new.quantity - new.reserved <= new.low_stock_threshold
    and (old.low_stock_threshold = 0 or old.quantity - old.reserved > old.low_stock_threshold)
  )
  execute function private.write_mail_of_stock();

-- supabase/schemas/mail/1420_mail_suppressions.sql

-- Suppressions: addresses that get no more mails, or none of one letter. Recipients unsubscribe from optional letters;
-- providers report bounces and complaints.

-- types ----------------------------------------------------------------------------------------

create type public.suppression_reason as enum ('bounce', 'complaint', 'unsubscribed');

-- tables ---------------------------------------------------------------------------------------

create table public.mail_suppressions (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  email text collate "C" not null,
  template text,
  reason public.suppression_reason not null,
  created_at timestamptz not null default now(),
  constraint mail_suppressions_tenant_id_id_key unique (tenant_id, id),
  constraint email_is_unique_in_mail_suppressions unique nulls not distinct (tenant_id, email, template),
  constraint mail_suppressions_email_is_an_address_in_lower_case check (private.is_email(email))
);
comment on table public.mail_suppressions is
  'Addresses that get no mails of a tenant. template: the key of the letter that is suppressed; null for all letters.';
alter table public.mail_suppressions replica identity using index mail_suppressions_tenant_id_id_key;

-- indexes --------------------------------------------------------------------------------------

create index mail_suppressions_tenant_id_created_at_idx on public.mail_suppressions (tenant_id, created_at desc, id);

-- functions ------------------------------------------------------------------------------------

create function private.is_suppressed(tenant_id uuid, email text, template text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from public.mail_suppressions s
    where s.tenant_id = is_suppressed.tenant_id and s.email = is_suppressed.email
      and (s.template is null or s.template = is_suppressed.template)
  )
$$;
comment on function private.is_suppressed is 'Whether an address gets no mails of this letter.';

create function private.suppress(tenant_id uuid, email text, template text, reason public.suppression_reason)
returns void
language sql security definer set search_path = ''
as $$
  insert into public.mail_suppressions (tenant_id, email, template, reason)
  values (suppress.tenant_id, suppress.email, suppress.template, suppress.reason)
  on conflict on constraint email_is_unique_in_mail_suppressions do nothing
$$;
comment on function private.suppress is 'Suppresses a letter for an address; all letters if template is null.';

create function private.base64url(bytes bytea) returns text
language sql immutable set search_path = ''
as $$
  select rtrim(translate(replace(encode(bytes, 'base64'), e'\n', ''), '+/', '-_'), '=')
$$;
comment on function private.base64url is 'Bytes in the alphabet of URLs, without padding.';

create function private.unsubscribe_token(tenant_id uuid, template text, email text) returns text
language sql stable security definer set search_path = ''
as $$
  select private.base64url(convert_to(what, 'utf8')) || '.' || private.base64url(private.signed('mails', what))
  from (select concat_ws(' ', tenant_id, template, email) as what) as token
$$;
comment on function private.unsubscribe_token is
  'The token that unsubscribes an address from a letter. It is not stored and does not expire. Granted to nobody.';

create function private.read_unsubscribe_token(token text, out tenant_id uuid, out template text, out email text)
language plpgsql stable security definer set search_path = ''
as $$
declare
  read text[];
begin
  if char_length(token) <= 800 and token ~ '^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$' then
    read := regexp_match(
      convert_from(
        decode(rpad(translate(split_part(token, '.', 1), '-_', '+/'), (char_length(split_part(token, '.', 1)) + 3) / 4 * 4, '='), 'base64'),
        'utf8'
      ),
      '^([0-9a-f-]{36}) ([a-z0-9_]+) (.+)$'
    );
    if private.is_uuid(read[1]) and private.unsubscribe_token(read[1]::uuid, read[2], read[3]) = token then
      tenant_id := read[1]::uuid;
      template := read[2];
      email := read[3];
    end if;
  end if;
exception
  -- The token is not base64, or not UTF-8.
  when invalid_parameter_value or character_not_in_repertoire or untranslatable_character then
    tenant_id := null;
end
$$;
comment on function private.read_unsubscribe_token is 'The tenant, letter and address of a token; nulls if the token is not valid.';

create function public.unsubscribe(token text, confirmed boolean) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  found_token record;
begin
  select * into found_token from private.read_unsubscribe_token(token);
  if not exists (select from public.tenants t where t.id = found_token.tenant_id) then
    perform private.refuse('NOT_FOUND', 'This link is not valid. Use the link in the e-mail.');
  end if;
  if confirmed then
    perform private.suppress(found_token.tenant_id, found_token.email, found_token.template, 'unsubscribed');
  end if;
  return jsonb_build_object(
    'email', found_token.email, 'template', found_token.template,
    'unsubscribed', private.is_suppressed(found_token.tenant_id, found_token.email, found_token.template),
    'sender', (private.shop_of(found_token.tenant_id, null)).name,
    'languages', array_remove(
      array[
        (
          select c.language
          from public.customers c
          where c.tenant_id = found_token.tenant_id and c.email = found_token.email
          order by c.created_at
          limit 1
        ),
        (private.shop_of(found_token.tenant_id, null)).language
      ],
      null
    )
  );
end
$$;
comment on function public.unsubscribe is
  'For the functions: unsubscribes the address of a token if confirmed. Returns {email, template, unsubscribed, sender, languages}. Refuses with NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.mail_suppressions
  for each row execute function private.keep_nfc();

create trigger mail_suppressions_are_ended_by_admins
  before delete on public.mail_suppressions
  for each statement execute function private.only_for('admin');

-- policies -------------------------------------------------------------------------------------

alter table public.mail_suppressions enable row level security;

create policy "Admins see their tenant's suppressions" on public.mail_suppressions
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins end suppressions" on public.mail_suppressions
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- grants ---------------------------------------------------------------------------------------

grant select, delete on public.mail_suppressions to authenticated;
grant all on public.mail_suppressions to service_role;
grant execute on function
  private.suppress, private.is_suppressed, private.read_unsubscribe_token, private.shop_of,
  public.unsubscribe
to service_role;

-- supabase/schemas/mail/1425_mail_senders.sql

-- Senders: how many mails a tenant sends and an address gets, whether a tenant may send letters of its own, and when its
-- mail is paused. All tenants send from the address of the project, whose reputation they share.
--
-- Mails are counted when a dispatcher takes them, not in the transaction that writes them. So no order waits for a count,
-- or fails because of one.

-- types ----------------------------------------------------------------------------------------

create type public.tenant_mail_status as enum ('new', 'approved');

create type private.mail_refusal as (status public.mail_status, error text);
comment on type private.mail_refusal is 'Why a mail is not sent, and the status in which it ends. Both are null if it may be sent.';

alter table public.tenants
  add column mail_status public.tenant_mail_status not null default 'new',
  add column mail_paused_at timestamptz;
comment on column public.tenants.mail_status is
  'Whether the owner of the project lets the tenant send letters of its own: new or approved.';
comment on column public.tenants.mail_paused_at is
  'Since when the tenant sends no mails, because too many bounced or were complained about; null if it sends mails.';

create table private.mail_senders (
  tenant_id uuid primary key references public.tenants (id) on delete cascade,
  mails_per_day bigint,
  day date not null default '-infinity',
  mails bigint not null default 0,
  reported_since timestamptz not null default '-infinity',
  constraint mail_senders_mails_per_day_is_not_negative check (mails_per_day >= 0)
);
comment on table private.mail_senders is
  'Tenants that have sent mails. mails_per_day: the tenant''s own bound; null for the cap mails_per_tenant_per_day. mails: those of the day, in UTC. reported_since: when its mail was resumed; reports of older mails do not pause it again.';

create unlogged table private.mail_counts (
  subject bytea primary key,
  sent_at timestamptz[] not null default '{}',
  cause_id uuid,
  counted_at timestamptz not null default now()
);
comment on table private.mail_counts is
  'When addresses got mails within an hour. subject: a keyed hash of the address, for all its mails and for those about unpaid orders. sent_at: as many as the caps allow. cause_id: the last unpaid order''s event. Unlogged: lost in a crash.';

alter table public.mails add column reported public.suppression_reason;
comment on column public.mails.reported is 'What the provider reported about the mail; null if nothing.';

-- indexes --------------------------------------------------------------------------------------

create index mail_counts_counted_at_idx on private.mail_counts (counted_at);
create index mails_sent_idx on public.mails (tenant_id, created_at desc) where status = 'success' or reported is not null;

-- functions: bounds ------------------------------------------------------------------------------

create function private.mail_subject(kind text, address text) returns bytea
language sql stable security definer set search_path = ''
as $$
  -- What follows a plus does not change the mailbox.
  select private.signed('mails', kind || ' ' || regexp_replace(lower(address), '\+[^@]*@', '@'))
$$;
comment on function private.mail_subject is
  'The keyed hash by which mails to an address are counted. kind: address for all mails, unpaid for those about unpaid orders. Granted to nobody.';

create function private.mails_per_day(tenant_id uuid) returns bigint
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (select s.mails_per_day from private.mail_senders s where s.tenant_id = mails_per_day.tenant_id),
    private.cap('mails_per_tenant_per_day')
  )
$$;
comment on function private.mails_per_day is 'How many mails a tenant may send in a day.';

create function private.mails_of_today(tenant_id uuid) returns bigint
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (
      select s.mails
      from private.mail_senders s
      where s.tenant_id = mails_of_today.tenant_id and s.day = (now() at time zone 'utc')::date
    ),
    0
  )
$$;
comment on function private.mails_of_today is 'How many mails a tenant has sent today, in UTC.';

create function private.mails_of_this_hour(subject bytea) returns bigint
language sql stable security definer set search_path = ''
as $$
  select count(*)
  from private.mail_counts c
  cross join unnest(c.sent_at) as s (at)
  where c.subject = mails_of_this_hour.subject and s.at > now() - interval '1 hour'
$$;
comment on function private.mails_of_this_hour is 'How many mails of a subject of mail_counts were sent within an hour.';

create function private.hold_mail_counts(mails public.mails[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  senders constant uuid[] := array(select distinct m.tenant_id from unnest(mails) m order by m.tenant_id);
begin
  -- All transactions lock tenants before addresses, each in this order, which prevents deadlocks.
  insert into private.mail_senders (tenant_id)
  select s.id from unnest(senders) as s (id)
  on conflict on constraint mail_senders_pkey do nothing;
  perform from private.mail_senders s where s.tenant_id = any (senders) order by s.tenant_id for no key update;
  insert into private.mail_counts (subject)
  select distinct private.mail_subject(k.kind, m."to") as subject
  from unnest(mails) m
  cross join (values ('address'), ('unpaid')) as k (kind)
  where (k.kind = 'address' or m.is_unpaid)
    -- Mails beyond the bound of their tenant take no space.
    and private.mails_of_today(m.tenant_id) < private.mails_per_day(m.tenant_id)
  order by subject
  on conflict on constraint mail_counts_pkey do update set counted_at = now();
end
$$;
comment on function private.hold_mail_counts is
  'Locks the counts of the tenants and addresses of mails, so that several dispatchers count one after the other. They wait only for the same tenants and addresses.';

create function private.count_mail(subject bytea, cause_id uuid) returns void
language sql security definer set search_path = ''
as $$
  insert into private.mail_counts as c (subject, sent_at, cause_id)
  values (count_mail.subject, array[now()], count_mail.cause_id)
  on conflict on constraint mail_counts_pkey do update
  set sent_at = array(select s.at from unnest(c.sent_at) as s (at) where s.at > now() - interval '1 hour') || now(),
      cause_id = excluded.cause_id,
      counted_at = now()
$$;
comment on function private.count_mail is 'Counts a mail of a subject of mail_counts, and forgets those of more than an hour ago.';

create function private.exceeded_mail_bound(mail public.mails) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  unpaid constant bytea := private.mail_subject('unpaid', mail."to");
begin
  if private.mails_of_today(mail.tenant_id) >= private.mails_per_day(mail.tenant_id) then
    return format(
      'The tenant has sent its %s mails of today, in UTC. The owner of the project can raise this number.',
      private.mails_per_day(mail.tenant_id)
    );
  elsif private.mails_of_this_hour(private.mail_subject('address', mail."to")) >= private.cap('mails_per_address_per_hour')
    or mail.is_unpaid
      and private.mails_of_this_hour(unpaid) >= private.cap('unpaid_orders_per_address_per_hour')
      and not exists (select from private.mail_counts c where c.subject = unpaid and c.cause_id = mail.cause_id)
  then
    -- One text for both: a tenant learns nothing about the orders of other tenants.
    return 'This address has had too many mails this hour.';
  end if;
  return null;
end
$$;
comment on function private.exceeded_mail_bound is
  'The bound of its tenant or address that a mail exceeds; null if it exceeds none. All mails of one event about an unpaid order count as one order.';

create function private.count_as_sent(mail public.mails) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  today constant date := (now() at time zone 'utc')::date;
  unpaid constant bytea := private.mail_subject('unpaid', mail."to");
begin
  update private.mail_senders s
  set mails = private.mails_of_today(mail.tenant_id) + 1, day = today
  where s.tenant_id = mail.tenant_id;
  perform private.count_mail(private.mail_subject('address', mail."to"), null);
  if mail.is_unpaid
    and not exists (select from private.mail_counts c where c.subject = unpaid and c.cause_id = mail.cause_id)
  then
    perform private.count_mail(unpaid, mail.cause_id);
  end if;
  update private.mail_queue q set is_counted = true where q.mail_id = mail.id;
end
$$;
comment on function private.count_as_sent is 'Counts a mail for its tenant and its address.';

-- functions: letters of the tenant -----------------------------------------------------------------

create function private.is_own_letter(mail public.mails) returns boolean
language sql stable security definer set search_path = ''
as $$
  select mail.is_test or not exists (select from private.letters l where l.key = mail.template)
$$;
comment on function private.is_own_letter is 'Whether a mail has a letter of the tenant that no built-in one can replace.';

create function private.unused_own_letter(mail public.mails) returns text
language sql stable security definer set search_path = ''
as $$
  select 'Your own letter is sent once the owner of the project has approved your mail.'
  from public.tenants t
  where t.id = mail.tenant_id and t.mail_status <> 'approved'
    and (
      private.is_own_letter(mail)
      or exists (select from public.email_templates e where e.tenant_id = mail.tenant_id and e.key = mail.template)
    )
$$;
comment on function private.unused_own_letter is
  'Why a mail does not have the tenant''s own letter; null if it has, or if there is none.';

-- functions: sending -----------------------------------------------------------------------------

create function private.refused_mail(mail public.mails) returns private.mail_refusal
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_paused constant boolean := (select t.mail_paused_at is not null from public.tenants t where t.id = mail.tenant_id);
  refusal private.mail_refusal;
begin
  if private.is_suppressed(mail.tenant_id, mail."to", mail.template) then
    refusal.status := 'suppressed';
    refusal.error := 'The address is suppressed: it has unsubscribed, complained or bounced.';
  elsif mail.attempts = 0 and mail.created_at < now() - interval '1 day' then
    refusal.status := 'failed';
    refusal.error := 'No dispatcher could send it within a day: check MAIL_URL and MAIL_FROM.';
  elsif is_paused then
    refusal.status := 'failed';
    refusal.error := 'The mail of the tenant is paused, because too many of its mails bounced or were complained about. '
      || 'The owner of the project can resume it.';
  elsif private.is_own_letter(mail) and private.unused_own_letter(mail) is not null then
    refusal.status := 'suppressed';
    refusal.error := private.unused_own_letter(mail);
  end if;
  return refusal;
end
$$;
comment on function private.refused_mail is 'Why a mail may not be sent now, apart from the bounds.';

create function private.admit_mail(mail public.mails) returns text
language plpgsql security definer set search_path = ''
as $$
declare
  exceeded text;
begin
  if (select q.is_counted from private.mail_queue q where q.mail_id = mail.id) then
    return null;
  end if;
  exceeded := private.exceeded_mail_bound(mail);
  if exceeded is null then
    perform private.count_as_sent(mail);
  end if;
  return exceeded;
end
$$;
comment on function private.admit_mail is
  'Counts a mail that is within the bounds, once; otherwise returns the bound that it exceeds. Requires private.hold_mail_counts.';

-- functions: reports -----------------------------------------------------------------------------

create function private.record_mail_report(mail public.mails, reason public.suppression_reason) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.suppress(mail.tenant_id, mail."to", null, record_mail_report.reason);
  update public.mails m set reported = record_mail_report.reason where m.id = mail.id and m.reported is null;
  insert into private.mail_senders (tenant_id) values (mail.tenant_id)
  on conflict on constraint mail_senders_pkey do nothing;
  -- Reports of a tenant that arrive together are counted one after the other.
  perform from private.mail_senders s where s.tenant_id = mail.tenant_id for no key update;
  update public.tenants t
  set mail_paused_at = now()
  where t.id = mail.tenant_id and t.mail_paused_at is null
    and (
      select count(l.reported)
      from (
        select m.reported
        from public.mails m
        where m.tenant_id = mail.tenant_id and (m.status = 'success' or m.reported is not null)
          and m.created_at >= (select s.reported_since from private.mail_senders s where s.tenant_id = mail.tenant_id)
        order by m.created_at desc
        limit 100
      ) as l
    ) > private.cap('mail_reports');
end
$$;
comment on function private.record_mail_report is
  'Records a bounce or a complaint: suppresses all mails of the tenant to the address, and pauses the tenant''s mail beyond the cap mail_reports.';

create function private.report_mail(provider_id text, email text, reason public.suppression_reason) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  mail public.mails;
begin
  select m.* into mail
  from public.mails m
  where m.provider_id = report_mail.provider_id and m."to" = lower(report_mail.email);
  if not found then
    return false;
  end if;
  perform private.record_mail_report(mail, report_mail.reason);
  return true;
end
$$;
comment on function private.report_mail is 'As public.report_mail.';

create function public.report_mail(provider_id text, email text, reason public.suppression_reason) returns boolean
language plpgsql set search_path = ''
as $$
begin
  return private.report_mail(provider_id, email, reason);
end
$$;
comment on function public.report_mail is
  'For the functions: records a bounce or a complaint that a provider reports. Suppresses all mails of the tenant to the address, and pauses the mail of a tenant with too many reports. False if the mail with this provider_id was not sent to the address.';

-- functions: for the owner of the project ------------------------------------------------------------

create function private.check_tenant_exists(tenant_id uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not exists (select from public.tenants t where t.id = check_tenant_exists.tenant_id) then
    perform private.refuse('NOT_FOUND', 'There is no such tenant.', 'tenant_id', to_jsonb(tenant_id));
  end if;
end
$$;
comment on function private.check_tenant_exists is 'Refuses with NOT_FOUND an id that no tenant has.';

create function public.set_mail_status(tenant_id uuid, status public.tenant_mail_status) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.check_tenant_exists(tenant_id);
  update public.tenants t set mail_status = set_mail_status.status where t.id = set_mail_status.tenant_id;
end
$$;
comment on function public.set_mail_status is
  'For the operator: approves a tenant''s mail, so that letters of its own are sent, or takes that back with new. Refuses with NOT_FOUND.';

create function public.set_mails_per_day(tenant_id uuid, mails_per_day bigint) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.check_tenant_exists(tenant_id);
  insert into private.mail_senders (tenant_id, mails_per_day)
  values (set_mails_per_day.tenant_id, set_mails_per_day.mails_per_day)
  on conflict on constraint mail_senders_pkey do update set mails_per_day = excluded.mails_per_day;
end
$$;
comment on function public.set_mails_per_day is
  'For the operator: sets how many mails a tenant may send in a day; null for the cap mails_per_tenant_per_day. Refuses with NOT_FOUND.';

create function public.resume_mail(tenant_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.check_tenant_exists(tenant_id);
  insert into private.mail_senders (tenant_id, reported_since)
  values (resume_mail.tenant_id, now())
  on conflict on constraint mail_senders_pkey do update set reported_since = excluded.reported_since;
  update public.tenants t set mail_paused_at = null where t.id = resume_mail.tenant_id;
end
$$;
comment on function public.resume_mail is
  'For the operator: resumes a tenant''s mail that was paused. Reports of mails from before do not pause it again. Refuses with NOT_FOUND.';

-- policies -------------------------------------------------------------------------------------

alter table private.mail_senders enable row level security;
alter table private.mail_counts enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select, insert, update on private.mail_senders to service_role;
grant execute on function
  private.report_mail, private.check_tenant_exists,
  public.report_mail, public.set_mail_status, public.set_mails_per_day, public.resume_mail
to service_role;

-- supabase/schemas/mail/1430_mail_dispatch.sql

-- Dispatch: the function `mail-dispatch` takes mails that are due, renders those that are new and stores the result, and
-- sends one mail after the other. It completes a mail only when the one before it is recorded. So a dispatcher that is
-- killed between a send and its record leaves at most one mail that is sent again: with the same content, Message-ID
-- and idempotency key.
--
-- A dispatcher has a lease of the mails that it has taken, and reports with that lease. pg_net wakes the function after
-- a commit, and a job each minute for mails that remain.

-- tables ---------------------------------------------------------------------------------------

create table private.mail_schedule (
  attempt integer primary key,
  wait interval not null
);
comment on table private.mail_schedule is 'How long after the failure of the previous attempt each attempt is made.';

-- functions: due mails ---------------------------------------------------------------------------

create function private.kick_mail_dispatch() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from private.mail_queue q where q.lease is null and q.due_at <= clock_timestamp()) then
    perform private.wake('mail-dispatch');
  end if;
end
$$;
comment on function private.kick_mail_dispatch() is 'Wakes the dispatcher if a mail is due.';

create function private.end_mail(
  mail_id uuid, status public.mail_status, error text, provider_id text default null, was_tried boolean default true
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.mail_queue q where q.mail_id = end_mail.mail_id;
  -- A mail that failed keeps its content for a retry.
  delete from private.mail_contents c where c.mail_id = end_mail.mail_id and end_mail.status = 'success';
  -- One update, since each update of the status writes to all indexes.
  update public.mails m
  set status = end_mail.status,
      attempts = m.attempts + end_mail.was_tried::integer,
      error = end_mail.error,
      provider_id = coalesce(end_mail.provider_id, m.provider_id),
      next_attempt_at = null,
      sent_at = case when end_mail.status = 'success' then clock_timestamp() end
  where m.id = end_mail.mail_id;
end
$$;
comment on function private.end_mail is 'Ends a mail: it was sent, or has failed with this error. was_tried: whether that was an attempt.';

create function private.miss_mail(mail_id uuid, error text, is_final boolean default false) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  wait interval := (
    -- Up to a tenth later, so that mails that failed together are not all due together.
    select s.wait * (1 + 0.1 * random())
    from private.mail_queue q
    join private.mail_schedule s on s.attempt = q.tries + 2
    where q.mail_id = miss_mail.mail_id and not miss_mail.is_final
  );
begin
  if wait is null then
    perform private.end_mail(miss_mail.mail_id, 'failed', miss_mail.error);
    return;
  end if;
  update private.mail_queue q
  set tries = q.tries + 1, due_at = clock_timestamp() + wait, lease = null, leased_until = null
  where q.mail_id = miss_mail.mail_id;
  update public.mails m
  set status = 'retrying', attempts = m.attempts + 1, error = miss_mail.error,
      next_attempt_at = clock_timestamp() + wait
  where m.id = miss_mail.mail_id;
end
$$;
comment on function private.miss_mail is
  'Records a failed attempt and plans the next one; ends the mail if it was the last one, or is_final.';

create function private.end_mail_leases() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- The dispatcher may have crashed because of this mail, so that it counts as a failed attempt.
  perform private.miss_mail(over.mail_id, 'The dispatcher ended before it recorded the result.')
  from (
    select q.mail_id
    from private.mail_queue q
    where q.leased_until <= clock_timestamp()
    limit 1000
    for update skip locked
  ) as over;
end
$$;
comment on function private.end_mail_leases() is 'Records a failed attempt for mails whose lease has ended.';

create function private.mails_in_turn(batch integer) returns setof uuid
language plpgsql volatile security definer
-- A session keeps the plan that it made while the table was small, and that plan has to use the index too.
set search_path = '' set enable_seqscan = off
as $$
declare
  moment timestamptz := clock_timestamp();
  -- Random, so that every tenant is first in some batch if there are too many tenants for one.
  beginning uuid := gen_random_uuid();
begin
  return query
  with recursive tenants (tenant_id, number) as (
    (
      select q.tenant_id, 1
      from private.mail_queue q
      where q.lease is null and q.tenant_id >= beginning
      order by q.tenant_id
      limit 1
    )
    union all
    select next.tenant_id, t.number + 1
    from tenants t
    cross join lateral (
      select q.tenant_id
      from private.mail_queue q
      where q.lease is null and q.tenant_id > t.tenant_id
      order by q.tenant_id
      limit 1
    ) as next
    where t.number < 200
  ),
  others (tenant_id, number) as (
    (
      select q.tenant_id, 1
      from private.mail_queue q
      where q.lease is null and q.tenant_id < beginning
      order by q.tenant_id
      limit 1
    )
    union all
    select next.tenant_id, o.number + 1
    from others o
    cross join lateral (
      select q.tenant_id
      from private.mail_queue q
      where q.lease is null and q.tenant_id > o.tenant_id and q.tenant_id < beginning
      order by q.tenant_id
      limit 1
    ) as next
    where o.number < 200
  )
  select due.mail_id
  from (select t.tenant_id from tenants t union all select o.tenant_id from others o) as t
  cross join lateral (
    select q.mail_id, row_number() over (order by q.due_at) as nth
    from (
      select q.mail_id, q.due_at
      from private.mail_queue q
      where q.tenant_id = t.tenant_id and q.lease is null and q.due_at <= moment
      order by q.due_at
      limit batch
    ) q
  ) as due
  -- The first mail of each tenant comes before the second mail of any tenant.
  order by due.nth
  limit batch;
end
$$;
comment on function private.mails_in_turn is 'Mails that are due: the first ones of up to 400 tenants, then the second ones, and so on.';

-- functions: variables of letters ----------------------------------------------------------------

create function private.letter_pieces(item jsonb, pieces integer) returns jsonb
language sql immutable set search_path = ''
return item || jsonb_build_object('quantity', pieces, 'amount', (item ->> 'price')::numeric * pieces);
comment on function private.letter_pieces is 'Some pieces of an item of an order, with their price as amount.';

create function private.letter_order(details jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  with item as materialized (
    select
      i.value as item, i.position, (i.value ->> 'price')::numeric as price,
      n.shipped_quantity - n.delivered_quantity - n.lost_quantity as sent,
      n.cancelled_quantity as cancelled, n.returned_quantity as returned, n.lost_quantity as lost,
      n.quantity - n.cancelled_quantity - n.returned_quantity - n.lost_quantity as kept
    from jsonb_array_elements(details -> 'items') with ordinality as i (value, position)
    cross join lateral jsonb_to_record(i.value) as n (
      quantity integer, shipped_quantity integer, delivered_quantity integer, cancelled_quantity integer,
      returned_quantity integer, lost_quantity integer
    )
  ),
  delivery as (
    select
      coalesce(sum(p.delivery_amount) filter (where p.delivery_owed), 0) as owed,
      coalesce(sum(p.delivery_amount) filter (where p.status = 'cancelled'), 0) as cancelled
    from jsonb_to_recordset(details -> 'parts') as p (status text, delivery_owed boolean, delivery_amount numeric)
  )
  select details || jsonb_build_object(
    'sent_items',
      coalesce(jsonb_agg(private.letter_pieces(i.item, i.sent) order by i.position) filter (where i.sent > 0), '[]'),
    'cancelled_items',
      coalesce(jsonb_agg(private.letter_pieces(i.item, i.cancelled) order by i.position) filter (where i.cancelled > 0), '[]'),
    'returned_items',
      coalesce(jsonb_agg(private.letter_pieces(i.item, i.returned) order by i.position) filter (where i.returned > 0), '[]'),
    'lost_items',
      coalesce(jsonb_agg(private.letter_pieces(i.item, i.lost) order by i.position) filter (where i.lost > 0), '[]'),
    'cancelled_amount', sum(i.price * i.cancelled) + min(d.cancelled), 'cancelled_delivery', min(d.cancelled),
    'returned_amount', sum(i.price * i.returned), 'lost_amount', sum(i.price * i.lost),
    'owed_amount', sum(i.price * i.kept) + min(d.owed), 'owed_delivery', min(d.owed)
  )
  from item i
  cross join delivery d
$$;
comment on function private.letter_order is
  'The order of an event for a letter, with its pieces in each state as lists and sums: sent_items (on their way), cancelled_items, returned_items, lost_items. owed_amount: its price then, as private.owed_amount. All are empty if the event is truncated.';

create function private.letter_items(items jsonb, order_items jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_agg(
    jsonb_build_object(
      'name', o.value -> 'name', 'price', o.value -> 'price',
      'amount', (o.value ->> 'price')::numeric * (i.value ->> 'quantity')::integer
    ) || i.value
    order by i.position
  )
  from jsonb_array_elements(items) with ordinality as i (value, position)
  left join jsonb_array_elements(order_items) as o (value) on o.value ->> 'id' = i.value ->> 'item_id'
$$;
comment on function private.letter_items is
  'The items of a shipment, cancellation, return or refund for a letter: with the name and price of the order''s item, and their amount.';

create function private.letter_variables(mail public.mails) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  event_data jsonb := coalesce(
    (
      select e.payload -> 'data' || jsonb_strip_nulls(jsonb_build_object(
        'old_status', e.payload -> 'old_status', 'new_status', e.payload -> 'new_status'
      ))
      from public.events e
      where e.tenant_id = mail.tenant_id and e.created_at = mail.event_at and e.id = mail.event_id
    ),
    '{}'
  );
begin
  if event_data ? 'order' then
    -- The commissions of suppliers and the notes of members are not for buyers.
    event_data := jsonb_set(
      event_data, '{order}',
      private.letter_order(event_data -> 'order') - '{commissions,notes,history}'::text[]
        || jsonb_build_object('note', event_data #> '{order,history,-1,note}')
    ) || (
      select coalesce(
        jsonb_object_agg(
          d.key,
          d.value || jsonb_build_object(
            'items', private.letter_items(d.value -> 'items', event_data #> '{order,items}')
          )
        ),
        '{}'
      )
      from jsonb_each(event_data) as d
      where d.key in ('shipment', 'cancellation', 'return', 'payment') and jsonb_typeof(d.value -> 'items') = 'array'
    );
  end if;
  return event_data || mail.variables
    || coalesce(
      -- Found by the cause of the mail, not by its variables, which an admin chooses for a test.
      (
        select jsonb_build_object(
          'invitation',
          mail.variables -> 'invitation' || jsonb_build_object('token', private.invitation_token(i.id))
        )
        from public.invitations i
        where i.tenant_id = mail.tenant_id and i.id = mail.cause_id and i.email = mail."to"
          and mail.template = 'invitation'
      ),
      '{}'
    )
    || case
      when event_data ? 'order' then jsonb_build_object('customer', jsonb_build_object('name', mail.name, 'email', mail."to"))
      else '{}'
    end;
end
$$;
comment on function private.letter_variables is
  'The variables of a letter: the data of its event that its recipient may see, and the mail''s own.';

create function private.letter_marketplace(shop public.marketplaces) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', shop.id, 'name', shop.name, 'domain', shop.domain, 'currency', shop.currency, 'language', shop.language,
    'settings', jsonb_build_object('branding', shop.settings -> 'branding'),
    'reply_to', shop.settings #>> '{business,reply_to}'
  )
$$;
comment on function private.letter_marketplace is 'The variable marketplace of a letter, and reply_to for its headers.';

create function private.letter_to_send(mail public.mails, lease uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'id', mail.id, 'lease', letter_to_send.lease, 'to', mail."to", 'name', mail.name, 'template', mail.template,
      'is_test', mail.is_test,
      'languages', mail.languages,
      'content', (
        select jsonb_build_object('subject', c.subject, 'html', c.html, 'text', c.text)
        from private.mail_contents c
        where c.mail_id = mail.id
      ),
      'own', (
        select jsonb_build_object('subject', t.subject, 'html_content', t.html_content, 'text_content', t.text_content)
        from public.email_templates t
        where t.tenant_id = mail.tenant_id and t.key = mail.template and n.mail_status = 'approved'
      ),
      'tenant', jsonb_build_object('name', n.name),
      'time_zone', n.time_zone,
      'marketplace', (
        select private.letter_marketplace(m)
        from public.marketplaces m
        where m.tenant_id = mail.tenant_id and m.id = mail.marketplace_id
      ),
      'variables', private.letter_variables(mail),
      'files', case
        when mail.template = 'export_ready' then (
          select to_jsonb(e.files)
          from public.exports e
          where e.tenant_id = mail.tenant_id and e.id = mail.cause_id
        )
      end,
      -- The letters of a tenant are optional, too.
      'unsubscribe_token', case
        when not exists (select from private.letters l where l.key = mail.template and not l.is_optional)
          then private.unsubscribe_token(mail.tenant_id, mail.template, mail."to")
      end
    )
    from public.tenants n
    where n.id = mail.tenant_id
  );
end
$$;
comment on function private.letter_to_send is 'A mail with everything that rendering and sending it requires.';

-- functions: for the dispatcher -------------------------------------------------------------------

create function private.hold_due_mails(batch integer) returns setof public.mails
language plpgsql security definer set search_path = ''
as $$
begin
  return query
  select m.*
  from private.mail_queue q
  join public.mails m on m.id = q.mail_id
  where q.mail_id = any (array(select private.mails_in_turn(hold_due_mails.batch))) and q.lease is null
  for update of q skip locked;
end
$$;
comment on function private.hold_due_mails is 'Up to batch mails that are due, of all tenants in turn, until the end of the transaction.';

create function private.lease_mails(batch integer) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  most_bytes constant bigint := private.cap('dispatch_bytes') / 2;
  new_lease constant uuid := gen_random_uuid();
  taken jsonb := jsonb_build_array();
  bytes bigint := 0;
  due constant public.mails[] := array(select private.hold_due_mails(lease_mails.batch));
  allowed public.mails[] := '{}'::public.mails[];
  refusal private.mail_refusal;
  exceeded text;
  letter jsonb;
  mail public.mails;
begin
  if cardinality(due) = 0 then
    return null;
  end if;
  foreach mail in array due loop
    refusal := private.refused_mail(mail);
    if refusal.status is null then
      allowed := allowed || mail;
    else
      perform private.end_mail(mail.id, refusal.status, refusal.error, was_tried => false);
    end if;
  end loop;
  perform private.hold_mail_counts(allowed);
  foreach mail in array allowed loop
    exceeded := private.admit_mail(mail);
    if exceeded is not null then
      perform private.end_mail(mail.id, 'suppressed', exceeded, was_tried => false);
      continue;
    end if;
    letter := private.letter_to_send(mail, new_lease);
    bytes := bytes + octet_length(letter::text);
    exit when bytes > most_bytes and taken <> '[]';
    update private.mail_queue q
    set lease = new_lease, leased_until = clock_timestamp() + interval '2 minutes'
    where q.mail_id = mail.id;
    taken := taken || letter;
  end loop;
  return taken;
end
$$;
comment on function private.lease_mails is
  'Leases up to batch mails that are due, and ends those that may not be sent. Null if none is due, an empty list if all have ended.';

create function private.take_mails(batch integer) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  taken jsonb;
begin
  if take_mails.batch < 1 then
    perform private.kick_mail_dispatch();
    return '[]'::jsonb;
  end if;
  perform private.end_mail_leases();
  -- The dispatcher stops at an empty list, which mails that have ended do not mean.
  for round in 1..10 loop
    taken := private.lease_mails(take_mails.batch);
    if taken is null or taken <> '[]'::jsonb then
      return coalesce(taken, '[]');
    end if;
  end loop;
  perform private.kick_mail_dispatch();
  return taken;
end
$$;
comment on function private.take_mails is 'As public.take_mails.';

create function public.take_mails(batch integer) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.take_mails(batch);
end
$$;
comment on function public.take_mails is
  'For the dispatcher: leases up to batch mails that are due for two minutes, of all tenants in turn. Returns each with everything that rendering it requires, or with its content if it is rendered. A mail that is not recorded within the lease has had a failed attempt. With batch 0 it takes none, and wakes another dispatcher if any are due.';

create function private.keep_letters(letters jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  letter record;
begin
  for letter in
    select l.*, q.tenant_id
    from jsonb_to_recordset(letters) as l (id uuid, lease uuid, subject text, html text, text text, error text)
    join private.mail_queue q on q.mail_id = l.id and q.lease = l.lease
  loop
    if letter.html is null then
      -- Each attempt would fail.
      perform private.miss_mail(letter.id, letter.error, is_final => true);
    else
      insert into private.mail_contents (mail_id, tenant_id, subject, html, text)
      values (letter.id, letter.tenant_id, letter.subject, letter.html, letter.text)
      on conflict on constraint mail_contents_pkey do nothing;
      update public.mails m
      set subject = letter.subject, error = coalesce(letter.error, private.unused_own_letter(m))
      where m.id = letter.id;
    end if;
  end loop;
end
$$;
comment on function private.keep_letters is 'As public.keep_letters.';

create function public.keep_letters(letters jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.keep_letters(letters);
end
$$;
comment on function public.keep_letters is
  'For the dispatcher: stores rendered letters, {id, lease, subject, html, text, error}, before they are sent; a letter without html cannot be rendered. error: why the built-in letter replaces the tenant''s.';

create function private.record_mail(
  id uuid, lease uuid, outcome text, provider_id text, error text, retry_after_seconds integer, address_gone boolean
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  mail public.mails;
  due timestamptz;
begin
  -- A report with a lease that has ended changes nothing, unless the mail was sent.
  select m.* into mail
  from private.mail_queue q
  join public.mails m on m.id = q.mail_id
  where q.mail_id = record_mail.id and (q.lease = record_mail.lease or record_mail.outcome = 'sent')
  for update of q;
  if not found then
    return;
  end if;
  case record_mail.outcome
    when 'sent' then
      -- The error of a tenant's template, which the built-in letter has replaced, is kept.
      perform private.end_mail(mail.id, 'success', case when mail.status = 'pending' then mail.error end, record_mail.provider_id);
    when 'untried', 'throttled' then
      update private.mail_queue q
      set lease = null, leased_until = null,
          due_at = clock_timestamp() + make_interval(secs => least(greatest(coalesce(retry_after_seconds, 0), 0), 3600))
      where q.mail_id = mail.id
      returning q.due_at into due;
      update public.mails m set next_attempt_at = due where m.id = mail.id;
    else
      if record_mail.address_gone then
        perform private.record_mail_report(mail, 'bounce');
      end if;
      perform private.miss_mail(mail.id, left(record_mail.error, 1000), record_mail.outcome = 'permanent');
  end case;
end
$$;
comment on function private.record_mail is 'As public.record_mail.';

create function public.record_mail(
  id uuid, lease uuid, outcome text, provider_id text default null, error text default null,
  retry_after_seconds integer default null, address_gone boolean default false
) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.record_mail(id, lease, outcome, provider_id, error, retry_after_seconds, address_gone);
end
$$;
comment on function public.record_mail is
  'For the dispatcher: records the outcome of a mail. outcome: sent; throttled or untried: no attempt, due again after retry_after_seconds; temporary: a failed attempt of five; permanent: failed. address_gone: the address does not exist, and is suppressed.';

create function private.sweep_mails() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.end_mail_leases();
  delete from public.mails m
  where m.id in (select d.id from public.mails d where d.created_at < now() - interval '90 days' limit 10000);
  delete from private.mail_counts c
  where c.subject in (
    select d.subject
    from private.mail_counts d
    where d.counted_at < now() - interval '1 hour'
    limit 10000
    for update skip locked
  );
  perform private.kick_mail_dispatch();
end
$$;
comment on function private.sweep_mails() is
  'Wakes the dispatcher for mails that are due, ends leases of crashed dispatchers, and deletes mails after 90 days and counts of addresses after an hour.';

-- functions: for admins ----------------------------------------------------------------------------

create function private.retry_mail(mail_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  mail public.mails;
begin
  select m.* into mail
  from public.mails m
  where m.tenant_id = private.tenant_id() and m.id = retry_mail.mail_id and private.tenant_role() = 'admin'
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such mail.');
  elsif mail.status <> 'failed' then
    perform private.refuse(
      'CONFLICT', 'Only a mail that has failed can be sent again.',
      'status', to_jsonb(mail.status)
    );
  end if;
  update public.mails m
  set status = (case when m.attempts = 0 then 'pending' else 'retrying' end)::public.mail_status, next_attempt_at = now()
  where m.id = mail.id
  returning m.* into mail;
  insert into private.mail_queue (mail_id, tenant_id, due_at) values (mail.id, mail.tenant_id, now());
  perform private.wake('mail-dispatch');
  return to_jsonb(mail);
end
$$;
comment on function private.retry_mail is 'As public.retry_mail.';

create function public.retry_mail(mail_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Only admins may retry mails.');
  end if;
  return private.retry_mail(mail_id);
end
$$;
comment on function public.retry_mail is
  'For admins: sends a mail that has failed again, with the same content, in up to five attempts. Returns its record. Refuses with FORBIDDEN, NOT_FOUND, CONFLICT.';

create function private.test_email_template(template_id uuid, variables jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  template public.email_templates;
  cause constant uuid := gen_random_uuid();
  caller public.members;
begin
  select t.* into template
  from public.email_templates t
  where t.tenant_id = private.tenant_id() and t.id = test_email_template.template_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such e-mail template.');
  end if;
  select m.* into caller
  from public.members m
  where m.tenant_id = template.tenant_id and m.user_id = auth.uid();
  perform private.write_mail(
    template.key, cause, template.tenant_id,
    array[private.recipient(template.tenant_id, caller.email, caller.name, null, null)], test_email_template.variables,
    is_test => true
  );
  return (select to_jsonb(m) from public.mails m where m.tenant_id = template.tenant_id and m.cause_id = cause);
end
$$;
comment on function private.test_email_template is 'As public.test_email_template.';

create function private.check_may_test_mails() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Only admins may send test mails.');
  end if;
end
$$;
comment on function private.check_may_test_mails is 'Refuses with FORBIDDEN callers who may not send test mails.';

create function public.test_email_template(template_id uuid, variables jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.check_may_test_mails();
  return private.test_email_template(template_id, variables);
end
$$;
comment on function public.test_email_template is
  'For admins: sends an e-mail template to the caller, with these variables. Returns the mail. Refuses with FORBIDDEN, NOT_FOUND.';

create function public.email_template_preview(
  template_id uuid, marketplace_id uuid default null, is_test boolean default false
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  template public.email_templates;
begin
  if is_test then
    perform private.check_may_test_mails();
  end if;
  select t.* into template from public.email_templates t where t.id = email_template_preview.template_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such e-mail template.');
  end if;
  return (
    select jsonb_build_object(
      'key', template.key,
      'own', jsonb_build_object(
        'subject', template.subject, 'html_content', template.html_content, 'text_content', template.text_content
      ),
      'tenant', jsonb_build_object('name', n.name),
      'time_zone', n.time_zone,
      'marketplace', (
        select private.letter_marketplace(m)
        from public.marketplaces m
        where m.tenant_id = template.tenant_id
          and (email_template_preview.marketplace_id is null or m.id = email_template_preview.marketplace_id)
        order by m.status = 'active' desc, m.created_at, m.id
        limit 1
      )
    )
    from public.tenants n
    where n.id = template.tenant_id
  );
end
$$;
comment on function public.email_template_preview is
  'For the functions: everything that rendering an e-mail template requires: {key, own, tenant, time_zone, marketplace}. With is_test only for those who may send test mails. Refuses with FORBIDDEN, NOT_FOUND.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.take_mails, private.keep_letters, private.record_mail,
  public.take_mails, public.keep_letters, public.record_mail
to service_role;
grant execute on function
  private.letter_marketplace, private.retry_mail, private.check_may_test_mails, private.test_email_template, public.retry_mail, public.test_email_template,
  public.email_template_preview
to authenticated;

-- policies -------------------------------------------------------------------------------------

alter table private.mail_schedule enable row level security;

-- supabase/schemas/visitors/1510_visitor_rights.sql

-- What a visitor may read, and the events that it may report: the whole list. A visitor has the project's public key and
-- names an active marketplace; without one, every rule here is false.

-- functions ------------------------------------------------------------------------------------

create function private.sells_here(supplier_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select
    from public.products p
    where p.tenant_id = private.tenant_id() and p.supplier_id = sells_here.supplier_id
      and p.marketplace_id = private.marketplace_id() and p.status in ('active', 'out_of_stock')
  );
end
$$;
comment on function private.sells_here is 'Whether a supplier has products for sale or sold out on the marketplace that a visitor visits.';

-- policies -------------------------------------------------------------------------------------

create policy "Visitors see the categories" on public.categories
  for select to anon
  using (tenant_id = (select private.tenant_id()));

create policy "Visitors see the suppliers who sell on their marketplace" on public.suppliers
  for select to anon
  using (tenant_id = (select private.tenant_id()) and private.sells_here(id));

create policy "Visitors see what is for sale on their marketplace" on public.products
  for select to anon
  using (
    tenant_id = (select private.tenant_id()) and marketplace_id = (select private.marketplace_id()) and status = 'active'
  );

create policy "Visitors who see a product see its variants" on public.product_variants
  for select to anon
  using (tenant_id = (select private.tenant_id()) and (select true from public.products p where p.id = product_id));

create policy "Visitors who see a product see its stock" on public.inventory
  for select to anon
  using (tenant_id = (select private.tenant_id()) and (select true from public.products p where p.id = product_id));

create policy "Visitors who see a product see its calendar" on public.service_calendars
  for select to anon
  using (tenant_id = (select private.tenant_id()) and (select true from public.products p where p.id = product_id));

create policy "Visitors see what is published for everybody on their marketplace" on public.published_content
  for select to anon
  using (
    tenant_id = (select private.tenant_id()) and marketplace_id = (select private.marketplace_id()) and visibility = 'public'
  );

-- grants ---------------------------------------------------------------------------------------

grant select on
  public.categories, public.suppliers, public.products, public.product_variants, public.inventory,
  public.service_calendars, public.published_content, public.product_details
to anon;
grant execute on function public.sort_name(public.suppliers) to anon;

-- What visitors call.
grant execute on function
  public.list_products, public.get_product, public.get_product_by_slug, public.similar_products, public.top_sales, public.search_by_meaning,
  public.list_categories, public.list_countries, public.list_delivery_methods, public.list_payment_methods, public.get_category,
  public.list_service_slots, public.get_service_calendar,
  public.list_content, public.get_content, public.get_media, public.template_key, public.template_inputs,
  public.record_storefront_events, public.record_placement_events
to anon;

-- What these functions and policies call.
grant select on private.product_records, private.product_rows, private.all_variants, private.product_stocks to anon;
grant execute on function
  private.asked_texts, private.attribute_path, private.best_sellers, private.bookable_product,
  private.calendar_record, private.catalog_counts, private.catalog_page, private.category_branch,
  private.category_branches, private.category_tree, private.check_meaning_search, private.check_one_currency,
  private.check_rest_request, private.contenders_in, private.content_roles, private.content_type_of,
  private.delivery_methods, private.payment_methods, private.count_catalog, private.count_facets, private.count_filters, private.count_values,
  private.currencies_in_use, private.find_products, private.grids_in, private.has_short_numbers,
  private.hold_auction, private.is_in_stock, private.is_language, private.is_more_than_spaces,
  private.is_visit, private.link_targets, private.links_in, private.list_countries, private.list_drafts, private.list_published,
  private.local_text, private.marketplace_id, private.marketplaces_asked, private.media_record, private.members_only,
  private.nfc(jsonb), private.nfc(text), private.page_category, private.page_key, private.page_languages,
  private.page_localizations, private.page_marketplace, private.page_product, private.page_sources,
  private.page_template, private.page_versions, private.product_filters, private.product_list, private.product_page,
  private.products_found, private.products_like, private.products_meant, private.products_near,
  private.products_with_slug,
  private.promoted_first, private.promoted_page, private.promoted_products, private.promotion_of,
  private.promotion_seal, private.promotion_token, private.read_content, private.record_placement_events,
  private.record_storefront_events, private.refusal, private.refuse, private.refuse_stranger,
  private.requested_languages, private.requested_page, private.resolved_grid, private.searched, private.seen_media,
  private.selected_attributes, private.sells_here, private.sells_in_several_currencies,
  private.service_slots, private.shown_record, private.shown_value, private.sort_name, private.supplier_id, private.template_blocks,
  private.tenant_id(), private.time_zone_of, private.uuids_in, private.visited_storefront,
  private.with_products
to anon;

-- settings -------------------------------------------------------------------------------------

-- A visitor waits for a lock no longer than a member.
alter role anon set lock_timeout = '2s';

-- supabase/reference/analytics.sql

select private.schedule_job('roll-up-sales', 'select public.roll_up_sales(rounds => 50)', every => '1 minute');

insert into private.event_types (name) values ('analytics.mismatch')
on conflict do nothing;

-- Through the API, because a function's own statement_timeout has no effect when a clock calls it directly.
select private.schedule_job(
  'compare-sales', $$select private.perform_later('compare_sales', '{}')$$,
  every => '1 day', at => '03:17'
);

select private.make_storefront_partitions();

select private.schedule_job(
  'make-storefront-partitions', 'select private.make_storefront_partitions()',
  every => '1 hour', at => '00:05'
);

select private.schedule_job(
  'forget-storefront-events', 'select private.forget_storefront_events()',
  every => '1 hour', at => '00:37', queue => 'long'
);

insert into private.caps (name, value, unit) values
  ('visitor_events_per_day', 5000, 'events that a customer, guest or visitor reports in a day, in UTC; more are not counted'),
  ('address_events_per_day', 100000, 'events that the visitors of an address report in a day, in UTC; more are not counted')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'forget-visitor-event-counts', $$delete from private.visitor_event_counts where day < (now() at time zone 'utc')::date - 1$$,
  every => '1 hour', at => '00:39', queue => 'long'
);

select private.schedule_job(
  'forget-visitor-days',
  $$
    with days as (delete from private.visitor_days where day < (now() at time zone 'utc')::date - 401)
    delete from private.visitor_product_days where day < (now() at time zone 'utc')::date - 401
  $$,
  every => '1 hour', at => '00:43', queue => 'long'
);

select private.schedule_job('count-visitors', 'select public.count_visitors(rounds => 50)', every => '1 minute');

-- Through the API, because a function's own statement_timeout has no effect when a clock calls it directly.
select private.schedule_job(
  'compare-visitors', $$select private.perform_later('compare_visitors', '{}')$$,
  every => '1 day', at => '03:47'
);

select private.schedule_job(
  'forget-visitor-gaps', $$delete from private.visitor_gaps where day < (now() at time zone 'utc')::date - 401$$,
  every => '1 hour', at => '00:44', queue => 'long'
);

select private.schedule_job(
  'redraw-visitor-days', 'select private.redraw_visitor_days()',
  every => '1 minute', queue => 'long'
);

insert into private.caps (name, value, unit) values
  ('dashboards_per_owner', 100, 'dashboards of a tenant''s admins and clients, and of each supplier')
on conflict (name) do update set unit = excluded.unit;

insert into private.figure_reports (path, operation) values
  ('overview', 'analytics_overview'), ('sales', 'analytics_sales'), ('revenue', 'analytics_revenue'),
  ('products/top', 'analytics_top_products'), ('customers/segments', 'analytics_segments'),
  ('funnel', 'analytics_funnel'), ('cohorts', 'analytics_cohorts')
on conflict (path) do update set operation = excluded.operation;

-- supabase/reference/auth.sql

insert into private.signing_keys (name) values ('invitations'), ('functions')
on conflict do nothing;

-- A spent token need not be kept long after the end of its session.
select private.schedule_job(
  'forget-sessions-that-are-over',
  $$
  delete from private.session_tenants t
  where t.chosen_at < now() - interval '1 year'
    and not exists (select 1 from auth.sessions s where s.id = t.session_id)
  $$,
  every => '1 day', at => '03:27', queue => 'long'
);

select private.schedule_job(
  'forget-spent-refresh-tokens', $$delete from private.spent_refresh_tokens where spent_at < now() - interval '1 year'$$,
  every => '1 day', at => '03:17', queue => 'long'
);

-- supabase/reference/catalog.sql

insert into private.status_moves (subject, from_status, to_status) values
  ('products', 'draft', 'active'),
  ('products', 'active', 'inactive'),
  ('products', 'inactive', 'active'),
  ('products', 'active', 'out_of_stock'),
  ('products', 'out_of_stock', 'active'),
  ('products', 'draft', 'discontinued'),
  ('products', 'active', 'discontinued'),
  ('products', 'inactive', 'discontinued'),
  ('products', 'out_of_stock', 'discontinued')
on conflict do nothing;

select private.schedule_job('forget-counts', 'select private.forget_counts()', every => '10 minutes', queue => 'long');

-- supabase/reference/content.sql

insert into private.caps (name, value, unit) values
  ('content_types_per_tenant', 100, 'content types of a tenant'),
  ('content_per_tenant', 100000, 'pieces of content of a tenant'),
  ('branches_per_content', 20, 'branches of a piece of content'),
  ('languages_per_content', 50, 'languages of a piece of content'),
  ('versions_per_content', 10000, 'versions of a piece of content that are kept if the tenant''s settings say nothing'),
  ('content_move_comment', 2000, 'characters of a comment on a move or a version')
on conflict (name) do update set unit = excluded.unit;

insert into private.content_move_rules (move, from_status, to_status, role) values
  ('submit', 'draft', 'in_review', 'editor'),
  ('approve', 'in_review', 'approved', 'reviewer'),
  ('reject', 'in_review', 'draft', 'reviewer'),
  ('publish', 'approved', 'published', 'publisher'),
  ('unpublish', 'published', 'draft', 'publisher'),
  ('archive', 'published', 'archived', 'publisher'),
  ('restore', 'archived', 'draft', 'publisher')
on conflict (move, from_status) do update set to_status = excluded.to_status, role = excluded.role;

-- A save returns content to draft. DELETE archives content that was ever published, whatever its status.
insert into private.status_moves (subject, from_status, to_status)
select 'content', r.from_status::text, r.to_status::text from private.content_move_rules r
union
values
  ('content', 'in_review', 'draft'), ('content', 'approved', 'draft'), ('content', 'published', 'draft'),
  ('content', 'draft', 'archived'), ('content', 'in_review', 'archived'), ('content', 'approved', 'archived')
on conflict do nothing;

insert into private.rich_text_nodes (node, attributes, holds)
select n.node, n.attributes, case n.holds
  when 'blocks' then
    '{paragraph,heading,bulletList,orderedList,blockquote,codeBlock,horizontalRule,image,table}'::text[]
  when 'line' then '{text,hardBreak}'
  else string_to_array(n.holds, ' ')
end
from (values
  ('doc', '{}'::text[], 'blocks'), ('blockquote', '{}', 'blocks'), ('listItem', '{}', 'blocks'),
  ('tableCell', '{colspan,rowspan}', 'blocks'), ('tableHeader', '{colspan,rowspan}', 'blocks'),
  ('paragraph', '{}', 'line'), ('heading', '{level}', 'line'), ('codeBlock', '{language}', 'text'),
  ('bulletList', '{}', 'listItem'), ('orderedList', '{start}', 'listItem'),
  ('table', '{}', 'tableRow'), ('tableRow', '{}', 'tableCell tableHeader'),
  ('text', '{}', ''), ('hardBreak', '{}', ''), ('horizontalRule', '{}', ''),
  ('image', '{asset_id,src,alt,title}', '')
) as n (node, attributes, holds)
on conflict (node) do update set attributes = excluded.attributes, holds = excluded.holds;

select private.schedule_job('gather-content-counts', 'select private.gather_content_counts()', every => '10 minutes');

select private.schedule_job('run-content-schedule', 'select private.run_content_schedule()', every => '1 minute');

select private.schedule_job(
  'forget-content-previews', $$delete from private.content_previews where expires_at < now()$$,
  every => '1 hour', at => '00:17', queue => 'long'
);

insert into private.event_statuses (name)
select s.name from unnest(enum_range(null::public.content_status)::text[]) as s (name)
on conflict do nothing;

-- supabase/reference/countries.sql

-- The countries of ISO 3166-1, and what an address in them has. Made by scripts/countries.ts from the address data of
-- Google's libaddressinput (https://github.com/google/libaddressinput, data under CC BY 4.0, code under Apache-2.0).

insert into private.countries (
  code, fields, required, city_kind, region_kind, postal_code_kind, postal_code_pattern, postal_code_example
)
select
  code, string_to_array(fields, ' '), string_to_array(required, ' '), city_kind, region_kind, postal_code_kind,
  postal_code_pattern, postal_code_example
from (values
  ('AD', 'street postal_code city', 'street city', 'city', null, 'postal', 'AD[1-7]0\d', 'AD100'),
  ('AE', 'street region', 'street region', null, 'emirate', null, null, null),
  ('AF', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{4}', '1001'),
  ('AG', 'street city', 'street', 'city', null, null, null, null),
  ('AI', 'street city postal_code', 'street city', 'city', null, 'postal', '(?:AI-)?2640', '2640'),
  ('AL', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '1001'),
  ('AM', 'street postal_code city region', 'street city', 'city', 'province', 'postal', '(?:37)?\d{4}', '375010'),
  ('AO', 'street city', 'street city', 'city', null, null, null, null),
  ('AQ', 'street city', 'street city', 'city', null, null, null, null),
  ('AR', 'street postal_code city region', 'street city', 'city', 'province', 'postal', '((?:[A-HJ-NP-Z])?\d{4})([A-Z]{3})?', 'C1070AAM'),
  ('AS', 'street city region postal_code', 'street city region postal_code', 'city', 'state', 'zip', '(96799)(?:[ \-](\d{4}))?', '96799'),
  ('AT', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '\d{4}', '1010'),
  ('AU', 'street city region postal_code', 'street city region postal_code', 'suburb', 'state', 'postal', '\d{4}', '2060'),
  ('AW', 'street city', 'street city', 'city', null, null, null, null),
  ('AX', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '(?:AX[ -]?)?(?:22\d{3})', '22150'),
  ('AZ', 'street postal_code city', 'street city', 'city', null, 'postal', '(?:AZ[ -]?)?(?:\d{4})', '1000'),
  ('BA', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5}', '71000'),
  ('BB', 'street city region postal_code', 'street city', 'city', 'parish', 'postal', 'BB\d{5}', 'BB23026'),
  ('BD', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{4}', '1340'),
  ('BE', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '\d{4}', '4000'),
  ('BF', 'street city', 'street city', 'city', null, null, null, null),
  ('BG', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '1000'),
  ('BH', 'street city postal_code', 'street city', 'city', null, 'postal', '(?:1[0-2]|[1-9])\d{2}', '317'),
  ('BI', 'street city', 'street city', 'city', null, null, null, null),
  ('BJ', 'street city', 'street city', 'city', null, null, null, null),
  ('BL', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '9[78][01]\d{2}', '97100'),
  ('BM', 'street city postal_code', 'street city', 'city', null, 'postal', '[A-Z]{2} ?[A-Z0-9]{2}', 'FL 07'),
  ('BN', 'street city postal_code', 'street city', 'city', null, 'postal', '[A-Z]{2} ?\d{4}', 'BT2328'),
  ('BO', 'street city', 'street city', 'city', null, null, null, null),
  ('BQ', 'street city', 'street city', 'city', null, null, null, null),
  ('BR', 'street city region postal_code', 'street city region postal_code', 'city', 'state', 'postal', '\d{5}-?\d{3}', '40301-110'),
  ('BS', 'street city region', 'street city', 'city', 'island', null, null, null),
  ('BT', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}', '11001'),
  ('BV', 'street city', 'street city', 'city', null, null, null, null),
  ('BW', 'street city', 'street city', 'city', null, null, null, null),
  ('BY', 'street postal_code city region', 'street city', 'city', 'province', 'postal', '\d{6}', '223016'),
  ('BZ', 'street city', 'street city', 'city', null, null, null, null),
  ('CA', 'street city region postal_code', 'street city region postal_code', 'city', 'province', 'postal', '[ABCEGHJKLMNPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] ?\d[ABCEGHJ-NPRSTV-Z]\d', 'H3Z 2Y7'),
  ('CC', 'street city region postal_code', 'street city', 'city', 'province', 'postal', '6799', '6799'),
  ('CD', 'street city', 'street city', 'city', null, null, null, null),
  ('CF', 'street city', 'street city', 'city', null, null, null, null),
  ('CG', 'street city', 'street city', 'city', null, null, null, null),
  ('CH', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '(?:CH[ -]?)?(?:\d{4})', '2544'),
  ('CI', 'street city', 'street city', 'city', null, null, null, null),
  ('CK', 'street city', 'street city', 'city', null, null, null, null),
  ('CL', 'street postal_code city region', 'street city', 'city', 'province', 'postal', '\d{7}', '8340457'),
  ('CM', 'street city', 'street city', 'city', null, null, null, null),
  ('CN', 'postal_code region city street', 'street city region postal_code', 'city', 'province', 'postal', '\d{6}', '266033'),
  ('CO', 'street city region postal_code', 'street region', 'city', 'department', 'postal', '\d{6}', '111221'),
  ('CR', 'street region city postal_code', 'street city region', 'city', 'province', 'postal', '\d{4,5}|\d{3}-\d{4}', '1000'),
  ('CU', 'street city region postal_code', 'street city', 'city', 'province', 'postal', '\d{5}', '10700'),
  ('CV', 'street postal_code city region', 'street city', 'city', 'island', 'postal', '\d{4}', '7600'),
  ('CW', 'street city', 'street city', 'city', null, null, null, null),
  ('CX', 'street city region postal_code', 'street city', 'city', 'province', 'postal', '6798', '6798'),
  ('CY', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '2008'),
  ('CZ', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '\d{3} ?\d{2}', '100 00'),
  ('DE', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '\d{5}', '26133'),
  ('DJ', 'street city', 'street city', 'city', null, null, null, null),
  ('DK', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '\d{4}', '8660'),
  ('DM', 'street city', 'street city', 'city', null, null, null, null),
  ('DO', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5}', '11903'),
  ('DZ', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5}', '40304'),
  ('EC', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{6}', '090105'),
  ('EE', 'street postal_code city region', 'street city postal_code', 'city', 'province', 'postal', '\d{5}', '69501'),
  ('EG', 'street city region postal_code', 'street city', 'city', 'province', 'postal', '\d{5}(?:\d{2})?', '12411'),
  ('EH', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5}', '70000'),
  ('ER', 'street city', 'street city', 'city', null, null, null, null),
  ('ES', 'street postal_code city region', 'street city region postal_code', 'city', 'province', 'postal', '\d{5}', '28039'),
  ('ET', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '1000'),
  ('FI', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '(?:FI[ -]?)?(?:\d{5})', '00550'),
  ('FJ', 'street city', 'street city', 'city', null, null, null, null),
  ('FK', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', 'FIQQ 1ZZ', 'FIQQ 1ZZ'),
  ('FM', 'street city region postal_code', 'street city region postal_code', 'city', 'state', 'zip', '(9694[1-4])(?:[ \-](\d{4}))?', '96941'),
  ('FO', 'street postal_code city', 'street city', 'city', null, 'postal', '(?:FO[ -]?)?(?:\d{3})', '100'),
  ('FR', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '\d{2} ?\d{3}', '33380'),
  ('GA', 'street city', 'street city', 'city', null, null, null, null),
  ('GB', 'street city postal_code', 'street city postal_code', 'post_town', null, 'postal', 'GIR ?0AA|(?:(?:AB|AL|B|BA|BB|BD|BF|BH|BL|BN|BR|BS|BT|BX|CA|CB|CF|CH|CM|CO|CR|CT|CV|CW|DA|DD|DE|DG|DH|DL|DN|DT|DY|E|EC|EH|EN|EX|FK|FY|G|GL|GY|GU|HA|HD|HG|HP|HR|HS|HU|HX|IG|IM|IP|IV|JE|KA|KT|KW|KY|L|LA|LD|LE|LL|LN|LS|LU|M|ME|MK|ML|N|NE|NG|NN|NP|NR|NW|OL|OX|PA|PE|PH|PL|PO|PR|RG|RH|RM|S|SA|SE|SG|SK|SL|SM|SN|SO|SP|SR|SS|ST|SW|SY|TA|TD|TF|TN|TQ|TR|TS|TW|UB|W|WA|WC|WD|WF|WN|WR|WS|WV|YO|ZE)(?:\d[\dA-Z]? ?\d[ABD-HJLN-UW-Z]{2}))|BFPO ?\d{1,4}', 'EC1Y 8SY'),
  ('GD', 'street city', 'street city', 'city', null, null, null, null),
  ('GE', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '0101'),
  ('GF', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '9[78]3\d{2}', '97300'),
  ('GG', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', 'GY\d[\dA-Z]? ?\d[ABD-HJLN-UW-Z]{2}', 'GY1 1AA'),
  ('GH', 'street city', 'street city', 'city', null, null, null, null),
  ('GI', 'street postal_code', 'street', null, null, 'postal', 'GX11 1AA', 'GX11 1AA'),
  ('GL', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '39\d{2}', '3900'),
  ('GM', 'street city', 'street city', 'city', null, null, null, null),
  ('GN', 'postal_code street city', 'street city', 'city', null, 'postal', '\d{3}', '001'),
  ('GP', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '9[78][01]\d{2}', '97100'),
  ('GQ', 'street city', 'street city', 'city', null, null, null, null),
  ('GR', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '\d{3} ?\d{2}', '151 24'),
  ('GS', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', 'SIQQ 1ZZ', 'SIQQ 1ZZ'),
  ('GT', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5}', '09001'),
  ('GU', 'street city postal_code', 'street city postal_code', 'city', null, 'zip', '(969(?:[12]\d|3[12]))(?:[ \-](\d{4}))?', '96910'),
  ('GW', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '1000'),
  ('GY', 'street city', 'street city', 'city', null, null, null, null),
  ('HK', 'region city street', 'street region', 'district', 'area', null, null, null),
  ('HM', 'street city region postal_code', 'street city', 'city', 'province', 'postal', '\d{4}', '7050'),
  ('HN', 'street city region postal_code', 'street city region', 'city', 'department', 'postal', '\d{5}', '31301'),
  ('HR', 'street postal_code city', 'street city', 'city', null, 'postal', '(?:HR[ -]?)?(?:\d{5})', '10000'),
  ('HT', 'street postal_code city', 'street city', 'city', null, 'postal', '(?:HT[ -]?)?(?:\d{4})', '6120'),
  ('HU', 'city street postal_code', 'street city postal_code', 'city', null, 'postal', '\d{4}', '1037'),
  ('ID', 'street city region postal_code', 'street region', 'city', 'province', 'postal', '\d{5}', '40115'),
  ('IE', 'street city region postal_code', 'street city', 'city', 'county', 'eircode', '[\dA-Z]{3} ?[\dA-Z]{4}', 'A65 F4E2'),
  ('IL', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}(?:\d{2})?', '9614303'),
  ('IM', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', 'IM\d[\dA-Z]? ?\d[ABD-HJLN-UW-Z]{2}', 'IM2 1AA'),
  ('IN', 'street city postal_code region', 'street city region postal_code', 'city', 'state', 'pin', '\d{6}', '110034'),
  ('IO', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', 'BBND 1ZZ', 'BBND 1ZZ'),
  ('IQ', 'street city region postal_code', 'street city region', 'city', 'province', 'postal', '\d{5}', '31001'),
  ('IR', 'region city street postal_code', 'street city', 'city', 'province', 'postal', '\d{5}-?\d{5}', '11936-12345'),
  ('IS', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{3}', '320'),
  ('IT', 'street postal_code city region', 'street city region postal_code', 'city', 'province', 'postal', '\d{5}', '00144'),
  ('JE', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', 'JE\d[\dA-Z]? ?\d[ABD-HJLN-UW-Z]{2}', 'JE1 1AA'),
  ('JM', 'street city region', 'street city region', 'city', 'parish', null, null, null),
  ('JO', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}', '11937'),
  ('JP', 'postal_code region street', 'street region postal_code', null, 'prefecture', 'postal', '\d{3}-?\d{4}', '154-0023'),
  ('KE', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}', '20100'),
  ('KG', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{6}', '720001'),
  ('KH', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5,6}', '120101'),
  ('KI', 'street region city', 'street city', 'city', 'island', null, null, null),
  ('KM', 'street city', 'street city', 'city', null, null, null, null),
  ('KN', 'street city region', 'street city region', 'city', 'island', null, null, null),
  ('KP', 'postal_code region city street', 'street city', 'city', 'province', 'postal', null, null),
  ('KR', 'region city street postal_code', 'street city region postal_code', 'city', 'do_si', 'postal', '\d{5}', '03051'),
  ('KW', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5}', '54541'),
  ('KY', 'street region postal_code', 'street region', null, 'island', 'postal', 'KY\d-\d{4}', 'KY1-1100'),
  ('KZ', 'postal_code region city street', 'street city', 'city', 'province', 'postal', '\d{6}', '040900'),
  ('LA', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5}', '01160'),
  ('LB', 'street city postal_code', 'street city', 'city', null, 'postal', '(?:\d{4})(?: ?(?:\d{4}))?', '2038 3054'),
  ('LC', 'street city', 'street city', 'city', null, null, null, null),
  ('LI', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '(?:FL[ -]?)?(?:948[5-9]|949[0-8])', '9496'),
  ('LK', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}', '20000'),
  ('LR', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '1000'),
  ('LS', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{3}', '100'),
  ('LT', 'street postal_code city region', 'street city postal_code', 'city', 'province', 'postal', '(?:LT[ -]?)?(?:\d{5})', '04340'),
  ('LU', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '(?:L[ -]?)?(?:\d{4})', '4750'),
  ('LV', 'street region city postal_code', 'street city postal_code', 'city', 'province', 'postal', 'LV-\d{4}', 'LV-1073'),
  ('LY', 'street city', 'street city', 'city', null, null, null, null),
  ('MA', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5}', '53000'),
  ('MC', 'street postal_code city', 'street city', 'city', null, 'postal', '(?:MC[ -]?)?(?:980\d{2})', '98000'),
  ('MD', 'street postal_code city', 'street city', 'city', null, 'postal', '(?:MD[ -]?)?(?:\d{4})', '2012'),
  ('ME', 'street postal_code city', 'street city', 'city', null, 'postal', '8\d{4}', '81257'),
  ('MF', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '9[78][01]\d{2}', '97100'),
  ('MG', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{3}', '501'),
  ('MH', 'street city region postal_code', 'street city region postal_code', 'city', 'state', 'zip', '(969[67]\d)(?:[ \-](\d{4}))?', '96960'),
  ('MK', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '1314'),
  ('ML', 'street city', 'street city', 'city', null, null, null, null),
  ('MM', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}', '11181'),
  ('MN', 'street city region postal_code', 'street city', 'city', 'province', 'postal', '\d{5}', '65030'),
  ('MO', 'street', 'street', null, null, null, null, null),
  ('MP', 'street city region postal_code', 'street city region postal_code', 'city', 'state', 'zip', '(9695[012])(?:[ \-](\d{4}))?', '96950'),
  ('MQ', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '9[78]2\d{2}', '97220'),
  ('MR', 'street city', 'street city', 'city', null, null, null, null),
  ('MS', 'street city', 'street city', 'city', null, null, null, null),
  ('MT', 'street city postal_code', 'street city', 'city', null, 'postal', '[A-Z]{3} ?\d{2,4}', 'NXR 01'),
  ('MU', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{3}(?:\d{2}|[A-Z]{2}\d{3})', '42602'),
  ('MV', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}', '20026'),
  ('MW', 'street city', 'street city', 'city', null, null, null, null),
  ('MX', 'street postal_code city region', 'street city region postal_code', 'city', 'state', 'postal', '\d{5}', '02860'),
  ('MY', 'street postal_code city region', 'street city postal_code', 'city', 'state', 'postal', '\d{5}', '43000'),
  ('MZ', 'street postal_code city region', 'street city', 'city', 'province', 'postal', '\d{4}', '1102'),
  ('NA', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}', '10001'),
  ('NC', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '988\d{2}', '98814'),
  ('NE', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '8001'),
  ('NF', 'street city region postal_code', 'street city', 'city', 'province', 'postal', '2899', '2899'),
  ('NG', 'street city postal_code region', 'street city', 'city', 'state', 'postal', '\d{6}', '930283'),
  ('NI', 'street postal_code city region', 'street city', 'city', 'department', 'postal', '\d{5}', '52000'),
  ('NL', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '[1-9]\d{3} ?(?:[A-RT-Z][A-Z]|S[BCE-RT-Z])', '1234 AB'),
  ('NO', 'street postal_code city', 'street city postal_code', 'post_town', null, 'postal', '\d{4}', '0025'),
  ('NP', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}', '44601'),
  ('NR', 'street region', 'street region', null, 'district', null, null, null),
  ('NU', 'street city', 'street city', 'city', null, null, null, null),
  ('NZ', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', '\d{4}', '6001'),
  ('OM', 'street postal_code city', 'street city', 'city', null, 'postal', '(?:PC )?\d{3}', '133'),
  ('PA', 'street city region', 'street city', 'city', 'province', null, null, null),
  ('PE', 'street city postal_code region', 'street city', 'district', 'province', 'postal', '(?:LIMA \d{1,2}|CALLAO 0?\d)|[0-2]\d{4}', 'LIMA 23'),
  ('PF', 'street postal_code city region', 'street city region postal_code', 'city', 'island', 'postal', '987\d{2}', '98709'),
  ('PG', 'street city postal_code region', 'street city region', 'city', 'province', 'postal', '\d{3}', '111'),
  ('PH', 'street city postal_code region', 'street city', 'city', 'province', 'postal', '\d{4}', '1008'),
  ('PK', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}', '44000'),
  ('PL', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '\d{2}-\d{3}', '00-950'),
  ('PM', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '9[78]5\d{2}', '97500'),
  ('PN', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', 'PCRN 1ZZ', 'PCRN 1ZZ'),
  ('PR', 'street city postal_code', 'street city postal_code', 'city', null, 'zip', '(?:PR[ -]?)?(?:(00[679]\d{2})(?:[ \-](\d{4}))?)', '00930'),
  ('PS', 'street city', 'street city', 'city', null, null, null, null),
  ('PT', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '\d{4}-\d{3}', '2725-079'),
  ('PW', 'street city region postal_code', 'street city region postal_code', 'city', 'state', 'zip', '(969(?:39|40))(?:[ \-](\d{4}))?', '96940'),
  ('PY', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '1536'),
  ('QA', 'street city', 'street city', 'city', null, null, null, null),
  ('RE', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '9[78]4\d{2}', '97400'),
  ('RO', 'street postal_code region city', 'street city postal_code', 'city', 'province', 'postal', '\d{6}', '060274'),
  ('RS', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5,6}', '106314'),
  ('RU', 'street city region postal_code', 'street city region postal_code', 'city', 'oblast', 'postal', '\d{6}', '247112'),
  ('RW', 'street city', 'street city', 'city', null, null, null, null),
  ('SA', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{5}', '11564'),
  ('SB', 'street city', 'street city', 'city', null, null, null, null),
  ('SC', 'street city region', 'street city', 'city', 'island', null, null, null),
  ('SD', 'street city postal_code', 'street city', 'district', null, 'postal', '\d{5}', '11042'),
  ('SE', 'street postal_code city', 'street city postal_code', 'post_town', null, 'postal', '(?:SE[ -]?)?(?:\d{3} ?\d{2})', '11455'),
  ('SG', 'street postal_code', 'street postal_code', null, null, 'postal', '\d{6}', '546080'),
  ('SH', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', '(?:ASCN|STHL) 1ZZ', 'STHL 1ZZ'),
  ('SI', 'street postal_code city', 'street city', 'city', null, 'postal', '(?:SI[ -]?)?(?:\d{4})', '4000'),
  ('SJ', 'street postal_code city', 'street city postal_code', 'post_town', null, 'postal', '\d{4}', '9170'),
  ('SK', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '\d{3} ?\d{2}', '010 01'),
  ('SL', 'street city', 'street city', 'city', null, null, null, null),
  ('SM', 'street postal_code city', 'street postal_code', 'city', null, 'postal', '4789\d', '47890'),
  ('SN', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5}', '12500'),
  ('SO', 'street city region postal_code', 'street city region', 'city', 'province', 'postal', '[A-Z]{2} ?\d{5}', 'JH 09010'),
  ('SR', 'street city region', 'street city', 'city', 'province', null, null, null),
  ('SS', 'street city', 'street city', 'city', null, null, null, null),
  ('ST', 'street city', 'street city', 'city', null, null, null, null),
  ('SV', 'street postal_code city region', 'street city region', 'city', 'province', 'postal', '(?:CP )?[1-3][1-7][0-2]\d', 'CP 1101'),
  ('SX', 'street city', 'street city', 'city', null, null, null, null),
  ('SY', 'street city', 'street city', 'district', null, null, null, null),
  ('SZ', 'street city postal_code', 'street city', 'city', null, 'postal', '[HLMS]\d{3}', 'H100'),
  ('TC', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', 'TKCA 1ZZ', 'TKCA 1ZZ'),
  ('TD', 'street city', 'street city', 'city', null, null, null, null),
  ('TF', 'street city', 'street city', 'city', null, null, null, null),
  ('TG', 'street city', 'street city', 'city', null, null, null, null),
  ('TH', 'street city region postal_code', 'street city', 'city', 'province', 'postal', '\d{5}', '10150'),
  ('TJ', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{6}', '735450'),
  ('TK', 'street city', 'street city', 'city', null, null, null, null),
  ('TL', 'street city', 'street city', 'city', null, null, null, null),
  ('TM', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{6}', '744000'),
  ('TN', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4}', '1002'),
  ('TO', 'street city', 'street city', 'city', null, null, null, null),
  ('TR', 'street postal_code city region', 'street city postal_code', 'district', 'province', 'postal', '\d{5}', '01960'),
  ('TT', 'street city postal_code', 'street city', 'city', null, 'postal', '\d{6}', '500234'),
  ('TV', 'street city region', 'street city', 'city', 'island', null, null, null),
  ('TW', 'postal_code region city street', 'street city region postal_code', 'district', 'county', 'postal', '\d{3}(?:\d{2,3})?', '104'),
  ('TZ', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{4,5}', '6090'),
  ('UA', 'street city region postal_code', 'street city postal_code', 'city', 'oblast', 'postal', '\d{5}', '15432'),
  ('UG', 'street city', 'street city', 'city', null, null, null, null),
  ('UM', 'street city region postal_code', 'street city region', 'city', 'state', 'zip', '96898', '96898'),
  ('US', 'street city region postal_code', 'street city region postal_code', 'city', 'state', 'zip', '(\d{5})(?:[ \-](\d{4}))?', '95014'),
  ('UY', 'street postal_code city region', 'street city', 'city', 'province', 'postal', '\d{5}', '11600'),
  ('UZ', 'street postal_code city region', 'street city', 'city', 'province', 'postal', '\d{6}', '702100'),
  ('VA', 'street postal_code city', 'street city', 'city', null, 'postal', '00120', '00120'),
  ('VC', 'street city postal_code', 'street city', 'city', null, 'postal', 'VC\d{4}', 'VC0100'),
  ('VE', 'street city postal_code region', 'street city region', 'city', 'state', 'postal', '\d{4}', '1010'),
  ('VG', 'street city postal_code', 'street', 'city', null, 'postal', 'VG\d{4}', 'VG1110'),
  ('VI', 'street city region postal_code', 'street city region postal_code', 'city', 'state', 'zip', '(008(?:(?:[0-4]\d)|(?:5[01])))(?:[ \-](\d{4}))?', '00802-1222'),
  ('VN', 'street city region postal_code', 'street region', 'city', 'province', 'postal', '\d{5}\d?', '70010'),
  ('VU', 'street city', 'street city', 'city', null, null, null, null),
  ('WF', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '986\d{2}', '98600'),
  ('WS', 'street city', 'street city', 'city', null, null, null, null),
  ('XK', 'street postal_code city', 'street city', 'city', null, 'postal', '[1-7]\d{4}', '10000'),
  ('YE', 'street city', 'street city', 'city', null, null, null, null),
  ('YT', 'street postal_code city', 'street city postal_code', 'city', null, 'postal', '976\d{2}', '97600'),
  ('ZA', 'street city postal_code', 'street city postal_code', 'city', null, 'postal', '\d{4}', '0083'),
  ('ZM', 'street postal_code city', 'street city', 'city', null, 'postal', '\d{5}', '50100'),
  ('ZW', 'street city', 'street city', 'city', null, null, null, null)
) as data (
  code, fields, required, city_kind, region_kind, postal_code_kind, postal_code_pattern, postal_code_example
)
on conflict (code) do update set
  fields = excluded.fields, required = excluded.required, city_kind = excluded.city_kind, region_kind = excluded.region_kind,
  postal_code_kind = excluded.postal_code_kind, postal_code_pattern = excluded.postal_code_pattern,
  postal_code_example = excluded.postal_code_example;

-- supabase/reference/events.sql

insert into private.event_types (name) values
  ('order.created'), ('order.status_changed'), ('order.cancelled'), ('order.completed'), ('order.items_cancelled'),
  ('shipment.created'), ('shipment.delivered'), ('shipment.lost'),
  ('return.requested'), ('return.approved'), ('return.rejected'), ('return.received'),
  ('payment.succeeded'), ('payment.failed'), ('payment.refunded'), ('payment.refund_failed'),
  ('product.created'), ('product.updated'), ('product.out_of_stock'),
  ('user.registered'), ('user.verified'),
  ('content.created'), ('content.status_changed'), ('content.published'), ('content.deleted'),
  ('webhook.failing'), ('webhook.disabled')
on conflict do nothing;

insert into private.event_retention (keep)
select '30 days' where not exists (select from private.event_retention);

select private.make_event_partitions();

select private.schedule_job(
  'make-event-partitions', 'select private.make_event_partitions()',
  every => '1 hour', at => '00:03'
);

select private.schedule_job(
  'forget-event-counts', $$delete from private.event_counts where minute < now() - interval '2 minutes'$$,
  every => '10 minutes', queue => 'long'
);

select private.schedule_job(
  'forget-events', 'select private.forget_events()',
  every => '1 hour', at => '00:33', queue => 'long'
);

-- supabase/reference/exports.sql

insert into private.caps (name, value, unit) values
  ('export_rows', 5000000, 'rows of an export as csv or json'),
  ('export_rows_xlsx', 20000, 'rows of an export as xlsx'),
  ('export_rows_small', 50000, 'rows of a small export, which is written beside a larger one of its tenant'),
  ('export_file_bytes', 52428800, 'bytes of a file of an export; an export with more has several files'),
  ('exports_waiting', 20, 'exports of a tenant that wait or are being written')
on conflict (name) do update set unit = excluded.unit;

insert into private.status_moves (subject, from_status, to_status) values
  ('exports', 'queued', 'running'),
  ('exports', 'queued', 'failed'),
  ('exports', 'running', 'ready'),
  ('exports', 'running', 'failed'),
  ('exports', 'ready', 'expired')
on conflict do nothing;

insert into storage.buckets (id, name, public, allowed_mime_types)
values (
  'exports', 'exports', false,
  array['text/csv', 'application/json', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']
)
on conflict (id) do update set public = excluded.public, allowed_mime_types = excluded.allowed_mime_types;

select private.schedule_job('sweep-exports', 'select private.sweep_exports()', every => '1 minute', queue => 'workers');

insert into private.caps (name, value, unit) values
  ('export_schedules_per_tenant', 100, 'schedules of exports of a tenant')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job('run-export-schedules', 'select private.run_export_schedules()', every => '5 minutes');

-- supabase/reference/foundation.sql

-- The first epoch: cursors of events without an epoch are of this one.
insert into private.epoch (epoch, server_started_at)
select 'epoch', pg_postmaster_start_time() where not exists (select from private.epoch);

-- supabase/reference/jobs.sql

-- Supabase advises at most 8 cron jobs at once. These are all; capabilities add rows to jobs_due.
select cron.schedule('clock', '* * * * *', 'call private.run_due_jobs()');

select cron.schedule('clock-workers', '* * * * *', $$call private.run_due_jobs('workers')$$);

select cron.schedule('clock-long', '* * * * *', $$call private.run_due_jobs('long')$$);

select private.schedule_job(
  'delete-old-cron-runs', $$select private.delete_old_cron_runs(keep => '7 days', batch => 10000)$$,
  every => '1 hour', at => '00:51', queue => 'long', in_batches => true
);

-- supabase/reference/limits.sql

insert into private.rate_limits (kind, requests_per_minute) values
  ('customer', 100), ('supplier', 500), ('client', 1000), ('admin', 2000), ('address', 100), ('login', 10), ('visitor', 300)
on conflict do nothing;

insert into private.caps (name, value, unit) values
  ('record_bytes', 1048576, 'bytes of a record in a response'),
  ('event_bytes', 524288, 'bytes of an event''s body'),
  ('events_per_minute', 5000, 'events of a tenant per minute, without imports'),
  ('event_page_bytes', 8388608, 'bytes of a page of events'),
  ('webhooks_per_tenant', 100, 'webhooks of a tenant'),
  ('deliveries_under_way', 100, 'deliveries of a tenant in flight'),
  ('dispatch_bytes', 8388608, 'bytes of bodies per take of a dispatcher'),
  ('deliveries_recovered', 10000, 'deliveries per recovery'),
  ('products_per_supplier', 100000, 'products of a supplier that are not discontinued'),
  ('list_bytes', 33554432, 'bytes of a page of products')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'forget-idempotency-keys', $$delete from private.idempotency_keys where created_at < now() - interval '24 hours'$$,
  every => '1 hour', at => '00:07', queue => 'long'
);

select private.schedule_job(
  'forget-request-counts', $$delete from private.request_counts where minute < now() - interval '2 minutes'$$,
  every => '10 minutes', queue => 'long'
);

select private.schedule_job(
  'forget-rest-requests', $$delete from private.rest_requests where made_at < now() - interval '2 minutes'$$,
  every => '5 minutes', queue => 'long'
);

-- supabase/reference/mail.sql

insert into private.letters (key, event, status, is_optional) values
  ('order_placed', 'order.created', null, false),
  ('order_shipped', 'order.status_changed', 'shipped', false),
  ('order_returned', 'order.status_changed', 'returned', false),
  ('order_cancelled', 'order.cancelled', null, false),
  ('order_refunded', 'payment.refunded', null, false),
  ('payment_failed', 'payment.failed', null, false),
  ('welcome', 'user.registered', null, true),
  ('webhook_disabled', 'webhook.disabled', null, false),
  ('invitation', null, null, false),
  ('export_ready', null, null, false),
  ('campaign_approved', null, null, false),
  ('campaign_rejected', null, null, false),
  ('campaign_exhausted', null, null, false),
  ('low_stock', null, null, true)
on conflict (key) do update set event = excluded.event, status = excluded.status, is_optional = excluded.is_optional;

insert into private.caps (name, value, unit) values
  ('email_templates_per_tenant', 100, 'e-mail templates of a tenant')
on conflict (name) do update set unit = excluded.unit;

insert into private.caps (name, value, unit) values
  ('mails_per_event', 10, 'mails of one event'),
  ('mail_recipients', 10, 'members who get a mail of one event')
on conflict (name) do update set unit = excluded.unit;

insert into private.signing_keys (name) values ('mails')
on conflict do nothing;

insert into private.caps (name, value, unit) values
  ('mails_per_tenant_per_day', 50, 'mails of a tenant in a day, in UTC'),
  ('mails_per_address_per_hour', 20, 'mails of all tenants to one address in an hour'),
  ('unpaid_orders_per_address_per_hour', 1, 'unpaid orders about which one address gets mails in an hour'),
  ('mail_reports', 5, 'bounces and complaints among the last 100 mails of a tenant')
on conflict (name) do update set unit = excluded.unit;

insert into private.mail_schedule (attempt, wait) values
  (2, '1 minute'), (3, '5 minutes'), (4, '15 minutes'), (5, '1 hour')
on conflict (attempt) do update set wait = excluded.wait;

select private.schedule_job('sweep-mails', 'select private.sweep_mails()', every => '1 minute', queue => 'workers');

-- supabase/reference/marketplaces.sql

insert into private.currencies (code, exponent)
select unnest(string_to_array(codes, ' ')), exponent
from (values
  (0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'),
  (2, 'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF '
    'CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL '
    'HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT '
    'MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB '
    'SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH '
    'USD UYU UZS VES WST XCD XCG YER ZAR ZMW ZWG'),
  (3, 'BHD IQD JOD KWD LYD OMR TND')
) as iso (exponent, codes)
on conflict (code) do update set exponent = excluded.exponent;

insert into private.status_moves (subject, from_status, to_status) values
  ('marketplaces', 'draft', 'active'),
  ('marketplaces', 'active', 'inactive'),
  ('marketplaces', 'inactive', 'active'),
  ('marketplaces', 'active', 'suspended'),
  ('marketplaces', 'inactive', 'suspended'),
  ('marketplaces', 'suspended', 'active'),
  ('marketplaces', 'suspended', 'inactive')
on conflict do nothing;

-- supabase/reference/media.sql

insert into private.media_types (content_type, type, extension) values
  ('image/jpeg', 'image', 'jpg'), ('image/png', 'image', 'png'), ('image/webp', 'image', 'webp'),
  ('image/avif', 'image', 'avif'), ('image/gif', 'image', 'gif'),
  -- A PNG that moves: `complete` makes it image/png.
  ('image/apng', 'image', 'png'),
  -- The same structure under another name: `complete` makes them video/mp4.
  ('video/x-m4v', 'video', 'mp4'), ('video/3gpp', 'video', 'mp4'), ('video/3gpp2', 'video', 'mp4'),
  ('video/mp4', 'video', 'mp4'), ('video/webm', 'video', 'webm'),
  ('application/pdf', 'document', 'pdf'), ('text/plain', 'document', 'txt'), ('text/csv', 'document', 'csv'),
  ('application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document', 'docx'),
  ('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'document', 'xlsx'),
  ('model/gltf-binary', 'model_3d', 'glb'), ('model/gltf+json', 'model_3d', 'gltf'),
  ('model/vnd.usdz+zip', 'model_3d', 'usdz')
on conflict (content_type) do update set type = excluded.type, extension = excluded.extension;

insert into private.caps (name, value, unit) values
  ('media_file_bytes', 52428800, 'bytes of a file, unless the tenant''s settings have another limit'),
  ('media_file_bytes_at_most', 5368709120, 'bytes of a file that a tenant''s settings may allow'),
  ('media_quota_bytes', 5368709120, 'bytes of all media of a tenant, unless its settings have another limit'),
  ('media_quota_bytes_at_most', 1099511627776, 'bytes of all media that a tenant''s settings may allow'),
  ('media_assets_per_tenant', 100000, 'assets of a tenant''s media library'),
  ('media_folders_per_tenant', 1000, 'folders of a tenant''s media library'),
  ('products_per_image', 1000, 'products that show the same image of the library')
on conflict (name) do update set unit = excluded.unit;

insert into private.media_settings default values
on conflict do nothing;

insert into storage.buckets (id, name, public, allowed_mime_types)
select b.id, b.id, b.id = 'media', array(select t.content_type from private.media_types t order by t.content_type)
from unnest(array['uploads', 'media', 'documents']) as b (id)
on conflict (id) do update set public = excluded.public, allowed_mime_types = excluded.allowed_mime_types;

select private.schedule_job('sweep-media', 'select private.sweep_media()', every => '10 minutes', queue => 'workers');

select private.schedule_job('clean-media', 'select private.clean_media()', every => '1 minute', queue => 'workers');

-- supabase/reference/orders.sql

insert into private.piece_states (state, is_shipped, is_delivered, is_returned, is_lost, is_cancelled) values
  ('open', false, false, false, false, false),
  ('shipped', true, false, false, false, false),
  ('delivered', true, true, false, false, false),
  ('returned', true, true, true, false, false),
  ('lost', true, false, false, true, false),
  ('cancelled', false, false, false, false, true)
on conflict (state) do update set
  is_shipped = excluded.is_shipped, is_delivered = excluded.is_delivered, is_returned = excluded.is_returned,
  is_lost = excluded.is_lost, is_cancelled = excluded.is_cancelled;

insert into private.piece_moves (name, from_state, to_state, stock_reason) values
  ('cancel', 'open', 'cancelled', 'release'),
  ('ship', 'open', 'shipped', 'ship'),
  ('deliver', 'shipped', 'delivered', null),
  ('lose', 'shipped', 'lost', null),
  -- The shipment was a mistake.
  ('void', 'shipped', 'open', 'void'),
  -- It is lost, and another piece will be sent.
  ('resend', 'shipped', 'open', 'reserve'),
  ('take_back', 'delivered', 'returned', 'return'),
  -- It came back and cannot be sold again.
  ('discard', 'delivered', 'returned', null),
  -- It came back before anybody reported it delivered.
  ('turn_back', 'shipped', 'returned', 'return'),
  -- Digital goods that were handed out, when the whole order is cancelled.
  ('revoke', 'delivered', 'cancelled', null)
on conflict (name) do update set
  from_state = excluded.from_state, to_state = excluded.to_state, stock_reason = excluded.stock_reason;

-- Forward by any number of steps, in the sequence of the type; out as the traits allow.
with statuses as (select unnest(enum_range(null::public.order_status)) as status)
insert into private.status_moves (subject, from_status, to_status)
select 'orders', a.status, b.status
from statuses as a
join statuses as b on case b.status
  when 'cancelled' then private.holds_stock(a.status)
  when 'returned' then private.is_sent(a.status)
  else a.status < b.status and not private.is_void(a.status)
end
union all
-- These only follow from pieces: a shipment was void or is sent again; the last pieces came back, were lost or were
-- cancelled.
values
  ('orders', 'shipped'::public.order_status, 'processing'::public.order_status),
  ('orders', 'pending', 'returned'), ('orders', 'confirmed', 'returned'), ('orders', 'processing', 'returned')
on conflict do nothing;

insert into private.status_moves (subject, from_status, to_status) values
  ('shipments', 'shipped', 'delivered'),
  ('shipments', 'shipped', 'lost'),
  ('shipments', 'shipped', 'void')
on conflict do nothing;

-- A hundred at a time: a request that changes one of their orders waits for the lock two seconds at most.
select private.schedule_job('deliver-due-shipments', 'select public.deliver_due_shipments()', every => '1 minute');

insert into private.status_moves (subject, from_status, to_status) values
  ('return_requests', 'requested', 'approved'),
  ('return_requests', 'requested', 'rejected'),
  ('return_requests', 'requested', 'cancelled'),
  ('return_requests', 'approved', 'received'),
  ('return_requests', 'approved', 'cancelled')
on conflict do nothing;

-- A hundred at a time: a request that changes one of their orders waits for the lock two seconds at most.
select private.schedule_job('deliver-ended-bookings', 'select public.deliver_ended_bookings()', every => '1 minute');

insert into private.status_moves (subject, from_status, to_status) values
  ('orders.payment_status', 'pending', 'paid'),
  ('orders.payment_status', 'pending', 'failed'),
  ('orders.payment_status', 'failed', 'paid'),
  ('orders.payment_status', 'paid', 'failed'),
  ('orders.payment_status', 'paid', 'refunded'),
  ('orders.payment_status', 'refunded', 'paid'),
  -- The reports that are allowed in each payment status.
  ('payments', 'pending', 'paid'),
  ('payments', 'pending', 'failed'),
  ('payments', 'failed', 'paid'),
  ('payments', 'paid', 'refunded'),
  ('payments', 'paid', 'refund_failed'),
  ('payments', 'paid', 'payment_reversed'),
  ('payments', 'refunded', 'refund_failed')
on conflict do nothing;

select private.schedule_job(
  'cancel-unpaid-orders', 'select public.cancel_unpaid_orders(rounds => 50)',
  every => '1 minute'
);

select private.schedule_job(
  'forget-guests', 'select private.forget_guests(100)',
  every => '10 minutes', queue => 'long', in_batches => true
);

-- supabase/reference/placement.sql

insert into private.signing_keys (name) values ('promotions')
on conflict do nothing;

insert into private.status_moves (subject, from_status, to_status) values
  ('campaigns', 'pending_review', 'scheduled'),
  ('campaigns', 'pending_review', 'active'),
  -- It was approved after its end.
  ('campaigns', 'pending_review', 'completed'),
  ('campaigns', 'pending_review', 'rejected'),
  ('campaigns', 'pending_review', 'cancelled'),
  ('campaigns', 'scheduled', 'active'),
  ('campaigns', 'scheduled', 'paused'),
  ('campaigns', 'scheduled', 'cancelled'),
  ('campaigns', 'active', 'paused'),
  ('campaigns', 'active', 'exhausted'),
  ('campaigns', 'active', 'completed'),
  ('campaigns', 'active', 'cancelled'),
  ('campaigns', 'paused', 'active'),
  ('campaigns', 'paused', 'scheduled'),
  ('campaigns', 'paused', 'completed'),
  ('campaigns', 'paused', 'cancelled'),
  ('campaigns', 'exhausted', 'active'),
  ('campaigns', 'exhausted', 'paused'),
  ('campaigns', 'exhausted', 'completed'),
  ('campaigns', 'exhausted', 'cancelled')
on conflict do nothing;

select private.schedule_job('count-auctions', 'select private.count_auctions()', every => '5 minutes');

select private.schedule_job(
  'forget-auctions', $$delete from private.auctions where counted and held_at < now() - interval '1 day'$$,
  every => '1 hour', at => '00:43', queue => 'long'
);

select private.schedule_job('run-campaigns', 'select private.run_campaigns()', every => '1 minute');

-- Events can be reported for a day. Clicks are kept longer, because sales are attributed to them for a week and a
-- visitor's clicks can be refunded for a month. Fees are judged by forbidden periods when the job charges them.
select private.schedule_job(
  'forget-placement-events',
  $$
    with impressions as (
      delete from private.placement_impressions where seen_at < now() - interval '2 days'
    ),
    visitors as (
      delete from private.placement_visitors where hour < (now() - interval '2 days') at time zone 'UTC'
    ),
    tokens as (
      delete from private.placement_tokens where spent_at < now() - interval '2 days'
    ),
    addresses as (
      delete from private.placement_addresses where hour < (now() - interval '1 day') at time zone 'UTC'
    ),
    statuses as (
      delete from private.campaign_statuses where until < now() - interval '2 days'
    ),
    prohibitions as (
      delete from private.forbidden_periods where until < now() - interval '32 days'
    )
    delete from private.placement_clicks where clicked_at < now() - interval '32 days'
  $$,
  every => '1 hour', at => '00:41', queue => 'long'
);

-- supabase/reference/search.sql

select private.schedule_job(
  'write-outdated-texts', 'select private.write_outdated_texts($1::uuid)',
  every => '1 minute', queue => 'long', in_batches => true
);

select private.schedule_job(
  'mend-search', 'select private.mend_search($1)',
  every => '1 day', at => '03:23', queue => 'long', in_batches => true
);

select private.schedule_job('add-up-sales', 'select private.add_up_sales()', every => '1 minute');

select private.schedule_job(
  'forget-sales', $$delete from private.product_sales where date < (now() at time zone 'UTC')::date - 366$$,
  every => '1 day', at => '03:47', queue => 'long'
);

-- supabase/reference/templates.sql

insert into private.caps (name, value, unit) values
  ('templates_per_tenant', 1000, 'templates of a tenant'),
  ('components_per_tenant', 1000, 'components of a tenant'),
  ('template_bytes', 262144, 'bytes of the content of a template'),
  ('component_bytes', 131072, 'bytes of a component, and of a template''s texts in one language'),
  ('versions_per_template', 200, 'versions of a template that are kept'),
  ('languages_per_template', 50, 'languages of a template'),
  ('includes_per_page', 100, 'templates that a page includes, directly or through other templates'),
  ('template_input_bytes', 4194304, 'bytes of all templates and components of a page')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'forget-template-previews', $$delete from private.template_previews where expires_at < now()$$,
  every => '1 hour', at => '00:19', queue => 'long'
);

-- supabase/reference/visitors.sql

insert into private.caps (name, value, unit) values ('guests_per_hour', 30, 'guests of an address in an hour')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'forget-guest-counts',
  $$
  delete from private.guest_counts
  where coalesce(opened_at[cardinality(opened_at)], '-infinity') < now() - interval '1 hour'
  $$,
  every => '1 hour', at => '00:11', queue => 'long'
);

select private.schedule_job(
  'end-crashed-guest-registrations', $$delete from private.guest_registrations where begun_at < now() - interval '1 hour'$$,
  every => '1 hour', at => '00:19', queue => 'long'
);

-- supabase/reference/webhooks.sql

insert into private.event_statuses (name)
select distinct s.name
from unnest(
  enum_range(null::public.order_status)::text[]
  || enum_range(null::public.payment_status)::text[]
  || enum_range(null::public.payment_report)::text[]
  || enum_range(null::public.shipment_status)::text[]
  || enum_range(null::public.return_request_status)::text[]
  || enum_range(null::public.product_status)::text[]
) as s (name)
on conflict do nothing;

select private.schedule_job(
  'forget-webhook-secrets',
  $$
    update private.webhook_secrets
    set previous_secret = null, previous_until = null
    where previous_until <= now()
  $$,
  every => '1 hour', at => '00:23'
);

insert into private.webhook_schedule (attempt, wait) values
  (2, '1 minute'), (3, '5 minutes'), (4, '15 minutes'), (5, '1 hour')
on conflict (attempt) do update set wait = excluded.wait;

select private.schedule_job(
  'webhook-dispatch', 'select private.sweep_webhook_deliveries()',
  every => '1 minute', queue => 'workers'
);

select private.schedule_job(
  'end-switched-off-deliveries', 'select private.end_switched_off(20000)',
  every => '1 minute'
);
