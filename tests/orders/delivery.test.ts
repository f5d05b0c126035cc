import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  orderFor,
  type Person,
  register,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { violationsOf } from "./invariants.js";
import { doBusiness, getOrder, item, moved, pay, place, placed, takeBack } from "./ordering.js";
import { cancelItems, changeShipment, passDeadline, ship } from "./shipping.js";

const MULE = { key: "mule", name: "By mule", price: 5 };
const EACH = { key: "each", name: "By a mule each", price: 5, per_supplier: true };

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Product = any;

/** A marketplace with two suppliers and the operator, with physical and digital products. */
async function openCaravan(delivery: object, overrides: object = {}) {
  const testTenant = await openTestTenant();
  const { operator, supplier, tenantId } = testTenant;
  const rival = await register({ tenant_id: tenantId, role: "supplier" });
  const marketplace = await openMarketplace(operator, overrides);
  await doBusiness({ ...testTenant, marketplace }, { commission_percent: 10, delivery });
  const list = (as: Person, more: object) =>
    listProduct(as, { marketplace_id: marketplace.id, ...more });
  const [saffron, mint, lamp, recipe] = await Promise.all([
    list(supplier, { price: 10 }),
    list(rival, { name: "Mint", price: 3 }),
    list(operator, { name: "Lamp", price: 50 }),
    list(rival, { name: "Recipe", price: 7, kind: "digital", inventory: undefined }),
  ]);
  return { ...testTenant, marketplace, rival, saffron, mint, lamp, recipe };
}

/** The body of an order with these quantities of products. */
function wanted(pieces: [Product, number][], overrides: object = {}) {
  const items = pieces.map(([product, quantity]) => item(product, quantity));
  return { ...orderFor(pieces[0]?.[0]), items, ...overrides };
}

const ordered = (as: Person, ...order: Parameters<typeof wanted>) =>
  must("POST", "/api/orders", { as, body: wanted(...order) });

/** The delivery_amount and delivery_recipient of an order's parts. */
function deliveryOf(order: Product, ...of: { supplier_id: string | null }[]) {
  return of.map(({ supplier_id }) => {
    const part = order.parts.find((p: Product) => p.supplier_id === supplier_id);
    return part ? [part.delivery_amount, part.delivery_recipient] : null;
  });
}

const OPERATOR = { supplier_id: null };

/** The delivery lines of an order in the book of sales, oldest first. */
async function bookedDelivery(order: { id: string }) {
  const lines = await query<{ supplier_id: string | null; amount: string }>(
    "select supplier_id, amount from private.sales where order_id = $1 and kind = 'delivery' order by id",
    [order.id],
  );
  return lines.map(({ supplier_id, amount }) => [supplier_id, Number(amount)]);
}

const pieces = (order: Product, place: number, quantity: number) => [
  { item_id: order.items[place].id as string, quantity },
];

describe("an order with physical items", () => {
  it("must name a delivery method if the marketplace has some", async () => {
    const { customer, saffron, recipe } = await openCaravan({ methods: [MULE] });
    const field = "delivery_method";
    const body = wanted([
      [recipe, 1],
      [saffron, 1],
    ]);
    expectRefusal(await place(customer, body), 422, "VALIDATION_ERROR", { field, value: null });
    const { error } = await supabaseAs(customer).rpc("place_order", orderFor(saffron));
    expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
    expect(JSON.parse(error?.details ?? "")).toEqual({ field, value: null });
    expect(await ordered(customer, [[saffron, 1]], { delivery_method: "mule" })).toMatchObject({
      delivery_method: "mule",
      delivery_amount: 5,
      total_amount: 15,
    });
  });

  it("needs no delivery method if the marketplace has none", async () => {
    for (const delivery of [{}, { methods: [] }]) {
      const { customer, saffron } = await openCaravan(delivery);
      expect((await place(customer, orderFor(saffron))).status).toBe(201);
    }
  });

  it("must have an address, through every interface", async () => {
    const { customer, saffron, recipe } = await openCaravan({ methods: [MULE] });
    for (const shipping_address of [null, undefined]) {
      const overrides = { shipping_address, delivery_method: "mule" };
      const body = wanted(
        [
          [recipe, 1],
          [saffron, 1],
        ],
        overrides,
      );
      const field = "shipping_address";
      expectRefusal(await place(customer, body), 422, "VALIDATION_ERROR", { field });
      const { error } = await supabaseAs(customer).rpc("place_order", body);
      expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
      expect(JSON.parse(error?.details ?? "")).toEqual({ field, value: null });
    }
  });
});

