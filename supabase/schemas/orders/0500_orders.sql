-- Orders: placed against stock that is reserved in the same transaction, and numbered without gaps. This file has
-- their tables, the checks of amounts and addresses, and the functions that lock and move their stock.

create type public.order_status as enum (
  'pending', 'confirmed', 'processing', 'shipped', 'delivered', 'cancelled', 'returned'
);
create type public.payment_status as enum ('pending', 'paid', 'failed', 'refunded');
create type public.refund_bearer as enum ('operator', 'supplier');
comment on type public.refund_bearer is 'Who bears a refund, or a discount.';

-- The properties of statuses are defined here alone. An order moves forward in the sequence of the type, so a new status
-- before 'shipped' holds stock. These functions have no SET clause, so that Postgres inlines them into queries and trigger
-- conditions.
create function private.holds_stock(status public.order_status) returns boolean
language sql immutable
return status < 'shipped';
comment on function private.holds_stock is
  'Whether the pieces of an order with this status are still reserved in the stock.';

create function private.is_untouched(status public.order_status) returns boolean
language sql immutable
return status < 'processing';
comment on function private.is_untouched is
  'Whether work on an order with this status has not begun, so that its customer may still cancel it.';

create function private.is_sent(status public.order_status) returns boolean
language sql immutable
return status in ('shipped', 'delivered');
comment on function private.is_sent is 'Whether an order with this status was sent, and was not returned as a whole.';

create function private.is_void(status public.order_status) returns boolean
language sql immutable
return status in ('cancelled', 'returned');
comment on function private.is_void is 'Whether an order with this status was cancelled, or returned as a whole.';

create function private.was_paid(status public.payment_status) returns boolean
language sql immutable
return status in ('paid', 'refunded');
comment on function private.was_paid is
  'Whether an order with this payment status was paid, even if the payment was refunded since.';

-- tables ---------------------------------------------------------------------------------------

create table private.order_numbers (
  tenant_id uuid not null,
  marketplace_id uuid not null,
  last_number bigint not null,
  constraint order_numbers_pkey primary key (tenant_id, marketplace_id),
  constraint order_numbers_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade
);
comment on table private.order_numbers is 'The number of each marketplace''s last order.';

create table public.orders (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  marketplace_id uuid not null,
  number bigint not null,
  customer_id uuid not null,
  status public.order_status not null default 'pending',
  payment_status public.payment_status not null default 'pending',
  currency text not null,
  delivery_method text,
  payment_method text,
  payment_due_at timestamptz,
  payment_reversed_at timestamptz,
  shipping_address jsonb,
  billing_address jsonb,
  tax_id text,
  contact jsonb,
  language text,
  external_id text,
  imported_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint orders_tenant_id_id_key unique (tenant_id, id),
  -- In this order of columns, the index also finds an order by its number alone.
  constraint number_is_unique_in_orders unique (tenant_id, number, marketplace_id),
  constraint orders_marketplace_id_fkey foreign key (tenant_id, marketplace_id, currency)
    references public.marketplaces (tenant_id, id, currency),
  constraint orders_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id),
  constraint orders_shipping_address_is_without_numbers_of_over_30_digits check (private.has_short_numbers(shipping_address)),
  constraint orders_billing_address_is_without_numbers_of_over_30_digits check (private.has_short_numbers(billing_address)),
  constraint orders_tax_id_is_1_to_50_characters check (char_length(tax_id) between 1 and 50 and private.is_more_than_spaces(tax_id)),
  constraint orders_language_is_a_language check (private.is_language(language)),
  constraint orders_external_id_is_1_to_200_characters check (char_length(external_id) between 1 and 200),
  constraint orders_imported_at_is_set_with_the_external_id check ((imported_at is null) = (external_id is null))
);
comment on table public.orders is
  'An order of a customer on a marketplace, with what everybody who sees it may know. Items and amounts are in its parts. payment_due_at: the deadline for the payment of a pending order; null if no payment is due. payment_reversed_at: when its payment was taken back; null if it was not, or if the order was paid again. shipping_address: name, company, street, city, region, postal_code, country, phone and any other fields that were sent; null if all items are digital goods and services. billing_address: the same of the invoice; null if it is the shipping_address. tax_id: the buyer''s tax number. contact: email, name and phone of the person to write to about the order; null if that is the customer''s account. language: the language of mails about the order; null if it is not known. imported_at: set for a past order of another system, which calls it external_id; such an order never reserves or moves stock, costs no commission, emits no event and belongs to no click. Both are null for orders that were placed here.';

