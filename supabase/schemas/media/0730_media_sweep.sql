-- Deletion of media: bytes that nothing points at, and uploads that were never completed. The function `media-sweep`
-- deletes them through Storage's API, because Storage's tables must not be changed directly.

-- functions ------------------------------------------------------------------------------------

create function private.queue_media_sweeps() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.queue_jobs(
    'media_sweeps', array_agg(w.tenant_id), array_agg(w.id), array_agg(w.due_at), is_changed => true
  )
  from written w;
  return null;
end
$$;
comment on function private.queue_media_sweeps() is 'Statement trigger: queues the deletion of paths.';

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
returns table (id uuid, lease uuid, bucket text, names text[])
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  held private.jobs[];
begin
  delete from private.media_sweeps s
  using jsonb_to_recordset(done) as d (id uuid, lease uuid)
  join private.jobs j on j.queue = 'media_sweeps' and j.subject_id = d.id and j.lease = d.lease
  where s.tenant_id = j.tenant_id and s.id = d.id
    -- A path may stand for more names than one batch deletes.
    and private.names_below(s.bucket, s.path) = '{}';
  held := array(select j from private.hold_due_jobs('{media_sweeps}', batch) j);
  lease := private.lease_jobs(held);
  return query
    select s.id, take_media_sweeps.lease, s.bucket, private.names_below(s.bucket, s.path)
    from unnest(held) h
    join private.media_sweeps s on s.tenant_id = h.tenant_id and s.id = h.subject_id;
end
$$;
comment on function public.take_media_sweeps is
  'For the function media-sweep: removes the reported paths that are empty now, and leases due paths. Returns for each the names to delete, which may be none.';

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
end
$$;
comment on function private.sweep_media() is
  'Deletes uploads that were announced a day ago and not completed, and the bytes of those that were never registered.';

-- triggers -------------------------------------------------------------------------------------

create trigger media_sweeps_queue_new
  after insert on private.media_sweeps
  referencing new table as written
  for each statement execute function private.queue_media_sweeps();

create trigger media_sweeps_queue_changed
  after update on private.media_sweeps
  referencing new table as written
  for each statement execute function private.queue_media_sweeps();

create trigger media_sweeps_delete_jobs
  after delete on private.media_sweeps
  referencing old table as deleted
  for each statement execute function private.delete_jobs('media_sweeps');

-- grants ---------------------------------------------------------------------------------------

grant delete on private.media_sweeps to service_role;
grant execute on function private.names_below to service_role;
grant execute on function public.take_media_sweeps to service_role;
