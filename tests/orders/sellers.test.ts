import { beforeAll, describe, expect, it } from "vitest";
import {
  call,
  expectRefusal,
  must,
  openTestTenant,
  orderFor,
  type Person,
  stockOf,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { getOrder, item, place, placed } from "./ordering.js";
import { placeMixed } from "./shipping.js";

// The legal identity of suppliers: an order keeps a copy from the time when it was placed.

const nameOf = (name: string) => ({ name, address: `1 ${name} Street`, tax_id: `IF ${name}` });

function setLegal(operator: Person, supplier_id: string, legal: object) {
  return must("PATCH", `/api/suppliers/${supplier_id}`, { as: operator, body: { legal } });
}

/** The legal identity in each part, by supplier. */
const legalOf = ({ parts }: { parts: { supplier_id: string | null; legal: object }[] }) =>
  Object.fromEntries(parts.map(({ supplier_id, legal }) => [`${supplier_id}`, legal]));

describe("the legal identity in an order", () => {
  it("does not change after the order was placed", async () => {
    const { operator, supplier, rival, customer, saffron, mint, lamp, order } = await placeMixed();
    // None was set.
    expect(legalOf(order)).toEqual({ [saffron.supplier_id]: {}, [mint.supplier_id]: {}, null: {} });
    await setLegal(operator, saffron.supplier_id, nameOf("Saffron"));
    await setLegal(operator, mint.supplier_id, { tax_id: "IF 2" });
    const items = [item(saffron), item(mint), item(lamp)];
    const next = await placed(customer, saffron, 1, { items });
    const whole = {
      [saffron.supplier_id]: nameOf("Saffron"),
      [mint.supplier_id]: { tax_id: "IF 2" },
      null: {},
    };
    expect(legalOf(next)).toEqual(whole);

    await setLegal(operator, saffron.supplier_id, nameOf("Anise"));
    await setLegal(operator, mint.supplier_id, {});
    for (const as of [customer, operator]) {
      expect(legalOf(await getOrder(as, next))).toEqual(whole);
      expect(legalOf(await getOrder(as, order))).toEqual(legalOf(order));
    }
    for (const [as, { supplier_id }] of [
      [supplier, saffron],
      [rival, mint],
    ] as const) {
      expect(legalOf(await getOrder(as, next))).toEqual({ [supplier_id]: whole[supplier_id] });
      const { data } = await supabaseAs(as)
        .from("order_parts")
        .select("legal")
        .eq("order_id", next.id);
      expect(data).toEqual([{ legal: whole[supplier_id] }]);
      const parts = supabaseAs(as).from("order_parts");
      expect((await parts.update({ legal: {} }).eq("order_id", next.id)).error?.code).toBe("42501");
    }
    const { data: events } = await supabaseAs(operator)
      .from("events")
      .select("order:payload->data->order")
      .eq("name", "order.created")
      .eq("payload->data->order->>id", next.id)
      .throwOnError();
    expect(events?.map(({ order }) => legalOf(order as never))).toEqual([whole]);
  });
});

describe("the legal identities of many suppliers", () => {
  let testTenant: TestTenant;
  // biome-ignore lint/suspicious/noExplicitAny: rows as PostgREST answers them.
  let goods: any[];

  beforeAll(async () => {
    testTenant = await openTestTenant();
    const { tenantId: tenant_id, marketplace } = testTenant;
    const service = supabaseAsService();
    // The largest identity, with characters of four bytes: 5 kB.
    const wide = (length: number) => "\u{1F9FF}".repeat(length);
    const legal = { name: wide(200), address: wide(1000), tax_id: wide(50) };
    const { data: suppliers } = await service
      .from("suppliers")
      .insert(Array.from({ length: 80 }, (_, i) => ({ tenant_id, name: `Stall ${i}`, legal })))
      .select("id")
      .throwOnError();
    const fields = { tenant_id, marketplace_id: marketplace.id, name: "Date", price: 1 };
    const { data } = await service
      .from("products")
      .insert(suppliers.map(({ id }) => ({ ...fields, supplier_id: id })))
      .select("id, price")
      .throwOnError();
    goods = data;
    await service
      .from("inventory")
      .update({ quantity: 10 })
      .in(
        "product_id",
        goods.map(({ id }) => id),
      )
      .throwOnError();
  });

  const order = (count: number) =>
    place(testTenant.customer, {
      ...orderFor({ ...goods[0], marketplace_id: testTenant.marketplace.id }),
      items: goods.slice(0, count).map((product) => item(product)),
    });

  it("are limited together with the items in the record of an order", async () => {
    const { status, body } = await order(60);
    expect(status).toBe(201);
    expect(body.parts).toHaveLength(60);
    expect(JSON.stringify(body).length).toBeLessThan(2 ** 20);
    expectRefusal(await order(80), 422, "LIMIT_REACHED", { field: "items", cap: "record_bytes" });
    expect((await stockOf(goods[79])).product).toMatchObject({ reserved: 0 });
    expect((await call("GET", "/api/orders", { as: testTenant.customer })).body.total).toBe(1);
  });
});