create table public.order_parts (
  tenant_id uuid not null,
  order_id uuid not null,
  supplier_id uuid,
  customer_id uuid not null,
  status public.order_status not null default 'pending',
  accepted boolean not null default false,
  subtotal numeric not null,
  delivery_amount numeric not null default 0,
  delivery_recipient public.delivery_recipient not null default 'operator',
  delivery_owed boolean not null default true,
  delivers_all boolean not null default false,
  legal jsonb not null default '{}',
  discount_amount numeric not null default 0,
  delivery_discount_amount numeric not null default 0,
  tax_included boolean not null default true,
  tax_amount numeric not null default 0,
  exempt_amount numeric not null default 0,
  delivery_tax_rate numeric,
  delivery_tax_name text,
  delivery_tax_amount numeric not null default 0,
  delivery_exempt_amount numeric not null default 0,
  tax_note text,
  constraint supplier_id_is_unique_in_order_parts unique nulls not distinct (order_id, supplier_id),
  constraint order_parts_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_parts_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint order_parts_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id),
  constraint order_parts_subtotal_is_not_negative check (subtotal >= 0),
  constraint order_parts_subtotal_is_of_at_most_4_decimals check (scale(subtotal) <= 4),
  constraint order_parts_delivery_amount_is_not_negative check (delivery_amount >= 0),
  constraint order_parts_delivery_amount_is_of_at_most_4_decimals check (scale(delivery_amount) <= 4),
  constraint order_parts_delivery_recipient_is_operator_without_a_supplier
    check (delivery_recipient = 'operator' or supplier_id is not null),
  constraint order_parts_delivers_all_is_for_the_operator check (not delivers_all or supplier_id is null),
  constraint order_parts_tax_amount_is_at_least_that_of_the_delivery
    check (tax_amount >= delivery_tax_amount and delivery_tax_amount >= 0),
  constraint order_parts_exempt_amount_is_at_least_that_of_the_delivery
    check (exempt_amount >= delivery_exempt_amount and delivery_exempt_amount between 0 and delivery_amount),
  constraint order_parts_discount_amount_is_part_of_the_subtotal check (discount_amount between 0 and subtotal),
  constraint order_parts_delivery_discount_amount_is_part_of_the_delivery
    check (delivery_discount_amount between 0 and delivery_amount)
);
comment on table public.order_parts is
  'The part of each supplier in an order, with its status and price; without a supplier, the part of the operator. A supplier sees its own part. accepted: the order was moved by hand beyond pending, so that the payment deadline cancels nothing of it. legal: the supplier''s legal identity when the order was placed; empty if it was not known, and for imported orders. delivery_recipient: who receives the delivery_amount, by the marketplace''s settings when the order was placed. delivery_owed: whether the delivery_amount is owed; false once all pieces that it was for are cancelled or lost. delivers_all: delivery is charged once for the whole order, on this part of the operator. discount_amount, delivery_discount_amount: what discounts take off subtotal and delivery_amount. tax_included: whether prices contain the tax. tax_amount: of all in the part. exempt_amount: tax that prices contain and the buyer does not pay, by tax_note reverse_charge.';
