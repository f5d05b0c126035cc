-- The ledger: what the operator owes each supplier is the sum of lines that are added and never changed. An order's
-- lines begin when it is paid; from then on whatever befalls its items adds a line. What of a line is not paid out yet is
-- kept beside it, in open_lines, so that a payout looks at nothing else.

create type public.ledger_kind as enum (
  'sold', 'cancelled', 'returned', 'lost', 'delivery', 'commission', 'promotion', 'refund', 'adjustment', 'payout'
);

-- tables ---------------------------------------------------------------------------------------

create table public.ledger_lines (
  id bigint generated always as identity,
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  supplier_id uuid not null,
  currency text not null references private.currencies (code),
  kind public.ledger_kind not null,
  amount numeric not null,
  order_id uuid,
  item_id uuid,
  payout_id uuid,
  quantity integer,
  reason text,
  actor_id uuid,
  created_at timestamptz not null default now(),
  constraint ledger_lines_pkey primary key (id),
  constraint ledger_lines_tenant_id_id_key unique (tenant_id, id),
  constraint ledger_lines_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint ledger_lines_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint ledger_lines_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint ledger_lines_amount_is_from_1e15_down_to_minus_1e15 check (amount between -999999999999999 and 999999999999999),
  constraint ledger_lines_amount_is_of_at_most_4_decimals check (scale(amount) <= 4),
  constraint ledger_lines_reason_is_1_to_500_characters check (char_length(reason) between 1 and 500)
);
comment on table public.ledger_lines is
  'What suppliers are owed (amount, negative where they owe it): items sold, cancelled, returned or lost since they were paid, delivery that is the supplier''s, commission, promotion, refunds that it bears, adjustments, and what was paid out. quantity: pieces of the item. Rows are added only.';

create table private.open_lines (
  line_id bigint not null,
  tenant_id uuid not null,
  supplier_id uuid not null,
  currency text not null,
  order_id uuid,
  amount numeric not null,
  constraint open_lines_pkey primary key (line_id),
  constraint open_lines_line_id_fkey foreign key (tenant_id, line_id)
    references public.ledger_lines (tenant_id, id) on delete cascade
);
comment on table private.open_lines is 'What of each line of the ledger is in no payout yet. A line of which nothing is left has no row.';

create table private.unbilled_charges (
  id bigint generated always as identity,
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  supplier_id uuid not null,
  currency text not null,
  amount numeric not null,
  constraint unbilled_charges_pkey primary key (id)
);
comment on table private.unbilled_charges is
  'What suppliers were charged for promotion and is in no line of the ledger yet: click by click it would be more lines than all orders have.';

-- indexes --------------------------------------------------------------------------------------

create index ledger_lines_supplier_idx on public.ledger_lines (tenant_id, supplier_id, id desc);
create index ledger_lines_order_idx on public.ledger_lines (tenant_id, order_id, item_id);
create index ledger_lines_currency_idx on public.ledger_lines (currency);
create index open_lines_supplier_idx on private.open_lines (tenant_id, supplier_id, currency, order_id);
create index unbilled_charges_supplier_idx on private.unbilled_charges (tenant_id, supplier_id);

-- functions ------------------------------------------------------------------------------------

create function private.open_new_lines() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.open_lines (line_id, tenant_id, supplier_id, currency, order_id, amount)
  select l.id, l.tenant_id, l.supplier_id, l.currency, l.order_id, l.amount
  from new_lines l
  where l.kind <> 'payout';
  return null;
end
$$;
comment on function private.open_new_lines() is 'Statement trigger: what is owed waits to be paid out.';

create function private.owe_order() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount, order_id, item_id, quantity)
  select new.tenant_id, line.supplier_id, new.currency, line.kind, line.amount, new.id, line.item_id, line.quantity
  from (
    select
      i.supplier_id, 'sold'::public.ledger_kind as kind, i.price * i.sold_quantity as amount, i.id as item_id,
      i.sold_quantity as quantity, i.position
    from public.order_items i
    where i.tenant_id = new.tenant_id and i.order_id = new.id
    union all
    select c.supplier_id, own.kind, own.amount, null, null, null
    from public.order_commissions c
    cross join lateral (
      values ('delivery'::public.ledger_kind, c.delivery_amount), ('commission', -c.commission_amount)
    ) as own (kind, amount)
    where c.tenant_id = new.tenant_id and c.order_id = new.id
  ) as line
  where line.supplier_id is not null and line.amount <> 0
  order by line.kind, line.position, line.supplier_id;
  return null;
end
$$;
comment on function private.owe_order() is 'Row trigger: of an order that is paid its suppliers are owed what they sold.';

