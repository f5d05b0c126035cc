import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  type Person,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import {
  addCustomers,
  askFor,
  type Export,
  exportBecomes,
  exported,
  getExport,
  occupy,
  rowsOf,
  tryExport,
  vacate,
} from "./exporting.js";

// Permissions for exports: who may request which, who sees it, and for how long.

let testTenant: TestTenant;
let rival: Person;
let client: Person;

beforeAll(async () => {
  testTenant = await openTestTenant();
  const { tenantId, supplier, customer } = testTenant;
  [rival, client] = await Promise.all([
    register({ tenant_id: tenantId, role: "supplier" }),
    registerClient(tenantId),
  ]);
  const [mine, theirs] = await Promise.all([
    listProduct(supplier, { name: "Mine", price: 10 }),
    listProduct(rival, { name: "Theirs", price: 4 }),
  ]);
  const both = {
    items: [mine, theirs].map(({ id, price }) => ({ product_id: id, quantity: 1, price })),
  };
  await must("POST", "/api/orders", { as: customer, body: orderFor(mine, 1, both) });
  await must("POST", "/api/orders", { as: customer, body: orderFor(theirs) });
});

/** Every type of an export. */
const TYPES = [
  ...["sales", "revenue", "orders", "order_items", "products", "inventory", "customers"],
  ...["segments", "cohorts", "funnel", "campaigns", "commissions", "discounts"],
];

const pathsIn = async ({ id }: Export): Promise<string[]> => {
  const { data } = await supabaseAsService()
    .storage.from("exports")
    .list(testTenant.tenantId, { limit: 1000, search: id });
  return (data ?? []).map(({ name }) => name);
};

