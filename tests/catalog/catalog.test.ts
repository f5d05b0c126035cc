import { randomUUID } from "node:crypto";
import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import {
  addCategory,
  call,
  expectRefusal,
  listProduct,
  marketplaceFields,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  register,
  registerClient,
  stackInUse,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Product = any;

function create(as: Person, body: object) {
  return call("POST", "/api/products", { as, body: { name: "Saffron", price: 1, ...body } });
}

async function supplierOf(person: Person): Promise<string> {
  return (await must("GET", "/auth/me", { as: person })).supplier_id;
}

/** The supplier of a person, as its products show it. */
async function supplierShown(person: Person) {
  const { id, name, slug } = await must("GET", `/api/suppliers/${await supplierOf(person)}`, {
    as: person,
  });
  return { id, name, slug };
}

const names = (list: { products: Product[] }) => list.products.map(({ name }) => name);

describe("listing a product for sale", () => {
  it("stores every field, and returns the whole record with its location", async () => {
    const { operator, supplier, marketplace, tenantId } = await openTestTenant();
    const category_id = await addCategory(operator, "Spices");
    const fields = {
      name: "Saffron",
      description: "Threads, not powder.",
      price: 12.5,
      currency: "EUR",
      category_id,
      kind: "physical",
      images: [
        { url: "https://example.com/1.jpg", alt: "Threads" },
        { url: "https://example.com/2.jpg", alt: "" },
      ],
      attributes: [
        { name: "brand", value: "Taliouine" },
        { name: "grade", value: "1", type: "number", searchable: true },
      ],
      external_id: "saffron-1",
      physical: { weight_grams: 5, length_mm: 60, width_mm: 60, height_mm: 20, delivery: null },
    };
    const made = await create(supplier, {
      ...fields,
      variants: [
        { name: "1 g", sku: `s1-${randomUUID()}`, inventory: { quantity: 7 } },
        { name: "5 g", price: 60.25 },
      ],
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ...fields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenant_id: tenantId,
      marketplace_id: marketplace.id,
      supplier_id: await supplierOf(supplier),
      supplier: await supplierShown(supplier),
      status: "active",
      attributes: [
        { name: "brand", value: "Taliouine", type: "text", required: false, searchable: false },
        { name: "grade", value: "1", type: "number", required: false, searchable: true },
      ],
      brand: "Taliouine",
      slug: "saffron",
      safety: null,
      compare_at_price: null,
      lowest_price_30d: null,
      template_id: null,
      track_inventory: true,
      variants: [
        {
          id: expect.any(String),
          name: "1 g",
          sku: expect.stringMatching(/^s1-/),
          price: 12.5,
          own_price: null,
          compare_at_price: null,
          lowest_price_30d: null,
          inventory: { quantity: 7, reserved: 0 },
        },
        {
          id: expect.any(String),
          name: "5 g",
          sku: null,
          price: 60.25,
          own_price: 60.25,
          compare_at_price: null,
          lowest_price_30d: null,
          inventory: { quantity: 0, reserved: 0 },
        },
      ],
      inventory: { quantity: 7, reserved: 0 },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(Math.abs(Date.parse(made.body.created_at) - Date.now())).toBeLessThan(60_000);
    expect(made.headers.get("location")).toBe(`/functions/v1/products/${made.body.id}`);
    for (const path of ["/api/products", "/products"]) {
      expect(await must("GET", `${path}/${made.body.id}`, { as: supplier })).toEqual(made.body);
      const list = await must("GET", path, { as: supplier });
      const { safety: _, ...listed } = made.body;
      expect(list).toMatchObject({ products: [listed], total: 1, page: 1, limit: 100 });
    }
  });

  it("only needs a name and a price", async () => {
    const { supplier, marketplace } = await openTestTenant();
    const made = await create(supplier, { name: "Mint", price: 0 });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name: "Mint",
      description: "",
      price: 0,
      currency: "EUR",
      marketplace_id: marketplace.id,
      category_id: null,
      kind: "physical",
      status: "active",
      images: [],
      attributes: [],
      variants: [],
      inventory: { quantity: 0, reserved: 0 },
    });
  });

  it("may create a draft, but no other status", async () => {
    const { supplier } = await openTestTenant();
    expect((await create(supplier, { status: "draft" })).body.status).toBe("draft");
    for (const status of ["inactive", "out_of_stock", "discontinued", "sold"]) {
      const answer = await create(supplier, { status });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "status", value: status });
    }
    for (const kind of ["digital", "service"]) {
      expect((await create(supplier, { kind })).body.kind).toBe(kind);
    }
  });

  it("accepts as many decimals as the currency has, and not more", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const [yen, dinar] = await Promise.all([
      openMarketplace(operator, { currency: "JPY" }),
      openMarketplace(operator, { currency: "KWD" }),
    ]);
    for (const [site, fine, finer] of [
      [marketplace, [12.5, 0.01, 19.99, 1234567.89, 100], [0.001, 12.345]],
      [yen, [0, 12, 1_000_000], [0.5, 12.01]],
      [dinar, [1.234, 0.001, 5], [0.0001, 1.2345]],
    ] as const) {
      for (const price of fine) {
        const made = await create(supplier, { marketplace_id: site.id, price });
        expect([made.status, made.body.price, made.body.currency]).toEqual([
          201,
          price,
          site.currency,
        ]);
      }
      for (const price of finer) {
        const body = { marketplace_id: site.id, price };
        expectRefusal(await create(supplier, body), 422, "VALIDATION_ERROR", {
          field: "price",
          value: price,
        });
        const variants = [{ name: "v" }, { name: "w", price }];
        const variant = { marketplace_id: site.id, variants };
        expectRefusal(await create(supplier, variant), 422, "VALIDATION_ERROR", {
          field: "variants[1].price",
          value: price,
        });
      }
    }
    const { products } = await must("GET", "/api/products", { as: operator });
    expect(products).toHaveLength(11);
  });

  it("accepts only the marketplace's currency", async () => {
    const { supplier } = await openTestTenant();
    expectRefusal(await create(supplier, { currency: "USD" }), 422, "VALIDATION_ERROR", {
      field: "currency",
      value: "USD",
    });
  });

  it("needs a marketplace_id unless there is exactly one marketplace", async () => {
    const operator = await register({ tenant_name: "Bazaar" });
    const asked = { field: "marketplace_id", value: null };
    expectRefusal(await create(operator, {}), 422, "VALIDATION_ERROR", asked);
    const first = await openMarketplace(operator);
    expect((await create(operator, {})).body.marketplace_id).toBe(first.id);
    const second = await openMarketplace(operator);
    expectRefusal(await create(operator, {}), 422, "VALIDATION_ERROR", asked);
    const made = await create(operator, { marketplace_id: second.id });
    expect(made.body.marketplace_id).toBe(second.id);
  });

  it("is allowed to suppliers for themselves, and to admins for any supplier", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const [supplier_id, rival_id] = await Promise.all([supplierOf(supplier), supplierOf(rival)]);
    expect((await create(supplier, {})).body.supplier_id).toBe(supplier_id);
    expect((await create(supplier, { supplier_id })).body.supplier_id).toBe(supplier_id);
    const usurped = await create(supplier, { supplier_id: rival_id });
    expectRefusal(usurped, 403, "FORBIDDEN");
    expect((await create(operator, {})).body.supplier_id).toBeNull();
    const made = await create(operator, { supplier_id: rival_id });
    expect(made.body.supplier_id).toBe(rival_id);
    for (const person of [customer, client]) {
      expectRefusal(await create(person, {}), 403, "FORBIDDEN");
    }
    const { total } = await must("GET", "/api/products", { as: operator });
    expect(total).toBe(4);
  });

  it("reports the field of a reference that is unknown or of another tenant", async () => {
    const [mine, other] = await Promise.all([openTestTenant(), openTestTenant()]);
    const category = await addCategory(other.operator, "Theirs");
    const supplier = await supplierOf(other.supplier);
    for (const [field, ids] of [
      ["category_id", [category, randomUUID()]],
      ["marketplace_id", [other.marketplace.id, randomUUID()]],
      ["supplier_id", [supplier, randomUUID()]],
    ] as const) {
      for (const id of ids) {
        const answer = await create(mine.operator, { [field]: id });
        expectRefusal(answer, 404, "NOT_FOUND", { field, value: id });
      }
    }
  });

  it("accepts each sku once per supplier and marketplace, and lists nothing when one is taken", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const marketplace_id = marketplace.id;
    const sku = `sku-${randomUUID()}`;
    const variants = [{ name: "a", sku }];
    expect((await create(supplier, { variants })).status).toBe(201);
    expect((await create(operator, { variants })).status).toBe(201);
    const rival = await register({ tenant_id: operator.tenantId, role: "supplier" });
    const second = await openMarketplace(operator);
    for (const person of [rival, supplier]) {
      const elsewhere = await create(person, { variants, marketplace_id: second.id });
      expect(elsewhere.status).toBe(201);
    }
    expect((await create(rival, { variants, marketplace_id })).status).toBe(201);
    for (const [taken, field, value] of [
      [variants, "variants[0].sku", sku],
      [[{ name: "b" }, ...variants], "variants[1].sku", sku],
      [
        [
          { name: "b", sku: `${sku}!` },
          { name: "c", sku: `${sku}!` },
        ],
        "variants[1].sku",
        `${sku}!`,
      ],
    ] as const) {
      for (const person of [supplier, rival, operator]) {
        const answer = await create(person, { variants: taken, marketplace_id });
        expectRefusal(answer, 409, "CONFLICT", { field, value });
      }
    }
    expect((await must("GET", "/api/products", { as: operator })).total).toBe(5);
    const direct = supabaseAs(rival).from("product_variants");
    const [{ id: own }] = (await must("GET", "/api/products", { as: rival })).products;
    expect(await direct.insert({ product_id: own, name: "b", sku })).toMatchObject({
      error: { code: "23505" },
    });
    const other = await openTestTenant();
    expect((await create(other.supplier, { variants })).status).toBe(201);
  });
});

