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
  perform private.require_permission('placement_settings.write', 'Only admins may configure placement.');
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
