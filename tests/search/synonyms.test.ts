import { beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.js";
import { ownStack } from "../own-stack.js";
import {
  type Answer,
  call,
  listProduct,
  must,
  openTestTenant,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";

// Synonyms of a tenant, and searches that use them.

const PATH = "/api/search/synonyms";

let testTenant: TestTenant;
beforeAll(async () => {
  testTenant = await openTestTenant();
});

function create(terms: unknown) {
  return call("POST", PATH, { as: testTenant.operator, body: { terms } });
}

function expectRefusal({ status, body }: Answer, field: string, value?: unknown) {
  expect(body.error).toMatchObject({
    code: "VALIDATION_ERROR",
    details: { field, ...(value === undefined ? {} : { value }) },
  });
  expect(status).toBe(422);
}

describe("synonyms", () => {
  it("can be created, read, changed and deleted", async () => {
    const { operator, customer } = testTenant;
    const made = await create(["sofa", "couch"]);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      terms: ["sofa", "couch"],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `${PATH}/${made.body.id}`;
    expect(made.headers.get("location")).toBe(`/functions/v1${path}`);
    expect(await must("GET", path, { as: customer })).toEqual(made.body);

    const changed = await must("PUT", path, {
      as: operator,
      body: { terms: ["sofa", "couch", "settee"] },
    });
    expect(changed).toEqual({
      ...made.body,
      terms: ["sofa", "couch", "settee"],
      updated_at: expect.any(String),
    });
    expect(changed.updated_at > made.body.updated_at).toBe(true);

    expect((await call("DELETE", path, { as: operator })).status).toBe(204);
    for (const method of ["GET", "PUT", "DELETE"]) {
      const body = method === "PUT" ? { terms: ["sofa", "couch"] } : undefined;
      expect((await call(method, path, { as: operator, body })).status).toBe(404);
    }
    expect((await call("GET", `${PATH}/no-id`, { as: operator })).status).toBe(404);
  });

  it("are listed newest first, with pages", async () => {
    const { operator, supplier } = await openTestTenant();
    const made: string[] = [];
    for (const terms of [
      ["tea", "chai"],
      ["lamp", "lantern"],
      ["rug", "carpet"],
    ]) {
      made.unshift((await must("POST", PATH, { as: operator, body: { terms } })).id);
    }
    const first = await must("GET", `${PATH}?limit=2`, { as: supplier });
    expect(first).toMatchObject({ total: 3, page: 1, limit: 2 });
    const second = await must("GET", `${PATH}?limit=2&page=2`, { as: supplier });
    const { id } = second.synonyms[0];
    expect([...first.synonyms.map((group: { id: string }) => group.id), id]).toEqual(made);
  });

  it("are stored in the normal form of search, without duplicates", async () => {
    const { body } = await create(["  Crème\tBrûlée ", "BURNT  cream", "creme brulee", "Straße"]);
    expect(body.terms).toEqual(["creme brulee", "burnt cream", "strasse"]);
    // Search treats these as equal.
    const shirts = await create(["T-shirt", "t shirt", "Tee"]);
    expect(shirts.body.terms).toEqual(["t-shirt", "tee"]);
  });

  it("are 2 to 20 different terms of 1 to 100 characters", async () => {
    expectRefusal(await create(undefined), "terms");
    expectRefusal(await create("sofa"), "terms");
    expectRefusal(await create(["sofa"]), "terms", ["sofa"]);
    expectRefusal(await create(["Sofa", "sofa"]), "terms", ["Sofa", "sofa"]);
    const many = Array.from({ length: 20 }, (_, i) => `term ${i}`);
    expectRefusal(await create([...many, "one more"]), "terms");
    expect((await create(many)).body.terms).toEqual(many);
    expectRefusal(await create(["sofa", ""]), "terms[1]", "");
    expectRefusal(await create(["sofa", " \t "]), "terms[1]", " \t ");
    expectRefusal(await create(["sofa", "?!"]), "terms[1]", "?!");
    expectRefusal(await create(["sofa", null]), "terms[1]", null);
    expectRefusal(await create(["sofa", "x".repeat(101)]), "terms[1]");
    // Without ligatures it is longer.
    expectRefusal(await create(["sofa", "æ".repeat(51)]), "terms[1]", "æ".repeat(51));
    expect((await create(["sofa", "æ".repeat(50)])).body.terms[1]).toBe("ae".repeat(50));
  });

  it("are created once for an Idempotency-Key", async () => {
    const options = {
      as: testTenant.operator,
      body: { terms: ["pan", "skillet"] },
      headers: { "idempotency-key": "the same pan" },
    };
    const first = await call("POST", PATH, options);
    const second = await call("POST", PATH, options);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
  });

  it("follow the same rules through supabase-js", async () => {
    const { operator, customer, tenantId } = testTenant;
    const db = supabaseAs(operator);
    const { data: made } = await db
      .from("search_synonyms")
      .insert({ terms: ["Café", "coffee house"] })
      .select()
      .single()
      .throwOnError();
    expect(made).toMatchObject({ tenant_id: tenantId, terms: ["cafe", "coffee house"] });

    const alone = await db.from("search_synonyms").insert({ terms: ["Café", "cafe"] });
    expect(alone.error?.code).toBe("23514");
    const crowd = Array.from({ length: 21 }, (_, i) => `term ${i}`);
    expect((await db.from("search_synonyms").insert({ terms: crowd })).error?.code).toBe("23514");
    const empty = await db.from("search_synonyms").insert({ terms: ["cafe", " "] });
    expect(empty.error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
    const missing = await db.from("search_synonyms").insert({ terms: ["cafe", null] });
    expect(missing.error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
    const changed = db.from("search_synonyms").update({ terms: ["cafe"] });
    expect((await changed.eq("id", made.id)).error?.code).toBe("23514");

    const refused = await supabaseAs(customer).from("search_synonyms").delete().eq("id", made.id);
    expect(refused.error).toMatchObject({ code: "PT403", message: "FORBIDDEN" });
    const { data: left } = await supabaseAs(customer)
      .from("search_synonyms")
      .select("terms")
      .eq("id", made.id)
      .throwOnError();
    expect(left).toEqual([{ terms: ["cafe", "coffee house"] }]);
  });

  it("are normalised for the service role too", async () => {
    const { data } = await supabaseAsService()
      .from("search_synonyms")
      .insert({ tenant_id: testTenant.tenantId, terms: ["ÉPÉE", "sword"] })
      .select("terms")
      .single()
      .throwOnError();
    expect(data.terms).toEqual(["epee", "sword"]);
  });

  it("are available in the client", async () => {
    const { url, anon_key } = ownStack;
    const { operator } = testTenant;
    const { synonyms } = createClient(url, anon_key, { accessToken: async () => operator.token });
    const made = await synonyms.create({ terms: ["jug", "pitcher"] });
    expect(await synonyms.get(made.id)).toEqual(made);
    const wider = { terms: ["jug", "pitcher", "ewer"] };
    expect(await synonyms.update(made.id, wider)).toMatchObject(wider);
    expect((await synonyms.list({ limit: 1 })).synonyms).toMatchObject([{ id: made.id }]);
    const all: string[] = [];
    for await (const { id } of synonyms.listAll()) all.push(id);
    expect(all).toContain(made.id);
    await synonyms.remove(made.id);
    await expect(synonyms.get(made.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a search", () => {
  const found = async (search: string) => {
    const { products } = await must("GET", `/api/products?search=${encodeURIComponent(search)}`, {
      as: testTenant.customer,
    });
    return products.map(({ name }: { name: string }) => name).sort();
  };

  it("for one of the terms finds the matches of all, until the synonyms are deleted", async () => {
    const { operator, supplier } = testTenant;
    await listProduct(supplier, { name: "Velvet divan" });
    await listProduct(supplier, { name: "Linen chaise longue" });
    expect(await found("divan")).toEqual(["Velvet divan"]);

    const { id } = (await create(["Divan", "chaise longue", "daybed"])).body;
    const both = ["Linen chaise longue", "Velvet divan"];
    expect(await found("divan")).toEqual(both);
    expect(await found("Chaise Longue")).toEqual(both);
    expect(await found("daybed")).toEqual(both);
    // The other words of the search apply as before.
    expect(await found("velvet daybed")).toEqual(["Velvet divan"]);

    await must("PUT", `${PATH}/${id}`, { as: operator, body: { terms: ["divan", "daybed"] } });
    expect(await found("daybed")).toEqual(["Velvet divan"]);
    await must("DELETE", `${PATH}/${id}`, { as: operator });
    expect(await found("daybed")).toEqual([]);
  });

  it("uses no other tenant's synonyms", async () => {
    const { operator } = await openTestTenant();
    await listProduct(testTenant.supplier, { name: "Oak stool" });
    await must("POST", PATH, { as: operator, body: { terms: ["stool", "taboret"] } });
    expect(await found("taboret")).toEqual([]);
  });
});
