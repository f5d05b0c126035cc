import type { z } from "@hono/zod-openapi";
import { mediaAsset } from "./schema.ts";
import { openStorage } from "./storage.ts";

type MediaAsset = z.infer<typeof mediaAsset>;

/** An asset in the database's response: it has the path of its bytes, and no addresses if it is private. */
export type StoredAsset = MediaAsset & {
  bucket: "media" | "documents" | null;
  path: string | null;
};

/** Adds signed addresses to private assets, in one request. The database has checked that the caller may read them. */
export async function withAddresses(
  assets: readonly StoredAsset[],
  signal: AbortSignal,
): Promise<MediaAsset[]> {
  const signed = assets.filter(({ private: isPrivate, path }) => isPrivate && path);
  const urls = await openStorage(signal).sign(
    "documents",
    signed.map(({ path }) => path as string),
  );
  return assets.map((asset) => {
    const at = signed.indexOf(asset);
    if (at === -1) return mediaAsset.parse(asset);
    // Each variant of a private asset takes a request to sign, so only GET of one asset has them.
    return mediaAsset.parse({ ...asset, url: saving(urls[at] ?? null, asset), variants: [] });
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

/** The address at which a browser saves a non-image under its name instead of showing it. */
function saving(url: string | null, { type, filename }: StoredAsset): string | null {
  return url && type !== "image" ? `${url}&download=${encodeURIComponent(filename)}` : url;
}