describe("an order with only digital goods and services", () => {
  it("needs no address and no delivery method", async () => {
    const { operator, customer, supplier, recipe } = await openCaravan({ methods: [MULE] });
    const lesson = await listProduct(supplier, {
      marketplace_id: recipe.marketplace_id,
      kind: "service",
      price: 20,
      inventory: undefined,
    });
    const { shipping_address, ...body } = wanted([
      [recipe, 1],
      [lesson, 1],
    ]);
    const nowhere = { shipping_address: null, delivery_method: null, delivery_amount: 0 };
    const order = await must("POST", "/api/orders", { as: customer, body });
    expect(order).toMatchObject({ ...nowhere, total_amount: 27 });
    const { data, error } = await supabaseAs(customer).rpc("place_order", body);
    expect([error, data]).toMatchObject([null, nowhere]);
    expect((await place(customer, { ...body, shipping_address: null })).status).toBe(201);
    const { orders } = await must("GET", "/api/orders", { as: operator });
    expect(orders.map((seen: Product) => seen.shipping_address)).toEqual([null, null, null]);
    expect((await pay(operator, order)).status).toBe(201);
  });

  it("has its address checked if it sends one", async () => {
    const { customer, recipe } = await openCaravan({});
    const address = { street: "1", postal_code: "30000" };
    const refused = await place(customer, orderFor(recipe, 1, { shipping_address: address }));
    const field = "shipping_address.city";
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    const { error } = await supabaseAs(customer).rpc(
      "place_order",
      orderFor(recipe, 1, { shipping_address: address }),
    );
    expect(JSON.parse(error?.details ?? "")).toEqual({ field, value: null });
  });

  it("may name a delivery method, which costs nothing", async () => {
    const { customer, recipe } = await openCaravan({ methods: [MULE, EACH] });
    for (const { key } of [MULE, EACH]) {
      const order = await placed(customer, recipe, 1, { delivery_method: key });
      expect(order).toMatchObject({ delivery_method: key, delivery_amount: 0, total_amount: 7 });
      expect(order.parts).toHaveLength(1);
    }
    const refused = await place(customer, orderFor(recipe, 1, { delivery_method: "camel" }));
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "delivery_method", value: "camel" });
  });
});

