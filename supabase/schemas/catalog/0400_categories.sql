-- Categories: a tree for finding products, and the attributes that each category requires of its products.

-- tables ---------------------------------------------------------------------------------------

create table public.categories (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  parent_id uuid,
  name text not null,
  attributes jsonb not null default '[]',
  template_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint categories_tenant_id_id_key unique (tenant_id, id),
  constraint categories_parent_id_fkey foreign key (tenant_id, parent_id)
    -- A trigger refuses to delete a category with others below it, except with its tenant.
    references public.categories (tenant_id, id) on delete cascade,
  constraint categories_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint categories_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.categories is
  'The tree of categories, shared by a tenant''s marketplaces. attributes: the attributes of products in the category and in all categories below it. template_id: the template that renders its page; null for the default.';
alter table public.categories replica identity using index categories_tenant_id_id_key;

-- indexes --------------------------------------------------------------------------------------

create index categories_tenant_id_parent_id_idx on public.categories (tenant_id, parent_id);

-- functions ------------------------------------------------------------------------------------

create function private.check_category_attributes() returns trigger
language plpgsql set search_path = ''
as $$
declare
  faults jsonb;
begin
  if jsonb_typeof(new.attributes) is distinct from 'array' or jsonb_array_length(new.attributes) > 200 then
    perform private.refuse(
      'VALIDATION_ERROR', 'attributes must be a list of at most 200.', 'attributes', new.attributes
    );
  end if;
  -- The other fields of a category are short.
  perform private.bound_record(
    octet_length(new.attributes::text), 0.9, 'These attributes are too large.', 'attributes'
  );

  with definition as (
    select
      sent.position - 1 as index, sent.value,
      sent.value -> 'name' as name,
      coalesce(sent.value ->> 'type', 'text') as type,
      coalesce(sent.value -> 'options', '[]') as options,
      row_number() over (partition by sent.value ->> 'name' order by sent.position) as times
    from jsonb_array_elements(new.attributes) with ordinality as sent (value, position)
  )
  select coalesce(jsonb_agg(
    private.fault(fault.message, format('attributes[%s].%s', d.index, fault.field), d.value -> fault.field) order by d.index
  ), '[]')
  into faults
  from definition d
  cross join lateral (
    select f.field, f.message
    from (values
      (1, private.is_name(d.name, 100) is not true,
        'name', 'name must have 1 to 100 characters.'),
      (2, d.times > 1, 'name', 'name must be different for each attribute.'),
      (3, d.type not in ('text', 'number', 'boolean', 'select'),
        'type', 'type must be text, number, boolean or select.'),
      (4, coalesce(jsonb_typeof(d.value -> 'required') <> 'boolean', false), 'required', 'required must be true or false.'),
      (5, coalesce(jsonb_typeof(d.value -> 'searchable') <> 'boolean', false), 'searchable', 'searchable must be true or false.'),
      (6, jsonb_typeof(d.options) <> 'array'
          or d.type = 'select' and jsonb_array_length(d.options) not between 1 and 500
          or d.type <> 'select' and jsonb_array_length(d.options) > 0
          or exists (
            select 1 from jsonb_array_elements(d.options) as o (value)
            where private.is_name(o.value, 200) is not true
          )
          or jsonb_array_length(d.options) <> (select count(distinct o.value) from jsonb_array_elements(d.options) as o (value)),
        'options', 'options must be 1 to 500 different texts of 1 to 200 characters for the type select, and empty for other types.')
    ) as f (rank, applies, field, message)
    where f.applies
    order by f.rank
    limit 1
  ) as fault;
  perform private.refuse_all(faults);

  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'name', sent.value ->> 'name',
        'type', coalesce(sent.value ->> 'type', 'text'),
        'required', coalesce((sent.value ->> 'required')::boolean, false),
        'searchable', coalesce((sent.value ->> 'searchable')::boolean, false),
        'options', coalesce(sent.value -> 'options', '[]')
      )
      order by sent.position
    ),
    '[]'
  )
  into new.attributes
  from jsonb_array_elements(new.attributes) with ordinality as sent (value, position);
  return new;
