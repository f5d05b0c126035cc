import type { z } from "@hono/zod-openapi";
import { AuthApiError, type User } from "@supabase/auth-js";
import { environment } from "../http/environment.ts";
import { ApiError, type FieldError, wrongFields } from "../http/errors.ts";
import { countRequest, refuseTooMany } from "../http/request_counts.ts";
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
 * Makes an anonymous account, which the database makes a customer of the marketplace's tenant in the same transaction.
 * Errors: NOT_FOUND, for a marketplace that is not open; RATE_LIMITED, after 30 from an address in an hour.
 */
export async function openGuest(marketplace: string, request: AuthRequest): Promise<SessionAnswer> {
  refuseTooMany(await countRequest({ kind: "guest", id: request.address }));
  const { data, error } = await authClient(request).signInAnonymously({
    options: { data: { marketplace } },
  });
  if (error?.code === "anonymous_provider_disabled" || error?.code === "signup_disabled") {
    throw new ApiError("FORBIDDEN", "No guests are let in here.");
  }
  // The hook before_user_created refuses with it.
  if (error?.status === 404) {
    throw new ApiError("NOT_FOUND", error.message, [{ field: "marketplace", value: marketplace }]);
  }
  if (error) throw unexpected(error);
  return answer(data.user as User, data.session);
}

/**
 * Gives a guest an account of its own: the same user, in the same tenant, with the same orders. In a project that
 * confirms addresses it stays a guest until it has followed the mail, and the answer has no tokens.
 * Errors: CONFLICT, when the e-mail has an account, or the guest has registered; VALIDATION_ERROR.
 */
export async function registerGuest(
  { email, password, name, language, ...wish }: z.output<typeof registration>,
  token: string,
  request: AuthRequest,
): Promise<SessionAnswer> {
  const surplus = Object.keys(wish).map(
    (field): FieldError => ({
      field,
      message: "A guest registers in the tenant and the role it has: leave this out.",
    }),
  );
  if (surplus.length > 0) throw wrongFields(surplus);
  // A guest's token is good for a while after it has registered: what it has now, it does not lose by it.
  const guest = await askAsUser(token, { method: "GET" }, request);
  if (!guest.is_anonymous) throw registeredAlready();
  const changes = { email, password, data: { name, language } };
  const account = await askAsUser(token, { method: "PUT", body: JSON.stringify(changes) }, request);
  return account.is_anonymous ? answer(account, null) : logIn(email, password, request);
}

const registeredAlready = () =>
  new ApiError(
    "CONFLICT",
    "This guest has registered already. Log in; where addresses are confirmed, follow the mail first.",
  );

/** Reads or changes the account of a token, for which supabase-js would need a whole session. */
async function askAsUser(token: string, init: RequestInit, request: AuthRequest): Promise<User> {
  const response = await fetch(`${environment.supabaseUrl}/auth/v1/user`, {
    ...init,
    headers: {
      apikey: environment.publishableKey,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    signal: request.signal,
  });
  const body = await response.json();
  if (response.ok) return body;
  if (response.status === 401 || response.status === 403) throw new ApiError("UNAUTHORIZED");
  const error = new AuthApiError(body.msg, response.status, body.error_code ?? body.code);
  // Somebody was faster with the same password.
  if (error.code === "same_password") throw registeredAlready();
  throw refusedRegistration(error, {});
}
