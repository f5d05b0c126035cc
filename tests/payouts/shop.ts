import { expect } from "vitest";
import { item, moved, pay, place } from "../orders/ordering.js";
import {
  ADDRESS,
  type Answer,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  persist,
  register,
  registerClient,
  supabaseAsService,
  type TestTenant,
  UNBOUNDED,
} from "../souk.js";

// A shop whose suppliers are paid out, and calls to its ledger, for several test files.

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
export type Row = any;

type Query = Record<string, string>;

export interface Shop extends TestTenant {
  client: Person;
  rival: Person;
  supplierId: string;
  rivalId: string;
  /** Costs 10.00, of the supplier. */
  saffron: Row;
  /** Costs 3.00, of the rival. */
  mint: Row;
  /** Costs 50.00, of the operator. */
  lamp: Row;
}

/** Method of delivery that costs 5.00 for each supplier. */
export const EACH = { key: "each", name: "Each", price: 5, per_supplier: true };

/** Opens a shop with a commission of 10 % in which lines are due as soon as they are paid and delivered. */
export async function openShop(business: object = {}, tax: object = {}): Promise<Shop> {
  const testTenant = await openTestTenant();
  const { operator, supplier, tenantId, marketplace } = testTenant;
  const usual = { ...UNBOUNDED, commission_percent: 10, payout_delay_days: 0 };
  const settings = { tax, business: { ...usual, ...business } };
  const [client, rival] = await Promise.all([
    registerClient(tenantId),
    register({ tenant_id: tenantId, role: "supplier" }),
    must("PUT", `/api/marketplaces/${marketplace.id}`, { as: operator, body: { settings } }),
  ]);
  const list = (as: Person, name: string, price: number) =>
    listProduct(as, {
      ...{ name, price, marketplace_id: marketplace.id },
      inventory: { quantity: 1000 },
    });
  const [saffron, mint, lamp] = await Promise.all([
    list(supplier, "Saffron", 10),
    list(rival, "Mint", 3),
    list(operator, "Lamp", 50),
  ]);
  const [supplierId, rivalId] = [saffron.supplier_id, mint.supplier_id];
  return { ...testTenant, client, rival, supplierId, rivalId, saffron, mint, lamp };
}

/** Places an order of the customer. */
export async function ordered(
  { customer }: Shop,
  pieces: [Row, number][],
  more: object = {},
): Promise<Row> {
  const { status, body } = await place(customer, {
    marketplace_id: pieces[0]?.[0].marketplace_id,
    items: pieces.map(([product, quantity]) => item(product, quantity)),
    shipping_address: ADDRESS,
    ...more,
  });
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
}

/** Places an order that is paid and delivered. */
export async function completed(
  shop: Shop,
  pieces: [Row, number][],
  more: object = {},
): Promise<Row> {
  const order = await ordered(shop, pieces, more);
  expect((await pay(shop.operator, order)).status).toBe(201);
  await moved(shop.operator, order, "delivered");
  return order;
}

/** Places an order that was paid and delivered at a time in the past. */
export async function completedAt(shop: Shop, time: string, pieces: [Row, number][]): Promise<Row> {
  const order = await ordered(shop, pieces);
  const service = supabaseAsService();
  const { id: order_id, tenant_id, currency, total_amount: amount } = order;
  await service
    .from("payments")
    .insert({
      ...{ order_id, tenant_id, currency, amount, created_at: time },
      ...{ status: "paid", reference: "paid-1" },
    })
    .throwOnError();
  await moved(shop.operator, order, "delivered");
  await service
    .from("shipments")
    .update({ delivered_at: time })
    .eq("order_id", order_id)
    .throwOnError();
  return order;
}

/** Some pieces of an item of an order. */
export const some = (order: Row, place: number, quantity: number) => [
  { item_id: order.items[place].id as string, quantity },
];

/** A page of the ledger, with the balances. */
export const ledgerOf = (as: Person, query: Query = {}): Promise<Row> =>
  must("GET", `/api/ledger?${new URLSearchParams(query)}`, { as });

/** What is owed to a supplier: due, not due, held, in pending payouts, and paid. */
export async function balanceOf(as: Person, supplier_id: string, currency = "EUR") {
  const { balances } = await ledgerOf(as, { supplier_id, currency, limit: "1" });
  expect(balances.length).toBeLessThan(2);
  const [{ due, not_due, held, pending, paid }] = balances.length ? balances : [NO_BALANCE];
  return { due, not_due, held, pending, paid };
}

export const NO_BALANCE = { due: 0, not_due: 0, held: 0, pending: 0, paid: 0 };

/** Requests the payouts of a supplier. */
export const payOut = (
  { operator }: Shop,
  supplier_id: string,
  more: object = {},
): Promise<Answer> =>
  persist("POST", "/api/payouts", { as: operator, body: { supplier_id, ...more } });

/** Requests the payouts of a supplier, and expects that there are some. */
export async function paidOut(...payout: Parameters<typeof payOut>): Promise<Row[]> {
  const { status, body } = await payOut(...payout);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.payouts;
}

/** Expects that nothing is due to the shop's supplier. */
export async function expectNothingDue(shop: Shop, more: object = {}): Promise<void> {
  expectRefusal(await payOut(shop, shop.supplierId, more), 422, "NOTHING_DUE");
}

export const changePayout = (as: Person, { id }: Row, body: object): Promise<Answer> =>
  persist("PATCH", `/api/payouts/${id}`, { as, body });

/** Adjusts what is owed to a supplier. */
export const adjust = (as: Person, supplier_id: string, body: object): Promise<Answer> =>
  persist("POST", `/api/suppliers/${supplier_id}/adjustments`, {
    as,
    body: { currency: "EUR", reason: "A bonus", ...body },
  });

export async function adjusted(...adjustment: Parameters<typeof adjust>): Promise<Row> {
  const { status, body } = await adjust(...adjustment);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
}
