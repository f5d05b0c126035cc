-- Products with their variants and stock, and the changes of status that follow from the stock.

create type public.product_kind as enum ('physical', 'digital', 'service');
create type public.product_status as enum ('draft', 'active', 'inactive', 'out_of_stock', 'discontinued');

-- tables ---------------------------------------------------------------------------------------

create table public.products (
  id uuid default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  marketplace_id uuid not null default private.sole_marketplace_id(),
  supplier_id uuid default private.supplier_id(),
  category_id uuid,
  external_id text,
  kind public.product_kind not null default 'physical',
  track_inventory boolean not null default true,
  name text not null,
  slug text not null default '',
  description text not null default '',
  description_html text,
  price numeric not null,
  compare_at_price numeric,
  currency text not null,
  images jsonb not null default '[]',
  attributes jsonb not null default '[]',
  brand text,
  attribute_values jsonb default '{}',
  physical jsonb,
  safety jsonb,
  template_id uuid,
  status public.product_status not null default 'active',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  lowest_price numeric not null default 0,
  highest_price numeric not null default 0,
  -- Includes all columns that lists filter and count by, so that results are counted from the index alone.
  constraint products_pkey primary key (id) include (
    tenant_id, category_id, lowest_price, highest_price, status, marketplace_id, supplier_id, brand, created_at, updated_at,
    attribute_values
  ),
  constraint products_tenant_id_id_key unique (tenant_id, id),
  -- One foreign key for both. With two keys between the same tables, PostgREST cannot choose the one to join by.
  constraint products_marketplace_id_fkey foreign key (tenant_id, marketplace_id, currency)
    references public.marketplaces (tenant_id, id, currency),
  constraint products_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  -- Only discontinued products lose a deleted category: see check_category_is_empty.
  constraint products_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id) on delete set null (category_id),
  constraint products_external_id_is_1_to_200_characters check (char_length(external_id) between 1 and 200),
  constraint products_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint products_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint products_description_is_at_most_50000_characters check (char_length(description) <= 50000),
  constraint products_description_html_is_at_most_50000_characters check (char_length(description_html) <= 50000),
  constraint products_price_is_not_negative check (price >= 0 and price < 1e12),
  constraint products_price_is_of_at_most_4_decimals check (scale(price) <= 4),
  constraint products_compare_at_price_is_below_1e12 check (compare_at_price < 1e12),
  constraint products_compare_at_price_is_of_at_most_4_decimals check (scale(compare_at_price) <= 4),
  constraint products_track_inventory_is_right_for_the_kind
    check (case kind when 'physical' then track_inventory when 'service' then not track_inventory else true end),
  constraint products_physical_is_for_physical_products check (physical is null or kind = 'physical')
);
comment on table public.products is
  'Products for sale. A product without a supplier is the operator''s own. slug: its readable address, unique per marketplace; an empty one is made from the name. Its currency is the currency of its marketplace; its brand is the attribute of that name. attribute_values: its attributes'' values by name, without empty ones, so that lists can filter by them; null if they take over 1,000 bytes. description: plain text; description_html: the same as safe HTML, if the seller sent HTML. compare_at_price: what the price is compared with, always greater; null for nothing. safety: who answers for the product, {manufacturer, responsible_person, warnings}; null if unknown. template_id: the template that renders its page; null for the default. lowest_price and highest_price: of its variants, or its own price without variants; triggers maintain them.';

create table private.product_counts (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  supplier_id uuid,
  products bigint not null,
  counted_at timestamptz not null,
  when_all_were_counted bigint not null,
  constraint supplier_id_is_unique_in_product_counts unique nulls not distinct (tenant_id, supplier_id),
  constraint product_counts_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade
);
comment on table private.product_counts is
  'The number of products of each supplier before counted_at, without discontinued ones. Later products are few enough to be counted each time. when_all_were_counted: the number at the last full count.';
-- The whole row identifies it for replication, because supplier_id may be null.
alter table private.product_counts replica identity full;

