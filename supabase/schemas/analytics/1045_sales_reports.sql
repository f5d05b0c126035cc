-- Reports of sales: overview, sales by time, revenue by origin, and best-selling products.

-- functions ------------------------------------------------------------------------------------

create function private.checked_basis(basis text) returns private.sales_basis
language plpgsql immutable set search_path = ''
as $$
begin
  perform private.insist(basis in ('booked', 'placed'), 'basis', 'booked or placed', to_jsonb(basis));
  return basis::private.sales_basis;
end
$$;
comment on function private.checked_basis is 'A basis by its name. Refuses unknown names with VALIDATION_ERROR.';

create function private.checked_currency(currency text) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.insist(
    currency is null or exists (select from private.currencies c where c.code = currency), 'currency',
    'a code of ISO 4217', to_jsonb(currency)
  );
  return currency;
end
$$;
comment on function private.checked_currency is 'A currency code, or null. Refuses unknown codes with VALIDATION_ERROR.';

create function private.insist_on_by(by text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  perform private.insist(
    by in ('marketplace', 'category', 'supplier', 'product', 'source'), 'by',
    'marketplace, category, supplier, product or source', to_jsonb(by)
  );
end
$$;
comment on function private.insist_on_by is 'Refuses with VALIDATION_ERROR a value of by that the revenue report does not have.';

create function private.report_currency(scope private.analytics_scope, currency text, sums private.sales_sum[]) returns text
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    private.checked_currency(currency),
    (select m.currency from public.marketplaces m where m.tenant_id = scope.tenant_id and m.id = scope.marketplace_id),
    (
      select s.currency
      from unnest(sums) as s
      group by s.currency
      having sum(s.orders) > 0
      order by sum(s.orders) desc, s.currency
      limit 1
    ),
    (select m.currency from public.marketplaces m where m.tenant_id = scope.tenant_id order by m.created_at, m.id limit 1)
  )
$$;
comment on function private.report_currency is
  'The currency of a report: the requested one, else that of the marketplace, of most orders, or of the oldest marketplace.';

create function private.other_currencies(sums private.sales_sum[], currency text) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object('currency', other.currency, 'revenue', other.revenue, 'orders', other.orders)
      order by other.currency
    ),
    '[]'
  )
  from (
    select s.currency, sum(private.revenue_of(s)) as revenue, sum(s.orders)::bigint as orders
    from unnest(sums) as s
    where s.currency <> other_currencies.currency
    group by s.currency
    having sum(s.orders) > 0 or sum(private.revenue_of(s)) <> 0
  ) as other
$$;
comment on function private.other_currencies is 'The sales in other currencies than that of the report. Amounts of different currencies are never added.';

-- This function and the next two are called for each day of a year. They have no SET clause, so that Postgres inlines
-- them.
create function private.rounded(amount numeric, currency text) returns numeric
language sql stable
return round(amount, (select c.exponent from private.currencies c where c.code = currency));
comment on function private.rounded is 'An amount rounded to the decimals of its currency.';

create function private.average_order(sums private.sales_sum) returns numeric
language sql stable
return private.rounded(sums.placed / nullif(sums.orders, 0), sums.currency);
comment on function private.average_order is 'The average value of an order when it was placed, rounded to the currency; null without orders.';

create function private.sales_figures(sums private.sales_sum) returns jsonb
language sql stable
return jsonb_build_object(
  'revenue', private.revenue_of(sums), 'net_revenue', private.revenue_of(sums) - sums.tax, 'tax', sums.tax,
  'orders', sums.orders, 'average_order', private.average_order(sums),
  'items', sums.items, 'cancelled', sums.cancelled, 'returned', sums.returned
);
comment on function private.sales_figures is 'The figures of every row of a sales report.';

