-- Made from supabase/schemas and supabase/reference by `npm run db -- migration`. Do not edit.

-- supabase/schemas/orders/0560_commissions.sql

-- Commissions: the operator's share of each supplier's sales, and the payouts. Placing an order creates a line per
-- supplier at the rates of that time, and the line follows the pieces of the order. Commission is rounded once per line
-- and not per item. The operator's own products have no commission.

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
    check (payout_amount = sales_amount + delivery_amount - commission_amount - refunded_amount)
);
comment on table public.order_commissions is
  'A line for each supplier of an order: its sales (minus cancelled, returned and lost pieces), its delivery if the supplier receives it, the operator''s commission, the refunds that it bears (refunded_amount: price reductions of pieces that the customer keeps), and the payout. commission_percent: the rate of its items when the order was placed; null if they have several. delivery_percent: the rate of its delivery; 0 if no commission is taken on delivery. completed_at: the later of the payment and the delivery of the last piece that the customer keeps; null before both.';

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
  business jsonb := private.business_of(target.marketplace_id);
  of_market numeric := private.market_percent(business);
begin
  insert into public.order_commissions as c (
    tenant_id, order_id, supplier_id, marketplace_id, currency, sales_amount, delivery_amount, commission_percent,
    delivery_percent, commission_amount, refunded_amount, payout_amount, created_at
  )
  select
    target.tenant_id, target.id, line.supplier_id, target.marketplace_id, target.currency, line.sales_amount,
    line.delivery_amount, line.commission_percent, line.delivery_percent, line.commission_amount, line.refunded_amount,
    line.sales_amount + line.delivery_amount - line.commission_amount - line.refunded_amount, target.created_at
  from (
    select
      part.supplier_id, part.delivery_amount, part.delivery_percent, sum(i.price * i.sold_quantity) as sales_amount,
      case when min(rate.percent) = max(rate.percent) then min(rate.percent) end as commission_percent,
      round(
        (sum(i.price * i.sold_quantity * rate.percent) + part.delivery_amount * part.delivery_percent) / 100, exponent
      ) as commission_amount,
      coalesce(sum(back.borne_amount), 0) as refunded_amount
    from (
      select
        p.supplier_id,
        case when p.delivery_recipient = 'supplier' and p.delivery_owed then p.delivery_amount else 0 end
          as delivery_amount,
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
      where p.tenant_id = target.tenant_id and p.order_id = target.id
    ) as part
    join public.order_items i
      on i.tenant_id = target.tenant_id and i.order_id = target.id and i.supplier_id = part.supplier_id
    left join public.order_item_commissions r
      on r.tenant_id = i.tenant_id and r.order_id = i.order_id and r.item_id = i.id
    left join private.refunded_items(target) as back on back.item_id = i.id
    cross join lateral (select coalesce(r.commission_percent, part.percent) as percent) as rate
    group by part.supplier_id, part.delivery_amount, part.delivery_percent
  ) as line
  on conflict (tenant_id, order_id, supplier_id) do update
  set sales_amount = excluded.sales_amount,
      delivery_amount = excluded.delivery_amount,
      commission_amount = excluded.commission_amount,
      refunded_amount = excluded.refunded_amount,
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
        sum(i.price * i.sold_quantity) as amount
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
  c.created_at, c.updated_at
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
          sum(payout_amount) as payout_amount
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

create trigger payments_change_commissions
  after insert on public.payments
  for each row when (new.borne_by = 'supplier' or new.status in ('refund_failed', 'payment_reversed'))
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
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

create policy "Admins and clients see all commissions, suppliers their own" on public.order_commissions
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.order_item_commissions, public.order_commissions, public.commission_details to authenticated;
grant all on public.order_item_commissions, public.order_commissions, public.commission_details to service_role;
grant execute on function private.payout_delay, private.payout_delays to authenticated, service_role;
grant execute on function public.list_commissions to authenticated;

-- supabase/schemas/orders/0580_order_records.sql

-- The record of an order, as the API returns it and events contain it.

create view public.order_details with (security_invoker = true) as
select
  o.id, o.tenant_id, o.marketplace_id, o.number, o.customer_id, o.status, o.payment_status,
  money.subtotal_amount, money.delivery_amount, money.subtotal_amount + money.delivery_amount as total_amount,
  due.amount as refund_due,
  case when due.amount > 0 then private.refund_due_for(o, due.amount) else '{"items": [], "deliveries": []}' end as refund_due_for,
  o.currency, o.delivery_method, o.payment_method,
  o.payment_due_at, o.shipping_address, coalesce(o.billing_address, o.shipping_address) as billing_address, o.tax_id,
  o.contact, o.language, o.external_id, o.imported_at, o.created_at, o.updated_at,
  private.local_text(o.payment_due_at, t.time_zone) as payment_due_at_local,
  private.local_text(o.imported_at, t.time_zone) as imported_at_local,
  private.local_text(o.created_at, t.time_zone) as created_at_local,
  private.local_text(o.updated_at, t.time_zone) as updated_at_local,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', i.id, 'product_id', i.product_id, 'variant_id', i.variant_id, 'supplier_id', i.supplier_id,
          'name', i.name, 'quantity', i.quantity, 'shipped_quantity', i.shipped_quantity,
          'delivered_quantity', i.delivered_quantity, 'cancelled_quantity', i.cancelled_quantity,
          'returned_quantity', i.returned_quantity, 'lost_quantity', i.lost_quantity,
          'starts_at', i.starts_at, 'starts_at_local', private.local_text(i.starts_at, t.time_zone),
          'price', i.price, 'amount', i.amount
        )
        order by i.position
      ),
      '[]'
    )
    from public.order_items i
    where i.tenant_id = o.tenant_id and i.order_id = o.id
  ) as items,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'supplier_id', p.supplier_id, 'status', p.status, 'subtotal', p.subtotal,
          'delivery_amount', p.delivery_amount, 'delivery_owed', p.delivery_owed,
          'delivery_recipient', p.delivery_recipient, 'legal', p.legal
        )
        order by p.supplier_id
      ),
      '[]'
    )
    from public.order_parts p
    where p.tenant_id = o.tenant_id and p.order_id = o.id
  ) as parts,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'old_status', c.old_status, 'new_status', c.new_status, 'note', c.note,
          'actor_id', c.actor_id,
          'created_at', c.created_at, 'created_at_local', private.local_text(c.created_at, t.time_zone)
        )
        order by c.created_at
      ),
      '[]'
    )
    from public.order_status_changes c
    where c.tenant_id = o.tenant_id and c.order_id = o.id
  ) as history,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', p.id, 'status', p.status, 'amount', p.amount, 'currency', p.currency, 'reference', p.reference,
          'items', p.items, 'delivery_amount', p.delivery_amount, 'borne_by', p.borne_by, 'actor_id', p.actor_id,
          'created_at', p.created_at, 'created_at_local', private.local_text(p.created_at, t.time_zone)
        )
        order by p.created_at
      ),
      '[]'
    )
    from public.payments p
    where p.tenant_id = o.tenant_id and p.order_id = o.id
  ) as payments,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', c.id, 'items', c.items, 'amount', c.amount, 'reason', c.reason, 'actor_id', c.actor_id,
          'created_at', c.created_at, 'created_at_local', private.local_text(c.created_at, t.time_zone)
        )
        order by c.created_at
      ),
      '[]'
    )
    from public.order_cancellation_details c
    where c.tenant_id = o.tenant_id and c.order_id = o.id
  ) as cancellations,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', r.id, 'items', r.items, 'amount', r.amount, 'note', r.note, 'actor_id', r.actor_id,
          'created_at', r.created_at, 'created_at_local', private.local_text(r.created_at, t.time_zone)
        )
        order by r.created_at
      ),
      '[]'
    )
    from public.order_return_details r
    where r.tenant_id = o.tenant_id and r.order_id = o.id
  ) as returns,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', n.id, 'text', n.text, 'visibility', n.visibility, 'supplier_id', n.supplier_id,
          'author_id', n.author_id,
          'created_at', n.created_at, 'created_at_local', private.local_text(n.created_at, t.time_zone)
        )
        order by n.created_at
      ),
      '[]'
    )
    from public.order_notes n
    where n.tenant_id = o.tenant_id and n.order_id = o.id
  ) as notes,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'supplier_id', c.supplier_id, 'sales_amount', c.sales_amount, 'delivery_amount', c.delivery_amount,
          'commission_percent', c.commission_percent, 'delivery_percent', c.delivery_percent,
          'commission_amount', c.commission_amount, 'refunded_amount', c.refunded_amount,
          'payout_amount', c.payout_amount
        )
        order by c.supplier_id
      ),
      '[]'
    )
    from public.order_commissions c
    where c.tenant_id = o.tenant_id and c.order_id = o.id
  ) as commissions
from public.orders o
-- Postgres removes these joins where no local time and no amount is selected, for example when a list is counted.
left join public.tenants t on t.id = o.tenant_id
left join lateral (
  select coalesce(sum(p.subtotal), 0) as subtotal_amount, coalesce(sum(p.delivery_amount), 0) as delivery_amount
  from public.order_parts p
  where p.tenant_id = o.tenant_id and p.order_id = o.id
) as money on true
left join lateral private.refund_due(o) as due on true;
comment on view public.order_details is
  'The whole record of an order, as the API returns it: amounts, items, parts, history, payments, cancellations, returns, notes and commissions. Its times are also there as texts in the tenant''s time zone (…_local). Of each list, the caller sees the rows that the policies allow.';

create function public.change_order_status(
  order_id uuid, status public.order_status, note text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.change_order_status(order_id, status, note);
  return (select to_jsonb(d) from public.order_details d where d.id = change_order_status.order_id);
end
$$;
comment on function public.change_order_status is
  'Moves an order to a status and returns its whole record. Admins make any move, suppliers move orders forward that have their items only, customers cancel while the order is pending or confirmed.';

grant select on public.order_details to authenticated;
grant all on public.order_details to service_role;
grant execute on function public.change_order_status to authenticated;

-- supabase/schemas/orders/0583_reservations.sql

-- Limits on what a customer reserves without paying, and orders that replace an earlier one of the same customer. Both
-- are steps of placing an order.

-- indexes --------------------------------------------------------------------------------------

-- The orders that wait for their payment, which cancel_unpaid_orders cancels after the deadline.
create index orders_waiting_idx on public.orders (tenant_id, customer_id, marketplace_id)
  where status in ('pending', 'processing') and payment_status in ('pending', 'failed') and payment_due_at is not null;

-- functions ------------------------------------------------------------------------------------

create function private.refuse_reservation(
  setting text, maximum bigint, message text, field text default null, value jsonb default null
) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    'LIMIT_REACHED', message || ' Pay or cancel unpaid orders, or name one in replaces.', field, value,
    jsonb_build_object('cap', setting, 'maximum', maximum)
  );
end
$$;
comment on function private.refuse_reservation is
  'Refuses with LIMIT_REACHED. The details name the setting of the marketplace, and its value or the default.';

create function private.free_pieces(tenant uuid, product uuid) returns bigint
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    -- The own row of a product with variants is not used.
    sum(i.quantity - i.reserved) filter (where i.variant_id is not null), sum(i.quantity - i.reserved)
  )
  from public.inventory i
  where i.tenant_id = tenant and i.product_id = product
$$;
comment on function private.free_pieces is 'The pieces of a product in stock, with all its variants, that no order has reserved.';

