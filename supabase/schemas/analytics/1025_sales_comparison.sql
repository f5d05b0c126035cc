-- Every night a job compares the book of sales with the orders, and the rollups with the book. A difference should never
-- occur; if one does, the tenant gets an event.

-- types ----------------------------------------------------------------------------------------

create type private.sales_difference as (
  marketplace_id uuid, currency text, rule text, day date, expected numeric, found numeric
);
comment on type private.sales_difference is
  'Two sums of a marketplace that should be equal and are not. rule: which sums; day: null for all days; expected: by the orders or the book.';

-- functions ------------------------------------------------------------------------------------

create function private.sold_by_orders(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with ordered as (
    select o.id, o.marketplace_id, o.currency, o.status, o.payment_status
    from public.orders o
    where o.tenant_id = sold_by_orders.tenant_id
  ),
  figure as (
    select o.marketplace_id, o.currency, f.rule, f.amount
    from ordered o
    join public.order_items i on i.tenant_id = sold_by_orders.tenant_id and i.order_id = o.id
    cross join lateral (
      values
        ('items', i.quantity), ('placed', private.price_of(i, i.quantity)),
        -- Together: how a line's tax is rounded depends on which of its pieces went first.
        ('cancelled or returned', private.price_of(i, i.quantity) - private.price_of(i, i.sold_quantity)),
        ('tax', private.tax_of(i, i.sold_quantity))
    ) as f (rule, amount)
    union all
    select o.marketplace_id, o.currency, 'delivery', private.delivery_price_of(p)
    from ordered o
    join public.order_parts p on p.tenant_id = sold_by_orders.tenant_id and p.order_id = o.id
    where p.delivery_owed
    union all
    select
      o.marketplace_id, o.currency, f.rule,
      case f.rule when 'received' then 1 else -1 end * private.balance_change(p.status, p.amount)
    from ordered o
    join public.payments p on p.tenant_id = sold_by_orders.tenant_id and p.order_id = o.id
    cross join lateral (
      select case when p.status in ('paid', 'payment_reversed') then 'received' else 'refunded' end as rule
    ) as f
    where p.status <> 'failed'
    union all
    select o.marketplace_id, o.currency, 'commission', c.commission_amount
    from ordered o
    join public.order_commissions c on c.tenant_id = sold_by_orders.tenant_id and c.order_id = o.id
    where private.was_paid(o.payment_status)
    union all
    select o.marketplace_id, o.currency, 'orders', 1
    from ordered o
    where exists (select from public.order_items i where i.tenant_id = sold_by_orders.tenant_id and i.order_id = o.id)
  )
  select f.marketplace_id, f.currency, f.rule, null::date, sum(f.amount), null::numeric
  from figure f
  group by f.marketplace_id, f.currency, f.rule
$$;
comment on function private.sold_by_orders is
  'The sums of a tenant''s orders, payments and commissions, by marketplace.';

create function private.differences_from_orders(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with booked as (
    select s.marketplace_id, s.currency, figure.rule, sum(figure.amount) as amount
    from private.sale_figures s
    cross join lateral (
      values
        ('orders', s.first_of_order::integer), ('items', s.items), ('placed', s.placed),
        ('cancelled or returned', s.cancelled + s.returned), ('delivery', s.delivery), ('received', s.received),
        ('refunded', s.refunded), ('commission', s.commission), ('tax', s.tax)
    ) as figure (rule, amount)
    where s.tenant_id = differences_from_orders.tenant_id
    group by s.marketplace_id, s.currency, figure.rule
  )
  select marketplace_id, currency, rule, null::date, sold.expected, booked.amount
  from private.sold_by_orders(differences_from_orders.tenant_id) as sold
  full join booked using (marketplace_id, currency, rule)
  where coalesce(sold.expected, 0) <> coalesce(booked.amount, 0)
$$;
comment on function private.differences_from_orders is 'Where the book of a tenant''s sales differs from its orders.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.rolled_lines(tenant_id uuid) returns setof private.sale_figures
language sql stable
begin atomic
  select s.*
  from private.sale_figures s
  where s.tenant_id = rolled_lines.tenant_id
    and not exists (select from private.unrolled_sales u where u.tenant_id = s.tenant_id and u.sale_id = s.id)
    -- While the rollups are made again, no report reads them.
    and not exists (select from private.sales_redraws r where r.tenant_id = rolled_lines.tenant_id);
end;
comment on function private.rolled_lines is 'The lines of the book that are in a tenant''s rollups; none while these are made again.';

create function private.differences_from_book(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with line as (
    select
      b.basis, (case b.basis when 'booked' then r.booked_at else r.placed_at end at time zone t.time_zone)::date as day,
      r.marketplace_id, r.currency, r.kind, count(*) filter (where r.first_of_order) as orders, sum(r.items) as items,
      sum(r.lost_items) as lost_items, sum(r.amount) as amount, sum(r.tax) as tax
    from private.rolled_lines(differences_from_book.tenant_id) r
    join public.tenants t on t.id = differences_from_book.tenant_id
    cross join unnest(enum_range(null::private.sales_basis)) as b (basis)
    group by 1, 2, 3, 4, 5
  ),
  book as (
    select l.basis, g.grain, l.day, l.marketplace_id, l.currency, figure.rule, sum(figure.amount) as amount
    from line l
    join unnest(enum_range(null::private.sales_grain)) as g (grain) on private.grain_has_kind(g.grain, l.kind)
    cross join lateral (
      values
        (l.kind::text, case when l.kind in ('cancelled', 'returned', 'refunded') then -l.amount else l.amount end),
        ('items', l.items), ('lost items', l.lost_items), ('tax', l.tax),
        ('orders', case when g.grain = 'marketplace' then l.orders end)
    ) as figure (rule, amount)
    group by l.basis, g.grain, l.day, l.marketplace_id, l.currency, figure.rule
  ),
  days as (
    select d.basis, d.grain, d.day, d.marketplace_id, d.currency, figure.rule, sum(figure.amount) as amount
    from private.sales_days d
    cross join lateral (
      values
        ('orders', case when d.grain = 'marketplace' then d.orders end), ('items', d.items), ('lost items', d.lost_items),
        ('placed', d.placed), ('cancelled', d.cancelled), ('returned', d.returned), ('delivery', d.delivery),
        ('received', d.received), ('refunded', d.refunded), ('commission', d.commission), ('promotion', d.promotion),
        ('tax', d.tax)
    ) as figure (rule, amount)
    where d.tenant_id = differences_from_book.tenant_id
      and not exists (select from private.sales_redraws r where r.tenant_id = d.tenant_id)
    group by d.basis, d.grain, d.day, d.marketplace_id, d.currency, figure.rule
  )
  select
    marketplace_id, currency, format('%s by %s, %s', rule, replace(grain::text, '_', ' and '), basis), day, book.amount,
    days.amount
  from book
  full join days using (basis, grain, day, marketplace_id, currency, rule)
  where coalesce(book.amount, 0) <> coalesce(days.amount, 0)
$$;
comment on function private.differences_from_book is 'Where a tenant''s sales days differ from their lines of the book.';

create function private.differences_of_customers(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with book as (
    select
      g.grain, (r.booked_at at time zone t.time_zone)::date as day, r.marketplace_id, r.currency, sum(r.amount) as revenue,
      count(*) filter (where case g.grain when 'supplier' then r.first_of_supplier else r.first_of_order end) as orders
    from private.rolled_lines(differences_of_customers.tenant_id) r
    join public.tenants t on t.id = differences_of_customers.tenant_id
    cross join unnest('{marketplace,supplier}'::private.sales_grain[]) as g (grain)
    where r.kind in ('placed', 'cancelled', 'returned')
    group by 1, 2, 3, 4
  ),
  days as (
    select d.grain, d.day, d.marketplace_id, d.currency, sum(d.revenue) as revenue, sum(d.orders) as orders
    from private.customer_days d
    where d.tenant_id = differences_of_customers.tenant_id
      and not exists (select from private.sales_redraws r where r.tenant_id = d.tenant_id)
    group by 1, 2, 3, 4
  )
  select marketplace_id, currency, figure.rule || ' of customers by ' || grain, day, figure.expected, figure.found
  from book
  full join days using (grain, day, marketplace_id, currency)
  cross join lateral (
    values ('revenue', book.revenue, days.revenue), ('orders', book.orders, days.orders)
  ) as figure (rule, expected, found)
  where coalesce(figure.expected, 0) <> coalesce(figure.found, 0)
$$;
comment on function private.differences_of_customers is
  'Where a tenant''s customer days differ from their lines of the book.';

create function private.differences_of_gaps(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with order_days as (
    select distinct p.marketplace_id, d.customer_id, d.day
    from private.customer_days d
    cross join lateral (values (d.marketplace_id), (null)) as p (marketplace_id)
    where d.tenant_id = differences_of_gaps.tenant_id and d.grain = 'marketplace' and d.orders > 0
  ),
  days as (
    select t.marketplace_id, t.day, count(*) as customers, count(t.previous_day) as returning, sum(t.day - t.previous_day) as gaps
    from (
      select t.*, lag(t.day) over (partition by t.marketplace_id, t.customer_id order by t.day) as previous_day
      from order_days t
    ) as t
    group by 1, 2
  ),
  kept as (
    select
      g.marketplace_id, g.day, sum(g.customers) as customers,
      coalesce(sum(g.customers) filter (where isfinite(g.previous_day)), 0) as returning,
      sum(g.customers * (g.day - g.previous_day)) filter (where isfinite(g.previous_day)) as gaps
    from private.customer_gaps g
    where g.tenant_id = differences_of_gaps.tenant_id
    group by 1, 2
  )
  select
    coalesce(d.marketplace_id, k.marketplace_id, (
      select m.id from public.marketplaces m
      where m.tenant_id = differences_of_gaps.tenant_id
      order by m.created_at, m.id
      limit 1
    )),
    null,
    f.rule || case when coalesce(d.marketplace_id, k.marketplace_id) is null then ', all marketplaces' else '' end,
    coalesce(d.day, k.day), f.expected, f.found
  from days d
  full join kept k on k.day = d.day and k.marketplace_id is not distinct from d.marketplace_id
  cross join lateral (
    values
      ('customers', d.customers, k.customers), ('returning customers', d.returning, k.returning),
      ('gaps of customers', d.gaps, k.gaps)
  ) as f (rule, expected, found)
  where coalesce(f.expected, 0) <> coalesce(f.found, 0)
    -- While the rollups are made again, no report reads them.
    and not exists (select from private.sales_redraws r where r.tenant_id = differences_of_gaps.tenant_id)
$$;
comment on function private.differences_of_gaps is
  'Where the rollup of a tenant''s customers differs from their days. Differences of all marketplaces together are reported for the oldest marketplace.';

create function private.emit_differences(tenant_id uuid, differences private.sales_difference[]) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  events integer := 0;
  site record;
begin
  for site in
    select d.marketplace_id, jsonb_agg(to_jsonb(d) - '{marketplace_id,position}'::text[] order by d.rule, d.day) as differences
    from (
      select f.*, row_number() over (partition by f.marketplace_id order by f.rule, f.day) as position
      from unnest(differences) as f
    ) as d
    where d.position <= 100
    group by d.marketplace_id
  loop
    perform private.emit(
      emit_differences.tenant_id, 'analytics.mismatch',
      jsonb_build_object('mismatch', jsonb_build_object(
        'id', gen_random_uuid(), 'tenant_id', emit_differences.tenant_id, 'marketplace_id', site.marketplace_id,
        'differences', site.differences
      )),
      marketplace_id => site.marketplace_id
    );
    events := events + 1;
  end loop;
  return events;
end
$$;
comment on function private.emit_differences is
  'Writes an analytics.mismatch event for each marketplace, with at most 100 differences. Returns how many events.';

create function private.compare_sales(tenant_id uuid) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := compare_sales.tenant_id;
begin
  return private.emit_differences(
    tenant,
    array(
      select d from private.differences_from_orders(tenant) as d
      union all
      select d from private.differences_from_book(tenant) as d
      union all
      select d from private.differences_of_customers(tenant) as d
      union all
      select d from private.differences_of_gaps(tenant) as d
    )
  );
end
$$;
comment on function private.compare_sales is
  'Writes an analytics.mismatch event for each marketplace of a tenant whose book or rollups are wrong. Returns how many events.';

create function private.next_selling_tenant(after uuid) returns uuid
language sql stable security definer set search_path = ''
as $$
  select s.tenant_id
  from private.sales s
  where s.tenant_id > coalesce(after, '00000000-0000-0000-0000-000000000000')
  order by s.tenant_id
  limit 1
$$;
comment on function private.next_selling_tenant is 'The next tenant, by id, that has sold anything.';

create function public.compare_sales(after uuid default null) returns uuid
language plpgsql set search_path = '' set statement_timeout = '300s'
as $$
declare
  tenant uuid := private.next_selling_tenant(after);
begin
  if tenant is null then
    return null;
  end if;
  begin
    perform private.compare_sales(tenant);
  exception
    -- A failure or timeout for one tenant must not stop the comparison of the others.
    when query_canceled or others then
      raise warning 'the sales of tenant % could not be compared: %', tenant, sqlerrm;
  end;
  -- Each tenant has its own transaction.
  perform private.perform_later('compare_sales', jsonb_build_object('after', tenant));
  return tenant;
end
$$;
comment on function public.compare_sales is
  'For a job: compares the next tenant''s book of sales with its orders and its rollups with the book, then continues with the tenant after it. Returns the tenant.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.compare_sales, private.next_selling_tenant to service_role;
grant execute on function public.compare_sales to service_role;
