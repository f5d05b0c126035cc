// What prices are compared with, and the lowest price of the 30 days before the present one, as EU law requires of reductions.
import { expect, it } from "vitest";
import { query } from "../database.js";
import { CSV, counts, importsAt, NDJSON, ndjson } from "../imports/importing.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  supabaseAs,
} from "../souk.js";

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Product = any;

const { imported } = importsAt("/api/products/import");

const pathOf = ({ id }: Product) => `/api/products/${id}`;

const change = (as: Person, product: Product, body: object): Promise<Product> =>
  must("PUT", pathOf(product), { as, body });

const refused = async (as: Person, product: Product, body: object, field: string) =>
  expectRefusal(await call("PUT", pathOf(product), { as, body }), 422, "VALIDATION_ERROR", {
    field,
  });

/** Lets days pass for the prices of a product, by moving all that happened to it. */
const pass = ({ id }: Product, days: number) =>
  query(`
    begin;
    set local session_replication_role = replica;
    update private.product_prices set began_at = began_at - interval '${days} days' where product_id = '${id}';
    update public.products set created_at = created_at - interval '${days} days' where id = '${id}';
    update public.product_variants set created_at = created_at - interval '${days} days' where product_id = '${id}';
    commit
  `);

/** The recorded prices of a product, or of a variant of it, in their order. */
async function recorded(product: Product, variant?: Product): Promise<(number | null)[]> {
  const rows = await query<{ price: number | null }>(
    `select price::float8 as price from private.product_prices
     where product_id = $1 and coalesce(variant_id, product_id) = $2 order by began_at`,
    [product.id, (variant ?? product).id],
  );
  return rows.map(({ price }) => price);
}

it("are greater than the price of a product or a variant, with the decimals of its currency", async () => {
  const { supplier } = await openTestTenant();
  for (const [fields, field] of [
    [{ compare_at_price: 10 }, "compare_at_price"],
    [{ compare_at_price: 9.99 }, "compare_at_price"],
    [{ compare_at_price: 12.345 }, "compare_at_price"],
    [{ compare_at_price: -1 }, "compare_at_price"],
    [{ variants: [{ name: "a" }, { name: "b", compare_at_price: 10 }] }, "variants[1]"],
    [{ variants: [{ name: "a", price: 20, compare_at_price: 15 }] }, "variants[0]"],
    [{ variants: [{ name: "a", compare_at_price: 12.345 }] }, "variants[0]"],
  ] as const) {
    const body = { name: "Saffron", price: 10, ...fields };
    const answer = await call("POST", "/api/products", { as: supplier, body });
    expectRefusal(answer, 422, "VALIDATION_ERROR", {
      field: field.startsWith("variants") ? `${field}.compare_at_price` : field,
    });
  }

  const product = await listProduct(supplier, {
    price: 10,
    compare_at_price: 15,
    variants: [
      { name: "same", compare_at_price: 12.5 },
      { name: "own", price: 20, compare_at_price: 30 },
    ],
  });
  expect(product).toMatchObject({
    compare_at_price: 15,
    lowest_price_30d: null,
    variants: [
      { price: 10, compare_at_price: 12.5, lowest_price_30d: null },
      { price: 20, compare_at_price: 30, lowest_price_30d: null },
    ],
  });
  const db = supabaseAs(supplier);
  for (const update of [
    db.from("products").update({ compare_at_price: 10 }).eq("id", product.id),
    db.from("products").update({ compare_at_price: 15.001 }).eq("id", product.id),
    db.from("products").update({ price: 15 }).eq("id", product.id),
    db.from("product_variants").update({ compare_at_price: 20 }).eq("product_id", product.id),
    db.from("product_variants").update({ compare_at_price: 40.001 }).eq("product_id", product.id),
    db.from("product_variants").insert({
      product_id: product.id,
      name: "new",
      compare_at_price: 10,
    }),
  ]) {
    const { status, error } = await update;
    expect([status, error?.message]).toEqual([422, "VALIDATION_ERROR"]);
  }
  expect(await must("GET", pathOf(product), { as: supplier })).toEqual(product);
  // Sent back as it was read, it stays as it is; null removes it.
  expect((await change(supplier, product, product)).updated_at).toBe(product.updated_at);
  const without = product.variants.map(({ id }: Product) => ({ id, compare_at_price: null }));
  expect(
    await change(supplier, product, { compare_at_price: null, variants: without }),
  ).toMatchObject({
    compare_at_price: null,
    variants: [{ compare_at_price: null }, { compare_at_price: null }],
  });
});

