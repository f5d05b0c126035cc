-- 1,000 campaigns that replace those of bench/commerce/fill.sql, in the same session: each small
-- tenant runs four, and the large one 204 in its subcategories. Of ten campaigns, one has no budget
-- left, one is limited to a region, and the others take part. Requires a superuser. The id of a
-- campaign begins with ca.

set session_replication_role = replica;

truncate public.campaigns cascade;

insert into public.campaigns (
  id, tenant_id, supplier_id, marketplace_id, currency, product_id, category_id, pricing_model, start_date, end_date,
  bid_amount, daily_budget, regions, highlighted, status
)
select
  pg_temp.id('ca', p.n), p.tenant_id, p.supplier_id, p.marketplace_id, p.currency, p.id, p.category_id, 'cpc',
  date_trunc('day', now()) - interval '1 day', date_trunc('day', now()) + interval '90 days',
  0.5 + (p.n * 7919) % 400 / 100.0, case when p.n % 10 in (3, 4) then 5 end,
  case p.n % 10 when 5 then '{MA}'::text[] end, p.n % 3 = 0,
  case p.n % 10 when 4 then 'exhausted' else 'active' end::public.campaign_status
from (
  select p.*, right(p.id::text, 12)::bigint as n, row_number() over (partition by p.tenant_id order by p.id) as k
  from shops
  join public.products p on p.tenant_id = shops.tenant_id and p.kind = 'physical' and p.status = 'active'
) as p
where p.k <= case p.tenant_id when pg_temp.id('00', 1) then 204 else 4 end;

insert into public.campaign_statistics (tenant_id, campaign_id, date, impressions, clicks, spend)
select c.tenant_id, c.id, (now() at time zone 'utc')::date - d, 1000, 10, 1
from shops
join public.campaigns c on c.tenant_id = shops.tenant_id
cross join generate_series(0, 6) as d;

set session_replication_role = origin;
