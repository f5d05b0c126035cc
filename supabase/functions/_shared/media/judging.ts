import { fileTypeFromBuffer } from "file-type";
import { imageDimensionsFromData } from "image-dimensions";
import { archiveType } from "./archives.ts";
import { refused } from "./refused.ts";
import type { StoredFile } from "./storage.ts";

/** The properties of a file, found in its bytes. */
export interface Judged {
  contentType: string;
  dimensions?: { width: number; height: number };
}

/** Bytes read from the beginning, and for texts from the end. */
const HEAD_BYTES = 65_536;
/** Bytes read to find an image's dimensions: cameras put a preview and a colour profile before them. */
const IMAGE_HEAD_BYTES = 1_048_576;
const IMAGE_BYTES_AT_MOST = 26_214_400;
const PIXELS_AT_MOST = 50_000_000;
/** Maximum number of top-level boxes of an AVIF. Usually there are three or four. */
const BOXES_AT_MOST = 50;

/**
 * Finds the content type of a file by its bytes: by its beginning, and for most formats by its structure. The announced
 * type decides for texts only, because they have no signature. Throws UNSUPPORTED_MEDIA.
 */
export async function judge(file: StoredFile, announced: string): Promise<Judged> {
  if (file.size === 0) throw refused("The file is empty.");
  const head = await file.read(0, HEAD_BYTES);
  if (startsWith(head, "PK\x03\x04")) return { contentType: await archiveType(file) };
  const found = await fileTypeFromBuffer(head);
  const contentType = found?.mime;
  switch (contentType) {
    case "image/jpeg":
    case "image/png":
    case "image/webp":
    case "image/avif":
    case "image/gif":
      return { contentType, dimensions: await judgeImage(file, head, contentType) };
    case "video/mp4":
    case "video/webm":
    case "application/pdf":
      return { contentType };
    case "model/gltf-binary":
      judgeBinaryModel(head, file.size);
      return { contentType };
    case undefined:
      return { contentType: await judgeText(file, head, announced) };
    default:
      throw refused(`The file is ${contentType}, which the media library does not accept.`);
  }
}

async function judgeImage(file: StoredFile, head: Uint8Array, contentType: string) {
  if (file.size > IMAGE_BYTES_AT_MOST) throw refused("An image may have at most 25 MB.");
  const dimensions =
    imageDimensionsFromData(head) ?? imageDimensionsFromData(await file.read(0, IMAGE_HEAD_BYTES));
  if (!dimensions) throw refused("The image has no dimensions.");
  const { width, height } = dimensions;
  if (width < 1 || height < 1) throw refused("The image has no pixels.");
  if (width * height > PIXELS_AT_MOST) throw refused("An image may have at most 50 megapixels.");
  await refuseAppended(file, head, contentType);
  return { width, height };
}

/** Refuses bytes after the end of an image, because they may be another file. JPEGs may have some: phones add videos. */
async function refuseAppended(file: StoredFile, head: Uint8Array, contentType: string) {
  const tail = await file.read(Math.max(0, file.size - 12), 12);
  const isWhole = {
    "image/png": () => endsWith(tail, [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]),
    "image/gif": () => endsWith(tail, [0x3b]),
    "image/webp": () => {
      const length = new DataView(head.buffer, head.byteOffset).getUint32(4, true) + 8;
      return file.size === length || file.size === length + 1;
    },
    "image/avif": () => isBoxesToItsEnd(file, head),
  }[contentType];
  if (isWhole && !(await isWhole())) throw refused("The file does not end where the image ends.");
}

/** ISO 14496-12: a file is a sequence of boxes that start with their length. A box of length 0 would hold everything that follows. */
async function isBoxesToItsEnd(file: StoredFile, head: Uint8Array): Promise<boolean> {
  let offset = 0;
  for (let boxes = 0; boxes < BOXES_AT_MOST && offset < file.size; boxes += 1) {
    const start =
      offset + 16 <= head.length ? head.subarray(offset, offset + 16) : await file.read(offset, 16);
    if (start.length < 8) return false;
    const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
    const written = view.getUint32(0);
    const length = written === 1 && start.length === 16 ? Number(view.getBigUint64(8)) : written;
    if (length < 8) return false;
    offset += length;
  }
  return offset === file.size;
}

/** https://registry.khronos.org/glTF: a header of 12 bytes with the length, then a chunk of JSON. */
function judgeBinaryModel(head: Uint8Array, size: number) {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (size < 20 || view.getUint32(4, true) !== 2 || view.getUint32(8, true) !== size) {
    throw refused("The file is not glTF 2.0.");
  }
}

/** The type of a file without a signature: a text, or a model in JSON. */
async function judgeText(file: StoredFile, head: Uint8Array, announced: string): Promise<string> {
  const tail = await file.read(Math.max(0, file.size - HEAD_BYTES), HEAD_BYTES);
  if (!isText(head) || !isText(tail))
    throw refused("The media library does not accept this type of file.");
  const words = new TextDecoder().decode(head).trimStart();
  if (words.startsWith("<")) throw refused("The media library does not accept HTML, SVG and XML.");
  if (announced === "text/plain" || announced === "text/csv") return announced;
  if (announced === "model/gltf+json") {
    const end = new TextDecoder().decode(tail).trimEnd();
    const isModel = words.startsWith("{") && end.endsWith("}") && /"asset"\s*:/.test(words + end);
    if (isModel) return announced;
  }
  throw refused(`The file is not ${announced}.`);
}

/** A text has no control characters except tabs and line and page breaks. */
function isText(bytes: Uint8Array): boolean {
  return !bytes.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte));
}

function startsWith(bytes: Uint8Array, mark: string): boolean {
  return [...mark].every((character, i) => bytes[i] === character.charCodeAt(0));
}

function endsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, i) => bytes[bytes.length - mark.length + i] === byte);
}
