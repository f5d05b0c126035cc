insert into private.status_moves (subject, from_status, to_status) values
  ('products', 'draft', 'active'),
  ('products', 'active', 'inactive'),
  ('products', 'inactive', 'active'),
  ('products', 'active', 'out_of_stock'),
  ('products', 'out_of_stock', 'active'),
  ('products', 'draft', 'discontinued'),
  ('products', 'active', 'discontinued'),
  ('products', 'inactive', 'discontinued'),
  ('products', 'out_of_stock', 'discontinued')
on conflict do nothing;

select private.schedule_job('forget-counts', 'select private.delete_old_counts()', every => '10 minutes', queue => 'long');
