-- The images of a product: addresses of other sites, or assets of the media library. Triggers copy the address and
-- dimensions of an asset into the products that show it, so that a list of products reads no other table.

-- functions ------------------------------------------------------------------------------------

create function private.shows_assets(images jsonb) returns boolean
language sql immutable
return images @? '$[*].asset_id';
comment on function private.shows_assets is 'Whether some of these images are assets of the media library.';

create function private.check_images(images jsonb) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  faults jsonb;
begin
  if jsonb_typeof(images) is distinct from 'array' or jsonb_array_length(images) > 100 then
    perform private.refuse('VALIDATION_ERROR', 'images must be a list of at most 100.', 'images', images);
  end if;

  select coalesce(jsonb_agg(
    private.fault(fault.message, format('images[%s].%s', sent.position - 1, fault.field), sent.value -> fault.field)
    order by sent.position
  ), '[]')
  into faults
  from jsonb_array_elements(images) with ordinality as sent (value, position)
  cross join lateral (
    select f.field, f.message
    from (values
      (1, not private.is_uuid(sent.value ->> 'asset_id'), 'asset_id', 'asset_id must be a UUID.'),
      (2, sent.value ->> 'asset_id' is null and (
            jsonb_typeof(sent.value -> 'url') is distinct from 'string'
            or sent.value ->> 'url' !~* '^https?://[^[:space:]/]' or char_length(sent.value ->> 'url') > 2000
          ),
        'url', 'An image must have a url (http or https, at most 2000 characters) or an asset_id.'),
      (3, coalesce(jsonb_typeof(sent.value -> 'alt') not in ('string', 'null'), false)
          or char_length(sent.value ->> 'alt') > 500,
        'alt', 'alt must have at most 500 characters.')
    ) as f (rank, applies, field, message)
    where f.applies
    order by f.rank
    limit 1
  ) as fault;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_images is 'Refuses with VALIDATION_ERROR a list that is not one of images.';

