import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "hono";
import { sameText } from "../values/same_text.ts";
import { databaseAsService } from "./authenticate.ts";
import { environment } from "./environment.ts";
import { ApiError } from "./errors.ts";
import { createRoutes } from "./routes.ts";

/** A global of the hosted platform: it keeps the worker alive until the work is done. */
const { EdgeRuntime } = globalThis as {
  EdgeRuntime?: { waitUntil(work: Promise<unknown>): void };
};

/** Time after a wake in which transactions rely on it instead of calling again, in milliseconds, as in the database. */
const JOINED_MS = 250;
/** Maximum number of looks after a wake. The pauses double, so the last one is 32 s later: a statement may take 30 s. */
const MOST_LOOKS = 7;
const DATABASE_TIMEOUT_MS = 10_000;

/**
 * The endpoint of a worker that pg_net and a job wake with one of the project's secret keys. It responds before the work
 * is done, because pg_net sends no further request before the response. `lookAgain` is called when transactions that
 * rely on the same wake have ended.
 */
export function createWorker(wake: () => Promise<void>, lookAgain = wake) {
  const routes = createRoutes();
  routes.post("/", async (c) => {
    requireSecretKey(c);
    const wakeId = await wakeIdOf(c);
    const work = Promise.all([wake(), wakeId && lookAfter(wakeId, lookAgain)]);
    EdgeRuntime?.waitUntil(work);
    return c.json({ accepted: true }, 202);
  });
  return routes;
}

/** The id of the wake of a request; undefined if no other transaction relies on it. */
async function wakeIdOf(c: Context): Promise<string | undefined> {
  const body = await c.req.json().catch(() => null);
  return body?.wake_id ?? undefined;
}

/** Looks for more work until no transaction relies on a wake. If the database cannot be reached, a job wakes the worker. */
async function lookAfter(wakeId: string, lookAgain: () => Promise<void>): Promise<void> {
  const looks: Promise<void>[] = [];
  let isOver = false;
  for (let pauseMs = JOINED_MS; !isOver && looks.length < MOST_LOOKS; pauseMs *= 2) {
    await pause(pauseMs);
    isOver = await wakeIsOver(wakeId);
    looks.push(lookAgain());
  }
  await Promise.all(looks);
}

async function wakeIsOver(wake_id: string): Promise<boolean> {
  try {
    const db = databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS));
    const { data } = await db.rpc("wake_is_over", { wake_id }).throwOnError();
    return data;
  } catch (error) {
    console.error(JSON.stringify({ worker: String(error) }));
    return false;
  }
}

/** Refuses requests that do not carry one of the project's secret keys. Errors: UNAUTHORIZED. */
export function requireSecretKey(c: Context): void {
  const given = c.req.header("apikey") ?? "";
  if (!environment.secretKeys.some((key) => sameText(given, key)))
    throw new ApiError(
      "UNAUTHORIZED",
      "Send one of the project's secret keys in the header apikey.",
    );
}
