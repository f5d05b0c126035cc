-- Templates render the pages of a marketplace. A template has versions. Readers see the active version, writers the latest.
-- The contents are in the schema private, because some blocks are for some roles only. Functions return them.
--
--   templates            one row per template
--   template_versions    the content of each save; rows never change
--   template_references  the parent, includes and components of each version

-- tables ---------------------------------------------------------------------------------------

create table public.templates (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  marketplace_id uuid,
  name text not null,
  type public.page_type not null,
  is_default boolean not null default false,
  caching jsonb,
  version_number integer not null default 1,
  active_version integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint templates_tenant_id_id_key unique (tenant_id, id),
  constraint templates_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint templates_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint templates_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint templates_caching_is_at_most_10000_bytes check (octet_length(caching::text) <= 10000)
);
comment on table public.templates is
  'Templates of the pages of a marketplace, or of all marketplaces if marketplace_id is null. version_number: the latest version; active_version: the one that readers see. is_default: once active, it renders the pages of its type. Functions return the content.';
alter table public.templates replica identity using index templates_tenant_id_id_key;

create table private.template_versions (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  template_id uuid not null,
  version_number integer not null,
  content jsonb not null,
  changes text[] not null,
  asset_ids uuid[] not null,
  reads_sources boolean not null,
  has_grids boolean not null,
  bytes integer not null,
  created_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default clock_timestamp(),
  constraint template_versions_pkey primary key (tenant_id, template_id, version_number),
  constraint template_versions_template_id_fkey foreign key (tenant_id, template_id)
    references public.templates (tenant_id, id) on delete cascade
);
comment on table private.template_versions is
  'The versions of each template; rows never change. changes: the paths that differ from the version before. asset_ids, reads_sources, has_grids: facts about the content, computed when it is saved.';

create table private.template_references (
  tenant_id uuid not null,
  template_id uuid not null,
  version_number integer not null,
  kind text not null,
  target_id uuid not null,
  constraint template_references_pkey primary key (tenant_id, template_id, version_number, kind, target_id),
  constraint template_references_version_fkey foreign key (tenant_id, template_id, version_number)
    references private.template_versions (tenant_id, template_id, version_number) on delete cascade,
  constraint template_references_kind_is_parent_include_or_component check (kind in ('parent', 'include', 'component'))
);
comment on table private.template_references is
  'The templates and components that each version refers to. What the latest or the active version refers to cannot be deleted; older versions may refer to deleted records.';

-- indexes --------------------------------------------------------------------------------------

create unique index is_default_is_unique_in_templates on public.templates (tenant_id, marketplace_id, type) nulls not distinct
  where is_default and active_version is not null;
create index templates_list_idx on public.templates (tenant_id, updated_at desc, id);
create index templates_marketplace_idx on public.templates (tenant_id, marketplace_id);
create index template_versions_created_by_idx on private.template_versions (created_by);
create index template_references_target_idx on private.template_references (tenant_id, target_id, kind);

-- functions: permissions -------------------------------------------------------------------------

