import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import {
  ask,
  type Marketplace,
  must,
  openMarketplace,
  type Person,
  register,
  type Stack,
} from "./souk.js";

/** Callers of an attack by a caller with the largest limit, and customers of the attackers. */
const FOUR = 4;

/** The number of answers by status; `none` counts failed and aborted requests. */
export type Statuses = Record<string, number>;

export interface Attackers extends Marketplace {
  stack: Stack;
  databaseUrl: string;
  customers: Person[];
  /** A receiver that accepts every delivery and never answers. */
  mute: string;
  products: string[];
  /** The path of the page that they render, and the variables that they send. */
  page: string;
  variables: Record<string, string>;
  /** The path of the document that they merge, read and compare. */
  document: string;
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

/** Creates the attackers' page, whose sources or variables take as much work as a template may ask for. */
async function openPage(attackers: Attackers, kind: "api" | "database" | "pattern") {
  const source = {
    type: kind,
    ...(kind === "api" && { endpoint: "/api/products?limit=1000" }),
    ...(kind === "database" && { query: "product_details?select=*" }),
  };
  const block = { id: "words", type: "dynamic_content", content: "<p>Hello</p>" };
  const content = {
    sections: [{ id: "top", name: "Top", blocks: [block] }],
    ...(kind === "pattern"
      ? {
          variables: Array.from({ length: 10 }, (_, n) => ({
            name: `v${n}`,
            type: "string",
            validation: { pattern: "^(a|b)*c" },
          })),
        }
      : { bindings: Array.from({ length: 10 }, (_, n) => ({ variable: `s${n}`, source })) }),
  };
  const made = await must(attackers.stack, "POST", "/api/templates", {
    as: attackers.operator,
    body: { name: "Heavy", type: "homepage", content },
  });
  attackers.page = `/api/templates/${made.id}/render`;
  attackers.variables =
    kind === "pattern"
      ? Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`v${n}`, "a".repeat(100_000)]))
      : {};
}

const renderPage = (attackers: Attackers, over: AbortSignal) =>
  send(attackers, attackers.operator, "POST", attackers.page, over, {
    body: {
      variables: attackers.variables,
      context: { marketplace_id: attackers.marketplaceId },
    },
  });

/** Creates the attackers' document of about 436 kB, with two branches that changed each of its blocks. */
async function openDocument(attackers: Attackers) {
  const { stack, operator } = attackers;
  const documentOf = (word: string) =>
    Array.from({ length: 200 }, (_, n) => ({
      id: `b${n}`,
      type: "text",
      content: {
        text: {
          type: "doc",
          content: Array.from({ length: 20 }, (_, line) => ({
            type: "paragraph",
            content: [{ type: "text", text: `${word} ${line} `.padEnd(50, "x") }],
          })),
        },
      },
    }));
  const piece = await must(stack, "POST", "/api/content/static_pages", {
    as: operator,
    body: {
      title: { en: "Large" },
      slug: `large-${Date.now()}`,
      blocks: documentOf("one"),
    },
  });
  attackers.document = `/api/content/static_pages/${piece.id}`;
  await must(stack, "POST", `${attackers.document}/branches`, {
    as: operator,
    body: { name: "other" },
  });
  for (const [branch, word] of [
    ["other", "two"],
    ["main", "three"],
  ]) {
    await must(stack, "PUT", `${attackers.document}?branch=${branch}`, {
      as: operator,
      body: { version_number: 1, blocks: documentOf(word as string) },
    });
  }
}

