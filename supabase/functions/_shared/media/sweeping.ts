import { databaseAsService } from "../http/authenticate.ts";
import { createWorker } from "../http/worker.ts";
import { type Bucket, openStorage } from "./storage.ts";

/** A leased path of the queue. */
interface Sweep {
  id: number;
  leased_until: string;
  bucket: Bucket;
  /** The names to delete. Empty if they are already deleted. */
  names: string[];
}

/** The report of a finished path. */
type Done = Pick<Sweep, "id" | "leased_until">;

/** Timeout of a round in milliseconds, shorter than a lease (2 minutes). */
const ROUND_TIMEOUT_MS = 60_000;
/** Maximum number of paths per round. */
const BATCH = 100;

/** Deletes unused bytes until no path is due. */
async function sweep(): Promise<void> {
  let done: Done[] = [];
  try {
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
  } catch (error) {
    logError(error);
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
    return due.map(({ id, leased_until }) => ({ id, leased_until }));
  } catch (error) {
    logError(error);
    return [];
  }
}

const logError = (error: unknown) => console.error(JSON.stringify({ media_sweep: String(error) }));

/** The entry point that pg_net calls when paths are due. */
export const mediaSweep = createWorker(sweep);
