import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { databaseAsService } from "../http/authenticate.ts";
import { createRoutes } from "../http/door.ts";
import { environment } from "../http/environment.ts";
import { ApiError } from "../http/errors.ts";
import { dispatchDue } from "./dispatch.ts";

/** What the platform has beside Deno: the worker is kept until the work is done. */
const { EdgeRuntime } = globalThis as {
  EdgeRuntime?: { waitUntil(work: Promise<unknown>): void };
};

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
  const work = dispatchDue(databaseAsService(c.get("signal"))).catch((error) => {
    // What was claimed is due again in a minute.
    console.error(JSON.stringify({ request_id: c.get("requestId"), error: String(error) }));
  });
  EdgeRuntime?.waitUntil(work);
  return c.json({ accepted: true }, 202);
});

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
