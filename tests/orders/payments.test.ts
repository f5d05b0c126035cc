import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { restJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  registerClient,
  stockOf,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { violationsOf } from "./invariants.js";
import { doBusiness, getOrder, item, moved, pay, placed, takeBack } from "./ordering.js";
import { cancelItems, cancelUnpaid, makeOverdue, passDeadline, placeMixed } from "./shipping.js";

async function paid(...payment: Parameters<typeof pay>) {
  const answer = await pay(...payment);
  expect(answer.body).toMatchObject({ id: expect.any(String) });
  expect(answer.status).toBe(201);
  return answer.body;
}

/** The events of a tenant with this prefix in their names, oldest first. */
async function eventsOf(operator: Person, prefix: string) {
  const { data } = await supabaseAs(operator)
    .from("events")
    .select("name, payload")
    .like("name", `${prefix}%`)
    .order("created_at")
    .throwOnError();
  // biome-ignore lint/suspicious/noExplicitAny: what an event carries differs.
  return data as { name: string; payload: any }[];
}

const STATES = ["pending", "paid", "failed", "refunded"];
const MOVES = ["pending→paid", "pending→failed", "failed→paid", "paid→refunded"];
/** Reports that undo another one. */
const WAYS_BACK = ["paid→failed", "refunded→paid"];

describe("a payment", () => {
  it("is a record that moves the order, is shown in it, and causes an event", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const order = await placed(customer, await listProduct(supplier), 2);
    const failed = await paid(client, order, "failed", { reference: "try 1" });
    expect(failed).toEqual({
      id: expect.any(String),
      tenant_id: tenantId,
      order_id: order.id,
      status: "failed",
      amount: 25,
      currency: "EUR",
      reference: "try 1",
      ...{ items: null, delivery_amount: null, borne_by: null },
      actor_id: client.id,
      created_at: expect.any(String),
      payment_status: "failed",
    });
    const answer = await pay(client, order, "paid", { reference: "try 2" });
    expect(answer.headers.get("location")).toBe(`/functions/v1/orders/${order.id}`);
    expect(answer.body).toMatchObject({ status: "paid", payment_status: "paid" });
    await paid(operator, order, "refunded", { reference: "back" });

    const seen = await getOrder(customer, order);
    expect(seen).toMatchObject({
      status: "pending",
      payment_status: "refunded",
      payments: [
        { id: failed.id, status: "failed", amount: 25, reference: "try 1" },
        { status: "paid", amount: 25, reference: "try 2", actor_id: client.id },
        { status: "refunded", amount: 25, reference: "back", actor_id: operator.id },
      ],
    });
    const events = await eventsOf(operator, "payment.");
    expect(events.map(({ name }) => name)).toEqual([
      "payment.failed",
      "payment.succeeded",
      "payment.refunded",
    ]);
    for (const [index, { name, payload }] of events.entries()) {
      expect(payload).toMatchObject({
        event: name,
        data: {
          payment: { order_id: order.id, reference: seen.payments[index].reference },
          order: { id: order.id, status: "pending", total: 25 },
        },
      });
      expect(payload.data.order.payments).toHaveLength(index + 1);
    }
  });

  it.each(
    STATES,
  )("of an order that is %s is possible only to the specified statuses", async (from) => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const orderThere = async () => {
      const order = await placed(customer, product);
      if (from === "refunded") await paid(operator, order);
      if (from !== "pending") await paid(operator, order, from);
      return order;
    };
    for (const to of STATES.slice(1)) {
      const order = await orderThere();
      const answer = await pay(operator, order, to, { reference: "next" });
      const exists = MOVES.includes(`${from}→${to}`);
      if (exists) expect(answer.body).toMatchObject({ payment_status: to });
      else expectRefusal(answer, 422, "INVALID_TRANSITION", { field: "status", value: to });
      expect((await getOrder(operator, order)).payment_status).toBe(exists ? to : from);
    }
    // The service role cannot set another status either.
    const order = await orderThere();
    for (const to of STATES.filter(
      (to) => to !== from && ![...MOVES, ...WAYS_BACK].includes(`${from}→${to}`),
    )) {
      const { error } = await supabaseAsService()
        .from("orders")
        .update({ payment_status: to })
        .eq("id", order.id);
      expect(error?.message).toBe("INVALID_TRANSITION");
    }
  });

  it("is recorded once when it is reported twice", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    const first = await paid(operator, order, "paid", { reference: "pi_1" });
    expect(await paid(operator, order, "paid", { reference: "pi_1" })).toEqual(first);
    await paid(operator, order, "refunded", { reference: "re_1" });
    // Late, and again: the existing record, and the order's current status.
    expect(await paid(operator, order, "paid", { reference: "pi_1" })).toEqual({
      ...first,
      payment_status: "refunded",
    });
    expectRefusal(
      await pay(operator, order, "paid", { reference: "pi_1", amount: 1 }),
      409,
      "CONFLICT",
      { field: "reference", value: "pi_1" },
    );
    expectRefusal(
      await pay(operator, order, "paid", { reference: "pi_2" }),
      422,
      "INVALID_TRANSITION",
    );
    expect((await getOrder(operator, order)).payments).toHaveLength(2);
    expect(await eventsOf(operator, "payment.")).toHaveLength(2);
  });

  it("must be the whole amount; after partial refunds the order remains paid until the last", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier, { price: 10 }), 3);
    for (const amount of [29.99, 30.01, 300]) {
      expectRefusal(await pay(operator, order, "paid", { amount }), 422, "VALIDATION_ERROR", {
        field: "amount",
        value: amount,
      });
    }
    await paid(operator, order);
    const back = (amount: number) =>
      pay(operator, order, "refunded", { amount, reference: randomUUID() });
    expectRefusal(await back(30.01), 422, "VALIDATION_ERROR", { field: "amount", value: 30.01 });
    expect((await back(10)).body).toMatchObject({ amount: 10, payment_status: "paid" });
    expectRefusal(await back(20.01), 422, "VALIDATION_ERROR", { field: "amount", value: 20.01 });
    expect((await back(19.99)).body).toMatchObject({ payment_status: "paid" });
    expect((await back(0.01)).body).toMatchObject({ payment_status: "refunded" });
    expectRefusal(await back(0.01), 422, "INVALID_TRANSITION");
    expect((await getOrder(operator, order)).payments).toHaveLength(4);
  });

  it("is lower after a return", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier, { price: 10 }), 3);
    await moved(operator, order, "shipped");
    await takeBack(operator, order, [{ item_id: order.items[0].id, quantity: 1 }]);
    expectRefusal(await pay(operator, order), 422, "VALIDATION_ERROR", { field: "amount" });
    expect(await paid(operator, order, "paid", { amount: 20 })).toMatchObject({
      payment_status: "paid",
    });
  });

  it("is refused for a cancelled order, and a paid order remains paid when it is cancelled", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const [unpaid, settled] = [await placed(customer, product), await placed(customer, product)];
    await moved(customer, unpaid, "cancelled");
    expectRefusal(await pay(operator, unpaid), 422, "INVALID_TRANSITION", {
      field: "status",
      value: "paid",
    });
    await paid(operator, settled);
    expect(await moved(customer, settled, "cancelled")).toMatchObject({ payment_status: "paid" });
    expect(await paid(operator, settled, "refunded")).toMatchObject({ payment_status: "refunded" });
  });

  it("can be reported by clients and admins only, for orders of their tenant", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const foreign = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    for (const person of [customer, supplier, foreign.customer]) {
      expectRefusal(await pay(person, order), 403, "FORBIDDEN");
    }
    const foreignClient = await registerClient(foreign.tenantId);
    for (const person of [foreign.operator, foreignClient]) {
      expectRefusal(await pay(person, order), 404, "NOT_FOUND");
    }
    const path = `/api/orders/${order.id}/payments`;
    expect((await call("POST", path, { body: { status: "paid" } })).status).toBe(401);
    for (const id of [randomUUID(), "none"]) {
      expectRefusal(await pay(operator, { ...order, id }), 404, "NOT_FOUND");
    }
    for (const person of [operator, customer, supplier]) {
      const { status } = await supabaseAs(person)
        .from("payments")
        .insert({ order_id: order.id, status: "paid", amount: 12.5, reference: "mine" });
      expect(status).toBe(403);
    }
    const { error } = await supabaseAs(customer).rpc("report_payment", {
      order_id: order.id,
      status: "paid",
      amount: 12.5,
      reference: "mine",
    });
    expect(error).toMatchObject({ code: "PT403", message: "FORBIDDEN" });
    expect(await getOrder(operator, order)).toMatchObject({
      payment_status: "pending",
      payments: [],
    });
  });

  it("names the invalid field", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    for (const [field, input] of [
      ["status", { status: "pending" }],
      ["status", { status: undefined }],
      ["amount", { amount: undefined }],
      ["amount", { amount: 0 }],
      ["amount", { amount: -12.5 }],
      ["amount", { amount: "12.5" }],
      ["reference", { reference: undefined }],
      ["reference", { reference: "" }],
      ["reference", { reference: "x".repeat(201) }],
      ["amount", { amount: 1_000_000_000_000_000 }],
      ["currency", { currency: "USD" }],
    ] as const) {
      expectRefusal(await pay(operator, order, "paid", input), 422, "VALIDATION_ERROR", { field });
    }
    // A failed payment may have any amount that JSON can represent.
    const report = (amount: string) =>
      supabaseAs(operator).rpc("report_payment", {
        order_id: order.id,
        status: "failed",
        amount,
        reference: "direct",
      });
    for (const amount of ["1e400", "1000000000000000", "NaN", "Infinity"]) {
      expect((await report(amount)).error?.code, amount).toBe("23514");
    }
    await report("999999999999999").throwOnError();
    expect((await getOrder(operator, order)).payments).toMatchObject([{ amount: 999999999999999 }]);
  });

  it("can be refunded in at most 200 parts", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier, { price: 10 }));
    await paid(operator, order);
    const parts = Array.from({ length: 199 }, (_, i) => ({
      tenant_id: tenantId,
      order_id: order.id,
      status: "refunded",
      amount: 0.01,
      currency: "EUR",
      reference: `part-${i}`,
    }));
    await supabaseAsService().from("payments").insert(parts).throwOnError();
    const back = (amount: number) =>
      pay(operator, order, "refunded", { amount, reference: randomUUID() });
    expectRefusal(await back(8), 422, "VALIDATION_ERROR", { field: "amount", value: 8 });
    expect((await back(8.01)).body).toMatchObject({ payment_status: "refunded" });
  });

  it("cannot be changed, and reports by the service role follow the same rules", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    const payments = () => supabaseAsService().from("payments");
    const report = (overrides: object) =>
      payments().insert({
        tenant_id: order.tenant_id,
        order_id: order.id,
        status: "paid",
        amount: 12.5,
        currency: "EUR",
        reference: "direct",
        ...overrides,
      });
    expect((await report({ status: "refunded" })).error?.message).toBe("INVALID_TRANSITION");
    expect((await report({ amount: 12 })).error?.message).toBe("VALIDATION_ERROR");
    await report({}).throwOnError();
    expect((await report({ reference: "again" })).error?.message).toBe("INVALID_TRANSITION");
    expect((await payments().update({ amount: 1 }).eq("order_id", order.id)).status).toBe(403);
    expect((await payments().delete().eq("order_id", order.id)).status).toBe(403);
    expect(await getOrder(operator, order)).toMatchObject({
      payment_status: "paid",
      payments: [{ amount: 12.5, reference: "direct" }],
    });
  });
});

