-- Supabase advises at most 8 cron jobs at once. These are all; capabilities add rows to jobs_due.
select cron.schedule('clock', '* * * * *', 'call private.run_due_jobs()');

select cron.schedule('clock-workers', '* * * * *', $$call private.run_due_jobs('workers')$$);

select cron.schedule('clock-long', '* * * * *', $$call private.run_due_jobs('long')$$);

select private.schedule_job(
  'delete-old-cron-runs', $$select private.delete_old_cron_runs(keep => '7 days', batch => 10000)$$,
  every => '1 hour', at => '00:51', queue => 'long', in_batches => true
);

select private.schedule_job('wake-workers', 'select private.wake_workers()', every => '1 minute', queue => 'workers');
