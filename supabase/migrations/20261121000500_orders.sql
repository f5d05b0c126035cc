-- Orders: placed against stock that is reserved in the same transaction, moved along the one table of
-- moves, and never changed any other way.

create type public.order_status as enum (
  'pending', 'confirmed', 'processing', 'shipped', 'delivered', 'cancelled', 'returned'
);
create type public.payment_status as enum ('pending', 'paid', 'failed', 'refunded');

-- tables ---------------------------------------------------------------------------------------

create table public.orders (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  marketplace_id uuid not null,
  customer_id uuid not null,
  supplier_ids uuid[] not null,
  status public.order_status not null default 'pending',
  payment_status public.payment_status not null default 'pending',
  total_amount numeric not null,
  currency text not null,
  shipping_address jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint orders_tenant_id_id_key unique (tenant_id, id),
  constraint orders_marketplace_id_fkey foreign key (tenant_id, marketplace_id, currency)
    references public.marketplaces (tenant_id, id, currency),
  constraint orders_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id),
  constraint orders_total_amount_is_not_negative check (total_amount >= 0),
  constraint orders_shipping_address_is_an_object check (jsonb_typeof(shipping_address) = 'object')
);
comment on table public.orders is 'What a customer bought on a marketplace. supplier_ids: whose items it holds.';

create table public.order_items (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  position integer not null,
  product_id uuid not null,
  variant_id uuid,
  supplier_id uuid,
  name text not null,
  quantity integer not null,
  starts_at timestamptz,
  price numeric not null,
  amount numeric not null generated always as (price * quantity) stored,
  constraint order_items_order_id_position_key unique (order_id, position),
  constraint order_items_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_items_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id),
  constraint order_items_variant_id_fkey foreign key (tenant_id, product_id, variant_id)
    references public.product_variants (tenant_id, product_id, id),
  constraint order_items_quantity_is_positive check (quantity > 0)
);
comment on table public.order_items is 'The lines of an order, with name and price as they were when it was placed.';

create table public.order_status_changes (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  old_status public.order_status not null,
  new_status public.order_status not null,
  note text,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint order_status_changes_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_status_changes_note_is_at_most_2000_characters check (char_length(note) <= 2000)
);
comment on table public.order_status_changes is 'The history of each order: who moved it, when, from where to where.';

alter table public.orders replica identity full;
alter publication supabase_realtime add table public.orders;

insert into private.status_moves (subject, from_status, to_status)
select 'orders', a.status, b.status
from unnest(array['pending', 'confirmed', 'processing', 'shipped', 'delivered']) with ordinality as a (status, rank)
join unnest(array['pending', 'confirmed', 'processing', 'shipped', 'delivered']) with ordinality as b (status, rank)
  on b.rank > a.rank
union all
values
  ('orders', 'pending', 'cancelled'),
  ('orders', 'confirmed', 'cancelled'),
  ('orders', 'processing', 'cancelled'),
  ('orders', 'shipped', 'returned'),
  ('orders', 'delivered', 'returned');

-- indexes --------------------------------------------------------------------------------------

create index orders_tenant_id_created_at_idx on public.orders (tenant_id, created_at desc, id);
create index orders_marketplace_idx on public.orders (tenant_id, marketplace_id, currency);
create index orders_customer_idx on public.orders (tenant_id, customer_id, created_at desc, id);
create index orders_supplier_ids_idx on public.orders using gin (supplier_ids);
create index order_items_order_idx on public.order_items (tenant_id, order_id);
create index order_items_product_idx on public.order_items (tenant_id, product_id, variant_id);
create index order_status_changes_order_idx on public.order_status_changes (tenant_id, order_id, created_at);

-- functions ------------------------------------------------------------------------------------

create view public.order_details with (security_invoker = true) as
select
  o.id, o.tenant_id, o.marketplace_id, o.customer_id, o.status, o.payment_status, o.total_amount,
  o.currency, o.shipping_address, o.created_at, o.updated_at,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', i.id, 'product_id', i.product_id, 'variant_id', i.variant_id, 'supplier_id', i.supplier_id,
          'name', i.name, 'quantity', i.quantity, 'starts_at', i.starts_at, 'price', i.price, 'amount', i.amount
        )
        order by i.position
      ),
      '[]'
    )
    from public.order_items i
    where i.tenant_id = o.tenant_id and i.order_id = o.id
  ) as items,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'old_status', c.old_status, 'new_status', c.new_status, 'note', c.note,
          'actor_id', c.actor_id, 'created_at', c.created_at
        )
        order by c.created_at
      ),
      '[]'
    )
    from public.order_status_changes c
    where c.tenant_id = o.tenant_id and c.order_id = o.id
  ) as history
