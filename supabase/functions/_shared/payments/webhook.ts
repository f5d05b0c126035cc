import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { ApiError } from "../http/errors.ts";
import { readBody } from "../http/limits.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { recordReports } from "./recording.ts";
import { stripe } from "./stripe.ts";

/** Routes below /payments: the events of providers. */
export const paymentWebhooks = createRoutes();

const DATABASE_TIMEOUT_MS = 20_000;

/**
 * Receives Stripe's events, signed with STRIPE_WEBHOOK_SECRET. It is not counted by IP address, because Stripe sends all
 * events from few of them. Stripe repeats an event that was not answered with 200. Errors: UNAUTHORIZED,
 * SERVICE_UNAVAILABLE.
 */
paymentWebhooks.openapi(
  createRoute({
    hide: true,
    tags: ["Payments"],
    security: [],
    method: "post",
    path: "/stripe",
    operationId: "payments.webhook",
    // The signature covers the bytes of the body.
    streams: true,
    responses: answers(200, z.object({ received: z.boolean() }), "The event is recorded"),
  }),
  async (c) => {
    const { body } = c.req.raw;
    const bytes = body ? await readBody(body) : new ArrayBuffer(0);
    if (!bytes) throw new ApiError("PAYLOAD_TOO_LARGE");
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const reports = await stripe.readWebhook(text, c.req.header());
    await recordReports("stripe", reports, AbortSignal.timeout(DATABASE_TIMEOUT_MS));
    return c.json({ received: true }, 200);
  },
);
