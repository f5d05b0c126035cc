-- Media as the API returns them: addresses, smaller versions of images, and the records that use them.

-- functions ------------------------------------------------------------------------------------

create function private.url_encoded(words text) returns text
language sql immutable
return regexp_replace(encode(convert_to(words, 'utf8'), 'hex'), '(..)', '%\1', 'g');
comment on function private.url_encoded is 'A text, percent-encoded for a URL: each byte as %XX.';

create function private.storage_address() returns text
language sql stable security definer set search_path = ''
as $$
  select s.address from private.media_settings s
$$;
comment on function private.storage_address is 'Where browsers reach the project''s Storage.';

create function private.media_url(asset public.media_assets) returns text
language sql stable
return case
  when asset.private or asset.path is null then null
  -- Storage sends no `nosniff` header. So a browser saves files that are not images instead of showing them.
  else format('%s/object/public/%s/%s', private.storage_address(), asset.bucket, asset.path)
    || case when asset.type <> 'image' then '?download=' || private.url_encoded(asset.filename) else '' end
end;
comment on function private.media_url is 'The public address of an asset; null for a private one.';

create function private.media_variants(asset public.media_assets) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if asset.width is null or asset.path is null or not asset.resizable or not (select s.transformations from private.media_settings s) then
    return jsonb '[]';
  end if;
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'width', v.width, 'height', v.height, 'format', 'webp',
          'url', case when not asset.private then
            format(
              '%s/render/image/public/%s/%s?width=%s&height=%s',
              private.storage_address(), asset.bucket, asset.path, v.width, v.height
            )
          end
        )
        order by v.width
      ),
      '[]'
    )
    from (
      select w.width, greatest(1, round(asset.height::numeric * w.width / asset.width))::integer as height
      from unnest(array[320, 640, 1280, 1920]) as w (width)
      -- 2500 pixels is Storage's limit for a side.
      where w.width <= asset.width and asset.height::numeric * w.width / asset.width <= 2500
    ) as v
  );
end
$$;
comment on function private.media_variants is
  'The smaller versions of an image, never wider than the original. Storage makes WebP for clients that accept it. Empty for images that move, and where the project has no transformations. url: null for a private asset.';

create function private.srcset_of(variants jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select string_agg(format('%s %sw', v ->> 'url', v ->> 'width'), ', ' order by (v ->> 'width')::integer)
    from jsonb_array_elements(variants) as v
    where v ->> 'url' is not null
  );
end
$$;
comment on function private.srcset_of is 'The variants of an image as HTML''s srcset takes them; null without variants.';

create function private.media_record(asset public.media_assets) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  variants jsonb := private.media_variants(asset);
begin
  return jsonb_build_object(
    'id', asset.id, 'tenant_id', asset.tenant_id, 'uploaded_by', asset.uploaded_by, 'supplier_id', asset.supplier_id,
    'filename', asset.filename, 'type', asset.type, 'content_type', asset.content_type, 'size', asset.size,
    'dimensions', case when asset.width is not null then
      jsonb_build_object('width', asset.width, 'height', asset.height)
    end,
    'alt_text', asset.alt_text, 'alt_texts', asset.alt_texts, 'focal_point', asset.focal_point, 'tags', asset.tags,
    'folder_id', asset.folder_id, 'private', asset.private, 'status', asset.status,
    'url', private.media_url(asset), 'variants', variants, 'srcset', private.srcset_of(variants),
    'bucket', asset.bucket, 'path', asset.path,
    -- Other callers may not see the records that use it.
    'used_by', case when private.changes_media(asset) then private.media_uses_of(asset) else '[]' end,
    'upload_date', asset.upload_date, 'updated_at', asset.updated_at
  );
end
$$;
comment on function private.media_record is
  'The whole record of an asset. The addresses of a private one are null: the function api signs them.';

