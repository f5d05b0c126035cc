-- The ledger: what the operator owes its suppliers, by currency, as the sum of lines that never change. What an order owes is
-- written in the transaction that changes the order: all lines of a part of an order add up to its payout_amount.

-- types ----------------------------------------------------------------------------------------

create type public.ledger_kind as enum (
  'sale', 'cancellation', 'return', 'loss', 'delivery', 'commission', 'tax', 'discount', 'refund', 'promotion', 'adjustment',
  'payout', 'payout_reversal'
);
create type public.payout_status as enum ('pending', 'paid', 'failed', 'reversed');

-- tables ---------------------------------------------------------------------------------------

create table public.payouts (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  supplier_id uuid not null,
  currency text not null,
  amount numeric not null,
  lines integer not null,
  status public.payout_status not null default 'pending',
  until timestamptz not null,
  reference text,
  reason text,
  created_by uuid,
  created_at timestamptz not null default now(),
  paid_at timestamptz,
  failed_at timestamptz,
  reversed_at timestamptz,
  updated_at timestamptz not null default now(),
  constraint payouts_pkey primary key (tenant_id, id),
  constraint payouts_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint payouts_amount_is_positive check (amount > 0),
  constraint payouts_amount_is_of_at_most_4_decimals check (scale(amount) <= 4),
  constraint payouts_lines_is_positive check (lines > 0),
  constraint payouts_reference_is_1_to_200_characters
    check (char_length(reference) >= 1 and char_length(reference) <= 200 and private.is_more_than_spaces(reference)),
  constraint payouts_reason_is_1_to_2000_characters
    check (char_length(reason) >= 1 and char_length(reason) <= 2000 and private.is_more_than_spaces(reason)),
  constraint payouts_reference_is_set_once_it_is_paid check ((paid_at is null) = (reference is null)),
  constraint payouts_reason_is_set_when_it_failed_or_is_reversed
    check ((reason is null) = (failed_at is null and reversed_at is null))
);
comment on table public.payouts is
  'What the operator pays to a supplier at once, in one currency: the sum of the ledger''s lines that it closes. lines: their number. until: lines that were due then. reference: of the transfer. reason: why it failed or is reversed. created_by: the account or API key that made it.';

create table public.ledger_adjustments (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  supplier_id uuid not null,
  order_id uuid,
  amount numeric not null,
  currency text not null,
  reason text not null,
  created_by uuid,
  created_at timestamptz not null default now(),
  constraint ledger_adjustments_pkey primary key (tenant_id, id),
  constraint ledger_adjustments_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint ledger_adjustments_order_id_fkey foreign key (tenant_id, order_id, supplier_id)
    references public.order_commissions (tenant_id, order_id, supplier_id) on delete cascade,
  constraint ledger_adjustments_amount_is_not_0 check (amount <> 0),
  constraint ledger_adjustments_amount_is_below_1e12 check (abs(amount) < 1e12),
  constraint ledger_adjustments_amount_is_of_at_most_4_decimals check (scale(amount) <= 4),
  constraint ledger_adjustments_reason_is_1_to_2000_characters
    check (char_length(reason) >= 1 and char_length(reason) <= 2000 and private.is_more_than_spaces(reason))
);
comment on table public.ledger_adjustments is
  'What admins add to the amount that is owed to a supplier, or take off it (negative), and why. Each is a line of the ledger, due at once. Never changed.';

create table public.ledger_lines (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  supplier_id uuid not null,
  marketplace_id uuid,
  currency text not null,
  kind public.ledger_kind not null,
  amount numeric not null,
  quantity integer,
  order_id uuid,
  item_id uuid,
  campaign_id uuid,
  date date,
  adjustment_id uuid,
  payout_id uuid,
  due_at timestamptz,
  created_at timestamptz not null default now(),
  constraint ledger_lines_pkey primary key (tenant_id, id),
  constraint ledger_lines_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint ledger_lines_order_id_fkey foreign key (tenant_id, order_id, supplier_id)
    references public.order_commissions (tenant_id, order_id, supplier_id) on delete cascade,
  constraint ledger_lines_item_id_fkey foreign key (tenant_id, order_id, item_id)
    references public.order_items (tenant_id, order_id, id) on delete cascade,
  constraint ledger_lines_campaign_id_fkey foreign key (tenant_id, campaign_id)
    references public.campaigns (tenant_id, id) on delete cascade,
  constraint ledger_lines_adjustment_id_fkey foreign key (tenant_id, adjustment_id)
    references public.ledger_adjustments (tenant_id, id) on delete cascade,
  constraint ledger_lines_payout_id_fkey foreign key (tenant_id, payout_id) references public.payouts (tenant_id, id),
  constraint ledger_lines_amount_is_not_0 check (amount <> 0),
  constraint ledger_lines_amount_is_of_at_most_4_decimals check (scale(amount) <= 4),
  constraint ledger_lines_order_id_is_set_for_what_orders_owe check (
    order_id is not null
    or kind not in ('sale', 'cancellation', 'return', 'loss', 'delivery', 'commission', 'tax', 'discount', 'refund')
  ),
  constraint ledger_lines_due_at_is_set_without_an_order check (due_at is not null or order_id is not null),
  constraint ledger_lines_payout_id_is_set_for_payouts
    check (payout_id is not null or kind not in ('payout', 'payout_reversal'))
);
comment on table public.ledger_lines is
  'What the operator owes to suppliers: positive amounts are owed to the supplier, negative ones by it. quantity: pieces, negative for those that are gone. date: the day of a promotion''s charges. payout_id: the payout that closes the line, at most one at a time; null while the line is open. payout and payout_reversal lines are of that payout. due_at: when the line is due by itself; null if that follows from its part of the order. Only payout_id ever changes.';