-- The whole row identifies it for replication, because supplier_id may be null.
alter table public.order_parts replica identity full;

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
  shipped_quantity integer not null default 0,
  delivered_quantity integer not null default 0,
  returned_quantity integer not null default 0,
  lost_quantity integer not null default 0,
  cancelled_quantity integer not null default 0,
  unpaid_quantity integer not null default 0,
  sold_quantity integer not null
    generated always as (quantity - cancelled_quantity - returned_quantity - lost_quantity) stored,
  starts_at timestamptz,
  price numeric not null,
  amount numeric not null generated always as (price * quantity) stored,
  discount_amount numeric not null default 0,
  discount_borne_by public.refund_bearer,
  discount_code text,
  discount_id uuid,
  tax_included boolean not null default true,
  tax_rate numeric,
  tax_name text,
  tax_amount numeric not null default 0,
  exempt_amount numeric not null default 0,
  net_amount numeric not null
    generated always as (
      price * quantity - discount_amount - exempt_amount - case when tax_included then tax_amount else 0 end
    ) stored,
  constraint order_items_tenant_id_order_id_id_key unique (tenant_id, order_id, id),
  constraint order_items_order_id_position_key unique (order_id, position),
  constraint order_items_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_items_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id),
  constraint order_items_variant_id_fkey foreign key (tenant_id, product_id, variant_id)
    references public.product_variants (tenant_id, product_id, id),
  constraint order_items_price_is_not_negative check (price >= 0),
  constraint order_items_price_is_of_at_most_4_decimals check (scale(price) <= 4),
  constraint order_items_quantity_is_positive check (quantity > 0),
  constraint order_items_quantity_is_open_shipped_or_cancelled
    check (shipped_quantity >= 0 and cancelled_quantity >= 0 and shipped_quantity + cancelled_quantity <= quantity),
  constraint order_items_shipped_quantity_is_in_transit_delivered_or_lost
    check (delivered_quantity >= 0 and lost_quantity >= 0 and delivered_quantity + lost_quantity <= shipped_quantity),
  constraint order_items_returned_quantity_is_at_most_what_was_delivered
    check (returned_quantity between 0 and delivered_quantity),
  constraint order_items_unpaid_quantity_is_part_of_the_quantity check (unpaid_quantity between 0 and quantity),
  constraint order_items_tax_rate_is_from_0_to_100 check (tax_rate between 0 and 100),
  constraint order_items_tax_amount_is_not_negative check (tax_amount >= 0),
  constraint order_items_discount_amount_is_part_of_the_amount check (discount_amount between 0 and price * quantity),
  constraint order_items_discount_borne_by_is_set_with_the_discount_id
    check ((discount_borne_by is null) = (discount_id is null)),
  constraint order_items_exempt_amount_is_part_of_the_amount
    check (exempt_amount between 0 and price * quantity - discount_amount)
);
comment on table public.order_items is
  'The lines of an order, with name and price as they were when it was placed, and the number of pieces in each state. shipped_quantity includes delivered and lost pieces, delivered_quantity includes returned ones. sold_quantity: pieces that are neither cancelled, returned nor lost. unpaid_quantity: pieces that were cancelled, returned or lost before the order was paid, so that nobody paid for them. amount: quantity × price; discount_amount: what a discount (discount_id, by discount_code if it needs one) takes off it, which discount_borne_by bears; tax_rate and tax_name: of the tax rate when the order was placed, null without one; tax_amount: the tax, which amount contains if tax_included; exempt_amount: tax that amount contains and the buyer does not pay; net_amount: without tax.';
alter table public.order_items replica identity using index order_items_tenant_id_order_id_id_key;

alter table public.orders replica identity full;
alter publication supabase_realtime add table public.orders;

-- The ledger says for which order stock moved. Checked at commit: stock is reserved before the order is written.
alter table public.inventory_movements
  add constraint inventory_movements_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) deferrable initially deferred;

-- amounts ----------------------------------------------------------------------------------------

-- Without a SET clause, so that Postgres inlines them into queries, as the properties of statuses.
-- Rounded to as many decimals as the amount has: those of its currency. So growing parts end at the amount.
create function private.share_of(amount numeric, pieces integer, quantity integer) returns numeric
language sql immutable
return round(amount * pieces / quantity, scale(amount));
comment on function private.share_of is 'The share of some pieces in an amount for all pieces of an item.';

create function private.tax_of(item public.order_items, pieces integer) returns numeric
language sql immutable
return private.share_of((item).tax_amount, pieces, (item).quantity);
comment on function private.tax_of is 'The tax of some pieces of an item.';

create function private.discount_of(item public.order_items, pieces integer) returns numeric
language sql immutable
return private.share_of((item).discount_amount, pieces, (item).quantity);
comment on function private.discount_of is 'What a discount takes off some pieces of an item.';

create function private.price_of(item public.order_items, pieces integer) returns numeric
language sql immutable
return (item).price * pieces - private.discount_of(item, pieces)
  - private.share_of((item).exempt_amount, pieces, (item).quantity)
  + case when (item).tax_included then 0 else private.tax_of(item, pieces) end;
comment on function private.price_of is
  'What a buyer pays for some pieces of an item: their price less its discount, with tax that it does not contain, and without tax that the buyer does not pay. The only function that prices kept, cancelled and returned pieces.';

