import type { Context } from "hono";
import { answers, body } from "../http/answers.ts";
import { authenticate, claimsOf } from "../http/authenticate.ts";
import { performBatch } from "../http/batches.ts";
import type { Env } from "../http/env.ts";
import { addressOf } from "../http/rate.ts";
import { callAsService } from "../http/request_counts.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { placementEvents, placementResults } from "./event_schema.ts";

/** Impressions, clicks and sales of promoted products. */
export const placementEventRoutes = createRoutes();

placementEventRoutes.openapi(
  createRoute({
    tags: ["Placement"],
    middleware: authenticate,
    judgesItsTexts: true,
    once: true,
    method: "post",
    path: "/",
    operationId: "placement.record",
    roles: "everyone",
    summary: "Report impressions, clicks and sales",
    description:
      "Customers and suppliers report only themselves. Up to 1000 events, each with its own result: an invalid event does not stop the others. A batch that is sent again changes nothing. A click is charged once per visitor, campaign and hour, up to the daily budget.",
    errors: { VALIDATION_ERROR: "for more events, or for a value that is no list" },
    request: { body: body(placementEvents) },
    responses: answers(200, placementResults, "The result of each event"),
  }),
  async (c) => {
    const { events } = c.req.valid("json");
    const results = await performBatch(
      c,
      "record_placement_events",
      events,
      placementResults,
      {},
      await seenFrom(c),
    );
    return c.json(results, 200);
  },
);

/** Time for which a signed address is reused, in milliseconds. The database accepts it for two hours. */
const SIGNED_MS = 3_600_000;
/** Maximum number of remembered signatures. */
const MOST_SIGNED = 1000;

const signatures = new Map<string, { signed: string; at: number }>();

/**
 * The caller's IP address, signed by the database. The database sees only this function as its client, and an unsigned
 * header could be sent by any caller.
 */
async function seenFrom(c: Context<Env>): Promise<Record<string, string>> {
  const user_id = (await claimsOf(c))?.sub as string;
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
