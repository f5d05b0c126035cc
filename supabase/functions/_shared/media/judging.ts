import { fileTypeFromBuffer } from "file-type";
import { imageDimensionsFromData } from "image-dimensions";
import { archiveType } from "./archives.ts";
import { refused } from "./refused.ts";
import type { StoredFile } from "./storage.ts";

/** What an uploaded file is. */
export interface Judged {
  contentType: string;
  dimensions?: { width: number; height: number };
}

const HEAD_BYTES = 65_536;
/** Before an image's dimensions a camera may have put a preview and a profile of colours. */
const IMAGE_HEAD_BYTES = 1_048_576;
const IMAGE_BYTES_AT_MOST = 26_214_400;
const PIXELS_AT_MOST = 50_000_000;
/** Of an AVIF, outside of one another. There are three or four. */
const BOXES_AT_MOST = 50;

/**
 * Says what a file is by its bytes: by its beginning, and by its structure where that tells more. Whatever it is called
 * counts for texts alone, which have no marks of their own. Throws UNSUPPORTED_MEDIA.
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
      throw refused(`This is ${contentType}, which the library does not take.`);
  }
}

async function judgeImage(file: StoredFile, head: Uint8Array, contentType: string) {
  if (file.size > IMAGE_BYTES_AT_MOST) throw refused("An image has at most 25 MB.");
  const dimensions =
    imageDimensionsFromData(head) ?? imageDimensionsFromData(await file.read(0, IMAGE_HEAD_BYTES));
  if (!dimensions) throw refused("The image does not say how large it is.");
  const { width, height } = dimensions;
  if (width < 1 || height < 1) throw refused("The image has no pixels.");
  if (width * height > PIXELS_AT_MOST) throw refused("An image has at most 50 megapixels.");
  await refuseAppended(file, head, contentType);
  return { width, height };
}

/** What stands behind the end of an image is another file in its coat. (In JPEGs it stays: phones put films there.) */
async function refuseAppended(file: StoredFile, head: Uint8Array, contentType: string) {
  const tail = await file.read(Math.max(0, file.size - 12), 12);
  const isWhole = {
    "image/png": () => endsWith(tail, [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]),
    "image/gif": () => endsWith(tail, [0x3b]),
    "image/webp": () => {
      const told = new DataView(head.buffer, head.byteOffset).getUint32(4, true) + 8;
      return file.size === told || file.size === told + 1;
    },
    "image/avif": () => isBoxesToItsEnd(file, head),
  }[contentType];
  if (isWhole && !(await isWhole()))
    throw refused("The image does not end where it says that it does.");
}

/** ISO 14496-12: such a file is boxes, each with its length before it; one without a length would hold whatever follows. */
async function isBoxesToItsEnd(file: StoredFile, head: Uint8Array): Promise<boolean> {
  let offset = 0;
  for (let boxes = 0; boxes < BOXES_AT_MOST && offset < file.size; boxes += 1) {
    const start =
      offset + 16 <= head.length ? head.subarray(offset, offset + 16) : await file.read(offset, 16);
    if (start.length < 8) return false;
    const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
    const told = view.getUint32(0);
    const length = told === 1 && start.length === 16 ? Number(view.getBigUint64(8)) : told;
    if (length < 8) return false;
    offset += length;
  }
  return offset === file.size;
}

/** https://registry.khronos.org/glTF: a header of twelve bytes that tells the length, then a part of JSON. */
function judgeBinaryModel(head: Uint8Array, size: number) {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (size < 20 || view.getUint32(4, true) !== 2 || view.getUint32(8, true) !== size) {
    throw refused("This is no glTF 2.0.");
  }
}

/** What has no marks of its own: texts, and models that are texts. */
async function judgeText(file: StoredFile, head: Uint8Array, announced: string): Promise<string> {
  const tail = await file.read(Math.max(0, file.size - HEAD_BYTES), HEAD_BYTES);
  if (!isText(head) || !isText(tail)) throw refused("This is nothing that the library knows.");
  const words = new TextDecoder().decode(head).trimStart();
  if (words.startsWith("<")) throw refused("HTML, SVG and XML are not taken.");
  if (announced === "text/plain" || announced === "text/csv") return announced;
  if (announced === "model/gltf+json") {
    const end = new TextDecoder().decode(tail).trimEnd();
    const isModel = words.startsWith("{") && end.endsWith("}") && /"asset"\s*:/.test(words + end);
    if (isModel) return announced;
  }
  throw refused(`This is no ${announced}.`);
}

/** Texts hold no characters for control but those that make lines and columns. */
function isText(bytes: Uint8Array): boolean {
  return !bytes.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte));
}

function startsWith(bytes: Uint8Array, mark: string): boolean {
  return [...mark].every((character, i) => bytes[i] === character.charCodeAt(0));
}

function endsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, i) => bytes[bytes.length - mark.length + i] === byte);
}
