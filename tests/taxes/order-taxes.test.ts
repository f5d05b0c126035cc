import { randomUUID } from "node:crypto";
import { Decimal } from "decimal.js";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "../orders/invariants.js";
import { getOrder, item, pay, place, takeBack } from "../orders/ordering.js";
import { cancelItems, changeShipment, ship } from "../orders/shipping.js";
import { SEED } from "../random.js";
import {
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  register,
  type TestTenant,
  UNBOUNDED,
} from "../souk.js";

// The tax of orders: the rate of the destination, in the price or beside it, and of what is kept. Amounts are compared
// with a reference that computes with decimals.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Row = any;

const ADDRESSES: Record<string, object> = {
  DE: { street: "1 Lane", city: "Munich", postal_code: "80331", country: "DE" },
  FR: { street: "1 Rue", city: "Lyon", postal_code: "69001", country: "FR" },
  IE: {
    street: "1 Quay",
    city: "Dublin",
    region: "Dublin",
    postal_code: "D02 AF30",
    country: "IE",
  },
  CH: { street: "1 Weg", city: "Bern", postal_code: "3011", country: "CH" },
  GB: { street: "1 Row", city: "Leeds", postal_code: "LS1 4DY", country: "GB" },
  US: { street: "1 Ave", city: "Albany", region: "NY", postal_code: "12207", country: "US" },
  JP: { street: "1 Cho", city: "Chiyoda", region: "Tokyo", postal_code: "100-0001", country: "JP" },
  KW: { street: "1 Block", city: "Kuwait", country: "KW" },
};

/** country, region, whether for food, rate. */
const RATES: [string, string | null, boolean, number][] = [
  ["DE", null, false, 19],
  ["DE", null, true, 7],
  ["FR", null, false, 20],
  ["FR", null, true, 5.5],
  ["IE", null, false, 23],
  ["CH", null, false, 8.1],
  ["CH", null, true, 2.6],
  ["GB", null, false, 20],
  ["GB", null, true, 0],
  ["US", "NY", false, 8.875],
  ["JP", null, false, 10],
  ["JP", null, true, 8],
];

interface Shop extends TestTenant {
  rival: Person;
  food: Row;
}

async function openShop(): Promise<Shop> {
  const tenant = await openTestTenant();
  const { operator, tenantId } = tenant;
  const rival = await register({ tenant_id: tenantId, role: "supplier" });
  const food = await must("POST", "/api/categories", { as: operator, body: { name: "Food" } });
  for (const [country, region, isFood, rate] of RATES) {
    await must("POST", "/api/tax-rates", {
      as: operator,
      body: { country, region, rate, name: "VAT", ...(isFood && { category_id: food.id }) },
    });
  }
  return { ...tenant, rival, food };
}

const openSite = ({ operator }: Shop, tax: object, more: object = {}, business: object = {}) =>
  openMarketplace(operator, {
    settings: { tax, business: { ...UNBOUNDED, ...business } },
    ...more,
  });

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});

const list = (as: Person, site: Row, more: object = {}) =>
  listProduct(as, { marketplace_id: site.id, inventory: { quantity: 100_000 }, ...more });

const ordered = async (pieces: [Row, number][], country: string, more: object = {}) => {
  const { status, body } = await place(shop.customer, {
    marketplace_id: pieces[0]?.[0].marketplace_id,
    items: pieces.map(([product, quantity]) => item(product, quantity)),
    shipping_address: ADDRESSES[country],
    ...more,
  });
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
};

