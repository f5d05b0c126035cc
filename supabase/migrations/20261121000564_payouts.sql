-- Payouts: what is due of the ledger is closed into a payout, which is paid, or fails and frees its lines. Of an order
-- that is due which was paid and delivered payout_delay_days ago, and of which no return is asked for; what is cancelled,
-- back or lost, promotion, refunds and adjustments are due at once.

create type public.payout_status as enum ('pending', 'paid', 'failed');

-- tables ---------------------------------------------------------------------------------------

create table public.payouts (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  supplier_id uuid not null,
  status public.payout_status not null default 'pending',
  currency text not null references private.currencies (code),
  amount numeric not null,
  until timestamptz not null,
  reference text,
  note text,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now(),
  constraint payouts_tenant_id_id_key unique (tenant_id, id),
  constraint payouts_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint payouts_amount_is_positive check (amount > 0),
  constraint payouts_reference_is_there_once_paid check (status <> 'paid' or reference is not null),
  constraint payouts_reference_is_1_to_200_characters check (char_length(reference) between 1 and 200),
  constraint payouts_note_is_1_to_2000_characters check (char_length(note) between 1 and 2000)
);
comment on table public.payouts is
  'What a supplier is paid at once, in one currency. until: what was due by then is in it. reference: how whoever moved the money calls it.';

create table public.payout_lines (
  tenant_id uuid not null,
  payout_id uuid not null,
  line_id bigint not null,
  amount numeric not null,
  constraint payout_lines_pkey primary key (payout_id, line_id),
  constraint payout_lines_payout_id_fkey foreign key (tenant_id, payout_id)
    references public.payouts (tenant_id, id) on delete cascade,
  constraint payout_lines_line_id_fkey foreign key (tenant_id, line_id)
    references public.ledger_lines (tenant_id, id) on delete cascade
);
comment on table public.payout_lines is
  'How much of each line of the ledger a payout holds: of items of which some pieces were not due yet, a part.';

create table public.payout_holds (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  supplier_id uuid not null,
  order_id uuid,
  reason text not null,
  actor_id uuid,
  created_at timestamptz not null default now(),
  constraint payout_holds_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint payout_holds_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint supplier_id_and_order_id_are_unique_in_payout_holds unique nulls not distinct (tenant_id, supplier_id, order_id),
  constraint payout_holds_reason_is_1_to_500_characters check (char_length(reason) between 1 and 500)
);
comment on table public.payout_holds is
  'What is not paid out as long as the row is there: what a supplier is owed of an order, or without an order all of it.';

alter table public.ledger_lines
  add constraint ledger_lines_payout_id_fkey foreign key (tenant_id, payout_id)
    references public.payouts (tenant_id, id) on delete cascade;

insert into private.status_moves (subject, from_status, to_status) values
  ('payouts', 'pending', 'paid'),
  ('payouts', 'pending', 'failed');

insert into private.caps (name, value, unit) values
  ('payout_lines', 20000, 'lines of a payout, and one order''s more; what is due beyond them is the next one''s'),
  ('open_lines', 50000, 'lines of the ledger, the oldest ones of a supplier, of which a payout takes what is due'),
  ('payout_holds_per_supplier', 1000, 'holds on what a supplier is paid');

-- indexes --------------------------------------------------------------------------------------

create index payouts_tenant_id_created_at_idx on public.payouts (tenant_id, created_at desc, id);
create index payouts_supplier_idx on public.payouts (tenant_id, supplier_id, created_at desc, id);
create index payouts_currency_idx on public.payouts (currency);
create index payout_lines_payout_idx on public.payout_lines (tenant_id, payout_id);
create index payout_lines_line_idx on public.payout_lines (tenant_id, line_id);
create index payout_holds_order_idx on public.payout_holds (tenant_id, order_id);
create index ledger_lines_payout_idx on public.ledger_lines (tenant_id, payout_id) where payout_id is not null;

-- functions: what is due -----------------------------------------------------------------------

create function private.payout_delay(marketplace_id uuid) returns interval
language sql stable security definer set search_path = ''
as $$
  select make_interval(days => coalesce((b.own ->> 'payout_delay_days')::integer, (b.own ->> 'return_days')::integer, 14))
  from private.business_of(payout_delay.marketplace_id) as b (own)
$$;
comment on function private.payout_delay is 'How long after a piece was paid and delivered its supplier''s money is due.';

