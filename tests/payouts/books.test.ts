import { describe, expect, it } from "vitest";
import { click, openCategory, PLACEMENT, promote, told } from "../placement/promoting.js";
import {
  ADDRESS,
  type Bazaar,
  listProduct,
  must,
  openBazaar,
  openMarketplace,
  type Person,
  register,
  supabaseAs,
} from "../souk.js";
import { payOut, supplierOf } from "./paying.js";

// Orders of three suppliers, from the order to the bank, in currencies of two, no and three decimals: what the orders,
// the ledger, commissions, charges and payouts say is held against what is added up here, in whole units.
//
// BOOKS_ORDERS says how many orders there are in each currency.

const ORDERS = Number(process.env.BOOKS_ORDERS ?? 16);

/** The rates of the three suppliers: its own, its category's, the marketplace's. */
const RATES = [7.77, 3.3333, 12.5];

const DELIVERY = 3;

/** Half a unit up, as it is of decimals: what a binary number lacks is put back. */
const rounded = (units: number) => Math.floor(units + 0.5 + 1e-7);

interface Trade {
  /** What a unit is in the currency: 0.01 of EUR. */
  exponent: number;
  prices: number[];
  products: { id: string }[];
}

const inUnits = (amount: number, { exponent }: Trade) => Math.round(amount * 10 ** exponent);
const inCurrency = (units: number, { exponent }: Trade) =>
  Number((units / 10 ** exponent).toFixed(exponent));

/** Places the n-th order, pays for it, and has it go its way; answers how many pieces of each supplier are sold after all. */
async function trade(bazaar: Bazaar, marketplaceId: string, goods: Trade, n: number) {
  const { operator, customer } = bazaar;
  const rpc = async (as: Person, name: string, sent: object) => {
    const { data } = await supabaseAs(as)
      .rpc(name as never, sent as never)
      .throwOnError();
    // biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
    return data as any;
  };
  const quantities = goods.products.map((_, s) => 1 + ((n + s) % 4));
  const order = await rpc(customer, "place_order", {
    marketplace_id: marketplaceId,
    items: goods.products.map(({ id }, s) => ({
      product_id: id,
      quantity: quantities[s],
      price: inCurrency(goods.prices[s] as number, goods),
    })),
    shipping_address: ADDRESS,
    delivery_method: "mule",
  });
  await rpc(operator, "report_payment", {
    order_id: order.id,
    status: "paid",
    amount: order.total_amount,
    reference: "paid",
  });
  const one = (s: number) => [{ item_id: order.items[s].id, quantity: 1 }];
  if (n % 5 === 0) {
    await rpc(operator, "cancel_order_items", { order_id: order.id, items: one(n % 3) });
    quantities[n % 3] = (quantities[n % 3] as number) - 1;
  }
  await rpc(operator, "change_order_status", { order_id: order.id, status: "delivered" });
  if (n % 7 === 0) {
    const s = quantities.findIndex((quantity) => quantity > 1);
    await rpc(operator, "return_order_items", { order_id: order.id, items: one(s) });
    quantities[s] = (quantities[s] as number) - 1;
  }
  // Of a part that was cancelled whole nothing was delivered.
  const delivered = quantities.map((quantity) => quantity > 0);
  return { quantities, delivered };
}

