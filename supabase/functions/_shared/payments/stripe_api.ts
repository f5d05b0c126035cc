import { z } from "@hono/zod-openapi";
import { environment } from "../http/environment.ts";
import { secondsToWait } from "../values/retry_after.ts";
import { ProviderAway, ProviderRefusal } from "./provider.ts";

/** The version of Stripe's API that this file was written for. */
const VERSION = "2024-06-20";
/** Timeout of a request, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Maximum length of a message of Stripe that is shown, in characters. */
const LONGEST_MESSAGE = 300;
/** Largest page of a list. */
const PAGE = 100;
/** Maximum number of pages that are read of a list. An order has at most 200 reports. */
const MOST_PAGES = 10;

const units = z.int().transform(BigInt);
const metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((pairs) => pairs ?? {});

/** A PaymentIntent, with the fields that are used. */
const intent = z.object({
  id: z.string(),
  status: z.string(),
  amount: units,
  amount_capturable: units,
  amount_received: units,
  currency: z.string(),
  client_secret: z.string().nullish(),
  last_payment_error: z.unknown(),
  metadata,
});

const refund = z.object({
  id: z.string(),
  status: z.string().nullable(),
  amount: units,
  currency: z.string(),
  payment_intent: z.string().nullable(),
  failure_reason: z.string().nullish(),
  metadata,
});

const dispute = z.object({
  id: z.string(),
  status: z.string(),
  amount: units,
  currency: z.string(),
  reason: z.string(),
  payment_intent: z.string().nullable(),
});

export type Intent = z.infer<typeof intent>;
export type StripeRefund = z.infer<typeof refund>;
export type Dispute = z.infer<typeof dispute>;

const refundPage = z.object({ data: z.array(refund), has_more: z.boolean() });

/** The answer of Stripe to a request that it refuses. */
const refusal = z.object({
  error: z.object({ message: z.string(), code: z.string().optional() }),
});
type Refusal = z.infer<typeof refusal>["error"];

interface Request<Schema extends z.ZodType> {
  /** What the answer has to be. */
  as: Schema;
  /** The fields of a POST. Without them the request is a GET. */
  form?: Record<string, string>;
  /** Stripe carries out a POST once for each key, for at least a day. */
  key?: string;
}

/** What Stripe answered; `isReplayed`: to an earlier request with the same key. */
interface Answer<Value> {
  value: Value;
  isReplayed: boolean;
}

/**
 * Calls Stripe's API. Errors: ProviderRefusal, if the request itself is refused; ProviderAway, if Stripe cannot be reached,
 * is busy, or refuses the key, which the operator may correct.
 */
async function call<Schema extends z.ZodType>(
  path: string,
  { as, form, key }: Request<Schema>,
): Promise<Answer<z.infer<Schema>>> {
  const response = await send(path, form, key);
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw refusedBy(response, body);
  const read = as.safeParse(body);
  if (!read.success) throw new ProviderAway("Stripe's answer could not be read. Try again later.");
  return { value: read.data, isReplayed: response.headers.get("idempotent-replayed") === "true" };
}

async function send(path: string, form?: Record<string, string>, key?: string): Promise<Response> {
  const { stripe } = environment;
  if (!stripe) throw new ProviderAway("Stripe is not set up.");
  try {
    return await fetch(`${stripe.address}${path}`, {
      method: form ? "POST" : "GET",
      headers: {
        authorization: `Bearer ${stripe.secretKey}`,
        "stripe-version": VERSION,
        ...(key && { "idempotency-key": key }),
      },
      ...(form && { body: new URLSearchParams(form) }),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const isLate = (error as Error).name === "TimeoutError";
    throw new ProviderAway(
      isLate
        ? "Stripe did not answer in time. Try again."
        : "Stripe could not be reached. Try again.",
    );
  }
}

/** Statuses with which the same request may succeed later. 409: another one with the same key is in flight. */
const mayPass = (status: number) => [401, 403, 409, 429].includes(status) || status >= 500;

function refusedBy({ status, headers }: Response, body: unknown): Error {
  if (mayPass(status)) {
    // The messages about keys show a part of them.
    console.error(JSON.stringify({ stripe: status, request: headers.get("request-id") }));
    const wait = secondsToWait(headers.get("retry-after"));
    return new ProviderAway(`Stripe answered ${status}. Try again later.`, wait ?? undefined);
  }
  const read = refusal.safeParse(body);
  const { message, code }: Refusal = read.success
    ? read.data.error
    : { message: `It answered ${status}.` };
  // What a path names is missing with 404, what a field names with 400.
  const isMissing = status === 404 || code === "resource_missing";
  return new ProviderRefusal("stripe", `Stripe refuses this. ${shown(message)}`, isMissing, code);
}

/** A message of Stripe without the account's keys, cut to a maximum length. */
function shown(message: string): string {
  const { secretKey, webhookSecret } = environment.stripe ?? {};
  return [secretKey, webhookSecret]
    .reduce<string>((text, secret) => (secret ? text.replaceAll(secret, "…") : text), message)
    .slice(0, LONGEST_MESSAGE);
}

const encoded = encodeURIComponent;

export async function readIntent(id: string): Promise<Intent> {
  return (await call(`/v1/payment_intents/${encoded(id)}`, { as: intent })).value;
}

/** Creates a PaymentIntent, once for each key. Returns it as it is now. */
export async function createIntent(form: Record<string, string>, key: string): Promise<Intent> {
  const { value, isReplayed } = await call("/v1/payment_intents", { as: intent, form, key });
  // The replayed answer has the state at the time of the first request.
  return isReplayed ? readIntent(value.id) : value;
}

export async function changeAmount(id: string, amount: bigint): Promise<Intent> {
  const form = { amount: String(amount) };
  return (await call(`/v1/payment_intents/${encoded(id)}`, { as: intent, form })).value;
}

/** Takes reserved money; what is left of it is released. */
export async function captureIntent(id: string, amount: bigint): Promise<Intent> {
  const form = { amount_to_capture: String(amount) };
  return (await call(`/v1/payment_intents/${encoded(id)}/capture`, { as: intent, form })).value;
}

/** Releases reserved money, once for each key. */
export async function cancelIntent(id: string, key: string): Promise<Intent> {
  return (await call(`/v1/payment_intents/${encoded(id)}/cancel`, { as: intent, form: {}, key }))
    .value;
}

export async function createRefund(
  form: Record<string, string>,
  key: string,
): Promise<StripeRefund> {
  return (await call("/v1/refunds", { as: refund, form, key })).value;
}

export async function readRefund(id: string): Promise<StripeRefund> {
  return (await call(`/v1/refunds/${encoded(id)}`, { as: refund })).value;
}

/** All refunds of a payment, the oldest first. */
export async function refundsOf(intentId: string): Promise<StripeRefund[]> {
  const found: StripeRefund[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = new URLSearchParams({ payment_intent: intentId, limit: String(PAGE) });
    const last = found.at(-1);
    if (last) query.set("starting_after", last.id);
    const { value } = await call(`/v1/refunds?${query}`, { as: refundPage });
    found.push(...value.data);
    if (!value.has_more) break;
  }
  // Stripe lists the newest first.
  return found.reverse();
}

export async function readDispute(id: string): Promise<Dispute> {
  return (await call(`/v1/disputes/${encoded(id)}`, { as: dispute })).value;
}
