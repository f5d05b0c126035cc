import { z } from "@hono/zod-openapi";

export const marketplaceStatus = z
  .enum(["draft", "active", "inactive", "suspended"])
  .openapi("MarketplaceStatus");

const settings = z
  .object({
    branding: z.record(z.string(), z.unknown()).optional(),
    seo: z.record(z.string(), z.unknown()).optional(),
    business: z.record(z.string(), z.unknown()).optional(),
  })
  .openapi("MarketplaceSettings");

const fields = {
  name: z.string().min(1).max(200),
  description: z.string().max(10_000),
  category: z.string().min(1).max(100),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "must be an ISO 4217 code")
    .openapi({ example: "EUR" }),
  language: z.string().min(2).max(35).openapi({ description: "A BCP 47 tag.", example: "en" }),
  domain: z.string().min(1).max(253).openapi({ example: "shop.example.com" }),
};

export const newMarketplace = z
  .object({ ...fields, description: fields.description.default("") })
  .openapi("NewMarketplace");

export const marketplaceChanges = z
  .object({ ...fields, status: marketplaceStatus, settings })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "Send at least one field to change.")
  .openapi("MarketplaceChanges");

export const marketplace = z
  .object({
    id: z.uuid(),
    tenant_id: z.uuid(),
    ...fields,
    status: marketplaceStatus,
    settings,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Marketplace");
