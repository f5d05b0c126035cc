import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { databaseAs } from "../http/authenticate.ts";
import { createRoutes } from "../http/door.ts";
import { environment } from "../http/environment.ts";
import { ApiError } from "../http/errors.ts";
import { dispatchDue } from "./dispatch.ts";

/** Where pg_net and cron knock, with the service role's key. */
export const dispatch = createRoutes();

dispatch.post("/", async (c) => {
  const key = environment.serviceRoleKey;
  if (!sameText(c.req.header("authorization") ?? "", `Bearer ${key}`))
    throw new ApiError("UNAUTHORIZED");
  return c.json({ attempts: await dispatchDue(databaseAs(key, c.get("signal"))) });
});

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
