import { z } from "zod";
import { invalidRequest } from "./errors.js";

/** The widest and the highest that hosted makes an image. */
const MOST = 2500;

const whole = z.coerce.number().int();
const transformation = z.object({
  height: whole.min(0).optional(),
  width: whole.min(0).optional(),
  resize: z.enum(["cover", "contain", "fill"]).optional(),
  format: z.enum(["origin", "avif", "webp"]).optional(),
  quality: whole.min(20).max(100).optional(),
});

/** What is wished of an image. */
export type Transformation = z.output<typeof transformation>;

/** Throws InvalidRequest. Other fields are left alone, as those of a query are. */
export function readTransformation(where: string, given: unknown): Transformation {
  const parsed = transformation.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidRequest(`${where}/${issue?.path.join("/")} ${issue?.message}`);
}

const bounded = (size: number) => Math.min(size, MOST);

const RESIZING = { cover: "fill", contain: "fit", fill: "force" };

/** As the header `X-Transformations` tells it, in the words of hosted's imgproxy. */
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

/** As a signed URL's token has it. */
export function write({ height, width, resize, quality, format }: Transformation): string {
  return Object.entries({ height, width, resize, quality, format })
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}:${value}`)
    .join(",");
}

export function read(written: string): Transformation {
  const pairs = written.split(",").map((pair) => pair.split(":", 2));
  return readTransformation("token", Object.fromEntries(pairs.filter(([, value]) => value)));
}

/** The size that is asked for; undefined where it follows from the other side. */
export const sizeOf = ({ width, height }: Transformation) => ({
  width: width ? bounded(width) : undefined,
  height: height ? bounded(height) : undefined,
});
