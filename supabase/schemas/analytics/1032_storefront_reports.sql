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
  itself uuid := case when private.scope('shop_events.write') is distinct from 'all' then private.viewer_id() end;
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

create function private.store_storefront_events(tenant_id uuid, events private.storefront_event[]) returns integer[]
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
    where k.tenant_id = store_storefront_events.tenant_id
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
      store_storefront_events.tenant_id, f.id, today, f.occurred_at, f.stage, f.visitor, f.marketplace_id, f.product_id,
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
comment on function private.store_storefront_events is
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
  trusted boolean := coalesce(private.scope('shop_events.write') = 'all', false);
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
    'results', private.storefront_results(sent, private.store_storefront_events(tenant, counting))
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
