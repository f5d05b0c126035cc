import { Buffer } from "node:buffer";
import { formatOf } from "./format.ts";
import {
  type Ahead,
  type Job,
  type Mark,
  type Means,
  NOTHING,
  newPath,
  type OpenFile,
} from "./job.ts";
import { piecesAfter } from "./reading.ts";

// Writes files in parts, each of which the database knows before it is sent: so whoever comes after a dispatcher that
// died finds the upload where it was before that part, or where it was to be with it, or in between.

/** Storage's own size of a part. */
const PART_BYTES = 6 * 1024 * 1024;
const BUCKET = "exports";

/** A job whose file is written piece by piece. */
export type PiecemealJob = Job & { format: "csv" | "json" };

/** A part has arrived by half, and rows have changed since: nobody knows its other half. */
class TornPart extends Error {
  override name = "TornPart";
}

/** How many bytes a turn may still write. */
export interface Turn {
  bytes: number;
}

/** How far an export has come for certain, and what of the part after it. */
interface Standing {
  reached: Mark;
  torn?: { arrived: number; part: Ahead["part"] };
}

/**
 * Writes on until the export has ended, or the turn has; answers how far it has come. What was torn and has changed
 * since begins anew. Throws LeaseLost, and whatever fails.
 */
export async function writeParts(job: PiecemealJob, means: Means, turn: Turn): Promise<Mark> {
  try {
    return await writeFrom(await standingOf(job, means), job, means, turn);
  } catch (error) {
    if (!(error instanceof TornPart)) throw error;
    await forgetFiles(job, means);
    return writeFrom({ reached: NOTHING }, job, means, turn);
  }
}

async function standingOf({ reached, ahead }: Job, means: Means): Promise<Standing> {
  if (!reached?.file || !ahead) return { reached: reached ?? NOTHING };
  const { upload, sent } = reached.file;
  const { part, ...mark } = ahead;
  const arrived = ((await means.storage.uploadedBytes(upload)) ?? -1) - sent;
  if (arrived === 0) return { reached };
  if (arrived === part.bytes) return { reached: mark };
  if (arrived < 0 || arrived > part.bytes) throw new TornPart();
  return { reached, torn: { arrived, part } };
}

async function forgetFiles({ reached }: Job, means: Means): Promise<void> {
  if (reached?.file) await means.storage.dropUpload(reached.file.upload);
  if (reached && reached.files.length > 0) await means.storage.remove(BUCKET, reached.files);
}

async function writeFrom(
  standing: Standing,
  job: PiecemealJob,
  means: Means,
  turn: Turn,
): Promise<Mark> {
  // Its last part had arrived, and nobody has said so.
  if (standing.reached.ended) return standing.reached;
  const most = Math.min(job.file_bytes, await means.storage.mostBytes());
  const sender = openSender(standing, job, means);
  let held: Uint8Array = Buffer.from(standing.reached.held, "base64");

  for await (const { bytes, ...progress } of piecesAfter(standing.reached, job, means, most)) {
    held = Buffer.concat([held, bytes]);
    turn.bytes -= bytes.length;
    const ends = progress.written === "foot";
    // One byte at least is kept for the part that ends the file.
    while (held.length > (ends ? 0 : PART_BYTES)) {
      const part = held.subarray(0, PART_BYTES);
      held = held.subarray(part.length);
      await sender.send({ part, held, progress, ends: ends && held.length === 0 });
      if (turn.bytes <= 0 && !ends) return sender.done();
    }
  }
  return sender.done();
}

/** A part, what is held behind it, and how far all has come with both. */
interface Sending {
  part: Uint8Array;
  held: Uint8Array;
  progress: Pick<Mark, "after" | "done" | "rows" | "written">;
  /** Whether its file ends with it. */
  ends: boolean;
}

/** Sends parts one after the other, each while the next one is written. */
function openSender({ reached, torn }: Standing, job: PiecemealJob, means: Means) {
  const { contentType } = formatOf(job);
  /** Whether the database knows this mark as the one after the part that was sent last. */
  let told = false;
  let sending = Promise.resolve();

  /** The mark when a part has arrived. */
  function markAfter({ part, held, progress, ends }: Sending, path: string): Mark {
    const { bytes, files, file } = reached;
    const mark = { ...reached, ...progress, bytes: bytes + part.length };
    if (!ends) {
      const sent = (file?.sent ?? 0) + part.length;
      return {
        ...mark,
        held: Buffer.from(held).toString("base64"),
        file: file && { ...file, sent },
      };
    }
    const ended = { file: null, written: null, held: "", files: [...files, path] };
    return { ...mark, ...ended, ended: progress.done };
  }

  async function open(): Promise<OpenFile> {
    const path = newPath(job, reached.files);
    const upload = await means.storage.beginUpload(BUCKET, path, contentType);
    reached = { ...reached, file: { path, upload, sent: 0 } };
    told = false;
    return reached.file as OpenFile;
  }

  async function sendNow(next: Sending): Promise<void> {
    const { part, ends } = next;
    if (ends && !reached.file) {
      const path = newPath(job, reached.files);
      await means.storage.put(BUCKET, path, part, contentType);
      reached = markAfter(next, path);
      told = false;
      return;
    }
    const { path, upload, sent } = reached.file ?? (await open());
    const seal = { bytes: part.length, sha256: await sha256Of(part) };
    if (torn && (torn.part.bytes !== seal.bytes || torn.part.sha256 !== seal.sha256)) {
      throw new TornPart();
    }
    const arrived = torn?.arrived ?? 0;
    torn = undefined;
    const ahead = markAfter(next, path);
    await means.report({ reached: told ? undefined : reached, ahead: { ...ahead, part: seal } });
    const size = ends ? sent + part.length : undefined;
    await means.storage.sendPart(upload, sent + arrived, part.subarray(arrived), size);
    reached = ahead;
    told = true;
  }

  return {
    /** Resolves when the part before has arrived. */
    async send(next: Sending): Promise<void> {
      await sending;
      sending = sendNow(next);
      // What it fails with is heard by whoever waits for it.
      sending.catch(() => {});
    },
    /** How far all has come when what is being sent has arrived. */
    async done(): Promise<Mark> {
      await sending;
      return reached;
    },
  };
}

async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as BufferSource);
  return Buffer.from(digest).toString("hex");
}
