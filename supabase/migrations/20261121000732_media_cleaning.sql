-- Public images that were completed with their metadata, such as where a photo was taken: before Souk removed them, or while
-- settings.media.keep_metadata was true. The function `media-sweep` puts the same image without metadata in their place.
-- Addresses stay: settings, texts and other programs name them. After a crash, the image is read again, and is clean.

-- tables ---------------------------------------------------------------------------------------

create table private.media_cleanings (
  asset_id uuid primary key,
  tenant_id uuid not null,
  due_at timestamptz not null,
  attempts integer not null default 1,
  constraint media_cleanings_asset_id_fkey foreign key (tenant_id, asset_id)
    references public.media_assets (tenant_id, id) on delete cascade
);
comment on table private.media_cleanings is
  'The images that a worker is cleaning. due_at: when an attempt that has not ended is repeated.';

create index media_cleanings_asset_idx on private.media_cleanings (tenant_id, asset_id);

-- functions ------------------------------------------------------------------------------------

create function private.images_with_metadata(most integer) returns setof public.media_assets
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  select image.*
  from public.tenants t
  cross join lateral (
    select a.*
    from public.media_assets a
    left join private.media_cleanings c on c.tenant_id = a.tenant_id and c.asset_id = a.id
    where a.tenant_id = t.id and a.type = 'image' and a.status = 'ready' and not a.private and not a.cleaned
      and (c.due_at <= clock_timestamp()) is not false
    limit most
  ) as image
  where not private.keeps_metadata(t.settings)
  limit most;
end
$$;
comment on function private.images_with_metadata is
  'Public images whose metadata is to be removed, and that no worker is cleaning.';

create function public.take_media_cleanings(batch integer)
returns table (asset_id uuid, content_type text, path text)
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with due as (
    select i.id, i.tenant_id, i.content_type, i.path
    from private.images_with_metadata(batch) i
  ),
  leased as (
    insert into private.media_cleanings as c (asset_id, tenant_id, due_at)
    select d.id, d.tenant_id, clock_timestamp() + interval '5 minutes'
    from due d
    -- After each attempt that failed, the next one is twice as far away.
    on conflict on constraint media_cleanings_pkey do update
    set due_at = clock_timestamp() + interval '5 minutes' * 2 ^ least(c.attempts, 8), attempts = c.attempts + 1
    where c.due_at <= clock_timestamp()
    returning c.asset_id
  )
  select d.id, d.content_type, d.path
  from due d
  join leased l on l.asset_id = d.id;
end
$$;
comment on function public.take_media_cleanings is
  'For the function media-sweep: leases images whose metadata is to be removed, for five minutes. Returns their paths in the bucket media.';

create function public.finish_media_cleaning(
  asset_id uuid, path text, size bigint, resizable boolean, width integer default null, height integer default null
) returns boolean
language plpgsql set search_path = ''
as $$
begin
  delete from private.media_cleanings c where c.asset_id = finish_media_cleaning.asset_id;
  update public.media_assets a
  set size = finish_media_cleaning.size, cleaned = true,
      -- A WebP loses its rotation. What Storage cannot decode stays as it is.
      resizable = finish_media_cleaning.resizable and (a.resizable or a.content_type = 'image/webp'),
      width = coalesce(finish_media_cleaning.width, a.width), height = coalesce(finish_media_cleaning.height, a.height)
  where a.id = finish_media_cleaning.asset_id and a.bucket = 'media' and a.path = finish_media_cleaning.path;
  return found;
end
$$;
comment on function public.finish_media_cleaning is
  'For the function media-sweep: records that the bytes of an image have no metadata any more. Returns false if it has another file since.';

create function private.clean_media() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from private.images_with_metadata(1)) then
    perform private.wake('media-sweep');
  end if;
end
$$;
comment on function private.clean_media() is 'Wakes the worker while public images have metadata that is to be removed.';

-- policies and grants --------------------------------------------------------------------------

alter table private.media_cleanings enable row level security;
grant select, insert, update, delete on private.media_cleanings to service_role;
grant execute on function private.images_with_metadata to service_role;
grant execute on function public.take_media_cleanings, public.finish_media_cleaning to service_role;

-- jobs -----------------------------------------------------------------------------------------

select private.schedule_job('clean-media', 'select private.clean_media()', every => '1 minute', queue => 'workers');
