-- Deletes guests without an order 30 days after they were last seen. Each guest is checked when it may be due, and not
-- again once it has ordered or registered, so the job does not grow with the guests that stay.

-- tables ---------------------------------------------------------------------------------------

create table private.guest_checks (
  user_id uuid primary key references auth.users (id) on delete cascade,
  due_at timestamptz not null default now() + interval '30 days'
);
comment on table private.guest_checks is
  'When each guest is checked next. Guests that have ordered or registered are removed from this table by their next check.';

-- indexes --------------------------------------------------------------------------------------

create index guest_checks_due_at_idx on private.guest_checks (due_at);

-- functions ------------------------------------------------------------------------------------

create function private.plan_guest_check() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.guest_checks (user_id) values (new.user_id) on conflict do nothing;
  return null;
end
$$;
comment on function private.plan_guest_check() is 'Row trigger: plans the check of a new guest in 30 days.';

create function private.has_ordered(user_id uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from public.customers c
    join public.orders o on o.tenant_id = c.tenant_id and o.customer_id = c.id
    where c.user_id = has_ordered.user_id
  )
$$;
comment on function private.has_ordered is 'Whether a user has an order in any tenant.';

create function private.last_seen(user_id uuid) returns timestamptz
language sql stable security definer set search_path = ''
as $$
  select greatest(
    u.created_at, u.last_sign_in_at,
    (
      select max(greatest(s.created_at, s.refreshed_at at time zone 'utc'))
      from auth.sessions s
      where s.user_id = u.id
    )
  )
  from auth.users u
  where u.id = last_seen.user_id
$$;
comment on function private.last_seen is 'The last time that a user signed in or refreshed a session.';

create function private.delete_old_guests(most integer) returns text
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  due uuid[] := array(
    select g.user_id
    from private.guest_checks g
    where g.due_at <= now()
    order by g.due_at
    limit most
    for update skip locked
  );
  -- An order locks its customer, so the customers that are locked here get no order before the transaction ends.
  free uuid[] := array(
    select c.user_id from public.customers c where c.user_id = any (due) for update skip locked
  );
  gone uuid[];
begin
  -- A guest with another role, which an admin may have given it, stays.
  gone := array(
    select u.id
    from auth.users u
    where u.id = any (free) and u.is_anonymous
      and not exists (select from public.members m where m.user_id = u.id and m.role <> 'customer')
      and private.last_seen(u.id) <= now() - interval '30 days'
      and not private.has_ordered(u.id)
  );
  delete from public.customers c where c.user_id = any (gone);
  delete from auth.users u where u.id = any (gone);

  delete from private.guest_checks g
  using auth.users u
  where g.user_id = any (due) and u.id = g.user_id and (not u.is_anonymous or private.has_ordered(u.id));
  update private.guest_checks g
  set due_at = greatest(private.last_seen(g.user_id) + interval '30 days', now() + interval '1 hour')
  where g.user_id = any (due);
  return case when cardinality(due) = most then 'more' end;
end
$$;
comment on function private.delete_old_guests is
  'Checks guests that are due, at most this many, and deletes those without an order that were last seen 30 days ago. Returns null if there are no more.';

-- triggers -------------------------------------------------------------------------------------

create trigger members_plan_guest_check
  after insert on public.members
  for each row when (new.is_anonymous)
  execute function private.plan_guest_check();

-- policies -------------------------------------------------------------------------------------

alter table private.guest_checks enable row level security;
