import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  letReserve,
  listProduct,
  marketplaceFields,
  must,
  openTestTenant,
  orderFor,
  type Person,
  persist,
  registerClient,
  stockOf,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";

type Product = { id: string };

function change(as: Person, product: Product, body: object) {
  return persist("PATCH", `/api/products/${product.id}/inventory`, { as, body });
}

/** A change that must succeed. */
async function changed(...change_: Parameters<typeof change>) {
  const answer = await change(...change_);
  expect(answer.body).toMatchObject({ product_id: change_[1].id });
  expect(answer.status).toBe(200);
  return answer.body;
}

function movements(as: Person, query = "") {
  return must("GET", `/api/inventory/movements?${query}`, { as });
}

/** The ledger of a product, oldest first: reason, change of quantity and of reserved. */
async function ledgerOf(as: Person, product: Product) {
  const list = await movements(as, `product_id=${product.id}&order=asc`);
  return list.movements.map(
    // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
    (m: any) => [m.reason, m.quantity_change, m.reserved_change],
  );
}

describe("changing stock", () => {
  it("sets, adds and subtracts, and returns the new stock", async () => {
    const { supplier, operator, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    expect(await changed(supplier, product, { quantity: 5, operation: "add" })).toEqual({
      product_id: product.id,
      variant_id: null,
      quantity: 15,
      reserved: 0,
      available: 15,
      low_stock_threshold: 0,
    });
    await must("POST", "/api/orders", { as: customer, body: orderFor(product, 4) });
    expect(
      await changed(operator, product, { quantity: 6, operation: "subtract", note: "Moths." }),
    ).toMatchObject({ quantity: 9, reserved: 4, available: 5 });
    expect(await changed(supplier, product, { quantity: 7, operation: "set" })).toMatchObject({
      quantity: 7,
    });
    const bare = await call("PATCH", `/products/${product.id}/inventory`, {
      as: supplier,
      body: { quantity: 0, operation: "add" },
    });
    expect(bare.body).toMatchObject({ quantity: 7, reserved: 4, available: 3 });
  });

  it("needs an operation for a quantity, and never guesses one", async () => {
    const { supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    for (const more of [{}, { low_stock_threshold: 2 }, { note: "Two more." }]) {
      expectRefusal(
        await change(supplier, product, { quantity: 2, ...more }),
        422,
        "VALIDATION_ERROR",
        { field: "operation", value: null },
      );
    }
    expect(await changed(supplier, product, { low_stock_threshold: 3 })).toMatchObject({
      quantity: 10,
      low_stock_threshold: 3,
    });
    const [added] = (await movements(supplier, `product_id=${product.id}`)).movements;
    expect(added.reason).toBe("opening");
  });

  it("is refused below the reserved pieces or above the maximum, and then changes nothing", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    await must("POST", "/api/orders", { as: customer, body: orderFor(product, 4) });
    const before = await ledgerOf(supplier, product);
    for (const body of [
      { quantity: 7, operation: "subtract" },
      { quantity: 11, operation: "subtract" },
      { quantity: 3, operation: "set" },
      { quantity: 0, operation: "set", low_stock_threshold: 5 },
    ]) {
      expectRefusal(await change(supplier, product, body), 422, "INSUFFICIENT_INVENTORY", {
        field: "quantity",
        value: body.quantity,
      });
    }
    expectRefusal(
      await change(supplier, product, { quantity: 2_147_483_647, operation: "add" }),
      422,
      "VALIDATION_ERROR",
      { field: "quantity", value: 2_147_483_647 },
    );
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 4 } });
    expect(await ledgerOf(supplier, product)).toEqual(before);
    expect(await changed(supplier, product, { quantity: 4, operation: "set" })).toMatchObject({
      available: 0,
    });
  });

  it("names the invalid field", async () => {
    const { supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const wrong: [string, object][] = [
      ["quantity", {}],
      ["quantity", { operation: "add" }],
      ["quantity", { quantity: -1 }],
      ["quantity", { quantity: 1.5 }],
      ["quantity", { quantity: "1" }],
      ["quantity", { quantity: 2_147_483_648 }],
      ["operation", { quantity: 1, operation: "multiply" }],
      ["variant_id", { quantity: 1, variant_id: "large" }],
      ["note", { quantity: 1, note: "x".repeat(2001) }],
      ["low_stock_threshold", { low_stock_threshold: -1 }],
    ];
    for (const [field, body] of wrong) {
      expectRefusal(await change(supplier, product, body), 422, "VALIDATION_ERROR", { field });
    }
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 0 } });
  });

  it("of a product with variants needs a variant_id", async () => {
    const { supplier } = await openTestTenant();
    const [product, other] = await Promise.all(
      [1, 2].map(() =>
        listProduct(supplier, {
          inventory: { quantity: 0 },
          variants: [
            { name: "small", inventory: { quantity: 2 } },
            { name: "large", inventory: { quantity: 5 } },
          ],
        }),
      ),
    );
    const large = product.variants[1].id;
    expect(
      await changed(supplier, product, { quantity: 1, operation: "subtract", variant_id: large }),
    ).toMatchObject({ variant_id: large, quantity: 4 });
    expectRefusal(
      await change(supplier, product, { quantity: 1, operation: "set" }),
      422,
      "VALIDATION_ERROR",
      {
        field: "variant_id",
      },
    );
    for (const variant_id of [other.variants[0].id, randomUUID()]) {
      expectRefusal(
        await change(supplier, product, { quantity: 1, operation: "set", variant_id }),
        404,
        "NOT_FOUND",
        { field: "variant_id", value: variant_id },
      );
    }
    expect(await stockOf(product)).toEqual({
      product: { quantity: 0, reserved: 0 },
      small: { quantity: 2, reserved: 0 },
      large: { quantity: 4, reserved: 0 },
    });
  });

  it("is refused for a product without stock", async () => {
    const { supplier } = await openTestTenant();
    const service = await listProduct(supplier, { kind: "service", inventory: { quantity: 0 } });
    expectRefusal(
      await change(supplier, service, { quantity: 3, operation: "set" }),
      422,
      "VALIDATION_ERROR",
      {
        field: "quantity",
      },
    );
  });

  it("is allowed to admins, and to suppliers for their products", async () => {
    const [testTenant, elsewhere] = await Promise.all([openTestTenant(), openTestTenant()]);
    const { operator, supplier, customer, tenantId } = testTenant;
    const client = await registerClient(tenantId);
    const [product, foreign] = await Promise.all([
      listProduct(supplier),
      listProduct(elsewhere.supplier),
    ]);
    const operators = await listProduct(operator);
    const body = { quantity: 1, operation: "add" };
    for (const person of [customer, client]) {
      for (const target of [product, foreign]) {
        expectRefusal(await change(person, target, body), 403, "FORBIDDEN");
      }
      const direct = supabaseAs(person).from("inventory").update({ quantity: 1 });
      expect((await direct.eq("product_id", product.id)).status).toBe(403);
    }
    for (const target of [foreign, operators, { id: randomUUID() }, { id: "saffron" }]) {
      expectRefusal(await change(supplier, target, body), 404, "NOT_FOUND");
    }
    expectRefusal(await change(operator, foreign, body), 404, "NOT_FOUND");
    expect((await call("PATCH", `/api/products/${product.id}/inventory`, { body })).status).toBe(
      401,
    );
    for (const target of [product, operators]) await changed(operator, target, body);
    expect(await stockOf(product)).toEqual({ product: { quantity: 11, reserved: 0 } });
    expect(await stockOf(foreign)).toEqual({ product: { quantity: 10, reserved: 0 } });
  });

  it("makes a sold-out product active again, and the reverse", async () => {
    const { supplier } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 1 } });
    const status = async () =>
      (await must("GET", `/products/${product.id}`, { as: supplier })).status;
    await changed(supplier, product, { quantity: 1, operation: "subtract" });
    expect(await status()).toBe("out_of_stock");
    await changed(supplier, product, { quantity: 3, operation: "set" });
    expect(await status()).toBe("active");
  });

  it("sells out once per transaction, however often the stock reaches zero in it", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const stock = (pieces: number) =>
      `update public.inventory set quantity = ${pieces} where product_id = '${product.id}';`;
    await query(`begin; ${stock(0)} ${stock(5)} ${stock(0)} commit`);
    const { count } = await supabaseAs(operator)
      .from("events")
      .select("id", { count: "exact", head: true })
      .eq("name", "product.out_of_stock")
      .throwOnError();
    expect(count).toBe(1);
  });

  it("sets out_of_stock when a product without stock is activated", async () => {
    const { supplier, operator } = await openTestTenant();
    const put = (product: Product, body: object) =>
      must("PUT", `/api/products/${product.id}`, { as: supplier, body });
    const sizes = ["a", "b"].map((name) => ({ name, inventory: { quantity: 2 } }));
    const plain = await listProduct(supplier);
    const sized = await listProduct(supplier, { variants: sizes, inventory: { quantity: 3 } });
    for (const [product, stocks] of [
      [plain, [{}]],
      // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
      [sized, sized.variants.map(({ id }: any) => ({ variant_id: id }))],
    ]) {
      await put(product, { status: "inactive" });
      expect((await put(product, { status: "active" })).status).toBe("active");
      await put(product, { status: "inactive" });
      for (const stock of stocks)
        await changed(supplier, product, { quantity: 0, operation: "set", ...stock });
      const [{ updated_at: _, ...before }, after] = [
        await must("GET", `/products/${product.id}`, { as: supplier }),
        await put(product, { status: "active" }),
      ];
      expect(after).toMatchObject({ ...before, status: "out_of_stock" });
      const { data } = await supabaseAs(operator)
        .from("events")
        .select("name")
        .eq("payload->data->product->>id", product.id)
        .eq("name", "product.out_of_stock")
        .throwOnError();
      expect(data).toHaveLength(1);
      await changed(supplier, product, { quantity: 1, operation: "set", ...stocks[0] });
      const { status } = await must("GET", `/products/${product.id}`, { as: supplier });
      expect(status).toBe("active");
    }
    // A product that never had stock is not sold out: it may be active from the start.
    const { id } = await listProduct(supplier, { inventory: { quantity: 0 } });
    for (const status of ["inactive", "active"]) {
      expect((await put({ id }, { status })).status).toBe(status);
    }
  });

  it("by concurrent callers sells no piece twice", async () => {
    const testTenant = await openTestTenant();
    const { supplier, customer } = testTenant;
    await letReserve(testTenant);
    const product = await listProduct(supplier, { inventory: { quantity: 60 } });
    await must("POST", "/api/orders", { as: customer, body: orderFor(product, 30) });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        change(supplier, product, { quantity: 1, operation: "subtract" }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectRefusal(answer, 422, "INSUFFICIENT_INVENTORY", { field: "quantity", value: 1 });
    }
    expect(await stockOf(product)).toEqual({ product: { quantity: 30, reserved: 30 } });
    // Each successful change returned a different quantity.
    const quantities = answers.flatMap(({ status, body }) =>
      status === 200 ? [body.quantity] : [],
    );
    expect(new Set(quantities).size).toBe(30);
    const ledger = await movements(supplier, `product_id=${product.id}&reason=subtract`);
    expect(ledger.total).toBe(30);
  });
});

