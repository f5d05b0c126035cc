import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { performBatch } from "../http/batches.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { seenFrom } from "../http/seen_from.ts";
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
    visitors: true,
    permission: "shop_events.write",
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
