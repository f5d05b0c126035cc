-- Auctions: which campaigns are shown first, in which order, and what a click costs. Every product list without a
-- requested sort order holds one. Higher bids come first; a campaign pays the lowest price that keeps its slot.

-- types ----------------------------------------------------------------------------------------

create type private.contender as (
  campaign_id uuid, product_id uuid, category_id uuid, product_category_id uuid, supplier_id uuid,
  marketplace_id uuid, bid numeric, min_bid numeric, quality numeric, reason text, merit double precision,
  turn double precision, price numeric, max_slots integer, labels text[], highlighted boolean, pinned boolean,
  place integer
);
comment on type private.contender is
  'A campaign in an auction. min_bid: the lowest bid for its product in this category. reason: why it gets no slot. merit and turn: the order of equal bids. max_slots: that of its category. place: its slot, from 1.';

-- tables ---------------------------------------------------------------------------------------

create table private.auctions (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  placement text not null,
  category_id uuid,
  region text,
  held_at timestamptz not null default now(),
  size integer not null,
  candidates jsonb not null,
  counted boolean not null default false,
  constraint auctions_pkey primary key (tenant_id, id),
  constraint auctions_region_is_at_most_64_characters check (char_length(region) <= 64),
  constraint auctions_placement_is_search_category_similar_or_top_sales
    check (placement in ('search', 'category', 'similar', 'top_sales'))
);
comment on table private.auctions is
  'A share of the auctions of the last day. size: the number of products on the page. candidates: each campaign with its bid, quality, position and price, or the reason why it got no slot. counted: it is included in campaign_auctions.';

create table public.campaign_auctions (
  tenant_id uuid not null,
  campaign_id uuid not null,
  date date not null,
  held bigint not null default 0,
  won bigint not null default 0,
  lost_to_bid bigint not null default 0,
  lost_to_budget bigint not null default 0,
  lost_to_stock bigint not null default 0,
  lost_otherwise bigint not null default 0,
  constraint campaign_auctions_pkey primary key (tenant_id, campaign_id, date),
  constraint campaign_auctions_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references public.campaigns (tenant_id, id) on delete cascade
);
comment on table public.campaign_auctions is
  'The recorded auctions of a campaign on a day of the tenant''s time zone: in how many it took part (held), how many it won, and why it lost the others.';

-- indexes --------------------------------------------------------------------------------------

create index auctions_tenant_id_held_at_idx on private.auctions (tenant_id, held_at desc, id);
create index auctions_category_idx on private.auctions (tenant_id, category_id, held_at desc, id);
create index auctions_held_at_idx on private.auctions (held_at);
create index auctions_uncounted_idx on private.auctions (held_at) where not counted;

-- functions ------------------------------------------------------------------------------------

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.running_campaigns(
  tenant uuid, branch uuid[], explained boolean, among uuid[], at_least numeric, below numeric
) returns setof public.campaigns
language sql stable
begin atomic
  select c.*
  from public.campaigns c
  where running_campaigns.branch is null
    and c.tenant_id = running_campaigns.tenant
    and c.status = 'active'
    and (running_campaigns.among is null or c.product_id = any (running_campaigns.among))
    and (running_campaigns.at_least is null or c.bid_amount >= running_campaigns.at_least)
    and (running_campaigns.below is null or c.bid_amount < running_campaigns.below)
  union all
  select c.*
  from public.campaigns c
  where running_campaigns.branch is not null
    and c.tenant_id = running_campaigns.tenant
    and c.category_id = any (running_campaigns.branch)
    and c.status = 'active'
    and (running_campaigns.among is null or c.product_id = any (running_campaigns.among))
    and (running_campaigns.at_least is null or c.bid_amount >= running_campaigns.at_least)
    and (running_campaigns.below is null or c.bid_amount < running_campaigns.below)
  union all
  select c.*
  from public.campaigns c
  where running_campaigns.explained
    and c.tenant_id = running_campaigns.tenant
    and c.status = 'exhausted'
    and (running_campaigns.branch is null or c.category_id = any (running_campaigns.branch));
