import { readError } from "./errors.js";
import type { CallOptions, Http } from "./http.js";
import type { ImportProgress, ImportSummary, ProductLine } from "./openapi.generated.js";
import type { QueryOf } from "./operations.js";
import { SentLines } from "./sent-lines.js";

/** CSV or NDJSON, whole or in parts of any size; or, for NDJSON, the records themselves. */
export type ImportSource<Line extends object = ProductLine> =
  | string
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<string | Uint8Array | Line>
  | Iterable<Line>;

export interface ImportOptions {
  format: "csv" | "ndjson";
  /** The marketplace of lines without one. Not needed if there is only one. */
  marketplace_id?: string;
  /** Validates and returns the result without changing anything. */
  dry_run?: boolean;
  /** Of products, for admins: false lets skus repeat from now on. */
  unique_skus?: boolean;
  /** Imports lines with codes that a spreadsheet may have changed, about which `remarks` ask. */
  accept_changed_codes?: boolean;
  /** Called after every few hundred lines, with the progress so far. */
  onProgress?(progress: ImportProgress): void;
}

export type ExportQuery = Omit<QueryOf<"/api/products/export">, "format">;

const NDJSON = "application/x-ndjson";

export function importsOf(http: Http) {
  /**
   * Yields the products one by one; with `format: "csv"` the parts of a file's text, and with `format: "xlsx"` the parts of
   * a file, at most 10,000 products.
   */
  function exported(
    query: ExportQuery & { format: "csv" },
    options?: CallOptions,
  ): AsyncGenerator<string>;
  function exported(
    query: ExportQuery & { format: "xlsx" },
    options?: CallOptions,
  ): AsyncGenerator<Uint8Array>;
  function exported(
    query?: ExportQuery & { format?: "ndjson" },
    options?: CallOptions,
  ): AsyncGenerator<ProductLine>;
  async function* exported(
    { format = "ndjson", ...filters }: ExportQuery & { format?: string } = {},
    options?: CallOptions,
  ): AsyncGenerator<unknown> {
    const query = { ...filters, format };
    const response = await http.stream("get", "/api/products/export", {
      params: { query },
      ...options,
    });
    if (format === "csv") yield* textIn(response);
    else if (format === "xlsx") yield* response.body ? partsIn(response.body) : [];
    else for await (const line of linesIn(response)) yield JSON.parse(line);
  }

  return {
    /**
     * Creates and changes any number of products, which are sent while they are read. Lines are independent: an invalid
     * line is listed in `errors` and does not stop the others. A product is identified by its `external_id`, so
     * repeating an import changes nothing.
     */
    import: importOf<ProductLine>(http, "/api/products/import"),
    export: exported,
  };
}

/**
 * Returns the import method for a type of record. The records are sent while they are read, in as many requests as needed.
 */
export function importOf<Line extends object>(
  http: Http,
  path: "/api/products/import" | "/api/orders/import",
) {
  return async (
    source: ImportSource<Line>,
    input: ImportOptions,
    options?: CallOptions,
  ): Promise<ImportSummary> => {
    const isCsv = input.format === "csv";
    let lines = isWhole(source) ? undefined : new SentLines(partsOf(source), isCsv);
    const total: ImportSummary = { imported: 0, updated: 0, unchanged: 0, failed: 0, errors: [] };
    try {
      for (let first_line: number | undefined; ; ) {
        const sent = lines
          ? { body: await bodyOf(lines.from(first_line ?? 1)), once: true }
          : { body: source as string | Blob };
        const { marketplace_id, dry_run, unique_skus, accept_changed_codes } = input;
        const call = {
          ...options,
          ...sent,
          params: {
            query: { marketplace_id, dry_run, unique_skus, accept_changed_codes, first_line },
          },
          headers: {
            ...options?.headers,
            "content-type": isCsv ? "text/csv" : NDJSON,
            accept: NDJSON,
          },
        };
        first_line = await sendRequest(http, path, call, total, (progress) => {
          lines?.forget(progress.line);
          input.onProgress?.(progress);
        });
        if (first_line === undefined) return total;
        lines ??= new SentLines(partsIn(new Blob([source as string | Blob]).stream()), isCsv);
      }
    } finally {
      // Closes the source. An error of closing it is ignored in favour of the first one.
      lines?.end();
    }
  };
}

/** Sends one request of an import and adds its result to `total`. Resolves to the line at which the next one begins. */
async function sendRequest(
  http: Http,
  path: string,
  call: Parameters<Http["stream"]>[2],
  total: ImportSummary,
  onProgress: (progress: ImportProgress) => void,
): Promise<number | undefined> {
  const left = new AbortController();
  const signals = [left.signal, call.signal].filter((signal) => signal !== undefined);
  const before = { ...total };
  let last: ImportProgress | undefined;
  try {
    const response = await http.stream("post", path, {
      ...call,
      signal: AbortSignal.any(signals),
    });
    for await (const line of linesIn(response)) {
      const progressed = JSON.parse(line) as ImportProgress | { error: unknown };
      if ("error" in progressed) throw await readError(new Response(line, response));
      const { next_line, ...progress } = progressed;
      for (const name of COUNTS) total[name] = progress[name] = before[name] + progressed[name];
      total.errors.push(...progressed.errors);
      if (progressed.remarks) total.remarks = [...(total.remarks ?? []), ...progressed.remarks];
      last = progress;
      onProgress(progress);
      if (next_line !== undefined) return next_line;
    }
  } finally {
    // A request that failed, or that ended before its body, would continue to send.
    left.abort();
  }
  if (!last?.done) {
    throw new Error(`the import broke off after line ${last?.line ?? 0}: send it again`);
  }
  return undefined;
}

const COUNTS = ["imported", "updated", "unchanged", "failed"] as const;

type Part = string | Uint8Array | object;
type Parts = ReadableStream<Uint8Array> | AsyncIterable<Part> | Iterable<Part>;

const isWhole = (source: string | Blob | Parts): source is string | Blob =>
  typeof source === "string" || source instanceof Blob;

async function* partsOf(source: Parts): AsyncGenerator<Part> {
  // Some browsers cannot iterate over a stream.
  if (source instanceof ReadableStream) yield* partsIn(source);
  else yield* source;
}

/**
 * Returns the body for fetch. Browsers send streams only over HTTP/2 or not at all: there it
 * becomes a Blob.
 */
async function bodyOf(
  chunks: AsyncGenerator<Uint8Array>,
): Promise<Blob | ReadableStream<Uint8Array>> {
  const stream = new ReadableStream<Uint8Array>({
    async pull(sent) {
      const { value, done } = await chunks.next();
      if (done) sent.close();
      else sent.enqueue(value);
    },
  });
  const isBrowser = "document" in globalThis || "WorkerGlobalScope" in globalThis;
  return isBrowser ? new Response(stream).blob() : stream;
}

async function* partsIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Also when the reader stops early.
    await reader.cancel();
  }
}

/** The text of a response, part by part, as it arrives. */
export async function* textIn({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const part of body ? partsIn(body) : []) yield decoder.decode(part, { stream: true });
  // Flushes an incomplete character.
  yield decoder.decode();
}

async function* linesIn(response: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const text of textIn(response)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest !== "") yield rest;
}
