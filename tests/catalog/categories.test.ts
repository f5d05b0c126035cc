import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  persist,
  registerClient,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Category = any;

function create(as: Person, body: object): Promise<Category> {
  return must("POST", "/api/categories", { as, body });
}

function change(as: Person, { id }: { id: string }, body: object) {
  return persist("PUT", `/api/categories/${id}`, { as, body });
}

/** The tree as text: `Food(Bread Spices(Saffron))`. */
function shape(categories: Category[]): string {
  return categories
    .map(({ name, children }) => name + (children.length > 0 ? `(${shape(children)})` : ""))
    .join(" ");
}

const GRADE = { name: "grade", type: "select", required: true, options: ["I", "II"] };
const WEIGHT = { name: "weight", type: "number", searchable: true };

describe("categories", () => {
  it("are a tree that only members of the tenant can read", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const food = await call("POST", "/api/categories", { as: operator, body: { name: "Food" } });
    expect(food.status).toBe(201);
    expect(food.headers.get("location")).toBe(`/functions/v1/api/categories/${food.body.id}`);
    expect(food.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Food",
      parent_id: null,
      attributes: [],
      template_id: null,
      children: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const spices = await create(operator, {
      name: "Spices",
      parent_id: food.body.id,
      attributes: [GRADE, WEIGHT, { name: "origin" }],
    });
    expect(spices.attributes).toEqual([
      { ...GRADE, searchable: false },
      { ...WEIGHT, required: false, options: [] },
      { name: "origin", type: "text", required: false, searchable: false, options: [] },
    ]);
    await create(operator, { name: "Red spices", parent_id: spices.id });
    await create(operator, { name: "Bread", parent_id: food.body.id });
    await create(operator, { name: "Arts" });
    for (const as of [operator, supplier, customer, client]) {
      const { categories, total } = await must("GET", "/api/categories", { as });
      expect([shape(categories), total]).toEqual(["Arts Food(Bread Spices(Red spices))", 5]);
      const branch = await must("GET", `/api/categories/${spices.id}`, { as });
      expect(branch).toMatchObject({ id: spices.id, parent_id: food.body.id });
      expect(shape([branch])).toBe("Spices(Red spices)");
    }
    const stranger = (await openTestTenant()).operator;
    expect(await must("GET", "/api/categories", { as: stranger })).toEqual({
      categories: [],
      total: 0,
    });
    for (const id of [spices.id, randomUUID(), "spices"]) {
      const answer = await call("GET", `/api/categories/${id}`, { as: stranger });
      expectRefusal(answer, 404, "NOT_FOUND");
      expectRefusal(await change(stranger, { id }, { name: "Mine" }), 404, "NOT_FOUND");
      const gone = await call("DELETE", `/api/categories/${id}`, { as: stranger });
      expectRefusal(gone, 404, "NOT_FOUND");
    }
    const foreign = { name: "Below theirs", parent_id: spices.id };
    const answer = await call("POST", "/api/categories", { as: stranger, body: foreign });
    expectRefusal(answer, 404, "NOT_FOUND", { field: "parent_id", value: spices.id });
  });

  it("can be changed field by field, by admins", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const food = await create(operator, { name: "Food", attributes: [WEIGHT] });
    const tea = await create(operator, { name: "Tea", parent_id: food.id });
    const renamed = await change(operator, food, { name: "Groceries" });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toMatchObject({ name: "Groceries", attributes: food.attributes });
    expect(shape([renamed.body])).toBe("Groceries(Tea)");
    expect((await change(operator, tea, { parent_id: null })).body.parent_id).toBeNull();
    expect((await change(operator, food, { attributes: [] })).body.attributes).toEqual([]);
    for (const as of [supplier, customer, client]) {
      for (const answer of [
        await call("POST", "/api/categories", { as, body: { name: "Mine" } }),
        await change(as, food, { name: "Mine" }),
        await call("DELETE", `/api/categories/${food.id}`, { as }),
      ]) {
        expectRefusal(answer, 403, "FORBIDDEN");
      }
      const { error } = await supabaseAs(as).from("categories").delete().eq("id", food.id);
      expect(error).toMatchObject({ code: "PT403" });
    }
    expect((await must("GET", "/api/categories", { as: operator })).total).toBe(2);
  });

  it("are not changed by somebody who read an older state", async () => {
    const { operator } = await openTestTenant();
    const { id, updated_at } = await create(operator, { name: "Food", attributes: [GRADE] });
    const path = `/api/categories/${id}`;
    const read = await call("GET", path, { as: operator });
    const tag = `"${updated_at}"`;
    expect(read.headers.get("etag")).toBe(tag);
    const changed = await change(operator, { id }, { attributes: [GRADE, WEIGHT], updated_at });
    expect(changed.headers.get("etag")).toBe(`"${changed.body.updated_at}"`);
    const stale = { field: "updated_at", value: updated_at };
    const put = (body: object, headers?: Record<string, string>) =>
      call("PUT", path, { as: operator, body, headers });
    for (const refused of [
      await put({ attributes: [GRADE], updated_at }),
      await put({ ...read.body, name: "Foods" }),
      await put({ attributes: [GRADE] }, { "if-match": tag }),
    ]) {
      expectRefusal(refused, 409, "CONFLICT", stale);
    }
    const direct = await supabaseAs(operator).rpc("update_category", {
      category_id: id,
      changes: { attributes: [], updated_at },
    });
    expect([direct.status, direct.error?.message]).toEqual([409, "CONFLICT"]);
    expect(JSON.parse(direct.error?.details ?? "{}")).toEqual(stale);
    expect(await must("GET", path, { as: operator })).toEqual(changed.body);
    const fresh = { "if-match": changed.headers.get("etag") as string };
    expect((await put({ name: "Foods" }, fresh)).body).toMatchObject({
      name: "Foods",
      attributes: changed.body.attributes,
    });
  });

  it("cannot be below themselves, nor deeper than ten levels", async () => {
    const { operator } = await openTestTenant();
    const line: Category[] = [];
    for (let level = 1; level <= 10; level++) {
      line.push(await create(operator, { name: `${level}`, parent_id: line.at(-1)?.id ?? null }));
    }
    const [top, second] = line;
    const bottom = line[9];
    for (const [category, below] of [
      [top, top],
      [top, second],
      [second, bottom],
    ]) {
      expectRefusal(
        await change(operator, category, { parent_id: below.id }),
        422,
        "VALIDATION_ERROR",
        { field: "parent_id", value: below.id },
      );
    }
    const { error } = await supabaseAs(operator)
      .from("categories")
      .update({ parent_id: bottom.id })
      .eq("id", top.id);
    expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
    const eleventh = { name: "11", parent_id: bottom.id };
    const answer = await call("POST", "/api/categories", { as: operator, body: eleventh });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "parent_id" });
    // A moved branch counts with its height.
    const other = await create(operator, { name: "Other" });
    await create(operator, { name: "Child", parent_id: other.id });
    expect((await change(operator, other, { parent_id: line[8].id })).status).toBe(422);
    expect((await change(operator, other, { parent_id: line[7].id })).status).toBe(200);
  });

  it("cannot form a circle by concurrent moves", async () => {
    const { operator } = await openTestTenant();
    const all = await Promise.all(
      Array.from({ length: 16 }, (_, i) => create(operator, { name: `${i}` })),
    );
    // In each pair, both move below the other.
    const answers = await Promise.all(
      all.map((category, i) => change(operator, category, { parent_id: all[i ^ 1].id })),
    );
    for (let i = 0; i < answers.length; i += 2) {
      expect([answers[i]?.status, answers[i + 1]?.status].sort()).toEqual([200, 422]);
    }
    const { categories, total } = await must("GET", "/api/categories", { as: operator });
    expect([categories.length, total]).toEqual([8, 16]);
  });

  it("can be deleted when they have no children and products", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const food = await create(operator, { name: "Food" });
    const tea = await create(operator, { name: "Tea", parent_id: food.id });
    const mint = await listProduct(supplier, { category_id: tea.id });
    const remove = ({ id }: Category) => call("DELETE", `/api/categories/${id}`, { as: operator });
    for (const category of [food, tea]) {
      const answer = await remove(category);
      expectRefusal(answer, 409, "CONFLICT");
      const { error } = await supabaseAs(operator)
        .from("categories")
        .delete()
        .eq("id", category.id);
      expect(error).toMatchObject({ code: "PT409", message: "CONFLICT" });
    }
    // A deleted product that was ordered remains for the order only.
    await must("POST", "/api/orders", { as: customer, body: orderFor(mint) });
    await must("DELETE", `/products/${mint.id}`, { as: supplier });
    for (const category of [tea, food]) {
      const answer = await remove(category);
      expect([answer.status, answer.body]).toEqual([204, ""]);
      expectRefusal(await remove(category), 404, "NOT_FOUND");
    }
    expect((await must("GET", "/api/categories", { as: operator })).total).toBe(0);
  });
});

