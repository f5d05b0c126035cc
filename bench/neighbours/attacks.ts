import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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

/** The number of answers by status; `none` counts failed and aborted requests. */
export type Statuses = Record<string, number>;

export interface Attackers extends Marketplace {
  stack: Stack;
  customers: Person[];
  /** A receiver that accepts every delivery and never answers. */
  mute: string;
  products: string[];
}

export interface Attack {
  name: string;
  /** Number of concurrent attackers. */
  connections: number;
  /** Runs once before the attack. */
  prepare?(attackers: Attackers): Promise<unknown>;
  /** Makes one attempt and returns its status. */
  attempt(attackers: Attackers, count: number, over: AbortSignal): Promise<number>;
}

const pick = <T>(from: readonly T[], count: number) => from[count % from.length] as T;
const zeros = "0".repeat(16_000);
const NDJSON = { "content-type": "application/x-ndjson" };

/** Sends one request of an attack, which is aborted when the attack is over. */
const send = async (
  { stack }: Attackers,
  as: Person,
  method: string,
  path: string,
  over: AbortSignal,
  request: { body?: unknown; headers?: Record<string, string> } = {},
) => (await ask(stack, method, path, { as, signal: over, ...request })).status;

/** Attacks that once stopped or slowed down other tenants. */
export const attacks: readonly Attack[] = [
  {
    name: "large events to many receivers that hang",
    connections: 2,
    prepare: ({ stack, operator, mute }) =>
      Promise.all(
        Array.from({ length: 85 }, (_, n) =>
          ask(stack, "POST", "/api/webhooks", {
            as: operator,
            body: { url: `${mute}/${n}`, events: ["product.updated"] },
          }),
        ),
      ),
    attempt: (attackers, count, over) =>
      send(
        attackers,
        attackers.supplier,
        "PUT",
        `/products/${pick(attackers.products, count)}`,
        over,
        {
          body: {
            description: "x".repeat(50_000 - (count % 100)),
            attributes: Array.from({ length: 100 }, (_, n) => ({
              name: `a${n}`,
              value: "y".repeat(5_000),
            })),
          },
        },
      ),
  },
  {
    name: "prices of 16,000 zeros",
    connections: 1,
    attempt: ({ stack, supplier }, count, over) =>
      send({ stack } as Attackers, supplier, "POST", "/rest/v1/rpc/create_product", over, {
        body: `{"name": "Zeros ${count}", "price": 10.${zeros}}`,
      }),
  },
  {
    name: "one key for many slow searches",
    connections: 8,
    attempt: (attackers, count, over) =>
      send(attackers, pick(attackers.customers, count), "POST", "/rest/v1/rpc/perform_once", over, {
        body: {
          key: `key-${count >> 3}`,
          operation: "list_products",
          arguments: { search: `${"lantern ".repeat(40)}${count >> 3}` },
        },
      }),
  },
  {
    name: "imports that wait for one another",
    connections: 24,
    attempt: (attackers, _, over) =>
      send(attackers, attackers.supplier, "POST", "/api/products/import", over, {
        body: "",
        headers: NDJSON,
      }),
  },
  {
    name: "an import of 60,000 columns",
    connections: 1,
    attempt: (attackers, count, over) =>
      send(attackers, attackers.supplier, "POST", "/api/products/import", over, {
        body: `external_id,${Array.from({ length: 60_000 }, (_, n) => `c${n}`).join(",")}\nw${count}`,
        headers: { "content-type": "text/csv" },
      }),
  },
  {
    name: "a change of all products at once",
    connections: 1,
    attempt: (attackers, count, over) =>
      send(attackers, attackers.supplier, "PATCH", "/rest/v1/products?id=not.is.null", over, {
        body: { name: `All ${count}` },
      }),
  },
  {
    name: "lists past every limit",
    connections: 8,
    attempt: (attackers, count, over) =>
      send(attackers, pick(attackers.customers, count), "GET", "/api/products?limit=1000", over),
  },
  {
    name: "counts and embeds of /rest/v1",
    connections: 8,
    attempt: (attackers, count, over) =>
      send(
        attackers,
        pick(attackers.customers, count),
        "GET",
        "/rest/v1/products?select=*,product_variants(*),inventory(*)&limit=1000",
        over,
        { headers: { prefer: "count=exact" } },
      ),
  },
  {
    name: "logins that fail",
    connections: 4,
    attempt: (attackers, count, over) =>
      send(attackers, attackers.operator, "POST", "/auth/login", over, {
        body: { email: `nobody-${count}@example.com`, password: "wrong password" },
      }),
  },
];

const CUSTOMERS = 4;

/** Creates a hostile tenant with some customers and a supplier of 500 products. */
export async function openAttackers(stack: Stack) {
  const marketplace = await openMarketplace(stack, "Attackers");
  const customers = await Promise.all(
    Array.from({ length: CUSTOMERS }, () => register(stack, { tenant_id: marketplace.tenantId })),
  );
  await must(stack, "POST", "/api/products/import", {
    as: marketplace.supplier,
    body: Array.from({ length: 500 }, (_, n) =>
      JSON.stringify({ external_id: `x${n}`, name: `Lantern ${n}`, price: 10, quantity: 1000 }),
    ).join("\n"),
    headers: NDJSON,
  });
  const { products } = await must(stack, "GET", "/api/products?limit=500", {
    as: marketplace.supplier,
  });
  const server = createServer((request) => request.resume());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const attackers: Attackers = {
    ...marketplace,
    stack,
    customers,
    mute: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    products: products.map(({ id }: { id: string }) => id),
  };

  /** Repeats an attack until it is over; returns the number of answers by status. */
  async function run(attack: Attack, over: AbortSignal): Promise<Statuses> {
    const statuses: Statuses = {};
    await attack.prepare?.(attackers);
    let count = 0;
    await Promise.all(
      Array.from({ length: attack.connections }, async () => {
        while (!over.aborted) {
          const status = await attack.attempt(attackers, count++, over).catch(() => "none");
          if (over.aborted) return;
          statuses[status] = (statuses[status] ?? 0) + 1;
          // A refused attacker retries after a short pause.
          if (status === 429 || status === "none") await pause(20);
        }
      }),
    );
    return statuses;
  }

  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { run, close };
}
