-- What a checkout answers: the price of what is asked for, how it can be delivered, and messages about what keeps it from
-- being ordered. Everything is checked as for an order, by the same functions. Where an order is refused for the first
-- problem, a checkout reports all of them.
-- later: private.customer_of_address

-- functions: the buyer ---------------------------------------------------------------------------

create function private.find_customer(email text) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    private.customer_of_address(find_customer.email),
    (
      select c.id
      from public.customers c
      where c.tenant_id = private.tenant_id() and c.email = find_customer.email and c.user_id is null
      order by c.created_at, c.id
      limit 1
    )
  );
end
$$;
comment on function private.find_customer is
  'The customer with an e-mail address: that of the account that has confirmed it, else the oldest one without an account; null if there is none.';

create function private.checkout_buyer(request jsonb, owner uuid) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  buyer uuid := (request ->> 'customer_id')::uuid;
begin
  if buyer is null and private.scope('orders.place') = 'all' then
    buyer := coalesce(
      -- The order of a customer's checkout is the customer's, whoever completes it.
      (
        select c.id
        from public.customers c
        where c.tenant_id = private.tenant_id() and c.user_id = owner and owner <> auth.uid()
      ),
      private.find_customer(lower(request #>> '{contact,email}'))
    );
    if buyer is null and request ? 'contact' then
      if private.scope('customers.write') is distinct from 'all' then
        perform private.refuse(
          'FORBIDDEN', 'You may not create customers, and this contact is none yet. Send the customer_id of one.', 'contact'
        );
      end if;
      return null;
    elsif buyer is null then
      perform private.refuse('VALIDATION_ERROR', 'contact is required, or the customer_id.', 'contact', 'null');
    end if;
  end if;
  return private.ordering_customer(buyer);
end
$$;
comment on function private.checkout_buyer is
  'The customer for whom the caller orders with a checkout; null for a visitor, and for a contact who is no customer yet. owner: the user whose checkout it is. Refuses with FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

-- functions: problems ----------------------------------------------------------------------------

create function private.caught_problem(code text, message text, detail text) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_array(
    jsonb_build_object('code', code, 'message', message, 'field', nullif(detail, '')::jsonb -> 'field')
  )
$$;
comment on function private.caught_problem is 'A refusal that was caught, as a list of problems with this one.';

create function private.checked_buyer(
  request jsonb, owner uuid, out buyer uuid, out replaced uuid, out problems jsonb
)
language plpgsql stable security definer set search_path = ''
as $$
declare
  code text;
  reason text;
  detail text;
begin
  problems := '[]';
  buyer := private.checkout_buyer(request, owner);
  replaced := private.find_replaceable((request ->> 'replaces')::uuid, buyer);
exception
  when sqlstate 'PT403' or sqlstate 'PT404' or sqlstate 'PT422' then
    get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
    problems := private.caught_problem(code, reason, detail);
end
$$;
comment on function private.checked_buyer is
  'The customer of a checkout (null for a visitor, and for one who is no customer yet), and the order that it replaces. They are null where they are wrong, and problems says why.';

create function private.checked_pieces(
  site public.marketplaces, request jsonb, lines jsonb,
  out address jsonb, out billing jsonb, out offered jsonb, out problems jsonb
)
language plpgsql stable security definer set search_path = ''
as $$
declare
  piece text;
  code text;
  reason text;
  detail text;
begin
  problems := '[]';
  foreach piece in array array['site', 'contact', 'shipping', 'billing', 'tax_id', 'delivery', 'payment'] loop
    begin
      case piece
        when 'site' then perform private.ordering_marketplace(site.id, request ->> 'currency');
        when 'contact' then perform private.order_contact(site.settings, request -> 'contact');
        when 'shipping' then
          address := private.order_address(site.settings, request -> 'shipping_address', 'shipping_address');
          perform private.check_shipping_address(address, lines);
        when 'billing' then
          billing := private.order_address(site.settings, request -> 'billing_address', 'billing_address');
        when 'tax_id' then perform private.check_tax_id(request -> 'tax_id');
        when 'delivery' then
          offered := private.offered_delivery(site.settings, request ->> 'delivery_method');
          perform private.check_delivery_method(site.settings, offered, address, lines);
        when 'payment' then perform private.check_payment_method(site.settings, request ->> 'payment_method');
      end case;
    exception
      when sqlstate 'PT403' or sqlstate 'PT404' or sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        problems := problems || private.caught_problem(code, reason, detail);
    end;
  end loop;
end
$$;
comment on function private.checked_pieces is
  'The pieces of a checkout beside its items and its buyer, as an order has them: address, billing and offered (the delivery method) are null where they are missing or wrong, and problems says why. lines: those that have a price.';

create function private.problems_of_bookings(tenant uuid, lines jsonb, replaced uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  item record;
  problems jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  for item in
    select
      line.starts_at, line.quantity, c as calendar, format('items[%s].', line.position - 1) as path,
      exists (
        select
        from public.bookings b
        where b.tenant_id = tenant and b.order_id = replaced and b.product_id = line.product_id
          and b.starts_at = line.starts_at and b.status = 'booked'
      ) as is_held
    from jsonb_to_recordset(lines) as line (
      position integer, product_id uuid, quantity integer, starts_at timestamptz
    )
    left join public.service_calendars c on c.tenant_id = tenant and c.product_id = line.product_id
    where c.id is not null or line.starts_at is not null
    order by line.position
  loop
    begin
      perform private.check_booking(item.calendar, item.starts_at, item.quantity, item.path);
      if not item.is_held then
        perform private.free_seat(item.calendar, item.starts_at, item.path);
      end if;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        problems := problems || private.caught_problem(code, reason, detail);
    end;
  end loop;
  return problems;
end
$$;
comment on function private.problems_of_bookings is
  'The items that name no free slot of their service. replaced: an order whose slots count as free. Two items that need the last seat of a slot are no problem here: the order is refused.';

create function private.problem_of_bounds(
  site public.marketplaces, buyer uuid, total numeric, lines jsonb, replaced uuid
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  code text;
  reason text;
  detail text;
begin
  perform private.check_order_size(lines);
  perform private.check_order_total(site.currency, total, null, null);
  if total > 0 and buyer is not null and private.scope('orders.place') = 'own' then
    perform private.bound_reservations(site, buyer, lines, replaced);
  end if;
  return '[]'::jsonb;
exception
  when sqlstate 'PT422' then
    get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
    return private.caught_problem(code, reason, detail);
end
$$;
comment on function private.problem_of_bounds is
  'The first bound that an order would exceed, as a list of problems: its size, its total, and what its customer reserves without the order that is replaced.';

-- functions: the answer --------------------------------------------------------------------------

create function private.checkout_items(lines jsonb, priced jsonb) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_agg(
    jsonb_build_object(
      'product_id', line.sent -> 'product_id', 'variant_id', line.sent -> 'variant_id', 'supplier_id', line.supplier_id,
      'name', line.name, 'quantity', line.quantity, 'starts_at', line.sent -> 'starts_at', 'price', p.price,
      'amount', p.price * p.quantity, 'discount_amount', coalesce(p.discount_amount, 0), 'discount_code', p.discount_code,
      'tax_rate', p.tax_rate, 'tax_name', p.tax_name, 'tax_amount', coalesce(p.tax_amount, 0),
      'exempt_amount', coalesce(p.exempt_amount, 0)
    )
    order by line.position
  )
  from jsonb_to_recordset(lines) as line (position integer, sent jsonb, supplier_id uuid, name text, quantity integer)
  left join jsonb_to_recordset(priced) as p (
    position integer, price numeric, quantity integer, discount_amount numeric, discount_code text, tax_rate numeric,
    tax_name text, tax_amount numeric, exempt_amount numeric
  ) on p.position = line.position
$$;
comment on function private.checkout_items is
  'The items of a checkout, as the API returns them. priced: the lines of the quote; others have no price.';

create function private.checkout_totals(quoted private.quote, is_delivered boolean) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_agg(
    jsonb_strip_nulls(jsonb_build_object('type', t.type, 'amount', t.amount, 'included', t.included)) order by t.position
  )
  from (
    select
      coalesce(sum(p.subtotal), 0) as items, coalesce(sum(p.discount_amount + p.delivery_discount_amount), 0) as discount,
      coalesce(sum(p.delivery_amount), 0) as delivery, coalesce(sum(p.tax_amount), 0) as tax,
      coalesce(sum(p.exempt_amount), 0) as exempt
    from unnest((quoted).parts) as p
  ) as s
  cross join lateral (
    values
      (1, 'items', s.items, null, true),
      (2, 'discount', -s.discount, null, false),
      (3, 'delivery', s.delivery, null, is_delivered),
      (4, 'tax', s.tax, (quoted).tax_included, false),
      (5, 'tax_exemption', -s.exempt, null, false),
      (6, 'total', coalesce((quoted).total, 0), null, true)
  ) as t (position, type, amount, included, is_shown)
  where t.is_shown or t.amount <> 0
$$;
comment on function private.checkout_totals is
  'The totals of a quote: all but the total and what is included add up to the total. Those that are 0 are left out, except for items, total, and the delivery by a chosen method (is_delivered).';

create function private.delivery_options(settings jsonb, address jsonb, lines jsonb) returns jsonb
language sql stable set search_path = ''
as $$
  with priced as materialized (
    select
      m.method, m.position, coalesce((m.method ->> 'per_supplier')::boolean, false) as per_supplier, p.supplier_id,
      p.delivery_amount, sum(p.delivery_amount) over (partition by m.position) as total
    from jsonb_array_elements(settings #> '{business,delivery,methods}') with ordinality as m (method, position)
    cross join lateral private.priced_parts(m.method, lines) as p
    where private.delivers(m.method, address, lines)
  ),
  grouped as (
    select
      s.supplier_id,
      jsonb_agg(
        jsonb_build_object(
          'key', p.method -> 'key', 'name', p.method -> 'name', 'per_supplier', p.per_supplier,
          'price', case when p.per_supplier then p.delivery_amount else p.total end, 'total', p.total
        )
        order by p.position
      ) as options
    from (
      select distinct line.supplier_id
      from jsonb_to_recordset(lines) as line (supplier_id uuid, is_physical boolean)
      where line.is_physical
    ) as s
    join priced p on p.supplier_id is not distinct from s.supplier_id
    group by s.supplier_id
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('supplier_id', o.supplier_id, 'options', o.options) order by o.supplier_id), '[]'
  )
  from grouped o
$$;
comment on function private.delivery_options is
  'The delivery methods that take all physical items of an order to an address, for each supplier who has some: [{supplier_id, options: [{key, name, per_supplier, price, total}]}]. price: of this supplier''s delivery, or of that of all together if it is not charged per supplier; total: of the whole order.';

create function private.price_changes(before jsonb, items jsonb) returns jsonb
language sql stable set search_path = ''
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'type', 'info', 'code', 'PRICE_MISMATCH', 'path', format('items[%s].price', now.position - 1),
        'text', format('The price is %s now, and no longer %s.', now.item ->> 'price', was.item ->> 'price')
      )
      order by now.position
    ),
    '[]'
  )
  from jsonb_array_elements(items) with ordinality as now (item, position)
  join jsonb_array_elements(before) with ordinality as was (item, position) on was.position = now.position
  where now.item -> 'product_id' = was.item -> 'product_id' and now.item -> 'variant_id' = was.item -> 'variant_id'
    and (now.item ->> 'price')::numeric <> (was.item ->> 'price')::numeric
$$;
comment on function private.price_changes is
  'Messages about prices that are others than when the same items were priced before.';

create function private.messages_of(problems jsonb) returns jsonb
language sql stable set search_path = ''
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'type', 'error', 'code', p.problem -> 'code', 'path', p.problem -> 'field', 'text', p.problem -> 'message'
      )
      order by p.position
    ),
    '[]'
  )
  from jsonb_array_elements(problems) with ordinality as p (problem, position)
