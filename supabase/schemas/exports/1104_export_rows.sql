-- The rows of exports: a function for each type, which returns the records that a query selects, with the fields of the
-- API by the API's names.
--
-- Each is a function in SQL without a SET clause, so that Postgres inlines it into the calling query: counting reads
-- only an index, and a page stops when it is full. Every row begins with its place (at, key and part), which never
-- changes, so that a file can be continued after a place. Orders that were imported after asked_at are left out,
-- whatever their date.

-- functions ------------------------------------------------------------------------------------

create function private.exported_orders(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, number bigint, marketplace_id uuid, customer_id uuid, status public.order_status,
  payment_status public.payment_status, subtotal_amount numeric, delivery_amount numeric, discount_amount numeric,
  tax_included boolean, tax_amount numeric, tax_due numeric, owed_amount numeric, total_amount numeric,
  refund_due numeric, refund_due_for jsonb, currency text, delivery_method text, payment_method text, payment_due_at timestamptz,
  shipping_address jsonb, billing_address jsonb, tax_id text, contact jsonb, language text, external_id text, imported_at timestamptz, created_at timestamptz, updated_at timestamptz
)
language sql stable
begin atomic
  select
    o.created_at, o.id, null::uuid,
    o.id, o.number, o.marketplace_id, o.customer_id, o.status, o.payment_status, money.subtotal, money.delivery, money.discount,
    money.tax_included, money.tax, kept.tax + money.owed_tax, kept.amount + money.owed_delivery, money.total,
    due.amount,
    case when due.amount > 0 then private.refund_due_for(o, due.amount) else '{"items": [], "deliveries": []}' end,
    o.currency, o.delivery_method, o.payment_method, o.payment_due_at, o.shipping_address,
    coalesce(o.billing_address, o.shipping_address), o.tax_id, o.contact, o.language,
    o.external_id, o.imported_at, o.created_at, o.updated_at
  from public.orders o
  left join lateral (
    select
      coalesce(sum(p.subtotal), 0) as subtotal, coalesce(sum(p.delivery_amount), 0) as delivery,
      coalesce(sum(p.discount_amount + p.delivery_discount_amount), 0) as discount,
      coalesce(bool_and(p.tax_included), true) as tax_included, coalesce(sum(p.tax_amount), 0) as tax,
      coalesce(sum(private.delivery_price_of(p)) filter (where p.delivery_owed), 0) as owed_delivery,
      coalesce(sum(p.delivery_tax_amount) filter (where p.delivery_owed), 0) as owed_tax,
      coalesce(sum(private.total_of(p)), 0) as total
    from public.order_parts p
    where p.tenant_id = o.tenant_id and p.order_id = o.id
      and ((query).scope.supplier_id is null or p.supplier_id = (query).scope.supplier_id)
  ) money on true
  left join lateral (
    select
      coalesce(sum(private.price_of(i, i.sold_quantity)), 0) as amount,
      coalesce(sum(private.tax_of(i, i.sold_quantity)), 0) as tax
    from public.order_items i
    where i.tenant_id = o.tenant_id and i.order_id = o.id
      and ((query).scope.supplier_id is null or i.supplier_id = (query).scope.supplier_id)
  ) kept on true
  cross join lateral (
    select case when (query).scope.supplier_id is null then (select d.amount from private.refund_due(o) as d) else 0 end as amount
  ) due
  where o.tenant_id = (query).scope.tenant_id
    and o.created_at >= (query).period.starts_at and o.created_at < (query).period.ends_at
    and (o.imported_at is null or o.imported_at < (query).asked_at)
    and ((query).currency is null or o.currency = (query).currency)
    and ((query).scope.marketplace_id is null or o.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or exists (
      select from public.order_parts p where p.order_id = o.id and p.supplier_id = (query).scope.supplier_id
    ))
    and ((query).scope.categories is null or exists (
      select from public.order_items i
      join public.products s on s.tenant_id = i.tenant_id and s.id = i.product_id
      where i.order_id = o.id and s.category_id = any ((query).scope.categories)
    ));
