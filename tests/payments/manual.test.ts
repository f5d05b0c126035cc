import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { doBusiness, getOrder, move, moved, pay, placed } from "../orders/ordering.js";
import { cancelItems } from "../orders/shipping.js";
import { balanceOf, NO_BALANCE, openShop, ordered, type Row, type Shop } from "../payouts/shop.js";
import {
  type Answer,
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  type Person,
  persist,
  register,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";

// Payments by bank transfer or in cash, who may begin and capture payments, and what cannot be paid. Stripe is off here.

const INSTRUCTIONS = "Transfer to DE00 1234, with the order's number.";

let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ payment_instructions: INSTRUCTIONS });
});

const sessionsPath = ({ id }: Row) => `/api/orders/${id}/payment-sessions`;

const begin = (as: Person, order: Row, more: object = {}): Promise<Answer> =>
  persist("POST", sessionsPath(order), { as, body: { provider: "manual", ...more } });

async function begun(...beginning: Parameters<typeof begin>): Promise<Row> {
  const { status, body } = await begin(...beginning);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
}

const capture = (as: Person, { id }: Row, body: object = {}): Promise<Answer> =>
  persist("POST", `/api/payment-sessions/${id}/capture`, { as, body });

const refund = (as: Person, { id }: Row, body: object): Promise<Answer> =>
  persist("POST", `/api/orders/${id}/refunds`, { as, body });

const sessionsOf = async (as: Person, order: Row): Promise<Row[]> =>
  (await must("GET", sessionsPath(order), { as })).payment_sessions;

const order = (pieces: [Row, number][] = [[shop.saffron, 2]]) => ordered(shop, pieces);

