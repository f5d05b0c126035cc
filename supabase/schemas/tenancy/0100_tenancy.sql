-- Tenants, their members and the members' roles. Every policy asks this file for the tenant, role, supplier or customer of
-- the caller. The caller may be a visitor, or a page that somebody else has written, which visitors know:
-- later: private.open_marketplace, private.marketplace_id, private.reads_as_customer

create type public.member_status as enum ('active', 'suspended');
create type public.supplier_status as enum ('active', 'paused', 'suspended');

-- tables ---------------------------------------------------------------------------------------

create table public.tenants (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  time_zone text not null default 'UTC',
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint tenants_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint tenants_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.tenants is 'The business of one operator: its marketplaces, members and orders. time_zone: an IANA name, which determines the start of the tenant''s days. settings: by capability, set by admins; each capability checks its own.';

create table private.tenant_removals (
  tenant_id uuid not null,
  asked_at timestamptz not null default now(),
  tried_at timestamptz not null default now(),
  error text,
  constraint tenant_removals_pkey primary key (tenant_id),
  constraint tenant_removals_tenant_id_fkey foreign key (tenant_id) references public.tenants (id) on delete cascade
);
comment on table private.tenant_removals is
  'Tenants that are being removed. tried_at: when a part was last deleted; error: why the last part could not be.';

create table public.suppliers (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  name text not null,
  verified boolean not null default false,
  status public.supplier_status not null default 'active',
  marketplace_ids uuid[],
  slug text not null default '',
  description text not null default '',
  logo text,
  legal jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint suppliers_tenant_id_id_key unique (tenant_id, id),
  constraint suppliers_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint suppliers_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint suppliers_description_is_at_most_5000_characters check (char_length(description) <= 5000)
);
comment on table public.suppliers is
  'An organisation that sells on a tenant''s marketplaces. It has members. status: paused by itself or an admin, suspended by an admin; its products are then not for sale. marketplace_ids: the marketplaces that it may sell on; null for all. slug: its readable address, unique in the tenant; an empty one is made from the name. description: plain text, for buyers. logo: the address of a picture. legal: its legal identity (name, address, email, phone, register_number, tax_id and self_certified, all optional), which each order copies.';
alter table public.suppliers replica identity using index suppliers_tenant_id_id_key;

create table public.customers (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  user_id uuid references auth.users (id) on delete set null,
  name text not null default '',
  email text collate "C",
  contact_email text collate "C",
  is_guest boolean not null default false,
  is_listed boolean not null default true,
  language text,
  external_id text,
  created_at timestamptz not null default now(),
  erased_at timestamptz,
  phone text,
  constraint customers_tenant_id_id_key unique (tenant_id, id),
  constraint customers_tenant_id_user_id_key unique (tenant_id, user_id),
  constraint customers_name_is_at_most_200_characters check (char_length(name) <= 200),
  constraint customers_name_is_empty_or_more_than_spaces check (name = '' or private.is_more_than_spaces(name)),
  constraint customers_email_is_an_address_in_lower_case check (private.is_email(email)),
  constraint customers_contact_email_is_an_address_in_lower_case check (private.is_email(contact_email)),
  constraint customers_contact_email_is_for_guests check (is_guest or contact_email is null),
  constraint customers_is_listed_is_false_for_guests_only check (is_guest or is_listed),
  constraint customers_language_is_a_language check (private.is_language(language)),
  constraint customers_external_id_is_1_to_200_characters check (char_length(external_id) between 1 and 200),
  constraint customers_phone_is_1_to_50_characters check (char_length(phone) between 1 and 50),
  constraint customers_phone_is_more_than_spaces check (private.is_more_than_spaces(phone)),
  constraint customers_is_anonymous_once_it_is_erased check (
    erased_at is null or name = '' and num_nulls(user_id, email, contact_email, phone, language, external_id) = 6
  )
);
comment on table public.customers is
  'A customer of the tenant, with or without an account. It remains when the account is deleted, because its orders remain. email: the address of the account, or the one that the staff or an import gave. is_guest: whether its account is a guest''s, which has no e-mail address. contact_email: the address that a guest gave in its last order, which nobody has confirmed. is_listed: false for a guest who has not ordered, whom nobody but itself sees. language: the language of mails to it; null if unknown. external_id: its id in the system that its past orders were imported from. erased_at: when its personal data was erased, for ever; null if it was not.';
alter table public.customers replica identity using index customers_tenant_id_id_key;

create table public.members (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  role public.member_role not null,
  status public.member_status not null default 'active',
  supplier_id uuid,
  content_roles text[] not null default '{}',
  email text collate "C" not null,
  name text not null,
  is_anonymous boolean not null default false,
  is_key boolean not null default false,
  created_at timestamptz not null default now(),
  constraint members_pkey primary key (tenant_id, user_id),
  constraint members_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint members_supplier_id_is_set_for_suppliers_only
    check ((role = 'supplier') = (supplier_id is not null)),
  constraint members_content_roles_is_of_editor_reviewer_publisher_admin
    check (content_roles <@ array['editor', 'reviewer', 'publisher', 'admin'])
);
comment on table public.members is
  'The users of each tenant with their roles. email, name and is_anonymous are copies from the account. is_anonymous: a guest, whose email is empty. is_key: an API key, which nobody but itself sees here: see api_keys.';

-- indexes --------------------------------------------------------------------------------------

create index members_user_id_idx on public.members (user_id);
create index members_supplier_idx on public.members (tenant_id, supplier_id);
create index members_tenant_id_created_at_idx on public.members (tenant_id, created_at desc, user_id);
create index members_tenant_id_email_idx on public.members (tenant_id, email);
create index members_tenant_id_is_anonymous_idx on public.members (tenant_id, is_anonymous, created_at desc, user_id);
create index members_tenant_id_role_idx on public.members (tenant_id, role, status, created_at desc, user_id);
create index members_tenant_id_name_idx
  on public.members (tenant_id, (private.sort_name(name) collate "C"), user_id);
create index suppliers_tenant_id_name_idx on public.suppliers (tenant_id, (private.sort_name(name) collate "C"), id);
create index customers_tenant_id_name_idx on public.customers (tenant_id, (private.sort_name(name) collate "C"), id);
create index suppliers_tenant_id_created_at_idx on public.suppliers (tenant_id, created_at desc, id);
create index customers_user_id_idx on public.customers (user_id);
create index customers_tenant_id_created_at_idx on public.customers (tenant_id, created_at desc, id);
create index customers_tenant_id_email_idx on public.customers (tenant_id, email);
create index customers_tenant_id_external_id_idx on public.customers (tenant_id, external_id) where external_id is not null;

-- functions ------------------------------------------------------------------------------------

create function public.sort_name(supplier public.suppliers) returns private.sort_text
language sql immutable
return private.sort_name((supplier).name);
comment on function public.sort_name(public.suppliers) is
  'The key for sorting suppliers by name: .order(''sort_name'').';

create function public.sort_name(customer public.customers) returns private.sort_text
language sql immutable
return private.sort_name((customer).name);
comment on function public.sort_name(public.customers) is
  'The key for sorting customers by name: .order(''sort_name'').';

create function public.sort_name(member public.members) returns private.sort_text
language sql immutable
return private.sort_name((member).name);
comment on function public.sort_name(public.members) is 'The key for sorting members by name: .order(''sort_name'').';

-- Every policy uses these functions, so they are PL/pgSQL: it caches their plans for the session. A function in SQL is
-- planned at each call and takes eight times as long.

create function private.is_tenant_kept(tenant_id uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from public.tenants t where t.id = is_tenant_kept.tenant_id)
    and not exists (select from private.tenant_removals r where r.tenant_id = is_tenant_kept.tenant_id)
$$;
comment on function private.is_tenant_kept is
  'Whether a tenant exists and is not being removed. Of any other all rows are deleted, whatever uses them.';

create function private.tenant_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.is_visit() then
    return (private.open_marketplace(private.request_header('x-souk-marketplace'))).tenant_id;
  end if;
  return (
    select m.tenant_id
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  );
end
$$;
comment on function private.tenant_id() is
  'The caller''s tenant: that of its active membership, or of the marketplace that a visitor visits. Otherwise null.';

create function private.tenant_role() returns public.member_role
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.is_visit() then
    return case when private.marketplace_id() is not null then 'customer'::public.member_role end;
  end if;
  return (
    select case when m.role <> 'customer' and private.reads_as_customer() then 'customer' else m.role end
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  );
end
$$;
comment on function private.tenant_role() is
  'The caller''s current role, which may differ from the token''s; null without an active membership. A visitor sees what a customer sees, but has no customer''s record. Customer if private.reads_as_customer().';

create function private.refuse_stranger() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if private.is_visit() then
    perform private.refuse(
      'UNAUTHORIZED', 'Send the token of a user, or name the marketplace that you visit: header x-souk-marketplace.'
    );
  end if;
  perform private.refuse('FORBIDDEN', 'You are not an active member of this tenant.');
end
$$;
comment on function private.refuse_stranger() is
  'Refuses a caller without a tenant: with FORBIDDEN, or with UNAUTHORIZED a visitor who names no marketplace.';

create function private.members_only() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if current_user in ('anon', 'authenticated') and private.tenant_id() is null then
    perform private.refuse_stranger();
  end if;
end
$$;
comment on function private.members_only() is
  'Refuses callers without a tenant. Without it, policies would show an empty list.';

create function private.supplier_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select m.supplier_id
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
      and m.supplier_id is not null
      and not private.reads_as_customer()
  );
