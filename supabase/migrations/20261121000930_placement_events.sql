-- What visitors do with what is promoted, as shops report it: impressions, clicks and sales, in batches, each event
-- answered for itself. Valid clicks are charged; a visitor's flood of them is not, or given back.

-- types ----------------------------------------------------------------------------------------

create type private.placement_event as (
  position integer,
  kind text,
  -- The id that was sent; else of an impression what makes it the same, and of a click a new one.
  key uuid,
  has_id boolean,
  campaign_id uuid,
  product_id uuid,
  -- The campaign ran then, in a category that was not forbidden.
  runs boolean,
  -- The visitor acts for whoever pays for the campaign.
  is_own boolean,
  -- The visitor is a member of the tenant, but no customer.
  sells boolean,
  -- Of who comes for itself: what the promotion was shown with; null where it proves nothing.
  token uuid,
  -- Of an impression that its visitor reports: what it is known by beside its id, since ids can be made up.
  visit uuid,
  visitor_id text,
  placement text,
  occurred_at timestamptz,
  order_id uuid,
  fault jsonb
);
comment on type private.placement_event is 'An event of a batch as it was understood; fault: why it was not.';

create type private.placement_answer as (
  position integer,
  status text,
  reason text,
  sales integer
);
comment on type private.placement_answer is
  'What becomes of an event. Of a click that may be charged: valid; of another one of the same hour: repeated.';

-- tables ---------------------------------------------------------------------------------------

create table private.placement_impressions (
  tenant_id uuid not null,
  key uuid not null,
  seen_at timestamptz not null,
  constraint placement_impressions_pkey primary key (tenant_id, key)
);
comment on table private.placement_impressions is
  'Impressions of the last days, to know one that comes again. key: its id, or made of campaign, minute and visitor.';

create table private.placement_visitors (
  tenant_id uuid not null,
  visitor_id text not null,
  hour timestamp not null,
  clicks integer not null default 0,
  constraint placement_visitors_pkey primary key (tenant_id, visitor_id, hour)
);
comment on table private.placement_visitors is
  'How often each visitor clicked within an hour, in UTC. Whoever records clicks of a visitor holds this row.';

create table private.placement_tokens (
  tenant_id uuid not null,
  token uuid not null,
  spent_at timestamptz not null,
  constraint placement_tokens_pkey primary key (tenant_id, token)
);
comment on table private.placement_tokens is 'The tokens of promotions with which a click was counted, for as long as they are good: each is spent once.';

create table private.placement_addresses (
  tenant_id uuid not null,
  campaign_id uuid not null,
  address bytea not null,
  hour timestamp not null,
  clicks integer not null,
  constraint placement_addresses_pkey primary key (tenant_id, campaign_id, address, hour)
);
comment on table private.placement_addresses is
  'How many clicks of a campaign came from an address within an hour, in UTC. address: a keyed hash, forgotten after a day.';

create table private.placement_clicks (
  tenant_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  product_id uuid not null,
  visitor_id text not null,
  clicked_at timestamptz not null,
  hour timestamp not null generated always as (date_trunc('hour', clicked_at at time zone 'UTC')) stored,
  refusal text,
  constraint placement_clicks_pkey primary key (tenant_id, id),
  constraint placement_clicks_refusal_is_a_word_of_ours
    check (refusal in ('repeated', 'not_running', 'own_supplier', 'not_a_customer', 'new_account', 'flood', 'refunded'))
);
comment on table private.placement_clicks is
  'Clicks of the last weeks: to know one that comes again, to find whose sale an order is, and to refund a visitor''s. id: as sent, or made here. refusal: why it is no valid click.';

create table private.campaign_statuses (
  tenant_id uuid not null,
  campaign_id uuid not null,
  until timestamptz not null default clock_timestamp(),
  status public.campaign_status not null,
  constraint campaign_statuses_pkey primary key (campaign_id, until),
  constraint campaign_statuses_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references public.campaigns (tenant_id, id) on delete cascade
);
comment on table private.campaign_statuses is
  'Which status campaigns had until when, in the last days: an event is judged by what its campaign was when it happened, not by what it is when it is told of.';

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
  -- Of changes at one moment the first tells what was before.
  on conflict on constraint campaign_statuses_pkey do nothing;
  return null;
