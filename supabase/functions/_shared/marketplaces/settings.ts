import { z } from "@hono/zod-openapi";
import { country } from "../countries/schema.ts";
import { address } from "../values/address.ts";
import { email } from "../values/email.ts";
import { Enums } from "../values/enums.generated.ts";
import { visible } from "../values/names.ts";

// The same rules as private.check_settings() in the database. They are repeated here to document and type the API.

/** An object of at most 100 entries. */
function map<Value extends z.ZodType>(names: RegExp, value: Value) {
  return z
    .record(z.string().regex(names), value)
    .refine((entries) => Object.keys(entries).length <= 100, "must have at most 100 entries");
}

/** An object in a change: a field that is not sent stays as it is, and null removes it. */
function changeOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const fields = Object.entries(shape).map(([name, field]) => [
    name,
    (field as z.ZodType).nullable(),
  ]);
  return z
    .strictObject(Object.fromEntries(fields) as { [N in keyof Shape]: z.ZodNullable<Shape[N]> })
    .partial();
}

const tags = map(/^[A-Za-z][A-Za-z0-9:._-]{0,99}$/, z.string().min(1).max(1000));

function list(longest: number) {
  return z
    .array(z.string().min(1).max(longest))
    .max(100)
    .refine((entries) => new Set(entries).size === entries.length, "must not have duplicates");
}

const brandingFields = {
  logo_url: address,
  favicon_url: address,
  colors: map(
    /^[A-Za-z][A-Za-z0-9_-]{0,49}$/,
    z.string().regex(/^#[0-9A-Fa-f]{6}$/, "must be a color like #1a2b3c"),
  ).openapi({ example: { primary: "#1a2b3c" } }),
  hosts: z
    .array(
      z
        .string()
        .max(253)
        .regex(
          /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/,
          "must be a host name in lower case, such as images.example.com",
        ),
    )
    .max(20)
    .refine((hosts) => new Set(hosts).size === hosts.length, "must not have duplicates")
    .openapi({
      description:
        "The other hosts that pages may load pictures, sounds, videos and frames from, send forms to, and link to with values in the address.",
      example: ["images.example.com"],
    }),
  custom_css: z
    .string()
    .max(50_000)
    .refine((css) => !css.includes("</"), 'must not contain "</"'),
};

export const branding = z.strictObject(brandingFields).partial().openapi("MarketplaceBranding");

const brandingChanges = changeOf(brandingFields).openapi("MarketplaceBrandingChanges");

const seoFields = {
  title: z.string().max(200),
  description: z.string().max(1000),
  keywords: list(100),
  canonical_url: address,
  meta_tags: tags,
  og_tags: tags.openapi({ example: { "og:type": "website" } }),
};

export const seo = z.strictObject(seoFields).partial().openapi("MarketplaceSeo");

const seoChanges = changeOf(seoFields).openapi("MarketplaceSeoChanges");

const money = z.number().min(0).max(999_999_999_999);

export const deliveryRecipient = z.enum(Enums.delivery_recipient).openapi("DeliveryRecipient");

const grams = z.number().int().min(1).max(999_999_999_999);

const deliveryRate = z
  .strictObject({
    up_to_grams: grams.openapi({
      description: "The rate is for weights up to this one, in grams.",
    }),
    price: money,
  })
  .openapi("DeliveryRate");

export const deliveryMethodFields = {
  key: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, "must be at most 50 lower-case letters, digits, _ and -"),
  name: visible(200),
  price: money.optional().openapi({
    description: "It must not have more decimals than the marketplace's currency.",
  }),
  rates: z.array(deliveryRate).min(1).max(50).optional().openapi({
    description:
      "Prices by weight, in place of price, with growing weights. The method carries nothing that weighs more than the last.",
  }),
  per_supplier: z.boolean().optional().openapi({
    description:
      "Charges the price for each supplier with physical items, and for the operator if it has some, instead of once for the order. Default: false.",
  }),
  free_from: money.optional().openapi({
    description:
      "Delivery is free from this subtotal of the order, or with per_supplier of the supplier's part. It must not have more decimals than the currency.",
  }),
  countries: z.array(country).min(1).max(250).optional().openapi({
    description: "The countries that the method serves, by ISO 3166-1. Default: all.",
  }),
  tax_category_id: z.guid().optional().openapi({
    description: "The category whose tax rate delivery has. Default: the rate for all products.",
  }),
  regions: z.array(visible(200)).min(1).max(200).optional().openapi({
    description:
      "The regions of the one country in countries that the method serves, as addresses name them. Default: all.",
  }),
};

export const deliveryMethod = z
  .strictObject(deliveryMethodFields)
  .refine(({ price, rates }) => (price === undefined) !== (rates === undefined), {
    path: ["price"],
    message: "must be there, or rates in its place",
  })
  .refine(({ countries, regions }) => !regions || countries?.length === 1, {
    path: ["countries"],
    message: "must be one country, because regions are named",
  })
  .openapi("DeliveryMethod", { example: { key: "parcel", name: "Parcel", price: 4.9 } });