end
$$;
comment on function private.supplier_id() is
  'The caller''s organisation; null unless the caller is a supplier, and if private.reads_as_customer().';

create function private.supplier_id(permission text) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case when private.scope(permission) is not null then private.supplier_id() end;
end
$$;
comment on function private.supplier_id(text) is
  'The caller''s organisation, if the caller has this permission; otherwise null.';

create function private.customer_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select c.id
    from public.customers c
    where c.tenant_id = private.tenant_id()
      and c.user_id = (select auth.uid())
  );
end
$$;
comment on function private.customer_id() is 'The caller''s customer record in the tenant; null if there is none.';

create function private.is_guest() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return private.is_visit() or exists (
    select 1
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.is_anonymous
  );
end
$$;
comment on function private.is_guest() is
  'Whether the caller has not registered: a visitor, or a member of the tenant without an address.';

create function private.account_name(metadata jsonb, email text) returns text
language sql immutable set search_path = ''
as $$
  select left(
    coalesce(
      case when private.is_more_than_spaces(left(metadata ->> 'name', 200)) then metadata ->> 'name' end,
      substring(email from '^(.*)@'), ''
    ),
    200
  )
$$;
comment on function private.account_name is
  'The name of an account: the given name, or else the part of its address before the @.';

create function private.account_language(metadata jsonb) returns text
language sql immutable set search_path = ''
as $$
  select metadata ->> 'language' where private.is_language(metadata ->> 'language')
