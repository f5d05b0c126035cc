import { domainToASCII } from "node:url";
import { z } from "@hono/zod-openapi";
import { country } from "../countries/schema.ts";
import { changesSomething, NOTHING_TO_CHANGE, updatedAt } from "../http/if_match.ts";
import { Enums } from "../values/enums.generated.ts";
import { visible } from "../values/names.ts";
import { decimal } from "../values/parameters.ts";
import { branding, offeredDeliveryMethod, seo, settings, settingsChanges } from "./settings.ts";

export const marketplaceStatus = z.enum(Enums.marketplace_status).openapi("MarketplaceStatus");

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "must be an ISO 4217 code")
  .openapi({ example: "EUR" });

const fields = {
  name: visible(200),
  description: z.string().max(10_000),
  category: z.string().min(1).max(100),
  currency,
  language: z.string().min(2).max(35).openapi({ description: "A BCP 47 tag.", example: "en" }),
  domain: z.string().min(1).max(253).openapi({
    description: "A host name. An internationalised name is stored as Punycode.",
    example: "shop.example.com",
  }),
};

/** A host name in the form of the domain name system: lower case, and Punycode for other scripts. */
export const hostName = fields.domain
  .regex(/^[^\s/?#@:]+$/, "must be a host name")
  .transform((domain) => (isAscii(domain) ? domain : domainToASCII(domain)).toLowerCase());

const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);

const sentFields = { ...fields, domain: hostName };

export const newMarketplace = z
  .object({
    ...sentFields,
    description: fields.description.default(""),
    settings: settings.optional(),
  })
  .openapi("NewMarketplace");

export const marketplaceChanges = z
  .object({
    ...sentFields,
    status: marketplaceStatus,
    settings: settingsChanges.openapi({
      description:
        "Groups (branding, seo, business, tax) and fields of a group that are not sent stay as they are, and null removes one. The value of a field is replaced whole, also if it is an object or a list.",
    }),
    updated_at: updatedAt,
  })
  .partial()
  .refine(changesSomething, NOTHING_TO_CHANGE)
  .openapi("MarketplaceChanges");

export const marketplace = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    ...fields,
    status: marketplaceStatus,
    settings,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Marketplace");

export const storefrontQuery = z.object({ domain: hostName });

export const storefront = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    ...fields,
    languages: z.array(z.string()).openapi({ description: "The languages of its contents." }),
    branding,
    seo,
    guest_checkout: z.boolean().openapi({ description: "Whether guests may order." }),
    country: z
      .string()
      .nullable()
      .openapi({ description: "The country of addresses that name none; null for none." }),
  })
  .openapi("Storefront");

export const checkoutQuery = z.object({
  marketplace_id: z.guid().optional().openapi({
    description: "By default the marketplace that a visitor visits, or the tenant's only one.",
  }),
});

export const deliveryQuery = checkoutQuery.extend({
  country: country.optional().openapi({
    description: "Lists only the methods that serve this country, by ISO 3166-1.",
  }),
  region: z.string().max(200).optional().openapi({
    description: "With country: lists only the methods that serve this region of it.",
  }),
  weight_grams: decimal(z.number().int().min(0).max(999_999_999_999)).optional().openapi({
    description:
      "The weight of the order, or of a supplier's part where the method is per_supplier: the price is for it, and methods that do not carry it are left out. Default: 0.",
  }),
  subtotal: decimal(z.number().min(0).max(999_999_999_999_999)).optional().openapi({
    description: "The subtotal of the order or part: the price is 0 from a method's free_from on.",
  }),
});

export const deliveryMethods = z
  .object({ delivery_methods: z.array(offeredDeliveryMethod) })
  .openapi("DeliveryMethods");
