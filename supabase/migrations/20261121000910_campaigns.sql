-- Campaigns: products that their suppliers pay to have shown first, each in a category and for a time.

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
  constraint campaigns_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id),
  constraint campaigns_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id),
  -- Only what has ended lets its category go: see check_category_runs_no_campaign.
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
  'Products that are shown first in a category, and on what terms. Amounts are in the currency of the product''s marketplace; fee is for the whole period. Without a supplier it is the operator''s own. note: why it was rejected.';

alter table public.campaigns replica identity full;
alter publication supabase_realtime add table public.campaigns;

insert into private.status_moves (subject, from_status, to_status) values
  ('campaigns', 'pending_review', 'scheduled'),
  ('campaigns', 'pending_review', 'active'),
  -- Approved when its time is over.
  ('campaigns', 'pending_review', 'completed'),
  ('campaigns', 'pending_review', 'rejected'),
  ('campaigns', 'pending_review', 'cancelled'),
  ('campaigns', 'scheduled', 'active'),
  ('campaigns', 'scheduled', 'paused'),
  ('campaigns', 'scheduled', 'cancelled'),
  ('campaigns', 'active', 'paused'),
  ('campaigns', 'active', 'exhausted'),
  ('campaigns', 'active', 'completed'),
  ('campaigns', 'active', 'cancelled'),
  ('campaigns', 'paused', 'active'),
  ('campaigns', 'paused', 'scheduled'),
  ('campaigns', 'paused', 'completed'),
  ('campaigns', 'paused', 'cancelled'),
  ('campaigns', 'exhausted', 'active'),
  ('campaigns', 'exhausted', 'paused'),
  ('campaigns', 'exhausted', 'completed'),
  ('campaigns', 'exhausted', 'cancelled');

-- indexes --------------------------------------------------------------------------------------

create index campaigns_tenant_id_created_at_idx on public.campaigns (tenant_id, created_at desc, id);
create index campaigns_supplier_idx on public.campaigns (tenant_id, supplier_id, created_at desc, id);
create index campaigns_status_idx on public.campaigns (tenant_id, status, created_at desc, id);
create index campaigns_product_idx on public.campaigns (tenant_id, product_id, created_at desc, id);
create index campaigns_category_idx on public.campaigns (tenant_id, category_id, created_at desc, id);
create index campaigns_marketplace_idx on public.campaigns (tenant_id, marketplace_id);
-- Those that compete, the highest bid first.
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
  'Until the end of the transaction no other changes campaigns of the category. Whoever also locks a day''s statistics does that before, and rows of campaigns after.';

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
    -- Its product is no longer there.
    array[campaign.category_id]
  );
end
$$;
comment on function private.campaign_way is
  'The categories from that of a campaign''s product up to the one in which it is promoted.';

