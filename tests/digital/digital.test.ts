import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { HOLDING_STOCK, SENT } from "../orders/statuses.js";
import {
  type Answer,
  call,
  expectRefusal,
  letReserve,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  registerClient,
  stockOf,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Record_ = any;

// No log of the stack may contain these words. tests/stack.ts checks it.
const MARK = "correct horse battery";

const codes = (count: number) => Array.from({ length: count }, () => `${MARK} ${randomUUID()}`);

/** A digital product whose stock is licence keys. */
const listLicence = (supplier: Person, fields: object = {}): Promise<Record_> =>
  listProduct(supplier, {
    name: "Sextant",
    kind: "digital",
    track_inventory: true,
    inventory: { quantity: 0 },
    ...fields,
  });

const listEbook = (supplier: Person, fields: object = {}): Promise<Record_> =>
  listProduct(supplier, { name: "Atlas", kind: "digital", inventory: { quantity: 0 }, ...fields });

const addKeys = (as: Person, product: Record_, sent: string[], fields: object = {}) =>
  call("POST", `/api/products/${product.id}/licence-keys`, {
    as,
    body: { codes: sent, ...fields },
  });

const keysOf = (as: Person, product: Record_, query = "") =>
  must("GET", `/api/products/${product.id}/licence-keys${query}`, { as });

const addFile = (as: Person, product: Record_, fields: object = {}) =>
  call("POST", `/api/products/${product.id}/files`, {
    as,
    body: { name: "atlas.pdf", url: "https://files.example.com/atlas.pdf", ...fields },
  });

const place = (as: Person, ...order: Parameters<typeof orderFor>): Promise<Record_> =>
  must("POST", "/api/orders", { as, body: orderFor(...order) });

const pay = (as: Person, order: Record_, fields: object = {}): Promise<Record_> =>
  must("POST", `/api/orders/${order.id}/payments`, {
    as,
    body: { status: "paid", amount: order.total_amount, reference: randomUUID(), ...fields },
  });

const move = (as: Person, order: Record_, status: string): Promise<Record_> =>
  must("PATCH", `/api/orders/${order.id}/status`, { as, body: { status } });

const downloadsOf = (as: Person, order: Record_): Promise<Record_> =>
  must("GET", `/api/orders/${order.id}/downloads`, { as });

const codesOf = async (as: Person, order: Record_): Promise<string[]> =>
  (await downloadsOf(as, order)).licence_keys.map(({ code }: { code: string }) => code);

const orderOf = (as: Person, order: Record_): Promise<Record_> =>
  must("GET", `/api/orders/${order.id}`, { as });

const NOTHING = { files: [], licence_keys: [] };

describe("files", () => {
  it("are managed by the product's supplier and admins, and readable by nobody else", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [product, client, rival, foreign] = await Promise.all([
      listEbook(supplier),
      registerClient(tenantId),
      register({ tenant_id: tenantId, role: "supplier" }),
      openTestTenant(),
    ]);
    const path = `/api/products/${product.id}/files`;
    const made = await addFile(supplier, product, { size_bytes: 12_345, sha256: "0f".repeat(32) });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      tenant_id: tenantId,
      product_id: product.id,
      name: "atlas.pdf",
      url: "https://files.example.com/atlas.pdf",
      asset_id: null,
      size_bytes: 12_345,
      sha256: "0f".repeat(32),
      created_at: expect.any(String),
    });
    expect(made.headers.get("location")).toBe(
      `/functions/v1/products/${product.id}/files/${made.body.id}`,
    );
    const second = await addFile(operator, product, { name: "index.pdf" });
    for (const as of [supplier, operator, client]) {
      expect(await must("GET", path, { as })).toEqual({
        files: [made.body, second.body],
        total: 2,
        page: 1,
        limit: 100,
      });
    }
    expect((await must("GET", `${path}?order=desc&limit=1`, { as: supplier })).files).toEqual([
      second.body,
    ]);
    expectRefusal(await call("GET", path, { as: customer }), 403, "FORBIDDEN");
    for (const as of [rival, foreign.operator, foreign.supplier, foreign.customer]) {
      expectRefusal(await call("GET", path, { as }), 404, "NOT_FOUND");
    }
    for (const as of [customer, client]) {
      expectRefusal(await addFile(as, product), 403, "FORBIDDEN");
      expectRefusal(await call("DELETE", `${path}/${made.body.id}`, { as }), 403, "FORBIDDEN");
    }
    for (const as of [rival, foreign.operator, foreign.supplier]) {
      expectRefusal(await addFile(as, product), 404, "NOT_FOUND");
      expectRefusal(await call("DELETE", `${path}/${made.body.id}`, { as }), 404, "NOT_FOUND");
    }
    for (const as of [customer, rival, foreign.operator]) {
      const { data } = await supabaseAs(as).from("product_files").select("id").throwOnError();
      expect(data).toEqual([]);
    }
    const gone = await call("DELETE", `${path}/${made.body.id}`, { as: supplier });
    expect(gone.status).toBe(204);
    expectRefusal(
      await call("DELETE", `${path}/${made.body.id}`, { as: supplier }),
      404,
      "NOT_FOUND",
    );
    expect((await must("GET", path, { as: supplier })).files).toEqual([second.body]);
  });

  it("belong to digital products, and need an https URL", async () => {
    const { supplier } = await openTestTenant();
    const [ebook, lamp] = await Promise.all([listEbook(supplier), listProduct(supplier)]);
    expectRefusal(await addFile(supplier, lamp), 422, "VALIDATION_ERROR");
    for (const [field, value] of Object.entries({
      url: "http://files.example.com/atlas.pdf",
      name: "",
      size_bytes: -1,
      sha256: "abc",
    })) {
      expectRefusal(await addFile(supplier, ebook, { [field]: value }), 422, "VALIDATION_ERROR", {
        field,
      });
    }
    // The database refuses it as well.
    const files = supabaseAs(supplier).from("product_files");
    for (const [fields, code] of [
      [{ product_id: lamp.id, url: "https://a.example" }, "PT422"],
      [{ product_id: ebook.id, url: "http://a.example" }, "23514"],
      [{ product_id: ebook.id, url: "https://a.example", size_bytes: -1 }, "23514"],
      // JSON parsers cannot represent this number exactly, so the list of files could not be read.
      [{ product_id: ebook.id, url: "https://a.example", size_bytes: "9007199254740992" }, "23514"],
      [{ product_id: randomUUID(), url: "https://a.example" }, "PT404"],
    ] as const) {
      const { error } = await files.insert({ name: "a", ...fields });
      expect(error?.code).toBe(code);
    }
    await files
      .insert({ product_id: ebook.id, name: "a", url: "https://a.example" })
      .throwOnError();
    const largest = { url: "https://b.example", size_bytes: Number.MAX_SAFE_INTEGER };
    expect((await addFile(supplier, ebook, largest)).status).toBe(201);
    const path = `/api/products/${ebook.id}/files`;
    expect((await must("GET", path, { as: supplier })).total).toBe(2);
  });

  it("can be downloaded by the customer who paid, unless the item was returned", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [ebook, other, stranger] = await Promise.all([
      listEbook(supplier),
      listEbook(supplier),
      register({ tenant_id: tenantId }),
    ]);
    const [{ body: file }] = [await addFile(supplier, ebook), await addFile(supplier, other)];
    const order = await place(customer, ebook, 2);
    expect(await downloadsOf(customer, order)).toEqual(NOTHING);
    await pay(operator, order);
    const unlocked = {
      files: [
        {
          id: file.id,
          item_id: order.items[0].id,
          product_id: ebook.id,
          name: file.name,
          url: file.url,
          size_bytes: null,
          sha256: null,
        },
      ],
      licence_keys: [],
    };
    expect(await downloadsOf(customer, order)).toEqual(unlocked);
    expect(await must("GET", `/orders/${order.id}/downloads`, { as: customer })).toEqual(unlocked);
    // Files that are added later belong to the order, too.
    await addFile(supplier, ebook, { name: "errata.pdf" });
    expect((await downloadsOf(customer, order)).files).toHaveLength(2);

    const path = `/api/orders/${order.id}/downloads`;
    expectRefusal(await call("GET", path, { as: stranger }), 404, "NOT_FOUND");
    expectRefusal(
      await call("GET", path, { as: (await openTestTenant()).operator }),
      404,
      "NOT_FOUND",
    );
    expectRefusal(await call("GET", path, { as: supplier }), 403, "FORBIDDEN");
    expect((await downloadsOf(operator, order)).files).toHaveLength(2);

    await pay(operator, order, { status: "refunded" });
    expect(await downloadsOf(customer, order)).toEqual(NOTHING);
  });
});