create function private.earned_tax_of(item public.order_items, pieces integer) returns numeric
language sql immutable
return case
  when (item).discount_borne_by = 'operator' then round(
    (item).price * pieces * coalesce((item).tax_rate, 0)
      / case when (item).tax_included then 100 + coalesce((item).tax_rate, 0) else 100 end,
    scale((item).tax_amount)
  )
  else private.tax_of(item, pieces)
end;
comment on function private.earned_tax_of is
  'The tax of what the supplier of some pieces of an item earns: as without a discount that the operator bears.';

create function private.earned_of(item public.order_items, pieces integer) returns numeric
language sql immutable
return private.price_of(item, pieces)
  + case (item).discount_borne_by when 'operator' then private.discount_of(item, pieces) else 0 end
  + case when (item).tax_included then 0 else private.earned_tax_of(item, pieces) - private.tax_of(item, pieces) end;
comment on function private.earned_of is
  'What the supplier of some pieces of an item earns: what the buyer pays, and the discount if the operator bears it.';

create function private.delivery_price_of(part public.order_parts) returns numeric
language sql immutable
return (part).delivery_amount - (part).delivery_discount_amount - (part).delivery_exempt_amount
  + case when (part).tax_included then 0 else (part).delivery_tax_amount end;
comment on function private.delivery_price_of is 'What a buyer pays for the delivery of a part of an order.';

create function private.total_of(part public.order_parts) returns numeric
language sql immutable
return (part).subtotal + (part).delivery_amount - (part).discount_amount - (part).delivery_discount_amount
  - (part).exempt_amount
  + case when (part).tax_included then 0 else (part).tax_amount end;
comment on function private.total_of is 'What a buyer pays for a part of an order, before cancellations and returns.';

-- indexes --------------------------------------------------------------------------------------

create unique index external_id_is_unique_in_orders on public.orders (tenant_id, external_id, marketplace_id)
  where external_id is not null;
create index orders_tenant_id_created_at_idx on public.orders (tenant_id, created_at desc, id);
create index orders_marketplace_idx on public.orders (tenant_id, marketplace_id, currency);
create index orders_customer_idx on public.orders (tenant_id, customer_id, created_at desc, id);
create index order_parts_supplier_idx on public.order_parts (tenant_id, supplier_id, order_id);
create index order_parts_customer_idx on public.order_parts (tenant_id, customer_id);
create index order_items_product_idx on public.order_items (tenant_id, product_id, variant_id);

-- functions ------------------------------------------------------------------------------------

create function private.next_order_number() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Orders of one marketplace wait for each other from here to their commit, which is the price of numbers without
  -- gaps. Their stock is reserved before.
  insert into private.order_numbers as n (tenant_id, marketplace_id, last_number)
  values (new.tenant_id, new.marketplace_id, 1)
  on conflict (tenant_id, marketplace_id) do update set last_number = n.last_number + 1
  returning n.last_number into new.number;
  return new;
end
$$;
comment on function private.next_order_number() is 'Row trigger: numbers the orders of each marketplace 1, 2, 3, without gaps.';

create function private.check_order_money() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  touched uuid;
  broken text;
begin
  if tg_table_name = 'orders' then
    touched := new.id;
  elsif tg_op = 'DELETE' then
    touched := old.order_id;
  else
    touched := new.order_id;
  end if;

  select case
    when sum(line.sold) <> sum(line.charged) or line.supplier_id is not null and not bool_or(line.is_part)
      then 'order_parts_subtotal_is_the_sum_of_its_items'
    when sum(line.discount) <> 0 then 'order_parts_discount_amount_is_the_sum_of_its_items'
    when sum(line.tax) <> 0 then 'order_parts_tax_amount_is_the_sum_of_its_items_and_delivery'
    when max(scale(line.finest)) > c.exponent then 'order_parts_amounts_are_no_finer_than_the_currency'
  end as rule
  into broken
  from public.orders o
  join private.currencies c on c.code = o.currency
  cross join lateral (
    select
      i.supplier_id, i.amount as sold, 0 as charged, i.discount_amount as discount, i.tax_amount - i.exempt_amount as tax,
      trim_scale(i.price) as finest, false as is_part
    from public.order_items i
    where i.tenant_id = o.tenant_id and i.order_id = o.id
    union all
    select
      p.supplier_id, 0, p.subtotal, -p.discount_amount,
      p.delivery_tax_amount - p.delivery_exempt_amount - p.tax_amount + p.exempt_amount, trim_scale(p.delivery_amount), true
    from public.order_parts p
    where p.tenant_id = o.tenant_id and p.order_id = o.id
  ) as line
  where o.id = touched
  group by line.supplier_id, c.exponent
  order by rule
  limit 1;

  if broken is not null then
    raise exception using
      errcode = 'check_violation',
      message = format('new row for relation "order_parts" violates check constraint "%s"', broken);
  end if;
  return null;