describe("the tax of an order", () => {
  // 100.00 of goods, 10.00 of food; in the price, and beside it.
  it.each([
    ["DE", [19, 15.97], [7, 0.65], [19, 19], [7, 0.7]],
    ["FR", [20, 16.67], [5.5, 0.52], [20, 20], [5.5, 0.55]],
    ["IE", [23, 18.7], [23, 1.87], [23, 23], [23, 2.3]],
    ["CH", [8.1, 7.49], [2.6, 0.25], [8.1, 8.1], [2.6, 0.26]],
    ["GB", [20, 16.67], [0, 0], [20, 20], [0, 0]],
    ["US", [8.875, 8.15], [8.875, 0.82], [8.875, 8.88], [8.875, 0.89]],
    ["JP", [10, 9.09], [8, 0.74], [10, 10], [8, 0.8]],
    ["KW", [null, 0], [null, 0], [null, 0], [null, 0]],
  ])("is that of %s", async (country, goods, food, goodsBeside, foodBeside) => {
    for (const [isIncluded, wanted] of [
      [true, [goods, food]],
      [false, [goodsBeside, foodBeside]],
    ] as const) {
      const site = await openSite(shop, { prices_include_tax: isIncluded });
      const lamp = await list(shop.supplier, site, { price: 100 });
      const tea = await list(shop.supplier, site, { price: 10, category_id: shop.food.id });
      const order = await ordered(
        [
          [lamp, 1],
          [tea, 1],
        ],
        country,
      );
      const seen = order.items.map((line: Row) => [line.tax_rate, line.tax_amount]);
      expect(seen).toEqual(wanted);
      const tax = wanted.reduce((sum, [, amount]) => sum.plus(amount ?? 0), new Decimal(0));
      expect(order).toMatchObject({
        tax_included: isIncluded,
        subtotal_amount: 110,
        tax_amount: tax.toNumber(),
        tax_due: tax.toNumber(),
        total_amount: (isIncluded ? new Decimal(110) : tax.plus(110)).toNumber(),
        owed_amount: order.total_amount,
      });
      const nets = order.items.map((line: Row) => line.net_amount);
      expect(nets).toEqual(
        isIncluded
          ? [100, 10].map((amount, i) => new Decimal(amount).minus(wanted[i]?.[1] ?? 0).toNumber())
          : [100, 10],
      );
      const lines = new Set(wanted.map(([rate]) => rate).filter((rate) => rate !== null));
      expect(order.tax_lines.map(({ rate }: Row) => rate)).toEqual([...lines]);
    }
  });

  it("is not there without rates, and orders of before have none", async () => {
    const { operator, customer, supplier } = await openTestTenant();
    const product = await listProduct(supplier, { price: 100 });
    const { body } = await place(customer, {
      marketplace_id: product.marketplace_id,
      items: [item(product)],
      shipping_address: ADDRESSES.DE,
    });
    expect(body).toMatchObject({ tax_amount: 0, tax_lines: [], tax_due: 0, total_amount: 100 });
    expect(body.items[0]).toMatchObject({ tax_rate: null, tax_amount: 0, net_amount: 100 });
    const { revenue } = await must("GET", "/api/analytics/overview?period=today", { as: operator });
    expect(revenue).toMatchObject({ total: 100, net_revenue: 100, tax: 0 });
  });

  it("of delivery is that of its method's products, in the part that it belongs to", async () => {
    const method = { key: "post", name: "Post", price: 5.95 };
    const each = { ...method, key: "each", per_supplier: true };
    const delivery = { methods: [method, each], recipient: "supplier" };
    const site = await openSite(shop, {}, {}, { delivery });
    const lamp = await list(shop.supplier, site, { price: 100 });
    const once = await ordered([[lamp, 1]], "DE", { delivery_method: "post" });
    const own = once.parts.find(({ supplier_id }: Row) => supplier_id === null);
    expect(own).toMatchObject({ delivery_amount: 5.95, delivery_tax_rate: 19, tax_amount: 0.95 });
    expect(once).toMatchObject({ tax_amount: 16.92, total_amount: 105.95 });
    expect(once.tax_lines).toEqual([
      { name: "VAT", rate: 19, base_amount: 89.03, tax_amount: 16.92, note: null },
    ]);
    const [part] = (await ordered([[lamp, 1]], "DE", { delivery_method: "each" })).parts;
    expect(part).toMatchObject({ tax_amount: 16.92, delivery_tax_amount: 0.95 });
  });
});