end
$$;
comment on function private.keep_campaign_status() is 'Row trigger: keeps which status a campaign had until now.';

create function private.time_of(written text) returns timestamptz
language plpgsql immutable set search_path = ''
as $$
begin
  if written ~ '^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$' then
    return written::timestamptz;
  end if;
  return null;
exception
  -- Of any kind: a day that there is not, or an offset.
  when data_exception then
    return null;
end
$$;
comment on function private.time_of is 'A time of ISO 8601 with its offset; null for what is none.';

create function private.read_placement_events(events jsonb, moment timestamptz)
returns setof private.placement_event
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  uuid_pattern constant text := '^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$';
  tenant uuid := private.tenant_id();
  caller public.member_role := private.tenant_role();
  trusted boolean := private.reads_all(caller);
  buyer uuid := case caller when 'customer' then private.customer_id() end;
begin
  return query
  with sent as (
    select
      (e.position - 1)::integer as position, e.value,
      case jsonb_typeof(e.value) when 'object' then e.value else '{}' end as event
    from jsonb_array_elements(events) with ordinality as e (value, position)
  ),
  typed as materialized (
    select
      s.*,
      s.event ->> 'type' as kind,
      split_part(s.event ->> 'token', '.', 1) as shown_in,
      case when s.event ->> 'id' ~ uuid_pattern then (s.event ->> 'id')::uuid end as id,
      case when s.event ->> 'campaign_id' ~ uuid_pattern then (s.event ->> 'campaign_id')::uuid end as campaign_id,
      case when s.event ->> 'order_id' ~ uuid_pattern then (s.event ->> 'order_id')::uuid end as order_id,
      case
        -- Whoever comes for itself is itself, whatever it says.
        when not trusted then auth.uid()::text
        when s.event ->> 'visitor_id' ~ uuid_pattern then lower(s.event ->> 'visitor_id')
        when jsonb_typeof(s.event -> 'visitor_id') = 'string' then s.event ->> 'visitor_id'
      end as visitor_id,
      case
        when s.event ->> 'occurred_at' is null then moment
        -- And comes now: else one visitor could be charged for in every hour of a day, at once. What makes no sense
        -- is told all the same.
        when not trusted and jsonb_typeof(s.event -> 'occurred_at') = 'string'
          and private.time_of(s.event ->> 'occurred_at') between moment - interval '24 hours' and moment + interval '5 minutes'
          then moment
        when jsonb_typeof(s.event -> 'occurred_at') = 'string' then private.time_of(s.event ->> 'occurred_at')
      end as occurred_at
    from sent s
  ),
  -- Looked up by their ids alone: with the tenant beside them Postgres may read all that it has.
  campaign as materialized (
    select
      c.id, c.tenant_id, c.product_id, c.supplier_id, c.status, c.start_date, c.end_date,
      private.forbidden_times(c) as forbidden
    from public.campaigns c
    where c.id = any (array(select distinct t.campaign_id from typed t))
  ),
  bought as materialized (
    select o.id, o.tenant_id, o.customer_id
    from public.orders o
    where o.id = any (array(select distinct t.order_id from typed t))
  ),
  member as materialized (
    select m.user_id, m.tenant_id, m.role, m.supplier_id
    from public.members m
    where m.user_id = any (array(select distinct t.visitor_id::uuid from typed t where t.visitor_id ~ uuid_pattern))
  ),
  judged as (
    select
      t.*, c.id as known_campaign, c.product_id,
      coalesce(past.status, c.status) in ('active', 'exhausted')
        and t.occurred_at >= c.start_date and t.occurred_at < c.end_date and not t.occurred_at <@ c.forbidden as runs,
      case when c.supplier_id is null then m.role = 'admin' else m.supplier_id = c.supplier_id end as is_own,
      m.role <> 'customer' as sells,
      case when not trusted
        and private.is_promotion_token(t.event ->> 'token', c.id, auth.uid(), moment)
        and coalesce(t.event ->> 'placement', t.shown_in) = t.shown_in
        then right(t.event ->> 'token', 32)::uuid
      end as token,
      md5(
        concat_ws(
          ' ', t.campaign_id, to_char(least(t.occurred_at, moment) at time zone 'UTC', 'YYYYMMDDHH24MI'), t.visitor_id
        )
      )::uuid as visit,
      case
        when jsonb_typeof(t.value) <> 'object' then array['VALIDATION_ERROR', '', 'An event is an object.']
        when coalesce(t.kind not in ('impression', 'click', 'conversion'), true)
          then array['VALIDATION_ERROR', 'type', 'An event is an impression, a click or a conversion.']
        when unknown.name is not null then array['VALIDATION_ERROR', unknown.name, unknown.name || ' is not known here.']
        when t.event ->> 'id' is not null and t.id is null then array['VALIDATION_ERROR', 'id', 'An id is a UUID.']
        when t.kind <> 'conversion' and t.event ->> 'campaign_id' is null
          then array['VALIDATION_ERROR', 'campaign_id', 'Say which campaign it is of.']
        when t.event ->> 'campaign_id' is not null and c.id is null
          then array['NOT_FOUND', 'campaign_id', 'There is no such campaign.']
        when coalesce(char_length(t.visitor_id) not between 1 and 200, true)
          then array['VALIDATION_ERROR', 'visitor_id', 'Say whose it is, in 1 to 200 characters.']
        when coalesce(t.event ->> 'placement' not in ('search', 'category', 'similar', 'top_sales'), false)
          then array['VALIDATION_ERROR', 'placement', 'A placement is search, category, similar or top_sales.']
        when coalesce(jsonb_typeof(t.event -> 'token') <> 'string', false)
          then array['VALIDATION_ERROR', 'token', 'A token is the text in the product''s promotion.']
        when t.occurred_at is null
          then array['VALIDATION_ERROR', 'occurred_at', 'A time is written as in 2026-11-21T12:00:00Z.']
        when t.occurred_at < moment - interval '24 hours' or t.occurred_at > moment + interval '5 minutes'
          then array['VALIDATION_ERROR', 'occurred_at', 'An event is of the last 24 hours.']
        when t.kind = 'conversion' and caller = 'supplier'
          then array['FORBIDDEN', 'type', 'Your role may not report sales.']
        when t.kind = 'conversion' and t.event ->> 'order_id' is null
          then array['VALIDATION_ERROR', 'order_id', 'Say which order it is.']
        when t.kind = 'conversion' and o.id is null then array['NOT_FOUND', 'order_id', 'There is no such order.']
      end as fault
    from typed t
    left join campaign c on c.id = t.campaign_id and c.tenant_id = tenant
    left join lateral (
      select s.status
      from private.campaign_statuses s
      where s.campaign_id = c.id and s.until > t.occurred_at
      order by s.until
      limit 1
    ) as past on true
    left join bought o on o.id = t.order_id and o.tenant_id = tenant
      and case caller when 'customer' then o.customer_id = buyer else trusted end
    left join member m on m.user_id::text = t.visitor_id and m.tenant_id = tenant
    left join lateral (
      select min(k) as name
      from jsonb_object_keys(t.event) as k
      where k not in ('id', 'type', 'campaign_id', 'visitor_id', 'placement', 'occurred_at', 'order_id', 'token')
    ) as unknown on true
  )
  select
    j.position, j.kind,
    case
      when j.id is not null then j.id
      -- A click is known by its visitor, campaign and hour anyway, and its id, which the ledger shows, gives none away.
      when j.kind = 'click' then gen_random_uuid()
      else j.visit
    end,
    j.id is not null, j.known_campaign, j.product_id, coalesce(j.runs, false), coalesce(j.is_own, false),
    coalesce(j.sells, false), j.token, case when not trusted then j.visit end,
    j.visitor_id, coalesce(j.event ->> 'placement', case when j.token is not null then j.shown_in end), least(j.occurred_at, moment), j.order_id,
    case when j.fault is not null then
      jsonb_build_object(
        'code', j.fault[1],
        'message', j.fault[3],
        'details', jsonb_build_object(
          'field', format('events[%s]', j.position) || case j.fault[2] when '' then '' else '.' || j.fault[2] end,
          'value', private.told_value(case j.fault[2] when '' then j.value else j.value -> j.fault[2] end)
        )
      )
    end
  from judged j
  order by j.position;
