import { describe, expect, it } from "vitest";
import {
  addCategory,
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  supabaseAs,
  type TestTenant,
} from "../souk.js";
import { doBusiness, getOrder, item, pay, placed } from "./ordering.js";
import { cancelItems } from "./shipping.js";

/** The supplier that a person belongs to. */
async function supplierOf(person: Person): Promise<string> {
  return (await must("GET", "/auth/me", { as: person })).supplier_id;
}

const setRate = (as: TestTenant["operator"], body: object) =>
  call("PUT", "/api/commission-rates", { as, body });

describe("the rate of commission", () => {
  it("is the supplier's, else the nearest category's, else the marketplace's, at the time of the order", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, tenantId } = testTenant;
    await doBusiness(testTenant, { commission_percent: 10 });
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
      // Its items have two rates.
      [30, null],
    ]);
    const { data } = await supabaseAs(supplier)
      .from("order_item_commissions")
      .select("commission_percent")
      .eq("order_id", after.id)
      .order("commission_percent");
    expect(data?.map((row) => row.commission_percent)).toEqual([10, 20]);

    // An item with a rate of 20 % is cancelled. The order keeps its rates.
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

  it("is set by admins for a supplier or a category, from 0 to 100, and hidden from customers", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const supplier_id = await supplierOf(supplier);
    const category_id = await addCategory(operator, "Lamps");
    for (const [input, status, code] of [
      [{ supplier_id, commission_percent: 101 }, 422, "VALIDATION_ERROR"],
      [{ supplier_id, commission_percent: 1.23456 }, 422, "VALIDATION_ERROR"],
      [{ commission_percent: 5 }, 422, "VALIDATION_ERROR"],
      [{ supplier_id, category_id, commission_percent: 5 }, 422, "VALIDATION_ERROR"],
    ] as const) {
      expectRefusal(await setRate(operator, input), status, code);
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

describe("the commission on delivery", () => {
  const methods = [{ key: "mule", name: "By mule", price: 5, per_supplier: true }];

  it("is charged if commission_on_delivery is set and the supplier receives the delivery", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    const product = await listProduct(supplier, { price: 10 });
    for (const [recipient, commission_on_delivery, delivery_amount, commission_amount] of [
      ["supplier", true, 5, 1.5],
      ["supplier", false, 5, 1],
      ["operator", true, 0, 1],
    ] as const) {
      await doBusiness(testTenant, {
        ...{ commission_percent: 10, commission_on_delivery },
        delivery: { methods, recipient },
      });
      const order = await placed(customer, product, 1, { delivery_method: "mule" });
      // Later changes apply to later orders.
      await doBusiness(testTenant, { commission_percent: 50, commission_on_delivery: true });
      await pay(operator, order);
      const lines = async () => (await getOrder(operator, order)).commissions;
      expect(await lines()).toMatchObject([
        {
          ...{ sales_amount: 10, delivery_amount, commission_amount },
          payout_amount: 10 + delivery_amount - commission_amount,
        },
      ]);
      await cancelItems(operator, order);
      expect(await lines()).toMatchObject([
        { sales_amount: 0, delivery_amount: 0, commission_amount: 0, payout_amount: 0 },
      ]);
    }
  });
});
