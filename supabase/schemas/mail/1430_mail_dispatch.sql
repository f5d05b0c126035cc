-- Dispatch: the function `mail-dispatch` takes mails that are due, renders those that are new and stores the result, and
-- sends one mail after the other. It completes a mail only when the one before it is recorded. So a dispatcher that is
-- killed between a send and its record leaves at most one mail that is sent again: with the same content, Message-ID
-- and idempotency key.
--
-- The queue `mails` has a job for each mail that waits. A dispatcher has a lease of the mails that it has taken.

-- functions: results ----------------------------------------------------------------------------

create function private.end_mail(
  mail_id uuid, status public.mail_status, error text, provider_id text default null, was_tried boolean default true
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.end_job('mails', end_mail.mail_id);
  -- A mail that failed keeps its content for a retry.
  delete from private.mail_contents c where c.mail_id = end_mail.mail_id and end_mail.status = 'success';
  -- One update, since each update of the status writes to all indexes.
  update public.mails m
  set status = end_mail.status,
      attempts = m.attempts + end_mail.was_tried::integer,
      error = end_mail.error,
      provider_id = coalesce(end_mail.provider_id, m.provider_id),
      next_attempt_at = null,
      sent_at = case when end_mail.status = 'success' then clock_timestamp() end
  where m.id = end_mail.mail_id;
end
$$;
comment on function private.end_mail is 'Ends a mail: it was sent, or has failed with this error. was_tried: whether that was an attempt.';

create function private.record_failed_mail(job private.jobs, error text, is_final boolean default false) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  due constant timestamptz := case when not is_final then private.fail_job(job, record_failed_mail.error) end;
begin
  if due is null then
    perform private.end_mail(job.subject_id, 'failed', record_failed_mail.error);
    return;
  end if;
  update public.mails m
  set status = 'retrying', attempts = m.attempts + 1, error = record_failed_mail.error, next_attempt_at = due
  where m.id = job.subject_id;
end
$$;
comment on function private.record_failed_mail is
  'Records a failed attempt and plans the next one; ends the mail if it was the last one, or is_final.';

-- functions: variables of mails ----------------------------------------------------------------

create function private.mail_price(item jsonb, pieces integer) returns numeric
language sql immutable set search_path = ''
as $$
  select i.price * pieces - coalesce(private.share_of(i.discount_amount, pieces, i.quantity), 0)
    - coalesce(private.share_of(i.exempt_amount, pieces, i.quantity), 0)
    + case when i.tax_included is false then private.share_of(i.tax_amount, pieces, i.quantity) else 0 end
  from jsonb_to_record(item) as i (
    price numeric, quantity integer, discount_amount numeric, tax_included boolean, tax_amount numeric, exempt_amount numeric
  )
$$;
comment on function private.mail_price is
  'What a buyer pays for some pieces of an item of an event, as private.price_of. Events from before there were taxes have none.';

create function private.mail_pieces(item jsonb, pieces integer) returns jsonb
language sql immutable set search_path = ''
return item || jsonb_build_object('quantity', pieces, 'amount', private.mail_price(item, pieces));
comment on function private.mail_pieces is 'Some pieces of an item of an order, with their price as amount.';

create function private.mail_order(details jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  with item as materialized (
    select
      i.value as item, i.position,
      n.shipped_quantity - n.delivered_quantity - n.lost_quantity as sent,
      n.cancelled_quantity as cancelled, n.returned_quantity as returned, n.lost_quantity as lost,
      n.quantity - n.cancelled_quantity - n.returned_quantity - n.lost_quantity as kept
    from jsonb_array_elements(details -> 'items') with ordinality as i (value, position)
    cross join lateral jsonb_to_record(i.value) as n (
      quantity integer, shipped_quantity integer, delivered_quantity integer, cancelled_quantity integer,
      returned_quantity integer, lost_quantity integer
    )
  ),
  delivery as (
    select
      coalesce(sum(coalesce(p.delivery_price, p.delivery_amount)) filter (where p.delivery_owed), 0) as owed,
      coalesce(sum(coalesce(p.delivery_price, p.delivery_amount)) filter (where p.status = 'cancelled'), 0) as cancelled
    from jsonb_to_recordset(details -> 'parts') as p (
      status text, delivery_owed boolean, delivery_amount numeric, delivery_price numeric
    )
  )
  select details || jsonb_build_object(
    'sent_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.sent) order by i.position) filter (where i.sent > 0), '[]'),
    'cancelled_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.cancelled) order by i.position) filter (where i.cancelled > 0), '[]'),
    'returned_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.returned) order by i.position) filter (where i.returned > 0), '[]'),
    'lost_items',
      coalesce(jsonb_agg(private.mail_pieces(i.item, i.lost) order by i.position) filter (where i.lost > 0), '[]'),
    'cancelled_amount', sum(a.cancelled) + min(d.cancelled), 'cancelled_delivery', min(d.cancelled),
    'returned_amount', sum(a.returned), 'lost_amount', sum(a.lost),
    'owed_amount', sum(a.kept) + min(d.owed), 'owed_delivery', min(d.owed)
  )
  from item i
  cross join delivery d
  cross join lateral (
    select
      private.mail_price(i.item, i.kept) as kept,
      private.mail_price(i.item, i.kept + i.lost) - private.mail_price(i.item, i.kept) as lost,
      private.mail_price(i.item, i.kept + i.lost + i.returned) - private.mail_price(i.item, i.kept + i.lost) as returned,
      private.mail_price(i.item, i.kept + i.lost + i.returned + i.cancelled)
        - private.mail_price(i.item, i.kept + i.lost + i.returned) as cancelled
  ) as a
$$;
comment on function private.mail_order is
  'The order of an event for a mail, with its pieces in each state as lists and sums: sent_items (on their way), cancelled_items, returned_items, lost_items. owed_amount: its price then, as private.owed_amount. All are empty if the event is truncated.';

create function private.mail_items(items jsonb, order_items jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_agg(
    jsonb_build_object(
      'name', o.value -> 'name', 'price', o.value -> 'price',
      'amount', private.mail_price(o.value, (i.value ->> 'quantity')::integer)
    ) || i.value
    order by i.position
  )
  from jsonb_array_elements(items) with ordinality as i (value, position)
  left join jsonb_array_elements(order_items) as o (value) on o.value ->> 'id' = i.value ->> 'item_id'
$$;
comment on function private.mail_items is
  'The items of a shipment, cancellation, return or refund for a mail: with the name and price of the order''s item, and their amount.';

create function private.items_of_part(thing jsonb, order_items jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select thing || jsonb_build_object('items', coalesce(jsonb_agg(i.value order by i.position), '[]'))
    || case
      when thing ? 'amount' then jsonb_build_object('amount', coalesce(sum((i.value ->> 'amount')::numeric), 0))
      else '{}'
    end
  from jsonb_array_elements(thing -> 'items') with ordinality as i (value, position)
  where exists (
    select from jsonb_array_elements(order_items) as o (value) where o.value ->> 'id' = i.value ->> 'item_id'
  )
$$;
comment on function private.items_of_part is
  'A shipment, cancellation or return as a supplier sees it: with its own items of the order, and their amount.';

create function private.mail_part(details jsonb, supplier_id uuid) returns jsonb
language sql immutable set search_path = ''
as $$
  with part as (
    select p.value as part
    from jsonb_array_elements(details -> 'parts') as p (value)
    where p.value ->> 'supplier_id' = supplier_id::text
  )
  select (
    -- Named one by one: a new field of orders is not shown to a supplier by mistake.
    select coalesce(jsonb_object_agg(f.key, f.value), '{}')
    from jsonb_each(details) as f
    where f.key in (
      'id', 'marketplace_id', 'number', 'payment_status', 'currency', 'delivery_method', 'shipping_address', 'contact',
      'language', 'created_at', 'created_at_local'
    )
  ) || jsonb_build_object(
    'status', (select part.part -> 'status' from part),
    'subtotal_amount', (select part.part -> 'subtotal' from part),
    'delivery_amount', (select part.part -> 'delivery_amount' from part),
    'tax_amount', (select part.part -> 'tax_amount' from part),
    'total_amount', (
      -- Events from before there were taxes have no total of a part.
      select coalesce(
        (part.part ->> 'total_amount')::numeric,
        (part.part ->> 'subtotal')::numeric + (part.part ->> 'delivery_amount')::numeric
      )
      from part
    ),
    'parts', (select coalesce(jsonb_agg(part.part), '[]') from part),
    'items', (
      select coalesce(jsonb_agg(i.value order by i.position), '[]')
      from jsonb_array_elements(details -> 'items') with ordinality as i (value, position)
      where i.value ->> 'supplier_id' = supplier_id::text
    )
  )
$$;
comment on function private.mail_part is
  'The order of an event as a supplier sees it in a mail: its items, its part and their price, and nothing of others.';

create function private.event_of_part(data jsonb, supplier_id uuid) returns jsonb
language sql immutable set search_path = ''
as $$
  select (data - 'payment') || jsonb_build_object('order', p.part) || coalesce(
    (
      select jsonb_object_agg(d.key, private.items_of_part(d.value, p.part -> 'items'))
      from jsonb_each(data) as d
      where d.key in ('shipment', 'cancellation', 'return') and jsonb_typeof(d.value -> 'items') = 'array'
    ),
    '{}'
  )
  from (select private.mail_part(data -> 'order', supplier_id)) as p (part)
$$;
comment on function private.event_of_part is
  'The data of an event about an order as a supplier sees it in a mail: its own part, and what happened to its own items.';

create function private.mail_variables(mail public.mails) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  event_data jsonb := coalesce(
    (
      select e.payload -> 'data' || jsonb_strip_nulls(jsonb_build_object(
        'old_status', e.payload -> 'old_status', 'new_status', e.payload -> 'new_status'
      ))
      from public.events e
      where e.tenant_id = mail.tenant_id and e.created_at = mail.event_at and e.id = mail.event_id
    ),
    '{}'
  );
begin
  if event_data ? 'order' then
    if mail.is_for_members and mail.variables ? 'supplier' then
      event_data := private.event_of_part(event_data, (mail.variables #>> '{supplier,id}')::uuid);
    end if;
    -- The commissions of suppliers and the notes of members are not for buyers.
    event_data := jsonb_set(
      event_data, '{order}',
      private.mail_order(event_data -> 'order') - '{commissions,notes,history}'::text[]
        || jsonb_build_object('note', event_data #> '{order,history,-1,note}')
    ) || (
      select coalesce(
        jsonb_object_agg(
          d.key,
          d.value || jsonb_build_object(
            'items', private.mail_items(d.value -> 'items', event_data #> '{order,items}')
          )
        ),
        '{}'
      )
      from jsonb_each(event_data) as d
      where d.key in ('shipment', 'cancellation', 'return', 'payment') and jsonb_typeof(d.value -> 'items') = 'array'
    );
  end if;
  return event_data || mail.variables
    || coalesce(
      -- Found by the cause of the mail, not by its variables, which an admin chooses for a test.
      (
        select jsonb_build_object(
          'invitation',
          mail.variables -> 'invitation' || jsonb_build_object('token', private.invitation_token(i.id))
        )
        from public.invitations i
        where i.tenant_id = mail.tenant_id and i.id = mail.cause_id and i.email = mail."to"
          and mail.template = 'invitation'
      ),
      '{}'
    )
    || case
      when not event_data ? 'order' then '{}'
      when mail.is_for_members then
        jsonb_build_object('customer', jsonb_build_object('name', event_data #> '{order,contact,name}'))
      else jsonb_build_object('customer', jsonb_build_object('name', mail.name, 'email', mail."to"))
    end;
end
$$;
comment on function private.mail_variables is
  'The variables of a mail: the data of its event that its recipient may see, and the mail''s own.';

create function private.mail_marketplace(shop public.marketplaces) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', shop.id, 'name', shop.name, 'domain', shop.domain, 'currency', shop.currency, 'language', shop.language,
    'settings', jsonb_build_object('branding', shop.settings -> 'branding'),
    'reply_to', shop.settings #>> '{business,reply_to}'
  )
$$;
comment on function private.mail_marketplace is 'The variable marketplace of a mail, and reply_to for its headers.';

create function private.mail_to_send(mail public.mails) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'id', mail.id, 'to', mail."to", 'name', mail.name, 'template', mail.template,
      'is_test', mail.is_test,
      'languages', mail.languages,
      'content', (
        select jsonb_build_object('subject', c.subject, 'html', c.html, 'text', c.text)
        from private.mail_contents c
        where c.mail_id = mail.id
      ),
      'own', (
        select jsonb_build_object('subject', t.subject, 'html_content', t.html_content, 'text_content', t.text_content)
        from public.email_templates t
        where t.tenant_id = mail.tenant_id and t.key = mail.template and n.mail_status = 'approved'
      ),
      'tenant', jsonb_build_object('name', n.name),
      'time_zone', n.time_zone,
      'marketplace', (
        select private.mail_marketplace(m)
        from public.marketplaces m
        where m.tenant_id = mail.tenant_id and m.id = mail.marketplace_id
      ),
      'variables', private.mail_variables(mail),
      'files', case
        when mail.template = 'export_ready' then (
          select to_jsonb(e.files)
          from public.exports e
          where e.tenant_id = mail.tenant_id and e.id = mail.cause_id
        )
      end,
      -- The mails of a tenant are optional, too.
      'unsubscribe_token', case
        when not exists (select from private.mail_kinds l where l.key = mail.template and not l.is_optional)
          then private.unsubscribe_token(mail.tenant_id, mail.template, mail."to")
      end
    )
    from public.tenants n
    where n.id = mail.tenant_id
  );
end
$$;
comment on function private.mail_to_send is 'A mail with everything that rendering and sending it requires.';

-- functions: for the dispatcher -------------------------------------------------------------------

create function private.hold_due_mails(batch integer) returns setof public.mails
language plpgsql security definer set search_path = ''
as $$
declare
  job private.jobs;
  mail public.mails;
  refusal private.mail_refusal;
begin
  for job in select j.* from private.hold_due_jobs('{mails}', hold_due_mails.batch) j loop
    select m.* into mail from public.mails m where m.tenant_id = job.tenant_id and m.id = job.subject_id;
    refusal := private.refused_mail(mail);
    if job.lease is not null then
      -- The dispatcher may have crashed because of this mail.
      perform private.record_failed_mail(job, 'The dispatcher ended before it recorded the result.');
    elsif refusal.status is not null then
      perform private.end_mail(mail.id, refusal.status, refusal.error, was_tried => false);
    else
      return next mail;
    end if;
  end loop;
end
$$;
comment on function private.hold_due_mails is
  'Up to batch mails that are due and may be sent, until the end of the transaction. Ends those that may not.';

create function private.lease_batch_of_mails(batch integer) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  most_bytes constant bigint := private.cap('dispatch_bytes') / 2;
  due constant public.mails[] := array(select m from private.hold_due_mails(lease_batch_of_mails.batch) m);
  taken uuid[] := '{}'::uuid[];
  mails jsonb := jsonb_build_array();
  bytes bigint := 0;
  exceeded text;
  content jsonb;
  mail public.mails;
  lease uuid;
begin
  perform private.hold_mail_counts(due);
  foreach mail in array due loop
    exceeded := private.admit_mail(mail);
    if exceeded is not null then
      perform private.end_mail(mail.id, 'suppressed', exceeded, was_tried => false);
      continue;
    end if;
    content := private.mail_to_send(mail);
    bytes := bytes + octet_length(content::text);
    exit when bytes > most_bytes and taken <> '{}';
    mails := mails || content;
    taken := taken || mail.id;
  end loop;
  lease := private.lease_jobs(array(select j from private.jobs j where j.queue = 'mails' and j.subject_id = any (taken)));
  return (
    select jsonb_agg(m.mail || jsonb_build_object('lease', lease) order by m.position)
    from jsonb_array_elements(mails) with ordinality as m (mail, position)
  );
end
$$;
comment on function private.lease_batch_of_mails is
  'Leases up to batch mails that are due, with what rendering them requires. Null if none is left to send.';

create function private.lease_mails(batch integer) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  taken jsonb;
begin
  if lease_mails.batch > 0 then
    -- The dispatcher stops at an empty list, which mails that have ended do not mean.
    for round in 1..10 loop
      taken := private.lease_batch_of_mails(lease_mails.batch);
      if taken is not null then
        return taken;
      end if;
      exit when not exists (select from private.due_jobs('{mails}', 1));
    end loop;
  end if;
  perform private.wake_for_jobs('{mails}');
  return '[]'::jsonb;
end
$$;
comment on function private.lease_mails is 'As public.lease_mails.';

create function public.lease_mails(batch integer) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.lease_mails(batch);
end
$$;
comment on function public.lease_mails is
  'For the dispatcher: leases up to batch mails that are due for two minutes, of all tenants in turn. Returns each with everything that rendering it requires, or with its content if it is rendered. A mail that is not recorded within the lease has had a failed attempt. With batch 0 it takes none, and wakes another dispatcher if any are due.';

create function private.store_mail_contents(contents jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  content record;
begin
  for content in
    select l.*, j as job
    from jsonb_to_recordset(contents) as l (id uuid, lease uuid, subject text, html text, text text, error text)
    join private.jobs j on j.queue = 'mails' and j.subject_id = l.id and j.lease = l.lease
  loop
    if content.html is null then
      -- Each attempt would fail.
      perform private.record_failed_mail(content.job, content.error, is_final => true);
    else
      insert into private.mail_contents (mail_id, tenant_id, subject, html, text)
      values (content.id, (content.job).tenant_id, content.subject, content.html, content.text)
      on conflict on constraint mail_contents_pkey do nothing;
      update public.mails m
      set subject = content.subject, error = coalesce(content.error, private.unused_own_template(m))
      where m.id = content.id;
    end if;
  end loop;
end
$$;
comment on function private.store_mail_contents is 'As public.store_mail_contents.';

create function public.store_mail_contents(contents jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.store_mail_contents(contents);
end
$$;
comment on function public.store_mail_contents is
  'For the dispatcher: stores rendered mails, {id, lease, subject, html, text, error}, before they are sent; one without html cannot be rendered. error: why the built-in mail replaces the tenant''s.';

create function private.record_mail(
  id uuid, lease uuid, outcome text, provider_id text, error text, retry_after_seconds integer, address_gone boolean
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  job private.jobs;
  mail public.mails;
begin
  -- A report with a lease that has ended changes nothing, unless the mail was sent.
  select j.* into job
  from private.jobs j
  where j.queue = 'mails' and j.subject_id = record_mail.id
    and (j.lease = record_mail.lease or record_mail.outcome = 'sent')
  for update;
  if not found then
    return;
  end if;
  select m.* into mail from public.mails m where m.tenant_id = job.tenant_id and m.id = job.subject_id;
  case record_mail.outcome
    when 'sent' then
      -- The error of a tenant's template, which the built-in mail has replaced, is kept.
      perform private.end_mail(mail.id, 'success', case when mail.status = 'pending' then mail.error end, record_mail.provider_id);
    when 'untried', 'throttled' then
      update public.mails m
      set next_attempt_at = private.release_job(
        job, make_interval(secs => least(greatest(coalesce(retry_after_seconds, 0), 0), 3600))
      )
      where m.id = mail.id;
    else
      if record_mail.address_gone then
        perform private.record_mail_report(mail, 'bounce');
      end if;
      perform private.record_failed_mail(job, left(record_mail.error, 1000), record_mail.outcome = 'permanent');
  end case;
end
$$;
comment on function private.record_mail is 'As public.record_mail.';

create function public.record_mail(
  id uuid, lease uuid, outcome text, provider_id text default null, error text default null,
  retry_after_seconds integer default null, address_gone boolean default false
) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.record_mail(id, lease, outcome, provider_id, error, retry_after_seconds, address_gone);
end
$$;
comment on function public.record_mail is
  'For the dispatcher: records the outcome of a mail. outcome: sent; throttled or untried: no attempt, due again after retry_after_seconds; temporary: a failed attempt of five; permanent: failed. address_gone: the address does not exist, and is suppressed.';

create function private.sweep_mails() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.mails m
  where m.id in (select d.id from public.mails d where d.created_at < now() - interval '90 days' limit 10000);
  delete from private.mail_counts c
  where c.subject in (
    select d.subject
    from private.mail_counts d
    where d.counted_at < now() - interval '1 hour'
    limit 10000
    for update skip locked
  );
end
$$;
comment on function private.sweep_mails() is
  'Deletes mails after 90 days and counts of addresses after an hour.';

-- functions: for admins ----------------------------------------------------------------------------

create function private.retry_mail(mail_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  mail public.mails;
begin
  select m.* into mail
  from public.mails m
  where m.tenant_id = private.tenant_id() and m.id = retry_mail.mail_id and private.scope('mails.write') = 'all'
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such mail.');
  elsif mail.status <> 'failed' then
    perform private.refuse(
      'CONFLICT', 'Only a mail that has failed can be sent again.',
      'status', to_jsonb(mail.status)
    );
  end if;
  update public.mails m
  set status = (case when m.attempts = 0 then 'pending' else 'retrying' end)::public.mail_status, next_attempt_at = now()
  where m.id = mail.id
  returning m.* into mail;
  perform private.queue_jobs('mails', array[mail.tenant_id], array[mail.id]);
  perform private.audit_act(mail.tenant_id, 'mails', mail.id, '{status}');
  return to_jsonb(mail);
end
$$;
comment on function private.retry_mail is 'As public.retry_mail.';

create function public.retry_mail(mail_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.require_permission('mails.write', 'Only admins may retry mails.');
  return private.retry_mail(mail_id);
end
$$;
comment on function public.retry_mail is
  'For admins: sends a mail that has failed again, with the same content, in up to five attempts. Returns its record. Refuses with FORBIDDEN, NOT_FOUND, CONFLICT.';

create function private.test_email_template(template_id uuid, variables jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  template public.email_templates;
  cause constant uuid := gen_random_uuid();
  caller public.members;
begin
  select t.* into template
  from public.email_templates t
  where t.tenant_id = private.tenant_id() and t.id = test_email_template.template_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such e-mail template.');
  end if;
  select m.* into caller
  from public.members m
  where m.tenant_id = template.tenant_id and m.user_id = auth.uid();
  perform private.write_mail(
    template.key, cause, template.tenant_id,
    array[private.recipient(template.tenant_id, caller.email, caller.name, null, null)], test_email_template.variables,
    is_test => true
  );
  return (select to_jsonb(m) from public.mails m where m.tenant_id = template.tenant_id and m.cause_id = cause);
end
$$;
comment on function private.test_email_template is 'As public.test_email_template.';

create function private.check_may_test_mails() returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform private.require_permission('email_templates.write', 'Only admins may send test mails.');
end
$$;
comment on function private.check_may_test_mails is 'Refuses with FORBIDDEN callers who may not send test mails.';

create function public.test_email_template(template_id uuid, variables jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.check_may_test_mails();
  return private.test_email_template(template_id, variables);
end
$$;
comment on function public.test_email_template is
  'For admins: sends an e-mail template to the caller, with these variables. Returns the mail. Refuses with FORBIDDEN, NOT_FOUND.';

create function public.email_template_preview(
  template_id uuid, marketplace_id uuid default null, is_test boolean default false
) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  template public.email_templates;
begin
  if is_test then
    perform private.check_may_test_mails();
  end if;
  select t.* into template from public.email_templates t where t.id = email_template_preview.template_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such e-mail template.');
  end if;
  return (
    select jsonb_build_object(
      'key', template.key,
      'own', jsonb_build_object(
        'subject', template.subject, 'html_content', template.html_content, 'text_content', template.text_content
      ),
      'tenant', jsonb_build_object('name', n.name),
      'time_zone', n.time_zone,
      'marketplace', (
        select private.mail_marketplace(m)
        from public.marketplaces m
        where m.tenant_id = template.tenant_id
          and (email_template_preview.marketplace_id is null or m.id = email_template_preview.marketplace_id)
        order by m.status = 'active' desc, m.created_at, m.id
        limit 1
      )
    )
    from public.tenants n
    where n.id = template.tenant_id
  );
end
$$;
comment on function public.email_template_preview is
  'For the functions: everything that rendering an e-mail template requires: {key, own, tenant, time_zone, marketplace}. With is_test only for those who may send test mails. Refuses with FORBIDDEN, NOT_FOUND.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.lease_mails, private.store_mail_contents, private.record_mail,
  public.lease_mails, public.store_mail_contents, public.record_mail
to service_role;
grant execute on function
  private.mail_marketplace, private.retry_mail, private.check_may_test_mails, private.test_email_template, public.retry_mail, public.test_email_template,
  public.email_template_preview
to authenticated;
