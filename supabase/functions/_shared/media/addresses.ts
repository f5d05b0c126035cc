import type { z } from "@hono/zod-openapi";
import { mediaAsset } from "./schema.ts";
import { openStorage } from "./storage.ts";

type MediaAsset = z.infer<typeof mediaAsset>;

/** An asset as the database answers it: without the addresses of what is private, and with where its bytes are. */
export type StoredAsset = MediaAsset & {
  bucket: "media" | "documents" | null;
  path: string | null;
};

/** Signs the addresses of those that are private, all at once. The caller has been found to see them. */
export async function withAddresses(
  assets: readonly StoredAsset[],
  signal: AbortSignal,
): Promise<MediaAsset[]> {
  const hidden = assets.filter(({ private: isPrivate, path }) => isPrivate && path);
  const urls = await openStorage(signal).sign(
    "documents",
    hidden.map(({ path }) => path as string),
  );
  return assets.map((asset) => {
    const at = hidden.indexOf(asset);
    if (at === -1) return mediaAsset.parse(asset);
    // A variant of what is private is signed by itself, in GET of one.
    return mediaAsset.parse({ ...asset, url: saved(urls[at] ?? null, asset), variants: [] });
  });
}

/** One asset with all its addresses. */
export async function withAllAddresses(
  asset: StoredAsset,
  signal: AbortSignal,
): Promise<MediaAsset> {
  const [addressed] = (await withAddresses([asset], signal)) as [MediaAsset];
  if (!asset.private || !asset.path) return addressed;
  const storage = openStorage(signal);
  const variants = await Promise.all(
    asset.variants.map(async (variant) => ({
      ...variant,
      url: await storage.signSmaller(
        "documents",
        asset.path as string,
        variant.width,
        variant.height,
      ),
    })),
  );
  const srcset = variants.map(({ url, width }) => `${url} ${width}w`).join(", ") || null;
  return { ...addressed, variants, srcset };
}

/** What is no picture is saved instead of shown, under its name: none of it can be taken for a page. */
function saved(url: string | null, { type, filename }: StoredAsset): string | null {
  return url && type !== "image" ? `${url}&download=${encodeURIComponent(filename)}` : url;
}