create table public.product_variants (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id(),
  product_id uuid not null,
  -- Never null, because a trigger sets it. `not null` would make generated types require it.
  marketplace_id uuid,
  supplier_id uuid,
  name text not null,
  sku text,
  sku_is_unique boolean not null default true,
  price numeric,
  compare_at_price numeric,
  position integer not null default 0,
  created_at timestamptz not null default now(),
  constraint product_variants_tenant_id_product_id_id_key unique (tenant_id, product_id, id),
  constraint product_variants_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint product_variants_marketplace_id_is_that_of_the_product check (marketplace_id is not null),
  constraint product_variants_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint product_variants_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint product_variants_sku_is_1_to_255_characters check (char_length(sku) between 1 and 255),
  constraint product_variants_price_is_not_negative check (price >= 0 and price < 1e12),
  constraint product_variants_price_is_of_at_most_4_decimals check (scale(price) <= 4),
  constraint product_variants_compare_at_price_is_below_1e12 check (compare_at_price < 1e12),
  constraint product_variants_compare_at_price_is_of_at_most_4_decimals check (scale(compare_at_price) <= 4),
  -- Deferrable, so that it is checked at the end of the statement: two variants may swap their names. Unique constraints
  -- do not support expressions, so it is an exclusion constraint.
  constraint name_is_unique_in_product_variants
    exclude using btree (product_id with =, (private.folded_name(name)) with =) deferrable
);
comment on table public.product_variants is
  'Variants of products. A variant without a price has the price of the product. compare_at_price: what its price is compared with. marketplace_id and supplier_id are copied from the product. sku_is_unique: whether no other variant of the supplier in the marketplace may have the sku, as the tenant''s settings said when it was set.';
alter table public.product_variants replica identity using index product_variants_tenant_id_product_id_id_key;

create table public.inventory (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  variant_id uuid,
  quantity integer not null default 0,
  reserved integer not null default 0,
  updated_at timestamptz not null default now(),
  constraint inventory_product_id_variant_id_key unique nulls not distinct (product_id, variant_id),
  constraint inventory_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint inventory_variant_id_fkey foreign key (tenant_id, product_id, variant_id)
    references public.product_variants (tenant_id, product_id, id) on delete cascade,
  constraint inventory_reserved_is_not_negative check (reserved >= 0),
  constraint inventory_quantity_is_at_least_what_is_reserved check (quantity >= reserved)
);
comment on table public.inventory is
  'The stock: pieces in stock and pieces reserved by orders. One row for the product and one for each variant. A product with variants is sold only by them, and its own row is not used.';

alter table public.products replica identity full;
alter table public.inventory replica identity full;
alter publication supabase_realtime add table public.products, public.inventory;

-- indexes --------------------------------------------------------------------------------------

-- The seller's id of a product. A discontinued product releases its id.
create unique index external_id_is_unique_in_products
  on public.products (tenant_id, marketplace_id, external_id, supplier_id) nulls not distinct
  where external_id is not null and status <> 'discontinued';
-- Without variants that have no sku. With them, a cached plan from when there were hardly any variants would use this
-- index to find the variants of a product, and read all of the tenant's.
create unique index sku_is_unique_in_product_variants
  on public.product_variants (tenant_id, marketplace_id, sku, supplier_id) nulls not distinct where sku is not null and sku_is_unique;
-- Includes all columns that a list filters and counts by, so that products of a marketplace are counted without reading rows.
create index products_marketplace_idx on public.products (tenant_id, marketplace_id, currency)
  include (id, category_id, lowest_price, highest_price, status, supplier_id, brand, created_at, updated_at, attribute_values);
create index products_supplier_idx on public.products (tenant_id, supplier_id, created_at);
create index inventory_product_idx on public.inventory (tenant_id, product_id, variant_id);

-- views ----------------------------------------------------------------------------------------

-- With its owner's rights: callers who see a product may see its stock, and no policy has to look up the product again.
-- It is only joined to products that the caller sees.
create view private.product_stocks as
select
  i.tenant_id, i.product_id,
  coalesce(sum(i.quantity) filter (where i.variant_id is not null), sum(i.quantity)) as quantity,
  coalesce(sum(i.reserved) filter (where i.variant_id is not null), sum(i.reserved)) as reserved,
  bool_or(i.variant_id is not null) as has_variants
from public.inventory i
group by i.tenant_id, i.product_id;
comment on view private.product_stocks is
  'The pieces in stock of each product, and the reserved ones. For a product with variants: the sums of its variants.';

