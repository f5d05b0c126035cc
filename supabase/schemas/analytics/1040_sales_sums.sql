-- The queries of the reports. They read whole days from the rollups, and from the book the lines that are queued or
-- that belong to a part of a day.

-- types ----------------------------------------------------------------------------------------

create type private.sales_sum as (
  day date,
  hour timestamptz,
  marketplace_id uuid,
  currency text,
  supplier_id uuid,
  category_id uuid,
  product_id uuid,
  orders bigint,
  items bigint,
  lost_items bigint,
  placed numeric,
  cancelled numeric,
  returned numeric,
  delivery numeric,
  received numeric,
  refunded numeric,
  commission numeric,
  promotion numeric,
  tax numeric
);
comment on type private.sales_sum is 'Figures grouped by some of the columns before them; the other columns are null.';

create type private.sales_span as (
  since date, whole_until date, starts_at timestamptz, whole_ends_at timestamptz, book_starts_at timestamptz,
  ends_at timestamptz
);
comment on type private.sales_span is
  'What a query of sales reads: the rollups of the days since to whole_until, the queued lines from starts_at to before whole_ends_at, and the book from book_starts_at to before ends_at.';

create type private.sold_product as (product_id uuid, revenue numeric, pieces bigint);
comment on type private.sold_product is 'The revenue of a product, and the number of its sold pieces.';

-- Adding up integers takes half the time of bigints, for which Postgres keeps 16 bytes per sum.
create type private.customer_row as (day date, customer_id uuid, currency text, orders integer, revenue numeric);
comment on type private.customer_row is 'The orders and booked revenue of a customer on a day.';

create type private.ordering_row as (
  customer_id uuid, first_ordered_at timestamptz, last_ordered_at timestamptz, orders bigint
);
comment on type private.ordering_row is 'The first order, last order and number of orders of a customer.';

-- functions ------------------------------------------------------------------------------------

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.revenue_of(sums private.sales_sum) returns numeric
language sql immutable
return sums.placed - sums.cancelled - sums.returned;
comment on function private.revenue_of is 'The value of items placed, minus cancelled and returned, without delivery.';

create function private.answers_from_rollups(scope private.analytics_scope) returns boolean
language sql stable security definer set search_path = ''
as $$
  -- An order with items of several categories would be counted once for each.
  select coalesce(cardinality(scope.categories), 1) = 1
    and not exists (select from private.sales_redraws r where r.tenant_id = scope.tenant_id)
    -- With more queued lines than this, reading the book costs less.
    and (select count(*) from (select from private.unrolled_sales u where u.tenant_id = scope.tenant_id limit 10001) as w) <= 10000
$$;
comment on function private.answers_from_rollups is 'Whether a report can use the rollups and the queue. Otherwise it reads the book.';

create function private.rolls_up_customers(scope private.analytics_scope) returns boolean
language sql stable security definer set search_path = ''
as $$
  select scope.categories is null and private.answers_from_rollups(scope)
$$;
comment on function private.rolls_up_customers is
  'Whether a report about customers can use the rollups, which have no categories.';

create function private.sales_span(
  scope private.analytics_scope, from_rollups boolean, since date, until date, ends_at timestamptz
) returns private.sales_span
language plpgsql stable set search_path = ''
as $$
declare
  span private.sales_span;
begin
  span.since := since;
  span.whole_until := case
    when not from_rollups then since - 1
    when ends_at is null then until
    else (ends_at at time zone scope.time_zone)::date - 1
  end;
  span.starts_at := since::timestamp at time zone scope.time_zone;
  span.whole_ends_at := (span.whole_until + 1)::timestamp at time zone scope.time_zone;
  span.book_starts_at := greatest(span.starts_at, span.whole_ends_at);
  span.ends_at := coalesce(ends_at, (until + 1)::timestamp at time zone scope.time_zone);
  return span;
end
$$;
comment on function private.sales_span is
  'The span of the days since to until, or up to before ends_at: whole days from the rollups, if they are used, the rest from the book.';

