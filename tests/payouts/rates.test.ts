import { describe, expect, it } from "vitest";
import { doBusiness, getOrder, item, pay, place, placed } from "../orders/ordering.js";
import { cancelItems } from "../orders/shipping.js";
import {
  addCategory,
  type Bazaar,
  call,
  expectRefusal,
  listProduct,
  must,
  openBazaar,
  orderFor,
  register,
  supabaseAs,
} from "../souk.js";
import { ledgerOf, supplierOf } from "./paying.js";

const setRate = (as: Bazaar["operator"], body: object) =>
  call("PUT", "/api/commission-rates", { as, body });

describe("the rate of commission", () => {
  it("is the supplier's, else the nearest category's, else the marketplace's, as it was when ordered", async () => {
    const bazaar = await openBazaar();
    const { operator, supplier, customer, tenantId } = bazaar;
    await doBusiness(bazaar, { commission_percent: 10 });
    const lamps = await addCategory(operator, "Lamps");
    const oil = await addCategory(operator, "Oil lamps", lamps);
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const [plain, lit, theirs] = await Promise.all([
      listProduct(supplier, { price: 100 }),
      listProduct(supplier, { price: 100, category_id: oil }),
      listProduct(rival, { price: 100, category_id: oil }),
    ]);
    const order = () =>
      must("POST", "/api/orders", {
        as: customer,
        body: { ...orderFor(plain), items: [plain, lit, theirs].map((one) => item(one)) },
      });
    const before = await order();
    expect((await setRate(operator, { category_id: lamps, commission_percent: 20 })).status).toBe(
      200,
    );
    const own = { supplier_id: await supplierOf(rival), commission_percent: 2.5 };
    const made = await setRate(operator, own);
    const after = await order();

    const of = async ({ id }: { id: string }) => {
      const { commissions } = await getOrder(operator, { id });
      const lines = commissions.map((line: Record<string, unknown>) => [
        line.commission_amount,
        line.commission_percent,
      ]);
      return lines.sort(([one]: [number], [other]: [number]) => one - other);
    };
    expect(await of(before)).toEqual([
      [10, 10],
      [20, 10],
    ]);
    expect(await of(after)).toEqual([
      [2.5, 2.5],
      // Of two rates there is none in one word.
      [30, null],
    ]);
    const { data } = await supabaseAs(supplier)
      .from("order_item_commissions")
      .select("commission_percent")
      .eq("order_id", after.id)
      .order("commission_percent");
    expect(data?.map((row) => row.commission_percent)).toEqual([10, 20]);

    // Half of what has a fifth is cancelled: the old order keeps its rates.
    await cancelItems(supplier, after, [{ item_id: after.items[1].id, quantity: 1 }]);
    expect(await of(after)).toEqual([
      [2.5, 2.5],
      [10, null],
    ]);
    const path = `/api/commission-rates/${made.body.id}`;
    expect((await call("DELETE", path, { as: operator })).status).toBe(204);
    expect(await of(await order())).toEqual([
      [20, 20],
      [30, null],
    ]);
  });

  it("is set by admins, from 0 to 100, of a supplier or a category; customers see none", async () => {
    const { operator, supplier, customer } = await openBazaar();
    const supplier_id = await supplierOf(supplier);
    const category_id = await addCategory(operator, "Lamps");
    for (const [wish, status, code] of [
      [{ supplier_id, commission_percent: 101 }, 422, "VALIDATION_ERROR"],
      [{ supplier_id, commission_percent: 1.23456 }, 422, "VALIDATION_ERROR"],
      [{ commission_percent: 5 }, 422, "VALIDATION_ERROR"],
      [{ supplier_id, category_id, commission_percent: 5 }, 422, "VALIDATION_ERROR"],
    ] as const) {
      expectRefusal(await setRate(operator, wish), status, code);
    }
    expectRefusal(
      await setRate(supplier, { supplier_id, commission_percent: 0 }),
      403,
      "FORBIDDEN",
    );
    await setRate(operator, { supplier_id, commission_percent: 5 });
    const again = await setRate(operator, { supplier_id, commission_percent: 6 });
    expect(again.body).toMatchObject({ supplier_id, category_id: null, commission_percent: 6 });
    const list = async (as: typeof supplier) =>
      (await must("GET", "/api/commission-rates", { as })).total;
    expect(await list(operator)).toBe(1);
    expect(await list(supplier)).toBe(1);
    expect(await list(customer)).toBe(0);
    const written = await supabaseAs(supplier)
      .from("commission_rates")
      .update({ commission_percent: 0 })
      .eq("supplier_id", supplier_id);
    expect(written.error?.message).toBe("FORBIDDEN");
  });
});

describe("delivery that is the supplier's", () => {
  const methods = [{ key: "mule", name: "By mule", price: 5, per_supplier: true }];

  it("is owed with what it sold, less commission where that is taken of it", async () => {
    for (const [commission_on_delivery, commission] of [
      [true, 1.5],
      [false, 1],
    ] as const) {
      const bazaar = await openBazaar();
      const { operator, supplier, customer } = bazaar;
      await doBusiness(bazaar, {
        ...{ commission_percent: 10, delivery: { methods, recipient: "supplier" } },
        commission_on_delivery,
      });
      const product = await listProduct(supplier, { price: 10 });
      const order = await placed(customer, product, 1, { delivery_method: "mule" });
      // What is changed now is of orders to come.
      await doBusiness(bazaar, { commission_percent: 50 });
      const [line] = (await getOrder(operator, order)).commissions;
      expect(line).toMatchObject({
        ...{ sales_amount: 10, delivery_amount: 5, commission_amount: commission },
        payout_amount: 15 - commission,
      });
      await pay(operator, order);
      expect(await ledgerOf(supplier)).toEqual([
        ["sold", 10],
        ["delivery", 5],
        ["commission", -commission],
      ]);
      await cancelItems(operator, order);
      const { totals } = await must("GET", "/api/ledger", { as: supplier });
      expect(totals).toEqual([{ currency: "EUR", amount: 0 }]);
    }
  });

  it("is the operator's unless the marketplace says so", async () => {
    const bazaar = await openBazaar();
    const { operator, supplier, customer } = bazaar;
    await doBusiness(bazaar, { delivery: { methods } });
    const product = await listProduct(supplier, { price: 10 });
    expectRefusal(await place(customer, orderFor(product)), 422, "VALIDATION_ERROR", {
      field: "delivery_method",
    });
    const order = await placed(customer, product, 1, { delivery_method: "mule" });
    await pay(operator, order);
    expect(await ledgerOf(supplier)).toEqual([["sold", 10]]);
  });
});
