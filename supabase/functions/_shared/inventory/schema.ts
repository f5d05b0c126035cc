import { z } from "@hono/zod-openapi";
import { flag } from "../http/answers.ts";
import { listQuery, pageFields } from "../http/page.ts";

const pieces = z.number().int();
const wishedPieces = pieces.min(0).max(2_147_483_647);

const reason = z
  .enum([
    "opening",
    "set",
    "add",
    "subtract",
    "reserve",
    "release",
    "ship",
    "return",
    "import",
    "licence_keys",
    "removal",
  ])
  .openapi("InventoryReason");

const threshold = pieces.openapi({
  description: "From how many available pieces on the stock is low; 0 where nobody wants to know.",
});

const counts = {
  quantity: pieces.openapi({ description: "What is there." }),
  reserved: pieces.openapi({ description: "What of it is promised to orders." }),
  available: pieces.openapi({ description: "What can be sold: quantity less reserved." }),
};

export const inventoryChange = z
  .object({
    quantity: wishedPieces.optional().openapi({
      description: "Needed, unless the low_stock_threshold alone changes.",
    }),
    operation: z
      .enum(["set", "add", "subtract"])
      .optional()
      .openapi({ description: "What to do with the quantity: needed with one." }),
    variant_id: z
      .guid()
      .optional()
      .openapi({ description: "Needed where the product has variants." }),
    note: z.string().max(2000).optional().openapi({ description: "For the ledger." }),
    low_stock_threshold: wishedPieces.optional().openapi({ description: "0 switches it off." }),
  })
  .refine(
    ({ quantity, low_stock_threshold }) =>
      quantity !== undefined || low_stock_threshold !== undefined,
    { path: ["quantity"], error: "Say how many pieces." },
  )
  .refine(({ quantity, operation }) => quantity === undefined || operation !== undefined, {
    path: ["operation"],
    error: "Say whether to set, add or subtract them.",
  })
  .openapi("InventoryChange", {
    example: { quantity: 5, operation: "add" },
    oneOf: [
      {
        type: "object",
        properties: { quantity: {}, operation: {} },
        required: ["quantity", "operation"],
      },
      {
        type: "object",
        properties: { low_stock_threshold: {} },
        required: ["low_stock_threshold"],
        not: { required: ["quantity"] },
      },
    ],
  });

export const changedInventory = z
  .object({
    product_id: z.guid(),
    variant_id: z.guid().nullable(),
    ...counts,
    low_stock_threshold: threshold,
  })
  .openapi("ChangedInventory");

const stock = z.object({
  variant_id: z.guid().nullable(),
  variant_name: z.string().nullable(),
  sku: z.string().nullable(),
  ...counts,
  low_stock_threshold: threshold,
  low_stock: z.boolean(),
  updated_at: z.string(),
});

export const productInventory = z
  .object({
    product_id: z.guid(),
    ...counts,
    stock: z
      .array(stock)
      .openapi({ description: "The product's own, then that of each of its variants." }),
    reservations: z
      .array(
        z.object({
          order_id: z.guid(),
          variant_id: z.guid().nullable(),
          quantity: pieces,
          since: z.string(),
        }),
      )
      .openapi({ description: "Which orders hold how much, the oldest 1000." }),
  })
  .openapi("ProductInventory");

export const inventoryList = z
  .object({
    inventory: z.array(
      stock
        .extend({
          id: z.guid(),
          product_id: z.guid(),
          product_name: z.string(),
          marketplace_id: z.guid(),
          supplier_id: z.guid().nullable(),
          status: z.string().openapi({ description: "The product's." }),
        })
        .openapi("InventoryRow"),
    ),
    ...pageFields,
  })
  .openapi("InventoryList");

export const inventoryQuery = listQuery(["updated_at", "available", "quantity", "name"]).extend({
  product_id: z.guid().optional(),
  marketplace_id: z.guid().optional(),
  low_stock: flag.optional(),
});

export const movementList = z
  .object({
    movements: z.array(
      z
        .object({
          id: z.number().int(),
          product_id: z.guid(),
          variant_id: z.guid().nullable(),
          product_name: z.string(),
          variant_name: z.string().nullable(),
          sku: z.string().nullable(),
          reason,
          quantity_change: pieces,
          reserved_change: pieces,
          quantity: pieces.openapi({ description: "What there was afterwards." }),
          reserved: pieces,
          note: z.string().nullable(),
          order_id: z.guid().nullable(),
          actor_id: z
            .guid()
            .nullable()
            .openapi({ description: "The user who did it; null for the system itself." }),
          created_at: z.string(),
        })
        .openapi("InventoryMovement"),
    ),
    ...pageFields,
  })
  .openapi("InventoryMovementList");

export const movementQuery = listQuery(["created_at"]).extend({
  product_id: z.guid().optional(),
  variant_id: z.guid().optional(),
  order_id: z.guid().optional(),
  reason: reason.optional(),
  since: z.iso.datetime({ offset: true }).optional(),
});
