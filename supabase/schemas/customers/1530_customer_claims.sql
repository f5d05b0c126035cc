-- Claims: a customer without an account, and a guest who ordered, become an account's by their e-mail address, once the account
-- has confirmed it. Their orders come along. Everything happens at once, except that a guest who orders with the address of
-- an account keeps its session for an hour: otherwise it would not see the order that it has just placed.

-- tables ---------------------------------------------------------------------------------------

create table private.customer_claims (
  tenant_id uuid not null,
  customer_id uuid not null,
  due_at timestamptz not null,
  constraint customer_claims_pkey primary key (tenant_id, customer_id),
  constraint customer_claims_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id) on delete cascade
);
comment on table private.customer_claims is
  'Customers without an account, and guests, whose e-mail address is new: at due_at a job looks for an account that has it.';

-- indexes --------------------------------------------------------------------------------------

create index customer_claims_due_at_idx on private.customer_claims (due_at);
create index customers_contact_email_idx on public.customers (tenant_id, contact_email) where contact_email is not null;

-- functions ------------------------------------------------------------------------------------

create function private.unclaimed_customers(tenant_id uuid, email text, but uuid default null)
returns setof public.customers
language plpgsql security definer set search_path = ''
as $$
begin
  return query
  select c.*
  from public.customers c
  where c.tenant_id = unclaimed_customers.tenant_id
    and (
      c.email = unclaimed_customers.email and c.user_id is null
      or c.contact_email = unclaimed_customers.email and c.is_guest and c.is_listed
        -- An admin may have given a guest another role.
        and not exists (select from public.members m where m.user_id = c.user_id and m.role <> 'customer')
    )
    and c.id is distinct from but
  order by c.created_at, c.id
  for update of c;
end
$$;
comment on function private.unclaimed_customers is
  'The customers without an account that have an e-mail address, and the guests who gave it in their last order; locked, the oldest first. but: one that is left out.';

create function private.has_confirmed(user_id uuid, email text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from auth.users u
    where u.id = has_confirmed.user_id and lower(u.email) = has_confirmed.email and u.email_confirmed_at is not null
  )
$$;
comment on function private.has_confirmed is 'Whether an account has confirmed this e-mail address.';

create function private.customer_of_address(email text) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select c.id
    from public.customers c
    where c.tenant_id = private.tenant_id() and c.email = customer_of_address.email and c.user_id is not null
      and private.scope('customers.write') = 'all' and private.has_confirmed(c.user_id, c.email)
    limit 1
  );
end
$$;
comment on function private.customer_of_address is
  'For those who may create customers: the customer whose account has confirmed an e-mail address; null if there is none.';

