import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "../orders/invariants.js";
import { getOrder, item, moved, pay, place } from "../orders/ordering.js";
import { cancelItems } from "../orders/shipping.js";
import {
  ADDRESS,
  expectRefusal,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  register,
  supabaseAs,
  type TestTenant,
  UNBOUNDED,
} from "../souk.js";

// What discounts take off an order: which apply, how they are divided, who bears them, and how often they are used.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Row = any;

interface Shop extends TestTenant {
  rival: Person;
  site: Row;
  saffron: Row;
  mint: Row;
  lamp: Row;
}

/** A marketplace with saffron (10) and mint (3) of two suppliers, and a lamp (50) of the operator. */
async function openShop(business: object = {}): Promise<Shop> {
  const tenant = await openTestTenant();
  const rival = await register({ tenant_id: tenant.tenantId, role: "supplier" });
  const settings = { business: { ...UNBOUNDED, commission_percent: 10, ...business } };
  const site = await openMarketplace(tenant.operator, { settings });
  const list = (as: Person, name: string, price: number) =>
    listProduct(as, { name, price, marketplace_id: site.id, inventory: { quantity: 1000 } });
  const [saffron, mint, lamp] = await Promise.all([
    list(tenant.supplier, "Saffron", 10),
    list(rival, "Mint", 3),
    list(tenant.operator, "Lamp", 50),
  ]);
  return { ...tenant, rival, site, saffron, mint, lamp };
}

const make = (as: Person, fields: object): Promise<Row> =>
  must("POST", "/api/discounts", { as, body: { kind: "percentage", value: 10, ...fields } });

const order = ({ site }: Shop, as: Person, pieces: [Row, number][], more: object = {}) =>
  place(as, {
    marketplace_id: site.id,
    items: pieces.map(([product, quantity]) => item(product, quantity)),
    shipping_address: ADDRESS,
    ...more,
  });

async function ordered(...order_: Parameters<typeof order>): Promise<Row> {
  const { status, body } = await order(...order_);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
}

const taken = ({ items }: Row) =>
  items.map((line: Row) => [line.discount_amount, line.discount_borne_by, line.discount_code]);

const none = [0, null, null];

/** How many orders use a discount, and what it took off them. */
async function worthOf(as: Person, { id }: Row): Promise<[number, Row]> {
  const { uses, costs } = await must("GET", `/api/discounts/${id}`, { as });
  return [uses, costs];
}

describe("a discount of the operator", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  });

  it("is computed once and divided by value, and takes nothing from what suppliers earn", async () => {
    const { operator, customer, saffron, mint, lamp } = shop;
    await make(operator, { code: "Spring", value: 7 });
    const placed = await ordered(
      shop,
      customer,
      [
        [saffron, 1],
        [mint, 1],
        [lamp, 1],
      ],
      { discount_codes: ["SPRING"] },
    );
    // 7 % of 63 is 4.41: 0.7, 0.21 and 3.5.
    expect(taken(placed)).toEqual([
      [0.7, "operator", "Spring"],
      [0.21, "operator", "Spring"],
      [3.5, "operator", "Spring"],
    ]);
    expect(placed).toMatchObject({
      ...{ subtotal_amount: 63, discount_amount: 4.41, total_amount: 58.59 },
    });
    const seen = await getOrder(operator, placed);
    const of = (product: Row) =>
      seen.commissions.find(({ supplier_id }: Row) => supplier_id === product.supplier_id);
    expect(of(saffron)).toMatchObject({
      ...{ sales_amount: 10, commission_amount: 1, payout_amount: 9 },
    });
    expect((await pay(operator, placed)).status).toBe(201);
    expect(await violationsOf([saffron.id, mint.id, lamp.id])).toEqual([]);
  });

  it("gives the units that are left to the largest remainders", async () => {
    const { operator, customer, saffron, mint, lamp } = shop;
    await make(operator, { code: "ONE", kind: "amount", value: 1, currency: "EUR" });
    const pieces: [Row, number][] = [
      [saffron, 1],
      [mint, 1],
      [lamp, 1],
    ];
    const placed = await ordered(shop, customer, pieces, { discount_codes: ["one"] });
    // 1 of 63: 0.1587, 0.0476 and 0.7936.
    expect(taken(placed).map(([amount]: Row) => amount)).toEqual([0.16, 0.05, 0.79]);
  });

  it("is priced anew for the pieces that are kept", async () => {
    const { operator, customer, saffron } = shop;
    await make(operator, { code: "THIRD", kind: "amount", value: 1, currency: "EUR" });
    const placed = await ordered(shop, customer, [[saffron, 3]], { discount_codes: ["THIRD"] });
    expect(placed.total_amount).toBe(29);
    const piece = [{ item_id: placed.items[0].id, quantity: 1 }];
    await cancelItems(operator, placed, piece);
    expect((await getOrder(operator, placed)).owed_amount).toBe(19.33);
    expect((await pay(operator, placed, "paid", { amount: 19.33 })).status).toBe(201);
    await cancelItems(operator, placed, piece);
    const seen = await getOrder(operator, placed);
    expect([seen.owed_amount, seen.refund_due]).toEqual([9.67, 9.66]);
    expect(await violationsOf([saffron.id])).toEqual([]);
  });

  it("says why a code does not apply", async () => {
    const { operator, customer, saffron, mint } = shop;
    const past = new Date(Date.now() - 1000).toISOString();
    const future = new Date(Date.now() + 3_600_000).toISOString();
    const used = await make(operator, { code: "USED", uses_total: 1 });
    await Promise.all([
      make(operator, { code: "SOON", starts_at: future }),
      make(operator, { code: "GONE", ends_at: past }),
      make(operator, { code: "REST", status: "paused" }),
      make(operator, { code: "BIG", minimum_subtotal: 20, currency: "EUR" }),
      make(operator, { code: "MINT", product_ids: [mint.id] }),
      make(operator, { code: "SMALL", value: 1 }),
    ]);
    await ordered(shop, customer, [[saffron, 1]], { discount_codes: ["used"] });
    expect((await must("GET", `/api/discounts/${used.id}`, { as: operator })).uses).toBe(1);
    for (const [codes, reason] of [
      [["NOTHING"], "unknown"],
      [["REST"], "unknown"],
      [["SOON"], "not_yet"],
      [["GONE"], "over"],
      [["USED"], "used_up"],
      [["BIG"], "minimum"],
      [["MINT"], "nothing_matches"],
      [["Spring", "SMALL"], "better"],
    ] as const) {
      const answer = await order(shop, customer, [[saffron, 1]], { discount_codes: codes });
      const at = codes.length - 1;
      const details = { field: `discount_codes[${at}]`, value: codes[at], reason };
      expectRefusal(answer, 422, "DISCOUNT_NOT_APPLICABLE", details);
    }
    const many = { discount_codes: ["1", "2", "3", "4", "5", "6"] };
    const refused = await order(shop, customer, [[saffron, 1]], many);
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "discount_codes" });
  });
});