create function private.grain_of(scope private.analytics_scope, keys text[]) returns private.sales_grain
language sql immutable
return case
  when 'product_id' = any (keys) then 'product'
  when (scope.supplier_id is not null or 'supplier_id' = any (keys))
    and (scope.categories is not null or 'category_id' = any (keys)) then 'supplier_category'
  when scope.supplier_id is not null or 'supplier_id' = any (keys) then 'supplier'
  when scope.categories is not null or 'category_id' = any (keys) then 'category'
  else 'marketplace'
end::private.sales_grain;
comment on function private.grain_of is 'The coarsest grain that has the filters of the scope and the keys.';

create function private.scope_condition(scope private.analytics_scope) returns text
language sql immutable set search_path = ''
as $$
  select concat_ws(
    ' and ',
    's.tenant_id = ($1).tenant_id',
    case when scope.marketplace_id is not null then 's.marketplace_id = ($1).marketplace_id' end,
    case when scope.supplier_id is not null then 's.supplier_id = ($1).supplier_id' end,
    case
      when cardinality(scope.categories) = 1 then 's.category_id = ($1).categories[1]'
      when scope.categories is not null then 's.category_id = any (($1).categories)'
    end
  )
$$;
comment on function private.scope_condition is
  'The SQL condition on a row s for a scope, which is $1 of the query. It has only the filters that are set, so that each combination gets its own plan.';

create function private.book_query(scope private.analytics_scope, basis private.sales_basis, keys text[], waiting boolean)
returns text
language sql immutable set search_path = ''
as $$
  select format(
    $query$
      select
        (s.%1$I at time zone ($1).time_zone)::date as day,
        date_trunc('hour', s.%1$I, ($1).time_zone) as hour,
        s.marketplace_id, s.currency, s.supplier_id, s.category_id, s.product_id, s.customer_id, s.placed_at,
        (%2$s)::integer::bigint as orders,
        s.items, s.lost_items, s.items - s.lost_items as pieces, s.placed, s.cancelled, s.returned,
        s.placed - s.cancelled - s.returned as revenue, s.delivery, s.received, s.refunded, s.commission, s.promotion, s.tax
      from %3$s
      where %4$s and s.%1$I >= $%5$s and s.%1$I < $%6$s and private.grain_has_kind(%7$L, s.kind)
    $query$,
    basis || '_at',
    case
      -- An order with items of several categories is counted by its first line.
      when cardinality(scope.categories) > 1 then format(
        's.kind = ''placed'' and s.id = min(s.id) filter (where s.kind = ''placed'') over (partition by s.order_id, %s)',
        concat_ws(', ', 's.marketplace_id', (select string_agg(format('s.%I', k), ', ') from unnest(keys) as k where k like '%\_id'))
      )
      when private.grain_of(scope, keys) = 'marketplace' then 's.first_of_order'
      else 's.first_of_' || private.grain_of(scope, keys)
    end,
    case
      -- With "offset 0" each queued line is looked up by its id. Without statistics of a tenant, a plain join may read all its
      -- lines for each one.
      when waiting then 'private.unrolled_sales u cross join lateral ('
        || 'select f.* from private.sale_figures f where f.tenant_id = u.tenant_id and f.id = u.sale_id offset 0) as s'
      else 'private.sale_figures s'
    end,
    private.scope_condition(scope) || case when waiting then ' and u.tenant_id = ($1).tenant_id' else '' end,
    case when waiting then 4 else 6 end,
    case when waiting then 5 else 7 end,
    private.grain_of(scope, keys)
  )
$$;
comment on function private.book_query is
  'The part of a query that reads lines of the book: the queued ones from $4 to before $5, or all from $6 to before $7.';

