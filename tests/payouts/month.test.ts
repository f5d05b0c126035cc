import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { query } from "../database.js";
import { doBusiness, pay, placed, takeBack } from "../orders/ordering.js";
import { cancelItems } from "../orders/shipping.js";
import { listProduct, must, openBazaar } from "../souk.js";
import { balanceOf, changePayout, deliver, payFor, payOut, supplierOf } from "./paying.js";

// What docs/payouts.md works through by numbers, day by day.

/** The days on which something happens, with what is owed and due at their end, as the page says it. */
const days = readFileSync("docs/payouts.md", "utf8")
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [day, what, , owed, due] = line
      .slice(2, -2)
      .replaceAll("−", "-")
      .split(/\s*\|\s*/);
    return { day: Number(day), what: what as string, owed: Number(owed), due: Number(due) };
  });

it("goes as the page says, day by day", async () => {
  const bazaar = await openBazaar();
  const { operator, supplier, customer, tenantId } = bazaar;
  await doBusiness(bazaar, { commission_percent: 10 });
  const supplierId = await supplierOf(supplier);
  const lamp = await listProduct(supplier, { price: 20 });
  const order = await placed(customer, lamp, 5);
  const some = (quantity: number) => [{ item_id: order.items[0].id, quantity }];
  const paidOut = async () => {
    const { body } = await payOut(operator, supplierId);
    await changePayout(operator, body, { status: "paid", reference: "bank" });
  };
  const acts: Record<string, () => Promise<unknown>> = {
    "it is paid": () => payFor(operator, order),
    "one lamp is cancelled": () => cancelItems(supplier, order, some(1)),
    "three of the four are delivered": () => deliver(supplier, order, some(3)),
    "the last one is delivered": () => deliver(supplier, order),
    "a payout is made, and paid": paidOut,
    // A campaign's fee would be a test of its own: it is owed in the same words.
    "promotion cost 4.00": () =>
      query(
        `insert into private.unbilled_charges (tenant_id, supplier_id, currency, amount) values ($1, $2, 'EUR', 4)`,
        [tenantId, supplierId],
      ).then(() => query("select private.bill_promotion($1, $2)", [tenantId, supplierId])),
    "one of the three comes back after all": () => takeBack(operator, order, some(1)),
    "another order: one lamp, paid and delivered": async () => {
      const next = await placed(customer, lamp);
      await pay(operator, next);
      await deliver(supplier, next);
    },
    "a payout of 14.00 is made, and paid": paidOut,
  };
  expect(days).toHaveLength(13);
  let today = 1;
  for (const { day, what, owed, due } of days) {
    // As if the days between had passed.
    await query(
      `with paid as (
         update public.payments set created_at = created_at - $2::interval where tenant_id = $1
       )
       update public.shipments set delivered_at = delivered_at - $2::interval where tenant_id = $1`,
      [tenantId, `${day - today} days`],
    );
    today = day;
    await acts[what]?.();
    expect([what, await balanceOf(supplier, supplierId)]).toEqual([what, { owed, due }]);
  }
  expect(Object.keys(acts).filter((what) => !days.some((day) => day.what === what))).toEqual([]);
  expect((await must("GET", "/api/payouts", { as: supplier })).totals).toEqual([
    { currency: "EUR", amount: 68 },
  ]);
});