create function private.payment_figures(scope private.analytics_scope, sums private.sales_sum) returns jsonb
language sql immutable
return case
  when private.of_operator(scope) then
    jsonb_build_object('delivery_amount', sums.delivery, 'received', sums.received, 'refunded', sums.refunded)
  else '{"delivery_amount": null, "received": null, "refunded": null}'::jsonb
end;
comment on function private.payment_figures is 'Payments, refunds and delivery; null where the scope has only some items of the orders.';

create function private.sum_in(sums private.sales_sum[], currency text) returns private.sales_sum
language sql immutable set search_path = ''
as $$
  select row(
    null, null, null, sum_in.currency, null, null, null, coalesce(sum(s.orders), 0), coalesce(sum(s.items), 0),
    coalesce(sum(s.lost_items), 0), coalesce(sum(s.placed), 0), coalesce(sum(s.cancelled), 0),
    coalesce(sum(s.returned), 0), coalesce(sum(s.delivery), 0), coalesce(sum(s.received), 0),
    coalesce(sum(s.refunded), 0), coalesce(sum(s.commission), 0), coalesce(sum(s.promotion), 0),
    coalesce(sum(s.tax), 0)
  )::private.sales_sum
  from unnest(sums) as s
  where s.currency = sum_in.currency
$$;
comment on function private.sum_in is 'The sum of all figures of one currency; zeros if there are none.';

create function private.conversion_rate(scope private.analytics_scope, since date, until date) returns numeric
language sql stable security definer set search_path = ''
as $$
  select case
    when since > (now() at time zone scope.time_zone)::date - 400 then private.percent_of(v.ordered, v.visitors)
  end
  from private.visitors_of(scope, since, until) as v
$$;
comment on function private.conversion_rate is
  'The percentage of visitors who ordered; null without visitors, and for days whose visitors are no longer kept.';

create function private.overview_report(
  asked private.analytics_scope, period private.analytics_period, basis text, currency text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  by_day private.sales_basis := private.checked_basis(overview_report.basis);
  sums private.sales_sum[] := array(
    select s from private.sum_sales(scope, by_day, period.since, period.until, null, '{}') as s
  );
  report_currency text := private.report_currency(scope, overview_report.currency, sums);
  during private.sales_sum := private.sum_in(sums, report_currency);
  before private.sales_sum := private.sum_in(
    array(
      select s
      from private.sum_sales(scope, by_day, period.before_since, period.before_until, period.before_ends_at, '{}') as s
    ),
    report_currency
  );
  customers bigint := private.count_ordering_customers(scope, period.since, period.until, null);
  customers_before bigint := private.count_ordering_customers(
    scope, period.before_since, period.before_until, period.before_ends_at
  );
  rate numeric := private.conversion_rate(scope, period.since, period.until);
begin
  return private.report_heading(scope, period) || jsonb_build_object(
    'basis', by_day,
    'currency', report_currency,
    'other_currencies', private.other_currencies(sums, report_currency),
    'revenue', jsonb_build_object(
      'total', private.revenue_of(during), 'net_revenue', private.revenue_of(during) - during.tax, 'tax', during.tax,
      'period', period.name,
      'change', private.change_text(private.change_of(private.revenue_of(during), private.revenue_of(before)))
    ) || private.payment_figures(scope, during),
    'orders', jsonb_build_object(
      'total', during.orders, 'change', private.change_text(private.change_of(during.orders, before.orders)),
      'average_order', private.average_order(during)
    ),
    'customers', jsonb_build_object(
      'total', customers,
      'new', private.count_new_customers(scope, period.since, period.until),
      'change', private.change_text(private.change_of(customers, customers_before))
    ),
    'conversion_rate', jsonb_build_object(
      'value', rate,
      'change', private.change_text(private.change_of(
        rate, private.conversion_rate(scope, period.before_since, period.before_until)
      ))
    )
  );
end
$$;
comment on function private.overview_report is 'The overview of a period: revenue, orders, customers and conversion, compared with the same number of days just before.';

create function private.sales_steps(scope private.analytics_scope, period private.analytics_period, group_by text)
returns table (step text, "position" timestamptz)
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist(
    group_by in ('hour', 'day', 'week', 'month', 'quarter'), 'group_by', 'hour, day, week, month or quarter',
    to_jsonb(group_by)
  );
  if group_by = 'hour' then
    perform private.insist(
      period.until - period.since < 31, 'group_by', 'day or more for a period of over 31 days', to_jsonb(group_by)
    );
    -- Some clocks change by half an hour.
    return query
      select private.local_text(h.hour, scope.time_zone), h.hour
      from (
        select distinct date_trunc('hour', g.half, scope.time_zone) as hour
        from generate_series(period.starts_at, period.ends_at - interval '1 microsecond', interval '30 minutes') as g (half)
      ) as h;
    return;
  end if;
  return query
    select distinct date_trunc(group_by, d.day)::date::text, date_trunc(group_by, d.day)
    from generate_series(period.since, period.until, interval '1 day') as d (day);
end
$$;
comment on function private.sales_steps is
  'The steps of a period. A day, week (from Monday), month or quarter is named by its first day, an hour by its time with the offset.';

create function private.sales_rows(
  scope private.analytics_scope, period private.analytics_period, group_by text, currency text, sums private.sales_sum[]
) returns jsonb
language sql stable set search_path = ''
as $$
  with steps as (
    select t.step, t.position, private.sum_in(array_agg(s) filter (where s.currency is not null), sales_rows.currency) as sums
    from private.sales_steps(scope, period, group_by) as t
    left join unnest(sums) as s on t.step = case group_by
      when 'hour' then private.local_text(s.hour, scope.time_zone)
      else date_trunc(group_by, s.day)::date::text
    end
    group by t.step, t.position
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('date', t.step) || private.sales_figures(t.sums) order by t.position), '[]'
  )
  from steps t