end;
comment on function private.exported_orders is
  'Orders placed in the period. For a supplier: orders with its items, and the amounts of these. For categories: orders with items in them.';

create function private.exported_order_items(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, order_id uuid, number bigint, marketplace_id uuid, customer_id uuid, status public.order_status,
  payment_status public.payment_status, product_id uuid, variant_id uuid, supplier_id uuid, name text,
  quantity integer, shipped_quantity integer, delivered_quantity integer, cancelled_quantity integer,
  returned_quantity integer, lost_quantity integer, starts_at timestamptz, price numeric, amount numeric, discount_amount numeric,
  discount_borne_by public.refund_bearer, discount_code text, tax_included boolean, tax_rate numeric, tax_name text,
  tax_amount numeric, exempt_amount numeric, net_amount numeric, currency text, created_at timestamptz
)
language sql stable
begin atomic
  select
    o.created_at, o.id, i.id,
    i.id, o.id, o.number, o.marketplace_id, o.customer_id, o.status, o.payment_status, i.product_id, i.variant_id,
    i.supplier_id, i.name, i.quantity, i.shipped_quantity, i.delivered_quantity, i.cancelled_quantity,
    i.returned_quantity, i.lost_quantity, i.starts_at, i.price, i.amount, i.discount_amount, i.discount_borne_by,
    i.discount_code, i.tax_included, i.tax_rate, i.tax_name, i.tax_amount, i.exempt_amount, i.net_amount, o.currency, o.created_at
  from public.orders o
  join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
  where o.tenant_id = (query).scope.tenant_id
    and o.created_at >= (query).period.starts_at and o.created_at < (query).period.ends_at
    and (o.imported_at is null or o.imported_at < (query).asked_at)
    and ((query).currency is null or o.currency = (query).currency)
    and ((query).scope.marketplace_id is null or o.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or i.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or exists (
      select from public.products s
      where s.tenant_id = i.tenant_id and s.id = i.product_id and s.category_id = any ((query).scope.categories)
    ));
end;
comment on function private.exported_order_items is 'Items of orders placed in the period.';

create function private.exported_products(query private.export_query)
returns table (at timestamptz, key uuid, part uuid, record public.product_details)
language sql stable
begin atomic
  select d.created_at, d.id, null::uuid, d
  from public.product_details d
  where d.tenant_id = (query).scope.tenant_id
    and d.created_at >= (query).period.starts_at and d.created_at < (query).period.ends_at
    and ((query).scope.marketplace_id is null or d.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or d.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or d.category_id = any ((query).scope.categories));
end;
comment on function private.exported_products is 'Products listed in the period, without discontinued ones.';

create function private.exported_inventory(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, product_id uuid, variant_id uuid, product_name text, variant_name text, sku text, marketplace_id uuid,
  supplier_id uuid, status public.product_status, quantity integer, reserved integer, available integer,
  low_stock_threshold integer, low_stock boolean, updated_at timestamptz
)
language sql stable
begin atomic
  select
    p.created_at, p.id, i.id,
    i.id, i.product_id, i.variant_id, p.name, v.name, v.sku, p.marketplace_id, p.supplier_id, p.status, i.quantity,
    i.reserved, i.quantity - i.reserved, i.low_stock_threshold,
    i.low_stock_threshold > 0 and i.quantity - i.reserved <= i.low_stock_threshold, i.updated_at
  from public.products p
  join public.inventory i on i.tenant_id = p.tenant_id and i.product_id = p.id
  left join public.product_variants v
    on v.tenant_id = i.tenant_id and v.product_id = i.product_id and v.id = i.variant_id
  where p.tenant_id = (query).scope.tenant_id
    and p.created_at >= (query).period.starts_at and p.created_at < (query).period.ends_at
    and p.track_inventory and p.status <> 'discontinued'
    and ((query).scope.marketplace_id is null or p.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or p.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or p.category_id = any ((query).scope.categories))
    -- A product with variants has a row of its own only if it has pieces, as in list_inventory.
    and (
      i.variant_id is not null or i.quantity > 0
      or not exists (
        select from public.product_variants w where w.tenant_id = p.tenant_id and w.product_id = p.id
      )
    );