create function public.get_media(asset_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.media_record(private.seen_media(asset_id));
end
$$;
comment on function public.get_media is 'The whole record of an asset. Refuses with NOT_FOUND.';

create function private.list_media(
  search text, type public.media_type, tag text, folder_id uuid, unused boolean, "order" text, page integer, "limit" integer
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  condition text := 'a.tenant_id = $1'
    || case when private.reads_private_media() then '' else
         ' and (not a.private and a.status = ''ready'' or a.uploaded_by = $2 or not a.private and a.supplier_id = $3)'
       end
    || case when search is null then '' else
         ' and private.media_words(a.filename, a.alt_text, a.tags) like $4'
       end
    || case when type is null then '' else ' and a.type = $5' end
    || case when tag is null then '' else ' and a.tags @> array[$6]' end
    || case when folder_id is null then '' else ' and a.folder_id = $7' end
    || case when unused is null then '' else
         case when unused then ' and not' else ' and' end
         || ' exists (select from private.media_uses u where u.tenant_id = a.tenant_id and u.asset_id = a.id)'
       end;
  answer jsonb;
begin
  execute $query$
    with shown as materialized (
      select a.id, a.upload_date
      from public.media_assets a
      where $query$ || condition || $query$
      order by a.upload_date $query$ || direction || $query$, a.id
      offset $8 limit $9
    )
    select jsonb_build_object(
      'media', (
        select coalesce(
          jsonb_agg(private.media_record(a) order by a.upload_date $query$ || direction || $query$, a.id), '[]'
        )
        from shown s
        join public.media_assets a on a.id = s.id
      ),
      'total', (select count(*) from public.media_assets a where $query$ || condition || $query$)
    )
  $query$
  into answer
  using
    private.tenant_id(), auth.uid(), private.supplier_id(),
    '%' || regexp_replace(lower(search), '([\\%_])', '\\\1', 'g') || '%', type, tag, folder_id,
    (greatest(page, 1)::bigint - 1) * size, size;
  return answer;
end
$$;
comment on function private.list_media is 'As public.list_media.';

create function private.media_words(filename text, alt_text text, tags text[]) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return lower(filename || ' ' || alt_text || ' ' || array_to_string(tags, ' '));
end
$$;
comment on function private.media_words is 'The text that a search looks in: name, alternative text and tags, in lower case.';

create index media_assets_words_idx on public.media_assets
  using gin (private.media_words(filename, alt_text, tags) extensions.gin_trgm_ops);

create function public.list_media(
  search text default null,
  type public.media_type default null,
  tag text default null,
  folder_id uuid default null,
  unused boolean default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return private.list_media(
    private.searched(search), type, private.nfc(tag), folder_id, unused, "order", page, "limit"
  );
end
$$;
comment on function public.list_media is
  'A page of the media that the caller sees, the newest first by default. search: a part of name, alternative text or tags. unused: only assets that no record uses, or only used ones.';

create function public.update_media_asset(asset_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  was public.media_assets := private.changed_media(update_media_asset.asset_id);
  changed public.media_assets;
begin
  perform private.known_only(changes, array['alt_text', 'alt_texts', 'focal_point', 'tags', 'folder_id']);
  changed := jsonb_populate_record(was, changes);
  changed.focal_point := nullif(changed.focal_point, 'null');
  update public.media_assets a
  set alt_text = changed.alt_text, alt_texts = changed.alt_texts, focal_point = changed.focal_point, tags = changed.tags,
      folder_id = changed.folder_id
  where a.id = was.id
  returning * into was;
  return private.media_record(was);
end
$$;
comment on function public.update_media_asset is
  'Changes alt_text, alt_texts, focal_point, tags and folder_id of an asset, and returns its whole record. Fields that are not among the changes stay. Products that show the asset''s alternative text show the new one.';

create function public.delete_media_asset(asset_id uuid) returns void
language plpgsql set search_path = ''
as $$
declare
  asset public.media_assets := private.changed_media(delete_media_asset.asset_id);
begin
  delete from public.media_assets a where a.id = asset.id;
end
$$;
comment on function public.delete_media_asset is
  'Deletes an asset; a worker deletes its bytes. Refuses with CONFLICT while a record uses it; details.used_by names the records.';

create function private.seen_folder(folder_id uuid) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform 1 from public.media_folders f where f.id = folder_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such folder.');
  elsif not private.edits_media() then
    perform private.refuse('FORBIDDEN', 'Only content editors and admins may change folders.');
  end if;
end
$$;
comment on function private.seen_folder is
  'Refuses with NOT_FOUND a folder that the caller does not see, and with FORBIDDEN a caller that may not change it.';

create function public.create_media_folder(name text, parent_id uuid default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  made public.media_folders;
begin
  if not private.edits_media() then
    perform private.refuse('FORBIDDEN', 'Only content editors and admins may create folders.');
  end if;
  insert into public.media_folders (name, parent_id)
  values (create_media_folder.name, create_media_folder.parent_id)
  returning * into made;
  return to_jsonb(made);
end
$$;
comment on function public.create_media_folder is 'Creates a folder of the media library, and returns its whole record.';

create function public.update_media_folder(folder_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.media_folders;
begin
  perform private.known_only(changes, array['name', 'parent_id']);
  perform private.seen_folder(folder_id);
  update public.media_folders f
  set name = case when changes ? 'name' then changes ->> 'name' else f.name end,
      parent_id = case when changes ? 'parent_id' then (changes ->> 'parent_id')::uuid else f.parent_id end
  where f.id = folder_id
  returning * into changed;
  return to_jsonb(changed);
end
$$;
comment on function public.update_media_folder is
  'Renames a folder or moves it into another one, and returns its whole record.';

create function public.delete_media_folder(folder_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.seen_folder(folder_id);
  delete from public.media_folders f where f.id = folder_id;
end
$$;
comment on function public.delete_media_folder is 'Deletes a folder. Refuses with CONFLICT unless it is empty.';

create function private.folders_below(tenant_id uuid, parent_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        to_jsonb(f) || jsonb_build_object('children', private.folders_below(f.tenant_id, f.id)) order by private.sort_name(f.name) collate "C", f.id
      ),
      '[]'
    )
    from public.media_folders f
    where f.tenant_id = folders_below.tenant_id and f.parent_id is not distinct from folders_below.parent_id
  );
end
$$;
comment on function private.folders_below is 'The folders in a folder, each with its children; with a null parent_id those at the top.';

create function public.list_media_folders() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return private.folders_below(private.tenant_id(), null);
end
$$;
comment on function public.list_media_folders is 'All folders of the media library, as a tree.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.url_encoded, private.storage_address, private.media_url, private.media_variants, private.srcset_of, private.media_uses_of,
  private.media_record, private.list_media, private.media_words, private.seen_folder,
  private.folders_below
to authenticated, service_role;
grant execute on function
  public.get_media, public.list_media, public.update_media_asset, public.delete_media_asset,
  public.create_media_folder, public.list_media_folders(), public.update_media_folder, public.delete_media_folder
to authenticated;
