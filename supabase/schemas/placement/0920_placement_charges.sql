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
    and case (select private.scope('campaigns.read'))
      -- A subquery, so that it is evaluated once and not for each row.
      when 'own' then campaign_id in (
        select c.id from public.campaigns c where c.supplier_id = (select private.supplier_id())
      )
      when 'all' then true
    end
  );

create policy "Admins and clients see all charges, suppliers those of their campaigns" on public.placement_charges
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('campaigns.read'))
      -- A subquery, so that it is evaluated once and not for each row.
      when 'own' then campaign_id in (
        select c.id from public.campaigns c where c.supplier_id = (select private.supplier_id())
      )
      when 'all' then true
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.campaign_statistics, public.placement_charges to authenticated, service_role;
revoke insert, update, delete, truncate on public.campaign_statistics, public.placement_charges from service_role;
