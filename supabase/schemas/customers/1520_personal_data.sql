-- Where personal data of customers is, and how it is erased. One table says it; two functions walk through that table, one
-- to show the data of a customer and one to erase it. tests/customers/personal-data.test.ts compares it with the catalog.

-- types ----------------------------------------------------------------------------------------

-- Values: set to null; to a fixed text; an address of which the country stays; JSON of which ids, times, amounts and
-- statuses stay; the whole row is deleted; it is deleted with the account, the membership or another row; it stays, because the
-- books need it.
create type private.erasure as enum ('null', 'text', 'address', 'identifiers', 'row', 'cascade', 'kept');

-- tables ---------------------------------------------------------------------------------------

create table private.personal_data (
  table_name text not null,
  column_name text not null,
  found_by jsonb not null,
  erasure private.erasure not null,
  replacement text,
  shown_to private.permission_scope,
  constraint personal_data_pkey primary key (table_name, column_name),
  constraint personal_data_replacement_is_for_texts check ((replacement is not null) = (erasure = 'text'))
);
comment on table private.personal_data is
  'The columns with personal data of customers. found_by: how the rows of a customer are found, as {column: kind of key}, where the kinds are those of private.keys_of_person; one of several suffices. replacement: the fixed text. shown_to: who reads the column as personal data: own (the customer and admins), all (admins), or nobody.';

-- functions: whose data it is ------------------------------------------------------------------

create function private.address_of_customer(customer public.customers) returns text
language sql stable security definer set search_path = ''
as $$
  -- Anybody can type any address. One that is not confirmed may be another person's.
  select (customer).email
  where (customer).user_id is null
    or exists (select from auth.users u where u.id = (customer).user_id and u.email_confirmed_at is not null)
$$;
comment on function private.address_of_customer is
  'The e-mail address that certainly belongs to a customer: confirmed, or given by the staff. Otherwise null.';

