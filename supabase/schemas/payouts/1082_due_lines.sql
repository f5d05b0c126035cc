-- Which lines of the ledger are due, and which are held: by an admin, while their supplier is suspended, or while a return of
-- their order is open. What is due and not held can be paid out.

-- tables ---------------------------------------------------------------------------------------

create table public.payout_holds (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  supplier_id uuid not null,
  order_id uuid,
  reason text not null,
  created_by uuid default auth.uid(),
  created_at timestamptz not null default now(),
  constraint payout_holds_pkey primary key (tenant_id, id),
  constraint order_id_is_unique_in_payout_holds unique nulls not distinct (tenant_id, supplier_id, order_id),
  constraint payout_holds_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint payout_holds_order_id_fkey foreign key (tenant_id, order_id, supplier_id)
    references public.order_commissions (tenant_id, order_id, supplier_id) on delete cascade,
  constraint payout_holds_reason_is_1_to_2000_characters
    check (char_length(reason) >= 1 and char_length(reason) <= 2000 and private.is_more_than_spaces(reason))
);
comment on table public.payout_holds is
  'What an admin does not pay out for now: all that is owed to a supplier, or its part of one order (order_id), and why. created_by: the account or API key that made it.';

-- indexes --------------------------------------------------------------------------------------

create index payout_holds_tenant_id_created_at_idx on public.payout_holds (tenant_id, created_at desc, id);
create index order_commissions_without_payout_idx on public.order_commissions (tenant_id, updated_at) where payout_amount = 0;
create index payout_holds_order_idx on public.payout_holds (tenant_id, order_id, supplier_id) where order_id is not null;

-- functions: holds -----------------------------------------------------------------------------

create function private.bound_payout_holds() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The lock lets parallel transactions count each other's holds.
  perform private.hold('cap', 'payout holds of ' || new.tenant_id);
  if (
    select count(*) from public.payout_holds h where h.tenant_id = new.tenant_id
  ) >= private.cap('payout_holds_per_tenant') then
    perform private.refuse_beyond(
      'payout_holds_per_tenant', 'The tenant has the maximum number of holds. Release one first.'
    );
  end if;
  return new;
end
$$;
comment on function private.bound_payout_holds() is
  'Row trigger: refuses with LIMIT_REACHED a hold above the cap payout_holds_per_tenant.';

create function public.create_payout_hold(supplier_id uuid, reason text, order_id uuid default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.payout_holds;
begin
  insert into public.payout_holds (supplier_id, order_id, reason)
  values (create_payout_hold.supplier_id, create_payout_hold.order_id, create_payout_hold.reason)
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function public.create_payout_hold is
  'For admins: holds back what is owed to a supplier, or its part of an order, and returns the hold. Refuses with FORBIDDEN, NOT_FOUND (the supplier, or its part of the order), VALIDATION_ERROR, LIMIT_REACHED, and with Postgres''s 23505 if the same is held already.';

-- functions: due lines -------------------------------------------------------------------------

create function private.is_supplier_held(tenant_id uuid, supplier_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select
    from public.suppliers s
    where s.tenant_id = is_supplier_held.tenant_id and s.id = is_supplier_held.supplier_id and s.status = 'suspended'
  ) or exists (
    select
    from public.payout_holds h
    where h.tenant_id = is_supplier_held.tenant_id and h.supplier_id = is_supplier_held.supplier_id and h.order_id is null
  );
end
$$;
comment on function private.is_supplier_held is
  'Whether nothing is paid out to a supplier for now: it is suspended, or an admin holds it.';

create function private.is_part_held(tenant_id uuid, order_id uuid, supplier_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select
    from public.payout_holds h
    where h.tenant_id = is_part_held.tenant_id and h.order_id = is_part_held.order_id
      and h.supplier_id = is_part_held.supplier_id
  );
end
$$;
comment on function private.is_part_held is 'Whether an admin holds a supplier''s part of an order.';

create function private.awaits_return(tenant_id uuid, order_id uuid, supplier_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select
    from public.return_requests r
    where r.tenant_id = awaits_return.tenant_id and r.order_id = awaits_return.order_id
      and r.supplier_id = awaits_return.supplier_id and r.status in ('requested', 'approved')
  );
end
$$;
comment on function private.awaits_return is
  'Whether a return request of a supplier''s items in an order is open: requested, or approved and not received.';

create function private.part_paid_out_at(tenant_id uuid, order_id uuid, supplier_id uuid) returns timestamptz
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    -- Lines that add up to nothing have paid nothing.
    select case when sum(l.amount) > 0 then min(p.created_at) end
    from public.ledger_lines l
    join public.payouts p on p.tenant_id = l.tenant_id and p.id = l.payout_id
    where l.tenant_id = part_paid_out_at.tenant_id and l.order_id = part_paid_out_at.order_id
      and l.supplier_id = part_paid_out_at.supplier_id and l.kind <> 'adjustment'
  );
