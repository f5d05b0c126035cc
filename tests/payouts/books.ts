import { Decimal } from "decimal.js";
import { expect } from "vitest";
import { type Person, supabaseAs } from "../souk.js";
import { NO_BALANCE, type Row } from "./shop.js";

// All that the ledger of a tenant says, and the rules that it keeps: computed again with decimals, without SQL.

/** What the admin of a tenant reads of its ledger and of what it follows from. */
export interface Books {
  lines: Row[];
  balances: Row[];
  payouts: Row[];
  /** The lines of commission: one for each supplier of an order. */
  parts: Row[];
  items: Row[];
}

const PAYOUT_KINDS = ["payout", "payout_reversal"];
/** Kinds of lines of an item. */
const ITEM_KINDS = ["sale", "cancellation", "return", "loss", "discount"];
/** Kinds of lines of a supplier's part of an order. */
const PART_KINDS = [...ITEM_KINDS, "delivery", "commission", "tax", "refund"];

export const isOfPart = ({ kind }: Row) => PART_KINDS.includes(kind);
const isOfItem = ({ kind }: Row) => ITEM_KINDS.includes(kind);
export const isOfPayout = ({ kind }: Row) => PAYOUT_KINDS.includes(kind);

export const exponentOf = (currency: string) => ({ JPY: 0, KWD: 3 })[currency] ?? 2;

export const sumOf = (rows: Row[], field = "amount"): Decimal =>
  Decimal.sum(0, ...rows.map((row) => row[field]));

/** All pages of a function that lists. */
async function allOf(operator: Person, name: string, list: string): Promise<Row> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await supabaseAs(operator)
      .rpc(name, { order: "asc", limit: 1000, page })
      .throwOnError();
    rows.push(...(data as Row)[list]);
    if (rows.length >= (data as Row).total) return { ...(data as Row), [list]: rows };
  }
}

export async function readBooks(operator: Person): Promise<Books> {
  const db = supabaseAs(operator);
  const [{ lines, balances }, { commissions: parts }, payouts, items] = await Promise.all([
    allOf(operator, "list_ledger", "lines"),
    allOf(operator, "list_commissions", "commissions"),
    db.from("payouts").select().order("created_at").order("id").throwOnError(),
    db
      .from("order_items")
      .select(
        "id, order_id, supplier_id, price, quantity, sold_quantity, discount_amount, discount_borne_by, exempt_amount, tax_included, tax_rate, tax_amount",
      )
      .throwOnError(),
  ]);
  return { lines, balances, parts, payouts: payouts.data as Row[], items: items.data as Row[] };
}

/** What a supplier earns with some pieces of an item, before commission. */
function earnedOf(one: Row, exponent: number): Decimal {
  const rounded = (amount: Decimal) => amount.toDecimalPlaces(exponent, Decimal.ROUND_HALF_UP);
  const share = (amount: number) =>
    rounded(new Decimal(amount).times(one.sold_quantity).div(one.quantity));
  const isOperators = one.discount_borne_by === "operator";
  const whole = new Decimal(one.price).times(one.sold_quantity);
  const tax = isOperators
    ? rounded(whole.times(one.tax_rate ?? 0).div(100))
    : share(one.tax_amount);
  return whole
    .minus(isOperators ? 0 : share(one.discount_amount))
    .minus(share(one.exempt_amount))
    .plus(one.tax_included ? 0 : tax);
}

/** What a supplier's part of an order owes. */
const earnedByPart = (part: Row) =>
  new Decimal(part.sales_amount)
    .plus(part.delivery_amount)
    .minus(part.commission_amount)
    .minus(part.refunded_amount)
    .minus(part.tax_collected_by === "operator" ? part.tax_amount : 0);

export const isSamePart = (a: Row, b: Row) =>
  a.order_id === b.order_id && a.supplier_id === b.supplier_id;

const isActive = ({ status }: Row) => status === "pending" || status === "paid";

/** Whether an amount is what it should be; else the fault. */
const fault = (rule: string, where: string, found: Decimal.Value, expected: Decimal.Value) =>
  new Decimal(found).eq(expected) ? [] : [`${rule}: ${where} has ${found}, not ${expected}`];

