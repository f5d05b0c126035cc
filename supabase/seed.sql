-- A demo tenant one can look at: Oasis, its marketplace, one supplier with five goods, a licence and a
-- workshop, one customer, the shop's backend, a webhook that is off, and a page about the shop. Sign in as
-- operator@demo.souk.test, supplier@demo.souk.test, customer@demo.souk.test or client@demo.souk.test with `demo-password`.

insert into auth.users (
  id, instance_id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at, confirmation_token, recovery_token,
  email_change_token_new, email_change
)
select
  account.id, '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated', account.email,
  extensions.crypt('demo-password', extensions.gen_salt('bf', 10)), now(),
  '{"provider": "email", "providers": ["email"]}', jsonb_build_object('name', account.name),
  now(), now(), '', '', '', ''
from (values
  ('d0000000-0000-4000-8000-000000000001'::uuid, 'operator@demo.souk.test', 'Olu'),
  ('d0000000-0000-4000-8000-000000000002'::uuid, 'supplier@demo.souk.test', 'Sana'),
  ('d0000000-0000-4000-8000-000000000003'::uuid, 'customer@demo.souk.test', 'Cleo'),
  ('d0000000-0000-4000-8000-000000000004'::uuid, 'client@demo.souk.test', 'Shop backend')
) as account (id, email, name);

insert into auth.identities (
  provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at
)
select u.id::text, u.id, jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', true), 'email', now(), now(), now()
from auth.users u
where u.email like '%@demo.souk.test';

insert into public.tenants (id, name) values
  ('d0000000-0000-4000-8000-0000000000a0', 'Oasis');

insert into public.suppliers (id, tenant_id, name, verified) values
  ('d0000000-0000-4000-8000-0000000000b0', 'd0000000-0000-4000-8000-0000000000a0', 'Atlas Crafts', true);

insert into public.customers (id, tenant_id, user_id, name) values
  (
    'd0000000-0000-4000-8000-0000000000c0', 'd0000000-0000-4000-8000-0000000000a0',
    'd0000000-0000-4000-8000-000000000003', 'Cleo'
  );

insert into public.members (tenant_id, user_id, role, supplier_id) values
  ('d0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-000000000001', 'admin', null),
  (
    'd0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-000000000002', 'supplier',
    'd0000000-0000-4000-8000-0000000000b0'
  ),
  ('d0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-000000000003', 'customer', null),
  ('d0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-000000000004', 'client', null);

insert into public.marketplaces (
  id, tenant_id, name, description, category, currency, language, domain, status, settings
)
values (
  'd0000000-0000-4000-8000-0000000000d0', 'd0000000-0000-4000-8000-0000000000a0', 'Oasis',
  'Things made by hand.', 'crafts', 'EUR', 'en', 'oasis.demo.souk.test', 'active',
  '{
    "branding": {"colors": {"primary": "#b5651d"}},
    "business": {
      "commission_percent": 10,
      "payment_methods": ["card", "invoice"],
      "payment_deadline_minutes": 1440,
      "delivery": {
        "methods": [
          {"key": "courier", "name": "Courier", "price": 4.9},
          {"key": "pickup", "name": "Pick it up in Fez", "price": 0}
        ]
      }
    }
  }'
);

insert into public.categories (id, tenant_id, parent_id, name, attributes) values
  (
    'd0000000-0000-4000-8000-0000000000e0', 'd0000000-0000-4000-8000-0000000000a0', null, 'Home',
    '[{"name": "brand", "type": "text", "required": false, "searchable": true}]'
  ),
  (
    'd0000000-0000-4000-8000-0000000000e1', 'd0000000-0000-4000-8000-0000000000a0',
    'd0000000-0000-4000-8000-0000000000e0', 'Lamps',
    '[
      {"name": "light", "type": "select", "required": false, "searchable": true, "options": ["candle", "electric"]},
      {"name": "height_cm", "type": "number", "required": false, "searchable": false}
    ]'
  );

insert into public.products (id, tenant_id, marketplace_id, supplier_id, category_id, name, description, price, attributes)
select
  product.id, 'd0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-0000000000d0',
  'd0000000-0000-4000-8000-0000000000b0', product.category_id, product.name, product.description, product.price,
  jsonb_build_array(jsonb_build_object('name', 'brand', 'value', 'Atlas')) || product.attributes
from (values
  ('d0000000-0000-4000-8000-000000000011'::uuid, 'd0000000-0000-4000-8000-0000000000e1'::uuid, 'Brass lantern', 'Pierced by hand, for candles.', 49.00, '[{"name": "light", "value": "candle"}, {"name": "height_cm", "value": "32"}]'::jsonb),
  ('d0000000-0000-4000-8000-000000000012', 'd0000000-0000-4000-8000-0000000000e1', 'Glass lamp', 'Blown glass, warm light.', 89.50, '[{"name": "light", "value": "electric"}, {"name": "height_cm", "value": "45"}]'),
  ('d0000000-0000-4000-8000-000000000013', 'd0000000-0000-4000-8000-0000000000e0', 'Wool rug', 'Woven in the Atlas, 120 × 180 cm.', 240.00, '[]'),
  ('d0000000-0000-4000-8000-000000000014', 'd0000000-0000-4000-8000-0000000000e0', 'Tea glass', 'One of a set that never matches.', 6.20, '[]'),
  ('d0000000-0000-4000-8000-000000000015', 'd0000000-0000-4000-8000-0000000000e0', 'Leather pouf', 'Unfilled, camel.', 75.00, '[]')
) as product (id, category_id, name, description, price, attributes);

