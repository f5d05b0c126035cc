import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

/** The parts of a delivery for its signature and headers. */
export interface Signable {
  id: string;
  event: string;
  body: string;
  /** The current secret, then the previous one while it is valid. */
  secrets: string[];
  /** The headers of the registration. */
  headers?: Record<string, string> | null;
}

/**
 * The headers of a delivery: those of the registration, those of Souk, and those of Standard Webhooks
 * (https://www.standardwebhooks.com), so that its libraries can verify them. While two secrets are valid, both sign.
 */
export function signedHeaders(delivery: Signable, now: Date): Record<string, string> {
  const { id, event, body, secrets } = delivery;
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const [plain, previous] = secrets.map(
    (secret) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  );
  if (!plain) throw new Error("a delivery needs a secret that signs it");
  const standard = secrets.map((secret) => {
    const mac = createHmac("sha256", standardKey(secret));
    return `v1,${mac.update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    ...ownHeaders(delivery.headers),
    "Content-Type": "application/json",
    "User-Agent": "Souk-Webhooks/1",
    "X-Webhook-Event": event,
    "X-Webhook-ID": id,
    "X-Webhook-Signature": plain,
    ...(previous ? { "X-Webhook-Signature-Previous": previous } : {}),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard.join(" "),
  };
}

/** Standard Webhooks stores keys as base64 after `whsec_`; any other secret is used unchanged. */
function standardKey(secret: string): Uint8Array {
  return secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);
}

/** Reserved names: Souk's headers, those of the connection, and those that delimit the body. */
const TAKEN =
  /^(content-.*|user-agent|x-webhook-.*|webhook-.*|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|accept-encoding)$/i;

/** Whether a registration may set a header: a valid and unreserved name. */
export function mayBeSet(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !TAKEN.test(name);
}

/** The headers of the registration without invalid and reserved ones, which a receiver could misread. */
function ownHeaders(headers: Signable["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).filter(
      ([name, value]) => mayBeSet(name) && /^[\t\x20-\x7e]*$/.test(value),
    ),
  );
}