describe("a request", () => {
  it("exports the rows that the member may see: for a supplier, its own", async () => {
    const { supplier, operator } = testTenant;
    const of = async (as: Person, type: string) => rowsOf(await exported(as, { type }));
    expect((await of(supplier, "products")).map(({ name }) => name)).toEqual(["Mine"]);
    expect((await of(supplier, "order_items")).map(({ name }) => name)).toEqual(["Mine"]);
    expect((await of(supplier, "inventory")).map(({ product_name }) => product_name)).toEqual([
      "Mine",
    ]);
    expect(await of(supplier, "orders")).toMatchObject([{ number: "1", total_amount: "10.00" }]);
    expect(await of(rival, "orders")).toMatchObject([
      { number: "2", total_amount: "4.00" },
      { number: "1", total_amount: "4.00" },
    ]);
    expect(await of(rival, "sales")).toContainEqual(expect.objectContaining({ revenue: "8.00" }));
    expect(await of(supplier, "customers")).toEqual([
      expect.objectContaining({ name: "", email: "", user_id: "", external_id: "" }),
    ]);
    for (const as of [operator, client]) {
      expect(await rowsOf(await exported(as, { type: "orders" }))).toMatchObject([
        { number: "2", total_amount: "4.00" },
        { number: "1", total_amount: "14.00" },
      ]);
    }
    expect(await of(client, "customers")).toContainEqual(
      expect.objectContaining({ email: testTenant.customer.email }),
    );
  });

  it("exports all discounts to those who see all, and to a supplier its own", async () => {
    const { operator, supplier } = testTenant;
    const make = (as: Person, code: string) =>
      must("POST", "/api/discounts", { as, body: { code, kind: "percentage", value: 10 } });
    await Promise.all([make(operator, "OURS"), make(supplier, "MINE"), make(rival, "THEIRS")]);
    const of = async (as: Person, request: object = {}) => {
      const rows = await rowsOf(await exported(as, { type: "discounts", ...request }));
      return rows.map(({ code, uses, costs }) => [code, uses, costs].join(" ")).toSorted();
    };
    const all = ["MINE 0 []", "OURS 0 []", "THEIRS 0 []"];
    expect(await of(operator)).toEqual(all);
    expect(await of(client)).toEqual(all);
    expect(await of(supplier)).toEqual(["MINE 0 []"]);
    const { supplier_id } = await must("GET", "/auth/me", { as: rival });
    expect(await of(operator, { supplier_id })).toEqual(["THEIRS 0 []"]);
    expect(await of(operator, { marketplace_id: testTenant.marketplace.id })).toEqual([]);
  });

  it("can be filtered by marketplace, supplier, category and currency", async () => {
    const { operator, supplier } = testTenant;
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const all = { type: "order_items", format: "json" };
    const of = async (request: object) =>
      (await rowsOf(await exported(operator, { ...all, ...request }))).map(({ name }) => name);
    expect(await of({ supplier_id })).toEqual(["Mine"]);
    expect(await of({ marketplace_id: testTenant.marketplace.id })).toHaveLength(3);
    const { id: category } = await must("POST", "/api/categories", {
      as: operator,
      body: { name: "Empty" },
    });
    expect(await of({ category })).toEqual([]);
    expect(await of({ currency: "EUR" })).toHaveLength(3);
    expect(await of({ currency: "CHF" })).toEqual([]);
    const report = await exported(operator, { type: "revenue", by: "supplier", format: "json" });
    expect(await rowsOf(report)).toMatchObject([{ id: supplier_id, revenue: 10 }, { revenue: 8 }]);
  });

  it("of a customer, a guest or an anonymous caller is refused", async () => {
    const guest = await openGuest(testTenant.marketplace);
    for (const type of TYPES) {
      for (const as of [testTenant.customer, guest]) {
        expectRefusal(await tryExport(as, { type }), 403, "FORBIDDEN");
      }
    }
    expectRefusal(
      await call("POST", "/api/analytics/export", { body: { type: "orders", format: "csv" } }),
      401,
      "UNAUTHORIZED",
    );
  });

  it("with an unknown or another supplier, marketplace or category is refused", async () => {
    const { supplier_id } = await must("GET", "/auth/me", { as: rival });
    const request = { type: "orders" };
    expectRefusal(
      await tryExport(testTenant.supplier, { ...request, supplier_id }),
      403,
      "FORBIDDEN",
      {
        field: "supplier_id",
      },
    );
    const neighbour = await openTestTenant();
    const foreign = {
      marketplace_id: neighbour.marketplace.id,
      supplier_id: (await must("GET", "/auth/me", { as: neighbour.supplier })).supplier_id,
      category: randomUUID(),
    };
    for (const [field, id] of Object.entries(foreign)) {
      expectRefusal(
        await tryExport(testTenant.operator, { ...request, [field]: id }),
        404,
        "NOT_FOUND",
        {
          field,
          value: id,
        },
      );
    }
  });

  it.each([
    ["type", { type: "passwords" }],
    ["format", { type: "orders", format: "pdf" }],
    ["period", { type: "orders", period: "2d" }],
    ["from", { type: "orders", period: "custom", to: "2026-01-01" }],
    ["to", { type: "orders", period: "custom", from: "2026-01-01" }],
    ["to", { type: "orders", period: "custom", from: "2026-02-01", to: "2026-01-01" }],
    ["to", { type: "products", period: "custom", from: "2020-01-01", to: "2026-01-01" }],
    ["from", { type: "orders", period: "30d", from: "2026-01-01" }],
    ["from", { type: "funnel", period: "custom", from: "2020-01-01", to: "2020-02-01" }],
    ["currency", { type: "sales", currency: "euro" }],
    ["currency", { type: "orders", currency: "QQQ" }],
    ["by", { type: "orders", by: "product" }],
    ["by", { type: "revenue", by: "colour" }],
    ["email", { type: "orders", email: "nobody@example.com" }],
    ["colour", { type: "orders", colour: "red" }],
  ])("with a wrong %s is refused", async (field, request) => {
    expectRefusal(await tryExport(testTenant.operator, request), 422, "VALIDATION_ERROR", {
      field,
    });
  });

  it("only accepts the email of an active member", async () => {
    const { operator, customer } = testTenant;
    const email = customer.email.toUpperCase();
    expect(await askFor(operator, { type: "products", email })).toMatchObject({
      email: customer.email,
    });
    const neighbour = await openTestTenant();
    const left = await register({ tenant_id: testTenant.tenantId });
    await must("PATCH", `/api/members/${left.id}`, { as: operator, body: { status: "suspended" } });
    for (const { email } of [neighbour.operator, left]) {
      expectRefusal(
        await tryExport(operator, { type: "products", email }),
        422,
        "VALIDATION_ERROR",
        { field: "email" },
      );
    }
  });

  it("is answered with the location of the export", async () => {
    const asked = await tryExport(testTenant.operator, { type: "orders" });
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({ status: "queued", progress: 0, url: null, urls: [] });
    const location = asked.headers.get("location") as string;
    expect(location).toBe(`/functions/v1/api/analytics/exports/${asked.body.id}`);
    const there = await must("GET", location.replace("/functions/v1", ""), {
      as: testTenant.operator,
    });
    expect(there.id).toBe(asked.body.id);
  });

  it("may take 30 seconds to count its rows", async () => {
    const settings = await query<{ config: string[] }>(
      `select proconfig as config from pg_proc
       where oid in ('public.create_export'::regproc, 'public.perform_once'::regproc)`,
    );
    for (const { config } of settings) expect(config).toContain("statement_timeout=30s");
  });

  it("with the same Idempotency-Key gets the same export", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const ask = () =>
      call("POST", "/api/analytics/export", {
        as: testTenant.operator,
        body: { type: "orders", format: "csv" },
        headers,
      });
    const [first, second] = [await ask(), await ask()];
    expect(second.status).toBe(202);
    expect(second.body.id).toBe(first.body.id);
  });
});