end;
comment on function private.exported_inventory is 'The current stock of products listed in the period.';

create function private.exported_customers(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, user_id uuid, name text, email text, phone text, is_guest boolean, language text, external_id text,
  orders bigint, last_ordered_at timestamptz, created_at timestamptz, erased_at timestamptz
)
language sql stable
begin atomic
  select
    c.created_at, c.id, null::uuid,
    c.id, case when (query).scope.supplier_id is null then c.user_id end,
    case when (query).scope.supplier_id is null then c.name end, case when (query).scope.supplier_id is null then c.email end,
    case when (query).scope.supplier_id is null then c.phone end,
    case when (query).scope.supplier_id is null then c.is_guest end,
    case when (query).scope.supplier_id is null then c.language end,
    case when (query).scope.supplier_id is null then c.external_id end,
    case when (query).scope.supplier_id is null then c.orders end,
    case when (query).scope.supplier_id is null then c.last_ordered_at end, c.created_at,
    case when (query).scope.supplier_id is null then c.erased_at end
  from public.customer_details c
  where c.tenant_id = (query).scope.tenant_id
    and (not c.is_guest or c.last_ordered_at is not null)
    and c.created_at >= (query).period.starts_at and c.created_at < (query).period.ends_at
    and ((query).scope.marketplace_id is null or exists (
      select from public.orders o
      where o.tenant_id = c.tenant_id and o.customer_id = c.id and o.marketplace_id = (query).scope.marketplace_id
    ))
    and ((query).scope.supplier_id is null or exists (
      select from public.order_parts p
      where p.tenant_id = c.tenant_id and p.customer_id = c.id and p.supplier_id = (query).scope.supplier_id
    ))
    and ((query).scope.categories is null or exists (
      select from public.orders o
      join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
      join public.products s on s.tenant_id = i.tenant_id and s.id = i.product_id
      where o.tenant_id = c.tenant_id and o.customer_id = c.id and s.category_id = any ((query).scope.categories)
    ));
end;
comment on function private.exported_customers is
  'Customers who registered, or as guests first came, in the period, without guests who have not ordered; with a marketplace, supplier or category, those who have ordered there at any time. For a supplier without names, addresses and orders elsewhere, which suppliers may not see.';

create function private.exported_campaigns(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, supplier_id uuid, marketplace_id uuid, currency text, product_id uuid, category_id uuid,
  pricing_model public.pricing_model, start_date timestamptz, end_date timestamptz, daily_budget numeric,
  bid_amount numeric, max_bid numeric, fee numeric, regions text[], labels text[], highlighted boolean,
  pinned boolean, status public.campaign_status, note text, created_at timestamptz, updated_at timestamptz
)
language sql stable
begin atomic
  select
    c.created_at, c.id, null::uuid,
    c.id, c.supplier_id, c.marketplace_id, c.currency, c.product_id, c.category_id, c.pricing_model, c.start_date,
    c.end_date, c.daily_budget, c.bid_amount, c.max_bid, c.fee, c.regions, c.labels, c.highlighted, c.pinned, c.status, c.note,
    c.created_at, c.updated_at
  from public.campaigns c
  where c.tenant_id = (query).scope.tenant_id
    and c.created_at >= (query).period.starts_at and c.created_at < (query).period.ends_at
    and ((query).scope.marketplace_id is null or c.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or c.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or c.category_id = any ((query).scope.categories));
end;
comment on function private.exported_campaigns is 'Campaigns created in the period.';

