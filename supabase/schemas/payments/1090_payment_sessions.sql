-- Payment sessions: a buyer begins to pay an order by a provider. The function `payments` asks the provider; what the provider
-- reports becomes a row of public.payments, by its rules.

-- types ----------------------------------------------------------------------------------------

create type public.payment_provider as enum ('manual', 'stripe');
comment on type public.payment_provider is
  'Who takes payments. manual: the operator itself, by bank transfer or in cash.';

create type public.payment_session_status as enum (
  'open', 'processing', 'authorized', 'paid', 'cancelled', 'refused', 'reversed'
);
comment on type public.payment_session_status is
  'open: the buyer may pay. processing: the buyer has paid, and the money is on its way. authorized: the money is reserved and can be captured. refused: the order could not take the money, which is given back.';

create type public.refund_status as enum ('pending', 'succeeded', 'failed');

-- tables ---------------------------------------------------------------------------------------

create table public.payment_sessions (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  provider public.payment_provider not null,
  status public.payment_session_status not null default 'open',
  amount numeric not null,
  currency text not null,
  return_url text,
  reference text,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now(),
  constraint payment_sessions_pkey primary key (tenant_id, id),
  constraint payment_sessions_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint payment_sessions_amount_is_positive check (amount > 0),
  constraint payment_sessions_amount_is_of_at_most_4_decimals check (scale(amount) <= 4),
  constraint payment_sessions_reference_is_1_to_200_characters
    check (char_length(reference) >= 1 and char_length(reference) <= 200)
);
comment on table public.payment_sessions is
  'Payments that buyers have begun, by a provider. amount: the price of the order when it was last asked for. return_url: the page that the buyer comes back to. reference: the payment at the provider, once it is known. actor_id: the account or API key that began it.';

create table public.refunds (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  order_id uuid not null,
  session_id uuid not null,
  is_booked boolean not null,
  provider public.payment_provider not null,
  payment_reference text not null,
  amount numeric not null,
  currency text not null,
  reason text,
  status public.refund_status not null default 'pending',
  reference text,
  error text,
  actor_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now(),
  constraint refunds_pkey primary key (tenant_id, id),
  constraint refunds_order_id_fkey foreign key (tenant_id, order_id)
    references public.orders (tenant_id, id) on delete cascade,
  constraint refunds_session_id_fkey foreign key (tenant_id, session_id)
    references public.payment_sessions (tenant_id, id) on delete cascade,
  constraint refunds_amount_is_positive check (amount > 0),
  constraint refunds_amount_is_of_at_most_4_decimals check (scale(amount) <= 4),
  constraint refunds_reason_is_1_to_2000_characters
    check (char_length(reason) >= 1 and char_length(reason) <= 2000 and private.is_more_than_spaces(reason))
);
comment on table public.refunds is
  'Money that a provider is asked to give back. is_booked: whether it is in the order''s payments, with its id as reference; not so for money that the order could not take. payment_reference: the payment at the provider, reference: the refund there, or the payment if its money was only reserved and is released. error: why the last attempt failed.';

-- indexes --------------------------------------------------------------------------------------

create index payment_sessions_order_idx on public.payment_sessions (tenant_id, order_id, created_at desc, id);
-- A buyer pays an order once with each provider.
create unique index payment_sessions_begun_idx on public.payment_sessions (tenant_id, order_id, provider)
  where status in ('open', 'processing', 'authorized');
create index refunds_order_idx on public.refunds (tenant_id, order_id, created_at desc, id);
create index refunds_session_idx on public.refunds (tenant_id, session_id);
-- Money that an order could not take is given back once.
create unique index refunds_of_refused_payments_idx on public.refunds (tenant_id, session_id, payment_reference)
  where not is_booked;

-- functions: beginning -------------------------------------------------------------------------

create function private.insist_on_unpaid(target public.orders) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if target.payment_status not in ('pending', 'failed') then
    perform private.refuse(
      'INVALID_TRANSITION', format('The payment_status of the order is %s: there is nothing to pay.', target.payment_status),
      'payment_status', to_jsonb(target.payment_status)
    );
  elsif private.owed_amount(target) = 0 then
    perform private.refuse(
      'INVALID_TRANSITION', format('The order is %s and costs nothing: there is nothing to pay.', target.status),
      'status', to_jsonb(target.status)
    );
  elsif target.status = 'cancelled' then
    perform private.refuse(
      'INVALID_TRANSITION', 'The order is cancelled and cannot be paid.', 'status', to_jsonb(target.status)
    );
  end if;
end
$$;
comment on function private.insist_on_unpaid is 'Refuses with INVALID_TRANSITION an order that nobody can pay now.';

create function private.charge_of(session public.payment_sessions) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'tenant_id', session.tenant_id, 'order_id', session.order_id, 'session_id', session.id,
    'reference', session.reference,
    -- A text, so that no program reads it as a floating point number.
    'amount', session.amount::text, 'currency', session.currency,
    'capture', coalesce(private.business_of(o.marketplace_id) ->> 'payment_capture', 'automatic')
  )
  from public.orders o
  where o.tenant_id = session.tenant_id and o.id = session.order_id
$$;
comment on function private.charge_of is 'What a provider is asked for: the payment of a session.';

