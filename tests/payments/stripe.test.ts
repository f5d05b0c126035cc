import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { doBusiness, getOrder, move, moved, pay, placed } from "../orders/ordering.js";
import { cancelItems } from "../orders/shipping.js";
import { balanceOf, openShop, ordered, type Row, type Shop } from "../payouts/shop.js";
import { openPlace } from "../place.js";
import { commandOf, descendantsOf } from "../processes.js";
import {
  type Answer,
  call,
  expectRefusal,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  persist,
  supabaseAsService,
  UNBOUNDED,
  useStack,
} from "../souk.js";
import { type RunningStack, setRateLimit, startStack } from "../stack.js";
import { openStripe, type Stripe } from "./stripe.js";
import type { StripeObject } from "./stripe_protocol.js";

// Payments by Stripe, from the session to the refund and the dispute. A stand-in is in place of Stripe, and loses answers,
// repeats and reorders events. The stack's log must contain neither of the two secrets: `stop` looks for such texts.

const SECRET_KEY = "sk_test_sb_secret_of_stripe";
const WEBHOOK_SECRET = "whsec_0123456789abcdefghij";
const PUBLISHABLE_KEY = "pk_test_souk";
/** The tenant whose payments the Stripe account takes. The functions are started with it, before it is opened. */
const TENANT = randomUUID();

let stripe: Stripe;
let stack: RunningStack;
let drop = async () => {};
let shop: Shop;

beforeAll(async () => {
  stripe = await openStripe({ secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET });
  const secrets = {
    ...{ STRIPE_SECRET_KEY: SECRET_KEY, STRIPE_PUBLISHABLE_KEY: PUBLISHABLE_KEY },
    ...{ STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET, STRIPE_API: stripe.url },
    STRIPE_TENANTS: `${randomUUID()}, ${TENANT}`,
  };
  const lines = Object.entries(secrets).map(([name, value]) => `${name} = "${value}"`);
  const heading = "[edge_runtime.secrets]";
  const place = await openPlace();
  drop = place.drop;
  stack = await startStack(place.options, {
    functions: ["api", "auth", "payments"],
    configure: (config) => config.replace(heading, [heading, ...lines].join("\n")),
  });
  useStack(stack);
  for (const kind of ["address", "customer"]) await setRateLimit(stack, kind, 1_000_000);
  const nextId = (value: string) =>
    query(`alter table public.tenants alter column id set default ${value}`);
  await nextId(`'${TENANT}'`);
  shop = await openShop();
  await nextId("gen_random_uuid()");
  expect(shop.tenantId).toBe(TENANT);
}, 120_000);

afterAll(async () => {
  useStack(undefined);
  await stack?.stop();
  await drop();
  stripe?.end();
});

const sessionsPath = ({ id }: Row) => `/api/orders/${id}/payment-sessions`;

const begin = (order: Row, as: Person = shop.customer, more: object = {}): Promise<Answer> =>
  persist("POST", sessionsPath(order), { as, body: { provider: "stripe", ...more } });

async function begun(...beginning: Parameters<typeof begin>): Promise<Row> {
  const { status, body } = await begin(...beginning);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
}

/** The payments that Stripe has for an order, oldest first. */
const intentsOf = ({ id }: Row): StripeObject[] =>
  [...stripe.intents.values()].filter(({ metadata }) => metadata.order_id === id);

/** The payment of a session. */
function intentOf({ client_secret }: Row): StripeObject {
  const found = [...stripe.intents.values()].find((one) => one.client_secret === client_secret);
  if (!found) throw new Error("Stripe has no such payment");
  return found;
}

/** Sends an event to Souk as Stripe does. */
async function tell(body: string, signature = stripe.sign(body)) {
  const response = await fetch(`${stack.functions_url}/payments/stripe`, {
    method: "POST",
    headers: { "content-type": "application/json; charset=utf-8", "stripe-signature": signature },
    body,
  });
  return { status: response.status, body: (await response.json()) as Row };
}

/** Repeats an event, as Stripe does, until Souk has taken it. */
const delivered = (body: string): Promise<void> =>
  eventually(async () =>
    expect(await tell(body)).toEqual({ status: 200, body: { received: true } }),
  );

const told = (type: string, object: StripeObject) => delivered(stripe.event(type, object));

const succeeded = (intent: StripeObject) => told("payment_intent.succeeded", intent);

/** The customer pays a session, and Stripe says so. */
async function paidBy(session: Row): Promise<StripeObject> {
  const intent = stripe.pay(intentOf(session).id);
  await succeeded(intent);
  return intent;
}

/** An order that is paid by Stripe, and its payment there. */
async function paidOrder(pieces: [Row, number][]): Promise<{ order: Row; intent: StripeObject }> {
  const order = await ordered(shop, pieces);
  const intent = await paidBy(await begun(order));
  expect((await getOrder(shop.operator, order)).payment_status).toBe("paid");
  return { order, intent };
}

const sessionsOf = async (order: Row): Promise<Row[]> =>
  (await must("GET", sessionsPath(order), { as: shop.operator })).payment_sessions;

const statusesOf = async (order: Row) => (await sessionsOf(order)).map(({ status }) => status);

const refundsOf = async (order: Row): Promise<Row[]> =>
  (await must("GET", `/api/orders/${order.id}/refunds`, { as: shop.operator })).refunds;