describe("a refund", () => {
  type Paid = Parameters<typeof pay>[1];
  const refund = (as: Person, order: Paid, amount: number, more: object = {}) =>
    pay(as, order, "refunded", { amount, reference: randomUUID(), ...more });

  it("lowers refund_due by the items and the delivery that it names, and by nothing else", async () => {
    const mixed = await placeMixed();
    const { operator, customer, saffron, mint } = mixed;
    const mule = { key: "mule", name: "By mule", price: 5, per_supplier: true };
    await doBusiness(mixed, { delivery: { methods: [mule] } });
    const order = await placed(customer, saffron, 1, {
      items: [item(saffron, 3), item(mint, 2)],
      delivery_method: "mule",
    });
    const [first, second] = order.items.map(({ id }: { id: string }) => id);
    const due = async () => (await getOrder(operator, order)).refund_due;
    const dueFor = async (as = operator) => (await getOrder(as, order)).refund_due_for;
    const nothing = { items: [], deliveries: [] };
    const { supplier_id } = order.items[1];
    expect(await due()).toBe(0);
    await pay(operator, order);
    expect(await due()).toBe(0);
    expect(await dueFor()).toEqual(nothing);
    // 2 of 3 pieces of the first item, and the whole part of the second with its delivery.
    await cancelItems(operator, order, [{ item_id: first, quantity: 2 }]);
    await cancelItems(operator, order, [{ item_id: second, quantity: 2 }]);
    expect(await due()).toBe(20 + 6 + 5);
    const all = [
      { item_id: first, amount: 20 },
      { item_id: second, amount: 6 },
    ];
    expect(await dueFor()).toEqual({ items: all, deliveries: [{ supplier_id, amount: 5 }] });
    await refund(operator, order, 3);
    expect(await due()).toBe(31);
    const named = await refund(operator, order, 12, { items: [{ item_id: first, amount: 10 }] });
    expect(named.body).toMatchObject({
      items: [{ item_id: first, amount: 10 }],
      delivery_amount: null,
      borne_by: "operator",
    });
    expect(await due()).toBe(21);
    await refund(operator, order, 5, { delivery_amount: 5 });
    expect(await due()).toBe(16);
    const rest = [{ item_id: first, amount: 10 }, all[1]];
    expect(await dueFor(customer)).toEqual({ items: rest, deliveries: [] });
    expect(await dueFor(mixed.supplier)).toEqual(nothing);
    expect((await getOrder(customer, order)).refund_due).toBe(16);
    expect((await getOrder(mixed.supplier, order)).refund_due).toBe(0);
    await refund(operator, order, 20);
    // Only 6 are left of the payment.
    expect(await due()).toBe(6);
    expect(await dueFor()).toEqual({ items: [{ item_id: first, amount: 6 }], deliveries: [] });
    await refund(operator, order, 6);
    expect(await getOrder(operator, order)).toMatchObject({
      payment_status: "refunded",
      refund_due: 0,
    });
    expect(await violationsOf([saffron.id, mint.id])).toEqual([]);
  });

  it("may name items of the order once each, up to their price", async () => {
    const { operator, supplier, order, some } = await placeMixed();
    const [saffron, , lamp] = order.items.map(({ id }: { id: string }) => id);
    const refused = async (amount: number, more: object, field: string, status = 422) => {
      const code = status === 404 ? "NOT_FOUND" : "VALIDATION_ERROR";
      expectRefusal(await refund(operator, order, amount, more), status, code, { field });
    };
    const of = (item_id: string, amount: number) => ({ items: [{ item_id, amount }] });
    const early = await pay(operator, order, "paid", of(saffron, 1));
    expectRefusal(early, 422, "VALIDATION_ERROR", { field: "items" });
    await pay(operator, order);
    await refused(5, of(randomUUID(), 5), "items[0].item_id", 404);
    await refused(31, of(saffron, 31), "items[0].amount");
    await refused(5, of(saffron, 0.001), "items[0].amount");
    await refused(5, of(saffron, 6), "amount");
    await refused(
      5,
      { items: [of(saffron, 1).items[0], of(saffron, 1).items[0]] },
      "items[0].item_id",
    );
    await refused(5, { delivery_amount: 1 }, "delivery_amount");
    await refused(50, { ...of(lamp, 50), borne_by: "supplier" }, "items[0].amount");
    await refused(10, { ...of(saffron, 5), borne_by: "supplier" }, "amount");
    await cancelItems(operator, order, some(0, 2));
    // Its supplier earns nothing for the two cancelled pieces.
    await refused(11, { ...of(saffron, 11), borne_by: "supplier" }, "items[0].amount");
    const borne = await refund(operator, order, 10, { ...of(saffron, 10), borne_by: "supplier" });
    expect(borne.body).toMatchObject({ borne_by: "supplier" });
    await refund(operator, order, 20, of(saffron, 20));
    await refused(1, of(saffron, 1), "items[0].amount");
    expect((await getOrder(supplier, order)).payments).toEqual([]);
  });
});