end
$$;
comment on function private.read_placement_events is
  'What a batch of events says, one by one. A click or impression without an id is known by its visitor, campaign and hour or minute.';

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
    -- A token is of one view, which is seen once.
    cross join lateral (values (s.key), (s.visit), (s.token)) as known (by)
    where s.is_first and known.by is not null
    group by known.by
    order by known.by
    on conflict do nothing
    returning key
  )
  select
    s.position,
    case when not told.is_new then 'duplicate' when s.runs then 'accepted' else 'not_charged' end,
    case when told.is_new and not s.runs then 'not_running' end,
    null::integer
  from seen s
  cross join lateral (
    select
      s.is_first and s.key in (select n.key from noted n) and s.visit in (select n.key from noted n)
      and coalesce(s.token, s.key) in (select n.key from noted n) as is_new
  ) as told;
end
$$;
comment on function private.note_impressions is 'Keeps the impressions of a batch that are new, and tells which are.';

create function private.note_clicks(
  tenant_id uuid, events private.placement_event[], settings public.placement_settings, address bytea, is_new boolean
)
returns setof private.placement_answer
language plpgsql security definer
-- What is large is looked up by index with all keys at once; the rest is joined to each other, for which no
-- statistics tell how much there is.
set search_path = '' set enable_seqscan = off set enable_nestloop = off
as $$
#variable_conflict use_column
declare
  visitors text[] := array(select distinct e.visitor_id from unnest(events) as e where e.kind = 'click');
  hours timestamp[] := array(
    select distinct date_trunc('hour', e.occurred_at at time zone 'UTC') from unnest(events) as e where e.kind = 'click'
  );
