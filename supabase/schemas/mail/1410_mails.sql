-- Mails: the outbox. A mail is written in the transaction of its event. There is one mail for each event, kind and
-- address, even if the event is repeated. The dispatcher renders and sends it.

-- types ----------------------------------------------------------------------------------------

create type public.mail_status as enum ('pending', 'retrying', 'success', 'failed', 'suppressed');

create type private.recipient as (address text, name text, languages text[], marketplace_id uuid);
comment on type private.recipient is
  'The recipient of a mail. languages: in the order of preference. marketplace_id: the marketplace that the mail comes from; null if it comes from none.';

create type private.new_mail as (
  tenant_id uuid, template text, cause_id uuid, event_id uuid, event_at timestamptz, recipient private.recipient,
  variables jsonb, is_test boolean, is_unpaid boolean, is_for_members boolean, order_id uuid
);
comment on type private.new_mail is
  'A mail to write: its kind, cause, recipient and variables. is_unpaid, is_for_members, order_id: as in public.mails.';

create table public.mails (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  template text not null,
  -- The event, or another record that the mail is about.
  cause_id uuid not null,
  event_id uuid,
  -- Finds the event in the partition of its day.
  event_at timestamptz,
  marketplace_id uuid,
  "to" text not null,
  name text not null default '',
  languages text[] not null default '{}',
  variables jsonb not null default '{}',
  is_test boolean not null default false,
  is_unpaid boolean not null default false,
  is_for_members boolean not null default false,
  -- Without a foreign key: it finds the mails about an order when a customer is erased.
  order_id uuid,
  subject text,
  status public.mail_status not null default 'pending',
  attempts integer not null default 0,
  error text,
  provider_id text,
  next_attempt_at timestamptz default now(),
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint mails_tenant_id_id_key unique (tenant_id, id),
  constraint cause_id_is_unique_in_mails unique (tenant_id, cause_id, template, "to"),
  constraint mails_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id) on delete set null (marketplace_id),
  constraint mails_variables_is_at_most_64_kb check (octet_length(variables::text) <= 65536),
  constraint mails_variables_is_without_numbers_of_over_30_digits check (private.has_short_numbers(variables)),
  constraint mails_to_is_an_address check (private.is_email("to")),
  constraint mails_next_attempt_at_is_set_while_there_is_one
    check ((next_attempt_at is not null) = (status in ('pending', 'retrying'))),
  constraint mails_sent_at_is_set_when_it_was_sent check ((sent_at is not null) = (status = 'success')),
  constraint mails_error_is_set_when_it_failed check (status not in ('failed', 'suppressed') or error is not null)
);
comment on table public.mails is
  'A mail to an address: waiting, sent or failed. template: the key of its kind or e-mail template. languages: in the order of preference. variables: what the mail shows, in addition to the data of its event. is_test: sent by an admin to itself, with samples for variables that were not sent along. is_unpaid: about an order that was not paid, and caused by somebody other than the shop. is_for_members: tells suppliers or admins of an order or an application, which anybody can send, within a bound of their own. order_id: the order that it is about, or null. subject: as rendered at the first attempt. error: of the last attempt; if the mail was sent, why the built-in mail has replaced the tenant''s. provider_id: the mail''s id at the provider.';
alter table public.mails replica identity using index mails_tenant_id_id_key;

create table private.mail_contents (
  mail_id uuid not null,
  tenant_id uuid not null,
  subject text not null,
  html text not null,
  text text not null,
  constraint mail_contents_pkey primary key (mail_id, tenant_id),
  constraint mail_contents_mail_id_fkey foreign key (tenant_id, mail_id)
    references public.mails (tenant_id, id) on delete cascade,
  constraint mail_contents_is_at_most_90_kb check (octet_length(html) + octet_length(text) <= 92160)
);
comment on table private.mail_contents is
  'Letters as rendered at the first attempt, so that all attempts send the same content. Deleted when they are sent, since they may contain the token of an invitation.';

