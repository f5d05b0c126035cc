import { z } from "@hono/zod-openapi";

export const orderStatus = z
  .enum(["pending", "confirmed", "processing", "shipped", "delivered", "cancelled", "returned"])
  .openapi("OrderStatus");

export const paymentStatus = z
  .enum(["pending", "paid", "failed", "refunded"])
  .openapi("PaymentStatus");

export const paymentReport = z
  .enum(["paid", "failed", "refunded", "refund_failed", "payment_reversed"])
  .openapi("PaymentReport");

export const returnRequestStatus = z
  .enum(["requested", "approved", "rejected", "received", "cancelled"])
  .openapi("ReturnRequestStatus");

export const shipmentStatus = z
  .enum(["shipped", "delivered", "lost", "void"])
  .openapi("ShipmentStatus");
