import { z } from "@hono/zod-openapi";
import { flag } from "../http/answers.ts";
import { listQuery, pageFields, search } from "../http/page.ts";
import { Enums } from "../values/enums.generated.ts";
import { visible } from "../values/names.ts";

export const mediaType = z.enum(Enums.media_type).openapi("MediaType");

const filename = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^/\\\p{Cc}]+$/u, "must be a name without slashes")
  .openapi({ example: "pot.jpg" });
const size = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).openapi({
  description: "Size in bytes. It counts against the quota from now on.",
  example: 48_213,
});
const contentType = z
  .string()
  .min(1)
  .max(255)
  .transform((type) => {
    const essence = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    return essence === "image/jpg" ? "image/jpeg" : essence;
  })
  .openapi({
    description:
      "Images: jpeg, png, apng, webp, avif, gif. Videos: mp4, x-m4v, 3gpp, 3gpp2, webm. Documents: pdf, plain text, csv, docx, xlsx. 3D models: glb, gltf, usdz.",
    example: "image/jpeg",
  });
const altText = z.string().max(500).openapi({ description: "Empty for a decorative image." });
const tags = z.array(z.string().min(1).max(50)).max(100);
const folderId = z.guid().nullable();
const focalPoint = z
  .object({ x: z.number().min(0).max(1), y: z.number().min(0).max(1) })
  .nullable()
  .openapi({
    description: "The point that cropping keeps visible: from 0 (left, top) to 1 (right, bottom).",
  });

export const newMedia = z
  .object({
    filename,
    size,
    content_type: contentType,
    alt_text: altText.default(""),
    tags: tags.default([]),
    folder_id: folderId.optional(),
    private: z.boolean().default(false).openapi({
      description: "Only admins, content roles and the uploader can read it. It cannot be changed.",
    }),
  })
  .openapi("NewMedia");

export const replacedMedia = z
  .object({ filename, size, content_type: contentType })
  .openapi("ReplacedMedia");

export const mediaChanges = z
  .object({
    alt_text: altText,
    alt_texts: z
      .record(z.string(), z.string().max(500))
      .openapi({ description: "By language.", example: { fr: "La cafetière, de côté" } }),
    focal_point: focalPoint,
    tags,
    folder_id: folderId,
  })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "Send at least one field to change.")
  .openapi("MediaChanges");

const pixels = z.number().int();

export const mediaAsset = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    uploaded_by: z.guid().nullable(),
    supplier_id: z
      .guid()
      .nullable()
      .openapi({ description: "The supplier that owns it; null for the operator's own." }),
    filename: z.string(),
    type: mediaType,
    content_type: z.string(),
    size: z.number().int(),
    dimensions: z.object({ width: pixels, height: pixels }).nullable().openapi("ImageDimensions", {
      description: "Dimensions of an image as browsers show it; null for other types.",
    }),
    alt_text: z.string(),
    alt_texts: z.record(z.string(), z.string()),
    focal_point: focalPoint,
    tags: z.array(z.string()),
    folder_id: z.guid().nullable(),
    private: z.boolean(),
    status: z.enum(Enums.media_status).openapi("MediaStatus"),
    url: z.string().nullable().openapi({
      description:
        "Null until the asset is ready. For a private asset, a signed address that is valid for an hour.",
    }),
    variants: z
      .array(
        z
          .object({
            width: pixels,
            height: pixels,
            format: z.literal("webp").openapi({
              description: "Clients that do not accept WebP get the original's format.",
            }),
            url: z.string(),
          })
          .openapi("MediaVariant"),
      )
      .openapi({
        description:
          "Smaller versions of an image. For a private image, only GET of one asset has them.",
      }),
    srcset: z.string().nullable().openapi({
      description: "The variants in the format of HTML's `srcset`; null without variants.",
    }),
    used_by: z.array(z.object({ type: z.string(), id: z.guid() }).openapi("MediaUse")).openapi({
      description:
        "The records that use it, at most 100. Empty for callers who may not change the asset.",
    }),
    upload_date: z.string(),
    updated_at: z.string(),
  })
  .openapi("MediaAsset");

const headers = z.record(z.string(), z.string());

export const upload = z
  .object({
    url: z.string(),
    method: z.literal("PUT"),
    headers,
    expires_at: z.string(),
    resumable: z
      .object({
        url: z.string(),
        headers,
        metadata: headers.openapi({
          description: "The content of Upload-Metadata, before base64.",
        }),
      })
      .openapi({ description: "The same upload by TUS, in parts of 6 MB: for large files." }),
  })
  .openapi("MediaUpload", { description: "The address for the bytes, which works once." });

export const announcedMedia = mediaAsset.extend({ upload }).openapi("AnnouncedMedia");

export const mediaQuery = listQuery(["upload_date"]).extend({
  search: search.openapi({
    description: "A part of the name, the alternative text or a tag.",
  }),
  type: mediaType.optional(),
  tag: z.string().min(1).max(50).optional(),
  folder_id: z.guid().optional(),
  unused: flag.optional().openapi({ description: "`true` for assets that no record uses." }),
});

export const mediaList = z
  .object({ media: z.array(mediaAsset), ...pageFields })
  .openapi("MediaList");

const folderName = visible(100);
const folderFields = {
  id: z.guid(),
  tenant_id: z.guid(),
  parent_id: z.guid().nullable(),
  name: z.string(),
  created_at: z.string(),
};

export const mediaFolder = z.object(folderFields).openapi("MediaFolder");

export const newMediaFolder = z
  .object({ name: folderName, parent_id: z.guid().nullable().optional() })
  .openapi("NewMediaFolder");

export const mediaFolderChanges = z
  .object({ name: folderName, parent_id: z.guid().nullable() })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "Send at least one field to change.")
  .openapi("MediaFolderChanges");

type FolderInTree = z.infer<typeof mediaFolder> & { children: FolderInTree[] };

const folderInTree: z.ZodType<FolderInTree> = z
  .object({
    ...folderFields,
    get children(): z.ZodArray<z.ZodType<FolderInTree>> {
      return z.array(folderInTree);
    },
  })
  .openapi("MediaFolderInTree", { description: "A folder with its subfolders." });

export const mediaFolderTree = z
  .object({ folders: z.array(folderInTree) })
  .openapi("MediaFolderTree");
