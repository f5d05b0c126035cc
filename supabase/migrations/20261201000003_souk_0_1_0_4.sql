-- Made from supabase/schemas and supabase/reference by `npm run db -- migration`. Do not edit.

-- supabase/schemas/placement/0940_bids.sql

-- Automatic bids, which rise to the lowest bid of the category and just above their competitors, up to their limits;
-- and the configuration of categories, which these bids follow.

-- functions ------------------------------------------------------------------------------------

create function private.lift_bids(tenant_id uuid, category_id uuid) returns uuid[]
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  able uuid[];
begin
  with contending as (
    select n.campaign_id, n.reason, n.min_bid
    from private.contenders(
      lift_bids.tenant_id,
      array[lift_bids.category_id],
      -- All regions in which the campaigns are shown.
      array(
        select distinct r.region
        from public.campaigns c
        cross join lateral unnest(c.regions) as r (region)
        where c.tenant_id = lift_bids.tenant_id and c.category_id = lift_bids.category_id and c.status = 'active'
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
      -- A locked row belongs to a campaign whose budget is running out at this moment.
      for no key update of c skip locked
    ) as held
    where c.id = held.id
    returning c.id
  )
  select array(select n.campaign_id from contending n where n.reason is null union all select l.id from lifted l)
  into able;
  return able;
end
$$;
comment on function private.lift_bids is
  'Raises bids that are below the lowest bid of the category to it, if max_bid and the daily budget allow that. Returns the campaigns of the category that may get a slot; only these raise others and are raised.';

create function private.raise_bids(tenant_id uuid, category_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
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

  able := private.lift_bids(raise_bids.tenant_id, raise_bids.category_id);

  -- From the lowest limit up: a campaign that has reached its limit stays when the next one passes it.
  for raiser in
    select
      c.id, c.created_at, c.supplier_id, c.regions, c.bid_amount, c.marketplace_id, private.bid_step(c.currency) as step,
      least(c.max_bid, c.daily_budget) as ceiling
    from public.campaigns c
    where c.tenant_id = raise_bids.tenant_id
      and c.category_id = raise_bids.category_id
      and c.status = 'active'
      and c.id = any (able)
      and c.max_bid is not null
      and c.bid_amount < least(c.max_bid, c.daily_budget)
    order by ceiling, c.created_at desc, c.id desc
  loop
    -- A campaign does not compete with its own supplier, or with campaigns of other regions or marketplaces.
    select c.bid_amount + raiser.step into wanted
    from public.campaigns c
    where c.tenant_id = raise_bids.tenant_id
      and c.category_id = raise_bids.category_id
      and c.status = 'active'
      and c.id = any (able)
      and c.bid_amount <= raiser.ceiling - raiser.step
      and c.supplier_id is distinct from raiser.supplier_id
      and c.marketplace_id = raiser.marketplace_id
      and (c.regions is null or raiser.regions is null or c.regions && raiser.regions)
    order by c.bid_amount desc
    limit 1;
    continue when wanted is null;

    -- Two automatic bids pass each other until one has reached its limit. If both limits are equal, the younger
    -- campaign stops a step before it.
    select
      greatest(
        wanted,
        max(raiser.ceiling - case when least(c.max_bid, c.daily_budget) > raiser.ceiling then 0 else raiser.step end)
      )
    into wanted
    from public.campaigns c
    where c.tenant_id = raise_bids.tenant_id
      and c.category_id = raise_bids.category_id
      and c.status = 'active'
      and c.id = any (able)
      and c.max_bid >= raiser.ceiling
      and (least(c.max_bid, c.daily_budget), raiser.created_at, raiser.id) > (raiser.ceiling, c.created_at, c.id)
      and c.bid_amount <= raiser.ceiling - raiser.step
      and c.supplier_id is distinct from raiser.supplier_id
      and c.marketplace_id = raiser.marketplace_id
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
  'Raises the bids of a category''s campaigns that have a max_bid to the lowest bid, and just above the highest competitor that may get a slot and that they can beat. Lowers no bid. The caller has locked the campaigns of the category.';

create function private.checked_main_price(tenant uuid, category_id uuid, changes jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  main_price jsonb;
begin
  if changes -> 'prices' <> 'null' then
    select e.value into main_price
    from jsonb_array_elements(private.checked_prices(changes -> 'prices')) as e (value)
    where e.value ->> 'currency' = private.main_currency(tenant);
    -- Either one may be changed in a record that is sent back. If both are changed, they must agree.
    perform private.insist(
      a.sent = a.priced or a.now in (a.sent, a.priced), a.field,
      format('the same as in prices for %s', main_price ->> 'currency'), to_jsonb(a.sent)
    )
    from private.placement_category(tenant, checked_main_price.category_id) as k
    cross join lateral (
      select
        l.field, (changes ->> l.field)::numeric as sent, (main_price ->> l.field)::numeric as priced,
        (to_jsonb(k) ->> l.field)::numeric as now
      from unnest('{base_price,min_bid}'::text[]) as l (field)
    ) as a
    where num_nulls(a.sent, a.priced) = 0;
  end if;
  return main_price;
end
$$;
comment on function private.checked_main_price is
  'The price in the tenant''s main currency among the prices of a change of a category; null if it sets none. Refuses with VALIDATION_ERROR wrong prices, and a base_price or min_bid that contradicts them.';

create function private.set_placement_category(category_id uuid, changes jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  line uuid[];
  main_price jsonb;
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Only admins may configure placement.');
  end if;
  perform private.known_only(
    changes,
    '{category_id,name,base_price,max_slots,auction_enabled,min_bid,prices,forbidden,rotation_minutes,display_priority,min_quality}'
  );
  perform private.checked_amount((changes ->> 'base_price')::numeric, 'base_price', private.main_currency(tenant));
  perform private.checked_amount((changes ->> 'min_bid')::numeric, 'min_bid', private.main_currency(tenant));
  main_price := private.checked_main_price(tenant, set_placement_category.category_id, changes);

  -- A category's terms also apply to its products that are promoted in its ancestors. Campaigns are locked before any
  -- rows and in the order of ids, as everywhere.
  line := array(
    select l.id from unnest(private.category_line(tenant, set_placement_category.category_id)) as l (id) order by l.id
  );
  perform private.lock_campaigns(l.id) from unnest(line) as l (id);

  update public.categories c
  set name = coalesce(changes ->> 'name', c.name)
  where c.tenant_id = tenant and c.id = set_placement_category.category_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such category.');
  end if;
  perform private.insist(
    coalesce((changes ->> 'category_id')::uuid, set_placement_category.category_id) = set_placement_category.category_id,
    'category_id', 'the id in the path', changes -> 'category_id'
  );

  insert into public.placement_categories (tenant_id, category_id)
  values (tenant, set_placement_category.category_id)
  on conflict on constraint placement_categories_pkey do nothing;
  update public.placement_categories c
  set base_price = coalesce(
        nullif((main_price ->> 'base_price')::numeric, c.base_price), (changes ->> 'base_price')::numeric, c.base_price
      ),
      max_slots = coalesce((changes ->> 'max_slots')::integer, c.max_slots),
      auction_enabled = coalesce((changes ->> 'auction_enabled')::boolean, c.auction_enabled),
      min_bid = coalesce(
        nullif((main_price ->> 'min_bid')::numeric, c.min_bid), (changes ->> 'min_bid')::numeric, c.min_bid
      ),
      other_prices = case
        when changes -> 'prices' <> 'null' then (
          select coalesce(jsonb_agg(e.value order by e.value ->> 'currency'), '[]')
          from jsonb_array_elements(changes -> 'prices') as e (value)
          where e.value is distinct from main_price
        )
        else c.other_prices
      end,
      forbidden = coalesce((changes ->> 'forbidden')::boolean, c.forbidden),
      rotation_minutes = coalesce((changes ->> 'rotation_minutes')::integer, c.rotation_minutes),
      display_priority = coalesce(changes ->> 'display_priority', c.display_priority),
      min_quality = coalesce(trim_scale((changes ->> 'min_quality')::numeric), c.min_quality)
  where c.tenant_id = tenant and c.category_id = set_placement_category.category_id;

  perform private.raise_bids(tenant, l.id) from unnest(line) as l (id);
end
$$;
comment on function private.set_placement_category is
  'Changes how a category sells its promoted slots and raises automatic bids, or refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.set_placement_category(category_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.set_placement_category(category_id, changes);
  return public.get_placement_category(category_id);
end
$$;
comment on function public.set_placement_category is
  'For admins: changes the fields that are sent (name, base_price, max_slots, auction_enabled, min_bid, prices, forbidden, rotation_minutes, display_priority, min_quality), and returns the whole configuration. name is the name of the category itself.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.set_placement_category to authenticated;
grant execute on function public.set_placement_category to authenticated;

-- supabase/schemas/placement/0945_campaign_lifecycle.sql

-- Campaigns over time: a job starts them, resumes them the day after their budget was used up, charges their daily
-- fees, and ends them.

-- indexes --------------------------------------------------------------------------------------

create index campaigns_to_start_idx on public.campaigns (start_date) where status = 'scheduled';
create index campaigns_to_end_idx on public.campaigns (end_date) where status in ('active', 'paused', 'exhausted');
create index campaigns_to_go_on_idx on public.campaigns (id) where status = 'exhausted';
create index campaigns_with_a_fee_idx on public.campaigns (id)
  where fee > 0 and status in ('scheduled', 'active', 'paused', 'exhausted');

-- functions ------------------------------------------------------------------------------------

create function private.fee_is_due(campaign public.campaigns) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return campaign.fee > 0
    -- A campaign that was not started before its end was not shown.
    and (campaign.status <> 'scheduled' or campaign.end_date > now())
    and private.fee_days_begun(campaign) > (
      select count(*) from public.placement_charges c where c.campaign_id = campaign.id and c.kind = 'fee'
    );
end
$$;
comment on function private.fee_is_due is 'Whether a day of a campaign has begun whose fee is not charged yet.';

create function private.charge_fees(campaign public.campaigns) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  first_day date := private.first_day(campaign);
  day integer;
begin
  for day in
    select d.day
    from generate_series(0, private.fee_days_begun(campaign) - 1) as d (day)
    where private.day_fee(campaign, d.day) > 0
      and not exists (
        select 1
        from public.placement_charges c
        where c.campaign_id = campaign.id and c.kind = 'fee' and c.explanation ->> 'day' = (d.day + 1)::text
      )
    order by d.day
  loop
    perform private.charge_campaign(
      campaign_id => campaign.id,
      kind => 'fee',
      amount => private.day_fee(campaign, day),
      click_id => null,
      explanation => jsonb_build_object('day', day + 1, 'days', private.fee_days(campaign), 'fee', campaign.fee),
      date => first_day + day
    );
  end loop;
end
$$;
comment on function private.charge_fees is
  'Charges the fees of all days of a campaign that have begun and are not charged yet, also of earlier days that the job missed. Fees are due during a pause too.';

create function private.move_campaign(campaign_id uuid) returns public.campaign_status
language plpgsql security definer set search_path = ''
as $$
declare
  target public.campaigns;
  moved public.campaign_status;
begin
  -- If another transaction has locked it, that one updates it, or the job does a minute later.
  select * into target
  from public.campaigns c
  where c.id = move_campaign.campaign_id
  for no key update skip locked;
  if target.status = 'scheduled' and target.start_date <= now() then
    update public.campaigns c set status = 'active' where c.id = target.id;
  end if;
  if target.end_date <= now() then
    update public.campaigns c
    set status = 'completed'
    where c.id = target.id and c.status in ('active', 'paused', 'exhausted');
  else
    perform private.follow_budgets(array[target.id]);
  end if;
  select c.status into moved from public.campaigns c where c.id = target.id and c.status <> target.status;
  return moved;
end
$$;
comment on function private.move_campaign is
  'Starts, resumes or ends a campaign if it is time. Returns its new status, or null if it stays. The caller has locked the campaigns of the category, and raises their bids if this one is active now.';

create function private.run_campaign(campaign_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  target public.campaigns;
begin
  select * into target
  from public.campaigns c
  where c.id = run_campaign.campaign_id and c.status in ('scheduled', 'active', 'paused', 'exhausted');
  if found then
    if private.fee_is_due(target) then
      perform private.charge_fees(target);
    end if;
    perform private.lock_campaigns(target.category_id);
    if private.move_campaign(target.id) = 'active' then
      perform private.raise_bids(target.tenant_id, target.category_id);
    end if;
  end if;
end
$$;
comment on function private.run_campaign is 'Brings a campaign up to date: its fees, its start, its budget, its end.';

create function private.run_campaigns() returns integer
language plpgsql security definer set search_path = ''
as $$
declare
  due public.campaigns;
  moved public.campaign_status;
  moves integer := 0;
  -- The categories in which a campaign competes that did not before, with their tenants.
  stirred jsonb := '{}'::jsonb;
  category record;
begin
  if not private.try_hold('campaign_run', '') then
    return 0;
  end if;

  -- First all fees, in the order of ids, because charging locks statistics, and a transaction that has locked campaigns
  -- must not wait for these.
  for due in
    select c.*
    from public.campaigns c
    where c.fee > 0 and c.status in ('scheduled', 'active', 'paused', 'exhausted') and private.fee_is_due(c)
    order by c.id
  loop
    begin
      perform private.charge_fees(due);
    exception
      when others then
        -- A campaign that cannot be charged must not keep others from running.
        raise warning 'campaign % could not be charged its fee: %', due.id, sqlerrm;
    end;
  end loop;

  for due in
    select c.*
    from public.campaigns c
    where c.status = 'scheduled' and c.start_date <= now()
      or c.status in ('active', 'paused', 'exhausted') and c.end_date <= now()
      or c.status = 'exhausted'
    order by c.category_id, c.id
  loop
    begin
      -- Skips a campaign whose category is locked until the next minute, so that others do not wait.
      continue when not private.try_hold('category_campaigns', due.category_id::text);
      moved := private.move_campaign(due.id);
      if moved is not null then
        moves := moves + 1;
      end if;
      if moved = 'active' then
        stirred := stirred || jsonb_build_object(due.category_id, due.tenant_id);
      end if;
    exception
      when others then
        raise warning 'campaign % could not be moved: %', due.id, sqlerrm;
    end;
  end loop;

  for category in select s.key::uuid as id, s.value::uuid as tenant_id from jsonb_each_text(stirred) as s loop
    begin
      perform private.raise_bids(category.tenant_id, category.id);
    exception
      when others then
        raise warning 'the bids of category % could not be raised: %', category.id, sqlerrm;
    end;
  end loop;
  return moves;
end
$$;
comment on function private.run_campaigns() is
  'For a job: charges the fees of days that have begun, starts scheduled campaigns, resumes those that have budget again, and ends those that are over, also what earlier runs missed. Returns how many campaigns have a new status.';

-- supabase/schemas/placement/0950_campaign_changes.sql

-- Changes of campaigns by users: create, pause, resume, cancel and review.

-- functions ------------------------------------------------------------------------------------

create function private.product_to_promote(product_id uuid, category_id uuid) returns public.products
language plpgsql security definer set search_path = ''
as $$
declare
  caller public.member_role := private.tenant_role();
  promoted public.products;
begin
  if caller is null or caller not in ('admin', 'supplier') then
    perform private.refuse('FORBIDDEN', 'Your role may not create campaigns.');
  end if;
  -- Discontinuing a product cancels its campaigns. The lock makes sure that it also cancels this one, or that this one
  -- is refused.
  select * into promoted
  from public.products p
  where p.tenant_id = private.tenant_id()
    and p.id = product_to_promote.product_id
    and (caller = 'admin' or p.supplier_id = private.supplier_id())
  for share;
  if not found then
    perform private.refuse(
      'NOT_FOUND', 'There is no such product.', 'product_id', to_jsonb(product_to_promote.product_id)
    );
  elsif not exists (
    select 1
    from public.categories c
    where c.tenant_id = promoted.tenant_id and c.id = product_to_promote.category_id
  ) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such category.', 'category_id', to_jsonb(product_to_promote.category_id)
    );
  end if;
  return promoted;
end
$$;
comment on function private.product_to_promote is
  'A product for which the caller may create a campaign in an existing category. Refuses: FORBIDDEN, NOT_FOUND.';

create function private.terms_of_promotion(promoted public.products, category_id uuid)
returns public.placement_categories
language plpgsql stable security definer set search_path = ''
as $$
declare
  way uuid[] := private.placement_way(promoted.tenant_id, promoted.category_id, terms_of_promotion.category_id);
  terms public.placement_categories;
begin
  perform private.insist(
    promoted.status = 'active', 'product_id', 'the id of an active product', to_jsonb(promoted.id)
  );
  perform private.insist(
    way is not null, 'category_id', 'the product''s category or one above it', to_jsonb(terms_of_promotion.category_id)
  );
  terms := private.placement_terms(promoted.tenant_id, way, promoted.currency);
  perform private.insist(
    terms.min_bid is not null, 'category_id', format('a category that has prices in %s', promoted.currency),
    to_jsonb(terms_of_promotion.category_id)
  );
  perform private.insist(
    not private.placement_is_forbidden(promoted.tenant_id, promoted.category_id),
    'category_id', 'a category in which products may be promoted', to_jsonb(terms_of_promotion.category_id)
  );
  perform private.insist(
    private.product_quality(promoted) >= terms.min_quality,
    'product_id', format('the id of a product with a quality of at least %s', trim_scale(terms.min_quality)),
    to_jsonb(promoted.id)
  );
  return terms;
end
$$;
comment on function private.terms_of_promotion is
  'The terms of a category for this product. Refuses with VALIDATION_ERROR a product that may not be promoted in it.';

create function private.check_campaign_time(model public.pricing_model, duration numeric, start_date timestamptz)
returns void
language plpgsql stable set search_path = ''
as $$
begin
  if model in ('fixed', 'hybrid') then
    perform private.insist(duration in (1, 7, 30, 90), 'duration', '1, 7, 30 or 90 days', to_jsonb(duration));
  end if;
  perform private.insist(
    duration between 1 and 365 and duration = trunc(duration),
    'duration', 'a whole number of days from 1 to 365', to_jsonb(duration)
  );
  perform private.insist(
    coalesce(start_date, now()) between now() - interval '1 minute' and now() + interval '365 days',
    'start_date', 'now or later, within a year', to_jsonb(start_date)
  );
end
$$;
comment on function private.check_campaign_time is
  'Refuses with VALIDATION_ERROR a duration or start that the pricing model does not allow.';

create function private.check_offer(
  model public.pricing_model, terms public.placement_categories, most numeric,
  inout bid numeric, inout budget numeric, out day_fee numeric
)
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist(
    terms.auction_enabled or model in ('fixed', 'cpc'),
    'pricing_model', 'fixed or cpc: the category holds no auction', to_jsonb(model)
  );
  -- Promoted slots are not free.
  perform private.insist(
    terms.base_price > 0 or model in ('auction', 'cpc'),
    'pricing_model', 'auction or cpc: the operator has set no base price for the category', to_jsonb(model)
  );
  perform private.insist(bid is not null, 'bid_amount', 'an amount', 'null');
  day_fee := case when model in ('fixed', 'hybrid') then terms.base_price else 0 end;
  if model = 'fixed' then
    perform private.insist(
      bid >= day_fee, 'bid_amount', format('at least the price of a day: %s', day_fee), to_jsonb(bid)
    );
    perform private.insist(
      budget is null or budget >= day_fee, 'daily_budget', format('at least the price of a day: %s', day_fee),
      to_jsonb(budget)
    );
    -- It pays only its fee, so it has no budget.
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
end
$$;
comment on function private.check_offer is
  'The bid, the budget and the daily fee of a campaign. Refuses with VALIDATION_ERROR what the category does not accept.';

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
  model public.pricing_model := coalesce(create_campaign.pricing_model, 'auction');
  starts timestamptz := greatest(coalesce(create_campaign.start_date, now()), now());
  promoted public.products := private.product_to_promote(create_campaign.product_id, create_campaign.category_id);
  bid numeric := private.checked_amount(create_campaign.bid_amount, 'bid_amount', promoted.currency);
  budget numeric := private.checked_amount(create_campaign.daily_budget, 'daily_budget', promoted.currency);
  most numeric := private.checked_amount(create_campaign.max_bid, 'max_bid', promoted.currency);
  terms public.placement_categories := private.terms_of_promotion(promoted, create_campaign.category_id);
  day_fee numeric;
  trusted boolean;
  created uuid;
begin
  perform private.check_campaign_time(model, create_campaign.duration, create_campaign.start_date);
  select o.bid, o.budget, o.day_fee into bid, budget, day_fee
  from private.check_offer(model, terms, most, bid, budget) as o;
  perform private.check_list(to_jsonb(create_campaign.regions), 'regions', 64)
  where create_campaign.regions is not null;

  trusted := private.tenant_role() = 'admin' or promoted.supplier_id is null or exists (
    select 1
    from public.suppliers s
    where s.tenant_id = promoted.tenant_id and s.id = promoted.supplier_id and s.verified
  );
  perform private.lock_campaigns(create_campaign.category_id);
  begin
    insert into public.campaigns (
      tenant_id, supplier_id, marketplace_id, currency, product_id, category_id, pricing_model, start_date, end_date,
      daily_budget, bid_amount, max_bid, fee, regions, labels, highlighted, pinned, status
    )
    values (
      promoted.tenant_id, promoted.supplier_id, promoted.marketplace_id, promoted.currency, promoted.id,
      create_campaign.category_id,
      model, starts, starts + create_campaign.duration * interval '24 hours', budget, bid, most,
      day_fee * create_campaign.duration, nullif(create_campaign.regions, '{}'),
      coalesce((select array_agg(distinct l.label) from unnest(create_campaign.labels) as l (label)), '{Promoted}'),
      coalesce(create_campaign.highlighted, false), coalesce(create_campaign.pinned, false),
      case when trusted then private.reviewed_status(starts) else 'pending_review' end
    )
    returning id into created;
  exception
    when exclusion_violation then
      perform private.refuse(
        'CONFLICT', 'The product already has a campaign in this category at that time.', 'product_id', to_jsonb(promoted.id)
      );
  end;
  perform private.raise_bids(promoted.tenant_id, create_campaign.category_id);
  perform private.run_campaign(created);
  return created;
end
$$;
comment on function private.create_campaign is
  'Creates a campaign, runs it if it may start, and returns its id. Refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, CONFLICT.';

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
  'For suppliers with their own products, and admins: promotes a product in its category, or in an ancestor of it, for duration days, and returns the campaign. The campaign of an unverified supplier waits for review. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, CONFLICT.';

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
  -- The job may be behind, so the campaign is first brought up to date.
  perform private.run_campaign(target.id);
  perform private.lock_campaigns(target.category_id);
  select * into target from public.campaigns c where c.id = target.id for no key update;
  return target;
end
$$;
comment on function private.campaign_to_change is
  'A campaign of the caller, brought up to date and locked with the others of its category. Refuses with NOT_FOUND.';

create function private.check_campaign_changes(changes jsonb) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if coalesce(private.tenant_role() not in ('admin', 'supplier'), true) then
    perform private.refuse('FORBIDDEN', 'Your role may not change campaigns.');
  end if;
  perform private.known_only(changes, '{status,bid_amount,max_bid,daily_budget}');
  perform private.insist(
    not changes ? 'status' or coalesce(changes ->> 'status' in ('active', 'paused', 'cancelled'), false),
    'status', 'active, paused or cancelled', changes -> 'status'
  );
  perform private.insist(changes -> 'bid_amount' <> 'null', 'bid_amount', 'an amount', 'null')
  where changes ? 'bid_amount';
end
$$;
comment on function private.check_campaign_changes is
  'Refuses a caller who may not change campaigns (FORBIDDEN), and changes that are invalid for any campaign (VALIDATION_ERROR).';

create function private.changed_status(target public.campaigns, changes jsonb) returns public.campaign_status
language plpgsql stable security definer set search_path = ''
as $$
declare
  requested constant text := changes ->> 'status';
  first_field constant text := (select min(k.key) from jsonb_object_keys(changes) as k (key));
begin
  if target.status in ('completed', 'rejected', 'cancelled') or target.end_date <= now() then
    perform private.refuse(
      'INVALID_TRANSITION', format('The campaign is %s and can no longer change.', target.status),
      first_field, changes -> first_field
    );
  elsif requested = target.status::text or requested = 'active' and target.status in ('pending_review', 'scheduled') then
    perform private.refuse(
      'INVALID_TRANSITION', format('The status cannot change from %s to %s.', target.status, requested),
      'status', to_jsonb(requested)
    );
  end if;
  return case
    when requested is null then target.status
    when requested <> 'active' then requested::public.campaign_status
    -- Its budget decides afterwards whether it becomes active.
    when target.status = 'exhausted' then 'exhausted'
    else private.reviewed_status(target.start_date)
  end;
end
$$;
comment on function private.changed_status is
  'The status of a campaign after these changes. Refuses with INVALID_TRANSITION a campaign that has ended, and a status that it cannot take.';

create function private.changed_amount(changes jsonb, field text, current_amount numeric, currency text) returns numeric
language plpgsql stable set search_path = ''
as $$
begin
  return case
    when changes ? field then private.checked_amount((changes ->> field)::numeric, field, currency) else current_amount
  end;
end
$$;
comment on function private.changed_amount is 'An amount of a campaign after these changes. Refuses with VALIDATION_ERROR a wrong amount.';

create function private.check_changed_price(target public.campaigns, changes jsonb, inout bid numeric, inout budget numeric)
language plpgsql stable security definer set search_path = ''
as $$
declare
  day_price text := format('at least the price of a day: %s', target.bid_amount);
begin
  perform private.insist(bid >= target.bid_amount, 'bid_amount', day_price, changes -> 'bid_amount');
  perform private.insist(
    budget is null or budget >= target.bid_amount, 'daily_budget', day_price, changes -> 'daily_budget'
  );
  bid := target.bid_amount;
  budget := null;
end
$$;
comment on function private.check_changed_price is
  'The bid and the budget of a campaign with a daily fee, which never change. Refuses with VALIDATION_ERROR amounts below the price of a day.';

create function private.check_changed_bid(target public.campaigns, changes jsonb, bid numeric, budget numeric)
returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  least_bid numeric :=
    (private.placement_terms(target.tenant_id, private.campaign_way(target), target.currency)).min_bid;
  day_fee numeric := case target.pricing_model when 'hybrid' then private.day_fee(target, 0) else 0 end;
  blamed text := case when changes ? 'daily_budget' then 'daily_budget' else 'bid_amount' end;
begin
  perform private.insist(
    bid >= least_bid or not changes ? 'bid_amount', 'bid_amount',
    case
      when least_bid is null then format('unchanged, because the category no longer has prices in %s', target.currency)
      else format('at least the category''s least bid: %s', least_bid)
    end,
    changes -> 'bid_amount'
  );
  perform private.insist(
    budget is null or budget >= bid + day_fee, blamed,
    case
      when blamed = 'bid_amount' then 'within the daily budget'
      when target.pricing_model = 'hybrid' then 'at least the bid and the fee of a day'
      else 'at least the bid'
    end,
    changes -> blamed
  );
end
$$;
comment on function private.check_changed_bid is
  'Refuses with VALIDATION_ERROR a bid below the category''s lowest bid, and a budget that does not cover a click and the fee of a day.';

create function private.check_changed_maximum(target public.campaigns, changes jsonb, bid numeric, most numeric)
returns void
language plpgsql stable set search_path = ''
as $$
declare
  blamed text := case when changes ? 'max_bid' then 'max_bid' else 'bid_amount' end;
begin
  perform private.insist(
    most is null or target.pricing_model = 'auction' and most >= bid, blamed,
    case
      when target.pricing_model <> 'auction' then 'left out: only auctions raise bids'
      when blamed = 'max_bid' then 'at least the bid'
      else 'within max_bid'
    end,
    changes -> blamed
  );
end
$$;
comment on function private.check_changed_maximum is
  'Refuses with VALIDATION_ERROR a max_bid below the bid, or of a campaign without an auction.';

create function private.change_campaign(campaign_id uuid, changes jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  target public.campaigns;
  new_status public.campaign_status;
  bid numeric;
  most numeric;
  budget numeric;
begin
  perform private.check_campaign_changes(changes);
  target := private.campaign_to_change(change_campaign.campaign_id);
  new_status := private.changed_status(target, changes);
  bid := private.changed_amount(changes, 'bid_amount', target.bid_amount, target.currency);
  most := private.changed_amount(changes, 'max_bid', target.max_bid, target.currency);
  budget := private.changed_amount(changes, 'daily_budget', target.daily_budget, target.currency);

  if target.pricing_model = 'fixed' then
    select p.bid, p.budget into bid, budget from private.check_changed_price(target, changes, bid, budget) as p;
  else
    perform private.check_changed_bid(target, changes, bid, budget);
  end if;
  perform private.check_changed_maximum(target, changes, bid, most);

  if new_status = 'exhausted' and budget is null then
    new_status := 'active';
  end if;
  update public.campaigns c
  set status = new_status, bid_amount = bid, max_bid = most, daily_budget = budget
  where c.id = target.id;
  perform private.follow_budgets(array[target.id]);
  if changes ->> 'status' = 'active' and exists (
    select 1 from public.campaigns c where c.id = target.id and c.status = 'exhausted' and target.status = 'exhausted'
  ) then
    perform private.refuse(
      'INVALID_TRANSITION', 'Today''s budget is used up. Raise daily_budget, or wait until tomorrow.', 'status', '"active"'
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
  'For suppliers with their own campaigns, and admins: changes the fields that are sent, and returns the campaign. status: paused, active (to resume) or cancelled; the others are bid_amount, max_bid and daily_budget. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR.';

create function private.review_campaign(campaign_id uuid, approved boolean, note text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  target public.campaigns;
  begins timestamptz;
  days integer;
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Only admins may review campaigns.');
  end if;
  perform private.insist(
    char_length(review_campaign.note) <= 2000, 'note', 'at most 2000 characters', to_jsonb(review_campaign.note)
  )
  where review_campaign.note is not null;
  target := private.campaign_to_change(review_campaign.campaign_id);
  if target.status <> 'pending_review' then
    perform private.refuse(
      'INVALID_TRANSITION', format('The campaign is %s and does not wait for a review.', target.status)
    );
  elsif not approved then
    update public.campaigns c
    set status = 'rejected', note = review_campaign.note
    where c.id = target.id;
    return;
  end if;

  -- The time before the approval is neither promoted nor charged.
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
  'Approves or rejects a campaign that waits for review. Refuses: FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR.';

create function public.approve_campaign(campaign_id uuid, note text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.review_campaign(campaign_id, true, note);
  return (select to_jsonb(c) from public.campaigns c where c.id = campaign_id);
end
$$;
comment on function public.approve_campaign is
  'For admins: approves a campaign that waits for review, which runs from its start or, if that has passed, from now, and returns it. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

create function public.reject_campaign(campaign_id uuid, note text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.review_campaign(campaign_id, false, note);
  return (select to_jsonb(c) from public.campaigns c where c.id = campaign_id);
end
$$;
comment on function public.reject_campaign is
  'For admins: rejects a campaign that waits for review, with the reason in note, and returns it. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.create_campaign, private.change_campaign, private.review_campaign to authenticated;
grant execute on function
  public.create_campaign, public.change_campaign, public.approve_campaign, public.reject_campaign
to authenticated;

-- supabase/schemas/placement/0960_placement_events.sql

-- Events of visitors with promoted products, as shops report them: reads a batch of events, and stores what later
-- batches are compared with.

-- types ----------------------------------------------------------------------------------------

create type private.placement_event as (
  position integer,
  kind text,
  -- The id that was sent. Without one: for an impression, made from campaign, minute and visitor; for a click, a new
  -- id.
  key uuid,
  has_id boolean,
  campaign_id uuid,
  product_id uuid,
  -- The campaign was running at that time, in a category that was not forbidden.
  runs boolean,
  -- The visitor is a member of the organisation that pays for the campaign.
  is_own boolean,
  -- The visitor is a member of the tenant, but no customer.
  sells boolean,
  -- For customers and suppliers, who report for themselves: the token of the promotion that they were shown; null if it
  -- is invalid.
  token uuid,
  -- For an impression that its visitor reports: a second key, made from campaign, minute and visitor, because ids can
  -- be made up.
  visit uuid,
  visitor_id text,
  placement text,
  occurred_at timestamptz,
  -- The day of the tenant on which it counts.
  date date,
  order_id uuid,
  fault jsonb
);
comment on type private.placement_event is
  'An event of a batch after reading. fault: the error of an event that is refused.';

create type private.placement_answer as (
  position integer,
  status text,
  reason text,
  sales integer
);
comment on type private.placement_answer is
  'The result of an event. valid: a click that may be charged. repeated: another click of the same hour.';

-- tables ---------------------------------------------------------------------------------------

create table private.placement_impressions (
  tenant_id uuid not null,
  key uuid not null,
  seen_at timestamptz not null,
  constraint placement_impressions_pkey primary key (tenant_id, key)
);
comment on table private.placement_impressions is
  'Impressions of the last days, to recognise repeated ones. key: the id, or a hash of campaign, minute and visitor.';

create table private.placement_visitors (
  tenant_id uuid not null,
  visitor_id text not null,
  hour timestamp not null,
  clicks integer not null default 0,
  constraint placement_visitors_pkey primary key (tenant_id, visitor_id, hour)
);
comment on table private.placement_visitors is
  'The number of clicks of each visitor per hour, in UTC. A transaction that records clicks of a visitor locks this row.';

create table private.placement_tokens (
  tenant_id uuid not null,
  token uuid not null,
  spent_at timestamptz not null,
  constraint placement_tokens_pkey primary key (tenant_id, token)
);
comment on table private.placement_tokens is
  'The tokens of promotions that were used for a click, while they are valid. Each token counts once.';

create table private.placement_addresses (
  tenant_id uuid not null,
  campaign_id uuid not null,
  address bytea not null,
  hour timestamp not null,
  clicks integer not null,
  constraint placement_addresses_pkey primary key (tenant_id, campaign_id, address, hour)
);
comment on table private.placement_addresses is
  'The number of clicks on a campaign from an address per hour, in UTC. address: a keyed hash, deleted after a day.';

create table private.placement_clicks (
  tenant_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  product_id uuid not null,
  visitor_id text not null,
  clicked_at timestamptz not null,
  date date not null,
  hour timestamp not null generated always as (date_trunc('hour', clicked_at at time zone 'UTC')) stored,
  refusal text,
  constraint placement_clicks_pkey primary key (tenant_id, id),
  constraint placement_clicks_refusal_is_a_word_of_ours
    check (refusal in ('repeated', 'not_running', 'own_supplier', 'not_a_customer', 'new_account', 'flood', 'refunded'))
);
comment on table private.placement_clicks is
  'Clicks of the last weeks: to recognise repeated ones, to attribute sales, and to refund the clicks of a visitor. id: as sent, or generated here. date: the day of the tenant on which it was counted. refusal: why the click is not valid.';

create table private.campaign_statuses (
  tenant_id uuid not null,
  campaign_id uuid not null,
  until timestamptz not null default clock_timestamp(),
  status public.campaign_status not null,
  constraint campaign_statuses_pkey primary key (tenant_id, campaign_id, until),
  constraint campaign_statuses_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references public.campaigns (tenant_id, id) on delete cascade
);
comment on table private.campaign_statuses is
  'The earlier statuses of campaigns in the last days, each with the time of its end. An event is judged by the status of its campaign when it happened, and not when it is reported.';

-- indexes --------------------------------------------------------------------------------------

create index placement_impressions_seen_at_idx on private.placement_impressions using brin (seen_at);
create index placement_tokens_spent_at_idx on private.placement_tokens using brin (spent_at);
create index placement_addresses_hour_idx on private.placement_addresses using brin (hour);
create index placement_visitors_hour_idx on private.placement_visitors using brin (hour);
create index campaign_statuses_until_idx on private.campaign_statuses using brin (until);
create index placement_clicks_clicked_at_idx on private.placement_clicks using brin (clicked_at);
create unique index placement_clicks_once_an_hour_idx on private.placement_clicks (tenant_id, visitor_id, hour, campaign_id)
  where refusal is distinct from 'repeated';
create index placement_clicks_valid_idx on private.placement_clicks (tenant_id, visitor_id, product_id, clicked_at desc)
  where refusal is null;

-- functions ------------------------------------------------------------------------------------

create function private.keep_campaign_status() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.campaign_statuses (tenant_id, campaign_id, status)
  values (old.tenant_id, old.id, old.status)
  -- If a status changes several times at one moment, the first change has the status before it.
  on conflict on constraint campaign_statuses_pkey do nothing;
  return null;
end
$$;
comment on function private.keep_campaign_status() is 'Row trigger: records the status that a campaign had until now.';

create function private.insist_on_event_batch(events jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  caller constant public.member_role := private.tenant_role();
begin
  if private.tenant_id() is null then
    perform private.refuse_stranger();
  end if;
  -- The condition is null for a caller without a role, who is refused too.
  if (caller in ('customer', 'supplier') or private.reads_all(caller)) is not true then
    perform private.refuse('FORBIDDEN', 'Your role may not report events.');
  elsif private.is_visit() and private.visitor_id() is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'Send the visitor''s id, a random uuid that the shop made after consent.', 'x-souk-visitor',
      to_jsonb(private.request_header('x-souk-visitor'))
    );
  elsif jsonb_typeof(events) is distinct from 'array' then
    perform private.refuse('VALIDATION_ERROR', 'events must be a list.', 'events', events);
  elsif jsonb_array_length(events) > 1000 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A batch has at most 1000 events. Send several batches.', 'events',
      to_jsonb(jsonb_array_length(events))
    );
  end if;
end
$$;
comment on function private.insist_on_event_batch is
  'Refuses with FORBIDDEN a caller who may not report events, with VALIDATION_ERROR events that are not a list or more than 1000.';

create function private.event_error(fault text[], place integer, value jsonb) returns jsonb
language sql stable
return jsonb_build_object(
  'code', fault[1],
  'message', fault[3],
  'details', jsonb_build_object(
    'field', format('events[%s]', place) || case fault[2] when '' then '' else '.' || fault[2] end,
    'value', private.shown_value(case fault[2] when '' then value else value -> fault[2] end)
  )
);
comment on function private.event_error is
  'The error of an event of a batch. fault: code, field and message; place: the event''s position in the batch, from 0; value: the event.';

create function private.fault_of_placement_event(
  value jsonb, event jsonb, kind text, unknown_field text, event_id uuid, campaign_id uuid, visitor_id text,
  occurred_at timestamptz, moment timestamptz, caller public.member_role, order_id uuid
) returns text[]
-- Without a SET clause, so that Postgres inlines it for each event of a batch.
language sql stable
return case
  when jsonb_typeof(value) <> 'object' then array['VALIDATION_ERROR', '', 'An event must be an object.']
  when coalesce(kind not in ('impression', 'click', 'conversion'), true)
    then array['VALIDATION_ERROR', 'type', 'type must be impression, click or conversion.']
  when unknown_field is not null then array['VALIDATION_ERROR', unknown_field, unknown_field || ' is not known here.']
  when event ->> 'id' is not null and event_id is null then array['VALIDATION_ERROR', 'id', 'id must be a UUID.']
  when kind <> 'conversion' and event ->> 'campaign_id' is null
    then array['VALIDATION_ERROR', 'campaign_id', 'campaign_id is required.']
  when event ->> 'campaign_id' is not null and campaign_id is null
    then array['NOT_FOUND', 'campaign_id', 'There is no such campaign.']
  when coalesce(char_length(visitor_id) not between 1 and 200, true)
    then array['VALIDATION_ERROR', 'visitor_id', 'visitor_id must have 1 to 200 characters.']
  when coalesce(event ->> 'placement' not in ('search', 'category', 'similar', 'top_sales'), false)
    then array['VALIDATION_ERROR', 'placement', 'placement must be search, category, similar or top_sales.']
  when coalesce(jsonb_typeof(event -> 'token') <> 'string', false)
    then array['VALIDATION_ERROR', 'token', 'token must be the text from the product''s promotion.']
  when occurred_at is null
    then array['VALIDATION_ERROR', 'occurred_at', 'occurred_at must be a time such as 2026-11-21T12:00:00Z.']
  when occurred_at < moment - interval '24 hours'
    then array['VALIDATION_ERROR', 'occurred_at', 'occurred_at must be within the last 24 hours.']
  when occurred_at > moment + interval '5 minutes'
    then array['VALIDATION_ERROR', 'occurred_at', 'occurred_at must not be in the future.']
  when kind = 'conversion' and caller = 'supplier'
    then array['FORBIDDEN', 'type', 'Your role may not report sales.']
  when kind = 'conversion' and event ->> 'order_id' is null
    then array['VALIDATION_ERROR', 'order_id', 'order_id is required.']
  when kind = 'conversion' and order_id is null then array['NOT_FOUND', 'order_id', 'There is no such order.']
end;
comment on function private.fault_of_placement_event is
  'The error of an event, as code, field and message; null if it is valid. value: as sent; event: the value, or an empty object. event_id, campaign_id, order_id: null if missing or unknown.';

create function private.typed_placement_events(events jsonb, moment timestamptz, trusted boolean)
returns table (
  "position" integer, value jsonb, event jsonb, kind text, shown_in text, id uuid, campaign_id uuid, order_id uuid,
  visitor_id text, user_id uuid, occurred_at timestamptz, unknown_field text
)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  viewer constant uuid := private.viewer_id();
  uuid_pattern constant text := '^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$';
begin
  return query
  with sent as (
    select
      (e.position - 1)::integer as position, e.value,
      case jsonb_typeof(e.value) when 'object' then e.value else '{}' end as event
    from jsonb_array_elements(events) with ordinality as e (value, position)
  )
  select
    s.position, s.value, s.event,
    s.event ->> 'type' as kind,
    split_part(s.event ->> 'token', '.', 1) as shown_in,
    case when s.event ->> 'id' ~ uuid_pattern then (s.event ->> 'id')::uuid end as id,
    case when s.event ->> 'campaign_id' ~ uuid_pattern then (s.event ->> 'campaign_id')::uuid end as campaign_id,
    case when s.event ->> 'order_id' ~ uuid_pattern then (s.event ->> 'order_id')::uuid end as order_id,
    case
      -- Customers and suppliers report for themselves, whatever visitor_id they send.
      when not trusted then viewer::text
      when s.event ->> 'visitor_id' ~ uuid_pattern then lower(s.event ->> 'visitor_id')
      when jsonb_typeof(s.event -> 'visitor_id') = 'string' then s.event ->> 'visitor_id'
    end as visitor_id,
    case
      when not trusted then viewer
      when s.event ->> 'visitor_id' ~ uuid_pattern then (s.event ->> 'visitor_id')::uuid
    end as user_id,
    case
      when s.event ->> 'occurred_at' is null then moment
      -- The events of such callers happen now. Otherwise one visitor could be charged for in every hour of a day at
      -- once. A malformed time is still refused.
      when not trusted and jsonb_typeof(s.event -> 'occurred_at') = 'string'
        and private.time_of(s.event ->> 'occurred_at') between moment - interval '24 hours' and moment + interval '5 minutes'
        then moment
      when jsonb_typeof(s.event -> 'occurred_at') = 'string' then private.time_of(s.event ->> 'occurred_at')
    end as occurred_at,
    (
      select min(k)
      from jsonb_object_keys(s.event) as k
      where k not in ('id', 'type', 'campaign_id', 'visitor_id', 'placement', 'occurred_at', 'order_id', 'token')
    ) as unknown_field
  from sent s;
end
$$;
comment on function private.typed_placement_events is
  'The events of a batch with their fields as SQL types; null where a field is missing or malformed. position counts from 0. trusted: the caller reports for all visitors, not for itself. user_id: the visitor, if the visitor_id is a UUID.';

create function private.read_placement_events(events jsonb, moment timestamptz)
returns setof private.placement_event
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  caller public.member_role := private.tenant_role();
  trusted boolean := private.reads_all(caller);
  buyer uuid := case caller when 'customer' then private.customer_id() end;
  viewer constant uuid := private.viewer_id();
begin
  return query
  with typed as materialized (select t.* from private.typed_placement_events(events, moment, trusted) t),
  -- Looked up by id alone. With a condition on the tenant, Postgres might read the whole tenant.
  campaign as materialized (
    select
      c.id, c.tenant_id, c.product_id, c.supplier_id, c.status, c.start_date, c.end_date,
      private.forbidden_times(c) as forbidden
    from public.campaigns c
    where c.id = any (array(select distinct t.campaign_id from typed t))
      and private.is_of_visit(c.marketplace_id)
  ),
  bought as materialized (
    select o.id, o.tenant_id, o.customer_id
    from public.orders o
    where o.id = any (array(select distinct t.order_id from typed t))
  ),
  member as materialized (
    select m.user_id, m.tenant_id, m.role, m.supplier_id
    from public.members m
    where m.user_id = any (array(select distinct t.user_id from typed t))
  ),
  judged as (
    select
      t.*, c.id as known_campaign, c.product_id,
      coalesce(past.status, c.status) in ('active', 'exhausted')
        and t.occurred_at >= c.start_date and t.occurred_at < c.end_date and not t.occurred_at <@ c.forbidden as runs,
      case when c.supplier_id is null then m.role = 'admin' else m.supplier_id = c.supplier_id end as is_own,
      m.role <> 'customer' as sells,
      case when not trusted
        and private.is_promotion_token(t.event ->> 'token', c.id, viewer, moment)
        and coalesce(t.event ->> 'placement', t.shown_in) = t.shown_in
        then right(t.event ->> 'token', 32)::uuid
      end as token,
      md5(
        concat_ws(' ', t.campaign_id, to_char(least(t.occurred_at, moment) at time zone 'UTC', 'YYYYMMDDHH24MI'), t.visitor_id)
      )::uuid as visit,
      private.fault_of_placement_event(
        t.value, t.event, t.kind, t.unknown_field, t.id, c.id, t.visitor_id, t.occurred_at, moment, caller, o.id
      ) as fault
    from typed t
    left join campaign c on c.id = t.campaign_id and c.tenant_id = tenant
    left join lateral (
      select s.status
      from private.campaign_statuses s
      where s.tenant_id = c.tenant_id and s.campaign_id = c.id and s.until > t.occurred_at
      order by s.until limit 1
    ) as past on true
    left join bought o on o.id = t.order_id and o.tenant_id = tenant
      and case caller when 'customer' then o.customer_id = buyer else trusted end
    left join member m on m.user_id::text = t.visitor_id and m.tenant_id = tenant
  )
  select
    j.position, j.kind,
    case
      when j.id is not null then j.id
      -- A click is recognized by its visitor, campaign and hour. Its id, which the ledger shows, must not reveal them.
      when j.kind = 'click' then gen_random_uuid()
      else j.visit
    end,
    j.id is not null, j.known_campaign, j.product_id, coalesce(j.runs, false), coalesce(j.is_own, false),
    coalesce(j.sells, false), j.token, case when not trusted then j.visit end,
    j.visitor_id, coalesce(j.event ->> 'placement', case when j.token is not null then j.shown_in end),
    least(j.occurred_at, moment), (least(j.occurred_at, moment) at time zone (select private.time_zone_of(tenant)))::date, j.order_id,
    case when j.fault is not null then private.event_error(j.fault, j.position, j.value) end
  from judged j
  order by j.position;
end
$$;
comment on function private.read_placement_events is
  'The events of a batch, read and judged. A click or impression without an id is recognised by its visitor, campaign and hour or minute.';

create function private.is_new_account(least_minutes integer) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return not exists (
    select 1
    from auth.users u
    where u.id = auth.uid()
      and (
        u.created_at <= now() - make_interval(mins => least_minutes)
        -- If confirmation is off, every address counts as confirmed at once. So a confirmation mail must have been sent
        -- too.
        or u.email_confirmed_at is not null and u.confirmation_sent_at is not null
      )
  );
end
$$;
comment on function private.is_new_account is
  'Whether the caller''s account is younger than this many minutes, and its address was not confirmed by a mail.';

create function private.network_of(address text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  seen inet;
begin
  seen := regexp_replace(btrim(address), '^::ffff:(?=\d+\.)', '', 'i')::inet;
  -- IPv6 addresses count by their /64 network, because one subscriber has all of it.
  return host(network(set_masklen(seen, case family(seen) when 6 then 64 else 32 end)));
exception
  when data_exception then
    return 'unknown';
end
$$;
comment on function private.network_of is
  'The address, or the network of an IPv6 address, by which clicks are counted; unknown if it is invalid.';

create function private.address_signature(user_id uuid, address text, issued text) returns text
language sql stable security definer set search_path = ''
as $$
  select encode(private.signed('promotions', concat_ws(' ', 'address', user_id, address, issued)), 'hex')
$$;
comment on function private.address_signature is
  'The signature by which an edge function proves from which address it saw a user.';

create function public.sign_address(user_id uuid, address text) returns text
language plpgsql stable set search_path = ''
as $$
declare
  issued text := extract(epoch from now())::bigint::text;
begin
  return concat_ws(' ', address, issued, private.address_signature(user_id, address, issued));
end
$$;
comment on function public.sign_address is
  'For the edge functions: the address of a user, signed for two hours, to send in the header x-souk-address.';

create function private.caller_address() returns bytea
language plpgsql stable security definer set search_path = ''
as $$
declare
  signed text[] := string_to_array(private.request_header('x-souk-address'), ' ');
  address text;
begin
  if cardinality(signed) = 3 and signed[2] ~ '^\d{1,12}$'
    and to_timestamp(signed[2]::bigint) > now() - interval '2 hours'
    and signed[3] = private.address_signature(private.viewer_id(), signed[1], signed[2])
  then
    address := signed[1];
  else
    -- On hosted Supabase the edge always sets the first header. In the second one, the last address is the one that the
    -- nearest proxy saw.
    address := coalesce(
      private.request_header('cf-connecting-ip'), regexp_replace(private.request_header('x-forwarded-for'), '^.*,', ''), ''
    );
  end if;
  return private.signed('promotions', 'network ' || private.network_of(address));
end
$$;
comment on function private.caller_address() is
  'The address of the request as a keyed hash: the one that an edge function signed, else the one that the API''s proxies saw.';

-- triggers -------------------------------------------------------------------------------------

create trigger campaigns_keep_status
  after update of status on public.campaigns
  for each row when (new.status <> old.status)
  execute function private.keep_campaign_status();

-- policies -------------------------------------------------------------------------------------

alter table private.placement_impressions enable row level security;
alter table private.placement_visitors enable row level security;
alter table private.placement_tokens enable row level security;
alter table private.placement_addresses enable row level security;
alter table private.placement_clicks enable row level security;
alter table private.campaign_statuses enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.address_signature, public.sign_address to service_role;

-- supabase/schemas/placement/0970_placement_sales.sql

-- Sales of promoted placement: each line of an order is attributed to the buyer's last valid click on the product, and
-- counted on the day of the order unless it is cancelled or returned.

-- tables ---------------------------------------------------------------------------------------

create table private.placement_sales (
  tenant_id uuid not null,
  order_id uuid not null,
  item_id uuid not null,
  campaign_id uuid,
  click_id uuid,
  date date not null,
  amount numeric not null,
  sold boolean not null,
  counted_for uuid,
  counted_amount numeric not null default 0,
  counted boolean not null default false,
  is_open boolean not null default true,
  constraint placement_sales_pkey primary key (tenant_id, order_id, item_id),
  constraint placement_sales_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint placement_sales_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references public.campaigns (tenant_id, id) on delete cascade,
  -- A row without a click is deleted before its transaction commits.
  constraint placement_sales_click_id_is_there_once_counted check (is_open or campaign_id is not null and click_id is not null),
  constraint placement_sales_amount_is_of_at_most_4_decimals check (scale(amount) <= 4),
  constraint placement_sales_counted_amount_is_of_at_most_4_decimals check (scale(counted_amount) <= 4)
);
comment on table private.placement_sales is
  'Lines of orders that are attributed to a click: the amount that is left after cancellations and returns, the amount that the statistics of the date contain, and for which campaign (counted_for). is_open: the statistics do not contain it yet; only within a transaction.';

-- indexes --------------------------------------------------------------------------------------

create index placement_sales_campaign_idx on private.placement_sales (tenant_id, campaign_id);
create index placement_sales_click_idx on private.placement_sales (tenant_id, click_id);
-- Contains only rows that a transaction is about to count.
create index placement_sales_open_idx on private.placement_sales (campaign_id, date) where is_open;

-- functions ------------------------------------------------------------------------------------

create function private.last_click(tenant_id uuid, visitor_id text, product_id uuid, moment timestamptz)
returns table (id uuid, campaign_id uuid)
language plpgsql rows 1 security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select k.id, k.campaign_id
  from private.placement_clicks k
  where k.tenant_id = last_click.tenant_id and k.visitor_id = last_click.visitor_id
    and k.product_id = last_click.product_id and k.refusal is null
    and k.clicked_at > moment - interval '7 days' and k.clicked_at <= moment
  order by k.clicked_at desc, k.id
  limit 1
  -- The lock lasts until the commit, so that a transaction that invalidates the click finds this sale. A click that is
  -- locked now is about to be invalidated, so it is skipped: an order does not wait for it.
  for share skip locked;
end
$$;
comment on function private.last_click is
  'The click to which a sale at this moment is attributed: the visitor''s last valid click on the product within the 7 days before.';

create function private.attribute_sales(order_ids uuid[], visitor_ids text[])
returns table (place bigint, sales bigint)
-- Planning for the arrays of each call takes 0.35 ms of the 4 ms of an order. The plan is kept and looks up rows by
-- index, even if it was made while the tables were empty.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return query
  with sold as (
    select
      wanted.place, i.tenant_id, i.order_id, i.id as item_id, click.campaign_id, click.id as click_id,
      (o.created_at at time zone t.time_zone)::date as date,
      i.price * i.sold_quantity as amount,
      i.sold_quantity > 0 as sold
    from unnest(order_ids, visitor_ids) with ordinality as wanted (order_id, visitor_id, place)
    join public.orders o on o.id = wanted.order_id and o.imported_at is null
    join public.tenants t on t.id = o.tenant_id
    join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
    cross join lateral private.last_click(i.tenant_id, wanted.visitor_id, i.product_id, o.created_at) as click
  ),
  attributed as (
    insert into private.placement_sales
      (tenant_id, order_id, item_id, campaign_id, click_id, date, amount, sold)
    select s.tenant_id, s.order_id, s.item_id, s.campaign_id, s.click_id, s.date, s.amount, s.sold
    from sold s
    order by s.order_id, s.item_id, s.place
    on conflict do nothing
    returning item_id, click_id
  )
  select first_of.place, count(*)
  from (
    select distinct on (a.item_id) a.item_id, s.place
    from attributed a
    join sold s on s.item_id = a.item_id and s.click_id = a.click_id
    order by a.item_id, s.place
  ) as first_of
  group by first_of.place;
end
$$;
comment on function private.attribute_sales is
  'Attributes each line of these orders, unless they were imported, to the last valid click of the visitor at the same position on that product within the 7 days before the order; each line once. Returns the number of lines for each position that has some.';

create function private.pass_on_sales(tenant_id uuid, click_ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  perform 1
  from private.placement_sales s
  where s.tenant_id = pass_on_sales.tenant_id and s.click_id = any (pass_on_sales.click_ids)
  order by s.order_id, s.item_id
  for update;

  update private.placement_sales s
  set campaign_id = heir.campaign_id, click_id = heir.click_id, is_open = true
  from (
    select l.order_id, l.item_id, click.campaign_id, click.id as click_id
    from private.placement_sales l
    -- A deleted click passes nothing on, because the clicks before it are deleted too.
    left join private.placement_clicks k on k.tenant_id = l.tenant_id and k.id = l.click_id
    join public.orders o on o.tenant_id = l.tenant_id and o.id = l.order_id
    left join lateral private.last_click(l.tenant_id, k.visitor_id, k.product_id, o.created_at) as click on true
    where l.tenant_id = pass_on_sales.tenant_id and l.click_id = any (pass_on_sales.click_ids)
  ) as heir
  where s.tenant_id = pass_on_sales.tenant_id and s.order_id = heir.order_id and s.item_id = heir.item_id;
end
$$;
comment on function private.pass_on_sales is
  'Attributes the sales of clicks that became invalid to the previous valid click of the same visitor on the same product, or to none.';

create function private.open_sales()
returns table (campaign_id uuid, date date, amount numeric, lines integer)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select d.campaign_id, s.date, d.amount, d.lines
  from private.placement_sales s
  cross join lateral (
    values
      (s.campaign_id, s.amount, s.sold::integer),
      (s.counted_for, -s.counted_amount, -s.counted::integer)
  ) as d (campaign_id, amount, lines)
  where s.is_open and d.campaign_id is not null;
end
$$;
comment on function private.open_sales() is
  'The changes of this transaction''s sales that the statistics do not contain yet.';

create function private.count_sales() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  campaigns uuid[];
  dates date[];
begin
  -- Other transactions count their sales before they commit, so all open rows are of this transaction.
  select array_agg(d.campaign_id), array_agg(d.date) into campaigns, dates
  from private.open_sales() as d;
  if campaigns is null then
    return;
  end if;
  perform private.lock_statistics(campaigns, dates);

  with changed as (
    select d.campaign_id, d.date, sum(d.amount) as amount, sum(d.lines) as lines
    from private.open_sales() as d
    group by d.campaign_id, d.date
  )
  update public.campaign_statistics s
  set sales_count = s.sales_count + changed.lines, sales_amount = s.sales_amount + changed.amount
  from changed
  where s.campaign_id = changed.campaign_id and s.date = changed.date;

  delete from private.placement_sales s where s.is_open and s.click_id is null;
  update private.placement_sales s
  set counted_for = s.campaign_id, counted_amount = s.amount, counted = s.sold, is_open = false
  where s.is_open;
end
$$;
comment on function private.count_sales() is
  'Adds the sales, cancellations and returns of this transaction to the statistics.';

create function private.count_open_sales() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.count_sales();
  return null;
end
$$;
comment on function private.count_open_sales() is
  'Row trigger at commit: counts all sales of the transaction at once, so that the statistics of days are locked in order and for a short time.';

create function private.follow_sold_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.attribute_sales(array_agg(o.id order by clicked.place), array_agg(clicked.by::text order by clicked.place))
  from public.orders o
  join public.customers c on c.tenant_id = o.tenant_id and c.id = o.customer_id
  -- A guest may have clicked before it had an account.
  cross join lateral (values (1, c.user_id), (2, private.sent_visitor_id())) as clicked (place, by)
  where o.id = any (array(select distinct i.order_id from new_items i)) and c.user_id is not null and clicked.by is not null;
  return null;
end
$$;
comment on function private.follow_sold_items() is
  'Statement trigger: attributes the items that a customer buys to its last clicks.';

create function private.follow_changed_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update private.placement_sales s
  set amount = i.price * i.sold_quantity, sold = i.sold_quantity > 0, is_open = true
  from new_items i
  join old_items was on was.id = i.id and was.sold_quantity <> i.sold_quantity
  where s.tenant_id = i.tenant_id and s.order_id = i.order_id and s.item_id = i.id;
  return null;
end
$$;
comment on function private.follow_changed_items() is
  'Statement trigger: updates the sales of items that were cancelled, returned or lost in part.';

-- triggers -------------------------------------------------------------------------------------

create trigger order_items_make_sales
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.follow_sold_items();

create trigger order_items_change_sales
  after update on public.order_items
  referencing old table as old_items new table as new_items
  for each statement execute function private.follow_changed_items();

create constraint trigger placement_sales_count
  after insert or update on private.placement_sales
  deferrable initially deferred
  for each row when (new.is_open)
  execute function private.count_open_sales();

-- policies -------------------------------------------------------------------------------------

alter table private.placement_sales enable row level security;

-- supabase/schemas/placement/0975_placement_clicks.sql

-- Processing of a batch of events, each with its own result. Impressions, clicks and sales are counted once. Valid
-- clicks are charged; clicks of a visitor with too many of them are not charged, or refunded.

-- types ----------------------------------------------------------------------------------------

create type private.judged_click as (
  position integer, key uuid, campaign_id uuid, product_id uuid, visitor_id text, hour timestamp,
  occurred_at timestamptz, date date, token uuid, is_flood boolean, refusal text
);
comment on type private.judged_click is
  'A new click of a batch. is_flood: its visitor clicked too often in that hour. refusal: why it is not charged; null if there is no reason so far.';

-- functions ------------------------------------------------------------------------------------

create function private.note_impressions(tenant_id uuid, events private.placement_event[])
returns setof private.placement_answer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with seen as (
    select
      e.position, e.runs, e.occurred_at, e.key, coalesce(e.visit, e.key) as visit, e.token,
      row_number() over (partition by e.key order by e.position) = 1
        and row_number() over (partition by coalesce(e.visit, e.key) order by e.position) = 1
        and row_number() over (partition by coalesce(e.token, e.key) order by e.position) = 1 as is_first
    from unnest(events) as e
    where e.kind = 'impression'
  ),
  noted as (
    insert into private.placement_impressions (tenant_id, key, seen_at)
    select note_impressions.tenant_id, known.by, min(s.occurred_at)
    from seen s
    -- A token stands for one view, which counts once.
    cross join lateral (values (s.key), (s.visit), (s.token)) as known (by)
    where s.is_first and known.by is not null
    group by known.by
    order by known.by
    on conflict do nothing
    returning key
  )
  select
    s.position,
    case when not impression.is_new then 'duplicate' when s.runs then 'accepted' else 'not_charged' end,
    case when impression.is_new and not s.runs then 'not_running' end,
    null::integer
  from seen s
  cross join lateral (
    select
      s.is_first and s.key in (select n.key from noted n) and s.visit in (select n.key from noted n)
      and coalesce(s.token, s.key) in (select n.key from noted n) as is_new
  ) as impression;
end
$$;
comment on function private.note_impressions is
  'Stores the new impressions of a batch, and returns the result of each impression.';

create function private.lock_click_visitors(tenant_id uuid, events private.placement_event[]) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into private.placement_visitors as v (tenant_id, visitor_id, hour)
  select distinct lock_click_visitors.tenant_id, e.visitor_id, date_trunc('hour', e.occurred_at at time zone 'UTC') as hour
  from unnest(events) as e
  where e.kind = 'click'
  order by e.visitor_id, hour
  on conflict (tenant_id, visitor_id, hour) do update set clicks = v.clicks;
end
$$;
comment on function private.lock_click_visitors is
  'Locks the visitors of a batch''s clicks, in the hours of the clicks, until the end of the transaction: other requests wait before they record clicks of them.';

create function private.new_clicks(tenant_id uuid, events private.placement_event[])
returns table (
  "position" integer, key uuid, has_id boolean, campaign_id uuid, product_id uuid, runs boolean, is_own boolean,
  sells boolean, token uuid, visitor_id text, occurred_at timestamptz, date date, hour timestamp, is_repeated boolean
)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  visitors text[] := array(select distinct e.visitor_id from unnest(events) as e where e.kind = 'click');
  hours timestamp[] := array(
    select distinct date_trunc('hour', e.occurred_at at time zone 'UTC') from unnest(events) as e where e.kind = 'click'
  );
begin
  return query
  with click as (
    select e.*, date_trunc('hour', e.occurred_at at time zone 'UTC') as hour
    from unnest(events) as e
    where e.kind = 'click'
  ),
  known as materialized (
    select k.id
    from private.placement_clicks k
    where k.tenant_id = new_clicks.tenant_id
      and k.id = any (array(select e.key from unnest(events) as e where e.kind = 'click' and e.has_id))
    union
    -- Charges are kept longer than clicks.
    select p.click_id
    from public.placement_charges p
    where p.tenant_id = new_clicks.tenant_id and p.kind = 'click'
      and p.click_id = any (array(select e.key from unnest(events) as e where e.kind = 'click' and e.has_id))
  ),
  first_click as materialized (
    select k.visitor_id, k.hour, k.campaign_id
    from private.placement_clicks k
    where k.tenant_id = new_clicks.tenant_id and k.visitor_id = any (visitors) and k.hour = any (hours)
      and k.refusal is distinct from 'repeated'
  ),
  spent_before as materialized (
    select s.token
    from private.placement_tokens s
    where s.tenant_id = new_clicks.tenant_id
      and s.token = any (array(select e.token from unnest(events) as e where e.kind = 'click' and e.token is not null))
  ),
  fresh as (
    select distinct on (c.key) c.*
    from click c
    where c.key not in (select k.id from known k)
    order by c.key, c.position
  )
  select
    f.position, f.key, f.has_id, f.campaign_id, f.product_id, f.runs, f.is_own, f.sells, f.token, f.visitor_id,
    f.occurred_at, f.date, f.hour,
    row_number() over (partition by f.visitor_id, f.campaign_id, f.hour order by f.position) > 1
    or (f.visitor_id, f.hour, f.campaign_id) in (select k.visitor_id, k.hour, k.campaign_id from first_click k)
    -- The token of a click that was recorded in another hour.
    or coalesce(f.token in (select s.token from spent_before s), false)
      as is_repeated
  from fresh f;
end
$$;
comment on function private.new_clicks is
  'The clicks of a batch whose id is not known yet, each with its hour (UTC). is_repeated: the visitor has clicked on the campaign in that hour before, or has used the token. Runs with the planner settings of note_clicks.';

create function private.judge_clicks(
  tenant_id uuid, events private.placement_event[], most integer, is_new boolean
)
returns setof private.judged_click
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  visitors text[] := array(select distinct e.visitor_id from unnest(events) as e where e.kind = 'click');
  hours timestamp[] := array(
    select distinct date_trunc('hour', e.occurred_at at time zone 'UTC') from unnest(events) as e where e.kind = 'click'
  );
begin
  return query
  with turned as materialized (
    select t.* from private.new_clicks(judge_clicks.tenant_id, events) t
  ),
  counted as (
    update private.placement_visitors v
    set clicks = v.clicks + of_visitor.clicks
    from (
      select t.visitor_id, t.hour, count(*) as clicks
      from turned t
      where t.has_id or not t.is_repeated
      group by t.visitor_id, t.hour
    ) as of_visitor
    where v.tenant_id = judge_clicks.tenant_id and v.visitor_id = any (visitors) and v.hour = any (hours)
      and v.visitor_id = of_visitor.visitor_id and v.hour = of_visitor.hour
    returning v.visitor_id, v.hour, v.clicks > judge_clicks.most as is_flood
  )
  select
    t.position, t.key, t.campaign_id, t.product_id, t.visitor_id, t.hour, t.occurred_at, t.date, t.token, n.is_flood,
    case
      when t.is_repeated then 'repeated'
      when n.is_flood then 'flood'
      when not t.runs then 'not_running'
      when t.is_own then 'own_supplier'
      -- Suppliers and the operator's staff must not raise what a rival pays.
      when t.sells then 'not_a_customer'
      when judge_clicks.is_new then 'new_account'
    end as refusal
  from turned t
  join counted n on n.visitor_id = t.visitor_id and n.hour = t.hour
  where t.has_id or not t.is_repeated;
end
$$;
comment on function private.judge_clicks is
  'Adds the new clicks of a batch to the counts of their visitors, and judges each. most: clicks of a visitor in an hour; with more, all of them are a flood. is_new: the caller''s account is too new to be charged for. Runs with the planner settings of note_clicks.';

create function private.note_clicks(
  tenant_id uuid, events private.placement_event[], settings public.placement_settings, address bytea, is_new boolean
)
returns setof private.placement_answer
language plpgsql security definer
-- A plan from when the tables were empty, which a session keeps, would scan placement_clicks.
set search_path = '' set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  perform private.lock_click_visitors(note_clicks.tenant_id, events);
  return query
  with refused as materialized (
    select j.*
    from private.judge_clicks(
      note_clicks.tenant_id, events, settings.clicks_per_visitor_and_hour, note_clicks.is_new
    ) as j
  ),
  -- A click that a customer reports counts for its address and uses its token. All callers lock these in one order.
  from_address as (
    insert into private.placement_addresses as a (tenant_id, campaign_id, address, hour, clicks)
    select note_clicks.tenant_id, r.campaign_id, note_clicks.address, r.hour, count(*)
    from refused r
    where r.refusal is null and note_clicks.address is not null
    group by r.campaign_id, r.hour
    order by r.campaign_id, r.hour
    on conflict on constraint placement_addresses_pkey do update set clicks = a.clicks + excluded.clicks
    returning a.campaign_id, a.hour, a.clicks > settings.clicks_per_address_and_hour as is_flood
  ),
  spent as (
    insert into private.placement_tokens (tenant_id, token, spent_at)
    select note_clicks.tenant_id, r.token, min(r.occurred_at)
    from refused r
    left join from_address a on a.campaign_id = r.campaign_id and a.hour = r.hour
    where r.refusal is null and r.token is not null and a.is_flood is not true
    group by r.token
    order by r.token
    on conflict do nothing
    returning token
  ),
  settled as (
    select
      r.position, r.key, r.campaign_id, r.product_id, r.visitor_id, r.occurred_at, r.date, r.is_flood,
      case
        when r.refusal is not null then r.refusal
        when a.is_flood then 'flood'
        -- Another request has used the same token first.
        when r.token is not null and r.token not in (select s.token from spent s) then 'repeated'
      end as refusal
    from refused r
    left join from_address a on a.campaign_id = r.campaign_id and a.hour = r.hour
  ),
  noted as (
    insert into private.placement_clicks (tenant_id, id, campaign_id, product_id, visitor_id, clicked_at, date, refusal)
    select note_clicks.tenant_id, r.key, r.campaign_id, r.product_id, r.visitor_id, r.occurred_at, r.date, r.refusal
    from settled r
    order by r.key
    on conflict do nothing
    returning id
  )
  select
    c.position,
    case
      when n.id is null then 'duplicate'
      when r.refusal is null then 'valid'
      when r.refusal = 'repeated' and not r.is_flood then 'repeated'
      else 'not_charged'
    end,
    case when n.id is not null then case when r.is_flood then 'flood' else nullif(r.refusal, 'repeated') end end,
    null::integer
  from unnest(events) as c
  left join settled r on r.position = c.position
  left join noted n on n.id = r.key
  where c.kind = 'click';
end
$$;
comment on function private.note_clicks is
  'Stores the new clicks of a batch, and returns the result of each click. More clicks of a visitor per hour than the settings allow are a flood, and so are the clicks of an address above its limit. address: the hashed address of a caller who reports for itself. is_new: the account of this caller is too new for its clicks to be charged.';

create function private.end_floods(tenant_id uuid, events private.placement_event[], most integer)
returns uuid[]
-- A plan from when the tables were empty, which a session keeps, would scan placement_clicks.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  visitors text[];
  hours timestamp[];
  ended uuid[];
begin
  select array_agg(v.visitor_id), array_agg(v.hour) into visitors, hours
  from private.placement_visitors v
  where v.tenant_id = end_floods.tenant_id
    and v.visitor_id = any (array(select distinct e.visitor_id from unnest(events) as e where e.kind = 'click'))
    and v.hour = any (
      array(
        select distinct date_trunc('hour', e.occurred_at at time zone 'UTC') from unnest(events) as e where e.kind = 'click'
      )
    )
    and v.clicks > end_floods.most;
  if visitors is null then
    return '{}'::uuid[];
  end if;

  select array_agg(k.id) into ended
  from (
    select k.id
    from private.placement_clicks k
    where k.tenant_id = end_floods.tenant_id and k.visitor_id = any (visitors) and k.hour = any (hours)
      and (k.visitor_id, k.hour) in (select f.visitor_id, f.hour from unnest(visitors, hours) as f (visitor_id, hour))
      and k.refusal is null
    order by k.id
    for update
  ) as k;
  update private.placement_clicks k
  set refusal = 'flood'
  where k.tenant_id = end_floods.tenant_id and k.id = any (ended);
  return coalesce(ended, '{}');
end
$$;
comment on function private.end_floods is
  'Invalidates the earlier clicks, in the same hour, of visitors of this batch that have too many, and returns them.';

create function private.charge_clicks(clicks private.placement_event[]) returns table (click_id uuid, price numeric)
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with priced as materialized (
    -- Once for each campaign, however many clicks it has.
    select c.id, c.tenant_id, c.daily_budget, c.bid_amount, p.price, p.explanation, c as campaign
    from public.campaigns c
    cross join lateral private.click_price(c.id) as p
    where c.id = any (array(select distinct k.campaign_id from unnest(clicks) as k))
      and c.pricing_model <> 'fixed' and p.price > 0
  ),
  charged as (
    insert into public.placement_charges (tenant_id, campaign_id, kind, amount, date, click_id, explanation)
    select
      k.tenant_id, k.campaign_id, 'click', k.price, k.date, k.key,
      coalesce(k.explanation, '{}') || jsonb_strip_nulls(jsonb_build_object('placement', k.placement))
    from (
      select
        e.key, e.placement, p.id as campaign_id, p.tenant_id, p.daily_budget, p.bid_amount, p.price, p.explanation,
        p.campaign, e.date, row_number() over (partition by p.id, e.date order by e.position) as turn
      from unnest(clicks) as e
      join priced p on p.id = e.campaign_id
    ) as k
    join public.campaign_statistics s on s.campaign_id = k.campaign_id and s.date = k.date
    -- A campaign's clicks are charged while its budget covers the whole bid and the unpaid fee of the day.
    where k.daily_budget is null
      or s.spend + private.unpaid_fee(k.campaign, k.date) + (k.turn - 1) * k.price + greatest(k.bid_amount, k.price)
        <= k.daily_budget
    returning placement_charges.click_id, placement_charges.amount
  )
  select c.click_id, c.amount from charged c;
end
$$;
comment on function private.charge_clicks is
  'Charges valid clicks at their current price, in their order, while the daily budgets last. The caller has locked their statistics.';

create function private.count_placement_events(
  tenant uuid, good private.placement_event[], answers private.placement_answer[], ended uuid[]
) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  perform private.lock_statistics(array_agg(k.campaign_id), array_agg(k.date))
  from (
    select e.campaign_id, e.date
    from unnest(good) as e
    join unnest(answers) as a on a.position = e.position and a.status in ('accepted', 'valid')
    where e.kind in ('impression', 'click')
    union
    select k.campaign_id, k.date
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = any (ended)
    union
    select s.campaign_id, s.date
    from private.open_sales() as s
  ) as k;

  update public.campaign_statistics s
  set impressions = s.impressions + counted.impressions, clicks = s.clicks + counted.clicks
  from (
    select k.campaign_id, k.date, sum(k.impressions) as impressions, sum(k.clicks) as clicks
    from (
      select
        e.campaign_id, e.date,
        (e.kind = 'impression')::integer as impressions, (e.kind = 'click')::integer as clicks
      from unnest(good) as e
      join unnest(answers) as a on a.position = e.position and a.status in ('accepted', 'valid')
      where e.kind in ('impression', 'click')
      union all
      select k.campaign_id, k.date, 0, -1
      from private.placement_clicks k
      where k.tenant_id = tenant and k.id = any (ended)
    ) as k
    group by k.campaign_id, k.date
  ) as counted
  where s.campaign_id = counted.campaign_id and s.date = counted.date;
end
$$;
comment on function private.count_placement_events is
  'Locks the statistics that a batch changes, also for its open sales, and counts its accepted impressions and valid clicks. ended: clicks that became invalid.';

create function private.record_placement_events(events jsonb, moment timestamptz default now()) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  trusted boolean := private.reads_all();
  settings public.placement_settings := private.placement_settings(tenant);
  sent private.placement_event[];
  good private.placement_event[];
  valid private.placement_event[];
  answers private.placement_answer[];
  ended uuid[];
  charged jsonb;
begin
  perform private.insist_on_event_batch(events);

  sent := array(select e from private.read_placement_events(events, moment) as e);
  good := array(
    select e from unnest(sent) as e
    where e.fault is null and (trusted or e.kind = 'conversion' or e.token is not null)
  );

  -- Until this commits, the orders of conversions cannot be cancelled, and their items not returned.
  perform 1
  from public.orders o
  where o.id = any (array(select e.order_id from unnest(good) as e where e.kind = 'conversion'))
  order by o.id
  for share;

  answers := array(select a from private.note_impressions(tenant, good) as a)
    || array(
      select a
      from private.note_clicks(
        tenant, good, settings,
        case when not trusted then private.caller_address() end,
        -- A visitor has no account whose age could count.
        not trusted and not private.is_visit() and private.is_new_account(settings.click_account_age_minutes)
      ) as a
    )
    || array(
      select row(e.position, 'not_charged', 'no_token', null)::private.placement_answer
      from unnest(sent) as e
      where e.fault is null and not (trusted or e.kind = 'conversion' or e.token is not null)
    );
  ended := private.end_floods(tenant, good, settings.clicks_per_visitor_and_hour);
  answers := answers || array(select a from private.note_conversions(tenant, good) as a);
  if ended <> '{}' then
    perform private.pass_on_sales(tenant, ended);
  end if;
  valid := array(
    select e
    from unnest(good) as e
    join unnest(answers) as a on a.position = e.position
    where e.kind = 'click' and a.status = 'valid'
  );

  perform private.count_placement_events(tenant, good, answers, ended);
  if ended <> '{}' then
    perform private.refund_clicks(tenant, ended, 'flood');
  end if;
  select jsonb_object_agg(c.click_id, c.price) into charged from private.charge_clicks(valid) as c;
  perform private.count_sales();

  return jsonb_build_object('results', private.tell_placement_answers(tenant, sent, answers, coalesce(charged, '{}')));
end
$$;
comment on function private.record_placement_events is
  'Records a batch of impressions, clicks and conversions in one transaction, and returns the result of each event. Refuses an invalid batch: FORBIDDEN, VALIDATION_ERROR.';

create function private.note_conversions(tenant_id uuid, events private.placement_event[])
returns setof private.placement_answer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  conversions private.placement_event[] := array(
    select e from unnest(events) as e where e.kind = 'conversion' order by e.position
  );
  order_ids uuid[] := array(select e.order_id from unnest(conversions) with ordinality as e order by e.ordinality);
  sold_before uuid[] := array(
    select distinct s.order_id
    from private.placement_sales s
    where s.tenant_id = note_conversions.tenant_id and s.order_id = any (order_ids)
  );
begin
  return query
  with noted as (
    select e.position, e.order_id, b.sales
    from unnest(conversions) with ordinality as e
    left join private.attribute_sales(
      order_ids,
      array(select e.visitor_id from unnest(conversions) with ordinality as e order by e.ordinality)
    ) as b on b.place = e.ordinality
  )
  select
    n.position,
    case
      when n.sales is null and (
        n.order_id = any (sold_before)
        or max(n.sales) over (partition by n.order_id order by n.position) > 0
      ) then 'duplicate'
      else 'accepted'
    end,
    null,
    coalesce(n.sales, 0)::integer
  from noted n;
end
$$;
comment on function private.note_conversions is
  'Attributes the orders of a batch''s conversions to the clicks of their visitors, and returns the number of lines of each.';

create function private.tell_placement_answers(
  tenant_id uuid, events private.placement_event[], answers private.placement_answer[], charged jsonb
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- Visitors do not see what a click costs.
  tells_prices boolean := private.reads_all();
  paid_before integer[] := array(
    select e.position
    from unnest(events) as e
    join unnest(answers) as a on a.position = e.position and a.status = 'repeated'
    where exists (
      select 1
      from private.placement_clicks k
      join public.placement_charges p on p.tenant_id = k.tenant_id and p.click_id = k.id and p.kind = 'click'
      where k.tenant_id = tell_placement_answers.tenant_id and k.visitor_id = e.visitor_id
        and k.hour = date_trunc('hour', e.occurred_at at time zone 'UTC') and k.campaign_id = e.campaign_id
        and k.refusal is distinct from 'repeated'
      -- Looked up by index for each of them, because there are few.
      offset 0
    )
  );
  words jsonb;
begin
  select coalesce(
    jsonb_agg(
      jsonb_strip_nulls(
        jsonb_build_object(
          'index', e.position,
          'id', case when e.has_id or a.status in ('valid', 'repeated') then e.key end,
          'status', result.status,
          'reason', result.reason,
          'price', case when tells_prices and result.status = 'charged' then charged -> e.key::text end,
          'sales', a.sales
        )
      ) || case when e.fault is null then '{}' else jsonb_build_object('error', e.fault) end
      order by e.position
    ),
    '[]'
  )
  into words
  from unnest(events) as e
  left join unnest(answers) as a on a.position = e.position
  left join public.campaigns c on c.id = e.campaign_id
  cross join lateral (
    select
      case
        when e.fault is not null then 'invalid'
        when a.status = 'repeated' then case when e.position = any (paid_before) then 'not_charged' else 'duplicate' end
        when a.status <> 'valid' then a.status
        when charged ? e.key::text then 'charged'
        when c.pricing_model = 'fixed' then 'accepted'
        else 'not_charged'
      end as status,
      case
        when e.fault is not null then null
        when a.status = 'repeated' then case when e.position = any (paid_before) then 'already_charged' end
        when a.status = 'valid' and not charged ? e.key::text and c.pricing_model <> 'fixed' then 'budget'
        else a.reason
      end as reason
  ) as result;
  return words;
end
$$;
comment on function private.tell_placement_answers is 'The results of a batch''s events, as the API returns them.';

create function public.record_placement_events(events jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.record_placement_events(events);
end
$$;
comment on function public.record_placement_events is
  'Reports up to 1000 events, a list of {id, type: impression | click | conversion, campaign_id, visitor_id, placement, occurred_at, order_id, token}, and returns {results: [{index, id, status, reason, price, sales, error}]} in the same order. status: accepted, duplicate, charged, not_charged (reason: already_charged, budget, flood, new_account, no_token, not_a_customer, not_running, own_supplier) or invalid (error). Customers and suppliers report for themselves, whatever visitor_id they send, with the token of the promotion that they were shown.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.record_placement_events to authenticated;
grant execute on function public.record_placement_events to authenticated;

-- supabase/schemas/placement/0980_placement_refunds.sql

-- Refunds: admins declare clicks invalid, and their charges are refunded.

-- functions ------------------------------------------------------------------------------------

create function private.check_click_refund(campaign_id uuid, visitor_id text, click_ids uuid[]) returns void
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  stranger uuid;
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Your role may not refund clicks.');
  elsif not exists (
    select 1 from public.campaigns c where c.tenant_id = tenant and c.id = check_click_refund.campaign_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such campaign.');
  elsif (check_click_refund.visitor_id is null) = (check_click_refund.click_ids is null) then
    perform private.refuse(
      'VALIDATION_ERROR', 'Send either visitor_id or click_ids.',
      'visitor_id', to_jsonb(check_click_refund.visitor_id)
    );
  elsif cardinality(click_ids) > 1000 then
    perform private.refuse(
      'VALIDATION_ERROR', 'click_ids must have at most 1000 entries.', 'click_ids', to_jsonb(cardinality(click_ids))
    );
  end if;

  select wanted.id into stranger
  from unnest(check_click_refund.click_ids) as wanted (id)
  where not exists (
    select 1
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = wanted.id and k.campaign_id = check_click_refund.campaign_id
  ) and not exists (
    select 1
    from public.placement_charges p
    where p.tenant_id = tenant and p.click_id = wanted.id and p.campaign_id = check_click_refund.campaign_id
  )
  limit 1;
  if found then
    perform private.refuse('NOT_FOUND', 'The campaign has no such click.', 'click_ids', to_jsonb(stranger));
  end if;
end
$$;
comment on function private.check_click_refund is
  'Refuses a refund of clicks: FORBIDDEN; NOT_FOUND for the campaign or a click that is not of it; VALIDATION_ERROR on visitor_id or click_ids.';

create function private.clicks_to_refund(campaign_id uuid, visitor_id text, click_ids uuid[], since timestamptz)
returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
begin
  if clicks_to_refund.click_ids is null then
    return array(
      select k.id
      from private.placement_clicks k
      where k.tenant_id = tenant and k.campaign_id = clicks_to_refund.campaign_id
        and k.visitor_id = case
          when clicks_to_refund.visitor_id ~ '^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$'
            then lower(clicks_to_refund.visitor_id)
          else clicks_to_refund.visitor_id
        end
        and k.refusal is distinct from 'repeated'
        and (since is null or k.clicked_at >= since)
    );
  end if;
  return array(
    select wanted.id
    from unnest(clicks_to_refund.click_ids) as wanted (id)
    left join private.placement_clicks k on k.tenant_id = tenant and k.id = wanted.id
    left join public.placement_charges p on p.tenant_id = tenant and p.click_id = wanted.id and p.kind = 'click'
    -- Clicks are deleted before their charges: the charge has the time at which the click was reported.
    where since is null or coalesce(k.clicked_at, p.created_at) >= since
  );
end
$$;
comment on function private.clicks_to_refund is
  'The clicks of a campaign to refund, by visitor or by id, from a time on (null: all).';

create function private.uncount_clicks(campaign_id uuid, clicks uuid[], ended uuid[]) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  lost integer;
begin
  with gone as (
    select k.date
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = any (uncount_clicks.ended)
    union all
    -- A click that was deleted was valid if its charge was not refunded.
    select p.date
    from public.placement_charges p
    where p.tenant_id = tenant and p.click_id = any (uncount_clicks.clicks) and p.kind = 'click'
      and not exists (
        select 1 from private.placement_clicks k where k.tenant_id = p.tenant_id and k.id = p.click_id
      )
      and not exists (
        select 1
        from public.placement_charges r
        where r.tenant_id = p.tenant_id and r.click_id = p.click_id and r.kind = 'refund'
      )
  ),
  uncounted as (
    update public.campaign_statistics s
    set clicks = s.clicks - of_day.clicks
    from (select g.date, count(*) as clicks from gone g group by g.date) as of_day
    where s.campaign_id = uncount_clicks.campaign_id and s.date = of_day.date
  )
  select count(*) into lost from gone;
  return lost;
end
$$;
comment on function private.uncount_clicks is
  'Subtracts clicks from the statistics of their days: those that were valid until now (ended), and those of which only an unrefunded charge is left. Returns how many.';

create function private.refund_placement_clicks(
  campaign_id uuid, visitor_id text, click_ids uuid[], since timestamptz, note text
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  found_clicks uuid[];
  ended uuid[];
  lost integer;
  answer jsonb;
begin
  perform private.check_click_refund(
    refund_placement_clicks.campaign_id, refund_placement_clicks.visitor_id, refund_placement_clicks.click_ids
  );
  found_clicks := private.clicks_to_refund(
    refund_placement_clicks.campaign_id, refund_placement_clicks.visitor_id, refund_placement_clicks.click_ids,
    refund_placement_clicks.since
  );

  select array_agg(k.id) into ended
  from (
    select k.id
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = any (found_clicks) and k.refusal is null
    order by k.id
    for update
  ) as k;
  update private.placement_clicks k
  set refusal = 'refunded'
  where k.tenant_id = tenant and k.id = any (ended);
  perform private.pass_on_sales(tenant, found_clicks);

  perform private.lock_statistics(array_agg(d.campaign_id), array_agg(d.date))
  from (
    select k.campaign_id, k.date
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = any (ended)
    union
    select p.campaign_id, p.date
    from public.placement_charges p
    where p.tenant_id = tenant and p.click_id = any (found_clicks)
    union
    select s.campaign_id, s.date
    from private.open_sales() as s
  ) as d;

  lost := private.uncount_clicks(refund_placement_clicks.campaign_id, found_clicks, ended);

  select jsonb_build_object(
    'campaign_id', refund_placement_clicks.campaign_id, 'clicks', lost,
    'refunded', count(*), 'amount', coalesce(sum(r.amount), 0)
  )
  into answer
  from private.refund_clicks(tenant, found_clicks, 'invalid', refund_placement_clicks.note) as r;
  perform private.count_sales();
  return answer;
end
$$;
comment on function private.refund_placement_clicks is
  'Declares clicks of a campaign invalid and refunds their charges. Refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.refund_placement_clicks(
  campaign_id uuid, visitor_id text default null, click_ids uuid[] default null, since text default null,
  note text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.refund_placement_clicks(campaign_id, visitor_id, click_ids, private.moment_of(since, 'since'), note);
end
$$;
comment on function public.refund_placement_clicks is
  'For admins: declares clicks of a campaign invalid, by visitor_id or click_ids, and optionally only those since a time (with its offset, or a day of the tenant''s time zone). They no longer count, and their charges are refunded, each once. Returns campaign_id, clicks (that were valid until now), refunded (the number of charges) and amount.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.refund_placement_clicks to authenticated;
grant execute on function public.refund_placement_clicks to authenticated;

-- supabase/schemas/placement/0985_placement_reports.sql

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
  if not (private.reads_all() or coalesce(private.tenant_role() = 'supplier', false)) then
    perform private.refuse('FORBIDDEN', 'Your role may not read reports of campaigns.');
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
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Your role may not read the revenue of placement.');
  end if;

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

-- supabase/schemas/placement/0990_product_lists.sql

-- Lists of products: one response with a page, the total, and the filters over the whole result. Search decides what is
-- in a list, and placement what comes first.

-- types ----------------------------------------------------------------------------------------

create type private.product_block as (ids uuid[], relevance_scores double precision[], promotions jsonb[]);
comment on type private.product_block is
  'Products in their order, each with its relevance for a search and its promotion.';

create type private.found_products as (
  page private.product_block, contenders private.product_block, counts private.product_count[], ids uuid[]
);
comment on type private.found_products is
  'A page of a result; the products of the whole result that have running campaigns; and the counts and, if requested, the ids of the whole result.';

-- functions ------------------------------------------------------------------------------------

create function private.find_products(
  search text, branch uuid[], promotable uuid[], filters private.product_filters, sort text, direction integer,
  size bigint, skipped bigint, with_ids boolean
) returns private.found_products
-- Planned once: 0.34 ms without, 0.14 with, for a category.
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  viewer public.member_role := private.tenant_role();
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  unfiltered boolean := filters is null;
  found_products private.found_products;
begin
  with wanted as materialized (
    select
      p.id, p.marketplace_id, p.category_id, p.brand, p.lowest_price, p.highest_price, p.relevance, p.has_all,
      case sort
        when 'price' then case direction when 1 then p.lowest_price else -p.highest_price end::double precision
        when 'created_at' then direction * date_part('epoch', p.created_at)
        when 'updated_at' then direction * date_part('epoch', p.updated_at)
        when 'relevance' then -p.relevance
      end as rank,
      -- The newer one of two products with the same relevance comes first.
      case sort when 'relevance' then -date_part('epoch', p.created_at) end as age,
      case sort when 'name' then (select private.sort_name(n.name) collate "C" from public.products n where n.id = p.id) end as name
    from (
      select
        d.id, d.category_id, d.brand, d.lowest_price, d.highest_price, d.marketplace_id, d.created_at, d.updated_at,
        null::double precision as relevance, true as has_all
      from public.products d
      where d.tenant_id = tenant
        and d.category_id = any (branch)
        and d.status <> 'discontinued'
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, d.supplier_id, d.marketplace_id, d.status)
        and (unfiltered or private.is_wanted(d, filters))
        and search is null
      union all
      select
        f.id, f.category_id, f.brand, f.lowest_price, f.highest_price, f.marketplace_id, f.created_at, f.updated_at,
        f.relevance, f.has_all
      from private.products_found(search, branch, filters) f
      where search is not null
    ) as p
  )
  select
    (
      select row(array_agg(r.id), array_agg(r.relevance), null)::private.product_block
      from (
        select w.id, w.relevance
        from wanted w
        order by w.rank, w.age, case direction when 1 then w.name end, case direction when -1 then w.name end desc, w.id
        limit size offset skipped
      ) as r
    ),
    (
      select row(array_agg(w.id), array_agg(w.relevance), null)::private.product_block
      from unnest(promotable) as m (id)
      join wanted w on w.id = m.id
      -- Products that match only some words cannot be promoted above those that match all.
      where w.has_all or not exists (select from wanted other where other.has_all)
    ),
    array(
      select row(w.marketplace_id, w.category_id, w.brand, count(*), min(w.lowest_price), max(w.highest_price))::private.product_count
      from wanted w
      group by w.marketplace_id, w.category_id, w.brand
    ),
    case when with_ids then array(select w.id from wanted w) end
  into found_products;
  return found_products;
end
$$;
comment on function private.find_products is
  'The products that the caller sees in these categories (branch), or that match a search, or both: a page, all of them that have running campaigns, and the counts and, with_ids, the ids of all.';

create function private.catalog_page(
  filters private.product_filters, sort text, "order" text, size integer, skipped bigint, promotable uuid[],
  promotable_in uuid[], is_whole boolean, region text
) returns private.product_block
-- Without row-level security, whose estimates make the planner sort the whole catalog instead of reading a page of an index.
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
#variable_conflict use_variable
declare
  tenant uuid := private.tenant_id();
  viewer public.member_role := private.tenant_role();
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  key text := case sort
    when 'price' then case "order" when 'asc' then 'p.lowest_price' else 'p.highest_price' end
    when 'name' then 'private.sort_name(p.name) collate "C"'
    when 'updated_at' then 'p.updated_at'
    else 'p.created_at'
  end;
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  among uuid[];
  seal text;
  promoted uuid[] := '{}'::uuid[];
  promotions jsonb[];
  rest uuid[];
begin
  if promotable <> '{}' then
    seal := private.promotion_seal('category');
    if not is_whole then
      among := array(
        select p.id
        from public.products p
        where p.tenant_id = tenant
          and p.id = any (promotable)
          and p.status <> 'discontinued'
          and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
          and (promotable_in is null or p.marketplace_id = any (promotable_in))
          and private.is_wanted(p, filters)
      );
    end if;
    select
      coalesce(array_agg(h.product_id order by h.place), '{}'),
      array_agg(private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) order by h.place)
    into promoted, promotions
    from private.hold_auction('category', null, among, size, region) as h
    where among is null or among <> '{}';
  end if;

  -- An index returns the page in its order.
  execute format(
    'select array(
      select p.id
      from public.products p
      where p.tenant_id = $1
        and p.status <> ''discontinued''
        and private.is_shown_to($6, $7, $8, p.supplier_id, p.marketplace_id, p.status)
        and private.is_wanted(p, $2)
        and p.id <> all ($5)
      order by %s %s, p.id
      limit $3 offset $4
    )',
    key, direction
  )
  into rest
  using
    tenant, filters, size - case skipped when 0 then cardinality(promoted) else 0 end,
    greatest(skipped - cardinality(promoted), 0), promoted, viewer, own_supplier, active_marketplaces;
  return case skipped
    when 0 then row(promoted || rest, null, promotions)::private.product_block
    else row(rest, null, null)::private.product_block
  end;
end
$$;
comment on function private.catalog_page is
  'A page of the whole catalog: first the products that an auction promotes (of promotable), then the rest in the requested order. promotable_in: the marketplaces whose campaigns may get a slot (null: all). is_whole: the result contains all products that may be promoted.';

create function private.promoted_page(
  hits private.product_block, contenders private.product_block, placement text, branch uuid[], is_whole boolean,
  size integer, skipped bigint, region text
) returns private.product_block
language plpgsql stable set search_path = ''
as $$
declare
  seal constant text := private.promotion_seal(placement);
  page private.product_block;
begin
  select array_agg(r.id), array_agg(r.relevance), array_agg(r.promotion)
  into page
  from (
    select candidate.id, candidate.relevance, held.promotion
    from (
      select f.id, f.relevance, f.position
      from unnest(hits.ids, hits.relevance_scores) with ordinality as f (id, relevance, position)
      union all
      select c.id, c.relevance, null
      from unnest(contenders.ids, contenders.relevance_scores) as c (id, relevance)
      where (c.id = any (hits.ids)) is not true
    ) as candidate
    left join (
      select
        h.product_id, h.place,
        private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) as promotion
      from private.hold_auction(placement, branch, case when not is_whole then contenders.ids end, size, region) as h
      where is_whole or contenders.ids <> '{}'
    ) as held on held.product_id = candidate.id
    where held.place is not null or candidate.position is not null
    order by held.place, candidate.position
    limit size offset skipped
  ) as r;
  return page;
end
$$;
comment on function private.promoted_page is
  'A page of a search or category: first the contenders that an auction promotes, wherever they stand in the result, then the other hits from the first one on. is_whole: the result contains all products that may be promoted, so that the auction needs no list of them.';

create function private.contenders_in(contenders private.product_block, marketplaces uuid[])
returns private.product_block
language plpgsql stable security definer set search_path = ''
as $$
declare
  kept private.product_block;
begin
  if marketplaces is null then
    return contenders;
  end if;
  select coalesce(array_agg(c.id), '{}'), array_agg(c.relevance), null::jsonb[]
  into kept
  from unnest(contenders.ids, contenders.relevance_scores) as c (id, relevance)
  join public.products p on p.id = c.id
  where p.marketplace_id = any (marketplaces);
  return kept;
end
$$;
comment on function private.contenders_in is 'The products of a block that are sold in these marketplaces (null: all).';

create function private.count_facets(
  facets text[], search text, branch uuid[], filters private.product_filters, among uuid[],
  inout counts private.product_count[], out attributes json
)
language plpgsql stable set search_path = ''
as $$
declare
  selected text[] := array(
    select f.name
    from unnest(facets) as f (name)
    where filters.selected ? f.name or f.name = 'brand' and filters.brands is not null
  );
  others text[] := array(
    select f.name from unnest(facets) as f (name) where f.name <> all (selected) and f.name <> 'brand'
  );
  counted private.value_count[];
  name text;
  wider private.product_filters;
begin
  if others <> '{}' then
    select v.facets, coalesce(counts, v.products) into counted, counts
    from private.count_values(others, filters, branch, among, counts is null) as v;
  elsif counts is null then
    counts := array(select c from private.count_catalog(filters) as c);
  end if;
  if 'brand' = any (facets) and 'brand' <> all (selected) then
    counted := counted || array(
      select row('brand', c.brand, sum(c.count))::private.value_count
      from unnest(counts) as c
      where c.brand is not null
      group by c.brand
      order by sum(c.count) desc, c.brand collate "C"
      limit 100
    );
  end if;
  foreach name in array selected loop
    wider := filters;
    wider.selected := wider.selected - name;
    wider.attributes := private.attribute_path(wider.selected);
    if name = 'brand' then
      wider.brands := null;
    end if;
    if search is not null then
      among := array(select f.id from private.products_found(search, branch, wider) as f);
    end if;
    counted := counted || (private.count_values(array[name], wider, branch, among, false)).facets;
  end loop;
  attributes := (
    select json_agg(
      json_build_object(
        'name', f.name,
        'values', (
          select coalesce(
            json_agg(json_build_object('value', c.value, 'count', c.count) order by c.count desc, c.value collate "C"), '[]'
          )
          from unnest(counted) as c
          where c.name = f.name
        )
      )
      order by f.position
    )
    from unnest(facets) with ordinality as f (name, position)
  );
end
$$;
comment on function private.count_facets is
  'The number of products of a result for each value of some attributes. among: the products of a search. Each attribute is counted as if none of its own values were selected (attributes): [{"name": "material", "values": [{"value": "brass", "count": 2}]}]. counts: the counts of the result; null for the whole catalog, which is then counted in the same reading.';

create function private.catalog_counts(
  filters private.product_filters, facets text[], out counts private.product_count[], out attributes json
)
language plpgsql stable security definer set search_path = ''
as $$
declare
  question bytea := private.counts_question(filters, facets);
  kept private.kept_counts := private.find_kept_counts(question);
begin
  if kept.tenant_id is not null then
    counts := kept.counts;
    attributes := kept.attributes;
    return;
  elsif facets is null then
    counts := array(select c from private.count_catalog(filters) as c);
  else
    select f.counts, f.attributes into counts, attributes
    from private.count_facets(facets, null, null, filters, null, null) as f;
  end if;
  if question is not null then
    perform private.keep_counts(question, counts, attributes, pg_current_snapshot());
  end if;
end
$$;
comment on function private.catalog_counts is
  'The counts of the caller''s whole catalog, as count_facets returns them. They are kept until a product changes.';

create function private.product_list(
  search text, branch uuid[], filters private.product_filters, facets text[], sort text, "order" text, size integer,
  skipped bigint, region text, is_promoted boolean default true
) returns json
-- Stable, as all that it calls except the auction: so the page, the counts and the records are of one snapshot.
language plpgsql stable set search_path = ''
as $$
declare
  is_catalog boolean := branch is null and search is null;
  -- The products with running campaigns, from which the auction chooses those on the first page.
  promotable uuid[] := case
    when is_promoted and sort is null and filters.ids is null then private.promoted_products(branch)
  end;
  -- Bids in several currencies cannot be compared, so only campaigns in the currency of the oldest marketplace get
  -- slots.
  promotable_in uuid[];
  -- Promoted products may be anywhere in the result.
  from_start boolean := promotable <> '{}';
  is_whole boolean;
  counts private.product_count[];
  counted record;
  attributes json;
  found_products private.found_products;
  shown private.product_block;
begin
  if is_catalog then
    select c.counts, c.attributes into counts, attributes from private.catalog_counts(filters, facets) as c;
  else
    found_products := private.find_products(
      search, branch, promotable, filters, coalesce(sort, case when search is null then 'created_at' else 'relevance' end),
      -- Negated numbers and times sort in descending order.
      case "order" when 'asc' then 1 else -1 end,
      case when from_start then skipped + size else size end, case when from_start then 0 else skipped end,
      facets is not null and search is not null
    );
    counts := found_products.counts;
    shown := found_products.page;
    if facets is not null then
      attributes := (private.count_facets(facets, search, branch, filters, found_products.ids, counts)).attributes;
    end if;
  end if;
  counted := private.count_filters(counts);
  if counted.is_mixed then
    promotable_in := private.marketplaces_asked(null, (private.currencies_in_use())[1]);
  end if;
  -- Without filters the result contains everything that is for sale, except for a supplier, who sees only its own, and a
  -- visitor, who sees one marketplace.
  is_whole := search is null and promotable_in is null and filters is null and private.supplier_id() is null
    and not private.is_visit();

  if is_catalog then
    shown := private.catalog_page(
      filters, coalesce(sort, 'created_at'), "order", size, skipped, promotable, promotable_in, is_whole, region
    );
  elsif from_start then
    shown := private.promoted_page(
      shown, private.contenders_in(found_products.contenders, promotable_in),
      case when search is null then 'category' else 'search' end, branch, is_whole, size, skipped, region
    );
  end if;
  if facets is not null then
    counted.filters := concat(
      left(counted.filters::text, -1), ', "attributes": ', attributes, '}'
    )::json;
  end if;
  -- The API reads the first fields of a large page without parsing the others.
  return json_build_object(
    'total', counted.total, 'page', skipped / size + 1, 'limit', size,
    'products', private.product_page(shown.ids, shown.relevance_scores, shown.promotions), 'filters', counted.filters
  );
end
$$;
comment on function private.product_list is
  'A page of products and the counts of the whole result, for list_products, which checks the arguments. branch: the requested categories and their descendants (null: all). is_promoted: whether promoted products come first.';

create function public.list_products(
  search text default null,
  category uuid[] default null,
  price_min numeric default null,
  price_max numeric default null,
  marketplace_id uuid default null,
  currency text default null,
  supplier_id uuid default null,
  status public.product_status default null,
  brand text[] default null,
  attributes jsonb default null,
  ids uuid[] default null,
  facets text[] default null,
  sort text default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100,
  region text default null
) returns json
-- Volatile, because a share of auctions is recorded.
language plpgsql set search_path = ''
as $$
declare
  branch uuid[] := private.category_branches(private.tenant_id(), category);
  filters private.product_filters;
  size integer := least(greatest("limit", 1), 1000);
  skipped bigint := (greatest(page, 1)::bigint - 1) * size;
begin
  perform private.members_only();
  search := private.searched(search);
  if sort not in ('created_at', 'updated_at', 'name', 'price') then
    perform private.refuse(
      'VALIDATION_ERROR', 'sort must be created_at, updated_at, name or price.', 'sort', to_jsonb(sort)
    );
  elsif coalesce("order", '') not in ('asc', 'desc') then
    perform private.refuse('VALIDATION_ERROR', 'order must be asc or desc.', 'order', to_jsonb("order"));
  elsif sort = 'price' then
    perform private.check_one_currency(marketplace_id, currency);
  end if;
  filters := private.product_filters(
    row(price_min, price_max, null, supplier_id, status, brand, null, null, ids), marketplace_id, currency, attributes
  );
  facets := private.asked_texts('facets', facets, 100, 10);
  -- Relevance and promotion have no ascending order, so order=asc alone sorts by time.
  sort := coalesce(sort, case "order" when 'asc' then 'created_at' end);
  return private.product_list(search, branch, filters, facets, sort, "order", size, skipped, region);
end
$$;
comment on function public.list_products is
  'A page of the products that the caller may see, with total and filters over the whole result. brand and category: any of these. attributes: {"material": ["brass", "wool"]}, any of the values for each name. facets: names of attributes whose values are counted in filters, each without its own selection. ids: only these products, without promotion. In a tenant with several currencies price_min, price_max and the sort price require a marketplace_id or a currency. Refuses with VALIDATION_ERROR.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.find_products, private.catalog_page, private.promoted_page, private.contenders_in, private.count_facets,
  private.catalog_counts, private.product_list
to authenticated, service_role;
grant execute on function public.list_products to authenticated;

-- supabase/schemas/placement/0995_recommended_products.sql

-- Recommended products: similar ones and best sellers, with promoted products first.

-- functions ------------------------------------------------------------------------------------

create function public.similar_products(
  product_id uuid, "limit" integer default 10, region text default null
) returns json
-- Volatile, because a share of auctions is recorded.
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  origin public.products;
  ids uuid[];
  relevance_scores double precision[];
  promotions jsonb[];
begin
  perform private.members_only();
  if ("limit" between 1 and 100) is not true then
    perform private.refuse('VALIDATION_ERROR', 'limit must be from 1 to 100.', 'limit', to_jsonb("limit"));
  end if;
  select p.* into origin
  from public.products p
  where p.id = similar_products.product_id and p.status <> 'discontinued';
  if not found then
    return null;
  end if;

  -- Some products near in meaning are not for sale here. So more are fetched, and looked up one by one, nearest first,
  -- until there are enough.
  select array_agg(near.id order by near.place), array_agg(near.closeness order by near.place)
  into ids, relevance_scores
  from (
    select found.id, found.closeness, found.place
    from (
      select
        n.id, least(greatest(n.closeness, 0), 1) as closeness, row_number() over (order by n.closeness desc, n.id) as place
      from private.products_near(origin.id, "limit" + 100) n
      where n.id <> origin.id
      order by place
    ) as found
    cross join lateral (
      select p.track_inventory
      from public.products p
      where p.id = found.id and p.status = 'active' and p.marketplace_id = origin.marketplace_id
      limit 1
    ) as p
    where private.is_in_stock(found.id, p.track_inventory)
    order by found.place
    limit "limit"
  ) as near;

  if coalesce(cardinality(ids), 0) < "limit" then
    -- Products with similar words follow those with a similar meaning, with lower scores.
    select
      coalesce(ids, '{}') || array_agg(alike.id order by alike.likeness desc, alike.id),
      coalesce(relevance_scores, '{}') || array_agg(
        alike.likeness * coalesce(relevance_scores[cardinality(relevance_scores)], 1) order by alike.likeness desc
      )
    into ids, relevance_scores
    from (
      select l.id, l.likeness
      from private.products_like(origin.id, "limit" + coalesce(cardinality(ids), 0)) l
      where (l.id = any (ids)) is not true
      order by l.likeness desc, l.id
      limit "limit" - coalesce(cardinality(ids), 0)
    ) as alike;
  end if;

  select
    array_agg(f.id order by f.place), array_agg(coalesce(relevance_scores[f.found_at], 0) order by f.place),
    array_agg(f.promotion order by f.place)
  into ids, relevance_scores, promotions
  from private.promoted_first(
    'similar', array[origin.category_id], origin.marketplace_id, origin.id, ids, "limit", region
  ) as f;

  return json_build_object(
    'products', private.product_page(ids, relevance_scores, promotions),
    'relevance_scores', coalesce(array_to_json(relevance_scores), '[]')
  );
end
$$;
comment on function public.similar_products is
  'Products that could be bought instead of one on its marketplace: those nearest in meaning first, then those with a similar name, category and price. relevance_scores, from 0 to 1: how similar each is (0 if it is only promoted). Products promoted in its category come first (region: the visitor''s region). Null if the caller does not see the product.';

create function public.top_sales(
  marketplace_id uuid default null,
  category uuid default null,
  days integer default 30,
  "limit" integer default 10,
  region text default null
) returns json
language plpgsql set search_path = ''
as $$
declare
  branch uuid[];
  ids uuid[];
  sales bigint[];
  promotions jsonb[];
begin
  perform private.members_only();
  if (days between 1 and 365) is not true then
    perform private.refuse('VALIDATION_ERROR', 'days must be from 1 to 365.', 'days', to_jsonb(days));
  elsif ("limit" between 1 and 100) is not true then
    perform private.refuse('VALIDATION_ERROR', 'limit must be from 1 to 100.', 'limit', to_jsonb("limit"));
  end if;
  if category is not null then
    branch := private.category_branch(private.tenant_id(), category);
  end if;

  select array_agg(best.id), array_agg(best.sales_count) into ids, sales
  from private.best_sellers(marketplace_id, branch, days, "limit") best;

  select
    array_agg(f.id order by f.place), array_agg(coalesce(sales[f.found_at], 0) order by f.place),
    array_agg(f.promotion order by f.place)
  into ids, sales, promotions
  from private.promoted_first('top_sales', branch, marketplace_id, null, ids, "limit", region) as f;

  return (
    select json_build_object(
      'products',
      coalesce(
        json_agg(r.value::jsonb || jsonb_build_object('sales_count', sales[r.position]) order by r.position), '[]'
      )
    )
    from json_array_elements(private.product_page(ids, null, promotions)) with ordinality as r (value, position)
  );
end
$$;
comment on function public.top_sales is
  'The products for sale that the caller sees and of which most pieces were sold in the last days (UTC, including today), without cancelled and returned pieces. sales_count: the pieces sold (0 if the product is only promoted). Promoted products come first (region: the visitor''s region).';

-- grants ---------------------------------------------------------------------------------------

grant execute on function public.similar_products, public.top_sales to authenticated;

-- supabase/schemas/analytics/1000_analytics_periods.sql

-- The parts that all reports share: the scope of a report, its period, and the first fields of its response.

-- types ----------------------------------------------------------------------------------------

create type private.analytics_scope as (
  tenant_id uuid,
  time_zone text,
  marketplace_id uuid,
  supplier_id uuid,
  categories uuid[]
);
comment on type private.analytics_scope is
  'The scope of a report. A null field filters nothing. time_zone: the tenant''s. categories: the category with all below it.';

create type private.analytics_period as (
  name text,
  since date,
  until date,
  starts_at timestamptz,
  ends_at timestamptz,
  before_since date,
  before_until date,
  before_starts_at timestamptz,
  before_ends_at timestamptz
);
comment on type private.analytics_period is
  'The period of a report: the days since to until, both included, from starts_at to before ends_at. ends_at is now if the last day is today. before_: the same number of days just before, up to the same time of day.';

-- tables ---------------------------------------------------------------------------------------

create table private.restated_days (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  day date not null,
  restated_at timestamptz not null,
  constraint restated_days_pkey primary key (tenant_id, day)
);
comment on table private.restated_days is
  'Days that were over when their figures changed, with the time of the last change. -infinity stands for all days that were over then.';

-- functions ------------------------------------------------------------------------------------

create function private.analytics_scope(marketplace_id uuid, supplier_id uuid, category uuid)
returns private.analytics_scope
language plpgsql stable security definer set search_path = ''
as $$
declare
  caller public.member_role := private.tenant_role();
  scope private.analytics_scope;
begin
  scope.tenant_id := private.tenant_id();
  if caller = 'supplier' then
    scope.supplier_id := private.supplier_id();
    if analytics_scope.supplier_id <> scope.supplier_id then
      perform private.refuse(
        'FORBIDDEN', 'Suppliers may only read analytics of their own sales.',
        'supplier_id', to_jsonb(analytics_scope.supplier_id)
      );
    end if;
  elsif not private.reads_all(caller) then
    perform private.refuse('FORBIDDEN', 'Your role may not read analytics.');
  elsif analytics_scope.supplier_id is not null then
    select s.id into scope.supplier_id
    from public.suppliers s
    where s.tenant_id = scope.tenant_id and s.id = analytics_scope.supplier_id;
    if not found then
      perform private.refuse(
        'NOT_FOUND', 'There is no such supplier.', 'supplier_id', to_jsonb(analytics_scope.supplier_id)
      );
    end if;
  end if;
  if analytics_scope.marketplace_id is not null then
    select m.id into scope.marketplace_id
    from public.marketplaces m
    where m.tenant_id = scope.tenant_id and m.id = analytics_scope.marketplace_id;
    if not found then
      perform private.refuse(
        'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(analytics_scope.marketplace_id)
      );
    end if;
  end if;
  if category is not null then
    if not exists (select from public.categories c where c.tenant_id = scope.tenant_id and c.id = category) then
      perform private.refuse('NOT_FOUND', 'There is no such category.', 'category', to_jsonb(category));
    end if;
    scope.categories := private.category_branch(scope.tenant_id, category);
  end if;
  scope.time_zone := private.time_zone_of(scope.tenant_id);
  return scope;
end
$$;
comment on function private.analytics_scope(uuid, uuid, uuid) is
  'The scope that the caller requests: the tenant for admins and clients, their own sales for suppliers. Refuses other roles with FORBIDDEN, and unknown ids with NOT_FOUND.';

create function private.checked_scope(asked private.analytics_scope) returns private.analytics_scope
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- A job has no caller: its scope was checked when it was requested.
  if auth.uid() is not null and (
    asked.tenant_id = private.tenant_id() and (private.reads_all() or asked.supplier_id = private.supplier_id())
  ) is not true then
    perform private.refuse('FORBIDDEN', 'Your role may not read these analytics.');
  end if;
  return asked;
end
$$;
comment on function private.checked_scope is
  'Returns the scope unchanged if the caller may see its figures, else refuses with FORBIDDEN. Every report that runs with more rights than its caller calls it first.';

create function private.of_operator(scope private.analytics_scope) returns boolean
language sql immutable
return scope.supplier_id is null and scope.categories is null;
comment on function private.of_operator is
  'Whether the scope has whole orders, with delivery and payments, and not only some of their items.';

create function private.asked_days(today date, period text, "from" date, "to" date) returns daterange
language plpgsql immutable set search_path = ''
as $$
declare
  days integer := case period
    when 'today' then 1 when 'yesterday' then 1 when '7d' then 7 when '30d' then 30 when '90d' then 90 when '1y' then 365
  end;
  unit text := case period when 'last_week' then 'week' when 'last_month' then 'month' when 'last_quarter' then 'quarter' end;
  begun date := date_trunc(unit, today::timestamp);
begin
  if coalesce(days::text, unit) is not null then
    if coalesce("from", "to") is not null then
      perform private.refuse(
        'VALIDATION_ERROR', 'from and to are for the period custom only.',
        case when "from" is null then 'to' else 'from' end, to_jsonb(coalesce("from", "to"))
      );
    elsif period = 'yesterday' then
      return daterange(today - 1, today);
    elsif unit is not null then
      -- The day before the current one began is in the last one.
      return daterange(date_trunc(unit, (begun - 1)::timestamp)::date, begun);
    end if;
    return daterange(today - days + 1, today + 1);
  elsif period is distinct from 'custom' then
    perform private.refuse(
      'VALIDATION_ERROR',
      'period must be today, yesterday, 7d, 30d, 90d, 1y, last_week, last_month, last_quarter or custom.',
      'period', to_jsonb(period)
    );
  elsif "from" is null or not isfinite("from") then
    perform private.refuse(
      'VALIDATION_ERROR', 'from is required for the period custom: a date.', 'from', to_jsonb("from")
    );
  elsif "to" is null or not isfinite("to") then
    perform private.refuse('VALIDATION_ERROR', 'to is required for the period custom: a date.', 'to', to_jsonb("to"));
  elsif "to" < "from" then
    perform private.refuse('VALIDATION_ERROR', 'to must not be before from.', 'to', to_jsonb("to"));
  elsif "to" >= "from" + interval '5 years' then
    perform private.refuse('VALIDATION_ERROR', 'The period must be at most 5 years long.', 'to', to_jsonb("to"));
  end if;
  return daterange("from", "to" + 1);
end
$$;
comment on function private.asked_days is 'The days of a period as of today. Refuses with VALIDATION_ERROR.';

create function private.period_of_days(time_zone text, name text, days daterange) returns private.analytics_period
language plpgsql stable set search_path = ''
as $$
declare
  clock timestamp := now() at time zone time_zone;
  length integer := upper(days) - lower(days);
  asked private.analytics_period;
begin
  asked.name := period_of_days.name;
  asked.since := lower(days);
  asked.until := upper(days) - 1;
  asked.starts_at := asked.since::timestamp at time zone time_zone;
  asked.before_since := asked.since - length;
  asked.before_until := asked.since - 1;
  asked.before_starts_at := asked.before_since::timestamp at time zone time_zone;
  if asked.until < clock::date then
    asked.ends_at := upper(days)::timestamp at time zone time_zone;
    asked.before_ends_at := asked.starts_at;
  else
    -- A period in the future is empty, and so is the period that it is compared with.
    asked.ends_at := greatest(now(), asked.starts_at);
    asked.before_ends_at := greatest(
      least((clock - make_interval(days => length)) at time zone time_zone, asked.starts_at), asked.before_starts_at
    );
  end if;
  return asked;
end
$$;
comment on function private.period_of_days is 'These days of a time zone as a period.';

create function private.analytics_period(time_zone text, period text, "from" date, "to" date)
returns private.analytics_period
language sql stable
return private.period_of_days(
  time_zone, period, private.asked_days((now() at time zone time_zone)::date, period, "from", "to")
);
comment on function private.analytics_period(text, text, date, date) is
  'A period in the days of a time zone, as of now. Refuses with VALIDATION_ERROR.';

create function private.change_of(amount numeric, before numeric) returns numeric
language sql immutable
return case when before > 0 then round(100 * (amount - before) / before, 1) end;
comment on function private.change_of is
  'The change of an amount in percent; null where the earlier amount was zero or negative.';

create function private.change_text(change numeric) returns text
language sql immutable
return case when change > 0 then '+' else '' end || change || '%';
comment on function private.change_text is 'The text of a change: +12.5%, -3.0%, 0.0%; null for null.';

create function private.percent_of(part numeric, whole numeric) returns numeric
language sql immutable
return round(100 * part / nullif(whole, 0), 1);
comment on function private.percent_of is 'A part of a whole in percent, with one decimal; null if the whole is zero.';

create function private.restate(tenant_id uuid, day date) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if day < (now() at time zone private.time_zone_of(restate.tenant_id))::date then
    insert into private.restated_days as d (tenant_id, day, restated_at)
    values (restate.tenant_id, restate.day, now())
    on conflict on constraint restated_days_pkey do update set restated_at = excluded.restated_at;
  end if;
end
$$;
comment on function private.restate is
  'Records that the figures of a tenant''s day change now, if that day is over; with -infinity, those of all days that are over.';

create function private.restated_at(scope private.analytics_scope, period private.analytics_period)
returns timestamptz
language sql stable security definer set search_path = ''
as $$
  select max(d.restated_at)
  from private.restated_days d
  where d.tenant_id = scope.tenant_id
    and (
      d.day between period.since and period.until
      or d.day = '-infinity' and period.since < (d.restated_at at time zone scope.time_zone)::date
    )
$$;
comment on function private.restated_at is 'The last time that a day of the period changed after it was over; null if none did.';

create function private.report_heading(scope private.analytics_scope, period private.analytics_period) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object(
    'period', period.name, 'from', period.since, 'to', period.until, 'time_zone', scope.time_zone,
    'restated_at', private.restated_at(scope, period)
  )
$$;
comment on function private.report_heading is 'The fields of every report: its period, time zone, and when one of its days was restated.';

-- policies -------------------------------------------------------------------------------------

alter table private.restated_days enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.analytics_scope(uuid, uuid, uuid), private.asked_days, private.period_of_days,
  private.analytics_period(text, text, date, date),
  private.change_of, private.change_text, private.percent_of, private.restated_at, private.report_heading,
  private.of_operator
to authenticated, service_role;

-- supabase/schemas/analytics/1010_sales_book.sql

-- The book of sales: every figure about sales is a sum of its lines. A line is written in the transaction that it
-- describes and is never changed. Orders placed add to the figures; cancellations and returns subtract from them.

-- types ----------------------------------------------------------------------------------------

create type private.sale_kind as enum (
  'placed', 'cancelled', 'returned', 'delivery', 'received', 'refunded', 'commission', 'promotion'
);
comment on type private.sale_kind is
  'What a line of the book describes: items of an order (placed, cancelled, returned), its delivery, payments (received, refunded), and what the operator itself earns (commission, promotion).';

-- tables ---------------------------------------------------------------------------------------

create table private.sales (
  id bigint generated always as identity,
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  kind private.sale_kind not null,
  booked_at timestamptz not null,
  placed_at timestamptz not null,
  order_id uuid,
  customer_id uuid,
  marketplace_id uuid not null,
  currency text not null,
  supplier_id uuid,
  category_id uuid,
  product_id uuid,
  quantity integer not null default 0,
  amount numeric not null,
  first_of_order boolean not null default false,
  first_of_supplier boolean not null default false,
  first_of_category boolean not null default false,
  first_of_supplier_category boolean not null default false,
  first_of_product boolean not null default false,
  constraint sales_pkey primary key (tenant_id, id),
  constraint sales_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint sales_amount_is_of_at_most_4_decimals check (scale(amount) <= 4)
);
comment on table private.sales is
  'The book of sales. booked_at: when it happened; placed_at: when its order was placed (for payments and promotion: when they happened). category_id: the product''s category at the time of the sale. supplier_id: null for the operator''s own products. quantity (pieces) and amount are negative for cancellations, returns and refunds, and for payments that were reversed; the amount of a refund that failed is positive. first_of_: marks one placed line of each order, and one of each supplier, category, supplier and category, and product in it: orders are counted by these marks.';

-- indexes --------------------------------------------------------------------------------------

create index sales_tenant_id_booked_at_idx on private.sales (tenant_id, booked_at, id);
create index sales_tenant_id_placed_at_idx on private.sales (tenant_id, placed_at);
create index sales_order_idx on private.sales (tenant_id, order_id);

-- functions ------------------------------------------------------------------------------------

create function private.ended_at(target public.orders) returns timestamptz
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (
      select max(c.created_at)
      from public.order_status_changes c
      where c.tenant_id = target.tenant_id and c.order_id = target.id and c.new_status = target.status
    ),
    target.created_at
  )
$$;
comment on function private.ended_at is
  'When an order that is inserted as cancelled or returned got this status, from its history, which is written before its items.';

create function private.enter_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, category_id,
    product_id, quantity, amount, first_of_order, first_of_supplier, first_of_category, first_of_supplier_category,
    first_of_product
  )
  select
    o.tenant_id, line.kind, line.booked_at, o.created_at, o.id, o.customer_id, o.marketplace_id, o.currency,
    i.supplier_id, p.category_id, i.product_id, line.quantity, line.quantity * i.price,
    line.kind = 'placed' and row_number() over (partition by o.id, line.kind order by i.position) = 1,
    line.kind = 'placed' and row_number() over (partition by o.id, line.kind, i.supplier_id order by i.position) = 1,
    line.kind = 'placed' and row_number() over (partition by o.id, line.kind, p.category_id order by i.position) = 1,
    line.kind = 'placed'
      and row_number() over (partition by o.id, line.kind, i.supplier_id, p.category_id order by i.position) = 1,
    line.kind = 'placed' and row_number() over (partition by o.id, line.kind, i.product_id order by i.position) = 1
  from new_items i
  join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
  join public.products p on p.tenant_id = i.tenant_id and p.id = i.product_id
  -- An imported order is inserted in its last status.
  cross join lateral (
    select 'placed'::private.sale_kind as kind, o.created_at as booked_at, i.quantity
    union all
    select 'cancelled', private.ended_at(o), -i.cancelled_quantity where i.cancelled_quantity > 0
    union all
    select 'returned', private.ended_at(o), -(i.returned_quantity + i.lost_quantity)
    where i.returned_quantity + i.lost_quantity > 0
  ) as line;
  return null;
end
$$;
comment on function private.enter_items() is 'Statement trigger: enters the items of new orders.';

create function private.enter_delivery() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, amount
  )
  select
    o.tenant_id, 'delivery', line.booked_at, o.created_at, o.id, o.customer_id, o.marketplace_id, o.currency,
    new.supplier_id, line.amount
  from public.orders o
  cross join lateral (
    select o.created_at as booked_at, new.delivery_amount as amount
    union all
    select private.ended_at(o), -new.delivery_amount where not new.delivery_owed
  ) as line
  where o.tenant_id = new.tenant_id and o.id = new.order_id;
  return null;
end
$$;
comment on function private.enter_delivery() is 'Row trigger: enters the delivery of a part of an order.';

create function private.enter_unowed_delivery() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, amount
  )
  select
    o.tenant_id, 'delivery', now(), o.created_at, o.id, o.customer_id, o.marketplace_id, o.currency, new.supplier_id,
    -new.delivery_amount
  from public.orders o
  where o.tenant_id = new.tenant_id and o.id = new.order_id;
  return null;
end
$$;
comment on function private.enter_unowed_delivery() is
  'Row trigger: subtracts a delivery that is no longer owed.';

create function private.enter_changed_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, category_id,
    product_id, quantity, amount
  )
  select
    o.tenant_id, line.kind, now(), o.created_at, o.id, o.customer_id, o.marketplace_id, o.currency, i.supplier_id,
    sold.category_id, i.product_id, line.quantity, line.quantity * i.price
  from new_items i
  join old_items was on was.id = i.id and was.sold_quantity <> i.sold_quantity
  join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
  cross join lateral (
    select s.category_id
    from private.sales s
    where s.tenant_id = i.tenant_id and s.order_id = i.order_id and s.product_id = i.product_id
    limit 1
  ) as sold
  -- Lost pieces are booked as returned.
  cross join lateral (
    values
      ('cancelled'::private.sale_kind, was.cancelled_quantity - i.cancelled_quantity),
      ('returned', was.returned_quantity + was.lost_quantity - i.returned_quantity - i.lost_quantity)
  ) as line (kind, quantity)
  where line.quantity <> 0;
  return null;
end
$$;
comment on function private.enter_changed_items() is
  'Statement trigger: enters pieces that were cancelled, returned or lost, in the category in which they were sold.';

create function private.enter_payment() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, amount
  )
  select
    o.tenant_id,
    case when new.status in ('paid', 'payment_reversed') then 'received' else 'refunded' end::private.sale_kind,
    t.happened_at, t.happened_at, o.id, o.customer_id, o.marketplace_id, o.currency,
    private.balance_change(new.status, new.amount)
  from public.orders o
  -- The payment of an imported order counts for the day on which it was made.
  cross join (select least(new.created_at, now()) as happened_at) as t
  where o.tenant_id = new.tenant_id and o.id = new.order_id;
  return null;
end
$$;
comment on function private.enter_payment() is
  'Row trigger: enters a payment or refund, and what undoes it, when it happens.';

create function private.enter_commissions(target public.orders, supplier_id uuid, amount numeric) returns void
language sql security definer set search_path = ''
as $$
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, order_id, customer_id, marketplace_id, currency, supplier_id, amount
  )
  select
    target.tenant_id, 'commission', now(), target.created_at, target.id, target.customer_id, target.marketplace_id,
    target.currency, enter_commissions.supplier_id, enter_commissions.amount
  where enter_commissions.amount <> 0
$$;
comment on function private.enter_commissions is 'Enters the commission that the operator earns from a supplier''s sale, or gives back (negative).';

create function private.earn_commissions() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.enter_commissions(
    new, c.supplier_id, case new.payment_status when 'failed' then -c.commission_amount else c.commission_amount end
  )
  from public.order_commissions c
  where c.tenant_id = new.tenant_id and c.order_id = new.id;
  return null;
end
$$;
comment on function private.earn_commissions() is
  'Row trigger: enters the commission of an order when it is paid, and takes it out when the payment is reversed.';

create function private.adjust_commissions() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.enter_commissions(o, new.supplier_id, new.commission_amount - old.commission_amount)
  from public.orders o
  where o.tenant_id = new.tenant_id and o.id = new.order_id and private.was_paid(o.payment_status);
  return null;
end
$$;
comment on function private.adjust_commissions() is
  'Row trigger: enters changes of earned commission when items are cancelled or returned, whether or not their payment is refunded.';

create function private.enter_promotion() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sales (
    tenant_id, kind, booked_at, placed_at, marketplace_id, currency, supplier_id, category_id, product_id, amount
  )
  select
    c.tenant_id, 'promotion', now(), now(), m.id, m.currency, c.supplier_id, c.category_id, c.product_id,
    charged.amount
  from (
    select n.tenant_id, n.campaign_id, sum(n.amount) as amount from new_charges n group by n.tenant_id, n.campaign_id
  ) as charged
  join public.campaigns c on c.tenant_id = charged.tenant_id and c.id = charged.campaign_id
  join public.marketplaces m on m.tenant_id = c.tenant_id and m.id = c.marketplace_id
  where charged.amount <> 0;
  return null;
end
$$;
comment on function private.enter_promotion() is 'Statement trigger: enters charges for promotion and their refunds.';

-- A view, so that Postgres inlines it into the query that reads it.
create view private.sale_figures as
select
  s.*,
  case when s.kind = 'placed' then s.quantity else 0 end as items,
  case when s.kind in ('cancelled', 'returned') then -s.quantity else 0 end as lost_items,
  case when s.kind = 'placed' then s.amount else 0 end as placed,
  case when s.kind = 'cancelled' then -s.amount else 0 end as cancelled,
  case when s.kind = 'returned' then -s.amount else 0 end as returned,
  case when s.kind = 'delivery' then s.amount else 0 end as delivery,
  case when s.kind = 'received' then s.amount else 0 end as received,
  case when s.kind = 'refunded' then -s.amount else 0 end as refunded,
  case when s.kind = 'commission' then s.amount else 0 end as commission,
  case when s.kind = 'promotion' then s.amount else 0 end as promotion
from private.sales s;
comment on view private.sale_figures is
  'The book with what each line adds to each figure. items: pieces placed; lost_items: pieces cancelled or returned; cancelled, returned and refunded count up.';

-- triggers -------------------------------------------------------------------------------------

create trigger order_items_enter
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.enter_items();

create trigger order_items_enter_changes
  after update on public.order_items
  referencing old table as old_items new table as new_items
  for each statement execute function private.enter_changed_items();

create trigger order_parts_enter_delivery
  after insert on public.order_parts
  for each row when (new.delivery_amount <> 0)
  execute function private.enter_delivery();

create trigger order_parts_enter_unowed_delivery
  after update of delivery_owed on public.order_parts
  for each row when (old.delivery_owed and not new.delivery_owed and new.delivery_amount <> 0)
  execute function private.enter_unowed_delivery();

create trigger orders_earn_commissions
  after update of payment_status on public.orders
  -- A refund leaves the commission as it is, so a failed refund changes nothing.
  for each row when (private.was_paid(new.payment_status) <> private.was_paid(old.payment_status))
  execute function private.earn_commissions();

create trigger order_commissions_adjust
  after update of commission_amount on public.order_commissions
  for each row when (new.commission_amount <> old.commission_amount)
  execute function private.adjust_commissions();

create trigger payments_enter
  after insert on public.payments
  for each row when (new.status <> 'failed')
  execute function private.enter_payment();

create trigger placement_charges_enter
  after insert on public.placement_charges
  referencing new table as new_charges
  for each statement execute function private.enter_promotion();

-- policies -------------------------------------------------------------------------------------

alter table private.sales enable row level security;

-- supabase/schemas/analytics/1020_sales_rollups.sql

-- Rollups: sums of the book of sales by the tenant's days, so that a report over a year reads days and not orders.
-- Every new line is queued. A job moves lines from the queue into the sums, in one transaction. A report adds the lines
-- that are still queued, so it is exact however late the job is.

-- types ----------------------------------------------------------------------------------------

create type private.sales_basis as enum ('booked', 'placed');
comment on type private.sales_basis is 'The day that a line counts for: the day on which it happened (booked) or the day of its order (placed).';

create type private.sales_grain as enum ('marketplace', 'supplier', 'category', 'supplier_category', 'product');
comment on type private.sales_grain is
  'What the sums of a day are grouped by. Orders are counted once in each grain, and cannot be added up from a finer one.';

-- tables ---------------------------------------------------------------------------------------

create table private.unrolled_sales (
  tenant_id uuid not null,
  sale_id bigint not null,
  constraint unrolled_sales_pkey primary key (tenant_id, sale_id),
  constraint unrolled_sales_sale_id_fkey foreign key (tenant_id, sale_id)
    references private.sales (tenant_id, id) on delete cascade
);
comment on table private.unrolled_sales is 'The queue: lines of the book that are in no rollup yet.';

create table private.sales_days (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  basis private.sales_basis not null,
  grain private.sales_grain not null,
  day date not null,
  marketplace_id uuid not null,
  currency text not null,
  supplier_id uuid,
  category_id uuid,
  product_id uuid,
  orders bigint not null,
  items bigint not null,
  lost_items bigint not null,
  placed numeric not null,
  cancelled numeric not null,
  returned numeric not null,
  delivery numeric not null,
  received numeric not null,
  refunded numeric not null,
  commission numeric not null,
  promotion numeric not null,
  pieces integer generated always as (items - lost_items) stored,
  revenue numeric generated always as (placed - cancelled - returned) stored,
  constraint sales_days_key unique nulls not distinct
    (tenant_id, basis, grain, day, marketplace_id, currency, supplier_id, category_id, product_id)
)
-- Today's rows are updated every minute: free space lets them stay on their pages.
with (fillfactor = 80);
comment on table private.sales_days is
  'The figures of each day in the tenant''s time zone, by basis and grain. Columns that the grain does not group by are null. orders: placed orders that have an item of the row. pieces, revenue: generated, because adding them up costs less than their parts.';
-- The whole row identifies it for replication, because its key has columns that may be null.
alter table private.sales_days replica identity full;

create table private.customer_days (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  grain private.sales_grain not null,
  day date not null,
  customer_id uuid not null,
  marketplace_id uuid not null,
  currency text not null,
  supplier_id uuid,
  orders integer not null,
  revenue numeric not null,
  constraint customer_days_key unique nulls not distinct
    (tenant_id, grain, day, customer_id, marketplace_id, currency, supplier_id) include (orders, revenue),
  constraint customer_days_grain_is_marketplace_or_supplier check (grain in ('marketplace', 'supplier'))
)
with (fillfactor = 80);
comment on table private.customer_days is
  'The orders and booked revenue of each customer and day. Customers are counted from these rows, never added up.';
-- The whole row identifies it for replication, because supplier_id may be null.
alter table private.customer_days replica identity full;

create table private.ordering_customers (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  grain private.sales_grain not null,
  customer_id uuid not null,
  marketplace_id uuid not null,
  supplier_id uuid,
  first_ordered_at timestamptz not null,
  last_ordered_at timestamptz not null,
  orders bigint not null,
  constraint ordering_customers_key unique nulls not distinct
    (tenant_id, grain, customer_id, marketplace_id, supplier_id),
  constraint ordering_customers_grain_is_marketplace_or_supplier check (grain in ('marketplace', 'supplier'))
);
comment on table private.ordering_customers is
  'The first order, last order and number of orders of every customer, by marketplace and by supplier.';
-- The whole row identifies it for replication, because supplier_id may be null.
alter table private.ordering_customers replica identity full;

create table private.sales_redraws (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  is_cleared boolean not null default false,
  drawn_to timestamptz not null default '-infinity',
  drawn_id bigint not null default 0,
  constraint sales_redraws_pkey primary key (tenant_id)
);
comment on table private.sales_redraws is
  'Tenants whose rollups are made again after a change of time_zone. First the old rows are deleted, then all lines that are not queued are added; drawn_to and drawn_id are the last added line. Reports read the book meanwhile.';

-- indexes --------------------------------------------------------------------------------------

create index sales_days_product_idx on private.sales_days (tenant_id, product_id, basis, day) where grain = 'product';
-- Has all columns that a ranking of products reads.
create index sales_days_ranking_idx on private.sales_days (tenant_id, basis, day, currency, product_id)
  include (revenue, pieces, items) where grain = 'product';
create index customer_days_customer_idx on private.customer_days (tenant_id, customer_id, day) where grain = 'marketplace';
create index ordering_customers_first_ordered_at_idx on private.ordering_customers (tenant_id, grain, first_ordered_at);

-- functions ------------------------------------------------------------------------------------

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.grain_has_kind(grain private.sales_grain, kind private.sale_kind) returns boolean
language sql immutable
return case
  when kind in ('placed', 'cancelled', 'returned', 'promotion') or grain = 'marketplace' then true
  else grain = 'supplier' and kind in ('delivery', 'commission')
end;
comment on function private.grain_has_kind is
  'Whether a grain has lines of this kind: payments belong to whole orders, delivery and commission to a supplier''s whole part.';

-- functions: rolling up ------------------------------------------------------------------------

create function private.queue_sales() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.unrolled_sales (tenant_id, sale_id)
  select n.tenant_id, n.id from new_sales n;
  -- Live lines are booked now. Lines of imported orders may change a day that is over.
  if exists (select from new_sales n where n.booked_at < now()) then
    perform private.restate(past.tenant_id, past.day)
    from (
      select distinct n.tenant_id, (n.booked_at at time zone private.time_zone_of(n.tenant_id))::date as day
      from new_sales n
      where n.booked_at < now()
      order by 1, 2
    ) as past;
  end if;
  return null;
end
$$;
comment on function private.queue_sales() is 'Statement trigger: queues new lines of the book.';

create function private.add_up_days(tenant_id uuid, time_zone text, sale_ids bigint[]) returns void
language sql security definer set search_path = ''
as $$
  insert into private.sales_days as d (
    tenant_id, basis, grain, day, marketplace_id, currency, supplier_id, category_id, product_id, orders, items,
    lost_items, placed, cancelled, returned, delivery, received, refunded, commission, promotion
  )
  select
    add_up_days.tenant_id, b.basis, g.grain,
    (case b.basis when 'booked' then s.booked_at else s.placed_at end at time zone time_zone)::date,
    s.marketplace_id, s.currency,
    case when g.grain in ('supplier', 'supplier_category', 'product') then s.supplier_id end,
    case when g.grain in ('category', 'supplier_category', 'product') then s.category_id end,
    case when g.grain = 'product' then s.product_id end,
    count(*) filter (where case g.grain
      when 'marketplace' then s.first_of_order
      when 'supplier' then s.first_of_supplier
      when 'category' then s.first_of_category
      when 'supplier_category' then s.first_of_supplier_category
      when 'product' then s.first_of_product
    end),
    sum(s.items), sum(s.lost_items), sum(s.placed), sum(s.cancelled), sum(s.returned), sum(s.delivery), sum(s.received),
    sum(s.refunded), sum(s.commission), sum(s.promotion)
  from private.sale_figures s
  cross join unnest(enum_range(null::private.sales_basis)) as b (basis)
  join unnest(enum_range(null::private.sales_grain)) as g (grain) on private.grain_has_kind(g.grain, s.kind)
  where s.tenant_id = add_up_days.tenant_id and s.id = any (sale_ids)
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  on conflict on constraint sales_days_key do update
  set orders = d.orders + excluded.orders,
      items = d.items + excluded.items,
      lost_items = d.lost_items + excluded.lost_items,
      placed = d.placed + excluded.placed,
      cancelled = d.cancelled + excluded.cancelled,
      returned = d.returned + excluded.returned,
      delivery = d.delivery + excluded.delivery,
      received = d.received + excluded.received,
      refunded = d.refunded + excluded.refunded,
      commission = d.commission + excluded.commission,
      promotion = d.promotion + excluded.promotion
$$;
comment on function private.add_up_days is 'Adds lines of the book to the figures of their days.';

create function private.add_up_customers(tenant_id uuid, time_zone text, sale_ids bigint[]) returns void
language sql security definer set search_path = ''
as $$
  insert into private.customer_days as d (
    tenant_id, grain, day, customer_id, marketplace_id, currency, supplier_id, orders, revenue
  )
  select
    add_up_customers.tenant_id, g.grain, (s.booked_at at time zone time_zone)::date, s.customer_id, s.marketplace_id,
    s.currency, case g.grain when 'supplier' then s.supplier_id end,
    count(*) filter (where case g.grain when 'supplier' then s.first_of_supplier else s.first_of_order end), sum(s.amount)
  from private.sales s
  cross join unnest('{marketplace,supplier}'::private.sales_grain[]) as g (grain)
  where s.tenant_id = add_up_customers.tenant_id and s.id = any (sale_ids) and s.kind in ('placed', 'cancelled', 'returned')
  group by 1, 2, 3, 4, 5, 6, 7
  on conflict on constraint customer_days_key do update
  set orders = d.orders + excluded.orders, revenue = d.revenue + excluded.revenue;

  insert into private.ordering_customers as c (
    tenant_id, grain, customer_id, marketplace_id, supplier_id, first_ordered_at, last_ordered_at, orders
  )
  select
    add_up_customers.tenant_id, g.grain, s.customer_id, s.marketplace_id, case g.grain when 'supplier' then s.supplier_id end,
    min(s.placed_at), max(s.placed_at), count(*)
  from private.sales s
  join unnest('{marketplace,supplier}'::private.sales_grain[]) as g (grain)
    on case g.grain when 'supplier' then s.first_of_supplier else s.first_of_order end
  where s.tenant_id = add_up_customers.tenant_id and s.id = any (sale_ids)
  group by 1, 2, 3, 4, 5
  on conflict on constraint ordering_customers_key do update
  set first_ordered_at = least(c.first_ordered_at, excluded.first_ordered_at),
      last_ordered_at = greatest(c.last_ordered_at, excluded.last_ordered_at),
      orders = c.orders + excluded.orders
$$;
comment on function private.add_up_customers is 'Adds lines of the book to the days of their customers.';

-- triggers -------------------------------------------------------------------------------------

create trigger sales_queue
  after insert on private.sales
  referencing new table as new_sales
  for each statement execute function private.queue_sales();

-- policies -------------------------------------------------------------------------------------

alter table private.unrolled_sales enable row level security;
alter table private.sales_days enable row level security;
alter table private.customer_days enable row level security;
alter table private.ordering_customers enable row level security;
alter table private.sales_redraws enable row level security;

-- supabase/schemas/analytics/1022_customer_gaps.sql

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

-- supabase/schemas/analytics/1024_sales_roll_up.sql

-- The job that moves lines of the book from the queue into the rollups, and makes the rollups again for a new time zone.

-- functions ------------------------------------------------------------------------------------

create function private.roll_up_sales(tenant_id uuid, most integer) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := roll_up_sales.tenant_id;
  time_zone text;
  taken bigint[];
begin
  -- One session at a time rolls up for a tenant. Orders do not need this lock.
  if not private.try_hold('sales_rollup', tenant::text) then
    return 0;
  elsif exists (select from private.sales_redraws r where r.tenant_id = tenant) then
    return private.redraw_sales(tenant, most);
  end if;
  time_zone := private.time_zone_of(tenant);
  with gone as (
    delete from private.unrolled_sales u
    where u.ctid = any (array(
      select w.ctid from private.unrolled_sales w where w.tenant_id = tenant order by w.sale_id limit most
    ))
    returning u.sale_id
  )
  select array_agg(g.sale_id) into taken from gone g;
  perform private.add_up_days(tenant, time_zone, taken);
  perform private.add_up_gaps(tenant, time_zone, taken);
  perform private.add_up_customers(tenant, time_zone, taken);
  return coalesce(cardinality(taken), 0);
end
$$;
comment on function private.roll_up_sales is
  'Adds a tenant''s oldest queued lines to its rollups, at most this many. Returns how many; 0 while another session does it.';

create function private.redraw_sales(tenant_id uuid, most integer) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := redraw_sales.tenant_id;
  redraw private.sales_redraws;
  time_zone text := private.time_zone_of(tenant);
  next record;
  removed integer := 0;
  emptied text;
begin
  select * into redraw from private.sales_redraws r where r.tenant_id = tenant for update;
  if not redraw.is_cleared then
    foreach emptied in array array['sales_days', 'customer_gaps', 'customer_days', 'ordering_customers'] loop
      execute format(
        'delete from private.%1$I d where d.ctid = any (array(select o.ctid from private.%1$I o where o.tenant_id = $1 limit $2))',
        emptied
      ) using tenant, most;
      get diagnostics removed = row_count;
      exit when removed > 0;
    end loop;
    update private.sales_redraws r set is_cleared = (removed = 0) where r.tenant_id = tenant;
    return greatest(removed, 1);
  end if;

  -- Queued lines are added later, from the queue. Lines of open transactions will be queued.
  select
    array_agg(s.id) filter (where u.sale_id is null) as ids, max(s.booked_at) as drawn_to, count(*)::integer as lines,
    (array_agg(s.id order by s.booked_at desc, s.id desc))[1] as drawn_id
  into next
  from (
    select b.id, b.booked_at
    from private.sales b
    where b.tenant_id = tenant and (b.booked_at, b.id) > (redraw.drawn_to, redraw.drawn_id)
    order by b.booked_at, b.id
    limit most
  ) as s
  left join private.unrolled_sales u on u.tenant_id = tenant and u.sale_id = s.id;
  perform private.add_up_days(tenant, time_zone, next.ids);
  perform private.add_up_gaps(tenant, time_zone, next.ids);
  perform private.add_up_customers(tenant, time_zone, next.ids);
  if next.lines < most then
    delete from private.sales_redraws r where r.tenant_id = tenant;
  else
    update private.sales_redraws r set drawn_to = next.drawn_to, drawn_id = next.drawn_id where r.tenant_id = tenant;
  end if;
  return greatest(next.lines, 1);
end
$$;
comment on function private.redraw_sales is
  'Continues to make a tenant''s rollups again from the book, by at most this many rows. Returns how many, and at least 1.';

create function private.tenants_to_roll_up(most integer) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  with recursive waiting (tenant_id) as (
    (select u.tenant_id from private.unrolled_sales u order by u.tenant_id limit 1)
    union all
    select (select u.tenant_id from private.unrolled_sales u where u.tenant_id > w.tenant_id order by u.tenant_id limit 1)
    from waiting w
    where w.tenant_id is not null
  )
  -- In random order, so that every tenant is served, however much the others have.
  select array(
    select found.tenant_id
    from (
      select w.tenant_id from waiting w where w.tenant_id is not null
      union
      select r.tenant_id from private.sales_redraws r
    ) as found
    order by random()
    limit most
  )
$$;
comment on function private.tenants_to_roll_up is 'Some tenants that have queued lines, or whose rollups are made again.';

create function public.roll_up_sales(batch integer default 5000, rounds integer default 0) returns integer
language plpgsql set search_path = ''
as $$
declare
  tenants uuid[] := private.tenants_to_roll_up(20);
  rolled integer := 0;
begin
  for i in 1 .. cardinality(tenants) loop
    rolled := rolled + private.roll_up_sales(tenants[i], greatest(batch / cardinality(tenants), 1));
  end loop;
  -- Each transaction adds a limited number, so that a failure loses little work.
  if rounds > 0 and rolled > 0 and private.tenants_to_roll_up(1) <> '{}' then
    perform private.perform_later('roll_up_sales', jsonb_build_object('batch', batch, 'rounds', rounds - 1));
  end if;
  return rolled;
end
$$;
comment on function public.roll_up_sales is
  'For a job: adds queued lines of the book of sales to the rollups, at most batch, shared among up to 20 tenants. If more are queued, up to rounds further calls follow, each in its own transaction. Returns how many lines this call added.';

create function private.redraw_days() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- A session that rolls up now uses the old days; this waits for its end.
  perform private.hold('sales_rollup', new.id::text);
  insert into private.sales_redraws as r (tenant_id)
  select new.id where exists (select from private.sales s where s.tenant_id = new.id)
  on conflict (tenant_id) do update
  set is_cleared = false, drawn_to = '-infinity', drawn_id = 0;
  perform private.restate(new.id, '-infinity');
  return null;
end
$$;
comment on function private.redraw_days() is 'Row trigger: has the rollups made again for a new time zone.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_redraw_days
  after update of time_zone on public.tenants
  for each row when (new.time_zone <> old.time_zone)
  execute function private.redraw_days();

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.roll_up_sales(uuid, integer), private.tenants_to_roll_up
to service_role;
grant execute on function public.roll_up_sales(integer, integer) to service_role;

-- supabase/schemas/analytics/1025_sales_comparison.sql

-- Every night a job compares the book of sales with the orders, and the rollups with the book. A difference should never
-- occur; if one does, the tenant gets an event.

-- types ----------------------------------------------------------------------------------------

create type private.sales_difference as (
  marketplace_id uuid, currency text, rule text, day date, expected numeric, found numeric
);
comment on type private.sales_difference is
  'Two sums of a marketplace that should be equal and are not. rule: which sums; day: null for all days; expected: by the orders or the book.';

-- functions ------------------------------------------------------------------------------------

create function private.sold_by_orders(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with ordered as (
    select o.id, o.marketplace_id, o.currency, o.status, o.payment_status
    from public.orders o
    where o.tenant_id = sold_by_orders.tenant_id
  ),
  figure as (
    select o.marketplace_id, o.currency, f.rule, f.amount
    from ordered o
    join public.order_items i on i.tenant_id = sold_by_orders.tenant_id and i.order_id = o.id
    cross join lateral (
      values
        ('items', i.quantity), ('placed', i.amount), ('cancelled', i.cancelled_quantity * i.price),
        ('returned', (i.returned_quantity + i.lost_quantity) * i.price)
    ) as f (rule, amount)
    union all
    select o.marketplace_id, o.currency, 'delivery', p.delivery_amount
    from ordered o
    join public.order_parts p on p.tenant_id = sold_by_orders.tenant_id and p.order_id = o.id
    where p.delivery_owed
    union all
    select
      o.marketplace_id, o.currency, f.rule,
      case f.rule when 'received' then 1 else -1 end * private.balance_change(p.status, p.amount)
    from ordered o
    join public.payments p on p.tenant_id = sold_by_orders.tenant_id and p.order_id = o.id
    cross join lateral (
      select case when p.status in ('paid', 'payment_reversed') then 'received' else 'refunded' end as rule
    ) as f
    where p.status <> 'failed'
    union all
    select o.marketplace_id, o.currency, 'commission', c.commission_amount
    from ordered o
    join public.order_commissions c on c.tenant_id = sold_by_orders.tenant_id and c.order_id = o.id
    where private.was_paid(o.payment_status)
    union all
    select o.marketplace_id, o.currency, 'orders', 1
    from ordered o
    where exists (select from public.order_items i where i.tenant_id = sold_by_orders.tenant_id and i.order_id = o.id)
  )
  select f.marketplace_id, f.currency, f.rule, null::date, sum(f.amount), null::numeric
  from figure f
  group by f.marketplace_id, f.currency, f.rule
$$;
comment on function private.sold_by_orders is
  'The sums of a tenant''s orders, payments and commissions, by marketplace.';

create function private.differences_from_orders(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with booked as (
    select s.marketplace_id, s.currency, figure.rule, sum(figure.amount) as amount
    from private.sale_figures s
    cross join lateral (
      values
        ('orders', s.first_of_order::integer), ('items', s.items), ('placed', s.placed), ('cancelled', s.cancelled),
        ('returned', s.returned), ('delivery', s.delivery), ('received', s.received), ('refunded', s.refunded),
        ('commission', s.commission)
    ) as figure (rule, amount)
    where s.tenant_id = differences_from_orders.tenant_id
    group by s.marketplace_id, s.currency, figure.rule
  )
  select marketplace_id, currency, rule, null::date, sold.expected, booked.amount
  from private.sold_by_orders(differences_from_orders.tenant_id) as sold
  full join booked using (marketplace_id, currency, rule)
  where coalesce(sold.expected, 0) <> coalesce(booked.amount, 0)
$$;
comment on function private.differences_from_orders is 'Where the book of a tenant''s sales differs from its orders.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.rolled_lines(tenant_id uuid) returns setof private.sale_figures
language sql stable
begin atomic
  select s.*
  from private.sale_figures s
  where s.tenant_id = rolled_lines.tenant_id
    and not exists (select from private.unrolled_sales u where u.tenant_id = s.tenant_id and u.sale_id = s.id)
    -- While the rollups are made again, no report reads them.
    and not exists (select from private.sales_redraws r where r.tenant_id = rolled_lines.tenant_id);
end;
comment on function private.rolled_lines is 'The lines of the book that are in a tenant''s rollups; none while these are made again.';

create function private.differences_from_book(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with line as (
    select
      b.basis, (case b.basis when 'booked' then r.booked_at else r.placed_at end at time zone t.time_zone)::date as day,
      r.marketplace_id, r.currency, r.kind, count(*) filter (where r.first_of_order) as orders, sum(r.items) as items,
      sum(r.lost_items) as lost_items, sum(r.amount) as amount
    from private.rolled_lines(differences_from_book.tenant_id) r
    join public.tenants t on t.id = differences_from_book.tenant_id
    cross join unnest(enum_range(null::private.sales_basis)) as b (basis)
    group by 1, 2, 3, 4, 5
  ),
  book as (
    select l.basis, g.grain, l.day, l.marketplace_id, l.currency, figure.rule, sum(figure.amount) as amount
    from line l
    join unnest(enum_range(null::private.sales_grain)) as g (grain) on private.grain_has_kind(g.grain, l.kind)
    cross join lateral (
      values
        (l.kind::text, case when l.kind in ('cancelled', 'returned', 'refunded') then -l.amount else l.amount end),
        ('items', l.items), ('lost items', l.lost_items),
        ('orders', case when g.grain = 'marketplace' then l.orders end)
    ) as figure (rule, amount)
    group by l.basis, g.grain, l.day, l.marketplace_id, l.currency, figure.rule
  ),
  days as (
    select d.basis, d.grain, d.day, d.marketplace_id, d.currency, figure.rule, sum(figure.amount) as amount
    from private.sales_days d
    cross join lateral (
      values
        ('orders', case when d.grain = 'marketplace' then d.orders end), ('items', d.items), ('lost items', d.lost_items),
        ('placed', d.placed), ('cancelled', d.cancelled), ('returned', d.returned), ('delivery', d.delivery),
        ('received', d.received), ('refunded', d.refunded), ('commission', d.commission), ('promotion', d.promotion)
    ) as figure (rule, amount)
    where d.tenant_id = differences_from_book.tenant_id
      and not exists (select from private.sales_redraws r where r.tenant_id = d.tenant_id)
    group by d.basis, d.grain, d.day, d.marketplace_id, d.currency, figure.rule
  )
  select
    marketplace_id, currency, format('%s by %s, %s', rule, replace(grain::text, '_', ' and '), basis), day, book.amount,
    days.amount
  from book
  full join days using (basis, grain, day, marketplace_id, currency, rule)
  where coalesce(book.amount, 0) <> coalesce(days.amount, 0)
$$;
comment on function private.differences_from_book is 'Where a tenant''s sales days differ from their lines of the book.';

create function private.differences_of_customers(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with book as (
    select
      g.grain, (r.booked_at at time zone t.time_zone)::date as day, r.marketplace_id, r.currency, sum(r.amount) as revenue,
      count(*) filter (where case g.grain when 'supplier' then r.first_of_supplier else r.first_of_order end) as orders
    from private.rolled_lines(differences_of_customers.tenant_id) r
    join public.tenants t on t.id = differences_of_customers.tenant_id
    cross join unnest('{marketplace,supplier}'::private.sales_grain[]) as g (grain)
    where r.kind in ('placed', 'cancelled', 'returned')
    group by 1, 2, 3, 4
  ),
  days as (
    select d.grain, d.day, d.marketplace_id, d.currency, sum(d.revenue) as revenue, sum(d.orders) as orders
    from private.customer_days d
    where d.tenant_id = differences_of_customers.tenant_id
      and not exists (select from private.sales_redraws r where r.tenant_id = d.tenant_id)
    group by 1, 2, 3, 4
  )
  select marketplace_id, currency, figure.rule || ' of customers by ' || grain, day, figure.expected, figure.found
  from book
  full join days using (grain, day, marketplace_id, currency)
  cross join lateral (
    values ('revenue', book.revenue, days.revenue), ('orders', book.orders, days.orders)
  ) as figure (rule, expected, found)
  where coalesce(figure.expected, 0) <> coalesce(figure.found, 0)
$$;
comment on function private.differences_of_customers is
  'Where a tenant''s customer days differ from their lines of the book.';

create function private.differences_of_gaps(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with order_days as (
    select distinct p.marketplace_id, d.customer_id, d.day
    from private.customer_days d
    cross join lateral (values (d.marketplace_id), (null)) as p (marketplace_id)
    where d.tenant_id = differences_of_gaps.tenant_id and d.grain = 'marketplace' and d.orders > 0
  ),
  days as (
    select t.marketplace_id, t.day, count(*) as customers, count(t.previous_day) as returning, sum(t.day - t.previous_day) as gaps
    from (
      select t.*, lag(t.day) over (partition by t.marketplace_id, t.customer_id order by t.day) as previous_day
      from order_days t
    ) as t
    group by 1, 2
  ),
  kept as (
    select
      g.marketplace_id, g.day, sum(g.customers) as customers,
      coalesce(sum(g.customers) filter (where isfinite(g.previous_day)), 0) as returning,
      sum(g.customers * (g.day - g.previous_day)) filter (where isfinite(g.previous_day)) as gaps
    from private.customer_gaps g
    where g.tenant_id = differences_of_gaps.tenant_id
    group by 1, 2
  )
  select
    coalesce(d.marketplace_id, k.marketplace_id, (
      select m.id from public.marketplaces m
      where m.tenant_id = differences_of_gaps.tenant_id
      order by m.created_at, m.id
      limit 1
    )),
    null,
    f.rule || case when coalesce(d.marketplace_id, k.marketplace_id) is null then ', all marketplaces' else '' end,
    coalesce(d.day, k.day), f.expected, f.found
  from days d
  full join kept k on k.day = d.day and k.marketplace_id is not distinct from d.marketplace_id
  cross join lateral (
    values
      ('customers', d.customers, k.customers), ('returning customers', d.returning, k.returning),
      ('gaps of customers', d.gaps, k.gaps)
  ) as f (rule, expected, found)
  where coalesce(f.expected, 0) <> coalesce(f.found, 0)
    -- While the rollups are made again, no report reads them.
    and not exists (select from private.sales_redraws r where r.tenant_id = differences_of_gaps.tenant_id)
$$;
comment on function private.differences_of_gaps is
  'Where the rollup of a tenant''s customers differs from their days. Differences of all marketplaces together are reported for the oldest marketplace.';

create function private.tell_differences(tenant_id uuid, differences private.sales_difference[]) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  events integer := 0;
  site record;
begin
  for site in
    select d.marketplace_id, jsonb_agg(to_jsonb(d) - '{marketplace_id,position}'::text[] order by d.rule, d.day) as differences
    from (
      select f.*, row_number() over (partition by f.marketplace_id order by f.rule, f.day) as position
      from unnest(differences) as f
    ) as d
    where d.position <= 100
    group by d.marketplace_id
  loop
    perform private.emit(
      tell_differences.tenant_id, 'analytics.mismatch',
      jsonb_build_object('mismatch', jsonb_build_object(
        'id', gen_random_uuid(), 'tenant_id', tell_differences.tenant_id, 'marketplace_id', site.marketplace_id,
        'differences', site.differences
      )),
      marketplace_id => site.marketplace_id
    );
    events := events + 1;
  end loop;
  return events;
end
$$;
comment on function private.tell_differences is
  'Writes an analytics.mismatch event for each marketplace, with at most 100 differences. Returns how many events.';

create function private.compare_sales(tenant_id uuid) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := compare_sales.tenant_id;
begin
  return private.tell_differences(
    tenant,
    array(
      select d from private.differences_from_orders(tenant) as d
      union all
      select d from private.differences_from_book(tenant) as d
      union all
      select d from private.differences_of_customers(tenant) as d
      union all
      select d from private.differences_of_gaps(tenant) as d
    )
  );
end
$$;
comment on function private.compare_sales is
  'Writes an analytics.mismatch event for each marketplace of a tenant whose book or rollups are wrong. Returns how many events.';

create function private.next_selling_tenant(after uuid) returns uuid
language sql stable security definer set search_path = ''
as $$
  select s.tenant_id
  from private.sales s
  where s.tenant_id > coalesce(after, '00000000-0000-0000-0000-000000000000')
  order by s.tenant_id
  limit 1
$$;
comment on function private.next_selling_tenant is 'The next tenant, by id, that has sold anything.';

create function public.compare_sales(after uuid default null) returns uuid
language plpgsql set search_path = '' set statement_timeout = '300s'
as $$
declare
  tenant uuid := private.next_selling_tenant(after);
begin
  if tenant is null then
    return null;
  end if;
  begin
    perform private.compare_sales(tenant);
  exception
    -- A failure or timeout for one tenant must not stop the comparison of the others.
    when query_canceled or others then
      raise warning 'the sales of tenant % could not be compared: %', tenant, sqlerrm;
  end;
  -- Each tenant has its own transaction.
  perform private.perform_later('compare_sales', jsonb_build_object('after', tenant));
  return tenant;
end
$$;
comment on function public.compare_sales is
  'For a job: compares the next tenant''s book of sales with its orders and its rollups with the book, then continues with the tenant after it. Returns the tenant.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.compare_sales, private.next_selling_tenant to service_role;
grant execute on function public.compare_sales to service_role;

-- supabase/schemas/analytics/1030_storefront_events.sql

-- Visits of a shop: events that shops report, and orders that customers place themselves.
--
-- Each day of arrival, in UTC, is a partition, as in public.events. So a duplicate is looked up in two partitions only,
-- however many events there are.

-- types ----------------------------------------------------------------------------------------

create type private.visitor_stage as enum ('bot', 'visit', 'product_view', 'add_to_cart', 'checkout', 'order');
comment on type private.visitor_stage is
  'How far a visitor came: a later stage implies the earlier ones. bot: a program that declares itself one.';

-- tables ---------------------------------------------------------------------------------------

create table private.storefront_events (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  id uuid not null,
  received_on date not null default (now() at time zone 'utc')::date,
  occurred_at timestamptz not null,
  stage private.visitor_stage not null,
  visitor uuid not null,
  marketplace_id uuid not null,
  product_id uuid,
  supplier_id uuid,
  category_id uuid,
  constraint storefront_events_pkey primary key (tenant_id, id, received_on)
) partition by range (received_on);
comment on table private.storefront_events is
  'What visitors did, kept for 90 days. received_on: the day of arrival, in UTC. visitor: a user id, or a hash of the shop''s visitor name. supplier_id, category_id: the product''s at that time. id: as sent; for an order, the id of its item. Partitioned by day.';

create table private.storefront_events_default partition of private.storefront_events default;
comment on table private.storefront_events_default is 'Events of days that have no partition yet.';

-- functions: partitions ------------------------------------------------------------------------

create function private.storefront_partition(day date) returns text
language sql immutable set search_path = ''
as $$
  select to_char(day::timestamp, '"storefront_events_"YYYYMMDD')
$$;
comment on function private.storefront_partition is 'The name of a day''s partition.';

create function private.make_storefront_partitions() returns void
-- The settings are those of make_event_partitions.
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  today date := (now() at time zone 'utc')::date;
  days date[] := array(
    select d.day
    from (
      select today + ahead from generate_series(0, 7) as ahead
      union
      select e.received_on from private.storefront_events_default e
    ) as d (day)
    where to_regclass('private.' || private.storefront_partition(d.day)) is null
    order by d.day
  );
  day date;
begin
  if days = '{}' then
    return;
  end if;
  -- In the order in which changes lock them.
  lock table only public.tenants, only private.storefront_events in share row exclusive mode;
  foreach day in array days loop
    execute format(
      'create table private.%I (like private.storefront_events including defaults including indexes)',
      private.storefront_partition(day)
    );
    execute format('alter table private.%I enable row level security', private.storefront_partition(day));
    execute format(
      $move$
        with moved as (
          delete from private.storefront_events_default e where e.received_on = $1
          returning
            e.tenant_id, e.id, e.received_on, e.occurred_at, e.stage, e.visitor, e.marketplace_id, e.product_id,
            e.supplier_id, e.category_id
        )
        insert into private.%I (
          tenant_id, id, received_on, occurred_at, stage, visitor, marketplace_id, product_id, supplier_id, category_id
        )
        select
          m.tenant_id, m.id, m.received_on, m.occurred_at, m.stage, m.visitor, m.marketplace_id, m.product_id,
          m.supplier_id, m.category_id
        from moved m
      $move$,
      private.storefront_partition(day)
    )
    using day;
    execute format(
      'alter table private.storefront_events attach partition private.%I for values from (%L) to (%L)',
      private.storefront_partition(day), day, day + 1
    );
  end loop;
end
$$;
comment on function private.make_storefront_partitions() is
  'Makes the partitions of today, the next week, and every day that has events in the default partition, and moves these events.';

create function private.forget_storefront_events() returns void
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  before date := (now() at time zone 'utc')::date - 90;
  partition text;
begin
  delete from private.storefront_events_default e where e.received_on < before;
  for partition in
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'private.storefront_events'::regclass
      and c.relname ~ '^storefront_events_[0-9]{8}$'
      and c.relname < private.storefront_partition(before)
    order by c.relname
  loop
    execute format('drop table private.%I', partition);
  end loop;
end
$$;
comment on function private.forget_storefront_events() is 'Drops the events of days that are more than 90 days ago.';

-- functions: orders ----------------------------------------------------------------------------

create function private.note_ordering_visitor() returns trigger
-- A cached plan may date from a time with few rows. These settings make every plan look rows up by index.
language plpgsql security definer set search_path = ''
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  -- Orders of admins and clients and imported orders have no visitor.
  if private.tenant_role() is distinct from 'customer' then
    return null;
  end if;
  insert into private.storefront_events (
    tenant_id, id, occurred_at, stage, visitor, marketplace_id, product_id, supplier_id, category_id
  )
  select
    i.tenant_id, i.id, o.created_at, 'order',
    -- A guest's earlier events may be those of a visitor.
    case when private.is_guest() then coalesce(private.sent_visitor_id(), c.user_id) else c.user_id end,
    o.marketplace_id, i.product_id, i.supplier_id, p.category_id
  from new_items i
  join public.orders o on o.id = i.order_id
  join public.customers c on c.id = o.customer_id
  join public.products p on p.id = i.product_id
  where c.user_id = auth.uid()
  order by i.id
  on conflict do nothing;
  return null;
end
$$;
comment on function private.note_ordering_visitor() is
  'Statement trigger: records that a customer who orders for itself is a visitor at the stage order.';

-- triggers -------------------------------------------------------------------------------------

create trigger order_items_note_visitor
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.note_ordering_visitor();

-- policies -------------------------------------------------------------------------------------

alter table private.storefront_events enable row level security;
alter table private.storefront_events_default enable row level security;

-- supabase/schemas/analytics/1032_storefront_reports.sql

-- Reports of storefront events in batches. Each event has its own result; an invalid event does not stop the others.

-- types ----------------------------------------------------------------------------------------

create type private.sent_storefront_event as (
  place integer, value jsonb, event jsonb, type text, id uuid, marketplace_id uuid, product_id uuid, visitor_id text,
  visitor uuid, user_agent text, occurred_at timestamptz
);
comment on type private.sent_storefront_event is
  'An event of a batch as it was sent (value), and its fields: null where they are invalid. event: the value if it is an object, else an empty object. user_agent: in lower case.';

create type private.storefront_event as (
  place integer,
  -- The id that was sent, or a new one.
  id uuid,
  has_id boolean,
  stage private.visitor_stage,
  visitor uuid,
  marketplace_id uuid,
  product_id uuid,
  supplier_id uuid,
  category_id uuid,
  occurred_at timestamptz,
  reason text,
  fault jsonb
);
comment on type private.storefront_event is
  'An event of a batch after validation. reason: why it is not counted; fault: why it is invalid.';

-- tables ---------------------------------------------------------------------------------------

create unlogged table private.visitor_event_counts (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  reporter uuid not null,
  day date not null,
  events integer not null,
  constraint visitor_event_counts_pkey primary key (tenant_id, reporter, day)
);
comment on table private.visitor_event_counts is
  'How many events each user, visitor or address reported on a day, in UTC. reporter: a user id, a visitor''s id, or a hash of an address. Lost in a crash, and deleted after two days.';

-- functions: settings --------------------------------------------------------------------------

create function private.check_analytics_settings() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  ignored jsonb := new.settings #> '{analytics,ignore}';
  rule text;
begin
  perform private.insist_on_keys(new.settings -> 'analytics', 'settings.analytics', array['ignore']);
  if ignored is not null then
    perform private.insist_on_keys(ignored, 'settings.analytics.ignore', array['user_agents', 'visitors']);
    for rule in select k from jsonb_object_keys(ignored) as k loop
      perform private.check_list(ignored -> rule, 'settings.analytics.ignore.' || rule, 200);
    end loop;
  end if;
  return new;
end
$$;
comment on function private.check_analytics_settings() is
  'Row trigger: checks settings.analytics.ignore, the visitors that a tenant excludes: {user_agents, visitors}, each a list of at most 100 texts.';

create function private.ignored(tenant_id uuid, what text) returns text[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(
    select lower(rule)
    from public.tenants t
    cross join lateral jsonb_array_elements_text(t.settings #> array['analytics', 'ignore', what]) as rule
    where t.id = ignored.tenant_id
  );
end
$$;
comment on function private.ignored is 'The visitors or user_agents that a tenant excludes from its figures, in lower case.';

-- functions: reading ---------------------------------------------------------------------------

create function private.visitor_named(visitor_id text) returns uuid
language sql immutable
return case when private.is_uuid(visitor_id) then visitor_id::uuid else md5('visitor ' || visitor_id)::uuid end;
comment on function private.visitor_named is
  'The id of a visitor by the name that the shop sent: a user id stays as it is. Postgres inlines it.';

create function private.sent_storefront_events(events jsonb, user_agent text, itself uuid, moment timestamptz)
returns setof private.sent_storefront_event
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with sent as (
    select
      (e.position - 1)::integer as place, e.value,
      case jsonb_typeof(e.value) when 'object' then e.value else '{}' end as event
    from jsonb_array_elements(events) with ordinality as e (value, position)
  )
  select
    s.place, s.value, s.event,
    s.event ->> 'type',
    case when private.is_uuid(s.event ->> 'id') then (s.event ->> 'id')::uuid end,
    case when private.is_uuid(s.event ->> 'marketplace_id') then (s.event ->> 'marketplace_id')::uuid end,
    case when private.is_uuid(s.event ->> 'product_id') then (s.event ->> 'product_id')::uuid end,
    who.visitor_id, private.visitor_named(who.visitor_id),
    lower(coalesce(s.event ->> 'user_agent', sent_storefront_events.user_agent)),
    case
      when s.event ->> 'occurred_at' is null then moment
      when jsonb_typeof(s.event -> 'occurred_at') = 'string' then private.time_of(s.event ->> 'occurred_at')
    end
  from sent s
  cross join lateral (
    select case
      -- A customer or supplier reports itself, whatever it sends.
      when itself is not null then itself::text
      when jsonb_typeof(s.event -> 'visitor_id') = 'string' then s.event ->> 'visitor_id'
    end as visitor_id
  ) as who;
end
$$;
comment on function private.sent_storefront_events is
  'The events of a batch with their fields, valid or not. itself: the user, if the caller reports only itself.';

create function private.fault_of_storefront_event(
  sent private.sent_storefront_event, unknown_fields jsonb, is_marketplace boolean, is_product boolean, moment timestamptz
) returns text[]
language sql stable
return case
  when jsonb_typeof(sent.value) <> 'object' then array['VALIDATION_ERROR', '', 'An event must be an object.']
  when coalesce(sent.type not in ('visit', 'product_view', 'add_to_cart', 'checkout'), true)
    then array['VALIDATION_ERROR', 'type', 'type must be visit, product_view, add_to_cart or checkout.']
  when unknown_fields <> '{}' then array[
    'VALIDATION_ERROR', jsonb_path_query_first(unknown_fields, '$.keyvalue().key') #>> '{}',
    (jsonb_path_query_first(unknown_fields, '$.keyvalue().key') #>> '{}') || ' is not known here.'
  ]
  when sent.event ->> 'id' is not null and sent.id is null then array['VALIDATION_ERROR', 'id', 'id must be a UUID.']
  when sent.event ->> 'marketplace_id' is not null and not is_marketplace
    then array['NOT_FOUND', 'marketplace_id', 'There is no such marketplace.']
  when sent.event ->> 'product_id' is not null and not is_product
    then array['NOT_FOUND', 'product_id', 'There is no such product, or not in this marketplace.']
  when sent.type in ('product_view', 'add_to_cart') and sent.product_id is null
    then array['VALIDATION_ERROR', 'product_id', 'product_id is required for this type.']
  when not is_marketplace
    then array['VALIDATION_ERROR', 'marketplace_id', 'marketplace_id is required: the tenant has several marketplaces.']
  when coalesce(char_length(sent.visitor_id) not between 1 and 200, true)
    then array['VALIDATION_ERROR', 'visitor_id', 'visitor_id must have 1 to 200 characters.']
  when jsonb_typeof(sent.event -> 'user_agent') not in ('string', 'null')
    then array['VALIDATION_ERROR', 'user_agent', 'user_agent must be a text.']
  when sent.occurred_at is null
    then array['VALIDATION_ERROR', 'occurred_at', 'occurred_at must be a time such as 2026-11-21T12:00:00Z.']
  when sent.occurred_at < moment - interval '24 hours'
    then array['VALIDATION_ERROR', 'occurred_at', 'occurred_at must be within the last 24 hours.']
  when sent.occurred_at > moment + interval '5 minutes'
    then array['VALIDATION_ERROR', 'occurred_at', 'occurred_at must not be in the future.']
end;
comment on function private.fault_of_storefront_event is
  'Why an event is invalid: code, field and message; null if it is valid. Postgres inlines it.';

create function private.read_storefront_events(events jsonb, user_agent text, bots integer[], moment timestamptz)
returns setof private.storefront_event
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  itself uuid := case when not private.reads_all() then private.viewer_id() end;
  only_site uuid := private.sole_marketplace_id();
  -- A visitor reports what it does there, and learns nothing about other marketplaces.
  visited constant uuid := private.marketplace_id();
  left_out_agents text[] := private.ignored(tenant, 'user_agents');
  left_out_visitors text[] := private.ignored(tenant, 'visitors');
begin
  return query
  with sent as materialized (select s.* from private.sent_storefront_events(events, user_agent, itself, moment) as s),
  -- Looked up by id alone: with a condition on the tenant Postgres may read all of the tenant's rows.
  product as materialized (
    select p.id, p.tenant_id, p.marketplace_id, p.supplier_id, p.category_id
    from public.products p
    where p.id = any (array(select distinct t.product_id from sent t))
      and (visited is null or p.marketplace_id = visited)
  ),
  site as materialized (
    select m.id from public.marketplaces m where m.tenant_id = tenant and (visited is null or m.id = visited)
  ),
  member as materialized (
    select m.user_id
    from public.members m
    where m.user_id = any (array(select distinct t.visitor from sent t)) and m.tenant_id = tenant and m.role <> 'customer'
  ),
  judged as (
    select
      t.*, s.id as site_id, p.id as known_product, p.supplier_id, p.category_id, m.user_id is not null as is_member,
      private.fault_of_storefront_event(
        t, t.event - array['id', 'type', 'marketplace_id', 'product_id', 'visitor_id', 'user_agent', 'occurred_at'],
        s.id is not null, p.id is not null, moment
      ) as fault
    from sent t
    left join product p on p.id = t.product_id and p.tenant_id = tenant
      and p.marketplace_id = coalesce(t.marketplace_id, p.marketplace_id)
    left join site s
      on s.id = case when t.event ->> 'marketplace_id' is null then coalesce(p.marketplace_id, only_site) else t.marketplace_id end
    left join member m on m.user_id = t.visitor
  )
  select
    j.place, coalesce(j.id, gen_random_uuid()), j.id is not null,
    case
      when j.fault is not null then null
      when j.place = any (bots) then 'bot'
      else j.type::private.visitor_stage
    end,
    j.visitor, j.site_id, j.known_product, j.supplier_id, j.category_id, least(j.occurred_at, moment),
    case
      when j.fault is not null then null
      when j.is_member then 'member'
      when lower(j.visitor_id) = any (left_out_visitors)
        or exists (select from unnest(left_out_agents) as rule where strpos(j.user_agent, rule) > 0) then 'ignored'
    end,
    case when j.fault is not null then private.event_error(j.fault, j.place, j.value) end
  from judged j
  order by j.place;
end
$$;
comment on function private.read_storefront_events is
  'The events of a batch after validation. bots: the positions of events of declared bots.';

-- functions: writing ---------------------------------------------------------------------------

create function private.admit_visitor_events(tenant_id uuid, reporter uuid, events integer, most bigint) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  counted integer;
begin
  insert into private.visitor_event_counts as c (tenant_id, reporter, day, events)
  values (
    admit_visitor_events.tenant_id, admit_visitor_events.reporter, (now() at time zone 'utc')::date, admit_visitor_events.events
  )
  on conflict on constraint visitor_event_counts_pkey do update set events = least(c.events::bigint + excluded.events, 2000000000)
  returning c.events into counted;
  return least(greatest(most - (counted - admit_visitor_events.events), 0), admit_visitor_events.events);
end
$$;
comment on function private.admit_visitor_events is
  'Counts the events that a user, a visitor or an address reports on a day, and returns how many of them are allowed, with this many at most.';

create function private.has_visitor_events_left(tenant_id uuid, address uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return address is null or not exists (
    select
    from private.visitor_event_counts c
    where c.tenant_id = has_visitor_events_left.tenant_id and c.reporter = has_visitor_events_left.address
      and c.day = (now() at time zone 'utc')::date and c.events >= private.cap('address_events_per_day')
  );
end
$$;
comment on function private.has_visitor_events_left is
  'Whether the visitors of an address may report more events today; null for other callers, who may.';

create function private.note_storefront_events(tenant_id uuid, events private.storefront_event[]) returns integer[]
-- Planned once: 0.18 ms without, 0.11 with, for two events.
language plpgsql security definer
-- A partition is empty when its day begins. Without these settings a plan that scans it would be cached.
set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  today constant date := (now() at time zone 'utc')::date;
  known uuid[] := array(
    select k.id
    from private.storefront_events k
    where k.tenant_id = note_storefront_events.tenant_id
      and k.id = any (array(select e.id from unnest(events) as e where e.has_id))
      and k.received_on between today - 1 and today
  );
  places integer[];
begin
  with fresh as (
    select distinct on (e.id) e.*
    from unnest(events) as e
    where e.id <> all (known)
    order by e.id, e.place
  ),
  -- Another batch may insert the same event now. Around midnight both may be kept; the visitor's stage is the same.
  noted as (
    insert into private.storefront_events (
      tenant_id, id, received_on, occurred_at, stage, visitor, marketplace_id, product_id, supplier_id, category_id
    )
    select
      note_storefront_events.tenant_id, f.id, today, f.occurred_at, f.stage, f.visitor, f.marketplace_id, f.product_id,
      f.supplier_id, f.category_id
    from fresh f
    order by f.id
    on conflict do nothing
    returning id
  )
  select array_agg(f.place) into places
  from fresh f
  join noted n on n.id = f.id;
  return coalesce(places, '{}');
end
$$;
comment on function private.note_storefront_events is
  'Inserts the events that are not there yet, and returns their positions in the batch.';

create function private.storefront_results(events private.storefront_event[], noted integer[]) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_strip_nulls(
          jsonb_build_object(
            'index', e.place,
            'id', case when e.has_id then e.id end,
            'status', case
              when e.fault is not null then 'invalid'
              when e.reason is not null then 'not_counted'
              when n.place is null then 'duplicate'
              when e.stage = 'bot' then 'not_counted'
              else 'accepted'
            end,
            'reason', coalesce(e.reason, case when n.place is not null and e.stage = 'bot' then 'bot' end)
          )
        ) || case when e.fault is null then '{}' else jsonb_build_object('error', e.fault) end
        order by e.place
      ),
      '[]'
    )
    from unnest(events) as e
    left join unnest(noted) as n (place) on n.place = e.place
  );
end
$$;
comment on function private.storefront_results is 'The results of a batch''s events, in order.';

create function private.record_storefront_events(
  events jsonb, user_agent text, bots integer[], moment timestamptz default now()
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  trusted boolean := private.reads_all();
  sent private.storefront_event[];
  counting private.storefront_event[];
  room integer;
  address uuid;
begin
  perform private.insist_on_event_batch(events);

  sent := array(select e from private.read_storefront_events(events, user_agent, bots, moment) as e);
  counting := array(select e from unnest(sent) as e where e.fault is null and e.reason is null order by e.place);
  if not trusted and counting <> '{}' then
    -- Anybody can make any number of visitors' ids. Those of an address that is used up get no rows.
    address := case when private.is_visit() then md5(private.caller_address())::uuid end;
    room := case when private.has_visitor_events_left(tenant, address) then private.admit_visitor_events(
      tenant, private.viewer_id(), cardinality(counting), private.cap('visitor_events_per_day')
    ) else 0 end;
    if address is not null and room > 0 then
      room := least(room, private.admit_visitor_events(tenant, address, room, private.cap('address_events_per_day')));
    end if;
    if room < cardinality(counting) then
      sent := array(
        select row(
          e.place, e.id, e.has_id, e.stage, e.visitor, e.marketplace_id, e.product_id, e.supplier_id, e.category_id,
          e.occurred_at, case when e.place = any (array(select c.place from unnest(counting[room + 1:]) as c)) then 'flood' else e.reason end,
          e.fault
        )::private.storefront_event
        from unnest(sent) as e
      );
      counting := counting[:room];
    end if;
  end if;
  return jsonb_build_object(
    'results', private.storefront_results(sent, private.note_storefront_events(tenant, counting))
  );
end
$$;
comment on function private.record_storefront_events is
  'Records a batch of storefront events and returns a result for each. Refuses the whole batch with FORBIDDEN or VALIDATION_ERROR.';

create function public.record_storefront_events(
  events jsonb, user_agent text default null, bots integer[] default '{}'
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.record_storefront_events(events, left(user_agent, 1000), coalesce(bots, '{}'));
end
$$;
comment on function public.record_storefront_events is
  'Reports up to 1000 events, a list of {id, type: visit | product_view | add_to_cart | checkout, visitor_id, marketplace_id, product_id, occurred_at, user_agent}, and returns {results: [{index, id, status, reason, error}]} in the same order. status: accepted, duplicate, not_counted (reason: bot, flood, ignored, member) or invalid (error). Customers and suppliers report only themselves, whatever visitor_id they send. user_agent: for events without one; bots: the positions, from 0, of events of declared bots.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_check_analytics_settings
  before insert or update of settings on public.tenants
  for each row when (new.settings ? 'analytics')
  execute function private.check_analytics_settings();

-- policies -------------------------------------------------------------------------------------

alter table private.visitor_event_counts enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.record_storefront_events, public.record_storefront_events to authenticated;

-- supabase/schemas/analytics/1035_visitor_days.sql

-- The furthest stage of each visitor on each of a tenant's days, from which the funnel and the conversion rate are
-- counted. Distinct visitors of several days cannot be added up, so the visitors of each day are kept, for 400 days.

-- tables ---------------------------------------------------------------------------------------

create table private.visitor_days (
  tenant_id uuid not null,
  day date not null,
  visitor uuid not null,
  marketplace_id uuid not null,
  stage private.visitor_stage not null,
  counted private.visitor_stage,
  constraint visitor_days_pkey primary key (tenant_id, day, visitor, marketplace_id),
  constraint visitor_days_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade
)
-- A visitor's stage changes within minutes: free space lets the row stay on its page.
with (fillfactor = 80);
comment on table private.visitor_days is
  'The furthest stage of each visitor in a marketplace on a day of the tenant''s time zone. counted: as what a rollup counts it, visit or order; null if it does not.';

create table private.visitor_product_days (
  tenant_id uuid not null,
  day date not null,
  visitor uuid not null,
  marketplace_id uuid not null,
  supplier_id uuid,
  category_id uuid,
  stage private.visitor_stage not null,
  constraint visitor_product_days_key
    unique nulls not distinct (tenant_id, day, visitor, marketplace_id, supplier_id, category_id),
  constraint visitor_product_days_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint visitor_product_days_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade
)
with (fillfactor = 80);
comment on table private.visitor_product_days is
  'The same for the products of a supplier (null: the operator''s own) and category. The category is the product''s at that time; there is no foreign key, so a day outlives it.';
-- The whole row identifies it for replication, because its key has columns that may be null.
alter table private.visitor_product_days replica identity full;

-- indexes --------------------------------------------------------------------------------------

create index visitor_product_days_supplier_idx on private.visitor_product_days (tenant_id, supplier_id, day);
create index visitor_product_days_category_idx on private.visitor_product_days (tenant_id, category_id, day);
create index visitor_days_marketplace_idx on private.visitor_days (tenant_id, marketplace_id, day);
-- The days of a visitor.
create index visitor_days_visitor_idx on private.visitor_days (tenant_id, visitor, day);
create index visitor_days_day_idx on private.visitor_days using brin (day);
create index visitor_product_days_day_idx on private.visitor_product_days using brin (day);

-- functions: drawing ---------------------------------------------------------------------------

-- Every transaction that changes days of visitors locks rows in one order, which prevents deadlocks: first
-- visitor_days, then visitor_product_days, each by day, visitor and marketplace, and last restated_days.
create function private.draw_visitor_days(events private.storefront_events[]) returns date[]
-- A cached plan may date from a time with few rows. These settings make every plan look rows up by index.
-- Planned once: 0.23 ms without, 0.06 with, for two events.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  changed date[];
begin
  with drawn as (
    insert into private.visitor_days as d (tenant_id, day, visitor, marketplace_id, stage)
    select n.tenant_id, n.day, n.visitor, n.marketplace_id, n.stage
    from (
      select
        e.tenant_id, (e.occurred_at at time zone t.time_zone)::date as day, e.visitor, e.marketplace_id,
        max(e.stage) as stage
      from unnest(events) as e
      join public.tenants t on t.id = e.tenant_id
      group by 1, 2, 3, 4
    ) as n
    left join private.visitor_days known
      on known.tenant_id = n.tenant_id and known.day = n.day and known.visitor = n.visitor
      and known.marketplace_id = n.marketplace_id
    -- Most events change nothing: then no row is written or locked.
    where known.stage is null or known.stage < n.stage
    order by n.tenant_id, n.day, n.visitor, n.marketplace_id
    on conflict on constraint visitor_days_pkey do update set stage = excluded.stage where d.stage < excluded.stage
    returning d.day
  )
  select array_agg(distinct d.day) into changed from drawn d;
  return coalesce(changed, '{}');
end
$$;
comment on function private.draw_visitor_days is
  'Adds a tenant''s events to the days of their visitors, where they reach a later stage. Returns the changed days.';

create function private.draw_visitor_product_days(events private.storefront_events[]) returns date[]
-- The settings are those of draw_visitor_days.
-- Planned once: 0.20 ms without, 0.05 with, for two events.
language plpgsql security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  changed date[];
begin
  with drawn as (
    insert into private.visitor_product_days as d (tenant_id, day, visitor, marketplace_id, supplier_id, category_id, stage)
    select n.tenant_id, n.day, n.visitor, n.marketplace_id, n.supplier_id, n.category_id, n.stage
    from (
      select
        e.tenant_id, (e.occurred_at at time zone t.time_zone)::date as day, e.visitor, e.marketplace_id, e.supplier_id,
        e.category_id, max(e.stage) as stage
      from unnest(events) as e
      join public.tenants t on t.id = e.tenant_id
      where e.product_id is not null
      group by 1, 2, 3, 4, 5, 6
    ) as n
    left join private.visitor_product_days known
      on known.tenant_id = n.tenant_id and known.day = n.day and known.visitor = n.visitor
      and known.marketplace_id = n.marketplace_id and known.supplier_id is not distinct from n.supplier_id
      and known.category_id is not distinct from n.category_id
    where known.stage is null or known.stage < n.stage
    order by n.tenant_id, n.day, n.visitor, n.marketplace_id, n.supplier_id, n.category_id
    on conflict on constraint visitor_product_days_key do update set stage = excluded.stage where d.stage < excluded.stage
    returning d.day
  )
  select array_agg(distinct d.day) into changed from drawn d;
  return coalesce(changed, '{}');
end
$$;
comment on function private.draw_visitor_product_days is
  'The same for the products of each supplier and category.';

create function private.restate_days(tenant_id uuid, days date[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  changed date;
begin
  for changed in select distinct d from unnest(days) as d order by d loop
    perform private.restate(restate_days.tenant_id, changed);
  end loop;
end
$$;
comment on function private.restate_days is 'Restates days of a tenant, the earliest first.';

create function private.draw_new_visitor_days() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  events private.storefront_events[] := array(select t::private.storefront_events from added t);
  days date[];
begin
  if events <> '{}' then
    days := private.draw_visitor_days(events);
    days := days || private.draw_visitor_product_days(events);
    perform private.restate_days((events[1]).tenant_id, days);
  end if;
  return null;
end
$$;
comment on function private.draw_new_visitor_days() is
  'Statement trigger: adds new events, all of one tenant, to the days of their visitors, and restates days that were over.';

-- functions: reading ---------------------------------------------------------------------------

create function private.visitor_stages(scope private.analytics_scope, since date, until date)
returns table (stage private.visitor_stage, visitors bigint)
-- 30 of 60 days of 220,000 visitor days take 31 ms, and 67 with a generic plan. Counting visitors on disk takes half as
-- long again.
language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_custom_plan set work_mem = '32MB'
as $$
#variable_conflict use_column
begin
  if scope.supplier_id is null and scope.categories is null then
    return query
    select v.stage, count(*)
    from (
      select max(d.stage) as stage
      from private.visitor_days d
      where d.tenant_id = scope.tenant_id and d.day between since and until
        and (scope.marketplace_id is null or d.marketplace_id = scope.marketplace_id)
      group by d.visitor
    ) as v
    group by v.stage;
  else
    return query
    select v.stage, count(*)
    from (
      select max(d.stage) as stage
      from private.visitor_product_days d
      where d.tenant_id = scope.tenant_id and d.day between since and until
        and (scope.marketplace_id is null or d.marketplace_id = scope.marketplace_id)
        and (scope.supplier_id is null or d.supplier_id = scope.supplier_id)
        and (scope.categories is null or d.category_id = any (scope.categories))
      group by d.visitor
    ) as v
    group by v.stage;
  end if;
end
$$;
comment on function private.visitor_stages is
  'The number of visitors by their last stage, from one day to another; with a supplier or category, for its products.';

create function private.funnel_report(asked private.analytics_scope, period private.analytics_period) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  stages jsonb;
  bots bigint;
begin
  if period.until - period.since >= 400 or period.since <= (now() at time zone scope.time_zone)::date - 400 then
    perform private.refuse(
      'VALIDATION_ERROR', 'The period must be within the last 400 days, because older visitors are deleted.', 'from',
      to_jsonb(period.since)
    );
  end if;

  with counted as materialized (
    select s.stage, s.visitors from private.visitor_stages(scope, period.since, period.until) as s
  ),
  reached as (
    select
      t.name, t.position,
      coalesce((select sum(c.visitors) from counted c where c.stage >= t.stage), 0) as count
    from (values
      (1, 'visitors', private.visitor_stage 'visit'), (2, 'product_view', 'product_view'),
      (3, 'add_to_cart', 'add_to_cart'), (4, 'checkout', 'checkout')
    ) as t (position, name, stage)
  )
  select
    jsonb_agg(
      jsonb_build_object(
        'name', r.name, 'count', r.count,
        'conversion', case r.position when 1 then 100 else private.percent_of(r.count, r.before) end
      )
      order by r.position
    ),
    coalesce((select c.visitors from counted c where c.stage = 'bot'), 0)
  into stages, bots
  from (select r.*, lag(r.count) over (order by r.position) as before from reached r) as r;
  return private.report_heading(scope, period) || jsonb_build_object('stages', stages, 'bots', bots);
end
$$;
comment on function private.funnel_report is 'public.analytics_funnel for a scope and a period.';

create function public.analytics_funnel(
  period text default '30d', "from" date default null, "to" date default null, marketplace_id uuid default null,
  supplier_id uuid default null, category uuid default null
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.funnel_report(scope, private.analytics_period(scope.time_zone, period, "from", "to"));
end
$$;
comment on function public.analytics_funnel is
  'For admins, clients and suppliers (for their own products): the number of distinct visitors who reached each stage, as {stages: [{name, count, conversion}], bots}. conversion: percent of the stage before. At most 400 days. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

-- triggers -------------------------------------------------------------------------------------

create trigger storefront_events_draw_visitor_days
  after insert on private.storefront_events
  referencing new table as added
  for each statement execute function private.draw_new_visitor_days();

-- policies -------------------------------------------------------------------------------------

alter table private.visitor_days enable row level security;
alter table private.visitor_product_days enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.funnel_report, public.analytics_funnel to authenticated;

-- supabase/schemas/analytics/1036_visitor_gaps.sql

-- Distinct visitors of a period, from sums by day.
--
-- Among the days of a visitor within a period, only the first has no earlier day within the period. So the number of
-- visitors from a to b is the number of visitor days d whose previous day is before a, or more than d - a days ago. A
-- rollup counts the visitor days of each day by that gap, for each marketplace and for the tenant as a whole, and
-- likewise for visitors who ordered. A day that is added between two others changes the gap of the later one, also
-- across parallel batches of events. Therefore only a job, one session at a time for a tenant, adds visitor days to the
-- rollup. A report adds the days that are queued.

-- tables ---------------------------------------------------------------------------------------

create table private.visitor_gaps (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  marketplace_id uuid,
  is_ordered boolean not null,
  day date not null,
  gap smallint not null,
  visitors integer not null,
  constraint visitor_gaps_key unique nulls not distinct (tenant_id, marketplace_id, is_ordered, day, gap),
  constraint visitor_gaps_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade
)
with (fillfactor = 80);
comment on table private.visitor_gaps is
  'The number of visitors of a day whose previous day was gap days before; 32767: never before. marketplace_id: null for all marketplaces together. is_ordered: only days on which they ordered.';
-- The whole row identifies it for replication, because marketplace_id may be null.
alter table private.visitor_gaps replica identity full;

create table private.uncounted_visitor_days (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  day date not null,
  visitor uuid not null,
  marketplace_id uuid not null
);
comment on table private.uncounted_visitor_days is
  'The queue: visitor days that private.visitor_gaps lacks, or counts as a visit without an order. A day may be queued twice, or be deleted since.';
-- The whole row identifies it for replication, because it has no key.
alter table private.uncounted_visitor_days replica identity full;

-- indexes --------------------------------------------------------------------------------------

create index uncounted_visitor_days_idx on private.uncounted_visitor_days (tenant_id, day, visitor, marketplace_id);

-- functions: adding to the rollup --------------------------------------------------------------

create function private.counted_as(stage private.visitor_stage) returns private.visitor_stage
language sql immutable
return case when stage = 'order' then private.visitor_stage 'order' when stage > 'bot' then private.visitor_stage 'visit' end;
comment on function private.counted_as is
  'As what a visitor day with this stage is counted: visit or order; null for bots.';

create function private.queue_visitor_days() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.uncounted_visitor_days (tenant_id, day, visitor, marketplace_id)
  select n.tenant_id, n.day, n.visitor, n.marketplace_id
  from new_days n
  where private.counted_as(n.stage) is distinct from n.counted;
  return null;
end
$$;
comment on function private.queue_visitor_days() is
  'Statement trigger: queues visitor days that are not counted, or with an earlier stage.';

create function private.count_visitor_days(tenant_id uuid, days private.visitor_days[]) returns void
-- Planned at each call: 2,000 days among 220,000 take 0.37 s, and 3.2 with a plan from when there were few, which a
-- session keeps.
language plpgsql security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  tenant uuid := count_visitor_days.tenant_id;
begin
  with change as materialized (
    select d.day, d.visitor, d.marketplace_id, d.counted from unnest(days) as d
  ),
  seen as (
    select
      d.day, d.visitor, d.marketplace_id, v.sign,
      case when v.sign < 0 or c.visitor is null then d.counted else c.counted end as counted
    from private.visitor_days d
    left join change c on c.day = d.day and c.visitor = d.visitor and c.marketplace_id = d.marketplace_id
    cross join (values (-1), (1)) as v (sign)
    where d.tenant_id = tenant and d.visitor = any (array(select distinct x.visitor from change x))
  ),
  visits as (
    select distinct s.sign, k.is_ordered, p.marketplace_id, s.visitor, s.day
    from seen s
    cross join (values (false), (true)) as k (is_ordered)
    cross join lateral (values (s.marketplace_id), (null)) as p (marketplace_id)
    where s.counted = 'order' or s.counted = 'visit' and not k.is_ordered
  ),
  gaps as (
    select
      t.sign, t.is_ordered, t.marketplace_id, t.day,
      coalesce(t.day - lag(t.day) over (
        partition by t.sign, t.is_ordered, t.marketplace_id, t.visitor order by t.day
      ), 32767)::smallint as gap
    from visits t
  )
  insert into private.visitor_gaps as g (tenant_id, marketplace_id, is_ordered, day, gap, visitors)
  select tenant, n.marketplace_id, n.is_ordered, n.day, n.gap, sum(n.sign)
  from gaps n
  group by n.marketplace_id, n.is_ordered, n.day, n.gap
  having sum(n.sign) <> 0
  on conflict on constraint visitor_gaps_key do update set visitors = g.visitors + excluded.visitors;

  update private.visitor_days d
  set counted = c.counted
  from unnest(days) as c
  where d.tenant_id = tenant and d.day = c.day and d.visitor = c.visitor and d.marketplace_id = c.marketplace_id;
end
$$;
comment on function private.count_visitor_days is
  'Counts visitor days of a tenant as their field counted says, instead of as before. The caller holds the lock visitor_rollup and has locked the rows.';

create function private.count_visitors(tenant_id uuid, most integer) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := count_visitors.tenant_id;
  taken tid[];
  days private.visitor_days[];
  gone integer;
begin
  -- One session at a time counts for a tenant. Events and orders do not need this lock.
  if not private.try_hold('visitor_rollup', tenant::text) then
    return 0;
  end if;
  taken := array(
    select u.ctid
    from private.uncounted_visitor_days u
    where u.tenant_id = tenant
    order by u.day, u.visitor, u.marketplace_id
    limit most
  );
  -- A day that a batch of events is changing waits for the next time, so that neither waits for the other.
  days := array(
    select row(d.tenant_id, d.day, d.visitor, d.marketplace_id, d.stage, private.counted_as(d.stage))::private.visitor_days
    from private.visitor_days d
    where d.tenant_id = tenant
      and (d.day, d.visitor, d.marketplace_id) in (
        select u.day, u.visitor, u.marketplace_id from private.uncounted_visitor_days u where u.ctid = any (taken)
      )
    order by d.day, d.visitor, d.marketplace_id
    for update of d skip locked
  );
  delete from private.uncounted_visitor_days u
  where u.ctid = any (taken)
    and (
      (u.day, u.visitor, u.marketplace_id) in (select d.day, d.visitor, d.marketplace_id from unnest(days) as d)
      or not exists (
        select from private.visitor_days d
        where d.tenant_id = tenant and d.day = u.day and d.visitor = u.visitor and d.marketplace_id = u.marketplace_id
      )
    );
  get diagnostics gone = row_count;
  perform private.count_visitor_days(tenant, days);
  return gone;
end
$$;
comment on function private.count_visitors(uuid, integer) is
  'Adds queued visitor days of a tenant to private.visitor_gaps. Returns how many left the queue.';

create function private.uncount_visitor_day(tenant_id uuid, day date) returns boolean
-- Planned at each call: a day of 100 visitors among 220,000 days takes 18 ms, and 39 with a plan from when there were
-- few, which a session keeps.
language plpgsql security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  if not private.try_hold('visitor_rollup', uncount_visitor_day.tenant_id::text) then
    return false;
  end if;
  perform private.count_visitor_days(
    uncount_visitor_day.tenant_id,
    array(
      select row(d.tenant_id, d.day, d.visitor, d.marketplace_id, d.stage, null)::private.visitor_days
      from private.visitor_days d
      where d.tenant_id = uncount_visitor_day.tenant_id and d.day = uncount_visitor_day.day
      order by d.visitor, d.marketplace_id
      for update
    )
  );
  return true;
end
$$;
comment on function private.uncount_visitor_day is
  'Takes a visitor day of a tenant out of private.visitor_gaps, before its rows are deleted; false while another session counts visitors.';

create function private.tenants_to_count(most integer) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  with recursive waiting (tenant_id) as (
    (select u.tenant_id from private.uncounted_visitor_days u order by u.tenant_id limit 1)
    union all
    select (
      select u.tenant_id from private.uncounted_visitor_days u where u.tenant_id > w.tenant_id order by u.tenant_id limit 1
    )
    from waiting w
    where w.tenant_id is not null
  )
  -- In random order, so that every tenant is served, however much the others have.
  select array(
    select w.tenant_id from waiting w where w.tenant_id is not null order by random() limit most
  )
$$;
comment on function private.tenants_to_count is 'Some tenants that have queued visitor days.';

create function public.count_visitors(batch integer default 2000, rounds integer default 0) returns integer
language plpgsql set search_path = ''
as $$
declare
  tenants uuid[] := private.tenants_to_count(20);
  counted integer := 0;
begin
  for i in 1 .. cardinality(tenants) loop
    counted := counted + private.count_visitors(tenants[i], greatest(batch / cardinality(tenants), 1));
  end loop;
  -- Each transaction adds a limited number, so that a batch of events waits only briefly for their rows.
  if rounds > 0 and counted > 0 and private.tenants_to_count(1) <> '{}' then
    perform private.perform_later('count_visitors', jsonb_build_object('batch', batch, 'rounds', rounds - 1));
  end if;
  return counted;
end
$$;
comment on function public.count_visitors is
  'For a job: adds queued visitor days of up to 20 tenants to private.visitor_gaps, and continues up to rounds times. Returns how many.';

-- functions: reading ---------------------------------------------------------------------------

create function private.count_distinct_visitors(
  scope private.analytics_scope, since date, until date, stage private.visitor_stage
) returns bigint
-- Planned at each call: 30 days among 220,000 visitor days take 25 ms, and more than 3 s with a plan from when there were
-- few, which a session keeps. A later plan would take 15 ms, and planning each time 35.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  return (
    select coalesce(sum(g.visitors), 0)
    from private.visitor_gaps g
    where g.tenant_id = scope.tenant_id
      and (g.marketplace_id = scope.marketplace_id or scope.marketplace_id is null and g.marketplace_id is null)
      and g.is_ordered = (count_distinct_visitors.stage = 'order') and g.day between since and until and g.gap > g.day - since
  ) + (
    select count(distinct d.visitor)
    from private.uncounted_visitor_days u
    join private.visitor_days d
      on d.tenant_id = u.tenant_id and d.day = u.day and d.visitor = u.visitor and d.marketplace_id = u.marketplace_id
    where u.tenant_id = scope.tenant_id and u.day between since and until
      and (scope.marketplace_id is null or u.marketplace_id = scope.marketplace_id)
      and d.stage >= count_distinct_visitors.stage
      and not exists (
        select from private.visitor_days c
        where c.tenant_id = u.tenant_id and c.visitor = u.visitor and c.day between since and until
          and (scope.marketplace_id is null or c.marketplace_id = scope.marketplace_id)
          and c.counted >= count_distinct_visitors.stage
      )
  );
end
$$;
comment on function private.count_distinct_visitors is
  'The number of distinct visitors of a tenant or marketplace from one day to another, or, with the stage order, of those who ordered.';

create function private.visitors_of(
  scope private.analytics_scope, since date, until date, out visitors bigint, out ordered bigint
)
language plpgsql stable security definer set search_path = ''
as $$
begin
  if scope.supplier_id is null and scope.categories is null then
    visitors_of.visitors := private.count_distinct_visitors(scope, since, until, 'visit');
    visitors_of.ordered := private.count_distinct_visitors(scope, since, until, 'order');
    return;
  end if;
  select
    coalesce(sum(s.visitors) filter (where s.stage > 'bot'), 0),
    coalesce(sum(s.visitors) filter (where s.stage = 'order'), 0)
  into visitors_of.visitors, visitors_of.ordered
  from private.visitor_stages(scope, since, until) as s;
end
$$;
comment on function private.visitors_of is 'The number of visitors from one day to another, and of those who placed an order themselves.';

-- functions: comparing -------------------------------------------------------------------------

create function private.differences_of_visitors(tenant_id uuid) returns setof private.sales_difference
language sql stable security definer set search_path = ''
as $$
  with visits as (
    select distinct k.is_ordered, p.marketplace_id, d.visitor, d.day
    from private.visitor_days d
    cross join (values (false), (true)) as k (is_ordered)
    cross join lateral (values (d.marketplace_id), (null)) as p (marketplace_id)
    where d.tenant_id = differences_of_visitors.tenant_id
      and (d.counted = 'order' or d.counted = 'visit' and not k.is_ordered)
  ),
  kept as (
    select t.is_ordered, t.marketplace_id, t.day, count(*) as visitors, sum(coalesce(t.day - t.before, 32767)) as gaps
    from (
      select t.*, lag(t.day) over (partition by t.is_ordered, t.marketplace_id, t.visitor order by t.day) as before
      from visits t
    ) as t
    group by 1, 2, 3
  ),
  -- Days that are no longer kept are before every period that can be requested.
  added as (
    select
      g.is_ordered, g.marketplace_id, g.day, sum(g.visitors) as visitors,
      sum(g.visitors * case when g.day - g.gap < o.oldest then 32767 else g.gap end) as gaps
    from private.visitor_gaps g
    cross join (
      select min(d.day) as oldest from private.visitor_days d where d.tenant_id = differences_of_visitors.tenant_id
    ) as o
    where g.tenant_id = differences_of_visitors.tenant_id and g.day >= o.oldest
    group by 1, 2, 3
  ),
  missed as (
    select d.marketplace_id, d.day, count(*) as days
    from private.visitor_days d
    where d.tenant_id = differences_of_visitors.tenant_id
      and private.counted_as(d.stage) is distinct from d.counted
      and not exists (
        select from private.uncounted_visitor_days u
        where u.tenant_id = d.tenant_id and u.day = d.day and u.visitor = d.visitor and u.marketplace_id = d.marketplace_id
      )
    group by 1, 2
  ),
  found as (
    select
      coalesce(k.marketplace_id, a.marketplace_id) as marketplace_id, f.rule,
      coalesce(k.day, a.day) as day, f.expected, f.found,
      coalesce(k.is_ordered, a.is_ordered) as is_ordered
    from kept k
    full join added a
      on a.is_ordered = k.is_ordered and a.day = k.day and a.marketplace_id is not distinct from k.marketplace_id
    cross join lateral (
      values ('visitors', k.visitors, a.visitors), ('gaps of visitors', k.gaps, a.gaps)
    ) as f (rule, expected, found)
    where coalesce(f.expected, 0) <> coalesce(f.found, 0)
    union all
    select m.marketplace_id, 'visitors that are not counted', m.day, 0, m.days, false from missed m
  )
  select
    coalesce(f.marketplace_id, (
      select m.id from public.marketplaces m
      where m.tenant_id = differences_of_visitors.tenant_id
      order by m.created_at, m.id
      limit 1
    )),
    null,
    f.rule || case when f.is_ordered then ' who ordered' else '' end
      || case when f.marketplace_id is null then ', all marketplaces' else '' end,
    f.day, f.expected, f.found
  from found f
$$;
comment on function private.differences_of_visitors is
  'Where the rollup of a tenant''s visitors differs from their days. Differences of all marketplaces together are reported for the oldest marketplace.';

create function private.compare_visitors(tenant_id uuid) returns integer
language plpgsql security definer set search_path = ''
as $$
begin
  return private.tell_differences(
    compare_visitors.tenant_id, array(select d from private.differences_of_visitors(compare_visitors.tenant_id) as d)
  );
end
$$;
comment on function private.compare_visitors is
  'Writes an analytics.mismatch event for each marketplace of a tenant whose numbers of visitors are wrong. Returns how many events.';

create function private.next_visited_tenant(after uuid) returns uuid
language sql stable security definer set search_path = ''
as $$
  select d.tenant_id
  from private.visitor_days d
  where d.tenant_id > coalesce(after, '00000000-0000-0000-0000-000000000000')
  order by d.tenant_id
  limit 1
$$;
comment on function private.next_visited_tenant is 'The next tenant, by id, that has had visitors.';

create function public.compare_visitors(after uuid default null) returns uuid
language plpgsql set search_path = '' set statement_timeout = '300s'
as $$
declare
  tenant uuid := private.next_visited_tenant(after);
begin
  if tenant is null then
    return null;
  end if;
  begin
    perform private.compare_visitors(tenant);
  exception
    -- A failure or timeout for one tenant must not stop the comparison of the others.
    when query_canceled or others then
      raise warning 'the visitors of tenant % could not be compared: %', tenant, sqlerrm;
  end;
  -- Each tenant has its own transaction.
  perform private.perform_later('compare_visitors', jsonb_build_object('after', tenant));
  return tenant;
end
$$;
comment on function public.compare_visitors is
  'For a job: compares the next tenant''s numbers of visitors with their days, then continues with the tenant after it. Returns the tenant.';

-- triggers -------------------------------------------------------------------------------------

create trigger visitor_days_queue_new
  after insert on private.visitor_days
  referencing new table as new_days
  for each statement execute function private.queue_visitor_days();

create trigger visitor_days_queue_changed
  after update on private.visitor_days
  referencing new table as new_days
  for each statement execute function private.queue_visitor_days();

-- policies -------------------------------------------------------------------------------------

alter table private.visitor_gaps enable row level security;
alter table private.uncounted_visitor_days enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.count_visitors(uuid, integer), private.tenants_to_count, private.compare_visitors, private.next_visited_tenant
to service_role;
grant execute on function public.count_visitors(integer, integer), public.compare_visitors to service_role;

-- supabase/schemas/analytics/1037_visitor_redraws.sql

-- A new time zone changes the days of visitors. A job makes the days again whose events are kept, each in one
-- transaction. Earlier days stay as they were.

-- tables ---------------------------------------------------------------------------------------

create table private.visitor_redraws (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  day date not null,
  is_cleared boolean not null default false,
  due_at timestamptz not null default now(),
  constraint visitor_redraws_pkey primary key (tenant_id, day)
);
comment on table private.visitor_redraws is
  'Visitor days that are made again from their events: deleted and made, and a minute later made once more, for events of transactions that were open meanwhile.';

-- indexes --------------------------------------------------------------------------------------

create index visitor_redraws_due_at_idx on private.visitor_redraws (due_at);

-- functions ------------------------------------------------------------------------------------

create function private.queue_visitor_redraws() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  today date := (now() at time zone new.time_zone)::date;
begin
  insert into private.visitor_redraws as r (tenant_id, day)
  select new.id, d.day::date
  -- From the earliest day that has all its events to the last day in either zone.
  from generate_series(today - 88, greatest(today, (now() at time zone old.time_zone)::date), interval '1 day') as d (day)
  where exists (select from private.visitor_days v where v.tenant_id = new.id)
  on conflict on constraint visitor_redraws_pkey do update set is_cleared = false, due_at = excluded.due_at;
  return null;
end
$$;
comment on function private.queue_visitor_redraws() is 'Row trigger: has visitor days made again for a new time zone.';

create function private.events_of_day(tenant_id uuid, day date) returns table (events private.storefront_events[])
-- Planned at each call: a day of 1,000 events among 350,000 takes 3 ms, and 45 with a plan from when there were few, which
-- a session keeps.
language plpgsql stable security definer
-- 1,000 events at a time are in memory, in the order in which they are read. A hash would hold those of the whole day:
-- 20 MB instead of 13 for 50,000 events, with a work_mem of 4 MB, in the same time.
set search_path = '' set plan_cache_mode = force_custom_plan set enable_hashagg = off
as $$
#variable_conflict use_column
declare
  time_zone text := private.time_zone_of(events_of_day.tenant_id);
  starts_at timestamptz := events_of_day.day::timestamp at time zone time_zone;
  ends_at timestamptz := (events_of_day.day + 1)::timestamp at time zone time_zone;
  first_received date := (starts_at at time zone 'utc')::date;
begin
  return query
  select array_agg(e.event)
  from (
    select
      e::private.storefront_events as event,
      (row_number() over (order by e.visitor, e.marketplace_id, e.supplier_id, e.category_id) - 1) / 1000 as turn
    from private.storefront_events e
    where e.tenant_id = events_of_day.tenant_id
      -- A late event arrives within a day.
      and e.received_on between first_received and first_received + 3
      and e.occurred_at >= starts_at and e.occurred_at < ends_at
  ) as e
  group by e.turn
  order by e.turn;
end
$$;
comment on function private.events_of_day is
  'The events of a tenant''s day, in arrays of at most 1000, in the order in which the days of their visitors are locked.';

create function private.redraw_visitor_day(redraw private.visitor_redraws, out is_changed boolean)
language plpgsql security definer set search_path = ''
as $$
begin
  if redraw.is_cleared then
    -- Rows that were written again while the day was deleted may be missing in the queue.
    insert into private.uncounted_visitor_days (tenant_id, day, visitor, marketplace_id)
    select d.tenant_id, d.day, d.visitor, d.marketplace_id
    from private.visitor_days d
    where d.tenant_id = redraw.tenant_id and d.day = redraw.day
      and private.counted_as(d.stage) is distinct from d.counted;
  elsif private.uncount_visitor_day(redraw.tenant_id, redraw.day) then
    delete from private.visitor_days d where d.tenant_id = redraw.tenant_id and d.day = redraw.day;
  else
    return;
  end if;
  select coalesce(bool_or(private.draw_visitor_days(e.events) <> '{}'), false)
  into is_changed
  from private.events_of_day(redraw.tenant_id, redraw.day) as e;
  is_changed := is_changed or not redraw.is_cleared;
end
$$;
comment on function private.redraw_visitor_day is
  'Makes a visitor day of a tenant from its events. Null, and nothing is made, while another session counts the tenant''s visitors.';

create function private.redraw_visitor_product_day(redraw private.visitor_redraws, out is_changed boolean)
language plpgsql security definer set search_path = ''
as $$
begin
  if not redraw.is_cleared then
    delete from private.visitor_product_days d
    where d.ctid = any (array(
      select o.ctid
      from private.visitor_product_days o
      where o.tenant_id = redraw.tenant_id and o.day = redraw.day
      order by o.visitor, o.marketplace_id, o.supplier_id, o.category_id
      for update
    ));
  end if;
  select coalesce(bool_or(private.draw_visitor_product_days(e.events) <> '{}'), false)
  into is_changed
  from private.events_of_day(redraw.tenant_id, redraw.day) as e;
end
$$;
comment on function private.redraw_visitor_product_day is
  'Makes a day of the visitors of a tenant''s products from its events.';

create function private.redraw_visitor_days() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  redraw private.visitor_redraws;
  redrawn private.visitor_redraws[] := '{}'::private.visitor_redraws[];
  restated private.visitor_redraws[] := '{}'::private.visitor_redraws[];
  is_changed boolean;
begin
  -- Locks are taken in the order of draw_visitor_days.
  for redraw in
    select w.*
    from (
      select r.*
      from private.visitor_redraws r
      where r.due_at <= now()
      order by r.due_at, r.day desc
      limit 100
      for update skip locked
    ) as w
    order by w.tenant_id, w.day
  loop
    -- The rest follows a minute later.
    exit when clock_timestamp() > now() + interval '10 seconds';
    is_changed := private.redraw_visitor_day(redraw);
    continue when is_changed is null;
    redrawn := redrawn || redraw;
    if is_changed then
      restated := restated || redraw;
    end if;
  end loop;
  foreach redraw in array redrawn loop
    if private.redraw_visitor_product_day(redraw) then
      restated := restated || redraw;
    end if;
  end loop;
  perform private.restate(r.tenant_id, r.day)
  from (select distinct d.tenant_id, d.day from unnest(restated) as d order by d.tenant_id, d.day) as r;
  foreach redraw in array redrawn loop
    if redraw.is_cleared then
      delete from private.visitor_redraws r where r.tenant_id = redraw.tenant_id and r.day = redraw.day;
    else
      update private.visitor_redraws r
      set is_cleared = true, due_at = now() + interval '1 minute'
      where r.tenant_id = redraw.tenant_id and r.day = redraw.day;
    end if;
  end loop;
end
$$;
comment on function private.redraw_visitor_days() is
  'Makes up to a hundred visitor days again, for about 20 seconds. A reader sees a day with either its old visitors or its new ones.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_redraw_visitor_days
  after update of time_zone on public.tenants
  for each row when (new.time_zone <> old.time_zone)
  execute function private.queue_visitor_redraws();

-- policies -------------------------------------------------------------------------------------

alter table private.visitor_redraws enable row level security;

-- supabase/schemas/analytics/1040_sales_sums.sql

-- The queries of the reports. They read whole days from the rollups, and from the book the lines that are queued or
-- that belong to a part of a day.

-- types ----------------------------------------------------------------------------------------

create type private.sales_sum as (
  day date,
  hour timestamptz,
  marketplace_id uuid,
  currency text,
  supplier_id uuid,
  category_id uuid,
  product_id uuid,
  orders bigint,
  items bigint,
  lost_items bigint,
  placed numeric,
  cancelled numeric,
  returned numeric,
  delivery numeric,
  received numeric,
  refunded numeric,
  commission numeric,
  promotion numeric
);
comment on type private.sales_sum is 'Figures grouped by some of the columns before them; the other columns are null.';

create type private.sales_span as (
  since date, whole_until date, starts_at timestamptz, whole_ends_at timestamptz, book_starts_at timestamptz,
  ends_at timestamptz
);
comment on type private.sales_span is
  'What a query of sales reads: the rollups of the days since to whole_until, the queued lines from starts_at to before whole_ends_at, and the book from book_starts_at to before ends_at.';

create type private.sold_product as (product_id uuid, revenue numeric, pieces bigint);
comment on type private.sold_product is 'The revenue of a product, and the number of its sold pieces.';

-- Adding up integers takes half the time of bigints, for which Postgres keeps 16 bytes per sum.
create type private.customer_row as (day date, customer_id uuid, currency text, orders integer, revenue numeric);
comment on type private.customer_row is 'The orders and booked revenue of a customer on a day.';

create type private.ordering_row as (
  customer_id uuid, first_ordered_at timestamptz, last_ordered_at timestamptz, orders bigint
);
comment on type private.ordering_row is 'The first order, last order and number of orders of a customer.';

-- functions ------------------------------------------------------------------------------------

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.revenue_of(sums private.sales_sum) returns numeric
language sql immutable
return sums.placed - sums.cancelled - sums.returned;
comment on function private.revenue_of is 'The value of items placed, minus cancelled and returned, without delivery.';

create function private.answers_from_rollups(scope private.analytics_scope) returns boolean
language sql stable security definer set search_path = ''
as $$
  -- An order with items of several categories would be counted once for each.
  select coalesce(cardinality(scope.categories), 1) = 1
    and not exists (select from private.sales_redraws r where r.tenant_id = scope.tenant_id)
    -- With more queued lines than this, reading the book costs less.
    and (select count(*) from (select from private.unrolled_sales u where u.tenant_id = scope.tenant_id limit 10001) as w) <= 10000
$$;
comment on function private.answers_from_rollups is 'Whether a report can use the rollups and the queue. Otherwise it reads the book.';

create function private.rolls_up_customers(scope private.analytics_scope) returns boolean
language sql stable security definer set search_path = ''
as $$
  select scope.categories is null and private.answers_from_rollups(scope)
$$;
comment on function private.rolls_up_customers is
  'Whether a report about customers can use the rollups, which have no categories.';

create function private.sales_span(
  scope private.analytics_scope, from_rollups boolean, since date, until date, ends_at timestamptz
) returns private.sales_span
language plpgsql stable set search_path = ''
as $$
declare
  span private.sales_span;
begin
  span.since := since;
  span.whole_until := case
    when not from_rollups then since - 1
    when ends_at is null then until
    else (ends_at at time zone scope.time_zone)::date - 1
  end;
  span.starts_at := since::timestamp at time zone scope.time_zone;
  span.whole_ends_at := (span.whole_until + 1)::timestamp at time zone scope.time_zone;
  span.book_starts_at := greatest(span.starts_at, span.whole_ends_at);
  span.ends_at := coalesce(ends_at, (until + 1)::timestamp at time zone scope.time_zone);
  return span;
end
$$;
comment on function private.sales_span is
  'The span of the days since to until, or up to before ends_at: whole days from the rollups, if they are used, the rest from the book.';

create function private.grain_of(scope private.analytics_scope, keys text[]) returns private.sales_grain
language sql immutable
return case
  when 'product_id' = any (keys) then 'product'
  when (scope.supplier_id is not null or 'supplier_id' = any (keys))
    and (scope.categories is not null or 'category_id' = any (keys)) then 'supplier_category'
  when scope.supplier_id is not null or 'supplier_id' = any (keys) then 'supplier'
  when scope.categories is not null or 'category_id' = any (keys) then 'category'
  else 'marketplace'
end::private.sales_grain;
comment on function private.grain_of is 'The coarsest grain that has the filters of the scope and the keys.';

create function private.scope_condition(scope private.analytics_scope) returns text
language sql immutable set search_path = ''
as $$
  select concat_ws(
    ' and ',
    's.tenant_id = ($1).tenant_id',
    case when scope.marketplace_id is not null then 's.marketplace_id = ($1).marketplace_id' end,
    case when scope.supplier_id is not null then 's.supplier_id = ($1).supplier_id' end,
    case
      when cardinality(scope.categories) = 1 then 's.category_id = ($1).categories[1]'
      when scope.categories is not null then 's.category_id = any (($1).categories)'
    end
  )
$$;
comment on function private.scope_condition is
  'The SQL condition on a row s for a scope, which is $1 of the query. It has only the filters that are set, so that each combination gets its own plan.';

create function private.book_query(scope private.analytics_scope, basis private.sales_basis, keys text[], waiting boolean)
returns text
language sql immutable set search_path = ''
as $$
  select format(
    $query$
      select
        (s.%1$I at time zone ($1).time_zone)::date as day,
        date_trunc('hour', s.%1$I, ($1).time_zone) as hour,
        s.marketplace_id, s.currency, s.supplier_id, s.category_id, s.product_id, s.customer_id, s.placed_at,
        (%2$s)::integer::bigint as orders,
        s.items, s.lost_items, s.items - s.lost_items as pieces, s.placed, s.cancelled, s.returned,
        s.placed - s.cancelled - s.returned as revenue, s.delivery, s.received, s.refunded, s.commission, s.promotion
      from %3$s
      where %4$s and s.%1$I >= $%5$s and s.%1$I < $%6$s and private.grain_has_kind(%7$L, s.kind)
    $query$,
    basis || '_at',
    case
      -- An order with items of several categories is counted by its first line.
      when cardinality(scope.categories) > 1 then format(
        's.kind = ''placed'' and s.id = min(s.id) filter (where s.kind = ''placed'') over (partition by s.order_id, %s)',
        concat_ws(', ', 's.marketplace_id', (select string_agg(format('s.%I', k), ', ') from unnest(keys) as k where k like '%\_id'))
      )
      when private.grain_of(scope, keys) = 'marketplace' then 's.first_of_order'
      else 's.first_of_' || private.grain_of(scope, keys)
    end,
    case
      -- With "offset 0" each queued line is looked up by its id. Without statistics of a tenant, a plain join may read all its
      -- lines for each one.
      when waiting then 'private.unrolled_sales u cross join lateral ('
        || 'select f.* from private.sale_figures f where f.tenant_id = u.tenant_id and f.id = u.sale_id offset 0) as s'
      else 'private.sale_figures s'
    end,
    private.scope_condition(scope) || case when waiting then ' and u.tenant_id = ($1).tenant_id' else '' end,
    case when waiting then 4 else 6 end,
    case when waiting then 5 else 7 end,
    private.grain_of(scope, keys)
  )
$$;
comment on function private.book_query is
  'The part of a query that reads lines of the book: the queued ones from $4 to before $5, or all from $6 to before $7.';

create function private.sales_query(
  scope private.analytics_scope, basis private.sales_basis, keys text[], from_rollups boolean, columns text default 's.*'
) returns text
language sql stable set search_path = ''
as $$
  select string_agg(format('select %s from (%s) as s', columns, part.query), ' union all ')
  from (
    select private.book_query(scope, basis, keys, false)
    union all
    select private.book_query(scope, basis, keys, true) where from_rollups
    union all
    select format(
      $query$
        select
          s.day, null::timestamptz as hour, s.marketplace_id, s.currency, s.supplier_id, s.category_id, s.product_id,
          null::uuid as customer_id, null::timestamptz as placed_at, s.orders, s.items, s.lost_items, s.pieces, s.placed,
          s.cancelled, s.returned, s.revenue, s.delivery, s.received, s.refunded, s.commission, s.promotion
        from private.sales_days s
        where %s and s.basis = %L and s.grain = %L and s.day between $2 and $3
      $query$,
      private.scope_condition(scope), basis, private.grain_of(scope, keys)
    )
    where from_rollups
  ) as part (query)
$$;
comment on function private.sales_query is
  'The part of a query that reads the rollups of the days $2 to $3, and the lines of the book that they lack, as book_query does. $1 is the scope. columns: those that are needed, so that an index may have all of them.';

create function private.sum_sales(
  scope private.analytics_scope, basis private.sales_basis, since date, until date, ends_at timestamptz, keys text[]
) returns setof private.sales_sum
-- With 4 MB the sums of 9,000 products spill to disk: 245 ms instead of 90.
language plpgsql stable security definer set search_path = '' set work_mem = '16MB'
as $$
declare
  from_rollups boolean := private.answers_from_rollups(scope) and not 'hour' = any (keys);
  span private.sales_span := private.sales_span(scope, from_rollups, since, until, ends_at);
begin
  return query execute format(
    $query$
      select
        %2$s, sum(s.orders)::bigint, sum(s.items)::bigint, sum(s.lost_items)::bigint, sum(s.placed), sum(s.cancelled),
        sum(s.returned), %4$s, sum(s.promotion)
      from (%1$s) as s
      group by %3$s
    $query$,
    private.sales_query(scope, basis, keys, from_rollups),
    (
      select string_agg(case when c.name = any (keys || '{currency}') then 's.' || c.name else 'null::' || c.type end, ', ' order by c.position)
      from (
        values
          (1, 'day', 'date'), (2, 'hour', 'timestamptz'), (3, 'marketplace_id', 'uuid'), (4, 'currency', 'text'),
          (5, 'supplier_id', 'uuid'), (6, 'category_id', 'uuid'), (7, 'product_id', 'uuid')
      ) as c (position, name, type)
    ),
    (select string_agg(format('s.%I', k), ', ') from unnest(keys || '{currency}') as k),
    (
      -- A constant costs less than adding up zeros for thousands of products.
      select string_agg(
        case
          when private.grain_has_kind(private.grain_of(scope, keys), c.kind) then format('sum(s.%I)', c.name)
          else '0::numeric'
        end,
        ', ' order by c.kind
      )
      from (
        values
          ('delivery'::private.sale_kind, 'delivery'), ('received', 'received'), ('refunded', 'refunded'),
          ('commission', 'commission')
      ) as c (kind, name)
    )
  )
  using scope, span.since, span.whole_until, span.starts_at, span.whole_ends_at, span.book_starts_at, span.ends_at;
end
$$;
comment on function private.sum_sales is
  'The sums of a scope for the days since to until, or up to before ends_at, grouped by currency and keys: day, hour, marketplace_id, supplier_id, category_id, product_id.';

create function private.sell_best(
  scope private.analytics_scope, basis private.sales_basis, since date, until date, ends_at timestamptz, currency text,
  by text, most integer, products uuid[] default null
) returns setof private.sold_product
language plpgsql stable security definer rows 10 set search_path = ''
as $$
declare
  from_rollups boolean := private.answers_from_rollups(scope);
  span private.sales_span := private.sales_span(scope, from_rollups, since, until, ends_at);
begin
  -- Adds up only what the report needs. Thirty days of a large shop are 36,000 rows of 9,000 products.
  return query execute format(
    $query$
      select s.product_id, sum(s.revenue) as revenue, sum(s.pieces)::bigint as pieces
      from (%s) as s
      where s.currency = $8 and %s
      group by s.product_id
      having bool_or(s.items > 0)
      order by %I desc, 2 desc, 1
      limit $10
    $query$,
    private.sales_query(
      scope, basis, '{product_id}', from_rollups, 's.product_id, s.currency, s.revenue, s.pieces, s.items'
    ),
    case when products is null then 's.product_id is not null' else 's.product_id = any ($9)' end,
    case by when 'revenue' then 'revenue' else 'pieces' end
  )
  using scope, span.since, span.whole_until, span.starts_at, span.whole_ends_at, span.book_starts_at, span.ends_at, currency,
    products, most;
end
$$;
comment on function private.sell_best is
  'The best products of a scope, or of some products, by revenue or by pieces (by: revenue or sales_count), in a currency for the days since to until, or up to before ends_at.';

create function private.customer_query(scope private.analytics_scope, from_rollups boolean) returns text
language sql stable set search_path = ''
as $$
  select format(book.query, private.book_query(scope, 'booked', '{}', false)) || case when from_rollups then
    ' union all ' || format(book.query, private.book_query(scope, 'booked', '{}', true)) || format(
      ' union all select s.day, s.customer_id, s.currency, s.orders, s.revenue from private.customer_days s'
        || ' where %s and s.grain = %L and s.day between $2 and $3',
      private.scope_condition(scope), private.grain_of(scope, '{}')
    )
  else '' end
  from (
    values (
      'select s.day, s.customer_id, s.currency, s.orders::integer as orders, s.revenue from (%s) as s'
        || ' where s.orders > 0 or s.revenue <> 0'
    )
  ) as book (query)
$$;
comment on function private.customer_query is
  'The part of a query that reads the orders and booked revenue of the customers of a scope, which is $1. $2 to $7 are those of sales_query. A customer''s day may have several rows.';

create function private.customer_rows(scope private.analytics_scope, since date, until date, ends_at timestamptz)
returns setof private.customer_row
language plpgsql stable security definer set search_path = ''
as $$
declare
  from_rollups boolean := private.rolls_up_customers(scope);
  span private.sales_span := private.sales_span(scope, from_rollups, since, until, ends_at);
begin
  return query execute private.customer_query(scope, from_rollups)
  using scope, span.since, span.whole_until, span.starts_at, span.whole_ends_at, span.book_starts_at, span.ends_at;
end
$$;
comment on function private.customer_rows is
  'The orders and booked revenue of customers of a scope, for the days since to until, or up to before ends_at. A customer''s day may have several rows.';

create function private.ordering_lines(scope private.analytics_scope, waiting boolean) returns setof private.ordering_row
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query execute format(
    'select s.customer_id, s.placed_at, s.placed_at, s.orders from (%s) as s where s.orders > 0',
    private.book_query(scope, 'placed', '{}', waiting)
  )
  using scope, null::date, null::date, '-infinity'::timestamptz, 'infinity'::timestamptz, '-infinity'::timestamptz,
    'infinity'::timestamptz;
end
$$;
comment on function private.ordering_lines is 'A row for each order of a scope in the book, or for each one that is queued (waiting).';

create function private.ordering_query(scope private.analytics_scope) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    when private.rolls_up_customers(scope) then format(
      'select s.customer_id, s.first_ordered_at, s.last_ordered_at, s.orders from private.ordering_customers s'
        || ' where %s and s.grain = %L union all select w.* from private.ordering_lines($1, true) as w',
      private.scope_condition(scope), private.grain_of(scope, '{}')
    )
    else 'select w.* from private.ordering_lines($1, false) as w'
  end
$$;
comment on function private.ordering_query is
  'The query for the first order, last order and number of orders of the customers of a scope, which is $1. A customer may have several rows.';

create function private.ordering_rows(scope private.analytics_scope) returns setof private.ordering_row
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query execute private.ordering_query(scope) using scope;
end
$$;
comment on function private.ordering_rows is
  'The first order, last order and number of orders of all customers of a scope. A customer may have several rows.';

create function private.count_ordering_customers(
  scope private.analytics_scope, since date, until date, ends_at timestamptz, out counted bigint
)
-- Planned at each call: a small tenant among 150,000 customer_gaps takes 1.7 ms, and 19 with a plan from when there were
-- few, which a session keeps.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  span private.sales_span := private.sales_span(scope, true, since, until, ends_at);
begin
  if scope.supplier_id is not null or not private.rolls_up_customers(scope) then
    select count(distinct r.customer_id)
    into counted
    from private.customer_rows(scope, since, until, ends_at) as r
    where r.orders > 0;
    return;
  end if;
  -- Customers of queued orders and of orders in a part of a day who have no other order in the period.
  execute format(
    $query$
      select count(distinct b.customer_id)
      from (%s union all %s) as b
      where b.orders > 0
        and not exists (
          select from private.customer_days s
          where %s and s.grain = 'marketplace' and s.customer_id = b.customer_id and s.day between $2 and $3 and s.orders > 0
        )
    $query$,
    private.book_query(scope, 'booked', '{}', true), private.book_query(scope, 'booked', '{}', false),
    private.scope_condition(scope)
  )
  into counted
  using scope, span.since, span.whole_until, span.starts_at, span.whole_ends_at, span.book_starts_at, span.ends_at;
  counted := counted + (
    select coalesce(sum(g.customers), 0)
    from private.customer_gaps g
    where g.tenant_id = scope.tenant_id
      and (g.marketplace_id = scope.marketplace_id or scope.marketplace_id is null and g.marketplace_id is null)
      and g.day between since and span.whole_until and g.previous_day < since
  );
end
$$;
comment on function private.count_ordering_customers is
  'The number of customers of a scope who ordered on the days since to until, or up to before ends_at.';

create function private.count_new_customers(scope private.analytics_scope, since date, until date, out counted bigint)
-- Planned at each call: a tenant among 150,000 customer_gaps takes 13 ms, and 18 with a plan from when there were few,
-- which a session keeps.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  starts_at timestamptz := since::timestamp at time zone scope.time_zone;
  ends_at timestamptz := (until + 1)::timestamp at time zone scope.time_zone;
begin
  if scope.supplier_id is not null or not private.rolls_up_customers(scope) then
    execute format(
      $query$
        select count(distinct n.customer_id)
        from (%1$s) as n
        where n.first_ordered_at >= $2 and n.first_ordered_at < $3
          and not exists (select from (%1$s) as e where e.customer_id = n.customer_id and e.first_ordered_at < $2)
      $query$,
      private.ordering_query(scope)
    )
    into counted
    using scope, starts_at, ends_at;
    return;
  end if;
  -- Among customers with queued orders: those who become new by them, minus those who were new before and no longer
  -- are.
  execute format(
    $query$
      select
        count(*) filter (
          where least(w.first_ordered_at, k.first_ordered_at) >= $2 and least(w.first_ordered_at, k.first_ordered_at) < $3
        ) - count(*) filter (where k.first_ordered_at >= $2 and k.first_ordered_at < $3)
      from (
        select b.customer_id, min(b.first_ordered_at) as first_ordered_at
        from private.ordering_lines($1, true) as b
        group by b.customer_id
      ) as w
      cross join lateral (
        select min(s.first_ordered_at) as first_ordered_at
        from private.ordering_customers s
        where %s and s.grain = 'marketplace' and s.customer_id = w.customer_id
      ) as k
    $query$,
    private.scope_condition(scope)
  )
  into counted
  using scope, starts_at, ends_at;
  counted := counted + (
    select coalesce(sum(g.customers), 0)
    from private.customer_gaps g
    where g.tenant_id = scope.tenant_id
      and (g.marketplace_id = scope.marketplace_id or scope.marketplace_id is null and g.marketplace_id is null)
      and g.day between since and until and g.previous_day = '-infinity'
  );
end
$$;
comment on function private.count_new_customers is
  'The number of customers of a scope whose first order is on the days since to until.';

-- supabase/schemas/analytics/1045_sales_reports.sql

-- Reports of sales: overview, sales by time, revenue by origin, and best-selling products.

-- functions ------------------------------------------------------------------------------------

create function private.checked_basis(basis text) returns private.sales_basis
language plpgsql immutable set search_path = ''
as $$
begin
  perform private.insist(basis in ('booked', 'placed'), 'basis', 'booked or placed', to_jsonb(basis));
  return basis::private.sales_basis;
end
$$;
comment on function private.checked_basis is 'A basis by its name. Refuses unknown names with VALIDATION_ERROR.';

create function private.checked_currency(currency text) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.insist(
    currency is null or exists (select from private.currencies c where c.code = currency), 'currency',
    'a code of ISO 4217', to_jsonb(currency)
  );
  return currency;
end
$$;
comment on function private.checked_currency is 'A currency code, or null. Refuses unknown codes with VALIDATION_ERROR.';

create function private.insist_on_by(by text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  perform private.insist(
    by in ('marketplace', 'category', 'supplier', 'product', 'source'), 'by',
    'marketplace, category, supplier, product or source', to_jsonb(by)
  );
end
$$;
comment on function private.insist_on_by is 'Refuses with VALIDATION_ERROR a value of by that the revenue report does not have.';

create function private.report_currency(scope private.analytics_scope, currency text, sums private.sales_sum[]) returns text
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    private.checked_currency(currency),
    (select m.currency from public.marketplaces m where m.tenant_id = scope.tenant_id and m.id = scope.marketplace_id),
    (
      select s.currency
      from unnest(sums) as s
      group by s.currency
      having sum(s.orders) > 0
      order by sum(s.orders) desc, s.currency
      limit 1
    ),
    (select m.currency from public.marketplaces m where m.tenant_id = scope.tenant_id order by m.created_at, m.id limit 1)
  )
$$;
comment on function private.report_currency is
  'The currency of a report: the requested one, else that of the marketplace, of most orders, or of the oldest marketplace.';

create function private.other_currencies(sums private.sales_sum[], currency text) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object('currency', other.currency, 'revenue', other.revenue, 'orders', other.orders)
      order by other.currency
    ),
    '[]'
  )
  from (
    select s.currency, sum(private.revenue_of(s)) as revenue, sum(s.orders)::bigint as orders
    from unnest(sums) as s
    where s.currency <> other_currencies.currency
    group by s.currency
    having sum(s.orders) > 0 or sum(private.revenue_of(s)) <> 0
  ) as other
$$;
comment on function private.other_currencies is 'The sales in other currencies than that of the report. Amounts of different currencies are never added.';

-- This function and the next two are called for each day of a year. They have no SET clause, so that Postgres inlines
-- them.
create function private.rounded(amount numeric, currency text) returns numeric
language sql stable
return round(amount, (select c.exponent from private.currencies c where c.code = currency));
comment on function private.rounded is 'An amount rounded to the decimals of its currency.';

create function private.average_order(sums private.sales_sum) returns numeric
language sql stable
return private.rounded(sums.placed / nullif(sums.orders, 0), sums.currency);
comment on function private.average_order is 'The average value of an order when it was placed, rounded to the currency; null without orders.';

create function private.sales_figures(sums private.sales_sum) returns jsonb
language sql stable
return jsonb_build_object(
  'revenue', private.revenue_of(sums), 'orders', sums.orders, 'average_order', private.average_order(sums),
  'items', sums.items, 'cancelled', sums.cancelled, 'returned', sums.returned
);
comment on function private.sales_figures is 'The figures of every row of a sales report.';

create function private.payment_figures(scope private.analytics_scope, sums private.sales_sum) returns jsonb
language sql immutable
return case
  when private.of_operator(scope) then
    jsonb_build_object('delivery_amount', sums.delivery, 'received', sums.received, 'refunded', sums.refunded)
  else '{"delivery_amount": null, "received": null, "refunded": null}'::jsonb
end;
comment on function private.payment_figures is 'Payments, refunds and delivery; null where the scope has only some items of the orders.';

create function private.sum_in(sums private.sales_sum[], currency text) returns private.sales_sum
language sql immutable set search_path = ''
as $$
  select row(
    null, null, null, sum_in.currency, null, null, null, coalesce(sum(s.orders), 0), coalesce(sum(s.items), 0),
    coalesce(sum(s.lost_items), 0), coalesce(sum(s.placed), 0), coalesce(sum(s.cancelled), 0),
    coalesce(sum(s.returned), 0), coalesce(sum(s.delivery), 0), coalesce(sum(s.received), 0),
    coalesce(sum(s.refunded), 0), coalesce(sum(s.commission), 0), coalesce(sum(s.promotion), 0)
  )::private.sales_sum
  from unnest(sums) as s
  where s.currency = sum_in.currency
$$;
comment on function private.sum_in is 'The sum of all figures of one currency; zeros if there are none.';

create function private.conversion_rate(scope private.analytics_scope, since date, until date) returns numeric
language sql stable security definer set search_path = ''
as $$
  select case
    when since > (now() at time zone scope.time_zone)::date - 400 then private.percent_of(v.ordered, v.visitors)
  end
  from private.visitors_of(scope, since, until) as v
$$;
comment on function private.conversion_rate is
  'The percentage of visitors who ordered; null without visitors, and for days whose visitors are no longer kept.';

create function private.overview_report(
  asked private.analytics_scope, period private.analytics_period, basis text, currency text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  by_day private.sales_basis := private.checked_basis(overview_report.basis);
  sums private.sales_sum[] := array(
    select s from private.sum_sales(scope, by_day, period.since, period.until, null, '{}') as s
  );
  report_currency text := private.report_currency(scope, overview_report.currency, sums);
  during private.sales_sum := private.sum_in(sums, report_currency);
  before private.sales_sum := private.sum_in(
    array(
      select s
      from private.sum_sales(scope, by_day, period.before_since, period.before_until, period.before_ends_at, '{}') as s
    ),
    report_currency
  );
  customers bigint := private.count_ordering_customers(scope, period.since, period.until, null);
  customers_before bigint := private.count_ordering_customers(
    scope, period.before_since, period.before_until, period.before_ends_at
  );
  rate numeric := private.conversion_rate(scope, period.since, period.until);
begin
  return private.report_heading(scope, period) || jsonb_build_object(
    'basis', by_day,
    'currency', report_currency,
    'other_currencies', private.other_currencies(sums, report_currency),
    'revenue', jsonb_build_object(
      'total', private.revenue_of(during), 'period', period.name,
      'change', private.change_text(private.change_of(private.revenue_of(during), private.revenue_of(before)))
    ) || private.payment_figures(scope, during),
    'orders', jsonb_build_object(
      'total', during.orders, 'change', private.change_text(private.change_of(during.orders, before.orders)),
      'average_order', private.average_order(during)
    ),
    'customers', jsonb_build_object(
      'total', customers,
      'new', private.count_new_customers(scope, period.since, period.until),
      'change', private.change_text(private.change_of(customers, customers_before))
    ),
    'conversion_rate', jsonb_build_object(
      'value', rate,
      'change', private.change_text(private.change_of(
        rate, private.conversion_rate(scope, period.before_since, period.before_until)
      ))
    )
  );
end
$$;
comment on function private.overview_report is 'The overview of a period: revenue, orders, customers and conversion, compared with the same number of days just before.';

create function private.sales_steps(scope private.analytics_scope, period private.analytics_period, group_by text)
returns table (step text, "position" timestamptz)
language plpgsql stable set search_path = ''
as $$
begin
  perform private.insist(
    group_by in ('hour', 'day', 'week', 'month', 'quarter'), 'group_by', 'hour, day, week, month or quarter',
    to_jsonb(group_by)
  );
  if group_by = 'hour' then
    perform private.insist(
      period.until - period.since < 31, 'group_by', 'day or more for a period of over 31 days', to_jsonb(group_by)
    );
    -- Some clocks change by half an hour.
    return query
      select private.local_text(h.hour, scope.time_zone), h.hour
      from (
        select distinct date_trunc('hour', g.half, scope.time_zone) as hour
        from generate_series(period.starts_at, period.ends_at - interval '1 microsecond', interval '30 minutes') as g (half)
      ) as h;
    return;
  end if;
  return query
    select distinct date_trunc(group_by, d.day)::date::text, date_trunc(group_by, d.day)
    from generate_series(period.since, period.until, interval '1 day') as d (day);
end
$$;
comment on function private.sales_steps is
  'The steps of a period. A day, week (from Monday), month or quarter is named by its first day, an hour by its time with the offset.';

create function private.sales_rows(
  scope private.analytics_scope, period private.analytics_period, group_by text, currency text, sums private.sales_sum[]
) returns jsonb
language sql stable set search_path = ''
as $$
  with steps as (
    select t.step, t.position, private.sum_in(array_agg(s) filter (where s.currency is not null), sales_rows.currency) as sums
    from private.sales_steps(scope, period, group_by) as t
    left join unnest(sums) as s on t.step = case group_by
      when 'hour' then private.local_text(s.hour, scope.time_zone)
      else date_trunc(group_by, s.day)::date::text
    end
    group by t.step, t.position
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('date', t.step) || private.sales_figures(t.sums) order by t.position), '[]'
  )
  from steps t
$$;
comment on function private.sales_rows is 'Sales by the steps of a period, including empty steps.';

create function private.sales_report(
  asked private.analytics_scope, period private.analytics_period, group_by text, basis text, currency text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  by_day private.sales_basis := private.checked_basis(sales_report.basis);
  key text := case sales_report.group_by when 'hour' then 'hour' else 'day' end;
  sums private.sales_sum[] := array(
    select s from private.sum_sales(scope, by_day, period.since, period.until, null, array[key]) as s
  );
  report_currency text := private.report_currency(scope, sales_report.currency, sums);
  during private.sales_sum := private.sum_in(sums, report_currency);
  before private.sales_sum := private.sum_in(
    array(
      select s
      from private.sum_sales(scope, by_day, period.before_since, period.before_until, period.before_ends_at, '{}') as s
    ),
    report_currency
  );
begin
  return private.report_heading(scope, period) || jsonb_build_object(
    'group_by', sales_report.group_by,
    'basis', by_day,
    'currency', report_currency,
    'other_currencies', private.other_currencies(sums, report_currency),
    'data', private.sales_rows(scope, period, sales_report.group_by, report_currency, sums),
    'summary', jsonb_build_object(
      'total_revenue', private.revenue_of(during), 'total_orders', during.orders,
      'growth_rate', private.change_of(private.revenue_of(during), private.revenue_of(before))
    ) || private.sales_figures(during) - '{revenue,orders}'::text[] || private.payment_figures(scope, during)
  );
end
$$;
comment on function private.sales_report is 'Sales by hour, day, week, month or quarter, and their sum.';

create function private.sources_of(scope private.analytics_scope, sums private.sales_sum[], currency text)
returns table (id text, name text, revenue numeric, orders bigint)
language sql immutable set search_path = ''
as $$
  select source.id, source.name, source.revenue, source.orders
  from private.sum_in(
    array(select s from unnest(sums) as s where s.supplier_id is null), currency
  ) as own
  cross join private.sum_in(sums, currency) as whole
  cross join lateral (
    values
      ('sales', 'Sales', private.revenue_of(own), own.orders),
      -- Commission covers all that a supplier sold in an order, in any category.
      ('commissions', 'Commissions', case when scope.categories is null then whole.commission end, null),
      ('promotion', 'Promotion', whole.promotion, null)
  ) as source (id, name, revenue, orders)
$$;
comment on function private.sources_of is
  'What the operator itself earns: its own sales, commissions (null with a category) and promotion.';

create function private.named_sums(sums private.sales_sum[], currency text, key text)
returns table (id text, name text, revenue numeric, orders bigint)
language sql stable security definer set search_path = ''
as $$
  select
    s.id::text,
    case key
      when 'marketplace' then (select m.name from public.marketplaces m where m.id = s.id)
      when 'supplier' then (select u.name from public.suppliers u where u.id = s.id)
      when 'category' then (select c.name from public.categories c where c.id = s.id)
      when 'product' then (select p.name from public.products p where p.id = s.id)
    end,
    s.revenue, s.orders
  from (
    select
      case key
        when 'marketplace' then s.marketplace_id when 'supplier' then s.supplier_id
        when 'category' then s.category_id when 'product' then s.product_id
      end as id,
      sum(private.revenue_of(s)) as revenue, sum(s.orders)::bigint as orders
    from unnest(sums) as s
    where s.currency = named_sums.currency
    group by 1
    having sum(s.orders) > 0 or sum(private.revenue_of(s)) <> 0
    order by 2 desc, 1
    limit 1000
  ) as s
$$;
comment on function private.named_sums is
  'The revenue of each marketplace, supplier, category or product, with its name. id is null for the operator''s own sales and for products without a category. At most 1,000 rows, those with most revenue.';

create function private.breakdown_of(
  scope private.analytics_scope, period private.analytics_period, key text, basis private.sales_basis, currency text
) returns jsonb
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
declare
  column_name text := case key when 'source' then 'supplier_id' else key || '_id' end;
  sums private.sales_sum[] := array(
    select s from private.sum_sales(scope, breakdown_of.basis, period.since, period.until, null, array[column_name]) as s
  );
begin
  return (
    with rows as (
      select r.* from private.sources_of(scope, sums, breakdown_of.currency) as r where key = 'source'
      union all
      select r.* from private.named_sums(sums, breakdown_of.currency, key) as r where key <> 'source'
    )
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', r.id, 'name', r.name, 'revenue', r.revenue, 'orders', r.orders,
          'share', private.percent_of(r.revenue, case key
            when 'source' then (select sum(t.revenue) from rows t)
            else private.revenue_of(private.sum_in(sums, breakdown_of.currency))
          end)
        )
        order by r.revenue desc nulls last, r.id
      ),
      '[]'
    )
    from rows r
  );
end
$$;
comment on function private.breakdown_of is 'The origins of a period''s revenue, each with its share in percent.';

create function private.revenue_report(
  asked private.analytics_scope, period private.analytics_period, by text, group_by text, basis text, currency text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  sales jsonb := private.sales_report(
    scope, period, revenue_report.group_by, revenue_report.basis, revenue_report.currency
  );
begin
  perform private.insist_on_by(by);
  return sales - 'summary' || jsonb_build_object(
    'by', by,
    'total', sales #> '{summary,total_revenue}',
    'change', private.change_text((sales #>> '{summary,growth_rate}')::numeric),
    'breakdown', private.breakdown_of(
      scope, period, by, revenue_report.basis::private.sales_basis, sales ->> 'currency'
    )
  );
end
$$;
comment on function private.revenue_report is 'Revenue by time and by origin.';

create function private.top_products_report(
  asked private.analytics_scope, period private.analytics_period, "limit" integer, by text, basis text, currency text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  by_day private.sales_basis := private.checked_basis(top_products_report.basis);
  totals private.sales_sum[] := array(
    select s from private.sum_sales(scope, by_day, period.since, period.until, null, '{}') as s
  );
  report_currency text := private.report_currency(scope, top_products_report.currency, totals);
  products jsonb;
begin
  perform private.insist(by in ('revenue', 'sales_count'), 'by', 'revenue or sales_count', to_jsonb(by));
  perform private.insist("limit" >= 1, 'limit', 'a number of at least 1', to_jsonb("limit"));
  with best as (
    select row_number() over () as rank, s.product_id as id, s.revenue, s.pieces as sales_count
    from private.sell_best(
      scope, by_day, period.since, period.until, null, report_currency, by, least("limit", 100)
    ) as s
  ),
  before as (
    select s.product_id as id, s.revenue
    from private.sell_best(
      scope, by_day, period.before_since, period.before_until, period.before_ends_at, report_currency, by, 100,
      array(select b.id from best b)
    ) as s
  )
  select jsonb_agg(
    jsonb_build_object(
      'id', b.id, 'name', p.name, 'sales_count', b.sales_count, 'revenue', b.revenue, 'rank', b.rank,
      'change', private.change_text(private.change_of(b.revenue, a.revenue))
    )
    order by b.rank
  )
  into products
  from best b
  left join before a on a.id = b.id
  left join public.products p on p.tenant_id = scope.tenant_id and p.id = b.id;
  return private.report_heading(scope, period) || jsonb_build_object(
    'by', by, 'basis', by_day, 'currency', report_currency,
    'other_currencies', private.other_currencies(totals, report_currency), 'products', coalesce(products, '[]')
  );
end
$$;
comment on function private.top_products_report is
  'The best-selling products, by revenue or by pieces (minus cancelled and returned ones), at most 100.';

-- functions: the API ---------------------------------------------------------------------------

create function public.analytics_overview(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  period text default '30d', "from" date default null, "to" date default null,
  currency text default null, basis text default 'booked'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.overview_report(
    scope, private.analytics_period(scope.time_zone, period, "from", "to"), basis, currency
  );
end
$$;
comment on function public.analytics_overview is
  'For admins and clients, and for suppliers about their own sales: revenue, orders, customers and conversion of a period (today, yesterday, 7d, 30d, 90d, 1y, custom with from and to), compared with the same number of days just before.';

create function public.analytics_sales(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  period text default '30d', "from" date default null, "to" date default null,
  group_by text default 'day', currency text default null, basis text default 'booked'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.sales_report(
    scope, private.analytics_period(scope.time_zone, period, "from", "to"), group_by, basis, currency
  );
end
$$;
comment on function public.analytics_sales is
  'For admins and clients, and for suppliers about their own sales: sales of a period by hour, day, week, month or quarter, and their sum.';

create function public.analytics_revenue(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  period text default '30d', "from" date default null, "to" date default null,
  by text default 'marketplace', group_by text default 'day', currency text default null, basis text default 'booked'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.revenue_report(
    scope, private.analytics_period(scope.time_zone, period, "from", "to"), by, group_by, basis, currency
  );
end
$$;
comment on function public.analytics_revenue is
  'For admins and clients, and for suppliers about their own sales: revenue of a period by time, and by marketplace, category, supplier, product or source.';

create function public.analytics_top_products(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  period text default '30d', "from" date default null, "to" date default null,
  "limit" integer default 10, by text default 'revenue', currency text default null, basis text default 'booked'
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.top_products_report(
    scope, private.analytics_period(scope.time_zone, period, "from", "to"), "limit", by, basis, currency
  );
end
$$;
comment on function public.analytics_top_products is
  'For admins and clients, and for suppliers about their own sales: the best-selling products of a period, by revenue or sales_count, at most 100.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.overview_report, private.sales_report, private.revenue_report, private.top_products_report
to authenticated;
grant execute on function
  public.analytics_overview, public.analytics_sales, public.analytics_revenue, public.analytics_top_products
to authenticated;

-- supabase/schemas/analytics/1050_customer_reports.sql

-- Reports about customers: segments, and cohorts by the month of the first order.

-- types ----------------------------------------------------------------------------------------

create type private.segmented_customer as (
  customer_id uuid, segment text, orders bigint, revenue numeric, first_ordered_at timestamptz, last_ordered_at timestamptz
);
comment on type private.segmented_customer is
  'A customer who ordered, with its segment. orders, revenue: within 365 days.';

-- functions ------------------------------------------------------------------------------------

create function private.segments() returns table (name text, criteria text, "position" integer)
language sql immutable set search_path = ''
as $$
  values
    ('prospects', 'Never ordered', 1),
    ('lost', 'Last order more than 180 days ago', 2),
    ('at_risk', 'Last order 90 to 180 days ago', 3),
    ('vip', '5 orders or more within 365 days, or 2 or more and among the tenth of customers with most revenue', 4),
    ('new', 'First order within 30 days', 5),
    ('returning', 'Every other customer who ordered within 90 days', 6)
$$;
comment on function private.segments is
  'The segments in the order in which they are tested: a customer is in the first one that matches.';

create function private.segmented_customers(scope private.analytics_scope, currency text)
returns setof private.segmented_customer
-- One query, because Postgres stores the rows that a function returns.
language plpgsql stable security definer set search_path = ''
as $$
declare
  today date := (now() at time zone scope.time_zone)::date;
  from_rollups boolean := private.rolls_up_customers(scope);
  span private.sales_span := private.sales_span(scope, from_rollups, today - 364, today, null);
begin
  return query execute format(
    $query$
      with year as materialized (
        select
          s.customer_id, sum(s.orders) as orders, coalesce(sum(s.revenue) filter (where s.currency = $8), 0) as revenue
        from (%s) as s
        group by s.customer_id
      ),
      -- The last customer of the top tenth.
      last as (
        select y.revenue, y.customer_id
        from year y
        where y.orders > 0
        order by y.revenue desc, y.customer_id
        offset (select greatest(ceil(count(*) / 10.0) - 1, 0) from year y where y.orders > 0)
        limit 1
      )
      select
        e.customer_id,
        case
          when e.last_ordered_at < $9 then 'lost'
          when e.last_ordered_at < $10 then 'at_risk'
          when y.orders >= 5 or y.orders >= 2 and (y.revenue > l.revenue or y.revenue = l.revenue and y.customer_id <= l.customer_id)
            then 'vip'
          when e.first_ordered_at >= $11 then 'new'
          else 'returning'
        end,
        coalesce(y.orders, 0), coalesce(y.revenue, 0), e.first_ordered_at, e.last_ordered_at
      from (
        select
          o.customer_id, min(o.first_ordered_at) as first_ordered_at, max(o.last_ordered_at) as last_ordered_at
        from (%s) as o
        group by o.customer_id
      ) as e
      left join year y on y.customer_id = e.customer_id
      left join last l on true
    $query$,
    private.customer_query(scope, from_rollups), private.ordering_query(scope)
  )
  using
    scope, span.since, span.whole_until, span.starts_at, span.whole_ends_at, span.book_starts_at, span.ends_at, currency,
    (today - 180)::timestamp at time zone scope.time_zone, (today - 89)::timestamp at time zone scope.time_zone,
    (today - 29)::timestamp at time zone scope.time_zone;
end
$$;
comment on function private.segmented_customers is 'Every customer who ordered in a scope, with its segment.';

create function private.prospects(scope private.analytics_scope) returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- A supplier does not see the tenant's other customers.
  if scope.supplier_id is null then
    return query execute format(
      $query$
        select c.id
        from public.customers c
        where c.tenant_id = ($1).tenant_id
          and not c.is_guest
          and not exists (select from (%s) as r where r.customer_id = c.id)
      $query$,
      private.ordering_query(scope)
    )
    using scope;
  end if;
end
$$;
comment on function private.prospects is 'Customers who never ordered in a scope, without guests; none for a supplier.';

create function private.segment_currency(scope private.analytics_scope, period private.analytics_period, currency text)
returns text
language sql stable security definer set search_path = ''
as $$
  select private.report_currency(
    scope, currency,
    array(select s from private.sum_sales(scope, 'booked', period.since, period.until, null, '{}') as s)
  )
$$;
comment on function private.segment_currency is 'The currency of a report about customers.';

create function private.segments_report(asked private.analytics_scope, currency text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  period private.analytics_period := private.analytics_period(scope.time_zone, '1y', null, null);
  report_currency text := private.segment_currency(scope, period, segments_report.currency);
  segments jsonb;
begin
  with counted as materialized (
    select s.segment, count(*) as count, sum(s.revenue) as revenue
    from private.segmented_customers(scope, report_currency) as s
    group by s.segment
  )
  select jsonb_agg(
    jsonb_build_object(
      'name', s.name, 'criteria', s.criteria,
      'count', case s.name when 'prospects' then (select count(*) from private.prospects(scope)) else coalesce(c.count, 0) end,
      'revenue', coalesce(c.revenue, 0),
      'revenue_share', coalesce(private.percent_of(c.revenue, (select sum(a.revenue) from counted a)), 0)
    )
    order by s.position
  )
  into segments
  from private.segments() as s
  left join counted c on c.segment = s.name;
  return private.report_heading(scope, period) || jsonb_build_object('currency', report_currency, 'segments', segments);
end
$$;
comment on function private.segments_report is 'The number of customers of each segment, and their share of the revenue within 365 days.';

create function private.segment_customers_report(
  asked private.analytics_scope, segment text, currency text, page integer, "limit" integer
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  period private.analytics_period := private.analytics_period(scope.time_zone, '1y', null, null);
  report_currency text := private.segment_currency(scope, period, segment_customers_report.currency);
  size integer := least(greatest("limit", 1), 1000);
  -- Suppliers see no names and addresses.
  sees_people boolean := private.reads_all();
  listed jsonb;
begin
  if not exists (select from private.segments() as s where s.name = segment_customers_report.segment) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such segment.', 'name', to_jsonb(segment_customers_report.segment)
    );
  end if;
  with found as materialized (
    select s.customer_id, s.orders, s.revenue, s.first_ordered_at, s.last_ordered_at
    from private.segmented_customers(scope, report_currency) as s
    where s.segment = segment_customers_report.segment
    union all
    select p.customer_id, 0, 0, null, null
    from private.prospects(scope) as p (customer_id)
    where segment_customers_report.segment = 'prospects'
  )
  select jsonb_build_object(
    'customers', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'id', c.id, 'name', case when sees_people then c.name end,
            'email', case when sees_people then coalesce(c.email, c.contact_email) end,
            'created_at', c.created_at, 'orders', f.orders, 'revenue', f.revenue,
            'first_ordered_at', f.first_ordered_at, 'last_ordered_at', f.last_ordered_at
          )
          order by f.revenue desc, f.customer_id
        ),
        '[]'
      )
      from (
        select * from found order by revenue desc, customer_id limit size offset (greatest(page, 1)::bigint - 1) * size
      ) as f
      join public.customers c on c.tenant_id = scope.tenant_id and c.id = f.customer_id
    ),
    'total', (select count(*) from found)
  )
  into listed;
  return private.report_heading(scope, period)
    || jsonb_build_object('name', segment_customers_report.segment, 'currency', report_currency) || listed;
end
$$;
comment on function private.segment_customers_report is
  'A page of a segment''s customers, those with most revenue within 365 days first; without names and addresses for a supplier. Refuses an unknown segment with NOT_FOUND.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.months_between(earlier date, later date) returns integer
language sql immutable
return 12 * (extract(year from later) - extract(year from earlier)) + extract(month from later) - extract(month from earlier);
comment on function private.months_between is 'The number of months from one month to another.';

create function private.cohort_rows(
  scope private.analytics_scope, months integer, currency text
) returns table (cohort date, customers bigint, months_after integer, ordered bigint, revenue numeric)
language sql stable security definer set search_path = ''
as $$
  with clock as (
    select
      (now() at time zone scope.time_zone)::date as today,
      (date_trunc('month', now() at time zone scope.time_zone) - make_interval(months => months - 1))::date as since
  ),
  first_month as materialized (
    select f.customer_id, f.cohort
    from (
      select
        r.customer_id, date_trunc('month', min(r.first_ordered_at) at time zone scope.time_zone)::date as cohort
      from private.ordering_rows(scope) as r
      group by r.customer_id
    ) as f
    where f.cohort >= (select c.since from clock c)
  ),
  sized as (
    select f.cohort, count(*) as customers from first_month f group by f.cohort
  )
  select
    s.cohort, s.customers, m.months_after, m.ordered, coalesce(m.revenue, 0)
  from sized s
  join (
    select
      o.cohort, o.months_after, count(*) filter (where o.orders > 0) as ordered, sum(o.revenue) as revenue
    from (
      select
        f.cohort, r.customer_id,
        private.months_between(f.cohort, r.day) as months_after,
        sum(r.orders) as orders, sum(r.revenue) filter (where r.currency = cohort_rows.currency) as revenue
      from clock c
      cross join lateral private.customer_rows(scope, c.since, c.today, null) as r
      join first_month f on f.customer_id = r.customer_id
      group by 1, 2, 3
    ) as o
    group by 1, 2
  ) as m using (cohort)
$$;
comment on function private.cohort_rows is
  'The cohorts by month of the first order: the number of customers, and for each month after it how many ordered and their revenue.';

create function private.cohorts_report(
  asked private.analytics_scope, type text, months integer, currency text
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scope private.analytics_scope := private.checked_scope(asked);
  today date := (now() at time zone scope.time_zone)::date;
  -- The days of the report, for restated_at.
  period private.analytics_period;
  report_currency text;
  cohorts jsonb;
begin
  perform private.insist(type in ('retention', 'revenue'), 'type', 'retention or revenue', to_jsonb(type));
  perform private.insist(months between 1 and 36, 'months', 'a number from 1 to 36', to_jsonb(months));
  period := private.analytics_period(
    scope.time_zone, 'custom', (date_trunc('month', today::timestamp) - make_interval(months => months - 1))::date, today
  );
  report_currency := private.segment_currency(scope, period, cohorts_report.currency);
  with counted as materialized (select r.* from private.cohort_rows(scope, months, report_currency) as r),
  cell as (
    select
      m.month, k.k, max(r.customers) over (partition by m.month) as customers, r.ordered,
      sum(coalesce(r.revenue, 0)) over (partition by m.month order by k.k) as revenue
    from (
      select g.month::date as month
      from generate_series(period.since, date_trunc('month', today::timestamp), interval '1 month') as g (month)
    ) as m
    cross join lateral generate_series(0, private.months_between(m.month, today)) as k (k)
    left join counted r on r.cohort = m.month and r.months_after = k.k
  )
  select jsonb_agg(monthly.cohort order by monthly.month)
  into cohorts
  from (
    select
      c.month,
      jsonb_build_object('period', to_char(c.month, 'YYYY-MM'), 'users', coalesce(max(c.customers), 0))
        || jsonb_build_object(type, case
          when max(c.customers) is null then '[]'
          when type = 'retention' then
            jsonb_agg(coalesce(private.percent_of(c.ordered, c.customers), 0) order by c.k)
          else jsonb_agg(private.rounded(c.revenue / c.customers, report_currency) order by c.k)
        end) as cohort
    from cell c
    group by c.month
  ) as monthly;
  return private.report_heading(scope, period)
    || jsonb_build_object('type', type, 'currency', report_currency, 'cohorts', cohorts);
end
$$;
comment on function private.cohorts_report is
  'The cohorts by month of the first order: the percentage that ordered in each month after it (retention), or the revenue per customer up to then (revenue).';

-- functions: the API ---------------------------------------------------------------------------

create function public.analytics_segments(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null, currency text default null
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.segments_report(scope, currency);
end
$$;
comment on function public.analytics_segments is
  'For admins and clients, and for suppliers about their own buyers: the number of customers who are prospects, lost, at_risk, vip, new and returning, and their share of the revenue within 365 days.';

create function public.analytics_segment_customers(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  segment text default 'vip', currency text default null, page integer default 1, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.segment_customers_report(scope, segment, currency, page, "limit");
end
$$;
comment on function public.analytics_segment_customers is
  'For admins and clients, and for suppliers about their own buyers, without names and addresses: a page of the customers of a segment.';

create function public.analytics_cohorts(
  marketplace_id uuid default null, supplier_id uuid default null, category uuid default null,
  type text default 'retention', months integer default 12, currency text default null
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  scope private.analytics_scope := private.analytics_scope(marketplace_id, supplier_id, category);
begin
  return private.cohorts_report(scope, type, months, currency);
end
$$;
comment on function public.analytics_cohorts is
  'For admins and clients, and for suppliers about their own buyers: customers by month of their first order, and how many come back (retention) or their revenue (revenue), month by month.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.segments_report, private.segment_customers_report, private.cohorts_report
to authenticated;
grant execute on function
  public.analytics_segments, public.analytics_segment_customers, public.analytics_cohorts
to authenticated;

-- supabase/schemas/orders/1055_booked_orders.sql

-- The orders behind a figure: orders with a line of the book of sales between two times.

-- functions ------------------------------------------------------------------------------------

create function private.booked_order_ids(booked_from text, booked_to text) returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
  starts_at timestamptz := coalesce(private.moment_of(booked_from, 'booked_from'), '-infinity');
  ends_at timestamptz := coalesce(private.moment_of(booked_to, 'booked_to', is_end => true), 'infinity');
  -- A supplier's request counts only the supplier's own lines.
  own_supplier uuid := private.supplier_id();
begin
  return query
    select distinct s.order_id
    from private.sales s
    where s.tenant_id = tenant
      and s.booked_at >= starts_at
      and s.booked_at < ends_at
      and s.order_id is not null
      and (own_supplier is null or s.supplier_id = own_supplier);
end
$$;
comment on function private.booked_order_ids is 'The orders with a line of the book from one time to before another; for a supplier, with a line of its own.';

create function public.booked_orders(booked_from text default null, booked_to text default null)
returns setof public.order_details
language sql stable set search_path = ''
as $$
  select d.* from public.order_details d where d.id in (select private.booked_order_ids(booked_from, booked_to))
$$;
comment on function public.booked_orders is
  'The caller''s orders that were placed, cancelled, returned, paid or refunded from one time to before another: times with an offset, or dates, which are days of the tenant''s time zone (booked_to includes its day). They can be filtered and sorted like order_details.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.booked_order_ids to authenticated;
grant execute on function public.booked_orders to authenticated;

-- supabase/schemas/orders/1056_order_search.sql

-- Orders by number, name or e-mail address.

-- functions: texts -----------------------------------------------------------------------------

create function private.name_text(variadic words text[]) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return concat(' ', private.sort_name(array_to_string(words, ' ')), ' ');
end
$$;
comment on function private.name_text is
  'Names and addresses in the form that searches compare: folded, with a space at both ends. Nulls are left out.';

-- indexes --------------------------------------------------------------------------------------

-- Without fastupdate, because every search would read the whole pending list. An order that they leave out has nothing but
-- its number.
create index orders_names_idx on public.orders using gin (
  private.grams(tenant_id, private.name_text(contact ->> 'name', contact ->> 'email', shipping_address ->> 'name'))
) with (fastupdate = off) where contact is not null or shipping_address ? 'name';
create index customers_names_idx on public.customers using gin (
  private.grams(tenant_id, private.name_text(name, email, contact_email))
) with (fastupdate = off) where name <> '' or email is not null or contact_email is not null;

-- functions: search ----------------------------------------------------------------------------

create function private.parts_of_name(search text) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  -- An index of three letters finds any part of a word from three letters on, the beginning of a word with two, and a word
  -- of one letter.
  return array(
    select case char_length(part) when 1 then ' ' || part || ' ' when 2 then ' ' || part else part end
    from regexp_split_to_table(btrim(private.sort_name(search)), ' +') as part
    where part <> ''
  );
end
$$;
comment on function private.parts_of_name is 'The parts that a name must contain to be found by a search, folded as in name_text.';

create function private.contains_all(words text, parts text[]) returns boolean
language sql immutable
return not exists (select from unnest(parts) as p (part) where strpos(words, p.part) = 0);
comment on function private.contains_all is 'Whether a text contains all parts.';

create function private.grams_of_parts(tenant uuid, parts text[]) returns bigint[]
language sql immutable set search_path = ''
return array(select gram from unnest(parts) as p (part) cross join unnest(private.grams(tenant, p.part)) as gram);
comment on function private.grams_of_parts is
  'The sequences of three letters that a name must contain to have all parts, as in private.grams.';

-- These two have no SET clause, so that Postgres inlines them into the calling query and uses the indexes above.
create function private.orders_by_name(tenant uuid, parts text[], wanted bigint[])
returns table (order_id uuid, customer_id uuid)
language sql stable
begin atomic
  select o.id, o.customer_id
  from public.orders o
  where wanted <> '{}'
    and (o.contact is not null or o.shipping_address ? 'name')
    and private.grams(
      o.tenant_id, private.name_text(o.contact ->> 'name', o.contact ->> 'email', o.shipping_address ->> 'name')
    ) @> wanted
    and o.tenant_id = tenant
    and private.contains_all(
      private.name_text(o.contact ->> 'name', o.contact ->> 'email', o.shipping_address ->> 'name'), parts
    );
end;
comment on function private.orders_by_name is
  'The orders of a tenant whose contact or shipping address has a name or an e-mail address with all parts. wanted: their grams; without any, no order is found.';

create function private.customers_by_name(tenant uuid, parts text[], wanted bigint[]) returns table (customer_id uuid)
language sql stable
begin atomic
  select c.id
  from public.customers c
  where wanted <> '{}'
    and (c.name <> '' or c.email is not null or c.contact_email is not null)
    and private.grams(c.tenant_id, private.name_text(c.name, c.email, c.contact_email)) @> wanted
    and c.tenant_id = tenant
    and private.contains_all(private.name_text(c.name, c.email, c.contact_email), parts);
end;
comment on function private.customers_by_name is
  'The customers of a tenant whose account has a name or an e-mail address with all parts. wanted: their grams; without any, no customer is found.';

create function private.found_order_ids(search text) returns setof uuid
-- A plan from when the tables were empty, which a session keeps, would scan them.
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  role public.member_role := private.tenant_role();
  own_customer uuid := private.customer_id();
  parts text[] := private.parts_of_name(search);
  wanted bigint[] := private.grams_of_parts(tenant, parts);
  numbered text := substring(btrim(private.sort_name(search)) from '^#?([0-9]{1,18})$');
begin
  if private.searched(search) is null then
    return query select o.id from public.orders o where o.tenant_id = tenant;
    return;
  end if;
  -- A supplier reads orders with its items, and nothing of their customers' accounts. The policies of orders decide which
  -- of these orders the caller sees.
  return query
    select o.id from public.orders o where o.tenant_id = tenant and o.number = numbered::bigint
    union
    select o.id from public.orders o where o.tenant_id = tenant and o.external_id = btrim(search)
    union
    select n.order_id from private.orders_by_name(tenant, parts, wanted) n
    union
    select o.id
    from private.customers_by_name(tenant, parts, wanted) n
    join public.orders o on o.tenant_id = tenant and o.customer_id = n.customer_id
    where private.reads_all(role) or n.customer_id = own_customer;
end
$$;
comment on function private.found_order_ids is
  'The orders of the caller''s tenant with a number, an external_id, a name or an e-mail address that a search finds; all orders for a search without a visible character. Among customers'' accounts, only those that the caller sees.';

create function public.found_orders(
  search text default null, booked_from text default null, booked_to text default null
) returns setof public.order_details
language sql stable set search_path = ''
as $$
  select d.*
  from public.order_details d
  where d.id in (select private.found_order_ids(search))
    and (
      coalesce(booked_from, booked_to) is null
      or d.id in (select private.booked_order_ids(booked_from, booked_to))
    )
$$;
comment on function public.found_orders is
  'The caller''s orders with a number (also written #12), an external_id, or a name or an e-mail address of the contact, the shipping address or the customer that has all words of the search, in any order. Parts of words from three letters on are found. booked_from, booked_to: as in booked_orders. They can be filtered and sorted like order_details.';

-- grants ---------------------------------------------------------------------------------------

-- The indexes compute them for whoever writes a row.
grant execute on function private.name_text, private.grams to authenticated, service_role;
grant execute on function private.found_order_ids to authenticated;
grant execute on function public.found_orders to authenticated;

-- supabase/schemas/orders/1057_customers.sql

-- The record of a customer, as the API returns it, and the search of customers.

-- indexes --------------------------------------------------------------------------------------

create index customers_tenant_id_address_idx on public.customers (tenant_id, (coalesce(email, contact_email)));
create index orders_addresses_idx on public.orders using gin (
  private.grams(
    tenant_id,
    private.name_text(shipping_address ->> 'street', shipping_address ->> 'postal_code', shipping_address ->> 'city')
  )
) with (fastupdate = off) where shipping_address is not null;

-- views ----------------------------------------------------------------------------------------

create view public.customer_details with (security_invoker = true) as
select
  c.id, c.tenant_id, c.user_id, c.name, coalesce(c.email, c.contact_email) as email, c.is_guest, c.language,
  c.external_id,
  (select count(*) from public.orders o where o.tenant_id = c.tenant_id and o.customer_id = c.id) as orders,
  (
    select o.created_at
    from public.orders o
    where o.tenant_id = c.tenant_id and o.customer_id = c.id
    order by o.created_at desc, o.id
    limit 1
  ) as last_ordered_at,
  c.created_at
from public.customers c;
comment on view public.customer_details is
  'The whole record of a customer, as the API returns it. email: for a guest, the address that it gave in its last order. orders, last_ordered_at: its orders, cancelled ones too. Guests who have not ordered see themselves only, and nobody else sees them.';

-- functions ------------------------------------------------------------------------------------

create function public.sort_name(customer public.customer_details) returns private.sort_text
language sql immutable
return private.sort_name((customer).name);
comment on function public.sort_name(public.customer_details) is
  'The key for sorting customers by name: .order(''sort_name'').';

create function public.create_customer(name text, email text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created uuid;
begin
  insert into public.customers (name, email)
  values (create_customer.name, lower(create_customer.email))
  returning id into created;
  return (select to_jsonb(d) from public.customer_details d where d.id = created);
end
$$;
comment on function public.create_customer is
  'For admins and clients: creates a customer without an account, for whom they can order. Returns the whole record.';

create function private.found_customer_ids(search text) returns setof uuid
-- A plan from when the tables were empty, which a session keeps, would scan them.
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  parts text[] := private.parts_of_name(search);
  wanted bigint[] := private.grams_of_parts(tenant, parts);
begin
  -- The policy of customers decides which of these customers the caller sees.
  if private.searched(search) is null then
    return query select c.id from public.customers c where c.tenant_id = tenant;
    return;
  elsif wanted = '{}' then
    return;
  end if;
  return query
    select n.customer_id from private.customers_by_name(tenant, parts, wanted) n
    union
    select n.customer_id from private.orders_by_name(tenant, parts, wanted) n
    union
    select o.customer_id
    from public.orders o
    where o.shipping_address is not null
      and private.grams(
        o.tenant_id,
        private.name_text(
          o.shipping_address ->> 'street', o.shipping_address ->> 'postal_code', o.shipping_address ->> 'city'
        )
      ) @> wanted
      and o.tenant_id = tenant
      and private.contains_all(
        private.name_text(
          o.shipping_address ->> 'street', o.shipping_address ->> 'postal_code', o.shipping_address ->> 'city'
        ),
        parts
      );
end
$$;
comment on function private.found_customer_ids is
  'The customers of the caller''s tenant whose name or e-mail address, or an order''s contact or address, a search finds; all for a search without a visible character.';

create function public.found_customers(search text default null) returns setof public.customer_details
language sql stable set search_path = ''
as $$
  select d.*
  from public.customer_details d
  where d.id in (select private.found_customer_ids(search))
$$;
comment on function public.found_customers is
  'The customers that the caller sees whose name and e-mail address have all words of the search, in any order; or the contact and name of one of their orders; or the street, postal code and city of one. Parts of words from three letters on are found. They can be filtered and sorted like customer_details.';

-- grants ---------------------------------------------------------------------------------------

grant select on public.customer_details to authenticated;
grant all on public.customer_details to service_role;
grant execute on function public.sort_name(public.customer_details) to authenticated, service_role;
grant execute on function private.found_customer_ids to authenticated;
grant execute on function public.create_customer, public.found_customers to authenticated;

-- supabase/schemas/analytics/1060_dashboards.sql

-- Dashboards: saved sets of figures. A widget's query is a path of the API with its parameters. It is run once when it is
-- saved, with the rights of the caller who saves it, and at every read, with the rights of the caller who reads.

-- tables ---------------------------------------------------------------------------------------

create table public.dashboards (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  supplier_id uuid default private.supplier_id(),
  name text not null,
  widgets jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint dashboards_tenant_id_id_key unique (tenant_id, id),
  constraint dashboards_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint dashboards_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint dashboards_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.dashboards is
  'Saved sets of figures, shared by the tenant''s admins and clients, or by a supplier''s members. widgets: a list of {type, title, query}.';
alter table public.dashboards replica identity using index dashboards_tenant_id_id_key;

create table private.figure_reports (
  path text primary key,
  operation text not null
);
comment on table private.figure_reports is 'The paths below /api/analytics/ that a widget may query, with their functions.';

-- indexes --------------------------------------------------------------------------------------

create index dashboards_owner_idx on public.dashboards (tenant_id, supplier_id, created_at, id);

-- functions: queries ---------------------------------------------------------------------------

create function private.widget_call(query text, out operation text, out arguments jsonb)
language plpgsql stable security definer set search_path = ''
as $$
declare
  parts text[] := regexp_match(query, '^/api/analytics/([a-z/]+)(?:\?([^?]+))?$');
  pairs text[] := string_to_array(parts[2], '&');
  wrong text;
begin
  select r.operation into widget_call.operation from private.figure_reports r where r.path = parts[1];
  if operation is null then
    perform private.refuse(
      'VALIDATION_ERROR',
      format(
        'query must be a path below /api/analytics/ with its parameters. The paths are: %s.',
        (select string_agg(r.path, ', ' order by r.path) from private.figure_reports r)
      )
    );
  end if;
  select p into wrong from unnest(pairs) as p where p !~ '^[a-z_]+=[A-Za-z0-9_-]+$' limit 1;
  if wrong is not null then
    perform private.refuse(
      'VALIDATION_ERROR', format('A parameter must have a name and a value of letters, digits, - and _: %s is wrong.', wrong)
    );
  end if;
  select p into wrong
  from unnest(pairs) as p
  where split_part(p, '=', 1) <> all (
    select a
    from pg_catalog.pg_proc f
    cross join lateral unnest(f.proargnames) as a
    where f.pronamespace = 'public'::regnamespace and f.proname = operation
  )
  limit 1;
  if wrong is not null then
    perform private.refuse('VALIDATION_ERROR', format('%s has no parameter %s.', parts[1], split_part(wrong, '=', 1)));
  end if;
  select coalesce(jsonb_object_agg(split_part(p, '=', 1), split_part(p, '=', 2)), '{}') into arguments
  from unnest(pairs) as p;
  if cardinality(pairs) > (select count(*) from jsonb_object_keys(arguments)) then
    perform private.refuse('VALIDATION_ERROR', 'A parameter may appear only once.');
  end if;
end
$$;
comment on function private.widget_call is
  'The function and arguments of a widget''s query. Refuses an invalid query with VALIDATION_ERROR.';

create function private.asked(query text) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  call record;
  answer jsonb;
  state text;
  code text;
  details text;
  hint text;
begin
  call := private.widget_call(query);
  execute private.call_of(call.operation, call.arguments) into answer using call.arguments;
  return jsonb_build_object('data', answer);
exception
  when data_exception then
    return jsonb_build_object('data', null, 'error', jsonb_build_object(
      'code', 'VALIDATION_ERROR', 'message', 'A parameter has a value of the wrong type.',
      'details', '{}'::jsonb
    ));
  when others then
    get stacked diagnostics
      state = returned_sqlstate, code = message_text, details = pg_exception_detail, hint = pg_exception_hint;
    if state !~ '^PT4' then
      raise;
    end if;
    return jsonb_build_object(
      'data', null, 'error', jsonb_build_object('code', code, 'message', hint, 'details', details::jsonb)
    );
end
$$;
comment on function private.asked is
  'The response of a widget''s query, as data; if it is refused, data is null and error has the reason.';

-- functions: saving ----------------------------------------------------------------------------

create function private.check_widget(widget jsonb, field text, is_asked boolean) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  refusal jsonb;
begin
  perform private.insist_on_keys(widget, field, array['type', 'title', 'query']);
  perform private.insist(
    widget ->> 'type' in ('metric', 'line', 'bar', 'table', 'funnel', 'cohort'), field || '.type',
    'metric, line, bar, table, funnel or cohort', widget -> 'type'
  );
  perform private.insist(
    private.is_text(widget -> 'title', 1, 200) and private.is_more_than_spaces(widget ->> 'title'), field || '.title',
    'a text of 1 to 200 characters', widget -> 'title'
  );
  perform private.insist(
    private.is_text(widget -> 'query', 1, 1000), field || '.query', 'a text of 1 to 1000 characters', widget -> 'query'
  );
  if is_asked then
    refusal := private.asked(widget ->> 'query') -> 'error';
    if refusal is not null then
      perform private.refuse('VALIDATION_ERROR', refusal ->> 'message', field || '.query', widget -> 'query');
    end if;
  else
    perform private.widget_call(widget ->> 'query');
  end if;
end
$$;
comment on function private.check_widget is
  'Refuses with VALIDATION_ERROR an invalid widget, or one whose query fails for the caller.';

create function private.check_dashboard() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  -- Without a caller of the tenant, such as for the service role and for a new tenant, no query is run.
  is_users boolean := coalesce(new.tenant_id = private.tenant_id(), false);
  known text[] := case when tg_op = 'UPDATE' then array(select w ->> 'query' from jsonb_array_elements(old.widgets) as w) else '{}' end;
begin
  perform private.insist(
    case when jsonb_typeof(new.widgets) = 'array' then jsonb_array_length(new.widgets) <= 20 end,
    'widgets', 'a list of at most 20', new.widgets
  );
  perform private.check_widget(
    w.value, format('widgets[%s]', w.position - 1), is_users and coalesce(w.value ->> 'query' <> all (known), true)
  )
  from jsonb_array_elements(new.widgets) with ordinality as w (value, position);
  return new;
end
$$;
comment on function private.check_dashboard() is
  'Row trigger: checks the widgets, and runs each new query once.';

create function private.bound_dashboards() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Inserts of one owner run one after the other, so that each count includes the earlier ones.
  perform private.hold('cap', concat_ws(' ', 'dashboards of', new.tenant_id, new.supplier_id));
  if (
    select count(*)
    from public.dashboards d
    where d.tenant_id = new.tenant_id and d.supplier_id is not distinct from new.supplier_id
  ) > private.cap('dashboards_per_owner') then
    perform private.refuse_beyond('dashboards_per_owner', 'The limit of dashboards is reached. Delete one first.');
  end if;
  return null;
end
$$;
comment on function private.bound_dashboards() is 'Row trigger: refuses a dashboard above the cap dashboards_per_owner.';

create function private.first_dashboard(tenant_id uuid) returns void
language sql security definer set search_path = ''
as $$
  insert into public.dashboards (tenant_id, supplier_id, name, widgets)
  values (
    first_dashboard.tenant_id, null, 'Overview',
    '[
      {"type": "metric", "title": "The last 30 days", "query": "/api/analytics/overview?period=30d"},
      {"type": "line", "title": "Sales by day", "query": "/api/analytics/sales?period=30d&group_by=day"},
      {"type": "bar", "title": "Revenue by category", "query": "/api/analytics/revenue?period=30d&by=category"},
      {"type": "table", "title": "Best sellers", "query": "/api/analytics/products/top?period=30d&limit=10"},
      {"type": "funnel", "title": "From visit to order", "query": "/api/analytics/funnel?period=30d"},
      {"type": "table", "title": "Customers", "query": "/api/analytics/customers/segments"},
      {"type": "cohort", "title": "Who comes back", "query": "/api/analytics/cohorts?type=retention&months=12"}
    ]'
  )
$$;
comment on function private.first_dashboard is 'Makes the dashboard that every tenant starts with.';

create function private.open_with_dashboard() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.first_dashboard(new.id);
  return null;
end
$$;
comment on function private.open_with_dashboard() is 'Row trigger: gives a new tenant its first dashboard.';

-- functions: the API ---------------------------------------------------------------------------

create function public.list_dashboards() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.analytics_scope(null, null, null);
  return jsonb_build_object(
    'dashboards', (select coalesce(jsonb_agg(to_jsonb(d) order by d.created_at, d.id), '[]') from public.dashboards d)
  );
end
$$;
comment on function public.list_dashboards() is
  'For admins, clients and suppliers: their dashboards, the oldest first, as {dashboards: […]}. Refuses with FORBIDDEN.';

create function public.get_dashboard(dashboard_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  found_dashboard public.dashboards;
begin
  perform private.analytics_scope(null, null, null);
  select * into found_dashboard from public.dashboards d where d.id = get_dashboard.dashboard_id;
  if found_dashboard.id is null then
    perform private.refuse('NOT_FOUND', 'There is no such dashboard.');
  end if;
  return to_jsonb(found_dashboard);
end
$$;
comment on function public.get_dashboard is
  'For admins, clients and suppliers: the whole record of one of their dashboards. Refuses with FORBIDDEN, NOT_FOUND.';

create function public.create_dashboard(name text, widgets jsonb default '[]') returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.dashboards;
begin
  insert into public.dashboards (name, widgets)
  values (create_dashboard.name, create_dashboard.widgets)
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function public.create_dashboard is
  'For admins, clients and suppliers: a dashboard of up to 20 widgets, {type: metric | line | bar | table | funnel | cohort, title, query}, where query is a path below /api/analytics/ with its parameters. Returns the whole record. Refuses with FORBIDDEN, LIMIT_REACHED, VALIDATION_ERROR.';

create function public.update_dashboard(dashboard_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.dashboards;
begin
  perform private.known_only(changes, array['name', 'widgets', 'updated_at']);
  update public.dashboards d
  set name = case when changes ? 'name' then changes ->> 'name' else d.name end,
      widgets = case when changes ? 'widgets' then changes -> 'widgets' else d.widgets end
  where d.id = update_dashboard.dashboard_id and private.is_unchanged(d.updated_at, changes)
  returning * into changed;
  if changed.id is null then
    if exists (select 1 from public.dashboards d where d.id = update_dashboard.dashboard_id) then
      perform private.refuse_outdated('dashboard', changes);
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such dashboard.');
  end if;
  return to_jsonb(changed);
end
$$;
comment on function public.update_dashboard is
  'For admins, clients and suppliers: changes the name and the widgets of one of their dashboards, and returns the whole record. Fields that are not sent do not change. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, and with CONFLICT if updated_at is sent and differs from the dashboard''s.';

create function public.analytics_dashboard(dashboard_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return jsonb_build_object('widgets', (
    select coalesce(
      jsonb_agg(
        jsonb_build_object('title', w.value -> 'title', 'type', w.value -> 'type') || private.asked(w.value ->> 'query')
        order by w.position
      ),
      '[]'
    )
    from jsonb_array_elements(public.get_dashboard(dashboard_id) -> 'widgets') with ordinality as w (value, position)
  ));
end
$$;
comment on function public.analytics_dashboard is
  'For admins, clients and suppliers: the data of a dashboard''s widgets, as {widgets: [{title, type, data}]}. data is the response of the query; if that is refused, data is null and error has the reason. Refuses with FORBIDDEN, NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.dashboards for each row execute function private.keep_nfc();

create trigger dashboards_are_changed_by_who_sees_figures
  before insert or update or delete on public.dashboards
  for each statement when (not private.reads_all())
  execute function private.only_for('supplier');

create trigger dashboards_check
  before insert or update of widgets on public.dashboards
  for each row execute function private.check_dashboard();

create trigger dashboards_touch
  before update on public.dashboards
  for each row execute function private.touch();

create trigger dashboards_bound
  after insert on public.dashboards
  for each row execute function private.bound_dashboards();

create trigger tenants_open_with_dashboard
  after insert on public.tenants
  for each row execute function private.open_with_dashboard();

-- policies -------------------------------------------------------------------------------------

alter table public.dashboards enable row level security;
alter table private.figure_reports enable row level security;

create policy "Admins and clients see the tenant's dashboards, suppliers their own" on public.dashboards
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all()) and supplier_id is null
    end
  );

create policy "Admins and clients create the tenant's dashboards, suppliers their own" on public.dashboards
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all()) and supplier_id is null
    end
  );

create policy "Admins and clients change the tenant's dashboards, suppliers their own" on public.dashboards
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all()) and supplier_id is null
    end
  )
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all()) and supplier_id is null
    end
  );

create policy "Admins and clients delete the tenant's dashboards, suppliers their own" on public.dashboards
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all()) and supplier_id is null
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select, delete, insert (name, widgets), update (name, widgets) on public.dashboards to authenticated;
grant all on public.dashboards to service_role;
grant execute on function private.widget_call, private.asked to authenticated, service_role;
grant execute on function
  public.list_dashboards(), public.get_dashboard, public.create_dashboard, public.update_dashboard,
  public.analytics_dashboard
to authenticated;
