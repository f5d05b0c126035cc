-- Digital goods: the files of a product, and the licence keys that are its stock. They are delivered in the transaction
-- that reports the order as paid.
--
-- A digital product with track_inventory sells licence keys, and its stock is counted from them:
--
--   quantity = keys that were not handed out
--   reserved = open pieces of orders, as for any product
--
-- An order that is paid, or moved by hand to shipped or delivered, gets as many keys as it has pieces. The pieces are
-- shipped and delivered in the same transaction, and leave quantity and reserved. A key that was handed out is never
-- sold again, so returned pieces are not put back into stock. Therefore quantity - reserved is the number of keys that
-- nobody has ordered, and an order that reserved its pieces finds its keys. Every function that adds, removes or hands
-- out keys locks the inventory row that counts them.

-- tables ---------------------------------------------------------------------------------------

create table public.product_files (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id(),
  product_id uuid not null,
  name text not null,
  url text,
  asset_id uuid,
  size_bytes bigint,
  sha256 text,
  created_at timestamptz not null default now(),
  constraint product_files_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  -- Cascades only when the tenant is deleted: check_media_is_unused refuses to delete an asset that is used.
  constraint product_files_asset_id_fkey foreign key (tenant_id, asset_id)
    references public.media_assets (tenant_id, id) on delete cascade,
  constraint product_files_url_is_there_unless_an_asset_id_is check ((url is null) = (asset_id is not null)),
  constraint product_files_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint product_files_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint product_files_url_is_an_https_address
    check (char_length(url) <= 2000 and url ~ '^https://[^\s/?#]+[^\s]*$'),
  -- 2^53 - 1, the largest integer that all JSON parsers read exactly.
  constraint product_files_size_bytes_is_between_0_and_9007199254740991
    check (size_bytes between 0 and 9007199254740991),
  constraint product_files_sha256_is_64_lower_case_hexadecimal_digits check (sha256 ~ '^[0-9a-f]{64}$')
);
comment on table public.product_files is
  'The files that buyers of a digital product download: an address, or a private asset of the media library. Customers get them from order_downloads only.';

create table public.licence_keys (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  variant_id uuid,
  masked_code text not null,
  order_id uuid,
  order_item_id uuid,
  in_stock boolean not null default true,
  handed_out_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint licence_keys_tenant_id_product_id_id_key unique (tenant_id, product_id, id),
  constraint licence_keys_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint licence_keys_variant_id_fkey foreign key (tenant_id, product_id, variant_id)
    references public.product_variants (tenant_id, product_id, id) on delete cascade,
  constraint licence_keys_order_item_id_fkey foreign key (tenant_id, order_id, order_item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint licence_keys_order_id_is_set_with_the_item check ((order_id is null) = (order_item_id is null)),
  constraint licence_keys_in_stock_is_true_until_it_is_handed_out check (in_stock or order_item_id is not null),
  constraint licence_keys_handed_out_at_is_set_with_the_item check ((handed_out_at is null) = (order_item_id is null)),
  constraint licence_keys_revoked_at_is_set_after_the_item check (revoked_at is null or order_item_id is not null)
);
comment on table public.licence_keys is
  'The licence keys of a product: available, handed out to an item of an order, or revoked. The codes are in private.licence_codes.';
alter table public.licence_keys replica identity using index licence_keys_tenant_id_product_id_id_key;

create table private.licence_codes (
  tenant_id uuid not null,
  product_id uuid not null,
  licence_key_id uuid not null,
  code text not null,
  constraint licence_codes_pkey primary key (tenant_id, product_id, licence_key_id),
  constraint licence_codes_licence_key_id_fkey foreign key (tenant_id, product_id, licence_key_id)
    references public.licence_keys (tenant_id, product_id, id) on delete cascade,
  constraint code_is_unique_in_licence_codes unique (product_id, code)
);
comment on table private.licence_codes is
  'The code of each licence key. Only add_licence_keys writes it, and only order_downloads reads it.';

-- indexes --------------------------------------------------------------------------------------

create unique index product_files_product_idx on public.product_files (tenant_id, product_id, created_at, id);
alter table public.product_files replica identity using index product_files_product_idx;
create index product_files_asset_idx on public.product_files (tenant_id, asset_id);
create index licence_keys_product_idx on public.licence_keys (tenant_id, product_id, created_at desc, id);
create index licence_keys_variant_idx on public.licence_keys (tenant_id, product_id, variant_id);
create index licence_keys_available_idx on public.licence_keys (tenant_id, product_id, variant_id, created_at, id)
  where order_item_id is null;
create index licence_keys_in_stock_idx on public.licence_keys (tenant_id, product_id, variant_id) where in_stock;
create index licence_keys_order_item_idx on public.licence_keys (tenant_id, order_id, order_item_id);

-- functions ------------------------------------------------------------------------------------

create function private.file_path(file public.product_files) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select a.path from public.media_assets a where a.tenant_id = file.tenant_id and a.id = file.asset_id
  );
