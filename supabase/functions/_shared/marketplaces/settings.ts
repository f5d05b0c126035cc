import { z } from "@hono/zod-openapi";
import { visible } from "../http/names.ts";

// What private.check_settings() of the database checks, said once more where it documents and types.

const address = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/, "must be an address (https://…)")
  .openapi({ example: "https://shop.example.com/logo.svg" });

/** An object of at most 100 entries. */
function map<Value extends z.ZodType>(names: RegExp, value: Value) {
  return z
    .record(z.string().regex(names), value)
    .refine((entries) => Object.keys(entries).length <= 100, "must have at most 100 entries");
}

const tags = map(/^[A-Za-z][A-Za-z0-9:._-]{0,99}$/, z.string().min(1).max(1000));

function list(longest: number) {
  return z
    .array(z.string().min(1).max(longest))
    .max(100)
    .refine((entries) => new Set(entries).size === entries.length, "must not repeat anything");
}

export const branding = z
  .strictObject({
    logo_url: address,
    favicon_url: address,
    colors: map(
      /^[A-Za-z][A-Za-z0-9_-]{0,49}$/,
      z.string().regex(/^#[0-9A-Fa-f]{6}$/, "must be a color like #1a2b3c"),
    ).openapi({ example: { primary: "#1a2b3c" } }),
    custom_css: z
      .string()
      .max(50_000)
      .refine((css) => !css.includes("</"), 'must not hold "</"'),
  })
  .partial()
  .openapi("MarketplaceBranding");

export const seo = z
  .strictObject({
    title: z.string().max(200),
    description: z.string().max(1000),
    keywords: list(100),
    canonical_url: address,
    meta_tags: tags,
    og_tags: tags.openapi({ example: { "og:type": "website" } }),
  })
  .partial()
  .openapi("MarketplaceSeo");

const money = z.number().min(0).max(999_999_999_999);

export const deliveryRecipient = z.enum(["operator", "supplier"]).openapi("DeliveryRecipient");

const deliveryMethod = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, "must be up to 50 small letters, digits, _ and -"),
    name: visible(200),
    price: money.openapi({
      description: "With no more decimals than the marketplace's currency has.",
    }),
    per_supplier: z.boolean().optional().openapi({
      description:
        "Charges the price for each supplier with physical items, and for the operator if it has some, instead of once for the order. False if not set.",
    }),
    free_from: money.optional().openapi({
      description:
        "The subtotal from which on delivery is free: of the order, or with per_supplier of the supplier's part. With no more decimals than the currency has.",
    }),
  })
  .openapi("DeliveryMethod");

const business = z
  .strictObject({
    commission_percent: z
      .number()
      .min(0)
      .max(100)
      .openapi({ description: "With at most 4 decimals." }),
    payment_methods: list(50).openapi({ example: ["card", "invoice"] }),
    payment_deadline_minutes: z.number().int().min(5).max(43_200).openapi({
      description: "An order that is not paid after so many minutes is cancelled. 1440 if not set.",
    }),
    delivery: z
      .strictObject({
        methods: z
          .array(deliveryMethod)
          .max(100)
          .refine(
            (methods) => new Set(methods.map(({ key }) => key)).size === methods.length,
            "must have another key for every method",
          ),
        recipient: deliveryRecipient.openapi({
          description:
            "Who receives the delivery amount of a supplier's part, with per_supplier. The operator if not set.",
        }),
      })
      .partial(),
    ship_unpaid: z
      .boolean()
      .openapi({ description: "Whether unpaid orders may be shipped. True if not set." }),
    delivered_after_days: z.number().int().min(1).max(365).openapi({
      description:
        "The number of days after which a shipment counts as delivered without a report. 14 if not set.",
    }),
    return_days: z.number().int().min(1).max(365).openapi({
      description:
        "The number of days after the delivery of a piece within which a return can be requested. 14 if not set.",
    }),
    commission_on_delivery: z.boolean().openapi({
      description:
        "Whether commission is also taken on delivery that a supplier receives. False if not set.",
    }),
    guest_checkout: z
      .boolean()
      .openapi({ description: "Whether guests may order. True if not set." }),
  })
  .partial()
  .openapi("MarketplaceBusiness");

export const settings = z
  .strictObject({ branding, seo, business })
  .partial()
  .openapi("MarketplaceSettings");