describe("reverse charge", () => {
  const FRENCH = "FR 40 303 265 045";

  const legal = (as: Person, id: string, tax_id: string) =>
    must("PATCH", `/api/suppliers/${id}`, { as, body: { legal: { tax_id } } });

  it("takes the tax off for businesses of another country, of suppliers with a tax id", async () => {
    const { supplier, rival } = shop;
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    await legal(supplier, supplier_id, "DE136695976");
    const tax = { country: "DE" };
    for (const isIncluded of [true, false]) {
      const site = await openSite(shop, { ...tax, prices_include_tax: isIncluded });
      const lamp = await list(supplier, site, { price: 100 });
      const mint = await list(rival, site, { price: 100 });
      const both: [Row, number][] = [
        [lamp, 1],
        [mint, 1],
      ];
      const order = await ordered(both, "FR", { tax_id: FRENCH });
      expect(order.items).toMatchObject([
        { tax_rate: 0, tax_amount: 0, exempt_amount: isIncluded ? 16.67 : 0 },
        { tax_rate: 20, tax_amount: isIncluded ? 16.67 : 20, exempt_amount: 0 },
      ]);
      expect(order.total_amount).toBe(isIncluded ? 183.33 : 220);
      expect(order.tax_lines).toMatchObject([
        { rate: 20, note: null },
        { rate: 0, note: "reverse_charge", tax_amount: 0 },
      ]);
      for (const [country, tax_id] of [
        ["DE", "DE136695976"],
        ["FR", "FR 1"],
        ["CH", "CHE-123.456.788"],
        ["FR", undefined],
      ] as const) {
        const usual = await ordered(both, country, tax_id ? { tax_id } : {});
        expect(usual.items.map((line: Row) => line.exempt_amount)).toEqual([0, 0]);
      }
    }
  });
});

