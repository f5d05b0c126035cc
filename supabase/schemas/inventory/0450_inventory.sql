-- Inventory: the stock, and the ledger with one row for each change of stock and its reason.

create type public.inventory_reason as enum (
  'opening', 'set', 'add', 'subtract', 'reserve', 'release', 'ship', 'void', 'return', 'import', 'licence_keys', 'removal'
);

-- tables ---------------------------------------------------------------------------------------

alter table public.inventory
  add column low_stock_threshold integer not null default 0,
  add constraint inventory_low_stock_threshold_is_not_negative check (low_stock_threshold >= 0);
comment on column public.inventory.low_stock_threshold is
  'The stock is low at or below this number of available pieces. 0 switches the warning off.';

-- Movements have numbers, because two may have the same timestamp. For each stock, the order of the numbers is the
-- order of the changes, also after a tenant has moved to another database: see private.continue_numbers.
create table public.inventory_movements (
  tenant_id uuid not null,
  id bigint generated always as identity,
  product_id uuid not null,
  variant_id uuid,
  reason public.inventory_reason not null,
  quantity_change integer not null,
  reserved_change integer not null,
  quantity integer not null,
  reserved integer not null,
  note text,
  order_id uuid,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint inventory_movements_pkey primary key (tenant_id, id),
  constraint inventory_movements_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint inventory_movements_note_is_at_most_2000_characters check (char_length(note) <= 2000)
);
comment on table public.inventory_movements is
  'The ledger of stock: every change of the stock of a product or variant, with its reason, its user, and the stock after it. The sum of all changes is the current stock. Rows are only added, and are deleted with their product.';

-- indexes --------------------------------------------------------------------------------------

create index inventory_movements_product_idx on public.inventory_movements (tenant_id, product_id, id);
create index inventory_movements_order_idx on public.inventory_movements (tenant_id, order_id)
  where order_id is not null;
-- Only columns that rarely change: an index on quantities would be written at every order.
create index inventory_low_stock_threshold_idx on public.inventory (tenant_id, product_id)
  where low_stock_threshold > 0;

-- functions ------------------------------------------------------------------------------------

create function private.record_movement() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  change jsonb := nullif(current_setting('souk.stock_change', true), '');
  why public.inventory_reason :=
    coalesce(change ->> 'reason', case tg_op when 'INSERT' then 'opening' else 'set' end)::public.inventory_reason;
begin
  case tg_op
    when 'DELETE' then
      -- A removed variant also removes its stock, which is a movement. If the product itself is deleted, so is its ledger.
      insert into public.inventory_movements
        (tenant_id, product_id, variant_id, reason, quantity_change, reserved_change, quantity, reserved, actor_id)
      select o.tenant_id, o.product_id, o.variant_id, 'removal', -o.quantity, -o.reserved, 0, 0, auth.uid()
      from old_inventory o
      where (o.quantity <> 0 or o.reserved <> 0)
        and (select true from public.products p where p.tenant_id = o.tenant_id and p.id = o.product_id);
    when 'INSERT' then
      insert into public.inventory_movements
        (tenant_id, product_id, variant_id, reason, quantity_change, reserved_change, quantity, reserved,
         note, order_id, actor_id)
      select
        n.tenant_id, n.product_id, n.variant_id, why, n.quantity, n.reserved, n.quantity, n.reserved,
        change ->> 'note', (change ->> 'order_id')::uuid, (select auth.uid())
      from new_inventory n
      where n.quantity <> 0 or n.reserved <> 0;
    else
      insert into public.inventory_movements
        (tenant_id, product_id, variant_id, reason, quantity_change, reserved_change, quantity, reserved,
         note, order_id, actor_id)
      select
        n.tenant_id, n.product_id, n.variant_id, why, n.quantity - o.quantity, n.reserved - o.reserved,
        n.quantity, n.reserved, change ->> 'note', (change ->> 'order_id')::uuid, (select auth.uid())
      from new_inventory n
      join old_inventory o on o.id = n.id
      where n.quantity <> o.quantity or n.reserved <> o.reserved;
  end case;
  return null;
