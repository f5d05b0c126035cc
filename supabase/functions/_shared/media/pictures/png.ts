import { exifWith, orientationOf } from "./exif.ts";
import { ascii, broken, type Picture, partsOf, viewOf } from "./picture.ts";

// https://www.w3.org/TR/png-3/: a signature, then chunks of a length, a type, data and a checksum.

const SIGNATURE_BYTES = 8;
/** The chunks of the image, its colours, and its frames. */
const KEPT = new Set(
  "IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV mDCv cLLI cLLi bKGD hIST pHYs sPLT acTL fcTL fdAT".split(
    " ",
  ),
);

export function readPng(bytes: Uint8Array): Picture {
  const view = viewOf(bytes);
  const out = partsOf(bytes);
  let isAnimated = false;
  let orientation: number | undefined;
  out.keep(0, SIGNATURE_BYTES);
  for (let at = SIGNATURE_BYTES; at + 12 <= bytes.length; ) {
    const data = at + 8;
    const end = data + view.getUint32(at) + 4;
    if (end > bytes.length) throw broken();
    const type = ascii(bytes, at + 4, data);
    if (type === "eXIf") {
      const found = orientationOf(bytes.subarray(data, end - 4));
      if (found && !orientation) out.write(exifChunk(found), at, end);
      orientation ??= found;
    } else if (KEPT.has(type)) {
      out.keep(at, end);
    }
    if (type === "acTL") isAnimated = true;
    if (type === "IEND") return { ...out.finish(end), isAnimated, orientation };
    at = end;
  }
  throw broken();
}

function exifChunk(orientation: number): Uint8Array {
  const tiff = exifWith(orientation);
  const chunk = new Uint8Array(12 + tiff.length);
  const view = viewOf(chunk);
  view.setUint32(0, tiff.length);
  chunk.set([0x65, 0x58, 0x49, 0x66], 4);
  chunk.set(tiff, 8);
  view.setUint32(chunk.length - 4, checksum(chunk.subarray(4, -4)));
  return chunk;
}

/** CRC-32, as in annex D. */
function checksum(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
