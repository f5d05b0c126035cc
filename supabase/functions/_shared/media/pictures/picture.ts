import { refused } from "../refused.ts";

/** An image, read by its structure. */
export interface Picture {
  /** The parts of a copy without metadata, in order. They hold the orientation and the colour profile. */
  parts: Uint8Array[];
  /** Whether that copy has other bytes than the file. */
  differs: boolean;
  /** Number of bytes after the end of the image. They are in no part. */
  appended: number;
  isAnimated: boolean;
  /** The orientation in EXIF data, from 1 to 8. */
  orientation?: number;
  /** Bits per channel, where a decoder may not support all of them. */
  bits?: number;
}

export const broken = () =>
  refused("The image's structure is broken. Save it again with an image editor.");

export const ascii = (bytes: Uint8Array, from: number, to: number) =>
  String.fromCharCode(...bytes.subarray(from, to));

export const viewOf = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Maximum number of parts, boxes or chunks in memory. An animation has one or two for each frame. */
export const PARTS_AT_MOST = 20_000;

/** Collects the parts of a copy. Neighbours in the file become one part. */
export function partsOf(bytes: Uint8Array) {
  const parts: Uint8Array[] = [];
  let differs = false;
  let from = 0;
  let to = 0;
  const flush = () => {
    if (parts.length > PARTS_AT_MOST) throw broken();
    if (to > from) parts.push(bytes.subarray(from, to));
  };
  return {
    keep(start: number, end: number) {
      if (start !== to) {
        flush();
        from = start;
      }
      to = end;
    },
    /** Puts other bytes in the place of the file's bytes between two offsets. */
    write(part: Uint8Array, start: number, end: number) {
      const isSame =
        part.length === end - start && part.every((byte, i) => byte === bytes[start + i]);
      if (isSame) {
        this.keep(start, end);
        return;
      }
      flush();
      parts.push(part);
      differs = true;
      from = end;
      to = end;
    },
    /** The parts of an image that ends at an offset of the file. */
    finish(end: number) {
      flush();
      const kept = sizeOf({ parts });
      return { parts, differs: differs || kept !== bytes.length, appended: bytes.length - end };
    },
  };
}

/** Size in bytes of the copy without metadata. */
export const sizeOf = ({ parts }: Pick<Picture, "parts">) =>
  parts.reduce((sum, part) => sum + part.length, 0);

/** The copy without metadata. */
export function joined(picture: Picture): Uint8Array {
  const [first, ...others] = picture.parts;
  if (first && others.length === 0) return first;
  const copy = new Uint8Array(sizeOf(picture));
  let at = 0;
  for (const part of picture.parts) {
    copy.set(part, at);
    at += part.length;
  }
  return copy;
}

/**
 * Whether smaller versions show what the image shows. Those of one that moves stand still. Those of a WebP follow the
 * orientation in EXIF data, which browsers ignore. cleaned: whether the copy without metadata is shown.
 */
export const isResizable = (picture: Picture, contentType: string, cleaned: boolean) =>
  !picture.isAnimated &&
  (contentType !== "image/webp" || cleaned || (picture.orientation ?? 1) === 1);
