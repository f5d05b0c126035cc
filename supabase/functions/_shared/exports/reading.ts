import { Buffer } from "node:buffer";
import { formatOf } from "./format.ts";
import type { Format, Row } from "./format_type.ts";
import type { Job, Mark, Means, Page } from "./job.ts";

/** What is read at once: enough that asking for it costs little beside it, and little enough to be held twice. */
const PAGE_BYTES = 2 * 1024 * 1024;

/** The pages after a place, the next one always on its way. */
export async function* readPages(after: Mark["after"], { read }: Means): AsyncGenerator<Page> {
  let coming: Promise<Page> | undefined = read(after, PAGE_BYTES);
  while (coming) {
    const page: Page = await coming;
    coming = page.after ? read(page.after, PAGE_BYTES) : undefined;
    // Whoever stops before it does not want to hear what became of it.
    coming?.catch(() => {});
    yield page;
  }
}

/** What comes next in a file, and how far all has come with it. */
export interface Piece extends Pick<Mark, "after" | "done" | "rows" | "written"> {
  bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** The pieces of an export from a mark on, in files of at most so many bytes: a piece that is a foot ends one. */
export async function* piecesAfter(
  { after, done, rows, written, file, held }: Mark,
  job: Job & { format: "csv" | "json" },
  means: Means,
  most: number,
): AsyncGenerator<Piece> {
  const format = formatOf(job);
  let size = (file?.sent ?? 0) + Buffer.byteLength(held, "base64");
  // Its last bytes were about to be sent.
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
    for await (const page of readPages(after, means)) {
      let text = textOf(page.rows, format, written);
      if (written === "rows" && size + Buffer.byteLength(text) + format.foot.length > most) {
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

function textOf(rows: Row[], format: Format, written: Mark["written"]): string {
  return written === "rows" ? format.write(rows, "rows") : format.head + format.write(rows, "head");
}
