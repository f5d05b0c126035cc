-- Recommendations: products that match the meaning of a query, products like another one, and best sellers.

-- meaning --------------------------------------------------------------------------------------

-- A server without vectors lacks what these two call, and they find nothing there.

create function private.products_meant(
  query text,
  embedding text,
  branch uuid[],
  filters private.product_filters,
  wanted integer
) returns table (id uuid, closeness double precision)
language plpgsql stable security definer set search_path = ''
as $$
begin
  if to_regclass('private.product_embeddings') is not null then
    return query
      select c.id, c.closeness
      from private.products_close_to(
        private.query_meaning(private.tenant_id(), products_meant.query, products_meant.embedding), null, branch, filters,
        wanted
      ) c;
  end if;
end
$$;
comment on function private.products_meant is
  'What the caller sees of the products nearest in meaning to a query, nearest first. embedding: the query''s vector, if a provider outside makes them. Only vectors of the model in use are compared.';

create function private.products_near(product_id uuid, wanted integer)
returns table (id uuid, closeness double precision)
language plpgsql stable security definer set search_path = ''
as $$
begin
  if to_regclass('private.product_embeddings') is not null then
    return query select c.id, c.closeness from private.products_close_to_product(products_near.product_id, wanted) c;
  end if;
end
$$;
comment on function private.products_near is
  'The products that the caller sees and that are nearest in meaning to one that it sees, nearest first.';

-- tables ---------------------------------------------------------------------------------------

-- Every order inserts its sales as new rows, and a job adds them to product_sales each minute. Readers add both, so
-- they are always up to date. If orders updated a row per product and day, all orders of a product would wait for its
-- lock until they commit, and could deadlock with the locks of stock.

create table private.product_sales (
  tenant_id uuid not null,
  date date not null,
  product_id uuid not null,
  quantity bigint not null,
  revenue numeric not null,
  constraint product_sales_pkey primary key (tenant_id, date, product_id),
  constraint product_sales_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint product_sales_revenue_is_of_at_most_4_decimals check (scale(revenue) <= 4)
);
comment on table private.product_sales is
  'The pieces of each product that were ordered per day (UTC), minus those that were cancelled, returned or lost since, and their revenue; without what still waits in new_sales.';

create table private.new_sales (
  id bigint generated always as identity,
  tenant_id uuid not null,
  date date not null,
  product_id uuid not null,
  quantity bigint not null,
  revenue numeric not null,
  constraint new_sales_pkey primary key (tenant_id, id),
  constraint new_sales_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint new_sales_revenue_is_of_at_most_4_decimals check (scale(revenue) <= 4)
);
comment on table private.new_sales is
  'Sales that are still to be added to product_sales: a row for each product of a new order, and a negative one for the same day when pieces are cancelled, returned or lost.';

-- indexes --------------------------------------------------------------------------------------

create index product_sales_product_idx on private.product_sales (tenant_id, product_id);
create index product_sales_date_idx on private.product_sales (date);
create index new_sales_tenant_id_date_idx on private.new_sales (tenant_id, date);
create index new_sales_product_idx on private.new_sales (tenant_id, product_id);

-- functions ------------------------------------------------------------------------------------

create function private.count_items() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into private.new_sales (tenant_id, date, product_id, quantity, revenue)
    select
      o.tenant_id, (o.created_at at time zone 'UTC')::date, i.product_id, sum(i.sold_quantity),
      sum(i.price * i.sold_quantity)
    from new_items i
    join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
    group by o.tenant_id, o.id, i.product_id
    having sum(i.sold_quantity) <> 0;
  elsif tg_op = 'UPDATE' then
    insert into private.new_sales (tenant_id, date, product_id, quantity, revenue)
    select
      o.tenant_id, (o.created_at at time zone 'UTC')::date, i.product_id, sum(i.sign * i.sold_quantity),
      sum(i.sign * i.price * i.sold_quantity)
    from (
      select -1 as sign, old_items.* from old_items
      union all
      select 1, new_items.* from new_items
    ) as i
    join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
    group by o.tenant_id, o.id, i.product_id
    having sum(i.sign * i.price * i.sold_quantity) <> 0 or sum(i.sign * i.sold_quantity) <> 0;
  else
    -- Finds nothing if the order is deleted with its items. Then uncount_order subtracts its sales.
    insert into private.new_sales (tenant_id, date, product_id, quantity, revenue)
    select
      o.tenant_id, (o.created_at at time zone 'UTC')::date, i.product_id, -sum(i.sold_quantity),
      -sum(i.price * i.sold_quantity)
    from old_items i
    join public.orders o on o.tenant_id = i.tenant_id and o.id = i.order_id
    group by o.tenant_id, o.id, i.product_id
    having sum(i.sold_quantity) <> 0;
  end if;
  return null;
