import { expect } from "vitest";
import { eventually } from "../eventually.js";
import {
  call,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  supabaseAsService,
} from "../souk.js";
import { item } from "./ordering.js";

// Helpers that ship and cancel items of orders, for several test files.

type Some = { item_id: string; quantity: number }[];

export function ship(as: Person, order: { id: string }, wish: object = {}) {
  return call("POST", `/api/orders/${order.id}/shipments`, { as, body: wish });
}

export function changeShipment(
  as: Person,
  shipment: { id: string; order_id: string },
  body: object,
) {
  const path = `/api/orders/${shipment.order_id}/shipments/${shipment.id}`;
  return call("PATCH", path, { as, body });
}

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
export async function shipmentsOf(as: Person, order: { id: string }): Promise<any[]> {
  return (await must("GET", `/api/orders/${order.id}/shipments`, { as })).shipments;
}

export function cancelItems(as: Person, order: { id: string }, items?: Some, reason?: string) {
  return call("POST", `/api/orders/${order.id}/cancellations`, { as, body: { items, reason } });
}

/** Runs the delivery of these shipments by time. The regular job may do it at the same moment. */
export async function deliverByTime(...shipments: { id: string }[]): Promise<void> {
  const service = supabaseAsService();
  const ids = shipments.map(({ id }) => id);
  const due = { delivery_expected_by: "2000-01-01" };
  await service.from("shipments").update(due).in("id", ids).throwOnError();
  await eventually(async () => {
    await service.rpc("deliver_due_shipments", { batch: 1000 }).throwOnError();
    const left = service.from("shipments").select("id").in("id", ids).eq("status", "shipped");
    expect((await left.throwOnError()).data).toEqual([]);
  });
}

/** Lets the payment deadline of these orders pass. The regular job may cancel them at the same moment. */
export async function passDeadline(...orders: { id: string }[]): Promise<void> {
  const service = supabaseAsService();
  const ids = orders.map(({ id }) => id);
  const due = { payment_due_at: "2000-01-01" };
  await service.from("orders").update(due).in("id", ids).throwOnError();
  await eventually(async () => {
    await service.rpc("cancel_unpaid_orders").throwOnError();
    const left = service
      .from("orders")
      .select("id")
      .in("id", ids)
      .not("payment_due_at", "is", null);
    expect((await left.throwOnError()).data).toEqual([]);
  });
}

/** An order of three pieces of one supplier, two of a rival, and one of the operator. */
export async function placeMixed(wish: object = {}) {
  const testTenant = await openTestTenant();
  const rival = await register({ tenant_id: testTenant.tenantId, role: "supplier" });
  const [saffron, mint, lamp] = await Promise.all([
    listProduct(testTenant.supplier, { price: 10 }),
    listProduct(rival, { name: "Mint", price: 3 }),
    listProduct(testTenant.operator, {
      name: "Lamp",
      price: 50,
      marketplace_id: testTenant.marketplace.id,
    }),
  ]);
  const order = await must("POST", "/api/orders", {
    as: testTenant.customer,
    body: {
      ...orderFor(saffron),
      items: [item(saffron, 3), item(mint, 2), item(lamp, 1)],
      ...wish,
    },
  });
  const some = (place: number, quantity: number) => [
    { item_id: order.items[place].id as string, quantity },
  ];
  return { ...testTenant, rival, saffron, mint, lamp, order, some };
}
