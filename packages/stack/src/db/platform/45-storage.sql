-- The schema of Storage, with the tables, functions, owner and grants of a hosted project, so that policies, seeds and
-- queries for one work on the other. The tables of analytics and vector buckets are left out, because the stack does
-- not serve those. Each statement is idempotent.

grant usage on schema storage to anon, authenticated, service_role;
grant all on schema storage to supabase_storage_admin;

do $$
begin
  if to_regtype('storage.buckettype') is null then
    create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
  end if;
end
$$;

create table if not exists storage.buckets (
  id text not null,
  name text not null,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype not null default 'STANDARD',
  versioning_status text not null default 'DISABLED',
  constraint buckets_pkey primary key (id),
  constraint buckets_versioning_status_check
    check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED')),
  constraint buckets_versioning_standard_only_check
    check (type = 'STANDARD' or versioning_status = 'DISABLED'),
  constraint buckets_versioning_dark_check check (versioning_status = 'DISABLED')
);
create unique index if not exists bname on storage.buckets (name);

-- `version` names the file that holds the object's bytes.
create table if not exists storage.objects (
  id uuid not null default gen_random_uuid(),
  bucket_id text,
  name text,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  owner_id text,
  user_metadata jsonb,
  archived_at timestamptz,
  is_delete_marker boolean not null default false,
  is_versioned boolean not null default false,
  constraint objects_pkey primary key (id),
  constraint "objects_bucketId_fkey" foreign key (bucket_id) references storage.buckets (id)
);
create unique index if not exists bucketid_objname on storage.objects (bucket_id, name);
create index if not exists name_prefix_search on storage.objects (name text_pattern_ops);
create index if not exists idx_objects_bucket_id_name
  on storage.objects (bucket_id, (name collate "C"));
create index if not exists idx_objects_bucket_id_name_lower
  on storage.objects (bucket_id, (lower(name) collate "C"));

-- The tables of S3's protocol. They are always empty, because the stack does not serve it.
create table if not exists storage.s3_multipart_uploads (
  id text not null,
  in_progress_size bigint not null default 0,
  upload_signature text not null,
  bucket_id text not null,
  key text collate "C" not null,
  version text not null,
  owner_id text,
  created_at timestamptz not null default now(),
  user_metadata jsonb,
  metadata jsonb,
  constraint s3_multipart_uploads_pkey primary key (id),
  constraint s3_multipart_uploads_bucket_id_fkey foreign key (bucket_id) references storage.buckets (id)
);
create index if not exists idx_multipart_uploads_list
  on storage.s3_multipart_uploads (bucket_id, (key collate "C"), created_at);

create table if not exists storage.s3_multipart_uploads_parts (
  id uuid not null default gen_random_uuid(),
  upload_id text not null,
  size bigint not null default 0,
  part_number int not null,
  bucket_id text not null,
  key text collate "C" not null,
  etag text not null,
  owner_id text,
  version text not null,
  created_at timestamptz not null default now(),
  constraint s3_multipart_uploads_parts_pkey primary key (id),
  constraint s3_multipart_uploads_parts_bucket_id_fkey
    foreign key (bucket_id) references storage.buckets (id),
  constraint s3_multipart_uploads_parts_upload_id_fkey
    foreign key (upload_id) references storage.s3_multipart_uploads (id) on delete cascade
);

comment on column storage.buckets.owner is 'Deprecated: use owner_id.';
comment on column storage.objects.owner is 'Deprecated: use owner_id.';

-- Functions for policies: parts of a path, and the operation of the request.

create or replace function storage.foldername(name text) returns text[]
language sql immutable
as $$
  select trim_array(parts, least(1, cardinality(parts)))
  from string_to_array(name, '/') as parts
$$;

create or replace function storage.filename(name text) returns text
language sql immutable
as $$
  select split_part(name, '/', -1)
$$;

create or replace function storage.extension(name text) returns text
language sql immutable
as $$
  select split_part(split_part(name, '/', -1), '.', -1)
$$;

create or replace function storage.operation() returns text
language sql stable
as $$
  select current_setting('storage.operation', true)
$$;

-- The prefix `storage.` of an operation is optional.
create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable
as $$
  select exists (
    select from unnest(expected_operations) as expected
    where expected <> ''
      and regexp_replace(expected, '^storage\.', '') = regexp_replace(storage.operation(), '^storage\.', '')
  )
$$;

create or replace function storage.allow_only_operation(expected_operation text) returns boolean
language sql stable
as $$
  select storage.allow_any_operation(array[expected_operation])
$$;

create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable
as $$
  select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id
  from storage.objects o
  group by o.bucket_id
$$;

