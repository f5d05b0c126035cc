import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  addCategory,
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
  type TestTenant,
} from "../souk.js";
import { dateIn } from "./visiting.js";

// Dashboards: who owns them, which queries they accept, and what they show.

const DASHBOARDS = "/api/analytics/dashboards";

let testTenant: TestTenant;
let client: Person;
let rival: Person;
let supplierId: string;
let rivalId: string;

beforeAll(async () => {
  testTenant = await openTestTenant();
  const { tenantId, supplier, customer } = testTenant;
  [client, rival] = await Promise.all([
    registerClient(tenantId),
    register({ tenant_id: tenantId, role: "supplier" }),
  ]);
  [supplierId, rivalId] = (
    await Promise.all([supplier, rival].map((as) => must("GET", "/auth/me", { as })))
  ).map(({ supplier_id }) => supplier_id) as [string, string];
  const lamp = await listProduct(supplier, { name: "Lamp" });
  await must("POST", "/api/orders", { as: customer, body: orderFor(lamp, 2) });
});

const widget = (overrides: object = {}) => ({
  type: "line",
  title: "Sales",
  query: "/api/analytics/sales?period=7d",
  ...overrides,
});
const asking = (path: string) => widget({ query: `/api/analytics/${path}` });

const create = (as: Person, widgets: unknown[], name = "Mine") =>
  call("POST", DASHBOARDS, { as, body: { name, widgets } });
const made = async (as: Person, ...widgets: object[]) => {
  const { body, status } = await create(as, widgets);
  expect(status).toBe(201);
  return body;
};
const dataOf = async (as: Person, { id }: { id: string }) =>
  (await must("GET", `${DASHBOARDS}/${id}/data`, { as })).widgets;
const idsOf = async (as: Person) =>
  (await must("GET", DASHBOARDS, { as })).dashboards.map(({ id }: { id: string }) => id);

describe("every tenant", () => {
  it("starts with one dashboard", async () => {
    const fresh = await openTestTenant();
    const { dashboards } = await must("GET", DASHBOARDS, { as: fresh.operator });
    expect(dashboards).toMatchObject([{ name: "Overview", supplier_id: null }]);
    const kinds = dashboards[0].widgets.map(({ type }: { type: string }) => type);
    expect(new Set(kinds)).toEqual(new Set(["metric", "line", "bar", "table", "funnel", "cohort"]));
  });

  it("gets the same data for each of its paths through the API and through supabase-js", async () => {
    const { dashboards } = await must("GET", DASHBOARDS, { as: testTenant.operator });
    const [{ id, widgets }] = dashboards;
    for (const person of [testTenant.operator, client]) {
      const shown = await dataOf(person, { id });
      const { data } = await supabaseAs(person)
        .rpc("analytics_dashboard", { dashboard_id: id })
        .throwOnError();
      expect(data).toEqual({ widgets: shown });
      expect(shown).toHaveLength(widgets.length);
      for (const [place, { title, type, query }] of widgets.entries()) {
        const asked = await must("GET", query, { as: person });
        expect(shown[place]).toEqual({ title, type, data: asked });
      }
    }
    const [{ data }] = await dataOf(testTenant.operator, { id });
    expect(data).toMatchObject({ revenue: { total: 25 }, orders: { total: 1 } });
  });
});

