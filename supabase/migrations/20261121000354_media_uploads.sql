-- How media come in: announced, uploaded to Storage by whoever announced them, judged by the function `api`, and from
-- then on shown. And Storage's buckets, with who may reach what of them.

-- functions ------------------------------------------------------------------------------------

create function private.announced_type(content_type text) returns private.media_types
language plpgsql stable security definer set search_path = ''
as $$
declare
  found private.media_types;
begin
  select * into found from private.media_types t where t.content_type = announced_type.content_type;
  if found.content_type is null then
    perform private.refuse(
      'UNSUPPORTED_MEDIA', 'The library takes no files of this type.', 'content_type', to_jsonb(content_type)
    );
  end if;
  return found;
end
$$;
comment on function private.announced_type is 'What the library takes by that name. Refuses with UNSUPPORTED_MEDIA.';

create function private.adds_media() returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not (private.edits_media() or private.supplier_id() is not null) then
    perform private.refuse('FORBIDDEN', 'Media are uploaded by suppliers, by editors of content and by admins.');
  end if;
end
$$;
comment on function private.adds_media() is 'Refuses with FORBIDDEN who may not upload.';

create function private.announce_upload(asset public.media_assets, filename text, size bigint, content_type text)
returns private.media_uploads
language plpgsql security definer set search_path = ''
as $$
declare
  upload private.media_uploads;
  upload_id uuid := gen_random_uuid();
begin
  -- Whoever begins anew does not go on with what was begun.
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
comment on function private.announce_upload is 'Notes what is about to be sent for an asset, and where to.';

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
  'The record of an asset with where its bytes are to be uploaded: Storage signs that for two hours.';

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
language sql set search_path = ''
as $$
  select private.create_media_asset(
    $1, $2, $3, $4, $5, $6, $7
  )
$$;
comment on function public.create_media_asset is
  'Announces a file, whose bytes count from now on, and answers the asset with the path in the bucket uploads where they are to be sent. Refuses with FORBIDDEN, UNSUPPORTED_MEDIA, and with VALIDATION_ERROR on size, whose details tell what remains.';