create table private.freed_ledger_lines (
  tenant_id uuid not null,
  payout_id uuid not null,
  line_id uuid not null,
  constraint freed_ledger_lines_pkey primary key (tenant_id, payout_id, line_id),
  constraint freed_ledger_lines_payout_id_fkey foreign key (tenant_id, payout_id)
    references public.payouts (tenant_id, id) on delete cascade,
  constraint freed_ledger_lines_line_id_fkey foreign key (tenant_id, line_id)
    references public.ledger_lines (tenant_id, id) on delete cascade
);
comment on table private.freed_ledger_lines is
  'The lines that a payout had before it failed or was reversed, for its statement.';

-- indexes --------------------------------------------------------------------------------------

create index payouts_tenant_id_created_at_idx on public.payouts (tenant_id, created_at desc, id);
create index payouts_supplier_idx on public.payouts (tenant_id, supplier_id, created_at desc, id);
create index ledger_adjustments_supplier_idx on public.ledger_adjustments (tenant_id, supplier_id);
create index ledger_adjustments_order_idx on public.ledger_adjustments (tenant_id, order_id, supplier_id)
  where order_id is not null;
create index ledger_lines_tenant_id_created_at_idx on public.ledger_lines (tenant_id, created_at desc, id);
create index ledger_lines_supplier_idx on public.ledger_lines (tenant_id, supplier_id, created_at desc, id);
create index ledger_lines_open_idx on public.ledger_lines (tenant_id, supplier_id) where payout_id is null;
create index ledger_lines_order_idx on public.ledger_lines (tenant_id, order_id, supplier_id) where order_id is not null;
create index ledger_lines_item_idx on public.ledger_lines (tenant_id, order_id, item_id) where item_id is not null;
create index ledger_lines_payout_idx on public.ledger_lines (tenant_id, payout_id, created_at, id) where payout_id is not null;
create index ledger_lines_campaign_idx on public.ledger_lines (tenant_id, campaign_id) where campaign_id is not null;
create unique index adjustment_id_is_unique_in_ledger_lines on public.ledger_lines (tenant_id, adjustment_id)
  where adjustment_id is not null;
create index ledger_lines_due_at_idx on public.ledger_lines (tenant_id, due_at) where due_at is not null;
create index freed_ledger_lines_line_idx on private.freed_ledger_lines (tenant_id, line_id);

-- functions: orders ----------------------------------------------------------------------------

-- Without a SET clause, so that Postgres inlines it into queries.
create function private.sale_of(item public.order_items, pieces integer) returns numeric
language sql immutable
return private.earned_of(item, pieces)
  + case (item).discount_borne_by when 'supplier' then private.discount_of(item, pieces) else 0 end;
comment on function private.sale_of is
  'What the supplier of some pieces of an item earns, before the discount that it bears.';

-- Also inlined.
create function private.borne_discount_of(item public.order_items, pieces integer) returns numeric
language sql immutable
return case (item).discount_borne_by when 'supplier' then private.discount_of(item, pieces) else 0 end;
comment on function private.borne_discount_of is 'What the supplier of some pieces of an item bears of its discount.';

-- Also inlined.
create function private.withheld_tax_of(part public.order_commissions) returns numeric
language sql immutable
return case (part).tax_collected_by when 'operator' then (part).tax_amount else 0 end;
comment on function private.withheld_tax_of is
  'The tax that the operator keeps of a supplier''s part of an order, because it hands it over to the state.';

