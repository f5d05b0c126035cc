import pg from "pg";
import { threadTime } from "../imports/processor.js";
import { median } from "../servers.js";

import { TENANT } from "./questions.js";

/** Pairs of orders before the measurement: a session keeps its plans after five calls. */
const WARM_UP = 20;

interface Shop {
  claims: string;
  buyer: string;
  goods: { id: string; marketplace_id: string; price: string }[];
}

/** Returns a customer of the tenant, and a hundred products with enough stock. */
async function openShop(db: pg.Client): Promise<Shop> {
  const { rows: buyers } = await db.query(
    "select user_id from public.members where tenant_id = $1 and role = 'customer'",
    [TENANT],
  );
  const { rows: goods } = await db.query(
    "select id, marketplace_id, price from public.products where tenant_id = $1 and status = 'active' and kind = 'physical' limit 100",
    [TENANT],
  );
  // The orders of a benchmark are never paid.
  await db.query(
    `update public.marketplaces
     set settings = settings || '{"business": {"max_unpaid_orders": 1000000, "max_unpaid_pieces": 1000000}}'
     where tenant_id = $1`,
    [TENANT],
  );
  await db.query(
    "update public.inventory set quantity = 1000000 where product_id = any ($1::uuid[])",
    [goods.map(({ id }) => id)],
  );
  const claims = { sub: buyers[0].user_id, role: "authenticated", tenant_id: TENANT };
  return { claims: JSON.stringify(claims), buyer: buyers[0].user_id, goods };
}

/**
 * Places the n-th order, of two products. Returns what `clock` counted meanwhile. With `isVisit` it is the customer's first
 * one of the day, and it is undone. With `customer` an admin places it for that one.
 */
async function order(
  db: pg.Client,
  { claims, buyer, goods }: Shop,
  n: number,
  { clock = (): number => 0, isVisit = false, customer = null as string | null } = {},
): Promise<number> {
  const items = [goods[n % goods.length], goods[(7 * n + 1) % goods.length]] as Shop["goods"];
  await db.query("begin");
  if (isVisit) {
    await db.query("delete from private.visitor_days where tenant_id = $1 and visitor = $2", [
      TENANT,
      buyer,
    ]);
  }
  await db.query("set local role authenticated");
  await db.query("select set_config('request.jwt.claims', $1, true)", [claims]);
  const began = clock();
  await db.query("select public.place_order($1, $2, $3, $4)", [
    items[0]?.marketplace_id,
    JSON.stringify(
      items.map(({ id, price }) => ({ product_id: id, quantity: 1, price: Number(price) })),
    ),
    { street: "1 Market Street", city: "Fez", postal_code: "30000" },
    customer,
  ]);
  await db.query(isVisit ? "rollback" : "commit");
  return clock() - began;
}

/** Triggers whose cost for an order is measured, by what they serve. */
const TRIGGERS = {
  "the book of sales": ["order_items_enter"],
  "the queue of visitors": ["visitor_days_queue_new", "visitor_days_queue_changed"],
};

/** Processor time of the database session for an order, in ms, and what a part of the work adds to it, in percent. */
export interface OrderCost {
  with: number;
  without: number;
  /** The lowest, the median and the highest of ten parts of the measurement. */
  added: [lowest: number, median: number, highest: number];
}

/**
 * Measures placing an order with and without some triggers. The orders of a pair have the same items and follow each other,
 * so that what else the machine does affects both. Needs Linux, and the database on this machine.
 */
export async function measureOrders(
  db: pg.Client,
  pairs: number,
  part: keyof typeof TRIGGERS,
): Promise<OrderCost> {
  const shop = await openShop(db);
  const { rows: triggers } = await db.query(
    `select tgname as name, tgrelid::regclass as table, pg_get_triggerdef(oid) as definition
     from pg_trigger where tgname = any ($1::text[]) and tgparentid = 0`,
    [TRIGGERS[part]],
  );
  const replace = async (condition: string) => {
    for (const { name, table, definition } of triggers) {
      await db.query(`drop trigger ${name} on ${table};
        ${definition.replace(" EXECUTE ", `${condition} EXECUTE `)}`);
    }
  };
  const { rows } = await db.query("select pg_backend_pid() as pid");
  const clock = () => threadTime(rows[0].pid);
  const isVisit = part === "the queue of visitors";
  const taken: Record<"on" | "off", number[]> = { on: [], off: [] };
  // To enable and disable the triggers instead would have every statement planned again.
  await replace(" WHEN (current_setting('bench.part') = 'on')");
  try {
    for (let n = -WARM_UP; n < pairs; n++) {
      for (const way of n % 2 ? (["on", "off"] as const) : (["off", "on"] as const)) {
        await db.query("select set_config('bench.part', $1, false)", [way]);
        const ms = await order(db, shop, n + WARM_UP, { clock, isVisit });
        if (n >= 0) taken[way].push(ms);
      }
    }
  } finally {
    await replace("");
  }
  const parts = Array.from({ length: 10 }, (_, i) => {
    const [on, off] = [taken.on, taken.off].map((all) =>
      median(all.slice((i * pairs) / 10, ((i + 1) * pairs) / 10)),
    ) as [number, number];
    return 100 * (on / off - 1);
  });
  return {
    with: median(taken.on),
    without: median(taken.off),
    added: [Math.min(...parts), median(parts), Math.max(...parts)],
  };
}

/**
 * Measures the longest wait, in ms, for the rollup of one of fifty connections that place orders at
 * once.
 */
export async function measureWaits(db: pg.Client, connectionString: string) {
  const { rows: admins } = await db.query(
    "select user_id as sub, tenant_id from public.members where tenant_id = $1 and role = 'admin'",
    [TENANT],
  );
  const shop = {
    ...(await openShop(db)),
    claims: JSON.stringify({ ...admins[0], role: "authenticated" }),
  };
  // Two orders of one customer would wait for each other.
  const { rows: customers } = await db.query(
    "select id from public.customers where tenant_id = $1 order by id limit 50",
    [TENANT],
  );
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
        for (let turn = 0; turn < 5; turn++) {
          await order(buyer, shop, 50 * turn + b, { customer: customers[b].id });
        }
      }),
    );
  } finally {
    ordering = false;
    await Promise.all([rolling, watching]);
    await Promise.all([roller, watcher, ...buyers].map((client) => client.end()));
  }
  return { longest, rolled };
}