end
$$;
comment on function private.check_order_money() is
  'Row trigger at commit: the items of each part of an order add up to its subtotal, and no amount has more decimals than its currency.';

create function private.erased_address(address jsonb) returns jsonb
language sql immutable
return case when address is not null then
  jsonb_build_object('street', '')
  || case when address ? 'country' then jsonb_build_object('country', address -> 'country') else '{}' end
end;
comment on function private.erased_address is
  'What is kept of an address when personal data is erased: its country, which the books need. The street is an empty text, because records of addresses always have one.';

create function private.check_address() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and (new.shipping_address, new.billing_address) is not distinct from
    (private.erased_address(old.shipping_address), private.erased_address(old.billing_address))
  then
    return new;
  end if;
  if new.shipping_address is not null then
    new.shipping_address := private.checked_address(new.shipping_address, null);
  end if;
  if new.billing_address is not null then
    new.billing_address := private.checked_address(new.billing_address, null, 'billing_address');
  end if;
  return new;
end
$$;
comment on function private.check_address() is
  'Row trigger: checks the addresses with private.checked_address, unless an update erases both. Refuses with VALIDATION_ERROR.';

create function private.ordering_customer(customer_id uuid) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  scope private.permission_scope := private.scope('orders.place');
begin
  if scope = 'own' then
    if customer_id is not null and customer_id <> private.customer_id() then
      perform private.refuse(
        'FORBIDDEN', 'customer_id must be your own, or left out.', 'customer_id', to_jsonb(customer_id)
      );
    end if;
    return private.customer_id();
  elsif scope = 'all' then
    if customer_id is null then
      perform private.refuse('VALIDATION_ERROR', 'customer_id is required.', 'customer_id', 'null');
    elsif not exists (
      select 1 from public.customers c
      where c.tenant_id = private.tenant_id() and c.id = ordering_customer.customer_id and c.erased_at is null
    ) then
      perform private.refuse('NOT_FOUND', 'There is no such customer.', 'customer_id', to_jsonb(customer_id));
    end if;
    return customer_id;
  end if;
  perform private.refuse('FORBIDDEN', 'Your role may not place orders.');
  return null;
end
$$;
comment on function private.ordering_customer is
  'The customer for whom the caller places an order. Refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function private.seen_order(order_id uuid) returns public.orders
language plpgsql stable security definer set search_path = ''
as $$
declare
  seen public.orders;
begin
  select * into seen
  from public.orders o
  where o.tenant_id = private.tenant_id()
    and o.id = seen_order.order_id
    and case private.reach('orders.read')
      when 'customer' then o.customer_id = private.customer_id()
      when 'supplier' then exists (
        select 1 from public.order_parts p where p.order_id = o.id and p.supplier_id = private.supplier_id()
      )
      when 'all' then true
    end;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  end if;
  return seen;
end
$$;
comment on function private.seen_order is
  'An order that the caller sees, for functions that bypass the policies. Refuses with NOT_FOUND.';

