-- requires: vector
-- Made from supabase/schemas and supabase/reference by `npm run db -- migration`. Do not edit.
SET local check_function_bodies = off;

DROP INDEX "private"."word_lessons_due_idx";

DROP VIEW "private"."embedding_states";

ALTER TABLE "private"."embedding_queue"
  DROP CONSTRAINT "embedding_queue_product_id_fkey";

DROP FUNCTION "private"."embedding_jobs_in_turn"(integer, timestamp WITH time zone);

DROP FUNCTION "private"."record_lesson"(uuid, timestamp WITH time zone, text[], text[], boolean);

DROP FUNCTION "private"."take_embedding_jobs"(jsonb, text, integer);

DROP FUNCTION "private"."take_lesson"();

DROP FUNCTION "public"."record_lesson"(uuid, timestamp WITH time zone, text[], text[], boolean);

DROP FUNCTION "public"."take_embedding_jobs"(jsonb, text, integer);

DROP FUNCTION "public"."take_lesson"();

ALTER TABLE "private"."word_lessons"
  DROP COLUMN "attempts";

ALTER TABLE "private"."word_lessons"
  DROP COLUMN "leased_until";

DROP TABLE "private"."embedding_queue";

DROP TABLE "private"."embedding_schedule";

CREATE OR REPLACE FUNCTION private.adopt_model (
  model text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  known private.embedding_model;
begin
  select m.* into known from private.embedding_model m;
  if known.model is distinct from adopt_model.model then
    insert into private.embedding_model as m (model) values (adopt_model.model)
    on conflict (only_one) do update
      set model = excluded.model, since = now(), heard_at = now(),
          queued_up_to = '00000000-0000-0000-0000-000000000000';
    -- Jobs that the previous provider failed to do.
    update private.jobs j
    set attempts = 0, due_at = now(), error = null
    where j.queue = 'embeddings' and j.due_at is null;
  elsif known.heard_at < now() - interval '1 minute' then
    update private.embedding_model m set heard_at = now() where m.model = adopt_model.model;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.count_changes (
  embedded private.jobs[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  due uuid[];
begin
  with counted as (
    insert into private.word_lessons as l (tenant_id, changes)
    select e.tenant_id, count(*)
    from unnest(embedded) as e
    left join private.word_lessons known on known.tenant_id = e.tenant_id
    -- A product that was queued because words were learnt has not changed itself.
    where known.learnt_at is null or e.queued_at > known.learnt_at
    group by e.tenant_id
    order by e.tenant_id
    on conflict (tenant_id) do update set changes = l.changes + excluded.changes
    returning l.tenant_id, l.is_due
  )
  select array_agg(c.tenant_id) into due from counted c where c.is_due;
  perform private.queue_jobs('word_lessons', due, due);
end
$function$;

CREATE OR REPLACE FUNCTION private.embedding_status()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'model', m.model,
      'since', m.since,
      'embedded', (select count(*) from private.product_embeddings e where e.model = m.model),
      'of_other_models', (select count(*) from private.product_embeddings e where e.model <> m.model),
      'waiting', (select count(*) from private.jobs j where j.queue = 'embeddings' and j.due_at is not null),
      'retrying', (
        select count(*)
        from private.jobs j
        where j.queue = 'embeddings' and j.due_at is not null and j.error is not null
      ),
      'given_up', (select count(*) from private.jobs j where j.queue = 'embeddings' and j.due_at is null),
      'errors', (
        select coalesce(jsonb_object_agg(f.error, f.count), '{}')
        from (
          select j.error, count(*) as count
          from private.jobs j
          where j.queue = 'embeddings' and j.error is not null
          group by j.error
          order by count desc
          limit 10
        ) as f
      ),
      'all_queued', m.queued_up_to is null
    )
    from private.embedding_model m
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.has_few_products (
  branch  uuid[],
  filters private.product_filters
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
begin
  return (
    select count(*) <= 5000
    from (
      select 1
      from public.products p
      where p.tenant_id = tenant and p.status <> 'discontinued'
        and (branch is null or p.category_id = any (branch))
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
        and private.is_wanted(p, filters)
      limit 5001
    ) as candidates
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.lease_embedding_jobs (
  done  jsonb,
  model text,
  batch integer
)
  RETURNS TABLE (
    product_id uuid,
    content    text,
    lease      uuid
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held private.jobs[];
begin
  perform private.adopt_model(lease_embedding_jobs.model);
  perform private.record_embeddings(lease_embedding_jobs.done, lease_embedding_jobs.model);
  if (lease_embedding_jobs.batch > 0) is not true then
    if lease_embedding_jobs.batch = 0 then
      perform private.wake_for_jobs('{embeddings,word_lessons}');
      perform private.sweep_embeddings();
    end if;
    return;
  end if;
  perform private.queue_of_other_models(lease_embedding_jobs.batch);

  held := array(select j from private.hold_due_jobs('{embeddings}', lease_embedding_jobs.batch) j);
  perform private.fail_job(h, coalesce(h.error, 'the work was never ended'))
  from unnest(held) h
  where private.is_last_attempt(h);
  held := array(select h from unnest(held) h where not private.is_last_attempt(h));
  lease := private.lease_jobs(held);
  return query
    select
      h.subject_id,
      case when lease_embedding_jobs.model <> 'builtin' then left(private.product_content(h.subject_id), 4000) end,
      lease_embedding_jobs.lease
    from unnest(held) h;
end
$function$;

CREATE OR REPLACE FUNCTION private.products_close_to (
  meaning extensions.halfvec,
  besides uuid,
  branch  uuid[],
  filters private.product_filters,
  wanted  integer
)
  RETURNS TABLE (
    id        uuid,
    closeness double precision
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_custom_plan'
  SET enable_sort TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET "hnsw.iterative_scan" TO 'relaxed_order'
  SET "hnsw.ef_search" TO '100'
  SET "hnsw.max_scan_tuples" TO '40000'
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  model_in_use text := (select m.model from private.embedding_model m);
  -- Closeness of builtin vectors goes down to 0 for unrelated texts, other models rate unrelated texts higher.
  least_closeness double precision := case model_in_use when 'builtin' then 0.25 else 0 end;
  size integer := least(greatest(coalesce(products_close_to.wanted, 0), 0), 1000);
begin
  if tenant is null or meaning is null or size = 0 then
    return;
  end if;

  if private.has_few_products(branch, filters) then
    -- Compares all of them, which finds the nearest for certain.
    return query
      select c.id, c.closeness
      from (
        select p.id, 1 - (e.embedding operator(extensions.<=>) meaning) as closeness
        from public.products p
        join private.product_embeddings e on e.tenant_id = p.tenant_id and e.product_id = p.id and e.model = model_in_use
        where p.tenant_id = tenant and p.status <> 'discontinued' and p.id is distinct from besides
          and (branch is null or p.category_id = any (branch))
          and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
          and private.is_wanted(p, filters)
        offset 0
      ) as c
      where c.closeness >= least_closeness
      order by c.closeness desc, c.id
      limit size;
  else
    return query
      with nearest as materialized (
        select p.id, 1 - (e.embedding operator(extensions.<=>) meaning) as closeness
        from private.product_embeddings e
        join public.products p on p.tenant_id = e.tenant_id and p.id = e.product_id
        where e.tenant_id = tenant and e.model = model_in_use
          and p.status <> 'discontinued' and p.id is distinct from besides
          and (branch is null or p.category_id = any (branch))
          and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
          and private.is_wanted(p, filters)
        order by e.embedding operator(extensions.<=>) meaning
        limit size
      )
      select n.id, n.closeness
      from nearest n
      where n.closeness >= least_closeness
      order by n.closeness desc, n.id;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.products_close_to_product (
  product_id uuid,
  wanted     integer
)
  RETURNS TABLE (
    id        uuid,
    closeness double precision
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  meaning extensions.halfvec := (
    select e.embedding
    from public.products p
    join private.product_embeddings e on e.tenant_id = p.tenant_id and e.product_id = p.id
    where p.tenant_id = tenant and p.id = products_close_to_product.product_id and p.status <> 'discontinued'
      and e.model = (select m.model from private.embedding_model m)
      and private.is_shown_to(
        private.reach('products.read'), private.supplier_id(), private.active_marketplace_ids(),
        p.supplier_id, p.marketplace_id, p.status
      )
  );
begin
  return query
    select c.id, c.closeness
    from private.products_close_to(meaning, products_close_to_product.product_id, null, null, wanted) c;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_embeddings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  changed uuid[];
begin
  if tg_op = 'INSERT' then
    changed := array(select n.product_id from new_texts n);
  else
    changed := array(
      select n.product_id
      from new_texts n
      join old_texts o on o.product_id = n.product_id
      where n.document is distinct from o.document
    );
  end if;
  if changed <> '{}' then
    -- A worker that has taken the old text loses its lease.
    perform private.queue_jobs('embeddings', array_agg(p.tenant_id), array_agg(p.id), is_changed => true)
    from public.products p
    where p.id = any (changed);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_of_other_models (
  batch integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  in_use private.embedding_model;
  slice uuid[];
begin
  if exists (select 1 from private.embedding_model m where m.queued_up_to is not null)
    and (select count(*) < batch from private.due_jobs('{embeddings}', batch))
  then
    select m.* into in_use
    from private.embedding_model m
    where m.queued_up_to is not null
    for update skip locked;
    if not found then
      return;
    end if;
    slice := array(select p.id from public.products p where p.id > in_use.queued_up_to order by p.id limit 1000);
    perform private.queue_jobs('embeddings', array_agg(w.tenant_id), array_agg(w.id))
    from (
      select p.tenant_id, p.id
      from public.products p
      left join private.product_embeddings e
        on e.tenant_id = p.tenant_id and e.product_id = p.id and e.model = in_use.model
      where p.id = any (slice) and p.status <> 'discontinued' and e.product_id is null
      -- Skips products that are being deleted, so that this does not wait.
      for key share of p skip locked
    ) as w;
    update private.embedding_model m set queued_up_to = slice[cardinality(slice)] where m.model = in_use.model;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_embeddings (
  done  jsonb,
  model text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  reported private.jobs[];
begin
  -- A worker that has lost its lease is ignored. Products that are being changed or deleted are skipped: they are
  -- queued again, or deleted.
  reported := array(
    select j
    from jsonb_to_recordset(record_embeddings.done) as made (product_id uuid, lease uuid)
    join private.jobs j on j.queue = 'embeddings' and j.subject_id = made.product_id and j.lease = made.lease
    join public.products p on p.tenant_id = j.tenant_id and p.id = j.subject_id
    for update of j skip locked
    for key share of p skip locked
  );

  with made as (
    select
      j.tenant_id, j.subject_id as product_id, m.error,
      case
        when m.error is null and record_embeddings.model = 'builtin'
          then private.embed_product(j.tenant_id, j.subject_id)
        when m.error is null then m.embedding::extensions.halfvec(384)
      end as embedding
    from unnest(reported) as j
    join jsonb_to_recordset(record_embeddings.done) as m (product_id uuid, embedding text, error text)
      on m.product_id = j.subject_id
  ),
  kept as (
    insert into private.product_embeddings as e (tenant_id, product_id, model, embedding)
    select m.tenant_id, m.product_id, record_embeddings.model, m.embedding
    from made m
    where m.embedding is not null
    on conflict (tenant_id, product_id) do update
      set model = excluded.model, embedding = excluded.embedding, embedded_at = now()
  )
  delete from private.product_embeddings e
  using made m
  where m.error is null and m.embedding is null and e.tenant_id = m.tenant_id and e.product_id = m.product_id;

  perform private.fail_job(j, m.error, make_interval(secs => coalesce(m.retry_after_seconds, 0)))
  from unnest(reported) as j
  join jsonb_to_recordset(record_embeddings.done) as m (product_id uuid, error text, retry_after_seconds integer)
    on m.product_id = j.subject_id
  where m.error is not null;
  delete from private.jobs j
  using unnest(reported) as r
  -- Those that have failed no longer have this lease.
  where j.queue = r.queue and j.subject_id = r.subject_id and j.lease = r.lease;

  if record_embeddings.model = 'builtin' then
    perform private.count_changes(reported);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_lesson (
  tenant_id uuid,
  lease     uuid,
  words     text[],
  vectors   text[],
  is_last   boolean
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  job constant private.jobs := private.leased_job('word_lessons', record_lesson.tenant_id, record_lesson.lease);
begin
  if job.lease is null then
    return false;
  end if;

  -- Old and new vectors exist side by side for a while. Learning starts from the same position for the same word, so
  -- that they can be compared. learnt_at, the end of the lease, tells which lesson a vector is from.
  insert into private.word_vectors as v (tenant_id, word, vector, learnt_at)
  select job.tenant_id, w.word, w.vector::extensions.halfvec(384), job.leased_until
  from unnest(record_lesson.words, record_lesson.vectors) as w (word, vector)
  on conflict (tenant_id, word) do update set vector = excluded.vector, learnt_at = excluded.learnt_at;

  if record_lesson.is_last then
    perform private.end_job('word_lessons', job.subject_id);
    delete from private.word_vectors v
    where v.tenant_id = job.tenant_id and v.learnt_at <> job.leased_until;
    update private.word_lessons l
    set learnt_at = now(), changes = 0,
        products = (
          select count(*)
          from public.products p
          where p.tenant_id = job.tenant_id and p.status <> 'discontinued'
        )
    where l.tenant_id = job.tenant_id;
    perform private.queue_jobs('embeddings', array_agg(w.tenant_id), array_agg(w.id), is_changed => true)
    from (
      select p.tenant_id, p.id
      from public.products p
      where p.tenant_id = job.tenant_id and p.status <> 'discontinued'
      for key share skip locked
    ) as w;
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.sweep_embeddings()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not exists (
    select 1
    from private.embedding_model m
    -- Another provider may have been configured, which only the function knows.
    where m.queued_up_to is null and m.heard_at > now() - interval '15 minutes'
  )
  then
    perform private.wake('embed');
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.lease_embedding_jobs (
  done  jsonb,
  model text,
  batch integer
)
  RETURNS TABLE (
    product_id uuid,
    content    text,
    lease      uuid
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return query
    select t.product_id, t.content, t.lease
    from private.lease_embedding_jobs(lease_embedding_jobs.done, lease_embedding_jobs.model, lease_embedding_jobs.batch) t;
end
$function$;

REVOKE ALL ON FUNCTION "public"."lease_embedding_jobs"(jsonb, text, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.record_lesson (
  tenant_id uuid,
  lease     uuid,
  words     text[],
  vectors   text[],
  is_last   boolean
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.record_lesson(tenant_id, lease, words, vectors, is_last);
end
$function$;

REVOKE ALL ON FUNCTION "public"."record_lesson"(uuid, uuid, text[], text[], boolean) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.take_lesson()
  RETURNS TABLE (
    tenant_id uuid,
    lease     uuid
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  job private.jobs;
begin
  for job in select j.* from private.hold_due_jobs('{word_lessons}', 1) j loop
    if job.lease is not null then
      -- Learning may have taken too long for the function. Others come first.
      perform private.fail_job(job, 'the work was never ended');
      continue;
    end if;
    tenant_id := job.subject_id;
    lease := private.lease_jobs(array[job]);
    return next;
  end loop;
end
$function$;

REVOKE ALL ON FUNCTION "public"."take_lesson"() FROM PUBLIC, "anon", "authenticated";

CREATE VIEW "private"."embedding_states" AS  SELECT e.tenant_id,
    e.product_id,
    e.model,
    e.embedded_at,
    ((j.subject_id IS NOT NULL) OR (e.model IS DISTINCT FROM ( SELECT m.model
           FROM private.embedding_model m))) AS stale
   FROM (private.product_embeddings e
     LEFT JOIN private.jobs j ON (((j.queue = 'embeddings'::text) AND (j.subject_id = e.product_id) AND (j.tenant_id = e.tenant_id))));

CREATE TRIGGER products_delete_embedding_jobs AFTER DELETE ON public.products REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION private.delete_jobs (
  'embeddings'
);

CREATE TRIGGER tenants_delete_lessons AFTER DELETE ON public.tenants REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION private.delete_jobs (
  'word_lessons'
);

COMMENT ON FUNCTION "private"."count_changes"(private.jobs[]) IS 'Counts products that have changed, and queues the lessons that are due because of them.';

COMMENT ON FUNCTION "private"."lease_embedding_jobs"(jsonb, text, integer) IS 'As public.lease_embedding_jobs.';

COMMENT ON FUNCTION "private"."record_lesson"(uuid, uuid, text[], text[], boolean) IS 'As public.record_lesson.';

COMMENT ON FUNCTION "private"."sweep_embeddings"() IS 'Wakes the function while products of other models are left to queue, and four times an hour so that it reports its provider.';

COMMENT ON FUNCTION "public"."lease_embedding_jobs"(jsonb, text, integer) IS 'For the function embed: stores results and takes up to batch products whose vector this model is to compute, leased for two minutes, with their texts. done: a list of {product_id, lease, embedding (the vector as text), error, retry_after_seconds}; the database computes the vectors of the model builtin itself. A model other than the one in use replaces it, and all vectors are computed again. With batch 0 no job is taken, and the function is woken again if any are left; with null results are only stored.';

COMMENT ON FUNCTION "public"."record_lesson"(uuid, uuid, text[], text[], boolean) IS 'For the function embed: stores words with their vectors, as texts. is_last: deletes the tenant''s other words and queues its products. Returns false if the lease is lost.';

COMMENT ON FUNCTION "public"."take_lesson"() IS 'For the function embed: a tenant whose catalog has changed so much that its words have to be learnt again, leased for five minutes.';

COMMENT ON TABLE "private"."word_lessons" IS 'When each tenant''s words were learnt, how many products it had then, and how many have changed since. While the next lesson is due, its job is in the queue word_lessons.';

COMMENT ON VIEW "private"."embedding_states" IS 'The model and time of each vector, and whether it is stale: the text has changed since, or another model is in use.';

REVOKE ALL ON FUNCTION "private"."count_changes"(private.jobs[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_changes"(private.jobs[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_changes"(private.jobs[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lease_embedding_jobs"(jsonb, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lease_embedding_jobs"(jsonb, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_embedding_jobs"(jsonb, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."lease_embedding_jobs"(jsonb, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."record_lesson"(uuid, uuid, text[], text[], boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_lesson"(uuid, uuid, text[], text[], boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_lesson"(uuid, uuid, text[], text[], boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_lesson"(uuid, uuid, text[], text[], boolean) TO "service_role";

REVOKE ALL ON FUNCTION "public"."lease_embedding_jobs"(jsonb, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_embedding_jobs"(jsonb, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_embedding_jobs"(jsonb, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."record_lesson"(uuid, uuid, text[], text[], boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."record_lesson"(uuid, uuid, text[], text[], boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."record_lesson"(uuid, uuid, text[], text[], boolean) TO "service_role";

REVOKE ALL ON FUNCTION "public"."take_lesson"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."take_lesson"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."take_lesson"() TO "service_role";

-- supabase/reference/embeddings.sql

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
