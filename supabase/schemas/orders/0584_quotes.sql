-- Quotes: what a buyer pays for products at a place. Everything that is priced, is priced here: an order charges what was
-- quoted, to the cent.

-- types ----------------------------------------------------------------------------------------

create type private.taxed_place as (
  country text, region text, is_reverse_charged boolean
);
comment on type private.taxed_place is
  'Where a buyer is, for taxes: the country and the region of the address, null if not known; and whether the buyer owes the tax itself where its supplier is a business, too.';

create type private.quoted_part as (
  supplier_id uuid, subtotal numeric, delivery_amount numeric, delivery_recipient public.delivery_recipient,
  delivers_all boolean, discount_amount numeric, delivery_discount_amount numeric, tax_included boolean, tax_amount numeric,
  exempt_amount numeric, delivery_tax_rate numeric, delivery_tax_name text, delivery_tax_amount numeric,
  delivery_exempt_amount numeric, tax_note text
);
comment on type private.quoted_part is 'A part of an order that is not written yet, with the columns of order_parts.';

create type private.quote as (
  lines jsonb, parts private.quoted_part[], discounts private.order_discounts[], tax_included boolean, total numeric,
  problems jsonb
);
comment on type private.quote is
  'What an order costs. lines: the items with their products, with tax_rate, tax_name, tax_amount and exempt_amount, and discount_id, discount_code, discount_borne_by and discount_amount; parts: one for each supplier, and for the operator; discounts: those that apply; problems: the codes that do not, of private.problems_of_codes.';

-- functions: tax ---------------------------------------------------------------------------------