end
$$;
comment on function private.count_items() is
  'Statement trigger: adds the sales of new items, and subtracts pieces that are cancelled, returned or lost.';

create function private.uncount_order() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- If the tenant is deleted, all these rows are deleted too.
  if private.is_tenant_kept(old.tenant_id) then
    insert into private.new_sales (tenant_id, date, product_id, quantity, revenue)
    select
      i.tenant_id, (old.created_at at time zone 'UTC')::date, i.product_id, -sum(i.sold_quantity),
      -sum(i.price * i.sold_quantity)
    from public.order_items i
    where i.tenant_id = old.tenant_id and i.order_id = old.id
    group by i.tenant_id, i.product_id
    having sum(i.sold_quantity) <> 0;
  end if;
  return old;
end
$$;
comment on function private.uncount_order() is 'Row trigger: subtracts the sales of a deleted order.';

create function private.add_up_sales() returns void
language sql security definer set search_path = ''
as $$
  with taken as (
    delete from private.new_sales n
    where true
    returning n.tenant_id, n.date, n.product_id, n.quantity, n.revenue
  )
  insert into private.product_sales as s (tenant_id, date, product_id, quantity, revenue)
  select t.tenant_id, t.date, t.product_id, sum(t.quantity), sum(t.revenue)
  from taken t
  group by t.tenant_id, t.date, t.product_id
  order by t.tenant_id, t.date, t.product_id
  on conflict (tenant_id, date, product_id) do update
  set quantity = s.quantity + excluded.quantity, revenue = s.revenue + excluded.revenue
$$;
comment on function private.add_up_sales() is
  'For a job: adds new_sales to product_sales, in one step for all readers.';

create function private.is_in_stock(product_id uuid, track_inventory boolean) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return not track_inventory or (
    select s.quantity > s.reserved from private.product_stocks s where s.product_id = is_in_stock.product_id
  );
end
$$;
comment on function private.is_in_stock is 'Whether the stock of a product allows to buy it now.';

create function private.best_sellers(marketplace_id uuid, branch uuid[], days integer, wanted integer)
returns table (id uuid, sales_count bigint)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  since date := (now() at time zone 'UTC')::date - days + 1;
  -- Revenues in several currencies cannot be compared.
  by_revenue boolean := best_sellers.marketplace_id is not null or cardinality(private.currencies_in_use()) < 2;
begin
  return query
    select best.product_id, best.quantity
    from (
      select sold.product_id, sum(sold.quantity)::bigint as quantity,
        sum(case when by_revenue then sold.revenue end) as revenue
      from (
        select s.product_id, s.quantity, s.revenue
        from private.product_sales s
        where s.tenant_id = tenant and s.date >= since
        union all
        select n.product_id, n.quantity, n.revenue
        from private.new_sales n
        where n.tenant_id = tenant and n.date >= since
      ) as sold
      group by sold.product_id
      having sum(sold.quantity) > 0
      order by quantity desc, revenue desc, product_id
    ) as best
    -- Looked up one by one, best first, until there are enough.
    cross join lateral (
      select p.track_inventory
      from public.products p
      where p.id = best.product_id
        and p.tenant_id = tenant
        and p.status = 'active'
        and (best_sellers.marketplace_id is null or p.marketplace_id = best_sellers.marketplace_id)
        and (branch is null or p.category_id = any (branch))
        and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
      limit 1
    ) as p
    where private.is_in_stock(best.product_id, p.track_inventory)
    order by best.quantity desc, best.revenue desc, best.product_id
    limit wanted;
end
$$;
comment on function private.best_sellers is
  'The products for sale that the caller sees and of which most pieces were sold in the last days (today is one), with that number. Products with equal numbers are ordered by revenue if the tenant has one currency or a marketplace is named.';

create function private.words_of_name(product_id uuid, out singles tsquery, out pairs tsquery)
language plpgsql stable security definer set search_path = ''
as $$
declare
  names text[];
