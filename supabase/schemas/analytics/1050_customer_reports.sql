-- Reports about customers: segments, and cohorts by the month of the first order.

-- types ----------------------------------------------------------------------------------------

create type private.segmented_customer as (
  customer_id uuid, segment text, orders bigint, revenue numeric, first_ordered_at timestamptz, last_ordered_at timestamptz
);
comment on type private.segmented_customer is
  'A customer who ordered, with its segment. orders, revenue: within 365 days.';

-- functions ------------------------------------------------------------------------------------

create function private.segments() returns table (name text, criteria text, "position" integer)
language sql immutable set search_path = ''
as $$
  values
    ('prospects', 'Never ordered', 1),
    ('lost', 'Last order more than 180 days ago', 2),
    ('at_risk', 'Last order 90 to 180 days ago', 3),
    ('vip', '5 orders or more within 365 days, or 2 or more and among the tenth of customers with most revenue', 4),
    ('new', 'First order within 30 days', 5),
    ('returning', 'Every other customer who ordered within 90 days', 6)
$$;
comment on function private.segments is
  'The segments in the order in which they are tested: a customer is in the first one that matches.';

create function private.segmented_customers(scope private.analytics_scope, currency text)
returns setof private.segmented_customer
-- One query, because Postgres stores the rows that a function returns.
language plpgsql stable security definer set search_path = ''
as $$
declare
  today date := (now() at time zone scope.time_zone)::date;
  from_rollups boolean := private.rolls_up_customers(scope);
  span private.sales_span := private.sales_span(scope, from_rollups, today - 364, today, null);
begin
  return query execute format(
    $query$
      with year as materialized (
        select
          s.customer_id, sum(s.orders) as orders, coalesce(sum(s.revenue) filter (where s.currency = $8), 0) as revenue
        from (%s) as s
        group by s.customer_id
      ),
      -- The last customer of the top tenth.
      last as (
        select y.revenue, y.customer_id
        from year y
        where y.orders > 0
        order by y.revenue desc, y.customer_id
        offset (select greatest(ceil(count(*) / 10.0) - 1, 0) from year y where y.orders > 0)
        limit 1
      )
      select
        e.customer_id,
        case
          when e.last_ordered_at < $9 then 'lost'
          when e.last_ordered_at < $10 then 'at_risk'
          when y.orders >= 5 or y.orders >= 2 and (y.revenue > l.revenue or y.revenue = l.revenue and y.customer_id <= l.customer_id)
            then 'vip'
          when e.first_ordered_at >= $11 then 'new'
          else 'returning'
        end,
        coalesce(y.orders, 0), coalesce(y.revenue, 0), e.first_ordered_at, e.last_ordered_at
      from (
        select
          o.customer_id, min(o.first_ordered_at) as first_ordered_at, max(o.last_ordered_at) as last_ordered_at
        from (%s) as o
        group by o.customer_id
      ) as e
      left join year y on y.customer_id = e.customer_id
      left join last l on true
    $query$,
    private.customer_query(scope, from_rollups), private.ordering_query(scope)
  )
  using
    scope, span.since, span.whole_until, span.starts_at, span.whole_ends_at, span.book_starts_at, span.ends_at, currency,
    (today - 180)::timestamp at time zone scope.time_zone, (today - 89)::timestamp at time zone scope.time_zone,
    (today - 29)::timestamp at time zone scope.time_zone;
end
$$;
comment on function private.segmented_customers is 'Every customer who ordered in a scope, with its segment.';

create function private.prospects(scope private.analytics_scope) returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- A supplier does not see the tenant's other customers.
  if scope.supplier_id is null then
    return query execute format(
      $query$
        select c.id
        from public.customers c
        where c.tenant_id = ($1).tenant_id
          and not c.is_guest
          and not exists (select from (%s) as r where r.customer_id = c.id)
      $query$,
      private.ordering_query(scope)
    )
    using scope;
  end if;
end
$$;
comment on function private.prospects is 'Customers who never ordered in a scope, without guests; none for a supplier.';

create function private.segment_currency(scope private.analytics_scope, period private.analytics_period, currency text)
returns text
language sql stable security definer set search_path = ''
as $$
  select private.report_currency(
    scope, currency,
    array(select s from private.sum_sales(scope, 'booked', period.since, period.until, null, '{}') as s)
  )
$$;
comment on function private.segment_currency is 'The currency of a report about customers.';

