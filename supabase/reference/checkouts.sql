insert into private.caps (name, value, unit) values
  ('checkouts_per_tenant', 100000, 'open checkouts of the members of a tenant'),
  ('visitor_checkouts_per_tenant', 50000, 'open checkouts of the visitors of a tenant'),
  ('checkouts_per_user', 20, 'open checkouts of a customer or guest')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job(
  'delete-old-checkouts', 'select private.delete_old_checkouts(batch => 10000)',
  every => '1 hour', at => '00:53', queue => 'long', in_batches => true
);
