import { z } from "@hono/zod-openapi";
import { visible } from "../http/names.ts";
import { listQuery, pageFields, search } from "../http/page.ts";
import { decimal } from "../http/query.ts";
import { currency as isoCurrency } from "../marketplaces/schema.ts";

export const productStatus = z
  .enum(["draft", "active", "inactive", "out_of_stock", "discontinued"])
  .openapi("ProductStatus");

const kind = z.enum(["physical", "digital", "service"]);
const price = z.number().min(0).max(999_999_999_999);
const stock = z.number().int().min(0).max(2_147_483_647);
const name = visible(200);
const sku = z.string().min(1).max(100);
const measure = z.number().int().min(1).max(999_999_999);

export const attributeType = z.enum(["text", "number", "boolean", "select"]);

const newImage = z
  .object({
    asset_id: z
      .guid()
      .optional()
      .openapi({ description: "A public image of the media library, in place of url." }),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .optional()
      .openapi({ description: "Required without an asset_id." }),
    alt: z.string().max(500).optional().openapi({
      description: "The asset's alternative text unless given; empty for an image with a url.",
    }),
  })
  .refine(({ asset_id, url }) => asset_id ?? url, {
    path: ["url"],
    error: "An image has a url or an asset_id.",
  });

const image = z
  .object({
    url: z.string(),
    alt: z.string(),
    asset_id: z.guid().optional(),
    width: z.number().int().optional(),
    height: z.number().int().optional(),
    srcset: z.string().nullable().optional().openapi({
      description: "Smaller versions, as HTML's `srcset` takes them; null where there are none.",
    }),
  })
  .openapi("ProductImage", {
    description: "Images of the media library have all fields, others have url and alt.",
  });

