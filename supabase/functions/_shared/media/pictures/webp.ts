import { orientationOf } from "./exif.ts";
import { ascii, broken, PARTS_AT_MOST, type Picture, partsOf, viewOf } from "./picture.ts";

// https://developers.google.com/speed/webp/docs/riff_container: a header of 12 bytes, then chunks of a type, a length and
// data of an even number of bytes.

const HEADER_BYTES = 12;
const KEPT = new Set(["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]);
const IN_FRAMES = new Set(["VP8 ", "VP8L", "ALPH"]);
/** The header of a frame, after that of its chunk, in bytes. */
const FRAME_BYTES = 16;
/** The bits for EXIF and XMP data in VP8X. */
const METADATA_FLAGS = 0x0c;

/** The orientation is dropped too: browsers ignore it in WebP, and smaller versions would follow it. */
export function readWebp(bytes: Uint8Array): Picture {
  const view = viewOf(bytes);
  const out = partsOf(bytes);
  const length = view.getUint32(4, true);
  const end = Math.min(8 + length + (length % 2), bytes.length);
  if (8 + length > bytes.length) throw broken();
  const chunks = chunksOf(bytes, HEADER_BYTES, end);
  let orientation: number | undefined;
  let isAnimated = false;
  let kept = 4;
  for (const { type, start, data, next } of chunks) {
    if (type === "EXIF") orientation ??= orientationOf(withoutName(bytes.subarray(data, next)));
    if (type === "ANIM") isAnimated = true;
    if (KEPT.has(type)) kept += next - start;
    if (type === "ANMF" && hasOthers(bytes, data, next)) throw broken();
  }
  const header = bytes.slice(0, HEADER_BYTES);
  // A file may lack the byte that pads its last chunk.
  viewOf(header).setUint32(4, kept === end - 8 ? length : kept, true);
  out.write(header, 0, HEADER_BYTES);
  for (const { type, start, data, next } of chunks) {
    if (type === "VP8X") {
      const extended = bytes.slice(start, next);
      extended[8] = (bytes[data] as number) & ~METADATA_FLAGS;
      out.write(extended, start, next);
    } else if (KEPT.has(type)) {
      out.keep(start, next);
    }
  }
  const finished = out.finish(end);
  // One byte more pads the file, even where it need not.
  const appended = finished.appended === 1 ? 0 : finished.appended;
  return { ...finished, appended, isAnimated, orientation };
}

function chunksOf(bytes: Uint8Array, from: number, to: number) {
  const view = viewOf(bytes);
  const chunks: { type: string; start: number; data: number; next: number }[] = [];
  for (let start = from; start + 8 <= to; ) {
    const length = view.getUint32(start + 4, true);
    const data = start + 8;
    if (data + length > to) throw broken();
    const next = Math.min(data + length + (length % 2), to);
    if (chunks.length > PARTS_AT_MOST) throw broken();
    chunks.push({ type: ascii(bytes, start, start + 4), start, data, next });
    start = next;
  }
  return chunks;
}

const hasOthers = (bytes: Uint8Array, data: number, next: number) =>
  chunksOf(bytes, data + FRAME_BYTES, next).some(({ type }) => !IN_FRAMES.has(type));

/** Some programs put the name of JPEG's segment before EXIF data. */
const withoutName = (exif: Uint8Array) =>
  ascii(exif, 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif;
