-- requires: vector
select private.add_queue(
  'embeddings', worker => 'embed', lease => '2 minutes',
  waits => '{1 minute,5 minutes,15 minutes,1 hour,4 hours,12 hours,1 day}'
);
select private.add_queue(
  'word_lessons', worker => 'embed', lease => '5 minutes',
  waits => '{5 minutes,10 minutes,20 minutes,40 minutes,80 minutes,160 minutes,320 minutes,640 minutes,1280 minutes}',
  gives_up => false
);

select private.schedule_job('embed', 'select private.sweep_embeddings()', every => '1 minute', queue => 'workers');