-- functions ------------------------------------------------------------------------------------

create function private.explain_stock_change(reason text, note text default null, order_id uuid default null)
returns void
language plpgsql set search_path = ''
as $$
begin
  perform set_config(
    'souk.stock_change',
    jsonb_build_object('reason', reason, 'note', note, 'order_id', order_id)::text,
    true
  );
end
$$;
comment on function private.explain_stock_change is
  'Sets the reason for the next changes of stock, until the end of the transaction or the next call. The ledger records it.';

-- The only definition of this rule. It has no SET clause, so that Postgres inlines it into queries. Its body is parsed
-- at creation, so that the caller's search_path cannot change its meaning.
create function private.is_shown_to(
  viewer text, own_supplier uuid, active_marketplaces uuid[],
  supplier_id uuid, marketplace_id uuid, status public.product_status
) returns boolean
language sql immutable
return case viewer
  when 'customer' then status = 'active' and marketplace_id = any (active_marketplaces)
  when 'supplier' then supplier_id = own_supplier
  when 'all' then true
  else false
end;
comment on function private.is_shown_to is
  'Whether a member sees a product of its tenant. viewer: private.reach(''products.read''). Customers'' own are the active ones.';

create function private.check_category_is_empty() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  reason text := case
    when exists (
      select 1 from public.categories c where c.tenant_id = old.tenant_id and c.parent_id = old.id
    ) then 'The category has categories below it. Move or delete them first.'
    when exists (
      select 1 from public.products p
      where p.tenant_id = old.tenant_id and p.category_id = old.id and p.status <> 'discontinued'
    ) then 'The category has products. Move them first.'
  end;
begin
  -- If the tenant itself is deleted, all its rows are deleted.
  if reason is not null and private.is_tenant_kept(old.tenant_id) then
    perform private.refuse('CONFLICT', reason);
  end if;
  return old;
end
$$;
comment on function private.check_category_is_empty() is
  'Row trigger: refuses with CONFLICT to delete a category with children or products.';

create function private.checked_price(price numeric, exponent smallint, field text) returns numeric
language plpgsql immutable set search_path = ''
as $$
begin
  if scale(trim_scale(price)) > exponent then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s must have at most %s decimals in this currency.', field, exponent),
      field, to_jsonb(price)
    );
  end if;
  -- `numeric` keeps trailing zeros, so the price is rounded. An unknown currency is refused by the foreign key.
  return round(price, coalesce(exponent, 4));
end
$$;
comment on function private.checked_price is
  'A price with exactly the decimals of its currency (exponent). Refuses with VALIDATION_ERROR a price with more.';

create function private.check_price() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  exponent smallint;
begin
  if tg_table_name = 'products' then
    select c.exponent into exponent from private.currencies c where c.code = new.currency;
  else
    select c.exponent into exponent
    from public.products p
    join private.currencies c on c.code = p.currency
    where p.id = new.product_id;
  end if;
  new.price := private.checked_price(new.price, exponent, 'price');
  if new.compare_at_price is not null then
    new.compare_at_price := private.checked_price(new.compare_at_price, exponent, 'compare_at_price');
    -- That of a variant is compared after the statement, because a variant may have the product's price.
    if tg_table_name = 'products' then
      perform private.insist(
        new.compare_at_price > new.price, 'compare_at_price', 'greater than the price', to_jsonb(new.compare_at_price)
      );
    end if;
  end if;
  return new;
end
$$;
comment on function private.check_price() is
  'Row trigger: refuses a price or a compare_at_price with more decimals than its currency has, and stores them with exactly that number of decimals. Refuses a compare_at_price of a product that is not greater than its price.';

create function private.adopt_currency() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  settled text;
begin
  if new.marketplace_id is not null then
    select m.currency into settled
    from public.marketplaces m
    where m.tenant_id = new.tenant_id and m.id = new.marketplace_id;
    if not found then
      perform private.refuse(
        'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(new.marketplace_id)
      );
    end if;
    perform private.insist(
      coalesce(new.currency, settled) = settled, 'currency', 'the marketplace''s', to_jsonb(new.currency)
    );
    new.currency := settled;
  end if;
  return new;
