-- 200 tenants with 100,000 products and their sales. Tenant 1 has 10,250 products, 10,045 of them
-- for sale, and 5,000 orders; each of the others 452 products and 100 orders. Requires a superuser
-- and a database with the migrations. Triggers are off, so this script writes their rows.
-- `set fill.first = '2'; set fill.last = '23'` limits it to those tenants.
-- `set fill.products = '500'; set fill.orders = '500'` sets the numbers of each small tenant: at
-- least 40 products, and fewer than 10,000 orders.
--
-- An id has the kind and the number: tenants 00000000-…, users f2 (admins), f3 (customers), f6
-- (suppliers), fa (clients), marketplaces f4, suppliers f5, categories f7, customers f8, products
-- f0, variants f9, orders fb, webhooks fc, events fd, deliveries fe, campaigns c0. Rows of several
-- tenants are interleaved, as in a database with many concurrent writers.

set session_replication_role = replica;

-- No product is queued for embeddings, because bench/search measures them. Without vectors there is
-- no such table.
do $$
begin
  if to_regclass('private.embedding_model') is not null then
    insert into private.embedding_model (model, queued_up_to) values ('builtin', null)
    on conflict (only_one) do update set model = excluded.model, queued_up_to = null;
  end if;
end
$$;

create or replace function pg_temp.id(kind text, n bigint) returns uuid language sql immutable
  as $$ select (kind || '000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid $$;

drop table if exists pg_temp.shops;
create temp table shops as
select
  t, pg_temp.id('00', t) as tenant_id, pg_temp.id('f4', t) as marketplace_id,
  case t when 1 then 10250 else each.products end as products,
  case t when 1 then 0 else 10250 + (t - 2) * each.products end as products_before,
  case t when 1 then 5000 else each.orders end as orders,
  -- Few campaigns when there are many tenants: the index of campaigns' periods fills slowly with
  -- ids that differ only at their end.
  case when t = 1 then 0 when t <= 222 then 40 else 4 end as campaigns
from (
  select
    coalesce(nullif(current_setting('fill.products', true), ''), '452')::integer as products,
    coalesce(nullif(current_setting('fill.orders', true), ''), '100')::integer as orders
) as each
cross join generate_series(
  coalesce(nullif(current_setting('fill.first', true), ''), '1')::integer,
  coalesce(nullif(current_setting('fill.last', true), ''), '200')::integer
) as t;
analyze shops;

insert into public.tenants (id, name)
select tenant_id, 'Tenant ' || t from shops;

insert into auth.users (
  id, instance_id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at, confirmation_token, recovery_token,
  email_change_token_new, email_change
)
select
  pg_temp.id(kind.prefix, t), '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated',
  kind.name || t || '@fill.souk.test', null, now(), '{"provider": "email", "providers": ["email"]}', '{}',
  now(), now(), '', '', '', ''
from shops, (values ('f2', 'admin'), ('f3', 'customer'), ('f6', 'supplier'), ('fa', 'client')) as kind (prefix, name);

-- people and places ------------------------------------------------------------------------------

insert into public.suppliers (id, tenant_id, name, verified)
select pg_temp.id('f5', t * 10 + s), tenant_id, 'Supplier ' || s, true
from shops, generate_series(1, 5) as s;

insert into public.customers (id, tenant_id, user_id, name)
select pg_temp.id('f8', t * 100 + c), tenant_id, case c when 1 then pg_temp.id('f3', t) end, 'Customer ' || c
from shops, generate_series(1, 20) as c;

insert into public.members (tenant_id, user_id, email, name, role, supplier_id)
select
  tenant_id, pg_temp.id(kind.prefix, t), kind.name || t || '@fill.souk.test', kind.name, kind.name::public.member_role,
  case kind.name when 'supplier' then pg_temp.id('f5', t * 10 + 1) end
from shops, (values ('f2', 'admin'), ('f3', 'customer'), ('f6', 'supplier'), ('fa', 'client')) as kind (prefix, name);

insert into public.marketplaces (id, tenant_id, name, category, currency, language, domain, status)
select marketplace_id, tenant_id, 'Market ' || t, 'all', 'EUR', 'en', 'market' || t || '.fill.souk.test', 'active'
from shops;

-- Ten halls; the large tenant has five aisles in each.
insert into public.categories (id, tenant_id, parent_id, name)
select pg_temp.id('f7', t * 1000 + h * 10), tenant_id, null::uuid, 'Hall ' || h
from shops, generate_series(1, 10) as h
union all
select
  pg_temp.id('f7', t * 1000 + h * 10 + a), tenant_id, pg_temp.id('f7', t * 1000 + h * 10), 'Aisle ' || (h * 5 - 5 + a)
from shops, generate_series(1, 10) as h, generate_series(1, 5) as a
where t = 1;

insert into public.email_templates (tenant_id, key, name, subject, html_content)
select tenant_id, 'letter_' || n, 'Letter', '"Letter"', '"<p>Letter</p>"'
from shops, generate_series(1, 10) as n;

insert into public.mails (tenant_id, template, cause_id, "to", status, error, next_attempt_at)
select tenant_id, 'welcome', gen_random_uuid(), 'reader-' || n || '@example.com', 'failed', 'made by a bench', null
from shops, generate_series(1, 100) as n;

insert into public.mail_suppressions (tenant_id, email, reason)
select tenant_id, 'reader-' || n || '@example.com', 'unsubscribed'
from shops, generate_series(1, 20) as n;

insert into public.search_synonyms (tenant_id, terms)
select tenant_id, array['word ' || n, 'other word ' || n] from shops, generate_series(1, 30) as n;

insert into public.placement_categories (tenant_id, category_id, base_price, min_bid)
select c.tenant_id, c.id, 1, 0.05
from shops
join public.categories c on c.tenant_id = shops.tenant_id;

-- media ------------------------------------------------------------------------------------------

insert into public.media_folders (id, tenant_id, name)
select pg_temp.id('d1', t * 10 + n), tenant_id, 'Folder ' || n
from shops
cross join generate_series(1, 5) as n;

insert into public.media_assets (
  id, tenant_id, supplier_id, filename, type, content_type, size, width, height, alt_text, tags, folder_id, status, bucket,
  path, cleaned, upload_date
)
select
  pg_temp.id('d2', t * 100 + n), tenant_id, pg_temp.id('f5', t * 10 + 1 + n % 5), 'photo-' || n || '.jpg', 'image',
  'image/jpeg', 100000, 1600, 1200, case n % 20 when 0 then 'A lantern' else 'A bowl' end,
  array['tag ' || n % 10], pg_temp.id('d1', t * 10 + 1 + n % 5), 'ready', 'media', tenant_id || '/' || n || '.jpg',
  true, timestamptz '2026-01-01' + n * interval '1 minute'
from shops
cross join generate_series(1, 40) as n
order by n, t;

insert into private.media_uses (tenant_id, asset_id, type, id)
select tenant_id, pg_temp.id('d2', t * 100 + n), 'product', pg_temp.id('f0', products_before + n)
from shops
cross join generate_series(1, 20) as n;

insert into private.media_usage (tenant_id, bytes, assets)
select tenant_id, 4000000, 40 from shops;

-- the catalog and its stock ----------------------------------------------------------------------

-- Building indexes at the end is faster than filling them row by row.
set maintenance_work_mem = '256MB';
drop table if exists pg_temp.rebuilt;
create temp table rebuilt as
select c.oid::regclass::text as name, pg_get_indexdef(c.oid) as definition
from pg_index i
join pg_class c on c.oid = i.indexrelid
where i.indrelid = 'public.products'::regclass and not i.indisunique
  or c.oid in ('private.product_texts_document_idx'::regclass, 'private.search_words_grams_idx'::regclass);

do $$
declare
  name text;
begin
  for name in select r.name from rebuilt r loop
    execute 'drop index ' || name;
  end loop;
end
$$;

insert into public.products (
  id, tenant_id, marketplace_id, supplier_id, category_id, name, slug, description, price, currency, images, attributes,
  brand, attribute_values, status, created_at, updated_at, lowest_price, highest_price
)
select
  pg_temp.id('f0', n), tenant_id, marketplace_id, pg_temp.id('f5', t * 10 + 1 + n % 5),
  pg_temp.id('f7', t * 1000 + (1 + n % 10) * 10 + case t when 1 then 1 + (n / 10) % 5 else 0 end),
  colours.word || ' ' || stuffs.word || ' ' || things.word || ' ' || n, 'product-' || n,
  'A ' || things.word || ' of ' || stuffs.word || ', ' || colours.word || '. '
    || repeat('Made by hand in a workshop that has been there for longer than anybody remembers. ', 3),
  costs.price, 'EUR',
  jsonb_build_array(jsonb_build_object('url', 'https://cdn.example.com/' || n || '.jpg', 'alt', things.word)),
  jsonb_build_array(
    jsonb_build_object('name', 'brand', 'value', 'Brand ' || n % 40, 'type', 'text', 'required', false, 'searchable', true),
    jsonb_build_object('name', 'colour', 'value', colours.word, 'type', 'text', 'required', false, 'searchable', false)
  ),
  'Brand ' || n % 40, jsonb_build_object('brand', 'Brand ' || n % 40, 'colour', colours.word),
  case when n % 50 = 0 then 'out_of_stock' else 'active' end::public.product_status,
  timestamptz '2026-01-01' + n * interval '1 minute', timestamptz '2026-01-01' + n * interval '1 minute',
  costs.price, costs.price
from shops
cross join lateral generate_series(1, products) as k
cross join lateral (select products_before + k as n) as number
cross join lateral (select round((1 + n % 50000 * 7919 % 50000 / 100.0)::numeric, 2) as price) as costs
cross join (values (array['Red', 'Blue', 'Green', 'Golden', 'White', 'Black', 'Silver', 'Amber', 'Ivory', 'Copper'])) as c (words)
cross join (values (array['oak', 'wool', 'glass', 'brass', 'leather', 'linen', 'clay', 'marble', 'silk', 'cedar', 'horn', 'felt'])) as s (words)
cross join (values (array[
  'lantern', 'rug', 'teapot', 'bowl', 'chair', 'table', 'lamp', 'mirror', 'tray', 'basket', 'cushion', 'vase', 'stool',
  'shelf', 'blanket', 'plate', 'spoon', 'box', 'candle', 'frame', 'curtain', 'kettle', 'mug', 'hook', 'drum', 'flute',
  'slipper', 'belt', 'scarf', 'bag', 'ring', 'bracelet', 'necklace', 'pouf', 'mortar', 'jar', 'ladle', 'knife', 'board'
])) as g (words)
cross join lateral (select c.words[1 + (n * 31) % 10] as word) as colours
cross join lateral (select s.words[1 + (n * 17) % 12] as word) as stuffs
cross join lateral (select g.words[1 + (n * 7) % 39] as word) as things
order by k, t;

insert into private.product_slugs (tenant_id, marketplace_id, slug, product_id)
select p.tenant_id, p.marketplace_id, p.slug, p.id from public.products p
on conflict do nothing;

do $$
declare
  definition text;
begin
  for definition in select r.definition from rebuilt r where r.name not like 'private.%' loop
    execute definition;
  end loop;
end
$$;

-- Sold-out products have three variants.
insert into public.product_variants (id, tenant_id, product_id, marketplace_id, supplier_id, name, sku, position)
select
  pg_temp.id('f9', n * 10 + v), p.tenant_id, p.id, p.marketplace_id, p.supplier_id, (array['small', 'medium', 'large'])[v],
  'SKU-' || n || '-' || v, v
from shops
cross join lateral generate_series(1, products) as k
cross join lateral (select products_before + k as n) as number
cross join generate_series(1, 3) as v
join public.products p on p.id = pg_temp.id('f0', n)
where n % 50 = 0
order by k, t;

-- The search texts of products.
select private.write_product_texts(array_agg(pg_temp.id('f0', products_before + k)))
from shops
cross join lateral generate_series(1, products) as k
group by t;

do $$
declare
  definition text;
begin
  for definition in select r.definition from rebuilt r where r.name like 'private.%' loop
    execute definition;
  end loop;
end
$$;

insert into public.inventory (tenant_id, product_id, variant_id, quantity)
select tenant_id, pg_temp.id('f0', n), null, case when n % 50 = 0 then 0 else 100 end
from shops
cross join lateral generate_series(1, products) as k
cross join lateral (select products_before + k as n) as number
order by k, t;
insert into public.inventory (tenant_id, product_id, variant_id, quantity)
select v.tenant_id, v.product_id, v.id, 0
from shops
join public.product_variants v on v.tenant_id = shops.tenant_id;

insert into public.inventory_movements
  (tenant_id, product_id, variant_id, reason, quantity_change, reserved_change, quantity, reserved)
select i.tenant_id, i.product_id, i.variant_id, 'opening', i.quantity, 0, i.quantity, 0
from shops
join public.inventory i on i.tenant_id = shops.tenant_id
where i.quantity > 0;

-- what is promoted -----------------------------------------------------------------------------

insert into public.campaigns (
  id, tenant_id, supplier_id, marketplace_id, currency, product_id, category_id, pricing_model, start_date, end_date, daily_budget,
  bid_amount, status, created_at
)
select
  pg_temp.id('c0', products_before + k), p.tenant_id, p.supplier_id, p.marketplace_id, p.currency, p.id, p.category_id, 'cpc',
  now() - interval '1 day', now() + interval '29 days', 5, 0.05 + k % 40 / 100.0,
  case k % 5 when 0 then 'paused' else 'active' end::public.campaign_status, now() - k * interval '1 hour'
from shops
cross join lateral generate_series(1, campaigns) as k
join public.products p on p.id = pg_temp.id('f0', products_before + k)
order by k, t;

-- Three days with three clicks each, a quarter of them charged.
insert into public.campaign_statistics (tenant_id, campaign_id, date, impressions, clicks, spend)
select
  tenant_id, pg_temp.id('c0', products_before + k), current_date - d, 100, 3, case when k <= 10 then 0.15 else 0 end
from shops
cross join generate_series(1, 3) as d
cross join lateral generate_series(1, campaigns) as k
order by d, k, t;

insert into public.placement_charges (tenant_id, campaign_id, kind, amount, date, click_id, created_at)
select
  tenant_id, pg_temp.id('c0', products_before + k), 'click', 0.05, current_date - d, gen_random_uuid(),
  now() - d * interval '1 day' - n * interval '1 minute'
from shops
cross join generate_series(1, 3) as d
cross join generate_series(1, 3) as n
cross join lateral generate_series(1, least(campaigns, 10)) as k
order by d, n, k, t;

-- what was sold ----------------------------------------------------------------------------------

-- Every order has two items. Of ten orders, two are pending, one is cancelled, and the others are
-- delivered and paid.
drop table if exists pg_temp.sales;
create temp table sales as
select
  shops.t, shops.tenant_id, shops.marketplace_id, k as number, pg_temp.id('fb', t * 10000 + k) as order_id,
  case k % 10 when 0 then 'cancelled' when 1 then 'pending' when 2 then 'pending' else 'delivered' end as status,
  timestamptz '2026-06-01' + (k * 200 + t) * interval '1 minute' as created_at,
  products_before + 1 + (k * 37) % products as first, products_before + 1 + (k * 37 + 101) % products as second
from shops
cross join lateral generate_series(1, orders) as k;

insert into public.orders (
  id, tenant_id, marketplace_id, number, customer_id, status, payment_status, currency, shipping_address, created_at,
  updated_at
)
select
  s.order_id, s.tenant_id, s.marketplace_id, s.number, pg_temp.id('f8', s.t * 100 + 1 + s.number % 20),
  s.status::public.order_status,
  case s.status when 'delivered' then 'paid' else 'pending' end::public.payment_status,
  'EUR', '{"street": "1 Market Street", "city": "Fez", "postal_code": "30000"}',
  s.created_at, s.created_at
from sales s
order by s.number, s.t;

insert into public.order_parts (tenant_id, order_id, supplier_id, customer_id, status, subtotal)
select o.tenant_id, o.id, p.supplier_id, o.customer_id, o.status, sum(p.price)
from sales s
join public.orders o on o.id = s.order_id
cross join lateral (values (s.first), (s.second)) as line (n)
join public.products p on p.id = pg_temp.id('f0', line.n)
group by s.number, s.t, o.tenant_id, o.id, p.supplier_id, o.customer_id, o.status
order by s.number, s.t;

insert into public.order_items (
  tenant_id, order_id, position, product_id, supplier_id, name, quantity, shipped_quantity, delivered_quantity,
  cancelled_quantity, price
)
select
  s.tenant_id, s.order_id, line.position, p.id, p.supplier_id, p.name, 1, (s.status = 'delivered')::integer,
  (s.status = 'delivered')::integer, (s.status = 'cancelled')::integer, p.price
from sales s
cross join lateral (values (1, s.first), (2, s.second)) as line (position, n)
join public.products p on p.id = pg_temp.id('f0', line.n)
order by s.number, s.t;

insert into public.shipments (
  tenant_id, order_id, supplier_id, customer_id, status, delivery_expected_by, delivered_at, created_at
)
select
  p.tenant_id, p.order_id, p.supplier_id, p.customer_id, 'delivered', s.created_at + interval '14 days',
  s.created_at + interval '1 day', s.created_at
from sales s
join public.order_parts p on p.tenant_id = s.tenant_id and p.order_id = s.order_id
where s.status = 'delivered'
order by s.number, s.t;

insert into public.shipment_items (tenant_id, order_id, shipment_id, item_id, quantity)
select i.tenant_id, i.order_id, h.id, i.id, i.quantity
from sales s
join public.shipments h on h.tenant_id = s.tenant_id and h.order_id = s.order_id
join public.order_items i on i.tenant_id = h.tenant_id and i.order_id = h.order_id and i.supplier_id = h.supplier_id
order by s.number, s.t;

insert into public.order_status_changes (tenant_id, order_id, old_status, new_status, created_at)
select s.tenant_id, s.order_id, 'pending', s.status::public.order_status, s.created_at + interval '1 day'
from sales s
where s.status <> 'pending'
order by s.number, s.t;

insert into public.payments (tenant_id, order_id, status, amount, currency, reference, created_at)
select
  o.tenant_id, o.id, 'paid', (select sum(p.subtotal) from public.order_parts p where p.order_id = o.id), o.currency,
  'charge ' || o.number, o.created_at
from sales s
join public.orders o on o.id = s.order_id
where o.payment_status = 'paid'
order by s.number, s.t;

insert into public.order_commissions (
  tenant_id, order_id, supplier_id, marketplace_id, currency, sales_amount, commission_percent, commission_amount,
  payout_amount, created_at
)
select
  o.tenant_id, o.id, i.supplier_id, o.marketplace_id, o.currency, sum(i.amount), 0, 0, sum(i.amount), o.created_at
from sales s
join public.orders o on o.id = s.order_id
join public.order_items i on i.order_id = o.id
where o.status <> 'cancelled'
group by o.tenant_id, o.id, i.supplier_id;

insert into public.order_notes (tenant_id, order_id, text, visibility, created_at)
select s.tenant_id, s.order_id, 'Wrapped as a present.', 'customer', s.created_at
from sales s
order by s.number, s.t;

insert into private.order_numbers (tenant_id, marketplace_id, last_number)
select tenant_id, marketplace_id, orders from shops;

-- licence keys and services ----------------------------------------------------------------------

-- The first product of each small tenant sells licence keys, and the second is a service. Its
-- customers had bookings, which are over.
update public.products p
set kind = 'digital'
from shops
where shops.t > 1 and p.id = pg_temp.id('f0', products_before + 1);

update public.products p
set kind = 'service', track_inventory = false
from shops
where shops.t > 1 and p.id = pg_temp.id('f0', products_before + 2);

-- The precomputed records of lists, after the last change of the products.
select private.write_openings(array_agg(pg_temp.id('f0', products_before + k)))
from shops
cross join lateral generate_series(1, products) as k
group by t;

insert into public.product_files (tenant_id, product_id, name, url)
select tenant_id, pg_temp.id('f0', products_before + 1), 'Part ' || f, 'https://files.example.com/' || t || '/' || f
from shops, generate_series(1, 30) as f
where t > 1;

insert into public.licence_keys (tenant_id, product_id, masked_code)
select tenant_id, pg_temp.id('f0', products_before + 1), '••••' || k
from shops, generate_series(1001, 1100) as k
where t > 1
order by k, t;

insert into public.service_calendars (tenant_id, product_id, time_zone, duration_minutes)
select tenant_id, pg_temp.id('f0', products_before + 2), 'UTC', 60 from shops where t > 1;

insert into public.service_hours (tenant_id, product_id, weekday, opens, closes)
select tenant_id, pg_temp.id('f0', products_before + 2), d, '09:00', '17:00'
from shops, generate_series(1, 7) as d
where t > 1;

insert into public.bookings (
  tenant_id, product_id, order_id, order_item_id, customer_id, supplier_id, name, starts_at, ends_at, seat, delivered_at,
  time_zone
)
select
  s.tenant_id, pg_temp.id('f0', shops.products_before + 2), s.order_id, i.id, o.customer_id, i.supplier_id, i.name,
  s.created_at, s.created_at + interval '1 hour', s.number, s.created_at + interval '1 hour', 'UTC'
from sales s
join shops on shops.t = s.t
join public.orders o on o.id = s.order_id
join public.order_items i on i.tenant_id = s.tenant_id and i.order_id = s.order_id and i.position = 1
where s.t > 1
order by s.number, s.t;

insert into public.invitations (tenant_id, email, role)
select tenant_id, 'guest' || n || '@fill.souk.test', 'customer'
from shops, generate_series(1, 50) as n
order by n, t;

-- content ----------------------------------------------------------------------------------------

insert into public.content_types (tenant_id, key, name, built_in)
select tenant_id, kind.key, kind.name, true
from shops
cross join (
  values ('products', 'Products'), ('categories', 'Categories'), ('static_pages', 'Static pages')
) as kind (key, name);

-- Published pages, and drafts about products of all suppliers.
drop table if exists pg_temp.pieces;
create temp table pieces as
select
  w.tenant_id, w.marketplace_id, w.content_id, w.product_id, p.supplier_id, w.written_at, w.is_page, w.slug,
  case when w.is_page then 'static_pages' else 'products' end as type,
  jsonb_build_object(
    'slug', w.slug, 'title', jsonb_build_object('en', 'Page ' || w.n), 'content', null, 'blocks', jsonb '[]', 'fields', jsonb '{}',
    'layout', null, 'seo', jsonb '{}', 'visibility', 'public', 'visible_to', jsonb '[]', 'localizations', jsonb '{}'
  ) as document
from (
  select
    s.tenant_id, s.marketplace_id, n, s.t, n % 2 = 1 as is_page, 'page-' || n as slug,
    pg_temp.id('c1', s.t * 1000 + n) as content_id,
    case n % 2 when 0 then pg_temp.id('f0', s.products_before + n) end as product_id,
    timestamptz '2026-01-01' + n * interval '1 minute' as written_at
  from shops s
  cross join generate_series(1, 80) as n
) as w
left join public.products p on p.id = w.product_id
order by w.n, w.t;

insert into public.content (
  id, tenant_id, type, marketplace_id, product_id, supplier_id, language, slug, title, status, version_number,
  last_version_number, published_version_number, author_id, published_at, created_at, updated_at
)
select
  content_id, tenant_id, type, marketplace_id, product_id, supplier_id, 'en', slug, document -> 'title',
  (case when is_page then 'published' else 'draft' end)::public.content_status, 2, 2, case when is_page then 2 end, null,
  case when is_page then written_at end, written_at, written_at
from pieces;

insert into private.content_branches (tenant_id, content_id, name, version_number, document)
select tenant_id, content_id, 'main', 2, document from pieces;

insert into private.content_versions (
  tenant_id, content_id, version_number, parents, branch, changes, asset_ids, body, bytes, created_at
)
select
  tenant_id, content_id, number, case number when 1 then '{}' else array[1] end, 'main', '{}', '{}',
  convert_to(document::text, 'utf8'), octet_length(document::text), written_at
from pieces
cross join generate_series(1, 2) as number;

insert into public.content_localizations (tenant_id, content_id, language, original_version_number)
select tenant_id, content_id, 'de', 2 from pieces;

insert into public.content_moves (tenant_id, content_id, move, from_status, to_status, version_number, created_at)
select
  tenant_id, content_id, step.move, step.from_status::public.content_status, step.to_status::public.content_status, 2, written_at
from pieces
cross join (
  values ('submit', 'draft', 'in_review'), ('approve', 'in_review', 'approved'), ('publish', 'approved', 'published')
) as step (move, from_status, to_status)
where is_page;

insert into public.published_content (
  content_id, tenant_id, type, marketplace_id, slug, language, languages, title, visibility, version_number, created_at,
  published_at
)
select
  content_id, tenant_id, type, marketplace_id, slug, 'en', '{en}', document -> 'title', 'public', 2, written_at, written_at
from pieces
where is_page;

insert into private.published_texts (
  tenant_id, content_id, language, version_number, document, translated, asset_ids, links
)
select tenant_id, content_id, 'en', 2, private.original_in(document, 'en'), '{}', '{}', '[]'
from pieces
where is_page;

insert into private.content_counts (tenant_id, type, marketplace_id, status, pieces)
select c.tenant_id, c.type, c.marketplace_id, c.status, count(*)
from public.content c
join pieces p on p.content_id = c.id
group by 1, 2, 3, 4;

insert into private.content_counts (tenant_id, type, marketplace_id, visibility, visible_to, pieces)
select c.tenant_id, c.type, c.marketplace_id, c.visibility, c.visible_to, count(*)
from public.published_content c
join pieces p on p.content_id = c.content_id
group by 1, 2, 3, 4, 5;

-- templates --------------------------------------------------------------------------------------

insert into public.template_components (id, tenant_id, name, category, content)
select pg_temp.id('c3', t * 1000 + n), tenant_id, 'Part ' || n, 'content', '<p>{{ words }}</p>'
from shops
cross join generate_series(1, 40) as n
order by n, t;

insert into public.templates (
  id, tenant_id, marketplace_id, name, type, version_number, active_version, created_at, updated_at
)
select
  pg_temp.id('c2', t * 1000 + n), tenant_id, marketplace_id, 'Page ' || n,
  (enum_range(null::public.page_type))[1 + n % 6], 2, 2, timestamptz '2026-01-01' + n * interval '1 minute',
  timestamptz '2026-01-01' + n * interval '1 minute'
from shops
cross join generate_series(1, 80) as n
order by n, t;

insert into private.template_versions (
  tenant_id, template_id, version_number, content, changes, asset_ids, reads_sources, has_grids, bytes, created_at
)
select p.tenant_id, p.id, number, jsonb '{"sections": []}', '{}', '{}', false, false, 16, p.created_at
from public.templates p
join shops s on s.tenant_id = p.tenant_id
cross join generate_series(1, 2) as number
where p.name like 'Page %';

insert into private.template_references (tenant_id, template_id, version_number, kind, target_id)
select tenant_id, pg_temp.id('c2', t * 1000 + n), 2, 'component', pg_temp.id('c3', t * 1000 + 1 + n % 40)
from shops
cross join generate_series(1, 80) as n;

-- events and webhooks ----------------------------------------------------------------------------

insert into public.webhooks (id, tenant_id, url, events)
select pg_temp.id('fc', t), tenant_id, 'https://shop' || t || '.example.com/hook', '{order.created}' from shops;

-- Events are recent, because they are kept for a month.
drop table if exists pg_temp.order_events;
create temp table order_events as
select
  s.t, s.number, s.tenant_id, s.marketplace_id, s.order_id, pg_temp.id('fd', s.t * 10000 + s.number) as event_id,
  pg_temp.id('fe', s.t * 10000 + s.number) as delivery_id,
  date_trunc('day', now()) - interval '14 days' + (s.number % 100 * 200 + s.t % 200) * interval '1 minute' as event_at
from sales s;

insert into public.campaign_auctions (tenant_id, campaign_id, date, held, won, lost_to_bid)
select c.tenant_id, c.id, (now() at time zone 'utc')::date - 1, 10, 3, 7
from shops
join public.campaigns c on c.tenant_id = shops.tenant_id;

insert into private.auctions (tenant_id, placement, category_id, held_at, size, candidates, counted)
select
  tenant_id, 'category', pg_temp.id('f7', t * 1000 + (1 + k % 10) * 10), now() - k * interval '1 minute', 20,
  jsonb_build_array(
    jsonb_build_object('campaign_id', pg_temp.id('ca', t + k % 2), 'bid_amount', 1, 'eligible', true, 'position', 1)
  ),
  true
from shops, generate_series(1, 40) as k
where t > 1
order by k, t;

-- These sales are recent, because top sellers are computed from the last days.
insert into private.product_sales (tenant_id, date, product_id, quantity, revenue)
select i.tenant_id, (o.event_at at time zone 'UTC')::date, i.product_id, sum(i.quantity), sum(i.amount)
from order_events o
join sales s on s.order_id = o.order_id
join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.order_id
where s.status <> 'cancelled'
group by i.tenant_id, (o.event_at at time zone 'UTC')::date, i.product_id;

insert into public.events (id, tenant_id, name, payload, marketplace_id, status, created_at)
select
  o.event_id, o.tenant_id, 'order.created',
  jsonb_build_object(
    'id', o.event_id, 'event', 'order.created', 'timestamp', to_jsonb(o.event_at),
    'data', jsonb_build_object('order', jsonb_build_object('id', o.order_id))
  ),
  o.marketplace_id, 'pending', o.event_at
from order_events o
order by o.number, o.t;

insert into public.webhook_deliveries (
  id, tenant_id, webhook_id, event_id, event, event_at, status, attempts, next_attempt_at,
  attempted_at, duration_ms, response_code, created_at
)
select
  o.delivery_id, o.tenant_id, pg_temp.id('fc', o.t), o.event_id, 'order.created', o.event_at, 'success', 1, null,
  o.event_at, 20, 200, o.event_at
from order_events o
order by o.number, o.t;

insert into public.audit_log (
  tenant_id, created_at, actor, actor_id, operation, action, record_type, record_id, fields
)
select
  o.tenant_id, o.event_at, 'admin', pg_temp.id('f2', o.t), 'orders.move', 'changed', 'orders', o.order_id::text, '{status}'
from order_events o
order by o.number, o.t;

set session_replication_role = origin;

-- The events are in the default partition until now. This creates a partition for each of their
-- days.
select private.make_event_partitions();