begin
  -- From here on nobody else records clicks of these visitors in these hours.
  insert into private.placement_visitors as v (tenant_id, visitor_id, hour)
  select distinct note_clicks.tenant_id, e.visitor_id, date_trunc('hour', e.occurred_at at time zone 'UTC') as hour
  from unnest(events) as e
  where e.kind = 'click'
  order by e.visitor_id, hour
  on conflict (tenant_id, visitor_id, hour) do update set clicks = v.clicks;

  return query
  with click as (
    select e.*, date_trunc('hour', e.occurred_at at time zone 'UTC') as hour
    from unnest(events) as e
    where e.kind = 'click'
  ),
  known as materialized (
    select k.id
    from private.placement_clicks k
    where k.tenant_id = note_clicks.tenant_id
      and k.id = any (array(select e.key from unnest(events) as e where e.kind = 'click' and e.has_id))
    union
    -- The ledger remembers for longer.
    select p.click_id
    from public.placement_charges p
    where p.tenant_id = note_clicks.tenant_id and p.kind = 'click'
      and p.click_id = any (array(select e.key from unnest(events) as e where e.kind = 'click' and e.has_id))
  ),
  first_click as materialized (
    select k.visitor_id, k.hour, k.campaign_id
    from private.placement_clicks k
    where k.tenant_id = note_clicks.tenant_id and k.visitor_id = any (visitors) and k.hour = any (hours)
      and k.refusal is distinct from 'repeated'
  ),
  spent_before as materialized (
    select s.token
    from private.placement_tokens s
    where s.tenant_id = note_clicks.tenant_id
      and s.token = any (array(select e.token from unnest(events) as e where e.kind = 'click' and e.token is not null))
  ),
  fresh as (
    select distinct on (c.key) c.*
    from click c
    where c.key not in (select k.id from known k)
    order by c.key, c.position
  ),
  turned as (
    select
      f.*,
      row_number() over (partition by f.visitor_id, f.campaign_id, f.hour order by f.position) > 1
      or (f.visitor_id, f.hour, f.campaign_id) in (select k.visitor_id, k.hour, k.campaign_id from first_click k)
      -- The same click, in another hour.
      or coalesce(f.token in (select s.token from spent_before s), false)
        as is_repeated
    from fresh f
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
    where v.tenant_id = note_clicks.tenant_id and v.visitor_id = any (visitors) and v.hour = any (hours)
      and v.visitor_id = of_visitor.visitor_id and v.hour = of_visitor.hour
    returning v.visitor_id, v.hour, v.clicks > settings.clicks_per_visitor_and_hour as is_flood
  ),
  refused as (
    select
      t.*, n.is_flood,
      case
        when t.is_repeated then 'repeated'
        when n.is_flood then 'flood'
        when not t.runs then 'not_running'
        when t.is_own then 'own_supplier'
        -- What rivals pay is not for sellers to drive up, nor for the operator's own people.
        when t.sells then 'not_a_customer'
        when note_clicks.is_new then 'new_account'
      end as refusal
    from turned t
    join counted n on n.visitor_id = t.visitor_id and n.hour = t.hour
    where t.has_id or not t.is_repeated
  ),
  -- Of what is left, whoever comes for itself pays with its address and its token, in the order of all who come.
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
      r.position, r.key, r.campaign_id, r.product_id, r.visitor_id, r.occurred_at, r.is_flood,
      case
        when r.refusal is not null then r.refusal
        when a.is_flood then 'flood'
        -- Somebody was quicker with the same one.
        when r.token is not null and r.token not in (select s.token from spent s) then 'repeated'
      end as refusal
    from refused r
    left join from_address a on a.campaign_id = r.campaign_id and a.hour = r.hour
  ),
  noted as (
    insert into private.placement_clicks (tenant_id, id, campaign_id, product_id, visitor_id, clicked_at, refusal)
    select note_clicks.tenant_id, r.key, r.campaign_id, r.product_id, r.visitor_id, r.occurred_at, r.refusal
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
  from click c
  left join settled r on r.position = c.position
  left join noted n on n.id = r.key;
end
$$;
comment on function private.note_clicks is
  'Keeps the clicks of a batch that are new, and tells which are valid. A visitor with more clicks in an hour than the settings allow is a flood, and so is what an address sends beyond. address: of who comes for itself, hashed; is_new: it has only just come to be.';

create function private.end_floods(tenant_id uuid, events private.placement_event[], most integer)
returns uuid[]
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
  'The clicks that visitors of this batch made in an hour before there were too many of them: no valid ones after all.';

create function private.unpaid_fee(campaign public.campaigns, date date) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
declare
  day integer := unpaid_fee.date - (campaign.start_date at time zone 'UTC')::date;
begin
  if campaign.fee = 0 or day >= private.fee_days(campaign) or private.fee_is_waived(campaign, unpaid_fee.date) or exists (
    select 1
    from public.placement_charges p
    where p.campaign_id = campaign.id and p.date = unpaid_fee.date and p.kind = 'fee'
  ) then
    return 0;
  end if;
  return private.day_fee(campaign, day);
end
$$;
comment on function private.unpaid_fee is
  'What of a day''s budget is still to go for its fee: midnight is over before the clock has charged it.';

create function private.charge_clicks(clicks private.placement_event[]) returns table (click_id uuid, price numeric)
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with priced as materialized (
    -- Once for each campaign, however many clicks of it there are.
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
        p.campaign, (e.occurred_at at time zone 'UTC')::date as date,
        row_number() over (partition by p.id, (e.occurred_at at time zone 'UTC')::date order by e.position) as turn
      from unnest(clicks) as e
      join priced p on p.id = e.campaign_id
    ) as k
    join public.campaign_statistics s on s.campaign_id = k.campaign_id and s.date = k.date
    -- A campaign takes part for as long as its budget pays for its whole bid, and for the day's fee before that.
    where k.daily_budget is null
      or s.spend + private.unpaid_fee(k.campaign, k.date) + (k.turn - 1) * k.price + greatest(k.bid_amount, k.price)
        <= k.daily_budget
    returning placement_charges.click_id, placement_charges.amount
  )
  select c.click_id, c.amount from charged c;