describe("an invalid category", () => {
  let testTenant: TestTenant;

  beforeAll(async () => {
    testTenant = await openTestTenant();
  });

  it.each([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: " \u00a0" }, "name"],
    [{ name: "a".repeat(201) }, "name"],
    [{ name: "a", parent_id: "top" }, "parent_id"],
    [{ name: "a", attributes: {} }, "attributes"],
    [{ name: "a", attributes: [{}] }, "attributes[0].name"],
    [{ name: "a", attributes: [WEIGHT, WEIGHT] }, "attributes[1].name"],
    [{ name: "a", attributes: [{ name: "a", type: "date" }] }, "attributes[0].type"],
    [{ name: "a", attributes: [{ name: "a", required: "yes" }] }, "attributes[0].required"],
    [{ name: "a", attributes: [WEIGHT, { name: "a", type: "select" }] }, "attributes[1].options"],
    [{ name: "a", attributes: [{ ...GRADE, options: ["I", "I"] }] }, "attributes[0].options"],
    [{ name: "a", attributes: [{ ...WEIGHT, options: ["1"] }] }, "attributes[0].options"],
  ])("is refused: %j", async (body, field) => {
    const answer = await call("POST", "/api/categories", { as: testTenant.operator, body });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    // An insert into the table is refused as well.
    const { error } = await supabaseAs(testTenant.operator).from("categories").insert(body);
    expect(["PT422", "23514", "23502", "22P02"]).toContain(error?.code);
    expect((await must("GET", "/api/categories", { as: testTenant.operator })).total).toBe(0);
  });
});

