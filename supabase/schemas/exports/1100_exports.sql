-- Exports: files of rows that a member requests and a worker writes. This file has the tables of exports and their
-- jobs, the policies, the limit on their number, and the deletion of files.

-- types ----------------------------------------------------------------------------------------

create type public.export_type as enum (
  'sales', 'revenue', 'orders', 'order_items', 'products', 'inventory', 'customers', 'segments', 'cohorts', 'funnel',
  'campaigns', 'commissions', 'audit_log', 'discounts'
);
create type public.export_format as enum ('csv', 'xlsx', 'json');
create type public.export_status as enum ('queued', 'running', 'ready', 'failed', 'expired');

create type private.export_query as (
  scope private.analytics_scope,
  period private.analytics_period,
  asked_at timestamptz,
  currency text,
  "by" text
);
comment on type private.export_query is
  'The rows of an export, fixed when it is requested. by: the dimension of a revenue report.';

-- tables ---------------------------------------------------------------------------------------

create table public.exports (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  asked_by uuid references auth.users (id) on delete set null,
  type public.export_type not null,
  period text,
  "from" date,
  "to" date,
  marketplace_id uuid,
  supplier_id uuid,
  category uuid,
  currency text,
  "by" text,
  format public.export_format not null,
  bom boolean not null default false,
  email text,
  status public.export_status not null default 'queued',
  progress integer not null default 0,
  rows bigint not null default 0,
  bytes bigint not null default 0,
  files text[] not null default '{}',
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  expires_at timestamptz,
  constraint exports_tenant_id_id_key unique (tenant_id, id),
  constraint exports_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint exports_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint exports_category_fkey foreign key (tenant_id, category)
    references public.categories (tenant_id, id) on delete cascade,
  constraint exports_progress_is_from_0_to_100 check (progress between 0 and 100),
  constraint exports_rows_is_not_negative check (rows >= 0),
  constraint exports_bytes_is_not_negative check (bytes >= 0),
  constraint exports_expires_at_is_set_when_it_is_ready check ((status = 'ready') = (expires_at is not null)),
  constraint exports_error_is_set_when_it_failed check ((status = 'failed') = (error is not null))
);
comment on table public.exports is
  'Files of rows that members have requested. asked_by: a user, null once deleted. from, to: the days of the period; null without a period. progress: in percent. rows, bytes: written so far. files: paths in the bucket exports, in order, once it is ready; deleted at expires_at. email: the address of an active member who is to be notified.';

create table private.export_jobs (
  export_id uuid not null,
  tenant_id uuid not null,
  query private.export_query not null,
  total bigint not null,
  checkpoint jsonb,
  upcoming jsonb,
  -- In this order for lookups by export alone.
  constraint export_jobs_pkey primary key (export_id, tenant_id),
  constraint export_jobs_export_id_fkey foreign key (tenant_id, export_id)
    references public.exports (tenant_id, id) on delete cascade
);
comment on table private.export_jobs is
  'What the job of an export writes, and how far it is. total: rows, counted when it was requested. checkpoint: the position up to which its files have certainly arrived in Storage. upcoming: the checkpoint that holds once the part in flight has arrived.';

-- The bytes in a checkpoint are base64, which does not compress.
alter table private.export_jobs alter column checkpoint set storage external;
alter table private.export_jobs alter column upcoming set storage external;

-- Realtime reports the progress of an export.
alter table public.exports replica identity full;
alter publication supabase_realtime add table public.exports;

-- indexes --------------------------------------------------------------------------------------

create index exports_tenant_id_created_at_idx on public.exports (tenant_id, created_at desc, id);
create index exports_asked_by_idx on public.exports (asked_by);
create index exports_marketplace_id_idx on public.exports (tenant_id, marketplace_id);
create index exports_supplier_id_idx on public.exports (tenant_id, supplier_id);
create index exports_category_idx on public.exports (tenant_id, category);
create index exports_expires_at_idx on public.exports (expires_at) where expires_at is not null;
create index exports_finished_at_idx on public.exports (finished_at) where finished_at is not null;
create index export_jobs_tenant_id_idx on private.export_jobs (tenant_id, export_id);

-- functions ------------------------------------------------------------------------------------

create function private.queue_export_removal() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.queue_jobs(
    'export_files', array[old.tenant_id], array[old.id],
    -- A part that is in flight arrives within the time of a lease.
    array[now() + case old.status when 'running' then interval '10 minutes' else interval '0' end]
  );
  return null;
end
$$;
comment on function private.queue_export_removal() is
  'Row trigger: queues the deletion of the files of an export that was deleted, has failed or has expired.';

-- Without a SET clause, so that Postgres inlines it into the policies.
create function private.shows_export(
  scope private.permission_scope, viewer_id uuid, own_supplier uuid, asked_by uuid, supplier_id uuid
) returns boolean
language sql immutable
return case scope
  when 'all' then true
  when 'own' then asked_by = viewer_id and supplier_id is not distinct from coalesce(own_supplier, supplier_id)
end;
comment on function private.shows_export is
  'Whether a member sees an export or a schedule. scope: private.scope(''exports.read''). Its own are those that it requested, and as a supplier those of its organisation among them.';

create function private.may_fetch_export(name text) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  -- A path begins with the ids of the tenant and the export. The policies of the table decide whether the caller sees it.
  return name ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}[.]' and exists (
    select from public.exports e where e.id = substring(name from 38 for 36)::uuid and name = any (e.files)
  );
end
$$;
comment on function private.may_fetch_export is 'Whether the caller sees the export that has the file of this path.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.exports for each row execute function private.keep_nfc();

create trigger exports_check_status_move
  before update of status on public.exports
  for each row execute function private.check_status_move();

create trigger exports_delete_jobs
  after delete on public.exports
  referencing old table as deleted
  for each statement execute function private.delete_jobs('small_exports', 'large_exports');

create trigger exports_queue_removal_of_deleted
  after delete on public.exports
  for each row execute function private.queue_export_removal();

create trigger exports_queue_removal_of_failed_or_expired
  after update of status on public.exports
  for each row when (new.status in ('failed', 'expired'))
  execute function private.queue_export_removal();

-- policies -------------------------------------------------------------------------------------

alter table public.exports enable row level security;
alter table private.export_jobs enable row level security;

create policy "Admins see all exports, clients and suppliers those they asked for" on public.exports
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.shows_export(
      (select private.scope('exports.read')), (select auth.uid()), (select private.supplier_id()), asked_by, supplier_id
    )
    -- Whoever was an admin and is none any more reads no log that was written before.
    and (type::text <> 'audit_log' or (select private.scope('audit_log.read')) = 'all')
  );

create policy "Members delete the exports that they see" on public.exports
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.shows_export(
      (select private.scope('exports.read')), (select auth.uid()), (select private.supplier_id()), asked_by, supplier_id
    )
  );

create policy "Members fetch the files of exports that they see" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'exports'
    and not (select private.lists_objects())
    and (storage.foldername(name))[1] = (select private.tenant_id())::text
    and private.may_fetch_export(name)
  );

-- grants ---------------------------------------------------------------------------------------

-- Only functions insert, and only the dispatcher updates.
grant select, delete on public.exports to authenticated;
grant all on public.exports to service_role;
grant select, update on private.export_jobs to service_role;
grant execute on function private.shows_export, private.may_fetch_export to authenticated, service_role;
