import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { ApiError } from "../http/errors.ts";
import { tenantOf } from "../http/large_answers.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { askProvider, type Begun } from "./beginning.ts";
import type { Charge } from "./provider.ts";
import { type ProviderName, providerFor, providers } from "./providers.ts";
import { recordReports } from "./recording.ts";
import {
  begunPayment,
  newPaymentSession,
  newRefund,
  paymentCapture,
  paymentSession,
  paymentSessions,
  refund,
  refunds,
} from "./schema.ts";

/** Routes below /orders: payments by a provider, and refunds. */
export const paymentsOfOrder = createRoutes();

/** Routes below /payment-sessions. */
export const paymentSessionRoutes = createRoutes();

const shared = { tags: ["Payments"], middleware: authenticate };

paymentsOfOrder.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/payment-sessions",
    operationId: "orders.beginPayment",
    permission: "payments.begin",
    once: true,
    summary: "Begin to pay an order by a provider",
    description:
      "For the present price. A payment that was begun with the same provider goes on: the answer has the same session, with the present price. `/api/payment-methods` lists the providers. Only the provider reports that the order is paid.",
    errors: {
      INVALID_TRANSITION: "if there is nothing to pay",
      VALIDATION_ERROR: "on provider, if it is not available or does not take this amount",
      LIMIT_REACHED: "after 100 payments of an order that were begun",
      SERVICE_UNAVAILABLE: "also if the provider cannot be reached",
    },
    request: { params: idParam, body: body(newPaymentSession) },
    responses: answers(201, begunPayment, "The payment session, with what the buyer needs to pay"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const args = { order_id: id, ...c.req.valid("json") };
    const provider = providerFor((await tenantOf(c)) as string, args.provider);
    const begun: Begun = await perform(c, "begin_payment", args);
    const made = await askProvider(c, provider, args, begun);
    return c.json(made, 201, { Location: `/functions/v1/api/orders/${id}/payment-sessions` });
  },
);

paymentsOfOrder.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/payment-sessions",
    operationId: "orders.paymentSessions",
    permission: "orders.read",
    summary: "List the payment sessions of an order",
    description: "For suppliers, the list is empty.",
    request: { params: idParam },
    responses: answers(200, paymentSessions, "The payment sessions, newest first"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .from("orders")
      .select("id, payment_sessions(*)")
      .eq("id", c.req.valid("param").id)
      .order("created_at", { referencedTable: "payment_sessions", ascending: false })
      .order("id", { referencedTable: "payment_sessions" })
      .single()
      .throwOnError();
    return c.json(paymentSessions.parse(data), 200);
  },
);

paymentsOfOrder.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/refunds",
    operationId: "orders.refund",
    permission: "payments.write",
    once: true,
    summary: "Give money back by the provider that took it",
    description:
      "Books the refund at once, and then asks the provider. If the provider refuses it, the booking is undone by a report refund_failed, and an internal note on the order says why.",
    errors: {
      INVALID_TRANSITION: "if the order is not paid, or no provider took its payment",
      NOT_FOUND: "also for an item that the order does not have",
      LIMIT_REACHED: "if the record of the order cannot hold more",
    },
    request: { params: idParam, body: body(newRefund) },
    responses: answers(201, refund, "The refund"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const input = { order_id: id, ...c.req.valid("json") };
    const made = refund.parse(await perform(c, "create_refund", input));
    return c.json(made, 201, { Location: `/functions/v1/api/orders/${id}/refunds` });
  },
);

paymentsOfOrder.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/refunds",
    operationId: "orders.refunds",
    permission: "orders.read",
    summary: "List the refunds of an order by providers",
    description: "For suppliers, the list is empty.",
    request: { params: idParam },
    responses: answers(200, refunds, "The refunds, newest first"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .from("orders")
      .select("id, refunds(*)")
      .eq("id", c.req.valid("param").id)
      .order("created_at", { referencedTable: "refunds", ascending: false })
      .order("id", { referencedTable: "refunds" })
      .single()
      .throwOnError();
    return c.json(refunds.parse(data), 200);
  },
);

paymentSessionRoutes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/capture",
    operationId: "payments.capture",
    permission: "payments.write",
    summary: "Take the money of a payment session",
    description:
      "Of an authorized session: takes the reserved money. Of an open session of the provider manual: reports that the money has come, for the present price.",
    errors: {
      INVALID_TRANSITION:
        "if there is nothing to capture, less is reserved than the order costs, or the payment is over at the provider",
      CONFLICT: "on reference, if the order has a payment with it already",
      SERVICE_UNAVAILABLE: "also if the provider cannot be reached",
    },
    request: { params: idParam, body: body(paymentCapture) },
    responses: answers(200, paymentSession, "The payment session"),
  }),
  async (c) => {
    const db = c.get("db");
    const { id } = c.req.valid("param");
    const args = { session_id: id, ...c.req.valid("json") };
    const { data } = await db.rpc("capture_payment", args).throwOnError();
    const { session, charge } = data as { session: { provider: ProviderName }; charge: Charge };
    const reports = await providers[session.provider].capture(charge);
    await recordReports(session.provider, reports, c.get("signal"));
    const captured = db.from("payment_sessions").select().eq("id", id);
    const now = paymentSession.parse((await captured.single().throwOnError()).data);
    if (now.status !== "paid") {
      const message = `The payment session is ${now.status} now, and no money was recorded.`;
      throw new ApiError("INVALID_TRANSITION", message, [{ field: "status", value: now.status }]);
    }
    return c.json(now, 200);
  },
);
