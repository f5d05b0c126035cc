-- Content types. Every tenant has three from the start: products, categories and static_pages. It can add its own, with
-- fields that it defines. The workflow of a type says which content role makes which move.

create type public.content_status as enum ('draft', 'in_review', 'approved', 'published', 'archived');

-- tables ---------------------------------------------------------------------------------------

create table private.content_move_rules (
  move text not null,
  from_status public.content_status not null,
  to_status public.content_status not null,
  role text not null,
  constraint content_move_rules_pkey primary key (move, from_status)
);
comment on table private.content_move_rules is
  'The moves of content: from which status to which, and the content role that makes each. The workflow of a type can name another role. Admins make every move.';

create table public.content_types (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  key text collate "C" not null,
  name text not null,
  fields jsonb not null default '[]',
  workflow jsonb not null default '[]',
  built_in boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint key_is_unique_in_content_types unique (tenant_id, key),
  constraint content_types_key_is_small_letters_digits_and_underscores check (key ~ '^[a-z][a-z0-9_]{0,49}$'),
  constraint content_types_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint content_types_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.content_types is
  'The content types of a tenant. fields: name, type, required, validation, default_value of each. workflow: the steps that say which role makes which move. built_in: every tenant has it, and nobody can delete it.';
alter table public.content_types replica identity full;

-- functions: permissions -------------------------------------------------------------------------

create function private.content_roles() returns text[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select case
      when private.scope_of('content.manage', m.role) = 'all' or 'admin' = any (m.content_roles) then array['editor', 'reviewer', 'publisher', 'admin']
      else m.content_roles
    end
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
      and not private.reads_as_customer()
  ), '{}');
end
$$;
comment on function private.content_roles() is
  'The caller''s content roles: editor, reviewer, publisher, admin. Admins of the tenant have all four; readers have none, and neither has anybody if private.reads_as_customer().';

create function private.insist_on_content_admin() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not 'admin' = any (private.content_roles()) then
    perform private.refuse(
      'FORBIDDEN', 'Only admins and members with the content role admin may change content types.'
    );
  end if;
end
$$;
comment on function private.insist_on_content_admin() is
  'Refuses a caller who is not an admin and has not the content role admin, with FORBIDDEN.';

-- functions: fields --------------------------------------------------------------------------------

create function private.check_field_value(definition jsonb, value jsonb, field text) returns void
language plpgsql set search_path = ''
as $$
declare
  rules jsonb := coalesce(nullif(definition -> 'validation', 'null'), '{}');
  amount numeric;
