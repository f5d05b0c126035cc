/** The measured tenant. It has half of all orders and events. */
export const TENANT = "00000000-0000-4000-8000-000000000001";
/** Its supplier with most sales: a fifth of them. */
const SUPPLIER = "f5000000-0000-4000-8000-000000000012";

/** The tenant's midnight so many days ago, in SQL. */
const midnight = (daysAgo: number) => `((current_date - ${daysAgo})::timestamp at time zone 'UTC')`;

/** The lines of a figure, in SQL without the book of sales: from one day up to a time, of some items `i`. */
const linesOf = (daysAgo: number, until = "now()", items = "true") => `
  select o.created_at as at, 'placed' as kind, o.id as order_id, o.customer_id, i.product_id, o.currency, i.amount, i.quantity
  from public.orders o join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
  where o.tenant_id = '${TENANT}' and o.created_at >= ${midnight(daysAgo)} and o.created_at < ${until} and ${items}
  union all
  select c.created_at, c.new_status::text, null, null, i.product_id, o.currency, -i.amount, -i.quantity
  from public.order_status_changes c
  join public.orders o on o.tenant_id = c.tenant_id and o.id = c.order_id
  join public.order_items i on i.tenant_id = c.tenant_id and i.order_id = c.order_id
  where c.tenant_id = '${TENANT}' and c.new_status in ('cancelled', 'returned')
    and c.created_at >= ${midnight(daysAgo)} and c.created_at < ${until} and ${items}`;

/** The end of the period before one of so many days, which is compared up to the same time of day. */
const earlier = (days: number) => `now() - interval '${days} days'`;

/** A row of an overview. Visitors are counted by whole days. */
const overviewOf = (daysAgo: number, until: string, dayAfter: string, supplier?: string) => `
  select
    sum(l.amount), count(distinct l.order_id),
    sum(l.amount) filter (where l.kind = 'placed') / nullif(count(distinct l.order_id), 0), count(distinct l.customer_id),
    count(distinct l.customer_id) filter (where not exists (
      select from public.orders e${supplier ? " join public.order_items i on i.tenant_id = e.tenant_id and i.order_id = e.id" : ""}
      where e.tenant_id = '${TENANT}' and e.customer_id = l.customer_id and e.created_at < ${midnight(daysAgo)}
        and ${supplier ? `i.supplier_id = '${supplier}'` : "true"}
    )),
    (
      select 100.0 * count(*) filter (where v.stage = 'order') / nullif(count(*), 0)
      from (
        select max(e.stage) as stage
        from private.storefront_events e
        where e.tenant_id = '${TENANT}' and e.received_on >= current_date - ${daysAgo} and e.stage > 'bot'
          and e.occurred_at >= ${midnight(daysAgo)} and e.occurred_at < ${dayAfter}
          and ${supplier ? `e.supplier_id = '${supplier}'` : "true"}
        group by e.visitor
      ) as v
    )
  from (${linesOf(daysAgo, until, supplier && `i.supplier_id = '${supplier}'`)}) as l`;

const overview = (supplier?: string) => `
  ${overviewOf(29, "now()", "now()", supplier)}
  union all
  ${overviewOf(59, earlier(30), midnight(29), supplier)}`;

interface Question {
  path: string;
  /** The same question as SQL over the raw rows, without the names and texts of the answer. */
  raw: string;
  /** Largest median, in milliseconds. */
  goal: number;
  /** The required speed as a multiple of raw SQL's. */
  faster?: number;
}

export const questions: Record<string, Question> = {
  "overview, 30 days": {
    path: "overview?period=30d",
    raw: overview(),
    goal: 50,
    faster: 20,
  },
  "the same of the supplier with most sales": {
    path: `overview?period=30d&supplier_id=${SUPPLIER}`,
    raw: overview(SUPPLIER),
    goal: 50,
  },
  "sales by day, 1 year": {
    path: "sales?period=1y",
    raw: `
      select
        (at at time zone 'UTC')::date, currency, sum(amount), count(distinct order_id),
        sum(amount) filter (where kind = 'placed') / nullif(count(distinct order_id), 0),
        sum(quantity) filter (where kind = 'placed'), sum(amount) filter (where kind = 'cancelled'),
        sum(amount) filter (where kind = 'returned')
      from (${linesOf(364)}) as l
      group by 1, 2
      union all
      select null, currency, sum(amount), null, null, null, null, null from (${linesOf(729, earlier(365))}) as l group by 2`,
    goal: 50,
    faster: 20,
  },
  "best-selling products, 30 days": {
    path: "products/top?period=30d",
    raw: `
      select b.*, p.name, e.revenue
      from (
        select product_id, currency, sum(amount) as revenue, sum(quantity) from (${linesOf(29)}) as l
        group by 1, 2 order by 3 desc limit 10
      ) as b
      join public.products p on p.id = b.product_id
      left join (
        select product_id, currency, sum(amount) as revenue from (${linesOf(59, earlier(30))}) as l group by 1, 2
      ) as e on e.product_id = b.product_id and e.currency = b.currency`,
    goal: 50,
    faster: 20,
  },
  segments: {
    path: "customers/segments",
    raw: `
      with year as (
        select customer_id, orders, revenue, rank() over (order by revenue desc) <= 0.1 * count(*) over () as is_top
        from (
          select customer_id, count(distinct order_id) as orders, sum(amount) as revenue
          from (${linesOf(364)}) as l where kind = 'placed' group by 1
        ) as y
      ),
      ever as (select customer_id, min(created_at) as first, max(created_at) as last
        from public.orders where tenant_id = '${TENANT}' group by 1)
      select case when last < now() - interval '180 days' then 'lost' when last < now() - interval '90 days' then 'at_risk'
        when orders >= 5 or orders >= 2 and is_top then 'vip' when first > now() - interval '30 days' then 'new'
        else 'returning' end, count(*), sum(revenue)
      from ever left join year using (customer_id) group by 1`,
    goal: 300,
  },
  "cohorts, 12 months": {
    path: "cohorts",
    raw: `
      with first as (select customer_id, date_trunc('month', min(created_at)) as month
        from public.orders where tenant_id = '${TENANT}' group by 1)
      select f.month, date_trunc('month', o.created_at), count(distinct customer_id)
      from first f join public.orders o using (customer_id)
      where o.tenant_id = '${TENANT}' and f.month >= date_trunc('month', now()) - interval '11 months' group by 1, 2`,
    goal: 300,
  },
  "funnel, 30 days": {
    path: "funnel?period=30d",
    raw: `
      select count(*) filter (where stage >= 'visit'), count(*) filter (where stage >= 'product_view'),
        count(*) filter (where stage >= 'add_to_cart'), count(*) filter (where stage >= 'checkout')
      from (
        select visitor, max(stage) as stage from private.storefront_events
        where tenant_id = '${TENANT}' and received_on >= current_date - 29 and occurred_at >= ${midnight(29)}
        group by visitor
      ) as v`,
    goal: 300,
  },
};