create function private.sales_query(
  scope private.analytics_scope, basis private.sales_basis, keys text[], from_rollups boolean, columns text default 's.*'
) returns text
language sql stable set search_path = ''
as $$
  select string_agg(format('select %s from (%s) as s', columns, part.query), ' union all ')
  from (
    select private.book_query(scope, basis, keys, false)
    union all
    select private.book_query(scope, basis, keys, true) where from_rollups
    union all
    select format(
      $query$
        select
          s.day, null::timestamptz as hour, s.marketplace_id, s.currency, s.supplier_id, s.category_id, s.product_id,
          null::uuid as customer_id, null::timestamptz as placed_at, s.orders, s.items, s.lost_items, s.pieces, s.placed,
          s.cancelled, s.returned, s.revenue, s.delivery, s.received, s.refunded, s.commission, s.promotion, s.tax
        from private.sales_days s
        where %s and s.basis = %L and s.grain = %L and s.day between $2 and $3
      $query$,
      private.scope_condition(scope), basis, private.grain_of(scope, keys)
    )
    where from_rollups
  ) as part (query)
$$;
comment on function private.sales_query is
  'The part of a query that reads the rollups of the days $2 to $3, and the lines of the book that they lack, as book_query does. $1 is the scope. columns: those that are needed, so that an index may have all of them.';

create function private.sum_sales(
  scope private.analytics_scope, basis private.sales_basis, since date, until date, ends_at timestamptz, keys text[]
) returns setof private.sales_sum
-- With 4 MB the sums of 9,000 products spill to disk: 245 ms instead of 90.
language plpgsql stable security definer set search_path = '' set work_mem = '16MB'
as $$
declare
  from_rollups boolean := private.answers_from_rollups(scope) and not 'hour' = any (keys);
  span private.sales_span := private.sales_span(scope, from_rollups, since, until, ends_at);
begin
  return query execute format(
    $query$
      select
        %2$s, sum(s.orders)::bigint, sum(s.items)::bigint, sum(s.lost_items)::bigint, sum(s.placed), sum(s.cancelled),
        sum(s.returned), %4$s, sum(s.promotion), sum(s.tax)
      from (%1$s) as s
      group by %3$s
    $query$,
    private.sales_query(scope, basis, keys, from_rollups),
    (
      select string_agg(case when c.name = any (keys || '{currency}') then 's.' || c.name else 'null::' || c.type end, ', ' order by c.position)
      from (
        values
          (1, 'day', 'date'), (2, 'hour', 'timestamptz'), (3, 'marketplace_id', 'uuid'), (4, 'currency', 'text'),
          (5, 'supplier_id', 'uuid'), (6, 'category_id', 'uuid'), (7, 'product_id', 'uuid')
      ) as c (position, name, type)
    ),
    (select string_agg(format('s.%I', k), ', ') from unnest(keys || '{currency}') as k),
    (
      -- A constant costs less than adding up zeros for thousands of products.
      select string_agg(
        case
          when private.grain_has_kind(private.grain_of(scope, keys), c.kind) then format('sum(s.%I)', c.name)
          else '0::numeric'
        end,
        ', ' order by c.kind
      )
      from (
        values
          ('delivery'::private.sale_kind, 'delivery'), ('received', 'received'), ('refunded', 'refunded'),
          ('commission', 'commission')
      ) as c (kind, name)
    )
  )
  using scope, span.since, span.whole_until, span.starts_at, span.whole_ends_at, span.book_starts_at, span.ends_at;
end
$$;
comment on function private.sum_sales is
  'The sums of a scope for the days since to until, or up to before ends_at, grouped by currency and keys: day, hour, marketplace_id, supplier_id, category_id, product_id.';

create function private.sell_best(
  scope private.analytics_scope, basis private.sales_basis, since date, until date, ends_at timestamptz, currency text,
  by text, most integer, products uuid[] default null
) returns setof private.sold_product
language plpgsql stable security definer rows 10 set search_path = ''
as $$
declare
  from_rollups boolean := private.answers_from_rollups(scope);
  span private.sales_span := private.sales_span(scope, from_rollups, since, until, ends_at);
