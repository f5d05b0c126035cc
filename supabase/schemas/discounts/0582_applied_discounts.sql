-- Which discounts an order has, what they take off, and their uses. An order has at most one discount of the operator, and one of
-- each supplier; the one that takes off more applies. Free delivery comes on top.

-- types ----------------------------------------------------------------------------------------

create type private.discount_offer as (
  id uuid, code text, supplier_id uuid, kind public.discount_kind, borne_by public.refund_bearer, created_at timestamptz,
  amount numeric, lines integer[], fault text
);
comment on type private.discount_offer is
  'A discount for an order: what it takes off all the lines that it matches (their positions), before others compete with it. fault: why it does not apply; null if it may.';

-- tables ---------------------------------------------------------------------------------------

create table private.order_discounts (
  tenant_id uuid not null,
  order_id uuid not null,
  discount_id uuid not null,
  customer_id uuid not null,
  supplier_id uuid,
  code text,
  currency text not null,
  amount numeric not null,
  is_given_back boolean not null default false,
  constraint order_discounts_pkey primary key (tenant_id, order_id, discount_id),
  constraint order_discounts_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  -- A discount that orders use is not deleted. What is left of others, they gave back.
  constraint order_discounts_discount_id_fkey foreign key (tenant_id, discount_id)
    references public.discounts (tenant_id, id) on delete cascade,
  constraint order_discounts_customer_id_fkey foreign key (tenant_id, customer_id)
    references public.customers (tenant_id, id),
  constraint order_discounts_amount_is_not_negative check (amount >= 0)
);
comment on table private.order_discounts is
  'The discounts of each order, with what they took off it when it was placed. supplier_id: of the supplier who made it; null for the operator''s. currency: the order''s. is_given_back: whether the order was cancelled unpaid, so that the use does not count.';

-- indexes --------------------------------------------------------------------------------------

-- With what the costs of a discount are made of, so that they are read from the index alone.
create index order_discounts_discount_idx on private.order_discounts (tenant_id, discount_id, customer_id)
  include (currency, amount, is_given_back);
create index order_discounts_customer_idx on private.order_discounts (tenant_id, customer_id);

-- functions: offers ----------------------------------------------------------------------------

create function private.fault_of_discount(
  discount public.discounts, site public.marketplaces, customer uuid, replaced uuid
) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  given_back bigint := 0;
begin
  if replaced is not null then
    select count(*) into given_back
    from private.order_discounts u
    where u.tenant_id = discount.tenant_id and u.order_id = replaced and u.discount_id = discount.id and not u.is_given_back;
  end if;
  return case
    when discount.status <> 'active' or discount.marketplace_id <> site.id or discount.currency <> site.currency
      then 'unknown'
    when discount.starts_at > now() then 'not_yet'
    when discount.ends_at <= now() then 'over'
    when discount.uses - given_back >= discount.uses_total or discount.uses_per_customer + given_back <= (
      select count(*)
      from private.order_discounts u
      where u.tenant_id = discount.tenant_id and u.discount_id = discount.id and u.customer_id = customer
        and not u.is_given_back
    ) then 'used_up'
  end;
end
$$;
comment on function private.fault_of_discount is
  'Why a discount does not apply to any order of a customer in a marketplace now: unknown, not_yet, over or used_up; null if it may. replaced: an order of the customer whose uses do not count; null for none.';

create function private.matched_lines(discount public.discounts, lines jsonb) returns table ("position" integer, amount numeric)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with recursive category (id) as (
    select c.id
    from public.categories c
    where c.tenant_id = discount.tenant_id and c.id = any (discount.category_ids)
    union
    select c.id
    from category above
    join public.categories c on c.tenant_id = discount.tenant_id and c.parent_id = above.id
  )
  select line.position, line.price * line.quantity
  from jsonb_to_recordset(lines) as line (
    position integer, product_id uuid, category_id uuid, supplier_id uuid, price numeric, quantity integer
  )
  where (discount.supplier_id is null or line.supplier_id = discount.supplier_id)
    and (discount.supplier_ids is null or line.supplier_id = any (discount.supplier_ids))
    and (discount.product_ids is null or line.product_id = any (discount.product_ids))
    and (discount.category_ids is null or line.category_id in (select c.id from category c));
end
$$;
comment on function private.matched_lines is
  'The lines of an order that a discount is for, with their amounts before discounts: those that match each list that it has.';

create function private.offer_of(
  discount public.discounts, site public.marketplaces, customer uuid, lines jsonb, exponent integer, replaced uuid
) returns private.discount_offer
language plpgsql stable security definer set search_path = ''
as $$
declare
  fault text := private.fault_of_discount(discount, site, customer, replaced);
  base numeric;
  matched integer[];
  amount numeric := 0;
begin
  if fault is null then
    select sum(m.amount), array_agg(m.position order by m.position) into base, matched
    from private.matched_lines(discount, lines) m;
    fault := case
      when base is null then 'nothing_matches'
      when base < discount.minimum_subtotal then 'minimum'
    end;
  end if;
  if fault is null then
    amount := case discount.kind
      when 'percentage' then round(base * discount.value / 100, exponent)
      when 'amount' then round(least(discount.value, base), exponent)
      else 0
    end;
  end if;
  return row(
    discount.id, discount.code, discount.supplier_id, discount.kind, discount.borne_by, discount.created_at, amount, matched,
    fault
  )::private.discount_offer;
