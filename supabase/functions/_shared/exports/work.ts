import type { Arguments, FunctionName } from "../http/env.ts";
import type { Storage } from "../media/storage.ts";
import type { DispatcherOptions } from "./dispatch.ts";
import { type Job, LeaseLost, type Page } from "./job.ts";

/** The database and Storage, for a dispatcher. */
export interface Services {
  /** Calls a function of the database with the secret key. */
  ask<Name extends FunctionName>(name: Name, args: Arguments<Name>): Promise<unknown>;
  /** Called for each use, so that each use has its own timeout. */
  openStorage(): Storage;
  reportError(error: unknown): void;
}

/** The options of a dispatcher that takes its exports from the database. */
export function dispatcherOptions({ ask, openStorage, reportError }: Services): DispatcherOptions {
  return {
    take: async () => (await ask("lease_export", {})) as Job | null,
    contextOf({ id: export_id, lease }) {
      return {
        async read(after, bytes) {
          const page = await ask("read_export_rows", { export_id, lease, after, bytes });
          if (!page) throw new LeaseLost();
          return page as Page;
        },
        async report(checkpoints) {
          const isValid = await ask("report_export", { export_id, lease, ...checkpoints });
          if (!isValid) throw new LeaseLost();
        },
        get storage() {
          return openStorage();
        },
      };
    },
    async leave({ id: export_id, lease }, outcome) {
      await ask("leave_export", { export_id, lease, ...outcome });
    },
    reportError,
  };
}

/** Deletes the files of exports that were deleted, have failed or have expired. */
export async function removeFiles({ ask, openStorage, reportError }: Services): Promise<void> {
  try {
    for (;;) {
      const paths = (await ask("export_files_to_remove", {})) as string[];
      if (paths.length === 0) return;
      await openStorage().remove("exports", paths);
    }
  } catch (error) {
    reportError(error);
  }
}