describe("a discount of a supplier", () => {
  it("applies alone in its part where it takes off more, and the supplier bears it", async () => {
    const shop = await openShop();
    const { operator, supplier, customer, saffron, mint } = shop;
    await make(operator, { value: 10 });
    const own = await make(supplier, { value: 20 });
    const placed = await ordered(shop, customer, [
      [saffron, 1],
      [mint, 1],
    ]);
    // The operator's share of the saffron lapses; the mint keeps its share of 1.30.
    expect(taken(placed)).toEqual([
      [2, "supplier", null],
      [0.3, "operator", null],
    ]);
    const seen = await getOrder(operator, placed);
    const line = seen.commissions.find(
      ({ supplier_id }: Row) => supplier_id === saffron.supplier_id,
    );
    expect(line).toMatchObject({ sales_amount: 8, commission_amount: 0.8, payout_amount: 7.2 });
    await must("PATCH", `/api/discounts/${own.id}`, { as: supplier, body: { value: 5 } });
    const next = await ordered(shop, customer, [[saffron, 1]]);
    expect(taken(next)).toEqual([[1, "operator", null]]);
    await must("PATCH", `/api/discounts/${own.id}`, { as: supplier, body: { status: "paused" } });
    expect(taken(await ordered(shop, customer, [[mint, 1]]))).toEqual([[0.3, "operator", null]]);
  });
});

describe("free delivery", () => {
  it("comes on top, and the operator bears it", async () => {
    const each = { key: "each", name: "Each", price: 5, per_supplier: true };
    const delivery = { methods: [each], recipient: "supplier" };
    const shop = await openShop({ delivery });
    const { operator, customer, saffron, mint } = shop;
    await make(operator, { code: "TEN" });
    const body = { kind: "free_delivery", code: "SHIP", supplier_ids: [saffron.supplier_id] };
    const ship = await must("POST", "/api/discounts", { as: operator, body });
    const placed = await ordered(
      shop,
      customer,
      [
        [saffron, 1],
        [mint, 1],
      ],
      { delivery_method: "each", discount_codes: ["ten", "ship"] },
    );
    expect(placed).toMatchObject({ delivery_amount: 10, discount_amount: 6.3, total_amount: 16.7 });
    const part = placed.parts.find(({ supplier_id }: Row) => supplier_id === saffron.supplier_id);
    expect(part).toMatchObject({ delivery_discount_amount: 5, delivery_price: 0 });
    const seen = await getOrder(operator, placed);
    const line = seen.commissions.find(
      ({ supplier_id }: Row) => supplier_id === saffron.supplier_id,
    );
    expect(line).toMatchObject({ sales_amount: 10, delivery_amount: 5, payout_amount: 14 });
    expect(await worthOf(operator, ship)).toEqual([1, [{ currency: "EUR", amount: 5 }]]);
  });
});

