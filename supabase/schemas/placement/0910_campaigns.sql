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

create function private.discontinue_promoted_product() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (
      select 1 from public.campaigns c where c.tenant_id = old.tenant_id and c.product_id = old.id
    )
    and private.is_tenant_kept(old.tenant_id)
  then
    update public.products p
    set status = 'discontinued'
    where p.id = old.id and p.status <> 'discontinued';
    return null;
  end if;
  return old;
end
$$;
comment on function private.discontinue_promoted_product() is
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
    and private.is_tenant_kept(old.tenant_id)
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
  for each row execute function private.discontinue_promoted_product();

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
    and case (select private.scope('campaigns.read'))
      when 'own' then supplier_id = (select private.supplier_id())
      when 'all' then true
    end
  );

-- grants ---------------------------------------------------------------------------------------

-- Only functions change campaigns, because a column would round an amount before a check could refuse it.
grant select on public.campaigns to authenticated;
grant all on public.campaigns to service_role;
