import { z } from "@hono/zod-openapi";
import { deliveryRecipient } from "../marketplaces/settings.ts";
import { legalIdentity } from "../suppliers/schema.ts";
import { email } from "../values/email.ts";
import { Enums } from "../values/enums.generated.ts";
import { language } from "../values/languages.ts";
import { visible } from "../values/names.ts";
import { localText } from "../values/times.ts";
import { cancelled, pieceCounts, returned } from "./pieces_schema.ts";
import { orderStatus, paymentReport, paymentStatus } from "./statuses.ts";

const MAX_ADDRESS_BYTES = 8192;

/** A text of an address. Which ones are required depends on the country, and the database checks it. */
const line = (longest: number) => z.string().max(longest).nullish();

/** The fields of an address in requests. */
export const addressFields = {
  name: line(200),
  company: line(200),
  street: line(500).openapi({ description: "At most 3 lines." }),
  city: line(200),
  region: line(200).openapi({ description: "The state, province, county or emirate." }),
  postal_code: line(40),
  country: line(40).openapi({
    description:
      "An ISO 3166-1 alpha-2 code, in capital letters. Default: the marketplace's settings.business.country.",
  }),
  phone: line(50),
};

export const newAddress = z
  .looseObject(addressFields)
  .refine(
    (address) => new TextEncoder().encode(JSON.stringify(address)).length <= MAX_ADDRESS_BYTES,
    `must be at most ${MAX_ADDRESS_BYTES} bytes`,
  )
  .openapi("NewAddress", {
    description: `What is required depends on the country: see \`/api/countries\`. Without one it is street and city. Blank texts count as not sent. Further fields are allowed. At most ${MAX_ADDRESS_BYTES} bytes as JSON.`,
    example: {
      name: "Amina Karimova",
      street: "1 Palm Street",
      city: "Samarkand",
      postal_code: "140100",
      country: "UZ",
    },
  });

const shown = z.string().optional();

/** The fields of an address in responses. Stored values are not validated again. */
export const shownAddressFields = {
  name: shown,
  company: shown,
  street: z.string(),
  city: shown,
  region: shown,
  postal_code: shown,
  country: shown,
  phone: shown,
};

const address = z.looseObject(shownAddressFields).openapi("Address");

/** The person to write to about an order. */
const newContact = z
  .strictObject({
    email,
    name: visible(200).optional(),
    phone: visible(50).optional(),
  })
  .openapi("NewOrderContact");

/** The contact in responses. */
const contact = z
  .object({ email: z.string(), name: z.string().optional(), phone: z.string().optional() })
  .openapi("OrderContact");

const newItem = z.strictObject({
  product_id: z.guid(),
  variant_id: z.guid().optional().openapi({ description: "Required if the product has variants." }),
  quantity: z.number().int().min(1).max(1_000_000),
  price: z.number().min(0).openapi({
    description: "The price that the customer was shown. It must be the current price.",
  }),
  starts_at: z.iso
    .datetime({ offset: true })
    .optional()
    .openapi({ description: "For booked services: the start of the slot." }),
});

const ignored = z
  .unknown()
  .optional()
  .openapi({ description: "Computed by the database. A sent value is ignored." });

/** Further fields of orders, which a cart may send too. They are ignored. */
const computed = {
  status: ignored,
  payment_status: ignored,
  total_amount: ignored,
};

export const newOrder = z
  .strictObject({
    ...computed,
    marketplace_id: z.guid(),
    currency: z.string().optional().openapi({
      description: "The currency that the customer was shown. It must be the marketplace's.",
    }),
    items: z.array(newItem).min(1).max(500),
    shipping_address: newAddress.nullish().openapi({
      description: "Required for physical items. Digital goods and services need none.",
    }),
    billing_address: newAddress
      .nullish()
      .openapi({ description: "The address of the invoice. Default: the shipping address." }),
    tax_id: visible(50).nullish().openapi({ description: "The buyer's tax number." }),
    customer_id: z
      .guid()
      .optional()
      .openapi({ description: "For admins and clients: the customer." }),
    delivery_method: z.string().max(50).optional().openapi({
      description:
        "The key of one of the marketplace's methods; its price is added to the total. Required for physical items if the marketplace has methods.",
    }),
    payment_method: z
      .string()
      .max(50)
      .optional()
      .openapi({ description: "One of the marketplace's payment methods." }),
    contact: newContact
      .optional()
      .openapi({ description: "The contact for the order. Required from guests." }),
    language: language
      .optional()
      .openapi({ description: "The language of the order's mails. Default: the customer's." }),
    discount_codes: z.array(z.string().min(1).max(50)).max(5).optional().openapi({
      description: "Codes of discounts. All of them must apply.",
    }),
    replaces: z.guid().optional().openapi({
      description:
        "An unpaid order of the customer, pending or confirmed. It is cancelled in the same transaction, and its stock is free for this order. If this order is refused, it stays.",
    }),
  })
  .transform(({ status, payment_status, total_amount, ...order }) => order)
  .openapi("NewOrder");

