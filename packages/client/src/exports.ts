import { analyticsMethods } from "./methods.generated.js";
import type { Export, NewExport } from "./openapi.generated.js";
import type { CreateOptions, Operations } from "./operations.js";
import { pause } from "./retry.js";

/** The first pause between two requests, in ms. Each pause is half as long again as the one before. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export interface ExportRequest extends NewExport, CreateOptions {
  /** Called after each request. `progress`: in percent; `rows`, `bytes`: written so far. */
  onProgress?(progress: Pick<Export, "status" | "progress" | "rows" | "bytes">): void;
}

/** An export that is ready. `url` is valid for 24 hours; `urls` has all files of a large export. */
export type ReadyExport = Export & { url: string };

/** The export has failed or expired. `message` says why. */
export class ExportError extends Error {
  override readonly name = "ExportError";
  constructor(readonly record: Export) {
    super(record.error ?? `the export is ${record.status}`);
  }
}

export const exportsOf = (operations: Operations) => {
  const { createExport, getExport } = analyticsMethods(operations);

  return {
    /**
     * Requests an export and waits until it is ready. If the signal aborts the wait, the export is
     * still written. Errors: those of `createExport`; ExportError if the export fails.
     */
    async export(request: ExportRequest): Promise<ReadyExport> {
      const { onProgress, signal, headers, idempotencyKey, ...requested } = request;
      const call = { signal, headers };
      let now = await createExport(requested, {
        ...call,
        ...(idempotencyKey && { idempotencyKey }),
      });
      for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(waitMs * 1.5, LONGEST_PAUSE_MS)) {
        onProgress?.(now);
        if (now.status === "ready" && now.url) return now as ReadyExport;
        if (now.status !== "queued" && now.status !== "running") throw new ExportError(now);
        await pause(waitMs, signal);
        now = await getExport(now.id, call);
      }
    },
  };
};

/** Exports of orders, products, reports and other rows as files, from the request to the file. */
export interface Exports extends ReturnType<typeof exportsOf> {}
