import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import ws from "ws";
import { createClient } from "../../packages/client/src/index.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { customerOf, item, moved, takeBack } from "../orders/ordering.js";
import { ownStack } from "../own-stack.js";
import {
  type Answer,
  call,
  expectRefusal,
  letReserve,
  listProduct,
  marketplaceFields,
  must,
  openTestTenant,
  orderFor,
  type Person,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// Semantic search, similar products and top sellers. A server without the extension `vector` only compares words. The
// rest is tested on PGlite, which has the extension.

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
type Row = any;

let testTenant: TestTenant;
let elsewhere: TestTenant;
let knowsMeaning: boolean;

beforeAll(async () => {
  [testTenant, elsewhere] = await Promise.all([openTestTenant(), openTestTenant()]);
  const found = await query("select 1 from pg_extension where extname = 'vector'");
  knowsMeaning = found.length > 0;
  if (!knowsMeaning) console.warn("SKIPPED: semantic search, because this server has no vectors");
});

const queryOf = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
const names = ({ products }: { products: Row[] }) => products.map(({ name }) => name);
const ids = ({ products }: { products: Row[] }) => products.map(({ id }) => id);

async function addCategory(name: string, parent_id: string | null = null): Promise<string> {
  const body = { name, parent_id };
  return (await must("POST", "/api/categories", { as: testTenant.operator, body })).id;
}

/** Another open marketplace of the tenant. */
async function addMarketplace(): Promise<string> {
  const as = testTenant.operator;
  const { id } = await must("POST", "/api/marketplaces", { as, body: marketplaceFields() });
  await must("PUT", `/api/marketplaces/${id}`, { as, body: { status: "active" } });
  return id;
}

async function allVectorsAreMade() {
  const waiting = "select from private.jobs where queue = 'embeddings' and tenant_id = $1";
  expect(await query(waiting, [testTenant.tenantId])).toEqual([]);
}

/** Lists a product of the tenant's supplier, by default on its first marketplace. */
const list = (name: string, overrides: object = {}): Promise<Row> =>
  listProduct(testTenant.supplier, {
    name,
    marketplace_id: testTenant.marketplace.id,
    ...overrides,
  });

/** Expects one score per product, from 0 to 1 and in descending order. */
function expectScores({
  products,
  relevance_scores,
}: {
  products: Row[];
  relevance_scores: number[];
}) {
  expect(relevance_scores).toHaveLength(products.length);
  expect(relevance_scores).toEqual(relevance_scores.toSorted((a, b) => b - a));
  for (const score of relevance_scores) {
    expect(score).toBeGreaterThanOrEqual(0);
    expect(score).toBeLessThanOrEqual(1);
  }
  expect(products.map(({ relevance_score }) => relevance_score)).toEqual(relevance_scores);
}

/** Expects the same refusal through HTTP and supabase-js. */
async function expectInvalid(field: string, http: Promise<Answer>[], rpcs: PromiseLike<Row>[]) {
  for (const answer of await Promise.all(http)) {
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
  }
  for (const { status, error } of await Promise.all(rpcs)) {
    expect({ status, message: error?.message }).toEqual({
      status: 422,
      message: "VALIDATION_ERROR",
    });
    expect(JSON.parse(error.details)).toMatchObject({ field });
  }
}

describe("a semantic search", () => {
  let furniture: string;
  let sofas: string;
  let other: string;

  beforeAll(async () => {
    furniture = await addCategory("Furniture");
    sofas = await addCategory("Sofas", furniture);
    other = await addMarketplace();
    // The meaning of words is learned from a catalog: sofas and couches have the same description.
    const seating = {
      description: "Soft seats and cushions for three, to sit on in the living room.",
    };
    const cooking = { description: "To fry and to roast on the stove of your kitchen." };
    const [sold] = await Promise.all([
      list("Sofa that was sold", { price: 800, inventory: { quantity: 1 } }),
      list("Linen sofa", { ...seating, price: 900, category_id: sofas }),
      list("Leather sofa", {
        ...seating,
        price: 1900,
        category_id: sofas,
        attributes: [{ name: "brand", value: "Atlas" }],
      }),
      list("Velvet couch", { ...seating, price: 700, category_id: furniture }),
      list("Corner couch", { ...seating, price: 1200, category_id: furniture }),
      list("Iron frying pan", { ...cooking, price: 40 }),
      list("Copper frying pan", { ...cooking, price: 60 }),
      list("Roasting tin", { ...cooking, price: 30 }),
      list("Sofa elsewhere", { ...seating, price: 700, marketplace_id: other }),
      list("Sofa still to come", { price: 800, status: "draft" }),
      listProduct(elsewhere.supplier, { name: "Foreign sofa" }),
    ]);
    await must("POST", "/api/orders", { as: testTenant.customer, body: orderFor(sold) });
  });

  const semantic = (as: Person, filters: Record<string, string> = {}) =>
    must("GET", `/api/products/search/semantic?${queryOf({ query: "sofa", ...filters })}`, { as });

  it("returns scores in descending order, through every interface", async () => {
    // The operator has a higher rate limit than a customer, because this may take several attempts.
    const { operator } = testTenant;
    // When all vectors are made, every interface finds the same.
    const results = await eventually(async () => {
      const db = supabaseAs(operator);
      const body = { query: "sofa", limit: 8 };
      const found = await Promise.all([
        semantic(operator, { limit: "8" }),
        must("GET", "/products/search/semantic?query=sofa&limit=8", { as: operator }),
        must("GET", "/semantic-search?query=sofa&limit=8", { as: operator }),
        must("POST", "/semantic-search", { as: operator, body }),
        db.functions.invoke("semantic-search", { body }).then(({ data }) => data),
        db.rpc("search_by_meaning", body).then(({ data }) => data),
      ]);
      for (const each of found.slice(1)) expect(each).toEqual(found[0]);
      return found;
    });
    const [found] = results;
    expectScores(found);
    expect(
      names(found)
        .filter((name) => /sofa/i.test(name))
        .toSorted(),
    ).toEqual([
      "Leather sofa",
      "Linen sofa",
      "Sofa elsewhere",
      "Sofa still to come",
      "Sofa that was sold",
    ]);
    const [first] = found.products;
    const { safety: _, ...listed } = await must("GET", `/api/products/${first.id}`, {
      as: operator,
    });
    expect(first).toMatchObject(listed);
  });

  it("finds only visible products", async () => {
    const { customer, supplier } = testTenant;
    const hidden = ["Sofa still to come", "Sofa that was sold"];
    expect(names(await semantic(customer)).filter((name) => hidden.includes(name))).toEqual([]);
    expect(names(await semantic(supplier))).toEqual(expect.arrayContaining(hidden));
    expect(names(await semantic(elsewhere.customer))).toEqual(["Foreign sofa"]);
    for (const person of [customer, supplier, testTenant.operator]) {
      expect(names(await semantic(person))).not.toContain("Foreign sofa");
    }
  });

  it("applies its filters", async () => {
    const { customer, supplier } = testTenant;
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const within = async (filters: Record<string, string>) =>
      names(await semantic(customer, filters)).toSorted();
    const both = ["Leather sofa", "Linen sofa"];
    expect(await within({ category: sofas })).toEqual(both);
    expect(await within({ marketplace_id: other })).toEqual(["Sofa elsewhere"]);
    expect(await within({ brand: "Atlas" })).toEqual(["Leather sofa"]);
    expect(await within({ price_min: "1300" })).toEqual(["Leather sofa"]);
    expect(await within({ price_max: "1000", category: sofas })).toEqual(["Linen sofa"]);
    const inFurniture = await within({ category: furniture });
    expect(inFurniture).toEqual(expect.arrayContaining(both));
    // Couches are found by their meaning only.
    expect([...both, "Corner couch", "Velvet couch"]).toEqual(expect.arrayContaining(inFurniture));
    expect(await within({ supplier_id })).toEqual(await within({}));
    expect(await within({ supplier_id: randomUUID() })).toEqual([]);
    expect(await within({ category: randomUUID() })).toEqual([]);
    expect(await within({ limit: "1" })).toHaveLength(1);
    const body = { query: "sofa", price_min: 1300 };
    const posted = await must("POST", "/semantic-search", { as: customer, body });
    expect(names(posted)).toEqual(["Leather sofa"]);
  });

  it("returns empty lists when nothing is found", async () => {
    const nothing = { products: [], relevance_scores: [] };
    expect(await semantic(testTenant.customer, { query: "sofa", price_min: "100000" })).toEqual(
      nothing,
    );
  });

  it("finds products by meaning without a common word", async (test) => {
    if (!knowsMeaning) return test.skip();
    const as = testTenant.operator;
    const sofa = expect.stringMatching(/^(Linen|Leather) sofa$/);
    await eventually(async () => {
      const found = await semantic(as, { query: "couch" });
      expectScores(found);
      // First the two that also match by words; then those that match by meaning.
      expect(names(found).slice(0, 2).toSorted()).toEqual(["Corner couch", "Velvet couch"]);
      expect(names(found).slice(2, 6)).toEqual(expect.arrayContaining([sofa]));
    });
    // No product has all of these words, so a text search finds none.
    const question = "a couch where my grandmother may snooze";
    const path = `/api/products?search=${encodeURIComponent(question)}`;
    expect((await must("GET", path, { as })).total).toBe(0);
    const [first] = names(await semantic(as, { query: question }));
    expect(first).toMatch(/couch|sofa/i);
  });

  it("gives score 1 to the product that is first by words and by meaning", async (test) => {
    if (!knowsMeaning) return test.skip();
    await eventually(async () => {
      const found = await semantic(testTenant.operator, { query: "iron frying pan" });
      expect([names(found)[0], found.relevance_scores[0]]).toEqual(["Iron frying pan", 1]);
    });
  });

  it("finds products without a vector by their words", async () => {
    const marble = await list("Zellige fountain of marble");
    const found = await semantic(testTenant.customer, { query: "zellige fountain" });
    expect(ids(found)).toContain(marble.id);
    expectScores(found);
  });

  it("accepts a query of 1 to 200 characters and a limit of 1 to 100", async () => {
    const as = testTenant.operator;
    const path = "/api/products/search/semantic";
    const db = supabaseAs(as);
    const long = "x".repeat(201);
    await expectInvalid(
      "query",
      [
        call("GET", path, { as }),
        call("GET", `${path}?query=`, { as }),
        call("GET", `${path}?query=%20`, { as }),
        call("GET", `${path}?query=${long}`, { as }),
        call("POST", "/semantic-search", { as, body: {} }),
        call("POST", "/semantic-search", { as, body: { query: 7 } }),
        call("GET", "/semantic-search", { as }),
      ],
      ["", " ", long, null].map((wrong) => db.rpc("search_by_meaning", { query: wrong })),
    );
    await expectInvalid(
      "limit",
      [
        call("GET", `${path}?query=sofa&limit=0`, { as }),
        call("GET", `${path}?query=sofa&limit=101`, { as }),
        call("POST", "/semantic-search", { as, body: { query: "sofa", limit: 101 } }),
      ],
      [0, 101, null].map((limit) => db.rpc("search_by_meaning", { query: "sofa", limit })),
    );
    expectScores(await semantic(as, { query: "x".repeat(200), limit: "100" }));
    expectRefusal(await call("GET", `${path}?query=sofa`), 401, "UNAUTHORIZED");
    expectRefusal(
      await call("POST", "/semantic-search", { body: { query: "x" } }),
      401,
      "UNAUTHORIZED",
    );
    expectRefusal(
      await call("PUT", "/semantic-search", { as, body: {} }),
      405,
      "METHOD_NOT_ALLOWED",
    );
  });
});

describe("similar products", () => {
  let lamp: Row;
  let alike: Row;

  const similar = (as: Person, { id }: Row, more = "") =>
    call("GET", `/api/products/${id}/similar${more}`, { as });

  beforeAll(async () => {
    const category_id = await addCategory("Lamps");
    const other = await addMarketplace();
    const fields = { category_id, price: 80 };
    lamp = await list("Brass lamp with a shade", fields);
    const [near, _, sold] = await Promise.all([
      list("Brass lamp with a lens", fields),
      list("Paper lantern", { ...fields, price: 20 }),
      list("Brass lamp with a shade, the last", { ...fields, inventory: { quantity: 1 } }),
      list("Brass lamp with a shade, a draft", { ...fields, status: "draft" }),
      list("Brass lamp with a shade, never there", { ...fields, inventory: { quantity: 0 } }),
      list("Brass lamp with a shade, elsewhere", { ...fields, marketplace_id: other }),
      list("Oil for a brass lamp", { price: 80 }),
      list("Woollen socks"),
    ]);
    alike = near;
    await must("POST", "/api/orders", { as: testTenant.customer, body: orderFor(sold) });
    // A product without a vector is only similar by its words, with another score.
    if (knowsMeaning) await eventually(allVectorsAreMade);
  });

  it("can be bought instead, the most similar first", async () => {
    const { customer, operator, supplier } = testTenant;
    for (const person of [customer, operator, supplier]) {
      const { status, body } = await similar(person, lamp);
      expect(status).toBe(200);
      expectScores(body);
      expect(names(body)[0]).toBe(alike.name);
      expect(names(body)).toEqual(
        expect.arrayContaining(["Paper lantern", "Oil for a brass lamp"]),
      );
      const unfit = /the last|a draft|never there|elsewhere|with a shade$/;
      expect(names(body).filter((name) => unfit.test(name))).toEqual([]);
      expect(body.relevance_scores[0]).toBeGreaterThan(body.relevance_scores.at(-1));
    }
    const [http, short, { data }] = await Promise.all([
      must("GET", `/products/${lamp.id}/similar?limit=1`, { as: customer }),
      similar(customer, lamp, "?limit=1"),
      supabaseAs(customer).rpc("similar_products", { product_id: lamp.id, limit: 1 }),
    ]);
    expect(http.products).toHaveLength(1);
    expect(short.body).toEqual(http);
    expect(data).toEqual(http);
  });

  it("exist for every visible product, and are refused for others", async () => {
    const { customer, supplier, operator } = testTenant;
    const draft = await list("Brass lamp to come", { status: "draft" });
    const gone = await list("Brass lamp no more");
    await must("DELETE", `/api/products/${gone.id}`, { as: supplier });
    expect((await similar(supplier, draft)).status).toBe(200);
    for (const [person, product] of [
      [customer, draft],
      [elsewhere.operator, lamp],
      [elsewhere.customer, lamp],
      [operator, gone],
      [operator, { id: randomUUID() }],
      [operator, { id: "lamp" }],
    ] as const) {
      expectRefusal(await similar(person, product), 404, "NOT_FOUND");
    }
    const { data, error } = await supabaseAs(elsewhere.operator).rpc("similar_products", {
      product_id: lamp.id,
    });
    expect([data, error]).toEqual([null, null]);
    expectRefusal(await call("GET", `/api/products/${lamp.id}/similar`), 401, "UNAUTHORIZED");
  });

  it("accept a limit of 1 to 100", async () => {
    const { customer } = testTenant;
    const db = supabaseAs(customer);
    await expectInvalid(
      "limit",
      [similar(customer, lamp, "?limit=0"), similar(customer, lamp, "?limit=101")],
      [0, 101].map((limit) => db.rpc("similar_products", { product_id: lamp.id, limit })),
    );
    const { body } = await similar(customer, lamp, "?limit=100");
    expect(new Set(ids(body)).size).toBe(body.products.length);
  });

  it("are an empty list when there are none", async () => {
    const only = await listProduct(elsewhere.supplier, { name: "Only product" });
    const { body } = await similar(elsewhere.customer, only);
    expectScores(body);
    expect(ids(body)).not.toContain(only.id);
  });
});

describe("top sellers", () => {
  let category: string;
  let customer_id: string;
  let products: Record<"tea" | "mint" | "sugar", Row>;

  const topSales = (as: Person, filters: Record<string, string> = {}) =>
    must("GET", `/api/products/top-sales?${queryOf({ category, ...filters })}`, { as });

  /** The number of sold pieces of each product, as the caller sees it. */
  async function salesOf(as: Person, filters?: Record<string, string>) {
    const found = await topSales(as, filters);
    return found.products.map(({ name, sales_count }: Row) => `${name} ${sales_count}`);
  }

  /** The operator orders, because of a customer's rate limit of a hundred requests per minute. */
  const sell = (items: object[]) =>
    must("POST", "/api/orders", {
      as: testTenant.operator,
      body: orderFor({ marketplace_id: testTenant.marketplace.id, price: 0 }, 1, {
        items,
        customer_id,
      }),
    });

  const addUp = () => query("select private.add_up_sales()");

  beforeAll(async () => {
    category = await addCategory("Groceries");
    customer_id = await customerOf(testTenant.customer);
    const fields = { category_id: category, inventory: { quantity: 1000 } };
    const [tea, mint, sugar] = await Promise.all([
      list("Tea", { ...fields, price: 6 }),
      list("Mint", { ...fields, price: 2 }),
      list("Sugar", { ...fields, price: 3 }),
    ]);
    products = { tea, mint, sugar };
  });

  it("are ranked by pieces, then by revenue, and follow cancellations and returns", async () => {
    const { operator, customer } = testTenant;
    const { tea, mint, sugar } = products;
    expect(await salesOf(customer)).toEqual([]);

    const first = await sell([item(tea, 2), item(mint, 5)]);
    const second = await sell([item(sugar, 2), item(sugar, 1), item(tea, 1)]);
    expect(await salesOf(customer)).toEqual(["Mint 5", "Tea 3", "Sugar 3"]);
    await addUp();
    expect(await salesOf(customer)).toEqual(["Mint 5", "Tea 3", "Sugar 3"]);

    const third = await sell([item(sugar, 4)]);
    expect(await salesOf(customer)).toEqual(["Sugar 7", "Mint 5", "Tea 3"]);
    await moved(operator, third, "cancelled");
    expect(await salesOf(customer)).toEqual(["Mint 5", "Tea 3", "Sugar 3"]);

    await moved(operator, first, "shipped");
    const mintLine = first.items.find(({ product_id }: Row) => product_id === mint.id);
    await takeBack(operator, first, [{ item_id: mintLine.id, quantity: 3 }]);
    expect(await salesOf(customer)).toEqual(["Tea 3", "Sugar 3", "Mint 2"]);
    await addUp();
    // The rest of this order is returned by its status.
    await moved(operator, first, "returned");
    expect(await salesOf(customer)).toEqual(["Sugar 3", "Tea 1"]);
    // This order is returned line by line.
    await moved(operator, second, "delivered");
    const lines = second.items.map(({ id, quantity }: Row) => ({ item_id: id, quantity }));
    await takeBack(operator, second, lines.slice(0, 2));
    expect(await salesOf(customer)).toEqual(["Tea 1"]);
    await takeBack(operator, second, lines.slice(2));
    expect(await salesOf(customer)).toEqual([]);
    await addUp();
    expect(await salesOf(customer)).toEqual([]);
  });

  it("are exact with concurrent orders and cancellations", async () => {
    const { operator, customer } = testTenant;
    const { tea, mint } = products;
    const [orders] = await Promise.all([
      Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          sell(i % 2 ? [item(tea, 1), item(mint, 2)] : [item(mint, 2), item(tea, 1)]),
        ),
      ),
      addUp(),
    ]);
    expect(await salesOf(customer)).toEqual(["Mint 60", "Tea 30"]);
    const cancelled = Promise.all(
      orders.slice(0, 15).map((order) => moved(operator, order, "cancelled")),
    );
    await Promise.all([cancelled, addUp(), sell([item(tea, 40)])]);
    expect(await salesOf(customer)).toEqual(["Tea 55", "Mint 30"]);
    await addUp();
    expect(await salesOf(customer)).toEqual(["Tea 55", "Mint 30"]);
  });

  it("cover a number of days", async () => {
    const { customer } = testTenant;
    await sell([item(products.sugar, 9)]);
    await addUp();
    const before = (days: number) =>
      query("update private.product_sales set date = date - $2::integer where product_id = $1", [
        products.sugar.id,
        days,
      ]);
    await before(29);
    expect(await salesOf(customer)).toContain("Sugar 9");
    await before(1);
    expect(await salesOf(customer)).not.toContain("Sugar 9");
    expect(await salesOf(customer, { days: "31" })).toContain("Sugar 9");
    expect(await salesOf(customer, { days: "1" })).not.toContain("Sugar 9");
    await before(335);
    expect(await salesOf(customer, { days: "365" })).not.toContain("Sugar 9");
  });

  it("only contain visible products that are for sale", async () => {
    const { customer, operator, supplier } = testTenant;
    const own = await listProduct(operator, {
      name: "Rice",
      price: 4,
      category_id: category,
      marketplace_id: testTenant.marketplace.id,
      inventory: { quantity: 100 },
    });
    await sell([item(own, 100)]);
    expect(await salesOf(customer)).not.toContain("Rice 100");
    const change = { quantity: 5, operation: "add" };
    await must("PATCH", `/api/products/${own.id}/inventory`, { as: operator, body: change });
    expect((await salesOf(customer))[0]).toBe("Rice 100");
    expect((await salesOf(operator))[0]).toBe("Rice 100");
    expect((await salesOf(supplier))[0]).toBe("Tea 55");
    await must("PUT", `/api/products/${own.id}`, { as: operator, body: { status: "inactive" } });
    for (const person of [customer, operator]) expect((await salesOf(person))[0]).toBe("Tea 55");
  });

  it("can be filtered by category and marketplace, and contain no other tenant's products", async () => {
    const { customer, marketplace } = testTenant;
    await letReserve(elsewhere);
    const foreign = await listProduct(elsewhere.supplier, { inventory: { quantity: 501 } });
    await must("POST", "/api/orders", { as: elsewhere.customer, body: orderFor(foreign, 500) });
    const everything = await must("GET", "/api/products/top-sales?limit=100", { as: customer });
    expect(ids(everything)).not.toContain(foreign.id);
    expect(names(everything)).toEqual(expect.arrayContaining(["Tea", "Mint"]));
    expect(await salesOf(customer, { limit: "1" })).toEqual(["Tea 55"]);
    expect(await salesOf(customer, { marketplace_id: marketplace.id, limit: "1" })).toEqual([
      "Tea 55",
    ]);
    expect(await salesOf(customer, { marketplace_id: await addMarketplace() })).toEqual([]);
    expect(await salesOf(customer, { category: randomUUID() })).toEqual([]);
    expect(await salesOf(elsewhere.customer)).toEqual([]);
    const theirs = await must("GET", "/products/top-sales", { as: elsewhere.customer });
    expect(theirs.products).toEqual([
      expect.objectContaining({ id: foreign.id, sales_count: 500, relevance_score: null }),
    ]);
    const { data } = await supabaseAs(elsewhere.customer).rpc("top_sales");
    expect(data).toEqual(theirs);
  });

  it("accept 1 to 365 days and a limit of 1 to 100", async () => {
    const as = testTenant.operator;
    const db = supabaseAs(as);
    for (const [field, wrong] of [
      ["days", [0, 366]],
      ["limit", [0, 101]],
    ] as const) {
      await expectInvalid(
        field,
        [...wrong, "soon"].map((value) =>
          call("GET", `/api/products/top-sales?${field}=${value}`, { as }),
        ),
        [...wrong, null].map((value) => db.rpc("top_sales", { [field]: value })),
      );
    }
    expectRefusal(await call("GET", "/api/products/top-sales"), 401, "UNAUTHORIZED");
  });
});

describe("the client", () => {
  it("has a method for each of these", async () => {
    const { url, anon_key } = ownStack;
    const client = createClient(url, anon_key, {
      accessToken: async () => testTenant.operator.token,
      realtime: { transport: ws as never },
    });
    const found = await client.search.semantic({ query: "tea", limit: 1 });
    expectScores(found);
    const [tea] = found.products;
    expect(tea?.name).toBe("Tea");
    const like = await client.products.similar(tea?.id ?? "", { limit: 1 });
    expectScores(like);
    expect(like.products).toHaveLength(1);
    const sold = await client.products.topSales({ category: tea?.category_id ?? "", days: 1 });
    expect(sold.products[0]).toMatchObject({ id: tea?.id, sales_count: 55 });
    await expect(client.products.similar(randomUUID())).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});
