import type { Storage } from "../media/storage.ts";
import type { Work } from "./dispatch.ts";
import { type Job, LeaseLost, type Page } from "./job.ts";

/** Where a dispatcher finds its work, and brings it. */
export interface Places {
  /** Calls a function of the database as the service. */
  ask(name: string, args: Record<string, unknown>): Promise<unknown>;
  /** Opened for each use, so that each has its time. */
  openStorage(): Storage;
  /** Called with what went wrong on our side. */
  complain(error: unknown): void;
}

/** A dispatcher's work, of which the database says what it is and who has it. */
export function workAt({ ask, openStorage, complain }: Places): Work {
  return {
    take: async () => (await ask("take_export", {})) as Job | null,
    meansFor({ id: export_id, lease }) {
      return {
        async read(after, bytes) {
          const page = await ask("read_export_rows", { export_id, lease, after, bytes });
          if (!page) throw new LeaseLost();
          return page as Page;
        },
        async report(marks) {
          const held = await ask("report_export", { export_id, lease, ...marks });
          if (!held) throw new LeaseLost();
        },
        get storage() {
          return openStorage();
        },
      };
    },
    async leave({ id: export_id, lease }, wish) {
      await ask("leave_export", { export_id, lease, ...wish });
    },
    complain,
  };
}