create function private.owe_changed_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount, order_id, item_id, quantity)
  select i.tenant_id, i.supplier_id, o.currency, line.kind, line.quantity * i.price, i.order_id, i.id, line.quantity
  from new_items i
  join old_items was on was.id = i.id and was.sold_quantity <> i.sold_quantity
  join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
  cross join lateral (
    values
      ('cancelled'::public.ledger_kind, was.cancelled_quantity - i.cancelled_quantity),
      ('returned', was.returned_quantity - i.returned_quantity),
      ('lost', was.lost_quantity - i.lost_quantity)
  ) as line (kind, quantity)
  where i.supplier_id is not null and i.price > 0 and line.quantity <> 0
    and o.imported_at is null and private.was_paid(o.payment_status)
  order by i.order_id, i.position;
  return null;
end
$$;
comment on function private.owe_changed_items() is
  'Statement trigger: nothing is owed for what is cancelled, comes back or is lost after it was paid.';

create function private.owe_changed_commission() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount, order_id)
  select new.tenant_id, new.supplier_id, new.currency, line.kind, line.amount, new.order_id
  from public.orders o
  cross join lateral (
    values
      ('delivery'::public.ledger_kind, new.delivery_amount - old.delivery_amount),
      ('commission', old.commission_amount - new.commission_amount)
  ) as line (kind, amount)
  where o.tenant_id = new.tenant_id and o.id = new.order_id and private.was_paid(o.payment_status) and line.amount <> 0;
  return null;
end
$$;
comment on function private.owe_changed_commission() is
  'Row trigger: delivery and commission of what is paid move by the new total less the old one.';

create function private.owe_less_for_refund() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount, order_id, item_id, reason)
  select
    new.tenant_id, i.supplier_id, new.currency, 'refund', -(given.value ->> 'amount')::numeric, new.order_id, i.id,
    new.reference
  from jsonb_array_elements(new.items) with ordinality as given (value, position)
  join public.order_items i
    on i.tenant_id = new.tenant_id and i.order_id = new.order_id and i.id = (given.value ->> 'item_id')::uuid
  order by given.position;
  return null;
end
$$;
comment on function private.owe_less_for_refund() is 'Row trigger: a refund that suppliers bear is taken from what they are owed.';

create function private.bill_promotion(tenant_id uuid default null, supplier_id uuid default null, most integer default 20000)
returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  billed integer;
begin
  with taken as (
    delete from private.unbilled_charges u
    where u.id in (
      select w.id
      from private.unbilled_charges w
      where bill_promotion.supplier_id is null
        or w.tenant_id = bill_promotion.tenant_id and w.supplier_id = bill_promotion.supplier_id
      order by w.id
      limit most
      for update skip locked
    )
    returning u.tenant_id, u.supplier_id, u.currency, u.amount
  ),
  -- Charges may be finer than their currency: what is left over waits for more of it.
  summed as (
    select
      t.tenant_id, t.supplier_id, t.currency, sum(t.amount) as amount, trunc(sum(t.amount), c.exponent) as whole,
      count(*) as charges
    from taken t
    join private.currencies c on c.code = t.currency
    group by t.tenant_id, t.supplier_id, t.currency, c.exponent
  ),
  left_over as (
    insert into private.unbilled_charges (tenant_id, supplier_id, currency, amount)
    select s.tenant_id, s.supplier_id, s.currency, s.amount - s.whole
    from summed s
    where s.amount <> s.whole
  ),
  lines as (
    insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount)
    select s.tenant_id, s.supplier_id, s.currency, 'promotion', -s.whole
    from summed s
    where s.whole <> 0
    order by s.tenant_id, s.supplier_id, s.currency
  )
  select coalesce(sum(s.charges) filter (where s.whole <> 0), 0) into billed from summed s;
  return billed;
end
$$;
comment on function private.bill_promotion is
  'Writes what promotion was charged into the ledger, a line for each supplier and currency, of one supplier or of all. Answers how many charges that were, of at most so many.';

create view public.ledger_line_details with (security_invoker = true) as
select
  l.id, l.tenant_id, l.supplier_id, l.currency, l.kind, l.amount, l.order_id, o.number, l.item_id, l.quantity, l.payout_id,
  l.reason, l.actor_id, l.created_at
from public.ledger_lines l
left join public.orders o on o.tenant_id = l.tenant_id and o.id = l.order_id;
comment on view public.ledger_line_details is 'The lines of the ledger with the numbers of their orders.';

