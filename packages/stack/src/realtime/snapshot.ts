import type { Database } from "../db/database.js";

/** Which transactions had committed at a moment, as `pg_current_snapshot()` tells it. */
export interface Snapshot {
  /** Every transaction below it was over. */
  min: bigint;
  /** None from here on had begun. */
  max: bigint;
  /** Those in between that were still running. */
  running: ReadonlySet<bigint>;
}

export async function readSnapshot(db: Database): Promise<Snapshot> {
  const [row] = await db.query<{ snapshot: string }>(
    "select pg_current_snapshot()::text as snapshot",
  );
  const [min = "0", max = "0", running = ""] = (row?.snapshot ?? "").split(":");
  return {
    min: BigInt(min),
    max: BigInt(max),
    running: new Set(running.split(",").filter(Boolean).map(BigInt)),
  };
}

/** Whether the transaction with this id had committed, given that it has by now. */
export function isVisible({ min, max, running }: Snapshot, transaction: string): boolean {
  const id = BigInt(transaction);
  return id < min || (id < max && !running.has(id));
}