/** A method as it is offered, with its price for a weight and a subtotal. */
export const offeredDeliveryMethod = z
  .object({ ...deliveryMethodFields, price: money })
  .openapi("OfferedDeliveryMethod");

const businessFields = {
  commission_percent: z.number().min(0).max(100).openapi({ description: "At most 4 decimals." }),
  payment_methods: list(50).openapi({ example: ["card", "invoice"] }),
  payment_instructions: visible(2000).openapi({
    description:
      "How buyers pay without a payment service: the text of the provider manual, such as a bank account. Default: none.",
    example: "Transfer the amount to DE02 1203 0000 0000 2020 51, with the order's number.",
  }),
  payment_capture: z.enum(["automatic", "manual"]).openapi({
    description:
      "manual: payment services only reserve the money, until a payment session is captured. Default: automatic.",
  }),
  payment_deadline_minutes: z.number().int().min(5).max(43_200).openapi({
    description:
      "An order that is not paid within this number of minutes is cancelled. Default: 1440.",
  }),
  checkout_minutes: z.number().int().min(5).max(43_200).openapi({
    description: "A checkout expires this number of minutes after its last change. Default: 360.",
  }),
  delivery: z
    .strictObject({
      methods: z
        .array(deliveryMethod)
        .max(100)
        .refine(
          (methods) => new Set(methods.map(({ key }) => key)).size === methods.length,
          "must not have two methods with the same key",
        ),
      recipient: deliveryRecipient.openapi({
        description:
          "The recipient of the delivery amount of a supplier's part, with per_supplier. Default: the operator.",
      }),
    })
    .partial(),
  max_unpaid_orders: z.number().int().min(1).max(1_000_000).openapi({
    description:
      "The maximum number of unpaid orders of a customer. Orders of free items, and those that the seller accepted by hand, do not count. Default: 50.",
  }),
  max_unpaid_pieces: z.number().int().min(1).max(1_000_000).openapi({
    description:
      "The maximum number of pieces of a product that a customer reserves in unpaid orders. Default: 20, or a tenth of the product's free stock if that is more.",
  }),
  ship_unpaid: z
    .boolean()
    .openapi({ description: "Whether unpaid orders may be shipped. Default: true." }),
  require_safety: z.boolean().openapi({
    description:
      "Whether goods need safety.manufacturer before they are active (GPSR). Default: false.",
  }),
  delivered_after_days: z.number().int().min(1).max(365).openapi({
    description:
      "The number of days after which a shipment counts as delivered without a report. Default: 14.",
  }),
  return_days: z.number().int().min(1).max(365).openapi({
    description:
      "The number of days after the delivery of a piece within which a return can be requested. Default: 14.",
  }),
  payout_delay_days: z.number().int().min(0).max(365).openapi({
    description:
      "The number of days after which a supplier's line is due, from its payment and delivery on. Default: return_days.",
  }),
  commission_on_delivery: z.boolean().openapi({
    description:
      "Whether commission is also taken on delivery that a supplier receives. Default: false.",
  }),
  guest_checkout: z.boolean().openapi({ description: "Whether guests may order. Default: true." }),
  country: country.openapi({
    description:
      "The country of addresses that name none: an ISO 3166-1 alpha-2 code. Default: none.",
  }),
  reply_to: email.openapi({
    description:
      "The address that answers to mails go to. Default: the sender's. Domains may be internationalised.",
    example: "help@spices.example.com",
  }),
};

const business = z.strictObject(businessFields).partial().openapi("MarketplaceBusiness");

const businessChanges = changeOf(businessFields).openapi("MarketplaceBusinessChanges");

const taxFields = {
  prices_include_tax: z.boolean().openapi({
    description: "Whether the prices of products and of delivery include tax. Default: true.",
  }),
  country: country.openapi({
    description: "The country of departure: an ISO 3166-1 alpha-2 code. Default: none.",
  }),
  collected_by: z.enum(["supplier", "operator"]).openapi({
    description: "Who collects the tax on the items of a supplier. Default: the supplier.",
  }),
  commission_on_tax: z
    .boolean()
    .openapi({ description: "Whether commission is also taken on tax. Default: false." }),
};

const tax = z.strictObject(taxFields).partial().openapi("MarketplaceTax");

const taxChanges = changeOf(taxFields).openapi("MarketplaceTaxChanges");

export const settings = z
  .strictObject({ branding, seo, business, tax })
  .partial()
  .openapi("MarketplaceSettings");

export const settingsChanges = changeOf({
  branding: brandingChanges,
  seo: seoChanges,
  business: businessChanges,
  tax: taxChanges,
}).openapi("MarketplaceSettingsChanges");