describe("settings.catalog.unique_skus", () => {
  const letRepeat = (as: Person, unique_skus: unknown) =>
    call("PATCH", "/api/tenant", { as, body: { settings: { catalog: { unique_skus } } } });

  it("lets skus repeat while it is false, and names one that repeats when it is set back", async () => {
    const { operator, supplier } = await openTestTenant();
    const first = await listProduct(supplier, { variants: [{ name: "a", sku: "A" }] });
    expect((await letRepeat(operator, false)).status).toBe(200);
    const variants = [
      { name: "a", sku: "A" },
      { name: "b", sku: "B" },
      { name: "c", sku: "B" },
    ];
    const second = await listProduct(supplier, { variants });
    const put = ({ id }: Product, body: object) =>
      call("PUT", `/api/products/${id}`, { as: supplier, body });
    const doubled = [...first.variants, { name: "b", sku: "A" }];
    expect((await put(first, { variants: doubled })).status).toBe(200);
    const db = supabaseAs(supplier).from("product_variants");
    const direct = { product_id: first.id, name: "c", sku: "B" };
    await db.insert(direct).throwOnError();

    const details = { field: "settings.catalog.unique_skus" };
    const refused = await letRepeat(operator, true);
    expectRefusal(refused, 409, "CONFLICT", details);
    expect(refused.body.error.message).toContain("have the sku A.");
    expectRefusal(await letRepeat(operator, null), 409, "CONFLICT", details);
    expect((await put(first, { variants: first.variants })).status).toBe(200);
    const [a, b] = second.variants;
    expect((await put(second, { variants: [{ ...a, sku: "C" }, b] })).status).toBe(200);
    expect((await letRepeat(operator, true)).status).toBe(200);
    // All skus are unique again: also those that were set meanwhile.
    for (const sku of ["A", "B", "C"]) {
      const taken = await put(first, { variants: [...first.variants, { name: "z", sku }] });
      expectRefusal(taken, 409, "CONFLICT", { value: sku });
      const { error } = await db.insert({ ...direct, name: sku, sku });
      expect(error?.code).toBe("23505");
    }
  });

  it("is true or false, and is changed by admins", async () => {
    const { operator, supplier } = await openTestTenant();
    for (const wrong of ["no", 0, []]) {
      const answer = await letRepeat(operator, wrong);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "settings.catalog.unique_skus" });
      const { error } = await supabaseAs(operator)
        .from("tenants")
        .update({ settings: { catalog: { unique_skus: wrong } } })
        .eq("id", operator.tenantId as string);
      expect(error?.message).toBe("VALIDATION_ERROR");
    }
    expectRefusal(await letRepeat(supplier, false), 403, "FORBIDDEN");
  });

  it("changes no product when it is set back to true", async () => {
    const { operator, supplier } = await openTestTenant();
    await letRepeat(operator, false);
    const { id } = await listProduct(supplier, { variants: [{ name: "a", sku: "A" }] });
    const read = () => must("GET", `/api/products/${id}`, { as: operator });
    const before = await read();
    expect((await letRepeat(operator, true)).status).toBe(200);
    expect(await read()).toEqual(before);
    const taken = await call("POST", "/api/products", {
      as: supplier,
      body: { name: "Lamp", price: 1, variants: [{ name: "a", sku: "A" }] },
    });
    expectRefusal(taken, 409, "CONFLICT", { field: "variants[0].sku", value: "A" });
  });

  it("holds for products that are saved at once, with each other and with the setting", async () => {
    const { operator, supplier } = await openTestTenant();
    const listing = (sku: string) =>
      call("POST", "/api/products", {
        as: supplier,
        body: { name: "Lamp", price: 1, variants: [{ name: "a", sku }] },
      });
    const answers = await Promise.all(Array.from({ length: 6 }, () => listing("A")));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of answers.filter(({ status }) => status !== 201)) {
      expect([status, body.error.code]).toEqual([409, "CONFLICT"]);
    }
    await letRepeat(operator, false);
    const [back] = await Promise.all([
      letRepeat(operator, true),
      ...Array.from({ length: 6 }, () => listing("B")),
    ]);
    const { data } = await supabaseAs(supplier)
      .from("product_variants")
      .select("sku_is_unique")
      .eq("sku", "B")
      .throwOnError();
    const unique = data?.filter(({ sku_is_unique }) => sku_is_unique);
    if (back.status === 200) {
      expect(data?.length).toBeLessThanOrEqual(1);
      expect(unique).toEqual(data);
    } else {
      // Repeated skus, or other requests, were there first.
      expect([409, 503]).toContain(back.status);
      expect(unique).toEqual([]);
    }
  });

  it("refuses a sku of more than 255 characters, and keeps one of 255", async () => {
    const { supplier } = await openTestTenant();
    const sku = "x".repeat(255);
    const made = await listProduct(supplier, { variants: [{ name: "a", sku }] });
    expect(made.variants[0].sku).toBe(sku);
    const longer = { name: "Lamp", price: 1, variants: [{ name: "a", sku: `${sku}x` }] };
    expectRefusal(
      await call("POST", "/api/products", { as: supplier, body: longer }),
      422,
      "VALIDATION_ERROR",
      { field: "variants[0].sku" },
    );
    const { error } = await supabaseAs(supplier)
      .from("product_variants")
      .insert({ product_id: made.id, name: "b", sku: `${sku}x` });
    expect(error?.code).toBe("23514");
  });
});