end
$$;
comment on function private.adopt_currency() is
  'Row trigger: sets the currency of a product or a campaign to that of its marketplace.';

create function private.count_products(tenant_id uuid, supplier_id uuid, anew boolean) returns bigint
-- The session caches the plan, also from when there were no products. It must not scan the table when there are many.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  kept private.product_counts;
  since bigint;
  own bigint;
begin
  select * into kept
  from private.product_counts c
  where c.tenant_id = count_products.tenant_id and c.supplier_id is not distinct from count_products.supplier_id;
  if found and not anew then
    select count(*) filter (where p.created_at < now()), count(*) filter (where p.created_at >= now())
    into since, own
    from (
      select p.created_at from public.products p
      where p.tenant_id = count_products.tenant_id and p.supplier_id = count_products.supplier_id and p.created_at >= kept.counted_at
      union all
      select p.created_at from public.products p
      where count_products.supplier_id is null
        and p.tenant_id = count_products.tenant_id and p.supplier_id is null and p.created_at >= kept.counted_at
    ) as p;
    kept.products := kept.products + since;
    if since + own <= 300 then
      return kept.products + own;
    end if;
  end if;

  -- Counting 40,000 products takes 30 ms. So all are counted only when the number may have grown by a tenth. Until then
  -- the sum lacks products that other transactions were adding during the count.
  if anew or (kept.products <= 1.1 * kept.when_all_were_counted) is not true then
    select count(*) filter (where p.created_at < now()), count(*) filter (where p.created_at >= now())
    into kept.products, own
    from (
      select p.created_at from public.products p
      where p.tenant_id = count_products.tenant_id and p.supplier_id = count_products.supplier_id and p.status <> 'discontinued'
      union all
      select p.created_at from public.products p
      where count_products.supplier_id is null and p.tenant_id = count_products.tenant_id and p.supplier_id is null and p.status <> 'discontinued'
    ) as p;
    kept.when_all_were_counted := kept.products;
  end if;
  -- Another transaction that counts at the same time stores its own result, so nothing waits here.
  perform 1 from private.product_counts c
  where c.tenant_id = count_products.tenant_id and c.supplier_id is not distinct from count_products.supplier_id
  for update skip locked;
  if found then
    update private.product_counts c
    set products = kept.products, counted_at = now(), when_all_were_counted = kept.when_all_were_counted
    where c.tenant_id = count_products.tenant_id and c.supplier_id is not distinct from count_products.supplier_id;
  else
    insert into private.product_counts (tenant_id, supplier_id, products, counted_at, when_all_were_counted)
    values (tenant_id, supplier_id, kept.products, now(), kept.when_all_were_counted)
    on conflict on constraint supplier_id_is_unique_in_product_counts do nothing;
  end if;
  return kept.products + own;
end
$$;
comment on function private.count_products is
  'The number of products of a supplier (null: the operator), without those discontinued before the last count. Updates the stored count after three hundred new products. Counts all products if anew is set, and when the number has grown by a tenth.';

create function private.check_supplier_room() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  added_to record;
  most bigint := private.cap('products_per_supplier');
  cached text[] := string_to_array(current_setting('souk.product_room', true), ' ');
  owner text;
  room bigint;
begin
  for added_to in
    select a.tenant_id, a.supplier_id, count(*) as products from added a group by a.tenant_id, a.supplier_id
  loop
    owner := concat(added_to.tenant_id, '/', added_to.supplier_id);
    -- An import adds products one by one, so the limit is computed once per statement.
    room := case
      when cached[1] = owner then cached[2]::bigint - added_to.products
      else most - private.count_products(added_to.tenant_id, added_to.supplier_id, false)
    end;
    if room < 0 then
      room := most - private.count_products(added_to.tenant_id, added_to.supplier_id, true);
    end if;
    if room < 0 then
      perform private.refuse_beyond(
        'products_per_supplier', format('A supplier must have at most %s products. Discontinue some of them first.', most)
      );
    end if;
    cached := array[owner, room::text];
  end loop;
  perform set_config('souk.product_room', array_to_string(cached, ' '), true);
  return null;
end
$$;
comment on function private.check_supplier_room() is
  'Statement trigger: refuses with LIMIT_REACHED more products than a supplier may have. Concurrent transactions may together exceed the limit by the products that they add.';

