-- Payments: reports of a payment service, or of the operator, about an order. Each report is a row that moves the
-- order's payment_status. A failed refund and a reversed payment are reports too: they undo the row with the same
-- reference. A job cancels orders that are not paid in time.

create type public.payment_report as enum ('paid', 'failed', 'refunded', 'refund_failed', 'payment_reversed');
comment on type public.payment_report is
  'What can be reported about an order''s payment. refund_failed undoes a refund, payment_reversed a payment (a bounced debit, a lost dispute).';

-- tables ---------------------------------------------------------------------------------------

create table public.payments (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  status public.payment_report not null,
  amount numeric not null,
  currency text not null,
  reference text not null,
  items jsonb,
  delivery_amount numeric,
  borne_by public.refund_bearer,
  named_amount numeric not null default 0,
  delivery_shares jsonb,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  constraint payments_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  -- Payment services may send the same report twice.
  constraint reference_is_unique_in_payments unique (tenant_id, order_id, status, reference),
  constraint payments_amount_is_positive_and_at_most_999999999999999 check (amount > 0 and amount <= 999999999999999),
  constraint payments_amount_is_of_at_most_4_decimals check (scale(amount) <= 4),
  constraint payments_reference_is_1_to_200_characters check (char_length(reference) between 1 and 200),
  constraint payments_items_is_null_unless_refunded
    check (status = 'refunded' or num_nonnulls(items, delivery_amount, delivery_shares, borne_by) = 0),
  constraint payments_delivery_amount_is_not_negative check (delivery_amount >= 0)
);
comment on table public.payments is
  'The reports on the payment of an order: paid, failed, refunded, refund_failed or payment_reversed, with the amount and the reference at the payment service. refund_failed and payment_reversed have the reference of the refund or payment that they undo. items (item_id, amount) and delivery_amount: what a refund is for, if it names that; named_amount: their sum; delivery_shares: the parts whose delivery it is for (supplier_id, amount); borne_by: who bears it. Rows are only added.';

-- indexes --------------------------------------------------------------------------------------

create unique index payments_order_idx on public.payments (tenant_id, order_id, created_at, id);
alter table public.payments replica identity using index payments_order_idx;
-- For the job, which looks at all tenants at once.
create index orders_payment_due_idx on public.orders (payment_due_at)
  where status in ('pending', 'processing') and payment_status in ('pending', 'failed');

-- functions ------------------------------------------------------------------------------------

create function private.owed_amount(target public.orders) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(sum(private.price_of(i, i.sold_quantity)), 0)
    from public.order_items i
    where i.tenant_id = target.tenant_id and i.order_id = target.id
  ) + (
    select coalesce(sum(private.delivery_price_of(p)), 0)
    from public.order_parts p
    where p.tenant_id = target.tenant_id and p.order_id = target.id and p.delivery_owed
  );
end
$$;
comment on function private.owed_amount is
  'The current price of an order: its total, minus cancelled, returned and lost pieces, and minus the delivery of parts whose pieces are all cancelled or lost.';

create function private.balance_change(status public.payment_report, amount numeric) returns numeric
language sql immutable
return case
  when status in ('paid', 'refund_failed') then amount
  when status in ('refunded', 'payment_reversed') then -amount
  else 0
end;
comment on function private.balance_change is
  'The change of an order''s balance by a report: positive for money that came in, negative for money that went back.';

-- Without a SET clause, so that Postgres inlines it into the calling query.
create function private.standing_refunds(target public.orders) returns setof public.payments
language sql stable
begin atomic
  select p.*
  from public.payments p
  where p.tenant_id = target.tenant_id and p.order_id = target.id and p.status = 'refunded'
    and not exists (
      select
      from public.payments undone
      where undone.tenant_id = p.tenant_id and undone.order_id = p.order_id
        and case undone.status
          when 'refund_failed' then undone.reference = p.reference
          when 'payment_reversed' then undone.created_at > p.created_at
        end
    );
end;
comment on function private.standing_refunds is
  'The refunds of an order that did not fail. Refunds before a reversed payment do not count, because the order is paid again after it.';