end;
comment on function private.running_campaigns is
  'The active campaigns of a tenant in these categories (null: all), for some products (among, null: all) and with some bids (at_least, below); with explained also the exhausted campaigns of the categories.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.asked_of_campaign(
  configured public.placement_categories, usual public.placement_categories, tenant uuid, main text,
  promoted_in uuid, product_category uuid, currency text
) returns table (
  max_slots integer, rotation_minutes integer, display_priority text, is_above boolean, way uuid[],
  min_bid numeric, min_quality numeric
)
language sql stable
begin atomic
  select
    r.max_slots, r.rotation_minutes, r.display_priority, w.is_above, w.way,
    case when w.way is null then r.min_bid else (t.terms).min_bid end,
    coalesce((t.terms).min_quality, r.min_quality)
  from (
    select
      coalesce((configured).max_slots, (usual).max_slots) as max_slots,
      case
        when asked_of_campaign.currency = main then coalesce((configured).min_bid, (usual).min_bid)
        else (
          select s.min_bid from private.placement_prices(configured) as s where s.currency = asked_of_campaign.currency
        )
      end as min_bid,
      coalesce((configured).rotation_minutes, (usual).rotation_minutes) as rotation_minutes,
      coalesce((configured).display_priority, (usual).display_priority) as display_priority,
      coalesce((configured).min_quality, (usual).min_quality) as min_quality
  ) as r
  cross join lateral (
    select
      product_category is distinct from promoted_in as is_above,
      case
        when product_category is distinct from promoted_in
          then private.placement_way(tenant, product_category, promoted_in)
      end as way
    offset 0
  ) as w
  cross join lateral (
    -- Most campaigns are in the category of their product, where no other terms apply.
    select case when w.way is not null then private.placement_terms(tenant, w.way, asked_of_campaign.currency) end as terms
    offset 0
  ) as t;
end;
comment on function private.asked_of_campaign is
  'The terms of the category in which a product is promoted. configured: the row of the category; null if it has none, so that usual applies. main: the tenant''s main currency. is_above: the category is not the product''s own; way: the categories between both, null if the category is no longer an ancestor.';

