-- Promoted placement: prices and rules of the promoted slots in each category, settings of the tenant, and tokens that
-- prove that somebody was shown a promotion.

-- tables ---------------------------------------------------------------------------------------

create table public.placement_categories (
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  category_id uuid not null,
  base_price numeric(12, 2) not null default 0,
  max_slots integer not null default 3,
  auction_enabled boolean not null default true,
  min_bid numeric(12, 2) not null default 0.01,
  other_prices jsonb not null default '[]',
  forbidden boolean not null default false,
  rotation_minutes integer not null default 60,
  display_priority text not null default 'quality',
  min_quality numeric not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint placement_categories_pkey primary key (tenant_id, category_id),
  constraint placement_categories_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id) on delete cascade,
  constraint placement_categories_base_price_is_not_negative check (base_price >= 0),
  constraint placement_categories_max_slots_is_between_1_and_100 check (max_slots between 1 and 100),
  constraint placement_categories_min_bid_is_at_least_one_hundredth check (min_bid >= 0.01),
  constraint placement_categories_other_prices_is_a_list check (jsonb_typeof(other_prices) = 'array'),
  constraint placement_categories_rotation_minutes_is_between_1_and_10080 check (rotation_minutes between 1 and 10080),
  constraint placement_categories_display_priority_is_quality_rotation_or_newest
    check (display_priority in ('quality', 'rotation', 'newest')),
  constraint placement_categories_min_quality_is_between_0_and_1 check (min_quality between 0 and 1),
  constraint placement_categories_min_quality_is_of_at_most_4_decimals check (scale(min_quality) <= 4)
);
comment on table public.placement_categories is
  'How a category sells its promoted slots. base_price (the fee of a day) and min_bid (the lowest bid) are in the currency of the tenant''s oldest marketplace; other_prices: [{currency, base_price, min_bid}] for other currencies. A category without a row has the defaults.';

create table public.placement_settings (
  tenant_id uuid primary key default private.tenant_id() references public.tenants (id) on delete cascade,
  auction_log_share numeric not null default 0.1,
  clicks_per_visitor_and_hour integer not null default 20,
  clicks_per_address_and_hour integer not null default 5,
  click_account_age_minutes integer not null default 10,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint placement_settings_auction_log_share_is_between_0_and_1 check (auction_log_share between 0 and 1),
  constraint placement_settings_auction_log_share_is_of_at_most_6_decimals check (scale(auction_log_share) <= 6),
  constraint placement_settings_clicks_per_visitor_and_hour_is_between_1_and_1000000
    check (clicks_per_visitor_and_hour between 1 and 1000000),
  constraint placement_settings_clicks_per_address_and_hour_is_between_1_and_1000000
    check (clicks_per_address_and_hour between 1 and 1000000),
  constraint placement_settings_click_account_age_minutes_is_between_0_and_100000
    check (click_account_age_minutes between 0 and 100000)
);
comment on table public.placement_settings is
  'Settings for all categories of a tenant. auction_log_share: the share of auctions that are recorded. clicks_per_visitor_and_hour, clicks_per_address_and_hour: the number of clicks per hour of a visitor, or of an address on one campaign, above which clicks are not charged. click_account_age_minutes: the age from which clicks of an account without a confirmed address are charged. A tenant without a row has the defaults.';

-- functions ------------------------------------------------------------------------------------

create function private.main_currency(tenant_id uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select m.currency
    from public.marketplaces m
    where m.tenant_id = main_currency.tenant_id
    order by m.created_at, m.id
    limit 1
  );
end
$$;
comment on function private.main_currency is 'The currency of the tenant''s oldest marketplace; null if it has none.';

create function private.bid_decimals(currency text) returns integer
language sql stable security definer set search_path = ''
as $$
  select least(2, (select c.exponent from private.currencies c where c.code = currency))
$$;
comment on function private.bid_decimals is
  'The decimals of bids and prices of placement in a currency: those of the currency, and at most 2; 2 without a currency.';

create function private.bid_step(currency text) returns numeric
language sql stable set search_path = ''
as $$
  select round(10::numeric ^ -private.bid_decimals(currency), 2)
$$;
comment on function private.bid_step is 'The smallest bid in a currency, by which automatic bids rise.';

create function private.placement_category(tenant_id uuid, category_id uuid) returns public.placement_categories
language plpgsql stable security definer set search_path = ''
as $$
declare
  configured public.placement_categories;
