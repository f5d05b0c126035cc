-- Who may sell: the tenant's settings for sellers, and the applications of those who want to. An approved application
-- makes the supplier and invites its applicant. Nobody who only knows the tenant's id can sell.

create type public.approval_status as enum ('pending', 'approved', 'rejected');

-- tables ---------------------------------------------------------------------------------------

create table public.supplier_applications (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  status public.approval_status not null default 'pending',
  name text not null,
  email text collate "C" not null,
  country text not null,
  legal jsonb not null default '{}',
  message text not null default '',
  user_id uuid references auth.users (id) on delete set null,
  supplier_id uuid,
  reason text,
  decided_by uuid references auth.users (id) on delete set null,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  constraint supplier_applications_pkey primary key (tenant_id, id),
  constraint supplier_applications_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete set null (supplier_id),
  constraint supplier_applications_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint supplier_applications_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint supplier_applications_email_is_an_address_in_lower_case check (private.is_email(email)),
  constraint supplier_applications_message_is_at_most_5000_characters check (char_length(message) <= 5000),
  constraint supplier_applications_reason_is_at_most_1000_characters check (char_length(reason) <= 1000)
);
comment on table public.supplier_applications is
  'Applications to become a supplier. user_id: the guest or customer who applied; null for a visitor. supplier_id: the supplier that an approval made. reason: what the applicant is told about the decision.';

-- indexes --------------------------------------------------------------------------------------

create unique index email_is_unique_in_supplier_applications
  on public.supplier_applications (tenant_id, email) where status = 'pending';
create index supplier_applications_id_idx on public.supplier_applications (id);
create index supplier_applications_tenant_id_created_at_idx on public.supplier_applications (tenant_id, created_at desc, id);
create index supplier_applications_tenant_id_status_idx
  on public.supplier_applications (tenant_id, status, created_at desc, id);
create index supplier_applications_user_id_idx on public.supplier_applications (user_id);
create index supplier_applications_decided_by_idx on public.supplier_applications (decided_by);
create index supplier_applications_supplier_idx on public.supplier_applications (tenant_id, supplier_id);

-- functions ------------------------------------------------------------------------------------

create function private.seller_setting(tenant_id uuid, name text) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (select t.settings -> 'sellers' ->> seller_setting.name from public.tenants t where t.id = seller_setting.tenant_id),
    case seller_setting.name when 'signup' then 'invitation' when 'product_review' then 'unverified' end
  );
end
$$;
comment on function private.seller_setting is
  'A setting of a tenant for its sellers, or its default. signup: invitation (default), application or open. product_review: all, unverified (default) or none.';