create function private.lock_stock(tenant_id uuid, pieces jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  products uuid[];
  units uuid[];
begin
  select
    array_agg((piece ->> 'product_id')::uuid),
    array_agg(coalesce(piece ->> 'variant_id', piece ->> 'product_id')::uuid)
  into products, units
  from jsonb_array_elements(pieces) as piece;

  perform 1
  from public.inventory i
  where i.tenant_id = lock_stock.tenant_id
    and i.product_id = any (products)
    and coalesce(i.variant_id, i.product_id) = any (units)
  order by i.id
  for update;
end
$$;
comment on function private.lock_stock is
  'Locks the stock of pieces, a list of product_id and variant_id, in the order of ids. Everything that takes stock for orders calls this first, which prevents deadlocks.';

create function private.take_stock(tenant_id uuid, order_id uuid, reason text, pieces jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  quantity_sign integer := case reason when 'ship' then -1 when 'return' then 1 when 'void' then 1 else 0 end;
  reserved_sign integer :=
    case reason when 'reserve' then 1 when 'release' then -1 when 'ship' then -1 when 'void' then 1 else 0 end;
  products uuid[] := array(select (piece ->> 'product_id')::uuid from jsonb_array_elements(pieces) as piece);
begin
  perform private.explain_stock_change(reason, order_id => take_stock.order_id);
  update public.inventory i
  set quantity = i.quantity + quantity_sign * taken.quantity,
      reserved = i.reserved + reserved_sign * taken.quantity
  from (
    select piece.product_id, piece.variant_id, sum(piece.quantity)::integer as quantity
    from jsonb_to_recordset(pieces) as piece (product_id uuid, variant_id uuid, quantity integer)
    join (
      select p.id from public.products p where p.id = any (products) and p.track_inventory
    ) as tracked on tracked.id = piece.product_id
    group by piece.product_id, piece.variant_id
  ) as taken
  where i.tenant_id = take_stock.tenant_id
    and i.product_id = any (products)
    and i.product_id = taken.product_id
    and i.variant_id is not distinct from taken.variant_id;
end
$$;
comment on function private.take_stock is
  'Moves the stock of an order''s pieces, a list of product_id, variant_id and quantity, for one of the ledger''s reasons: reserve, release, ship, void, return. The caller has locked the stock.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.orders for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.order_parts for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.order_items for each row execute function private.keep_nfc();

create trigger orders_check_address
  before insert or update of shipping_address, billing_address on public.orders
  for each row when (coalesce(new.shipping_address, new.billing_address) is not null)
  execute function private.check_address();

create trigger orders_take_number
  before insert on public.orders
  for each row execute function private.next_order_number();

create trigger orders_touch
  before update on public.orders
  for each row execute function private.touch();

create constraint trigger orders_check_money
  after update of currency on public.orders
  deferrable initially deferred
  for each row execute function private.check_order_money();

create constraint trigger order_parts_check_money
  after insert
    or update of
      order_id, supplier_id, subtotal, delivery_amount, discount_amount, tax_amount, exempt_amount, delivery_tax_amount,
      delivery_exempt_amount
    or delete on public.order_parts
  deferrable initially deferred
  for each row execute function private.check_order_money();

create constraint trigger order_items_check_money
  after insert or update of price, quantity, discount_amount, tax_amount, exempt_amount or delete on public.order_items
  deferrable initially deferred
  for each row execute function private.check_order_money();

-- policies -------------------------------------------------------------------------------------

alter table private.order_numbers enable row level security;
alter table public.orders enable row level security;
alter table public.order_parts enable row level security;
alter table public.order_items enable row level security;

create policy "Admins and clients see all orders, customers their own, suppliers those with their items" on public.orders
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.reach('orders.read'))
      when 'customer' then customer_id = (select private.customer_id())
      -- For few orders Postgres looks up each part; for many it reads all parts of the supplier once.
      when 'supplier' then exists (
        select 1 from public.order_parts p where p.order_id = orders.id and p.supplier_id = (select private.supplier_id())
      )
      when 'all' then true
    end
  );

create policy "Admins and clients see all parts, customers those of their orders, suppliers their own" on public.order_parts
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.reach('orders.read'))
      when 'customer' then customer_id = (select private.customer_id())
      when 'supplier' then supplier_id = (select private.supplier_id())
      when 'all' then true
    end
  );

create policy "Members who see an order see its items, suppliers their own" on public.order_items
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.reach('orders.read'))
      when 'customer' then (select true from public.orders o where o.id = order_id)
      when 'supplier' then supplier_id = (select private.supplier_id())
      when 'all' then true
    end
  );

-- grants ---------------------------------------------------------------------------------------

-- Functions and trigger conditions that run as the caller use these.
grant execute on function private.holds_stock, private.is_untouched, private.is_sent, private.is_void, private.was_paid
  to authenticated, service_role;
grant select on public.orders, public.order_parts, public.order_items to authenticated;
grant all on public.orders, public.order_parts, public.order_items to service_role;
