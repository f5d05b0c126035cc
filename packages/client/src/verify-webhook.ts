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
  /** The registration's secret. */
  secret: string;
  /** How far the time of sending may be from now, in seconds, either way. Default 300. */
  toleranceSeconds?: number;
  /**
   * Whether a delivery without the signed time of sending is refused. Souk always sends it, and
   * without it an old delivery can be played again. Default true.
   */
  requireTimestamp?: boolean;
}

/**
 * Resolves to the event of a delivery, if Souk has sent it: checks `X-Webhook-Signature`, and the
 * signed time of sending (Standard Webhooks). Rejects with WebhookVerificationError.
 */
export async function verifyWebhook({
  payload,
  headers,
  secret,
  toleranceSeconds = 300,
  requireTimestamp = true,
}: ReceivedWebhook): Promise<WebhookEvent> {
  if (!secret) throw new WebhookVerificationError("there is no secret to verify with");
  const body = bytesOf(payload);

  const signature = /^sha256=([0-9a-f]{64})$/.exec(
    readHeader(headers, "x-webhook-signature") ?? "",
  );
  if (!signature) throw new WebhookVerificationError("X-Webhook-Signature is missing or malformed");
  if (!(await isSigned(bytesOf(secret), fromHex(signature[1] as string), body))) {
    throw new WebhookVerificationError("X-Webhook-Signature does not fit the payload");
  }

  const timestamp = readHeader(headers, "webhook-timestamp");
  if (timestamp !== undefined) {
    await verifyTimestamp(timestamp, { body, headers, secret, toleranceSeconds });
  } else if (requireTimestamp) {
    throw new WebhookVerificationError("webhook-timestamp is missing");
  }

  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as WebhookEvent;
  } catch (cause) {
    throw new WebhookVerificationError("the payload is not JSON", { cause });
  }
}

/** A time of sending proves something only if it is signed, together with the payload. */
async function verifyTimestamp(
  timestamp: string,
  received: { body: Bytes; headers: WebhookHeaders; secret: string; toleranceSeconds: number },
): Promise<void> {
  const { body, headers, secret, toleranceSeconds } = received;
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError("webhook-timestamp is malformed");
  }
  const id = readHeader(headers, "webhook-id") ?? "";
  const content = concat(bytesOf(`${id}.${timestamp}.`), body);
  const key = standardKey(secret);
  // While a secret is being changed there are several signatures, one of which has to fit.
  const signatures = (readHeader(headers, "webhook-signature") ?? "").split(" ");
  const fits = await Promise.all(
    signatures.map((signature) => {
      const encoded = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1];
      return encoded !== undefined && isSigned(key, fromBase64(encoded), content);
    }),
  );
  if (!fits.includes(true)) {
    throw new WebhookVerificationError("webhook-signature does not fit the payload and its time");
  }
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError("webhook-timestamp is too far from now");
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Whether an HMAC-SHA256 is right; Web Crypto compares in constant time. */
async function isSigned(key: Bytes, signature: Bytes, content: Bytes): Promise<boolean> {
  const imported = await crypto.subtle.importKey(
    "raw",
    key,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  return crypto.subtle.verify("HMAC", imported, signature, content);
}

/** Standard Webhooks keeps keys as base64 behind `whsec_`; any other secret is taken as it is. */
function standardKey(secret: string): Bytes {
  if (!secret.startsWith("whsec_")) return bytesOf(secret);
  try {
    return fromBase64(secret.slice("whsec_".length));
  } catch {
    // The reason would quote the secret.
    throw new WebhookVerificationError("the secret is not base64 behind whsec_");
  }
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