describe("an invalid product", () => {
  let supplier: Person;

  beforeAll(async () => {
    ({ supplier } = await openTestTenant());
  });

  it.each([
    [{ name: "" }, "name"],
    [{ name: " \t\u00a0" }, "name"],
    [{ name: null }, "name"],
    [{ name: "a".repeat(201) }, "name"],
    [{ price: "12" }, "price"],
    [{ price: -0.01 }, "price"],
    [{ price: null }, "price"],
    [{ price: 1e12 }, "price"],
    [{ currency: "euro" }, "currency"],
    [{ category_id: "spices" }, "category_id"],
    [{ marketplace_id: 1 }, "marketplace_id"],
    [{ kind: "liquid" }, "kind"],
    [{ images: [{ url: "not a url" }] }, "images[0].url"],
    [{ attributes: [{ name: "brand", value: 7 }] }, "attributes[0].value"],
    [{ attributes: [{ name: "a", value: "b", type: "date" }] }, "attributes[0].type"],
    [{ inventory: { quantity: -1 } }, "inventory.quantity"],
    [{ inventory: { quantity: 1.5 } }, "inventory.quantity"],
    [{ variants: [{ name: "a" }, { sku: "b" }] }, "variants[1].name"],
    [{ variants: [{ name: "a" }, { name: " " }] }, "variants[1].name"],
    [{ variants: [{ name: "Red" }, { name: "Blue" }, { name: " rED\u2003" }] }, "variants[2].name"],
    [{ variants: [{ name: "CAF\u00c9" }, { name: "cafe\u0301" }] }, "variants[1].name"],
    [{ variants: [{ name: "\u03a3\u03a3" }, { name: "\u03c3\u03c2" }] }, "variants[1].name"],
    [{ variants: [{ name: "a", price: -1 }] }, "variants[0].price"],
  ])("is refused: %j", async (fields, field) => {
    expectRefusal(await create(supplier, fields), 422, "VALIDATION_ERROR", { field });
  });
});

