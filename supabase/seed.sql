-- The demo tenant: Oasis, its marketplace, one supplier with five goods, a licence and a workshop, one customer, the API key of
-- the shop's backend, rates of tax, two discounts, a webhook that is off, a page about the shop, a year of past orders, and payouts.
-- Sign in as operator@demo.souk.test, supplier@demo.souk.test or customer@demo.souk.test with `demo-password`.

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

insert into public.tenants (id, name, mail_status) values
  ('d0000000-0000-4000-8000-0000000000a0', 'Oasis', 'approved');

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

select private.create_key_account(
  'd0000000-0000-4000-8000-000000000004', 'key_d0000000000040008000000000000004@keys.invalid', 'Shop backend',
  'sks_d0000000000040008000000000000004d0000000000040008000000000000004'
);

insert into public.api_keys (id, tenant_id, client_id, name, role, created_by) values
  (
    'd0000000-0000-4000-8000-000000000004', 'd0000000-0000-4000-8000-0000000000a0',
    'key_d0000000000040008000000000000004', 'Shop backend', 'client', 'd0000000-0000-4000-8000-000000000001'
  );

insert into public.members (tenant_id, user_id, role, is_key) values
  ('d0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-000000000004', 'client', true);

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
      "payment_instructions": "Transfer the amount to Oasis, IBAN DE02 1203 0000 0000 2020 51, with the reference below. Or pay in cash when you pick it up in Fez.",
      "payment_deadline_minutes": 1440,
      "delivery": {
        "methods": [
          {"key": "courier", "name": "Courier", "price": 4.9},
          {"key": "pickup", "name": "Pick it up in Fez", "price": 0},
          {
            "key": "parcel",
            "name": "Parcel to the EU",
            "countries": ["AT", "FR", "IT", "PT"],
            "rates": [
              {"up_to_grams": 2000, "price": 6.9},
              {"up_to_grams": 10000, "price": 14.9},
              {"up_to_grams": 30000, "price": 24.9}
            ]
          }
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

insert into public.products (
  id, tenant_id, marketplace_id, supplier_id, category_id, name, description, price, compare_at_price, physical, attributes
)
select
  product.id, 'd0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-0000000000d0',
  'd0000000-0000-4000-8000-0000000000b0', product.category_id, product.name, product.description, product.price,
  product.compare_at_price, jsonb_build_object('weight_grams', product.weight_grams),
  jsonb_build_array(jsonb_build_object('name', 'brand', 'value', 'Atlas')) || product.attributes
from (values
  ('d0000000-0000-4000-8000-000000000011'::uuid, 'd0000000-0000-4000-8000-0000000000e1'::uuid, 'Brass lantern', 'Pierced by hand, for candles.', 49.00, null::numeric, 1400, '[{"name": "light", "value": "candle"}, {"name": "height_cm", "value": "32"}]'::jsonb),
  ('d0000000-0000-4000-8000-000000000012', 'd0000000-0000-4000-8000-0000000000e1', 'Glass lamp', '<p>Blown glass, <strong>warm</strong> light.</p>', 89.50, null, 2100, '[{"name": "light", "value": "electric"}, {"name": "height_cm", "value": "45"}]'),
  ('d0000000-0000-4000-8000-000000000013', 'd0000000-0000-4000-8000-0000000000e0', 'Wool rug', 'Woven in the Atlas, 120 × 180 cm.', 240.00, 280.00, 5200, '[]'),
  ('d0000000-0000-4000-8000-000000000014', 'd0000000-0000-4000-8000-0000000000e0', 'Tea glass', 'One of a set that never matches.', 6.20, null, 180, '[]'),
  ('d0000000-0000-4000-8000-000000000015', 'd0000000-0000-4000-8000-0000000000e0', 'Leather pouf', 'Unfilled, camel.', 75.00, null, 2600, '[]')
) as product (id, category_id, name, description, price, compare_at_price, weight_grams, attributes);

-- The rug has been reduced for 12 days, so its record has the lowest price of the 30 days before.
insert into private.product_prices (tenant_id, product_id, price, began_at) values
  ('d0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-000000000013', 280.00, now() - interval '90 days'),
  ('d0000000-0000-4000-8000-0000000000a0', 'd0000000-0000-4000-8000-000000000013', 240.00, now() - interval '12 days');

-- Where browsers reach Storage with `supabase start`. `npm start` and `npm run reset` have noted their own address.
select public.set_storage_address('http://127.0.0.1:54321/storage/v1')
where private.storage_address() is null;

-- The images of products. scripts/demo/pictures.ts draws them, supabase/media has their bytes.
insert into public.media_assets (
  id, tenant_id, uploaded_by, supplier_id, filename, type, content_type, size, width, height, alt_text, tags, status,
  bucket, path, cleaned
)
select
  ('d0000000-0000-4000-8000-0000000001' || picture.number)::uuid, 'd0000000-0000-4000-8000-0000000000a0',
  'd0000000-0000-4000-8000-000000000002', 'd0000000-0000-4000-8000-0000000000b0', picture.filename, 'image', 'image/png',
  picture.size, 960, 720, picture.alt_text, array['demo'], 'ready', 'media',
  'd0000000-0000-4000-8000-0000000000a0/d0000000-0000-4000-8000-0000000001' || picture.number || '.png', true
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

-- A licence and a workshop, created by the supplier.
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

-- Rates of tax, which are invented, and discounts. They change no order of the demo: past orders are imported without tax, the
-- rates are for addresses in Morocco from today on and contained in the prices, one discount needs its code, and one is paused.
do $$
declare
  today date := (now() at time zone 'utc')::date;
begin
  perform set_config(
    'request.jwt.claims',
    '{"sub": "d0000000-0000-4000-8000-000000000001", "tenant_id": "d0000000-0000-4000-8000-0000000000a0"}',
    true
  );
  perform public.create_tax_rate('MA', 20, 'TVA', valid_from => today);
  perform public.create_tax_rate(
    'MA', 10, 'TVA', category_id => 'd0000000-0000-4000-8000-0000000000e1', valid_from => today
  );
  perform public.create_discount('percentage', code => 'WELCOME10', value => 10, uses_per_customer => 1);
  perform set_config(
    'request.jwt.claims',
    '{"sub": "d0000000-0000-4000-8000-000000000002", "tenant_id": "d0000000-0000-4000-8000-0000000000a0"}',
    true
  );
  perform public.create_discount(
    'percentage', value => 15, status => 'paused',
    product_ids => '{d0000000-0000-4000-8000-000000000014,d0000000-0000-4000-8000-000000000015}'
  );
end
$$;

-- An example of a webhook. It is off, because no server listens at its address.
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
        format(paragraph, 'Oasis sells what a few workshops make by hand. Orders placed before noon are shipped the same day.')::jsonb
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

-- A year of orders, imported as if from another shop system. There are more on weekends and before the end of the year
-- than in January, and some customers order again. The pseudorandom values are the same each time.
create function pg_temp.chance(of text) returns double precision
language sql immutable
as $$ select ('x' || left(md5(of), 8))::bit(32)::bigint / 4294967296.0 $$;

do $$
declare
  orders jsonb[];
  answer jsonb;
begin
  perform set_config(
    'request.jwt.claims',
    '{"sub": "d0000000-0000-4000-8000-000000000001", "tenant_id": "d0000000-0000-4000-8000-0000000000a0"}',
    true
  );
  select array_agg(
    jsonb_build_object(
      'external_id', format('W-%s', o.key), 'placed_at', o.placed_at, 'status', o.status,
      'payment_status', case when o.status in ('cancelled', 'returned') then 'refunded' else 'paid' end,
      'completed_at', case when o.status in ('delivered', 'returned') then o.placed_at + interval '4 days' end,
      'cancelled_at', case when o.status = 'cancelled' then o.placed_at + interval '5 hours' end,
      'returned_at', case when o.status = 'returned' then o.placed_at + interval '9 days' end,
      'customer', jsonb_build_object(
        'email', format('buyer-%s@example.com', o.buyer),
        'name', ('{Amal,Ben,Chiara,Dana,Emil,Fatou,Goran,Hana,Idris,Jana}'::text[])[1 + o.buyer % 10]
      ),
      'shipping_address', jsonb_build_object(
        'street', format('%s Palm Street', 1 + o.buyer % 90),
        'city', ('{Fez,Lisbon,Lyon,Turin,Vienna}'::text[])[1 + o.buyer % 5], 'postal_code', 10000 + 7 * o.buyer || ''
      ),
      'items', (
        select jsonb_agg(
          jsonb_build_object('product_id', p.id, 'quantity', sold.quantity, 'price', p.price)
          order by sold.quantity desc, p.id
        )
        from (
          -- Customers buy several of the fourth product, tea glasses.
          select w.product, case when w.product = 4 then 2 * count(*) + 4 else 1 end as quantity
          from (
            select
              width_bucket(pg_temp.chance(format('%s item %s', o.key, n)), array[0, 0.26, 0.4, 0.5, 0.8, 0.92]) as product
            from generate_series(1, 1 + floor(2.4 * pg_temp.chance(o.key || ' items') ^ 2)::integer) as n
          ) as w
          group by w.product
        ) as sold
        join public.products p on p.id = ('d0000000-0000-4000-8000-00000000001' || sold.product)::uuid
      )
    )
    order by o.placed_at
  )
  into orders
  from (
    select
      d.key, d.placed_at, floor(pg_temp.chance(d.key || ' buyer') ^ 1.7 * (40 + 0.6 * d.day))::integer as buyer,
      case
        when d.placed_at > now() - interval '4 days' then 'processing'
        when d.placed_at > now() - interval '12 days' then 'shipped'
        when pg_temp.chance(d.key || ' fate') < 0.05 then 'cancelled'
        when pg_temp.chance(d.key || ' fate') < 0.09 then 'returned'
        else 'delivered'
      end as status
    from (
      select
        format('%s-%s', day, n) as key, day,
        (c.date + interval '8 hours' + pg_temp.chance(format('%s-%s hour', day, n)) * interval '13 hours')
          at time zone 'utc' as placed_at
      from generate_series(1, 365) as day
      cross join lateral (select (now() at time zone 'utc')::date - 365 + day as date) as c
      cross join lateral generate_series(
        1,
        floor(
          (0.7 + day / 365.0)
            * ('{0.8,0.8,0.9,1,1.1,1.5,1.3}'::double precision[])[extract(isodow from c.date)::integer]
            * ('{0.6,0.7,0.9,1,1,0.9,0.8,0.8,1,1.1,1.6,2}'::double precision[])[extract(month from c.date)::integer]
            + pg_temp.chance(day || ' orders')
        )::integer
      ) as n
    ) as d
    where d.placed_at < now()
  ) as o;

  for i in 1 .. cardinality(orders) by 500 loop
    answer := public.import_orders(to_jsonb(orders[i:i + 499]));
    if answer -> 'errors' <> '[]' then
      raise exception '%', answer -> 'errors' -> 0;
    end if;
  end loop;
end
$$;

-- Payouts of the supplier. Imported orders are not in the ledger, so an adjustment carries over what they owe: it is paid.
-- A second one is in a payout that is to be transferred, and a third one is due.
do $$
declare
  atlas uuid := 'd0000000-0000-4000-8000-0000000000b0';
begin
  perform set_config(
    'request.jwt.claims',
    '{"sub": "d0000000-0000-4000-8000-000000000001", "tenant_id": "d0000000-0000-4000-8000-0000000000a0"}',
    true
  );
  perform public.create_adjustment(atlas, 1240.50, 'EUR', 'Balance of the former shop system.');
  perform public.update_payout((public.create_payouts(atlas) #>> '{0,id}')::uuid, 'paid', 'SEPA 4711');
  perform public.create_adjustment(atlas, 310.00, 'EUR', 'Sales at the fair in Fez.');
  perform public.create_payouts(atlas);
  perform public.create_adjustment(atlas, 24.50, 'EUR', 'Half of the photographs of the rug.');
end
$$;

-- Nobody waits for the mail about the payout.
delete from public.mails where tenant_id = 'd0000000-0000-4000-8000-0000000000a0' and template = 'payout_paid';

-- Visitors of the last ninety days: their number grows, some come again, and one in thirty orders. Only their days are
-- here, and not the events from which days are made, so a change of the time zone removes them.
with visited as (
  select
    d.ago, pg_temp.chance(format('%s-%s stage', d.ago, n)) as far,
    md5('visitor ' || floor(pg_temp.chance(format('%s-%s who', d.ago, n)) ^ 1.4 * 800))::uuid as visitor,
    1 + floor(pg_temp.chance(format('%s-%s what', d.ago, n)) * 5)::integer as product
  from generate_series(0, 89) as d (ago)
  cross join lateral generate_series(1, 30 - d.ago / 6 + floor(12 * pg_temp.chance(d.ago || ' visitors'))::integer) as n
),
come as (
  select
    (now() at time zone 'utc')::date - v.ago as day, v.visitor, max(v.product) as product,
    max((case
      when v.far < 0.38 then 'visit' when v.far < 0.8 then 'product_view' when v.far < 0.91 then 'add_to_cart'
      when v.far < 0.965 then 'checkout' else 'order'
    end)::private.visitor_stage) as stage
  from visited v
  group by v.ago, v.visitor
),
drawn as (
  insert into private.visitor_days (tenant_id, day, visitor, marketplace_id, stage)
  select
    'd0000000-0000-4000-8000-0000000000a0', c.day, c.visitor, 'd0000000-0000-4000-8000-0000000000d0', c.stage
  from come c
)
insert into private.visitor_product_days (tenant_id, day, visitor, marketplace_id, supplier_id, category_id, stage)
select p.tenant_id, c.day, c.visitor, p.marketplace_id, p.supplier_id, p.category_id, c.stage
from come c
join public.products p on p.id = ('d0000000-0000-4000-8000-00000000001' || c.product)::uuid
where c.stage > 'visit';

drop function pg_temp.chance;