create function private.closed_categories(tenant_id uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(
    select below.id
    from public.placement_categories f
    cross join lateral unnest(private.category_branch(f.tenant_id, f.category_id)) as below (id)
    where f.tenant_id = closed_categories.tenant_id and f.forbidden
  );
end
$$;
comment on function private.closed_categories is
  'All categories in which promotions are forbidden, as placement_is_forbidden defines it.';

create function private.judged_campaigns(
  tenant uuid, branch uuid[], regions text[], explained boolean, among uuid[], at_least numeric, below numeric
) returns table (
  id uuid, product_id uuid, category_id uuid, product_category_id uuid, supplier_id uuid, bid_amount numeric,
  pricing_model public.pricing_model, marketplace_id uuid, created_at timestamptz, labels text[], highlighted boolean,
  pinned boolean, max_slots integer, min_bid numeric, display_priority text, rotation_minutes integer, way uuid[],
  quality numeric, reason text
)
-- Planned once: 0.97 ms without, 0.08 with, for the places of a category.
language plpgsql stable security definer rows 20 set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  today constant date := private.today(tenant);
  -- The defaults, for categories without a row.
  usual constant public.placement_categories := private.placement_category(tenant, null);
  main constant text := private.main_currency(tenant);
  -- Read beforehand, because a join might read all products of the marketplaces.
  open_marketplaces constant uuid[] := array(
    select m.id from public.marketplaces m where m.tenant_id = tenant and m.status = 'active'
  );
  closed constant uuid[] := private.closed_categories(tenant);
begin
  return query
    with running as materialized (
      select r.* from private.running_campaigns(tenant, branch, explained, among, at_least, below) as r
    )
    select
      k.id, k.product_id, k.category_id, p.category_id, k.supplier_id, k.bid_amount, k.pricing_model,
      k.marketplace_id, k.created_at, k.labels, k.highlighted, k.pinned, a.max_slots, a.min_bid, a.display_priority,
      a.rotation_minutes, a.way, q.quality,
      -- Each row has at most one reason. This expression is evaluated once per row.
      case
        -- clock_timestamp(), because the campaign may have started while this transaction waited for the category's lock.
        when k.start_date > clock_timestamp() or now() >= k.end_date then 'dates'
        when k.category_id = any (closed) or p.category_id = any (closed) then 'forbidden'
        when k.regions is not null and not coalesce(k.regions && judged_campaigns.regions, false) then 'region'
        when p.status = 'out_of_stock' then 'stock'
        when p.status <> 'active' or p.marketplace_id <> all (open_marketplaces) then 'status'
        when a.is_above and a.way is null then 'category'
        when private.is_in_stock(p.id, p.track_inventory) is not true then 'stock'
        when q.quality < a.min_quality then 'quality'
        when k.status = 'exhausted' then 'budget'
        -- A campaign with a daily fee keeps its slots, whatever a click would cost.
        when k.pricing_model = 'fixed' then null
        -- If the category has no prices in the currency, no bid is high enough.
        when (k.bid_amount >= a.min_bid) is not true then 'bid'
        when k.daily_budget - k.bid_amount < coalesce(
          (select s.spend from public.campaign_statistics s where s.campaign_id = k.id and s.date = today), 0
        ) + case
          when k.pricing_model = 'hybrid'
            then (select private.unpaid_fee(c, today) from public.campaigns c where c.id = k.id)
          else 0
        end then 'budget'
      end
    from (select r.*, count(*) over (partition by r.bid_amount) > 1 as is_equalled from running r) as k
    left join public.placement_categories o on o.tenant_id = tenant and o.category_id = k.category_id
    join public.products p on p.tenant_id = tenant and p.id = k.product_id
    cross join lateral private.asked_of_campaign(o, usual, tenant, main, k.category_id, p.category_id, k.currency) as a
    cross join lateral (
      -- Only where it is needed, because nothing else about a product takes as long to compute.
      select case
        when explained or a.min_quality > 0 or k.is_equalled and a.display_priority = 'quality'
          then private.product_quality(p)
      end as quality
      offset 0
    ) as q;
end
$$;
comment on function private.judged_campaigns is
  'The campaigns of running_campaigns with the terms of their category, and the reason why each may get no slot for visitors in these regions; null if it may get one.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.turn_of(campaign_id uuid, rotation_minutes integer) returns double precision
language sql stable
return (
  uuid_hash_extended(campaign_id, floor(date_part('epoch', now()) / (60 * rotation_minutes))::bigint)
  & x'fffffffffffff'::bigint
) / 4503599627370496.0::double precision;
comment on function private.turn_of is
  'A number from 0 to 1 for a campaign that changes with each rotation of its category, so that equal bids take turns.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.merit_of(
  display_priority text, quality numeric, created_at timestamptz, turn double precision
) returns double precision
language sql stable
return case display_priority
  when 'quality' then coalesce(quality::double precision, 0)
  when 'newest' then date_part('epoch', created_at) / 1e10
  else turn
end;
comment on function private.merit_of is
  'The rank of a campaign among equal bids, by the display_priority of its category. The highest comes first.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.price_of_click(bid numeric, min_bid numeric, next_bid numeric) returns numeric
language sql immutable
return least(bid, greatest(min_bid, next_bid));
comment on function private.price_of_click is
  'The price of a click: the next lower bid (null: there is none), at least min_bid and at most the campaign''s own bid.';

create function private.contenders(
  tenant_id uuid, branch uuid[], regions text[] default null, explained boolean default true,
  among uuid[] default null, at_least numeric default null, below numeric default null
) returns setof private.contender
language plpgsql stable security definer rows 20 set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    with ranked as (
      select
        j.*, j.reason is null as may_win, t.turn,
        private.merit_of(j.display_priority, j.quality, j.created_at, t.turn) as merit
      from private.judged_campaigns(
        contenders.tenant_id, contenders.branch, contenders.regions, contenders.explained, contenders.among,
        contenders.at_least, contenders.below
      ) as j
      cross join lateral (select private.turn_of(j.id, j.rotation_minutes) as turn) as t
    ),
    -- Each campaign with the next lower one in its category and marketplace. A campaign that may not get a slot raises no
    -- other that may.
    beside_lower as (
      select
        r.*, lag(r.bid_amount) over lower as lower_bid,
        lag(r.supplier_id) over lower is distinct from r.supplier_id as is_lower_of_another
      from ranked r
      window lower as (
        partition by r.category_id, r.marketplace_id, r.may_win order by r.bid_amount, r.merit, r.turn, r.id desc
      )
    ),
    -- Each campaign with the highest bid below its own that raises its price.
    beside_next as (
      select
        b.*,
        greatest(
          -- A supplier does not raise its own price: if the next lower bid is its own, the one below that counts.
          max(b.lower_bid) filter (where b.is_lower_of_another) over (
            partition by b.category_id, b.marketplace_id, b.may_win order by b.bid_amount, b.merit, b.turn, b.id desc
            rows unbounded preceding
          ),
          -- If an ancestor of the product's category is shown, campaigns in the categories between both compete too.
          case
            when contenders.explained and b.way is not null then (
              select max(o.bid_amount)
              from ranked o
              where o.may_win
                and o.category_id = any (b.way)
                and o.category_id <> b.category_id
                and o.marketplace_id = b.marketplace_id
                and o.supplier_id is distinct from b.supplier_id
                and (o.bid_amount, o.merit, o.turn, b.id) < (b.bid_amount, b.merit, b.turn, o.id)
            )
          end
        ) as next_bid
      from beside_lower b
    )
    select
      n.id, n.product_id, n.category_id, n.product_category_id, n.supplier_id, n.marketplace_id, n.bid_amount, n.min_bid,
      n.quality, n.reason, n.merit, n.turn,
      case when n.pricing_model = 'fixed' then 0 else private.price_of_click(n.bid_amount, n.min_bid, n.next_bid) end,
      n.max_slots, n.labels, n.highlighted, n.pinned, null::integer
    from beside_next n
    order by n.bid_amount desc, n.merit desc, n.turn desc, n.id;
