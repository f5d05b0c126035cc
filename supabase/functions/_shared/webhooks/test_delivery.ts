import { randomUUID } from "node:crypto";
import type { EventName } from "../events/schema.ts";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { announce } from "../http/deprecation.ts";
import { ApiError } from "../http/errors.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { paymentCompleted, testResult, webhookTest } from "./schema.ts";
import { send } from "./send.ts";
import { targetOf } from "./target.ts";

/**
 * Maximum number of tests per tenant and process that wait for their receivers. A receiver that hangs holds a connection
 * and the caller's request for ten seconds.
 */
const AT_ONCE = 5;
const inFlight = new Map<string, number>();

/** Runs a test unless the tenant has AT_ONCE tests in flight. Errors: CONFLICT. */
async function withinLimit<T>(tenantId: string, test: () => Promise<T>): Promise<T> {
  const before = inFlight.get(tenantId) ?? 0;
  if (before >= AT_ONCE)
    throw new ApiError(
      "CONFLICT",
      "Five tests of this tenant are still waiting for their receivers. Try again later.",
    );
  inFlight.set(tenantId, before + 1);
  try {
    return await test();
  } finally {
    const left = (inFlight.get(tenantId) as number) - 1;
    if (left > 0) inFlight.set(tenantId, left);
    else inFlight.delete(tenantId);
  }
}

/** Routes below /webhooks: one delivery to test a registration. `exampleOf` returns the body of an event's example. */
export function testRoutes(exampleOf: (event: EventName) => Record<string, unknown>) {
  const routes = createRoutes();
  routes.openapi(
    createRoute({
      tags: ["Webhooks"],
      middleware: authenticate,
      method: "post",
      path: "/{id}/test",
      operationId: "webhooks.test",
      permission: "webhooks.write",
      summary: "Test a webhook",
      description:
        "Sends the example of an event (GET /api/event-types) once and now, signed like a delivery. This works for webhooks that are off and for events that the webhook has not subscribed to. It is not logged and not repeated. The response has the outcome; it is 200 also if the test failed.",
      errors: {
        VALIDATION_ERROR: "for an unknown event",
        CONFLICT: "while five other tests of the tenant wait for their receivers",
      },
      request: { params: idParam, body: body(webhookTest) },
      responses: answers(200, testResult, "The outcome"),
    }),
    async (c) => {
      const { event: wanted } = c.req.valid("json");
      const isOld = wanted === "payment.completed";
      if (isOld) announce(c, paymentCompleted);
      const event = isOld ? "payment.succeeded" : wanted;
      const target = await targetOf(c, c.req.valid("param").id);
      const body = JSON.stringify(exampleOf(event));
      const { response_code, duration_ms, error } = await withinLimit(target.tenantId, () =>
        send({ ...target, id: randomUUID(), event, body }),
      );
      const result = { success: error === null, response_code, response_time: duration_ms, error };
      return c.json(testResult.parse(result), 200);
    },
  );
  return routes;
}