describe("many orders of three suppliers", () => {
  it.each([
    ["EUR", 2, [333, 1999, 7]],
    ["JPY", 0, [137, 980, 3]],
    ["KWD", 3, [1237, 10_005, 19]],
  ] as const)("come to the payouts to the last unit, in %s", async (currency, exponent, prices) => {
    const bazaar = await openBazaar();
    const { operator, tenantId } = bazaar;
    const more = await Promise.all(
      [1, 2].map(() => register({ tenant_id: tenantId, role: "supplier" })),
    );
    const sellers = [bazaar.supplier, ...more];
    const supplierIds = await Promise.all(sellers.map(supplierOf));
    const lamps = await openCategory(bazaar);
    const goods: Trade = { exponent, prices: [...prices], products: [] };
    const delivery = inCurrency(DELIVERY * 10 ** exponent, goods);
    const marketplace = await openMarketplace(operator, {
      currency,
      settings: {
        business: {
          ...{ commission_percent: RATES[2], commission_on_delivery: true, payout_delay_days: 0 },
          delivery: {
            recipient: "supplier",
            methods: [{ key: "mule", name: "By mule", price: delivery, per_supplier: true }],
          },
        },
      },
    });
    const rate = (body: object) => must("PUT", "/api/commission-rates", { as: operator, body });
    await rate({ supplier_id: supplierIds[0], commission_percent: RATES[0] });
    await rate({ category_id: lamps.id, commission_percent: RATES[1] });
    goods.products = await Promise.all(
      sellers.map((seller, s) =>
        listProduct(seller, {
          price: inCurrency(prices[s] as number, goods),
          marketplace_id: marketplace.id,
          inventory: { quantity: 10_000 },
          ...(s === 1 && { category_id: lamps.id }),
        }),
      ),
    );

    // Clicks cost 0.50 each: of yen half a unit, of which three make one that can be paid, and a rest.
    const campaign = await promote(bazaar, lamps, {}, { marketplace_id: marketplace.id, price: 1 });
    const clicks = ["a", "b", "c"].map((visitor) => click(campaign, visitor));
    expect(await told(operator, ...clicks)).toEqual(["charged", "charged", "charged"]);

    const owed = [0, 0, 0];
    const commissions = [0, 0, 0];
    const sell = async (from: number, to: number) => {
      for (let n = from; n < to; n += 10) {
        const some = Array.from({ length: Math.min(10, to - n) }, (_, i) => n + i);
        for (const { quantities, delivered } of await Promise.all(
          some.map((each) => trade(bazaar, marketplace.id, goods, each)),
        )) {
          for (const [s, quantity] of quantities.entries()) {
            const sold = quantity * (prices[s] as number);
            const brought = delivered[s] ? DELIVERY * 10 ** exponent : 0;
            const marketRate = s === 0 ? RATES[0] : RATES[2];
            const commission = rounded(
              (sold * (RATES[s] as number) + brought * (marketRate as number)) / 100,
            );
            owed[s] = (owed[s] as number) + sold + brought - commission;
            commissions[s] = (commissions[s] as number) + commission;
          }
        }
      }
    };

    const paid = [0, 0, 0];
    const payAll = async () => {
      for (const [s, supplierId] of supplierIds.entries()) {
        const { body } = await payOut(operator, supplierId);
        expect(body).toMatchObject({ currency, status: "pending" });
        // The second supplier's bank fails once: it is paid the second time.
        const fails = s === 1 && paid[s] === 0;
        const change = fails ? { status: "failed" } : { status: "paid", reference: `bank ${s}` };
        await must("PATCH", `/api/payouts/${body.id}`, { as: operator, body: change });
        if (!fails) paid[s] = (paid[s] as number) + inUnits(body.amount, goods);
        else {
          const again = await payOut(operator, supplierId);
          expect(again.body.amount).toBe(body.amount);
          paid[s] = inUnits(again.body.amount, goods);
        }
      }
    };
    await sell(0, ORDERS / 2);
    await payAll();
    await sell(ORDERS / 2, ORDERS);
    await payAll();

    const { charges } = await must("GET", `${PLACEMENT}/campaigns/${campaign.id}/charges`, {
      as: operator,
    });
    const charged = charges.reduce(
      (sum: number, { amount }: { amount: number }) => sum + amount,
      0,
    );
    expect(charged).toBe(1.5);
    const [first, ...others] = owed as [number, number, number];
    // Of what was charged what makes whole units.
    expect(paid).toEqual([first - Math.floor(charged * 10 ** exponent), ...others]);
    for (const [s, supplierId] of supplierIds.entries()) {
      const as = sellers[s] as Person;
      const { totals } = await must("GET", "/api/commissions", { as });
      expect(totals).toMatchObject([
        {
          currency,
          commission_amount: inCurrency(commissions[s] as number, goods),
          payout_amount: inCurrency(owed[s] as number, goods),
        },
      ]);
      // All that was owed is paid.
      expect(await must("GET", `/api/suppliers/${supplierId}/balance`, { as })).toEqual({
        balances: [],
      });
      expect((await must("GET", "/api/ledger", { as })).totals).toEqual([{ currency, amount: 0 }]);
    }
  });
});
