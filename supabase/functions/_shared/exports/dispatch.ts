import { PartNotTaken } from "../media/resumable.ts";
import { type Job, LeaseLost, type Means } from "./job.ts";
import { writeWorkbook } from "./workbook.ts";
import { type PiecemealJob, type Turn, writeParts } from "./writing.ts";
import { TooLargeForXlsx } from "./xlsx.ts";

/**
 * What one request writes, in bytes: a second of a function's time, of the two that it has. The rest is written by the
 * requests that follow, in turn with other exports.
 */
const TURN_BYTES = 24 * 1024 * 1024;
/** How many exports a process writes at once: what two of them hold fits into its memory. */
const AT_ONCE = 2;
/** What taking an export costs, as if it had been written. */
const TAKING_BYTES = 256 * 1024;

/** What a dispatcher is given. */
export interface Work {
  take(): Promise<Job | null>;
  meansFor(job: Job): Means;
  /** Gives it back: for another turn, when the part that was sent last has arrived, or with what went wrong. */
  leave(job: Job, wish: { arrived: true } | { failed: true; error?: string }): Promise<void>;
  /** Called with what went wrong on our side. */
  complain(error: unknown): void;
}

/** Writes what waits, a turn for each time it is woken, as long as anything does. */
export function createDispatcher(work: Work): { wake(): Promise<void> } {
  let working = 0;
  let woken = false;
  return {
    async wake() {
      // Whoever is at work then looks once more.
      woken = true;
      if (working >= AT_ONCE) return;
      working += 1;
      try {
        while (woken) {
          woken = false;
          await takeTurn(work);
        }
      } catch (error) {
        // The next minute's job wakes another one.
        work.complain(error);
      } finally {
        working -= 1;
      }
    },
  };
}

async function takeTurn(work: Work): Promise<void> {
  const turn: Turn = { bytes: TURN_BYTES };
  while (turn.bytes > 0) {
    const job = await work.take();
    if (!job) return;
    turn.bytes -= TAKING_BYTES;
    await writeOn(job, work, turn);
  }
}

async function writeOn(job: Job, work: Work, turn: Turn): Promise<void> {
  const means = work.meansFor(job);
  try {
    const reached = await (job.format === "xlsx"
      ? writeWorkbook(job, means).finally(() => {
          turn.bytes = 0;
        })
      : writeParts(job as PiecemealJob, means, turn));
    if (reached.ended) await means.report({ reached });
    else await work.leave(job, { arrived: true });
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const reason = reasonOf(error);
    if (!reason) work.complain(error);
    // What cannot be told now either is known when the lease is over.
    await work.leave(job, { failed: true, ...(reason && { error: reason }) }).catch(work.complain);
  }
}

/** Why it will fail again, in words for whoever asked for it; undefined where it may go well the next time. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof TooLargeForXlsx) return error.message;
  if (error instanceof PartNotTaken && error.status === 413) {
    return "Storage takes no file of this size: the operator sets export_file_bytes to what it takes.";
  }
  return undefined;
}
