-- Three years of sales for the tenants of bench/commerce/fill.sql: fill.sales orders for each, of
-- 50,000 customers, with more orders each year. Requires a superuser. Triggers are off, so this script
-- inserts their rows: the book of sales, whose lines are not yet rolled up.

set session_replication_role = replica;
set work_mem = '256MB';
select setseed(0.5);

create or replace function pg_temp.id(kind text, n bigint) returns uuid language sql immutable
  as $$ select (kind || '000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid $$;

insert into public.customers (id, tenant_id, name, email)
select pg_temp.id('e1', s.t * 1000000 + n), s.tenant_id, 'Buyer ' || n, 'buyer' || n || '@fill.souk.test'
from shops s, generate_series(1, 50000) as n;

create temp table drawn as
select
  s.t, s.tenant_id, s.marketplace_id, n, pg_temp.id('e2', s.t * 10000000 + n) as order_id,
  -- Some customers buy often.
  pg_temp.id('e1', s.t * 1000000 + 1 + floor(50000 * power(random(), 2))::integer) as customer_id,
  moment.placed_at,
  1 + floor(random() * 2.2)::integer as lines,
  case when random() < 0.05 then 'cancelled' when random() < 0.05 then 'returned' else 'delivered' end as fate,
  floor(random() * 8)::integer as days
from shops s
cross join lateral generate_series(1, coalesce(nullif(current_setting('fill.sales', true), ''), '500000')::integer) as n
cross join lateral (
  -- A parabola: the last year has the most orders.
  select now() - interval '1 hour' - (1095 * (1 - sqrt(random() + n * 0))) * interval '1 day' as placed_at
) as moment;
analyze drawn;

insert into public.orders (
  id, tenant_id, marketplace_id, number, customer_id, status, payment_status, currency, shipping_address, created_at, updated_at
)
select
  d.order_id, d.tenant_id, d.marketplace_id, 10000000 + d.n, d.customer_id, d.fate::public.order_status, 'paid', 'EUR',
  '{"street": "1 Long Road", "city": "Fez", "postal_code": "30000"}', d.placed_at, d.placed_at
from drawn d
order by d.placed_at;

create temp table drawn_items as
select
  d.*, k as position, p.id as product_id, p.supplier_id, p.category_id, p.price, p.name,
  1 + floor(random() * 2)::integer as quantity
from drawn d
cross join lateral generate_series(1, d.lines) as k
cross join lateral (
  select pg_temp.id('f0', case d.t when 1 then 1 + floor(10000 * power(random(), 3))::integer
    else 10251 + floor(400 * random() + k * 0)::integer end) as product_id
) as chosen
join public.products p on p.id = chosen.product_id;

insert into public.order_parts (tenant_id, order_id, supplier_id, customer_id, status, subtotal)
select i.tenant_id, i.order_id, i.supplier_id, i.customer_id, i.fate::public.order_status, sum(i.price * i.quantity)
from drawn_items i
group by 1, 2, 3, 4, 5;

insert into public.order_items (
  id, tenant_id, order_id, position, product_id, supplier_id, name, quantity, shipped_quantity, delivered_quantity,
  returned_quantity, cancelled_quantity, price
)
select
  gen_random_uuid(), i.tenant_id, i.order_id, i.position, i.product_id, i.supplier_id, i.name, i.quantity,
  i.quantity * state.is_shipped::integer, i.quantity * state.is_delivered::integer,
  i.quantity * state.is_returned::integer, i.quantity * state.is_cancelled::integer, i.price
from drawn_items i
join private.piece_states state on state.state = i.fate::public.piece_state
order by i.placed_at;

insert into public.order_status_changes (tenant_id, order_id, old_status, new_status, created_at)
select d.tenant_id, d.order_id, 'pending', d.fate::public.order_status, least(d.placed_at + d.days * interval '1 day', now())
from drawn d
where d.fate <> 'delivered';

insert into private.sales (
  tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, category_id,
  product_id, quantity, amount, first_of_order, first_of_supplier, first_of_category, first_of_supplier_category,
  first_of_product
)
select
  o.tenant_id, line.kind, line.booked_at, o.created_at, o.id, o.customer_id, o.marketplace_id, o.currency, i.supplier_id,
  p.category_id, i.product_id, line.quantity, line.quantity * i.price,
  line.kind = 'placed' and row_number() over (partition by o.id, line.kind order by i.position) = 1,
  line.kind = 'placed' and row_number() over (partition by o.id, line.kind, i.supplier_id order by i.position) = 1,
  line.kind = 'placed' and row_number() over (partition by o.id, line.kind, p.category_id order by i.position) = 1,
  line.kind = 'placed'
    and row_number() over (partition by o.id, line.kind, i.supplier_id, p.category_id order by i.position) = 1,
  line.kind = 'placed' and row_number() over (partition by o.id, line.kind, i.product_id order by i.position) = 1
from public.orders o
join public.order_items i on i.order_id = o.id
join public.products p on p.id = i.product_id
left join public.order_status_changes c on c.order_id = o.id and c.new_status = o.status
cross join lateral (
  select 'placed'::private.sale_kind as kind, o.created_at as booked_at, i.quantity
  union all
  select 'cancelled', c.created_at, -i.quantity where o.status = 'cancelled'
  union all
  select 'returned', c.created_at, -i.returned_quantity where i.returned_quantity > 0
) as line
order by line.booked_at;

insert into private.unrolled_sales (tenant_id, sale_id)
select s.tenant_id, s.id from private.sales s;

set session_replication_role = origin;
analyze;
