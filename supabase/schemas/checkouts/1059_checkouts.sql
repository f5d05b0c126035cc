-- Checkouts: carts that know what they cost. A visitor, a customer or a client makes one and replaces it while the buyer
-- fills in the form; each answer has the total and what is missing. To complete it places the order, at the total that the
-- buyer saw. A checkout reserves nothing.

create type public.checkout_status as enum ('incomplete', 'ready', 'completed', 'cancelled', 'expired');

-- tables ---------------------------------------------------------------------------------------

-- Private, because its rows have tokens and what visitors typed: whoever may see one asks a function for it.
create table private.checkouts (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  marketplace_id uuid not null,
  user_id uuid references auth.users (id) on delete cascade,
  customer_id uuid,
  email text,
  token_hash bytea,
  status public.checkout_status not null,
  request jsonb not null,
  quote jsonb not null,
  order_id uuid,
  expires_at timestamptz not null,
  ended_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint checkouts_pkey primary key (tenant_id, id),
  constraint checkouts_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete cascade,
  constraint checkouts_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint checkouts_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id) on delete cascade,
  constraint checkouts_email_is_for_an_unnamed_customer check (customer_id is null or email is null),
  constraint checkouts_token_hash_is_set_for_visitors_only check ((token_hash is null) = (user_id is not null)),
  constraint checkouts_request_is_without_numbers_of_over_30_digits check (private.has_short_numbers(request)),
  constraint checkouts_order_id_is_set_once_it_is_completed check ((order_id is null) = (status <> 'completed')),
  constraint checkouts_ended_at_is_set_once_it_has_ended
    check ((ended_at is null) = (status in ('incomplete', 'ready')))
);
comment on table private.checkouts is
  'The checkouts of a tenant. user_id: the member whose it is; null for a visitor, who has a token (token_hash: its SHA-256). customer_id, email: whose personal data it has, as private.with_person says. request: what was sent last. quote: what it cost and how it could be delivered when it was sent or completed, and the messages about it; an open checkout is priced anew whenever it is read. status expired is not stored: it is that of an open one after expires_at. ended_at: when it was completed or cancelled.';

-- indexes --------------------------------------------------------------------------------------

-- Counts those of visitors (user_id null), of all members, and of one member.
create index checkouts_open_idx on private.checkouts (tenant_id, user_id, expires_at) where ended_at is null;
create index checkouts_over_idx on private.checkouts ((coalesce(ended_at, expires_at)));
create index checkouts_user_id_idx on private.checkouts (user_id);
create index checkouts_customer_id_idx on private.checkouts (tenant_id, customer_id) where customer_id is not null;
create index checkouts_email_idx on private.checkouts (tenant_id, email) where email is not null;
create index checkouts_marketplace_idx on private.checkouts (tenant_id, marketplace_id);
create index checkouts_order_idx on private.checkouts (tenant_id, order_id);

-- functions: requests ----------------------------------------------------------------------------

create function private.checkout_tenant() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.tenant_id() is null then
    perform private.refuse_stranger();
  end if;
  perform private.require_permission('orders.place', 'Your role may not place orders.');
  return private.tenant_id();
end
$$;
comment on function private.checkout_tenant() is
  'The tenant of a caller who may have checkouts. Refuses others with UNAUTHORIZED or FORBIDDEN.';