it("stay greater when a price is raised, which may raise them as well", async () => {
  const { supplier } = await openTestTenant();
  const product = await listProduct(supplier, {
    price: 10,
    compare_at_price: 15,
    variants: [
      { name: "own", price: 30, compare_at_price: 40 },
      { name: "same", sku: "same", compare_at_price: 12 },
    ],
  });
  const [own, same] = product.variants;
  await refused(supplier, product, { price: 15 }, "compare_at_price");
  await refused(supplier, product, { price: 12 }, "variants[1].compare_at_price");
  await refused(
    supplier,
    product,
    { variants: [{ id: own.id, own_price: 40 }, { id: same.id }] },
    "variants[0].compare_at_price",
  );
  const kept = { variants: [{ id: own.id }, { id: same.id, sku: "other" }] };
  await refused(supplier, product, { price: 14, ...kept }, "variants[1].compare_at_price");

  const raised = await change(supplier, product, {
    price: 35,
    compare_at_price: 36,
    variants: [
      { id: own.id, own_price: null },
      { id: same.id, sku: "other", compare_at_price: 38 },
      { name: "new", compare_at_price: 37 },
    ],
  });
  expect(raised.variants).toMatchObject([
    { price: 35, compare_at_price: 40 },
    { price: 35, compare_at_price: 38 },
    { price: 35, compare_at_price: 37 },
  ]);
  // The product's price and what a variant is compared with change at once: at most one of both is accepted.
  await Promise.all([
    call("PUT", pathOf(product), { as: supplier, body: { price: 36.8, compare_at_price: 39 } }),
    supabaseAs(supplier)
      .from("product_variants")
      .update({ compare_at_price: 36.5 })
      .eq("id", raised.variants[2].id),
  ]);
  const now = await must("GET", pathOf(product), { as: supplier });
  for (const { price, compare_at_price } of now.variants)
    expect(compare_at_price).toBeGreaterThan(price);
});

it("are shown with the lowest price of the 30 days before the present one", async () => {
  const { supplier } = await openTestTenant();
  const product = await listProduct(supplier, { price: 20, compare_at_price: 25 });
  const lowest = async (price: number) =>
    (await change(supplier, product, { price })).lowest_price_30d;
  // It has had one price only.
  expect(product.lowest_price_30d).toBeNull();
  expect(await lowest(15)).toBe(20);
  await pass(product, 10);
  expect(await lowest(18)).toBe(15);
  // The days before the present price count, not those before today.
  await pass(product, 25);
  expect((await must("GET", pathOf(product), { as: supplier })).lowest_price_30d).toBe(15);
  expect(await lowest(17)).toBe(15);
  await pass(product, 31);
  expect(await lowest(19)).toBe(17);
  expect((await change(supplier, product, { compare_at_price: null })).lowest_price_30d).toBeNull();

  // What no later question needs is deleted.
  expect(await recorded(product)).toEqual([15, 18, 17, 19]);
  await pass(product, 40);
  expect((await change(supplier, product, { price: 16, compare_at_price: 25 })).price).toBe(16);
  expect(await recorded(product)).toEqual([17, 19, 16]);
});

it("are not shown with a lower price that a transaction had for a moment", async () => {
  const { supplier } = await openTestTenant();
  const product = await listProduct(supplier, { price: 20, compare_at_price: 25 });
  const set = (price: number) =>
    `update public.products set price = ${price} where id = '${product.id}';`;
  await query(`begin; ${set(1)} ${set(15)} commit`);
  expect(await recorded(product)).toEqual([20, 15]);
  await query(`begin; ${set(1)} ${set(15)} commit`);
  expect((await must("GET", pathOf(product), { as: supplier })).lowest_price_30d).toBe(20);
});

it("are shown with the lowest price of a variant, whether it has its own or the product's", async () => {
  const { supplier } = await openTestTenant();
  const product = await listProduct(supplier, {
    price: 20,
    variants: [
      { name: "same", compare_at_price: 25 },
      { name: "own", price: 30, compare_at_price: 40 },
    ],
  });
  const [same, own] = product.variants;
  const lowest = async (body: object) =>
    (await change(supplier, product, body)).variants.map(
      ({ lowest_price_30d }: Product) => lowest_price_30d,
    );
  const variants = (ofSame: object, ofOwn: object) => ({
    variants: [
      { id: same.id, ...ofSame },
      { id: own.id, ...ofOwn },
    ],
  });
  // A variant that has its own price has had no other, whatever the product's was.
  expect(await lowest({ price: 16 })).toEqual([20, null]);
  expect(await lowest(variants({}, { own_price: 28 }))).toEqual([20, 30]);
  await pass(product, 5);
  // Until now it had the product's prices, of which the last was lowest.
  expect(await lowest(variants({ own_price: 12 }, {}))).toEqual([16, 30]);
  await pass(product, 5);
  // It has the product's price again, and its own was lower.
  expect(await lowest(variants({ own_price: null }, {}))).toEqual([12, 30]);
  expect(await recorded(product, same)).toEqual([20, 16, 12, null]);
  // From then on it follows the product's prices, until it has its own again.
  await pass(product, 40);
  expect(await lowest({ price: 18 })).toEqual([16, 30]);
  await pass(product, 40);
  expect(await lowest({ price: 17 })).toEqual([18, 30]);
  expect(await lowest(variants({ own_price: 17 }, {}))).toEqual([18, 30]);

  await change(supplier, product, { variants: [{ id: own.id }] });
  expect(await recorded(product, same)).toEqual([]);
});

