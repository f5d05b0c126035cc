import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  expectNothingOf,
  type Household,
  type Neighbours,
  openNeighbours,
  ROLES,
  type Role,
  type Row,
  rowsOf,
} from "./neighbours.js";
import { call, must, PASSWORD, register, supabaseAs, supabaseAsService } from "./souk.js";

// Every address of the HTTP interface, tried by each role of the tenant next door.

let neighbours: Neighbours;

beforeAll(async () => {
  neighbours = await openNeighbours();
}, 60_000);

afterAll(() => neighbours?.close());

interface Attempt {
  path?: string;
  body?: Row;
  /** What the stranger may get; 404 if left out. */
  answers?: number[];
}

type Case = (theirs: Household, stranger: Household) => Attempt[];

const address = { street: "1 Market Street", city: "Fez", postal_code: "30000" };
const item = (product: Row, wish: Row = {}) => ({
  product_id: product.id,
  variant_id: product.variants[0].id,
  quantity: 1,
  price: 5,
  ...wish,
});

/** Lists show nothing of another tenant, whatever they are filtered by. */
const list =
  (path: string, filters: (theirs: Household) => string[] = () => []): Case =>
  (theirs) =>
    ["", ...filters(theirs)].map((query) => ({ path: path + query, answers: [200] }));

const moves: Case = ({ order }) =>
  ["processing", "cancelled"].map((status) => ({
    path: `/api/orders/${order.id}/status`,
    body: { status },
  }));

/** These concern accounts, not rows of a tenant; auth.test.ts has what they refuse. */
const ofAccounts: Case = () => [];

const cases: Record<string, Case> = {
  "get /api/marketplaces": list("/api/marketplaces"),
  "post /api/marketplaces": ({ marketplace }) => [
    {
      body: {
        name: "Mine",
        category: "x",
        currency: "EUR",
        language: "en",
        domain: marketplace.domain,
      },
      // The name of a host is the one thing that all tenants share.
      answers: [403, 409],
    },
  ],
  "get /api/marketplaces/{id}": ({ marketplace }) => [
    { path: `/api/marketplaces/${marketplace.id}` },
  ],
  "put /api/marketplaces/{id}": ({ marketplace }) => [
    {
      path: `/api/marketplaces/${marketplace.id}`,
      body: { name: "Mine", status: "inactive" },
      answers: [403, 404],
    },
  ],
  "get /api/products": list("/api/products", ({ mark, marketplace, category, supplierId }) => [
    `?search=${mark}`,
    `?brand=${mark}`,
    `?marketplace_id=${marketplace.id}`,
    `?category=${category.id}`,
    `?supplier_id=${supplierId}`,
  ]),
  "post /api/products": ({ marketplace, category, supplierId }) => [
    { body: { name: "Mine", price: 1, marketplace_id: marketplace.id }, answers: [403, 404] },
    { body: { name: "Mine", price: 1, category_id: category.id }, answers: [403, 404] },
    { body: { name: "Mine", price: 1, supplier_id: supplierId }, answers: [403, 404] },
    {
      body: { name: "Mine", price: 1, currency: "EUR", marketplace_id: marketplace.id },
      answers: [403, 404],
    },
  ],
  "get /api/products/{id}": ({ product }) => [{ path: `/api/products/${product.id}` }],
  "get /api/orders": list("/api/orders", ({ marketplace }) => [
    `?marketplace_id=${marketplace.id}`,
  ]),
  "post /api/orders": (theirs, stranger) => [
    {
      body: {
        marketplace_id: theirs.marketplace.id,
        items: [item(theirs.product)],
        shipping_address: address,
      },
      answers: [403, 404, 422],
    },
    {
      body: {
        marketplace_id: stranger.marketplace.id,
        items: [item(theirs.product)],
        shipping_address: address,
        customer_id: stranger.customerId,
      },
      answers: [403, 404],
    },
    {
      body: {
        marketplace_id: stranger.marketplace.id,
        items: [item(stranger.product, { variant_id: theirs.product.variants[0].id })],
        shipping_address: address,
        customer_id: stranger.customerId,
      },
      answers: [403, 404],
    },
    {
      body: {
        marketplace_id: stranger.marketplace.id,
        items: [item(stranger.product)],
        shipping_address: address,
        customer_id: theirs.customerId,
      },
      answers: [403, 404],
    },
  ],
  "get /api/orders/{id}": ({ order }) => [{ path: `/api/orders/${order.id}` }],
  "patch /api/orders/{id}/status": moves,
  "put /api/orders/{id}/status": moves,
  "get /api/webhooks": list("/api/webhooks"),
  "post /api/webhooks": () => [
    { body: { url: "https://example.com", events: ["order.created"] }, answers: [201, 403] },
  ],
  "get /api/webhooks/{id}": ({ webhook }) => [{ path: `/api/webhooks/${webhook.id}` }],
  "get /api/webhooks/{id}/logs": ({ webhook }) => [{ path: `/api/webhooks/${webhook.id}/logs` }],
  "post /auth/register": ofAccounts,
  "post /auth/login": ofAccounts,
  "post /auth/refresh": ofAccounts,
  "post /auth/logout": ofAccounts,
  "get /auth/me": () => [{ answers: [200] }],
};

