-- The book of sales: every figure about sales is a sum of its lines. A line is written in the transaction that it
-- describes and is never changed. Orders placed add to the figures; cancellations and returns subtract from them.

-- types ----------------------------------------------------------------------------------------

create type private.sale_kind as enum (
  'placed', 'cancelled', 'returned', 'delivery', 'received', 'refunded', 'commission', 'promotion'
);
comment on type private.sale_kind is
  'What a line of the book describes: items of an order (placed, cancelled, returned), its delivery, payments (received, refunded), and what the operator itself earns (commission, promotion).';

-- tables ---------------------------------------------------------------------------------------

create table private.sales (
  id bigint generated always as identity,
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  kind private.sale_kind not null,
  booked_at timestamptz not null,
  placed_at timestamptz not null,
  order_id uuid,
  customer_id uuid,
  marketplace_id uuid not null,
  currency text not null,
  supplier_id uuid,
  category_id uuid,
  product_id uuid,
  quantity integer not null default 0,
  amount numeric not null,
  first_of_order boolean not null default false,
  first_of_supplier boolean not null default false,
  first_of_category boolean not null default false,
  first_of_supplier_category boolean not null default false,
  first_of_product boolean not null default false,
  tax numeric not null default 0,
  constraint sales_pkey primary key (tenant_id, id),
  constraint sales_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint sales_amount_is_of_at_most_4_decimals check (scale(amount) <= 4)
);
comment on table private.sales is
  'The book of sales. booked_at: when it happened; placed_at: when its order was placed (for payments and promotion: when they happened). category_id: the product''s category at the time of the sale. supplier_id: null for the operator''s own products. quantity (pieces) and amount are negative for cancellations, returns and refunds, and for payments that were reversed; the amount of a refund that failed is positive. tax: of items, in the amount. first_of_: marks one placed line of each order, and one of each supplier, category, supplier and category, and product in it: orders are counted by these marks.';

-- indexes --------------------------------------------------------------------------------------

create index sales_tenant_id_booked_at_idx on private.sales (tenant_id, booked_at, id);
create index sales_tenant_id_placed_at_idx on private.sales (tenant_id, placed_at);
create index sales_order_idx on private.sales (tenant_id, order_id);

-- functions ------------------------------------------------------------------------------------

create function private.ended_at(target public.orders) returns timestamptz
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (
      select max(c.created_at)
      from public.order_status_changes c
      where c.tenant_id = target.tenant_id and c.order_id = target.id and c.new_status = target.status
    ),
    target.created_at
  )
$$;
comment on function private.ended_at is
  'When an order that is inserted as cancelled or returned got this status, from its history, which is written before its items.';

create function private.enter_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, category_id,
    product_id, quantity, amount, first_of_order, first_of_supplier, first_of_category, first_of_supplier_category,
    first_of_product, tax
  )
  select
    o.tenant_id, line.kind, line.booked_at, o.created_at, o.id, o.customer_id, o.marketplace_id, o.currency,
    i.supplier_id, p.category_id, i.product_id, line.quantity,
    private.price_of(item, line.kept) - private.price_of(item, line.kept - line.quantity),
    line.kind = 'placed' and row_number() over (partition by o.id, line.kind order by i.position) = 1,
    line.kind = 'placed' and row_number() over (partition by o.id, line.kind, i.supplier_id order by i.position) = 1,
    line.kind = 'placed' and row_number() over (partition by o.id, line.kind, p.category_id order by i.position) = 1,
    line.kind = 'placed'
      and row_number() over (partition by o.id, line.kind, i.supplier_id, p.category_id order by i.position) = 1,
    line.kind = 'placed' and row_number() over (partition by o.id, line.kind, i.product_id order by i.position) = 1,
    private.tax_of(item, line.kept) - private.tax_of(item, line.kept - line.quantity)
  from new_items i
  join public.order_items item on item.id = i.id
  join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
  join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
  -- An imported order is inserted in its last status. kept: the pieces that are left after the line.
  cross join lateral (
    select 'placed'::private.sale_kind as kind, o.created_at as booked_at, i.quantity, i.quantity as kept
    union all
    select 'cancelled', private.ended_at(o), -i.cancelled_quantity, i.quantity - i.cancelled_quantity
    where i.cancelled_quantity > 0
    union all
    select 'returned', private.ended_at(o), -(i.returned_quantity + i.lost_quantity), i.sold_quantity
    where i.returned_quantity + i.lost_quantity > 0
  ) as line;
  return null;
