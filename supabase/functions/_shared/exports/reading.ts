import { Buffer } from "node:buffer";
import { formatOf } from "./format.ts";
import type { Format, Row } from "./format_type.ts";
import type { Checkpoint, Job, JobContext, Page } from "./job.ts";

/** Size of a page in bytes: large compared with the cost of a request, and small enough to be held twice. */
const PAGE_BYTES = 1024 * 1024;

/** Reads the pages after a position, each while the previous one is used. */
export async function* readPages(
  after: Checkpoint["after"],
  { read }: JobContext,
): AsyncGenerator<Page> {
  let coming: Promise<Page> | undefined = read(after, PAGE_BYTES);
  while (coming) {
    const page: Page = await coming;
    coming = page.after ? read(page.after, PAGE_BYTES) : undefined;
    // If the consumer stops first, nobody awaits this page.
    coming?.catch(() => {});
    yield page;
  }
}

/** The next bytes of a file, and the progress of the export with them. */
export interface Piece extends Pick<Checkpoint, "after" | "done" | "rows" | "written"> {
  bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** The pieces of an export after a checkpoint, in files of at most `maximum` bytes. A foot is the end of a file. */
export async function* piecesAfter(
  { after, done, rows, written, file, held }: Checkpoint,
  job: Job & { format: "csv" | "json" },
  context: JobContext,
  maximum: number,
): AsyncGenerator<Piece> {
  const format = formatOf(job);
  let size = (file?.sent ?? 0) + Buffer.byteLength(held, "base64");
  // The file's last bytes are held and not yet sent.
  if (written === "foot") {
    yield { bytes: new Uint8Array(), after, done, rows, written };
    written = null;
    size = 0;
    if (done) return;
  }

  const piece = (text: string): Piece => {
    const bytes = encoder.encode(text);
    size += bytes.length;
    return { bytes, after, done, rows, written };
  };
  const end = (): Piece => {
    const head = written === null ? format.head : "";
    written = "foot";
    return piece(head + format.foot);
  };

  if (!done) {
    for await (const page of readPages(after, context)) {
      let text = textOf(page.rows, format, written);
      if (written === "rows" && size + Buffer.byteLength(text) + format.foot.length > maximum) {
        yield end();
        size = 0;
        text = textOf(page.rows, format, null);
      }
      ({ after } = page);
      done = after === null;
      rows += page.rows.length;
      written = "rows";
      yield piece(text);
    }
  }
  yield end();
}

function textOf(rows: Row[], format: Format, written: Checkpoint["written"]): string {
  return written === "rows" ? format.write(rows, "rows") : format.head + format.write(rows, "head");
}
