select private.schedule_job(
  'release-waiting-products', 'select private.release_waiting_products()', every => '1 minute', queue => 'long'
);
