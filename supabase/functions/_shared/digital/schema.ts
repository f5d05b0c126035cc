import { z } from "@hono/zod-openapi";
import { listQuery, pageFields } from "../http/page.ts";
import { visible } from "../values/names.ts";

const fileUrl = z.string().nullable().openapi({
  description:
    "For an asset, a signed address that is valid for an hour; null if its file is missing.",
});

export const productFile = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    product_id: z.guid(),
    name: z.string(),
    url: fileUrl,
    asset_id: z.guid().nullable(),
    size_bytes: z.number().int().nullable(),
    sha256: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi("ProductFile");

export const newProductFile = z
  .object({
    name: visible(200).openapi({ example: "handbook.pdf" }),
    url: z
      .url({ protocol: /^https$/ })
      .max(2000)
      .optional()
      .openapi({
        description: "Must be https. Buyers get it unchanged.",
        example: "https://files.example.com/handbook.pdf",
      }),
    asset_id: z.guid().optional().openapi({
      description:
        "Instead of url: a private asset of the media library. Buyers get signed addresses that expire.",
    }),
    size_bytes: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hexadecimal digits")
      .optional(),
  })
  .refine(({ url, asset_id }) => (url === undefined) !== (asset_id === undefined), {
    path: ["url"],
    error: "must be sent if there is no asset_id, and only then",
  })
  .openapi("NewProductFile");

export const productFileQuery = listQuery(["created_at"]).extend({
  order: z.enum(["asc", "desc"]).default("asc"),
});

export const productFileList = z
  .object({ files: z.array(productFile), ...pageFields })
  .openapi("ProductFileList");

const keyStatus = z.enum(["available", "handed_out", "revoked"]).openapi("LicenceKeyStatus");

const counts = z
  .object({
    available: z.number().int(),
    handed_out: z.number().int(),
    revoked: z.number().int(),
  })
  .openapi("LicenceKeyCounts", {
    description:
      "Counts for the whole product. Keys that unpaid orders have reserved count as available.",
  });

export const newLicenceKeys = z
  .object({
    variant_id: z
      .guid()
      .optional()
      .openapi({ description: "Required if the product has variants." }),
    codes: z.array(z.string().trim().min(4).max(500)).min(1).max(1000),
  })
  .openapi("NewLicenceKeys");

export const addedLicenceKeys = z
  .object({
    product_id: z.guid(),
    variant_id: z.guid().nullable(),
    added: z.number().int(),
    duplicates: z.array(z.number().int()).openapi({
      description:
        "The positions, from 0, of codes that the product already had. They were skipped.",
    }),
    counts,
  })
  .openapi("AddedLicenceKeys");

export const licenceKeyQuery = listQuery(["created_at"]).extend({
  status: keyStatus.optional(),
  variant_id: z.guid().optional(),
});

export const licenceKeyList = z
  .object({
    licence_keys: z.array(
      z
        .object({
          id: z.guid(),
          product_id: z.guid(),
          variant_id: z.guid().nullable(),
          code: z.string().openapi({
            description: "Masked except for the last four characters.",
            example: "••••7F2Q",
          }),
          status: keyStatus,
          order_id: z.guid().nullable(),
          item_id: z.guid().nullable(),
          handed_out_at: z.string().nullable(),
          revoked_at: z.string().nullable(),
          created_at: z.string(),
        })
        .openapi("LicenceKey"),
    ),
    counts,
    ...pageFields,
  })
  .openapi("LicenceKeyList");

export const downloads = z
  .object({
    files: z.array(
      z
        .object({
          id: z.guid(),
          item_id: z.guid(),
          product_id: z.guid(),
          name: z.string(),
          url: fileUrl,
          size_bytes: z.number().int().nullable(),
          sha256: z.string().nullable(),
        })
        .openapi("Download"),
    ),
    licence_keys: z.array(
      z
        .object({
          item_id: z.guid(),
          product_id: z.guid(),
          variant_id: z.guid().nullable(),
          code: z.string(),
        })
        .openapi("Licence"),
    ),
  })
  .openapi("OrderDownloads");
