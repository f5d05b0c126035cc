-- Refunds by the provider that took the payment. A refund is booked first, in the order's payments and in the ledger, with a job
-- in the same transaction. The function `payments` asks the provider, with the refund's id as its idempotency key. If the
-- provider refuses, the report refund_failed undoes the booking.

-- functions: reports and notes -----------------------------------------------------------------

create function private.try_report(
  session public.payment_sessions, status public.payment_report, reference text, amount numeric
) returns text
language plpgsql security definer set search_path = ''
as $$
declare
  reason text;
begin
  insert into public.payments (tenant_id, order_id, status, amount, currency, reference, actor_id)
  values (
    session.tenant_id, session.order_id, try_report.status, try_report.amount, session.currency, try_report.reference,
    auth.uid()
  );
  return null;
exception
  -- Rules refuse with these; anything else is an error, and the provider repeats its event.
  when sqlstate 'PT404' or sqlstate 'PT409' or sqlstate 'PT422' then
    get stacked diagnostics reason = pg_exception_hint;
    return reason;
end
$$;
comment on function private.try_report is 'Adds a report to an order. Returns why a rule refuses it; null if it is added.';

create function private.note_payment(tenant_id uuid, order_id uuid, text text) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  if exists (
    select
    from public.order_notes n
    where n.tenant_id = note_payment.tenant_id and n.order_id = note_payment.order_id and n.text = note_payment.text
  ) then
    return;
  elsif (
    select count(*)
    from public.order_notes n
    where n.tenant_id = note_payment.tenant_id and n.order_id = note_payment.order_id
  ) >= 200 then
    raise warning 'order % has 200 notes and gets none more: %', note_payment.order_id, note_payment.text;
    return;
  end if;
  insert into public.order_notes (tenant_id, order_id, text, visibility)
  values (note_payment.tenant_id, note_payment.order_id, note_payment.text, 'internal');
end
$$;
comment on function private.note_payment is
  'Tells those who work on an order what a provider did, in an internal note; once, however often it is reported.';

-- functions: refunds ---------------------------------------------------------------------------

create function private.paying_session(target public.orders) returns public.payment_sessions
language plpgsql stable security definer set search_path = ''
as $$
declare
  session public.payment_sessions;
begin
  select s.* into session
  from public.payment_sessions s
  where s.tenant_id = target.tenant_id and s.order_id = target.id and s.status = 'paid'
  order by s.updated_at desc
  limit 1;
  if not found then
    perform private.refuse(
      'INVALID_TRANSITION',
      'No provider took the payment of this order. Give the money back where it was paid, and report it: POST /api/orders/{id}/payments.',
      'payment_status', to_jsonb(target.payment_status)
    );
  end if;
  return session;
end
$$;
comment on function private.paying_session is
  'The session by which an order is paid. Refuses with INVALID_TRANSITION if it was not paid by a provider.';

create function private.queue_refund(refund public.refunds) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.queue_jobs('refunds', array[refund.tenant_id], array[refund.id]);
end
$$;
comment on function private.queue_refund is 'Has the worker ask the provider for a refund.';

create function private.create_refund(
  order_id uuid, amount numeric, items jsonb, delivery_amount numeric, borne_by public.refund_bearer, reason text
) returns public.refunds
language plpgsql security definer set search_path = ''
as $$
declare
  new_id constant uuid := gen_random_uuid();
  target public.orders;
  session public.payment_sessions;
  refund public.refunds;
begin
  perform private.require_permission('payments.write', 'Your role may not give money back.');
  select * into target
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = create_refund.order_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such order.');
  end if;
  session := private.paying_session(target);
  perform private.report_payment(
    target.id, 'refunded', new_id::text, create_refund.amount, create_refund.items, create_refund.delivery_amount,
    create_refund.borne_by
  );
  insert into public.refunds (
    id, tenant_id, order_id, session_id, is_booked, provider, payment_reference, amount, currency, reason, status, actor_id
  )
  select
    new_id, p.tenant_id, p.order_id, session.id, true, session.provider, session.reference, p.amount, p.currency,
    create_refund.reason,
    -- The operator gives back by hand what it took by hand.
    case session.provider when 'manual' then 'succeeded' else 'pending' end::public.refund_status, auth.uid()
  from public.payments p
  where p.tenant_id = target.tenant_id and p.order_id = target.id and p.status = 'refunded' and p.reference = new_id::text
  returning * into refund;
  if refund.status = 'pending' then
    perform private.queue_refund(refund);
  end if;
  return refund;
end
$$;
comment on function private.create_refund is 'See public.create_refund.';

