import type { z } from "@hono/zod-openapi";
import { AuthApiError, type User } from "@supabase/auth-js";
import type { Context } from "hono";
import { decodeJwt } from "jose";
import { databaseAsService, tokenOf, verify } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import { ApiError, type FieldError, wrongFields } from "../http/errors.ts";
import {
  type AuthRequest,
  answer,
  authClient,
  logIn,
  refusedRegistration,
  type SessionAnswer,
  unexpected,
} from "./accounts.ts";
import type { registration } from "./schema.ts";

/**
 * Makes an anonymous user, whom the database makes a customer of the marketplace's tenant in the same transaction.
 * Errors: NOT_FOUND, when no such marketplace is open; RATE_LIMITED, after 30 guests of an address in an hour.
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
    throw new ApiError("FORBIDDEN", "This project takes no guests.");
  }
  // The database refused: the marketplace was closed meanwhile.
  if (error?.status === 404) {
    throw new ApiError("NOT_FOUND", error.message, [{ field: "marketplace" }]);
  }
  if (error) throw unexpected(error);
  return answer(data.user as User, data.session);
}

/** A guest who sent its token. */
export interface Guest {
  id: string;
  token: string;
}

/**
 * The guest whose token a request has; undefined where it has none, or that of somebody else, which may also be one of
 * the project's keys. Errors: TOKEN_EXPIRED, UNAUTHORIZED, for a guest's token that is not valid.
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
 * Gives a guest an address and a password: the same user, in the same tenant, with the same orders. In a project that
 * confirms addresses it stays a guest until it has followed the link, and the answer has no tokens.
 * Errors: CONFLICT, when the e-mail has an account, or the guest has registered; VALIDATION_ERROR.
 */
export async function registerGuest(
  { email, password, name, language, ...wish }: z.output<typeof registration>,
  { id, token }: Guest,
  request: AuthRequest,
): Promise<SessionAnswer> {
  const surplus = Object.keys(wish).map(
    (field): FieldError => ({
      field,
      message: "A guest keeps its tenant and its role: leave this out.",
    }),
  );
  if (surplus.length > 0) throw wrongFields(surplus);
  const account = await claimed(id, request, () =>
    changeAccount(token, { email, password, data: { name, language } }, request),
  );
  return account.is_anonymous ? answer(account, null) : logIn(email, password, request);
}

/** Runs `register` while no other request registers the guest. Errors: CONFLICT. */
async function claimed<T>(
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

/** Changes the account of a token, for which auth-js would need the whole session. */
async function changeAccount(
  token: string,
  changes: AccountChanges,
  request: AuthRequest,
): Promise<User> {
  const response = await fetch(`${environment.supabaseUrl}/auth/v1/user`, {
    method: "PUT",
    headers: {
      apikey: environment.publishableKey,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(changes),
    signal: request.signal,
  });
  const body = await response.json();
  if (response.ok) return body;
  if (response.status === 401 || response.status === 403) throw new ApiError("UNAUTHORIZED");
  const error = new AuthApiError(body.msg, response.status, body.error_code ?? body.code);
  // A guest that has not followed the link yet corrects its address, and sends the same password.
  if (error.code === "same_password") {
    const { password: _, ...others } = changes;
    return changeAccount(token, others, request);
  }
  throw refusedRegistration(error, {});
}
