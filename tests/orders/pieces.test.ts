import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEED } from "../random.js";
import {
  listProduct,
  must,
  orderFor,
  type Person,
  registerClient,
  supabaseAs,
  UNBOUNDED,
} from "../souk.js";
import { violationsOf } from "./invariants.js";
import {
  isCompleted,
  isRefundable,
  keptOf,
  lineOf,
  type Money,
  owed,
  owesDelivery,
  type Pieces,
  type Refund,
  refundDue,
  refundDueForParts,
  sharesOf,
  takePayment,
} from "./money-model.js";
import { doBusiness, item } from "./ordering.js";
import { placeMixed } from "./shipping.js";

// Runs random sequences of moves of pieces and money in an order of three sellers, with a booked service, lost parcels, refunds
// that name items and delivery, failed refunds and reversed payments, against a model that counts pieces and money. Then it
// checks the counts of each item, the stock, the booking, refund_due, the lines of commission and every invariant.
//
// PIECES_RUNS is the number of sequences; SOUK_TEST_SEED selects others.

const settings = { numRuns: Number(process.env.PIECES_RUNS ?? 12), seed: SEED };

type Mixed = Awaited<ReturnType<typeof placeMixed>>;

interface Shipment {
  id: string;
  item: number;
  quantity: number;
  status: string;
}

interface Request {
  id: string;
  item: number;
  quantity: number;
  status: "requested" | "approved" | "ended";
}

interface Model extends Money {
  order: { id: string };
  shipments: Shipment[];
  requests: Request[];
  /** The stock of the physical products. */
  stock: number[];
  /** The references of all payments, the last one last, and whether each was reversed. */
  payments: { reference: string; isReversed: boolean }[];
  /** Whether a payment failed or was reversed. A failure can be reported for an order without a payment. */
  failed: boolean;
}

interface Step {
  toString(): string;
  act(model: Model): Promise<string>;
  judge(model: Model, code: string): void;
}

let mixed: Mixed;
let sellers: Person[];
let client: Person;
/** A service of the second seller, of which a slot is booked. */
let lesson: Mixed["lamp"];
const OPERATOR = 2;
/** The seller and the quantity of each item. */
const ITEMS = [
  { seller: 0, quantity: 4 },
  { seller: 1, quantity: 4 },
  { seller: OPERATOR, quantity: 4 },
  { seller: 1, quantity: 1 },
];
const DELIVERY = 400;
const MULE = { key: "mule", name: "By mule", price: DELIVERY / 100, per_supplier: true };

/** Opens another shop, because the invariants of a product read all its earlier orders. */
async function openShop() {
  mixed = await placeMixed();
  sellers = [mixed.supplier, mixed.rival, mixed.operator];
  client = await registerClient(mixed.tenantId);
  const delivery = { methods: [MULE], recipient: "supplier" };
  await doBusiness(mixed, { ...UNBOUNDED, commission_percent: 10, delivery });
  lesson = await listProduct(mixed.rival, { kind: "service", price: 25, inventory: undefined });
  await must("PUT", `/api/products/${lesson.id}/calendar`, {
    as: mixed.rival,
    body: {
      time_zone: "UTC",
      duration_minutes: 60,
      capacity: 1000,
      hours: [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, opens: "00:00", closes: "24:00" })),
    },
  });
}

const physical = () => [mixed.saffron, mixed.mint, mixed.lamp];

let orders = 0;

/** The start of a slot that everybody books. */
function slot(): string {
  const start = new Date(Date.now() + 2 * 86_400_000);
  start.setUTCHours(0, 0, 0, 0);
  return start.toISOString();
}

/** Calls a function. Returns `done` or the error code. */
async function rpc(as: Person, name: string, sent: object, done?: (data: never) => void) {
  const { data, error } = await supabaseAs(as).rpc(name as never, sent as never);
  if (error) return error.message;
  done?.(data as never);
  return "done";
}

