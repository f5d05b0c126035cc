import pLimit from "p-limit";
import type { Sharp } from "sharp";
import type { Answer, Call } from "./call.js";
import { isUnchanged, sendObject, setHeader, setHeaders } from "./download.js";
import { invalidRequest, MissingBytes, StorageError } from "./errors.js";
import { findObject, findReadable, type ObjectRow, withObject } from "./objects.js";
import { tokenOf, verifySignature } from "./signed-urls.js";
import {
  describe,
  read,
  readTransformation,
  sizeOf,
  type Transformation,
} from "./transformations.js";

/** Hosted's limits of the image that is to be transformed. */
const MOST_BYTES = 25 * 1024 * 1024;
const MOST_PIXELS = 50_000_000;
const QUALITY = 80;
const SECONDS = 15;

/** An image takes a core and, with 50 megapixels, 200 MB. */
const AT_ONCE = 2;
const MOST_WAITING = 100;
const turns = pLimit(AT_ONCE);

export const renderPublic = (call: Call) =>
  withObject(
    () => findReadable(call),
    (row) => render(call, row, readTransformation("querystring", queryOf(call))),
  );

export const renderAuthenticated = (call: Call) =>
  withObject(
    () => findObject(call, "caller", call.bucket, call.name),
    (row) => render(call, row, readTransformation("querystring", queryOf(call))),
  );

export async function renderSigned(call: Call): Promise<Answer> {
  const claims = await verifySignature(call, tokenOf(call), "download");
  const expires = new Date(claims.exp * 1000);
  return await withObject(
    () => findObject(call, "storage", call.bucket, call.name),
    (row) => render(call, row, read(claims.transformations ?? ""), expires),
  );
}

const queryOf = ({ query }: Call) => Object.fromEntries(query);

async function render(
  call: Call,
  row: ObjectRow,
  wish: Transformation,
  expires?: Date,
): Promise<Answer> {
  const { incoming, outgoing } = call;
  if (!call.config.storage.image_transformation.enabled) {
    throw new StorageError("FeatureNotEnabled", "feature not enabled for this tenant");
  }
  if ((row.metadata?.size ?? 0) > MOST_BYTES) {
    throw invalidRequest("The source image file is too large to process");
  }
  // A drawing has no pixels: it fits everywhere as it is.
  if (row.metadata?.mimetype?.startsWith("image/svg") && !isFormat(wish.format)) {
    return await sendObject(call, row, expires);
  }
  if (turns.pendingCount >= MOST_WAITING) throw new StorageError("SlowDown");
  if (isUnchanged(incoming.headers, row)) {
    setHeaders(call, row, expires);
    outgoing.writeHead(304).end();
    return null;
  }
  const accepted = incoming.headers.accept ?? "";
  const { bytes, format } = await turns(() =>
    transform(call.disk.path(row.version), wish, accepted),
  );
  setHeaders(call, row, expires);
  setHeader(outgoing, "content-type", `image/${format}`);
  setHeader(outgoing, "x-transformations", describe(wish) || undefined);
  if (wish.format === undefined) setHeader(outgoing, "vary", "Accept");
  outgoing.removeHeader("accept-ranges");
  outgoing.writeHead(200, { "content-length": bytes.length }).end(bytes);
  return null;
}

const isFormat = (format: Transformation["format"]) => format === "webp" || format === "avif";

/** What an image is written as that comes in a format which browsers do not show. */
const FALLBACK = "jpeg";
const SHOWN = ["jpeg", "png", "webp", "gif", "avif"] as const;
type Format = (typeof SHOWN)[number];

async function transform(
  path: string,
  wish: Transformation,
  accepted: string,
): Promise<{ bytes: Buffer; format: string }> {
  // It takes memory that few stacks need.
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  const image = sharp(path, { limitInputPixels: MOST_PIXELS, failOn: "error" });
  try {
    const { format: source } = await image.metadata();
    const format = formatOf(wish.format, source, accepted);
    const bytes = await written(resized(image, wish), format, wish.quality ?? QUALITY)
      .timeout({ seconds: SECONDS })
      .toBuffer();
    return { bytes, format };
  } catch (error) {
    throw unfit(error as Error);
  }
}

/** No image becomes larger than it is. */
function resized(image: Sharp, wish: Transformation): Sharp {
  const upright = image.rotate();
  const { width, height } = sizeOf(wish);
  if (!width && !height) return upright;
  const fit = ({ cover: "cover", contain: "inside", fill: "fill" } as const)[
    wish.resize ?? "cover"
  ];
  return upright.resize({ width, height, fit, withoutEnlargement: fit !== "fill" });
}

/** A PNG with a quality would lose its colours. */
function written(image: Sharp, format: Format, quality: number): Sharp {
  if (format === "avif") return image.avif({ quality });
  return format === "png" || format === "gif"
    ? image.toFormat(format)
    : image.toFormat(format, { quality });
}

function formatOf(
  wished: Transformation["format"],
  source: string | undefined,
  accepted: string,
): Format {
  if (wished === "webp" || wished === "avif") return wished;
  if (wished === undefined && accepted.includes("image/webp")) return "webp";
  // The library's word for AVIF.
  const name = source === "heif" ? "avif" : source;
  return SHOWN.find((format) => format === name) ?? FALLBACK;
}

function unfit({ message }: Error): StorageError {
  if (message.startsWith("Input file is missing")) return new MissingBytes();
  if (message.includes("pixel limit")) {
    return invalidRequest("The source image resolution is too large to process");
  }
  if (message.includes("timeout"))
    return new StorageError("InternalError", "Image request timed out");
  return invalidRequest("The source image is invalid or unsupported for rendering");
}
