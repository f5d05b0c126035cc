import type pg from "pg";
import type { Wanted } from "../load.js";

/** The measured tenant, one of those in `fill.sql`. */
export interface Shop {
  marketplace: string;
  /** Categories with some hundred products each. */
  categories: string[];
  /** Words that occur in the names of some hundred products. */
  words: string[];
  /** Products without variants, so that an order needs no variant. */
  products: { id: string; price: number }[];
  /** The domains of all tenants' marketplaces. */
  domains: string[];
}

/** Number of the customers who place orders. */
export const BUYERS = 200;

/** A frequent request of a shop, through Souk and through the two it is compared with. */
export interface Case {
  name: string;
  status: number;
  /** Whether its requests are of many customers, because a customer's unpaid orders are limited and wait for each other. */
  byMany?: boolean;
  /** The minimum share that Souk must reach of one of the two. */
  goal: { of: "pgbench" | "bare"; least: number };
  /** The request to Souk. */
  wanted(shop: Shop, count: number): Pick<Wanted, "method" | "path" | "body">;
  /** The equivalent request to the bare server. */
  bare(shop: Shop, count: number): Pick<Wanted, "method" | "path" | "body">;
  /** The statement of the request, for pgbench; `:n` is a random number from 0 to 999,999. */
  sql?(shop: Shop): string;
}

const pick = <T>(from: readonly T[], count: number) => from[(count * 7919) % from.length] as T;
const api = "/functions/v1/api";

/** Returns the same order for both: one piece of one product. */
function order(shop: Shop, count: number): string {
  const { id, price } = pick(shop.products, count);
  return JSON.stringify({
    marketplace_id: shop.marketplace,
    items: [{ product_id: id, quantity: 1, price }],
    shipping_address: { street: "1 Market Street", city: "Fez", postal_code: "30000" },
  });
}

export const cases: readonly Case[] = [
  {
    name: "list 20 of a category by price",
    status: 200,
    goal: { of: "pgbench", least: 0.55 },
    wanted: (shop, count) => ({
      method: "GET",
      path: `${api}/products?category=${pick(shop.categories, count)}&sort=price&order=asc&limit=20`,
    }),
    bare: (shop, count) => ({ method: "GET", path: `/list?${pick(shop.categories, count)}` }),
    sql: ({
      categories,
    }) => `select public.list_products(category => array[c.id], sort => 'price', "order" => 'asc', "limit" => 20)
      from bench.categories c where c.n = :n % ${categories.length}`,
  },
  {
    name: "search",
    status: 200,
    goal: { of: "pgbench", least: 0.7 },
    wanted: (shop, count) => ({
      method: "GET",
      path: `${api}/products?search=${pick(shop.words, count)}&limit=20`,
    }),
    bare: (shop, count) => ({ method: "GET", path: `/search?${pick(shop.words, count)}` }),
    sql: ({ words }) => `select public.list_products(search => w.word, "limit" => 20)
      from bench.words w where w.n = :n % ${words.length}`,
  },
  {
    name: "get a product",
    status: 200,
    goal: { of: "pgbench", least: 0.2 },
    wanted: (shop, count) => ({
      method: "GET",
      path: `${api}/products/${pick(shop.products, count).id}`,
    }),
    bare: (shop, count) => ({ method: "GET", path: `/get?${pick(shop.products, count).id}` }),
    sql: ({ products }) => `select to_jsonb(d) from public.product_details d
      where d.id = (select p.id from bench.products p where p.n = :n % ${products.length})`,
  },
  {
    name: "place an order",
    status: 201,
    byMany: true,
    goal: { of: "pgbench", least: 0.9 },
    wanted: (shop, count) => ({
      method: "POST",
      path: `${api}/orders`,
      body: order(shop, count),
    }),
    bare: (shop, count) => ({ method: "POST", path: "/order", body: order(shop, count) }),
    sql: ({ products }) => `with buyer as materialized (
        select set_config('request.jwt.claims', b.claims, true) from bench.buyers b where b.n = :n % ${BUYERS}
      )
      select public.place_order(
        marketplace_id => p.marketplace_id,
        items => jsonb_build_array(jsonb_build_object('product_id', p.id, 'quantity', 1, 'price', p.price)),
        shipping_address => '{"street": "1 Market Street", "city": "Fez", "postal_code": "30000"}')
      from buyer, bench.products p where p.n = :n % ${products.length}`,
  },
  {
    name: "the storefront of a domain",
    status: 200,
    goal: { of: "pgbench", least: 0.1 },
    wanted: (shop, count) => ({
      method: "GET",
      path: `${api}/storefront?domain=${pick(shop.domains, count)}`,
    }),
    bare: (shop, count) => ({ method: "GET", path: `/storefront?${pick(shop.domains, count)}` }),
    sql: ({ domains }) => `select public.storefront(d.domain)
      from bench.domains d where d.n = :n % ${domains.length}`,
  },
  {
    name: "the same list by supabase-js",
    status: 200,
    goal: { of: "bare", least: 0.4 },
    wanted: (shop, count) => ({
      method: "GET",
      path: `/rest/v1/products?select=*&category_id=eq.${pick(shop.categories, count)}&order=price.asc&limit=20`,
    }),
    bare: (shop, count) => ({ method: "GET", path: `/list?${pick(shop.categories, count)}` }),
  },
];

