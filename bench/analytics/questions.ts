/** The measured tenant. It has half of all orders and events. */
export const TENANT = "00000000-0000-4000-8000-000000000001";

/** The lines of a figure, in SQL without the book of sales. */
const linesOf = (days: number) => `
  select o.created_at as at, o.id as order_id, o.customer_id, i.product_id, i.amount, i.quantity
  from public.orders o join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
  where o.tenant_id = '${TENANT}' and o.created_at >= current_date - ${days - 1}
  union all
  select c.created_at, null, null, i.product_id, -i.amount, -i.quantity
  from public.order_status_changes c
  join public.order_items i on i.tenant_id = c.tenant_id and i.order_id = c.order_id
  where c.tenant_id = '${TENANT}' and c.new_status in ('cancelled', 'returned') and c.created_at >= current_date - ${days - 1}`;

interface Question {
  path: string;
  /** The same question as SQL over the raw rows. */
  raw: string;
  /** Largest median, in milliseconds. */
  goal: number;
  /** The required speed as a multiple of raw SQL's. */
  faster?: number;
}

export const questions: Record<string, Question> = {
  "overview, 30 days": {
    path: "overview?period=30d",
    raw: `
      select sum(amount), count(distinct order_id), count(distinct customer_id),
        count(distinct customer_id) filter (where not exists (
          select from public.orders e where e.tenant_id = '${TENANT}' and e.customer_id = l.customer_id
            and e.created_at < current_date - 29
        ))
      from (${linesOf(30)}) as l`,
    goal: 50,
    faster: 20,
  },
  "sales by day, 1 year": {
    path: "sales?period=1y",
    raw: `select at::date, sum(amount), count(distinct order_id) from (${linesOf(365)}) as l group by 1`,
    goal: 50,
    faster: 20,
  },
  "best-selling products, 30 days": {
    path: "products/top?period=30d",
    raw: `
      select product_id, sum(amount), sum(quantity) from (${linesOf(30)}) as l
      group by 1 order by 2 desc limit 10`,
    goal: 50,
    faster: 20,
  },
  segments: {
    path: "customers/segments",
    raw: `
      with year as (select customer_id, count(distinct order_id) as orders, sum(amount) as revenue
        from (${linesOf(365)}) as l group by 1),
      ever as (select customer_id, min(created_at) as first, max(created_at) as last
        from public.orders where tenant_id = '${TENANT}' group by 1)
      select case when last < now() - interval '180 days' then 'lost' when last < now() - interval '90 days' then 'at_risk'
        when orders >= 5 then 'vip' when first > now() - interval '30 days' then 'new' else 'returning' end, count(*), sum(revenue)
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
        where tenant_id = '${TENANT}' and received_on >= current_date - 29 and occurred_at >= current_date - 29
        group by visitor
      ) as v`,
    goal: 300,
  },
};
