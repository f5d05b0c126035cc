-- Public images that were completed with their metadata, such as where a photo was taken: before Souk removed them, or while
-- settings.media.keep_metadata was true. The function `media-sweep` puts the same image without metadata in their place.
-- Addresses stay: settings, texts and other programs name them. After a crash, the image is read again, and is clean.

-- tables ---------------------------------------------------------------------------------------

create table private.media_cleanings (
  asset_id uuid not null,
  tenant_id uuid not null,
  due_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  -- In this order for lookups by asset alone.
  constraint media_cleanings_pkey primary key (asset_id, tenant_id),
  constraint media_cleanings_asset_id_fkey foreign key (tenant_id, asset_id)
    references public.media_assets (tenant_id, id) on delete cascade
);
comment on table private.media_cleanings is
  'The public images whose metadata is to be removed. due_at: when the next attempt is made.';

create index media_cleanings_due_at_idx on private.media_cleanings (due_at);

-- functions ------------------------------------------------------------------------------------

create function private.queue_media_cleanings() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.keeps_metadata(old.settings) and not private.keeps_metadata(new.settings) then
    insert into private.media_cleanings (asset_id, tenant_id)
    select a.id, a.tenant_id
    from public.media_assets a
    where a.tenant_id = new.id and private.has_metadata(a.type, a.status, a.private, a.cleaned)
    on conflict on constraint media_cleanings_pkey do nothing;
  end if;
  return null;
end
$$;
comment on function private.queue_media_cleanings() is
  'Row trigger: when a tenant no longer keeps metadata, its public images are to be cleaned.';

create function public.take_media_cleanings(batch integer)
returns table (asset_id uuid, content_type text, path text)
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with due as (
    select c.asset_id
    from private.media_cleanings c
    where c.due_at <= clock_timestamp()
    order by c.due_at
    limit batch
    for update skip locked
  ),
  image as materialized (
    select
      a.id, a.content_type, a.path,
      private.has_metadata(a.type, a.status, a.private, a.cleaned) and not private.keeps_metadata(t.settings) as is_wanted
    from due d
    join public.media_assets a on a.id = d.asset_id
    join public.tenants t on t.id = a.tenant_id
  ),
  dropped as (
    delete from private.media_cleanings c using image i where c.asset_id = i.id and not i.is_wanted
  ),
  leased as (
    -- After each attempt that failed, the next one is twice as far away.
    update private.media_cleanings c
    set due_at = clock_timestamp() + interval '5 minutes' * 2 ^ least(c.attempts, 8), attempts = c.attempts + 1
    from image i
    where c.asset_id = i.id and i.is_wanted
    returning c.asset_id
  )
  select i.id, i.content_type, i.path
  from image i
  join leased l on l.asset_id = i.id;
end
$$;
comment on function public.take_media_cleanings is
  'For the function media-sweep: leases images whose metadata is to be removed, for five minutes, and drops those that are to keep it. Returns their paths in the bucket media.';

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
  delete from private.media_cleanings c where c.asset_id = finish_media_cleaning.asset_id;
  return is_same;
end
$$;
comment on function public.finish_media_cleaning is
  'For the function media-sweep: records that the bytes of an image have no metadata any more. Returns false if it has another file since.';

create function private.clean_media() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from private.media_cleanings c where c.due_at <= clock_timestamp()) then
    perform private.wake('media-sweep');
  end if;
end
$$;
comment on function private.clean_media() is 'Wakes the worker while public images have metadata that is to be removed.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_queue_media_cleanings
  after update of settings on public.tenants
  for each row when (new.settings is distinct from old.settings)
  execute function private.queue_media_cleanings();

-- policies and grants --------------------------------------------------------------------------

alter table private.media_cleanings enable row level security;
grant select, insert, update, delete on private.media_cleanings to service_role;
grant execute on function private.keeps_metadata to service_role;
grant execute on function public.take_media_cleanings, public.finish_media_cleaning to service_role;