end
$$;
comment on function private.file_path is
  'The path of a file''s bytes in the bucket documents; null for a file that is an address.';

create function private.check_file_asset(file public.product_files) returns void
language plpgsql set search_path = ''
as $$
declare
  asset public.media_assets := private.seen_media(file.asset_id);
  seller uuid := (select p.supplier_id from public.products p where p.tenant_id = file.tenant_id and p.id = file.product_id);
begin
  if not asset.private or asset.status <> 'ready' then
    perform private.refuse(
      'VALIDATION_ERROR', 'asset_id must be the id of a private asset that is complete.', 'asset_id', to_jsonb(file.asset_id)
    );
  elsif not private.changes_media(asset) then
    perform private.refuse('FORBIDDEN', 'Only the supplier of an asset, content editors and admins may sell it.');
  elsif not private.may_show(seller, asset) then
    perform private.refuse(
      'VALIDATION_ERROR', 'asset_id must be the id of an asset of the product''s supplier, or of the operator.',
      'asset_id', to_jsonb(file.asset_id)
    );
  end if;
end
$$;
comment on function private.check_file_asset is
  'Refuses an asset that the caller does not see (NOT_FOUND) or may not change (FORBIDDEN), or that is not private and ready, or belongs to another supplier than the product (VALIDATION_ERROR).';

create function private.record_sold_asset() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into private.media_uses (tenant_id, asset_id, type, id) values (new.tenant_id, new.asset_id, 'file', new.id);
  else
    delete from private.media_uses u
    where u.tenant_id = old.tenant_id and u.asset_id = old.asset_id and u.type = 'file' and u.id = old.id;
  end if;
  return null;
end
$$;
comment on function private.record_sold_asset() is 'Row trigger: keeps the row of media_uses of a file that is an asset.';

create function private.check_product_file() returns trigger
language plpgsql set search_path = ''
as $$
declare
  kind public.product_kind := (
    select p.kind from public.products p where p.tenant_id = new.tenant_id and p.id = new.product_id
  );
begin
  if kind is null and tg_op = 'INSERT' then
    perform private.refuse('NOT_FOUND', 'There is no such product.', 'product_id', to_jsonb(new.product_id));
  elsif kind <> 'digital' then
    perform private.refuse(
      'VALIDATION_ERROR', 'Only digital products can have files.', 'product_id', to_jsonb(new.product_id)
    );
  end if;
  if new.asset_id is not null and current_user = 'authenticated' then
    perform private.check_file_asset(new);
  end if;
  return new;
end
$$;
comment on function private.check_product_file() is
  'Row trigger: only digital products have files, and the caller may sell the asset. Refuses: NOT_FOUND, FORBIDDEN, VALIDATION_ERROR.';

