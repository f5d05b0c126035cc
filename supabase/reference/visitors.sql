insert into private.caps (name, value, unit) values ('guests_per_hour', 30, 'guests of an address in an hour')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'forget-guest-counts',
  $$
  delete from private.guest_counts
  where coalesce(opened_at[cardinality(opened_at)], '-infinity') < now() - interval '1 hour'
  $$,
  every => '1 hour', at => '00:11', queue => 'long'
);

select private.schedule_job(
  'end-crashed-guest-registrations', $$delete from private.guest_registrations where begun_at < now() - interval '1 hour'$$,
  every => '1 hour', at => '00:19', queue => 'long'
);
