-- The catalog: categories, products with their variants, and the stock of each.

create type public.product_kind as enum ('physical', 'digital', 'service');
create type public.product_status as enum ('draft', 'active', 'inactive', 'out_of_stock', 'discontinued');

-- tables ---------------------------------------------------------------------------------------

create table public.categories (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  parent_id uuid,
  name text not null,
  attributes jsonb not null default '[]',
  created_at timestamptz not null default now(),
  constraint categories_tenant_id_id_key unique (tenant_id, id),
  constraint categories_parent_id_fkey foreign key (tenant_id, parent_id)
    references public.categories (tenant_id, id),
  constraint categories_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint categories_attributes_is_a_list check (jsonb_typeof(attributes) = 'array')
);
comment on table public.categories is 'The tree by which products are found. Shared by a tenant''s marketplaces.';

create table public.products (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  marketplace_id uuid not null default private.sole_marketplace_id(),
  supplier_id uuid default private.supplier_id(),
  category_id uuid,
  kind public.product_kind not null default 'physical',
  track_inventory boolean not null default true,
  name text not null,
  description text not null default '',
  price numeric not null,
  currency text not null,
  images jsonb not null default '[]',
  attributes jsonb not null default '[]',
  status public.product_status not null default 'active',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint products_tenant_id_id_key unique (tenant_id, id),
  constraint products_marketplace_id_fkey foreign key (tenant_id, marketplace_id)
    references public.marketplaces (tenant_id, id),
  constraint products_currency_fkey foreign key (tenant_id, marketplace_id, currency)
    references public.marketplaces (tenant_id, id, currency),
  constraint products_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint products_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id),
  constraint products_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint products_description_is_at_most_50000_characters check (char_length(description) <= 50000),
  constraint products_price_is_not_negative check (price >= 0 and price < 1e12),
  constraint products_track_inventory_is_right_for_the_kind
    check (case kind when 'physical' then track_inventory when 'service' then not track_inventory else true end),
  constraint products_images_is_a_list check (jsonb_typeof(images) = 'array'),
  constraint products_attributes_is_a_list check (jsonb_typeof(attributes) = 'array')
);
comment on table public.products is
  'What is for sale. A product without a supplier is the operator''s own. Its currency is its marketplace''s.';

create table public.product_variants (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id(),
  product_id uuid not null,
  name text not null,
  sku text,
  price numeric,
  position integer not null default 0,
  created_at timestamptz not null default now(),
  constraint product_variants_tenant_id_product_id_id_key unique (tenant_id, product_id, id),
  constraint sku_is_unique_in_product_variants unique (tenant_id, sku),
  constraint product_variants_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint product_variants_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint product_variants_sku_is_1_to_100_characters check (char_length(sku) between 1 and 100),
  constraint product_variants_price_is_not_negative check (price >= 0 and price < 1e12)
);
comment on table public.product_variants is 'A form a product comes in. Without a price of its own it costs what the product does.';

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
  'How many pieces there are, and how many of them are promised to orders: a row for the product and one for each variant.';

alter table public.products replica identity full;
alter table public.inventory replica identity full;
alter publication supabase_realtime add table public.products, public.inventory;

insert into private.status_moves (subject, from_status, to_status) values
  ('products', 'draft', 'active'),
  ('products', 'active', 'inactive'),
  ('products', 'inactive', 'active'),
  ('products', 'draft', 'discontinued'),
  ('products', 'active', 'discontinued'),
  ('products', 'inactive', 'discontinued'),
  ('products', 'out_of_stock', 'discontinued');

-- indexes --------------------------------------------------------------------------------------

create index categories_tenant_id_parent_id_idx on public.categories (tenant_id, parent_id);
create index products_tenant_id_created_at_idx on public.products (tenant_id, created_at desc, id);
create index products_tenant_id_price_idx on public.products (tenant_id, price, id);
create index products_marketplace_idx on public.products (tenant_id, marketplace_id, currency);
create index products_supplier_idx on public.products (tenant_id, supplier_id);
create index products_category_idx on public.products (tenant_id, category_id);
create index inventory_product_idx on public.inventory (tenant_id, product_id, variant_id);

-- functions ------------------------------------------------------------------------------------

create function private.brand(attributes jsonb) returns text
language sql immutable set search_path = ''
as $$
  select jsonb_path_query_first(attributes, '$[*] ? (@.name == "brand").value') #>> '{}'