create function public.add_product_file(
  product_id uuid, name text, url text default null, size_bytes bigint default null, sha256 text default null,
  asset_id uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  added public.product_files;
begin
  insert into public.product_files (product_id, name, url, size_bytes, sha256, asset_id)
  values (
    add_product_file.product_id, add_product_file.name, add_product_file.url, add_product_file.size_bytes,
    add_product_file.sha256, add_product_file.asset_id
  )
  returning * into added;
  return to_jsonb(added) || jsonb_build_object('path', private.file_path(added));
end
$$;
comment on function public.add_product_file is 'Adds a file to a digital product and returns it.';

create function public.list_product_files(
  product_id uuid, "order" text default 'asc', page integer default 1, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
begin
  perform private.managed_product(product_id, 'digital_goods.read');
  return (
    with found as (
      select
        f.*, private.file_path(f) as path,
        row_number() over (
          order by case "order" when 'desc' then f.created_at end desc, case "order" when 'desc' then null else f.created_at end, f.id
        ) as position
      from public.product_files f
      where f.tenant_id = (select private.tenant_id()) and f.product_id = list_product_files.product_id
    )
    select jsonb_build_object(
      'files', coalesce(
        jsonb_agg(to_jsonb(f) - 'position' order by f.position)
          filter (where f.position > skipped and f.position <= skipped + size),
        '[]'
      ),
      'total', count(*)
    )
    from found f
  );
end
$$;
comment on function public.list_product_files is
  'A page of a product''s files, by the time they were added. For its supplier, admins and clients.';

create function private.sells_licence_keys(product_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select p.kind = 'digital' and p.track_inventory from public.products p where p.id = sells_licence_keys.product_id
  );
end
$$;
comment on function private.sells_licence_keys is 'Whether a product''s stock is its licence keys.';

create function private.protect_licence_key_stock() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  why jsonb;
  leaving integer;
begin
  if not private.sells_licence_keys(new.product_id) then
    return new;
  end if;
  why := nullif(current_setting('souk.stock_change', true), '')::jsonb;
  case why ->> 'reason'
    when 'licence_keys', 'reserve' then
      null;
    when 'ship', 'release' then
      update public.licence_keys k
      set in_stock = false
      where k.tenant_id = new.tenant_id
        and k.order_id = (why ->> 'order_id')::uuid
        and k.product_id = new.product_id
        and k.variant_id is not distinct from new.variant_id
        and k.in_stock;
      get diagnostics leaving = row_count;
      new.quantity := old.quantity - leaving;
    when 'return' then
      new.quantity := old.quantity;
    else
      if new.quantity <> old.quantity then
        perform private.refuse(
          'VALIDATION_ERROR', 'The stock of this product is the number of its licence keys. Add or remove keys instead.',
          'quantity', to_jsonb(new.quantity)
        );
      end if;
  end case;
  return new;
end
$$;
comment on function private.protect_licence_key_stock() is
  'Row trigger: the stock of licence keys cannot be set by hand, and keys that were handed out never come back into stock.';

create function private.check_licence_key_stock() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  counted integer;
  there integer;
begin
  if not coalesce(private.sells_licence_keys(new.product_id), false) then
    return null;
  end if;
  select i.quantity into counted from public.inventory i where i.id = new.id;
  if not found then
    return null;
  end if;
  select count(*) into there
  from public.licence_keys k
  where k.tenant_id = new.tenant_id
    and k.product_id = new.product_id
    and k.variant_id is not distinct from new.variant_id
    and k.in_stock;
  if counted <> there then
    raise exception 'the stock % of % is not its licence keys, which are %', counted, new.product_id, there
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
comment on function private.check_licence_key_stock() is
  'Constraint trigger at commit: the stock of a product with licence keys is the number of keys that were not handed out.';

create function private.count_licence_keys() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.explain_stock_change('licence_keys');
  update public.inventory i
  set quantity = i.quantity + changed.pieces
  from (
    select k.tenant_id, k.product_id, k.variant_id,
      (case tg_op when 'INSERT' then 1 else -1 end * count(*))::integer as pieces
    from changed_keys k
    where k.in_stock
    group by k.tenant_id, k.product_id, k.variant_id
  ) as changed
  where i.tenant_id = changed.tenant_id
    and i.product_id = changed.product_id
    and i.variant_id is not distinct from changed.variant_id;
  return null;
end
$$;
comment on function private.count_licence_keys() is
  'Statement trigger: adds and subtracts stock as keys are added and removed.';

create function private.lock_licence_keys(product_id uuid, variant_id uuid) returns public.inventory
language plpgsql security definer set search_path = ''
as $$
declare
  locked public.inventory;
begin
  select * into locked
  from public.inventory i
  where i.product_id = lock_licence_keys.product_id and i.variant_id is not distinct from lock_licence_keys.variant_id
  for update;
  return locked;
end
$$;
comment on function private.lock_licence_keys is
  'Locks the inventory row that counts the licence keys of a product or of a variant.';

create function private.licence_key_counts(tenant_id uuid, product_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return (
    select jsonb_build_object(
      'available', count(*) filter (where k.order_item_id is null),
      'handed_out', count(*) filter (where k.order_item_id is not null and k.revoked_at is null),
      'revoked', count(*) filter (where k.revoked_at is not null)
    )
    from public.licence_keys k
    where k.tenant_id = licence_key_counts.tenant_id and k.product_id = licence_key_counts.product_id
  );
end
$$;
comment on function private.licence_key_counts is 'How many licence keys of a product there are in each status.';

create function private.add_licence_keys(product_id uuid, codes text[], variant_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  product public.products := private.managed_product(add_licence_keys.product_id, 'digital_goods.write');
  bad integer;
  repeated jsonb;
begin
  perform private.lock_licence_keys(product.id, add_licence_keys.variant_id);
  if not private.sells_licence_keys(product.id) then
    perform private.refuse(
      'VALIDATION_ERROR', 'Only digital products with track_inventory can have licence keys.',
      'product_id', to_jsonb(product.id)
    );
  elsif add_licence_keys.variant_id is not null and not exists (
    select 1
    from public.product_variants v
    where v.tenant_id = product.tenant_id and v.product_id = product.id and v.id = add_licence_keys.variant_id
  ) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such variant.', 'variant_id', to_jsonb(add_licence_keys.variant_id)
    );
  elsif add_licence_keys.variant_id is null and exists (
    select 1 from public.product_variants v where v.tenant_id = product.tenant_id and v.product_id = product.id
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'variant_id is required, because the product has variants.', 'variant_id', 'null'
    );
  elsif coalesce(cardinality(codes), 0) not between 1 and 1000 then
    perform private.refuse('VALIDATION_ERROR', 'codes must have 1 to 1000 entries.', 'codes');
  end if;
  -- Refusals name the position of a code and never the code, which is secret.
  select min(sent.position) into bad
  from unnest(codes) with ordinality as sent (code, position)
  where sent.code is null or char_length(btrim(sent.code)) not between 4 and 500 or sent.code ~ '[[:cntrl:]]';
  if bad is not null then
    perform private.refuse(
      'VALIDATION_ERROR', 'A code must have 4 to 500 characters, without line breaks.', format('codes[%s]', bad - 1)
    );
  end if;

  with sent as (
    select gen_random_uuid() as id, btrim(s.code) as code, s.position - 1 as index
    from unnest(codes) with ordinality as s (code, position)
  ),
  stored as (
    insert into private.licence_codes (tenant_id, product_id, licence_key_id, code)
    select product.tenant_id, product.id, sent.id, sent.code from sent order by sent.index
    on conflict (product_id, code) do nothing
    returning licence_key_id, code
  ),
  added as (
    insert into public.licence_keys (id, tenant_id, product_id, variant_id, masked_code)
    select
      stored.licence_key_id, product.tenant_id, product.id, add_licence_keys.variant_id,
      '••••' || right(stored.code, least(4, char_length(stored.code) / 2))
    from stored
  )
  select coalesce(jsonb_agg(sent.index order by sent.index), '[]') into repeated
  from sent
  where not exists (select 1 from stored where stored.licence_key_id = sent.id);

  return jsonb_build_object(
    'product_id', product.id,
    'variant_id', add_licence_keys.variant_id,
    'added', cardinality(codes) - jsonb_array_length(repeated),
    'duplicates', repeated,
    'counts', private.licence_key_counts(product.tenant_id, product.id)
  );
end
$$;
comment on function private.add_licence_keys is
  'Adds licence keys and as many pieces of stock. Refuses with NOT_FOUND, FORBIDDEN, VALIDATION_ERROR.';

create function public.add_licence_keys(product_id uuid, codes text[], variant_id uuid default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.add_licence_keys(product_id, codes, variant_id);
end
$$;
comment on function public.add_licence_keys is
  'Adds up to 1000 licence keys to a digital product with track_inventory. Codes that the product has already are skipped, and their positions returned in duplicates.';

create function private.remove_licence_key(product_id uuid, licence_key_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  product public.products := private.managed_product(remove_licence_key.product_id, 'digital_goods.write');
  key public.licence_keys;
  stock public.inventory;
begin
  select * into key
  from public.licence_keys k
  where k.tenant_id = product.tenant_id and k.product_id = product.id and k.id = remove_licence_key.licence_key_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such licence key.');
  end if;
  stock := private.lock_licence_keys(key.product_id, key.variant_id);
  -- Another transaction may have handed the key out or removed it before the lock.
  select * into key from public.licence_keys k where k.id = key.id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such licence key.');
  elsif key.order_item_id is not null then
    perform private.refuse('CONFLICT', 'This licence key was handed out. It stays with its order.');
  elsif stock.quantity - stock.reserved < 1 then
    perform private.refuse('INSUFFICIENT_INVENTORY', 'Orders have reserved all licence keys that are left.');
  end if;
  delete from public.licence_keys k where k.id = key.id;
end
$$;
comment on function private.remove_licence_key is
  'Removes a key that was not handed out, and its piece of stock. Refuses with NOT_FOUND, FORBIDDEN, CONFLICT, INSUFFICIENT_INVENTORY.';

create function public.remove_licence_key(product_id uuid, licence_key_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.remove_licence_key(product_id, licence_key_id);
end
$$;
comment on function public.remove_licence_key is 'Removes a licence key that was not handed out, and its piece of stock.';

create function private.list_licence_keys(
  product_id uuid, variant_id uuid, status text, "order" text, page integer, "limit" integer
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  product public.products := private.managed_product(list_licence_keys.product_id, 'digital_goods.read');
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  condition text := 'k.tenant_id = $1 and k.product_id = $2'
    || case when list_licence_keys.variant_id is null then '' else ' and k.variant_id = $3' end
    || case list_licence_keys.status
         when 'available' then ' and k.order_item_id is null'
         when 'handed_out' then ' and k.order_item_id is not null and k.revoked_at is null'
         when 'revoked' then ' and k.revoked_at is not null'
         else ''
       end;
  answer jsonb;
begin
  if list_licence_keys.status not in ('available', 'handed_out', 'revoked') then
    perform private.refuse(
      'VALIDATION_ERROR', 'status must be available, handed_out or revoked.', 'status', to_jsonb(list_licence_keys.status)
    );
  end if;
  execute $query$
    with shown as (
      select k.* from public.licence_keys k
      where $query$ || condition || $query$
      order by k.created_at $query$ || direction || $query$, k.id
      offset $4 limit $5
    )
    select jsonb_build_object(
      'licence_keys', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', k.id, 'product_id', k.product_id, 'variant_id', k.variant_id, 'code', k.masked_code,
              'status', case
                when k.order_item_id is null then 'available'
                when k.revoked_at is null then 'handed_out'
                else 'revoked'
              end,
              'order_id', k.order_id, 'item_id', k.order_item_id,
              'handed_out_at', k.handed_out_at, 'revoked_at', k.revoked_at, 'created_at', k.created_at
            )
            order by k.created_at $query$ || direction || $query$, k.id
          ),
          '[]'
        )
        from shown k
      ),
      'total', (select count(*) from public.licence_keys k where $query$ || condition || $query$)
    )
  $query$
  into answer
  using product.tenant_id, product.id, list_licence_keys.variant_id, (greatest(page, 1)::bigint - 1) * size, size;
  return answer || jsonb_build_object('counts', private.licence_key_counts(product.tenant_id, product.id));
end
$$;
comment on function private.list_licence_keys is 'A page of a product''s licence keys. Refuses with NOT_FOUND, FORBIDDEN.';

create function public.list_licence_keys(
  product_id uuid,
  variant_id uuid default null,
  status text default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.list_licence_keys(product_id, variant_id, status, "order", page, "limit");
end
$$;
comment on function public.list_licence_keys is
  'A page of a product''s licence keys with masked codes, by the time they were added, and the number of keys in each status. For its supplier, admins and clients.';

create function private.hand_out_pieces(target public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  pieces private.piece[] := array(
    select p from private.pieces_in(target, 'open') as p where p.quantity > 0 and p.is_digital
  );
begin
  if cardinality(pieces) > 0 then
    perform private.move_pieces(target, 'ship', pieces);
    perform private.move_pieces(target, 'deliver', pieces);
    perform private.follow_pieces(target, 'Digital items are delivered when they are paid.');
  end if;
end
$$;
comment on function private.hand_out_pieces is 'Delivers the digital pieces of an order that is paid.';

create function private.hand_out_licence_keys(bought public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  with_keys boolean;
  item record;
  handed integer;
begin
  select bool_or(p.kind = 'digital' and p.track_inventory)
  into with_keys
  from public.order_items i
  join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
  where i.tenant_id = bought.tenant_id and i.order_id = bought.id;

  if with_keys then
    -- Locks all stock of the order in the order of ids, as the functions that move orders do.
    perform 1
    from public.inventory s
    join public.order_items i
      on i.tenant_id = s.tenant_id and i.product_id = s.product_id and i.variant_id is not distinct from s.variant_id
    where i.tenant_id = bought.tenant_id and i.order_id = bought.id
    order by s.id
    for update of s;

    for item in
      select i.id, i.product_id, i.variant_id, i.position,
        i.quantity - i.cancelled_quantity - (
          select count(*)
          from public.licence_keys k
          where k.tenant_id = i.tenant_id and k.order_id = i.order_id and k.order_item_id = i.id
        ) as missing
      from public.order_items i
      join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
      where i.tenant_id = bought.tenant_id and i.order_id = bought.id and p.kind = 'digital' and p.track_inventory
      order by i.position
    loop
      update public.licence_keys k
      set order_id = bought.id, order_item_id = item.id, handed_out_at = now()
      where k.id in (
        select f.id
        from public.licence_keys f
        where f.tenant_id = bought.tenant_id
          and f.product_id = item.product_id
          and f.variant_id is not distinct from item.variant_id
          and f.order_item_id is null
        order by f.created_at, f.id
        limit item.missing
        for update skip locked
      );
      get diagnostics handed = row_count;
      if handed < item.missing then
        raise exception 'order % lacks % licence keys at position %', bought.id, item.missing - handed, item.position;
      end if;
    end loop;
  end if;

  -- In a move by hand to shipped or delivered, move_order moves the pieces.
  if bought.payment_status = 'paid' and private.holds_stock(bought.status) then
    perform private.hand_out_pieces(bought);
  end if;
end
$$;
comment on function private.hand_out_licence_keys is
  'Gives an order that is paid, shipped or delivered its licence keys, one per piece; its digital pieces are delivered when it is paid.';

create function private.revoke_licence_keys() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_table_name = 'orders' then
    update public.licence_keys k
    set revoked_at = now()
    where k.tenant_id = new.tenant_id and k.order_id = new.id and k.revoked_at is null;
  else
    -- One key for each piece that was cancelled or returned, those that were handed out last first.
    update public.licence_keys k
    set revoked_at = now()
    where k.id in (
      select handed.id
      from public.licence_keys handed
      where handed.tenant_id = new.tenant_id
        and handed.order_id = new.order_id
        and handed.order_item_id = new.id
        and handed.revoked_at is null
      order by handed.created_at desc, handed.id desc
      limit old.sold_quantity - new.sold_quantity
    );
  end if;
  return null;
end
$$;
comment on function private.revoke_licence_keys() is
  'Row trigger: revokes the licence keys of pieces that were cancelled or returned, and of an order whose payment was refunded or reversed.';

create function private.restore_licence_keys(bought public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- One key for each piece that is left, those that were handed out first first, the reverse of revoke_licence_keys.
  update public.licence_keys k
  set revoked_at = null
  from public.order_items i
  cross join lateral (
    select handed.id
    from public.licence_keys handed
    where handed.tenant_id = i.tenant_id and handed.order_id = i.order_id and handed.order_item_id = i.id
    order by handed.created_at, handed.id
    limit i.sold_quantity
  ) as kept
  where i.tenant_id = bought.tenant_id and i.order_id = bought.id and k.id = kept.id and k.revoked_at is not null;
end
$$;
comment on function private.restore_licence_keys is
  'Gives an order that is paid again the licence keys of its pieces back, after a failed refund or a reversed payment.';

create function private.give_licence_keys() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.imported_at is null
    and not private.is_void(new.status)
    and (
      new.payment_status = 'paid' and old.payment_status <> 'paid'
      or private.is_sent(new.status) and not private.is_sent(old.status)
    )
  then
    perform private.hand_out_licence_keys(new);
  end if;
  if new.payment_status = 'paid' and old.payment_status in ('failed', 'refunded') then
    perform private.restore_licence_keys(new);
  end if;
  return null;
end
$$;
comment on function private.give_licence_keys() is
  'Row trigger: an order gets its licence keys, and those back that were revoked.';

create function private.order_downloads(order_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  target public.orders := private.seen_order(order_downloads.order_id);
begin
  perform private.require_permission('downloads.read', 'Only the customer of an order, clients and admins may read its downloads.');

  if private.is_void(target.status)
    or target.payment_status = 'refunded'
    -- A reversed payment also ends access to goods that were delivered. A payment that never arrived does not.
    or target.payment_reversed_at is not null
    or target.payment_status <> 'paid' and not private.is_sent(target.status)
  then
    return '{"files": [], "licence_keys": []}'::jsonb;
  end if;
  return jsonb_build_object(
    'files', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'id', f.id, 'item_id', i.id, 'product_id', f.product_id, 'name', f.name, 'url', f.url,
            'path', private.file_path(f), 'size_bytes', f.size_bytes, 'sha256', f.sha256
          )
          order by i.position, f.created_at, f.id
        ),
        '[]'
      )
      from public.order_items i
      join public.product_files f on f.tenant_id = i.tenant_id and f.product_id = i.product_id
      where i.tenant_id = target.tenant_id and i.order_id = target.id and i.sold_quantity > 0
    ),
    'licence_keys', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'item_id', i.id, 'product_id', k.product_id, 'variant_id', k.variant_id, 'code', c.code
          )
          order by i.position, k.created_at, k.id
        ),
        '[]'
      )
      from public.order_items i
      join public.licence_keys k
        on k.tenant_id = i.tenant_id and k.order_id = i.order_id and k.order_item_id = i.id and k.revoked_at is null
      join private.licence_codes c
        on c.tenant_id = k.tenant_id and c.product_id = k.product_id and c.licence_key_id = k.id
      where i.tenant_id = target.tenant_id and i.order_id = target.id
    )
  );