create type private.settled_item as (
  order_id uuid, item_id uuid, price numeric, sold integer, arrived integer, settled integer, commission_percent numeric
);
comment on type private.settled_item is
  'How many pieces of an item are sold; how many of these are paid and arrived long enough ago (arrived); and how many of those nobody asks back (settled).';

create function private.settled_items(tenant_id uuid, supplier_id uuid, order_ids uuid[], until timestamptz)
returns setof private.settled_item
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with paid_order as materialized (
    select o.id, settled_until.at, paid.at <= settled_until.at as is_settled
    from unnest(order_ids) as wanted (id)
    join public.orders o on o.tenant_id = settled_items.tenant_id and o.id = wanted.id
    cross join lateral (
      select p.created_at as at
      from public.payments p
      where p.tenant_id = o.tenant_id and p.order_id = o.id and p.status = 'paid'
      limit 1
    ) as paid
    cross join lateral (select settled_items.until - private.payout_delay(o.marketplace_id) as at) as settled_until
  )
  select
    i.order_id, i.id, i.price, i.sold_quantity, old.quantity, greatest(0, old.quantity - asked.quantity)::integer,
    coalesce(r.commission_percent, line.commission_percent)
  from paid_order o
  -- Order by order (offset 0): by old statistics Postgres would look through all of them for each item.
  cross join lateral (
    select *
    from public.order_items own
    where own.tenant_id = settled_items.tenant_id and own.order_id = o.id
      and own.supplier_id = settled_items.supplier_id
    offset 0
  ) as i
  left join public.order_item_commissions r
    on r.tenant_id = i.tenant_id and r.order_id = i.order_id and r.item_id = i.id
  cross join lateral (
    select coalesce(sum(held.quantity), 0) as quantity
    from public.shipment_items held
    join public.shipments s on s.tenant_id = held.tenant_id and s.order_id = held.order_id and s.id = held.shipment_id
    where held.tenant_id = i.tenant_id and held.order_id = i.order_id and held.item_id = i.id
      and s.delivered_at > o.at
  ) as recent
  cross join lateral (
    -- Of pieces of one item nobody knows which came back: those that arrived long ago.
    select case when o.is_settled
      then greatest(0, i.delivered_quantity - i.returned_quantity - recent.quantity)::integer
      else 0
    end as quantity
  ) as old
  cross join lateral (
    select coalesce(sum(q.quantity), 0) as quantity
    from public.return_request_items q
    join public.return_requests t on t.tenant_id = q.tenant_id and t.order_id = q.order_id and t.id = q.request_id
    where q.tenant_id = i.tenant_id and q.order_id = i.order_id and q.item_id = i.id
      and t.status in ('requested', 'approved')
  ) as asked
  cross join lateral (
    select c.commission_percent
    from public.order_commissions c
    where c.tenant_id = i.tenant_id and c.order_id = i.order_id and c.supplier_id = i.supplier_id
    limit 1
  ) as line;
end
$$;
comment on function private.settled_items is 'How many pieces of a supplier''s items in orders are settled by a time.';

create type private.open_line as (
  line_id bigint, order_id uuid, item_id uuid, kind public.ledger_kind, amount numeric, is_first boolean
);
comment on type private.open_line is
  'What of a line of the ledger is in no payout; is_first: it is the oldest of its kind of the order.';

create function private.open_lines_of(tenant_id uuid, supplier_id uuid, currency text) returns private.open_line[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select
      row(
        o.line_id, o.order_id, l.item_id, l.kind, o.amount,
        o.line_id = min(o.line_id) over (partition by o.order_id, l.kind)
      )::private.open_line
    from private.open_lines o
    join public.ledger_lines l on l.tenant_id = o.tenant_id and l.id = o.line_id
    where o.tenant_id = open_lines_of.tenant_id and o.supplier_id = open_lines_of.supplier_id
      and o.currency = open_lines_of.currency
      and not exists (
        select
        from public.payout_holds h
        where h.tenant_id = o.tenant_id and h.supplier_id = o.supplier_id and (h.order_id is null or h.order_id = o.order_id)
      )
    order by o.line_id
    limit private.cap('open_lines')
  )
$$;
comment on function private.open_lines_of is
  'What is owed to a supplier in a currency, in no payout and not held: the oldest lines, as many as the cap open_lines.';

create type private.due_line as (line_id bigint, order_id uuid, amount numeric);
comment on type private.due_line is 'How much of a line of the ledger is due.';

