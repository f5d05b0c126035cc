import { z } from "@hono/zod-openapi";
import {
  filterRules,
  listedProduct,
  MAX_FILTER_NAMES,
  MAX_FILTER_VALUES,
  productQuery,
} from "../catalog/schema.ts";
import { decimal } from "../values/parameters.ts";

const query = z.string().trim().min(1).max(200).openapi({
  description:
    "A question in free words. Different words with the same meaning find the same products.",
  example: "somewhere to sit in the garden",
});

const limit = decimal(z.number().int().min(1).max(100));

/** The filters of lists of products. Only active products are searched, the best matches first. */
const filters = productQuery.omit({
  page: true,
  limit: true,
  sort: true,
  order: true,
  search: true,
  status: true,
  ids: true,
  facets: true,
  region: true,
});

export const semanticQuery = filters.extend({ query, limit: limit.default(20) });

const price = z.number().min(0).optional();

/** One value or a list of them, in a JSON body: a text is one value, with its commas. */
const oneOrMore = (rule: z.ZodType<string, string>) =>
  z.union([rule, z.array(rule).max(MAX_FILTER_VALUES)]).transform((sent) => [sent].flat());

/** The same query as a JSON body, in which numbers are numbers, and lists are lists. */
export const semanticQuestion = semanticQuery
  .extend({
    price_min: price,
    price_max: price,
    category: oneOrMore(filterRules.category).optional(),
    brand: oneOrMore(filterRules.brand).optional(),
    attributes: z
      .record(z.string().min(1).max(100), oneOrMore(filterRules.attribute))
      .refine(
        (byName) => Object.keys(byName).length <= MAX_FILTER_NAMES,
        `must have at most ${MAX_FILTER_NAMES} names`,
      )
      .optional()
      .openapi({ example: { material: ["brass", "wool"] } }),
    limit: z.number().int().min(1).max(100).default(20),
  })
  .openapi("SemanticQuestion");

export const productMatches = z
  .object({
    products: z.array(listedProduct),
    relevance_scores: z.array(z.number().min(0).max(1)).openapi({
      description:
        "A score for each product, in descending order. For similar products, the order applies after the promoted ones.",
    }),
  })
  .openapi("ProductMatches");

export const similarQuery = productQuery
  .pick({ region: true })
  .extend({ limit: limit.default(10) });

export const topSalesQuery = productQuery.pick({ marketplace_id: true, region: true }).extend({
  category: z
    .guid()
    .optional()
    .openapi({ description: "A category, including all categories below it." }),
  days: decimal(z.number().int().min(1).max(365)).default(30).openapi({
    description: "Number of days, in UTC, whose sales count, including today.",
  }),
  limit: limit.default(10),
});

export const topSales = z
  .object({
    products: z.array(
      listedProduct
        .extend({
          sales_count: z.number().int().openapi({
            description:
              "Pieces in orders of these days, minus returned ones; 0 for a product that is listed only because it is promoted.",
          }),
        })
        .openapi("BestSeller"),
    ),
  })
  .openapi("TopSales");