describe("what is kept of taxed items", () => {
  it.each([
    ["supplier", false],
    ["operator", false],
    ["operator", true],
  ])("is owed, paid, refunded and settled with its tax, which the %s collects", async (collected_by, commission_on_tax) => {
    const { operator, supplier } = shop;
    const tax = { prices_include_tax: false, collected_by, commission_on_tax };
    const site = await openSite(shop, tax, {}, { commission_percent: 10 });
    const bead = await list(supplier, site, { price: 0.33 });
    // 3 × 0.33 = 0.99, and 0.19 of tax.
    const order = await ordered([[bead, 3]], "DE");
    expect(order).toMatchObject({ subtotal_amount: 0.99, tax_amount: 0.19, total_amount: 1.18 });
    const line = async () => {
      const [{ sales_amount, tax_amount, commission_amount, payout_amount }] = (
        await getOrder(operator, order)
      ).commissions;
      return [sales_amount, tax_amount, commission_amount, payout_amount];
    };
    const base = commission_on_tax ? 1.18 : 0.99;
    const commission = new Decimal(base).div(10).toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
    const kept = collected_by === "operator" ? 0.99 : 1.18;
    expect(await line()).toEqual([
      1.18,
      0.19,
      commission.toNumber(),
      new Decimal(kept).minus(commission).toNumber(),
    ]);
    const piece = [{ item_id: order.items[0].id, quantity: 1 }];
    const { body: cancelled } = await cancelItems(supplier, order, piece);
    // Two pieces are 0.66 and 0.13 of tax.
    expect(cancelled.cancellations?.[0]?.amount ?? 0.39).toBe(0.39);
    const seen = await getOrder(operator, order);
    expect(seen).toMatchObject({ owed_amount: 0.79, tax_due: 0.13, total_amount: 1.18 });
    expect((await pay(operator, order, "paid", { amount: 0.79 })).status).toBe(201);
    const { body: parcel } = await ship(supplier, order);
    await changeShipment(supplier, parcel, { status: "delivered" });
    await takeBack(operator, order, piece);
    expect(await getOrder(operator, order)).toMatchObject({
      ...{ refund_due: 0.4, owed_amount: 0.39, tax_due: 0.06 },
    });
    expect(await violationsOf([bead.id])).toEqual([]);
  });

  const cents = (amount: Decimal.Value, decimals: number) =>
    new Decimal(amount).toDecimalPlaces(decimals, Decimal.ROUND_HALF_UP);

  /** An amount divided by weights, by largest remainder. */
  function divided(amount: Decimal, weights: Decimal[], decimals: number): Decimal[] {
    const sum = Decimal.sum(...weights);
    const unit = new Decimal(10).pow(-decimals);
    const exact = weights.map((weight) => amount.div(unit).times(weight));
    const units = exact.map((share) => share.divToInt(sum));
    const left = amount
      .div(unit)
      .minus(Decimal.sum(...units))
      .toNumber();
    const rests = exact.map((share, i) => ({ i, rest: share.mod(sum) }));
    const first = rests.toSorted((a, b) => b.rest.cmp(a.rest) || a.i - b.i).slice(0, left);
    return units.map((n, i) => n.plus(first.some((one) => one.i === i) ? 1 : 0).times(unit));
  }

  /** Codes of the operator and of the first supplier: percent, and the products that they are for. */
  const CODES: Record<string, { value: number; isFor(n: number): boolean }> = {
    OPERATOR: { value: 7, isFor: () => true },
    SUPPLIERS: { value: 9.5, isFor: () => true },
    OWN: { value: 12, isFor: (n) => n === 0 },
  };

  it("adds up for any cart, as a reference with decimals says", async () => {
    const { operator, supplier, rival, customer } = shop;
    const makers = {
      OPERATOR: [operator, {}],
      SUPPLIERS: [operator, { borne_by: "supplier" }],
      OWN: [supplier, {}],
    } as const;
    for (const [code, [as, more]] of Object.entries(makers)) {
      const body = { code, kind: "percentage", value: CODES[code]?.value, ...more };
      await must("POST", "/api/discounts", { as, body });
    }
    const sites = await Promise.all(
      ["EUR", "JPY", "KWD"].flatMap((currency) =>
        [true, false].map(async (prices_include_tax) => {
          const site = await openSite(shop, { prices_include_tax }, { currency });
          const products = await Promise.all(
            [supplier, rival, operator].map((as, n) =>
              list(as, site, { price: [7, 1999, 13][n] ?? 1, name: `Thing ${randomUUID()}` }),
            ),
          );
          return { decimals: { JPY: 0, KWD: 3 }[currency] ?? 2, prices_include_tax, products };
        }),
      ),
    );
    const cart = fc.record({
      site: fc.nat(sites.length - 1),
      country: fc.constantFrom(...Object.keys(ADDRESSES)),
      lines: fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 40 })), {
        minLength: 1,
        maxLength: 30,
      }),
      code: fc.constantFrom(null, ...Object.keys(CODES)),
      cancelled: fc.nat(40),
      returned: fc.nat(40),
    });
    await fc.assert(
      fc.asyncProperty(cart, async ({ site, country, lines, code, cancelled, returned }) => {
        const { decimals, prices_include_tax, products } = sites[site] as (typeof sites)[number];
        const amounts = lines.map(([n, quantity]) =>
          new Decimal(products[n].price).times(quantity),
        );
        const discount = code === null ? undefined : CODES[code];
        const weights = amounts.map((amount, i) =>
          discount?.isFor(lines[i]?.[0] ?? 0) ? amount : new Decimal(0),
        );
        const off = cents(
          Decimal.sum(...weights)
            .times(discount?.value ?? 0)
            .div(100),
          decimals,
        );
        const shares = off.isZero() ? weights.map(() => off) : divided(off, weights, decimals);
        const order = await ordered(
          lines.map(([n, quantity]) => [products[n], quantity]),
          country,
          // A code that takes off nothing is refused.
          { discount_codes: off.isZero() ? [] : [code] },
        );
        const rate = RATES.find(([name, , isFood]) => name === country && !isFood)?.[3] ?? 0;
        const divisor = prices_include_tax ? new Decimal(100).plus(rate) : 100;
        const nets = amounts.map((amount, i) => amount.minus(shares[i] ?? 0));
        const taxes = nets.map((net) => cents(net.times(rate).div(divisor), decimals));
        const seen = order.items.map((line: Row) => [line.discount_amount, line.tax_amount]);
        expect(seen).toEqual(taxes.map((tax, i) => [shares[i]?.toNumber(), tax.toNumber()]));
        const tax = Decimal.sum(...taxes);
        const total = Decimal.sum(...nets).plus(prices_include_tax ? 0 : tax);
        expect(order).toMatchObject({
          discount_amount: off.toNumber(),
          tax_amount: tax.toNumber(),
          total_amount: total.toNumber(),
        });
        const byRate = order.tax_lines.map((line: Row) => line.tax_amount);
        expect(Decimal.sum(0, ...byRate).toNumber()).toBe(tax.toNumber());

        const [first] = order.items;
        /** What the buyer owes for the first item when some of its pieces are kept, and its tax. */
        const ofFirst = (kept: number) => {
          const share = (amount: number) =>
            cents(new Decimal(amount).times(kept).div(first.quantity), decimals);
          const keptTax = share(first.tax_amount);
          const price = new Decimal(first.price).times(kept).minus(share(first.discount_amount));
          return { price: price.plus(prices_include_tax ? 0 : keptTax), tax: keptTax };
        };
        const expectKept = async (kept: number) => {
          const [whole, now] = [ofFirst(first.quantity), ofFirst(kept)];
          const after = await getOrder(operator, order);
          expect(after.owed_amount).toBe(total.minus(whole.price).plus(now.price).toNumber());
          expect(after.tax_due).toBe(tax.minus(whole.tax).plus(now.tax).toNumber());
          return after.owed_amount;
        };
        const cancels = Math.min(cancelled, first.quantity);
        const items = (quantity: number) => [{ item_id: first.id, quantity }];
        if (cancels > 0) await cancelItems(operator, order, items(cancels));
        const amount = await expectKept(first.quantity - cancels);
        const returns = Math.min(returned, first.quantity - cancels);
        if (returns === 0) return;
        expect((await pay(operator, order, "paid", { amount })).status).toBe(201);
        const left = first.quantity - cancels;
        const { body: parcel } = await ship(operator, order, { items: items(left) });
        await changeShipment(operator, parcel, { status: "delivered" });
        await takeBack(operator, order, items(returns));
        const owed = await expectKept(left - returns);
        const { refund_due, refund_due_for } = await getOrder(operator, order);
        expect(new Decimal(refund_due).plus(owed).toNumber()).toBe(amount);
        if (refund_due > 0) {
          const refund = { amount: refund_due, items: refund_due_for.items };
          expect((await pay(operator, order, "refunded", refund)).status).toBe(201);
          expect((await getOrder(operator, order)).refund_due).toBe(0);
        }
      }),
      { seed: SEED, numRuns: 20 },
    );
    expect((await must("GET", "/api/orders?limit=1", { as: customer })).total).toBeGreaterThan(20);
    const products = sites.flatMap((site) => site.products.map(({ id }) => id));
    expect(await violationsOf(products)).toEqual([]);
    const overview = await must("GET", "/api/analytics/overview?period=today&currency=EUR", {
      as: operator,
    });
    const { net_revenue, tax, total } = overview.revenue;
    expect(new Decimal(net_revenue).plus(tax).toNumber()).toBe(total);
  });
});