/** `{ "get /api/products": …}`: each operation that the document describes. */
async function operations(): Promise<string[]> {
  const { paths } = await must("GET", "/api/openapi.json");
  return Object.entries<object>(paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    .filter((operation) => operation.split(" ")[1]?.startsWith("/"))
    .sort();
}

/** Both forms of an address. */
const forms = (path: string) =>
  /^\/api\/(marketplaces|products|orders)/.test(path) ? [path, path.slice(4)] : [path];

describe("every operation", () => {
  it("has a case here", async () => {
    expect(Object.keys(cases).sort()).toEqual(await operations());
  });

  it("shows its own tenant what it is there to show, or these tests would prove nothing", async () => {
    const { theirs } = neighbours;
    const shown = Object.entries(cases).flatMap(([operation, attempts]) =>
      operation.startsWith("get ")
        ? attempts(theirs, theirs).map(({ path }) => path ?? operation.slice(4))
        : [],
    );
    for (const path of shown) {
      const answer = await call("GET", path, { as: theirs.people.admin });
      expect([path, answer.status]).toEqual([path, 200]);
      // Deliveries carry no words of the tenant's own.
      if (!path.endsWith("/logs")) {
        expect([path, JSON.stringify(answer.body).includes(theirs.mark)]).toEqual([path, true]);
      }
    }
  });

  it.each(ROLES)("gives and changes nothing of another tenant, to its %s", async (role: Role) => {
    const { ours, theirs, relations } = neighbours;
    const before = await rowsOf(theirs, relations);
    for (const [operation, attempts] of Object.entries(cases)) {
      const [method = "", described = ""] = operation.split(" ");
      for (const { path = described, body, answers = [404] } of attempts(theirs, ours)) {
        for (const form of forms(path)) {
          const answer = await call(method.toUpperCase(), form, { as: ours.people[role], body });
          const what = `${operation} ${JSON.stringify(body ?? path)}`;
          expect({ what, status: answer.status }).toEqual({
            what,
            status: answers.includes(answer.status) ? answer.status : answers,
          });
          expectNothingOf(theirs, answer.body, { form, body });
          if (answer.status === 404) expect(answer.body.error.code).toBe("NOT_FOUND");
        }
      }
    }
    expect(await rowsOf(theirs, relations)).toEqual(before);
  });

  it.each(
    ROLES,
  )("answers another tenant's id as it does one of nobody, to its %s", async (role) => {
    const { ours, theirs } = neighbours;
    const as = ours.people[role];
    for (const [path, id] of [
      ["/api/marketplaces/ID", theirs.marketplace.id],
      ["/api/products/ID", theirs.product.id],
      ["/api/orders/ID", theirs.order.id],
      ["/api/webhooks/ID", theirs.webhook.id],
      ["/api/webhooks/ID/logs", theirs.webhook.id],
    ] as const) {
      const [foreign, absent] = await Promise.all(
        [id, randomUUID()].map((it) => call("GET", path.replace("ID", it), { as })),
      );
      expect([foreign?.status, foreign?.body]).toEqual([absent?.status, absent?.body]);
    }
  });
});

describe("a token", () => {
  it("of somebody in two tenants opens one of them", async () => {
    const { ours, theirs, relations } = neighbours;
    const somebody = await register({ tenant_id: ours.tenantId });
    await supabaseAsService()
      .from("members")
      .insert({ tenant_id: theirs.tenantId, user_id: somebody.id, role: "admin" })
      .throwOnError();
    const { body } = await call("POST", "/auth/login", { body: somebody });
    for (const token of [somebody.token, body.access_token]) {
      const db = supabaseAs({ ...somebody, token });
      for (const { name } of relations) {
        expectNothingOf(theirs, (await db.from(name).select("*")).data);
      }
      const { tenant, role } = await must("GET", "/auth/me", { as: token });
      expect([tenant.id, role]).toEqual([ours.tenantId, "customer"]);
    }
  });

  it("of nobody's member opens none", async () => {
    const { theirs, relations } = neighbours;
    const email = `${randomUUID()}@example.com`;
    const { data } = await supabaseAs().auth.signUp({ email, password: PASSWORD });
    const token = data.session?.access_token as string;
    for (const { name } of relations) {
      const db = supabaseAs({ ...theirs.people.admin, token });
      const { data: rows } = await db.from(name).select("*");
      expect(rows ?? []).toEqual([]);
    }
    expect((await call("GET", "/auth/me", { as: token })).status).toBe(403);
    const list = await must("GET", "/api/products", { as: token });
    expect(list).toMatchObject({ products: [], total: 0 });
  });
});
