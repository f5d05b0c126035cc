import { z } from "@hono/zod-openapi";
import { email } from "../values/email.ts";
import { visible, visibleOrEmpty } from "../values/names.ts";
import { newAddress } from "./schema.ts";
import { orderStatus, paymentStatus } from "./statuses.ts";

const word = z.string().min(1).max(200);

const time = z.iso.datetime({ offset: true });

const soldItem = z
  .strictObject({
    product_id: z.guid().nullish(),
    product_external_id: z.string().nullish().openapi({
      description: "Your id of the product, instead of its product_id.",
    }),
    supplier_id: z.guid().nullish().openapi({
      description:
        "The supplier; required if several have a product with this product_external_id.",
    }),
    variant_sku: z.string().nullish(),
    quantity: z.number().int().min(1).max(1_000_000),
    price: z
      .number()
      .min(0)
      .max(999_999_999_999_999)
      .openapi({ description: "The price of one piece at the time of the order." }),
  })
  .refine((item) => (item.product_id == null) !== (item.product_external_id == null), {
    path: ["product_id"],
    message: "send either product_id or product_external_id",
  });

/** A line of an import of past orders. */
export const pastOrderLine = z
  .strictObject({
    external_id: word.openapi({
      description: "The id of the order in the other system. Unique per marketplace.",
    }),
    marketplace_id: z.guid().optional(),
    placed_at: time.openapi({
      description: "The time of the order, which becomes created_at. Not in the future.",
    }),
    customer: z
      .strictObject({
        email: email.nullish(),
        name: visibleOrEmpty(200).nullish(),
        external_id: word.nullish(),
      })
      .refine((customer) => customer.email != null || customer.external_id != null, {
        path: ["email"],
        message: "an e-mail address is required, unless the customer has an external_id",
      })
      .openapi({
        description:
          "The customer is found by email, or by external_id without an email; otherwise it is created.",
      }),
    items: z.array(soldItem).min(1).max(500),
    shipping_address: newAddress,
    billing_address: newAddress.nullish(),
    tax_id: visible(50).nullish(),
    status: orderStatus,
    payment_status: paymentStatus,
    completed_at: time.optional().openapi({
      description: "The time of the delivery: required for delivered, optional for returned.",
    }),
    cancelled_at: time.optional().openapi({ description: "Required for cancelled." }),
    returned_at: time.optional().openapi({ description: "Required for returned." }),
  })
  .openapi("PastOrderLine");

export type PastOrderLine = z.infer<typeof pastOrderLine>;
