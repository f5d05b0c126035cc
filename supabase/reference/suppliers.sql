select private.schedule_job(
  'release-waiting-products', 'select private.release_waiting_products()', every => '1 minute', queue => 'long'
);

select private.schedule_job(
  'settle-suppliers', 'select private.settle_suppliers()', every => '1 minute', queue => 'long', in_batches => true
);
