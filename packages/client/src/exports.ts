import type { Export, NewExport } from "./openapi.generated.js";
import type { CreateOptions, Operations } from "./operations.js";
import { pause } from "./retry.js";

const EXPORTS = "/api/analytics/exports";

/** The first pause before an export is looked at again; each one after it is half as long again. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export interface ExportWish extends NewExport, CreateOptions {
  /** Told how far it has come, in percent and rows. */
  onProgress?(progress: Pick<Export, "status" | "progress" | "rows" | "bytes">): void;
}

/** An export whose file is there: `url`, for 24 hours, and `urls` where there are several. */
export type ReadyExport = Export & { url: string };

/** The export came to nothing, for the reason in `message`. */
export class ExportError extends Error {
  override readonly name = "ExportError";
  constructor(readonly record: Export) {
    super(record.error ?? `the export is ${record.status}`);
  }
}

export const exportsOf = ({ list, listAll, create, read, act }: Operations) => {
  const ask = create("/api/analytics/export");
  const get = read(`${EXPORTS}/{id}`);

  return {
    /** Asks for a file of rows, and does not wait for it. Errors: FORBIDDEN, LIMIT_REACHED, VALIDATION_ERROR. */
    createExport: ask,
    /** A page of exports, newest first: for admins all of the tenant's, for others their own. */
    exports: list(EXPORTS),
    /** Every export, oldest first unless asked otherwise. */
    exportsAll: listAll(EXPORTS, "exports"),
    /** An export with addresses that hold for 24 hours. Errors: NOT_FOUND. */
    getExport: get,
    /** Deletes an export and its files; one that is being written stops. Errors: NOT_FOUND. */
    removeExport: act("delete", `${EXPORTS}/{id}`),
    /** Asks for an export each day, week or month. Errors: FORBIDDEN, LIMIT_REACHED, VALIDATION_ERROR. */
    createExportSchedule: create(`${EXPORTS}/schedules`),
    /** A page of schedules, newest first: for admins all of the tenant's, for others their own. */
    exportSchedules: list(`${EXPORTS}/schedules`),
    /** Every schedule, oldest first unless asked otherwise. */
    exportSchedulesAll: listAll(`${EXPORTS}/schedules`, "schedules"),
    /** Errors: NOT_FOUND. */
    removeExportSchedule: act("delete", `${EXPORTS}/schedules/{id}`),

    /**
     * Has rows written into a file and waits until it is there. When the signal ends the waiting, the export goes on.
     * Errors: those of `createExport`; ExportError, when it came to nothing.
     */
    async export(wish: ExportWish): Promise<ReadyExport> {
      const { onProgress, signal, headers, idempotencyKey, ...requested } = wish;
      const call = { signal, headers };
      let now = await ask(requested, { ...call, ...(idempotencyKey && { idempotencyKey }) });
      for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(waitMs * 1.5, LONGEST_PAUSE_MS)) {
        onProgress?.(now);
        if (now.status === "ready" && now.url) return now as ReadyExport;
        if (now.status !== "queued" && now.status !== "running") throw new ExportError(now);
        await pause(waitMs, signal);
        now = await get(now.id, call);
      }
    },
  };
};

/** Files of rows: orders, products, figures. */
export interface Exports extends ReturnType<typeof exportsOf> {}