create function private.taxed_place(settings jsonb, shipping_address jsonb, billing_address jsonb, tax_id text)
returns private.taxed_place
language plpgsql stable set search_path = ''
as $$
declare
  -- What is not sent anywhere is taxed where its buyer is.
  address constant jsonb := case
    when shipping_address ? 'country' then shipping_address
    when billing_address ? 'country' then billing_address
    else jsonb_build_object('country', settings #> '{tax,country}')
  end;
  country constant text := address ->> 'country';
  departure constant text := settings #>> '{tax,country}';
begin
  return row(
    country, address ->> 'region',
    coalesce(
      private.is_tax_id(country, tax_id) and private.has_tax_ids(departure) and country <> departure,
      false
    )
  )::private.taxed_place;
end
$$;
comment on function private.taxed_place is
  'Where an order is taxed: in the country of the shipping address, else of the billing address, else of departure. Its buyer owes the tax itself (reverse charge) with a tax id of another country of the European Union than the departure.';

create function private.reverse_charged_suppliers(tenant uuid, place private.taxed_place, lines jsonb) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case when place.is_reverse_charged then array(
    select s.id
    from public.suppliers s
    where s.tenant_id = tenant and private.is_more_than_spaces(s.legal ->> 'tax_id')
      and s.id in (select (line.value ->> 'supplier_id')::uuid from jsonb_array_elements(lines) as line (value))
  ) else '{}'::uuid[] end;
end
$$;
comment on function private.reverse_charged_suppliers is
  'The suppliers of an order for whose items the buyer owes the tax itself: those with a tax id.';

create function private.taxed(
  amount numeric, tax public.tax_rates, is_included boolean, is_reverse_charged boolean, exponent integer,
  out tax_rate numeric, out tax_name text, out tax_amount numeric, out exempt_amount numeric, out tax_note text
)
language plpgsql immutable set search_path = ''
as $$
declare
  full_tax constant numeric := coalesce(
    round(amount * tax.rate / case when is_included then 100 + tax.rate else 100 end, exponent), round(0, exponent)
  );
begin
  tax_rate := case when is_reverse_charged then 0 else tax.rate end;
  tax_name := case when not is_reverse_charged then tax.name end;
  tax_amount := case when is_reverse_charged then 0 else full_tax end;
  exempt_amount := case when is_reverse_charged and is_included then full_tax else 0 end;
  tax_note := case when is_reverse_charged then 'reverse_charge' end;
end
$$;
comment on function private.taxed is
  'The tax of an amount, which contains it or not, rounded once, half away from zero. With reverse charge there is none, and exempt_amount is what is taken off an amount that contains it. tax: the rate of the destination; null for none.';

create function private.taxed_lines(
  site public.marketplaces, place private.taxed_place, exempt uuid[], day date, lines jsonb
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  exponent constant integer := (select c.exponent from private.currencies c where c.code = site.currency);
  is_included constant boolean := coalesce((site.settings #>> '{tax,prices_include_tax}')::boolean, true);
begin
  return (
    with line as materialized (
      select
        l.value, (l.value ->> 'position')::integer as position, (l.value ->> 'category_id')::uuid as category_id,
        (l.value ->> 'price')::numeric * (l.value ->> 'quantity')::integer
          - coalesce((l.value ->> 'discount_amount')::numeric, 0) as amount,
        coalesce((l.value ->> 'supplier_id')::uuid = any (exempt), false) as is_exempt
      from jsonb_array_elements(lines) as l (value)
    ),
    -- Each category is looked up once.
    rate as materialized (
      select c.category_id, private.tax_rate_of(site.tenant_id, place.country, place.region, c.category_id, day) as tax
      from (select distinct l.category_id from line l) as c
    )
    select jsonb_agg(line.value || to_jsonb(t) order by line.position)
    from line
    join rate on rate.category_id is not distinct from line.category_id
    cross join lateral private.taxed(line.amount, rate.tax, is_included, line.is_exempt, exponent) as t
  );
end
$$;
comment on function private.taxed_lines is
  'The lines of an order with their tax on a day: tax_rate, tax_name, tax_amount, exempt_amount and tax_note. exempt: the suppliers for whose items the buyer owes it.';

-- functions: parts -------------------------------------------------------------------------------

create function private.priced_parts(offered jsonb, lines jsonb)
returns table (
  supplier_id uuid, subtotal numeric, discount_amount numeric, tax_amount numeric, exempt_amount numeric,
  delivery_amount numeric, delivers_all boolean
)
language plpgsql immutable set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with share as (
    select
      line.supplier_id, sum(line.price * line.quantity) as subtotal, bool_or(line.is_physical) as has_physical,
      coalesce(sum(line.grams) filter (where line.is_physical), 0) as grams,
      coalesce(sum(line.discount_amount), 0) as discount_amount, coalesce(sum(line.tax_amount), 0) as tax_amount,
      coalesce(sum(line.exempt_amount), 0) as exempt_amount
    from jsonb_to_recordset(lines) as line (
      supplier_id uuid, quantity integer, price numeric, is_physical boolean, grams numeric, discount_amount numeric,
      tax_amount numeric, exempt_amount numeric
    )
    group by line.supplier_id
  ),
  charged as (
    select
      s.supplier_id, s.subtotal, s.discount_amount, s.tax_amount, s.exempt_amount,
      case
        when (offered ->> 'per_supplier')::boolean and s.has_physical
          then private.delivery_price(offered, s.grams, s.subtotal)
        else 0
      end as delivery_amount,
      false as delivers_all
    from share s
    union all
    -- Delivery that is charged once belongs to the operator's part, even if the operator sells nothing in the order.
    select null, 0, 0, 0, 0, private.delivery_price(offered, sum(s.grams), sum(s.subtotal)), true
    from share s
    where (offered ->> 'per_supplier')::boolean is not true
    having bool_or(s.has_physical) and private.delivery_price(offered, sum(s.grams), sum(s.subtotal)) > 0
  )
  select
    c.supplier_id, sum(c.subtotal), sum(c.discount_amount), sum(c.tax_amount), sum(c.exempt_amount), sum(c.delivery_amount),
    bool_or(c.delivers_all)
  from charged c
  group by c.supplier_id;
end
$$;
comment on function private.priced_parts is
  'The amounts of the parts of an order with these lines, and of their delivery before tax. offered: the chosen delivery method; null for none.';

create function private.taxed_parts(
  site public.marketplaces, place private.taxed_place, exempt uuid[], day date, offered jsonb, lines jsonb, freed integer[]
) returns private.quoted_part[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  exponent constant integer := (select c.exponent from private.currencies c where c.code = site.currency);
  is_included constant boolean := coalesce((site.settings #>> '{tax,prices_include_tax}')::boolean, true);
  recipient constant public.delivery_recipient :=
    coalesce((site.settings #>> '{business,delivery,recipient}')::public.delivery_recipient, 'operator');
  tax constant public.tax_rates := private.tax_rate_of(
    site.tenant_id, place.country, place.region, (offered ->> 'tax_category_id')::uuid, day
  );
begin
  return array(
    select row(
      p.supplier_id, p.subtotal, p.delivery_amount,
      case when (offered ->> 'per_supplier')::boolean and p.supplier_id is not null then recipient else 'operator' end,
      p.delivers_all, p.discount_amount, p.free_amount, is_included, p.tax_amount + t.tax_amount,
      p.exempt_amount + t.exempt_amount, t.tax_rate, t.tax_name, t.tax_amount, t.exempt_amount,
      coalesce(t.tax_note, case when p.is_exempt then 'reverse_charge' end)
    )::private.quoted_part
    from (
      select
        p.*, coalesce(p.supplier_id = any (exempt), false) as is_exempt,
        case when f.is_free then p.delivery_amount else 0 end as free_amount,
        bool_and(coalesce(p.supplier_id = any (exempt), false)) filter (where p.subtotal > 0 or not p.delivers_all) over ()
          as are_all_exempt
      from private.priced_parts(offered, lines) as p
      cross join lateral (
        select exists (
          select
          from jsonb_to_recordset(lines) as line (position integer, supplier_id uuid)
          where line.position = any (freed) and (p.delivers_all or line.supplier_id is not distinct from p.supplier_id)
        ) as is_free
      ) as f
    ) as p
    cross join lateral private.taxed(
      p.delivery_amount - p.free_amount, case when p.delivery_amount > p.free_amount then tax end, is_included,
      -- Delivery that is charged once, only with all that it is for.
      p.delivery_amount > p.free_amount
        and case when p.delivers_all then coalesce(p.are_all_exempt, false) else p.is_exempt end,
      exponent
    ) as t
  );
end
$$;
comment on function private.taxed_parts is
  'The parts of an order with these lines, with the tax of their delivery. freed: the positions of lines whose delivery a discount makes free.';

create function private.discounted_lines(offers private.discount_offer[], lines jsonb, exponent integer) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select jsonb_agg(
      line.value || case
        when c.id is null then '{}'
        else jsonb_build_object(
          'discount_id', c.id, 'discount_code', c.code, 'discount_borne_by', c.borne_by, 'discount_amount', c.share
        )
      end
      order by (line.value ->> 'position')::integer
    )
    from jsonb_array_elements(lines) as line (value)
    left join private.chosen_shares(offers, lines, exponent) as c
      on c.position = (line.value ->> 'position')::integer and c.share > 0
  );
end
$$;
comment on function private.discounted_lines is
  'The lines of an order with what the discounts that apply take off: discount_id, discount_code, discount_borne_by and discount_amount.';

create function private.free_delivery_of(offers private.discount_offer[]) returns private.discount_offer
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select o
    from unnest(offers) as o
    where o.kind = 'free_delivery' and o.fault is null
    order by o.code is null, o.created_at, o.id
    limit 1
  );
end
$$;
comment on function private.free_delivery_of is
  'The discount that makes delivery free: one with a code before automatic ones, then the older; null if there is none.';

create function private.used_discounts(tenant uuid, quoted private.quote, free private.discount_offer)
returns private.order_discounts[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(
    select row(d.tenant_id, null, u.id, null, d.supplier_id, u.code, null, u.amount, false)::private.order_discounts
    from (
      select line.discount_id as id, max(line.discount_code) as code, sum(line.discount_amount) as amount
      from jsonb_to_recordset(quoted.lines) as line (discount_id uuid, discount_code text, discount_amount numeric)
      where line.discount_id is not null
      group by line.discount_id
      union all
      select (free).id, (free).code, sum(p.delivery_discount_amount)
      from unnest(quoted.parts) as p
      having sum(p.delivery_discount_amount) > 0
    ) as u
    join public.discounts d on d.tenant_id = used_discounts.tenant and d.id = u.id
  );
end
$$;
comment on function private.used_discounts is 'The discounts that apply to an order, with what each takes off.';

create function private.quote(
  site public.marketplaces, customer uuid, place private.taxed_place, offered jsonb, codes text[], lines jsonb,
  replaced uuid default null
) returns private.quote
language plpgsql stable security definer set search_path = ''
as $$
declare
  exponent constant integer := (select c.exponent from private.currencies c where c.code = site.currency);
  day constant date := (
    select (now() at time zone t.time_zone)::date from public.tenants t where t.id = site.tenant_id
  );
  has_rates constant boolean := exists (select from public.tax_rates r where r.tenant_id = site.tenant_id);
  exempt constant uuid[] :=
    case when has_rates then private.reverse_charged_suppliers(site.tenant_id, place, lines) else '{}' end;
  offers constant private.discount_offer[] := private.discount_offers(site, customer, codes, lines, replaced);
  free private.discount_offer := private.free_delivery_of(offers);
  quoted private.quote;
begin
  quoted.tax_included := coalesce((site.settings #>> '{tax,prices_include_tax}')::boolean, true);
  quoted.lines := case when offers = '{}' then lines else private.discounted_lines(offers, lines, exponent) end;
  if has_rates then
    quoted.lines := private.taxed_lines(site, place, exempt, day, quoted.lines);
  end if;
  quoted.parts := private.taxed_parts(site, place, exempt, day, offered, quoted.lines, coalesce((free).lines, '{}'));
  quoted.discounts := private.used_discounts(site.tenant_id, quoted, free);
  quoted.problems := private.problems_of_codes(
    codes, offers, array(select u.discount_id from unnest(quoted.discounts) as u)
  );
  quoted.total := (
    select sum(
      p.subtotal + p.delivery_amount - p.discount_amount - p.delivery_discount_amount - p.exempt_amount
        + case when p.tax_included then 0 else p.tax_amount end
    )
    from unnest(quoted.parts) as p
  );
  return quoted;
end
$$;
comment on function private.quote is
  'What items with their products cost a customer at a place, by a delivery method (null for none) and with codes of discounts. replaced: an order that is not cancelled yet, whose uses of discounts count as given back. The only function that prices an order.';
