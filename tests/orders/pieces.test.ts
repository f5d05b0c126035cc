import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { supplierOf } from "../payouts/paying.js";
import { must, orderFor, type Person, registerClient, supabaseAs } from "../souk.js";
import { violationsOf } from "./invariants.js";
import { doBusiness, item } from "./ordering.js";
import { placeMixed } from "./shipping.js";

// Any sequence of what may befall the pieces of an order of three sellers, played against a model that counts them:
// afterwards each item's counts, the stock, what is owed, and all that must always hold are as they should be.
//
// PIECES_RUNS says how many sequences are tried; PIECES_SEED plays the same ones again.

const settings = {
  numRuns: Number(process.env.PIECES_RUNS ?? 12),
  ...(process.env.PIECES_SEED && { seed: Number(process.env.PIECES_SEED) }),
};

type Mixed = Awaited<ReturnType<typeof placeMixed>>;

/** Where the pieces of an item are. */
interface Pieces {
  id: string;
  price: number;
  open: number;
  underWay: number;
  delivered: number;
  returned: number;
  lost: number;
  cancelled: number;
  /** What refunds gave back of it by name. */
  refunded: number;
  /** How many pieces are in payouts. */
  paidOut: number;
}

/** What a supplier was paid, in cents, for how many more or fewer pieces of which items. */
interface Payout {
  id: string;
  amount: number;
  pieces: [Pieces, number][];
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
  /** In cents: what was paid; the same less what was given back; what of that was for named items. */
  paidAmount: number;
  received: number;
  named: number;
}

interface Step {
  toString(): string;
  act(model: Model): Promise<string>;
  judge(model: Model, code: string): void;
}

let mixed: Mixed;
let sellers: Person[];
let client: Person;
let supplierIds: string[];
const QUANTITY = 4;
const COMMISSION = 10;

/** Every order so far, and what each supplier was paid: a payout asks for no order. */
const models: Model[] = [];
const payouts: [Payout[], Payout[]] = [[], []];

beforeAll(async () => {
  mixed = await placeMixed();
  sellers = [mixed.supplier, mixed.rival, mixed.operator];
  client = await registerClient(mixed.tenantId);
  await doBusiness(mixed, { commission_percent: COMMISSION, payout_delay_days: 0 });
  supplierIds = [await supplierOf(mixed.supplier), await supplierOf(mixed.rival)];
});

const products = () => [mixed.saffron, mixed.mint, mixed.lamp];

/** Calls a function; answers `done`, or the code of the refusal. */
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
  const model: Model = {
    order,
    items: order.items.map(({ id, price }: Pieces) => ({
      ...{ id, price, open: QUANTITY, underWay: 0, delivered: 0, returned: 0, lost: 0 },
      ...{ cancelled: 0, refunded: 0, paidOut: 0 },
    })),
    shipments: [],
    requests: [],
    stock: products().map(() => 1000),
    paid: false,
    ...{ paidAmount: 0, received: 0 },
    named: 0,
  };
  models.push(model);
  return model;
}

const itemAt = ({ items }: Model, place: number) => items[place] as Pieces;
const which = fc.nat({ max: 2 });
const many = fc.integer({ min: 1, max: 3 });

/** What comes of a wish for more pieces than there are. */
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
      pieces.underWay += quantity;
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
      const moved = Math.min(shipment.quantity, pieces.underWay);
      const whole = fate === "void" || fate === "resend";
      if (shipment.status !== "shipped") return expect(code).toBe("INVALID_TRANSITION");
      if (whole && moved < shipment.quantity) return expect(code).toBe("VALIDATION_ERROR");
      expect(code).toBe("done");
      shipment.status = fate;
      pieces.underWay -= moved;
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
      const outside = ({ underWay, delivered, returned }: Pieces) =>
        underWay + delivered - returned;
      const pieces = itemAt(model, place);
      if (model.items.every((one) => outside(one) === 0)) {
        return expect(code).toBe("INVALID_TRANSITION");
      }
      expect(code).toBe(enough(outside(pieces), quantity));
      if (code !== "done") return;
      const fromTheWay = Math.max(quantity - (pieces.delivered - pieces.returned), 0);
      pieces.underWay -= fromTheWay;
      pieces.delivered += fromTheWay;
      pieces.returned += quantity;
      model.stock[place] = (model.stock[place] as number) + quantity;
    },
  }),
);

const paying = fc.constant<Step>({
  toString: () => "the client reports what is owed as paid",
  act(model) {
    const amount = owed(model);
    const reference = randomUUID();
    const sent = { order_id: model.order.id, status: "paid", amount, reference };
    return rpc(client, "report_payment", sent);
  },
  judge(model, code) {
    const gone = model.items.every(({ cancelled }) => cancelled === QUANTITY);
    if (model.paid || gone) return expect(code).toBe("INVALID_TRANSITION");
    // Nothing at all is no amount.
    if (owed(model) === 0) return expect(code).toBe("VALIDATION_ERROR");
    expect(code).toBe("done");
    model.paid = true;
    model.paidAmount = cents(owed(model));
    model.received = model.paidAmount;
  },
});

/** An amount of money, in cents. */
const cents = (amount: number) => Math.round(amount * 100);

