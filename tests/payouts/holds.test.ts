import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  call,
  expectRefusal,
  must,
  openTestTenant,
  type Person,
  persist,
  supabaseAs,
} from "../souk.js";
import { checkBooks } from "./books.js";
import {
  adjusted,
  balanceOf,
  completed,
  expectNothingDue,
  ledgerOf,
  NO_BALANCE,
  openShop,
  ordered,
  paidOut,
  type Row,
  some,
} from "./shop.js";

// What is due and not paid out for now: held by an admin, of a suspended supplier, or while a return is open.

describe("what is held", () => {
  const hold = (as: Person, body: object) =>
    persist("POST", "/api/payout-holds", { as, body: { reason: "A dispute", ...body } });
  const release = (as: Person, { id }: Row) => call("DELETE", `/api/payout-holds/${id}`, { as });

  it("is all of a supplier, or its part of an order, until an admin releases it", async () => {
    const shop = await openShop();
    const { operator, supplier, rival, supplierId, rivalId, saffron, mint } = shop;
    const [first, second] = [
      await completed(shop, [
        [saffron, 1],
        [mint, 1],
      ]),
      await completed(shop, [[saffron, 2]]),
    ];
    const { status, body: whole } = await hold(operator, { supplier_id: supplierId });
    expect(status).toBe(201);
    expect(whole).toMatchObject({
      ...{ id: expect.any(String), supplier_id: supplierId, order_id: null },
      ...{ reason: "A dispute", created_by: operator.id, created_at: expect.any(String) },
    });
    await expectNothingDue(shop);
    expect(await balanceOf(supplier, supplierId)).toEqual({ ...NO_BALANCE, held: 27 });
    expect(await paidOut(shop, rivalId)).toMatchObject([{ amount: 2.7 }]);
    const { body: part } = await hold(operator, { supplier_id: supplierId, order_id: second.id });
    for (const body of [{}, { order_id: second.id }]) {
      const again = await hold(operator, { supplier_id: supplierId, ...body });
      expectRefusal(again, 409, "CONFLICT");
    }
    const heldOf = async (as: Person) =>
      (await must("GET", "/api/payout-holds", { as })).payout_holds.map(({ id }: Row) => id);
    expect(new Set(await heldOf(supplier))).toEqual(new Set([whole.id, part.id]));
    expect(await heldOf(rival)).toEqual([]);
    expect((await release(operator, whole)).status).toBe(204);
    expectRefusal(await release(operator, whole), 404, "NOT_FOUND");
    expect(await balanceOf(supplier, supplierId)).toEqual({ ...NO_BALANCE, due: 9, held: 18 });
    const lines = (await ledgerOf(supplier)).lines.map(({ order_id, held }: Row) => [
      order_id,
      held,
    ]);
    for (const [order_id, held] of lines) expect(held).toBe(order_id === second.id);
    expect(lines.filter(([id]: Row) => id === first.id)).toHaveLength(2);
    expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: 9 }]);
    await expectNothingDue(shop);
    await release(operator, part);
    expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: 18 }]);
    await checkBooks(operator);
  });

  it("is changed by admins alone, for suppliers and orders of the tenant", async () => {
    const shop = await openShop();
    const { operator, supplier, client, customer, supplierId, mint } = shop;
    const { id: order_id } = await ordered(shop, [[mint, 1]]);
    const { body: made } = await hold(operator, { supplier_id: supplierId });
    for (const as of [supplier, client, customer]) {
      expectRefusal(await hold(as, { supplier_id: supplierId }), 403, "FORBIDDEN");
      expectRefusal(await release(as, made), 403, "FORBIDDEN");
      const db = supabaseAs(as).from("payout_holds");
      const row = { supplier_id: supplierId, order_id, reason: "Mine" };
      expect((await db.insert(row)).error).not.toBeNull();
    }
    const { operator: stranger } = await openTestTenant();
    expectRefusal(await hold(stranger, { supplier_id: supplierId }), 404, "NOT_FOUND");
    expectRefusal(await release(stranger, made), 404, "NOT_FOUND");
    for (const [body, status] of [
      [{ supplier_id: randomUUID() }, 404],
      [{ supplier_id: supplierId, order_id: randomUUID() }, 404],
      // The supplier has no part in it.
      [{ supplier_id: supplierId, order_id }, 404],
      [{ supplier_id: supplierId, reason: " " }, 422],
      [{ supplier_id: supplierId, reason: "x".repeat(2001) }, 422],
    ] as const) {
      expect((await hold(operator, body)).status).toBe(status);
    }
    expect((await must("GET", "/api/payout-holds", { as: client })).total).toBe(1);
    expect((await must("GET", "/api/payout-holds", { as: customer })).total).toBe(0);
  });

  it("is all of a suspended supplier", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    await completed(shop, [[saffron, 1]]);
    const set = (status: string) =>
      must("PATCH", `/api/suppliers/${supplierId}`, { as: operator, body: { status } });
    await set("suspended");
    await expectNothingDue(shop);
    expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, held: 9 });
    await set("active");
    expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: 9 }]);
  });

  it("is a supplier's part of an order while a return of its items is requested or approved", async () => {
    const shop = await openShop();
    const { operator, customer, supplierId, rivalId, saffron, mint } = shop;
    const order = await completed(shop, [
      [saffron, 2],
      [mint, 1],
    ]);
    const path = `/api/orders/${order.id}/return-requests`;
    const ask = () =>
      must("POST", path, { as: customer, body: { items: some(order, 0, 1), reason: "Damp." } });
    const answer = (verb: string, { id }: Row) =>
      must("POST", `${path}/${id}/${verb}`, { as: operator, body: {} });
    const rejected = await ask();
    await expectNothingDue(shop);
    expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, held: 18 });
    expect(await paidOut(shop, rivalId)).toMatchObject([{ amount: 2.7 }]);
    await answer("reject", rejected);
    expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, due: 18 });
    const received = await ask();
    await answer("approve", received);
    await expectNothingDue(shop);
    await answer("receive", received);
    expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: 9, lines: 4 }]);
    // It does not hold what is due at once.
    await ask();
    await adjusted(operator, supplierId, { amount: 1, order_id: order.id });
    expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: 1, lines: 1 }]);
    await checkBooks(operator);
  });
});
