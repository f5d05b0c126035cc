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

create function private.record_campaign_status() returns trigger
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
comment on function private.record_campaign_status() is 'Row trigger: records the status that a campaign had until now.';

create function private.insist_on_event_batch(events jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if private.tenant_id() is null then
    perform private.refuse_stranger();
  end if;
  perform private.require_permission('shop_events.write', 'Your role may not report events.');
  if private.is_visit() and private.visitor_id() is null then
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
  occurred_at timestamptz, moment timestamptz, reach text, order_id uuid
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
  when kind = 'conversion' and reach = 'supplier'
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
  reach text := private.reach('shop_events.write');
  trusted boolean := coalesce(reach = 'all', false);
  buyer uuid := case reach when 'customer' then private.customer_id() end;
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
        t.value, t.event, t.kind, t.unknown_field, t.id, c.id, t.visitor_id, t.occurred_at, moment, reach, o.id
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
      and case reach when 'customer' then o.customer_id = buyer else trusted end
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

create function private.proxy_address() returns text
language plpgsql stable set search_path = ''
as $$
begin
  -- On hosted Supabase the edge always sets the first header. In the second one, the last address is the one that the
  -- nearest proxy saw.
  return coalesce(
    private.request_header('cf-connecting-ip'), regexp_replace(private.request_header('x-forwarded-for'), '^.*,', ''), ''
  );
end
$$;
comment on function private.proxy_address() is
  'The address of the request that the API''s proxies saw; empty if none. It is an edge function''s where one made the request.';

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
    address := private.proxy_address();
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
  execute function private.record_campaign_status();

-- policies -------------------------------------------------------------------------------------

alter table private.placement_impressions enable row level security;
alter table private.placement_visitors enable row level security;
alter table private.placement_tokens enable row level security;
alter table private.placement_addresses enable row level security;
alter table private.placement_clicks enable row level security;
alter table private.campaign_statuses enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.address_signature, public.sign_address to service_role;