describe("the ledger", () => {
  it("contains every change by anybody, and its sum is the stock", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    await changed(supplier, product, { quantity: 5, operation: "add", note: "A caravan." });
    await changed(operator, product, { quantity: 1, operation: "subtract" });
    await supabaseAs(supplier)
      .from("inventory")
      .update({ quantity: 20 })
      .eq("product_id", product.id)
      .throwOnError();
    await changed(supplier, product, { quantity: 20, operation: "set" });
    const order = await must("POST", "/api/orders", { as: customer, body: orderFor(product, 3) });
    const other = await must("POST", "/api/orders", { as: customer, body: orderFor(product, 2) });
    const move = (id: string, status: string) =>
      must("PATCH", `/api/orders/${id}/status`, { as: operator, body: { status } });
    await move(other.id, "cancelled");
    await move(order.id, "shipped");
    await move(order.id, "returned");

    expect(await ledgerOf(supplier, product)).toEqual([
      ["opening", 10, 0],
      ["add", 5, 0],
      ["subtract", -1, 0],
      ["set", 6, 0],
      ["reserve", 0, 3],
      ["reserve", 0, 2],
      ["release", 0, -2],
      ["ship", -3, -3],
      ["return", 3, 0],
    ]);
    const list = await movements(operator, `product_id=${product.id}&order=asc`);
    expect(list).toMatchObject({ total: 9, page: 1, limit: 100 });
    let [quantity, reserved] = [0, 0];
    for (const movement of list.movements) {
      quantity += movement.quantity_change;
      reserved += movement.reserved_change;
      expect(movement).toMatchObject({ quantity, reserved });
    }
    expect(await stockOf(product)).toEqual({ product: { quantity, reserved } });
    expect(list.movements[1]).toEqual({
      id: expect.any(Number),
      product_id: product.id,
      variant_id: null,
      product_name: "Saffron",
      variant_name: null,
      sku: null,
      reason: "add",
      quantity_change: 5,
      reserved_change: 0,
      quantity: 15,
      reserved: 0,
      note: "A caravan.",
      order_id: null,
      actor_id: supplier.id,
      created_at: expect.any(String),
    });
    expect(list.movements[2].actor_id).toBe(operator.id);
    expect(list.movements[4]).toMatchObject({ order_id: order.id, actor_id: customer.id });
    expect(list.movements[6]).toMatchObject({ order_id: other.id, actor_id: operator.id });
  });

  it("can be filtered, with pages", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier, {
      inventory: { quantity: 0 },
      variants: ["small", "large"].map((name) => ({
        name,
        sku: randomUUID(),
        inventory: { quantity: 1 },
      })),
    });
    const [small, large] = product.variants;
    await listProduct(supplier);
    for (const quantity of [2, 3, 4]) {
      await changed(supplier, product, { quantity, operation: "add", variant_id: large.id });
    }
    const ids = async (query: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
      (await movements(operator, query)).movements.map((m: any) => m.quantity_change);
    expect(await ids("")).toEqual([4, 3, 2, 10, 1, 1]);
    expect(await ids(`variant_id=${large.id}&order=asc`)).toEqual([1, 2, 3, 4]);
    expect(await ids(`variant_id=${small.id}`)).toEqual([1]);
    expect(await ids(`product_id=${product.id}&reason=add`)).toEqual([4, 3, 2]);
    expect(await ids("reason=ship")).toEqual([]);
    const { movements: newest } = await movements(operator, "limit=2");
    expect(await ids(`since=${encodeURIComponent(newest[1].created_at)}`)).toEqual(
      expect.arrayContaining([4, 3]),
    );
    expect(await ids("since=2999-01-01T00:00:00Z")).toEqual([]);
    expect(await movements(operator, "page=2&limit=4")).toMatchObject({
      total: 6,
      page: 2,
      limit: 4,
      movements: [{ quantity_change: 1 }, { quantity_change: 1 }],
    });
    expect(await movements(operator, "page=9&limit=4")).toMatchObject({ total: 6, movements: [] });
    for (const [query, field] of [
      ["reason=theft", "reason"],
      ["since=yesterday", "since"],
      ["product_id=1", "product_id"],
      ["sort=note", "sort"],
    ]) {
      const refused = await call("GET", `/api/inventory/movements?${query}`, { as: operator });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
  });

  it("is readable by admins, clients and, for their products, suppliers", async () => {
    const [{ operator, supplier, customer, tenantId }, elsewhere] = await Promise.all([
      openTestTenant(),
      openTestTenant(),
    ]);
    const client = await registerClient(tenantId);
    const [own, others] = await Promise.all([listProduct(supplier), listProduct(operator)]);
    const products = async (person: Person) => {
      const { movements: rows, total } = await movements(person);
      expect(total).toBe(rows.length);
      const { data } = await supabaseAs(person).from("inventory_movements").select("product_id");
      // biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
      const ids = rows.map((row: any) => row.product_id).sort();
      expect(data?.map((row) => row.product_id).sort()).toEqual(ids);
      return ids;
    };
    const both = [own.id, others.id].sort();
    expect(await products(operator)).toEqual(both);
    expect(await products(client)).toEqual(both);
    expect(await products(supplier)).toEqual([own.id]);
    expect(await products(elsewhere.operator)).toEqual([]);
    for (const path of ["/api/inventory", "/api/inventory/movements"]) {
      expectRefusal(await call("GET", path, { as: customer }), 403, "FORBIDDEN");
      expect((await call("GET", path)).status).toBe(401);
    }
    expectRefusal(
      await call("GET", `/api/products/${own.id}/inventory`, { as: customer }),
      403,
      "FORBIDDEN",
    );
    const direct = await supabaseAs(customer).from("inventory_movements").select();
    expect(direct.data).toEqual([]);
  });

  it("cannot be changed, and is deleted with its product", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    const product = await listProduct(supplier, {
      inventory: { quantity: 1 },
      variants: [{ name: "small", inventory: { quantity: 2 } }],
    });
    const row = { product_id: product.id, reason: "add", quantity_change: 1, reserved_change: 0 };
    const service = supabaseAsService();
    for (const db of [supabaseAs(operator), supabaseAs(supplier), service]) {
      const ledger = () => db.from("inventory_movements");
      const attempts = await Promise.all([
        ledger().insert({ ...row, tenant_id: tenantId, quantity: 1, reserved: 0 }),
        ledger().update({ note: "Nothing was ever here." }).eq("product_id", product.id),
        ledger().delete().eq("product_id", product.id),
      ]);
      for (const { status } of attempts) expect(status).toBe(403);
    }
    // Deleting a variant removes its stock, which is in the ledger.
    await service.from("product_variants").delete().eq("product_id", product.id).throwOnError();
    const left = (await ledgerOf(operator, product)).toSorted();
    expect(left).toEqual([
      ["opening", 1, 0],
      ["opening", 2, 0],
      ["removal", -2, 0],
    ]);
    await service.from("products").delete().eq("id", product.id).throwOnError();
    expect(await ledgerOf(operator, product)).toEqual([]);
  });
});

