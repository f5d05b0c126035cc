-- Records of auctions: a share of the auctions of the last day, the wins and losses of each campaign per day for
-- suppliers, and the current slots for operators.

-- functions ------------------------------------------------------------------------------------

create function private.count_auctions() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  with fresh as (
    update private.auctions a
    set counted = true
    where not a.counted
    returning a.tenant_id, a.held_at, a.candidates
  )
  insert into public.campaign_auctions as t
    (tenant_id, campaign_id, date, held, won, lost_to_bid, lost_to_budget, lost_to_stock, lost_otherwise)
  select
    f.tenant_id, c.id, (f.held_at at time zone t.time_zone)::date, count(*),
    count(*) filter (where part.reason is null),
    count(*) filter (where part.reason in ('outbid', 'bid')),
    count(*) filter (where part.reason = 'budget'),
    count(*) filter (where part.reason = 'stock'),
    count(*) filter (where part.reason not in ('outbid', 'bid', 'budget', 'stock'))
  from fresh f
  join public.tenants t on t.id = f.tenant_id
  cross join lateral jsonb_to_recordset(f.candidates) as part (campaign_id uuid, reason text)
  join public.campaigns c on c.tenant_id = f.tenant_id and c.id = part.campaign_id
  -- Auctions for other regions are no losses.
  where part.reason is distinct from 'region'
  group by f.tenant_id, c.id, (f.held_at at time zone t.time_zone)::date
  on conflict (tenant_id, campaign_id, date) do update
  set held = t.held + excluded.held,
      won = t.won + excluded.won,
      lost_to_bid = t.lost_to_bid + excluded.lost_to_bid,
      lost_to_budget = t.lost_to_budget + excluded.lost_to_budget,
      lost_to_stock = t.lost_to_stock + excluded.lost_to_stock,
      lost_otherwise = t.lost_otherwise + excluded.lost_otherwise;
end
$$;
comment on function private.count_auctions() is
  'Adds the recorded auctions that are not counted yet to campaign_auctions.';