end
$$;
comment on function private.record_movement() is 'Statement trigger: records every change of stock in the ledger.';

create function private.refuse_ledger_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse('FORBIDDEN', 'The ledger cannot change. Correct the stock instead, which adds a movement.');
  return null;
end
$$;
comment on function private.refuse_ledger_change() is 'Trigger: refuses every change, for all roles.';

create function private.check_count() returns trigger
language plpgsql set search_path = ''
as $$
declare
  change jsonb := nullif(current_setting('souk.stock_change', true), '');
begin
  perform private.refuse(
    'INSUFFICIENT_INVENTORY',
    case when new.reserved > 0
      then format('The stock must be at least %s, which orders have reserved.', new.reserved)
      else 'The stock must be at least 0.'
    end,
    'quantity',
    to_jsonb(case change ->> 'reason' when 'subtract' then old.quantity - new.quantity else new.quantity end)
  );
  return null;
end
$$;
comment on function private.check_count() is
  'Row trigger: refuses with INSUFFICIENT_INVENTORY a stock below the pieces that orders have reserved.';

create function private.sell_out_on_return() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The status of an inactive product does not follow its stock. A product that never had a piece is not sold out.
  if exists (
      select 1 from public.inventory_movements m where m.tenant_id = new.tenant_id and m.product_id = new.id
    )
    and (
      select s.quantity = s.reserved
      from private.product_stocks s
      where s.tenant_id = new.tenant_id and s.product_id = new.id
    )
  then
    new.status := 'out_of_stock';
  end if;
  return new;
end
$$;
comment on function private.sell_out_on_return() is
  'Row trigger: a product with a stock that becomes active without available pieces becomes out_of_stock.';

create function private.check_stock_change(
  product_id uuid, quantity integer, operation text, variant_id uuid, low_stock_threshold integer
) returns void
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  target record;
begin
  select
    p.track_inventory,
    exists (
      select 1 from public.product_variants v where v.tenant_id = p.tenant_id and v.product_id = p.id
    ) as has_variants
  into target
  from public.products p
  where p.id = check_stock_change.product_id and p.status <> 'discontinued';
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  elsif check_stock_change.quantity is null and check_stock_change.low_stock_threshold is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'quantity is required without a low_stock_threshold.', 'quantity', 'null'
    );
  elsif check_stock_change.quantity < 0 then
    perform private.refuse(
      'VALIDATION_ERROR', 'quantity must be at least 0.', 'quantity', to_jsonb(check_stock_change.quantity)
    );
  -- There is no default: a caller that forgot `add` would overwrite the count.
  elsif coalesce(check_stock_change.operation, case when check_stock_change.quantity is null then 'set' end)
    in ('set', 'add', 'subtract') is not true
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'operation must be set, add or subtract.', 'operation', to_jsonb(check_stock_change.operation)
    );
  elsif not target.track_inventory then
    perform private.refuse(
      'VALIDATION_ERROR', 'This product keeps no stock. Leave quantity out.', 'quantity', to_jsonb(check_stock_change.quantity)
    );
  elsif target.has_variants and check_stock_change.variant_id is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'variant_id is required: each variant of this product has its own stock.', 'variant_id', 'null'
    );
  end if;
end
$$;
comment on function private.check_stock_change is
  'Refuses a change of stock that the product does not take: NOT_FOUND, VALIDATION_ERROR on quantity, operation or variant_id.';

