-- Payouts: an admin closes the due lines of a supplier into one payout for each currency, and reports what became of it. A
-- payout that failed, or is taken back, frees its lines for the next one.

-- functions ------------------------------------------------------------------------------------

create function private.payout_until(written text) returns timestamptz
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
  until constant timestamptz := coalesce(private.moment_of(written, 'until', is_end => true), now());
begin
  perform private.insist(
    until <= (private.today(tenant) + 1)::timestamp at time zone private.time_zone_of(tenant),
    'until', 'a date or time that is not after today', to_jsonb(written)
  );
  return until;
end
$$;
comment on function private.payout_until is
  'The moment until which lines are due that a payout closes: now, the end of a date, or a time. Refuses with VALIDATION_ERROR what is after today.';

create function private.close_lines(supplier public.suppliers, until timestamptz) returns uuid[]
language plpgsql security definer set search_path = ''
as $$
declare
  -- One statement of the database closes that many lines in about two seconds.
  most constant integer := 150000;
  made uuid[];
begin
  -- One statement: what it adds up is what it closes, whatever is written meanwhile.
  with due as materialized (
    select
      l.line_id, l.currency, l.due_at, row_number() over earlier as position, sum(l.amount) over earlier as running,
      sum(l.amount) over (partition by l.currency) as total
    from private.open_lines(supplier.tenant_id, array[supplier.id]) l
    -- Also what became due since: a payout never exceeds what is due now.
    where l.due_at <= greatest(close_lines.until, now()) and not l.is_held
    window earlier as (partition by l.currency order by l.due_at, l.line_id rows unbounded preceding)
  ),
  -- A payout is never below 0, nor above what is due: the rest waits for the next one. It takes the most lines that it may, and
  -- more only if the first ones do not exceed 0.
  ending as (
    select
      d.currency,
      coalesce(max(d.position) filter (where d.position <= most), min(d.position)) as position
    from due d
    where d.running > 0 and d.running <= d.total and d.due_at <= close_lines.until
    group by d.currency
  ),
  payout as materialized (
    select gen_random_uuid() as id, d.currency, d.running as amount, d.position as lines
    from ending e
    join due d on d.currency = e.currency and d.position = e.position
  ),
  created as (
    insert into public.payouts (id, tenant_id, supplier_id, currency, amount, lines, until, created_by)
    select p.id, supplier.tenant_id, supplier.id, p.currency, p.amount, p.lines::integer, close_lines.until, auth.uid()
    from payout p
  ),
  closed as (
    update public.ledger_lines l
    set payout_id = p.id
    from due d
    join payout p on p.currency = d.currency and d.position <= p.lines
    where l.tenant_id = supplier.tenant_id and l.id = d.line_id and l.payout_id is null
  ),
  written as (
    insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount, payout_id, due_at)
    select supplier.tenant_id, supplier.id, p.currency, 'payout', -p.amount, p.id, now()
    from payout p
  )
  select array_agg(p.id order by p.currency) into made from payout p;
  return made;
end
$$;
comment on function private.close_lines is
  'Closes the lines of a supplier that were due then into one payout for each currency, at most 150,000 in one, the earliest due first. Returns the payouts; null if nothing is due. The caller has locked the supplier''s payouts.';

create function private.create_payouts(supplier_id uuid, until text) returns uuid[]
language plpgsql security definer set search_path = ''
as $$
declare
  supplier public.suppliers;
  made uuid[];
begin
  perform private.require_permission('payouts.write', 'Your role may not make payouts.');
  select s.* into supplier
  from public.suppliers s
  where s.tenant_id = private.tenant_id() and s.id = create_payouts.supplier_id;
  if not found then
    perform private.refuse(
      'NOT_FOUND', 'There is no such supplier.', 'supplier_id', to_jsonb(create_payouts.supplier_id)
    );
  end if;
  -- Two payouts at once close each line once. The statement that closes them sees what the other has closed.
  perform private.hold('payouts', supplier.id::text);
  made := private.close_lines(supplier, private.payout_until(create_payouts.until));
  if made is null then
    perform private.refuse(
      'NOTHING_DUE',
      'Nothing can be paid out to this supplier: no line is due and free of holds, or what is due does not exceed 0.'
    );
  end if;
  return made;