from public.orders o;
comment on view public.order_details is
  'The whole record of an order, with its items and its history, as the API answers it. A supplier sees its own items.';

create function private.ordering_customer(customer_id uuid) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  caller public.member_role := private.tenant_role();
begin
  if caller = 'customer' then
    if customer_id is not null and customer_id <> private.customer_id() then
      perform private.refuse('FORBIDDEN', 'Customers order for themselves.', 'customer_id', to_jsonb(customer_id));
    end if;
    return private.customer_id();
  elsif caller in ('admin', 'client') then
    if customer_id is null then
      perform private.refuse('VALIDATION_ERROR', 'Say which customer orders.', 'customer_id', 'null');
    elsif not exists (
      select 1 from public.customers c
      where c.tenant_id = private.tenant_id() and c.id = ordering_customer.customer_id
    ) then
      perform private.refuse('NOT_FOUND', 'There is no such customer.', 'customer_id', to_jsonb(customer_id));
    end if;
    return customer_id;
  end if;
  perform private.refuse('FORBIDDEN', 'Your role may not place orders.');
  return null;
end
$$;
comment on function private.ordering_customer is 'Whom an order of the caller is for. Refuses whoever may not order for them.';

create function private.take_stock(order_id uuid, quantity_sign integer, reserved_sign integer) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- All who change stock for orders lock its rows in the order of ids, so that nobody waits in a circle.
  perform 1
  from public.inventory i
  join public.order_items o
    on o.tenant_id = i.tenant_id and o.product_id = i.product_id and o.variant_id is not distinct from i.variant_id
  where o.order_id = take_stock.order_id
  order by i.id
  for update of i;

  update public.inventory i
  set quantity = i.quantity + quantity_sign * o.quantity,
      reserved = i.reserved + reserved_sign * o.quantity
  from (
    select o.tenant_id, o.product_id, o.variant_id, sum(o.quantity)::integer as quantity
    from public.order_items o
    join public.products p on p.id = o.product_id
    where o.order_id = take_stock.order_id and p.track_inventory
    group by o.tenant_id, o.product_id, o.variant_id
  ) as o
  where o.tenant_id = i.tenant_id and o.product_id = i.product_id and o.variant_id is not distinct from i.variant_id;
end
$$;
comment on function private.take_stock is
  'Adds an order''s pieces, times the given signs, to quantity and reserved: (0, 1) reserves, (0, -1) releases, (-1, -1) ships, (1, 0) restocks.';

create function private.place_order(
  marketplace_id uuid, items jsonb, shipping_address jsonb, customer_id uuid
) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  buyer uuid := private.ordering_customer(place_order.customer_id);
  site public.marketplaces;
  problem record;
  placed uuid;
