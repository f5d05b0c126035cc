import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  persist,
  register,
  registerClient,
  stockOf,
  supabaseAs,
} from "../souk.js";

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Product = any;

function put(as: Person, { id }: Product, body: object) {
  return call("PUT", `/api/products/${id}`, { as, body });
}

async function changed(...change: Parameters<typeof put>): Promise<Product> {
  const answer = await put(...change);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body;
}

function get(as: Person, { id }: Product): Promise<Product> {
  return must("GET", `/products/${id}`, { as });
}

function remove(as: Person, { id }: Product) {
  return call("DELETE", `/products/${id}`, { as });
}

const buy = (as: Person, product: Product, fields: object = {}) =>
  must("POST", "/api/orders", { as, body: { ...orderFor(product), ...fields } });

const buyVariant = (as: Person, product: Product, variant: Product, quantity = 1) =>
  buy(as, product, {
    items: [{ product_id: product.id, variant_id: variant.id, quantity, price: variant.price }],
  });

/** The events of a product, in order. */
async function eventsOf(operator: Person, { id }: Product) {
  const { data } = await supabaseAs(operator)
    .from("events")
    .select("name, payload")
    .like("name", "product.%")
    .order("created_at")
    .throwOnError();
  const rows = data as { name: string; payload: { data: { product: Product } } }[];
  return rows
    .map(({ name, payload }) => ({ name, product: payload.data.product }))
    .filter(({ product }) => product.id === id);
}

const skus = ({ variants }: Product) =>
  Object.fromEntries(variants.map(({ name, sku }: Product) => [name, sku]));

describe("listing a product", () => {
  it("twice with the same Idempotency-Key lists it once", async () => {
    const { operator, supplier } = await openTestTenant();
    const headers = { "idempotency-key": randomUUID() };
    const body = {
      name: "Saffron",
      price: 12.5,
      kind: "digital",
      attributes: [{ name: "brand", value: "Taliouine" }],
      variants: [{ name: "a", price: 13 }],
    };
    const list = () => call("POST", "/api/products", { as: supplier, body, headers });
    const [first, second] = [await list(), await list()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("location")).toBe(`/functions/v1/products/${first.body.id}`);
    expect((await must("GET", "/api/products", { as: operator })).total).toBe(1);
  });
});

/** Its records in two lists: a search for the word, and its category. */
async function listed(as: Person, { id, category_id }: Product, word: string): Promise<Product[]> {
  const lists = await Promise.all(
    [`search=${word}`, `category=${category_id}`, ""].map((query) =>
      must("GET", `/api/products?${query}`, { as }),
    ),
  );
  return lists.map(({ products }) => {
    const { relevance_score, promotion, ...record } = products.find((p: Product) => p.id === id);
    return record;
  });
}

describe("a list's record of a product", () => {
  it("is the record of a single read, after any change, by any role, in any time zone", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const category = await must("POST", "/api/categories", {
      as: operator,
      body: { name: "Carpets" },
    });
    const product = await listProduct(supplier, {
      name: 'Kilim "Ourika", \\ 2 m',
      description: "Red.\nOf wool.",
      category_id: category.id,
      attributes: [{ name: "brand", value: "Ourika" }],
      variants: [
        { name: "red", sku: `K-${randomUUID()}`, inventory: { quantity: 3 } },
        { name: "blue", price: 7.5, inventory: { quantity: 2 } },
      ],
    });
    const isTheSame = async () => {
      const { safety, ...record } = await get(customer, product);
      expect(safety).toBeNull();
      expect(await listed(customer, record, "ourika")).toEqual([record, record, record]);
      return record;
    };
    await isTheSame();
    await buyVariant(customer, product, product.variants[0], 3);
    await isTheSame();
    const sold = product.variants.map(({ id }: Product) => ({ id, name: `of ${id}` }));
    await changed(supplier, product, { price: 9, images: [], variants: sold });
    await isTheSame();
    await supabaseAs(supplier)
      .from("products")
      .update({ name: "Kilim from Ourika" })
      .eq("id", product.id)
      .setHeader("Prefer", "timezone=Asia/Tokyo")
      .throwOnError();
    expect(await isTheSame()).toMatchObject({ name: "Kilim from Ourika" });
  });
});