end
$$;
comment on function private.order_downloads is
  'The files and licence keys of an order. Refuses with NOT_FOUND, FORBIDDEN.';

create function public.order_downloads(order_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.order_downloads(order_id);
end
$$;
comment on function public.order_downloads is
  'The files and licence keys of an order for its customer: none until it is paid or delivered, and none after a return, a refund or a reversed payment.';

create function private.check_what_is_sold() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  field text := case when old.kind <> new.kind then 'kind' else 'track_inventory' end;
begin
  -- Orders and new keys lock these rows, so what is read below stays true.
  perform 1
  from public.inventory i
  where i.tenant_id = old.tenant_id and i.product_id = old.id
  order by i.id
  for update;
  if exists (
      select 1 from public.order_items i where i.tenant_id = old.tenant_id and i.product_id = old.id
    )
    or exists (
      select 1 from public.licence_keys k where k.tenant_id = old.tenant_id and k.product_id = old.id
    )
    or exists (
      select 1
      from public.inventory i
      where i.tenant_id = old.tenant_id and i.product_id = old.id and i.quantity <> 0
    )
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'kind and track_inventory cannot change, because the product was ordered or has stock.', field,
      to_jsonb(new) -> field
    );
  elsif new.kind <> 'digital' and exists (
    select 1 from public.product_files f where f.tenant_id = old.tenant_id and f.product_id = old.id
  ) then
    perform private.refuse('VALIDATION_ERROR', 'Only digital products can have files.', field, to_jsonb(new) -> field);
  end if;
  return new;
