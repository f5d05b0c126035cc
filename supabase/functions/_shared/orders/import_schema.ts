import { z } from "@hono/zod-openapi";
import { newAddress } from "./schema.ts";
import { orderStatus, paymentStatus } from "./schema.ts";

const word = z.string().min(1).max(200);

const time = z.iso.datetime({ offset: true });

const soldItem = z
  .strictObject({
    product_id: z.guid().nullish(),
    product_external_id: z.string().nullish().openapi({
      description: "What you call the product, in place of its product_id.",
    }),
    supplier_id: z.guid().nullish().openapi({
      description: "Whose it was; needed where several have a product of this product_external_id.",
    }),
    variant_sku: z.string().nullish(),
    quantity: z.number().int().min(1).max(1_000_000),
    price: z
      .number()
      .min(0)
      .max(999_999_999_999_999)
      .openapi({ description: "Of one piece, as it was." }),
  })
  .refine((item) => (item.product_id == null) !== (item.product_external_id == null), {
    path: ["product_id"],
    message: "name the product by it, or by its product_external_id",
  });

/** What an import reads of an order that was placed elsewhere. */
export const pastOrderLine = z
  .strictObject({
    external_id: word.openapi({
      description: "What the other system calls the order. Unique per marketplace.",
    }),
    marketplace_id: z.guid().optional(),
    placed_at: time.openapi({ description: "The order's created_at. Not in the future." }),
    customer: z
      .strictObject({
        email: z.email().max(320).nullish(),
        name: z.string().max(200).nullish(),
        external_id: word.nullish(),
      })
      .refine((customer) => customer.email != null || customer.external_id != null, {
        path: ["email"],
        message: "an e-mail address is needed, unless the customer has an external_id",
      })
      .openapi({
        description: "Known by the email, or by the external_id where there is none; else made.",
      }),
    items: z.array(soldItem).min(1).max(500),
    shipping_address: newAddress,
    status: orderStatus,
    payment_status: paymentStatus,
    completed_at: time.optional().openapi({
      description: "When it was delivered: needed for delivered, may be for returned.",
    }),
    cancelled_at: time.optional().openapi({ description: "Needed for cancelled." }),
    returned_at: time.optional().openapi({ description: "Needed for returned." }),
  })
  .openapi("PastOrderLine");

export type PastOrderLine = z.infer<typeof pastOrderLine>;
