insert into private.caps (name, value, unit) values
  ('export_rows', 5000000, 'rows of an export as csv or json'),
  ('export_rows_xlsx', 20000, 'rows of an export as xlsx'),
  ('export_rows_small', 50000, 'rows of a small export, which is written beside a larger one of its tenant'),
  ('export_file_bytes', 52428800, 'bytes of a file of an export; an export with more has several files'),
  ('exports_waiting', 20, 'exports of a tenant that wait or are being written')
on conflict (name) do update set unit = excluded.unit;

insert into private.status_moves (subject, from_status, to_status) values
  ('exports', 'queued', 'running'),
  ('exports', 'queued', 'failed'),
  ('exports', 'running', 'ready'),
  ('exports', 'running', 'failed'),
  ('exports', 'ready', 'expired')
on conflict do nothing;

insert into storage.buckets (id, name, public, allowed_mime_types)
values (
  'exports', 'exports', false,
  array['text/csv', 'application/json', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']
)
on conflict (id) do update set public = excluded.public, allowed_mime_types = excluded.allowed_mime_types;

-- Beside a large export of a tenant, a small one is written.
select private.add_queue(
  q.name, worker => 'export-dispatch', lease => '2 minutes', waits => '{5 seconds,10 seconds,20 seconds,40 seconds,80 seconds}',
  in_order => true
)
from unnest(array['small_exports', 'large_exports']) as q (name);

select private.add_queue('export_files', worker => 'export-dispatch', lease => '2 minutes', waits => '{1 minute}', gives_up => false);

select private.schedule_job('sweep-exports', 'select private.sweep_exports()', every => '1 minute', queue => 'workers');

insert into private.caps (name, value, unit) values
  ('export_schedules_per_tenant', 100, 'schedules of exports of a tenant')
on conflict (name) do update set unit = excluded.unit;

select private.schedule_job('run-export-schedules', 'select private.run_export_schedules()', every => '5 minutes');
