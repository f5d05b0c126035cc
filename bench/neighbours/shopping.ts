import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import {
  ask,
  type Marketplace,
  must,
  openMarketplace,
  type Person,
  register,
  type Stack,
} from "./souk.js";

/** The requests of one visit of a customer, in order. */
export const STEPS = ["list", "search", "get", "order", "list by supabase-js"] as const;
export type Step = (typeof STEPS)[number] | "webhook";

/** The durations of each step in milliseconds, and the failures. */
export interface Seen {
  took: Record<Step, number[]>;
  failed: string[];
}

export interface Shop {
  /**
   * Simulates customers for some seconds; resolves when all requests are answered and all webhooks
   * received.
   */
  open(seconds: number): Promise<Seen>;
  close(): void;
}

const CUSTOMERS = 20;
const PRODUCTS = 300;
const VISIT_MS = 4_000;
const LATE_MS = 60_000;
const ADDRESS = { street: "1 Market Street", city: "Fez", postal_code: "30000" };
const WARES = ["lantern", "carpet", "teapot", "kettle", "mirror", "basket"];

/**
 * Creates the measured tenant: its customers search and order, and it receives a webhook for each
 * order.
 */
export async function openShop(stack: Stack): Promise<Shop> {
  const marketplace = await openMarketplace(stack, "Shop");
  const products = await listProducts(stack, marketplace);
  const customers = await Promise.all(
    Array.from({ length: CUSTOMERS }, () => register(stack, { tenant_id: marketplace.tenantId })),
  );
  /** When each order was answered, until its webhook is received. */
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
    as: marketplace.operator,
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
          marketplace_id: marketplace.marketplaceId,
          items: [{ product_id: product.id, quantity: 1, price: product.price }],
          shipping_address: ADDRESS,
        },
      ],
      "list by supabase-js": ["GET", "/rest/v1/products?select=id,name,price&limit=20"],
    };
    for (const step of STEPS) {
      const [method, path, body] = requests[step];
      const asked = { as: customer, body, signal: AbortSignal.timeout(LATE_MS) };
      const answer = await ask(stack, method, path, asked).catch((error: Error) => error);
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
        // Spread over time, and slower than the limit of a hundred requests per minute.
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
      // The webhook may arrive before the answer.
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

async function listProducts(stack: Stack, { supplier }: Marketplace) {
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
  if (made.imported !== PRODUCTS)
    throw new Error(`not all products were imported: ${JSON.stringify(made)}`);
  const { products } = await must(stack, "GET", `/api/products?limit=${PRODUCTS}`, {
    as: supplier,
  });
  return products as { id: string; price: number }[];
}