create function private.due_lines(tenant_id uuid, supplier_id uuid, currency text, until timestamptz)
returns setof private.due_line
-- Planned each time, from lists whose length is known: a plan for few lines takes seconds for thousands.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  exponent smallint := (select c.exponent from private.currencies c where c.code = due_lines.currency);
  open private.open_line[];
  items private.settled_item[];
begin
  open := private.open_lines_of(due_lines.tenant_id, due_lines.supplier_id, due_lines.currency);
  items := array(
    select i
    from private.settled_items(
      due_lines.tenant_id, due_lines.supplier_id,
      array(select distinct o.order_id from unnest(open) as o where o.order_id is not null), due_lines.until
    ) as i
  );
  return query
  with item as materialized (
    select
      i.order_id, i.item_id, i.price, i.sold, i.commission_percent,
      -- What was paid out of it stays so, whatever is asked back since.
      case when i.price > 0
        then greatest(i.settled, least(i.arrived, i.sold - coalesce(own.amount, 0) / i.price))
        else i.settled
      end as settled
    from unnest(items) as i
    left join (
      select o.item_id, sum(o.amount) as amount
      from unnest(open) as o
      where o.kind in ('sold', 'cancelled', 'returned', 'lost')
      group by o.item_id
    ) as own on own.item_id = i.item_id
  ),
  part as materialized (
    select
      c.order_id, i.is_settled,
      -- What is taken of the pieces that are settled is due; of the others it waits with them.
      c.commission_amount - round(
        (i.hundredfold + case when i.is_settled then c.delivery_amount * c.delivery_percent else 0 end) / 100, exponent
      ) as commission_kept
    from (
      select
        i.order_id, bool_and(i.settled = i.sold) as is_settled, sum(i.price * i.settled * i.commission_percent) as hundredfold
      from item i
      group by i.order_id
    ) as i
    join public.order_commissions c
      on c.tenant_id = due_lines.tenant_id and c.order_id = i.order_id and c.supplier_id = due_lines.supplier_id
  )
  select due.line_id, due.order_id, due.amount
  from (
    select
      o.line_id, o.order_id,
      case
        -- Who asks for an earlier time, or lengthens the delay, asks for nothing back.
        when o.kind = 'sold' then greatest(0, o.amount - item.price * (item.sold - item.settled))
        when o.kind = 'commission' and o.is_first then least(0, o.amount + part.commission_kept)
        when o.kind = 'delivery' and not part.is_settled then 0
        else o.amount
      end as amount
    from unnest(open) as o
    left join item on item.item_id = o.item_id
    left join part on part.order_id = o.order_id
  ) as due
  where due.amount <> 0;
end
$$;
comment on function private.due_lines is
  'How much of each open line of a supplier is due by a time, in a currency: all of it, but what belongs to pieces that are not settled yet, and what is held. The first open line of an order''s commission, and the line of an item that was sold, keep what is not.';

create function private.insist_on_own_supplier(supplier_id uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not exists (
    select
    from public.suppliers s
    where s.tenant_id = private.tenant_id() and s.id = insist_on_own_supplier.supplier_id
      and (private.reads_all() or s.id = private.supplier_id())
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such supplier.');
  end if;
end
$$;
comment on function private.insist_on_own_supplier is
  'Refuses with NOT_FOUND a supplier of whose money the caller may not know.';

create function private.supplier_balance(supplier_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
begin
  perform private.insist_on_own_supplier(supplier_balance.supplier_id);
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object('currency', o.currency, 'owed_amount', o.amount, 'due_amount', due.amount) order by o.currency
      ),
      '[]'
    )
    from (
      select l.currency, sum(l.amount) as amount
      from private.open_lines l
      where l.tenant_id = tenant and l.supplier_id = supplier_balance.supplier_id
      group by l.currency
    ) as o
    cross join lateral (
      select coalesce(sum(d.amount), 0) as amount
      from private.due_lines(tenant, supplier_balance.supplier_id, o.currency, now()) as d
    ) as due
  );
end
$$;
comment on function private.supplier_balance is 'What is owed to a supplier and in no payout, and how much of it is due. Refuses with NOT_FOUND.';