it("begin to be recorded at the first change, also of a variant that had the product's price", async () => {
  const { supplier } = await openTestTenant();
  const product = await listProduct(supplier, {
    price: 20,
    variants: [{ name: "same", compare_at_price: 30 }],
  });
  const [same] = product.variants;
  expect(await recorded(product)).toEqual([]);
  const own = (own_price: number | null) =>
    change(supplier, product, { variants: [{ id: same.id, own_price }] });
  expect((await own(18)).variants[0].lowest_price_30d).toBe(20);
  expect(await recorded(product, same)).toEqual([20, 18]);
  await pass(product, 2);
  expect((await own(null)).variants[0].lowest_price_30d).toBe(18);
  await pass(product, 2);
  expect((await own(19)).variants[0].lowest_price_30d).toBe(18);
  expect(await recorded(product, same)).toEqual([20, 18, 20, 19]);
});

it("are shown to everybody in every record and list, and their history to nobody", async () => {
  const { operator, supplier, customer, marketplace } = await openTestTenant();
  const stranger = (await openTestTenant()).operator;
  const made = await listProduct(supplier, {
    marketplace_id: marketplace.id,
    name: "Lantern",
    price: 20,
    variants: [{ name: "a", price: 22, compare_at_price: 30, inventory: { quantity: 1 } }],
  });
  const product = await change(supplier, made, {
    price: 15,
    compare_at_price: 25,
    variants: [{ id: made.variants[0].id, own_price: 21 }],
  });
  const shown = {
    compare_at_price: 25,
    lowest_price_30d: 20,
    variants: [{ compare_at_price: 30, lowest_price_30d: 22 }],
  };
  expect(product).toMatchObject(shown);
  for (const as of [operator, supplier, customer, { visits: marketplace.domain }]) {
    expect(await must("GET", pathOf(product), { as })).toMatchObject(shown);
    for (const search of ["", "?search=lantern"]) {
      const { products } = await must("GET", `/api/products${search}`, { as });
      expect(products).toMatchObject([shown]);
    }
    const { data } = await supabaseAs(as)
      .from("product_details")
      .select("compare_at_price, lowest_price_30d, variants")
      .throwOnError();
    expect(data).toMatchObject([shown]);
    const { error } = await supabaseAs(as).schema("private").from("product_prices").select();
    expect(error).not.toBeNull();
  }
  expectRefusal(await call("GET", pathOf(product), { as: stranger }), 404, "NOT_FOUND");
  const { data } = await supabaseAs(stranger).from("product_details").select().throwOnError();
  expect(data).toEqual([]);
});

it("come with an import, which reports no change the second time, and go back into one", async () => {
  const { supplier } = await openTestTenant();
  const at = { external_id: "pot" };
  const send = (line: object) => imported(supplier, ndjson([{ ...at, ...line }]), NDJSON);
  const line = {
    name: "Pot",
    price: 10,
    compare_at_price: 15,
    variants: [
      { name: "S", compare_at_price: 12 },
      { name: "L", price: 20, compare_at_price: 30 },
    ],
  };
  expect(await send(line)).toMatchObject(counts(1));
  expect(await send(line)).toMatchObject(counts(0, 0, 1));
  for (const [format, type] of [
    ["csv", CSV],
    ["ndjson", NDJSON],
  ] as const) {
    const path = `/api/products/export?format=${format}`;
    const { body } = await call("GET", path, { as: supplier });
    const text = typeof body === "string" ? body : ndjson([body]);
    expect(await imported(supplier, text, type)).toMatchObject(counts(0, 0, 1));
  }

  const raised = {
    price: 20,
    compare_at_price: 25,
    variants: [{ name: "S", compare_at_price: 22 }],
  };
  expect(await send(raised)).toMatchObject(counts(0, 1));
  for (const [wrong, field] of [
    [{ price: 25 }, "compare_at_price"],
    [{ price: 24 }, "variants[0].compare_at_price"],
    [{ variants: [{ name: "L", price: 35 }] }, "variants[1].compare_at_price"],
    [{ variants: [{ name: "S", compare_at_price: 22.345 }] }, "variants[0].compare_at_price"],
  ] as const) {
    expect(await send(wrong)).toMatchObject({ ...counts(0, 0, 0, 1), errors: [{ field }] });
  }
  const cleared = { compare_at_price: null, variants: [{ name: "S", compare_at_price: null }] };
  expect(await send(cleared)).toMatchObject(counts(0, 1));
  expect(await send(cleared)).toMatchObject(counts(0, 0, 1));
  const priced = "external_id,price,compare_at_price\npot,19,24\n";
  expect(await imported(supplier, priced)).toMatchObject(counts(0, 1));
  const emptied = "external_id,price,compare_at_price\npot,19,\n";
  expect(await imported(supplier, emptied)).toMatchObject(counts(0, 1));
  const { products } = await must("GET", "/api/products", { as: supplier });
  expect(products).toMatchObject([
    {
      price: 19,
      compare_at_price: null,
      lowest_price_30d: null,
      variants: [{ compare_at_price: null }, { price: 20, compare_at_price: 30 }],
    },
  ]);
});
