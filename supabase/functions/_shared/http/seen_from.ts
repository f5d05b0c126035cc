import type { Context } from "hono";
import { addressOf } from "./address.ts";
import type { Env } from "./env.ts";
import { callAsService } from "./request_counts.ts";

/** Time for which a signed address is reused, in milliseconds. The database accepts it for two hours. */
const SIGNED_MS = 3_600_000;
/** Maximum number of remembered signatures. */
const MOST_SIGNED = 1000;

const signatures = new Map<string, { signed: string; at: number }>();

/**
 * The IP address of a user or visitor, signed by the database. The database sees only this function as its client, and an unsigned
 * header could be sent by any caller.
 */
export async function seenFrom(c: Context<Env>): Promise<Record<string, string>> {
  const user_id = c.get("caller")?.id ?? c.get("visit")?.visitor;
  // The database refuses events of such a visitor.
  if (user_id === undefined) return {};
  const address = addressOf(c.req.raw.headers);
  const who = `${user_id} ${address}`;
  let known = signatures.get(who);
  if (!known || Date.now() - known.at > SIGNED_MS) {
    const signed = (await callAsService("sign_address", { user_id, address })) as string;
    known = { signed, at: Date.now() };
    if (signatures.size >= MOST_SIGNED) signatures.clear();
    signatures.set(who, known);
  }
  return { "x-souk-address": known.signed };
}