export const statusChange = z
  .strictObject({ status: orderStatus, note: z.string().max(2000).optional() })
  .openapi("OrderStatusChange");

/** The party that bears a refund. */
export const refundBearer = z.enum(Enums.refund_bearer).openapi("RefundBearer");

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
          "For refunded: the refunded amount of each item. A refund without items and delivery_amount is goodwill: it does not lower refund_due.",
      }),
    delivery_amount: z
      .number()
      .min(0)
      .optional()
      .openapi({ description: "For refunded: the refunded amount of the delivery." }),
    borne_by: refundBearer.optional().openapi({
      description:
        "For refunded: the party that bears the refund. Default: operator. A supplier can bear refunds of items that the customer keeps.",
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
      description: "The refunded amount of each item, if the refund names items.",
    }),
  delivery_amount: z.number().nullable(),
  borne_by: z
    .enum(Enums.refund_bearer)
    .nullable()
    .openapi({ description: "The party that bears a refund; null for other reports." }),
  actor_id: z.guid().nullable(),
  created_at: z.string(),
};

export const payment = z
  .object({
    ...reported,
    tenant_id: z.guid(),
    order_id: z.guid(),
    payment_status: paymentStatus.openapi({ description: "The order's current payment status." }),
  })
  .openapi("Payment");

const visibility = z.enum(Enums.note_visibility).openapi("NoteVisibility");

