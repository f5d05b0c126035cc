import { fileTypeFromBuffer } from "file-type";
import { imageDimensionsFromData } from "image-dimensions";
import { archiveType } from "./archives.ts";
import { judgeBinaryModel, judgeModel } from "./models.ts";
import { ascii, type Picture, viewOf } from "./pictures/picture.ts";
import { readPicture } from "./pictures/reading.ts";
import { refused } from "./refused.ts";
import { replacedMeanwhile, type StoredFile } from "./storage.ts";

/** In pixels. */
export interface Dimensions {
  width: number;
  height: number;
}

/** The properties of a file, found in its bytes. */
export interface Judged {
  contentType: string;
  dimensions?: Dimensions;
  picture?: Picture;
}

/** Bytes read from the beginning, and for texts from the end. */
const HEAD_BYTES = 65_536;
export const IMAGE_BYTES_AT_MOST = 26_214_400;
const PIXELS_AT_MOST = 50_000_000;

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
    case "image/apng":
      return { contentType: "image/png", ...(await judgeImage(file, head, "image/png")) };
    case "image/jpeg":
    case "image/png":
    case "image/webp":
    case "image/avif":
    case "image/gif":
      return { contentType, ...(await judgeImage(file, head, contentType)) };
    case "image/heif":
    case "image/heif-sequence":
      // The first name of an AVIF may be that of the format that it is made of.
      if (!namesAvif(head)) throw new UnacceptedType(contentType);
      return { contentType: "image/avif", ...(await judgeImage(file, head, "image/avif")) };
    case "video/x-m4v":
    case "video/3gpp":
    case "video/3gpp2":
      // The same structure as MP4, which browsers know by that name.
      return { contentType: "video/mp4" };
    case "video/mp4":
    case "video/webm":
    case "application/pdf":
      return { contentType };
    case "model/gltf-binary":
      await judgeBinaryModel(file, head);
      return { contentType };
    case undefined:
      return { contentType: await judgeText(file, head, announced) };
    default:
      throw new UnacceptedType(contentType);
  }
}

/** The file is of a type that the library does not take. The database knows what to do about it. */
export class UnacceptedType extends Error {
  override name = "UnacceptedType";
  constructor(readonly contentType: string) {
    super(`The file is ${contentType}.`);
  }
}

/** Whether one of the names in the first box of a file is that of AVIF. */
function namesAvif(head: Uint8Array): boolean {
  const names = ascii(head, 8, Math.min(viewOf(head).getUint32(0), 256));
  return names.includes("avif") || names.includes("avis");
}

async function judgeImage(file: StoredFile, head: Uint8Array, contentType: string) {
  if (file.size > IMAGE_BYTES_AT_MOST) throw refused("An image may have at most 25 MB.");
  const bytes = file.size > head.length ? await file.read(0, file.size) : head;
  if (bytes.length < file.size) throw replacedMeanwhile();
  const dimensions = imageDimensionsFromData(bytes);
  if (!dimensions) throw refused("The image has no dimensions.");
  const { width, height } = dimensions;
  if (width < 1 || height < 1) throw refused("The image has no pixels.");
  if (width * height > PIXELS_AT_MOST) throw refused("An image may have at most 50 megapixels.");
  const picture = readPicture(contentType, bytes);
  // They may be another file. JPEGs may have some, because phones add videos.
  if (picture.appended > 0 && contentType !== "image/jpeg") {
    throw refused(
      `The file has ${picture.appended} bytes after the end of the image, which may be another file. Save the image again with an image editor.`,
    );
  }
  return { dimensions: { width, height }, picture };
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
    await judgeModel(file);
    return announced;
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
