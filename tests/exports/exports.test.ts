import { beforeAll, describe, expect, it } from "vitest";
import {
  type Bazaar,
  call,
  listProduct,
  must,
  openBazaar,
  orderFor,
  type Person,
} from "../souk.js";
import { bytesOf, exported, type Rows, rowsOf } from "./exporting.js";

/** Names as somebody may choose them. */
const NAMES = {
  plain: "Saffron",
  quoted: 'Salt, "fine"\r\nand white',
  unicode: "Zäpfle 🍺 — ünïcode",
  formula: '=HYPERLINK("https://evil.example","click")',
  plus: "+1+2",
  minus: "-2+3",
  at: "@SUM(A1)",
  tab: "\t=1",
};

let bazaar: Bazaar;
// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
let products: any[];

beforeAll(async () => {
  bazaar = await openBazaar();
  const { operator, supplier, customer } = bazaar;
  await must("PATCH", "/api/tenant", { as: operator, body: { time_zone: "Asia/Kathmandu" } });
  const category = await must("POST", "/api/categories", { as: operator, body: { name: "Food" } });
  products = await Promise.all(
    Object.values(NAMES).map((name) =>
      listProduct(supplier, { name, category_id: category.id, price: 12.35 }),
    ),
  );
  for (const product of products.slice(0, 3)) {
    await must("POST", "/api/orders", { as: customer, body: orderFor(product, 2) });
  }
  await must("POST", "/api/v1/top-placement/campaigns", {
    as: operator,
    body: { productId: products[0].id, categoryId: category.id, duration: 7, bidAmount: 0.5 },
  });
});

/** What the API answers for each type, with the fields that an export has of it. */
const lists: Record<string, { path: string; name: string; less?: string[] }> = {
  orders: {
    path: "/api/orders?limit=1000",
    name: "orders",
    less: [
      ...[
        "items",
        "parts",
        "history",
        "payments",
        "cancellations",
        "returns",
        "notes",
        "commissions",
      ],
    ],
  },
  order_items: { path: "/api/orders?limit=1000", name: "orders" },
  products: {
    path: "/api/products?limit=1000",
    name: "products",
    less: ["promotion", "relevance_score"],
  },
  inventory: { path: "/api/inventory?limit=1000", name: "inventory" },
  customers: { path: "/api/customers?limit=1000", name: "customers" },
  campaigns: { path: "/api/v1/top-placement/campaigns?limit=1000", name: "campaigns" },
  commissions: { path: "/api/commissions?limit=1000", name: "commissions" },
  sales: { path: "/api/analytics/sales?period=30d", name: "data" },
  revenue: { path: "/api/analytics/revenue?period=30d", name: "breakdown" },
  segments: { path: "/api/analytics/customers/segments", name: "segments" },
  cohorts: { path: "/api/analytics/cohorts", name: "cohorts" },
  funnel: { path: "/api/analytics/funnel?period=30d", name: "stages" },
};

/** The items of an order, with what an export tells of the order beside each. */
function itemsOf({ id: order_id, items, ...order }: Rows[number]): Rows {
  const { number, marketplace_id, customer_id, status, payment_status, currency, created_at } =
    order;
  const beside = {
    number,
    marketplace_id,
    customer_id,
    status,
    payment_status,
    currency,
    created_at,
  };
  return items.map((item: Rows[number]) => ({ ...item, order_id, ...beside }));
}

/** The rows of a list, as an export has them; `currency` is said of all figures at once there. */
async function listed(as: Person, type: string): Promise<Rows> {
  const { path, name, less = [] } = lists[type] as (typeof lists)[string];
  const answer = await must("GET", path, { as });
  const beside = ["sales", "revenue", "segments"].includes(type)
    ? { currency: answer.currency }
    : {};
  const rows: Rows = type === "order_items" ? answer[name].flatMap(itemsOf) : answer[name];
  return rows.map((row) => {
    const entries = Object.entries({ ...row, ...beside });
    return Object.fromEntries(
      entries.filter(([field]) => field !== "tenant_id" && !less.includes(field)),
    );
  });
}

/** The offset of the tenant's zone. */
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+05:45$/;
const isTime = (value: unknown) => typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value);

/** By the key that every row has, whatever the sequence. */
const sorted = (rows: Rows) =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/** Values as they can be compared: times as moments, fields in one sequence. */
const comparable = (rows: Rows) =>
  sorted(
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .map(([name, value]) => [name, isTime(value) ? Date.parse(value as string) : value])
          .toSorted(),
      ),
    ),
  );

describe.each(Object.keys(lists))("the export of %s", (type) => {
  let expected: Rows;
  beforeAll(async () => {
    expected = await listed(bazaar.operator, type);
    expect(expected.length).toBeGreaterThan(0);
  });

  it("is what the API answers, as json", async () => {
    const ready = await exported(bazaar.operator, { type, format: "json" });
    const rows = await rowsOf(ready);
    expect(ready.rows).toBe(rows.length);
    for (const value of rows.flatMap((row) => Object.values(row)).filter(isTime)) {
      expect(value).toMatch(LOCAL);
    }
    expect(comparable(rows)).toEqual(comparable(expected));
  });

  it("is the same as csv", async () => {
    const rows = await rowsOf(await exported(bazaar.operator, { type, format: "csv" }));
    const meant = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, cell]) => [name, meaningOf(cell, fieldOf(expected, name))]),
      ),
    );
    expect(comparable(meant)).toEqual(comparable(expected));
  });

  it("is the same as xlsx, with cells that are dates and numbers", async () => {
    const rows = await rowsOf(await exported(bazaar.operator, { type, format: "xlsx" }));
    const json = await rowsOf(await exported(bazaar.operator, { type, format: "json" }));
    const meant = rows.map((row, at) =>
      Object.fromEntries(
        Object.entries(row).map(([name, cell]) => [
          name,
          isNested(json[at]?.[name]) ? JSON.parse(cell) : cell,
        ]),
      ),
    );
    expect(meant).toEqual(
      json.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])),
      ),
    );
  });
});