end
$$;
comment on function private.check_what_is_sold() is
  'Row trigger: kind and track_inventory of a product cannot change once it was ordered or has stock or licence keys, and only digital products have files.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.product_files
  for each row execute function private.keep_nfc();

create trigger product_files_are_changed_by_admins_and_suppliers
  before insert or update or delete on public.product_files
  for each statement execute function private.permitted_only('digital_goods.write');

create trigger product_files_check_product
  before insert or update of product_id on public.product_files
  for each row execute function private.check_product_file();

create trigger product_files_note_sold_asset
  after insert on public.product_files
  for each row when (new.asset_id is not null)
  execute function private.record_sold_asset();

create trigger product_files_forget_sold_asset
  after delete on public.product_files
  for each row when (old.asset_id is not null)
  execute function private.record_sold_asset();

create trigger products_keep_what_is_sold
  before update of kind, track_inventory on public.products
  for each row when (
    (old.kind <> new.kind or old.track_inventory <> new.track_inventory)
    and (old.kind = 'digital' or new.kind = 'digital')
  )
  execute function private.check_what_is_sold();

-- Reserving, which every order does, is excluded, because it moves no keys.
create trigger inventory_keep_licence_key_stock
  before update of quantity, reserved on public.inventory
  for each row when (new.quantity <> old.quantity or new.reserved < old.reserved)
  execute function private.protect_licence_key_stock();

