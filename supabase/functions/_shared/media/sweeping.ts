import { databaseAsService } from "../http/authenticate.ts";
import { createWorker } from "../http/worker.ts";
import { type Bucket, openStorage } from "./storage.ts";

/** Paths that were given up, with the lease they were taken with. */
interface Sweep {
  id: number;
  leased_until: string;
  bucket: Bucket;
  /** What there is of it; nothing, where it has gone before. */
  names: string[];
}

/** What is reported of one. */
type Done = Pick<Sweep, "id" | "leased_until">;

/** Below the time of a lease. */
const ROUND_TIMEOUT_MS = 60_000;
const BATCH = 100;

/** Deletes what nothing points at any more, until nothing is due. */
async function sweep(): Promise<void> {
  let done: Done[] = [];
  try {
    for (;;) {
      const signal = AbortSignal.timeout(ROUND_TIMEOUT_MS);
      const { data } = await databaseAsService(signal)
        .rpc("take_media_sweeps", { done, batch: BATCH })
        .throwOnError();
      const due: Sweep[] = data;
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
    complain(error);
  }
}

/** Resolves to what was done. What was not is due again when its lease is over, and keeps no other bucket waiting. */
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
    complain(error);
    return [];
  }
}

const complain = (error: unknown) => console.error(JSON.stringify({ media_sweep: String(error) }));

/** Where pg_net and cron call when bytes were given up. */
export const mediaSweep = createWorker(sweep);
