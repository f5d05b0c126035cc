import { z } from "@hono/zod-openapi";
import { role } from "../auth/schema.ts";
import { Enums } from "../values/enums.generated.ts";

// The schema of a template's content. The database checks the same rules for callers that do not use these functions.

const id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be up to 64 letters, digits, _ and -")
  .openapi({ example: "hero" });

const variableName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,49}$/, "must be lower-case letters, digits and underscores")
  .openapi({ example: "headline" });

const device = z.enum(["mobile", "tablet", "desktop"]);
export const styles = z.string().max(100_000).openapi({ example: ".headline { color: teal }" });
const formula = z.string().min(1).max(2_000);

export const pageType = z.enum(Enums.page_type).openapi("PageType");
export type PageType = z.infer<typeof pageType>;

export const variable = z
  .strictObject({
    name: variableName,
    type: z
      .enum(["string", "number", "boolean", "array", "object", "image", "color", "date"])
      .openapi({ example: "string" }),
    default_value: z.unknown().optional().openapi({ example: "Welcome" }),
    required: z.boolean().optional(),
    description: z.string().max(1_000).nullish(),
    validation: z
      .strictObject({
        min: z.union([z.number(), z.string()]).nullish(),
        max: z.union([z.number(), z.string()]).nullish(),
        min_length: z.number().int().min(0).nullish(),
        max_length: z.number().int().min(0).nullish(),
        pattern: z.string().max(500).nullish(),
        options: z.array(z.unknown()).max(100).nullish(),
      })
      .nullish(),
  })
  .openapi("TemplateVariable");

export const variables = z.array(variable).max(100);

const comparison = z
  .strictObject({
    variable: z
      .string()
      .max(200)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)*$/, "must be a name, or a path with dots")
      .openapi({ example: "product.price" }),
    operator: z
      .enum(["equals", "not_equals", "greater_than", "less_than", "contains", "exists"])
      .openapi({ example: "less_than" }),
    value: z.unknown().optional().openapi({ example: 20 }),
    logic: z.enum(["AND", "OR"]).nullish().openapi({
      description: "In a list: how it is joined to the expressions before it; AND by default.",
    }),
  })
  .openapi("ConditionalExpression");

type Comparison = z.infer<typeof comparison>;
interface Logical {
  operator: "AND" | "OR" | "NOT";
  conditions: (Comparison | Logical)[];
}

const logical: z.ZodType<Logical> = z
  .strictObject({
    operator: z.enum(["AND", "OR", "NOT"]),
    get conditions(): z.ZodArray<z.ZodType<Comparison | Logical>> {
      return z.array(z.union([comparison, logical])).max(20) as never;
    },
  })
  .openapi("LogicalCondition");

const expression = z.union([comparison, logical, z.array(comparison).max(20)]);

const condition = z
  .strictObject({ id: id.nullish(), expression, action: z.enum(["show", "hide"]) })
  .openapi("RenderCondition");

export const responsiveRule = z
  .strictObject({
    breakpoint: device.openapi({
      description: "mobile: below 768 px; desktop: from 1280 px.",
      example: "mobile",
    }),
    styles: z
      .record(z.string().max(66), z.string().max(1_000))
      .nullish()
      .openapi({ example: { "text-align": "center" } }),
    visibility: z
      .strictObject({
        show_on: z.array(device).max(3).nullish(),
        hide_on: z.array(device).max(3).nullish(),
      })
      .nullish(),
  })
  .openapi("ResponsiveRule");

export const responsive = z.array(responsiveRule).max(10);

const settings = z
  .strictObject({
    element: z
      .enum(["div", "section", "article", "aside", "header", "footer", "nav", "main"])
      .nullish()
      .openapi({ description: "The element around the block; div by default." }),
    class: z
      .string()
      .max(200)
      .regex(/^[A-Za-z0-9_ -]*$/, "must be class names")
      .nullish(),
    label: z
      .string()
      .max(200)
      .nullish()
      .openapi({ description: "The aria-label of that element." }),
  })
  .openapi("TemplateBlockSettings");

const frame = {
  id: id.optional().openapi({ description: "Generated if left out." }),
  name: z.string().max(200).nullish(),
  required: z.boolean().optional().openapi({
    description:
      "If the block fails, the page fails. Otherwise the block is left out, with a warning.",
  }),
  settings: settings.optional(),
  permissions: z
    .strictObject({ roles: z.array(role).min(1).nullish() })
    .optional()
    .openapi({ description: "The roles that see the block; by default all." }),
};

/** The fields that an override can change. The id stays. */
const { id: _, ...changedFrame } = frame;

export interface TemplateBlock {
  id?: string | undefined;
  name?: string | null | undefined;
  type: "static_content" | "dynamic_content" | "component" | "widget" | "include" | "conditional";
  required?: boolean | undefined;
  content: unknown;
  settings?: z.infer<typeof settings> | undefined;
  permissions?: { roles?: string[] | null | undefined } | undefined;
}

const useOfComponent = z.strictObject({
  component_id: z.guid(),
  props: z
    .record(z.string(), z.unknown())
    .optional()
    .openapi({
      description: "A text that is a single `{{ … }}` passes the value itself, not a text.",
      example: { title: "{{ product.name }}" },
    }),
  variant: z.string().max(100).nullish(),
});

