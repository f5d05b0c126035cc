-- Exports: files of rows, asked for now and written soon after. What an export is, who sees it, how many there may be,
-- and what is known of one that is being written. What its rows are is told in export_rows, how it is asked for in
-- export_records, who writes it in export_dispatch.

create type public.export_type as enum (
  'sales', 'revenue', 'orders', 'order_items', 'products', 'inventory', 'customers', 'segments', 'cohorts', 'funnel',
  'campaigns', 'commissions'
);
create type public.export_format as enum ('csv', 'xlsx', 'json');
create type public.export_status as enum ('queued', 'running', 'ready', 'failed', 'expired');

create type private.export_wish as (
  scope private.analytics_scope,
  period private.analytics_period,
  asked_at timestamptz,
  currency text,
  "by" text
);
comment on type private.export_wish is
  'What rows are asked for, as it was when they were asked for. by: what revenue is told by.';

insert into private.caps (name, value, unit) values
  ('export_rows', 5000000, 'rows of an export as csv or json'),
  ('export_rows_xlsx', 20000, 'rows of an export as xlsx'),
  ('export_rows_small', 50000, 'rows of an export that is written beside a larger one of its tenant'),
  ('export_file_bytes', 52428800, 'bytes of a file of an export, which has several where it has more'),
  ('exports_waiting', 20, 'exports of a tenant that wait or are being written');

insert into private.status_moves (subject, from_status, to_status) values
  ('exports', 'queued', 'running'),
  ('exports', 'queued', 'failed'),
  ('exports', 'running', 'ready'),
  ('exports', 'running', 'failed'),
  ('exports', 'ready', 'expired');

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
  constraint exports_files_is_set_when_it_is_ready check ((status = 'ready') = (expires_at is not null)),
  constraint exports_error_is_set_when_it_failed check ((status = 'failed') = (error is not null))
);
comment on table public.exports is
  'Files of rows that somebody has asked for. from, to: the days of its period; null where all there is was asked for. progress: percent. rows, bytes: what is written by now. files: their paths in the bucket exports, in sequence, once it is ready; gone at expires_at. email: who is to be told, an active member''s address. asked_by: a user, null once gone.';

create table private.export_jobs (
  export_id uuid primary key,
  tenant_id uuid not null,
  wish private.export_wish not null,
  total bigint not null,
  large boolean not null,
  asked_at timestamptz not null default now(),
  started_at timestamptz,
  reached jsonb,
  ahead jsonb,
  failures integer not null default 0,
  turn_at timestamptz not null default now(),
  lease uuid,
  leased_until timestamptz,
  constraint export_jobs_export_id_fkey foreign key (tenant_id, export_id)
    references public.exports (tenant_id, id) on delete cascade,
  constraint export_jobs_lease_is_set_with_its_end check ((lease is null) = (leased_until is null))
);
comment on table private.export_jobs is
  'Exports that wait or are being written, with what they show. total: rows, counted then. large: it has more than a small one. reached: how far the file has come for certain. ahead: how far it will have come when the part that is under way has arrived. failures: in a row, without any part between them. lease: of the one dispatcher that writes it, good until leased_until.';

-- What was sent is base64, which does not get smaller.
alter table private.export_jobs alter column reached set storage external;
alter table private.export_jobs alter column ahead set storage external;

-- Whoever waits for one sees it grow.
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
create index export_jobs_tenant_id_idx on private.export_jobs (tenant_id, large, asked_at);

-- functions ------------------------------------------------------------------------------------

create function private.give_up_files() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.media_sweeps (tenant_id, bucket, path, due_at)
  select old.tenant_id, 'exports', file.path, now()
  from unnest(old.files) as file (path)
  union all
  -- Whatever else begins so: files of a dispatcher that died, or of one that writes this moment.
  select
    old.tenant_id, 'exports', format('%s/%s.', old.tenant_id, old.id),
    now() + case old.status when 'running' then interval '10 minutes' else interval '0' end
  on conflict on constraint path_is_unique_in_media_sweeps do update set due_at = excluded.due_at;
  return null;
end
$$;
comment on function private.give_up_files() is
  'Row trigger: the files of an export that is gone, or that has expired, are deleted.';

-- The one place that says so. Without settings of its own, so that it becomes a part of the query that asks it.
create function private.shows_export(
  viewer public.member_role, viewer_id uuid, own_supplier uuid, asked_by uuid, supplier_id uuid
) returns boolean
language sql immutable
return case viewer
  when 'admin' then true
  when 'supplier' then asked_by = viewer_id and supplier_id = own_supplier
  else asked_by = viewer_id and private.reads_all(viewer)
end;
comment on function private.shows_export is
  'Whether an export, or a schedule, is shown to somebody: to admins, and to whoever asked and may still see such rows.';

create function private.may_fetch_export(name text) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  -- The path of a file begins with its tenant's id and its export's. Whether the caller sees that, the policies say.
  return name ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}[.]' and exists (
    select from public.exports e where e.id = substring(name from 38 for 36)::uuid and name = any (e.files)
  );
end
$$;
comment on function private.may_fetch_export is 'Whether the caller sees the export whose file this is.';

-- triggers -------------------------------------------------------------------------------------

create trigger exports_check_status_move
  before update of status on public.exports
  for each row execute function private.check_status_move();

create trigger exports_give_up_files
  after delete on public.exports
  for each row execute function private.give_up_files();

create trigger exports_give_up_files_that_expire
  after update of files on public.exports
  for each row when (cardinality(old.files) > 0 and new.files = '{}')
  execute function private.give_up_files();

-- policies -------------------------------------------------------------------------------------

alter table public.exports enable row level security;
alter table private.export_jobs enable row level security;

create policy "Admins see all exports, clients and suppliers those they asked for" on public.exports
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.shows_export(
      (select private.tenant_role()), (select auth.uid()), (select private.supplier_id()), asked_by, supplier_id
    )
  );

create policy "Whoever sees an export deletes it" on public.exports
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.shows_export(
      (select private.tenant_role()), (select auth.uid()), (select private.supplier_id()), asked_by, supplier_id
    )
  );

-- Storage's bucket -----------------------------------------------------------------------------

insert into storage.buckets (id, name, public, allowed_mime_types)
values (
  'exports', 'exports', false,
  array['text/csv', 'application/json', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']
)
on conflict (id) do nothing;

create policy "Whoever sees an export fetches its files" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'exports'
    and (storage.foldername(name))[1] = (select private.tenant_id())::text
    and private.may_fetch_export(name)
  );

-- grants ---------------------------------------------------------------------------------------

-- Asked for by the functions alone, and written by the dispatcher.
grant select, delete on public.exports to authenticated;
grant all on public.exports to service_role;
grant select, update, delete on private.export_jobs to service_role;
grant execute on function private.shows_export, private.may_fetch_export to authenticated, service_role;