create function private.begin_ledger(part public.order_commissions) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.ledger_lines (
    tenant_id, supplier_id, marketplace_id, currency, kind, amount, quantity, order_id, item_id, created_at
  )
  select
    part.tenant_id, part.supplier_id, part.marketplace_id, part.currency, line.kind, line.amount, line.quantity, part.order_id,
    line.item_id, part.created_at
  from (
    select
      'sale'::public.ledger_kind as kind, private.sale_of(i, i.sold_quantity) as amount, i.sold_quantity as quantity,
      i.id as item_id
    from public.order_items i
    where i.tenant_id = part.tenant_id and i.order_id = part.order_id and i.supplier_id = part.supplier_id
    union all
    select 'discount', -private.borne_discount_of(i, i.sold_quantity), null::integer as quantity, i.id as item_id
    from public.order_items i
    where i.tenant_id = part.tenant_id and i.order_id = part.order_id and i.supplier_id = part.supplier_id
      and i.discount_borne_by = 'supplier'
    union all
    select c.kind, c.amount, null::integer as quantity, null::uuid as item_id
    from (
      values
        ('delivery'::public.ledger_kind, part.delivery_amount), ('commission', -part.commission_amount),
        ('tax', -private.withheld_tax_of(part)), ('refund', -part.refunded_amount)
    ) as c (kind, amount)
  ) as line
  where line.amount <> 0;
end
$$;
comment on function private.begin_ledger is
  'Writes the first lines of a supplier''s part of an order: of each item its sale and the discount that the supplier bears, and of the part its delivery, commission, tax and refunds.';

create function private.begin_ledgers() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.begin_ledger(c) from new_commissions c;
  return null;
end
$$;
comment on function private.begin_ledgers() is 'Statement trigger: writes the first lines of the parts of new orders.';

create function private.follow_sold_pieces() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.ledger_lines (
    tenant_id, supplier_id, marketplace_id, currency, kind, amount, quantity, order_id, item_id
  )
  select
    c.tenant_id, c.supplier_id, c.marketplace_id, c.currency, line.kind, line.amount, line.quantity, c.order_id, i.id
  from new_items i
  join old_items was on was.id = i.id
  -- Imported orders and the operator's own products have none.
  join public.order_commissions c
    on c.tenant_id = i.tenant_id and c.order_id = i.order_id and c.supplier_id = i.supplier_id
  -- One change after the other, so that the lines add up whatever happened at once.
  cross join lateral (
    select
      was.sold_quantity - i.cancelled_quantity + was.cancelled_quantity as uncancelled,
      i.sold_quantity - was.lost_quantity + i.lost_quantity as unlost
  ) as pieces
  cross join lateral (
    values
      (
        'cancellation'::public.ledger_kind, pieces.uncancelled - was.sold_quantity,
        private.sale_of(i, pieces.uncancelled) - private.sale_of(i, was.sold_quantity)
      ),
      (
        'return', pieces.unlost - pieces.uncancelled,
        private.sale_of(i, pieces.unlost) - private.sale_of(i, pieces.uncancelled)
      ),
      (
        'loss', i.sold_quantity - pieces.unlost,
        private.sale_of(i, i.sold_quantity) - private.sale_of(i, pieces.unlost)
      ),
      (
        'discount', null,
        private.borne_discount_of(i, was.sold_quantity) - private.borne_discount_of(i, i.sold_quantity)
      )
  ) as line (kind, quantity, amount)
  where i.sold_quantity <> was.sold_quantity and line.amount <> 0;
  return null;
end
$$;
comment on function private.follow_sold_pieces() is
  'Statement trigger: writes a line for the pieces of each item that were cancelled, came back or were lost, and one for the discount that the supplier no longer bears. An amount is the difference between the prices of the kept pieces.';

create function private.follow_parts() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.ledger_lines (
    tenant_id, supplier_id, marketplace_id, currency, kind, amount, order_id
  )
  select c.tenant_id, c.supplier_id, c.marketplace_id, c.currency, line.kind, line.amount, c.order_id
  from new_commissions c
  join old_commissions was
    on was.tenant_id = c.tenant_id and was.order_id = c.order_id and was.supplier_id = c.supplier_id
  cross join lateral (
    values
      ('delivery'::public.ledger_kind, c.delivery_amount - was.delivery_amount),
      ('commission', was.commission_amount - c.commission_amount),
      ('tax', private.withheld_tax_of(was) - private.withheld_tax_of(c)),
      ('refund', was.refunded_amount - c.refunded_amount)
  ) as line (kind, amount)
  where line.amount <> 0;
  return null;
