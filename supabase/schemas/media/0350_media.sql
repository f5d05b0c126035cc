-- Media: images, videos, documents and 3D models. Supabase Storage keeps the bytes; these tables keep the records.
--
--   bucket      access    content
--   uploads     private   every upload arrives here; members cannot read it
--   media       public    checked files, for everybody who has the address
--   documents   private   checked files, by signed addresses that expire
--
-- An asset is created before its bytes arrive. The function `api` checks the bytes in `uploads`, copies them to a new
-- path and makes the asset point there. A worker deletes bytes that nothing points at, through Storage's API: the
-- transaction that gives a path up adds it to media_sweeps. A crash at any moment leaves the old bytes or the new ones,
-- and some bytes that are deleted later.

create extension if not exists pg_trgm with schema extensions;

create type public.media_type as enum ('image', 'video', 'document', 'model_3d');
create type public.media_status as enum ('uploading', 'ready');

-- tables ---------------------------------------------------------------------------------------

create table private.media_types (
  content_type text primary key,
  type public.media_type not null,
  extension text not null
);
comment on table private.media_types is
  'The content types that the library takes. SVG and HTML are not among them, because they can hold programs.';

create table private.media_settings (
  only_one boolean primary key default true,
  transformations boolean not null default true,
  address text,
  constraint media_settings_only_one_is_true check (only_one),
  constraint media_settings_address_is_a_url check (address ~ '^https?://.*[^/]$')
);
comment on table private.media_settings is
  'transformations: whether the project''s Storage makes smaller versions of images. That is a feature of paid plans. address: where browsers reach Storage; null until the first upload is complete.';

