import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes, readsAll } from "../http/routes.ts";
import { eventTypes } from "./registry.ts";
import { eventPage, eventQuery, eventTypeList } from "./schema.ts";

export const events = createRoutes();

events.openapi(
  createRoute({
    tags: ["Events"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "events.list",
    roles: readsAll,
    summary: "List events",
    description:
      "For admins and clients. In the sequence in which they are to be read, oldest first: whoever goes on from `next` misses none and gets none twice. Errors: VALIDATION_ERROR for a cursor that no list has answered.",
    request: { query: eventQuery },
    responses: answers(200, eventPage, "The events after the cursor"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("list_events", c.req.valid("query")).throwOnError();
    return c.json(eventPage.parse(data), 200);
  },
);

export const eventTypeRoutes = createRoutes();

eventTypeRoutes.openapi(
  createRoute({
    tags: ["Events"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "events.types",
    roles: "everyone",
    summary: "List the types of events",
    responses: answers(200, eventTypeList, "Every name, with an example and a schema of its body"),
  }),
  (c) => {
    described ??= {
      event_types: eventTypes.map(({ schema, ...type }) => ({
        ...type,
        // As input: then it leaves room for fields to come.
        schema: z.toJSONSchema(schema, { io: "input" }),
      })),
    };
    return c.json(described, 200);
  },
);

/** Made at the first request, since it takes a while. */
let described: z.infer<typeof eventTypeList> | undefined;
