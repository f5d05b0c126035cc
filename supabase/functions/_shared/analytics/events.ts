import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { performBatch } from "../http/batches.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { seenFrom } from "../http/seen_from.ts";
import { isDeclaredBot } from "./bots.ts";
import { storefrontEvents, storefrontResults } from "./schema.ts";

/** Storefront events. */
export const storefrontEventRoutes = createRoutes();

storefrontEventRoutes.openapi(
  createRoute({
    tags: ["Analytics"],
    middleware: authenticate,
    judgesItsTexts: true,
    once: true,
    method: "post",
    path: "/",
    operationId: "analytics.record",
    visitors: true,
    permission: "shop_events.write",
    summary: "Report what visitors do",
    description:
      "Customers and guests report only themselves. Up to 1000 events, each with its own result: an invalid event does not stop the others. A batch that is sent again changes nothing. Bots, the tenant's own members and visitors that its settings ignore are not counted.",
    errors: { VALIDATION_ERROR: "for more events, or for a value that is no list" },
    request: { body: body(storefrontEvents) },
    responses: answers(200, storefrontResults, "The result of each event"),
  }),
  async (c) => {
    const { events } = c.req.valid("json");
    const user_agent = c.req.header("user-agent");
    const bots = events.flatMap((event, place) =>
      isDeclaredBot(userAgentOf(event) ?? user_agent) ? [place] : [],
    );
    return c.json(
      await performBatch(
        c,
        "record_storefront_events",
        events,
        storefrontResults,
        { user_agent, bots },
        // Only visitors' addresses are limited.
        c.get("visit") && (await seenFrom(c)),
      ),
      200,
    );
  },
);

/** The user agent of an event, if it has one. */
function userAgentOf(event: unknown): string | undefined {
  const { user_agent } = Object(event) as { user_agent?: unknown };
  return typeof user_agent === "string" ? user_agent : undefined;
}