create table public.media_folders (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  parent_id uuid,
  name text not null,
  created_at timestamptz not null default now(),
  constraint media_folders_tenant_id_id_key unique (tenant_id, id),
  constraint name_is_unique_in_media_folders unique nulls not distinct (tenant_id, parent_id, name),
  -- Cascades only when the tenant is deleted: check_folder_is_empty refuses to delete a folder that is not empty.
  constraint media_folders_parent_id_fkey foreign key (tenant_id, parent_id)
    references public.media_folders (tenant_id, id) on delete cascade,
  constraint media_folders_name_is_1_to_100_characters check (char_length(name) between 1 and 100),
  constraint media_folders_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.media_folders is 'The folders of a tenant''s media library. A folder may be in another one.';
alter table public.media_folders replica identity using index media_folders_tenant_id_id_key;

create table public.media_assets (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  uploaded_by uuid references auth.users (id) on delete set null,
  supplier_id uuid,
  filename text not null,
  type public.media_type not null,
  content_type text not null references private.media_types (content_type),
  size bigint not null,
  width integer,
  height integer,
  alt_text text not null default '',
  alt_texts jsonb not null default '{}',
  focal_point jsonb,
  tags text[] not null default '{}',
  folder_id uuid,
  private boolean not null default false,
  status public.media_status not null default 'uploading',
  bucket text,
  path text,
  cleaned boolean not null default false,
  resizable boolean not null default true,
  upload_date timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint media_assets_tenant_id_id_key unique (tenant_id, id),
  constraint path_is_unique_in_media_assets unique (bucket, path),
  constraint media_assets_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint media_assets_folder_id_fkey foreign key (tenant_id, folder_id)
    references public.media_folders (tenant_id, id) on delete set null (folder_id),
  constraint media_assets_filename_is_1_to_255_characters check (char_length(filename) between 1 and 255),
  constraint media_assets_filename_is_a_name_without_slashes check (filename !~ '[/\\[:cntrl:]]'),
  constraint media_assets_size_is_positive check (size > 0),
  constraint media_assets_alt_text_is_at_most_500_characters check (char_length(alt_text) <= 500),
  constraint media_assets_path_is_set_when_it_is_ready
    check (
      (status = 'ready') = (path is not null) and (path is null) = (bucket is null)
    ),
  constraint media_assets_width_is_set_with_the_height check ((width is null) = (height is null))
);
comment on table public.media_assets is
  'The assets of a tenant''s media library. size: as announced until the asset is ready. bucket, path: where the bytes are in Storage. cleaned: whether the bytes are an image without metadata, made by Souk. resizable: whether smaller versions of an image show what it shows; of one that moves they would stand still.';
alter table public.media_assets replica identity using index media_assets_tenant_id_id_key;

create table private.media_uploads (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  asset_id uuid not null,
  path text not null,
  filename text not null,
  content_type text not null references private.media_types (content_type),
  size bigint not null,
  created_at timestamptz not null default now(),
  constraint media_uploads_asset_id_fkey foreign key (tenant_id, asset_id)
    references public.media_assets (tenant_id, id) on delete cascade,
  constraint media_uploads_asset_id_key unique (tenant_id, asset_id),
  constraint path_is_unique_in_media_uploads unique (path),
  constraint media_uploads_filename_is_1_to_255_characters check (char_length(filename) between 1 and 255),
  constraint media_uploads_filename_is_a_name_without_slashes check (filename !~ '[/\\[:cntrl:]]'),
  constraint media_uploads_size_is_positive check (size > 0)
);
comment on table private.media_uploads is
  'The uploads that are not completed yet: the path in the bucket uploads, and the announced name, type and size.';
alter table private.media_uploads replica identity using index media_uploads_asset_id_key;

create table private.media_usage (
  tenant_id uuid primary key references public.tenants (id) on delete cascade,
  bytes bigint not null default 0,
  assets integer not null default 0,
  constraint media_usage_bytes_is_not_negative check (bytes >= 0)
);
comment on table private.media_usage is
  'Bytes per tenant, of its ready assets and announced for its uploads, and the number of its assets.';

create table private.media_uses (
  tenant_id uuid not null,
  asset_id uuid not null,
  type text not null,
  id uuid not null,
  constraint media_uses_pkey primary key (tenant_id, asset_id, type, id),
  -- Cascades only when the tenant is deleted: check_media_is_unused refuses to delete an asset that is used.
  constraint media_uses_asset_id_fkey foreign key (tenant_id, asset_id)
    references public.media_assets (tenant_id, id) on delete cascade
);
comment on table private.media_uses is
  'The records that use an asset, which cannot be deleted meanwhile. Each capability that uses media writes its own rows here.';

create table private.media_sweeps (
  -- No foreign key: the bytes of a deleted tenant still have to be deleted.
  tenant_id uuid not null,
  bucket text not null,
  path text not null,
  due_at timestamptz not null default now(),
  counts boolean not null default false,
  id uuid not null default gen_random_uuid(),
  constraint media_sweeps_pkey primary key (tenant_id, id),
  constraint path_is_unique_in_media_sweeps unique (bucket, path)
);
comment on table private.media_sweeps is
  'Paths in Storage whose bytes are deleted, from due_at on. A path that ends with a dot stands for all paths that begin with it. counts: whether the bytes count against the quota until they are deleted.';

-- functions: metadata ----------------------------------------------------------------------------

-- Without a SET clause, so that Postgres inlines it into the index and into the queries that use the index.
create function private.has_metadata(
  type public.media_type, status public.media_status, is_private boolean, cleaned boolean
) returns boolean
language sql immutable
return type = 'image' and status = 'ready' and not is_private and not cleaned;
comment on function private.has_metadata is 'Whether an asset is a public image that was not made by Souk.';

-- indexes --------------------------------------------------------------------------------------

create index media_folders_parent_idx on public.media_folders (tenant_id, parent_id);
create index media_assets_tenant_idx on public.media_assets (tenant_id, upload_date desc, id);
create index media_assets_folder_idx on public.media_assets (tenant_id, folder_id, upload_date desc);
create index media_assets_supplier_idx on public.media_assets (tenant_id, supplier_id);
create index media_assets_uploaded_by_idx on public.media_assets (uploaded_by);
create index media_assets_tags_idx on public.media_assets using gin (tags);
create index media_assets_with_metadata_idx on public.media_assets (tenant_id, id)
  where private.has_metadata(type, status, private, cleaned);
create index media_assets_content_type_idx on public.media_assets (content_type);
create index media_uploads_created_at_idx on private.media_uploads (created_at);
create index media_uploads_content_type_idx on private.media_uploads (content_type);
create index media_uses_user_idx on private.media_uses (tenant_id, type, id);
create index media_sweeps_that_count_idx on private.media_sweeps (tenant_id) where counts;

-- functions: permissions -------------------------------------------------------------------------

create function private.edits_media() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select private.scope_of('media.manage', m.role) = 'all' or m.content_roles && array['editor', 'admin']
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  ), false);
end
$$;
comment on function private.edits_media() is
  'Whether the caller may change all media of the tenant: admins, and members with the content role editor or admin.';

