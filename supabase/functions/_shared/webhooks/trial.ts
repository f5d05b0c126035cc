import { randomUUID } from "node:crypto";
import { createRoute } from "@hono/zod-openapi";
import { exampleOf } from "../events/types.ts";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { announce } from "../http/deprecation.ts";
import { createRoutes } from "../http/door.ts";
import { paymentCompleted, trial, trialOutcome } from "./schema.ts";
import { send } from "./send.ts";
import { targetOf } from "./target.ts";

/** Below /webhooks: one delivery to try a registration out. */
export const trials = createRoutes();

trials.openapi(
  createRoute({
    tags: ["Webhooks"],
    middleware: authenticate,
    method: "post",
    path: "/{id}/test",
    summary: "Test a webhook",
    description:
      "For admins and clients. Sends the example of an event (GET /api/event-types) now and once, signed as deliveries are, to a webhook that is off as well, and whether it has subscribed to the event or not. It is no delivery: no log tells of it, and it is not tried again. What the receiver makes of it is in the answer, which is 200 when it failed too. Errors: NOT_FOUND, to suppliers and customers as well; VALIDATION_ERROR for an unknown event.",
    request: { params: idParam, body: body(trial) },
    responses: answers(200, trialOutcome, "What came of it"),
  }),
  async (c) => {
    const { event: wanted } = c.req.valid("json");
    const isOld = wanted === "payment.completed";
    if (isOld) announce(c, paymentCompleted);
    const event = isOld ? "payment.succeeded" : wanted;
    const target = await targetOf(c, c.req.valid("param").id);
    const { response_code, duration_ms, error } = await send({
      ...target,
      id: randomUUID(),
      event,
      body: JSON.stringify(exampleOf(event)),
    });
    const came = { success: error === null, response_code, response_time: duration_ms, error };
    return c.json(trialOutcome.parse(came), 200);
  },
);
