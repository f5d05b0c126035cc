import exceljs from "exceljs";
import { unzip } from "unzipit";
import { beforeAll, describe, expect, it } from "vitest";
import type { Field } from "../../supabase/functions/_shared/exports/format_type.ts";
import { LeaseLost } from "../../supabase/functions/_shared/exports/job.ts";
import { writeXlsx } from "../../supabase/functions/_shared/exports/xlsx.ts";
import { unguarded } from "../../supabase/functions/_shared/values/csv_cells.ts";
import {
  call,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { bytesOf, exported, type Rows, rowsOf } from "./exporting.js";

// The content of files in each format.

/** Names of products, some of which are formulas. */
const NAMES = {
  plain: "Saffron",
  quoted: 'Salt, "fine"\r\nand white',
  unicode: "Zäpfle 🍺 — ünïcode",
  formula: '=HYPERLINK("https://evil.example","click")',
  plus: "+1+2",
  minus: "-2+3",
  at: "@SUM(A1)",
  tab: "\t=1",
  inside: "1;=cmd|' /C calc'!A0;2",
  lines: "- one\n- two",
  escaped: "part _x0041_ or _x000D_x0042_",
  lowercase: "caf_x00e9_",
};

const SAFETY = { warnings: "Keep it dry." };

let testTenant: TestTenant;
// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
let products: any[];

beforeAll(async () => {
  testTenant = await openTestTenant();
  const { operator, supplier, customer } = testTenant;
  await must("PATCH", "/api/tenant", { as: operator, body: { time_zone: "Asia/Kathmandu" } });
  const category = await must("POST", "/api/categories", { as: operator, body: { name: "Food" } });
  products = await Promise.all(
    Object.values(NAMES).map((name) =>
      listProduct(supplier, { name, category_id: category.id, price: 12.35, safety: SAFETY }),
    ),
  );
  const tenth = { code: "TENTH", kind: "percentage", value: 10, category_ids: [category.id] };
  await must("POST", "/api/discounts", { as: operator, body: tenth });
  const product_ids = [products[0].id];
  const paused = { kind: "percentage", value: 12.5, product_ids, ends_at: "2030-01-01T00:00:00Z" };
  await must("POST", "/api/discounts", { as: supplier, body: { ...paused, status: "paused" } });
  for (const product of products.slice(0, 3)) {
    const body = orderFor(product, 2, { discount_codes: ["TENTH"] });
    await must("POST", "/api/orders", { as: customer, body });
  }
  await must("POST", "/api/v1/top-placement/campaigns", {
    as: operator,
    body: { productId: products[0].id, categoryId: category.id, duration: 7, bidAmount: 0.5 },
  });
});

/** The list of the API with the same rows as each type. `less`: fields that an export lacks; `more`: that a list lacks. */
const lists: Record<string, { path: string; name: string; less?: string[]; more?: object }> = {
  orders: {
    path: "/api/orders?limit=1000",
    name: "orders",
    less: [
      ...["items", "parts", "history", "payments", "cancellations", "returns", "notes"],
      ...["commissions", "tax_lines"],
    ],
  },
  order_items: { path: "/api/orders?limit=1000", name: "orders" },
  products: {
    path: "/api/products?limit=1000",
    name: "products",
    less: ["promotion", "relevance_score"],
    more: { safety: SAFETY },
  },
  inventory: { path: "/api/inventory?limit=1000", name: "inventory" },
  customers: { path: "/api/customers?limit=1000", name: "customers" },
  campaigns: { path: "/api/v1/top-placement/campaigns?limit=1000", name: "campaigns" },
  discounts: { path: "/api/discounts?limit=1000", name: "discounts" },
  commissions: { path: "/api/commissions?limit=1000", name: "commissions" },
  sales: { path: "/api/analytics/sales?period=30d", name: "data" },
  revenue: { path: "/api/analytics/revenue?period=30d", name: "breakdown" },
  segments: { path: "/api/analytics/customers/segments", name: "segments" },
  cohorts: { path: "/api/analytics/cohorts", name: "cohorts" },
  funnel: { path: "/api/analytics/funnel?period=30d", name: "stages" },
};

/** The items of an order, each with the order's fields in an export. */
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

/** The rows of a list in the form of an export. Reports contain the currency once, exports in each row. */
async function listed(as: Person, type: string): Promise<Rows> {
  const { path, name, less = [], more } = lists[type] as (typeof lists)[string];
  const answer = await must("GET", path, { as });
  const beside = ["sales", "revenue", "segments"].includes(type)
    ? { currency: answer.currency }
    : {};
  const rows: Rows = type === "order_items" ? answer[name].flatMap(itemsOf) : answer[name];
  return rows.map((row) => {
    const entries = Object.entries({ ...row, ...beside, ...more });
    return Object.fromEntries(
      entries.filter(([field]) => field !== "tenant_id" && !less.includes(field)),
    );
  });
}

/** Times with the offset of the tenant's time zone. */
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+05:45$/;
const isTime = (value: unknown) => typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value);

