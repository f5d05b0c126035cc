import { describe, expect, it } from "vitest";
import { eventually } from "../eventually.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  type Person,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { doBusiness, item, moved, pay, placed, takeBack } from "./ordering.js";
import { cancelItems, changeShipment, placeMixed, ship } from "./shipping.js";

// When a supplier's line of commission is due: with its own part, and not with the order.

type Query = Record<string, string>;
type Mixed = Awaited<ReturnType<typeof placeMixed>>;

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
function list(as: Person, query: Query = {}): Promise<any> {
  return must("GET", `/api/commissions?${new URLSearchParams(query)}`, { as });
}

const at = (time: string | null) => (time === null ? null : new Date(time).toISOString());

/** The time at which a supplier's only line is due. */
async function dueOf(supplier: Person): Promise<string | null> {
  const { commissions } = await list(supplier);
  expect(commissions).toHaveLength(1);
  return at(commissions[0].due_at);
}

/** Reports the order as paid at a time in the past. */
async function paidAt({ order }: Mixed, created_at: string, amount = order.total_amount) {
  const { id: order_id, tenant_id, currency } = order;
  await supabaseAsService()
    .from("payments")
    .insert({ order_id, tenant_id, currency, created_at, amount, status: "paid", reference: "pi" })
    .throwOnError();
}

/** Ships items and reports them as delivered at a time in the past. */
async function deliveredAt(as: Person, order: { id: string }, delivered_at: string, body = {}) {
  const { body: shipment } = await ship(as, order, body);
  await changeShipment(as, shipment, { status: "delivered" });
  await supabaseAsService()
    .from("shipments")
    .update({ delivered_at })
    .eq("id", shipment.id)
    .throwOnError();
}

