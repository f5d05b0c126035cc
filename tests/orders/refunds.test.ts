import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { call, expectRefusal, listProduct, openTestTenant, register, supabaseAs } from "../souk.js";
import { violationsOf } from "./invariants.js";
import { doBusiness, getOrder, item, moved, pay, placed, takeBack } from "./ordering.js";
import { cancelItems } from "./shipping.js";

// Refunds that name items and delivery: what they lower, and who bears them.

async function paid(...payment: Parameters<typeof pay>) {
  const answer = await pay(...payment);
  expect(answer.body).toMatchObject({ id: expect.any(String) });
  return answer.body;
}

/** A paid order of a 20.00 item of the supplier and two 30.00 items of a rival, with a delivery of 4.00 of each. */
async function openPaid(quantities = [1, 1]) {
  const testTenant = await openTestTenant();
  const { operator, supplier, customer, tenantId } = testTenant;
  const rival = await register({ tenant_id: tenantId, role: "supplier" });
  const mule = { key: "mule", name: "By mule", price: 4, per_supplier: true };
  const delivery = { methods: [mule], recipient: "supplier" };
  await doBusiness(testTenant, { commission_percent: 10, delivery });
  const [vase, rug] = await Promise.all([
    listProduct(supplier, { price: 20 }),
    listProduct(rival, { price: 30 }),
  ]);
  const order = await placed(customer, vase, 1, {
    items: [item(vase, quantities[0]), item(rug, quantities[1])],
    delivery_method: "mule",
  });
  await paid(operator, order);
  const [a, b] = order.items.map(({ id }: { id: string }) => id) as [string, string];
  const due = async () => (await getOrder(operator, order)).refund_due;
  /** The line of the supplier: sales, delivery, borne refunds, commission, payout. */
  const line = async () => {
    const { commissions } = await getOrder(supplier, order);
    const [{ sales_amount, delivery_amount, refunded_amount, commission_amount, payout_amount }] =
      commissions;
    return [sales_amount, delivery_amount, refunded_amount, commission_amount, payout_amount];
  };
  const give = (amount: number, more: object) =>
    pay(operator, order, "refunded", { amount, reference: randomUUID(), ...more });
  const one = (item_id: string) => [{ item_id, quantity: 1 }];
  const products = [vase.id, rug.id];
  return { ...testTenant, rival, order, a, b, due, line, give, one, products };
}
const named = (item_id: string, amount: number) => ({ items: [{ item_id, amount }] });

describe("a price reduction of an item that the customer keeps", () => {
  it("does not lower what is owed for another item, or for its delivery", async () => {
    const { rival, order, a, b, due, give, products } = await openPaid();
    await give(6, named(a, 6));
    expect(await due()).toBe(0);
    await cancelItems(rival, order);
    expect(await due()).toBe(30 + 4);
    await give(10, named(b, 10));
    expect(await due()).toBe(24);
    await give(24, { ...named(b, 20), delivery_amount: 4 });
    expect(await due()).toBe(0);
    expect(await violationsOf(products)).toEqual([]);
  });

  it("is set off against its own pieces that come back later", async () => {
    const { operator, order, a, due, line, give, one, products } = await openPaid([2, 1]);
    await give(6, { ...named(a, 6), borne_by: "supplier" });
    expect(await line()).toEqual([40, 4, 6, 4, 34]);
    await moved(operator, order, "delivered");
    await takeBack(operator, order, one(a));
    // The customer got 6 of the 20. The supplier sold one piece at its whole price.
    expect(await due()).toBe(14);
    expect(await line()).toEqual([20, 4, 0, 2, 22]);
    await give(14, named(a, 14));
    expect(await due()).toBe(0);
    await give(5, { ...named(a, 5), borne_by: "supplier" });
    expect(await due()).toBe(0);
    expect(await line()).toEqual([20, 4, 5, 2, 17]);
    await takeBack(operator, order, one(a));
    expect(await due()).toBe(15);
    expect(await line()).toEqual([0, 4, 0, 0, 4]);
    expect(await violationsOf(products)).toEqual([]);
  });

  it("is borne by its supplier as far as all refunds are more than the pieces that came back", async () => {
    const { operator, order, a, due, line, give, one, products } = await openPaid([2, 1]);
    await give(6, { ...named(a, 6), borne_by: "supplier" });
    await moved(operator, order, "delivered");
    await takeBack(operator, order, one(a));
    expect(await line()).toEqual([20, 4, 0, 2, 22]);
    // 14 were due. The other 2 reduce the price of the piece that the customer keeps.
    await give(16, named(a, 16));
    expect([await due(), await line()]).toEqual([0, [20, 4, 2, 2, 20]]);
    expect(await violationsOf(products)).toEqual([]);
  });

  it("ends when its refund fails, or when the payment is reversed", async () => {
    const { operator, rival, order, a, due, line, give, products } = await openPaid();
    const undo = (status: string, reference: string) =>
      call("POST", `/api/orders/${order.id}/payments`, {
        as: operator,
        body: { status, reference },
      });
    const { body } = await give(6, { ...named(a, 6), borne_by: "supplier" });
    await cancelItems(rival, order);
    expect([await due(), await line()]).toEqual([34, [20, 4, 6, 2, 16]]);
    await undo("refund_failed", body.reference);
    expect([await due(), await line()]).toEqual([34, [20, 4, 0, 2, 22]]);
    await give(6, { ...named(a, 6), borne_by: "supplier" });
    await undo("payment_reversed", "paid-1");
    expect([await due(), await line()]).toEqual([0, [20, 4, 0, 2, 22]]);
    // The next payment is for the vase alone.
    await paid(operator, order, "paid", { amount: 24, reference: "paid-2" });
    await give(6, named(a, 6));
    expect(await due()).toBe(0);
    await moved(operator, order, "delivered");
    await takeBack(operator, order, [{ item_id: a, quantity: 1 }]);
    expect(await due()).toBe(14);
    expect(await violationsOf(products)).toEqual([]);
  });

  it("is at most what was paid for the item, which may be named in any letter case, but once", async () => {
    const { operator, supplier, customer, order: other } = await openPaid();
    const product = await listProduct(supplier, {
      price: 20,
      marketplace_id: other.marketplace_id,
    });
    const order = await placed(customer, product, 2, { delivery_method: "mule" });
    const { id } = order.items[0];
    await cancelItems(operator, order, [{ item_id: id, quantity: 1 }]);
    await paid(operator, order, "paid", { amount: 24 });
    const give = (amount: number, more: object) =>
      pay(operator, order, "refunded", { amount, reference: randomUUID(), ...more });
    for (const borne_by of ["operator", "supplier"]) {
      const amount = { field: "items[0].amount", value: 21 };
      expectRefusal(
        await give(21, { ...named(id, 21), borne_by }),
        422,
        "VALIDATION_ERROR",
        amount,
      );
      const items = [...named(id, 6).items, ...named(id.toUpperCase(), 6).items];
      const repeated = { field: "items[0].item_id", value: id };
      expectRefusal(await give(12, { items, borne_by }), 422, "VALIDATION_ERROR", repeated);
      const { error } = await supabaseAs(operator).rpc("report_payment", {
        ...{ order_id: order.id, status: "refunded", amount: 12, reference: randomUUID() },
        items: [...named(id, 6).items, ...named(`{${id}}`, 6).items],
      });
      expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
    }
    expect((await give(6, named(id.toUpperCase(), 6))).body).toMatchObject(named(id, 6));
    // The pieces that nobody paid for do not hide the reduction.
    expect((await getOrder(operator, order)).refund_due).toBe(0);
    await cancelItems(operator, order);
    expect((await getOrder(operator, order)).refund_due).toBe(14 + 4);
    expect((await give(15, named(id, 15))).body.error.message).toContain("At most 14.00");
    expect(await violationsOf([product.id])).toEqual([]);
  });

  it("has its amounts as numbers in every record, also if they were sent as texts", async () => {
    const { operator, order, a, due } = await openPaid();
    const { data, error } = await supabaseAs(operator).rpc("report_payment", {
      ...{ order_id: order.id, status: "refunded", amount: 6, reference: randomUUID() },
      items: [{ item_id: a.toUpperCase(), amount: "6" }],
    });
    expect(error).toBeNull();
    expect(data).toMatchObject(named(a, 6));
    expect((await getOrder(operator, order)).payments[1]).toMatchObject(named(a, 6));
    expect(await due()).toBe(0);
  });
});