async function placeOrder(): Promise<Model> {
  if (orders++ % 25 === 0) await openShop();
  const { operator, customer } = mixed;
  for (const { id } of physical()) {
    const body = { quantity: 1000, operation: "set" };
    await must("PATCH", `/api/products/${id}/inventory`, { as: operator, body });
  }
  const goods = physical().map((one, place) => item(one, ITEMS[place]?.quantity));
  // Not by /api, whose limit a customer reaches during many sequences.
  const { data: order } = await supabaseAs(customer)
    .rpc("place_order", {
      ...orderFor(mixed.saffron),
      items: [...goods, item(lesson, 1, { starts_at: slot() })],
      delivery_method: MULE.key,
    })
    .throwOnError();
  return {
    order,
    items: ITEMS.map((one, place) => ({
      ...one,
      id: order.items[place].id,
      price: cents(order.items[place].price),
      ...{ open: one.quantity, inTransit: 0, delivered: 0, returned: 0, lost: 0, cancelled: 0 },
      paid: 0,
    })),
    delivery: DELIVERY,
    paidDeliveries: sellers.map(() => false),
    shipments: [],
    requests: [],
    stock: physical().map(() => 1000),
    ...{ refunds: [], payments: [], payment: undefined, received: 0, failed: false },
  };
}

const itemAt = ({ items }: Model, place: number) => items[place] as Pieces;
const sellerOf = (place: number) => sellers[ITEMS[place]?.seller as number] as Person;

/** Changes the stock of an item; a service has none. */
function changeStock({ stock }: Model, place: number, pieces: number): void {
  if (place < stock.length) stock[place] = (stock[place] as number) + pieces;
}

const which = fc.nat({ max: ITEMS.length - 1 });
const many = fc.integer({ min: 1, max: 3 });

/** The expected answer to a request for a number of pieces. */
const enough = (there: number, quantity: number) =>
  quantity <= there ? "done" : "VALIDATION_ERROR";

const shipping = fc.tuple(which, many).map(
  ([place, quantity]): Step => ({
    toString: () => `${quantity} of item ${place} are shipped`,
    act: (model) =>
      rpc(
        sellerOf(place),
        "create_shipment",
        { order_id: model.order.id, items: [{ item_id: itemAt(model, place).id, quantity }] },
        ({ id }: { id: string }) =>
          model.shipments.push({ id, item: place, quantity, status: "shipped" }),
      ),
    judge(model, code) {
      const pieces = itemAt(model, place);
      expect(code).toBe(enough(pieces.open, quantity));
      if (code !== "done") return;
      pieces.open -= quantity;
      pieces.inTransit += quantity;
      changeStock(model, place, -quantity);
    },
  }),
);

const FATES = ["delivered", "delivered", "lost", "void", "resend"] as const;

const ending = fc.tuple(fc.nat({ max: 5 }), fc.constantFrom(...FATES)).map(
  ([index, fate]): Step => ({
    toString: () => `shipment ${index} is ${fate}`,
    act(model) {
      const shipment = model.shipments[index];
      if (!shipment) return Promise.resolve("none");
      const changes = fate === "resend" ? { status: "lost", resend: true } : { status: fate };
      const sent = { order_id: model.order.id, shipment_id: shipment.id, changes };
      return rpc(mixed.operator, "update_shipment", sent);
    },
    judge(model, code) {
      const shipment = model.shipments[index];
      if (!shipment) return expect(code).toBe("none");
      const pieces = itemAt(model, shipment.item);
      const moved = Math.min(shipment.quantity, pieces.inTransit);
      const whole = fate === "void" || fate === "resend";
      if (shipment.status !== "shipped") return expect(code).toBe("INVALID_TRANSITION");
      if (whole && moved < shipment.quantity) return expect(code).toBe("VALIDATION_ERROR");
      expect(code).toBe("done");
      shipment.status = fate;
      pieces.inTransit -= moved;
      if (fate === "delivered") pieces.delivered += moved;
      else if (fate === "lost") pieces.lost += moved;
      else pieces.open += moved;
      if (fate === "void") changeStock(model, shipment.item, moved);
    },
  }),
);

const cancelling = fc.tuple(which, many).map(
  ([place, quantity]): Step => ({
    toString: () => `${quantity} of item ${place} are cancelled`,
    act: (model) =>
      rpc(sellerOf(place), "cancel_order_items", {
        order_id: model.order.id,
        items: [{ item_id: itemAt(model, place).id, quantity }],
      }),
    judge(model, code) {
      const pieces = itemAt(model, place);
      expect(code).toBe(enough(pieces.open, quantity));
      if (code !== "done") return;
      pieces.open -= quantity;
      pieces.cancelled += quantity;
    },
  }),
);