/** Rows in an order that depends only on their values. */
const sorted = (rows: Rows) =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/** Rows with normalised times and sorted fields. */
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
  it("has the values of the API in each format", async () => {
    // The times of a file are local themselves.
    const expected = (await listed(testTenant.operator, type)).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !name.endsWith("_local"))),
    );
    expect(expected.length).toBeGreaterThan(0);
    const [json, csv, xlsx] = await Promise.all(
      ["json", "csv", "xlsx"].map((format) => exported(testTenant.operator, { type, format })),
    );
    const rows = await rowsOf(json);
    expect(json.rows).toBe(rows.length);
    for (const value of rows.flatMap((row) => Object.values(row)).filter(isTime)) {
      expect(value).toMatch(LOCAL);
    }
    expect(comparable(rows)).toEqual(comparable(expected));

    const csvRows = mapCells(await rowsOf(csv), (cell, name) =>
      meaningOf(cell, fieldOf(expected, name)),
    );
    expect(comparable(csvRows)).toEqual(comparable(expected));

    // Cells contain dates and numbers in place of strings.
    const xlsxRows = mapCells(await rowsOf(xlsx), (cell, name) =>
      isNested(fieldOf(rows, name)) && cell !== null ? JSON.parse(cell) : cell,
    );
    expect(xlsxRows).toEqual(mapCells(rows, cellOf));
  });
});

/** Replaces each value. `replace` also gets the name of its column. */
const mapCells = (rows: Rows, replace: (cell: Rows[number][string], name: string) => unknown) =>
  rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, replace(cell, name)])),
  );

/** The first value of a field that is not null, if there is one. */
const fieldOf = (rows: Rows, name: string) =>
  rows.map((row) => row[name]).find((value) => value !== null && value !== undefined);

const isNested = (value: unknown) => typeof value === "object" && value !== null;

/** The value of a CSV cell, in a field with values like `like`. Empty strings and null look the same. */
function meaningOf(cell: string, like: unknown): unknown {
  if (cell === "") return like === "" ? "" : null;
  if (typeof like === "number") return Number(cell);
  if (typeof like === "boolean") return cell === "true";
  if (isNested(like)) return JSON.parse(unguarded(cell));
  return unguarded(cell);
}

/** The expected cell of a workbook: times are local to the tenant, and XML normalises line ends. */
function cellOf(value: unknown): unknown {
  if (value === "") return null;
  if (isTime(value)) return new Date(`${/^[^.+]*(\.\d{1,3})?/.exec(value as string)?.[0]}Z`);
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)) return new Date(value);
  return typeof value === "string" ? value.replaceAll("\r\n", "\n") : value;
}

describe("a cell that a spreadsheet would execute", () => {
  it("is a text in csv and xlsx and unchanged in json", async () => {
    const [csv, xlsx, json] = await Promise.all(
      ["csv", "xlsx", "json"].map((format) =>
        exported(testTenant.operator, { type: "products", format }),
      ),
    );
    const file = (await bytesOf(csv.url)).toString();
    for (const name of [NAMES.plus, NAMES.minus, NAMES.at]) expect(file).toContain(`,'${name},`);
    expect(file).toContain(`"'=HYPERLINK(""https://evil.example"",""click"")"`);
    expect(file).toContain(`"'\t'=1"`);
    expect(file).toContain(`"1;'=cmd|' /C calc'!A0;2"`);

    const names = Object.values(NAMES).toSorted();
    const namesOf = (rows: Rows) => rows.map(({ name }) => name).toSorted();
    // A formula would be an object.
    expect(namesOf(await rowsOf(xlsx))).toEqual(
      names.map((name) => name.replace("\r\n", "\n")).toSorted(),
    );
    expect(namesOf(await rowsOf(json))).toEqual(names);
  });

  it("keeps a text in xlsx that looks like an escaped character", async () => {
    const { url } = await exported(testTenant.operator, { type: "products", format: "xlsx" });
    const { entries } = await unzip(new Uint8Array(await bytesOf(url)));
    const texts = await entries["xl/sharedStrings.xml"]?.text();
    expect(texts).toContain(">part _x005F_x0041_ or _x005F_x000D_x005F_x0042_<");
    expect(texts).toContain(">caf_x005F_x00e9_<");
    const names = (await rowsOf({ format: "xlsx", urls: [url] })).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([NAMES.escaped, NAMES.lowercase]));
  });

  it("is not a number, whatever its sign", async () => {
    const { operator, customer, marketplace } = await openTestTenant();
    // Placed long ago and returned yesterday.
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const product = await listProduct(operator);
    const line = {
      ...orderFor(product, 2),
      items: [{ product_id: product.id, quantity: 2, price: 9.5 }],
      external_id: "old-1",
      customer: { email: customer.email },
      marketplace_id: marketplace.id,
      status: "returned",
      payment_status: "refunded",
      placed_at: daysAgo(40),
      completed_at: daysAgo(39),
      returned_at: daysAgo(1),
    };
    const imported = await call("POST", "/api/orders/import", {
      as: operator,
      body: JSON.stringify(line),
      headers: { "content-type": "application/x-ndjson" },
    });
    expect(imported.body).toMatchObject({ imported: 1 });
    const sales = { type: "sales", period: "yesterday" };
    const file = await bytesOf((await exported(operator, sales)).url);
    expect(file.toString()).toMatch(/^\d{4}-\d\d-\d\d,-19\.0+,-19\.0+,0,0,,0,0,19\.0+,EUR\r$/m);
    expect(await rowsOf(await exported(operator, { ...sales, format: "xlsx" }))).toMatchObject([
      { revenue: -19 },
    ]);
  });
});

