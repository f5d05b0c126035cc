import { z } from "@hono/zod-openapi";

export const orderStatus = z
  .enum(["pending", "confirmed", "processing", "shipped", "delivered", "cancelled", "returned"])
  .openapi("OrderStatus");

const paymentStatus = z.enum(["pending", "paid", "failed", "refunded"]).openapi("PaymentStatus");

const address = z
  .object({
    street: z.string().min(1).max(500),
    city: z.string().min(1).max(200),
    postal_code: z.string().min(1).max(40),
  })
  .loose()
  .openapi("Address");

const newItem = z.object({
  product_id: z.uuid(),
  variant_id: z
    .uuid()
    .optional()
    .openapi({ description: "Needed where the product has variants." }),
  quantity: z.number().int().min(1).max(1_000_000),
  price: z
    .number()
    .min(0)
    .openapi({ description: "What the customer was shown. Has to be the current price." }),
});

export const newOrder = z
  .object({
    marketplace_id: z.uuid(),
    items: z.array(newItem).min(1).max(500),
    shipping_address: address,
    customer_id: z
      .uuid()
      .optional()
      .openapi({ description: "For admins and clients: who orders." }),
  })
  .openapi("NewOrder");

export const statusChange = z
  .object({ status: orderStatus, note: z.string().max(2000).optional() })
  .openapi("OrderStatusChange");

export const order = z
  .object({
    id: z.uuid(),
    tenant_id: z.uuid(),
    marketplace_id: z.uuid(),
    customer_id: z.uuid(),
    status: orderStatus,
    payment_status: paymentStatus,
    total_amount: z.number(),
    currency: z.string(),
    items: z.array(
      z
        .object({
          product_id: z.uuid(),
          variant_id: z.uuid().nullable(),
          supplier_id: z.uuid().nullable(),
          name: z.string(),
          quantity: z.number().int(),
          price: z.number(),
          amount: z.number(),
        })
        .openapi("OrderItem"),
    ),
    shipping_address: address,
    history: z.array(
      z.object({
        old_status: orderStatus,
        new_status: orderStatus,
        note: z.string().nullable(),
        actor_id: z.uuid().nullable(),
        created_at: z.string(),
      }),
    ),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Order");