const returning = fc.tuple(which, many).map(
  ([place, quantity]): Step => ({
    toString: () => `${quantity} of item ${place} come back`,
    act: (model) =>
      rpc(mixed.operator, "return_order_items", {
        order_id: model.order.id,
        items: [{ item_id: itemAt(model, place).id, quantity }],
      }),
    judge(model, code) {
      const outside = ({ inTransit, delivered, returned }: Pieces) =>
        inTransit + delivered - returned;
      const pieces = itemAt(model, place);
      if (model.items.every((one) => outside(one) === 0)) {
        return expect(code).toBe("INVALID_TRANSITION");
      }
      expect(code).toBe(enough(outside(pieces), quantity));
      if (code !== "done") return;
      const inTransitBack = Math.max(quantity - (pieces.delivered - pieces.returned), 0);
      pieces.inTransit -= inTransitBack;
      pieces.delivered += inTransitBack;
      pieces.returned += quantity;
      changeStock(model, place, quantity);
    },
  }),
);

const paying = fc.constant<Step>({
  toString: () => "the client reports what is owed as paid",
  act(model) {
    const reference = randomUUID();
    const sent = { order_id: model.order.id, status: "paid", amount: owed(model) / 100, reference };
    return rpc(client, "report_payment", sent, () =>
      model.payments.push({ reference, isReversed: false }),
    );
  },
  judge(model, code) {
    const gone = model.items.every(({ cancelled, quantity }) => cancelled === quantity);
    if (model.payment || gone) return expect(code).toBe("INVALID_TRANSITION");
    // A payment has an amount above 0.
    if (owed(model) === 0) return expect(code).toBe("VALIDATION_ERROR");
    expect(code).toBe("done");
    takePayment(model);
  },
});

const failing = fc.constant<Step>({
  toString: () => "the client reports that the payment failed",
  act: (model) =>
    rpc(client, "report_payment", {
      ...{ order_id: model.order.id, status: "failed", amount: 1, reference: randomUUID() },
    }),
  judge(model, code) {
    expect(code).toBe(model.payment || model.failed ? "INVALID_TRANSITION" : "done");
    model.failed = true;
  },
});

/** An amount of money, in cents. */
const cents = (amount: number) => Math.round(amount * 100);

const someCents = fc.integer({ min: 1, max: 1500 });

const refunding = fc
  .record({
    items: fc.uniqueArray(fc.record({ item: which, amount: someCents }), {
      maxLength: 2,
      selector: ({ item: place }) => place,
    }),
    delivery: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 500 })),
    goodwill: fc.oneof(
      { weight: 2, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: someCents },
    ),
    isBorne: fc.boolean(),
  })
  .map(({ items, delivery, goodwill, isBorne }): Step => {
    const named = items.reduce((sum, { amount }) => sum + amount, delivery);
    const amount = named + goodwill || 1;
    const reference = randomUUID();
    const refund: Refund = { reference, amount, items, delivery, isBorne, shares: [] };
    return {
      toString: () => `refund of ${JSON.stringify(refund)}`,
      act: ({ order, items: pieces }) =>
        rpc(client, "report_payment", {
          ...{ order_id: order.id, status: "refunded", amount: amount / 100, reference },
          ...(items.length > 0 && {
            items: items.map((line) => ({
              item_id: pieces[line.item]?.id,
              amount: line.amount / 100,
            })),
          }),
          ...(delivery > 0 && { delivery_amount: delivery / 100 }),
          borne_by: isBorne ? "supplier" : "operator",
        }),
      judge(model, code) {
        if (!model.payment || model.received === 0) return expect(code).toBe("INVALID_TRANSITION");
        const possible = isRefundable(model, refund, OPERATOR);
        expect(code).toBe(possible ? "done" : "VALIDATION_ERROR");
        if (!possible) return;
        model.refunds.push({ ...refund, shares: sharesOf(model, refund) });
        model.received -= amount;
      },
    };
  });

