-- Deletion of media: bytes that nothing points at, and uploads that were never completed. The function `media-sweep`
-- deletes them through Storage's API, because Storage's tables must not be changed directly.

-- functions ------------------------------------------------------------------------------------

create function private.wake_media_sweep() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from added a where a.due_at <= now()) then
    perform private.wake('media-sweep');
  end if;
  return null;
end
$$;
comment on function private.wake_media_sweep() is 'Statement trigger: wakes the worker for paths that are due.';

create function private.names_below(bucket text, path text) returns text[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(
    select o.name
    from storage.objects o
    where o.bucket_id = names_below.bucket
      and o.name collate "C" >= names_below.path and o.name collate "C" < names_below.path || '~'
      and (o.name = names_below.path or names_below.path like '%.')
      -- A last check: bytes that an asset or an upload points at stay.
      and not exists (select from public.media_assets a where a.bucket = o.bucket_id and a.path = o.name)
      and not exists (select from private.media_uploads u where o.bucket_id = 'uploads' and u.path = o.name)
    limit 10
  );
end
$$;
comment on function private.names_below is 'The names in Storage of a path in media_sweeps, at most 10.';

create function public.take_media_sweeps(done jsonb, batch integer)
returns table (id bigint, tenant_id uuid, leased_until timestamptz, bucket text, names text[])
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  delete from private.media_sweeps s
  using jsonb_to_recordset(done) as d (id bigint, tenant_id uuid, leased_until timestamptz)
  where s.tenant_id = d.tenant_id and s.id = d.id and s.leased_until = d.leased_until
    -- A path may stand for more names than one batch deletes.
    and private.names_below(s.bucket, s.path) = '{}';
  return query
  with due as (
    select s.tenant_id, s.id
    from private.media_sweeps s
    where s.due_at <= clock_timestamp() and (s.leased_until < clock_timestamp()) is not false
    order by s.due_at
    limit batch
    for update skip locked
  )
  update private.media_sweeps s
  set leased_until = clock_timestamp() + interval '2 minutes'
  from due
  where s.tenant_id = due.tenant_id and s.id = due.id
  returning s.id, s.tenant_id, s.leased_until, s.bucket, private.names_below(s.bucket, s.path);
end
$$;
comment on function public.take_media_sweeps is
  'For the function media-sweep: removes the reported paths that are empty now, and leases due paths for two minutes. Returns for each the names to delete, which may be none.';

create function private.sweep_media() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.media_assets a
  using private.media_uploads u
  where u.created_at < now() - interval '1 day' and a.tenant_id = u.tenant_id and a.id = u.asset_id
    and a.status = 'uploading';
  delete from private.media_uploads u where u.created_at < now() - interval '1 day';

  -- Objects that were uploaded and never registered.
  insert into private.media_sweeps (tenant_id, bucket, path)
  select case when o.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' then left(o.name, 36)::uuid else gen_random_uuid() end,
    'uploads', o.name
  from storage.objects o
  where o.bucket_id = 'uploads' and o.created_at < now() - interval '26 hours'
    and not exists (select from private.media_uploads u where u.path = o.name)
  limit 1000
  on conflict on constraint path_is_unique_in_media_sweeps do nothing;

  if exists (
    select from private.media_sweeps s where s.due_at <= now() and (s.leased_until < now()) is not false
  ) then
    perform private.wake('media-sweep');
  end if;
end
$$;
comment on function private.sweep_media() is
  'Deletes uploads that were announced a day ago and not completed, and wakes the worker while paths are due.';

-- triggers -------------------------------------------------------------------------------------

create trigger media_sweeps_wake_the_worker
  after insert on private.media_sweeps
  referencing new table as added
  for each statement execute function private.wake_media_sweep();

-- grants ---------------------------------------------------------------------------------------

grant delete on private.media_sweeps to service_role;
grant execute on function private.names_below to service_role;
grant execute on function public.take_media_sweeps to service_role;
