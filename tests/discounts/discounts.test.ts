import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import {
  addCategory,
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  persist,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";

// The records of discounts: who makes, reads and changes them, which are refused, and when one can be deleted.

const PATH = "/api/discounts";
const TENTH = { kind: "percentage", value: 10 };
const FIVE_EUROS = { kind: "amount", value: 5, currency: "EUR" };

/** Creates a discount, by default of ten percent without a code, and returns the answer. */
const create = (as: Person, fields: object = {}) =>
  persist("POST", PATH, { as, body: { ...TENTH, ...fields } });

/** The same, and returns the record. */
const make = (as: Person, fields: object = {}) =>
  must("POST", PATH, { as, body: { ...TENTH, ...fields } });

const change = (as: Person, id: string, body: object, headers: Record<string, string> = {}) =>
  persist("PATCH", `${PATH}/${id}`, { as, body, headers });

const idsOf = async (as: Person, search = ""): Promise<string[]> =>
  (await must("GET", `${PATH}${search}`, { as })).discounts.map(({ id }: { id: string }) => id);

/** Counts uses as orders do. */
const use = (id: string, uses = 1) =>
  query("update public.discounts set uses = uses + $2 where id = $1", [id, uses]);

let shop: TestTenant;
let client: Person;
let supplierId: string;

beforeAll(async () => {
  shop = await openTestTenant();
  client = await registerClient(shop.tenantId);
  ({ supplier_id: supplierId } = await must("GET", "/auth/me", { as: shop.supplier }));
});

describe("a discount", () => {
  it("is created, read, changed and deleted by an admin", async () => {
    const { operator, supplier, tenantId, marketplace } = await openTestTenant();
    const category = await addCategory(operator, "Lamps");
    const product = await listProduct(supplier);
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const fields = {
      code: "Summer 10",
      kind: "percentage",
      value: 12.5,
      currency: "EUR",
      marketplace_id: marketplace.id,
      category_ids: [category],
      product_ids: [product.id],
      supplier_ids: [supplier_id],
      minimum_subtotal: 49.9,
      starts_at: "2026-06-01T00:00:00+00:00",
      ends_at: "2026-09-01T00:00:00+00:00",
      uses_total: 1000,
      uses_per_customer: 1,
      borne_by: "supplier",
      status: "paused",
    };
    const made = await create(operator, fields);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ...fields,
      id: expect.any(String),
      tenant_id: tenantId,
      supplier_id: null,
      uses: 0,
      costs: [],
      created_by: operator.id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `${PATH}/${made.body.id}`;
    expect(made.headers.get("location")).toBe(`/functions/v1${path}`);
    expect(made.headers.get("etag")).toBe(`"${made.body.updated_at}"`);
    expect(await must("GET", path, { as: operator })).toEqual(made.body);

    const changes = { ...FIVE_EUROS, code: null, category_ids: null, starts_at: null };
    const { body: changed } = await change(operator, made.body.id, changes);
    expect(changed).toEqual({ ...made.body, ...changes, updated_at: expect.any(String) });
    expect((await call("DELETE", path, { as: operator })).status).toBe(204);
    expectRefusal(await call("GET", path, { as: operator }), 404, "NOT_FOUND");
    expectRefusal(await call("DELETE", path, { as: operator }), 404, "NOT_FOUND");
    expectRefusal(await change(operator, made.body.id, changes), 404, "NOT_FOUND");
  });

  it("is for everything, of the operator and active unless it says otherwise", async () => {
    const none = {
      ...{ code: null, currency: null, marketplace_id: null, minimum_subtotal: null },
      ...{ category_ids: null, product_ids: null, supplier_ids: null },
      ...{ starts_at: null, ends_at: null, uses_total: null, uses_per_customer: null },
    };
    expect(await make(shop.operator, { kind: "free_delivery", value: null })).toMatchObject({
      ...none,
      ...{ kind: "free_delivery", value: null, borne_by: "operator", status: "active" },
    });
    expect(await make(client)).toMatchObject({ ...none, ...TENTH, supplier_id: null });
  });

  it("is created and changed by functions through supabase-js, and by writes to the table", async () => {
    const { operator } = await openTestTenant();
    const db = supabaseAs(operator);
    const { data: made } = await db.rpc("create_discount", FIVE_EUROS).throwOnError();
    expect(made).toMatchObject({ ...FIVE_EUROS, code: null, borne_by: "operator" });
    const changes = { code: "FIVE", ends_at: "2026-09-01T00:00:00+02:00" };
    const { data: changed } = await db
      .rpc("update_discount", { discount_id: made.id, changes })
      .throwOnError();
    expect(changed).toMatchObject({ ...FIVE_EUROS, code: "FIVE" });
    expect(Date.parse(changed.ends_at)).toBe(Date.parse(changes.ends_at));
    const { data } = await db.from("discounts").insert(TENTH).select().single().throwOnError();
    expect(data).toMatchObject({ borne_by: "operator", created_by: operator.id });
    await db.from("discounts").update({ value: 20 }).eq("id", data.id).throwOnError();
    expect(await must("GET", `${PATH}/${data.id}`, { as: operator })).toMatchObject({ value: 20 });
    await db.from("discounts").delete().eq("id", data.id).throwOnError();
    expect(await idsOf(operator)).toEqual([made.id]);
  });

  it("is listed by status, kind, code, marketplace and supplier, the newest first", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const first = await make(operator, { code: "Sommer-Café 5%* (neu)", status: "paused" });
    const second = await make(operator, { ...FIVE_EUROS, marketplace_id: marketplace.id });
    const third = await make(supplier, { code: "Cafe" });
    const { discounts, total } = await must("GET", PATH, { as: operator });
    expect(discounts).toEqual([third, second, first]);
    expect(total).toBe(3);
    const filters: [filter: Record<string, string>, found: { id: string }[]][] = [
      [{ status: "paused" }, [first]],
      [{ kind: "amount" }, [second]],
      [{ code: "SOMMER-Café 5%* (NEU)" }, [first]],
      [{ code: "sommer-Café 5%* (Neu)".normalize("NFD") }, [first]],
      [{ code: "sommer.Café 5%* (neu)" }, []],
      [{ code: "sommer" }, []],
      [{ code: " CAFE " }, [third]],
      [{ marketplace_id: marketplace.id }, [second]],
      [{ supplier_id }, [third]],
      [{ supplier_id, status: "paused" }, []],
      [{ sort: "created_at", order: "asc", limit: "1" }, [first]],
    ];
    for (const [filter, found] of filters) {
      const ids = await idsOf(operator, `?${new URLSearchParams(filter)}`);
      expect([filter, ids]).toEqual([filter, found.map(({ id }) => id)]);
    }
  });

  it("does not change if it has changed since it was read", async () => {
    const { id, updated_at } = await make(shop.operator);
    expect((await change(shop.operator, id, { value: 11, updated_at })).status).toBe(200);
    const outdated = { field: "updated_at", value: updated_at };
    const late = await change(shop.operator, id, { value: 12, updated_at });
    expectRefusal(late, 409, "CONFLICT", outdated);
    const headers = { "if-match": `"${updated_at}"` };
    const tagged = await change(shop.operator, id, { value: 12 }, headers);
    expectRefusal(tagged, 409, "CONFLICT", outdated);
    expect(await must("GET", `${PATH}/${id}`, { as: shop.operator })).toMatchObject({ value: 11 });
  });

  it("is refused above the caps of its tenant and of its supplier", async () => {
    onTestFinished(async () => {
      await query("update private.caps set value = 10000 where name = 'discounts_per_tenant'");
      await query("update private.caps set value = 500 where name = 'discounts_per_supplier'");
    });
    await query("update private.caps set value = 3 where name = 'discounts_per_tenant'");
    await query("update private.caps set value = 1 where name = 'discounts_per_supplier'");
    const { operator, supplier } = await openTestTenant();
    const own = await Promise.all([1, 2, 3].map(() => create(supplier)));
    expect(own.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
    expectRefusal(await create(supplier), 422, "LIMIT_REACHED", {
      cap: "discounts_per_supplier",
      maximum: 1,
    });
    const all = await Promise.all([1, 2, 3].map(() => create(operator)));
    expect(all.map(({ status }) => status).toSorted()).toEqual([201, 201, 422]);
    expectRefusal(await create(operator), 422, "LIMIT_REACHED", {
      cap: "discounts_per_tenant",
      maximum: 3,
    });
    const { error } = await supabaseAs(operator).from("discounts").insert([TENTH, TENTH]);
    expect(error?.message).toBe("LIMIT_REACHED");
    // A discount that exists can still change.
    const [id = ""] = await idsOf(operator);
    expect((await change(operator, id, { value: 20 })).status).toBe(200);
  });
});

describe("an invalid discount", () => {
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
  const wrong: [field: string, fields: object][] = [
    ["code", { code: "" }],
    ["code", { code: " " }],
    ["code", { code: "\u200b" }],
    ["code", { code: "SUMMER " }],
    ["code", { code: "\u00a0SUMMER" }],
    ["code", { code: "x".repeat(51) }],
    ["code", { code: 10 }],
    ["kind", { kind: undefined }],
    ["kind", { kind: null }],
    ["kind", { kind: "gift" }],
    ["value", { value: undefined }],
    ["value", { value: null }],
    ["value", { value: "10" }],
    ["value", { value: 0 }],
    ["value", { value: -1 }],
    ["value", { value: 100.1 }],
    ["value", { value: 1.23456 }],
    ["value", { kind: "free_delivery", value: 1 }],
    ["value", { ...FIVE_EUROS, value: null }],
    ["value", { ...FIVE_EUROS, value: 1.234 }],
    ["value", { ...FIVE_EUROS, value: 0.5, currency: "JPY" }],
    ["value", { ...FIVE_EUROS, value: 1e12 }],
    ["currency", { kind: "amount", value: 5 }],
    ["currency", { minimum_subtotal: 50 }],
    ["currency", { currency: "eur" }],
    ["currency", { currency: "XXX" }],
    ["marketplace_id", { marketplace_id: "souk" }],
    ["category_ids", { category_ids: [] }],
    ["category_ids", { category_ids: "lamps" }],
    ["category_ids", { category_ids: ids(101) }],
    ["category_ids[1]", { category_ids: [randomUUID(), "lamps"] }],
    ["product_ids", { product_ids: [] }],
    ["product_ids", { product_ids: ids(101) }],
    ["product_ids[0]", { product_ids: [null] }],
    ["supplier_ids", { supplier_ids: [] }],
    ["supplier_ids", { supplier_ids: ids(101) }],
    ["supplier_ids[0]", { supplier_ids: [5] }],
    ["minimum_subtotal", { minimum_subtotal: 0, currency: "EUR" }],
    ["minimum_subtotal", { minimum_subtotal: 1.234, currency: "EUR" }],
    ["minimum_subtotal", { minimum_subtotal: 1e12, currency: "EUR" }],
    ["starts_at", { starts_at: "soon" }],
    ["starts_at", { starts_at: "2026-02-30T00:00:00Z" }],
    ["ends_at", { ends_at: "2026-06-01" }],
    ["ends_at", { starts_at: "2026-06-01T00:00:00Z", ends_at: "2026-06-01T00:00:00Z" }],
    ["uses_total", { uses_total: 0 }],
    ["uses_total", { uses_total: 1.5 }],
    ["uses_total", { uses_total: 2 ** 31 }],
    ["uses_per_customer", { uses_per_customer: 0 }],
    ["borne_by", { borne_by: "customer" }],
    ["borne_by", { borne_by: null }],
    ["status", { status: "ended" }],
    ["status", { status: null }],
    // These follow from the caller and from orders.
    ["supplier_id", { supplier_id: randomUUID() }],
    ["uses", { uses: 5 }],
    ["created_by", { created_by: randomUUID() }],
  ];

  it.each(wrong)("is refused by its field: %s, %j", async (field, fields) => {
    expectRefusal(await create(shop.operator, fields), 422, "VALIDATION_ERROR", { field });
  });

  it("is refused by its field when a discount changes, and changes nothing", async () => {
    const before = await make(shop.operator);
    const sent = wrong.filter(([, fields]) => Object.values(fields)[0] !== undefined);
    for (const [field, fields] of sent) {
      const answer = await change(shop.operator, before.id, fields);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    for (const [field, fields] of [
      ["value", { kind: "free_delivery" }],
      ["currency", { kind: "amount" }],
    ] as const) {
      const answer = await change(shop.operator, before.id, fields);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    expectRefusal(await change(shop.operator, before.id, {}), 422, "VALIDATION_ERROR");
    expect(await must("GET", `${PATH}/${before.id}`, { as: shop.operator })).toEqual(before);
  });

  it("is refused in another currency than that of its marketplace", async () => {
    const { operator, marketplace } = shop;
    const dollars = { ...FIVE_EUROS, currency: "USD" };
    const field = { field: "currency", value: "USD" };
    const here = { ...dollars, marketplace_id: marketplace.id };
    expectRefusal(await create(operator, here), 422, "VALIDATION_ERROR", field);
    const { id } = await make(operator, dollars);
    const narrowed = await change(operator, id, { marketplace_id: marketplace.id });
    expectRefusal(narrowed, 422, "VALIDATION_ERROR", { field: "currency" });
  });

  const unknown: [field: string, id: string, fields: object][] = [
    "category_ids",
    "product_ids",
    "supplier_ids",
  ].map((field) => {
    const id = randomUUID();
    return [field, id, { [field]: [id] }];
  });

  it.each(unknown)("is refused for what its tenant has not: %s", async (field, id, fields) => {
    const { operator } = shop;
    const missing = { field, value: id };
    expectRefusal(await create(operator, fields), 404, "NOT_FOUND", missing);
    const made = await make(operator);
    expectRefusal(await change(operator, made.id, fields), 404, "NOT_FOUND", missing);
    for (const { error } of [
      await supabaseAs(operator)
        .from("discounts")
        .insert({ ...TENTH, ...fields }),
      await supabaseAs(operator).rpc("create_discount", { ...TENTH, ...fields }),
    ]) {
      expect(error).toMatchObject({ code: "PT404", message: "NOT_FOUND" });
    }
  });

  it("is refused for a marketplace that the tenant does not have", async () => {
    const missing = { field: "marketplace_id" };
    const answer = await create(shop.operator, { marketplace_id: randomUUID() });
    expectRefusal(answer, 404, "NOT_FOUND", missing);
  });

  it("can still change when a category that it names was deleted", async () => {
    const { operator } = await openTestTenant();
    const [gone, kept] = [await addCategory(operator, "Gone"), await addCategory(operator, "Kept")];
    const { id } = await make(operator, { category_ids: [gone] });
    await must("DELETE", `/api/categories/${gone}`, { as: operator });
    const changes = { value: 20, category_ids: [gone, kept] };
    expect((await change(operator, id, changes)).body).toMatchObject(changes);
    const again = { category_ids: [kept, randomUUID()] };
    expectRefusal(await change(operator, id, again), 404, "NOT_FOUND", { field: "category_ids" });
  });

  it.each([
    ["discounts_code_is_1_to_50_characters", { code: "x".repeat(51) }],
    ["discounts_code_is_more_than_spaces", { code: "\u200b" }],
    ["discounts_code_is_without_spaces_at_its_ends", { code: "SUMMER\u3000" }],
    ["discounts_value_is_set_except_for_free_delivery", { value: null }],
    ["discounts_value_is_above_0_and_below_1e12", { value: 0 }],
    ["discounts_value_is_at_most_100_percent", { value: 101 }],
    ["discounts_value_is_of_at_most_4_decimals", { value: 1.23456 }],
    ["discounts_currency_is_set_for_amounts", { kind: "amount" }],
    ["discounts_category_ids_is_a_list_of_1_to_100", { category_ids: [] }],
    ["discounts_product_ids_is_a_list_of_1_to_100", { product_ids: ids(101) }],
    ["discounts_supplier_ids_is_a_list_of_1_to_100", { supplier_ids: [null] }],
    [
      "discounts_minimum_subtotal_is_above_0_and_below_1e12",
      { minimum_subtotal: -1, currency: "EUR" },
    ],
    ["discounts_starts_at_is_finite", { starts_at: "-infinity" }],
    ["discounts_ends_at_is_finite", { ends_at: "infinity" }],
    [
      "discounts_ends_at_is_after_starts_at",
      { starts_at: "2026-06-02T00:00:00Z", ends_at: "2026-06-01T00:00:00Z" },
    ],
    ["discounts_uses_total_is_at_least_1", { uses_total: 0 }],
    ["discounts_uses_per_customer_is_at_least_1", { uses_per_customer: 0 }],
  ])("is refused by the database: %s", async (constraint, fields) => {
    const db = supabaseAs(shop.operator);
    // biome-ignore lint/suspicious/noExplicitAny: the types refuse some of these rows.
    const row: any = { ...TENTH, ...fields };
    for (const { error } of [
      await db.from("discounts").insert(row),
      await db.rpc("create_discount", row),
    ]) {
      expect(error).toMatchObject({ code: "23514", message: expect.stringContaining(constraint) });
    }
  });

  it("is refused by the database for an unknown currency or field, with its name", async () => {
    const db = supabaseAs(shop.operator);
    const { id } = await make(shop.operator);
    const used = { discount_id: id, changes: { uses: 0 } };
    for (const [field, { error }] of [
      ["currency", await db.from("discounts").insert({ ...FIVE_EUROS, currency: "XXX" })],
      ["value", await db.rpc("create_discount", { ...FIVE_EUROS, value: 0.001 })],
      ["uses", await db.rpc("update_discount", used)],
    ] as const) {
      expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
      expect(JSON.parse(error?.details ?? "{}").field).toBe(field);
    }
  });

  it("cannot say in the table who made it, or how often it was used", async () => {
    const db = supabaseAs(shop.operator);
    const { id } = await make(shop.operator);
    for (const { error } of [
      await db.from("discounts").insert({ ...TENTH, supplier_id: supplierId }),
      await db.from("discounts").insert({ ...TENTH, uses: 1 }),
      await db.from("discounts").update({ uses: 1 }).eq("id", id),
      await db.from("discounts").update({ created_by: shop.operator.id }).eq("id", id),
    ]) {
      expect(error?.code).toBe("42501");
    }
  });
});

describe("a code", () => {
  it("is one of the tenant's, without regard to case, also of suppliers", async () => {
    const { operator, supplier } = await openTestTenant();
    const first = await make(operator, { code: "Café 10" });
    expect(first.code).toBe("Café 10");
    const other = await make(operator, { code: "OTHER" });
    const taken = { field: "code", value: "CAFé 10" };
    for (const as of [operator, supplier]) {
      expectRefusal(await create(as, { code: "CAFé 10" }), 409, "CONFLICT", taken);
      const { error } = await supabaseAs(as)
        .from("discounts")
        .insert({ ...TENTH, code: "café 10".normalize("NFD") });
      expect(error?.code).toBe("23505");
    }
    expectRefusal(await change(operator, other.id, { code: "CAFé 10" }), 409, "CONFLICT", taken);
    const { body: renamed } = await change(operator, first.id, { code: "CAFé 10" });
    expect(renamed.code).toBe("CAFé 10");
    // A deleted discount and one that has given up its code leave it to others.
    await must("DELETE", `${PATH}/${first.id}`, { as: operator });
    await must("PATCH", `${PATH}/${other.id}`, { as: operator, body: { code: "café 10" } });
    await must("PATCH", `${PATH}/${other.id}`, { as: operator, body: { code: null } });
    expect((await create(supplier, { code: "café 10" })).status).toBe(201);
    const elsewhere = await openTestTenant();
    expect((await create(elsewhere.operator, { code: "café 10" })).status).toBe(201);
  });

  it("is given once when it is asked for at the same time", async () => {
    const { operator, supplier } = await openTestTenant();
    const codes = ["sale", "Sale", "sAle", "SALE"];
    const created = await Promise.all(
      codes.map((code, i) => create(i % 2 === 0 ? operator : supplier, { code })),
    );
    expect(created.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    for (const { status, body } of created) {
      if (status === 409) expect(body.error).toMatchObject({ details: { field: "code" } });
    }
    const others = await Promise.all([1, 2, 3].map(() => make(operator)));
    const moved = await Promise.all(
      others.map(({ id }) => change(operator, id, { code: "moved" })),
    );
    expect(moved.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });
});

describe("a supplier's discount", () => {
  it("is for its own products, and borne by it", async () => {
    const { supplier, operator, tenantId } = shop;
    const [own, operators] = [await listProduct(supplier), await listProduct(operator)];
    const category = await addCategory(operator, "Lamps");
    const fields = { code: randomUUID(), product_ids: [own.id], category_ids: [category] };
    const made = await make(supplier, fields);
    expect(made).toMatchObject({
      ...{ ...fields, supplier_id: supplierId, created_by: supplier.id },
      ...{ borne_by: "supplier", supplier_ids: null },
    });
    const { data } = await supabaseAs(supplier).from("discounts").insert(TENTH).select().single();
    expect(data).toMatchObject({ supplier_id: supplierId, borne_by: "supplier" });

    const other = await register({ tenant_id: tenantId, role: "supplier" });
    const foreign = await listProduct(other);
    const refused: [status: number, field: string, fields: object][] = [
      [404, "product_ids", { product_ids: [own.id, operators.id] }],
      [404, "product_ids", { product_ids: [foreign.id] }],
      [422, "supplier_ids", { supplier_ids: [supplierId] }],
      [422, "borne_by", { borne_by: "operator" }],
      [422, "kind", { kind: "free_delivery", value: null }],
    ];
    for (const [status, field, sent] of refused) {
      const code = status === 404 ? "NOT_FOUND" : "VALIDATION_ERROR";
      expectRefusal(await create(supplier, sent), status, code, { field });
      expectRefusal(await change(supplier, made.id, sent), status, code, { field });
      // For the staff, too: it stays the supplier's.
      expectRefusal(await change(operator, made.id, sent), status, code, { field });
    }
  });

  it("is seen and changed by it, by admins and by clients, and by no other supplier", async () => {
    const { supplier, operator, customer, tenantId } = shop;
    const other = await register({ tenant_id: tenantId, role: "supplier" });
    const own = await make(supplier);
    const path = `${PATH}/${own.id}`;
    for (const as of [supplier, operator, client]) {
      expect(await must("GET", path, { as })).toEqual(own);
      expect(await idsOf(as)).toContain(own.id);
    }
    const operators = await make(operator);
    for (const [as, id] of [
      [other, own.id],
      [supplier, operators.id],
    ] as const) {
      expect(await idsOf(as, "?limit=1000")).not.toContain(id);
      expectRefusal(await call("GET", `${PATH}/${id}`, { as }), 404, "NOT_FOUND");
      expectRefusal(await change(as, id, { value: 1 }), 404, "NOT_FOUND");
      expectRefusal(await call("DELETE", `${PATH}/${id}`, { as }), 404, "NOT_FOUND");
      const db = supabaseAs(as);
      for (const { data } of [
        await db.from("discounts").select().eq("id", id),
        await db.from("discounts").update({ value: 1 }).eq("id", id).select(),
        await db.from("discounts").delete().eq("id", id).select(),
      ]) {
        expect(data).toEqual([]);
      }
    }
    expect((await change(client, own.id, { status: "paused" })).body).toMatchObject({
      status: "paused",
      supplier_id: supplierId,
    });
    expect((await call("DELETE", path, { as: supplier })).status).toBe(204);
    expect(await must("GET", `${PATH}/${operators.id}`, { as: operator })).toEqual(operators);
    expect(await idsOf(customer)).toEqual([]);
  });
});

describe("the discounts of a tenant", () => {
  it("are hidden from customers and visitors, who cannot write them either", async () => {
    const { operator, customer, marketplace } = shop;
    const made = await make(operator, { code: randomUUID() });
    const path = `${PATH}/${made.id}`;
    expect(await must("GET", `${PATH}?code=${made.code}`, { as: customer })).toMatchObject({
      discounts: [],
      total: 0,
    });
    expectRefusal(await call("GET", path, { as: customer }), 404, "NOT_FOUND");
    expectRefusal(await create(customer), 403, "FORBIDDEN");
    expectRefusal(await change(customer, made.id, { value: 100 }), 403, "FORBIDDEN");
    expectRefusal(await call("DELETE", path, { as: customer }), 403, "FORBIDDEN");
    const db = supabaseAs(customer);
    expect((await db.from("discounts").select()).data).toEqual([]);
    for (const { error } of [
      await db.rpc("create_discount", TENTH),
      await db.rpc("update_discount", { discount_id: made.id, changes: { value: 100 } }),
      await db.from("discounts").insert(TENTH),
      await db.from("discounts").update({ value: 100 }).eq("id", made.id),
      await db.from("discounts").delete().eq("id", made.id),
    ]) {
      expect(error?.message).toBe("FORBIDDEN");
    }
    const visitor = { visits: marketplace.domain };
    for (const as of [visitor, undefined]) {
      expect((await call("GET", PATH, { as })).status).toBe(401);
      expect((await call("GET", path, { as })).status).toBe(401);
      expect((await supabaseAs(as).from("discounts").select()).error?.code).toBe("42501");
    }
    expect(await must("GET", path, { as: operator })).toEqual(made);
  });

  it("are unknown to another tenant, whose records they cannot name", async () => {
    const [theirs, ours] = [await openTestTenant(), shop.operator];
    const made = await make(theirs.operator, { code: "THEIRS" });
    const path = `${PATH}/${made.id}`;
    for (const answer of [
      await call("GET", path, { as: ours }),
      await change(ours, made.id, { value: 1 }),
      await call("DELETE", path, { as: ours }),
    ]) {
      expectRefusal(answer, 404, "NOT_FOUND");
    }
    const product = await listProduct(theirs.supplier);
    const { supplier_id } = await must("GET", "/auth/me", { as: theirs.supplier });
    for (const [field, fields] of [
      ["marketplace_id", { marketplace_id: theirs.marketplace.id }],
      ["category_ids", { category_ids: [await addCategory(theirs.operator, "Lamps")] }],
      ["product_ids", { product_ids: [product.id] }],
      ["supplier_ids", { supplier_ids: [supplier_id] }],
    ] as const) {
      expectRefusal(await create(ours, fields), 404, "NOT_FOUND", { field });
    }
    expect((await create(ours, { code: "theirs" })).status).toBe(201);
    expect(await idsOf(theirs.operator)).toEqual([made.id]);
  });
});

describe("a discount that orders have used", () => {
  it("is not deleted, and can be paused instead", async () => {
    const { operator } = await openTestTenant();
    const { id } = await make(operator, { code: "USED" });
    await use(id);
    const answer = await call("DELETE", `${PATH}/${id}`, { as: operator });
    expectRefusal(answer, 409, "CONFLICT");
    expect(answer.body.error.message).toContain("Pause it instead");
    for (const db of [supabaseAs(operator), supabaseAsService()]) {
      const { error } = await db.from("discounts").delete().eq("id", id);
      expect(error).toMatchObject({ code: "PT409", message: "CONFLICT" });
    }
    const paused = await change(operator, id, { status: "paused" });
    expect(paused.body).toMatchObject({ status: "paused", uses: 1 });
    // Its order was cancelled unpaid.
    await use(id, -1);
    expect((await call("DELETE", `${PATH}/${id}`, { as: operator })).status).toBe(204);
  });

  it("is not changed for those who edit it", async () => {
    const { operator } = await openTestTenant();
    const before = await make(operator);
    await use(before.id, 3);
    const path = `${PATH}/${before.id}`;
    expect(await must("GET", path, { as: operator })).toEqual({ ...before, uses: 3 });
    const { updated_at } = before;
    expect((await change(operator, before.id, { value: 20, updated_at })).status).toBe(200);
  });

  it("goes with its tenant", async () => {
    const { operator } = await openTestTenant();
    const { id } = await make(operator);
    await use(id);
    const { name } = await must("GET", "/api/tenant", { as: operator });
    await must("DELETE", "/api/tenant", { as: operator, body: { name } });
    await eventually(async () => {
      await runJob("remove-tenants");
      expect(await query("select from public.discounts where id = $1", [id])).toEqual([]);
    });
  });
});

describe("the events of discounts", () => {
  it("are written when one is made, changed and deleted, and not when it is used", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const made = await make(supplier, { code: "FRESH", marketplace_id: marketplace.id });
    await use(made.id);
    const { body: paused } = await change(operator, made.id, { status: "paused" });
    await use(made.id, -1);
    await must("DELETE", `${PATH}/${made.id}`, { as: supplier });
    const { data } = await supabaseAs(operator)
      .from("events")
      .select("name, marketplace_id, status, payload->data")
      .like("name", "discount.%")
      .order("created_at")
      .throwOnError();
    const of = { marketplace_id: marketplace.id };
    expect(data).toEqual([
      { ...of, name: "discount.created", status: "active", data: { discount: made } },
      { ...of, name: "discount.updated", status: "paused", data: { discount: paused } },
      {
        ...of,
        name: "discount.deleted",
        status: "paused",
        data: { discount: { ...paused, uses: 0 } },
      },
    ]);
  });
});