const refunding = fc.tuple(which, many, fc.boolean()).map(
  ([place, amount, named]): Step => ({
    toString: () => `${amount} of item ${place} ${named ? "is" : "would be"} given back`,
    act: (model) =>
      rpc(client, "report_payment", {
        ...{ order_id: model.order.id, status: "refunded", amount, reference: randomUUID() },
        ...(named && { items: [{ item_id: itemAt(model, place).id, amount }] }),
      }),
    judge(model, code) {
      if (!model.paid || model.received === 0) return expect(code).toBe("INVALID_TRANSITION");
      const pieces = itemAt(model, place);
      const most = named ? pieces.price * QUANTITY - pieces.refunded : Number.POSITIVE_INFINITY;
      expect(code).toBe(enough(Math.min(model.received / 100, most), amount));
      if (code !== "done") return;
      model.received -= cents(amount);
      if (!named) return;
      pieces.refunded += amount;
      model.named += cents(amount);
    },
  }),
);

/** How many pieces of an item are asked back. */
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
      // What came back before it had arrived is not of those that one may ask for.
      const { delivered, returned } = itemAt(model, place);
      const arrived = model.shipments
        .filter((one) => one.item === place && one.status === "delivered")
        .reduce((sum, one) => sum + one.quantity, 0);
      const there = Math.min(delivered - returned, arrived) - askedOf(model, place);
      // The request that was made is among those that are asked for by now.
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

/** What the order costs: what is neither cancelled, lost nor back. */
function owed({ items }: Model): number {
  const sold = items.map(
    ({ price, cancelled, lost, returned }) => price * (QUANTITY - cancelled - lost - returned),
  );
  return sold.reduce((sum, one) => sum + one, 0);
}

/** Of an item how many pieces its supplier is to be paid for. */
function settledOf(model: Model, place: number): number {
  if (!model.paid) return 0;
  const { delivered, returned, paidOut } = itemAt(model, place);
  const kept = delivered - returned;
  return Math.max(kept - askedOf(model, place), Math.min(kept, paidOut), 0);
}

/** What is due to a supplier, in cents. */
function dueTo(place: 0 | 1): number {
  const sold = models.map(
    (model) => settledOf(model, place) * itemAt(model, place).price * (100 - COMMISSION),
  );
  const paid = payouts[place].map(({ amount }) => -amount);
  return [...sold, ...paid].reduce((sum, one) => sum + one, 0);
}

const payingOut = fc.nat({ max: 1 }).map((which): Step => {
  const place = which as 0 | 1;
  let made: { id: string; amount: number } | undefined;
  return {
    toString: () => `supplier ${place} is paid out`,
    act() {
      made = undefined;
      const sent = { supplier_id: supplierIds[place] };
      return rpc(mixed.operator, "create_payout", sent, (payout) => {
        made = payout;
      });
    },
    judge(_, code) {
      const due = dueTo(place);
      expect(code).toBe(due > 0 ? "done" : "VALIDATION_ERROR");
      if (!made) return;
      expect(cents(made.amount)).toBe(due);
      const pieces = models.map((model): [Pieces, number] => {
        const item = itemAt(model, place);
        return [item, settledOf(model, place) - item.paidOut];
      });
      for (const [item, change] of pieces) item.paidOut += change;
      payouts[place].push({ id: made.id, amount: due, pieces });
    },
  };
});

const failing = fc.nat({ max: 1 }).map(
  (place): Step => ({
    toString: () => `the last payout of supplier ${place} fails`,
    act() {
      const last = payouts[place as 0 | 1].at(-1);
      if (!last) return Promise.resolve("none");
      const sent = { payout_id: last.id, changes: { status: "failed" } };
      return rpc(mixed.operator, "update_payout", sent);
    },
    judge(_, code) {
      const failed = payouts[place as 0 | 1].pop();
      expect(code).toBe(failed ? "done" : "none");
      for (const [item, change] of failed?.pieces ?? []) item.paidOut -= change;
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
  { weight: 2, arbitrary: paying },
  { weight: 1, arbitrary: refunding },
  { weight: 2, arbitrary: payingOut },
  { weight: 1, arbitrary: failing },
);

async function expectAll(model: Model): Promise<void> {
  const path = `/api/orders/${model.order.id}`;
  const { items, refund_due } = await must("GET", path, { as: mixed.operator });
  expect(items).toMatchObject(
    model.items.map(({ underWay, delivered, returned, lost, cancelled }) => ({
      shipped_quantity: underWay + delivered + lost,
      delivered_quantity: delivered,
      returned_quantity: returned,
      lost_quantity: lost,
      cancelled_quantity: cancelled,
    })),
  );
  const given = model.paid ? model.paidAmount - model.received : 0;
  const due = model.paidAmount - Math.max(cents(owed(model)) + model.named, given);
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

describe("whatever befalls the pieces of an order", () => {
  it("goes as the model says, and leaves stock, money and statuses agreeing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 25 }), async (steps) => {
        const model = await placeOrder();
        for (const step of steps) step.judge(model, await step.act(model));
        await expectAll(model);
      }),
      settings,
    );
  }, 600_000);

  it("by three sellers, the customer and the clock at once", async () => {
    const actor = fc.array(anyStep, { minLength: 4, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(actor, { minLength: 4, maxLength: 5 }), async (actors) => {
        const model = await placeOrder();
        await Promise.all(
          actors.map(async (steps) => {
            for (const step of steps) {
              expect([
                ...["done", "none", "VALIDATION_ERROR", "INVALID_TRANSITION", "CONFLICT"],
              ]).toContain(await step.act(model));
            }
          }),
        );
        await expectInvariants();
      }),
      { ...settings, endOnFailure: true },
    );
  }, 600_000);
});
