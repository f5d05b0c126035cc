import type { WebhookEvent } from "./events.js";

export type { WebhookEvent };

/** A delivery that is not to be trusted: answer it with 400 or 401. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** Headers of a request: of fetch, or of Node's http. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

export interface ReceivedWebhook {
  /** The body exactly as it came; one that was parsed and written again has another signature. */
  payload: string | Uint8Array | ArrayBuffer;
  headers: WebhookHeaders;
  /**
   * The registration's secret; or several of which one has to fit, such as the new one and the one before
   * while it is being changed. Empty ones are passed over.
   */
  secret: string | readonly string[];
  /** How far the time of sending may be from now, in seconds, either way. Default 300. */
  toleranceSeconds?: number;
  /**
   * Whether a delivery without the signed time of sending is refused. Souk always sends it, and
   * without it an old delivery can be played again. Default true.
   */
  requireTimestamp?: boolean;
}

/** What is verified, and with what. */
interface Evidence {
  body: Bytes;
  headers: WebhookHeaders;
  secrets: readonly string[];
}

/**
 * Resolves to the event of a delivery, if Souk has sent it: the signature of its id, time and body
 * (`webhook-signature`, as in Standard Webhooks) and that of its body alone (`X-Webhook-Signature`, or
 * `X-Webhook-Signature-Previous` with the secret before) have to fit, those that are there. Rejects with
 * WebhookVerificationError.
 */
export async function verifyWebhook({
  payload,
  headers,
  secret,
  toleranceSeconds = 300,
  requireTimestamp = true,
}: ReceivedWebhook): Promise<WebhookEvent> {
  const secrets = (typeof secret === "string" ? [secret] : secret).filter((one) => one !== "");
  if (secrets.length === 0) throw new WebhookVerificationError("there is no secret to verify with");
  const body = bytesOf(payload);
  const evidence = { body, headers, secrets };

  const timestamp = readHeader(headers, "webhook-timestamp");
  if (timestamp !== undefined) await verifyTimed(timestamp, evidence, toleranceSeconds);
  else if (requireTimestamp) throw new WebhookVerificationError("webhook-timestamp is missing");
  // Whoever has proved the time has proved the body with it.
  if (timestamp === undefined || readHeader(headers, "x-webhook-signature") !== undefined) {
    await verifyBody(evidence);
  }

  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as WebhookEvent;
  } catch (cause) {
    throw new WebhookVerificationError("the payload is not JSON", { cause });
  }
}

/** While a secret is being changed, there is a second header for those who know only the one before. */
async function verifyBody({ body, headers, secrets }: Evidence): Promise<void> {
  const signatures = ["x-webhook-signature", "x-webhook-signature-previous"].flatMap((name) => {
    const hex = /^sha256=([0-9a-f]{64})$/.exec(readHeader(headers, name) ?? "")?.[1];
    return hex === undefined ? [] : [fromHex(hex)];
  });
  if (signatures.length === 0) {
    throw new WebhookVerificationError("X-Webhook-Signature is missing or malformed");
  }
  if (!(await anyFits(secrets.map(bytesOf), signatures, body))) {
    throw new WebhookVerificationError("X-Webhook-Signature does not fit the payload");
  }
}

/** A time of sending proves something only if it is signed, together with the id and the payload. */
async function verifyTimed(
  timestamp: string,
  { body, headers, secrets }: Evidence,
  toleranceSeconds: number,
): Promise<void> {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError("webhook-timestamp is malformed");
  }
  const id = readHeader(headers, "webhook-id") ?? "";
  const content = concat(bytesOf(`${id}.${timestamp}.`), body);
  // While a secret is being changed there are several signatures, one of which has to fit.
  const signatures = (readHeader(headers, "webhook-signature") ?? "").split(" ").flatMap((one) => {
    const encoded = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.[1];
    return encoded === undefined ? [] : [fromBase64(encoded)];
  });
  if (!(await anyFits(secrets.map(standardKey), signatures, content))) {
    throw new WebhookVerificationError("webhook-signature does not fit the payload and its time");
  }
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError("webhook-timestamp is too far from now");
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Whether one of the HMAC-SHA256s is right under one of the keys; Web Crypto compares in constant time. */
async function anyFits(keys: Bytes[], signatures: Bytes[], content: Bytes): Promise<boolean> {
  const fits = keys.map(async (key) => {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
    return Promise.all(
      signatures.map((signature) => crypto.subtle.verify("HMAC", imported, signature, content)),
    );
  });
  return (await Promise.all(fits)).flat().includes(true);
}

/** Standard Webhooks keeps keys as base64 behind `whsec_`; any other secret is taken as it is. */
function standardKey(secret: string): Bytes {
  if (!secret.startsWith("whsec_")) return bytesOf(secret);
  try {
    const key = fromBase64(secret.slice("whsec_".length));
    if (key.length > 0) return key;
  } catch {
    // Its reason would quote the secret.
  }
  throw new WebhookVerificationError("the secret is not base64 behind whsec_");
}

function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}

function bytesOf(content: string | Uint8Array | ArrayBuffer): Bytes {
  return typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
}

function concat(first: Bytes, second: Bytes): Bytes {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

function fromHex(hex: string): Bytes {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) =>
    Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  );
}

function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