create constraint trigger inventory_check_licence_key_stock
  after update of quantity on public.inventory
  deferrable initially deferred
  for each row when (new.quantity <> old.quantity)
  execute function private.check_licence_key_stock();

create trigger licence_keys_count_added
  after insert on public.licence_keys
  referencing new table as changed_keys
  for each statement execute function private.count_licence_keys();

create trigger licence_keys_count_removed
  after delete on public.licence_keys
  referencing old table as changed_keys
  for each statement execute function private.count_licence_keys();

create trigger orders_give_licence_keys
  after update of status, payment_status on public.orders
  for each row when (
    new.payment_status = 'paid' and old.payment_status <> 'paid' or private.is_sent(new.status) and not private.is_sent(old.status)
  )
  execute function private.give_licence_keys();

create trigger orders_revoke_licence_keys
  after update of payment_status on public.orders
  for each row when (
    new.payment_status = 'refunded' and old.payment_status <> 'refunded'
    or new.payment_status = 'failed' and old.payment_status = 'paid'
  )
  execute function private.revoke_licence_keys();

create trigger order_items_revoke_licence_keys
  after update on public.order_items
  for each row when (new.sold_quantity < old.sold_quantity)
  execute function private.revoke_licence_keys();

-- policies -------------------------------------------------------------------------------------

