import { createHmac } from "node:crypto";
import { sameText } from "../values/same_text.ts";

/** Longest difference between the time of a signature and now, in seconds. An older event may be a replay. */
const TOLERANCE_SECONDS = 300;

/**
 * Whether Stripe signed a webhook's body: `Stripe-Signature: t=<seconds>,v1=<hex>`. While a secret is replaced there are
 * several v1, and one of them must match.
 */
export function isSigned(
  text: string,
  header: string,
  secret: string,
  now_ms = Date.now(),
): boolean {
  const parts = header.split(",").map((part) => {
    const [name = "", ...value] = part.trim().split("=");
    return { name, value: value.join("=") };
  });
  const time = parts.find(({ name }) => name === "t")?.value ?? "";
  if (!/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(now_ms / 1000 - Number(time)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac("sha256", secret).update(`${time}.${text}`).digest("hex");
  return parts.some(({ name, value }) => name === "v1" && sameText(value, expected));
}
