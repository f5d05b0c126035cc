import { z } from "@hono/zod-openapi";
import { language } from "../values/languages.ts";
import { number, versionNumber } from "./schema.ts";

const renderContext = {
  language: language.optional(),
  device: z.enum(["mobile", "tablet", "desktop"]).optional(),
  marketplace_id: z.guid().optional(),
  product_id: z.guid().optional(),
  category_id: z.guid().optional(),
};

export const renderRequest = z
  .strictObject({
    variables: z
      .record(z.string(), z.unknown())
      .default({})
      .openapi({
        example: { headline: "Welcome" },
      }),
    context: z
      .strictObject({
        ...renderContext,
        version: versionNumber
          .optional()
          .openapi({ description: "For members with a content role." }),
        preview: z.string().max(100).optional().openapi({ description: "The token of a preview." }),
      })
      .default({}),
  })
  .openapi("RenderRequest");

export const renderQuery = z.object({
  ...renderContext,
  preview: z.string().max(100).optional().openapi({
    description: "The token of a preview. It needs no access token.",
  }),
});

export const renderAnswer = z
  .object({
    html: z.string(),
    css: z.string(),
    head: z.object({
      title: z.string(),
      meta: z.array(z.object({ name: z.string(), content: z.string() })),
      open_graph: z.record(z.string(), z.string()),
      json_ld: z.array(z.record(z.string(), z.unknown())),
      links: z.array(
        z.object({ rel: z.string(), href: z.string(), hreflang: z.string().optional() }),
      ),
    }),
    language: z.string(),
    rtl: z.boolean(),
    version: number.openapi({ description: "0 for a built-in template." }),
    cache: z.object({ hit: z.boolean(), key: z.string(), expires_at: z.string().nullable() }),
    warnings: z.array(
      z.object({
        code: z.string(),
        message: z.string(),
        section: z.string().optional(),
        block: z.string().optional(),
      }),
    ),
  })
  .openapi("RenderAnswer");
