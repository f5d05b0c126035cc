-- requires: vector
-- Embeddings: the meaning of a product as a vector of 384 numbers, so that a product is found by other words with the
-- same meaning. A change of a product's text queues a job in the same transaction. The function `embed` takes jobs, has a
-- provider compute the vectors, and reports them.
--
-- A job in the queue marks a vector as outdated. A flag beside the vector would cost a hundred times as much, because
-- every change of a text would write the vector index.
--
-- The provider `builtin` needs no service. The function `embed` learns vectors for the words of a tenant's catalog from
-- the words that occur together, and the database computes the vectors of texts from them.

create extension if not exists vector with schema extensions;

-- Loads the library in this session, so that it knows the settings of the functions below.
do $$
begin
  perform '[1]'::extensions.vector;
end
$$;

-- tables ---------------------------------------------------------------------------------------

create table private.embedding_model (
  only_one boolean primary key default true,
  model text not null,
  since timestamptz not null default now(),
  heard_at timestamptz not null default now(),
  -- Null: all products are queued.
  queued_up_to uuid default '00000000-0000-0000-0000-000000000000',
  constraint embedding_model_only_one_is_true check (only_one),
  constraint embedding_model_model_is_1_to_200_characters check (char_length(model) between 1 and 200)
);
comment on table private.embedding_model is
  'The one model whose vectors are compared. heard_at: when the function named it last. queued_up_to: up to this id, products without a vector of this model are queued.';

-- Half the size of `vector`, in the table and in the index. The precision of eleven bits is enough for finding.
create table private.product_embeddings (
  tenant_id uuid not null,
  product_id uuid not null,
  model text not null,
  embedding extensions.halfvec(384) not null,
  embedded_at timestamptz not null default now(),
  constraint product_embeddings_pkey primary key (tenant_id, product_id),
  constraint product_embeddings_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade
);
comment on table private.product_embeddings is
  'The vector of each product and the model that made it. It is outdated while the product is queued: see private.embedding_states.';

create table private.word_vectors (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  word text not null,
  vector extensions.halfvec(384) not null,
  learnt_at timestamptz not null,
  constraint word_vectors_pkey primary key (tenant_id, word)
);
comment on table private.word_vectors is
  'The vectors of words in a tenant''s catalog. The direction of a vector is the meaning of the word, its length the weight of the word.';

create table private.word_lessons (
  tenant_id uuid primary key references public.tenants (id) on delete cascade,
  learnt_at timestamptz,
  products integer not null default 0,
  changes integer not null default 0,
  -- The vectors of a small catalog are outdated sooner, and are learnt fast.
  is_due boolean not null
    generated always as (changes >= greatest(5, least(products, 20), products / 10)) stored
);
comment on table private.word_lessons is
  'When each tenant''s words were learnt, how many products it had then, and how many have changed since. While the next lesson is due, its job is in the queue word_lessons.';

-- indexes --------------------------------------------------------------------------------------

create index product_embeddings_embedding_idx on private.product_embeddings
  using hnsw (embedding extensions.halfvec_cosine_ops);
create index word_vectors_likeness_idx on private.word_vectors
  using gist (tenant_id, word extensions.gist_trgm_ops);

-- views ----------------------------------------------------------------------------------------

create view private.embedding_states as
select
  e.tenant_id, e.product_id, e.model, e.embedded_at,
  j.subject_id is not null or e.model is distinct from (select m.model from private.embedding_model m) as stale
from private.product_embeddings e
left join private.jobs j on j.queue = 'embeddings' and j.subject_id = e.product_id and j.tenant_id = e.tenant_id;
comment on view private.embedding_states is
  'The model and time of each vector, and whether it is stale: the text has changed since, or another model is in use.';

-- functions: queueing --------------------------------------------------------------------------

create function private.queue_embeddings() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.queue_embeddings() is
  'Statement trigger: queues products whose text is new or has changed.';

create function private.adopt_model(model text) returns void
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.adopt_model is
  'Makes this the model whose vectors are compared. Its vectors of all products are computed by and by.';

create function private.queue_of_other_models(batch integer) returns void
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.queue_of_other_models is
  'Queues some of the next thousand products, those without a vector of the model in use, if fewer jobs than a batch are due.';

create function private.sweep_embeddings() returns void
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.sweep_embeddings() is
  'Wakes the function while products of other models are left to queue, and four times an hour so that it reports its provider.';

-- functions: vectors of texts ------------------------------------------------------------------