-- Their pictures. scripts/demo/pictures.ts draws them, supabase/media holds their bytes. `address` is the local stack's
-- default address.
insert into public.media_assets (
  id, tenant_id, uploaded_by, supplier_id, filename, type, content_type, size, width, height, alt_text, tags, status,
  bucket, path, address
)
select
  ('d0000000-0000-4000-8000-0000000001' || picture.number)::uuid, 'd0000000-0000-4000-8000-0000000000a0',
  'd0000000-0000-4000-8000-000000000002', 'd0000000-0000-4000-8000-0000000000b0', picture.filename, 'image', 'image/png',
  picture.size, 960, 720, picture.alt_text, array['demo'], 'ready', 'media',
  'd0000000-0000-4000-8000-0000000000a0/d0000000-0000-4000-8000-0000000001' || picture.number || '.png',
  'http://127.0.0.1:54321/storage/v1'
from (values
  ('11', 'brass-lantern.png', 4386, 'A lantern of pierced brass, with light in it'),
  ('12', 'glass-lamp.png', 5802, 'A round lamp of blown glass on a foot'),
  ('13', 'wool-rug.png', 5342, 'A red rug with a blue lozenge'),
  ('14', 'tea-glass.png', 3431, 'A glass of tea with a golden line'),
  ('15', 'leather-pouf.png', 7753, 'A camel pouf, stitched in eight')
) as picture (number, filename, size, alt_text);

update public.products
set images = jsonb_build_array(jsonb_build_object('asset_id', left(id::text, 33) || '1' || right(id::text, 2)))
where tenant_id = 'd0000000-0000-4000-8000-0000000000a0';

update public.inventory
set quantity = 20
where tenant_id = 'd0000000-0000-4000-8000-0000000000a0';

-- A licence and a workshop, made by the supplier.
insert into public.products
  (id, tenant_id, marketplace_id, supplier_id, kind, track_inventory, name, description, price, currency)
select
  product.id, 'd0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-0000000000d0',
  'd0000000-0000-4000-8000-0000000000b0', product.kind, product.kind = 'digital', product.name, product.description,
  product.price, 'EUR'
from (values
  (
    'd0000000-0000-4000-8000-000000000016'::uuid, 'digital'::public.product_kind, 'Zellige pattern maker',
    'Draws tile patterns. One licence key for each piece.', 29.00
  ),
  (
    'd0000000-0000-4000-8000-000000000017', 'service', 'Brass workshop',
    'Two hours at the bench, with tea.', 60.00
  )
) as product (id, kind, name, description, price);

do $$
begin
  perform set_config(
    'request.jwt.claims',
    '{"sub": "d0000000-0000-4000-8000-000000000002", "tenant_id": "d0000000-0000-4000-8000-0000000000a0"}',
    true
  );
  perform public.add_product_file(
    'd0000000-0000-4000-8000-000000000016', 'handbook.pdf', 'https://downloads.demo.souk.test/zellige/handbook.pdf'
  );
  perform public.add_licence_keys(
    'd0000000-0000-4000-8000-000000000016', array(select format('ZELLIGE-DEMO-%s', 1000 + n) from generate_series(1, 20) as n)
  );
  perform public.set_service_calendar(
    'd0000000-0000-4000-8000-000000000017', 'Africa/Casablanca', 120, capacity => 4, lead_minutes => 60,
    location => '{"street": "1 Market Street", "city": "Fez"}',
    hours => (
      select jsonb_agg(jsonb_build_object('weekday', d, 'opens', '09:00', 'closes', '17:00')) from generate_series(1, 6) as d
    )
  );
end
$$;

-- A registration to look at: nobody listens there, so it is off.
insert into public.webhooks (id, tenant_id, url, events, description, active) values
  (
    'd0000000-0000-4000-8000-0000000000f0', 'd0000000-0000-4000-8000-0000000000a0',
    'https://warehouse.demo.souk.test/hooks', '{order.created,order.cancelled}', 'The warehouse, from next month on', false
  );

-- A page about the shop in two languages, written and published by the operator.
do $$
declare
  paragraph text := '{"type": "paragraph", "content": [{"type": "text", "text": "%s"}]}';
begin
  perform set_config(
    'request.jwt.claims',
    '{"sub": "d0000000-0000-4000-8000-000000000001", "tenant_id": "d0000000-0000-4000-8000-0000000000a0"}', true
  );
  perform public.create_content(
    'static_pages',
    jsonb_build_object(
      'title', jsonb '{"en": "About Oasis", "de": "Über Oasis"}',
      'content', jsonb_build_object('type', 'doc', 'content', jsonb_build_array(
        format(paragraph, 'Oasis sells what a few workshops make by hand. Whoever orders before noon has it shipped the same day.')::jsonb
      )),
      'blocks', jsonb_build_array(
        jsonb '{"id": "newest", "type": "product_grid", "content": {"query": {"limit": 4}}}',
        jsonb '{"id": "workshop", "type": "banner", "content": {"title": "Come to a workshop", "href": "/products"}}'
      ),
      'seo', jsonb '{"title": "About Oasis", "description": "Who makes what Oasis sells."}',
      'localizations', jsonb_build_object('de', jsonb_build_object(
        'content', jsonb_build_object('type', 'doc', 'content', jsonb_build_array(
          format(paragraph, 'Oasis verkauft, was einige Werkstätten von Hand machen. Was vor Mittag bestellt ist, geht am selben Tag hinaus.')::jsonb
        )),
        'blocks', jsonb '[{"id": "workshop", "content": {"title": "Komm in die Werkstatt"}}]'
      ))
    )
  );
  perform public.move_content('static_pages', 'about-oasis', m.move)
  from unnest(array['submit', 'approve', 'publish']) with ordinality as m (move, position);
  perform public.set_localization_status('static_pages', 'about-oasis', 'de', s.status)
  from unnest(array['in_progress', 'review', 'approved', 'published']::public.translation_status[]) as s (status);
end
$$;