begin
  select * into site
  from public.marketplaces m
  where m.tenant_id = tenant and m.id = place_order.marketplace_id;
  if site.id is null or (site.status <> 'active' and private.tenant_role() = 'customer') then
    perform private.refuse(
      'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(place_order.marketplace_id)
    );
  elsif site.status <> 'active' then
    perform private.refuse(
      'MARKETPLACE_NOT_ACTIVE', 'The marketplace is not open. Activate it first.',
      'marketplace_id', to_jsonb(place_order.marketplace_id)
    );
  end if;
  if jsonb_typeof(items) is distinct from 'array' or jsonb_array_length(items) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'An order has at least one item.', 'items', items);
  end if;

  -- The rows of stock are locked first, in the order of ids; what is read after that stays true.
  perform 1
  from public.inventory i
  join jsonb_to_recordset(items) as sent (product_id uuid, variant_id uuid)
    on sent.product_id = i.product_id and sent.variant_id is not distinct from i.variant_id
  where i.tenant_id = tenant
  order by i.id
  for update of i;

  with line as (
    select
      sent.position - 1 as index, sent.value,
      (sent.value ->> 'quantity')::integer as quantity,
      (sent.value ->> 'price')::numeric as price,
      p.id as product_id, p.track_inventory, p.status, coalesce(v.price, p.price) as current_price,
      v.id as variant_id, i.quantity - i.reserved as available,
      sum((sent.value ->> 'quantity')::integer) over (
        partition by p.id, v.id order by sent.position
      ) as wanted,
      v.id is null and exists (
        select 1 from public.product_variants other where other.tenant_id = tenant and other.product_id = p.id
      ) as variant_missing
    from jsonb_array_elements(items) with ordinality as sent (value, position)
    left join public.products p
      on p.tenant_id = tenant
      and p.id = (sent.value ->> 'product_id')::uuid
      and p.marketplace_id = site.id
      and p.status in ('active', 'out_of_stock')
    left join public.product_variants v
      on v.tenant_id = tenant and v.product_id = p.id and v.id = (sent.value ->> 'variant_id')::uuid
    left join public.inventory i
      on i.tenant_id = tenant and i.product_id = p.id and i.variant_id is not distinct from v.id
  ),
  faulty as (
    select line.*, fault.code, fault.field
    from line
    cross join lateral (
      select f.code, f.field
      from (values
        (1, line.product_id is null, 'NOT_FOUND', 'product_id'),
        (2, line.variant_id is null and line.value ->> 'variant_id' is not null, 'NOT_FOUND', 'variant_id'),
        (3, line.variant_missing, 'VALIDATION_ERROR', 'variant_id'),
        (4, line.quantity is null or line.quantity <= 0, 'VALIDATION_ERROR', 'quantity'),
        (5, line.price is distinct from line.current_price, 'PRICE_MISMATCH', 'price'),
        (6, line.track_inventory and line.wanted > line.available, 'INSUFFICIENT_INVENTORY', 'quantity')
      ) as f (rank, applies, code, field)
      where f.applies
      order by f.rank
      limit 1
    ) as fault
  )
  select * into problem from faulty order by index limit 1;

  if found then
    perform private.refuse(
      problem.code,
      case problem.code
        when 'NOT_FOUND' then 'There is no such product for sale here.'
        when 'PRICE_MISMATCH' then format('The price is %s now.', problem.current_price)
        when 'INSUFFICIENT_INVENTORY' then format('Only %s left.', greatest(problem.available, 0))
        else 'This item says too little: choose a variant and a quantity of at least 1.'
      end,
      format('items[%s].%s', problem.index, problem.field),
      problem.value -> problem.field
    );
  end if;

  placed := gen_random_uuid();
  with line as (
    select
      sent.position, p.id as product_id, v.id as variant_id, p.supplier_id,
      p.name || coalesce(' – ' || v.name, '') as name,
      (sent.value ->> 'quantity')::integer as quantity,
      (sent.value ->> 'starts_at')::timestamptz as starts_at,
      (sent.value ->> 'price')::numeric as price
    from jsonb_array_elements(items) with ordinality as sent (value, position)
    join public.products p on p.tenant_id = tenant and p.id = (sent.value ->> 'product_id')::uuid
    left join public.product_variants v
      on v.tenant_id = tenant and v.product_id = p.id and v.id = (sent.value ->> 'variant_id')::uuid
  ),
  head as (
    insert into public.orders
      (id, tenant_id, marketplace_id, customer_id, supplier_ids, total_amount, currency, shipping_address)
    select
      placed, tenant, site.id, buyer,
      coalesce(array_agg(distinct line.supplier_id) filter (where line.supplier_id is not null), '{}'),
      sum(line.price * line.quantity), site.currency, place_order.shipping_address
    from line
    returning id
  )
  insert into public.order_items
    (tenant_id, order_id, position, product_id, variant_id, supplier_id, name, quantity, starts_at, price)
  select
    tenant, head.id, line.position, line.product_id, line.variant_id, line.supplier_id, line.name,
    line.quantity, line.starts_at, line.price
  from line, head;

  perform private.take_stock(placed, 0, 1);
  return placed;
end
$$;
comment on function private.place_order is
  'Places an order and reserves its stock, or refuses it whole: FORBIDDEN, NOT_FOUND, MARKETPLACE_NOT_ACTIVE, VALIDATION_ERROR, PRICE_MISMATCH, INSUFFICIENT_INVENTORY.';