$$;
comment on function private.messages_of is 'Problems as messages of a checkout: [{type, code, path, text}].';

create function private.quoted_request(site public.marketplaces, owner uuid, request jsonb, before jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  -- Where it goes, as far as it is typed.
  near constant jsonb := jsonb_strip_nulls(jsonb_build_object('country', site.settings #> '{business,country}'))
    || private.address_texts(coalesce(request -> 'shipping_address', '{}'));
  codes constant text[] := array(select jsonb_array_elements_text(request -> 'discount_codes'));
  who record;
  lines jsonb;
  known jsonb;
  pieces record;
  offered jsonb;
  quoted private.quote;
  items jsonb;
begin
  select * into who from private.checked_buyer(request, owner);
  lines := private.order_lines(site.tenant_id, site.id, request -> 'items', null, true, who.replaced);
  -- What is sold out has a price, too. Otherwise the total would jump when a piece comes back.
  select coalesce(jsonb_agg(l.line order by (l.line ->> 'position')::integer), '[]') into known
  from jsonb_array_elements(lines) as l (line)
  where coalesce(l.line ->> 'fault', 'inventory') = 'inventory';
  select * into pieces from private.checked_pieces(site, request, known);
  offered := case when private.delivers(pieces.offered, coalesce(pieces.address, near), known) then pieces.offered end;
  if known <> '[]' then
    quoted := private.quote(
      site, who.buyer,
      private.taxed_place(
        site.settings, coalesce(pieces.address, case when request ? 'shipping_address' then near end), pieces.billing,
        request ->> 'tax_id'
      ),
      offered, codes, known, who.replaced
    );
  end if;
  items := private.checkout_items(lines, coalesce(quoted.lines, '[]'));
  return jsonb_build_object(
    'currency', site.currency, 'items', items, 'totals', private.checkout_totals(quoted, offered is not null),
    'total', coalesce(quoted.total, 0),
    'delivery_options', private.delivery_options(site.settings, coalesce(pieces.address, near), known),
    'messages', private.messages_of(
      private.problems_of_lines(lines, null) || private.problems_of_bookings(site.tenant_id, known, who.replaced)
        || who.problems || pieces.problems || coalesce(quoted.problems, '[]')
        || private.problem_of_bounds(site, who.buyer, quoted.total, known, who.replaced)
    ) || private.price_changes(before, items)
  );
end
$$;
comment on function private.quoted_request is
  'What a checkout with this request costs now: {currency, items, totals, total, delivery_options, messages}. owner: the user whose checkout it is; null for a visitor. before: the items of its last answer; null for none.';