describe("a dashboard", () => {
  it("can be created, read, changed and deleted", async () => {
    const one = await made(testTenant.operator, widget(), asking("overview"));
    const path = `${DASHBOARDS}/${one.id}`;
    expect(one).toMatchObject({ name: "Mine", supplier_id: null, widgets: [widget(), {}] });
    expect(await must("GET", path, { as: client })).toEqual(one);
    const fields = { name: "Another", widgets: [asking("funnel?period=today")] };
    const changed = await must("PUT", path, { as: client, body: fields });
    expect(changed).toEqual({ ...one, ...fields, updated_at: expect.any(String) });
    // With the body that was read.
    expect(await must("PUT", path, { as: client, body: changed })).toMatchObject(fields);
    expect((await call("DELETE", path, { as: client })).status).toBe(204);
    for (const method of ["GET", "DELETE"]) {
      expectRefusal(await call(method, path, { as: client }), 404, "NOT_FOUND");
    }
    expectRefusal(await call("GET", `${path}/data`, { as: client }), 404, "NOT_FOUND");
  });

  it("is not changed by somebody who read an older state", async () => {
    const one = await made(testTenant.operator, widget());
    const path = `${DASHBOARDS}/${one.id}`;
    const { updated_at } = one;
    const read = await call("GET", path, { as: client });
    expect(read.headers.get("etag")).toBe(`"${updated_at}"`);
    const fields = { name: "Theirs", widgets: [] };
    const changed = await call("PUT", path, { as: client, body: { ...fields, updated_at } });
    expect(changed).toMatchObject({ status: 200, body: fields });
    expect(changed.headers.get("etag")).toBe(`"${changed.body.updated_at}"`);
    const put = (body: object, header?: string) =>
      call("PUT", path, {
        as: testTenant.operator,
        body: { name: "Mine", widgets: [], ...body },
        ...(header && { headers: { "if-match": header } }),
      });
    const stale = { field: "updated_at", value: updated_at };
    for (const refused of [await put({ updated_at }), await put({}, `"${updated_at}"`)]) {
      expectRefusal(refused, 409, "CONFLICT", stale);
    }
    expectRefusal(await put({}, updated_at), 400, "INVALID_REQUEST", { field: "If-Match" });
    expectRefusal(await put({ updated_at: "now" }), 422, "VALIDATION_ERROR", {
      field: "updated_at",
    });
    const direct = await supabaseAs(testTenant.operator).rpc("update_dashboard", {
      dashboard_id: one.id,
      changes: { name: "Mine", updated_at },
    });
    expect([direct.status, direct.error?.message]).toEqual([409, "CONFLICT"]);
    expect(await must("GET", path, { as: client })).toEqual(changed.body);
    for (const header of [changed.headers.get("etag") as string, "*"]) {
      expect((await put({}, header)).status).toBe(200);
    }
  });

  it("is created once for an Idempotency-Key", async () => {
    const send = () =>
      call("POST", DASHBOARDS, {
        as: client,
        body: { name: "Once", widgets: [] },
        headers: { "idempotency-key": `dashboard ${client.id}` },
      });
    const [first, again] = [await send(), await send()];
    expect(first.headers.get("location")).toBe(`/functions/v1${DASHBOARDS}/${first.body.id}`);
    expect(again.body).toEqual(first.body);
  });

  it("of a supplier belongs to its members, and one of admins and clients to the tenant", async () => {
    const [ours, theirs] = [await made(testTenant.operator, widget()), await made(rival, widget())];
    const colleague = await register({ tenant_id: testTenant.tenantId, role: "supplier" });
    await query("update public.members set supplier_id = $1 where user_id = $2", [
      rivalId,
      colleague.id,
    ]);
    expect(theirs.supplier_id).toBe(rivalId);
    for (const person of [rival, colleague]) expect(await idsOf(person)).toEqual([theirs.id]);
    expect(await idsOf(testTenant.supplier)).toEqual([]);
    for (const person of [testTenant.operator, client]) {
      expect(await idsOf(person)).toContain(ours.id);
      expect(await idsOf(person)).not.toContain(theirs.id);
    }
    const strangers: [Person, { id: string }][] = [
      [rival, ours],
      [testTenant.supplier, theirs],
      [testTenant.operator, theirs],
      [(await openTestTenant()).operator, ours],
      [(await openTestTenant()).supplier, theirs],
    ];
    for (const [stranger, { id }] of strangers) {
      const path = `${DASHBOARDS}/${id}`;
      const body = { name: "Stolen", widgets: [] };
      expectRefusal(await call("GET", path, { as: stranger }), 404, "NOT_FOUND");
      expectRefusal(await call("PUT", path, { as: stranger, body }), 404, "NOT_FOUND");
      expectRefusal(await call("DELETE", path, { as: stranger }), 404, "NOT_FOUND");
      expectRefusal(await call("GET", `${path}/data`, { as: stranger }), 404, "NOT_FOUND");
      const db = supabaseAs(stranger);
      expect((await db.from("dashboards").select().eq("id", id)).data).toEqual([]);
      expect(
        (await db.from("dashboards").update({ name: "x" }).eq("id", id).select()).data,
      ).toEqual([]);
      const { status } = await db.rpc("analytics_dashboard", { dashboard_id: id });
      expect(status).toBe(404);
    }
    const { error } = await supabaseAs(rival)
      .from("dashboards")
      .insert({ name: "Planted", supplier_id: null as never });
    expect(error?.code).toBe("42501");
  });

  it("is refused to customers and guests", async () => {
    const { id } = await made(testTenant.operator, widget());
    for (const person of [testTenant.customer, await openGuest(testTenant.marketplace)]) {
      const tries: [method: string, path: string, body?: object][] = [
        ["GET", DASHBOARDS],
        ["POST", DASHBOARDS, { name: "Mine", widgets: [] }],
        ["GET", `${DASHBOARDS}/${id}`],
        ["PUT", `${DASHBOARDS}/${id}`, { name: "Mine", widgets: [] }],
        ["DELETE", `${DASHBOARDS}/${id}`],
        ["GET", `${DASHBOARDS}/${id}/data`],
      ];
      for (const [method, path, body] of tries) {
        expectRefusal(await call(method, path, { as: person, body }), 403, "FORBIDDEN");
      }
      expect((await supabaseAs(person).from("dashboards").select()).data).toEqual([]);
    }
  });

  it("shows a supplier only its own figures", async () => {
    const query_ = `overview?period=7d&supplier_id=${supplierId}`;
    const own = await made(testTenant.supplier, asking("overview?period=7d"), asking(query_));
    const revenues = (await dataOf(testTenant.supplier, own)).map(
      ({ data }: { data: { revenue: { total: number } } }) => data.revenue.total,
    );
    expect(revenues).toEqual([25, 25]);
    const other = await made(rival, asking("overview?period=7d"));
    expect((await dataOf(rival, other))[0].data.revenue.total).toBe(0);
  });

  it("shows its other widgets when one query is no longer valid", async () => {
    const category = await addCategory(testTenant.operator, "Short-lived");
    const { id } = await made(
      testTenant.operator,
      asking(`sales?category=${category}`),
      asking("overview"),
    );
    await must("DELETE", `/api/categories/${category}`, { as: testTenant.operator });
    const [gone, there] = await dataOf(testTenant.operator, { id });
    expect(gone).toEqual({
      title: "Sales",
      type: "line",
      data: null,
      error: {
        code: "NOT_FOUND",
        message: "There is no such category.",
        details: { field: "category", value: category },
      },
    });
    expect(there.data).toMatchObject({ orders: { total: 1 } });
    // A stored query is not checked again, because its category's name can change.
    const { error } = await supabaseAs(testTenant.operator)
      .from("dashboards")
      .update({ name: "Renamed", widgets: [asking(`sales?category=${category}`)] })
      .eq("id", id);
    expect(error).toBeNull();
  });

  it("is refused after a hundred, also when two are created at the same time", async () => {
    const { tenantId, operator, supplier } = await openTestTenant();
    await query(
      `insert into public.dashboards (tenant_id, supplier_id, name)
       select $1, null, 'One of many ' || n from generate_series(1, 98) as n`,
      [tenantId],
    );
    const answers = await Promise.all([create(operator, []), create(operator, [])]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422]);
    expectRefusal(await create(operator, []), 422, "LIMIT_REACHED", {
      cap: "dashboards_per_owner",
      maximum: 100,
    });
    expect((await create(supplier, [])).status).toBe(201);
  });
});