create function private.shown_asset(
  tenant_id uuid, supplier_id uuid, asset_id uuid, field text, held boolean
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets;
  variants jsonb;
begin
  if held then
    -- The lock lasts until the product is written: a request that replaces the asset then finds this product.
    perform 1
    from public.media_assets a
    where a.tenant_id = shown_asset.tenant_id and a.id = shown_asset.asset_id
    for share;
  end if;
  select * into asset
  from public.media_assets a
  where a.tenant_id = shown_asset.tenant_id and a.id = shown_asset.asset_id;
  if asset.type is distinct from 'image' or asset.status <> 'ready' or asset.private then
    perform private.refuse(
      case when asset.id is null then 'NOT_FOUND' else 'VALIDATION_ERROR' end,
      case when asset.id is null then 'There is no such asset.' else 'The image must be public and complete.' end,
      field, to_jsonb(asset_id)
    );
  elsif not private.may_show(supplier_id, asset) then
    perform private.refuse(
      'VALIDATION_ERROR',
      'The image belongs to another supplier. Use an image of the supplier of the product, or of the operator.',
      field, to_jsonb(asset_id)
    );
  end if;
  variants := private.media_variants(asset);
  return jsonb_build_object(
    'asset_id', asset.id, 'url', private.media_url(asset), 'alt', asset.alt_text, 'width', asset.width,
    'height', asset.height, 'srcset', private.srcset_of(variants)
  );
end
$$;
comment on function private.shown_asset is
  'An asset as a product shows it. held: whether to lock it. Refuses on the named field an asset that is missing (NOT_FOUND), not a ready public image, or of another supplier (VALIDATION_ERROR).';

create function private.checked_images(tenant_id uuid, supplier_id uuid, images jsonb, known jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  if images = '[]' then
    return images;
  end if;
  perform private.check_images(images);
  return (
    select jsonb_agg(
      case
        when sent.value ->> 'asset_id' is null then
          jsonb_build_object('url', sent.value ->> 'url', 'alt', coalesce(sent.value ->> 'alt', ''))
        else
          private.shown_asset(
            checked_images.tenant_id, checked_images.supplier_id, (sent.value ->> 'asset_id')::uuid, format('images[%s].asset_id', sent.position - 1),
            -- An image that the product already shows is not locked: a request that changes it holds its lock and waits for the
            -- product, which would be a deadlock.
            not known @> jsonb_build_array(jsonb_build_object('asset_id', sent.value -> 'asset_id'))
          )
          || case when sent.value ->> 'alt' is null then '{}' else jsonb_build_object('alt', sent.value ->> 'alt') end
      end
      order by sent.position
    )
    from jsonb_array_elements(images) with ordinality as sent (value, position)
  );
end
$$;
comment on function private.checked_images is
  'Images as they are stored: url and alt; for assets also asset_id, width, height and srcset, and the asset''s alternative text unless another was sent. known: the images that the product shows already. Refuses as check_images and shown_asset do.';

create function private.sent_images(images jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  if not private.shows_assets(images) then
    return images;
  end if;
  return (
    select jsonb_agg(
      case when i.value ? 'asset_id'
        then jsonb_build_object('asset_id', i.value -> 'asset_id', 'alt', i.value -> 'alt')
        else i.value
      end
      order by i.position
    )
    from jsonb_array_elements(images) with ordinality as i (value, position)
  );
end
$$;
comment on function private.sent_images is 'Images as a seller sends them, without the fields that come from an asset.';

create function private.record_shown_assets() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  shown uuid[] := case
    when tg_op <> 'DELETE' and new.status <> 'discontinued' then
      array(select distinct (i ->> 'asset_id')::uuid from jsonb_path_query(new.images, '$[*] ? (exists (@.asset_id))') as i)
    else '{}'
  end;
  most bigint := private.cap('products_per_image');
begin
  delete from private.media_uses u
  where u.tenant_id = old.tenant_id and u.type = 'product' and u.id = old.id and u.asset_id <> all (shown);
  insert into private.media_uses (tenant_id, asset_id, type, id)
  select new.tenant_id, s.asset_id, 'product', new.id
  from unnest(shown) as s (asset_id)
  order by s.asset_id
  on conflict on constraint media_uses_pkey do nothing;
  -- A change of an image writes all products that show it.
  if exists (
    select from unnest(shown) as s (asset_id)
    where (
      select count(*) > most
      from (
        select from private.media_uses u
        where u.tenant_id = new.tenant_id and u.asset_id = s.asset_id and u.type = 'product'
        limit most + 1
      ) as uses
    )
  ) then
    perform private.refuse_beyond(
      'products_per_image', format('At most %s products may show the same image.', most), 'images'
    );
  end if;
  return null;
end
$$;
comment on function private.record_shown_assets() is
  'Row trigger: keeps the rows of media_uses of a product. A discontinued product uses no asset.';

create function private.refresh_shown_asset() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Locked in the order of ids: another image of the same products may change in parallel.
  perform 1
  from public.products p
  join private.media_uses u on u.id = p.id
  where u.tenant_id = new.tenant_id and u.asset_id = new.id and u.type = 'product'
  order by p.id
  for no key update of p;
  -- The trigger of products adds the fields that are left out here.
  update public.products p
  set images = (
    select jsonb_agg(
      case
        when i.value ->> 'asset_id' <> new.id::text or not i.value ? 'asset_id' then i.value
        when i.value ->> 'alt' = old.alt_text then jsonb_build_object('asset_id', new.id)
        else jsonb_build_object('asset_id', new.id, 'alt', i.value -> 'alt')
      end
      order by i.position
    )
    from jsonb_array_elements(p.images) with ordinality as i (value, position)
  )
  where p.tenant_id = new.tenant_id
    and p.id = any (
      array(
        select u.id from private.media_uses u
        where u.tenant_id = new.tenant_id and u.asset_id = new.id and u.type = 'product'
      )
    );
  return null;
end
$$;
comment on function private.refresh_shown_asset() is
  'Row trigger: updates the products that show an asset. They keep an alternative text of their own.';

create function private.refresh_shown_assets() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.products p
  set images = private.sent_images(p.images)
  where p.id in (select u.id from private.media_uses u where u.type = 'product');
  return null;
end
$$;
comment on function private.refresh_shown_assets() is
  'Statement trigger: updates all products that show assets, because Storage has another address, or smaller versions of images were switched on or off.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_note_shown_assets_when_listed
  after insert on public.products
  for each row when (private.shows_assets(new.images))
  execute function private.record_shown_assets();

create trigger products_note_shown_assets_when_changed
  after update of images, status on public.products
  for each row when (
    (old.images is distinct from new.images or old.status <> new.status)
    and (private.shows_assets(old.images) or private.shows_assets(new.images))
  )
  execute function private.record_shown_assets();

create trigger products_forget_shown_assets
  after delete on public.products
  for each row when (private.shows_assets(old.images))
  execute function private.record_shown_assets();

create trigger media_assets_refresh_products
  after update on public.media_assets
  for each row when (
    old.path is not null
    and (
      old.path <> new.path or old.alt_text <> new.alt_text or old.width is distinct from new.width or old.height is distinct from new.height
      or old.resizable <> new.resizable
    )
  )
  execute function private.refresh_shown_asset();

create trigger media_settings_refresh_products
  after update of transformations, address on private.media_settings
  for each statement execute function private.refresh_shown_assets();

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.shows_assets, private.sent_images to authenticated, service_role;