$$;
comment on function private.sales_rows is 'Sales by the steps of a period, including empty steps.';

create function private.sales_report(
  asked private.analytics_scope, period private.analytics_period, group_by text, basis text, currency text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  by_day private.sales_basis := private.checked_basis(sales_report.basis);
  key text := case sales_report.group_by when 'hour' then 'hour' else 'day' end;
  sums private.sales_sum[] := array(
    select s from private.sum_sales(scope, by_day, period.since, period.until, null, array[key]) as s
  );
  report_currency text := private.report_currency(scope, sales_report.currency, sums);
  during private.sales_sum := private.sum_in(sums, report_currency);
  before private.sales_sum := private.sum_in(
    array(
      select s
      from private.sum_sales(scope, by_day, period.before_since, period.before_until, period.before_ends_at, '{}') as s
    ),
    report_currency
  );
begin
  return private.report_heading(scope, period) || jsonb_build_object(
    'group_by', sales_report.group_by,
    'basis', by_day,
    'currency', report_currency,
    'other_currencies', private.other_currencies(sums, report_currency),
    'data', private.sales_rows(scope, period, sales_report.group_by, report_currency, sums),
    'summary', jsonb_build_object(
      'total_revenue', private.revenue_of(during), 'total_orders', during.orders,
      'growth_rate', private.change_of(private.revenue_of(during), private.revenue_of(before))
    ) || private.sales_figures(during) - '{revenue,orders}'::text[] || private.payment_figures(scope, during)
  );
end
$$;
comment on function private.sales_report is 'Sales by hour, day, week, month or quarter, and their sum.';

create function private.sources_of(scope private.analytics_scope, sums private.sales_sum[], currency text)
returns table (id text, name text, revenue numeric, orders bigint)
language sql immutable set search_path = ''
as $$
  select source.id, source.name, source.revenue, source.orders
  from private.sum_in(
    array(select s from unnest(sums) as s where s.supplier_id is null), currency
  ) as own
  cross join private.sum_in(sums, currency) as whole
  cross join lateral (
    values
      ('sales', 'Sales', private.revenue_of(own), own.orders),
      -- Commission covers all that a supplier sold in an order, in any category.
      ('commissions', 'Commissions', case when scope.categories is null then whole.commission end, null),
      ('promotion', 'Promotion', whole.promotion, null)
  ) as source (id, name, revenue, orders)
$$;
comment on function private.sources_of is
  'What the operator itself earns: its own sales, commissions (null with a category) and promotion.';

create function private.named_sums(sums private.sales_sum[], currency text, key text)
returns table (id text, name text, revenue numeric, orders bigint)
language sql stable security definer set search_path = ''
as $$
  select
    s.id::text,
    case key
      when 'marketplace' then (select m.name from public.marketplaces m where m.id = s.id)
      when 'supplier' then (select u.name from public.suppliers u where u.id = s.id)
      when 'category' then (select c.name from public.categories c where c.id = s.id)
      when 'product' then (select p.name from public.products p where p.id = s.id)
    end,
    s.revenue, s.orders
  from (
    select
      case key
        when 'marketplace' then s.marketplace_id when 'supplier' then s.supplier_id
        when 'category' then s.category_id when 'product' then s.product_id
      end as id,
      sum(private.revenue_of(s)) as revenue, sum(s.orders)::bigint as orders
    from unnest(sums) as s
    where s.currency = named_sums.currency
    group by 1
    having sum(s.orders) > 0 or sum(private.revenue_of(s)) <> 0
    order by 2 desc, 1
    limit 1000
  ) as s
$$;
comment on function private.named_sums is
  'The revenue of each marketplace, supplier, category or product, with its name. id is null for the operator''s own sales and for products without a category. At most 1,000 rows, those with most revenue.';

create function private.breakdown_of(
  scope private.analytics_scope, period private.analytics_period, key text, basis private.sales_basis, currency text
) returns jsonb
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  column_name text := case key when 'source' then 'supplier_id' else key || '_id' end;
  sums private.sales_sum[] := array(
    select s from private.sum_sales(scope, breakdown_of.basis, period.since, period.until, null, array[column_name]) as s
  );
begin
  return (
    with rows as (
      select r.* from private.sources_of(scope, sums, breakdown_of.currency) as r where key = 'source'
      union all
      select r.* from private.named_sums(sums, breakdown_of.currency, key) as r where key <> 'source'
    )
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', r.id, 'name', r.name, 'revenue', r.revenue, 'orders', r.orders,
          'share', private.percent_of(r.revenue, case key
            when 'source' then (select sum(t.revenue) from rows t)
            else private.revenue_of(private.sum_in(sums, breakdown_of.currency))
          end)
        )
        order by r.revenue desc nulls last, r.id
      ),
      '[]'
    )
    from rows r
  );
