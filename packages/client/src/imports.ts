import { readError } from "./errors.js";
import type { CallOptions, Http } from "./http.js";
import type { ImportProgress, ImportSummary, ProductLine } from "./openapi.generated.js";
import type { QueryOf } from "./operations.js";

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
  /** Called after every few hundred lines, with the progress so far. */
  onProgress?(progress: ImportProgress): void;
}

export type ExportQuery = Omit<QueryOf<"/api/products/export">, "format">;

const NDJSON = "application/x-ndjson";

export function importsOf(http: Http) {
  /** Yields the products one by one; with `format: "csv"`, the parts of a file's text. */
  function exported(
    query: ExportQuery & { format: "csv" },
    options?: CallOptions,
  ): AsyncGenerator<string>;
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
    else for await (const line of linesIn(response)) yield JSON.parse(line);
  }

  return {
    /**
     * Creates and changes any number of products, which are sent while they are read. Lines are
     * independent: an
     * invalid line is listed in `errors` and does not stop the others. A product is identified by its
     * `external_id`, so repeating an import changes nothing.
     */
    import: importOf<ProductLine>(http, "/api/products/import"),
    export: exported,
  };
}

/** Returns the import method for a type of record. The records are sent while they are read. */
export function importOf<Line extends object>(
  http: Http,
  path: "/api/products/import" | "/api/orders/import",
) {
  return async (
    source: ImportSource<Line>,
    { format, dry_run, marketplace_id, onProgress }: ImportOptions,
    options?: CallOptions,
  ): Promise<ImportSummary> => {
    const parts = isWhole(source) ? undefined : partsOf(source);
    const left = new AbortController();
    const signals = [left.signal, options?.signal].filter((signal) => signal !== undefined);
    try {
      const response = await http.stream("post", path, {
        ...options,
        params: { query: { marketplace_id, dry_run } },
        body: parts ? await bodyOf(parts) : (source as string | Blob),
        once: parts !== undefined,
        headers: {
          ...options?.headers,
          "content-type": format === "csv" ? "text/csv" : NDJSON,
          accept: NDJSON,
        },
        signal: AbortSignal.any(signals),
      });
      return await summaryOf(response, onProgress);
    } finally {
      // A failed call would continue to send, and the source would stay open. An error of closing
      // it is ignored in
      // favour of the first one.
      left.abort();
      parts?.return(undefined).catch(() => {});
    }
  };
}

/** Reads the streamed progress of an import and returns its summary. */
async function summaryOf(
  response: Response,
  onProgress: ImportOptions["onProgress"],
): Promise<ImportSummary> {
  const errors: ImportSummary["errors"] = [];
  let last: ImportProgress | undefined;
  for await (const line of linesIn(response)) {
    const progress = JSON.parse(line) as ImportProgress | { error: unknown };
    if ("error" in progress) throw await readError(new Response(line, response));
    last = progress;
    errors.push(...progress.errors);
    onProgress?.(progress);
  }
  if (!last?.done) {
    throw new Error(`the import broke off after line ${last?.line ?? 0}: send it again`);
  }
  const { imported, updated, unchanged, failed } = last;
  return { imported, updated, unchanged, failed, errors };
}

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
async function bodyOf(parts: AsyncGenerator<Part>): Promise<Blob | ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async pull(sent) {
      const { value, done } = await parts.next();
      if (done) sent.close();
      else if (value instanceof Uint8Array) sent.enqueue(value);
      else {
        sent.enqueue(
          encoder.encode(typeof value === "string" ? value : `${JSON.stringify(value)}\n`),
        );
      }
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

async function* textIn({ body }: Response): AsyncGenerator<string> {
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
