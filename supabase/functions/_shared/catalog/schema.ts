import { z } from "@hono/zod-openapi";
import { updatedAt } from "../http/if_match.ts";
import { listQuery, pageFields, search } from "../http/page.ts";
import { currency as isoCurrency } from "../marketplaces/schema.ts";
import { email } from "../values/email.ts";
import { Enums } from "../values/enums.generated.ts";
import { slug as readableAddress, visible } from "../values/names.ts";
import { decimal, values, valuesByName } from "../values/parameters.ts";

export const productStatus = z.enum(Enums.product_status).openapi("ProductStatus");

const kind = z.enum(Enums.product_kind);
const price = z.number().min(0).max(999_999_999_999);
const compareAtPrice = price.nullable().openapi({
  description: "What the price is compared with, always greater; null for nothing.",
});
const lowestPrice30d = z.number().nullable().openapi({
  description:
    "With compare_at_price: the lowest price of the 30 days before the present price began. Null without, and if none is known.",
});
const stock = z.number().int().min(0).max(2_147_483_647);
const name = visible(200);
export const sku = z.string().min(1).max(255);
const slug = readableAddress.openapi({
  description:
    "The readable address, unique per marketplace. If absent, it is made from the name, with a number if it is taken. A new name does not change it; a former slug leads to the product.",
  example: "brass-lantern",
});
const measure = z.number().int().min(1).max(999_999_999);

export const attributeType = z.enum(["text", "number", "boolean", "select"]);

const newImage = z
  .object({
    asset_id: z
      .guid()
      .optional()
      .openapi({ description: "A public image of the media library, instead of url." }),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .optional()
      .openapi({ description: "Required without an asset_id." }),
    alt: z.string().max(500).optional().openapi({
      description: "Default: the asset's alternative text; empty for an image with a url.",
    }),
  })
  .refine(({ asset_id, url }) => asset_id ?? url, {
    path: ["url"],
    error: "is required without an asset_id",
  });

const image = z
  .object({
    url: z.string(),
    alt: z.string(),
    asset_id: z.guid().optional(),
    width: z.number().int().optional(),
    height: z.number().int().optional(),
    srcset: z.string().nullable().optional().openapi({
      description: "Smaller versions, in the format of HTML's `srcset`; null if there are none.",
    }),
  })
  .openapi("ProductImage", {
    description: "Images of the media library have all fields, others only url and alt.",
  });

const newAttribute = z.object({
  name: visible(100),
  value: z.string().max(2000).openapi({
    description:
      'A text for every type, such as "12.5", "true" or one of the options. That of brand has at most 1000 bytes.',
  }),
  type: attributeType.optional().openapi({
    description: "The type of an attribute that the category does not define. Default: text.",
  }),
  searchable: z.boolean().optional(),
});

const attribute = z
  .object({
    name: z.string(),
    value: z.string(),
    type: attributeType,
    required: z.boolean(),
    searchable: z.boolean(),
  })
  .openapi("ProductAttribute", {
    description:
      "If the category defines the attribute, its type, required and searchable are the category's.",
  });

const newPhysical = z
  .object({
    weight_grams: measure.nullish(),
    length_mm: measure.nullish(),
    width_mm: measure.nullish(),
    height_mm: measure.nullish(),
    delivery: z
      .array(z.string())
      .nullish()
      .openapi({ description: "Keys of the marketplace's delivery methods; null for all." }),
  })
  .openapi({ description: "For physical products only." });

const physical = z
  .object({
    weight_grams: z.number().int().nullable(),
    length_mm: z.number().int().nullable(),
    width_mm: z.number().int().nullable(),
    height_mm: z.number().int().nullable(),
    delivery: z.array(z.string()).nullable(),
  })
  .openapi("PhysicalDetails");

const trader = z
  .object({ name: visible(200), address: visible(500).nullish(), email: email.nullish() })
  .openapi("ProductTrader");

const safety = z
  .object({
    manufacturer: trader.nullish(),
    responsible_person: trader.nullish().openapi({
      description: "Who answers for it in the European Union, if its manufacturer is elsewhere.",
    }),
    warnings: visible(5000).nullish(),
  })
  .openapi("ProductSafety", { description: "Who answers for a product, and its warnings (GPSR)." });

const inventory = z
  .object({ quantity: z.number().int(), reserved: z.number().int() })
  .openapi("Inventory");

const newInventory = z.object({ quantity: stock.default(0) });

const newVariant = z.object({
  name,
  sku: sku.nullish(),
  price: price.nullish().openapi({ description: "Only if it differs from the product's price." }),
  own_price: price.nullish().openapi({
    description:
      "In place of price: the variant keeps this price when the product's changes. null: it has the product's price.",
  }),
  compare_at_price: compareAtPrice.optional(),
  inventory: newInventory.optional(),
});

const variant = z
  .object({
    id: z.guid(),
    name: z.string(),
    sku: z.string().nullable(),
    price: z.number(),
    own_price: z.number().nullable().openapi({
      description: "Its own price; null if the variant inherits the product's.",
    }),
    compare_at_price: compareAtPrice,
    lowest_price_30d: lowestPrice30d,
    inventory,
  })
  .openapi("ProductVariant");