end
$$;
comment on function private.follow_parts() is
  'Statement trigger: writes what changed in the delivery, commission, tax and refunds of a supplier''s part of an order.';

-- functions: promotion -------------------------------------------------------------------------

create function private.open_charges(campaign public.campaigns, charged numeric) returns numeric
language plpgsql stable security definer set search_path = ''
as $$
declare
  exponent constant integer := (select c.exponent from private.currencies c where c.code = campaign.currency);
begin
  if exponent >= 2 then
    return charged;
  end if;
  -- A fee is divided into cents, which the currency may not have. The lines of a campaign add up to its charges, rounded.
  return (
    select round(coalesce(sum(p.amount), 0), exponent)
    from public.placement_charges p
    where p.tenant_id = campaign.tenant_id and p.campaign_id = campaign.id
  ) + (
    select coalesce(sum(l.amount), 0)
    from public.ledger_lines l
    where l.tenant_id = campaign.tenant_id and l.campaign_id = campaign.id
  );
end
$$;
comment on function private.open_charges is
  'What the ledger does not have yet of a campaign''s charges, in whole units of its currency. charged: the sum of the charges that were written last.';

create function private.book_charges() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Where a campaign is rounded, its charges of several days wait for each other, so that each sees the others' lines.
  perform private.hold('payouts', 'campaign ' || due.id)
  from (
    select distinct c.id
    from new_charges n
    join public.campaigns c on c.id = n.campaign_id
    join private.currencies k on k.code = c.currency
    where k.exponent < 2 and c.supplier_id is not null
    order by c.id
  ) as due;
  -- A campaign is rounded once, on the last of its days.
  with charged as (
    select n.campaign_id, max(n.date) as date, sum(n.amount) as amount from new_charges n group by n.campaign_id
  )
  insert into public.ledger_lines (
    tenant_id, supplier_id, marketplace_id, currency, kind, amount, campaign_id, date, due_at
  )
  select c.tenant_id, c.supplier_id, c.marketplace_id, c.currency, 'promotion', -owed.amount, c.id, n.date, now()
  from charged n
  join public.campaigns c on c.id = n.campaign_id
  cross join lateral (select private.open_charges(c, n.amount) as amount) as owed
  where c.supplier_id is not null and owed.amount <> 0;
  return null;
end
$$;
comment on function private.book_charges() is
  'Statement trigger: writes the charges and refunds of suppliers'' campaigns into the ledger, due at once.';

-- functions: suppliers -------------------------------------------------------------------------

create function private.refuse_booked_supplier() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.is_tenant_kept(old.tenant_id) and exists (
    select from public.ledger_lines l where l.tenant_id = old.tenant_id and l.supplier_id = old.id
  ) then
    perform private.refuse('CONFLICT', 'The ledger has lines of this supplier. Suspend it instead.');
  end if;
  return old;
end
$$;
comment on function private.refuse_booked_supplier() is
  'Row trigger: refuses with CONFLICT to delete a supplier of which the ledger has lines, except with its tenant.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.payouts for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.ledger_adjustments
  for each row execute function private.keep_nfc();

create trigger suppliers_stay_while_booked
  before delete on public.suppliers
  for each row execute function private.refuse_booked_supplier();

create trigger order_commissions_begin_ledgers
  after insert on public.order_commissions
  referencing new table as new_commissions
  for each statement execute function private.begin_ledgers();

create trigger order_commissions_change_ledgers
  after update on public.order_commissions
  referencing old table as old_commissions new table as new_commissions
  for each statement execute function private.follow_parts();

create trigger order_items_change_ledgers
  after update on public.order_items
  referencing old table as old_items new table as new_items
  for each statement execute function private.follow_sold_pieces();

create trigger placement_charges_make_ledger_lines
  after insert on public.placement_charges
  referencing new table as new_charges
  for each statement execute function private.book_charges();

-- policies -------------------------------------------------------------------------------------

alter table public.payouts enable row level security;
alter table public.ledger_adjustments enable row level security;
alter table public.ledger_lines enable row level security;
alter table private.freed_ledger_lines enable row level security;

create policy "Admins and clients see all payouts, suppliers their own" on public.payouts
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('payouts.read'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins and clients see all adjustments, suppliers their own" on public.ledger_adjustments
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('ledger.read'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins and clients see the ledger, suppliers their own" on public.ledger_lines
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('ledger.read'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.payouts, public.ledger_adjustments, public.ledger_lines to authenticated;
revoke all on public.payouts, public.ledger_adjustments, public.ledger_lines from service_role;
grant select on public.payouts, public.ledger_adjustments, public.ledger_lines to service_role;
