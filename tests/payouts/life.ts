import { randomUUID } from "node:crypto";
import { Decimal } from "decimal.js";
import { expect } from "vitest";
import { query } from "../database.js";
import { openCategory, promote } from "../placement/promoting.js";
import {
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  register,
  registerClient,
  supabaseAs,
  UNBOUNDED,
} from "../souk.js";
import { type Books, checkBooks, isOfPart, isOfPayout, isSamePart, sumOf } from "./books.js";
import type { NO_BALANCE, Row } from "./shop.js";

// The life of a tenant that sells in three currencies, and what must hold after each step of it.

/** The tax of a marketplace's prices. */
export interface Terms {
  prices_include_tax: boolean;
  collected_by: "operator" | "supplier";
  commission_on_tax: boolean;
}

export interface Order {
  id: string;
  supplierIds: string[];
  items: { id: string; supplierId: string; price: number; quantity: number }[];
  currency: string;
  payments: string[];
  refunds: string[];
  shipments: string[];
  requests: string[];
}

export interface Life {
  operator: Person;
  client: Person;
  customer: Person;
  supplierIds: string[];
  sites: { id: string; currency: string; products: Row[] }[];
  campaign: Row;
  orders: Order[];
  holds: { id: string; supplierId: string; orderId: string | null }[];
  suspended: Set<string>;
  /** Parts of orders of which a payout ever had lines. */
  /** The ledger after the last step. */
  books: Books;
}

/** Currencies with their delivery, and the price of each supplier's product. */
const MARKETS = [
  { currency: "EUR", delivery: 4.95, prices: [9.99, 0.37, 120] },
  { currency: "JPY", delivery: 501, prices: [1999, 77, 12_345] },
  { currency: "KWD", delivery: 1.255, prices: [3.335, 0.333, 41.005] },
];

export const COUNTRY = "DE";
export const METHOD = "each";
/** Percentages that the operator and the suppliers bear. */
export const CODES = { OPERATOR: 7, SUPPLIERS: 9.5 };

const COMMISSION = { commission_percent: 12.5, commission_on_delivery: true };

async function openSite(operator: Person, suppliers: Person[], place: number, tax: Terms) {
  const { currency, delivery, prices } = MARKETS[place] as (typeof MARKETS)[number];
  const method = { key: METHOD, name: "Each", price: delivery, per_supplier: true };
  const business = {
    ...{ ...UNBOUNDED, ...COMMISSION, payout_delay_days: 0 },
    delivery: { methods: [method], recipient: "supplier" },
  };
  const { id } = await openMarketplace(operator, { currency, settings: { tax, business } });
  const products = await Promise.all(
    suppliers.map((as, n) =>
      listProduct(as, {
        ...{ marketplace_id: id, price: prices[n], name: `Thing ${randomUUID()}` },
        inventory: { quantity: 100_000 },
      }),
    ),
  );
  return { id: id as string, currency, products };
}

/** Opens a tenant with three suppliers that sell in three marketplaces. */
export async function openLife(terms: Terms[]): Promise<Life> {
  const testTenant = await openTestTenant();
  const { operator, supplier, customer, tenantId } = testTenant;
  const [client, ...others] = await Promise.all([
    registerClient(tenantId),
    ...[1, 2].map(() => register({ tenant_id: tenantId, role: "supplier" })),
  ]);
  const suppliers = [supplier, ...others];
  await must("POST", "/api/tax-rates", {
    as: operator,
    body: { country: COUNTRY, rate: 19, name: "VAT" },
  });
  for (const [code, value] of Object.entries(CODES)) {
    const borne_by = code === "OPERATOR" ? "operator" : "supplier";
    const body = { code, kind: "percentage", value, borne_by };
    await must("POST", "/api/discounts", { as: operator, body });
  }
  const sites = await Promise.all(
    terms.map((tax, place) => openSite(operator, suppliers, place, tax)),
  );
  const campaign = await promote(
    testTenant,
    await openCategory(testTenant),
    {},
    {
      marketplace_id: sites[0]?.id,
    },
  );
  return {
    ...{ operator, client, customer, campaign, sites },
    supplierIds: sites[0]?.products.map(({ supplier_id }) => supplier_id) as string[],
    ...{ orders: [], holds: [], suspended: new Set<string>() },
    books: await checkBooks(operator),
  };
}

