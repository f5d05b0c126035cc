import { createHash } from "node:crypto";
import type { Context } from "hono";
import { databaseAsService } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";

/** Where deliveries of a registration go, and what signs and accompanies them. */
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
export async function targetOf(
  c: Context<Env>,
  webhook_id: string,
): Promise<Target & { tenantId: string }> {
  const { data: seen } = await find(c, webhook_id).single().throwOnError();
  const target = await readTarget(c, webhook_id);
  if (target === null) throw new ApiError("NOT_FOUND");
  return { ...target, tenantId: seen.tenant_id };
}

function find(c: Context<Env>, webhook_id: string) {
  return c.get("db").from("webhooks").select("id, tenant_id").eq("id", webhook_id);
}

async function readTarget(c: Context<Env>, webhook_id: string): Promise<Target | null> {
  const { data } = await databaseAsService(c.get("signal"))
    .rpc("webhook_target", { webhook_id })
    .throwOnError();
  return data;
}

/** A registration as it was answered when its secret was made; repeated, with the digest of that alone. */
interface Shown {
  id: string;
  secret: string | null;
  secret_sha256?: string;
}

/**
 * A registration as it was answered when its secret was made. Repeated with its Idempotency-Key the answer lacks the
 * secret, which is kept in no other place than its own: it is shown again as long as it signs. Errors:
 * NOT_FOUND, when the caller does not see the registration any more.
 */
export async function withSecret<Answer extends Shown>(
  c: Context<Env>,
  { secret_sha256, ...shown }: Answer,
) {
  if (shown.secret !== null) return shown;
  const seen = await find(c, shown.id).maybeSingle().throwOnError();
  const target = await readTarget(c, shown.id);
  // One that is deleted is seen by nobody, and tells nothing that its answer did not tell.
  if (target === null) return shown;
  if (seen.data === null) throw new ApiError("NOT_FOUND");
  const secret = target.secrets.find((one) => digestOf(one) === secret_sha256) ?? null;
  return { ...shown, secret };
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
