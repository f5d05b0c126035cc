import { query } from "../database.js";

// Invariants of stock, orders, their history and their events.

/** A violated rule, and where it was found. */
export interface Violation {
  rule: string;
  where: string;
}

/**
 * All violations in these products and in the orders that contain them, read in one statement; empty without
 * violations.
 */
export function violationsOf(products: string[]): Promise<Violation[]> {
  const rules = Object.entries(violations).map(
    ([rule, sql]) =>
      `select '${rule}' as rule, f.place::text as "where" from (${sql}) as f (place)`,
  );
  return query<Violation>(
    `with
      stock as materialized (
        select i.*, p.track_inventory, p.kind, p.status as product_status
        from public.inventory i join public.products p on p.id = i.product_id
        where i.product_id = any ($1)
      ),
      item as materialized (
        select
          i.*, o.status, o.imported_at, p.kind, p.track_inventory,
          i.quantity - i.shipped_quantity - i.cancelled_quantity as open
        from public.order_items i
        join public.orders o on o.id = i.order_id
        join public.products p on p.id = i.product_id
        where i.product_id = any ($1)
      ),
      placed as materialized (
        select o.* from public.orders o where o.id in (select order_id from item)
      ),
      moved as materialized (
        select
          c.*, lag(c.new_status) over w as before,
          row_number() over w = count(*) over (partition by c.order_id) as is_last
        from public.order_status_changes c
        where c.order_id in (select id from placed)
        window w as (partition by c.order_id order by c.created_at)
      ),
      paid as materialized (
        select p.*, lag(p.balance, 1, 0) over (partition by p.order_id order by p.created_at) as balance_before
        from (
          select
            p.*, lag(p.status::text) over w as before,
            sum(
              case when p.status in ('paid', 'refund_failed') then p.amount when p.status = 'failed' then 0 else -p.amount end
            ) over w as balance,
            row_number() over w = count(*) over (partition by p.order_id) as is_last
          from public.payments p
          where p.order_id in (select id from placed)
          window w as (partition by p.order_id order by p.created_at)
        ) as p
      ),
      emitted as materialized (
        select e.name, (e.payload -> 'data' -> 'order' ->> 'id')::uuid as order_id, e.payload, e.created_at
        from public.events e
        where (e.payload -> 'data' -> 'order' ->> 'id')::uuid in (select id from placed)
      )
    ${rules.join("\n    union all\n    ")}`,
    [products],
  );
}

