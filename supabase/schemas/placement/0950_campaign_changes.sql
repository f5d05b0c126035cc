-- Changes of campaigns by users: create, pause, resume, cancel and review.

-- functions ------------------------------------------------------------------------------------

create function private.product_to_promote(product_id uuid, category_id uuid) returns public.products
language plpgsql security definer set search_path = ''
as $$
declare
  promoted public.products;
begin
  perform private.require_permission('campaigns.write', 'Your role may not create campaigns.');
  -- Discontinuing a product cancels its campaigns. The lock makes sure that it also cancels this one, or that this one
  -- is refused.
  select * into promoted
  from public.products p
  where p.tenant_id = private.tenant_id()
    and p.id = product_to_promote.product_id
    and (private.scope('campaigns.write') = 'all' or p.supplier_id = private.supplier_id())
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

  trusted := private.scope('campaigns.review') is not null or promoted.supplier_id is null or exists (
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
    and (private.scope('campaigns.write') = 'all' or c.supplier_id = private.supplier_id());
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
  perform private.require_permission('campaigns.write', 'Your role may not change campaigns.');
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
  perform private.require_permission('campaigns.review', 'Only admins may review campaigns.');
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