end
$$;
comment on function private.part_paid_out_at is
  'When the first payout was made of those that pay something for a supplier''s part of an order; null if none does.';

create function private.part_due_at(part public.order_commissions) returns timestamptz
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- A part that owes nothing any more is closed with the next payout: its lines add up to 0.
  return case
    when part.payout_amount = 0 then part.updated_at
    else part.completed_at + private.payout_delay(part.marketplace_id)
  end;
end
$$;
comment on function private.part_due_at is
  'When a supplier''s part of an order is due: the payout delay after its payment and its delivery, or at once if it owes nothing any more. Null while that is not known.';

-- Without a SET clause, so that Postgres inlines it into queries.
create function private.is_late(net numeric, created_at timestamptz, paid_out_at timestamptz) returns boolean
language sql immutable
return net < 0 and created_at >= paid_out_at is true;
comment on function private.is_late is
  'Whether lines that were written at once take something off what was already paid out for their part of an order. They are due as soon as they are written, whatever becomes of the part. net: their sum.';

create function private.open_lines(tenant_id uuid, supplier_ids uuid[])
returns table (line_id uuid, supplier_id uuid, currency text, amount numeric, due_at timestamptz, is_held boolean)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with line as materialized (
    select
      l.id, l.supplier_id, l.order_id, l.currency, l.amount, l.due_at, l.created_at,
      sum(l.amount) filter (where l.due_at is null) over (partition by l.supplier_id, l.order_id, l.created_at) as net
    from public.ledger_lines l
    where l.tenant_id = open_lines.tenant_id and l.supplier_id = any (open_lines.supplier_ids) and l.payout_id is null
  ),
  supplier as materialized (
    select s.supplier_id, private.is_supplier_held(open_lines.tenant_id, s.supplier_id) as is_held
    from (select distinct l.supplier_id from line l) as s
  ),
  -- Once for each part of an order, and not for each of its lines.
  part as materialized (
    select
      p.supplier_id, p.order_id, private.part_due_at(c) as due_at,
      private.part_paid_out_at(open_lines.tenant_id, p.order_id, p.supplier_id) as paid_out_at,
      private.is_part_held(open_lines.tenant_id, p.order_id, p.supplier_id) as is_held,
      private.awaits_return(open_lines.tenant_id, p.order_id, p.supplier_id) as awaits_return
    from (select distinct l.supplier_id, l.order_id from line l where l.order_id is not null) as p
    join public.order_commissions c
      on c.tenant_id = open_lines.tenant_id and c.order_id = p.order_id and c.supplier_id = p.supplier_id
  )
  select
    l.id, l.supplier_id, l.currency, l.amount,
    case when l.due_at is not null then l.due_at when late.is_so then l.created_at else p.due_at end,
    s.is_held or coalesce(p.is_held, false)
      or l.due_at is null and not late.is_so and coalesce(p.awaits_return, false)
  from line l
  join supplier s on s.supplier_id = l.supplier_id
  left join part p on p.supplier_id = l.supplier_id and p.order_id = l.order_id
  cross join lateral (select l.due_at is null and private.is_late(l.net, l.created_at, p.paid_out_at) as is_so) as late;
end
$$;
comment on function private.open_lines is
  'The lines of suppliers that no payout closes, with when they are due (null: not known yet) and whether they are held. A return request does not hold what is due by itself, or late.';

create function private.line_terms(line public.ledger_lines, out due_at timestamptz, out held boolean)
language plpgsql stable security definer set search_path = ''
as $$
declare
  part public.order_commissions;
  is_late boolean := false;
begin
  due_at := line.due_at;
  if due_at is null then
    is_late := private.is_late(
      (
        select sum(l.amount)
        from public.ledger_lines l
        where l.tenant_id = line.tenant_id and l.order_id = line.order_id and l.supplier_id = line.supplier_id
          and l.created_at = line.created_at and l.due_at is null
      ),
      line.created_at, private.part_paid_out_at(line.tenant_id, line.order_id, line.supplier_id)
    );
    select c.* into part
    from public.order_commissions c
    where c.tenant_id = line.tenant_id and c.order_id = line.order_id and c.supplier_id = line.supplier_id;
    due_at := case when is_late then line.created_at else private.part_due_at(part) end;
  end if;
  held := line.payout_id is null and due_at <= now() is true and (
    private.is_supplier_held(line.tenant_id, line.supplier_id)
    or line.order_id is not null and (
      private.is_part_held(line.tenant_id, line.order_id, line.supplier_id)
      or line.due_at is null and not is_late and private.awaits_return(line.tenant_id, line.order_id, line.supplier_id)
    )
  );