create function public.place_order(
  marketplace_id uuid, items jsonb, shipping_address jsonb, customer_id uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  placed uuid := private.place_order(marketplace_id, items, shipping_address, customer_id);
begin
  return (select to_jsonb(d) from public.order_details d where d.id = placed);
end
$$;
comment on function public.place_order is
  'Places an order: items are a list of product_id, variant_id (where the product has variants), quantity, price. Answers the whole record.';

create function private.change_order_status(order_id uuid, status public.order_status, note text) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  caller public.member_role := private.tenant_role();
  target public.orders;
  was_held boolean;
begin
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id()
    and o.id = change_order_status.order_id
    and case caller
      when 'customer' then o.customer_id = private.customer_id()
      when 'supplier' then private.supplier_id() = any (o.supplier_ids)
      else true
    end
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  end if;

  if caller = 'client'
    or caller = 'customer' and change_order_status.status <> 'cancelled'
    or caller = 'supplier' and (
      change_order_status.status in ('cancelled', 'returned')
      or exists (
        select 1 from public.order_items i
        where i.order_id = target.id and i.supplier_id is distinct from private.supplier_id()
      )
    )
  then
    perform private.refuse(
      'FORBIDDEN', 'Your role may not move this order there.', 'status', to_jsonb(change_order_status.status)
    );
  end if;

  -- The trigger refuses a move that does not exist; to stay is none either, or stock would follow it twice.
  if change_order_status.status = target.status then
    perform private.refuse(
      'INVALID_TRANSITION', format('The order is %s already.', target.status),
      'status', to_jsonb(change_order_status.status)
    );
  end if;
  update public.orders o
  set status = change_order_status.status
  where o.id = target.id;

  if caller = 'customer' and target.status not in ('pending', 'confirmed') then
    perform private.refuse(
      'FORBIDDEN', 'It is too late to cancel this order yourself.', 'status', to_jsonb(change_order_status.status)
    );
  end if;

  insert into public.order_status_changes (tenant_id, order_id, old_status, new_status, note, actor_id)
  values (
    target.tenant_id, target.id, target.status, change_order_status.status, change_order_status.note, auth.uid()
  );

  -- Until it is shipped an order holds a reservation; afterwards the pieces are gone.
  was_held := target.status in ('pending', 'confirmed', 'processing');
  if change_order_status.status = 'cancelled' then
    perform private.take_stock(target.id, 0, -1);
  elsif change_order_status.status = 'returned' then
    perform private.take_stock(target.id, 1, 0);
  elsif was_held and change_order_status.status in ('shipped', 'delivered') then
    perform private.take_stock(target.id, -1, -1);
  end if;
end
$$;
comment on function private.change_order_status is
  'Moves an order, with the stock that follows from it, or refuses: NOT_FOUND, FORBIDDEN, INVALID_TRANSITION.';

create function public.change_order_status(
  order_id uuid, status public.order_status, note text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.change_order_status(order_id, status, note);
  return (select to_jsonb(d) from public.order_details d where d.id = change_order_status.order_id);
end
$$;
comment on function public.change_order_status is
  'Moves an order to a status and answers its whole record. Admins make any move; suppliers move orders forward that hold their items only; customers cancel while pending or confirmed.';

-- triggers -------------------------------------------------------------------------------------

create trigger orders_check_status_move
  before update of status on public.orders
  for each row execute function private.check_status_move();

create trigger orders_touch
  before update on public.orders
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.orders enable row level security;
alter table public.order_items enable row level security;
alter table public.order_status_changes enable row level security;

create policy "Admins and clients see all orders, customers their own, suppliers those with their items" on public.orders
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then customer_id = (select private.customer_id())
      when 'supplier' then supplier_ids @> array[(select private.supplier_id())]
      else true
    end
  );

create policy "Whoever sees an order sees its items, suppliers their own" on public.order_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then (select true from public.orders o where o.id = order_id)
      when 'supplier' then supplier_id = (select private.supplier_id())
      else true
    end
  );

create policy "Whoever sees an order sees its history" on public.order_status_changes
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.orders o where o.id = order_id)
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.orders, public.order_items, public.order_status_changes, public.order_details to authenticated;
grant all on public.orders, public.order_items, public.order_status_changes, public.order_details to service_role;
grant execute on function private.place_order, private.change_order_status to authenticated;
grant execute on function public.place_order, public.change_order_status to authenticated;