create function private.replace_media_asset(asset_id uuid, filename text, size bigint, content_type text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets := private.changed_media(replace_media_asset.asset_id);
begin
  if asset.status <> 'ready' then
    perform private.refuse('INVALID_TRANSITION', 'It was never complete: there is nothing to replace.', 'status', to_jsonb(asset.status));
  elsif (private.announced_type(replace_media_asset.content_type)).type <> asset.type then
    perform private.refuse(
      'VALIDATION_ERROR', format('What takes its place is of the same type, %s.', asset.type), 'content_type',
      to_jsonb(content_type)
    );
  end if;
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
language sql set search_path = ''
as $$
  select private.replace_media_asset(asset_id, filename, size, content_type)
$$;
comment on function public.replace_media_asset is
  'Announces a file that takes the place of an asset''s, which stays as it is until the other is complete. Answers as create_media_asset does.';

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
    perform private.refuse('VALIDATION_ERROR', 'What is registered lies in uploads.', 'bucket', to_jsonb(bucket));
  end if;
  select (o.metadata ->> 'size')::bigint as size, lower(split_part(o.metadata ->> 'mimetype', ';', 1)) as content_type
  into sent
  from storage.objects o
  where o.bucket_id = 'uploads' and o.name = register_media.path and o.owner_id = auth.uid()::text
    and o.name ^@ (tenant || '/');
  if not found then
    perform private.refuse('NOT_FOUND', 'You have uploaded nothing there.', 'path', to_jsonb(path));
  elsif exists (select from private.media_uploads u where u.path = register_media.path)
    or exists (select from private.media_sweeps s where s.bucket = 'uploads' and s.path = register_media.path)
  then
    perform private.refuse('CONFLICT', 'This was registered before.', 'path', to_jsonb(path));
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
language sql set search_path = ''
as $$
  select private.register_media($1, $2, $3, $4, $5, $6)
$$;
comment on function public.register_media is
  'Makes an asset of what the caller has uploaded to the bucket uploads, below the tenant''s id. Answers its record; its bytes are still to be judged, by POST /api/media/{id}/complete.';

create function private.media_upload(asset_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets := private.changed_media(media_upload.asset_id);
begin
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
language sql set search_path = ''
as $$
  select private.media_upload(asset_id)
$$;
comment on function public.media_upload is
  'An asset that the caller may change, and what is being uploaded for it; null where nothing is. Refuses with NOT_FOUND, FORBIDDEN.';

create function public.finish_media_upload(
  upload_id uuid, path text, address text, content_type text, size bigint, width integer default null,
  height integer default null
) returns boolean
language plpgsql set search_path = ''
as $$
declare
  upload private.media_uploads;
begin
  -- Whoever completes it at the same time, or gives it up, waits here or has been before.
  delete from private.media_uploads u where u.id = finish_media_upload.upload_id returning * into upload;
  if not found then
    return false;
  end if;
  -- They count where they are shown from.
  update private.media_sweeps s set counts = false where s.bucket = 'uploads' and s.path = upload.path;
  update public.media_assets a
  set status = 'ready', filename = upload.filename, content_type = finish_media_upload.content_type,
      size = finish_media_upload.size, width = finish_media_upload.width, height = finish_media_upload.height,
      bucket = case when a.private then 'documents' else 'media' end,
      path = finish_media_upload.path, address = finish_media_upload.address
  where a.tenant_id = upload.tenant_id and a.id = upload.asset_id;
  return true;
end
$$;
comment on function public.finish_media_upload is
  'For the functions: what was uploaded was judged, and copied to this path. The asset points there now; false where the upload was completed or given up by somebody else.';

create function public.refuse_media_upload(upload_id uuid) returns void
language plpgsql set search_path = ''
as $$
declare
  upload private.media_uploads;
begin
  delete from private.media_uploads u where u.id = refuse_media_upload.upload_id returning * into upload;
  -- What it was to replace stays.
  delete from public.media_assets a
  where a.tenant_id = upload.tenant_id and a.id = upload.asset_id and a.status = 'uploading';
end
$$;
comment on function public.refuse_media_upload is
  'For the functions: what was uploaded is nothing that the library takes. Its record is gone, and its bytes go soon.';

create function private.uploads_waiting(tenant_id uuid) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(sum((o.metadata ->> 'size')::bigint), 0)
    from storage.objects o
    where o.bucket_id = 'uploads'
      and o.name collate "C" >= uploads_waiting.tenant_id || '/' and o.name collate "C" < uploads_waiting.tenant_id || '0'
      -- Those that were announced are counted, those that were judged count where they are now, and those that were given
      -- up are left out of what there is room for.
      and not exists (select from private.media_uploads u where u.path = o.name)
      and not exists (select from private.media_sweeps s where s.bucket = 'uploads' and s.path = o.name)
  );
end
$$;
comment on function private.uploads_waiting is
  'How many bytes of a tenant''s lie in uploads that nobody has announced or registered.';

create function private.may_upload(name text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
begin
  return tenant is not null
    and (private.edits_media() or private.supplier_id() is not null)
    and name ~ ('^' || tenant || '/[A-Za-z0-9][A-Za-z0-9 _.()-]{0,254}(/[A-Za-z0-9][A-Za-z0-9 _.()-]{0,254}){0,9}$')
    and private.uploads_waiting(tenant) < private.media_bytes_left(tenant);
end
$$;
comment on function private.may_upload is
  'Whether the caller may upload to a path of the bucket uploads: below its tenant''s id, as long as there is room.';

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
comment on function private.may_fetch is 'Whether the caller sees the private asset whose bytes these are.';

create function public.set_image_transformations(enabled boolean) returns void
language plpgsql set search_path = ''
as $$
begin
  update private.media_settings s set transformations = enabled where s.transformations <> enabled;
end
$$;
comment on function public.set_image_transformations is
  'For the operator: whether the project''s Storage makes images smaller. Without, images have no variants, and their address is that of the original.';

-- Storage's buckets ------------------------------------------------------------------------------

insert into storage.buckets (id, name, public, allowed_mime_types)
select b.id, b.id, b.id = 'media', array(select t.content_type from private.media_types t order by t.content_type)
from unnest(array['uploads', 'media', 'documents']) as b (id)
on conflict (id) do nothing;

-- Nobody changes, deletes or lists anything: what there is no policy for is refused. The bucket media is public, and so
-- read without one.

create policy "Suppliers and editors upload below their tenant's id" on storage.objects
  for insert to authenticated
  with check (bucket_id = 'uploads' and (select private.may_upload(name)));

create policy "Whoever sees a private asset fetches its bytes" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'documents'
    and (storage.foldername(name))[1] = (select private.tenant_id())::text
    and private.may_fetch(name)
  );

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.announced_type, private.adds_media(), private.create_media_asset, private.replace_media_asset,
  private.register_media, private.media_upload, private.may_upload, private.may_fetch, private.with_upload
to authenticated, service_role;
grant execute on function
  public.create_media_asset, public.replace_media_asset, public.register_media, public.media_upload
to authenticated;
grant select, delete on private.media_uploads to service_role;
grant select, update on private.media_sweeps to service_role;
grant select, update on private.media_settings to service_role;
grant execute on function
  public.finish_media_upload, public.refuse_media_upload, public.set_image_transformations
to service_role;