create function private.check_seller_settings() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.insist_on_keys(new.settings -> 'sellers', 'settings.sellers', array['signup', 'product_review']);
  perform private.insist(
    s.value is null or jsonb_typeof(s.value) = 'string' and s.value #>> '{}' = any (s.known),
    'settings.sellers.' || s.key, array_to_string(s.known[:2], ', ') || ' or ' || s.known[3], s.value
  )
  from (values
    ('signup', new.settings #> '{sellers,signup}', array['invitation', 'application', 'open']),
    ('product_review', new.settings #> '{sellers,product_review}', array['all', 'unverified', 'none'])
  ) as s (key, value, known);
  return new;
end
$$;
comment on function private.check_seller_settings() is 'Row trigger: refuses settings for sellers that are not known.';

create function private.create_supplier_application(
  name text, email text, country text, legal jsonb, message text
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
  created public.supplier_applications;
begin
  if tenant is null then
    perform private.refuse_stranger();
  end if;
  perform private.require_permission('supplier_applications.create', 'Only visitors, customers and admins enter applications.');
  if private.seller_setting(tenant, 'signup') = 'invitation' then
    perform private.refuse('FORBIDDEN', 'Suppliers join this tenant by an invitation only. Ask its admins for one.');
  end if;
  perform private.insist(private.is_email(lower(email)), 'email', 'an e-mail address', to_jsonb(email));
  perform private.insist(private.is_country(to_jsonb(country)), 'country', 'a country of two letters, such as DE', to_jsonb(country));
  perform private.check_legal(legal);
  -- The lock lets parallel transactions count each other's applications.
  perform private.hold('cap', 'supplier applications of ' || tenant);
  if (
    select count(*) from public.supplier_applications a where a.tenant_id = tenant and a.status = 'pending'
  ) >= private.cap('supplier_applications_per_tenant') then
    perform private.refuse_beyond(
      'supplier_applications_per_tenant', 'Too many applications wait for a decision. Try again later.'
    );
  end if;
  insert into public.supplier_applications (tenant_id, name, email, country, legal, message, user_id)
  values (
    tenant, create_supplier_application.name, lower(create_supplier_application.email), create_supplier_application.country,
    create_supplier_application.legal, create_supplier_application.message, auth.uid()
  )
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function private.create_supplier_application is 'See public.create_supplier_application.';

create function public.create_supplier_application(
  name text, email text, country text, legal jsonb default '{}', message text default ''
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.create_supplier_application(name, email, country, legal, message);
end
$$;
comment on function public.create_supplier_application is
  'For visitors, guests and customers, and for admins on behalf of others: applies to become a supplier, and returns the application. country: two letters. legal: as of a supplier. Refuses with FORBIDDEN (members of other roles, or a tenant without applications), VALIDATION_ERROR, CONFLICT (an application of this address waits), LIMIT_REACHED.';

create function private.pending_application(application_id uuid) returns public.supplier_applications
language plpgsql security definer set search_path = ''
as $$
declare
  application public.supplier_applications;
begin
  perform private.require_permission('supplier_applications.decide', 'Only admins may decide on applications.');
  select * into application
  from public.supplier_applications a
  where a.tenant_id = private.tenant_id() and a.id = application_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such application.');
  elsif application.status <> 'pending' then
    perform private.refuse(
      'INVALID_TRANSITION', format('This application is already %s.', application.status), 'status', to_jsonb(application.status)
    );
  end if;
  return application;
end
$$;
comment on function private.pending_application is
  'An application of the caller''s tenant that waits, locked. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

create function private.approve_supplier_application(application_id uuid, reason text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  application public.supplier_applications := private.pending_application(application_id);
  invitation jsonb;
begin
  insert into public.suppliers (tenant_id, name, legal)
  values (application.tenant_id, application.name, application.legal)
  returning id into application.supplier_id;
  -- A customer who applied with the address of its account needs no invitation.
  update public.members m
  set role = 'supplier', supplier_id = application.supplier_id
  where m.tenant_id = application.tenant_id and m.user_id = application.user_id and m.role = 'customer'
    and m.email = application.email and m.status = 'active';
  if found then
    update public.suppliers s
    set verified = true
    where s.tenant_id = application.tenant_id and s.id = application.supplier_id;
  else
    invitation := private.create_invitation(application.email, 'supplier', application.supplier_id, true);
  end if;
  update public.supplier_applications a
  set status = 'approved', supplier_id = application.supplier_id, reason = approve_supplier_application.reason,
      decided_by = auth.uid(), decided_at = now()
  where a.tenant_id = application.tenant_id and a.id = application.id
  returning * into application;
  return to_jsonb(application) || jsonb_build_object('invitation', invitation);
end
$$;
comment on function private.approve_supplier_application is 'See public.approve_supplier_application.';

create function public.approve_supplier_application(application_id uuid, reason text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.approve_supplier_application(application_id, reason);
end
$$;
comment on function public.approve_supplier_application is
  'For admins: approves an application that waits. Makes the supplier with its name and legal identity, and invites the address; the supplier is verified when the invitation is accepted. A customer who applied with the address of its account becomes the supplier''s member at once, and invitation is null. Returns the application with the invitation and its token. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, CONFLICT (a member has the address).';

create function private.reject_supplier_application(application_id uuid, reason text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  application public.supplier_applications := private.pending_application(application_id);
begin
  update public.supplier_applications a
  set status = 'rejected', reason = reject_supplier_application.reason, decided_by = auth.uid(), decided_at = now()
  where a.tenant_id = application.tenant_id and a.id = application.id
  returning * into application;
  return to_jsonb(application);
end
$$;
comment on function private.reject_supplier_application is 'See public.reject_supplier_application.';

create function public.reject_supplier_application(application_id uuid, reason text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.reject_supplier_application(application_id, reason);
end
$$;
comment on function public.reject_supplier_application is
  'For admins: rejects an application that waits, and returns it. The applicant may apply again. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.supplier_applications
  for each row execute function private.keep_nfc();

create trigger tenants_check_seller_settings
  before insert or update of settings on public.tenants
  for each row when (new.settings ? 'sellers')
  execute function private.check_seller_settings();

-- policies -------------------------------------------------------------------------------------

alter table public.supplier_applications enable row level security;

create policy "Admins and clients see all applications, customers their own" on public.supplier_applications
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('supplier_applications.read'))
      when 'all' then true
      when 'own' then user_id = (select auth.uid())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.supplier_applications to authenticated;
grant all on public.supplier_applications to service_role;
grant execute on function public.create_supplier_application, private.create_supplier_application to anon, authenticated;
grant execute on function
  private.approve_supplier_application, private.reject_supplier_application,
  public.approve_supplier_application, public.reject_supplier_application
to authenticated;
