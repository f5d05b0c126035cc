-- Reports of providers: what became of a payment and its refunds. The function `payments` reads the present state from the
-- provider and reports all of it, so events may come twice, late and in any order. Each report counts once.

-- types ----------------------------------------------------------------------------------------

create type private.provider_report as (
  tenant_id uuid, session_id uuid, status text, reference text, amount numeric, refund_id uuid, refund_reference text, note text
);
comment on type private.provider_report is
  'A report of a provider on the payment of a session. status: processing, authorized, cancelled, failed, paid, refunded, refund_failed, payment_reversed, or noted. reference: the payment at the provider. refund_id: the refund that Souk asked for; null for one that was made at the provider, whose id is refund_reference.';

-- functions ------------------------------------------------------------------------------------

create function private.is_reported(
  session public.payment_sessions, status public.payment_report, reference text
) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from public.payments p
    where p.tenant_id = session.tenant_id and p.order_id = session.order_id
      and p.status = is_reported.status and p.reference = is_reported.reference
  )
$$;
comment on function private.is_reported is 'Whether an order has this report already.';

create function private.is_given_back(session public.payment_sessions, payment_reference text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select
    from public.refunds r
    where r.tenant_id = session.tenant_id and r.session_id = session.id
      and r.payment_reference = is_given_back.payment_reference and not r.is_booked
  )
$$;
comment on function private.is_given_back is 'Whether a payment is being given back because the order could not take it.';

create function private.take_payment(session public.payment_sessions, report private.provider_report) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  reason text;
begin
  if private.is_given_back(session, report.reference) then
    return;
  elsif not private.is_reported(session, 'paid', report.reference) then
    reason := private.try_report(session, 'paid', report.reference, report.amount);
  end if;
  if reason is not null then
    perform private.give_back(session, report.reference, report.amount, reason);
  end if;
  update public.payment_sessions s
  set status = case when reason is null then 'paid' else 'refused' end::public.payment_session_status,
      reference = report.reference
  where s.tenant_id = session.tenant_id and s.id = session.id
    -- Of two payments of a session, the order may have taken the second one.
    and (s.status in ('open', 'processing', 'authorized', 'cancelled') or s.status = 'refused' and reason is null);
end
$$;
comment on function private.take_payment is
  'Records money that a provider has. What the order cannot take (it is cancelled, paid otherwise, or has another price) is given back.';

create function private.take_refund(session public.payment_sessions, report private.provider_report) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  refund public.refunds;
  reason text;
begin
  select * into refund
  from public.refunds r
  where r.tenant_id = session.tenant_id and r.session_id = session.id and r.id = report.refund_id
  for update;
  if refund.id is null then
    if not private.is_reported(session, 'paid', report.reference) then
      return;
    end if;
    if not private.is_reported(session, 'refunded', report.refund_reference) then
      reason := private.try_report(session, 'refunded', report.refund_reference, report.amount);
    end if;
    if reason is null and report.status = 'refund_failed'
      and not private.is_reported(session, 'refund_failed', report.refund_reference)
    then
      reason := private.try_report(session, 'refund_failed', report.refund_reference, null);
      perform private.note_failed_refund(session.tenant_id, session.order_id, report.refund_reference, report.note);
    end if;
  elsif report.status = 'refunded' then
    perform private.end_refund(refund, report.refund_reference);
  else
    perform private.fail_refund(refund, report.note);
  end if;
  if reason is not null then
    perform private.note_payment(
      session.tenant_id, session.order_id,
      format('The provider reports the refund %s of %s %s, which cannot be booked: %s', report.refund_reference,
        report.amount, session.currency, reason)
    );
  end if;
end
$$;
comment on function private.take_refund is
  'Records a refund, or its failure: one that Souk asked for, or one that was made at the provider. What cannot be booked becomes a note.';