create function public.supplier_balance(supplier_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return jsonb_build_object('balances', private.supplier_balance(supplier_id));
end
$$;
comment on function public.supplier_balance is
  'For admins, clients and the supplier itself: in each currency what it is owed beside its payouts (owed_amount), and what a payout would hold now (due_amount; nothing is paid below 0).';

-- functions: payouts ---------------------------------------------------------------------------

create view public.payout_details with (security_invoker = true) as
select
  p.id, p.tenant_id, p.supplier_id, p.status, p.currency, p.amount, p.until, p.reference, p.note, p.actor_id, p.created_at,
  p.updated_at,
  (
    select coalesce(jsonb_object_agg(sums.kind, sums.amount order by sums.kind), '{}')
    from (
      select l.kind, sum(h.amount) as amount
      from public.payout_lines h
      join public.ledger_lines l on l.id = h.line_id
      where h.tenant_id = p.tenant_id and h.payout_id = p.id
      group by l.kind
    ) as sums
  ) as amounts
from public.payouts p;
comment on view public.payout_details is 'The payouts with what each kind of line adds to them.';

create view public.payout_line_details with (security_invoker = true) as
select
  h.payout_id, h.tenant_id, h.line_id, l.supplier_id, l.currency, l.kind, h.amount, l.amount as line_amount, l.order_id,
  o.number, l.item_id, l.quantity, l.reason, l.created_at
from public.payout_lines h
join public.ledger_lines l on l.id = h.line_id
left join public.orders o on o.tenant_id = l.tenant_id and o.id = l.order_id;
comment on view public.payout_line_details is
  'What a payout holds (amount) of each line of the ledger (line_amount), with the number of its order.';

create function private.payout_currency(tenant_id uuid, supplier_id uuid, currency text) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  owed text[] := array(
    select distinct o.currency
    from private.open_lines o
    where o.tenant_id = payout_currency.tenant_id and o.supplier_id = payout_currency.supplier_id
    order by o.currency
  );
begin
  if currency is null and cardinality(owed) > 1 then
    perform private.refuse(
      'VALIDATION_ERROR', format('Say in which currency: %s.', array_to_string(owed, ', ')), 'currency', 'null'
    );
  end if;
  return coalesce(currency, owed[1]);
end
$$;
comment on function private.payout_currency is
  'The currency of a payout: the one that is named, or the only one in which the supplier is owed anything. Refuses with VALIDATION_ERROR where there are several.';

create function private.create_payout(supplier_id uuid, currency text, until timestamptz) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  due_by timestamptz := coalesce(create_payout.until, now());
  paid_in text;
  due private.due_line[];
  total numeric;
  made uuid := gen_random_uuid();
begin
  perform private.insist_on_supplier(create_payout.supplier_id);
  perform private.insist(due_by <= now(), 'until', 'a time that has come', to_jsonb(create_payout.until));
  -- One payout of a supplier after the other: what is read after this stays open.
  perform private.hold('payouts', create_payout.supplier_id::text);
  if exists (
    select from public.payout_holds h
    where h.tenant_id = tenant and h.supplier_id = create_payout.supplier_id and h.order_id is null
  ) then
    perform private.refuse(
      'CONFLICT', 'What this supplier is paid is held. Release the hold first.', 'supplier_id',
      to_jsonb(create_payout.supplier_id)
    );
  end if;
  perform private.bill_promotion(tenant, create_payout.supplier_id);
  paid_in := private.payout_currency(tenant, create_payout.supplier_id, create_payout.currency);

  -- Whole orders, the oldest first, as many as a payout has room for.
  select array_agg(row(d.line_id, d.order_id, d.amount)::private.due_line), coalesce(sum(d.amount), 0)
  into due, total
  from (
    select o.*, count(*) over (order by o.oldest, o.order_id range between unbounded preceding and current row) as lines,
      count(*) over (partition by o.order_id) as own_lines
    from (
      select l.*, min(l.line_id) over (partition by l.order_id) as oldest
      from private.due_lines(tenant, create_payout.supplier_id, paid_in, due_by) as l
    ) as o
  ) as d
  where d.lines - d.own_lines < private.cap('payout_lines');
  if total <= 0 then
    perform private.refuse('VALIDATION_ERROR', 'Nothing is due to this supplier.', 'supplier_id', to_jsonb(create_payout.supplier_id));
  end if;

  insert into public.payouts (id, tenant_id, supplier_id, currency, amount, until, actor_id)
  values (made, tenant, create_payout.supplier_id, paid_in, total, due_by, auth.uid());
  insert into public.payout_lines (tenant_id, payout_id, line_id, amount)
  select tenant, made, d.line_id, d.amount from unnest(due) as d;
  delete from private.open_lines o
  using unnest(due) as d
  where o.line_id = d.line_id and o.amount = d.amount;
  update private.open_lines o
  set amount = o.amount - d.amount
  from unnest(due) as d
  where o.line_id = d.line_id;
  insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount, payout_id, actor_id)
  values (tenant, create_payout.supplier_id, paid_in, 'payout', -total, made, auth.uid());
  return made;
