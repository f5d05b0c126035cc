insert into private.caps (name, value, unit) values
  ('payout_holds_per_tenant', 10000, 'holds of what is owed to suppliers')
on conflict (name) do update set unit = excluded.unit;

insert into private.status_moves (subject, from_status, to_status) values
  ('payouts', 'pending', 'paid'),
  ('payouts', 'pending', 'failed'),
  ('payouts', 'paid', 'reversed')
on conflict do nothing;

insert into private.event_statuses (name)
select s.name from unnest(enum_range(null::public.payout_status)::text[]) as s (name)
on conflict do nothing;

select private.schedule_job(
  'compare-ledger', 'select private.compare_ledgers($1)', every => '1 day', at => '03:53', queue => 'long', in_batches => true
);
