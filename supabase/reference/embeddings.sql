-- requires: vector
insert into private.embedding_schedule (attempt, wait) values
  (2, '1 minute'), (3, '5 minutes'), (4, '15 minutes'), (5, '1 hour'), (6, '4 hours'), (7, '12 hours'), (8, '1 day')
on conflict (attempt) do update set wait = excluded.wait;

select private.schedule_job('embed', 'select private.sweep_embeddings()', every => '1 minute', queue => 'workers');
