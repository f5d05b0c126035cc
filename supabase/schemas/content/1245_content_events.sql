-- The events of content: created, status_changed, published, deleted.

-- functions ------------------------------------------------------------------------------------

create function private.content_event_data(content public.content) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('content', jsonb_build_object(
    'id', content.id, 'tenant_id', content.tenant_id, 'marketplace_id', content.marketplace_id, 'type', content.type,
    'slug', content.slug, 'subject_id', coalesce(content.product_id, content.category_id), 'title', content.title,
    'status', content.status, 'author_id', content.author_id, 'version_number', content.version_number,
    'published_version_number', content.published_version_number, 'created_at', content.created_at,
    'updated_at', content.updated_at
  ))
$$;
comment on function private.content_event_data is 'The data of an event about content, without its texts.';

create function private.emit_content_event() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  content public.content := case when tg_op = 'DELETE' then old else new end;
  data jsonb := private.content_event_data(content);
begin
  if tg_op = 'DELETE' and not private.is_tenant_kept(content.tenant_id) then
    -- No events while the tenant itself is deleted.
    return null;
  end if;
  if tg_op = 'UPDATE' and old.status <> new.status then
    perform private.emit(
      content.tenant_id, 'content.status_changed', data,
      jsonb_build_object('content_id', content.id, 'old_status', old.status, 'new_status', new.status),
      content.marketplace_id, content.status::text
    );
  end if;
  if tg_op <> 'UPDATE' or old.deleted_at is null and new.deleted_at is not null then
    perform private.emit(
      content.tenant_id, case when tg_op = 'INSERT' then 'content.created' else 'content.deleted' end, data,
      marketplace_id => content.marketplace_id, status => content.status::text
    );
  end if;
  return null;
end
$$;
comment on function private.emit_content_event() is 'Row trigger: emits content.created, content.status_changed and content.deleted.';

create function private.emit_content_published() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  content public.content := (select c from public.content c where c.id = new.content_id);
begin
  perform private.emit(
    new.tenant_id, 'content.published', private.content_event_data(content),
    marketplace_id => new.marketplace_id, status => content.status::text
  );
  return null;
end
$$;
comment on function private.emit_content_published() is 'Row trigger at commit: emits content.published.';

-- triggers -------------------------------------------------------------------------------------

create trigger content_emit_created
  after insert on public.content
  for each row execute function private.emit_content_event();

create trigger content_emit_changes
  after update of status, deleted_at on public.content
  for each row when (old.status <> new.status or old.deleted_at is distinct from new.deleted_at)
  execute function private.emit_content_event();

create trigger content_emit_deleted
  after delete on public.content
  for each row execute function private.emit_content_event();

create constraint trigger published_content_emit_published
  after insert on public.published_content
  deferrable initially deferred
  for each row execute function private.emit_content_published();

-- published_at is the time of the transaction, so several languages published together emit one event.
create constraint trigger published_content_emit_published_again
  after update of published_at on public.published_content
  deferrable initially deferred
  for each row when (old.published_at <> new.published_at)
  execute function private.emit_content_published();
