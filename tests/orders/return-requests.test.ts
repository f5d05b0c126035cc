import { describe, expect, it } from "vitest";
import { chance, draw, restartDraws, SEED } from "../random.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  stockOf,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { violationsOf } from "./invariants.js";
import { doBusiness, getOrder, moved, takeBack } from "./ordering.js";
import { changeShipment, placeMixed, ship, shipmentsOf } from "./shipping.js";

type Some = { item_id: string; quantity: number; restock?: boolean }[];

function ask(as: Person, order: { id: string }, items: Some, reason?: string) {
  return call("POST", `/api/orders/${order.id}/return-requests`, { as, body: { items, reason } });
}

function answer(as: Person, asked: { id: string; order_id: string }, verb: string, body = {}) {
  const path = `/api/orders/${asked.order_id}/return-requests/${asked.id}/${verb}`;
  return call("POST", path, { as, body });
}

async function requestsOf(as: Person, order: { id: string }) {
  return (await must("GET", `/api/orders/${order.id}/return-requests`, { as })).return_requests;
}

/** Moves the delivery of a shipment into the past. */
const deliveredBefore = (days: number, shipment: { id: string }) =>
  supabaseAsService()
    .from("shipments")
    .update({ delivered_at: new Date(Date.now() - days * 86_400_000).toISOString() })
    .eq("id", shipment.id)
    .throwOnError();

/** The mixed order, delivered. */
async function deliverMixed() {
  const mixed = await placeMixed();
  await moved(mixed.operator, mixed.order, "delivered");
  return mixed;
}