-- indexes --------------------------------------------------------------------------------------

create index mails_tenant_id_created_at_idx on public.mails (tenant_id, created_at desc, id);
create index mails_marketplace_idx on public.mails (tenant_id, marketplace_id);
create index mails_to_idx on public.mails (tenant_id, "to", created_at desc);
create index mails_status_idx on public.mails (tenant_id, created_at desc, id) where status <> 'success';
create index mails_provider_id_idx on public.mails (provider_id) where provider_id is not null;
create index mails_order_idx on public.mails (tenant_id, order_id) where order_id is not null;
create index mails_created_at_idx on public.mails (created_at);

-- functions: recipients ---------------------------------------------------------------------------

create function private.shop_of(tenant_id uuid, marketplace_id uuid) returns public.marketplaces
language sql stable security definer set search_path = ''
as $$
  select m.*
  from public.marketplaces m
  where m.tenant_id = shop_of.tenant_id and (shop_of.marketplace_id is null or m.id = shop_of.marketplace_id)
  order by m.status = 'active' desc, m.created_at, m.id
  limit 1
$$;
comment on function private.shop_of is
  'The marketplace that a mail comes from: the one it is about, or else the tenant''s oldest active one. Null if there is none.';

create function private.recipient(
  tenant_id uuid, address text, name text, language text, marketplace_id uuid
) returns private.recipient
language plpgsql stable security definer set search_path = ''
as $$
declare
  shop public.marketplaces := private.shop_of(recipient.tenant_id, recipient.marketplace_id);
begin
  return (
    lower(address), coalesce(recipient.name, ''), array_remove(array[recipient.language, shop.language], null), shop.id
  );
end
$$;
comment on function private.recipient is 'A recipient, whose languages are its own and the marketplace''s.';

create function private.members_to_notify(tenant_id uuid, supplier_id uuid, marketplace_id uuid)
returns setof private.recipient
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  select r.*
  from (
    select m.email, m.name, private.account_language(u.raw_user_meta_data) as language
    from public.members m
    join auth.users u on u.id = m.user_id
    where m.tenant_id = members_to_notify.tenant_id
      and m.status = 'active'
      and not m.is_key
      and case
        when members_to_notify.supplier_id is null then m.role = 'admin'
        else m.role = 'supplier' and m.supplier_id = members_to_notify.supplier_id
      end
      and private.is_email(m.email)
    order by m.created_at, m.user_id
    limit private.cap('mail_recipients')
  ) m
  cross join lateral private.recipient(
    members_to_notify.tenant_id, m.email, m.name, m.language, members_to_notify.marketplace_id
  ) r;
end
$$;
comment on function private.members_to_notify is
  'The active members who act for a supplier, or the admins if supplier_id is null: the oldest ones, at most the cap mail_recipients.';

create function private.buyer_of(tenant_id uuid, order_id uuid) returns setof private.recipient
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  select r.*
  from public.orders o
  join public.customers c on c.tenant_id = o.tenant_id and c.id = o.customer_id
  cross join lateral private.recipient(
    o.tenant_id, coalesce(o.contact ->> 'email', c.email), coalesce(o.contact ->> 'name', c.name),
    coalesce(o.language, c.language), o.marketplace_id
  ) r
  where o.tenant_id = buyer_of.tenant_id and o.id = buyer_of.order_id
    and coalesce(o.contact ->> 'email', c.email) is not null;
end
$$;
comment on function private.buyer_of is 'The recipient of the mails about an order: its contact, or else its customer; none if neither has an address.';