describe("a widget", () => {
  const longAgo = dateIn("UTC", Date.now() - 450 * 86_400_000);

  it.each([
    ["another type", widget({ type: "pie" }), "type"],
    ["no type", { title: "Sales", query: "/api/analytics/sales" }, "type"],
    ["no title", widget({ title: "" }), "title"],
    ["a title of spaces", widget({ title: "  " }), "title"],
    ["a title that is too long", widget({ title: "x".repeat(201) }), "title"],
    ["no query", widget({ query: "" }), "query"],
    ["a query that is not a text", widget({ query: 5 }), "query"],
    ["a query that is too long", asking(`sales?period=${"x".repeat(1000)}`), "query"],
    ["an unknown field", widget({ color: "red" }), "color"],
    [
      "a URL on another host",
      widget({ query: "https://example.com/api/analytics/sales" }),
      "query",
    ],
    ["another path", widget({ query: "/api/orders" }), "query"],
    ["an unknown path", asking("weather"), "query"],
    ["a path without figures", asking("dashboards"), "query"],
    ["a way up", asking("../orders"), "query"],
    ["an unknown parameter", asking("sales?color=red"), "query"],
    ["a parameter of another path", asking("funnel?group_by=day"), "query"],
    ["a parameter twice", asking("sales?period=7d&period=7d"), "query"],
    ["a parameter without a value", asking("sales?period="), "query"],
    ["a parameter without a name", asking("sales?7d"), "query"],
    ["two question marks", asking("sales?period=7d?group_by=day"), "query"],
    ["a percent-encoded value", asking("sales?period=%37d"), "query"],
    ["another period", asking("sales?period=week"), "query"],
    ["a period without its days", asking("overview?period=custom&from=2026-01-01"), "query"],
    [
      "a day that does not exist",
      asking("sales?period=custom&from=2026-02-30&to=2026-03-01"),
      "query",
    ],
    ["a reversed period", asking("sales?period=custom&from=2026-03-02&to=2026-03-01"), "query"],
    ["hours over 90 days", asking("sales?period=90d&group_by=hour"), "query"],
    ["an unknown group_by", asking("sales?group_by=minute"), "query"],
    [
      "a funnel for days that are no longer kept",
      asking(`funnel?period=custom&from=${longAgo}&to=${longAgo}`),
      "query",
    ],
    ["an unknown basis", asking("revenue?basis=paid"), "query"],
    ["an unknown breakdown", asking("revenue?by=color"), "query"],
    ["an unknown currency", asking("revenue?currency=QQQ"), "query"],
    ["a limit that is not a number", asking("products/top?limit=ten"), "query"],
    ["an unknown type of cohorts", asking("cohorts?type=cakes"), "query"],
    ["too many months", asking("cohorts?months=37"), "query"],
    ["an invalid id", asking("sales?marketplace_id=mine"), "query"],
    ["an unknown marketplace", asking(`sales?marketplace_id=${randomUUID()}`), "query"],
    ["an unknown category", asking(`sales?category=${randomUUID()}`), "query"],
  ])("with %s is refused by the API and by supabase-js", async (_, odd, field) => {
    const where = { field: `widgets[1].${field}` };
    expectRefusal(
      await create(testTenant.operator, [widget(), odd]),
      422,
      "VALIDATION_ERROR",
      where,
    );
    const db = supabaseAs(testTenant.operator);
    const inserted = await db.from("dashboards").insert({ name: "Mine", widgets: [widget(), odd] });
    const called = await db.rpc("create_dashboard", { name: "Mine", widgets: [widget(), odd] });
    for (const { error, status } of [inserted, called]) {
      expect({ status, code: error?.message }).toEqual({ status: 422, code: "VALIDATION_ERROR" });
      expect(JSON.parse(error?.details ?? "{}")).toMatchObject(where);
    }
    const { id } = await made(testTenant.operator);
    const body = { name: "Mine", widgets: [widget(), odd] };
    const put = await call("PUT", `${DASHBOARDS}/${id}`, { as: testTenant.operator, body });
    expectRefusal(put, 422, "VALIDATION_ERROR", where);
    await must("DELETE", `${DASHBOARDS}/${id}`, { as: testTenant.operator });
  });

  it("is refused if it queries another supplier's or tenant's figures", async () => {
    const asks: [Person, string][] = [
      [testTenant.supplier, `sales?supplier_id=${rivalId}`],
      [(await openTestTenant()).operator, `sales?marketplace_id=${testTenant.marketplace.id}`],
      [(await openTestTenant()).operator, `funnel?supplier_id=${supplierId}`],
    ];
    for (const [person, path] of asks) {
      const answer = await create(person, [asking(path)]);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "widgets[0].query" });
    }
  });

  it("is limited to 20 per dashboard, and the dashboard needs a name", async () => {
    const many = Array.from({ length: 21 }, () => widget());
    const refused: [body: object, field: string][] = [
      [{ name: "Mine", widgets: many }, "widgets"],
      [{ name: "Mine", widgets: widget() }, "widgets"],
      [{ name: "", widgets: [] }, "name"],
      [{ name: " ", widgets: [] }, "name"],
      [{ name: "x".repeat(201), widgets: [] }, "name"],
      [{ widgets: [] }, "name"],
    ];
    const db = supabaseAs(testTenant.operator);
    for (const [body, field] of refused) {
      const answer = await call("POST", DASHBOARDS, { as: testTenant.operator, body });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
      expect((await db.from("dashboards").insert(body as never)).error).not.toBeNull();
    }
    expect((await made(testTenant.operator, ...many.slice(1))).widgets).toHaveLength(20);
  });
});