end
$$;
comment on function private.contenders is
  'The campaigns in these categories (null: all of the tenant) for visitors in these regions (null: unknown), in the order in which they get slots. Running campaigns that may get none have a reason: dates, forbidden, region, stock, status, category (its product was moved out of it), quality, budget, bid. Equal bids are ordered by the category''s display_priority, then by turn. Prices are valid only if explained is true and products and bids are not limited (among, at_least, below). Unless explained, quality may be null.';

create function private.first_bids(
  tenant_id uuid, branch uuid[], among uuid[], below numeric, wanted integer
) returns numeric
-- Planned once: 0.29 ms without, 0.07 with, for a whole catalog.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return (
    select min(b.bid_amount)
    from (
      select c.bid_amount
      from (
        select a.bid_amount
        from public.campaigns a
        where first_bids.branch is null
          and a.tenant_id = first_bids.tenant_id
          and a.status = 'active'
          and (first_bids.among is null or a.product_id = any (first_bids.among))
        union all
        select a.bid_amount
        from public.campaigns a
        where first_bids.branch is not null
          and a.tenant_id = first_bids.tenant_id
          and a.category_id = any (first_bids.branch)
          and a.status = 'active'
          and (first_bids.among is null or a.product_id = any (first_bids.among))
      ) as c
      where first_bids.below is null or c.bid_amount < first_bids.below
      order by c.bid_amount desc
      limit wanted
    ) as b
  );
end
$$;
comment on function private.first_bids is
  'The lowest of the highest bids below an amount (null: of all bids), this many of them; null if there are none.';

create function private.places(
  tenant_id uuid, branch uuid[], among uuid[], size integer, region text, explained boolean
) returns setof private.contender
language plpgsql stable security definer rows 10 set search_path = ''
as $$
declare
  open_places integer := floor(size * 0.3);
  taken integer := 0;
  taken_products uuid[] := '{}'::uuid[];
  taken_categories uuid[] := '{}'::uuid[];
  looked_at integer := greatest(16, 4 * open_places);
  below numeric;
  at_least numeric;
  -- Prices need all bids. If among has few products, all of them are looked at just as fast.
  all_at_once boolean := explained or coalesce(cardinality(among) <= looked_at, false);
  contender private.contender;