describe("a refund that names delivery", () => {
  it("is set off against the delivery of the same part only", async () => {
    const { operator, supplier, rival, order, a, due, give, products } = await openPaid();
    // Too late: the delivery of the vase costs half.
    await give(2, { delivery_amount: 2 });
    expect(await due()).toBe(0);
    await cancelItems(rival, order);
    expect(await due()).toBe(34);
    await give(4, { delivery_amount: 4 });
    expect(await due()).toBe(30);
    await cancelItems(supplier, order);
    expect(await due()).toBe(30 + 20 + 2);
    expectRefusal(await give(3, { delivery_amount: 3 }), 422, "VALIDATION_ERROR", {
      field: "delivery_amount",
    });
    await give(52, { items: [{ item_id: a, amount: 20 }], delivery_amount: 2 });
    expect(await getOrder(operator, order)).toMatchObject({
      payment_status: "refunded",
      refund_due: 0,
    });
    expect(await violationsOf(products)).toEqual([]);
  });

  it("is for the parts of the items that it names, unless a delivery is to be given back", async () => {
    const { supplier, rival, order, a, b, due, give } = await openPaid();
    await give(5, { ...named(b, 2), delivery_amount: 3 });
    await cancelItems(supplier, order);
    expect(await due()).toBe(24);
    await give(24, { ...named(a, 20), delivery_amount: 4 });
    expect(await due()).toBe(0);
    await cancelItems(rival, order);
    expect(await due()).toBe(30 - 2 + 4 - 3);
  });

  it("cannot give back a delivery that was not paid", async () => {
    const { operator, supplier, customer, order: other, a } = await openPaid();
    expect(a).toBeDefined();
    const [first, second] = await Promise.all(
      [supplier, operator].map((as) =>
        listProduct(as, { marketplace_id: other.marketplace_id, price: 20 }),
      ),
    );
    const order = await placed(customer, first, 1, {
      items: [item(first), item(second)],
      delivery_method: "mule",
    });
    await cancelItems(supplier, order);
    await paid(operator, order, "paid", { amount: 24 });
    const back = (delivery_amount: number) =>
      pay(operator, order, "refunded", {
        ...{ amount: delivery_amount, delivery_amount, reference: randomUUID() },
      });
    expectRefusal(await back(5), 422, "VALIDATION_ERROR", { field: "delivery_amount", value: 5 });
    expect((await back(4)).status).toBe(201);
    expect((await getOrder(operator, order)).refund_due).toBe(0);
  });
});