$$;
comment on function private.account_language is
  'The language that a user has chosen for mails; null if none. It is validated, because users can write any value into their metadata.';

create function private.fit_member() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    select lower(u.email), private.account_name(u.raw_user_meta_data, u.email), u.is_anonymous
    into new.email, new.name, new.is_anonymous
    from auth.users u
    where u.id = new.user_id;
    new.email := coalesce(new.email, '');
    new.name := coalesce(new.name, '');
    new.is_anonymous := coalesce(new.is_anonymous, false);
  elsif new.role <> 'supplier' and old.role = 'supplier' and new.supplier_id = old.supplier_id then
    new.supplier_id := null;
  end if;
  if new.role = 'supplier' and new.supplier_id is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'supplier_id is required for the role supplier.', 'supplier_id', 'null'
    );
  end if;
  return new;
end
$$;
comment on function private.fit_member() is
  'Row trigger: copies e-mail, name and is_anonymous of the account to a new member. Removes the organisation of a member that is no longer a supplier.';

create function private.open_customer() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.customers (tenant_id, user_id, name, email, is_guest, is_listed, language)
  select
    new.tenant_id, new.user_id, new.name, case when private.is_email(new.email) then new.email end,
    u.is_anonymous, not u.is_anonymous, private.account_language(u.raw_user_meta_data)
  from auth.users u
  where u.id = new.user_id
  on conflict on constraint customers_tenant_id_user_id_key do nothing;
  return null;
end
$$;
comment on function private.open_customer() is
  'Row trigger: gives a member who may order a customer record, the earlier one if it exists.';