/** The amounts that Stripe gives back of a payment, with their statuses. */
const givenBack = ({ id }: StripeObject) =>
  [...stripe.refunds.values()]
    .filter((one) => one.payment_intent === id)
    .map(({ amount, status }) => [amount, status]);

const refund = (order: Row, body: object, as: Person = shop.operator) =>
  persist("POST", `/api/orders/${order.id}/refunds`, { as, body });

async function refunded(...refund_: Parameters<typeof refund>): Promise<Row> {
  const { status, body } = await refund(...refund_);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

/** Waits until a refund of an order has a status, and returns it. */
const refundIs = (order: Row, { id }: Row, status: string): Promise<Row> =>
  eventually(async () => {
    const found = (await refundsOf(order)).find((one) => one.id === id);
    expect(found).toMatchObject({ status });
    return found;
  });

/** Waits until an order's only refund has been asked for. */
const givenBackOnce = (order: Row): Promise<void> =>
  eventually(async () => expect(await refundsOf(order)).toMatchObject([{ status: "succeeded" }]));

/** The payment status of an order, its reports, and its internal notes. */
async function moneyOf(order: Row) {
  const { payment_status, payments, notes } = await getOrder(shop.operator, order);
  return {
    payment_status,
    reports: payments.map(({ status, amount }: Row) => [status, amount]),
    notes: notes.map(({ text }: Row) => text as string),
  };
}

const wake = () => must("POST", "/payments", { headers: { apikey: stack.secret_key } });

/** Lets the time until the next attempt of a refund, or the lease of its worker, pass. */
async function tryAgain({ id }: Row): Promise<void> {
  await query(
    "update private.jobs set due_at = now() where queue = 'refunds' and subject_id = $1",
    [id],
  );
  await wake();
}

/** Waits until the first attempt of a refund has failed. */
const failedOnce = ({ id }: Row) =>
  eventually(async () => {
    const rows = await query<{ attempts: number; error: string }>(
      "select attempts, lease, error from private.jobs where queue = 'refunds' and subject_id = $1",
      [id],
    );
    expect(rows).toMatchObject([{ attempts: 1, lease: null, error: expect.any(String) }]);
    return rows[0]?.error as string;
  });

/** A payment that is made at Stripe, and not by Souk. */
async function madeAtStripe(form: Record<string, string>): Promise<StripeObject> {
  const response = await fetch(`${stripe.url}/v1/payment_intents`, {
    method: "POST",
    headers: { authorization: `Bearer ${SECRET_KEY}` },
    body: new URLSearchParams({ amount: "1000", currency: "eur", ...form }),
  });
  expect(response.status).toBe(200);
  const { id } = (await response.json()) as StripeObject;
  return stripe.pay(id);
}

const failure = (status: number, error: object, headers = {}) => ({
  ...{ status, headers },
  body: { error: { type: "api_error", ...error } },
});

describe("a payment by Stripe", () => {
  it("is taken once, and makes the supplier's lines due with the delivery", async () => {
    const { operator, customer, supplierId } = shop;
    const before = await balanceOf(operator, supplierId);
    const order = await ordered(shop, [[shop.saffron, 2]]);
    const session = await begun(order, customer, { return_url: "https://shop.example/paid" });
    const [intent, ...others] = intentsOf(order);
    expect(others).toEqual([]);
    expect(session).toMatchObject({
      ...{ id: expect.any(String), order_id: order.id, provider: "stripe", status: "open" },
      ...{ amount: 20, currency: "EUR", reference: intent.id },
      ...{ client_secret: intent.client_secret, publishable_key: PUBLISHABLE_KEY },
    });
    expect(intent).toMatchObject({
      ...{ amount: 2000, currency: "eur", automatic_payment_methods: { enabled: true } },
      metadata: { tenant_id: TENANT, order_id: order.id, session_id: session.id },
    });
    const asked = stripe.asked.filter(({ form }) => form["metadata[order_id]"] === order.id);
    expect(asked).toMatchObject([
      { version: expect.any(String), idempotencyKey: expect.any(String) },
    ]);
    expect(await begun(order)).toMatchObject({
      ...{ id: session.id, client_secret: intent.client_secret },
    });
    await told("payment_intent.created", intent);
    expect((await moneyOf(order)).payment_status).toBe("pending");

    stripe.pay(intent.id);
    const event = stripe.event("payment_intent.succeeded", intent);
    await Promise.all([delivered(event), delivered(event), succeeded(intent)]);
    expect(await moneyOf(order)).toEqual({
      ...{ payment_status: "paid", reports: [["paid", 20]], notes: [] },
    });
    expect((await getOrder(customer, order)).payments).toMatchObject([{ reference: intent.id }]);
    const own = await must("GET", sessionsPath(order), { as: customer });
    expect(own.payment_sessions).toMatchObject([{ id: session.id, status: "paid" }]);
    // Only who begins a payment gets what can pay it.
    expect(JSON.stringify(own)).not.toContain(intent.client_secret);
    expectRefusal(await begin(order), 422, "INVALID_TRANSITION", { field: "payment_status" });
    expect(intentsOf(order)).toHaveLength(1);

    await moved(operator, order, "delivered");
    const { due } = await balanceOf(operator, supplierId);
    expect(due - before.due).toBe(18);
    expect(givenBack(intent)).toEqual([]);
  });

  it("is reported by Stripe alone, with its signature of the last five minutes", async () => {
    const order = await ordered(shop, [[shop.mint, 1]]);
    const intent = stripe.pay(intentOf(await begun(order)).id);
    const body = stripe.event("payment_intent.succeeded", intent);
    const time = Math.floor(Date.now() / 1000);
    const right = stripe.sign(body, time).split("v1=")[1] as string;
    const forged = {
      none: "",
      "of another secret": stripe.sign(body, time, "whsec_of_a_stranger"),
      "of another body": stripe.sign(`${body} `, time),
      "of another time": `t=${time - 1},v1=${right}`,
      "without a time": `v1=${right}`,
      "with a time that is none": `t=now,v1=${right}`,
      "cut short": `t=${time},v1=${right.slice(0, -2)}`,
      "of another version": `t=${time},v0=${right}`,
      "six minutes old": stripe.sign(body, time - 360),
      "of in six minutes": stripe.sign(body, time + 360),
    };
    for (const [what, signature] of Object.entries(forged)) {
      const { status, body: answer } = await tell(body, signature);
      expect([what, status, answer.error?.code]).toEqual([what, 401, "UNAUTHORIZED"]);
    }
    expect((await moneyOf(order)).payment_status).toBe("pending");
    // While a secret is rolled, Stripe signs with both.
    const [, other] = stripe.sign(body, time, "whsec_of_the_next_month").split(",");
    expect((await tell(body, `t=${time},${other},v1=${right},v0=00`)).status).toBe(200);
    expect((await moneyOf(order)).payment_status).toBe("paid");
  });

  it("may be reported before Stripe answers, and Stripe's answer may be lost", async () => {
    const early = await ordered(shop, [[shop.mint, 1]]);
    stripe.once("POST /v1/payment_intents", async (perform) => {
      const answer = await perform();
      await succeeded(stripe.pay(answer.body.id));
      return answer;
    });
    await begun(early);
    expect(await statusesOf(early)).toEqual(["paid"]);
    expect(await moneyOf(early)).toEqual({
      ...{ payment_status: "paid", reports: [["paid", 3]], notes: [] },
    });

    const lost = await ordered(shop, [[shop.mint, 1]]);
    stripe.once("POST /v1/payment_intents", async (perform) => {
      await perform();
      return null;
    });
    expectRefusal(await begin(lost), 503, "SERVICE_UNAVAILABLE");
    const session = await begun(lost);
    expect(intentsOf(lost)).toEqual([intentOf(session)]);
    expect(await statusesOf(lost)).toEqual(["open"]);
  });

  it("is refused with SERVICE_UNAVAILABLE while Stripe is away, without Stripe's words", async () => {
    const order = await ordered(shop, [[shop.mint, 1]]);
    for (const answer of [failure(500, {}), failure(503, {}), failure(429, { type: "rate" })]) {
      stripe.once("POST /v1/payment_intents", () => answer);
      expectRefusal(await begin(order), 503, "SERVICE_UNAVAILABLE");
    }
    stripe.once("POST /v1/payment_intents", () =>
      failure(401, { message: `Invalid API Key provided: ${SECRET_KEY}` }),
    );
    const { status, body } = await begin(order);
    expect(status).toBeGreaterThanOrEqual(500);
    expect(JSON.stringify(body)).not.toContain(SECRET_KEY);
    // An event that Souk cannot look up is repeated.
    const intent = stripe.pay(intentOf(await begun(order)).id);
    const event = stripe.event("payment_intent.succeeded", intent);
    stripe.once("GET /v1/payment_intents/{id}", () => failure(500, {}));
    expect((await tell(event)).status).toBe(503);
    expect((await moneyOf(order)).payment_status).toBe("pending");
    await delivered(event);
    expect((await moneyOf(order)).payment_status).toBe("paid");
  });

  it("has the present price: another one is given back", async () => {
    const pieces: [Row, number][] = [
      [shop.saffron, 2],
      [shop.mint, 1],
    ];
    const [first, second] = [await ordered(shop, pieces), await ordered(shop, pieces)];
    const session = await begun(first);
    const late = await begun(second);
    for (const order of [first, second]) {
      expect((await cancelItems(shop.rival, order)).status).toBe(201);
    }
    expect(await begun(first)).toMatchObject({
      ...{ id: session.id, client_secret: session.client_secret, amount: 20 },
    });
    expect(intentOf(session).amount).toBe(2000);
    await paidBy(session);
    expect((await moneyOf(first)).reports).toEqual([["paid", 20]]);

    const intent = await paidBy(late);
    await givenBackOnce(second);
    await succeeded(intent);
    expect(givenBack(intent)).toEqual([[2300, "succeeded"]]);
    expect(await statusesOf(second)).toEqual(["refused"]);
    const { payment_status, reports, notes } = await moneyOf(second);
    expect([payment_status, reports]).toEqual(["pending", []]);
    expect(notes).toEqual([expect.stringContaining(intent.id)]);
    // The buyer begins again, and pays what the order costs.
    await paidBy(await begun(second));
    expect(await statusesOf(second)).toEqual(["paid", "refused"]);
    expect((await moneyOf(second)).reports).toEqual([["paid", 20]]);
  });

  it("of a cancelled order is given back once, however often and whenever Stripe reports it", async () => {
    const order = await ordered(shop, [[shop.saffron, 1]]);
    const session = await begun(order);
    await move(shop.customer, order, "cancelled");
    const intent = stripe.pay(intentOf(session).id);
    await Promise.all([succeeded(intent), succeeded(intent), succeeded(intent)]);
    await givenBackOnce(order);
    const [made] = [...stripe.refunds.values()].filter((one) => one.payment_intent === intent.id);
    await told("refund.created", made);
    await told("charge.refunded", stripe.charges.get(intent.latest_charge));
    await succeeded(intent);
    await wake();
    expect(await refundsOf(order)).toMatchObject([
      { amount: 10, status: "succeeded", payment_reference: intent.id, reference: made.id },
    ]);
    expect(givenBack(intent)).toEqual([[1000, "succeeded"]]);
    const { reports, notes } = await moneyOf(order);
    expect(reports).toEqual([]);
    expect(notes).toHaveLength(1);
    expectRefusal(await begin(order), 422, "INVALID_TRANSITION");
  });

  it("of an order that was paid otherwise is given back", async () => {
    const order = await ordered(shop, [[shop.saffron, 1]]);
    const session = await begun(order);
    const byHand = await begun(order, shop.customer, { provider: "manual" });
    await must("POST", `/api/payment-sessions/${byHand.id}/capture`, {
      as: shop.operator,
      body: { reference: "Bank 17" },
    });
    const intent = await paidBy(session);
    await givenBackOnce(order);
    await succeeded(intent);
    expect(givenBack(intent)).toEqual([[1000, "succeeded"]]);
    expect(await moneyOf(order)).toMatchObject({
      ...{ payment_status: "paid", reports: [["paid", 10]] },
      notes: [expect.stringContaining(intent.id)],
    });
  });

  it("is taken once if Stripe has two payments of one session", async () => {
    const order = await ordered(shop, [[shop.saffron, 1]]);
    stripe.once("POST /v1/payment_intents", async (perform) => {
      await perform();
      return null;
    });
    expect((await begin(order)).status).toBe(503);
    // As if the buyer came back days later.
    stripe.forgetKeys();
    await begun(order);
    const [first, second] = intentsOf(order);
    stripe.pay(first.id);
    stripe.pay(second.id);
    await succeeded(second);
    await succeeded(first);
    await givenBackOnce(order);
    expect([givenBack(first), givenBack(second)]).toEqual([[[1000, "succeeded"]], []]);
    expect(await moneyOf(order)).toMatchObject({
      ...{ payment_status: "paid", reports: [["paid", 10]] },
    });
  });

  it("may fail and then succeed in the same session, with late events of the failure", async () => {
    const order = await ordered(shop, [[shop.mint, 2]]);
    const session = await begun(order);
    const intent = stripe.decline(intentOf(session).id);
    const failed = stripe.event("payment_intent.payment_failed", intent);
    await delivered(failed);
    await delivered(failed);
    expect(await moneyOf(order)).toMatchObject({
      ...{ payment_status: "failed", reports: [["failed", 6]] },
    });
    expect(await begun(order)).toMatchObject({ id: session.id, status: "open" });
    await paidBy(session);
    await delivered(failed);
    expect(await moneyOf(order)).toMatchObject({
      payment_status: "paid",
      reports: [
        ["failed", 6],
        ["paid", 6],
      ],
    });
  });

  it("that takes days has no deadline meanwhile, and may fail before the money comes", async () => {
    const order = await ordered(shop, [[shop.mint, 1]]);
    const stateOf = async () => {
      const { payment_status, payment_due_at } = await getOrder(shop.customer, order);
      return [await statusesOf(order), payment_status, payment_due_at];
    };
    const session = await begun(order);
    const { id } = stripe.delay(intentOf(session).id);
    const event = stripe.event("payment_intent.processing", intentOf(session));
    await Promise.all([delivered(event), delivered(event)]);
    expect(await stateOf()).toEqual([["processing"], "pending", null]);
    expect(await begun(order)).toMatchObject({ id: session.id, status: "processing" });
    await told("payment_intent.payment_failed", stripe.decline(id));
    expect(await stateOf()).toEqual([["open"], "failed", expect.any(String)]);
    // Stripe's event of the next attempt is late.
    stripe.delay(id);
    expect(await begun(order)).toMatchObject({ id: session.id, status: "processing" });
    expect(await stateOf()).toEqual([["processing"], "failed", null]);
    await paidBy(session);
    await delivered(event);
    expect(await stateOf()).toEqual([["paid"], "paid", null]);
    expect(intentsOf(order)).toHaveLength(1);
  });

  it("that was cancelled at Stripe is begun again", async () => {
    const order = await ordered(shop, [[shop.mint, 1]]);
    const first = await begun(order);
    const cancelled = stripe.cancel(intentOf(first).id);
    // Stripe's event is late.
    const second = await begun(order);
    expect(second.id).not.toBe(first.id);
    expect(intentOf(second).status).toBe("requires_payment_method");
    await told("payment_intent.canceled", cancelled);
    expect(await statusesOf(order)).toEqual(["open", "cancelled"]);
    await paidBy(second);
    expect(await moneyOf(order)).toMatchObject({ payment_status: "paid", notes: [] });
  });

  it("of another program of the account, or of a session that is unknown, is ignored", async () => {
    const order = await ordered(shop, [[shop.saffron, 1]]);
    const unknown = { "metadata[tenant_id]": TENANT, "metadata[session_id]": randomUUID() };
    const forms: Record<string, string>[] = [{}, { "metadata[order_id]": order.id }, unknown];
    for (const form of forms) {
      await succeeded(await madeAtStripe(form));
    }
    await told("customer.created", { id: "cus_1", object: "customer" });
    // The objects of a connected account are not this account's.
    await succeeded({ id: "pi_of_another_account", object: "payment_intent", metadata: {} });
    expect(await moneyOf(order)).toMatchObject({ payment_status: "pending", notes: [] });
    expect(await refundsOf(order)).toEqual([]);
  });
});

describe("the money of an order", () => {
  /** An order of a marketplace of the tenant, and its marketplace. */
  async function orderedIn(marketplace: object, price: number, business: object = {}) {
    const { operator, customer } = shop;
    const opened = await openMarketplace(operator, marketplace);
    await doBusiness({ ...shop, marketplace: opened }, { ...UNBOUNDED, ...business });
    const product = await listProduct(operator, { price, marketplace_id: opened.id });
    return placed(customer, product);
  }

  it("may be reserved first, and captured when the operator wants it", async () => {
    const { operator, supplier, customer } = shop;
    const order = await orderedIn({}, 12.4, { payment_capture: "manual" });
    const session = await begun(order);
    const intent = stripe.pay(intentOf(session).id);
    expect(intent).toMatchObject({ capture_method: "manual", status: "requires_capture" });
    await told("payment_intent.amount_capturable_updated", intent);
    expect(await statusesOf(order)).toEqual(["authorized"]);
    expect(await getOrder(operator, order)).toMatchObject({
      ...{ payment_status: "pending", payment_due_at: null, payments: [] },
    });
    expect(await begun(order)).toMatchObject({ id: session.id, status: "authorized" });
    const capture = (as: Person) =>
      persist("POST", `/api/payment-sessions/${session.id}/capture`, { as, body: {} });
    for (const as of [supplier, customer]) expectRefusal(await capture(as), 403, "FORBIDDEN");
    // Stripe captures, and its answer is lost.
    stripe.once("POST /v1/payment_intents/{id}/capture", async (perform) => {
      await perform();
      return null;
    });
    expectRefusal(await capture(operator), 503, "SERVICE_UNAVAILABLE");
    expect(await capture(operator)).toMatchObject({ status: 200, body: { status: "paid" } });
    expectRefusal(await capture(operator), 422, "INVALID_TRANSITION", { field: "status" });
    await succeeded(intent);
    expect(await moneyOf(order)).toEqual({
      ...{ payment_status: "paid", reports: [["paid", 12.4]], notes: [] },
    });
    expect(intent.amount_received).toBe(1240);
  });

  it("that is no longer reserved is waited for again", async () => {
    const order = await orderedIn({}, 8, { payment_capture: "manual" });
    const intent = stripe.pay(intentOf(await begun(order)).id);
    await told("payment_intent.amount_capturable_updated", intent);
    stripe.cancel(intent.id);
    const [session] = await sessionsOf(order);
    const path = `/api/payment-sessions/${session?.id}/capture`;
    const captured = await persist("POST", path, { as: shop.operator, body: {} });
    expectRefusal(captured, 422, "INVALID_TRANSITION", { field: "status", value: "cancelled" });
    await told("payment_intent.canceled", intent);
    expect(await statusesOf(order)).toEqual(["cancelled"]);
    expect(await getOrder(shop.operator, order)).toMatchObject({
      ...{ payment_status: "pending", payment_due_at: expect.any(String), payments: [] },
    });
    const again = await begun(order);
    expect(intentOf(again).status).toBe("requires_payment_method");
  });

  it.each([
    ["cancelled", (order: Row) => move(shop.customer, order, "cancelled"), []],
    ["paid otherwise", (order: Row) => pay(shop.operator, order), [["paid", 8]]],
  ])("that is reserved is released if the order is %s", async (_, end, reports) => {
    const order = await orderedIn({}, 8, { payment_capture: "manual" });
    const intent = stripe.pay(intentOf(await begun(order)).id);
    await told("payment_intent.amount_capturable_updated", intent);
    // Stripe cancels, and its answer is lost.
    stripe.once("POST /v1/payment_intents/{id}/cancel", async (perform) => {
      await perform();
      return null;
    });
    expect((await end(order)).status).toBeLessThan(300);
    const [made] = await refundsOf(order);
    await failedOnce(made as Row);
    await tryAgain(made as Row);
    await givenBackOnce(order);
    expect(intent).toMatchObject({ status: "canceled", amount_received: 0 });
    expect(givenBack(intent)).toEqual([]);
    expect(await refundsOf(order)).toMatchObject([{ is_booked: false, reference: intent.id }]);
    await told("payment_intent.canceled", intent);
    expect(await statusesOf(order)).toEqual(["cancelled"]);
    expect(await moneyOf(order)).toMatchObject({
      ...{ reports, notes: [expect.stringContaining(intent.id)] },
    });
  });

  it("that is reserved when the order is cancelled already is released", async () => {
    const order = await orderedIn({}, 8, { payment_capture: "manual" });
    const session = await begun(order);
    await move(shop.customer, order, "cancelled");
    const intent = stripe.pay(intentOf(session).id);
    const event = stripe.event("payment_intent.amount_capturable_updated", intent);
    await Promise.all([delivered(event), delivered(event)]);
    await givenBackOnce(order);
    expect([intent.status, givenBack(intent)]).toEqual(["canceled", []]);
    expect((await moneyOf(order)).notes).toHaveLength(1);
  });

  it.each([
    ["JPY", 1000, 1000],
    ["KWD", 1.23, 1230],
    ["ISK", 500, 50_000],
  ])("is in the units of Stripe: %s %d", async (currency, price, units) => {
    const order = await orderedIn({ currency }, price);
    const intent = await paidBy(await begun(order));
    expect(intent).toMatchObject({ amount: units, currency: currency.toLowerCase() });
    expect((await moneyOf(order)).reports).toEqual([["paid", price]]);
    const made = await refunded(order, { amount: price });
    await refundIs(order, made, "succeeded");
    expect(givenBack(intent)).toEqual([[units, "succeeded"]]);
    expect((await moneyOf(order)).payment_status).toBe("refunded");
  });

  it("that Stripe cannot take is refused", async () => {
    const order = await orderedIn({ currency: "KWD" }, 1.234);
    expectRefusal(await begin(order), 422, "VALIDATION_ERROR", { field: "provider" });
    expect(intentsOf(order)).toEqual([]);
    expect((await begin(order, shop.customer, { provider: "manual" })).status).toBe(201);
  });
});

describe("a refund", () => {
  it("is booked at once, and then asked for, with its id as the key", async () => {
    const { operator, supplierId, customer } = shop;
    const { order, intent } = await paidOrder([[shop.saffron, 2]]);
    await moved(operator, order, "delivered");
    const { due } = await balanceOf(operator, supplierId);
    let answer = () => {};
    const waited = new Promise<void>((resolve) => {
      answer = resolve;
    });
    stripe.once("POST /v1/refunds", async (perform) => {
      await waited;
      return perform();
    });
    const [{ id: item_id }] = order.items;
    const made = await refunded(order, {
      ...{ amount: 6, items: [{ item_id, amount: 6 }], borne_by: "supplier", reason: "A scratch" },
    });
    expect(made).toMatchObject({
      ...{ order_id: order.id, provider: "stripe", status: "pending", amount: 6, currency: "EUR" },
      ...{ reason: "A scratch", payment_reference: intent.id, reference: null, error: null },
    });
    expect((await getOrder(customer, order)).payments[1]).toMatchObject({
      ...{ status: "refunded", amount: 6, reference: made.id, items: [{ item_id, amount: 6 }] },
      borne_by: "supplier",
    });
    expect(due - (await balanceOf(operator, supplierId)).due).toBe(6);
    expect(givenBack(intent)).toEqual([]);
    const undone = await pay(operator, order, "refund_failed", { amount: 6, reference: made.id });
    expectRefusal(undone, 422, "INVALID_TRANSITION", { field: "reference" });
    answer();
    const { reference } = await refundIs(order, made, "succeeded");
    expect(stripe.refunds.get(reference)).toMatchObject({
      ...{ payment_intent: intent.id, amount: 600 },
      metadata: { refund_id: made.id, tenant_id: TENANT },
    });
    const asked = stripe.asked.filter(({ form }) => form["metadata[refund_id]"] === made.id);
    expect(asked).toMatchObject([{ idempotencyKey: made.id }]);
    await told("refund.created", stripe.refunds.get(reference));
    await told("charge.refunded", stripe.charges.get(intent.latest_charge));

    expectRefusal(await refund(order, { amount: 14.01 }), 422, "VALIDATION_ERROR");
    await refundIs(order, await refunded(order, { amount: 14 }), "succeeded");
    expect(await moneyOf(order)).toEqual({
      ...{ payment_status: "refunded", notes: [] },
      reports: [
        ["paid", 20],
        ["refunded", 6],
        ["refunded", 14],
      ],
    });
    expect(givenBack(intent)).toEqual([
      [600, "succeeded"],
      [1400, "succeeded"],
    ]);
    const seen = await must("GET", `/api/orders/${order.id}/refunds`, { as: customer });
    expect(seen.refunds).toMatchObject([{ amount: 14 }, { amount: 6 }]);
  });

  it("that Stripe refuses is undone, and so is one that fails later", async () => {
    const { order, intent } = await paidOrder([[shop.saffron, 1]]);
    stripe.once("POST /v1/refunds", () =>
      failure(400, {
        ...{ type: "invalid_request_error", code: "charge_disputed" },
        message: "The charge has been charged back.",
      }),
    );
    const refused = await refunded(order, { amount: 10 });
    expect(await refundIs(order, refused, "failed")).toMatchObject({
      error: expect.stringContaining("charged back"),
    });
    expect(await moneyOf(order)).toMatchObject({
      payment_status: "paid",
      reports: [
        ["paid", 10],
        ["refunded", 10],
        ["refund_failed", 10],
      ],
      notes: [expect.stringContaining("charged back")],
    });
    const late = await refunded(order, { amount: 10 });
    const { reference } = await refundIs(order, late, "succeeded");
    expect((await moneyOf(order)).payment_status).toBe("refunded");
    const failed = stripe.failRefund(reference);
    for (const type of ["refund.failed", "refund.updated", "refund.failed"]) {
      await told(type, failed);
    }
    await refundIs(order, late, "failed");
    const { payment_status, reports, notes } = await moneyOf(order);
    expect([payment_status, notes.length]).toEqual(["paid", 2]);
    expect(reports.slice(3)).toEqual([
      ["refunded", 10],
      ["refund_failed", 10],
    ]);
    expect(givenBack(intent)).toEqual([[1000, "failed"]]);
  });

  it.each([
    ["whose answer is lost", () => {}],
    ["whose answer is lost, and whose key Stripe has forgotten", () => stripe.forgetKeys()],
  ])("%s is asked for again, and made once", async (_, between) => {
    const { order, intent } = await paidOrder([[shop.saffron, 1]]);
    stripe.once("POST /v1/refunds", async (perform) => {
      await perform();
      return null;
    });
    const made = await refunded(order, { amount: 4 });
    await failedOnce(made);
    between();
    await tryAgain(made);
    const [[reference]] = [...stripe.refunds].filter(([, r]) => r.payment_intent === intent.id) as [
      [string, StripeObject],
    ];
    expect(await refundIs(order, made, "succeeded")).toMatchObject({ reference, error: null });
    expect(givenBack(intent)).toEqual([[400, "succeeded"]]);
    expect((await moneyOf(order)).reports).toEqual([
      ["paid", 10],
      ["refunded", 4],
    ]);
  });

  it("waits while Stripe is away, and keeps the key to itself", async () => {
    const { order, intent } = await paidOrder([[shop.saffron, 1]]);
    for (const answer of [
      failure(429, { message: "Too many requests" }, { "retry-after": "400" }),
      failure(401, { message: `Invalid API Key provided: ${SECRET_KEY}` }),
      failure(400, { code: "balance_insufficient", message: "Insufficient funds." }),
      failure(404, { code: "resource_missing", message: "No such payment_intent." }),
    ]) {
      stripe.once("POST /v1/refunds", () => answer);
      const made = await refunded(order, { amount: 1 });
      const error = await failedOnce(made);
      const { error: shown } = await refundIs(order, made, "pending");
      for (const text of [error, shown]) expect(text).not.toContain(SECRET_KEY);
      if (answer.status === 429) {
        const rows = await query<{ wait: number }>(
          `select extract(epoch from due_at - now())::float as wait from private.jobs
           where queue = 'refunds' and subject_id = $1`,
          [made.id],
        );
        expect(rows[0]?.wait).toBeGreaterThan(300);
      }
      await tryAgain(made);
      await refundIs(order, made, "succeeded");
    }
    expect(givenBack(intent)).toEqual(Array(4).fill([100, "succeeded"]));
    expect((await moneyOf(order)).notes).toEqual([]);
  });

  it("is made once although its worker is killed between Stripe and the database", async () => {
    const { order, intent } = await paidOrder([[shop.saffron, 1]]);
    const arrived = new Promise<void>((resolve) => {
      stripe.once("POST /v1/refunds", async (perform) => {
        await perform();
        resolve();
        // The answer never comes: the worker is killed meanwhile.
        return new Promise<null>(() => {});
      });
    });
    const made = await refunded(order, { amount: 4 });
    await arrived;
    const workers = descendantsOf(stack.process.pid as number).filter((pid) =>
      commandOf(pid).includes("/payments/"),
    );
    expect(workers).not.toEqual([]);
    for (const pid of workers) process.kill(pid, "SIGKILL");
    await eventually(() => tryAgain(made));
    await refundIs(order, made, "succeeded");
    expect(givenBack(intent)).toEqual([[400, "succeeded"]]);
  });

  it("that the operator makes at Stripe is booked, in any sequence of events, and may fail", async () => {
    const order = await ordered(shop, [[shop.saffron, 1]]);
    const intent = stripe.pay(intentOf(await begun(order)).id);
    const payment = stripe.event("payment_intent.succeeded", intent);
    const [kept, failing] = [stripe.refund(intent.id, 300), stripe.refund(intent.id, 200)];
    // The refunds are reported before the payment.
    const events = [kept, failing].map((one) => stripe.event("refund.created", one));
    await Promise.all([...events, payment, ...events].map(delivered));
    const { payment_status, reports } = await moneyOf(order);
    expect([payment_status, reports.length, reports[0]]).toEqual(["paid", 3, ["paid", 10]]);
    expect(new Set(reports.slice(1).map(String))).toEqual(new Set(["refunded,3", "refunded,2"]));
    const failed = stripe.event("refund.failed", stripe.failRefund(failing.id));
    await Promise.all([failed, ...events, failed, payment].map(delivered));
    const after = await getOrder(shop.operator, order);
    expect(after.payments.slice(3)).toMatchObject([
      { status: "refund_failed", amount: 2, reference: failing.id },
    ]);
    expect(after.payment_status).toBe("paid");
    // Souk asked for none of them.
    expect(await refundsOf(order)).toEqual([]);
  });

  it("of another payment than a provider's is refused", async () => {
    const order = await ordered(shop, [[shop.mint, 1]]);
    expectRefusal(await refund(order, { amount: 3 }), 422, "INVALID_TRANSITION");
    await must("POST", `/api/orders/${order.id}/payments`, {
      as: shop.operator,
      body: { status: "paid", amount: 3, reference: "elsewhere" },
    });
    expectRefusal(await refund(order, { amount: 3 }), 422, "INVALID_TRANSITION", {
      field: "payment_status",
    });
    const { order: paid } = await paidOrder([[shop.mint, 1]]);
    for (const as of [shop.customer, shop.supplier]) {
      expectRefusal(await refund(paid, { amount: 3 }, as), 403, "FORBIDDEN");
    }
    const { operator: stranger } = await openTestTenant();
    expectRefusal(await refund(paid, { amount: 3 }, stranger), 404, "NOT_FOUND");
    expect(await refundsOf(paid)).toEqual([]);
  });
});

describe("a dispute", () => {
  it("that is lost reverses the payment, and the order can be paid again", async () => {
    const { order, intent } = await paidOrder([[shop.saffron, 1]]);
    const opened = stripe.dispute(intent.id);
    await told("charge.dispute.created", opened);
    expect((await moneyOf(order)).payment_status).toBe("paid");
    const lost = stripe.close(opened.id, "lost");
    for (const type of ["charge.dispute.closed", "charge.dispute.funds_withdrawn"]) {
      await told(type, lost);
      await told(type, lost);
    }
    expect(await moneyOf(order)).toMatchObject({
      payment_status: "failed",
      reports: [
        ["paid", 10],
        ["payment_reversed", 10],
      ],
    });
    expect(await statusesOf(order)).toEqual(["reversed"]);
    expectRefusal(await refund(order, { amount: 1 }), 422, "INVALID_TRANSITION");
    const again = await paidBy(await begun(order));
    expect(again.id).not.toBe(intent.id);
    await told("charge.dispute.closed", lost);
    await succeeded(intent);
    expect(await moneyOf(order)).toMatchObject({ payment_status: "paid" });
    expect(await statusesOf(order)).toEqual(["paid", "reversed"]);
    expect([givenBack(intent), givenBack(again)]).toEqual([[], []]);
  });

  it("about a part of the payment, or that is won, is a note", async () => {
    const { order, intent } = await paidOrder([[shop.saffron, 1]]);
    const part = stripe.dispute(intent.id, 500);
    await told("charge.dispute.created", part);
    await told("charge.dispute.closed", stripe.close(part.id, "lost"));
    const { order: other, intent: kept } = await paidOrder([[shop.saffron, 1]]);
    const whole = stripe.dispute(kept.id);
    await told("charge.dispute.closed", stripe.close(whole.id, "won"));
    for (const [one, dispute] of [
      [order, part],
      [other, whole],
    ]) {
      const { payment_status, reports, notes } = await moneyOf(one);
      expect([payment_status, reports]).toEqual(["paid", [["paid", 10]]]);
      expect(notes.at(-1)).toContain(dispute.id);
    }
  });
});

describe("a tenant whose payments the account does not take", () => {
  it("has the provider manual alone", async () => {
    const methodsOf = async (as: Person, { id }: Row) =>
      (await must("GET", `/api/payment-methods?marketplace_id=${id}`, { as })).providers;
    const stripes = { provider: "stripe", publishable_key: PUBLISHABLE_KEY };
    expect(await methodsOf(shop.customer, shop.marketplace)).toEqual([
      { provider: "manual" },
      stripes,
    ]);
    const other = await openTestTenant();
    expect(await methodsOf(other.customer, other.marketplace)).toEqual([{ provider: "manual" }]);
    const order = await placed(other.customer, await listProduct(other.supplier));
    expectRefusal(await begin(order, other.customer), 422, "VALIDATION_ERROR", {
      field: "provider",
    });
    expect(intentsOf(order)).toEqual([]);
    expectRefusal(await begin(order, shop.customer), 404, "NOT_FOUND");
    const sessions = await supabaseAsService()
      .from("payment_sessions")
      .select("id")
      .eq("tenant_id", other.tenantId)
      .throwOnError();
    expect(sessions.data).toEqual([]);
  });

  it("keeps the payments that it has begun before, and their refunds", async () => {
    const { operator, customer, supplier, tenantId } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    const amount: number = order.total_amount;
    const [session] = await query<{ id: string }>(
      `insert into public.payment_sessions (tenant_id, order_id, provider, amount, currency)
       values ($1, $2, 'stripe', $3, $4) returning id`,
      [tenantId, order.id, amount, order.currency],
    );
    const intent = await madeAtStripe({
      ...{ amount: `${Math.round(amount * 100)}`, currency: order.currency.toLowerCase() },
      ...{ "metadata[tenant_id]": tenantId, "metadata[session_id]": session?.id as string },
    });
    await succeeded(intent);
    expect((await getOrder(operator, order)).payment_status).toBe("paid");
    await refunded(order, { amount }, operator);
    await eventually(async () => expect(givenBack(intent)).toEqual([[intent.amount, "succeeded"]]));
  });
});

describe("the address for Stripe's events", () => {
  it("refuses a body that is larger than 1 MB, and what is no event", async () => {
    const large = JSON.stringify({ id: "evt_1", type: "x", data: { object: "x".repeat(1 << 20) } });
    expect((await tell(large)).status).toBe(413);
    for (const body of ["[]", '"text"', "{}", "{", JSON.stringify({ type: 1, data: null })]) {
      const { status } = await tell(body);
      expect([body, status < 500]).toEqual([body, true]);
    }
    // The worker's address is for those who have the secret key.
    const without = await call("POST", "/payments", { body: {} });
    expectRefusal(without, 401, "UNAUTHORIZED");
  });
});
