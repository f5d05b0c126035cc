import { z } from "@hono/zod-openapi";
import { contentRole, memberStatus, role } from "../auth/schema.ts";
import { changesSomething, NOTHING_TO_CHANGE, updatedAt } from "../http/if_match.ts";
import { email } from "../values/email.ts";
import { Enums } from "../values/enums.generated.ts";
import { language } from "../values/languages.ts";
import { visible } from "../values/names.ts";

const name = visible(200);

const bytes = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

const rules = z.array(z.string().min(1).max(200)).max(100).optional();

const settings = z
  .object({
    content: z
      .object({
        four_eyes: z.boolean().nullish().openapi({
          description:
            "A reviewer cannot approve content if one of its versions since the last publication is their own.",
        }),
        keep_versions: z.number().int().min(1).max(999_999).nullish().openapi({
          description: "Number of versions of a piece of content that are kept.",
          example: 100,
        }),
        preview_url: z.string().min(1).max(2048).nullish().openapi({
          description:
            "The shop's address for previews, with {type}, {slug}, {language} and {token}.",
          example: "https://shop.example.com/{slug}?preview={token}",
        }),
      })
      .nullish(),
    catalog: z
      .object({
        unique_skus: z.boolean().nullish().openapi({
          description:
            "Whether variants of a supplier in a marketplace must have different skus. Default: true.",
        }),
      })
      .nullish(),
    media: z
      .object({
        file_bytes: bytes
          .nullish()
          .openapi({ description: "Largest file, in bytes.", example: 52_428_800 }),
        quota_bytes: bytes
          .nullish()
          .openapi({ description: "Total size of all media, in bytes.", example: 5_368_709_120 }),
        keep_metadata: z.boolean().nullish().openapi({
          description:
            "Public images are served as they were sent, with where and when they were taken. Otherwise Souk keeps their orientation and colour profile only.",
        }),
      })
      .nullish(),
    sellers: z
      .object({
        signup: z.enum(["invitation", "application", "open"]).nullish().openapi({
          description:
            "Who may become a supplier: who is invited (the default), who has applied and is approved, or anybody.",
        }),
        product_review: z.enum(["all", "unverified", "none"]).nullish().openapi({
          description:
            "Whose products are reviewed before buyers see them: those of all suppliers, of suppliers that are not verified (the default), or none.",
        }),
      })
      .nullish(),
    analytics: z
      .object({
        ignore: z
          .object({
            user_agents: rules.openapi({
              description:
                "Parts of visitors' User-Agent headers. Upper and lower case are the same.",
              example: ["UptimeRobot"],
            }),
            visitors: rules.openapi({ description: "Values of `visitor_id`, or ids of users." }),
          })
          .nullish()
          .openapi({ description: "Visitors that are not counted." }),
      })
      .nullish(),
  })
  .openapi("TenantSettings", {
    description:
      "A setting that is absent has the value in docs/limits.md. In a change, null removes one, and the value of a setting is replaced whole.",
  });

export const tenant = z
  .object({
    id: z.guid(),
    name: z.string(),
    time_zone: z.string(),
    settings,
    mail_status: z.enum(Enums.tenant_mail_status).openapi({
      description: "Whether the owner of the project lets the tenant send mails of its own.",
    }),
    mail_paused_at: z.string().nullable().openapi({
      description: "Since when too many bounces or complaints have paused the tenant's mail.",
    }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Tenant");

const timeZone = z.string().min(1).max(100).openapi({
  description: "An IANA name. It determines the start of the tenant's days. Default: UTC.",
  example: "Europe/Berlin",
});

export const tenantChanges = z
  .object({ name, time_zone: timeZone, settings, updated_at: updatedAt })
  .partial()
  .refine(changesSomething, NOTHING_TO_CHANGE)
  .openapi("TenantChanges");

export const tenantName = z
  .object({
    name: z.string().openapi({
      description: "The name of the tenant, exactly as it is, as a confirmation.",
    }),
  })
  .openapi("TenantName");

export const tenantRemoval = z
  .object({ tenant_id: z.guid(), asked_at: z.string() })
  .openapi("TenantRemoval");

const memberFields = {
  role,
  status: memberStatus,
  supplier_id: z.guid().nullable().openapi({
    description: "The organisation of a supplier; null for other roles.",
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
      .openapi({ description: "Whether the user is a guest, who has not registered." }),
    ...memberFields,
    created_at: z.string(),
  })
  .openapi("Member");

export const memberChanges = z
  .object(memberFields)
  .partial()
  .refine(changesSomething, NOTHING_TO_CHANGE)
  .openapi("MemberChanges");

export const customer = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    user_id: z
      .guid()
      .nullable()
      .openapi({ description: "Null for a customer without an account." }),
    name: z.string().openapi({
      description: "A guest without a name of its own has the name of its last order.",
    }),
    email: z.string().nullable().openapi({
      description:
        "For a guest, the address that it gave in its last order, which nobody has confirmed.",
    }),
    phone: z.string().nullable(),
    is_guest: z.boolean().openapi({ description: "Whether the account is a guest's." }),
    language: z
      .string()
      .nullable()
      .openapi({ description: "The language of the customer's mails; null if unknown." }),
    external_id: z.string().nullable().openapi({
      description: "The customer's id in the system that its past orders were imported from.",
    }),
    orders: z
      .number()
      .int()
      .openapi({ description: "The number of its orders, cancelled ones too." }),
    last_ordered_at: z.string().nullable(),
    created_at: z.string(),
    erased_at: z.string().nullable().openapi({
      description: "When its personal data was erased. It has no name and no address then.",
    }),
  })
  .openapi("Customer");

const phone = visible(50).openapi({ example: "+49 30 1234567" });

export const newCustomer = z
  .object({
    name,
    email: email.optional(),
    phone: phone.optional(),
    language: language.optional(),
  })
  .openapi("NewCustomer");

export const customerChanges = z
  .object({
    name,
    email: email.nullable().openapi({
      description: "For the staff, and customers without an account.",
    }),
    phone: phone.nullable(),
    language: language.nullable(),
  })
  .partial()
  .refine(changesSomething, NOTHING_TO_CHANGE)
  .openapi("CustomerChanges");