create function private.reads_templates_of(marketplace_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case private.scope('templates.read')
    when 'own' then marketplace_id is null or marketplace_id = any (private.active_marketplace_ids())
    when 'all' then true
    else private.content_roles() <> '{}'
  end;
end
$$;
comment on function private.reads_templates_of is
  'Whether the caller may see templates of a marketplace; null: of all marketplaces.';

create function private.seen_template(template_id uuid) returns public.templates
language plpgsql stable security definer set search_path = ''
as $$
declare
  template public.templates;
begin
  select * into template
  from public.templates t
  where t.tenant_id = private.tenant_id() and t.id = seen_template.template_id;
  if template.id is null or private.content_roles() = '{}'
    and (template.active_version is null or not private.reads_templates_of(template.marketplace_id))
  then
    perform private.refuse('NOT_FOUND', 'There is no such template.');
  end if;
  return template;
end
$$;
comment on function private.seen_template is
  'A template that the caller may see: any with a content role, otherwise an active one of a marketplace that the caller sees. Refuses with NOT_FOUND.';

create function private.insist_on_content_role(role text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not array[role, 'admin'] && private.content_roles() then
    perform private.refuse('FORBIDDEN', format('Only admins and members with the content role %s may do this.', role));
  end if;
end
$$;
comment on function private.insist_on_content_role is 'Refuses with FORBIDDEN callers without this content role.';

create function private.judged_template(template_id uuid) returns public.templates
language plpgsql stable security definer set search_path = ''
as $$
declare
  template public.templates := private.seen_template(template_id);
begin
  if private.content_roles() = '{}' then
    perform private.refuse('FORBIDDEN', 'Only admins and members with a content role may do this.');
  end if;
  return template;
end
$$;
comment on function private.judged_template is
  'A template whose versions the caller may all see. Refuses with NOT_FOUND, FORBIDDEN.';

create function private.edited_template(template_id uuid, role text) returns public.templates
language plpgsql security definer set search_path = ''
as $$
declare
  template public.templates := private.seen_template(template_id);
begin
  perform private.insist_on_content_role(role);
  -- One lock for all templates of the tenant, because they refer to each other.
  perform private.hold('templates', template.tenant_id::text);
  select * into template from public.templates t where t.id = template.id for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such template.');
  end if;
  return template;
end
$$;
comment on function private.edited_template is
  'A template that the caller may change with this content role. Locks all templates of the tenant until the transaction ends. Refuses with NOT_FOUND, FORBIDDEN.';

create function private.default_template(type public.page_type, marketplace_id uuid) returns public.templates
language sql stable security definer set search_path = ''
as $$
  select t
  from public.templates t
  where t.tenant_id = private.tenant_id() and t.type = default_template.type
    and t.is_default and t.active_version is not null
    and (t.marketplace_id is null or t.marketplace_id = default_template.marketplace_id)
    and private.reads_templates_of(t.marketplace_id)
  order by t.marketplace_id nulls last
  limit 1
$$;
comment on function private.default_template is
  'The active default template of a page type: the marketplace''s, else the one for all marketplaces, else null, which means the built-in one.';

-- functions: texts -------------------------------------------------------------------------------

create function private.template_content(template_id uuid, version_number integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select case when private.content_roles() = '{}' then private.visible_template(v.content, private.tenant_role()::text) else v.content end
    from private.template_versions v
    where v.template_id = template_content.template_id and v.version_number = template_content.version_number
      and v.tenant_id = private.tenant_id()
  );
end
$$;
comment on function private.template_content is
  'The content of a version as the caller''s role may read it; null if the version is not kept any more. The calling function checks whether the caller may read this version.';

create function private.template_record(template public.templates, version integer default null) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_writer boolean := private.content_roles() <> '{}';
  shown integer := case when is_writer then coalesce(version, template.version_number) else template.active_version end;
  content jsonb := private.template_content(template.id, shown);
begin
  if content is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such version, or it is not kept any more.', 'version', to_jsonb(version)
    );
  end if;
  return jsonb_build_object(
    'id', template.id, 'tenant_id', template.tenant_id, 'marketplace_id', template.marketplace_id, 'name', template.name,
    'type', template.type, 'is_default', template.is_default, 'content', content, 'caching', template.caching,
    'version', shown, 'version_number', case when is_writer then template.version_number else shown end,
    'active_version', template.active_version, 'created_at', template.created_at, 'updated_at', template.updated_at
  );
end
$$;
comment on function private.template_record is
  'A template as JSON: for members with a content role the latest or the named version, for others the active one.';

-- triggers ------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.templates for each row execute function private.keep_nfc();

-- policies -------------------------------------------------------------------------------------

alter table public.templates enable row level security;
alter table private.template_versions enable row level security;
alter table private.template_references enable row level security;

create policy "Content roles see all templates, others the active ones of marketplaces that they see" on public.templates
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (
      cardinality((select private.content_roles())) > 0
      or active_version is not null and case (select private.scope('templates.read'))
        when 'own' then marketplace_id is null or marketplace_id = any ((select private.active_marketplace_ids())::uuid[])
        when 'all' then true
      end
    )
  );

-- grants ---------------------------------------------------------------------------------------

-- Only functions write, because a row alone would be a template without content.
grant select on public.templates to authenticated, service_role;
revoke insert, update, delete, truncate on public.templates from service_role;
grant execute on function
  private.reads_templates_of, private.seen_template, private.insist_on_content_role, private.judged_template,
  private.edited_template, private.default_template, private.template_content, private.template_record
to authenticated, service_role;
