import type { z } from "@hono/zod-openapi";
import { openStorage } from "../media/storage.ts";
import { type exportRecord, type StoredExport, storedExport } from "./schema.ts";

type Export = z.infer<typeof exportRecord>;

const SIGNED_FOR_SECONDS = 24 * 3600;

/** Adds signed addresses of their files to exports that the caller may see, in one request to Storage. */
export async function withAddresses(stored: unknown[], signal: AbortSignal): Promise<Export[]> {
  const all = stored.map((one) => storedExport.parse(one));
  const paths = all.flatMap(({ files }) => files);
  const signed = await openStorage(signal).sign("exports", paths, SIGNED_FOR_SECONDS);
  const addressOf = new Map(paths.map((path, at) => [path, signed[at]]));
  return all.map((one) => {
    const { files, ...record } = one;
    const urls = files.flatMap((path, at) => {
      const url = addressOf.get(path);
      return url ? [`${url}&download=${encodeURIComponent(fileName(one, at))}`] : [];
    });
    return { ...record, url: urls[0] ?? null, urls };
  });
}

/** The name under which a browser saves a file. */
function fileName({ type, format, files, from, to, created_at }: StoredExport, at: number): string {
  const days = from && to ? `${from}-${to}` : created_at.slice(0, 10);
  const number = files.length > 1 ? `-${at + 1}` : "";
  return `${type}-${days}${number}.${format}`;
}
