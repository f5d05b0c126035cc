import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  register,
  registerClient,
  stockOf,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { violationsOf } from "./invariants.js";
import { doBusiness, getOrder, item, move, moved, pay, placed, takeBack } from "./ordering.js";
import {
  cancelItems,
  changeShipment,
  deliverByTime,
  passDeadline,
  placeMixed,
  ship,
  shipmentsOf,
} from "./shipping.js";

type Mixed = Awaited<ReturnType<typeof placeMixed>>;

const TRACKING = {
  carrier: "Caravan",
  tracking_number: "CV 1001",
  tracking_url: "https://caravan.example/CV1001",
  note: "By the gate.",
};

/** The statuses of an order and of its parts: the supplier's, the rival's and the operator's. */
async function standing({ operator, supplier, rival, order }: Mixed) {
  const { status, parts } = await getOrder(operator, order);
  const [own, theirs] = await Promise.all([getOrder(supplier, order), getOrder(rival, order)]);
  const rest = parts.find((part: { supplier_id: string | null }) => part.supplier_id === null);
  return [status, own.parts[0].status, theirs.parts[0].status, rest.status];
}

async function expectAllToHold({ saffron, mint, lamp }: Mixed) {
  expect(await violationsOf([saffron.id, mint.id, lamp.id])).toEqual([]);
}