create function private.take_reversal(session public.payment_sessions, report private.provider_report) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  reason text;
begin
  if private.is_reported(session, 'paid', report.reference)
    and not private.is_reported(session, 'payment_reversed', report.reference)
  then
    reason := private.try_report(session, 'payment_reversed', report.reference, null);
    if reason is not null then
      perform private.note_payment(
        session.tenant_id, session.order_id,
        format('The provider reports that the payment %s is reversed, which cannot be booked: %s', report.reference, reason)
      );
    end if;
  end if;
end
$$;
comment on function private.take_reversal is
  'Records that a payment was taken back: a debit bounced, or a dispute is lost. What cannot be booked becomes a note.';

create function private.move_session(
  session public.payment_sessions, new_status public.payment_session_status, reference text
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  -- Whether the buyer has done what there was to do.
  was_waiting constant boolean := session.status in ('processing', 'authorized');
  is_waiting constant boolean := new_status in ('processing', 'authorized');
begin
  if session.status not in ('open', 'processing', 'authorized') or session.status = new_status then
    return;
  end if;
  update public.payment_sessions s
  set status = new_status, reference = move_session.reference
  where s.tenant_id = session.tenant_id and s.id = session.id;
  update public.orders o
  set payment_due_at = case when not is_waiting then private.payment_deadline(private.business_of(o.marketplace_id)) end
  where o.tenant_id = session.tenant_id and o.id = session.order_id
    and o.payment_status in ('pending', 'failed') and o.status in ('pending', 'processing')
    and was_waiting <> is_waiting;
end
$$;
comment on function private.move_session is
  'Moves a session that is not over. While its money is on its way or reserved, the order has no payment deadline.';

create function private.take_authorization(session public.payment_sessions, report private.provider_report) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  target public.orders;
begin
  select * into target from public.orders o where o.tenant_id = session.tenant_id and o.id = session.order_id;
  perform private.move_session(session, 'authorized', report.reference);
  if private.was_paid(target.payment_status) then
    perform private.give_back(session, report.reference, report.amount, 'it is paid.');
  elsif target.status in ('cancelled', 'returned') then
    perform private.give_back(session, report.reference, report.amount, format('it is %s.', target.status));
  end if;
end
$$;
comment on function private.take_authorization is
  'Records that money is reserved. If the order cannot take it any more, the provider is asked to release it.';

create function private.take_report(session public.payment_sessions, report private.provider_report) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  case report.status
    when 'processing', 'cancelled' then
      perform private.move_session(session, report.status::public.payment_session_status, report.reference);
    when 'authorized' then perform private.take_authorization(session, report);
    when 'failed' then
      if session.status = 'processing' then
        perform private.move_session(session, 'open', report.reference);
      end if;
      -- The buyer may try again in the same session. Only the first failed attempt changes the order.
      if exists (
        select
        from public.orders o
        where o.tenant_id = session.tenant_id and o.id = session.order_id and o.payment_status = 'pending'
      ) and not private.is_reported(session, 'failed', report.reference) then
        perform private.try_report(session, 'failed', report.reference, report.amount);
      end if;
    when 'paid' then perform private.take_payment(session, report);
    when 'refunded', 'refund_failed' then perform private.take_refund(session, report);
    when 'payment_reversed' then perform private.take_reversal(session, report);
    when 'noted' then null;
    else perform private.refuse('VALIDATION_ERROR', 'There is no such report.', 'status', to_jsonb(report.status));
  end case;
  if report.note is not null and report.status <> 'refund_failed' then
    perform private.note_payment(session.tenant_id, session.order_id, report.note);
  end if;
end
$$;
comment on function private.take_report is 'Records a report of a provider on the payment of a session.';

create function private.record_payment_reports(provider public.payment_provider, reports jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  report private.provider_report;
  session public.payment_sessions;
  taken integer := 0;
begin
  for report in
    select (jsonb_populate_record(null::private.provider_report, r.value)).*
    from jsonb_array_elements(reports) with ordinality as r (value, position)
    order by r.position
  loop
    -- The order first, as all do that change its payments.
    perform 1
    from public.orders o
    join public.payment_sessions s on s.tenant_id = o.tenant_id and s.order_id = o.id
    where s.tenant_id = report.tenant_id and s.id = report.session_id and s.provider = record_payment_reports.provider
    for update of o;
    continue when not found;
    select * into session
    from public.payment_sessions s
    where s.tenant_id = report.tenant_id and s.id = report.session_id
    for update;
    perform private.take_report(session, report);
    taken := taken + 1;
  end loop;
  return jsonb_build_object('taken', taken);
end
$$;
comment on function private.record_payment_reports is 'See public.record_payment_reports.';

create function public.record_payment_reports(provider public.payment_provider, reports jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.record_payment_reports(provider, reports);
end
$$;
comment on function public.record_payment_reports is
  'For the function payments: records what a provider reports, a list of {tenant_id, session_id, status, reference, amount, refund_id, refund_reference, note}, in this order. status: processing, authorized, cancelled, failed, paid, refunded, refund_failed, payment_reversed, or noted for the note alone. A repetition changes nothing; reports on unknown sessions are left out. Returns {taken: their number}.';

-- functions: capturing -------------------------------------------------------------------------

create function private.session_to_capture(session_id uuid) returns public.payment_sessions
language plpgsql security definer set search_path = ''
as $$
declare
  session public.payment_sessions;
  target public.orders;
begin
  select * into session
  from public.payment_sessions s
  where s.tenant_id = private.tenant_id() and s.id = session_to_capture.session_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such payment session.');
  end if;
  select * into target
  from public.orders o
  where o.tenant_id = session.tenant_id and o.id = session.order_id
  for update;
  select * into session
  from public.payment_sessions s
  where s.tenant_id = session.tenant_id and s.id = session.id;
  if session.status <> (case session.provider when 'manual' then 'open' else 'authorized' end)::public.payment_session_status then
    perform private.refuse(
      'INVALID_TRANSITION', format('The payment session is %s: there is nothing to capture.', session.status),
      'status', to_jsonb(session.status)
    );
  end if;
  perform private.insist_on_unpaid(target);
  -- Items may have been cancelled since.
  update public.payment_sessions s
  set amount = private.owed_amount(target)
  where s.tenant_id = session.tenant_id and s.id = session.id
  returning * into session;
  return session;
end
$$;
comment on function private.session_to_capture is
  'A session whose money can be captured, with the present price; its order is locked. Refuses with NOT_FOUND, INVALID_TRANSITION.';

create function private.capture_payment(session_id uuid, reference text) returns public.payment_sessions
language plpgsql security definer set search_path = ''
as $$
declare
  session public.payment_sessions;
begin
  perform private.require_permission('payments.write', 'Your role may not capture payments.');
  session := private.session_to_capture(capture_payment.session_id);
  if session.provider = 'manual' then
    if private.is_reported(session, 'paid', capture_payment.reference) then
      perform private.refuse(
        'CONFLICT', 'A payment of this order was reported with this reference.', 'reference', to_jsonb(reference)
      );
    end if;
    perform private.take_payment(
      session,
      row(
        session.tenant_id, session.id, 'paid', coalesce(capture_payment.reference, session.id::text), session.amount,
        null, null, null
      )::private.provider_report
    );
    select * into session
    from public.payment_sessions s
    where s.tenant_id = session.tenant_id and s.id = session.id;
  end if;
  return session;
end
$$;
comment on function private.capture_payment is 'See public.capture_payment. Returns the session.';

create function public.capture_payment(session_id uuid, reference text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  session constant public.payment_sessions := private.capture_payment(session_id, reference);
begin
  return jsonb_build_object('session', to_jsonb(session), 'charge', private.charge_of(session));
end
$$;
comment on function public.capture_payment is
  'For clients and admins: takes the money of a session, for the present price of the order. A manual session is then paid, with this reference (by default its id). An authorized one is returned with what its provider is asked for: {session, charge}. Refuses with FORBIDDEN, NOT_FOUND, INVALID_TRANSITION, VALIDATION_ERROR (reference).';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.record_payment_reports to service_role;
grant execute on function public.record_payment_reports to service_role;
grant execute on function private.capture_payment to authenticated;
grant execute on function public.capture_payment to authenticated;