describe("licence keys", () => {
  it("are the stock, and shown masked", async () => {
    const { supplier, operator, customer, tenantId } = await openTestTenant();
    const product = await listLicence(supplier);
    const sent = codes(3);
    const added = await addKeys(supplier, product, sent);
    expect(added.status).toBe(201);
    expect(added.body).toEqual({
      product_id: product.id,
      variant_id: null,
      added: 3,
      duplicates: [],
      counts: { available: 3, handed_out: 0, revoked: 0 },
    });
    expect(await stockOf(product)).toEqual({ product: { quantity: 3, reserved: 0 } });

    // The same keys again, with a new one twice.
    const [more] = codes(1) as [string];
    const again = await addKeys(operator, product, [...sent, more, ` ${more} `]);
    expect(again.body).toMatchObject({ added: 1, duplicates: [0, 1, 2, 4] });
    expect(await stockOf(product)).toEqual({ product: { quantity: 4, reserved: 0 } });

    const shown = await keysOf(supplier, product);
    expect(shown).toMatchObject({ total: 4, counts: { available: 4, handed_out: 0, revoked: 0 } });
    expect(new Set(shown.licence_keys.map((key: Record_) => key.code))).toEqual(
      new Set([...sent, more].map((code) => `••••${code.slice(-4)}`)),
    );
    expect(shown.licence_keys[0]).toEqual({
      id: expect.any(String),
      product_id: product.id,
      variant_id: null,
      code: expect.any(String),
      status: "available",
      order_id: null,
      item_id: null,
      handed_out_at: null,
      revoked_at: null,
      created_at: expect.any(String),
    });
    expect(await keysOf(await registerClient(tenantId), product)).toEqual(shown);

    const path = `/api/products/${product.id}/licence-keys`;
    const once = () =>
      call("POST", path, {
        as: supplier,
        body: { codes: sent },
        headers: { "idempotency-key": "the same" },
      });
    const [first, second] = [await once(), await once()];
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(second.body).toEqual(first.body);

    expectRefusal(await call("GET", path, { as: customer }), 403, "FORBIDDEN");
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const foreign = await openTestTenant();
    for (const as of [rival, foreign.operator, foreign.customer]) {
      expectRefusal(await call("GET", path, { as }), 404, "NOT_FOUND");
      expectRefusal(await addKeys(as, product, codes(1)), 404, "NOT_FOUND");
    }
    expectRefusal(await addKeys(customer, product, codes(1)), 403, "FORBIDDEN");
    expectRefusal(
      await addKeys(await registerClient(tenantId), product, codes(1)),
      403,
      "FORBIDDEN",
    );
    expect(await stockOf(product)).toEqual({ product: { quantity: 4, reserved: 0 } });
  });

  it("are handed out when the order is paid, one per piece, and the order is delivered", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listLicence(supplier);
    const sent = codes(3);
    await addKeys(supplier, product, sent);
    const order = await place(customer, product, 2);
    expect(await stockOf(product)).toEqual({ product: { quantity: 3, reserved: 2 } });
    expect(await downloadsOf(customer, order)).toEqual(NOTHING);

    await pay(operator, order);
    const delivered = await orderOf(customer, order);
    expect(delivered).toMatchObject({ status: "delivered", payment_status: "paid" });
    expect(delivered.history).toMatchObject([{ old_status: "pending", new_status: "delivered" }]);
    expect(await stockOf(product)).toEqual({ product: { quantity: 1, reserved: 0 } });

    const got = await downloadsOf(customer, order);
    expect(got).toEqual({
      files: [],
      licence_keys: [0, 1].map(() => ({
        item_id: order.items[0].id,
        product_id: product.id,
        variant_id: null,
        code: expect.stringContaining(MARK),
      })),
    });
    const handed = await codesOf(customer, order);
    expect(new Set(handed).size).toBe(2);
    expect(sent).toEqual(expect.arrayContaining(handed));
    // The same function through supabase-js.
    const { data } = await supabaseAs(customer)
      .rpc("order_downloads", { order_id: order.id })
      .throwOnError();
    expect(data).toEqual(got);

    const { licence_keys, counts } = await keysOf(supplier, product, "?status=handed_out");
    expect(counts).toEqual({ available: 1, handed_out: 2, revoked: 0 });
    expect(licence_keys).toHaveLength(2);
    expect(licence_keys[0]).toMatchObject({
      order_id: order.id,
      item_id: order.items[0].id,
      handed_out_at: expect.any(String),
    });
    expect((await keysOf(supplier, product, "?status=available")).total).toBe(1);
  });

  it("of a mixed order are handed out when it is paid, while the rest must be shipped", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const [licence, lamp] = await Promise.all([listLicence(supplier), listProduct(supplier)]);
    await addKeys(supplier, licence, codes(2));
    const order = await place(customer, licence, 1, {
      items: [...orderFor(lamp, 3).items, ...orderFor(licence, 2).items],
    });
    await pay(operator, order);
    expect(await orderOf(customer, order)).toMatchObject({ status: "pending" });
    expect(await codesOf(customer, order)).toHaveLength(2);
    // The licences are delivered immediately, which does not change the order to processing.
    const [lamps, licences] = (await orderOf(customer, order)).items;
    expect(lamps).toMatchObject({ shipped_quantity: 0, delivered_quantity: 0 });
    expect(licences).toMatchObject({ shipped_quantity: 2, delivered_quantity: 2 });
    expect(await stockOf(licence)).toEqual({ product: { quantity: 0, reserved: 0 } });
    await move(supplier, order, "shipped");
    expect(await stockOf(lamp)).toEqual({ product: { quantity: 7, reserved: 0 } });
    await move(supplier, order, "delivered");
    expect(await codesOf(customer, order)).toHaveLength(2);
  });

  it("are also handed out by delivery, when the payment is reported elsewhere", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listLicence(supplier);
    await addKeys(supplier, product, codes(1));
    const order = await place(customer, product);
    await move(supplier, order, "confirmed");
    expect(await codesOf(customer, order)).toEqual([]);
    await move(supplier, order, "delivered");
    expect(await codesOf(customer, order)).toHaveLength(1);
    expect(await stockOf(product)).toEqual({ product: { quantity: 0, reserved: 0 } });
  });

  it("that are free are handed out immediately", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listLicence(supplier, { price: 0 });
    await addKeys(supplier, product, codes(1));
    const order = await place(customer, product);
    expect(order).toMatchObject({ status: "delivered", payment_status: "paid" });
    expect(await codesOf(customer, order)).toHaveLength(1);
  });

  it("are never reused, however the order ends", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const [product, lamp] = await Promise.all([listLicence(supplier), listProduct(supplier)]);
    await addKeys(supplier, product, codes(6));
    const mixed = (quantity: number) => ({
      items: [...orderFor(lamp).items, ...orderFor(product, quantity).items],
    });

    const unpaid = await place(customer, product, 2);
    await move(customer, unpaid, "cancelled");
    expect(await stockOf(product)).toEqual({ product: { quantity: 6, reserved: 0 } });

    const cancelled = await place(customer, product, 1, mixed(2));
    await pay(operator, cancelled);
    const seen = await codesOf(customer, cancelled);
    await move(operator, cancelled, "cancelled");
    expect(await downloadsOf(customer, cancelled)).toEqual(NOTHING);
    expect(await stockOf(product)).toEqual({ product: { quantity: 4, reserved: 0 } });
    expect(await stockOf(lamp)).toEqual({ product: { quantity: 10, reserved: 0 } });

    const returned = await place(customer, product, 1, mixed(1));
    await pay(operator, returned);
    seen.push(...(await codesOf(customer, returned)));
    await move(operator, returned, "delivered");
    await move(operator, returned, "returned");
    expect(await downloadsOf(customer, returned)).toEqual(NOTHING);
    expect(await stockOf(product)).toEqual({ product: { quantity: 3, reserved: 0 } });
    expect(await stockOf(lamp)).toEqual({ product: { quantity: 10, reserved: 0 } });
    expect((await keysOf(supplier, product)).counts).toEqual({
      available: 3,
      handed_out: 0,
      revoked: 3,
    });

    const last = await place(customer, product, 3);
    await pay(operator, last);
    const codesOfLast = await codesOf(customer, last);
    expect(new Set([...seen, ...codesOfLast]).size).toBe(6);
    expect(await stockOf(product)).toEqual({ product: { quantity: 0, reserved: 0 } });
  });

  it("are revoked piece by piece when pieces are returned", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const [product, ebook] = await Promise.all([listLicence(supplier), listEbook(supplier)]);
    await addKeys(supplier, product, codes(3));
    await addFile(supplier, ebook);
    const order = await place(customer, product, 1, {
      items: [...orderFor(product, 3).items, ...orderFor(ebook).items],
    });
    await pay(operator, order);
    const before = await codesOf(customer, order);
    const sendBack = (index: number, quantity: number) =>
      must("POST", `/api/orders/${order.id}/returns`, {
        as: operator,
        body: { items: [{ item_id: order.items[index].id, quantity }] },
      });
    await sendBack(0, 1);
    const left = await downloadsOf(customer, order);
    expect(left.licence_keys).toHaveLength(2);
    expect(left.files).toHaveLength(1);
    for (const { code } of left.licence_keys) expect(before).toContain(code);
    await sendBack(1, 1);
    expect((await downloadsOf(customer, order)).files).toEqual([]);
    await sendBack(0, 2);
    expect(await downloadsOf(customer, order)).toEqual(NOTHING);
    expect(await stockOf(product)).toEqual({ product: { quantity: 0, reserved: 0 } });
  });

  it("are valid again when a refunded payment succeeds later", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const [product, ebook] = await Promise.all([listLicence(supplier), listEbook(supplier)]);
    await addKeys(supplier, product, codes(3));
    await addFile(supplier, ebook);
    const order = await place(customer, product, 1, {
      items: [...orderFor(product, 3).items, ...orderFor(ebook).items],
    });
    const report = (status: string, reference: string, fields: object = {}) =>
      pay(operator, order, { status, reference, ...fields });
    await report("paid", "pi_1");
    const before = await downloadsOf(customer, order);
    await report("refunded", "re_1");
    expect(await downloadsOf(customer, order)).toEqual(NOTHING);
    // One piece is returned meanwhile.
    await must("POST", `/api/orders/${order.id}/returns`, {
      as: operator,
      body: { items: [{ item_id: order.items[0].id, quantity: 1 }] },
    });
    await report("refund_failed", "re_1");
    const left = { ...before, licence_keys: before.licence_keys.slice(0, 2) };
    expect(await downloadsOf(customer, order)).toEqual(left);

    await report("payment_reversed", "pi_1");
    expect(await orderOf(operator, order)).toMatchObject({ status: "delivered" });
    expect(await downloadsOf(customer, order)).toEqual(NOTHING);
    const counts = async () => (await keysOf(supplier, product)).counts;
    expect(await counts()).toEqual({ available: 0, handed_out: 0, revoked: 3 });
    await report("paid", "pi_2", { amount: order.total_amount - order.items[0].price });
    expect(await downloadsOf(customer, order)).toEqual(left);
    expect(await counts()).toEqual({ available: 0, handed_out: 2, revoked: 1 });
    expect(await stockOf(product)).toEqual({ product: { quantity: 0, reserved: 0 } });
  });

  it("belong to variants if the product has some", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listLicence(supplier, {
      variants: [{ name: "home" }, { name: "studio", price: 99 }],
    });
    const [home, studio] = product.variants;
    const sent = codes(2);
    expectRefusal(await addKeys(supplier, product, sent), 422, "VALIDATION_ERROR", {
      field: "variant_id",
    });
    expectRefusal(
      await addKeys(supplier, product, sent, { variant_id: randomUUID() }),
      404,
      "NOT_FOUND",
      { field: "variant_id" },
    );
    await addKeys(supplier, product, sent, { variant_id: studio.id });
    expect(await stockOf(product)).toMatchObject({
      home: { quantity: 0 },
      studio: { quantity: 2 },
    });
    // A code is unique in the product, across its variants.
    const again = await addKeys(supplier, product, sent, { variant_id: home.id });
    expect(again.body).toMatchObject({ added: 0, duplicates: [0, 1] });
    const buy = (variant: Record_, price: number) =>
      call("POST", "/api/orders", {
        as: customer,
        body: orderFor(product, 1, {
          items: [{ product_id: product.id, variant_id: variant.id, quantity: 1, price }],
        }),
      });
    expectRefusal(await buy(home, product.price), 422, "INSUFFICIENT_INVENTORY");
    const { body: order } = await buy(studio, 99);
    await pay(operator, order);
    expect((await downloadsOf(customer, order)).licence_keys).toMatchObject([
      { variant_id: studio.id },
    ]);
    expect((await keysOf(supplier, product, `?variant_id=${home.id}`)).total).toBe(0);
  });

  it("can be removed while no order has or awaits them", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listLicence(supplier);
    await addKeys(supplier, product, codes(3));
    const order = await place(customer, product);
    await pay(operator, order);
    const waiting = await place(customer, product);
    const { licence_keys } = await keysOf(supplier, product);
    const path = (key: Record_) => `/api/products/${product.id}/licence-keys/${key.id}`;
    const [a, b] = licence_keys.filter((key: Record_) => key.status === "available");
    const handed = licence_keys.find((key: Record_) => key.status === "handed_out");
    expectRefusal(await call("DELETE", path(handed), { as: supplier }), 409, "CONFLICT");
    expectRefusal(await call("DELETE", path(a), { as: customer }), 403, "FORBIDDEN");
    expectRefusal(
      await call("DELETE", path(a), { as: (await openTestTenant()).operator }),
      404,
      "NOT_FOUND",
    );
    expect((await call("DELETE", path(a), { as: supplier })).status).toBe(204);
    expect(await stockOf(product)).toEqual({ product: { quantity: 1, reserved: 1 } });
    expectRefusal(await call("DELETE", path(a), { as: supplier }), 404, "NOT_FOUND");
    expectRefusal(await call("DELETE", path(b), { as: operator }), 422, "INSUFFICIENT_INVENTORY");
    await move(customer, waiting, "cancelled");
    expect((await call("DELETE", path(b), { as: operator })).status).toBe(204);
    expect(await stockOf(product)).toEqual({ product: { quantity: 0, reserved: 0 } });
    // A removed code can be added again.
    expect((await codesOf(customer, order)).length).toBe(1);
  });

  it("determine the count, which cannot be set", async () => {
    const { supplier, operator } = await openTestTenant();
    const product = await listLicence(supplier);
    await addKeys(supplier, product, codes(2));
    for (const body of [
      { quantity: 5, operation: "set" },
      { quantity: 1, operation: "add" },
      { quantity: 1, operation: "subtract" },
    ]) {
      expectRefusal(
        await call("PATCH", `/api/products/${product.id}/inventory`, { as: operator, body }),
        422,
        "VALIDATION_ERROR",
        { field: "quantity" },
      );
    }
    for (const db of [supabaseAs(supplier), supabaseAsService()]) {
      const { error } = await db
        .from("inventory")
        .update({ quantity: 9 })
        .eq("product_id", product.id);
      expect(error?.message).toBe("VALIDATION_ERROR");
    }
    expectRefusal(
      await call("POST", "/api/products", {
        as: supplier,
        body: {
          name: "Sextant",
          price: 1,
          kind: "digital",
          track_inventory: true,
          inventory: { quantity: 5 },
        },
      }),
      422,
      "VALIDATION_ERROR",
    );
    const service = supabaseAsService().from("products");
    for (const change of [{ track_inventory: false }, { kind: "physical" }]) {
      const { error } = await service.update(change).eq("id", product.id);
      expect(error?.message).toBe("VALIDATION_ERROR");
    }
    expect(await stockOf(product)).toEqual({ product: { quantity: 2, reserved: 0 } });
    // They need a digital product with a stock.
    for (const other of [await listEbook(supplier), await listProduct(supplier)]) {
      expectRefusal(await addKeys(supplier, other, codes(1)), 422, "VALIDATION_ERROR", {
        field: "product_id",
      });
    }
    // A threshold can still be set.
    await must("PATCH", `/api/products/${product.id}/inventory`, {
      as: supplier,
      body: { low_stock_threshold: 5 },
    });
  });

  it("are removed with their product or variant, and the stock is never set as a number", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listLicence(supplier, { variants: [{ name: "home" }, { name: "away" }] });
    const [home, away] = product.variants;
    for (const variant of [home, away]) {
      await addKeys(supplier, product, codes(2), { variant_id: variant.id });
    }
    await addFile(supplier, product);
    const put = (id: string, body: object) =>
      call("PUT", `/api/products/${id}`, { as: supplier, body });
    expect((await put(product.id, { variants: [{ id: away.id, name: "away" }] })).status).toBe(200);
    expect((await keysOf(supplier, product)).total).toBe(2);
    expect((await call("DELETE", `/api/products/${product.id}`, { as: supplier })).status).toBe(
      204,
    );
    for (const table of ["licence_keys", "product_files", "inventory"]) {
      const { data } = await supabaseAsService()
        .from(table)
        .select("id")
        .eq("product_id", product.id);
      expect(data).toEqual([]);
    }

    // A product without sales and stock can still switch.
    const ebook = await listEbook(supplier);
    expect((await put(ebook.id, { track_inventory: true })).status).toBe(200);
    await addKeys(supplier, ebook, codes(1));
    expectRefusal(await put(ebook.id, { track_inventory: false }), 422, "VALIDATION_ERROR", {
      field: "track_inventory",
    });
    const sold = await listEbook(supplier);
    await place(customer, sold);
    expectRefusal(await put(sold.id, { track_inventory: true }), 422, "VALIDATION_ERROR", {
      field: "track_inventory",
    });
  });

  it("are in no table, event, ledger or error", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    const product = await listLicence(supplier);
    await addKeys(supplier, product, codes(2));
    const order = await place(customer, product);
    await pay(operator, order);
    const [code] = (await codesOf(customer, order)) as [string];
    const bad = await addKeys(supplier, product, [code, `${MARK}\n${MARK}`, "x"]);
    expectRefusal(bad, 422, "VALIDATION_ERROR", { value: null });
    expect(JSON.stringify(bad.body)).not.toContain(MARK);

    for (const person of [operator, supplier, customer]) {
      const db = supabaseAs(person);
      const tables = ["licence_keys", "events", "inventory_movements", "orders", "order_items"];
      for (const table of [...tables, "order_details", "product_details", "webhook_deliveries"]) {
        const { data } = await db.from(table).select("*");
        expect(JSON.stringify(data)).not.toContain(MARK);
      }
      const hidden = await db.schema("private").from("licence_codes").select("*");
      expect(hidden.error?.code).toBe("PGRST106");
      const { error } = await db.from("licence_keys").select("code");
      expect(error).not.toBeNull();
    }
    expect((await supabaseAs(customer).from("licence_keys").select("*")).data).toEqual([]);
    expect((await supabaseAs(supplier).from("licence_keys").select("*")).data).toHaveLength(2);
    const { error } = await supabaseAs(supplier)
      .from("licence_keys")
      .insert({ product_id: product.id, masked_code: "x" });
    expect(error?.code).toBe("42501");
    // The ledger counts them as pieces.
    const { data: movements } = await supabaseAs(supplier)
      .from("inventory_movements")
      .select("reason, quantity_change, reserved_change")
      .order("id")
      .throwOnError();
    expect(movements).toEqual([
      { reason: "licence_keys", quantity_change: 2, reserved_change: 0 },
      { reason: "reserve", quantity_change: 0, reserved_change: 1 },
      { reason: "ship", quantity_change: -1, reserved_change: -1 },
    ]);
  });
});