-- Also inlined.
create function private.refunded_items(target public.orders)
returns table (item_id uuid, amount numeric, kept_amount numeric, borne_amount numeric)
language sql stable
begin atomic
  select back.item_id, back.amount, kept.amount, least(back.borne, kept.amount)
  from (
    select
      (line.value ->> 'item_id')::uuid as item_id, sum((line.value ->> 'amount')::numeric) as amount,
      coalesce(sum((line.value ->> 'amount')::numeric) filter (where r.borne_by = 'supplier'), 0) as borne
    from private.standing_refunds(target) r
    cross join jsonb_array_elements(r.items) as line (value)
    group by 1
  ) as back
  join public.order_items i on i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = back.item_id
  cross join lateral (
    select greatest(
      0, back.amount - (private.price_of(i, i.quantity - i.unpaid_quantity) - private.price_of(i, i.sold_quantity))
    ) as amount
  ) as kept;
end;
comment on function private.refunded_items is
  'What was refunded for each item of an order. It is set off against the pieces that were paid and are gone; kept_amount is the rest, which lowers the price of the pieces that the customer keeps. borne_amount: what the supplier bears of that.';

create function private.refunded_deliveries(target public.orders)
returns table (supplier_id uuid, is_owed boolean, paid_amount numeric, amount numeric, kept_amount numeric)
language sql stable
begin atomic
  select
    p.supplier_id, p.delivery_owed, paid.amount, back.amount,
    greatest(0, back.amount - case when p.delivery_owed then 0 else paid.amount end)
  from public.order_parts p
  cross join lateral (
    select case
      when p.delivery_owed or exists (
        select
        from public.order_items i
        where i.tenant_id = p.tenant_id and i.order_id = p.order_id and i.unpaid_quantity < i.quantity
          and (p.delivers_all or i.supplier_id is not distinct from p.supplier_id)
      ) then private.delivery_price_of(p)
      else 0
    end as amount
  ) as paid
  cross join lateral (
    select coalesce(sum((share.value ->> 'amount')::numeric), 0) as amount
    from private.standing_refunds(target) r
    cross join jsonb_array_elements(r.delivery_shares) as share (value)
    where (share.value ->> 'supplier_id')::uuid is not distinct from p.supplier_id
  ) as back
  where p.tenant_id = target.tenant_id and p.order_id = target.id and p.delivery_amount > 0;
end;
comment on function private.refunded_deliveries is
  'What was paid and refunded for the delivery of each part of an order. kept_amount: what was refunded of a delivery that is still owed.';

create function private.kept_refunds(target public.orders) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select coalesce(sum(i.kept_amount), 0) from private.refunded_items(target) i)
    + (select coalesce(sum(d.kept_amount), 0) from private.refunded_deliveries(target) d);
end
$$;
comment on function private.kept_refunds is
  'The refunds of an order that lower the price of items and deliveries which the customer keeps.';

create function private.payment_deadline(business jsonb) returns timestamptz
language sql stable
return now() + make_interval(mins => coalesce((business ->> 'payment_deadline_minutes')::integer, 1440));
comment on function private.payment_deadline is
  'The payment deadline of an order that starts to wait for its payment now. business: the marketplace''s settings.business.';

-- A set without a SET clause, so that Postgres inlines it into queries. As a scalar function, called for each order, it took
-- two thirds of the time of a list of orders.
create function private.refund_due(target public.orders) returns table (amount numeric)
language sql stable
begin atomic
  select
    case
      when private.was_paid(target.payment_status) then
        greatest(
          0,
          -- At most what is left of the payments. Goodwill refunds do not reduce it.
          least(
            sums.remaining,
            sums.remaining + (select coalesce(sum(r.amount - r.named_amount), 0) from private.standing_refunds(target) r)
              + case when sums.are_named then private.kept_refunds(target) else 0 end
              - private.owed_amount(target)
          )
        )
      else 0
    end
  from (
    select coalesce(sum(private.balance_change(p.status, p.amount)), 0) as remaining, bool_or(p.named_amount > 0) as are_named
    from public.payments p
    where p.tenant_id = target.tenant_id and p.order_id = target.id
  ) as sums;
end;
comment on function private.refund_due is
  'The amount to give back for an order: what was paid, minus its current price, minus refunds for items and deliveries that are gone. A refund for an item or a delivery is set off against that one only. Failed refunds and reversed payments do not count. 0 for callers who do not see its payments.';

