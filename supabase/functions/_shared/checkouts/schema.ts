import { z } from "@hono/zod-openapi";
import { newAddress, order, shownAddressFields } from "../orders/schema.ts";
import { comparable } from "../values/email.ts";
import { Enums } from "../values/enums.generated.ts";
import { language } from "../values/languages.ts";

// What a form has not asked for yet is missing, and what is typed may be wrong: the answer says so in its messages. So
// requests are refused for their types and sizes only.

/** The header with the token of a visitor's checkout. */
export const checkoutToken = z.object({
  "x-souk-checkout": z.string().max(100).optional().openapi({
    description:
      "The token of a visitor's checkout. A guest or customer who sends it with a change takes the checkout over.",
  }),
});

const newItem = z.object({
  product_id: z.guid(),
  variant_id: z.guid().nullish().openapi({ description: "Required if the product has variants." }),
  quantity: z.number().int().min(1).max(1_000_000),
  starts_at: z.iso
    .datetime({ offset: true })
    .nullish()
    .openapi({ description: "For booked services: the start of the slot." }),
});

const newContact = z
  .object({
    email: z
      .string()
      .max(320)
      .transform((typed) => comparable(typed) as string),
    name: z.string().max(200),
    phone: z.string().max(50),
  })
  .partial();

export const newCheckout = z
  .object({
    marketplace_id: z.guid().nullish().openapi({
      description:
        "Default: the marketplace that a visitor visits, that of the checkout, or the tenant's only one.",
    }),
    currency: z.string().max(10).nullish().openapi({
      description: "The currency that the buyer was shown. It must be the marketplace's.",
    }),
    items: z.array(newItem).min(1).max(500),
    contact: newContact.nullish().openapi({
      description: "Required from visitors and guests, and from clients without customer_id.",
    }),
    shipping_address: newAddress.nullish().openapi({ description: "Required for physical items." }),
    billing_address: newAddress
      .nullish()
      .openapi({ description: "The address of the invoice. Default: the shipping address." }),
    tax_id: z.string().max(50).nullish().openapi({ description: "The buyer's tax number." }),
    delivery_method: z.string().max(50).nullish().openapi({
      description:
        "The key of one of the delivery_options. Required for physical items if there are any.",
    }),
    payment_method: z.string().max(50).nullish(),
    discount_codes: z.array(z.string().min(1).max(50)).max(5).nullish(),
    language: language.nullish().openapi({
      description: "The language of the order's mails. Default: the customer's.",
    }),
    customer_id: z.guid().nullish().openapi({
      description:
        "For admins and clients: the customer. Default: the one with the contact's e-mail address, who is made if there is none.",
    }),
    replaces: z.guid().nullish().openapi({
      description:
        "An unpaid order of the customer, pending or confirmed. Completing cancels it in the same transaction; until then its stock, slots and uses of discounts count as free for this checkout.",
    }),
  })
  .openapi("NewCheckout", {
    example: {
      items: [{ product_id: "dddddddd-0000-4000-8000-000000000000", quantity: 2 }],
      contact: { email: "amina@example.com" },
      delivery_method: "parcel",
      discount_codes: ["SUMMER10"],
    },
  });

const checkoutStatus = z.enum(Enums.checkout_status).openapi("CheckoutStatus", {
  description:
    "ready: an order could be placed. incomplete: a message of type error says why not. An open checkout becomes expired at expires_at.",
});

const item = z
  .object({
    product_id: z.guid(),
    variant_id: z.guid().nullable(),
    supplier_id: z.guid().nullable(),
    name: z.string().nullable(),
    quantity: z.number().int(),
    starts_at: z.string().nullable(),
    price: z.number().nullable().openapi({
      description: "The current price; null if the product is not for sale here.",
    }),
    amount: z.number().nullable().openapi({ description: "quantity × price." }),
    discount_amount: z.number().openapi({ description: "What a discount takes off amount." }),
    discount_code: z.string().nullable(),
    tax_rate: z.number().nullable(),
    tax_name: z.string().nullable(),
    tax_amount: z.number(),
    exempt_amount: z.number().openapi({
      description: "Tax that amount contains and the buyer does not pay (reverse charge).",
    }),
  })
  .openapi("CheckoutItem");

const total = z
  .object({
    type: z.enum(["items", "discount", "delivery", "tax", "tax_exemption", "total"]),
    amount: z.number().openapi({ description: "Negative for discount and tax_exemption." }),
    included: z.boolean().optional().openapi({
      description: "Of tax: whether the prices contain it. Then it is not a part of the sum.",
    }),
  })
  .openapi("CheckoutTotal");

const deliveryOption = z
  .object({
    key: z.string(),
    name: z.string(),
    per_supplier: z
      .boolean()
      .openapi({ description: "Whether each supplier's delivery is charged." }),
    price: z.number().openapi({
      description:
        "Of this supplier's delivery, or without per_supplier of the delivery of all together. Before discounts, and tax that it does not contain.",
    }),
    total: z.number().openapi({ description: "Of the delivery of the whole order." }),
  })
  .openapi("DeliveryOption");

const message = z
  .object({
    type: z
      .enum(["error", "info"])
      .openapi({ description: "error: an order would be refused for it." }),
    code: z.string().openapi({ description: "An error code.", example: "INSUFFICIENT_INVENTORY" }),
    path: z
      .string()
      .nullable()
      .openapi({ description: "The field that it is about.", example: "items[0].quantity" }),
    text: z.string(),
  })
  .openapi("CheckoutMessage");

/** What was sent, which may be incomplete. */
const sentAddress = z.looseObject(shownAddressFields).partial().nullable();

export const checkout = z
  .object({
    id: z.guid(),
    marketplace_id: z.guid(),
    status: checkoutStatus,
    currency: z.string(),
    items: z.array(item),
    totals: z.array(total).openapi({
      description:
        "All but the total and what is included add up to the total. Those that are 0 are left out, except for items, total, and the delivery by a chosen method.",
    }),
    total: z.number().openapi({ description: "What the order costs. Send it with complete." }),
    delivery_options: z
      .array(z.object({ supplier_id: z.guid().nullable(), options: z.array(deliveryOption) }))
      .openapi({
        description:
          "The delivery methods that take all physical items to the address, or to the marketplace's country before there is one: for each supplier who has some, and for the operator (null).",
      }),
    messages: z.array(message),
    contact: z
      .object({ email: z.string(), name: z.string(), phone: z.string() })
      .partial()
      .nullable(),
    shipping_address: sentAddress,
    billing_address: sentAddress,
    tax_id: z.string().nullable(),
    delivery_method: z.string().nullable(),
    payment_method: z.string().nullable(),
    discount_codes: z.array(z.string()),
    language: z.string().nullable(),
    customer_id: z.guid().nullable(),
    replaces: z.guid().nullable(),
    order_id: z.guid().nullable().openapi({ description: "The order, once it is completed." }),
    expires_at: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    token: z.string().optional().openapi({
      description:
        "Only in the answer to a visitor's POST: the value of the header x-souk-checkout.",
    }),
  })
  .openapi("Checkout");

export const completion = z
  .object({
    total: z.number().openapi({ description: "The total that the buyer has seen and accepts." }),
  })
  .openapi("CheckoutCompletion");

export const completedCheckout = checkout
  .extend({
    order: z.union([order, z.null()]).openapi({
      description: "The order. Null if the caller may not read orders.",
    }),
  })
  .openapi("CompletedCheckout");
