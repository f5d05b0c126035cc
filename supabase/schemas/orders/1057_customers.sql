-- The record of a customer, as the API returns it, and the search of customers.
-- later: private.customer_of_address

-- indexes --------------------------------------------------------------------------------------

create index customers_tenant_id_address_idx on public.customers (tenant_id, (coalesce(email, contact_email)));
create index orders_addresses_idx on public.orders using gin (
  private.grams(
    tenant_id,
    private.name_text(shipping_address ->> 'street', shipping_address ->> 'postal_code', shipping_address ->> 'city')
  )
) with (fastupdate = off) where shipping_address is not null;

-- views ----------------------------------------------------------------------------------------

create view public.customer_details with (security_invoker = true) as
select
  c.id, c.tenant_id, c.user_id, c.name, coalesce(c.email, c.contact_email) as email, c.is_guest, c.language,
  c.external_id,
  (select count(*) from public.orders o where o.tenant_id = c.tenant_id and o.customer_id = c.id) as orders,
  (
    select o.created_at
    from public.orders o
    where o.tenant_id = c.tenant_id and o.customer_id = c.id
    order by o.created_at desc, o.id
    limit 1
  ) as last_ordered_at,
  c.created_at, c.erased_at, c.phone
from public.customers c;
comment on view public.customer_details is
  'The whole record of a customer, as the API returns it. email: for a guest, the address that it gave in its last order. orders, last_ordered_at: its orders, cancelled ones too. erased_at: when its personal data was erased. Guests who have not ordered see themselves only, and nobody else sees them.';

-- functions ------------------------------------------------------------------------------------

create function public.sort_name(customer public.customer_details) returns private.sort_text
language sql immutable
return private.sort_name((customer).name);
comment on function public.sort_name(public.customer_details) is
  'The key for sorting customers by name: .order(''sort_name'').';

create function public.create_customer(
  name text, email text default null, phone text default null, language text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created uuid := private.customer_of_address(lower(create_customer.email));
begin
  if created is null then
    insert into public.customers (name, email, phone, language)
    values (create_customer.name, lower(create_customer.email), create_customer.phone, create_customer.language)
    returning id into created;
  end if;
  return (select to_jsonb(d) from public.customer_details d where d.id = created);
end
$$;
comment on function public.create_customer is
  'For admins and clients: creates a customer without an account, for whom they can order; or finds the one whose account has confirmed this address. Returns the whole record.';

create function private.found_customer_ids(search text) returns setof uuid
-- A plan from when the tables were empty, which a session keeps, would scan them.
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  parts text[] := private.parts_of_name(search);
  wanted bigint[] := private.grams_of_parts(tenant, parts);
begin
  -- The policy of customers decides which of these customers the caller sees.
  if private.searched(search) is null then
    return query select c.id from public.customers c where c.tenant_id = tenant;
    return;
  elsif wanted = '{}' then
    return;
  end if;
  return query
    select n.customer_id from private.customers_by_name(tenant, parts, wanted) n
    union
    select n.customer_id from private.orders_by_name(tenant, parts, wanted) n
    union
    select o.customer_id
    from public.orders o
    where o.shipping_address is not null
      and private.grams(
        o.tenant_id,
        private.name_text(
          o.shipping_address ->> 'street', o.shipping_address ->> 'postal_code', o.shipping_address ->> 'city'
        )
      ) @> wanted
      and o.tenant_id = tenant
      and private.contains_all(
        private.name_text(
          o.shipping_address ->> 'street', o.shipping_address ->> 'postal_code', o.shipping_address ->> 'city'
        ),
        parts
      );
end
$$;
comment on function private.found_customer_ids is
  'The customers of the caller''s tenant whose name, e-mail address or phone number, or an order''s contact or address, a search finds; all for a search without a visible character.';

create function public.found_customers(search text default null) returns setof public.customer_details
language sql stable set search_path = ''
as $$
  select d.*
  from public.customer_details d
  where d.id in (select private.found_customer_ids(search))
$$;
comment on function public.found_customers is
  'The customers that the caller sees whose name, e-mail address and phone number have all words of the search, in any order; or the contact and name of one of their orders; or the street, postal code and city of one. Parts of words from three letters on are found. They can be filtered and sorted like customer_details.';

-- grants ---------------------------------------------------------------------------------------

grant select on public.customer_details to authenticated;
grant all on public.customer_details to service_role;
grant execute on function public.sort_name(public.customer_details) to authenticated, service_role;
grant execute on function private.found_customer_ids to authenticated;
grant execute on function public.create_customer, public.found_customers to authenticated;