begin
  case definition ->> 'type'
    when 'string' then
      perform private.insist(
        private.is_text(
          value, coalesce((rules ->> 'min_length')::integer, 0), coalesce((rules ->> 'max_length')::integer, 10000)
        ),
        field, format(
          'a text of %s to %s characters', coalesce(rules ->> 'min_length', '0'), coalesce(rules ->> 'max_length', '10000')
        ), value
      );
    when 'number' then
      perform private.insist(
        jsonb_typeof(value) = 'number' and private.has_short_numbers(value), field, 'a number', value
      );
      amount := (value #>> '{}')::numeric;
      perform private.insist(
        amount >= coalesce((rules ->> 'min')::numeric, amount), field, format('at least %s', rules ->> 'min'), value
      );
      perform private.insist(
        amount <= coalesce((rules ->> 'max')::numeric, amount), field, format('at most %s', rules ->> 'max'), value
      );
    when 'boolean' then
      perform private.insist(jsonb_typeof(value) = 'boolean', field, 'true or false', value);
    when 'array' then
      perform private.insist(jsonb_typeof(value) = 'array' and private.has_short_numbers(value), field, 'a list', value);
    when 'object' then
      perform private.insist(jsonb_typeof(value) = 'object' and private.has_short_numbers(value), field, 'an object', value);
    when 'image' then
      perform private.insist_on_keys(value, field, array['asset_id', 'alt']);
      perform private.insist(
        private.is_uuid(value ->> 'asset_id'), field || '.asset_id', 'the id of an asset', value -> 'asset_id'
      );
      perform private.insist(
        not value ? 'alt' or value -> 'alt' = 'null' or private.is_text(value -> 'alt', 0, 500), field || '.alt',
        'a text of at most 500 characters', value -> 'alt'
      );
    when 'color' then
      perform private.insist(private.is_text(value, 7, 7, '^#[0-9A-Fa-f]{6}$'), field, 'a color like #1a2b3c', value);
    when 'date' then
      perform private.insist(
        private.is_text(value, 10, 10, '^\d{4}-\d{2}-\d{2}$') and private.time_of((value #>> '{}') || 'T00:00Z') is not null,
        field, 'a date such as 2026-01-01', value
      );
  end case;
  if rules ? 'options' then
    perform private.insist(
      rules -> 'options' @> jsonb_build_array(value), field,
      'one of ' || (select string_agg(o.value #>> '{}', ', ') from jsonb_array_elements(rules -> 'options') as o), value
    );
  end if;
end
$$;
comment on function private.check_field_value is
  'Refuses a value that does not fit the type or the validation of its field, with VALIDATION_ERROR.';

create function private.check_validation(rules jsonb, type text, field text) returns void
language plpgsql set search_path = ''
as $$
declare
  rule record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist_on_keys(
    rules, field,
    case type
      when 'string' then array['min_length', 'max_length', 'options']
      when 'number' then array['min', 'max', 'options']
      else array[]::text[]
    end
  );
  for rule in select r.key, r.value from jsonb_each(rules) as r loop
    case rule.key
      when 'options' then
        faults := faults || private.fault_unless(
          case
            when jsonb_typeof(rule.value) = 'array' then jsonb_array_length(rule.value) between 1 and 100
              and not exists (
                select from jsonb_array_elements(rule.value) as o
                where jsonb_typeof(o.value) <> type or char_length(o.value #>> '{}') > 200
              )
          end,
          field || '.options', format('a list of 1 to 100, each a %s', type), rule.value
        );
      when 'min_length', 'max_length' then
        faults := faults || private.fault_unless(
          jsonb_typeof(rule.value) = 'number' and (rule.value #>> '{}') ~ '^\d{1,5}$', field || '.' || rule.key,
          'a whole number from 0 to 99999', rule.value
        );
      else
        faults := faults || private.fault_unless(
          jsonb_typeof(rule.value) = 'number' and private.has_short_numbers(rule.value), field || '.' || rule.key,
          'a number', rule.value
        );
    end case;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_validation is 'Refuses rules that this type of field does not have.';

create function private.content_field_faults(definition jsonb, field text) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  rules jsonb := coalesce(nullif(definition -> 'validation', 'null'), '{}');
  value jsonb := nullif(definition -> 'default_value', 'null');
  faults jsonb := '[]'::jsonb;
  is_typed boolean :=
    definition ->> 'type' in ('string', 'number', 'boolean', 'array', 'object', 'image', 'color', 'date');
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_keys(definition, field, array['name', 'type', 'required', 'validation', 'default_value']);
  faults := private.fault_unless(
    private.is_text(definition -> 'name', 1, 50, '^[a-z][a-z0-9_]*$'), field || '.name',
    'up to 50 small letters, digits and underscores', definition -> 'name'
  ) || private.fault_unless(
    is_typed, field || '.type', 'one of string, number, boolean, array, object, image, color, date', definition -> 'type'
  ) || private.fault_unless(
    jsonb_typeof(coalesce(definition -> 'required', 'false')) = 'boolean', field || '.required', 'true or false',
    definition -> 'required'
  );
  if is_typed is not true then
    return faults;
  end if;
  begin
    perform private.check_validation(rules, definition ->> 'type', field || '.validation');
  exception
    when sqlstate 'PT422' then
      get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
      faults := faults || private.faults_in(code, reason, detail);
      -- Wrong rules cannot be applied.
      rules := '{}';
  end;
  if value is not null then
    perform private.check_field_value(
      definition || jsonb_build_object('validation', rules), value, field || '.default_value'
    );
  end if;
  return faults;
exception
  when sqlstate 'PT422' then
    get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
    return faults || private.faults_in(code, reason, detail);
end
$$;
comment on function private.content_field_faults is 'What is wrong in the definition of a field of a type.';

create function private.check_content_fields(fields jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist(
    case when jsonb_typeof(fields) = 'array' then jsonb_array_length(fields) <= 100 end,
    'fields', 'a list of at most 100', fields
  );
  for entry in
    select f.value, format('fields[%s]', f.position - 1) as field
    from jsonb_array_elements(fields) with ordinality as f (value, position)
  loop
    faults := faults || private.content_field_faults(entry.value, entry.field);
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct f.value ->> 'name') = count(*) from jsonb_array_elements(fields) as f (value)),
    'fields', 'a list without duplicate names', fields
  );
end
$$;
comment on function private.check_content_fields is 'Refuses wrong definitions of a type''s fields. Names the wrong ones.';

create function private.check_workflow(steps jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  step record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(
    case when jsonb_typeof(steps) = 'array' then jsonb_array_length(steps) <= 20 end,
    'steps', 'a list of at most 20', steps
  );
  for step in
    select s.value, format('steps[%s]', s.position - 1) as field
    from jsonb_array_elements(steps) with ordinality as s (value, position)
  loop
    begin
      perform private.insist_on_keys(
        step.value, step.field, array['id', 'name', 'assignee_role', 'required_actions', 'auto_transition']
      );
      perform private.insist(
        private.is_text(step.value -> 'id', 1, 50, '^[A-Za-z0-9_-]+$'), step.field || '.id',
        'up to 50 letters, digits, _ and -', step.value -> 'id'
      );
      perform private.insist(
        private.is_name(step.value -> 'name', 200), step.field || '.name', 'a text of 1 to 200 characters, one of them visible',
        step.value -> 'name'
      );
      perform private.insist(
        step.value ->> 'assignee_role' in ('editor', 'reviewer', 'publisher', 'admin'), step.field || '.assignee_role',
        'one of editor, reviewer, publisher, admin', step.value -> 'assignee_role'
      );
      perform private.insist(
        case when jsonb_typeof(step.value -> 'required_actions') = 'array' then
          jsonb_array_length(step.value -> 'required_actions') > 0 and not exists (
            select from jsonb_array_elements(step.value -> 'required_actions') as a
            where not exists (select from private.content_move_rules r where to_jsonb(r.move) = a.value)
          )
        end,
        step.field || '.required_actions', 'a list of moves, such as approve', step.value -> 'required_actions'
      );
      perform private.insist(
        jsonb_typeof(coalesce(step.value -> 'auto_transition', 'false')) = 'boolean'
          and (coalesce(step.value -> 'auto_transition', 'false') = 'false'
            or step.value -> 'required_actions' in ('["approve"]', '["publish"]')),
        step.field || '.auto_transition', 'true only if the step''s one action is approve or publish',
        step.value -> 'auto_transition'
      );
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct s.value ->> 'id') = count(*) from jsonb_array_elements(steps) as s (value))
      and not exists (
        select a.value
        from jsonb_array_elements(steps) as s (value)
        cross join lateral jsonb_array_elements(s.value -> 'required_actions') as a (value)
        group by a.value
        having count(*) > 1
      ),
    'steps', 'a list in which each id and each move occurs once', steps
  );
end
$$;
comment on function private.check_workflow is
  'Refuses wrong steps of a workflow. content_move_rules applies to a move that no step names.';

create function private.check_content_type() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.bound_record(
    octet_length(new.fields::text) + octet_length(new.workflow::text), 0.1,
    'The fields and the workflow of this content type are too large.'
  );
  perform private.check_content_fields(new.fields);
  perform private.check_workflow(new.workflow);
  if tg_op = 'INSERT' and not new.built_in and (
    select count(*) >= private.cap('content_types_per_tenant')
    from public.content_types t where t.tenant_id = new.tenant_id
  ) then
    perform private.refuse_beyond('content_types_per_tenant', 'The tenant has the maximum number of content types.');
  end if;
  return new;
end
$$;
comment on function private.check_content_type() is 'Row trigger: checks the fields and the workflow of a content type, and the number of types.';

create function private.open_content_types() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.content_types (tenant_id, key, name, built_in)
  values
    (new.id, 'products', 'Products', true), (new.id, 'categories', 'Categories', true),
    (new.id, 'static_pages', 'Static pages', true);
  return null;
end
$$;
comment on function private.open_content_types() is 'Row trigger: gives a new tenant the built-in content types.';

-- functions: the API -------------------------------------------------------------------------------

create function private.content_type_of(key text) returns public.content_types
language plpgsql stable security definer set search_path = ''
as $$
declare
  type public.content_types;
begin
  -- members_only would let everybody pass: this function runs as its owner.
  if private.tenant_id() is null then
    perform private.refuse('FORBIDDEN', 'You are not an active member of this tenant.');
  end if;
  select * into type
  from public.content_types t
  where t.tenant_id = private.tenant_id() and t.key = content_type_of.key;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such content type.');
  end if;
  return type;
end
$$;
comment on function private.content_type_of is 'A content type of the caller''s tenant, by its key. Errors: NOT_FOUND; FORBIDDEN for a caller who is no longer a member.';

create function public.create_content_type(key text, name text, fields jsonb default '[]') returns jsonb
language plpgsql set search_path = ''
as $$
declare
  made public.content_types;
begin
  perform private.insist_on_content_admin();
  insert into public.content_types (tenant_id, key, name, fields)
  values (private.tenant_id(), create_content_type.key, create_content_type.name, create_content_type.fields)
  returning * into made;
  return to_jsonb(made);
end
$$;
comment on function public.create_content_type is
  'For admins: creates a content type and returns its record. Errors: CONFLICT if the key is taken, VALIDATION_ERROR, LIMIT_REACHED, FORBIDDEN.';

create function public.update_content_type(key text, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  type public.content_types := private.content_type_of(update_content_type.key);
begin
  perform private.insist_on_content_admin();
  perform private.known_only(changes, array['name', 'fields', 'workflow']);
  update public.content_types t
  set name = case when changes ? 'name' then changes ->> 'name' else t.name end,
      fields = case when changes ? 'fields' then changes -> 'fields' else t.fields end,
      workflow = case when changes ? 'workflow' then changes -> 'workflow' else t.workflow end
  where t.id = type.id
  returning * into type;
  return to_jsonb(type);
end
$$;
comment on function public.update_content_type is
  'For admins: changes the name, fields and workflow of a content type, also of a built-in one, and returns its record. Content keeps the values of a removed field until somebody changes them. Errors: NOT_FOUND, VALIDATION_ERROR, FORBIDDEN.';

create function public.delete_content_type(key text) returns void
language plpgsql set search_path = ''
as $$
declare
  type public.content_types := private.content_type_of(delete_content_type.key);
begin
  perform private.insist_on_content_admin();
  if type.built_in then
    perform private.refuse('CONFLICT', 'A built-in content type cannot be deleted.');
  end if;
  delete from public.content_types t where t.id = type.id;
exception
  when foreign_key_violation then
    perform private.refuse('CONFLICT', 'This content type still has content. Delete the content first.');
end
$$;
comment on function public.delete_content_type is
  'For admins: deletes a content type. Errors: CONFLICT if it is built in or still has content, NOT_FOUND, FORBIDDEN.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.content_types
  for each row execute function private.keep_nfc();

create trigger content_types_check
  before insert or update of fields, workflow on public.content_types
  for each row execute function private.check_content_type();

create trigger content_types_touch
  before update on public.content_types
  for each row execute function private.touch();

create trigger tenants_open_content_types
  after insert on public.tenants
  for each row execute function private.open_content_types();

-- policies -------------------------------------------------------------------------------------

alter table private.content_move_rules enable row level security;
alter table public.content_types enable row level security;

create policy "Members see their tenant's content types" on public.content_types
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Content admins create types" on public.content_types
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and 'admin' = any ((select private.content_roles())::text[]));

create policy "Content admins change types" on public.content_types
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and 'admin' = any ((select private.content_roles())::text[]))
  with check (tenant_id = (select private.tenant_id()) and 'admin' = any ((select private.content_roles())::text[]));

create policy "Content admins delete their own types" on public.content_types
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id()) and not built_in
    and 'admin' = any ((select private.content_roles())::text[])
  );

-- grants ---------------------------------------------------------------------------------------

grant select, delete, insert (tenant_id, key, name, fields), update (name, fields, workflow) on public.content_types to authenticated;
grant all on public.content_types to service_role;
grant execute on function
  private.content_roles(), private.insist_on_content_admin(), private.content_type_of
to authenticated, service_role;
grant execute on function
  public.create_content_type, public.update_content_type, public.delete_content_type
to authenticated;