create function public.change_inventory(
  product_id uuid,
  quantity integer default null,
  operation text default null,
  variant_id uuid default null,
  note text default null,
  low_stock_threshold integer default null
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  changed public.inventory;
begin
  perform private.require_permission('inventory.write', 'Your role may not change inventory.');

  perform private.check_stock_change(
    change_inventory.product_id, change_inventory.quantity, change_inventory.operation, change_inventory.variant_id,
    change_inventory.low_stock_threshold
  );

  perform private.explain_stock_change(coalesce(change_inventory.operation, 'set'), change_inventory.note);
  begin
    update public.inventory i
    set quantity = case
          when change_inventory.quantity is null then i.quantity
          when change_inventory.operation = 'add' then i.quantity + change_inventory.quantity
          when change_inventory.operation = 'subtract' then i.quantity - change_inventory.quantity
          else change_inventory.quantity
        end,
        low_stock_threshold = coalesce(change_inventory.low_stock_threshold, i.low_stock_threshold)
    where i.product_id = change_inventory.product_id
      and i.variant_id is not distinct from change_inventory.variant_id
    returning * into changed;
  exception
    when numeric_value_out_of_range then
      perform private.refuse(
        'VALIDATION_ERROR', 'The stock must be at most 2147483647 pieces.',
        'quantity', to_jsonb(change_inventory.quantity)
      );
  end;
  if changed.id is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no such variant.', 'variant_id', to_jsonb(change_inventory.variant_id)
    );
  end if;

  return jsonb_build_object(
    'product_id', changed.product_id, 'variant_id', changed.variant_id, 'quantity', changed.quantity,
    'reserved', changed.reserved, 'available', changed.quantity - changed.reserved,
    'low_stock_threshold', changed.low_stock_threshold
  );
end
$$;
comment on function public.change_inventory is
  'Sets, adds to or subtracts from the stock of a product or a variant, as the operation says, which is required with a quantity. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, INSUFFICIENT_INVENTORY. Returns the stock after the change.';

create function private.inventory_query(key text, direction text, conditions text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- A product with variants is sold by them, so its own row is listed only if it has pieces.
  return $query$
    with found as materialized (
      select i.id, $query$ || key || $query$ as key
      from public.inventory i
      join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
      where i.tenant_id = $1
        and p.track_inventory
        and p.status <> 'discontinued'
        and (
          i.variant_id is not null
          or i.quantity > 0
          or (
            select true from public.product_variants v
            where v.tenant_id = i.tenant_id and v.product_id = i.product_id
            limit 1
          ) is null
        )
    $query$
    || conditions || $query$
    ),
    shown as (
      select f.id, row_number() over (order by f.key $query$ || direction || $query$, f.id) as position
      from found f
      order by f.key $query$ || direction || $query$, f.id
      offset $4 limit $5
    )
    select jsonb_build_object(
      'inventory', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', i.id, 'product_id', i.product_id, 'variant_id', i.variant_id, 'product_name', p.name,
              'variant_name', v.name, 'sku', v.sku, 'marketplace_id', p.marketplace_id,
              'supplier_id', p.supplier_id, 'status', p.status, 'quantity', i.quantity, 'reserved', i.reserved,
              'available', i.quantity - i.reserved, 'low_stock_threshold', i.low_stock_threshold,
              'low_stock', i.low_stock_threshold > 0 and i.quantity - i.reserved <= i.low_stock_threshold,
              'updated_at', i.updated_at
            )
            order by s.position
          ),
          '[]'
        )
        from shown s
        join public.inventory i on i.id = s.id
        join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
        left join public.product_variants v on v.tenant_id = i.tenant_id and v.product_id = i.product_id and v.id = i.variant_id
      ),
      'total', (select count(*) from found)
    )
  $query$;
end
$$;
comment on function private.inventory_query is
  'The text of the query for a page of stock. key: the expression to sort by; direction: asc or desc; conditions: SQL that begins with and. Its parameters: tenant, product, marketplace, offset and limit.';