/** Creates the rows of 10,000 private objects in Storage. */
async function openObjects({ databaseUrl, tenantId }: Attackers) {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  await db.query(
    `insert into storage.objects (bucket_id, name)
     select bucket, $1 || '/' || gen_random_uuid() || '.pdf'
     from unnest(array['documents', 'exports']) as bucket cross join generate_series(1, 10000)`,
    [tenantId],
  );
  await db.end();
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
    name: "pages with ten sources of the API",
    connections: FOUR,
    prepare: (attackers) => openPage(attackers, "api"),
    attempt: (attackers, _, over) => renderPage(attackers, over),
  },
  {
    name: "pages with ten sources of the database",
    connections: FOUR,
    prepare: (attackers) => openPage(attackers, "database"),
    attempt: (attackers, _, over) => renderPage(attackers, over),
  },
  {
    name: "lists of 1,000 products",
    connections: FOUR,
    attempt: (attackers, _, over) =>
      send(attackers, attackers.operator, "GET", "/api/products?limit=1000", over),
  },
  {
    name: "exports of all products",
    connections: FOUR,
    attempt: (attackers, _, over) =>
      send(attackers, attackers.operator, "GET", "/api/products/export", over),
  },
  {
    name: "merges of a large document in conflict",
    connections: FOUR,
    prepare: openDocument,
    attempt: (attackers, _, over) =>
      send(attackers, attackers.operator, "POST", `${attackers.document}/merge`, over, {
        body: { from: "other", into: "main" },
      }),
  },
  {
    name: "a large document as HTML",
    connections: FOUR,
    prepare: openDocument,
    attempt: (attackers, _, over) =>
      send(attackers, attackers.operator, "GET", `${attackers.document}?format=html`, over),
  },
  {
    name: "comparisons of two versions of a large document",
    connections: FOUR,
    prepare: openDocument,
    attempt: (attackers, _, over) =>
      send(attackers, attackers.operator, "GET", `${attackers.document}/compare?from=1&to=3`, over),
  },
  {
    name: "lists of 10,000 objects in Storage",
    connections: FOUR,
    prepare: openObjects,
    attempt: (attackers, count, over) =>
      send(
        attackers,
        attackers.operator,
        "POST",
        `/storage/v1/object/list/${pick(["documents", "exports"], count)}`,
        over,
        { body: { prefix: attackers.tenantId, limit: 10_000 } },
      ),
  },
  {
    name: "patterns against 100 kB",
    connections: FOUR,
    prepare: (attackers) => openPage(attackers, "pattern"),
    attempt: (attackers, _, over) => renderPage(attackers, over),
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

/** Creates a hostile tenant with some customers and a supplier of 500 products. */
async function openTenant(stack: Stack) {
  const marketplace = await openMarketplace(stack, "Attackers");
  const customers = await Promise.all(
    Array.from({ length: FOUR }, () => register(stack, { tenant_id: marketplace.tenantId })),
  );
  await must(stack, "POST", "/api/products/import", {
    as: marketplace.supplier,
    body: Array.from({ length: 500 }, (_, n) =>
      JSON.stringify({
        external_id: `x${n}`,
        name: `Lantern ${n}`,
        price: 10,
        quantity: 1000,
        status: "active",
      }),
    ).join("\n"),
    headers: NDJSON,
  });
  const { products } = await must(stack, "GET", "/api/products?limit=500", {
    as: marketplace.supplier,
  });
  return { ...marketplace, customers, products: products.map(({ id }: { id: string }) => id) };
}

/** Opens the attacks on a stack. */
export async function openAttackers(stack: Stack, databaseUrl: string) {
  const server = createServer((request) => request.resume());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const mute = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /**
   * Prepares an attack by a tenant of its own, because the requests of the attacks before it would have it refused.
   * Returns a function that repeats the attack until it is over, and returns the number of answers by status.
   */
  async function prepare(attack: Attack): Promise<(over: AbortSignal) => Promise<Statuses>> {
    const tenant = await openTenant(stack);
    const attackers: Attackers = {
      ...{ ...tenant, stack, databaseUrl, mute },
      ...{ page: "", variables: {}, document: "" },
    };
    await attack.prepare?.(attackers);
    return async (over) => {
      const statuses: Statuses = {};
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
    };
  }

  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { prepare, close };
}
