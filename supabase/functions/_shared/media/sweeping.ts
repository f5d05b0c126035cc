import { imageDimensionsFromData } from "image-dimensions";
import { databaseAsService } from "../http/authenticate.ts";
import { createWorker } from "../http/worker.ts";
import { createLoop } from "../jobs/loop.ts";
import { isResizable, joined, sizeOf } from "./pictures/picture.ts";
import { readPicture } from "./pictures/reading.ts";
import { type Bucket, openStorage } from "./storage.ts";

/** A leased path of the queue. */
interface Sweep {
  id: number;
  tenant_id: string;
  leased_until: string;
  bucket: Bucket;
  /** The names to delete. Empty if they are already deleted. */
  names: string[];
}

/** The report of a finished path. */
type Done = Pick<Sweep, "id" | "tenant_id" | "leased_until">;

/** Timeout of a round in milliseconds, shorter than a lease (2 minutes). */
const ROUND_TIMEOUT_MS = 60_000;
/** Maximum number of paths per round. */
const BATCH = 100;

/** Deletes unused bytes until no path is due. */
async function sweep(): Promise<void> {
  let done: Done[] = [];
  for (;;) {
    const signal = AbortSignal.timeout(ROUND_TIMEOUT_MS);
    const { data } = await databaseAsService(signal)
      .rpc("take_media_sweeps", { done, batch: BATCH })
      .throwOnError();
    const due = data as Sweep[];
    if (due.length === 0) return;
    const buckets = [...new Set(due.map((one) => one.bucket))];
    const swept = buckets.map((bucket) =>
      sweepBucket(
        bucket,
        due.filter((one) => one.bucket === bucket),
        signal,
      ),
    );
    done = (await Promise.all(swept)).flat();
  }
}

/** Resolves to the finished paths. After a failure, the others are due again when their leases expire, and other buckets continue. */
async function sweepBucket(
  bucket: Bucket,
  due: readonly Sweep[],
  signal: AbortSignal,
): Promise<Done[]> {
  const names = due.flatMap((one) => one.names);
  try {
    if (names.length > 0) await openStorage(signal).remove(bucket, names);
    return due.map(({ id, tenant_id, leased_until }) => ({ id, tenant_id, leased_until }));
  } catch (error) {
    reportError(error);
    return [];
  }
}

/** An image whose metadata is to be removed. */
interface Cleaning {
  asset_id: string;
  lease: string;
  content_type: string;
  /** The path in the bucket media. */
  path: string;
}

/** Timeout for an image in milliseconds. All of a batch take less than their lease (5 minutes). */
const CLEANING_TIMEOUT_MS = 30_000;
/** Maximum number of images per wake, and the bytes after which it ends: an isolate has 2 s of processor time. */
const IMAGES_AT_ONCE = 8;
const BYTES_AT_ONCE = 52_428_800;

/** Removes the metadata of a batch of public images. A job of the database wakes the worker again while there are more. */
async function clean(): Promise<void> {
  const signal = AbortSignal.timeout(CLEANING_TIMEOUT_MS);
  const { data } = await databaseAsService(signal)
    .rpc("take_media_cleanings", { batch: IMAGES_AT_ONCE })
    .throwOnError();
  let bytes = 0;
  for (const cleaning of data as Cleaning[]) {
    if (bytes > BYTES_AT_ONCE) return;
    // One that fails does not keep the others waiting.
    bytes += await cleanImage(cleaning).catch((error) => recordFailure(cleaning, error));
  }
}

async function recordFailure({ asset_id, lease }: Cleaning, error: unknown): Promise<number> {
  console.error(JSON.stringify({ media_cleaning: String(error), asset_id }));
  const signal = AbortSignal.timeout(CLEANING_TIMEOUT_MS);
  await databaseAsService(signal)
    .rpc("fail_media_cleaning", { asset_id, lease, error: String(error) })
    .throwOnError();
  return 0;
}

/** Returns the size of the image in bytes. */
async function cleanImage({ asset_id, content_type, path }: Cleaning): Promise<number> {
  const signal = AbortSignal.timeout(CLEANING_TIMEOUT_MS);
  const storage = openStorage(signal);
  const file = await storage.open("media", path);
  // Another file has replaced it.
  if (!file) return 0;
  const bytes = await file.read(0, file.size);
  const picture = readPicture(content_type, bytes);
  // The orientation in EXIF data is dropped, so a WebP may turn.
  const dimensions = content_type === "image/webp" ? imageDimensionsFromData(bytes) : undefined;
  if (picture.differs) await storage.put("media", path, joined(picture), content_type, true);
  const { data: isShown } = await databaseAsService(signal)
    .rpc("finish_media_cleaning", {
      asset_id,
      path,
      size: sizeOf(picture),
      resizable: isResizable(picture, content_type, true),
      width: dimensions?.width ?? null,
      height: dimensions?.height ?? null,
    })
    .throwOnError();
  // Another file has replaced it meanwhile, so these bytes may be new at a path that nothing points at.
  if (!isShown) await storage.remove("media", [path]);
  return file.size;
}

const reportError = (error: unknown) =>
  console.error(JSON.stringify({ media_sweep: String(error) }));

const sweeping = createLoop({ round: sweep, reportError });
const cleaning = createLoop({ round: clean, reportError });

/** The entry point that pg_net calls when paths are due, or images have metadata. */
export const mediaSweep = createWorker(async () => {
  await Promise.all([sweeping.wake(), cleaning.wake()]);
});