/** Each rule, with a query that finds violations. */
const violations: Record<string, string> = {
  "0 <= reserved <= quantity":
    "select s.id from stock s where not (0 <= s.reserved and s.reserved <= s.quantity)",

  "reserved is what is open": `
    select s.id from stock s
    where s.reserved <> case when s.track_inventory then (
      select coalesce(sum(i.open), 0) from item i
      where i.product_id = s.product_id and i.variant_id is not distinct from s.variant_id
    ) else 0 end`,

  "the ledger adds up to the stock": `
    select s.id from stock s
    where (s.quantity, s.reserved) <> (
      select coalesce(sum(m.quantity_change), 0), coalesce(sum(m.reserved_change), 0)
      from public.inventory_movements m
      where m.product_id = s.product_id and m.variant_id is not distinct from s.variant_id
    )`,

  "each movement begins where the one before it ended": `
    select m.id from (
      select
        m.*, coalesce(lag(m.quantity) over w, 0) as quantity_before, coalesce(lag(m.reserved) over w, 0) as reserved_before
      from public.inventory_movements m
      where m.product_id = any ($1)
      window w as (partition by m.product_id, m.variant_id order by m.id)
    ) as m
    where m.quantity <> m.quantity_before + m.quantity_change
      or m.reserved <> m.reserved_before + m.reserved_change`,

  "what an order did to the stock is what became of its items": `
    select i.order_id from (
      select
        i.order_id, i.product_id, i.variant_id, sum(i.quantity) as ordered,
        sum(i.shipped_quantity - i.returned_quantity + coalesce(discarded.quantity, 0)) as gone
      from item i
      left join (
        select r.item_id, sum(r.quantity) as quantity
        from public.order_return_items r where not r.restocked group by r.item_id
      ) as discarded on discarded.item_id = i.id
      where i.kind = 'physical'
      group by i.order_id, i.product_id, i.variant_id
    ) as i
    cross join lateral (
      select
        sum(m.reserved_change) filter (where m.reason = 'reserve') as reserved, sum(m.quantity_change) as change
      from public.inventory_movements m
      where m.order_id = i.order_id and m.product_id = i.product_id
        and m.variant_id is not distinct from i.variant_id
    ) as m
    -- A piece that is sent again is reserved and shipped twice, but ordered once.
    where m.reserved < i.ordered or m.change is distinct from -(i.gone + m.reserved - i.ordered)`,

  "a product is out of stock when nothing is available": `
    select s.product_id from stock s
    where s.track_inventory and s.product_status in ('active', 'out_of_stock')
    group by s.product_id, s.product_status
    having (sum(s.quantity - s.reserved) > 0) <> (s.product_status = 'active')`,

  "a stock of licence keys is the keys in stock": `
    select s.id from stock s
    where s.kind = 'digital' and s.track_inventory and s.quantity <> (
      select count(*) from public.licence_keys k
      where k.product_id = s.product_id and k.variant_id is not distinct from s.variant_id and k.in_stock
    )`,

  "a paid order has a licence key for each of its pieces": `
    select i.id from item i
    join placed o on o.id = i.order_id
    where i.kind = 'digital' and i.track_inventory and o.payment_status = 'paid'
      and i.sold_quantity <> (
        select count(*) from public.licence_keys k where k.order_item_id = i.id and k.revoked_at is null
      )`,

  "the items add up to what the parts cost": `
    select o.id from placed o
    where (select sum(p.subtotal) from public.order_parts p where p.order_id = o.id) <> (
      select sum(i.amount) from public.order_items i where i.order_id = o.id
    )`,

  "what came back is what the returns say": `
    select i.id from item i
    where i.returned_quantity <> (
      select coalesce(sum(r.quantity), 0) from public.order_return_items r where r.item_id = i.id
    ) or i.returned_quantity > i.delivered_quantity`,

  "a piece is open, shipped or cancelled, and a shipped one in transit, delivered or lost": `
    select i.id from item i
    where i.open < 0 or i.shipped_quantity - i.delivered_quantity - i.lost_quantity < 0
      or least(i.shipped_quantity, i.delivered_quantity, i.cancelled_quantity, i.returned_quantity, i.lost_quantity) < 0`,

  "the shipped pieces of an item are in its shipments": `
    select i.id from item i
    where i.kind = 'physical' and i.imported_at is null and i.shipped_quantity <> (
      select coalesce(sum(held.quantity), 0)
      from public.shipment_items held
      join public.shipments s on s.id = held.shipment_id
      where held.item_id = i.id and s.status <> 'void' and not s.resent
    )`,

  "the status of an order and of its parts follows from their pieces": `
    select whose.order_id from (
      select
        o.id as order_id, o.status, sum(i.quantity - i.cancelled_quantity - i.lost_quantity) as kept,
        sum(i.lost_quantity) as lost, sum(i.returned_quantity) as returned, sum(i.delivered_quantity) as delivered,
        sum(i.shipped_quantity - i.lost_quantity) as shipped,
        sum(case i.kind when 'digital' then 0 else i.shipped_quantity end) as begun
      from placed o join item i on i.order_id = o.id
      group by o.id, o.status
      union all
      select
        o.id, p.status, sum(i.quantity - i.cancelled_quantity - i.lost_quantity),
        sum(i.lost_quantity), sum(i.returned_quantity), sum(i.delivered_quantity),
        sum(i.shipped_quantity - i.lost_quantity),
        sum(case i.kind when 'digital' then 0 else i.shipped_quantity end)
      from placed o
      join public.order_parts p on p.order_id = o.id
      join item i on i.order_id = o.id and i.supplier_id is not distinct from p.supplier_id
      group by o.id, p.supplier_id, p.status, p.delivers_all
      -- A part that delivers the whole order has the status of the order once no item of its own is left.
      having not (p.delivers_all and sum(i.quantity - i.cancelled_quantity) = 0)
    ) as whose
    where not case
      when kept = 0 then whose.status = (case lost when 0 then 'cancelled' else 'returned' end)::public.order_status
      when returned = kept then whose.status = 'returned'
      when delivered = kept then whose.status = 'delivered'
      when shipped = kept then whose.status = 'shipped'
      when begun > 0 then whose.status = 'processing'
      else whose.status in ('pending', 'confirmed', 'processing')
    end`,

  "a part that delivers a whole order is cancelled with it": `
    select o.id from placed o
    join public.order_parts p on p.order_id = o.id
    where p.delivers_all and (p.status = 'cancelled') <> (o.status = 'cancelled')`,

  "delivery is owed unless all pieces are cancelled or lost": `
    select o.id from placed o
    join public.order_parts p on p.order_id = o.id
    where p.delivery_owed <> exists (
      select from public.order_items i
      where i.order_id = o.id and (p.delivers_all or i.supplier_id is not distinct from p.supplier_id)
        and i.quantity > i.cancelled_quantity + i.lost_quantity
    )`,

  "the book of sales has the delivery of each part that is owed": `
    select o.id from placed o
    join public.order_parts p on p.order_id = o.id
    where case when p.delivery_owed then private.delivery_price_of(p) else 0 end <> (
      select coalesce(sum(s.amount), 0) from private.sales s
      where s.order_id = o.id and s.kind = 'delivery' and s.supplier_id is not distinct from p.supplier_id
    )`,

  "delivery is charged for physical items only": `
    select o.id from placed o
    join public.order_parts p on p.order_id = o.id
    where p.delivery_amount > 0 and o.imported_at is null and not exists (
      select from public.order_items i join public.products g on g.id = i.product_id
      where i.order_id = o.id and g.kind = 'physical'
        and (p.delivers_all or i.supplier_id is not distinct from p.supplier_id)
    )`,

  "commission, borne refunds and payout add up to what the suppliers sold": `
    select o.id from placed o
    where (
      select coalesce(sum(
        c.commission_amount + c.refunded_amount + c.payout_amount
          + case c.tax_collected_by when 'operator' then c.tax_amount else 0 end
      ), 0)
      from public.order_commissions c where c.order_id = o.id
    ) <> (
      select coalesce(sum(private.earned_of(i, i.sold_quantity)), 0)
      from public.order_items i
      where i.order_id = o.id and i.supplier_id is not null
    ) + (
      select coalesce(sum(private.delivery_price_of(p) + p.delivery_discount_amount), 0)
      from public.order_parts p
      where p.order_id = o.id and p.delivery_recipient = 'supplier' and p.delivery_owed
        and o.imported_at is null
    )`,

  "commission is rounded once for all items of a line": `
    select c.order_id from public.order_commissions c
    join placed o on o.id = c.order_id
    join private.currencies x on x.code = o.currency
    cross join lateral (
      select
        sum(
          (private.earned_of(i, i.sold_quantity)
            - case when c.commission_on_tax then 0 else private.earned_tax_of(i, i.sold_quantity) end)
            * coalesce(r.commission_percent, c.commission_percent)
        ) as base,
        sum(private.earned_tax_of(i, i.sold_quantity)) as tax
      from public.order_items i
      left join public.order_item_commissions r on r.order_id = i.order_id and r.item_id = i.id
      where i.order_id = c.order_id and i.supplier_id = c.supplier_id
    ) as sold
    where c.commission_amount <> round(
      (
        sold.base
        + (c.delivery_amount - case when c.commission_on_tax then 0 else c.tax_amount - sold.tax end) * c.delivery_percent
      ) / 100, x.exponent
    )`,

  "the sales of each day are the pieces that are with customers, or will be": `
    select s.product_id from (
      select
        i.product_id, (o.created_at at time zone 'UTC')::date as date, i.sold_quantity as quantity,
        i.price * i.sold_quantity as revenue
      from item i join placed o on o.id = i.order_id
      union all
      select s.product_id, s.date, -s.quantity, -s.revenue
      from private.product_sales s where s.product_id = any ($1)
      union all
      select n.product_id, n.date, -n.quantity, -n.revenue
      from private.new_sales n where n.product_id = any ($1)
    ) as s
    group by s.product_id, s.date
    having sum(s.quantity) <> 0 or sum(s.revenue) <> 0`,

  "the book of sales has the placed, cancelled and returned pieces of each item": `
    select i.order_id from (
      select
        i.order_id, i.product_id, sum(i.quantity) as placed, sum(private.price_of(whole, whole.quantity)) as amount,
        sum(i.cancelled_quantity) as cancelled, sum(i.returned_quantity + i.lost_quantity) as returned
      from item i
      join public.order_items whole on whole.id = i.id
      group by i.order_id, i.product_id
    ) as i
    cross join lateral (
      select
        coalesce(sum(s.quantity) filter (where s.kind = 'placed'), 0) as placed,
        coalesce(sum(s.amount) filter (where s.kind = 'placed'), 0) as amount,
        coalesce(-sum(s.quantity) filter (where s.kind = 'cancelled'), 0) as cancelled,
        coalesce(-sum(s.quantity) filter (where s.kind = 'returned'), 0) as returned
      from private.sales s
      where s.order_id = i.order_id and s.product_id = i.product_id
    ) as b
    where (i.placed, i.amount, i.cancelled, i.returned) <> (b.placed, b.amount, b.cancelled, b.returned)`,

  "the book of sales has the payments": `
    select o.id from placed o
    where array(
      select p.status || ' ' || p.amount from paid p
      where p.order_id = o.id and p.status <> 'failed' order by 1
    ) <> array(
      select case s.kind
        when 'received' then case when s.amount > 0 then 'paid ' else 'payment_reversed ' end
        else case when s.amount < 0 then 'refunded ' else 'refund_failed ' end
      end || abs(s.amount)
      from private.sales s
      where s.order_id = o.id and s.kind in ('received', 'refunded') order by 1
    )`,

  "commission is earned for what is paid and not returned": `
    select o.id from placed o
    where (
      select coalesce(sum(s.amount), 0) from private.sales s where s.order_id = o.id and s.kind = 'commission'
    ) <> case when o.payment_status in ('paid', 'refunded') then (
      select coalesce(sum(c.commission_amount), 0) from public.order_commissions c where c.order_id = o.id
    ) else 0 end`,

  "the book of sales agrees with the orders, and the rollups with the book": `
    select d.marketplace_id from (select distinct tenant_id from placed) as t
    cross join lateral (
      select * from private.differences_from_orders(t.tenant_id)
      union all
      select * from private.differences_from_book(t.tenant_id)
    ) as d`,

  "the numbers of a marketplace have no gaps": `
    select o.marketplace_id from public.orders o
    where o.marketplace_id in (select marketplace_id from placed)
    group by o.marketplace_id
    having max(o.number) <> count(*) or min(o.number) <> 1`,

  "the payments are in the table of moves": `
    select p.id from paid p
    where not exists (
      select 1 from private.status_moves s
      where s.subject = 'payments' and s.to_status = p.status::text and s.from_status = case p.before
        when 'payment_reversed' then 'failed'
        when 'refund_failed' then 'paid'
        when 'refunded' then case p.balance_before when 0 then 'refunded' else 'paid' end
        else coalesce(p.before, 'pending')
      end
    )`,

  "a refund or payment is undone once, after it": `
    select p.id from paid p
    where p.status in ('refund_failed', 'payment_reversed') and (
      select count(*) from paid undone
      where undone.order_id = p.order_id and undone.reference = p.reference and undone.created_at < p.created_at
        and undone.status::text = case p.status when 'refund_failed' then 'refunded' else 'paid' end
        and undone.amount >= p.amount
    ) <> 1`,

  "no more is given back than was paid": "select p.order_id from paid p where p.balance < 0",

  "the payment is what was reported": `
    select o.id from placed o
    where o.payment_status::text <> coalesce((
      select case
        when p.status = 'payment_reversed' then 'failed'
        when p.status in ('paid', 'failed') or p.status = 'refunded' and p.balance = 0 then p.status::text
        else 'paid'
      end
      from paid p where p.order_id = o.id and p.is_last
    ), case (select sum(private.total_of(p)) from public.order_parts p where p.order_id = o.id) when 0 then 'paid' else 'pending' end)`,

  "every payment has one event": `
    select o.id from placed o
    cross join (
      values
        ('payment.succeeded', '{paid}'::text[]), ('payment.failed', '{failed,payment_reversed}'),
        ('payment.refunded', '{refunded}'), ('payment.refund_failed', '{refund_failed}')
    ) as e (name, statuses)
    where (select count(*) from emitted where emitted.order_id = o.id and emitted.name = e.name)
      <> (select count(*) from paid p where p.order_id = o.id and p.status::text = any (e.statuses))`,

  "an item costs its price times its quantity":
    "select i.id from item i where i.amount <> i.price * i.quantity",

  "every move is in the table of moves": `
    select m.id from moved m
    where not exists (
      select 1 from private.status_moves s
      where s.subject = 'orders' and s.from_status = m.old_status::text and s.to_status = m.new_status::text
    )`,

  "each move begins where the one before it ended":
    "select m.id from moved m where m.old_status <> coalesce(m.before, 'pending')",

  "the history ends at the status": `
    select o.id from placed o
    where o.status <> coalesce((select m.new_status from moved m where m.order_id = o.id and m.is_last), 'pending')`,

  "every order has one order.created event": `
    select o.id from placed o
    where (select count(*) from emitted where emitted.order_id = o.id and emitted.name = 'order.created') <> 1`,

  "the events are the history": `
    select o.id from placed o
    where array(
      select m.old_status || ' ' || m.new_status from moved m where m.order_id = o.id order by m.created_at
    ) <> array(
      select (emitted.payload ->> 'old_status') || ' ' || (emitted.payload ->> 'new_status')
      from emitted
      where emitted.order_id = o.id and emitted.name = 'order.status_changed'
      order by emitted.created_at
    )`,

  "every cancellation and completion has one event": `
    select o.id from placed o
    cross join (values ('order.cancelled', 'cancelled'), ('order.completed', 'delivered')) as e (name, status)
    where (select count(*) from emitted where emitted.order_id = o.id and emitted.name = e.name)
      <> (select count(*) from moved m where m.order_id = o.id and m.new_status::text = e.status)`,
};