describe("the visibility of products", () => {
  it("is the same in a search, a category and the whole list", async () => {
    const { operator, supplier, customer, tenantId, marketplace } = await openTestTenant();
    const category_id = await addCategory(operator, "Lamps");
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const closed = await openMarketplace(operator);
    const on = (name: string, fields: object = {}) => ({
      name: `Lamp ${name}`,
      category_id,
      marketplace_id: marketplace.id,
      ...fields,
    });
    await listProduct(supplier, on("for sale"));
    await listProduct(supplier, on("in the making", { status: "draft" }));
    await listProduct(supplier, on("where nobody sells", { marketplace_id: closed.id }));
    await listProduct(rival, on("of a rival"));
    const gone = await listProduct(supplier, on("discontinued"));
    await must("PUT", `/api/products/${gone.id}`, {
      as: supplier,
      body: { status: "discontinued" },
    });
    await must("PUT", `/marketplaces/${closed.id}`, {
      as: operator,
      body: { status: "suspended" },
    });

    const all = [
      "Lamp for sale",
      "Lamp in the making",
      "Lamp of a rival",
      "Lamp where nobody sells",
    ];
    const seen = new Map([
      [operator, all],
      [await registerClient(tenantId), all],
      [supplier, all.filter((name) => name !== "Lamp of a rival")],
      [rival, ["Lamp of a rival"]],
      [customer, ["Lamp for sale", "Lamp of a rival"]],
    ]);
    for (const [as, expected] of seen) {
      const asks: Record<string, string>[] = [
        {},
        { search: "Lamp" },
        { search: "la" },
        { category: category_id },
      ];
      for (const asked of asks) {
        const query = new URLSearchParams({ sort: "name", order: "asc", ...asked });
        const listed = await must("GET", `/api/products?${query}`, { as });
        expect(names(listed), `${query}`).toEqual(expected);
        expect(listed.total).toBe(expected.length);
        expect(listed.filters.categories).toEqual([
          { id: category_id, name: "Lamps", count: expected.length },
        ]);
        const { category, ...others } = asked;
        const direct = { ...others, ...(category && { category: [category] }) };
        const { data } = await supabaseAs(as)
          .rpc("list_products", { sort: "name", order: "asc", ...direct })
          .throwOnError();
        expect(names(data)).toEqual(expected);
      }
    }
  });
});

