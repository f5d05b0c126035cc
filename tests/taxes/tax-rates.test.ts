import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { query } from "../database.js";
import {
  addCategory,
  call,
  expectRefusal,
  must,
  openTestTenant,
  type Person,
  persist,
  registerClient,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// Tax rates: who reads and writes them, which are refused, and which one applies to a product at a place on a day.

const PATH = "/api/tax-rates";
const VAT = { country: "DE", rate: 19, name: "MwSt." };

/** Creates a rate, by default one of Germany, and returns the answer. */
const create = (as: Person, fields: object = {}) =>
  persist("POST", PATH, { as, body: { ...VAT, ...fields } });

/** The same, and returns the record. */
const make = (as: Person, fields: object = {}) =>
  must("POST", PATH, { as, body: { ...VAT, ...fields } });

const change = (as: Person, id: string, body: object, headers: Record<string, string> = {}) =>
  persist("PATCH", `${PATH}/${id}`, { as, body, headers });

let shop: TestTenant;
let client: Person;

beforeAll(async () => {
  shop = await openTestTenant();
  client = await registerClient(shop.tenantId);
});

describe("a tax rate", () => {
  it("is created, read, listed, changed and deleted by an admin", async () => {
    const { operator, tenantId } = await openTestTenant();
    const books = await addCategory(operator, "Books");
    const made = await create(operator, { region: "Bayern", valid_from: "2026-01-01" });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ...VAT,
      id: expect.any(String),
      tenant_id: tenantId,
      region: "Bayern",
      category_id: null,
      valid_from: "2026-01-01",
      valid_to: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `${PATH}/${made.body.id}`;
    expect(made.headers.get("location")).toBe(`/functions/v1${path}`);
    expect(made.headers.get("etag")).toBe(`"${made.body.updated_at}"`);
    expect(await must("GET", path, { as: operator })).toEqual(made.body);

    const french = await make(operator, { country: "FR", rate: 5.5, category_id: books });
    const all = await must("GET", PATH, { as: operator });
    expect(all).toEqual({ tax_rates: [french, made.body], total: 2, page: 1, limit: 100 });
    for (const filter of ["country=FR", `category_id=${books}`]) {
      const found = await must("GET", `${PATH}?${filter}`, { as: operator });
      expect(found.tax_rates).toEqual([french]);
    }

    const changes = { rate: 7.1234, name: "VAT", region: null, valid_to: "2026-12-31" };
    const { body: changed } = await change(operator, made.body.id, changes);
    expect(changed).toEqual({ ...made.body, ...changes, updated_at: expect.any(String) });
    expect((await call("DELETE", path, { as: operator })).status).toBe(204);
    expectRefusal(await call("GET", path, { as: operator }), 404, "NOT_FOUND");
    expectRefusal(await call("DELETE", path, { as: operator }), 404, "NOT_FOUND");
    expectRefusal(await change(operator, made.body.id, changes), 404, "NOT_FOUND");
  });

  it("is created and changed by functions through supabase-js, and by writes to the table", async () => {
    const { operator } = await openTestTenant();
    const db = supabaseAs(operator);
    const { data: made } = await db
      .rpc("create_tax_rate", { ...VAT, rate: 0, valid_to: "2026-12-31" })
      .throwOnError();
    expect(made).toMatchObject({ rate: 0, region: null, valid_to: "2026-12-31" });
    const { data: changed } = await db
      .rpc("update_tax_rate", { tax_rate_id: made.id, changes: { valid_to: null } })
      .throwOnError();
    expect(changed).toMatchObject({ id: made.id, rate: 0, valid_to: null });
    const row = { country: "CH", rate: 8.1, name: "MWST" };
    const { data } = await db.from("tax_rates").insert(row).select().single().throwOnError();
    await db.from("tax_rates").update({ rate: 7.7 }).eq("id", data.id).throwOnError();
    expect(await must("GET", `${PATH}/${data.id}`, { as: operator })).toMatchObject({ rate: 7.7 });
    await db.from("tax_rates").delete().eq("id", data.id).throwOnError();
    expect((await must("GET", PATH, { as: operator })).total).toBe(1);
  });

  it("does not change if it has changed since it was read", async () => {
    const { operator } = await openTestTenant();
    const { id, updated_at } = await make(operator);
    expect((await change(operator, id, { rate: 16, updated_at })).status).toBe(200);
    const outdated = { field: "updated_at", value: updated_at };
    const late = await change(operator, id, { rate: 7, updated_at });
    expectRefusal(late, 409, "CONFLICT", outdated);
    const tagged = await change(operator, id, { rate: 7 }, { "if-match": `"${updated_at}"` });
    expectRefusal(tagged, 409, "CONFLICT", outdated);
    expect(await must("GET", `${PATH}/${id}`, { as: operator })).toMatchObject({ rate: 16 });
  });

  it("disappears with its category", async () => {
    const { operator } = await openTestTenant();
    const category_id = await addCategory(operator, "Books");
    const { id } = await make(operator, { category_id });
    await must("DELETE", `/api/categories/${category_id}`, { as: operator });
    expectRefusal(await call("GET", `${PATH}/${id}`, { as: operator }), 404, "NOT_FOUND");
  });

  it("is refused above the cap of its tenant", async () => {
    onTestFinished(async () => {
      await query("update private.caps set value = 1000 where name = 'tax_rates_per_tenant'");
    });
    await query("update private.caps set value = 2 where name = 'tax_rates_per_tenant'");
    const { operator } = await openTestTenant();
    const regions = ["Bayern", "Hessen", "Sachsen"];
    const answers = await Promise.all(regions.map((region) => create(operator, { region })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 422]);
    expectRefusal(await create(operator), 422, "LIMIT_REACHED", {
      cap: "tax_rates_per_tenant",
      maximum: 2,
    });
    const rows = ["FR", "IE"].map((country) => ({ ...VAT, country }));
    const { error } = await supabaseAs(operator).from("tax_rates").insert(rows);
    expect(error?.message).toBe("LIMIT_REACHED");
    // A rate that exists can still change.
    const [{ id }] = (await must("GET", PATH, { as: operator })).tax_rates;
    expect((await change(operator, id, { rate: 7 })).status).toBe(200);
  });
});

describe("an invalid tax rate", () => {
  const wrong: [field: string, fields: object][] = [
    ["country", { country: undefined }],
    ["country", { country: null }],
    ["country", { country: "de" }],
    ["country", { country: "XX" }],
    ["region", { region: "" }],
    ["region", { region: " \u3000" }],
    ["region", { region: "x".repeat(201) }],
    ["category_id", { category_id: "books" }],
    ["rate", { rate: undefined }],
    ["rate", { rate: null }],
    ["rate", { rate: "19" }],
    ["rate", { rate: -0.1 }],
    ["rate", { rate: 100.1 }],
    ["rate", { rate: 1.23456 }],
    ["name", { name: undefined }],
    ["name", { name: "" }],
    ["name", { name: "\u200b" }],
    ["name", { name: "x".repeat(101) }],
    ["valid_from", { valid_from: "soon" }],
    ["valid_from", { valid_from: "2026-02-30" }],
    ["valid_to", { valid_to: "2026-06-01T00:00:00Z" }],
    ["valid_to", { valid_from: "2026-06-02", valid_to: "2026-06-01" }],
    ["percent", { percent: 19 }],
  ];

  it.each(wrong)("is refused by its field: %s, %j", async (field, fields) => {
    const { operator } = shop;
    expectRefusal(await create(operator, fields), 422, "VALIDATION_ERROR", { field });
  });

  it("is refused by its field when a rate changes, and changes nothing", async () => {
    const { operator } = await openTestTenant();
    const before = await make(operator);
    const sent = wrong.filter(([, fields]) => Object.values(fields)[0] !== undefined);
    for (const [field, fields] of sent) {
      const answer = await change(operator, before.id, fields);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    expectRefusal(await change(operator, before.id, {}), 422, "VALIDATION_ERROR");
    expect(await must("GET", `${PATH}/${before.id}`, { as: operator })).toEqual(before);
  });

  it.each([
    ["tax_rates_region_is_1_to_200_characters", { region: "x".repeat(201) }],
    ["tax_rates_region_is_more_than_spaces", { region: " " }],
    ["tax_rates_rate_is_from_0_to_100", { rate: -1 }],
    ["tax_rates_rate_is_of_at_most_4_decimals", { rate: 1.23456 }],
    ["tax_rates_name_is_1_to_100_characters", { name: "x".repeat(101) }],
    ["tax_rates_name_is_more_than_spaces", { name: "\u200b" }],
    ["tax_rates_valid_from_is_in_the_years_1_to_9999", { valid_from: "-infinity" }],
    ["tax_rates_valid_to_is_in_the_years_1_to_9999", { valid_to: "infinity" }],
    [
      "tax_rates_valid_to_is_on_or_after_valid_from",
      { valid_from: "2026-06-02", valid_to: "2026-06-01" },
    ],
  ])("is refused by the database: %s", async (constraint, fields) => {
    const db = supabaseAs(shop.operator);
    const row = { ...VAT, ...fields };
    for (const { error } of [
      await db.from("tax_rates").insert(row),
      await db.rpc("create_tax_rate", row),
    ]) {
      expect(error).toMatchObject({ code: "23514", message: expect.stringContaining(constraint) });
    }
  });

  it("is refused by the database for an unknown country or field, with its name", async () => {
    const db = supabaseAs(shop.operator);
    const { id } = await make(shop.operator, { region: randomUUID() });
    for (const [field, { error }] of [
      ["country", await db.from("tax_rates").insert({ ...VAT, country: "XX" })],
      ["country", await db.rpc("create_tax_rate", { ...VAT, country: "de" })],
      ["percent", await db.rpc("update_tax_rate", { tax_rate_id: id, changes: { percent: 1 } })],
    ] as const) {
      expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
      expect(JSON.parse(error?.details ?? "{}").field).toBe(field);
    }
  });
});

describe("rates of the same country, region and category", () => {
  it("must not be valid on the same day", async () => {
    const { operator } = await openTestTenant();
    const books = await addCategory(operator, "Books");
    const first = await make(operator, { valid_to: "2026-06-30" });
    const last = await make(operator, { valid_from: "2026-07-01" });
    for (const days of [
      {},
      { valid_to: "2020-01-01" },
      { valid_from: "2026-06-30", valid_to: "2026-06-30" },
      { valid_from: "2030-01-01" },
    ]) {
      const field = { field: "valid_from", value: days.valid_from ?? null };
      expectRefusal(await create(operator, days), 409, "CONFLICT", field);
    }
    for (const place of [
      { region: "Bayern" },
      { category_id: books },
      { region: "Bayern", category_id: books },
      { country: "FR" },
    ]) {
      expect((await create(operator, place)).status).toBe(201);
      expectRefusal(await create(operator, place), 409, "CONFLICT", { field: "valid_from" });
    }
    // Regions are compared as those of addresses.
    expectRefusal(await create(operator, { region: " BAYERN" }), 409, "CONFLICT");

    for (const changes of [{ valid_to: "2026-07-01" }, { valid_to: null }]) {
      expectRefusal(await change(operator, first.id, changes), 409, "CONFLICT", {
        field: "valid_from",
      });
    }
    expectRefusal(await change(operator, last.id, { valid_from: "2026-06-30" }), 409, "CONFLICT", {
      field: "valid_from",
      value: "2026-06-30",
    });
    expect((await change(operator, first.id, { valid_to: "2026-06-29" })).status).toBe(200);
    expect((await change(operator, last.id, { valid_from: "2026-06-30" })).status).toBe(200);
  });

  it("are refused through supabase-js as well", async () => {
    const { operator } = await openTestTenant();
    await make(operator);
    const { id } = await make(operator, { country: "AT" });
    const db = supabaseAs(operator);
    const changes = { country: "DE" };
    for (const { error } of [
      await db.rpc("create_tax_rate", VAT),
      await db.rpc("update_tax_rate", { tax_rate_id: id, changes }),
    ]) {
      expect(error).toMatchObject({ code: "PT409", message: "CONFLICT" });
    }
    for (const { error } of [
      await db.from("tax_rates").insert(VAT),
      await db.from("tax_rates").update(changes).eq("id", id),
    ]) {
      expect(error?.code).toBe("23P01");
    }
  });

  it("are refused when they are sent at the same time", async () => {
    const { operator } = await openTestTenant();
    const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"];
    const created = await Promise.all(days.map((valid_from) => create(operator, { valid_from })));
    expect(created.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    for (const { status, body } of created) {
      if (status === 409) expect(body.error.code).toBe("CONFLICT");
    }

    const others = await Promise.all(
      ["AT", "CH", "FR"].map((country) => make(operator, { country })),
    );
    const moved = await Promise.all(
      others.map(({ id }) => change(operator, id, { country: "IE" })),
    );
    expect(moved.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);

    const row = { ...VAT, country: "GB" };
    const inserted = await Promise.all(
      days.map(() => supabaseAs(operator).from("tax_rates").insert(row)),
    );
    expect(inserted.filter(({ error }) => error === null)).toHaveLength(1);
    expect((await must("GET", `${PATH}?country=GB`, { as: operator })).total).toBe(1);
  });
});

describe("the tax rates of a tenant", () => {
  it("are read by admins, clients and suppliers, and hidden from customers", async () => {
    const { operator, supplier, customer } = shop;
    const rate = await make(operator, { region: randomUUID() });
    const path = `${PATH}/${rate.id}`;
    for (const as of [operator, client, supplier]) {
      expect(await must("GET", path, { as })).toEqual(rate);
      expect((await must("GET", PATH, { as })).tax_rates).toContainEqual(rate);
      const { data } = await supabaseAs(as).from("tax_rates").select().eq("id", rate.id);
      expect(data).toEqual([rate]);
    }
    expect((await must("GET", PATH, { as: customer })).total).toBe(0);
    expectRefusal(await call("GET", path, { as: customer }), 404, "NOT_FOUND");
    expect((await supabaseAs(customer).from("tax_rates").select()).data).toEqual([]);
    expectRefusal(await call("GET", path), 401, "UNAUTHORIZED");
  });

  it("are written by admins alone", async () => {
    const { operator, supplier, customer } = shop;
    const rate = await make(operator, { region: randomUUID() });
    const path = `${PATH}/${rate.id}`;
    for (const as of [client, supplier, customer]) {
      expectRefusal(await create(as, { region: randomUUID() }), 403, "FORBIDDEN");
      expectRefusal(await change(as, rate.id, { rate: 0 }), 403, "FORBIDDEN");
      expectRefusal(await call("DELETE", path, { as }), 403, "FORBIDDEN");
      const db = supabaseAs(as);
      for (const { error } of [
        await db.rpc("create_tax_rate", { ...VAT, region: randomUUID() }),
        await db.rpc("update_tax_rate", { tax_rate_id: rate.id, changes: { rate: 0 } }),
        await db.from("tax_rates").insert({ ...VAT, region: randomUUID() }),
        await db.from("tax_rates").update({ rate: 0 }).eq("id", rate.id),
        await db.from("tax_rates").delete().eq("id", rate.id),
      ]) {
        expect(error?.message).toBe("FORBIDDEN");
      }
    }
    expect(await must("GET", path, { as: operator })).toEqual(rate);
  });

  it("are unknown to another tenant, whose categories they cannot name", async () => {
    const [theirs, ours] = [await openTestTenant(), shop.operator];
    const rate = await make(theirs.operator);
    const path = `${PATH}/${rate.id}`;
    for (const answer of [
      await call("GET", path, { as: ours }),
      await change(ours, rate.id, { rate: 0 }),
      await call("DELETE", path, { as: ours }),
    ]) {
      expectRefusal(answer, 404, "NOT_FOUND");
    }
    const category_id = await addCategory(theirs.operator, "Books");
    expectRefusal(await create(ours, { category_id }), 404, "NOT_FOUND", { field: "category_id" });
    expect((await must("GET", PATH, { as: theirs.operator })).tax_rates).toEqual([rate]);
  });
});

describe("the rate that applies", () => {
  let books: string;
  let cookbooks: string;
  let lamps: string;
  let tenantId: string;

  beforeAll(async () => {
    const opened = await openTestTenant();
    ({ tenantId } = opened);
    const { operator } = opened;
    [books, lamps] = [await addCategory(operator, "Books"), await addCategory(operator, "Lamps")];
    cookbooks = await addCategory(operator, "Cookbooks", books);
    const small = await addCategory(operator, "Small", cookbooks);
    for (const fields of [
      { rate: 19, valid_to: "2020-06-30" },
      { rate: 16, valid_from: "2020-07-01", valid_to: "2020-12-31" },
      { rate: 19, valid_from: "2021-01-01" },
      { rate: 7, category_id: books },
      { country: "FR", rate: 20 },
      { country: "FR", rate: 5.5, category_id: books },
      { country: "FR", rate: 2.1, category_id: small },
      { country: "IE", rate: 23 },
      { country: "GB", rate: 20 },
      { country: "GB", rate: 0, category_id: cookbooks },
      { country: "US", rate: 1, category_id: books },
      { country: "US", rate: 6.25, region: "Texas" },
      { country: "US", rate: 4, region: "Texas", category_id: cookbooks },
      { country: "CH", rate: 8.1, region: "Zürich", valid_from: "2026-01-01" },
      { country: "CH", rate: 7.7 },
    ]) {
      await make(operator, fields);
    }
    // Another tenant has other rates.
    await make((await openTestTenant()).operator, { country: "AT", rate: 20 });
  });

  /** The rate in percent; null if there is none. */
  async function rateOf(
    country: string | null,
    region: string | null,
    category: string | null,
    day: string | null = "2026-06-01",
  ): Promise<number | null> {
    const [found] = await query<{ rate: string | null }>(
      "select (private.tax_rate_of($1, $2, $3, $4, $5)).rate",
      [tenantId, country, region, category, day],
    );
    const { rate } = found as { rate: string | null };
    return rate === null ? null : Number(rate);
  }

  it("is that of the category, or of the nearest above it, in place of that for all products", async () => {
    expect(await rateOf("DE", null, null)).toBe(19);
    expect(await rateOf("DE", null, lamps)).toBe(19);
    expect(await rateOf("DE", null, books)).toBe(7);
    expect(await rateOf("DE", null, cookbooks)).toBe(7);
    expect(await rateOf("FR", null, lamps)).toBe(20);
    // Not that of a category below.
    expect(await rateOf("FR", null, cookbooks)).toBe(5.5);
    expect(await rateOf("IE", null, cookbooks)).toBe(23);
  });

  it("may be 0", async () => {
    expect(await rateOf("GB", null, cookbooks)).toBe(0);
    expect(await rateOf("GB", null, books)).toBe(20);
  });

  it("is that of the region before any of its country", async () => {
    expect(await rateOf("US", "Texas", lamps)).toBe(6.25);
    expect(await rateOf("US", "Texas", books)).toBe(6.25);
    expect(await rateOf("US", "Texas", cookbooks)).toBe(4);
    expect(await rateOf("US", "Oregon", cookbooks)).toBe(1);
    expect(await rateOf("US", null, cookbooks)).toBe(1);
    // Regions are compared without case and outer spaces, in any form of Unicode.
    expect(await rateOf("US", " TEXAS\u00a0", lamps)).toBe(6.25);
    expect(await rateOf("CH", "zürich".normalize("NFD"), lamps)).toBe(8.1);
    expect(await rateOf("DE", "", lamps)).toBe(19);
    expect(await rateOf("DE", "Texas", lamps)).toBe(19);
  });

  it("is valid on the day, the first and the last included", async () => {
    const days: [day: string, rate: number][] = [
      ["1990-01-01", 19],
      ["2020-06-30", 19],
      ["2020-07-01", 16],
      ["2020-12-31", 16],
      ["2021-01-01", 19],
    ];
    for (const [day, rate] of days) {
      expect([day, await rateOf("DE", null, lamps, day)]).toEqual([day, rate]);
    }
    // Before the rate of the region is valid, that of the country applies.
    expect(await rateOf("CH", "Zürich", lamps, "2025-12-31")).toBe(7.7);
    expect(await rateOf("CH", "Zürich", lamps, "2026-01-01")).toBe(8.1);
  });

  it("is none where no rate is valid", async () => {
    expect(await rateOf("US", "Oregon", lamps)).toBeNull();
    expect(await rateOf("AT", null, lamps)).toBeNull();
    expect(await rateOf(null, null, lamps)).toBeNull();
    expect(await rateOf("DE", null, lamps, null)).toBeNull();
    // A category that does not exist is in none.
    expect(await rateOf("US", null, randomUUID())).toBeNull();
  });
});
