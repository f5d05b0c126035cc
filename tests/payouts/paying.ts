import { expect } from "vitest";
import { getOrder, pay } from "../orders/ordering.js";
import { changeShipment, ship } from "../orders/shipping.js";
import { type Answer, call, must, type Person } from "../souk.js";

// Paying suppliers out, as several tests do.

/** The organisation for which somebody acts. */
export async function supplierOf(person: Person): Promise<string> {
  return (await must("GET", "/auth/me", { as: person })).supplier_id;
}

export function payOut(as: Person, supplierId: string, wish: object = {}): Promise<Answer> {
  return call("POST", "/api/payouts", { as, body: { supplier_id: supplierId, ...wish } });
}

export function changePayout(as: Person, payout: { id: string }, body: object): Promise<Answer> {
  return call("PATCH", `/api/payouts/${payout.id}`, { as, body });
}

/** In the only currency there is: what is owed and in no payout, and what of it is due. */
export async function balanceOf(as: Person, supplierId: string) {
  const { balances } = await must("GET", `/api/suppliers/${supplierId}/balance`, { as });
  expect(balances.length).toBeLessThanOrEqual(1);
  return { owed: balances[0]?.owed_amount ?? 0, due: balances[0]?.due_amount ?? 0 };
}

/** Every line of the ledger that somebody sees, the oldest first: kind and amount. */
export async function ledgerOf(as: Person, query = ""): Promise<[string, number][]> {
  const { lines, total } = await must("GET", `/api/ledger?order=asc&limit=1000&${query}`, { as });
  expect(lines).toHaveLength(total);
  return lines.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount]);
}

/** Pays an order in full. */
export async function payFor(as: Person, order: { id: string; total_amount: number }) {
  const answer = await pay(as, order);
  expect(answer.body).toMatchObject({ status: "paid" });
}

/** Ships pieces, or all that is left to whoever ships, and says that they have arrived. */
export async function deliver(as: Person, order: { id: string }, items?: object[]) {
  const { body } = await ship(as, order, items ? { items } : {});
  const arrived = await changeShipment(as, body, { status: "delivered" });
  expect(arrived.status).toBe(200);
  return body;
}

/** What the order itself says that its suppliers get: of each the payout_amount of its commission line. */
export async function payoutsOf(as: Person, order: { id: string }): Promise<Map<string, number>> {
  const { commissions } = await getOrder(as, order);
  return new Map(
    commissions.map((line: { supplier_id: string; payout_amount: number }) => [
      line.supplier_id,
      line.payout_amount,
    ]),
  );
}