end
$$;
comment on function private.offer_of is 'What a discount takes off an order, or why it does not apply.';

create function private.discount_offers(
  site public.marketplaces, customer uuid, codes text[], lines jsonb, replaced uuid
) returns private.discount_offer[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  exponent constant integer := (select c.exponent from private.currencies c where c.code = site.currency);
  folded constant text[] := array(select private.folded_name(c) from unnest(codes) as c);
begin
  return array(
    select private.offer_of(d, site, customer, lines, exponent, replaced)
    from public.discounts d
    where d.tenant_id = site.tenant_id and (d.marketplace_id is null or d.marketplace_id = site.id)
      and (
        private.folded_name(d.code) = any (folded)
        or private.folded_name(d.code) is null and d.status = 'active' and (d.ends_at is null or d.ends_at > now())
      )
  );
end
$$;
comment on function private.discount_offers is
  'What the automatic discounts of a tenant, and those with these codes, offer for an order.';

-- functions: which apply -----------------------------------------------------------------------

create function private.divided(amount numeric, weights numeric[], exponent integer) returns numeric[]
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    with part as (
      -- In units of the currency, without fractions, so that equal remainders are equal.
      select
        w.position, div(w.weight * u.units, u.total) as units, mod(w.weight * u.units, u.total) as rest, u.units as all_units
      from unnest(weights) with ordinality as w (weight, position)
      cross join (
        select amount * 10::numeric ^ exponent as units, nullif(sum(w), 0) as total
        from unnest(weights) as w
      ) as u
    ),
    ranked as (
      select
        p.position, p.units,
        -- The units that are left go to the largest remainders, and of equal ones to the first.
        row_number() over (order by p.rest desc, p.position) <= p.all_units - sum(p.units) over () as gets_unit
      from part p
    )
    select coalesce(
      array_agg(
        round((r.units + case when r.gets_unit then 1 else 0 end) / 10::numeric ^ exponent, exponent) order by r.position
      ),
      '{}'
    )
    from ranked r
  );
end
$$;
comment on function private.divided is
  'An amount divided by weights, to the decimals of its currency: by largest remainder, so that the shares add up to it.';

create function private.shares_of_offer(offer private.discount_offer, lines jsonb, exponent integer)
returns table ("position" integer, supplier_id uuid, share numeric)
language plpgsql immutable set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select m.position, m.supplier_id, d.share
  from (
    select
      array_agg(line.position order by line.position) as positions,
      array_agg(line.supplier_id order by line.position) as suppliers,
      array_agg(line.price * line.quantity order by line.position) as amounts
    from jsonb_to_recordset(lines) as line (position integer, supplier_id uuid, price numeric, quantity integer)
    where line.position = any ((offer).lines)
  ) as matched
  cross join lateral unnest(matched.positions, matched.suppliers, private.divided((offer).amount, matched.amounts, exponent))
    as d (position, supplier_id, share)
  cross join lateral (select d.position, d.supplier_id) as m;
end
$$;
comment on function private.shares_of_offer is 'What a discount takes off each line that it matches.';

create function private.chosen_shares(offers private.discount_offer[], lines jsonb, exponent integer)
returns table ("position" integer, id uuid, code text, borne_by public.refund_bearer, share numeric)
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with offer as (
    select o, o.supplier_id
    from unnest(offers) as o
    where o.fault is null and o.amount > 0
  ),
  best as (
    -- One of the operator, and one of each supplier: the largest, and of equal ones the older.
    select distinct on (f.supplier_id) f.o, f.supplier_id
    from offer f
    order by f.supplier_id, (f.o).amount desc, (f.o).created_at, (f.o).id
  ),
  line as (
    select b.o, b.supplier_id as made_by, s.position, s.supplier_id, s.share
    from best b
    cross join lateral private.shares_of_offer(b.o, lines, exponent) as s
  ),
  part as (
    select
      l.supplier_id, coalesce(sum(l.share) filter (where l.made_by is null), 0) as operators,
      coalesce(sum(l.share) filter (where l.made_by is not null), 0) as suppliers
    from line l
    group by l.supplier_id
  )
  select l.position, (l.o).id, (l.o).code, (l.o).borne_by, l.share
  from line l
  join part p on p.supplier_id is not distinct from l.supplier_id
  -- In the part of a supplier one of both applies, alone.
  where (l.made_by is not null) = (p.suppliers > p.operators);
end
$$;
comment on function private.chosen_shares is
  'What the discounts that apply take off each line: the operator''s best, and in the part of a supplier whose best takes off more, that one alone.';

