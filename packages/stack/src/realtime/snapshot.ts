import type { Database } from "../db/database.js";

/** The transactions committed at a moment, from `pg_current_snapshot()`. */
export interface Snapshot {
  /** All transactions with smaller ids had ended. */
  min: bigint;
  /** No transaction with this or a larger id had begun. */
  max: bigint;
  /** Transactions between them that were still running. */
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

/** Whether a transaction, which is committed now, was committed at the time of the snapshot. */
export function isVisible({ min, max, running }: Snapshot, transaction: string): boolean {
  const id = BigInt(transaction);
  return id < min || (id < max && !running.has(id));
}
