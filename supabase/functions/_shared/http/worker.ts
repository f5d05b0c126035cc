import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { environment } from "./environment.ts";
import { ApiError } from "./errors.ts";
import { createRoutes } from "./routes.ts";

/** A global of the hosted platform: it keeps the worker alive until the work is done. */
const { EdgeRuntime } = globalThis as {
  EdgeRuntime?: { waitUntil(work: Promise<unknown>): void };
};

/**
 * The endpoint of a worker that pg_net and a job wake with one of the project's secret keys. It responds before the work
 * is done, because pg_net sends no further request before the response.
 */
export function createWorker(wake: () => Promise<void>) {
  const routes = createRoutes();
  routes.post("/", (c) => {
    requireSecretKey(c);
    const work = wake();
    EdgeRuntime?.waitUntil(work);
    return c.json({ accepted: true }, 202);
  });
  return routes;
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

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