create function private.redraw_sales_of_moved(tenant_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into private.sales_redraws as r (tenant_id)
  values (redraw_sales_of_moved.tenant_id)
  on conflict (tenant_id) do update
  set is_cleared = false, drawn_to = '-infinity', drawn_id = 0;
  perform private.restate(redraw_sales_of_moved.tenant_id, '-infinity');
end
$$;
comment on function private.redraw_sales_of_moved is 'Has the rollups of a tenant made again, because sales have moved to another customer.';

create function private.move_orders(tenant_id uuid, from_id uuid, to_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant constant uuid := move_orders.tenant_id;
  moved constant uuid[] := array(
    select o.id from public.orders o where o.tenant_id = move_orders.tenant_id and o.customer_id = from_id
  );
begin
  if moved = '{}' then
    return;
  end if;
  update public.orders o set customer_id = to_id where o.tenant_id = tenant and o.id = any (moved);
  update public.order_parts p set customer_id = to_id where p.tenant_id = tenant and p.order_id = any (moved);
  update public.shipments s set customer_id = to_id where s.tenant_id = tenant and s.order_id = any (moved);
  update public.return_requests r set customer_id = to_id where r.tenant_id = tenant and r.order_id = any (moved);
  update private.order_discounts d set customer_id = to_id where d.tenant_id = tenant and d.order_id = any (moved);
  update public.bookings b set customer_id = to_id where b.tenant_id = tenant and b.order_id = any (moved);
  update private.sales s set customer_id = to_id where s.tenant_id = tenant and s.order_id = any (moved);
  perform private.redraw_sales_of_moved(tenant);
end
$$;
comment on function private.move_orders is 'Moves the orders of a customer, with their parts, shipments, returns, bookings and sales, to another one.';

create function private.forget_typed(past public.customers) returns void
language sql security definer set search_path = ''
as $$
  -- Whoever typed the address of somebody else might have typed these for them, too.
  delete from private.customer_addresses a
  where past.is_guest and a.tenant_id = past.tenant_id and a.customer_id = past.id;
  update public.customers c set phone = null, language = null where past.is_guest and c.id = past.id
$$;
comment on function private.forget_typed is
  'Removes from the record of a guest what nobody has confirmed, before an account gets it: addresses, phone and language. Its orders stay. Does nothing with another customer.';

create function private.join_customers(kept public.customers, gone public.customers) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.move_orders(kept.tenant_id, gone.id, kept.id);
  perform private.forget_typed(gone);
  if gone.is_guest then
    gone.phone := null;
    gone.language := null;
  end if;
  update private.customer_addresses a
  set customer_id = kept.id,
      is_default = a.is_default and not exists (
        select from private.customer_addresses d
        where d.tenant_id = kept.tenant_id and d.customer_id = kept.id and d.is_default
      )
  where a.tenant_id = gone.tenant_id and a.customer_id = gone.id;
  update private.checkouts k set customer_id = kept.id where k.tenant_id = gone.tenant_id and k.customer_id = gone.id;
  delete from public.customers c where c.id = gone.id;
  if gone.is_guest then
    delete from auth.users u where u.id = gone.user_id and u.is_anonymous;
  end if;
  update public.customers c
  set external_id = coalesce(c.external_id, gone.external_id), phone = coalesce(c.phone, gone.phone),
      language = coalesce(c.language, gone.language)
  where c.id = kept.id;
end
$$;
comment on function private.join_customers is
  'Gives one customer all that another one has, and deletes that one, and its account if it is a guest.';

create function private.become_account(past public.customers, account uuid, name text, email text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.customers c
  set user_id = account, name = become_account.name, email = become_account.email, contact_email = null,
      is_guest = false, is_listed = true
  where c.id = past.id;
  if past.is_guest then
    delete from auth.users u where u.id = past.user_id and u.is_anonymous;
  end if;
end
$$;
comment on function private.become_account is 'Makes a customer without an account, or a guest, that of an account.';

create function private.claim_past_customer() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  past public.customers;
  kept public.customers;
begin
  -- A user who is a customer already stays that customer.
  if not private.has_confirmed(new.user_id, new.email) or exists (
    select from public.customers c where c.tenant_id = new.tenant_id and c.user_id = new.user_id
  ) then
    return new;
  end if;
  for past in select * from private.unclaimed_customers(new.tenant_id, new.email) loop
    if kept.id is null then
      kept := past;
      perform private.forget_typed(past);
      perform private.become_account(past, new.user_id, new.name, new.email);
    else
      perform private.join_customers(kept, past);
    end if;
  end loop;
  if kept.id is null then
    return new;
  end if;
  return null;
end
$$;
comment on function private.claim_past_customer() is
  'Row trigger: a user who joins with the confirmed address of customers without an account becomes the oldest of them, instead of a new one, and gets the orders of the others.';

create function private.claim_customers(own public.customers) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  kept public.customers := own;
  past public.customers;
  is_new boolean;
begin
  is_new := not exists (select from public.orders o where o.tenant_id = own.tenant_id and o.customer_id = own.id);
  for past in select * from private.unclaimed_customers(own.tenant_id, own.email, own.id) loop
    if is_new then
      is_new := false;
      kept := past;
      perform private.forget_typed(past);
      perform private.join_customers(past, own);
      perform private.become_account(past, own.user_id, own.name, own.email);
    else
      perform private.join_customers(kept, past);
    end if;
  end loop;
end
$$;
comment on function private.claim_customers is
  'Gives the customer of an account with a confirmed address the orders of customers without an account that have it. A customer who has not ordered becomes the oldest of them.';

create function private.claim_confirmed_customer() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  own public.customers;
begin
  for own in select * from public.customers c where c.user_id = new.id loop
    -- The customer of a guest who registers has no address yet.
    own.email := lower(new.email);
    perform private.claim_customers(own);
  end loop;
  return null;
end
$$;
comment on function private.claim_confirmed_customer() is
  'Row trigger: a user who confirms an address, the first or a new one, gets the orders of customers without an account that have it, in every tenant of the user.';

create function private.plan_customer_claim() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.customer_claims as k (tenant_id, customer_id, due_at)
  values (new.tenant_id, new.id, now() + case when new.is_guest then interval '1 hour' else interval '0' end)
  on conflict on constraint customer_claims_pkey do update set due_at = excluded.due_at;
  return null;
end
$$;
comment on function private.plan_customer_claim() is
  'Row trigger: plans the search for an account with the new address of a customer without an account; of a guest after an hour.';

create function private.claim_due_customers(most integer) returns text
language plpgsql security definer set search_path = '' set lock_timeout = '500ms'
as $$
declare
  due private.customer_claims[] := array(
    select k
    from private.customer_claims k
    where k.due_at <= now()
    order by k.due_at
    limit most
    for update skip locked
  );
  own public.customers;
begin
  for own in
    select distinct on (a.id) a.*
    from unnest(due) as k
    join public.customers c on c.tenant_id = k.tenant_id and c.id = k.customer_id
    join public.customers a
      on a.tenant_id = c.tenant_id and a.email = coalesce(c.email, c.contact_email) and a.user_id is not null
    where (c.user_id is null or c.is_guest) and private.has_confirmed(a.user_id, a.email)
    order by a.id
  loop
    perform private.claim_customers(own);
  end loop;
  delete from private.customer_claims k
  using unnest(due) as d
  where k.tenant_id = d.tenant_id and k.customer_id = d.customer_id;
  return case when cardinality(due) = most then 'more' end;
end
$$;
comment on function private.claim_due_customers is
  'For a job: gives the accounts that have the address of a customer whose claim is due the customer''s orders. At most this many; returns null if there are no more.';

-- triggers -------------------------------------------------------------------------------------

create trigger customers_take_over_past_customer
  before insert on public.customers
  for each row when (new.user_id is not null and new.email is not null)
  execute function private.claim_past_customer();

create trigger customers_plan_claim_of_new
  after insert on public.customers
  for each row when (new.user_id is null and new.email is not null)
  execute function private.plan_customer_claim();

create trigger customers_plan_claim
  after update of email, contact_email on public.customers
  for each row when (
    (new.user_id is null or new.is_guest) and coalesce(new.email, new.contact_email) is not null
    and (old.email, old.contact_email) is distinct from (new.email, new.contact_email)
  )
  execute function private.plan_customer_claim();

create trigger customers_take_over_confirmed
  after update of email_confirmed_at on auth.users
  for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null)
  execute function private.claim_confirmed_customer();

-- Auth changes an address when the new one is confirmed.
create trigger customers_take_over_changed
  after update of email on auth.users
  for each row when (old.email_confirmed_at is not null and lower(old.email) <> lower(new.email))
  execute function private.claim_confirmed_customer();

-- policies -------------------------------------------------------------------------------------

alter table private.customer_claims enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.customer_of_address to authenticated;