end
$$;
comment on function private.create_payout is
  'Closes what is due to a supplier into a payout, or refuses: FORBIDDEN, NOT_FOUND, CONFLICT, VALIDATION_ERROR.';

create function public.create_payout(supplier_id uuid, currency text default null, until timestamptz default null)
returns jsonb
language plpgsql set search_path = ''
as $$
declare
  made uuid := private.create_payout(supplier_id, currency, until);
begin
  return (select to_jsonb(d) from public.payout_details d where d.id = made);
end
$$;
comment on function public.create_payout is
  'For admins: closes what is due to a supplier, in one currency, into a payout that is pending, and answers it. until: what was due by then; now, if left out.';

create function private.update_payout(payout_id uuid, changes jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  target public.payouts;
begin
  perform private.known_only(changes, '{status,reference,note}');
  select * into target
  from public.payouts p
  where p.tenant_id = private.tenant_id() and p.id = update_payout.payout_id
    and (private.reads_all() or p.supplier_id = private.supplier_id());
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such payout.');
  end if;
  perform private.insist_on_supplier(target.supplier_id);
  perform private.hold('payouts', target.supplier_id::text);
  select * into target from public.payouts p where p.id = target.id for update;
  if changes ->> 'status' = 'paid' then
    perform private.insist(
      coalesce(changes ->> 'reference', target.reference) is not null, 'reference', 'said of a payout that is paid', 'null'
    );
  end if;
  update public.payouts p
  set status = coalesce((changes ->> 'status')::public.payout_status, p.status),
      reference = coalesce(changes ->> 'reference', p.reference),
      note = coalesce(changes ->> 'note', p.note)
  where p.id = target.id;

  if target.status = 'pending' and changes ->> 'status' = 'failed' then
    insert into private.open_lines as o (line_id, tenant_id, supplier_id, currency, order_id, amount)
    select l.id, l.tenant_id, l.supplier_id, l.currency, l.order_id, h.amount
    from public.payout_lines h
    join public.ledger_lines l on l.id = h.line_id
    where h.tenant_id = target.tenant_id and h.payout_id = target.id
    on conflict (line_id) do update set amount = o.amount + excluded.amount;
    insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount, payout_id, actor_id)
    values (target.tenant_id, target.supplier_id, target.currency, 'payout', target.amount, target.id, auth.uid());
  end if;
end
$$;
comment on function private.update_payout is
  'Says of a payout that it is paid, or has failed, which frees its lines; or changes its reference and note. Refuses: FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR.';

