// Measures the import of past orders by the client, then the same lines again, which change nothing:
// `npm run bench -- imports/orders [--database-url postgres://…/an_empty_database] [--orders N]`;
// without a URL on PGlite in memory. `--orders` is 100,000 unless given.
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import ws from "ws";
import { createClient } from "../../packages/client/src/index.js";
import { progress, start, stop } from "../servers.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    orders: { type: "string", default: "100000" },
  },
});
const databaseUrl = values["database-url"];
const orders = Number(values.orders);
const PRODUCTS = 500;
const CUSTOMERS = 20_000;
const DAY_MS = 86_400_000;
const YEARS_MS = 3 * 365 * DAY_MS;
/** A prime, so that consecutive orders differ in time, customer and products. */
const STRIDE = 7919;

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Yields orders of the last three years with one to three items each. */
function* pastOrders(until: number) {
  for (let n = 0; n < orders; n += 1) {
    const mixed = (n * STRIDE) % orders;
    const placedAt = until - 4 * DAY_MS - Math.floor((mixed / orders) * YEARS_MS);
    yield {
      external_id: `past-${n}`,
      placed_at: new Date(placedAt).toISOString(),
      status: "delivered",
      payment_status: "paid",
      completed_at: new Date(placedAt + 3 * DAY_MS).toISOString(),
      customer: { email: `buyer-${mixed % CUSTOMERS}@bench.souk.test`, name: "A buyer" },
      items: Array.from({ length: 1 + (n % 3) }, (_, item) => ({
        product_external_id: `sku-${(mixed + item) % PRODUCTS}`,
        quantity: 1 + (n % 2),
        price: 9.99,
      })),
      shipping_address: { street: "1 Market Street", city: "Fez", postal_code: "30000" },
    } as const;
  }
}

const place = databaseUrl ? ["--database-url", databaseUrl] : ["--data", "memory"];
const [stack, ready] = await start(resolve(at("../..")), at("../../packages/stack/src/cli.ts"), [
  "start",
  "--port",
  "0",
  "--no-seed",
  "--json",
  ...place,
]);
try {
  const { url, publishable_key } = JSON.parse(ready);
  let requests = 0;
  const counted: typeof fetch = (input, init) => {
    requests += 1;
    return fetch(input, init);
  };
  const souk = createClient(url, publishable_key, {
    realtime: { transport: ws as never },
    global: { fetch: counted },
  });
  await souk.auth.register({
    email: `${randomUUID()}@bench.souk.test`,
    password: randomUUID(),
    tenant_name: "Past orders",
  });
  await souk.marketplaces.create({
    name: "Past orders",
    category: "home",
    currency: "EUR",
    language: "en",
    domain: `${randomUUID()}.example`,
  });
  const products = Array.from({ length: PRODUCTS }, (_, n) => ({
    external_id: `sku-${n}`,
    name: `Product ${n}`,
    price: 9.99,
    quantity: 1,
  }));
  await souk.products.import(products, { format: "ndjson" });

  const until = Date.now();
  for (const what of ["imported", "unchanged"] as const) {
    requests = 0;
    const begun = performance.now();
    const summary = await souk.orders.import(pastOrders(until), {
      format: "ndjson",
      onProgress: ({ line }) => progress(`${what}: ${line} of ${orders}`),
    });
    const seconds = (performance.now() - begun) / 1000;
    // Fails if lines were refused, which would be faster.
    if (summary[what] !== orders)
      throw new Error(`not all were ${what}: ${JSON.stringify(summary)}`);
    progress("");
    const rate = Math.round(orders / seconds);
    console.log(
      `${orders} ${what} in ${seconds.toFixed(1)} s, ${rate} a second, ${requests} requests`,
    );
  }
} finally {
  await stop(stack);
}
process.exit();