describe("the list of products", () => {
  let testTenant: TestTenant;
  let categories: Record<"food" | "spices" | "red" | "tools", string>;

  beforeAll(async () => {
    testTenant = await openTestTenant();
    const { operator, supplier } = testTenant;
    const food = await addCategory(operator, "Food");
    const spices = await addCategory(operator, "Spices", food);
    const red = await addCategory(operator, "Red spices", spices);
    const tools = await addCategory(operator, "Tools");
    categories = { food, spices, red, tools };
    const brand = (value: string) => [
      { name: "origin", value: "Atlas" },
      { name: "brand", value },
    ];
    for (const fields of [
      { name: "Saffron", price: 12.5, category_id: red, attributes: brand("Taliouine") },
      { name: "Paprika", price: 3, category_id: red, attributes: brand("Souss") },
      { name: "Cumin", price: 2.5, category_id: spices, attributes: brand("Souss") },
      { name: "Bread", price: 1, category_id: food },
      { name: "Mortar", price: 30, category_id: tools, status: "draft" },
      { name: "100% _saffron_ tea", price: 8 },
    ]) {
      await listProduct(supplier, fields);
    }
  });

  const list = (query: string, as: Person = testTenant.operator) =>
    must("GET", `/api/products${query}`, { as });

  it.each([
    ["?search=saffron", ["100% _saffron_ tea", "Saffron"]],
    ["?search=SAFF", ["100% _saffron_ tea", "Saffron"]],
    ["?search=%25", ["100% _saffron_ tea"]],
    ["?search=_", ["100% _saffron_ tea"]],
    ["?search=nothing", []],
    ["?search=affro", ["100% _saffron_ tea", "Saffron"]],
    ["?search=_saffron_", ["100% _saffron_ tea", "Saffron"]],
    ["?search=00%25%20_S", ["100% _saffron_ tea"]],
    ["?search=saffrons", ["100% _saffron_ tea", "Saffron"]],
    ["?search=ffr&price_min=10", ["Saffron"]],
    ["?price_min=3", ["100% _saffron_ tea", "Mortar", "Paprika", "Saffron"]],
    ["?price_max=2.5", ["Bread", "Cumin"]],
    ["?price_min=2.5&price_max=3", ["Cumin", "Paprika"]],
    ["?price_min=9&price_max=2", []],
    ["?brand=Souss", ["Cumin", "Paprika"]],
    ["?brand=souss%20", []],
    ["?status=draft", ["Mortar"]],
    ["?status=active&search=a&price_max=8", ["100% _saffron_ tea", "Bread", "Paprika"]],
    ["?status=discontinued", []],
  ])("is filtered by %s", async (query, expected) => {
    const answer = await list(`${query}&sort=name&order=asc`);
    expect(names(answer).sort()).toEqual([...expected].sort());
    expect(answer.total).toBe(expected.length);
  });

  it("can be filtered by a category with its subcategories, a marketplace or a supplier", async () => {
    const { food, spices, red, tools } = categories;
    for (const [category, expected] of [
      [food, ["Bread", "Cumin", "Paprika", "Saffron"]],
      [spices, ["Cumin", "Paprika", "Saffron"]],
      [red, ["Paprika", "Saffron"]],
      [tools, ["Mortar"]],
      [randomUUID(), []],
    ] as const) {
      expect(names(await list(`?category=${category}`)).sort()).toEqual(expected);
    }
    const { marketplace, supplier } = testTenant;
    for (const [query, total] of [
      [`?category=${spices}&search=saffron`, 1],
      [`?category=${tools}&search=saffron`, 0],
      [`?category=${food}&brand=Souss&sort=price`, 2],
      [`?marketplace_id=${marketplace.id}`, 6],
      [`?marketplace_id=${randomUUID()}`, 0],
      [`?supplier_id=${await supplierOf(supplier)}`, 6],
      [`?supplier_id=${randomUUID()}`, 0],
    ] as const) {
      expect((await list(query)).total).toBe(total);
    }
  });

  it("can be sorted by a field in both directions; newest first by default", async () => {
    const byPrice = ["Bread", "Cumin", "Paprika", "100% _saffron_ tea", "Saffron", "Mortar"];
    expect(names(await list("?sort=price&order=asc"))).toEqual(byPrice);
    expect(names(await list("?sort=price&order=desc"))).toEqual(byPrice.toReversed());
    const newest = ["100% _saffron_ tea", "Mortar", "Bread", "Cumin", "Paprika", "Saffron"];
    expect(names(await list(""))).toEqual(newest);
    expect(names(await list("?sort=created_at&order=asc"))).toEqual(newest.toReversed());
    expect(names(await list("?sort=name&order=asc&search=a&price_max=12.5&price_min=1"))).toEqual([
      "100% _saffron_ tea",
      "Bread",
      "Paprika",
      "Saffron",
    ]);
    const answer = await call("GET", "/api/products?sort=cost", { as: testTenant.operator });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "sort", value: "cost" });
  });

  it.each([
    ["?category=spices", "category", "spices"],
    ["?price_min=cheap", "price_min", "cheap"],
    ["?price_max=-1", "price_max", "-1"],
    ["?status=gone", "status", "gone"],
    ["?marketplace_id=1", "marketplace_id", "1"],
  ])("refuses %s", async (query, field, value) => {
    const answer = await call("GET", `/api/products${query}`, { as: testTenant.operator });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field, value });
  });

  it("contains facets of the whole result, on any page", async () => {
    const { food, spices, red, tools } = categories;
    const whole = {
      categories: [
        { id: red, name: "Red spices", count: 2 },
        { id: food, name: "Food", count: 1 },
        { id: spices, name: "Spices", count: 1 },
        { id: tools, name: "Tools", count: 1 },
      ],
      price_range: [1, 30],
      brands: [
        { name: "Souss", count: 2 },
        { name: "Taliouine", count: 1 },
      ],
    };
    for (const query of ["", "?limit=1", "?limit=1&page=3", "?page=50"]) {
      expect((await list(query)).filters).toEqual(whole);
    }
    expect((await list(`?category=${spices}&price_max=3`)).filters).toEqual({
      categories: [
        { id: red, name: "Red spices", count: 1 },
        { id: spices, name: "Spices", count: 1 },
      ],
      price_range: [2.5, 3],
      brands: [{ name: "Souss", count: 2 }],
    });
    expect((await list("?search=nothing")).filters).toEqual({
      categories: [],
      price_range: null,
      brands: [],
    });
    // Products of other tenants are not found.
    expect((await list("?search=saffron", (await openTestTenant()).operator)).total).toBe(0);
    // A customer's facets count only visible products.
    const seen = await list("", testTenant.customer);
    expect(seen.filters.price_range).toEqual([1, 12.5]);
    expect(seen.total).toBe(5);
  });

  it("has its records and its counts from one moment, whatever changes meanwhile", async () => {
    const { supplier, customer } = await openTestTenant();
    const { id } = await listProduct(supplier, { price: 5 });
    const change = new pg.Client({ connectionString: stackInUse().db_url as string });
    await change.connect();
    try {
      // A list reads the categories after it has counted, and before it reads the records.
      await change.query("begin; lock table public.categories in access exclusive mode");
      const listing = must("GET", "/api/products", { as: customer });
      await eventually(async () => {
        const blocked =
          "select from pg_locks where relation = 'public.categories'::regclass and not granted";
        expect((await change.query(blocked)).rowCount).toBe(1);
      });
      await change.query("update public.products set price = 9 where id = $1", [id]);
      await change.query("commit");
      const { products, filters } = await listing;
      expect([products[0].price, ...filters.price_range]).toEqual([5, 5, 5]);
    } finally {
      await change.end();
    }
  });

  it("uses the prices of variants if a product has some, in every list and search", async () => {
    const { operator, supplier } = await openTestTenant();
    const category_id = await addCategory(operator, "Lamps");
    const stock = { inventory: { quantity: 1 } };
    const spread = await listProduct(supplier, {
      name: "Spread lamp",
      price: 100,
      category_id,
      variants: [
        { name: "S", price: 20, ...stock },
        { name: "M", ...stock },
        { name: "L", price: 180, ...stock },
      ],
    });
    await listProduct(supplier, { name: "Middle lamp", price: 90, category_id });
    await listProduct(supplier, { name: "Cheap lamp", price: 30, category_id });
    const api = supabaseAs(operator);
    const rows = async (name: string, args: object) =>
      (await api.rpc(name, args).throwOnError()).data;
    const post = (body: object) => must("POST", "/semantic-search", { as: operator, body });
    const ways: [string, (filter: Record<string, number>) => Promise<{ products: Product[] }>][] = [
      ["the list", (f) => list(`?${new URLSearchParams(f as never)}`, operator)],
      [
        "a category",
        (f) => list(`?category=${category_id}&${new URLSearchParams(f as never)}`, operator),
      ],
      ["a search", (f) => list(`?search=lamp&${new URLSearchParams(f as never)}`, operator)],
      [
        "a semantic search",
        (f) => list(`/search/semantic?query=lamp&${new URLSearchParams(f as never)}`, operator),
      ],
      ["a semantic search with a body", (f) => post({ query: "lamp", ...f })],
      ["list_products", (f) => rows("list_products", { ...f, search: "lamp" })],
      ["search_by_meaning", (f) => rows("search_by_meaning", { ...f, query: "lamp" })],
    ];
    const found = async (filter: Record<string, number>) => {
      const answers: Record<string, string[]> = {};
      for (const [name, way] of ways) answers[name] = names(await way(filter)).sort();
      return answers;
    };
    const everywhere = (expected: string[]) =>
      Object.fromEntries(ways.map(([name]) => [name, expected]));
    expect(await found({ price_max: 25 })).toEqual(everywhere(["Spread lamp"]));
    expect(await found({ price_min: 150 })).toEqual(everywhere(["Spread lamp"]));
    // One variant must be within both limits: none of 20, 100 and 180 is.
    expect(await found({ price_min: 25, price_max: 95 })).toEqual(
      everywhere(["Cheap lamp", "Middle lamp"]),
    );
    expect(await found({ price_min: 95, price_max: 110 })).toEqual(everywhere(["Spread lamp"]));

    for (const where of ["?", `?category=${category_id}&`, "?search=lamp&"]) {
      const asc = await list(`${where}sort=price&order=asc`, operator);
      expect([where, names(asc)]).toEqual([where, ["Spread lamp", "Cheap lamp", "Middle lamp"]]);
      const desc = await list(`${where}sort=price&order=desc`, operator);
      expect([where, names(desc)]).toEqual([where, ["Spread lamp", "Middle lamp", "Cheap lamp"]]);
      expect([where, desc.filters.price_range]).toEqual([where, [20, 180]]);
    }

    // Later changes apply immediately.
    const path = `/api/products/${spread.id}`;
    const range = async () => (await list("?search=spread", operator)).filters.price_range;
    const variants = [{ name: "S", price: 20, ...stock }, { name: "M" }];
    await must("PUT", path, { as: supplier, body: { variants } });
    expect(await range()).toEqual([20, 100]);
    await must("PUT", path, { as: supplier, body: { price: 70 } });
    expect(await range()).toEqual([20, 70]);
    const own = supabaseAs(supplier).from("product_variants");
    await own.update({ price: 60 }).eq("product_id", spread.id).eq("name", "S").throwOnError();
    expect(await range()).toEqual([60, 70]);
    await own.delete().eq("product_id", spread.id).eq("name", "M").throwOnError();
    expect(await range()).toEqual([60, 60]);
    await must("PUT", path, { as: supplier, body: { variants: [] } });
    expect(await range()).toEqual([70, 70]);
  });

  it("sorts names without regard to case and accents", async () => {
    const { operator, supplier } = await openTestTenant();
    const category_id = await addCategory(operator, "Zoo");
    await addCategory(operator, "éclairs");
    await addCategory(operator, "Apples");
    const sorted = [
      "Äpfel",
      "apple",
      "banana",
      "Éclair",
      "eclair box",
      "Zebra",
      "яблоко",
      "Яблоня",
    ];
    for (const name of sorted.toReversed()) await listProduct(supplier, { name, category_id });
    for (const where of ["?", `?category=${category_id}&`]) {
      expect(names(await list(`${where}sort=name&order=asc`, operator))).toEqual(sorted);
      const desc = names(await list(`${where}sort=name&order=desc`, operator));
      expect(desc).toEqual(sorted.toReversed());
    }
    const tree = await must("GET", "/api/categories", { as: operator });
    expect(tree.categories.map((one: Product) => one.name)).toEqual(["Apples", "éclairs", "Zoo"]);
  });

  it("only compares prices of the same currency", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const yen = await openMarketplace(operator, { currency: "JPY" });
    for (const [name, price, marketplace_id] of [
      ["Euro lamp", 64.5, marketplace.id],
      ["Small lamp", 8, marketplace.id],
      ["Yen lamp", 500, yen.id],
    ]) {
      await listProduct(supplier, { name, price, marketplace_id });
    }
    const needed = { field: "currency" };
    const refused = async (path: string, body?: object) => {
      const answer = await call(body ? "POST" : "GET", path, { as: operator, body });
      expectRefusal(answer, 422, "VALIDATION_ERROR", needed);
    };
    for (const filter of ["price_min=10", "price_max=100"]) {
      await refused(`/api/products?${filter}`);
      await refused(`/api/products?search=lamp&${filter}`);
      await refused(`/api/products/search/semantic?query=lamp&${filter}`);
      await refused(`/semantic-search?query=lamp&${filter}`);
    }
    await refused("/api/products?sort=price");
    await refused("/semantic-search", { query: "lamp", price_min: 10 });
    const api = supabaseAs(operator);
    for (const [name, args] of [
      ["list_products", { price_min: 1 }],
      ["list_products", { sort: "price" }],
      ["search_by_meaning", { query: "lamp", price_max: 1 }],
    ] as const) {
      expect((await api.rpc(name, args)).error).toMatchObject({ message: "VALIDATION_ERROR" });
    }

    const inYen = await list("?currency=JPY&price_min=10&sort=price", operator);
    expect([names(inYen), inYen.filters.price_range]).toEqual([["Yen lamp"], [500, 500]]);
    const there = await list(`?marketplace_id=${marketplace.id}&price_min=10`, operator);
    expect([names(there), there.filters.price_range]).toEqual([["Euro lamp"], [64.5, 64.5]]);
    expect((await list(`?marketplace_id=${yen.id}&currency=EUR`, operator)).total).toBe(0);
    const found = await list("/search/semantic?query=lamp&currency=EUR&price_max=10", operator);
    expect(names(found)).toEqual(["Small lamp"]);
    expect((await list("?currency=USD&search=lamp", operator)).total).toBe(0);
    // With two currencies there is no price range. Everything else is as usual.
    for (const query of ["", "?search=lamp", "?search=nothing"]) {
      expect((await list(query, operator)).filters.price_range).toBeNull();
    }
    expect((await list("?search=lamp&sort=name", operator)).total).toBe(3);

    // The currency of a closed marketplace does not count.
    await must("PUT", `/api/marketplaces/${yen.id}`, {
      as: operator,
      body: { status: "inactive" },
    });
    expect(names(await list("?price_max=10", operator))).toEqual(["Small lamp"]);
  });

  it("has pages that neither repeat nor omit a record, with at most 1000 records", async () => {
    const { operator, tenantId, marketplace } = await openTestTenant();
    const COUNT = 1005;
    // One statement gives all of them the same time, price and name. Through the API it might take longer than a request may.
    await query(
      `insert into public.products (tenant_id, marketplace_id, name, price, currency)
       select $1, $2, 'Same', 1, $3 from generate_series(1, $4)`,
      [tenantId, marketplace.id, marketplace.currency, COUNT],
    );
    const cut = await list("?limit=5000", operator);
    expect(cut).toMatchObject({ total: COUNT, page: 1, limit: 1000 });
    expect(cut.products).toHaveLength(1000);
    for (const sort of ["created_at", "price", "name"]) {
      const seen = new Set<string>();
      for (const [page, length] of [400, 400, 205, 0].entries()) {
        const query = `?sort=${sort}&limit=400&page=${page + 1}`;
        const { products, ...rest } = await list(query, operator);
        expect(products).toHaveLength(length);
        expect(rest).toMatchObject({ total: COUNT, page: page + 1, limit: 400 });
        for (const { id } of products) seen.add(id);
      }
      expect(seen.size).toBe(COUNT);
    }
    // A search by name has the same pages.
    const found = new Set<string>();
    for (const page of [1, 2, 3]) {
      const query = `?search=same&sort=name&limit=400&page=${page}`;
      for (const { id } of (await list(query, operator)).products) found.add(id);
    }
    expect(found.size).toBe(COUNT);
    const direct = await supabaseAs(operator).from("products").select("id", { count: "exact" });
    expect([direct.data?.length, direct.count]).toEqual([1000, COUNT]);
  });
});

