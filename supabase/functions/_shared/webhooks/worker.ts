import { databaseAsService } from "../http/authenticate.ts";
import { createWorker } from "../http/worker.ts";
import { createDispatcher } from "./dispatch.ts";
import { send } from "./send.ts";
import type { LeasedDelivery } from "./sender.ts";

const DATABASE_TIMEOUT_MS = 10_000;

/** The dispatcher of this process. It outlives the request that wakes it, so later requests find it running. */
const dispatcher = createDispatcher({
  async lease(dispatcher, done, options) {
    const { data } = await databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS))
      .rpc("lease_webhook_deliveries", { dispatcher, done, ...options })
      .throwOnError();
    return data as LeasedDelivery[];
  },
  async readBody(delivery_id) {
    const { data } = await databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS))
      .rpc("webhook_body", { delivery_id })
      .throwOnError();
    return data;
  },
  send: (delivery) => send(delivery),
  reportError: (error) => console.error(JSON.stringify({ dispatcher: String(error) })),
});

/** The endpoint that pg_net and a job call when a delivery is due. */
export const dispatch = createWorker(() => dispatcher.wake());