describe("under concurrency", () => {
  /** Counts the answers by status and error code. */
  function tally(answers: Answer[]): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { status, body } of answers) {
      const kind = body.error ? `${status} ${body.error.code}` : `${status}`;
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  }

  it("the last licence key is sold to one of forty customers", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    const product = await listLicence(supplier);
    await addKeys(supplier, product, codes(1));
    // Customers without accounts, for whom the operator orders.
    const { data: buyers } = await supabaseAsService()
      .from("customers")
      .insert(Array.from({ length: 40 }, () => ({ tenant_id: tenantId, name: randomUUID() })))
      .select("id")
      .throwOnError();
    const answers = await Promise.all(
      (buyers as Record_[]).map(({ id }) =>
        call("POST", "/api/orders", {
          as: operator,
          body: orderFor(product, 1, { customer_id: id }),
        }),
      ),
    );
    expect(tally(answers)).toEqual({ "201": 1, "422 INSUFFICIENT_INVENTORY": 39 });
    const order = answers.find(({ status }) => status === 201)?.body;
    await Promise.all(
      Array.from({ length: 6 }, () =>
        call("POST", `/api/orders/${order.id}/payments`, {
          as: operator,
          body: { status: "paid", amount: order.total_amount, reference: "one" },
        }),
      ),
    );
    expect(await codesOf(operator, order)).toHaveLength(1);
    expect(await stockOf(product)).toEqual({ product: { quantity: 0, reserved: 0 } });
    const statusNow = async () =>
      (await must("GET", `/products/${product.id}`, { as: operator })).status;
    expect(await statusNow()).toBe("out_of_stock");
    await addKeys(supplier, product, codes(1));
    expect(await statusNow()).toBe("active");
  });

  it("no key is handed out twice while others are added, removed and cancelled", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    await letReserve(testTenant);
    const [product, lamp] = await Promise.all([
      listLicence(supplier),
      listProduct(supplier, { inventory: { quantity: 100 } }),
    ]);
    await addKeys(supplier, product, codes(30));
    const orders = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        place(customer, product, 1, {
          items: [...orderFor(product, 2).items, ...(i % 3 ? [] : orderFor(lamp).items)],
        }),
      ),
    );
    const { licence_keys } = await keysOf(supplier, product);
    const answers = await Promise.all([
      ...orders.map((order, i) =>
        i % 4 === 3
          ? call("PATCH", `/api/orders/${order.id}/status`, {
              as: operator,
              body: { status: "cancelled" },
            })
          : call("POST", `/api/orders/${order.id}/payments`, {
              as: operator,
              body: { status: "paid", amount: order.total_amount, reference: order.id },
            }),
      ),
      addKeys(supplier, product, codes(5)),
      ...licence_keys
        .slice(0, 6)
        .map((key: Record_) =>
          call("DELETE", `/api/products/${product.id}/licence-keys/${key.id}`, { as: supplier }),
        ),
    ]);
    for (const { status } of answers) expect([200, 201, 204, 409]).toContain(status);
    const removed = answers.filter(({ status }) => status === 204).length;
    const handed = (await Promise.all(orders.map((order) => codesOf(customer, order)))).flat();
    expect(handed).toHaveLength(18);
    expect(new Set(handed).size).toBe(18);
    const { counts } = await keysOf(supplier, product);
    expect(counts).toEqual({ available: 35 - removed - 18, handed_out: 18, revoked: 0 });
    const { product: stock } = (await stockOf(product)) as Record<string, Record_>;
    expect(stock.quantity - stock.reserved).toBe(counts.available);
  });
});

