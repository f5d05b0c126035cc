import { open } from "node:fs/promises";
import { type ServerResponse, validateHeaderValue } from "node:http";
import { pipeline } from "node:stream/promises";
import { type Answer, type Call, instant } from "./call.js";
import { BLOCK } from "./disk.js";
import { invalidRequest, MissingBytes, StorageError } from "./errors.js";
import { findReadable, type ObjectRow, withObject } from "./objects.js";

/** Largest object that is read in one piece, in bytes. That costs less than a stream. */
const SMALL = 128 * 1024;

export const getObject = (call: Call) =>
  withObject(
    () => findReadable(call),
    (row) => sendObject(call, row),
  );
export const headObject = async (call: Call) => sendHead(call, await findReadable(call));
export const getObjectInfo = async (call: Call) => info(await findReadable(call));

/** Sends an object's bytes, or the requested range. Throws MissingBytes before it has sent anything. */
export async function sendObject(call: Call, row: ObjectRow, expires?: Date): Promise<Answer> {
  const { incoming, outgoing } = call;
  if (isUnchanged(incoming.headers, row)) {
    setHeaders(call, row, expires);
    outgoing.writeHead(304).end();
    return null;
  }
  const path = call.disk.path(row.version);
  const size = row.metadata?.size ?? Number.NaN;
  const range = rangeOf(call, row, size);
  if (!range && size <= SMALL) {
    const bytes = await call.disk.readWhole(row.version).catch(orMissing);
    setHeaders(call, row, expires);
    outgoing.writeHead(200, { "content-length": bytes.length }).end(bytes);
    return null;
  }
  // An open file can be read to its end, even if it is removed meanwhile.
  const file = await open(path).catch(orMissing);
  try {
    setHeaders(call, row, expires);
    const whole = (await file.stat()).size;
    if (range) {
      outgoing.setHeader("content-range", `bytes ${range.start}-${range.end}/${whole}`);
      outgoing.writeHead(206, { "content-length": range.end - range.start + 1 });
    } else {
      outgoing.writeHead(200, { "content-length": whole });
    }
    await pipeline(
      file.createReadStream({ autoClose: false, highWaterMark: BLOCK, ...range }),
      outgoing,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  } finally {
    await file.close();
  }
  return null;
}

/** Sends the headers of a GET, without the bytes. */
export async function sendHead(call: Call, row: ObjectRow): Promise<Answer> {
  setHeaders(call, row);
  call.outgoing.writeHead(200, { "content-length": row.metadata?.size ?? 0 }).end();
  return null;
}

export const info = (row: ObjectRow): Answer => ({
  json: {
    id: row.id,
    name: row.name,
    version: row.version,
    bucket_id: row.bucket_id,
    size: row.metadata?.size ?? null,
    content_type: row.metadata?.mimetype ?? null,
    cache_control: row.metadata?.cacheControl ?? null,
    etag: row.metadata?.eTag ?? null,
    metadata: row.user_metadata,
    last_modified: instant(row.updated_at),
    created_at: instant(row.created_at),
  },
});

export function setHeaders(call: Call, { metadata }: ObjectRow, expires?: Date): void {
  const { outgoing, incoming, query } = call;
  const { mimetype, eTag, lastModified, cacheControl, xRobotsTag } = metadata ?? {};
  setHeader(outgoing, "accept-ranges", "bytes");
  setHeader(outgoing, "content-type", typeOf(mimetype));
  setHeader(outgoing, "etag", eTag);
  setHeader(outgoing, "x-robots-tag", xRobotsTag ?? "none");
  setHeader(outgoing, "last-modified", lastModified && new Date(lastModified).toUTCString());
  if (expires) setHeader(outgoing, "expires", expires.toUTCString());
  else {
    const known = incoming.headers["if-none-match"];
    const stale = known !== undefined && known !== eTag;
    const parts = [cacheControl, stale ? "stale-while-revalidate=30" : ""].filter(Boolean);
    setHeader(outgoing, "cache-control", parts.join(", ") || undefined);
  }
  const download = query.get("download");
  if (download === null) return;
  const name = encodeURIComponent(download);
  setHeader(
    outgoing,
    "content-disposition",
    name === "" ? "attachment;" : `attachment; filename=${name}; filename*=UTF-8''${name}`,
  );
}

/** Sets a header whose value an uploader has chosen. Throws InvalidRequest. */
export function setHeader(outgoing: ServerResponse, name: string, value: string | undefined): void {
  if (value === undefined) return;
  try {
    validateHeaderValue(name, value);
  } catch {
    throw invalidRequest(
      `Invalid character in response header "${name}": ${value.substring(0, 50)}`,
    );
  }
  outgoing.setHeader(name, value);
}

/** Changes HTML to plain text, as hosted: a page in a bucket would run its scripts at the project's address. */
export const typeOf = (mimetype = "application/octet-stream") =>
  mimetype.includes("text/html") ? "text/plain" : mimetype;

type Headers = Call["incoming"]["headers"];

export function isUnchanged(headers: Headers, { metadata }: ObjectRow): boolean {
  const { eTag = "", lastModified } = metadata ?? {};
  const known = headers["if-none-match"];
  if (known !== undefined) {
    const tags = known.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    return tags.includes(eTag) || tags.includes("*");
  }
  const since = Date.parse(headers["if-modified-since"] ?? "");
  // The header has no milliseconds.
  return Math.floor(Date.parse(lastModified ?? "") / 1000) * 1000 <= since;
}

/**
 * The requested range of bytes; null for all of them. Another unit and several ranges are ignored, as RFC 9110 allows.
 * Throws InvalidRange.
 */
function rangeOf(
  { incoming, outgoing }: Call,
  { metadata }: ObjectRow,
  size: number,
): { start: number; end: number } | null {
  const { range, "if-range": unlessChanged } = incoming.headers;
  if (range === undefined || !range.startsWith("bytes=") || range.includes(",")) return null;
  if (unlessChanged !== undefined && unlessChanged !== metadata?.eTag) return null;
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  const start = first ? Number(first) : size - Number(last || Number.NaN);
  const end = first && last ? Math.min(Number(last), size - 1) : size - 1;
  if (start <= end && start < size) {
    return { start: Math.max(start, 0), end };
  }
  outgoing.setHeader("content-range", `bytes */${size}`);
  throw new StorageError("InvalidRange");
}

function orMissing(error: NodeJS.ErrnoException): never {
  throw error.code === "ENOENT" ? new MissingBytes() : error;
}