const widget = z
  .looseObject({
    widget: z.enum(["text", "image", "video", "gallery", "product_grid", "banner", "testimonials"]),
  })
  .openapi({
    description:
      "`widget` is a block type of content; the other fields are the `content` of such a block.",
    example: { widget: "banner", title: "Summer sale", href: "/sale" },
  });

export const templateBlock: z.ZodType<TemplateBlock> = z
  .discriminatedUnion("type", [
    z.strictObject({
      ...frame,
      type: z.literal("static_content"),
      content: z
        .string()
        .openapi({ description: "HTML.", example: "<p>Open from ten to six.</p>" }),
    }),
    z.strictObject({
      ...frame,
      type: z.literal("dynamic_content"),
      content: z.string().openapi({
        description: "HTML with Liquid.",
        example: "<h1>{{ headline }}</h1>",
      }),
    }),
    z.strictObject({ ...frame, type: z.literal("component"), content: useOfComponent }),
    z.strictObject({ ...frame, type: z.literal("widget"), content: widget }),
    z.strictObject({
      ...frame,
      type: z.literal("include"),
      content: z.strictObject({ template_id: z.guid() }),
    }),
    z.strictObject({
      ...frame,
      type: z.literal("conditional"),
      content: z.strictObject({
        expression,
        // biome-ignore lint/suspicious/noThenProperty: it is the name of the field.
        get then(): z.ZodArray<z.ZodType<TemplateBlock>> {
          return z.array(templateBlock).max(50);
        },
        get else(): z.ZodOptional<z.ZodArray<z.ZodType<TemplateBlock>>> {
          return z.array(templateBlock).max(50).optional();
        },
      }),
    }),
  ])
  .openapi("TemplateBlock", {
    description: "`then` and `else` can hold blocks, at most 8 levels deep.",
  });

const section = z
  .strictObject({
    id: id.optional().openapi({ description: "Generated if left out.", example: "top" }),
    name: z.string().max(200).optional().openapi({ example: "Top" }),
    order: z.number().optional().openapi({
      description: "The order of the sections; by default the order in which they are sent.",
      example: 1,
    }),
    blocks: z.array(templateBlock).max(50).optional(),
    conditions: z.array(condition).max(20).nullish().openapi({ description: "All must hold." }),
    responsive: responsive.nullish(),
  })
  .openapi("TemplateSection");

const binding = z
  .strictObject({
    variable: variableName.openapi({ example: "newest" }),
    source: z
      .strictObject({
        type: z.enum(["api", "database", "static", "computed"]).openapi({ example: "api" }),
        endpoint: z
          .string()
          .max(2_000)
          .regex(/^\/[^/\\]/, "must be a path of this API")
          .optional()
          .openapi({
            description:
              "For api: a path of this API. It is read with the rights of the reader of the page.",
            example: "/api/products?sort=created_at&limit=4",
          }),
        query: formula.optional().openapi({
          description: "For database: `table?select=…`, or `rpc/…`.",
        }),
        value: z.unknown().optional().openapi({ description: "For static." }),
        formula: formula
          .optional()
          .openapi({ description: "For computed: Liquid without braces." }),
      })
      .openapi("DataSource"),
    transformation: z.string().max(2_000).nullish().openapi({
      description: "A chain of filters.",
      example: "map: 'name' | first",
    }),
    caching: z
      .strictObject({ duration: z.number().int().min(0).max(86_400).optional() })
      .nullish()
      .openapi({ description: "How long the value may be kept, in seconds." }),
  })
  .openapi("DataBinding");

const override = z
  .strictObject({
    block_id: id,
    action: z.enum(["replace", "extend", "prepend", "append"]).openapi({ example: "append" }),
    content: z
      .union([
        templateBlock,
        z.array(templateBlock).max(50),
        z.strictObject({
          ...changedFrame,
          type: z
            .enum([
              "static_content",
              "dynamic_content",
              "component",
              "widget",
              "include",
              "conditional",
            ])
            .optional(),
          content: z.unknown().optional(),
        }),
      ])
      .openapi({
        description:
          "replace: a block. prepend, append: a block or a list of blocks. extend: the fields of the block to change; content and settings are merged key by key.",
      }),
  })
  .openapi("TemplateOverride");

const inheritance = z
  .strictObject({
    parent_id: z.guid(),
    overrides: z.array(override).max(200).optional(),
    extensions: z.array(section).max(25).optional().openapi({
      description: "Additional sections. A section with the id of an inherited one replaces it.",
    }),
  })
  .openapi("TemplateInheritance");

export const templateContent = z
  .strictObject({
    layout: z
      .enum(["default", "full_width", "sidebar_left", "sidebar_right"])
      .nullish()
      .openapi({ example: "default" }),
    sidebar: z
      .array(id)
      .max(25)
      .nullish()
      .openapi({ description: "The ids of the sections in the sidebar." }),
    sections: z.array(section).max(25).optional(),
    variables: variables.optional(),
    bindings: z.array(binding).max(10).optional(),
    inheritance: inheritance.nullish(),
    styles: styles.nullish(),
  })
  .openapi("TemplateContent");
