import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

/** What is signed and named in the headers of a delivery. */
export interface Signable {
  id: string;
  event: string;
  body: string;
  /** The registration's secret; after it, as long as it is alive, the one before. */
  secrets: string[];
  /** The registration's own headers. */
  headers?: Record<string, string> | null;
}

/**
 * The headers a delivery goes out with: the registration's own, those of the specification, and beside
 * them those of Standard Webhooks (https://www.standardwebhooks.com), whose libraries verify them.
 * While there are two secrets, both sign.
 */
export function signedHeaders(delivery: Signable, now: Date): Record<string, string> {
  const { id, event, body, secrets } = delivery;
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const [plain, previous] = secrets.map(
    (secret) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  );
  if (!plain) throw new Error("a delivery needs a secret to be signed with");
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

/** Standard Webhooks keeps keys as base64 behind `whsec_`; any other secret is taken as it is. */
function standardKey(secret: string): Uint8Array {
  return secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);
}

/** Ours, those of the connection, and those that say where the body ends. */
const TAKEN =
  /^(content-.*|user-agent|x-webhook-.*|webhook-.*|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|accept-encoding)$/i;

/** Whether a registration may set a header: a name that is a token, and not one that a delivery needs itself. */
export function mayBeSet(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !TAKEN.test(name);
}

/** A header that must not be there, by whatever way it came, is left out: it would be read as something else. */
function ownHeaders(headers: Signable["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).filter(
      ([name, value]) => mayBeSet(name) && /^[\t\x20-\x7e]*$/.test(value),
    ),
  );
}
