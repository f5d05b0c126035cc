import pg from "pg";
import { median } from "../servers.js";
import { TENANT } from "./questions.js";

interface Shop {
  claims: string;
  customer: string;
  goods: { id: string; marketplace_id: string; price: string }[];
}

/** Returns a customer of the tenant, the admin who orders for it, and a hundred products with enough stock. */
async function openShop(db: pg.Client): Promise<Shop> {
  // An admin, because the unpaid orders of a customer who orders are limited.
  const { rows: admins } = await db.query(
    "select user_id from public.members where tenant_id = $1 and role = 'admin'",
    [TENANT],
  );
  const { rows: customers } = await db.query(
    "select id from public.customers where tenant_id = $1 and user_id is not null limit 1",
    [TENANT],
  );
  const { rows: goods } = await db.query(
    "select id, marketplace_id, price from public.products where tenant_id = $1 and status = 'active' and kind = 'physical' limit 100",
    [TENANT],
  );
  await db.query(
    "update public.inventory set quantity = 1000000 where product_id = any ($1::uuid[])",
    [goods.map(({ id }) => id)],
  );
  const claims = { sub: admins[0].user_id, role: "authenticated", tenant_id: TENANT };
  return { claims: JSON.stringify(claims), customer: customers[0].id, goods };
}

/** Places the n-th order, of two products. Returns its duration in milliseconds. */
async function order(db: pg.Client, { claims, customer, goods }: Shop, n: number): Promise<number> {
  const items = [goods[n % goods.length], goods[(7 * n + 1) % goods.length]] as Shop["goods"];
  await db.query("begin; set local role authenticated");
  await db.query("select set_config('request.jwt.claims', $1, true)", [claims]);
  const began = performance.now();
  await db.query("select public.place_order($1, $2, $3, customer_id => $4)", [
    items[0]?.marketplace_id,
    JSON.stringify(
      items.map(({ id, price }) => ({ product_id: id, quantity: 1, price: Number(price) })),
    ),
    { street: "1 Market Street", city: "Fez", postal_code: "30000" },
    customer,
  ]);
  await db.query("commit");
  return performance.now() - began;
}

/**
 * Measures placing an order in the database, in ms: with the book of sales and without it, in turn.
 */
export async function measureOrders(
  db: pg.Client,
  rounds: number,
): Promise<{ with: number; without: number }> {
  const shop = await openShop(db);
  const taken: Record<"enable" | "disable", number[]> = { enable: [], disable: [] };
  for (let round = 0; round < 2 * rounds; round++) {
    const way = round % 2 ? "disable" : "enable";
    await db.query(`alter table public.order_items ${way} trigger order_items_enter`);
    for (let n = 0; n < 20; n++) {
      const ms = await order(db, shop, 20 * round + n);
      // The first ones after a change of the triggers are planned again.
      if (n >= 5) taken[way].push(ms);
    }
  }
  await db.query("alter table public.order_items enable trigger order_items_enter");
  return { with: median(taken.enable), without: median(taken.disable) };
}

/**
 * Measures the longest wait, in ms, for the rollup of one of fifty connections that place orders at
 * once.
 */
export async function measureWaits(db: pg.Client, connectionString: string) {
  const shop = await openShop(db);
  const connect = async (application_name: string) => {
    const client = new pg.Client({ connectionString, application_name });
    await client.connect();
    return client;
  };
  const [roller, watcher] = [await connect("bench-roller"), await connect("bench-watcher")];
  const buyers = await Promise.all(Array.from({ length: 50 }, () => connect("bench-buyer")));
  let ordering = true;
  let rolled = 0;
  let longest = 0;
  const rolling = (async () => {
    while (ordering) {
      const { rows } = await roller.query("select private.roll_up_sales($1, 7) as lines", [TENANT]);
      rolled += rows[0].lines;
    }
  })();
  const watching = (async () => {
    const since = new Map<number, number>();
    while (ordering) {
      const { rows } = await watcher.query(
        `select w.pid from pg_stat_activity w
         where w.wait_event_type = 'Lock' and pg_blocking_pids(w.pid) && array(
           select r.pid from pg_stat_activity r where r.application_name = 'bench-roller'
         )`,
      );
      const held = new Set(rows.map(({ pid }) => pid as number));
      for (const pid of since.keys()) if (!held.has(pid)) since.delete(pid);
      for (const pid of held) {
        since.set(pid, since.get(pid) ?? performance.now());
        longest = Math.max(longest, performance.now() - (since.get(pid) as number));
      }
    }
  })();
  try {
    await Promise.all(
      buyers.map(async (buyer, b) => {
        for (let turn = 0; turn < 5; turn++) await order(buyer, shop, 50 * turn + b);
      }),
    );
  } finally {
    ordering = false;
    await Promise.all([rolling, watching]);
    await Promise.all([roller, watcher, ...buyers].map((client) => client.end()));
  }
  return { longest, rolled };
}
