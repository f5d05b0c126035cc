import type { WebhookEvent } from "./events.js";

export type { WebhookEvent };

/** The delivery could not be verified: answer it with 400 or 401. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** The headers of a request, of fetch or of Node's http. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

export interface ReceivedWebhook {
  /**
   * The body exactly as received; a body that was parsed and serialized again has another
   * signature.
   */
  payload: string | Uint8Array | ArrayBuffer;
  headers: WebhookHeaders;
  /**
   * The webhook's secret, or several of which one must match, such as the new and the previous one
   * during a rotation.
   * Empty ones are ignored.
   */
  secret: string | readonly string[];
  /**
   * Maximum difference in seconds between the signed time and now, in both directions. Default 300.
   */
  toleranceSeconds?: number;
  /**
   * Whether to reject a delivery without a signed time. Souk always sends it; without it an old delivery could be
   * replayed. Default true.
   */
  requireTimestamp?: boolean;
}

/** The signed data and the secrets. */
interface Evidence {
  body: Bytes;
  headers: WebhookHeaders;
  secrets: readonly string[];
}

/**
 * Verifies that Souk sent a delivery, and resolves to its event. Checks every signature that is present: that of id,
 * time and body (`webhook-signature`, as in Standard Webhooks), and that of the body alone (`X-Webhook-Signature`, or
 * `X-Webhook-Signature-Previous` with the previous secret). Rejects with WebhookVerificationError.
 */
export async function verifyWebhook({
  payload,
  headers,
  secret,
  toleranceSeconds = 300,
  requireTimestamp = true,
}: ReceivedWebhook): Promise<WebhookEvent> {
  const secrets = (typeof secret === "string" ? [secret] : secret).filter((one) => one !== "");
  if (secrets.length === 0)
    throw new WebhookVerificationError("secret is empty: give at least one");
  const body = bytesOf(payload);
  const evidence = { body, headers, secrets };

  const timestamp = readHeader(headers, "webhook-timestamp");
  if (timestamp !== undefined) await verifyTimed(timestamp, evidence, toleranceSeconds);
  else if (requireTimestamp) throw new WebhookVerificationError("webhook-timestamp is missing");
  // The signature with the time also covers the body.
  if (timestamp === undefined || readHeader(headers, "x-webhook-signature") !== undefined) {
    await verifyBody(evidence);
  }

  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as WebhookEvent;
  } catch (cause) {
    throw new WebhookVerificationError("the payload is not JSON", { cause });
  }
}

/**
 * Checks the signature of the body. During a rotation, a second header has the signature of the
 * previous secret.
 */
async function verifyBody({ body, headers, secrets }: Evidence): Promise<void> {
  const signatures = ["x-webhook-signature", "x-webhook-signature-previous"].flatMap((name) => {
    const hex = /^sha256=([0-9a-f]{64})$/.exec(readHeader(headers, name) ?? "")?.[1];
    return hex === undefined ? [] : [fromHex(hex)];
  });
  if (signatures.length === 0) {
    throw new WebhookVerificationError("X-Webhook-Signature is missing or malformed");
  }
  if (!(await anyFits(secrets.map(bytesOf), signatures, body))) {
    throw new WebhookVerificationError("X-Webhook-Signature does not match the payload");
  }
}

/** Checks the signature of id, time and payload, and the time. */
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
  // During a rotation there are several signatures, of which one must match.
  const signatures = (readHeader(headers, "webhook-signature") ?? "").split(" ").flatMap((one) => {
    const encoded = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.[1];
    return encoded === undefined ? [] : [fromBase64(encoded)];
  });
  if (!(await anyFits(secrets.map(standardKey), signatures, content))) {
    throw new WebhookVerificationError("webhook-signature does not match the payload and its time");
  }
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError("webhook-timestamp is too far from now");
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Whether one of the HMAC-SHA256 signatures matches one of the keys. Web Crypto compares in
 * constant time.
 */
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

/** Standard Webhooks encodes keys as base64 after `whsec_`; any other secret is used as it is. */
function standardKey(secret: string): Bytes {
  if (!secret.startsWith("whsec_")) return bytesOf(secret);
  try {
    const key = fromBase64(secret.slice("whsec_".length));
    if (key.length > 0) return key;
  } catch {
    // The original error would quote the secret.
  }
  throw new WebhookVerificationError("the secret is not valid base64 after whsec_");
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