describe("delivery", () => {
  it("is charged once in the operator's part, and the operator receives it", async () => {
    const { customer, saffron, mint, lamp } = await openCaravan({
      methods: [MULE],
      recipient: "supplier",
    });
    const delivery_method = "mule";
    const bySuppliers = await ordered(
      customer,
      [
        [saffron, 1],
        [mint, 1],
      ],
      { delivery_method },
    );
    expect(deliveryOf(bySuppliers, saffron, mint, OPERATOR)).toEqual([
      [0, "operator"],
      [0, "operator"],
      [5, "operator"],
    ]);
    const withOperator = await ordered(
      customer,
      [
        [saffron, 1],
        [lamp, 1],
      ],
      { delivery_method },
    );
    expect(withOperator).toMatchObject({ delivery_amount: 5, total_amount: 65 });
    expect(withOperator.parts).toHaveLength(2);
  });

  it("is charged per supplier for each part with physical items", async () => {
    const caravan = await openCaravan({ methods: [EACH], recipient: "supplier" });
    const { operator, supplier, rival, customer, saffron, mint, lamp, recipe } = caravan;
    const delivery_method = "each";
    const order = await ordered(
      customer,
      [
        [saffron, 2],
        [mint, 1],
        [lamp, 1],
        [recipe, 1],
      ],
      { delivery_method },
    );
    expect(order).toMatchObject({ subtotal_amount: 80, delivery_amount: 15, total_amount: 95 });
    expect(deliveryOf(order, saffron, mint, OPERATOR)).toEqual([
      [5, "supplier"],
      [5, "supplier"],
      [5, "operator"],
    ]);
    expect(await getOrder(supplier, order)).toMatchObject({
      subtotal_amount: 20,
      delivery_amount: 5,
      total_amount: 25,
      parts: [{ supplier_id: saffron.supplier_id, delivery_amount: 5 }],
    });
    expect(await getOrder(customer, order)).toMatchObject({ delivery_amount: 15 });
    // The rival has no physical item.
    const half = await ordered(
      customer,
      [
        [saffron, 1],
        [recipe, 1],
      ],
      { delivery_method },
    );
    expect(deliveryOf(half, saffron, recipe, OPERATOR)).toEqual([
      [5, "supplier"],
      [0, "supplier"],
      null,
    ]);
    expect((await getOrder(rival, half)).total_amount).toBe(7);
    expect((await pay(operator, order)).status).toBe(201);
    expect(await bookedDelivery(order)).toHaveLength(3);
    expect(await violationsOf([saffron.id, mint.id, lamp.id, recipe.id])).toEqual([]);
  });

  it("is free if the subtotal of the whole order reaches free_from", async () => {
    const { customer, saffron, mint, recipe } = await openCaravan({
      methods: [{ ...MULE, free_from: 26 }],
    });
    const order = async (...of: [Product, number][]) =>
      (await ordered(customer, of, { delivery_method: "mule" })).delivery_amount;
    expect(await order([saffron, 1], [mint, 5])).toBe(5);
    // Digital items count.
    expect(await order([saffron, 1], [mint, 3], [recipe, 1])).toBe(0);
    expect(await order([saffron, 2], [mint, 2])).toBe(0);
    expect(await order([saffron, 3])).toBe(0);
  });

  it("is free if the subtotal of the part reaches free_from, when it is charged per supplier", async () => {
    const { operator, customer, saffron, mint, recipe } = await openCaravan({
      methods: [{ ...EACH, free_from: 10 }],
    });
    const order = async (...of: [Product, number][]) =>
      deliveryOf(await ordered(customer, of, { delivery_method: "each" }), saffron, mint).map(
        (part) => part?.[0],
      );
    expect(await order([saffron, 1], [mint, 3])).toEqual([0, 5]);
    expect(await order([saffron, 1], [mint, 1], [recipe, 1])).toEqual([0, 0]);
    // A cancellation does not change it.
    const kept = await ordered(customer, [[saffron, 2]], { delivery_method: "each" });
    await cancelItems(customer, kept, pieces(kept, 0, 1));
    expect((await pay(operator, kept, "paid", { amount: 10 })).status).toBe(201);
  });

  it("may be free from a subtotal of 0", async () => {
    const { operator, customer, saffron } = await openCaravan({
      methods: [{ ...MULE, free_from: 0 }],
    });
    const free = await listProduct(operator, { price: 0, marketplace_id: saffron.marketplace_id });
    const order = await placed(customer, free, 1, { delivery_method: "mule" });
    expect(order).toMatchObject({ total_amount: 0, payment_status: "paid" });
  });

  it("keeps the recipient at the time of the order", async () => {
    const caravan = await openCaravan({ methods: [EACH], recipient: "supplier" });
    const { operator, customer, saffron, lamp } = caravan;
    const order = () =>
      ordered(
        customer,
        [
          [saffron, 1],
          [lamp, 1],
        ],
        { delivery_method: "each" },
      );
    const before = await order();
    await doBusiness(caravan, { delivery: { methods: [{ ...EACH, price: 6 }] } });
    const after = await order();
    expect(deliveryOf(await getOrder(operator, before), saffron, OPERATOR)).toEqual([
      [5, "supplier"],
      [5, "operator"],
    ]);
    expect(deliveryOf(after, saffron, OPERATOR)).toEqual([
      [6, "operator"],
      [6, "operator"],
    ]);
    const { error } = await supabaseAsService()
      .from("order_parts")
      .update({ delivery_recipient: "supplier" })
      .eq("order_id", after.id)
      .is("supplier_id", null);
    expect(error?.code).toBe("23514");
  });

  it.each([
    ["JPY", 500, 3000, 1],
    ["KWD", 0.125, 1.375, 0.001],
  ])("is exact in %s", async (currency, price, free_from, finest) => {
    const caravan = await openCaravan(
      { methods: [{ ...EACH, price, free_from }], recipient: "supplier" },
      { currency },
    );
    const { operator, supplier, customer, marketplace } = caravan;
    const [under, at] = await Promise.all(
      [free_from - finest, free_from].map((cost) =>
        listProduct(supplier, { marketplace_id: marketplace.id, price: Number(cost.toFixed(3)) }),
      ),
    );
    const delivery_method = "each";
    const charged = await placed(customer, under, 1, { delivery_method });
    expect(charged).toMatchObject({
      delivery_amount: price,
      total_amount: Number((under.price + price).toFixed(3)),
    });
    expect(await placed(customer, at, 1, { delivery_method })).toMatchObject({
      delivery_amount: 0,
    });
    expect((await pay(operator, charged)).status).toBe(201);
    for (const wrong of [{ free_from: finest / 10 }, { price: finest / 10 }]) {
      const methods = [{ ...EACH, price, ...wrong }];
      const refused = await call("PUT", `/api/marketplaces/${marketplace.id}`, {
        as: operator,
        body: { settings: { business: { delivery: { methods } } } },
      });
      const field = `settings.business.delivery.methods[0].${Object.keys(wrong)[0]}`;
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
  });
});

describe("a method for some countries and weights", () => {
  const PARCEL = {
    ...{ key: "parcel", name: "Parcel", countries: ["DE", "AT"] },
    rates: [
      { up_to_grams: 1000, price: 4 },
      { up_to_grams: 5000, price: 7.5 },
    ],
  };
  const COURIER = { key: "each", name: "Courier", price: 6, per_supplier: true, free_from: 50 };
  const VAN = {
    ...{ key: "van", name: "Van", per_supplier: true, countries: ["DE"], regions: ["Bavaria"] },
    rates: [{ up_to_grams: 2600, price: 9 }],
  };
  const DE = { street: "1 Lane", city: "Munich", postal_code: "80331", country: "DE" };
  const FR = { street: "1 Rue", city: "Lyon", postal_code: "69001", country: "FR" };

  /** Saffron of 10 g and mint without a weight by two suppliers, a lamp of 2,500 g by the operator. */
  async function openWeighed(methods: object[]) {
    const caravan = await openCaravan({ methods });
    const { operator, supplier, saffron, lamp } = caravan;
    const weigh = (as: Person, { id }: Product, weight_grams: number) =>
      must("PUT", `/api/products/${id}`, { as, body: { physical: { weight_grams } } });
    await Promise.all([weigh(supplier, saffron, 10), weigh(operator, lamp, 2500)]);
    // A tenth of it may be in unpaid orders.
    await query("update public.inventory set quantity = 10000 where product_id = any ($1)", [
      [saffron.id, lamp.id, caravan.mint.id],
    ]);
    return caravan;
  }

  it("costs what the weight costs, and refuses what it does not deliver with those that do", async () => {
    const { customer, saffron, mint, lamp, recipe } = await openWeighed([PARCEL, COURIER, VAN]);
    const by = (delivery_method: string, shipping_address: object, ...of: [Product, number][]) =>
      place(customer, wanted(of, { delivery_method, shipping_address }));
    const costs = async (...order: Parameters<typeof by>) => {
      const { status, body } = await by(...order);
      expect([status, body.error]).toEqual([201, undefined]);
      return body;
    };
    expect((await costs("parcel", DE, [saffron, 2])).delivery_amount).toBe(4);
    expect((await costs("parcel", DE, [saffron, 100])).delivery_amount).toBe(4);
    const both = await costs("parcel", DE, [lamp, 1], [saffron, 1]);
    expect(deliveryOf(both, lamp, saffron)).toEqual([
      [7.5, "operator"],
      [0, "operator"],
    ]);
    const each = await costs("each", DE, [lamp, 1], [saffron, 1]);
    expect(deliveryOf(each, lamp, saffron)).toEqual([
      [0, "operator"],
      [6, "operator"],
    ]);
    // The van carries 2,600 g of each seller, to one region, however it is written.
    const bavaria = { ...DE, region: " bavaria" };
    const van = await costs("van", bavaria, [lamp, 1], [saffron, 20], [mint, 9], [recipe, 1]);
    expect(van.delivery_amount).toBe(27);
    // Nothing that is not physical has a weight or goes anywhere.
    expect((await costs("parcel", FR, [recipe, 1])).delivery_amount).toBe(0);

    const refused: [Parameters<typeof by>, string[]][] = [
      [["parcel", DE, [lamp, 3]], ["each"]],
      [["parcel", FR, [saffron, 1]], ["each"]],
      [
        ["van", DE, [saffron, 1]],
        ["parcel", "each"],
      ],
      [["van", { ...FR, region: "Bavaria" }, [saffron, 1]], ["each"]],
      [
        ["van", bavaria, [lamp, 2]],
        ["parcel", "each"],
      ],
      [
        ["van", bavaria, [saffron, 261]],
        ["parcel", "each"],
      ],
    ];
    for (const [order, delivery_methods] of refused) {
      const answer = await by(...order);
      const at = { field: "delivery_method", value: order[0] };
      expectRefusal(answer, 422, "VALIDATION_ERROR", at);
      expect(answer.body.error.details).toMatchObject({ delivery_methods });
    }
  });

  it("does not deliver to an address without a country, which a method for all countries does", async () => {
    const { customer, saffron } = await openWeighed([PARCEL, MULE]);
    const shipping_address = { street: "1 Lane", city: "Munich" };
    const by = (delivery_method: string) =>
      place(customer, orderFor(saffron, 1, { delivery_method, shipping_address }));
    expectRefusal(await by("parcel"), 422, "VALIDATION_ERROR", { field: "delivery_method" });
    expect((await by("mule")).status).toBe(201);
  });

  it("is listed for a country, a weight and a subtotal, with its price there", async () => {
    const { customer, marketplace } = await openWeighed([PARCEL, COURIER, VAN]);
    const listed = async (query: string) => {
      const path = `/api/delivery-methods?marketplace_id=${marketplace.id}${query}`;
      const { delivery_methods } = await must("GET", path, { as: customer });
      return delivery_methods.map(({ key, price }: Product) => [key, price]);
    };
    const [parcel, each, van] = [
      ["parcel", 4],
      ["each", 6],
      ["van", 9],
    ];
    expect(await listed("")).toEqual([parcel, each, van]);
    expect(await listed("&country=AT&weight_grams=1000")).toEqual([parcel, each]);
    expect(await listed("&country=AT&weight_grams=1001")).toEqual([["parcel", 7.5], each]);
    expect(await listed("&country=DE&region=BAVARIA")).toEqual([parcel, each, van]);
    expect(await listed("&weight_grams=5001&subtotal=50")).toEqual([["each", 0]]);
    const path = `/api/delivery-methods?marketplace_id=${marketplace.id}`;
    for (const [field, value] of [
      ["country", "XX"],
      ["weight_grams", "-1"],
      ["subtotal", "much"],
    ]) {
      const answer = await call("GET", `${path}&${field}=${value}`, { as: customer });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    const { data } = await supabaseAs(customer).rpc("list_delivery_methods", {
      ...{ marketplace_id: marketplace.id, country: "FR" },
    });
    expect(data).toEqual({ delivery_methods: [COURIER] });
  });

  it.each([
    [{ price: undefined }, "price"],
    [{ rates: [{ up_to_grams: 1, price: 1 }] }, "rates"],
    [{ price: undefined, rates: [] }, "rates"],
    [{ price: undefined, rates: [{ up_to_grams: 0, price: 1 }] }, "rates[0].up_to_grams"],
    [{ price: undefined, rates: [{ up_to_grams: 1.5, price: 1 }] }, "rates[0].up_to_grams"],
    [{ price: undefined, rates: [{ up_to_grams: 1, price: 0.001 }] }, "rates[0].price"],
    [
      {
        price: undefined,
        rates: [
          { up_to_grams: 9, price: 1 },
          { up_to_grams: 9, price: 2 },
        ],
      },
      "rates[1].up_to_grams",
    ],
    [{ countries: [] }, "countries"],
    [{ countries: ["XX"] }, "countries"],
    [{ regions: ["Bavaria"] }, "countries"],
    [{ countries: ["DE", "AT"], regions: ["Bavaria"] }, "countries"],
    [{ countries: ["DE"], regions: [" "] }, "regions"],
  ])("is refused as %o", async (wrong, field) => {
    const { operator, marketplace } = await theCaravan();
    const { price, ...rest } = { ...MULE, ...wrong };
    const methods = [{ ...rest, ...(price !== undefined && { price }) }];
    const settings = { business: { delivery: { methods } } };
    const path = `settings.business.delivery.methods[0].${field}`;
    const { error } = await supabaseAs(operator)
      .from("marketplaces")
      .update({ settings })
      .eq("id", marketplace.id);
    expect(error?.message).toBe("VALIDATION_ERROR");
    const { errors } = JSON.parse(error?.details ?? "{}");
    expect(JSON.stringify(errors ?? error?.details)).toContain(path);
    const answer = await call("PUT", `/api/marketplaces/${marketplace.id}`, {
      as: operator,
      body: { settings },
    });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      422,
      expect.stringContaining("settings.business.delivery.methods[0]"),
    ]);
  });

  let caravan: ReturnType<typeof openCaravan> | undefined;
  const theCaravan = () => {
    caravan ??= openCaravan({ methods: [MULE] });
    return caravan;
  };
});