describe("changing a product", () => {
  it("accepts any of its fields, and keeps the others", async () => {
    const { operator, supplier } = await openTestTenant();
    const { id: category_id } = await must("POST", "/api/categories", {
      as: operator,
      body: { name: "Spices" },
    });
    const made = await listProduct(supplier, { description: "Red." });
    for (const change of [
      { name: "Best saffron" },
      { price: 13, description: "" },
      { category_id },
      { category_id: null },
      { external_id: "s-1" },
      { images: [{ url: "https://example.com/1.jpg", alt: "Threads" }] },
      {
        physical: { weight_grams: 5, length_mm: null, width_mm: 10, height_mm: 1, delivery: null },
      },
      { physical: null },
      { status: "inactive" },
      { status: "active" },
    ]) {
      const before = await get(supplier, made);
      const after = await changed(supplier, made, change);
      expect(after).toEqual({ ...before, ...change, updated_at: expect.any(String) });
      expect(await get(supplier, made)).toEqual(after);
    }
    // Sending the whole record back does not change it.
    const whole = await get(supplier, made);
    const eventCount = (await eventsOf(operator, made)).length;
    expect(await changed(supplier, made, whole)).toEqual(whole);
    expect(await changed(operator, made, {})).toEqual(whole);
    expect(await eventsOf(operator, made)).toHaveLength(eventCount);
  });

  it("is allowed to its supplier and to admins", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const stranger = (await openTestTenant()).operator;
    const product = await listProduct(supplier);
    expect((await changed(operator, product, { price: 2 })).price).toBe(2);
    const kept = await get(operator, product);
    for (const [as, status, code] of [
      [customer, 403, "FORBIDDEN"],
      [client, 403, "FORBIDDEN"],
      [rival, 404, "NOT_FOUND"],
      [stranger, 404, "NOT_FOUND"],
    ] as const) {
      expectRefusal(await put(as, product, { price: 3 }), status, code);
      expectRefusal(await remove(as, product), status, code);
      const { error, data } = await supabaseAs(as)
        .from("products")
        .delete()
        .eq("id", product.id)
        .select();
      expect(error ?? data).toMatchObject(
        status === 403 && as !== stranger ? { code: "PT403" } : [],
      );
    }
    expectRefusal(await put(operator, { id: randomUUID() }, {}), 404, "NOT_FOUND");
    expect(await get(operator, product)).toEqual(kept);
  });

  it("refuses invalid values, and changes of immutable fields", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const { supplier_id } = await must("GET", "/auth/me", { as: rival });
    const product = await listProduct(supplier, { status: "draft" });
    for (const [body, field] of [
      [{ name: "" }, "name"],
      [{ name: "  " }, "name"],
      [{ name: null }, "name"],
      [{ price: 0.001 }, "price"],
      [{ price: -1 }, "price"],
      [{ images: [{ url: "javascript:alert(1)" }] }, "images[0].url"],
      [{ attributes: [{ name: "brand" }] }, "attributes[0].value"],
      [{ physical: { weight_grams: 0 } }, "physical.weight_grams"],
      [{ physical: { delivery: ["mule"] } }, "physical.delivery[0]"],
      [{ track_inventory: false }, "track_inventory"],
      [{ kind: "digital" }, "kind"],
      [{ currency: "USD" }, "currency"],
      [{ marketplace_id: randomUUID() }, "marketplace_id"],
      [{ supplier_id }, "supplier_id"],
      [{ variants: [{ name: "a" }, { price: 1 }] }, "variants[1]"],
      [{ variants: [{ name: "a", price: -1 }] }, "variants[0]"],
      [{ variants: [{ name: "a" }, { name: " " }] }, "variants[1].name"],
      [{ updated_at: "yesterday" }, "updated_at"],
    ] as const) {
      const answer = await put(operator, product, body);
      expectRefusal(answer, 422, "VALIDATION_ERROR");
      expect([body, answer.body.error.details.field]).toEqual([
        body,
        expect.stringContaining(field),
      ]);
    }
    for (const status of ["out_of_stock", "inactive"]) {
      expectRefusal(await put(operator, product, { status }), 422, "INVALID_TRANSITION", {
        field: "status",
        value: status,
      });
    }
    const category_id = randomUUID();
    expectRefusal(await put(operator, product, { category_id }), 404, "NOT_FOUND", {
      field: "category_id",
      value: category_id,
    });
    expect(await get(operator, product)).toEqual(product);
  });

  it("is refused with an outdated updated_at", async () => {
    const { operator, supplier } = await openTestTenant();
    const { updated_at, ...product } = await listProduct(supplier);
    const first = await changed(operator, product, { price: 2, updated_at });
    expectRefusal(await put(supplier, product, { name: "Late", updated_at }), 409, "CONFLICT", {
      field: "updated_at",
      value: updated_at,
    });
    // One of many concurrent changes with the same state and different prices succeeds.
    const answers = await Promise.all(
      [3, 4, 5, 6, 7, 8].map((price) =>
        put(supplier, product, { price, updated_at: first.updated_at }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await changed(supplier, product, { name: "No state named" })).name).toMatch(/^No/);
  });

  it("causes one event, with the whole new record", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, {
      variants: [{ name: "small", inventory: { quantity: 1 } }, { name: "large" }],
    });
    const [small] = product.variants;
    await buyVariant(customer, product, small);
    // Name, variants and, because of the stock, the status change at once.
    const after = await changed(supplier, product, {
      name: "Best saffron",
      variants: [small, { name: "huge", price: 20, inventory: { quantity: 5 } }],
    });
    expect(after).toMatchObject({ status: "active", inventory: { quantity: 6, reserved: 1 } });
    await changed(supplier, product, { variants: after.variants.toReversed() });
    const events = await eventsOf(operator, product);
    expect(events.map(({ name }) => name)).toEqual([
      "product.created",
      "product.out_of_stock",
      "product.updated",
      "product.updated",
    ]);
    expect(events[1]?.product).toMatchObject({ status: "out_of_stock" });
    const { safety: _, ...shown } = after;
    expect(events[2]?.product).toEqual(shown);
    expect(events[3]?.product.variants).toEqual(after.variants.toReversed());
  });
});