begin
  select * into configured
  from public.placement_categories c
  where c.tenant_id = placement_category.tenant_id and c.category_id = placement_category.category_id;
  if not found then
    configured.tenant_id := placement_category.tenant_id;
    configured.category_id := placement_category.category_id;
    configured.base_price := 0;
    configured.max_slots := 3;
    configured.auction_enabled := true;
    configured.min_bid := 0.01;
    configured.other_prices := '[]';
    configured.forbidden := false;
    configured.rotation_minutes := 60;
    configured.display_priority := 'quality';
    configured.min_quality := 0;
  end if;
  -- The default is less than the smallest amount of some currencies.
  if configured.min_bid < 1 then
    configured.min_bid := greatest(configured.min_bid, private.bid_step(private.main_currency(configured.tenant_id)));
  end if;
  return configured;
end
$$;
comment on function private.placement_category is
  'How a category sells its promoted slots; the defaults if it has no row.';

create function private.placement_prices(category public.placement_categories)
returns table (currency text, base_price numeric, min_bid numeric)
language plpgsql stable security definer rows 2 set search_path = ''
as $$
#variable_conflict use_column
declare
  main constant text := private.main_currency(category.tenant_id);
begin
  return query
    select main, category.base_price, category.min_bid
    where main is not null
    union all
    select o.currency, o.base_price, o.min_bid
    from jsonb_to_recordset(category.other_prices) as o (currency text, base_price numeric(12, 2), min_bid numeric(12, 2))
    where o.currency <> main;
end
$$;
comment on function private.placement_prices is
  'A category''s prices in each currency in which it has some, first that of the tenant''s oldest marketplace.';

create function private.category_line(tenant_id uuid, category_id uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    with recursive line (id, parent_id, height) as (
      select c.id, c.parent_id, 0
      from public.categories c
      where c.tenant_id = category_line.tenant_id and c.id = category_line.category_id
      union all
      select c.id, c.parent_id, l.height + 1
      from line l
      join public.categories c on c.tenant_id = category_line.tenant_id and c.id = l.parent_id
    )
    select coalesce(array_agg(l.id order by l.height), '{}') from line l
  );
end
$$;
comment on function private.category_line is 'A category and its ancestors, nearest first.';

