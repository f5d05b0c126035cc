import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SEED } from "../random.js";
import {
  ADDRESS,
  must,
  openTestTenant,
  type Person,
  registerClient,
  supabaseAs,
  UNBOUNDED,
} from "../souk.js";
import { violationsOf } from "./invariants.js";
import { passDeadline } from "./shipping.js";
import { HOLDING_STOCK, moveExists, SENT, STATUSES } from "./statuses.js";

// Runs random sequences of orders, moves and stock changes against a small model, and then checks all invariants in the
// database.
//
// INVARIANTS_RUNS is the number of sequences. A failure prints the shortest failing sequence and its seed, which can be
// set as SOUK_TEST_SEED.

const settings = {
  numRuns: Number(process.env.INVARIANTS_RUNS ?? 20),
  seed: SEED,
};

/** The expected state of a stock. */
interface Stock {
  product_id: string;
  variant_id: string | null;
  price: number;
  tracked: boolean;
  quantity: number;
  reserved: number;
}

interface Line {
  stock: number;
  quantity: number;
}

/** The model: the expected state of everything. */
interface Model {
  stocks: Stock[];
  orders: Order[];
}

interface Order {
  id: string;
  status: string;
  payment: string;
  /** In cents: the total, and the sum of payments less refunds and reversals. */
  total: number;
  paid: number;
  /** Its payments and refunds. */
  reports: { status: string; reference: string; amount: number; undone: boolean }[];
  lines: (Line & { id: string; returned: number })[];
  /** Whether its digital items were delivered on payment. */
  handedOut: boolean;
}

/** One action of a member. */
interface Step {
  toString(): string;
  /** Whether the action needs an order. */
  toOrder: boolean;
  /** Executes the action. */
  act(model: Model): Promise<Answer>;
  /** Checks the result, if no other action ran concurrently. */
  judge(model: Model, answer: Answer): void;
}

/** `done` or the error code, and the returned data. */
interface Answer {
  code: string;
  // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
  data: any;
}

let people: Record<"operator" | "supplier" | "customer" | "client", Person>;
let marketplaceId: string;
let customerId: string;

beforeAll(async () => {
  const testTenant = await openTestTenant();
  people = { ...testTenant, client: await registerClient(testTenant.tenantId) };
  marketplaceId = testTenant.marketplace.id;
  await must("PUT", `/api/marketplaces/${marketplaceId}`, {
    as: people.operator,
    body: {
      settings: {
        business: {
          ...UNBOUNDED,
          commission_percent: 12.5,
          delivery: { methods: [FETCHED, DELIVERY], recipient: "supplier" },
        },
      },
    },
  });
  customerId = (await must("GET", "/auth/me", { as: people.customer })).customer_id;
});

/** Calls a database function as a person. */
async function rpc(as: Person, name: string, sent: object): Promise<Answer> {
  const { data, error } = await supabaseAs(as).rpc(name, sent);
  return { code: error ? error.message : "done", data };
}

/** Products with licence keys. The model ignores the keys; the invariants check them. */
const KEYS = 4;

/** Products with every kind of stock: their own, per variant, none, licence keys. */
async function openStocks(): Promise<Model> {
  const list = async (overrides: object) =>
    (await rpc(people.supplier, "create_product", { name: "Thing", price: 10, ...overrides })).data;
  const [plain, varied, untracked, keys] = await Promise.all([
    list({ inventory: { quantity: 6 } }),
    list({
      variants: [
        { name: "small", inventory: { quantity: 2 } },
        { name: "large", price: 12.5, inventory: { quantity: 3 } },
      ],
    }),
    list({ kind: "digital", price: 0.1 }),
    list({ kind: "digital", track_inventory: true }),
  ]);
  await addKeys(keys.id, 4);
  const stock = { variant_id: null, price: 10, tracked: true, quantity: 6, reserved: 0 };
  const [small, large] = varied.variants;
  return {
    orders: [],
    stocks: [
      { ...stock, product_id: plain.id },
      { ...stock, product_id: varied.id, variant_id: small.id, quantity: 2 },
      { ...stock, product_id: varied.id, variant_id: large.id, quantity: 3, price: 12.5 },
      { ...stock, product_id: untracked.id, price: 0.1, tracked: false, quantity: 0 },
      { ...stock, product_id: keys.id, quantity: 4 },
    ],
  };
}

