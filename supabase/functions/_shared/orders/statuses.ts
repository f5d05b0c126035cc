import { z } from "@hono/zod-openapi";
import { Enums } from "../values/enums.generated.ts";

export const orderStatus = z.enum(Enums.order_status).openapi("OrderStatus");

export const paymentStatus = z.enum(Enums.payment_status).openapi("PaymentStatus");

export const paymentReport = z.enum(Enums.payment_report).openapi("PaymentReport");

export const returnRequestStatus = z
  .enum(Enums.return_request_status)
  .openapi("ReturnRequestStatus");

export const shipmentStatus = z.enum(Enums.shipment_status).openapi("ShipmentStatus");