create function private.reads_private_media() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select (private.scope_of('private_media.read', m.role) = 'all' or m.content_roles <> '{}') and not private.reads_as_customer()
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  ), false);
end
$$;
comment on function private.reads_private_media() is
  'Whether the caller sees all private and all unfinished media: admins, and members with a content role.';

create function private.changes_media(asset public.media_assets) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return asset.tenant_id = private.tenant_id()
    and (private.edits_media() or coalesce(asset.supplier_id = private.supplier_id('media.write'), false));
end
$$;
comment on function private.changes_media is
  'Whether the caller may change an asset: members who edit all media, and suppliers for assets of their organisation.';

create function private.sees_media(asset public.media_assets) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return asset.tenant_id = private.tenant_id()
    and (
      not asset.private and asset.status = 'ready'
      or asset.uploaded_by = auth.uid()
      or private.reads_private_media()
      or not asset.private and asset.supplier_id = private.supplier_id()
    ) is true;
end
$$;
comment on function private.sees_media is
  'Whether the caller sees an asset. The same condition as in the select policy of media_assets.';

create function private.may_show(supplier_id uuid, asset public.media_assets) returns boolean
language sql immutable set search_path = ''
as $$
  select asset.supplier_id is null or coalesce(asset.supplier_id = may_show.supplier_id, false)
$$;
comment on function private.may_show is
  'Whether a product or a record about it may name an asset, which cannot be deleted meanwhile: one of the operator, or of the organisation of its supplier. supplier_id: null for a product of the operator.';

create function private.seen_media(asset_id uuid) returns public.media_assets
language plpgsql stable security definer set search_path = ''
as $$
declare
  asset public.media_assets;
begin
  select * into asset
  from public.media_assets a
  where a.tenant_id = private.tenant_id() and a.id = seen_media.asset_id;
  if not found or not private.sees_media(asset) then
    perform private.refuse('NOT_FOUND', 'There is no such asset.', 'asset_id', to_jsonb(asset_id));
  end if;
  return asset;
end
$$;
comment on function private.seen_media is 'An asset that the caller sees. Refuses with NOT_FOUND.';

create function private.changed_media(asset_id uuid) returns public.media_assets
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets := private.seen_media(changed_media.asset_id);
begin
  if not private.changes_media(asset) then
    perform private.refuse('FORBIDDEN', 'Only the supplier of an asset, content editors and admins may change it.');
  end if;
  return asset;
end
$$;
comment on function private.changed_media is
  'An asset that the caller may change. Refuses with NOT_FOUND, FORBIDDEN.';

-- functions: quota -------------------------------------------------------------------------------

create function private.media_allowance(tenant_id uuid, setting text) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (
      select (t.settings #>> array['media', setting])::bigint
      from public.tenants t
      where t.id = media_allowance.tenant_id
    ),
    private.cap('media_' || setting)
  );
end
$$;
comment on function private.media_allowance is
  'The limit in bytes of a file (file_bytes) or of all media (quota_bytes) of a tenant: from its settings, or else the cap.';

