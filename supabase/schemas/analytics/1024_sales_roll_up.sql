-- The job that moves lines of the book from the queue into the rollups, and makes the rollups again for a new time zone.

-- functions ------------------------------------------------------------------------------------

create function private.roll_up_sales(tenant_id uuid, most integer) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := roll_up_sales.tenant_id;
  time_zone text;
  taken bigint[];
begin
  -- One session at a time rolls up for a tenant. Orders do not need this lock.
  if not private.try_hold('sales_rollup', tenant::text) then
    return 0;
  elsif exists (select from private.sales_redraws r where r.tenant_id = tenant) then
    return private.redraw_sales(tenant, most);
  end if;
  time_zone := private.time_zone_of(tenant);
  with gone as (
    delete from private.unrolled_sales u
    where u.ctid = any (array(
      select w.ctid from private.unrolled_sales w where w.tenant_id = tenant order by w.sale_id limit most
    ))
    returning u.sale_id
  )
  select array_agg(g.sale_id) into taken from gone g;
  perform private.add_up_days(tenant, time_zone, taken);
  perform private.add_up_gaps(tenant, time_zone, taken);
  perform private.add_up_customers(tenant, time_zone, taken);
  return coalesce(cardinality(taken), 0);
end
$$;
comment on function private.roll_up_sales is
  'Adds a tenant''s oldest queued lines to its rollups, at most this many. Returns how many; 0 while another session does it.';

create function private.redraw_sales(tenant_id uuid, most integer) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := redraw_sales.tenant_id;
  redraw private.sales_redraws;
  time_zone text := private.time_zone_of(tenant);
  next record;
  removed integer := 0;
  emptied text;
begin
  select * into redraw from private.sales_redraws r where r.tenant_id = tenant for update;
  if not redraw.is_cleared then
    foreach emptied in array array['sales_days', 'customer_gaps', 'customer_days', 'ordering_customers'] loop
      execute format(
        'delete from private.%1$I d where d.ctid = any (array(select o.ctid from private.%1$I o where o.tenant_id = $1 limit $2))',
        emptied
      ) using tenant, most;
      get diagnostics removed = row_count;
      exit when removed > 0;
    end loop;
    update private.sales_redraws r set is_cleared = (removed = 0) where r.tenant_id = tenant;
    return greatest(removed, 1);
  end if;

  -- Queued lines are added later, from the queue. Lines of open transactions will be queued.
  select
    array_agg(s.id) filter (where u.sale_id is null) as ids, max(s.booked_at) as drawn_to, count(*)::integer as lines,
    (array_agg(s.id order by s.booked_at desc, s.id desc))[1] as drawn_id
  into next
  from (
    select b.id, b.booked_at
    from private.sales b
    where b.tenant_id = tenant and (b.booked_at, b.id) > (redraw.drawn_to, redraw.drawn_id)
    order by b.booked_at, b.id
    limit most
  ) as s
  left join private.unrolled_sales u on u.tenant_id = tenant and u.sale_id = s.id;
  perform private.add_up_days(tenant, time_zone, next.ids);
  perform private.add_up_gaps(tenant, time_zone, next.ids);
  perform private.add_up_customers(tenant, time_zone, next.ids);
  if next.lines < most then
    delete from private.sales_redraws r where r.tenant_id = tenant;
  else
    update private.sales_redraws r set drawn_to = next.drawn_to, drawn_id = next.drawn_id where r.tenant_id = tenant;
  end if;
  return greatest(next.lines, 1);
end
$$;
comment on function private.redraw_sales is
  'Continues to make a tenant''s rollups again from the book, by at most this many rows. Returns how many, and at least 1.';

create function private.tenants_to_roll_up(most integer) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  with recursive waiting (tenant_id) as (
    (select u.tenant_id from private.unrolled_sales u order by u.tenant_id limit 1)
    union all
    select (select u.tenant_id from private.unrolled_sales u where u.tenant_id > w.tenant_id order by u.tenant_id limit 1)
    from waiting w
    where w.tenant_id is not null
  )
  -- In random order, so that every tenant is served, however much the others have.
  select array(
    select found.tenant_id
    from (
      select w.tenant_id from waiting w where w.tenant_id is not null
      union
      select r.tenant_id from private.sales_redraws r
    ) as found
    order by random()
    limit most
  )
$$;
comment on function private.tenants_to_roll_up is 'Some tenants that have queued lines, or whose rollups are made again.';

create function public.roll_up_sales(batch integer default 5000, rounds integer default 0) returns integer
language plpgsql set search_path = ''
as $$
declare
  tenants uuid[] := private.tenants_to_roll_up(20);
  rolled integer := 0;
begin
  for i in 1 .. cardinality(tenants) loop
    rolled := rolled + private.roll_up_sales(tenants[i], greatest(batch / cardinality(tenants), 1));
  end loop;
  -- Each transaction adds a limited number, so that a failure loses little work.
  if rounds > 0 and rolled > 0 and private.tenants_to_roll_up(1) <> '{}' then
    perform private.perform_later('roll_up_sales', jsonb_build_object('batch', batch, 'rounds', rounds - 1));
  end if;
  return rolled;
end
$$;
comment on function public.roll_up_sales is
  'For a job: adds queued lines of the book of sales to the rollups, at most batch, shared among up to 20 tenants. If more are queued, up to rounds further calls follow, each in its own transaction. Returns how many lines this call added.';

create function private.redraw_days() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- A session that rolls up now uses the old days; this waits for its end.
  perform private.hold('sales_rollup', new.id::text);
  insert into private.sales_redraws as r (tenant_id)
  select new.id where exists (select from private.sales s where s.tenant_id = new.id)
  on conflict (tenant_id) do update
  set is_cleared = false, drawn_to = '-infinity', drawn_id = 0;
  perform private.restate(new.id, '-infinity');
  return null;
end
$$;
comment on function private.redraw_days() is 'Row trigger: has the rollups made again for a new time zone.';

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_redraw_days
  after update of time_zone on public.tenants
  for each row when (new.time_zone <> old.time_zone)
  execute function private.redraw_days();

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.roll_up_sales(uuid, integer), private.tenants_to_roll_up
to service_role;
grant execute on function public.roll_up_sales(integer, integer) to service_role;
