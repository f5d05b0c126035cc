-- Commissions: the operator's share of each supplier's sales, and the payouts. Placing an order creates a line per
-- supplier at the rates of that time, and the line follows the pieces of the order. Commission is rounded once per line
-- and not per item. The operator's own products have no commission.

create type public.tax_collector as enum ('supplier', 'operator');
comment on type public.tax_collector is 'Who hands the tax of a supplier''s sale over to the state.';

-- tables ---------------------------------------------------------------------------------------

create table public.order_item_commissions (
  tenant_id uuid not null,
  order_id uuid not null,
  item_id uuid not null,
  supplier_id uuid not null,
  commission_percent numeric not null,
  constraint order_item_commissions_pkey primary key (tenant_id, order_id, item_id),
  constraint order_item_commissions_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint order_item_commissions_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint order_item_commissions_commission_percent_is_from_0_to_100 check (commission_percent between 0 and 100)
);
comment on table public.order_item_commissions is
  'The rate of commission of each item whose supplier could have several rates when the order was placed. The rate of other items is in their line of order_commissions. Never changed.';

create table public.order_commissions (
  tenant_id uuid not null,
  order_id uuid not null,
  supplier_id uuid not null,
  marketplace_id uuid not null,
  currency text not null,
  sales_amount numeric not null,
  delivery_amount numeric not null default 0,
  commission_percent numeric,
  delivery_percent numeric not null default 0,
  commission_amount numeric not null,
  refunded_amount numeric not null default 0,
  tax_amount numeric not null default 0,
  tax_collected_by public.tax_collector not null default 'supplier',
  commission_on_tax boolean not null default false,
  payout_amount numeric not null,
  completed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null default now(),
  constraint order_commissions_pkey primary key (tenant_id, order_id, supplier_id),
  constraint order_commissions_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint order_commissions_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint order_commissions_commission_percent_is_from_0_to_100 check (commission_percent between 0 and 100),
  constraint order_commissions_sales_amount_is_of_at_most_4_decimals check (scale(sales_amount) <= 4),
  constraint order_commissions_delivery_amount_is_of_at_most_4_decimals check (scale(delivery_amount) <= 4),
  constraint order_commissions_commission_percent_is_of_at_most_4_decimals check (scale(commission_percent) <= 4),
  constraint order_commissions_delivery_percent_is_from_0_to_100 check (delivery_percent between 0 and 100),
  constraint order_commissions_commission_amount_is_of_at_most_4_decimals check (scale(commission_amount) <= 4),
  constraint order_commissions_refunded_amount_is_of_at_most_4_decimals check (scale(refunded_amount) <= 4),
  constraint order_commissions_payout_amount_is_of_at_most_4_decimals check (scale(payout_amount) <= 4),
  constraint order_commissions_commission_amount_is_part_of_the_sales
    check (commission_amount between 0 and sales_amount + delivery_amount),
  constraint order_commissions_refunded_amount_is_part_of_the_sales check (refunded_amount between 0 and sales_amount),
  constraint order_commissions_payout_amount_is_what_is_left_of_the_sales
    check (
      payout_amount = sales_amount + delivery_amount - commission_amount - refunded_amount
        - case tax_collected_by when 'operator' then tax_amount else 0 end
    ),
  constraint order_commissions_tax_amount_is_of_at_most_4_decimals check (scale(tax_amount) <= 4),
  constraint order_commissions_tax_amount_is_part_of_the_sales check (tax_amount between 0 and sales_amount + delivery_amount)
);
comment on table public.order_commissions is
  'A line for each supplier of an order: its sales (minus cancelled, returned and lost pieces), its delivery if the supplier receives it, the operator''s commission, the refunds that it bears (refunded_amount: price reductions of pieces that the customer keeps), and the payout. tax_amount: the tax in sales_amount and delivery_amount, which the payout does not have if the operator collects it (tax_collected_by). commission_on_tax: whether the commission is also on the tax. Both are as when the order was placed. commission_percent: the rate of its items when the order was placed; null if they have several. delivery_percent: the rate of its delivery; 0 if no commission is taken on delivery. completed_at: the later of the payment and the delivery of the last piece that the customer keeps; null before both.';

