import { imageDimensionsFromData } from "image-dimensions";
import pLimit from "p-limit";
import { databaseAsService } from "../http/authenticate.ts";
import type { DatabaseClient } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import {
  type Dimensions,
  IMAGE_BYTES_AT_MOST,
  type Judged,
  judge,
  UnacceptedType,
} from "./judging.ts";
import { isResizable, joined, sizeOf } from "./pictures/picture.ts";
import { refused } from "./refused.ts";
import {
  type Bucket,
  openStorage,
  replacedMeanwhile,
  type Storage,
  type StoredFile,
  storageAddress,
} from "./storage.ts";

/** An upload in the database's response. */
interface Upload {
  id: string;
  path: string;
  size: number;
  content_type: string;
  /** The content types that the announced type includes, each with its file extension. */
  accepts: Record<string, string>;
  copy_to: Bucket;
  /** Whether the file is served as it was sent. */
  keep_metadata: boolean;
  transformations: boolean;
}

/** Images of more bytes wait for a turn. Each takes twice its size in memory, and an isolate has 150 MB or more. */
const LARGE_BYTES = 1_048_576;
const turns = pLimit(2);

/** Side in pixels of the rendering that proves that an image can be decoded. */
const PROOF_SIDE = 16;

/**
 * Checks the uploaded bytes of an asset, copies them to the public or private bucket, and sets them as the asset's file.
 * It may be repeated after a crash at any step, and does nothing for an asset without an upload. Throws UNSUPPORTED_MEDIA
 * after it has removed the upload, and CONFLICT if no bytes have arrived or they were replaced during the check.
 */
export async function completeUpload(
  asset_id: string,
  db: DatabaseClient,
  signal: AbortSignal,
): Promise<void> {
  const upload = await uploadOf(asset_id, db);
  // The upload was completed before.
  if (!upload) return;
  try {
    await complete(upload, signal);
  } catch (error) {
    if (signal.aborted || isRefusal(error)) throw error;
    // Another request may have completed the upload meanwhile. Then its bytes may already be removed.
    const waiting = await uploadOf(asset_id, db);
    if (waiting?.id === upload.id) throw error;
  }
}

/** The upload of an asset that waits to be completed. */
async function uploadOf(asset_id: string, db: DatabaseClient): Promise<Upload | null> {
  const { data } = await db.rpc("media_upload", { asset_id }).throwOnError();
  return (data as { upload: Upload | null }).upload;
}

const isRefusal = (error: unknown) =>
  error instanceof ApiError && error.code === "UNSUPPORTED_MEDIA";

async function complete(upload: Upload, signal: AbortSignal): Promise<void> {
  const storage = openStorage(signal);
  const service = databaseAsService(signal);
  const file = await storage.open("uploads", upload.path);
  if (!file) throw new ApiError("CONFLICT", "No bytes were uploaded for this asset yet.");
  if (file.size > LARGE_BYTES && file.size <= IMAGE_BYTES_AT_MOST) {
    await turns(() => checkAndCopy(file, upload, storage, service));
  } else {
    await checkAndCopy(file, upload, storage, service);
  }
}