end
$$;
comment on function private.check_category_attributes() is
  'Row trigger: checks the attributes of a category, which have a name, a type and, for select, options. Adds the defaults of missing fields.';

create function private.check_category_place() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  above uuid[];
  below integer;
begin
  -- Two valid moves at the same time could form a cycle, so moves within a tenant run one after another.
  perform private.hold('category_tree', new.tenant_id::text);

  with recursive line (id, parent_id, depth) as (
    select c.id, c.parent_id, 1
    from public.categories c
    where c.tenant_id = new.tenant_id and c.id = new.parent_id
    union all
    select c.id, c.parent_id, l.depth + 1
    from line l
    join public.categories c on c.tenant_id = new.tenant_id and c.id = l.parent_id
    where l.depth <= 10
  )
  select array_agg(l.id) into above from line l;
  if new.id = any (above || new.parent_id) then
    perform private.refuse(
      'VALIDATION_ERROR', 'parent_id must not be the category itself or one below it.', 'parent_id', to_jsonb(new.parent_id)
    );
  end if;

  with recursive branch (id, depth) as (
    select new.id, 1
    union all
    select c.id, b.depth + 1
    from branch b
    join public.categories c on c.tenant_id = new.tenant_id and c.parent_id = b.id
  )
  select max(b.depth) into below from branch b;
  if cardinality(above) + below > 10 then
    perform private.refuse(
      'VALIDATION_ERROR', 'The tree must have at most 10 levels.', 'parent_id', to_jsonb(new.parent_id)
    );
  end if;
  return new;
end
$$;
comment on function private.check_category_place() is 'Row trigger: refuses cycles and more than ten levels.';

create function private.category_attributes(tenant_id uuid, category_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    with recursive line (parent_id, attributes, depth) as (
      select c.parent_id, c.attributes, 1
      from public.categories c
      where c.tenant_id = category_attributes.tenant_id and c.id = category_attributes.category_id
      union all
      select c.parent_id, c.attributes, l.depth + 1
      from line l
      join public.categories c on c.tenant_id = category_attributes.tenant_id and c.id = l.parent_id
    )
    select coalesce(jsonb_object_agg(nearest.name, nearest.definition), '{}')
    from (
      select distinct on (a.value ->> 'name') a.value ->> 'name' as name, a.value as definition
      from line l
      cross join jsonb_array_elements(l.attributes) as a (value)
      order by a.value ->> 'name', l.depth
    ) as nearest
  );
end
$$;
comment on function private.category_attributes is
  'The attributes that a category requires of its products, by name: its own and those of all categories above it. The nearest one counts if several have the same name.';

create function private.category_branch(tenant_id uuid, category_id uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  branch uuid[] := array[category_id];
  level uuid[] := branch;
begin
  loop
    select array_agg(c.id) into level
    from public.categories c
    where c.tenant_id = category_branch.tenant_id and c.parent_id = any (level);
    exit when level is null;
    branch := branch || level;
  end loop;
  return branch;
end
$$;
comment on function private.category_branch is 'A category with all categories below it.';

create function private.category_branches(tenant_id uuid, category_ids uuid[]) returns uuid[]
language plpgsql stable set search_path = ''
as $$
declare
  category_id uuid;
  branches uuid[];
begin
  if cardinality(category_ids) > 50 then
    perform private.refuse('VALIDATION_ERROR', 'category must have at most 50 ids.', 'category');
  end if;
  foreach category_id in array coalesce(category_ids, '{}') loop
    branches := branches || private.category_branch(tenant_id, category_id);
  end loop;
  return branches;
end
$$;
comment on function private.category_branches is
  'Some categories with all categories below them, in the order of the first; null for none. Refuses more than 50 with VALIDATION_ERROR.';

create function private.category_tree(category public.categories) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', category.id, 'name', category.name, 'parent_id', category.parent_id, 'attributes', category.attributes,
    'template_id', category.template_id, 'created_at', category.created_at, 'updated_at', category.updated_at,
    'children', (
      select coalesce(jsonb_agg(private.category_tree(c) order by private.sort_name(c.name) collate "C", c.id), '[]')
      from public.categories c
      where c.tenant_id = category.tenant_id and c.parent_id = category.id
    )
  );
