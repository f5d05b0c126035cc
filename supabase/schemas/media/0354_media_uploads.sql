-- The steps of an upload: a member announces a file, uploads it to Storage, and the function `api` checks its bytes. And
-- the buckets of Storage, with their policies.
-- later: private.check_review_of_media

-- functions ------------------------------------------------------------------------------------

create function private.media_advice(content_type text) returns text
language sql immutable set search_path = ''
return 'The media library does not take ' || coalesce(left(content_type, 100), 'this content type') || '.' || case
  when content_type ~ '^image/hei[cf]' then
    ' Convert the photo to JPEG. An iPhone takes JPEGs with Settings, Camera, Formats, Most Compatible.'
  when content_type = 'image/svg+xml' then ' Convert the drawing to PNG.'
  when content_type like 'image/%' then ' Convert the picture to JPEG or PNG.'
  when content_type = 'video/quicktime' then
    ' Convert the video to MP4. iPhones write MOV, which many browsers do not play.'
  when content_type like 'video/%' then ' Convert the video to MP4.'
  else ''
end;
comment on function private.media_advice is
  'The message for a content type that the library does not take, with what to do.';

create function public.media_advice(content_type text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return private.media_advice(content_type);
end
$$;
comment on function public.media_advice is
  'For the functions: the message for a content type that the library does not take, with what to do.';

create function private.announced_type(content_type text) returns private.media_types
language plpgsql stable security definer set search_path = ''
as $$
declare
  found private.media_types;
begin
  select * into found from private.media_types t where t.content_type = announced_type.content_type;
  if found.content_type is null then
    perform private.refuse(
      'UNSUPPORTED_MEDIA', private.media_advice(content_type), 'content_type', to_jsonb(content_type)
    );
  end if;
  return found;
end
$$;
comment on function private.announced_type is 'The row of a content type. Refuses with UNSUPPORTED_MEDIA one that the library does not take.';

create function private.adds_media() returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not (private.edits_media() or private.scope('media.write') is not null) then
    perform private.refuse('FORBIDDEN', 'Only suppliers, content editors and admins may upload media.');
  end if;
end
$$;
comment on function private.adds_media() is 'Refuses with FORBIDDEN a caller that may not upload.';

create function private.announce_upload(asset public.media_assets, filename text, size bigint, content_type text)
returns private.media_uploads
language plpgsql security definer set search_path = ''
as $$
declare
  upload private.media_uploads;
  upload_id uuid := gen_random_uuid();
begin
  -- A new announcement replaces the one before.
  delete from private.media_uploads u where u.tenant_id = asset.tenant_id and u.asset_id = asset.id;
  insert into private.media_uploads (id, tenant_id, asset_id, path, filename, content_type, size)
  values (
    upload_id, asset.tenant_id, asset.id, format('%s/%s', asset.tenant_id, upload_id), announce_upload.filename,
    announce_upload.content_type, announce_upload.size
  )
  returning * into upload;
  return upload;
end
$$;
comment on function private.announce_upload is 'Announces an upload for an asset, at a new path in the bucket uploads.';

create function private.with_upload(asset public.media_assets, upload private.media_uploads) returns jsonb
language sql stable set search_path = ''
as $$
  select private.media_record(asset) || jsonb_build_object(
    'upload', jsonb_build_object(
      'path', upload.path, 'content_type', upload.content_type, 'expires_at', upload.created_at + interval '2 hours'
    )
  )
$$;
comment on function private.with_upload is
  'The record of an asset, with the path of its upload and when the signed address for it expires.';

create function private.create_media_asset(
  filename text, size bigint, content_type text, alt_text text, tags text[], folder_id uuid, private boolean
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets;
begin
  perform private.adds_media();
  insert into public.media_assets (
    tenant_id, uploaded_by, supplier_id, filename, type, content_type, size, alt_text, tags, folder_id, private
  )
  values (
    private.tenant_id(), auth.uid(), private.supplier_id(), create_media_asset.filename,
    (private.announced_type(create_media_asset.content_type)).type, create_media_asset.content_type,
    create_media_asset.size, create_media_asset.alt_text, create_media_asset.tags, create_media_asset.folder_id,
    create_media_asset.private
  )
  returning * into asset;
  return private.with_upload(
    asset, private.announce_upload(asset, asset.filename, asset.size, asset.content_type)
  );
end
$$;
comment on function private.create_media_asset is 'As public.create_media_asset.';

create function public.create_media_asset(
  filename text, size bigint, content_type text, alt_text text default '', tags text[] default '{}',
  folder_id uuid default null, private boolean default false
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.create_media_asset($1, $2, $3, $4, $5, $6, $7);
end
$$;
comment on function public.create_media_asset is
  'Announces a file: its bytes count against the quota from now on. Returns the asset and the path in the bucket uploads for its bytes. Refuses with FORBIDDEN, UNSUPPORTED_MEDIA, and with VALIDATION_ERROR on size, where details.remaining is the room left in bytes.';

create function private.replace_media_asset(asset_id uuid, filename text, size bigint, content_type text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets := private.changed_media(replace_media_asset.asset_id);
begin
  if asset.status <> 'ready' then
    perform private.refuse(
      'INVALID_TRANSITION', 'This asset is not complete. Complete its upload first.', 'status', to_jsonb(asset.status)
    );
  elsif (private.announced_type(replace_media_asset.content_type)).type <> asset.type then
    perform private.refuse(
      'VALIDATION_ERROR', format('The new file must be of the same type, %s.', asset.type), 'content_type',
      to_jsonb(content_type)
    );
  end if;
  perform private.check_review_of_media(asset);
  return private.with_upload(
    asset,
    private.announce_upload(
      asset, replace_media_asset.filename, replace_media_asset.size, replace_media_asset.content_type
    )
  );
end
$$;
comment on function private.replace_media_asset is 'As public.replace_media_asset.';

create function public.replace_media_asset(asset_id uuid, filename text, size bigint, content_type text) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.replace_media_asset(asset_id, filename, size, content_type);
end
$$;
comment on function public.replace_media_asset is
  'Announces a file that replaces an asset''s. The asset does not change until the upload is completed. Returns as create_media_asset does. Refuses with NOT_FOUND, FORBIDDEN, INVALID_TRANSITION, UNSUPPORTED_MEDIA, VALIDATION_ERROR, and with CONFLICT a supplier''s asset that a reviewed product shows.';

create function private.register_media(
  bucket text, path text, alt_text text, tags text[], folder_id uuid, private boolean
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
  sent record;
  asset public.media_assets;
begin
  perform private.adds_media();
  if register_media.bucket <> 'uploads' then
    perform private.refuse(
      'VALIDATION_ERROR', 'Only objects in the bucket uploads can be registered.', 'bucket', to_jsonb(bucket)
    );
  end if;
  select (o.metadata ->> 'size')::bigint as size, lower(split_part(o.metadata ->> 'mimetype', ';', 1)) as content_type
  into sent
  from storage.objects o
  where o.bucket_id = 'uploads' and o.name = register_media.path and o.owner_id = auth.uid()::text
    and o.name ^@ (tenant || '/');
  if not found then
    perform private.refuse('NOT_FOUND', 'You have uploaded no object with this path.', 'path', to_jsonb(path));
  elsif exists (select from private.media_uploads u where u.path = register_media.path)
    or exists (select from private.media_sweeps s where s.bucket = 'uploads' and s.path = register_media.path)
  then
    perform private.refuse('CONFLICT', 'This object was registered before.', 'path', to_jsonb(path));
  end if;
  insert into public.media_assets (
    tenant_id, uploaded_by, supplier_id, filename, type, content_type, size, alt_text, tags, folder_id, private
  )
  values (
    tenant, auth.uid(), private.supplier_id(),
    left(regexp_replace(path, '^.*/', ''), 255), (private.announced_type(sent.content_type)).type, sent.content_type, sent.size,
    register_media.alt_text, register_media.tags, register_media.folder_id, register_media.private
  )
  returning * into asset;
  insert into private.media_uploads (tenant_id, asset_id, path, filename, content_type, size)
  values (tenant, asset.id, register_media.path, asset.filename, asset.content_type, asset.size);
  return private.media_record(asset);
end
$$;
comment on function private.register_media is 'As public.register_media.';

create function public.register_media(
  bucket text, path text, alt_text text default '', tags text[] default '{}', folder_id uuid default null,
  private boolean default false
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.register_media($1, $2, $3, $4, $5, $6);
end
$$;
comment on function public.register_media is
  'Makes an asset of an object that the caller uploaded to the bucket uploads, below the tenant''s id. Returns its record; POST /api/media/{id}/complete then checks the bytes.';

create function private.media_upload(asset_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets := private.changed_media(media_upload.asset_id);
begin
  -- A review may have come after the announcement of the new file.
  if asset.status = 'ready' and exists (
    select from private.media_uploads u where u.tenant_id = asset.tenant_id and u.asset_id = asset.id
  ) then
    perform private.check_review_of_media(asset);
  end if;
  return jsonb_build_object(
    'asset', private.media_record(asset),
    'upload', (
      select jsonb_build_object(
        'id', u.id, 'path', u.path, 'size', u.size, 'content_type', u.content_type,
        'accepts', (
          select jsonb_object_agg(other.content_type, other.extension)
          from private.media_types other
          where other.type = t.type
        ),
        'copy_to', case when asset.private then 'documents' else 'media' end,
        -- Private files are saved, and sold, as they were sent.
        'keep_metadata', asset.private or (
          select private.keeps_metadata(n.settings) from public.tenants n where n.id = asset.tenant_id
        ),
        'transformations', s.transformations
      )
      from private.media_uploads u
      join private.media_types t on t.content_type = u.content_type
      cross join private.media_settings s
      where u.tenant_id = asset.tenant_id and u.asset_id = asset.id
    )
  );
end
$$;
comment on function private.media_upload is 'As public.media_upload.';

create function public.media_upload(asset_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.media_upload(asset_id);
end
$$;
comment on function public.media_upload is
  'An asset that the caller may change, and its upload; null without one. Refuses with NOT_FOUND, FORBIDDEN, CONFLICT.';

create function public.finish_media_upload(
  upload_id uuid, path text, address text, content_type text, size bigint, width integer default null,
  height integer default null, cleaned boolean default false, resizable boolean default true
) returns boolean
language plpgsql set search_path = ''
as $$
declare
  upload private.media_uploads;
begin
  -- A parallel request that completes the upload or gives it up waits here, or was first.
  delete from private.media_uploads u where u.id = finish_media_upload.upload_id returning * into upload;
  if not found then
    return false;
  end if;
  if private.storage_address() is null then
    perform public.set_storage_address(finish_media_upload.address);
  end if;
  -- From now on the copy counts.
  update private.media_sweeps s set counts = false where s.bucket = 'uploads' and s.path = upload.path;
  update public.media_assets a
  set status = 'ready', filename = upload.filename, content_type = finish_media_upload.content_type,
      size = finish_media_upload.size, width = finish_media_upload.width, height = finish_media_upload.height,
      cleaned = finish_media_upload.cleaned, resizable = finish_media_upload.resizable,
      bucket = case when a.private then 'documents' else 'media' end,
      path = finish_media_upload.path
  where a.tenant_id = upload.tenant_id and a.id = upload.asset_id;
  return true;
end
$$;
comment on function public.finish_media_upload is
  'For the functions: makes the asset point at the checked copy of an upload. address: that of Storage, which the first upload of the project notes. Returns false if another request has completed the upload or given it up.';

create function public.refuse_media_upload(upload_id uuid) returns void
language plpgsql set search_path = ''
as $$
declare
  upload private.media_uploads;
begin
  delete from private.media_uploads u where u.id = refuse_media_upload.upload_id returning * into upload;
  -- An asset whose file it was to replace keeps its file.
  delete from public.media_assets a
  where a.tenant_id = upload.tenant_id and a.id = upload.asset_id and a.status = 'uploading';
end
$$;
comment on function public.refuse_media_upload is
  'For the functions: gives up an upload that the library does not take. Deletes the asset too, unless it has other bytes.';

create function private.uploads_waiting(tenant_id uuid) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(sum((o.metadata ->> 'size')::bigint), 0)
    from storage.objects o
    where o.bucket_id = 'uploads'
      and o.name collate "C" >= uploads_waiting.tenant_id || '/' and o.name collate "C" < uploads_waiting.tenant_id || '0'
      -- Announced uploads are in media_usage, completed ones count as assets, and media_bytes_left subtracts those that
      -- were given up.
      and not exists (select from private.media_uploads u where u.path = o.name)
      and not exists (select from private.media_sweeps s where s.bucket = 'uploads' and s.path = o.name)
  );
end
$$;
comment on function private.uploads_waiting is
  'Bytes of a tenant''s objects in the bucket uploads that were neither announced nor registered.';

create function private.may_upload(name text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
begin
  return tenant is not null
    and (private.edits_media() or private.scope('media.write') is not null)
    and name ~ ('^' || tenant || '/[A-Za-z0-9][A-Za-z0-9 _.()-]{0,254}(/[A-Za-z0-9][A-Za-z0-9 _.()-]{0,254}){0,9}$')
    and private.uploads_waiting(tenant) < private.media_bytes_left(tenant);
end
$$;
comment on function private.may_upload is
  'Whether the caller may upload to a path in the bucket uploads: below its tenant''s id, while the quota has room.';

create function private.may_fetch(name text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  asset public.media_assets;
begin
  select * into asset from public.media_assets a where a.bucket = 'documents' and a.path = may_fetch.name;
  return found and private.sees_media(asset);
end
$$;
comment on function private.may_fetch is 'Whether the caller sees the private asset that has its bytes at this path.';

create function private.lists_objects() returns boolean
language sql stable set search_path = ''
return coalesce(current_setting('storage.operation', true), '') like '%.list%';
comment on function private.lists_objects() is
  'Whether the request to Storage lists objects. The policies for reading refuse lists at once, because a list would check the rights to each object of the bucket.';

create function public.set_image_transformations(enabled boolean) returns void
language plpgsql set search_path = ''
as $$
begin
  update private.media_settings s set transformations = enabled where s.transformations <> enabled;
end
$$;
comment on function public.set_image_transformations is
  'For the operator: whether the project''s Storage makes smaller versions of images. Without them images have no variants, and url is the original.';

create function public.set_storage_address(address text) returns void
language plpgsql set search_path = ''
as $$
begin
  -- The statement's trigger updates all products that show images.
  if private.storage_address() is distinct from set_storage_address.address then
    update private.media_settings s set address = set_storage_address.address where s.only_one;
  end if;
end
$$;
comment on function public.set_storage_address is
  'For the operator: where browsers reach the project''s Storage, such as https://api.example.com/storage/v1. All public media have this address from then on, also in products.';

-- There are no other policies, so nobody changes, deletes or lists objects. The bucket media is public: reading an object
-- needs no policy.

create policy "Suppliers and editors upload below their tenant's id" on storage.objects
  for insert to authenticated
  with check (bucket_id = 'uploads' and (select private.may_upload(name)));

create policy "Members who see a private asset read its bytes" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'documents'
    and not (select private.lists_objects())
    and (storage.foldername(name))[1] = (select private.tenant_id())::text
    and private.may_fetch(name)
  );

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.media_advice, private.announced_type, private.adds_media(), private.create_media_asset, private.replace_media_asset,
  private.register_media, private.media_upload, private.may_upload, private.may_fetch, private.lists_objects,
  private.with_upload
to authenticated, service_role;
grant execute on function
  public.create_media_asset, public.replace_media_asset, public.register_media, public.media_upload
to authenticated;
grant select, delete on private.media_uploads to service_role;
grant select, update on private.media_sweeps to service_role;
grant select, update on private.media_settings to service_role;
grant execute on function
  public.media_advice, public.finish_media_upload, public.refuse_media_upload, public.set_image_transformations,
  public.set_storage_address
to service_role;