$$;
comment on function private.brand is 'The brand of a product: its attribute of that name.';

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
  if scale(trim_scale(new.price)) > exponent then
    perform private.refuse(
      'VALIDATION_ERROR', format('A price in this currency has at most %s decimals.', exponent),
      'price', to_jsonb(new.price)
    );
  end if;
  return new;
end
$$;
comment on function private.check_price() is 'Row trigger: refuses a price finer than its currency.';

create function private.adopt_currency() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.currency is null and new.marketplace_id is not null then
    select m.currency into new.currency
    from public.marketplaces m
    where m.tenant_id = new.tenant_id and m.id = new.marketplace_id;
    if not found then
      perform private.refuse(
        'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(new.marketplace_id)
      );
    end if;
  end if;
  return new;
end
$$;
comment on function private.adopt_currency() is 'Row trigger: a product costs what it costs in its marketplace''s currency.';

create function private.open_inventory() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_table_name = 'products' then
    insert into public.inventory (tenant_id, product_id) values (new.tenant_id, new.id);
  else
    insert into public.inventory (tenant_id, product_id, variant_id)
    values (new.tenant_id, new.product_id, new.id);
  end if;
  return null;
end
$$;
comment on function private.open_inventory() is 'Row trigger: whatever can be sold has a row of stock.';

create function private.follow_stock() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  affected uuid[];
begin
  select array_agg(distinct n.product_id) into affected
  from new_inventory n
  join old_inventory o on o.id = n.id
  where (n.quantity - n.reserved > 0) <> (o.quantity - o.reserved > 0);
  if affected is null then
    return null;
  end if;

  -- Two variants may run out in two transactions at once: whoever comes second counts after the
  -- first has committed. Locks are taken in the order of ids, so that nobody waits in a circle.
  perform 1 from public.products p where p.id = any (affected) order by p.id for no key update;

  update public.products p
  set status = case when stock.available > 0 then 'active' else 'out_of_stock' end::public.product_status
  from (
    select i.product_id, sum(i.quantity - i.reserved) as available
    from public.inventory i
    where i.product_id = any (affected)
    group by i.product_id
  ) as stock
  where p.id = stock.product_id
    and p.track_inventory
    and p.status = case when stock.available > 0 then 'out_of_stock' else 'active' end::public.product_status;
  return null;
end
$$;
comment on function private.follow_stock() is
  'Statement trigger: a physical product whose last piece is taken is out_of_stock, and active again when there are more.';

create function private.check_product_move() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Stock moves a product to and from out_of_stock (follow_stock); nobody does so by hand.
  if current_user in ('anon', 'authenticated')
    and old.status is distinct from new.status
    and (new.status = 'out_of_stock' or old.status = 'out_of_stock' and new.status <> 'discontinued')
  then
    perform private.refuse(
      'INVALID_TRANSITION', 'Only its stock moves a product to and from out_of_stock.', 'status', to_jsonb(new.status)
    );
  end if;
  return new;
end
$$;
comment on function private.check_product_move() is 'Row trigger: out_of_stock is not set by hand.';

insert into private.status_moves (subject, from_status, to_status) values
  ('products', 'active', 'out_of_stock'),
  ('products', 'out_of_stock', 'active');

create view public.product_details with (security_invoker = true) as
select
  p.id, p.tenant_id, p.marketplace_id, p.supplier_id, p.category_id, p.kind, p.track_inventory, p.name, p.description,
  p.price, p.currency, p.images, p.attributes, p.status, p.created_at, p.updated_at,
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', v.id, 'name', v.name, 'sku', v.sku, 'price', coalesce(v.price, p.price),
          'inventory', jsonb_build_object('quantity', i.quantity, 'reserved', i.reserved)
        )
        order by v.position, v.id
      ),
      '[]'
    )
    from public.product_variants v
    join public.inventory i on i.tenant_id = v.tenant_id and i.product_id = v.product_id and i.variant_id = v.id
    where v.tenant_id = p.tenant_id and v.product_id = p.id
  ) as variants,
  (
    select jsonb_build_object(
      'quantity', coalesce(sum(i.quantity), 0), 'reserved', coalesce(sum(i.reserved), 0)
    )
    from public.inventory i
    where i.tenant_id = p.tenant_id and i.product_id = p.id
  ) as inventory
from public.products p;
comment on view public.product_details is 'The whole record of a product, its variants and its stock, as the API answers it.';

