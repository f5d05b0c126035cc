// The second half of the demo: one order of two suppliers and the operator, from the order to a
// return.
import { randomUUID } from "node:crypto";
import { money, type Printer } from "./printer.js";
import { type Answer, type Call, expect, type Person } from "./project.js";

/** The people and data of the first half that the second half uses. */
export interface Story {
  call: Call;
  printer: Printer;
  /** Registers a person and returns the tenant's id. */
  register(person: Person, fields: object): Promise<string>;
  operator: Person;
  supplier: Person;
  customer: Person;
  marketplaceId: string;
}

export async function playMixedOrder(story: Story): Promise<void> {
  const { call, printer, register, operator, supplier, customer, marketplaceId } = story;
  const weaver: Person = { who: "weaver" };

  printer.heading("The operator sets commission and delivery");
  await call(
    operator,
    "PUT",
    `/api/marketplaces/${marketplaceId}`,
    200,
    (market) => {
      const { commission_percent, delivery } = market.settings.business;
      const [courier] = delivery.methods;
      return `${commission_percent} % commission, ${money(courier.price, market)} delivery per supplier`;
    },
    {
      settings: {
        business: {
          commission_percent: 10,
          delivery: {
            methods: [{ key: "courier", name: "Courier", price: 4, per_supplier: true }],
            recipient: "supplier",
          },
        },
      },
    },
  );

  printer.heading("It invites a second supplier");
  const stall = await call(
    operator,
    "POST",
    "/api/suppliers",
    201,
    ({ name, verified }) => `${name}, ${verified ? "verified" : "not verified"}`,
    { name: "Rif Weavers", verified: true },
  );
  const email = `weaver-${randomUUID()}@example.com`;
  const { token } = await call(
    operator,
    "POST",
    "/auth/invitations",
    201,
    ({ role }) => `a ${role} of ${stall.name} is invited`,
    { email, role: "supplier", supplier_id: stall.id },
  );
  await register(weaver, { email, name: "Wafa", invitation: token });

  const basket = await list(weaver, { name: "Straw basket", price: 18 });
  const box = await list(operator, { name: "Gift box", price: 3 });

  printer.heading("A customer orders from both, and from the operator");
  const glass = await findGlass();
  const names: Record<string, string> = {
    [glass.supplier_id]: "Atlas Crafts",
    [stall.id]: stall.name,
  };
  const order = await call(
    customer,
    "POST",
    "/api/orders",
    201,
    (o) =>
      `${o.parts.length} parts: ${money(o.subtotal_amount, o)}, and ${money(o.delivery_amount, o)} for delivery`,
    {
      marketplace_id: marketplaceId,
      delivery_method: "courier",
      items: [
        { product_id: glass.id, quantity: 6, price: glass.price },
        { product_id: basket.id, quantity: 1, price: basket.price },
        { product_id: box.id, quantity: 1, price: box.price },
      ],
      shipping_address: { street: "1 Market Street", city: "Fez", postal_code: "30000" },
    },
  );
  expect(order.total_amount === 70.2, `the order costs ${order.total_amount}, not 70.2`);
  const glasses = order.items[0].id;
  await report("paid", order.total_amount, "Bank transfer 2");

  printer.heading("Each of them ships, and everything arrives");
  const shipments: [Person, Answer][] = [];
  for (const person of [supplier, weaver, operator]) {
    const shipment = await call(
      person,
      "POST",
      `/api/orders/${order.id}/shipments`,
      201,
      (s) => `${pieces(s.items)} by ${s.carrier}, the order is ${s.order_status}`,
      { carrier: "Caravan", tracking_number: `CV 100${shipments.length + 1}` },
    );
    shipments.push([person, shipment]);
  }
  let arrived: Answer;
  for (const [person, shipment] of shipments) {
    arrived = await call(
      person,
      "PATCH",
      `/api/orders/${order.id}/shipments/${shipment.id}`,
      200,
      (s) => `${s.tracking_number} is ${s.status}, the order is ${s.order_status}`,
      { status: "delivered" },
    );
  }
  expect(arrived?.order_status === "delivered", `the order is ${arrived?.order_status}`);

  printer.heading("One glass comes back, and its price is given back");
  const asked = await call(
    customer,
    "POST",
    `/api/orders/${order.id}/return-requests`,
    201,
    ({ items, status, reason }) => `${pieces(items)} ${status}: "${reason}"`,
    { items: [{ item_id: glasses, quantity: 1 }], reason: "It is chipped." },
  );
  const request = `/api/orders/${order.id}/return-requests/${asked.id}`;
  await call(supplier, "POST", `${request}/approve`, 200, ({ status }) => status, {});
  await call(
    supplier,
    "POST",
    `${request}/receive`,
    200,
    ({ status }) => `${status}, not restocked`,
    { items: [{ item_id: glasses, quantity: 1, restock: false }] },
  );
  await report("refunded", glass.price, "Refund 1", {
    items: [{ item_id: glasses, amount: glass.price }],
  });

  printer.heading("Commission says what each supplier is to be paid");
  const { commissions } = await call(
    operator,
    "GET",
    `/api/orders/${order.id}`,
    200,
    (o) => `${o.status}, ${money(o.refund_due, o)} to give back`,
  );
  for (const [supplierId, owed] of [
    [glass.supplier_id, 31.9],
    [stall.id, 20.2],
  ] as const) {
    const line = commissions.find((one: Answer) => one.supplier_id === supplierId);
    printer.plain(`${names[supplierId]}: ${money(line.payout_amount, order)}`);
    expect(line.payout_amount === owed, `${names[supplierId]} is owed ${line.payout_amount}`);
  }

  async function findGlass(): Promise<Answer> {
    const { products } = await call(
      customer,
      "GET",
      "/api/products?search=glass",
      200,
      ({ products, total }) => `${total} found: ${products.map((p: Answer) => p.name).join(", ")}`,
    );
    expect(products.length === 1, "the search found otherwise");
    return products[0];
  }

  function list(person: Person, fields: { name: string; price: number }): Promise<Answer> {
    return call(
      person,
      "POST",
      "/api/products",
      201,
      (product) => `${product.name}, ${money(product.price, product)}`,
      { marketplace_id: marketplaceId, inventory: { quantity: 10 }, ...fields },
    );
  }

  async function report(status: string, amount: number, reference: string, of: object = {}) {
    await call(
      operator,
      "POST",
      `/api/orders/${order.id}/payments`,
      201,
      (payment) =>
        `${money(payment.amount, payment)} ${payment.status}, the order is ${payment.payment_status}`,
      { status, amount, reference, ...of },
    );
  }
}

function pieces(items: { quantity: number }[]): string {
  const count = items.reduce((sum, { quantity }) => sum + Math.abs(quantity), 0);
  return count === 1 ? "1 piece" : `${count} pieces`;
}
