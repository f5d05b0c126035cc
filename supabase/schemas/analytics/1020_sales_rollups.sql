-- Rollups: sums of the book of sales by the tenant's days, so that a report over a year reads days and not orders.
-- Every new line is queued. A job moves lines from the queue into the sums, in one transaction. A report adds the lines
-- that are still queued, so it is exact however late the job is.

-- types ----------------------------------------------------------------------------------------

create type private.sales_basis as enum ('booked', 'placed');
comment on type private.sales_basis is 'The day that a line counts for: the day on which it happened (booked) or the day of its order (placed).';

create type private.sales_grain as enum ('marketplace', 'supplier', 'category', 'supplier_category', 'product');
comment on type private.sales_grain is
  'What the sums of a day are grouped by. Orders are counted once in each grain, and cannot be added up from a finer one.';

-- tables ---------------------------------------------------------------------------------------

create table private.unrolled_sales (
  tenant_id uuid not null,
  sale_id bigint not null,
  constraint unrolled_sales_pkey primary key (tenant_id, sale_id),
  constraint unrolled_sales_sale_id_fkey foreign key (tenant_id, sale_id)
    references private.sales (tenant_id, id) on delete cascade
);
comment on table private.unrolled_sales is 'The queue: lines of the book that are in no rollup yet.';

create table private.sales_days (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  basis private.sales_basis not null,
  grain private.sales_grain not null,
  day date not null,
  marketplace_id uuid not null,
  currency text not null,
  supplier_id uuid,
  category_id uuid,
  product_id uuid,
  orders bigint not null,
  items bigint not null,
  lost_items bigint not null,
  placed numeric not null,
  cancelled numeric not null,
  returned numeric not null,
  delivery numeric not null,
  received numeric not null,
  refunded numeric not null,
  commission numeric not null,
  promotion numeric not null,
  pieces integer generated always as (items - lost_items) stored,
  revenue numeric generated always as (placed - cancelled - returned) stored,
  tax numeric not null default 0,
  constraint sales_days_key unique nulls not distinct
    (tenant_id, basis, grain, day, marketplace_id, currency, supplier_id, category_id, product_id)
)
-- Today's rows are updated every minute: free space lets them stay on their pages.
with (fillfactor = 80);
comment on table private.sales_days is
  'The figures of each day in the tenant''s time zone, by basis and grain. Columns that the grain does not group by are null. orders: placed orders that have an item of the row. pieces, revenue: generated, because adding them up costs less than their parts.';
-- The whole row identifies it for replication, because its key has columns that may be null.
alter table private.sales_days replica identity full;

create table private.customer_days (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  grain private.sales_grain not null,
  day date not null,
  customer_id uuid not null,
  marketplace_id uuid not null,
  currency text not null,
  supplier_id uuid,
  orders integer not null,
  revenue numeric not null,
  constraint customer_days_key unique nulls not distinct
    (tenant_id, grain, day, customer_id, marketplace_id, currency, supplier_id) include (orders, revenue),
  constraint customer_days_grain_is_marketplace_or_supplier check (grain in ('marketplace', 'supplier'))
)
with (fillfactor = 80);
comment on table private.customer_days is
  'The orders and booked revenue of each customer and day. Customers are counted from these rows, never added up.';
-- The whole row identifies it for replication, because supplier_id may be null.
alter table private.customer_days replica identity full;

create table private.ordering_customers (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  grain private.sales_grain not null,
  customer_id uuid not null,
  marketplace_id uuid not null,
  supplier_id uuid,
  first_ordered_at timestamptz not null,
  last_ordered_at timestamptz not null,
  orders bigint not null,
  constraint ordering_customers_key unique nulls not distinct
    (tenant_id, grain, customer_id, marketplace_id, supplier_id),
  constraint ordering_customers_grain_is_marketplace_or_supplier check (grain in ('marketplace', 'supplier'))
);
comment on table private.ordering_customers is
  'The first order, last order and number of orders of every customer, by marketplace and by supplier.';
-- The whole row identifies it for replication, because supplier_id may be null.
alter table private.ordering_customers replica identity full;

create table private.sales_redraws (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  is_cleared boolean not null default false,
  drawn_to timestamptz not null default '-infinity',
  drawn_id bigint not null default 0,
  constraint sales_redraws_pkey primary key (tenant_id)
);
comment on table private.sales_redraws is
  'Tenants whose rollups are made again after a change of time_zone. First the old rows are deleted, then all lines that are not queued are added; drawn_to and drawn_id are the last added line. Reports read the book meanwhile.';

-- indexes --------------------------------------------------------------------------------------

create index sales_days_product_idx on private.sales_days (tenant_id, product_id, basis, day) where grain = 'product';
-- Has all columns that a ranking of products reads.
create index sales_days_ranking_idx on private.sales_days (tenant_id, basis, day, currency, product_id)
  include (revenue, pieces, items) where grain = 'product';
create index customer_days_customer_idx on private.customer_days (tenant_id, customer_id, day) where grain = 'marketplace';
create index ordering_customers_first_ordered_at_idx on private.ordering_customers (tenant_id, grain, first_ordered_at);

-- functions ------------------------------------------------------------------------------------

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.grain_has_kind(grain private.sales_grain, kind private.sale_kind) returns boolean
language sql immutable
return case
  when kind in ('placed', 'cancelled', 'returned', 'promotion') or grain = 'marketplace' then true
  else grain = 'supplier' and kind in ('delivery', 'commission')
end;
comment on function private.grain_has_kind is
  'Whether a grain has lines of this kind: payments belong to whole orders, delivery and commission to a supplier''s whole part.';

