-- Reports of promoted placement, for suppliers about their campaigns and for operators about all of them. They read the
-- statistics of days, so their cost does not depend on the number of clicks.

-- types ----------------------------------------------------------------------------------------

create type private.placement_sum as (
  campaign_id uuid, supplier_id uuid, category_id uuid, currency text, date date,
  impressions bigint, clicks bigint, spend numeric, sales_count bigint, sales_amount numeric
);
comment on type private.placement_sum is
  'Sums of campaign_statistics: of a campaign, or, with a date, of all campaigns in a currency on that day.';

-- functions ------------------------------------------------------------------------------------

create function private.placement_ratios(
  impressions bigint, clicks bigint, spend numeric, sales_count bigint, sales_amount numeric
) returns jsonb
language sql immutable
return jsonb_build_object(
  'impressions', impressions,
  'clicks', clicks,
  'ctr', clicks::double precision / nullif(impressions, 0),
  'spend', spend,
  'sales_count', sales_count,
  'sales_amount', sales_amount,
  'conversion_rate', sales_count::double precision / nullif(clicks, 0),
  'roi', (sales_amount - spend)::double precision / nullif(spend, 0)::double precision
);
comment on function private.placement_ratios is
  'Sums of statistics with their ratios: ctr (clicks / impressions), conversion_rate (sales / clicks) and roi ((sales_amount - spend) / spend). A ratio is null if its divisor is 0.';

create function public.campaign_report(campaign_id uuid, "from" date default null, "to" date default null)
returns jsonb
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  answer jsonb;
begin
  perform private.require_permission('campaigns.read', 'Your role may not read reports of campaigns.');
  if not exists (select 1 from public.campaigns c where c.id = campaign_report.campaign_id) then
    perform private.refuse('NOT_FOUND', 'There is no such campaign.');
  end if;

  select jsonb_build_object(
    'campaign_id', campaign_report.campaign_id,
    'currency', (
      select m.currency
      from public.campaigns c
      join public.marketplaces m on m.id = c.marketplace_id
      where c.id = campaign_report.campaign_id
    ),
    'totals', private.placement_ratios(
      coalesce(sum(s.impressions), 0), coalesce(sum(s.clicks), 0), coalesce(sum(s.spend), 0),
      coalesce(sum(s.sales_count), 0), coalesce(sum(s.sales_amount), 0)
    ),
    'daily', coalesce(jsonb_agg(to_jsonb(s) - 'tenant_id' order by s.date), '[]')
  )
  into answer
  from public.campaign_statistics s
  where s.campaign_id = campaign_report.campaign_id
    and s.date >= coalesce("from", '-infinity') and s.date <= coalesce("to", 'infinity');
  return answer;
end
$$;
comment on function public.campaign_report is
  'The results and the spend of a campaign, in total and for each day from the first to the last date (days of the tenant''s time zone, both included). Refuses with FORBIDDEN for customers, NOT_FOUND.';

create function private.placement_sums(tenant uuid, "from" date, "to" date) returns setof private.placement_sum
language sql stable set search_path = ''
as $$
  select
    s.campaign_id, c.supplier_id, c.category_id, m.currency, s.date,
    sum(s.impressions), sum(s.clicks), sum(s.spend), sum(s.sales_count), sum(s.sales_amount)
  from public.campaign_statistics s
  join public.campaigns c on c.tenant_id = tenant and c.id = s.campaign_id
  join public.marketplaces m on m.tenant_id = tenant and m.id = c.marketplace_id
  where s.tenant_id = tenant and s.date between placement_sums."from" and placement_sums."to"
  group by grouping sets ((s.campaign_id, c.supplier_id, c.category_id, m.currency), (s.date, m.currency))
$$;
comment on function private.placement_sums is
  'The sums of each campaign of a tenant from the first to the last of these dates, and those of each day, from one read of the statistics.';

create function private.placement_totals(sums private.placement_sum[]) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(t.line order by t.currency), '[]')
  from (
    select
      s.currency,
      jsonb_build_object(
        'currency', s.currency,
        'revenue', sum(s.spend),
        'campaigns', count(*),
        'cost_per_click', sum(s.spend)::double precision / nullif(sum(s.clicks), 0),
        'cost_per_campaign', round(sum(s.spend) / count(*), 2)
      ) || private.placement_ratios(
        sum(s.impressions)::bigint, sum(s.clicks)::bigint, sum(s.spend), sum(s.sales_count)::bigint, sum(s.sales_amount)
      ) as line
    from unnest(sums) as s
    where s.date is null
    group by s.currency
  ) as t