create function private.exported_discounts(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, supplier_id uuid, code text, kind public.discount_kind, value numeric, currency text, marketplace_id uuid,
  category_ids jsonb, product_ids jsonb, supplier_ids jsonb, minimum_subtotal numeric, starts_at timestamptz,
  ends_at timestamptz, uses_total integer, uses_per_customer integer, borne_by public.refund_bearer,
  status public.discount_status, uses integer, costs jsonb, created_by uuid, created_at timestamptz, updated_at timestamptz
)
language sql stable
begin atomic
  select
    d.created_at, d.id, null::uuid,
    d.id, d.supplier_id, d.code, d.kind, d.value, d.currency, d.marketplace_id, to_jsonb(d.category_ids), to_jsonb(d.product_ids),
    to_jsonb(d.supplier_ids), d.minimum_subtotal, d.starts_at, d.ends_at, d.uses_total, d.uses_per_customer, d.borne_by,
    d.status, d.uses, d.costs, d.created_by, d.created_at, d.updated_at
  from public.discount_details d
  where d.tenant_id = (query).scope.tenant_id
    and d.created_at >= (query).period.starts_at and d.created_at < (query).period.ends_at
    and ((query).scope.marketplace_id is null or d.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or d.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or d.category_ids && (query).scope.categories);
end;
comment on function private.exported_discounts is
  'Discounts created in the period, with their uses and costs so far. For a supplier: those that it made. For a marketplace and for categories: those that name them.';

create function private.exported_commissions(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  order_id uuid, supplier_id uuid, marketplace_id uuid, number bigint, status public.order_status,
  order_status public.order_status, payment_status public.payment_status, currency text, sales_amount numeric,
  delivery_amount numeric, commission_percent numeric, delivery_percent numeric, commission_amount numeric,
  refunded_amount numeric, tax_amount numeric, tax_collected_by public.tax_collector, payout_amount numeric,
  completed_at timestamptz, due_at timestamptz, created_at timestamptz,
  updated_at timestamptz
)
language sql stable
begin atomic
  select
    d.created_at, d.order_id, d.supplier_id,
    d.order_id, d.supplier_id, d.marketplace_id, d.number, d.status, d.order_status, d.payment_status, d.currency,
    d.sales_amount, d.delivery_amount, d.commission_percent, d.delivery_percent, d.commission_amount, d.refunded_amount,
    d.tax_amount, d.tax_collected_by, d.payout_amount, d.completed_at, d.due_at, d.created_at, d.updated_at
  from public.commission_details d
  where d.tenant_id = (query).scope.tenant_id
    and d.created_at >= (query).period.starts_at and d.created_at < (query).period.ends_at
    and ((query).currency is null or d.currency = (query).currency)
    and ((query).scope.marketplace_id is null or d.marketplace_id = (query).scope.marketplace_id)
    and ((query).scope.supplier_id is null or d.supplier_id = (query).scope.supplier_id)
    and ((query).scope.categories is null or exists (
      select from public.order_items i
      join public.products s on s.tenant_id = i.tenant_id and s.id = i.product_id
      where i.order_id = d.order_id and i.supplier_id = d.supplier_id and s.category_id = any ((query).scope.categories)
    ));
end;
comment on function private.exported_commissions is 'Commission lines of orders placed in the period.';

create function private.exported_audit_log(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id uuid, created_at timestamptz, actor text, actor_id uuid, supplier_id uuid, operation text,
  action public.audit_action, record_type text, record_id text, fields text[], address text
)
language sql stable
begin atomic
  select
    a.created_at, a.id, null::uuid,
    a.id, a.created_at, a.actor, a.actor_id, a.supplier_id, a.operation, a.action, a.record_type, a.record_id, a.fields, a.address
  from public.audit_log a
  where a.tenant_id = (query).scope.tenant_id
    and a.created_at >= (query).period.starts_at and a.created_at < (query).period.ends_at
    and ((query).scope.supplier_id is null or a.supplier_id = (query).scope.supplier_id);
end;
comment on function private.exported_audit_log is 'Rows of the audit log in the period, for admins alone; with a supplier, its changes.';

-- Reports, as the API returns them. They have few rows in an order of their own, so they are read in one page.

create function private.exported_sales(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  date date, revenue numeric, net_revenue numeric, tax numeric, orders bigint, average_order numeric, items bigint,
  cancelled numeric, returned numeric, currency text
)
language sql stable
begin atomic
  select null::timestamptz, null::uuid, null::uuid, r.*, report.report ->> 'currency'
  from private.sales_report((query).scope, (query).period, 'day', 'booked', (query).currency) as report (report)
  cross join lateral jsonb_to_recordset(report.report -> 'data') as r (
    date date, revenue numeric, net_revenue numeric, tax numeric, orders bigint, average_order numeric, items bigint,
    cancelled numeric, returned numeric
  );