create function private.segments_report(asked private.analytics_scope, currency text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  period private.analytics_period := private.analytics_period(scope.time_zone, '1y', null, null);
  report_currency text := private.segment_currency(scope, period, segments_report.currency);
  segments jsonb;
begin
  with counted as materialized (
    select s.segment, count(*) as count, sum(s.revenue) as revenue
    from private.segmented_customers(scope, report_currency) as s
    group by s.segment
  )
  select jsonb_agg(
    jsonb_build_object(
      'name', s.name, 'criteria', s.criteria,
      'count', case s.name when 'prospects' then (select count(*) from private.prospects(scope)) else coalesce(c.count, 0) end,
      'revenue', coalesce(c.revenue, 0),
      'revenue_share', coalesce(private.percent_of(c.revenue, (select sum(a.revenue) from counted a)), 0)
    )
    order by s.position
  )
  into segments
  from private.segments() as s
  left join counted c on c.segment = s.name;
  return private.report_heading(scope, period) || jsonb_build_object('currency', report_currency, 'segments', segments);
end
$$;
comment on function private.segments_report is 'The number of customers of each segment, and their share of the revenue within 365 days.';

create function private.segment_customers_report(
  asked private.analytics_scope, segment text, currency text, page integer, "limit" integer
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  period private.analytics_period := private.analytics_period(scope.time_zone, '1y', null, null);
  report_currency text := private.segment_currency(scope, period, segment_customers_report.currency);
  size integer := least(greatest("limit", 1), 1000);
  -- Suppliers see no names and addresses.
  sees_people boolean := private.scope('customers.read') = 'all';
  listed jsonb;
begin
  if not exists (select from private.segments() as s where s.name = segment_customers_report.segment) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such segment.', 'name', to_jsonb(segment_customers_report.segment)
    );
  end if;
  with found as materialized (
    select s.customer_id, s.orders, s.revenue, s.first_ordered_at, s.last_ordered_at
    from private.segmented_customers(scope, report_currency) as s
    where s.segment = segment_customers_report.segment
    union all
    select p.customer_id, 0, 0, null, null
    from private.prospects(scope) as p (customer_id)
    where segment_customers_report.segment = 'prospects'
  )
  select jsonb_build_object(
    'customers', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'id', c.id, 'name', case when sees_people then c.name end,
            'email', case when sees_people then coalesce(c.email, c.contact_email) end,
            'created_at', c.created_at, 'orders', f.orders, 'revenue', f.revenue,
            'first_ordered_at', f.first_ordered_at, 'last_ordered_at', f.last_ordered_at
          )
          order by f.revenue desc, f.customer_id
        ),
        '[]'
      )
      from (
        select * from found order by revenue desc, customer_id limit size offset (greatest(page, 1)::bigint - 1) * size
      ) as f
      join public.customers c on c.tenant_id = scope.tenant_id and c.id = f.customer_id
    ),
    'total', (select count(*) from found)
  )
  into listed;
  return private.report_heading(scope, period)
    || jsonb_build_object('name', segment_customers_report.segment, 'currency', report_currency) || listed;
end
$$;
comment on function private.segment_customers_report is
  'A page of a segment''s customers, those with most revenue within 365 days first; without names and addresses for a supplier. Refuses an unknown segment with NOT_FOUND.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.months_between(earlier date, later date) returns integer
language sql immutable
return 12 * (extract(year from later) - extract(year from earlier)) + extract(month from later) - extract(month from earlier);
comment on function private.months_between is 'The number of months from one month to another.';

create function private.cohort_rows(
  scope private.analytics_scope, months integer, currency text
) returns table (cohort date, customers bigint, months_after integer, ordered bigint, revenue numeric)
language sql stable security definer set search_path = ''
as $$
  with clock as (
    select
      (now() at time zone scope.time_zone)::date as today,
      (date_trunc('month', now() at time zone scope.time_zone) - make_interval(months => months - 1))::date as since
  ),
  first_month as materialized (
    select f.customer_id, f.cohort
    from (
      select
        r.customer_id, date_trunc('month', min(r.first_ordered_at) at time zone scope.time_zone)::date as cohort
      from private.ordering_rows(scope) as r
      group by r.customer_id
    ) as f
    where f.cohort >= (select c.since from clock c)
  ),
  sized as (
    select f.cohort, count(*) as customers from first_month f group by f.cohort
  )
  select
    s.cohort, s.customers, m.months_after, m.ordered, coalesce(m.revenue, 0)
  from sized s
  join (
    select
      o.cohort, o.months_after, count(*) filter (where o.orders > 0) as ordered, sum(o.revenue) as revenue
    from (
      select
        f.cohort, r.customer_id,
        private.months_between(f.cohort, r.day) as months_after,
        sum(r.orders) as orders, sum(r.revenue) filter (where r.currency = cohort_rows.currency) as revenue
      from clock c
      cross join lateral private.customer_rows(scope, c.since, c.today, null) as r
      join first_month f on f.customer_id = r.customer_id
      group by 1, 2, 3
    ) as o
    group by 1, 2
  ) as m using (cohort)
