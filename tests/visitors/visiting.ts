import { randomUUID } from "node:crypto";
import { query } from "../database.js";
import { type Answer, call, stackInUse } from "../souk.js";

// Requests of visitors: with the publishable key, without a token.

export interface Visit {
  /** The domain or id of the marketplace; null for a request that names none. */
  to: string | null;
  /** The id of a visitor who consented. */
  visitor?: string;
  /** The IP address. Each request has its own by default, so that tests do not limit each other. */
  from?: string;
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

// These parts of a random uuid do not begin with 0, which the text of an address leaves out.
export const someAddress = () => `2001:db8:${randomUUID().slice(14, 23).replace("-", ":")}::1`;

/** The number of requests of an address that are counted so far. */
export async function countedFrom(address: string): Promise<number | undefined> {
  const [counted] = await query<{ count: number }>(
    "select count from private.request_counts where subject = $1",
    [`visitor:${address.replace(/::1$/, "::")}`],
  );
  return counted?.count;
}

/** The headers of a visitor's request. */
export function headersOf({ to, visitor, from, key, headers }: Visit): Record<string, string> {
  return {
    apikey: key ?? stackInUse().publishable_key,
    "cf-connecting-ip": from ?? someAddress(),
    ...(to !== null && { "x-souk-marketplace": to }),
    ...(visitor && { "x-souk-visitor": visitor }),
    ...headers,
  };
}

/** Sends a request as a visitor. */
export function visit(method: string, path: string, visit: Visit): Promise<Answer> {
  return call(method, path, { body: visit.body, headers: headersOf(visit) });
}

/** The body of a visitor's GET, which must succeed. */
export async function seen(path: string, as: Visit): Promise<Answer["body"]> {
  const answer = await visit("GET", path, as);
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