describe("the delivery of a completely cancelled part", () => {
  /** An order with three parts, each with a delivery of 5. */
  async function openThree() {
    const caravan = await openCaravan({ methods: [EACH], recipient: "supplier" });
    const { saffron, mint, lamp } = caravan;
    const order = await ordered(
      caravan.customer,
      [
        [saffron, 2],
        [mint, 1],
        [lamp, 1],
      ],
      { delivery_method: "each" },
    );
    return { ...caravan, order, products: [saffron.id, mint.id, lamp.id] };
  }

  const part = (order: Product, { supplier_id }: { supplier_id: string | null }) =>
    order.parts.find((p: Product) => p.supplier_id === supplier_id);

  it("is no longer owed, and is removed from the book of sales once", async () => {
    const { operator, supplier, customer, saffron, order, products } = await openThree();
    await cancelItems(supplier, order, pieces(order, 0, 1));
    expect(await bookedDelivery(order)).toHaveLength(3);
    await cancelItems(supplier, order);
    const seen = await getOrder(customer, order);
    // The amounts in the order's record do not change.
    expect(seen).toMatchObject({ status: "pending", delivery_amount: 15, total_amount: 88 });
    expect(part(seen, saffron)).toMatchObject({ status: "cancelled", delivery_amount: 5 });
    expect((await bookedDelivery(order)).slice(3)).toEqual([[saffron.supplier_id, -5]]);
    for (const amount of [88, 68]) {
      expectRefusal(await pay(operator, order, "paid", { amount }), 422, "VALIDATION_ERROR", {
        field: "amount",
      });
    }
    expect((await pay(operator, order, "paid", { amount: 63 })).body).toMatchObject({
      payment_status: "paid",
    });
    expect(await violationsOf(products)).toEqual([]);
    // Shipping and cancelling the other parts does not book it again.
    await ship(operator, order, { items: pieces(order, 1, 1) });
    await cancelItems(operator, order, pieces(order, 2, 1));
    expect((await bookedDelivery(order)).slice(3)).toEqual([
      [saffron.supplier_id, -5],
      [null, -5],
    ]);
    expect(await getOrder(customer, order)).toMatchObject({ status: "shipped" });
    expect(await violationsOf(products)).toEqual([]);
  });

  it("is booked once when the rest is cancelled by status", async () => {
    const { operator, supplier, saffron, mint, order, products } = await openThree();
    await cancelItems(supplier, order);
    await moved(operator, order, "cancelled");
    const booked = await bookedDelivery(order);
    expect(booked).toHaveLength(6);
    expect(booked.slice(3)).toEqual(
      expect.arrayContaining([
        [saffron.supplier_id, -5],
        [mint.supplier_id, -5],
        [null, -5],
      ]),
    );
    expect(await violationsOf(products)).toEqual([]);
  });

  it("is no longer owed if the payment deadline cancels the part", async () => {
    const { operator, supplier, saffron, order, products } = await openThree();
    await ship(supplier, order);
    await passDeadline(order);
    const seen = await getOrder(operator, order);
    expect(part(seen, saffron)).toMatchObject({ status: "shipped" });
    expect(part(seen, OPERATOR)).toMatchObject({ status: "cancelled" });
    expect(await bookedDelivery(order)).toHaveLength(5);
    expect((await pay(operator, order, "paid", { amount: 25 })).status).toBe(201);
    expect(await violationsOf(products)).toEqual([]);
  });

  it("is owed until the whole order is cancelled, when it is charged once", async () => {
    const { operator, customer, saffron, lamp } = await openCaravan({ methods: [MULE] });
    const order = await ordered(
      customer,
      [
        [lamp, 1],
        [saffron, 1],
      ],
      { delivery_method: "mule" },
    );
    // Cancelling the operator's lamp does not make the delivery of the saffron free.
    await cancelItems(customer, order, pieces(order, 0, 1));
    expect(part(await getOrder(customer, order), OPERATOR)).toMatchObject({ status: "pending" });
    expect(await bookedDelivery(order)).toEqual([[null, 5]]);
    expect((await pay(operator, order, "paid", { amount: 15 })).status).toBe(201);
    await ship(operator, order);
    expect(part(await getOrder(customer, order), OPERATOR)).toMatchObject({ status: "shipped" });
    const gone = await ordered(
      customer,
      [
        [lamp, 1],
        [saffron, 1],
      ],
      { delivery_method: "mule" },
    );
    await cancelItems(customer, gone, pieces(gone, 0, 1));
    await cancelItems(customer, gone);
    expect(await getOrder(customer, gone)).toMatchObject({
      status: "cancelled",
      parts: [{ status: "cancelled" }, { status: "cancelled" }],
    });
    expect(await bookedDelivery(gone)).toEqual([
      [null, 5],
      [null, -5],
    ]);
    expect(await violationsOf([saffron.id, lamp.id])).toEqual([]);
  });

  it("is not owed either if its parcels are lost, in any mix with cancelled pieces", async () => {
    const { operator, supplier, rival, customer, saffron, mint, order, products } =
      await openThree();
    const due = async () => (await getOrder(customer, order)).refund_due;
    const line = async (as: Person) => {
      const [{ delivery_amount, payout_amount }] = (await getOrder(as, order)).commissions;
      return [delivery_amount, payout_amount];
    };
    await pay(operator, order);
    await cancelItems(supplier, order, pieces(order, 0, 1));
    const { body: parcel } = await ship(supplier, order);
    expect([await due(), await line(supplier)]).toEqual([10, [5, 14]]);
    await changeShipment(supplier, parcel, { status: "lost" });
    expect([await due(), await line(supplier)]).toEqual([25, [0, 0]]);
    const seen = await getOrder(customer, order);
    expect(part(seen, saffron)).toMatchObject({
      ...{ status: "returned", delivery_amount: 5, delivery_owed: false },
    });
    expect(part(seen, mint)).toMatchObject({ delivery_owed: true });
    expect((await bookedDelivery(order)).slice(3)).toEqual([[saffron.supplier_id, -5]]);
    // Pieces that arrive and come back were delivered. A parcel that is sent again may arrive.
    const { body: first } = await ship(rival, order);
    await changeShipment(rival, first, { status: "lost", resend: true });
    expect([await due(), await line(rival)]).toEqual([25, [5, 7.7]]);
    const { body: second } = await ship(rival, order);
    await changeShipment(rival, second, { status: "delivered" });
    await takeBack(operator, order, pieces(order, 1, 1));
    expect([await due(), await line(rival)]).toEqual([28, [5, 5]]);
    await cancelItems(operator, order);
    expect(await due()).toBe(28 + 50 + 5);
    expect(await violationsOf(products)).toEqual([]);
  });

  it("is not part of the price once the parcel is lost", async () => {
    const { operator, supplier, order, products } = await openThree();
    const { body: parcel } = await ship(supplier, order);
    await changeShipment(operator, parcel, { status: "lost" });
    expect((await pay(operator, order, "paid", { amount: 63 })).status).toBe(201);
    const back = { amount: 15, reference: "back", delivery_amount: 15 };
    expectRefusal(await pay(operator, order, "refunded", back), 422, "VALIDATION_ERROR", {
      field: "delivery_amount",
    });
    expect((await getOrder(operator, order)).refund_due).toBe(0);
    expect(await violationsOf(products)).toEqual([]);
  });

  it("is not owed once every parcel is lost, when it is charged once", async () => {
    const { operator, supplier, customer, saffron, lamp } = await openCaravan({ methods: [MULE] });
    const order = await ordered(
      customer,
      [
        [lamp, 1],
        [saffron, 2],
      ],
      { delivery_method: "mule" },
    );
    await pay(operator, order);
    const due = async () => (await getOrder(operator, order)).refund_due;
    const { body: parcel } = await ship(operator, order, { items: pieces(order, 0, 1) });
    await changeShipment(operator, parcel, { status: "lost" });
    expect(await due()).toBe(50);
    await cancelItems(supplier, order, pieces(order, 1, 1));
    const { body: last } = await ship(supplier, order);
    expect(await due()).toBe(60);
    await changeShipment(supplier, last, { status: "lost" });
    expect(await due()).toBe(75);
    expect(await bookedDelivery(order)).toEqual([
      [null, 5],
      [null, -5],
    ]);
    expect(await violationsOf([saffron.id, lamp.id])).toEqual([]);
  });

  it("is subtracted from the figures of analytics", async () => {
    const { operator, supplier, order } = await openThree();
    const figures = async () =>
      (await must("GET", "/api/analytics/overview?period=today", { as: operator })).revenue;
    expect(await figures()).toMatchObject({ total: 73, delivery_amount: 15 });
    await cancelItems(supplier, order);
    expect(await figures()).toMatchObject({ total: 53, delivery_amount: 10 });
  });
});