end
$$;
comment on function private.line_terms is
  'When a line of the ledger is due (null: not known yet), and whether it is open, due and held: by the rules of private.open_lines.';

create view public.ledger_details with (security_invoker = true) as
select
  l.id, l.tenant_id, l.supplier_id, l.marketplace_id, l.kind, l.amount, l.currency, l.quantity, l.order_id,
  o.number as order_number, l.item_id, i.name as item_name, l.campaign_id, l.date, l.adjustment_id, a.reason, l.payout_id,
  p.status as payout_status, terms.due_at, terms.held, l.created_at
from public.ledger_lines l
left join public.orders o on o.tenant_id = l.tenant_id and o.id = l.order_id
left join public.order_items i on i.tenant_id = l.tenant_id and i.order_id = l.order_id and i.id = l.item_id
left join public.ledger_adjustments a on a.tenant_id = l.tenant_id and a.id = l.adjustment_id
left join public.payouts p on p.tenant_id = l.tenant_id and p.id = l.payout_id
cross join lateral private.line_terms(l) as terms;
comment on view public.ledger_details is
  'The lines of the ledger with the number of their order, the name of their item, the reason of an adjustment, and the status of their payout, as far as the caller sees these. due_at: null while it is not known. held: open and due, but not paid out for now.';

-- functions: lists -----------------------------------------------------------------------------