create function private.begin_payment(order_id uuid, provider public.payment_provider, return_url text)
returns public.payment_sessions
language plpgsql security definer set search_path = ''
as $$
declare
  target public.orders;
  session public.payment_sessions;
begin
  perform private.require_permission('payments.begin', 'Your role may not pay orders.');
  target := private.seen_order(begin_payment.order_id);
  perform private.insist(
    return_url is null or private.is_address(to_jsonb(return_url)), 'return_url', 'an address (https://…)',
    to_jsonb(return_url)
  );
  -- Its price and its status may change until the row is locked.
  select * into target from public.orders o where o.tenant_id = target.tenant_id and o.id = target.id for update;
  perform private.insist_on_unpaid(target);
  update public.payment_sessions s
  set amount = case s.status when 'open' then private.owed_amount(target) else s.amount end,
      return_url = coalesce(begin_payment.return_url, s.return_url)
  where s.tenant_id = target.tenant_id and s.order_id = target.id and s.provider = begin_payment.provider
    and s.status in ('open', 'processing', 'authorized')
  returning * into session;
  if found then
    return session;
  elsif (
    select count(*) from public.payment_sessions s where s.tenant_id = target.tenant_id and s.order_id = target.id
  ) >= private.cap('payment_sessions_per_order') then
    perform private.refuse_beyond(
      'payment_sessions_per_order', 'This order was begun to be paid too often. Ask the seller.', null, null
    );
  end if;
  insert into public.payment_sessions (tenant_id, order_id, provider, amount, currency, return_url, actor_id)
  values (
    target.tenant_id, target.id, begin_payment.provider, private.owed_amount(target), target.currency,
    begin_payment.return_url, auth.uid()
  )
  returning * into session;
  return session;
end
$$;
comment on function private.begin_payment is 'See public.begin_payment. Returns the session.';

create function private.payment_instructions(order_id uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select private.business_of(o.marketplace_id) ->> 'payment_instructions'
  from public.orders o
  where o.tenant_id = private.tenant_id() and o.id = payment_instructions.order_id
$$;
comment on function private.payment_instructions is
  'How a buyer pays an order without a service, in the words of its marketplace; null if it has set none.';

create function public.begin_payment(
  order_id uuid, provider public.payment_provider, return_url text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  session constant public.payment_sessions := private.begin_payment(order_id, provider, return_url);
begin
  return jsonb_build_object(
    'session', to_jsonb(session), 'charge', private.charge_of(session),
    'instructions', case provider when 'manual' then private.payment_instructions(order_id) end
  );
end
$$;
comment on function public.begin_payment is
  'For the buyer, clients and admins: begins to pay an order by a provider, or goes on with the payment that was begun, at the present price. Returns {session, charge: what the provider is asked for, with amount as a text, instructions: the marketplace''s text for the provider manual}. Refuses with FORBIDDEN, NOT_FOUND (the order), INVALID_TRANSITION (there is nothing to pay), VALIDATION_ERROR (return_url), LIMIT_REACHED.';

create function private.record_payment_session(tenant_id uuid, session_id uuid, reference text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  session public.payment_sessions;
begin
  -- The provider may have reported the payment before it answered.
  update public.payment_sessions s
  set reference = case s.status when 'open' then record_payment_session.reference else s.reference end
  where s.tenant_id = record_payment_session.tenant_id and s.id = record_payment_session.session_id
  returning * into session;
  return to_jsonb(session);
end
$$;
comment on function private.record_payment_session is 'See public.record_payment_session.';

create function public.record_payment_session(tenant_id uuid, session_id uuid, reference text) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.record_payment_session(tenant_id, session_id, reference);
end
$$;
comment on function public.record_payment_session is
  'For the function payments: stores the payment that a provider has made for a session, and returns the session. A session on which the provider has reported meanwhile keeps what that said.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.payment_sessions
  for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.refunds for each row execute function private.keep_nfc();

create trigger payment_sessions_touch
  before update on public.payment_sessions
  for each row execute function private.touch();

create trigger refunds_touch
  before update on public.refunds
  for each row execute function private.touch();

create trigger refunds_delete_jobs
  after delete on public.refunds
  referencing old table as deleted
  for each statement execute function private.delete_jobs('refunds');

-- policies -------------------------------------------------------------------------------------

alter table public.payment_sessions enable row level security;
alter table public.refunds enable row level security;

create policy "Admins and clients see all payment sessions, customers those of their orders" on public.payment_sessions
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('payments.read'))
      when 'own' then (select true from public.orders o where o.id = order_id)
      when 'all' then true
    end
  );

create policy "Admins and clients see all refunds, customers those of their orders" on public.refunds
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('payments.read'))
      when 'own' then (select true from public.orders o where o.id = order_id)
      when 'all' then true
    end
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.payment_sessions, public.refunds to authenticated;
revoke all on public.payment_sessions, public.refunds from service_role;
grant select on public.payment_sessions, public.refunds to service_role;
grant execute on function private.begin_payment, private.charge_of, private.payment_instructions to authenticated;
grant execute on function public.begin_payment to authenticated;
grant execute on function private.record_payment_session to service_role;
grant execute on function public.record_payment_session to service_role;
