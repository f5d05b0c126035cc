import { databaseAsService } from "../http/authenticate.ts";
import { createWorker } from "../http/worker.ts";
import { openStorage } from "../media/storage.ts";
import { createDispatcher } from "./dispatch.ts";
import { dispatcherOptions, removeFiles, type Services } from "./work.ts";

/** Timeouts in milliseconds. Both together are shorter than a lease (2 minutes). */
const DATABASE_TIMEOUT_MS = 20_000;
const STORAGE_TIMEOUT_MS = 60_000;

const services: Services = {
  async ask(name, args) {
    const db = databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS));
    const { data } = await db.rpc(name, args).throwOnError();
    return data;
  },
  openStorage: () => openStorage(AbortSignal.timeout(STORAGE_TIMEOUT_MS)),
  reportError: (error) => console.error(JSON.stringify({ export_dispatch: String(error) })),
};

/** One for each process. Work in progress outlives the request that started it. */
const dispatcher = createDispatcher(dispatcherOptions(services));

/** Resolves when nothing is being written. */
let writing: Promise<void> = Promise.resolve();

async function write(): Promise<void> {
  writing = Promise.all([removeFiles(services), dispatcher.wake()]).then(() => {});
  await writing;
}

/** Has a new request continue, which has processor time of its own, if an export waits when nothing is being written. */
async function continueLater(): Promise<void> {
  await writing;
  await services.ask("wake_export_dispatch", {}).catch(services.reportError);
}

/** The entry point that pg_net and a job call while exports wait or files are to be deleted. */
export const exportDispatch = createWorker(write, continueLater);