create or replace function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb)
returns void
language plpgsql
as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata)
  values (bucketid, can_insert_object.name, can_insert_object.owner, can_insert_object.metadata);
  raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end
$$;

-- Lists. A folder is a prefix that several names share. It is one entry, without dates.

create or replace function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text) returns text
language sql immutable
as $$
  select left(p_key, length(p_prefix) + nullif(strpos(substr(p_key, length(p_prefix) + 1), p_delimiter), 0)
    + length(p_delimiter) - 1)
$$;

-- Compares names in lower case. Returns the part of a name after `prefix`.
create or replace function storage.search(
  prefix text, bucketname text, limits int default 100, levels int default 1, offsets int default 0,
  search text default '', sortcolumn text default 'name', sortorder text default 'asc'
) returns table (
  name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  wanted text := coalesce(prefix, '') || coalesce(search, '');
  below int := length(coalesce(prefix, '')) + 1;
  by_name boolean := lower(coalesce(sortcolumn, 'name')) not in ('updated_at', 'created_at', 'last_accessed_at');
  ascending boolean := lower(coalesce(sortorder, 'asc')) = 'asc';
begin
  -- When it sorts by date, the service sends the prefix with escapes for `like`.
  if not by_name then
    wanted := regexp_replace(wanted, '\\(.)', '\1', 'g');
    below := length(regexp_replace(coalesce(prefix, ''), '\\(.)', '\1', 'g')) + 1;
  end if;
  return query
  with found as (
    select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata,
      storage.get_common_prefix(lower(o.name), lower(wanted), '/') as folder
    from storage.objects o
    where o.bucket_id = bucketname and lower(o.name) collate "C" ^@ lower(wanted)
  ),
  entries as (
    select f.folder as place, substr(left(min(f.name collate "C"), length(f.folder) - 1), below) as name,
      null::uuid as id, null::timestamptz as updated_at, null::timestamptz as created_at,
      null::timestamptz as last_accessed_at, null::jsonb as metadata
    from found f
    where f.folder is not null
    group by f.folder
    union all
    select lower(f.name), substr(f.name, below), f.id, f.updated_at, f.created_at, f.last_accessed_at, f.metadata
    from found f
    where f.folder is null
  ),
  dated as (
    select e.*,
      case lower(sortcolumn)
        when 'updated_at' then e.updated_at
        when 'created_at' then e.created_at
        when 'last_accessed_at' then e.last_accessed_at
      end as sorted_at
    from entries e
  )
  select d.name, d.id, d.updated_at, d.created_at, d.last_accessed_at, d.metadata
  from dated d
  order by
    (not by_name and d.id is not null),
    case when ascending then d.sorted_at end,
    case when not ascending then d.sorted_at end desc,
    case when ascending then d.place collate "C" end,
    case when not ascending then d.place collate "C" end desc
  limit least(coalesce(limits, 100), 1500) offset coalesce(offsets, 0);
end
$$;

-- Starts after the name `next_token`, or else after `start_after`. Both may be the name of a
-- folder.
create or replace function storage.list_objects_with_delimiter(
  _bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100,
  start_after text default '', next_token text default '', sort_order text default 'asc'
) returns table (
  name text, id uuid, metadata jsonb, updated_at timestamptz, created_at timestamptz,
  last_accessed_at timestamptz
)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  wanted text := coalesce(prefix_param, '');
  ascending boolean := lower(coalesce(sort_order, 'asc')) = 'asc';
  after text := coalesce(nullif(next_token, ''), start_after, '');
  after_folder boolean := exists (
    select from storage.objects o
    where o.bucket_id = _bucket_id and o.name collate "C" ^@ (after || delimiter_param)
  );
begin
  -- A folder is sorted like the names in it, which follow the delimiter.
  if after <> '' and after_folder then
    after := after || delimiter_param;
  end if;
  return query
  with found as (
    select o.name, o.id, o.metadata, o.updated_at, o.created_at, o.last_accessed_at,
      storage.get_common_prefix(o.name, wanted, delimiter_param) as folder
    from storage.objects o
    where o.bucket_id = _bucket_id and o.name collate "C" ^@ wanted
  ),
  entries as (
    select f.folder as place, rtrim(f.folder, delimiter_param) as name, null::uuid as id, null::jsonb as metadata,
      null::timestamptz as updated_at, null::timestamptz as created_at, null::timestamptz as last_accessed_at
    from found f
    where f.folder is not null
    group by f.folder
    union all
    select f.name, f.name, f.id, f.metadata, f.updated_at, f.created_at, f.last_accessed_at
    from found f
    where f.folder is null
  )
  select e.name, e.id, e.metadata, e.updated_at, e.created_at, e.last_accessed_at
  from entries e
  where after = ''
    or (ascending and e.place collate "C" > after)
    or (not ascending and e.place collate "C" < after)
  order by
    case when ascending then e.place collate "C" end,
    case when not ascending then e.place collate "C" end desc
  limit max_keys;
end
$$;

-- A folder has the creation time of the oldest object in it.
create or replace function storage.search_by_timestamp(
  p_prefix text, p_bucket_id text, p_limit int, p_level int, p_start_after text, p_sort_order text,
  p_sort_column text, p_sort_column_after text
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  wanted text := coalesce(p_prefix, '');
  ascending boolean := p_sort_order = 'asc';
  after timestamptz := coalesce(nullif(p_sort_column_after, '')::timestamptz, 'epoch');
begin
  return query
  with found as (
    select o.*, storage.get_common_prefix(o.name, wanted, '/') as folder
    from storage.objects o
    where o.bucket_id = p_bucket_id and o.name collate "C" ^@ wanted
  ),
  entries as (
    select rtrim(f.folder, '/') as name, null::uuid as id, min(f.created_at) as updated_at,
      min(f.created_at) as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata
    from found f
    where f.folder is not null
    group by f.folder
    union all
    select f.name, f.id, f.updated_at, f.created_at, f.last_accessed_at, f.metadata
    from found f
    where f.folder is null
  ),
  dated as (
    select e.*, date_trunc(
      'milliseconds', case p_sort_column when 'created_at' then e.created_at else e.updated_at end
    ) as sorted_at
    from entries e
  )
  select split_part(d.name, '/', p_level), d.name, d.id, d.updated_at, d.created_at, d.last_accessed_at, d.metadata
  from dated d
  where p_start_after = ''
    or (ascending and (d.sorted_at, d.name collate "C") > (after, p_start_after))
    or (not ascending and (d.sorted_at, d.name collate "C") < (after, p_start_after))
  order by
    case when ascending then d.sorted_at end,
    case when not ascending then d.sorted_at end desc,
    case when ascending then d.name collate "C" end,
    case when not ascending then d.name collate "C" end desc
  limit p_limit;
end
$$;

create or replace function storage.search_v2(
  prefix text, bucket_name text, limits int default 100, levels int default 1, start_after text default '',
  sort_order text default 'asc', sort_column text default 'name', sort_column_after text default ''
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  most int := least(coalesce(limits, 100), 1500);
  direction text := case lower(sort_order) when 'desc' then 'desc' else 'asc' end;
begin
  if lower(sort_column) in ('updated_at', 'created_at') then
    return query
    select s.*
    from storage.search_by_timestamp(
      prefix, bucket_name, most, levels, start_after, direction, lower(sort_column), sort_column_after
    ) s;
  else
    return query
    select split_part(l.name, '/', levels), l.name, l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
    from storage.list_objects_with_delimiter(bucket_name, prefix, '/', most, start_after, '', direction) l;
  end if;
end
$$;

create or replace function storage.update_updated_at_column() returns trigger
language plpgsql
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

create or replace function storage.enforce_bucket_name_length() returns trigger
language plpgsql
as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end
$$;

-- Deleting a row by SQL would leave its bytes on the disk, so only the service may delete rows.
create or replace function storage.protect_delete() returns trigger
language plpgsql
as $$
begin
  if current_setting('storage.allow_delete_query', true) is distinct from 'true' then
    raise exception using
      errcode = '42501',
      message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
      hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end
$$;

create or replace trigger update_objects_updated_at
before update on storage.objects
for each row execute function storage.update_updated_at_column();

create or replace trigger enforce_bucket_name_length_trigger
before insert or update of name on storage.buckets
for each row execute function storage.enforce_bucket_name_length();

create or replace trigger protect_buckets_delete
before delete on storage.buckets
for each statement execute function storage.protect_delete();

create or replace trigger protect_objects_delete
before delete on storage.objects
for each statement execute function storage.protect_delete();

-- Every role has the privileges, and policies decide. Users may read the rows of S3 uploads but not
-- write them.
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.s3_multipart_uploads enable row level security;
alter table storage.s3_multipart_uploads_parts enable row level security;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
grant all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to service_role;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to anon, authenticated;

do $$
declare
  kept regclass;
begin
  for kept in
    select c.oid::regclass from pg_class c
    where c.relnamespace = 'storage'::regnamespace and c.relkind = 'r'
  loop
    execute format('alter table %s owner to supabase_storage_admin', kept);
    if exists (select from pg_roles where rolname = 'postgres') then
      execute format('grant all on table %s to postgres with grant option', kept);
    end if;
  end loop;
end
$$;
alter role supabase_storage_admin set search_path = 'storage';