create function private.events_of_person(tenant uuid, orders uuid[], users uuid[], since timestamptz)
returns table (id uuid, created_at timestamptz)
language sql stable security definer set search_path = ''
as $$
  select e.id, e.created_at
  from public.events e
  where e.tenant_id = tenant and e.created_at >= since
    -- Reading a payload takes longer than reading a name.
    and split_part(e.name, '.', 1) <> all ('{product,content,campaign,webhook,analytics}')
    and (
      coalesce(e.payload #>> '{data,order,id}', e.payload ->> 'order_id')::uuid = any (orders)
      or (e.payload #>> '{data,user,id}')::uuid = any (users)
    )
$$;
comment on function private.events_of_person is 'The events about orders or an account, since a time. It reads all of the tenant''s events of that time.';

create function private.keys_of_person(customer public.customers) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  address constant text := private.address_of_customer(customer);
  users constant uuid[] := array_remove(array[customer.user_id], null);
  orders uuid[];
  since timestamptz;
  events uuid[];
  times timestamptz[];
  deliveries uuid[];
  applications uuid[];
begin
  select coalesce(array_agg(a.id), '{}') into applications
  from public.supplier_applications a
  where a.tenant_id = customer.tenant_id and (a.user_id = any (users) or a.email = address);
  select coalesce(array_agg(o.id), '{}'), least(min(o.created_at), customer.created_at) into orders, since
  from public.orders o
  where o.tenant_id = customer.tenant_id and o.customer_id = customer.id;
  select coalesce(array_agg(e.id), '{}'), array_agg(e.created_at) into events, times
  from private.events_of_person(customer.tenant_id, orders, users, since) e;
  select coalesce(array_agg(d.id), '{}') into deliveries
  from unnest(events, times) as e (id, created_at)
  join public.webhooks w on w.tenant_id = customer.tenant_id
  join public.webhook_deliveries d on d.webhook_id = w.id and d.event_at = e.created_at and d.event_id = e.id;
  return jsonb_build_object(
    'customers', jsonb_build_array(customer.id), 'users', to_jsonb(users), 'orders', to_jsonb(orders),
    'addresses', to_jsonb(array_remove(array[address], null)), 'events', to_jsonb(events),
    'deliveries', to_jsonb(deliveries), 'applications', to_jsonb(applications),
    -- An order's record has its customer, but records of its parts, parcels and notes only have the order.
    'words', to_jsonb(array_remove(array[customer.id::text, address], null) || orders::text[])
  );
end
$$;
comment on function private.keys_of_person is
  'What leads to a customer''s data: lists of ids of customers, users, orders, events, deliveries of webhooks and applications; its e-mail addresses; and words that a text or JSON about the customer has.';

create function private.mentions(value text, words text[]) returns boolean
language sql immutable set search_path = ''
as $$
  -- Cut into words once, because there may be many to look for. a@b.example is not in aa@b.example, nor in a@b.example.com;
  -- but it is in 'a@b.example'! and <a@b.example>.
  select array(
    select unnest(array[cut.word, ltrim(cut.word, '*/=''`{|~')])
    from regexp_matches(lower(value), '[[:alnum:].!#$%&''*+/=?^_`{|}~@-]+', 'g') as m (word)
    cross join rtrim(m.word[1], '.!#$%&''*+/=?^_`{|}~-') as cut (word)
  ) && words
$$;
comment on function private.mentions is
  'Whether a text has one of these ids and addresses, in lower case, as a whole.';

create function private.condition_of_person(found_by jsonb) returns text
language sql immutable set search_path = ''
as $$
  select string_agg(
    case kind
      when 'words' then format(
        'private.mentions(t.%I::text, array(select jsonb_array_elements_text($2 -> ''words'')))', key
      )
      else format(
        't.%I = any (array(select jsonb_array_elements_text($2 -> %L))::%s[])', key, kind,
        case kind when 'addresses' then 'text' else 'uuid' end
      )
    end,
    ' or ' order by key
  )
  from jsonb_each_text(found_by) as f (key, kind)
$$;
comment on function private.condition_of_person is
  'The condition, on the table t, that finds the rows of a person, whose keys are $2. found_by: as in private.personal_data.';

-- functions: erasing ---------------------------------------------------------------------------

create function private.identifiers_of(value jsonb, key text default null) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  case jsonb_typeof(value)
    when 'object' then
      return (
        select coalesce(jsonb_object_agg(f.key, k.kept), '{}')
        from jsonb_each(value) as f
        cross join lateral (select private.identifiers_of(f.value, f.key) offset 0) as k (kept)
        -- Further fields of an address may be numbers.
        where f.key !~ 'address|contact' and k.kept is not null
      );
    when 'array' then
      return (
        select coalesce(jsonb_agg(k.kept order by f.position), '[]')
        from jsonb_array_elements(value) with ordinality as f (element, position)
        cross join lateral (select private.identifiers_of(f.element, key) offset 0) as k (kept)
        where k.kept is not null
      );
    when 'string' then
      return case
        when key in ('event', 'status', 'old_status', 'new_status', 'payment_status', 'currency', 'role')
          or private.is_uuid(value #>> '{}') or (value #>> '{}') ~ '^\d{4}-\d\d-\d\dT[0-9:.]+([+-]\d\d:\d\d|Z)$'
          then value
      end;
    else
      return value;
  end case;
end
$$;
comment on function private.identifiers_of is
  'What is kept of JSON when personal data is erased: ids, times, numbers, statuses and currencies, but nothing of addresses and contacts. Null for another text.';

create function private.erased_value(place private.personal_data) returns text
language sql immutable set search_path = ''
as $$
  select case place.erasure
    when 'null' then 'null'
    when 'text' then quote_literal(place.replacement)
    when 'address' then format('private.erased_address(t.%I)', place.column_name)
    when 'identifiers' then format('private.identifiers_of(t.%I)', place.column_name)
  end
$$;
comment on function private.erased_value is 'The expression that replaces a column of the table t.';

create function private.erase_places(tenant uuid, keys jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  place record;
begin
  for place in
    select
      p.table_name::regclass as name, private.condition_of_person(p.found_by) as condition, p.erasure = 'row' as is_deleted,
      string_agg(format('%I = %s', p.column_name, private.erased_value(p)), ', ' order by p.column_name) as changes
    from private.personal_data p
    where p.erasure not in ('cascade', 'kept')
    group by p.table_name, p.found_by, p.erasure = 'row'
    order by p.table_name, p.found_by::text
  loop
    if place.is_deleted then
      execute format('delete from %s t where t.tenant_id = $1 and (%s)', place.name, place.condition) using tenant, keys;
    else
      execute format('update %s t set %s where t.tenant_id = $1 and (%s)', place.name, place.changes, place.condition)
      using tenant, keys;
    end if;
  end loop;
end
$$;
comment on function private.erase_places is
  'Erases the personal data of the person with these keys at every place of private.personal_data.';

create function private.give_back_deliveries(ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- A delivery that waits is not begun before the end of the transaction. One in flight is sent again without the
  -- data, and what the receiver answers to the earlier attempt is not recorded.
  perform 1 from private.webhook_queue q where q.delivery_id = any (ids) order by q.delivery_id for update;
  update private.webhook_leases l set leased_until = '-infinity' where l.delivery_id = any (ids);
end
$$;
comment on function private.give_back_deliveries is 'Ends the leases of deliveries, and keeps waiting ones from being leased until the end of the transaction.';

create function private.expire_exports_of_customers(tenant uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  types constant public.export_type[] := '{orders,order_items,customers,segments}'::public.export_type[];
begin
  update public.exports e
  set status = 'expired', files = '{}', expires_at = null
  where e.tenant_id = tenant and e.type = any (types) and e.status = 'ready';
  perform private.end_export(e.id, 'A customer''s personal data was erased meanwhile. Ask for the export again.')
  from public.exports e
  where e.tenant_id = tenant and e.type = any (types) and e.status = 'running';
end
$$;
comment on function private.expire_exports_of_customers is
  'Removes the files of exports that contain data of customers, and ends those that are being written.';

create function private.end_account(tenant uuid, account uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- It may be joining another tenant at this moment, whose membership would be deleted with it.
  perform from auth.users u where u.id = account for update;
  if exists (select from public.members m where m.user_id = account and m.tenant_id <> tenant) then
    delete from private.session_tenants s where s.user_id = account and s.tenant_id = tenant;
    delete from public.members m where m.user_id = account and m.tenant_id = tenant;
  else
    delete from auth.users u where u.id = account;
  end if;
end
$$;
comment on function private.end_account is
  'Deletes an account; if it has memberships in other tenants, only the membership in this one. Refuses with LAST_ADMIN.';

-- functions: for the API -----------------------------------------------------------------------

create function private.locked_person(customer_id uuid, permission text) returns public.customers
language plpgsql security definer set search_path = ''
as $$
declare
  customer public.customers;
begin
  if private.scope(permission) is null then
    perform private.refuse('FORBIDDEN', 'Your role may not do this with customers.');
  end if;
  select c.* into customer
  from public.customers c
  where c.tenant_id = private.tenant_id() and c.id = locked_person.customer_id
    and case private.scope(permission)
      when 'all' then c.is_listed
      when 'own' then c.id = private.customer_id()
    end
  -- An order locks its customer, so none is placed meanwhile.
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such customer.');
  end if;
  return customer;
end
$$;
comment on function private.locked_person is
  'A customer for whom the caller has a permission, locked. Refuses with FORBIDDEN, NOT_FOUND.';

create function private.erase_personal_data(customer_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  person constant public.customers := private.locked_person(erase_personal_data.customer_id, 'personal_data.erase');
  keys jsonb;
begin
  if person.erased_at is not null then
    return;
  end if;
  keys := private.keys_of_person(person);
  perform private.give_back_deliveries(array(select jsonb_array_elements_text(keys -> 'deliveries'))::uuid[]);
  perform private.expire_exports_of_customers(person.tenant_id);
  perform private.erase_places(person.tenant_id, keys);
  update public.customers c set user_id = null, erased_at = now() where c.id = person.id;
  if person.user_id is not null then
    perform private.end_account(person.tenant_id, person.user_id);
  end if;
end
$$;
comment on function private.erase_personal_data is 'See public.erase_personal_data.';

create function public.erase_personal_data(customer_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.erase_personal_data(customer_id);
end
$$;
comment on function public.erase_personal_data is
  'For admins, and customers for themselves: erases the personal data of a customer for ever, and ends its account, or its membership if the account has others. Orders stay, with their items, amounts and countries. A repetition changes nothing. Refuses with FORBIDDEN, NOT_FOUND, LAST_ADMIN.';

create function private.read_personal_data(customer_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  person constant public.customers := private.locked_person(read_personal_data.customer_id, 'personal_data.read');
  keys constant jsonb := private.keys_of_person(person);
  reads_all constant boolean := private.scope('personal_data.read') = 'all';
  shown jsonb := '{}'::jsonb;
  place record;
  rows_found jsonb;
begin
  for place in
    select
      p.table_name::regclass as name, private.condition_of_person(p.found_by) as condition,
      array_agg(p.column_name) || '{id,order_id,created_at}' as columns
    from private.personal_data p
    where p.shown_to = 'own' or p.shown_to = 'all' and reads_all
    group by p.table_name, p.found_by
    order by p.table_name, p.found_by::text
  loop
    execute format(
      $query$
        select jsonb_agg((select jsonb_object_agg(f.key, f.value) from jsonb_each(to_jsonb(t)) as f where f.key = any ($3)))
        from %s t
        where t.tenant_id = $1 and (%s)
          -- Mails that tell suppliers and admins of the customer's orders are theirs.
          and to_jsonb(t) -> 'is_for_members' is distinct from 'true'
      $query$,
      place.name, place.condition
    )
    into rows_found
    using person.tenant_id, keys, place.columns;
    if rows_found is not null then
      shown := shown || jsonb_build_object(
        split_part(place.name::text, '.', 2), coalesce(shown -> split_part(place.name::text, '.', 2), '[]') || rows_found
      );
    end if;
  end loop;
  return jsonb_build_object('customer_id', person.id, 'read_at', now(), 'records', shown);
end
$$;
comment on function private.read_personal_data is 'See public.read_personal_data.';

create function public.read_personal_data(customer_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.read_personal_data(customer_id);
end
$$;
comment on function public.read_personal_data is
  'For admins, and customers for themselves: the personal data of a customer, as {customer_id, read_at, records: {table: [row]}}. Refuses with FORBIDDEN, NOT_FOUND.';

create function private.refuse_order_of_erased() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The lock waits for an erasure that is being carried out, and sees its result.
  perform 1
  from public.customers c
  where c.tenant_id = new.tenant_id and c.id = new.customer_id and c.erased_at is null
  for key share;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such customer.', 'customer_id', to_jsonb(new.customer_id));
  end if;
  return new;
end
$$;
comment on function private.refuse_order_of_erased() is
  'Row trigger: refuses an order of a customer whose data is erased with NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger orders_need_a_known_customer
  before insert on public.orders
  for each row execute function private.refuse_order_of_erased();

-- policies -------------------------------------------------------------------------------------

alter table private.personal_data enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select on private.personal_data to service_role;
grant execute on function
  public.erase_personal_data, private.erase_personal_data, public.read_personal_data, private.read_personal_data
to authenticated;
