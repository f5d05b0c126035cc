import { createLoop } from "../jobs/loop.ts";
import { PartNotTaken } from "../media/resumable.ts";
import { type Checkpoint, type Job, type JobContext, LeaseLost, TooLargeForXlsx } from "./job.ts";
import { type Budget, type PiecemealJob, writeParts } from "./writing.ts";

/**
 * Bytes that a round writes: about a second of processor time, of the two that a request to a function has. Then the
 * export is given back, and the exports of other tenants are written first.
 */
const ROUND_BYTES = 36 * 1024 * 1024;
/** Maximum number of rounds in one process at the same time: the memory of a function holds two. */
const AT_ONCE = 2;
/** The cost of taking an export, in bytes of a round. */
const TAKING_BYTES = 256 * 1024;

/** The operations and options of a dispatcher. */
export interface DispatcherOptions {
  take(): Promise<Job | null>;
  contextOf(job: Job): JobContext;
  /** Gives an export back: the part that was sent last has arrived, or writing has failed, for good if `error` is set. */
  leave(job: Job, outcome: { arrived: true } | { failed: true; error?: string }): Promise<void>;
  reportError(error: unknown): void;
}

/** Writes exports that wait, one round for each time it is woken. */
export function createDispatcher(options: DispatcherOptions): { wake(): Promise<void> } {
  return createLoop({
    round: () => writeRound(options),
    atOnce: AT_ONCE,
    reportError: options.reportError,
  });
}

async function writeRound(options: DispatcherOptions): Promise<void> {
  const budget: Budget = { bytes: ROUND_BYTES };
  while (budget.bytes > 0) {
    const job = await options.take();
    if (!job) return;
    budget.bytes -= TAKING_BYTES;
    await write(job, options, budget);
  }
}

async function write(job: Job, options: DispatcherOptions, budget: Budget): Promise<void> {
  const context = options.contextOf(job);
  try {
    const checkpoint =
      job.format === "xlsx"
        ? await writeAsWorkbook(job, context, budget)
        : await writeParts(job as PiecemealJob, context, budget);
    if (checkpoint.ended) await context.report({ checkpoint });
    else await options.leave(job, { arrived: true });
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const reason = reasonOf(error);
    if (!reason) options.reportError(error);
    // If this fails too, the export is due again when the lease ends.
    await options
      .leave(job, { failed: true, ...(reason && { error: reason }) })
      .catch(options.reportError);
  }
}

/** A workbook uses up the budget of its round. */
async function writeAsWorkbook(job: Job, context: JobContext, budget: Budget): Promise<Checkpoint> {
  budget.bytes = 0;
  // Only exports as xlsx load the library that writes them.
  const { writeWorkbook } = await import("./workbook.ts");
  return writeWorkbook(job, context);
}

/** The reason why another attempt would fail too, for the member who requested the export; undefined if it may succeed. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof TooLargeForXlsx) return error.message;
  if (error instanceof PartNotTaken && error.status === 413) {
    return "Storage refuses files of this size: the operator must set export_file_bytes to Storage's limit.";
  }
  return undefined;
}