create function public.create_product(
  name text,
  price numeric,
  description text default '',
  currency text default null,
  marketplace_id uuid default null,
  supplier_id uuid default null,
  category_id uuid default null,
  kind public.product_kind default 'physical',
  track_inventory boolean default null,
  status public.product_status default 'active',
  images jsonb default '[]',
  attributes jsonb default '[]',
  variants jsonb default '[]',
  inventory jsonb default '{}'
) returns jsonb
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  created uuid;
  listed jsonb;
begin
  if create_product.status not in ('draft', 'active') then
    perform private.refuse(
      'VALIDATION_ERROR', 'A product starts as draft or active.', 'status', to_jsonb(create_product.status)
    );
  end if;

  insert into public.products
    (name, price, description, currency, marketplace_id, supplier_id, category_id, kind, track_inventory, status, images, attributes)
  values (
    create_product.name, create_product.price, create_product.description, create_product.currency,
    coalesce(create_product.marketplace_id, private.sole_marketplace_id()),
    coalesce(create_product.supplier_id, private.supplier_id()),
    create_product.category_id, create_product.kind,
    coalesce(create_product.track_inventory, create_product.kind = 'physical'), create_product.status,
    create_product.images, create_product.attributes
  )
  returning id into created;

  select coalesce(jsonb_agg(sent.value || jsonb_build_object('id', gen_random_uuid(), 'position', sent.position)), '[]')
  into listed
  from jsonb_array_elements(create_product.variants) with ordinality as sent (value, position);

  insert into public.product_variants (id, product_id, name, sku, price, position)
  select v.id, created, v.name, v.sku, v.price, v.position
  from jsonb_to_recordset(listed) as v (id uuid, name text, sku text, price numeric, position integer);

  update public.inventory i
  set quantity = stock.quantity
  from (
    select null::uuid as variant_id, (create_product.inventory ->> 'quantity')::integer as quantity
    union all
    select v.id, (v.inventory ->> 'quantity')::integer
    from jsonb_to_recordset(listed) as v (id uuid, inventory jsonb)
  ) as stock
  where i.product_id = created
    and i.variant_id is not distinct from stock.variant_id
    and stock.quantity <> 0;

  return (select to_jsonb(d) from public.product_details d where d.id = created);
end
$$;
comment on function public.create_product is
  'Lists a product with its variants and their stock, all or nothing, and answers its whole record.';

