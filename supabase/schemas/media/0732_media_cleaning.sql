-- Public images that were completed with their metadata, such as where a photo was taken: before Souk removed them, or while
-- settings.media.keep_metadata was true. The function `media-sweep` puts the same image without metadata in their place.
-- Addresses stay: settings, texts and other programs name them. After a crash, the image is read again, and is clean.

-- functions ------------------------------------------------------------------------------------

create function private.queue_media_cleanings() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.keeps_metadata(old.settings) and not private.keeps_metadata(new.settings) then
    perform private.queue_jobs('media_cleanings', array_agg(a.tenant_id), array_agg(a.id))
    from public.media_assets a
    where a.tenant_id = new.id and private.has_metadata(a.type, a.status, a.private, a.cleaned);
  end if;
  return null;
end
$$;
comment on function private.queue_media_cleanings() is
  'Row trigger: when a tenant no longer keeps metadata, its public images are to be cleaned.';

create function private.take_media_cleanings(batch integer)
returns table (asset_id uuid, lease uuid, content_type text, path text)
language plpgsql security definer set search_path = ''
as $$
declare
  held private.jobs[] := array(select j from private.hold_due_jobs('{media_cleanings}', batch) j);
begin
  delete from private.jobs j
  using unnest(held) h
  join public.media_assets a on a.tenant_id = h.tenant_id and a.id = h.subject_id
  join public.tenants t on t.id = h.tenant_id
  where j.queue = h.queue and j.subject_id = h.subject_id
    and (not private.has_metadata(a.type, a.status, a.private, a.cleaned) or private.keeps_metadata(t.settings));
  lease := private.lease_jobs(held);
  return query
    select a.id, j.lease, a.content_type, a.path
    from unnest(held) h
    join private.jobs j on j.queue = h.queue and j.subject_id = h.subject_id
    join public.media_assets a on a.tenant_id = h.tenant_id and a.id = h.subject_id;
end
$$;
comment on function private.take_media_cleanings is 'As public.take_media_cleanings.';

create function public.take_media_cleanings(batch integer)
returns table (asset_id uuid, lease uuid, content_type text, path text)
language plpgsql set search_path = ''
as $$
begin
  return query select t.asset_id, t.lease, t.content_type, t.path from private.take_media_cleanings(batch) t;
end
$$;
comment on function public.take_media_cleanings is
  'For the function media-sweep: leases images whose metadata is to be removed, and drops those that are to keep it. Returns their paths in the bucket media.';

create function public.finish_media_cleaning(
  asset_id uuid, path text, size bigint, resizable boolean, width integer default null, height integer default null
) returns boolean
language plpgsql set search_path = ''
as $$
declare
  is_same boolean;
begin
  -- The asset before the row that refers to it, as when it is deleted: the other order could deadlock.
  update public.media_assets a
  set size = finish_media_cleaning.size, cleaned = true,
      -- A WebP loses its rotation. What Storage cannot decode stays as it is.
      resizable = finish_media_cleaning.resizable and (a.resizable or a.content_type = 'image/webp'),
      width = coalesce(finish_media_cleaning.width, a.width), height = coalesce(finish_media_cleaning.height, a.height)
  where a.id = finish_media_cleaning.asset_id and a.bucket = 'media' and a.path = finish_media_cleaning.path;
  is_same := found;
  perform private.end_job('media_cleanings', finish_media_cleaning.asset_id);
  return is_same;
end
$$;
comment on function public.finish_media_cleaning is
  'For the function media-sweep: records that the bytes of an image have no metadata any more. Returns false if it has another file since.';

create function public.fail_media_cleaning(asset_id uuid, lease uuid, error text) returns void
language sql set search_path = ''
as $$
  select private.fail_job(private.leased_job('media_cleanings', asset_id, lease), error)
$$;
comment on function public.fail_media_cleaning is
  'For the function media-sweep: records why an image was not cleaned. The wait for the next attempt doubles with each.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_queue_media_cleanings
  after update of settings on public.tenants
  for each row when (new.settings is distinct from old.settings)
  execute function private.queue_media_cleanings();

create trigger media_assets_delete_jobs
  after delete on public.media_assets
  referencing old table as deleted
  for each statement execute function private.delete_jobs('media_cleanings');

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.take_media_cleanings, private.leased_job, private.fail_job, private.end_job to service_role;
grant execute on function private.keeps_metadata to service_role;
grant execute on function public.take_media_cleanings, public.finish_media_cleaning, public.fail_media_cleaning to service_role;
