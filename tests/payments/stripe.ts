import { createHmac, randomUUID } from "node:crypto";
import {
  expectOnly,
  type Form,
  fieldsOf,
  invalid,
  listOf,
  type StripeObject,
  StripeRefusal,
  serveStripe,
  unexpected,
} from "./stripe_protocol.js";

// A stand-in for Stripe, with what Souk uses: payment intents, their charges, refunds, disputes and signed events. Tests
// pay, refund and dispute in place of customers, of the operator in Stripe's dashboard, and of banks.

export type Stripe = Awaited<ReturnType<typeof openStripe>>;

const WHOLE = "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" ");
const THOUSANDTHS = "bhd jod kwd omr tnd".split(" ");
const API_VERSION = "2025-09-30.clover";

/** Refuses an amount that Stripe could not charge. */
function checkAmount(form: Form, currency: string, name = "amount", isCharge = true): number {
  const sent = form[name];
  const amount = Number(sent);
  if (sent === undefined) {
    invalid(`Missing required param: ${name}.`, { code: "parameter_missing", param: name });
  }
  if (!/^\d+$/.test(sent) || amount > 999_999_999_999) {
    invalid(`Invalid integer: ${sent}`, { code: "parameter_invalid_integer", param: name });
  }
  const least = WHOLE.includes(currency) ? 50 : THOUSANDTHS.includes(currency) ? 100 : 50;
  if (amount < (isCharge ? least : 1)) {
    invalid("Amount must convert to at least 50 cents.", { code: "amount_too_small", param: name });
  }
  const step = THOUSANDTHS.includes(currency) ? 10 : ["isk", "ugx"].includes(currency) ? 100 : 1;
  if (amount % step) {
    invalid(`Invalid ${currency} amount: it must be divisible by ${step}.`, { param: name });
  }
  return amount;
}