end;
comment on function private.exported_sales is 'Sales by day.';

create function private.exported_revenue(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  id text, name text, revenue numeric, orders bigint, share numeric, currency text
)
language sql stable
begin atomic
  select null::timestamptz, null::uuid, null::uuid, r.*, report.report ->> 'currency'
  from private.revenue_report(
    (query).scope, (query).period, coalesce((query)."by", 'marketplace'), 'day', 'booked', (query).currency
  ) as report (report)
  cross join lateral jsonb_to_recordset(report.report -> 'breakdown') as r (
    id text, name text, revenue numeric, orders bigint, share numeric
  );
end;
comment on function private.exported_revenue is 'The breakdown of revenue: by marketplace, unless the query names another dimension.';

create function private.exported_segments(query private.export_query)
returns table (
  at timestamptz, key uuid, part uuid,
  name text, criteria text, count bigint, revenue numeric, revenue_share numeric, currency text
)
language sql stable
begin atomic
  select null::timestamptz, null::uuid, null::uuid, r.*, report.report ->> 'currency'
  from private.segments_report((query).scope, (query).currency) as report (report)
  cross join lateral jsonb_to_recordset(report.report -> 'segments') as r (
    name text, criteria text, count bigint, revenue numeric, revenue_share numeric
  );
end;
comment on function private.exported_segments is 'Segments of customers, as they are now.';

create function private.exported_cohorts(query private.export_query)
returns table (at timestamptz, key uuid, part uuid, period text, users bigint, retention jsonb)
language sql stable
begin atomic
  select null::timestamptz, null::uuid, null::uuid, r.*
  from private.cohorts_report((query).scope, 'retention', 12, (query).currency) as report (report)
  cross join lateral jsonb_to_recordset(report.report -> 'cohorts') as r (
    period text, users bigint, retention jsonb
  );
end;
comment on function private.exported_cohorts is 'Retention of customers by the month of their first order, for the last 12 months.';

create function private.exported_funnel(query private.export_query)
returns table (at timestamptz, key uuid, part uuid, name text, count bigint, conversion numeric)
language sql stable
begin atomic
  select null::timestamptz, null::uuid, null::uuid, r.*
  from private.funnel_report((query).scope, (query).period) as report (report)
  cross join lateral jsonb_to_recordset(report.report -> 'stages') as r (name text, count bigint, conversion numeric);
end;
comment on function private.exported_funnel is 'Stages of the funnel.';

create function private.export_source(type public.export_type) returns regprocedure
language sql stable set search_path = ''
as $$
  select format('private.exported_%s(private.export_query)', type)::regprocedure
$$;
comment on function private.export_source is 'The function that returns the rows of a type.';

create function private.export_fields(type public.export_type)
returns table (name text, kind text, place bigint, source text)
language sql stable set search_path = ''
as $$
  with outputs as (
    select f.name, f.type, f.place, t.typrelid
    from pg_catalog.pg_proc p
    cross join lateral unnest(p.proargnames, p.proallargtypes, p.proargmodes)
      with ordinality as f (name, type, mode, place)
    join pg_catalog.pg_type t on t.oid = f.type
    where p.oid = private.export_source(export_fields.type)::oid
      and f.mode = 't' and f.name not in ('at', 'key', 'part')
  ),
  fields as (
    select o.name, o.type, o.place, 0 as place_in_record, format('r.%I', o.name) as source
    from outputs o
    where o.typrelid = 0
    union all
    -- A record has the fields that its lists have, and a product its safety.
    select a.attname::text, a.atttypid, o.place, a.attnum, format('(r.%I).%I', o.name, a.attname)
    from outputs o
    join pg_catalog.pg_attribute a on a.attrelid = o.typrelid and a.attnum > 0 and not a.attisdropped
    where a.attname not in ('tenant_id', 'description_html')
  )
  select
    f.name,
    case
      when f.type in ('json'::regtype, 'jsonb'::regtype, 'text[]'::regtype) then 'json'
      when f.type in ('integer'::regtype, 'bigint'::regtype, 'numeric'::regtype) then 'number'
      when f.type = 'boolean'::regtype then 'boolean'
      when f.type = 'date'::regtype then 'date'
      when f.type = 'timestamptz'::regtype then 'time'
      else 'text'
    end,
    row_number() over (order by f.place, f.place_in_record), f.source
  from fields f
