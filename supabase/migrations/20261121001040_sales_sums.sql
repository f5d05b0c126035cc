-- The queries of the reports. They read whole days from the rollups, and from the book the lines that are queued or lie in a
-- part of a day.

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
  promotion numeric
);
comment on type private.sales_sum is 'Figures grouped by some of the columns before them; the other columns are null.';

-- Adding up integers takes half the time of bigints, for which Postgres keeps 16 bytes per sum.
create type private.customer_row as (day date, customer_id uuid, currency text, orders integer, revenue numeric);
comment on type private.customer_row is
  'The orders and booked revenue of a customer on a day; day and currency are null in a sum.';

create type private.ordering_row as (
  customer_id uuid, first_ordered_at timestamptz, last_ordered_at timestamptz, orders bigint
);
comment on type private.ordering_row is 'The first order, last order and number of orders of a customer.';

-- functions ------------------------------------------------------------------------------------

-- Without settings of its own, so that it becomes a part of the query that calls it.
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
        s.items, s.lost_items, s.placed, s.cancelled, s.returned, s.delivery, s.received, s.refunded, s.commission,
        s.promotion
      from %3$s
      where %4$s and s.%1$I >= $%5$s and s.%1$I < $%6$s and private.is_told_by(%7$L, s.kind)
    $query$,
    basis || '_at',
    case
      -- An order with items of several categories is counted by its first line.
      when cardinality(scope.categories) > 1 then format(
        's.kind = ''placed'' and s.id = min(s.id) filter (where s.kind = ''placed'') over (partition by s.order_id, %s)',
        concat_ws(', ', 's.marketplace_id', (select string_agg('s.' || k, ', ') from unnest(keys) as k where k like '%\_id'))
      )
      when private.grain_of(scope, keys) = 'marketplace' then 's.first_of_order'
      else 's.first_of_' || private.grain_of(scope, keys)
    end,
    case
      when waiting then 'private.unrolled_sales u join private.sale_figures s on u.tenant_id = s.tenant_id and u.sale_id = s.id'
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

create function private.sum_sales(
  scope private.analytics_scope, basis private.sales_basis, since date, until date, ends_at timestamptz, keys text[],
  products uuid[] default null
) returns setof private.sales_sum
-- With 4 MB the sums of 9,000 products spill to disk: 245 ms instead of 90.
language plpgsql stable security definer set search_path = '' set work_mem = '16MB'
as $$
declare
  time_zone text := scope.time_zone;
  from_rollups boolean := private.answers_from_rollups(scope) and not 'hour' = any (keys);
  starts_at timestamptz := since::timestamp at time zone time_zone;
  -- Whole days are read up to here, the book from here on.
  whole_until date := case
    when not from_rollups then since - 1
    when ends_at is null then until
    else (ends_at at time zone time_zone)::date - 1
  end;
  whole_ends_at timestamptz := (whole_until + 1)::timestamp at time zone time_zone;
  parts text[] := array[private.book_query(scope, basis, keys, false)];
begin
  if from_rollups then
    parts := parts || private.book_query(scope, basis, keys, true) || format(
      $query$
        select
          s.day, null::timestamptz, s.marketplace_id, s.currency, s.supplier_id, s.category_id, s.product_id,
          null::uuid, null::timestamptz, s.orders, s.items, s.lost_items, s.placed, s.cancelled, s.returned, s.delivery, s.received, s.refunded, s.commission,
          s.promotion
        from private.sales_days s
        where %s and s.basis = %L and s.grain = %L and s.day between $2 and $3
      $query$,
      private.scope_condition(scope), basis, private.grain_of(scope, keys)
    );
  end if;
  return query execute format(
    $query$
      select
        %2$s, sum(s.orders)::bigint, sum(s.items)::bigint, sum(s.lost_items)::bigint, sum(s.placed), sum(s.cancelled),
        sum(s.returned), %4$s, sum(s.promotion)
      from (%1$s) as s
      where %5$s
      group by %3$s
    $query$,
    array_to_string(parts, ' union all '),
    (
      select string_agg(case when c.name = any (keys || '{currency}') then 's.' || c.name else 'null::' || c.type end, ', ' order by c.position)
      from (
        values
          (1, 'day', 'date'), (2, 'hour', 'timestamptz'), (3, 'marketplace_id', 'uuid'), (4, 'currency', 'text'),
          (5, 'supplier_id', 'uuid'), (6, 'category_id', 'uuid'), (7, 'product_id', 'uuid')
      ) as c (position, name, type)
    ),
    (select string_agg('s.' || k, ', ') from unnest(keys || '{currency}') as k),
    (
      -- A constant costs less than adding up zeros for thousands of products.
      select string_agg(
        case when private.is_told_by(private.grain_of(scope, keys), c.kind) then format('sum(s.%I)', c.name) else '0::numeric' end,
        ', ' order by c.kind
      )
      from (
        values
          ('delivery'::private.sale_kind, 'delivery'), ('received', 'received'), ('refunded', 'refunded'),
          ('commission', 'commission')
      ) as c (kind, name)
    ),
    case when products is null then 'true' else 's.product_id = any ($8)' end
  )
  using scope, since, whole_until, starts_at, whole_ends_at, greatest(starts_at, whole_ends_at),
    coalesce(ends_at, (until + 1)::timestamp at time zone time_zone), products;
