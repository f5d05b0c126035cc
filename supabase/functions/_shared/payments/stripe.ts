import { z } from "@hono/zod-openapi";
import { environment } from "../http/environment.ts";
import { ApiError } from "../http/errors.ts";
import {
  type BegunCharge,
  type Charge,
  type LeasedRefund,
  type PaymentProvider,
  ProviderAway,
  ProviderRefusal,
  type RefundOutcome,
  type Report,
} from "./provider.ts";
import { fromUnits, toUnits } from "./stripe_amounts.ts";
import {
  cancelIntent,
  captureIntent,
  changeAmount,
  createIntent,
  createRefund,
  type Dispute,
  type Intent,
  readDispute,
  readIntent,
  readRefund,
  refundsOf,
  type StripeRefund,
} from "./stripe_api.ts";
import { isSigned } from "./stripe_signature.ts";

/** Payments by Stripe, with the account of this project. */
export const stripe: PaymentProvider = {
  serves: (tenantId) => environment.stripe?.tenants.has(tenantId.toLowerCase()) === true,
  publishableKey: () => environment.stripe?.publishableKey,
  create,
  capture,
  refund,
  readWebhook,
};

/** Statuses of a PaymentIntent that nobody has paid. */
const WAITING = new Set(["requires_payment_method", "requires_confirmation", "requires_action"]);
/** Statuses after which the buyer has nothing to do. */
const OVER = new Set(["processing", "requires_capture", "succeeded", "canceled"]);
/** Codes of refusals of a refund that may pass: more money comes in, or the payment has just moved on. */
const PASSING = new Set(["balance_insufficient", "payment_intent_unexpected_state"]);

async function create(charge: Charge): Promise<BegunCharge> {
  const units = toUnits(charge.amount, charge.currency);
  const intent = await (charge.reference === null
    ? begin(charge, units)
    : atPresent(charge.reference, units));
  // A payment of another account cannot be paid here, so it is over.
  if (!intent) {
    const { tenant_id, session_id, reference } = charge as Charge & { reference: string };
    return { reference, reports: [{ tenant_id, session_id, status: "cancelled", reference }] };
  }
  return {
    reference: intent.id,
    ...(intent.client_secret && { clientSecret: intent.client_secret }),
    reports: OVER.has(intent.status) ? await reportsOf(intent) : [],
  };
}

/**
 * Creates the PaymentIntent of a session. Its key has all that may change between two requests, because Stripe refuses
 * other parameters with the same key.
 */
function begin(
  { tenant_id, order_id, session_id, currency, capture }: Charge,
  units: bigint,
): Promise<Intent> {
  const form = {
    amount: String(units),
    currency: currency.toLowerCase(),
    "automatic_payment_methods[enabled]": "true",
    capture_method: capture,
    "metadata[tenant_id]": tenant_id,
    "metadata[order_id]": order_id,
    "metadata[session_id]": session_id,
  };
  const key = `${session_id}-${units}`;
  return createIntent(form, capture === "automatic" ? key : `${key}-${capture}`);
}

/** The PaymentIntent of a session, with the present amount while nobody has paid it; undefined if the account has none. */
async function atPresent(id: string, units: bigint): Promise<Intent | undefined> {
  const intent = await known(readIntent(id));
  return intent && WAITING.has(intent.status) && intent.amount !== units
    ? changeAmount(id, units)
    : intent;
}

/** What a read resolves to; undefined if Stripe has no such record. */
async function known<Value>(read: Promise<Value>): Promise<Value | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ProviderRefusal && error.isMissing) return undefined;
    throw error;
  }
}

/** Errors: INVALID_TRANSITION, if the order costs more than the buyer has authorized. */
async function capture({ reference, amount, currency }: Charge): Promise<Report[]> {
  if (reference === null) throw new ProviderRefusal("stripe", "Stripe has no payment to capture.");
  const intent = await readIntent(reference);
  // An earlier request may have captured it, and lost its answer.
  if (intent.status !== "requires_capture") return reportsOf(intent);
  const units = toUnits(amount, currency);
  if (units > intent.amount_capturable) {
    const most = fromUnits(intent.amount_capturable, currency);
    throw new ApiError(
      "INVALID_TRANSITION",
      `The buyer has authorized ${most} ${currency}, and the order costs ${amount}.`,
      [{ field: "status", value: "authorized" }],
    );
  }
  return reportsOf(await captureIntent(reference, units));
}

async function refund(asked: LeasedRefund): Promise<RefundOutcome> {
  try {
    const isReleased = !asked.is_booked && (await release(asked));
    return isReleased
      ? { status: "succeeded", reference: asked.payment_reference }
      : await giveBack(asked);
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    if (error.isMissing) {
      throw new ProviderAway(
        "The account at Stripe has no such payment. Check that its keys are those of the account that took it.",
      );
    }
    if (PASSING.has(error.refusedFor ?? "")) throw new ProviderAway(error.message);
    return { status: "failed", error: error.message };
  }
}

/** Releases the money of a payment if it is only reserved. Returns whether the buyer has it again. */
async function release({ id, payment_reference }: LeasedRefund): Promise<boolean> {
  const intent = await readIntent(payment_reference);
  // The refund's own key is for its refund, which a capture in this moment makes necessary.
  const { status } =
    intent.status === "requires_capture"
      ? await cancelIntent(payment_reference, `${id}-cancel`)
      : intent;
  return status === "canceled";
}