/** Reports that the last refund, or one before it, failed. */
const failingRefund = fc.nat({ max: 2 }).map((index): Step => {
  const undoneOf = ({ refunds }: Model) => refunds.at(-1 - index);
  return {
    toString: () => `the refund ${index} before the last failed`,
    act: (model) => undo(model, "refund_failed", undoneOf(model)?.reference),
    judge(model, code) {
      const undone = undoneOf(model);
      if (!undone) return expect(code).toBe("NOT_FOUND");
      if (undone.hasFailed || !model.payment) return expect(code).toBe("INVALID_TRANSITION");
      expect(code).toBe("done");
      undone.hasFailed = true;
      model.received += undone.amount;
    },
  };
});

/** Reports that the last payment, or the one before it, was reversed. */
const reversing = fc.nat({ max: 3 }).map((index): Step => {
  const undoneOf = ({ payments }: Model) => payments.at(-1 - Math.max(index - 2, 0));
  return {
    toString: () => `the payment ${Math.max(index - 2, 0)} before the last is reversed`,
    act: (model) => undo(model, "payment_reversed", undoneOf(model)?.reference),
    judge(model, code) {
      const undone = undoneOf(model);
      if (!undone) return expect(code).toBe("NOT_FOUND");
      if (undone.isReversed || !model.payment || model.received === 0) {
        return expect(code).toBe("INVALID_TRANSITION");
      }
      expect(code).toBe("done");
      undone.isReversed = true;
      model.received -= Math.min(model.received, model.payment.amount);
      model.payment = undefined;
      model.failed = true;
      for (const one of model.refunds) one.isClosed = true;
    },
  };
});

function undo(model: Model, status: string, reference: string = randomUUID()) {
  return rpc(client, "report_payment", { order_id: model.order.id, status, reference });
}

/** The number of pieces of an item in open return requests. */
const askedOf = ({ requests }: Model, place: number) =>
  requests
    .filter((one) => one.item === place && one.status !== "ended")
    .reduce((sum, { quantity }) => sum + quantity, 0);

const asking = fc.tuple(which, many).map(
  ([place, quantity]): Step => ({
    toString: () => `the customer asks to send ${quantity} of item ${place} back`,
    act: (model) =>
      rpc(
        mixed.customer,
        "request_return",
        { order_id: model.order.id, items: [{ item_id: itemAt(model, place).id, quantity }] },
        ({ id }: { id: string }) =>
          model.requests.push({ id, item: place, quantity, status: "requested" }),
      ),
    judge(model, code) {
      // Pieces that were returned before they were delivered are in no delivered shipment.
      const { delivered, returned } = itemAt(model, place);
      const arrived = model.shipments
        .filter((one) => one.item === place && one.status === "delivered")
        .reduce((sum, one) => sum + one.quantity, 0);
      const there = Math.min(delivered - returned, arrived) - askedOf(model, place);
      // If this request succeeded, it is already among the open ones.
      expect(code).toBe(enough(code === "done" ? there + quantity : there, quantity));
    },
  }),
);

const answering = fc.tuple(fc.nat({ max: 3 }), fc.constantFrom("approve", "reject", "receive")).map(
  ([index, verb]): Step => ({
    toString: () => `return request ${index}: ${verb}`,
    act(model) {
      const request = model.requests[index];
      if (!request) return Promise.resolve("none");
      const sent = { order_id: model.order.id, request_id: request.id };
      return rpc(mixed.operator, `${verb}_return`, sent);
    },
    judge(model, code) {
      const request = model.requests[index];
      if (!request) return expect(code).toBe("none");
      const from = verb === "receive" ? "approved" : "requested";
      if (request.status !== from) return expect(code).toBe("INVALID_TRANSITION");
      const pieces = itemAt(model, request.item);
      if (verb === "receive" && pieces.delivered - pieces.returned < request.quantity) {
        return expect(code).toBe("VALIDATION_ERROR");
      }
      expect(code).toBe("done");
      request.status = verb === "approve" ? "approved" : "ended";
      if (verb !== "receive") return;
      pieces.returned += request.quantity;
      changeStock(model, request.item, request.quantity);
    },
  }),
);

