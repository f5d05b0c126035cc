import { z } from "@hono/zod-openapi";
import { role } from "../auth/schema.ts";
import { flag } from "../http/answers.ts";
import { listQuery, pageFields, search } from "../http/page.ts";
import { Enums } from "../values/enums.generated.ts";
import { language } from "../values/languages.ts";
import { slug as readableAddress } from "../values/names.ts";
import { decimal } from "../values/parameters.ts";
import type { RichText } from "./rich_text.ts";

export const contentStatus = z.enum(Enums.content_status).openapi("ContentStatus");

export const translationStatus = z.enum(Enums.translation_status).openapi("TranslationStatus");

const versionNumber = z.number().int().min(1).max(2_147_483_647);
const comment = z.string().max(2_000).openapi({ example: "Opening hours of the new year" });
const anything = z.record(z.string(), z.unknown());

/** Checked node by node by rich_text.ts and by the database. */
export const richText = z
  .custom<RichText>((value) => typeof value === "object" && value !== null)
  .openapi("RichText", {
    type: "object",
    properties: {
      type: { type: "string", enum: ["doc"] },
      content: { type: "array", items: { type: "object", additionalProperties: true } },
    },
    required: ["type"],
    description: "A ProseMirror document, as TipTap's editor produces it.",
    example: {
      type: "doc",
      content: [{ type: "paragraph", content: [{ type: "text", text: "Open from ten to six." }] }],
    },
  });

/** A union: with `nullable`, the OpenAPI document would say that a rich text can be null everywhere. */
const richTextOrNone = z.union([richText, z.null()]);

const slug = readableAddress.openapi({
  description: "The address of the content. If absent, it is made from the title.",
  example: "about-us",
});

const title = z.record(z.string(), z.string().max(500)).openapi("LocalizedString", {
  description: "By language. The marketplace's language is required.",
  example: { en: "About us", de: "Über uns" },
});

export const blockType = z
  .enum(["text", "image", "video", "gallery", "product_grid", "banner", "testimonials"])
  .openapi("ContentBlockType");

const readers = z.array(role).min(1);

const block = {
  type: blockType,
  content: anything.openapi({
    description:
      "By type: text `{text: RichText}`; image, video `{asset_id, alt, title}`; gallery `{images: [{asset_id, alt}]}`; product_grid `{product_ids}` or `{query}`, as the list of products takes it; banner `{title, text, href, asset_id}`; testimonials `{items: [{author, text}]}`.",
    example: { title: "Summer sale", text: "Until August", href: "/sale" },
  }),
  settings: anything.openapi({
    description: "Free for the shop: how the block is shown.",
    example: { tone: "warm" },
  }),
  permissions: z
    .object({ roles: readers.nullish().openapi({ example: ["customer"] }) })
    .openapi({ description: "The roles that see the block. Absent: everybody." }),
};

const sentBlock = z
  .object({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be up to 64 letters, digits, _ and -")
      .optional()
      .openapi({ description: "Generated if absent.", example: "hero" }),
    type: block.type.openapi({ example: "banner" }),
    content: block.content,
    settings: block.settings.optional(),
    permissions: block.permissions.optional(),
  })
  .openapi("NewContentBlock");

const contentBlock = z
  .object({
    id: z.string(),
    ...block,
    content: block.content
      .nullable()
      .openapi({ description: "Null if it is not translated and `fallback=false`." }),
    products: z.array(anything).optional().openapi({
      description:
        "In a product_grid with `resolve=true`: the products, as product lists return them.",
    }),
  })
  .openapi("ContentBlock");

const seo = z
  .object({
    title: z.string().max(200),
    description: z.string().max(1000),
    keywords: z.array(z.string().min(1).max(100)).max(100),
    canonical_url: z.string().max(2048),
    og_tags: z.record(z.string(), z.string()),
    schema_markup: anything.openapi({ description: "JSON-LD." }),
  })
  .partial()
  .openapi("SEOData");