create function private.refund_due_for(target public.orders, due numeric) returns jsonb
language sql stable security definer set search_path = ''
as $$
  with gone as (
    select
      i.id as item_id, null::uuid as supplier_id, i.position as position, true as is_item,
      private.price_of(i, i.quantity - i.unpaid_quantity) - private.price_of(i, i.sold_quantity) - coalesce(r.amount, 0)
        as amount
    from public.order_items i
    left join private.refunded_items(target) as r on r.item_id = i.id
    where i.tenant_id = target.tenant_id and i.order_id = target.id
    union all
    select null, d.supplier_id, null, false, d.paid_amount - d.amount
    from private.refunded_deliveries(target) as d
    where not d.is_owed
  ),
  summed as (
    select g.*, sum(g.amount) over (order by not g.is_item, g.position, g.supplier_id) - g.amount as before
    from gone g
    where g.amount > 0
  ),
  left_over as (
    -- Goodwill refunds leave less of the payment than is due.
    select s.*, least(s.amount, due - s.before) as due_amount from summed s where s.before < due
  )
  select jsonb_build_object(
    'items', coalesce(
      jsonb_agg(jsonb_build_object('item_id', l.item_id, 'amount', l.due_amount) order by l.position) filter (where l.is_item), '[]'
    ),
    'deliveries', coalesce(
      jsonb_agg(jsonb_build_object('supplier_id', l.supplier_id, 'amount', l.due_amount) order by l.supplier_id)
        filter (where not l.is_item),
      '[]'
    )
  )
  from left_over l
$$;
comment on function private.refund_due_for is
  'What the refund_due of an order is for: amounts of items, and of the deliveries of parts. Together at most that amount; if less is left of the payment than is due, the first items come first.';

create function private.refused_refund_line(target public.orders, refund public.payments, exponent integer) returns jsonb
language sql stable security definer set search_path = ''
as $$
  with line as (
    select
      sent.position - 1 as position, i.id, i.supplier_id, (sent.value ->> 'amount')::numeric as amount, sent.value,
      count(*) over (partition by (sent.value ->> 'item_id')::uuid) > 1 as is_repeated,
      least(
        private.price_of(i, i.quantity - i.unpaid_quantity) - coalesce(earlier.amount, 0),
        -- A supplier earns nothing for returned pieces, so it can bear refunds only of pieces that the customer keeps.
        case refund.borne_by when 'supplier' then private.price_of(i, i.sold_quantity) - coalesce(earlier.borne_amount, 0) end
      ) as most
    from jsonb_array_elements(refund.items) with ordinality as sent (value, position)
    left join public.order_items i
      on i.tenant_id = target.tenant_id and i.order_id = target.id and i.id = (sent.value ->> 'item_id')::uuid
    left join private.refunded_items(target) as earlier on earlier.item_id = i.id
  ),
  judged as (
    select
      l.*,
      case
        when l.id is null then 'The order has no such item.'
        when l.is_repeated then 'Name each item once.'
        when refund.borne_by = 'supplier' and l.supplier_id is null then 'This item has no supplier who could bear the refund.'
        when coalesce(l.amount, 0) <= 0 or scale(trim_scale(l.amount)) > exponent
          then format('amount must be above 0, with at most %s decimals.', exponent)
        when l.amount > l.most then format('At most %s of this item can be refunded.', greatest(l.most, 0))
      end as fault
    from line l
  )
  select jsonb_build_object(
    'code', case when j.id is null then 'NOT_FOUND' else 'VALIDATION_ERROR' end,
    'message', j.fault,
    'field', format('items[%s].%s', j.position, case when j.id is null or j.is_repeated then 'item_id' else 'amount' end),
    'value', j.value -> case when j.id is null or j.is_repeated then 'item_id' else 'amount' end
  )
  from judged j
  where j.fault is not null
  order by j.position
  limit 1
$$;
comment on function private.refused_refund_line is
  'The refusal of the first wrong item of a refund, with code, message, field and value; null if none is wrong.';