create function public.create_refund(
  order_id uuid, amount numeric, items jsonb default null, delivery_amount numeric default null,
  borne_by public.refund_bearer default null, reason text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return to_jsonb(private.create_refund(order_id, amount, items, delivery_amount, borne_by, reason));
end
$$;
comment on function public.create_refund is
  'For clients and admins: books a refund of an order that a provider took the payment of, as the report refunded does, and asks the provider to give the money back. Returns the refund, whose id is the reference of the report. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR, LIMIT_REACHED.';

create function private.give_back(session public.payment_sessions, payment_reference text, amount numeric, reason text)
returns void
language plpgsql security definer set search_path = ''
as $$
declare
  refund public.refunds;
begin
  insert into public.refunds (
    tenant_id, order_id, session_id, is_booked, provider, payment_reference, amount, currency, reason, status
  )
  values (
    session.tenant_id, session.order_id, session.id, false, session.provider, give_back.payment_reference,
    give_back.amount, session.currency, give_back.reason,
    case session.provider when 'manual' then 'succeeded' else 'pending' end::public.refund_status
  )
  on conflict do nothing
  returning * into refund;
  if not found then
    return;
  end if;
  perform private.note_payment(
    session.tenant_id, session.order_id,
    format(
      case session.provider
        when 'manual' then 'The order could not take %s %s (%s): %s Give the money back.'
        else 'The order could not take %s %s (%s): %s The provider is asked to give the money back.'
      end,
      give_back.amount, session.currency, give_back.payment_reference, give_back.reason
    )
  );
  if refund.status = 'pending' then
    perform private.queue_refund(refund);
  end if;
end
$$;
comment on function private.give_back is
  'Has a provider give back money that an order could not take, once, and says so in a note. reason: why.';

-- functions: results ---------------------------------------------------------------------------

create function private.end_refund(refund public.refunds, reference text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.end_job('refunds', refund.id);
  update public.refunds r
  set status = 'succeeded', reference = coalesce(end_refund.reference, r.reference), error = null
  where r.tenant_id = refund.tenant_id and r.id = refund.id and r.status = 'pending';
end
$$;
comment on function private.end_refund is 'Records that the provider gives the money back.';

create function private.note_failed_refund(tenant_id uuid, order_id uuid, refund text, error text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.note_payment(
    tenant_id, order_id,
    format(
      'The provider could not give back the refund %s. %s Give the money back in another way.', refund, left(error, 1000)
    )
  );
end
$$;
comment on function private.note_failed_refund is 'Tells those who work on an order that a refund failed, and why.';

create function private.fail_refund(refund public.refunds, error text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  session public.payment_sessions;
  reason text;
begin
  perform private.end_job('refunds', refund.id);
  update public.refunds r
  set status = 'failed', error = left(fail_refund.error, 1000)
  where r.tenant_id = refund.tenant_id and r.id = refund.id and r.status <> 'failed';
  if not found then
    return;
  end if;
  -- A refund of a payment that was reversed since counts no more.
  if exists (
    select
    from public.orders o
    cross join lateral private.standing_refunds(o) booked
    where o.tenant_id = refund.tenant_id and o.id = refund.order_id and booked.reference = refund.id::text
  ) then
    select * into session
    from public.payment_sessions s
    where s.tenant_id = refund.tenant_id and s.id = refund.session_id;
    reason := private.try_report(session, 'refund_failed', refund.id::text, null);
  end if;
  perform private.note_failed_refund(
    refund.tenant_id, refund.order_id, format('%s of %s %s', refund.id, refund.amount, refund.currency),
    concat_ws(' ', fail_refund.error, reason)
  );
end
$$;
comment on function private.fail_refund is
  'Undoes a refund that the provider refused, or that failed later, and says so in a note.';

create function private.lock_order_of_refund(refund_id uuid) returns void
language sql security definer set search_path = ''
as $$
  select
  from private.jobs j
  join public.refunds r on r.tenant_id = j.tenant_id and r.id = j.subject_id
  join public.orders o on o.tenant_id = r.tenant_id and o.id = r.order_id
  where j.queue = 'refunds' and j.subject_id = lock_order_of_refund.refund_id
  for update of o
$$;
comment on function private.lock_order_of_refund is 'Locks the order of a refund that waits in the queue.';

create function private.record_refund(
  refund_id uuid, lease uuid, outcome text, reference text, error text, retry_after_seconds integer
) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  job private.jobs;
  refund public.refunds;
begin
  -- The order first, as all do that change its payments.
  perform private.lock_order_of_refund(record_refund.refund_id);
  job := private.leased_job('refunds', record_refund.refund_id, record_refund.lease);
  if job.subject_id is null then
    return;
  end if;
  select * into refund from public.refunds r where r.tenant_id = job.tenant_id and r.id = job.subject_id for update;
  case record_refund.outcome
    when 'succeeded' then perform private.end_refund(refund, record_refund.reference);
    when 'failed' then perform private.fail_refund(refund, record_refund.error);
    else
      perform private.fail_job(job, record_refund.error, make_interval(secs => coalesce(retry_after_seconds, 0)));
      update public.refunds r
      set error = left(record_refund.error, 1000)
      where r.tenant_id = refund.tenant_id and r.id = refund.id;
  end case;
end
$$;
comment on function private.record_refund is 'See public.record_refund.';

create function public.record_refund(
  refund_id uuid, lease uuid, outcome text, reference text default null, error text default null,
  retry_after_seconds integer default null
) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.record_refund(refund_id, lease, outcome, reference, error, retry_after_seconds);
end
$$;
comment on function public.record_refund is
  'For the worker: records the outcome of a refund. outcome: succeeded (with the provider''s reference); failed: the provider refuses it; temporary: a failed attempt, and the next one is not before retry_after_seconds. A report with a lease that has ended changes nothing.';

create function private.lease_refunds(batch integer) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  held private.jobs[];
  new_lease uuid;
begin
  if lease_refunds.batch <= 0 then
    perform private.wake_for_jobs('{refunds}');
    return '[]'::jsonb;
  end if;
  held := array(select j from private.hold_due_jobs('{refunds}', lease_refunds.batch) j);
  new_lease := private.lease_jobs(held);
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', r.id, 'lease', new_lease, 'tenant_id', r.tenant_id, 'session_id', r.session_id, 'provider', r.provider,
          'is_booked', r.is_booked, 'payment_reference', r.payment_reference, 'amount', r.amount::text,
          'currency', r.currency,
          'attempts', h.attempts + 1
        )
        order by h.ordinality
      ),
      '[]'
    )
    from unnest(held) with ordinality as h
    join public.refunds r on r.tenant_id = h.tenant_id and r.id = h.subject_id
  );