end
$$;
comment on function private.sum_sales is
  'The sums of a scope, or of some of its products, for the days since to until, or up to before ends_at, grouped by currency and keys: day, hour, marketplace_id, supplier_id, category_id, product_id.';

create function private.customer_rows(
  scope private.analytics_scope, since date, until date, ends_at timestamptz, summed_in text default null
) returns setof private.customer_row
-- With 4 MB the days of a year spill to disk.
language plpgsql stable security definer set search_path = '' set work_mem = '32MB'
as $$
declare
  from_rollups boolean := private.answers_from_rollups(scope) and scope.categories is null;
  starts_at timestamptz := since::timestamp at time zone scope.time_zone;
  whole_until date := case
    when not from_rollups then since - 1
    when ends_at is null then until
    else (ends_at at time zone scope.time_zone)::date - 1
  end;
  whole_ends_at timestamptz := (whole_until + 1)::timestamp at time zone scope.time_zone;
  book text := 'select s.day, s.customer_id, s.currency, s.orders::integer as orders, s.placed - s.cancelled - s.returned as revenue from (%s) as s'
    || ' where s.orders > 0 or s.placed - s.cancelled - s.returned <> 0';
  parts text[] := array[format(book, private.book_query(scope, 'booked', '{}', false))];
begin
  if from_rollups then
    parts := parts || format(book, private.book_query(scope, 'booked', '{}', true)) || format(
      'select s.day, s.customer_id, s.currency, s.orders::integer, s.revenue from private.customer_days s'
        || ' where %s and s.grain = %L and s.day between $2 and $3',
      private.scope_condition(scope), private.grain_of(scope, '{}')
    );
  end if;
  return query execute case
    when summed_in is null then array_to_string(parts, ' union all ')
    -- Added up here, so that the days of a year do not leave the query.
    else format(
      $query$
        select null::date, s.customer_id, null, sum(s.orders)::integer, coalesce(sum(s.revenue) filter (where s.currency = $8), 0)
        from (%s) as s
        group by s.customer_id
      $query$,
      array_to_string(parts, ' union all ')
    )
  end
  using scope, since, whole_until, starts_at, whole_ends_at, greatest(starts_at, whole_ends_at),
    coalesce(ends_at, (until + 1)::timestamp at time zone scope.time_zone), summed_in;
end
$$;
comment on function private.customer_rows is
  'The orders and booked revenue of customers of a scope, for the days since to until, or up to before ends_at. A customer''s day may have several rows. With summed_in: one row for each customer, with all orders and the revenue in that currency.';

create function private.ordering_query(scope private.analytics_scope) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    when private.answers_from_rollups(scope) and scope.categories is null then format(
      'select s.customer_id, s.first_ordered_at, s.last_ordered_at, s.orders from private.ordering_customers s'
        || ' where %s and s.grain = %L union all ',
      private.scope_condition(scope), private.grain_of(scope, '{}')
    ) || format(book.query, private.book_query(scope, 'placed', '{}', true))
    else format(book.query, private.book_query(scope, 'placed', '{}', false))
  end
  from (
    values ('select s.customer_id, s.placed_at as first_ordered_at, s.placed_at as last_ordered_at, s.orders from (%s) as s where s.orders > 0')
  ) as book (query)
$$;
comment on function private.ordering_query is
  'The query for the first order, last order and number of orders of the customers of a scope, which is $1. $2 to $7 are those of book_query.';

create function private.ordering_rows(scope private.analytics_scope) returns setof private.ordering_row
language plpgsql stable security definer set search_path = '' set work_mem = '32MB'
as $$
begin
  return query execute private.ordering_query(scope)
  using scope, null::date, null::date, '-infinity'::timestamptz, 'infinity'::timestamptz, '-infinity'::timestamptz,
    'infinity'::timestamptz;
end
$$;
comment on function private.ordering_rows is
  'The first order, last order and number of orders of all customers of a scope. A customer may have several rows.';

create function private.count_new_customers(
  scope private.analytics_scope, starts_at timestamptz, ends_at timestamptz, out counted bigint
)
language plpgsql stable security definer set search_path = ''
as $$
begin
  execute format(
    $query$
      select count(distinct n.customer_id)
      from (%1$s) as n
      where n.first_ordered_at >= $8 and n.first_ordered_at < $9
        and not exists (select from (%1$s) as e where e.customer_id = n.customer_id and e.first_ordered_at < $8)
    $query$,
    private.ordering_query(scope)
  )
  into counted
  using scope, null::date, null::date, '-infinity'::timestamptz, 'infinity'::timestamptz, '-infinity'::timestamptz,
    'infinity'::timestamptz, starts_at, ends_at;
end
$$;
comment on function private.count_new_customers is
  'The number of customers of a scope whose first order lies between two times, the second excluded.';
