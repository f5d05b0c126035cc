-- `fill.products` products of 100 tenants, a tenth for tenant 1 and a hundredth for tenant 2, made from
-- bench.models: the possible products, each with its place and its family. `fill.before` products exist.
-- Requires a superuser and the migrations. Triggers are off, so this script writes their rows.
-- Only the first `fill.tenants` tenants are filled.
--
-- An id has the kind and the number: tenants 00000000-…, marketplaces f4, categories f7, products f0.
-- Rows of several tenants are interleaved, as in a database with many concurrent writers.

set session_replication_role = replica;

create or replace function pg_temp.id(kind text, n bigint) returns uuid language sql immutable
  as $$ select (kind || '000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid $$;

create or replace function pg_temp.share_of(t integer, total integer) returns integer language sql immutable
  as $$ select case t when 1 then total / 10 when 2 then total / 100 else total * 89 / 100 / 98 end $$;

drop table if exists pg_temp.shops;
create temp table shops as
select
  t, pg_temp.id('00', t) as tenant_id, pg_temp.id('f4', t) as marketplace_id,
  pg_temp.share_of(t, current_setting('fill.before')::integer) as before,
  pg_temp.share_of(t, current_setting('fill.products')::integer) as products
from generate_series(1, current_setting('fill.tenants')::integer) as t;

insert into public.tenants (id, name)
select tenant_id, 'Tenant ' || t from shops
on conflict do nothing;

insert into public.marketplaces (id, tenant_id, name, category, currency, language, domain, status)
select marketplace_id, tenant_id, 'Market ' || t, 'all', 'EUR', 'en', 'market' || t || '.search.souk.test', 'active'
from shops
on conflict do nothing;

insert into public.categories (id, tenant_id, name)
select pg_temp.id('f7', t * 1000 + family), tenant_id, 'Aisle ' || family
from shops, (select distinct m.family from bench.models m) as families
on conflict do nothing;

drop table if exists pg_temp.listed;
create temp table listed as
select
  pg_temp.id('f0', s.t::bigint * 1000000 + k) as id, s.tenant_id, s.marketplace_id,
  pg_temp.id('f7', s.t * 1000 + m.family) as category_id, m.name || ' ' || k as name, m.description, m.price,
  m.attributes, m.place, m.family, s.t, k
from shops s
cross join lateral generate_series(s.before + 1, s.products) as k
join bench.models m on m.place = (k * 7919 + s.t) % (select count(*) from bench.models);

insert into public.products (
  id, tenant_id, marketplace_id, category_id, name, slug, description, price, currency, attributes, brand, attribute_values, status,
  created_at, updated_at, lowest_price, highest_price
)
select
  l.id, l.tenant_id, l.marketplace_id, l.category_id, l.name, 'product-' || l.k, l.description, l.price, 'EUR', l.attributes,
  private.brand(l.attributes), private.attribute_values(l.attributes), 'active',
  timestamptz '2026-01-01' + l.k * interval '1 minute', timestamptz '2026-01-01' + l.k * interval '1 minute',
  l.price, l.price
from pg_temp.listed l
order by l.k, l.t;

insert into private.product_slugs (tenant_id, marketplace_id, slug, product_id)
select p.tenant_id, p.marketplace_id, p.slug, p.id from public.products p
on conflict do nothing;

insert into public.inventory (tenant_id, product_id, variant_id, quantity)
select l.tenant_id, l.id, null, 100
from pg_temp.listed l
order by l.k, l.t;

-- A plan made for an empty table would scan the whole table for every product.
analyze public.products, public.categories, public.marketplaces;

do $$
declare
  ids uuid[];
  is_first boolean := true;
begin
  for ids in
    select array_agg(l.id) from pg_temp.listed l group by l.t, l.k / 1000
  loop
    perform private.write_openings(ids);
    perform private.write_product_texts(ids);
    if is_first then
      analyze private.product_texts, private.search_words;
      is_first := false;
    end if;
  end loop;
end
$$;

set session_replication_role = origin;