create function private.placement_way(tenant_id uuid, product_category_id uuid, category_id uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  line uuid[];
begin
  if product_category_id = category_id then
    return array[category_id];
  end if;
  line := private.category_line(tenant_id, product_category_id);
  return line[:array_position(line, category_id)];
end
$$;
comment on function private.placement_way is
  'The categories from a product''s own up to the one in which it is promoted; null if that is not an ancestor.';

create function private.placement_terms(tenant_id uuid, way uuid[], currency text) returns public.placement_categories
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  terms public.placement_categories :=
    private.placement_category(placement_terms.tenant_id, way[cardinality(way)]);
  base_price numeric;
  min_bid numeric;
begin
  select p.base_price, p.min_bid into base_price, min_bid
  from private.placement_prices(terms) as p
  where p.currency = placement_terms.currency;
  terms.base_price := base_price;
  terms.min_bid := min_bid;
  -- Booking an ancestor cannot be cheaper than booking the category itself.
  if cardinality(way) > 1 and terms.min_bid is not null then
    select
      greatest(terms.base_price, max(p.base_price)), greatest(terms.min_bid, max(p.min_bid)),
      greatest(terms.min_quality, max(c.min_quality))
    into terms.base_price, terms.min_bid, terms.min_quality
    from public.placement_categories c
    left join lateral private.placement_prices(c) as p on p.currency = placement_terms.currency
    where c.tenant_id = placement_terms.tenant_id and c.category_id = any (way);
  end if;
  return terms;
end
$$;
comment on function private.placement_terms is
  'The terms of the last category of a way for a campaign in a currency. base_price, min_bid and min_quality are the highest ones of the way. base_price and min_bid are null if the category has no prices in the currency.';

create function private.placement_is_forbidden(tenant_id uuid, category_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select 1
    from public.placement_categories c
    where c.tenant_id = placement_is_forbidden.tenant_id
      and c.category_id = any (
        private.category_line(placement_is_forbidden.tenant_id, placement_is_forbidden.category_id)
      )
      and c.forbidden
  );
end
$$;
comment on function private.placement_is_forbidden is
  'Whether promotions are forbidden in a category, because it or one of its ancestors forbids them.';

create function private.product_quality(product public.products) returns numeric
language sql immutable
return (
  30 * least(jsonb_array_length((product).images), 3) / 3.0
  + 30 * least(char_length((product).description), 300) / 300.0
  + 20 * least(jsonb_array_length((product).attributes), 4) / 4.0
  + case when (product).brand is null then 0 else 10 end
  + case when (product).category_id is null then 0 else 10 end
)::numeric(5, 2) / 100;
comment on function private.product_quality is
  'The quality of a product''s description, from 0 to 1: three images (0.3), a description of 300 characters (0.3), four attributes (0.2), a brand (0.1), a category (0.1).';

create function private.checked_amount(amount numeric, field text, currency text) returns numeric
language plpgsql stable set search_path = ''
as $$
declare
  decimals constant integer := private.bid_decimals(currency);
begin
  -- NaN is larger than any number.
  perform private.insist(
    amount is null or amount between 0 and 9999999999.99 and scale(trim_scale(amount)) <= decimals,
    field, format('an amount of at least 0 with at most %s decimals', decimals), to_jsonb(amount)
  );
  return amount;
end
$$;
comment on function private.checked_amount is
  'Returns an amount in a currency, or null, unchanged. Refuses with VALIDATION_ERROR an amount that is finer than the currency, or that a column would round or cannot hold.';

create function private.checked_prices(prices jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  entry record;
  field text;
begin
  perform private.insist(
    case when jsonb_typeof(prices) = 'array' then jsonb_array_length(prices) between 0 and 200 end,
    'prices', 'a list of at most 200', prices
  );
  for entry in
    select e.value, e.position, e.value ->> 'currency' as currency
    from jsonb_array_elements(prices) with ordinality as e (value, position)
  loop
    field := format('prices[%s]', entry.position - 1);
    perform private.insist_on_keys(entry.value, field, '{currency,base_price,min_bid}');
    perform private.insist(
      exists (select 1 from private.currencies c where c.code = entry.currency), field || '.currency',
      'an ISO 4217 code', entry.value -> 'currency'
    );
    perform private.insist(
      entry.position = (
        select min(e.position)
        from jsonb_array_elements(prices) with ordinality as e (value, position)
        where e.value ->> 'currency' = entry.currency
      ),
      field || '.currency', 'a currency that the list has once', entry.value -> 'currency'
    );
    perform private.insist(
      jsonb_typeof(entry.value -> 'base_price') = 'number', field || '.base_price', 'an amount',
      entry.value -> 'base_price'
    );
    perform private.checked_amount((entry.value ->> 'base_price')::numeric, field || '.base_price', entry.currency);
    perform private.insist(
      jsonb_typeof(entry.value -> 'min_bid') = 'number' and (entry.value ->> 'min_bid')::numeric >= 0.01,
      field || '.min_bid', 'an amount of at least 0.01', entry.value -> 'min_bid'
    );
    perform private.checked_amount((entry.value ->> 'min_bid')::numeric, field || '.min_bid', entry.currency);
  end loop;
  return prices;
end
$$;
comment on function private.checked_prices is
  'Returns prices of a category, [{currency, base_price, min_bid}], unchanged. Refuses with VALIDATION_ERROR anything else.';

create function public.get_placement_category(category_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  category public.categories;
  configured public.placement_categories;
begin
  perform private.require_permission('placement_prices.read', 'Your role may not read the prices of placement.');
  select * into category from public.categories c where c.id = get_placement_category.category_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such category.');
  end if;
  configured := private.placement_category(category.tenant_id, category.id);
  return jsonb_build_object('name', category.name)
    || to_jsonb(configured) - '{tenant_id,other_prices,created_at,updated_at}'::text[]
    || jsonb_build_object(
      'prices', (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from private.placement_prices(configured) as p)
    );
end
$$;
comment on function public.get_placement_category is
  'For admins, clients and suppliers: how a category sells its promoted slots, or the defaults. prices: [{currency, base_price, min_bid}]; base_price and min_bid are those in the currency of the tenant''s oldest marketplace. Refuses with FORBIDDEN, NOT_FOUND.';

create function private.promotion_key(viewer uuid, placement text, issued text) returns bytea
language sql stable security definer set search_path = ''
as $$
  select private.signed('promotions', concat_ws(' ', 'promotion', viewer, placement, issued))
$$;
comment on function private.promotion_key is
  'The key that signs all promotions shown to a viewer in a placement at one moment.';

create function private.promotion_seal(placement text) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  issued text := to_hex(extract(epoch from now())::bigint);
begin
  return placement || '.' || issued || '.' || encode(private.promotion_key(private.viewer_id(), placement, issued), 'hex');
end
$$;
comment on function private.promotion_seal is
  'The common part of the tokens in one response to the caller: its placement, its time in seconds, and their key in hex.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.promotion_token(campaign_id uuid, seal text) returns text
language sql immutable
return left(seal, -64) || encode(
  substring(extensions.hmac(convert_to(campaign_id::text, 'utf8'), decode(right(seal, 64), 'hex'), 'sha256') for 16), 'hex'
);
comment on function private.promotion_token is
  'The token that proves for a day that a campaign was shown to a viewer in a placement.';

create function private.is_promotion_token(token text, campaign_id uuid, viewer uuid, moment timestamptz) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  part text[] := regexp_match(token, '^(search|category|similar|top_sales)\.([0-9a-f]{1,12})\.[0-9a-f]{32}$');
begin
  return part is not null
    and to_timestamp(('x' || lpad(part[2], 16, '0'))::bit(64)::bigint)
      between moment - interval '24 hours' and moment + interval '5 minutes'
    and token = private.promotion_token(
      campaign_id,
      concat_ws('.', part[1], part[2], encode(private.promotion_key(viewer, part[1], part[2]), 'hex'))
    );
end
$$;
comment on function private.is_promotion_token is
  'Whether this token proves that a campaign was shown to a viewer within the last 24 hours.';

create function private.placement_settings(tenant_id uuid) returns public.placement_settings
language plpgsql stable security definer set search_path = ''
as $$
declare
  configured public.placement_settings;
begin
  select * into configured
  from public.placement_settings s
  where s.tenant_id = placement_settings.tenant_id;
  if not found then
    configured.tenant_id := placement_settings.tenant_id;
    configured.auction_log_share := 0.1;
    configured.clicks_per_visitor_and_hour := 20;
    configured.clicks_per_address_and_hour := 5;
    configured.click_account_age_minutes := 10;
  end if;
  return configured;
end
$$;
comment on function private.placement_settings is
  'The settings for all categories of a tenant; the defaults if it has no row.';

create function private.set_placement_settings(changes jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.require_permission('placement_settings.write', 'Only admins may configure placement.');
  perform private.known_only(
    changes,
    '{auction_log_share,clicks_per_visitor_and_hour,clicks_per_address_and_hour,click_account_age_minutes}'
  );
  insert into public.placement_settings (tenant_id)
  values (private.tenant_id())
  on conflict (tenant_id) do nothing;
  update public.placement_settings s
  set auction_log_share = coalesce(trim_scale((changes ->> 'auction_log_share')::numeric), s.auction_log_share),
      clicks_per_visitor_and_hour =
        coalesce((changes ->> 'clicks_per_visitor_and_hour')::integer, s.clicks_per_visitor_and_hour),
      clicks_per_address_and_hour =
        coalesce((changes ->> 'clicks_per_address_and_hour')::integer, s.clicks_per_address_and_hour),
      click_account_age_minutes =
        coalesce((changes ->> 'click_account_age_minutes')::integer, s.click_account_age_minutes)
  where s.tenant_id = private.tenant_id();
end
$$;
comment on function private.set_placement_settings is
  'Changes the settings for all categories of the tenant, or refuses: FORBIDDEN, VALIDATION_ERROR.';

create function public.get_placement_settings() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.require_permission('placement_settings.read', 'Your role may not read the settings of placement.');
  return to_jsonb(private.placement_settings(private.tenant_id())) - '{tenant_id,created_at,updated_at}'::text[];
end
$$;
comment on function public.get_placement_settings is
  'For admins and clients: the settings for all categories, with their defaults.';

create function public.set_placement_settings(changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.set_placement_settings(changes);
  return public.get_placement_settings();
end
$$;
comment on function public.set_placement_settings is
  'For admins: changes the settings that are sent (auction_log_share, clicks_per_visitor_and_hour, clicks_per_address_and_hour, click_account_age_minutes), and returns all settings.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.placement_categories
  for each row execute function private.keep_nfc();

create trigger placement_categories_touch
  before update on public.placement_categories
  for each row execute function private.touch();

create trigger placement_settings_touch
  before update on public.placement_settings
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.placement_categories enable row level security;
alter table public.placement_settings enable row level security;

create policy "Admins, clients and suppliers see what placement costs" on public.placement_categories
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.scope('placement_prices.read')) = 'all'
  );

create policy "Admins and clients see the settings of placement" on public.placement_settings
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id()) and (select private.scope('placement_settings.read')) = 'all'
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.placement_categories, public.placement_settings to authenticated;
grant all on public.placement_categories, public.placement_settings to service_role;
grant execute on function
  private.placement_category, private.placement_prices, private.placement_settings, private.set_placement_settings, private.promotion_seal,
  private.promotion_token
to authenticated;
grant execute on function
  public.get_placement_category, public.get_placement_settings, public.set_placement_settings
to authenticated;