create function private.check_last_admin() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Two admins may leave at the same time. The lock makes the second count after the first has committed.
  perform 1
  from public.tenants t
  where t.id = old.tenant_id
    and not exists (select from private.tenant_removals r where r.tenant_id = t.id)
  for no key update;
  -- If the tenant is gone or is being removed, its members go with it.
  if found and not exists (
    select 1
    from public.members m
    where m.tenant_id = old.tenant_id and m.role = 'admin' and m.status = 'active'
  ) then
    perform private.refuse(
      'LAST_ADMIN', 'A tenant must have an active admin. Appoint another one first.'
    );
  end if;
  return null;
end
$$;
comment on function private.check_last_admin() is
  'Row trigger: refuses with LAST_ADMIN if the last active admin of a tenant would be removed, suspended or demoted.';

create function private.follow_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  address text := coalesce(lower(new.email), '');
  display_name text := private.account_name(new.raw_user_meta_data, new.email);
begin
  update public.members m
  set email = address, name = display_name, is_anonymous = new.is_anonymous
  where m.user_id = new.id;
  -- A soft-deleted account has a hash instead of its address.
  update public.customers c
  set email = case when private.is_email(address) then address end,
      -- A guest without a name has the name of its last order.
      -- Otherwise a name that the customer or the staff has corrected since would be lost.
      name = case
        when new.is_anonymous and display_name = ''
          or display_name = private.account_name(old.raw_user_meta_data, old.email) then c.name
        else display_name
      end,
      contact_email = case when new.is_anonymous then c.contact_email end,
      is_guest = new.is_anonymous,
      is_listed = c.is_listed or not new.is_anonymous,
      language = case
        when private.account_language(new.raw_user_meta_data)
          is not distinct from private.account_language(old.raw_user_meta_data) then c.language
        else private.account_language(new.raw_user_meta_data)
      end
  where c.user_id = new.id;
  return null;
end
$$;
comment on function private.follow_account() is
  'Row trigger: copies changes of an account''s e-mail and name to its memberships and customers, whether it is a guest''s, and its language to customers.';

create function private.check_supplier() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if current_user = 'authenticated' and private.scope('suppliers.verify') is null then
    if new.verified <> old.verified then
      perform private.refuse('FORBIDDEN', 'Only admins can verify suppliers.', 'verified', to_jsonb(new.verified));
    elsif new.status <> old.status and 'suspended' in (new.status, old.status) then
      perform private.refuse('FORBIDDEN', 'Only admins can suspend suppliers, and end that.', 'status', to_jsonb(new.status));
    elsif new.marketplace_ids is distinct from old.marketplace_ids then
      perform private.refuse(
        'FORBIDDEN', 'Only admins can say where suppliers sell.', 'marketplace_ids', to_jsonb(new.marketplace_ids)
      );
    end if;
    -- The old name was verified.
    new.verified := new.verified and new.name = old.name;
  end if;
  return new;
end
$$;
comment on function private.check_supplier() is
  'Row trigger: only admins can verify and suspend suppliers, and choose their marketplaces. A supplier that changes its own name is no longer verified.';

