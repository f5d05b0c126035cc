import { query } from "../database.js";
import type { PastOrder, Shop } from "./shop.js";

// An independent implementation of the figures in TypeScript: it adds up orders, items, returns and their history, and
// does not use the book of sales.

/** Something sold, cancelled or returned. */
export interface Fact {
  kind: "placed" | "cancelled" | "returned";
  /**
   * Local times in the tenant's time zone: when it happened, and when its order was placed. Format: 2026-11-24
   * 09:00:00.000.
   */
  booked: string;
  placed: string;
  order: string;
  customer: string;
  marketplace: string;
  currency: string;
  supplier: string | null;
  category: string | null;
  product: string;
  quantity: number;
  /** In hundredths of the currency. */
  amount: number;
}

/** All sales of a tenant. */
export async function factsOf(shop: Pick<Shop, "tenantId">, timeZone: string): Promise<Fact[]> {
  const rows = await query<Record<string, string> & { quantity: number; amount: number }>(
    `select f.kind, f.at, o.created_at as placed_at, o.id as order, o.customer_id as customer,
       o.marketplace_id as marketplace, o.currency, i.supplier_id as supplier, p.category_id as category,
       i.product_id as product, f.quantity, (100 * f.quantity * i.price)::integer as amount
     from public.order_items i
     join public.orders o on o.id = i.order_id
     join public.products p on p.id = i.product_id
     cross join lateral (
       select 'placed' as kind, o.created_at as at, i.quantity
       union all
       select 'cancelled', c.created_at, i.quantity
       from public.order_status_changes c
       where c.order_id = o.id and c.new_status = 'cancelled'
       union all
       select 'returned', r.created_at, b.quantity
       from public.order_return_items b
       join public.order_returns r on r.id = b.return_id
       where b.item_id = i.id
     ) as f
     where o.tenant_id = $1`,
    [shop.tenantId],
  );
  const clock = clockOf(timeZone);
  return rows.map(
    ({ at, placed_at, ...fact }) =>
      ({
        ...fact,
        booked: clock(new Date(at as string)),
        placed: clock(new Date(placed_at as string)),
      }) as unknown as Fact,
  );
}

/** The facts of orders to import, without reading the database. */
export function factsIn(shop: Shop, orders: PastOrder[], timeZone: string): Fact[] {
  const clock = clockOf(timeZone);
  return orders.flatMap(({ items, ...order }, n) => {
    const placed = clock(new Date(order.placed_at));
    const ended = order.status !== "delivered" && {
      kind: order.status,
      booked: clock(new Date(order.ended_at)),
    };
    return items.flatMap(({ product_id, supplier_id, price, quantity }) =>
      [{ kind: "placed" as const, booked: placed }, ...(ended ? [ended] : [])].map((then) => ({
        ...then,
        placed,
        order: `${n}`,
        customer: `${order.customer}`,
        marketplace: order.marketplace_id,
        currency: order.currency,
        supplier: supplier_id,
        category: shop.products.find(({ id }) => id === product_id).category_id ?? null,
        product: product_id,
        quantity,
        amount: Math.round(100 * price) * quantity,
      })),
    );
  });
}

/** Converts moments to the local time of a time zone. */
export function clockOf(timeZone: string): (moment: Date) => string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return (moment) =>
    `${format.format(moment)}.${`${moment.getUTCMilliseconds()}`.padStart(3, "0")}`;
}

/** The day this many days before another one. */
export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
}

export const lengthOf = (from: string, to: string) =>
  (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;

/** Filters of a request. */
export interface Asked {
  basis?: "booked" | "placed";
  currency?: string;
  marketplace?: string;
  supplier?: string;
  categories?: string[];
}

export function asked(facts: Fact[], { currency, marketplace, supplier, categories }: Asked) {
  return facts.filter(
    (f) =>
      (!currency || f.currency === currency) &&
      (!marketplace || f.marketplace === marketplace) &&
      (!supplier || f.supplier === supplier) &&
      (!categories || (f.category !== null && categories.includes(f.category))),
  );
}

/** The facts from one local time to before another one. */
export const between = (facts: Fact[], since: string, before: string, basis: "booked" | "placed") =>
  facts.filter((f) => f[basis] >= since && f[basis] < before);

/** The two spans that a period compares, as local times. `now` ends today. */
export function spansOf(from: string, to: string, now: string) {
  const days = lengthOf(from, to);
  const today = now.slice(0, 10);
  const goesOn = to >= today;
  return {
    during: [from, `${to}~`] as const,
    before: [
      daysBefore(from, days),
      goesOn ? `${daysBefore(today, days)}${now.slice(10)}` : from,
    ] as const,
  };
}

const sum = (facts: Fact[], ...kinds: Fact["kind"][]) =>
  facts.filter(({ kind }) => kinds.includes(kind)).reduce((all, { amount }) => all + amount, 0);

export const distinct = <T>(values: T[]) => new Set(values).size;

/** Revenue, orders and the related figures. */
export function figures(facts: Fact[]) {
  const placed = facts.filter(({ kind }) => kind === "placed");
  const orders = distinct(placed.map(({ order }) => order));
  const revenue = sum(facts, "placed") - sum(facts, "cancelled", "returned");
  return {
    revenue: revenue / 100,
    net_revenue: revenue / 100,
    tax: 0,
    orders,
    average_order: orders ? Math.round(sum(facts, "placed") / orders) / 100 : null,
    items: placed.reduce((all, { quantity }) => all + quantity, 0),
    cancelled: sum(facts, "cancelled") / 100,
    returned: sum(facts, "returned") / 100,
  };
}

/** The change in percent, to one decimal; null if the previous value is not positive. */
export function changeOf(now: number, before: number): number | null {
  if (before <= 0) return null;
  // Halves are rounded away from zero, as Postgres does. Doubles are exact enough in thousandths of a percent.
  const percent = Number(((100 * (now - before)) / before).toFixed(6));
  return (Math.sign(percent) * Math.round(Math.abs(percent) * 10)) / 10 + 0;
}

export function changeText(change: number | null): string | null {
  return change === null ? null : `${change > 0 ? "+" : ""}${change.toFixed(1)}%`;
}

export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round(Number(((1000 * part) / whole).toFixed(6))) / 10;
}
