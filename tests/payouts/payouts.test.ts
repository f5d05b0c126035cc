import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import { doBusiness, getOrder, move, pay, placed, takeBack } from "../orders/ordering.js";
import { cancelItems, changeShipment, placeMixed, ship } from "../orders/shipping.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openBazaar,
  type Person,
  register,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import {
  balanceOf,
  changePayout,
  deliver,
  ledgerOf,
  payFor,
  payOut,
  supplierOf,
} from "./paying.js";

/** A marketplace that keeps a tenth and pays out at once, with an order of three, two and one pieces. */
async function open(business: object = {}) {
  const mixed = await placeMixed();
  await doBusiness(mixed, { commission_percent: 10, payout_delay_days: 0, ...business });
  // Placed again, since orders keep the rates that they were placed with.
  const order = await must("POST", "/api/orders", {
    as: mixed.customer,
    body: {
      marketplace_id: mixed.marketplace.id,
      items: mixed.order.items.map(({ product_id, quantity, price }: Record<string, unknown>) => ({
        ...{ product_id, quantity, price },
      })),
      shipping_address: mixed.order.shipping_address,
    },
  });
  const some = (place: number, quantity: number) => [
    { item_id: order.items[place].id as string, quantity },
  ];
  const supplierId = await supplierOf(mixed.supplier);
  return { ...mixed, order, some, supplierId };
}

const holdsOf = (supplierId: string) => `/api/suppliers/${supplierId}/payout-holds`;

