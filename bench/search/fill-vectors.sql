-- requires: vector
-- A vector for each product of `fill.sql`: near the existing vector of its model in the words of tenant 1,
-- at a random distance, so that they form clusters as real ones do. All tenants have the same clusters.

set session_replication_role = replica;

insert into private.embedding_model (model, queued_up_to) values ('builtin', null)
on conflict (only_one) do update set model = excluded.model, queued_up_to = null;

insert into private.word_vectors (tenant_id, word, vector, learnt_at)
select pg_temp.id('00', 2), w.word, w.vector, w.learnt_at
from private.word_vectors w
where w.tenant_id = pg_temp.id('00', 1)
on conflict do nothing;

drop table if exists bench.meanings;
create table bench.meanings as
select
  m.place,
  private.embed_text(pg_temp.id('00', 1), concat_ws(' ', m.name, m.name, m.description)) as embedding
from bench.models m;

-- Each about a quarter as long as a vector.
drop table if exists bench.noises;
create table bench.noises as
select
  n,
  array(select (random() - 0.5) / 23 from generate_series(1, 384) where n >= 0)::real[]::extensions.halfvec(384) as noise
from generate_series(0, 999) as n;

-- Building the index at the end is faster than filling it row by row.
set maintenance_work_mem = '512MB';
drop index private.product_embeddings_embedding_idx;
insert into private.product_embeddings (tenant_id, product_id, model, embedding)
select
  l.tenant_id, l.id, 'builtin',
  extensions.l2_normalize(m.embedding operator(extensions.+) a.noise operator(extensions.+) b.noise)
from pg_temp.listed l
join bench.meanings m on m.place = l.place
join bench.noises a on a.n = (l.k * 31 + l.t) % 1000
join bench.noises b on b.n = (l.k / 1000 * 7 + l.t * 13) % 1000
order by l.k, l.t;
create index product_embeddings_embedding_idx on private.product_embeddings
  using hnsw (embedding extensions.halfvec_cosine_ops);

set session_replication_role = origin;
