import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { performBatch } from "../http/batches.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { isDeclaredBot } from "./bots.ts";
import { storefrontEvents, storefrontResults } from "./schema.ts";

/** What visitors do in a shop. */
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
    roles: "everyone",
    summary: "Report what visitors do",
    description:
      "For everybody who has a token; customers and guests report for themselves. Up to 1000 events, answered one by one: a bad one stops no other, and its error stands in its answer. A batch that is sent again changes nothing. What bots do, the tenant's own members, and whom its settings leave out, is not counted. Errors: VALIDATION_ERROR for more events, or none that are a list.",
    request: { body: body(storefrontEvents) },
    responses: answers(200, storefrontResults, "What became of each event"),
  }),
  async (c) => {
    const { events } = c.req.valid("json");
    const user_agent = c.req.header("user-agent");
    const bots = events.flatMap((event, place) =>
      isDeclaredBot(userAgentOf(event) ?? user_agent) ? [place] : [],
    );
    return c.json(
      await performBatch(c, "record_storefront_events", events, storefrontResults, {
        user_agent,
        bots,
      }),
      200,
    );
  },
);

/** What an event says of its visitor's program, if it says anything. */
function userAgentOf(event: unknown): string | undefined {
  const { user_agent } = Object(event) as { user_agent?: unknown };
  return typeof user_agent === "string" ? user_agent : undefined;
}
