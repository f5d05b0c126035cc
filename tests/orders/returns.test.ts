import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
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
} from "../souk.js";
import { doBusiness, getOrder, item, moved, pay, placed, takeBack } from "./ordering.js";
import { HOLDING_STOCK } from "./statuses.js";

/** A shipped order with five pieces of one supplier's product and two of another's. */
async function shipTwo() {
  const testTenant = await openTestTenant();
  const { operator, supplier, customer, tenantId } = testTenant;
  const rival = await register({ tenant_id: tenantId, role: "supplier" });
  const [saffron, mint] = await Promise.all([
    listProduct(supplier, { price: 10.1 }),
    listProduct(rival, { name: "Mint", price: 3 }),
  ]);
  const order = await must("POST", "/api/orders", {
    as: customer,
    body: { ...orderFor(saffron), items: [item(saffron, 5), item(mint, 2)] },
  });
  await moved(operator, order, "shipped");
  const [first, second] = order.items;
  return { ...testTenant, rival, saffron, mint, order, first, second };
}

describe("a return", () => {
  it("of some pieces restocks only those and is recorded", async () => {
    const { operator, customer, supplier, rival, saffron, mint, order, first, second, tenantId } =
      await shipTwo();
    const answer = await takeBack(operator, order, [{ item_id: first.id, quantity: 2 }], "Dented.");
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/functions/v1/orders/${order.id}`);
    expect(answer.body).toEqual({
      id: expect.any(String),
      tenant_id: tenantId,
      order_id: order.id,
      items: [{ item_id: first.id, quantity: 2, amount: 20.2, restocked: true }],
      amount: 20.2,
      note: "Dented.",
      actor_id: operator.id,
      created_at: expect.any(String),
      order_status: "shipped",
    });
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 7, reserved: 0 } });
    expect(await stockOf(mint)).toEqual({ product: { quantity: 8, reserved: 0 } });
    const { order_id: _, order_status, tenant_id, ...kept } = answer.body;
    const seen = await getOrder(customer, order);
    expect(seen).toMatchObject({
      status: "shipped",
      total_amount: 56.5,
      items: [{ returned_quantity: 2 }, { returned_quantity: 0 }],
      returns: [kept],
    });
    expect(Date.parse(seen.updated_at)).toBeGreaterThan(Date.parse(order.updated_at));

    // Suppliers see their own items and amounts.
    await takeBack(operator, order, [
      { item_id: first.id, quantity: 1 },
      { item_id: second.id, quantity: 1 },
    ]);
    expect((await getOrder(rival, order)).returns).toMatchObject([
      { items: [{ item_id: second.id, quantity: 1, amount: 3, restocked: true }], amount: 3 },
    ]);
    expect((await getOrder(supplier, order)).returns).toMatchObject([
      { amount: 20.2 },
      { amount: 10.1 },
    ]);
    const { data } = await supabaseAs(rival).from("order_return_items").select("item_id");
    expect(data).toEqual([{ item_id: second.id }]);
  });

  it("of the last piece moves the order to returned", async () => {
    const { operator, saffron, mint, order, first, second } = await shipTwo();
    await moved(operator, order, "delivered");
    await takeBack(operator, order, [{ item_id: first.id, quantity: 5 }]);
    const last = await takeBack(operator, order, [{ item_id: second.id, quantity: 2 }], "All.");
    expect(last.body).toMatchObject({ order_status: "returned", amount: 6 });
    const seen = await getOrder(operator, order);
    expect(seen.status).toBe("returned");
    expect(seen.returns).toHaveLength(2);
    expect(seen.history.at(-1)).toMatchObject({
      old_status: "delivered",
      new_status: "returned",
      note: "All.",
      actor_id: operator.id,
    });
    for (const product of [saffron, mint]) {
      expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 0 } });
    }
    expectRefusal(
      await takeBack(operator, order, [{ item_id: first.id, quantity: 1 }]),
      422,
      "INVALID_TRANSITION",
    );
  });

  it("of the whole order by its status restocks the remaining pieces", async () => {
    const { operator, saffron, mint, order, first, second } = await shipTwo();
    await takeBack(operator, order, [{ item_id: first.id, quantity: 4 }]);
    const seen = await moved(operator, order, "returned", "The rest.");
    expect(seen.returns).toMatchObject([
      { amount: 40.4 },
      {
        amount: 16.1,
        note: "The rest.",
        items: expect.arrayContaining([
          { item_id: first.id, quantity: 1, amount: 10.1, restocked: true },
          { item_id: second.id, quantity: 2, amount: 6, restocked: true },
        ]),
      },
    ]);
    expect(seen.items).toMatchObject([{ returned_quantity: 5 }, { returned_quantity: 2 }]);
    for (const product of [saffron, mint]) {
      expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 0 } });
    }
  });

  it("is never more than was sold, and is refused completely", async () => {
    const { operator, saffron, order, first, second } = await shipTwo();
    await takeBack(operator, order, [{ item_id: first.id, quantity: 3 }]);
    const before = await getOrder(operator, order);
    const refusals: [object[], number, string, object][] = [
      [
        [{ item_id: first.id, quantity: 3 }],
        422,
        "VALIDATION_ERROR",
        { field: "items[0].quantity", value: 3 },
      ],
      [
        [
          { item_id: second.id, quantity: 1 },
          { item_id: first.id, quantity: 1 },
          { item_id: first.id, quantity: 2 },
        ],
        422,
        "VALIDATION_ERROR",
        { field: "items[2].quantity", value: 2 },
      ],
      [
        [
          { item_id: second.id, quantity: 1 },
          { item_id: saffron.id, quantity: 1 },
        ],
        404,
        "NOT_FOUND",
        { field: "items[1].item_id", value: saffron.id },
      ],
      [
        [{ item_id: first.id, quantity: 0 }],
        422,
        "VALIDATION_ERROR",
        { field: "items[0].quantity" },
      ],
      [[{ quantity: 1 }], 422, "VALIDATION_ERROR", { field: "items[0].item_id" }],
      [[], 422, "VALIDATION_ERROR", { field: "items" }],
      [
        [{ item_id: first.id, quantity: 1, reason: "Dented." }],
        422,
        "VALIDATION_ERROR",
        { field: "items[0].reason" },
      ],
    ];
    for (const [items, status, code, details] of refusals) {
      expectRefusal(await takeBack(operator, order, items), status, code, details);
    }
    // The same rules without the schema.
    for (const [items, code] of [
      [[{ item_id: first.id, quantity: -1 }], "VALIDATION_ERROR"],
      [[{ item_id: first.id }], "VALIDATION_ERROR"],
      [[{ item_id: first.id, quantity: 1, reason: "Dented." }], "VALIDATION_ERROR"],
      [[{}], "NOT_FOUND"],
      [{}, "VALIDATION_ERROR"],
      [[], "VALIDATION_ERROR"],
    ] as const) {
      const { error } = await supabaseAs(operator).rpc("return_order_items", {
        order_id: order.id,
        items,
      });
      expect(error?.message).toBe(code);
    }
    expect(await getOrder(operator, order)).toEqual(before);
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 8, reserved: 0 } });
  });

  it("is possible for shipped and delivered orders, by admins only", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const product = await listProduct(supplier);
    const [client, foreign] = await Promise.all([registerClient(tenantId), openTestTenant()]);
    const order = await placed(customer, product);
    const items = [{ item_id: order.items[0].id, quantity: 1 }];
    for (const status of HOLDING_STOCK) {
      if (status !== "pending") await moved(operator, order, status);
      expectRefusal(await takeBack(operator, order, items), 422, "INVALID_TRANSITION");
    }
    await moved(operator, order, "shipped");
    for (const person of [customer, supplier, client]) {
      expectRefusal(await takeBack(person, order, items), 403, "FORBIDDEN");
    }
    expectRefusal(await takeBack(foreign.operator, order, items), 404, "NOT_FOUND");
    for (const table of ["order_returns", "order_return_items"]) {
      const { status } = await supabaseAs(operator).from(table).insert({ order_id: order.id });
      expect(status).toBe(403);
    }
    expect(await stockOf(product)).toEqual({ product: { quantity: 9, reserved: 0 } });
    const cancelled = await placed(customer, product);
    await moved(customer, cancelled, "cancelled");
    expectRefusal(
      await takeBack(operator, cancelled, [{ item_id: cancelled.items[0].id, quantity: 1 }]),
      422,
      "INVALID_TRANSITION",
    );
  });
});

function write(as: Person, order: { id: string }, body: object) {
  return call("POST", `/api/orders/${order.id}/notes`, { as, body });
}

describe("a note", () => {
  it("is readable by its audience", async () => {
    const { operator, supplier, rival, customer, order, tenantId } = await shipTwo();
    const client = await registerClient(tenantId);
    const made = await write(operator, order, { text: "Fragile." });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      tenant_id: tenantId,
      order_id: order.id,
      text: "Fragile.",
      visibility: "internal",
      supplier_id: null,
      author_id: operator.id,
      created_at: expect.any(String),
    });
    const notes: [Person, object][] = [
      [operator, { text: "On its way.", visibility: "customer" }],
      [supplier, { text: "Last of the harvest." }],
      [supplier, { text: "Keep it dry.", visibility: "customer" }],
      [customer, { text: "Ring twice." }],
    ];
    for (const [person, body] of notes) {
      expect((await write(person, order, body)).status).toBe(201);
    }
    const texts = async (as: Person) =>
      (await getOrder(as, order)).notes.map(({ text }: { text: string }) => text);
    const forAll = ["On its way.", "Keep it dry.", "Ring twice."];
    const everything = [
      "Fragile.",
      "On its way.",
      "Last of the harvest.",
      "Keep it dry.",
      "Ring twice.",
    ];
    expect(await texts(operator)).toEqual(everything);
    expect(await texts(client)).toEqual(everything);
    expect(await texts(customer)).toEqual(forAll);
    // A supplier does not see what another one writes to the customer.
    expect(await texts(rival)).toEqual(["On its way.", "Ring twice."]);
    expect(await texts(supplier)).toEqual(everything.slice(1));
    const { data } = await supabaseAs(customer).from("order_notes").select("text");
    expect(data).toHaveLength(3);
  });

  it("can be written by everybody who sees the order, by customers for all readers", async () => {
    const { customer, operator, supplier, order, tenantId } = await shipTwo();
    const [stranger, foreign] = await Promise.all([
      register({ tenant_id: tenantId }),
      openTestTenant(),
    ]);
    for (const person of [stranger, foreign.operator, foreign.customer]) {
      expectRefusal(await write(person, order, { text: "Hello" }), 404, "NOT_FOUND");
    }
    expectRefusal(
      await write(customer, order, { text: "Psst", visibility: "internal" }),
      403,
      "FORBIDDEN",
      { field: "visibility", value: "internal" },
    );
    for (const [field, body] of [
      ["text", {}],
      ["text", { text: "" }],
      ["text", { text: "x".repeat(5001) }],
      ["text", { text: " \n " }],
      ["visible", { text: "Hello", visible: "customer" }],
      ["visibility", { text: "Hello", visibility: "all" }],
    ] as const) {
      expectRefusal(await write(operator, order, body), 422, "VALIDATION_ERROR", { field });
    }
    expectRefusal(await write(operator, { id: randomUUID() }, { text: "x" }), 404, "NOT_FOUND");
    for (const person of [customer, supplier, operator]) {
      const db = supabaseAs(person).from("order_notes");
      expect((await db.insert({ order_id: order.id, text: "x" })).status).toBe(403);
    }
    const direct = { order_id: order.id, text: " \n " };
    const { error: blank } = await supabaseAs(operator).rpc("add_order_note", direct);
    expect(blank?.code).toBe("23514");
    expect((await getOrder(operator, order)).notes).toEqual([]);
  });
});

describe("an order", () => {
  it("has at most 200 notes", async () => {
    const { operator, customer, order, tenantId } = await shipTwo();
    const notes = Array.from({ length: 198 }, (_, i) => ({
      tenant_id: tenantId,
      order_id: order.id,
      text: `${i}`,
      visibility: "customer",
    }));
    await supabaseAsService().from("order_notes").insert(notes).throwOnError();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => write(customer, order, { text: "Where is it?" })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expectRefusal(await write(operator, order, { text: "Here." }), 422, "VALIDATION_ERROR");
    expect((await getOrder(operator, order)).notes).toHaveLength(200);
  });

  it("has at most 200 returns; the rest can be returned as a whole", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, tenantId } = testTenant;
    await letReserve(testTenant);
    const product = await listProduct(supplier, { inventory: { quantity: 300 } });
    const order = await placed(customer, product, 300);
    await moved(operator, order, "shipped");
    const returns = Array.from({ length: 199 }, () => ({
      tenant_id: tenantId,
      order_id: order.id,
    }));
    await supabaseAsService().from("order_returns").insert(returns).throwOnError();
    const items = [{ item_id: order.items[0].id, quantity: 1 }];
    expect((await takeBack(operator, order, items)).status).toBe(201);
    expectRefusal(await takeBack(operator, order, items), 422, "VALIDATION_ERROR");
    expect((await moved(operator, order, "returned")).returns).toHaveLength(201);
    expect(await stockOf(product)).toEqual({ product: { quantity: 300, reserved: 0 } });
  });
});

describe("commission", () => {
  const sums = (line: {
    sales_amount: number;
    commission_amount: number;
    payout_amount: number;
  }) => [line.sales_amount, line.commission_amount, line.payout_amount];

  it("has a line per supplier, at the rate of the order's time, rounded to the currency", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, tenantId } = testTenant;
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    await doBusiness(testTenant, { commission_percent: 12.5 });
    const [saffron, mint, own] = await Promise.all([
      listProduct(supplier, { price: 0.33 }),
      listProduct(rival, { name: "Mint", price: 3 }),
      listProduct(operator, { name: "Bag", price: 1 }),
    ]);
    const order = await must("POST", "/api/orders", {
      as: customer,
      body: { ...orderFor(saffron), items: [item(saffron), item(mint, 2), item(own)] },
    });
    await doBusiness(testTenant, { commission_percent: 50 });
    const line = (supplier_id: string, sales: number, kept: number, payout: number) => ({
      supplier_id,
      commission_percent: 12.5,
      sales_amount: sales,
      ...{ delivery_amount: 0, delivery_percent: 0 },
      commission_amount: kept,
      refunded_amount: 0,
      ...{ tax_amount: 0, tax_collected_by: "supplier" },
      payout_amount: payout,
    });
    const first = line(saffron.supplier_id, 0.33, 0.04, 0.29);
    const second = line(mint.supplier_id, 6, 0.75, 5.25);
    const seen = await getOrder(operator, order);
    expect(seen.commissions).toHaveLength(2);
    expect(seen.commissions).toEqual(expect.arrayContaining([first, second]));
    expect((await getOrder(supplier, order)).commissions).toEqual([first]);
    expect((await getOrder(rival, order)).commissions).toEqual([second]);
    expect(order.commissions).toEqual([]);
    expect((await getOrder(customer, order)).commissions).toEqual([]);

    // Returned pieces are subtracted, at the original rate.
    await moved(operator, order, "delivered");
    await takeBack(operator, order, [{ item_id: order.items[1].id, quantity: 1 }]);
    const [now] = (await getOrder(rival, order)).commissions;
    expect(now).toEqual(line(mint.supplier_id, 3, 0.38, 2.62));
    await moved(operator, order, "returned");
    for (const { commissions } of [await getOrder(operator, order)]) {
      expect(commissions.map(sums)).toEqual([
        [0, 0, 0],
        [0, 0, 0],
      ]);
    }
    const cancelled = await placed(customer, saffron, 2);
    await moved(customer, cancelled, "cancelled");
    expect((await getOrder(operator, cancelled)).commissions.map(sums)).toEqual([[0, 0, 0]]);
  });

  it("is listed for payouts, with sums over the whole result", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, tenantId, marketplace } = testTenant;
    const [client, rival] = await Promise.all([
      registerClient(tenantId),
      register({ tenant_id: tenantId, role: "supplier" }),
    ]);
    await doBusiness(testTenant, { commission_percent: 10 });
    const [saffron, mint] = await Promise.all([
      listProduct(supplier, { price: 5 }),
      listProduct(rival, { name: "Mint", price: 3 }),
    ]);
    const orders = [];
    for (const items of [[item(saffron, 2)], [item(saffron), item(mint)], [item(mint, 4)]]) {
      const body = { ...orderFor(saffron), items };
      orders.push(await must("POST", "/api/orders", { as: customer, body }));
    }
    const [first, second, third] = orders;
    await pay(operator, second);
    await moved(operator, second, "delivered");

    const list = (as: Person, query: Record<string, string | number> = {}) =>
      must("GET", `/api/commissions?${new URLSearchParams(query as Record<string, string>)}`, {
        as,
      });
    const all = await list(operator);
    expect(all).toMatchObject({ total: 4, page: 1, limit: 100 });
    expect(all.totals).toEqual([
      {
        ...{ currency: "EUR", sales_amount: 30, delivery_amount: 0 },
        ...{ commission_amount: 3, refunded_amount: 0, tax_amount: 0, payout_amount: 27 },
      },
    ]);
    expect(all.commissions[0]).toEqual({
      order_id: third.id,
      tenant_id: tenantId,
      marketplace_id: marketplace.id,
      supplier_id: mint.supplier_id,
      number: 3,
      ...{ status: "pending", order_status: "pending" },
      payment_status: "pending",
      currency: "EUR",
      sales_amount: 12,
      ...{ delivery_amount: 0, delivery_percent: 0 },
      commission_percent: 10,
      commission_amount: 1.2,
      refunded_amount: 0,
      ...{ tax_amount: 0, tax_collected_by: "supplier" },
      payout_amount: 10.8,
      ...{ completed_at: null, due_at: null },
      created_at: third.created_at,
      updated_at: expect.any(String),
    });
    expect(await list(client)).toEqual(all);
    expect(await list(customer)).toMatchObject({ commissions: [], total: 0, totals: [] });
    const own = await list(supplier);
    expect(own.total).toBe(2);
    expect(own.totals.map(sums)).toEqual([[15, 1.5, 13.5]]);

    const found = async (query: Record<string, string | number>, as = operator) => {
      const { commissions, totals } = await list(as, query);
      return [
        commissions.map(({ number }: { number: number }) => number),
        totals.map(({ payout_amount }: { payout_amount: number }) => payout_amount),
      ];
    };
    expect(await found({ supplier_id: mint.supplier_id })).toEqual([[3, 2], [13.5]]);
    expect(await found({ supplier_id: mint.supplier_id }, supplier)).toEqual([[], []]);
    expect(await found({ payment_status: "paid", status: "delivered" })).toEqual([[2, 2], [7.2]]);
    expect(await found({ from: second.created_at, to: third.created_at })).toEqual([[2, 2], [7.2]]);
    expect(await found({ to: second.created_at })).toEqual([[1], [9]]);
    expect(await found({ marketplace_id: randomUUID() })).toEqual([[], []]);
    expect(await found({ order: "asc", limit: 1 })).toEqual([[1], [27]]);
    expect(await found({ order: "asc", limit: 3, page: 2 })).toEqual([[3], [27]]);
    expect(first.number).toBe(1);
    for (const [field, value] of Object.entries({ supplier_id: "me", from: "then", page: "0" })) {
      const refused = await call("GET", `/api/commissions?${field}=${value}`, { as: operator });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
    expect((await call("GET", "/api/commissions")).status).toBe(401);
  });
});