$$;
comment on function private.export_fields is
  'The fields of the rows of a type, in order, the kind of each (text, number, boolean, date, time or json), and its value in a row r as SQL. An output of its function that is a record stands for the fields of the record.';

create function private.is_report(type public.export_type) returns boolean
language sql immutable
return type in ('sales', 'revenue', 'segments', 'cohorts', 'funnel');
comment on function private.is_report is
  'Whether a type is a report: its rows are few, have an order of their own, and are read in one page.';

create function private.count_export_rows(type public.export_type, query private.export_query, at_most bigint)
returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  counted bigint;
begin
  execute format(
    'select count(*) from (select from %s($1) limit $2) as r', private.export_source(type)::regproc
  )
  into counted
  using query, at_most;
  return counted;
end
$$;
comment on function private.count_export_rows is 'Counts the rows of an export, up to at_most.';

create function private.export_line(type public.export_type, as_objects boolean) returns text
language sql stable set search_path = ''
as $$
  select case when as_objects
    then format(
      'to_json((select row_to_json(o) from (select %s) as o)::text)',
      string_agg(format('%s as %I', f.source, f.name), ', ' order by f.place)
    )
    else format(
      'json_build_array(%s)',
      string_agg(
        format(case f.kind when 'number' then '%s::text' when 'json' then 'to_json(%s)::text' else '%s' end, f.source),
        ', ' order by f.place
      )
    )
  end
  from private.export_fields(type) f
$$;
comment on function private.export_line is
  'The SQL expression for a row r of a type: an object as text, or a list of cells. In cells, numbers and JSON are texts, so that no digit is lost.';

create function private.export_rows(
  type public.export_type, query private.export_query, as_objects boolean, after jsonb, bytes integer
) returns json
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_report boolean := private.is_report(type);
  condition text := case when after is null then 'true' else
    'r.at <= $2 and (r.at < $2 or r.key > $3 or r.key = $3 and r.part > $4)'
  end;
  -- The limit makes Postgres plan for the first rows.
  ordering text := case when is_report then '' else 'order by r.at desc, r.key, r.part limit 10000' end;
  row_at timestamptz;
  row_key uuid;
  row_part uuid;
  line json;
  lines json[] := array[]::json[];
  remaining integer := bytes;
begin
  perform set_config('timezone', (query).scope.time_zone, true);
  -- A loop that ends when the page is full, so that the remaining rows are not read.
  for row_at, row_key, row_part, line in execute format(
    'select r.at, r.key, r.part, %s as line from %s($1) as r where %s %s',
    private.export_line(type, as_objects), private.export_source(type)::regproc, condition, ordering
  )
  using query, (after ->> 0)::timestamptz, (after ->> 1)::uuid, (after ->> 2)::uuid
  loop
    lines := lines || line;
    remaining := remaining - pg_column_size(line);
    exit when remaining <= 0 and not is_report;
  end loop;
  return json_build_object(
    'rows', lines,
    'after', case
      when not is_report and (remaining <= 0 or cardinality(lines) = 10000) then json_build_array(row_at, row_key, row_part)
    end
  );
end
$$;
comment on function private.export_rows is
  'A page of the rows of an export, as {rows, after}: those after the given place, or the first ones if it is null. A page has at most 10,000 rows and ends with the row that exceeds the given number of bytes. A row is a list of cells, or an object as text; times have the offset of the tenant''s time zone. after in the result: the place of the last row, null if none follows.';