function faultsOfParts({ lines, parts, items }: Books): string[] {
  return parts.flatMap((part) => {
    const where = `order ${part.number}, supplier ${part.supplier_id}`;
    const own = lines.filter((line) => isOfPart(line) && isSamePart(line, part));
    const sold = items.filter((one) => isSamePart(one, part));
    const exponent = exponentOf(part.currency);
    return [
      ...fault("a part owes its payout_amount", where, sumOf(own), part.payout_amount),
      ...fault("its payout_amount is what is left", where, part.payout_amount, earnedByPart(part)),
      ...sold.flatMap((one) => {
        const itsLines = own.filter((line) => line.item_id === one.id);
        const earned = earnedOf(one, exponent);
        const kept = sumOf(
          itsLines.filter(({ quantity }) => quantity !== null),
          "quantity",
        );
        return [
          ...fault("an item owes what its kept pieces earn", where, sumOf(itsLines), earned),
          ...fault("its lines count the kept pieces", where, kept, one.sold_quantity),
        ];
      }),
      ...fault("the items owe the sales", where, sumOf(own.filter(isOfItem)), part.sales_amount),
    ];
  });
}

function faultsOfPayouts({ lines, payouts }: Books): string[] {
  return payouts.flatMap((payout) => {
    const where = `payout ${payout.id}, ${payout.status}`;
    const own = lines.filter((line) => line.payout_id === payout.id);
    const closed = own.filter((line) => !isOfPayout(line));
    const written = (kind: string) => sumOf(own.filter((line) => line.kind === kind));
    const { amount } = payout;
    const isPaid = isActive(payout);
    const strangers = closed.filter(
      ({ supplier_id, currency }) =>
        supplier_id !== payout.supplier_id || currency !== payout.currency,
    );
    return [
      ...fault("a payout is the sum of its lines", where, sumOf(closed), isPaid ? amount : 0),
      ...fault("it counts its lines", where, closed.length, isPaid ? payout.lines : 0),
      ...fault("its lines are its supplier's, in its currency", where, strangers.length, 0),
      ...fault("it takes its amount", where, written("payout"), new Decimal(amount).neg()),
      ...fault("it gives it back", where, written("payout_reversal"), isPaid ? 0 : amount),
      ...(amount > 0 ? [] : [`a payout is above 0: ${where}`]),
    ];
  });
}

function faultsOfBalances({ lines, balances, payouts, parts }: Books): string[] {
  const accounts = new Set(lines.map(({ supplier_id, currency }) => `${supplier_id} ${currency}`));
  return [...accounts].flatMap((account) => {
    const isOwn = ({ supplier_id, currency }: Row) => `${supplier_id} ${currency}` === account;
    const [own, paid] = [lines.filter(isOwn), payouts.filter(isOwn)];
    const balance = balances.filter(isOwn);
    const open = sumOf(own.filter(({ payout_id }) => payout_id === null));
    const [{ due, not_due, held, pending, paid: sent } = NO_BALANCE] = balance;
    const of = (status: string) => sumOf(paid.filter((one) => one.status === status));
    const earned = Decimal.sum(0, ...parts.filter(isOwn).map(earnedByPart));
    const others = sumOf(own.filter(({ kind }) => kind === "adjustment" || kind === "promotion"));
    const owed = earned.plus(others).minus(sumOf(paid.filter(isActive)));
    return [
      ...fault("a supplier has one balance of a currency", account, balance.length, 1),
      ...fault("all lines are the balance", account, Decimal.sum(due, not_due, held), sumOf(own)),
      ...fault("open lines are the balance", account, open, sumOf(own)),
      ...fault("all lines are what was earned and not paid", account, sumOf(own), owed),
      ...fault("pending payouts", account, pending, of("pending")),
      ...fault("paid payouts", account, sent, of("paid")),
    ];
  });
}

function faultsOfLines({ lines }: Books): string[] {
  const ids = new Set(lines.map(({ id }) => id));
  const finest = ({ amount, currency }: Row) =>
    new Decimal(amount).decimalPlaces() > exponentOf(currency) || amount === 0;
  return [
    ...fault("every line is listed once", "the ledger", ids.size, lines.length),
    ...lines
      .filter(({ payout_id, held }) => payout_id !== null && held)
      .map(({ id }) => `only open lines are held: ${id}`),
    ...lines
      .filter(finest)
      .map(({ kind, amount, currency }) => `no line of ${amount} ${currency}: ${kind}`),
  ];
}

/** Reads the ledger of a tenant while nobody changes it, and expects that it keeps every rule. */
export async function checkBooks(operator: Person): Promise<Books> {
  const books = await readBooks(operator);
  expect([
    ...faultsOfLines(books),
    ...faultsOfParts(books),
    ...faultsOfPayouts(books),
    ...faultsOfBalances(books),
  ]).toEqual([]);
  return books;
}
