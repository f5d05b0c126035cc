import { randomUUID } from "node:crypto";
import { exampleOf } from "../events/registry.ts";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { announce } from "../http/deprecation.ts";
import { ApiError } from "../http/errors.ts";
import { createRoute, createRoutes, readsAll } from "../http/routes.ts";
import { paymentCompleted, testResult, webhookTest } from "./schema.ts";
import { send } from "./send.ts";
import { targetOf } from "./target.ts";

/**
 * So many tests of a tenant wait for their receivers at once, in one process: one that hangs holds a connection and the
 * caller's request for ten seconds.
 */
const AT_ONCE = 5;
const underWay = new Map<string, number>();

/** Does a test, unless the tenant has enough of them under way. Errors: CONFLICT. */
async function inTurn<T>(tenantId: string, test: () => Promise<T>): Promise<T> {
  const before = underWay.get(tenantId) ?? 0;
  if (before >= AT_ONCE)
    throw new ApiError("CONFLICT", "Other tests are still waiting for their receivers.");
  underWay.set(tenantId, before + 1);
  try {
    return await test();
  } finally {
    const left = (underWay.get(tenantId) as number) - 1;
    if (left > 0) underWay.set(tenantId, left);
    else underWay.delete(tenantId);
  }
}

/** Below /webhooks: one delivery to try a registration out. */
export const testRoutes = createRoutes();

testRoutes.openapi(
  createRoute({
    tags: ["Webhooks"],
    middleware: authenticate,
    method: "post",
    path: "/{id}/test",
    operationId: "webhooks.test",
    roles: readsAll,
    summary: "Test a webhook",
    description:
      "For admins and clients. Sends the example of an event (GET /api/event-types) now and once, signed as deliveries are, to a webhook that is off as well, and whether it has subscribed to the event or not. It is no delivery: no log tells of it, and it is not tried again. Five at once wait for their receivers. What the receiver makes of it is in the answer, which is 200 when it failed too. Errors: NOT_FOUND, to suppliers and customers as well; VALIDATION_ERROR for an unknown event; CONFLICT, while five others wait.",
    request: { params: idParam, body: body(webhookTest) },
    responses: answers(200, testResult, "What came of it"),
  }),
  async (c) => {
    const { event: wanted } = c.req.valid("json");
    const isOld = wanted === "payment.completed";
    if (isOld) announce(c, paymentCompleted);
    const event = isOld ? "payment.succeeded" : wanted;
    const target = await targetOf(c, c.req.valid("param").id);
    const body = JSON.stringify(exampleOf(event));
    const { response_code, duration_ms, error } = await inTurn(target.tenantId, () =>
      send({ ...target, id: randomUUID(), event, body }),
    );
    const came = { success: error === null, response_code, response_time: duration_ms, error };
    return c.json(testResult.parse(came), 200);
  },
);