describe("access to products", () => {
  it("is to those for sale for customers, their own for suppliers, all for admins and clients", async () => {
    const { operator, supplier, customer, marketplace, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const closed = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields(),
    });
    const fields = { marketplace_id: marketplace.id };
    const made: Record<string, Product> = {
      open: await listProduct(supplier, { ...fields, name: "open" }),
      draft: await listProduct(supplier, { ...fields, name: "draft", status: "draft" }),
      closed: await listProduct(supplier, { marketplace_id: closed.id, name: "closed" }),
      rival: await listProduct(rival, { ...fields, name: "rival" }),
      operator: await listProduct(operator, { ...fields, name: "operator" }),
      withdrawn: await listProduct(supplier, { ...fields, name: "withdrawn" }),
    };
    await supabaseAs(supplier)
      .from("products")
      .update({ status: "inactive" })
      .eq("id", made.withdrawn.id)
      .throwOnError();
    const all = Object.keys(made).sort();
    for (const [person, expected] of [
      [customer, ["open", "operator", "rival"]],
      [supplier, ["closed", "draft", "open", "withdrawn"]],
      [rival, ["rival"]],
      [operator, all],
      [client, all],
    ] as const) {
      const list = await must("GET", "/api/products", { as: person });
      expect(names(list).sort()).toEqual(expected);
      expect(list.total).toBe(expected.length);
      const { data } = await supabaseAs(person).from("products").select("name").throwOnError();
      expect(data?.map(({ name }) => name).sort()).toEqual(expected);
      for (const [name, { id }] of Object.entries(made)) {
        const answer = await call("GET", `/products/${id}`, { as: person });
        expect([name, answer.status]).toEqual([name, expected.includes(name as never) ? 200 : 404]);
        const stock = await supabaseAs(person).from("inventory").select("id").eq("product_id", id);
        expect([name, stock.data?.length]).toEqual([
          name,
          expected.includes(name as never) ? 1 : 0,
        ]);
      }
    }
  });
});