begin
  names := array(
    select format('%L:A', l.lexeme)
    from private.product_texts t
    cross join unnest(t.document) as l
    where t.product_id = words_of_name.product_id and 'A' = any (l.weights)
    limit 12
  );
  singles := array_to_string(names, ' | ')::tsquery;
  pairs := (
    select string_agg(a.word || ' & ' || b.word, ' | ')::tsquery
    from unnest(names) with ordinality as a (word, place)
    join unnest(names) with ordinality as b (word, place) on b.place > a.place
  );
end
$$;
comment on function private.words_of_name is
  'Queries for the first 12 words of a product''s name: singles finds any of them, pairs any two.';

create function private.candidates_like(origin public.products, branch uuid[], singles tsquery, pairs tsquery)
returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
  -- In each category of the branch, products that cost a little less or a little more.
  select near.id
  from unnest(branch) as c (id)
  cross join lateral (
    (
      select p.id
      from public.products p
      where p.tenant_id = origin.tenant_id
        and p.category_id = c.id
        and p.lowest_price <= origin.lowest_price
        and p.status = 'active'
        and p.marketplace_id = origin.marketplace_id
      order by p.lowest_price desc
      limit 100
    )
    union all
    (
      select p.id
      from public.products p
      where p.tenant_id = origin.tenant_id
        and p.category_id = c.id
        and p.lowest_price > origin.lowest_price
        and p.status = 'active'
        and p.marketplace_id = origin.marketplace_id
      order by p.lowest_price
      limit 100
    )
  ) as near
  union
  -- In all categories, products that share two words of the name, and some that share one.
  select shared.product_id
  from (values (pairs), (singles)) as asked (words)
  cross join lateral (
    select t.product_id
    from private.product_texts t
    cross join lateral (
      select
      from public.products p
      where p.id = t.product_id and p.status = 'active' and p.marketplace_id = origin.marketplace_id
      limit 1
    ) as p
    where t.document @@ asked.words
      -- With `=`, Postgres might use the tenant's index and read all its rows.
      and t.tenant_id is not distinct from origin.tenant_id
    limit 100
  ) as shared;
end
$$;
comment on function private.candidates_like is
  'Active products of the same marketplace that may be like a product (origin): up to 200 of each category of its branch, nearest in price, and up to 200 that share words of its name. Runs with the planner settings of its caller, products_like.';

create function private.products_like(product_id uuid, wanted integer)
returns table (id uuid, likeness double precision)
-- Planned once: 0.32 ms without, 0.20 with, for a product.
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  viewer text := private.reach('products.read');
  own_supplier uuid := private.supplier_id();
  active_marketplaces uuid[] := private.active_marketplace_ids();
  origin public.products;
  branch uuid[];
  words record;
begin
  select p.* into origin
  from public.products p
  where p.id = products_like.product_id
    and p.tenant_id = tenant
    and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status);
  branch := private.category_branch(tenant, origin.category_id);

  words := private.words_of_name(origin.id);

  return query
    with candidate as materialized (
      select c.id from private.candidates_like(origin, branch, words.singles, words.pairs) as c (id)
    )
    select best.id, best.likeness
    from (
      select
        c.id, p.track_inventory,
        0.5 * extensions.similarity(p.name, origin.name)
          + case when p.category_id = origin.category_id then 0.3 when p.category_id = any (branch) then 0.15 else 0 end
          + case
              when greatest(p.lowest_price, origin.lowest_price) = 0 then 0.2
              else 0.2 * (least(p.lowest_price, origin.lowest_price) / greatest(p.lowest_price, origin.lowest_price))::double precision
            end as likeness
      from candidate c
      cross join lateral (
        select p.name, p.category_id, p.lowest_price, p.track_inventory
        from public.products p
        where p.id = c.id
          -- With `=`, a plan from when the table was small would read the whole marketplace.
          and p.tenant_id is not distinct from tenant
          and p.status = 'active'
          and p.marketplace_id = origin.marketplace_id
          and private.is_shown_to(viewer, own_supplier, active_marketplaces, p.supplier_id, p.marketplace_id, p.status)
        limit 1
      ) as p
      where c.id <> origin.id
      order by likeness desc, c.id
      -- Stock is read afterwards, most similar products first, until there are enough.
      offset 0
    ) as best
    where private.is_in_stock(best.id, best.track_inventory)
    order by best.likeness desc, best.id
    limit wanted;
end
$$;
comment on function private.products_like is
  'The products that the caller sees and that could be bought instead of a product on its marketplace: those in its category and below it, and those that share words of its name. likeness, from 0 to 1: how similar their names, categories and prices are.';