describe("the uses of a code", () => {
  it("are exact when many race for them, and an order that is cancelled unpaid gives its use back", async () => {
    const shop = await openShop();
    const { operator, customer, saffron, tenantId } = shop;
    const code = await make(operator, { code: "TEN", uses_total: 10 });
    const buyers = await Promise.all(
      Array.from({ length: 100 }, () => register({ tenant_id: tenantId })),
    );
    const answers = await Promise.all(
      buyers.map((as) => order(shop, as, [[saffron, 1]], { discount_codes: ["TEN"] })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(10);
    for (const { status, body } of answers) {
      if (status !== 201) expect(body.error).toMatchObject({ code: "DISCOUNT_NOT_APPLICABLE" });
    }
    const uses = async () =>
      (await must("GET", `/api/discounts/${code.id}`, { as: operator })).uses;
    expect(await uses()).toBe(10);
    await moved(operator, made[0]?.body, "cancelled");
    expect(await uses()).toBe(9);
    await ordered(shop, customer, [[saffron, 1]], { discount_codes: ["TEN"] });
    expect(await uses()).toBe(10);
  });

  it("are limited for each customer", async () => {
    const shop = await openShop();
    const { operator, customer, saffron, tenantId } = shop;
    await make(operator, { code: "ONCE", uses_per_customer: 1 });
    const twice = await Promise.all(
      [1, 2].map(() => order(shop, customer, [[saffron, 1]], { discount_codes: ["ONCE"] })),
    );
    expect(twice.map(({ status }) => status).toSorted()).toEqual([201, 422]);
    const other = await register({ tenant_id: tenantId });
    await ordered(shop, other, [[saffron, 1]], { discount_codes: ["ONCE"] });
    expect(taken(await ordered(shop, customer, [[saffron, 1]]))).toEqual([none]);
  });
});

describe("the costs of a discount", () => {
  it("are what it took off the orders that use it, without those that were cancelled unpaid", async () => {
    const shop = await openShop();
    const { operator, customer, saffron, mint } = shop;
    const code = await make(operator, { code: "TEN" });
    expect(await worthOf(operator, code)).toEqual([0, []]);
    const codes = { discount_codes: ["TEN"] };
    const first = await ordered(shop, customer, [[saffron, 3]], codes);
    const second = await ordered(shop, customer, [[mint, 1]], codes);
    expect(await worthOf(operator, code)).toEqual([2, [{ currency: "EUR", amount: 3.3 }]]);
    await moved(operator, second, "cancelled");
    const rest = [1, [{ currency: "EUR", amount: 3 }]];
    expect(await worthOf(operator, code)).toEqual(rest);
    // Pieces of an order that stays do not change them, and neither does a change of the discount.
    expect((await pay(operator, first)).status).toBe(201);
    await cancelItems(operator, first, [{ item_id: first.items[0].id, quantity: 1 }]);
    const paused = { as: operator, body: { status: "paused" } };
    const { costs } = await must("PATCH", `/api/discounts/${code.id}`, paused);
    expect(costs).toEqual(rest[1]);
    expect(await worthOf(operator, code)).toEqual(rest);
  });

  it("are in the currencies of the orders", async () => {
    const shop = await openShop();
    const { operator, supplier, customer, saffron } = shop;
    const site = await openMarketplace(operator, {
      currency: "JPY",
      settings: { business: UNBOUNDED },
    });
    const fields = { price: 1000, marketplace_id: site.id, inventory: { quantity: 10 } };
    const tea = await listProduct(supplier, fields);
    const code = await make(operator, { code: "TEN" });
    const codes = { discount_codes: ["TEN"] };
    await ordered(shop, customer, [[saffron, 1]], codes);
    await ordered({ ...shop, site }, customer, [[tea, 1]], codes);
    const costs = [
      { currency: "EUR", amount: 1 },
      { currency: "JPY", amount: 100 },
    ];
    expect(await worthOf(operator, code)).toEqual([2, costs]);
  });

  it("are shown to those who see the discount, to suppliers for their own", async () => {
    const shop = await openShop();
    const { operator, supplier, rival, customer, saffron, mint } = shop;
    await make(operator, { code: "TEN" });
    const own = await make(supplier, { value: 20 });
    const pieces: [Row, number][] = [
      [saffron, 1],
      [mint, 1],
    ];
    await ordered(shop, customer, pieces, { discount_codes: ["TEN"] });
    const seenBy = async (as: Person) => {
      const { discounts } = await must("GET", "/api/discounts?order=asc", { as });
      const { data } = await supabaseAs(as)
        .from("discount_details")
        .select("costs")
        .order("created_at")
        .throwOnError();
      const seen = discounts.map(({ costs }: Row) => costs);
      expect(data.map(({ costs }: Row) => costs)).toEqual(seen);
      return seen;
    };
    const [operators, suppliers] = [0.3, 2].map((amount) => [{ currency: "EUR", amount }]);
    expect(await seenBy(operator)).toEqual([operators, suppliers]);
    expect(await seenBy(supplier)).toEqual([suppliers]);
    expect(await seenBy(rival)).toEqual([]);
    expect(await seenBy(customer)).toEqual([]);
    expect(await worthOf(supplier, own)).toEqual([1, suppliers]);
  });
});