describe("the list of stock", () => {
  it("has a row for each sellable product or variant, filtered and sorted", async () => {
    const { operator, supplier, customer, marketplace } = await openTestTenant();
    const second = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields(),
    });
    const here = { marketplace_id: marketplace.id };
    const sku = randomUUID();
    const anise = await listProduct(supplier, { ...here, name: "Anise" });
    const cumin = await listProduct(supplier, {
      ...here,
      name: "Cumin",
      inventory: { quantity: 0 },
      variants: [
        { name: "bag", sku, inventory: { quantity: 3 } },
        { name: "jar", inventory: { quantity: 30 } },
      ],
    });
    const mint = await listProduct(operator, {
      marketplace_id: second.id,
      name: "Mint",
      inventory: { quantity: 20 },
    });
    await listProduct(supplier, { ...here, kind: "service", inventory: { quantity: 0 } });
    const gone = await listProduct(supplier, here);
    await supabaseAs(supplier)
      .from("products")
      .update({ status: "discontinued" })
      .eq("id", gone.id)
      .throwOnError();
    await must("POST", "/api/orders", { as: customer, body: orderFor(anise, 4) });

    const list = (as: Person, query = "") => must("GET", `/api/inventory?${query}`, { as });
    const names = async (as: Person, query = "") => {
      const { inventory, total } = await list(as, query);
      expect(total).toBe(inventory.length);
      // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
      return inventory.map((row: any) => row.variant_name ?? row.product_name);
    };
    expect(await names(operator, "sort=available&order=asc")).toEqual([
      "bag",
      "Anise",
      "Mint",
      "jar",
    ]);
    expect(await names(operator, "sort=quantity&order=desc")).toEqual([
      "jar",
      "Mint",
      "Anise",
      "bag",
    ]);
    expect((await names(operator, "sort=name&order=asc"))[0]).toBe("Anise");
    expect((await names(supplier)).sort()).toEqual(["Anise", "bag", "jar"]);
    expect(await names(operator, `marketplace_id=${second.id}`)).toEqual(["Mint"]);
    expect((await names(operator, `product_id=${cumin.id}`)).sort()).toEqual(["bag", "jar"]);
    expect(await list(operator, "sort=available&order=asc&limit=1&page=2")).toEqual({
      inventory: [
        {
          id: expect.any(String),
          product_id: anise.id,
          variant_id: null,
          product_name: "Anise",
          variant_name: null,
          sku: null,
          marketplace_id: marketplace.id,
          supplier_id: anise.supplier_id,
          status: "active",
          quantity: 10,
          reserved: 4,
          available: 6,
          low_stock_threshold: 0,
          low_stock: false,
          updated_at: expect.any(String),
        },
      ],
      total: 4,
      page: 2,
      limit: 1,
    });

    // Stock is low when it has fallen to its threshold. Without a threshold it never is.
    expect(await names(operator, "low_stock=true")).toEqual([]);
    const [bag] = cumin.variants;
    expect(
      await changed(supplier, cumin, { low_stock_threshold: 5, variant_id: bag.id }),
    ).toMatchObject({ quantity: 3, low_stock_threshold: 5 });
    await changed(supplier, anise, { low_stock_threshold: 5 });
    await changed(operator, mint, { low_stock_threshold: 20 });
    expect((await names(operator, "low_stock=true")).sort()).toEqual(["Mint", "bag"]);
    expect(await names(supplier, "low_stock=true")).toEqual(["bag"]);
    expect((await names(operator, "low_stock=false")).sort()).toEqual(["Anise", "jar"]);
    await must("POST", "/api/orders", { as: customer, body: orderFor(anise, 1) });
    expect((await names(supplier, "low_stock=true")).sort()).toEqual(["Anise", "bag"]);
    await changed(supplier, anise, { low_stock_threshold: 0 });
    expect(await names(supplier, "low_stock=true")).toEqual(["bag"]);
    expect((await movements(supplier, `product_id=${cumin.id}`)).total).toBe(2);

    for (const [query, field] of [
      ["low_stock=perhaps", "low_stock"],
      ["sort=reserved_for", "sort"],
      ["page=0", "page"],
      ["product_id=1", "product_id"],
    ]) {
      const refused = await call("GET", `/api/inventory?${query}`, { as: operator });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
  });

  it("of one product shows which orders reserve it", async () => {
    const [{ operator, supplier, customer }, elsewhere] = await Promise.all([
      openTestTenant(),
      openTestTenant(),
    ]);
    const product = await listProduct(supplier, {
      inventory: { quantity: 0 },
      variants: [
        { name: "small", inventory: { quantity: 6 } },
        { name: "large", inventory: { quantity: 2 } },
      ],
    });
    const [small, large] = product.variants;
    const buy = (variant: { id: string }, quantity: number) =>
      must("POST", "/api/orders", {
        as: customer,
        body: {
          ...orderFor(product),
          items: [{ product_id: product.id, variant_id: variant.id, quantity, price: 12.5 }],
        },
      });
    const [first, second, third] = [await buy(small, 2), await buy(large, 1), await buy(small, 3)];
    await must("PATCH", `/api/orders/${first.id}/status`, {
      as: customer,
      body: { status: "cancelled" },
    });
    const path = `/api/products/${product.id}/inventory`;
    const answer = await must("GET", path, { as: supplier });
    expect(answer).toMatchObject({
      product_id: product.id,
      quantity: 8,
      reserved: 4,
      available: 4,
      stock: [
        { variant_id: null, quantity: 0 },
        { variant_id: small.id, variant_name: "small", quantity: 6, reserved: 3, available: 3 },
        { variant_id: large.id, variant_name: "large", quantity: 2, reserved: 1, available: 1 },
      ],
    });
    expect(answer.reservations).toEqual([
      { order_id: second.id, variant_id: large.id, quantity: 1, since: expect.any(String) },
      { order_id: third.id, variant_id: small.id, quantity: 3, since: expect.any(String) },
    ]);
    expect(await must("GET", path, { as: operator })).toEqual(answer);
    expectRefusal(await call("GET", path, { as: elsewhere.operator }), 404, "NOT_FOUND");
    expectRefusal(await call("GET", path, { as: elsewhere.supplier }), 404, "NOT_FOUND");
  });
});