const currency = isoCurrency.openapi({ description: "The marketplace's, and so not needed." });

/** Longest HTML of a description as it is sent. The reduced HTML and its text have at most 50,000 characters each. */
const HTML_CHARACTERS = 200_000;

/** The fields of a seller: of a new product, of changes, of the record, and of the lines of imports and exports. */
export const sellerFields = {
  name,
  slug,
  description: z.string().max(HTML_CHARACTERS).openapi({
    description:
      "Plain text of at most 50000 characters. HTML is accepted too: it is reduced to allowed elements and returned as description_html, and its text becomes the description.",
  }),
  description_html: z.string().max(HTML_CHARACTERS).nullable().openapi({
    description:
      "The description as HTML, which is reduced to allowed elements. If both are sent, the one that differs from the product counts, and of two this one. null removes it.",
    example: "<p>Throws a <strong>star of light</strong> on every wall.</p>",
  }),
  price: price.openapi({ description: "It must not have more decimals than the currency." }),
  compare_at_price: compareAtPrice,
  category_id: z.guid().nullable(),
  external_id: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .openapi({ description: "The seller's own id of the product." }),
  track_inventory: z.boolean().openapi({
    description: "For digital products only: whether they have a stock of licence keys.",
  }),
  images: z.array(newImage).max(100),
  attributes: z.array(newAttribute).max(200),
  physical: newPhysical.nullable(),
  safety: safety.nullable(),
  template_id: z.guid().nullable().openapi({
    description: "The template of type product that renders its page; null for the default.",
  }),
};

export const newProduct = z
  .object(sellerFields)
  .partial()
  .extend({
    name,
    price: sellerFields.price,
    slug: slug.nullish(),
    description: sellerFields.description.default(""),
    description_html: sellerFields.description_html.optional(),
    currency: currency.optional(),
    marketplace_id: z
      .guid()
      .optional()
      .openapi({ description: "Optional if the tenant has one marketplace." }),
    supplier_id: z
      .guid()
      .optional()
      .openapi({ description: "For admins only; suppliers list their own products." }),
    kind: kind.default("physical"),
    status: z.enum(["draft", "active"]).default("active"),
    images: sellerFields.images.default([]),
    attributes: sellerFields.attributes.default([]),
    variants: z.array(newVariant).max(200).default([]),
    inventory: newInventory.default({ quantity: 0 }),
  })
  .openapi("NewProduct");

const changedVariant = newVariant
  .extend({ id: z.guid().optional(), name: name.optional() })
  .refine((variant) => variant.id ?? variant.name, {
    path: ["name"],
    error: "is required for a new variant",
  });

export const productChanges = z
  .object({
    ...sellerFields,
    slug: slug.nullable().openapi({ description: "null: it is made anew from the name." }),
    status: productStatus,
    variants: z.array(changedVariant).max(200).openapi({
      description:
        "The whole list. An entry with an id changes that variant, an entry without one is a new variant, and missing variants are removed.",
    }),
    marketplace_id: z.guid().openapi({ description: "Cannot change; may be sent back." }),
    supplier_id: z.guid().nullable().openapi({ description: "Cannot change; may be sent back." }),
    currency: currency.openapi({ description: "Cannot change; may be sent back." }),
    kind: kind.openapi({ description: "Cannot change; may be sent back." }),
    updated_at: updatedAt,
  })
  .partial()
  .openapi("ProductChanges");

