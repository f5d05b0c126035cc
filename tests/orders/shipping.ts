import { expect } from "vitest";
import { query } from "../database.js";
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

export function ship(as: Person, order: { id: string }, body: object = {}) {
  return call("POST", `/api/orders/${order.id}/shipments`, { as, body });
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

/** Moves the payment deadline of these orders into the past. */
export async function makeOverdue(...orders: { id: string }[]): Promise<void> {
  await supabaseAsService()
    .from("orders")
    .update({ payment_due_at: "2000-01-01" })
    .in(
      "id",
      orders.map(({ id }) => id),
    )
    .throwOnError();
}

/**
 * Cancels all overdue orders with the function of the job. It skips orders that another transaction has locked,
 * such as the job's own run, so this repeats it until none is overdue. Fails if any call fails.
 */
export async function cancelUnpaid(): Promise<void> {
  const errors: unknown[] = [];
  await eventually(async () => {
    const { error } = await supabaseAsService().rpc("cancel_unpaid_orders");
    if (error) errors.push(error);
    expect(await query("select private.unpaid_orders_wait() as wait")).toEqual([{ wait: false }]);
  });
  expect(errors).toEqual([]);
}

/** Lets the payment deadline of these orders pass, and runs the job. */
export async function passDeadline(...orders: { id: string }[]): Promise<void> {
  await makeOverdue(...orders);
  await cancelUnpaid();
}

/** An order of three pieces of one supplier, two of a rival, and one of the operator. */
export async function placeMixed(overrides: object = {}) {
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
      ...overrides,
    },
  });
  const some = (place: number, quantity: number) => [
    { item_id: order.items[place].id as string, quantity },
  ];
  return { ...testTenant, rival, saffron, mint, lamp, order, some };
}
