-- Statements that the migration since the last release runs between before.sql and the difference, which begins where they
-- end: renames and other changes that a difference would take for a removal and an addition.

-- Jobs have subjects with a uuid.
alter table private.media_sweeps drop column id;
alter table private.media_sweeps add column id uuid not null default gen_random_uuid();
alter table private.media_sweeps add constraint media_sweeps_pkey primary key (tenant_id, id);

alter table private.letters rename to mail_kinds;
alter table private.mail_kinds rename constraint letters_pkey to mail_kinds_pkey;
alter table private.mail_kinds rename constraint letters_event_fkey to mail_kinds_event_fkey;

-- A trigger on auth.users, which only Supabase may drop, calls it.
alter function private.take_over_confirmed() rename to claim_confirmed_customer;

-- Postgres prints the condition of its trigger otherwise than it was written.
alter function private.note_catalog_change() rename to record_catalog_change;

-- Postgres 15 adds no column to a table whose row type a function uses. The difference creates the function again.
drop function public.sort_name(public.members);
alter table public.members add column is_key boolean not null default false;

-- The same of customers.
drop function public.sort_name(public.customers);
alter table public.customers add column erased_at timestamptz, add column phone text;

-- The same of suppliers.
drop function public.sort_name(public.suppliers);
create type public.supplier_status as enum ('active', 'paused', 'suspended');
alter table public.suppliers
  add column status public.supplier_status not null default 'active',
  add column marketplace_ids uuid[],
  add column slug text not null default '',
  add column description text not null default '',
  add column logo text;

-- The same of e-mail templates.
drop function public.sort_name(public.email_templates);
create type public.mail_audience as enum ('buyer', 'supplier', 'admins');
alter table public.email_templates add column "to" public.mail_audience;

alter type private.new_mail add attribute is_for_members boolean, add attribute order_id uuid;
