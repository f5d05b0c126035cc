import { z } from "@hono/zod-openapi";
import { email } from "../http/email.ts";
import { language } from "../http/language.ts";
import { visible } from "../http/names.ts";
import { deliveryRecipient } from "../marketplaces/settings.ts";
import { legalIdentity } from "../tenancy/schema.ts";
import { cancelled, pieceCounts, returned } from "./pieces_schema.ts";
import { orderStatus, paymentReport, paymentStatus } from "./statuses.ts";

const MAX_ADDRESS_BYTES = 8192;

export const newAddress = z
  .looseObject({ street: visible(500), city: visible(200), postal_code: visible(40) })
  .refine(
    (address) => new TextEncoder().encode(JSON.stringify(address)).length <= MAX_ADDRESS_BYTES,
    `must be at most ${MAX_ADDRESS_BYTES} bytes`,
  )
  .openapi("NewAddress", {
    description: `With whatever else you send, ${MAX_ADDRESS_BYTES} bytes at most.`,
  });

/** As it is answered: what is stored is no longer judged. */
const address = z
  .looseObject({ street: z.string(), city: z.string(), postal_code: z.string() })
  .openapi("Address");

/** The person to write to about an order. */
const newContact = z
  .strictObject({
    email,
    name: visible(200).optional(),
    phone: visible(50).optional(),
  })
  .openapi("NewOrderContact");

/** As it is answered. */
const contact = z
  .object({ email: z.string(), name: z.string().optional(), phone: z.string().optional() })
  .openapi("OrderContact");

const newItem = z.strictObject({
  product_id: z.guid(),
  variant_id: z
    .guid()
    .optional()
    .openapi({ description: "Needed where the product has variants." }),
  quantity: z.number().int().min(1).max(1_000_000),
  price: z
    .number()
    .min(0)
    .openapi({ description: "What the customer was shown. Has to be the current price." }),
  starts_at: z.iso
    .datetime({ offset: true })
    .optional()
    .openapi({ description: "For services that are booked: when it begins." }),
});

const ignored = z
  .unknown()
  .optional()
  .openapi({ description: "The database's to say: what is sent here changes nothing." });

/** What carts and records of orders hold besides. */
const computed = {
  status: ignored,
  payment_status: ignored,
  total_amount: ignored,
  currency: ignored,
};

export const newOrder = z
  .strictObject({
    ...computed,
    marketplace_id: z.guid(),
    items: z.array(newItem).min(1).max(500),
    shipping_address: newAddress.nullish().openapi({
      description: "Required for physical items. Digital goods and services need none.",
    }),
    customer_id: z
      .guid()
      .optional()
      .openapi({ description: "For admins and clients: who orders." }),
    delivery_method: z.string().max(50).optional().openapi({
      description:
        "The key of one of the marketplace's methods; its price is added to the total. Required for physical items if the marketplace has methods.",
    }),
    payment_method: z
      .string()
      .max(50)
      .optional()
      .openapi({ description: "One of those the marketplace takes." }),
    contact: newContact
      .optional()
      .openapi({ description: "The person to write to about the order. Required from guests." }),
    language: language
      .optional()
      .openapi({ description: "The language of its mails; the customer's if left out." }),
  })
  .transform(({ status, payment_status, total_amount, currency, ...wish }) => wish)
  .openapi("NewOrder");

export const statusChange = z
  .strictObject({ status: orderStatus, note: z.string().max(2000).optional() })
  .openapi("OrderStatusChange");

const refundBearer = z.enum(["operator", "supplier"]).openapi("RefundBearer");

export const newPayment = z
  .strictObject({
    status: paymentReport,
    amount: z.number().positive().max(999_999_999_999_999).optional().openapi({
      description:
        "For paid: what the order costs, exactly. For refunded: at most what was paid and not given back yet. Required, except for refund_failed and payment_reversed, which have the amount of what they undo.",
    }),
    reference: z.string().min(1).max(200).openapi({
      description:
        "What the payment service calls it. The same status and reference happen once. For refund_failed: the reference of the refund; for payment_reversed: that of the payment.",
    }),
    items: z
      .array(z.strictObject({ item_id: z.guid(), amount: z.number().positive() }))
      .min(1)
      .max(500)
      .optional()
      .openapi({
        description:
          "For refunded: the amount given back of each item. A refund without items and delivery_amount is goodwill: it does not lower refund_due.",
      }),
    delivery_amount: z
      .number()
      .min(0)
      .optional()
      .openapi({ description: "For refunded: the amount given back of the delivery." }),
    borne_by: refundBearer.optional().openapi({
      description:
        "For refunded: who bears it. operator if left out. A supplier can bear refunds of its items that the customer keeps.",
    }),
  })
  .openapi("NewPayment", { example: { status: "paid", amount: 103, reference: "pi_3Nf2" } });

const reported = {
  id: z.guid(),
  status: paymentReport,
  amount: z.number().openapi({
    description:
      "Of a payment_reversed: the payment, or what refunds had left of it, if that is less.",
  }),
  currency: z.string(),
  reference: z.string(),
  items: z
    .array(z.object({ item_id: z.guid(), amount: z.number() }))
    .nullable()
    .openapi({
      description: "The amount that a refund gave back of each item, if it names items.",
    }),
  delivery_amount: z.number().nullable(),
  borne_by: refundBearer
    .nullable()
    .openapi({ description: "Who bears a refund; null for other reports." }),
  actor_id: z.guid().nullable(),
  created_at: z.string(),
};

export const payment = z
  .object({
    ...reported,
    tenant_id: z.guid(),
    order_id: z.guid(),
    payment_status: paymentStatus.openapi({ description: "Of the order, as it is now." }),
  })
  .openapi("Payment");