describe("stock through supabase-js", () => {
  it("can be changed with the same rules", async () => {
    const [{ supplier, customer }, elsewhere] = await Promise.all([
      openTestTenant(),
      openTestTenant(),
    ]);
    const [product, foreign] = await Promise.all([
      listProduct(supplier),
      listProduct(elsewhere.supplier),
    ]);
    await must("POST", "/api/orders", { as: customer, body: orderFor(product, 4) });
    const db = supabaseAs(supplier);
    const set = (quantity: number, target: Product = product) =>
      db.from("inventory").update({ quantity }).eq("product_id", target.id).select();
    for (const quantity of [3, -1]) {
      const { error, status } = await set(quantity);
      expect(status).toBe(422);
      expect(error?.message).toBe("INSUFFICIENT_INVENTORY");
      expect(JSON.parse(error?.details ?? "")).toEqual({ field: "quantity", value: quantity });
    }
    expect((await set(1, foreign)).data).toEqual([]);
    expect((await set(12)).data).toMatchObject([{ quantity: 12, reserved: 4 }]);
    const threshold = await db
      .from("inventory")
      .update({ low_stock_threshold: 3 })
      .eq("product_id", product.id)
      .select();
    expect(threshold.data).toMatchObject([{ low_stock_threshold: 3 }]);
    const called = await db.rpc("change_inventory", {
      product_id: product.id,
      quantity: 2,
      operation: "subtract",
    });
    expect(called.data).toMatchObject({ quantity: 10, available: 6 });
    expect(
      (
        await db.rpc("change_inventory", {
          product_id: foreign.id,
          quantity: 1,
          operation: "set",
        })
      ).status,
    ).toBe(404);
    expect(await stockOf(foreign)).toEqual({ product: { quantity: 10, reserved: 0 } });
    for (const wrong of [
      { quantity: -1 },
      { quantity: null },
      { quantity: 1, operation: null },
      { quantity: 1 },
      { quantity: 1, low_stock_threshold: 1 },
      { quantity: 1, operation: "drop" },
      { quantity: 1.5 },
    ]) {
      const refused = await db.rpc("change_inventory", { product_id: product.id, ...wrong });
      expect(refused.status, JSON.stringify(wrong)).toBeGreaterThanOrEqual(400);
      expect(refused.status).toBeLessThan(500);
    }
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 4 } });
  });
});
