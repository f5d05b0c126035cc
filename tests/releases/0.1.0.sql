-- Work that waits while a database of this release is migrated. It is due in 2100, so that no worker takes it.
insert into private.mail_queue (mail_id, tenant_id, due_at, tries, is_counted) values
  ('e0000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000001', '2100-01-01', 2, true);
insert into private.export_jobs (export_id, tenant_id, query, total, large, due_at, failures) values
  ('e0000000-0000-4000-8000-000000000002', 'f0000000-0000-4000-8000-000000000001', '(,,,,)', 1, true, '2100-01-01', 1),
  ('e0000000-0000-4000-8000-000000000003', 'f0000000-0000-4000-8000-000000000001', '(,,,,)', 1, false, '2100-01-01', 0);
insert into private.export_removals (export_id, tenant_id, due_at) values
  ('e0000000-0000-4000-8000-000000000004', 'f0000000-0000-4000-8000-000000000001', '2100-01-01');
insert into private.media_cleanings (asset_id, tenant_id, due_at, attempts) values
  ('e0000000-0000-4000-8000-000000000005', 'f0000000-0000-4000-8000-000000000001', '2100-01-01', 3);
insert into private.media_sweeps (tenant_id, bucket, path, due_at) values
  ('f0000000-0000-4000-8000-000000000001', 'media', 'waiting.png', '2100-01-01');
