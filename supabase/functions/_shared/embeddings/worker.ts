import { databaseAsService } from "../http/authenticate.ts";
import { createWorker } from "../http/worker.ts";
import { configuredProvider } from "./configured_provider.ts";
import { createEmbedder } from "./embedder.ts";

const DATABASE_TIMEOUT_MS = 30_000;

const database = () => databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS));

/** The embedder of this process. Invalid settings of the provider end the process here, and the log has the reason. */
const embedder = createEmbedder({
  provider: configuredProvider(),
  async take(done, batch) {
    const args = { done, model: configuredProvider().model, batch };
    const { data } = await database().rpc("lease_embedding_jobs", args).throwOnError();
    return data;
  },
  async takeLesson() {
    const { data } = await database().rpc("take_lesson").throwOnError();
    return data[0] ?? null;
  },
  async read({ tenant_id }, after, limit) {
    const { data } = await database()
      .rpc("read_lesson", { tenant_id, after, limit })
      .throwOnError();
    return data;
  },
  async record(lesson, learnt) {
    const { data } = await database()
      .rpc("record_lesson", { ...lesson, ...learnt })
      .throwOnError();
    return data;
  },
  reportError: (error) => console.error(JSON.stringify({ embed: String(error) })),
});

/** The endpoint that pg_net and a job call when texts of products have changed. */
export const embed = createWorker(() => embedder.wake());