create function private.check_time_zone(time_zone text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  -- What the zone database links these names to.
  cities constant jsonb := jsonb_build_object(
    'CET', 'Europe/Brussels', 'MET', 'Europe/Brussels', 'EET', 'Europe/Athens', 'WET', 'Europe/Lisbon',
    'GMT', 'Africa/Abidjan', 'EST', 'America/Panama', 'MST', 'America/Phoenix', 'HST', 'Pacific/Honolulu',
    'EST5EDT', 'America/New_York', 'CST6CDT', 'America/Chicago', 'MST7MDT', 'America/Denver', 'PST8PDT', 'America/Los_Angeles'
  );
begin
  -- Names of regions include daylight saving time; abbreviations and offsets do not. Browsers do not know posix/ and right/.
  if time_zone !~ '^(UTC|(?!(posix|right)/)[A-Za-z_]+(/[A-Za-z0-9_+-]+)+)$' or char_length(time_zone) > 100 then
    perform private.refuse(
      'VALIDATION_ERROR',
      format('time_zone must be the zone of a city, such as %s, or UTC.', coalesce(cities ->> time_zone, 'Europe/Berlin')),
      'time_zone', to_jsonb(time_zone)
    );
  end if;
  perform now() at time zone time_zone;
exception
  when invalid_parameter_value then
    perform private.refuse('VALIDATION_ERROR', 'There is no such time zone.', 'time_zone', to_jsonb(time_zone));
end
$$;
comment on function private.check_time_zone is 'Refuses with VALIDATION_ERROR a text that is not the name of a time zone.';

create function private.check_tenant_time_zone() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.check_time_zone(new.time_zone);
  return new;
end
$$;
comment on function private.check_tenant_time_zone() is 'Row trigger: refuses a tenant''s time_zone that is not the name of a time zone.';

create function private.time_zone_of(tenant_id uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select t.time_zone from public.tenants t where t.id = tenant_id
$$;
comment on function private.time_zone_of is 'The time zone in which a tenant''s days begin.';

create function private.today(tenant_id uuid) returns date
language sql stable
return (now() at time zone private.time_zone_of(tenant_id))::date;
comment on function private.today is 'The current day of a tenant, in its time zone.';

-- Postgres puts the expression into the query that calls it.
create function private.local_text(at timestamptz, time_zone text) returns text
language sql stable
return case when isfinite(at) then
  (to_jsonb(at at time zone time_zone) #>> '{}')
  || case when at at time zone time_zone < at at time zone 'UTC' then '-' else '+' end
  || to_char(
    greatest(at at time zone time_zone, at at time zone 'UTC') - least(at at time zone time_zone, at at time zone 'UTC'),
    'HH24:MI'
  )
end;
comment on function private.local_text is
  'The text of a time in a time zone, with the offset there: 2026-11-24T09:00:00+13:00. Applications do not compute offsets, because their data of time zones may be older than the database''s.';

create function private.time_of(written text) returns timestamptz
language plpgsql immutable set search_path = ''
as $$
begin
  if written ~ '^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$' then
    return written::timestamptz;
  end if;
  return null;
exception
  -- For example a date that does not exist, or a wrong offset.
  when data_exception then
    return null;
end
$$;
comment on function private.time_of is 'A time in ISO 8601 with its offset; null if it is not one.';

create function private.moment_of(written text, field text, is_end boolean default false) returns timestamptz
language plpgsql stable security definer set search_path = ''
as $$
begin
  if written ~ '^\d{4}-\d{2}-\d{2}$' then
    return (written::date + is_end::integer)::timestamp at time zone private.time_zone_of(private.tenant_id());
  end if;
  perform private.insist(
    written is null or private.time_of(written) is not null, field, 'a date, or a time with its offset', to_jsonb(written)
  );
  return private.time_of(written);
exception
  when datetime_field_overflow or invalid_datetime_format then
    perform private.refuse('VALIDATION_ERROR', 'This date does not exist.', field, to_jsonb(written));
    return null;
end
$$;
comment on function private.moment_of is
  'The start or the end of a period from a text: a time with its offset, which is exact, or a date, which is a day in the time zone of the caller''s tenant. is_end: the end of the day instead of its beginning. Null for null. Refuses other texts with VALIDATION_ERROR.';

create function public.period_bounds("from" text default null, "to" text default null)
returns table (starts_at timestamptz, ends_at timestamptz)
language sql stable rows 1 set search_path = ''
as $$
  select private.moment_of("from", 'from'), private.moment_of("to", 'to', is_end => true)
$$;
comment on function public.period_bounds is
  'The time at which a period starts and the time before which it ends, for the filters of tables and views; null for a bound that is left out. from, to: times with an offset, or dates, which are days of the tenant''s time zone; to includes its day. Refuses with VALIDATION_ERROR.';

create function private.check_tenant_settings() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if jsonb_typeof(new.settings) is distinct from 'object' then
    perform private.refuse('VALIDATION_ERROR', 'settings must be an object.', 'settings', new.settings);
  end if;
  -- A capability with settings adds its name here.
  perform private.known_only(new.settings, array['analytics', 'catalog', 'content', 'media', 'sellers'], 'settings.');
  return new;
end
$$;
comment on function private.check_tenant_settings() is 'Row trigger: refuses unknown settings.';

create function public.update_tenant(changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.tenants;
begin
  perform private.known_only(changes, array['name', 'time_zone', 'settings', 'updated_at']);
  update public.tenants t
  set name = case when changes ? 'name' then changes ->> 'name' else t.name end,
      time_zone = case when changes ? 'time_zone' then changes ->> 'time_zone' else t.time_zone end,
      settings = case
        when changes ? 'settings' then private.merged_settings(t.settings, changes -> 'settings') else t.settings
      end
  where t.id = private.tenant_id() and private.is_unchanged(t.updated_at, changes)
  returning * into changed;
  if changed.id is null then
    perform private.refuse_outdated('tenant', changes);
  end if;
  return to_jsonb(changed);
end
$$;
comment on function public.update_tenant is
  'For admins: changes the tenant''s name, time_zone and settings, and returns its whole record. Settings that are not sent do not change; null removes one. Refuses with CONFLICT if updated_at is sent and differs from the tenant''s.';

create function public.create_supplier(name text, verified boolean default false, legal jsonb default '{}') returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.suppliers;
begin
  insert into public.suppliers (name, verified, legal)
  values (create_supplier.name, create_supplier.verified, create_supplier.legal)
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function public.create_supplier is
  'For admins: creates a supplier and returns its whole record.';

create function public.update_supplier(supplier_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.suppliers;
begin
  perform private.known_only(changes, array['name', 'verified', 'status', 'marketplace_ids', 'slug', 'description', 'logo', 'legal', 'updated_at']);
  update public.suppliers s
  set name = case when changes ? 'name' then changes ->> 'name' else s.name end,
      verified = case when changes ? 'verified' then (changes ->> 'verified')::boolean else s.verified end,
      status = case when changes ? 'status' then (changes ->> 'status')::public.supplier_status else s.status end,
      marketplace_ids = case
        when not changes ? 'marketplace_ids' then s.marketplace_ids
        when changes -> 'marketplace_ids' <> 'null' then array(select jsonb_array_elements_text(changes -> 'marketplace_ids')::uuid)
      end,
      slug = case when changes ? 'slug' then coalesce(changes ->> 'slug', '') else s.slug end,
      description = case when changes ? 'description' then changes ->> 'description' else s.description end,
      logo = case when changes ? 'logo' then changes ->> 'logo' else s.logo end,
      legal = case when changes ? 'legal' then changes -> 'legal' else s.legal end
  where s.id = update_supplier.supplier_id and private.is_unchanged(s.updated_at, changes)
  returning * into changed;
  if changed.id is null then
    if exists (select 1 from public.suppliers s where s.id = update_supplier.supplier_id) then
      perform private.refuse_outdated('supplier', changes);
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such supplier.');
  end if;
  return to_jsonb(changed);
end
$$;
comment on function public.update_supplier is
  'For admins, and suppliers for themselves: changes the name, status (active or paused), slug, description, logo and legal identity and, for admins, verified, suspension and marketplace_ids, and returns the whole record. Fields that are not sent do not change. Refuses with CONFLICT if updated_at is sent and differs from the supplier''s.';

alter table public.suppliers alter column tenant_id set default private.tenant_id();
alter table public.customers alter column tenant_id set default private.tenant_id();

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.tenants for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.suppliers for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.customers for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.members for each row execute function private.keep_nfc();

create trigger tenants_are_changed_by_admins
  before insert or update or delete on public.tenants
  for each statement execute function private.permitted_only('tenant.write');

create trigger tenants_check_settings
  before insert or update of settings on public.tenants
  for each row execute function private.check_tenant_settings();

create trigger tenants_check_time_zone
  before insert or update of time_zone on public.tenants
  for each row execute function private.check_tenant_time_zone();

create trigger tenants_touch
  before update on public.tenants
  for each row execute function private.touch();

create trigger members_are_changed_by_admins
  before insert or update or delete on public.members
  for each statement execute function private.permitted_only('members.write');

create trigger members_fit
  before insert or update of role, supplier_id on public.members
  for each row execute function private.fit_member();

create trigger members_open_customer
  after insert or update of role on public.members
  for each row when (new.role = 'customer')
  execute function private.open_customer();

create trigger members_keep_an_admin_who_changes
  after update of role, status on public.members
  for each row when (
    old.role = 'admin' and old.status = 'active' and not (new.role = 'admin' and new.status = 'active')
  )
  execute function private.check_last_admin();

create trigger members_keep_an_admin_who_goes
  after delete on public.members
  for each row when (old.role = 'admin' and old.status = 'active')
  execute function private.check_last_admin();

create trigger members_follow_their_account
  after update of email, raw_user_meta_data, is_anonymous on auth.users
  for each row when (
    old.email is distinct from new.email
    or old.is_anonymous <> new.is_anonymous
    or old.raw_user_meta_data ->> 'name' is distinct from new.raw_user_meta_data ->> 'name'
    or old.raw_user_meta_data ->> 'language' is distinct from new.raw_user_meta_data ->> 'language'
  )
  execute function private.follow_account();

create trigger suppliers_are_opened_by_admins
  before insert or delete on public.suppliers
  for each statement execute function private.permitted_only('suppliers.create');

create trigger suppliers_are_changed_by_admins_and_suppliers
  before update on public.suppliers
  for each statement execute function private.permitted_only('suppliers.write');

create trigger suppliers_check_supplier
  before update of name, verified, status, marketplace_ids on public.suppliers
  for each row
  execute function private.check_supplier();

create trigger suppliers_touch
  before update on public.suppliers
  for each row execute function private.touch();

create trigger customers_are_made_by_admins_and_clients
  before insert or update or delete on public.customers
  for each statement execute function private.permitted_only('customers.write');

-- policies -------------------------------------------------------------------------------------

alter table public.tenants enable row level security;
alter table private.tenant_removals enable row level security;
alter table public.suppliers enable row level security;
alter table public.customers enable row level security;
alter table public.members enable row level security;

create policy "Members see their tenant" on public.tenants
  for select to authenticated
  using (id = (select private.tenant_id()));

create policy "Members see their tenant's suppliers" on public.suppliers
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Admins and clients see all listed customers, customers themselves" on public.customers
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('customers.read'))
      when 'own' then id = (select private.customer_id())
      when 'all' then is_listed
    end
  );

create policy "Admins and clients see all members, others themselves" on public.members
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and ((select private.scope('members.read')) = 'all' and not is_key or user_id = (select auth.uid()))
  );

create policy "Admins change members" on public.members
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('members.write')) = 'all' and not is_key)
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('members.write')) = 'all');