describe("a shipment", () => {
  it("takes a supplier's pieces from the stock, and sets the order to processing", async () => {
    const mixed = await placeMixed();
    const { supplier, rival, operator, customer, saffron, order, some, tenantId } = mixed;
    const answer = await ship(supplier, order, { items: some(0, 2), ...TRACKING });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/functions/v1/orders/${order.id}`);
    expect(answer.body).toEqual({
      id: expect.any(String),
      tenant_id: tenantId,
      order_id: order.id,
      supplier_id: saffron.supplier_id,
      status: "shipped",
      resent: false,
      items: some(0, 2),
      ...TRACKING,
      actor_id: supplier.id,
      delivery_expected_by: expect.any(String),
      delivery_expected_by_local: expect.any(String),
      delivered_at: null,
      delivered_at_local: null,
      created_at: expect.any(String),
      created_at_local: expect.any(String),
      updated_at: expect.any(String),
      updated_at_local: expect.any(String),
      order_status: "processing",
    });
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 8, reserved: 1 } });
    expect(await standing(mixed)).toEqual(["processing", "processing", "pending", "pending"]);
    expect((await getOrder(customer, order)).items).toMatchObject([
      { quantity: 3, shipped_quantity: 2, delivered_quantity: 0 },
      { shipped_quantity: 0 },
      { shipped_quantity: 0 },
    ]);
    const days = Date.parse(answer.body.delivery_expected_by) - Date.now();
    expect(Math.round(days / 86_400_000)).toBe(14);

    // Everybody who sees the order sees it, except other suppliers.
    const { order_status: _, ...shipment } = answer.body;
    for (const person of [supplier, operator, customer]) {
      expect(await shipmentsOf(person, order)).toEqual([shipment]);
    }
    expect(await shipmentsOf(rival, order)).toEqual([]);
    const { data } = await supabaseAs(rival).from("shipment_items").select();
    expect(data).toEqual([]);
    expectRefusal(await changeShipment(rival, shipment, { note: "Mine" }), 404, "NOT_FOUND");
    await expectAllToHold(mixed);
  });

  it("contains all remaining items of the caller if items are omitted", async () => {
    const mixed = await placeMixed();
    const { supplier, rival, operator, order, some } = mixed;
    await ship(supplier, order, { items: some(0, 1) });
    expect((await ship(supplier, order)).body.items).toEqual(some(0, 2));
    expect((await ship(rival, order)).body).toMatchObject({ items: some(1, 2), note: null });
    expect(await standing(mixed)).toEqual(["processing", "shipped", "shipped", "pending"]);
    expect((await ship(operator, order)).body).toMatchObject({
      supplier_id: null,
      order_status: "shipped",
    });
    expect(await standing(mixed)).toEqual(["shipped", "shipped", "shipped", "shipped"]);
    expectRefusal(await ship(operator, order), 422, "VALIDATION_ERROR");
    await expectAllToHold(mixed);
  });

  it("is refused for more than the remaining pieces, and for items of others", async () => {
    const { supplier, operator, customer, order, some } = await placeMixed();
    expectRefusal(await ship(supplier, order, { items: some(0, 4) }), 422, "VALIDATION_ERROR", {
      field: "items[0].quantity",
    });
    const twice = [...some(0, 2), ...some(0, 2)];
    expectRefusal(await ship(supplier, order, { items: twice }), 422, "VALIDATION_ERROR", {
      field: "items[1].quantity",
    });
    expectRefusal(await ship(supplier, order, { items: some(1, 1) }), 404, "NOT_FOUND", {
      field: "items[0].item_id",
    });
    const both = [...some(0, 1), ...some(1, 1)];
    expectRefusal(await ship(operator, order, { items: both }), 422, "VALIDATION_ERROR", {
      field: "items",
    });
    expectRefusal(await ship(operator, order), 422, "VALIDATION_ERROR", { field: "items" });
    expectRefusal(await ship(customer, order), 403, "FORBIDDEN");
    const http = { tracking_url: "http://caravan.example" };
    expectRefusal(await ship(supplier, order, http), 422, "VALIDATION_ERROR", {
      field: "tracking_url",
    });
    expect(await shipmentsOf(operator, order)).toEqual([]);
  });

  it("is refused before the payment if ship_unpaid is false", async () => {
    const mixed = await placeMixed();
    const { operator, supplier, order } = mixed;
    await doBusiness(mixed, { ship_unpaid: false, delivered_after_days: 3 });
    expectRefusal(await ship(supplier, order), 422, "VALIDATION_ERROR");
    // A move by hand also ships.
    for (const status of ["shipped", "delivered"]) {
      expectRefusal(await move(operator, order, status), 422, "VALIDATION_ERROR");
    }
    await pay(operator, order);
    const { body } = await ship(supplier, order);
    const days = Date.parse(body.delivery_expected_by) - Date.now();
    expect(Math.round(days / 86_400_000)).toBe(3);
  });

  it("is delivered, lost or void once, with its pieces", async () => {
    const mixed = await placeMixed();
    const { supplier, operator, order, some, saffron } = mixed;
    const [first, second, third] = [
      (await ship(supplier, order, { items: some(0, 1) })).body,
      (await ship(supplier, order, { items: some(0, 1) })).body,
      (await ship(supplier, order, { items: some(0, 1) })).body,
    ];
    expect(await standing(mixed)).toEqual(["processing", "shipped", "pending", "pending"]);
    expect((await changeShipment(supplier, first, { status: "delivered" })).body).toMatchObject({
      status: "delivered",
      delivered_at: expect.any(String),
      order_status: "processing",
    });
    expect((await changeShipment(operator, second, { status: "lost" })).status).toBe(200);
    expect((await changeShipment(supplier, third, { status: "void" })).status).toBe(200);
    const { items, commissions } = await getOrder(operator, order);
    expect(items[0]).toMatchObject({
      shipped_quantity: 2,
      delivered_quantity: 1,
      lost_quantity: 1,
    });
    // The lost piece is gone and not sold. The void one is back and reserved.
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 8, reserved: 1 } });
    expect(commissions).toContainEqual(
      expect.objectContaining({ supplier_id: saffron.supplier_id, sales_amount: 20 }),
    );
    expect(await standing(mixed)).toEqual(["processing", "processing", "pending", "pending"]);
    for (const shipment of [first, second, third]) {
      for (const status of ["delivered", "lost", "void"]) {
        const refused = await changeShipment(operator, shipment, { status });
        expectRefusal(refused, 422, "INVALID_TRANSITION");
      }
    }
    // The tracking can be changed at any time.
    const { body } = await changeShipment(supplier, first, { carrier: "Mule", note: null });
    expect(body).toMatchObject({ carrier: "Mule", note: null, status: "delivered" });
    await expectAllToHold(mixed);
  });

  it("that is lost is sent again if there is stock", async () => {
    const mixed = await placeMixed();
    const { supplier, order, some, saffron } = mixed;
    const { body: shipment } = await ship(supplier, order, { items: some(0, 3) });
    const stock = (quantity: number) =>
      must("PATCH", `/api/products/${saffron.id}/inventory`, {
        as: supplier,
        body: { quantity, operation: "set" },
      });
    await stock(2);
    const again = { status: "lost", resend: true };
    const refused = await changeShipment(supplier, shipment, again);
    expectRefusal(refused, 422, "INSUFFICIENT_INVENTORY", { field: "resend" });
    await stock(5);
    expect((await changeShipment(supplier, shipment, again)).body).toMatchObject({
      status: "lost",
      resent: true,
      order_status: "processing",
    });
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 5, reserved: 3 } });
    expect((await ship(supplier, order)).body.items).toEqual(some(0, 3));
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 2, reserved: 0 } });
    await expectAllToHold(mixed);
  });

  it("can be voided by its creator and admins, unless pieces of it were returned", async () => {
    const mixed = await placeMixed();
    const { supplier, operator, order, some, tenantId } = mixed;
    const client = await registerClient(tenantId);
    const { body: byClient } = await ship(client, order, { items: some(0, 1) });
    const { body: bySupplier } = await ship(supplier, order, { items: some(0, 2) });
    const body = { status: "void" };
    expectRefusal(await changeShipment(client, bySupplier, body), 403, "FORBIDDEN");
    expectRefusal(await changeShipment(supplier, byClient, body), 403, "FORBIDDEN");
    expect((await changeShipment(client, byClient, body)).status).toBe(200);
    const voided = await must("GET", "/api/inventory/movements?reason=void", { as: supplier });
    expect(voided.movements).toMatchObject([{ reason: "void", quantity_change: 1 }]);
    await must("POST", `/api/orders/${order.id}/returns`, {
      as: operator,
      body: { items: some(0, 1) },
    });
    expectRefusal(await changeShipment(operator, bySupplier, body), 422, "VALIDATION_ERROR");
    // The returned piece counts as delivered. The other one is delivered now.
    await changeShipment(operator, bySupplier, { status: "delivered" });
    expect((await getOrder(operator, order)).items[0]).toMatchObject({
      shipped_quantity: 2,
      delivered_quantity: 2,
      returned_quantity: 1,
    });
    await expectAllToHold(mixed);
  });

  it("of several items is voided or sent again as a whole", async () => {
    const mixed = await placeMixed();
    const { supplier, customer, saffron } = mixed;
    const [mace, clove] = [
      await listProduct(supplier, { name: "Mace" }),
      await listProduct(supplier, { name: "Clove" }),
    ];
    const order = await must("POST", "/api/orders", {
      as: customer,
      body: { ...orderFor(saffron), items: [item(clove, 2), item(saffron, 1), item(mace, 3)] },
    });
    const { body: first } = await ship(supplier, order);
    const voided = await changeShipment(supplier, first, { status: "void" });
    expect(voided.body).toMatchObject({ status: "void", order_status: "processing" });
    const { body: second } = await ship(supplier, order);
    const again = { status: "lost", resend: true };
    expect((await changeShipment(supplier, second, again)).body).toMatchObject({ resent: true });
    expect(await stockOf(mace)).toEqual({ product: { quantity: 7, reserved: 3 } });
    expect(await violationsOf([saffron.id, mace.id, clove.id])).toEqual([]);
  });

  it("is refused after a hundred of its supplier, which does not limit other suppliers", async () => {
    const { supplier, rival, order, some, tenantId, customer, saffron } = await placeMixed();
    const { body: shipment } = await ship(supplier, order, { items: some(0, 1) });
    const copies = Array.from({ length: 99 }, () => ({
      ...{ tenant_id: tenantId, order_id: order.id, supplier_id: saffron.supplier_id },
      ...{ customer_id: order.customer_id, status: "void" as const },
      delivery_expected_by: shipment.delivery_expected_by,
    }));
    await supabaseAsService().from("shipments").insert(copies).throwOnError();
    expectRefusal(await ship(supplier, order), 422, "VALIDATION_ERROR");
    expect((await ship(rival, order)).status).toBe(201);
    expect(await shipmentsOf(customer, order)).toHaveLength(101);
  });

  it("counts as delivered after delivery_expected_by", async () => {
    const mixed = await placeMixed();
    const { supplier, rival, operator, order } = mixed;
    await ship(supplier, order);
    await ship(rival, order);
    const [first] = await shipmentsOf(operator, order);
    await deliverByTime(first);
    expect(await shipmentsOf(operator, order)).toMatchObject([
      { status: "delivered", delivered_at: expect.any(String) },
      { status: "shipped", delivered_at: null },
    ]);
    expect(await standing(mixed)).toEqual(["processing", "delivered", "shipped", "pending"]);
    await expectAllToHold(mixed);
  });

  it("causes events", async () => {
    const { supplier, operator, order, some, tenantId } = await placeMixed();
    const { body: first } = await ship(supplier, order, { items: some(0, 1) });
    const { body: second } = await ship(supplier, order, { items: some(0, 1) });
    await changeShipment(supplier, first, { status: "delivered" });
    await changeShipment(supplier, second, { status: "lost" });
    await cancelItems(supplier, order, some(0, 1), "Sold out.");
    const { data } = await supabaseAsService()
      .from("events")
      .select("name, payload")
      .eq("tenant_id", tenantId)
      .in("name", [
        "shipment.created",
        "shipment.delivered",
        "shipment.lost",
        "order.items_cancelled",
      ])
      .order("created_at")
      .throwOnError();
    const events = data.map(({ name, payload: { data } }) => [
      name,
      (data.shipment ?? data.cancellation).id,
      data.order.id,
    ]);
    const [cancellation] = (await getOrder(operator, order)).cancellations;
    expect(events).toEqual([
      ["shipment.created", first.id, order.id],
      ["shipment.created", second.id, order.id],
      ["shipment.delivered", first.id, order.id],
      ["shipment.lost", second.id, order.id],
      ["order.items_cancelled", cancellation.id, order.id],
    ]);
  });

  it("can be created and changed through supabase-js", async () => {
    const { supplier, customer, order, some } = await placeMixed();
    const db = supabaseAs(supplier);
    const { data: made } = await db
      .rpc("create_shipment", { order_id: order.id, items: some(0, 1), carrier: "Mule" })
      .throwOnError();
    const { data: changed } = await db
      .rpc("update_shipment", {
        order_id: order.id,
        shipment_id: made.id,
        changes: { status: "delivered" },
      })
      .throwOnError();
    expect(changed).toMatchObject({ id: made.id, status: "delivered" });
    const { data: seen } = await supabaseAs(customer).from("shipment_details").select("id, items");
    expect(seen).toEqual([{ id: made.id, items: some(0, 1) }]);
    const { error } = await db.from("shipments").insert({ order_id: order.id } as never);
    expect(error).toMatchObject({ code: "42501" });
    const unknown = await db.rpc("update_shipment", {
      order_id: order.id,
      shipment_id: made.id,
      changes: { quantity: 1 } as never,
    });
    expect(unknown.error).toMatchObject({ message: "VALIDATION_ERROR" });
  });
});

describe("the whole order", () => {
  it("that is moved by hand ships the remaining pieces, with one shipment per supplier, and delivers them", async () => {
    const mixed = await placeMixed();
    const { supplier, operator, order, some } = mixed;
    await ship(supplier, order, { items: some(0, 1) });
    await moved(operator, order, "shipped", "All of it.");
    const shipments = await shipmentsOf(operator, order);
    expect(shipments).toHaveLength(4);
    expect(shipments.map(({ note }) => note)).toEqual([null, ...Array(3).fill("All of it.")]);
    expect(shipments.flatMap(({ items }) => items)).toEqual(
      expect.arrayContaining([...some(0, 1), ...some(0, 2), ...some(1, 2), ...some(2, 1)]),
    );
    await moved(operator, order, "delivered");
    for (const { status } of await shipmentsOf(operator, order)) expect(status).toBe("delivered");
    expect(await standing(mixed)).toEqual(Array(4).fill("delivered"));
    await expectAllToHold(mixed);
  });

  it("cannot be cancelled after a shipment, but its open pieces can", async () => {
    const mixed = await placeMixed();
    const { rival, operator, customer, order } = mixed;
    const { body: shipment } = await ship(rival, order);
    expectRefusal(await move(operator, order, "cancelled"), 422, "VALIDATION_ERROR");
    expect((await cancelItems(operator, order)).body.order_status).toBe("shipped");
    expect(await standing(mixed)).toEqual(["shipped", "cancelled", "shipped", "cancelled"]);
    await changeShipment(rival, shipment, { status: "lost" });
    // Only lost and cancelled pieces are left.
    expect((await getOrder(customer, order)).status).toBe("returned");
    await expectAllToHold(mixed);
  });

  it("goes back to processing when a shipment is void", async () => {
    const mixed = await placeMixed();
    const { supplier, operator, order } = mixed;
    await moved(operator, order, "shipped");
    const own = await shipmentsOf(supplier, order);
    await changeShipment(operator, own[0], { status: "void" });
    expect(await standing(mixed)).toEqual(["processing", "processing", "shipped", "shipped"]);
    expect((await getOrder(operator, order)).history.at(-1)).toMatchObject({
      old_status: "shipped",
      new_status: "processing",
    });
    // A move by hand cannot go back.
    await moved(operator, order, "shipped");
    expectRefusal(await move(operator, order, "processing"), 422, "INVALID_TRANSITION");
    await expectAllToHold(mixed);
  });

  it("is found by the status of the caller's part", async () => {
    const { supplier, rival, order } = await placeMixed();
    await ship(supplier, order);
    const found = async (as: typeof supplier, status: string) =>
      (await must("GET", `/api/orders?part_status=${status}`, { as })).orders.map(
        ({ id }: { id: string }) => id,
      );
    expect(await found(supplier, "shipped")).toEqual([order.id]);
    expect(await found(supplier, "pending")).toEqual([]);
    expect(await found(rival, "pending")).toEqual([order.id]);
    expect(await found(rival, "shipped")).toEqual([]);
    const path = "/api/orders?part_status=shipped&booked_from=2026-01-01";
    expect((await must("GET", path, { as: supplier })).orders[0]).not.toHaveProperty("order_parts");
  });

  it("that is not paid before the deadline keeps its shipped pieces, and the others are cancelled", async () => {
    const mixed = await placeMixed();
    const { supplier, operator, customer, saffron, order } = mixed;
    const accepted = await placed(customer, saffron, 2);
    await moved(operator, accepted, "confirmed");
    for (const one of [order, accepted]) {
      await ship(supplier, one, { items: [{ item_id: one.items[0].id, quantity: 1 }] });
    }
    await passDeadline(order, accepted);
    expect(await standing(mixed)).toEqual(["shipped", "shipped", "cancelled", "cancelled"]);
    const seen = await getOrder(operator, order);
    expect(seen).toMatchObject({ payment_due_at: null, total_amount: 86 });
    expect(seen.items[0]).toMatchObject({ shipped_quantity: 1, cancelled_quantity: 2 });
    expect(seen.cancellations).toMatchObject([{ amount: 76, reason: "not paid in time" }]);
    // It costs the shipped piece.
    expectRefusal(await pay(operator, order), 422, "VALIDATION_ERROR");
    expect((await pay(operator, order, "paid", { amount: 10 })).status).toBe(201);
    // An order that was accepted by hand has no payment deadline.
    expect(await getOrder(operator, accepted)).toMatchObject({
      status: "processing",
      items: [{ cancelled_quantity: 0 }],
    });
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 8, reserved: 1 } });
    await expectAllToHold(mixed);
  });

  it("follows the example of docs/shipments.md", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, tenantId } = testTenant;
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const mule = { key: "mule", name: "By mule", price: 4, per_supplier: true };
    await doBusiness(testTenant, {
      commission_percent: 10,
      delivery: { methods: [mule], recipient: "supplier" },
    });
    const [first, second] = await Promise.all([
      listProduct(supplier, { price: 10 }),
      listProduct(rival, { price: 30 }),
    ]);
    const order = await placed(customer, first, 1, {
      items: [item(first, 2), item(second)],
      delivery_method: "mule",
    });
    const piece = { item_id: order.items[0].id, quantity: 1 };
    const row = async () => {
      const seen = await getOrder(operator, order);
      // biome-ignore lint/suspicious/noExplicitAny: parts and commissions as the API answers them.
      const of = (lines: any[]) =>
        [first, second].map(({ supplier_id }) => lines.find((l) => l.supplier_id === supplier_id));
      const stocks = await Promise.all([first, second].map((one) => stockOf(one)));
      const owed = await query<{ amount: string }>(
        "select private.owed_amount(o) as amount from public.orders o where o.id = $1",
        [order.id],
      );
      return [
        ...[seen.status, ...of(seen.parts).map((part) => part.status)],
        ...stocks.map(({ product }) => [product?.quantity, product?.reserved]),
        ...of(seen.commissions).map((line) => line.commission_amount),
        ...[Number(owed[0]?.amount), seen.refund_due],
      ];
    };
    await pay(operator, order);
    expect(await row()).toEqual(["pending", "pending", "pending", [10, 2], [10, 1], 2, 3, 58, 0]);
    const { body: shipment } = await ship(supplier, order);
    expect(await row()).toEqual(["processing", "shipped", "pending", [8, 0], [10, 1], 2, 3, 58, 0]);
    await cancelItems(rival, order);
    expect(await row()).toEqual(["shipped", "shipped", "cancelled", [8, 0], [10, 0], 2, 0, 24, 34]);
    await changeShipment(supplier, shipment, { status: "delivered" });
    await takeBack(operator, order, [piece]);
    expect(await row()).toEqual([
      ...["delivered", "delivered", "cancelled", [9, 0], [10, 0], 1, 0],
      ...[14, 44],
    ]);
    const { commissions } = await getOrder(supplier, order);
    expect(commissions).toMatchObject([{ payout_amount: 13 }]);
    expect(await violationsOf([first.id, second.id])).toEqual([]);
  });
});
