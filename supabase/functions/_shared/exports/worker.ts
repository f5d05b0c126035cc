import { databaseAsService } from "../http/authenticate.ts";
import { createWorker } from "../http/worker.ts";
import { openStorage } from "../media/storage.ts";
import { createDispatcher } from "./dispatch.ts";
import { workAt } from "./work.ts";

/** Together below the time of a lease: nothing that was begun with it arrives after it. */
const DATABASE_TIMEOUT_MS = 20_000;
const STORAGE_TIMEOUT_MS = 60_000;

/** The one of this process: what is under way outlives the request that wakes it. */
const dispatcher = createDispatcher(
  workAt({
    async ask(name, args) {
      const db = databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS));
      const { data } = await db.rpc(name, args).throwOnError();
      return data;
    },
    openStorage: () => openStorage(AbortSignal.timeout(STORAGE_TIMEOUT_MS)),
    complain: (error) => console.error(JSON.stringify({ export_dispatch: String(error) })),
  }),
);

/** Where pg_net and cron call when an export waits. */
export const exportDispatch = createWorker(() => dispatcher.wake());