create function private.checked_checkout(request jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  -- What is null counts as not sent.
  checked constant jsonb := jsonb_strip_nulls(
    private.nfc(
      private.known_only(
        request,
        array[
          'marketplace_id', 'currency', 'items', 'contact', 'shipping_address', 'billing_address', 'tax_id',
          'delivery_method', 'payment_method', 'discount_codes', 'language', 'customer_id', 'replaces'
        ]
      )
    )
  );
begin
  perform private.bound_record(
    octet_length(checked::text), 0.1, 'The checkout is too large. Split it into several.', 'items'
  );
  perform private.check_order_items(checked -> 'items');
  perform private.insist(
    private.is_uuid(sent.item ->> 'product_id') and jsonb_typeof(sent.item -> 'quantity') = 'number'
      and not sent.item ? 'price',
    format('items[%s]', sent.position - 1), 'an object with product_id and quantity, and without price', sent.item
  )
  from jsonb_array_elements(checked -> 'items') with ordinality as sent (item, position);
  perform private.insist(private.is_uuid(checked ->> f.name), f.name, 'an id', checked -> f.name)
  from (values ('marketplace_id'), ('customer_id'), ('replaces')) as f (name)
  where checked ? f.name;
  perform private.insist(
    coalesce(jsonb_typeof(checked -> f.name), f.type) = f.type, f.name, f.rule, checked -> f.name
  )
  from (
    values
      ('currency', 'string', 'a text'), ('contact', 'object', 'an object'), ('tax_id', 'string', 'a text'),
      ('delivery_method', 'string', 'a text'), ('payment_method', 'string', 'a text'),
      ('discount_codes', 'array', 'a list'), ('language', 'string', 'a text')
  ) as f (name, type, rule);
  perform private.insist(jsonb_typeof(c.value) = 'string', 'contact.' || c.key, 'a text', c.value)
  from jsonb_each(checked -> 'contact') as c;
  perform private.check_address_texts(checked -> f.name, f.name)
  from (values ('shipping_address'), ('billing_address')) as f (name)
  where checked ? f.name;
  perform private.insist(
    not checked @? '$.discount_codes[*] ? (@.type() != "string")', 'discount_codes', 'a list of texts',
    checked -> 'discount_codes'
  );
  perform private.check_codes(array(select jsonb_array_elements_text(checked -> 'discount_codes')));
  perform private.insist(
    not checked ? 'language' or private.is_language(checked ->> 'language'), 'language', 'a language, such as en or pt-BR',
    checked -> 'language'
  );
  if checked ? 'customer_id' and private.scope('orders.place') = 'own' then
    perform private.refuse('FORBIDDEN', 'customer_id is for clients. Leave it out.', 'customer_id', checked -> 'customer_id');
  end if;
  return checked;
end
$$;
comment on function private.checked_checkout is
  'The request of a checkout as it is stored. Refuses what cannot be a request: VALIDATION_ERROR, FORBIDDEN, LIMIT_REACHED. What is missing or does not apply is not refused: it becomes a message.';

create function private.checkout_site(request jsonb, usual uuid) returns public.marketplaces
language plpgsql security definer set search_path = ''
as $$
declare
  site constant public.marketplaces := private.checkout_marketplace(
    coalesce((request ->> 'marketplace_id')::uuid, usual)
  );
begin
  return private.ordering_marketplace(site.id, request ->> 'currency');
end
$$;
comment on function private.checkout_site is
  'The marketplace of a checkout: usual, if its request names none. Refuses with NOT_FOUND, VALIDATION_ERROR, MARKETPLACE_NOT_ACTIVE.';

create function private.check_quote_size(quote jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  -- The request has the other tenth of a record. Many delivery methods for many suppliers are larger than any request.
  perform private.bound_record(
    octet_length(quote::text), 0.9, 'The checkout is too large. Split it into several.', 'items'
  );
end
$$;
comment on function private.check_quote_size is
  'Refuses with LIMIT_REACHED a quote that is larger than the record of a checkout can hold.';

create function private.checkout_end(site public.marketplaces) returns timestamptz
language sql stable
return now() + make_interval(mins => coalesce(((site).settings #>> '{business,checkout_minutes}')::integer, 360));
comment on function private.checkout_end is
  'When a checkout that changes now expires: by the setting checkout_minutes of its marketplace.';

create function private.bound_checkouts(tenant uuid) returns void
-- A session may keep a plan from when there were few checkouts, which would read all of them.
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
declare
  cap constant text := case
    when private.is_visit() then 'visitor_checkouts_per_tenant' else 'checkouts_per_tenant'
  end;
  counted bigint;
begin
  -- Counted without a lock: concurrent requests may together exceed it by the checkouts that they add.
  if private.is_visit() then
    select count(*) into counted
    from private.checkouts c
    where c.tenant_id = tenant and c.user_id is null and c.ended_at is null and c.expires_at > now();
  else
    select count(*) into counted
    from private.checkouts c
    where c.tenant_id = tenant and c.user_id is not null and c.ended_at is null and c.expires_at > now();
  end if;
  if counted >= private.cap(cap) then
    perform private.refuse_beyond(cap, 'The shop has the maximum number of open checkouts. Try again later.');
  end if;
end
$$;
comment on function private.bound_checkouts is
  'Before a checkout is added: refuses with LIMIT_REACHED more than the cap checkouts_per_tenant of members, and visitor_checkouts_per_tenant of visitors.';

create function private.end_oldest_checkouts(tenant uuid) returns void
-- For the same reason.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  -- A shop may lose track of checkouts, and no list shows them. So the oldest ones end.
  if private.scope('orders.place') = 'own' and not private.is_visit() then
    update private.checkouts c
    set expires_at = now()
    where c.tenant_id = tenant and c.id in (
      select o.id
      from private.checkouts o
      where o.tenant_id = tenant and o.user_id = auth.uid() and o.ended_at is null and o.expires_at > now()
      order by o.updated_at desc, o.id
      offset private.cap('checkouts_per_user') - 1
    );
  end if;
end
$$;
comment on function private.end_oldest_checkouts is
  'Before a customer or guest gets a checkout: ends the oldest ones beyond the cap checkouts_per_user.';

-- functions: one checkout ------------------------------------------------------------------------

create function private.status_of(checkout private.checkouts) returns public.checkout_status
language sql stable
return case when (checkout).ended_at is null and (checkout).expires_at <= now() then 'expired' else (checkout).status end;
comment on function private.status_of is 'The status of a checkout now, which may have expired.';

create function private.is_open(checkout private.checkouts) returns boolean
language sql stable
return private.status_of(checkout) in ('incomplete', 'ready');
comment on function private.is_open is 'Whether a checkout has neither ended nor expired.';

create function private.with_quote(checkout private.checkouts) returns private.checkouts
language plpgsql stable security definer set search_path = ''
as $$
declare
  site public.marketplaces;
begin
  select * into site
  from public.marketplaces m
  where m.tenant_id = checkout.tenant_id and m.id = checkout.marketplace_id;
  checkout.quote := private.quoted_request(site, checkout.user_id, checkout.request, checkout.quote -> 'items');
  checkout.status := case
    when checkout.quote -> 'messages' @> '[{"type": "error"}]' then 'incomplete' else 'ready'
  end::public.checkout_status;
  return checkout;
end
$$;
comment on function private.with_quote is
  'An open checkout with what it costs now. It is ready if an order could be placed: no message is an error.';

create function private.with_person(checkout private.checkouts) returns private.checkouts
language plpgsql stable security definer set search_path = ''
as $$
declare
  typed constant text := lower(checkout.request #>> '{contact,email}');
begin
  checkout.customer_id := null;
  checkout.email := null;
  -- A customer's own is found by its account. It may name the address of somebody else, who must not see it.
  if not exists (
    select
    from public.members m
    where m.tenant_id = checkout.tenant_id and m.user_id = checkout.user_id
      and private.scope_of('orders.place', m.role) = 'own'
  ) then
    checkout.customer_id := (
      select c.id
      from public.customers c
      where c.tenant_id = checkout.tenant_id and c.id = (checkout.request ->> 'customer_id')::uuid and c.erased_at is null
    );
    checkout.email := case when checkout.customer_id is null and private.is_email(typed) then typed end;
  end if;
  return checkout;
end
$$;
comment on function private.with_person is
  'A checkout with whose personal data it has, if it is a visitor''s or of a member who orders for others: the customer whom it names, else the e-mail address of its contact.';

create function private.checkout_record(checkout private.checkouts) returns jsonb
language sql stable set search_path = ''
as $$
  select '{
      "customer_id": null, "contact": null, "shipping_address": null, "billing_address": null, "tax_id": null,
      "delivery_method": null, "payment_method": null, "discount_codes": [], "language": null, "replaces": null
    }'::jsonb
    || (checkout).request || (checkout).quote
    || jsonb_build_object(
      'id', (checkout).id, 'marketplace_id', (checkout).marketplace_id, 'order_id', (checkout).order_id,
      'status', private.status_of(checkout), 'expires_at', (checkout).expires_at,
      'created_at', (checkout).created_at, 'updated_at', (checkout).updated_at
    )
$$;
comment on function private.checkout_record is 'The record of a checkout, as the API returns it.';

create function private.read_checkout(checkout_id uuid, token text) returns private.checkouts
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.checkout_tenant();
  seen private.checkouts;
begin
  select * into seen
  from private.checkouts c
  where c.tenant_id = tenant and c.id = read_checkout.checkout_id
    and case
      when c.user_id is null then
        c.token_hash = sha256(convert_to(read_checkout.token, 'utf8')) and private.is_of_visit(c.marketplace_id)
      else c.user_id = auth.uid() or private.scope('orders.place') = 'all'
    end;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such checkout.');
  end if;
  return seen;
end
$$;
comment on function private.read_checkout is
  'A checkout of the caller: its own, any of a member for clients and admins, and that of a visitor for who has its token. Refuses with UNAUTHORIZED, FORBIDDEN, NOT_FOUND.';

create function private.lock_checkout(checkout_id uuid, token text) returns private.checkouts
language plpgsql security definer set search_path = ''
as $$
declare
  held private.checkouts;
begin
  perform from private.checkouts c
  where c.tenant_id = private.tenant_id() and c.id = lock_checkout.checkout_id
  for update;
  held := private.read_checkout(checkout_id, token);
  -- A visitor's becomes that of the guest or customer that the visitor has become.
  if held.user_id is null and auth.uid() is not null then
    perform private.end_oldest_checkouts(held.tenant_id);
    held.user_id := auth.uid();
    held.token_hash := null;
  end if;
  return held;
end
$$;
comment on function private.lock_checkout is
  'A checkout of the caller, locked. A member who has the token of a visitor''s takes it over. Refuses as read_checkout does.';

create function private.lock_buyer(checkout_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  buyer uuid := private.customer_id();
begin
  if private.scope('orders.place') = 'all' then
    select coalesce(
      k.customer_id, private.find_customer(k.email),
      (select c.id from public.customers c where c.tenant_id = k.tenant_id and c.user_id = k.user_id)
    )
    into buyer
    from private.checkouts k
    where k.tenant_id = private.tenant_id() and k.id = lock_buyer.checkout_id;
  end if;
  perform from public.customers c where c.tenant_id = private.tenant_id() and c.id = buyer for key share;
end
$$;
comment on function private.lock_buyer is
  'Keeps the customer of a checkout from being erased until the order is placed. Comes before lock_checkout, because an erasure locks the customer before its checkouts.';

create function private.check_open(checkout private.checkouts) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not private.is_open(checkout) then
    perform private.refuse(
      'INVALID_TRANSITION', format('This checkout is %s. Begin another one.', private.status_of(checkout)), 'status',
      to_jsonb(private.status_of(checkout))
    );
  end if;
end
$$;
comment on function private.check_open is 'Refuses with INVALID_TRANSITION a checkout that has ended or expired.';

create function private.store_checkout(held private.checkouts) returns private.checkouts
language plpgsql security definer set search_path = ''
as $$
begin
  held := private.with_person(held);
  update private.checkouts c
  set marketplace_id = held.marketplace_id, user_id = held.user_id, customer_id = held.customer_id, email = held.email,
      token_hash = held.token_hash, status = held.status, request = held.request, quote = held.quote,
      order_id = held.order_id, expires_at = held.expires_at, ended_at = held.ended_at, updated_at = now()
  where c.tenant_id = held.tenant_id and c.id = held.id
  returning c.* into held;
  return held;
end
$$;
comment on function private.store_checkout is 'Stores a checkout that lock_checkout has locked.';

-- functions: for the API -------------------------------------------------------------------------

create function private.create_checkout(request jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  made private.checkouts;
  site public.marketplaces;
  token text;
begin
  made.tenant_id := private.checkout_tenant();
  if private.is_visit() then
    -- The function api counts them by their IP address, which only it knows.
    if private.is_counted() is not true then
      perform private.refuse('FORBIDDEN', 'Visitors begin a checkout with POST /api/checkouts.');
    end if;
    token := translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
    made.token_hash := sha256(convert_to(token, 'utf8'));
  end if;
  made.request := private.checked_checkout(request);
  site := private.checkout_site(made.request, null);
  made.marketplace_id := site.id;
  made.user_id := auth.uid();
  made := private.with_person(private.with_quote(made));
  perform private.check_quote_size(made.quote);
  perform private.bound_checkouts(made.tenant_id);
  perform private.end_oldest_checkouts(made.tenant_id);
  insert into private.checkouts (
    tenant_id, marketplace_id, user_id, customer_id, email, token_hash, status, request, quote, expires_at
  )
  values (
    made.tenant_id, made.marketplace_id, made.user_id, made.customer_id, made.email, made.token_hash, made.status,
    made.request, made.quote, private.checkout_end(site)
  )
  returning * into made;
  return private.checkout_record(made) || jsonb_strip_nulls(jsonb_build_object('token', token));
end
$$;
comment on function private.create_checkout is 'See public.create_checkout.';

create function public.create_checkout(request jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.create_checkout(request);
end
$$;
comment on function public.create_checkout is
  'Makes a checkout and returns its record, with what it costs. request: marketplace_id (by default the one that a visitor visits, or the tenant''s only one), currency, items (product_id, variant_id, quantity, starts_at; without price), contact, shipping_address, billing_address, tax_id, delivery_method, payment_method, discount_codes, language, replaces (an unpaid order of the customer that completing cancels), and customer_id for clients. What is missing or does not apply is in messages. For visitors by POST /api/checkouts only, which returns a token. Refuses with UNAUTHORIZED, FORBIDDEN, NOT_FOUND (the marketplace), MARKETPLACE_NOT_ACTIVE, VALIDATION_ERROR, LIMIT_REACHED.';

create function private.get_checkout(checkout_id uuid, token text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  seen constant private.checkouts := private.read_checkout(checkout_id, token);
begin
  return private.checkout_record(case when private.is_open(seen) then private.with_quote(seen) else seen end);
end
$$;
comment on function private.get_checkout is 'See public.get_checkout.';

create function public.get_checkout(checkout_id uuid, token text default null) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.get_checkout(checkout_id, token);
end
$$;
comment on function public.get_checkout is
  'The record of a checkout, at current prices while it is open. token: of a visitor''s. Refuses with UNAUTHORIZED, FORBIDDEN, NOT_FOUND.';

create function private.replace_checkout(checkout_id uuid, request jsonb, token text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  held private.checkouts := private.lock_checkout(checkout_id, token);
  site public.marketplaces;
begin
  perform private.check_open(held);
  held.request := private.checked_checkout(request);
  site := private.checkout_site(held.request, held.marketplace_id);
  held.marketplace_id := site.id;
  held.expires_at := private.checkout_end(site);
  held := private.with_quote(held);
  perform private.check_quote_size(held.quote);
  return private.checkout_record(private.store_checkout(held));
end
$$;
comment on function private.replace_checkout is 'See public.replace_checkout.';

create function public.replace_checkout(checkout_id uuid, request jsonb, token text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.replace_checkout(checkout_id, request, token);
end
$$;
comment on function public.replace_checkout is
  'Replaces the request of an open checkout and returns its record. token: of a visitor''s; a member who sends it takes the checkout over. Refuses as create_checkout and get_checkout do, and with INVALID_TRANSITION a checkout that has ended or expired.';

create function private.cancel_checkout(checkout_id uuid, token text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  held private.checkouts := private.lock_checkout(checkout_id, token);
begin
  if held.status <> 'cancelled' then
    perform private.check_open(held);
    held.status := 'cancelled';
    held.ended_at := now();
    held := private.store_checkout(held);
  end if;
  return private.checkout_record(held);
end
$$;
comment on function private.cancel_checkout is 'See public.cancel_checkout.';

create function public.cancel_checkout(checkout_id uuid, token text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.cancel_checkout(checkout_id, token);
end
$$;
comment on function public.cancel_checkout is
  'Ends a checkout without an order and returns its record. token: of a visitor''s. A repetition changes nothing. Refuses as get_checkout does, and with INVALID_TRANSITION a checkout that is completed or has expired.';

create function private.create_buyer(checkout private.checkouts) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  contact constant jsonb := private.order_contact('{}', checkout.request -> 'contact');
  created uuid;
begin
  insert into public.customers (tenant_id, name, email, phone)
  values (checkout.tenant_id, coalesce(contact ->> 'name', ''), contact ->> 'email', contact ->> 'phone')
  returning id into created;
  return created;
end
$$;
comment on function private.create_buyer is
  'Makes the contact of a checkout a customer without an account, for whom a client orders. Refuses with VALIDATION_ERROR.';

create function private.order_checkout(checkout private.checkouts, total numeric) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  request constant jsonb := checkout.request;
  buyer constant uuid := coalesce(
    private.checkout_buyer(request, checkout.user_id), private.create_buyer(checkout)
  );
begin
  return (
    private.place_order(
      checkout.marketplace_id, request -> 'items', request -> 'shipping_address', buyer, request ->> 'delivery_method',
      request ->> 'payment_method', request -> 'contact', request ->> 'language', (request ->> 'replaces')::uuid,
      request ->> 'currency', request -> 'billing_address', request ->> 'tax_id',
      array(select jsonb_array_elements_text(request -> 'discount_codes')), total
    ) ->> 'id'
  )::uuid;
end
$$;
comment on function private.order_checkout is
  'Places the order of a checkout, at this total, and returns its id. Refuses as private.place_order does.';

create function private.complete_checkout(checkout_id uuid, total numeric, token text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  held private.checkouts;
  priced private.checkouts;
  detail text;
begin
  perform private.lock_buyer(checkout_id);
  held := private.lock_checkout(checkout_id, token);
  if held.status <> 'completed' then
    perform private.check_open(held);
    perform private.insist(complete_checkout.total is not null, 'total', 'the total that the buyer has seen', 'null');
    priced := private.with_quote(held);
    begin
      priced.order_id := private.order_checkout(held, complete_checkout.total);
    exception
      when sqlstate 'PT409' then
        get stacked diagnostics detail = pg_exception_detail;
        if detail::jsonb ->> 'field' is distinct from 'total' then
          raise;
        end if;
        -- The order compares the total with prices that it has locked. They may be newer than those of the quote above.
        priced := private.with_quote(held);
        perform private.refuse(
          'CONFLICT', format('The total is %s now. Complete the checkout with it to accept it.', priced.quote ->> 'total'),
          'total', to_jsonb(complete_checkout.total), jsonb_build_object('quote', priced.quote)
        );
    end;
    priced.status := 'completed';
    priced.ended_at := now();
    held := private.store_checkout(priced);
  end if;
  return private.checkout_record(held);
end
$$;
comment on function private.complete_checkout is 'See public.complete_checkout.';

create function public.complete_checkout(checkout_id uuid, total numeric, token text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  completed constant jsonb := private.complete_checkout(checkout_id, total, token);
begin
  return completed || jsonb_build_object(
    'order', (select to_jsonb(d) from public.order_details d where d.id = (completed ->> 'order_id')::uuid)
  );
end
$$;
comment on function public.complete_checkout is
  'For guests, customers and clients: places the order of a checkout, and returns the record of the checkout with order, that of the order. total: what the buyer has seen. A repetition returns the same order. token: of a visitor''s, which the caller takes over. Refuses with CONFLICT another total than the current one, with details.quote; with INVALID_TRANSITION a checkout that is cancelled or has expired; as get_checkout does; and what is missing as place_order does.';

create function private.delete_old_checkouts(batch integer) returns text
-- A session may keep a plan from when there were few checkouts, which would read all of them.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  deleted integer;
begin
  delete from private.checkouts c
  where c.ctid = any (array(
    select o.ctid
    from private.checkouts o
    where coalesce(o.ended_at, o.expires_at) < now() - interval '1 day'
    limit batch
    for update skip locked
  ));
  get diagnostics deleted = row_count;
  return case when deleted = batch then 'more' end;
end
$$;
comment on function private.delete_old_checkouts is
  'For a job: deletes a batch of checkouts that ended or expired a day ago, with what was typed in them. Returns null if there are no more.';

-- policies -------------------------------------------------------------------------------------

alter table private.checkouts enable row level security;

-- grants ---------------------------------------------------------------------------------------

-- What visitors call is granted by the last file of visitors.
grant execute on function
  private.create_checkout, private.get_checkout, private.replace_checkout, private.cancel_checkout, private.complete_checkout,
  public.create_checkout, public.get_checkout, public.replace_checkout, public.cancel_checkout, public.complete_checkout
to authenticated;