describe("a failed refund or reversed payment", () => {
  type Paid = Parameters<typeof pay>[1];
  /** A report without an amount. */
  const undo = (as: Person, { id }: Paid, status: string, reference: string, more: object = {}) =>
    call("POST", `/api/orders/${id}/payments`, { as, body: { status, reference, ...more } });
  const figures = async (as: Person) => {
    const { revenue } = await must("GET", "/api/analytics/overview?period=today", { as });
    return [revenue.received, revenue.refunded];
  };
  /** The result of the nightly comparison for the tenant of an order. */
  const differences = ({ tenant_id }: { tenant_id: string }) =>
    query(
      `select * from private.differences_from_orders($1)
       union all select * from private.differences_from_book($1)`,
      [tenant_id],
    );

  it("undoes a failed refund once", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    await doBusiness(testTenant, { commission_percent: 10 });
    const product = await listProduct(supplier, { price: 10 });
    const order = await placed(customer, product);
    const client = await registerClient(testTenant.tenantId);
    expectRefusal(await undo(client, order, "refund_failed", "re_1"), 404, "NOT_FOUND", {
      field: "reference",
      value: "re_1",
    });
    await paid(client, order, "paid", { reference: "pi_1" });
    const items = [{ item_id: order.items[0].id, amount: 10 }];
    await paid(client, order, "refunded", { reference: "re_1", items });
    expect(await figures(operator)).toEqual([10, 10]);
    for (const reference of ["pi_1", "re_2"]) {
      expectRefusal(await undo(client, order, "refund_failed", reference), 404, "NOT_FOUND");
    }
    expectRefusal(
      await undo(client, order, "refund_failed", "re_1", { amount: 9 }),
      422,
      "VALIDATION_ERROR",
      { field: "amount", value: 9 },
    );
    const { status, body } = await undo(client, order, "refund_failed", "re_1");
    expect([status, body]).toMatchObject([
      201,
      {
        ...{ status: "refund_failed", amount: 10, reference: "re_1", items: null },
        ...{ borne_by: null, payment_status: "paid", actor_id: client.id },
      },
    ]);
    expectRefusal(await undo(client, order, "refund_failed", "re_1"), 422, "INVALID_TRANSITION", {
      field: "reference",
      value: "re_1",
    });
    expect(await figures(operator)).toEqual([10, 0]);
    // Reporting the same refund again changes nothing, and the order remains paid.
    expect(await paid(client, order, "refunded", { reference: "re_1" })).toMatchObject({
      payment_status: "paid",
    });
    expect((await getOrder(customer, order)).payments).toMatchObject([
      { status: "paid", amount: 10 },
      { status: "refunded", amount: 10 },
      { status: "refund_failed", amount: 10, reference: "re_1" },
    ]);
    // The same item can be refunded again.
    await paid(client, order, "refunded", { reference: "re_2", items });
    expect(await getOrder(operator, order)).toMatchObject({ payment_status: "refunded" });
    expect(
      (await eventsOf(operator, "payment.refund_failed")).map(({ payload }) => payload),
    ).toMatchObject([
      {
        event: "payment.refund_failed",
        data: {
          payment: { status: "refund_failed", reference: "re_1" },
          order: { id: order.id, payment_status: "paid" },
        },
      },
    ]);
    expect(await violationsOf([product.id])).toEqual([]);
    expect(await differences(order)).toEqual([]);
  });

  it("reverses a payment once, after which the order can be paid again", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    await doBusiness(testTenant, { commission_percent: 10, payment_deadline_minutes: 60 });
    const product = await listProduct(supplier, { price: 10, inventory: { quantity: 3 } });
    const order = await placed(customer, product, 3);
    const reverse = (reference: string) => undo(operator, order, "payment_reversed", reference);
    await paid(operator, order, "paid", { reference: "pi_1" });
    await paid(operator, order, "refunded", { reference: "re_1", amount: 4 });
    expectRefusal(await reverse("re_1"), 404, "NOT_FOUND", { field: "reference", value: "re_1" });
    const { body } = await reverse("pi_1");
    expect(body).toMatchObject({
      amount: 26,
      status: "payment_reversed",
      payment_status: "failed",
    });
    expectRefusal(await reverse("pi_1"), 422, "INVALID_TRANSITION", { field: "reference" });
    // It has no payment now, so a refund that fails does not pay it either.
    expectRefusal(await undo(operator, order, "refund_failed", "re_1"), 422, "INVALID_TRANSITION", {
      field: "status",
      value: "refund_failed",
    });
    const unpaid = await getOrder(operator, order);
    expect(unpaid).toMatchObject({ payment_status: "failed", refund_due: 0 });
    const minutes = (Date.parse(unpaid.payment_due_at) - Date.now()) / 60_000;
    expect([minutes > 50, minutes <= 60]).toEqual([true, true]);
    expect(await figures(operator)).toEqual([4, 4]);
    expect(await differences(order)).toEqual([]);

    await paid(operator, order, "paid", { reference: "pi_2" });
    expect(await getOrder(operator, order)).toMatchObject({
      ...{ payment_status: "paid", refund_due: 0, payment_due_at: null },
    });
    // A refund of the first payment that fails only now is still owed to the customer.
    expect((await undo(operator, order, "refund_failed", "re_1")).status).toBe(201);
    expect((await getOrder(operator, order)).refund_due).toBe(4);
    expect((await reverse("pi_2")).body).toMatchObject({ amount: 30 });
    expect((await eventsOf(operator, "payment.")).map(({ name }) => name)).toEqual([
      ...["payment.succeeded", "payment.refunded", "payment.failed"],
      ...["payment.succeeded", "payment.refund_failed", "payment.failed"],
    ]);
    expect(await violationsOf([product.id])).toEqual([]);
    expect(await differences(order)).toEqual([]);

    // Its deadline starts again, and afterwards its stock is available again.
    await passDeadline(order);
    expect(await getOrder(operator, order)).toMatchObject({ status: "cancelled" });
    expect(await stockOf(product)).toEqual({ product: { quantity: 3, reserved: 0 } });
  });

  it("cannot reverse a completely refunded payment, nor pay an order again that owes nothing", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { price: 10 });
    const order = await placed(customer, product);
    await paid(operator, order, "paid", { reference: "pi_1" });
    await paid(operator, order, "refunded", { reference: "re_1" });
    expectRefusal(
      await undo(operator, order, "payment_reversed", "pi_1"),
      422,
      "INVALID_TRANSITION",
      { field: "status", value: "payment_reversed" },
    );
    expect((await undo(operator, order, "refund_failed", "re_1")).status).toBe(201);
    await moved(operator, order, "cancelled");
    expect((await getOrder(operator, order)).refund_due).toBe(10);
    expect((await undo(operator, order, "payment_reversed", "pi_1")).status).toBe(201);
    expect(await getOrder(operator, order)).toMatchObject({
      ...{ status: "cancelled", payment_status: "failed", refund_due: 0, payment_due_at: null },
    });
    expectRefusal(
      await pay(operator, order, "paid", { reference: "pi_2" }),
      422,
      "INVALID_TRANSITION",
    );
    expect(await violationsOf([product.id])).toEqual([]);
  });

  it("can be reported by rpc and by the service role with the same rules, by clients and admins only", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const foreign = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier, { price: 10 }));
    await paid(operator, order, "paid", { reference: "pi_1" });
    await paid(operator, order, "refunded", { reference: "re_1" });
    for (const status of ["refund_failed", "payment_reversed"]) {
      const reference = status === "refund_failed" ? "re_1" : "pi_1";
      for (const person of [customer, supplier, foreign.customer]) {
        expectRefusal(await undo(person, order, status, reference), 403, "FORBIDDEN");
      }
      expectRefusal(await undo(foreign.operator, order, status, reference), 404, "NOT_FOUND");
      const named = { delivery_amount: 1, borne_by: "operator" };
      for (const [field, value] of Object.entries(named)) {
        if (status === "payment_reversed") continue;
        const answer = await undo(operator, order, status, reference, { [field]: value });
        expect([answer.status, answer.body.error.code]).toEqual([422, "VALIDATION_ERROR"]);
      }
    }
    const report = { order_id: order.id, status: "refund_failed", reference: "re_1" } as const;
    const answers = await Promise.all(
      [1, 2, 3].map(() => supabaseAs(operator).rpc("report_payment", report)),
    );
    expect(answers.map(({ error }) => error?.message ?? "done").sort()).toEqual([
      ...["INVALID_TRANSITION", "INVALID_TRANSITION", "done"],
    ]);
    const without = await supabaseAs(operator).rpc("report_payment", {
      ...{ order_id: order.id, status: "refunded", reference: "re_2" },
    });
    expect(without.error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
    const row = { tenant_id: order.tenant_id, order_id: order.id, currency: "EUR" };
    const insert = (status: "refund_failed" | "payment_reversed", reference: string) =>
      supabaseAsService()
        .from("payments")
        .insert({ ...row, status, reference, amount: 10 });
    expect((await insert("refund_failed", "re_1")).error?.message).toBe("INVALID_TRANSITION");
    expect((await insert("payment_reversed", "pi_9")).error?.message).toBe("NOT_FOUND");
    await insert("payment_reversed", "pi_1").throwOnError();
    expect((await getOrder(operator, order)).payment_status).toBe("failed");
    expect(await eventsOf(operator, "payment.refund_failed")).toHaveLength(1);
  });
});