create function private.shown_slots(category_id uuid, placement text, size integer, region text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant constant uuid := private.tenant_id();
  sees_all constant boolean := coalesce(private.scope('campaigns.read') = 'all', false);
  own_supplier constant uuid := private.supplier_id();
  seal constant text := private.promotion_seal(placement);
  branch constant uuid[] := private.category_branch(tenant, shown_slots.category_id);
  -- The same rule as in lists of the category.
  among constant uuid[] := case
    when private.sells_in_several_currencies(branch) then array(
      select p.id
      from public.products p
      where p.id = any (private.promoted_products(branch))
        and p.marketplace_id = any (private.marketplaces_asked(null, (private.currencies_in_use())[1]))
    )
  end;
begin
  if not exists (
    select 1 from public.categories c where c.tenant_id = tenant and c.id = shown_slots.category_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such category.', 'category_id', to_jsonb(shown_slots.category_id));
  end if;
  return (
    select coalesce(
      jsonb_agg(
        private.promotion_of(h.campaign_id, h.labels, h.highlighted, h.pinned, h.place, seal) || jsonb_build_object(
          'product_id', h.product_id, 'product_name', p.name,
          'bid_amount', case when own.is_shown then h.bid end, 'price', case when own.is_shown then h.price end
        )
        order by h.place
      ),
      '[]'
    )
    from private.places(
      tenant, branch, among, shown_slots.size, shown_slots.region, true
    ) as h
    join public.products p on p.tenant_id = tenant and p.id = h.product_id
    cross join lateral (select sees_all or coalesce(h.supplier_id = own_supplier, false) as is_shown) as own
    where h.place is not null
  );
end
$$;
comment on function private.shown_slots is
  'The current slots of a category, with bids and prices for admins, clients and the supplier of the campaign.';

create function public.list_placement_slots(
  category_id uuid, placement text default 'category', region text default null, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  perform private.members_only();
  if coalesce(placement, '') not in ('search', 'category', 'similar', 'top_sales') then
    perform private.refuse(
      'VALIDATION_ERROR', 'placement must be search, category, similar or top_sales.', 'placement', to_jsonb(placement)
    );
  end if;
  perform private.check_region(region);
  return jsonb_build_object(
    'category_id', category_id,
    'placement', placement,
    'region', region,
    'slots', private.shown_slots(category_id, placement, size, region)
  );
end
$$;
comment on function public.list_placement_slots is
  'The current slots of a category on a page of limit products. bid_amount and price: for admins, clients and the supplier of the campaign; null for others. Refuses with NOT_FOUND, VALIDATION_ERROR.';

create function private.list_auctions(
  category_id uuid, placement text, campaign_id uuid, "order" text, size integer, skipped bigint
) returns jsonb
-- A generic plan from when there were few auctions reads those of all tenants: 960 instead of 40.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  tenant constant uuid := private.tenant_id();
begin
  perform private.require_permission('auctions.read', 'Your role may not read auctions.');
  return (
    with wanted as not materialized (
      select a.id, a.placement, a.category_id, a.region, a.held_at, a.size, a.candidates
      from private.auctions a
      where a.tenant_id = tenant
        and (list_auctions.category_id is null or a.category_id = list_auctions.category_id)
        and (list_auctions.placement is null or a.placement = list_auctions.placement)
        and (
          list_auctions.campaign_id is null
          or a.candidates @> jsonb_build_array(jsonb_build_object('campaign_id', list_auctions.campaign_id))
        )
    )
    select jsonb_build_object(
      'auctions', (
        select coalesce(
          jsonb_agg(
            to_jsonb(w) - '{candidates,position}'::text[] || jsonb_build_object(
              'candidate_count', jsonb_array_length(w.candidates),
              'placed_count', jsonb_array_length(
                jsonb_path_query_array(w.candidates, '$[*] ? (@.position != null)')
              )
            )
            order by w.position
          ),
          '[]'
        )
        from (
          select w.*, row_number() over () as position
          from (
            select *
            from wanted
            -- The plan is made for the actual arguments: one of the two expressions is a constant, and an index has the
            -- other.
            order by
              case "order" when 'asc' then held_at end, case "order" when 'desc' then held_at end desc, id
            limit list_auctions.size offset skipped
          ) as w
        ) as w
      ),
      'total', (select count(*) from wanted)
    )
  );
end
$$;
comment on function private.list_auctions is
  'Some recorded auctions of the caller''s tenant in the order of their time, and the total. Refuses with FORBIDDEN.';

create function public.list_auctions(
  category_id uuid default null, placement text default null, campaign_id uuid default null,
  "order" text default 'desc', page integer default 1, "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  if coalesce("order", '') not in ('asc', 'desc') then
    perform private.refuse('VALIDATION_ERROR', 'order must be asc or desc.', 'order', to_jsonb("order"));
  end if;
  return private.list_auctions(
    category_id, placement, campaign_id, "order", size, (greatest(page, 1)::bigint - 1) * size
  );
end
$$;
comment on function public.list_auctions is
  'For admins and clients: a page of the recorded auctions, newest first by default. Refuses with FORBIDDEN, VALIDATION_ERROR.';

create function private.get_auction(auction_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  shown jsonb;
begin
  perform private.require_permission('auctions.read', 'Your role may not read auctions.');
  select to_jsonb(a) - '{tenant_id,counted}'::text[] into shown
  from private.auctions a
  where a.tenant_id = private.tenant_id() and a.id = auction_id;
  if shown is null then
    perform private.refuse('NOT_FOUND', 'There is no such auction.');
  end if;
  return shown;
end
$$;
comment on function private.get_auction is
  'A recorded auction of the caller''s tenant. Refuses with FORBIDDEN, NOT_FOUND.';

create function public.get_auction(auction_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.get_auction(auction_id);
end
$$;
comment on function public.get_auction is
  'For admins and clients: an auction with every campaign that took part, its bid, quality, position and price, or the reason why it got no slot. Refuses with FORBIDDEN, NOT_FOUND.';

create function public.get_campaign_auctions(campaign_id uuid, "from" date default null, "to" date default null)
returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  tenant uuid := (select c.tenant_id from public.campaigns c where c.id = get_campaign_auctions.campaign_id);
  counts jsonb;
begin
  if tenant is null then
    perform private.refuse('NOT_FOUND', 'There is no such campaign.');
  end if;
  select jsonb_build_object(
    'held', coalesce(sum(a.held), 0), 'won', coalesce(sum(a.won), 0), 'lost_to_bid', coalesce(sum(a.lost_to_bid), 0),
    'lost_to_budget', coalesce(sum(a.lost_to_budget), 0), 'lost_to_stock', coalesce(sum(a.lost_to_stock), 0),
    'lost_otherwise', coalesce(sum(a.lost_otherwise), 0), 'win_rate', round(sum(a.won) / nullif(sum(a.held), 0), 4)
  )
  || jsonb_build_object(
    'daily', coalesce(
      jsonb_agg(to_jsonb(a) - '{tenant_id,campaign_id}'::text[] order by a.date) filter (where a.date is not null), '[]'
    )
  )
  into counts
  from public.campaign_auctions a
  where a.tenant_id = tenant and a.campaign_id = get_campaign_auctions.campaign_id
    and ("from" is null or a.date >= "from")
    and ("to" is null or a.date <= "to");
  return jsonb_build_object(
    'campaign_id', campaign_id, 'totals', counts - 'daily', 'daily', counts -> 'daily'
  );
end
$$;
comment on function public.get_campaign_auctions is
  'The recorded auctions of a campaign between two days (of the tenant''s time zone, both included): in how many it took part (held), the share that it won (win_rate, null if held is 0), and why it lost the others. Refuses with NOT_FOUND.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.shown_slots, private.list_auctions, private.get_auction
to authenticated, service_role;
grant execute on function
  public.list_placement_slots, public.list_auctions, public.get_auction, public.get_campaign_auctions
to authenticated;
