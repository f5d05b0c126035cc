import { z } from "@hono/zod-openapi";
import { newProduct, productStatus, sellerFields, sku } from "../catalog/schema.ts";
import { flag } from "../http/answers.ts";
import { decimal } from "../values/parameters.ts";

const { name, price, compare_at_price, kind } = newProduct.shape;
const fields = z.object(sellerFields).omit({ template_id: true }).partial().shape;
const pieces = z.number().int().min(-2_147_483_648).max(2_147_483_647);
const word = z.string().min(1).max(200);

const variant = z.strictObject({
  name,
  sku: sku.nullish(),
  price: price.nullish(),
  compare_at_price,
  quantity: pieces.nullish(),
});

/** The fields of a product in an import and an export. Fields that a line leaves out do not change. */
export const productLine = z
  .strictObject({
    id: z.guid().optional().openapi({
      description: "The id of an existing product. Otherwise external_id identifies it.",
    }),
    ...fields,
    external_id: word
      .optional()
      .openapi({ description: "Your id of the product. Unique per marketplace and supplier." }),
    marketplace_id: z.guid().optional(),
    supplier_id: z.guid().optional().openapi({ description: "For admins." }),
    category_id: z.guid().nullish().openapi({ description: "Null removes the category." }),
    kind: kind.unwrap().optional(),
    status: productStatus
      .exclude(["discontinued"])
      .optional()
      .openapi({ description: "out_of_stock counts as active, because the stock decides." }),
    currency: z.string().optional(),
    quantity: pieces.optional().openapi({
      description:
        "Pieces in stock, for products without variants. Below 0 counts as 0, and digital goods ignore it, with a remark.",
    }),
    variants: z.array(variant).max(200).optional(),
  })
  .openapi("ProductLine");

export type ProductLine = z.infer<typeof productLine>;

/** The columns of CSV, in the order of an export. */
export const columns = Object.keys(productLine.shape) as (keyof ProductLine)[];

export const lineError = z
  .object({
    line: z
      .number()
      .int()
      .openapi({ description: "Number of the line, from 1. A header counts as a line." }),
    code: z.string().openapi({ example: "VALIDATION_ERROR" }),
    message: z.string(),
    field: z.string().nullable(),
  })
  .openapi("ImportError");

export type LineError = z.infer<typeof lineError>;

export const lineRemark = lineError
  .extend({
    code: z.enum(["CODE_CHANGED", "QUANTITY_BELOW_ZERO", "QUANTITY_IGNORED"]),
    field: z.string().openapi({ example: "external_id" }),
  })
  .openapi("ImportRemark", {
    description:
      "CODE_CHANGED: a question about a code that a spreadsheet may have changed, such as 123 where the product has 00123. Its line fails without accept_changed_codes. QUANTITY_BELOW_ZERO, QUANTITY_IGNORED: a quantity of an imported line that did not count as it was sent.",
  });

export type LineRemark = z.infer<typeof lineRemark>;

const count = z.number().int();
const counts = { imported: count, updated: count, unchanged: count, failed: count };

const nextLine = count.optional().openapi({
  description:
    "Present if the request ended before its body: the number of the line at which the next request begins.",
});

export const importSummary = z
  .object({
    ...counts,
    errors: z
      .array(lineError)
      .openapi({ description: "The errors of the first 1000 lines that failed." }),
    remarks: z
      .array(lineRemark)
      .optional()
      .openapi({ description: "The first 1000 remarks; left out if there are none." }),
    next_line: nextLine,
  })
  .openapi("ImportSummary");

export const importProgress = z
  .object({
    line: count.openapi({ description: "The last line that was processed." }),
    ...counts,
    errors: z.array(lineError).openapi({ description: "The errors since the previous line." }),
    remarks: z
      .array(lineRemark)
      .optional()
      .openapi({ description: "The remarks since the previous line; left out if there are none." }),
    done: z.boolean().openapi({ description: "Whether the whole body has been processed." }),
    next_line: nextLine,
  })
  .openapi("ImportProgress");

export const importQuery = z.object({
  marketplace_id: z.guid().optional().openapi({
    description: "The marketplace of lines that name none. Optional if the tenant has only one.",
  }),
  first_line: decimal(z.number().int().min(1).max(2_000_000_000)).optional().openapi({
    description:
      "For a body that continues an import: the next_line of the previous response, the number of its first line after the header of CSV.",
  }),
  dry_run: flag
    .optional()
    .openapi({ description: "Reports the result without changing anything." }),
  accept_changed_codes: flag.optional().openapi({
    description:
      "Imports lines with codes that a spreadsheet may have changed, such as 123 where the product has 00123.",
  }),
});

export const productImportQuery = importQuery.extend({
  unique_skus: flag.optional().openapi({
    description:
      "For admins: false lets skus repeat from now on, for the products of a shop that has repeated ones. It is settings.catalog.unique_skus of the tenant.",
  }),
});

export const exportQuery = z.object({
  format: z.enum(["csv", "ndjson", "xlsx"]).default("csv").openapi({
    description:
      "xlsx has text cells only, so that spreadsheets keep codes such as 00123: at most 10000 products.",
  }),
  marketplace_id: z.guid().optional(),
  supplier_id: z.guid().optional(),
  category: z
    .guid()
    .optional()
    .openapi({ description: "A category, including all categories below it." }),
  status: productStatus.optional(),
});
