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

create function private.record_component_assets() returns trigger
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
comment on function private.record_component_assets() is 'Row trigger: keeps the rows of private.media_uses for a component, so that its assets cannot be deleted.';

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
  for each row execute function private.record_component_assets();

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
