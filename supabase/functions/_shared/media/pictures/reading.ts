import { readAvif } from "./avif.ts";
import { readGif } from "./gif.ts";
import { readJpeg } from "./jpeg.ts";
import { broken, type Picture } from "./picture.ts";
import { readPng } from "./png.ts";
import { readWebp } from "./webp.ts";

const READERS: Record<string, (bytes: Uint8Array) => Picture> = {
  "image/jpeg": readJpeg,
  "image/png": readPng,
  "image/webp": readWebp,
  "image/gif": readGif,
  "image/avif": readAvif,
};

/** Reads the structure of an image. Throws UNSUPPORTED_MEDIA if it is broken. */
export function readPicture(contentType: string, bytes: Uint8Array): Picture {
  const read = READERS[contentType];
  if (!read) throw new Error(`${contentType} is no image`);
  try {
    return read(bytes);
  } catch (error) {
    // A length points behind the end.
    throw error instanceof RangeError ? broken() : error;
  }
}