describe("a payment by hand", () => {
  it("shows how to pay, and is captured when the money has come", async () => {
    const { operator, customer, client, supplierId } = shop;
    const { due } = await balanceOf(operator, supplierId);
    const bought = await order();
    const session = await begun(customer, bought);
    expect(session).toMatchObject({
      ...{ id: expect.any(String), order_id: bought.id, provider: "manual", status: "open" },
      ...{ amount: 20, currency: "EUR", reference: null, instructions: INSTRUCTIONS },
    });
    expect(session).not.toHaveProperty("client_secret");
    expect(session).not.toHaveProperty("publishable_key");
    expect((await begun(client, bought)).id).toBe(session.id);
    expect(await capture(operator, session, { reference: "Bank 17" })).toMatchObject({
      ...{ status: 200, body: { id: session.id, status: "paid", reference: "Bank 17" } },
    });
    expect(await getOrder(customer, bought)).toMatchObject({
      payment_status: "paid",
      payments: [{ status: "paid", amount: 20, reference: "Bank 17" }],
    });
    expectRefusal(await capture(operator, session), 422, "INVALID_TRANSITION", { field: "status" });
    await moved(operator, bought, "delivered");
    expect((await balanceOf(operator, supplierId)).due - due).toBe(18);
    // The operator gives back by hand what it took by hand.
    const given = await refund(operator, bought, { amount: 5, reason: "A scratch" });
    expect(given).toMatchObject({
      status: 201,
      body: { provider: "manual", status: "succeeded", amount: 5, reason: "A scratch" },
    });
    expect((await getOrder(customer, bought)).payments).toMatchObject([
      { status: "paid" },
      { status: "refunded", amount: 5, reference: given.body.id },
    ]);
    expect(await query("select from private.jobs where subject_id = $1", [given.body.id])).toEqual(
      [],
    );
    const refundsOf = async () =>
      (await must("GET", `/api/orders/${bought.id}/refunds`, { as: customer })).refunds;
    expect(await refundsOf()).toMatchObject([{ id: given.body.id, status: "succeeded" }]);
    // The transfer comes back.
    const undone = { amount: 5, reference: given.body.id };
    expect((await pay(operator, bought, "refund_failed", undone)).status).toBe(201);
    expect(await refundsOf()).toMatchObject([{ id: given.body.id, status: "failed" }]);
  });

  it("takes each reference once, and may be reversed", async () => {
    const { operator, customer } = shop;
    const bought = await order();
    const reverse = async (reference: string) =>
      expect((await pay(operator, bought, "payment_reversed", { reference })).status).toBe(201);
    await pay(operator, bought, "paid", { reference: "Bank 18" });
    await reverse("Bank 18");
    const session = await begun(customer, bought);
    expectRefusal(await capture(operator, session, { reference: "Bank 18" }), 409, "CONFLICT", {
      ...{ field: "reference", value: "Bank 18" },
    });
    expect(await sessionsOf(operator, bought)).toMatchObject([{ status: "open" }]);
    expect((await capture(operator, session, { reference: "Bank 19" })).status).toBe(200);
    await reverse("Bank 19");
    expect(await sessionsOf(customer, bought)).toMatchObject([{ status: "reversed" }]);
    expect((await begun(customer, bought)).id).not.toBe(session.id);
  });

  it("has the price of the order when it is captured, and a reference of its own", async () => {
    const { operator, client, customer, rival } = shop;
    const bought = await order([
      [shop.saffron, 1],
      [shop.mint, 1],
    ]);
    const session = await begun(customer, bought);
    expect(session.amount).toBe(13);
    expect((await cancelItems(rival, bought)).status).toBe(201);
    expect((await capture(client, session)).body).toMatchObject({ status: "paid", amount: 10 });
    const { payment_status, payments } = await getOrder(operator, bought);
    expect([payment_status, payments]).toMatchObject([
      "paid",
      [{ amount: 10, reference: expect.stringMatching(/./) }],
    ]);
  });

  it("without instructions has none, and those are a text", async () => {
    const testTenant = await openTestTenant();
    const product = await listProduct(testTenant.supplier);
    const bought = await placed(testTenant.customer, product);
    expect((await begun(testTenant.customer, bought)).instructions ?? null).toBeNull();
    for (const business of [
      { payment_instructions: " " },
      { payment_instructions: "x".repeat(2001) },
      { payment_instructions: 1 },
      { payment_capture: "later" },
      { payment_capture: true },
    ]) {
      const path = `/api/marketplaces/${testTenant.marketplace.id}`;
      const body = { settings: { business } };
      const field = `settings.business.${Object.keys(business)[0]}`;
      const through = await call("PUT", path, { as: testTenant.operator, body });
      expectRefusal(through, 422, "VALIDATION_ERROR", { field });
      const direct = await supabaseAs(testTenant.operator).rpc("change_marketplace", {
        ...{ marketplace_id: testTenant.marketplace.id, changes: body },
      });
      expect(direct.error?.details).toContain(field);
    }
    await doBusiness(testTenant, { payment_capture: "manual", payment_instructions: "x" });
    expect((await begun(testTenant.customer, bought)).instructions).toBe("x");
  });

  it("is begun and captured once by callers at the same time", async () => {
    const { operator, client, customer } = shop;
    const bought = await order();
    const sessions = await Promise.all(
      [customer, customer, operator, client].map((as) => begun(as, bought)),
    );
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
    const [session] = sessions as [Row];
    const captures = await Promise.all(
      [operator, client, operator].map((as, n) => capture(as, session, { reference: `${n}` })),
    );
    expect(captures.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    const { payments, notes } = await getOrder(operator, bought);
    expect([payments.length, notes]).toEqual([1, []]);
    expect(await sessionsOf(operator, bought)).toMatchObject([{ status: "paid" }]);
    // None of them was taken for a second payment.
    const { refunds } = await must("GET", `/api/orders/${bought.id}/refunds`, { as: operator });
    expect(refunds).toEqual([]);
  });

  it("is begun once with an Idempotency-Key", async () => {
    const { customer } = shop;
    const bought = await order();
    const once = () =>
      persist("POST", sessionsPath(bought), {
        ...{ as: customer, body: { provider: "manual" } },
        headers: { "idempotency-key": `begin ${bought.id}` },
      });
    const [first, second] = [await once(), await once()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).toBe(first.body.id);
  });
});

describe("who", () => {
  it("pays an order is its buyer, a client or an admin; who captures is not a buyer", async () => {
    const { operator, client, supplier, customer, tenantId } = shop;
    const bought = await order();
    const [other, stranger] = [await register({ tenant_id: tenantId }), await openTestTenant()];
    const answers = async (ask: (as: Person) => Promise<Answer>) => {
      const callers = [supplier, other, stranger.operator, stranger.customer];
      const given = await Promise.all(callers.map(ask));
      return given.map(({ status, body }) => [status, body.error?.code]);
    };
    const missing = [404, "NOT_FOUND"];
    const forbidden = [403, "FORBIDDEN"];
    expect(await answers((as) => begin(as, bought))).toEqual([
      ...[forbidden, missing, missing, missing],
    ]);
    const session = await begun(customer, bought);
    for (const as of [operator, client]) expect((await begun(as, bought)).id).toBe(session.id);
    expect(await answers((as) => capture(as, session))).toEqual([
      ...[forbidden, forbidden, missing, forbidden],
    ]);
    expectRefusal(await capture(customer, session), 403, "FORBIDDEN");
    expectRefusal(await capture(operator, { id: randomUUID() }), 404, "NOT_FOUND");
    for (const list of ["payment-sessions", "refunds"]) {
      const path = `/api/orders/${bought.id}/${list}`;
      const [ofSupplier, ...others] = await answers((as) => call("GET", path, { as }));
      expect(ofSupplier, list).toEqual([200, undefined]);
      expect(others, list).toEqual([missing, missing, missing]);
    }
    expect(await sessionsOf(customer, bought)).toMatchObject([{ id: session.id, status: "open" }]);

    const guest = await openGuest(shop.marketplace);
    const contact = { email: `${randomUUID()}@example.com` };
    const ofGuest = await placed(guest, shop.mint, 1, { contact });
    const begunByGuest = await begun(guest, ofGuest);
    expect(begunByGuest).toMatchObject({ status: "open", instructions: INSTRUCTIONS });
    expect(await sessionsOf(guest, ofGuest)).toMatchObject([{ id: begunByGuest.id }]);
    expectRefusal(await begin(guest, bought), 404, "NOT_FOUND");
  });

  it("writes sessions and refunds is Souk alone", async () => {
    const { operator, client, supplier, customer, tenantId } = shop;
    const bought = await order();
    const session = await begun(customer, bought);
    const reports = [{ tenant_id: tenantId, session_id: session.id, status: "paid", amount: "20" }];
    for (const as of [operator, client, supplier, customer]) {
      const db = supabaseAs(as);
      const row = { tenant_id: tenantId, order_id: bought.id, provider: "stripe", amount: 1 };
      for (const { error } of [
        await db.from("payment_sessions").insert({ ...row, currency: "EUR" }),
        await db.from("payment_sessions").update({ status: "paid" }).eq("id", session.id),
        await db.from("payment_sessions").delete().eq("id", session.id),
        await db.from("refunds").insert({ ...row, payment_reference: "pi_1" }),
        await db.rpc("record_payment_reports", { provider: "manual", reports }),
        await db.rpc("record_payment_session", {
          ...{ tenant_id: tenantId, session_id: session.id, reference: "pi_1" },
        }),
        await db.rpc("lease_refunds", { batch: 1 }),
        await db.rpc("record_refund", {
          ...{ refund_id: randomUUID(), lease: randomUUID(), outcome: "succeeded" },
        }),
      ]) {
        expect(error?.code).toBe("42501");
      }
    }
    expect(await sessionsOf(customer, bought)).toMatchObject([{ status: "open", amount: 20 }]);
    const { data } = await supabaseAs(supplier).from("payment_sessions").select();
    expect(data).toEqual([]);
    // The function's own key may not write rows past the rules either.
    const direct = supabaseAsService().from("payment_sessions").update({ status: "paid" });
    expect((await direct.eq("id", session.id)).error?.code).toBe("42501");
  });
});

describe("what cannot be paid", () => {
  it("is an order that is paid, cancelled or free", async () => {
    const { operator, customer } = shop;
    const [paid, cancelled] = [await order(), await order()];
    const open = await begun(customer, cancelled);
    await pay(operator, paid);
    await move(customer, cancelled, "cancelled");
    const gift = await listProduct(operator, { price: 0, marketplace_id: shop.marketplace.id });
    const free = await placed(customer, gift);
    expectRefusal(await begin(customer, paid), 422, "INVALID_TRANSITION", {
      ...{ field: "payment_status", value: "paid" },
    });
    for (const one of [cancelled, free]) {
      expectRefusal(await begin(customer, one), 422, "INVALID_TRANSITION");
    }
    expectRefusal(await capture(operator, open), 422, "INVALID_TRANSITION");
    expect((await getOrder(operator, cancelled)).payments).toEqual([]);
  });

  it("is what Stripe or nobody takes, with an address that is none, or begun a hundred times", async () => {
    const { customer, operator, tenantId } = shop;
    const bought = await order();
    for (const [more, field] of [
      [{ provider: "stripe" }, "provider"],
      [{ provider: "barter" }, "provider"],
      [{ return_url: "javascript:alert(1)" }, "return_url"],
      [{ return_url: `https://shop.example/${"x".repeat(5000)}` }, "return_url"],
    ] as const) {
      expectRefusal(await begin(customer, bought, more), 422, "VALIDATION_ERROR", { field });
    }
    expect(await sessionsOf(operator, bought)).toEqual([]);
    await query(
      `insert into public.payment_sessions (tenant_id, order_id, provider, status, amount, currency)
       select $1, $2, 'manual', 'cancelled', 20, 'EUR' from generate_series(1, 99)`,
      [tenantId, bought.id],
    );
    const last = await begun(customer, bought);
    expect((await begun(customer, bought)).id).toBe(last.id);
    await query("update public.payment_sessions set status = 'cancelled' where id = $1", [last.id]);
    expectRefusal(await begin(customer, bought), 422, "LIMIT_REACHED");
    expect(await sessionsOf(operator, bought)).toHaveLength(100);
  });

  it("is an order of which a refund is more than what was paid, or that no provider took", async () => {
    const { operator, customer, supplierId } = shop;
    const [byHand, reported] = [await order(), await order()];
    expectRefusal(await refund(operator, byHand, { amount: 1 }), 422, "INVALID_TRANSITION");
    await capture(operator, await begun(customer, byHand));
    await pay(operator, reported);
    expectRefusal(await refund(operator, reported, { amount: 1 }), 422, "INVALID_TRANSITION", {
      field: "payment_status",
    });
    for (const body of [
      { amount: 20.01 },
      { amount: 0 },
      { amount: 1, reason: " " },
      { amount: 1, items: [{ item_id: byHand.items[0].id, amount: 2 }] },
    ]) {
      expectRefusal(await refund(operator, byHand, body), 422, "VALIDATION_ERROR");
    }
    const unknown = { amount: 1, items: [{ item_id: randomUUID(), amount: 1 }] };
    expectRefusal(await refund(operator, byHand, unknown), 404, "NOT_FOUND");
    for (const as of [customer, shop.supplier]) {
      expectRefusal(await refund(as, byHand, { amount: 1 }), 403, "FORBIDDEN");
    }
    const { operator: stranger } = await openTestTenant();
    expectRefusal(await refund(stranger, byHand, { amount: 1 }), 404, "NOT_FOUND");
    expect((await getOrder(operator, byHand)).payments).toHaveLength(1);
    expect((await balanceOf(operator, supplierId)).pending).toBe(NO_BALANCE.pending);
  });
});
