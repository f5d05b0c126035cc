-- What promoted placement comes to: for whoever pays for a campaign, and for whoever sells the places. All of
-- it is read from the days' statistics, so that it costs the same however many clicks there were.

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
  'Sums of statistics with their ratios: ctr, clicks of impressions; conversion_rate, sales of clicks; roi, what the sales brought beyond the spend, of the spend. A ratio to nothing is null.';

create function public.campaign_report(campaign_id uuid, "from" date default null, "to" date default null)
returns jsonb
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  answer jsonb;
begin
  if not (private.reads_all() or coalesce(private.tenant_role() = 'supplier', false)) then
    perform private.refuse('FORBIDDEN', 'Your role may not see what placement brings.');
  elsif not exists (select 1 from public.campaigns c where c.id = campaign_report.campaign_id) then
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
  'What a campaign brought and cost, in all and on each day from the first to the last date (in UTC, both included). Refuses with FORBIDDEN for customers, NOT_FOUND.';

create function private.placement_report("from" date, "to" date) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  answer jsonb;
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Your role may not see what placement earns.');
  end if;

  with counted as materialized (
    select
      s.campaign_id, s.date, c.supplier_id, c.category_id, m.currency,
      s.impressions, s.clicks, s.spend, s.sales_count, s.sales_amount
    from public.campaign_statistics s
    join public.campaigns c on c.tenant_id = tenant and c.id = s.campaign_id
    join public.marketplaces m on m.tenant_id = tenant and m.id = c.marketplace_id
    where s.tenant_id = tenant and s.date between placement_report."from" and placement_report."to"
  ),
  running as materialized (
    select c.id, c.category_id, m.currency
    from public.campaigns c
    join public.marketplaces m on m.tenant_id = tenant and m.id = c.marketplace_id
    where c.tenant_id = tenant and c.status = 'active'
  ),
  contending as (
    select n.category_id, count(*) as contenders
    from private.contenders(tenant, null, null, false) as n
    -- A campaign for a region contends there.
    where n.reason is null or n.reason = 'region'
    group by n.category_id
  ),
  by_category as (
    select
      k.category_id, k.currency, sum(k.spend) as revenue, sum(k.impressions) as impressions,
      sum(k.clicks) as clicks, count(distinct k.running) as active_campaigns
    from (
      select t.category_id, t.currency, t.spend, t.impressions, t.clicks, null::uuid as running from counted t
      union all
      select r.category_id, r.currency, 0, 0, 0, r.id from running r
    ) as k
    group by k.category_id, k.currency
  )
  select jsonb_build_object(
    'from', placement_report."from",
    'to', placement_report."to",
    'totals', (
      select coalesce(jsonb_agg(t.line order by t.currency), '[]')
      from (
        select
          k.currency,
          jsonb_build_object(
            'currency', k.currency,
            'revenue', sum(k.spend),
            'campaigns', count(distinct k.campaign_id),
            'cost_per_click', sum(k.spend)::double precision / nullif(sum(k.clicks), 0),
            'cost_per_campaign', round(sum(k.spend) / count(distinct k.campaign_id), 2)
          ) || private.placement_ratios(
            sum(k.impressions), sum(k.clicks), sum(k.spend), sum(k.sales_count), sum(k.sales_amount)
          ) as line
        from counted k
        group by k.currency
      ) as t
    ),
    'categories', (
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
    ),
    'suppliers', (
      select coalesce(jsonb_agg(t.line order by t.currency, t.spend desc, t.supplier_id), '[]')
      from (
        select
          k.supplier_id, k.currency, sum(k.spend) as spend,
          jsonb_build_object(
            'supplier_id', k.supplier_id,
            'name', min(s.name),
            'currency', k.currency,
            'campaigns', count(distinct k.campaign_id)
          ) || private.placement_ratios(
            sum(k.impressions), sum(k.clicks), sum(k.spend), sum(k.sales_count), sum(k.sales_amount)
          ) as line
        from counted k
        left join public.suppliers s on s.tenant_id = tenant and s.id = k.supplier_id
        group by k.supplier_id, k.currency
      ) as t
    ),
    'daily', (
      select coalesce(jsonb_agg(t.line order by t.date, t.currency), '[]')
      from (
        select
          k.date, k.currency,
          jsonb_build_object(
            'date', k.date,
            'currency', k.currency,
            'revenue', sum(k.spend),
            'impressions', sum(k.impressions),
            'clicks', sum(k.clicks),
            'sales_count', sum(k.sales_count),
            'sales_amount', sum(k.sales_amount)
          ) as line
        from counted k
        group by k.date, k.currency
      ) as t
    )
  )
  into answer;
  return answer;
end
$$;
comment on function private.placement_report is
  'What placement earned from the first to the last of these dates, or refuses: FORBIDDEN.';

create function public.placement_report("from" date default null, "to" date default null) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  last_date date := coalesce("to", (now() at time zone 'UTC')::date);
begin
  return private.placement_report(coalesce("from", last_date - 29), last_date);
end
$$;
comment on function public.placement_report is
  'For admins: what placement earned from the first to the last date (in UTC, both included; the last 30 days unless said otherwise), in all, by category with its competition (contenders for each slot), by supplier and by day; each in every currency apart.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.placement_ratios, private.placement_report to authenticated;
grant execute on function public.campaign_report, public.placement_report to authenticated;