-- functions: rolling up ------------------------------------------------------------------------

create function private.queue_sales() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.unrolled_sales (tenant_id, sale_id)
  select n.tenant_id, n.id from new_sales n;
  -- Live lines are booked now. Lines of imported orders may change a day that is over.
  if exists (select from new_sales n where n.booked_at < now()) then
    perform private.restate(past.tenant_id, past.day)
    from (
      select distinct n.tenant_id, (n.booked_at at time zone private.time_zone_of(n.tenant_id))::date as day
      from new_sales n
      where n.booked_at < now()
      order by 1, 2
    ) as past;
  end if;
  return null;
end
$$;
comment on function private.queue_sales() is 'Statement trigger: queues new lines of the book.';

create function private.add_up_days(tenant_id uuid, time_zone text, sale_ids bigint[]) returns void
language sql security definer set search_path = ''
as $$
  insert into private.sales_days as d (
    tenant_id, basis, grain, day, marketplace_id, currency, supplier_id, category_id, product_id, orders, items,
    lost_items, placed, cancelled, returned, delivery, received, refunded, commission, promotion, tax
  )
  select
    add_up_days.tenant_id, b.basis, g.grain,
    (case b.basis when 'booked' then s.booked_at else s.placed_at end at time zone time_zone)::date,
    s.marketplace_id, s.currency,
    case when g.grain in ('supplier', 'supplier_category', 'product') then s.supplier_id end,
    case when g.grain in ('category', 'supplier_category', 'product') then s.category_id end,
    case when g.grain = 'product' then s.product_id end,
    count(*) filter (where case g.grain
      when 'marketplace' then s.first_of_order
      when 'supplier' then s.first_of_supplier
      when 'category' then s.first_of_category
      when 'supplier_category' then s.first_of_supplier_category
      when 'product' then s.first_of_product
    end),
    sum(s.items), sum(s.lost_items), sum(s.placed), sum(s.cancelled), sum(s.returned), sum(s.delivery), sum(s.received),
    sum(s.refunded), sum(s.commission), sum(s.promotion), sum(s.tax)
  from private.sale_figures s
  cross join unnest(enum_range(null::private.sales_basis)) as b (basis)
  join unnest(enum_range(null::private.sales_grain)) as g (grain) on private.grain_has_kind(g.grain, s.kind)
  where s.tenant_id = add_up_days.tenant_id and s.id = any (sale_ids)
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  on conflict on constraint sales_days_key do update
  set orders = d.orders + excluded.orders,
      items = d.items + excluded.items,
      lost_items = d.lost_items + excluded.lost_items,
      placed = d.placed + excluded.placed,
      cancelled = d.cancelled + excluded.cancelled,
      returned = d.returned + excluded.returned,
      delivery = d.delivery + excluded.delivery,
      received = d.received + excluded.received,
      refunded = d.refunded + excluded.refunded,
      commission = d.commission + excluded.commission,
      promotion = d.promotion + excluded.promotion,
      tax = d.tax + excluded.tax
$$;
comment on function private.add_up_days is 'Adds lines of the book to the figures of their days.';

create function private.add_up_customers(tenant_id uuid, time_zone text, sale_ids bigint[]) returns void
language sql security definer set search_path = ''
as $$
  insert into private.customer_days as d (
    tenant_id, grain, day, customer_id, marketplace_id, currency, supplier_id, orders, revenue
  )
  select
    add_up_customers.tenant_id, g.grain, (s.booked_at at time zone time_zone)::date, s.customer_id, s.marketplace_id,
    s.currency, case g.grain when 'supplier' then s.supplier_id end,
    count(*) filter (where case g.grain when 'supplier' then s.first_of_supplier else s.first_of_order end), sum(s.amount)
  from private.sales s
  cross join unnest('{marketplace,supplier}'::private.sales_grain[]) as g (grain)
  where s.tenant_id = add_up_customers.tenant_id and s.id = any (sale_ids) and s.kind in ('placed', 'cancelled', 'returned')
  group by 1, 2, 3, 4, 5, 6, 7
  on conflict on constraint customer_days_key do update
  set orders = d.orders + excluded.orders, revenue = d.revenue + excluded.revenue;

  insert into private.ordering_customers as c (
    tenant_id, grain, customer_id, marketplace_id, supplier_id, first_ordered_at, last_ordered_at, orders
  )
  select
    add_up_customers.tenant_id, g.grain, s.customer_id, s.marketplace_id, case g.grain when 'supplier' then s.supplier_id end,
    min(s.placed_at), max(s.placed_at), count(*)
  from private.sales s
  join unnest('{marketplace,supplier}'::private.sales_grain[]) as g (grain)
    on case g.grain when 'supplier' then s.first_of_supplier else s.first_of_order end
  where s.tenant_id = add_up_customers.tenant_id and s.id = any (sale_ids)
  group by 1, 2, 3, 4, 5
  on conflict on constraint ordering_customers_key do update
  set first_ordered_at = least(c.first_ordered_at, excluded.first_ordered_at),
      last_ordered_at = greatest(c.last_ordered_at, excluded.last_ordered_at),
      orders = c.orders + excluded.orders
$$;
comment on function private.add_up_customers is 'Adds lines of the book to the days of their customers.';

-- triggers -------------------------------------------------------------------------------------

create trigger sales_queue
  after insert on private.sales
  referencing new table as new_sales
  for each statement execute function private.queue_sales();

-- policies -------------------------------------------------------------------------------------

alter table private.unrolled_sales enable row level security;
alter table private.sales_days enable row level security;
alter table private.customer_days enable row level security;
alter table private.ordering_customers enable row level security;
alter table private.sales_redraws enable row level security;