alter table public.product_files enable row level security;
alter table public.licence_keys enable row level security;
alter table private.licence_codes enable row level security;

create policy "Admins and clients see all files, suppliers those of their products" on public.product_files
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('digital_goods.read'))
      when 'own' then (select true from public.products p where p.id = product_id)
      when 'all' then true
    end
  );

create policy "Admins add files to any product, suppliers to their own" on public.product_files
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.scope('digital_goods.write')) is not null
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins remove files of any product, suppliers of their own" on public.product_files
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.scope('digital_goods.write')) is not null
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins and clients see all licence keys, suppliers those of their products" on public.licence_keys
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('digital_goods.read'))
      when 'own' then (select true from public.products p where p.id = product_id)
      when 'all' then true
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select, delete on public.product_files to authenticated;
grant insert (product_id, name, url, size_bytes, sha256, asset_id) on public.product_files to authenticated;
grant select on public.licence_keys to authenticated;
grant all on public.product_files, public.licence_keys to service_role;
grant execute on function
  private.file_path, private.check_file_asset, private.add_licence_keys,
  private.remove_licence_key, private.list_licence_keys, private.order_downloads
to authenticated;
grant execute on function
  public.add_product_file, public.list_product_files, public.add_licence_keys, public.remove_licence_key,
  public.list_licence_keys, public.order_downloads
to authenticated;