describe("a payout", () => {
  it("holds what is paid and delivered, piece by piece, less commission", async () => {
    const { operator, supplier, order, some, supplierId } = await open();
    expect(await ledgerOf(supplier)).toEqual([]);
    await deliver(supplier, order, some(0, 1));
    expectRefusal(await payOut(operator, supplierId), 422, "VALIDATION_ERROR", {
      field: "supplier_id",
    });
    await payFor(operator, order);
    await deliver(supplier, order, some(0, 1));
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: 27, due: 18 });

    const first = await payOut(operator, supplierId);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      ...{ supplier_id: supplierId, status: "pending", currency: "EUR", amount: 18 },
      amounts: { sold: 20, commission: -2 },
    });
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: 9, due: 0 });
    const { lines } = await must("GET", `/api/payouts/${first.body.id}/lines`, { as: supplier });
    expect(lines).toMatchObject([
      { kind: "sold", amount: 20, line_amount: 30, order_id: order.id, number: order.number },
      { kind: "commission", amount: -2, line_amount: -3, item_id: null },
    ]);

    await deliver(supplier, order);
    const second = await payOut(operator, supplierId);
    expect(second.body).toMatchObject({ amount: 9, amounts: { sold: 10, commission: -1 } });
    expect(await ledgerOf(supplier)).toEqual([
      ["sold", 30],
      ["commission", -3],
      ["payout", -18],
      ["payout", -9],
    ]);
    expectRefusal(await payOut(operator, supplierId), 422, "VALIDATION_ERROR");
    // The rival's own is untouched, and the operator owes itself nothing.
    expect(await ledgerOf(operator, `order_id=${order.id}&kind=sold`)).toEqual([
      ["sold", 30],
      ["sold", 6],
    ]);
  });

  it("waits until its pieces were delivered for payout_delay_days, or return_days", async () => {
    for (const [business, days] of [
      [{ payout_delay_days: 3 }, 3],
      [{ payout_delay_days: undefined, return_days: 5 }, 5],
      [{ payout_delay_days: undefined }, 14],
    ] as const) {
      const { operator, supplier, order, supplierId } = await open(business);
      await payFor(operator, order);
      await deliver(supplier, order);
      const age = (by: string) =>
        query(
          `with paid as (
             update public.payments set created_at = now() - $2::interval where order_id = $1
           )
           update public.shipments set delivered_at = now() - $2::interval where order_id = $1`,
          [order.id, by],
        );
      await age(`${days} days -1 hour`);
      expect((await balanceOf(supplier, supplierId)).due).toBe(0);
      expectRefusal(await payOut(operator, supplierId), 422, "VALIDATION_ERROR");
      await age(`${days} days 1 hour`);
      expect((await balanceOf(supplier, supplierId)).due).toBe(27);
      const until = new Date(Date.now() - 2 * 3_600_000).toISOString();
      expectRefusal(await payOut(operator, supplierId, { until }), 422, "VALIDATION_ERROR");
      expect((await payOut(operator, supplierId)).body).toMatchObject({ amount: 27 });
    }
  });

  it("holds what was handed out as soon as it was paid", async () => {
    const bazaar = await openBazaar();
    await doBusiness(bazaar, { payout_delay_days: 0 });
    const { operator, supplier, customer } = bazaar;
    const ebook = await listProduct(supplier, { kind: "digital", price: 7, inventory: undefined });
    const order = await placed(customer, ebook);
    await payFor(operator, order);
    expect(await balanceOf(supplier, await supplierOf(supplier))).toEqual({ owed: 7, due: 7 });
  });

  it("waits for an open return request, and takes back what came after it", async () => {
    const { operator, supplier, customer, order, some, supplierId, saffron } = await open();
    await payFor(operator, order);
    await deliver(supplier, order);
    const asked = await must("POST", `/api/orders/${order.id}/return-requests`, {
      as: customer,
      body: { items: some(0, 1), reason: "Too pale." },
    });
    const answer = (verb: string) =>
      must("POST", `/api/orders/${order.id}/return-requests/${asked.id}/${verb}`, { as: supplier });
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: 27, due: 18 });
    await answer("approve");
    expect((await payOut(operator, supplierId)).body).toMatchObject({ amount: 18 });
    await answer("receive");
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: 0, due: 0 });
    expectRefusal(await payOut(operator, supplierId), 422, "VALIDATION_ERROR");

    // Another comes back that was paid out: the next payout is that much less, and none is below 0.
    await takeBack(operator, order, some(0, 1));
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: -9, due: -9 });
    expectRefusal(await payOut(operator, supplierId), 422, "VALIDATION_ERROR");
    const next = await placed(customer, saffron, 2);
    await payFor(operator, next);
    await deliver(supplier, next);
    expect((await payOut(operator, supplierId)).body).toMatchObject({
      ...{ amount: 9, amounts: { sold: 30, returned: -20, commission: -1 } },
    });
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: 0, due: 0 });
  });

  it("owes nothing for what is cancelled or lost", async () => {
    const { operator, supplier, order, some, supplierId } = await open();
    await payFor(operator, order);
    await cancelItems(supplier, order, some(0, 1));
    const sent = await ship(supplier, order, { items: some(0, 1) });
    await changeShipment(supplier, sent.body, { status: "lost" });
    expect(await ledgerOf(supplier)).toEqual([
      ["sold", 30],
      ["commission", -3],
      ["cancelled", -10],
      ["commission", 1],
      ["lost", -10],
      ["commission", 1],
    ]);
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: 9, due: 0 });
    await deliver(supplier, order);
    expect((await payOut(operator, supplierId)).body).toMatchObject({
      ...{ amount: 9, amounts: { sold: 30, cancelled: -10, lost: -10, commission: -1 } },
    });
  });

  it("is paid by a reference, or fails and frees its lines", async () => {
    const { operator, supplier, order, supplierId } = await open();
    await payFor(operator, order);
    await deliver(supplier, order);
    const failing = (await payOut(operator, supplierId)).body;
    expectRefusal(
      await changePayout(operator, failing, { status: "paid" }),
      422,
      "VALIDATION_ERROR",
      { field: "reference" },
    );
    const failed = await changePayout(operator, failing, {
      ...{ status: "failed", note: "The account is closed." },
    });
    expect(failed.body).toMatchObject({ status: "failed", note: "The account is closed." });
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: 27, due: 27 });
    expectRefusal(
      await changePayout(operator, failing, { status: "paid", reference: "x" }),
      422,
      "INVALID_TRANSITION",
    );

    const next = (await payOut(operator, supplierId)).body;
    const paid = await changePayout(operator, next, { status: "paid", reference: "SEPA 17" });
    expect(paid.body).toMatchObject({ status: "paid", reference: "SEPA 17", amount: 27 });
    expectRefusal(
      await changePayout(operator, next, { status: "failed" }),
      422,
      "INVALID_TRANSITION",
    );
    expect(await ledgerOf(supplier, "kind=payout")).toEqual([
      ["payout", -27],
      ["payout", 27],
      ["payout", -27],
    ]);
    const { payouts, totals } = await must("GET", "/api/payouts?order=asc", { as: supplier });
    expect(payouts.map(({ status }: { status: string }) => status)).toEqual(["failed", "paid"]);
    expect(totals).toEqual([{ currency: "EUR", amount: 54 }]);
    const { events } = await must("GET", "/api/events?limit=1000", { as: operator });
    expect(
      events
        .filter(({ event }: { event: string }) => event.startsWith("payout."))
        .map(({ event, data }: { event: string; data: { payout: { id: string } } }) => [
          event,
          data.payout.id,
        ]),
    ).toEqual([
      ["payout.created", failing.id],
      ["payout.failed", failing.id],
      ["payout.created", next.id],
      ["payout.paid", next.id],
    ]);
  });

  it("is written of to its supplier, where the operator has a letter for that", async () => {
    const { operator, supplier, order, supplierId } = await open();
    await must("POST", "/api/email-templates", {
      as: operator,
      body: {
        ...{
          key: "paid_out",
          name: "Paid out",
          subject: "{{ payout.amount }} {{ payout.currency }}",
        },
        ...{ html_content: "<p>{{ payout.reference }}</p>", trigger_events: ["payout.paid"] },
      },
    });
    await payFor(operator, order);
    await deliver(supplier, order);
    const { body } = await payOut(operator, supplierId);
    await changePayout(operator, body, { status: "paid", reference: "SEPA 17" });
    const { mails } = await must("GET", "/api/mails?template=paid_out", { as: operator });
    expect(mails).toMatchObject([{ to: supplier.email }]);
  });

  it("leaves what is held, of an order or of all, until it is released", async () => {
    const { operator, supplier, rival, customer, order, supplierId, saffron } = await open();
    const other = await placed(customer, saffron, 1);
    for (const each of [order, other]) {
      await payFor(operator, each);
      await deliver(supplier, each);
    }
    const hold = (body: object) => call("POST", holdsOf(supplierId), { as: operator, body });
    const one = await hold({ order_id: order.id, reason: "The customer disputes it." });
    expect(one.status).toBe(201);
    expectRefusal(await hold({ order_id: order.id, reason: "Again." }), 409, "CONFLICT");
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: 36, due: 9 });
    const all = await hold({ reason: "Its papers are missing." });
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: 36, due: 0 });
    expectRefusal(await payOut(operator, supplierId), 409, "CONFLICT", { field: "supplier_id" });
    expect((await must("GET", holdsOf(supplierId), { as: supplier })).holds).toMatchObject([
      { order_id: order.id, reason: "The customer disputes it." },
      { order_id: null, reason: "Its papers are missing." },
    ]);

    const release = ({ body }: { body: { id: string } }) =>
      call("DELETE", `${holdsOf(supplierId)}/${body.id}`, { as: operator });
    const elsewhere = `${holdsOf(await supplierOf(rival))}/${all.body.id}`;
    expectRefusal(await call("DELETE", elsewhere, { as: operator }), 404, "NOT_FOUND");
    expect((await release(all)).status).toBe(204);
    expect((await payOut(operator, supplierId)).body).toMatchObject({ amount: 9 });
    expect((await release(one)).status).toBe(204);
    expectRefusal(await release(one), 404, "NOT_FOUND");
    expect((await payOut(operator, supplierId)).body).toMatchObject({ amount: 27 });
  });

  it("adds what an admin adjusts, and what suppliers bear of refunds", async () => {
    const { operator, supplier, order, some, supplierId } = await open();
    await payFor(operator, order);
    await deliver(supplier, order);
    const adjust = (body: object) =>
      call("POST", `/api/suppliers/${supplierId}/adjustments`, {
        as: operator,
        body: { currency: "EUR", reason: "A fair", amount: 5, ...body },
      });
    expect((await adjust({ amount: -2.5, order_id: order.id })).body).toMatchObject({
      ...{ kind: "adjustment", amount: -2.5, order_id: order.id, reason: "A fair" },
    });
    for (const [wrong, field] of [
      [{ amount: 0 }, "amount"],
      [{ amount: 0.001 }, "amount"],
      [{ currency: "XXX" }, "currency"],
      [{ reason: " " }, "reason"],
    ] as const) {
      expectRefusal(await adjust(wrong), 422, "VALIDATION_ERROR", { field });
    }
    expectRefusal(await adjust({ order_id: supplierId }), 404, "NOT_FOUND", { field: "order_id" });

    const refund = (reference: string, body: object) =>
      pay(operator, order, "refunded", { reference, borne_by: "supplier", ...body });
    const item = (place: number, amount: number) => [{ item_id: order.items[place].id, amount }];
    expectRefusal(await refund("a", { amount: 4 }), 422, "VALIDATION_ERROR", { field: "amount" });
    expectRefusal(await refund("a", { amount: 4, items: item(2, 4) }), 422, "VALIDATION_ERROR", {
      field: "items[0].amount",
    });
    await takeBack(operator, order, some(0, 1));
    // Of what came back it has lost the sale already.
    expectRefusal(await refund("a", { amount: 21, items: item(0, 21) }), 422, "VALIDATION_ERROR");
    const borne = await refund("a", { amount: 4, items: item(0, 4) });
    expect(borne.body).toMatchObject({ amount: 4, borne_by: "supplier", items: item(0, 4) });
    expect((await payOut(operator, supplierId)).body).toMatchObject({
      amount: 18 - 4 - 2.5,
      amounts: { sold: 30, returned: -10, commission: -2, refund: -4, adjustment: -2.5 },
    });
  });

  it("is in one currency, which is named where there are several", async () => {
    const { operator, supplier, supplierId, order } = await open();
    await must("POST", `/api/suppliers/${supplierId}/adjustments`, {
      as: operator,
      body: { amount: 100, currency: "JPY", reason: "A fair" },
    });
    await payFor(operator, order);
    await deliver(supplier, order);
    expectRefusal(await payOut(operator, supplierId), 422, "VALIDATION_ERROR", {
      field: "currency",
    });
    const yen = await payOut(operator, supplierId, { currency: "JPY" });
    expect(yen.body).toMatchObject({ currency: "JPY", amount: 100 });
    expect((await payOut(operator, supplierId)).body).toMatchObject({
      currency: "EUR",
      amount: 27,
    });
    expectRefusal(
      await payOut(operator, supplierId, { until: "2999-01-01T00:00:00Z" }),
      422,
      "VALIDATION_ERROR",
      { field: "until" },
    );
  });

  it("takes as many lines as it has room for, whole orders, and the next one the rest", async () => {
    const { operator, supplier, customer, order, supplierId, saffron, tenantId } = await open();
    const next = await placed(customer, saffron, 1);
    for (const each of [order, next]) {
      await payFor(operator, each);
      await deliver(supplier, each);
    }
    // Beside the order's own two lines more than there is room for; not all at once, which others would wait for.
    for (let some = 0; some < 8; some += 1) {
      await query(
        `insert into public.ledger_lines (tenant_id, supplier_id, currency, kind, amount, order_id, reason)
         select $1, $2, 'EUR', 'adjustment', 0.01, $3, 'A fair' from generate_series(1, 2500)`,
        [tenantId, supplierId, order.id],
      );
    }
    const first = await payOut(operator, supplierId);
    expect(first.body).toMatchObject({ amount: 227, amounts: { sold: 30, adjustment: 200 } });
    expect((await payOut(operator, supplierId)).body).toMatchObject({ amount: 9 });
  });

  it("is made once, however many make it at once", async () => {
    const { operator, supplier, order, supplierId } = await open();
    await payFor(operator, order);
    await deliver(supplier, order);
    const made = await Promise.all([1, 2, 3, 4].map(() => payOut(operator, supplierId)));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
    expect(await balanceOf(supplier, supplierId)).toEqual({ owed: 0, due: 0 });
  });

  it("is made by admins, and seen by them, clients and its supplier, through every door", async () => {
    const { operator, supplier, rival, customer, order, supplierId } = await open();
    await payFor(operator, order);
    await deliver(supplier, order);
    for (const person of [supplier, customer]) {
      expectRefusal(await payOut(person, supplierId), 403, "FORBIDDEN");
    }
    const rpc = await supabaseAs(operator).rpc("create_payout", { supplier_id: supplierId });
    expect(rpc.data).toMatchObject({ amount: 27 });
    const payout = rpc.data as unknown as { id: string };
    const seen = async (person: Person) => {
      const db = supabaseAs(person);
      const counts = [];
      for (const name of ["payouts", "payout_lines", "payout_line_details", "ledger_lines"]) {
        const { data } = await db.from(name).select();
        counts.push(data?.length ?? 0);
      }
      return counts;
    };
    expect(await seen(supplier)).toEqual([1, 2, 2, 3]);
    expect(await seen(rival)).toEqual([0, 0, 0, 2]);
    expect(await seen(customer)).toEqual([0, 0, 0, 0]);
    for (const stranger of [rival, customer, await register({ tenant_name: "Elsewhere" })]) {
      const path = `/api/payouts/${payout.id}`;
      expectRefusal(await call("GET", path, { as: stranger }), 404, "NOT_FOUND");
      expectRefusal(await call("GET", `${path}/lines`, { as: stranger }), 404, "NOT_FOUND");
      const balance = `/api/suppliers/${supplierId}/balance`;
      expectRefusal(await call("GET", balance, { as: stranger }), 404, "NOT_FOUND");
    }
    const changed = await supabaseAs(operator).from("payouts").update({ amount: 1 }).select();
    expect(changed.error?.code).toBe("42501");
    const forged = { ...{ tenant_id: operator.tenantId, supplier_id: supplierId }, amount: 9 };
    const row = { ...forged, currency: "EUR", kind: "adjustment" };
    expect((await supabaseAsService().from("ledger_lines").insert(row)).error?.code).toBe("42501");
  });
});

