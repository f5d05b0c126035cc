-- Events: what happened, written by triggers in the transaction in which it happened. An event exists
-- if and only if its change was committed.

-- tables ---------------------------------------------------------------------------------------

create table private.event_types (
  name text primary key
);
comment on table private.event_types is 'Every event name there is.';

insert into private.event_types (name) values
  ('order.created'), ('order.status_changed'), ('order.cancelled'), ('order.completed'),
  ('payment.succeeded'), ('payment.failed'), ('payment.refunded'),
  ('product.created'), ('product.updated'), ('product.out_of_stock'),
  ('user.registered'), ('user.verified'),
  ('content.created'), ('content.status_changed'), ('content.published'), ('content.deleted');

create table public.events (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  name text not null references private.event_types (name),
  payload jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint events_tenant_id_id_key unique (tenant_id, id)
);
comment on table public.events is
  'What happened in a tenant. The payload is what webhooks carry, as it was at that time, and never changes.';

-- indexes --------------------------------------------------------------------------------------

create index events_tenant_id_created_at_idx on public.events (tenant_id, created_at desc, id);
create index events_name_idx on public.events (name);

-- functions ------------------------------------------------------------------------------------

create function private.emit(tenant_id uuid, name text, data jsonb, beside jsonb default '{}') returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.events (tenant_id, name, payload)
  values (
    emit.tenant_id, emit.name,
    jsonb_build_object(
      'event', emit.name,
      'timestamp', to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'data', data
    ) || beside
  );
end
$$;
comment on function private.emit is
  'Writes an event: event, timestamp and data, and what stands beside them at the top level.';

create function private.order_event_data(order_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('order', to_jsonb(d) || jsonb_build_object('total', d.total_amount))
    from public.order_details d
    where d.id = order_event_data.order_id
  );
end
$$;
comment on function private.order_event_data is 'The data of an order event: the whole record, its amount also as total.';

create function private.emit_order_created() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(new.tenant_id, 'order.created', private.order_event_data(new.id));
  return null;
end
$$;
comment on function private.emit_order_created() is 'Row trigger at commit, when the order has its items.';

create function private.emit_order_status_changed() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  data jsonb := private.order_event_data(new.id);
begin
  perform private.emit(
    new.tenant_id, 'order.status_changed', data,
    jsonb_build_object('order_id', new.id, 'old_status', old.status, 'new_status', new.status)
  );
  if new.status = 'cancelled' then
    perform private.emit(new.tenant_id, 'order.cancelled', data);
  elsif new.status = 'delivered' then
    perform private.emit(new.tenant_id, 'order.completed', data);
  end if;
  return null;
end
$$;
comment on function private.emit_order_status_changed() is 'Row trigger: every move is an event, and some are two.';

create function private.emit_payment_reported() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(
    new.tenant_id,
    case new.status when 'paid' then 'payment.succeeded' else 'payment.' || new.status end,
    jsonb_build_object('payment', to_jsonb(new)) || private.order_event_data(new.order_id)
  );
  return null;
end
$$;
comment on function private.emit_payment_reported() is
  'Row trigger at commit: every report on a payment is an event, with the payment and its order.';

create function private.product_event_data(product_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('product', private.product_record(product_id));
end
$$;
comment on function private.product_event_data is 'The data of a product event: the whole record.';

create function private.emit_product_event() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  now_is public.products;
begin
  if tg_op = 'INSERT' then
    perform private.emit(new.tenant_id, 'product.created', private.product_event_data(new.id));
    return null;
  end if;

  -- The transaction is at its end: what the product is now it stays. What is new or gone again has
  -- nothing to tell but that.
  select p.* into now_is from public.products p where p.id = new.id and p.created_at <> now();
  if not found then
    return null;
  end if;
  if new.status = 'out_of_stock' and old.status <> 'out_of_stock' and now_is.status = 'out_of_stock' then
    perform private.emit(new.tenant_id, 'product.out_of_stock', private.product_event_data(new.id));
    if old.updated_at <> now() then
      return null;
    end if;
  end if;
  -- Of several changes in one transaction the last one tells.
  if now_is = new then
    perform private.emit(new.tenant_id, 'product.updated', private.product_event_data(new.id));
  end if;
  return null;
end
$$;
comment on function private.emit_product_event() is
  'Row trigger at commit: tells that a product was added, changed or sold out, each once.';

create function private.user_event_data(member public.members) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'user', jsonb_build_object(
      'id', u.id, 'email', member.email, 'name', member.name, 'role', member.role,
      'email_verified', u.email_confirmed_at is not null
    )
  )
  from auth.users u
  where u.id = member.user_id
$$;
comment on function private.user_event_data is 'The data of a user event: who it is, and as what.';

create function private.emit_user_registered() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(new.tenant_id, 'user.registered', private.user_event_data(new));
  return null;
end
$$;
comment on function private.emit_user_registered() is 'Row trigger: a user has become a member of the tenant.';

create function private.emit_user_verified() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.emit(m.tenant_id, 'user.verified', private.user_event_data(m))
  from public.members m
  where m.user_id = new.id;
  return null;
end
$$;
comment on function private.emit_user_verified() is
  'Row trigger: a user''s address was confirmed, which each tenant learns that the user is a member of.';

-- triggers -------------------------------------------------------------------------------------

create constraint trigger orders_emit_created
  after insert on public.orders
  deferrable initially deferred
  for each row execute function private.emit_order_created();

-- The history is written after the move; at commit the payload holds both.
create constraint trigger orders_emit_status_changed
  after update of status on public.orders
  deferrable initially deferred
  for each row when (old.status is distinct from new.status)
  execute function private.emit_order_status_changed();

create constraint trigger payments_emit_reported
  after insert on public.payments
  deferrable initially deferred
  for each row execute function private.emit_payment_reported();

create constraint trigger products_emit_created
  after insert on public.products
  deferrable initially deferred
  for each row execute function private.emit_product_event();

create constraint trigger products_emit_updated
  after update on public.products
  deferrable initially deferred
  for each row when (old.* is distinct from new.*)
  execute function private.emit_product_event();

create trigger members_emit_user_registered
  after insert on public.members
  for each row execute function private.emit_user_registered();

create trigger members_emit_user_verified
  after update of email_confirmed_at on auth.users
  for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null)
  execute function private.emit_user_verified();

-- policies -------------------------------------------------------------------------------------

alter table private.event_types enable row level security;
alter table public.events enable row level security;

create policy "Admins and clients see their tenant's events" on public.events
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'client')
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.events to authenticated;
grant all on public.events to service_role;