describe("an export", () => {
  it("is visible to the member who requested it and to admins, and to nobody else", async () => {
    const { operator, supplier, customer } = testTenant;
    const own = await exported(supplier, { type: "products" });
    const neighbour = await openTestTenant();
    for (const as of [supplier, operator]) {
      expect((await getExport(as, own)).url).toMatch(/^http/);
      const { exports } = await must("GET", "/api/analytics/exports", { as });
      expect(exports).toContainEqual(expect.objectContaining({ id: own.id }));
    }
    for (const as of [client, rival, customer, neighbour.operator, neighbour.supplier]) {
      const path = `/api/analytics/exports/${own.id}`;
      expectRefusal(await call("GET", path, { as }), 404, "NOT_FOUND");
      expectRefusal(await call("DELETE", path, { as }), 404, "NOT_FOUND");
      const { exports } = await must("GET", "/api/analytics/exports?limit=1000", { as });
      expect(exports.map(({ id }: Export) => id)).not.toContain(own.id);
      const { data } = await supabaseAs(as).from("exports").select().eq("id", own.id);
      expect(data).toEqual([]);
    }
    expect((await getExport(operator, own)).status).toBe("ready");
  });

  it("is no longer visible to a member who was moved to another supplier", async () => {
    const { operator, tenantId } = testTenant;
    const turncoat = await register({ tenant_id: tenantId, role: "supplier" });
    const own = await exported(turncoat, { type: "products" });
    const { supplier_id } = await must("GET", "/auth/me", { as: rival });
    await must("PATCH", `/api/members/${turncoat.id}`, { as: operator, body: { supplier_id } });
    const path = `/api/analytics/exports/${own.id}`;
    expectRefusal(await call("GET", path, { as: turncoat }), 404, "NOT_FOUND");
  });

  it("fails if the member who requested it has lost the role", async () => {
    const { operator, tenantId } = testTenant;
    const leaver = await registerClient(tenantId);
    const obstacle = await occupy(tenantId);
    const one = await askFor(leaver, { type: "orders" });
    await must("PATCH", `/api/members/${leaver.id}`, { as: operator, body: { role: "customer" } });
    await vacate(obstacle);
    expect(await exportBecomes(operator, one, "failed")).toMatchObject({
      error: "The member who asked for the export may no longer see these rows.",
      url: null,
    });
  });
});

describe("a file", () => {
  it("has a signed URL for 24 hours and a name with its days", async () => {
    const { operator } = testTenant;
    const ready = await exported(operator, { type: "orders", period: "yesterday", format: "json" });
    expect(ready.urls).toEqual([ready.url]);
    const answer = await fetch((await getExport(operator, ready)).url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("content-disposition")).toContain(
      `orders-${ready.from}-${ready.to}.json`,
    );
    const { iat, exp } = JSON.parse(
      Buffer.from(
        new URL(ready.url).searchParams.get("token")?.split(".")[1] ?? "",
        "base64url",
      ).toString(),
    );
    expect(exp - iat).toBe(24 * 3600);
  });

  it("is signed for members who see the export, and for nobody else", async () => {
    const { operator, supplier, customer } = testTenant;
    const { id } = await exported(supplier, { type: "products" });
    const { data } = await supabaseAs(supplier).from("exports").select("files").eq("id", id);
    const [path] = data?.[0]?.files as [string];
    for (const as of [supplier, operator]) {
      const signed = await supabaseAs(as).storage.from("exports").createSignedUrl(path, 60);
      expect(signed.error).toBeNull();
    }
    const neighbour = await openTestTenant();
    for (const as of [rival, client, customer, neighbour.operator, undefined]) {
      const storage = supabaseAs(as).storage.from("exports");
      expect((await storage.createSignedUrl(path, 60)).error).not.toBeNull();
      expect((await storage.download(path)).error).not.toBeNull();
      expect((await storage.upload(`${testTenant.tenantId}/x.csv`, "x")).error).not.toBeNull();
      expect((await storage.remove([path])).data ?? []).toEqual([]);
    }
    expect(await pathsIn({ id })).toHaveLength(1);
  });

  it("is deleted with its export", async () => {
    const { operator } = testTenant;
    const ready = await exported(operator, { type: "orders" });
    await must("DELETE", `/api/analytics/exports/${ready.id}`, { as: operator });
    const path = `/api/analytics/exports/${ready.id}`;
    expectRefusal(await call("GET", path, { as: operator }), 404, "NOT_FOUND");
    await eventually(async () => expect(await pathsIn(ready)).toEqual([]));
    expect((await fetch(ready.url)).ok).toBe(false);
  });

  it("is deleted after 7 days, and its export after 90", async () => {
    const { operator } = testTenant;
    const ready = await exported(operator, { type: "orders" });
    expect(Date.parse(ready.expires_at) - Date.parse(ready.finished_at)).toBe(7 * 86_400_000);
    await query("update public.exports set expires_at = now() where id = $1", [ready.id]);
    await runJob("sweep-exports");
    expect(await getExport(operator, ready)).toMatchObject({
      ...{ status: "expired", url: null, urls: [], expires_at: null },
      ...{ rows: ready.rows, bytes: ready.bytes },
    });
    await eventually(async () => expect(await pathsIn(ready)).toEqual([]));
    await query(
      "update public.exports set finished_at = now() - interval '90 days' where id = $1",
      [ready.id],
    );
    await runJob("sweep-exports");
    const path = `/api/analytics/exports/${ready.id}`;
    expectRefusal(await call("GET", path, { as: operator }), 404, "NOT_FOUND");
  });
});

