import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { pay, takeBack } from "../orders/ordering.js";
import { type Answer, persist } from "../souk.js";
import { checkBooks, isOfPart } from "./books.js";
import {
  adjust,
  balanceOf,
  changePayout,
  completed,
  NO_BALANCE,
  openShop,
  paidOut,
  payOut,
  some,
} from "./shop.js";

// Payouts at the same moment as other payouts, returns and refunds. On Postgres the transactions run in parallel.

const ROUNDS = 6;

const outcomes = (answers: Answer[]) =>
  answers.map(({ status, body }) => body.error?.code ?? status).toSorted();

describe("payouts of one supplier at the same moment", () => {
  it("close each line once, and only one finds something", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron, mint } = shop;
    for (let round = 0; round < ROUNDS; round += 1) {
      await completed(shop, [
        [saffron, 1 + round],
        [mint, 1],
      ]);
      await adjust(operator, supplierId, { amount: 0.01 });
      const answers = await Promise.all([1, 2, 3].map(() => payOut(shop, supplierId)));
      expect(outcomes(answers)).toEqual([201, "NOTHING_DUE", "NOTHING_DUE"]);
      const { payouts, lines } = await checkBooks(operator);
      expect(payouts).toHaveLength(round + 1);
      const own = lines.filter((line) => isOfPart(line) && line.supplier_id === supplierId);
      expect(own.filter(({ payout_id }) => payout_id === null)).toEqual([]);
    }
  });

  it("close what is adjusted meanwhile, or leave it to the next", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    for (let round = 0; round < ROUNDS; round += 1) {
      await completed(shop, [[saffron, 1]]);
      const [payout, ...adjustments] = await Promise.all([
        payOut(shop, supplierId),
        ...[1, 2, 3].map((amount) => adjust(operator, supplierId, { amount })),
      ]);
      expect(payout.status).toBe(201);
      expect(adjustments.map(({ status }) => status)).toEqual([201, 201, 201]);
      const { due } = await balanceOf(operator, supplierId);
      await checkBooks(operator);
      if (due > 0) expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: due }]);
    }
  });
});

describe("a payout at the same moment as a change of its orders", () => {
  it("has the lines of before or after, which add up", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    for (let round = 0; round < ROUNDS; round += 1) {
      const [returned, refunded] = [
        await completed(shop, [[saffron, 3]]),
        await completed(shop, [[saffron, 3]]),
      ];
      const refund = {
        ...{ amount: 6, reference: randomUUID(), borne_by: "supplier" },
        items: [{ item_id: refunded.items[0].id, amount: 6 }],
      };
      const [payout, ...changes] = await Promise.all([
        payOut(shop, supplierId),
        takeBack(operator, returned, some(returned, 0, 2)),
        pay(operator, refunded, "refunded", refund),
      ]);
      // At least 30 of these orders are due, more than the 24 that earlier changes may have taken off.
      expect(payout.status).toBe(201);
      expect(changes.map(({ status }) => status)).toEqual([201, 201]);
      const { lines } = await checkBooks(operator);
      const open = lines.filter(({ payout_id }) => payout_id === null);
      const late = ["return", "commission", "refund"];
      expect(open.filter(({ kind }) => !late.includes(kind))).toEqual([]);
    }
    const { due, not_due, held } = await balanceOf(operator, supplierId);
    expect([due <= 0, not_due, held]).toEqual([true, 0, 0]);
  });

  it("pays nothing of a payment that was reversed before", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = await completed(shop, [[saffron, 1]]);
      const before = await balanceOf(operator, supplierId);
      const [payout, reversal] = await Promise.all([
        payOut(shop, supplierId),
        persist("POST", `/api/orders/${order.id}/payments`, {
          as: operator,
          body: { status: "payment_reversed", reference: "paid-1" },
        }),
      ]);
      expect(reversal.status).toBe(201);
      const after = await balanceOf(operator, supplierId);
      if (payout.status === 201) {
        expect(after).toMatchObject({ due: 0, pending: before.pending + 9 });
      } else {
        expect(outcomes([payout])).toEqual(["NOTHING_DUE"]);
        expect(after).toEqual({ ...before, due: 0, not_due: before.not_due + 9 });
      }
      await checkBooks(operator);
    }
  });
});

describe("a payout that is reported paid and failed at the same moment", () => {
  it("is one of both", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    await completed(shop, [[saffron, 1]]);
    for (let round = 0; round < ROUNDS; round += 1) {
      const [payout] = await paidOut(shop, supplierId);
      const answers = await Promise.all([
        changePayout(operator, payout, { status: "paid", reference: "SEPA 1" }),
        changePayout(operator, payout, { status: "failed", reason: "No account." }),
      ]);
      expect(outcomes(answers)).toEqual([200, "INVALID_TRANSITION"]);
      const [paid] = answers;
      const state = paid.status === 200 ? { paid: 9 } : { due: 9 };
      expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, ...state });
      await checkBooks(operator);
      if (paid.status === 200) {
        const reversed = { status: "reversed", reason: "Another round." };
        const both = await Promise.all([1, 2].map(() => changePayout(operator, payout, reversed)));
        expect(outcomes(both)).toEqual([200, "INVALID_TRANSITION"]);
      }
    }
    await checkBooks(operator);
  });
});