/** Calls a function as a user's frontend does. Returns the data, or the code of the error. */
export async function rpc(as: Person, name: string, sent: object): Promise<[string, Row]> {
  const { data, error } = await supabaseAs(as).rpc(name, sent);
  return [error ? error.message : "done", data];
}

const partOf = ({ order_id, supplier_id }: Row) => `${order_id} ${supplier_id}`;

/** Parts of orders that wait for a return that was requested. */
async function awaitedParts({ operator }: Life): Promise<Set<string>> {
  const { data } = await supabaseAs(operator)
    .from("return_requests")
    .select("order_id, supplier_id")
    .in("status", ["requested", "approved"])
    .throwOnError();
  return new Set(data.map(partOf));
}

/** The due times that lines have of their own. */
async function ownTimes({ operator }: Life): Promise<Map<string, Date | null>> {
  const rows = await query<{ id: string; due_at: Date | null }>(
    "select id, due_at from public.ledger_lines where tenant_id = $1",
    [operator.tenantId],
  );
  return new Map(rows.map(({ id, due_at }) => [id, due_at]));
}

const isHeld = ({ holds, suspended }: Life, line: Row) =>
  suspended.has(line.supplier_id) ||
  holds.some(
    ({ supplierId, orderId }) =>
      supplierId === line.supplier_id && (orderId === null || orderId === line.order_id),
  );

/** When the first payout was made that stands and pays for a part of an order, in milliseconds; never: NaN. */
function paidOutAt({ lines, payouts }: Books, part: Row): number {
  const closed = lines.filter(
    (line) => isOfPart(line) && isSamePart(line, part) && line.payout_id !== null,
  );
  if (!sumOf(closed).gt(0)) return Number.NaN;
  const closing = new Set(closed.map(({ payout_id }) => payout_id));
  const made = payouts
    .filter(({ id }) => closing.has(id))
    .map(({ created_at }) => Date.parse(created_at));
  return made.length ? Math.min(...made) : Number.NaN;
}

/** The state of each open line: due, not due, or held. */
function statesOf(
  life: Life,
  books: Books,
  times: Map<string, Date | null>,
  awaited: Set<string>,
): [Row, "due" | "not_due" | "held"][] {
  return books.lines
    .filter(({ payout_id }) => payout_id === null)
    .map((line) => {
      const own = times.get(line.id) ?? null;
      const part = books.parts.find((one) => isSamePart(one, line));
      // What was paid out and is owed back is due at once, and a part that owes nothing is settled.
      const atOnce = books.lines.filter(
        (one) =>
          isOfPart(one) &&
          isSamePart(one, line) &&
          one.payout_id === null &&
          one.created_at === line.created_at,
      );
      const isLate =
        own === null &&
        sumOf(atOnce).lt(0) &&
        Date.parse(line.created_at) >= paidOutAt(books, part);
      const isKnown = own !== null || isLate || part.payout_amount === 0 || part.due_at !== null;
      const due_at = own ?? (isLate || part.payout_amount === 0 ? 0 : part.due_at);
      if (!isKnown || new Date(due_at).getTime() > Date.now()) return [line, "not_due"];
      const waits = own === null && !isLate && awaited.has(partOf(line));
      return [line, isHeld(life, line) || waits ? "held" : "due"];
    });
}