/** The statements of the bare server, as written by hand without tenants and rules. */
export const bareSql = {
  list: `select p.id, p.name, p.description, p.price, p.currency, p.images, p.attributes, p.status
    from public.products p
    where p.tenant_id = (select tenant_id from bench.tenant) and p.category_id = $1 and p.status = 'active'
    order by p.price, p.id limit 20`,
  search: `select p.id, p.name, p.description, p.price, p.currency, p.images, p.attributes, p.status
    from public.products p
    where p.tenant_id = (select tenant_id from bench.tenant) and p.name ilike '%' || $1 || '%' and p.status = 'active'
    order by p.created_at desc, p.id limit 20`,
  get: `select p.*, i.quantity, i.reserved from public.products p
    join public.inventory i on i.product_id = p.id and i.tenant_id = p.tenant_id and i.variant_id is null
    where p.id = $1`,
  storefront: `select m.id, m.tenant_id, m.name, m.description, m.currency, m.language, m.domain, m.settings
    from public.marketplaces m where m.domain = $1 and m.status = 'active'`,
  order: `with taken as (
      update bench.stock s set reserved = s.reserved + 1
      where s.product_id = $1 and s.quantity > s.reserved
      returning s.product_id, s.price
    ),
    placed as (insert into bench.orders (total) select t.price from taken t returning id, total)
    insert into bench.order_items (order_id, product_id, quantity, price)
    select o.id, t.product_id, 1, t.price from placed o, taken t
    returning order_id`,
} as const;

/** Writes the claims of the buyers' tokens where pgbench finds them. */
export async function storeBuyers(db: pg.Client, claims: readonly object[]): Promise<void> {
  await db.query(
    `create table bench.buyers as
       select b.position::integer - 1 as n, b.claims
       from unnest($1::text[]) with ordinality as b (claims, position)`,
    [claims.map((one) => JSON.stringify(one))],
  );
  await db.query("grant select on bench.buyers to authenticated");
}

/**
 * Creates the schema `bench`: numbered rows for pgbench to choose from, and plain tables for the
 * bare server's orders.
 * Returns the measured shop.
 */
export async function openShop(db: pg.Client, tenant: string): Promise<Shop> {
  await db.query(`
    -- The stock is large enough for every order of the measurement.
    update public.inventory set quantity = 1000000 where tenant_id = '${tenant}';
    -- Nobody pays for what a benchmark orders.
    update public.marketplaces
    set settings = settings || '{"business": {"max_unpaid_orders": 1000000, "max_unpaid_pieces": 1000000}}'
    where tenant_id = '${tenant}';
    drop schema if exists bench cascade;
    create schema bench;
    create table bench.tenant as select '${tenant}'::uuid as tenant_id;
    create table bench.products as
      select row_number() over (order by p.id)::integer - 1 as n, p.id, p.price, p.marketplace_id
      from public.products p
      where p.tenant_id = '${tenant}' and p.status = 'active'
        and not exists (select 1 from public.product_variants v where v.product_id = p.id);
    create index on bench.products (n);
    create table bench.categories as
      select row_number() over (order by c.id)::integer - 1 as n, c.id
      from public.categories c
      where c.tenant_id = '${tenant}'
        and (select count(*) from public.products p where p.category_id = c.id) between 50 and 1000;
    create table bench.words as
      select row_number() over (order by word)::integer - 1 as n, word
      from (
        select w.word from public.products p, regexp_split_to_table(lower(p.name), '[^a-z]+') as w (word)
        where p.tenant_id = '${tenant}' and char_length(w.word) > 3
        group by w.word having count(*) between 20 and 1000
        order by w.word limit 50
      ) as found;
    create table bench.domains as
      select row_number() over (order by m.domain)::integer - 1 as n, m.domain
      from public.marketplaces m where m.status = 'active';
    create index on bench.domains (n);
    create table bench.stock as
      select p.id as product_id, p.price, 1000000 as quantity, 0 as reserved from bench.products p;
    alter table bench.stock add primary key (product_id);
    create table bench.orders (id bigint generated always as identity primary key, total numeric, placed_at timestamptz default now());
    create table bench.order_items (order_id bigint, product_id uuid, quantity integer, price numeric);
    create index on bench.order_items (order_id);
    grant usage on schema bench to authenticated;
    grant select on all tables in schema bench to authenticated;
  `);
  const of = async <T>(sql: string) => (await db.query(sql)).rows as T[];
  const products = await of<{ id: string; price: string; marketplace_id: string }>(
    "select id, price, marketplace_id from bench.products order by n",
  );
  const categories = await of<{ id: string }>("select id from bench.categories order by n");
  const words = await of<{ word: string }>("select word from bench.words order by n");
  const domains = await of<{ domain: string }>("select domain from bench.domains order by n");
  if (products.length < 5000 || categories.length < 10 || words.length < 10) {
    throw new Error("fill.sql created another shop than this benchmark measures");
  }
  return {
    marketplace: products[0]?.marketplace_id as string,
    categories: categories.map(({ id }) => id),
    words: words.map(({ word }) => word),
    products: products.map(({ id, price }) => ({ id, price: Number(price) })),
    domains: domains.map(({ domain }) => domain),
  };
}