describe("after any sequence of actions", () => {
  /** A deterministic generator of pseudo-random numbers. */
  function dice(seed: number) {
    let state = seed;
    return (sides: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % sides;
    };
  }

  /** Checks the invariants. */
  async function expectStockToBeKeys(testTenant: TestTenant, product: Record_) {
    const service = supabaseAsService();
    const [{ product: stock }, { data: keys }, { data: orders }, { data: movements }] =
      (await Promise.all([
        stockOf(product),
        service.from("licence_keys").select("*").eq("product_id", product.id).throwOnError(),
        service
          .from("orders")
          .select("id, status, payment_status, order_items(product_id, quantity)")
          .eq("tenant_id", testTenant.tenantId)
          .throwOnError(),
        service
          .from("inventory_movements")
          .select("quantity_change, reserved_change")
          .eq("product_id", product.id)
          .throwOnError(),
      ])) as [Record<string, Record_>, ...{ data: Record_[] }[]] as Record_;
    // Paid orders already have their keys.
    const open = orders.filter(
      ({ status, payment_status }: Record_) =>
        HOLDING_STOCK.includes(status) && ["pending", "failed"].includes(payment_status),
    );
    const pieces = (order: Record_) =>
      order.order_items
        .filter((item: Record_) => item.product_id === product.id)
        .reduce((sum: number, item: Record_) => sum + item.quantity, 0);
    const free = keys.filter((key: Record_) => key.order_id === null).length;
    expect(stock.quantity).toBe(free);
    expect(stock.reserved).toBe(
      open.reduce((sum: number, order: Record_) => sum + pieces(order), 0),
    );
    const sum = (field: string) =>
      movements.reduce((total: number, row: Record_) => total + row[field], 0);
    expect(stock).toEqual({ quantity: sum("quantity_change"), reserved: sum("reserved_change") });
    for (const order of orders) {
      const handed = keys.filter((key: Record_) => key.order_id === order.id).length;
      const due = [...SENT, "returned"].includes(order.status);
      if (due || (order.payment_status === "paid" && order.status !== "cancelled")) {
        expect([order.id, handed]).toEqual([order.id, pieces(order)]);
      }
    }
  }

  it("the stock equals the keys, and every paid order has its own", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    await letReserve(testTenant);
    const [product, lamp] = await Promise.all([
      listLicence(supplier),
      listProduct(supplier, { inventory: { quantity: 1000 } }),
    ]);
    const roll = dice(20_261_121);
    const orders: Record_[] = [];
    const anyOrder = () => orders[roll(orders.length)];
    const done: Record<string, number> = {};
    for (let step = 0; step < 90; step += 1) {
      const action = roll(orders.length > 0 ? 8 : 2);
      let answer: Answer;
      if (action === 0) {
        answer = await addKeys(supplier, product, codes(1 + roll(4)));
      } else if (action <= 2) {
        answer = await call("POST", "/api/orders", {
          as: customer,
          body: orderFor(product, 1, {
            items: [
              ...orderFor(product, 1 + roll(3)).items,
              ...(roll(2) ? orderFor(lamp).items : []),
            ],
          }),
        });
        if (answer.status === 201) orders.push(answer.body);
      } else if (action === 3) {
        const { licence_keys } = await keysOf(supplier, product);
        const key = licence_keys[roll(Math.max(licence_keys.length, 1))] ?? { id: randomUUID() };
        answer = await call("DELETE", `/api/products/${product.id}/licence-keys/${key.id}`, {
          as: supplier,
        });
      } else if (action <= 5) {
        const order = anyOrder();
        answer = await call("POST", `/api/orders/${order.id}/payments`, {
          as: operator,
          body: {
            status: ["paid", "paid", "failed", "refunded"][roll(4)],
            amount: order.total_amount,
            reference: randomUUID(),
          },
        });
      } else {
        const statuses = ["confirmed", "shipped", "delivered", "cancelled", "returned"];
        answer = await call("PATCH", `/api/orders/${anyOrder().id}/status`, {
          as: operator,
          body: { status: statuses[roll(5)] },
        });
      }
      expect([200, 201, 204, 404, 409, 422]).toContain(answer.status);
      const kind = `${action} ${answer.status < 300 ? "done" : "refused"}`;
      done[kind] = (done[kind] ?? 0) + 1;
      await expectStockToBeKeys(testTenant, product);
    }
    // Each kind of action has succeeded at least once.
    for (const action of [0, 1, 3, 4, 6]) expect(done[`${action} done`]).toBeGreaterThan(0);
  });
});
