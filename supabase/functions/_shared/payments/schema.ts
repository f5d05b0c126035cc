import { z } from "@hono/zod-openapi";
import { refundBearer } from "../orders/schema.ts";
import { address } from "../values/address.ts";
import { Enums } from "../values/enums.generated.ts";
import { visible } from "../values/names.ts";

export const paymentProvider = z.enum(Enums.payment_provider).openapi("PaymentProvider", {
  description: "manual: the operator takes the money itself, by bank transfer or in cash.",
});

const sessionStatus = z.enum(Enums.payment_session_status).openapi("PaymentSessionStatus", {
  description:
    "processing: the buyer has paid, and the money is on its way. authorized: the money is reserved and can be captured. refused: the order could not take the money, which is given back. reversed: the money was taken back.",
});

const refundStatus = z.enum(Enums.refund_status).openapi("RefundStatus");

const publishableKey = z.string().openapi({
  description: "The public key that Stripe.js needs.",
  example: "pk_live_51N",
});

export const offeredPayments = z
  .object({
    payment_methods: z.array(z.string()),
    providers: z
      .array(
        z
          .object({ provider: paymentProvider, publishable_key: publishableKey.optional() })
          .openapi("OfferedProvider"),
      )
      .openapi({ description: "The providers by which orders of the marketplace can be paid." }),
  })
  .openapi("PaymentMethods");

export const newPaymentSession = z
  .strictObject({
    provider: paymentProvider,
    return_url: address.optional().openapi({
      description:
        "The page to come back to; the answer has it. Pass it to Stripe.js's confirmPayment.",
      example: "https://shop.example.com/orders/812",
    }),
  })
  .openapi("NewPaymentSession", { example: { provider: "stripe" } });

/** Stored texts are not validated again. */
export const paymentSession = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    order_id: z.guid(),
    provider: paymentProvider,
    status: sessionStatus,
    amount: z.number().openapi({ description: "The price of the order when it was begun last." }),
    currency: z.string(),
    return_url: z.string().nullable(),
    reference: z.string().nullable().openapi({
      description: "The payment at the provider; null until it is known.",
    }),
    actor_id: z.guid().nullable().openapi({ description: "The account or API key that began it." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("PaymentSession");

export const begunPayment = paymentSession
  .extend({
    client_secret: z.string().optional().openapi({
      description: "Lets the buyer pay by Stripe.js. Pass it to nobody else.",
    }),
    publishable_key: publishableKey.optional(),
    instructions: z.string().optional().openapi({
      description:
        "With the provider manual: how to pay, by settings.business.payment_instructions.",
    }),
  })
  .openapi("BegunPayment");

export const paymentSessions = z.object({ payment_sessions: z.array(paymentSession) });

export const paymentCapture = z
  .strictObject({
    reference: visible(200).optional().openapi({
      description:
        "With the provider manual: how the bank names the transfer. Default: the session's id.",
    }),
  })
  .openapi("PaymentCapture", { example: { reference: "SEPA 2026-12-24 17" } });

export const newRefund = z
  .strictObject({
    amount: z.number().positive().max(999_999_999_999_999).openapi({
      description: "At most what was paid and not given back yet.",
    }),
    items: z
      .array(z.strictObject({ item_id: z.guid(), amount: z.number().positive() }))
      .min(1)
      .max(500)
      .optional()
      .openapi({
        description:
          "The refunded amount of each item. A refund without items and delivery_amount is goodwill: it does not lower refund_due.",
      }),
    delivery_amount: z
      .number()
      .min(0)
      .optional()
      .openapi({ description: "The refunded amount of the delivery." }),
    borne_by: refundBearer.optional().openapi({
      description:
        "The party that bears the refund. Default: operator. A supplier can bear refunds of items that the customer keeps.",
    }),
    reason: visible(2000).optional().openapi({ description: "The customer reads it." }),
  })
  .openapi("NewRefund", { example: { amount: 6.2, reason: "One glass was broken." } });

export const refund = z
  .object({
    id: z.guid().openapi({ description: "Also the reference of its report in payments." }),
    tenant_id: z.guid(),
    order_id: z.guid(),
    session_id: z.guid(),
    is_booked: z.boolean().openapi({
      description:
        "Whether it is one of the order's payments. false: money that the order could not take.",
    }),
    provider: paymentProvider,
    payment_reference: z.string().openapi({ description: "The payment at the provider." }),
    amount: z.number(),
    currency: z.string(),
    reason: z.string().nullable(),
    status: refundStatus,
    reference: z.string().nullable().openapi({
      description:
        "The refund at the provider, or the payment whose reserved money was released; null until it is known.",
    }),
    error: z.string().nullable().openapi({ description: "Why the last attempt failed." }),
    actor_id: z.guid().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Refund");

export const refunds = z.object({ refunds: z.array(refund) });
