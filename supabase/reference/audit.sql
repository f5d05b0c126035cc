select private.schedule_job(
  'delete-old-audit-entries', $$select private.delete_old_audit_entries(keep => '400 days', batch => 10000)$$,
  every => '1 hour', at => '00:47', queue => 'long', in_batches => true
);