const newAttribute = z.object({
  name: visible(100),
  value: z.string().max(2000).openapi({
    description: 'A text, whatever the type: "12.5", "true", or one of the options.',
  }),
  type: attributeType
    .optional()
    .openapi({ description: "Of an attribute that the category does not know; default text." }),
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
    description: "type, required and searchable are the category's, where it knows the attribute.",
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

const inventory = z
  .object({ quantity: z.number().int(), reserved: z.number().int() })
  .openapi("Inventory");

const newInventory = z.object({ quantity: stock.default(0) });

const newVariant = z.object({
  name,
  sku: sku.nullish(),
  price: price.nullish().openapi({ description: "Where it differs from the product's." }),
  inventory: newInventory.optional(),
});

const variant = z
  .object({
    id: z.guid(),
    name: z.string(),
    sku: z.string().nullable(),
    price: z.number(),
    inventory,
  })
  .openapi("ProductVariant");

const currency = isoCurrency.openapi({ description: "The marketplace's, and so not needed." });

/** What a seller says of a product; the same when it is listed and when it changes. */
const said = {
  name,
  description: z.string().max(50_000),
  price: price.openapi({ description: "With no more decimals than the currency has." }),
  category_id: z.guid().nullable(),
  external_id: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .openapi({ description: "What the seller itself calls the product." }),
  track_inventory: z.boolean().openapi({
    description: "Digital products only: whether they have a stock, of licence keys.",
  }),
  images: z.array(newImage).max(100),
  attributes: z.array(newAttribute).max(200),
  physical: newPhysical.nullable(),
  template_id: z.guid().nullable().openapi({
    description: "The template of type product that renders its page; null: the default one.",
  }),
};

export const newProduct = z
  .object({
    ...said,
    description: said.description.default(""),
    currency: currency.optional(),
    marketplace_id: z
      .guid()
      .optional()
      .openapi({ description: "Not needed where the tenant has one marketplace." }),
    supplier_id: z
      .guid()
      .optional()
      .openapi({ description: "For admins; a supplier lists its own products." }),
    category_id: said.category_id.optional(),
    external_id: said.external_id.optional(),
    kind: kind.default("physical"),
    track_inventory: said.track_inventory.optional(),
    status: z.enum(["draft", "active"]).default("active"),
    images: said.images.default([]),
    attributes: said.attributes.default([]),
    physical: said.physical.optional(),
    template_id: said.template_id.optional(),
    variants: z.array(newVariant).max(200).default([]),
    inventory: newInventory.default({ quantity: 0 }),
  })
  .openapi("NewProduct");

const changedVariant = newVariant
  .extend({ id: z.guid().optional(), name: name.optional() })
  .refine((variant) => variant.id ?? variant.name, {
    path: ["name"],
    error: "A new variant needs a name.",
  });

export const productChanges = z
  .object({
    ...said,
    status: productStatus,
    variants: z.array(changedVariant).max(200).openapi({
      description:
        "The whole list: with an id a variant is kept and changed, without one it is new, and who is missing is removed.",
    }),
    marketplace_id: z.guid().openapi({ description: "Stays; may be sent back." }),
    supplier_id: z.guid().nullable().openapi({ description: "Stays; may be sent back." }),
    currency: currency.openapi({ description: "Stays; may be sent back." }),
    kind: kind.openapi({ description: "Stays; may be sent back." }),
    updated_at: z.iso.datetime({ offset: true }).openapi({
      description: "Of the product as it was read: CONFLICT, if it has changed since.",
    }),
  })
  .partial()
  .openapi("ProductChanges");

export const product = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    marketplace_id: z.guid(),
    supplier_id: z.guid().nullable(),
    category_id: z.guid().nullable(),
    external_id: z.string().nullable(),
    kind,
    track_inventory: z.boolean(),
    name: z.string(),
    description: z.string(),
    price: z.number(),
    currency: z.string(),
    images: z.array(image),
    attributes: z.array(attribute),
    brand: z.string().nullable().openapi({ description: "The attribute of that name." }),
    physical: physical.nullable(),
    template_id: z.guid().nullable(),
    variants: z.array(variant),
    inventory: inventory.openapi({
      description: "Of all variants together, where the product has any.",
    }),
    status: productStatus,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Product");

const count = z.number().int();

export const promotion = z
  .object({
    campaign_id: z.guid(),
    labels: z.array(z.string()).openapi({ description: "What has to be said of it." }),
    highlighted: z.boolean(),
    pinned: z.boolean(),
    position: count.openapi({ description: "1 for the first of the promoted products." }),
    token: z.string().openapi({
      description:
        "Proves that the caller was shown it, for a day: goes with the impression and the click that are reported of it.",
    }),
  })
  .openapi("Promotion");

export const listedProduct = product
  .extend({
    relevance_score: z.number().min(0).max(1).nullable().openapi({
      description: "How well it fits what was searched; null where nothing was.",
    }),
    promotion: promotion.nullable().openapi({
      description: "How it is promoted, and so shown first; null for all others.",
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
              "The lowest and the highest price; null where nothing is found, or products in several currencies.",
            example: [5, 120],
          }),
        brands: z.array(z.object({ name: z.string(), count })),
      })
      .openapi({ description: "Computed over the whole result, not the page." }),
  })
  .openapi("ProductList");

const sortable = ["created_at", "updated_at", "name", "price"] as const;

export const productQuery = listQuery(sortable).extend({
  sort: z.enum(sortable).optional().openapi({
    description:
      "Without it, promoted products come first, then what fits the search best, and where nothing is searched the newest; order `asc` then means the oldest first.",
  }),
  search: search.openapi({
    description:
      "Words of names, attributes, variants, skus, categories and descriptions, in any order, also their beginnings and parts, and with typos.",
  }),
  category: z.guid().optional().openapi({ description: "A category, with all below it." }),
  price_min: decimal(z.number().min(0)).optional(),
  price_max: decimal(z.number().min(0)).optional(),
  marketplace_id: z.guid().optional(),
  currency: currency.optional().openapi({
    description:
      "Products with prices in it. In a tenant with several currencies `price_min`, `price_max` and `sort=price` need it, or `marketplace_id`.",
  }),
  supplier_id: z.guid().optional(),
  status: productStatus.optional(),
  brand: z.string().min(1).max(200).optional(),
  region: z.string().min(1).max(64).optional().openapi({
    description: "Where the list is looked at, for campaigns that are shown in some regions only.",
  }),
});