end
$$;
comment on function private.create_payouts is 'See public.create_payouts. Returns the ids of the payouts.';

create function public.create_payouts(supplier_id uuid, until text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  made constant uuid[] := private.create_payouts(supplier_id, until);
begin
  return (
    select jsonb_agg(to_jsonb(p) order by p.currency)
    from public.payouts p
    where p.tenant_id = private.tenant_id() and p.id = any (made)
  );
end
$$;
comment on function public.create_payouts is
  'For admins: closes what is due to a supplier into payouts, one for each currency, and returns them. until: a date (with its whole day, in the tenant''s time zone) or a time, not after today; default: now. Refuses with FORBIDDEN, NOT_FOUND (the supplier), VALIDATION_ERROR (until), NOTHING_DUE.';

create function private.free_lines(payout public.payouts) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  with freed as (
    update public.ledger_lines l
    set payout_id = null
    where l.tenant_id = payout.tenant_id and l.payout_id = payout.id and l.kind not in ('payout', 'payout_reversal')
    returning l.id
  )
  insert into private.freed_ledger_lines (tenant_id, payout_id, line_id)
  select payout.tenant_id, payout.id, f.id from freed f;
  insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount, payout_id, due_at)
  values (payout.tenant_id, payout.supplier_id, payout.currency, 'payout_reversal', payout.amount, payout.id, now());
end
$$;
comment on function private.free_lines is
  'Opens the lines of a payout again, so that the next one pays them, and keeps which they were for its statement.';

create function private.update_payout(payout_id uuid, status public.payout_status, reference text, reason text)
returns void
language plpgsql security definer set search_path = ''
as $$
declare
  target public.payouts;
begin
  perform private.require_permission('payouts.write', 'Your role may not change payouts.');
  select p.* into target
  from public.payouts p
  where p.tenant_id = private.tenant_id() and p.id = update_payout.payout_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such payout.');
  end if;
  if target.status = update_payout.status or update_payout.status = 'pending' then
    perform private.refuse(
      'INVALID_TRANSITION', format('status is %s already, or cannot change to %s.', target.status, update_payout.status),
      'status', to_jsonb(update_payout.status)
    );
  end if;
  perform private.require_move('payouts', 'status', target.status::text, update_payout.status::text);
  if update_payout.status = 'paid' then
    perform private.insist(
      private.is_more_than_spaces(update_payout.reference) and char_length(update_payout.reference) <= 200 and reason is null,
      'reference', 'the reference of the transfer, of 1 to 200 characters, and no reason', to_jsonb(update_payout.reference)
    );
  else
    perform private.insist(
      private.is_more_than_spaces(update_payout.reason) and char_length(update_payout.reason) <= 2000 and reference is null,
      'reason', 'the reason, of 1 to 2000 characters, and no reference', to_jsonb(update_payout.reason)
    );
    perform private.free_lines(target);
  end if;
  update public.payouts p
  set status = update_payout.status,
      reference = coalesce(update_payout.reference, p.reference),
      reason = update_payout.reason,
      paid_at = case update_payout.status when 'paid' then now() else p.paid_at end,
      failed_at = case update_payout.status when 'failed' then now() end,
      reversed_at = case update_payout.status when 'reversed' then now() end
  where p.tenant_id = target.tenant_id and p.id = target.id;
end
$$;
comment on function private.update_payout is 'See public.update_payout.';

