-- Deliveries that people send again: one, or all that a registration has missed.

-- functions ------------------------------------------------------------------------------------

create function private.check_that_webhook_is_on(webhook_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  active boolean := (
    select w.active
    from public.webhooks w
    where w.tenant_id = private.tenant_id() and w.id = check_that_webhook_is_on.webhook_id
  );
begin
  if not private.reads_all() then
    perform private.refuse('FORBIDDEN', 'Admins and clients send deliveries again.');
  end if;
  if active is null then
    perform private.refuse('NOT_FOUND', 'There is no such webhook.');
  end if;
  if not active then
    perform private.refuse('CONFLICT', 'The webhook is switched off.', 'active', to_jsonb(false));
  end if;
end
$$;
comment on function private.check_that_webhook_is_on is
  'Refuses with FORBIDDEN, NOT_FOUND or CONFLICT whoever may not send a webhook''s deliveries again.';

create function private.send_again(ids uuid[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.webhook_deliveries d
  set status = (case when d.attempts = 0 then 'pending' else 'retrying' end)::public.delivery_status,
      attempts_before = d.attempts,
      next_attempt_at = now()
  where d.id = any (ids);
  if found then
    perform private.kick_webhook_dispatch();
  end if;
end
$$;
comment on function private.send_again is 'Has deliveries sent now, and as often as new ones.';

create function private.retry_delivery(webhook_id uuid, delivery_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  delivery public.webhook_deliveries;
begin
  perform private.check_that_webhook_is_on(retry_delivery.webhook_id);
  -- Of one that nobody sends any more, the attempt counts before those to come.
  perform private.end_leases();
  select d.* into delivery
  from public.webhook_deliveries d
  where d.webhook_id = retry_delivery.webhook_id and d.id = retry_delivery.delivery_id
  for update;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such delivery.');
  end if;
  if (select true from public.events e where e.created_at = delivery.event_at and e.id = delivery.event_id) is null then
    perform private.refuse('CONFLICT', 'The event of this delivery is forgotten.');
  end if;
  -- What is under way is being sent already.
  if not exists (
    select 1
    from private.webhook_leases l
    where l.webhook_id = delivery.webhook_id and l.delivery_id = delivery.id and l.leased_until > now()
  ) then
    perform private.send_again(array[delivery.id]);
    select d.* into delivery from public.webhook_deliveries d where d.id = delivery.id;
  end if;
  return to_jsonb(delivery);
end
$$;
comment on function private.retry_delivery is 'As public.retry_delivery.';

create function public.retry_delivery(webhook_id uuid, delivery_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.retry_delivery(webhook_id, delivery_id);
end
$$;
comment on function public.retry_delivery is
  'For admins and clients: sends a delivery again, now, whatever came of it, and as often as a new one. Answers the delivery. Refuses with FORBIDDEN, NOT_FOUND, CONFLICT (the webhook is off, or the event forgotten).';

create function private.recover_webhook(webhook_id uuid, since timestamptz) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  most constant bigint := private.cap('deliveries_recovered');
  failed uuid[];
begin
  perform private.check_that_webhook_is_on(recover_webhook.webhook_id);
  failed := array(
    select d.id
    from public.webhook_deliveries d
    where d.tenant_id = private.tenant_id() and d.webhook_id = recover_webhook.webhook_id
      and d.status = 'failed' and d.error is not null
      -- The event's time, as event_at is, and in the index.
      and d.created_at >= recover_webhook.since
      and (select true from public.events e where e.created_at = d.event_at and e.id = d.event_id)
    order by d.created_at, d.id desc
    limit most
    for update
  );
  perform private.send_again(failed);
  return jsonb_build_object('recovered', cardinality(failed), 'more', cardinality(failed) = most);
end
$$;
comment on function private.recover_webhook is 'As public.recover_webhook.';

create function public.recover_webhook(webhook_id uuid, since timestamptz) returns jsonb
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
begin
  return private.recover_webhook(webhook_id, since);
end
$$;
comment on function public.recover_webhook is
  'For admins and clients: sends again what failed of the events since then, now, and as often as what is new, the oldest first and as many at once as the cap deliveries_recovered allows. Answers {recovered, more}: how many, and whether to ask again. Refuses with FORBIDDEN, NOT_FOUND, CONFLICT (the webhook is off).';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.retry_delivery, private.recover_webhook to authenticated, service_role;
grant execute on function public.retry_delivery, public.recover_webhook to authenticated;
