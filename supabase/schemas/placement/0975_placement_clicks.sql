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

create function private.record_impressions(tenant_id uuid, events private.placement_event[])
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
    select record_impressions.tenant_id, known.by, min(s.occurred_at)
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
comment on function private.record_impressions is
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
  'The clicks of a batch whose id is not known yet, each with its hour (UTC). is_repeated: the visitor has clicked on the campaign in that hour before, or has used the token. Runs with the planner settings of record_clicks.';

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
  'Adds the new clicks of a batch to the counts of their visitors, and judges each. most: clicks of a visitor in an hour; with more, all of them are a flood. is_new: the caller''s account is too new to be charged for. Runs with the planner settings of record_clicks.';

create function private.record_clicks(
  tenant_id uuid, events private.placement_event[], settings public.placement_settings, address bytea, is_new boolean
)
returns setof private.placement_answer
language plpgsql security definer
-- A plan from when the tables were empty, which a session keeps, would scan placement_clicks.
set search_path = '' set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  perform private.lock_click_visitors(record_clicks.tenant_id, events);
  return query
  with refused as materialized (
    select j.*
    from private.judge_clicks(
      record_clicks.tenant_id, events, settings.clicks_per_visitor_and_hour, record_clicks.is_new
    ) as j
  ),
  -- A click that a customer reports counts for its address and uses its token. All callers lock these in one order.
  from_address as (
    insert into private.placement_addresses as a (tenant_id, campaign_id, address, hour, clicks)
    select record_clicks.tenant_id, r.campaign_id, record_clicks.address, r.hour, count(*)
    from refused r
    where r.refusal is null and record_clicks.address is not null
    group by r.campaign_id, r.hour
    order by r.campaign_id, r.hour
    on conflict on constraint placement_addresses_pkey do update set clicks = a.clicks + excluded.clicks
    returning a.campaign_id, a.hour, a.clicks > settings.clicks_per_address_and_hour as is_flood
  ),
  spent as (
    insert into private.placement_tokens (tenant_id, token, spent_at)
    select record_clicks.tenant_id, r.token, min(r.occurred_at)
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
    select record_clicks.tenant_id, r.key, r.campaign_id, r.product_id, r.visitor_id, r.occurred_at, r.date, r.refusal
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
comment on function private.record_clicks is
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
  trusted boolean := coalesce(private.scope('shop_events.write') = 'all', false);
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

  answers := array(select a from private.record_impressions(tenant, good) as a)
    || array(
      select a
      from private.record_clicks(
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
  answers := answers || array(select a from private.record_conversions(tenant, good) as a);
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

  return jsonb_build_object('results', private.placement_results(tenant, sent, answers, coalesce(charged, '{}')));
end
$$;
comment on function private.record_placement_events is
  'Records a batch of impressions, clicks and conversions in one transaction, and returns the result of each event. Refuses an invalid batch: FORBIDDEN, VALIDATION_ERROR.';

create function private.record_conversions(tenant_id uuid, events private.placement_event[])
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
    where s.tenant_id = record_conversions.tenant_id and s.order_id = any (order_ids)
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
comment on function private.record_conversions is
  'Attributes the orders of a batch''s conversions to the clicks of their visitors, and returns the number of lines of each.';

create function private.placement_results(
  tenant_id uuid, events private.placement_event[], answers private.placement_answer[], charged jsonb
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- Visitors do not see what a click costs.
  tells_prices boolean := private.scope('campaigns.read') = 'all';
  paid_before integer[] := array(
    select e.position
    from unnest(events) as e
    join unnest(answers) as a on a.position = e.position and a.status = 'repeated'
    where exists (
      select 1
      from private.placement_clicks k
      join public.placement_charges p on p.tenant_id = k.tenant_id and p.click_id = k.id and p.kind = 'click'
      where k.tenant_id = placement_results.tenant_id and k.visitor_id = e.visitor_id
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
comment on function private.placement_results is 'The results of a batch''s events, as the API returns them.';

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
