import { z } from "@hono/zod-openapi";
import { contentRole, memberStatus, role } from "../auth/schema.ts";
import { words } from "../http/words.ts";

const name = z.string().min(1).max(200);

const bytes = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

const rules = z.array(z.string().min(1).max(200)).max(100).optional();

const settings = z
  .object({
    analytics: z
      .object({
        ignore: z
          .object({
            user_agents: rules.openapi({
              description: "Parts of what visitors' programs call themselves, in any case.",
              example: ["UptimeRobot"],
            }),
            visitors: rules.openapi({ description: "As `visitor_id` names them, or users' ids." }),
          })
          .nullish()
          .openapi({ description: "Whose visits no figure counts." }),
      })
      .optional(),
    content: z
      .object({
        four_eyes: z.boolean().nullish().openapi({
          description: "Nobody approves while a version since the last publication is theirs.",
        }),
        keep_versions: z.number().int().min(1).max(999_999).nullish().openapi({
          description: "How many versions of a piece are kept, the oldest go first.",
          example: 100,
        }),
        preview_url: z.string().min(1).max(2048).nullish().openapi({
          description: "Where the shop shows drafts, with {type}, {slug}, {language}, {token}.",
          example: "https://shop.example.com/{slug}?preview={token}",
        }),
      })
      .optional(),
    media: z
      .object({
        file_bytes: bytes.nullish().openapi({ description: "Of one file.", example: 52_428_800 }),
        quota_bytes: bytes
          .nullish()
          .openapi({ description: "Of all media together.", example: 5_368_709_120 }),
      })
      .optional(),
  })
  .openapi("TenantSettings", {
    description: "What is not among them is as docs/limits.md says; null gives one up.",
  });

export const tenant = z
  .object({
    id: z.guid(),
    name: z.string(),
    time_zone: z.string(),
    settings,
    created_at: z.string(),
  })
  .openapi("Tenant");

const timeZone = z.string().min(1).max(100).openapi({
  description: "In which the tenant's days begin: a name of the IANA's. UTC where none was chosen.",
  example: "Europe/Berlin",
});

export const tenantChanges = z
  .object({ name, time_zone: timeZone, settings })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "Send at least one field to change.")
  .openapi("TenantChanges");

const memberFields = {
  role,
  status: memberStatus,
  supplier_id: z.guid().nullable().openapi({
    description: "The organisation that a supplier acts for; null for all others.",
  }),
  content_roles: z.array(contentRole).max(4),
};

export const member = z
  .object({
    user_id: z.guid(),
    tenant_id: z.guid(),
    email: z.string().openapi({ description: "Empty for a guest." }),
    name: z.string(),
    is_anonymous: z
      .boolean()
      .openapi({ description: "Whether this is a guest, who has not registered." }),
    ...memberFields,
    created_at: z.string(),
  })
  .openapi("Member");

export const memberChanges = z
  .object(memberFields)
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "Send at least one field to change.")
  .openapi("MemberChanges");

/** Who a supplier is before the law, as it is answered: what is stored is no longer judged. */
export const legalIdentity = z
  .object({ name: z.string(), address: z.string(), tax_id: z.string() })
  .partial()
  .openapi("LegalIdentity", { description: "As far as it was said." });

const legal = z
  .strictObject({ name: words(200), address: words(1000), tax_id: words(50) })
  .partial()
  .openapi("NewLegalIdentity", {
    description: "Who it is before the law: a shop shows it, and an order keeps it.",
    example: { name: "Atlas Crafts GmbH", address: "2 Oak Street, 10115 Berlin", tax_id: "DE1" },
  });

export const supplier = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    name: z.string(),
    verified: z.boolean(),
    legal: legalIdentity,
    created_at: z.string(),
  })
  .openapi("Supplier");

export const newSupplier = z
  .object({ name, verified: z.boolean().default(false), legal: legal.optional() })
  .openapi("NewSupplier");

export const supplierChanges = z
  .object({
    name,
    verified: z.boolean().openapi({ description: "For admins." }),
    legal: legal.openapi({ description: "Takes the place of what was said before." }),
  })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "Send at least one field to change.")
  .openapi("SupplierChanges");

export const customer = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    user_id: z.guid().nullable().openapi({ description: "Null for one without an account." }),
    name: z.string(),
    email: z.string().nullable(),
    language: z
      .string()
      .nullable()
      .openapi({ description: "In which it is written to; null where it has not said." }),
    external_id: z
      .string()
      .nullable()
      .openapi({ description: "What the system calls it from which its past orders came." }),
    created_at: z.string(),
  })
  .openapi("Customer");

export const newCustomer = z
  .object({ name, email: z.email().max(320).optional() })
  .openapi("NewCustomer");
