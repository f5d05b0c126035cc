import { databaseAsService } from "../http/authenticate.ts";
import { createWorker } from "../http/worker.ts";
import { createDispatcher, type Taken } from "./dispatch.ts";
import { send } from "./send.ts";

const DATABASE_TIMEOUT_MS = 10_000;

/** The one of this process: it outlives the request that wakes it, and the next one finds it at work. */
const dispatcher = createDispatcher({
  async take(dispatcher, done, wish) {
    const { data } = await databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS))
      .rpc("take_webhook_deliveries", { dispatcher, done, ...wish })
      .throwOnError();
    return data as Taken[];
  },
  async readBody(delivery_id) {
    const { data } = await databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS))
      .rpc("webhook_body", { delivery_id })
      .throwOnError();
    return data;
  },
  send: (delivery) => send(delivery),
  complain: (error) => console.error(JSON.stringify({ dispatcher: String(error) })),
});

/** Where pg_net and cron call when a delivery is due. */
export const dispatch = createWorker(() => dispatcher.wake());
