insert into private.signing_keys (name) values ('promotions')
on conflict do nothing;

insert into private.status_moves (subject, from_status, to_status) values
  ('campaigns', 'pending_review', 'scheduled'),
  ('campaigns', 'pending_review', 'active'),
  -- It was approved after its end.
  ('campaigns', 'pending_review', 'completed'),
  ('campaigns', 'pending_review', 'rejected'),
  ('campaigns', 'pending_review', 'cancelled'),
  ('campaigns', 'scheduled', 'active'),
  ('campaigns', 'scheduled', 'paused'),
  ('campaigns', 'scheduled', 'cancelled'),
  ('campaigns', 'active', 'paused'),
  ('campaigns', 'active', 'exhausted'),
  ('campaigns', 'active', 'completed'),
  ('campaigns', 'active', 'cancelled'),
  ('campaigns', 'paused', 'active'),
  ('campaigns', 'paused', 'scheduled'),
  ('campaigns', 'paused', 'completed'),
  ('campaigns', 'paused', 'cancelled'),
  ('campaigns', 'exhausted', 'active'),
  ('campaigns', 'exhausted', 'paused'),
  ('campaigns', 'exhausted', 'completed'),
  ('campaigns', 'exhausted', 'cancelled')
on conflict do nothing;

select private.schedule_job('count-auctions', 'select private.count_auctions()', every => '5 minutes');

select private.schedule_job(
  'forget-auctions', $$delete from private.auctions where counted and held_at < now() - interval '1 day'$$,
  every => '1 hour', at => '00:43', queue => 'long'
);

select private.schedule_job('run-campaigns', 'select private.run_campaigns()', every => '1 minute');

-- Events can be reported for a day. Clicks are kept longer, because sales are attributed to them for a week and a
-- visitor's clicks can be refunded for a month. Fees are judged by forbidden periods when the job charges them.
select private.schedule_job(
  'forget-placement-events',
  $$
    with impressions as (
      delete from private.placement_impressions where seen_at < now() - interval '2 days'
    ),
    visitors as (
      delete from private.placement_visitors where hour < (now() - interval '2 days') at time zone 'UTC'
    ),
    tokens as (
      delete from private.placement_tokens where spent_at < now() - interval '2 days'
    ),
    addresses as (
      delete from private.placement_addresses where hour < (now() - interval '1 day') at time zone 'UTC'
    ),
    statuses as (
      delete from private.campaign_statuses where until < now() - interval '2 days'
    ),
    prohibitions as (
      delete from private.forbidden_periods where until < now() - interval '32 days'
    )
    delete from private.placement_clicks where clicked_at < now() - interval '32 days'
  $$,
  every => '1 hour', at => '00:41', queue => 'long'
);