describe("an unpaid order", () => {
  it("is due in a day, or after the marketplace's deadline", async () => {
    const testTenant = await openTestTenant();
    const product = await listProduct(testTenant.supplier);
    const minutesLeft = async () => {
      const { created_at, payment_due_at } = await placed(testTenant.customer, product);
      return (Date.parse(payment_due_at) - Date.parse(created_at)) / 60_000;
    };
    expect(await minutesLeft()).toBe(1440);
    await doBusiness(testTenant, { payment_deadline_minutes: 30 });
    expect(await minutesLeft()).toBe(30);
  });

  it("is no longer due when it is paid, cancelled or returned", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const dueOf = async (order: { id: string }) => (await getOrder(operator, order)).payment_due_at;
    const settled = await placed(customer, product);
    await paid(operator, settled, "failed");
    expect(await dueOf(settled)).toBe(settled.payment_due_at);
    await paid(operator, settled);
    expect(await dueOf(settled)).toBeNull();
    await paid(operator, settled, "refunded");
    expect(await dueOf(settled)).toBeNull();
    const left = await placed(customer, product);
    expect(await moved(customer, left, "cancelled")).toMatchObject({ payment_due_at: null });
    const back = await placed(customer, product);
    expect((await moved(operator, back, "shipped")).payment_due_at).toBe(back.payment_due_at);
    expect(await moved(operator, back, "returned")).toMatchObject({ payment_due_at: null });
    const late = await placed(customer, product);
    await passDeadline(late);
    expect(await dueOf(late)).toBeNull();
  });

  it("is cancelled after the deadline, and its stock is available again", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 3 } });
    const [forgotten, declined] = [
      await placed(customer, product),
      await placed(customer, product, 2),
    ];
    await paid(operator, declined, "failed");
    expect(await stockOf(product)).toEqual({ product: { quantity: 3, reserved: 3 } });
    await passDeadline(forgotten, declined);
    for (const order of [forgotten, declined]) {
      expect(await getOrder(customer, order)).toMatchObject({
        status: "cancelled",
        history: [
          {
            old_status: "pending",
            new_status: "cancelled",
            note: "not paid in time",
            actor_id: null,
          },
        ],
      });
    }
    expect(await stockOf(product)).toEqual({ product: { quantity: 3, reserved: 0 } });
    const cancelled = await eventsOf(operator, "order.cancelled");
    expect(new Set(cancelled.map(({ payload }) => payload.data.order.id))).toEqual(
      new Set([forgotten.id, declined.id]),
    );
    expectRefusal(await pay(operator, forgotten), 422, "INVALID_TRANSITION");
    await passDeadline(forgotten);
    expect((await getOrder(customer, forgotten)).history).toHaveLength(1);
  });

  it("is kept when it is paid, moved on by hand, free, or not due yet", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const settled = await placed(customer, product);
    await paid(operator, settled);
    const trusted = await placed(customer, product);
    await moved(operator, trusted, "confirmed");
    const free = await placed(customer, await listProduct(supplier, { price: 0 }));
    await passDeadline(settled, trusted, free);
    const early = await placed(customer, product);
    await cancelUnpaid();
    for (const [order, status] of [
      [settled, "pending"],
      [trusted, "confirmed"],
      [free, "pending"],
      [early, "pending"],
    ] as const) {
      expect((await getOrder(operator, order)).status).toBe(status);
    }
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 3 } });
  });

  it("is found each minute by a job that the stack runs", async () => {
    const name = "cancel-unpaid-orders";
    const [job] = await query<{ every: string; command: string; active: boolean }>(
      "select every::text, command, active from private.jobs_due where name = $1",
      [name],
    );
    expect(job).toMatchObject({ every: "00:01:00", active: true });
    const { supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    // The same command every second, so that the test need not wait for a minute.
    const often = `${name}-${order.id}`;
    await query("select cron.schedule($1, '1 second', $2)", [often, job?.command]);
    onTestFinished(async () => {
      await query("select cron.unschedule($1)", [often]);
    });
    await makeOverdue(order);
    await eventually(async () =>
      expect((await getOrder(customer, order)).status).toBe("cancelled"),
    );
    // The regular job may have been first.
    const runs = () =>
      query<{ status: string }>(
        `select distinct d.status from cron.job_run_details d
         join cron.job j using (jobid) where j.jobname = $1 and d.end_time is not null`,
        [often],
      );
    await eventually(async () => expect(await runs()).toEqual([{ status: "succeeded" }]));
  });

  it("is cancelled in small batches, each in its own transaction", async () => {
    // The regular job would cancel all at once if its minute came meanwhile.
    onTestFinished(await restJob("cancel-unpaid-orders"));
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const orders = await Promise.all(Array.from({ length: 5 }, () => placed(customer, product)));
    await makeOverdue(...orders);
    const rounds = { batch: 1, rounds: 20 };
    const { data } = await supabaseAsService().rpc("cancel_unpaid_orders", rounds).throwOnError();
    expect(data).toBeLessThanOrEqual(1);
    await eventually(async () => {
      const { orders } = await must("GET", "/api/orders?status=cancelled", { as: operator });
      expect(orders).toHaveLength(5);
    });
    const cancelled = await query<{ transactions: string }>(
      `select count(distinct xact_id) as transactions from public.events
       where tenant_id = $1 and name = 'order.cancelled'`,
      [operator.tenantId],
    );
    expect(cancelled).toEqual([{ transactions: "5" }]);
  });

  it("is retried after an hour when it cannot be cancelled, and delays no other", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const [broken, sound] = await Promise.all([1, 2].map(() => listProduct(supplier)));
    const bad = await placed(customer, broken);
    const good = await placed(customer, sound);
    // Its stock does not contain the reservation.
    await query("update public.inventory set reserved = 0 where product_id = $1", [broken.id]);
    const began = Date.now();
    await passDeadline(bad, good);
    expect((await getOrder(operator, good)).status).toBe("cancelled");
    const { status, payment_due_at } = await getOrder(operator, bad);
    expect(status).toBe("pending");
    expect(Date.parse(payment_due_at)).toBeGreaterThan(began + 3_500_000);
  });

  it("can be cancelled with that function only by the job", async () => {
    const { operator } = await openTestTenant();
    const { status } = await supabaseAs(operator).rpc("cancel_unpaid_orders");
    expect(status).toBe(403);
  });
});
