select private.schedule_job(
  'write-outdated-texts', 'select private.write_outdated_texts($1::uuid)',
  every => '1 minute', queue => 'long', in_batches => true
);

select private.schedule_job(
  'mend-search', 'select private.mend_search($1)',
  every => '1 day', at => '03:23', queue => 'long', in_batches => true
);

select private.schedule_job('add-up-sales', 'select private.add_up_sales()', every => '1 minute');

select private.schedule_job(
  'forget-sales', $$delete from private.product_sales where date < (now() at time zone 'UTC')::date - 366$$,
  every => '1 day', at => '03:47', queue => 'long'
);
