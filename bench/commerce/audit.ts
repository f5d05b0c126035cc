// Measures what the audit log costs an order, in turn with the same orders without its triggers, in Postgres alone:
// `npm run bench -- commerce/audit`. Fails above 2 %.
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { median, progress, start, stop } from "../servers.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    orders: { type: "string", default: "25" },
  },
});
const MOST = 1.02;
const MARKETPLACE = "d0000000-0000-4000-8000-0000000000d0";

const cli = fileURLToPath(new URL("../../packages/stack/src/cli.ts", import.meta.url));
const children: ChildProcess[] = [];
try {
  progress("starting the stack");
  const options = ["start", "--port", "0", "--json", "--postgres", "--data", "memory"];
  const [stack, ready] = await start(process.cwd(), cli, options);
  children.push(stack);
  const client = new pg.Client({ connectionString: JSON.parse(ready).db_url });
  await client.connect();
  client.on("error", () => {});
  await prepare(client);
  const callers = { customer: "customer@demo.souk.test", admin: "operator@demo.souk.test" };
  for (const [name, email] of Object.entries(callers)) {
    const place = await orderOf(client, email);
    const ratios: number[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const times = { with: 0, without: 0 };
      for (const arm of round % 2
        ? (["with", "without"] as const)
        : (["without", "with"] as const)) {
        await client.query(`select pg_temp.switch_audit($1)`, [arm === "with"]);
        for (let n = 0; n < 3; n += 1) await place();
        const begin = performance.now();
        for (let n = 0; n < Number(values.orders); n += 1) await place();
        times[arm] = performance.now() - begin;
      }
      ratios.push(times.with / times.without);
    }
    const ratio = median(ratios);
    console.log(
      `an order of the ${name}: ${(100 * (ratio - 1)).toFixed(1)} % more with the audit log`,
    );
    if (ratio > MOST) process.exitCode = 1;
  }
  await client.end();
} finally {
  for (const child of children) await stop(child);
}

/** Gives the product stock, and a function that switches the triggers of the audit log. */
async function prepare(client: pg.Client): Promise<void> {
  await client.query(`
    create function pg_temp.switch_audit(is_on boolean) returns void language plpgsql as $$
    declare t record;
    begin
      for t in
        select tgrelid::regclass as relation, tgname from pg_trigger where tgname like '\\_audit\\_%'
      loop
        execute format('alter table %s %s trigger %I', t.relation, case when is_on then 'enable' else 'disable' end, t.tgname);
      end loop;
    end $$;
    update public.inventory set quantity = 1000000 where product_id = 'd0000000-0000-4000-8000-000000000014';
    update public.marketplaces
    set settings = jsonb_set(settings, '{business}', coalesce(settings -> 'business', '{}')
      || '{"max_unpaid_orders": 1000000, "max_unpaid_pieces": 1000000}')
    where id = '${MARKETPLACE}';
    update private.caps set value = 1000000000 where name = 'events_per_minute';
  `);
}

/** A function that places an order as this person. */
async function orderOf(client: pg.Client, email: string): Promise<() => Promise<void>> {
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
  const product = "d0000000-0000-4000-8000-000000000014";
  const { rows: prices } = await client.query("select price from public.products where id = $1", [
    product,
  ]);
  const items = JSON.stringify([
    { product_id: product, quantity: 1, price: Number(prices[0].price) },
  ]);
  return async () => {
    await client.query("begin");
    await client.query("select set_config('request.jwt.claims', $1, true)", [claims]);
    await client.query("set local role authenticated");
    await client.query(
      `select public.place_order(marketplace_id => $1, items => $2, customer_id => $3, delivery_method => 'pickup',
         shipping_address => '{"street": "1 Market Street", "city": "Fez", "postal_code": "30000"}')`,
      [MARKETPLACE, items, customer],
    );
    await client.query("commit");
  };
}
