-- A delivery with its body and all attempts.

-- functions ------------------------------------------------------------------------------------

create function public.get_delivery(webhook_id uuid, delivery_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  shown jsonb;
begin
  select to_jsonb(d) || jsonb_build_object(
    'request', (
      select e.payload
      from public.events e
      where e.tenant_id = d.tenant_id and e.created_at = d.event_at and e.id = d.event_id
    ),
    'history', (
      select coalesce(jsonb_agg(to_jsonb(a) order by a.attempt), '[]')
      from public.webhook_attempts a
      where a.tenant_id = d.tenant_id and a.delivery_id = d.id
    )
  )
  into shown
  from public.webhook_deliveries d
  where d.webhook_id = get_delivery.webhook_id and d.id = get_delivery.delivery_id;
  if shown is null then
    perform private.refuse('NOT_FOUND', 'There is no such delivery.');
  end if;
  return shown;
end
$$;
comment on function public.get_delivery is
  'For admins and clients: a delivery of a webhook with its request (the body; null when the event was deleted) and its history (every attempt, the first one first). Refuses with NOT_FOUND.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function public.get_delivery to authenticated;