export const newNote = z
  .strictObject({
    text: visible(5000),
    visibility: visibility.optional().openapi({
      description: "Default: customer for notes of customers, internal for others.",
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
  refunded_amount: z.number().openapi({
    description:
      "Refunds that the supplier bears, for items that the customer keeps. They lower the payout, and not the commission.",
  }),
  tax_amount: z.number().openapi({
    description: "The tax of its items and of the delivery that it receives.",
  }),
  payout_amount: z.number().openapi({
    description: "Without the tax, if the operator collects it.",
  }),
};

const taxCollector = z.enum(Enums.tax_collector).openapi("TaxCollector", {
  description: "Who hands the tax over to the state, by the settings at the time of the order.",
});

/** The tax of an item or a delivery, as it was when the order was placed. */
const taxRate = z
  .number()
  .nullable()
  .openapi({ description: "The rate of tax in percent; null if none applied." });

const commissionLine = {
  supplier_id: z.guid(),
  commission_percent: z.number().nullable().openapi({
    description:
      "The rate of its items when the order was placed; null if they have several (order_item_commissions has each).",
  }),
  delivery_percent: z
    .number()
    .openapi({ description: "The rate of its delivery; 0 if no commission is taken on delivery." }),
  tax_collected_by: taxCollector,
  ...commissionAmounts,
};

export const commission = z
  .object({
    ...commissionLine,
    order_id: z.guid(),
    tenant_id: z.guid(),
    marketplace_id: z.guid(),
    number: z.number().int().openapi({ description: "The order's number." }),
    status: orderStatus.openapi({ description: "The status of the supplier's part." }),
    order_status: orderStatus.openapi({ description: "The status of the whole order." }),
    payment_status: paymentStatus,
    currency: z.string(),
    completed_at: z.string().nullable().openapi({
      description:
        "The later of the payment and the delivery of the last piece that the customer keeps; null before both.",
    }),
    due_at: z.string().nullable().openapi({
      description: "Time at which it is due: completed_at plus the marketplace's payout delay.",
    }),
    created_at: z.string().openapi({ description: "Time at which the order was placed." }),
    updated_at: z.string(),
  })
  .openapi("Commission");

export const commissionTotal = z
  .object({ currency: z.string(), ...commissionAmounts })
  .openapi("CommissionTotal");

const percent = z.number().min(0).max(100).openapi({ description: "At most 4 decimals." });

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
    subtotal_amount: z.number().openapi({ description: "The sum of the items' amounts." }),
    delivery_amount: z.number(),
    discount_amount: z
      .number()
      .openapi({ description: "What discounts take off items and deliveries." }),
    tax_included: z.boolean().openapi({ description: "Whether prices contain the tax." }),
    tax_amount: z.number().openapi({ description: "The tax of all items and deliveries." }),
    tax_lines: z
      .array(
        z
          .object({
            name: z.string().nullable(),
            rate: z.number(),
            base_amount: z.number().openapi({ description: "What is taxed, without the tax." }),
            tax_amount: z.number(),
            note: z.string().nullable(),
          })
          .openapi("TaxLine"),
      )
      .openapi({ description: "The tax by rate, as the order was placed." }),
    tax_due: z.number().openapi({
      description: "The tax of what was not cancelled, returned or lost since.",
    }),
    owed_amount: z.number().openapi({
      description:
        "The price of what was not cancelled, returned or lost since, with its delivery.",
    }),
    total_amount: z.number().openapi({
      description: "The sum of both amounts, less discounts, with tax that they do not contain.",
    }),
    refund_due: z.number().openapi({
      description:
        "The amount to refund: the paid price of what was cancelled, returned or lost since. A refund that names an item, or the delivery, lowers what is due for that item or delivery only. 0 for suppliers.",
    }),
    refund_due_for: z
      .object({
        items: z.array(z.object({ item_id: z.guid(), amount: z.number() })),
        deliveries: z.array(z.object({ supplier_id: z.guid().nullable(), amount: z.number() })),
      })
      .openapi({
        description:
          "What refund_due is for: the amounts of items, and of the deliveries of parts. Together at most refund_due.",
      }),
    currency: z.string(),
    delivery_method: z.string().nullable(),
    payment_method: z.string().nullable(),
    payment_due_at: z.string().nullable().openapi({
      description: "Time until which a pending order waits for its payment; null if none is owed.",
    }),
    payment_due_at_local: localText.nullable(),
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
          starts_at_local: localText.nullable(),
          price: z.number(),
          amount: z.number().openapi({ description: "quantity × price." }),
          discount_amount: z.number().openapi({ description: "What a discount takes off amount." }),
          discount_borne_by: z.enum(Enums.refund_bearer).nullable(),
          discount_code: z.string().nullable(),
          tax_included: z
            .boolean()
            .openapi({ description: "Whether price and amount contain the tax." }),
          tax_rate: taxRate,
          tax_name: z.string().nullable(),
          tax_amount: z.number(),
          exempt_amount: z.number().openapi({
            description: "Tax that amount contains and the buyer does not pay (reverse charge).",
          }),
          net_amount: z.number().openapi({ description: "The amount without tax." }),
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
              .openapi({ description: "Null for the operator's part." }),
            status: orderStatus,
            subtotal: z.number(),
            delivery_amount: z.number(),
            delivery_owed: z.boolean().openapi({
              description:
                "Whether the delivery_amount is owed: false once all pieces are cancelled or lost.",
            }),
            delivery_recipient: deliveryRecipient.openapi({
              description:
                "The recipient of the delivery_amount, by the settings at the time of the order.",
            }),
            delivery_discount_amount: z.number(),
            discount_amount: z
              .number()
              .openapi({ description: "What discounts take off the items of the part." }),
            delivery_price: z.number().openapi({
              description:
                "What the buyer pays for the delivery: less its discount, with tax that delivery_amount does not contain.",
            }),
            delivery_tax_rate: taxRate,
            delivery_tax_amount: z.number(),
            tax_amount: z.number().openapi({ description: "The tax of all in the part." }),
            tax_note: z
              .string()
              .nullable()
              .openapi({ description: "reverse_charge if the buyer owes the tax itself." }),
            total_amount: z.number().openapi({ description: "What the buyer pays for the part." }),
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
      .openapi({ description: "Null if none was sent. Only physical items require it." }),
    billing_address: address.nullable().openapi({
      description: "The address of the invoice: that of the order, or the shipping address.",
    }),
    tax_id: z.string().nullable().openapi({ description: "The buyer's tax number." }),
    // A union, because `nullable()` would make the component nullable everywhere.
    contact: z.union([contact, z.null()]),
    language: z
      .string()
      .nullable()
      .openapi({ description: "The language of the order's mails; null if unknown." }),
    history: z.array(
      z.object({
        old_status: orderStatus,
        new_status: orderStatus,
        note: z.string().nullable(),
        actor_id: z
          .guid()
          .nullable()
          .openapi({ description: "Null if a timer or another system made the change." }),
        created_at: z.string(),
        created_at_local: localText,
      }),
    ),
    payments: z.array(z.object({ ...reported, created_at_local: localText })),
    cancellations: z.array(z.object({ ...cancelled, created_at_local: localText })),
    returns: z.array(z.object({ ...returned, created_at_local: localText })),
    notes: z.array(z.object({ ...written, created_at_local: localText })),
    commissions: z.array(z.object(commissionLine)).openapi({
      description: "A line per supplier, for admins and clients; suppliers see their own.",
    }),
    external_id: z
      .string()
      .nullable()
      .openapi({ description: "The order's id in the system that it was imported from." }),
    imported_at: z.string().nullable().openapi({
      description:
        "Time at which a past order was imported; null for an order that was placed here.",
    }),
    imported_at_local: localText.nullable(),
    created_at: z.string(),
    created_at_local: localText,
    updated_at: z.string(),
    updated_at_local: localText,
  })
  .openapi("Order");