const visibility = z.enum(["internal", "customer"]).openapi("NoteVisibility");

export const newNote = z
  .strictObject({
    text: visible(5000),
    visibility: visibility.optional().openapi({
      description: "Left out, a customer's note is for all to read and any other internal.",
    }),
  })
  .openapi("NewOrderNote");

const written = {
  id: z.guid(),
  text: z.string(),
  visibility,
  supplier_id: z.guid().nullable(),
  author_id: z.guid().nullable(),
  created_at: z.string(),
};

export const note = z
  .object({ ...written, tenant_id: z.guid(), order_id: z.guid() })
  .openapi("OrderNote");

const commissionAmounts = {
  sales_amount: z
    .number()
    .openapi({ description: "Items that were not cancelled, returned or lost." }),
  delivery_amount: z
    .number()
    .openapi({ description: "The delivery, if the supplier receives it." }),
  commission_amount: z.number(),
  payout_amount: z.number(),
};

const commissionLine = {
  supplier_id: z.guid(),
  commission_percent: z.number().nullable().openapi({
    description:
      "The rate of its items when the order was placed; null if they have several (order_item_commissions has each).",
  }),
  delivery_percent: z
    .number()
    .openapi({ description: "The rate of its delivery; 0 if no commission is taken on delivery." }),
  ...commissionAmounts,
};

export const commission = z
  .object({
    ...commissionLine,
    order_id: z.guid(),
    tenant_id: z.guid(),
    marketplace_id: z.guid(),
    number: z.number().int().openapi({ description: "Of the order." }),
    status: orderStatus,
    payment_status: paymentStatus,
    currency: z.string(),
    created_at: z.string().openapi({ description: "When the order was placed." }),
    updated_at: z.string(),
  })
  .openapi("Commission");

export const commissionTotal = z
  .object({ currency: z.string(), ...commissionAmounts })
  .openapi("CommissionTotal");

const percent = z.number().min(0).max(100).openapi({ description: "With at most 4 decimals." });

export const newCommissionRate = z
  .strictObject({
    supplier_id: z.guid().optional().openapi({ description: "This, or category_id." }),
    category_id: z
      .guid()
      .optional()
      .openapi({ description: "Also applies to the categories below it that have no rate." }),
    commission_percent: percent,
  })
  .openapi("NewCommissionRate");

export const commissionRate = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    supplier_id: z.guid().nullable(),
    category_id: z.guid().nullable(),
    commission_percent: percent,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("CommissionRate");

export const order = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    marketplace_id: z.guid(),
    number: z
      .number()
      .int()
      .openapi({ description: "1, 2, 3, … in each marketplace, without gaps." }),
    customer_id: z.guid(),
    status: orderStatus,
    payment_status: paymentStatus,
    subtotal_amount: z.number().openapi({ description: "The amounts of all items together." }),
    delivery_amount: z.number(),
    total_amount: z.number(),
    refund_due: z.number().openapi({
      description:
        "What is to be given back: what was paid, less what the order costs now, less what refunds gave back for items and delivery that they name. 0 for suppliers.",
    }),
    currency: z.string(),
    delivery_method: z.string().nullable(),
    payment_method: z.string().nullable(),
    payment_due_at: z.string().nullable().openapi({
      description: "Until when a pending order waits for its payment; null where none is owed.",
    }),
    items: z.array(
      z
        .object({
          id: z.guid(),
          product_id: z.guid(),
          variant_id: z.guid().nullable(),
          supplier_id: z.guid().nullable(),
          name: z.string(),
          quantity: z.number().int(),
          ...pieceCounts,
          starts_at: z.string().nullable(),
          price: z.number(),
          amount: z.number(),
        })
        .openapi("OrderItem"),
    ),
    parts: z
      .array(
        z
          .object({
            supplier_id: z
              .guid()
              .nullable()
              .openapi({ description: "Null for the part of the operator." }),
            status: orderStatus,
            subtotal: z.number(),
            delivery_amount: z.number(),
            delivery_recipient: deliveryRecipient.openapi({
              description: "Who receives the delivery_amount, by the settings when it was placed.",
            }),
            legal: legalIdentity,
          })
          .openapi("OrderPart"),
      )
      .openapi({
        description:
          "The part of each supplier, with its legal identity at the time of the order. Suppliers see their own.",
      }),
    shipping_address: address
      .nullable()
      .openapi({ description: "Null if none was sent, which only physical items require." }),
    // A union, since `nullable()` would make the component itself nullable wherever it is named.
    contact: z.union([contact, z.null()]),
    language: z
      .string()
      .nullable()
      .openapi({ description: "The language of its mails; null if it is not known." }),
    history: z.array(
      z.object({
        old_status: orderStatus,
        new_status: orderStatus,
        note: z.string().nullable(),
        actor_id: z
          .guid()
          .nullable()
          .openapi({ description: "Null where it was the clock, or another system." }),
        created_at: z.string(),
      }),
    ),
    payments: z.array(z.object(reported)),
    cancellations: z.array(z.object(cancelled)),
    returns: z.array(z.object(returned)),
    notes: z.array(z.object(written)),
    commissions: z.array(z.object(commissionLine)).openapi({
      description: "A line per supplier, for admins and clients; suppliers see their own.",
    }),
    external_id: z
      .string()
      .nullable()
      .openapi({ description: "What the system calls it that it was imported from." }),
    imported_at: z.string().nullable().openapi({
      description: "When a past order was imported; null for an order that was placed here.",
    }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Order");

export const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()])
  .openapi({ description: "A date, or a time with its offset." });

/** The part of a list's query that asks for a time: from its beginning, and before its end. */
export const period = { from: moment.optional(), to: moment.optional() };