$$;
comment on function private.cohort_rows is
  'The cohorts by month of the first order: the number of customers, and for each month after it how many ordered and their revenue.';

create function private.cohorts_report(
  asked private.analytics_scope, type text, months integer, currency text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  today date := (now() at time zone scope.time_zone)::date;
  -- The days of the report, for restated_at.
  period private.analytics_period;
  report_currency text;
  cohorts jsonb;
begin
  perform private.insist(type in ('retention', 'revenue'), 'type', 'retention or revenue', to_jsonb(type));
  perform private.insist(months between 1 and 36, 'months', 'a number from 1 to 36', to_jsonb(months));
  period := private.analytics_period(
    scope.time_zone, 'custom', (date_trunc('month', today::timestamp) - make_interval(months => months - 1))::date, today
  );
  report_currency := private.segment_currency(scope, period, cohorts_report.currency);
  with counted as materialized (select r.* from private.cohort_rows(scope, months, report_currency) as r),
  cell as (
    select
      m.month, k.k, max(r.customers) over (partition by m.month) as customers, r.ordered,
      sum(coalesce(r.revenue, 0)) over (partition by m.month order by k.k) as revenue
    from (
      select g.month::date as month
      from generate_series(period.since, date_trunc('month', today::timestamp), interval '1 month') as g (month)
    ) as m
    cross join lateral generate_series(0, private.months_between(m.month, today)) as k (k)
    left join counted r on r.cohort = m.month and r.months_after = k.k
  )
  select jsonb_agg(monthly.cohort order by monthly.month)
  into cohorts
  from (
    select
      c.month,
      jsonb_build_object('period', to_char(c.month, 'YYYY-MM'), 'users', coalesce(max(c.customers), 0))
        || jsonb_build_object(type, case
          when max(c.customers) is null then '[]'
          when type = 'retention' then
            jsonb_agg(coalesce(private.percent_of(c.ordered, c.customers), 0) order by c.k)
          else jsonb_agg(private.rounded(c.revenue / c.customers, report_currency) order by c.k)
        end) as cohort
    from cell c
    group by c.month
  ) as monthly;
  return private.report_heading(scope, period)
    || jsonb_build_object('type', type, 'currency', report_currency, 'cohorts', cohorts);
end
$$;
comment on function private.cohorts_report is
  'The cohorts by month of the first order: the percentage that ordered in each month after it (retention), or the revenue per customer up to then (revenue).';

-- functions: the API ---------------------------------------------------------------------------

create function public.analytics_segments(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null, currency text default null
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.segments_report(scope, currency);
end
$$;
comment on function public.analytics_segments is
  'For admins and clients, and for suppliers about their own buyers: the number of customers who are prospects, lost, at_risk, vip, new and returning, and their share of the revenue within 365 days.';

create function public.analytics_segment_customers(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  segment text default 'vip', currency text default null, page integer default 1, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.segment_customers_report(scope, segment, currency, page, "limit");
end
$$;
comment on function public.analytics_segment_customers is
  'For admins and clients, and for suppliers about their own buyers, without names and addresses: a page of the customers of a segment.';

create function public.analytics_cohorts(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  type text default 'retention', months integer default 12, currency text default null
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.cohorts_report(scope, type, months, currency);
end
$$;
comment on function public.analytics_cohorts is
  'For admins and clients, and for suppliers about their own buyers: customers by month of their first order, and how many come back (retention) or their revenue (revenue), month by month.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.segments_report, private.segment_customers_report, private.cohorts_report
to authenticated;
grant execute on function
  public.analytics_segments, public.analytics_segment_customers, public.analytics_cohorts
to authenticated;