create function private.bound_reports(target public.orders, more integer, message text, field text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- The record of an order lists all reports. A report takes at most 855 bytes without its items.
  perform private.bound_record(
    bound_reports.more + (
      select coalesce(sum(855 + coalesce(octet_length(p.items::text), 0)), 0)
      from public.payments p
      where p.tenant_id = target.tenant_id and p.order_id = target.id
    ),
    0.164, bound_reports.message, bound_reports.field
  );
end
$$;
comment on function private.bound_reports is
  'Refuses with LIMIT_REACHED if the reports on an order''s payment, with this many bytes more, exceed what its record may hold.';

create function private.check_refund(target public.orders, refund public.payments, exponent integer) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
declare
  problem jsonb;
  named numeric;
  delivery_left numeric;
begin
  if refund.borne_by = 'supplier' and target.imported_at is not null then
    perform private.refuse(
      'VALIDATION_ERROR', 'Suppliers cannot bear refunds of imported orders, which were settled elsewhere.',
      'borne_by', '"supplier"'
    );
  end if;
  if refund.items is not null then
    perform private.insist(
      case when jsonb_typeof(refund.items) = 'array' then jsonb_array_length(refund.items) between 1 and 500 end,
      'items', 'a list of 1 to 500', null
    );
    perform private.known_only(sent.value, '{item_id,amount}', format('items[%s].', sent.position - 1))
    from jsonb_array_elements(refund.items) with ordinality as sent (value, position);
    problem := private.refused_refund_line(target, refund, exponent);
    if problem is not null then
      perform private.refuse(problem ->> 'code', problem ->> 'message', problem ->> 'field', problem -> 'value');
    end if;
    perform private.bound_reports(
      target, 855 + octet_length(refund.items::text),
      'The record of this order cannot hold more items of refunds. Leave items out.', 'items'
    );
  end if;

  select coalesce(sum(d.paid_amount - d.amount), 0) into delivery_left from private.refunded_deliveries(target) d;
  if scale(trim_scale(refund.delivery_amount)) > exponent then
    perform private.refuse(
      'VALIDATION_ERROR', format('delivery_amount must have at most %s decimals.', exponent), 'delivery_amount',
      to_jsonb(refund.delivery_amount)
    );
  elsif refund.delivery_amount > delivery_left then
    perform private.refuse(
      'VALIDATION_ERROR', format('At most %s of the delivery can be refunded.', delivery_left), 'delivery_amount',
      to_jsonb(refund.delivery_amount)
    );
  elsif refund.borne_by = 'supplier' and refund.delivery_amount > 0 then
    perform private.refuse(
      'VALIDATION_ERROR', 'A supplier can bear refunds of its items only. The operator bears refunds of delivery.',
      'delivery_amount', to_jsonb(refund.delivery_amount)
    );
  end if;

  named := coalesce(
    (select sum((given.value ->> 'amount')::numeric) from jsonb_array_elements(refund.items) as given (value)), 0
  ) + coalesce(refund.delivery_amount, 0);
  if named > refund.amount or refund.borne_by = 'supplier' and named < refund.amount then
    perform private.refuse(
      'VALIDATION_ERROR', format('The items and the delivery_amount of this refund add up to %s. Correct them, or amount.', named),
      'amount',
      to_jsonb(refund.amount)
    );
  end if;
  return named;
end
$$;
comment on function private.check_refund is
  'The sum of the items and the delivery that a refund names. Refuses wrong ones: NOT_FOUND, VALIDATION_ERROR, LIMIT_REACHED.';

create function private.delivery_shares(target public.orders, refund public.payments) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_agg(jsonb_build_object('supplier_id', share.supplier_id, 'amount', share.amount) order by share.place)
  from (
    select
      d.supplier_id, d.place,
      least(d.rest, coalesce(refund.delivery_amount, 0) - (sum(d.rest) over (order by d.place) - d.rest)) as amount
    from (
      select
        d.supplier_id, d.paid_amount - d.amount as rest,
        row_number() over (order by d.is_owed, item.is_named desc nulls last, item.position, d.supplier_id) as place
      from private.refunded_deliveries(target) d
      cross join lateral (
        select
          min(i.position) as position,
          bool_or(
            exists (
              select from jsonb_array_elements(refund.items) as named (value)
              where (named.value ->> 'item_id')::uuid = i.id
            )
          ) as is_named
        from public.order_items i
        where i.tenant_id = target.tenant_id and i.order_id = target.id
          and i.supplier_id is not distinct from d.supplier_id
      ) as item
    ) as d
  ) as share
  where share.amount > 0
$$;
comment on function private.delivery_shares is
  'The parts whose delivery a refund is for: first those whose delivery is no longer owed, then those of the items that it names, then the others in the order of their items.';

create function private.record_unpaid_pieces(target public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (
    select
    from public.order_items i
    where i.tenant_id = target.tenant_id and i.order_id = target.id and i.unpaid_quantity <> i.quantity - i.sold_quantity
  ) then
    update public.order_items i
    set unpaid_quantity = i.quantity - i.sold_quantity
    where i.tenant_id = target.tenant_id and i.order_id = target.id and i.unpaid_quantity <> i.quantity - i.sold_quantity;
  end if;
end
$$;
comment on function private.record_unpaid_pieces is
  'Writes into the items of an order that is being paid how many of their pieces the payment is not for.';

create function private.refundable_amount(target public.orders, refund public.payments) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
declare
  remaining numeric;
  reports integer;
begin
  select coalesce(sum(private.balance_change(p.status, p.amount)), 0), count(*)
  into remaining, reports
  from public.payments p
  where p.tenant_id = target.tenant_id and p.order_id = target.id and p.status <> 'failed';
  if refund.amount > remaining then
    perform private.refuse(
      'VALIDATION_ERROR', format('At most %s can be refunded.', remaining), 'amount', to_jsonb(refund.amount)
    );
  elsif refund.amount < remaining and reports >= 200 then
    -- The record of an order lists all reports: the payment and 199 reports after it.
    perform private.refuse(
      'VALIDATION_ERROR', format('This order has 200 reports on its payment. Refund all that is left: %s.', remaining),
      'amount', to_jsonb(refund.amount)
    );
  end if;
  return remaining;
end
$$;
comment on function private.refundable_amount is
  'The amount that can be given back for an order before this refund. Refuses with VALIDATION_ERROR a larger refund, and after 199 other reports also a smaller one.';

create function private.undone_report(target public.orders, undo public.payments) returns public.payments
language plpgsql stable security definer set search_path = ''
as $$
declare
  is_refund boolean := undo.status = 'refund_failed';
  undone public.payments;
begin
  select * into undone
  from public.payments p
  where p.tenant_id = target.tenant_id
    and p.order_id = target.id
    and p.status = case when is_refund then 'refunded' else 'paid' end::public.payment_report
    and p.reference = undo.reference;
  if not found then
    perform private.refuse(
      'NOT_FOUND',
      case when is_refund then 'No refund of this order has this reference.' else 'No payment of this order has this reference.' end,
      'reference', to_jsonb(undo.reference)
    );
  elsif exists (
    select
    from public.payments p
    where p.tenant_id = target.tenant_id and p.order_id = target.id and p.status = undo.status
      and p.reference = undo.reference
  ) then
    perform private.refuse(
      'INVALID_TRANSITION',
      case
        when is_refund then 'This refund was reported as failed before.'
        else 'This payment was reported as reversed before.'
      end,
      'reference', to_jsonb(undo.reference)
    );
  end if;
  return undone;
end
$$;
comment on function private.undone_report is
  'The failed refund or the reversed payment with the reference of this report. Refuses with NOT_FOUND if there is none, with INVALID_TRANSITION if it was undone before.';

create function private.undone_amount(target public.orders, undo public.payments, undone public.payments) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
declare
  remaining numeric;
  amount numeric;
begin
  -- Leaves space for this report and the next one: another refund or another payment.
  perform private.bound_reports(
    target, 2 * 855, 'The record of this order cannot hold more reports on its payment.', 'reference'
  );
  select sum(private.balance_change(p.status, p.amount)) into remaining
  from public.payments p
  where p.tenant_id = target.tenant_id and p.order_id = target.id;
  -- Refunds may have given a part of a payment back before it was reversed.
  amount := case undo.status when 'refund_failed' then undone.amount else least(undone.amount, remaining) end;
  if undo.amount <> amount then
    perform private.refuse(
      'VALIDATION_ERROR', format('amount must be %s, or left out.', amount), 'amount', to_jsonb(undo.amount)
    );
  end if;
  return amount;
end
$$;
comment on function private.undone_amount is
  'The amount that a report of refund_failed or payment_reversed undoes. Refuses: VALIDATION_ERROR for another amount, LIMIT_REACHED.';

create function private.insist_on_report(target public.orders, report public.payments) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not exists (
    select 1
    from private.status_moves m
    where m.subject = 'payments'
      and m.from_status = target.payment_status::text
      and m.to_status = report.status::text
  ) then
    perform private.refuse(
      'INVALID_TRANSITION', format('The payment_status of the order is %s, which does not allow this report.', target.payment_status),
      'status', to_jsonb(report.status)
    );
  elsif target.status = 'cancelled' and report.status = 'paid' then
    perform private.refuse(
      'INVALID_TRANSITION', 'The order is cancelled and cannot be paid.', 'status', to_jsonb(report.status)
    );
  end if;
end
$$;
comment on function private.insist_on_report is
  'Refuses with INVALID_TRANSITION a report that does not fit the order''s payment_status, and the payment of a cancelled order.';

create function private.stored_refund_items(items jsonb, exponent smallint) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_agg(
    jsonb_build_object(
      'item_id', (line.value ->> 'item_id')::uuid, 'amount', round((line.value ->> 'amount')::numeric, exponent)
    )
    order by line.position
  )
  from jsonb_array_elements(items) with ordinality as line (value, position)
$$;
comment on function private.stored_refund_items is
  'The items of a refund as they are stored: ids in lower case and amounts as numbers, as in the other records.';

create function private.settle_payment() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  target public.orders;
  exponent smallint;
  undone public.payments;
  remaining numeric;
begin
  select * into target
  from public.orders o
  where o.tenant_id = new.tenant_id and o.id = new.order_id
  for update;
  if not found then
    -- The foreign key refuses the row.
    return new;
  end if;
  new.currency := target.currency;
  if new.created_at <= target.imported_at then
    -- A past payment of an imported order: the order's payment_status includes it already.
    return new;
  end if;
  select c.exponent into exponent from private.currencies c where c.code = target.currency;

  if new.status in ('refund_failed', 'payment_reversed') then
    undone := private.undone_report(target, new);
  end if;
  perform private.insist_on_report(target, new);

  if new.status = 'refunded' then
    remaining := private.refundable_amount(target, new);
  elsif new.status = 'paid' and new.amount <> private.owed_amount(target) then
    perform private.refuse(
      'VALIDATION_ERROR', format('amount must be %s, the price of the order.', private.owed_amount(target)),
      'amount', to_jsonb(new.amount)
    );
  end if;
  if new.status = 'refunded' then
    new.borne_by := coalesce(new.borne_by, 'operator');
    new.named_amount := private.check_refund(target, new, exponent);
    new.items := private.stored_refund_items(new.items, exponent);
    new.delivery_shares := private.delivery_shares(target, new);
  elsif new.status = 'paid' then
    perform private.record_unpaid_pieces(target);
  elsif undone.id is not null then
    new.amount := private.undone_amount(target, new, undone);
  end if;
  if scale(trim_scale(new.amount)) > exponent then
    perform private.refuse(
      'VALIDATION_ERROR', format('amount has more decimals than %s allows.', target.currency), 'amount', to_jsonb(new.amount)
    );
  end if;
  new.amount := round(new.amount, exponent);

  -- An order that is refunded in parts stays paid until the last part. After a reversal it waits for another payment.
  update public.orders o
  set payment_status = case
        when new.status = 'refunded' and new.amount < remaining then o.payment_status
        when new.status = 'refund_failed' then 'paid'
        when new.status = 'payment_reversed' then 'failed'
        else new.status::text::public.payment_status
      end,
      payment_due_at = case
        when new.status = 'payment_reversed' and o.imported_at is null
          then private.payment_deadline(private.business_of(o.marketplace_id))
        else o.payment_due_at
      end,
      payment_reversed_at = case new.status
        when 'payment_reversed' then now()
        when 'paid' then null
        else o.payment_reversed_at
      end
  where o.id = target.id;
  return new;
end
$$;
comment on function private.settle_payment() is
  'Row trigger: accepts a report only if the order''s payment_status allows it and its amount is right, and moves the payment_status. Past payments of imported orders are stored as they are. Refuses: INVALID_TRANSITION, NOT_FOUND, VALIDATION_ERROR, LIMIT_REACHED.';

create function private.owe_nothing() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.payment_due_at := null;
  return new;
end
$$;
comment on function private.owe_nothing() is
  'Row trigger: removes the payment deadline of an order that is paid, cancelled or returned.';

create function private.report_payment(
  order_id uuid, status public.payment_report, reference text, amount numeric, items jsonb, delivery_amount numeric,
  borne_by public.refund_bearer
) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  target public.orders;
  earlier public.payments;
  reported uuid;
begin
  perform private.require_permission('payments.write', 'Your role may not report payments.');
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = report_payment.order_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  elsif report_payment.amount is null and report_payment.status in ('paid', 'failed', 'refunded') then
    perform private.refuse(
      'VALIDATION_ERROR', format('amount is required for a report of %s.', status), 'amount', 'null'
    );
  end if;

  select * into earlier
  from public.payments p
  where p.tenant_id = target.tenant_id
    and p.order_id = target.id
    and p.status = report_payment.status
    and p.reference = report_payment.reference
    -- Reports that undo another one are refused when they are repeated.
    and p.status not in ('refund_failed', 'payment_reversed');
  if not found then
    insert into public.payments (
      tenant_id, order_id, status, amount, currency, reference, items, delivery_amount, borne_by, actor_id
    )
    values (
      target.tenant_id, target.id, report_payment.status, report_payment.amount, target.currency,
      report_payment.reference, report_payment.items, report_payment.delivery_amount, report_payment.borne_by, auth.uid()
    )
    returning id into reported;
    return reported;
  elsif earlier.amount <> report_payment.amount then
    perform private.refuse(
      'CONFLICT', format('%s was reported with another amount.', earlier.reference),
      'reference', to_jsonb(earlier.reference)
    );
  end if;
  return earlier.id;
end
$$;
comment on function private.report_payment is
  'Stores a report on an order''s payment, or refuses: FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR, CONFLICT. A repeated report changes nothing.';

create function public.report_payment(
  order_id uuid, status public.payment_report, reference text, amount numeric default null, items jsonb default null,
  delivery_amount numeric default null, borne_by public.refund_bearer default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  reported uuid :=
    private.report_payment(order_id, status, reference, amount, items, delivery_amount, borne_by);
begin
  return (
    select to_jsonb(p) - '{named_amount,delivery_shares}'::text[] || jsonb_build_object('payment_status', o.payment_status)
    from public.payments p
    join public.orders o on o.id = p.order_id
    where p.id = reported
  );
end
$$;
comment on function public.report_payment is
  'For clients and admins: reports paid, failed, refunded, refund_failed or payment_reversed, and returns the payment with the order''s payment_status. refund_failed and payment_reversed undo the refund or payment with this reference, once, and need no amount. A refund may name items (a list of item_id and amount), delivery_amount, and borne_by (operator by default, or supplier). Any other report with the same status and reference again returns the existing one.';

create function private.cancel_unpaid(target public.orders) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  reason text := 'not paid in time';
  waiting private.piece[];
begin
  if target.status = 'pending' and cardinality(private.ended_slots(target)) = 0 then
    perform private.move_order(target, 'cancelled', reason);
    return;
  end if;
  -- A slot is over, or the order is processing because of a shipment, or was accepted by hand. What was delivered or
  -- shipped is still owed.
  waiting := array(
    select p
    from private.cancellable_pieces(target) as p
    join public.order_parts part
      on part.tenant_id = target.tenant_id and part.order_id = target.id
      and part.supplier_id is not distinct from p.supplier_id
    where p.quantity > 0 and not part.accepted
  );
  if cardinality(waiting) > 0 then
    perform private.cancel_pieces(target, waiting, reason);
    perform private.follow_pieces(target, reason);
  end if;
  update public.orders o set payment_due_at = null where o.id = target.id;
end
$$;
comment on function private.cancel_unpaid is
  'Cancels the pieces of an unpaid order that are not shipped, unless the order was accepted by hand. The caller has locked its row and stock.';

create function private.cancel_unpaid_orders(batch integer) returns integer
language plpgsql security definer set search_path = ''
as $$
declare
  due uuid[];
  target public.orders;
  cancelled integer := 0;
begin
  -- Skips orders that another transaction is paying or moving.
  select array_agg(o.id) into due
  from (
    select o.id
    from public.orders o
    where o.status in ('pending', 'processing')
      and o.payment_status in ('pending', 'failed')
      and o.payment_due_at <= now()
    order by o.payment_due_at
    limit cancel_unpaid_orders.batch
    for update skip locked
  ) as o;
  if due is null then
    return 0;
  end if;

  -- Locks the stock of all these orders and then their products, each in the order of ids. Locking order by order could
  -- deadlock with customers who buy.
  perform 1
  from public.inventory i
  where i.id in (
    select s.id
    from public.order_items oi
    join public.inventory s on s.product_id = oi.product_id and s.variant_id is not distinct from oi.variant_id
    where oi.order_id = any (due)
  )
  order by i.id
  for update;
  perform 1
  from public.products p
  where p.id in (select oi.product_id from public.order_items oi where oi.order_id = any (due))
  order by p.id
  for no key update;

  for target in select o.* from public.orders o where o.id = any (due) loop
    begin
      perform private.cancel_unpaid(target);
      -- Deferred triggers run here, so that a failure affects this order alone.
      set constraints all immediate;
      cancelled := cancelled + 1;
    exception
      when others then
        -- An order that cannot be cancelled is tried again in an hour, so that it does not block the others.
        raise warning 'order % is not paid and could not be cancelled: %', target.id, sqlerrm;
        update public.orders o set payment_due_at = now() + interval '1 hour' where o.id = target.id;
    end;
    set constraints all deferred;
  end loop;
  return cancelled;
end
$$;
comment on function private.cancel_unpaid_orders is
  'Cancels the unshipped pieces of unpaid orders whose payment_due_at is past, of at most this many orders, and releases the stock. An order that fails is tried again in an hour. Returns how many orders were cancelled.';

create function private.unpaid_orders_wait() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select 1
    from public.orders o
    where o.status in ('pending', 'processing')
      and o.payment_status in ('pending', 'failed')
      and o.payment_due_at <= now()
  );
end
$$;
comment on function private.unpaid_orders_wait is 'Whether there are unpaid orders whose payment_due_at is past.';

create function private.perform_later(operation text, arguments jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  address text;
  key text;
begin
  select s.decrypted_secret into address from vault.decrypted_secrets s where s.name = 'functions_url';
  select s.decrypted_secret into key from vault.decrypted_secrets s where s.name = 'secret_key';
  if address is null or key is null then
    raise warning '% waits for the clock: put functions_url and secret_key into the Vault', operation;
    return;
  end if;
  perform net.http_post(
    url := regexp_replace(address, '/functions/v1/?$', '/rest/v1/rpc/') || operation,
    body := arguments,
    headers := jsonb_build_object(
      'Content-Type', 'application/json', 'apikey', key, 'Authorization', 'Bearer ' || key
    )
  );
end
$$;
comment on function private.perform_later is
  'Has pg_net call a function of the API with the secret key after this transaction commits, in a transaction of its own.';

create function public.cancel_unpaid_orders(batch integer default 100, rounds integer default 0) returns integer
language plpgsql set search_path = ''
as $$
declare
  cancelled integer := private.cancel_unpaid_orders(batch);
begin
  -- Customers wait for the stock that this transaction locks, two seconds at most, so each transaction cancels few
  -- orders.
  if rounds > 0 and private.unpaid_orders_wait() then
    perform private.perform_later('cancel_unpaid_orders', jsonb_build_object('batch', batch, 'rounds', rounds - 1));
  end if;
  return cancelled;
end
$$;
comment on function public.cancel_unpaid_orders is
  'For a job: cancels the unshipped pieces of unpaid orders whose payment_due_at is past, of at most this many orders, and releases the stock. If more are due, up to this many rounds follow, each in its own transaction. Returns how many orders this call cancelled.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.payments for each row execute function private.keep_nfc();

create trigger orders_check_payment_status_move
  before update of payment_status on public.orders
  for each row execute function private.check_status_move('payment_status');

create trigger orders_owe_nothing
  before update of status, payment_status on public.orders
  for each row when (
    new.payment_due_at is not null
    and (new.payment_status in ('paid', 'refunded') or new.status in ('cancelled', 'returned'))
  )
  execute function private.owe_nothing();

create trigger payments_settle
  before insert on public.payments
  for each row execute function private.settle_payment();

-- policies -------------------------------------------------------------------------------------

alter table public.payments enable row level security;

create policy "Admins and clients see all payments, customers those of their orders" on public.payments
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('payments.read'))
      when 'own' then (select true from public.orders o where o.id = order_id)
      when 'all' then true
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.payments to authenticated;
revoke update, delete, truncate on public.payments from service_role;
grant select, insert on public.payments to service_role;
grant execute on function private.report_payment to authenticated;
grant execute on function
  private.refund_due, private.refund_due_for, private.owed_amount, private.kept_refunds, private.standing_refunds, private.balance_change
to authenticated, service_role;
grant execute on function public.report_payment to authenticated;
grant execute on function private.cancel_unpaid_orders, private.unpaid_orders_wait, private.perform_later to service_role;
grant execute on function public.cancel_unpaid_orders to service_role;