/** A value of a field that is not null, if there is one. */
const fieldOf = (rows: Rows, name: string) =>
  rows.map((row) => row[name]).find((value) => value !== null && value !== undefined);

const isNested = (value: unknown) => typeof value === "object" && value !== null;

/** What a cell of CSV means in a field that holds the like; an empty text and nothing look the same. */
function meaningOf(cell: string, like: unknown): unknown {
  if (cell === "") return like === "" ? "" : null;
  if (typeof like === "number") return Number(cell);
  if (typeof like === "boolean") return cell === "true";
  if (isNested(like)) return JSON.parse(cell);
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

/** What Excel shows of a value: times as the clock of the tenant, ends of lines as XML has them. */
function cellOf(value: unknown): unknown {
  if (value === "") return null;
  if (isTime(value)) return new Date(`${/^[^.+]*(\.\d{1,3})?/.exec(value as string)?.[0]}Z`);
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)) return new Date(value);
  return typeof value === "string" ? value.replaceAll("\r\n", "\n") : value;
}

describe("a cell that a spreadsheet would run", () => {
  const field = (rows: Rows) => rows.map(({ name }) => name).toSorted();

  it("is defused in csv, and a number with a minus is none", async () => {
    const file = await bytesOf((await exported(bazaar.operator, { type: "products" })).url);
    for (const name of [NAMES.plus, NAMES.minus, NAMES.at, NAMES.tab]) {
      expect(file.toString()).toContain(`,'${name},`);
    }
    expect(file.toString()).toContain(`"'=HYPERLINK(""https://evil.example"",""click"")"`);
  });

  it("is no number, whatever it begins with", async () => {
    const { operator, customer, marketplace } = await openBazaar();
    // Sold long ago, and back yesterday.
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const product = await listProduct(operator);
    const line = {
      ...orderFor(product, 2),
      items: [{ product_id: product.id, quantity: 2, price: 9.5 }],
      ...{
        external_id: "old-1",
        customer: { email: customer.email },
        marketplace_id: marketplace.id,
      },
      ...{ status: "returned", payment_status: "refunded", placed_at: daysAgo(40) },
      ...{ completed_at: daysAgo(39), returned_at: daysAgo(1) },
    };
    const imported = await call("POST", "/api/orders/import", {
      as: operator,
      body: JSON.stringify(line),
      headers: { "content-type": "application/x-ndjson" },
    });
    expect(imported.body).toMatchObject({ imported: 1 });
    const sales = { type: "sales", period: "yesterday" };
    const file = await bytesOf((await exported(operator, sales)).url);
    expect(file.toString()).toMatch(/^\d{4}-\d\d-\d\d,-19\.0+,0,,0,0,19\.0+,EUR\r$/m);
    expect(await rowsOf(await exported(operator, { ...sales, format: "xlsx" }))).toMatchObject([
      { revenue: -19 },
    ]);
  });

  it("is a text in xlsx", async () => {
    const rows = await rowsOf(
      await exported(bazaar.operator, { type: "products", format: "xlsx" }),
    );
    // A formula would be an object.
    expect(field(rows)).toEqual(
      Object.values(NAMES)
        .map((name) => name.replace("\r\n", "\n"))
        .toSorted(),
    );
  });

  it("stays what it is in json", async () => {
    const rows = await rowsOf(
      await exported(bazaar.operator, { type: "products", format: "json" }),
    );
    expect(field(rows)).toEqual(Object.values(NAMES).toSorted());
  });
});

describe("csv", () => {
  it("begins with a mark where Excel is to know UTF-8, and else with its columns", async () => {
    const wish = { type: "order_items" };
    const [plain, marked] = await Promise.all([
      exported(bazaar.operator, wish).then(({ url }) => bytesOf(url)),
      exported(bazaar.operator, { ...wish, bom: true }).then(({ url }) => bytesOf(url)),
    ]);
    expect(plain.toString()).toMatch(/^id,order_id,number,/);
    expect(marked.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(marked.subarray(3)).toEqual(plain);
    expect(plain.toString().split("\r\n")).toHaveLength(1 + 3 + 1 + 1);
  });

  it("has its columns where there are no rows, and json is an empty list", async () => {
    const none = { type: "orders", period: "custom", from: "2020-01-01", to: "2020-01-31" };
    const csv = await exported(bazaar.operator, none);
    expect(csv).toMatchObject({ rows: 0, period: "custom", from: "2020-01-01", to: "2020-01-31" });
    expect((await bytesOf(csv.url)).toString()).toMatch(/^id,number,.*updated_at\r\n$/);
    const json = await exported(bazaar.operator, { ...none, format: "json" });
    expect(JSON.parse((await bytesOf(json.url)).toString())).toEqual([]);
    const xlsx = await exported(bazaar.operator, { ...none, format: "xlsx" });
    expect(await rowsOf(xlsx)).toEqual([]);
  });
});
