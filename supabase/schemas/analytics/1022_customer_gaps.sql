-- Distinct customers of a period, from sums by day.
--
-- Among the days on which a customer ordered within a period, only the first has no earlier day within the period. So
-- the number of ordering customers from a to b is the number of customer days whose previous day is before a, and the
-- number of new customers is that of customer days without a previous day. A rollup counts the customer days of each
-- day by their previous day, for each marketplace and for the tenant as a whole. Only the job that rolls up sales
-- changes it, one session at a time for a tenant. A report adds the orders that are queued.

-- tables ---------------------------------------------------------------------------------------

create table private.customer_gaps (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  marketplace_id uuid,
  day date not null,
  previous_day date not null,
  customers integer not null,
  constraint customer_gaps_key unique nulls not distinct (tenant_id, marketplace_id, day, previous_day)
)
with (fillfactor = 80);
comment on table private.customer_gaps is
  'The number of customers who ordered on day, and before that last on previous_day; -infinity: never before. marketplace_id: null for all marketplaces together.';
-- The whole row identifies it for replication, because marketplace_id may be null.
alter table private.customer_gaps replica identity full;

-- functions ---------------------------------------------------------------------------------

create function private.add_up_gaps(tenant_id uuid, time_zone text, sale_ids bigint[]) returns void
-- Planned at each call: 2,000 lines take 63 ms, and 408 without the setting.
language plpgsql security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  tenant uuid := add_up_gaps.tenant_id;
begin
  with fresh as materialized (
    select distinct s.customer_id, p.marketplace_id, d.day
    from private.sales s
    cross join lateral (select (s.booked_at at time zone time_zone)::date as day) as d
    cross join lateral (values (s.marketplace_id), (null)) as p (marketplace_id)
    where s.tenant_id = tenant and s.id = any (sale_ids) and s.first_of_order
      and not exists (
        select from private.customer_days c
        where c.tenant_id = tenant and c.customer_id = s.customer_id and c.day = d.day and c.grain = 'marketplace'
          and c.orders > 0 and (p.marketplace_id is null or c.marketplace_id = p.marketplace_id)
      )
  ),
  -- The days whose gaps may change, and the one before.
  known as (
    select distinct f.customer_id, f.marketplace_id, c.day
    from (
      select n.customer_id, n.marketplace_id, min(n.day) as day from fresh n group by n.customer_id, n.marketplace_id
    ) as f
    cross join lateral (
      select max(b.day) as day
      from private.customer_days b
      where b.tenant_id = tenant and b.customer_id = f.customer_id and b.day < f.day and b.grain = 'marketplace'
        and b.orders > 0 and (f.marketplace_id is null or b.marketplace_id = f.marketplace_id)
    ) as last
    join private.customer_days c
      on c.tenant_id = tenant and c.customer_id = f.customer_id and c.day >= coalesce(last.day, f.day)
      and c.grain = 'marketplace' and c.orders > 0 and (f.marketplace_id is null or c.marketplace_id = f.marketplace_id)
  ),
  seen as (
    select k.customer_id, k.marketplace_id, k.day, v.sign from known k cross join (values (-1), (1)) as v (sign)
    union all
    select f.customer_id, f.marketplace_id, f.day, 1 from fresh f
  ),
  gaps as (
    select
      s.sign, s.marketplace_id, s.day,
      coalesce(
        lag(s.day) over (partition by s.sign, s.marketplace_id, s.customer_id order by s.day), '-infinity'
      ) as previous_day
    from seen s
  )
  insert into private.customer_gaps as g (tenant_id, marketplace_id, day, previous_day, customers)
  select tenant, n.marketplace_id, n.day, n.previous_day, sum(n.sign)
  from gaps n
  group by n.marketplace_id, n.day, n.previous_day
  having sum(n.sign) <> 0
  on conflict on constraint customer_gaps_key do update set customers = g.customers + excluded.customers;
end
$$;
comment on function private.add_up_gaps is
  'Adds the customers of placed orders, lines of the book, to private.customer_gaps, before private.add_up_customers adds them to their days.';

-- policies -------------------------------------------------------------------------------------

alter table private.customer_gaps enable row level security;
