import { exifWith, orientationOf } from "./exif.ts";
import { ascii, broken, type Picture, partsOf, viewOf } from "./picture.ts";

// https://www.w3.org/Graphics/JPEG/itu-t81.pdf, annex B: a sequence of segments that begin with 0xff and a marker.

const START = 0xd8;
const END = 0xd9;
const SCAN = 0xda;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
/** Length of a JFIF segment without a preview, with its marker. */
const JFIF_BYTES = 18;

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;
/** A marker without a length. */
const isAlone = (marker: number) => marker === 0x01 || isRestart(marker);

/** Bytes after the end are in no part: phones put videos and further pictures there, which have metadata of their own. */
export function readJpeg(bytes: Uint8Array): Picture {
  const view = viewOf(bytes);
  const out = partsOf(bytes);
  let orientation: number | undefined;
  out.keep(0, 2);
  let at = markerAfter(bytes, 2);
  while (at < bytes.length) {
    const marker = bytes[at + 1] as number;
    if (marker === START) return { ...out.finish(at), isAnimated: false, orientation };
    if (marker === END) {
      out.keep(at, at + 2);
      return { ...out.finish(at + 2), isAnimated: false, orientation };
    }
    if (isAlone(marker)) {
      at = markerAfter(bytes, at + 2);
      continue;
    }
    if (at + 4 > bytes.length) throw broken();
    const end = at + 2 + view.getUint16(at + 2);
    if (end < at + 4 || end > bytes.length) throw broken();
    const name = ascii(bytes, at + 4, Math.min(end, at + 16));
    if (marker === APP1 && name.startsWith("Exif\0")) {
      orientation ??= orientationOf(bytes.subarray(at + 10, end));
      out.write(orientation ? exifSegment(orientation) : new Uint8Array(), at, end);
    } else if (marker === APP0 && name.startsWith("JFIF\0") && end - at >= JFIF_BYTES) {
      out.write(jfifSegment(bytes.subarray(at, end)), at, end);
    } else if (isKept(marker, name)) {
      out.keep(at, end);
    }
    const next = marker === SCAN ? scanEnd(bytes, end) : markerAfter(bytes, end);
    if (marker === SCAN) out.keep(end, next);
    at = next;
  }
  // The end is missing. Decoders show what is there.
  return { ...out.finish(bytes.length), isAnimated: false, orientation };
}

/** Segments of the image itself, its colour profile, and Adobe's, which says how colours are encoded. */
function isKept(marker: number, name: string): boolean {
  if (marker < APP0) return true;
  if (marker === APP2) return name.startsWith("ICC_PROFILE\0");
  return marker === APP14 && name.startsWith("Adobe");
}

/** The offset of the next marker. Decoders skip other bytes between segments. */
function markerAfter(bytes: Uint8Array, from: number): number {
  for (let at = from; ; at += 1) {
    at = bytes.indexOf(0xff, at);
    if (at === -1 || at + 1 >= bytes.length) return bytes.length;
    const marker = bytes[at + 1];
    if (marker !== 0 && marker !== 0xff) return at;
  }
}

/** The offset of the marker after the pixels of a scan, where 0xff is followed by 0, and restart markers may stand. */
function scanEnd(bytes: Uint8Array, from: number): number {
  let at = markerAfter(bytes, from);
  while (at < bytes.length && isRestart(bytes[at + 1] as number)) at = markerAfter(bytes, at + 2);
  return at;
}

function exifSegment(orientation: number): Uint8Array {
  const tiff = exifWith(orientation);
  const segment = new Uint8Array(10 + tiff.length);
  segment.set([0xff, APP1, 0, segment.length - 2, 0x45, 0x78, 0x69, 0x66, 0, 0]);
  segment.set(tiff, 10);
  return segment;
}

/** A JFIF segment without its preview. */
function jfifSegment(segment: Uint8Array): Uint8Array {
  const short = segment.slice(0, JFIF_BYTES);
  short.set([0, JFIF_BYTES - 2], 2);
  short.set([0, 0], JFIF_BYTES - 2);
  return short;
}