/** Expects that a step left all earlier lines as they were, and that the new ones are due when they should be. */
function expectOnlyAdded(life: Life, books: Books, times: Map<string, Date | null>): void {
  const frozen = ({ payout_id: _, payout_status: __, due_at: ___, held: ____, ...line }: Row) =>
    line;
  const after = new Map(books.lines.map((line) => [line.id, line]));
  for (const line of life.books.lines) expect(frozen(after.get(line.id))).toEqual(frozen(line));
  const before = new Set(life.books.lines.map(({ id }) => id));
  for (const line of books.lines.filter(({ id }) => !before.has(id))) {
    const where = `${line.kind} of ${line.amount} ${line.currency}`;
    expect([where, times.get(line.id) !== null]).toEqual([where, !isOfPart(line)]);
  }
}

/** Reads the ledger after a step, and expects that it says what this file computes. */
export async function checkLife(life: Life): Promise<void> {
  const [books, times, awaited] = await Promise.all([
    checkBooks(life.operator),
    ownTimes(life),
    awaitedParts(life),
  ]);
  expectOnlyAdded(life, books, times);
  const states = statesOf(life, books, times, awaited);
  for (const [line, state] of states) expect(line.held).toBe(state === "held");
  for (const { supplier_id, currency, due, not_due, held } of books.balances) {
    const amountOf = (wanted: string) =>
      sumOf(
        states
          .filter(([line, state]) => state === wanted && isOfAccount(line, supplier_id, currency))
          .map(([line]) => line),
      ).toNumber();
    expect({ due, not_due, held }).toEqual({
      ...{ due: amountOf("due"), not_due: amountOf("not_due"), held: amountOf("held") },
    });
  }
  life.books = books;
}

const isOfAccount = (row: Row, supplierId: string, currency: string) =>
  row.supplier_id === supplierId && row.currency === currency;

/** What a payout of a supplier should be now, by currency. */
export const dueTo = ({ books }: Life, supplierId: string): Row[] =>
  books.balances
    .filter(({ supplier_id, due }) => supplier_id === supplierId && due > 0)
    .map(({ currency, due }) => ({ currency, amount: due }));

/** Expects that all statements of payouts add up, and that no line is in two payouts that stand. */
export async function checkStatements({ operator, books }: Life): Promise<void> {
  const closed: string[] = [];
  for (const payout of books.payouts) {
    const { lines, sums } = await must("GET", `/api/payouts/${payout.id}/statement`, {
      as: operator,
    });
    expect(lines.filter(isOfPayout)).toEqual([]);
    expect([lines.length, sumOf(lines).toNumber()]).toEqual([payout.lines, payout.amount]);
    expect(sumOf(sums).toNumber()).toBe(payout.amount);
    const stands = payout.status === "pending" || payout.status === "paid";
    if (stands) closed.push(...lines.map(({ id }: Row) => id));
  }
  expect(new Set(closed).size).toBe(closed.length);
}

/** Expects that every supplier sees its own balances, and the charges of the campaign are in them. */
export async function checkSums(life: Life): Promise<void> {
  const { operator, campaign, books, supplierIds } = life;
  const path = `/api/v1/top-placement/campaigns/${campaign.id}/charges`;
  const { charges } = await must("GET", path, { as: operator });
  const promotions = books.lines.filter(({ kind }) => kind === "promotion");
  expect(sumOf(promotions).plus(sumOf(charges)).isZero()).toBe(true);
  for (const supplier_id of supplierIds) {
    const { balances } = await must("GET", `/api/ledger?supplier_id=${supplier_id}&limit=1`, {
      as: operator,
    });
    expect(balances).toEqual(books.balances.filter((one) => one.supplier_id === supplier_id));
    const total = (field: keyof typeof NO_BALANCE) => sumOf(balances, field);
    const owed = Decimal.sum(total("due"), total("not_due"), total("held"));
    const own = books.lines.filter((line) => line.supplier_id === supplier_id);
    expect(owed.toNumber()).toBe(sumOf(own).toNumber());
  }
}
