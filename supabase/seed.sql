-- A demo tenant one can look at: Oasis, its marketplace, one supplier with five products, one customer.
-- Sign in as operator@demo.souk.test, supplier@demo.souk.test or customer@demo.souk.test with
-- `demo-password`.

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
  ('d0000000-0000-4000-8000-000000000003'::uuid, 'customer@demo.souk.test', 'Cleo')
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
  ('d0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-000000000003', 'customer', null);

insert into public.marketplaces (id, tenant_id, name, description, category, currency, language, domain, status)
values (
  'd0000000-0000-4000-8000-0000000000d0', 'd0000000-0000-4000-8000-0000000000a0', 'Oasis',
  'Things made by hand.', 'crafts', 'EUR', 'en', 'oasis.demo.souk.test', 'active'
);

insert into public.categories (id, tenant_id, parent_id, name) values
  ('d0000000-0000-4000-8000-0000000000e0', 'd0000000-0000-4000-8000-0000000000a0', null, 'Home'),
  (
    'd0000000-0000-4000-8000-0000000000e1', 'd0000000-0000-4000-8000-0000000000a0',
    'd0000000-0000-4000-8000-0000000000e0', 'Lamps'
  );

insert into public.products (id, tenant_id, marketplace_id, supplier_id, category_id, name, description, price, attributes)
select
  product.id, 'd0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-0000000000d0',
  'd0000000-0000-4000-8000-0000000000b0', product.category_id, product.name, product.description, product.price,
  jsonb_build_array(jsonb_build_object('name', 'brand', 'value', 'Atlas'))
from (values
  ('d0000000-0000-4000-8000-000000000011'::uuid, 'd0000000-0000-4000-8000-0000000000e1'::uuid, 'Brass lantern', 'Pierced by hand, for candles.', 49.00),
  ('d0000000-0000-4000-8000-000000000012', 'd0000000-0000-4000-8000-0000000000e1', 'Glass lamp', 'Blown glass, warm light.', 89.50),
  ('d0000000-0000-4000-8000-000000000013', 'd0000000-0000-4000-8000-0000000000e0', 'Wool rug', 'Woven in the Atlas, 120 × 180 cm.', 240.00),
  ('d0000000-0000-4000-8000-000000000014', 'd0000000-0000-4000-8000-0000000000e0', 'Tea glass', 'One of a set that never matches.', 6.20),
  ('d0000000-0000-4000-8000-000000000015', 'd0000000-0000-4000-8000-0000000000e0', 'Leather pouf', 'Unfilled, camel.', 75.00)
) as product (id, category_id, name, description, price);

update public.inventory
set quantity = 20
where tenant_id = 'd0000000-0000-4000-8000-0000000000a0';
