-- Campaigns over time: a job starts them, resumes them the day after their budget was used up, charges their daily
-- fees, and ends them.

-- indexes --------------------------------------------------------------------------------------

create index campaigns_to_start_idx on public.campaigns (start_date) where status = 'scheduled';
create index campaigns_to_end_idx on public.campaigns (end_date) where status in ('active', 'paused', 'exhausted');
create index campaigns_to_go_on_idx on public.campaigns (id) where status = 'exhausted';
create index campaigns_with_a_fee_idx on public.campaigns (id)
  where fee > 0 and status in ('scheduled', 'active', 'paused', 'exhausted');

-- functions ------------------------------------------------------------------------------------

create function private.fee_is_due(campaign public.campaigns) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return campaign.fee > 0
    -- A campaign that was not started before its end was not shown.
    and (campaign.status <> 'scheduled' or campaign.end_date > now())
    and private.fee_days_begun(campaign) > (
      select count(*) from public.placement_charges c where c.campaign_id = campaign.id and c.kind = 'fee'
    );
end
$$;
comment on function private.fee_is_due is 'Whether a day of a campaign has begun whose fee is not charged yet.';

create function private.charge_fees(campaign public.campaigns) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  first_day date := private.first_day(campaign);
  day integer;
begin
  for day in
    select d.day
    from generate_series(0, private.fee_days_begun(campaign) - 1) as d (day)
    where private.day_fee(campaign, d.day) > 0
      and not exists (
        select 1
        from public.placement_charges c
        where c.campaign_id = campaign.id and c.kind = 'fee' and c.explanation ->> 'day' = (d.day + 1)::text
      )
    order by d.day
  loop
    perform private.charge_campaign(
      campaign_id => campaign.id,
      kind => 'fee',
      amount => private.day_fee(campaign, day),
      click_id => null,
      explanation => jsonb_build_object('day', day + 1, 'days', private.fee_days(campaign), 'fee', campaign.fee),
      date => first_day + day
    );
  end loop;
end
$$;
comment on function private.charge_fees is
  'Charges the fees of all days of a campaign that have begun and are not charged yet, also of earlier days that the job missed. Fees are due during a pause too.';

create function private.move_campaign(campaign_id uuid) returns public.campaign_status
language plpgsql security definer set search_path = ''
as $$
declare
  target public.campaigns;
  moved public.campaign_status;
begin
  -- If another transaction has locked it, that one updates it, or the job does a minute later.
  select * into target
  from public.campaigns c
  where c.id = move_campaign.campaign_id
  for no key update skip locked;
  if target.status = 'scheduled' and target.start_date <= now() then
    update public.campaigns c set status = 'active' where c.id = target.id;
  end if;
  if target.end_date <= now() then
    update public.campaigns c
    set status = 'completed'
    where c.id = target.id and c.status in ('active', 'paused', 'exhausted');
  else
    perform private.follow_budgets(array[target.id]);
  end if;
  select c.status into moved from public.campaigns c where c.id = target.id and c.status <> target.status;
  return moved;
end
$$;
comment on function private.move_campaign is
  'Starts, resumes or ends a campaign if it is time. Returns its new status, or null if it stays. The caller has locked the campaigns of the category, and raises their bids if this one is active now.';

create function private.run_campaign(campaign_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  target public.campaigns;
begin
  select * into target
  from public.campaigns c
  where c.id = run_campaign.campaign_id and c.status in ('scheduled', 'active', 'paused', 'exhausted');
  if found then
    if private.fee_is_due(target) then
      perform private.charge_fees(target);
    end if;
    perform private.lock_campaigns(target.category_id);
    if private.move_campaign(target.id) = 'active' then
      perform private.raise_bids(target.tenant_id, target.category_id);
    end if;
  end if;
end
$$;
comment on function private.run_campaign is 'Brings a campaign up to date: its fees, its start, its budget, its end.';

create function private.run_campaigns() returns integer
language plpgsql security definer set search_path = ''
as $$
declare
  due public.campaigns;
  moved public.campaign_status;
  moves integer := 0;
  -- The categories in which a campaign competes that did not before, with their tenants.
  stirred jsonb := '{}'::jsonb;
  category record;
begin
  if not private.try_hold('campaign_run', '') then
    return 0;
  end if;

  -- First all fees, in the order of ids, because charging locks statistics, and a transaction that has locked campaigns
  -- must not wait for these.
  for due in
    select c.*
    from public.campaigns c
    where c.fee > 0 and c.status in ('scheduled', 'active', 'paused', 'exhausted') and private.fee_is_due(c)
    order by c.id
  loop
    begin
      perform private.charge_fees(due);
    exception
      when others then
        -- A campaign that cannot be charged must not keep others from running.
        raise warning 'campaign % could not be charged its fee: %', due.id, sqlerrm;
    end;
  end loop;

  for due in
    select c.*
    from public.campaigns c
    where c.status = 'scheduled' and c.start_date <= now()
      or c.status in ('active', 'paused', 'exhausted') and c.end_date <= now()
      or c.status = 'exhausted'
    order by c.category_id, c.id
  loop
    begin
      -- Skips a campaign whose category is locked until the next minute, so that others do not wait.
      continue when not private.try_hold('category_campaigns', due.category_id::text);
      moved := private.move_campaign(due.id);
      if moved is not null then
        moves := moves + 1;
      end if;
      if moved = 'active' then
        stirred := stirred || jsonb_build_object(due.category_id, due.tenant_id);
      end if;
    exception
      when others then
        raise warning 'campaign % could not be moved: %', due.id, sqlerrm;
    end;
  end loop;

  for category in select s.key::uuid as id, s.value::uuid as tenant_id from jsonb_each_text(stirred) as s loop
    begin
      perform private.raise_bids(category.tenant_id, category.id);
    exception
      when others then
        raise warning 'the bids of category % could not be raised: %', category.id, sqlerrm;
    end;
  end loop;
  return moves;
end
$$;
comment on function private.run_campaigns() is
  'For a job: charges the fees of days that have begun, starts scheduled campaigns, resumes those that have budget again, and ends those that are over, also what earlier runs missed. Returns how many campaigns have a new status.';