end
$$;
comment on function private.category_tree is 'A category in the form of the API, with the categories below it as children.';

create function public.list_categories() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return (
    select jsonb_build_object(
      'categories', coalesce(
        jsonb_agg(private.category_tree(c) order by private.sort_name(c.name) collate "C", c.id)
          filter (where c.parent_id is null),
        '[]'
      ),
      'total', count(*)
    )
    from public.categories c
  );
end
$$;
comment on function public.list_categories is 'The whole category tree of the caller''s tenant, and the number of categories.';

create function public.get_category(category_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (select private.category_tree(c) from public.categories c where c.id = category_id);
end
$$;
comment on function public.get_category is 'A category with all categories below it; null if it does not exist.';

create function public.create_category(
  name text,
  parent_id uuid default null,
  attributes jsonb default '[]',
  template_id uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.categories;
begin
  insert into public.categories (name, parent_id, attributes, template_id)
  values (create_category.name, create_category.parent_id, create_category.attributes, create_category.template_id)
  returning * into created;
  return private.category_tree(created);
end
$$;
comment on function public.create_category is 'For admins: creates a category, below another one or at the top level.';

create function public.update_category(category_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.categories;
begin
  update public.categories c
  set name = case when changes ? 'name' then changes ->> 'name' else c.name end,
      parent_id = case when changes ? 'parent_id' then (changes ->> 'parent_id')::uuid else c.parent_id end,
      attributes = case when changes ? 'attributes' then changes -> 'attributes' else c.attributes end,
      template_id = case when changes ? 'template_id' then (changes ->> 'template_id')::uuid else c.template_id end
  where c.id = update_category.category_id and private.is_unchanged(c.updated_at, changes)
  returning * into changed;
  if changed.id is null then
    if exists (select 1 from public.categories c where c.id = update_category.category_id) then
      perform private.refuse_outdated('category', changes);
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such category.');
  end if;
  return private.category_tree(changed);
end
$$;
comment on function public.update_category is
  'For admins: changes name, parent_id, attributes or template_id of a category. Fields that are not sent do not change. Refuses with CONFLICT if updated_at is sent and differs from the category''s.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.categories for each row execute function private.keep_nfc();

create trigger categories_are_changed_by_admins
  before insert or update or delete on public.categories
  for each statement execute function private.permitted_only('categories.write');

create trigger categories_check_attributes
  before insert or update of attributes on public.categories
  for each row execute function private.check_category_attributes();

create trigger categories_check_place
  before insert or update of parent_id on public.categories
  for each row when (new.parent_id is not null)
  execute function private.check_category_place();

create trigger categories_touch
  before update on public.categories
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.categories enable row level security;

create policy "Members see their tenant's categories" on public.categories
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Admins create categories" on public.categories
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('categories.write')) = 'all');

create policy "Admins change categories" on public.categories
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('categories.write')) = 'all')
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('categories.write')) = 'all');

create policy "Admins delete categories" on public.categories
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('categories.write')) = 'all');

-- grants ---------------------------------------------------------------------------------------

grant
  select, delete, insert (parent_id, name, attributes, template_id), update (parent_id, name, attributes, template_id)
  on public.categories to authenticated;
grant all on public.categories to service_role;
grant execute on function
  private.category_attributes, private.category_branch, private.category_branches, private.category_tree
  to authenticated, service_role;
grant execute on function
  public.list_categories, public.get_category, public.create_category, public.update_category
to authenticated;
