import { Buffer } from "node:buffer";
import { formatOf } from "./format.ts";
import {
  BEGINNING,
  type Checkpoint,
  type Job,
  type JobContext,
  newPath,
  type OpenFile,
  type Upcoming,
} from "./job.ts";
import { piecesAfter } from "./reading.ts";

// Files are sent in parts. The database stores the checkpoints before and after a part before the part is sent. After a
// crash, Storage returns how many bytes of the part have arrived: none, all or some.

/** Size of a part in bytes, as Storage requires it. */
const PART_BYTES = 6 * 1024 * 1024;
const BUCKET = "exports";

/** A job whose files are written piece by piece. */
export type PiecemealJob = Job & { format: "csv" | "json" };

/** A part has arrived incompletely, and its rows have changed since, so the rest cannot be sent. */
class TornPart extends Error {
  override name = "TornPart";
}

/** The bytes that a dispatcher may still write before it gives the export back. */
export interface Budget {
  bytes: number;
}

/**
 * The last checkpoint that was reached, and the state of the next part in Storage: some bytes, or only the size that the
 * request of the last part has announced.
 */
interface Standing {
  checkpoint: Checkpoint;
  torn?: { arrived: number; isAnnounced: boolean; part: Upcoming["part"] };
}

/**
 * Writes until the export has ended or the budget is used up. Resolves to the checkpoint. An export with a torn part
 * begins again. Throws LeaseLost, PartNotTaken and the errors of the database and Storage.
 */
export async function writeParts(
  job: PiecemealJob,
  context: JobContext,
  budget: Budget,
): Promise<Checkpoint> {
  try {
    return await writeFrom(await standingOf(job, context), job, context, budget);
  } catch (error) {
    if (!(error instanceof TornPart)) throw error;
    await dropFiles(job, context);
    return writeFrom({ checkpoint: BEGINNING }, job, context, budget);
  }
}

async function standingOf({ checkpoint, upcoming }: Job, context: JobContext): Promise<Standing> {
  if (!checkpoint?.file || !upcoming) return { checkpoint: checkpoint ?? BEGINNING };
  const { upload, sent } = checkpoint.file;
  const { part, ...reached } = upcoming;
  const found = await context.storage.findUpload(upload);
  const isAnnounced = found?.size !== undefined;
  const arrived = (found?.bytes ?? -1) - sent;
  if (arrived === 0 && !isAnnounced) return { checkpoint };
  if (arrived === part.bytes) return { checkpoint: reached };
  if (arrived < 0 || arrived > part.bytes) throw new TornPart();
  return { checkpoint, torn: { arrived, isAnnounced, part } };
}

async function dropFiles({ checkpoint }: Job, context: JobContext): Promise<void> {
  if (checkpoint?.file) await context.storage.dropUpload(checkpoint.file.upload);
  if (checkpoint && checkpoint.files.length > 0)
    await context.storage.remove(BUCKET, checkpoint.files);
}

async function writeFrom(
  standing: Standing,
  job: PiecemealJob,
  context: JobContext,
  budget: Budget,
): Promise<Checkpoint> {
  // The last part had arrived before the crash.
  if (standing.checkpoint.ended) return standing.checkpoint;
  const maximum = Math.min(job.file_bytes, await context.storage.mostBytes());
  const sender = openSender(standing, job, context);
  let held: Uint8Array = Buffer.from(standing.checkpoint.held, "base64");

  for await (const piece of piecesAfter(standing.checkpoint, job, context, maximum)) {
    const { bytes, ...progress } = piece;
    held = Buffer.concat([held, bytes]);
    budget.bytes -= bytes.length;
    const ends = progress.written === "foot";
    // The part that ends a file must not be empty, so at least one byte is held until then.
    while (held.length > (ends ? 0 : PART_BYTES)) {
      const part = held.subarray(0, PART_BYTES);
      held = held.subarray(part.length);
      await sender.send({ part, held, progress, ends: ends && held.length === 0 });
      if (budget.bytes <= 0 && !ends) return sender.done();
    }
  }
  return sender.done();
}

/** A part, the bytes held behind it, and the progress of the export with both. */
interface Sending {
  part: Uint8Array;
  held: Uint8Array;
  progress: Pick<Checkpoint, "after" | "done" | "rows" | "written">;
  /** Whether the file ends with this part. */
  ends: boolean;
}

/** Sends parts in order, each while the next one is written. */
function openSender({ checkpoint, torn }: Standing, job: PiecemealJob, context: JobContext) {
  const { contentType } = formatOf(job);
  /** Whether the database has stored this checkpoint as the upcoming one. */
  let isReported = false;
  let sending = Promise.resolve();

  /** The checkpoint once a part has arrived. */
  function checkpointAfter({ part, held, progress, ends }: Sending, path: string): Checkpoint {
    const { bytes, files, file } = checkpoint;
    const reached = { ...checkpoint, ...progress, bytes: bytes + part.length };
    if (!ends) {
      const sent = (file?.sent ?? 0) + part.length;
      return {
        ...reached,
        held: Buffer.from(held).toString("base64"),
        file: file && { ...file, sent },
      };
    }
    const ended = { file: null, written: null, held: "", files: [...files, path] };
    return { ...reached, ...ended, ended: progress.done };
  }

  async function open(): Promise<OpenFile> {
    const path = newPath(job, checkpoint.files);
    const upload = await context.storage.beginUpload(BUCKET, path, contentType);
    const file = { path, upload, sent: 0 };
    checkpoint = { ...checkpoint, file };
    isReported = false;
    return file;
  }

  async function sendNow(next: Sending): Promise<void> {
    const { part, ends } = next;
    if (ends && !checkpoint.file) {
      const path = newPath(job, checkpoint.files);
      await context.storage.put(BUCKET, path, part, contentType);
      checkpoint = checkpointAfter(next, path);
      isReported = false;
      return;
    }
    const { path, upload, sent } = checkpoint.file ?? (await open());
    const digest = { bytes: part.length, sha256: await sha256Of(part) };
    if (torn && (torn.part.bytes !== digest.bytes || torn.part.sha256 !== digest.sha256)) {
      throw new TornPart();
    }
    const { arrived, isAnnounced } = torn ?? { arrived: 0, isAnnounced: false };
    torn = undefined;
    const upcoming = checkpointAfter(next, path);
    await context.report({
      ...(!isReported && { checkpoint }),
      upcoming: { ...upcoming, part: digest },
    });
    const size = ends && !isAnnounced ? sent + part.length : undefined;
    await context.storage.sendPart(upload, sent + arrived, part.subarray(arrived), size);
    checkpoint = upcoming;
    isReported = true;
  }

  return {
    /** Resolves when the part before has arrived. */
    async send(next: Sending): Promise<void> {
      await sending;
      sending = sendNow(next);
      // The next call of send or done awaits it.
      sending.catch(() => {});
    },
    /** Resolves to the checkpoint when the last part has arrived. */
    async done(): Promise<Checkpoint> {
      await sending;
      return checkpoint;
    },
  };
}

async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as BufferSource);
  return Buffer.from(digest).toString("hex");
}
