-- Placing an order: its stock is reserved in the same transaction, and its whole record is returned.

-- functions ------------------------------------------------------------------------------------

create function private.order_contact(settings jsonb, contact jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  address text := lower(contact ->> 'email');
begin
  if private.is_guest() then
    if not private.allows_guest_checkout(settings) then
      perform private.refuse('FORBIDDEN', 'This marketplace takes no orders of guests. Register first.');
    elsif contact is null then
      perform private.refuse(
        'VALIDATION_ERROR', 'contact is required from a guest: send it with an email.', 'contact', 'null'
      );
    end if;
  end if;
  if contact is null then
    return null;
  end if;
  perform private.insist_on_keys(contact, 'contact', array['email', 'name', 'phone']);
  perform private.insist(
    jsonb_typeof(contact -> 'email') = 'string' and private.is_email(address), 'contact.email', 'an e-mail address',
    contact -> 'email'
  );
  perform private.insist(
    not contact ? 'name' or private.is_name(contact -> 'name', 200),
    'contact.name', 'a text of 1 to 200 characters, and not only spaces', contact -> 'name'
  );
  perform private.insist(
    not contact ? 'phone' or private.is_name(contact -> 'phone', 50),
    'contact.phone', 'a text of 1 to 50 characters, and not only spaces', contact -> 'phone'
  );
  return contact || jsonb_build_object('email', address);
end
$$;
comment on function private.order_contact is
  'The contact of an order as it is stored, with its email in lower case. Refuses with VALIDATION_ERROR, naming the field, a contact that is not {email, name, phone}, and a guest without a contact; with FORBIDDEN a guest where the marketplace takes no orders of guests.';

create function private.order_address(settings jsonb, address jsonb, field text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return case
    when address <> 'null' then private.checked_address(address, settings #>> '{business,country}', field)
  end;
end
$$;
comment on function private.order_address is
  'An address of an order as it is stored: in the marketplace''s country if it names none; null for null. Refuses with VALIDATION_ERROR.';

create function private.check_tax_id(tax_id jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.insist(
    coalesce(tax_id, 'null') = 'null' or private.is_name(tax_id, 50), 'tax_id',
    'a text of 1 to 50 characters, and not only spaces', tax_id
  );
end
$$;
comment on function private.check_tax_id is 'Refuses with VALIDATION_ERROR a tax number that is blank or too long.';

create function private.check_codes(discount_codes text[]) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.insist(
    coalesce(cardinality(discount_codes), 0) <= 5 and array_position(discount_codes, null) is null, 'discount_codes',
    'a list of at most 5 codes', to_jsonb(discount_codes)
  );
end
$$;
comment on function private.check_codes is 'Refuses with VALIDATION_ERROR more than 5 codes of discounts.';

create function private.dearest_order(currency text) returns numeric
language plpgsql stable set search_path = ''
as $$
begin
  return (
    -- At most 2^53 - 1 of the smallest unit: JSON parsers may read larger numbers inexactly, and nobody can pay an
    -- inexact amount.
    select least(999999999999999, 9007199254740991 / 10::numeric ^ c.exponent)
    from private.currencies c
    where c.code = dearest_order.currency
  );
end
$$;
comment on function private.dearest_order is 'The highest total of an order in a currency.';

create function private.ordering_marketplace(marketplace_id uuid, currency text) returns public.marketplaces
language plpgsql set search_path = ''
as $$
declare
  site public.marketplaces;
begin
  select * into site
  from public.marketplaces m
  where m.tenant_id = private.tenant_id() and m.id = ordering_marketplace.marketplace_id;
  if site.id is null or (site.status <> 'active' and private.scope('orders.place') = 'own') then
    perform private.refuse(
      'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(ordering_marketplace.marketplace_id)
    );
  elsif site.status <> 'active' then
    perform private.refuse(
      'MARKETPLACE_NOT_ACTIVE', 'The marketplace is not open. Activate it first.',
      'marketplace_id', to_jsonb(ordering_marketplace.marketplace_id)
    );
  elsif ordering_marketplace.currency <> site.currency then
    perform private.refuse(
      'VALIDATION_ERROR', format('The marketplace sells in %s. Send that currency, or leave it out.', site.currency),
      'currency', to_jsonb(ordering_marketplace.currency)
    );
  end if;
  return site;
end
$$;
comment on function private.ordering_marketplace is
  'The marketplace in which an order is placed. currency: the one that the caller sent, or null. Refuses with NOT_FOUND, MARKETPLACE_NOT_ACTIVE, and with VALIDATION_ERROR another currency than the marketplace''s.';

create function private.check_order_items(items jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  if jsonb_typeof(items) is distinct from 'array' or jsonb_array_length(items) = 0 then
    perform private.refuse('VALIDATION_ERROR', 'items must have at least one entry.', 'items', items);
  elsif jsonb_array_length(items) > 500 then
    perform private.refuse('VALIDATION_ERROR', 'items must have at most 500 entries.', 'items');
  end if;
  perform private.known_only(
    sent.value, '{product_id,variant_id,quantity,price,starts_at}', format('items[%s].', sent.position - 1)
  )
  from jsonb_array_elements(items) with ordinality as sent (value, position)
  where jsonb_typeof(sent.value) = 'object';
end
$$;
comment on function private.check_order_items is
  'Refuses with VALIDATION_ERROR items that are not a list of 1 to 500 objects with known fields.';

create function private.offered_delivery(settings jsonb, method text) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  offered jsonb := (
    select m.value
    from jsonb_array_elements(settings #> '{business,delivery,methods}') as m (value)
    where m.value ->> 'key' = method
  );
begin
  if method is not null and offered is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'The marketplace does not offer this delivery method. Choose one of its settings.business.delivery.methods.',
      'delivery_method', to_jsonb(method)
    );
  end if;
  return offered;
end
$$;
comment on function private.offered_delivery is
  'A marketplace''s delivery method by its key; null for null. Refuses with VALIDATION_ERROR a method that it does not offer.';

create function private.check_payment_method(settings jsonb, method text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if not coalesce(settings #> '{business,payment_methods}' ? method, method is null) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The marketplace does not accept this payment method. Choose one of its settings.business.payment_methods.',
      'payment_method', to_jsonb(method)
    );
  end if;
end
$$;
comment on function private.check_payment_method is
  'Refuses with VALIDATION_ERROR a payment method that a marketplace does not take.';

create function private.delivers(method jsonb, address jsonb, lines jsonb) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select private.serves(method, address ->> 'country', address ->> 'region') and not exists (
      select
      from jsonb_to_recordset(lines) as line (supplier_id uuid, is_physical boolean, grams numeric, delivery jsonb)
      where line.is_physical
      group by case when (method ->> 'per_supplier')::boolean then line.supplier_id end
      having private.delivery_price(method, coalesce(sum(line.grams), 0), null) is null
        or bool_or(not line.delivery ? (method ->> 'key'))
    )
  );
end
$$;
comment on function private.delivers is
  'Whether a delivery method takes all physical items of an order, with their weight, to an address.';

create function private.check_delivery_method(
  settings jsonb, offered jsonb, shipping_address jsonb, lines jsonb
) returns void
language plpgsql stable set search_path = ''
as $$
declare
  methods constant jsonb := coalesce(settings #> '{business,delivery,methods}', '[]');
  possible jsonb;
begin
  if not lines @> '[{"is_physical": true}]' then
    return;
  elsif offered is null and methods <> '[]' then
    perform private.refuse(
      'VALIDATION_ERROR', 'delivery_method is required: name one of the marketplace''s methods.', 'delivery_method', 'null'
    );
  elsif offered is not null and shipping_address is not null and not private.delivers(offered, shipping_address, lines) then
    select coalesce(jsonb_agg(m.method -> 'key' order by m.position), '[]') into possible
    from jsonb_array_elements(methods) with ordinality as m (method, position)
    where private.delivers(m.method, shipping_address, lines);
    perform private.refuse(
      'VALIDATION_ERROR', 'This delivery method does not serve this address, these items or their weight. Choose another one.',
      'delivery_method', offered -> 'key', jsonb_build_object('delivery_methods', possible)
    );
  end if;
end
$$;
comment on function private.check_delivery_method is
  'Refuses with VALIDATION_ERROR an order with physical items and no delivery method although the marketplace has some, or one that does not deliver them to the address; details.delivery_methods are those that do. offered: the chosen method; null for none.';

create function private.check_shipping_address(shipping_address jsonb, lines jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if shipping_address is null and lines @> '[{"is_physical": true}]' then
    perform private.checked_address(shipping_address, null);
  end if;
end
$$;
comment on function private.check_shipping_address is
  'Refuses with VALIDATION_ERROR an order with physical items and no address.';

create function private.order_lines(
  tenant uuid, marketplace_id uuid, items jsonb, delivery_method text, at_any_price boolean, replaced uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  return (
    with sent as (
      select
        sent.position, sent.value,
        (sent.value ->> 'product_id')::uuid as product_id, (sent.value ->> 'variant_id')::uuid as variant_id,
        (sent.value ->> 'quantity')::integer as quantity, (sent.value ->> 'price')::numeric as price,
        (sent.value ->> 'starts_at')::timestamptz as starts_at
      from jsonb_array_elements(items) with ordinality as sent (value, position)
    ),
    -- Looked up by id alone. With a condition on the marketplace, Postgres might read all its products.
    named as materialized (
      select
        p.id, p.tenant_id, p.marketplace_id, private.is_orderable(p) as is_orderable, p.supplier_id, p.name, p.price,
        p.track_inventory, p.category_id, p.kind = 'physical' as is_physical, nullif(p.physical -> 'delivery', 'null') as delivery,
        (p.physical ->> 'weight_grams')::numeric as grams
      from public.products p
      where p.id = any (array(select sent.product_id from sent))
    ),
    product as materialized (
      select
        p.id, p.supplier_id, p.name, p.price, p.track_inventory, p.category_id, p.is_physical, p.delivery, p.grams,
        exists (select from public.product_variants v where v.tenant_id = tenant and v.product_id = p.id) as has_variants
      from named p
      where p.tenant_id = tenant and p.marketplace_id = order_lines.marketplace_id and p.is_orderable
    ),
    variant as materialized (
      select v.id, v.product_id, v.name, v.price
      from public.product_variants v
      where v.tenant_id = tenant and v.product_id = any (array(select p.id from product p where p.has_variants))
    ),
    stock as materialized (
      select i.product_id, i.variant_id, private.available_pieces(i, replaced) as available
      from public.inventory i
      where i.tenant_id = tenant and i.product_id = any (array(select p.id from product p))
    ),
    line as (
      select
        sent.position, sent.value, sent.quantity, sent.price, sent.starts_at,
        p.id as product_id, v.id as variant_id, p.supplier_id, p.category_id, p.is_physical, p.delivery,
        p.grams * sent.quantity as grams,
        p.name || coalesce(' – ' || v.name, '') as name,
        coalesce(v.price, p.price) as current_price, stock.available,
        case
          when p.id is null then 'product_id'
          when v.id is null and (sent.variant_id is not null or p.has_variants) then 'variant_id'
          when sent.quantity is null or sent.quantity <= 0 then 'quantity'
          when not at_any_price and sent.price is distinct from coalesce(v.price, p.price) then 'price'
          when not p.delivery ? order_lines.delivery_method then 'delivery'
          when p.track_inventory and stock.available < sum(sent.quantity) over (partition by p.id, v.id order by sent.position)
            then 'inventory'
        end as fault
      from sent
      left join product p on p.id = sent.product_id
      left join variant v on v.product_id = p.id and v.id = sent.variant_id
      left join stock on stock.product_id = p.id and stock.variant_id is not distinct from v.id
    )
    select
      jsonb_agg(
        jsonb_build_object(
          'position', line.position, 'product_id', line.product_id, 'variant_id', line.variant_id, 'name', line.name,
          'supplier_id', line.supplier_id, 'category_id', line.category_id, 'is_physical', line.is_physical,
          -- The current price of the product, which equals the sent one but may be written differently.
          'quantity', line.quantity, 'starts_at', line.starts_at, 'price', line.current_price,
          'fault', line.fault, 'sent', line.value, 'available', line.available
        ) || jsonb_strip_nulls(jsonb_build_object('grams', line.grams, 'delivery', line.delivery))
        order by line.position
      )
    from line
  );
end
$$;
comment on function private.order_lines is
  'The items of an order with their current name, price and stock, and the field that is wrong (fault), if any. delivery_method: the chosen one; null for any. at_any_price: whether items are without price. replaced: an order whose stock counts as free; who places an order has locked the stock, and has freed it.';

create function private.problems_of_lines(lines jsonb, delivery_method text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'code', case
            when line.fault = 'product_id' or line.fault = 'variant_id' and line.sent ->> 'variant_id' is not null
              then 'NOT_FOUND'
            when line.fault = 'price' then 'PRICE_MISMATCH'
            when line.fault = 'inventory' then 'INSUFFICIENT_INVENTORY'
            else 'VALIDATION_ERROR'
          end,
          'message', case line.fault
            when 'product_id' then 'There is no such product for sale here.'
            when 'variant_id' then 'Choose one of the product''s variants.'
            when 'quantity' then 'quantity must be at least 1.'
            when 'price' then format('The price is %s now.', line.price)
            when 'delivery' then format('items[%s] cannot be delivered by this method.', line.position - 1)
            else format('Only %s left.', greatest(line.available, 0))
          end,
          'field', case line.fault
            when 'delivery' then 'delivery_method'
            when 'inventory' then format('items[%s].quantity', line.position - 1)
            else format('items[%s].%s', line.position - 1, line.fault)
          end,
          'value', case line.fault
            when 'delivery' then to_jsonb(delivery_method)
            when 'inventory' then line.sent -> 'quantity'
            else line.sent -> line.fault
          end
        )
        order by line.position
      ),
      '[]'
    )
    from jsonb_to_recordset(lines) as line (position integer, fault text, sent jsonb, price numeric, available integer)
    where line.fault is not null
  );
end
$$;
comment on function private.problems_of_lines is
  'The faults of an order''s lines: NOT_FOUND, VALIDATION_ERROR, PRICE_MISMATCH, INSUFFICIENT_INVENTORY. A list of problems, as private.refuse_first takes it.';

create function private.refuse_first(problems jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  problem constant jsonb := problems -> 0;
begin
  if problem is not null then
    perform private.refuse(
      problem ->> 'code', problem ->> 'message', problem ->> 'field', problem -> 'value', coalesce(problem -> 'beside', '{}')
    );
  end if;
end
$$;
comment on function private.refuse_first is
  'Refuses the first of the problems of an order, [{code, message, field, value, beside}]; nothing if there are none. A checkout reports all of them.';

create function private.check_order_size(lines jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  -- Each list in the record of an order has a limit, as a share of its maximum size. Items and parts together: 3/8,
  -- which is 780 bytes for each of 500 items, or 200 items of 200 suppliers with the longest legal identity (1.4 kB).
  -- Notes: 1/4. Returns: 0.06. Cancellations: 1/32. Reports on the payment: 172 kB, for 200 of them with references of
  -- 200 characters and their items. The other 126 kB are for two addresses of 8 kB, the history, and the commissions of
  -- 500 suppliers (117 kB).
  perform private.bound_record(octet_length(lines::text), 0.375, 'The order is too large. Split it into several orders.', 'items');
end
$$;
comment on function private.check_order_size is
  'Refuses with LIMIT_REACHED an order whose lines are larger than a record can hold.';

create function private.check_order_total(currency text, total numeric, expected numeric, items jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if total > private.dearest_order(currency) then
    perform private.refuse(
      'VALIDATION_ERROR', 'The total of the order is too high. Split it into several orders.', 'items', items
    );
  elsif total <> expected then
    perform private.refuse('CONFLICT', format('The total is %s now.', total), 'total', to_jsonb(expected));
  end if;
end
$$;
comment on function private.check_order_total is
  'Refuses with VALIDATION_ERROR an order that costs too much, and with CONFLICT another total than the expected one. expected: what the buyer has accepted; null if the price of each item is checked.';

create function private.write_order_lines(
  tenant uuid, order_id uuid, buyer uuid, quoted private.quote
) returns void
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into public.order_parts (
    tenant_id, order_id, supplier_id, customer_id, subtotal, delivery_amount, delivery_recipient, delivers_all,
    discount_amount, delivery_discount_amount, tax_included, tax_amount, exempt_amount, delivery_tax_rate,
    delivery_tax_name, delivery_tax_amount, delivery_exempt_amount, tax_note, legal
  )
  select
    tenant, write_order_lines.order_id, share.supplier_id, buyer, share.subtotal, share.delivery_amount,
    share.delivery_recipient, share.delivers_all, share.discount_amount,
    share.delivery_discount_amount, share.tax_included, share.tax_amount, share.exempt_amount,
    share.delivery_tax_rate, share.delivery_tax_name, share.delivery_tax_amount, share.delivery_exempt_amount,
    share.tax_note,
    -- A copy, so that later changes of the supplier do not change the order.
    coalesce(
      (
        select s.legal - '{email,phone,register_number,self_certified}'::text[]
        from public.suppliers s
        where s.tenant_id = tenant and s.id = share.supplier_id
      ),
      '{}'
    )
  from unnest(quoted.parts) as share;

  insert into public.order_items (
    tenant_id, order_id, position, product_id, variant_id, supplier_id, name, quantity, starts_at, price,
    discount_amount, discount_borne_by, discount_code, discount_id, tax_included, tax_rate, tax_name, tax_amount,
    exempt_amount
  )
  select
    tenant, write_order_lines.order_id, line.position, line.product_id, line.variant_id, line.supplier_id, line.name,
    line.quantity, line.starts_at, line.price, coalesce(line.discount_amount, 0), line.discount_borne_by,
    line.discount_code, line.discount_id, quoted.tax_included, line.tax_rate, line.tax_name,
    coalesce(line.tax_amount, 0), coalesce(line.exempt_amount, 0)
  from jsonb_to_recordset(quoted.lines) as line (
    position integer, product_id uuid, variant_id uuid, supplier_id uuid, name text, quantity integer,
    starts_at timestamptz, price numeric, discount_amount numeric, discount_borne_by public.refund_bearer,
    discount_code text, discount_id uuid, tax_rate numeric, tax_name text, tax_amount numeric, exempt_amount numeric
  );

  insert into private.order_discounts (tenant_id, order_id, discount_id, customer_id, supplier_id, code, currency, amount)
  select tenant, write_order_lines.order_id, u.discount_id, buyer, u.supplier_id, u.code, o.currency, u.amount
  from unnest(quoted.discounts) as u
  join public.orders o on o.tenant_id = tenant and o.id = write_order_lines.order_id;
end
$$;
comment on function private.write_order_lines is 'Inserts the parts and items of an order.';

create function private.placed_record(order_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  placed jsonb := (select to_jsonb(d) from public.order_details d where d.id = placed_record.order_id);
begin
  perform private.bound_record(
    octet_length(placed ->> 'items') + octet_length(placed ->> 'parts'), 0.375,
    'The order has items of too many suppliers. Split it into several orders.', 'items'
  );
  return placed;
end
$$;
comment on function private.placed_record is
  'The record of a new order. Refuses with LIMIT_REACHED if its items and parts are larger than a record can hold.';

create function private.record_guest(tenant uuid, customer uuid, contact jsonb, address jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  given_email text := contact ->> 'email';
  given_name text := coalesce(
    contact ->> 'name', case when private.is_name(address -> 'name', 200) then address ->> 'name' end
  );
begin
  update public.customers c
  set is_listed = true, name = coalesce(given_name, c.name), contact_email = coalesce(given_email, c.contact_email)
  where c.tenant_id = tenant and c.id = customer and c.is_guest
    and (not c.is_listed or c.name <> given_name or c.contact_email is distinct from coalesce(given_email, c.contact_email));
end
$$;
comment on function private.record_guest is
  'Makes a guest who orders a customer that the staff sees, with the name and the e-mail address of the order. Changes nothing of other customers, and nothing that is so already.';

create function private.place_order(
  marketplace_id uuid, items jsonb, shipping_address jsonb, customer_id uuid, delivery_method text, payment_method text,
  contact jsonb, language text, replaces uuid, currency text, billing_address jsonb, tax_id text, discount_codes text[],
  total numeric default null
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  for_itself boolean := private.scope('orders.place') = 'own';
  buyer uuid := private.ordering_customer(place_order.customer_id);
  site public.marketplaces := private.ordering_marketplace(place_order.marketplace_id, place_order.currency);
  address jsonb := private.order_address(site.settings, place_order.shipping_address, 'shipping_address');
  billing jsonb := private.order_address(site.settings, place_order.billing_address, 'billing_address');
  offered jsonb;
  lines jsonb;
  quoted private.quote;
  placed uuid := gen_random_uuid();
begin
  contact := private.order_contact(site.settings, contact);
  perform private.check_order_items(items);
  offered := private.offered_delivery(site.settings, place_order.delivery_method);
  perform private.check_payment_method(site.settings, place_order.payment_method);
  perform private.check_tax_id(to_jsonb(place_order.tax_id));
  perform private.check_codes(discount_codes);

  -- Data that is read after these locks does not change before the commit.
  perform private.lock_for_order(buyer, items, place_order.replaces);

  lines := private.order_lines(tenant, site.id, items, place_order.delivery_method, place_order.total is not null);
  perform private.refuse_first(private.problems_of_lines(lines, place_order.delivery_method));
  perform private.check_delivery_method(site.settings, offered, address, lines);
  perform private.check_shipping_address(address, lines);
  perform private.check_order_size(lines);

  quoted := private.quote(
    site, buyer, private.taxed_place(site.settings, address, billing, tax_id), offered, discount_codes, lines
  );
  perform private.refuse_first(quoted.problems);
  perform private.check_order_total(site.currency, quoted.total, place_order.total, items);
  if quoted.total > 0 and for_itself then
    perform private.bound_reservations(site, buyer, lines);
  end if;

  perform private.take_stock(tenant, placed, 'reserve', lines);
  -- Before the order, whose foreign key locks the customer too: a guest who registers meanwhile cannot cause a deadlock.
  perform private.record_guest(tenant, buyer, contact, address);

  -- Before the order has its number, for which others wait.
  perform private.use_discounts(tenant, buyer, quoted.discounts);
  insert into public.orders (
    id, tenant_id, marketplace_id, customer_id, currency, delivery_method, payment_method, payment_due_at,
    shipping_address, billing_address, tax_id, contact, language
  )
  values (
    placed, tenant, site.id, buyer, site.currency, place_order.delivery_method, place_order.payment_method,
    case when quoted.total > 0 then private.payment_deadline(site.settings -> 'business') end,
    address, billing, place_order.tax_id, place_order.contact,
    coalesce(place_order.language, (select c.language from public.customers c where c.tenant_id = tenant and c.id = buyer))
  );

  perform private.write_order_lines(tenant, placed, buyer, quoted);

  -- An order with a total of 0 counts as paid, for example so that its digital goods are delivered.
  if quoted.total = 0 then
    update public.orders o set payment_status = 'paid' where o.id = placed;
  end if;

  -- Read without the policies, because whoever may place an order may read all of it, except that customers do not see
  -- commissions.
  return private.placed_record(placed) || case when for_itself then '{"commissions": []}' else '{}' end::jsonb;
end
$$;
comment on function private.place_order is
  'Places an order, reserves its stock and returns its record. total: what the buyer has accepted, for items without price. Refuses: FORBIDDEN, NOT_FOUND, MARKETPLACE_NOT_ACTIVE, VALIDATION_ERROR, PRICE_MISMATCH, INSUFFICIENT_INVENTORY, DISCOUNT_NOT_APPLICABLE, LIMIT_REACHED, INVALID_TRANSITION, CONFLICT.';

create function public.place_order(
  marketplace_id uuid,
  items jsonb,
  shipping_address jsonb default null,
  customer_id uuid default null,
  delivery_method text default null,
  payment_method text default null,
  contact jsonb default null,
  language text default null,
  replaces uuid default null,
  currency text default null,
  billing_address jsonb default null,
  tax_id text default null,
  discount_codes text[] default '{}'
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.place_order(
    marketplace_id, items, shipping_address, customer_id, delivery_method, private.nfc(payment_method), contact, language,
    replaces, currency, billing_address, private.nfc(tax_id), discount_codes
  );
end
$$;
comment on function public.place_order is
  'Places an order and returns its whole record. items: a list of product_id, variant_id (for a product with variants), quantity, price, and starts_at (to book a service). Physical items require a shipping_address (see list_countries; its country is by default the marketplace''s), and a delivery_method if the marketplace has any. contact: email, name and phone; required from a guest. language: the language of mails about the order; by default the customer''s. replaces: an unpaid order of the customer that is cancelled in the same transaction. currency: the currency that the customer was shown, which must be the marketplace''s. billing_address: by default the shipping_address. tax_id: the buyer''s tax number. discount_codes: at most 5; refused with DISCOUNT_NOT_APPLICABLE if one does not apply.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.place_order to authenticated;
grant execute on function public.place_order to authenticated;
