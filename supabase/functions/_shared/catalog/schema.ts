import { z } from "@hono/zod-openapi";
import { listQuery, pageFields } from "../http/page.ts";

export const productStatus = z
  .enum(["draft", "active", "inactive", "out_of_stock", "discontinued"])
  .openapi("ProductStatus");

const kind = z.enum(["physical", "digital", "service"]);
const price = z.number().min(0).max(999_999_999_999);
const stock = z.number().int().min(0).max(2_147_483_647);
const image = z
  .object({ url: z.url().max(2000), alt: z.string().max(500).default("") })
  .openapi("ProductImage");

const attribute = z
  .object({
    name: z.string().min(1).max(100),
    value: z.string().max(2000),
    type: z.enum(["text", "number", "boolean", "select"]).optional(),
    required: z.boolean().optional(),
    searchable: z.boolean().optional(),
  })
  .openapi("ProductAttribute");

const inventory = z
  .object({ quantity: z.number().int(), reserved: z.number().int() })
  .openapi("Inventory");

const newVariant = z.object({
  name: z.string().min(1).max(200),
  sku: z.string().min(1).max(100).optional(),
  price: price.optional().openapi({ description: "Where it differs from the product's." }),
  inventory: z.object({ quantity: stock.default(0) }).optional(),
});

const variant = z
  .object({
    id: z.uuid(),
    name: z.string(),
    sku: z.string().nullable(),
    price: z.number(),
    inventory,
  })
  .openapi("ProductVariant");

export const newProduct = z
  .object({
    name: z.string().min(1).max(200),
    description: z.string().max(50_000).default(""),
    price: price.openapi({ description: "With no more decimals than the currency has." }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "must be an ISO 4217 code")
      .optional()
      .openapi({
        description: "The marketplace's, and so not needed.",
      }),
    marketplace_id: z
      .uuid()
      .optional()
      .openapi({ description: "Not needed where the tenant has one marketplace." }),
    supplier_id: z
      .uuid()
      .optional()
      .openapi({ description: "For admins; a supplier lists its own products." }),
    category_id: z.uuid().optional(),
    kind: kind.default("physical"),
    status: z.enum(["draft", "active"]).default("active"),
    images: z.array(image).max(100).default([]),
    attributes: z.array(attribute).max(200).default([]),
    variants: z.array(newVariant).max(200).default([]),
    inventory: z.object({ quantity: stock.default(0) }).default({ quantity: 0 }),
  })
  .openapi("NewProduct");

export const product = z
  .object({
    id: z.uuid(),
    tenant_id: z.uuid(),
    marketplace_id: z.uuid(),
    supplier_id: z.uuid().nullable(),
    category_id: z.uuid().nullable(),
    kind,
    name: z.string(),
    description: z.string(),
    price: z.number(),
    currency: z.string(),
    images: z.array(z.object({ url: z.string(), alt: z.string() })),
    attributes: z.array(attribute),
    variants: z.array(variant),
    inventory,
    status: productStatus,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Product");

const count = z.number().int();

export const productList = z
  .object({
    products: z.array(product),
    ...pageFields,
    filters: z
      .object({
        categories: z.array(z.object({ id: z.uuid(), name: z.string(), count })),
        price_range: z.tuple([z.number(), z.number()]),
        brands: z.array(z.object({ name: z.string(), count })),
      })
      .openapi({ description: "Computed over the whole result, not the page." }),
  })
  .openapi("ProductList");

export const productQuery = listQuery(["created_at", "updated_at", "name", "price"]).extend({
  search: z.string().min(1).max(200).optional(),
  category: z.uuid().optional().openapi({ description: "A category, with all below it." }),
  price_min: z.coerce.number().min(0).optional(),
  price_max: z.coerce.number().min(0).optional(),
  marketplace_id: z.uuid().optional(),
  supplier_id: z.uuid().optional(),
  status: productStatus.optional(),
  brand: z.string().min(1).max(200).optional(),
});
