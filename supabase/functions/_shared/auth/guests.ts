import type { z } from "@hono/zod-openapi";
import { AuthApiError, type User } from "@supabase/auth-js";
import type { Context } from "hono";
import { decodeJwt } from "jose";
import { databaseAsService } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import { ApiError, type FieldError, wrongFields } from "../http/errors.ts";
import { tokenOf, verify } from "../http/tokens.ts";
import {
  type AuthRequest,
  answer,
  authClient,
  authHeaders,
  logIn,
  refusedRegistration,
  type SessionAnswer,
  unexpected,
} from "./accounts.ts";
import type { registration } from "./schema.ts";

/**
 * Creates an anonymous user. In the same transaction the database makes it a customer of the marketplace's tenant.
 * Errors: NOT_FOUND if no such marketplace is active; RATE_LIMITED after 30 guests of an IP address in an hour.
 */
export async function openGuest(marketplace: string, request: AuthRequest): Promise<SessionAnswer> {
  const { data: seconds } = await databaseAsService(request.signal)
    .rpc("admit_guest", { marketplace, address: request.address })
    .throwOnError();
  if (seconds > 0) {
    throw new ApiError("RATE_LIMITED", undefined, [], { "Retry-After": String(seconds) });
  }
  const { data, error } = await authClient(request).signInAnonymously({
    options: { data: { marketplace } },
  });
  if (error?.code === "anonymous_provider_disabled" || error?.code === "signup_disabled") {
    throw new ApiError("FORBIDDEN", "This project does not allow guests.");
  }
  // The database refused, because the marketplace was closed in between.
  if (error?.status === 404) {
    throw new ApiError("NOT_FOUND", error.message, [{ field: "marketplace" }]);
  }
  if (error) throw unexpected(error);
  return answer(data.user as User, data.session);
}

/** A guest, by its token. */
export interface Guest {
  id: string;
  token: string;
}

/**
 * The guest whose token a request has; undefined if there is no token or it is not a guest's. It may also be one of the
 * project's keys. Errors: TOKEN_EXPIRED, UNAUTHORIZED for an invalid token of a guest.
 */
export async function guestOf(c: Context<Env>): Promise<Guest | undefined> {
  const token = tokenOf(c);
  if (token === undefined || !isOfGuest(token)) return undefined;
  const { sub } = await verify(token);
  return { id: sub as string, token };
}

function isOfGuest(token: string): boolean {
  try {
    return decodeJwt(token).is_anonymous === true;
  } catch {
    return false;
  }
}

/**
 * Gives a guest an e-mail address and a password. The user, the tenant and the orders stay the same. If the project
 * confirms addresses, it stays a guest until then, and the response has no tokens.
 * Errors: CONFLICT if the e-mail has an account or the guest has registered; VALIDATION_ERROR.
 */
export async function registerGuest(
  { email, password, name, language, ...others }: z.output<typeof registration>,
  { id, token }: Guest,
  request: AuthRequest,
): Promise<SessionAnswer> {
  const surplus = Object.keys(others).map(
    (field): FieldError => ({
      field,
      message: "must be left out: a guest keeps its tenant and role",
    }),
  );
  if (surplus.length > 0) throw wrongFields(surplus);
  const account = await exclusively(id, request, () =>
    changeAccount(token, { email, password, data: { name, language } }, request),
  );
  return account.is_anonymous ? answer(account, null) : logIn(email, password, request);
}

/** Runs `register` unless another request registers the guest now. Errors: CONFLICT. */
async function exclusively<T>(
  user_id: string,
  { signal }: AuthRequest,
  register: () => Promise<T>,
): Promise<T> {
  const db = databaseAsService(signal);
  await db.rpc("begin_guest_registration", { user_id }).throwOnError();
  try {
    return await register();
  } finally {
    await db.rpc("end_guest_registration", { user_id }).throwOnError();
  }
}

interface AccountChanges {
  email: string;
  password?: string;
  data: object;
}

/** Changes the account of a token. auth-js would need the whole session. */
async function changeAccount(
  token: string,
  changes: AccountChanges,
  request: AuthRequest,
): Promise<User> {
  const change = () =>
    fetch(`${environment.supabaseUrl}/auth/v1/user`, {
      method: "PUT",
      headers: {
        ...authHeaders(request),
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(changes),
      signal: request.signal,
    });
  const first = await change();
  // As for a sign-up: another request took the address at the same time.
  const response = first.status === 500 ? await change() : first;
  const body = await response.json();
  if (response.ok) return body;
  if (response.status === 401 || response.status === 403) throw new ApiError("UNAUTHORIZED");
  const error = new AuthApiError(body.msg, response.status, body.error_code ?? body.code);
  // A guest that has not confirmed its address may correct it, and sends the same password again.
  if (error.code === "same_password") {
    const { password: _, ...others } = changes;
    return changeAccount(token, others, request);
  }
  throw refusedRegistration(error, {});
}
