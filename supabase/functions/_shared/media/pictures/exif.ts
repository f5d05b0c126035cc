import { ascii, viewOf } from "./picture.ts";

/** https://www.cipa.jp/std/documents/e/DC-008-2012_E.pdf: EXIF data are a TIFF file. */
const ORIENTATION = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;

/** The orientation in EXIF data, from 1 to 8; undefined if there is none. */
export function orientationOf(tiff: Uint8Array): number | undefined {
  if (tiff.length < 10) return undefined;
  const view = viewOf(tiff);
  const order = ascii(tiff, 0, 4);
  const isLittle = order === "II*\0";
  if (!isLittle && order !== "MM\0*") return undefined;
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > tiff.length) return undefined;
  const entries = view.getUint16(directory, isLittle);
  for (let i = 0; i < entries; i += 1) {
    const entry = directory + 2 + i * ENTRY_BYTES;
    if (entry + ENTRY_BYTES > tiff.length) return undefined;
    if (view.getUint16(entry, isLittle) !== ORIENTATION) continue;
    const value = view.getUint16(entry + 8, isLittle);
    const isValid = view.getUint16(entry + 2, isLittle) === SHORT && value >= 1 && value <= 8;
    return isValid ? value : undefined;
  }
  return undefined;
}

/** EXIF data with an orientation and nothing else. */
export function exifWith(orientation: number): Uint8Array {
  const tiff = new Uint8Array(26);
  const view = viewOf(tiff);
  tiff.set([0x49, 0x49, 0x2a, 0]);
  view.setUint32(4, 8, true);
  view.setUint16(8, 1, true);
  view.setUint16(10, ORIENTATION, true);
  view.setUint16(12, SHORT, true);
  view.setUint32(14, 1, true);
  view.setUint16(18, orientation, true);
  return tiff;
}