$$;
comment on function private.placement_totals is 'The section totals of placement_report: a line for each currency.';

create function private.placement_by_category(tenant uuid, sums private.placement_sum[]) returns jsonb
language sql stable set search_path = ''
as $$
  with contending as (
    select n.category_id, count(*) as contenders
    from private.contenders(tenant, null, null, false) as n
    -- A regional campaign competes in its regions.
    where n.reason is null or n.reason = 'region'
    group by n.category_id
  ),
  by_category as (
    select
      k.category_id, k.currency, sum(k.spend) as revenue, sum(k.impressions) as impressions,
      sum(k.clicks) as clicks, count(k.running) as active_campaigns
    from (
      select s.category_id, s.currency, s.spend, s.impressions, s.clicks, null::uuid as running
      from unnest(sums) as s
      where s.date is null
      union all
      select c.category_id, m.currency, 0, 0, 0, c.id
      from public.campaigns c
      join public.marketplaces m on m.tenant_id = tenant and m.id = c.marketplace_id
      where c.tenant_id = tenant and c.status = 'active'
    ) as k
    group by k.category_id, k.currency
  )
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'category_id', b.category_id,
        'name', c.name,
        'currency', b.currency,
        'revenue', b.revenue,
        'impressions', b.impressions,
        'clicks', b.clicks,
        'active_campaigns', b.active_campaigns,
        'contenders', coalesce(n.contenders, 0),
        'max_slots', r.max_slots,
        'competition', coalesce(n.contenders, 0)::double precision / r.max_slots
      )
      order by b.currency, b.revenue desc, b.category_id
    ),
    '[]'
  )
  from by_category b
  left join public.categories c on c.tenant_id = tenant and c.id = b.category_id
  left join contending n on n.category_id = b.category_id
  cross join lateral private.placement_category(tenant, b.category_id) as r
$$;
comment on function private.placement_by_category is
  'The section categories of placement_report: a line for each category and currency, also for categories in which campaigns run without statistics.';

create function private.placement_by_supplier(tenant uuid, sums private.placement_sum[]) returns jsonb
language sql stable set search_path = ''
as $$
  select coalesce(jsonb_agg(t.line order by t.currency, t.spend desc, t.supplier_id), '[]')
  from (
    select
      s.supplier_id, s.currency, sum(s.spend) as spend,
      jsonb_build_object(
        'supplier_id', s.supplier_id,
        'name', min(seller.name),
        'currency', s.currency,
        'campaigns', count(*)
      ) || private.placement_ratios(
        sum(s.impressions)::bigint, sum(s.clicks)::bigint, sum(s.spend), sum(s.sales_count)::bigint, sum(s.sales_amount)
      ) as line
    from unnest(sums) as s
    left join public.suppliers seller on seller.tenant_id = tenant and seller.id = s.supplier_id
    where s.date is null
    group by s.supplier_id, s.currency
  ) as t
$$;
comment on function private.placement_by_supplier is
  'The section suppliers of placement_report: a line for each supplier and currency.';

create function private.placement_report("from" date, "to" date) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
  last_date date := coalesce("to", private.today(tenant));
  first_date date := coalesce("from", last_date - 29);
  sums private.placement_sum[];
begin
  perform private.require_permission('placement_revenue.read', 'Your role may not read the revenue of placement.');

  sums := array(select s from private.placement_sums(tenant, first_date, last_date) as s);
  return jsonb_build_object(
    'from', first_date,
    'to', last_date,
    'totals', private.placement_totals(sums),
    'categories', private.placement_by_category(tenant, sums),
    'suppliers', private.placement_by_supplier(tenant, sums),
    'daily', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'date', s.date,
            'currency', s.currency,
            'revenue', s.spend,
            'impressions', s.impressions,
            'clicks', s.clicks,
            'sales_count', s.sales_count,
            'sales_amount', s.sales_amount
          )
          order by s.date, s.currency
        ),
        '[]'
      )
      from unnest(sums) as s
      where s.date is not null
    )
  );
end
$$;
comment on function private.placement_report is
  'The revenue of promoted placement from the first to the last of these dates; by default the last 30 days. Refuses with FORBIDDEN.';

create function public.placement_report("from" date default null, "to" date default null) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.placement_report("from", "to");
end
$$;
comment on function public.placement_report is
  'For admins: the revenue of promoted placement from the first to the last date (days of the tenant''s time zone, both included; by default the last 30 days), in total, by category with its competition (campaigns that may get a slot, per slot), by supplier and by day; each for every currency.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.placement_ratios, private.placement_report to authenticated;
grant execute on function public.campaign_report, public.placement_report to authenticated;
