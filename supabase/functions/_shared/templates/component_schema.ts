import { z } from "@hono/zod-openapi";
import { listQuery, pageFields, search } from "../http/page.ts";
import { Enums } from "../values/enums.generated.ts";
import { visible } from "../values/names.ts";
import { responsive, styles, variables } from "./content_schema.ts";
import { startVersion, versionNumber } from "./schema.ts";

const componentFields = {
  name: visible(200),
  category: z.enum(Enums.component_category).openapi("ComponentCategory", { example: "ecommerce" }),
  content: z.string().max(100_000).openapi({
    description: "HTML with Liquid, which can read the props only.",
    example: "<h2>{{ title }}</h2>",
  }),
  props: variables,
  styles: styles.openapi({ description: "CSS, which affects this component only." }),
  variants: z
    .array(
      z.strictObject({
        name: z
          .string()
          .regex(/^[A-Za-z0-9_-]{1,100}$/, "must be up to 100 letters, digits, _ and -")
          .openapi({ example: "wide" }),
        props: z
          .record(z.string(), z.unknown())
          .nullish()
          .openapi({ description: "Values of props, which replace the default values." }),
        styles: styles.nullish(),
        content: z.string().max(100_000).nullish(),
      }),
    )
    .max(50),
  responsive,
};

export const newComponent = z
  .strictObject({
    ...componentFields,
    props: componentFields.props.optional(),
    styles: componentFields.styles.optional(),
    variants: componentFields.variants.optional(),
    responsive: componentFields.responsive.optional(),
  })
  .openapi("NewComponentTemplate");

export const componentChanges = z
  .object(componentFields)
  .partial()
  .extend({ version_number: startVersion })
  .openapi("ComponentTemplateChanges");

export const component = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    ...componentFields,
    version_number: versionNumber,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("ComponentTemplate");

export const componentList = z
  .object({ components: z.array(component), ...pageFields })
  .openapi("ComponentTemplateList");

export const componentListQuery = listQuery(["updated_at", "created_at", "name"]).extend({
  category: componentFields.category.optional(),
  search: search.openapi({ description: "Part of the name." }),
});