create function public.list_ledger(
  supplier_id uuid default null,
  order_id uuid default null,
  kind public.ledger_kind default null,
  currency text default null,
  "from" timestamptz default null,
  "to" timestamptz default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.page_with_totals(
    'lines', 'ledger_line_details', 'ledger_lines', array['amount'],
    array[
      'supplier_id = ' || quote_literal(supplier_id), 'order_id = ' || quote_literal(order_id),
      'kind = ' || quote_literal(kind), 'currency = ' || quote_literal(currency),
      'created_at >= ' || quote_literal("from"), 'created_at < ' || quote_literal("to")
    ],
    format('id %s', case "order" when 'asc' then 'asc' else 'desc' end), page, "limit"
  );
end
$$;
comment on function public.list_ledger is
  'A page of the ledger''s lines that the caller may see, newest first unless order is asc, with their sums in each currency: of all lines of a supplier, what it is owed.';

create function private.insist_on_supplier(supplier_id uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Your role may not change what suppliers are paid.');
  elsif not exists (
    select from public.suppliers s where s.tenant_id = private.tenant_id() and s.id = insist_on_supplier.supplier_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such supplier.', 'supplier_id', to_jsonb(insist_on_supplier.supplier_id));
  end if;
end
$$;
comment on function private.insist_on_supplier is 'Refuses all but admins, with FORBIDDEN, and a supplier that there is not, with NOT_FOUND.';

create function private.insist_on_part(order_id uuid, supplier_id uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if insist_on_part.order_id is not null and not exists (
    select
    from public.order_parts p
    where p.tenant_id = private.tenant_id()
      and p.order_id = insist_on_part.order_id and p.supplier_id = insist_on_part.supplier_id
  ) then
    perform private.refuse('NOT_FOUND', 'The supplier has no such order.', 'order_id', to_jsonb(insist_on_part.order_id));
  end if;
end
$$;
comment on function private.insist_on_part is 'Refuses with NOT_FOUND an order of which a supplier has no part.';

create function private.adjust(supplier_id uuid, amount numeric, currency text, reason text, order_id uuid)
returns bigint
language plpgsql security definer set search_path = ''
as $$
declare
  exponent smallint := (select c.exponent from private.currencies c where c.code = adjust.currency);
  entered bigint;
begin
  perform private.insist_on_supplier(adjust.supplier_id);
  perform private.insist_on_part(adjust.order_id, adjust.supplier_id);
  perform private.insist(exponent is not null, 'currency', 'an ISO 4217 code', to_jsonb(adjust.currency));
  perform private.insist(
    coalesce(adjust.amount <> 0 and scale(trim_scale(adjust.amount)) <= exponent, false), 'amount',
    format('an amount other than 0 with at most %s decimals', exponent), to_jsonb(adjust.amount)
  );
  perform private.insist(adjust.reason ~ '\S', 'reason', 'a text that is not blank', to_jsonb(adjust.reason));
  insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount, order_id, reason, actor_id)
  values (
    private.tenant_id(), adjust.supplier_id, adjust.currency, 'adjustment', round(adjust.amount, exponent),
    adjust.order_id, adjust.reason, auth.uid()
  )
  returning id into entered;
  return entered;
end
$$;
comment on function private.adjust is
  'Writes an adjustment into the ledger, or refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.create_adjustment(
  supplier_id uuid, amount numeric, currency text, reason text, order_id uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  entered bigint := private.adjust(supplier_id, amount, currency, reason, order_id);
begin
  return (select to_jsonb(d) from public.ledger_line_details d where d.id = entered);
end
$$;
comment on function public.create_adjustment is
  'For admins: owes a supplier more (amount above 0) or less, for a reason. Answers the line of the ledger.';

-- triggers -------------------------------------------------------------------------------------

create trigger ledger_lines_open
  after insert on public.ledger_lines
  referencing new table as new_lines
  for each statement execute function private.open_new_lines();

create trigger orders_owe
  after update of payment_status on public.orders
  for each row when (
    new.imported_at is null and private.was_paid(new.payment_status) and not private.was_paid(old.payment_status)
  )
  execute function private.owe_order();

create trigger payments_owe_less
  after insert on public.payments
  for each row when (new.status = 'refunded' and new.borne_by = 'supplier')
  execute function private.owe_less_for_refund();

-- By its name before that of commissions, whose line follows the item's.
create trigger order_items_add_to_ledger
  after update on public.order_items
  referencing old table as old_items new table as new_items
  for each statement execute function private.owe_changed_items();

create trigger order_commissions_owe_changes
  after update of commission_amount, delivery_amount on public.order_commissions
  for each row when (
    (old.commission_amount, old.delivery_amount) is distinct from (new.commission_amount, new.delivery_amount)
  )
  execute function private.owe_changed_commission();

-- policies -------------------------------------------------------------------------------------

alter table public.ledger_lines enable row level security;
alter table private.open_lines enable row level security;
alter table private.unbilled_charges enable row level security;

create policy "Admins and clients see the whole ledger, suppliers their own lines" on public.ledger_lines
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.ledger_lines, public.ledger_line_details to authenticated;
revoke insert, update, delete, truncate on public.ledger_lines from service_role;
grant select on public.ledger_lines, public.ledger_line_details to service_role;
grant execute on function private.adjust to authenticated;
grant execute on function public.list_ledger, public.create_adjustment to authenticated;

-- cron -----------------------------------------------------------------------------------------

select cron.schedule('bill-promotion', '*/10 * * * *', 'select private.bill_promotion()');