create function private.suppliers_concerned(tenant_id uuid, data jsonb) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  this_order constant uuid := (data #>> '{order,id}')::uuid;
begin
  if data ?| '{product,shipment,return,payout}' then
    return array[
      coalesce(data -> 'shipment', data -> 'return', data -> 'product', data -> 'payout') ->> 'supplier_id'
    ]::uuid[];
  elsif data ? 'cancellation' then
    return array(
      select distinct i.supplier_id
      from public.order_cancellation_items c
      join public.order_items i on i.tenant_id = c.tenant_id and i.order_id = c.order_id and i.id = c.item_id
      where c.tenant_id = suppliers_concerned.tenant_id and c.order_id = this_order
        and c.cancellation_id = (data #>> '{cancellation,id}')::uuid
    );
  end if;
  return array(
    select p.supplier_id
    from public.order_parts p
    where p.tenant_id = suppliers_concerned.tenant_id and p.order_id = this_order
      and p.supplier_id is not null
    order by p.supplier_id
  );
end
$$;
comment on function private.suppliers_concerned is
  'The suppliers that an event is about: that of its product, shipment, return or payout, those of its cancelled items, or all of its order. Null stands for the operator, where the event is about what it sells itself.';

create function private.usual_audience(data jsonb) returns public.mail_audience
language sql immutable set search_path = ''
as $$
  select case
    when data ? 'order' then 'buyer'
    when data ? 'user' then null
    when data ? 'product' then 'supplier'
    else 'admins'
  end::public.mail_audience
$$;
comment on function private.usual_audience is
  'Who gets the mails about an event unless their kind says otherwise: the buyer of its order, the supplier of its product, or else the admins. Null: its user.';

create function private.recipients_of(tenant_id uuid, data jsonb, audience public.mail_audience)
returns table (recipient private.recipient, supplier_id uuid, place bigint)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  if audience = 'buyer' then
    return query
    select b, null::uuid, 1::bigint
    from private.buyer_of(recipients_of.tenant_id, (data #>> '{order,id}')::uuid) b;
  elsif audience = 'supplier' then
    return query
    select m, s.id, row_number() over (partition by s.id)
    from unnest(private.suppliers_concerned(recipients_of.tenant_id, data)) as s (id)
    cross join lateral private.members_to_notify(
      recipients_of.tenant_id, s.id, (coalesce(data -> 'order', data -> 'product') ->> 'marketplace_id')::uuid
    ) m;
  elsif audience = 'admins' then
    return query
    select m, null::uuid, row_number() over ()
    from private.members_to_notify(recipients_of.tenant_id, null, (data #>> '{order,marketplace_id}')::uuid) m;
  else
    return query
    select r, null::uuid, 1::bigint
    from private.recipient(
      recipients_of.tenant_id, data #>> '{user,email}', data #>> '{user,name}',
      (
        select private.account_language(u.raw_user_meta_data)
        from auth.users u
        where u.id = (data #>> '{user,id}')::uuid
      ),
      null
    ) r
    where private.is_email(lower(data #>> '{user,email}'));
  end if;
end
$$;
comment on function private.recipients_of is
  'The recipients of a mail about an event: an audience, or without one the user of the event. supplier_id: the supplier that a recipient acts for; null also for the admins, who act for the operator. place: among the recipients of one supplier.';

create function private.is_mail_due(template text, tenant_id uuid, data jsonb) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  this_order constant uuid := (data #>> '{order,id}')::uuid;
begin
  return case template
    when 'shipment_sent' then exists (
      select
      from public.shipments s
      where s.tenant_id = is_mail_due.tenant_id and s.order_id = this_order
        and s.id = (data #>> '{shipment,id}')::uuid and coalesce(s.tracking_number, s.tracking_url) is not null
    )
    -- The mail about the last shipment tells it, with the tracking number, unless another one had none to tell.
    when 'order_shipped' then not exists (
      select
      from public.shipments s
      where s.tenant_id = is_mail_due.tenant_id and s.order_id = this_order
        and s.created_at >= now() and coalesce(s.tracking_number, s.tracking_url) is not null
    ) or exists (
      select
      from public.shipments s
      where s.tenant_id = is_mail_due.tenant_id and s.order_id = this_order
        and s.status <> 'void' and coalesce(s.tracking_number, s.tracking_url) is null
    )
    -- The mail about the cancelled order lists all its items.
    when 'items_cancelled' then data #>> '{order,status}' <> 'cancelled'
    else true
  end;
end
$$;
comment on function private.is_mail_due is
  'Whether an event sends a kind of mail: shipments with tracking have one of their own, and what a cancelled or shipped order tells is not sent twice.';

-- functions: outbox ------------------------------------------------------------------------------

create function private.mail_kinds_on(tenant_id uuid, event text, status text)
returns table (template text, is_own boolean, audience public.mail_audience)
language sql stable security definer set search_path = ''
as $$
  select l.key, false, l."to"
  from private.mail_kinds l
  where l.event = mail_kinds_on.event and (l.status is null or l.status = mail_kinds_on.status)
  union all
  select t.key, true, t."to"
  from public.email_templates t
  where t.tenant_id = mail_kinds_on.tenant_id and t.trigger_events <> '{}' and mail_kinds_on.event = any (t.trigger_events)
$$;
comment on function private.mail_kinds_on is 'The kinds of mail that an event sends: built-in ones, and those of the tenant.';

create function private.is_unpaid_by_buyer(tenant_id uuid, event text, data jsonb) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (
      select not private.was_paid(o.payment_status)
      from public.orders o
      where o.tenant_id = is_unpaid_by_buyer.tenant_id and o.id = (data #>> '{order,id}')::uuid
    )
    and (
      is_unpaid_by_buyer.event = 'order.created'
      or (private.tenant_role() in ('admin', 'supplier', 'client')) is not true
    ),
    false
  );
end
$$;
comment on function private.is_unpaid_by_buyer is
  'Whether an event is about an order that is not paid, and was not caused by the shop after the order was placed. Everybody can cause such events, with any address.';

create function private.write_mails(mails private.new_mail[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.mails (
    tenant_id, template, cause_id, event_id, event_at, marketplace_id, "to", name, languages, variables, is_test,
    is_unpaid, is_for_members, order_id, status, next_attempt_at, error
  )
  select
    m.tenant_id, m.template, m.cause_id, m.event_id, m.event_at, (m.recipient).marketplace_id, (m.recipient).address,
    (m.recipient).name, (m.recipient).languages, m.variables, m.is_test, m.is_unpaid,
    m.is_for_members, m.order_id,
    case when m.number > m.most then 'suppressed' else 'pending' end::public.mail_status,
    case when m.number <= m.most then now() end,
    case when m.number > m.most then format('This would be more than the %s mails of one event.', m.most) end
  from (
    select
      w.*,
      b.most,
      row_number() over (partition by w.tenant_id, w.cause_id, w.is_for_members order by w.position) + (
        select count(*)
        from (
          select from public.mails m
          where m.tenant_id = w.tenant_id and m.cause_id = w.cause_id and m.is_for_members = w.is_for_members
          limit b.most
        ) as before
      ) as number
    from unnest(write_mails.mails) with ordinality as w (
      tenant_id, template, cause_id, event_id, event_at, recipient, variables, is_test, is_unpaid, is_for_members,
      order_id, position
    )
    cross join lateral private.cap(case when w.is_for_members then 'order_mails_per_event' else 'mails_per_event' end) as b (most)
    where private.is_email((w.recipient).address)
    order by w.position
  ) m
  on conflict on constraint cause_id_is_unique_in_mails do nothing;
end
$$;
comment on function private.write_mails is
  'Writes mails that are not written yet. Mails of an event beyond the cap mails_per_event are suppressed, those that tell members of an order beyond order_mails_per_event. A recipient whose address is not valid is left out: no event fails because of its mails.';

create function private.write_mail(
  template text, cause_id uuid, tenant_id uuid, recipients private.recipient[], variables jsonb,
  is_test boolean default false, is_for_members boolean default false
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mails(array(
    select row(
      write_mail.tenant_id, write_mail.template, write_mail.cause_id, null, null, r, write_mail.variables,
      write_mail.is_test, false, write_mail.is_for_members, null
    )::private.new_mail
    from unnest(recipients) as r
  ));
end
$$;
comment on function private.write_mail is 'Writes the mails of a kind that is not sent on an event.';

create function private.reader_of_mail(
  audience public.mail_audience, data jsonb, recipient private.recipient, supplier public.suppliers
) returns jsonb
language sql immutable set search_path = ''
as $$
  select case
    when audience <> 'buyer' and data ?| '{order,payout}' then jsonb_strip_nulls(jsonb_build_object(
      'user', jsonb_build_object('name', recipient.name, 'email', recipient.address),
      'supplier', case when supplier.id is not null then jsonb_build_object('id', supplier.id, 'name', supplier.name) end
    ))
    else '{}'
  end
$$;
comment on function private.reader_of_mail is
  'The variables of a mail about a payout, or about an order to somebody else than the buyer: user, and the supplier that it acts for, whose part of the order is all that the mail shows.';

create function private.write_mails_of_events() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mails(array(
    select row(
      e.tenant_id, w.template, e.id, e.id, e.created_at, r.recipient,
      private.reader_of_mail(w.audience, e.payload -> 'data', r.recipient, s),
      -- Members hear of every order, also of those that are not paid yet.
      false, u.is_unpaid and not w.is_for_members, w.is_for_members and e.payload -> 'data' ? 'order',
      (e.payload #>> '{data,order,id}')::uuid
    )::private.new_mail
    from (
      -- Looked up once for each kind of event: an import writes thousands of events in one statement.
      select k.*, l.*, coalesce(l.audience <> 'buyer', false) as is_for_members
      from (select distinct e.tenant_id, e.name, e.status from new_events e) k
      cross join lateral private.mail_kinds_on(k.tenant_id, k.name, k.status) as l
    ) w
    join new_events e
      on e.tenant_id = w.tenant_id and e.name = w.name and e.status is not distinct from w.status
    cross join lateral private.recipients_of(
      e.tenant_id, e.payload -> 'data', coalesce(w.audience, private.usual_audience(e.payload -> 'data'))
    ) r
    left join public.suppliers s on s.tenant_id = e.tenant_id and s.id = r.supplier_id
    cross join lateral private.is_unpaid_by_buyer(e.tenant_id, e.name, e.payload -> 'data') as u (is_unpaid)
    where private.is_mail_due(w.template, e.tenant_id, e.payload -> 'data')
    -- Within the bound of an event, the built-in mails come first, and of them one for each supplier.
    order by e.created_at, w.is_own, r.place, w.audience nulls first
  ));
  return null;
end
$$;
comment on function private.write_mails_of_events() is
  'Statement trigger: writes a mail for each event, kind and recipient.';

create function private.queue_mails() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.queue_jobs('mails', array_agg(w.tenant_id), array_agg(w.id), array_agg(w.next_attempt_at))
  from written w
  where w.next_attempt_at is not null;
  return null;
end
$$;
comment on function private.queue_mails() is 'Statement trigger: queues new mails and wakes the dispatcher.';

-- triggers -------------------------------------------------------------------------------------

create trigger mails_queue
  after insert on public.mails
  referencing new table as written
  for each statement execute function private.queue_mails();

create trigger mails_delete_jobs
  after delete on public.mails
  referencing old table as deleted
  for each statement execute function private.delete_jobs('mails');

create trigger mails_touch
  before update on public.mails
  for each row execute function private.touch();

create trigger events_write_mails
  after insert on public.events
  referencing new table as new_events
  for each statement execute function private.write_mails_of_events();

-- policies -------------------------------------------------------------------------------------

alter table public.mails enable row level security;
alter table private.mail_contents enable row level security;

create policy "Admins see their tenant's mails" on public.mails
  for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.scope('mails.read')) = 'all');

-- grants ---------------------------------------------------------------------------------------

grant select on public.mails to authenticated;
grant select on public.mails to service_role;
revoke insert, update, delete, truncate on public.mails from service_role;