begin
  -- Adds up only what the report needs. Thirty days of a large shop are 36,000 rows of 9,000 products.
  return query execute format(
    $query$
      select s.product_id, sum(s.revenue) as revenue, sum(s.pieces)::bigint as pieces
      from (%s) as s
      where s.currency = $8 and %s
      group by s.product_id
      having bool_or(s.items > 0)
      order by %I desc, 2 desc, 1
      limit $10
    $query$,
    private.sales_query(
      scope, basis, '{product_id}', from_rollups, 's.product_id, s.currency, s.revenue, s.pieces, s.items'
    ),
    case when products is null then 's.product_id is not null' else 's.product_id = any ($9)' end,
    case by when 'revenue' then 'revenue' else 'pieces' end
  )
  using scope, span.since, span.whole_until, span.starts_at, span.whole_ends_at, span.book_starts_at, span.ends_at, currency,
    products, most;
end
$$;
comment on function private.sell_best is
  'The best products of a scope, or of some products, by revenue or by pieces (by: revenue or sales_count), in a currency for the days since to until, or up to before ends_at.';

create function private.customer_query(scope private.analytics_scope, from_rollups boolean) returns text
language sql stable set search_path = ''
as $$
  select format(book.query, private.book_query(scope, 'booked', '{}', false)) || case when from_rollups then
    ' union all ' || format(book.query, private.book_query(scope, 'booked', '{}', true)) || format(
      ' union all select s.day, s.customer_id, s.currency, s.orders, s.revenue from private.customer_days s'
        || ' where %s and s.grain = %L and s.day between $2 and $3',
      private.scope_condition(scope), private.grain_of(scope, '{}')
    )
  else '' end
  from (
    values (
      'select s.day, s.customer_id, s.currency, s.orders::integer as orders, s.revenue from (%s) as s'
        || ' where s.orders > 0 or s.revenue <> 0'
    )
  ) as book (query)
$$;
comment on function private.customer_query is
  'The part of a query that reads the orders and booked revenue of the customers of a scope, which is $1. $2 to $7 are those of sales_query. A customer''s day may have several rows.';

create function private.customer_rows(scope private.analytics_scope, since date, until date, ends_at timestamptz)
returns setof private.customer_row
language plpgsql stable security definer set search_path = ''
as $$
declare
  from_rollups boolean := private.rolls_up_customers(scope);
  span private.sales_span := private.sales_span(scope, from_rollups, since, until, ends_at);
begin
  return query execute private.customer_query(scope, from_rollups)
  using scope, span.since, span.whole_until, span.starts_at, span.whole_ends_at, span.book_starts_at, span.ends_at;
end
$$;
comment on function private.customer_rows is
  'The orders and booked revenue of customers of a scope, for the days since to until, or up to before ends_at. A customer''s day may have several rows.';

create function private.ordering_lines(scope private.analytics_scope, waiting boolean) returns setof private.ordering_row
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query execute format(
    'select s.customer_id, s.placed_at, s.placed_at, s.orders from (%s) as s where s.orders > 0',
    private.book_query(scope, 'placed', '{}', waiting)
  )
  using scope, null::date, null::date, '-infinity'::timestamptz, 'infinity'::timestamptz, '-infinity'::timestamptz,
    'infinity'::timestamptz;
end
$$;
comment on function private.ordering_lines is 'A row for each order of a scope in the book, or for each one that is queued (waiting).';

create function private.ordering_query(scope private.analytics_scope) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    when private.rolls_up_customers(scope) then format(
      'select s.customer_id, s.first_ordered_at, s.last_ordered_at, s.orders from private.ordering_customers s'
        || ' where %s and s.grain = %L union all select w.* from private.ordering_lines($1, true) as w',
      private.scope_condition(scope), private.grain_of(scope, '{}')
    )
    else 'select w.* from private.ordering_lines($1, false) as w'
  end
$$;
comment on function private.ordering_query is
  'The query for the first order, last order and number of orders of the customers of a scope, which is $1. A customer may have several rows.';

create function private.ordering_rows(scope private.analytics_scope) returns setof private.ordering_row
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query execute private.ordering_query(scope) using scope;
end
$$;
comment on function private.ordering_rows is
  'The first order, last order and number of orders of all customers of a scope. A customer may have several rows.';