create function private.open_inventory() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_table_name = 'products' then
    insert into public.inventory (tenant_id, product_id) select c.tenant_id, c.id from changed c;
  else
    insert into public.inventory (tenant_id, product_id, variant_id)
    select c.tenant_id, c.product_id, c.id from changed c;
  end if;
  return null;
end
$$;
comment on function private.open_inventory() is 'Statement trigger: creates the stock row of new products and variants.';

create function private.follow_stock() returns trigger
-- The session caches its plans, also from when there were few rows. The plans must look rows up one by one.
language plpgsql security definer set search_path = ''
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  affected uuid[];
begin
  if tg_op = 'UPDATE' then
    select array_agg(distinct moved.product_id) into affected
    from (
      select c.id, c.product_id
      from (
        select n.id, n.product_id, n.quantity > n.reserved as available from new_inventory n
        union all
        select o.id, o.product_id, o.quantity > o.reserved from old_inventory o
      ) as c
      group by c.id, c.product_id
      having bool_or(c.available) <> bool_and(c.available)
    ) as moved;
  elsif tg_op = 'INSERT' then
    -- After its first variant is added, a product is no longer sold from its own stock.
    select array_agg(distinct n.product_id) into affected from new_inventory n where n.variant_id is not null;
    if affected is null then
      return null;
    end if;
    select array_agg(own.product_id) into affected
    from public.inventory own
    where own.product_id = any (affected) and own.variant_id is null and own.quantity > own.reserved;
  else
    select array_agg(distinct o.product_id) into affected from old_inventory o;
  end if;
  if affected is null then
    return null;
  end if;

  -- Two variants may run out in two transactions at the same time. The lock makes the second count after the first has
  -- committed. Locks are taken in the order of ids, which prevents deadlocks.
  perform 1 from public.products p where p.id = any (affected) order by p.id for no key update;

  update public.products p
  set status = case when s.quantity > s.reserved then 'active' else 'out_of_stock' end::public.product_status
  from private.product_stocks s
  where s.product_id = any (affected)
    and p.id = s.product_id
    and p.track_inventory
    and p.status = case when s.quantity > s.reserved then 'out_of_stock' else 'active' end::public.product_status;
  return null;
end
$$;
comment on function private.follow_stock() is
  'Statement trigger: a product with a stock becomes out_of_stock when its last available piece is gone, and active again when pieces are available.';

create function private.check_product_start() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Imports may also create inactive products, because exports include them.
  if current_user in ('anon', 'authenticated')
    and not (
      new.status = 'inactive'
      and coalesce(nullif(current_setting('souk.stock_change', true), '')::jsonb ->> 'reason' = 'import', false)
    )
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'status of a new product must be draft or active.', 'status', to_jsonb(new.status)
    );
  end if;
  return new;
end
$$;
comment on function private.check_product_start() is 'Row trigger: a new product must be draft or active.';

create function private.check_discontinued_product() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Triggers may still change it: its category may be deleted, and orders may return stock. Users may not.
  if current_user in ('anon', 'authenticated') then
    perform private.refuse(
      'INVALID_TRANSITION', 'A discontinued product cannot change.', 'status', to_jsonb(new.status)
    );
  end if;
  return new;
end
$$;
comment on function private.check_discontinued_product() is 'Row trigger: refuses changes of a discontinued product by users.';

create function private.check_product_move() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Only follow_stock moves a product to and from out_of_stock, not users.
  if current_user in ('anon', 'authenticated')
    and old.status is distinct from new.status
    and (new.status = 'out_of_stock' or old.status = 'out_of_stock' and new.status <> 'discontinued')
  then
    perform private.refuse(
      'INVALID_TRANSITION', 'out_of_stock follows from the stock and cannot be set. Change the stock instead.',
      'status', to_jsonb(new.status)
    );
  end if;
  -- A product without a stock cannot be out of stock.
  if not new.track_inventory and new.status = 'out_of_stock' then
    new.status := 'active';
  end if;
  perform private.require_move('products', 'status', old.status::text, new.status::text);
  return new;
end
$$;
comment on function private.check_product_move() is
  'Row trigger: refuses a move of the status that is not a row of status_moves, and to set out_of_stock directly.';