end
$$;
comment on function private.charge_clicks is
  'Charges valid clicks what each costs now, in the order in which they came, as far as the daily budgets go. Lock their statistics first.';

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
        -- Where nobody is asked to, an address is called confirmed as soon as it is said: a letter has to be answered.
        or u.email_confirmed_at is not null and u.confirmation_sent_at is not null
      )
  );
end
$$;
comment on function private.is_new_account is
  'Whether the caller''s account is younger than so many minutes, and nobody has answered a letter to its address.';

create function private.network_of(address text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  seen inet;
begin
  seen := regexp_replace(btrim(address), '^::ffff:(?=\d+\.)', '', 'i')::inet;
  -- Of an IPv6 address the network counts: its owner has all of it.
  return host(network(set_masklen(seen, case family(seen) when 6 then 64 else 32 end)));
exception
  when data_exception then
    return 'unknown';
end
$$;
comment on function private.network_of is 'What stands for an address where addresses are counted; unknown for what is none.';

create function private.address_signature(user_id uuid, address text, issued text) returns text
language sql stable security definer set search_path = ''
as $$
  select encode(private.signed('promotions', concat_ws(' ', 'address', user_id, address, issued)), 'hex')
$$;
comment on function private.address_signature is 'Proves to the database that a function saw a user come from an address.';

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
  'For the functions: an address from which they saw a user come, signed for two hours, to be sent along as the header x-souk-address.';

create function private.caller_address() returns bytea
language plpgsql stable security definer set search_path = ''
as $$
declare
  headers jsonb := coalesce(nullif(current_setting('request.headers', true), ''), '{}')::jsonb;
  signed text[] := string_to_array(headers ->> 'x-souk-address', ' ');
  address text;
begin
  if cardinality(signed) = 3 and signed[2] ~ '^\d{1,12}$'
    and to_timestamp(signed[2]::bigint) > now() - interval '2 hours'
    and signed[3] = private.address_signature(auth.uid(), signed[1], signed[2])
  then
    address := signed[1];
  else
    -- Hosted, the edge sets the first, whatever the caller sent; of the second the last is what the nearest proxy saw.
    address := coalesce(
      headers ->> 'cf-connecting-ip', regexp_replace(headers ->> 'x-forwarded-for', '^.*,', ''), ''
    );
  end if;
  return private.signed('promotions', 'network ' || private.network_of(address));
end
$$;
comment on function private.caller_address() is
  'Whence the request comes, as a keyed hash: as a function saw it, or else as the API''s proxies did.';

create function private.record_placement_events(events jsonb, moment timestamptz default now()) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  caller public.member_role := private.tenant_role();
  trusted boolean := private.reads_all(caller);
  settings public.placement_settings := private.placement_settings(tenant);
  sent private.placement_event[];
  good private.placement_event[];
  valid private.placement_event[];
  answers private.placement_answer[];
  ended uuid[];
  charged jsonb;
begin
  if not (caller in ('customer', 'supplier') or trusted) then
    perform private.refuse('FORBIDDEN', 'Your role may not report events.');
  elsif jsonb_typeof(events) is distinct from 'array' then
    perform private.refuse('VALIDATION_ERROR', 'Events are a list.', 'events', events);
  elsif jsonb_array_length(events) > 1000 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A batch has at most 1000 events.', 'events', to_jsonb(jsonb_array_length(events))
    );
  end if;

  sent := array(select e from private.read_placement_events(events, moment) as e);
  good := array(
    select e from unnest(sent) as e
    where e.fault is null and (trusted or e.kind = 'conversion' or e.token is not null)
  );

  -- Until this is committed no order of a conversion is cancelled, and nothing of it comes back.
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
        not trusted and private.is_new_account(settings.click_account_age_minutes)
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

  perform private.lock_statistics(array_agg(k.campaign_id), array_agg(k.date))
  from (
    select e.campaign_id, (e.occurred_at at time zone 'UTC')::date as date
    from unnest(good) as e
    join unnest(answers) as a on a.position = e.position and a.status in ('accepted', 'valid')
    where e.kind in ('impression', 'click')
    union
    select k.campaign_id, (k.clicked_at at time zone 'UTC')::date
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
        e.campaign_id, (e.occurred_at at time zone 'UTC')::date as date,
        (e.kind = 'impression')::integer as impressions, (e.kind = 'click')::integer as clicks
      from unnest(good) as e
      join unnest(answers) as a on a.position = e.position and a.status in ('accepted', 'valid')
      where e.kind in ('impression', 'click')
      union all
      select k.campaign_id, (k.clicked_at at time zone 'UTC')::date, 0, -1
      from private.placement_clicks k
      where k.tenant_id = tenant and k.id = any (ended)
    ) as k
    group by k.campaign_id, k.date
  ) as counted
  where s.campaign_id = counted.campaign_id and s.date = counted.date;

  if ended <> '{}' then
    perform private.refund_clicks(tenant, ended, 'flood');
  end if;
  select jsonb_object_agg(c.click_id, c.price) into charged from private.charge_clicks(valid) as c;
  perform private.count_sales();

  return jsonb_build_object('results', private.tell_placement_answers(tenant, sent, answers, coalesce(charged, '{}')));