describe("the variants of a product", () => {
  it("are replaced by id: changed, created and removed", async () => {
    const { supplier, customer } = await openTestTenant();
    const mark = randomUUID();
    const product = await listProduct(supplier, {
      price: 10,
      inventory: { quantity: 0 },
      variants: [
        { name: "a", sku: `${mark}-a`, inventory: { quantity: 1 } },
        { name: "b", sku: `${mark}-b`, price: 12, inventory: { quantity: 2 } },
        { name: "c", sku: `${mark}-c`, inventory: { quantity: 4 } },
      ],
    });
    const [a, b, c] = product.variants;
    // a and b swap their skus; b moves to the front and is renamed; c is removed; d is new.
    const after = await changed(supplier, product, {
      variants: [
        { id: b.id, name: "B", sku: a.sku, inventory: { quantity: 99 } },
        { id: a.id, sku: b.sku },
        { name: "d", price: 11, inventory: { quantity: 8 } },
      ],
    });
    expect(after.variants).toEqual([
      { ...b, name: "B", sku: a.sku },
      { ...a, sku: b.sku },
      {
        id: expect.any(String),
        name: "d",
        sku: null,
        price: 11,
        own_price: 11,
        compare_at_price: null,
        lowest_price_30d: null,
        inventory: { quantity: 8, reserved: 0 },
      },
    ]);
    expect(after.inventory).toEqual({ quantity: 11, reserved: 0 });
    expect(after.variants[2].id).not.toBe(c.id);
    // The sku of the removed c is free. One in use is not.
    const taken = await put(supplier, product, {
      variants: [...after.variants, { name: "e", sku: a.sku }],
    });
    expectRefusal(taken, 409, "CONFLICT", { field: "variants[3].sku", value: a.sku });
    const fine = await put(supplier, product, {
      variants: [{ id: b.id }, { id: a.id, price: 1.234 }],
    });
    expectRefusal(fine, 422, "VALIDATION_ERROR", { field: "variants[1].price", value: 1.234 });
    expect(await get(supplier, product)).toEqual(after);
    const more = await changed(supplier, product, {
      variants: [...after.variants, { name: "e", sku: c.sku }],
    });
    expect(skus(more)).toEqual({ B: a.sku, a: b.sku, d: null, e: c.sku });
    await buyVariant(customer, product, after.variants[2], 8);
  });

  it("have different names, and may swap them", async () => {
    const { supplier } = await openTestTenant();
    const product = await listProduct(supplier, { variants: [{ name: "Red" }, { name: "Blue" }] });
    const [red, blue] = product.variants;
    const swapped = await changed(supplier, product, {
      variants: [
        { id: red.id, name: "Blue" },
        { id: blue.id, name: "Red" },
      ],
    });
    expect(swapped.variants).toMatchObject([
      { id: red.id, name: "Blue" },
      { id: blue.id, name: "Red" },
    ]);
    for (const [variants, field] of [
      [[{ id: red.id }, { name: " BLUE" }], "variants[1].name"],
      [[{ id: red.id, name: "red" }, { id: blue.id }], "variants[1].name"],
      [[{ name: "e\u0301" }, { name: "x" }, { name: "\u00c9" }], "variants[2].name"],
    ] as const) {
      expectRefusal(await put(supplier, product, { variants }), 422, "VALIDATION_ERROR", { field });
      const direct = await supabaseAs(supplier).rpc("update_product", {
        product_id: product.id,
        changes: { variants },
      });
      expect(direct.status).toBe(422);
      expect(direct.error?.details).toContain(field);
    }
    const table = supabaseAs(supplier).from("product_variants");
    expect((await table.insert({ product_id: product.id, name: "blue " })).error).not.toBeNull();
    expect((await table.update({ name: "BLUE" }).eq("id", blue.id)).error).not.toBeNull();
    expect(await get(supplier, product)).toEqual(swapped);
  });

  it("follow the product's price, unless they have their own", async () => {
    const { supplier } = await openTestTenant();
    const product = await listProduct(supplier, {
      price: 10,
      variants: [{ name: "same" }, { name: "own", price: 12 }],
    });
    const prices = async (change: object) =>
      (await changed(supplier, product, change)).variants.map(({ price }: Product) => price);
    // Variants as they were read, together with a new price of the product.
    expect(await prices({ variants: product.variants, price: 11 })).toEqual([11, 12]);
    const [same, own] = product.variants;
    expect(
      await prices({
        variants: [
          { id: same.id, price: 9 },
          { id: own.id, price: null },
        ],
      }),
    ).toEqual([9, 11]);
    expect(await prices({ price: 20 })).toEqual([9, 20]);
  });

  it("have an own price in every record, null if they inherit, also where it is the product's price", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, {
      price: 10,
      variants: [
        { name: "same", inventory: { quantity: 5 } },
        { name: "own", price: 12 },
        { name: "equal", price: 10 },
        { name: "null", own_price: null },
        { name: "its own", own_price: 10 },
      ],
    });
    const own = (record: Product) => record.variants.map(({ own_price }: Product) => own_price);
    expect(own(product)).toEqual([null, 12, 10, null, 10]);
    const path = `/api/products/${product.id}`;
    for (const person of [operator, supplier, customer]) {
      expect(own(await must("GET", path, { as: person }))).toEqual(own(product));
      const { products } = await must("GET", "/api/products", { as: person });
      expect(own(products[0])).toEqual(own(product));
      const db = supabaseAs(person);
      const { data: one } = await db.rpc("get_product", { product_id: product.id }).throwOnError();
      const { data: list } = await db.rpc("list_products", { search: "saffron" }).throwOnError();
      const { data: rows } = await db.from("product_details").select().throwOnError();
      for (const record of [one, list.products[0], rows[0]]) {
        expect(own(record)).toEqual(own(product));
      }
    }

    // The record as it was read changes nothing, also with a new price of the product.
    const dearer = await changed(supplier, product, { ...product, price: 11 });
    expect(own(dearer)).toEqual([null, 12, 10, null, 10]);
    expect(dearer.variants.map(({ price }: Product) => price)).toEqual([11, 12, 10, 11, 10]);

    // The price of the product becomes a variant's own, and an own price is removed.
    const [same, other, equal, ...others] = dearer.variants.map(({ id }: Product) => ({ id }));
    const variants = [
      { ...same, own_price: 11 },
      { ...other, own_price: null },
      { ...equal, own_price: 9.5 },
      ...others,
    ];
    expect(own(await changed(supplier, product, { variants }))).toEqual([11, null, 9.5, null, 10]);
    const { data } = await supabaseAs(supplier)
      .rpc("update_product", { product_id: product.id, changes: { price: 20 } })
      .throwOnError();
    expect(data.variants.map(({ price }: Product) => price)).toEqual([11, 20, 9.5, 20, 10]);
    expect(own(data)).toEqual([11, null, 9.5, null, 10]);

    // Of a record that is sent back, the changed one of both prices counts.
    const both = data.variants.map((variant: Product, i: number) => ({
      ...variant,
      ...(i === 0 && { own_price: null }),
      ...(i === 1 && { price: 21 }),
    }));
    expect(own(await changed(supplier, product, { variants: both }))).toEqual([
      ...[null, 21, 9.5, null, 10],
    ]);
    for (const own_price of [-1, 1.234, "9"]) {
      const refused = await put(supplier, product, { variants: [{ ...same, own_price }] });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "variants[0].own_price" });
    }
  });

  it("are kept when they were ordered", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, {
      variants: ["a", "b"].map((name) => ({ name, inventory: { quantity: 3 } })),
    });
    const [a, b] = product.variants;
    await buyVariant(customer, product, a);
    const before = await get(supplier, product);
    expectRefusal(
      await put(supplier, product, { name: "Never", variants: [{ id: b.id }] }),
      409,
      "CONFLICT",
      { field: "variants" },
    );
    expect(await get(supplier, product)).toEqual(before);
    const direct = await supabaseAs(supplier).from("product_variants").delete().eq("id", a.id);
    expect(direct.error).toMatchObject({ code: "23503" });
    expect((await changed(supplier, product, { variants: [{ id: a.id }] })).variants).toHaveLength(
      1,
    );
  });

  it("must belong to this product", async () => {
    const { supplier } = await openTestTenant();
    const [product, other] = await Promise.all([
      listProduct(supplier, { variants: [{ name: "a" }] }),
      listProduct(supplier, { variants: [{ name: "theirs" }] }),
    ]);
    const [a] = product.variants;
    for (const id of [other.variants[0].id, randomUUID()]) {
      expectRefusal(
        await put(supplier, product, { variants: [a, { id, name: "taken over" }] }),
        404,
        "NOT_FOUND",
        { field: "variants[1].id", value: id },
      );
    }
    expectRefusal(await put(supplier, product, { variants: [a, a] }), 422, "VALIDATION_ERROR", {
      field: "variants[1].id",
      value: a.id,
    });
    expect(await get(supplier, product)).toEqual(product);
    expect(await get(supplier, other)).toEqual(other);
  });

  it("determine the product's status", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 5 } });
    expect(product.inventory.quantity).toBe(5);
    const status = async (variants: object[]) => {
      const after = await changed(supplier, product, { variants });
      return [after.status, after.inventory.quantity, after.variants];
    };
    // A first variant without stock leaves nothing to sell.
    const [none, , empty] = await status([{ name: "empty" }]);
    expect(none).toBe("out_of_stock");
    const [some, sum, both] = await status([
      ...empty,
      { name: "full", inventory: { quantity: 2 } },
    ]);
    expect([some, sum]).toEqual(["active", 2]);
    expect((await status(both.slice(0, 1)))[0]).toBe("out_of_stock");
    expect((await status([])).slice(0, 2)).toEqual(["active", 5]);
    const eventNames = (await eventsOf(operator, product)).map(({ name }) => name);
    expect(eventNames.filter((name) => name === "product.out_of_stock")).toHaveLength(2);
  });

  it("may have any id that Postgres accepts, and remain readable", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { name: "Odd", inventory: { quantity: 0 } });
    // This id has neither a version nor a variant of RFC 9562.
    const id = `${randomUUID().slice(0, 8)}-1111-1111-1111-111111111111`;
    const made = await supabaseAs(supplier)
      .from("product_variants")
      .insert({ id, product_id: product.id, name: "a" });
    expect(made.error).toBeNull();
    await must("PATCH", `/api/products/${product.id}/inventory`, {
      as: supplier,
      body: { variant_id: id, quantity: 3, operation: "set" },
    });
    expect((await get(supplier, product)).variants).toMatchObject([{ id, name: "a" }]);
    expect((await must("GET", "/api/products", { as: customer })).total).toBe(1);
    const found = await must("GET", "/api/products/search/semantic?query=odd", { as: customer });
    expect(found.products).toMatchObject([{ id: product.id, variants: [{ id }] }]);
    const stock = await must("GET", "/api/inventory", { as: supplier });
    expect(stock.inventory).toContainEqual(
      expect.objectContaining({ variant_id: id, quantity: 3 }),
    );
    await buyVariant(customer, product, { id, price: product.price }, 1);
    const after = await changed(supplier, product, { variants: [{ id, name: "b" }] });
    expect(after.variants).toMatchObject([{ id, name: "b", inventory: { reserved: 1 } }]);
  });

  it("change through supabase-js with the same rules, and change the product too", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const product = await listProduct(supplier, { variants: [{ name: "a" }] });
    const [{ id }] = product.variants;
    const variants = supabaseAs(supplier).from("product_variants");
    await variants.update({ name: "b", price: 9 }).eq("id", id).throwOnError();
    await variants.insert({ product_id: product.id, name: "c" }).throwOnError();
    const after = await get(supplier, product);
    expect(after.variants.map(({ name }: Product) => name).sort()).toEqual(["b", "c"]);
    expect(after.updated_at > product.updated_at).toBe(true);
    expect((await variants.update({ price: 0.001 }).eq("id", id)).error).toMatchObject({
      message: "VALIDATION_ERROR",
    });
    const theirs = supabaseAs(rival).from("product_variants");
    expect((await theirs.update({ price: 0 }).eq("id", id).select()).data).toEqual([]);
    expect((await theirs.delete().eq("id", id).select()).data).toEqual([]);
    expect((await theirs.insert({ product_id: product.id, name: "d" })).error).toMatchObject({
      code: "42501",
    });
    await variants.delete().eq("id", id).throwOnError();
    expect((await get(supplier, product)).variants).toHaveLength(1);
    const eventNames = (await eventsOf(operator, product)).map(({ name }) => name);
    expect(eventNames).toEqual(["product.created", ...Array(3).fill("product.updated")]);
  });

  it("cause one event when all are replaced", async () => {
    const { operator, supplier } = await openTestTenant();
    const variants = [{ name: "small", inventory: { quantity: 3 } }];
    const product = await listProduct(supplier, { variants });
    await must("PUT", `/api/products/${product.id}`, {
      as: supplier,
      body: { variants: [{ name: "large", inventory: { quantity: 2 } }] },
    });
    const eventNames = (await eventsOf(operator, product)).map(({ name }) => name);
    expect(eventNames).toEqual(["product.created", "product.updated"]);
  });
});