function addKeys(product_id: string, many: number): Promise<Answer> {
  const codes = Array.from({ length: many }, () => randomUUID());
  return rpc(people.supplier, "add_licence_keys", { product_id, codes });
}

const stockAt = ({ stocks }: Model, index: number) => stocks[index] as Stock;
/** One of the latest orders, so that several actions concern the same ones. */
const orderAt = ({ orders }: Model, index: number) =>
  orders.at(-1 - (index % orders.length)) as Order;

const FETCHED = { key: "fetch", name: "Fetch it", price: 0 };
const DELIVERY = { key: "mule", name: "By mule", price: 4.9, per_supplier: true, free_from: 30 };

/** An amount of money, in cents. */
const cents = (amount: number) => Math.round(amount * 100);

/** The owed amount of an order, in cents: its total less returns. */
function owed(model: Model, { total, lines }: Order): number {
  const back = lines.map(({ stock, returned }) => cents(stockAt(model, stock).price) * returned);
  return back.reduce((left, one) => left - one, total);
}

const linesOf = (last: number) =>
  fc.array(fc.record({ stock: fc.nat({ max: last }), quantity: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  });

const buyer = fc.constantFrom("customer" as const, "client" as const);

const placing = (last: number) =>
  fc.tuple(buyer, linesOf(last), fc.boolean()).map(
    ([who, wanted, delivered]): Step => ({
      toString: () => `${who} orders ${JSON.stringify(wanted)}`,
      toOrder: false,
      async act(model) {
        const items = wanted.map(({ stock, quantity }) => {
          const { product_id, variant_id, price } = stockAt(model, stock);
          return { product_id, variant_id, price, quantity };
        });
        const answer = await rpc(people[who], "place_order", {
          marketplace_id: marketplaceId,
          items,
          shipping_address: ADDRESS,
          customer_id: customerId,
          delivery_method: (delivered ? DELIVERY : FETCHED).key,
        });
        const { code, data } = answer;
        if (code === "done") {
          model.orders.push({
            id: data.id,
            status: "pending",
            payment: "pending",
            total: cents(data.total_amount),
            paid: 0,
            reports: [],
            handedOut: false,
            lines: wanted.map((line, i) => ({ ...line, id: data.items[i].id, returned: 0 })),
          });
        }
        return answer;
      },
      judge(model, { code, data }) {
        const short = model.stocks.some(
          ({ tracked, quantity, reserved }, stock) =>
            tracked && sumOf(wanted, stock) > quantity - reserved,
        );
        expect(code).toBe(short ? "INSUFFICIENT_INVENTORY" : "done");
        if (short) return;
        for (const { stock, quantity } of wanted) change(stockAt(model, stock), 0, quantity);
        const amounts = wanted.map(
          ({ stock, quantity }) => cents(stockAt(model, stock).price) * quantity,
        );
        const subtotal = amounts.reduce((sum, one) => sum + one);
        const isSent = wanted.some(({ stock }) => stockAt(model, stock).tracked);
        const costs = delivered && isSent && subtotal < cents(DELIVERY.free_from);
        expect(cents(data.total_amount)).toBe(subtotal + (costs ? cents(DELIVERY.price) : 0));
      },
    }),
  );

/** Some moves are more frequent, so that most orders are cancelled or completed. */
const newStatus = fc.constantFrom(...STATUSES, "confirmed", "processing", "cancelled", "cancelled");

const recent = fc.nat({ max: 2 });

const move = fc.tuple(recent, newStatus, fc.boolean()).map(
  ([index, status, byCustomer]): Step => ({
    toString: () =>
      `${byCustomer ? "customer" : "operator"} moves the last order but ${index} to ${status}`,
    toOrder: true,
    act: (model) =>
      rpc(byCustomer ? people.customer : people.operator, "change_order_status", {
        order_id: orderAt(model, index).id,
        status,
      }),
    judge(model, { code }) {
      const order = orderAt(model, index);
      const exists = moveExists(order.status, status);
      const tooLate = exists && (order.status === "processing" || hasDigital(model, order));
      const tookBack =
        exists && status === "cancelled" && order.lines.some((line) => line.returned);
      if (byCustomer && status !== "cancelled") expect(code).toBe("FORBIDDEN");
      else if (tookBack) expect(code).toBe("VALIDATION_ERROR");
      else if (byCustomer && tooLate) expect(code).toBe("FORBIDDEN");
      else expect(code).toBe(exists ? "done" : "INVALID_TRANSITION");
      if (code === "done") follow(model, order, status);
    },
  }),
);

const operation = fc.constantFrom("set", "add", "subtract");

const count = fc.tuple(fc.nat({ max: 2 }), operation, fc.nat({ max: 5 })).map(
  ([index, operation, quantity]): Step => ({
    toString: () => `supplier: ${operation} ${quantity} in stock ${index}`,
    toOrder: false,
    act(model) {
      const { product_id, variant_id } = stockAt(model, index);
      const sent = { product_id, variant_id, operation, quantity };
      return rpc(people.supplier, "change_inventory", sent);
    },
    judge(model, { code, data }) {
      const stock = stockAt(model, index);
      const { reserved } = stock;
      const wanted = { set: 0, add: stock.quantity, subtract: stock.quantity }[operation] as number;
      const after = wanted + (operation === "subtract" ? -quantity : quantity);
      expect(code).toBe(after < reserved ? "INSUFFICIENT_INVENTORY" : "done");
      if (code !== "done") return;
      stock.quantity = after;
      expect(data).toMatchObject({ quantity: after, reserved, available: after - reserved });
    },
  }),
);

const takeBack = fc.tuple(recent, fc.nat({ max: 2 }), fc.integer({ min: 1, max: 3 })).map(
  ([index, which, quantity]): Step => ({
    toString: () =>
      `operator takes back ${quantity} of item ${which} of the last order but ${index}`,
    toOrder: true,
    act(model) {
      const { id, lines } = orderAt(model, index);
      const items = [{ item_id: lines[which % lines.length]?.id, quantity }];
      return rpc(people.operator, "return_order_items", { order_id: id, items });
    },
    judge(model, { code }) {
      const order = orderAt(model, index);
      const line = order.lines[which % order.lines.length] as Order["lines"][0];
      const left = order.lines.filter((one) => hasLeft(model, order, one));
      if (left.every((one) => one.returned === one.quantity)) {
        expect(code).toBe("INVALID_TRANSITION");
      } else if (!left.includes(line) || quantity > line.quantity - line.returned) {
        expect(code).toBe("VALIDATION_ERROR");
      } else {
        expect(code).toBe("done");
        line.returned += quantity;
        change(stockAt(model, line.stock), quantity, 0);
        const whole = order.lines.every(({ quantity, returned }) => quantity === returned);
        if (whole) order.status = "returned";
      }
    },
  }),
);

const report = fc.constantFrom("paid", "paid", "failed", "refunded");

/** The reported share: everything, a part, or a cent too much. */
const share = fc.constantFrom("all" as const, "part" as const, "more" as const);

const pay = fc.tuple(recent, report, share).map(
  ([index, status, amount]): Step => ({
    toString: () => `client reports the last order but ${index} ${status}, ${amount}`,
    toOrder: true,
    async act(model) {
      const order = orderAt(model, index);
      const sent = reported(model, order, status, amount);
      const reference = randomUUID();
      const answer = await rpc(people.client, "report_payment", {
        ...{ order_id: order.id, status, reference, amount: sent / 100 },
      });
      if (answer.code === "done") {
        order.reports.push({ status, reference, amount: sent, undone: false });
      }
      return answer;
    },
    judge(model, { code }) {
      const order = orderAt(model, index);
      const sent = reported(model, order, status, amount);
      const exists = { pending: ["paid", "failed"], failed: ["paid"], paid: ["refunded"] };
      if (!exists[order.payment as keyof typeof exists]?.includes(status)) {
        expect(code).toBe("INVALID_TRANSITION");
      } else if (status === "paid" && order.status === "cancelled") {
        expect(code).toBe("INVALID_TRANSITION");
      } else if (status === "paid" && sent !== owed(model, order)) {
        expect(code).toBe("VALIDATION_ERROR");
      } else if (status === "refunded" && sent > order.paid) {
        expect(code).toBe("VALIDATION_ERROR");
      } else {
        expect(code).toBe("done");
        if (status === "paid") order.paid += sent;
        if (status === "refunded") order.paid -= sent;
        if (status !== "refunded" || order.paid === 0) order.payment = status;
        // Digital items are delivered when they are paid.
        if (status === "paid" && HOLDING_STOCK.includes(order.status)) {
          order.handedOut = true;
          const digital = order.lines.every(({ stock }) => !stockAt(model, stock).tracked);
          if (digital) follow(model, order, "delivered");
        }
      }
    },
  }),
);

/** The last reported refund or payment of the order. */
const lastOf = ({ reports }: Order, status: string) =>
  reports.filter((one) => one.status === status).at(-1);

const undo = fc
  .tuple(recent, fc.constantFrom("refund_failed", "payment_reversed"))
  .map(([index, status]): Step => {
    const undone = status === "refund_failed" ? "refunded" : "paid";
    return {
      toString: () => `client reports the last order but ${index} ${status}`,
      toOrder: true,
      act(model) {
        const order = orderAt(model, index);
        const reference = lastOf(order, undone)?.reference ?? randomUUID();
        return rpc(people.client, "report_payment", { order_id: order.id, status, reference });
      },
      judge(model, { code, data }) {
        const order = orderAt(model, index);
        const report = lastOf(order, undone);
        if (!report) return expect(code).toBe("NOT_FOUND");
        const fits = { refund_failed: ["paid", "refunded"], payment_reversed: ["paid"] }[status];
        if (report.undone || !fits?.includes(order.payment)) {
          return expect(code).toBe("INVALID_TRANSITION");
        }
        expect(code).toBe("done");
        const amount = undone === "paid" ? Math.min(report.amount, order.paid) : -report.amount;
        expect(cents(data.amount)).toBe(Math.abs(amount));
        order.paid -= amount;
        order.payment = undone === "paid" ? "failed" : "paid";
        report.undone = true;
      },
    };
  });

/** The amount of a report, in cents. Zero is not a valid amount. */
function reported(
  model: Model,
  order: Order,
  status: string,
  amount: "all" | "part" | "more",
): number {
  const whole = status === "refunded" ? order.paid : owed(model, order);
  const wanted = { all: whole, part: Math.floor(whole / 2), more: whole + 1 }[amount];
  return Math.max(wanted, 1);
}

const expire = recent.map(
  (index): Step => ({
    toString: () => `the last order but ${index} is not paid in time`,
    toOrder: true,
    async act(model) {
      const code = await passDeadline(orderAt(model, index)).then(
        () => "done",
        (error: Error) => error.message,
      );
      return { code, data: null };
    },
    judge(model, { code }) {
      expect(code).toBe("done");
      const order = orderAt(model, index);
      const unpaid = order.payment === "pending" || order.payment === "failed";
      if (order.status === "pending" && unpaid) follow(model, order, "cancelled");
    },
  }),
);

const restock = fc.integer({ min: 1, max: 2 }).map(
  (many): Step => ({
    toString: () => `supplier brings ${many} licence keys`,
    toOrder: false,
    act: (model) => addKeys(stockAt(model, KEYS).product_id, many),
    judge: (_, { code }) => expect(code).toBe("done"),
  }),
);

const place = placing(KEYS - 1);
const steps = [
  place,
  place,
  place,
  move,
  move,
  move,
  move,
  takeBack,
  pay,
  pay,
  undo,
  count,
  expire,
];

const placeAny = placing(KEYS);
const anySteps = [
  placeAny,
  placeAny,
  placeAny,
  move,
  move,
  takeBack,
  pay,
  pay,
  undo,
  count,
  expire,
  restock,
];

/** Possible refusals when other actions were faster. Deadlocks are not among them. */
const REFUSALS = [
  "INSUFFICIENT_INVENTORY",
  "INVALID_TRANSITION",
  "VALIDATION_ERROR",
  "FORBIDDEN",
  "NOT_FOUND",
];

function sumOf(wanted: Line[], stock: number): number {
  return wanted.reduce((sum, line) => sum + (line.stock === stock ? line.quantity : 0), 0);
}

/** Changes a stock if it is tracked. */
function change(stock: Stock, quantity: number, reserved: number): void {
  if (!stock.tracked) return;
  stock.quantity += quantity;
  stock.reserved += reserved;
}

/** Whether pieces of a line are or were in transit or delivered. */
function hasLeft(model: Model, order: Order, { stock }: Line): boolean {
  return SENT.includes(order.status) || (order.handedOut && !stockAt(model, stock).tracked);
}

/** Whether the customer has received anything, such as digital goods of an unshipped order. */
function hasDigital(model: Model, order: Order): boolean {
  return order.lines.some((line) => hasLeft(model, order, line));
}

/** Updates the stock after a change of the order. */
function follow(model: Model, order: Order, status: string): void {
  // Licence keys that were handed out are revoked.
  if (status === "cancelled") order.handedOut = false;
  for (const line of order.lines) {
    const stock = stockAt(model, line.stock);
    const outside = line.quantity - line.returned;
    if (status === "cancelled") change(stock, 0, -outside);
    else if (status === "returned") change(stock, outside, 0);
    else if (HOLDING_STOCK.includes(order.status) && !HOLDING_STOCK.includes(status)) {
      change(stock, -outside, -outside);
    }
    if (status === "returned") line.returned = line.quantity;
  }
  order.status = status;
}

async function expectInvariants({ stocks }: Model): Promise<void> {
  expect(await violationsOf(stocks.map(({ product_id }) => product_id))).toEqual([]);
}

async function expectModel(model: Model): Promise<void> {
  const { data } = await supabaseAs(people.operator)
    .from("inventory")
    .select("product_id, variant_id, quantity, reserved")
    .in(
      "product_id",
      model.stocks.map(({ product_id }) => product_id),
    )
    .throwOnError();
  for (const { product_id, variant_id, quantity, reserved } of model.stocks.slice(0, KEYS)) {
    expect(data).toContainEqual({ product_id, variant_id, quantity, reserved });
  }
}

describe("any actions on stock and orders", () => {
  it("follow the model, and keep all invariants", async () => {
    const sequences = fc.commands(
      steps.map((some) =>
        some.map((one) => ({
          check: ({ orders }: Readonly<Model>) => !one.toOrder || orders.length > 0,
          run: async (model: Model) => one.judge(model, await one.act(model)),
          toString: () => one.toString(),
        })),
      ),
      { maxCommands: 40, size: "max" },
    );
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const model = await openStocks();
        await fc.asyncModelRun(() => ({ model, real: null }), sequence);
        await expectModel(model);
        await expectInvariants(model);
      }),
      settings,
    );
  }, 3_600_000);

  it("by concurrent callers keep all invariants", async () => {
    const actor = fc.array(fc.oneof(...anySteps), { minLength: 5, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(fc.array(actor, { minLength: 4, maxLength: 6 }), async (actors) => {
        const model = await openStocks();
        await Promise.all(
          actors.map(async (steps) => {
            for (const { toOrder, act } of steps) {
              if (toOrder && model.orders.length === 0) continue;
              const { code } = await act(model);
              expect(["done", ...REFUSALS]).toContain(code);
            }
          }),
        );
        await expectInvariants(model);
      }),
      { ...settings, endOnFailure: true },
    );
  }, 3_600_000);
});