create function private.bound_reservations(site public.marketplaces, buyer uuid, lines jsonb) returns void
-- A session may keep a plan from when the tables were empty. It would scan orders and order_items.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  most_orders integer := coalesce((site.settings #>> '{business,max_unpaid_orders}')::integer, 50);
  most_pieces integer := (site.settings #>> '{business,max_unpaid_pieces}')::integer;
  waiting uuid[] := array(
    select o.id
    from public.orders o
    where o.tenant_id = site.tenant_id and o.customer_id = buyer and o.marketplace_id = site.id
      and o.status in ('pending', 'processing') and o.payment_status in ('pending', 'failed')
      and o.payment_due_at is not null
    limit most_orders
  );
  beyond record;
begin
  if cardinality(waiting) >= most_orders then
    perform private.refuse_reservation(
      'max_unpaid_orders', most_orders, format('A customer may have at most %s unpaid orders here.', most_orders)
    );
  end if;
  with held as (
    select i.product_id, sum(i.quantity - i.shipped_quantity - i.cancelled_quantity) as pieces
    from public.order_items i
    where i.tenant_id = site.tenant_id and i.order_id = any (waiting)
    group by i.product_id
  ),
  wanted as (
    select
      line.position, line.product_id, line.quantity, p.track_inventory,
      sum(line.quantity) over (partition by line.product_id order by line.position) as pieces
    from jsonb_to_recordset(lines) as line (position integer, product_id uuid, quantity integer, starts_at timestamptz)
    join public.products p on p.id = line.product_id
    -- Products without stock reserve nothing, except for the slots of services.
    where p.track_inventory or line.starts_at is not null
  )
  select w.position, w.quantity, coalesce(h.pieces, 0) as held, bound.most into beyond
  from wanted w
  left join held h on h.product_id = w.product_id
  cross join lateral (
    select case
      when most_pieces is not null then most_pieces
      -- What the customer holds counts as free, so that several orders reach as far as one.
      when w.track_inventory then
        greatest(20, (private.free_pieces(site.tenant_id, w.product_id) + coalesce(h.pieces, 0)) / 10)
      else 20
    end as most
  ) as bound
  where w.pieces + coalesce(h.pieces, 0) > bound.most
  order by w.position
  limit 1;
  if found then
    perform private.refuse_reservation(
      'max_unpaid_pieces', beyond.most,
      format(
        'A customer may reserve at most %s unpaid pieces of this product; %s are in unpaid orders.', beyond.most, beyond.held
      ),
      format('items[%s].quantity', beyond.position - 1), to_jsonb(beyond.quantity)
    );
  end if;
end
$$;
comment on function private.bound_reservations is
  'Refuses with LIMIT_REACHED an order that would exceed the customer''s limits on a marketplace: settings.business.max_unpaid_orders, or max_unpaid_pieces for each product (by default 20 pieces or a tenth of its free stock, whichever is more). The caller holds the lock of the customer.';

create function private.replaced_order(order_id uuid, buyer uuid) returns public.orders
language plpgsql security definer set search_path = ''
as $$
declare
  target public.orders;
begin
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = replaced_order.order_id and o.customer_id = buyer
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'The customer has no such order.', 'replaces', to_jsonb(order_id));
  elsif private.was_paid(target.payment_status) or private.is_late_to_cancel(target) then
    perform private.refuse(
      'INVALID_TRANSITION',
      format(
        'Only an unpaid order that is pending or confirmed, and has no delivered items, can be replaced. This one is %s.',
        case when private.was_paid(target.payment_status) then target.payment_status::text else target.status::text end
      ),
      'replaces', to_jsonb(order_id)
    );
  end if;
  return target;
end
$$;
comment on function private.replaced_order is
  'Locks an unpaid order of a customer that another order replaces. Refuses with NOT_FOUND if the customer has no such order, with INVALID_TRANSITION if it is paid or can no longer be cancelled.';

create function private.free_replaced(target public.orders, items jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  pieces jsonb := items || to_jsonb(array(select p from private.pieces_in(target, 'open') as p));
begin
  -- Locks the stock of both orders and then their products, each in the order of ids. With one lock per order, two
  -- customers who replace orders of the same products could deadlock.
  perform private.lock_stock(target.tenant_id, pieces);
  perform 1
  from public.products p
  where p.tenant_id = target.tenant_id
    and p.id = any (array(select (piece ->> 'product_id')::uuid from jsonb_array_elements(pieces) as piece))
  order by p.id
  for no key update;
  perform private.move_order(target, 'cancelled', 'replaced by another order');
end
$$;
comment on function private.free_replaced is
  'Cancels an order that replaced_order has locked, and releases its stock. Before that, it locks the stock of that order and of the new items.';

create function private.lock_for_order(buyer uuid, items jsonb, replaces uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
begin
  if private.tenant_role() = 'customer' then
    -- Parallel checkouts of a customer wait for each other, because each counts what the others reserve.
    perform private.hold('reservations', format('%s %s', tenant, buyer));
  end if;
  if replaces is null then
    perform private.lock_stock(tenant, items);
  else
    perform private.free_replaced(private.replaced_order(replaces, buyer), items);
  end if;
end
$$;
comment on function private.lock_for_order is
  'Takes all locks for placing an order, and cancels the order that it replaces: first the customer, if the customer is the caller, then the replaced order, then the stock. Refuses with CONFLICT and as replaced_order does.';

-- supabase/schemas/orders/0585_order_placing.sql

-- Placing an order: its stock is reserved in the same transaction, and its whole record is returned.

-- types ----------------------------------------------------------------------------------------

create type private.order_share as (
  supplier_id uuid, subtotal numeric, delivery_amount numeric, delivery_recipient public.delivery_recipient,
  delivers_all boolean
);
comment on type private.order_share is 'A part of an order that is not written yet, with the columns of order_parts.';

-- functions ------------------------------------------------------------------------------------

create function private.order_contact(settings jsonb, contact jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  address text := lower(contact ->> 'email');
begin
  if private.is_guest() then
    if not private.allows_guest_checkout(settings) then
      perform private.refuse('FORBIDDEN', 'This marketplace takes no orders of guests. Register first.');
    elsif contact is null then
      perform private.refuse(
        'VALIDATION_ERROR', 'contact is required from a guest: send it with an email.', 'contact', 'null'
      );
    end if;
  end if;
  if contact is null then
    return null;
  end if;
  perform private.insist_on_keys(contact, 'contact', array['email', 'name', 'phone']);
  perform private.insist(
    jsonb_typeof(contact -> 'email') = 'string' and private.is_email(address), 'contact.email', 'an e-mail address',
    contact -> 'email'
  );
  perform private.insist(
    not contact ? 'name' or private.is_name(contact -> 'name', 200),
    'contact.name', 'a text of 1 to 200 characters, and not only spaces', contact -> 'name'
  );
  perform private.insist(
    not contact ? 'phone' or private.is_name(contact -> 'phone', 50),
    'contact.phone', 'a text of 1 to 50 characters, and not only spaces', contact -> 'phone'
  );
  return contact || jsonb_build_object('email', address);
end
$$;
comment on function private.order_contact is
  'The contact of an order as it is stored, with its email in lower case. Refuses with VALIDATION_ERROR, naming the field, a contact that is not {email, name, phone}, and a guest without a contact; with FORBIDDEN a guest where the marketplace takes no orders of guests.';

create function private.order_address(settings jsonb, address jsonb, field text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return case
    when address <> 'null' then private.checked_address(address, settings #>> '{business,country}', field)
  end;
end
$$;
comment on function private.order_address is
  'An address of an order as it is stored: in the marketplace''s country if it names none; null for null. Refuses with VALIDATION_ERROR.';

create function private.check_tax_id(tax_id jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.insist(
    coalesce(tax_id, 'null') = 'null' or private.is_name(tax_id, 50), 'tax_id',
    'a text of 1 to 50 characters, and not only spaces', tax_id
  );
end
$$;
comment on function private.check_tax_id is 'Refuses with VALIDATION_ERROR a tax number that is blank or too long.';

create function private.dearest_order(currency text) returns numeric
language sql stable set search_path = ''
as $$
  -- At most 2^53 - 1 of the smallest unit: JSON parsers may read larger numbers inexactly, and nobody can pay an
  -- inexact amount.
  select least(999999999999999, 9007199254740991 / 10::numeric ^ c.exponent)
  from private.currencies c
  where c.code = dearest_order.currency
$$;
comment on function private.dearest_order is 'The highest total of an order in a currency.';

create function private.ordering_marketplace(marketplace_id uuid, currency text) returns public.marketplaces
language plpgsql set search_path = ''
as $$
declare
  site public.marketplaces;
begin
  select * into site
  from public.marketplaces m
  where m.tenant_id = private.tenant_id() and m.id = ordering_marketplace.marketplace_id;
  if site.id is null or (site.status <> 'active' and private.tenant_role() = 'customer') then
    perform private.refuse(
      'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(ordering_marketplace.marketplace_id)
    );
  elsif site.status <> 'active' then
    perform private.refuse(
      'MARKETPLACE_NOT_ACTIVE', 'The marketplace is not open. Activate it first.',
      'marketplace_id', to_jsonb(ordering_marketplace.marketplace_id)
    );
  elsif ordering_marketplace.currency <> site.currency then
    perform private.refuse(
      'VALIDATION_ERROR', format('The marketplace sells in %s. Send that currency, or leave it out.', site.currency),
      'currency', to_jsonb(ordering_marketplace.currency)
    );
  end if;
  return site;
end
$$;
comment on function private.ordering_marketplace is
  'The marketplace in which an order is placed. currency: the one that the caller sent, or null. Refuses with NOT_FOUND, MARKETPLACE_NOT_ACTIVE, and with VALIDATION_ERROR another currency than the marketplace''s.';

create function private.check_order_items(items jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  if jsonb_typeof(items) is distinct from 'array' or jsonb_array_length(items) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'items must have at least one entry.', 'items', items);
  elsif jsonb_array_length(items) > 500 then
    perform private.refuse('VALIDATION_ERROR', 'items must have at most 500 entries.', 'items');
  end if;
  perform private.known_only(
    sent.value, '{product_id,variant_id,quantity,price,starts_at}', format('items[%s].', sent.position - 1)
  )
  from jsonb_array_elements(items) with ordinality as sent (value, position)
  where jsonb_typeof(sent.value) = 'object';
end
$$;
comment on function private.check_order_items is
  'Refuses with VALIDATION_ERROR items that are not a list of 1 to 500 objects with known fields.';

create function private.offered_delivery(settings jsonb, method text) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  offered jsonb := (
    select m.value
    from jsonb_array_elements(settings #> '{business,delivery,methods}') as m (value)
    where m.value ->> 'key' = method
  );
begin
  if method is not null and offered is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'The marketplace does not offer this delivery method. Choose one of its settings.business.delivery.methods.',
      'delivery_method', to_jsonb(method)
    );
  end if;
  return offered;
end
$$;
comment on function private.offered_delivery is
  'A marketplace''s delivery method by its key; null for null. Refuses with VALIDATION_ERROR a method that it does not offer.';

create function private.check_payment_method(settings jsonb, method text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if not coalesce(settings #> '{business,payment_methods}' ? method, method is null) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The marketplace does not accept this payment method. Choose one of its settings.business.payment_methods.',
      'payment_method', to_jsonb(method)
    );
  end if;
end
$$;
comment on function private.check_payment_method is
  'Refuses with VALIDATION_ERROR a payment method that a marketplace does not take.';

create function private.check_destination(
  settings jsonb, delivery_method text, shipping_address jsonb, lines jsonb
) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not lines @> '[{"is_physical": true}]' then
    return;
  elsif delivery_method is null and settings #> '{business,delivery,methods}' <> '[]' then
    perform private.refuse(
      'VALIDATION_ERROR', 'delivery_method is required: name one of the marketplace''s methods.', 'delivery_method', 'null'
    );
  elsif shipping_address is null then
    perform private.checked_address(shipping_address, null);
  end if;
end
$$;
comment on function private.check_destination is
  'Refuses with VALIDATION_ERROR an order with physical items and no address, or no delivery_method although the marketplace has delivery methods.';

create function private.order_lines(tenant uuid, marketplace_id uuid, items jsonb, delivery_method text) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  lines jsonb;
begin
  with sent as (
    select
      sent.position, sent.value,
      (sent.value ->> 'product_id')::uuid as product_id, (sent.value ->> 'variant_id')::uuid as variant_id,
      (sent.value ->> 'quantity')::integer as quantity, (sent.value ->> 'price')::numeric as price,
      (sent.value ->> 'starts_at')::timestamptz as starts_at
    from jsonb_array_elements(items) with ordinality as sent (value, position)
  ),
  -- Looked up by id alone. With a condition on the marketplace, Postgres might read all its products.
  named as materialized (
    select
      p.id, p.tenant_id, p.marketplace_id, p.status, p.supplier_id, p.name, p.price, p.track_inventory,
      p.kind = 'physical' as is_physical, p.physical -> 'delivery' as delivery
    from public.products p
    where p.id = any (array(select sent.product_id from sent))
  ),
  product as materialized (
    select
      p.id, p.supplier_id, p.name, p.price, p.track_inventory, p.is_physical, p.delivery,
      exists (
        select 1 from public.product_variants v where v.tenant_id = tenant and v.product_id = p.id
      ) as has_variants
    from named p
    where p.tenant_id = tenant and p.marketplace_id = order_lines.marketplace_id and p.status in ('active', 'out_of_stock')
  ),
  variant as materialized (
    select v.id, v.product_id, v.name, v.price
    from public.product_variants v
    where v.tenant_id = tenant and v.product_id = any (array(select p.id from product p where p.has_variants))
  ),
  stock as materialized (
    select i.product_id, i.variant_id, i.quantity - i.reserved as available
    from public.inventory i
    where i.tenant_id = tenant and i.product_id = any (array(select p.id from product p))
  ),
  line as (
    select
      sent.position, sent.value, sent.quantity, sent.price, sent.starts_at,
      p.id as product_id, v.id as variant_id, p.supplier_id, p.is_physical,
      p.name || coalesce(' – ' || v.name, '') as name,
      coalesce(v.price, p.price) as current_price,
      stock.available,
      case
        when p.id is null then 'product_id'
        when v.id is null and (sent.variant_id is not null or p.has_variants) then 'variant_id'
        when sent.quantity is null or sent.quantity <= 0 then 'quantity'
        when sent.price is distinct from coalesce(v.price, p.price) then 'price'
        when jsonb_typeof(p.delivery) = 'array' and not p.delivery ? order_lines.delivery_method then 'delivery'
        when p.track_inventory and stock.available < sum(sent.quantity) over (
          partition by p.id, v.id order by sent.position
        ) then 'inventory'
      end as fault
    from sent
    left join product p on p.id = sent.product_id
    left join variant v on v.product_id = p.id and v.id = sent.variant_id
    left join stock on stock.product_id = p.id and stock.variant_id is not distinct from v.id
  )
  select
    jsonb_agg(
      jsonb_build_object(
        'position', line.position, 'product_id', line.product_id, 'variant_id', line.variant_id,
        'supplier_id', line.supplier_id, 'is_physical', line.is_physical, 'name', line.name, 'quantity', line.quantity,
        -- The current price of the product, which equals the sent one but may be written differently.
        'starts_at', line.starts_at, 'price', line.current_price,
        'fault', line.fault, 'sent', line.value, 'available', line.available
      )
      order by line.position
    )
  into lines
  from line;
  return lines;
end
$$;
comment on function private.order_lines is
  'The items of an order with their current name, price and stock, and the field that is wrong (fault), if any. The caller has locked the stock.';

create function private.refuse_faulty_line(lines jsonb, delivery_method text) returns void
language plpgsql set search_path = ''
as $$
declare
  problem record;
begin
  select line.* into problem
  from jsonb_to_recordset(lines) as line (
    position integer, variant_id uuid, fault text, sent jsonb, price numeric, available integer
  )
  where line.fault is not null
  order by line.position
  limit 1;
  if found then
    perform private.refuse(
      case
        when problem.fault = 'product_id' or problem.fault = 'variant_id' and problem.sent ->> 'variant_id' is not null
          then 'NOT_FOUND'
        when problem.fault = 'price' then 'PRICE_MISMATCH'
        when problem.fault = 'inventory' then 'INSUFFICIENT_INVENTORY'
        else 'VALIDATION_ERROR'
      end,
      case problem.fault
        when 'product_id' then 'There is no such product for sale here.'
        when 'variant_id' then 'Choose one of the product''s variants.'
        when 'quantity' then 'quantity must be at least 1.'
        when 'price' then format('The price is %s now.', problem.price)
        when 'delivery' then format('items[%s] cannot be delivered by this method.', problem.position - 1)
        else format('Only %s left.', greatest(problem.available, 0))
      end,
      case problem.fault
        when 'delivery' then 'delivery_method'
        when 'inventory' then format('items[%s].quantity', problem.position - 1)
        else format('items[%s].%s', problem.position - 1, problem.fault)
      end,
      case problem.fault
        when 'delivery' then to_jsonb(refuse_faulty_line.delivery_method)
        when 'inventory' then problem.sent -> 'quantity'
        else problem.sent -> problem.fault
      end
    );
  end if;
end
$$;
comment on function private.refuse_faulty_line is
  'Refuses an order for the fault of its first faulty line: NOT_FOUND, VALIDATION_ERROR, PRICE_MISMATCH, INSUFFICIENT_INVENTORY.';

create function private.shares_of_order(settings jsonb, offered jsonb, lines jsonb) returns private.order_share[]
language plpgsql immutable set search_path = ''
as $$
declare
  recipient public.delivery_recipient :=
    coalesce((settings #>> '{business,delivery,recipient}')::public.delivery_recipient, 'operator');
  per_supplier boolean := coalesce((offered ->> 'per_supplier')::boolean, false);
  price numeric := coalesce(trim_scale((offered ->> 'price')::numeric), 0);
  free_from numeric := coalesce((offered ->> 'free_from')::numeric, 'infinity');
begin
  return array(
    with share as (
      select
        line.supplier_id, sum(line.price * line.quantity) as subtotal, bool_or(line.is_physical) as has_physical
      from jsonb_to_recordset(lines) as line (supplier_id uuid, quantity integer, price numeric, is_physical boolean)
      group by line.supplier_id
    ),
    charged as (
      select
        s.supplier_id, s.subtotal,
        case when per_supplier and s.has_physical and s.subtotal < free_from then price else 0 end as delivery_amount,
        false as delivers_all
      from share s
      union all
      -- Delivery that is charged once belongs to the operator's part, even if the operator sells nothing in the order.
      select null, 0, price, true
      from share s
      where not per_supplier and price > 0
      having bool_or(s.has_physical) and sum(s.subtotal) < free_from
    )
    select
      row(
        c.supplier_id, sum(c.subtotal), sum(c.delivery_amount),
        case when per_supplier and c.supplier_id is not null then recipient else 'operator' end, bool_or(c.delivers_all)
      )::private.order_share
    from charged c
    group by c.supplier_id
  );
end
$$;
comment on function private.shares_of_order is
  'The parts of an order with these lines. offered: the chosen delivery method; null for none.';

create function private.write_order_lines(
  tenant uuid, order_id uuid, buyer uuid, shares private.order_share[], lines jsonb
) returns void
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into public.order_parts (
    tenant_id, order_id, supplier_id, customer_id, subtotal, delivery_amount, delivery_recipient, delivers_all, legal
  )
  select
    tenant, write_order_lines.order_id, share.supplier_id, buyer, share.subtotal, share.delivery_amount,
    share.delivery_recipient, share.delivers_all,
    -- A copy, so that later changes of the supplier do not change the order.
    coalesce((select s.legal from public.suppliers s where s.tenant_id = tenant and s.id = share.supplier_id), '{}')
  from unnest(shares) as share;

  insert into public.order_items
    (tenant_id, order_id, position, product_id, variant_id, supplier_id, name, quantity, starts_at, price)
  select
    tenant, write_order_lines.order_id, line.position, line.product_id, line.variant_id, line.supplier_id, line.name,
    line.quantity, line.starts_at, line.price
  from jsonb_to_recordset(lines) as line (
    position integer, product_id uuid, variant_id uuid, supplier_id uuid, name text, quantity integer,
    starts_at timestamptz, price numeric
  );
end
$$;
comment on function private.write_order_lines is 'Inserts the parts and items of an order.';

create function private.placed_record(order_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  placed jsonb := (select to_jsonb(d) from public.order_details d where d.id = placed_record.order_id);
begin
  perform private.bound_record(
    octet_length(placed ->> 'items') + octet_length(placed ->> 'parts'), 0.375,
    'The order has items of too many suppliers. Split it into several orders.', 'items'
  );
  return placed;
end
$$;
comment on function private.placed_record is
  'The record of a new order. Refuses with LIMIT_REACHED if its items and parts are larger than a record can hold.';

create function private.keep_guest(tenant uuid, customer uuid, contact jsonb, address jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  given_email text := contact ->> 'email';
  given_name text := coalesce(
    contact ->> 'name', case when private.is_name(address -> 'name', 200) then address ->> 'name' end
  );
begin
  update public.customers c
  set is_listed = true, name = coalesce(given_name, c.name), contact_email = coalesce(given_email, c.contact_email)
  where c.tenant_id = tenant and c.id = customer and c.is_guest
    and (not c.is_listed or c.name <> given_name or c.contact_email is distinct from coalesce(given_email, c.contact_email));
end
$$;
comment on function private.keep_guest is
  'Makes a guest who orders a customer that the staff sees, with the name and the e-mail address of the order. Changes nothing of other customers, and nothing that is so already.';

create function private.place_order(
  marketplace_id uuid, items jsonb, shipping_address jsonb, customer_id uuid, delivery_method text, payment_method text,
  contact jsonb, language text, replaces uuid, currency text, billing_address jsonb, tax_id text
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  caller public.member_role := private.tenant_role();
  buyer uuid := private.ordering_customer(place_order.customer_id);
  site public.marketplaces := private.ordering_marketplace(place_order.marketplace_id, place_order.currency);
  address jsonb := private.order_address(site.settings, place_order.shipping_address, 'shipping_address');
  billing jsonb := private.order_address(site.settings, place_order.billing_address, 'billing_address');
  offered jsonb;
  lines jsonb;
  shares private.order_share[];
  total numeric;
  placed uuid := gen_random_uuid();
begin
  contact := private.order_contact(site.settings, contact);
  perform private.check_order_items(items);
  offered := private.offered_delivery(site.settings, place_order.delivery_method);
  perform private.check_payment_method(site.settings, place_order.payment_method);
  perform private.check_tax_id(to_jsonb(place_order.tax_id));

  -- Data that is read after these locks does not change before the commit.
  perform private.lock_for_order(buyer, items, place_order.replaces);

  lines := private.order_lines(tenant, site.id, items, place_order.delivery_method);
  perform private.refuse_faulty_line(lines, place_order.delivery_method);
  perform private.check_destination(site.settings, place_order.delivery_method, address, lines);

  -- Each list in the record of an order has a limit, as a share of its maximum size. Items and parts together: 3/8,
  -- which is 780 bytes for each of 500 items, or 200 items of 200 suppliers with the longest legal identity (1.4 kB).
  -- Notes: 1/4. Returns: 0.06. Cancellations: 1/32. Reports on the payment: 172 kB, for 200 of them with references of
  -- 200 characters and their items. The other 126 kB are for two addresses of 8 kB, the history, and the commissions of
  -- 500 suppliers (117 kB).
  perform private.bound_record(octet_length(lines::text), 0.375, 'The order is too large. Split it into several orders.', 'items');

  shares := private.shares_of_order(site.settings, offered, lines);
  total := (select sum(s.subtotal + s.delivery_amount) from unnest(shares) as s);
  if total > private.dearest_order(site.currency) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The total of the order is too high. Split it into several orders.', 'items', items
    );
  elsif total > 0 and caller = 'customer' then
    perform private.bound_reservations(site, buyer, lines);
  end if;

  perform private.take_stock(tenant, placed, 'reserve', lines);
  -- Before the order, whose foreign key locks the customer too: a guest who registers meanwhile cannot cause a deadlock.
  perform private.keep_guest(tenant, buyer, contact, address);

  insert into public.orders (
    id, tenant_id, marketplace_id, customer_id, currency, delivery_method, payment_method, payment_due_at,
    shipping_address, billing_address, tax_id, contact, language
  )
  values (
    placed, tenant, site.id, buyer, site.currency, place_order.delivery_method, place_order.payment_method,
    case when total > 0 then private.payment_deadline(site.settings -> 'business') end,
    address, billing, place_order.tax_id, place_order.contact,
    coalesce(place_order.language, (select c.language from public.customers c where c.tenant_id = tenant and c.id = buyer))
  );

  perform private.write_order_lines(tenant, placed, buyer, shares, lines);

  -- An order with a total of 0 counts as paid, for example so that its digital goods are delivered.
  if total = 0 then
    update public.orders o set payment_status = 'paid' where o.id = placed;
  end if;

  -- Read without the policies, because whoever may place an order may read all of it, except that customers do not see
  -- commissions.
  return private.placed_record(placed) || case caller when 'customer' then '{"commissions": []}' else '{}' end::jsonb;
end
$$;
comment on function private.place_order is
  'Places an order, reserves its stock and returns its record. Refuses: FORBIDDEN, NOT_FOUND, MARKETPLACE_NOT_ACTIVE, VALIDATION_ERROR, PRICE_MISMATCH, INSUFFICIENT_INVENTORY, LIMIT_REACHED, INVALID_TRANSITION.';

create function public.place_order(
  marketplace_id uuid,
  items jsonb,
  shipping_address jsonb default null,
  customer_id uuid default null,
  delivery_method text default null,
  payment_method text default null,
  contact jsonb default null,
  language text default null,
  replaces uuid default null,
  currency text default null,
  billing_address jsonb default null,
  tax_id text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.place_order(
    marketplace_id, items, shipping_address, customer_id, delivery_method, private.nfc(payment_method), contact, language,
    replaces, currency, billing_address, private.nfc(tax_id)
  );
end
$$;
comment on function public.place_order is
  'Places an order and returns its whole record. items: a list of product_id, variant_id (for a product with variants), quantity, price, and starts_at (to book a service). Physical items require a shipping_address (see list_countries; its country is by default the marketplace''s), and a delivery_method if the marketplace has any. contact: email, name and phone; required from a guest. language: the language of mails about the order; by default the customer''s. replaces: an unpaid order of the customer that is cancelled in the same transaction. currency: the currency that the customer was shown, which must be the marketplace''s. billing_address: by default the shipping_address. tax_id: the buyer''s tax number.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.place_order to authenticated;
grant execute on function public.place_order to authenticated;

-- supabase/schemas/orders/0590_guest_retention.sql

-- Deletes guests without an order 30 days after they were last seen. Each guest is checked when it may be due, and not
-- again once it has ordered or registered, so the job does not grow with the guests that stay.

-- tables ---------------------------------------------------------------------------------------

create table private.guest_checks (
  user_id uuid primary key references auth.users (id) on delete cascade,
  due_at timestamptz not null default now() + interval '30 days'
);
comment on table private.guest_checks is
  'When each guest is checked next. Guests that have ordered or registered are removed from this table by their next check.';

-- indexes --------------------------------------------------------------------------------------

create index guest_checks_due_at_idx on private.guest_checks (due_at);

-- functions ------------------------------------------------------------------------------------

create function private.plan_guest_check() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.guest_checks (user_id) values (new.user_id) on conflict do nothing;
  return null;
end
$$;
comment on function private.plan_guest_check() is 'Row trigger: plans the check of a new guest in 30 days.';

create function private.has_ordered(user_id uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from public.customers c
    join public.orders o on o.tenant_id = c.tenant_id and o.customer_id = c.id
    where c.user_id = has_ordered.user_id
  )
$$;
comment on function private.has_ordered is 'Whether a user has an order in any tenant.';

create function private.last_seen(user_id uuid) returns timestamptz
language sql stable security definer set search_path = ''
as $$
  select greatest(
    u.created_at, u.last_sign_in_at,
    (
      select max(greatest(s.created_at, s.refreshed_at at time zone 'utc'))
      from auth.sessions s
      where s.user_id = u.id
    )
  )
  from auth.users u
  where u.id = last_seen.user_id
$$;
comment on function private.last_seen is 'The last time that a user signed in or refreshed a session.';

create function private.forget_guests(most integer) returns text
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  due uuid[] := array(
    select g.user_id
    from private.guest_checks g
    where g.due_at <= now()
    order by g.due_at
    limit most
    for update skip locked
  );
  -- An order locks its customer, so the customers that are locked here get no order before the transaction ends.
  free uuid[] := array(
    select c.user_id from public.customers c where c.user_id = any (due) for update skip locked
  );
  gone uuid[];
begin
  -- A guest with another role, which an admin may have given it, stays.
  gone := array(
    select u.id
    from auth.users u
    where u.id = any (free) and u.is_anonymous
      and not exists (select from public.members m where m.user_id = u.id and m.role <> 'customer')
      and private.last_seen(u.id) <= now() - interval '30 days'
      and not private.has_ordered(u.id)
  );
  delete from public.customers c where c.user_id = any (gone);
  delete from auth.users u where u.id = any (gone);

  delete from private.guest_checks g
  using auth.users u
  where g.user_id = any (due) and u.id = g.user_id and (not u.is_anonymous or private.has_ordered(u.id));
  update private.guest_checks g
  set due_at = greatest(private.last_seen(g.user_id) + interval '30 days', now() + interval '1 hour')
  where g.user_id = any (due);
  return case when cardinality(due) = most then 'more' end;
end
$$;
comment on function private.forget_guests is
  'Checks guests that are due, at most this many, and deletes those without an order that were last seen 30 days ago. Returns null if there are no more.';

-- triggers -------------------------------------------------------------------------------------

create trigger members_plan_guest_check
  after insert on public.members
  for each row when (new.is_anonymous)
  execute function private.plan_guest_check();

-- policies -------------------------------------------------------------------------------------

alter table private.guest_checks enable row level security;

-- supabase/schemas/events/0600_events.sql

-- Events: triggers write them in the transaction of the change. An event exists if and only if its change was committed.
--
-- Each day of events is a partition in the schema private. Partitions are created some days ahead, and dropped as a
-- whole when they are old enough. Events of a day without a partition go to the default partition, so that no change
-- fails for the lack of one; they are moved when the partition is created. All access is through public.events and its
-- policies.

-- tables ---------------------------------------------------------------------------------------

create table private.event_types (
  name text primary key
);
comment on table private.event_types is 'All event names.';

create table public.events (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  name text not null references private.event_types (name),
  payload jsonb not null,
  bytes integer not null generated always as (octet_length(payload::text)) stored,
  marketplace_id uuid,
  status text,
  -- A reader in the order of both who reads only what is older than every running transaction skips nothing.
  epoch timestamptz not null default private.record_epoch(),
  xact_id xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default clock_timestamp(),
  constraint events_pkey primary key (tenant_id, created_at, id)
) partition by range (created_at);
comment on table public.events is
  'The events of a tenant. payload: the body that webhooks send, as of the time of the event; it never changes. bytes: the size of the payload as text, so that it is known without reading it. marketplace_id, status: those of the event''s record at that time. epoch, xact_id: the transaction that wrote it, and the epoch of the database at that time. Partitioned by day.';

create table private.events_default partition of public.events default;
comment on table private.events_default is 'Events of days without a partition, until it is created.';

create table private.event_retention (
  keep interval not null,
  constraint event_retention_keep_is_at_least_a_day check (keep >= interval '1 day')
);
comment on table private.event_retention is 'The retention period of events. One row.';

create unlogged table private.event_counts (
  tenant_id uuid not null,
  backend integer not null,
  minute timestamptz not null,
  events integer not null,
  constraint event_counts_pkey primary key (tenant_id, backend)
)
-- Free space in each page, as in request_counts, so that frequent updates stay in their page (HOT).
with (fillfactor = 50);
comment on table private.event_counts is
  'The number of events of a tenant that each database connection wrote for users, in its latest minute with events. One row for each connection, so that no transaction waits for another. Unlogged: lost in a crash.';

create unlogged table private.new_products (
  id bigint generated always as identity primary key,
  ids uuid[] not null
);
comment on table private.new_products is
  'The products that a statement added, until the end of its transaction, which writes their events. Unlogged: no other transaction ever sees a row.';

create unlogged table private.moved_shipments (
  id bigint generated always as identity primary key,
  event text not null,
  order_id uuid not null,
  status public.shipment_status not null,
  ids uuid[] not null
);
comment on table private.moved_shipments is
  'The shipments of an order that a statement made or moved, until the end of its transaction, which writes their events. Unlogged: no other transaction ever sees a row.';

create type private.event_place as (epoch timestamptz, xact_id xid8, created_at timestamptz, id uuid);
comment on type private.event_place is
  'The place of an event in the list of events. All events of an earlier epoch, or of a transaction of this epoch with a smaller xact_id, come before it.';

-- indexes --------------------------------------------------------------------------------------

create unique index event_retention_is_one_row on private.event_retention ((true));
create index events_tenant_id_epoch_xact_id_idx on public.events (tenant_id, epoch, xact_id, created_at, id);
create index events_name_idx on public.events (name);

-- functions ------------------------------------------------------------------------------------

create function private.event_partition(day date) returns text
language sql immutable set search_path = ''
as $$
  select to_char(day::timestamp, '"events_"YYYYMMDD')
$$;
comment on function private.event_partition is 'The name of the partition of a day.';

create function private.day_begins(day date) returns timestamptz
language sql immutable set search_path = ''
as $$
  select day::timestamp at time zone 'utc'
$$;
comment on function private.day_begins is 'The start of a day in UTC.';

create function private.move_events(partition text, first timestamptz, beyond timestamptz) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  execute format(
    $move$
      with moved as (
        delete from private.events_default e
        where e.created_at >= $1 and e.created_at < $2
        returning e.id, e.tenant_id, e.name, e.payload, e.marketplace_id, e.status, e.epoch, e.xact_id, e.created_at
      )
      insert into private.%I (id, tenant_id, name, payload, marketplace_id, status, epoch, xact_id, created_at)
      select m.id, m.tenant_id, m.name, m.payload, m.marketplace_id, m.status, m.epoch, m.xact_id, m.created_at
      from moved m
    $move$,
    partition
  )
  using first, beyond;
end
$$;
comment on function private.move_events is
  'Moves events of a period from the default partition into a table that is not a partition yet, so that no trigger fires again.';

create function private.make_event_partitions() returns void
-- A change waits at most this long for it. If it times out, the next try is an hour later. This also prevents deadlocks.
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  today date := (now() at time zone 'utc')::date;
  days date[] := array(
    select d.day
    from (
      select today + ahead from generate_series(0, 7) as ahead
      union
      select (e.created_at at time zone 'utc')::date from private.events_default e
    ) as d (day)
    where d.day <= today + 7 and to_regclass('private.' || private.event_partition(d.day)) is null
    order by d.day
  );
  day date;
begin
  if days = '{}' then
    return;
  end if;
  -- Two passes: the first may take long and blocks nothing.
  foreach day in array days loop
    execute format(
      'create table private.%I (like public.events including defaults including generated including indexes)', private.event_partition(day)
    );
    execute format('alter table private.%I enable row level security', private.event_partition(day));
    perform private.move_events(private.event_partition(day), private.day_begins(day), private.day_begins(day + 1));
  end loop;
  -- Locks are taken in the same order as in changes. Writers wait now, because an event on its way to the default
  -- partition would be refused there once the day has its own partition.
  lock table only public.tenants, only public.events in share row exclusive mode;
  foreach day in array days loop
    perform private.move_events(private.event_partition(day), private.day_begins(day), private.day_begins(day + 1));
    execute format(
      'alter table public.events attach partition private.%I for values from (%L) to (%L)',
      private.event_partition(day), private.day_begins(day), private.day_begins(day + 1)
    );
  end loop;
end
$$;
comment on function private.make_event_partitions() is
  'Creates the partitions of today and a week ahead, and of every day with events in the default partition, which it moves.';

create function private.begin_epoch() returns timestamptz
-- Writers wait meanwhile.
language plpgsql security definer set search_path = '' set lock_timeout = '2s'
as $$
declare
  begun timestamptz;
begin
  -- When it is granted, the transactions that have written events of the epoch before have ended.
  lock table only public.events in share row exclusive mode;
  update private.epoch e
  set epoch = greatest(clock_timestamp(), private.epoch_after(e) + interval '1 microsecond'),
      server_started_at = pg_postmaster_start_time()
  where true
  returning e.epoch into begun;
  return begun;
end
$$;
comment on function private.begin_epoch() is
  'Begins an epoch and returns it. For events that another database has written and that were added to this one: what is written from now on comes after them. Waits up to two seconds for transactions that have written events.';

create function private.microseconds(moment timestamptz) returns bigint
language sql immutable set search_path = ''
as $$
  select (extract(epoch from moment) * 1000000)::bigint
$$;
comment on function private.microseconds is 'The microseconds from 1970 to a moment.';

create function private.moment_at(microseconds bigint) returns timestamptz
language sql immutable set search_path = ''
as $$
  select timestamptz 'epoch' + microseconds * interval '1 microsecond'
$$;
comment on function private.moment_at is 'The moment so many microseconds after 1970.';

create function private.event_cursor(epoch timestamptz, xact_id xid8, created_at timestamptz, id uuid) returns text
language sql immutable set search_path = ''
as $$
  select private.microseconds(epoch) || '-' || xact_id || '.' || private.microseconds(created_at) || '.' || id
$$;
comment on function private.event_cursor is 'The cursor that continues a list of events after this event.';

create function private.event_horizon() returns private.event_place
language plpgsql stable set search_path = ''
as $$
begin
  -- Every transaction with a smaller id has ended, so no event that commits later comes before the events that exist
  -- now.
  return (
    private.present_epoch(), pg_snapshot_xmin(pg_current_snapshot()), timestamptz '-infinity',
    uuid '00000000-0000-0000-0000-000000000000'
  );
end
$$;
comment on function private.event_horizon() is 'The place before which no more events can appear. Lists of events end here.';

create function private.read_event_cursor(cursor text) returns private.event_place
language plpgsql stable set search_path = ''
as $$
declare
  -- An epoch, which is the first one if it is left out; a transaction; and the time and id of its last event that was
  -- listed, without which none of its events was.
  read text[] := regexp_match(
    cursor, '^(?:(\d{1,17})-)?(\d{1,18})(?:\.(-?\d{1,17})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?$'
  );
  place private.event_place := (
    private.moment_at(coalesce(read[1]::bigint, 0)),
    coalesce(read[2], '0')::xid8,
    coalesce(private.moment_at(read[3]::bigint), '-infinity'),
    coalesce(read[4]::uuid, uuid '00000000-0000-0000-0000-000000000000')
  );
begin
  -- A cursor of another database may name what is still to come here, and would skip it.
  if cursor is not null and (
    place.xact_id < '1'
    or (place.epoch, place.xact_id) > (private.present_epoch(), pg_snapshot_xmax(pg_current_snapshot()))
  ) then
    perform private.refuse(
      'VALIDATION_ERROR', 'after is not a cursor of these events. Start without it, or with since.', 'after',
      to_jsonb(cursor)
    );
  end if;
  return place;
end
$$;
comment on function private.read_event_cursor is
  'The place that a cursor names; for null the place before the first event. Refuses with VALIDATION_ERROR on after.';

create function private.last_event_to_search(
  done private.event_place, horizon private.event_place, earliest timestamptz
) returns private.event_place
language plpgsql stable set search_path = ''
as $$
declare
  -- Events that one page searches for those of one name, so that no page takes long.
  searched constant integer := 10000;
  last private.event_place;
begin
  select e.epoch, e.xact_id, e.created_at, e.id
  into last.epoch, last.xact_id, last.created_at, last.id
  from public.events e
  where (e.epoch, e.xact_id, e.created_at, e.id) > (done.epoch, done.xact_id, done.created_at, done.id)
    and (e.epoch, e.xact_id) < (horizon.epoch, horizon.xact_id)
    and e.created_at >= earliest
  order by e.epoch, e.xact_id, e.created_at, e.id
  offset searched - 1 limit 1;
  return last;
end
$$;
comment on function private.last_event_to_search is
  'The last event that a page of events with one name reads; null when fewer are left before the horizon.';

create function private.newest_event(done private.event_place, horizon private.event_place) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select private.event_cursor(e.epoch, e.xact_id, e.created_at, e.id)
    from public.events e
    where (e.epoch, e.xact_id, e.created_at, e.id) > (done.epoch, done.xact_id, done.created_at, done.id)
      and (e.epoch, e.xact_id) < (horizon.epoch, horizon.xact_id)
    order by e.epoch desc, e.xact_id desc, e.created_at desc, e.id desc
    limit 1
  );
end
$$;
comment on function private.newest_event is
  'The cursor of the newest event below the horizon; null when none came after done.';

create function public.list_events(
  after text default null, name text default null, since text default null, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  size integer := least(greatest(coalesce("limit", 100), 1), 1000);
  most_bytes bigint := private.cap('event_page_bytes');
  horizon private.event_place;
  earliest timestamptz := coalesce(private.moment_of(since, 'since'), '-infinity');
  done private.event_place;
  last private.event_place;
  page jsonb;
  next text;
  more boolean := false;
begin
  if not private.reads_all() then
    perform private.refuse('FORBIDDEN', 'Your role may not read events.');
  end if;
  horizon := private.event_horizon();
  done := private.read_event_cursor(after);
  if list_events.name is not null then
    last := private.last_event_to_search(done, horizon, earliest);
    more := last.id is not null;
  end if;
  if not more then
    last := horizon;
  end if;

  select
    coalesce(jsonb_agg(jsonb_build_object('id', p.id) || p.payload order by p.position), '[]'),
    max(private.event_cursor(p.epoch, p.xact_id, p.created_at, p.id))
      filter (where p.position = size or p.next_total > most_bytes)
  into page, next
  from (
    -- Chosen by size, so that no payload is read that the page has no room for.
    select t.*, lead(t.total) over (order by t.position) as next_total
    from (
      select
        e.id, e.payload, e.epoch, e.xact_id, e.created_at,
        row_number() over in_sequence as position, sum(e.bytes) over in_sequence as total
      from public.events e
      where (e.epoch, e.xact_id, e.created_at, e.id) > (done.epoch, done.xact_id, done.created_at, done.id)
        and (e.epoch, e.xact_id, e.created_at, e.id) <= (last.epoch, last.xact_id, last.created_at, last.id)
        and (list_events.name is null or e.name = list_events.name)
        and e.created_at >= earliest
      window in_sequence as (order by e.epoch, e.xact_id, e.created_at, e.id)
      order by e.epoch, e.xact_id, e.created_at, e.id
      limit size
    ) t
  ) p
  where p.position = 1 or p.total <= most_bytes;
  return jsonb_build_object(
    'events', page,
    'next', case
      when next is null and more then private.event_cursor(last.epoch, last.xact_id, last.created_at, last.id)
      -- The last page continues after the newest event below the horizon, even if a filter leaves that event out. It
      -- does not continue at the horizon, because after a crash the ids of transactions without changes are assigned
      -- again.
      else coalesce(next, private.newest_event(done, horizon), after, '1')
    end,
    'more', more or next is not null
  );
end
$$;
comment on function public.list_events is
  'For admins and clients: the tenant''s events after a cursor, as {events, next, more}. Events are whole bodies in the order of their transactions, which a restore does not change; no event that commits later comes before one that was listed. next: the cursor of the next page, also when no events are left. A page ends before the event that would exceed the cap event_page_bytes. since: a time with its offset, or a day of the tenant''s time zone. Refuses with FORBIDDEN, VALIDATION_ERROR.';

create function public.set_event_retention(keep interval) returns void
language sql set search_path = ''
as $$
  update private.event_retention r set keep = set_event_retention.keep where true
$$;
comment on function public.set_event_retention is
  'For the operator: sets the retention period of events, at least a day. Older events are deleted within an hour.';

create type private.news as (
  tenant_id uuid, name text, data jsonb, beside jsonb, marketplace_id uuid, status text
);
comment on type private.news is
  'An event to write. beside: further fields at the top level, beside data. marketplace_id, status: those of its record, if it has them.';

create function private.count_events(tenant_id uuid, events integer) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  this_minute timestamptz := private.this_minute();
  -- For this transaction: the number of events written, and the number of them that are counted.
  counts integer[];
  written integer;
begin
  -- Timers, services and imports are not limited.
  if auth.uid() is null
    or nullif(current_setting('souk.stock_change', true), '')::jsonb ->> 'reason' = 'import'
  then
    return;
  end if;
  counts := coalesce(nullif(current_setting('souk.events_written', true), ''), '{0,0}')::integer[];
  written := counts[1] + count_events.events;
  -- A transaction that updated its row at each of a thousand events would leave a thousand row versions. So the row is
  -- updated when the number has doubled, and later after every 64 events.
  if written < least(2 * counts[2], counts[2] + 64) then
    perform set_config('souk.events_written', array[written, counts[2]]::text, true);
    return;
  end if;
  perform set_config('souk.events_written', array[written, written]::text, true);
  insert into private.event_counts as c (tenant_id, backend, minute, events)
  values (count_events.tenant_id, pg_backend_pid(), this_minute, written - counts[2])
  on conflict (tenant_id, backend) do update
  set minute = excluded.minute,
      events = excluded.events + case when c.minute = excluded.minute then c.events else 0 end;
  if private.cap('events_per_minute') < (
    select sum(c.events)
    from private.event_counts c
    where c.tenant_id = count_events.tenant_id and c.minute = this_minute
  ) then
    perform private.refuse_beyond(
      'events_per_minute', 'The tenant has reached its limit of events per minute. Wait a minute, or change fewer records at once.'
    );
  end if;
end
$$;
comment on function private.count_events is
  'Counts events that a user''s request is about to write, and refuses with LIMIT_REACHED events beyond the cap of the minute. The refusal ends the whole transaction.';

create function private.shortened(data jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(
    jsonb_object_agg(
      record.key,
      case jsonb_typeof(record.value)
        when 'object' then (
          select coalesce(jsonb_object_agg(field.key, field.value), '{}')
          from jsonb_each(record.value) as field
          where jsonb_typeof(field.value) not in ('object', 'array')
            and (char_length(field.value #>> '{}') > 200) is not true
        )
        else record.value
      end
    ),
    '{}'
  )
  from jsonb_each(data) as record
  where jsonb_typeof(record.value) = 'object'
    or jsonb_typeof(record.value) <> 'array' and (char_length(record.value #>> '{}') > 200) is not true
$$;
comment on function private.shortened is
  'The data of an event that is too large: of each record only the fields that are not lists or objects and have at most 200 characters, such as its ids, status and amounts.';

create function private.emit_all(news private.news[]) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- Each event is a microsecond later than the one before, which is less than the time to write it, so that the order is kept.
  happened timestamptz := clock_timestamp();
  most_bytes bigint := private.cap('event_bytes');
  written record;
begin
  perform private.count_events(n.tenant_id, n.events)
  from (
    -- A large event counts once for every 8 kB.
    select n.tenant_id, sum(1 + pg_column_size(n.data) / 8192)::integer as events
    from unnest(news) as n
    group by n.tenant_id
    order by n.tenant_id
  ) as n;
  for written in
    with numbered as materialized (
      select n.*, gen_random_uuid() as id, happened + (n.position - 1) * interval '1 microsecond' as created_at
      from unnest(news) with ordinality as n (tenant_id, name, data, beside, marketplace_id, status, position)
    )
    insert into public.events as e (id, tenant_id, name, payload, marketplace_id, status, epoch, created_at)
    select
      t.id, t.tenant_id, t.name,
      jsonb_build_object(
        'id', t.id, 'event', t.name,
        'timestamp', to_char(t.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) || coalesce(t.beside, '{}') || jsonb_build_object('data', t.data),
      t.marketplace_id, t.status, (select private.record_epoch()), t.created_at
    from numbered t
    order by t.position
    returning e.id, e.tenant_id, e.created_at, e.bytes
  loop
    -- The payload is written before it is measured, because measuring a copy would cost as much as writing.
    if written.bytes > most_bytes then
      update public.events e
      set payload = e.payload
        || jsonb_build_object('truncated', true, 'data', private.shortened(e.payload -> 'data'))
      where e.tenant_id = written.tenant_id and e.created_at = written.created_at and e.id = written.id;
    end if;
  end loop;
end
$$;
comment on function private.emit_all is
  'Writes events in order: id, event, timestamp, data and further fields at the top level. An event beyond the cap event_bytes has truncated: true and only the short fields of its records.';

create function private.emit(
  tenant_id uuid, name text, data jsonb, beside jsonb default '{}',
  marketplace_id uuid default null, status text default null
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit_all(array[row(tenant_id, name, data, beside, marketplace_id, status)::private.news]);
end
$$;
comment on function private.emit is 'Writes one event. See private.emit_all.';

create function private.order_event_data(order_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('order', to_jsonb(d) || jsonb_build_object('total', d.total_amount))
    from public.order_details d
    where d.id = order_event_data.order_id
  );
end
$$;
comment on function private.order_event_data is 'The data of an order event: the whole record, and its total_amount also as total.';

create function private.emit_order_created() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(
    new.tenant_id, 'order.created', private.order_event_data(new.id),
    marketplace_id => new.marketplace_id, status => new.status::text
  );
  return null;
end
$$;
comment on function private.emit_order_created() is 'Row trigger at commit, when the order has its items.';

create function private.emit_order_status_changed() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  data jsonb := private.order_event_data(new.id);
begin
  perform private.emit(
    new.tenant_id, 'order.status_changed', data,
    jsonb_build_object('order_id', new.id, 'old_status', old.status, 'new_status', new.status),
    new.marketplace_id, new.status::text
  );
  if new.status in ('cancelled', 'delivered') then
    perform private.emit(
      new.tenant_id, case new.status when 'cancelled' then 'order.cancelled' else 'order.completed' end, data,
      marketplace_id => new.marketplace_id, status => new.status::text
    );
  end if;
  return null;
end
$$;
comment on function private.emit_order_status_changed() is 'Row trigger: writes an event for every move, and a second one for some.';

create function private.emit_about_order(name text, order_id uuid, thing text, variadic records jsonb[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  about jsonb := private.order_event_data(order_id);
  -- Hundreds of suppliers may move in one transaction, and the record grows with each. All events together would be large.
  too_large boolean := cardinality(records) > 1
    and cardinality(records) * octet_length(about::text) > private.cap('event_bytes');
begin
  if about -> 'order' ->> 'imported_at' is not null then
    return;
  elsif too_large then
    about := private.shortened(about);
  end if;
  perform private.emit_all(array(
    select row(
      (r.record ->> 'tenant_id')::uuid, emit_about_order.name,
      case when too_large then private.shortened(event.data) else event.data end || about,
      case when too_large then '{"truncated": true}' end,
      (about -> 'order' ->> 'marketplace_id')::uuid, coalesce(r.record ->> 'status', about -> 'order' ->> 'status')
    )::private.news
    from unnest(records) with ordinality as r (record, position)
    cross join lateral (select jsonb_build_object(thing, r.record) as data) as event
    order by r.position
  ));
end
$$;
comment on function private.emit_about_order is
  'Writes an event about each of these records of an order, with the order''s whole record, unless the order was imported. If the events together would hold more of it than the cap event_bytes, they have truncated: true and the short fields only.';

create function private.emit_payment_reported() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit_about_order(
    case new.status
      when 'paid' then 'payment.succeeded'
      when 'payment_reversed' then 'payment.failed'
      else 'payment.' || new.status
    end,
    new.order_id, 'payment', to_jsonb(new) - '{named_amount,delivery_shares}'::text[]
  );
  return null;
end
$$;
comment on function private.emit_payment_reported() is
  'Row trigger at commit: writes an event for every report on a payment, with the payment and its order, unless the order was imported.';

create function private.note_moved_shipments() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into private.moved_shipments (event, order_id, status, ids)
    select 'shipment.created', m.order_id, m.status, array_agg(m.id order by m.created_at)
    from moved m
    group by m.order_id, m.status;
  else
    insert into private.moved_shipments (event, order_id, status, ids)
    select 'shipment.' || m.status, m.order_id, m.status, array_agg(m.id order by m.created_at)
    from moved m
    join before b on b.id = m.id and b.status <> m.status
    where m.status in ('delivered', 'lost')
    group by m.order_id, m.status;
  end if;
  return null;
end
$$;
comment on function private.note_moved_shipments() is
  'Statement trigger: collects the shipments of each order that a statement made or moved, so that one trigger at commit writes their events.';

create function private.emit_shipments_moved() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit_about_order(new.event, new.order_id, 'shipment', variadic array(
    -- The status of this move, even if the transaction moves the shipment again.
    select to_jsonb(d) || jsonb_build_object('status', new.status)
    from unnest(new.ids) with ordinality as m (id, position)
    join public.shipment_details d on d.id = m.id
    order by m.position
  ));
  delete from private.moved_shipments m where m.id = new.id;
  return null;
end
$$;
comment on function private.emit_shipments_moved() is
  'Row trigger at commit, when shipments have their items: writes an event about each shipment that was made, delivered or lost.';

create function private.emit_items_cancelled() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit_about_order('order.items_cancelled', d.order_id, 'cancellation', to_jsonb(d))
  from public.order_cancellation_details d
  where d.id = new.id;
  return null;
end
$$;
comment on function private.emit_items_cancelled() is
  'Row trigger at commit, when a cancellation has its items: writes its event.';

create function private.emit_return_moved() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit_about_order(
    'return.' || new.status, d.order_id, 'return', to_jsonb(d) || jsonb_build_object('status', new.status)
  )
  from public.return_request_details d
  where d.id = new.id;
  return null;
end
$$;
comment on function private.emit_return_moved() is
  'Row trigger at commit, when a return request has its items: writes an event when it is made, approved, rejected or received.';

create function private.emit_about_products(ids uuid[], name text) returns void
-- The session caches its plans, also from when there were few rows. The plans must look rows up one by one.
-- Planned once: 0.43 ms without, 0.15 with, for 5 products.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  perform private.emit_all(array(
    select row(
      r.tenant_id, emit_about_products.name, jsonb_build_object('product', to_jsonb(r) - 'description_html'), null, r.marketplace_id, r.status
    )::private.news
    from unnest(ids) with ordinality as wanted (id, position)
    join private.product_records r on r.id = wanted.id
    order by wanted.position
  ));
end
$$;
comment on function private.emit_about_products is 'Writes an event about each of some products, with its record as lists have it.';

create function private.already_emitted(event text, subject uuid) returns boolean
language plpgsql set search_path = ''
as $$
declare
  emitted text := coalesce(current_setting('souk.emitted', true), '');
  mark text := event || ' ' || subject || ',';
begin
  if position(mark in emitted) > 0 then
    return true;
  end if;
  perform set_config('souk.emitted', emitted || mark, true);
  return false;
end
$$;
comment on function private.already_emitted is
  'Returns whether this transaction has already written this event about a subject, and records that it has.';

create function private.note_new_products() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.new_products (ids) select array_agg(a.id) from added a having count(*) > 0;
  return null;
end
$$;
comment on function private.note_new_products() is
  'Statement trigger: collects the products that a statement added, so that one trigger at commit writes their events.';

create function private.emit_product_created() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- In batches of 100, so that large products fit into memory.
  for i in 1 .. cardinality(new.ids) by 100 loop
    perform private.emit_about_products(new.ids[i:i + 99], 'product.created');
  end loop;
  delete from private.new_products n where n.id = new.id;
  return null;
end
$$;
comment on function private.emit_product_created() is 'Row trigger at commit, when products have their variants and stock.';

create function private.emit_product_event() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  now_is public.products;
begin
  -- The transaction is at its end, so the product does not change again. New and deleted products have their own events.
  select p.* into now_is from public.products p where p.id = new.id and p.created_at <> now();
  if not found then
    return null;
  end if;
  if new.status = 'out_of_stock' and old.status <> 'out_of_stock' and now_is.status = 'out_of_stock' then
    if not private.already_emitted('product.out_of_stock', new.id) then
      perform private.emit_about_products(array[now_is.id], 'product.out_of_stock');
    end if;
    if old.updated_at <> now() then
      return null;
    end if;
  end if;
  -- If a transaction changes a product several times, only its final state is written.
  if now_is = new and not private.already_emitted('product.updated', new.id) then
    perform private.emit_about_products(array[now_is.id], 'product.updated');
  end if;
  return null;
end
$$;
comment on function private.emit_product_event() is
  'Row trigger at commit: writes the events that a product was changed or sold out, each once.';

create function private.user_event_data(member public.members) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'user', jsonb_build_object(
      'id', u.id, 'email', member.email, 'name', member.name, 'role', member.role,
      'email_verified', u.email_confirmed_at is not null
    )
  )
  from auth.users u
  where u.id = member.user_id
$$;
comment on function private.user_event_data is 'The data of a user event: the user and its role.';

create function private.emit_user_registered() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(new.tenant_id, 'user.registered', private.user_event_data(new));
  return null;
end
$$;
comment on function private.emit_user_registered() is 'Row trigger: writes the event that a user has become a member of the tenant.';

create function private.emit_user_verified() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(m.tenant_id, 'user.verified', private.user_event_data(m))
  from public.members m
  where m.user_id = new.id;
  return null;
end
$$;
comment on function private.emit_user_verified() is
  'Row trigger: writes the event that a user''s address was confirmed, in each tenant of the user.';

-- triggers -------------------------------------------------------------------------------------

-- An imported order writes no event, neither at the import nor when it moves.
create constraint trigger orders_emit_created
  after insert on public.orders
  deferrable initially deferred
  for each row when (new.imported_at is null)
  execute function private.emit_order_created();

-- The history is written after the move. At commit, the payload includes both.
create constraint trigger orders_emit_status_changed
  after update of status on public.orders
  deferrable initially deferred
  for each row when (old.status is distinct from new.status and new.imported_at is null)
  execute function private.emit_order_status_changed();

create constraint trigger payments_emit_reported
  after insert on public.payments
  deferrable initially deferred
  for each row execute function private.emit_payment_reported();

create trigger shipments_note_new
  after insert on public.shipments
  referencing new table as moved
  for each statement execute function private.note_moved_shipments();

create trigger shipments_note_moves
  after update on public.shipments
  referencing old table as before new table as moved
  for each statement execute function private.note_moved_shipments();

create constraint trigger moved_shipments_emit
  after insert on private.moved_shipments
  deferrable initially deferred
  for each row execute function private.emit_shipments_moved();

create constraint trigger return_requests_emit_requested
  after insert on public.return_requests
  deferrable initially deferred
  for each row execute function private.emit_return_moved();

create constraint trigger return_requests_emit_moved
  after update of status on public.return_requests
  deferrable initially deferred
  for each row when (old.status <> new.status and new.status in ('approved', 'rejected', 'received'))
  execute function private.emit_return_moved();

create constraint trigger order_cancellations_emit_items_cancelled
  after insert on public.order_cancellations
  deferrable initially deferred
  for each row execute function private.emit_items_cancelled();

create trigger products_note_new
  after insert on public.products
  referencing new table as added
  for each statement execute function private.note_new_products();

create constraint trigger new_products_emit_created
  after insert on private.new_products
  deferrable initially deferred
  for each row execute function private.emit_product_created();

create constraint trigger products_emit_updated
  after update on public.products
  deferrable initially deferred
  for each row when (old.* is distinct from new.*)
  execute function private.emit_product_event();

create trigger members_emit_user_registered
  after insert on public.members
  for each row when (not new.is_anonymous)
  execute function private.emit_user_registered();

-- A guest registers by getting an e-mail address.
create trigger guests_emit_user_registered
  after update of email on public.members
  for each row when (old.email = '' and new.email <> '')
  execute function private.emit_user_registered();

create trigger members_emit_user_verified
  after update of email_confirmed_at on auth.users
  for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null)
  execute function private.emit_user_verified();

-- policies -------------------------------------------------------------------------------------

alter table private.event_types enable row level security;
alter table private.event_retention enable row level security;
alter table private.event_counts enable row level security;
alter table private.new_products enable row level security;
alter table private.moved_shipments enable row level security;
alter table private.events_default enable row level security;
alter table public.events enable row level security;

create policy "Admins and clients see their tenant's events" on public.events
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.events to authenticated;
grant select on public.events to service_role;
-- Only triggers write events, and events do not change.
revoke insert, update, delete, truncate on public.events from service_role;

grant execute on function
  private.microseconds, private.moment_at, private.event_cursor, private.event_horizon, private.read_event_cursor, private.last_event_to_search, private.newest_event,
  public.list_events
to authenticated;
grant select, update on private.event_retention to service_role;
grant execute on function public.set_event_retention to service_role;

-- supabase/schemas/webhooks/0700_webhooks.sql

-- Webhooks: the URLs to which a tenant has its events sent, and the secrets that sign the deliveries.

-- tables ---------------------------------------------------------------------------------------

create table public.webhooks (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  url text not null,
  events text[] not null,
  description text not null default '',
  -- The filter: an event whose record has a marketplace or a status passes only if it is in the list. Null passes all.
  marketplace_ids uuid[],
  statuses text[],
  active boolean not null default true,
  failing_since timestamptz,
  disabled_reason text,
  -- Write-only: a trigger moves these to private.webhook_secrets and leaves null here.
  secret text,
  headers jsonb,
  header_names text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhooks_tenant_id_id_key unique (tenant_id, id),
  constraint webhooks_url_is_an_http_address check (char_length(url) <= 2000 and url ~* '^https?://[^\s/?#]+'),
  constraint webhooks_url_is_free_of_credentials check (url !~ '^[^/]*//[^/?#]*@'),
  constraint webhooks_events_is_a_list_of_at_least_one check (cardinality(events) >= 1),
  constraint webhooks_description_is_at_most_500_characters check (char_length(description) <= 500),
  constraint webhooks_marketplace_ids_is_a_list_of_1_to_100 check (cardinality(marketplace_ids) between 1 and 100),
  constraint webhooks_statuses_is_a_list_of_1_to_100 check (cardinality(statuses) between 1 and 100),
  constraint webhooks_disabled_reason_is_gone_or_failing check (disabled_reason in ('gone', 'failing')),
  constraint webhooks_disabled_reason_is_set_only_while_it_is_off check (not active or disabled_reason is null)
);
comment on table public.webhooks is
  'The webhooks of a tenant: a URL and the events that it gets. secret and headers can be written but not read. failing_since: no attempt has succeeded since then. disabled_reason: why the webhook was switched off, unless a user did it.';
alter table public.webhooks replica identity using index webhooks_tenant_id_id_key;

create table private.webhook_secrets (
  tenant_id uuid not null,
  webhook_id uuid not null,
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  headers jsonb not null default '{}',
  -- In this order for lookups by webhook alone.
  constraint webhook_secrets_pkey primary key (webhook_id, tenant_id),
  constraint webhook_secrets_webhook_id_fkey foreign key (tenant_id, webhook_id)
    references public.webhooks (tenant_id, id) on delete cascade deferrable initially deferred,
  constraint webhook_secrets_secret_is_at_least_16_characters check (char_length(secret) between 16 and 256),
  constraint webhook_secrets_previous_until_is_set_with_previous_secret
    check ((previous_until is null) = (previous_secret is null))
);
comment on table private.webhook_secrets is
  'The secret that signs the deliveries of each webhook, the previous one, which also signs until previous_until after a rotation, and the headers of its deliveries by name.';

create table private.event_statuses (
  name text primary key
);
comment on table private.event_statuses is
  'Every status of a record that events describe. A capability with events adds its own statuses.';

-- indexes --------------------------------------------------------------------------------------

create index webhooks_tenant_id_created_at_idx on public.webhooks (tenant_id, created_at desc, id);
create index webhook_secrets_previous_until_idx on private.webhook_secrets (previous_until)
  where previous_until is not null;

-- functions ------------------------------------------------------------------------------------

create function private.new_webhook_secret() returns text
language sql volatile set search_path = ''
as $$
  select 'whsec_' || encode(extensions.gen_random_bytes(24), 'base64')
$$;
comment on function private.new_webhook_secret() is 'A secret in the form of Standard Webhooks, from 24 random bytes.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.webhook_signing(webhook_id uuid) returns table (secrets text[], headers jsonb)
language sql stable
begin atomic
  select
    case when s.previous_until > now() then array[s.secret, s.previous_secret] else array[s.secret] end,
    s.headers
  from private.webhook_secrets s
  where s.webhook_id = webhook_signing.webhook_id;
end;
comment on function private.webhook_signing is
  'The secrets that sign a webhook''s deliveries, the current one first and the previous one for 24 hours after a rotation, and the headers of the deliveries.';

create function private.check_webhook_filter(tenant_id uuid, marketplace_ids uuid[], statuses text[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  unknown text;
begin
  select wanted.id into unknown
  from unnest(marketplace_ids) as wanted (id)
  where not exists (
    select 1
    from public.marketplaces m
    where m.tenant_id = check_webhook_filter.tenant_id and m.id = wanted.id
  )
  limit 1;
  if found then
    perform private.refuse(
      'NOT_FOUND', 'There is no such marketplace.', 'filter.marketplace_ids', to_jsonb(unknown)
    );
  end if;
  select wanted.status into unknown
  from unnest(statuses) as wanted (status)
  where not exists (select 1 from private.event_statuses s where s.name = wanted.status)
  limit 1;
  if found then
    perform private.refuse('VALIDATION_ERROR', 'There is no such status.', 'filter.statuses', to_jsonb(unknown));
  end if;
end
$$;
comment on function private.check_webhook_filter is
  'Refuses a filter with an unknown marketplace (NOT_FOUND) or an unknown status (VALIDATION_ERROR).';

create function private.check_webhook_headers(headers jsonb) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  problem record;
begin
  if jsonb_typeof(headers) <> 'object' then
    perform private.refuse('VALIDATION_ERROR', 'headers must be an object of values by name.', 'headers');
  end if;
  if (select count(*) > 10 from jsonb_object_keys(headers)) then
    perform private.refuse('VALIDATION_ERROR', 'headers must have at most 10 entries.', 'headers');
  end if;
  -- A refusal does not contain the value, because it may be a secret.
  select
    h.key as name,
    case
      when h.key collate "C" !~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,100}$' then 'This is not a valid name of a header.'
      when lower(h.key) ~ '^((content|webhook|x-webhook|proxy)-.*|host|user-agent|expect|accept-encoding)$'
        or lower(h.key) in ('connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade')
        then 'Deliveries set this header themselves. Leave it out.'
      when count(*) over (partition by lower(h.key)) > 1 then 'This header may appear only once.'
      when jsonb_typeof(h.value) <> 'string'
        or (h.value #>> '{}') collate "C" !~ '^[!-~]([ -~]*[!-~])?$'
        or char_length(h.value #>> '{}') > 1000
        then 'The value of a header must have 1 to 1000 printable ASCII characters, without spaces at its ends.'
    end as message
  into problem
  from jsonb_each(headers) as h
  order by message nulls last, name
  limit 1;
  if problem.message is not null then
    perform private.refuse('VALIDATION_ERROR', problem.message, 'headers.' || problem.name);
  end if;
end
$$;
comment on function private.check_webhook_headers is
  'Refuses with VALIDATION_ERROR invalid headers, and those that the dispatcher sets itself.';

create function private.check_webhook_secret(secret text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if char_length(secret) not between 16 and 256 then
    perform private.refuse('VALIDATION_ERROR', 'secret must have 16 to 256 characters.', 'secret');
  end if;
  -- Libraries disagree about invalid base64, and some decode it to nothing.
  if secret like 'whsec\_%'
    and secret !~ '^whsec_([A-Za-z0-9+/]{4}){5,}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$'
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'secret must have the base64 of at least 16 bytes after whsec_.', 'secret'
    );
  end if;
end
$$;
comment on function private.check_webhook_secret is
  'Refuses with VALIDATION_ERROR a secret that is too short, or that begins like one of Standard Webhooks but is not base64.';

create function private.check_webhook() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  unknown text;
begin
  new.events := array(
    select distinct case wanted.name when 'payment.completed' then 'payment.succeeded' else wanted.name end
    from unnest(new.events) as wanted (name)
    order by 1
  );
  select wanted.name into unknown
  from unnest(new.events) as wanted (name)
  where not exists (select 1 from private.event_types t where t.name = wanted.name)
  limit 1;
  if found then
    perform private.refuse('VALIDATION_ERROR', 'There is no such event.', 'events', to_jsonb(unknown));
  end if;

  if num_nonnulls(new.marketplace_ids, new.statuses) > 0 then
    perform private.check_webhook_filter(new.tenant_id, new.marketplace_ids, new.statuses);
  end if;
  if tg_op = 'UPDATE' and new.active and not old.active then
    new.disabled_reason := null;
    new.failing_since := null;
  end if;
  return new;
end
$$;
comment on function private.check_webhook() is
  'Row trigger: checks the names of events and the filter, and clears disabled_reason and failing_since when a webhook is switched on.';

create function private.keep_webhook_secrets() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.secret := coalesce(new.secret, private.new_webhook_secret());
    new.headers := coalesce(new.headers, '{}');
  end if;
  if new.secret is not null then
    perform private.check_webhook_secret(new.secret);
  end if;
  if new.headers is not null then
    perform private.check_webhook_headers(new.headers);
    new.header_names := array(select jsonb_object_keys(new.headers) order by 1);
  end if;

  if tg_op = 'INSERT' then
    insert into private.webhook_secrets (tenant_id, webhook_id, secret, headers)
    values (new.tenant_id, new.id, new.secret, new.headers)
    -- An upsert fires this trigger before it finds that the webhook exists.
    on conflict (webhook_id, tenant_id) do nothing;
  else
    update private.webhook_secrets s
    set headers = new.headers
    where s.webhook_id = new.id and new.headers is not null;
    update private.webhook_secrets s
    set previous_secret = s.secret, previous_until = now() + interval '24 hours', secret = new.secret
    -- Setting the same secret again keeps the previous one.
    where s.webhook_id = new.id and s.secret <> new.secret;
  end if;
  new.secret := null;
  new.headers := null;
  return new;
end
$$;
comment on function private.keep_webhook_secrets() is
  'Row trigger: moves the secret and the headers to webhook_secrets, and generates a secret if none is sent.';

create function private.bound_webhooks() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid;
begin
  for tenant in select distinct r.tenant_id from registered r order by r.tenant_id loop
    -- The lock lets parallel transactions count each other's webhooks.
    perform private.hold('cap', 'webhooks of ' || tenant);
    if (select count(*) from public.webhooks w where w.tenant_id = tenant) > private.cap('webhooks_per_tenant') then
      perform private.refuse_beyond(
        'webhooks_per_tenant', 'The tenant has the maximum number of webhooks. Delete one first.'
      );
    end if;
  end loop;
  return null;
end
$$;
comment on function private.bound_webhooks() is
  'Statement trigger: refuses with LIMIT_REACHED more webhooks than the cap webhooks_per_tenant.';

create view public.webhook_details with (security_invoker = true) as
select
  w.id, w.tenant_id, w.url, w.description, w.events,
  case
    when num_nonnulls(w.marketplace_ids, w.statuses) > 0
      then jsonb_build_object('marketplace_ids', w.marketplace_ids, 'statuses', w.statuses)
  end as filter,
  w.header_names, w.active, w.disabled_reason, w.failing_since, w.created_at, w.updated_at
from public.webhooks w;
comment on view public.webhook_details is 'Webhooks as the API returns them.';

create function private.listed(list jsonb) returns text[]
language sql immutable set search_path = ''
as $$
  select case when jsonb_typeof(list) <> 'null' then array(select jsonb_array_elements_text(list)) end
$$;
comment on function private.listed is 'The texts of a JSON list; null for null.';

create function public.create_webhook(
  url text,
  events text[],
  description text default '',
  filter jsonb default null,
  headers jsonb default '{}',
  secret text default null,
  active boolean default true
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  shown text := coalesce(create_webhook.secret, private.new_webhook_secret());
  wanted jsonb := private.known_only(nullif(create_webhook.filter, 'null'), '{marketplace_ids,statuses}', 'filter.');
  created uuid;
begin
  insert into public.webhooks (url, events, description, marketplace_ids, statuses, headers, secret, active)
  values (
    create_webhook.url,
    create_webhook.events,
    create_webhook.description,
    private.listed(wanted -> 'marketplace_ids')::uuid[],
    private.listed(wanted -> 'statuses'),
    create_webhook.headers,
    shown,
    create_webhook.active
  )
  returning id into created;
  return (
    select to_jsonb(d) || jsonb_build_object('secret', shown) from public.webhook_details d where d.id = created
  );
end
$$;
comment on function public.create_webhook is
  'For admins and clients: creates a webhook and returns it with its secret, which is not shown again. filter: {marketplace_ids, statuses}; either may be null. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND (a marketplace), LIMIT_REACHED.';

create function public.change_webhook(webhook_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  wanted jsonb := private.known_only(nullif(changes -> 'filter', 'null'), '{marketplace_ids,statuses}', 'filter.');
  changed uuid;
begin
  if changes ? 'secret' then
    perform private.refuse(
      'VALIDATION_ERROR', 'secret cannot be changed here. Use rotate-secret (rotate_webhook_secret).', 'secret'
    );
  end if;
  perform private.known_only(
    changes,
    '{url,events,description,filter,headers,active,'
    -- Fields that cannot be changed are accepted and ignored, so that a record can be sent back as it was read.
    'id,tenant_id,header_names,disabled_reason,failing_since,created_at,updated_at}'
  );
  update public.webhooks w
  set url = coalesce(changes ->> 'url', w.url),
      events = case when changes ? 'events' then private.listed(changes -> 'events') else w.events end,
      description = coalesce(changes ->> 'description', w.description),
      marketplace_ids = case
        when changes ? 'filter' then private.listed(wanted -> 'marketplace_ids')::uuid[]
        else w.marketplace_ids
      end,
      statuses = case
        when changes ? 'filter' then private.listed(wanted -> 'statuses') else w.statuses
      end,
      headers = changes -> 'headers',
      active = coalesce((changes ->> 'active')::boolean, w.active)
  where w.id = change_webhook.webhook_id
  returning w.id into changed;
  if changed is null then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  return (select to_jsonb(d) from public.webhook_details d where d.id = changed);
end
$$;
comment on function public.change_webhook is
  'For admins and clients: changes the fields that are sent (url, events, description, filter, headers, active) and returns the webhook. filter and headers are replaced as a whole. Other fields of the record are ignored, so that it can be sent back whole. Refuses with FORBIDDEN, VALIDATION_ERROR, NOT_FOUND.';

create function private.rotate_webhook_secret(webhook_id uuid, secret text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  shown text := coalesce(rotate_webhook_secret.secret, private.new_webhook_secret());
begin
  if not private.reads_all() then
    perform private.refuse('FORBIDDEN', 'Only admins and clients may rotate secrets.');
  end if;
  update public.webhooks w
  set secret = shown
  where w.tenant_id = private.tenant_id() and w.id = rotate_webhook_secret.webhook_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  return (
    select to_jsonb(d) || jsonb_build_object('secret', shown, 'previous_secret_until', s.previous_until)
    from public.webhook_details d
    join private.webhook_secrets s on s.tenant_id = d.tenant_id and s.webhook_id = d.id
    where d.id = rotate_webhook_secret.webhook_id
  );
end
$$;
comment on function private.rotate_webhook_secret is
  'Replaces the secret of a webhook. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.rotate_webhook_secret(webhook_id uuid, secret text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.rotate_webhook_secret(webhook_id, secret);
end
$$;
comment on function public.rotate_webhook_secret is
  'For admins and clients: replaces the secret of a webhook by the one that is sent or by a new one. The previous secret also signs for 24 hours (previous_secret_until). Returns the webhook with its secret, which is not shown again. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.webhook_target(webhook_id uuid) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object('url', w.url, 'secrets', s.secrets, 'headers', s.headers)
  from public.webhooks w
  cross join lateral private.webhook_signing(w.id) s
  where w.id = webhook_target.webhook_id
$$;
comment on function public.webhook_target is
  'For the edge functions, which check before that the caller sees the webhook: {url, secrets, headers}, to send it a test delivery at once.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.webhooks for each row execute function private.keep_nfc();

create trigger webhooks_are_changed_by_admins_and_clients
  before insert or update or delete on public.webhooks
  for each statement execute function private.only_for('admin', 'client');

create trigger webhooks_check
  before insert or update of events, marketplace_ids, statuses, active on public.webhooks
  for each row execute function private.check_webhook();

create trigger webhooks_keep_secrets
  before insert or update of secret, headers on public.webhooks
  for each row execute function private.keep_webhook_secrets();

create trigger webhooks_bound
  after insert on public.webhooks
  referencing new table as registered
  for each statement execute function private.bound_webhooks();

create trigger webhooks_touch
  before update on public.webhooks
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table private.webhook_secrets enable row level security;
alter table private.event_statuses enable row level security;
alter table public.webhooks enable row level security;

create policy "Admins and clients see their tenant's webhooks" on public.webhooks
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

create policy "Admins and clients register webhooks" on public.webhooks
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

create policy "Admins and clients change webhooks" on public.webhooks
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  )
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

create policy "Admins and clients remove webhooks" on public.webhooks
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

-- grants ---------------------------------------------------------------------------------------

grant select,
  insert (url, events, description, marketplace_ids, statuses, active, secret, headers),
  update (url, events, description, marketplace_ids, statuses, active, headers),
  delete
  on public.webhooks to authenticated;
grant select on public.webhook_details to authenticated;
grant all on public.webhooks to service_role;
grant select on private.webhook_secrets to service_role;
grant execute on function
  private.new_webhook_secret(), private.listed, private.rotate_webhook_secret
  to authenticated, service_role;
grant execute on function private.webhook_signing to service_role;
grant execute on function public.create_webhook, public.change_webhook, public.rotate_webhook_secret
  to authenticated;
grant execute on function public.webhook_target to service_role;

-- supabase/schemas/webhooks/0710_webhook_queue.sql

-- Deliveries: an event for a webhook is one row, written in the transaction of the event and signed when it is sent. A
-- delivery waits in the queue until a dispatcher takes it, under a lease of one minute. pg_net wakes the dispatcher after
-- the commit.

create type public.delivery_status as enum ('pending', 'retrying', 'success', 'failed');

-- tables ---------------------------------------------------------------------------------------

create table public.webhook_deliveries (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event text not null,
  -- Finds the event in its day's partition. No foreign key: a day's events are dropped at once, after their deliveries.
  event_at timestamptz not null,
  status public.delivery_status not null default 'pending',
  attempts integer not null default 0,
  -- Number of attempts before it was last sent again by hand: the schedule starts again after them.
  attempts_before integer not null default 0,
  next_attempt_at timestamptz default now(),
  -- The last attempt. Earlier attempts are in a table of their own, and so is the last one of a delivery that was given
  -- up.
  attempted_at timestamptz,
  duration_ms integer,
  response_code integer,
  response_body text,
  error text,
  -- Equal to event_at. The log is listed and filtered by it.
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- One index for lookups by id alone and for foreign keys with the tenant.
  constraint webhook_deliveries_pkey primary key (id, tenant_id),
  constraint event_is_unique_in_webhook_deliveries unique (webhook_id, event_at, event_id),
  constraint webhook_deliveries_webhook_id_fkey foreign key (tenant_id, webhook_id)
    references public.webhooks (tenant_id, id) on delete cascade,
  constraint webhook_deliveries_next_attempt_at_is_set_while_there_is_one
    check ((next_attempt_at is not null) = (status in ('pending', 'retrying'))),
  constraint webhook_deliveries_error_is_set_when_it_failed check (status <> 'failed' or error is not null),
  constraint webhook_deliveries_response_body_is_at_most_1024_characters check (char_length(response_body) <= 1024)
)
-- Each row is written twice within a second. No index has a column that the second write changes, and with free space
-- the row stays on its page, so that no index is updated.
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
comment on table public.webhook_deliveries is
  'The deliveries of events to webhooks. The id is sent as X-Webhook-ID, the same in every attempt.';

alter table public.webhook_deliveries replica identity full;
alter publication supabase_realtime add table public.webhook_deliveries;

create table private.webhook_queue (
  -- No foreign keys: they would cost each delivery, and make it wait for a lock of its webhook.
  delivery_id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  due_at timestamptz not null,
  constraint webhook_queue_pkey primary key (delivery_id, tenant_id)
);
comment on table private.webhook_queue is
  'Deliveries that wait for the time of their next attempt. A dispatcher skips a delivery that has ended or was deleted.';

create table private.webhook_leases (
  -- No foreign key: it would cost each attempt, and a report ends the lease of a deleted delivery as well.
  tenant_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  dispatcher uuid not null,
  leased_until timestamptz not null,
  bytes integer not null,
  -- In this order for lookups by webhook alone.
  constraint webhook_leases_pkey primary key (webhook_id, delivery_id, tenant_id)
);
comment on table private.webhook_leases is
  'Deliveries in flight, each an attempt: its dispatcher, the end of the lease, and the size of the body in bytes. leased_until is -infinity for a delivery that was returned untried, which waits again. Any other delivery whose lease has ended has failed.';

create table private.skipped_deliveries (
  -- No foreign key: a transaction that writes here does not wait for a lock of the webhook.
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event text not null,
  event_at timestamptz not null,
  constraint skipped_deliveries_pkey primary key (tenant_id, webhook_id, event_at, event_id)
);
comment on table private.skipped_deliveries is
  'Deliveries that could not be written with their event because their webhook was locked, perhaps to be deleted. The next sweep that finds it free writes them, or deletes those of a deleted webhook.';

-- indexes --------------------------------------------------------------------------------------

create index webhook_deliveries_webhook_idx on public.webhook_deliveries (tenant_id, webhook_id, created_at desc, id);
-- Failed deliveries all have an error; an index by status would change with every delivery.
create index webhook_deliveries_failed_idx on public.webhook_deliveries (tenant_id, webhook_id, created_at desc, id)
  where error is not null;
create index webhook_queue_due_idx on private.webhook_queue (webhook_id, due_at);

-- functions: waking the dispatcher -------------------------------------------------------------

create function private.wake_webhook_dispatch() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.wake('webhook-dispatch');
end
$$;
comment on function private.wake_webhook_dispatch() is
  'Has pg_net wake the dispatcher as soon as this transaction is committed.';

-- functions: writing deliveries ----------------------------------------------------------------

create function private.fan_out_events() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  with wanted as materialized (
    select e.tenant_id, w.id as webhook_id, e.id as event_id, e.name as event, e.created_at as event_at
    from new_events e
    join public.webhooks w on w.tenant_id = e.tenant_id and w.active and e.name = any (w.events)
    -- A filter does not apply to an event that lacks the field.
    where (e.marketplace_id = any (w.marketplace_ids)) is not false
      and (e.status = any (w.statuses)) is not false
  ),
  -- An order neither waits for a webhook that is being deleted nor fails because of it.
  free as materialized (
    select w.id
    from public.webhooks w
    where w.id = any (array(select distinct d.webhook_id from wanted d))
    for key share skip locked
  ),
  skipped as (
    insert into private.skipped_deliveries (tenant_id, webhook_id, event_id, event, event_at)
    select d.tenant_id, d.webhook_id, d.event_id, d.event, d.event_at
    from wanted d
    where d.webhook_id not in (select f.id from free f)
  )
  insert into public.webhook_deliveries (tenant_id, webhook_id, event_id, event, event_at, created_at)
  select d.tenant_id, d.webhook_id, d.event_id, d.event, d.event_at, d.event_at
  from wanted d
  where d.webhook_id in (select f.id from free f);
  if found then
    perform private.wake_webhook_dispatch();
  end if;
  return null;
end
$$;
comment on function private.fan_out_events() is
  'Statement trigger: writes a delivery for each event and each active webhook that subscribed to it and whose filter it passes. Deliveries for a locked webhook are kept for the sweep.';

create function private.fan_out_skipped() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- Waits for no lock, so it causes no deadlock. Locked rows stay for the next sweep.
  with waiting as materialized (
    select s.tenant_id, s.webhook_id, s.event_at, s.event_id
    from private.skipped_deliveries s
    limit 10000
    for update skip locked
  ),
  free as materialized (
    select w.id
    from public.webhooks w
    where w.id = any (array(select distinct s.webhook_id from waiting s))
    for key share skip locked
  ),
  ended as (
    delete from private.skipped_deliveries s
    using waiting
    where s.tenant_id = waiting.tenant_id and s.webhook_id = waiting.webhook_id and s.event_at = waiting.event_at
      and s.event_id = waiting.event_id
      and (
        s.webhook_id in (select f.id from free f)
        or not exists (select 1 from public.webhooks w where w.id = s.webhook_id)
      )
    returning s.tenant_id, s.webhook_id, s.event_id, s.event, s.event_at
  )
  -- Also for a webhook that was switched off meanwhile: its delivery ends like those that were in flight.
  insert into public.webhook_deliveries (tenant_id, webhook_id, event_id, event, event_at, created_at)
  select d.tenant_id, d.webhook_id, d.event_id, d.event, d.event_at, d.event_at
  from ended d
  where d.webhook_id in (select f.id from free f);
end
$$;
comment on function private.fan_out_skipped() is
  'Writes the deliveries that could not be written with their event, for webhooks that are no longer locked.';

create function private.queue_delivery() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.webhook_queue (tenant_id, webhook_id, due_at, delivery_id)
  values (new.tenant_id, new.webhook_id, new.next_attempt_at, new.id)
  on conflict (delivery_id, tenant_id) do update set due_at = excluded.due_at;
  return null;
end
$$;
comment on function private.queue_delivery() is
  'Row trigger: queues a delivery that is to be tried again until its next_attempt_at.';

create function private.queue_new_deliveries() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.webhook_queue (tenant_id, webhook_id, due_at, delivery_id)
  select w.tenant_id, w.webhook_id, w.next_attempt_at, w.id
  from written w
  where w.next_attempt_at is not null;
  return null;
end
$$;
comment on function private.queue_new_deliveries() is
  'Statement trigger: queues new deliveries for their first attempt.';

create function private.give_up_deliveries(webhook_id uuid, most integer) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  waiting uuid[];
begin
  with ended as (
    delete from private.webhook_queue q
    where q.ctid = any (array(
      select w.ctid from private.webhook_queue w where w.webhook_id = give_up_deliveries.webhook_id limit most
    ))
    returning q.delivery_id
  )
  select coalesce(array_agg(e.delivery_id), '{}') into waiting from ended e;
  -- Deliveries in flight stay leased: the end of their attempt is still recorded.
  update public.webhook_deliveries d
  set status = 'failed', next_attempt_at = null,
      attempted_at = null, duration_ms = null, response_body = null, error = 'the webhook was switched off'
  where d.next_attempt_at is not null and d.id = any (
    waiting || array(
      select l.delivery_id from private.webhook_leases l where l.webhook_id = give_up_deliveries.webhook_id
    )
  );
  return cardinality(waiting);
end
$$;
comment on function private.give_up_deliveries is
  'Ends up to most deliveries that wait for a webhook and returns how many.';

create function private.end_deliveries() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- At most 100, because switching off 100 webhooks at once would otherwise take longer than a dispatcher waits. Sweeps
  -- end the others.
  perform private.give_up_deliveries(new.id, 100);
  return null;
end
$$;
comment on function private.end_deliveries() is
  'Row trigger: a webhook that is switched off gets no more deliveries, and those that wait for it end.';

create function private.forget_deliveries(before timestamptz) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  webhook uuid;
begin
  -- One webhook at a time, so that this needs no index of its own.
  for webhook in select w.id from public.webhooks w loop
    delete from public.webhook_deliveries d
    where d.webhook_id = webhook and d.event_at < forget_deliveries.before;
  end loop;
  delete from private.skipped_deliveries s where s.event_at < forget_deliveries.before;
end
$$;
comment on function private.forget_deliveries is
  'Deletes the deliveries of events before this time, with their attempts.';

-- triggers -------------------------------------------------------------------------------------

create trigger webhooks_end_deliveries
  after update of active on public.webhooks
  for each row when (old.active and not new.active)
  execute function private.end_deliveries();

create trigger webhook_deliveries_touch
  before update on public.webhook_deliveries
  -- Recording attempts happens often and sets the time itself.
  for each row when (new.updated_at = old.updated_at)
  execute function private.touch();

create trigger webhook_deliveries_queue_new
  after insert on public.webhook_deliveries
  referencing new table as written
  for each statement execute function private.queue_new_deliveries();

create trigger webhook_deliveries_queue
  after update of next_attempt_at on public.webhook_deliveries
  for each row when (new.next_attempt_at is not null)
  execute function private.queue_delivery();

create trigger events_fan_out
  after insert on public.events
  referencing new table as new_events
  for each statement execute function private.fan_out_events();

-- policies -------------------------------------------------------------------------------------

alter table private.webhook_queue enable row level security;
alter table private.webhook_leases enable row level security;
alter table private.skipped_deliveries enable row level security;
alter table public.webhook_deliveries enable row level security;

create policy "Admins and clients see their tenant's deliveries" on public.webhook_deliveries
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.webhook_deliveries to authenticated;
grant all on public.webhook_deliveries to service_role;

-- supabase/schemas/webhooks/0712_webhook_failures.sql

-- Failures: when a failed delivery is tried again, how long its attempts are kept, when its webhook is switched off,
-- and how an admin sends it again.

-- tables ---------------------------------------------------------------------------------------

create table private.earlier_attempts (
  tenant_id uuid not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  attempt integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  response_code integer,
  response_body text,
  error text,
  constraint earlier_attempts_pkey primary key (tenant_id, delivery_id, attempt),
  constraint earlier_attempts_delivery_id_fkey foreign key (delivery_id, tenant_id)
    references public.webhook_deliveries (id, tenant_id) on delete cascade
);
comment on table private.earlier_attempts is
  'Attempts that were not the end of their delivery. Most deliveries succeed at once and have none.';

create table private.webhook_schedule (
  attempt integer primary key,
  wait interval not null
);
comment on table private.webhook_schedule is
  'The wait between the failure of an attempt and the next one, whose number is attempt.';

create table private.webhook_failures (
  tenant_id uuid not null,
  webhook_id uuid not null,
  attempts integer not null,
  warnings integer not null default 0,
  -- In this order for lookups by webhook alone.
  constraint webhook_failures_pkey primary key (webhook_id, tenant_id),
  constraint webhook_failures_webhook_id_fkey foreign key (tenant_id, webhook_id)
    references public.webhooks (tenant_id, id) on delete cascade
);
comment on table private.webhook_failures is
  'Webhooks that fail: how many attempts have failed since webhooks.failing_since, and how many warnings their tenant has had.';

-- views ----------------------------------------------------------------------------------------

create view public.webhook_attempts with (security_invoker = true) as
select
  d.tenant_id, d.webhook_id, d.id as delivery_id, d.attempts as attempt, d.attempted_at as started_at,
  d.duration_ms, d.response_code, d.response_body, d.error
from public.webhook_deliveries d
where d.attempted_at is not null
union all
select
  a.tenant_id, a.webhook_id, a.delivery_id, a.attempt, a.started_at,
  a.duration_ms, a.response_code, a.response_body, a.error
from private.earlier_attempts a;
comment on view public.webhook_attempts is
  'Each attempt at a delivery: its time and duration, and the receiver''s response. error: null when it was delivered.';

-- functions: failed attempts -------------------------------------------------------------------

create function private.keep_attempt() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.earlier_attempts (
    tenant_id, webhook_id, delivery_id, attempt, started_at, duration_ms, response_code, response_body, error
  )
  values (
    old.tenant_id, old.webhook_id, old.id, old.attempts,
    old.attempted_at, old.duration_ms, old.response_code, old.response_body, old.error
  );
  return null;
end
$$;
comment on function private.keep_attempt() is
  'Row trigger: moves the last attempt of a delivery to earlier_attempts when another one replaces it.';

create function private.next_attempt_at(attempt integer, response_code integer, retry_after_seconds integer)
returns timestamptz
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- Up to a tenth later, so that deliveries that failed together are not all tried at the same moment.
  wait interval := (
    select s.wait * (1 + 0.1 * random()) from private.webhook_schedule s where s.attempt = next_attempt_at.attempt
  );
begin
  if wait is not null and response_code in (429, 503) then
    wait := greatest(wait, least(make_interval(secs => coalesce(retry_after_seconds, 0)), interval '1 hour'));
  end if;
  return now() + wait;
end
$$;
comment on function private.next_attempt_at is
  'The time of the attempt with this number, if the previous one failed now with this response; null if there is no further attempt.';

create function private.switch_webhook_off(webhook_id uuid, reason text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.webhooks w
  set active = false, disabled_reason = switch_webhook_off.reason
  where w.id = switch_webhook_off.webhook_id and w.active;
  if found then
    perform private.emit(d.tenant_id, 'webhook.disabled', jsonb_build_object('webhook', to_jsonb(d)))
    from public.webhook_details d
    where d.id = switch_webhook_off.webhook_id;
  end if;
end
$$;
comment on function private.switch_webhook_off is
  'Switches a failing webhook off, and writes the event webhook.disabled.';

create function private.note_failures(webhook_id uuid, failures bigint) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  webhook public.webhooks := (select w from public.webhooks w where w.id = note_failures.webhook_id and w.active);
  noted private.webhook_failures;
  lasted interval := coalesce(now() - webhook.failing_since, '0');
  -- One warning each after 6, 12 and 18 hours.
  deserved integer := least(3, floor(extract(epoch from lasted) / 21600));
begin
  if webhook.id is null then
    return;
  end if;
  if webhook.failing_since is null then
    update public.webhooks w set failing_since = now() where w.id = webhook.id;
    delete from private.webhook_failures f where f.webhook_id = webhook.id;
  end if;
  insert into private.webhook_failures as f (tenant_id, webhook_id, attempts)
  values (webhook.tenant_id, webhook.id, note_failures.failures)
  on conflict (webhook_id, tenant_id) do update set attempts = f.attempts + excluded.attempts
  returning * into noted;

  if lasted >= interval '24 hours' and noted.attempts >= 10 then
    perform private.switch_webhook_off(webhook.id, 'failing');
    return;
  end if;
  if deserved > noted.warnings then
    update private.webhook_failures f set warnings = deserved where f.webhook_id = webhook.id;
    perform private.emit(d.tenant_id, 'webhook.failing', jsonb_build_object('webhook', to_jsonb(d)))
    from public.webhook_details d
    where d.id = webhook.id;
  end if;
end
$$;
comment on function private.note_failures is
  'Counts the failed attempts of a webhook since its last success, warns its tenant, and finally switches it off.';

create function private.end_leases() returns void
-- A plan from when the tables were empty, which a session keeps, would scan webhook_leases, webhook_deliveries and webhooks.
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  -- Skips a lease that a late report ends at this moment.
  with over as materialized (
    select l.ctid as place, l.delivery_id, l.leased_until
    from private.webhook_leases l
    where l.leased_until <= clock_timestamp()
    -- Ordered to use the index, because ended leases take more space in the table than current ones.
    order by l.webhook_id, l.delivery_id
    for update skip locked
  ),
  ended as (
    delete from private.webhook_leases l where l.ctid = any (array(select o.place from over o))
  ),
  -- The delivery may have crashed its dispatcher, so it counts as an attempt, and the number of attempts stays limited.
  lost as (
    update public.webhook_deliveries d
    set attempts = d.attempts + 1,
        status = (case when l.next_attempt_at is null then 'failed' else 'retrying' end)::public.delivery_status,
        next_attempt_at = l.next_attempt_at,
        attempted_at = l.leased_until - interval '1 minute',
        duration_ms = 60000,
        response_code = null,
        response_body = null,
        error = 'the dispatcher ended before it could tell what came of it'
    from (
      select
        o.delivery_id, o.leased_until,
        case when w.active then private.next_attempt_at(d.attempts - d.attempts_before + 2, null, null) end
          as next_attempt_at
      from over o
      join public.webhook_deliveries d on d.id = o.delivery_id and d.next_attempt_at is not null
      join public.webhooks w on w.id = d.webhook_id
      where o.leased_until <> '-infinity'
      offset 0
    ) l
    where d.id = l.delivery_id
  )
  insert into private.webhook_queue (tenant_id, webhook_id, due_at, delivery_id)
  select d.tenant_id, d.webhook_id, d.next_attempt_at, d.id
  from public.webhook_deliveries d
  where d.id = any (array(select o.delivery_id from over o where o.leased_until = '-infinity'))
    and d.next_attempt_at is not null
  on conflict do nothing;
end
$$;
comment on function private.end_leases() is
  'Queues deliveries again that were returned untried, and records a failed attempt for those whose dispatcher crashed.';

-- functions: sending again ---------------------------------------------------------------------

create function private.check_that_webhook_is_on(webhook_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  active boolean := (
    select w.active
    from public.webhooks w
    where w.tenant_id = private.tenant_id() and w.id = check_that_webhook_is_on.webhook_id
  );
begin
  if not private.reads_all() then
    perform private.refuse('FORBIDDEN', 'Only admins and clients may send deliveries again.');
  end if;
  if active is null then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  if not active then
    perform private.refuse('CONFLICT', 'The webhook is switched off. Switch it on first.', 'active', to_jsonb(false));
  end if;
end
$$;
comment on function private.check_that_webhook_is_on is
  'Refuses a caller that may not send the deliveries of a webhook again: FORBIDDEN, NOT_FOUND, CONFLICT (the webhook is off).';

create function private.send_again(ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.webhook_deliveries d
  set status = (case when d.attempts = 0 then 'pending' else 'retrying' end)::public.delivery_status,
      attempts_before = d.attempts,
      next_attempt_at = now()
  where d.id = any (ids);
  if found then
    perform private.wake_webhook_dispatch();
  end if;
end
$$;
comment on function private.send_again is 'Queues deliveries to be sent now, with as many attempts as new ones.';

create function private.retry_delivery(webhook_id uuid, delivery_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  delivery public.webhook_deliveries;
begin
  perform private.check_that_webhook_is_on(retry_delivery.webhook_id);
  -- An attempt whose lease has ended is recorded before the new ones.
  perform private.end_leases();
  select d.* into delivery
  from public.webhook_deliveries d
  where d.webhook_id = retry_delivery.webhook_id and d.id = retry_delivery.delivery_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such delivery.');
  end if;
  if not exists (
    select
    from public.events e
    where e.tenant_id = delivery.tenant_id and e.created_at = delivery.event_at and e.id = delivery.event_id
  ) then
    perform private.refuse('CONFLICT', 'The event of this delivery was deleted after its retention period.');
  end if;
  -- A delivery in flight is being sent already.
  if not exists (
    select 1
    from private.webhook_leases l
    where l.webhook_id = delivery.webhook_id and l.delivery_id = delivery.id and l.leased_until > now()
  ) then
    perform private.send_again(array[delivery.id]);
    select d.* into delivery from public.webhook_deliveries d where d.id = delivery.id;
  end if;
  return to_jsonb(delivery);
end
$$;
comment on function private.retry_delivery is 'As public.retry_delivery.';

create function public.retry_delivery(webhook_id uuid, delivery_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.retry_delivery(webhook_id, delivery_id);
end
$$;
comment on function public.retry_delivery is
  'For admins and clients: sends a delivery again now, whatever its status, with as many attempts as a new one, and returns it. Refuses with FORBIDDEN, NOT_FOUND, CONFLICT (the webhook is off, or the event was deleted).';

create function private.recover_webhook(webhook_id uuid, since timestamptz) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  most constant bigint := private.cap('deliveries_recovered');
  failed uuid[];
begin
  perform private.check_that_webhook_is_on(recover_webhook.webhook_id);
  failed := array(
    select d.id
    from public.webhook_deliveries d
    where d.tenant_id = private.tenant_id() and d.webhook_id = recover_webhook.webhook_id
      and d.status = 'failed' and d.error is not null
      -- Equal to event_at, and in the index.
      and d.created_at >= recover_webhook.since
      and (
        select true
        from public.events e
        where e.tenant_id = d.tenant_id and e.created_at = d.event_at and e.id = d.event_id
      )
    order by d.created_at, d.id desc
    limit most
    for update
  );
  perform private.send_again(failed);
  return jsonb_build_object('recovered', cardinality(failed), 'more', cardinality(failed) = most);
end
$$;
comment on function private.recover_webhook is 'As public.recover_webhook.';

create function public.recover_webhook(webhook_id uuid, since text) returns jsonb
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
begin
  return private.recover_webhook(webhook_id, private.moment_of(since, 'since'));
end
$$;
comment on function public.recover_webhook is
  'For admins and clients: sends the failed deliveries of events since this time (with its offset, or a day of the tenant''s time zone) again now, with as many attempts as new ones, the oldest first, at most as many as the cap deliveries_recovered. Returns {recovered, more}: how many, and whether to call again. Refuses with FORBIDDEN, NOT_FOUND, CONFLICT (the webhook is off).';

-- triggers -------------------------------------------------------------------------------------

create trigger webhook_deliveries_keep_attempt
  after update on public.webhook_deliveries
  for each row when (old.attempted_at is not null and (new.attempted_at is null or new.attempts > old.attempts))
  execute function private.keep_attempt();

-- policies -------------------------------------------------------------------------------------

alter table private.webhook_schedule enable row level security;
alter table private.webhook_failures enable row level security;
alter table private.earlier_attempts enable row level security;

create policy "Admins and clients see their tenant's attempts" on private.earlier_attempts
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.webhook_attempts, private.earlier_attempts to authenticated, service_role;
grant select on private.webhook_schedule, private.webhook_failures to service_role;
grant execute on function private.retry_delivery, private.recover_webhook to authenticated, service_role;
grant execute on function public.retry_delivery, public.recover_webhook to authenticated;

-- supabase/schemas/webhooks/0714_webhook_dispatch.sql

-- Dispatch: the function `webhook-dispatch` takes deliveries that are due, sends them and reports the attempts, each
-- under its lease. A report after the end of its lease changes nothing. Only one dispatcher at a time takes deliveries
-- of a webhook, and it sends the webhook at most ten at once. A job wakes a dispatcher each minute for deliveries
-- that remain.

create type private.shares as (of_webhook integer, of_tenant integer, bytes bigint, bytes_of_tenant bigint);
comment on type private.shares is
  'Limits on deliveries in flight: their number per webhook and per tenant, and the bytes of their bodies per dispatcher and per tenant.';

create type private.attempt as (
  id uuid, webhook_id uuid, leased_until timestamptz, url text, started_at timestamptz, duration_ms integer,
  response_code integer, response_body text, retry_after_seconds integer, error text
);
comment on type private.attempt is
  'An attempt at a delivery, as its dispatcher reports it. leased_until, url: the values with which the delivery was taken. started_at: null when it was not tried. error: null when it was delivered.';

-- functions: turns -----------------------------------------------------------------------------

create function private.waiting_webhooks() returns table (tenant_id uuid, webhook_id uuid, due_at timestamptz)
language plpgsql stable security definer
-- Uses the index at any size, because a session keeps a plan that was made while the tables were small. Plain index
-- scans also mark dead entries, which the next scan skips.
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return query
  with recursive first_waiting as (
    -- Steps from each webhook to the next in the index, so that only the first delivery of a webhook is read.
    (
      select q.tenant_id, q.webhook_id, q.due_at
      from private.webhook_queue q
      order by q.webhook_id, q.due_at
      limit 1
    )
    union all
    select next.tenant_id, next.webhook_id, next.due_at
    from first_waiting f
    cross join lateral (
      select q.tenant_id, q.webhook_id, q.due_at
      from private.webhook_queue q
      where q.webhook_id > f.webhook_id
      order by q.webhook_id, q.due_at
      limit 1
    ) as next
  )
  select f.tenant_id, f.webhook_id, f.due_at from first_waiting f;
end
$$;
comment on function private.waiting_webhooks() is
  'Webhooks that have deliveries in the queue, and when the first of them is due.';

create function private.shares_of(batch integer, room bigint default null) returns private.shares
language plpgsql stable security definer set search_path = ''
as $$
declare
  bytes bigint := least(private.cap('dispatch_bytes'), room);
begin
  -- A webhook may have at most a fifth of the deliveries that a dispatcher can send at once, and a tenant half, but at
  -- least one. So receivers that do not respond leave capacity for others.
  return (
    least(10, greatest(1, batch / 5)), least(private.cap('deliveries_under_way'), greatest(1, batch / 2))::integer,
    bytes, bytes / 2
  );
end
$$;
comment on function private.shares_of is
  'The limits for a dispatcher that can send batch more deliveries and hold room more bytes of bodies (null: the cap dispatch_bytes).';

create function private.webhooks_in_turn(shares private.shares, ahead jsonb default '{}')
returns table (webhook_id uuid, turn bigint)
-- A plan from when the tables were empty, which a session keeps, would scan webhook_leases.
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  -- An event may have been written since this transaction began.
  moment timestamptz := clock_timestamp();
begin
  return query
  with under_way as materialized (
    select l.tenant_id, l.webhook_id, count(*) as deliveries, sum(l.bytes) as bytes
    from private.webhook_leases l
    group by l.webhook_id, l.tenant_id
  ),
  due as (
    select
      f.tenant_id, f.webhook_id, coalesce(u.deliveries, 0) as in_flight,
      coalesce(t.deliveries, 0) as of_tenant, coalesce(t.places, 0) as places, coalesce(t.bytes, 0) as bytes
    from private.waiting_webhooks() f
    left join under_way u on u.webhook_id = f.webhook_id
    left join (
      select
        u.tenant_id, sum(u.deliveries) as deliveries, sum(least(u.deliveries, 10)) as places, sum(u.bytes) as bytes
      from under_way u
      group by u.tenant_id
    ) t on t.tenant_id = f.tenant_id
    where f.due_at <= moment
  )
  select
    d.webhook_id,
    (d.of_tenant + row_number() over (partition by d.tenant_id order by d.in_flight, random()))::bigint
  from due d
  where d.in_flight < shares.of_webhook + coalesce((webhooks_in_turn.ahead ->> d.webhook_id::text)::integer, 0)
    and (d.places < shares.of_tenant or d.in_flight >= 10)
    and d.bytes < shares.bytes_of_tenant;
end
$$;
comment on function private.webhooks_in_turn is
  'Webhooks that have deliveries due and are below their limits and those of their tenants. ahead: how many deliveries above its limit each may have in flight. The more deliveries its tenant has in flight, the later the turn of a webhook.';

create function private.deliveries_in_turn(
  held uuid[], dispatcher uuid, batch integer, shares private.shares, ahead jsonb, moment timestamptz
)
returns table (place_in_queue tid, delivery_id uuid, number bigint, bytes_of_tenant bigint)
-- A plan from when the tables were empty, which a session keeps, would scan webhook_leases, webhooks and webhook_queue.
language plpgsql stable security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return query
  -- The deliveries in flight of these webhooks do not change while they are locked. The first delivery of each tenant
  -- comes before the second of any, and within a tenant the first of each webhook.
  with under_way as materialized (
    select
      l.tenant_id, l.webhook_id, count(*) as deliveries, sum(l.bytes) as bytes,
      bool_or(l.dispatcher <> deliveries_in_turn.dispatcher) as shared
    from private.webhook_leases l
    group by l.webhook_id, l.tenant_id
  )
  select given.row, given.delivery_id, given.number, given.bytes_of_tenant
  from (
    select
      turned.*, row_number() over (order by turned.of_tenant + turned.nth, random()) as number
    from (
      select
        due.row, due.delivery_id, t.in_flight + due.place as place, t.ahead, t.of_tenant, t.places, t.bytes_of_tenant,
        row_number() over (partition by t.tenant_id order by t.in_flight + due.place, random()) as nth
      from (
        select
          w.tenant_id, w.id as webhook_id,
          coalesce(sum(u.deliveries) filter (where u.webhook_id = w.id), 0)::bigint as in_flight,
          coalesce(sum(u.deliveries), 0)::bigint as of_tenant,
          -- Deliveries above the limit wait at the dispatcher and are not counted.
          coalesce(sum(least(u.deliveries, 10)) filter (where u.deliveries > 0), 0)::bigint as places,
          coalesce(sum(u.bytes), 0)::bigint as bytes_of_tenant,
          -- A dispatcher that shares the webhook does not know what the other one sends.
          case
            when bool_or(u.shared) filter (where u.webhook_id = w.id) then 0
            else coalesce((deliveries_in_turn.ahead ->> w.id::text)::integer, 0)
          end as ahead
        from public.webhooks w
        left join under_way u on u.tenant_id = w.tenant_id
        where w.id = any (held)
        group by w.tenant_id, w.id
      ) t
      cross join lateral (
        -- Numbered after the limit: a window over due_at would read all rows with the same time.
        select q.row, q.delivery_id, row_number() over () as place
        from (
          select q.ctid as row, q.delivery_id
          from private.webhook_queue q
          where q.webhook_id = t.webhook_id and q.due_at <= moment
          order by q.due_at
          -- With many webhooks, each gets at most twice its share, because more rows would be read for nothing.
          limit greatest(0, least(shares.of_webhook + t.ahead - t.in_flight, 1 + 2 * batch / cardinality(held)))
        ) q
      ) as due
    ) as turned
  ) as given
  where given.number <= batch
    -- A share of the capacity that is left at this position, of the dispatcher and of the tenant.
    and given.place - given.ahead <= greatest(1, (batch - given.number + 1) / 5)
    and (
      given.place > 10
      or given.places + given.nth <= shares.of_tenant
      and given.place <= greatest(1, (shares.of_tenant - given.places - given.nth + 1) / 4)
    );
end
$$;
comment on function private.deliveries_in_turn is
  'The deliveries that a dispatcher may take now from the webhooks that it has locked: their address in the queue, their number in turn, and the bytes that their tenant has in flight.';

create function private.ahead_of(done jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_object_agg(a.webhook_id, 2 * a.deliveries), '{}')
  from (
    select made.webhook_id, count(*) as deliveries
    from jsonb_to_recordset(done) as made (webhook_id uuid, response_code integer, duration_ms integer)
    where made.response_code is not null and made.duration_ms < 50
    group by made.webhook_id
  ) as a
$$;
comment on function private.ahead_of is
  'How many deliveries above its limit each fast webhook may have, which wait at the dispatcher: twice the number that it has answered within 50 ms since the last report.';

create function private.end_switched_off(most integer) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  left_over integer := most;
  webhook uuid;
begin
  for webhook in
    select f.webhook_id
    from private.waiting_webhooks() f
    where not exists (select 1 from public.webhooks w where w.id = f.webhook_id and w.active)
  loop
    left_over := left_over - private.give_up_deliveries(webhook, left_over);
    exit when left_over <= 0;
  end loop;
end
$$;
comment on function private.end_switched_off is
  'Ends up to most deliveries that still wait for webhooks that are off or deleted: those of an event that was written while the webhook was switched off, and those beyond the first 100.';

create function private.sweep_webhook_deliveries() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.fan_out_skipped();
  perform private.end_leases();
  perform private.end_switched_off(1000);
  -- A webhook at its limit needs no wake: the dispatcher that sends its deliveries takes the next ones.
  if exists (select 1 from private.webhooks_in_turn(private.shares_of(200))) then
    perform private.wake_webhook_dispatch();
  end if;
end
$$;
comment on function private.sweep_webhook_deliveries() is
  'Wakes the dispatcher when there is a delivery to send: a retry, one whose webhook was locked, or one of a crashed dispatcher.';

-- functions: recording attempts ----------------------------------------------------------------

create function private.lock_webhooks_of(done jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- Webhooks are locked before their deliveries and in one order, so that reports do not deadlock.
  perform 1
  from public.webhooks w
  join (
    select made.webhook_id as id, bool_or(made.error is not null) as failed
    from jsonb_to_recordset(lock_webhooks_of.done) as made (webhook_id uuid, error text)
    group by made.webhook_id
  ) as made on made.id = w.id
  where made.failed or w.failing_since is not null
  order by w.id
  for no key update of w;
end
$$;
comment on function private.lock_webhooks_of is
  'Locks the webhooks whose state these attempts may change: those with a failed attempt and those that are failing.';

create function private.end_own_leases(done jsonb) returns setof private.attempt
language plpgsql security definer rows 100 set search_path = ''
as $$
begin
  return query
  -- An attempt whose lease has ended, or that was reported before, is ignored.
  with held as materialized (
    select made.*, lease.place
    from jsonb_populate_recordset(null::private.attempt, end_own_leases.done) as made
    cross join lateral (
      select l.ctid as place
      from private.webhook_leases l
      where l.webhook_id = made.webhook_id and l.delivery_id = made.id and l.leased_until = made.leased_until
      limit 1
      for update
    ) as lease
  ),
  freed as (
    delete from private.webhook_leases l
    where l.ctid = any (array(select h.place from held h where h.started_at is not null))
  ),
  given_back as (
    update private.webhook_leases l
    set leased_until = '-infinity'
    where l.ctid = any (array(select h.place from held h where h.started_at is null))
  )
  select
    h.id, h.webhook_id, h.leased_until, h.url, h.started_at, h.duration_ms, h.response_code, h.response_body,
    h.retry_after_seconds, h.error
  from held h
  where h.started_at is not null;
end
$$;
comment on function private.end_own_leases is
  'Ends the leases of reported deliveries and returns the attempts whose lease was still valid. A delivery that was not tried waits again.';

create function private.note_attempts(webhook_id uuid, reached boolean, gone boolean, failures bigint) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  if note_attempts.gone then
    perform private.switch_webhook_off(note_attempts.webhook_id, 'gone');
  elsif note_attempts.reached then
    update public.webhooks w
    set failing_since = null
    where w.id = note_attempts.webhook_id and w.failing_since is not null;
    delete from private.webhook_failures f where f.webhook_id = note_attempts.webhook_id;
  else
    perform private.note_failures(note_attempts.webhook_id, note_attempts.failures);
  end if;
end
$$;
comment on function private.note_attempts is
  'Updates the state of a webhook after attempts: switched off when its receiver is gone, working when one was delivered, else failing.';

create function private.record_attempts(done jsonb) returns void
-- A plan from when the tables were empty, which a session keeps, would scan webhook_deliveries and webhooks.
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  webhook record;
begin
  perform private.lock_webhooks_of(record_attempts.done);

  for webhook in
    with made as materialized (
      select a.*, missed.gone, missed.next_attempt_at
      from private.end_own_leases(record_attempts.done) a
      left join lateral (
        select
          missed.gone,
          case
            when not missed.gone and missed.active
              then private.next_attempt_at(missed.attempt + 1, a.response_code, a.retry_after_seconds)
          end as next_attempt_at
        from (
          select
            -- A 410 of an address that the webhook no longer has does not count.
            coalesce(a.response_code = 410 and a.url = w.url, false) as gone,
            w.active,
            d.attempts - d.attempts_before + 1 as attempt
          from public.webhook_deliveries d
          join public.webhooks w on w.id = d.webhook_id
          where d.id = a.id and a.error is not null
          -- Read for failed attempts only.
          offset 0
        ) as missed
      ) as missed on true
    ),
    recorded as (
      update public.webhook_deliveries d
      set attempts = d.attempts + 1,
          status = case
            when m.error is null then 'success'
            when m.next_attempt_at is null then 'failed'
            else 'retrying'
          end::public.delivery_status,
          next_attempt_at = m.next_attempt_at,
          attempted_at = m.started_at,
          duration_ms = m.duration_ms,
          response_code = m.response_code,
          response_body = left(m.response_body, 1024),
          error = m.error,
          updated_at = now()
      from made m
      where d.id = m.id
      returning d.webhook_id, d.error, m.gone
    )
    select r.webhook_id as id, r.reached, r.gone, r.failures
    from (
      select
        r.webhook_id,
        bool_or(r.error is null) as reached,
        bool_or(r.gone) as gone,
        count(r.error) as failures
      from recorded r
      group by r.webhook_id
    ) as r
    join public.webhooks w on w.id = r.webhook_id
    where r.failures > 0 or w.failing_since is not null
    order by r.webhook_id
  loop
    perform private.note_attempts(webhook.id, webhook.reached, webhook.gone, webhook.failures);
  end loop;
end
$$;
comment on function private.record_attempts is
  'Records attempts whose lease was still valid, sets the time of the next ones, and updates the state of their webhooks.';

-- functions: for the dispatcher ----------------------------------------------------------------

create function private.hold_webhooks(shares private.shares, ahead jsonb, batch integer) returns uuid[]
language plpgsql security definer set search_path = ''
as $$
begin
  return array(
    select t.webhook_id
    from (
      select t.webhook_id
      from private.webhooks_in_turn(hold_webhooks.shares, hold_webhooks.ahead) t
      order by t.turn, random()
      offset 0
    ) t
    where exists (select 1 from public.webhooks w where w.id = t.webhook_id and w.active)
      and private.try_hold('webhook', t.webhook_id::text)
    limit hold_webhooks.batch
  );
end
$$;
comment on function private.hold_webhooks is
  'Locks up to batch active webhooks that have deliveries due, in turn, and returns their ids. Skips webhooks that another dispatcher has locked.';

create function private.deliveries_that_fit(
  held uuid[], dispatcher uuid, batch integer, shares private.shares, ahead jsonb, moment timestamptz
)
returns table (
  place_in_queue tid, id uuid, tenant_id uuid, webhook_id uuid, event text, event_id uuid, event_at timestamptz,
  bytes integer
)
language plpgsql stable security definer rows 100 set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with chosen as materialized (
    select c.place_in_queue, c.number, c.bytes_of_tenant, d.*, coalesce(e.bytes, 0) as bytes
    from private.deliveries_in_turn(held, deliveries_that_fit.dispatcher, batch, shares, ahead, moment) c
    -- One index lookup for each delivery. There is no row for a delivery that has ended or was deleted since.
    left join lateral (
      select d.id, d.tenant_id, d.webhook_id, d.event, d.event_id, d.event_at
      from public.webhook_deliveries d
      where d.id = c.delivery_id and d.next_attempt_at is not null
      limit 1
    ) d on true
    left join lateral (
      select e.bytes
      from public.events e
      where e.tenant_id = d.tenant_id and e.created_at = d.event_at and e.id = d.event_id
      limit 1
    ) e on true
  )
  -- Chosen by size before any body is read. The first delivery fits whatever its size.
  select f.place_in_queue, f.id, f.tenant_id, f.webhook_id, f.event, f.event_id, f.event_at, f.bytes
  from (
    select f.*, sum(f.bytes) over (order by f.number) as total
    from (
      select c.*, c.bytes_of_tenant + sum(c.bytes) over (partition by c.tenant_id order by c.number) as of_tenant
      from chosen c
    ) f
    where f.of_tenant <= shares.bytes_of_tenant or f.of_tenant = f.bytes
  ) f
  where f.total <= shares.bytes or f.total = f.bytes;
end
$$;
comment on function private.deliveries_that_fit is
  'The deliveries that a dispatcher takes from the webhooks that it has locked: in turn, within its own limit of bytes and that of each tenant. id is null if the delivery has ended or was deleted since it was queued.';

create function private.take_webhook_deliveries(
  dispatcher uuid, done jsonb, batch integer, room bigint default null, with_bodies boolean default true
)
returns table (
  id uuid, webhook_id uuid, url text, event text, body text, bytes integer, secrets text[], headers jsonb,
  leased_until timestamptz
)
-- These settings are also those of what it calls. A plan from when the tables were empty, which a session keeps, would
-- scan webhook_queue.
-- Planned once: 0.40 ms without, 0.29 with, for a batch of 5 and what it calls.
language plpgsql security definer
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  shares private.shares := private.shares_of(batch, room);
  ahead jsonb := private.ahead_of(take_webhook_deliveries.done);
  held uuid[];
  moment timestamptz;
begin
  perform private.record_attempts(take_webhook_deliveries.done);
  if take_webhook_deliveries.batch < 1 then
    perform private.sweep_webhook_deliveries();
    return;
  end if;
  perform private.end_leases();
  if shares.bytes < 1 then
    return;
  end if;
  held := private.hold_webhooks(shares, ahead, batch);
  if held = '{}' then
    return;
  end if;

  moment := clock_timestamp();
  return query
  with fitting as materialized (
    select f.*
    from private.deliveries_that_fit(held, take_webhook_deliveries.dispatcher, batch, shares, ahead, moment) f
  ),
  taken as (
    -- Deleted by row address, which is valid within this statement and reads nothing else, however old the statistics.
    delete from private.webhook_queue q
    where q.ctid = any (array(select f.place_in_queue from fitting f))
    returning q.delivery_id
  ),
  leased as (
    insert into private.webhook_leases (tenant_id, webhook_id, delivery_id, dispatcher, leased_until, bytes)
    select
      f.tenant_id, f.webhook_id, f.id, take_webhook_deliveries.dispatcher, moment + interval '1 minute', f.bytes
    from fitting f
    -- A hashed lookup. Without `is true` Postgres might plan a join that compares each row with each.
    where (f.id in (select t.delivery_id from taken t)) is true
    -- A delivery that was sent again by hand while it is in flight has a lease already.
    on conflict do nothing
    returning delivery_id
  ),
  receivers as materialized (
    select w.id, w.url, s.secrets, s.headers
    from public.webhooks w
    cross join lateral private.webhook_signing(w.id) s
    where w.id = any (held)
  )
  select
    f.id, f.webhook_id, r.url, f.event,
    case
      when take_webhook_deliveries.with_bodies
        then (
          select e.payload::text
          from public.events e
          where e.tenant_id = f.tenant_id and e.created_at = f.event_at and e.id = f.event_id
        )
    end,
    f.bytes, r.secrets, r.headers, moment + interval '1 minute'
  from fitting f
  join receivers r on r.id = f.webhook_id
  where (f.id in (select l.delivery_id from leased l)) is true;
end
$$;
comment on function private.take_webhook_deliveries is 'As public.take_webhook_deliveries.';

create function public.take_webhook_deliveries(
  dispatcher uuid, done jsonb, batch integer, room bigint default null, with_bodies boolean default true
)
returns table (
  id uuid, webhook_id uuid, url text, event text, body text, bytes integer, secrets text[], headers jsonb,
  leased_until timestamptz
)
language plpgsql set search_path = ''
as $$
begin
  return query
    select
      t.id, t.webhook_id, t.url, t.event, t.body, t.bytes, t.secrets, t.headers, t.leased_until
    from private.take_webhook_deliveries(
      take_webhook_deliveries.dispatcher, take_webhook_deliveries.done, take_webhook_deliveries.batch,
      take_webhook_deliveries.room, take_webhook_deliveries.with_bodies
    ) t;
end
$$;
comment on function public.take_webhook_deliveries is
  'For the dispatcher: records attempts and takes up to batch deliveries that are due, under a lease of one minute, with what is needed to send them. done: a list of {id, webhook_id, leased_until and url as they were taken, started_at, duration_ms, response_code, response_body, retry_after_seconds, error}; one without started_at is returned untried. The bodies together have at most room bytes, and at most the cap dispatch_bytes, but one delivery is always taken. Without with_bodies no bodies are returned; webhook_body reads them. A delivery that is neither reported nor returned within its lease has failed. With batch 0 no delivery is taken, and another dispatcher is woken if any are left.';

create function public.webhook_body(delivery_id uuid) returns text
language sql stable set search_path = ''
as $$
  select e.payload::text
  from public.webhook_deliveries d
  join public.events e on e.tenant_id = d.tenant_id and e.created_at = d.event_at and e.id = d.event_id
  where d.id = webhook_body.delivery_id
$$;
comment on function public.webhook_body is 'For the dispatcher: the body of a delivery that it took without one; null when its event is deleted.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.take_webhook_deliveries, public.take_webhook_deliveries, public.webhook_body to service_role;

-- supabase/schemas/webhooks/0715_delivery_records.sql

-- A delivery with its body and all attempts.

-- functions ------------------------------------------------------------------------------------

create function public.get_delivery(webhook_id uuid, delivery_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  shown jsonb;
begin
  select to_jsonb(d) || jsonb_build_object(
    'request', (
      select e.payload
      from public.events e
      where e.tenant_id = d.tenant_id and e.created_at = d.event_at and e.id = d.event_id
    ),
    'history', (
      select coalesce(jsonb_agg(to_jsonb(a) order by a.attempt), '[]')
      from public.webhook_attempts a
      where a.tenant_id = d.tenant_id and a.delivery_id = d.id
    )
  )
  into shown
  from public.webhook_deliveries d
  where d.webhook_id = get_delivery.webhook_id and d.id = get_delivery.delivery_id;
  if shown is null then
    perform private.refuse('NOT_FOUND', 'There is no such delivery.');
  end if;
  return shown;
end
$$;
comment on function public.get_delivery is
  'For admins and clients: a delivery of a webhook with its request (the body; null when the event was deleted) and its history (every attempt, the first one first). Refuses with NOT_FOUND.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function public.get_delivery to authenticated;

-- supabase/schemas/events/0718_event_retention.sql

-- Deletes events after their retention period, with their deliveries.

-- functions ------------------------------------------------------------------------------------

create function private.forget_events() returns void
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  before timestamptz := date_trunc('day', now() - (select r.keep from private.event_retention r), 'utc');
  partitions text[] := array(
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.events'::regclass
      and c.relname ~ '^events_[0-9]{8}$'
      and c.relname < private.event_partition((before at time zone 'utc')::date)
  );
  partition text;
begin
  if partitions = '{}' and not exists (select from private.events_default e where e.created_at < before) then
    return;
  end if;
  perform private.forget_deliveries(before);
  delete from private.events_default e where e.created_at < before;
  -- Last, because other transactions wait from here on.
  foreach partition in array partitions loop
    execute format('drop table private.%I', partition);
  end loop;
end
$$;
comment on function private.forget_events() is
  'Deletes events that are older than the retention period, after their deliveries. Whole days are deleted by dropping their partition.';

-- supabase/schemas/orders/0720_order_channels.sql

-- Order channels: on the private channel order:{id}, everybody who sees an order receives its changes when they are
-- committed, and sees who else is connected. Only the database sends messages on it.

-- functions ------------------------------------------------------------------------------------

create function private.order_of_channel(topic text) returns uuid
language plpgsql immutable set search_path = ''
as $$
begin
  -- Only in the form in which the database sends: a channel with another spelling could be joined but would stay
  -- silent.
  if topic ~ '^order:[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then
    return substr(topic, 7)::uuid;
  end if;
  return null;
end
$$;
comment on function private.order_of_channel is 'The order that a channel is about; null for any other channel.';

create function private.shares_order(order_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(private.tenant_role() = 'supplier', false) and exists (
    select 1
    from public.order_parts p
    where p.order_id = shares_order.order_id and p.supplier_id <> private.supplier_id()
  );
end
$$;
comment on function private.shares_order is
  'Whether the caller is one of several suppliers of an order, who must not learn about each other.';

create function private.broadcast_about_pieces(order_id uuid, event text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- Every supplier of the order receives the message, so it must not say whose pieces moved.
  perform realtime.send(jsonb_build_object('id', order_id), event, 'order:' || order_id, true);
exception
  when others then
    raise warning 'event % of order % could not be broadcast: %', event, order_id, sqlerrm;
end
$$;
comment on function private.broadcast_about_pieces is
  'Broadcasts an event on an order''s channel when the transaction commits. Never fails.';

create function private.broadcast_pieces() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.broadcast_about_pieces(change.order_id, change.event)
    from (
      select distinct
        m.order_id,
        case tg_table_name
          when 'order_cancellations' then 'order.items_cancelled'
          when 'return_requests' then 'return.' || (to_jsonb(m) ->> 'status')
          else 'shipment.created'
        end as event
      from moved m
    ) as change;
  else
    perform private.broadcast_about_pieces(change.order_id, change.event)
    from (
      select distinct
        m.order_id, case tg_table_name when 'return_requests' then 'return.' else 'shipment.' end || m.status as event
      from moved m
      join before b on b.id = m.id and b.status <> m.status
    ) as change;
  end if;
  return null;
end
$$;
comment on function private.broadcast_pieces() is
  'Statement trigger: broadcasts on an order''s channel that its shipments, return requests or cancellations were created or moved, one message for all of them.';

create function private.broadcast_order_moves() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  channel text := 'order:' || new.id;
  -- Only fields that every listener may see, suppliers as well as the customer.
  payload jsonb := jsonb_build_object(
    'id', new.id, 'number', new.number, 'status', new.status, 'old_status', old.status,
    'payment_status', new.payment_status, 'old_payment_status', old.payment_status,
    'updated_at', new.updated_at
  );
begin
  if new.status <> old.status then
    perform realtime.send(payload, 'order.status_changed', channel, true);
  end if;
  if new.payment_status <> old.payment_status then
    perform realtime.send(payload, 'order.payment_status_changed', channel, true);
  end if;
  return null;
exception
  when others then
    -- realtime.send raises a warning if a message cannot be stored. If it is missing or forbidden, orders still move.
    raise warning 'nobody is told that order % moved: %', new.id, sqlerrm;
    return null;
end
$$;
comment on function private.broadcast_order_moves() is
  'Row trigger: broadcasts on an order''s channel that its status or payment status changed, when the transaction commits. Never fails.';

-- triggers -------------------------------------------------------------------------------------

create trigger orders_broadcast_moves
  after update of status, payment_status on public.orders
  for each row when (old.status <> new.status or old.payment_status <> new.payment_status)
  execute function private.broadcast_order_moves();

create trigger shipments_broadcast_created
  after insert on public.shipments
  referencing new table as moved
  for each statement execute function private.broadcast_pieces();

create trigger shipments_broadcast_moves
  after update on public.shipments
  referencing old table as before new table as moved
  for each statement execute function private.broadcast_pieces();

create trigger return_requests_broadcast_requested
  after insert on public.return_requests
  referencing new table as moved
  for each statement execute function private.broadcast_pieces();

create trigger return_requests_broadcast_moves
  after update on public.return_requests
  referencing old table as before new table as moved
  for each statement execute function private.broadcast_pieces();

create trigger order_cancellations_broadcast
  after insert on public.order_cancellations
  referencing new table as moved
  for each statement execute function private.broadcast_pieces();

-- policies -------------------------------------------------------------------------------------

-- Realtime checks these policies when a channel is joined and when its token is renewed. The order is looked up once
-- per statement, and not at all for other channels. On hosted Supabase this table belongs to Supabase: policies on it
-- are allowed, comments are not.

create policy "Members who see an order receive its messages and presence" on realtime.messages
  for select to authenticated
  using (
    topic = (select realtime.topic())
    and (
      extension <> 'presence'
      or not (select private.shares_order(private.order_of_channel(realtime.topic())))
    )
    and (
      select true from public.orders o
      where o.id = (select private.order_of_channel(realtime.topic()))
    )
  );

create policy "Members who see an order may show their presence" on realtime.messages
  for insert to authenticated
  with check (
    extension = 'presence'
    and topic = (select realtime.topic())
    and (
      select true from public.orders o
      where o.id = (select private.order_of_channel(realtime.topic()))
    )
  );

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.order_of_channel, private.shares_order to authenticated;

-- supabase/schemas/media/0730_media_sweep.sql

-- Deletion of media: bytes that nothing points at, and uploads that were never completed. The function `media-sweep`
-- deletes them through Storage's API, because Storage's tables must not be changed directly.

-- functions ------------------------------------------------------------------------------------

create function private.wake_media_sweep() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from added a where a.due_at <= now()) then
    perform private.wake('media-sweep');
  end if;
  return null;
end
$$;
comment on function private.wake_media_sweep() is 'Statement trigger: wakes the worker for paths that are due.';

create function private.names_below(bucket text, path text) returns text[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(
    select o.name
    from storage.objects o
    where o.bucket_id = names_below.bucket
      and o.name collate "C" >= names_below.path and o.name collate "C" < names_below.path || '~'
      and (o.name = names_below.path or names_below.path like '%.')
      -- A last check: bytes that an asset or an upload points at stay.
      and not exists (select from public.media_assets a where a.bucket = o.bucket_id and a.path = o.name)
      and not exists (select from private.media_uploads u where o.bucket_id = 'uploads' and u.path = o.name)
    limit 10
  );
end
$$;
comment on function private.names_below is 'The names in Storage of a path in media_sweeps, at most 10.';

create function public.take_media_sweeps(done jsonb, batch integer)
returns table (id bigint, tenant_id uuid, leased_until timestamptz, bucket text, names text[])
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  delete from private.media_sweeps s
  using jsonb_to_recordset(done) as d (id bigint, tenant_id uuid, leased_until timestamptz)
  where s.tenant_id = d.tenant_id and s.id = d.id and s.leased_until = d.leased_until
    -- A path may stand for more names than one batch deletes.
    and private.names_below(s.bucket, s.path) = '{}';
  return query
  with due as (
    select s.tenant_id, s.id
    from private.media_sweeps s
    where s.due_at <= clock_timestamp() and (s.leased_until < clock_timestamp()) is not false
    order by s.due_at
    limit batch
    for update skip locked
  )
  update private.media_sweeps s
  set leased_until = clock_timestamp() + interval '2 minutes'
  from due
  where s.tenant_id = due.tenant_id and s.id = due.id
  returning s.id, s.tenant_id, s.leased_until, s.bucket, private.names_below(s.bucket, s.path);
end
$$;
comment on function public.take_media_sweeps is
  'For the function media-sweep: removes the reported paths that are empty now, and leases due paths for two minutes. Returns for each the names to delete, which may be none.';

create function private.sweep_media() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.media_assets a
  using private.media_uploads u
  where u.created_at < now() - interval '1 day' and a.tenant_id = u.tenant_id and a.id = u.asset_id
    and a.status = 'uploading';
  delete from private.media_uploads u where u.created_at < now() - interval '1 day';

  -- Objects that were uploaded and never registered.
  insert into private.media_sweeps (tenant_id, bucket, path)
  select case when o.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' then left(o.name, 36)::uuid else gen_random_uuid() end,
    'uploads', o.name
  from storage.objects o
  where o.bucket_id = 'uploads' and o.created_at < now() - interval '26 hours'
    and not exists (select from private.media_uploads u where u.path = o.name)
  limit 1000
  on conflict on constraint path_is_unique_in_media_sweeps do nothing;

  if exists (
    select from private.media_sweeps s where s.due_at <= now() and (s.leased_until < now()) is not false
  ) then
    perform private.wake('media-sweep');
  end if;
end
$$;
comment on function private.sweep_media() is
  'Deletes uploads that were announced a day ago and not completed, and wakes the worker while paths are due.';

-- triggers -------------------------------------------------------------------------------------

create trigger media_sweeps_wake_the_worker
  after insert on private.media_sweeps
  referencing new table as added
  for each statement execute function private.wake_media_sweep();

-- grants ---------------------------------------------------------------------------------------

grant delete on private.media_sweeps to service_role;
grant execute on function private.names_below to service_role;
grant execute on function public.take_media_sweeps to service_role;

-- supabase/schemas/media/0732_media_cleaning.sql

-- Public images that were completed with their metadata, such as where a photo was taken: before Souk removed them, or while
-- settings.media.keep_metadata was true. The function `media-sweep` puts the same image without metadata in their place.
-- Addresses stay: settings, texts and other programs name them. After a crash, the image is read again, and is clean.

-- tables ---------------------------------------------------------------------------------------

create table private.media_cleanings (
  asset_id uuid not null,
  tenant_id uuid not null,
  due_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  -- In this order for lookups by asset alone.
  constraint media_cleanings_pkey primary key (asset_id, tenant_id),
  constraint media_cleanings_asset_id_fkey foreign key (tenant_id, asset_id)
    references public.media_assets (tenant_id, id) on delete cascade
);
comment on table private.media_cleanings is
  'The public images whose metadata is to be removed. due_at: when the next attempt is made.';

create index media_cleanings_due_at_idx on private.media_cleanings (due_at);

-- functions ------------------------------------------------------------------------------------

create function private.queue_media_cleanings() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.keeps_metadata(old.settings) and not private.keeps_metadata(new.settings) then
    insert into private.media_cleanings (asset_id, tenant_id)
    select a.id, a.tenant_id
    from public.media_assets a
    where a.tenant_id = new.id and private.has_metadata(a.type, a.status, a.private, a.cleaned)
    on conflict on constraint media_cleanings_pkey do nothing;
  end if;
  return null;
end
$$;
comment on function private.queue_media_cleanings() is
  'Row trigger: when a tenant no longer keeps metadata, its public images are to be cleaned.';

create function public.take_media_cleanings(batch integer)
returns table (asset_id uuid, content_type text, path text)
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with due as (
    select c.asset_id
    from private.media_cleanings c
    where c.due_at <= clock_timestamp()
    order by c.due_at
    limit batch
    for update skip locked
  ),
  image as materialized (
    select
      a.id, a.content_type, a.path,
      private.has_metadata(a.type, a.status, a.private, a.cleaned) and not private.keeps_metadata(t.settings) as is_wanted
    from due d
    join public.media_assets a on a.id = d.asset_id
    join public.tenants t on t.id = a.tenant_id
  ),
  dropped as (
    delete from private.media_cleanings c using image i where c.asset_id = i.id and not i.is_wanted
  ),
  leased as (
    -- After each attempt that failed, the next one is twice as far away.
    update private.media_cleanings c
    set due_at = clock_timestamp() + interval '5 minutes' * 2 ^ least(c.attempts, 8), attempts = c.attempts + 1
    from image i
    where c.asset_id = i.id and i.is_wanted
    returning c.asset_id
  )
  select i.id, i.content_type, i.path
  from image i
  join leased l on l.asset_id = i.id;
end
$$;
comment on function public.take_media_cleanings is
  'For the function media-sweep: leases images whose metadata is to be removed, for five minutes, and drops those that are to keep it. Returns their paths in the bucket media.';

create function public.finish_media_cleaning(
  asset_id uuid, path text, size bigint, resizable boolean, width integer default null, height integer default null
) returns boolean
language plpgsql set search_path = ''
as $$
declare
  is_same boolean;
begin
  -- The asset before the row that refers to it, as when it is deleted: the other order could deadlock.
  update public.media_assets a
  set size = finish_media_cleaning.size, cleaned = true,
      -- A WebP loses its rotation. What Storage cannot decode stays as it is.
      resizable = finish_media_cleaning.resizable and (a.resizable or a.content_type = 'image/webp'),
      width = coalesce(finish_media_cleaning.width, a.width), height = coalesce(finish_media_cleaning.height, a.height)
  where a.id = finish_media_cleaning.asset_id and a.bucket = 'media' and a.path = finish_media_cleaning.path;
  is_same := found;
  delete from private.media_cleanings c where c.asset_id = finish_media_cleaning.asset_id;
  return is_same;
end
$$;
comment on function public.finish_media_cleaning is
  'For the function media-sweep: records that the bytes of an image have no metadata any more. Returns false if it has another file since.';

create function private.clean_media() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from private.media_cleanings c where c.due_at <= clock_timestamp()) then
    perform private.wake('media-sweep');
  end if;
end
$$;
comment on function private.clean_media() is 'Wakes the worker while public images have metadata that is to be removed.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_queue_media_cleanings
  after update of settings on public.tenants
  for each row when (new.settings is distinct from old.settings)
  execute function private.queue_media_cleanings();

-- policies and grants --------------------------------------------------------------------------

alter table private.media_cleanings enable row level security;
grant select, insert, update, delete on private.media_cleanings to service_role;
grant execute on function private.keeps_metadata to service_role;
grant execute on function public.take_media_cleanings, public.finish_media_cleaning to service_role;

-- supabase/schemas/search/0790_text_search.sql

-- The dictionaries and configurations of text search: how each language folds its words. The difference between two
-- databases does not show them, so a change of this file is also a statement in supabase/by_hand.

-- Names are found by each of their words, including stop words, because "The Who" has no others. So each language has
-- two configurations: the one of Postgres, and one here with a stemmer that keeps stop words.
do $$
declare
  language text;
begin
  for language in
    select c.cfgname
    from pg_catalog.pg_ts_config c
    where c.cfgnamespace = 'pg_catalog'::regnamespace
  loop
    execute format('create text search configuration private.%I (copy = pg_catalog.%I)', language, language);
  end loop;
  for language in
    select distinct d.dictname
    from pg_catalog.pg_ts_config_map m
    join pg_catalog.pg_ts_config c on c.oid = m.mapcfg
    join pg_catalog.pg_ts_dict d on d.oid = m.mapdict
    where c.cfgnamespace = 'private'::regnamespace and d.dictname like '%\_stem'
  loop
    execute format(
      'create text search dictionary private.%I (template = pg_catalog.snowball, language = %I)',
      language, regexp_replace(language, '_stem$', '')
    );
  end loop;
  for language in
    select distinct format(
      'alter text search configuration private.%I alter mapping replace pg_catalog.%I with private.%I',
      c.cfgname, d.dictname, d.dictname
    )
    from pg_catalog.pg_ts_config_map m
    join pg_catalog.pg_ts_config c on c.oid = m.mapcfg
    join pg_catalog.pg_ts_dict d on d.oid = m.mapdict
    where c.cfgnamespace = 'private'::regnamespace and d.dictname like '%\_stem'
  loop
    execute language;
  end loop;
end
$$;

-- supabase/schemas/search/0800_search.sql

-- Full-text search: the words by which each product is found, updated with every change of it. Texts of products and
-- search texts are folded in the same way: lower case, no accents, only letters and digits. Words with several
-- spellings ("Wi-Fi", "16 GB", "C++") are indexed as they are and as one word.

create extension if not exists pg_trgm with schema extensions;

-- tables ---------------------------------------------------------------------------------------

create table private.product_texts (
  product_id uuid not null,
  tenant_id uuid not null,
  document tsvector not null,
  -- In this order for lookups by product alone.
  constraint product_texts_pkey primary key (product_id, tenant_id),
  constraint product_texts_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade
);
comment on table private.product_texts is
  'The text index of each product: its name (A), its brand, searchable attributes, variants and numbers (B), its category and all above it (C) and its description (D). Every lexeme begins with a key of the tenant, so that an index scan reads the rows of one tenant.';

-- No foreign key: its checks would triple the time of renaming a large category.
create table private.outdated_texts (
  product_id uuid not null,
  tenant_id uuid not null,
  -- In this order, because the job goes through all products.
  constraint outdated_texts_pkey primary key (product_id, tenant_id)
);
comment on table private.outdated_texts is
  'Products whose texts a job writes, because too many changed at once. A product may have been deleted since.';

create table private.search_words (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  word text not null,
  described boolean not null default false,
  unused_since timestamptz
);
comment on table private.search_words is
  'The words of a tenant''s products, folded but not stemmed, for searches by parts of words and for corrections of misspelt ones. described: only descriptions have it, so it is not offered as a correction. A word may be there twice, because two transactions that add it do not wait for each other.';
-- The whole row identifies it for replication, because it has no key.
alter table private.search_words replica identity full;

-- functions: parts of words --------------------------------------------------------------------

create function private.grams(tenant_id uuid, word text) returns bigint[]
language plpgsql immutable parallel safe cost 1000 set search_path = ''
as $$
declare
  seed bigint := hashtextextended(tenant_id::text, 0);
begin
  return array(
    select hashtextextended(substr(word, i, 3), seed) from generate_series(1, char_length(word) - 2) as i
  );
end
$$;
comment on function private.grams is
  'All sequences of three letters in a word, hashed with its tenant. An index on them finds parts of words within one tenant.';

-- indexes --------------------------------------------------------------------------------------

-- Without fastupdate, because every search would read the whole pending list.
create index product_texts_document_idx on private.product_texts using gin (document) with (fastupdate = off);
-- The word is the first column, so that no plan reads all words of a tenant by this index instead of the gram index.
create index search_words_word_idx on private.search_words (word, tenant_id);
create index search_words_grams_idx on private.search_words
  using gin (private.grams(tenant_id, ' ' || word || ' ')) with (fastupdate = off);

-- Functions that read and write these tables keep their plans and use indexes only. Sequential scans are cheap while a
-- table is empty, and slow after some minutes of an import.

-- functions: words -----------------------------------------------------------------------------

create function private.fold(input text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  -- Replaces signs in ASCII. The parser of Postgres separates other signs itself, but in ASCII it would also recognise
  -- e-mail addresses and URLs.
  return regexp_replace(private.plain(input), '[\x01-/:-@[-`{-\x7f]+', ' ', 'g');
end
$$;
comment on function private.fold is
  'A text in the form that search compares: lower case, no accents, and a space for everything in ASCII that is not a letter or digit.';

-- functions: words with several spellings -----------------------------------------------------

-- In these patterns [^\x01-/:-@[-`{-\x7f] is a letter or a digit, and [^\x01-@[-`{-\x7f] a letter.

create function private.with_units(plain text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  -- Units of measure after a number, with or without a space between.
  units constant text := '(?:[cdmkn]?m[23]?|um|[mk]?g|[cdm]?l|[kmgtp]b|[kmg]?hz|[mk]?wh?|[mk]?v|m?ah|mp|px|dpi|psi|bar|lm|lbs?|oz|ft|inch|zoll|fps|rpm|db|qt|gal|stk|pcs'
    || U&'|\043C\043B|\043A\0433|\0441\043C|\043C\043C|\043A\043C|\0433\0431|\043C\0431|\0442\0431|\0432\0442|\043A\0432\0442|\0448\0442)';
begin
  if plain ~ '[0-9]' then
    plain := regexp_replace(plain, '\m([0-9]+)[.,]([0-9]+)([ -]?' || units || '\M)', '\1p\2\3', 'g');
    plain := regexp_replace(plain, '\m([0-9]+(?:p[0-9]+)?)[ -](' || units || '\M)', '\1\2', 'g');
  end if;
  return plain;
end
$$;
comment on function private.with_units is
  'A plain text in which a number and its unit are one word: 16gb for "16 GB", 1p5l for "1,5 l" and "1.5l".';

create function private.with_signs(plain text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  -- A word of one or two letters with a sign, not followed by a letter, a digit or another sign.
  word constant text := '(?<![^\x01-/:-@[-`{-\x7f])([^\x01-@[-`{-\x7f]{1,2})';
  its_end constant text := '(?![^\x01-"$-*,-/:-@[-`{-\x7f])';
begin
  if plain ~ '[+#]' then
    plain := regexp_replace(plain, word || '\+\+' || its_end, '\1plusplus', 'g');
    plain := regexp_replace(plain, word || '\+' || its_end, '\1plus', 'g');
    plain := regexp_replace(plain, word || '#' || its_end, '\1sharp', 'g');
  end if;
  return plain;
end
$$;
comment on function private.with_signs is
  'A plain text in which a sign after one or two letters is a part of the word: cplusplus for "C++", csharp for "C#".';

create function private.without_hyphens(plain text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- Not between two digits, because "5-10" does not mean 510.
  return regexp_replace(
    regexp_replace(
      plain, '([^\x01-@[-`{-\x7f])[-''&._]{1,2}(?=[^\x01-/:-@[-`{-\x7f])', '\1', 'g'
    ),
    '([0-9])[-''&._]{1,2}(?=[^\x01-@[-`{-\x7f])', '\1', 'g'
  );
end
$$;
comment on function private.without_hyphens is
  'A plain text in which words joined by hyphens or similar signs are one word: wifi for "Wi-Fi", esp32c6 for "ESP32-C6".';

create function private.pieces(folded text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if folded !~ '[^ ]{51}' then
    return folded;
  end if;
  return (
    select string_agg(
      case
        when char_length(w.word) <= 50 then w.word
        else (
          -- Does not use substr, which would count the letters before each piece again.
          select string_agg(half.letters || half.next, ' ' order by half.position)
          from (
            select h.found[1] as letters, lead(h.found[1]) over (order by h.position) as next, h.position
            from regexp_matches(w.word, '.{1,25}', 'g') with ordinality as h (found, position)
          ) as half
          where half.next is not null
        )
      end,
      ' ' order by w.position
    )
    from regexp_split_to_table(folded, ' +') with ordinality as w (word, position)
  );
end
$$;
comment on function private.pieces is
  'A folded text in which words of more than 50 letters, such as names without spaces, are replaced by pieces of 50 letters. Each piece begins 25 letters after the previous one, so that any 25 consecutive letters are in one piece.';

create function private.indexed(input text, length integer) returns text
language plpgsql stable set search_path = ''
as $$
declare
  plain text := private.plain(left(input, length));
  joined text := private.without_hyphens(private.with_signs(private.with_units(plain)));
  folded text := private.fold(plain);
begin
  if joined <> plain then
    folded := concat_ws(
      ' ', folded,
      (
        select string_agg(w.word, ' ')
        from (
          select regexp_split_to_table(private.fold(joined), ' +') as word
          except
          select regexp_split_to_table(folded, ' +')
        ) as w
      )
    );
  end if;
  return private.pieces(folded);
end
$$;
comment on function private.indexed is
  'The folded words by which the first letters of a text (length) are found, with words of several spellings also as one word.';

create function private.words(folded text) returns text[]
language plpgsql stable set search_path = ''
as $$
begin
  return array(
    select l.lexeme
    from unnest(to_tsvector('pg_catalog.simple', folded)) as l
    order by l.positions[1]
  );
end
$$;
comment on function private.words is 'The distinct words of a folded text, in order.';

create function private.search_language(language text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return coalesce(
    '{
      "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
      "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
      "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
      "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
      "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish"
    }'::jsonb ->> split_part(lower(language), '-', 1),
    'simple'
  );
end
$$;
comment on function private.search_language is
  'The text search configuration of Postgres for a language (BCP 47); simple if there is none.';

create function private.search_key(tenant_id uuid) returns text
language sql immutable
return left(md5(tenant_id::text), 6);
comment on function private.search_key is
  'The prefix of a tenant''s lexemes. Two tenants may have the same one, so queries also compare the tenant.';

-- functions: texts of products -----------------------------------------------------------------

create function private.category_paths(categories uuid[]) returns table (category_id uuid, path text)
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  with recursive line (leaf, tenant_id, parent_id, name, depth) as (
    select c.id, c.tenant_id, c.parent_id, c.name, 1
    from public.categories c
    where c.id = any (categories)
    union all
    select l.leaf, c.tenant_id, c.parent_id, c.name, l.depth + 1
    from line l
    join public.categories c on c.tenant_id = l.tenant_id and c.id = l.parent_id
  )
  select l.leaf, string_agg(l.name, ' > ' order by l.depth desc)
  from line l
  group by l.leaf;
end
$$;
comment on function private.category_paths is 'The names of categories and their ancestors, from the top.';

create function private.searchable_values(attributes jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if attributes = '[]' then
    return '';
  end if;
  return (
    select coalesce(string_agg(a.value ->> 'value', ' ' order by a.position), '')
    from jsonb_array_elements(attributes) with ordinality as a (value, position)
    where (a.value ->> 'searchable')::boolean and a.value ->> 'type' <> 'boolean' and a.value ->> 'name' <> 'brand'
  );
end
$$;
comment on function private.searchable_values is
  'The values of a product''s searchable attributes, without its brand, by which it is always found.';

create function private.product_content(product_id uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select concat_ws(
      E'\n', p.name, p.brand, nullif(private.searchable_values(p.attributes), ''), c.path, nullif(p.description, '')
    )
    from public.products p
    left join private.category_paths(array[p.category_id]) c on c.category_id = p.category_id
    where p.id = product_content.product_id
  );
end
$$;
comment on function private.product_content is
  'The text of a product for its embedding: its name, brand, searchable attributes, categories and description.';

create function private.texts_of(ids uuid[])
returns table (
  product_id uuid, tenant_id uuid, language text, named text, described text, placed text, description text
)
-- A plan from when the tables were empty, which a session keeps, would scan products and product_variants,
-- and with hash joins all categories.
-- Planned once: 0.54 ms without, 0.11 with, for a new product.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return query
  with listed as materialized (
    select
      p.id, p.tenant_id, p.category_id, p.attributes, p.brand, p.external_id, p.name, p.description,
      private.search_language(m.language) as language
    from unnest(ids) as wanted (id)
    join public.products p on p.id = wanted.id
    join public.marketplaces m on m.id = p.marketplace_id
  )
  select
    l.id, l.tenant_id, l.language, private.indexed(l.name, 200),
    left(
      private.indexed(concat_ws(' ', l.brand, private.searchable_values(l.attributes), v.names, l.external_id), 30000)
      -- A number is also found without its separators.
      || coalesce(' ' || replace(private.fold(l.external_id), ' ', ''), '') || coalesce(v.numbers, ''),
      30000
    ),
    coalesce(private.indexed(c.path, 3000), ''),
    private.indexed(l.description, 50000)
  from listed l
  left join private.category_paths(array(select distinct l.category_id from listed l)) c
    on c.category_id = l.category_id
  cross join lateral (
    select
      string_agg(concat_ws(' ', v.name, v.sku), ' ' order by v.position, v.id) as names,
      string_agg(' ' || replace(private.fold(v.sku), ' ', ''), '' order by v.position, v.id) as numbers
    from public.product_variants v
    where v.tenant_id = l.tenant_id and v.product_id = l.id
  ) as v;
end
$$;
comment on function private.texts_of is
  'The folded texts by which products are found: name (named), brand, attributes, variants and numbers (described), categories (placed) and description.';

create function private.product_document(
  tenant_id uuid, language text, named text, described text, placed text, description text
) returns tsvector
language plpgsql stable set search_path = ''
as $$
declare
  key text := private.search_key(tenant_id);
  whole regconfig := ('private.' || language)::regconfig;
  without_stop_words regconfig := ('pg_catalog.' || language)::regconfig;
  document tsvector := setweight(to_tsvector(whole, named), 'A') || setweight(to_tsvector(whole, described), 'B')
    || setweight(to_tsvector(whole, placed), 'C') || setweight(to_tsvector(without_stop_words, description), 'D');
  written text := document::text;
begin
  -- Postgres allows lexemes of at most 2046 bytes. The key counts too.
  if octet_length(written) > 2000 then
    written := ts_delete(
      document, array(select l.lexeme from unnest(document) as l where octet_length(l.lexeme) > 500)
    )::text;
  end if;
  if written = '' then
    return ''::tsvector;
  end if;
  -- Lexemes are in quotes and contain none, because folding removes everything but letters and digits.
  return ('''' || key || substr(replace(written, ' ''', ' ''' || key), 2))::tsvector;
end
$$;
comment on function private.product_document is
  'The document of a product''s texts: their stems with their weights, each prefixed with the key of the tenant.';

create function private.dictionary_words(named text, described text, placed text, description text)
returns table (word text, is_description_only boolean)
language plpgsql stable set search_path = ''
as $$
begin
  return query
    select l.lexeme, bool_and(l.is_description)
    from (
      select n.lexeme, false as is_description
      from unnest(to_tsvector('pg_catalog.simple', concat_ws(' ', named, described, placed))) as n
      union all
      select d.lexeme, true
      from unnest(to_tsvector('pg_catalog.simple', description)) as d
    ) as l
    where char_length(l.lexeme) >= 3
    group by l.lexeme;
end
$$;
comment on function private.dictionary_words is
  'The distinct words of a product''s texts, and whether only its description has them. Words of less than 3 letters are left out, because they have no parts to search for.';

create function private.write_product_texts(ids uuid[]) returns void
-- A plan from when the tables were empty, which a session keeps, would scan products, product_texts and search_words.
-- Planned once: 0.45 ms without, 0.32 with, for a new product.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  -- All writers of texts share this lock. A change of a category's name or of a language takes it exclusively: see
  -- private.write_many_texts. It is a statement of its own, so that the next one sees what changed while this one
  -- waited.
  perform private.hold('search_texts', t.tenant_id::text, shared => true)
  from (select distinct p.tenant_id from public.products p where p.id = any (ids) order by p.tenant_id) as t;

  with texts as materialized (
    select t.product_id, t.tenant_id, t.language, t.named, t.described, t.placed, t.description
    from private.texts_of(ids) t
  ),
  documents as materialized (
    select
      t.product_id, t.tenant_id,
      private.product_document(t.tenant_id, t.language, t.named, t.described, t.placed, t.description) as document
    from texts t
  ),
  written as (
    insert into private.product_texts (product_id, tenant_id, document)
    select d.product_id, d.tenant_id, d.document
    from documents d
    where (
      select t.document from private.product_texts t where t.product_id = d.product_id and t.tenant_id = d.tenant_id
    ) is distinct from d.document
    -- In the order of ids, as in all writers of texts, which prevents deadlocks.
    order by d.product_id
    on conflict (product_id, tenant_id) do update
    set document = excluded.document
  )
  insert into private.search_words (tenant_id, word, described)
  select w.tenant_id, w.word, w.described
  from (
    select t.tenant_id, entry.word, bool_and(entry.is_description_only) as described
    from texts t
    cross join lateral private.dictionary_words(t.named, t.described, t.placed, t.description) as entry
    group by t.tenant_id, entry.word
  ) as w
  -- A scalar subquery looks up each word. Postgres may plan `not exists` as a scan of all rows.
  where (
    select true
    from private.search_words s
    where s.word = w.word and s.tenant_id = w.tenant_id and s.unused_since is null
      and (w.described or not s.described)
    limit 1
  ) is null;
end
$$;
comment on function private.write_product_texts is
  'Writes the texts of products, and the words that are new to their tenants. The caller has locked these products or the texts of their tenant, so that they do not change meanwhile.';

create function private.write_listed_products() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_product_texts(array(select c.id from changed c));
  return null;
end
$$;
comment on function private.write_listed_products() is 'Statement trigger: writes the texts of new products.';

create function private.write_changed_products() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  otherwise uuid[] := array(
    select n.id
    from changed n
    join before o on o.id = n.id
    where o.name <> n.name or o.description <> n.description
      or o.attributes <> n.attributes or o.category_id is distinct from n.category_id
      or o.external_id is distinct from n.external_id
  );
begin
  if otherwise <> '{}' then
    perform private.write_product_texts(otherwise);
  end if;
  return null;
end
$$;
comment on function private.write_changed_products() is
  'Statement trigger: writes the texts of products whose texts have changed.';

create function private.write_products_of_variants() returns trigger
-- A plan from when the tables were empty, which a session keeps, would scan products.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  affected uuid[];
begin
  if tg_op = 'UPDATE' then
    affected := array(
      select distinct c.product_id
      from changed c
      join former f on f.id = c.id
      where (c.name, c.sku, c.position) is distinct from (f.name, f.sku, f.position)
    );
  else
    affected := array(select distinct c.product_id from changed c);
  end if;
  perform 1 from public.products p where p.id = any (affected) order by p.id for no key update;
  perform private.write_product_texts(affected);
  return null;
end
$$;
comment on function private.write_products_of_variants() is
  'Statement trigger: writes the texts of products whose variants have changed.';

create function private.write_many_texts(tenant_id uuid, ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  at_once uuid[] := '{}'::uuid[];
begin
  if cardinality(ids) <= 500 then
    -- Skips products that are being deleted instead of waiting for them, because the deleting transaction may wait for
    -- this one.
    at_once := array(select p.id from public.products p where p.id = any (ids) for key share skip locked);
    perform private.write_product_texts(at_once);
  end if;
  insert into private.outdated_texts (product_id, tenant_id)
  select i.id, write_many_texts.tenant_id
  from unnest(ids) as i (id)
  where i.id <> all (at_once)
  order by i.id
  on conflict on constraint outdated_texts_pkey do nothing;
end
$$;
comment on function private.write_many_texts is
  'Writes the texts of a tenant''s products or, if there are more than 500, leaves that to a job. The caller takes the exclusive lock of the tenant''s texts before it looks up the products. So no text is written from old names meanwhile, and texts that were just written are committed and not missed.';

create function private.write_products_of_category() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.hold('search_texts', new.tenant_id::text);
  perform private.write_many_texts(new.tenant_id, array(
    select p.id
    from public.products p
    where p.tenant_id = new.tenant_id and p.category_id = any (private.category_branch(new.tenant_id, new.id))
  ));
  return null;
end
$$;
comment on function private.write_products_of_category() is
  'Row trigger: writes the texts of all products in a renamed or moved category and below it.';

create function private.write_products_of_marketplace() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.hold('search_texts', new.tenant_id::text);
  perform private.write_many_texts(new.tenant_id, array(
    select p.id from public.products p where p.tenant_id = new.tenant_id and p.marketplace_id = new.id
  ));
  return null;
end
$$;
comment on function private.write_products_of_marketplace() is
  'Row trigger: writes the texts of a marketplace''s products when its language changes.';

-- functions: jobs ------------------------------------------------------------------------------

create function private.write_outdated_texts(after uuid) returns uuid
-- A plan from when the tables were empty, which a session keeps, would scan outdated_texts and products.
-- Planned once: 0.14 ms without, 0.04 with, for a product.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  outdated uuid[] := array(
    select o.product_id
    from private.outdated_texts o
    where o.product_id > coalesce(after, '00000000-0000-0000-0000-000000000000')
    order by o.product_id
    limit 200
    for update skip locked
  );
  -- Skips tenants whose texts are locked exclusively, so that a rename delays only its own tenant.
  open uuid[] := array(
    select t.tenant_id
    from (select distinct p.tenant_id from public.products p where p.id = any (outdated)) t
    where private.try_hold('search_texts', t.tenant_id::text, shared => true)
  );
  -- Skips products that are being changed, whose transactions may wait for other products of this batch. The next run
  -- writes them.
  free uuid[] := array(
    select p.id
    from public.products p
    where p.id = any (outdated) and p.tenant_id = any (open)
    for no key update skip locked
  );
begin
  perform private.write_product_texts(free);
  delete from private.outdated_texts o
  where o.product_id = any (outdated)
    and (o.product_id = any (free) or not exists (select from public.products p where p.id = o.product_id));
  return outdated[cardinality(outdated)];
end
$$;
comment on function private.write_outdated_texts is
  'Writes the next 200 outdated texts after this product, in the order of ids; null starts with the first. Returns the last product, or null if there are none.';

create function private.find_outdated_texts(tenant_id uuid, after uuid) returns uuid
-- A plan from when the tables were empty, which a session keeps, would scan products and product_texts.
-- Hash joins would read the texts of all products: 2,526 of 11 tenants instead of 358.
language plpgsql security definer set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  ids uuid[] := array(
    select p.id
    from public.products p
    where p.tenant_id = find_outdated_texts.tenant_id and p.id > after
    order by p.id
    limit 1000
  );
begin
  insert into private.outdated_texts (product_id, tenant_id)
  select t.product_id, t.tenant_id
  from private.texts_of(ids) t
  left join private.product_texts written on written.product_id = t.product_id and written.tenant_id = t.tenant_id
  where written.document is distinct from private.product_document(
    t.tenant_id, t.language, t.named, t.described, t.placed, t.description
  )
  order by t.product_id
  on conflict on constraint outdated_texts_pkey do nothing;
  return ids[cardinality(ids)];
end
$$;
comment on function private.find_outdated_texts is
  'Finds which of a tenant''s next 1000 products after this one have texts that differ from what they should be, and queues them. Returns the last product that was checked, or null if there are none.';

create function private.forget_search_words(tenant_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  used text[];
  used_in_descriptions text[];
begin
  select array_agg(u.word) filter (where not u.described), array_agg(u.word) filter (where u.described)
  into used, used_in_descriptions
  from (
    select entry.word, bool_and(entry.is_description_only) as described
    from private.texts_of(
      array(select p.id from public.products p where p.tenant_id = forget_search_words.tenant_id)
    ) t
    cross join lateral private.dictionary_words(t.named, t.described, t.placed, t.description) as entry
    group by entry.word
  ) as u;
  -- Adds words that were marked as unused while another product got them.
  insert into private.search_words (tenant_id, word, described)
  select forget_search_words.tenant_id, u.word, u.described
  from (
    select n.word, false as described from unnest(used) as n (word)
    union all
    select d.word, true from unnest(used_in_descriptions) as d (word)
  ) as u
  where (
    select true
    from private.search_words s
    where s.word = u.word and s.tenant_id = forget_search_words.tenant_id and s.unused_since is null
      and s.described = u.described
    limit 1
  ) is null;
  -- Writers insert a word again if it is marked. So no transaction needs a word that was marked a day ago, not even one
  -- that was running then.
  delete from private.search_words s
  where s.tenant_id = forget_search_words.tenant_id and s.unused_since < now() - interval '1 day';
  delete from private.search_words s
  using private.search_words other
  where s.tenant_id = forget_search_words.tenant_id and other.tenant_id = s.tenant_id and other.word = s.word
    and other.described = s.described and other.ctid < s.ctid and other.unused_since is null;
  update private.search_words s
  set unused_since = now()
  where s.tenant_id = forget_search_words.tenant_id and s.unused_since is null
    and not exists (select from unnest(used) as u (word) where u.word = s.word and not s.described)
    and not exists (select from unnest(used_in_descriptions) as u (word) where u.word = s.word and s.described);
end
$$;
comment on function private.forget_search_words is
  'Marks the words that none of a tenant''s products has any more, and deletes those that were marked a day ago.';

create function private.mend_search(progress text) returns text
language plpgsql set search_path = ''
as $$
declare
  started timestamptz := coalesce((progress::jsonb ->> 'started')::timestamptz, now());
  tenant uuid := (progress::jsonb ->> 'tenant_id')::uuid;
  last uuid := (progress::jsonb ->> 'product_id')::uuid;
begin
  if last is null then
    -- The order differs each day, so that no tenant is always left out.
    tenant := (
      select t.id
      from public.tenants t
      where now() < started + interval '10 minutes'
        and (tenant is null or md5(t.id::text || started) > md5(tenant::text || started))
      order by md5(t.id::text || started)
      limit 1
    );
    if tenant is null then
      return null;
    end if;
    perform private.forget_search_words(tenant);
    last := '00000000-0000-0000-0000-000000000000';
  else
    last := private.find_outdated_texts(tenant, last);
  end if;
  return jsonb_build_object('started', started, 'tenant_id', tenant, 'product_id', last)::text;
end
$$;
comment on function private.mend_search is
  'A batch of the daily check, after the one that returned this: deletes unused words of the next tenant, or queues those of its next 1000 products whose texts are outdated. There should be none, unless rows were copied with triggers off, or a new version of Postgres stems differently. Returns null at the end, and after 10 minutes.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_write_texts_when_listed
  after insert on public.products
  referencing new table as changed
  for each statement execute function private.write_listed_products();

create trigger products_write_texts_when_changed
  after update on public.products
  referencing old table as before new table as changed
  for each statement execute function private.write_changed_products();

create trigger product_variants_write_texts_when_added
  after insert on public.product_variants
  referencing new table as changed
  for each statement execute function private.write_products_of_variants();

create trigger product_variants_write_texts_when_changed
  after update on public.product_variants
  referencing old table as former new table as changed
  for each statement execute function private.write_products_of_variants();

create trigger product_variants_write_texts_when_removed
  after delete on public.product_variants
  referencing old table as changed
  for each statement execute function private.write_products_of_variants();

create trigger categories_write_texts
  after update of name, parent_id on public.categories
  for each row when (old.name <> new.name or old.parent_id is distinct from new.parent_id)
  execute function private.write_products_of_category();

create trigger marketplaces_write_texts
  after update of language on public.marketplaces
  for each row when (old.language <> new.language)
  execute function private.write_products_of_marketplace();

-- policies -------------------------------------------------------------------------------------

alter table private.product_texts enable row level security;
alter table private.outdated_texts enable row level security;
alter table private.search_words enable row level security;

-- supabase/schemas/search/0805_search_synonyms.sql

-- Synonyms: groups of terms; a search for one term of a group also finds the others.

-- tables ---------------------------------------------------------------------------------------

create table public.search_synonyms (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  terms text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint search_synonyms_tenant_id_id_key unique (tenant_id, id),
  constraint search_synonyms_terms_is_a_list_of_2_to_20_different_terms check (cardinality(terms) between 2 and 20)
);
comment on table public.search_synonyms is
  'Groups of synonyms: a search for one term finds products with any of them. Terms are words or phrases, stored in lower case, without accents and with single spaces. Of terms that are equal for search, only the first is kept.';
alter table public.search_synonyms replica identity using index search_synonyms_tenant_id_id_key;

-- indexes --------------------------------------------------------------------------------------

create index search_synonyms_tenant_id_created_at_idx on public.search_synonyms (tenant_id, created_at desc, id);

-- functions ------------------------------------------------------------------------------------

create function private.fold_search_synonyms() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  folded text[];
  unfit record;
begin
  -- A longer list is refused because of its length, whatever it contains.
  if cardinality(new.terms) > 20 then
    return new;
  end if;
  folded := array(
    select btrim(regexp_replace(lower(extensions.unaccent(normalize(sent.term, nfkc))), '\s+', ' ', 'g'))
    from unnest(new.terms) with ordinality as sent (term, place)
    order by sent.place
  );
  select t.place - 1 as index, t.sent into unfit
  from unnest(folded, new.terms) with ordinality as t (term, sent, place)
  where (char_length(t.term) <= 100 and btrim(private.fold(t.term)) <> '') is not true
  order by t.place
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', 'A term must have 1 to 100 characters, one of them a letter or digit.',
      format('terms[%s]', unfit.index), to_jsonb(unfit.sent)
    );
  end if;
  new.terms := array(
    select (array_agg(t.term order by t.place))[1]
    from unnest(folded) with ordinality as t (term, place)
    group by btrim(private.fold(t.term))
    order by min(t.place)
  );
  return new;
end
$$;
comment on function private.fold_search_synonyms() is
  'Row trigger: folds terms and keeps the first of those that are equal for search. Refuses with VALIDATION_ERROR a term that is too long, or that has no letter or digit.';

create function public.create_search_synonyms(terms text[]) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.search_synonyms;
begin
  insert into public.search_synonyms (terms)
  values (create_search_synonyms.terms)
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function public.create_search_synonyms is
  'For admins: creates a group of 2 to 20 different terms, so that a search for one finds products with any of them, and returns it. Refuses with FORBIDDEN, VALIDATION_ERROR.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.search_synonyms
  for each row execute function private.keep_nfc();

create trigger search_synonyms_are_changed_by_admins
  before insert or update or delete on public.search_synonyms
  for each statement execute function private.only_for('admin');

create trigger search_synonyms_fold
  before insert or update of terms on public.search_synonyms
  for each row execute function private.fold_search_synonyms();

create trigger search_synonyms_touch
  before update on public.search_synonyms
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.search_synonyms enable row level security;

create policy "Members see their tenant's synonyms" on public.search_synonyms
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Admins create synonyms" on public.search_synonyms
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins change synonyms" on public.search_synonyms
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins delete synonyms" on public.search_synonyms
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- grants ---------------------------------------------------------------------------------------

grant select, delete, insert (terms), update (terms) on public.search_synonyms to authenticated;
grant all on public.search_synonyms to service_role;
grant execute on function public.create_search_synonyms to authenticated;

-- supabase/schemas/search/0810_search_query.sql

-- Queries of search: turns a search text into a tsquery, with synonyms, parts of words and corrections of misspelt
-- ones, and ranks the products that it finds.

-- types ----------------------------------------------------------------------------------------

create type private.search_terms as (
  wide tsquery, exact tsquery, exact_lexemes integer, near tsquery, near_lexemes integer, guessed tsquery,
  guessed_lexemes integer, slight tsquery, slight_lexemes integer, words integer, short_words integer, parts text[],
  numbers text[]
);
comment on type private.search_terms is
  'A search text as queries on product_texts. wide: what is found. The others rank what is found: the words as searched with their synonyms (exact), words that begin with them or contain them (near), words that only descriptions have and corrections (guessed), and stop words (slight); each with its number of lexemes. words: the number of words that are not stop words; short_words: how many of these have less than three letters. parts, numbers: the parts of the query, one for each word or synonym; parts may be left out, numbers may not.';

create type private.found_product as (
  id uuid, category_id uuid, brand text, lowest_price numeric, highest_price numeric, marketplace_id uuid,
  created_at timestamptz, updated_at timestamptz, relevance double precision, has_all boolean
);
comment on type private.found_product is
  'A product that a search finds, its relevance from 0 to 1, and whether it has all words of the search.';

-- functions ------------------------------------------------------------------------------------

create function private.stems(languages text[], words text[]) returns text[]
language plpgsql stable set search_path = ''
as $$
begin
  if words = '{}' then
    return words;
  end if;
  return array(
    select distinct s.lexeme
    from unnest(languages) as l (language)
    cross join unnest(to_tsvector(('private.' || l.language)::regconfig, array_to_string(words, ' '))) as s
  );
end
$$;
comment on function private.stems is 'The lexemes that texts in any of these languages have for these folded words.';

create function private.operand(key text, lexeme text) returns text
language sql immutable
return '''' || replace(replace(key || lexeme, '\', '\\'), '''', '''''') || '''';
comment on function private.operand is 'A lexeme of a tenant as an operand of a tsquery.';

create function private.any_of(key text, lexemes text[]) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select '(' || string_agg(distinct private.operand(key, l.lexeme), ' | ') || ')' from unnest(lexemes) as l (lexeme)
  );
end
$$;
comment on function private.any_of is 'A part of a tsquery, as text, that matches any of these lexemes of a tenant.';

create function private.edit_distance(a text, b text) returns integer
language plpgsql immutable set search_path = ''
as $$
declare
  columns integer := char_length(b);
  letters text[] := string_to_array(b, null);
  before_last integer[];
  last integer[];
  this integer[];
  letter text;
  previous text;
begin
  -- Indices begin at 1: [j + 1] is the distance between the first letters of a and the first j letters of b.
  last := array(select generate_series(0, columns));
  for i in 1 .. char_length(a) loop
    letter := substr(a, i, 1);
    this := array[i];
    for j in 1 .. columns loop
      this[j + 1] := least(
        last[j + 1] + 1, this[j] + 1, last[j] + case when letter = letters[j] then 0 else 1 end
      );
      if i > 1 and j > 1 and letter = letters[j - 1] and previous = letters[j] then
        this[j + 1] := least(this[j + 1], before_last[j - 1] + 1);
      end if;
    end loop;
    before_last := last;
    last := this;
    previous := letter;
  end loop;
  return last[columns + 1];
end
$$;
comment on function private.edit_distance is
  'The number of missing, additional, wrong or swapped letters between two words (Damerau-Levenshtein distance).';

create function private.slips_allowed(word text) returns integer
language sql immutable
return least(char_length(word) / 4, 2);
comment on function private.slips_allowed is
  'The largest edit distance between a misspelt word and its correction: 1 from four letters on, 2 from eight.';

create function private.words_with(tenant_id uuid, part text, out words text[], out described text[])
-- A plan from when the table was empty, which a session keeps, would scan search_words.
-- Planned once: 0.17 ms without, 0.05 with, for two words.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  wanted bigint[] := private.grams(tenant_id, part);
begin
  select
    coalesce(array_agg(w.word) filter (where not w.described), '{}'),
    coalesce(array_agg(w.word) filter (where w.described), '{}')
  into words, described
  from (
    select s.word, bool_and(s.described) as described
    from private.search_words s
    where private.grams(s.tenant_id, ' ' || s.word || ' ') @> wanted
      and s.tenant_id is not distinct from words_with.tenant_id
      and strpos(s.word, part) > 0
    group by s.word
    order by bool_and(s.described), char_length(s.word), s.word
    limit 100
  ) as w;
end
$$;
comment on function private.words_with is
  'Words of a tenant''s products that contain a part of 3 letters or more: the 100 shortest, first those that texts other than descriptions have (words), then those that only descriptions have (described).';

create function private.words_like(tenant_id uuid, misspelt text) returns text[]
-- A plan from when the table was empty, which a session keeps, would scan search_words.
-- Planned once: 0.10 ms without, 0.04 with, for a misspelt word.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  allowed integer := private.slips_allowed(misspelt);
  wanted bigint[] := private.grams(tenant_id, ' ' || misspelt || ' ');
begin
  if allowed = 0 or misspelt ~ '[0-9]' then
    return '{}'::text[];
  end if;
  return array(
    select near.word
    from (
      select s.word, private.edit_distance(s.word, misspelt) as distance
      from (
        select s.word
        from private.search_words s
        where private.grams(s.tenant_id, ' ' || s.word || ' ') && wanted
          and s.tenant_id is not distinct from words_like.tenant_id
          and not s.described
          and abs(char_length(s.word) - char_length(misspelt)) <= allowed
        group by s.word
        order by extensions.similarity(s.word, misspelt) desc, s.word
        limit 20
      ) as s
    ) as near
    where near.distance <= allowed
    order by near.distance, near.word
    limit 5
  );
end
$$;
comment on function private.words_like is
  'Corrections of a misspelt word: the tenant''s words that differ from it by one letter, or by two if it has eight or more. Words with digits are not corrected.';

create function private.synonym_groups(tenant_id uuid, asked text[]) returns uuid[]
-- A plan from when the table was empty, which a session keeps, would scan search_synonyms.
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off
as $$
declare
  -- Stemming does not change the first three letters of a word.
  beginnings text := '\m(' || (select string_agg(left(w.word, 3), '|') from unnest(asked) as w (word)) || ')';
begin
  return array(
    select s.id
    from public.search_synonyms s
    where s.tenant_id = synonym_groups.tenant_id and array_to_string(s.terms, ' ') ~ beginnings
  );
end
$$;
comment on function private.synonym_groups is
  'The tenant''s groups of synonyms that may apply to these words, found by the first letters of their terms.';

create function private.synonyms_in(groups uuid[], key text, languages text[], asked text[])
returns table (first integer, last integer, alternatives text, lexemes text[])
-- A plan from when the table was empty, which a session keeps, would scan search_synonyms.
-- Planned once: 0.21 ms without, 0.06 with, for a word.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  return query
  with known as materialized (
    select s.id, private.words(private.fold(t.term)) as words, t.position
    from public.search_synonyms s
    cross join unnest(s.terms) with ordinality as t (term, position)
    where s.id = any (groups)
  ),
  met as materialized (
    select distinct k.id, here.place as first, here.place + cardinality(k.words) - 1 as last
    from known k
    cross join generate_subscripts(asked, 1) as here (place)
    where k.words <> '{}'
      and here.place + cardinality(k.words) - 1 <= cardinality(asked)
      and not exists (
        select 1
        from unnest(k.words) with ordinality as term (word, position)
        where not private.stems(languages, array[term.word])
          && private.stems(languages, array[asked[here.place + term.position - 1]])
      )
  )
  select
    m.first, m.last, string_agg(phrase.written, ' | ' order by phrase.written),
    private.stems(languages, array_agg(array_to_string(k.words, ' ')))
  from met m
  join known k on k.id = m.id
  cross join lateral (
    select '(' || string_agg(
      private.any_of(key, private.stems(languages, array[term.word])), ' <-> ' order by term.position
    ) || ')' as written
    from unnest(k.words) with ordinality as term (word, position)
  ) as phrase
  group by m.first, m.last;
end
$$;
comment on function private.synonyms_in is
  'The synonyms that apply to the searched words: the positions of the first and last word that they replace, the alternatives as a part of a tsquery, and their lexemes.';

create function private.is_in_a_text(tenant_id uuid, lexemes text[]) returns boolean
-- A plan from when the table was empty, which a session keeps, would scan product_texts.
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off
as $$
declare
  query tsquery := private.any_of(private.search_key(tenant_id), lexemes)::tsquery;
begin
  return exists (
    select 1
    from private.product_texts t
    where t.document @@ query and t.tenant_id is not distinct from is_in_a_text.tenant_id
  );
end
$$;
comment on function private.is_in_a_text is 'Whether any product of the tenant has one of these lexemes.';

create function private.stop_words(plain text, words text[], languages text[]) returns text[]
language plpgsql stable set search_path = ''
as $$
declare
  stop_words text[];
begin
  -- Stop words are compared before folding, because the folded "für" is not a stop word.
  stop_words := array(
    select private.fold(w.word)
    from unnest(private.words(plain)) as w (word)
    cross join unnest(languages) as l (language)
    where to_tsvector(('pg_catalog.' || l.language)::regconfig, w.word) = ''
  );
  return case when words <@ stop_words then '{}'::text[] else stop_words end;
end
$$;
comment on function private.stop_words is
  'The folded words of a text that are stop words in one of these languages; none if all words are.';

create function private.relatives_of(
  tenant_id uuid, languages text[], word text, stems text[], is_guessing boolean,
  out near text[], out guessed text[]
)
language plpgsql stable set search_path = ''
as $$
declare
  holding record := private.words_with(tenant_id, word);
begin
  near := private.stems(languages, holding.words);
  guessed := private.stems(languages, holding.described);
  if is_guessing and near = '{}' and not private.is_in_a_text(tenant_id, stems) then
    guessed := guessed || private.stems(languages, private.words_like(tenant_id, word));
  end if;
end
$$;
comment on function private.relatives_of is
  'Lexemes related to a word of 3 letters or more in a tenant''s texts. near: words that contain it. guessed: words that contain it and that only descriptions have, and its corrections if no text has it.';

create function private.with_lexemes(
  terms private.search_terms, key text, exact text[], near text[], beginnings text[], guessed text[], slight text[]
) returns private.search_terms
language plpgsql immutable set search_path = ''
as $$
begin
  terms.wide := array_to_string(terms.parts || terms.numbers, ' & ')::tsquery;
  exact := array(select distinct e.lexeme from unnest(exact) as e (lexeme));
  terms.exact := private.any_of(key, exact)::tsquery;
  terms.exact_lexemes := cardinality(exact);
  -- ts_rank counts each lexeme of a query once, with or without a star.
  near := array(
    select n.lexeme from unnest(near) as n (lexeme) except select b.word from unnest(beginnings) as b (word)
  );
  beginnings := array(select distinct private.operand(key, b.word) || ':*' from unnest(beginnings) as b (word));
  terms.near := concat_ws(' | ', private.any_of(key, near), nullif(array_to_string(beginnings, ' | '), ''))::tsquery;
  terms.near_lexemes := cardinality(near) + cardinality(beginnings);
  guessed := array(select distinct g.lexeme from unnest(guessed) as g (lexeme));
  terms.guessed := private.any_of(key, guessed)::tsquery;
  terms.guessed_lexemes := cardinality(guessed);
  slight := array(select distinct s.lexeme from unnest(slight) as s (lexeme));
  terms.slight := private.any_of(key, slight)::tsquery;
  terms.slight_lexemes := cardinality(slight);
  return terms;
end
$$;
comment on function private.with_lexemes is
  'The terms of a search with the queries of their parts and of these lexemes. beginnings: words that match as prefixes.';

create function private.search_reading(
  tenant_id uuid, words text[], stop_words text[], languages text[], is_guessing boolean
) returns private.search_terms
language plpgsql stable security definer set search_path = ''
as $$
declare
  key text := private.search_key(tenant_id);
  groups uuid[] := private.synonym_groups(tenant_id, words);
  here integer := 1;
  first integer;
  beyond integer;
  synonyms record;
  word text;
  stems text[];
  relatives record;
  span text[];
  part text;
  exact text[] := '{}'::text[];
  near text[] := '{}'::text[];
  beginnings text[] := '{}'::text[];
  guessed text[] := '{}'::text[];
  slight text[] := '{}'::text[];
  terms private.search_terms;
begin
  terms.words := 0;
  terms.short_words := 0;
  terms.parts := '{}'::text[];
  terms.numbers := '{}'::text[];
  while here <= cardinality(words) loop
    select s.last, s.alternatives, s.lexemes into synonyms
    from private.synonyms_in(groups, key, languages, words) s
    where groups <> '{}' and s.first = here
    order by s.last desc
    limit 1;
    beyond := coalesce(synonyms.last, here) + 1;
    exact := exact || synonyms.lexemes;
    span := '{}';
    first := here;
    while here < beyond loop
      word := words[here];
      here := here + 1;
      stems := private.stems(languages, array[word]);
      if word = any (stop_words) then
        slight := slight || stems;
        continue;
      end if;
      terms.words := terms.words + 1;
      exact := exact || stems;
      if char_length(word) < 3 then
        terms.short_words := terms.short_words + 1;
      else
        relatives := private.relatives_of(tenant_id, languages, word, stems, is_guessing);
        near := near || relatives.near;
        guessed := guessed || relatives.guessed;
        stems := stems || relatives.near || relatives.guessed;
      end if;
      beginnings := beginnings || word;
      span := span || format('(%s | %s:*)', private.any_of(key, stems), private.operand(key, word));
    end loop;
    if span <> '{}' or synonyms.alternatives is not null then
      part := '('
        || concat_ws(' | ', '(' || nullif(array_to_string(span, ' & '), '') || ')', synonyms.alternatives) || ')';
      if array_to_string(words[first:here - 1], ' ') ~ '[0-9]' then
        terms.numbers := terms.numbers || part;
      else
        terms.parts := terms.parts || part;
      end if;
    end if;
  end loop;
  return private.with_lexemes(terms, key, exact, near, beginnings, guessed, slight);
end
$$;
comment on function private.search_reading is
  'The terms of a search for these words. Each word that is not a stop word matches itself, its synonyms, words that begin with it or contain it, and, if the tenant has none of these, its corrections.';

create function private.search_query(tenant_id uuid, search text, marketplaces uuid[]) returns private.search_terms[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  searched text := left(search, 200);
  plain text := private.with_signs(private.with_units(private.plain(searched)));
  joined text := private.without_hyphens(plain);
  words text[] := (private.words(private.pieces(private.fold(plain))))[1:12];
  languages text[];
  stop_words text[];
begin
  languages := array(
    select distinct private.search_language(m.language)
    from public.marketplaces m
    where m.tenant_id = search_query.tenant_id and (marketplaces is null or m.id = any (marketplaces))
  );
  if words = '{}' or languages = '{}' then
    return '{}'::private.search_terms[];
  end if;
  stop_words := private.stop_words(lower(searched), words, languages);
  return array[private.search_reading(tenant_id, words, stop_words, languages, true)]
    || case
      when joined <> plain then array[private.search_reading(
        tenant_id, (private.words(private.pieces(private.fold(joined))))[1:12], stop_words, languages, false
      )]
    end;
end
$$;
comment on function private.search_query is
  'The readings of a search text: word by word, and, if signs such as a hyphen join some words, also with these as one word. Stop words are those of the languages of these marketplaces; null for all of the tenant''s.';

-- Without a SET clause, so that Postgres inlines it into the query. ts_rank divides by the number of lexemes of the
-- query and by the sum of 1/n², which is 1.64493406685. 1 - 0.5 / (0.5 + x) equals x / (0.5 + x), and computes x once.
create function private.fitness(
  document tsvector, words integer, exact tsquery, exact_lexemes integer, near tsquery, near_lexemes integer,
  guessed tsquery, guessed_lexemes integer, slight tsquery, slight_lexemes integer
) returns double precision
language sql immutable
return 1 - 0.5 / (
  0.5 + 1.64493406685 / words * (
    ts_rank(document, exact) * exact_lexemes
    + 0.5 * ts_rank(document, near) * near_lexemes
    + 0.08 * coalesce(ts_rank(document, guessed), 0) * guessed_lexemes
    + 0.1 * coalesce(ts_rank('{0,0,0.4,1}', document, slight), 0) * slight_lexemes
  )
);
comment on function private.fitness is
  'The relevance of a text, from 0 to 1. An exact word counts more than one that begins with it or contains it, which counts more than a guess. Stop words count less than other words, and only in names and in attributes. Names count more than attributes, these more than categories, and these more than descriptions.';

create function private.two_of(parts text[]) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  half integer := cardinality(parts) / 2;
begin
  -- Two of the first half, two of the second, or one of each, which is much shorter than all pairs.
  return case
    when half > 0 then concat_ws(
      ' | ', private.two_of(parts[:half]), private.two_of(parts[half + 1:]),
      format('(%s) & (%s)', array_to_string(parts[:half], ' | '), array_to_string(parts[half + 1:], ' | '))
    )
  end;
end
$$;
comment on function private.two_of is
  'A part of a tsquery, as text, that matches texts with two of these parts; null for less than two.';

create function private.products_named(
  part text, besides tsquery, branch uuid[], filters private.product_filters
) returns setof private.found_product
-- A plan from when the tables were empty, which a session keeps, would scan products.
-- Planned once: 1.3 ms without, 0.9 with, for two letters.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  viewer public.member_role := private.tenant_role();
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  unfiltered boolean := filters is null;
begin
  return query
    select
      p.id, p.category_id, p.brand, p.lowest_price, p.highest_price, p.marketplace_id, p.created_at, p.updated_at,
      0.05::double precision, true
    from public.products p
    join private.product_texts t on t.product_id = p.id and t.tenant_id = p.tenant_id
    where p.tenant_id = tenant
      and strpos(lower(p.name), part) > 0
      and (t.document @@ besides) is not true
      and p.status <> 'discontinued'
      and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      and (branch is null or p.category_id = any (branch))
      and (unfiltered or private.is_wanted(p, filters));
end
$$;
comment on function private.products_named is
  'The products that the caller sees whose name contains a part, without those that match a query (besides). For products_found: one or two letters or signs, which no index finds.';

create function private.products_found(search text, branch uuid[], filters private.product_filters)
returns setof private.found_product
-- A plan from when the tables were empty, which a session keeps, would scan products and product_texts.
-- Planned once: 0.37 ms without, 0.10 with, for two words.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  viewer public.member_role := private.tenant_role();
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  unfiltered boolean := filters is null;
  readings private.search_terms[] := private.search_query(tenant, search, filters.marketplaces);
  terms private.search_terms := readings[1];
  -- The reading with words that hyphens join as one; null if there are none. The better one of both readings counts.
  joined private.search_terms := readings[2];
  wide tsquery := case when joined.wide is null then terms.wide else terms.wide || joined.wide end;
  besides tsquery;
  words integer := terms.words;
  exact tsquery := terms.exact;
  exact_lexemes integer := terms.exact_lexemes;
  near tsquery := terms.near;
  near_lexemes integer := terms.near_lexemes;
  guessed tsquery := terms.guessed;
  guessed_lexemes integer := terms.guessed_lexemes;
  slight tsquery := terms.slight;
  slight_lexemes integer := terms.slight_lexemes;
  some_parts text;
  rows_found integer;
begin
  -- First products that match all parts. If these are less than ten (for two parts, if there are none), products that
  -- match some parts follow.
  loop
    return query
      select
        p.id, p.category_id, p.brand, p.lowest_price, p.highest_price, p.marketplace_id, p.created_at, p.updated_at,
        greatest(
          private.fitness(
            t.document, words, exact, exact_lexemes, near, near_lexemes, guessed, guessed_lexemes, slight, slight_lexemes
          ),
          private.fitness(
            t.document, joined.words, joined.exact, joined.exact_lexemes, joined.near, joined.near_lexemes,
            joined.guessed, joined.guessed_lexemes, joined.slight, joined.slight_lexemes
          )
        ) * case when besides is null then 1 else 0.2 end,
        besides is null
      from private.product_texts t
      join public.products p on p.id = t.product_id
      where t.document @@ wide
        and (t.document @@ besides) is not true
        -- With `=`, Postgres might use the tenant's index and read all its rows.
        and t.tenant_id is not distinct from tenant
        and p.tenant_id is not distinct from tenant
        and p.status <> 'discontinued'
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
        and (branch is null or p.category_id = any (branch))
        and (unfiltered or private.is_wanted(p, filters));
    get diagnostics rows_found = row_count;
    exit when besides is not null
      or rows_found >= case cardinality(terms.parts) when 2 then 1 else 10 end
      or coalesce(cardinality(terms.parts), 0) < 2;
    besides := wide;
    -- For long searches, the first eight words are enough.
    some_parts := case cardinality(terms.parts)
      when 2 then array_to_string(terms.parts, ' | ')
      else private.two_of(terms.parts[:8])
    end;
    wide := array_to_string(terms.numbers || format('(%s)', some_parts), ' & ')::tsquery;
  end loop;

  -- One or two letters or signs match anywhere in a name.
  if terms.words is null or terms.words = terms.short_words or terms.short_words > 0 and rows_found = 0 then
    return query select * from private.products_named(lower(btrim(left(search, 200))), wide, branch, filters);
  end if;
end
$$;
comment on function private.products_found is
  'The products that the caller sees, that match a search text and that pass the filters (null: no filter), each with its relevance from 0 to 1. If less than ten match all words, products that match all numbers and two of the other words follow, with a fifth of their relevance; for a search of two words, if none matches both, products that match one. has_all tells them apart. This function bypasses the policies and checks the same conditions, because text operators are not leakproof, so that a query with policies could not use the index.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.products_found to authenticated, service_role;

-- supabase/schemas/search/0825_recommendations.sql

-- Recommendations: products that match the meaning of a query, products like another one, and best sellers.

-- meaning --------------------------------------------------------------------------------------

-- A server without vectors lacks what these two call, and they find nothing there.

create function private.products_meant(
  query text,
  embedding text,
  branch uuid[],
  filters private.product_filters,
  wanted integer
) returns table (id uuid, closeness double precision)
language plpgsql stable security definer set search_path = ''
as $$
begin
  if to_regclass('private.product_embeddings') is not null then
    return query
      select c.id, c.closeness
      from private.products_close_to(
        private.query_meaning(private.tenant_id(), products_meant.query, products_meant.embedding), null, branch, filters,
        wanted
      ) c;
  end if;
end
$$;
comment on function private.products_meant is
  'What the caller sees of the products nearest in meaning to a query, nearest first. embedding: the query''s vector, if a provider outside makes them. Only vectors of the model in use are compared.';

create function private.products_near(product_id uuid, wanted integer)
returns table (id uuid, closeness double precision)
language plpgsql stable security definer set search_path = ''
as $$
begin
  if to_regclass('private.product_embeddings') is not null then
    return query select c.id, c.closeness from private.products_close_to_product(products_near.product_id, wanted) c;
  end if;
end
$$;
comment on function private.products_near is
  'The products that the caller sees and that are nearest in meaning to one that it sees, nearest first.';

-- tables ---------------------------------------------------------------------------------------

-- Every order inserts its sales as new rows, and a job adds them to product_sales each minute. Readers add both, so
-- they are always up to date. If orders updated a row per product and day, all orders of a product would wait for its
-- lock until they commit, and could deadlock with the locks of stock.

create table private.product_sales (
  tenant_id uuid not null,
  date date not null,
  product_id uuid not null,
  quantity bigint not null,
  revenue numeric not null,
  constraint product_sales_pkey primary key (tenant_id, date, product_id),
  constraint product_sales_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint product_sales_revenue_is_of_at_most_4_decimals check (scale(revenue) <= 4)
);
comment on table private.product_sales is
  'The pieces of each product that were ordered per day (UTC), minus those that were cancelled, returned or lost since, and their revenue; without what still waits in new_sales.';

create table private.new_sales (
  id bigint generated always as identity,
  tenant_id uuid not null,
  date date not null,
  product_id uuid not null,
  quantity bigint not null,
  revenue numeric not null,
  constraint new_sales_pkey primary key (tenant_id, id),
  constraint new_sales_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint new_sales_revenue_is_of_at_most_4_decimals check (scale(revenue) <= 4)
);
comment on table private.new_sales is
  'Sales that are still to be added to product_sales: a row for each product of a new order, and a negative one for the same day when pieces are cancelled, returned or lost.';

-- indexes --------------------------------------------------------------------------------------

create index product_sales_product_idx on private.product_sales (tenant_id, product_id);
create index product_sales_date_idx on private.product_sales (date);
create index new_sales_tenant_id_date_idx on private.new_sales (tenant_id, date);
create index new_sales_product_idx on private.new_sales (tenant_id, product_id);

-- functions ------------------------------------------------------------------------------------

create function private.count_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into private.new_sales (tenant_id, date, product_id, quantity, revenue)
    select
      o.tenant_id, (o.created_at at time zone 'UTC')::date, i.product_id, sum(i.sold_quantity),
      sum(i.price * i.sold_quantity)
    from new_items i
    join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
    group by o.tenant_id, o.id, i.product_id
    having sum(i.sold_quantity) <> 0;
  elsif tg_op = 'UPDATE' then
    insert into private.new_sales (tenant_id, date, product_id, quantity, revenue)
    select
      o.tenant_id, (o.created_at at time zone 'UTC')::date, i.product_id, sum(i.sign * i.sold_quantity),
      sum(i.sign * i.price * i.sold_quantity)
    from (
      select -1 as sign, old_items.* from old_items
      union all
      select 1, new_items.* from new_items
    ) as i
    join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
    group by o.tenant_id, o.id, i.product_id
    having sum(i.sign * i.price * i.sold_quantity) <> 0 or sum(i.sign * i.sold_quantity) <> 0;
  else
    -- Finds nothing if the order is deleted with its items. Then uncount_order subtracts its sales.
    insert into private.new_sales (tenant_id, date, product_id, quantity, revenue)
    select
      o.tenant_id, (o.created_at at time zone 'UTC')::date, i.product_id, -sum(i.sold_quantity),
      -sum(i.price * i.sold_quantity)
    from old_items i
    join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
    group by o.tenant_id, o.id, i.product_id
    having sum(i.sold_quantity) <> 0;
  end if;
  return null;
end
$$;
comment on function private.count_items() is
  'Statement trigger: adds the sales of new items, and subtracts pieces that are cancelled, returned or lost.';

create function private.uncount_order() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- If the tenant is deleted, all these rows are deleted too.
  if exists (select 1 from public.tenants t where t.id = old.tenant_id) then
    insert into private.new_sales (tenant_id, date, product_id, quantity, revenue)
    select
      i.tenant_id, (old.created_at at time zone 'UTC')::date, i.product_id, -sum(i.sold_quantity),
      -sum(i.price * i.sold_quantity)
    from public.order_items i
    where i.tenant_id = old.tenant_id and i.order_id = old.id
    group by i.tenant_id, i.product_id
    having sum(i.sold_quantity) <> 0;
  end if;
  return old;
end
$$;
comment on function private.uncount_order() is 'Row trigger: subtracts the sales of a deleted order.';

create function private.add_up_sales() returns void
language sql security definer set search_path = ''
as $$
  with taken as (
    delete from private.new_sales n
    where true
    returning n.tenant_id, n.date, n.product_id, n.quantity, n.revenue
  )
  insert into private.product_sales as s (tenant_id, date, product_id, quantity, revenue)
  select t.tenant_id, t.date, t.product_id, sum(t.quantity), sum(t.revenue)
  from taken t
  group by t.tenant_id, t.date, t.product_id
  order by t.tenant_id, t.date, t.product_id
  on conflict (tenant_id, date, product_id) do update
  set quantity = s.quantity + excluded.quantity, revenue = s.revenue + excluded.revenue
$$;
comment on function private.add_up_sales() is
  'For a job: adds new_sales to product_sales, in one step for all readers.';

create function private.is_in_stock(product_id uuid, track_inventory boolean) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return not track_inventory or (
    select s.quantity > s.reserved from private.product_stocks s where s.product_id = is_in_stock.product_id
  );
end
$$;
comment on function private.is_in_stock is 'Whether the stock of a product allows to buy it now.';

create function private.best_sellers(marketplace_id uuid, branch uuid[], days integer, wanted integer)
returns table (id uuid, sales_count bigint)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  viewer public.member_role := private.tenant_role();
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  since date := (now() at time zone 'UTC')::date - days + 1;
  -- Revenues in several currencies cannot be compared.
  by_revenue boolean := best_sellers.marketplace_id is not null or cardinality(private.currencies_in_use()) < 2;
begin
  return query
    select best.product_id, best.quantity
    from (
      select sold.product_id, sum(sold.quantity)::bigint as quantity,
        sum(case when by_revenue then sold.revenue end) as revenue
      from (
        select s.product_id, s.quantity, s.revenue
        from private.product_sales s
        where s.tenant_id = tenant and s.date >= since
        union all
        select n.product_id, n.quantity, n.revenue
        from private.new_sales n
        where n.tenant_id = tenant and n.date >= since
      ) as sold
      group by sold.product_id
      having sum(sold.quantity) > 0
      order by quantity desc, revenue desc, product_id
    ) as best
    -- Looked up one by one, best first, until there are enough.
    cross join lateral (
      select p.track_inventory
      from public.products p
      where p.id = best.product_id
        and p.tenant_id = tenant
        and p.status = 'active'
        and (best_sellers.marketplace_id is null or p.marketplace_id = best_sellers.marketplace_id)
        and (branch is null or p.category_id = any (branch))
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      limit 1
    ) as p
    where private.is_in_stock(best.product_id, p.track_inventory)
    order by best.quantity desc, best.revenue desc, best.product_id
    limit wanted;
end
$$;
comment on function private.best_sellers is
  'The products for sale that the caller sees and of which most pieces were sold in the last days (today is one), with that number. Products with equal numbers are ordered by revenue if the tenant has one currency or a marketplace is named.';

create function private.words_of_name(product_id uuid, out singles tsquery, out pairs tsquery)
language plpgsql stable security definer set search_path = ''
as $$
declare
  names text[];
begin
  names := array(
    select format('%L:A', l.lexeme)
    from private.product_texts t
    cross join unnest(t.document) as l
    where t.product_id = words_of_name.product_id and 'A' = any (l.weights)
    limit 12
  );
  singles := array_to_string(names, ' | ')::tsquery;
  pairs := (
    select string_agg(a.word || ' & ' || b.word, ' | ')::tsquery
    from unnest(names) with ordinality as a (word, place)
    join unnest(names) with ordinality as b (word, place) on b.place > a.place
  );
end
$$;
comment on function private.words_of_name is
  'Queries for the first 12 words of a product''s name: singles finds any of them, pairs any two.';

create function private.candidates_like(origin public.products, branch uuid[], singles tsquery, pairs tsquery)
returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  -- In each category of the branch, products that cost a little less or a little more.
  select near.id
  from unnest(branch) as c (id)
  cross join lateral (
    (
      select p.id
      from public.products p
      where p.tenant_id = origin.tenant_id
        and p.category_id = c.id
        and p.lowest_price <= origin.lowest_price
        and p.status = 'active'
        and p.marketplace_id = origin.marketplace_id
      order by p.lowest_price desc
      limit 100
    )
    union all
    (
      select p.id
      from public.products p
      where p.tenant_id = origin.tenant_id
        and p.category_id = c.id
        and p.lowest_price > origin.lowest_price
        and p.status = 'active'
        and p.marketplace_id = origin.marketplace_id
      order by p.lowest_price
      limit 100
    )
  ) as near
  union
  -- In all categories, products that share two words of the name, and some that share one.
  select shared.product_id
  from (values (pairs), (singles)) as asked (words)
  cross join lateral (
    select t.product_id
    from private.product_texts t
    cross join lateral (
      select
      from public.products p
      where p.id = t.product_id and p.status = 'active' and p.marketplace_id = origin.marketplace_id
      limit 1
    ) as p
    where t.document @@ asked.words
      -- With `=`, Postgres might use the tenant's index and read all its rows.
      and t.tenant_id is not distinct from origin.tenant_id
    limit 100
  ) as shared;
end
$$;
comment on function private.candidates_like is
  'Active products of the same marketplace that may be like a product (origin): up to 200 of each category of its branch, nearest in price, and up to 200 that share words of its name. Runs with the planner settings of its caller, products_like.';

create function private.products_like(product_id uuid, wanted integer)
returns table (id uuid, likeness double precision)
-- Planned once: 0.32 ms without, 0.20 with, for a product.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  viewer public.member_role := private.tenant_role();
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  origin public.products;
  branch uuid[];
  words record;
begin
  select p.* into origin
  from public.products p
  where p.id = products_like.product_id
    and p.tenant_id = tenant
    and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status);
  branch := private.category_branch(tenant, origin.category_id);

  words := private.words_of_name(origin.id);

  return query
    with candidate as materialized (
      select c.id from private.candidates_like(origin, branch, words.singles, words.pairs) as c (id)
    )
    select best.id, best.likeness
    from (
      select
        c.id, p.track_inventory,
        0.5 * extensions.similarity(p.name, origin.name)
          + case when p.category_id = origin.category_id then 0.3 when p.category_id = any (branch) then 0.15 else 0 end
          + case
              when greatest(p.lowest_price, origin.lowest_price) = 0 then 0.2
              else 0.2 * (least(p.lowest_price, origin.lowest_price) / greatest(p.lowest_price, origin.lowest_price))::double precision
            end as likeness
      from candidate c
      cross join lateral (
        select p.name, p.category_id, p.lowest_price, p.track_inventory
        from public.products p
        where p.id = c.id
          -- With `=`, a plan from when the table was small would read the whole marketplace.
          and p.tenant_id is not distinct from tenant
          and p.status = 'active'
          and p.marketplace_id = origin.marketplace_id
          and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
        limit 1
      ) as p
      where c.id <> origin.id
      order by likeness desc, c.id
      -- Stock is read afterwards, most similar products first, until there are enough.
      offset 0
    ) as best
    where private.is_in_stock(best.id, best.track_inventory)
    order by best.likeness desc, best.id
    limit wanted;
end
$$;
comment on function private.products_like is
  'The products that the caller sees and that could be bought instead of a product on its marketplace: those in its category and below it, and those that share words of its name. likeness, from 0 to 1: how similar their names, categories and prices are.';

create function private.check_meaning_search(query text, "limit" integer) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if (char_length(btrim(query)) between 1 and 200) is not true then
    perform private.refuse('VALIDATION_ERROR', 'query must have 1 to 200 characters.', 'query', to_jsonb(query));
  elsif ("limit" between 1 and 100) is not true then
    perform private.refuse('VALIDATION_ERROR', 'limit must be from 1 to 100.', 'limit', to_jsonb("limit"));
  end if;
end
$$;
comment on function private.check_meaning_search is
  'Refuses with VALIDATION_ERROR an empty query or one of more than 200 characters, and a limit that is not from 1 to 100.';

create function public.search_by_meaning(
  query text,
  embedding text default null,
  category uuid[] default null,
  price_min numeric default null,
  price_max numeric default null,
  marketplace_id uuid default null,
  currency text default null,
  supplier_id uuid default null,
  brand text[] default null,
  attributes jsonb default null,
  "limit" integer default 20
) returns json
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  asked text := btrim(private.searched(search_by_meaning.query));
  branch uuid[] := private.category_branches(private.tenant_id(), search_by_meaning.category);
  filters private.product_filters;
  ids uuid[];
  relevance_scores double precision[];
begin
  perform private.members_only();
  perform private.check_meaning_search(search_by_meaning.query, "limit");
  filters := private.product_filters(
    row(
      search_by_meaning.price_min, search_by_meaning.price_max, null, search_by_meaning.supplier_id, null,
      search_by_meaning.brand, null, null, null
    ),
    search_by_meaning.marketplace_id, search_by_meaning.currency, search_by_meaning.attributes
  );

  -- Reciprocal rank fusion combines the positions in both lists, because scores of words and of meaning cannot be
  -- compared. Words count twice, because a product with all words matches more surely than one with a similar meaning.
  -- The constant 10 keeps one first position from outweighing two good ones. A product that is first in both lists
  -- scores 1. bench/search compares other numbers.
  with worded as (
    select f.id, f.has_all, row_number() over (order by f.relevance desc, f.created_at desc, f.id) as place
    from private.products_found(asked, branch, filters) f
    order by place
    limit 100
  ),
  meant as (
    select m.id, rank() over (order by m.closeness desc) as place
    from private.products_meant(asked, search_by_meaning.embedding, branch, filters, 100) m
  ),
  fused as (
    select
      listed.id, sum(listed.weight * 11 / (10 + listed.place)::double precision) / 3 as score,
      min(listed.place) as best_place,
      bool_or(listed.worded) as worded
    from (
      select w.id, w.place, case when w.has_all then 2 else 0.5 end as weight, true as worded from worded w
      union all
      select m.id, m.place, 1, false from meant m
    ) as listed
    group by listed.id
    -- Products that match by words come first among equal scores.
    order by score desc, worded desc, best_place, id
    limit "limit"
  )
  select
    array_agg(f.id order by f.score desc, f.worded desc, f.best_place, f.id),
    array_agg(f.score order by f.score desc)
  into ids, relevance_scores
  from fused f;

  return json_build_object(
    'products', private.product_page(ids, relevance_scores, null),
    'relevance_scores', coalesce(array_to_json(relevance_scores), '[]')
  );
end
$$;
comment on function public.search_by_meaning is
  'The products that match a query best, by its words and its meaning together, each with a score from 0 to 1. embedding: the vector of the query, optionally after the name of its model; without it the built-in model computes the meaning. In a tenant with several currencies price_min and price_max require a marketplace_id or a currency.';

-- triggers -------------------------------------------------------------------------------------

create trigger order_items_count_sales
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.count_items();

create trigger order_items_count_sales_that_change
  after update on public.order_items
  referencing old table as old_items new table as new_items
  for each statement execute function private.count_items();

create trigger order_items_count_sales_that_go
  after delete on public.order_items
  referencing old table as old_items
  for each statement execute function private.count_items();

create trigger orders_uncount_sales
  before delete on public.orders
  for each row execute function private.uncount_order();

-- policies -------------------------------------------------------------------------------------

alter table private.product_sales enable row level security;
alter table private.new_sales enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.check_meaning_search, private.products_meant, private.products_near, private.is_in_stock, private.best_sellers, private.products_like
to authenticated, service_role;
grant execute on function public.search_by_meaning to authenticated;

-- supabase/schemas/placement/0900_placement_settings.sql

-- Promoted placement: prices and rules of the promoted slots in each category, settings of the tenant, and tokens that
-- prove that somebody was shown a promotion.

-- tables ---------------------------------------------------------------------------------------

create table public.placement_categories (
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  category_id uuid not null,
  base_price numeric(12, 2) not null default 0,
  max_slots integer not null default 3,
  auction_enabled boolean not null default true,
  min_bid numeric(12, 2) not null default 0.01,
  other_prices jsonb not null default '[]',
  forbidden boolean not null default false,
  rotation_minutes integer not null default 60,
  display_priority text not null default 'quality',
  min_quality numeric not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint placement_categories_pkey primary key (tenant_id, category_id),
  constraint placement_categories_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id) on delete cascade,
  constraint placement_categories_base_price_is_not_negative check (base_price >= 0),
  constraint placement_categories_max_slots_is_between_1_and_100 check (max_slots between 1 and 100),
  constraint placement_categories_min_bid_is_at_least_one_hundredth check (min_bid >= 0.01),
  constraint placement_categories_other_prices_is_a_list check (jsonb_typeof(other_prices) = 'array'),
  constraint placement_categories_rotation_minutes_is_between_1_and_10080 check (rotation_minutes between 1 and 10080),
  constraint placement_categories_display_priority_is_quality_rotation_or_newest
    check (display_priority in ('quality', 'rotation', 'newest')),
  constraint placement_categories_min_quality_is_between_0_and_1 check (min_quality between 0 and 1),
  constraint placement_categories_min_quality_is_of_at_most_4_decimals check (scale(min_quality) <= 4)
);
comment on table public.placement_categories is
  'How a category sells its promoted slots. base_price (the fee of a day) and min_bid (the lowest bid) are in the currency of the tenant''s oldest marketplace; other_prices: [{currency, base_price, min_bid}] for other currencies. A category without a row has the defaults.';

create table public.placement_settings (
  tenant_id uuid primary key default private.tenant_id() references public.tenants (id) on delete cascade,
  auction_log_share numeric not null default 0.1,
  clicks_per_visitor_and_hour integer not null default 20,
  clicks_per_address_and_hour integer not null default 5,
  click_account_age_minutes integer not null default 10,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint placement_settings_auction_log_share_is_between_0_and_1 check (auction_log_share between 0 and 1),
  constraint placement_settings_auction_log_share_is_of_at_most_6_decimals check (scale(auction_log_share) <= 6),
  constraint placement_settings_clicks_per_visitor_and_hour_is_between_1_and_1000000
    check (clicks_per_visitor_and_hour between 1 and 1000000),
  constraint placement_settings_clicks_per_address_and_hour_is_between_1_and_1000000
    check (clicks_per_address_and_hour between 1 and 1000000),
  constraint placement_settings_click_account_age_minutes_is_between_0_and_100000
    check (click_account_age_minutes between 0 and 100000)
);
comment on table public.placement_settings is
  'Settings for all categories of a tenant. auction_log_share: the share of auctions that are recorded. clicks_per_visitor_and_hour, clicks_per_address_and_hour: the number of clicks per hour of a visitor, or of an address on one campaign, above which clicks are not charged. click_account_age_minutes: the age from which clicks of an account without a confirmed address are charged. A tenant without a row has the defaults.';

-- functions ------------------------------------------------------------------------------------

create function private.main_currency(tenant_id uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select m.currency
    from public.marketplaces m
    where m.tenant_id = main_currency.tenant_id
    order by m.created_at, m.id
    limit 1
  );
end
$$;
comment on function private.main_currency is 'The currency of the tenant''s oldest marketplace; null if it has none.';

create function private.bid_decimals(currency text) returns integer
language sql stable security definer set search_path = ''
as $$
  select least(2, (select c.exponent from private.currencies c where c.code = currency))
$$;
comment on function private.bid_decimals is
  'The decimals of bids and prices of placement in a currency: those of the currency, and at most 2; 2 without a currency.';

create function private.bid_step(currency text) returns numeric
language sql stable set search_path = ''
as $$
  select round(10::numeric ^ -private.bid_decimals(currency), 2)
$$;
comment on function private.bid_step is 'The smallest bid in a currency, by which automatic bids rise.';

create function private.placement_category(tenant_id uuid, category_id uuid) returns public.placement_categories
language plpgsql stable security definer set search_path = ''
as $$
declare
  configured public.placement_categories;
begin
  select * into configured
  from public.placement_categories c
  where c.tenant_id = placement_category.tenant_id and c.category_id = placement_category.category_id;
  if not found then
    configured.tenant_id := placement_category.tenant_id;
    configured.category_id := placement_category.category_id;
    configured.base_price := 0;
    configured.max_slots := 3;
    configured.auction_enabled := true;
    configured.min_bid := 0.01;
    configured.other_prices := '[]';
    configured.forbidden := false;
    configured.rotation_minutes := 60;
    configured.display_priority := 'quality';
    configured.min_quality := 0;
  end if;
  -- The default is less than the smallest amount of some currencies.
  if configured.min_bid < 1 then
    configured.min_bid := greatest(configured.min_bid, private.bid_step(private.main_currency(configured.tenant_id)));
  end if;
  return configured;
end
$$;
comment on function private.placement_category is
  'How a category sells its promoted slots; the defaults if it has no row.';

create function private.placement_prices(category public.placement_categories)
returns table (currency text, base_price numeric, min_bid numeric)
language plpgsql stable security definer rows 2 set search_path = ''
as $$
#variable_conflict use_column
declare
  main constant text := private.main_currency(category.tenant_id);
begin
  return query
    select main, category.base_price, category.min_bid
    where main is not null
    union all
    select o.currency, o.base_price, o.min_bid
    from jsonb_to_recordset(category.other_prices) as o (currency text, base_price numeric(12, 2), min_bid numeric(12, 2))
    where o.currency <> main;
end
$$;
comment on function private.placement_prices is
  'A category''s prices in each currency in which it has some, first that of the tenant''s oldest marketplace.';

create function private.category_line(tenant_id uuid, category_id uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    with recursive line (id, parent_id, height) as (
      select c.id, c.parent_id, 0
      from public.categories c
      where c.tenant_id = category_line.tenant_id and c.id = category_line.category_id
      union all
      select c.id, c.parent_id, l.height + 1
      from line l
      join public.categories c on c.tenant_id = category_line.tenant_id and c.id = l.parent_id
    )
    select coalesce(array_agg(l.id order by l.height), '{}') from line l
  );
end
$$;
comment on function private.category_line is 'A category and its ancestors, nearest first.';

create function private.placement_way(tenant_id uuid, product_category_id uuid, category_id uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  line uuid[];
begin
  if product_category_id = category_id then
    return array[category_id];
  end if;
  line := private.category_line(tenant_id, product_category_id);
  return line[:array_position(line, category_id)];
end
$$;
comment on function private.placement_way is
  'The categories from a product''s own up to the one in which it is promoted; null if that is not an ancestor.';

create function private.placement_terms(tenant_id uuid, way uuid[], currency text) returns public.placement_categories
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  terms public.placement_categories :=
    private.placement_category(placement_terms.tenant_id, way[cardinality(way)]);
  base_price numeric;
  min_bid numeric;
begin
  select p.base_price, p.min_bid into base_price, min_bid
  from private.placement_prices(terms) as p
  where p.currency = placement_terms.currency;
  terms.base_price := base_price;
  terms.min_bid := min_bid;
  -- Booking an ancestor cannot be cheaper than booking the category itself.
  if cardinality(way) > 1 and terms.min_bid is not null then
    select
      greatest(terms.base_price, max(p.base_price)), greatest(terms.min_bid, max(p.min_bid)),
      greatest(terms.min_quality, max(c.min_quality))
    into terms.base_price, terms.min_bid, terms.min_quality
    from public.placement_categories c
    left join lateral private.placement_prices(c) as p on p.currency = placement_terms.currency
    where c.tenant_id = placement_terms.tenant_id and c.category_id = any (way);
  end if;
  return terms;
end
$$;
comment on function private.placement_terms is
  'The terms of the last category of a way for a campaign in a currency. base_price, min_bid and min_quality are the highest ones of the way. base_price and min_bid are null if the category has no prices in the currency.';

create function private.placement_is_forbidden(tenant_id uuid, category_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select 1
    from public.placement_categories c
    where c.tenant_id = placement_is_forbidden.tenant_id
      and c.category_id = any (
        private.category_line(placement_is_forbidden.tenant_id, placement_is_forbidden.category_id)
      )
      and c.forbidden
  );
end
$$;
comment on function private.placement_is_forbidden is
  'Whether promotions are forbidden in a category, because it or one of its ancestors forbids them.';

create function private.product_quality(product public.products) returns numeric
language sql immutable
return (
  30 * least(jsonb_array_length((product).images), 3) / 3.0
  + 30 * least(char_length((product).description), 300) / 300.0
  + 20 * least(jsonb_array_length((product).attributes), 4) / 4.0
  + case when (product).brand is null then 0 else 10 end
  + case when (product).category_id is null then 0 else 10 end
)::numeric(5, 2) / 100;
comment on function private.product_quality is
  'The quality of a product''s description, from 0 to 1: three images (0.3), a description of 300 characters (0.3), four attributes (0.2), a brand (0.1), a category (0.1).';

create function private.checked_amount(amount numeric, field text, currency text) returns numeric
language plpgsql stable set search_path = ''
as $$
declare
  decimals constant integer := private.bid_decimals(currency);
begin
  -- NaN is larger than any number.
  perform private.insist(
    amount is null or amount between 0 and 9999999999.99 and scale(trim_scale(amount)) <= decimals,
    field, format('an amount of at least 0 with at most %s decimals', decimals), to_jsonb(amount)
  );
  return amount;
end
$$;
comment on function private.checked_amount is
  'Returns an amount in a currency, or null, unchanged. Refuses with VALIDATION_ERROR an amount that is finer than the currency, or that a column would round or cannot hold.';

create function private.checked_prices(prices jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  entry record;
  field text;
begin
  perform private.insist(
    case when jsonb_typeof(prices) = 'array' then jsonb_array_length(prices) between 0 and 200 end,
    'prices', 'a list of at most 200', prices
  );
  for entry in
    select e.value, e.position, e.value ->> 'currency' as currency
    from jsonb_array_elements(prices) with ordinality as e (value, position)
  loop
    field := format('prices[%s]', entry.position - 1);
    perform private.insist_on_keys(entry.value, field, '{currency,base_price,min_bid}');
    perform private.insist(
      exists (select 1 from private.currencies c where c.code = entry.currency), field || '.currency',
      'an ISO 4217 code', entry.value -> 'currency'
    );
    perform private.insist(
      entry.position = (
        select min(e.position)
        from jsonb_array_elements(prices) with ordinality as e (value, position)
        where e.value ->> 'currency' = entry.currency
      ),
      field || '.currency', 'a currency that the list has once', entry.value -> 'currency'
    );
    perform private.insist(
      jsonb_typeof(entry.value -> 'base_price') = 'number', field || '.base_price', 'an amount',
      entry.value -> 'base_price'
    );
    perform private.checked_amount((entry.value ->> 'base_price')::numeric, field || '.base_price', entry.currency);
    perform private.insist(
      jsonb_typeof(entry.value -> 'min_bid') = 'number' and (entry.value ->> 'min_bid')::numeric >= 0.01,
      field || '.min_bid', 'an amount of at least 0.01', entry.value -> 'min_bid'
    );
    perform private.checked_amount((entry.value ->> 'min_bid')::numeric, field || '.min_bid', entry.currency);
  end loop;
  return prices;
end
$$;
comment on function private.checked_prices is
  'Returns prices of a category, [{currency, base_price, min_bid}], unchanged. Refuses with VALIDATION_ERROR anything else.';

create function public.get_placement_category(category_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  category public.categories;
  configured public.placement_categories;
begin
  if not (private.reads_all() or coalesce(private.tenant_role() = 'supplier', false)) then
    perform private.refuse('FORBIDDEN', 'Your role may not read the prices of placement.');
  end if;
  select * into category from public.categories c where c.id = get_placement_category.category_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such category.');
  end if;
  configured := private.placement_category(category.tenant_id, category.id);
  return jsonb_build_object('name', category.name)
    || to_jsonb(configured) - '{tenant_id,other_prices,created_at,updated_at}'::text[]
    || jsonb_build_object(
      'prices', (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from private.placement_prices(configured) as p)
    );
end
$$;
comment on function public.get_placement_category is
  'For admins, clients and suppliers: how a category sells its promoted slots, or the defaults. prices: [{currency, base_price, min_bid}]; base_price and min_bid are those in the currency of the tenant''s oldest marketplace. Refuses with FORBIDDEN, NOT_FOUND.';

create function private.promotion_key(viewer uuid, placement text, issued text) returns bytea
language sql stable security definer set search_path = ''
as $$
  select private.signed('promotions', concat_ws(' ', 'promotion', viewer, placement, issued))
$$;
comment on function private.promotion_key is
  'The key that signs all promotions shown to a viewer in a placement at one moment.';

create function private.promotion_seal(placement text) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  issued text := to_hex(extract(epoch from now())::bigint);
begin
  return placement || '.' || issued || '.' || encode(private.promotion_key(private.viewer_id(), placement, issued), 'hex');
end
$$;
comment on function private.promotion_seal is
  'The common part of the tokens in one response to the caller: its placement, its time in seconds, and their key in hex.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.promotion_token(campaign_id uuid, seal text) returns text
language sql immutable
return left(seal, -64) || encode(
  substring(extensions.hmac(convert_to(campaign_id::text, 'utf8'), decode(right(seal, 64), 'hex'), 'sha256') for 16), 'hex'
);
comment on function private.promotion_token is
  'The token that proves for a day that a campaign was shown to a viewer in a placement.';

create function private.is_promotion_token(token text, campaign_id uuid, viewer uuid, moment timestamptz) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  part text[] := regexp_match(token, '^(search|category|similar|top_sales)\.([0-9a-f]{1,12})\.[0-9a-f]{32}$');
begin
  return part is not null
    and to_timestamp(('x' || lpad(part[2], 16, '0'))::bit(64)::bigint)
      between moment - interval '24 hours' and moment + interval '5 minutes'
    and token = private.promotion_token(
      campaign_id,
      concat_ws('.', part[1], part[2], encode(private.promotion_key(viewer, part[1], part[2]), 'hex'))
    );
end
$$;
comment on function private.is_promotion_token is
  'Whether this token proves that a campaign was shown to a viewer within the last 24 hours.';

create function private.placement_settings(tenant_id uuid) returns public.placement_settings
language plpgsql stable security definer set search_path = ''
as $$
declare
  configured public.placement_settings;
begin
  select * into configured
  from public.placement_settings s
  where s.tenant_id = placement_settings.tenant_id;
  if not found then
    configured.tenant_id := placement_settings.tenant_id;
    configured.auction_log_share := 0.1;
    configured.clicks_per_visitor_and_hour := 20;
    configured.clicks_per_address_and_hour := 5;
    configured.click_account_age_minutes := 10;
  end if;
  return configured;
end
$$;
comment on function private.placement_settings is
  'The settings for all categories of a tenant; the defaults if it has no row.';

create function private.set_placement_settings(changes jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Only admins may configure placement.');
  end if;
  perform private.known_only(
    changes,
    '{auction_log_share,clicks_per_visitor_and_hour,clicks_per_address_and_hour,click_account_age_minutes}'
  );
  insert into public.placement_settings (tenant_id)
  values (private.tenant_id())
  on conflict (tenant_id) do nothing;
  update public.placement_settings s
  set auction_log_share = coalesce(trim_scale((changes ->> 'auction_log_share')::numeric), s.auction_log_share),
      clicks_per_visitor_and_hour =
        coalesce((changes ->> 'clicks_per_visitor_and_hour')::integer, s.clicks_per_visitor_and_hour),
      clicks_per_address_and_hour =
        coalesce((changes ->> 'clicks_per_address_and_hour')::integer, s.clicks_per_address_and_hour),
      click_account_age_minutes =
        coalesce((changes ->> 'click_account_age_minutes')::integer, s.click_account_age_minutes)
  where s.tenant_id = private.tenant_id();
end
$$;
comment on function private.set_placement_settings is
  'Changes the settings for all categories of the tenant, or refuses: FORBIDDEN, VALIDATION_ERROR.';

create function public.get_placement_settings() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  if not private.reads_all() then
    perform private.refuse('FORBIDDEN', 'Your role may not read the settings of placement.');
  end if;
  return to_jsonb(private.placement_settings(private.tenant_id())) - '{tenant_id,created_at,updated_at}'::text[];
end
$$;
comment on function public.get_placement_settings is
  'For admins and clients: the settings for all categories, with their defaults.';

create function public.set_placement_settings(changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.set_placement_settings(changes);
  return public.get_placement_settings();
end
$$;
comment on function public.set_placement_settings is
  'For admins: changes the settings that are sent (auction_log_share, clicks_per_visitor_and_hour, clicks_per_address_and_hour, click_account_age_minutes), and returns all settings.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.placement_categories
  for each row execute function private.keep_nfc();

create trigger placement_categories_touch
  before update on public.placement_categories
  for each row execute function private.touch();

create trigger placement_settings_touch
  before update on public.placement_settings
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.placement_categories enable row level security;
alter table public.placement_settings enable row level security;

create policy "Admins, clients and suppliers see what placement costs" on public.placement_categories
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role()) when 'supplier' then true else (select private.reads_all()) end
  );

create policy "Admins and clients see the settings of placement" on public.placement_settings
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id()) and (select private.reads_all())
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.placement_categories, public.placement_settings to authenticated;
grant all on public.placement_categories, public.placement_settings to service_role;
grant execute on function
  private.placement_category, private.placement_prices, private.placement_settings, private.set_placement_settings, private.promotion_seal,
  private.promotion_token
to authenticated;
grant execute on function
  public.get_placement_category, public.get_placement_settings, public.set_placement_settings
to authenticated;

-- supabase/schemas/placement/0910_campaigns.sql

-- Campaigns: products that their suppliers pay to show first, each in a category and for a period, and the daily shares
-- of their fees.

-- types ----------------------------------------------------------------------------------------

create type public.pricing_model as enum ('fixed', 'auction', 'cpc', 'hybrid');

create type public.campaign_status as enum (
  'pending_review', 'scheduled', 'active', 'paused', 'exhausted', 'completed', 'rejected', 'cancelled'
);

-- tables ---------------------------------------------------------------------------------------

create table public.campaigns (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  supplier_id uuid,
  marketplace_id uuid not null,
  currency text not null,
  product_id uuid not null,
  category_id uuid,
  pricing_model public.pricing_model not null,
  start_date timestamptz not null,
  end_date timestamptz not null,
  daily_budget numeric(12, 2),
  bid_amount numeric(12, 2) not null,
  max_bid numeric(12, 2),
  fee numeric(12, 2) not null default 0,
  regions text[],
  labels text[] not null default '{Promoted}',
  highlighted boolean not null default false,
  pinned boolean not null default false,
  status public.campaign_status not null,
  note text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint campaigns_tenant_id_id_key unique (tenant_id, id),
  constraint campaigns_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint campaigns_marketplace_id_fkey foreign key (tenant_id, marketplace_id, currency)
    references public.marketplaces (tenant_id, id, currency),
  constraint campaigns_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id),
  -- Only a campaign that has ended can lose its category: see check_category_runs_no_campaign.
  constraint campaigns_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id) on delete set null (category_id),
  constraint campaigns_end_date_is_after_it_starts check (end_date > start_date),
  constraint campaigns_bid_amount_is_not_negative check (bid_amount >= 0),
  constraint campaigns_max_bid_is_at_least_the_bid check (max_bid >= bid_amount),
  constraint campaigns_daily_budget_is_at_least_the_bid check (daily_budget >= bid_amount),
  constraint campaigns_fee_is_not_negative check (fee >= 0),
  constraint campaigns_regions_is_a_list_of_1_to_100 check (cardinality(regions) between 1 and 100),
  constraint campaigns_labels_is_one_or_more_of_top_advertisement_promoted check (
    cardinality(labels) between 1 and 3 and labels <@ array['TOP', 'Advertisement', 'Promoted']
  ),
  constraint campaigns_note_is_at_most_2000_characters check (char_length(note) <= 2000),
  constraint campaigns_product_runs_once_at_a_time exclude using gist (
    tenant_id with =, product_id with =, category_id with =, tstzrange(start_date, end_date) with &&
  ) where (status in ('pending_review', 'scheduled', 'active', 'paused', 'exhausted'))
);
comment on table public.campaigns is
  'Products that are shown first in a category, and the terms. Amounts are in the currency of the product''s marketplace; fee is for the whole period. Without a supplier it is the operator''s own campaign. note: why it was rejected.';

alter table public.campaigns replica identity full;
alter publication supabase_realtime add table public.campaigns;

-- indexes --------------------------------------------------------------------------------------

create index campaigns_tenant_id_created_at_idx on public.campaigns (tenant_id, created_at desc, id);
create index campaigns_supplier_idx on public.campaigns (tenant_id, supplier_id, created_at desc, id);
create index campaigns_status_idx on public.campaigns (tenant_id, status, created_at desc, id);
create index campaigns_product_idx on public.campaigns (tenant_id, product_id, created_at desc, id);
create index campaigns_category_idx on public.campaigns (tenant_id, category_id, created_at desc, id);
create index campaigns_marketplace_idx on public.campaigns (tenant_id, marketplace_id, currency);
-- Campaigns that compete, highest bid first.
create index campaigns_bids_idx on public.campaigns (tenant_id, category_id, bid_amount desc) where status = 'active';
create index campaigns_limits_idx on public.campaigns (tenant_id, category_id, max_bid)
  where status = 'active' and max_bid is not null;

-- functions ------------------------------------------------------------------------------------

create function private.lock_campaigns(category_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.hold('category_campaigns', category_id::text);
end
$$;
comment on function private.lock_campaigns is
  'Locks the campaigns of a category against changes until the end of the transaction. A transaction that also locks statistics of a day locks these before, and rows of campaigns after.';

create function private.campaign_way(campaign public.campaigns) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (
      select private.placement_way(p.tenant_id, p.category_id, campaign.category_id)
      from public.products p
      where p.tenant_id = campaign.tenant_id and p.id = campaign.product_id
    ),
    -- The product was moved out of the category.
    array[campaign.category_id]
  );
end
$$;
comment on function private.campaign_way is
  'The categories from that of a campaign''s product up to the one in which it is promoted.';

create function private.reviewed_status(start_date timestamptz) returns public.campaign_status
language sql stable
return case when start_date <= now() then 'active' else 'scheduled' end::public.campaign_status;
comment on function private.reviewed_status is
  'The status of an approved campaign: active, or scheduled if it starts later.';

create function private.fee_days(campaign public.campaigns) returns integer
language sql immutable
return ceil(extract(epoch from (campaign).end_date - (campaign).start_date) / 86400)::integer;
comment on function private.fee_days is 'The number of days over which the fee of a campaign is spread.';

create function private.fee_until(campaign public.campaigns, days integer) returns numeric
language sql immutable
return round((campaign).fee * days / private.fee_days(campaign), 2);
comment on function private.fee_until is 'The fee of the first days of a campaign, in whole cents.';

create function private.day_fee(campaign public.campaigns, day integer) returns numeric
language sql immutable
return private.fee_until(campaign, day + 1) - private.fee_until(campaign, day);
comment on function private.day_fee is
  'The fee of a day of a campaign; the first day is 0. All days together cost exactly the fee.';

create function private.first_day(campaign public.campaigns) returns date
language sql stable
return ((campaign).start_date at time zone private.time_zone_of((campaign).tenant_id))::date;
comment on function private.first_day is 'The day of the tenant on which a campaign starts.';

create function private.fee_days_begun(campaign public.campaigns) returns integer
language sql stable
return case
  when (campaign).start_date <= now() then least(
    private.fee_days(campaign), 1 + private.today((campaign).tenant_id) - private.first_day(campaign)
  )
  else 0
end;
comment on function private.fee_days_begun is
  'The number of days of a campaign''s fee that are due: the first when it starts, each other one when its day begins in the tenant''s time zone.';

create function private.keep_promoted_product() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (
      select 1 from public.campaigns c where c.tenant_id = old.tenant_id and c.product_id = old.id
    )
    and exists (select 1 from public.tenants t where t.id = old.tenant_id)
  then
    update public.products p
    set status = 'discontinued'
    where p.id = old.id and p.status <> 'discontinued';
    return null;
  end if;
  return old;
end
$$;
comment on function private.keep_promoted_product() is
  'Row trigger: discontinues a product that was ever promoted instead of deleting it, because its charges stay.';

create function private.cancel_campaigns_of_product() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.campaigns c
  set status = 'cancelled', note = 'The product is discontinued.'
  where c.tenant_id = new.tenant_id
    and c.product_id = new.id
    and c.status in ('pending_review', 'scheduled', 'active', 'paused', 'exhausted');
  return null;
end
$$;
comment on function private.cancel_campaigns_of_product() is
  'Row trigger: cancels the campaigns of a discontinued product.';

create function private.check_category_runs_no_campaign() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (
      select 1
      from public.campaigns c
      where c.tenant_id = old.tenant_id
        and c.category_id = old.id
        and c.status in ('pending_review', 'scheduled', 'active', 'paused', 'exhausted')
    )
    and exists (select 1 from public.tenants t where t.id = old.tenant_id)
  then
    perform private.refuse('CONFLICT', 'Products are promoted in this category. Cancel their campaigns first.');
  end if;
  return old;
end
$$;
comment on function private.check_category_runs_no_campaign() is
  'Row trigger: refuses with CONFLICT to delete a category in which campaigns have not ended.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.campaigns for each row execute function private.keep_nfc();

create trigger campaigns_check_status_move
  before update of status on public.campaigns
  for each row execute function private.check_status_move();

create trigger campaigns_touch
  before update on public.campaigns
  for each row execute function private.touch();

create trigger campaigns_adopt_currency
  before insert on public.campaigns
  for each row execute function private.adopt_currency();

create trigger products_stay_when_promoted
  before delete on public.products
  for each row execute function private.keep_promoted_product();

create trigger products_cancel_campaigns
  after update of status on public.products
  for each row when (new.status = 'discontinued' and old.status <> 'discontinued')
  execute function private.cancel_campaigns_of_product();

create trigger categories_check_that_no_campaign_runs
  before delete on public.categories
  for each row execute function private.check_category_runs_no_campaign();

-- policies -------------------------------------------------------------------------------------

alter table public.campaigns enable row level security;

create policy "Admins and clients see all campaigns, suppliers their own" on public.campaigns
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

-- grants ---------------------------------------------------------------------------------------

-- Only functions change campaigns, because a column would round an amount before a check could refuse it.
grant select on public.campaigns to authenticated;
grant all on public.campaigns to service_role;

-- supabase/schemas/placement/0920_placement_charges.sql

-- Charges of promoted placement: every charge is a row of a ledger that never changes, and the spend of a day follows
-- from the ledger.
--
-- All functions of placement take locks in one order, and those of a kind in the order of their keys, which prevents
-- deadlocks: orders, impressions, visitors, clicks, sales, and last the statistics of days. They skip a campaign's row
-- that another transaction has locked, because that one may be waiting for the campaign's statistics.

-- tables ---------------------------------------------------------------------------------------

create table public.campaign_statistics (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  campaign_id uuid not null,
  date date not null,
  impressions integer not null default 0,
  clicks integer not null default 0,
  spend numeric(14, 2) not null default 0,
  sales_count integer not null default 0,
  -- The same precision and range as amounts of orders, so that no order fails because its sales are counted here.
  sales_amount numeric not null default 0,
  constraint date_is_unique_in_campaign_statistics unique (campaign_id, date),
  constraint campaign_statistics_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references public.campaigns (tenant_id, id) on delete cascade,
  constraint campaign_statistics_impressions_is_not_negative check (impressions >= 0),
  constraint campaign_statistics_clicks_is_not_negative check (clicks >= 0),
  constraint campaign_statistics_spend_is_not_negative check (spend >= 0),
  constraint campaign_statistics_sales_count_is_not_negative check (sales_count >= 0),
  constraint campaign_statistics_sales_amount_is_not_negative check (sales_amount >= 0),
  constraint campaign_statistics_sales_amount_is_of_at_most_4_decimals check (scale(sales_amount) <= 4)
)
-- Each click updates the row of its day. Free space keeps the row on its page (HOT).
with (fillfactor = 70);
comment on table public.campaign_statistics is
  'The results and the spend of a campaign on each day of the tenant''s time zone. A new time zone applies from then on: earlier rows keep their date. clicks: all valid ones, charged or not. sales_count: lines of orders. Amounts are in the currency of the product''s marketplace.';

create table public.placement_charges (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  campaign_id uuid not null,
  kind text not null,
  amount numeric(12, 2) not null,
  date date not null,
  click_id uuid,
  explanation jsonb not null default '{}',
  created_at timestamptz not null default now(),
  constraint placement_charges_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references public.campaigns (tenant_id, id) on delete cascade,
  constraint placement_charges_kind_is_click_or_fee_or_refund check (kind in ('click', 'fee', 'refund')),
  constraint placement_charges_amount_is_negative_for_refunds_alone
    check (case kind when 'refund' then amount < 0 when 'click' then amount > 0 else amount >= 0 end),
  constraint placement_charges_click_id_is_there_for_clicks check (kind <> 'click' or click_id is not null),
  constraint placement_charges_explanation_is_an_object check (jsonb_typeof(explanation) = 'object')
);
comment on table public.placement_charges is
  'The ledger of promoted placement: every charged click and daily fee, and every refund (negative). The sum of a campaign''s rows of a date is the spend of that date. Rows never change.';

create table private.forbidden_periods (
  tenant_id uuid not null,
  category_id uuid not null,
  since timestamptz not null default clock_timestamp(),
  until timestamptz,
  constraint forbidden_periods_pkey primary key (tenant_id, category_id, since),
  constraint forbidden_periods_category_id_fkey foreign key (tenant_id, category_id)
    references public.placement_categories (tenant_id, category_id) on delete cascade
);
comment on table private.forbidden_periods is
  'The periods in which promotions were forbidden in a category. Clicks and fees are judged by the time at which they happened, and not by the time of their report. until: null while the category is forbidden.';

-- indexes --------------------------------------------------------------------------------------

create unique index campaign_statistics_tenant_id_date_idx on public.campaign_statistics (tenant_id, date, campaign_id, id);
alter table public.campaign_statistics replica identity using index campaign_statistics_tenant_id_date_idx;

create unique index placement_charges_campaign_idx on public.placement_charges (tenant_id, campaign_id, created_at desc, id);
alter table public.placement_charges replica identity using index placement_charges_campaign_idx;
-- By the day of the campaign: after a change of the tenant's time zone, a date may begin a second time.
create unique index fee_is_unique_in_placement_charges on public.placement_charges (campaign_id, (explanation ->> 'day'))
  where kind = 'fee';
create unique index click_id_is_unique_in_placement_charges on public.placement_charges (tenant_id, click_id, kind)
  where click_id is not null;

-- functions ------------------------------------------------------------------------------------

create function private.lock_statistics(campaign_ids uuid[], dates date[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.campaign_statistics (tenant_id, campaign_id, date)
  select c.tenant_id, wanted.campaign_id, wanted.date
  from (
    select distinct w.campaign_id, w.date from unnest(campaign_ids, dates) as w (campaign_id, date)
  ) as wanted
  join public.campaigns c on c.id = wanted.campaign_id
  order by wanted.campaign_id, wanted.date
  on conflict on constraint date_is_unique_in_campaign_statistics do nothing;

  perform 1
  from public.campaign_statistics s
  where s.campaign_id = any (campaign_ids)
    and (s.campaign_id, s.date) in (select w.campaign_id, w.date from unnest(campaign_ids, dates) as w (campaign_id, date))
  order by s.campaign_id, s.date
  for no key update;
end
$$;
comment on function private.lock_statistics is
  'Locks the statistics of these days of campaigns, in the order of their keys, and creates missing ones.';

create function private.follow_budgets(campaign_ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  with held as (
    select c.id, c.daily_budget - coalesce(s.spend, 0) >= c.bid_amount as runs
    from public.campaigns c
    join public.tenants t on t.id = c.tenant_id
    left join public.campaign_statistics s on s.campaign_id = c.id and s.date = (now() at time zone t.time_zone)::date
    where c.id = any (campaign_ids)
      and c.daily_budget is not null
      and c.pricing_model <> 'fixed'
      and c.status in ('active', 'exhausted')
      and (c.status = 'active') <> (c.daily_budget - coalesce(s.spend, 0) >= c.bid_amount)
    order by c.id
    for no key update of c skip locked
  )
  update public.campaigns c
  set status = case when held.runs then 'active' else 'exhausted' end::public.campaign_status
  from held
  where c.id = held.id;
end
$$;
comment on function private.follow_budgets is
  'Sets campaigns to exhausted if today''s budget does not cover another click, and back to active if it does.';

create function private.follow_charges() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if not exists (select 1 from new_charges) then
    return null;
  end if;
  perform private.lock_statistics(array_agg(c.campaign_id), array_agg(c.date))
  from new_charges c;

  update public.campaign_statistics s
  set spend = s.spend + charged.amount
  from (
    select c.campaign_id, c.date, sum(c.amount) as amount
    from new_charges c
    group by c.campaign_id, c.date
  ) as charged
  where s.campaign_id = charged.campaign_id and s.date = charged.date;

  perform private.follow_budgets(array_agg(distinct c.campaign_id))
  from new_charges c;
  return null;
end
$$;
comment on function private.follow_charges() is
  'Statement trigger: adds charges to the spend of their days, and updates the status of campaigns by their budget.';

create function private.follow_prohibition() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update private.forbidden_periods f
  set until = greatest(clock_timestamp(), f.since)
  where f.tenant_id = new.tenant_id and f.category_id = new.category_id and f.until is null and not new.forbidden;
  if new.forbidden then
    insert into private.forbidden_periods (tenant_id, category_id) values (new.tenant_id, new.category_id);
  end if;
  return null;
end
$$;
comment on function private.follow_prohibition() is
  'Row trigger: records when a category becomes forbidden and when it is allowed again.';

create function private.forbidden_times(campaign public.campaigns) returns tstzmultirange
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- Most operators forbid nothing.
  if not exists (select 1 from private.forbidden_periods f where f.tenant_id = campaign.tenant_id) then
    return '{}'::tstzmultirange;
  end if;
  return (
    select coalesce(range_agg(tstzrange(f.since, f.until)), '{}')
    from private.forbidden_periods f
    where f.tenant_id = campaign.tenant_id
      and f.category_id = any (
        private.category_line(campaign.tenant_id, campaign.category_id)
        || (
          select private.category_line(p.tenant_id, p.category_id)
          from public.products p
          where p.tenant_id = campaign.tenant_id and p.id = campaign.product_id
        )
      )
  );
end
$$;
comment on function private.forbidden_times is
  'The periods in which a campaign got no slot because its category, that of its product, or an ancestor of these was forbidden.';

create function private.fee_is_waived(campaign public.campaigns, date date) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return greatest(date::timestamp at time zone private.time_zone_of(campaign.tenant_id), campaign.start_date)
    <@ private.forbidden_times(campaign);
end
$$;
comment on function private.fee_is_waived is
  'Whether promotions were forbidden in a campaign''s category when its day began.';

create function private.charge_campaign(
  campaign_id uuid, kind text, amount numeric, click_id uuid, explanation jsonb, date date default null
) returns boolean
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  day date := coalesce(
    charge_campaign.date,
    (select private.today(c.tenant_id) from public.campaigns c where c.id = charge_campaign.campaign_id)
  );
  target record;
  details jsonb := coalesce(charge_campaign.explanation, '{}');
begin
  perform private.lock_statistics(array[charge_campaign.campaign_id], array[day]);
  -- Read after the lock, so that it stays true.
  select
    c.tenant_id, c.daily_budget, s.spend,
    charge_campaign.kind = 'fee' and private.fee_is_waived(c, day) as is_free
  into target
  from public.campaigns c
  join public.campaign_statistics s on s.campaign_id = c.id and s.date = day
  where c.id = charge_campaign.campaign_id;
  if not found then
    perform private.refuse(
      'NOT_FOUND', 'There is no such campaign.', 'campaign_id', to_jsonb(charge_campaign.campaign_id)
    );
  elsif exists (
    select 1
    from public.placement_charges p
    where p.campaign_id = charge_campaign.campaign_id and p.kind = charge_campaign.kind
      and case charge_campaign.kind
        when 'fee' then p.explanation ->> 'day' = details ->> 'day'
        else p.click_id = charge_campaign.click_id
      end
  ) then
    return true;
  elsif target.is_free then
    -- A charge of 0 settles the day, so that it is not charged later when the category is allowed again.
    amount := 0;
    details := details || jsonb_build_object('waived', 'forbidden');
  elsif charge_campaign.kind <> 'refund' and target.spend + charge_campaign.amount > target.daily_budget then
    return false;
  end if;
  insert into public.placement_charges (tenant_id, campaign_id, kind, amount, date, click_id, explanation)
  values (
    target.tenant_id, charge_campaign.campaign_id, charge_campaign.kind, charge_campaign.amount, day,
    charge_campaign.click_id, details
  );
  return true;
end
$$;
comment on function private.charge_campaign is
  'Writes a click, a daily fee or a refund (negative) into the ledger of a campaign, on a date of the tenant (default: today), under the lock of that day''s statistics. A fee names the day of the campaign in its explanation. Returns false, and writes nothing, if a click or fee would exceed the daily budget. A daily fee and a click are written once: returns true if they exist. The fee of a day is 0 if the category was forbidden when it began.';

create function private.refund_clicks(tenant_id uuid, click_ids uuid[], reason text, note text default null)
returns table (campaign_id uuid, amount numeric)
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with refunded as (
    insert into public.placement_charges (tenant_id, campaign_id, kind, amount, date, click_id, explanation)
    select
      p.tenant_id, p.campaign_id, 'refund', -p.amount, p.date, p.click_id,
      jsonb_strip_nulls(jsonb_build_object('reason', refund_clicks.reason, 'note', refund_clicks.note, 'charge_id', p.id))
    from public.placement_charges p
    where p.tenant_id = refund_clicks.tenant_id and p.click_id = any (refund_clicks.click_ids) and p.kind = 'click'
    on conflict do nothing
    returning placement_charges.campaign_id, placement_charges.amount
  )
  select r.campaign_id, -r.amount from refunded r;
end
$$;
comment on function private.refund_clicks is
  'Refunds the charges of these clicks, each once and on the date of its charge. The caller has locked their statistics.';

create function private.unpaid_fee(campaign public.campaigns, date date) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
declare
  day integer := unpaid_fee.date - private.first_day(campaign);
begin
  if campaign.fee = 0 or day not between 0 and private.fee_days(campaign) - 1
    or private.fee_is_waived(campaign, unpaid_fee.date)
    or exists (
      select 1
      from public.placement_charges p
      where p.campaign_id = campaign.id and p.explanation ->> 'day' = (day + 1)::text and p.kind = 'fee'
    )
  then
    return 0;
  end if;
  return private.day_fee(campaign, day);
end
$$;
comment on function private.unpaid_fee is
  'The part of a day''s budget that its fee still needs, because the job may not have charged it yet.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.placement_charges
  for each row execute function private.keep_nfc();

create trigger placement_categories_are_forbidden
  after insert on public.placement_categories
  for each row when (new.forbidden)
  execute function private.follow_prohibition();

create trigger placement_categories_change_whether_forbidden
  after update of forbidden on public.placement_categories
  for each row when (new.forbidden <> old.forbidden)
  execute function private.follow_prohibition();

create trigger placement_charges_make_spend
  after insert on public.placement_charges
  referencing new table as new_charges
  for each statement execute function private.follow_charges();

-- policies -------------------------------------------------------------------------------------

alter table public.campaign_statistics enable row level security;
alter table public.placement_charges enable row level security;
alter table private.forbidden_periods enable row level security;

create policy "Admins and clients see all statistics, suppliers those of their campaigns" on public.campaign_statistics
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      -- A subquery, so that it is evaluated once and not for each row.
      when 'supplier' then campaign_id in (
        select c.id from public.campaigns c where c.supplier_id = (select private.supplier_id())
      )
      else (select private.reads_all())
    end
  );

create policy "Admins and clients see all charges, suppliers those of their campaigns" on public.placement_charges
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      -- A subquery, so that it is evaluated once and not for each row.
      when 'supplier' then campaign_id in (
        select c.id from public.campaigns c where c.supplier_id = (select private.supplier_id())
      )
      else (select private.reads_all())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.campaign_statistics, public.placement_charges to authenticated, service_role;
revoke insert, update, delete, truncate on public.campaign_statistics, public.placement_charges from service_role;

-- supabase/schemas/placement/0930_auctions.sql

-- Auctions: which campaigns are shown first, in which order, and what a click costs. Every product list without a
-- requested sort order holds one. Higher bids come first; a campaign pays the lowest price that keeps its slot.

-- types ----------------------------------------------------------------------------------------

create type private.contender as (
  campaign_id uuid, product_id uuid, category_id uuid, product_category_id uuid, supplier_id uuid,
  marketplace_id uuid, bid numeric, min_bid numeric, quality numeric, reason text, merit double precision,
  turn double precision, price numeric, max_slots integer, labels text[], highlighted boolean, pinned boolean,
  place integer
);
comment on type private.contender is
  'A campaign in an auction. min_bid: the lowest bid for its product in this category. reason: why it gets no slot. merit and turn: the order of equal bids. max_slots: that of its category. place: its slot, from 1.';

-- tables ---------------------------------------------------------------------------------------

create table private.auctions (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  placement text not null,
  category_id uuid,
  region text,
  held_at timestamptz not null default now(),
  size integer not null,
  candidates jsonb not null,
  counted boolean not null default false,
  constraint auctions_pkey primary key (tenant_id, id),
  constraint auctions_region_is_at_most_64_characters check (char_length(region) <= 64),
  constraint auctions_placement_is_search_category_similar_or_top_sales
    check (placement in ('search', 'category', 'similar', 'top_sales'))
);
comment on table private.auctions is
  'A share of the auctions of the last day. size: the number of products on the page. candidates: each campaign with its bid, quality, position and price, or the reason why it got no slot. counted: it is included in campaign_auctions.';

create table public.campaign_auctions (
  tenant_id uuid not null,
  campaign_id uuid not null,
  date date not null,
  held bigint not null default 0,
  won bigint not null default 0,
  lost_to_bid bigint not null default 0,
  lost_to_budget bigint not null default 0,
  lost_to_stock bigint not null default 0,
  lost_otherwise bigint not null default 0,
  constraint campaign_auctions_pkey primary key (tenant_id, campaign_id, date),
  constraint campaign_auctions_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references public.campaigns (tenant_id, id) on delete cascade
);
comment on table public.campaign_auctions is
  'The recorded auctions of a campaign on a day of the tenant''s time zone: in how many it took part (held), how many it won, and why it lost the others.';

-- indexes --------------------------------------------------------------------------------------

create index auctions_tenant_id_held_at_idx on private.auctions (tenant_id, held_at desc, id);
create index auctions_category_idx on private.auctions (tenant_id, category_id, held_at desc, id);
create index auctions_held_at_idx on private.auctions (held_at);
create index auctions_uncounted_idx on private.auctions (held_at) where not counted;

-- functions ------------------------------------------------------------------------------------

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.running_campaigns(
  tenant uuid, branch uuid[], explained boolean, among uuid[], at_least numeric, below numeric
) returns setof public.campaigns
language sql stable
begin atomic
  select c.*
  from public.campaigns c
  where running_campaigns.branch is null
    and c.tenant_id = running_campaigns.tenant
    and c.status = 'active'
    and (running_campaigns.among is null or c.product_id = any (running_campaigns.among))
    and (running_campaigns.at_least is null or c.bid_amount >= running_campaigns.at_least)
    and (running_campaigns.below is null or c.bid_amount < running_campaigns.below)
  union all
  select c.*
  from public.campaigns c
  where running_campaigns.branch is not null
    and c.tenant_id = running_campaigns.tenant
    and c.category_id = any (running_campaigns.branch)
    and c.status = 'active'
    and (running_campaigns.among is null or c.product_id = any (running_campaigns.among))
    and (running_campaigns.at_least is null or c.bid_amount >= running_campaigns.at_least)
    and (running_campaigns.below is null or c.bid_amount < running_campaigns.below)
  union all
  select c.*
  from public.campaigns c
  where running_campaigns.explained
    and c.tenant_id = running_campaigns.tenant
    and c.status = 'exhausted'
    and (running_campaigns.branch is null or c.category_id = any (running_campaigns.branch));
end;
comment on function private.running_campaigns is
  'The active campaigns of a tenant in these categories (null: all), for some products (among, null: all) and with some bids (at_least, below); with explained also the exhausted campaigns of the categories.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.asked_of_campaign(
  configured public.placement_categories, usual public.placement_categories, tenant uuid, main text,
  promoted_in uuid, product_category uuid, currency text
) returns table (
  max_slots integer, rotation_minutes integer, display_priority text, is_above boolean, way uuid[],
  min_bid numeric, min_quality numeric
)
language sql stable
begin atomic
  select
    r.max_slots, r.rotation_minutes, r.display_priority, w.is_above, w.way,
    case when w.way is null then r.min_bid else (t.terms).min_bid end,
    coalesce((t.terms).min_quality, r.min_quality)
  from (
    select
      coalesce((configured).max_slots, (usual).max_slots) as max_slots,
      case
        when asked_of_campaign.currency = main then coalesce((configured).min_bid, (usual).min_bid)
        else (
          select s.min_bid from private.placement_prices(configured) as s where s.currency = asked_of_campaign.currency
        )
      end as min_bid,
      coalesce((configured).rotation_minutes, (usual).rotation_minutes) as rotation_minutes,
      coalesce((configured).display_priority, (usual).display_priority) as display_priority,
      coalesce((configured).min_quality, (usual).min_quality) as min_quality
  ) as r
  cross join lateral (
    select
      product_category is distinct from promoted_in as is_above,
      case
        when product_category is distinct from promoted_in
          then private.placement_way(tenant, product_category, promoted_in)
      end as way
    offset 0
  ) as w
  cross join lateral (
    -- Most campaigns are in the category of their product, where no other terms apply.
    select case when w.way is not null then private.placement_terms(tenant, w.way, asked_of_campaign.currency) end as terms
    offset 0
  ) as t;
end;
comment on function private.asked_of_campaign is
  'The terms of the category in which a product is promoted. configured: the row of the category; null if it has none, so that usual applies. main: the tenant''s main currency. is_above: the category is not the product''s own; way: the categories between both, null if the category is no longer an ancestor.';

create function private.closed_categories(tenant_id uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(
    select below.id
    from public.placement_categories f
    cross join lateral unnest(private.category_branch(f.tenant_id, f.category_id)) as below (id)
    where f.tenant_id = closed_categories.tenant_id and f.forbidden
  );
end
$$;
comment on function private.closed_categories is
  'All categories in which promotions are forbidden, as placement_is_forbidden defines it.';

create function private.judged_campaigns(
  tenant uuid, branch uuid[], regions text[], explained boolean, among uuid[], at_least numeric, below numeric
) returns table (
  id uuid, product_id uuid, category_id uuid, product_category_id uuid, supplier_id uuid, bid_amount numeric,
  pricing_model public.pricing_model, marketplace_id uuid, created_at timestamptz, labels text[], highlighted boolean,
  pinned boolean, max_slots integer, min_bid numeric, display_priority text, rotation_minutes integer, way uuid[],
  quality numeric, reason text
)
-- Planned once: 0.97 ms without, 0.08 with, for the places of a category.
language plpgsql stable security definer rows 20 set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  today constant date := private.today(tenant);
  -- The defaults, for categories without a row.
  usual constant public.placement_categories := private.placement_category(tenant, null);
  main constant text := private.main_currency(tenant);
  -- Read beforehand, because a join might read all products of the marketplaces.
  open_marketplaces constant uuid[] := array(
    select m.id from public.marketplaces m where m.tenant_id = tenant and m.status = 'active'
  );
  closed constant uuid[] := private.closed_categories(tenant);
begin
  return query
    with running as materialized (
      select r.* from private.running_campaigns(tenant, branch, explained, among, at_least, below) as r
    )
    select
      k.id, k.product_id, k.category_id, p.category_id, k.supplier_id, k.bid_amount, k.pricing_model,
      k.marketplace_id, k.created_at, k.labels, k.highlighted, k.pinned, a.max_slots, a.min_bid, a.display_priority,
      a.rotation_minutes, a.way, q.quality,
      -- Each row has at most one reason. This expression is evaluated once per row.
      case
        -- clock_timestamp(), because the campaign may have started while this transaction waited for the category's lock.
        when k.start_date > clock_timestamp() or now() >= k.end_date then 'dates'
        when k.category_id = any (closed) or p.category_id = any (closed) then 'forbidden'
        when k.regions is not null and not coalesce(k.regions && judged_campaigns.regions, false) then 'region'
        when p.status = 'out_of_stock' then 'stock'
        when p.status <> 'active' or p.marketplace_id <> all (open_marketplaces) then 'status'
        when a.is_above and a.way is null then 'category'
        when private.is_in_stock(p.id, p.track_inventory) is not true then 'stock'
        when q.quality < a.min_quality then 'quality'
        when k.status = 'exhausted' then 'budget'
        -- A campaign with a daily fee keeps its slots, whatever a click would cost.
        when k.pricing_model = 'fixed' then null
        -- If the category has no prices in the currency, no bid is high enough.
        when (k.bid_amount >= a.min_bid) is not true then 'bid'
        when k.daily_budget - k.bid_amount < coalesce(
          (select s.spend from public.campaign_statistics s where s.campaign_id = k.id and s.date = today), 0
        ) + case
          when k.pricing_model = 'hybrid'
            then (select private.unpaid_fee(c, today) from public.campaigns c where c.id = k.id)
          else 0
        end then 'budget'
      end
    from (select r.*, count(*) over (partition by r.bid_amount) > 1 as is_equalled from running r) as k
    left join public.placement_categories o on o.tenant_id = tenant and o.category_id = k.category_id
    join public.products p on p.tenant_id = tenant and p.id = k.product_id
    cross join lateral private.asked_of_campaign(o, usual, tenant, main, k.category_id, p.category_id, k.currency) as a
    cross join lateral (
      -- Only where it is needed, because nothing else about a product takes as long to compute.
      select case
        when explained or a.min_quality > 0 or k.is_equalled and a.display_priority = 'quality'
          then private.product_quality(p)
      end as quality
      offset 0
    ) as q;
end
$$;
comment on function private.judged_campaigns is
  'The campaigns of running_campaigns with the terms of their category, and the reason why each may get no slot for visitors in these regions; null if it may get one.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.turn_of(campaign_id uuid, rotation_minutes integer) returns double precision
language sql stable
return (
  uuid_hash_extended(campaign_id, floor(date_part('epoch', now()) / (60 * rotation_minutes))::bigint)
  & x'fffffffffffff'::bigint
) / 4503599627370496.0::double precision;
comment on function private.turn_of is
  'A number from 0 to 1 for a campaign that changes with each rotation of its category, so that equal bids take turns.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.merit_of(
  display_priority text, quality numeric, created_at timestamptz, turn double precision
) returns double precision
language sql stable
return case display_priority
  when 'quality' then coalesce(quality::double precision, 0)
  when 'newest' then date_part('epoch', created_at) / 1e10
  else turn
end;
comment on function private.merit_of is
  'The rank of a campaign among equal bids, by the display_priority of its category. The highest comes first.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.price_of_click(bid numeric, min_bid numeric, next_bid numeric) returns numeric
language sql immutable
return least(bid, greatest(min_bid, next_bid));
comment on function private.price_of_click is
  'The price of a click: the next lower bid (null: there is none), at least min_bid and at most the campaign''s own bid.';

create function private.contenders(
  tenant_id uuid, branch uuid[], regions text[] default null, explained boolean default true,
  among uuid[] default null, at_least numeric default null, below numeric default null
) returns setof private.contender
language plpgsql stable security definer rows 20 set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    with ranked as (
      select
        j.*, j.reason is null as may_win, t.turn,
        private.merit_of(j.display_priority, j.quality, j.created_at, t.turn) as merit
      from private.judged_campaigns(
        contenders.tenant_id, contenders.branch, contenders.regions, contenders.explained, contenders.among,
        contenders.at_least, contenders.below
      ) as j
      cross join lateral (select private.turn_of(j.id, j.rotation_minutes) as turn) as t
    ),
    -- Each campaign with the next lower one in its category and marketplace. A campaign that may not get a slot raises no
    -- other that may.
    beside_lower as (
      select
        r.*, lag(r.bid_amount) over lower as lower_bid,
        lag(r.supplier_id) over lower is distinct from r.supplier_id as is_lower_of_another
      from ranked r
      window lower as (
        partition by r.category_id, r.marketplace_id, r.may_win order by r.bid_amount, r.merit, r.turn, r.id desc
      )
    ),
    -- Each campaign with the highest bid below its own that raises its price.
    beside_next as (
      select
        b.*,
        greatest(
          -- A supplier does not raise its own price: if the next lower bid is its own, the one below that counts.
          max(b.lower_bid) filter (where b.is_lower_of_another) over (
            partition by b.category_id, b.marketplace_id, b.may_win order by b.bid_amount, b.merit, b.turn, b.id desc
            rows unbounded preceding
          ),
          -- If an ancestor of the product's category is shown, campaigns in the categories between both compete too.
          case
            when contenders.explained and b.way is not null then (
              select max(o.bid_amount)
              from ranked o
              where o.may_win
                and o.category_id = any (b.way)
                and o.category_id <> b.category_id
                and o.marketplace_id = b.marketplace_id
                and o.supplier_id is distinct from b.supplier_id
                and (o.bid_amount, o.merit, o.turn, b.id) < (b.bid_amount, b.merit, b.turn, o.id)
            )
          end
        ) as next_bid
      from beside_lower b
    )
    select
      n.id, n.product_id, n.category_id, n.product_category_id, n.supplier_id, n.marketplace_id, n.bid_amount, n.min_bid,
      n.quality, n.reason, n.merit, n.turn,
      case when n.pricing_model = 'fixed' then 0 else private.price_of_click(n.bid_amount, n.min_bid, n.next_bid) end,
      n.max_slots, n.labels, n.highlighted, n.pinned, null::integer
    from beside_next n
    order by n.bid_amount desc, n.merit desc, n.turn desc, n.id;
end
$$;
comment on function private.contenders is
  'The campaigns in these categories (null: all of the tenant) for visitors in these regions (null: unknown), in the order in which they get slots. Running campaigns that may get none have a reason: dates, forbidden, region, stock, status, category (its product was moved out of it), quality, budget, bid. Equal bids are ordered by the category''s display_priority, then by turn. Prices are valid only if explained is true and products and bids are not limited (among, at_least, below). Unless explained, quality may be null.';

create function private.first_bids(
  tenant_id uuid, branch uuid[], among uuid[], below numeric, wanted integer
) returns numeric
-- Planned once: 0.29 ms without, 0.07 with, for a whole catalog.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return (
    select min(b.bid_amount)
    from (
      select c.bid_amount
      from (
        select a.bid_amount
        from public.campaigns a
        where first_bids.branch is null
          and a.tenant_id = first_bids.tenant_id
          and a.status = 'active'
          and (first_bids.among is null or a.product_id = any (first_bids.among))
        union all
        select a.bid_amount
        from public.campaigns a
        where first_bids.branch is not null
          and a.tenant_id = first_bids.tenant_id
          and a.category_id = any (first_bids.branch)
          and a.status = 'active'
          and (first_bids.among is null or a.product_id = any (first_bids.among))
      ) as c
      where first_bids.below is null or c.bid_amount < first_bids.below
      order by c.bid_amount desc
      limit wanted
    ) as b
  );
end
$$;
comment on function private.first_bids is
  'The lowest of the highest bids below an amount (null: of all bids), this many of them; null if there are none.';

create function private.places(
  tenant_id uuid, branch uuid[], among uuid[], size integer, region text, explained boolean
) returns setof private.contender
language plpgsql stable security definer rows 10 set search_path = ''
as $$
declare
  open_places integer := floor(size * 0.3);
  taken integer := 0;
  taken_products uuid[] := '{}'::uuid[];
  taken_categories uuid[] := '{}'::uuid[];
  looked_at integer := greatest(16, 4 * open_places);
  below numeric;
  at_least numeric;
  -- Prices need all bids. If among has few products, all of them are looked at just as fast.
  all_at_once boolean := explained or coalesce(cardinality(among) <= looked_at, false);
  contender private.contender;
begin
  if among = '{}' then
    return;
  elsif branch is not null then
    open_places := least(open_places, (private.placement_category(tenant_id, branch[1])).max_slots);
  end if;

  -- Reads the highest bids first, and lower ones only while slots are free, so that a category with a thousand
  -- campaigns takes no longer.
  while explained or taken < open_places loop
    if not all_at_once then
      at_least := private.first_bids(tenant_id, branch, among, below, looked_at);
      exit when at_least is null;
    end if;
    for contender in
      select *
      from private.contenders(
        tenant_id, branch, array[private.nfc(region)], explained, case when not explained then among end, at_least, below
      )
    loop
      continue when not coalesce(contender.product_id = any (among), true)
        or not coalesce(contender.product_category_id = any (branch), branch is null);
      if contender.reason is null then
        contender.reason := case
          when contender.product_id = any (taken_products) then 'product'
          when taken >= open_places
            or cardinality(array_positions(taken_categories, contender.category_id)) >= contender.max_slots
            then 'outbid'
        end;
        if contender.reason is null then
          taken := taken + 1;
          contender.place := taken;
          taken_products := taken_products || contender.product_id;
          taken_categories := taken_categories || contender.category_id;
        end if;
      end if;
      if explained or contender.place is not null then
        return next contender;
      end if;
      exit when taken >= open_places and not explained;
    end loop;
    exit when all_at_once;
    below := at_least;
    looked_at := looked_at * 4;
  end loop;
end
$$;
comment on function private.places is
  'The campaigns that get the first slots on a page of size products: at most 30 % of the page, at most max_slots of each category and of the first category of the branch, and each product once. With explained also all other campaigns with the reason: those of contenders, product (it has a slot already), outbid.';

create function private.click_price(campaign_id uuid) returns table (price numeric, explanation jsonb)
language plpgsql stable security definer set search_path = ''
as $$
declare
  campaign public.campaigns;
  way uuid[];
  min_bid numeric;
  contender private.contender;
  below numeric;
  at_least numeric;
  looked_at integer := 8;
  is_passed boolean := false;
  next_bid numeric;
begin
  select c.* into campaign from public.campaigns c where c.id = campaign_id;
  if not found then
    return;
  end if;
  if campaign.pricing_model = 'fixed' then
    return query select 0::numeric, jsonb_build_object('priced_by', 'fee');
    return;
  end if;
  way := private.campaign_way(campaign);
  -- The operator may have removed the category's prices in this currency since.
  min_bid := coalesce((private.placement_terms(campaign.tenant_id, way, campaign.currency)).min_bid, 0);

  -- First campaigns with the same bid, then lower ones until the first that may get a slot.
  below := campaign.bid_amount + 0.01;
  while next_bid is null loop
    at_least := private.first_bids(campaign.tenant_id, way, null, below, looked_at);
    exit when at_least is null;
    for contender in
      select *
      from private.contenders(campaign.tenant_id, way, campaign.regions, false, null, at_least, below)
    loop
      is_passed := is_passed or contender.bid < campaign.bid_amount;
      if contender.campaign_id = campaign_id then
        is_passed := true;
      elsif is_passed
        and contender.reason is null
        and contender.marketplace_id = campaign.marketplace_id
        and contender.supplier_id is distinct from campaign.supplier_id
      then
        next_bid := contender.bid;
        exit;
      end if;
    end loop;
    below := at_least;
    looked_at := looked_at * 4;
  end loop;

  price := private.price_of_click(campaign.bid_amount, min_bid, next_bid);
  explanation := jsonb_build_object(
    'bid_amount', campaign.bid_amount,
    'min_bid', min_bid,
    'priced_by', case
      when price = campaign.bid_amount then 'own_bid'
      when next_bid > min_bid then 'next_bid'
      else 'min_bid'
    end
  );
  return next;
end
$$;
comment on function private.click_price is
  'The current price of a click for a campaign: the next lower bid of another supplier in its marketplace that may get a slot in its category, or in a category between that and the product''s own. The price is at least the highest min_bid of these categories and at most the campaign''s bid; 0 if the campaign pays a fee instead. explanation: {bid_amount, min_bid, priced_by}, which names no competitor.';

create function private.check_region(region text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if char_length(region) > 64 then
    perform private.refuse('VALIDATION_ERROR', 'region must have at most 64 characters.', 'region', to_jsonb(region));
  end if;
end
$$;
comment on function private.check_region is 'Refuses with VALIDATION_ERROR a region of more than 64 characters.';

create function private.hold_auction(placement text, branch uuid[], among uuid[], size integer, region text)
returns table (
  place integer, product_id uuid, campaign_id uuid, labels text[], highlighted boolean, pinned boolean
)
language plpgsql security definer rows 10 set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant constant uuid := private.tenant_id();
  is_kept constant boolean := random() < coalesce(
    (select s.auction_log_share from public.placement_settings s where s.tenant_id = tenant), 0.1
  );
  held private.contender[];
begin
  perform private.check_region(hold_auction.region);
  if not is_kept or tenant is null then
    return query
      select h.place, h.product_id, h.campaign_id, h.labels, h.highlighted, h.pinned
      from private.places(
        tenant, hold_auction.branch, hold_auction.among, hold_auction.size, hold_auction.region, false
      ) as h;
    return;
  end if;

  held := array(
    select h
    from private.places(tenant, hold_auction.branch, hold_auction.among, hold_auction.size, hold_auction.region, true) as h
  );
  if held <> '{}' then
    insert into private.auctions (tenant_id, placement, category_id, region, size, candidates)
    select
      tenant, hold_auction.placement, hold_auction.branch[1], hold_auction.region, hold_auction.size,
      jsonb_agg(
        jsonb_build_object(
          'campaign_id', h.campaign_id, 'product_id', h.product_id, 'bid_amount', h.bid, 'quality', h.quality,
          'eligible', h.reason is null or h.reason in ('outbid', 'product'), 'reason', h.reason,
          'position', h.place, 'price', case when h.place is not null then h.price end
        )
        order by h.place, h.bid desc, h.campaign_id
      )
    from unnest(held) as h;
  end if;
  return query
    select h.place, h.product_id, h.campaign_id, h.labels, h.highlighted, h.pinned
    from unnest(held) as h
    where h.place is not null
    order by h.place;
end
$$;
comment on function private.hold_auction is
  'Holds an auction in the caller''s tenant for a page of size products, and returns the products that are shown first. branch: the requested category before its descendants (null: all). among: the products of the result (null: all that are for sale). region: the visitor''s region (null: unknown). A share of auctions is recorded.';

create function private.may_promote() returns boolean
language sql stable set search_path = ''
as $$
  select private.request_header('x-souk-promotion') is distinct from 'none'
    and (not private.is_visit() or private.visitor_id() is not null)
$$;
comment on function private.may_promote() is
  'Whether lists of this request promote products: not if its header x-souk-promotion is none, because its page does not mark them or is kept for several readers; nor for a visitor without an id.';

create function private.promoted_products(branch uuid[]) returns uuid[]
-- Planned once: 0.11 ms without, 0.03 with, for a category.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  tenant constant uuid := private.tenant_id();
begin
  if not private.may_promote() then
    return '{}'::uuid[];
  end if;
  return array(
    select c.product_id
    from public.campaigns c
    where c.tenant_id = tenant
      and c.status in ('active', 'exhausted')
      and (promoted_products.branch is null or c.category_id = any (promoted_products.branch))
  );
end
$$;
comment on function private.promoted_products is
  'The products of the caller''s tenant that have running campaigns in these categories (null: all). None if the request may not promote.';

create function private.sells_in_several_currencies(branch uuid[], marketplace_id uuid default null) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
begin
  return sells_in_several_currencies.marketplace_id is null
    and cardinality(private.currencies_in_use()) > 1
    and (
      select count(distinct m.currency) > 1
      from public.marketplaces m
      where m.tenant_id = tenant and m.status = 'active' and exists (
        select 1
        from public.products p
        where p.tenant_id = tenant and p.marketplace_id = m.id and p.status = 'active'
          and (branch is null or p.category_id = any (branch))
      )
    );
end
$$;
comment on function private.sells_in_several_currencies is
  'Whether products for sale in these categories (null: all) and this marketplace (null: any) of the caller''s tenant have prices in several currencies.';

create function private.promoted_first(
  placement text, branch uuid[], marketplace_id uuid, except_id uuid, ids uuid[], size integer, region text
) returns table (id uuid, found_at integer, promotion jsonb, place integer)
language plpgsql set search_path = ''
as $$
declare
  promotable constant uuid[] := private.promoted_products(branch);
  -- Bids in several currencies cannot be compared, so only campaigns in the currency of the oldest marketplace get
  -- slots.
  promotable_in constant uuid[] := case
    when private.sells_in_several_currencies(branch, promoted_first.marketplace_id)
      then private.marketplaces_asked(null, (private.currencies_in_use())[1])
  end;
  seal constant text := case when promotable <> '{}' then private.promotion_seal(placement) end;
begin
  return query
    select f.id, f.found_at, f.promotion, (row_number() over (order by f.place nulls last, f.found_at))::integer
    from (
      select coalesce(h.product_id, found.id) as id, found.found_at::integer, h.place, h.promotion
      from unnest(ids) with ordinality as found (id, found_at)
      full join (
        select
          a.product_id, a.place,
          private.promotion_of(a.campaign_id, a.labels, a.highlighted, a.pinned, a.place, seal) as promotion
        from private.hold_auction(
          placement,
          branch,
          -- Only products that the policies show to the caller.
          array(
            select p.id
            from public.products p
            where p.id = any (promotable)
              and p.id is distinct from except_id
              and (promoted_first.marketplace_id is null or p.marketplace_id = promoted_first.marketplace_id)
              and (promotable_in is null or p.marketplace_id = any (promotable_in))
          ),
          size,
          region
        ) as a
        where promotable <> '{}'
      ) as h on h.product_id = found.id
    ) as f
    order by 4
    limit size;
end
$$;
comment on function private.promoted_first is
  'A block of size products: first those that an auction of these categories and this marketplace (null: any) promotes, then the others. found_at: the position of a product among the ids; null if it is only promoted.';

create function private.promotion_of(
  campaign_id uuid, labels text[], highlighted boolean, pinned boolean, place integer, seal text
) returns jsonb
language sql stable
return jsonb_build_object(
  'campaign_id', campaign_id, 'labels', labels, 'highlighted', highlighted, 'pinned', pinned, 'position', place,
  'token', private.promotion_token(campaign_id, seal)
);
comment on function private.promotion_of is
  'The field promotion of a product in a list, with the token that proves that it was shown there.';

create function private.promoted_places()
returns table (category_id uuid, product_id uuid, place integer, promotion jsonb)
language plpgsql stable security definer rows 20 set search_path = ''
as $$
declare
  seal constant text := private.promotion_seal('category');
  currencies constant text[] := private.currencies_in_use();
  promotable_in constant uuid[] := case
    when cardinality(currencies) > 1 then private.marketplaces_asked(null, currencies[1])
  end;
begin
  if not private.may_promote() then
    return;
  end if;
  return query
    select h.category_id, h.product_id, h.place,
      private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal)
    from (
      select
        c.*, (row_number() over (
          partition by c.category_id order by c.bid desc, c.merit desc, c.turn desc, c.campaign_id
        ))::integer as place
      from private.contenders(private.tenant_id(), null, null, false) as c
      where c.reason is null and c.product_category_id = c.category_id
        and (
          promotable_in is null or c.marketplace_id = any (promotable_in)
          or not private.sells_in_several_currencies(array[c.category_id])
        )
    ) as h (
      campaign_id, product_id, category_id, product_category_id, supplier_id, marketplace_id, bid, min_bid, quality, reason,
      merit, turn, price, max_slots, labels, highlighted, pinned, no_place, place
    )
    where h.place <= least(30, h.max_slots);
end
$$;
comment on function private.promoted_places() is
  'The products that are shown first in each category of the caller''s tenant on a page of 100, with their field promotion. Contains no bids.';

-- views ----------------------------------------------------------------------------------------

create view public.ranked_products with (security_invoker = true) as
select
  d.*, m.promotion,
  -- The slots, and for other products the milliseconds from their creation to the year 10000, so that the newest is
  -- first.
  coalesce(m.place, 253402300800000 - extract(epoch from d.created_at) * 1000)::numeric as rank
from public.product_details d
left join private.promoted_places() as m on m.category_id = d.category_id and m.product_id = d.id
where d.status = 'active';
comment on view public.ranked_products is
  'Products that are for sale, as in product_details, with their promotion and rank. For a category without subcategories, .eq(''category_id'', …).order(''rank'').order(''id'') returns the order of GET /api/products?category=…&limit=100. Auctions held by this view are not recorded.';

-- policies -------------------------------------------------------------------------------------

alter table private.auctions enable row level security;
alter table public.campaign_auctions enable row level security;

create policy "Members who see a campaign see its auctions" on public.campaign_auctions
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.campaigns c where c.id = campaign_id)
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.campaign_auctions, public.ranked_products to authenticated;
grant all on private.auctions, public.campaign_auctions, public.ranked_products to service_role;
grant execute on function
  private.check_region, private.hold_auction, private.may_promote, private.promoted_products, private.promotion_of, private.promoted_places,
  private.promoted_first, private.sells_in_several_currencies
to authenticated, service_role;

-- supabase/schemas/placement/0935_auction_records.sql

-- Records of auctions: a share of the auctions of the last day, the wins and losses of each campaign per day for
-- suppliers, and the current slots for operators.

-- functions ------------------------------------------------------------------------------------

create function private.count_auctions() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  with fresh as (
    update private.auctions a
    set counted = true
    where not a.counted
    returning a.tenant_id, a.held_at, a.candidates
  )
  insert into public.campaign_auctions as t
    (tenant_id, campaign_id, date, held, won, lost_to_bid, lost_to_budget, lost_to_stock, lost_otherwise)
  select
    f.tenant_id, c.id, (f.held_at at time zone t.time_zone)::date, count(*),
    count(*) filter (where part.reason is null),
    count(*) filter (where part.reason in ('outbid', 'bid')),
    count(*) filter (where part.reason = 'budget'),
    count(*) filter (where part.reason = 'stock'),
    count(*) filter (where part.reason not in ('outbid', 'bid', 'budget', 'stock'))
  from fresh f
  join public.tenants t on t.id = f.tenant_id
  cross join lateral jsonb_to_recordset(f.candidates) as part (campaign_id uuid, reason text)
  join public.campaigns c on c.tenant_id = f.tenant_id and c.id = part.campaign_id
  -- Auctions for other regions are no losses.
  where part.reason is distinct from 'region'
  group by f.tenant_id, c.id, (f.held_at at time zone t.time_zone)::date
  on conflict (tenant_id, campaign_id, date) do update
  set held = t.held + excluded.held,
      won = t.won + excluded.won,
      lost_to_bid = t.lost_to_bid + excluded.lost_to_bid,
      lost_to_budget = t.lost_to_budget + excluded.lost_to_budget,
      lost_to_stock = t.lost_to_stock + excluded.lost_to_stock,
      lost_otherwise = t.lost_otherwise + excluded.lost_otherwise;
end
$$;
comment on function private.count_auctions() is
  'Adds the recorded auctions that are not counted yet to campaign_auctions.';

create function private.shown_slots(category_id uuid, placement text, size integer, region text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant constant uuid := private.tenant_id();
  sees_all constant boolean := private.reads_all();
  own_supplier constant uuid := private.supplier_id();
  seal constant text := private.promotion_seal(placement);
  branch constant uuid[] := private.category_branch(tenant, shown_slots.category_id);
  -- The same rule as in lists of the category.
  among constant uuid[] := case
    when private.sells_in_several_currencies(branch) then array(
      select p.id
      from public.products p
      where p.id = any (private.promoted_products(branch))
        and p.marketplace_id = any (private.marketplaces_asked(null, (private.currencies_in_use())[1]))
    )
  end;
begin
  if not exists (
    select 1 from public.categories c where c.tenant_id = tenant and c.id = shown_slots.category_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such category.', 'category_id', to_jsonb(shown_slots.category_id));
  end if;
  return (
    select coalesce(
      jsonb_agg(
        private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) || jsonb_build_object(
          'product_id', h.product_id, 'product_name', p.name,
          'bid_amount', case when own.is_shown then h.bid end, 'price', case when own.is_shown then h.price end
        )
        order by h.place
      ),
      '[]'
    )
    from private.places(
      tenant, branch, among, shown_slots.size, shown_slots.region, true
    ) as h
    join public.products p on p.tenant_id = tenant and p.id = h.product_id
    cross join lateral (select sees_all or coalesce(h.supplier_id = own_supplier, false) as is_shown) as own
    where h.place is not null
  );
end
$$;
comment on function private.shown_slots is
  'The current slots of a category, with bids and prices for admins, clients and the supplier of the campaign.';

create function public.list_placement_slots(
  category_id uuid, placement text default 'category', region text default null, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  perform private.members_only();
  if coalesce(placement, '') not in ('search', 'category', 'similar', 'top_sales') then
    perform private.refuse(
      'VALIDATION_ERROR', 'placement must be search, category, similar or top_sales.', 'placement', to_jsonb(placement)
    );
  end if;
  perform private.check_region(region);
  return jsonb_build_object(
    'category_id', category_id,
    'placement', placement,
    'region', region,
    'slots', private.shown_slots(category_id, placement, size, region)
  );
end
$$;
comment on function public.list_placement_slots is
  'The current slots of a category on a page of limit products. bid_amount and price: for admins, clients and the supplier of the campaign; null for others. Refuses with NOT_FOUND, VALIDATION_ERROR.';

create function private.list_auctions(
  category_id uuid, placement text, campaign_id uuid, "order" text, size integer, skipped bigint
) returns jsonb
-- A generic plan from when there were few auctions reads those of all tenants: 960 instead of 40.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  tenant constant uuid := private.tenant_id();
begin
  if not private.reads_all() then
    perform private.refuse('FORBIDDEN', 'Your role may not read auctions.');
  end if;
  return (
    with wanted as not materialized (
      select a.id, a.placement, a.category_id, a.region, a.held_at, a.size, a.candidates
      from private.auctions a
      where a.tenant_id = tenant
        and (list_auctions.category_id is null or a.category_id = list_auctions.category_id)
        and (list_auctions.placement is null or a.placement = list_auctions.placement)
        and (
          list_auctions.campaign_id is null
          or a.candidates @> jsonb_build_array(jsonb_build_object('campaign_id', list_auctions.campaign_id))
        )
    )
    select jsonb_build_object(
      'auctions', (
        select coalesce(
          jsonb_agg(
            to_jsonb(w) - '{candidates,position}'::text[] || jsonb_build_object(
              'candidate_count', jsonb_array_length(w.candidates),
              'placed_count', jsonb_array_length(
                jsonb_path_query_array(w.candidates, '$[*] ? (@.position != null)')
              )
            )
            order by w.position
          ),
          '[]'
        )
        from (
          select w.*, row_number() over () as position
          from (
            select *
            from wanted
            -- The plan is made for the actual arguments: one of the two expressions is a constant, and an index has the
            -- other.
            order by
              case "order" when 'asc' then held_at end, case "order" when 'desc' then held_at end desc, id
            limit list_auctions.size offset skipped
          ) as w
        ) as w
      ),
      'total', (select count(*) from wanted)
    )
  );
end
$$;
comment on function private.list_auctions is
  'Some recorded auctions of the caller''s tenant in the order of their time, and the total. Refuses with FORBIDDEN.';

create function public.list_auctions(
  category_id uuid default null, placement text default null, campaign_id uuid default null,
  "order" text default 'desc', page integer default 1, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  if coalesce("order", '') not in ('asc', 'desc') then
    perform private.refuse('VALIDATION_ERROR', 'order must be asc or desc.', 'order', to_jsonb("order"));
  end if;
  return private.list_auctions(
    category_id, placement, campaign_id, "order", size, (greatest(page, 1)::bigint - 1) * size
  );
end
$$;
comment on function public.list_auctions is
  'For admins and clients: a page of the recorded auctions, newest first by default. Refuses with FORBIDDEN, VALIDATION_ERROR.';

create function private.get_auction(auction_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  shown jsonb;
begin
  if not private.reads_all() then
    perform private.refuse('FORBIDDEN', 'Your role may not read auctions.');
  end if;
  select to_jsonb(a) - '{tenant_id,counted}'::text[] into shown
  from private.auctions a
  where a.tenant_id = private.tenant_id() and a.id = auction_id;
  if shown is null then
    perform private.refuse('NOT_FOUND', 'There is no such auction.');
  end if;
  return shown;
end
$$;
comment on function private.get_auction is
  'A recorded auction of the caller''s tenant. Refuses with FORBIDDEN, NOT_FOUND.';

create function public.get_auction(auction_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.get_auction(auction_id);
end
$$;
comment on function public.get_auction is
  'For admins and clients: an auction with every campaign that took part, its bid, quality, position and price, or the reason why it got no slot. Refuses with FORBIDDEN, NOT_FOUND.';

create function public.get_campaign_auctions(campaign_id uuid, "from" date default null, "to" date default null)
returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  tenant uuid := (select c.tenant_id from public.campaigns c where c.id = get_campaign_auctions.campaign_id);
  counts jsonb;
begin
  if tenant is null then
    perform private.refuse('NOT_FOUND', 'There is no such campaign.');
  end if;
  select jsonb_build_object(
    'held', coalesce(sum(a.held), 0), 'won', coalesce(sum(a.won), 0), 'lost_to_bid', coalesce(sum(a.lost_to_bid), 0),
    'lost_to_budget', coalesce(sum(a.lost_to_budget), 0), 'lost_to_stock', coalesce(sum(a.lost_to_stock), 0),
    'lost_otherwise', coalesce(sum(a.lost_otherwise), 0), 'win_rate', round(sum(a.won) / nullif(sum(a.held), 0), 4)
  )
  || jsonb_build_object(
    'daily', coalesce(
      jsonb_agg(to_jsonb(a) - '{tenant_id,campaign_id}'::text[] order by a.date) filter (where a.date is not null), '[]'
    )
  )
  into counts
  from public.campaign_auctions a
  where a.tenant_id = tenant and a.campaign_id = get_campaign_auctions.campaign_id
    and ("from" is null or a.date >= "from")
    and ("to" is null or a.date <= "to");
  return jsonb_build_object(
    'campaign_id', campaign_id, 'totals', counts - 'daily', 'daily', counts -> 'daily'
  );
end
$$;
comment on function public.get_campaign_auctions is
  'The recorded auctions of a campaign between two days (of the tenant''s time zone, both included): in how many it took part (held), the share that it won (win_rate, null if held is 0), and why it lost the others. Refuses with NOT_FOUND.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.shown_slots, private.list_auctions, private.get_auction
to authenticated, service_role;
grant execute on function
  public.list_placement_slots, public.list_auctions, public.get_auction, public.get_campaign_auctions
to authenticated;
