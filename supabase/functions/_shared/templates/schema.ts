import { z } from "@hono/zod-openapi";
import { idParam } from "../http/answers.ts";
import { listQuery, pageFields, search } from "../http/page.ts";
import { language } from "../values/languages.ts";
import { visible } from "../values/names.ts";
import { decimal } from "../values/parameters.ts";
import { pageType, templateContent } from "./content_schema.ts";

export { type PageType, pageType, type TemplateBlock, templateContent } from "./content_schema.ts";

export const versionNumber = z.number().int().min(1).max(2_147_483_647);
export const startVersion = versionNumber.optional().openapi({
  description: "The version that the change is based on. The header If-Match can name it instead.",
});

const name = visible(200).openapi({ example: "Summer" });

const caching = z
  .strictObject({
    strategy: z.enum(["memory", "redis", "filesystem", "cdn"]).openapi({ example: "memory" }),
    duration: z
      .number()
      .int()
      .min(0)
      .max(86_400)
      .openapi({ description: "Seconds.", example: 300 }),
    invalidation: z
      .array(z.string().min(1).max(100))
      .max(100)
      .nullish()
      .openapi({
        description: "Stored only: a change shows at once in any case.",
        example: ["product.updated"],
      }),
    compression: z.boolean().nullish(),
  })
  .openapi("TemplateCaching");

export const newTemplate = z
  .strictObject({
    name,
    type: pageType.openapi({ example: "homepage" }),
    content: templateContent,
    marketplace_id: z.guid().nullish().openapi({ description: "Left out: for all marketplaces." }),
    is_default: z.boolean().optional().openapi({
      description:
        "Once active, it renders all pages of its type, and replaces the default template before.",
    }),
    caching: caching.nullish(),
  })
  .openapi("NewTemplate");

export const templateChanges = z
  .object({
    name: name.optional(),
    content: templateContent.optional(),
    is_default: z.boolean().optional(),
    caching: caching.nullish(),
    type: pageType
      .optional()
      .openapi({ description: "Cannot change; may be sent back unchanged." }),
    marketplace_id: z
      .guid()
      .nullish()
      .openapi({ description: "Cannot change; may be sent back unchanged." }),
    version_number: startVersion,
  })
  .openapi("TemplateChanges");

export const number = z.number().int().min(0);

/** A template in responses. */
export const template = z
  .object({
    id: z.guid().nullable().openapi({ description: "Null: a built-in template." }),
    tenant_id: z.guid().nullable(),
    marketplace_id: z.guid().nullable().openapi({ description: "Null: for all marketplaces." }),
    name: z.string(),
    type: pageType,
    is_default: z.boolean(),
    content: templateContent,
    caching: caching.nullable(),
    version: number.openapi({ description: "The number of this version." }),
    version_number: number.openapi({
      description: "The number of the latest version, for the next save.",
    }),
    active_version: number
      .nullable()
      .openapi({ description: "The number of the version that readers see." }),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
  })
  .openapi("PageTemplate");

export type Template = z.infer<typeof template>;

export const templateList = z
  .object({ templates: z.array(template), ...pageFields })
  .openapi("PageTemplateList");

const newestFirst = listQuery(["updated_at"]).omit({ sort: true });

export const templateListQuery = newestFirst.extend({
  type: pageType.optional(),
  marketplace_id: z.guid().optional(),
  search: search.openapi({ description: "Part of the name." }),
});

export const templateQuery = z.object({
  marketplace_id: z.guid().optional().openapi({
    description: "The marketplace, for a page type. Not needed if the tenant has only one.",
  }),
  version: decimal(z.number().int().min(1).max(2_147_483_647)).optional().openapi({
    description: "For members with a content role.",
  }),
});

export const idOrTypeParam = z.object({
  id: z.union([z.guid(), pageType]).openapi({
    description: "The id of a template; or a page type, for the template that renders such pages.",
    example: "homepage",
  }),
});

export const versionParam = idParam.extend({
  version: decimal(z.number().int().min(1).max(2_147_483_647)),
});

export const historyQuery = newestFirst;

export const templateVersionList = z
  .object({
    versions: z.array(
      z
        .object({
          id: z.guid(),
          template_id: z.guid(),
          version: versionNumber,
          changes: z.array(z.string()).openapi({
            description: "The paths that differ from the version before, at most 1,000.",
            example: ["sections.top.blocks.hero", "variables.headline"],
          }),
          created_by: z.guid().nullable(),
          created_at: z.string(),
          is_active: z.boolean(),
        })
        .openapi("TemplateVersion"),
    ),
    ...pageFields,
  })
  .openapi("TemplateVersionList");

const text = z.string().max(10_000);

const localized = {
  translations: z
    .array(
      z.strictObject({
        key: z
          .string()
          .regex(/^[A-Za-z0-9_.-]{1,200}$/, "must be up to 200 letters, digits, dots, _ and -")
          .openapi({ example: "cart.items" }),
        value: text.openapi({ example: "{{ count }} Artikel" }),
        context: z.string().max(500).nullish(),
        plural_forms: z
          .strictObject({
            zero: text.optional(),
            one: text.optional(),
            two: text.optional(),
            few: text.optional(),
            many: text.optional(),
            other: text,
          })
          .nullish()
          .openapi({ example: { one: "Ein Artikel", other: "{{ count }} Artikel" } }),
      }),
    )
    .max(2_000),
  rtl_support: z.boolean().openapi({
    description: "Written from right to left. By default as the language is.",
  }),
  custom_styles: z.string().max(100_000).nullable(),
  formatting: z
    .strictObject({
      date_format: z.enum(["short", "medium", "long", "full"]).nullish(),
      time_format: z.enum(["short", "medium", "long", "full"]).nullish(),
      currency_format: z.enum(["symbol", "narrow_symbol", "code", "name"]).nullish(),
      number_format: z.enum(["grouped", "plain", "compact"]).nullish(),
    })
    .openapi("LocaleFormatting")
    .nullable(),
};

export const templateLocalization = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    base_template_id: z.guid(),
    language: z.string(),
    ...localized,
    version_number: versionNumber,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("LocalizedTemplate");

export const templateLocalizationList = z
  .object({ localizations: z.array(templateLocalization) })
  .openapi("LocalizedTemplateList");

export const templateLocalizationChanges = z
  .object(localized)
  .partial()
  .extend({
    version_number: z.number().int().min(0).max(2_147_483_647).optional().openapi({
      description: "The version that the change is based on; left out or 0 for a new language.",
    }),
  })
  .openapi("LocalizedTemplateChanges");

export const localizationParam = idParam.extend({ language });

export const newTemplatePreview = z
  .object({
    version: versionNumber.optional().openapi({ description: "By default the latest." }),
  })
  .openapi("NewTemplatePreview");

export const templatePreview = z
  .object({
    url: z.string().openapi({ description: "Renders this version without a session." }),
    token: z.string(),
    version: versionNumber,
    expires_at: z.string(),
  })
  .openapi("TemplatePreview");
