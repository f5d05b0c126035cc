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
  for each statement execute function private.permitted_only('dashboards.write');

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
    and case (select private.scope('dashboards.read'))
      when 'own' then supplier_id = (select private.supplier_id())
      when 'all' then supplier_id is null
    end
  );

create policy "Admins and clients create the tenant's dashboards, suppliers their own" on public.dashboards
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('dashboards.write'))
      when 'own' then supplier_id = (select private.supplier_id())
      when 'all' then supplier_id is null
    end
  );

create policy "Admins and clients change the tenant's dashboards, suppliers their own" on public.dashboards
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('dashboards.write'))
      when 'own' then supplier_id = (select private.supplier_id())
      when 'all' then supplier_id is null
    end
  )
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('dashboards.write'))
      when 'own' then supplier_id = (select private.supplier_id())
      when 'all' then supplier_id is null
    end
  );

create policy "Admins and clients delete the tenant's dashboards, suppliers their own" on public.dashboards
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('dashboards.write'))
      when 'own' then supplier_id = (select private.supplier_id())
      when 'all' then supplier_id is null
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