end
$$;
comment on function private.lease_refunds is 'See public.lease_refunds.';

create function public.lease_refunds(batch integer) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.lease_refunds(batch);
end
$$;
comment on function public.lease_refunds is
  'For the worker: leases up to batch refunds that are due for two minutes, of all tenants in turn. amount is a text. attempts: with this one. With batch 0 it takes none, and wakes another worker if any are due.';

-- functions: following -------------------------------------------------------------------------

create function private.follow_undone_payment() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  refund public.refunds;
begin
  if new.status = 'payment_reversed' then
    update public.payment_sessions s
    set status = 'reversed'
    where s.tenant_id = new.tenant_id and s.order_id = new.order_id and s.reference = new.reference and s.status = 'paid';
    return new;
  end if;
  select * into refund
  from public.refunds r
  where r.tenant_id = new.tenant_id and r.order_id = new.order_id and r.id::text = new.reference
  for update;
  if refund.status = 'pending' then
    perform private.refuse(
      'INVALID_TRANSITION', 'The provider is being asked for this refund, and reports itself what became of it.',
      'reference', to_jsonb(new.reference)
    );
  elsif refund.status = 'succeeded' then
    update public.refunds r set status = 'failed' where r.tenant_id = refund.tenant_id and r.id = refund.id;
  end if;
  return new;
end
$$;
comment on function private.follow_undone_payment() is
  'Row trigger: a session whose payment is reversed, or a refund that failed, has that status. Refuses with INVALID_TRANSITION to report a refund that its provider is still asked for.';

create function private.release_reserved_money(tenant_id uuid, order_id uuid, kept text, reason text) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  session public.payment_sessions;
begin
  for session in
    select s.*
    from public.payment_sessions s
    where s.tenant_id = release_reserved_money.tenant_id and s.order_id = release_reserved_money.order_id
      and s.status = 'authorized' and s.reference is distinct from release_reserved_money.kept
  loop
    perform private.give_back(session, session.reference, session.amount, release_reserved_money.reason);
  end loop;
end
$$;
comment on function private.release_reserved_money is
  'Has providers release the money that is reserved for an order, except for one payment. reason: why the order cannot take it.';

create function private.release_at_cancellation() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.release_reserved_money(new.tenant_id, new.id, null, 'it is cancelled.');
  return null;
end
$$;
comment on function private.release_at_cancellation() is
  'Row trigger: releases the money that is reserved for an order that was cancelled.';

create function private.release_at_payment() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.release_reserved_money(new.tenant_id, new.order_id, new.reference, 'it is paid.');
  return null;
end
$$;
comment on function private.release_at_payment() is
  'Row trigger: releases the money that is reserved by other payments of an order that is paid.';

-- triggers -------------------------------------------------------------------------------------

-- After the one that accepts the report.
create trigger payments_undo_what_was_asked
  before insert on public.payments
  for each row when (new.status in ('refund_failed', 'payment_reversed'))
  execute function private.follow_undone_payment();

create trigger payments_release_reserved_money
  after insert on public.payments
  for each row when (new.status = 'paid')
  execute function private.release_at_payment();

create trigger orders_release_reserved_money
  after update of status on public.orders
  for each row when (new.status = 'cancelled' and old.status <> 'cancelled')
  execute function private.release_at_cancellation();

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.create_refund to authenticated;
grant execute on function public.create_refund to authenticated;
grant execute on function private.lease_refunds, private.record_refund to service_role;
grant execute on function public.lease_refunds, public.record_refund to service_role;