-- indexes --------------------------------------------------------------------------------------

create index order_item_commissions_supplier_idx on public.order_item_commissions (tenant_id, supplier_id);
create index order_commissions_tenant_id_created_at_idx on public.order_commissions (tenant_id, created_at desc, order_id);
create index order_commissions_completed_at_idx on public.order_commissions (tenant_id, completed_at)
  where completed_at is not null;
create index order_commissions_supplier_idx on public.order_commissions (tenant_id, supplier_id, created_at desc, order_id);

-- functions ------------------------------------------------------------------------------------

create function private.market_percent(business jsonb) returns numeric
language sql immutable
return coalesce(trim_scale((business ->> 'commission_percent')::numeric), 0);
comment on function private.market_percent is
  'The rate of commission of a marketplace, by its settings.business; 0 if it has none.';

create function private.freeze_commissions(target public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  of_market numeric;
begin
  -- Without rates of categories all items of a supplier have one rate, which its line of order_commissions keeps.
  if not exists (
    select from public.commission_rates r where r.tenant_id = target.tenant_id and r.category_id is not null
  ) then
    return;
  end if;
  of_market := private.market_percent(private.business_of(target.marketplace_id));
  with item as materialized (
    select i.id, i.supplier_id, p.category_id
    from public.order_items i
    join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
    where i.tenant_id = target.tenant_id and i.order_id = target.id and i.supplier_id is not null
      and not exists (
        select from public.commission_rates own where own.tenant_id = i.tenant_id and own.supplier_id = i.supplier_id
      )
  ),
  -- Each category is looked up once.
  rate as materialized (
    select
      c.category_id, coalesce(private.category_percent(target.tenant_id, c.category_id), of_market) as commission_percent
    from (select distinct i.category_id from item i) as c
  )
  insert into public.order_item_commissions (tenant_id, order_id, item_id, supplier_id, commission_percent)
  select target.tenant_id, target.id, i.id, i.supplier_id, r.commission_percent
  from item i
  join rate r on r.category_id is not distinct from i.category_id;
end
$$;
comment on function private.freeze_commissions is
  'Stores the rates of a new order''s items where rates of categories may apply: the category''s, else the marketplace''s.';

create function private.settle_commissions(target public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  exponent integer := (select c.exponent from private.currencies c where c.code = target.currency);
  settings jsonb := (select m.settings from public.marketplaces m where m.id = target.marketplace_id);
  business jsonb := coalesce(settings -> 'business', '{}');
  of_market numeric := private.market_percent(business);
begin
  insert into public.order_commissions as c (
    tenant_id, order_id, supplier_id, marketplace_id, currency, sales_amount, delivery_amount, commission_percent,
    delivery_percent, commission_amount, refunded_amount, tax_amount, tax_collected_by, commission_on_tax, payout_amount,
    created_at
  )
  select
    target.tenant_id, target.id, line.supplier_id, target.marketplace_id, target.currency, line.sales_amount,
    line.delivery_amount, line.commission_percent, line.delivery_percent, line.commission_amount, line.refunded_amount,
    line.tax_amount, line.collected_by, line.on_tax,
    line.sales_amount + line.delivery_amount - line.commission_amount - line.refunded_amount
      - case line.collected_by when 'operator' then line.tax_amount else 0 end,
    target.created_at
  from (
    select
      part.supplier_id, part.delivery_amount, part.delivery_percent, part.collected_by, part.on_tax,
      sum(kept.amount) as sales_amount, sum(kept.tax) + part.delivery_tax as tax_amount,
      case when min(rate.percent) = max(rate.percent) then min(rate.percent) end as commission_percent,
      round(
        (
          sum((kept.amount - case when part.on_tax then 0 else kept.tax end) * rate.percent)
          + (part.delivery_amount - case when part.on_tax then 0 else part.delivery_tax end) * part.delivery_percent
        ) / 100, exponent
      ) as commission_amount,
      coalesce(sum(back.borne_amount), 0) as refunded_amount
    from (
      select
        p.supplier_id,
        -- Free delivery is borne by the operator.
        earned.delivery * (private.delivery_price_of(p) + p.delivery_discount_amount) as delivery_amount,
        earned.delivery * p.delivery_tax_amount as delivery_tax,
        coalesce(kept.tax_collected_by, (settings #>> '{tax,collected_by}')::public.tax_collector, 'supplier') as collected_by,
        coalesce(kept.commission_on_tax, (settings #>> '{tax,commission_on_tax}')::boolean, false) as on_tax,
        coalesce(kept.commission_percent, own.commission_percent, of_market) as percent,
        coalesce(
          kept.delivery_percent,
          case when (business ->> 'commission_on_delivery')::boolean then coalesce(own.commission_percent, of_market) end,
          0
        ) as delivery_percent
      from public.order_parts p
      left join public.order_commissions kept
        on kept.tenant_id = p.tenant_id and kept.order_id = p.order_id and kept.supplier_id = p.supplier_id
      left join public.commission_rates own on own.tenant_id = p.tenant_id and own.supplier_id = p.supplier_id
      cross join lateral (
        select case when p.delivery_recipient = 'supplier' and p.delivery_owed then 1 else 0 end as delivery
      ) as earned
      where p.tenant_id = target.tenant_id and p.order_id = target.id
    ) as part
    join public.order_items i
      on i.tenant_id = target.tenant_id and i.order_id = target.id and i.supplier_id = part.supplier_id
    left join public.order_item_commissions r
      on r.tenant_id = i.tenant_id and r.order_id = i.order_id and r.item_id = i.id
    left join private.refunded_items(target) as back on back.item_id = i.id
    cross join lateral (select coalesce(r.commission_percent, part.percent) as percent) as rate
    cross join lateral (
      select private.earned_of(i, i.sold_quantity) as amount, private.earned_tax_of(i, i.sold_quantity) as tax
    ) as kept
    group by
      part.supplier_id, part.delivery_amount, part.delivery_tax, part.delivery_percent, part.collected_by, part.on_tax
  ) as line
  on conflict (tenant_id, order_id, supplier_id) do update
  set sales_amount = excluded.sales_amount,
      delivery_amount = excluded.delivery_amount,
      commission_amount = excluded.commission_amount,
      refunded_amount = excluded.refunded_amount,
      tax_amount = excluded.tax_amount,
      payout_amount = excluded.payout_amount,
      updated_at = now();
end
$$;
comment on function private.settle_commissions is
  'Recalculates an order''s commission lines at the rates that the order keeps. Commission is rounded to the currency, half a unit up.';

create function private.item_arrival(item public.order_items) returns timestamptz
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (
      select b.delivered_at
      from public.bookings b
      where b.tenant_id = item.tenant_id and b.order_id = item.order_id and b.order_item_id = item.id
    ),
    max(s.delivered_at) filter (where h.quantity > back.quantity),
    max(s.delivered_at)
  )
  from public.shipment_items h
  join public.shipments s on s.tenant_id = h.tenant_id and s.order_id = h.order_id and s.id = h.shipment_id
  cross join lateral (
    select coalesce(sum(r.quantity), 0) as quantity
    from private.returned_pieces r
    left join public.return_requests q on q.tenant_id = r.tenant_id and q.order_id = r.order_id and q.id = r.request_id
    where r.tenant_id = h.tenant_id and r.order_id = h.order_id and r.shipment_id = h.shipment_id and r.item_id = h.item_id
      and (r.request_id is null or q.status = 'received')
  ) as back
  where h.tenant_id = item.tenant_id and h.order_id = item.order_id and h.item_id = item.id
$$;
comment on function private.item_arrival is
  'When the last piece of an item that the customer keeps was delivered; if all came back, the last of them. A slot was delivered when it ended. Null for digital goods.';

create function private.complete_commissions(target public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  paid_at timestamptz := case when private.was_paid(target.payment_status) then coalesce(
    (
      select max(p.created_at)
      from public.payments p
      where p.tenant_id = target.tenant_id and p.order_id = target.id and p.status = 'paid'
    ),
    -- It costs nothing.
    target.created_at
  ) end;
begin
  update public.order_commissions c
  set completed_at = part.completed_at
  from (
    select
      i.supplier_id,
      case
        when sum(i.delivered_quantity) > 0
          and sum(i.delivered_quantity) = sum(i.quantity - i.cancelled_quantity - i.lost_quantity)
          -- Digital goods are in no shipment: they are delivered with the payment.
          and paid_at is not null
          then greatest(
            paid_at,
            case
              when bool_or(i.sold_quantity > 0) then max(sent.arrived_at) filter (where i.sold_quantity > 0)
              else max(sent.arrived_at)
            end
          )
      end as completed_at
    from public.order_items i
    cross join lateral private.item_arrival(i) as sent (arrived_at)
    where i.tenant_id = target.tenant_id and i.order_id = target.id and i.supplier_id is not null
    group by i.supplier_id
  ) as part
  where c.tenant_id = target.tenant_id and c.order_id = target.id and c.supplier_id = part.supplier_id
    and c.completed_at is distinct from part.completed_at;
end
$$;
comment on function private.complete_commissions is
  'Sets completed_at of an order''s commission lines.';

create function private.make_commissions() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  target public.orders;
begin
  for target in
    select o.*
    from public.orders o
    where o.id in (select i.order_id from new_items i)
      -- Imported orders were settled elsewhere.
      and o.imported_at is null
  loop
    perform private.freeze_commissions(target);
    perform private.settle_commissions(target);
  end loop;
  return null;
end
$$;
comment on function private.make_commissions() is
  'Statement trigger: creates the commission lines of new orders, at the current rates.';

create function private.follow_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed record;
begin
  for changed in
    select
      i.order_id,
      bool_or((was.price, was.sold_quantity) is distinct from (i.price, i.sold_quantity)) as are_amounts,
      bool_or((was.sold_quantity, was.delivered_quantity) is distinct from (i.sold_quantity, i.delivered_quantity)) as are_deliveries
    from new_items i
    join old_items was on was.id = i.id
    group by i.order_id
  loop
    perform
      case when changed.are_amounts then private.settle_commissions(o) end,
      case when changed.are_deliveries then private.complete_commissions(o) end
    from public.orders o
    where o.id = changed.order_id and o.imported_at is null;
  end loop;
  return null;
end
$$;
comment on function private.follow_items() is
  'Statement trigger: recalculates commission when price or sold_quantity of items change, and when it was completed with their deliveries.';

create function private.follow_times() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.complete_commissions(o) from public.orders o where o.id = new.order_id and o.imported_at is null;
  return null;
end
$$;
comment on function private.follow_times() is
  'Row trigger: sets when the lines of an order were completed as its payment is reported or reversed, a return request is received, a slot ends, or the time of a delivery is corrected.';

create function private.follow_unowed_delivery() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.settle_commissions(o) from public.orders o where o.id = new.order_id and o.imported_at is null;
  return null;
end
$$;
comment on function private.follow_unowed_delivery() is
  'Row trigger: recalculates commission, because a delivery that is no longer owed is not earned.';

create function private.follow_borne_refunds() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (
    select
    from public.payments p
    where p.tenant_id = new.tenant_id and p.order_id = new.order_id and p.borne_by = 'supplier'
  ) then
    perform private.settle_commissions(o) from public.orders o where o.id = new.order_id and o.imported_at is null;
  end if;
  return null;
end
$$;
comment on function private.follow_borne_refunds() is
  'Row trigger: recalculates the lines of an order when its suppliers bear a refund, or no longer bear one that is undone.';

create function private.check_commissions() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  touched record;
begin
  if tg_op = 'DELETE' then
    touched := old;
  else
    touched := new;
  end if;
  if exists (
    select 1
    from (
      select
        i.supplier_id,
        sum(private.earned_of(i, i.sold_quantity)) as amount
      from public.orders o
      join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
      where o.tenant_id = touched.tenant_id and o.id = touched.order_id and o.imported_at is null
        and i.supplier_id is not null
      group by i.supplier_id
    ) as sold
    full join (
      select c.supplier_id, c.sales_amount
      from public.order_commissions c
      where c.tenant_id = touched.tenant_id and c.order_id = touched.order_id
    ) as line on line.supplier_id = sold.supplier_id
    where line.sales_amount is distinct from sold.amount
  ) then
    raise exception using
      errcode = 'check_violation',
      message = 'new row for relation "order_commissions" violates check constraint'
        || ' "order_commissions_sales_amount_is_what_the_supplier_sold"';
  end if;
  return null;
end
$$;
comment on function private.check_commissions() is
  'Row trigger at commit: the lines of an order add up to its suppliers'' sales, minus cancelled, returned and lost pieces.';

create function private.payout_delay(marketplace_id uuid) returns interval
language sql stable security definer set search_path = ''
as $$
  select make_interval(
    hours => 24 * coalesce((s.business ->> 'payout_delay_days')::integer, (s.business ->> 'return_days')::integer, 14)
  )
  from (select private.business_of(payout_delay.marketplace_id) as business) as s
$$;
comment on function private.payout_delay is
  'The time from the completion of a supplier''s line until it is due: the marketplace''s payout_delay_days, else its return_days.';

create function private.payout_delays() returns table (shortest interval, longest interval)
language sql stable security definer set search_path = ''
as $$
  select min(delay.length), max(delay.length)
  from public.marketplaces m
  cross join lateral (select private.payout_delay(m.id) as length) as delay
  where m.tenant_id = private.tenant_id()
$$;
comment on function private.payout_delays is 'The shortest and the longest payout delay of the tenant''s marketplaces.';

create view public.commission_details with (security_invoker = true) as
select
  c.order_id, c.tenant_id, c.supplier_id, c.marketplace_id, o.number, p.status, o.status as order_status, o.payment_status,
  c.currency, c.sales_amount, c.delivery_amount, c.commission_percent, c.delivery_percent, c.commission_amount,
  c.refunded_amount, c.payout_amount, c.completed_at,
  case when c.completed_at is not null then c.completed_at + private.payout_delay(c.marketplace_id) end as due_at,
  c.created_at, c.updated_at, c.tax_amount, c.tax_collected_by
from public.order_commissions c
join public.orders o on o.tenant_id = c.tenant_id and o.id = c.order_id
join public.order_parts p on p.tenant_id = c.tenant_id and p.order_id = c.order_id and p.supplier_id = c.supplier_id;
comment on view public.commission_details is
  'The commission lines with the status of their part, and the number, order_status and payment_status of their orders. due_at: completed_at plus the payout delay of the marketplace, as it is now.';

create function public.list_commissions(
  supplier_id uuid default null,
  marketplace_id uuid default null,
  status public.order_status default null,
  part_status public.order_status default null,
  payment_status public.payment_status default null,
  "from" text default null,
  "to" text default null,
  due_from text default null,
  due_to text default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  -- Contains only the conditions that are set, so that each combination gets its own plan.
  wanted text := concat_ws(
    ' and ',
    'tenant_id = (select private.tenant_id())',
    case when list_commissions.supplier_id is not null then 'supplier_id = $1' end,
    case when list_commissions.marketplace_id is not null then 'marketplace_id = $2' end,
    case when list_commissions.status is not null then 'status = $3' end,
    case when list_commissions.part_status is not null then 'status = $4' end,
    case when list_commissions.payment_status is not null then 'payment_status = $5' end,
    case when "from" is not null then 'created_at >= $6' end,
    case when "to" is not null then 'created_at < $7' end,
    -- The index has the completion: the payout delay of the marketplaces may change.
    case when due_from is not null then 'due_at >= $8 and completed_at >= $8 - (select longest from private.payout_delays())' end,
    case when due_to is not null then 'due_at < $9 and completed_at < $9 - (select shortest from private.payout_delays())' end
  );
  -- The sums read the orders and their parts only if a condition on them is set.
  lines text := case
    when num_nonnulls(list_commissions.status, list_commissions.part_status, payment_status, due_from, due_to) = 0
      then 'order_commissions'
    else 'commission_details'
  end;
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  size integer := least(greatest("limit", 1), 1000);
  listed jsonb;
begin
  perform private.members_only();
  execute format(
    $query$
      with totals as (
        select
          currency, count(*) as lines, sum(sales_amount) as sales_amount, sum(delivery_amount) as delivery_amount,
          sum(commission_amount) as commission_amount, sum(refunded_amount) as refunded_amount,
          sum(tax_amount) as tax_amount, sum(payout_amount) as payout_amount
        from public.%3$I
        where %1$s
        group by currency
      )
      select jsonb_build_object(
        'commissions', (
          select coalesce(jsonb_agg(to_jsonb(d) order by d.created_at %2$s, d.order_id, d.supplier_id), '[]')
          from (
            select *
            from public.commission_details
            where %1$s
            order by created_at %2$s, order_id, supplier_id
            limit $10 offset $11
          ) as d
        ),
        'total', (select coalesce(sum(t.lines), 0) from totals t),
        'totals', (select coalesce(jsonb_agg(to_jsonb(t) - 'lines' order by t.currency), '[]') from totals t)
      )
    $query$,
    wanted, direction, lines
  )
  into listed
  using list_commissions.supplier_id, list_commissions.marketplace_id, list_commissions.status,
    list_commissions.part_status, list_commissions.payment_status, private.moment_of("from", 'from'),
    private.moment_of("to", 'to', is_end => true), private.moment_of(due_from, 'due_from'),
    private.moment_of(due_to, 'due_to', is_end => true), size, (greatest(page, 1)::bigint - 1) * size;
  return listed;
end
$$;
comment on function public.list_commissions is
  'A page of the commission lines that the caller may see, the newest orders first, with their sums in each currency. status and part_status: the status of the line''s part. from, to: when their orders were placed; due_from, due_to: when they are due. Times with an offset, or days of the tenant''s time zone; to and due_to include their day.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.order_commissions
  for each row execute function private.keep_nfc();

create trigger order_items_make_commissions
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.make_commissions();

create trigger order_items_change_commissions
  after update on public.order_items
  referencing old table as old_items new table as new_items
  for each statement execute function private.follow_items();

create trigger order_parts_change_commissions
  after update of delivery_owed on public.order_parts
  for each row when (
    old.delivery_owed and not new.delivery_owed
    and new.delivery_amount <> 0 and new.delivery_recipient = 'supplier'
  )
  execute function private.follow_unowed_delivery();

create trigger payments_complete_commissions
  after insert on public.payments
  for each row when (new.status in ('paid', 'payment_reversed'))
  execute function private.follow_times();

-- Deliveries change the items too, after the shipments.
create trigger shipments_complete_commissions
  after update of delivered_at on public.shipments
  for each row when (old.delivered_at <> new.delivered_at)
  execute function private.follow_times();

-- The pieces of a slot that was reported as delivered before its end do not change when it ends.
create trigger bookings_complete_commissions
  after update of delivered_at on public.bookings
  for each row when (old.delivered_at is distinct from new.delivered_at)
  execute function private.follow_times();

-- Only then is it known which pieces the customer keeps.
create trigger return_requests_complete_commissions
  after update of status on public.return_requests
  for each row when (new.status = 'received' and old.status <> 'received')
  execute function private.follow_times();

-- A refund that the operator bears changes what is left of an item for its supplier to bear.
create trigger payments_change_commissions
  after insert on public.payments
  for each row when (new.status in ('refunded', 'refund_failed', 'payment_reversed'))
  execute function private.follow_borne_refunds();

create constraint trigger order_commissions_check
  after insert or update or delete on public.order_commissions
  deferrable initially deferred
  for each row execute function private.check_commissions();

create constraint trigger order_items_check_commissions
  after delete on public.order_items
  deferrable initially deferred
  for each row execute function private.check_commissions();

-- policies -------------------------------------------------------------------------------------

alter table public.order_item_commissions enable row level security;
alter table public.order_commissions enable row level security;

create policy "Admins and clients see all rates of items, suppliers their own" on public.order_item_commissions
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('commissions.read'))
      when 'own' then supplier_id = (select private.supplier_id())
      when 'all' then true
    end
  );

create policy "Admins and clients see all commissions, suppliers their own" on public.order_commissions
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('commissions.read'))
      when 'own' then supplier_id = (select private.supplier_id())
      when 'all' then true
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.order_item_commissions, public.order_commissions, public.commission_details to authenticated;
grant all on public.order_item_commissions, public.order_commissions, public.commission_details to service_role;
grant execute on function private.payout_delay, private.payout_delays to authenticated, service_role;
grant execute on function public.list_commissions to authenticated;