describe("deleting a product", () => {
  it("removes one that was never ordered completely", async () => {
    const { operator, supplier } = await openTestTenant();
    for (const deleteThrough of [
      (product: Product) => remove(supplier, product),
      (product: Product) => supabaseAs(supplier).from("products").delete().eq("id", product.id),
    ]) {
      const product = await listProduct(supplier, {
        variants: [{ name: "a", inventory: { quantity: 2 } }],
      });
      expect((await deleteThrough(product)).status).toBe(204);
      const { data } = await supabaseAs(operator).from("products").select().eq("id", product.id);
      expect(data).toEqual([]);
      expect(await stockOf(product)).toEqual({});
      expectRefusal(await remove(supplier, product), 404, "NOT_FOUND");
    }
  });

  it("discontinues one that was ordered: it is in no list, and cannot be read", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    for (const deleteThrough of [
      (product: Product) => remove(supplier, product),
      (product: Product) => supabaseAs(supplier).from("products").delete().eq("id", product.id),
      (product: Product) => put(operator, product, { status: "discontinued" }),
    ]) {
      const sku = randomUUID();
      const product = await listProduct(supplier, {
        external_id: "ours",
        variants: [{ name: "a", sku, inventory: { quantity: 2 } }],
      });
      const order = await buyVariant(customer, product, product.variants[0]);
      expect((await deleteThrough(product)).status).toBeLessThan(300);
      for (const as of [operator, supplier, customer, client]) {
        const asked = await call("GET", `/products/${product.id}`, { as });
        expectRefusal(asked, 404, "NOT_FOUND");
        for (const query of ["", "?status=discontinued", "?search=saffron"]) {
          expect(await must("GET", `/api/products${query}`, { as })).toMatchObject({
            total: 0,
            products: [],
          });
        }
        const { data } = await supabaseAs(as).from("product_details").select();
        expect(data).toEqual([]);
      }
      // It cannot be changed by any role, through any interface.
      for (const changes of [
        { status: "active" },
        { name: "Never" },
        { variants: [] },
        { status: "discontinued" },
      ]) {
        expectRefusal(await put(supplier, product, changes), 422, "INVALID_TRANSITION", {
          field: "status",
          value: changes.status ?? "discontinued",
        });
      }
      expectRefusal(await put(customer, product, { status: "active" }), 403, "FORBIDDEN");
      expectRefusal(await put(rival, product, { status: "active" }), 404, "NOT_FOUND");
      for (const changes of [{ status: "active" }, { name: "Never" }]) {
        const direct = await supabaseAs(supplier)
          .from("products")
          .update(changes)
          .eq("id", product.id);
        expect([direct.status, direct.error?.message]).toEqual([422, "INVALID_TRANSITION"]);
      }
      expectRefusal(await remove(operator, product), 404, "NOT_FOUND");
      // Its supplier may reuse its sku. Its order continues.
      await remove(
        supplier,
        await listProduct(supplier, { external_id: "ours", variants: [{ name: "b", sku }] }),
      );
      const shipped = await call("PATCH", `/api/orders/${order.id}/status`, {
        as: operator,
        body: { status: "shipped" },
      });
      expect(shipped.body).toMatchObject({ status: "shipped" });
      const events = await eventsOf(operator, product);
      expect(events.map(({ name }) => name)).toEqual(["product.created", "product.updated"]);
      expect(events[1]?.product).toMatchObject({ id: product.id, status: "discontinued" });
    }
  });

  it("and ordering it concurrently has one of two results, never an order without a product", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const products = await Promise.all(Array.from({ length: 8 }, () => listProduct(supplier)));
    await Promise.all(
      products.map(async (product) => {
        const [gone, ordered] = await Promise.all([
          persist("DELETE", `/api/products/${product.id}`, { as: supplier }),
          persist("POST", "/api/orders", { as: customer, body: orderFor(product) }),
        ]);
        expect(gone.status).toBe(204);
        expect([201, 404]).toContain(ordered.status);
        const { data } = await supabaseAs(operator)
          .from("products")
          .select("status")
          .eq("id", product.id);
        expect(data).toEqual(ordered.status === 201 ? [{ status: "discontinued" }] : []);
      }),
    );
  });
});

