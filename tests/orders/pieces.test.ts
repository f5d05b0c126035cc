import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SEED } from "../random.js";
import { must, orderFor, type Person, registerClient, supabaseAs, UNBOUNDED } from "../souk.js";
import { violationsOf } from "./invariants.js";
import { doBusiness, item } from "./ordering.js";
import { placeMixed } from "./shipping.js";

// Runs random sequences of moves of pieces and money in an order of three sellers, with failed refunds and reversed
// payments, against a model that counts pieces and money. Then it checks the counts of each item, the stock, refund_due
// and every invariant.
//
// PIECES_RUNS is the number of sequences; SOUK_TEST_SEED selects others.

const settings = { numRuns: Number(process.env.PIECES_RUNS ?? 12), seed: SEED };

type Mixed = Awaited<ReturnType<typeof placeMixed>>;

/** The number of pieces of an item in each state. */
interface Pieces {
  id: string;
  price: number;
  open: number;
  inTransit: number;
  delivered: number;
  returned: number;
  lost: number;
  cancelled: number;
}

/** A reported payment or refund. */
interface Report {
  kind: "paid" | "refunded";
  reference: string;
  /** In cents. */
  amount: number;
  /** The item that a refund names. */
  item?: number;
  undone?: boolean;
  /** Whether its payment was reversed after this refund. */
  closed?: boolean;
}

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

interface Model {
  order: { id: string };
  items: Pieces[];
  shipments: Shipment[];
  requests: Request[];
  stock: number[];
  paid: boolean;
  /** Whether a payment failed or was reversed. A failure can be reported for an order without a payment. */
  failed: boolean;
  reports: Report[];
  /** In cents: payments less refunds and reversals. */
  received: number;
}

interface Step {
  toString(): string;
  act(model: Model): Promise<string>;
  judge(model: Model, code: string): void;
}

let mixed: Mixed;
let sellers: Person[];
let client: Person;
const QUANTITY = 4;

beforeAll(async () => {
  mixed = await placeMixed();
  sellers = [mixed.supplier, mixed.rival, mixed.operator];
  client = await registerClient(mixed.tenantId);
  await doBusiness(mixed, { ...UNBOUNDED, commission_percent: 10 });
});

const products = () => [mixed.saffron, mixed.mint, mixed.lamp];

/** Calls a function. Returns `done` or the error code. */
async function rpc(as: Person, name: string, sent: object, done?: (data: never) => void) {
  const { data, error } = await supabaseAs(as).rpc(name as never, sent as never);
  if (error) return error.message;
  done?.(data as never);
  return "done";
}

async function placeOrder(): Promise<Model> {
  const { operator, customer } = mixed;
  for (const { id } of products()) {
    const body = { quantity: 1000, operation: "set" };
    await must("PATCH", `/api/products/${id}/inventory`, { as: operator, body });
  }
  const order = await must("POST", "/api/orders", {
    as: customer,
    body: { ...orderFor(mixed.saffron), items: products().map((one) => item(one, QUANTITY)) },
  });
  return {
    order,
    items: order.items.map(({ id, price }: Pieces) => ({
      ...{ id, price, open: QUANTITY, inTransit: 0, delivered: 0, returned: 0, lost: 0 },
      cancelled: 0,
    })),
    shipments: [],
    requests: [],
    stock: products().map(() => 1000),
    ...{ paid: false, failed: false },
    reports: [],
    received: 0,
  };
}

const itemAt = ({ items }: Model, place: number) => items[place] as Pieces;
const which = fc.nat({ max: 2 });
const many = fc.integer({ min: 1, max: 3 });

/** The expected answer to a request for a number of pieces. */
const enough = (there: number, quantity: number) =>
  quantity <= there ? "done" : "VALIDATION_ERROR";

const shipping = fc.tuple(which, many).map(
  ([place, quantity]): Step => ({
    toString: () => `seller ${place} ships ${quantity}`,
    act: (model) =>
      rpc(
        sellers[place] as Person,
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
      model.stock[place] = (model.stock[place] as number) - quantity;
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
      if (fate === "void") {
        model.stock[shipment.item] = (model.stock[shipment.item] as number) + moved;
      }
    },
  }),
);