create function private.bytes_given_up(tenant_id uuid) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(sum((o.metadata ->> 'size')::bigint), 0)
    from private.media_sweeps s
    join storage.objects o on o.bucket_id = s.bucket and o.name = s.path
    where s.tenant_id = bytes_given_up.tenant_id and s.counts
  );
end
$$;
comment on function private.bytes_given_up is
  'Bytes of a tenant''s uploads that were given up and are still in Storage. They are deleted when their upload address has expired.';

create function private.media_bytes_left(tenant_id uuid) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return greatest(
    private.media_allowance(media_bytes_left.tenant_id, 'quota_bytes')
      - coalesce((select u.bytes from private.media_usage u where u.tenant_id = media_bytes_left.tenant_id), 0)
      - private.bytes_given_up(media_bytes_left.tenant_id),
    0
  );
end
$$;
comment on function private.media_bytes_left is 'How many bytes the tenant may still announce.';

create function private.keeps_metadata(settings jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce((settings #>> '{media,keep_metadata}')::boolean, false);
comment on function private.keeps_metadata is
  'Whether a tenant''s settings say that its images are served as they were sent, with their metadata.';

create function private.check_media_settings() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  setting record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist_on_keys(new.settings -> 'media', 'settings.media', array['file_bytes', 'quota_bytes', 'keep_metadata']);
  for setting in
    select w.key, w.value from jsonb_each(new.settings -> 'media') as w where w.key <> 'keep_metadata'
  loop
    faults := faults || private.fault_unless(
      jsonb_typeof(setting.value) = 'number'
        and setting.value::text ~ '^[1-9][0-9]{0,15}$'
        and setting.value::text::bigint <= private.cap('media_' || setting.key || '_at_most'),
      'settings.media.' || setting.key,
      format('a whole number from 1 to %s', private.cap('media_' || setting.key || '_at_most')), setting.value
    );
  end loop;
  faults := faults || private.fault_unless(
    coalesce(jsonb_typeof(new.settings #> '{media,keep_metadata}'), 'boolean') = 'boolean',
    'settings.media.keep_metadata', 'true or false', new.settings #> '{media,keep_metadata}'
  );
  perform private.refuse_all(faults);
  return new;
end
$$;
comment on function private.check_media_settings() is
  'Row trigger: refuses media settings that are no limits in bytes or above the operator''s caps, and a keep_metadata that is not true or false.';

create function private.count_announced_bytes() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  most bigint := private.media_allowance(new.tenant_id, 'file_bytes');
begin
  if new.size > most then
    perform private.refuse(
      'VALIDATION_ERROR', format('A file may have at most %s bytes.', most), 'size', to_jsonb(new.size),
      jsonb_build_object('remaining', least(private.media_bytes_left(new.tenant_id), most))
    );
  end if;
  insert into private.media_usage (tenant_id) values (new.tenant_id) on conflict (tenant_id) do nothing;
  -- One statement reads and writes, so that parallel announcements count each other.
  update private.media_usage u
  set bytes = u.bytes + new.size
  where u.tenant_id = new.tenant_id
    and u.bytes + new.size + private.bytes_given_up(new.tenant_id)
      <= private.media_allowance(new.tenant_id, 'quota_bytes');
  if not found then
    perform private.refuse(
      'VALIDATION_ERROR', 'The tenant''s media quota has no room for this file. Delete assets that nothing uses.', 'size',
      to_jsonb(new.size),
      jsonb_build_object('remaining', private.media_bytes_left(new.tenant_id))
    );
  end if;
  return new;
end
$$;
comment on function private.count_announced_bytes() is
  'Row trigger: adds the announced bytes to the usage. Refuses with VALIDATION_ERROR on size a file above the limit or the quota.';

create function private.discount_announced_bytes() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update private.media_usage u set bytes = u.bytes - old.size where u.tenant_id = old.tenant_id;
  return null;
end
$$;
comment on function private.discount_announced_bytes() is
  'Row trigger: subtracts the announced bytes when an upload is completed or given up.';

create function private.count_media_bytes() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid := case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end;
  before bigint := case when tg_op <> 'INSERT' and old.status = 'ready' then old.size else 0 end;
  after bigint := case when tg_op <> 'DELETE' and new.status = 'ready' then new.size else 0 end;
begin
  if after <> before then
    -- The quota holds: these are at most the announced bytes, which were counted until now.
    update private.media_usage u set bytes = u.bytes + after - before where u.tenant_id = tenant;
    if not found and tg_op <> 'DELETE' then
      insert into private.media_usage as u (tenant_id, bytes) values (tenant, after)
      on conflict (tenant_id) do update set bytes = u.bytes + excluded.bytes;
    end if;
  end if;
  return null;
end
$$;
comment on function private.count_media_bytes() is 'Row trigger: keeps the usage equal to the bytes of the ready assets.';

create function private.count_media_assets() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    update private.media_usage u set assets = u.assets - 1 where u.tenant_id = old.tenant_id;
    return null;
  end if;
  insert into private.media_usage as u (tenant_id, assets)
  values (new.tenant_id, 1)
  on conflict (tenant_id) do update set assets = u.assets + 1
  where u.assets < private.cap('media_assets_per_tenant');
  if not found then
    perform private.refuse_beyond('media_assets_per_tenant', 'The media library has the maximum number of assets.');
  end if;
  return null;
end
$$;
comment on function private.count_media_assets() is
  'Row trigger: counts the assets of a tenant. Refuses with LIMIT_REACHED more than the cap.';

-- functions: deletion of bytes --------------------------------------------------------------------

create function private.give_up_upload() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- An upload address is valid for two hours, and a repeated request may sign it again in these two hours. As long as the
  -- bytes are there, Storage takes no others in their place.
  insert into private.media_sweeps (tenant_id, bucket, path, due_at, counts)
  values (old.tenant_id, 'uploads', old.path, greatest(old.created_at + interval '4 hours', now()), true)
  on conflict on constraint path_is_unique_in_media_sweeps do nothing;
  -- A request that completes this upload may still be copying it.
  insert into private.media_sweeps (tenant_id, bucket, path, due_at)
  select old.tenant_id, b.bucket, format('%s/%s.', old.tenant_id, old.id),
    greatest(old.created_at + interval '4 hours', now() + interval '1 hour')
  from unnest(array['media', 'documents']) as b (bucket)
  on conflict on constraint path_is_unique_in_media_sweeps do nothing;
  return null;
end
$$;
comment on function private.give_up_upload() is
  'Row trigger: queues the deletion of the uploaded bytes, and of their copies unless an asset points there.';

create function private.give_up_media() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.media_sweeps (tenant_id, bucket, path)
  values (old.tenant_id, old.bucket, old.path)
  on conflict on constraint path_is_unique_in_media_sweeps do update set due_at = now();
  return null;
end
$$;
comment on function private.give_up_media() is
  'Row trigger: queues the deletion of the bytes that an asset no longer points at.';

create function private.media_uses_of(asset public.media_assets) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('type', u.type, 'id', u.id) order by u.type, u.id), '[]')
    from (
      select u.type, u.id
      from private.media_uses u
      where u.tenant_id = asset.tenant_id and u.asset_id = asset.id
      order by u.type, u.id
      limit 100
    ) as u
  );
end
$$;
comment on function private.media_uses_of is 'The records that use an asset, at most 100.';

create function private.check_media_is_unused() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  -- The row is locked: a transaction that begins to use the asset has ended before this.
  uses jsonb := private.media_uses_of(old);
begin
  -- With its tenant, an asset is deleted in any case.
  if uses <> '[]' and private.is_tenant_kept(old.tenant_id) then
    perform private.refuse(
      'CONFLICT', 'This asset is used. Remove it from the records that use it first.', null, null,
      jsonb_build_object('used_by', uses)
    );
  end if;
  return old;
end
$$;
comment on function private.check_media_is_unused() is
  'Row trigger: refuses with CONFLICT to delete an asset that is used. The details name the records.';

create function private.check_folder_is_empty() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if (
      exists (select from public.media_assets a where a.tenant_id = old.tenant_id and a.folder_id = old.id)
      or exists (select from public.media_folders f where f.tenant_id = old.tenant_id and f.parent_id = old.id)
    )
    and private.is_tenant_kept(old.tenant_id)
  then
    perform private.refuse('CONFLICT', 'This folder is not empty. Move or delete its content first.');
  end if;
  return old;
end
$$;
comment on function private.check_folder_is_empty() is
  'Row trigger: refuses with CONFLICT to delete a folder that is not empty.';

-- functions: checks ------------------------------------------------------------------------------

create function private.check_media_texts() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  text_of record;
begin
  perform private.insist(
    jsonb_typeof(new.alt_texts) = 'object' and (select count(*) from jsonb_object_keys(new.alt_texts)) <= 50,
    'alt_texts', 'an object of at most 50 entries', new.alt_texts
  );
  for text_of in select t.key, t.value from jsonb_each(new.alt_texts) as t loop
    perform private.insist(
      text_of.key ~ '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$', 'alt_texts.' || left(text_of.key, 50),
      'named with a language, such as en or pt-BR', text_of.value
    );
    perform private.insist(
      private.is_text(text_of.value, 0, 500), 'alt_texts.' || text_of.key, 'a text of at most 500 characters', text_of.value
    );
  end loop;
  perform private.check_list(to_jsonb(new.tags), 'tags', 50);
  if new.focal_point is not null then
    perform private.insist_on_keys(new.focal_point, 'focal_point', array['x', 'y']);
    perform private.insist(
      jsonb_typeof(new.focal_point -> 'x') = 'number' and jsonb_typeof(new.focal_point -> 'y') = 'number'
        and private.has_short_numbers(new.focal_point)
        and (new.focal_point ->> 'x')::numeric between 0 and 1 and (new.focal_point ->> 'y')::numeric between 0 and 1,
      'focal_point', 'a point {x, y}, each from 0 to 1', new.focal_point
    );
  end if;
  return new;
end
$$;
comment on function private.check_media_texts() is
  'Row trigger: checks alternative texts by language, tags and the focal point.';

create function private.check_media_folder() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  depth integer;
begin
  -- Two folders that are moved into each other in parallel would make a cycle.
  perform private.hold('media_folders', new.tenant_id::text);
  if tg_op = 'INSERT' and (
    select count(*) >= private.cap('media_folders_per_tenant')
    from public.media_folders f where f.tenant_id = new.tenant_id
  ) then
    perform private.refuse_beyond('media_folders_per_tenant', 'The media library has the maximum number of folders.');
  end if;
  with recursive above (id, depth) as (
    select new.parent_id, 1
    union all
    select f.parent_id, a.depth + 1
    from above a
    join public.media_folders f on f.tenant_id = new.tenant_id and f.id = a.id
    where a.depth <= 10 and f.id <> new.id
  ),
  below (id, depth) as (
    select new.id, 0
    union all
    select f.id, b.depth + 1
    from below b
    join public.media_folders f on f.tenant_id = new.tenant_id and f.parent_id = b.id
    where b.depth <= 10
  )
  select case
    when exists (select from above a where a.id = new.id) then null
    else (select max(a.depth) from above a where a.id is not null) + (select max(b.depth) from below b)
  end
  into depth;
  if new.parent_id is not null then
    perform private.insist(depth is not null, 'parent_id', 'a folder that is not inside this one', to_jsonb(new.parent_id));
    perform private.insist(depth < 10, 'parent_id', 'at most 9 folders deep', to_jsonb(new.parent_id));
  end if;
  return new;
end
$$;
comment on function private.check_media_folder() is
  'Row trigger: refuses cycles of folders, more than ten levels, and more folders than the cap.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.media_folders
  for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.media_assets
  for each row execute function private.keep_nfc();

create trigger tenants_check_media_settings
  before insert or update of settings on public.tenants
  for each row when (new.settings ? 'media')
  execute function private.check_media_settings();

create trigger media_folders_check_place
  before insert or update of parent_id on public.media_folders
  for each row execute function private.check_media_folder();

create trigger media_folders_check_that_it_is_empty
  before delete on public.media_folders
  for each row execute function private.check_folder_is_empty();

create trigger media_assets_stay_while_shown
  before delete on public.media_assets
  for each row execute function private.check_media_is_unused();

create trigger media_assets_check_texts
  before insert or update of alt_texts, tags, focal_point on public.media_assets
  for each row execute function private.check_media_texts();

create trigger media_assets_touch
  before update on public.media_assets
  for each row execute function private.touch();

create trigger media_uploads_count_announced
  before insert on private.media_uploads
  for each row execute function private.count_announced_bytes();

create trigger media_uploads_discount_announced
  after delete on private.media_uploads
  for each row execute function private.discount_announced_bytes();

create trigger media_uploads_give_up
  after delete on private.media_uploads
  for each row execute function private.give_up_upload();

create trigger media_assets_count_bytes
  after insert or delete or update of status, size on public.media_assets
  for each row execute function private.count_media_bytes();

create trigger media_assets_count
  after insert or delete on public.media_assets
  for each row execute function private.count_media_assets();

create trigger media_assets_give_up_when_deleted
  after delete on public.media_assets
  for each row when (old.path is not null)
  execute function private.give_up_media();

create trigger media_assets_give_up_when_replaced
  after update of path on public.media_assets
  for each row when (old.path is distinct from new.path and old.path is not null)
  execute function private.give_up_media();

-- policies -------------------------------------------------------------------------------------

alter table private.media_types enable row level security;
alter table private.media_settings enable row level security;
alter table private.media_uploads enable row level security;
alter table private.media_usage enable row level security;
alter table private.media_uses enable row level security;
alter table private.media_sweeps enable row level security;
alter table public.media_folders enable row level security;
alter table public.media_assets enable row level security;

create policy "Members see ready public media, uploaders and content roles the rest" on public.media_assets
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (
      not private and status = 'ready'
      or uploaded_by = (select auth.uid())
      or (select private.reads_private_media())
      or not private and supplier_id = (select private.supplier_id())
    )
  );

create policy "Editors change all media, suppliers their own" on public.media_assets
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and ((select private.edits_media()) or supplier_id = (select private.supplier_id('media.write')))
  )
  with check (
    tenant_id = (select private.tenant_id())
    and ((select private.edits_media()) or supplier_id = (select private.supplier_id('media.write')))
  );

create policy "Editors delete all media, suppliers their own" on public.media_assets
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and ((select private.edits_media()) or supplier_id = (select private.supplier_id('media.write')))
  );

create policy "Members see their tenant's folders" on public.media_folders
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Editors create folders" on public.media_folders
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.edits_media()));

create policy "Editors change folders" on public.media_folders
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.edits_media()))
  with check (tenant_id = (select private.tenant_id()) and (select private.edits_media()));

create policy "Editors delete folders" on public.media_folders
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.edits_media()));

-- grants ---------------------------------------------------------------------------------------

grant select, delete on public.media_assets to authenticated;
grant update (alt_text, alt_texts, focal_point, tags, folder_id) on public.media_assets to authenticated;
grant select, delete, insert (parent_id, name), update (parent_id, name) on public.media_folders to authenticated;
grant all on public.media_assets, public.media_folders to service_role;
grant execute on function
  private.edits_media(), private.reads_private_media(), private.changes_media, private.sees_media, private.may_show, private.seen_media,
  private.changed_media
to authenticated, service_role;
-- The index computes it for whoever writes a row.
grant execute on function private.has_metadata to authenticated, service_role;