const translatedBlock = z
  .object({ id: z.string(), content: anything })
  .openapi({ description: "The translated keys of the block with this id." });

const translation = {
  content: richTextOrNone.optional(),
  seo: seo.nullish(),
  fields: anything.nullish(),
  blocks: z.array(translatedBlock).max(200).nullish(),
};

const localizations = z
  .record(z.string(), z.strictObject(translation))
  .openapi({ description: "By language. Absent texts follow the original." });

const visibility = z.enum(Enums.content_visibility).openapi({
  description:
    "public: everybody. members: everybody with an account. roles: the roles in visible_to.",
});

/** The document of a piece of content. */
const document = z
  .object({
    slug,
    title,
    content: richTextOrNone,
    blocks: z.array(sentBlock).max(200),
    fields: anything.openapi({ description: "As the content type defines them." }),
    layout: z.string().min(1).max(100).nullable(),
    seo,
    visibility,
    visible_to: z.array(role),
    localizations,
  })
  .partial();

export const newContent = document
  .extend({
    title,
    marketplace_id: z.guid().optional().openapi({
      description: "Optional if the tenant has one marketplace, and for products.",
    }),
    subject_id: z.guid().optional().openapi({
      description: "For the types products and categories: the id of the described record.",
    }),
    comment: comment.optional(),
  })
  .openapi("NewContent");

export const contentChanges = document
  .extend({
    version_number: versionNumber.optional().openapi({
      description: "The version that the changes began from. If-Match can state it instead.",
    }),
    comment: comment.optional(),
    autosave: z.boolean().default(false).openapi({
      description: "The save replaces the caller's last autosave of the last 10 minutes.",
    }),
  })
  .openapi("ContentChanges");

const languageState = z
  .object({
    language: z.string(),
    status: translationStatus,
    published_version_number: versionNumber.nullable(),
    outdated: z.boolean().openapi({ description: "Whether the original has changed since." }),
  })
  .openapi("ContentLanguage");

const asset = z.object({
  url: z.string(),
  type: z.string(),
  alt: z.string(),
  width: z.number().int().nullable(),
  height: z.number().int().nullable(),
  srcset: z.string().nullable(),
  focal_point: z.object({ x: z.number(), y: z.number() }).nullable(),
});

/** The record as it is returned. Rich texts and fields were checked when they were saved, and are not parsed again. */
export const content = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    type: z.string().openapi({ example: "static_pages" }),
    marketplace_id: z.guid(),
    slug: z.string().openapi({ example: "about-us" }),
    subject_id: z.guid().nullable(),
    status: contentStatus,
    title: z.union([z.string(), title]).nullable().openapi({
      description: "In the requested language. Editors who request none get all languages.",
    }),
    content: z
      .union([richText, z.string()])
      .nullable()
      .openapi({ description: "A rich text, or with `format=html` its HTML." }),
    blocks: z.array(contentBlock),
    fields: anything,
    layout: z.string().nullable(),
    seo,
    visibility,
    visible_to: z.array(role),
    localizations: localizations.optional().openapi({
      description: "For editors who request no language.",
    }),
    version_number: versionNumber,
    published_version_number: versionNumber.nullable(),
    has_unpublished_changes: z.boolean(),
    scheduled_at: z.string().nullable(),
    scheduled_version_number: versionNumber.nullable(),
    unpublish_at: z.string().nullable(),
    language: z.string().openapi({ description: "The requested language, or the original's." }),
    served_language: z.string().nullable().openapi({
      description: "The first language that supplied a field. Null if no language was requested.",
    }),
    languages: z.array(languageState).openapi({ description: "The translations." }),
    author_id: z.guid().nullable(),
    is_draft: z
      .boolean()
      .openapi({ description: "Whether this is the draft and not the published version." }),
    moved_to: z.string().nullable().openapi({
      description: "The current slug, if the request named a former one.",
    }),
    assets: z.record(z.string(), asset).openapi({
      description: "The media assets that the content names, by id.",
    }),
    published_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Content");