const cancelling = fc.tuple(which, many).map(
  ([place, quantity]): Step => ({
    toString: () => `seller ${place} cancels ${quantity}`,
    act: (model) =>
      rpc(sellers[place] as Person, "cancel_order_items", {
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
      model.stock[place] = (model.stock[place] as number) + quantity;
    },
  }),
);

/** Reports a payment, or a refund with or without an item. It is stored if it succeeds. */
function report({ order, items, reports }: Model, made: Omit<Report, "reference">) {
  const { kind: status, item } = made;
  const [reference, amount] = [randomUUID(), made.amount / 100];
  const named = item === undefined ? {} : { items: [{ item_id: items[item]?.id, amount }] };
  const sent = { order_id: order.id, status, amount, reference, ...named };
  return rpc(client, "report_payment", sent, () => reports.push({ ...made, reference }));
}

/** The sum of an order's refunds in cents, without failed ones and those of a reversed payment. */
function refundsOf({ reports }: Model, item: number | undefined): number {
  return reports
    .filter((one) => one.kind === "refunded" && one.item === item && !one.undone && !one.closed)
    .reduce((sum, { amount }) => sum + amount, 0);
}

const paying = fc.constant<Step>({
  toString: () => "the client reports what is owed as paid",
  act(model) {
    return report(model, { kind: "paid", amount: cents(owed(model)) });
  },
  judge(model, code) {
    const gone = model.items.every(({ cancelled }) => cancelled === QUANTITY);
    if (model.paid || gone) return expect(code).toBe("INVALID_TRANSITION");
    // A payment has an amount above 0.
    if (owed(model) === 0) return expect(code).toBe("VALIDATION_ERROR");
    expect(code).toBe("done");
    model.paid = true;
    model.received += cents(owed(model));
  },
});

const failing = fc.constant<Step>({
  toString: () => "the client reports that the payment failed",
  act: (model) =>
    rpc(client, "report_payment", {
      ...{ order_id: model.order.id, status: "failed", amount: 1, reference: randomUUID() },
    }),
  judge(model, code) {
    expect(code).toBe(model.paid || model.failed ? "INVALID_TRANSITION" : "done");
    model.failed = true;
  },
});

/** An amount of money, in cents. */
const cents = (amount: number) => Math.round(amount * 100);

const refunding = fc.tuple(which, many, fc.boolean()).map(
  ([place, amount, named]): Step => ({
    toString: () => `${amount} of item ${place} ${named ? "is" : "would be"} given back`,
    act: (model) =>
      report(model, {
        ...{ kind: "refunded", amount: cents(amount) },
        ...(named && { item: place }),
      }),
    judge(model, code) {
      if (!model.paid || model.received === 0) return expect(code).toBe("INVALID_TRANSITION");
      // Earlier refunds of the item. If this refund succeeded, the sum contains it.
      const before = refundsOf(model, place) - (code === "done" ? cents(amount) : 0);
      const most = cents(itemAt(model, place).price * QUANTITY) - before;
      const there = named ? Math.min(model.received, most) : model.received;
      expect(code).toBe(enough(there, cents(amount)));
      if (code === "done") model.received -= cents(amount);
    },
  }),
);

const undoing = fc
  .tuple(fc.constantFrom("refund_failed", "payment_reversed"), fc.nat({ max: 3 }))
  .map(([status, index]): Step => {
    /** The report for this step, counted from the last. Most steps concern the last one. */
    const undoneOf = ({ reports }: Model) =>
      reports
        .filter(({ kind }) => kind === (status === "refund_failed" ? "refunded" : "paid"))
        .at(-1 - Math.max(index - 1, 0));
    return {
      toString: () => `${status} of the last but ${Math.max(index - 1, 0)}`,
      act: (model) =>
        rpc(client, "report_payment", {
          ...{ order_id: model.order.id, status },
          reference: undoneOf(model)?.reference ?? randomUUID(),
        }),
      judge(model, code) {
        const undone = undoneOf(model);
        if (!undone) return expect(code).toBe("NOT_FOUND");
        const left = status === "refund_failed" || model.received > 0;
        if (undone.undone || !model.paid || !left) return expect(code).toBe("INVALID_TRANSITION");
        expect(code).toBe("done");
        undone.undone = true;
        if (status === "refund_failed") {
          model.received += undone.amount;
          return;
        }
        model.received -= Math.min(model.received, undone.amount);
        model.paid = false;
        model.failed = true;
        for (const one of model.reports) one.closed = true;
      },
    };
  });

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
      model.stock[request.item] = (model.stock[request.item] as number) + request.quantity;
    },
  }),
);

/** The amount of the order: pieces that are not cancelled, lost or returned. */
function owed({ items }: Model): number {
  const sold = items.map(
    ({ price, cancelled, lost, returned }) => price * (QUANTITY - cancelled - lost - returned),
  );
  return sold.reduce((sum, one) => sum + one, 0);
}

const anyStep = fc.oneof(
  { weight: 4, arbitrary: shipping },
  { weight: 4, arbitrary: ending },
  { weight: 2, arbitrary: cancelling },
  { weight: 2, arbitrary: returning },
  { weight: 2, arbitrary: asking },
  { weight: 2, arbitrary: answering },
  { weight: 3, arbitrary: paying },
  { weight: 1, arbitrary: failing },
  { weight: 2, arbitrary: refunding },
  { weight: 2, arbitrary: undoing },
);

async function expectAll(model: Model): Promise<void> {
  const path = `/api/orders/${model.order.id}`;
  const { items, refund_due } = await must("GET", path, { as: mixed.operator });
  expect(items).toMatchObject(
    model.items.map(({ inTransit, delivered, returned, lost, cancelled }) => ({
      shipped_quantity: inTransit + delivered + lost,
      delivered_quantity: delivered,
      returned_quantity: returned,
      lost_quantity: lost,
      cancelled_quantity: cancelled,
    })),
  );
  const goodwill = refundsOf(model, undefined);
  const due = Math.min(model.received, model.received + goodwill - cents(owed(model)));
  expect(cents(refund_due)).toBe(model.paid ? Math.max(due, 0) : 0);
  const { data } = await supabaseAs(mixed.operator).from("inventory").select().throwOnError();
  for (const [place, { id }] of products().entries()) {
    const { quantity } = data.find(({ product_id }) => product_id === id) as never;
    expect(quantity).toBe(model.stock[place]);
  }
  await expectInvariants();
}

async function expectInvariants(): Promise<void> {
  expect(await violationsOf(products().map(({ id }) => id))).toEqual([]);
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
  });

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
  });
});