create function private.check_meaning_search(query text, "limit" integer) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if (char_length(btrim(query)) between 1 and 200) is not true then
    perform private.refuse('VALIDATION_ERROR', 'query must have 1 to 200 characters.', 'query', to_jsonb(query));
  elsif ("limit" between 1 and 100) is not true then
    perform private.refuse('VALIDATION_ERROR', 'limit must be from 1 to 100.', 'limit', to_jsonb("limit"));
  end if;
end
$$;
comment on function private.check_meaning_search is
  'Refuses with VALIDATION_ERROR an empty query or one of more than 200 characters, and a limit that is not from 1 to 100.';

create function public.search_by_meaning(
  query text,
  embedding text default null,
  category uuid[] default null,
  price_min numeric default null,
  price_max numeric default null,
  marketplace_id uuid default null,
  currency text default null,
  supplier_id uuid default null,
  brand text[] default null,
  attributes jsonb default null,
  "limit" integer default 20
) returns json
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  asked text := btrim(private.searched(search_by_meaning.query));
  branch uuid[] := private.category_branches(private.tenant_id(), search_by_meaning.category);
  filters private.product_filters;
  ids uuid[];
  relevance_scores double precision[];
begin
  perform private.members_only();
  perform private.check_meaning_search(search_by_meaning.query, "limit");
  filters := private.product_filters(
    row(
      search_by_meaning.price_min, search_by_meaning.price_max, null, search_by_meaning.supplier_id, null,
      search_by_meaning.brand, null, null, null
    ),
    search_by_meaning.marketplace_id, search_by_meaning.currency, search_by_meaning.attributes
  );

  -- Reciprocal rank fusion combines the positions in both lists, because scores of words and of meaning cannot be
  -- compared. Words count twice, because a product with all words matches more surely than one with a similar meaning.
  -- The constant 10 keeps one first position from outweighing two good ones. A product that is first in both lists
  -- scores 1. bench/search compares other numbers.
  with worded as (
    select f.id, f.has_all, row_number() over (order by f.relevance desc, f.created_at desc, f.id) as place
    from private.products_found(asked, branch, filters) f
    order by place
    limit 100
  ),
  meant as (
    select m.id, rank() over (order by m.closeness desc) as place
    from private.products_meant(asked, search_by_meaning.embedding, branch, filters, 100) m
  ),
  fused as (
    select
      listed.id, sum(listed.weight * 11 / (10 + listed.place)::double precision) / 3 as score,
      min(listed.place) as best_place,
      bool_or(listed.worded) as worded
    from (
      select w.id, w.place, case when w.has_all then 2 else 0.5 end as weight, true as worded from worded w
      union all
      select m.id, m.place, 1, false from meant m
    ) as listed
    group by listed.id
    -- Products that match by words come first among equal scores.
    order by score desc, worded desc, best_place, id
    limit "limit"
  )
  select
    array_agg(f.id order by f.score desc, f.worded desc, f.best_place, f.id),
    array_agg(f.score order by f.score desc)
  into ids, relevance_scores
  from fused f;

  return json_build_object(
    'products', private.product_page(ids, relevance_scores, null),
    'relevance_scores', coalesce(array_to_json(relevance_scores), '[]')
  );
end
$$;
comment on function public.search_by_meaning is
  'The products that match a query best, by its words and its meaning together, each with a score from 0 to 1. embedding: the vector of the query, optionally after the name of its model; without it the built-in model computes the meaning. In a tenant with several currencies price_min and price_max require a marketplace_id or a currency.';

-- triggers -------------------------------------------------------------------------------------

create trigger order_items_count_sales
  after insert on public.order_items
  referencing new table as new_items
  for each statement execute function private.count_items();

create trigger order_items_count_sales_that_change
  after update on public.order_items
  referencing old table as old_items new table as new_items
  for each statement execute function private.count_items();

create trigger order_items_count_sales_that_go
  after delete on public.order_items
  referencing old table as old_items
  for each statement execute function private.count_items();

create trigger orders_uncount_sales
  before delete on public.orders
  for each row execute function private.uncount_order();

-- policies -------------------------------------------------------------------------------------

alter table private.product_sales enable row level security;
alter table private.new_sales enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.check_meaning_search, private.products_meant, private.products_near, private.is_in_stock, private.best_sellers, private.products_like
to authenticated, service_role;
grant execute on function public.search_by_meaning to authenticated;
