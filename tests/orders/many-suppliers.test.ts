import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import { must, openTestTenant, orderFor, type Person } from "../souk.js";
import { getOrder, move } from "./ordering.js";
import { deliverByTime, placeMixed, shipmentsOf } from "./shipping.js";

// An order with hundreds of suppliers that is moved by hand has a shipment for each, and events of each shipment.

/** An order with one product of each of this many suppliers. */
async function placeOfMany(suppliers: number) {
  const testTenant = await openTestTenant();
  const { tenantId, customer, marketplace } = testTenant;
  // The API would need two requests per supplier.
  const listed = await query<{ product_id: string }>(
    `with sellers as (
       insert into public.suppliers (tenant_id, name) select $1, 'Stall ' || n from generate_series(1, $3) as n
       returning id
     )
     insert into public.products (tenant_id, marketplace_id, supplier_id, name, price, currency)
     select $1, $2, s.id, 'Saffron', 5, 'EUR' from sellers s
     returning id as product_id`,
    [tenantId, marketplace.id, suppliers],
  );
  await query("update public.inventory set quantity = 10 where tenant_id = $1", [tenantId]);
  const order = await must("POST", "/api/orders", {
    as: customer,
    body: {
      ...orderFor({ marketplace_id: marketplace.id }),
      items: listed.map((product) => ({ ...product, quantity: 2, price: 5 })),
    },
  });
  return { ...testTenant, order };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of events as the API answers them.
async function eventsNamed(as: Person, name: string): Promise<any[]> {
  return (await must("GET", `/api/events?name=${name}&limit=1000`, { as })).events;
}

describe("an order of many suppliers that is moved by hand", () => {
  it("is delivered within the time limit, with a shipment and events for each", async () => {
    const { operator, order } = await placeOfMany(200);
    const answer = await move(operator, order, "delivered", "By the fair's own van.");
    expect(answer.body).toMatchObject({ status: "delivered" });
    expect(new Set(answer.body.parts.map((part: { status: string }) => part.status))).toEqual(
      new Set(["delivered"]),
    );

    const shipments = await shipmentsOf(operator, order);
    expect(new Set(shipments.map(({ supplier_id }) => supplier_id)).size).toBe(200);
    const ids = new Set(shipments.map(({ id }) => id));
    expect(ids.size).toBe(200);
    expect(
      shipments.every(
        ({ status, note, items }) =>
          status === "delivered" && note === "By the fair's own van." && items.length === 1,
      ),
    ).toBe(true);
    const [left] = await query(
      "select sum(quantity)::int as quantity, sum(reserved)::int as reserved from public.inventory where tenant_id = $1",
      [order.tenant_id],
    );
    expect(left).toEqual({ quantity: 1600, reserved: 0 });

    for (const [name, status] of [
      ["shipment.created", "shipped"],
      ["shipment.delivered", "delivered"],
    ] as const) {
      const events = await eventsNamed(operator, name);
      expect(events).toHaveLength(200);
      expect(new Set(events.map(({ data }) => data.shipment.id))).toEqual(ids);
      // The whole order in each event would be 60 MB.
      for (const { truncated, data } of events) {
        expect(truncated).toBe(true);
        expect(data.shipment).toMatchObject({ status, order_id: order.id });
        expect(data.order).toMatchObject({ id: order.id, status: "delivered", total: 2000 });
        expect(data.order).not.toHaveProperty("items");
      }
    }
    const [completed] = await eventsNamed(operator, "order.completed");
    expect(completed.data.order.items).toHaveLength(200);
  });

  it("has truncated events when a job delivers its shipments", async () => {
    const { operator, order } = await placeOfMany(40);
    await move(operator, order, "shipped");
    await deliverByTime(...(await shipmentsOf(operator, order)));
    expect(await getOrder(operator, order)).toMatchObject({ status: "delivered" });
    const events = await eventsNamed(operator, "shipment.delivered");
    expect(events).toHaveLength(40);
    expect(events.filter(({ truncated }) => truncated)).toHaveLength(40);
  });

  it("sends one message on its channel for all shipments", async () => {
    const { operator, order } = await placeOfMany(3);
    await move(operator, order, "delivered");
    const heard = await query(
      "select event from realtime.messages where topic = $1 and event like 'shipment.%' order by inserted_at",
      [`order:${order.id}`],
    );
    expect(heard).toEqual([{ event: "shipment.created" }, { event: "shipment.delivered" }]);
  });

  it("has complete events if it has few suppliers", async () => {
    const { operator, order } = await placeMixed();
    await move(operator, order, "shipped");
    const events = await eventsNamed(operator, "shipment.created");
    expect(events).toHaveLength(3);
    for (const { truncated, data } of events) {
      expect(truncated).toBeUndefined();
      expect(data.shipment.items).toHaveLength(1);
      expect(data.order.items).toHaveLength(3);
    }
  });
});