async function checkAndCopy(
  file: StoredFile,
  upload: Upload,
  storage: Storage,
  service: DatabaseClient,
): Promise<void> {
  let judged: Judged;
  let shown: Shown;
  try {
    if (file.size > upload.size) throw refused("The file is larger than announced.");
    judged = await judge(file, upload.content_type).catch(async (error) => {
      throw error instanceof UnacceptedType ? await withAdvice(error, service) : error;
    });
    if (!Object.hasOwn(upload.accepts, judged.contentType)) {
      throw refused(`The file is ${judged.contentType}, which is not of the announced type.`);
    }
    shown = upload.transformations
      ? await decode(storage, upload.path, judged)
      : { dimensions: judged.dimensions, isDecoded: true };
  } catch (error) {
    if (isRefusal(error)) {
      await service.rpc("refuse_media_upload", { upload_id: upload.id }).throwOnError();
      await removeUnneeded(storage, "uploads", upload.path);
    }
    throw error;
  }
  // Each attempt has its own path, because a copy of a crashed attempt may be unchecked.
  const attempt = crypto.randomUUID().slice(0, 8);
  const [tenant] = upload.path.split("/", 1);
  const path = `${tenant}/${upload.id}.${attempt}.${upload.accepts[judged.contentType]}`;
  const { picture } = judged;
  const cleaned = picture !== undefined && !upload.keep_metadata;
  const size = cleaned && picture.differs ? sizeOf(picture) : file.size;
  if (cleaned && picture.differs) {
    await storage.put(upload.copy_to, path, joined(picture), judged.contentType);
  } else {
    await storage.copy(
      { bucket: "uploads", path: upload.path },
      { bucket: upload.copy_to, path, contentType: judged.contentType },
    );
  }
  // On a hosted project, an upload that was opened before the check may have replaced the checked bytes.
  const copied = await storage.find("uploads", upload.path);
  if (copied?.version !== file.version) {
    await removeUnneeded(storage, upload.copy_to, path);
    throw replacedMeanwhile();
  }
  const { data: finished } = await service
    .rpc("finish_media_upload", {
      upload_id: upload.id,
      path,
      address: storageAddress(),
      content_type: judged.contentType,
      size,
      cleaned,
      resizable: shown.isDecoded && (!picture || isResizable(picture, judged.contentType, cleaned)),
      ...shown.dimensions,
    })
    .throwOnError();
  // Another request has completed or abandoned the upload.
  if (!finished) await removeUnneeded(storage, upload.copy_to, path);
}

/** The error for a type that the library does not take, with what to do. */
async function withAdvice(
  { contentType }: UnacceptedType,
  service: DatabaseClient,
): Promise<ApiError> {
  const { data: message } = await service
    .rpc("media_advice", { content_type: contentType })
    .throwOnError();
  const field = { field: "content_type", value: contentType, message };
  return new ApiError("UNSUPPORTED_MEDIA", message, [field]);
}

/** Removes bytes that no asset uses. If that fails, the worker removes them later: the path is in the queue. */
async function removeUnneeded(storage: Storage, bucket: Bucket, path: string): Promise<void> {
  await storage.remove(bucket, [path]).catch((error) => {
    console.error(JSON.stringify({ media: `bytes were not removed: ${error}` }));
  });
}

/** How an image is shown. */
interface Shown {
  dimensions?: Dimensions;
  /** Whether Storage can make smaller versions of it. */
  isDecoded: boolean;
}

/**
 * Decodes an image. Finds its dimensions in pixels as it is shown: EXIF data may rotate it by 90 degrees, but in a WebP browsers
 * ignore them. Throws UNSUPPORTED_MEDIA for an image that Storage cannot decode.
 */
async function decode(storage: Storage, path: string, judged: Judged): Promise<Shown> {
  const { dimensions, picture, contentType } = judged;
  if (!dimensions) return { isDecoded: true };
  const { width, height } = dimensions;
  const rendered = await storage.render("uploads", path, PROOF_SIDE);
  if (rendered === "undecodable") {
    // Some decoders know 8 bits only. Browsers show the others.
    if ((picture?.bits ?? 8) > 8) return { dimensions, isDecoded: false };
    throw refused("The image cannot be decoded. Save it again with an image editor.");
  }
  if (rendered === "unavailable") {
    console.error(
      JSON.stringify({
        media: "this Storage has no image transformations: see set_image_transformations",
      }),
    );
    return { dimensions, isDecoded: true };
  }
  const proof = imageDimensionsFromData(rendered.image);
  const isTurned =
    contentType !== "image/webp" &&
    proof &&
    proof.width !== proof.height &&
    proof.width < proof.height !== width < height;
  const shown = isTurned ? { width: height, height: width } : dimensions;
  return { dimensions: shown, isDecoded: true };
}
