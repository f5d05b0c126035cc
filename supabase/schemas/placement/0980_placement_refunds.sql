-- Refunds: admins declare clicks invalid, and their charges are refunded.
-- later: private.audit_act

-- functions ------------------------------------------------------------------------------------

create function private.check_click_refund(campaign_id uuid, visitor_id text, click_ids uuid[]) returns void
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  stranger uuid;
begin
  perform private.require_permission('campaigns.refund', 'Your role may not refund clicks.');
  if not exists (
    select 1 from public.campaigns c where c.tenant_id = tenant and c.id = check_click_refund.campaign_id
  ) then
    perform private.refuse('NOT_FOUND', 'There is no such campaign.');
  elsif (check_click_refund.visitor_id is null) = (check_click_refund.click_ids is null) then
    perform private.refuse(
      'VALIDATION_ERROR', 'Send either visitor_id or click_ids.',
      'visitor_id', to_jsonb(check_click_refund.visitor_id)
    );
  elsif cardinality(click_ids) > 1000 then
    perform private.refuse(
      'VALIDATION_ERROR', 'click_ids must have at most 1000 entries.', 'click_ids', to_jsonb(cardinality(click_ids))
    );
  end if;

  select wanted.id into stranger
  from unnest(check_click_refund.click_ids) as wanted (id)
  where not exists (
    select 1
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = wanted.id and k.campaign_id = check_click_refund.campaign_id
  ) and not exists (
    select 1
    from public.placement_charges p
    where p.tenant_id = tenant and p.click_id = wanted.id and p.campaign_id = check_click_refund.campaign_id
  )
  limit 1;
  if found then
    perform private.refuse('NOT_FOUND', 'The campaign has no such click.', 'click_ids', to_jsonb(stranger));
  end if;
end
$$;
comment on function private.check_click_refund is
  'Refuses a refund of clicks: FORBIDDEN; NOT_FOUND for the campaign or a click that is not of it; VALIDATION_ERROR on visitor_id or click_ids.';

create function private.clicks_to_refund(campaign_id uuid, visitor_id text, click_ids uuid[], since timestamptz)
returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
begin
  if clicks_to_refund.click_ids is null then
    return array(
      select k.id
      from private.placement_clicks k
      where k.tenant_id = tenant and k.campaign_id = clicks_to_refund.campaign_id
        and k.visitor_id = case
          when clicks_to_refund.visitor_id ~ '^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$'
            then lower(clicks_to_refund.visitor_id)
          else clicks_to_refund.visitor_id
        end
        and k.refusal is distinct from 'repeated'
        and (since is null or k.clicked_at >= since)
    );
  end if;
  return array(
    select wanted.id
    from unnest(clicks_to_refund.click_ids) as wanted (id)
    left join private.placement_clicks k on k.tenant_id = tenant and k.id = wanted.id
    left join public.placement_charges p on p.tenant_id = tenant and p.click_id = wanted.id and p.kind = 'click'
    -- Clicks are deleted before their charges: the charge has the time at which the click was reported.
    where since is null or coalesce(k.clicked_at, p.created_at) >= since
  );
end
$$;
comment on function private.clicks_to_refund is
  'The clicks of a campaign to refund, by visitor or by id, from a time on (null: all).';

create function private.uncount_clicks(campaign_id uuid, clicks uuid[], ended uuid[]) returns integer
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  lost integer;
begin
  with gone as (
    select k.date
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = any (uncount_clicks.ended)
    union all
    -- A click that was deleted was valid if its charge was not refunded.
    select p.date
    from public.placement_charges p
    where p.tenant_id = tenant and p.click_id = any (uncount_clicks.clicks) and p.kind = 'click'
      and not exists (
        select 1 from private.placement_clicks k where k.tenant_id = p.tenant_id and k.id = p.click_id
      )
      and not exists (
        select 1
        from public.placement_charges r
        where r.tenant_id = p.tenant_id and r.click_id = p.click_id and r.kind = 'refund'
      )
  ),
  uncounted as (
    update public.campaign_statistics s
    set clicks = s.clicks - of_day.clicks
    from (select g.date, count(*) as clicks from gone g group by g.date) as of_day
    where s.campaign_id = uncount_clicks.campaign_id and s.date = of_day.date
  )
  select count(*) into lost from gone;
  return lost;
end
$$;
comment on function private.uncount_clicks is
  'Subtracts clicks from the statistics of their days: those that were valid until now (ended), and those of which only an unrefunded charge is left. Returns how many.';

create function private.refund_placement_clicks(
  campaign_id uuid, visitor_id text, click_ids uuid[], since timestamptz, note text
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  found_clicks uuid[];
  ended uuid[];
  lost integer;
  answer jsonb;
begin
  perform private.check_click_refund(
    refund_placement_clicks.campaign_id, refund_placement_clicks.visitor_id, refund_placement_clicks.click_ids
  );
  found_clicks := private.clicks_to_refund(
    refund_placement_clicks.campaign_id, refund_placement_clicks.visitor_id, refund_placement_clicks.click_ids,
    refund_placement_clicks.since
  );

  select array_agg(k.id) into ended
  from (
    select k.id
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = any (found_clicks) and k.refusal is null
    order by k.id
    for update
  ) as k;
  update private.placement_clicks k
  set refusal = 'refunded'
  where k.tenant_id = tenant and k.id = any (ended);
  perform private.pass_on_sales(tenant, found_clicks);

  perform private.lock_statistics(array_agg(d.campaign_id), array_agg(d.date))
  from (
    select k.campaign_id, k.date
    from private.placement_clicks k
    where k.tenant_id = tenant and k.id = any (ended)
    union
    select p.campaign_id, p.date
    from public.placement_charges p
    where p.tenant_id = tenant and p.click_id = any (found_clicks)
    union
    select s.campaign_id, s.date
    from private.open_sales() as s
  ) as d;

  lost := private.uncount_clicks(refund_placement_clicks.campaign_id, found_clicks, ended);

  select jsonb_build_object(
    'campaign_id', refund_placement_clicks.campaign_id, 'clicks', lost,
    'refunded', count(*), 'amount', coalesce(sum(r.amount), 0)
  )
  into answer
  from private.refund_clicks(tenant, found_clicks, 'invalid', refund_placement_clicks.note) as r;
  perform private.count_sales();
  perform private.audit_act(tenant, 'campaigns', refund_placement_clicks.campaign_id, '{charges}');
  return answer;
end
$$;
comment on function private.refund_placement_clicks is
  'Declares clicks of a campaign invalid and refunds their charges. Refuses: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.';

create function public.refund_placement_clicks(
  campaign_id uuid, visitor_id text default null, click_ids uuid[] default null, since text default null,
  note text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.refund_placement_clicks(campaign_id, visitor_id, click_ids, private.moment_of(since, 'since'), note);
end
$$;
comment on function public.refund_placement_clicks is
  'For admins: declares clicks of a campaign invalid, by visitor_id or click_ids, and optionally only those since a time (with its offset, or a day of the tenant''s time zone). They no longer count, and their charges are refunded, each once. Returns campaign_id, clicks (that were valid until now), refunded (the number of charges) and amount.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.refund_placement_clicks to authenticated;
grant execute on function public.refund_placement_clicks to authenticated;