describe("the attributes of a category", () => {
  let testTenant: TestTenant;
  let food: Category;
  let spices: Category;

  beforeAll(async () => {
    testTenant = await openTestTenant();
    food = await create(testTenant.operator, {
      name: "Food",
      attributes: [{ name: "organic", type: "boolean", required: true }, WEIGHT],
    });
    spices = await create(testTenant.operator, {
      name: "Spices",
      parent_id: food.id,
      attributes: [GRADE],
    });
  });

  const good = [
    { name: "organic", value: "true" },
    { name: "grade", value: "I" },
  ];
  const list = (body: object) =>
    call("POST", "/api/products", {
      as: testTenant.supplier,
      body: { name: "x", price: 1, ...body },
    });

  it("define the attributes of its products, together with those of the categories above", async () => {
    const made = await list({
      category_id: spices.id,
      attributes: [
        // Type and flags of a known attribute come from the category.
        { name: "weight", value: "-12.50", type: "text", searchable: false },
        ...good,
        { name: "colour", value: "red" },
      ],
    });
    expect(made.status).toBe(201);
    expect(made.body.attributes).toEqual([
      { name: "weight", value: "-12.50", type: "number", required: false, searchable: true },
      { name: "organic", value: "true", type: "boolean", required: true, searchable: false },
      { name: "grade", value: "I", type: "select", required: true, searchable: false },
      { name: "colour", value: "red", type: "text", required: false, searchable: false },
    ]);
  });

  it("are refused with all faults, and with all that are missing", async () => {
    const attributes = [
      { name: "organic", value: "perhaps" },
      { name: "weight", value: "12 g" },
      { name: "colour", value: "red" },
      { name: "colour", value: "blue" },
    ];
    const errors = [
      { field: "attributes[0].value", value: "perhaps" },
      { field: "attributes[1].value", value: "12 g" },
      { field: "attributes[3].name", value: "colour" },
      { field: "attributes.grade", value: null },
    ];
    const details = { ...errors[0], errors };
    const body = { category_id: spices.id, attributes };
    expectRefusal(await list(body), 422, "VALIDATION_ERROR", details);
    const { id } = (await list({})).body;
    const as = testTenant.supplier;
    expectRefusal(
      await call("PUT", `/api/products/${id}`, { as, body }),
      422,
      "VALIDATION_ERROR",
      details,
    );
    const direct = await supabaseAs(as).from("products").update(body).eq("id", id);
    expect(JSON.parse(direct.error?.details ?? "{}")).toMatchObject(details);
    const nothing = await list({ category_id: spices.id });
    expectRefusal(nothing, 422, "VALIDATION_ERROR", {
      field: "attributes.grade",
      errors: [{ field: "attributes.grade" }, { field: "attributes.organic" }],
    });
    // The same for the definitions of a category, and for variants and measures of a product.
    const twice = [
      { ...GRADE, options: ["I", "I"] },
      { ...WEIGHT, options: ["1"] },
    ];
    const category = await call("POST", "/api/categories", {
      as: testTenant.operator,
      body: { name: "x", attributes: twice },
    });
    expectRefusal(category, 422, "VALIDATION_ERROR", {
      errors: [{ field: "attributes[0].options" }, { field: "attributes[1].options" }],
    });
    const variants = [
      { name: "a", price: 1.999 },
      { name: "b", price: 2 },
      { name: "c", price: 3.001 },
    ];
    expectRefusal(await list({ variants }), 422, "VALIDATION_ERROR", {
      errors: [{ field: "variants[0].price" }, { field: "variants[2].price" }],
    });
    const delivery = ["by-mule", "by-camel"];
    expectRefusal(await list({ physical: { delivery } }), 422, "VALIDATION_ERROR", {
      errors: [{ field: "physical.delivery[0]" }, { field: "physical.delivery[1]" }],
    });
  });

  it.each([
    [[], "attributes.grade", null],
    [[good[0]], "attributes.grade", null],
    [[good[1]], "attributes.organic", null],
    [[good[1], { name: "organic", value: "perhaps" }], "attributes[1].value", "perhaps"],
    [[good[1], { name: "organic", value: " " }], "attributes[1].value", " "],
    [[good[0], { name: "grade", value: "III" }], "attributes[1].value", "III"],
    [[...good, { name: "weight", value: "12 g" }], "attributes[2].value", "12 g"],
    [[...good, { name: "grade", value: "I" }], "attributes[2].name", "grade"],
    [[...good, { name: "other", value: "a", type: "boolean" }], "attributes[2].value", "a"],
  ])("refuse %j", async (attributes, field, value) => {
    const details = { field, value };
    const answer = await list({ category_id: spices.id, attributes });
    expectRefusal(answer, 422, "VALIDATION_ERROR", details);
    const { error } = await supabaseAs(testTenant.supplier)
      .from("products")
      .insert({ name: "x", price: 1, category_id: spices.id, attributes });
    expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
    const { errors, ...first } = JSON.parse(error?.details ?? "{}");
    expect(first).toEqual(details);
    // Without attributes, both that are required are missing.
    expect(errors?.length).toBe(attributes.length === 0 ? 2 : undefined);
  });

  it("may be missing from a product, unless they are required", async () => {
    const { operator, supplier } = await openTestTenant();
    const { id: category_id } = await create(operator, { name: "Spices", attributes: [WEIGHT] });
    const product = await listProduct(supplier, { category_id });
    expect(product.attributes).toEqual([]);
    const attributes = [{ name: "weight", value: "5" }];
    const path = `/api/products/${product.id}`;
    await must("PUT", path, { as: supplier, body: { attributes } });
    const without = await must("PUT", path, { as: supplier, body: { attributes: [] } });
    expect(without.attributes).toEqual([]);
  });

  it("use the definition of the nearest category if several define a name", async () => {
    const powders = await create(testTenant.operator, {
      name: "Powders",
      parent_id: spices.id,
      attributes: [{ ...GRADE, required: false, options: ["fine", "coarse"] }],
    });
    const organic = { name: "organic", value: "false" };
    const fine = [organic, { name: "grade", value: "fine" }];
    expect((await list({ category_id: powders.id, attributes: fine })).status).toBe(201);
    expect((await list({ category_id: powders.id, attributes: [organic] })).status).toBe(201);
    expectRefusal(
      await list({ category_id: powders.id, attributes: good }),
      422,
      "VALIDATION_ERROR",
      { field: "attributes[1].value", value: "I" },
    );
  });

  it("are checked when a product changes, and when it moves to the category", async () => {
    const { supplier } = testTenant;
    const loose = (await list({ attributes: [{ name: "grade", value: "III" }] })).body;
    const put = (body: object) => call("PUT", `/products/${loose.id}`, { as: supplier, body });
    const details = { field: "attributes[0].value", value: "III" };
    expectRefusal(await put({ category_id: spices.id }), 422, "VALIDATION_ERROR", details);
    const direct = await supabaseAs(supplier)
      .from("products")
      .update({ category_id: spices.id })
      .eq("id", loose.id);
    expect(direct.error).toMatchObject({ message: "VALIDATION_ERROR" });
    const moved = await put({ category_id: spices.id, attributes: good });
    expect(moved.status).toBe(200);
    expect(moved.body.attributes.map(({ required }: Category) => required)).toEqual([true, true]);
    expectRefusal(await put({ attributes: [] }), 422, "VALIDATION_ERROR", {
      field: "attributes.grade",
    });
    expect((await must("GET", `/products/${loose.id}`, { as: supplier })).attributes).toEqual(
      moved.body.attributes,
    );
    expect((await put({ category_id: null, attributes: [] })).status).toBe(200);
  });

  it("do not affect existing products when they change, until a product is changed", async () => {
    const { operator, supplier } = testTenant;
    const tea = await create(operator, { name: "Tea" });
    const mint = await listProduct(supplier, { category_id: tea.id, price: 2 });
    await change(operator, tea, { attributes: [{ name: "season", required: true }] });
    const put = (body: object) => call("PUT", `/products/${mint.id}`, { as: supplier, body });
    expect(await must("GET", `/products/${mint.id}`, { as: supplier })).toEqual(mint);
    expect((await put({ price: 3 })).body).toMatchObject({ price: 3, attributes: [] });
    expectRefusal(
      await put({ attributes: [{ name: "colour", value: "green" }] }),
      422,
      "VALIDATION_ERROR",
      { field: "attributes.season", value: null },
    );
    const fits = await put({ attributes: [{ name: "season", value: "spring" }] });
    expect(fits.body.attributes[0]).toMatchObject({ name: "season", required: true });
  });

  it("are not revealed to other tenants", async () => {
    const stranger = (await openTestTenant()).supplier;
    const answer = await call("POST", "/api/products", {
      as: stranger,
      body: { name: "x", price: 1, category_id: spices.id, attributes: [] },
    });
    expectRefusal(answer, 404, "NOT_FOUND", { field: "category_id", value: spices.id });
    expect(JSON.stringify(answer.body)).not.toContain("grade");
  });
});
