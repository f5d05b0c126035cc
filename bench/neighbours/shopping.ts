import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { ask, type Bazaar, must, openBazaar, type Person, register, type Stack } from "./souk.js";

/** What a customer does, one after the other, in one visit. */
export const STEPS = ["list", "search", "get", "order", "list by supabase-js"] as const;
export type Step = (typeof STEPS)[number] | "webhook";

/** Milliseconds that each step took, and what did not go as it should. */
export interface Seen {
  took: Record<Step, number[]>;
  failed: string[];
}

export interface Shop {
  /** Customers come and go for so many seconds; resolves when all has been answered, and its webhooks heard. */
  open(seconds: number): Promise<Seen>;
  close(): void;
}

const CUSTOMERS = 20;
const PRODUCTS = 300;
const VISIT_MS = 4_000;
const LATE_MS = 60_000;
const ADDRESS = { street: "1 Market Street", city: "Fez", postal_code: "30000" };
const WARES = ["lantern", "carpet", "teapot", "kettle", "mirror", "basket"];

/** A tenant that minds its own business: its customers look for things and order them, and it hears of each order. */
export async function openShop(stack: Stack): Promise<Shop> {
  const bazaar = await openBazaar(stack, "Shop");
  const products = await listProducts(stack, bazaar);
  const customers = await Promise.all(
    Array.from({ length: CUSTOMERS }, () => register(stack, { tenant_id: bazaar.tenantId })),
  );
  /** When each order was answered, until its webhook is heard. */
  const placed = new Map<string, number>();
  const heard = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const { data } = JSON.parse(await text(request));
    response.end();
    if (!heard.has(data.order.id)) heard.set(data.order.id, performance.now());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await must(stack, "POST", "/api/webhooks", {
    as: bazaar.operator,
    body: { url: `http://127.0.0.1:${port}/hook`, events: ["order.created"] },
  });

  async function visit(customer: Person, count: number, seen: Seen): Promise<void> {
    const product = products[(count * 7919) % products.length] as (typeof products)[number];
    const ware = WARES[count % WARES.length];
    const requests: Record<(typeof STEPS)[number], [string, string, unknown?]> = {
      list: ["GET", `/api/products?sort=price&limit=20&page=${1 + (count % 5)}`],
      search: ["GET", `/api/products?search=${ware}&limit=20`],
      get: ["GET", `/api/products/${product.id}`],
      order: [
        "POST",
        "/api/orders",
        {
          marketplace_id: bazaar.marketplaceId,
          items: [{ product_id: product.id, quantity: 1, price: product.price }],
          shipping_address: ADDRESS,
        },
      ],
      "list by supabase-js": ["GET", "/rest/v1/products?select=id,name,price&limit=20"],
    };
    for (const step of STEPS) {
      const [method, path, body] = requests[step];
      const request = { as: customer, body, signal: AbortSignal.timeout(LATE_MS) };
      const answer = await ask(stack, method, path, request).catch((error: Error) => error);
      if (answer instanceof Error || answer.status >= 300) {
        const why = answer instanceof Error ? answer.message : JSON.stringify(answer.body);
        seen.failed.push(`${step}: ${why.slice(0, 300)}`);
        continue;
      }
      seen.took[step].push(answer.took);
      if (step === "order") placed.set(answer.body.id, performance.now());
    }
  }

  async function open(seconds: number): Promise<Seen> {
    const steps = [...STEPS, "webhook"] as Step[];
    const seen: Seen = {
      took: Object.fromEntries(steps.map((step) => [step, []])) as never,
      failed: [],
    };
    const until = performance.now() + seconds * 1000;
    await Promise.all(
      customers.map(async (customer, at) => {
        // Not all at once, and no sooner than one would: a limit of a hundred a minute is no obstacle.
        await pause((at * VISIT_MS) / CUSTOMERS);
        for (let count = at; performance.now() < until; count += CUSTOMERS) {
          const next = performance.now() + VISIT_MS;
          await visit(customer, count, seen);
          await pause(Math.max(0, next - performance.now()));
        }
      }),
    );
    const patience = performance.now() + LATE_MS;
    while ([...placed.keys()].some((id) => !heard.has(id)) && performance.now() < patience) {
      await pause(50);
    }
    for (const [id, answered] of placed) {
      const at = heard.get(id);
      if (at === undefined) seen.failed.push(`webhook: nothing was heard of order ${id}`);
      // It may be there before the answer is.
      else seen.took.webhook.push(Math.max(0, at - answered));
    }
    placed.clear();
    return seen;
  }

  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { open, close };
}

async function listProducts(stack: Stack, { supplier }: Bazaar) {
  const lines = Array.from({ length: PRODUCTS }, (_, n) =>
    JSON.stringify({
      external_id: `ware-${n}`,
      name: `A ${WARES[n % WARES.length]}, number ${n}`,
      price: 5 + (n % 90),
      quantity: 1_000_000,
    }),
  );
  const made = await must(stack, "POST", "/api/products/import", {
    as: supplier,
    body: lines.join("\n"),
    headers: { "content-type": "application/x-ndjson" },
  });
  if (made.imported !== PRODUCTS) throw new Error(`not all was listed: ${JSON.stringify(made)}`);
  const { products } = await must(stack, "GET", `/api/products?limit=${PRODUCTS}`, {
    as: supplier,
  });
  return products as { id: string; price: number }[];
}