describe("a workbook", () => {
  it("has a header that stays in view, wide columns, and formats of dates and times", async () => {
    const { url } = await exported(testTenant.operator, { type: "orders", format: "xlsx" });
    const workbook = new exceljs.Workbook();
    await workbook.xlsx.load((await bytesOf(url)) as never);
    const [sheet, ...others] = workbook.worksheets as [exceljs.Worksheet];
    expect(others).toEqual([]);
    expect(sheet.name).toBe("orders");
    expect(sheet.views).toMatchObject([{ state: "frozen", ySplit: 1 }]);
    const names = (sheet.getRow(1).values as string[]).slice(1);
    expect(names.map((_, at) => sheet.getColumn(at + 1).width)).toEqual(names.map(() => 20));
    const created = sheet.getRow(2).getCell(names.indexOf("created_at") + 1);
    expect(created.numFmt).toBe("yyyy-mm-dd hh:mm:ss");
    expect(created.value).toBeInstanceOf(Date);
  });

  it("has at most 16 million characters", async () => {
    const fields: Field[] = [{ name: "description", kind: "text" }];
    async function* rows(count: number) {
      for (let i = 0; i < count; i++) yield ["x".repeat(32_000)];
    }
    await expect(writeXlsx("products", fields, rows(501))).rejects.toThrow(/choose csv/);
    expect((await writeXlsx("products", fields, rows(500))).length).toBeGreaterThan(0);
  });

  it("ends with what its rows have thrown", async () => {
    async function* rows() {
      yield ["x"];
      throw new LeaseLost("taken over");
    }
    const fields: Field[] = [{ name: "name", kind: "text" }];
    await expect(writeXlsx("products", fields, rows())).rejects.toBeInstanceOf(LeaseLost);
  });
});

describe("the file of an export", () => {
  it.each(["csv", "json", "xlsx"])("of format %s is not cached without asking", async (format) => {
    const { url } = await exported(testTenant.operator, { type: "orders", format });
    const path = new URL(url).pathname.split("/exports/")[1] as string;
    const { data } = await supabaseAsService().storage.from("exports").info(path);
    expect(data?.cacheControl).toBe("private, no-cache");
    // A signed address is kept until it expires, a day later.
    const answer = await fetch(url);
    expect(answer.headers.get("cache-control")).toBeNull();
    const expires = Date.parse(answer.headers.get("expires") as string) - Date.now();
    expect(expires).toBeLessThanOrEqual(24 * 3600 * 1000);
    await answer.body?.cancel();
  });
});

describe("csv", () => {
  it("starts with a byte order mark if requested, otherwise with its columns", async () => {
    const request = { type: "order_items" };
    const [plain, marked] = await Promise.all([
      exported(testTenant.operator, request).then(({ url }) => bytesOf(url)),
      exported(testTenant.operator, { ...request, bom: true }).then(({ url }) => bytesOf(url)),
    ]);
    expect(plain.toString()).toMatch(/^id,order_id,number,/);
    expect(marked.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(marked.subarray(3)).toEqual(plain);
    expect(plain.toString().split("\r\n")).toHaveLength(1 + 3 + 1 + 1);
  });

  it("contains its columns if there are no rows, and json is an empty array", async () => {
    const none = { type: "orders", period: "custom", from: "2020-01-01", to: "2020-01-31" };
    const csv = await exported(testTenant.operator, none);
    expect(csv).toMatchObject({ rows: 0, period: "custom", from: "2020-01-01", to: "2020-01-31" });
    expect((await bytesOf(csv.url)).toString()).toMatch(/^id,number,.*updated_at\r\n$/);
    const json = await exported(testTenant.operator, { ...none, format: "json" });
    expect(JSON.parse((await bytesOf(json.url)).toString())).toEqual([]);
    const xlsx = await exported(testTenant.operator, { ...none, format: "xlsx" });
    expect(await rowsOf(xlsx)).toEqual([]);
  });
});