const anyStep = fc.oneof(
  { weight: 4, arbitrary: shipping },
  { weight: 4, arbitrary: ending },
  { weight: 2, arbitrary: cancelling },
  { weight: 2, arbitrary: returning },
  { weight: 2, arbitrary: asking },
  { weight: 2, arbitrary: answering },
  { weight: 3, arbitrary: paying },
  { weight: 1, arbitrary: failing },
  { weight: 4, arbitrary: refunding },
  { weight: 1, arbitrary: failingRefund },
  { weight: 1, arbitrary: reversing },
);

async function expectAll(model: Model): Promise<void> {
  const { items, parts, refund_due, refund_due_for, commissions } = await must(
    "GET",
    `/api/orders/${model.order.id}`,
    { as: mixed.operator },
  );
  expect(items).toMatchObject(
    model.items.map(({ inTransit, delivered, returned, lost, cancelled }) => ({
      shipped_quantity: inTransit + delivered + lost,
      delivered_quantity: delivered,
      returned_quantity: returned,
      lost_quantity: lost,
      cancelled_quantity: cancelled,
    })),
  );
  expect(cents(refund_due)).toBe(refundDue(model));
  const owed = [...refund_due_for.items, ...refund_due_for.deliveries];
  const sum = owed.reduce((total: number, { amount }) => total + cents(amount), 0);
  expect(sum).toBe(refundDueForParts(model));
  const { commissions: lines } = await must("GET", "/api/commissions?limit=20", {
    as: mixed.operator,
  });
  for (const [seller, { supplier_id }] of physical().entries()) {
    const isOwn = (one: { supplier_id: string }) => one.supplier_id === supplier_id;
    expect(parts.find(isOwn).delivery_owed).toBe(owesDelivery(model, seller));
    if (seller === OPERATOR) continue;
    const { sales_amount, delivery_amount, commission_amount, refunded_amount, payout_amount } =
      commissions.find(isOwn);
    expect({
      ...{ sales: cents(sales_amount), delivery: cents(delivery_amount) },
      ...{ commission: cents(commission_amount), refunded: cents(refunded_amount) },
      payout: cents(payout_amount),
    }).toEqual(lineOf(model, seller));
    const line = lines.find(
      (one: { supplier_id: string; order_id: string }) =>
        isOwn(one) && one.order_id === model.order.id,
    );
    expect(line.due_at !== null).toBe(isCompleted(model, seller));
  }
  const db = supabaseAs(mixed.operator);
  const { data: stock } = await db.from("inventory").select().throwOnError();
  for (const [place, { id }] of physical().entries()) {
    const { quantity } = stock.find(({ product_id }) => product_id === id) as never;
    expect(quantity).toBe(model.stock[place]);
  }
  const { data: bookings } = await db
    .from("bookings")
    .select("status")
    .eq("order_id", model.order.id)
    .throwOnError();
  const isBooked = keptOf(itemAt(model, 3)) > 0;
  expect(bookings).toEqual([{ status: isBooked ? "booked" : "cancelled" }]);
  await expectInvariants();
}

async function expectInvariants(): Promise<void> {
  const products = [...physical(), lesson].map(({ id }) => id);
  expect(await violationsOf(products)).toEqual([]);
}

describe("any sequence of moves of the pieces of an order", () => {
  it("agrees with the model in counts, stock and refund_due, and keeps every invariant", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 25 }), async (steps) => {
        const model = await placeOrder();
        for (const step of steps) step.judge(model, await step.act(model));
        await expectAll(model);
      }),
      settings,
    );
  }, 3_600_000);

  it("keeps every invariant when three sellers, a client and the customer act concurrently", async () => {
    const actor = fc.array(anyStep, { minLength: 4, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(actor, { minLength: 4, maxLength: 5 }), async (actors) => {
        const model = await placeOrder();
        await Promise.all(
          actors.map(async (steps) => {
            for (const step of steps) {
              expect([
                "done",
                "none",
                "VALIDATION_ERROR",
                "INVALID_TRANSITION",
                "CONFLICT",
                "NOT_FOUND",
              ]).toContain(await step.act(model));
            }
          }),
        );
        await expectInvariants();
      }),
      { ...settings, endOnFailure: true },
    );
  }, 3_600_000);
});