/** Opens Stripe with one account. Events that `send` posts are signed with the webhook's secret. */
export async function openStripe({ secretKey = "sk_test_yours", webhookSecret = "" } = {}) {
  const intents = new Map<string, StripeObject>();
  const charges = new Map<string, StripeObject>();
  const refunds = new Map<string, StripeObject>();
  const disputes = new Map<string, StripeObject>();

  const now = () => Math.floor(Date.now() / 1000);
  const idOf = (prefix: string) => `${prefix}_${randomUUID().replaceAll("-", "")}`;

  function read(objects: Map<string, StripeObject>, kind: string, id = "") {
    const found = objects.get(id);
    if (found) return found;
    const error = { type: "invalid_request_error", code: "resource_missing", param: kind };
    throw new StripeRefusal(404, { ...error, message: `No such ${kind}: '${id}'` });
  }
  const intentOf = (id?: string) => read(intents, "payment_intent", id);
  const chargeOf = (id?: string) => read(charges, "charge", id);
  const refundOf = (id?: string) => read(refunds, "refund", id);
  const disputeOf = (id?: string) => read(disputes, "dispute", id);

  /** The object, with the objects that `expand[]` names in place of their ids. */
  function expanded(object: StripeObject, paths: string[]): StripeObject {
    const found = { ...object };
    const readers: Record<string, (id: string) => StripeObject> = {
      ...{ latest_charge: chargeOf, charge: chargeOf, payment_intent: intentOf },
    };
    for (const path of paths) {
      const [name = "", ...rest] = path.split(".");
      if (name === "refunds" && object.object === "charge") {
        found.refunds = listed([...refunds.values()].filter(({ charge }) => charge === object.id));
        continue;
      }
      const reader = readers[name];
      if (!reader || !(name in object)) {
        invalid(`This property cannot be expanded (${path}).`, { param: "expand" });
      }
      const below = rest.length > 0 ? [rest.join(".")] : [];
      if (object[name] !== null) found[name] = expanded(reader(object[name]), below);
    }
    return found;
  }

  const listed = (data: StripeObject[], has_more = false) => ({
    ...{ object: "list", url: "/v1/list", has_more, data },
  });

  /** A page of objects, newest first. */
  function page(objects: Map<string, StripeObject>, form: Form): StripeObject {
    expectOnly(form, "payment_intent charge limit starting_after expand");
    const limit = Number(form.limit ?? 10);
    if (!(limit >= 1 && limit <= 100)) invalid("Invalid limit", { param: "limit" });
    let found = [...objects.values()].reverse();
    for (const name of ["payment_intent", "charge"]) {
      if (form[name]) found = found.filter((one) => one[name] === form[name]);
    }
    if (form.starting_after) {
      found = found.slice(found.findIndex(({ id }) => id === form.starting_after) + 1);
    }
    const paths = listOf(form, "expand").map((path) => path.replace(/^data\./, ""));
    return listed(
      found.slice(0, limit).map((one) => expanded(one, paths)),
      found.length > limit,
    );
  }

  function createIntent(form: Form): StripeObject {
    expectOnly(
      form,
      "amount currency automatic_payment_methods capture_method metadata description expand",
    );
    const { currency = "" } = form;
    if (!/^[a-z]{3}$/.test(currency)) {
      invalid(`Invalid currency: ${currency}. Stripe takes it in lowercase.`, {
        param: "currency",
      });
    }
    const amount = checkAmount(form, currency);
    const capture_method = form.capture_method ?? "automatic_async";
    if (!["automatic", "automatic_async", "manual"].includes(capture_method)) {
      invalid("Invalid capture_method", { param: "capture_method" });
    }
    const id = idOf("pi");
    const intent = {
      ...{ id, object: "payment_intent", amount, amount_capturable: 0, amount_received: 0 },
      automatic_payment_methods: { enabled: form["automatic_payment_methods[enabled]"] === "true" },
      ...{ canceled_at: null, cancellation_reason: null, capture_method },
      ...{ client_secret: `${id}_secret_${randomUUID().slice(0, 8)}`, created: now(), currency },
      ...{ customer: null, last_payment_error: null, latest_charge: null, livemode: false },
      ...{ metadata: fieldsOf(form, "metadata"), next_action: null, payment_method: null },
      ...{ payment_method_types: ["card"], status: "requires_payment_method" },
    };
    intents.set(id, intent);
    return expanded(intent, listOf(form, "expand"));
  }

  const isWaiting = ({ status }: StripeObject) =>
    /^requires_(payment_method|confirmation|action)$/.test(status);

  function changeIntent(form: Form, id?: string): StripeObject {
    expectOnly(form, "amount currency metadata description expand");
    const intent = intentOf(id);
    if (!isWaiting(intent) && form.amount !== undefined) {
      unexpected(
        "payment_intent_unexpected_state",
        `This PaymentIntent's amount could not be updated because it has a status of ${intent.status}.`,
      );
    }
    if (form.amount !== undefined) intent.amount = checkAmount(form, intent.currency);
    Object.assign(intent.metadata, fieldsOf(form, "metadata"));
    return expanded(intent, listOf(form, "expand"));
  }

  /** Charges an intent, as the customer's confirmation does. */
  function charge(intent: StripeObject): void {
    const { amount, currency, metadata, capture_method } = intent;
    const isCaptured = capture_method !== "manual";
    const made = {
      ...{ id: idOf("ch"), object: "charge", amount, currency, created: now(), metadata },
      ...{ amount_captured: isCaptured ? amount : 0, amount_refunded: 0, captured: isCaptured },
      ...{ disputed: false, paid: true, payment_intent: intent.id, refunded: false },
      status: "succeeded",
    };
    charges.set(made.id, made);
    Object.assign(intent, {
      ...{ latest_charge: made.id, last_payment_error: null },
      ...(isCaptured
        ? { status: "succeeded", amount_received: amount }
        : { status: "requires_capture", amount_capturable: amount }),
    });
  }

  function captureIntent(form: Form, id?: string): StripeObject {
    expectOnly(form, "amount_to_capture expand");
    const intent = intentOf(id);
    if (intent.status !== "requires_capture") {
      unexpected(
        "payment_intent_unexpected_state",
        `This PaymentIntent could not be captured because it has a status of ${intent.status}.`,
      );
    }
    const amount = form.amount_to_capture
      ? checkAmount(form, intent.currency, "amount_to_capture", false)
      : intent.amount_capturable;
    if (amount > intent.amount_capturable) {
      invalid("The amount to capture is greater than the amount capturable.", {
        ...{ code: "amount_too_large", param: "amount_to_capture" },
      });
    }
    Object.assign(intent, { status: "succeeded", amount_received: amount, amount_capturable: 0 });
    const taken = chargeOf(intent.latest_charge);
    Object.assign(taken, {
      ...{ captured: true, amount_captured: amount },
      amount_refunded: taken.amount - amount,
    });
    return expanded(intent, listOf(form, "expand"));
  }

  function cancelIntent(form: Form, id?: string): StripeObject {
    expectOnly(form, "cancellation_reason expand");
    const intent = intentOf(id);
    if (["processing", "succeeded", "canceled"].includes(intent.status)) {
      unexpected(
        "payment_intent_unexpected_state",
        `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
      );
    }
    Object.assign(intent, { status: "canceled", canceled_at: now(), amount_capturable: 0 });
    return expanded(intent, listOf(form, "expand"));
  }

  function createRefund(form: Form): StripeObject {
    expectOnly(form, "payment_intent charge amount metadata reason expand");
    if (form.reason && !/^(duplicate|fraudulent|requested_by_customer)$/.test(form.reason)) {
      invalid("Invalid reason", { param: "reason" });
    }
    const intent = intentOf(form.payment_intent ?? chargeOf(form.charge).payment_intent);
    if (intent.status !== "succeeded") {
      unexpected(
        "payment_intent_unexpected_state",
        "This PaymentIntent does not have a successful charge to refund.",
      );
    }
    const taken = chargeOf(intent.latest_charge);
    if (taken.disputed) {
      unexpected("charge_disputed", `Charge ${taken.id} has been charged back; cannot refund.`);
    }
    const left = intent.amount_received - refundedOf(intent);
    if (left <= 0) {
      unexpected("charge_already_refunded", `Charge ${taken.id} has already been refunded.`);
    }
    const amount = form.amount ? checkAmount(form, intent.currency, "amount", false) : left;
    if (amount > left) {
      unexpected("amount_too_large", `Refund amount is greater than unrefunded amount: ${left}`, {
        param: "amount",
      });
    }
    const made = {
      ...{ id: idOf("re"), object: "refund", amount, charge: taken.id, created: now() },
      ...{ currency: intent.currency, metadata: fieldsOf(form, "metadata") },
      ...{ payment_intent: intent.id, reason: form.reason ?? null, status: "succeeded" },
    };
    refunds.set(made.id, made);
    countRefunds(intent);
    return expanded(made, listOf(form, "expand"));
  }

  const isStanding = ({ status }: StripeObject) => status !== "failed" && status !== "canceled";

  const refundedOf = ({ id }: StripeObject): number =>
    [...refunds.values()]
      .filter((one) => one.payment_intent === id && isStanding(one))
      .reduce((sum, { amount }) => sum + amount, 0);

  function countRefunds(intent: StripeObject): void {
    const taken = chargeOf(intent.latest_charge);
    taken.amount_refunded = taken.amount - taken.amount_captured + refundedOf(intent);
    taken.refunded = taken.amount_refunded === taken.amount;
  }

  const server = await serveStripe(secretKey, {
    "POST /v1/payment_intents": createIntent,
    "GET /v1/payment_intents/{id}": (form, id) =>
      expanded(intentOf(id), listOf(only(form, "expand"), "expand")),
    "POST /v1/payment_intents/{id}": changeIntent,
    "POST /v1/payment_intents/{id}/capture": captureIntent,
    "POST /v1/payment_intents/{id}/cancel": cancelIntent,
    "GET /v1/charges/{id}": (form, id) =>
      expanded(chargeOf(id), listOf(only(form, "expand"), "expand")),
    "POST /v1/refunds": createRefund,
    "GET /v1/refunds": (form) => page(refunds, form),
    "GET /v1/refunds/{id}": (form, id) =>
      expanded(refundOf(id), listOf(only(form, "expand"), "expand")),
    "GET /v1/disputes": (form) => page(disputes, form),
    "GET /v1/disputes/{id}": (form, id) =>
      expanded(disputeOf(id), listOf(only(form, "expand"), "expand")),
  });

  /** The signature of a body, as Stripe makes it. */
  const sign = (body: string, time = now(), secret = webhookSecret) =>
    `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;

  return {
    ...server,
    ...{ intents, charges, refunds, disputes, sign },

    /** The customer pays. The money of an intent that is captured manually is reserved. */
    pay(id: string): StripeObject {
      const intent = intentOf(id);
      if (!isWaiting(intent) && intent.status !== "processing") {
        throw new Error(`${id} is ${intent.status}`);
      }
      charge(intent);
      return intent;
    },

    /** The customer pays by a way that takes days, such as a direct debit. */
    delay: (id: string): StripeObject =>
      Object.assign(intentOf(id), { status: "processing", last_payment_error: null }),

    /** The customer's bank refuses to pay. */
    decline(id: string): StripeObject {
      const last_payment_error = {
        ...{ type: "card_error", code: "card_declined", decline_code: "generic_decline" },
        message: "Your card was declined.",
      };
      return Object.assign(intentOf(id), { status: "requires_payment_method", last_payment_error });
    },

    /** The operator captures, cancels or refunds in Stripe's dashboard. */
    capture: (id: string): StripeObject => captureIntent({}, id) && intentOf(id),
    cancel: (id: string): StripeObject => cancelIntent({}, id) && intentOf(id),
    refund: (payment_intent: string, amount: number, status = "succeeded"): StripeObject =>
      Object.assign(refundOf(createRefund({ payment_intent, amount: `${amount}` }).id), { status }),

    /** The customer's bank returns a refund. */
    failRefund(id: string): StripeObject {
      const refund = refundOf(id);
      Object.assign(refund, { status: "failed", failure_reason: "lost_or_stolen_card" });
      countRefunds(intentOf(refund.payment_intent));
      return refund;
    },

    /** The customer disputes a payment, or a part of it. */
    dispute(payment_intent: string, amount?: number): StripeObject {
      const { latest_charge, amount_received, currency } = intentOf(payment_intent);
      const made = {
        ...{ id: idOf("du"), object: "dispute", amount: amount ?? amount_received, currency },
        ...{ charge: latest_charge, payment_intent, created: now(), metadata: {} },
        ...{ is_charge_refundable: false, reason: "fraudulent", status: "needs_response" },
      };
      disputes.set(made.id, made);
      chargeOf(latest_charge).disputed = true;
      return made;
    },
    close: (id: string, status: "won" | "lost"): StripeObject =>
      Object.assign(disputeOf(id), { status }),

    /** The body of an event about an object, as it is now. */
    event: (type: string, object: StripeObject): string =>
      JSON.stringify({
        ...{ id: idOf("evt"), object: "event", api_version: API_VERSION, created: now(), type },
        ...{ data: { object }, livemode: false, pending_webhooks: 1 },
        request: { id: null, idempotency_key: null },
      }),

    /** Ends the server. */
    end: server.close,
  };
}

function only(form: Form, names: string): Form {
  expectOnly(form, names);
  return form;
}