export const product = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    marketplace_id: z.guid(),
    supplier_id: z.guid().nullable(),
    supplier: z
      .object({ id: z.guid(), name: z.string(), slug: z.string() })
      .nullable()
      .openapi({ description: "Who sells it; null: the operator." }),
    kind,
    ...sellerFields,
    description_html: z.string().optional().openapi({
      description:
        "The description as HTML of allowed elements, safe to show; left out for plain text.",
      example: "<p>Throws a <strong>star of light</strong> on every wall.</p>",
    }),
    lowest_price_30d: lowestPrice30d,
    currency: z.string(),
    images: z.array(image),
    attributes: z.array(attribute),
    brand: z.string().nullable().openapi({ description: "The value of the attribute brand." }),
    physical: physical.nullable(),
    variants: z.array(variant),
    inventory: inventory.openapi({
      description: "The sums of all variants if the product has any.",
    }),
    status: productStatus,
    review_status: z.enum(Enums.approval_status).optional().openapi({
      description:
        "For its supplier and the tenant's staff, if it had a review: whether it, or a change of it, awaits one.",
    }),
    review_reason: z
      .string()
      .optional()
      .openapi({ description: "Why it was approved or rejected." }),
    pending_changes: z.record(z.string(), z.unknown()).optional().openapi({
      description:
        "The fields that await a review, with their new values. Buyers see those of the product.",
    }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Product");

/** A product in lists and events, which have neither the HTML of its description, nor its safety, nor its review. */
export const briefProduct = product.omit({
  description_html: true,
  safety: true,
  review_status: true,
  review_reason: true,
  pending_changes: true,
});

export const productParam = z.object({
  id: z
    .union([z.guid(), readableAddress])
    .openapi({ description: "An id or a slug.", example: "brass-lantern" }),
});

export const oneProductQuery = z.object({
  marketplace_id: z.guid().optional().openapi({
    description: "Needed with a slug that products of several marketplaces have.",
  }),
});

/** A product that was asked for by its id or a slug. */
export const productFound = product
  .extend({
    moved_to: z.string().optional().openapi({
      description: "The current slug, if the request named a former one; else absent.",
    }),
  })
  .openapi("ProductFound");

const count = z.number().int();

export const promotion = z
  .object({
    campaign_id: z.guid(),
    labels: z.array(z.string()).openapi({ description: "Labels that the shop must show." }),
    highlighted: z.boolean(),
    pinned: z.boolean(),
    position: count.openapi({ description: "Rank among the promoted products, from 1." }),
    token: z.string().openapi({
      description:
        "Proves for a day that the caller was shown the promotion. Send it with reported impressions and clicks.",
    }),
  })
  .openapi("Promotion");

export const listedProduct = briefProduct
  .extend({
    relevance_score: z.number().min(0).max(1).nullable().openapi({
      description: "How well the product matches the search; null without a search.",
    }),
    promotion: promotion.nullable().openapi({
      description:
        "The promotion, if the product is promoted and therefore listed first; else null.",
    }),
  })
  .openapi("ListedProduct");

export const productList = z
  .object({
    products: z.array(listedProduct),
    ...pageFields,
    filters: z
      .object({
        categories: z.array(z.object({ id: z.guid(), name: z.string(), count })),
        price_range: z
          .tuple([z.number(), z.number()])
          .nullable()
          .openapi({
            description:
              "The lowest and the highest price; null if there are no products, or several currencies.",
            example: [5, 120],
          }),
        brands: z.array(z.object({ name: z.string(), count })),
        attributes: z
          .array(
            z.object({
              name: z.string(),
              values: z.array(z.object({ value: z.string(), count })).openapi({
                description: "At most 100, most frequent first.",
              }),
            }),
          )
          .optional()
          .openapi({
            description:
              "One entry for each of `facets`, in that order; missing without `facets`. Each is counted as if none of its own values were selected.",
          }),
      })
      .openapi({ description: "Computed from the whole result, not only the page." }),
  })
  .openapi("ProductList");

const sortable = ["created_at", "updated_at", "name", "price"] as const;

/** Rules of the filters that accept several values, for queries and for JSON bodies. */
export const filterRules = {
  category: z.guid(),
  brand: z.string().min(1).max(2000),
  attribute: z.string().min(1).max(2000),
};
export const MAX_FILTER_VALUES = 50;
export const MAX_FILTER_NAMES = 10;
const MAX_IDS = 100;
const MAX_FACETS = 10;

export const productQuery = listQuery(sortable).extend({
  sort: z.enum(sortable).optional().openapi({
    description:
      "By default promoted products come first, then the best matches of the search, or without a search the newest products. Then the order `asc` means the oldest first.",
  }),
  search: search.openapi({
    description:
      "Words in names, attributes, variants, skus, categories and descriptions, in any order. Beginnings and parts of words match too, and typos are tolerated.",
  }),
  category: values(filterRules.category, MAX_FILTER_VALUES).optional().openapi({
    description:
      "One or more categories, separated by commas, including all categories below them.",
  }),
  price_min: decimal(z.number().min(0)).optional(),
  price_max: decimal(z.number().min(0)).optional(),
  marketplace_id: z.guid().optional(),
  currency: currency.optional().openapi({
    description:
      "Only products with prices in this currency. In a tenant with several currencies, `price_min`, `price_max` and `sort=price` require it or `marketplace_id`.",
  }),
  supplier_id: z.guid().optional(),
  status: productStatus.optional(),
  brand: values(filterRules.brand, MAX_FILTER_VALUES).optional().openapi({
    description:
      "One or more brands, separated by commas. A comma inside a value is written `\\,`, a backslash before a comma `\\\\`.",
  }),
  attributes: valuesByName(values(filterRules.attribute, MAX_FILTER_VALUES), MAX_FILTER_NAMES)
    .optional()
    .openapi({
      param: { style: "deepObject", explode: true },
      description:
        "`attributes[material]=brass,wool`: products whose attribute `material` has one of these values. Several names must all match.",
    }),
  ids: values(z.guid(), MAX_IDS).optional().openapi({
    description: "Only these products, separated by commas. No product is promoted then.",
  }),
  facets: values(z.string().min(1).max(100), MAX_FACETS).optional().openapi({
    description:
      "Names of attributes, separated by commas, whose values `filters.attributes` counts.",
  }),
  region: z.string().min(1).max(64).optional().openapi({
    description: "The visitor's region, for campaigns that are limited to regions.",
  }),
});