begin
  if among = '{}' then
    return;
  elsif branch is not null then
    open_places := least(open_places, (private.placement_category(tenant_id, branch[1])).max_slots);
  end if;

  -- Reads the highest bids first, and lower ones only while slots are free, so that a category with a thousand
  -- campaigns takes no longer.
  while explained or taken < open_places loop
    if not all_at_once then
      at_least := private.first_bids(tenant_id, branch, among, below, looked_at);
      exit when at_least is null;
    end if;
    for contender in
      select *
      from private.contenders(
        tenant_id, branch, array[private.nfc(region)], explained, case when not explained then among end, at_least, below
      )
    loop
      continue when not coalesce(contender.product_id = any (among), true)
        or not coalesce(contender.product_category_id = any (branch), branch is null);
      if contender.reason is null then
        contender.reason := case
          when contender.product_id = any (taken_products) then 'product'
          when taken >= open_places
            or cardinality(array_positions(taken_categories, contender.category_id)) >= contender.max_slots
            then 'outbid'
        end;
        if contender.reason is null then
          taken := taken + 1;
          contender.place := taken;
          taken_products := taken_products || contender.product_id;
          taken_categories := taken_categories || contender.category_id;
        end if;
      end if;
      if explained or contender.place is not null then
        return next contender;
      end if;
      exit when taken >= open_places and not explained;
    end loop;
    exit when all_at_once;
    below := at_least;
    looked_at := looked_at * 4;
  end loop;
end
$$;
comment on function private.places is
  'The campaigns that get the first slots on a page of size products: at most 30 % of the page, at most max_slots of each category and of the first category of the branch, and each product once. With explained also all other campaigns with the reason: those of contenders, product (it has a slot already), outbid.';

create function private.click_price(campaign_id uuid) returns table (price numeric, explanation jsonb)
language plpgsql stable security definer set search_path = ''
as $$
declare
  campaign public.campaigns;
  way uuid[];
  min_bid numeric;
  contender private.contender;
  below numeric;
  at_least numeric;
  looked_at integer := 8;
  is_passed boolean := false;
  next_bid numeric;
begin
  select c.* into campaign from public.campaigns c where c.id = campaign_id;
  if not found then
    return;
  end if;
  if campaign.pricing_model = 'fixed' then
    return query select 0::numeric, jsonb_build_object('priced_by', 'fee');
    return;
  end if;
  way := private.campaign_way(campaign);
  -- The operator may have removed the category's prices in this currency since.
  min_bid := coalesce((private.placement_terms(campaign.tenant_id, way, campaign.currency)).min_bid, 0);

  -- First campaigns with the same bid, then lower ones until the first that may get a slot.
  below := campaign.bid_amount + 0.01;
  while next_bid is null loop
    at_least := private.first_bids(campaign.tenant_id, way, null, below, looked_at);
    exit when at_least is null;
    for contender in
      select *
      from private.contenders(campaign.tenant_id, way, campaign.regions, false, null, at_least, below)
    loop
      is_passed := is_passed or contender.bid < campaign.bid_amount;
      if contender.campaign_id = campaign_id then
        is_passed := true;
      elsif is_passed
        and contender.reason is null
        and contender.marketplace_id = campaign.marketplace_id
        and contender.supplier_id is distinct from campaign.supplier_id
      then
        next_bid := contender.bid;
        exit;
      end if;
    end loop;
    below := at_least;
    looked_at := looked_at * 4;
  end loop;

  price := private.price_of_click(campaign.bid_amount, min_bid, next_bid);
  explanation := jsonb_build_object(
    'bid_amount', campaign.bid_amount,
    'min_bid', min_bid,
    'priced_by', case
      when price = campaign.bid_amount then 'own_bid'
      when next_bid > min_bid then 'next_bid'
      else 'min_bid'
    end
  );
  return next;
end
$$;
comment on function private.click_price is
  'The current price of a click for a campaign: the next lower bid of another supplier in its marketplace that may get a slot in its category, or in a category between that and the product''s own. The price is at least the highest min_bid of these categories and at most the campaign''s bid; 0 if the campaign pays a fee instead. explanation: {bid_amount, min_bid, priced_by}, which names no competitor.';

