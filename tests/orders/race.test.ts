import { describe, expect, it } from "vitest";
import {
  type Answer,
  letReserve,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  persist,
  register,
  stockOf,
  supabaseAs,
} from "../souk.js";
import { customerOf, getOrder, move, moved, pay, placed, takeBack } from "./ordering.js";
import { cancelUnpaid, makeOverdue } from "./shipping.js";

// Concurrent changes of stock and orders. On Postgres the transactions run in parallel.

/** Counts the answers by status and error code. */
function tally(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const kind = body.error ? `${status} ${body.error.code}` : `${status}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

describe("stock", () => {
  it("of ten pieces is sold to ten of thirty customers", async () => {
    const { tenantId, operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 10 } });
    const customers = await Promise.all(
      Array.from({ length: 30 }, () => register({ tenant_id: tenantId })),
    );
    const answers = await Promise.all(
      customers.map((as) => persist("POST", "/api/orders", { as, body: orderFor(product) })),
    );
    expect(tally(answers)).toEqual({ "201": 10, "422 INSUFFICIENT_INVENTORY": 20 });
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 10 } });
    const { orders, total } = await must("GET", "/api/orders", { as: operator });
    expect(total).toBe(10);
    const sold = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
    expect(new Set(orders.map((order: any) => order.id))).toEqual(new Set(sold));
    expect((await must("GET", `/products/${product.id}`, { as: operator })).status).toBe(
      "out_of_stock",
    );
  });

  it("of two products is sold in opposite order without deadlock or overselling", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const [salt, pepper] = await Promise.all([
      listProduct(supplier, { name: "Salt", inventory: { quantity: 12 } }),
      listProduct(supplier, { name: "Pepper", inventory: { quantity: 20 } }),
    ]);
    const there = [...orderFor(salt).items, ...orderFor(pepper).items];
    const back = there.toReversed();
    // The operator orders, because a customer's own checkouts wait for each other.
    const customer_id = await customerOf(customer);
    const buy = (items: object[]) =>
      persist("POST", "/api/orders", {
        as: operator,
        body: { ...orderFor(salt), items, customer_id },
      });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => buy(i % 2 ? back : there)),
    );
    expect(tally(answers)).toEqual({ "201": 12, "422 INSUFFICIENT_INVENTORY": 28 });
    expect(await stockOf(salt)).toEqual({ product: { quantity: 12, reserved: 12 } });
    expect(await stockOf(pepper)).toEqual({ product: { quantity: 20, reserved: 12 } });

    // All orders move concurrently, while others are still being placed.
    const sold = answers.filter(({ status }) => status === 201).map(({ body }) => body);
    const moves = await Promise.all([
      ...sold.map((order, i) =>
        persist("PATCH", `/api/orders/${order.id}/status`, {
          as: operator,
          body: { status: i % 2 ? "cancelled" : "shipped" },
        }),
      ),
      ...sold.map((_, i) => buy(i % 2 ? there : back)),
    ]);
    const counts = tally(moves);
    expect(counts["200"]).toBe(12);
    const more = counts["201"] ?? 0;
    expect(counts["422 INSUFFICIENT_INVENTORY"] ?? 0).toBe(12 - more);
    expect(more).toBeLessThanOrEqual(6);
    expect(await stockOf(salt)).toEqual({ product: { quantity: 6, reserved: more } });
    expect(await stockOf(pepper)).toEqual({ product: { quantity: 14, reserved: more } });
  });

  it("follows one of two mutually exclusive moves", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 20 } });
    const orders = await Promise.all(
      Array.from({ length: 10 }, () =>
        must("POST", "/api/orders", { as: customer, body: orderFor(product, 2) }),
      ),
    );
    const outcomes = await Promise.all(
      orders.map(async ({ id }) => {
        const path = `/api/orders/${id}/status`;
        const [cancelled, shipped] = await Promise.all([
          persist("PATCH", path, { as: customer, body: { status: "cancelled" } }),
          persist("PATCH", path, { as: supplier, body: { status: "shipped" } }),
        ]);
        expect(tally([cancelled, shipped])).toEqual({ "200": 1, "422 INVALID_TRANSITION": 1 });
        const order = await must("GET", `/orders/${id}`, { as: operator });
        expect(order.history).toHaveLength(1);
        expect(order.status).toBe(cancelled.status === 200 ? "cancelled" : "shipped");
        return order.status;
      }),
    );
    const shipped = outcomes.filter((status) => status === "shipped").length;
    expect(await stockOf(product)).toEqual({
      product: { quantity: 20 - 2 * shipped, reserved: 0 },
    });
  });

  it("is released once when an order is cancelled many times concurrently", async () => {
    const { supplier, customer, operator } = await openTestTenant();
    const product = await listProduct(supplier);
    const [order] = await Promise.all(
      [2, 3].map((quantity) =>
        must("POST", "/api/orders", { as: customer, body: orderFor(product, quantity) }),
      ),
    );
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        persist("PATCH", `/api/orders/${order.id}/status`, {
          as: i % 2 ? customer : operator,
          body: { status: "cancelled" },
        }),
      ),
    );
    expect(tally(answers)).toEqual({ "200": 1, "422 INVALID_TRANSITION": 7 });
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 3 } });
  });

  it("of two variants that sell out concurrently leaves the product out of stock", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const products = await Promise.all(
      Array.from({ length: 6 }, () =>
        listProduct(supplier, {
          inventory: { quantity: 0 },
          variants: ["red", "blue"].map((name) => ({ name, inventory: { quantity: 1 } })),
        }),
      ),
    );
    const status = async ({ id }: { id: string }) =>
      (await must("GET", `/products/${id}`, { as: operator })).status;
    // biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
    const buy = (product: any, variant: any) =>
      must("POST", "/api/orders", {
        as: customer,
        body: {
          ...orderFor(product),
          items: [{ product_id: product.id, variant_id: variant.id, quantity: 1, price: 12.5 }],
        },
      });
    const orders = await Promise.all(
      products.flatMap((product) => [
        buy(product, product.variants[0]),
        buy(product, product.variants[1]),
      ]),
    );
    expect(await Promise.all(products.map(status))).toEqual(products.map(() => "out_of_stock"));
    const { count } = await eventsCalled(operator, "product.out_of_stock");
    expect(count).toBe(products.length);
    await Promise.all(
      orders.map(({ id }) =>
        must("PATCH", `/api/orders/${id}/status`, {
          as: customer,
          body: { status: "cancelled" },
        }),
      ),
    );
    expect(await Promise.all(products.map(status))).toEqual(products.map(() => "active"));
  });
});

describe("an order", () => {
  it("is paid once when two callers report payments concurrently", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 100 } });
    const orders = await Promise.all(Array.from({ length: 8 }, () => placed(customer, product)));
    await Promise.all(
      orders.map(async (order) => {
        const answers = await Promise.all(
          ["one", "two", "three"].map((reference) => pay(operator, order, "paid", { reference })),
        );
        expect(tally(answers)).toEqual({ "201": 1, "422 INVALID_TRANSITION": 2 });
        const [winner] = answers.filter(({ status }) => status === 201);
        expect(await getOrder(operator, order)).toMatchObject({
          payment_status: "paid",
          payments: [{ reference: winner?.body.reference }],
        });
      }),
    );
    const { count } = await eventsCalled(operator, "payment.succeeded");
    expect(count).toBe(orders.length);
  });

  it("is paid once when one payment is reported many times concurrently", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    const answers = await Promise.all(Array.from({ length: 8 }, () => pay(operator, order)));
    expect(tally(answers)).toEqual({ "201": 8 });
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await eventsCalled(operator, "payment.succeeded")).count).toBe(1);
  });

  it("is never refunded more than was paid, by any number of concurrent refunds", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier, { price: 10 }));
    await pay(operator, order);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        pay(operator, order, "refunded", { amount: 3, reference: `part ${i}` }),
      ),
    );
    expect(tally(answers)).toEqual({ "201": 3, "422 VALIDATION_ERROR": 5 });
    expect((await getOrder(operator, order)).payment_status).toBe("paid");
  });

  it("never returns a piece twice when two returns are concurrent", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    await letReserve(testTenant);
    const product = await listProduct(supplier, { inventory: { quantity: 100 } });
    const orders = await Promise.all(Array.from({ length: 6 }, () => placed(customer, product, 5)));
    await Promise.all(orders.map((order) => moved(operator, order, "shipped")));
    const answers = await Promise.all(
      orders.flatMap((order) => [
        ...[0, 1, 2].map(() =>
          takeBack(operator, order, [{ item_id: order.items[0].id, quantity: 2 }]),
        ),
        move(operator, order, "returned"),
      ]),
    );
    for (const order of orders) {
      const seen = await getOrder(operator, order);
      expect(seen).toMatchObject({ status: "returned", items: [{ returned_quantity: 5 }] });
      const amounts = seen.returns.map(({ amount }: { amount: number }) => amount);
      expect(amounts.reduce((sum: number, amount: number) => sum + amount, 0)).toBe(62.5);
    }
    expect(answers.every(({ status }) => status < 300 || status === 422)).toBe(true);
    expect(await stockOf(product)).toEqual({ product: { quantity: 100, reserved: 0 } });
  });

  it("is either paid or cancelled when its deadline passes during the payment", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 20 } });
    const orders = await Promise.all(Array.from({ length: 12 }, () => placed(customer, product)));
    await makeOverdue(...orders);
    const [answers] = await Promise.all([
      Promise.all(orders.map((order) => pay(operator, order))),
      ...Array.from({ length: 4 }, () => cancelUnpaid()),
    ]);
    await cancelUnpaid();
    let settled = 0;
    for (const [index, order] of orders.entries()) {
      const { status, payment_status, history } = await getOrder(operator, order);
      if (answers[index]?.status === 201) {
        expect([status, payment_status, history.length]).toEqual(["pending", "paid", 0]);
        settled += 1;
      } else {
        expect(answers[index]?.body.error.code).toBe("INVALID_TRANSITION");
        expect([status, payment_status, history.length]).toEqual(["cancelled", "pending", 1]);
      }
    }
    expect(await stockOf(product)).toEqual({ product: { quantity: 20, reserved: settled } });
  });

  it("without a payment is cancelled without deadlock while others are placed and moved", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const products = await Promise.all(
      ["Salt", "Pepper", "Cumin"].map((name) =>
        listProduct(supplier, { name, inventory: { quantity: 12 } }),
      ),
    );
    const there = products.flatMap((product) => orderFor(product).items);
    // The operator orders, because a customer's own checkouts wait for each other.
    const customer_id = await customerOf(customer);
    const bodyOf = (i: number) => ({
      ...orderFor(products[0]),
      items: i % 2 ? there.toReversed() : there,
      customer_id,
    });
    const buy = (i: number) => persist("POST", "/api/orders", { as: operator, body: bodyOf(i) });
    // Everything is sold, so each cancelled order makes all three available again.
    const orders = (await Promise.all(Array.from({ length: 12 }, (_, i) => buy(i)))).map(
      ({ body }) => body,
    );
    await makeOverdue(...orders.slice(0, 8));
    const answers = await Promise.all([
      ...Array.from({ length: 12 }, (_, i) => buy(i)),
      ...orders.slice(8).map((order) => move(operator, order, "cancelled")),
      ...[1, 2, 3].map(async () => {
        await cancelUnpaid();
        return { status: 200, body: {} } as Answer;
      }),
    ]);
    const counts = tally(answers);
    const more = counts["201"] ?? 0;
    expect(counts).toEqual({
      "200": 7,
      ...(more > 0 && { "201": more }),
      ...(more < 12 && { "422 INSUFFICIENT_INVENTORY": 12 - more }),
    });
    await cancelUnpaid();
    for (const product of products) {
      expect(await stockOf(product)).toEqual({ product: { quantity: 12, reserved: more } });
    }
  });
});

function eventsCalled(operator: Parameters<typeof supabaseAs>[0], name: string) {
  return supabaseAs(operator)
    .from("events")
    .select("id", { count: "exact", head: true })
    .eq("name", name)
    .throwOnError();
}