create function private.words_of(content text) returns text[]
language plpgsql stable set search_path = ''
as $$
begin
  return array(
    select w.word
    from regexp_split_to_table(private.fold(left(content, 4000)), '[^[:alnum:]]+')
      with ordinality as w (word, place)
    where char_length(w.word) between 2 and 40
      -- Leaves out English words without a meaning of their own. In other languages their frequency shows that.
      and ts_lexize('pg_catalog.english_stem', w.word) is distinct from '{}'
      and w.word !~ '^(some|any|every|no)(thing|body|one|where)$'
    order by w.place
    limit 120
  );
end
$$;
comment on function private.words_of is
  'The first 120 words of a text, in lower case and without accents, in the form in which they are learnt and looked up.';

create function private.embed_text(tenant_id uuid, content text) returns extensions.halfvec
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  words text[] := private.words_of(content);
  -- A long text does not need every one of its words.
  is_short boolean := cardinality(words) <= 12;
  meaning extensions.halfvec;
begin
  select extensions.avg(coalesce(known.vector, near.vector)) into meaning
  from (select u.word, count(*)::integer as times from unnest(words) as u (word) group by u.word) as w
  left join private.word_vectors known on known.tenant_id = embed_text.tenant_id and known.word = w.word
  left join lateral (
    select v.word, v.vector
    from (
      select v.word, v.vector
      from private.word_vectors v
      where is_short and known.word is null and v.tenant_id = embed_text.tenant_id
      order by v.word operator(extensions.<->) w.word
      limit 5
    ) as v
    where v.word ^@ w.word
      or w.word ^@ v.word and char_length(v.word) >= 4
      or private.edit_distance(v.word, w.word) <= private.slips_allowed(w.word)
    order by extensions.similarity(v.word, w.word) desc, v.word
    limit 1
  ) as near on true
  cross join generate_series(1, least(w.times, 3)) as repeated
  where coalesce(known.word, near.word) is not null;
  -- Words may cancel each other out, and a zero vector is not near to anything.
  return case when extensions.l2_norm(meaning) > 0 then extensions.l2_normalize(meaning) end;
end
$$;
comment on function private.embed_text is
  'The vector of a text by the words of a tenant''s catalog; null if none of its words is known. In a short text, unknown words are replaced by the most similar known ones: one of both is the beginning of the other, or one may be a typing error for the other.';

create function private.embed_product(tenant_id uuid, product_id uuid) returns extensions.halfvec
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    -- The name counts twice, because it says what the product is.
    select private.embed_text(p.tenant_id, p.name || ' ' || private.product_content(p.id))
    from public.products p
    where p.tenant_id = embed_product.tenant_id and p.id = embed_product.product_id
  );
end
$$;
comment on function private.embed_product is 'The vector of a product by the words of its tenant''s catalog.';

-- functions: for the function `embed` ----------------------------------------------------------

create function private.record_embeddings(done jsonb, model text) returns void
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.record_embeddings is 'Stores vectors, or errors, of jobs whose lease is still valid.';

create function private.count_changes(embedded private.jobs[]) returns void
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.count_changes is 'Counts products that have changed, and queues the lessons that are due because of them.';

create function private.lease_embedding_jobs(done jsonb, model text, batch integer)
returns table (product_id uuid, content text, lease uuid)
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.lease_embedding_jobs is 'As public.lease_embedding_jobs.';

create function public.lease_embedding_jobs(done jsonb, model text, batch integer)
returns table (product_id uuid, content text, lease uuid)
language plpgsql set search_path = ''
as $$
begin
  return query
    select t.product_id, t.content, t.lease
    from private.lease_embedding_jobs(lease_embedding_jobs.done, lease_embedding_jobs.model, lease_embedding_jobs.batch) t;
end
$$;
comment on function public.lease_embedding_jobs is
  'For the function embed: stores results and takes up to batch products whose vector this model is to compute, leased for two minutes, with their texts. done: a list of {product_id, lease, embedding (the vector as text), error, retry_after_seconds}; the database computes the vectors of the model builtin itself. A model other than the one in use replaces it, and all vectors are computed again. With batch 0 no job is taken, and the function is woken again if any are left; with null results are only stored.';

create function public.take_lesson() returns table (tenant_id uuid, lease uuid)
language plpgsql set search_path = ''
as $$
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
$$;
comment on function public.take_lesson() is
  'For the function embed: a tenant whose catalog has changed so much that its words have to be learnt again, leased for five minutes.';

create function private.read_lesson(tenant_id uuid, after uuid, "limit" integer) returns json
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('id', p.id, 'words', array_to_string(p.words, ' ')) order by p.id), '[]')
    from (
      select p.id, private.words_of(private.product_content(p.id)) as words
      from public.products p
      where p.tenant_id = read_lesson.tenant_id and p.id > read_lesson.after and p.status <> 'discontinued'
      order by p.id
      limit read_lesson."limit"
    ) as p
  );
end
$$;
comment on function private.read_lesson is 'As public.read_lesson.';

