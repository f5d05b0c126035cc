-- What customers change about themselves, and the staff about customers: name, phone, language and, without an account, the
-- e-mail address. Customers keep addresses for their next orders.

-- tables ---------------------------------------------------------------------------------------

create table private.customer_addresses (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  customer_id uuid not null,
  address jsonb not null,
  is_default boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now(),
  constraint customer_addresses_pkey primary key (tenant_id, id),
  constraint customer_addresses_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id) on delete cascade,
  constraint customer_addresses_address_is_without_numbers_of_over_30_digits check (private.has_short_numbers(address)),
  constraint customer_addresses_address_is_at_most_8_kb check (octet_length(address::text) <= 8192)
);
comment on table private.customer_addresses is
  'The addresses that a customer keeps for its orders. address: as in orders.shipping_address. is_default: the one that a shop proposes; every customer with addresses has one.';

-- indexes --------------------------------------------------------------------------------------

create index customer_addresses_customer_idx on private.customer_addresses (tenant_id, customer_id, created_at, id);
create unique index customer_addresses_default_idx on private.customer_addresses (tenant_id, customer_id) where is_default;

-- functions: profiles --------------------------------------------------------------------------

create function private.update_customer(customer_id uuid, changes jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  person constant public.customers := private.locked_person(update_customer.customer_id, 'customers.change');
begin
  perform private.known_only(changes, array['name', 'email', 'phone', 'language']);
  if person.erased_at is not null then
    perform private.refuse('CONFLICT', 'The personal data of this customer was erased.');
  elsif changes ? 'email' and private.scope('customers.change') <> 'all' then
    perform private.refuse('FORBIDDEN', 'You change the address of your account with Supabase Auth.', 'email', changes -> 'email');
  elsif changes ? 'email' and person.user_id is not null and not person.is_guest then
    perform private.refuse(
      'VALIDATION_ERROR', 'email must not be sent: the customer has an account, and changes its address there.', 'email',
      changes -> 'email'
    );
  end if;
  update public.customers c
  set name = case when changes ? 'name' then coalesce(changes ->> 'name', '') else c.name end,
      phone = case when changes ? 'phone' then changes ->> 'phone' else c.phone end,
      language = case when changes ? 'language' then changes ->> 'language' else c.language end,
      email = case when changes ? 'email' and not c.is_guest then lower(changes ->> 'email') else c.email end,
      contact_email = case when changes ? 'email' and c.is_guest then lower(changes ->> 'email') else c.contact_email end
  where c.id = person.id;
end
$$;
comment on function private.update_customer is 'See public.update_customer.';

create function public.update_customer(customer_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.update_customer(customer_id, changes);
  return (select to_jsonb(d) from public.customer_details d where d.id = update_customer.customer_id);
end
$$;
comment on function public.update_customer is
  'For admins and clients, and customers for themselves: changes name, phone, language and, for the staff and customers without an account, email. Returns the whole record. Fields that are not sent do not change; null removes one. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, CONFLICT (erased).';

-- functions: addresses -------------------------------------------------------------------------

create function private.address_record(kept private.customer_addresses) returns jsonb
language sql stable set search_path = ''
as $$
  select (kept).address || jsonb_build_object(
    'id', (kept).id, 'is_default', (kept).is_default, 'created_at', (kept).created_at, 'updated_at', (kept).updated_at
  )
$$;
comment on function private.address_record is 'The record of a kept address: its fields, and id, is_default and times.';

create function private.own_customer(permission text) returns public.customers
language plpgsql security definer set search_path = ''
as $$
declare
  own public.customers;
begin
  select c.* into own
  from public.customers c
  where c.tenant_id = private.tenant_id() and c.id = private.customer_id() and private.scope(permission) = 'own'
  for update;
  if not found then
    perform private.refuse('FORBIDDEN', 'Only customers keep addresses.');
  end if;
  return own;
end
$$;
comment on function private.own_customer is
  'The caller''s customer record, locked, so that its addresses are counted and chosen one after the other. Refuses with FORBIDDEN.';

create function private.list_customer_addresses() returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  own constant public.customers := private.own_customer('addresses.read');
begin
  return jsonb_build_object(
    'addresses', coalesce(
      (
        select jsonb_agg(private.address_record(a) order by a.is_default desc, a.created_at, a.id)
        from private.customer_addresses a
        where a.tenant_id = own.tenant_id and a.customer_id = own.id
      ),
      '[]'
    )
  );
end
$$;
comment on function private.list_customer_addresses() is 'See public.list_customer_addresses.';

create function public.list_customer_addresses() returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.list_customer_addresses();
end
$$;
comment on function public.list_customer_addresses() is
  'For customers: their addresses, {addresses}, the default first. Refuses with FORBIDDEN.';

create function private.make_default(chosen private.customer_addresses) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update private.customer_addresses a
  set is_default = false
  where a.tenant_id = chosen.tenant_id and a.customer_id = chosen.customer_id and a.is_default and a.id <> chosen.id;
  update private.customer_addresses a
  set is_default = true
  where a.tenant_id = chosen.tenant_id and a.id = chosen.id and not a.is_default;
end
$$;
comment on function private.make_default is 'Makes an address the default of its customer, in place of the one before.';

create function private.create_customer_address(address jsonb, is_default boolean) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  own constant public.customers := private.own_customer('addresses.write');
  kept bigint;
  created private.customer_addresses;
begin
  select count(*) into kept
  from private.customer_addresses a
  where a.tenant_id = own.tenant_id and a.customer_id = own.id;
  if kept >= private.cap('addresses_per_customer') then
    perform private.refuse_beyond('addresses_per_customer', 'You have the maximum number of addresses. Remove one first.');
  end if;
  insert into private.customer_addresses (tenant_id, customer_id, address)
  values (own.tenant_id, own.id, private.checked_address(create_customer_address.address, null, 'address'))
  returning * into created;
  if kept = 0 or create_customer_address.is_default then
    perform private.make_default(created);
  end if;
  return (
    select private.address_record(a)
    from private.customer_addresses a
    where a.tenant_id = created.tenant_id and a.id = created.id
  );
end
$$;
comment on function private.create_customer_address is 'See public.create_customer_address.';

create function public.create_customer_address(address jsonb, is_default boolean default false) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.create_customer_address(private.nfc(address), is_default);
end
$$;
comment on function public.create_customer_address is
  'For customers: keeps an address, checked as that of an order, and returns its record. The first one is the default. Refuses with FORBIDDEN, VALIDATION_ERROR, LIMIT_REACHED.';

create function private.own_address(address_id uuid, customer public.customers) returns private.customer_addresses
language plpgsql stable security definer set search_path = ''
as $$
declare
  own private.customer_addresses;
begin
  select a.* into own
  from private.customer_addresses a
  where a.tenant_id = customer.tenant_id and a.customer_id = customer.id and a.id = own_address.address_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such address.');
  end if;
  return own;
end
$$;
comment on function private.own_address is 'An address of a customer. Refuses with NOT_FOUND.';

create function private.get_customer_address(address_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
begin
  return private.address_record(private.own_address(address_id, private.own_customer('addresses.read')));
end
$$;
comment on function private.get_customer_address is 'See public.get_customer_address.';

create function public.get_customer_address(address_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_customer_address(address_id);
end
$$;
comment on function public.get_customer_address is
  'For customers: one of their addresses. Refuses with FORBIDDEN, NOT_FOUND.';

create function private.update_customer_address(address_id uuid, changes jsonb, is_default boolean) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  own constant public.customers := private.own_customer('addresses.write');
  kept constant private.customer_addresses := private.own_address(address_id, own);
begin
  if kept.is_default and not update_customer_address.is_default then
    perform private.refuse(
      'VALIDATION_ERROR', 'is_default must be true: make another address the default instead.', 'is_default', 'false'
    );
  end if;
  update private.customer_addresses a
  set address = private.checked_address(jsonb_strip_nulls(kept.address || coalesce(changes, '{}')), null, 'address')
  where a.tenant_id = kept.tenant_id and a.id = kept.id and changes <> '{}';
  if update_customer_address.is_default then
    perform private.make_default(kept);
  end if;
  return (
    select private.address_record(a) from private.customer_addresses a where a.tenant_id = kept.tenant_id and a.id = kept.id
  );
end
$$;
comment on function private.update_customer_address is 'See public.update_customer_address.';

create function public.update_customer_address(
  address_id uuid, changes jsonb default '{}', is_default boolean default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.update_customer_address(address_id, private.nfc(changes), is_default);
end
$$;
comment on function public.update_customer_address is
  'For customers: changes fields of one of their addresses, where null removes one, or makes it the default. Returns its record. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function private.remove_customer_address(address_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  own constant public.customers := private.own_customer('addresses.write');
  gone constant private.customer_addresses := private.own_address(address_id, own);
begin
  delete from private.customer_addresses a where a.tenant_id = gone.tenant_id and a.id = gone.id;
  if gone.is_default then
    perform private.make_default(a)
    from private.customer_addresses a
    where a.tenant_id = own.tenant_id and a.customer_id = own.id
    order by a.created_at, a.id
    limit 1;
  end if;
end
$$;
comment on function private.remove_customer_address is 'See public.remove_customer_address.';

create function public.remove_customer_address(address_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.remove_customer_address(address_id);
end
$$;
comment on function public.remove_customer_address is
  'For customers: removes one of their addresses. The oldest that is left becomes the default if it was that. Refuses with FORBIDDEN, NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on private.customer_addresses
  for each row execute function private.keep_nfc();

create trigger customer_addresses_touch
  before update on private.customer_addresses
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table private.customer_addresses enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  public.update_customer, private.update_customer,
  public.list_customer_addresses(), private.list_customer_addresses(),
  public.get_customer_address, private.get_customer_address,
  public.create_customer_address, private.create_customer_address,
  public.update_customer_address, private.update_customer_address,
  public.remove_customer_address, private.remove_customer_address
to authenticated;
