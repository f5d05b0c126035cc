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

/** Hosted's limits of the source image, and hosted's default quality. */
const MAX_BYTES = 25 * 1024 * 1024;
const MAX_PIXELS = 50_000_000;
const QUALITY = 80;
/** Timeout of one transformation, in seconds. */
const TIMEOUT_SECONDS = 15;

/**
 * Maximum number of concurrent transformations. Each needs one core and, with 50 megapixels, 200
 * MB.
 */
const MAX_CONCURRENT = 2;
/** Maximum number of waiting transformations; more are refused. */
const MAX_WAITING = 100;
const queue = pLimit(MAX_CONCURRENT);

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
  wanted: Transformation,
  expires?: Date,
): Promise<Answer> {
  const { incoming, outgoing } = call;
  if (!call.config.storage.image_transformation.enabled) {
    throw new StorageError("FeatureNotEnabled", "feature not enabled for this tenant");
  }
  if ((row.metadata?.size ?? 0) > MAX_BYTES) {
    throw invalidRequest("The source image file is too large to process");
  }
  // A vector image has no pixels to resize, as hosted.
  if (row.metadata?.mimetype?.startsWith("image/svg") && !isFormat(wanted.format)) {
    return await sendObject(call, row, expires);
  }
  if (queue.pendingCount >= MAX_WAITING) throw new StorageError("SlowDown");
  if (isUnchanged(incoming.headers, row)) {
    setHeaders(call, row, expires);
    outgoing.writeHead(304).end();
    return null;
  }
  const accepted = incoming.headers.accept ?? "";
  const { bytes, format } = await queue(() =>
    transform(call.disk.path(row.version), wanted, accepted),
  );
  setHeaders(call, row, expires);
  setHeader(outgoing, "content-type", `image/${format}`);
  setHeader(outgoing, "x-transformations", describe(wanted) || undefined);
  if (wanted.format === undefined) setHeader(outgoing, "vary", "Accept");
  outgoing.removeHeader("accept-ranges");
  outgoing.writeHead(200, { "content-length": bytes.length }).end(bytes);
  return null;
}

const isFormat = (format: Transformation["format"]) => format === "webp" || format === "avif";

/** The format for images in formats that browsers do not show. */
const FALLBACK = "jpeg";
const SHOWN = ["jpeg", "png", "webp", "gif", "avif"] as const;
type Format = (typeof SHOWN)[number];

async function transform(
  path: string,
  wanted: Transformation,
  accepted: string,
): Promise<{ bytes: Buffer; format: string }> {
  // Loaded on first use, because it takes memory that few stacks need.
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  const image = sharp(path, { limitInputPixels: MAX_PIXELS, failOn: "error" });
  try {
    const { format: source } = await image.metadata();
    const format = formatOf(wanted.format, source, accepted);
    const bytes = await written(resized(image, wanted), format, wanted.quality ?? QUALITY)
      .timeout({ seconds: TIMEOUT_SECONDS })
      .toBuffer();
    return { bytes, format };
  } catch (error) {
    throw unfit(error as Error);
  }
}

/** Resizes an image. `cover` and `contain` never enlarge it. */
function resized(image: Sharp, wanted: Transformation): Sharp {
  const upright = image.rotate();
  const { width, height } = sizeOf(wanted);
  if (!width && !height) return upright;
  const fit = ({ cover: "cover", contain: "inside", fill: "fill" } as const)[
    wanted.resize ?? "cover"
  ];
  return upright.resize({ width, height, fit, withoutEnlargement: fit !== "fill" });
}

/** Encodes an image. PNG and GIF get no quality: it would reduce their colours. */
function written(image: Sharp, format: Format, quality: number): Sharp {
  if (format === "avif") return image.avif({ quality });
  return format === "png" || format === "gif"
    ? image.toFormat(format)
    : image.toFormat(format, { quality });
}

function formatOf(
  wanted: Transformation["format"],
  source: string | undefined,
  accepted: string,
): Format {
  if (wanted === "webp" || wanted === "avif") return wanted;
  if (wanted === undefined && accepted.includes("image/webp")) return "webp";
  // sharp calls AVIF heif.
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
