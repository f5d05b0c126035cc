import { describe, expect, it } from "vitest";
import { expectRefusal, registerClient, stockOf, supabaseAs } from "../souk.js";
import { violationsOf } from "./invariants.js";
import { doBusiness, getOrder, moved, pay, placed } from "./ordering.js";
import { cancelItems, placeMixed, ship } from "./shipping.js";

describe("a cancellation", () => {
  it("of some pieces releases their stock and is recorded", async () => {
    const { operator, supplier, rival, customer, order, some, saffron, mint, tenantId } =
      await placeMixed();
    const answer = await cancelItems(customer, order, some(0, 2), "One is enough.");
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      tenant_id: tenantId,
      order_id: order.id,
      items: [{ ...some(0, 2)[0], amount: 20 }],
      amount: 20,
      reason: "One is enough.",
      actor_id: customer.id,
      created_at: expect.any(String),
      order_status: "pending",
    });
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 10, reserved: 1 } });
    const { order_status: _, tenant_id, order_id, ...fields } = answer.body;
    const kept = { ...fields, created_at_local: fields.created_at };
    const seen = await getOrder(operator, order);
    expect(seen).toMatchObject({ total_amount: 86, cancellations: [kept] });
    expect(seen.items[0]).toMatchObject({ quantity: 3, cancelled_quantity: 2 });
    expect(seen.commissions).toContainEqual(
      expect.objectContaining({ supplier_id: saffron.supplier_id, sales_amount: 10 }),
    );
    expect((await getOrder(supplier, order)).cancellations).toEqual([kept]);
    expect((await getOrder(rival, order)).cancellations).toEqual([]);
    const { data } = await supabaseAs(rival).from("order_cancellation_items").select();
    expect(data).toEqual([]);
    expect(await violationsOf([saffron.id, mint.id])).toEqual([]);
  });

  it("is allowed to suppliers for their items, and to customers while the part is pending or confirmed", async () => {
    const { supplier, rival, customer, order, some } = await placeMixed();
    expectRefusal(await cancelItems(rival, order, some(0, 1)), 404, "NOT_FOUND");
    expect((await cancelItems(rival, order)).body.items).toMatchObject(some(1, 2));
    await ship(supplier, order, { items: some(0, 1) });
    expectRefusal(await cancelItems(customer, order, some(0, 1)), 403, "FORBIDDEN");
    // The operator's part is still pending.
    expect((await cancelItems(customer, order, some(2, 1))).status).toBe(201);
    expect((await cancelItems(supplier, order)).body).toMatchObject({ order_status: "shipped" });
    expectRefusal(await cancelItems(supplier, order), 422, "VALIDATION_ERROR");
  });

  it("is refused for more pieces than are open", async () => {
    const { supplier, operator, order, some } = await placeMixed();
    await ship(supplier, order, { items: some(0, 2) });
    expectRefusal(await cancelItems(operator, order, some(0, 2)), 422, "VALIDATION_ERROR", {
      field: "items[0].quantity",
    });
    expect((await cancelItems(operator, order, some(0, 1))).status).toBe(201);
  });

  it("of the last piece cancels the order and its delivery", async () => {
    const mixed = await placeMixed();
    const { operator, customer, saffron, tenantId } = mixed;
    const client = await registerClient(tenantId);
    await doBusiness(mixed, {
      delivery: { methods: [{ key: "mule", name: "By mule", price: 5 }] },
    });
    const order = await placed(customer, saffron, 2, { delivery_method: "mule" });
    const one = [{ item_id: order.items[0].id, quantity: 1 }];
    await cancelItems(client, order, one);
    // The order now costs one piece and the delivery.
    expectRefusal(await pay(operator, order), 422, "VALIDATION_ERROR");
    const last = await cancelItems(client, order, one, "All.");
    expect(last.body.order_status).toBe("cancelled");
    const seen = await getOrder(customer, order);
    expect(seen.history).toMatchObject([
      { old_status: "pending", new_status: "cancelled", note: "All.", actor_id: client.id },
    ]);
    expect(seen.payment_due_at).toBeNull();
    expectRefusal(await pay(operator, order), 422, "INVALID_TRANSITION");
    expect(await violationsOf([saffron.id])).toEqual([]);
  });

  it("leaves the remaining items and the delivery in the order's amount", async () => {
    const mixed = await placeMixed();
    const { operator, customer, saffron } = mixed;
    await doBusiness(mixed, {
      delivery: { methods: [{ key: "mule", name: "By mule", price: 5 }] },
    });
    const order = await placed(customer, saffron, 2, { delivery_method: "mule" });
    await cancelItems(customer, order, [{ item_id: order.items[0].id, quantity: 1 }]);
    expect((await pay(operator, order, "paid", { amount: 15 })).body).toMatchObject({
      payment_status: "paid",
    });
  });

  it("hides from other suppliers who cancelled, and why", async () => {
    const { supplier, rival, operator, customer, order } = await placeMixed();
    await cancelItems(supplier, order, undefined, "Secret of the supplier.");
    await ship(rival, order, { note: "Secret of the rival." });
    const shipment = await ship(operator, order);
    expect(shipment.body.order_status).toBe("shipped");
    for (const person of [supplier, rival, customer]) {
      expect((await getOrder(person, order)).history).toMatchObject([
        { new_status: "processing", note: null, actor_id: null },
        { new_status: "shipped", note: null, actor_id: operator.id },
      ]);
    }
    expect(JSON.stringify(await getOrder(rival, order))).not.toContain("Secret of the supplier.");
  });

  it("of a whole order by its status is in its history only", async () => {
    const { operator, order } = await placeMixed();
    await moved(operator, order, "cancelled", "Never mind.");
    const seen = await getOrder(operator, order);
    expect(seen).toMatchObject({ status: "cancelled", cancellations: [] });
    expect(seen.items).toMatchObject([
      { cancelled_quantity: 3 },
      { cancelled_quantity: 2 },
      { cancelled_quantity: 1 },
    ]);
  });
});
