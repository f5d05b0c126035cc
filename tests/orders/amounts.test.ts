import { describe, expect, it } from "vitest";
import { moneyFormat } from "../../packages/client/src/money.js";
import { exported, rowsOf } from "../exports/exporting.js";
import { mailTo } from "../mail/mailbox.js";
import {
  call,
  expectRefusal,
  listProduct,
  marketplaceFields,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { customerOf, doBusiness, getOrder, item, move, pay, place, placed } from "./ordering.js";

async function openSite(operator: Person, overrides: object) {
  const { id } = await must("POST", "/api/marketplaces", {
    as: operator,
    body: marketplaceFields(overrides),
  });
  return must("PUT", `/api/marketplaces/${id}`, { as: operator, body: { status: "active" } });
}

describe("the number of an order", () => {
  it("counts from 1 in each marketplace, without gaps, also with concurrent orders", async () => {
    const { operator, supplier, customer, marketplace } = await openTestTenant();
    const other = await openSite(operator, {});
    const [here, there] = await Promise.all(
      [marketplace, other].map(({ id }) =>
        listProduct(supplier, { marketplace_id: id, inventory: { quantity: 8 } }),
      ),
    );
    // Half of these are refused because of their stock or price. They leave no gap.
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => [
        place(customer, orderFor(here)),
        place(customer, orderFor({ ...there, price: i % 2 ? there.price : 1 })),
      ]).flat(),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(16);
    const upToEight = Array.from({ length: 8 }, (_, i) => i + 1);
    for (const { id } of [marketplace, other]) {
      const { orders } = await must(
        "GET",
        `/api/orders?marketplace_id=${id}&sort=number&order=asc`,
        { as: operator },
      );
      expect(orders.map(({ number }: { number: number }) => number)).toEqual(upToEight);
    }
    const found = await must("GET", "/api/orders?number=5", { as: operator });
    expect(found.total).toBe(2);
    expect(
      await must("GET", `/api/orders?number=5&marketplace_id=${other.id}`, { as: customer }),
    ).toMatchObject({ total: 1, orders: [{ number: 5, marketplace_id: other.id }] });
    expect(await must("GET", "/api/orders?number=9", { as: operator })).toMatchObject({ total: 0 });
    expectRefusal(
      await call("GET", "/api/orders?number=first", { as: operator }),
      422,
      "VALIDATION_ERROR",
      { field: "number" },
    );
  });
});

describe("the amount of an order", () => {
  it("is the sum of its items and delivery, by the marketplace's settings", async () => {
    const testTenant = await openTestTenant();
    const { customer, supplier } = testTenant;
    await doBusiness(testTenant, {
      payment_methods: ["card", "invoice"],
      delivery: {
        methods: [
          { key: "post", name: "Post", price: 4.95 },
          { key: "fetch", name: "Fetch it", price: 0 },
        ],
      },
    });
    const product = await listProduct(supplier, { price: 10.1 });
    const methods = { delivery_method: "post", payment_method: "invoice" };
    expect(await placed(customer, product, 2, methods)).toMatchObject({
      ...methods,
      subtotal_amount: 20.2,
      delivery_amount: 4.95,
      total_amount: 25.15,
    });
    expect(await placed(customer, product, 1, { delivery_method: "fetch" })).toMatchObject({
      delivery_amount: 0,
      total_amount: 10.1,
      payment_method: null,
    });
    for (const [field, value] of [
      ["delivery_method", "mule"],
      ["payment_method", "barter"],
    ]) {
      const refused = await place(
        customer,
        orderFor(product, 1, { ...methods, [field as string]: value }),
      );
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field, value });
    }
  });

  it("needs a delivery method that is available for every product", async () => {
    const testTenant = await openTestTenant();
    const { customer, supplier } = testTenant;
    const methods = ["post", "freight"].map((key) => ({ key, name: key, price: 5 }));
    await doBusiness(testTenant, { delivery: { methods } });
    const ring = await listProduct(supplier);
    const carpet = await listProduct(supplier, { physical: { delivery: ["freight"] } });
    const order = (delivery_method: string) => {
      const items = [ring, carpet].map(({ id, price }) => ({ product_id: id, price, quantity: 1 }));
      return place(customer, orderFor(ring, 1, { items, delivery_method }));
    };
    const refused = await order("post");
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "delivery_method", value: "post" });
    expect(refused.body.error.message).toContain("items[1]");
    expect((await order("freight")).status).toBe(201);
  });

  it("has no methods if the marketplace has none", async () => {
    const { customer, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    for (const field of ["delivery_method", "payment_method"]) {
      const refused = await place(customer, orderFor(product, 1, { [field]: "card" }));
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field, value: "card" });
    }
  });

  it.each([
    ["JPY", 1250, 3750, 0.5],
    ["KWD", 0.125, 0.375, 0.0005],
    ["EUR", 0.1, 0.3, 0.005],
  ])("is exact in %s", async (currency, price, total_amount, finer) => {
    const { operator, supplier, customer } = await openTestTenant();
    const { id: marketplace_id } = await openSite(operator, { currency });
    const product = await listProduct(supplier, { marketplace_id, price });
    const order = await placed(customer, product, 3);
    expect(order).toMatchObject({ currency, subtotal_amount: total_amount, total_amount });
    expectRefusal(
      await pay(operator, order, "failed", { amount: finer }),
      422,
      "VALIDATION_ERROR",
      {
        field: "amount",
        value: finer,
      },
    );
    expect((await pay(operator, order)).status).toBe(201);
  });

  it.each([
    ["HUF", 1990.5, "HUF 1,990.50"],
    ["IQD", 10.5, "IQD 10.500"],
    ["KWD", 0.125, "KWD 0.125"],
    ["JPY", 1250, "¥1,250"],
  ])("is the same text on the page, in the mail and by the client, and in files, in %s", async (currency, price, shown) => {
    const { operator, supplier, customer } = await openTestTenant();
    const { id: marketplace_id } = await openSite(operator, { currency });
    const product = await listProduct(supplier, { marketplace_id, price });
    const plain = (html: string) => html.replaceAll(/\u00a0|&nbsp;|&#160;/g, " ");
    // The apps show amounts with it.
    expect(plain(moneyFormat("en", currency).format(price))).toBe(shown);
    const path = `/api/templates/product/render?language=en&product_id=${product.id}`;
    expect(plain((await must("GET", path, { as: customer })).html)).toContain(shown);
    const order = await placed(customer, product, 1, { language: "en" });
    expect(order.total_amount).toBe(price);
    const mail = await mailTo(operator, customer.email, "order_placed");
    expect(plain(mail.HTML)).toContain(shown);
    const [row] = await rowsOf(await exported(operator, { type: "orders", format: "csv" }));
    expect(row).toMatchObject({ id: order.id, currency });
    expect(Number(row?.total_amount)).toBe(price);
  });

  it("is consistent for every writer", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier, { price: 5 }), 2);
    const db = supabaseAsService();
    const parts = () => db.from("order_parts");
    const { tenant_id, customer_id } = order;
    const delivery = { order_id: order.id, tenant_id, customer_id, subtotal: 0 };
    const sums = [
      await parts().update({ subtotal: 9 }).eq("order_id", order.id),
      await parts().update({ delivery_amount: -1 }).eq("order_id", order.id),
      await parts().update({ delivery_amount: 0.001 }).eq("order_id", order.id),
      await parts().insert({ ...delivery, subtotal: 1 }),
      await parts().delete().eq("order_id", order.id),
      await db.from("order_items").update({ price: 4 }).eq("order_id", order.id),
      await db.from("order_items").update({ quantity: 1 }).eq("order_id", order.id),
      await db.from("order_items").update({ returned_quantity: 3 }).eq("order_id", order.id),
      await db.from("order_items").delete().eq("order_id", order.id),
      await db
        .from("order_commissions")
        .update({ sales_amount: 9, payout_amount: 9 })
        .eq("order_id", order.id),
      await db.from("order_commissions").delete().eq("order_id", order.id),
    ];
    expect(sums.map(({ error }) => error?.code)).toEqual(sums.map(() => "23514"));
    expect(await getOrder(operator, order)).toEqual({
      ...order,
      commissions: [expect.objectContaining({ sales_amount: 10 })],
    });
    // Consistent amounts may be written.
    await parts()
      .insert({ ...delivery, delivery_amount: 1.5 })
      .throwOnError();
    expect(await getOrder(customer, order)).toMatchObject({ total_amount: 11.5 });
  });

  it("may be zero; then the order is paid immediately and never due", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier, { price: 0 }));
    expect(order).toMatchObject({
      status: "pending",
      payment_status: "paid",
      total_amount: 0,
      payment_due_at: null,
      payments: [],
    });
    expectRefusal(await pay(operator, order, "refunded", { amount: 1 }), 422, "VALIDATION_ERROR", {
      field: "amount",
    });
  });
});

