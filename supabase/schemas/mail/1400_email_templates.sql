-- E-mail templates: the built-in mails, and the mails of a tenant, which replace them or are sent in addition. The
-- texts of the built-in mails are in the functions, which render them.

-- types ----------------------------------------------------------------------------------------

create type public.mail_audience as enum ('buyer', 'supplier', 'admins');
comment on type public.mail_audience is
  'Who gets the mail of an event: the buyer of its order, the members of each supplier that it concerns, or the admins.';

-- tables ---------------------------------------------------------------------------------------

create table private.mail_kinds (
  key text primary key,
  event text references private.event_types (name),
  status text,
  is_optional boolean not null default false,
  "to" public.mail_audience
);
comment on table private.mail_kinds is
  'The built-in kinds of mail. event and status: what they are sent on; status is null if every event of that name sends the mail, event is null if a trigger of another table does. is_optional: whether the recipient may unsubscribe from it. to: who gets it; null: the buyer of its order, the supplier of its product, or else the admins.';

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
  "to" public.mail_audience,
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
  'E-mail templates of a tenant. One with the key of a built-in mail replaces it; any other is sent on its trigger_events, to the given audience or the usual one of the event. subject, html_content, text_content: Liquid, one text or an object of texts by language. variables: names of variables in these texts, for editors.';
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
  elsif new.trigger_events <> '{}' and exists (select from private.mail_kinds l where l.key = new.key) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The events of a built-in letter cannot be changed: leave trigger_events out.',
      'trigger_events', to_jsonb(new.trigger_events)
    );
  elsif new."to" is not null and exists (select from private.mail_kinds l where l.key = new.key) then
    perform private.refuse(
      'VALIDATION_ERROR', 'A built-in mail has the receivers of its kind: leave to out.', 'to', to_jsonb(new."to")
    );
  end if;
  unknown := (
    select e.name
    from unnest(new.trigger_events) as e (name)
    where new."to" = 'buyer' and e.name !~ '^(order|shipment|return|payment)[.]'
      or new."to" = 'supplier' and e.name !~ '^(order|shipment|return|payment|product)[.]'
    limit 1
  );
  if unknown is not null then
    perform private.refuse(
      'VALIDATION_ERROR', format('The event %s has no %s: choose other receivers or events.', unknown, new."to"), 'to',
      to_jsonb(new."to")
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
  variables text[] default '{}', trigger_events text[] default '{}', "to" public.mail_audience default null
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  created public.email_templates;
begin
  insert into public.email_templates (key, name, subject, html_content, text_content, variables, trigger_events, "to")
  values (
    create_email_template.key, create_email_template.name, create_email_template.subject,
    create_email_template.html_content, create_email_template.text_content, create_email_template.variables,
    create_email_template.trigger_events, create_email_template."to"
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
  for each statement execute function private.permitted_only('email_templates.write');

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

alter table private.mail_kinds enable row level security;
alter table public.email_templates enable row level security;

create policy "Admins and clients see their tenant's e-mail templates" on public.email_templates
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('email_templates.read')) = 'all');

create policy "Admins create e-mail templates" on public.email_templates
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('email_templates.write')) = 'all');

create policy "Admins change e-mail templates" on public.email_templates
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('email_templates.write')) = 'all')
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('email_templates.write')) = 'all');

create policy "Admins delete e-mail templates" on public.email_templates
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('email_templates.write')) = 'all');

-- grants ---------------------------------------------------------------------------------------

grant select, delete,
  insert (key, name, subject, html_content, text_content, variables, trigger_events, "to"),
  update (name, subject, html_content, text_content, variables, trigger_events, "to")
on public.email_templates to authenticated;
grant all on public.email_templates to service_role;
grant execute on function public.create_email_template to authenticated;
grant execute on function public.sort_name(public.email_templates) to authenticated, service_role;