create function private.check_region(region text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if char_length(region) > 64 then
    perform private.refuse('VALIDATION_ERROR', 'region must have at most 64 characters.', 'region', to_jsonb(region));
  end if;
end
$$;
comment on function private.check_region is 'Refuses with VALIDATION_ERROR a region of more than 64 characters.';

create function private.hold_auction(placement text, branch uuid[], among uuid[], size integer, region text)
returns table (
  place integer, product_id uuid, campaign_id uuid, labels text[], highlighted boolean, pinned boolean
)
language plpgsql security definer rows 10 set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant constant uuid := private.tenant_id();
  is_kept constant boolean := random() < coalesce(
    (select s.auction_log_share from public.placement_settings s where s.tenant_id = tenant), 0.1
  );
  held private.contender[];
begin
  perform private.check_region(hold_auction.region);
  if not is_kept or tenant is null then
    return query
      select h.place, h.product_id, h.campaign_id, h.labels, h.highlighted, h.pinned
      from private.places(
        tenant, hold_auction.branch, hold_auction.among, hold_auction.size, hold_auction.region, false
      ) as h;
    return;
  end if;

  held := array(
    select h
    from private.places(tenant, hold_auction.branch, hold_auction.among, hold_auction.size, hold_auction.region, true) as h
  );
  if held <> '{}' then
    insert into private.auctions (tenant_id, placement, category_id, region, size, candidates)
    select
      tenant, hold_auction.placement, hold_auction.branch[1], hold_auction.region, hold_auction.size,
      jsonb_agg(
        jsonb_build_object(
          'campaign_id', h.campaign_id, 'product_id', h.product_id, 'bid_amount', h.bid, 'quality', h.quality,
          'eligible', h.reason is null or h.reason in ('outbid', 'product'), 'reason', h.reason,
          'position', h.place, 'price', case when h.place is not null then h.price end
        )
        order by h.place, h.bid desc, h.campaign_id
      )
    from unnest(held) as h;
  end if;
  return query
    select h.place, h.product_id, h.campaign_id, h.labels, h.highlighted, h.pinned
    from unnest(held) as h
    where h.place is not null
    order by h.place;
end
$$;
comment on function private.hold_auction is
  'Holds an auction in the caller''s tenant for a page of size products, and returns the products that are shown first. branch: the requested category before its descendants (null: all). among: the products of the result (null: all that are for sale). region: the visitor''s region (null: unknown). A share of auctions is recorded.';

create function private.may_promote() returns boolean
language sql stable set search_path = ''
as $$
  select private.request_header('x-souk-promotion') is distinct from 'none'
    and (not private.is_visit() or private.visitor_id() is not null)
$$;
comment on function private.may_promote() is
  'Whether lists of this request promote products: not if its header x-souk-promotion is none, because its page does not mark them or is kept for several readers; nor for a visitor without an id.';

create function private.promoted_products(branch uuid[]) returns uuid[]
-- Planned once: 0.11 ms without, 0.03 with, for a category.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  tenant constant uuid := private.tenant_id();
begin
  if not private.may_promote() then
    return '{}'::uuid[];
  end if;
  return array(
    select c.product_id
    from public.campaigns c
    where c.tenant_id = tenant
      and c.status in ('active', 'exhausted')
      and (promoted_products.branch is null or c.category_id = any (promoted_products.branch))
  );
end
$$;
comment on function private.promoted_products is
  'The products of the caller''s tenant that have running campaigns in these categories (null: all). None if the request may not promote.';

create function private.sells_in_several_currencies(branch uuid[], marketplace_id uuid default null) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
begin
  return sells_in_several_currencies.marketplace_id is null
    and cardinality(private.currencies_in_use()) > 1
    and (
      select count(distinct m.currency) > 1
      from public.marketplaces m
      where m.tenant_id = tenant and m.status = 'active' and exists (
        select 1
        from public.products p
        where p.tenant_id = tenant and p.marketplace_id = m.id and p.status = 'active'
          and (branch is null or p.category_id = any (branch))
      )
    );
end
$$;
comment on function private.sells_in_several_currencies is
  'Whether products for sale in these categories (null: all) and this marketplace (null: any) of the caller''s tenant have prices in several currencies.';

create function private.promoted_first(
  placement text, branch uuid[], marketplace_id uuid, except_id uuid, ids uuid[], size integer, region text
) returns table (id uuid, found_at integer, promotion jsonb, place integer)
language plpgsql set search_path = ''
as $$
declare
  promotable constant uuid[] := private.promoted_products(branch);
  -- Bids in several currencies cannot be compared, so only campaigns in the currency of the oldest marketplace get
  -- slots.
  promotable_in constant uuid[] := case
    when private.sells_in_several_currencies(branch, promoted_first.marketplace_id)
      then private.marketplaces_asked(null, (private.currencies_in_use())[1])
  end;
  seal constant text := case when promotable <> '{}' then private.promotion_seal(placement) end;
begin
  return query
    select f.id, f.found_at, f.promotion, (row_number() over (order by f.place nulls last, f.found_at))::integer
    from (
      select coalesce(h.product_id, found.id) as id, found.found_at::integer, h.place, h.promotion
      from unnest(ids) with ordinality as found (id, found_at)
      full join (
        select
          a.product_id, a.place,
          private.promotion_of(a.campaign_id, a.labels, a.highlighted, a.pinned, a.place, seal) as promotion
        from private.hold_auction(
          placement,
          branch,
          -- Only products that the policies show to the caller.
          array(
            select p.id
            from public.products p
            where p.id = any (promotable)
              and p.id is distinct from except_id
              and (promoted_first.marketplace_id is null or p.marketplace_id = promoted_first.marketplace_id)
              and (promotable_in is null or p.marketplace_id = any (promotable_in))
          ),
          size,
          region
        ) as a
        where promotable <> '{}'
      ) as h on h.product_id = found.id
    ) as f
    order by 4
    limit size;
end
$$;
comment on function private.promoted_first is
  'A block of size products: first those that an auction of these categories and this marketplace (null: any) promotes, then the others. found_at: the position of a product among the ids; null if it is only promoted.';

create function private.promotion_of(
  campaign_id uuid, labels text[], highlighted boolean, pinned boolean, place integer, seal text
) returns jsonb
language sql stable
return jsonb_build_object(
  'campaign_id', campaign_id, 'labels', labels, 'highlighted', highlighted, 'pinned', pinned, 'position', place,
  'token', private.promotion_token(campaign_id, seal)
);
comment on function private.promotion_of is
  'The field promotion of a product in a list, with the token that proves that it was shown there.';

create function private.promoted_places()
returns table (category_id uuid, product_id uuid, place integer, promotion jsonb)
language plpgsql stable security definer rows 20 set search_path = ''
as $$
declare
  seal constant text := private.promotion_seal('category');
  currencies constant text[] := private.currencies_in_use();
  promotable_in constant uuid[] := case
    when cardinality(currencies) > 1 then private.marketplaces_asked(null, currencies[1])
  end;
begin
  if not private.may_promote() then
    return;
  end if;
  return query
    select h.category_id, h.product_id, h.place,
      private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal)
    from (
      select
        c.*, (row_number() over (
          partition by c.category_id order by c.bid desc, c.merit desc, c.turn desc, c.campaign_id
        ))::integer as place
      from private.contenders(private.tenant_id(), null, null, false) as c
      where c.reason is null and c.product_category_id = c.category_id
        and (
          promotable_in is null or c.marketplace_id = any (promotable_in)
          or not private.sells_in_several_currencies(array[c.category_id])
        )
    ) as h (
      campaign_id, product_id, category_id, product_category_id, supplier_id, marketplace_id, bid, min_bid, quality, reason,
      merit, turn, price, max_slots, labels, highlighted, pinned, no_place, place
    )
    where h.place <= least(30, h.max_slots);