export type Content = z.infer<typeof content>;

export const savedContent = content
  .extend({
    merged: z.boolean().openapi({
      description: "Whether the save was merged with a newer version.",
    }),
  })
  .openapi("SavedContent");

const format = z
  .enum(["json", "html"])
  .default("json")
  .openapi({ description: "`html`: rich texts are safe HTML inside the JSON." });

const languageQuery = language.optional().openapi({
  description: "Untranslated fields have the base language (pt for pt-BR) or the original's.",
});

export const contentQuery = z.object({
  language: languageQuery,
  fallback: flag.default(true).openapi({ description: "`false`: untranslated fields are null." }),
  format,
  resolve: flag.default(false).openapi({ description: "`true`: grids have their products." }),
  marketplace_id: z
    .guid()
    .optional()
    .openapi({ description: "Needed if several marketplaces have this slug." }),
  version: decimal(z.number().int().min(1)).optional().openapi({ description: "For editors." }),
  branch: z.string().max(50).optional().openapi({ description: "For editors." }),
  preview: z.string().max(100).optional().openapi({
    description: "The token of a preview. It returns the draft without an access token.",
  }),
});

export const contentListQuery = listQuery(["updated_at"]).extend({
  status: contentStatus.optional().openapi({ description: "For editors." }),
  marketplace_id: z.guid().optional(),
  search: search.openapi({
    description: "A part of slug or title.",
  }),
  language: languageQuery,
  format,
});

export const contentList = z
  .object({ content: z.array(content), ...pageFields })
  .openapi("ContentList");

const type = z.string().min(1).max(50).openapi({ example: "static_pages" });

export const typeParam = z.object({ type });
export const contentParam = typeParam.extend({
  id: z.string().min(1).max(200).openapi({
    description: "An id, a slug, or the id of the product or category that it describes.",
    example: "about-us",
  }),
});
export const localizationParam = contentParam.extend({ language });
export const branchParam = contentParam.extend({ name: z.string().min(1).max(50) });
export const versionParam = contentParam.extend({ version: decimal(z.number().int().min(1)) });

export const branchQuery = z.object({
  branch: z.string().min(1).max(50).default("main"),
});

export const ifMatch = z.object({
  "if-match": z
    .string()
    .optional()
    .openapi({ description: 'The ETag of the version that was read: `"<version_number>"`.' }),
});

export const contentMove = z.object({ comment: comment.optional() }).openapi("ContentMove");

const languages = z
  .array(language)
  .min(1)
  .max(50)
  .optional()
  .openapi({
    description: "Only these languages. Absent: the original.",
    example: ["de"],
  });

export const publication = contentMove
  .extend({
    at: z.iso.datetime({ offset: true }).optional().openapi({
      description: "Absent: now. A later save does not change the version that is published.",
    }),
    until: z.iso.datetime({ offset: true }).optional().openapi({
      description: "The end of the publication.",
    }),
    languages,
  })
  .openapi("ContentPublication");

export const withdrawal = contentMove.extend({ languages }).openapi("ContentWithdrawal");

const contentMoveRecord = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    content_id: z.guid(),
    move: z.string().openapi({
      description:
        "submit, approve, reject, publish, unpublish, archive, restore; also edit, schedule, schedule_failed, delete.",
      example: "approve",
    }),
    from_status: contentStatus,
    to_status: contentStatus,
    version_number: versionNumber,
    actor_id: z
      .guid()
      .nullable()
      .openapi({ description: "Null for scheduled moves and automatic steps." }),
    comment: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi("ContentMoveRecord");

export const historyQuery = listQuery(["created_at"]).omit({ sort: true });

export const contentMoveList = z
  .object({ moves: z.array(contentMoveRecord), ...pageFields })
  .openapi("ContentMoveList");