create function private.problems_of_codes(codes text[], offers private.discount_offer[], applied uuid[]) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'code', 'DISCOUNT_NOT_APPLICABLE',
          'message', case unused.reason
            when 'not_yet' then 'This code is not valid yet.'
            when 'over' then 'This code is not valid any more.'
            when 'used_up' then 'This code has been used as often as it may be.'
            when 'minimum' then 'The order is too small for this code.'
            when 'nothing_matches' then 'This code is for other products.'
            when 'better' then 'A better discount applies. Leave this code out.'
            else 'There is no such code.'
          end,
          'field', format('discount_codes[%s]', unused.position - 1), 'value', unused.code,
          'beside', jsonb_build_object('reason', unused.reason)
        )
        order by unused.position
      ),
      '[]'
    )
    from (
      select sent.code, sent.position, coalesce(o.fault, case when o.id is null then 'unknown' else 'better' end) as reason
      from unnest(codes) with ordinality as sent (code, position)
      left join unnest(offers) as o on private.folded_name(o.code) = private.folded_name(sent.code)
      where o.id is null or o.id <> all (applied)
    ) as unused
  );
end
$$;
comment on function private.problems_of_codes is
  'The codes that do not apply to an order, each with its reason: unknown, not_yet, over, used_up, minimum, nothing_matches or better. A list of problems: [{code, message, field, value, beside}].';

-- functions: uses --------------------------------------------------------------------------------

create function private.use_discounts(tenant uuid, customer uuid, used private.order_discounts[]) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  use private.order_discounts;
begin
  -- In the order of ids: two orders that use the same discounts wait for each other, and do not deadlock.
  foreach use in array array(select u from unnest(used) as u order by u.discount_id) loop
    perform 1 from public.discounts d where d.tenant_id = tenant and d.id = use.discount_id for no key update;
    -- A statement of its own, which sees the orders of those who held the lock before.
    update public.discounts d
    set uses = d.uses + 1
    where d.tenant_id = tenant and d.id = use.discount_id and (d.uses < d.uses_total) is not false
      and (
        d.uses_per_customer > (
          select count(*)
          from private.order_discounts u
          where u.tenant_id = d.tenant_id and u.discount_id = d.id and u.customer_id = customer and not u.is_given_back
        )
      ) is not false;
    if not found then
      perform private.refuse(
        'DISCOUNT_NOT_APPLICABLE', 'This code has been used as often as it may be.', 'discount_codes', to_jsonb(use.code),
        '{"reason": "used_up"}'
      );
    end if;
  end loop;
end
$$;
comment on function private.use_discounts is
  'Counts the uses of the discounts of an order that is being placed, exactly under any race. Refuses with DISCOUNT_NOT_APPLICABLE one that another order has used up meanwhile.';

create function private.give_discounts_back() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform 1
  from public.discounts d
  where d.tenant_id = new.tenant_id and d.id in (
    select u.discount_id
    from private.order_discounts u
    where u.tenant_id = new.tenant_id and u.order_id = new.id and not u.is_given_back
  )
  order by d.id
  for no key update;
  with back as (
    update private.order_discounts u
    set is_given_back = true
    where u.tenant_id = new.tenant_id and u.order_id = new.id and not u.is_given_back
    returning u.discount_id
  )
  update public.discounts d
  set uses = d.uses - 1
  where d.tenant_id = new.tenant_id and d.id in (select b.discount_id from back b);
  return null;
end
$$;
comment on function private.give_discounts_back() is
  'Row trigger: an order that is cancelled unpaid gives its uses of discounts back.';

-- functions: costs -------------------------------------------------------------------------------

create function private.costs_of_discount(tenant uuid, discount uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(jsonb_build_object('currency', c.currency, 'amount', c.amount) order by c.currency), '[]'
    )
    from (
      select u.currency, sum(u.amount) as amount
      from private.order_discounts u
      where u.tenant_id = tenant and u.discount_id = discount and not u.is_given_back
      group by u.currency
    ) as c
  );
end
$$;
comment on function private.costs_of_discount is
  'What a discount took off the orders that use it, in each of their currencies: [{currency, amount}]. It answers for any discount, so callers show it for discounts that they select.';

-- views ------------------------------------------------------------------------------------------

create view public.discount_details with (security_invoker = true) as
select
  d.id, d.tenant_id, d.supplier_id, d.code, d.kind, d.value, d.currency, d.marketplace_id, d.category_ids, d.product_ids,
  d.supplier_ids, d.minimum_subtotal, d.starts_at, d.ends_at, d.uses_total, d.uses_per_customer, d.borne_by, d.status, d.uses,
  d.created_by, d.created_at, d.updated_at, private.costs_of_discount(d.tenant_id, d.id) as costs
from public.discounts d;
comment on view public.discount_details is
  'The whole record of a discount, as the API returns it. costs: what it took off the orders that use it when they were placed, in each of their currencies. Orders that were cancelled unpaid do not count.';

-- triggers -------------------------------------------------------------------------------------

create trigger orders_give_discounts_back
  after update of status on public.orders
  for each row when (new.status = 'cancelled' and old.status <> 'cancelled' and not private.was_paid(new.payment_status))
  execute function private.give_discounts_back();

-- policies -------------------------------------------------------------------------------------

alter table private.order_discounts enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select on public.discount_details to authenticated;
grant all on public.discount_details to service_role;
grant execute on function private.costs_of_discount to authenticated, service_role;