describe("a kind of product has", () => {
  it("physical: weight, measures and delivery methods", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    await must("PUT", `/api/marketplaces/${marketplace.id}`, {
      as: operator,
      body: {
        settings: {
          business: {
            delivery: {
              methods: [
                { key: "courier", name: "Courier", price: 5 },
                { key: "mule", name: "Mule", price: 1 },
              ],
            },
          },
        },
      },
    });
    const physical = { weight_grams: 1200, length_mm: 300, delivery: ["mule"] };
    const made = await listProduct(supplier, { physical });
    expect(made.physical).toEqual({ ...physical, width_mm: null, height_mm: null });
    for (const [invalid, field] of [
      [{ delivery: ["camel"] }, "physical.delivery[0]"],
      [{ delivery: ["mule", "camel"] }, "physical.delivery[1]"],
      [{ weight_grams: 1.5 }, "physical.weight_grams"],
      [{ height_mm: "3" }, "physical.height_mm"],
    ] as const) {
      expectRefusal(await put(supplier, made, { physical: invalid }), 422, "VALIDATION_ERROR", {
        field,
      });
      const { error } = await supabaseAs(supplier)
        .from("products")
        .update({ physical: invalid })
        .eq("id", made.id);
      expect(JSON.parse(error?.details ?? "{}")).toMatchObject({ field });
    }
    for (const kind of ["digital", "service"]) {
      const answer = await call("POST", "/api/products", {
        as: supplier,
        body: { name: "x", price: 1, kind, physical },
      });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "physical" });
    }
  });

  it("stock: physical always, digital by choice, a service never", async () => {
    const { supplier } = await openTestTenant();
    for (const [kind, asked, expected] of [
      ["physical", undefined, true],
      ["physical", true, true],
      ["digital", undefined, false],
      ["digital", true, true],
      ["service", undefined, false],
      ["service", false, false],
    ] as const) {
      const made = await listProduct(supplier, {
        kind,
        track_inventory: asked,
        inventory: { quantity: 0 },
      });
      expect([kind, asked, made.track_inventory]).toEqual([kind, asked, expected]);
    }
    for (const [kind, track_inventory] of [
      ["physical", false],
      ["service", true],
    ]) {
      const answer = await call("POST", "/api/products", {
        as: supplier,
        body: { name: "x", price: 1, kind, track_inventory },
      });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "track_inventory" });
    }
  });

  it("no inventory when it has no stock", async () => {
    const { operator, supplier } = await openTestTenant();
    const pieces = { inventory: { quantity: 5 } };
    for (const kind of ["digital", "service"]) {
      const body = { name: "x", price: 1, kind };
      for (const [fields, field] of [
        [pieces, "inventory.quantity"],
        [{ variants: [{ name: "a" }, { name: "b", ...pieces }] }, "variants[1].inventory.quantity"],
      ] as const) {
        const answer = await call("POST", "/api/products", {
          as: supplier,
          body: { ...body, ...fields },
        });
        expectRefusal(answer, 422, "VALIDATION_ERROR", { field, value: 5 });
      }
      const made = await must("POST", "/api/products", {
        as: supplier,
        body: { ...body, variants: [{ name: "a" }] },
      });
      const variants = [...made.variants, { name: "b", ...pieces }];
      expectRefusal(await put(supplier, made, { variants }), 422, "VALIDATION_ERROR", {
        field: "variants[1].inventory.quantity",
        value: 5,
      });
      expect(await get(supplier, made)).toEqual(made);
    }
    expect((await must("GET", "/api/products", { as: operator })).total).toBe(2);
  });

  it("images with a URL each, through every interface", async () => {
    const { supplier } = await openTestTenant();
    const products = supabaseAs(supplier).from("products");
    for (const [images, field] of [
      [{}, "images"],
      [["https://example.com/1.jpg"], "images[0].url"],
      [[{ url: "https://example.com/1.jpg" }, { alt: "none" }], "images[1].url"],
      [[{ url: "javascript:alert(1)" }], "images[0].url"],
      [[{ url: "https://example.com/1.jpg", alt: 1 }], "images[0].alt"],
    ] as const) {
      const { error } = await products.insert({ name: "x", price: 1, images });
      expect(error).toMatchObject({ message: "VALIDATION_ERROR" });
      expect(JSON.parse(error?.details ?? "{}")).toMatchObject({ field });
    }
    const { data } = await products
      .insert({ name: "x", price: 1, images: [{ url: "https://example.com/1.jpg", size: 3 }] })
      .select("images")
      .single()
      .throwOnError();
    expect(data.images).toEqual([{ url: "https://example.com/1.jpg", alt: "" }]);
  });
});
