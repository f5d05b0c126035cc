import { randomUUID } from "node:crypto";
import { query } from "../database.js";
import { call, must, type Person } from "../souk.js";

// Helpers that report events of visitors and read the funnel.

export const EVENTS = "/api/analytics/events";

/** An event of a visitor, with a unique id. */
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export function did(type: string, product?: any, fields: object = {}) {
  return { id: randomUUID(), type, ...(product && { product_id: product.id }), ...fields };
}

export const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

/** Reports events. `userAgent` is the User-Agent header of the caller. */
export async function report(as: Person, events: unknown[], userAgent?: string) {
  const { results } = await must("POST", EVENTS, {
    as,
    body: { events },
    headers: userAgent === undefined ? {} : { "user-agent": userAgent },
  });
  return results;
}

/** The result of each event, as text. */
export async function resultsOf(
  as: Person,
  events: unknown[],
  userAgent?: string,
): Promise<string[]> {
  const results = await report(as, events, userAgent);
  // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
  return results.map(({ status, reason, error }: any) =>
    [status, reason, error && `${error.code} ${error.details.field}`].filter(Boolean).join(" "),
  );
}

/** The funnel as `[visitors, product_view, add_to_cart, checkout]`, and its other fields. */
export async function funnelOf(as: Person, filters: Record<string, string> = {}) {
  const answer = await must("GET", `/api/analytics/funnel?${new URLSearchParams(filters)}`, { as });
  return {
    ...answer,
    counts: answer.stages.map(({ count }: { count: number }) => count),
    conversions: answer.stages.map(({ conversion }: { conversion: number }) => conversion),
  };
}

export const askFunnel = (as: Person | undefined, filters: Record<string, string> = {}) =>
  call("GET", `/api/analytics/funnel?${new URLSearchParams(filters)}`, { as });

/** The number of stored events of a tenant. */
export async function keptOf(tenantId: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    "select count(*)::integer as count from private.storefront_events where tenant_id = $1",
    [tenantId],
  );
  return row?.count ?? 0;
}

/** A time zone in which it is after one o'clock at night, or after the given hour. */
export function zoneAtNight(hour = 1): string {
  const offset = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
  // The sign in these zone names is inverted.
  return offset === 0 ? "UTC" : `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`;
}

export const useTimeZone = (operator: Person, time_zone: string) =>
  must("PATCH", "/api/tenant", { as: operator, body: { time_zone } });

/** The date at a moment in a time zone. */
export const dateIn = (timeZone: string, moment: Date | number = Date.now()) =>
  new Intl.DateTimeFormat("en-CA", { timeZone }).format(moment);