create function public.update_payout(payout_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.update_payout(payout_id, changes);
  return (select to_jsonb(d) from public.payout_details d where d.id = update_payout.payout_id);
end
$$;
comment on function public.update_payout is
  'For admins: moves a payout to paid, which has a reference, or to failed, which frees its lines; changes reference and note. Answers the payout.';

create function public.list_payouts(
  supplier_id uuid default null,
  status public.payout_status default null,
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
    'payouts', 'payout_details', 'payouts', array['amount'],
    array[
      'supplier_id = ' || quote_literal(supplier_id), 'status = ' || quote_literal(status),
      'currency = ' || quote_literal(currency),
      'created_at >= ' || quote_literal("from"), 'created_at < ' || quote_literal("to")
    ],
    format('created_at %s, id', case "order" when 'asc' then 'asc' else 'desc' end), page, "limit"
  );
end
$$;
comment on function public.list_payouts is
  'A page of the payouts that the caller may see, with their sums in each currency.';

create function public.list_payout_lines(payout_id uuid, page integer default 1, "limit" integer default 100) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
begin
  perform private.members_only();
  if not exists (select from public.payouts p where p.id = list_payout_lines.payout_id) then
    perform private.refuse('NOT_FOUND', 'There is no such payout.');
  end if;
  return jsonb_build_object(
    'lines', (
      select coalesce(jsonb_agg(to_jsonb(d) order by d.line_id), '[]')
      from (
        select *
        from public.payout_line_details l
        where l.tenant_id = (select private.tenant_id()) and l.payout_id = list_payout_lines.payout_id
        order by l.line_id
        limit size offset (greatest(page, 1)::bigint - 1) * size
      ) as d
    ),
    'total', (
      select count(*)
      from public.payout_lines l
      where l.tenant_id = (select private.tenant_id()) and l.payout_id = list_payout_lines.payout_id
    )
  );
end
$$;
comment on function public.list_payout_lines is 'A page of what a payout holds of the lines of the ledger, the oldest first.';

-- functions: holds -----------------------------------------------------------------------------

create function private.hold_payouts(supplier_id uuid, reason text, order_id uuid) returns uuid
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  made uuid;
begin
  perform private.insist_on_supplier(hold_payouts.supplier_id);
  perform private.insist_on_part(hold_payouts.order_id, hold_payouts.supplier_id);
  perform private.insist(hold_payouts.reason ~ '\S', 'reason', 'a text that is not blank', to_jsonb(hold_payouts.reason));
  perform private.hold('payouts', hold_payouts.supplier_id::text);
  if private.cap('payout_holds_per_supplier') <= (
    select count(*)
    from public.payout_holds h
    where h.tenant_id = private.tenant_id() and h.supplier_id = hold_payouts.supplier_id
  ) then
    perform private.refuse_beyond('payout_holds_per_supplier', 'These are more holds than a supplier can have. Release some, or hold all of it.');
  end if;
  insert into public.payout_holds (tenant_id, supplier_id, order_id, reason, actor_id)
  values (private.tenant_id(), hold_payouts.supplier_id, hold_payouts.order_id, hold_payouts.reason, auth.uid())
  returning id into made;
  return made;
end
$$;
comment on function private.hold_payouts is
  'Holds what a supplier is paid, or refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, CONFLICT, LIMIT_REACHED.';

create function public.hold_payouts(supplier_id uuid, reason text, order_id uuid default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  made uuid := private.hold_payouts(supplier_id, reason, order_id);
begin
  return (select to_jsonb(h) from public.payout_holds h where h.id = made);
end
$$;
comment on function public.hold_payouts is
  'For admins: holds what a supplier is paid for an order, or without one all of it, until the hold is released. Answers the hold.';

create function public.release_payouts(supplier_id uuid, hold_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  delete from public.payout_holds h
  where h.supplier_id = release_payouts.supplier_id and h.id = release_payouts.hold_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such hold.');
  end if;
end
$$;
comment on function public.release_payouts is 'For admins: what was held is paid out again. Refuses with NOT_FOUND.';

create function public.list_payout_holds(supplier_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  perform private.insist_on_own_supplier(supplier_id);
  return jsonb_build_object(
    'holds', (
      select coalesce(jsonb_agg(to_jsonb(h) order by h.created_at, h.id), '[]')
      from public.payout_holds h
      where h.tenant_id = (select private.tenant_id()) and h.supplier_id = list_payout_holds.supplier_id
    )
  );
end
$$;
comment on function public.list_payout_holds is 'What is held of a supplier''s money, the first hold first. Refuses with NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger payouts_check_status_move
  before update of status on public.payouts
  for each row execute function private.check_status_move();

create trigger payouts_touch
  before update on public.payouts
  for each row execute function private.touch();

create trigger payout_holds_are_released_by_admins
  before delete on public.payout_holds
  for each statement execute function private.only_for('admin');

-- policies -------------------------------------------------------------------------------------

alter table public.payouts enable row level security;
alter table public.payout_lines enable row level security;
alter table public.payout_holds enable row level security;

create policy "Admins and clients see all payouts, suppliers their own" on public.payouts
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

create policy "Whoever sees a payout sees its lines" on public.payout_lines
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case
      when (select private.reads_all()) then true
      else (select true from public.payouts p where p.id = payout_id)
    end
  );

create policy "Admins and clients see all holds, suppliers their own" on public.payout_holds
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else (select private.reads_all())
    end
  );

create policy "Admins release holds" on public.payout_holds
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- grants ---------------------------------------------------------------------------------------

grant select on public.payouts, public.payout_details, public.payout_lines, public.payout_line_details to authenticated;
grant select, delete on public.payout_holds to authenticated;
grant all on public.payout_holds to service_role;
revoke insert, update, delete, truncate on public.payouts, public.payout_lines from service_role;
grant select on public.payouts, public.payout_details, public.payout_lines, public.payout_line_details to service_role;
grant execute on function private.create_payout, private.update_payout, private.supplier_balance, private.hold_payouts,
  private.insist_on_own_supplier
  to authenticated;
grant execute on function public.create_payout, public.update_payout, public.list_payouts, public.list_payout_lines,
  public.supplier_balance, public.hold_payouts, public.release_payouts, public.list_payout_holds to authenticated;