describe("supabase-js on the products table", () => {
  it("lists and changes the caller's products, with the same rules", async () => {
    const { supplier, marketplace, tenantId } = await openTestTenant();
    const products = supabaseAs(supplier).from("products");
    const { data, status } = await products
      .insert({ name: "Direct", price: 2.5 })
      .select()
      .single()
      .throwOnError();
    expect(status).toBe(201);
    expect(data).toMatchObject({
      tenant_id: tenantId,
      marketplace_id: marketplace.id,
      supplier_id: await supplierOf(supplier),
      price: 2.5,
      currency: "EUR",
      status: "active",
    });
    const changed = await products
      .update({ price: 3, description: "Better", status: "inactive" })
      .eq("id", data.id)
      .select("price, description, status")
      .single()
      .throwOnError();
    expect(changed.data).toEqual({ price: 3, description: "Better", status: "inactive" });
    const shown = await must("GET", `/products/${data.id}`, { as: supplier });
    expect(shown).toMatchObject({ price: 3, inventory: { quantity: 0, reserved: 0 } });
  });

  it("refuses what the API refuses", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const product = await listProduct(supplier);
    const supplier_id = await supplierOf(rival);
    const good = { name: "Direct", price: 1 };
    const own = supabaseAs(supplier).from("products");
    const fine = { code: "PT422", message: "VALIDATION_ERROR" };
    for (const [written, error] of [
      [own.insert({ ...good, price: 0.001 }), fine],
      [own.update({ price: 0.001 }).eq("id", product.id), fine],
      [own.insert({ ...good, price: -1 }), { code: "23514" }],
      [own.insert({ ...good, name: "" }), { code: "23514" }],
      [own.insert({ ...good, name: " \u00a0" }), { code: "23514" }],
      [own.insert({ ...good, status: "inactive" }), fine],
      [own.insert({ ...good, status: "out_of_stock" }), fine],
      [own.insert({ ...good, status: "discontinued" }), fine],
      [supabaseAs(supplier).rpc("create_product", { ...good, status: "inactive" }), fine],
      [
        supabaseAs(supplier).rpc("create_product", {
          ...good,
          variants: Array.from({ length: 201 }, (_, n) => ({ name: `${n}` })),
        }),
        fine,
      ],
      [
        supabaseAs(supplier).from("product_variants").insert({ product_id: product.id, name: " " }),
        { code: "23514" },
      ],
      [own.insert({ ...good, currency: "USD" }), { code: "PT422", message: "VALIDATION_ERROR" }],
      [own.insert({ ...good, category_id: randomUUID() }), { code: "23503" }],
      [own.insert({ ...good, supplier_id }), { code: "42501" }],
      [own.insert({ ...good, tenant_id: tenantId }), { code: "42501" }],
      [own.update({ supplier_id }).eq("id", product.id), { code: "42501" }],
      [own.update({ currency: "USD" }).eq("id", product.id), { code: "42501" }],
      [own.insert({ ...good, brand: "Other" }), { code: "42501" }],
      [
        own.update({ status: "out_of_stock" }).eq("id", product.id),
        { code: "PT422", message: "INVALID_TRANSITION" },
      ],
      [
        own.update({ status: "draft" }).eq("id", product.id),
        { code: "PT422", message: "INVALID_TRANSITION" },
      ],
      [supabaseAs(customer).from("products").insert(good), { code: "PT403", message: "FORBIDDEN" }],
      [
        supabaseAs(customer).from("products").update({ price: 0 }).eq("id", product.id),
        { code: "PT403", message: "FORBIDDEN" },
      ],
      [supabaseAs().from("products").insert(good), { code: "42501" }],
    ] as const) {
      expect((await written).error).toMatchObject(error);
    }
    const usurped = await supabaseAs(rival)
      .from("products")
      .update({ price: 0 })
      .eq("id", product.id)
      .select();
    expect(usurped.data).toEqual([]);
    expect(await must("GET", `/products/${product.id}`, { as: operator })).toEqual(product);
    expect((await must("GET", "/api/products", { as: operator })).total).toBe(1);
  });
});
