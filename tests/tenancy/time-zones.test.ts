import { expect, it } from "vitest";
import { query } from "../database.js";
import { getOrder, pay, takeBack } from "../orders/ordering.js";
import { cancelItems, changeShipment, placeMixed, ship, shipmentsOf } from "../orders/shipping.js";
import { listProduct, must, orderFor, type Person, supabaseAs } from "../souk.js";

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
type Record_ = any;

const useZone = (operator: Person, time_zone: string) =>
  must("PATCH", "/api/tenant", { as: operator, body: { time_zone } });

/** The times in a record and the records in it, by their path. */
function timesIn(record: Record_, path = ""): [path: string, time: string, local: unknown][] {
  return Object.entries(record ?? {}).flatMap(([name, value]) => {
    if (typeof value === "object") return timesIn(value, `${path}${name}.`);
    if (!/_(at|by)$/.test(name) || typeof value !== "string") return [];
    return [[path + name, value, record[`${name}_local`]]];
  });
}

/** Checks that each time of a record has its text in the time zone beside it. Returns their paths. */
async function expectLocalTexts(record: Record_, time_zone: string): Promise<string[]> {
  const times = timesIn(record);
  expect(times).not.toEqual([]);
  const [expected] = await query<{ texts: string[] }>(
    `select set_config('timezone', $1, false),
       (select json_agg(at::timestamptz order by position) from unnest($2::text[]) with ordinality as t (at, position)) as texts`,
    [time_zone, times.map(([, time]) => time)],
  );
  expect(times.map(([path, , local]) => [path, local])).toEqual(
    times.map(([path], index) => [path, expected?.texts[index]]),
  );
  return times.map(([path]) => path);
}

/** A service of the supplier that can be booked at every hour. */
async function listService(supplier: Person): Promise<Record_> {
  const service = await listProduct(supplier, { kind: "service", inventory: { quantity: 0 } });
  const hours = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({
    weekday,
    opens: "00:00",
    closes: "24:00",
  }));
  await must("PUT", `/api/products/${service.id}/calendar`, {
    as: supplier,
    body: { time_zone: "Africa/Casablanca", duration_minutes: 60, hours },
  });
  return service;
}

it.each([
  "Pacific/Kiritimati",
  "America/St_Johns",
  "Asia/Kathmandu",
  "America/Los_Angeles",
])("shows the times of orders, shipments, bookings and slots in %s", async (zone) => {
  const mixed = await placeMixed();
  const { operator, supplier, customer, order, some } = mixed;
  await useZone(operator, zone);
  await pay(operator, order, "paid");
  await cancelItems(operator, order, some(0, 1));
  const shipped = (await ship(supplier, order, { items: some(0, 1) })).body;
  await expectLocalTexts(shipped, zone);
  await expectLocalTexts(
    (await changeShipment(supplier, shipped, { status: "delivered" })).body,
    zone,
  );
  await must("POST", `/api/orders/${order.id}/notes`, { as: customer, body: { text: "Thanks." } });
  await takeBack(operator, order, some(0, 1));
  for (const as of [operator, supplier, customer]) {
    expect(await expectLocalTexts(await getOrder(as, order), zone)).toContain("created_at");
    for (const shipment of await shipmentsOf(as, order)) {
      expect(await expectLocalTexts(shipment, zone)).toContain("delivered_at");
    }
  }
  expect(await expectLocalTexts(await getOrder(operator, order), zone)).toEqual(
    expect.arrayContaining([
      "updated_at",
      "history.0.created_at",
      "payments.0.created_at",
      "cancellations.0.created_at",
      "returns.0.created_at",
      "notes.0.created_at",
    ]),
  );
  const listed = await must("GET", "/api/orders", { as: operator });
  await expectLocalTexts(listed.orders[0], zone);

  const service = await listService(supplier);
  const { slots } = await must("GET", `/api/products/${service.id}/slots`, { as: customer });
  expect(await expectLocalTexts(slots[0], zone)).toEqual(["starts_at", "ends_at"]);
  const booked = await must("POST", "/api/orders", {
    as: customer,
    body: orderFor(service, 1, {
      items: [{ ...orderFor(service).items[0], starts_at: slots[0].starts_at }],
    }),
  });
  expect(await expectLocalTexts(booked, zone)).toEqual(
    expect.arrayContaining(["payment_due_at", "items.0.starts_at"]),
  );
  const { bookings } = await must("GET", "/api/bookings", { as: customer });
  expect(await expectLocalTexts(bookings[0], zone)).toEqual(
    expect.arrayContaining(["starts_at", "ends_at", "created_at", "updated_at"]),
  );
  for (const view of ["order_details", "shipment_details", "booking_details"]) {
    const { data } = await supabaseAs(customer).from(view).select().limit(1).throwOnError();
    await expectLocalTexts(data?.[0], zone);
  }
});