create function private.count_ordering_customers(
  scope private.analytics_scope, since date, until date, ends_at timestamptz, out counted bigint
)
-- Planned at each call: a small tenant among 150,000 customer_gaps takes 1.7 ms, and 19 with a plan from when there were
-- few, which a session keeps.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  span private.sales_span := private.sales_span(scope, true, since, until, ends_at);
begin
  if scope.supplier_id is not null or not private.rolls_up_customers(scope) then
    select count(distinct r.customer_id)
    into counted
    from private.customer_rows(scope, since, until, ends_at) as r
    where r.orders > 0;
    return;
  end if;
  -- Customers of queued orders and of orders in a part of a day who have no other order in the period.
  execute format(
    $query$
      select count(distinct b.customer_id)
      from (%s union all %s) as b
      where b.orders > 0
        and not exists (
          select from private.customer_days s
          where %s and s.grain = 'marketplace' and s.customer_id = b.customer_id and s.day between $2 and $3 and s.orders > 0
        )
    $query$,
    private.book_query(scope, 'booked', '{}', true), private.book_query(scope, 'booked', '{}', false),
    private.scope_condition(scope)
  )
  into counted
  using scope, span.since, span.whole_until, span.starts_at, span.whole_ends_at, span.book_starts_at, span.ends_at;
  counted := counted + (
    select coalesce(sum(g.customers), 0)
    from private.customer_gaps g
    where g.tenant_id = scope.tenant_id
      and (g.marketplace_id = scope.marketplace_id or scope.marketplace_id is null and g.marketplace_id is null)
      and g.day between since and span.whole_until and g.previous_day < since
  );
end
$$;
comment on function private.count_ordering_customers is
  'The number of customers of a scope who ordered on the days since to until, or up to before ends_at.';

create function private.count_new_customers(scope private.analytics_scope, since date, until date, out counted bigint)
-- Planned at each call: a tenant among 150,000 customer_gaps takes 13 ms, and 18 with a plan from when there were few,
-- which a session keeps.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  starts_at timestamptz := since::timestamp at time zone scope.time_zone;
  ends_at timestamptz := (until + 1)::timestamp at time zone scope.time_zone;
begin
  if scope.supplier_id is not null or not private.rolls_up_customers(scope) then
    execute format(
      $query$
        select count(distinct n.customer_id)
        from (%1$s) as n
        where n.first_ordered_at >= $2 and n.first_ordered_at < $3
          and not exists (select from (%1$s) as e where e.customer_id = n.customer_id and e.first_ordered_at < $2)
      $query$,
      private.ordering_query(scope)
    )
    into counted
    using scope, starts_at, ends_at;
    return;
  end if;
  -- Among customers with queued orders: those who become new by them, minus those who were new before and no longer
  -- are.
  execute format(
    $query$
      select
        count(*) filter (
          where least(w.first_ordered_at, k.first_ordered_at) >= $2 and least(w.first_ordered_at, k.first_ordered_at) < $3
        ) - count(*) filter (where k.first_ordered_at >= $2 and k.first_ordered_at < $3)
      from (
        select b.customer_id, min(b.first_ordered_at) as first_ordered_at
        from private.ordering_lines($1, true) as b
        group by b.customer_id
      ) as w
      cross join lateral (
        select min(s.first_ordered_at) as first_ordered_at
        from private.ordering_customers s
        where %s and s.grain = 'marketplace' and s.customer_id = w.customer_id
      ) as k
    $query$,
    private.scope_condition(scope)
  )
  into counted
  using scope, starts_at, ends_at;
  counted := counted + (
    select coalesce(sum(g.customers), 0)
    from private.customer_gaps g
    where g.tenant_id = scope.tenant_id
      and (g.marketplace_id = scope.marketplace_id or scope.marketplace_id is null and g.marketplace_id is null)
      and g.day between since and until and g.previous_day = '-infinity'
  );
end
$$;
comment on function private.count_new_customers is
  'The number of customers of a scope whose first order is on the days since to until.';
