import { createRoute } from "@hono/zod-openapi";
import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoutes } from "../http/door.ts";
import { judgesItsTexts } from "../http/limits.ts";
import { perform } from "../http/perform.ts";
import { unkeptTexts } from "../http/texts.ts";
import { placementEvents, placementResults } from "./event_schema.ts";

/** What visitors see, click and buy of what is promoted. */
export const placementEventRoutes = createRoutes();

placementEventRoutes.openapi(
  createRoute({
    tags: ["Placement"],
    middleware: [judgesItsTexts, authenticate],
    method: "post",
    path: "/",
    summary: "Report impressions, clicks and sales",
    description:
      "For everybody who has a token; customers and suppliers report for themselves. Up to 1000 events, answered one by one: a bad one stops no other, and its error stands in its answer. A batch that is sent again changes nothing. A click is charged once per visitor, campaign and hour, up to the daily budget. Errors: VALIDATION_ERROR for more events, or none that are a list.",
    request: { body: body(placementEvents) },
    responses: answers(200, placementResults, "What became of each event"),
  }),
  async (c) => {
    const { events } = c.req.valid("json");
    // Postgres takes a whole batch or none of it as JSON: what it could not read goes as null, and is told of here.
    const readable = events.map((event) => unkeptTexts(event).length === 0);
    const told = await perform(c, "record_placement_events", {
      events: events.map((event, index) => (readable[index] ? event : null)),
    });
    const { results } = placementResults.parse(told);
    for (const { index, error } of results) {
      if (error && !readable[index]) {
        error.message = "An event holds no null character, and no half of a character.";
      }
    }
    return c.json({ results }, 200);
  },
);
