-- Mails that are not sent on an event: about invitations, applications, reviews, exports, campaigns and low stock.

-- functions ------------------------------------------------------------------------------------

create function private.once_a_day(subject uuid) returns uuid
language sql stable set search_path = ''
as $$
  select md5(subject::text || (now() at time zone 'utc')::date)::uuid
$$;
comment on function private.once_a_day is
  'The cause of a mail that is sent once a day at most, however often its occasion occurs. subject: the record that the mail is about.';

create function private.write_mail_of_invitation() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The mail gets the token when it is rendered, so that this table never contains it.
  perform private.write_mail(
    'invitation', new.id, new.tenant_id,
    array[private.recipient(new.tenant_id, new.email, '', null, null)],
    jsonb_build_object('invitation', jsonb_build_object('id', new.id, 'role', new.role, 'expires_at', new.expires_at))
  );
  return null;
end
$$;
comment on function private.write_mail_of_invitation() is 'Row trigger: writes a mail to the invited address.';

create function private.application_facts(application public.supplier_applications) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'application', jsonb_build_object(
      'id', application.id, 'status', application.status, 'name', application.name, 'email', application.email,
      'country', application.country, 'message', application.message, 'reason', application.reason
    )
  )
$$;
comment on function private.application_facts is 'The variables of the mails about an application.';

create function private.write_mail_of_application() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mail(
    'application_received', new.id, new.tenant_id,
    array(select r from private.members_to_notify(new.tenant_id, null, null) r), private.application_facts(new),
    is_for_members => true
  );
  return null;
end
$$;
comment on function private.write_mail_of_application() is
  'Row trigger: writes a mail to the admins about a new application of a supplier.';

create function private.write_mail_of_decision() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mail(
    'application_decided', new.id, new.tenant_id,
    array[private.recipient(new.tenant_id, new.email, new.name, null, null)], private.application_facts(new)
  );
  return null;
end
$$;
comment on function private.write_mail_of_decision() is 'Row trigger: writes a mail to the applicant about the decision.';

create function private.write_mail_of_review(product public.products, decision public.approval_status, reason text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mail(
    'product_decided', gen_random_uuid(), product.tenant_id,
    array(select r from private.members_to_notify(product.tenant_id, product.supplier_id, product.marketplace_id) r),
    jsonb_build_object(
      'product', jsonb_build_object('id', product.id, 'name', product.name),
      'review', jsonb_build_object('decision', decision, 'reason', reason)
    )
  );
end
$$;
comment on function private.write_mail_of_review is
  'Writes a mail to the members of a supplier about an admin''s decision on its product, or on a change of it.';

create function private.write_mail_of_export() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mail(
    'export_ready', new.id, new.tenant_id,
    array[
      private.recipient(
        new.tenant_id, m.email, m.name, private.account_language(u.raw_user_meta_data), new.marketplace_id
      )
    ],
    jsonb_build_object(
      'export', jsonb_build_object(
        'id', new.id, 'type', new.type, 'format', new.format, 'rows', new.rows, 'bytes', new.bytes,
        'expires_at', new.expires_at
      )
    )
  )
  from public.members m
  join auth.users u on u.id = m.user_id
  where m.tenant_id = new.tenant_id and m.email = lower(new.email) and m.status = 'active';
  return null;
end
$$;
comment on function private.write_mail_of_export() is
  'Row trigger: writes a mail to the address of an export that is ready, if that is still an active member.';

create function private.write_mail_of_campaign() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mail(
    case
      when new.status = 'exhausted' then 'campaign_exhausted'
      when new.status = 'rejected' then 'campaign_rejected'
      else 'campaign_approved'
    end,
    case when new.status = 'exhausted' then private.once_a_day(new.id) else gen_random_uuid() end,
    new.tenant_id,
    array(select r from private.members_to_notify(new.tenant_id, new.supplier_id, new.marketplace_id) r),
    jsonb_build_object(
      'campaign', jsonb_build_object(
        'id', new.id, 'product_name', p.name, 'status', new.status, 'pricing_model', new.pricing_model,
        'start_date', new.start_date, 'end_date', new.end_date, 'daily_budget', new.daily_budget,
        'currency', p.currency, 'note', new.note
      )
    )
  )
  from public.products p
  where p.tenant_id = new.tenant_id and p.id = new.product_id;
  return null;
end
$$;
comment on function private.write_mail_of_campaign() is
  'Row trigger: writes a mail to the members of the supplier whose campaign was approved or rejected, or has used up its daily budget (once a day at most).';

create function private.write_mail_of_stock() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.write_mail(
    'low_stock', private.once_a_day(new.id), new.tenant_id,
    array(select r from private.members_to_notify(new.tenant_id, p.supplier_id, p.marketplace_id) r),
    jsonb_build_object(
      'product', jsonb_build_object('id', p.id, 'name', p.name || coalesce(' – ' || v.name, ''), 'sku', v.sku),
      'inventory', jsonb_build_object(
        'available', new.quantity - new.reserved, 'low_stock_threshold', new.low_stock_threshold
      )
    )
  )
  from public.products p
  left join public.product_variants v on v.tenant_id = new.tenant_id and v.id = new.variant_id
  where p.tenant_id = new.tenant_id and p.id = new.product_id;
  return null;
end
$$;
comment on function private.write_mail_of_stock() is
  'Row trigger: writes a mail to the members of the supplier whose stock has fallen to its threshold, once a day at most.';

-- triggers -------------------------------------------------------------------------------------

create trigger invitations_write_mail
  after insert on public.invitations
  for each row execute function private.write_mail_of_invitation();

create trigger supplier_applications_write_mail
  after insert on public.supplier_applications
  for each row when (new.status = 'pending')
  execute function private.write_mail_of_application();

create trigger supplier_applications_write_mail_of_decision
  after update of status on public.supplier_applications
  for each row when (old.status = 'pending' and new.status <> 'pending')
  execute function private.write_mail_of_decision();

create trigger exports_write_mail
  after update of status on public.exports
  for each row when (new.status = 'ready' and old.status <> 'ready' and new.email is not null)
  execute function private.write_mail_of_export();

create trigger campaigns_write_mail
  after update of status on public.campaigns
  for each row when (
    new.status <> old.status and (
      new.status in ('exhausted', 'rejected')
      or old.status = 'pending_review' and new.status in ('scheduled', 'active')
    )
  )
  execute function private.write_mail_of_campaign();

-- A threshold of 0 switches the warning off.
create trigger inventory_writes_mail
  after update of quantity, reserved, low_stock_threshold on public.inventory
  for each row when (
    new.low_stock_threshold > 0
    and new.quantity - new.reserved <= new.low_stock_threshold
    and (old.low_stock_threshold = 0 or old.quantity - old.reserved > old.low_stock_threshold)
  )
  execute function private.write_mail_of_stock();