async function giveBack(asked: LeasedRefund): Promise<RefundOutcome> {
  const { id, tenant_id, payment_reference, amount, currency, attempts } = asked;
  // An earlier attempt may have lost its answer, and Stripe keeps keys for a day only.
  const earlier = attempts > 1 ? await refundsOf(payment_reference) : [];
  const made =
    earlier.find(({ metadata }) => metadata.refund_id === id) ??
    (await createRefund(
      {
        payment_intent: payment_reference,
        amount: String(toUnits(amount, currency)),
        "metadata[refund_id]": id,
        "metadata[tenant_id]": tenant_id,
      },
      id,
    ));
  return hasFailed(made)
    ? { status: "failed", reference: made.id, error: reasonOf(made) }
    : { status: "succeeded", reference: made.id };
}

const hasFailed = ({ status }: StripeRefund) => status === "failed" || status === "canceled";

const reasonOf = ({ failure_reason, status }: StripeRefund) =>
  `Stripe says ${failure_reason ?? status}.`;

/** An event, of which only its subject is read: its content may be older than what was reported already. */
const event = z.object({
  type: z.string(),
  data: z.object({ object: z.object({ id: z.string().optional() }) }),
});

async function readWebhook(text: string, headers: Record<string, string>): Promise<Report[]> {
  const secret = environment.stripe?.webhookSecret;
  if (!secret) {
    throw new ApiError("UNAUTHORIZED", "Set the keys of Stripe to receive its events.");
  }
  if (!isSigned(text, headers["stripe-signature"] ?? "", secret)) {
    throw new ApiError("UNAUTHORIZED", "The header Stripe-Signature does not fit the body.");
  }
  const { type, data } = parsed(text);
  const { id } = data.object;
  return id === undefined ? [] : ((await known(read(type, id))) ?? []);
}

function parsed(text: string): z.infer<typeof event> {
  try {
    return event.parse(JSON.parse(text));
  } catch {
    throw new ApiError("INVALID_JSON");
  }
}

/** The present state of what an event is about. Events of other kinds are ignored. */
async function read(type: string, id: string): Promise<Report[]> {
  if (type.startsWith("payment_intent.")) return reportsOf(await readIntent(id));
  if (type.startsWith("refund.") || type === "charge.refund.updated") {
    const { payment_intent } = await readRefund(id);
    return payment_intent === null ? [] : reportsOf(await readIntent(payment_intent));
  }
  if (type.startsWith("charge.dispute.")) {
    const dispute = await readDispute(id);
    if (dispute.payment_intent === null) return [];
    return reportsOf(await readIntent(dispute.payment_intent), dispute);
  }
  return [];
}

const isId = (text: string | undefined): text is string => z.guid().safeParse(text).success;

/** The fields of all reports on a payment; undefined if it is not a payment of Souk. The database ignores unknown sessions. */
function subjectOf({ id, metadata }: Intent) {
  const { tenant_id, session_id } = metadata;
  return isId(tenant_id) && isId(session_id) ? { tenant_id, session_id, reference: id } : undefined;
}

/**
 * All that there is to report on a payment now: first the payment, then its refunds, then the dispute. So the order of
 * events and their repetition do not matter.
 */
async function reportsOf(intent: Intent, dispute?: Dispute): Promise<Report[]> {
  const subject = subjectOf(intent);
  if (!subject) return [];
  const { currency } = intent;
  switch (intent.status) {
    case "processing":
      return [{ ...subject, status: "processing" }];
    case "requires_capture":
      return [
        { ...subject, status: "authorized", amount: fromUnits(intent.amount_capturable, currency) },
      ];
    case "canceled":
      return [{ ...subject, status: "cancelled" }];
    case "requires_payment_method":
      return intent.last_payment_error
        ? [{ ...subject, status: "failed", amount: fromUnits(intent.amount, currency) }]
        : [];
    case "succeeded": {
      const refunds = await refundsOf(intent.id);
      return [
        { ...subject, status: "paid", amount: fromUnits(intent.amount_received, currency) },
        ...refunds.map((refund): Report => ({ ...subject, ...refundReport(refund) })),
        ...(dispute ? [{ ...subject, ...disputeReport(dispute, keptOf(intent, refunds)) }] : []),
      ];
    }
    default:
      return [];
  }
}

function refundReport(refund: StripeRefund) {
  const { refund_id } = refund.metadata;
  return {
    amount: fromUnits(refund.amount, refund.currency),
    refund_reference: refund.id,
    ...(isId(refund_id) && { refund_id }),
    ...(hasFailed(refund)
      ? ({ status: "refund_failed", note: reasonOf(refund) } as const)
      : ({ status: "refunded" } as const)),
  };
}

/** What is left of a payment after its refunds, in Stripe's units. */
const keptOf = ({ amount_received }: Intent, refunds: readonly StripeRefund[]): bigint =>
  refunds
    .filter((refund) => !hasFailed(refund))
    .reduce((kept, { amount }) => kept - amount, amount_received);

/** The same state has the same note, so that it is written once. */
function disputeReport({ id, status, amount, currency, reason }: Dispute, kept: bigint) {
  const about = `${fromUnits(amount, currency)} ${currency.toUpperCase()} (dispute ${id}, ${reason})`;
  switch (status) {
    case "lost":
      return kept > 0n && amount >= kept
        ? ({
            status: "payment_reversed",
            note: `The buyer's bank took back ${about}. Check what was shipped.`,
          } as const)
        : ({
            status: "noted",
            note: `The buyer's bank took back ${about}. That is not what is left of the payment, so the order stays as it is. Check what was shipped.`,
          } as const);
    case "won":
    case "warning_closed":
      return {
        status: "noted",
        note: `Stripe closed the dispute about ${about}. The money stays.`,
      } as const;
    default:
      return {
        status: "noted",
        note: `The buyer disputes ${about}. Answer the dispute at Stripe.`,
      } as const;
  }
}