describe("a return request", () => {
  it("is made by the customer, approved by the supplier, and received in part", async () => {
    const mixed = await deliverMixed();
    const { supplier, rival, operator, customer, order, some, saffron, mint, tenantId } = mixed;
    const asked = await ask(customer, order, some(0, 2), "They are damp.");
    expect(asked.status).toBe(201);
    expect(asked.body).toEqual({
      id: expect.any(String),
      tenant_id: tenantId,
      order_id: order.id,
      supplier_id: saffron.supplier_id,
      status: "requested",
      items: [{ ...some(0, 2)[0], received_quantity: 0 }],
      reason: "They are damp.",
      note: null,
      actor_id: customer.id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      created_at_local: expect.stringMatching(/\+00:00$/),
      updated_at_local: expect.stringMatching(/\+00:00$/),
      order_status: "delivered",
    });
    // Nothing is returned before the receipt.
    expect((await getOrder(customer, order)).items[0].returned_quantity).toBe(0);
    expectRefusal(await answer(supplier, asked.body, "receive"), 422, "INVALID_TRANSITION");
    expect((await answer(supplier, asked.body, "approve", { note: "Sorry." })).body).toMatchObject({
      status: "approved",
      note: "Sorry.",
    });
    const received = await answer(supplier, asked.body, "receive", { items: some(0, 1) });
    expect(received.body).toMatchObject({
      status: "received",
      items: [{ quantity: 2, received_quantity: 1 }],
      order_status: "delivered",
    });
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 8, reserved: 0 } });
    const seen = await getOrder(operator, order);
    expect(seen.items[0]).toMatchObject({ delivered_quantity: 3, returned_quantity: 1 });
    expect(seen.returns).toMatchObject([{ items: [{ ...some(0, 1)[0], restocked: true }] }]);
    expect(seen.commissions).toContainEqual(
      expect.objectContaining({ supplier_id: saffron.supplier_id, sales_amount: 20 }),
    );

    for (const person of [supplier, operator, customer]) {
      expect(await requestsOf(person, order)).toMatchObject([{ id: asked.body.id }]);
    }
    expect(await requestsOf(rival, order)).toEqual([]);
    const { data } = await supabaseAs(rival).from("return_request_items").select();
    expect(data).toEqual([]);
    expectRefusal(await answer(rival, asked.body, "approve"), 404, "NOT_FOUND");
    expect(await violationsOf([saffron.id, mint.id])).toEqual([]);
  });

  it("with restock false does not change the stock, and with the last piece the order is returned", async () => {
    const { supplier, rival, operator, customer, order, some, saffron, mint, lamp } =
      await deliverMixed();
    for (const [seller, items] of [
      [supplier, some(0, 3)],
      [rival, some(1, 2)],
      [operator, some(2, 1)],
    ] as const) {
      const { body: asked } = await ask(customer, order, items);
      await answer(seller, asked, "approve");
      const back = items.map((item) => ({ ...item, restock: seller !== rival }));
      expect((await answer(seller, asked, "receive", { items: back })).status).toBe(200);
    }
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 10, reserved: 0 } });
    expect(await stockOf(mint)).toEqual({ product: { quantity: 8, reserved: 0 } });
    expect((await getOrder(customer, order)).status).toBe("returned");
    expect(await violationsOf([saffron.id, mint.id, lamp.id])).toEqual([]);
  });

  it("is received with each item once, in whatever letter case it is named", async () => {
    const { supplier, customer, order, some } = await deliverMixed();
    const { body: asked } = await ask(customer, order, some(0, 1));
    await answer(supplier, asked, "approve");
    const [one] = some(0, 1) as [Some[0]];
    const upper = { ...one, item_id: one.item_id.toUpperCase() };
    const refused = await answer(supplier, asked, "receive", { items: [one, upper] });
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "items[1].quantity", value: 1 });
    expect((await answer(supplier, asked, "receive", { items: [upper] })).status).toBe(200);
  });

  it("is refused for pieces that are not delivered, already returned, or in an open request", async () => {
    const { supplier, operator, customer, order, some } = await placeMixed();
    const refused = async (items: Some) =>
      expectRefusal(await ask(customer, order, items), 422, "VALIDATION_ERROR");
    await ship(supplier, order);
    await refused(some(0, 1));
    await moved(operator, order, "delivered");
    await refused(some(0, 4));
    await refused([...some(0, 1), ...some(1, 1)]);
    const { body: asked } = await ask(customer, order, some(0, 2));
    await refused(some(0, 2));
    expect((await answer(customer, asked, "cancel")).body.status).toBe("cancelled");
    await must("POST", `/api/orders/${order.id}/returns`, {
      as: operator,
      body: { items: some(0, 1) },
    });
    await refused(some(0, 3));
    expect((await ask(customer, order, some(0, 2))).status).toBe(201);
    expectRefusal(await ask(supplier, order, some(0, 1)), 403, "FORBIDDEN");
  });

  it("is refused after the marketplace's return_days", async () => {
    const mixed = await deliverMixed();
    const { customer, order, some } = mixed;
    await doBusiness(mixed, { return_days: 3 });
    const shipments = supabaseAsService().from("shipments");
    const delivered_at = new Date(Date.now() - 4 * 86_400_000).toISOString();
    await shipments.update({ delivered_at }).eq("order_id", order.id).throwOnError();
    expectRefusal(await ask(customer, order, some(0, 1)), 422, "VALIDATION_ERROR");
    await doBusiness(mixed, { return_days: 5 });
    expect((await ask(customer, order, some(0, 1))).status).toBe(201);
  });

  it("counts the days of each piece from its own delivery", async () => {
    const mixed = await placeMixed();
    const { supplier, customer, order, some } = mixed;
    for (const quantity of [2, 1]) {
      const { body } = await ship(supplier, order, { items: some(0, quantity) });
      await changeShipment(supplier, body, { status: "delivered" });
    }
    const [first] = await shipmentsOf(supplier, order);
    const delivered_at = new Date(Date.now() - 15 * 86_400_000).toISOString();
    const shipments = supabaseAsService().from("shipments");
    await shipments.update({ delivered_at }).eq("id", first.id).throwOnError();
    expectRefusal(await ask(customer, order, some(0, 2)), 422, "VALIDATION_ERROR");
    expect((await ask(customer, order, some(0, 1))).status).toBe(201);
  });

  it("never reaches pieces whose days are over, in several requests and with direct returns", async () => {
    // Each case makes an order of 3 pieces, 2 of which were delivered before the window. `taken` are pieces of earlier
    // requests or returns, `left` how many may then be requested.
    const { supplier, operator, customer } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 300 } });
    const cases: [string, (order: Made) => Promise<unknown>, number][] = [
      ["nothing before", async () => {}, 1],
      ["a request that is open", (order) => ask(customer, order, order.some(1)), 0],
      ["a request that is approved", (order) => asked(order, "approve"), 0],
      ["a request that was received", (order) => asked(order, "approve", "receive"), 0],
      ["a request that was rejected", (order) => asked(order, "reject"), 1],
      ["a request that was cancelled", (order) => asked(order, "approve", "cancel"), 1],
      ["a direct return", (order) => takeBack(operator, order, order.some(1)), 0],
      ["a direct return of more", (order) => takeBack(operator, order, order.some(2)), 0],
    ];
    type Made = { id: string; some: (quantity: number) => Some };
    const asked = async (order: Made, ...verbs: string[]) => {
      const { body } = await ask(customer, order, order.some(1));
      for (const verb of verbs) {
        const by = verb === "cancel" ? customer : supplier;
        expect((await answer(by, body, verb)).status, verb).toBe(200);
      }
    };
    for (const [before, take, left] of cases) {
      const order = await must("POST", "/api/orders", {
        as: customer,
        body: orderFor(product, 3),
      });
      const some = (quantity: number) => [{ item_id: order.items[0].id as string, quantity }];
      const made = { id: order.id, some };
      for (const [quantity, days] of [
        [2, 15],
        [1, 0],
      ] as const) {
        const { body } = await ship(supplier, order, { items: some(quantity) });
        await changeShipment(supplier, body, { status: "delivered" });
        await deliveredBefore(days, body);
      }
      await take(made);
      expectRefusal(await ask(customer, order, some(left + 1)), 422, "VALIDATION_ERROR");
      const last = await ask(customer, order, some(1));
      expect([before, last.status]).toEqual([before, left === 0 ? 422 : 201]);
    }
  });

  it("takes each piece of many deliveries at most once, in its own days", async () => {
    restartDraws();
    const testTenant = await openTestTenant();
    const { supplier, operator, customer } = testTenant;
    const product = await listProduct(supplier, { inventory: { quantity: 20 } });
    await doBusiness(testTenant, { return_days: 10 });
    const order = await must("POST", "/api/orders", { as: customer, body: orderFor(product, 20) });
    const some = (quantity: number) => [{ item_id: order.items[0].id as string, quantity }];
    /** The delivered pieces: the age of their delivery, and the request or return that has them. */
    const pieces: { shipment: string; days: number; by: string | null }[] = [];
    const requests: { id: string; order_id: string; quantity: number; approved: boolean }[] = [];
    const free = () => pieces.filter(({ days, by }) => days < 10 && by === null);
    const oldestFirst = (some: typeof pieces) => some.toSorted((a, b) => b.days - a.days);

    for (let step = 0; step < 100; step++) {
      const context = `seed ${SEED}, step ${step}`;
      const action = draw(8);
      const open = requests[draw(Math.max(requests.length, 1))];
      if (action === 0 && pieces.length < 20) {
        const quantity = 1 + draw(Math.min(4, 20 - pieces.length));
        const { body } = await ship(supplier, order, { items: some(quantity) });
        await changeShipment(supplier, body, { status: "delivered" });
        for (let i = 0; i < quantity; i++) pieces.push({ shipment: body.id, days: 0, by: null });
      } else if (action === 1) {
        const passed = 1 + draw(5);
        for (const piece of pieces) piece.days += passed;
        for (const id of new Set(pieces.map(({ shipment }) => shipment))) {
          await deliveredBefore(pieces.find(({ shipment }) => shipment === id)?.days ?? 0, { id });
        }
      } else if (action >= 5 && !(action === 5 && chance(30))) {
        const beyond = await ask(customer, order, some(free().length + 1));
        expect(beyond.status, context).toBe(422);
        if (free().length === 0) continue;
        const quantity = 1 + draw(free().length);
        const { status, body } = await ask(customer, order, some(quantity));
        expect(status, context).toBe(201);
        for (const piece of oldestFirst(free()).slice(0, quantity)) piece.by = body.id;
        requests.push({ id: body.id, order_id: order.id, quantity, approved: false });
      } else if (action === 2 && open) {
        await answer(customer, open, "cancel");
        for (const piece of pieces) if (piece.by === open.id) piece.by = null;
        requests.splice(requests.indexOf(open), 1);
      } else if ((action === 3 || action === 4) && open) {
        await answer(supplier, open, "approve");
        const quantity = 1 + draw(open.quantity);
        const { status } = await answer(supplier, open, "receive", { items: some(quantity) });
        expect(status, context).toBe(200);
        const taken = oldestFirst(pieces.filter(({ by }) => by === open.id));
        for (const piece of taken.slice(quantity)) piece.by = null;
        requests.splice(requests.indexOf(open), 1);
      } else if (action === 5 && free().length > 0) {
        expect((await takeBack(operator, order, some(1))).status, context).toBe(201);
        const [piece] = oldestFirst(free());
        if (piece) piece.by = "a direct return";
      }
    }
    expect(pieces.length).toBeGreaterThan(10);
    expect(await violationsOf([product.id])).toEqual([]);
  });

  it("follows its statuses, by permitted roles only", async () => {
    const { supplier, customer, order, some } = await deliverMixed();
    const { body: rejected } = await ask(customer, order, some(0, 1));
    expectRefusal(await answer(customer, rejected, "approve"), 403, "FORBIDDEN");
    expectRefusal(await answer(supplier, rejected, "cancel"), 403, "FORBIDDEN");
    expect((await answer(supplier, rejected, "reject", { note: "Used." })).body).toMatchObject({
      status: "rejected",
      note: "Used.",
    });
    for (const [as, verb] of [
      [supplier, "approve"],
      [supplier, "reject"],
      [customer, "cancel"],
      [supplier, "receive"],
    ] as const) {
      expectRefusal(await answer(as, rejected, verb), 422, "INVALID_TRANSITION");
    }
    const { body: asked } = await ask(customer, order, some(0, 2));
    await answer(supplier, asked, "approve");
    const receive = (items: Some) => answer(supplier, asked, "receive", { items });
    expectRefusal(await receive(some(0, 3)), 422, "VALIDATION_ERROR");
    expectRefusal(await receive([...some(0, 1), ...some(0, 1)]), 422, "VALIDATION_ERROR");
    expectRefusal(await receive(some(1, 1)), 404, "NOT_FOUND");
    expect((await answer(supplier, asked, "receive")).body.items).toMatchObject([
      { quantity: 2, received_quantity: 2 },
    ]);
  });

  it("is received once when several members receive it concurrently", async () => {
    const { supplier, operator, customer, order, some, saffron } = await deliverMixed();
    const { body: asked } = await ask(customer, order, some(0, 3));
    await answer(supplier, asked, "approve");
    const answers = await Promise.all(
      [supplier, operator, supplier, operator].map((as) => answer(as, asked, "receive")),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422]);
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 10, reserved: 0 } });
  });

  it("works through supabase-js, and makes events", async () => {
    const { supplier, customer, order, some, tenantId } = await deliverMixed();
    const asking = { order_id: order.id, items: some(0, 1), reason: "Damp." };
    const { data: asked } = await supabaseAs(customer).rpc("request_return", asking).throwOnError();
    const named = { order_id: order.id, request_id: asked.id };
    const db = supabaseAs(supplier);
    await db.rpc("approve_return", named).throwOnError();
    const { data } = await db.rpc("receive_return", named).throwOnError();
    expect(data).toMatchObject({ id: asked.id, status: "received" });
    const { data: events } = await supabaseAsService()
      .from("events")
      .select("name, payload")
      .eq("tenant_id", tenantId)
      .like("name", "return.%")
      .order("created_at")
      .throwOnError();
    expect(events.map(({ name, payload: { data } }) => [name, data.return.id])).toEqual([
      ["return.requested", asked.id],
      ["return.approved", asked.id],
      ["return.received", asked.id],
    ]);
  });
});