create function public.list_inventory(
  product_id uuid default null,
  marketplace_id uuid default null,
  low_stock boolean default null,
  sort text default 'updated_at',
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  key text := case sort
    when 'available' then 'i.quantity - i.reserved'
    when 'quantity' then 'i.quantity'
    when 'name' then 'private.sort_name(p.name) collate "C"'
    else 'i.updated_at'
  end;
  answer jsonb;
begin
  perform private.require_permission('inventory.read', 'Your role may not read inventory.');

  execute private.inventory_query(
    key, direction,
    case when list_inventory.product_id is null then '' else ' and i.product_id = $2' end
    || case when list_inventory.marketplace_id is null then '' else ' and p.marketplace_id = $3' end
    || case list_inventory.low_stock
         when true then ' and i.low_stock_threshold > 0 and i.quantity - i.reserved <= i.low_stock_threshold'
         when false then ' and (i.low_stock_threshold = 0 or i.quantity - i.reserved > i.low_stock_threshold)'
         else ''
       end
  )
  into answer
  using
    private.tenant_id(), list_inventory.product_id, list_inventory.marketplace_id,
    (greatest(page, 1)::bigint - 1) * size, size;
  return answer;
end
$$;
comment on function public.list_inventory is
  'A page of the stock for admins, clients and, for their products, suppliers, with the total: one row for each product or variant that can be sold. Sorts by updated_at, available, quantity or name.';

create function public.list_inventory_movements(
  product_id uuid default null,
  variant_id uuid default null,
  order_id uuid default null,
  reason public.inventory_reason default null,
  since text default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  condition text := 'm.tenant_id = $1'
    || case when list_inventory_movements.product_id is null then '' else ' and m.product_id = $2' end
    || case when list_inventory_movements.variant_id is null then '' else ' and m.variant_id = $3' end
    || case when list_inventory_movements.order_id is null then '' else ' and m.order_id = $4' end
    || case when list_inventory_movements.reason is null then '' else ' and m.reason = $5' end
    || case when list_inventory_movements.since is null then '' else ' and m.created_at >= $6' end;
  answer jsonb;
begin
  perform private.require_permission('inventory.read', 'Your role may not read inventory.');

  execute $query$
    with shown as (
      select m.* from public.inventory_movements m
      where $query$ || condition || $query$
      order by m.id $query$ || direction || $query$
      offset $7 limit $8
    )
    select jsonb_build_object(
      'movements', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', m.id, 'product_id', m.product_id, 'variant_id', m.variant_id, 'product_name', p.name,
              'variant_name', v.name, 'sku', v.sku, 'reason', m.reason, 'quantity_change', m.quantity_change,
              'reserved_change', m.reserved_change, 'quantity', m.quantity, 'reserved', m.reserved,
              'note', m.note, 'order_id', m.order_id, 'actor_id', m.actor_id, 'created_at', m.created_at
            )
            order by m.id $query$ || direction || $query$
          ),
          '[]'
        )
        from shown m
        join public.products p on p.tenant_id = m.tenant_id and p.id = m.product_id
        left join public.product_variants v on v.tenant_id = m.tenant_id and v.product_id = m.product_id and v.id = m.variant_id
      ),
      'total', (select count(*) from public.inventory_movements m where $query$ || condition || $query$)
    )
  $query$
  into answer
  using
    private.tenant_id(), list_inventory_movements.product_id, list_inventory_movements.variant_id,
    list_inventory_movements.order_id, list_inventory_movements.reason,
    private.moment_of(list_inventory_movements.since, 'since'),
    (greatest(page, 1)::bigint - 1) * size, size;
  return answer;
end
$$;
comment on function public.list_inventory_movements is
  'A page of the ledger of stock, for admins, clients and, for their products, suppliers; newest first. since: a time with its offset, or a day of the tenant''s time zone.';