describe("what is to be given back", () => {
  it("is what was paid and is not owed, less what refunds give back by name", async () => {
    const { operator, supplier, customer, order, some } = await open();
    const due = async () => (await getOrder(customer, order)).refund_due;
    await cancelItems(operator, order, some(2, 1));
    expect(await due()).toBe(0);
    await pay(operator, order, "paid", { amount: 36 });
    expect(await due()).toBe(0);
    await cancelItems(supplier, order, some(0, 1));
    expect(await due()).toBe(10);
    // Goodwill names nothing.
    await pay(operator, order, "refunded", { amount: 3, reference: "sorry" });
    expect(await due()).toBe(10);
    const item = { item_id: order.items[0].id, amount: 10 };
    const named = await pay(operator, order, "refunded", {
      amount: 10,
      items: [item],
      reference: "r",
    });
    expect(named.body).toMatchObject({ amount: 10, items: [item], borne_by: "operator" });
    expect(await due()).toBe(0);
    await move(operator, order, "delivered");
    await takeBack(operator, order, [...some(0, 2), ...some(1, 2)]);
    // 26 are not owed any more, of which 3 were given away.
    expect(await due()).toBe(23);
    expect((await getOrder(supplier, order)).refund_due).toBe(0);
  });

  it("is refused for items that are not the order's, that cost less, or twice", async () => {
    const { operator, order } = await open();
    await payFor(operator, order);
    const [item] = order.items;
    const refund = (wish: object) =>
      pay(operator, order, "refunded", { amount: 40, reference: "r", ...wish });
    for (const [items, status, field] of [
      [[{ item_id: order.id, amount: 1 }], 404, "items[0].item_id"],
      [[{ item_id: item.id, amount: 30.01 }], 422, "items[0].amount"],
      [[{ item_id: item.id, amount: 0.001 }], 422, "items[0].amount"],
      [[item, item].map(({ id }) => ({ item_id: id, amount: 1 })), 422, "items[0].item_id"],
    ] as const) {
      const code = status === 404 ? "NOT_FOUND" : "VALIDATION_ERROR";
      expectRefusal(await refund({ items }), status, code, { field });
    }
    expectRefusal(await refund({ delivery_amount: 1 }), 422, "VALIDATION_ERROR", {
      field: "delivery_amount",
    });
    expectRefusal(
      await refund({ amount: 1, items: [{ item_id: item.id, amount: 2 }] }),
      422,
      "VALIDATION_ERROR",
      { field: "amount" },
    );
    expect((await refund({ items: [{ item_id: item.id, amount: 30 }] })).status).toBe(201);
    expectRefusal(
      await refund({ reference: "s", amount: 1, items: [{ item_id: item.id, amount: 1 }] }),
      422,
      "VALIDATION_ERROR",
      { field: "items[0].amount" },
    );
  });
});
