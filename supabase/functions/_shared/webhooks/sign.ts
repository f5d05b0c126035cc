import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

/**
 * The headers a delivery goes out with: those of the specification, and beside them those of
 * Standard Webhooks (https://www.standardwebhooks.com), whose libraries verify them.
 */
export function signedHeaders(
  delivery: { id: string; event: string; body: string; secret: string },
  now: Date,
): Record<string, string> {
  const { id, event, body, secret } = delivery;
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    "Content-Type": "application/json",
    "User-Agent": "Souk-Webhooks/1",
    "X-Webhook-Event": event,
    "X-Webhook-ID": id,
    "X-Webhook-Signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${createHmac("sha256", standardKey(secret))
      .update(`${id}.${timestamp}.${body}`)
      .digest("base64")}`,
  };
}

/** Standard Webhooks keeps keys as base64 behind `whsec_`; any other secret is taken as it is. */
function standardKey(secret: string): Uint8Array {
  return secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);
}
