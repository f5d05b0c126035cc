-- Statements that the migration since the last release runs before the difference: what has to happen to rows while the
-- tables are still the old ones, and renames, which a difference would take for a removal and an addition.

-- The queues of capabilities become rows of private.jobs: see after.sql.
create table private.waiting_jobs as
select 'mails' as queue, q.tenant_id, q.mail_id as subject_id, q.due_at, q.tries as attempts, q.is_counted
from private.mail_queue q
union all
select case when j.large then 'large_exports' else 'small_exports' end, j.tenant_id, j.export_id, j.due_at, j.failures, false
from private.export_jobs j
union all
select 'export_files', r.tenant_id, r.export_id, r.due_at, 0, false from private.export_removals r
union all
select 'media_cleanings', c.tenant_id, c.asset_id, c.due_at, c.attempts, false from private.media_cleanings c;
