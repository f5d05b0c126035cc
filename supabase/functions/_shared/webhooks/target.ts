import { createHash } from "node:crypto";
import type { Context } from "hono";
import { databaseAsService } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";

/** The address of a registration, with its secrets and headers. */
export interface Target {
  url: string;
  /** The current secret first; then, for 24 hours, the previous one. */
  secrets: [string, ...string[]];
  headers: Record<string, string>;
}

/**
 * The target of a registration that the caller may see. Only the service role reads secrets, and it is used only after the
 * caller's own token has found the registration. Errors: NOT_FOUND.
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

/** The response that shows a registration's secret; a repetition has only the digest of the secret. */
interface Shown {
  id: string;
  secret: string | null;
  secret_sha256?: string;
}

/**
 * Adds the secret to a repeated response. Stored responses of an Idempotency-Key have no secret, because a secret is
 * stored in one place only. It is shown again while it is valid. Errors: NOT_FOUND if the caller may no longer see the
 * registration.
 */
export async function withSecret<Answer extends Shown>(
  c: Context<Env>,
  { secret_sha256, ...shown }: Answer,
) {
  if (shown.secret !== null) return shown;
  const seen = await find(c, shown.id).maybeSingle().throwOnError();
  const target = await readTarget(c, shown.id);
  // The registration was deleted, so the repetition reveals nothing new.
  if (target === null) return shown;
  if (seen.data === null) throw new ApiError("NOT_FOUND");
  const secret = target.secrets.find((one) => digestOf(one) === secret_sha256) ?? null;
  return { ...shown, secret };
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