create function private.adopt_seller() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  select p.marketplace_id, p.supplier_id into new.marketplace_id, new.supplier_id
  from public.products p
  where p.tenant_id = new.tenant_id and p.id = new.product_id;
  return new;
end
$$;
comment on function private.adopt_seller() is 'Row trigger: copies the marketplace and supplier of the product to its variant.';

create function private.hand_on_seller() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.product_variants v
  set marketplace_id = new.marketplace_id, supplier_id = new.supplier_id
  where v.tenant_id = new.tenant_id and v.product_id = new.id;
  return null;
end
$$;
comment on function private.hand_on_seller() is
  'Row trigger: copies a product''s new marketplace or supplier to its variants.';

create function private.product_columns(action text) returns text
language sql stable set search_path = ''
as $$
  select string_agg(format('%I', a.attname), ', ' order by a.attnum)
  from pg_catalog.pg_attribute a
  where a.attrelid = 'public.products'::regclass and a.attnum > 0 and not a.attisdropped
    and has_column_privilege('authenticated', a.attrelid, a.attnum, action)
$$;
comment on function private.product_columns is
  'The columns of products that sellers may insert or update, for statements with all of them. The grants are their only list.';

create function private.has_unique_skus(settings jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce((settings #>> '{catalog,unique_skus}')::boolean, true);
comment on function private.has_unique_skus(jsonb) is
  'Whether a tenant''s settings say that variants of a supplier in a marketplace have different skus. They do unless unique_skus is false.';

create function private.has_unique_skus(tenant_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (select private.has_unique_skus(t.settings) from public.tenants t where t.id = has_unique_skus.tenant_id), true
  );
end
$$;
comment on function private.has_unique_skus(uuid) is 'The same for a tenant.';

create function private.check_catalog_settings() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.insist_on_keys(new.settings -> 'catalog', 'settings.catalog', array['unique_skus']);
  perform private.insist(
    coalesce(jsonb_typeof(new.settings #> '{catalog,unique_skus}'), 'boolean') = 'boolean',
    'settings.catalog.unique_skus', 'true or false', new.settings #> '{catalog,unique_skus}'
  );
  return new;
end
$$;
comment on function private.check_catalog_settings() is 'Row trigger: refuses a unique_skus that is not true or false.';

create function private.settle_sku() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.sku_is_unique := private.has_unique_skus(new.tenant_id);
  if not new.sku_is_unique then
    -- A change of the setting waits for this transaction, or this waits for that one and reads what it wrote.
    perform 1 from public.tenants t where t.id = new.tenant_id for share;
    new.sku_is_unique := private.has_unique_skus(new.tenant_id);
  end if;
  return new;
end
$$;
comment on function private.settle_sku() is 'Row trigger: whether a new sku has to be unique, as the tenant''s settings say.';

create function private.require_unique_skus() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  repeated text;
begin
  update public.product_variants v
  set sku_is_unique = true
  where v.tenant_id = new.id and not v.sku_is_unique;
  return null;
exception
  when unique_violation then
    select v.sku into repeated
    from public.product_variants v
    where v.tenant_id = new.id and v.sku is not null
    group by v.marketplace_id, v.supplier_id, v.sku
    having count(*) > 1
    order by v.sku
    limit 1;
    perform private.refuse(
      'CONFLICT', format('Several variants of a supplier have the sku %s. Give them different ones first.', repeated),
      'settings.catalog.unique_skus', 'true'
    );
end
$$;
comment on function private.require_unique_skus() is
  'Row trigger: skus that were set while they could be repeated have to be unique from now on. Refuses with CONFLICT if they are not.';

create function private.free_skus() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.product_variants v
  set sku = null
  where v.tenant_id = new.tenant_id and v.product_id = new.id and v.sku is not null;
  return null;
end
$$;
comment on function private.free_skus() is 'Row trigger: releases the skus of a discontinued product.';

create function private.span_prices() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.lowest_price := new.price;
  new.highest_price := new.price;
  if tg_op = 'UPDATE' then
    select coalesce(min(coalesce(v.price, new.price)), new.price), coalesce(max(coalesce(v.price, new.price)), new.price)
    into new.lowest_price, new.highest_price
    from public.product_variants v
    where v.tenant_id = new.tenant_id and v.product_id = new.id;
  end if;
  return new;
end
$$;
comment on function private.span_prices() is
  'Row trigger: sets the lowest and the highest price of a product. A variant without a price has the price of the product.';

create function private.touch_product() returns trigger
-- A plan from when the tables were empty, which a session keeps, would scan products.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  affected uuid[];
begin
  if tg_op = 'UPDATE' then
    -- No record has sku_is_unique, which a change of the tenant's settings changes in many variants.
    affected := array(
      select distinct c.product_id
      from changed c
      join former f on f.id = c.id
      where to_jsonb(c) - 'sku_is_unique' <> to_jsonb(f) - 'sku_is_unique'
    );
  else
    affected := array(select distinct c.product_id from changed c);
  end if;
  -- Two transactions may change variants of a product at the same time. The lock makes the second read after the first has committed.
  perform 1 from public.products p where p.id = any (affected) order by p.id for no key update;

  update public.products p
  set updated_at = now(), lowest_price = span.lowest, highest_price = span.highest
  from (
    select
      q.id, coalesce(min(coalesce(v.price, q.price)), q.price) as lowest,
      coalesce(max(coalesce(v.price, q.price)), q.price) as highest
    from public.products q
    left join public.product_variants v on v.tenant_id = q.tenant_id and v.product_id = q.id
    where q.id = any (affected)
    group by q.id
  ) as span
  where p.id = span.id
    and (p.updated_at <> now() or p.lowest_price <> span.lowest or p.highest_price <> span.highest);
  return null;
end
$$;
comment on function private.touch_product() is
  'Statement trigger: a change of variants updates updated_at and the lowest and highest price of the product.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.products for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.product_variants
  for each row execute function private.keep_nfc();

create trigger categories_check_that_it_is_empty
  before delete on public.categories
  for each row execute function private.check_category_is_empty();

create trigger tenants_check_catalog_settings
  before insert or update of settings on public.tenants
  for each row when (new.settings ? 'catalog')
  execute function private.check_catalog_settings();

create trigger tenants_require_unique_skus
  after update of settings on public.tenants
  for each row when (private.has_unique_skus(new.settings) and not private.has_unique_skus(old.settings))
  execute function private.require_unique_skus();

create trigger products_are_changed_by_admins_and_suppliers
  before insert or update or delete on public.products
  for each statement execute function private.permitted_only('products.write');

create trigger product_variants_are_changed_by_admins_and_suppliers
  before insert or update or delete on public.product_variants
  for each statement execute function private.permitted_only('products.write');

create trigger products_adopt_currency
  before insert on public.products
  for each row execute function private.adopt_currency();

create trigger products_check_price
  before insert or update of price, compare_at_price, currency on public.products
  for each row execute function private.check_price();

create trigger products_span_prices
  before insert or update of price on public.products
  for each row execute function private.span_prices();

create trigger product_variants_check_price
  before insert or update of price, compare_at_price on public.product_variants
  for each row when (new.price is not null or new.compare_at_price is not null)
  execute function private.check_price();

create trigger products_check_start
  before insert on public.products
  for each row when (new.status not in ('draft', 'active'))
  execute function private.check_product_start();

create trigger products_check_product_move
  before update of status, track_inventory on public.products
  for each row execute function private.check_product_move();

create trigger products_stay_discontinued
  before update on public.products
  for each row when (old.status = 'discontinued' and new.status = 'discontinued')
  execute function private.check_discontinued_product();

create trigger products_touch
  before update on public.products
  for each row execute function private.touch();

create trigger products_check_supplier_room
  after insert on public.products
  referencing new table as added
  for each statement execute function private.check_supplier_room();

create trigger products_open_inventory
  after insert on public.products
  referencing new table as changed
  for each statement execute function private.open_inventory();

create trigger products_hand_on_seller
  after update of marketplace_id, supplier_id on public.products
  for each row when ((new.marketplace_id, new.supplier_id) is distinct from (old.marketplace_id, old.supplier_id))
  execute function private.hand_on_seller();

create trigger products_free_skus
  after update of status on public.products
  for each row when (new.status = 'discontinued' and old.status <> 'discontinued')
  execute function private.free_skus();

create trigger product_variants_adopt_seller
  before insert on public.product_variants
  for each row execute function private.adopt_seller();

create trigger product_variants_settle_sku_when_added
  before insert on public.product_variants
  for each row when (new.sku is not null)
  execute function private.settle_sku();

create trigger product_variants_settle_sku_when_changed
  before update of sku on public.product_variants
  for each row when (new.sku is not null and new.sku is distinct from old.sku)
  execute function private.settle_sku();

create trigger product_variants_open_inventory
  after insert on public.product_variants
  referencing new table as changed
  for each statement execute function private.open_inventory();

create trigger product_variants_touch_product_when_added
  after insert on public.product_variants
  referencing new table as changed
  for each statement execute function private.touch_product();

create trigger product_variants_touch_product_when_changed
  after update on public.product_variants
  referencing old table as former new table as changed
  for each statement execute function private.touch_product();

create trigger product_variants_touch_product_when_removed
  after delete on public.product_variants
  referencing old table as changed
  for each statement execute function private.touch_product();

create trigger inventory_touch
  before update on public.inventory
  for each row execute function private.touch();

create trigger inventory_moves_the_product
  after update on public.inventory
  referencing old table as old_inventory new table as new_inventory
  for each statement execute function private.follow_stock();

create trigger inventory_moves_the_product_when_added
  after insert on public.inventory
  referencing new table as new_inventory
  for each statement execute function private.follow_stock();

create trigger inventory_moves_the_product_when_removed
  after delete on public.inventory
  referencing old table as old_inventory
  for each statement execute function private.follow_stock();

-- policies -------------------------------------------------------------------------------------

alter table private.product_counts enable row level security;
alter table public.products enable row level security;
alter table public.product_variants enable row level security;
alter table public.inventory enable row level security;

create policy "Admins and clients see all products, suppliers their own, customers what is for sale" on public.products
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.is_shown_to(
      (select private.reach('products.read')), (select private.supplier_id()), (select private.active_marketplace_ids()),
      supplier_id, marketplace_id, status
    )
  );

create policy "Admins list any product, suppliers their own" on public.products
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('products.write'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins change any product, suppliers their own" on public.products
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('products.write'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  )
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('products.write'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins delete any product, suppliers their own" on public.products
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.scope('products.write'))
      when 'all' then true
      when 'own' then supplier_id = (select private.supplier_id())
      else false
    end
  );

-- A scalar subquery looks up the single product. `exists` may be planned as a hash of all visible products.
create policy "Members who see a product see its variants" on public.product_variants
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins make variants of any product, suppliers of their own" on public.product_variants
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.scope('products.write')) is not null
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins change variants of any product, suppliers of their own" on public.product_variants
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.scope('products.write')) is not null
    and (select true from public.products p where p.id = product_id)
  )
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.scope('products.write')) is not null
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins remove variants of any product, suppliers of their own" on public.product_variants
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.scope('products.write')) is not null
    and (select true from public.products p where p.id = product_id)
  );

create policy "Members who see a product see its stock" on public.inventory
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins count the stock of any product, suppliers of their own" on public.inventory
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.scope('inventory.write')) is not null
    and (select true from public.products p where p.id = product_id)
  )
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.scope('inventory.write')) is not null
    and (select true from public.products p where p.id = product_id)
  );

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.explain_stock_change to authenticated, service_role;
grant select on public.products, public.product_variants, public.inventory to authenticated;
grant
  delete,
  insert (
    marketplace_id, supplier_id, category_id, external_id, kind, track_inventory, name, description, description_html, price,
    compare_at_price, currency, images, attributes, physical, safety, template_id, status
  ),
  update (
    category_id, external_id, track_inventory, name, description, description_html, price, compare_at_price, images, attributes,
    physical, safety, template_id, status
  )
  on public.products to authenticated;
grant
  delete, insert (id, product_id, name, sku, price, compare_at_price, position),
  update (name, sku, price, compare_at_price, position)
  on public.product_variants to authenticated;
grant update (quantity) on public.inventory to authenticated;
grant all on public.products, public.product_variants, public.inventory to service_role;
grant execute on function private.is_shown_to, private.product_columns, private.has_unique_skus(jsonb), private.has_unique_skus(uuid)
  to authenticated, service_role;
