import type { Context } from "hono";
import { databaseAsService } from "../http/authenticate.ts";
import type { Door } from "../http/door.ts";
import { ApiError } from "../http/errors.ts";

/** Where a registration is told, and what signs and accompanies it. */
export interface Target {
  url: string;
  /** The current one first; then, for 24 hours, the one before. */
  secrets: [string, ...string[]];
  headers: Record<string, string>;
}

/**
 * The target of a registration that the caller sees: nobody but the service role reads secrets, and it is asked only
 * when the caller's own token has found the registration. Errors: NOT_FOUND.
 */
export async function targetOf(c: Context<Door>, webhook_id: string): Promise<Target> {
  await c.get("db").from("webhooks").select("id").eq("id", webhook_id).single().throwOnError();
  const { data } = await databaseAsService(c.get("signal"))
    .rpc("webhook_target", { webhook_id })
    .throwOnError();
  if (data === null) throw new ApiError("NOT_FOUND");
  return data as Target;
}

/**
 * A registration as it was answered when its secret was made. Repeated with its Idempotency-Key the answer lacks the
 * secret, which is kept in no other place than its own, and is read from there. Errors: NOT_FOUND, when the
 * caller does not see the registration any more.
 */
export async function withSecret<Shown extends { id: string; secret?: string }>(
  c: Context<Door>,
  shown: Shown,
): Promise<Shown & { secret: string }> {
  const secret = shown.secret ?? (await targetOf(c, shown.id)).secrets[0];
  return { ...shown, secret };
}