create function private.ledger_balances(supplier_id uuid, currency text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant constant uuid := private.tenant_id();
  -- Which suppliers the caller may see.
  seen constant uuid[] := case private.scope('ledger.read')
    when 'all' then array(
      select s.id
      from public.suppliers s
      where s.tenant_id = tenant and s.id = coalesce(ledger_balances.supplier_id, s.id)
    )
    when 'own' then array(
      select private.supplier_id()
      where private.supplier_id() = coalesce(ledger_balances.supplier_id, private.supplier_id())
    )
    else '{}'
  end;
begin
  return (
    with part as (
      select
        l.supplier_id, l.currency, l.amount,
        case when l.due_at is null or l.due_at > now() then 'not_due' when l.is_held then 'held' else 'due' end as state
      from private.open_lines(tenant, seen) l
      union all
      select p.supplier_id, p.currency, p.amount, p.status::text
      from public.payouts p
      where p.tenant_id = tenant and p.supplier_id = any (seen) and p.status in ('pending', 'paid')
    ),
    balance as (
      select
        t.supplier_id, t.currency, coalesce(sum(t.amount) filter (where t.state = 'due'), 0) as due,
        coalesce(sum(t.amount) filter (where t.state = 'not_due'), 0) as not_due,
        coalesce(sum(t.amount) filter (where t.state = 'held'), 0) as held,
        coalesce(sum(t.amount) filter (where t.state = 'pending'), 0) as pending,
        coalesce(sum(t.amount) filter (where t.state = 'paid'), 0) as paid
      from part t
      where ledger_balances.currency is null or t.currency = ledger_balances.currency
      group by t.supplier_id, t.currency
    )
    select coalesce(jsonb_agg(to_jsonb(b) order by b.supplier_id, b.currency), '[]') from balance b
  );
end
$$;
comment on function private.ledger_balances is
  'What the caller may see of the balances, one for each supplier and currency: due, not_due and held add up to what the operator owes; pending and paid are sums of payouts. null: all suppliers, all currencies.';

create function public.list_ledger(
  supplier_id uuid default null,
  marketplace_id uuid default null,
  order_id uuid default null,
  payout_id uuid default null,
  kind public.ledger_kind default null,
  currency text default null,
  "from" text default null,
  "to" text default null,
  due_from text default null,
  due_to text default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  is_due constant boolean := due_from is not null or due_to is not null;
  -- Contains only the conditions that are set, so that each combination gets its own plan.
  wanted constant text := concat_ws(
    ' and ',
    'tenant_id = (select private.tenant_id())',
    case when list_ledger.supplier_id is not null then 'supplier_id = $1' end,
    case when list_ledger.marketplace_id is not null then 'marketplace_id = $2' end,
    case when list_ledger.order_id is not null then 'order_id = $3' end,
    case when list_ledger.payout_id is not null then 'payout_id = $4' end,
    case when list_ledger.kind is not null then 'kind = $5' end,
    case when list_ledger.currency is not null then 'currency = $6' end,
    case when "from" is not null then 'created_at >= $7' end,
    case when "to" is not null then 'created_at < $8' end,
    case when is_due then 'due_at >= $9 and due_at < $10 and id in (select line_id from private.lines_due_between($9, $10))' end
  );
  -- The number of lines reads what they are due with only if it is asked for.
  lines constant text := case when is_due then 'ledger_details' else 'ledger_lines' end;
  direction constant text := case "order" when 'asc' then 'asc' else 'desc' end;
  size constant integer := least(greatest("limit", 1), 1000);
  listed jsonb;
begin
  perform private.members_only();
  execute format(
    $query$
      select jsonb_build_object(
        'lines', (
          select coalesce(jsonb_agg(to_jsonb(d) order by d.created_at %2$s, d.id), '[]')
          from public.ledger_details d
          where d.tenant_id = (select private.tenant_id()) and d.id in (
            select id
            from public.%3$I
            where %1$s
            order by created_at %2$s, id
            limit $11 offset $12
          )
        ),
        'total', (select count(*) from public.%3$I where %1$s),
        'balances', private.ledger_balances($1, $6)
      )
    $query$,
    wanted, direction, lines
  )
  into listed
  using list_ledger.supplier_id, list_ledger.marketplace_id, list_ledger.order_id, list_ledger.payout_id,
    list_ledger.kind, list_ledger.currency, private.moment_of("from", 'from'),
    private.moment_of("to", 'to', is_end => true), coalesce(private.moment_of(due_from, 'due_from'), '-infinity'),
    coalesce(private.moment_of(due_to, 'due_to', is_end => true), 'infinity'), size,
    (greatest(page, 1)::bigint - 1) * size;
  return listed;
end
$$;
comment on function public.list_ledger is
  'A page of the lines of the ledger that the caller may see, the newest first, with the balances of their suppliers (or of one) in each currency. from, to: when the lines were written; due_from, due_to: when they are due. Times with an offset, or days of the tenant''s time zone; to and due_to include their day.';

create function private.lines_due_between(since timestamptz, until timestamptz) returns table (line_id uuid)
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
begin
  return query
  select l.id
  from public.ledger_lines l
  where l.tenant_id = tenant and l.due_at >= since and l.due_at < until
  union
  -- Late lines are due when they are written.
  select l.id
  from public.ledger_lines l
  where l.tenant_id = tenant and l.created_at >= since and l.created_at < until
  union
  -- The index has the completion: the payout delay of the marketplaces may change.
  select l.id
  from private.payout_delays() d
  join public.order_commissions c
    on c.tenant_id = tenant and c.completed_at >= since - d.longest and c.completed_at < until - d.shortest
  join public.ledger_lines l
    on l.tenant_id = c.tenant_id and l.order_id = c.order_id and l.supplier_id = c.supplier_id
  union
  select l.id
  from public.order_commissions c
  join public.ledger_lines l
    on l.tenant_id = c.tenant_id and l.order_id = c.order_id and l.supplier_id = c.supplier_id
  where c.tenant_id = tenant and c.payout_amount = 0 and c.updated_at >= since and c.updated_at < until;
end
$$;
comment on function private.lines_due_between is
  'The lines of the caller''s tenant that may be due in this time, by their indexes. The caller checks when they are.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.payout_holds
  for each row execute function private.keep_nfc();

create trigger payout_holds_are_changed_by_admins
  before insert or update or delete on public.payout_holds
  for each statement execute function private.permitted_only('payout_holds.write');

create trigger payout_holds_bound
  before insert on public.payout_holds
  for each row execute function private.bound_payout_holds();

-- policies -------------------------------------------------------------------------------------

alter table public.payout_holds enable row level security;

create policy "Admins and clients see all holds, suppliers their own" on public.payout_holds
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('payout_holds.read'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins hold payouts" on public.payout_holds
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.scope('payout_holds.write')) = 'all');

create policy "Admins release payouts" on public.payout_holds
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('payout_holds.write')) = 'all');

-- grants ---------------------------------------------------------------------------------------

grant select, delete, insert (supplier_id, order_id, reason) on public.payout_holds to authenticated;
grant all on public.payout_holds to service_role;
grant select on public.ledger_details to authenticated, service_role;
grant execute on function private.line_terms, private.ledger_balances, private.lines_due_between to authenticated, service_role;
grant execute on function public.list_ledger, public.create_payout_hold to authenticated;
