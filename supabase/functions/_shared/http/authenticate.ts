import { PostgrestClient } from "@supabase/postgrest-js";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { addressOf } from "./address.ts";
import { runForMembers } from "./caller.ts";
import type { DatabaseClient, Env } from "./env.ts";
import { environment } from "./environment.ts";
import { ApiError } from "./errors.ts";
import { needsOf } from "./needs.ts";
import { COUNTED, functionsKey, isCounted } from "./request_counts.ts";
import { tokenOf, verify } from "./tokens.ts";
import { isVisit, MARKETPLACE, readVisit, VISITOR, visitorOf } from "./visits.ts";

/**
 * Admits active members of the token's tenant, and visitors where the route is open to them. Errors: UNAUTHORIZED,
 * TOKEN_EXPIRED, FORBIDDEN, VALIDATION_ERROR, CONFLICT (the request names another tenant).
 */
export const authenticate = admit("members");

/** Admits every signed-in user, with or without a tenant. Errors: UNAUTHORIZED, TOKEN_EXPIRED. */
export const authenticateAccount = admit("accounts");

function admit(who: "members" | "accounts") {
  return createMiddleware<Env>(async (c, next) => {
    if (isVisit(c)) {
      c.set("visit", readVisit(c));
      c.set("db", databaseFor(c));
      return next();
    }
    await openAsCaller(c, who);
    return who === "members" ? runForMembers(c, next) : next();
  });
}

/** The header with the tenant that a request is meant for: a session may have switched to another one in another tab. */
const TENANT = "x-souk-tenant";

function refuseOtherTenant(c: Context<Env>, tenant: unknown): void {
  const named = c.req.header(TENANT);
  if (named === undefined || named.toLowerCase() === tenant) return;
  throw new ApiError(
    "CONFLICT",
    "Your session is in another tenant now. Switch back with POST /auth/switch, or go on without x-souk-tenant.",
    [{ field: TENANT, value: named }],
  );
}

/** Verifies the bearer token locally and opens the database as its user. */
async function openAsCaller(c: Context<Env>, who: "members" | "accounts"): Promise<void> {
  const token = tokenOf(c);
  if (!token) throw new ApiError("UNAUTHORIZED");
  const { sub, tenant_id } = await verify(token);
  if (who === "members") refuseOtherTenant(c, tenant_id);
  const asCustomer = c.req.header(RIGHTS) === CUSTOMER && (await isCounted(c));
  c.set("caller", { id: sub as string, token, ...(asCustomer && { asCustomer }) });
  c.set("db", databaseFor(c));
}

/** The header of a request whose lists must not be promoted, with the value `none`. */
export const PROMOTION = "x-souk-promotion";

/**
 * The header of a request for a page that somebody else has written, with the value `customer`: the caller has the rights
 * of a customer only. The functions send it with their key.
 */
export const RIGHTS = "x-souk-rights";
export const CUSTOMER = "customer";

/** The database as the caller or visitor of a request: its lists are promoted unless the request says otherwise. */
export function databaseFor(c: Context<Env>, send: typeof fetch = fetch): DatabaseClient {
  const visitor = visitorOf(c);
  const further = {
    ...(visitor && { [VISITOR]: visitor }),
    ...(c.req.header(PROMOTION) === "none" && { [PROMOTION]: "none" }),
  };
  const visit = c.get("visit");
  if (visit) return databaseAsVisitor(visit.marketplace, c.get("signal"), send, further);
  const { token, asCustomer } = c.get("caller");
  const rights = asCustomer ? { ...further, [RIGHTS]: CUSTOMER } : further;
  return databaseAs(token, c.get("signal"), send, { ...rights, ...sourceOf(c) });
}

/**
 * The headers with what the audit log says about a request that may write: its operation and address. The database trusts
 * them because of the key of the functions.
 */
export function sourceOf(c: Context<Env>): Record<string, string> {
  const { operationId } = needsOf(c);
  if (operationId === undefined || ["GET", "HEAD"].includes(c.req.method)) return {};
  return { "x-souk-operation": operationId, "x-souk-caller-address": addressOf(c.req.raw.headers) };
}

/** PostgREST with a user's token: row-level security applies. */
export function databaseAs(
  token: string,
  signal: AbortSignal,
  send: typeof fetch = fetch,
  further: Record<string, string> = {},
): DatabaseClient {
  const headers = {
    apikey: environment.publishableKey,
    authorization: `Bearer ${token}`,
    ...further,
  };
  return openDatabase(headers, signal, async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set(COUNTED, await functionsKey());
    return send(input, { ...init, headers });
  });
}

/** PostgREST as a visitor of a marketplace. */
export function databaseAsVisitor(
  marketplace: string,
  signal: AbortSignal,
  send: typeof fetch = fetch,
  further: Record<string, string> = {},
): DatabaseClient {
  const headers = { apikey: environment.publishableKey, [MARKETPLACE]: marketplace, ...further };
  return openDatabase(headers, signal, send);
}

/** PostgREST as `anon`, for callers that are not signed in. */
export function databaseAsAnon(signal: AbortSignal): DatabaseClient {
  return openDatabase({ apikey: environment.publishableKey }, signal, fetch);
}

/** PostgREST with the service key, which bypasses row-level security, for operations that no user may do. */
export function databaseAsService(signal: AbortSignal, send: typeof fetch = fetch): DatabaseClient {
  const [key] = environment.secretKeys;
  return openDatabase({ apikey: key, authorization: `Bearer ${key}` }, signal, send);
}

function openDatabase(
  headers: Record<string, string>,
  signal: AbortSignal,
  send: typeof fetch,
): DatabaseClient {
  return new PostgrestClient(`${environment.supabaseUrl}/rest/v1`, {
    headers,
    fetch: (input, init) => send(input, { ...init, signal }),
  });
}