create function public.get_inventory(product_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  answer jsonb;
begin
  perform private.require_permission('inventory.read', 'Your role may not read inventory.');

  select jsonb_build_object(
    'product_id', p.id,
    'quantity', s.quantity,
    'reserved', s.reserved,
    'available', s.quantity - s.reserved,
    'stock', jsonb_agg(
      jsonb_build_object(
        'variant_id', i.variant_id, 'variant_name', v.name, 'sku', v.sku, 'quantity', i.quantity,
        'reserved', i.reserved, 'available', i.quantity - i.reserved,
        'low_stock_threshold', i.low_stock_threshold,
        'low_stock', i.low_stock_threshold > 0 and i.quantity - i.reserved <= i.low_stock_threshold,
        'updated_at', i.updated_at
      )
      order by v.position nulls first, v.id
    ),
    -- The ledger has the pieces that an order has reserved and neither released nor shipped.
    'reservations', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'order_id', r.order_id, 'variant_id', r.variant_id, 'quantity', r.quantity, 'since', r.since
          )
          order by r.since, r.order_id
        ),
        '[]'
      )
      from (
        select m.order_id, m.variant_id, sum(m.reserved_change) as quantity, min(m.created_at) as since
        from public.inventory_movements m
        where m.tenant_id = p.tenant_id and m.product_id = p.id and m.order_id is not null
        group by m.order_id, m.variant_id
        having sum(m.reserved_change) > 0
        order by since, m.order_id
        limit 1000
      ) as r
    )
  )
  into answer
  from public.products p
  join private.product_stocks s on s.tenant_id = p.tenant_id and s.product_id = p.id
  join public.inventory i on i.tenant_id = p.tenant_id and i.product_id = p.id
  left join public.product_variants v on v.tenant_id = i.tenant_id and v.product_id = i.product_id and v.id = i.variant_id
  where p.id = get_inventory.product_id and p.status <> 'discontinued'
  group by p.tenant_id, p.id, s.quantity, s.reserved;
  if answer is null then
    perform private.refuse('NOT_FOUND', 'There is no such product.');
  end if;
  return answer;
end
$$;
comment on function public.get_inventory is
  'The stock of a product and of each variant, and the reservations of orders (at most the oldest 1000).';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.inventory_movements
  for each row execute function private.keep_nfc();

create trigger inventory_is_changed_by_admins_and_suppliers
  before insert or update or delete on public.inventory
  for each statement execute function private.permitted_only('inventory.write');

create trigger inventory_check_count
  before insert or update of quantity, reserved on public.inventory
  for each row when (new.quantity < greatest(new.reserved, 0))
  execute function private.check_count();

create trigger inventory_record_opening
  after insert on public.inventory
  referencing new table as new_inventory
  for each statement
  execute function private.record_movement();

create trigger inventory_record_movement
  after update on public.inventory
  referencing old table as old_inventory new table as new_inventory
  for each statement
  execute function private.record_movement();

create trigger inventory_record_removal
  after delete on public.inventory
  referencing old table as old_inventory
  for each statement
  execute function private.record_movement();

create trigger inventory_movements_never_change
  before update or truncate on public.inventory_movements
  for each statement execute function private.refuse_ledger_change();

-- At a trigger depth above 0, a foreign key deletes the rows together with their product. Those of a tenant that is removed
-- are deleted as all its rows are.
create trigger inventory_movements_are_never_deleted
  before delete on public.inventory_movements
  for each row when (pg_trigger_depth() = 0 and coalesce(current_setting('souk.removed_tenant', true), '') = '')
  execute function private.refuse_ledger_change();

create trigger products_sell_out_on_return
  before update of status on public.products
  for each row when (old.status = 'inactive' and new.status = 'active' and new.track_inventory)
  execute function private.sell_out_on_return();

-- policies -------------------------------------------------------------------------------------

alter table public.inventory_movements enable row level security;

create policy "Admins and clients read the ledger, suppliers that of their products" on public.inventory_movements
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('inventory.read'))
      when 'own' then (select true from public.products p where p.id = product_id)
      when 'all' then true
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant update (low_stock_threshold) on public.inventory to authenticated;
grant select on public.inventory_movements to authenticated, service_role;
revoke insert, update, delete, truncate on public.inventory_movements from service_role;
grant execute on function
  private.check_stock_change, private.inventory_query, public.change_inventory, public.list_inventory,
  public.list_inventory_movements, public.get_inventory
to authenticated;