end
$$;
comment on function private.promoted_places() is
  'The products that are shown first in each category of the caller''s tenant on a page of 100, with their field promotion. Contains no bids.';

-- views ----------------------------------------------------------------------------------------

create view public.ranked_products with (security_invoker = true) as
select
  d.*, m.promotion,
  -- The slots, and for other products the milliseconds from their creation to the year 10000, so that the newest is
  -- first.
  coalesce(m.place, 253402300800000 - extract(epoch from d.created_at) * 1000)::numeric as rank
from public.product_details d
left join private.promoted_places() as m on m.category_id = d.category_id and m.product_id = d.id
where d.status = 'active';
comment on view public.ranked_products is
  'Products that are for sale, as in product_details, with their promotion and rank. For a category without subcategories, .eq(''category_id'', …).order(''rank'').order(''id'') returns the order of GET /api/products?category=…&limit=100. Auctions held by this view are not recorded.';

-- policies -------------------------------------------------------------------------------------

alter table private.auctions enable row level security;
alter table public.campaign_auctions enable row level security;

create policy "Members who see a campaign see its auctions" on public.campaign_auctions
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.campaigns c where c.id = campaign_id)
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.campaign_auctions, public.ranked_products to authenticated;
grant all on private.auctions, public.campaign_auctions, public.ranked_products to service_role;
grant execute on function
  private.check_region, private.hold_auction, private.may_promote, private.promoted_products, private.promotion_of, private.promoted_places,
  private.promoted_first, private.sells_in_several_currencies
to authenticated, service_role;
