import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { databaseAsService } from "../http/authenticate.ts";
import { createRoutes } from "../http/door.ts";
import { environment } from "../http/environment.ts";
import { ApiError } from "../http/errors.ts";
import { createDispatcher } from "./dispatch.ts";
import { send } from "./send.ts";

/** What the platform has beside Deno: the worker is kept until the work is done. */
const { EdgeRuntime } = globalThis as {
  EdgeRuntime?: { waitUntil(work: Promise<unknown>): void };
};

const DATABASE_TIMEOUT_MS = 10_000;

/** The one of this process: it outlives the request that wakes it, and the next one finds it at work. */
const dispatcher = createDispatcher({
  async take(done, batch) {
    const { data } = await databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS))
      .rpc("take_webhook_deliveries", { done, batch })
      .throwOnError();
    return data;
  },
  send: (delivery) => send(delivery),
  complain: (error) => console.error(JSON.stringify({ dispatcher: String(error) })),
});

/**
 * Where pg_net and cron knock, with one of the project's secret keys. They are answered before anything is
 * sent: pg_net knocks again only when it has been answered, so that one slow receiver would hold up
 * everybody's deliveries.
 */
export const dispatch = createRoutes();

dispatch.post("/", (c) => {
  const given = c.req.header("apikey") ?? "";
  if (!environment.secretKeys.some((key) => sameText(given, key)))
    throw new ApiError("UNAUTHORIZED");
  const work = dispatcher.wake();
  EdgeRuntime?.waitUntil(work);
  return c.json({ accepted: true }, 202);
});

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