end
$$;
comment on function private.record_placement_events is
  'Takes a batch of impressions, clicks and conversions, all that follows from it in this one transaction, and tells of each what became of it. Refuses a batch that is none: FORBIDDEN, VALIDATION_ERROR.';

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
  'Gives the orders of a batch''s conversions to the clicks of their visitors, and tells how many lines each brought.';

create function private.tell_placement_answers(
  tenant_id uuid, events private.placement_event[], answers private.placement_answer[], charged jsonb
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- What a click costs is no business of whoever clicks.
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
      -- For each of them by index: there are few.
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
          'status', told.status,
          'reason', told.reason,
          'price', case when tells_prices and told.status = 'charged' then charged -> e.key::text end,
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
  ) as told;
  return words;
end
$$;
comment on function private.tell_placement_answers is 'What is told of a batch''s events, one by one.';

create function public.record_placement_events(events jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.record_placement_events(events);
end
$$;
comment on function public.record_placement_events is
  'Reports up to 1000 events, a list of {id, type: impression | click | conversion, campaign_id, visitor_id, placement, occurred_at, order_id, token}, and answers {results: [{index, id, status, reason, price, sales, error}]} in their sequence. status: accepted, duplicate, charged, not_charged (reason: already_charged, budget, flood, new_account, no_token, not_a_customer, not_running, own_supplier) or invalid (error). Customers and suppliers report for themselves, whatever visitor_id they send, and with the token of the promotion that they were shown.';

create function private.refund_placement_clicks(
  campaign_id uuid, visitor_id text, click_ids uuid[], since timestamptz, note text
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  stranger uuid;
  found_clicks uuid[];
  ended uuid[];
  lost integer;
  answer jsonb;
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Your role may not refund clicks.');
  elsif not exists (
    select 1 from public.campaigns c where c.tenant_id = tenant and c.id = refund_placement_clicks.campaign_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such campaign.');
  elsif (refund_placement_clicks.visitor_id is null) = (refund_placement_clicks.click_ids is null) then
    perform private.refuse(
      'VALIDATION_ERROR', 'Say whose clicks, or which ones: visitor_id or click_ids.',
      'visitor_id', to_jsonb(refund_placement_clicks.visitor_id)
    );
  elsif cardinality(click_ids) > 1000 then
    perform private.refuse('VALIDATION_ERROR', 'At most 1000 clicks at once.', 'click_ids', to_jsonb(cardinality(click_ids)));
  end if;

  select wanted.id into stranger
  from unnest(refund_placement_clicks.click_ids) as wanted (id)
  where not exists (
    select 1
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = wanted.id and k.campaign_id = refund_placement_clicks.campaign_id
  ) and not exists (
    select 1
    from public.placement_charges p
    where p.tenant_id = tenant and p.click_id = wanted.id and p.campaign_id = refund_placement_clicks.campaign_id
  )
  limit 1;
  if found then
    perform private.refuse('NOT_FOUND', 'The campaign has no such click.', 'click_ids', to_jsonb(stranger));
  end if;

  if click_ids is null then
    select array_agg(k.id) into found_clicks
    from private.placement_clicks k
    where k.tenant_id = tenant and k.campaign_id = refund_placement_clicks.campaign_id
      and k.visitor_id = case
        when refund_placement_clicks.visitor_id ~ '^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$'
          then lower(refund_placement_clicks.visitor_id)
        else refund_placement_clicks.visitor_id
      end
      and k.refusal is distinct from 'repeated'
      and (since is null or k.clicked_at >= since);
  else
    select array_agg(wanted.id) into found_clicks
    from unnest(refund_placement_clicks.click_ids) as wanted (id)
    left join private.placement_clicks k on k.tenant_id = tenant and k.id = wanted.id
    left join public.placement_charges p on p.tenant_id = tenant and p.click_id = wanted.id and p.kind = 'click'
    -- Of a click that is forgotten the ledger knows when it was told of.
    where since is null or coalesce(k.clicked_at, p.created_at) >= since;
  end if;

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
    select k.campaign_id, (k.clicked_at at time zone 'UTC')::date as date
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

  with gone as (
    select (k.clicked_at at time zone 'UTC')::date as date
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = any (ended)
    union all
    -- What is forgotten was valid if its charge was not given back.
    select p.date
    from public.placement_charges p
    where p.tenant_id = tenant and p.click_id = any (found_clicks) and p.kind = 'click'
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
    where s.campaign_id = refund_placement_clicks.campaign_id and s.date = of_day.date
  )
  select count(*) into lost from gone;

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
  'Takes clicks of a campaign for invalid and gives back what they were charged, or refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.refund_placement_clicks(
  campaign_id uuid, visitor_id text default null, click_ids uuid[] default null, since timestamptz default null,
  note text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.refund_placement_clicks(campaign_id, visitor_id, click_ids, since, note);
end
$$;
comment on function public.refund_placement_clicks is
  'For admins: a campaign''s clicks of a visitor, or those with these ids, in either case since a time only where one is given, were not valid. They are counted no more, and what they were charged is refunded; each once. Answers campaign_id, clicks (that were valid until now), refunded (charges) and amount.';

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

grant execute on function private.record_placement_events, private.refund_placement_clicks to authenticated;
grant execute on function public.record_placement_events, public.refund_placement_clicks to authenticated;
grant execute on function private.address_signature, public.sign_address to service_role;

-- cron -----------------------------------------------------------------------------------------

-- Nobody reports what is older than a day. Clicks are kept for longer: sales belong to them for a week, and a
-- visitor's can be refunded for a month. Fees are judged by when a category was forbidden as soon as the clock goes.
select cron.schedule(
  'forget-placement-events', '41 * * * *',
  $$
    with impressions as (
      delete from private.placement_impressions where seen_at < now() - interval '2 days'
    ),
    visitors as (
      delete from private.placement_visitors where hour < (now() - interval '2 days') at time zone 'UTC'
    ),
    tokens as (
      delete from private.placement_tokens where spent_at < now() - interval '2 days'
    ),
    addresses as (
      delete from private.placement_addresses where hour < (now() - interval '1 day') at time zone 'UTC'
    ),
    statuses as (
      delete from private.campaign_statuses where until < now() - interval '2 days'
    ),
    prohibitions as (
      delete from private.forbidden_periods where until < now() - interval '32 days'
    )
    delete from private.placement_clicks where clicked_at < now() - interval '32 days'
  $$
);