create policy "Admins remove members" on public.members
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('members.write')) = 'all' and not is_key);

create policy "Admins change their tenant" on public.tenants
  for update to authenticated
  using (id = (select private.tenant_id()) and (select private.scope('tenant.write')) = 'all')
  with check (id = (select private.tenant_id()) and (select private.scope('tenant.write')) = 'all');

create policy "Admins open suppliers" on public.suppliers
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('suppliers.create')) = 'all');

-- A supplier that changes another supplier gets FORBIDDEN and not NOT_FOUND, because it can see it.
create policy "Admins change any supplier, suppliers their own" on public.suppliers
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id()) and (select private.scope('suppliers.write')) is not null
  )
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('suppliers.write'))
      when 'all' then true
      when 'own' then id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins and clients make customers" on public.customers
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id()) and (select private.scope('customers.write')) = 'all'
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.tenants, public.suppliers, public.customers, public.members to authenticated;
grant update (name, time_zone, settings) on public.tenants to authenticated;
grant update (role, status, supplier_id, content_roles), delete on public.members to authenticated;
grant
  insert (name, verified, legal),
  update (name, verified, status, marketplace_ids, slug, description, logo, legal)
  on public.suppliers to authenticated;
grant insert (name, email, phone, language) on public.customers to authenticated;
grant all on public.tenants, public.suppliers, public.customers, public.members to service_role;

grant execute on function
  public.sort_name(public.suppliers), public.sort_name(public.customers), public.sort_name(public.members)
to authenticated, service_role;
grant execute on function
  public.update_tenant, public.create_supplier, public.update_supplier, public.period_bounds
to authenticated;
grant execute on function
  private.check_time_zone, private.time_zone_of, private.local_text, private.moment_of, private.tenant_id(), private.tenant_role(),
  private.members_only(), private.refuse_stranger(), private.supplier_id(), private.supplier_id(text), private.customer_id(), private.is_guest()
to authenticated, service_role;
