import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import type { EventType } from "./event_type.ts";
import { type EventName, eventPage, eventQuery, eventTypeList } from "./schema.ts";

export const events = createRoutes();

events.openapi(
  createRoute({
    tags: ["Events"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "events.list",
    permission: "events.read",
    summary: "List events",
    description:
      "Events in a fixed sequence, oldest first. A reader that continues from `next` misses no event and gets none twice.",
    errors: { VALIDATION_ERROR: "for an unknown cursor" },
    request: { query: eventQuery },
    responses: answers(200, eventPage, "The events after the cursor"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("list_events", c.req.valid("query")).throwOnError();
    return c.json(eventPage.parse(data), 200);
  },
);

/** Routes below /event-types. `types` are the event types of all capabilities. */
export function eventTypeRoutes(types: readonly ({ name: EventName } & EventType)[]) {
  const routes = createRoutes();
  /** Built at the first request, because it is slow. */
  let described: z.infer<typeof eventTypeList> | undefined;
  routes.openapi(
    createRoute({
      tags: ["Events"],
      middleware: authenticate,
      method: "get",
      path: "/",
      operationId: "events.types",
      permission: "everyone",
      summary: "List the types of events",
      responses: answers(
        200,
        eventTypeList,
        "Every name, with an example and a schema of its body",
      ),
    }),
    (c) => {
      described ??= {
        event_types: types.map(({ name, description, example, schema }) => ({
          name,
          description,
          example,
          // `io: "input"` allows additional fields, which may be added later.
          schema: z.toJSONSchema(schema, { io: "input" }),
        })),
      };
      return c.json(described, 200);
    },
  );
  return routes;
}
