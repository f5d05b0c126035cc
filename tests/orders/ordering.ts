import { expect } from "vitest";
import { must, orderFor, type Person, persist, type TestTenant } from "../souk.js";

// Helpers that place orders and move them, for several test files.

/** What an item has in an order without taxes and discounts. */
export const UNTAXED_ITEM = {
  ...{ discount_amount: 0, discount_borne_by: null, discount_code: null },
  ...{ tax_included: true, tax_rate: null, tax_name: null, tax_amount: 0, exempt_amount: 0 },
};

/** The same of a part. */
export const UNTAXED_PART = {
  ...{ delivery_discount_amount: 0, discount_amount: 0, delivery_tax_rate: null },
  ...{ delivery_tax_amount: 0, tax_amount: 0, tax_note: null, delivery_price: 0 },
};

export function place(as: Person, body: unknown) {
  return persist("POST", "/api/orders", { as, body });
}

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export function placed(as: Person, ...order: Parameters<typeof orderFor>): Promise<any> {
  return must("POST", "/api/orders", { as, body: orderFor(...order) });
}

export function move(as: Person, order: { id: string }, status: string, note?: string) {
  return persist("PATCH", `/api/orders/${order.id}/status`, { as, body: { status, note } });
}

export async function moved(...move_: Parameters<typeof move>) {
  const answer = await move(...move_);
  expect(answer.body).toMatchObject({ status: move_[2] });
  return answer.body;
}

export async function customerOf(person: Person): Promise<string> {
  return (await must("GET", "/auth/me", { as: person })).customer_id;
}

export async function ordersIn(testTenant: TestTenant): Promise<number> {
  return (await must("GET", "/api/orders", { as: testTenant.operator })).total;
}

export function item(product: { id: string; price: number }, quantity = 1, overrides: object = {}) {
  return { product_id: product.id, quantity, price: product.price, ...overrides };
}

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export function getOrder(as: Person, order: { id: string }): Promise<any> {
  return must("GET", `/api/orders/${order.id}`, { as });
}

/** Reports a payment, by default of the order's whole amount. */
export function pay(
  as: Person,
  order: { id: string; total_amount: number },
  status = "paid",
  overrides: object = {},
) {
  return persist("POST", `/api/orders/${order.id}/payments`, {
    as,
    body: { status, amount: order.total_amount, reference: `${status}-1`, ...overrides },
  });
}

export function takeBack(as: Person, order: { id: string }, items: object[], note?: string) {
  return persist("POST", `/api/orders/${order.id}/returns`, { as, body: { items, note } });
}

/** Sets the business settings of the tenant's marketplace. */
export function doBusiness({ operator, marketplace }: TestTenant, business: object) {
  return must("PUT", `/api/marketplaces/${marketplace.id}`, {
    as: operator,
    body: { settings: { business } },
  });
}