describe("a supplier's line of commission", () => {
  it("has the status of the supplier's part, and is found by it", async () => {
    const { operator, supplier, rival, saffron, order } = await placeMixed();
    await pay(operator, order);
    const { body: shipment } = await ship(supplier, order);
    await changeShipment(supplier, shipment, { status: "delivered" });
    const found = async (as: Person, query: Query) =>
      (await list(as, query)).commissions.map(({ supplier_id, status, order_status }: Query) => [
        supplier_id,
        status,
        order_status,
      ]);
    const line = [saffron.supplier_id, "delivered", "processing"];
    for (const status of ["status", "part_status"]) {
      const query = { payment_status: "paid", [status]: "delivered" };
      expect(await found(supplier, query)).toEqual([line]);
      expect(await found(operator, query)).toEqual([line]);
      expect(await found(rival, query)).toEqual([]);
      expect(await found(operator, { [status]: "processing" })).toEqual([]);
      expect(await found(rival, { [status]: "pending" })).toHaveLength(1);
      const { data } = await supabaseAs(supplier)
        .rpc("list_commissions", { [status]: "delivered" })
        .throwOnError();
      expect(data).toMatchObject({ total: 1, totals: [{ sales_amount: 30 }] });
    }
    // Both are conditions.
    expect(await found(operator, { status: "delivered", part_status: "pending" })).toEqual([]);
  });

  it("is due after the payout delay, from the later of its payment and its delivery on", async () => {
    const mixed = await placeMixed();
    const { supplier, rival, order } = mixed;
    await deliveredAt(supplier, order, "2026-10-05T10:00:00Z");
    expect(await dueOf(supplier)).toBeNull();
    await paidAt(mixed, "2026-10-03T10:00:00Z");
    for (const [business, due] of [
      [{}, "2026-10-19T10:00:00.000Z"],
      [{ return_days: 20 }, "2026-10-25T10:00:00.000Z"],
      [{ return_days: 20, payout_delay_days: 3 }, "2026-10-08T10:00:00.000Z"],
      [{ payout_delay_days: 0 }, "2026-10-05T10:00:00.000Z"],
    ] as const) {
      await doBusiness(mixed, business);
      expect(await dueOf(supplier)).toBe(due);
    }
    // The rival has not delivered its part.
    expect(await dueOf(rival)).toBeNull();
    await deliveredAt(rival, order, "2026-10-01T10:00:00Z");
    expect(await dueOf(rival)).toBe("2026-10-03T10:00:00.000Z");
  });

  it("is found by the days on which it is due, in the tenant's time zone", async () => {
    const mixed = await placeMixed();
    const { operator, supplier, rival, order } = mixed;
    await doBusiness(mixed, { payout_delay_days: 2 });
    await must("PATCH", "/api/tenant", {
      as: operator,
      body: { time_zone: "Pacific/Auckland" },
    });
    await paidAt(mixed, "2026-10-03T10:00:00Z");
    // In Auckland, October ends on the 31st at 11:00 UTC.
    await deliveredAt(supplier, order, "2026-10-29T10:59:59Z");
    await deliveredAt(rival, order, "2026-10-29T11:00:00Z");
    const found = async (as: Person, query: Query) => {
      const { total, totals } = await list(as, query);
      return [total, ...totals.map(({ sales_amount }: { sales_amount: number }) => sales_amount)];
    };
    const october = { due_from: "2026-10-01", due_to: "2026-10-31" };
    expect(await found(operator, october)).toEqual([1, 30]);
    expect(await found(operator, { due_from: "2026-11-01" })).toEqual([1, 6]);
    expect(await found(operator, { due_from: "2026-10-31", due_to: "2026-11-01" })).toEqual([
      2, 36,
    ]);
    expect(await found(supplier, october)).toEqual([1, 30]);
    expect(await found(rival, october)).toEqual([0]);
    // Times are exact: from is included, to is not.
    const last = "2026-10-31T10:59:59Z";
    expect(await found(operator, { due_to: last })).toEqual([0]);
    expect(await found(operator, { due_from: last, due_to: "2026-10-31T11:00:00Z" })).toEqual([
      1, 30,
    ]);
    const paid = { payment_status: "paid", status: "delivered", ...october };
    expect(await found(operator, paid)).toEqual([1, 30]);
    const { data } = await supabaseAs(rival)
      .rpc("list_commissions", { due_from: "2026-11-01", due_to: "2026-11-01" })
      .throwOnError();
    expect(data).toMatchObject({ total: 1 });
    for (const field of ["due_from", "due_to"]) {
      for (const value of ["soon", "2026-02-30", "2026-10"]) {
        const refused = await call("GET", `/api/commissions?${field}=${value}`, { as: operator });
        expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
        const { error } = await supabaseAs(operator).rpc("list_commissions", { [field]: value });
        expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
      }
    }
  });

  it("is due with the last piece that the customer keeps, if an item is delivered in parts", async () => {
    const mixed = await placeMixed();
    const { operator, supplier, rival, customer, order, some } = mixed;
    await doBusiness(mixed, { payout_delay_days: 0 });
    await paidAt(mixed, "2026-10-01T10:00:00Z");
    await deliveredAt(supplier, order, "2026-10-05T10:00:00Z", { items: some(0, 1) });
    expect(await dueOf(supplier)).toBeNull();
    const { body: lost } = await ship(supplier, order, { items: some(0, 1) });
    await cancelItems(supplier, order, some(0, 1));
    expect(await dueOf(supplier)).toBeNull();
    await changeShipment(supplier, lost, { status: "lost" });
    expect(await dueOf(supplier)).toBe("2026-10-05T10:00:00.000Z");

    await deliveredAt(rival, order, "2026-10-05T10:00:00Z", { items: some(1, 1) });
    await deliveredAt(rival, order, "2026-10-07T10:00:00Z", { items: some(1, 1) });
    expect(await dueOf(rival)).toBe("2026-10-07T10:00:00.000Z");
    await takeBack(operator, order, some(1, 1));
    expect(await dueOf(rival)).toBe("2026-10-07T10:00:00.000Z");

    // Only the newer piece can be requested back.
    const again = await placed(customer, mixed.mint, 2);
    const items = [{ item_id: again.items[0].id, quantity: 1 }];
    await paidAt({ ...mixed, order: again }, "2026-10-01T10:00:00Z");
    await deliveredAt(rival, again, "2026-10-05T10:00:00Z", { items });
    await deliveredAt(rival, again, new Date().toISOString(), { items });
    const due = async () => at((await list(rival)).commissions[0].due_at);
    expect(await due()).not.toBe("2026-10-05T10:00:00.000Z");
    const requests = `/api/orders/${again.id}/return-requests`;
    const asked = await must("POST", requests, { as: customer, body: { items } });
    await must("POST", `${requests}/${asked.id}/approve`, { as: rival, body: {} });
    expect(await due()).not.toBe("2026-10-05T10:00:00.000Z");
    await must("POST", `${requests}/${asked.id}/receive`, { as: rival, body: {} });
    expect(await due()).toBe("2026-10-05T10:00:00.000Z");
  });

  it("does not wait for items that came back, were lost or cancelled", async () => {
    const mixed = await placeMixed();
    const { operator, supplier, rival, customer, saffron } = mixed;
    const other = await listProduct(supplier, { price: 7 });
    const items = [item(saffron), item(other), item(mixed.mint)];
    const order = await placed(customer, saffron, 1, { items });
    await doBusiness(mixed, { payout_delay_days: 0 });
    await paidAt({ ...mixed, order }, "2026-10-01T10:00:00Z");
    const one = (place: number) => [{ item_id: order.items[place].id, quantity: 1 }];
    await deliveredAt(supplier, order, "2026-10-05T10:00:00Z", { items: one(0) });
    await deliveredAt(supplier, order, "2026-10-09T10:00:00Z", { items: one(1) });
    const due = async (as: Person) => at((await list(as)).commissions[0].due_at);
    expect(await due(supplier)).toBe("2026-10-09T10:00:00.000Z");
    await takeBack(operator, order, one(1));
    expect(await due(supplier)).toBe("2026-10-05T10:00:00.000Z");
    // Nothing of a cancelled part is due.
    await cancelItems(rival, order);
    expect(await due(rival)).toBeNull();
  });

  it("of a booked slot is due from the end of the slot on, although it was paid before", async () => {
    const mixed = await placeMixed();
    const { operator, supplier, customer } = mixed;
    await doBusiness(mixed, { payout_delay_days: 2 });
    const hammam = await listProduct(supplier, { kind: "service", inventory: { quantity: 0 } });
    const weekdays = [1, 2, 3, 4, 5, 6, 7];
    const hours = weekdays.map((weekday) => ({ weekday, opens: "09:00", closes: "12:00" }));
    await must("PUT", `/api/products/${hammam.id}/calendar`, {
      as: supplier,
      body: { time_zone: "UTC", duration_minutes: 60, hours },
    });
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const due = async () => at((await list(supplier)).commissions[0].due_at);
    const service = supabaseAsService();
    const endsAt = (order: { id: string }, ends_at: string) => {
      const starts_at = new Date(Date.parse(ends_at) - 3_600_000).toISOString();
      const slots = service.from("bookings").update({ starts_at, ends_at });
      return slots.eq("order_id", order.id).throwOnError();
    };
    const run = () => service.rpc("deliver_ended_bookings", { batch: 1000 }).throwOnError();
    const book = (hour: string) =>
      placed(customer, hammam, 1, {
        items: [item(hammam, 1, { starts_at: `${day}T${hour}:00:00Z` })],
      });

    const order = await book("09");
    await paidAt({ ...mixed, order }, "2026-10-01T10:00:00Z");
    expect(await due()).toBeNull();
    await endsAt(order, "2026-11-20T10:00:00Z");
    await eventually(async () => {
      await run();
      expect(await due()).toBe("2026-11-22T10:00:00.000Z");
    });
    expect((await list(operator, { due_to: "2026-11-22T10:00:00Z" })).total).toBe(0);
    expect((await list(operator, { due_from: "2026-11-22", due_to: "2026-11-22" })).total).toBe(1);

    // One that is reported before its end is due again later.
    const early = await book("10");
    await paidAt({ ...mixed, order: early }, "2026-10-01T10:00:00Z");
    await deliveredAt(supplier, early, "2026-10-05T10:00:00Z");
    expect(await due()).toBe("2026-10-07T10:00:00.000Z");
    await endsAt(early, "2026-10-09T10:00:00Z");
    await eventually(async () => {
      await run();
      expect(await due()).toBe("2026-10-11T10:00:00.000Z");
    });
  });

  it("is not due while its payment is reversed, and digital goods are due with their payment", async () => {
    const mixed = await placeMixed();
    const { operator, supplier, customer } = mixed;
    const recipe = await listProduct(supplier, { kind: "digital", price: 7, inventory: undefined });
    await doBusiness(mixed, { payout_delay_days: 0 });
    const order = await placed(customer, recipe);
    const due = async () => at((await list(supplier)).commissions[0].due_at);
    expect(await due()).toBeNull();
    const { body: first } = await pay(operator, order);
    expect(await due()).toBe(at(first.created_at));
    await call("POST", `/api/orders/${order.id}/payments`, {
      as: operator,
      body: { status: "payment_reversed", reference: "paid-1" },
    });
    expect(await due()).toBeNull();
    const { body: second } = await pay(operator, order, "paid", { reference: "paid-2" });
    expect(await due()).toBe(at(second.created_at));
    // A product that costs nothing is paid from the start.
    const free = await placed(customer, await listProduct(supplier, { price: 0 }));
    await moved(operator, free, "delivered");
    expect(await due()).not.toBeNull();
  });
});