end
$$;
comment on function private.breakdown_of is 'The origins of a period''s revenue, each with its share in percent.';

create function private.revenue_report(
  asked private.analytics_scope, period private.analytics_period, by text, group_by text, basis text, currency text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  sales jsonb := private.sales_report(
    scope, period, revenue_report.group_by, revenue_report.basis, revenue_report.currency
  );
begin
  perform private.insist_on_by(by);
  return sales - 'summary' || jsonb_build_object(
    'by', by,
    'total', sales #> '{summary,total_revenue}',
    'change', private.change_text((sales #>> '{summary,growth_rate}')::numeric),
    'breakdown', private.breakdown_of(
      scope, period, by, revenue_report.basis::private.sales_basis, sales ->> 'currency'
    )
  );
end
$$;
comment on function private.revenue_report is 'Revenue by time and by origin.';

create function private.top_products_report(
  asked private.analytics_scope, period private.analytics_period, "limit" integer, by text, basis text, currency text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  by_day private.sales_basis := private.checked_basis(top_products_report.basis);
  totals private.sales_sum[] := array(
    select s from private.sum_sales(scope, by_day, period.since, period.until, null, '{}') as s
  );
  report_currency text := private.report_currency(scope, top_products_report.currency, totals);
  products jsonb;
begin
  perform private.insist(by in ('revenue', 'sales_count'), 'by', 'revenue or sales_count', to_jsonb(by));
  perform private.insist("limit" >= 1, 'limit', 'a number of at least 1', to_jsonb("limit"));
  with best as (
    select row_number() over () as rank, s.product_id as id, s.revenue, s.pieces as sales_count
    from private.sell_best(
      scope, by_day, period.since, period.until, null, report_currency, by, least("limit", 100)
    ) as s
  ),
  before as (
    select s.product_id as id, s.revenue
    from private.sell_best(
      scope, by_day, period.before_since, period.before_until, period.before_ends_at, report_currency, by, 100,
      array(select b.id from best b)
    ) as s
  )
  select jsonb_agg(
    jsonb_build_object(
      'id', b.id, 'name', p.name, 'sales_count', b.sales_count, 'revenue', b.revenue, 'rank', b.rank,
      'change', private.change_text(private.change_of(b.revenue, a.revenue))
    )
    order by b.rank
  )
  into products
  from best b
  left join before a on a.id = b.id
  left join public.products p on p.tenant_id = scope.tenant_id and p.id = b.id;
  return private.report_heading(scope, period) || jsonb_build_object(
    'by', by, 'basis', by_day, 'currency', report_currency,
    'other_currencies', private.other_currencies(totals, report_currency), 'products', coalesce(products, '[]')
  );
end
$$;
comment on function private.top_products_report is
  'The best-selling products, by revenue or by pieces (minus cancelled and returned ones), at most 100.';

-- functions: the API ---------------------------------------------------------------------------

create function public.analytics_overview(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  period text default '30d', "from" date default null, "to" date default null,
  currency text default null, basis text default 'booked'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.overview_report(
    scope, private.analytics_period(scope.time_zone, period, "from", "to"), basis, currency
  );
end
$$;
comment on function public.analytics_overview is
  'For admins and clients, and for suppliers about their own sales: revenue, orders, customers and conversion of a period (today, yesterday, 7d, 30d, 90d, 1y, custom with from and to), compared with the same number of days just before.';

create function public.analytics_sales(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  period text default '30d', "from" date default null, "to" date default null,
  group_by text default 'day', currency text default null, basis text default 'booked'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.sales_report(
    scope, private.analytics_period(scope.time_zone, period, "from", "to"), group_by, basis, currency
  );
end
$$;
comment on function public.analytics_sales is
  'For admins and clients, and for suppliers about their own sales: sales of a period by hour, day, week, month or quarter, and their sum.';

create function public.analytics_revenue(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  period text default '30d', "from" date default null, "to" date default null,
  by text default 'marketplace', group_by text default 'day', currency text default null, basis text default 'booked'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.revenue_report(
    scope, private.analytics_period(scope.time_zone, period, "from", "to"), by, group_by, basis, currency
  );
end
$$;
comment on function public.analytics_revenue is
  'For admins and clients, and for suppliers about their own sales: revenue of a period by time, and by marketplace, category, supplier, product or source.';

create function public.analytics_top_products(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  period text default '30d', "from" date default null, "to" date default null,
  "limit" integer default 10, by text default 'revenue', currency text default null, basis text default 'booked'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.top_products_report(
    scope, private.analytics_period(scope.time_zone, period, "from", "to"), "limit", by, basis, currency
  );
end
$$;
comment on function public.analytics_top_products is
  'For admins and clients, and for suppliers about their own sales: the best-selling products of a period, by revenue or sales_count, at most 100.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.overview_report, private.sales_report, private.revenue_report, private.top_products_report
to authenticated;
grant execute on function
  public.analytics_overview, public.analytics_sales, public.analytics_revenue, public.analytics_top_products
to authenticated;