end
$$;
comment on function private.enter_items() is 'Statement trigger: enters the items of new orders.';

create function private.enter_delivery() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, amount
  )
  select
    o.tenant_id, 'delivery', line.booked_at, o.created_at, o.id, o.customer_id, o.marketplace_id, o.currency,
    new.supplier_id, line.amount
  from public.orders o
  cross join lateral (
    select o.created_at as booked_at, private.delivery_price_of(new) as amount
    union all
    select private.ended_at(o), -private.delivery_price_of(new) where not new.delivery_owed
  ) as line
  where o.tenant_id = new.tenant_id and o.id = new.order_id;
  return null;
end
$$;
comment on function private.enter_delivery() is 'Row trigger: enters the delivery of a part of an order.';

create function private.enter_unowed_delivery() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, amount
  )
  select
    o.tenant_id, 'delivery', now(), o.created_at, o.id, o.customer_id, o.marketplace_id, o.currency, new.supplier_id,
    -private.delivery_price_of(new)
  from public.orders o
  where o.tenant_id = new.tenant_id and o.id = new.order_id;
  return null;
end
$$;
comment on function private.enter_unowed_delivery() is
  'Row trigger: subtracts a delivery that is no longer owed.';

create function private.enter_changed_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, category_id,
    product_id, quantity, amount, tax
  )
  select
    o.tenant_id, line.kind, now(), o.created_at, o.id, o.customer_id, o.marketplace_id, o.currency, i.supplier_id,
    sold.category_id, i.product_id, line.quantity,
    private.price_of(item, line.kept) - private.price_of(item, line.kept - line.quantity),
    private.tax_of(item, line.kept) - private.tax_of(item, line.kept - line.quantity)
  from new_items i
  join public.order_items item on item.id = i.id
  join old_items was on was.id = i.id and was.sold_quantity <> i.sold_quantity
  join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
  cross join lateral (
    select s.category_id
    from private.sales s
    where s.tenant_id = i.tenant_id and s.order_id = i.order_id and s.product_id = i.product_id
    limit 1
  ) as sold
  -- Lost pieces are booked as returned.
  cross join lateral (
    values
      (
        'cancelled'::private.sale_kind, was.cancelled_quantity - i.cancelled_quantity,
        was.sold_quantity + was.cancelled_quantity - i.cancelled_quantity
      ),
      ('returned', was.returned_quantity + was.lost_quantity - i.returned_quantity - i.lost_quantity, i.sold_quantity)
  ) as line (kind, quantity, kept)
  where line.quantity <> 0;
  return null;
end
$$;
comment on function private.enter_changed_items() is
  'Statement trigger: enters pieces that were cancelled, returned or lost, in the category in which they were sold.';

create function private.enter_payment() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, amount
  )
  select
    o.tenant_id,
    case when new.status in ('paid', 'payment_reversed') then 'received' else 'refunded' end::private.sale_kind,
    t.happened_at, t.happened_at, o.id, o.customer_id, o.marketplace_id, o.currency,
    private.balance_change(new.status, new.amount)
  from public.orders o
  -- The payment of an imported order counts for the day on which it was made.
  cross join (select least(new.created_at, now()) as happened_at) as t
  where o.tenant_id = new.tenant_id and o.id = new.order_id;
  return null;
end
$$;
comment on function private.enter_payment() is
  'Row trigger: enters a payment or refund, and what undoes it, when it happens.';

create function private.enter_commissions(target public.orders, supplier_id uuid, amount numeric) returns void
language sql security definer set search_path = ''
as $$
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, amount
  )
  select
    target.tenant_id, 'commission', now(), target.created_at, target.id, target.customer_id, target.marketplace_id,
    target.currency, enter_commissions.supplier_id, enter_commissions.amount
  where enter_commissions.amount <> 0
$$;
comment on function private.enter_commissions is 'Enters the commission that the operator earns from a supplier''s sale, or gives back (negative).';

create function private.earn_commissions() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.enter_commissions(
    new, c.supplier_id, case new.payment_status when 'failed' then -c.commission_amount else c.commission_amount end
  )
  from public.order_commissions c
  where c.tenant_id = new.tenant_id and c.order_id = new.id;
  return null;
