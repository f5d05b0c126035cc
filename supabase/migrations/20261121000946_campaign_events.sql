-- What is told of campaigns: that one may run, that one may not, and that one has used up its budget.

-- tables ---------------------------------------------------------------------------------------

insert into private.event_types (name) values ('campaign.approved'), ('campaign.rejected'), ('campaign.exhausted');

insert into private.event_statuses (name)
select s.name from unnest(enum_range(null::public.campaign_status)::text[]) as s (name)
on conflict do nothing;

-- functions ------------------------------------------------------------------------------------

create function private.campaign_event(old_status public.campaign_status, new_status public.campaign_status) returns text
language sql immutable
return case
  when new_status = old_status then null
  when new_status = 'exhausted' then 'campaign.exhausted'
  when old_status <> 'pending_review' then null
  when new_status = 'rejected' then 'campaign.rejected'
  -- Its review ended well, or it needs none. Completed: its time was over by then.
  when new_status in ('scheduled', 'active', 'completed') then 'campaign.approved'
end;
comment on function private.campaign_event is
  'What is told of a campaign that has moved from one status to another; without an old one, that is new. Null where nothing is.';

create function private.campaign_news(event text, campaign public.campaigns) returns private.news
language sql stable set search_path = ''
as $$
  select row(
    campaign.tenant_id, campaign_news.event, jsonb_build_object('campaign', to_jsonb(campaign)), null,
    campaign.marketplace_id, campaign.status
  )::private.news
$$;
comment on function private.campaign_news is 'An event about a campaign, with its whole record.';

create function private.emit_campaign_events() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  news private.news[];
begin
  if tg_op = 'INSERT' then
    news := array(
      select private.campaign_news(told.event, m)
      from moved m
      cross join lateral (select private.campaign_event(null, m.status)) as told (event)
      where told.event is not null
      order by m.id
    );
  else
    news := array(
      select private.campaign_news(told.event, m)
      from before b
      join moved m on m.id = b.id
      cross join lateral (select private.campaign_event(b.status, m.status)) as told (event)
      where told.event is not null
      order by m.id
    );
  end if;
  -- Most changes move no campaign: bids rise, and fees are charged.
  if news <> '{}' then
    perform private.emit_all(news);
  end if;
  return null;
end
$$;
comment on function private.emit_campaign_events() is
  'Statement trigger: that campaigns were approved, rejected or are exhausted, all of a statement together, each as it is then. At once and not at commit: what fails for one campaign stops no other that the clock moves.';

-- triggers -------------------------------------------------------------------------------------

create trigger campaigns_emit_approved
  after insert on public.campaigns
  referencing new table as moved
  for each statement execute function private.emit_campaign_events();

create trigger campaigns_emit_moves
  after update on public.campaigns
  referencing old table as before new table as moved
  for each statement execute function private.emit_campaign_events();
