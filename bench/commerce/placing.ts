import type { ChildProcess } from "node:child_process";
import { join, resolve } from "node:path";
import pg from "pg";
import { start } from "../servers.js";

/** The marketplace of the demo, and its products. */
export const MARKETPLACE = "d0000000-0000-4000-8000-0000000000d0";
export const PRODUCTS = [11, 12, 13, 14, 15].map((n) => `d0000000-0000-4000-8000-0000000000${n}`);

/** A stack with the demo, whose products are in stock for any number of orders. */
export interface Demo {
  stack: ChildProcess;
  client: pg.Client;
}

/** Starts the stack of the repository in `folder`, with its demo in memory. */
export async function openDemo(folder: string): Promise<Demo> {
  const root = resolve(folder);
  const cli = join(root, "packages/stack/src/cli.ts");
  const options = ["start", "--port", "0", "--json", "--postgres", "--data", "memory"];
  const [stack, ready] = await start(root, cli, options);
  const client = new pg.Client({ connectionString: JSON.parse(ready).db_url });
  await client.connect();
  client.on("error", () => {});
  await client.query(`
    update public.inventory set quantity = 1000000 where product_id = any ('{${PRODUCTS}}');
    update public.marketplaces
    set settings = jsonb_set(settings, '{business}', coalesce(settings -> 'business', '{}')
      || '{"max_unpaid_orders": 1000000, "max_unpaid_pieces": 1000000}')
    where id = '${MARKETPLACE}';
    update private.caps set value = 1000000000 where name = 'events_per_minute';
  `);
  // Otherwise autovacuum gives one of several stacks its statistics before the others.
  await client.query("vacuum analyze");
  return { stack, client };
}

/** One piece of each of these products, at its price, as the items of an order. */
export async function itemsOf({ client }: Demo, products: string[]): Promise<string> {
  const { rows } = await client.query("select id, price from public.products where id = any ($1)", [
    products,
  ]);
  const prices = new Map(rows.map(({ id, price }) => [id, Number(price)]));
  return JSON.stringify(
    products.map((id) => ({ product_id: id, quantity: 1, price: prices.get(id) })),
  );
}

/** A function that places an order for the demo's customer as this person. */
export async function orderOf(
  { client }: Demo,
  email: string,
  items: string,
): Promise<() => Promise<void>> {
  const { rows } = await client.query(
    `select u.id, m.tenant_id, (
       select c.id from public.customers c join auth.users o on o.id = c.user_id
       where o.email = 'customer@demo.souk.test' and c.tenant_id = m.tenant_id
     ) as customer
     from auth.users u join public.members m on m.user_id = u.id where u.email = $1 limit 1`,
    [email],
  );
  const [{ id, tenant_id, customer }] = rows;
  const claims = JSON.stringify({ sub: id, role: "authenticated", tenant_id });
  return async () => {
    await client.query("begin");
    await client.query("select set_config('request.jwt.claims', $1, true)", [claims]);
    await client.query("set local role authenticated");
    await client.query(
      `select public.place_order(marketplace_id => $1, items => $2, customer_id => $3, delivery_method => 'pickup',
         shipping_address => '{"street": "1 Market Street", "city": "Fez", "postal_code": "30000", "country": "MA"}')`,
      [MARKETPLACE, items, customer],
    );
    await client.query("commit");
  };
}

/** The milliseconds of `times` calls, after three that are not counted. */
export async function timeOf(work: () => Promise<unknown>, times: number): Promise<number> {
  for (let n = 0; n < 3; n += 1) await work();
  const begin = performance.now();
  for (let n = 0; n < times; n += 1) await work();
  return performance.now() - begin;
}