const version = z.object({
  id: z.guid(),
  content_id: z.guid(),
  version_number: versionNumber,
  parents: z.array(versionNumber).openapi({ description: "A merge has two." }),
  branch: z.string(),
  changes: z.array(z.string()).openapi({
    description: "The paths that differ from the first parent, at most 1,000.",
    example: ["title.en", "blocks.hero"],
  }),
  author_id: z.guid().nullable(),
  timestamp: z.string(),
  comment: z.string().nullable(),
  autosave: z.boolean(),
  bytes: z.number().int(),
});

export const contentVersionList = z
  .object({ versions: z.array(version.openapi("ContentVersion")), ...pageFields })
  .openapi("ContentVersionList");

export const contentVersion = version
  .extend({ document: anything })
  .openapi("ContentVersionWithDocument");

export const compareQuery = z.object({
  from: decimal(z.number().int().min(1)),
  to: decimal(z.number().int().min(1)),
});

export const comparison = z
  .object({
    changes: z.array(
      z.object({ path: z.string(), from: z.unknown(), to: z.unknown() }).openapi("ContentChange", {
        description: "from and to are null if there is no value at the path.",
      }),
    ),
  })
  .openapi("ContentComparison");

export const rollback = z
  .object({ version_number: versionNumber, comment: comment.optional() })
  .openapi("ContentRollback");

export const rolledBackContent = content
  .extend({
    missing: z.array(z.string()).openapi({
      description: "The paths that name assets or products that were removed since.",
    }),
  })
  .openapi("RolledBackContent");

const branchName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, "must be up to 50 lower-case letters, digits, _ and -")
  .openapi({ example: "christmas" });

export const newBranch = z
  .object({
    name: branchName,
    from_version: versionNumber.optional().openapi({ description: "Absent: the head of main." }),
  })
  .openapi("NewContentBranch");

export const branch = z
  .object({ name: z.string(), version_number: versionNumber, created_at: z.string() })
  .openapi("ContentBranch");

export const branchList = z.object({ branches: z.array(branch) }).openapi("ContentBranchList");

export const newMerge = z
  .object({
    from: branchName,
    into: branchName.default("main"),
    resolutions: z
      .array(
        z.union([
          z.object({ path: z.string().max(1000), take: z.enum(["ours", "theirs"]) }),
          z.object({ path: z.string().max(1000), value: z.unknown() }),
        ]),
      )
      .max(1000)
      .default([])
      .openapi({
        description:
          "The resolution of conflicts: the value of `into` (ours), of `from` (theirs), or another value.",
        example: [{ path: "seo.title", take: "ours" }],
      }),
    comment: comment.optional(),
  })
  .openapi("ContentMerge");

export const localization = z
  .object({
    content_id: z.guid(),
    language: z.string(),
    status: translationStatus,
    translator_id: z.guid().nullable(),
    last_updated: z.string(),
    published_version_number: versionNumber.nullable(),
    outdated: z.boolean(),
    version_number: versionNumber.openapi({
      description: "The version of the content, for the next save.",
    }),
    title: z.string().nullable(),
    content: richTextOrNone,
    seo,
    fields: anything,
    blocks: z.array(translatedBlock),
  })
  .openapi("LocalizedContent");

export const localizationChanges = z
  .object({
    version_number: versionNumber.optional().openapi({
      description:
        "The version of the content that the changes began from. If-Match can state it instead.",
    }),
    title: z.string().min(1).max(500).nullish(),
    ...translation,
    comment: comment.optional(),
  })
  .openapi("LocalizedContentChanges", { description: "null removes a text." });

export const localizationMove = z
  .object({ status: translationStatus })
  .openapi("LocalizedContentMove");

export const newPreview = z
  .object({ branch: z.string().min(1).max(50).default("main"), language: language.optional() })
  .openapi("NewContentPreview");

export const preview = z
  .object({
    url: z.string().nullable().openapi({
      description:
        "settings.content.preview_url with its placeholders filled in. Null without that setting.",
    }),
    token: z.string(),
    expires_at: z.string(),
  })
  .openapi("ContentPreview");
