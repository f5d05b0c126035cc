import type { PostgrestClient } from "@supabase/postgrest-js";
import { imageDimensionsFromData } from "image-dimensions";
import { databaseAsService } from "../http/authenticate.ts";
import { ApiError } from "../http/errors.ts";
import { type Judged, judge } from "./judging.ts";
import { refused } from "./refused.ts";
import {
  type Bucket,
  openStorage,
  replacedMeanwhile,
  type Storage,
  storageAddress,
} from "./storage.ts";

/** What is being uploaded, as the database tells of it. */
interface Upload {
  id: string;
  path: string;
  size: number;
  content_type: string;
  /** What may come, with the endings of names: all types of what was announced. */
  accepts: Record<string, string>;
  copy_to: Bucket;
  transformations: boolean;
}

/** The size to which an uploaded image is decoded, to see that it is one. */
const PROOF_SIDE = 16;

/**
 * Judges what was uploaded for an asset, copies it to where it is shown from, and has the asset point there. Killed
 * anywhere and called again, it begins anew. Throws UNSUPPORTED_MEDIA, when nothing is left of the upload; CONFLICT, when
 * nothing has come yet, or something else than was judged.
 */
export async function completeUpload(
  asset_id: string,
  db: PostgrestClient,
  signal: AbortSignal,
): Promise<void> {
  const { data } = await db.rpc("media_upload", { asset_id }).throwOnError();
  const { upload } = data as { upload: Upload | null };
  // It has been completed before.
  if (!upload) return;
  const storage = openStorage(signal);
  const service = databaseAsService(signal);
  const file = await storage.open("uploads", upload.path);
  if (!file) throw new ApiError("CONFLICT", "Its bytes have not been uploaded yet.");
  let judged: Judged;
  try {
    if (file.size > upload.size) throw refused("It is larger than was announced.");
    judged = await judge(file, upload.content_type);
    if (!Object.hasOwn(upload.accepts, judged.contentType)) {
      throw refused(`This is ${judged.contentType}, and not what was announced.`);
    }
    if (judged.dimensions && upload.transformations) {
      judged.dimensions = await provenDimensions(storage, upload.path, judged.dimensions);
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === "UNSUPPORTED_MEDIA") {
      await service.rpc("refuse_media_upload", { upload_id: upload.id }).throwOnError();
      await removeUnneeded(storage, "uploads", upload.path);
    }
    throw error;
  }
  // Its own: of what another attempt has copied, which may have died since, nobody knows that it was judged.
  const attempt = crypto.randomUUID().slice(0, 8);
  const [tenant] = upload.path.split("/", 1);
  const path = `${tenant}/${upload.id}.${attempt}.${upload.accepts[judged.contentType]}`;
  await storage.copy(
    { bucket: "uploads", path: upload.path },
    { bucket: upload.copy_to, path, contentType: judged.contentType },
  );
  // An upload that was held open until now takes the place of what was judged, where Storage looks before it alone.
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
      size: file.size,
      ...judged.dimensions,
    })
    .throwOnError();
  // Somebody else has completed it, or given it up; then there is no such asset, as whoever reads it is told.
  if (!finished) await removeUnneeded(storage, upload.copy_to, path);
}

/** Removes what no asset points at. Where that fails it goes later: the database has noted it with the upload. */
async function removeUnneeded(storage: Storage, bucket: Bucket, path: string): Promise<void> {
  await storage.remove(bucket, [path]).catch((error) => {
    console.error(JSON.stringify({ media: `bytes were not removed: ${error}` }));
  });
}

/**
 * An image's dimensions as it is shown: by its EXIF data it may lie on its side. Throws UNSUPPORTED_MEDIA where it cannot
 * be decoded.
 */
async function provenDimensions(
  storage: Storage,
  path: string,
  { width, height }: { width: number; height: number },
) {
  const rendered = await storage.render("uploads", path, PROOF_SIDE);
  if (rendered === "undecodable") throw refused("The image cannot be decoded.");
  if (rendered === "unavailable") {
    console.error(
      JSON.stringify({
        media: "Storage makes no images smaller here: see set_image_transformations",
      }),
    );
    return { width, height };
  }
  const proof = imageDimensionsFromData(rendered.image);
  const isTurned =
    proof && proof.width !== proof.height && proof.width < proof.height !== width < height;
  return isTurned ? { width: height, height: width } : { width, height };
}