describe("the limits", () => {
  it("refuse more rows than the maximum of a format", async () => {
    const { operator, tenantId } = await openTestTenant();
    await addCustomers(tenantId, 40_001);
    const request = { type: "customers" };
    expectRefusal(await tryExport(operator, { ...request, format: "xlsx" }), 422, "LIMIT_REACHED", {
      ...{ field: "format", cap: "export_rows_xlsx", maximum: 20_000 },
    });
    await supabaseAsService().rpc("set_cap", { name: "export_rows", value: 40_000 }).throwOnError();
    try {
      for (const format of ["csv", "json"]) {
        expectRefusal(await tryExport(operator, { ...request, format }), 422, "LIMIT_REACHED", {
          ...{ field: "period", cap: "export_rows", maximum: 40_000 },
        });
      }
    } finally {
      const all = { name: "export_rows", value: 5_000_000 };
      await supabaseAsService().rpc("set_cap", all).throwOnError();
    }
  });

  it("refuse more pending exports than the maximum", async () => {
    const { operator, tenantId } = await openTestTenant();
    for (let waiting = 0; waiting < 20; waiting += 1) await occupy(tenantId);
    expectRefusal(await tryExport(operator, { type: "orders" }), 422, "LIMIT_REACHED", {
      ...{ cap: "exports_waiting", maximum: 20 },
    });
  });

  it("allow one large and one small export of a tenant at a time, whatever other tenants do", async () => {
    const [{ operator, tenantId }, elsewhere] = [await openTestTenant(), await openTestTenant()];
    await addCustomers(tenantId, 50_001);
    const obstacle = await occupy(tenantId, "large");
    const large = await askFor(operator, { type: "customers" });
    const small = await exported(operator, { type: "orders" });
    expect(small.status).toBe("ready");
    await exported(elsewhere.operator, { type: "orders" });
    expect((await getExport(operator, large)).status).toBe("queued");
    const other = await occupy(tenantId, "small");
    const waiting = await askFor(operator, { type: "orders" });
    await vacate(obstacle);
    expect(await exportBecomes(operator, large, "ready")).toMatchObject({ rows: 50_001 + 1 });
    expect((await getExport(operator, waiting)).status).toBe("queued");
    await vacate(other);
    await exportBecomes(operator, waiting, "ready");
  });

  it("cut a text that is too long for the cell of a workbook, which says so", async () => {
    const { operator, supplier } = await openTestTenant();
    const description = `${"x".repeat(32_676)}${"🏺".repeat(60)}`;
    await listProduct(supplier, { description });
    const [whole] = await rowsOf(await exported(operator, { type: "products" }));
    expect(whole?.description).toBe(description);
    const [row] = await rowsOf(await exported(operator, { type: "products", format: "xlsx" }));
    const cut = String(row?.description);
    expect(cut.length).toBeGreaterThan(32_760);
    expect(cut.length).toBeLessThanOrEqual(32_767);
    expect(cut).toMatch(
      /x🏺+ … \[cut: 32796 characters, of which a cell holds 32767; csv has all\]$/u,
    );
  });
});