create function public.update_payout(
  payout_id uuid, status public.payout_status, reference text default null, reason text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.update_payout(payout_id, status, reference, reason);
  return (
    select to_jsonb(p) from public.payouts p where p.tenant_id = private.tenant_id() and p.id = update_payout.payout_id
  );
end
$$;
comment on function public.update_payout is
  'For admins: reports that a pending payout was paid (with the reference of the transfer) or failed (with a reason), or takes a paid one back (reversed, with a reason), and returns it. A payout that failed or is reversed frees its lines for the next one. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR (reference, reason).';

create function private.create_adjustment(
  supplier_id uuid, amount numeric, currency text, reason text, order_id uuid
) returns public.ledger_adjustments
language plpgsql security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
  exponent smallint;
  site uuid;
  made public.ledger_adjustments;
begin
  perform private.require_permission('adjustments.write', 'Your role may not adjust what is owed to suppliers.');
  if not exists (
    select from public.suppliers s where s.tenant_id = tenant and s.id = create_adjustment.supplier_id
  ) then
    perform private.refuse(
      'NOT_FOUND', 'There is no such supplier.', 'supplier_id', to_jsonb(create_adjustment.supplier_id)
    );
  end if;
  select c.exponent into exponent from private.currencies c where c.code = create_adjustment.currency;
  perform private.insist(found, 'currency', 'an ISO 4217 code', to_jsonb(create_adjustment.currency));
  perform private.insist(
    create_adjustment.amount <> 0 and abs(create_adjustment.amount) < 1e12, 'amount',
    'an amount other than 0, below 1,000,000,000,000', to_jsonb(create_adjustment.amount)
  );
  if create_adjustment.order_id is not null then
    select c.marketplace_id into site
    from public.order_commissions c
    where c.tenant_id = tenant and c.order_id = create_adjustment.order_id
      and c.supplier_id = create_adjustment.supplier_id;
    if not found then
      perform private.refuse(
        'NOT_FOUND', 'There is no such order of this supplier.', 'order_id', to_jsonb(create_adjustment.order_id)
      );
    end if;
  end if;
  insert into public.ledger_adjustments (tenant_id, supplier_id, order_id, amount, currency, reason, created_by)
  values (
    tenant, create_adjustment.supplier_id, create_adjustment.order_id,
    private.checked_price(create_adjustment.amount, exponent, 'amount'), create_adjustment.currency,
    create_adjustment.reason, auth.uid()
  )
  returning * into made;
  insert into public.ledger_lines (
    tenant_id, supplier_id, marketplace_id, currency, kind, amount, order_id, adjustment_id, due_at
  )
  values (
    tenant, made.supplier_id, site, made.currency, 'adjustment', made.amount, made.order_id, made.id, made.created_at
  );
  return made;
end
$$;
comment on function private.create_adjustment is 'See public.create_adjustment.';

create function public.create_adjustment(
  supplier_id uuid, amount numeric, currency text, reason text, order_id uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return to_jsonb(private.create_adjustment(supplier_id, amount, currency, reason, order_id));
end
$$;
comment on function public.create_adjustment is
  'For admins: adds an amount to what is owed to a supplier, or takes it off (negative), and returns the adjustment. It is due at once. Refuses with FORBIDDEN, NOT_FOUND (the supplier, or its part of the order), VALIDATION_ERROR (amount, currency, reason).';

create function private.emit_payout_event() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(
    new.tenant_id,
    case tg_op when 'INSERT' then 'payout.created' else 'payout.' || new.status end,
    jsonb_build_object('payout', to_jsonb(new)), status => new.status::text
  );
  return null;
end
$$;
comment on function private.emit_payout_event() is
  'Row trigger: emits payout.created, payout.paid, payout.failed and payout.reversed.';

-- triggers -------------------------------------------------------------------------------------

create trigger payouts_check_status_move
  before update of status on public.payouts
  for each row execute function private.check_status_move();

create trigger payouts_touch
  before update on public.payouts
  for each row execute function private.touch();

create trigger payouts_emit_created
  after insert on public.payouts
  for each row execute function private.emit_payout_event();

create trigger payouts_emit_moved
  after update of status on public.payouts
  for each row when (new.status <> old.status)
  execute function private.emit_payout_event();

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.create_payouts, private.update_payout, private.create_adjustment to authenticated;
grant execute on function public.create_payouts, public.update_payout, public.create_adjustment to authenticated;
