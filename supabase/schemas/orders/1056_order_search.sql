-- Orders by number, name or e-mail address.

-- functions: texts -----------------------------------------------------------------------------

create function private.name_text(variadic words text[]) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return concat(' ', private.sort_name(array_to_string(words, ' ')), ' ');
end
$$;
comment on function private.name_text is
  'Names and addresses in the form that searches compare: folded, with a space at both ends. Nulls are left out.';

-- indexes --------------------------------------------------------------------------------------

-- Without fastupdate, because every search would read the whole pending list. An order that they leave out has nothing but
-- its number.
create index orders_names_idx on public.orders using gin (
  private.grams(tenant_id, private.name_text(contact ->> 'name', contact ->> 'email', shipping_address ->> 'name'))
) with (fastupdate = off) where contact is not null or shipping_address ? 'name';
create index customers_names_idx on public.customers using gin (
  private.grams(tenant_id, private.name_text(name, email, contact_email, phone))
) with (fastupdate = off)
where name <> '' or email is not null or contact_email is not null or phone is not null;

-- functions: search ----------------------------------------------------------------------------

create function private.parts_of_name(search text) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  -- An index of three letters finds any part of a word from three letters on, the beginning of a word with two, and a word
  -- of one letter.
  return array(
    select case char_length(part) when 1 then ' ' || part || ' ' when 2 then ' ' || part else part end
    from regexp_split_to_table(btrim(private.sort_name(search)), ' +') as part
    where part <> ''
  );
end
$$;
comment on function private.parts_of_name is 'The parts that a name must contain to be found by a search, folded as in name_text.';

create function private.contains_all(words text, parts text[]) returns boolean
language sql immutable
return not exists (select from unnest(parts) as p (part) where strpos(words, p.part) = 0);
comment on function private.contains_all is 'Whether a text contains all parts.';

create function private.grams_of_parts(tenant uuid, parts text[]) returns bigint[]
language sql immutable set search_path = ''
return array(select gram from unnest(parts) as p (part) cross join unnest(private.grams(tenant, p.part)) as gram);
comment on function private.grams_of_parts is
  'The sequences of three letters that a name must contain to have all parts, as in private.grams.';

-- These two have no SET clause, so that Postgres inlines them into the calling query and uses the indexes above.
create function private.orders_by_name(tenant uuid, parts text[], wanted bigint[])
returns table (order_id uuid, customer_id uuid)
language sql stable
begin atomic
  select o.id, o.customer_id
  from public.orders o
  where wanted <> '{}'
    and (o.contact is not null or o.shipping_address ? 'name')
    and private.grams(
      o.tenant_id, private.name_text(o.contact ->> 'name', o.contact ->> 'email', o.shipping_address ->> 'name')
    ) @> wanted
    and o.tenant_id = tenant
    and private.contains_all(
      private.name_text(o.contact ->> 'name', o.contact ->> 'email', o.shipping_address ->> 'name'), parts
    );
end;
comment on function private.orders_by_name is
  'The orders of a tenant whose contact or shipping address has a name or an e-mail address with all parts. wanted: their grams; without any, no order is found.';

create function private.customers_by_name(tenant uuid, parts text[], wanted bigint[]) returns table (customer_id uuid)
language sql stable
begin atomic
  select c.id
  from public.customers c
  where wanted <> '{}'
    and (c.name <> '' or c.email is not null or c.contact_email is not null or c.phone is not null)
    and private.grams(c.tenant_id, private.name_text(c.name, c.email, c.contact_email, c.phone)) @> wanted
    and c.tenant_id = tenant
    and private.contains_all(private.name_text(c.name, c.email, c.contact_email, c.phone), parts);
end;
comment on function private.customers_by_name is
  'The customers of a tenant whose name, e-mail addresses and phone number have all parts. wanted: their grams; without any, no customer is found.';

create function private.found_order_ids(search text) returns setof uuid
-- A plan from when the tables were empty, which a session keeps, would scan them.
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
declare
  tenant uuid := private.tenant_id();
  sees_all boolean := private.scope('orders.read') = 'all';
  own_customer uuid := private.customer_id();
  parts text[] := private.parts_of_name(search);
  wanted bigint[] := private.grams_of_parts(tenant, parts);
  numbered text := substring(btrim(private.sort_name(search)) from '^#?([0-9]{1,18})$');
begin
  if private.searched(search) is null then
    return query select o.id from public.orders o where o.tenant_id = tenant;
    return;
  end if;
  -- A supplier reads orders with its items, and nothing of their customers' accounts. The policies of orders decide which
  -- of these orders the caller sees.
  return query
    select o.id from public.orders o where o.tenant_id = tenant and o.number = numbered::bigint
    union
    select o.id from public.orders o where o.tenant_id = tenant and o.external_id = btrim(search)
    union
    select n.order_id from private.orders_by_name(tenant, parts, wanted) n
    union
    select o.id
    from private.customers_by_name(tenant, parts, wanted) n
    join public.orders o on o.tenant_id = tenant and o.customer_id = n.customer_id
    where sees_all or n.customer_id = own_customer;
end
$$;
comment on function private.found_order_ids is
  'The orders of the caller''s tenant with a number, an external_id, a name or an e-mail address that a search finds; all orders for a search without a visible character. Among customers'' accounts, only those that the caller sees.';

create function public.found_orders(
  search text default null, booked_from text default null, booked_to text default null
) returns setof public.order_details
language sql stable set search_path = ''
as $$
  select d.*
  from public.order_details d
  where d.id in (select private.found_order_ids(search))
    and (
      coalesce(booked_from, booked_to) is null
      or d.id in (select private.booked_order_ids(booked_from, booked_to))
    )
$$;
comment on function public.found_orders is
  'The caller''s orders with a number (also written #12), an external_id, or a name or an e-mail address of the contact, the shipping address or the customer that has all words of the search, in any order. Parts of words from three letters on are found. booked_from, booked_to: as in booked_orders. They can be filtered and sorted like order_details.';

-- grants ---------------------------------------------------------------------------------------

-- The indexes compute them for whoever writes a row.
grant execute on function private.name_text, private.grams to authenticated, service_role;
grant execute on function private.found_order_ids to authenticated;
grant execute on function public.found_orders to authenticated;
