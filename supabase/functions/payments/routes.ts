import { createRoutes } from "../_shared/http/routes.ts";
import { paymentWebhooks } from "../_shared/payments/webhook.ts";
import { refundWorker } from "../_shared/payments/worker.ts";

/** All routes below /payments: the worker of refunds, and the events of providers. */
export const payments = createRoutes();

payments.route("/", refundWorker);
payments.route("/", paymentWebhooks);