create function private.raise_bids(tenant_id uuid, category_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  step constant numeric := 0.01;
  able uuid[];
  raiser record;
  wanted numeric;
begin
  if not exists (
    select 1
    from public.campaigns c
    where c.tenant_id = raise_bids.tenant_id
      and c.category_id = raise_bids.category_id
      and c.status = 'active'
      and c.max_bid is not null
  ) then
    return;
  end if;

  -- Whoever can have no place anyway neither raises others nor is raised; a bid below the least one first becomes that.
  with contending as (
    select n.campaign_id, n.reason, n.min_bid
    from private.contenders(
      raise_bids.tenant_id,
      array[raise_bids.category_id],
      -- Wherever they are shown.
      array(
        select distinct r.region
        from public.campaigns c
        cross join lateral unnest(c.regions) as r (region)
        where c.tenant_id = raise_bids.tenant_id and c.category_id = raise_bids.category_id and c.status = 'active'
      ),
      false
    ) as n
    where n.reason is null or n.reason = 'bid'
  ),
  lifted as (
    update public.campaigns c
    set bid_amount = held.min_bid
    from (
      select c.id, n.min_bid
      from contending n
      join public.campaigns c on c.id = n.campaign_id
      where n.reason = 'bid' and c.max_bid is not null and least(c.max_bid, c.daily_budget) >= n.min_bid
      order by c.id
      -- A row that somebody holds is that of a campaign whose budget runs out right now.
      for no key update of c skip locked
    ) as held
    where c.id = held.id
    returning c.id
  )
  select array(select n.campaign_id from contending n where n.reason is null union all select l.id from lifted l)
  into able;

  -- From the lowest limit up: whoever cannot follow any more has come to rest when the next one passes it.
  for raiser in
    select
      c.id, c.created_at, c.supplier_id, c.regions, c.bid_amount, m.currency,
      least(c.max_bid, c.daily_budget) as ceiling
    from public.campaigns c
    join public.marketplaces m on m.tenant_id = c.tenant_id and m.id = c.marketplace_id
    where c.tenant_id = raise_bids.tenant_id
      and c.category_id = raise_bids.category_id
      and c.status = 'active'
      and c.id = any (able)
      and c.max_bid is not null
      and c.bid_amount < least(c.max_bid, c.daily_budget)
    order by ceiling, c.created_at desc, c.id desc
  loop
    -- Nobody is made to bid against itself, or against who is shown elsewhere or pays in other money.
    select c.bid_amount + step into wanted
    from public.campaigns c
    join public.marketplaces m on m.tenant_id = c.tenant_id and m.id = c.marketplace_id
    where c.tenant_id = raise_bids.tenant_id
      and c.category_id = raise_bids.category_id
      and c.status = 'active'
      and c.id = any (able)
      and c.bid_amount <= raiser.ceiling - step
      and c.supplier_id is distinct from raiser.supplier_id
      and m.currency = raiser.currency
      and (c.regions is null or raiser.regions is null or c.regions && raiser.regions)
    order by c.bid_amount desc
    limit 1;
    continue when wanted is null;

    -- Two that raise by themselves pass each other until one has reached its limit; of two with the same limit
    -- that is the younger one, a step before it.
    select
      greatest(
        wanted,
        max(raiser.ceiling - case when least(c.max_bid, c.daily_budget) > raiser.ceiling then 0 else step end)
      )
    into wanted
    from public.campaigns c
    join public.marketplaces m on m.tenant_id = c.tenant_id and m.id = c.marketplace_id
    where c.tenant_id = raise_bids.tenant_id
      and c.category_id = raise_bids.category_id
      and c.status = 'active'
      and c.id = any (able)
      and c.max_bid >= raiser.ceiling
      and (least(c.max_bid, c.daily_budget), raiser.created_at, raiser.id) > (raiser.ceiling, c.created_at, c.id)
      and c.bid_amount <= raiser.ceiling - step
      and c.supplier_id is distinct from raiser.supplier_id
      and m.currency = raiser.currency
      and (c.regions is null or raiser.regions is null or c.regions && raiser.regions);
    if wanted > raiser.bid_amount then
      perform 1 from public.campaigns c where c.id = raiser.id for no key update skip locked;
      if found then
        update public.campaigns c set bid_amount = wanted where c.id = raiser.id;
      end if;
    end if;
  end loop;
end
$$;
comment on function private.raise_bids is
  'Raises the bids of a category''s campaigns that have a max_bid to the least bid, and just above the highest rival that could have a place and that each can beat, and lowers none. The caller has locked the category''s campaigns.';

create function private.reviewed_status(start_date timestamptz) returns public.campaign_status
language sql stable
return case when start_date <= now() then 'active' else 'scheduled' end::public.campaign_status;
comment on function private.reviewed_status is 'The status of a campaign that may run: active, or scheduled where it starts later.';

create function private.create_campaign(
  product_id uuid,
  category_id uuid,
  duration numeric,
  bid_amount numeric,
  pricing_model public.pricing_model,
  daily_budget numeric,
  start_date timestamptz,
  max_bid numeric,
  regions text[],
  labels text[],
  highlighted boolean,
  pinned boolean
) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  caller public.member_role := private.tenant_role();
  tenant uuid := private.tenant_id();
  model public.pricing_model := coalesce(create_campaign.pricing_model, 'auction');
  starts timestamptz := greatest(coalesce(create_campaign.start_date, now()), now());
  bid numeric := private.checked_amount(create_campaign.bid_amount, 'bid_amount');
  budget numeric := private.checked_amount(create_campaign.daily_budget, 'daily_budget');
  most numeric := private.checked_amount(create_campaign.max_bid, 'max_bid');
  promoted public.products;
  way uuid[];
  terms public.placement_categories;
  day_fee numeric := 0;
  trusted boolean;
  created uuid;
begin
  if caller is null or caller not in ('admin', 'supplier') then
    perform private.refuse('FORBIDDEN', 'Your role may not make campaigns.');
  end if;
  -- A product that is being discontinued cancels its campaigns: either this one is among them, or there is none.
  select * into promoted
  from public.products p
  where p.tenant_id = tenant
    and p.id = create_campaign.product_id
    and (caller = 'admin' or p.supplier_id = private.supplier_id())
  for share;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such product.', 'product_id', to_jsonb(create_campaign.product_id));
  elsif not exists (
    select 1 from public.categories c where c.tenant_id = tenant and c.id = create_campaign.category_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such category.', 'category_id', to_jsonb(create_campaign.category_id));
  end if;
  way := private.placement_way(tenant, promoted.category_id, create_campaign.category_id);

  perform private.insist(
    promoted.status = 'active', 'product_id', 'that of an active product', to_jsonb(promoted.id)
  );
  perform private.insist(
    way is not null, 'category_id', 'the product''s category or one above it', to_jsonb(create_campaign.category_id)
  );
  terms := private.placement_terms(tenant, way);
  perform private.insist(
    not private.placement_is_forbidden(tenant, promoted.category_id),
    'category_id', 'a category in which products may be promoted', to_jsonb(create_campaign.category_id)
  );
  perform private.insist(
    private.product_quality(promoted) >= terms.min_quality,
    'product_id', format('that of a product described well enough: %s of 1', trim_scale(terms.min_quality)),
    to_jsonb(promoted.id)
  );
  if model in ('fixed', 'hybrid') then
    perform private.insist(
      create_campaign.duration in (1, 7, 30, 90), 'duration', '1, 7, 30 or 90 days', to_jsonb(create_campaign.duration)
    );
  end if;
  perform private.insist(
    create_campaign.duration between 1 and 365 and create_campaign.duration = trunc(create_campaign.duration),
    'duration', 'a whole number of days from 1 to 365', to_jsonb(create_campaign.duration)
  );
  perform private.insist(
    coalesce(create_campaign.start_date, now()) between now() - interval '1 minute' and now() + interval '365 days',
    'start_date', 'now or later, within a year', to_jsonb(create_campaign.start_date)
  );
  perform private.insist(
    terms.auction_enabled or model in ('fixed', 'cpc'),
    'pricing_model', 'fixed or cpc: the category holds no auction', to_jsonb(model)
  );
  -- First places are not for nothing.
  perform private.insist(
    terms.base_price > 0 or model in ('auction', 'cpc'),
    'pricing_model', 'auction or cpc: the operator has set no base price for the category', to_jsonb(model)
  );

  perform private.insist(bid is not null, 'bid_amount', 'an amount', 'null');
  if model in ('fixed', 'hybrid') then
    day_fee := terms.base_price;
  end if;
  if model = 'fixed' then
    perform private.insist(
      bid >= day_fee, 'bid_amount', format('at least the price of a day: %s', day_fee), to_jsonb(bid)
    );
    perform private.insist(
      budget is null or budget >= day_fee, 'daily_budget', format('at least the price of a day: %s', day_fee),
      to_jsonb(budget)
    );
    -- It pays its fee and never more: nothing is left for a budget to end.
    bid := day_fee;
    budget := null;
  else
    perform private.insist(
      bid >= terms.min_bid, 'bid_amount', format('at least the category''s least bid: %s', terms.min_bid),
      to_jsonb(bid)
    );
    perform private.insist(
      budget is null or budget >= bid + day_fee, 'daily_budget',
      case model when 'hybrid' then 'at least the bid and the fee of a day' else 'at least the bid' end, to_jsonb(budget)
    );
  end if;
  perform private.insist(
    most is null or model = 'auction' and most >= bid, 'max_bid',
    case model when 'auction' then 'at least the bid' else 'left out: only auctions raise bids' end, to_jsonb(most)
  );
  perform private.check_list(to_jsonb(create_campaign.regions), 'regions', 64)
  where create_campaign.regions is not null;

  trusted := caller = 'admin' or promoted.supplier_id is null or exists (
    select 1 from public.suppliers s where s.tenant_id = tenant and s.id = promoted.supplier_id and s.verified
  );
  perform private.lock_campaigns(create_campaign.category_id);
  begin
    insert into public.campaigns (
      tenant_id, supplier_id, marketplace_id, product_id, category_id, pricing_model, start_date, end_date,
      daily_budget, bid_amount, max_bid, fee, regions, labels, highlighted, pinned, status
    )
    values (
      tenant, promoted.supplier_id, promoted.marketplace_id, promoted.id, create_campaign.category_id, model, starts,
      starts + create_campaign.duration * interval '24 hours', budget, bid, most, day_fee * create_campaign.duration,
      nullif(create_campaign.regions, '{}'),
      coalesce((select array_agg(distinct l.label) from unnest(create_campaign.labels) as l (label)), '{Promoted}'),
      coalesce(create_campaign.highlighted, false), coalesce(create_campaign.pinned, false),
      case when trusted then private.reviewed_status(starts) else 'pending_review' end
    )
    returning id into created;
  exception
    when exclusion_violation then
      perform private.refuse(
        'CONFLICT', 'The product has a campaign in this category at that time.', 'product_id', to_jsonb(promoted.id)
      );
  end;
  perform private.raise_bids(tenant, create_campaign.category_id);
  perform private.run_campaign(created);
  return created;
end
$$;
comment on function private.create_campaign is
  'Makes a campaign, runs it if it may start, and answers its id, or refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, CONFLICT.';

create function public.create_campaign(
  product_id uuid,
  category_id uuid,
  duration numeric,
  bid_amount numeric,
  pricing_model public.pricing_model default 'auction',
  daily_budget numeric default null,
  start_date timestamptz default null,
  max_bid numeric default null,
  regions text[] default null,
  labels text[] default null,
  highlighted boolean default false,
  pinned boolean default false
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created uuid := private.create_campaign(
    product_id, category_id, duration, bid_amount, pricing_model, daily_budget, start_date, max_bid, regions, labels,
    highlighted, pinned
  );
begin
  return (select to_jsonb(c) from public.campaigns c where c.id = created);
end
$$;
comment on function public.create_campaign is
  'For suppliers with their own products, and admins: promotes a product in its category, or one above it, for so many days, and answers the whole record. Of an unverified supplier it waits for review. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, CONFLICT.';

create function private.campaign_to_change(campaign_id uuid) returns public.campaigns
language plpgsql security definer set search_path = ''
as $$
declare
  target public.campaigns;
begin
  select * into target
  from public.campaigns c
  where c.tenant_id = private.tenant_id()
    and c.id = campaign_to_change.campaign_id
    and (private.tenant_role() = 'admin' or c.supplier_id = private.supplier_id());
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such campaign.');
  end if;
  -- The clock may be behind: first whatever should have happened to it by now.
  perform private.run_campaign(target.id);
  perform private.lock_campaigns(target.category_id);
  select * into target from public.campaigns c where c.id = target.id for no key update;
  return target;
end
$$;
comment on function private.campaign_to_change is
  'A campaign of the caller''s, brought up to now and locked with the others of its category. Refuses with NOT_FOUND.';

create function private.change_campaign(campaign_id uuid, changes jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  wish constant text := changes ->> 'status';
  target public.campaigns;
  wished public.campaign_status;
  bid numeric;
  most numeric;
  budget numeric;
  least_bid numeric;
  day_fee numeric := 0;
  blamed text;
begin
  if coalesce(private.tenant_role() not in ('admin', 'supplier'), true) then
    perform private.refuse('FORBIDDEN', 'Your role may not change campaigns.');
  end if;
  perform private.known_only(changes, '{status,bid_amount,max_bid,daily_budget}');
  perform private.insist(
    not changes ? 'status' or coalesce(wish in ('active', 'paused', 'cancelled'), false),
    'status', 'active, paused or cancelled', changes -> 'status'
  );
  perform private.insist(changes -> 'bid_amount' <> 'null', 'bid_amount', 'an amount', 'null')
  where changes ? 'bid_amount';
  target := private.campaign_to_change(change_campaign.campaign_id);

  if target.status in ('completed', 'rejected', 'cancelled') or target.end_date <= now() then
    perform private.refuse(
      'INVALID_TRANSITION', format('The campaign is %s: it cannot change any more.', target.status),
      (select min(k.key) from jsonb_object_keys(changes) as k (key)),
      changes -> (select min(k.key) from jsonb_object_keys(changes) as k (key))
    );
  elsif wish = target.status::text or wish = 'active' and target.status in ('pending_review', 'scheduled') then
    perform private.refuse(
      'INVALID_TRANSITION', format('The status cannot go from %s to %s.', target.status, wish),
      'status', to_jsonb(wish)
    );
  end if;
  wished := case
    when wish is null then target.status
    when wish <> 'active' then wish::public.campaign_status
    -- Its budget says below whether it goes on.
    when target.status = 'exhausted' then 'exhausted'
    else private.reviewed_status(target.start_date)
  end;

  least_bid := (private.placement_terms(target.tenant_id, private.campaign_way(target))).min_bid;
  bid := case
    when changes ? 'bid_amount' then private.checked_amount((changes ->> 'bid_amount')::numeric, 'bid_amount')
    else target.bid_amount
  end;
  most := case
    when changes ? 'max_bid' then private.checked_amount((changes ->> 'max_bid')::numeric, 'max_bid')
    else target.max_bid
  end;
  budget := case
    when changes ? 'daily_budget' then private.checked_amount((changes ->> 'daily_budget')::numeric, 'daily_budget')
    else target.daily_budget
  end;

  if target.pricing_model = 'fixed' then
    perform private.insist(
      bid >= target.bid_amount, 'bid_amount', format('at least the price of a day: %s', target.bid_amount),
      changes -> 'bid_amount'
    );
    perform private.insist(
      budget is null or budget >= target.bid_amount, 'daily_budget',
      format('at least the price of a day: %s', target.bid_amount), changes -> 'daily_budget'
    );
    bid := target.bid_amount;
    budget := null;
  else
    perform private.insist(
      bid >= least_bid or not changes ? 'bid_amount', 'bid_amount',
      format('at least the category''s least bid: %s', least_bid), changes -> 'bid_amount'
    );
    if target.pricing_model = 'hybrid' then
      day_fee := private.day_fee(target, 0);
    end if;
    blamed := case when changes ? 'daily_budget' then 'daily_budget' else 'bid_amount' end;
    perform private.insist(
      budget is null or budget >= bid + day_fee, blamed,
      case blamed
        when 'bid_amount' then 'within the daily budget'
        else case target.pricing_model when 'hybrid' then 'at least the bid and the fee of a day' else 'at least the bid' end
      end,
      changes -> blamed
    );
  end if;
  blamed := case when changes ? 'max_bid' then 'max_bid' else 'bid_amount' end;
  perform private.insist(
    most is null or target.pricing_model = 'auction' and most >= bid, blamed,
    case
      when target.pricing_model <> 'auction' then 'left out: only auctions raise bids'
      when blamed = 'max_bid' then 'at least the bid'
      else 'within max_bid'
    end,
    changes -> blamed
  );

  if wished = 'exhausted' and budget is null then
    wished := 'active';
  end if;
  update public.campaigns c
  set status = wished, bid_amount = bid, max_bid = most, daily_budget = budget
  where c.id = target.id;
  perform private.follow_budgets(array[target.id]);
  if wish = 'active' and exists (
    select 1 from public.campaigns c where c.id = target.id and c.status = 'exhausted' and target.status = 'exhausted'
  ) then
    perform private.refuse(
      'INVALID_TRANSITION', 'The budget of today is used up. Raise it, or wait until tomorrow.', 'status', to_jsonb(wish)
    );
  end if;
  perform private.raise_bids(target.tenant_id, target.category_id);
end
$$;
comment on function private.change_campaign is
  'Pauses, resumes or cancels a campaign, or changes its bids and budget, or refuses: FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR.';

create function public.change_campaign(campaign_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.change_campaign(campaign_id, changes);
  return (select to_jsonb(c) from public.campaigns c where c.id = campaign_id);
end
$$;
comment on function public.change_campaign is
  'For suppliers with their own campaigns, and admins: changes the fields that are sent (status: paused, active, which resumes, or cancelled; bid_amount, max_bid, daily_budget), and answers the whole record. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR.';

create function private.review_campaign(campaign_id uuid, approved boolean, note text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  target public.campaigns;
  begins timestamptz;
  days integer;
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Admins review campaigns.');
  end if;
  perform private.insist(
    char_length(review_campaign.note) <= 2000, 'note', 'at most 2000 characters', to_jsonb(review_campaign.note)
  )
  where review_campaign.note is not null;
  target := private.campaign_to_change(review_campaign.campaign_id);
  if target.status <> 'pending_review' then
    perform private.refuse('INVALID_TRANSITION', format('The campaign is %s: it waits for no review.', target.status));
  elsif not approved then
    update public.campaigns c
    set status = 'rejected', note = review_campaign.note
    where c.id = target.id;
    return;
  end if;

  -- What passed while it waited is not promoted, and not paid for.
  begins := greatest(target.start_date, now());
  days := greatest(ceil(extract(epoch from target.end_date - begins) / 86400), 0);
  update public.campaigns c
  set status = case
        when target.end_date <= now() then 'completed' else private.reviewed_status(begins)
      end,
      start_date = case when target.end_date <= now() then target.start_date else begins end,
      fee = private.fee_until(target, days),
      note = review_campaign.note
  where c.id = target.id;
  perform private.raise_bids(target.tenant_id, target.category_id);
  perform private.run_campaign(target.id);
end
$$;
comment on function private.review_campaign is
  'Lets a campaign run that waits for review, or rejects it, or refuses: FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR.';

create function public.approve_campaign(campaign_id uuid, note text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.review_campaign(campaign_id, true, note);
  return (select to_jsonb(c) from public.campaigns c where c.id = campaign_id);
end
$$;
comment on function public.approve_campaign is
  'For admins: lets a campaign run that waits for review, from its start or, if that has passed, from now, and answers the whole record. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

create function public.reject_campaign(campaign_id uuid, note text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.review_campaign(campaign_id, false, note);
  return (select to_jsonb(c) from public.campaigns c where c.id = campaign_id);
end
$$;
comment on function public.reject_campaign is
  'For admins: rejects a campaign that waits for review, for the reason in the note, and answers the whole record. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

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
  'Row trigger: discontinues a product that was ever promoted instead of deleting it: what was charged for it stays.';

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
  'Row trigger: a discontinued product, which nobody sees, is promoted no more.';

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

create trigger campaigns_check_status_move
  before update of status on public.campaigns
  for each row execute function private.check_status_move();

create trigger campaigns_touch
  before update on public.campaigns
  for each row execute function private.touch();

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

-- Changed by the functions alone: a column would round an amount before anything could refuse it.
grant select on public.campaigns to authenticated;
grant all on public.campaigns to service_role;
grant execute on function private.create_campaign, private.change_campaign, private.review_campaign to authenticated;
grant execute on function
  public.create_campaign, public.change_campaign, public.approve_campaign, public.reject_campaign
to authenticated;