create function public.list_products(
  search text default null,
  category uuid default null,
  price_min numeric default null,
  price_max numeric default null,
  marketplace_id uuid default null,
  supplier_id uuid default null,
  status public.product_status default null,
  brand text default null,
  sort text default 'created_at',
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language sql stable set search_path = ''
as $$
  with recursive
  branch (id) as (
    select c.id from public.categories c where c.id = list_products.category
    union
    select c.id from branch b join public.categories c on c.parent_id = b.id
  ),
  found as materialized (
    select
      p.id, p.price, p.category_id, private.brand(p.attributes) as brand,
      row_number() over (
        order by
          case when "order" = 'asc' and sort = 'name' then p.name end,
          case when "order" = 'desc' and sort = 'name' then p.name end desc,
          case when "order" = 'asc' and sort = 'price' then p.price end,
          case when "order" = 'desc' and sort = 'price' then p.price end desc,
          case when "order" = 'asc' then case sort when 'created_at' then p.created_at when 'updated_at' then p.updated_at end end,
          case when "order" = 'desc' then case sort when 'created_at' then p.created_at when 'updated_at' then p.updated_at end end desc,
          p.id
      ) as position
    from public.products p
    where p.tenant_id = (select private.tenant_id())
      and (list_products.marketplace_id is null or p.marketplace_id = list_products.marketplace_id)
      and (list_products.supplier_id is null or p.supplier_id = list_products.supplier_id)
      and case
        when list_products.status is null then p.status <> 'discontinued'
        else p.status = list_products.status
      end
      and (list_products.category is null or p.category_id in (select b.id from branch b))
      and (list_products.brand is null or private.brand(p.attributes) = list_products.brand)
      and (list_products.price_min is null or p.price >= list_products.price_min)
      and (list_products.price_max is null or p.price <= list_products.price_max)
      and (
        list_products.search is null
        or strpos(lower(p.name), lower(list_products.search)) > 0
      )
  ),
  asked as (
    select (greatest(page, 1)::bigint - 1) * size as skipped, size
    from (select least(greatest("limit", 1), 1000) as size) as cut
  ),
  shown as (
    select f.id, f.position
    from found f, asked
    where f.position > asked.skipped and f.position <= asked.skipped + asked.size
  )
  select jsonb_build_object(
    'products', (
      select coalesce(jsonb_agg(to_jsonb(d) order by s.position), '[]')
      from shown s
      join public.product_details d on d.id = s.id
    ),
    'total', (select count(*) from found),
    'filters', jsonb_build_object(
      'categories', (
        select coalesce(jsonb_agg(to_jsonb(c) order by c.count desc, c.name), '[]')
        from (
          select c.id, c.name, count(*) as count
          from found f
          join public.categories c on c.id = f.category_id
          group by c.id, c.name
        ) as c
      ),
      'price_range', (select jsonb_build_array(coalesce(min(f.price), 0), coalesce(max(f.price), 0)) from found f),
      'brands', (
        select coalesce(jsonb_agg(to_jsonb(b) order by b.count desc, b.name), '[]')
        from (select f.brand as name, count(*) as count from found f where f.brand is not null group by f.brand) as b
      )
    )
  )
$$;
comment on function public.list_products is
  'A page of the products the caller may see, with total and facets over the whole result, in one answer.';

-- triggers -------------------------------------------------------------------------------------

create trigger categories_are_changed_by_admins
  before insert or update or delete on public.categories
  for each statement execute function private.only_for('admin');

create trigger products_are_changed_by_admins_and_suppliers
  before insert or update or delete on public.products
  for each statement execute function private.only_for('admin', 'supplier');

create trigger products_adopt_currency
  before insert on public.products
  for each row execute function private.adopt_currency();

create trigger products_check_price
  before insert or update of price, currency on public.products
  for each row execute function private.check_price();

create trigger product_variants_check_price
  before insert or update of price on public.product_variants
  for each row when (new.price is not null) execute function private.check_price();

create trigger products_check_product_move
  before update of status on public.products
  for each row execute function private.check_product_move();

create trigger products_check_status_move
  before update of status on public.products
  for each row execute function private.check_status_move();

create trigger products_touch
  before update on public.products
  for each row execute function private.touch();

create trigger products_open_inventory
  after insert on public.products
  for each row execute function private.open_inventory();

create trigger product_variants_open_inventory
  after insert on public.product_variants
  for each row execute function private.open_inventory();

create trigger inventory_touch
  before update on public.inventory
  for each row execute function private.touch();

create trigger inventory_moves_the_product
  after update on public.inventory
  referencing old table as old_inventory new table as new_inventory
  for each statement execute function private.follow_stock();

-- policies -------------------------------------------------------------------------------------

alter table public.categories enable row level security;
alter table public.products enable row level security;
alter table public.product_variants enable row level security;
alter table public.inventory enable row level security;

create policy "Members see their tenant's categories" on public.categories
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Admins create categories" on public.categories
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins change categories" on public.categories
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins and clients see all products, suppliers their own, customers what is for sale" on public.products
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then
        status = 'active' and marketplace_id in (select private.active_marketplace_ids())
      when 'supplier' then supplier_id = (select private.supplier_id())
      else true
    end
  );

create policy "Admins list any product, suppliers their own" on public.products
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'admin' then true
      when 'supplier' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins change any product, suppliers their own" on public.products
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'admin' then true
      when 'supplier' then supplier_id = (select private.supplier_id())
      else false
    end
  )
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'admin' then true
      when 'supplier' then supplier_id = (select private.supplier_id())
      else false
    end
  );

-- A scalar subquery looks the one product up; `exists` may be planned as a hash of all that the caller sees.
create policy "Whoever sees a product sees its variants" on public.product_variants
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins make variants of any product, suppliers of their own" on public.product_variants
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  );

create policy "Whoever sees a product sees its stock" on public.inventory
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins count the stock of any product, suppliers of their own" on public.inventory
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  )
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  );

-- grants ---------------------------------------------------------------------------------------

grant select on public.categories, public.products, public.product_variants, public.inventory,
  public.product_details to authenticated;
grant insert (parent_id, name, attributes), update (parent_id, name, attributes)
  on public.categories to authenticated;
grant insert (marketplace_id, supplier_id, category_id, kind, track_inventory, name, description, price, currency, images, attributes, status)
  on public.products to authenticated;
grant update (category_id, name, description, price, images, attributes, status)
  on public.products to authenticated;
grant insert (id, product_id, name, sku, price, position) on public.product_variants to authenticated;
grant update (quantity) on public.inventory to authenticated;
grant all on public.categories, public.products, public.product_variants, public.inventory,
  public.product_details to service_role;
grant execute on function private.brand to authenticated, service_role;
grant execute on function public.create_product, public.list_products to authenticated;
