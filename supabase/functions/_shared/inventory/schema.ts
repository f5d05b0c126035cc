import { z } from "@hono/zod-openapi";
import { flag } from "../http/answers.ts";
import { listQuery, pageFields } from "../http/page.ts";
import { Enums } from "../values/enums.generated.ts";
import { since } from "../values/times.ts";

const pieces = z.number().int();
const newPieces = pieces.min(0).max(2_147_483_647);

const reason = z.enum(Enums.inventory_reason).openapi("InventoryReason");

const threshold = pieces.openapi({
  description:
    "The stock is low at or below this number of available pieces. 0 switches the warning off.",
});

const counts = {
  quantity: pieces.openapi({ description: "Pieces in stock." }),
  reserved: pieces.openapi({ description: "Pieces reserved by orders." }),
  available: pieces.openapi({ description: "Pieces that can be sold: quantity minus reserved." }),
};

export const inventoryChange = z
  .object({
    quantity: newPieces.optional().openapi({
      description: "Required unless only the low_stock_threshold changes.",
    }),
    operation: z
      .enum(["set", "add", "subtract"])
      .optional()
      .openapi({ description: "What to do with the quantity. Required with a quantity." }),
    variant_id: z
      .guid()
      .optional()
      .openapi({ description: "Required if the product has variants." }),
    note: z.string().max(2000).optional().openapi({ description: "A note for the ledger." }),
    low_stock_threshold: newPieces.optional().openapi({ description: "0 switches it off." }),
  })
  .refine(
    ({ quantity, low_stock_threshold }) =>
      quantity !== undefined || low_stock_threshold !== undefined,
    { path: ["quantity"], error: "is required without a low_stock_threshold" },
  )
  .refine(({ quantity, operation }) => quantity === undefined || operation !== undefined, {
    path: ["operation"],
    error: "is required with a quantity: set, add or subtract",
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
      .openapi({ description: "The stock of the product, then the stock of each variant." }),
    reservations: z
      .array(
        z.object({
          order_id: z.guid(),
          variant_id: z.guid().nullable(),
          quantity: pieces,
          since: z.string(),
        }),
      )
      .openapi({ description: "The reservations of orders, at most the oldest 1000." }),
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
          status: z.string().openapi({ description: "The status of the product." }),
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
          quantity: pieces.openapi({ description: "Pieces in stock after the change." }),
          reserved: pieces,
          note: z.string().nullable(),
          order_id: z.guid().nullable(),
          actor_id: z
            .guid()
            .nullable()
            .openapi({ description: "The user who made the change; null for the system." }),
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
  since: since.optional(),
});
