import { randomUUID } from "node:crypto";
import { query } from "../database.js";
import { importsAt, NDJSON, ndjson } from "../imports/importing.js";
import {
  ADDRESS,
  addCategory,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  register,
  registerClient,
  type TestTenant,
} from "../souk.js";

// A shop with imported orders of many months.

const DAY = 86_400_000;

/** A deterministic generator of pseudo-random numbers from 0 to below 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

export interface Shop extends TestTenant {
  client: Person;
  rival: Person;
  /** Two marketplaces in EUR and one in USD. */
  marketplaces: { id: string; currency: string }[];
  suppliers: { id: string; name: string }[];
  /** A hall with two aisles, and another hall. */
  categories: Record<"hall" | "aisle" | "passage" | "annex", string>;
  // biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
  products: any[];
}

/** Opens a tenant with two suppliers and the operator's own products, on three marketplaces. */
export async function openShop(timeZone: string): Promise<Shop> {
  const testTenant = await openTestTenant();
  const { operator, tenantId, supplier } = testTenant;
  await must("PATCH", "/api/tenant", { as: operator, body: { time_zone: timeZone } });
  const [rival, client, second, third] = await Promise.all([
    register({ tenant_id: tenantId, role: "supplier" }),
    registerClient(tenantId),
    openMarketplace(operator, { name: "Fabrics" }),
    openMarketplace(operator, { name: "Overseas", currency: "USD" }),
  ]);
  const marketplaces = [testTenant.marketplace, second, third];
  const hall = await addCategory(operator, "Hall");
  const annex = await addCategory(operator, "Annex");
  const aisle = await addCategory(operator, "Aisle", hall);
  const passage = await addCategory(operator, "Passage", hall);
  const homes = [aisle, passage, hall, annex, undefined];
  const products = await Promise.all(
    Array.from({ length: 15 }, (_, i) =>
      listProduct([supplier, rival, operator][i % 3] as Person, {
        name: `Ware ${i}`,
        price: 5 + i * 1.25,
        marketplace_id: marketplaces[i % 5 === 4 ? 2 : i % 2].id,
        category_id: homes[i % homes.length],
        inventory: { quantity: 1000 },
      }),
    ),
  );
  const { suppliers } = await must("GET", "/api/suppliers?sort=created_at&order=asc", {
    as: operator,
  });
  return {
    ...testTenant,
    client,
    rival,
    marketplaces,
    suppliers,
    categories: { hall, annex, aisle, passage },
    products,
  };
}

/** Rolls up at most `most` lines of a tenant. Returns how many there were. */
export async function rollUp(tenantId: string, most: number): Promise<number> {
  const [row] = await query<{ rolled: number }>("select private.roll_up_sales($1, $2) as rolled", [
    tenantId,
    most,
  ]);
  return row?.rolled as number;
}

/** Rolls up all lines of a tenant. */
export async function rollUpAll(tenantId: string): Promise<void> {
  while ((await rollUp(tenantId, 100_000)) > 0);
}

/** A past order in its final state. */
export interface PastOrder {
  customer: number;
  marketplace_id: string;
  currency: string;
  placed_at: string;
  status: "delivered" | "cancelled" | "returned";
  ended_at: string;
  items: { product_id: string; supplier_id: string | null; price: number; quantity: number }[];
}

/** Draws orders of the last `days`, of 40 customers, some of whom buy often. */
export function drawOrders(shop: Shop, count: number, days: number, seed: number): PastOrder[] {
  const draw = randomNumbers(seed);
  const pick = <T>(list: T[]) => list[Math.floor(draw() * list.length)] as T;
  const now = Date.now() - 60_000;
  return Array.from({ length: count }, () => {
    const site = pick(shop.marketplaces);
    const goods = shop.products.filter(({ marketplace_id }) => marketplace_id === site.id);
    const placed = now - draw() ** 1.5 * days * DAY;
    const fate = draw();
    return {
      customer: Math.floor(draw() ** 2 * 40),
      marketplace_id: site.id,
      currency: site.currency,
      placed_at: new Date(placed).toISOString(),
      status: fate < 0.1 ? "cancelled" : fate < 0.2 ? "returned" : "delivered",
      ended_at: new Date(Math.min(now, placed + draw() * 20 * DAY)).toISOString(),
      items: Array.from({ length: 1 + Math.floor(draw() * 3) }, () => {
        const { id, supplier_id, price } = pick(goods);
        return { product_id: id, supplier_id, price, quantity: 1 + Math.floor(draw() * 3) };
      }),
    };
  });
}

const { imported } = importsAt("/api/orders/import");

/** Imports past orders. */
export async function importOrders(
  { operator }: Pick<Shop, "operator">,
  orders: PastOrder[],
): Promise<void> {
  const lines = orders.map(({ customer, currency: _, ended_at, ...order }) => ({
    ...order,
    external_id: randomUUID(),
    customer: { email: `buyer-${customer}@example.com`, name: `Buyer ${customer}` },
    items: order.items.map(({ supplier_id: _, ...item }) => item),
    shipping_address: ADDRESS,
    payment_status: order.status === "cancelled" ? "failed" : "paid",
    [order.status === "delivered" ? "completed_at" : `${order.status}_at`]: ended_at,
  }));
  const summary = await imported(operator, ndjson(lines), NDJSON);
  if (summary.imported !== orders.length) throw new Error(JSON.stringify(summary));
}