create function public.read_lesson(tenant_id uuid, after uuid, "limit" integer) returns json
language plpgsql stable set search_path = ''
as $$
begin
  return private.read_lesson(tenant_id, after, "limit");
end
$$;
comment on function public.read_lesson is
  'For the function embed: the tenant''s next products after this id, each with its words as one text.';

create function private.record_lesson(
  tenant_id uuid, lease uuid, words text[], vectors text[], is_last boolean
) returns boolean
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.record_lesson is 'As public.record_lesson.';

create function public.record_lesson(
  tenant_id uuid, lease uuid, words text[], vectors text[], is_last boolean
) returns boolean
language plpgsql set search_path = ''
as $$
begin
  return private.record_lesson(tenant_id, lease, words, vectors, is_last);
end
$$;
comment on function public.record_lesson is
  'For the function embed: stores words with their vectors, as texts. is_last: deletes the tenant''s other words and queues its products. Returns false if the lease is lost.';

create function private.embedding_status() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
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
$$;
comment on function private.embedding_status() is 'As public.embedding_status.';

create function public.embedding_status() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.embedding_status();
end
$$;
comment on function public.embedding_status() is
  'For operators of the project: the model in use, the number of products that have a vector of it or wait for one, and the errors; null before the function embed has run.';

-- functions: search by meaning -----------------------------------------------------------------

create function private.query_meaning(tenant_id uuid, query text, embedding text) returns extensions.halfvec
language plpgsql stable security definer set search_path = ''
as $$
declare
  model text := (select m.model from private.embedding_model m);
  -- The name of its model may come before it.
  bracket integer := strpos(embedding, '[');
begin
  if embedding is null then
    return case when model = 'builtin' then private.embed_text(query_meaning.tenant_id, query) end;
  elsif bracket > 1 and rtrim(left(embedding, bracket - 1)) is distinct from model then
    return null;
  end if;
  return substr(embedding, greatest(bracket, 1))::extensions.halfvec(384);
exception
  when data_exception then
    perform private.refuse('VALIDATION_ERROR', 'embedding must be a list of 384 numbers.', 'embedding');
    return null;
end
$$;
comment on function private.query_meaning is
  'The vector of a query: its embedding if that is of the model in use, else computed from the words of the tenant''s catalog. Null if it cannot be compared.';

create function private.has_few_products(branch uuid[], filters private.product_filters) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
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
$$;
comment on function private.has_few_products is
  'Whether the caller sees at most 5000 products of these categories (null: all) that match the filters. Runs with the planner settings of products_close_to.';

create function private.products_close_to(
  meaning extensions.halfvec,
  besides uuid,
  branch uuid[],
  filters private.product_filters,
  wanted integer
) returns table (id uuid, closeness double precision)
language plpgsql stable security definer
set search_path = ''
-- bench/search finds 0.986 of the ten closest so.
-- The filters vary so much that planning each query is worth its cost.
set plan_cache_mode = force_custom_plan
-- For many products, the vector index returns the nearest one by one, and each is filtered until there are enough.
set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
set hnsw.iterative_scan = 'relaxed_order' set hnsw.ef_search = 100 set hnsw.max_scan_tuples = 40000
as $$
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
$$;
comment on function private.products_close_to is
  'The products that the caller sees and that are nearest to a meaning, nearest first. Up to 5000 candidates are all compared; more are searched by the index with the filters applied during the scan.';

create function private.products_close_to_product(product_id uuid, wanted integer)
returns table (id uuid, closeness double precision)
language plpgsql stable security definer set search_path = ''
as $$
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
$$;
comment on function private.products_close_to_product is
  'The products that the caller sees and that are nearest in meaning to one that it sees, nearest first.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_delete_embedding_jobs
  after delete on public.products
  referencing old table as deleted
  for each statement execute function private.delete_jobs('embeddings');

create trigger tenants_delete_lessons
  after delete on public.tenants
  referencing old table as deleted
  for each statement execute function private.delete_jobs('word_lessons');

create trigger product_texts_queue_embeddings_when_added
  after insert on private.product_texts
  referencing new table as new_texts
  for each statement execute function private.queue_embeddings();

create trigger product_texts_queue_embeddings_when_changed
  after update on private.product_texts
  referencing old table as old_texts new table as new_texts
  for each statement execute function private.queue_embeddings();

-- policies -------------------------------------------------------------------------------------

alter table private.embedding_model enable row level security;
alter table private.product_embeddings enable row level security;
alter table private.word_vectors enable row level security;
alter table private.word_lessons enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.lease_embedding_jobs, public.lease_embedding_jobs, public.take_lesson,
  private.read_lesson, public.read_lesson, private.record_lesson, public.record_lesson,
  private.embedding_status, public.embedding_status
to service_role;