end
$$;
comment on function private.earn_commissions() is
  'Row trigger: enters the commission of an order when it is paid, and takes it out when the payment is reversed.';

create function private.adjust_commissions() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.enter_commissions(o, new.supplier_id, new.commission_amount - old.commission_amount)
  from public.orders o
  where o.tenant_id = new.tenant_id and o.id = new.order_id and private.was_paid(o.payment_status);
  return null;
end
$$;
comment on function private.adjust_commissions() is
  'Row trigger: enters changes of earned commission when items are cancelled or returned, whether or not their payment is refunded.';

create function private.enter_promotion() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, marketplace_id, currency, supplier_id, category_id, product_id, amount
  )
  select
    c.tenant_id, 'promotion', now(), now(), m.id, m.currency, c.supplier_id, c.category_id, c.product_id,
    charged.amount
  from (
    select n.tenant_id, n.campaign_id, sum(n.amount) as amount from new_charges n group by n.tenant_id, n.campaign_id
  ) as charged
  join public.campaigns c on c.tenant_id = charged.tenant_id and c.id = charged.campaign_id
  join public.marketplaces m on m.tenant_id = c.tenant_id and m.id = c.marketplace_id
  where charged.amount <> 0;
  return null;
end
$$;
comment on function private.enter_promotion() is 'Statement trigger: enters charges for promotion and their refunds.';

-- A view, so that Postgres inlines it into the query that reads it.
create view private.sale_figures as
select
  -- All columns but the tax, which is last.
  s.id, s.tenant_id, s.kind, s.booked_at, s.placed_at, s.order_id, s.customer_id, s.marketplace_id, s.currency,
  s.supplier_id, s.category_id, s.product_id, s.quantity, s.amount, s.first_of_order, s.first_of_supplier,
  s.first_of_category, s.first_of_supplier_category, s.first_of_product,
  case when s.kind = 'placed' then s.quantity else 0 end as items,
  case when s.kind in ('cancelled', 'returned') then -s.quantity else 0 end as lost_items,
  case when s.kind = 'placed' then s.amount else 0 end as placed,
  case when s.kind = 'cancelled' then -s.amount else 0 end as cancelled,
  case when s.kind = 'returned' then -s.amount else 0 end as returned,
  case when s.kind = 'delivery' then s.amount else 0 end as delivery,
  case when s.kind = 'received' then s.amount else 0 end as received,
  case when s.kind = 'refunded' then -s.amount else 0 end as refunded,
  case when s.kind = 'commission' then s.amount else 0 end as commission,
  case when s.kind = 'promotion' then s.amount else 0 end as promotion,
  s.tax
from private.sales s;
comment on view private.sale_figures is
  'The book with what each line adds to each figure. items: pieces placed; lost_items: pieces cancelled or returned; cancelled, returned and refunded count up.';

-- triggers -------------------------------------------------------------------------------------

create trigger order_items_enter
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.enter_items();

create trigger order_items_enter_changes
  after update on public.order_items
  referencing old table as old_items new table as new_items
  for each statement execute function private.enter_changed_items();

create trigger order_parts_enter_delivery
  after insert on public.order_parts
  for each row when (new.delivery_amount <> 0)
  execute function private.enter_delivery();

create trigger order_parts_enter_unowed_delivery
  after update of delivery_owed on public.order_parts
  for each row when (old.delivery_owed and not new.delivery_owed and new.delivery_amount <> 0)
  execute function private.enter_unowed_delivery();

create trigger orders_earn_commissions
  after update of payment_status on public.orders
  -- A refund leaves the commission as it is, so a failed refund changes nothing.
  for each row when (private.was_paid(new.payment_status) <> private.was_paid(old.payment_status))
  execute function private.earn_commissions();

create trigger order_commissions_adjust
  after update of commission_amount on public.order_commissions
  for each row when (new.commission_amount <> old.commission_amount)
  execute function private.adjust_commissions();

create trigger payments_enter
  after insert on public.payments
  for each row when (new.status <> 'failed')
  execute function private.enter_payment();

create trigger placement_charges_enter
  after insert on public.placement_charges
  referencing new table as new_charges
  for each statement execute function private.enter_promotion();

-- policies -------------------------------------------------------------------------------------

alter table private.sales enable row level security;