describe("the list of orders", () => {
  it("can be filtered by payment, customer and time", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const neighbour = await register({ tenant_id: tenantId });
    const product = await listProduct(supplier);
    const first = await placed(customer, product);
    const second = await placed(neighbour, product);
    const third = await placed(neighbour, product);
    await pay(operator, second);
    await move(operator, third, "confirmed");
    const ids = async (query: Record<string, string>, as = operator) => {
      const { orders } = await must("GET", `/api/orders?${new URLSearchParams(query)}`, { as });
      return orders.map(({ id }: { id: string }) => id);
    };
    expect(await ids({ payment_status: "paid" })).toEqual([second.id]);
    expect(await ids({ payment_status: "pending" })).toEqual([third.id, first.id]);
    expect(await ids({ payment_status: "pending", status: "pending" })).toEqual([first.id]);
    const customer_id = await customerOf(neighbour);
    expect(await ids({ customer_id })).toEqual([third.id, second.id]);
    expect(await ids({ customer_id }, customer)).toEqual([]);
    const from = second.created_at;
    expect(await ids({ from })).toEqual([third.id, second.id]);
    expect(await ids({ to: from })).toEqual([first.id]);
    expect(await ids({ from, to: from })).toEqual([]);
    expect(await ids({ from: "2026-01-01", to: "2026-01-02" })).toEqual([]);
    expect(await ids({ sort: "number", order: "asc" })).toEqual([first.id, second.id, third.id]);
    for (const [field, value] of Object.entries({
      payment_status: "lent",
      customer_id: "me",
      from: "yesterday",
      to: "1",
    })) {
      const refused = await call("GET", `/api/orders?${field}=${value}`, { as: operator });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
  });

  it("shows suppliers their part of the order and its records", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const [saffron, mint] = await Promise.all([
      listProduct(supplier, { price: 5 }),
      listProduct(rival, { name: "Mint", price: 3 }),
    ]);
    const order = await must("POST", "/api/orders", {
      as: customer,
      body: { ...orderFor(saffron), items: [item(saffron), item(mint, 2)] },
    });
    await pay(operator, order);
    expect(await getOrder(rival, order)).toMatchObject({
      total_amount: 6,
      payment_status: "paid",
      items: [{ name: "Mint", amount: 6 }],
      commissions: [{ supplier_id: mint.supplier_id, sales_amount: 6 }],
      payments: [],
    });
    const { data } = await supabaseAs(rival).from("payments").select("id");
    expect(data).toEqual([]);
  });
});
