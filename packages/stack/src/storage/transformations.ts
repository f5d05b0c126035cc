import { z } from "zod";
import { invalidRequest } from "./errors.js";

/** Largest width and height of a transformed image, in pixels, as hosted. */
const MAX_SIDE = 2500;

const whole = z.coerce.number().int();
const transformation = z.object({
  height: whole.min(0).optional(),
  width: whole.min(0).optional(),
  resize: z.enum(["cover", "contain", "fill"]).optional(),
  format: z.enum(["origin", "avif", "webp"]).optional(),
  quality: whole.min(20).max(100).optional(),
});

/** A requested change of an image. */
export type Transformation = z.output<typeof transformation>;

/** Reads a transformation, and ignores other fields, such as those of a query. Throws InvalidRequest. */
export function readTransformation(where: string, given: unknown): Transformation {
  const parsed = transformation.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidRequest(`${where}/${issue?.path.join("/")} ${issue?.message}`);
}

const bounded = (size: number) => Math.min(size, MAX_SIDE);

const RESIZING = { cover: "fill", contain: "fit", fill: "force" };

/** The value of the header `X-Transformations`, in the words of hosted's imgproxy. */
export function describe({
  height,
  width,
  resize = "cover",
  quality,
  format,
}: Transformation): string {
  return [
    height && `height:${bounded(height)}`,
    width && `width:${bounded(width)}`,
    (width || height) && `resizing_type:${RESIZING[resize]}`,
    quality && `quality:${quality}`,
    format && format !== "origin" && `format:${format}`,
  ]
    .filter(Boolean)
    .join(",");
}

/** Writes a transformation for a signed URL's token. */
export function write({ height, width, resize, quality, format }: Transformation): string {
  return Object.entries({ height, width, resize, quality, format })
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}:${value}`)
    .join(",");
}

/** Reads a transformation from a signed URL's token. Throws InvalidRequest. */
export function read(written: string): Transformation {
  const pairs = written.split(",").map((pair) => pair.split(":", 2));
  return readTransformation("token", Object.fromEntries(pairs.filter(([, value]) => value)));
}

/** The requested size; undefined for a side that follows from the other. */
export const sizeOf = ({ width, height }: Transformation) => ({
  width: width ? bounded(width) : undefined,
  height: height ? bounded(height) : undefined,
});
