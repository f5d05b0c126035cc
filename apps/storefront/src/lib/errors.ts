import { ApiError, type ErrorCode } from "@souk/client";
import { t } from "./texts";

/** The errors that the shop has words of its own for. */
const KNOWN = [
  "CONFLICT",
  "FORBIDDEN",
  "IDEMPOTENCY_KEY_REUSED",
  "INSUFFICIENT_INVENTORY",
  "INVALID_CREDENTIALS",
  "INVALID_TRANSITION",
  "MARKETPLACE_NOT_ACTIVE",
  "NOT_FOUND",
  "PRICE_MISMATCH",
  "RATE_LIMITED",
  "SLOT_NOT_AVAILABLE",
  "VALIDATION_ERROR",
] as const satisfies readonly ErrorCode[];

/** An error as the customer needs it. */
export function wordsFor(error: unknown): string {
  if (hasEnded(error)) return t("error.SESSION_ENDED");
  if (error instanceof ApiError) {
    const code = KNOWN.find((known) => known === error.code);
    return code ? t(`error.${code}`) : t("error.SERVER");
  }
  return isOffline(error) ? t("error.OFFLINE") : t("error.SERVER");
}

/** Whether the server does not accept the session any more. A wrong password is no such case. */
export const hasEnded = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "UNAUTHORIZED" || error.code === "TOKEN_EXPIRED");

/** `fetch` rejects with a TypeError where there is no connection; supabase-js names its own error. */
export const isOffline = (error: unknown): boolean =>
  error instanceof TypeError || (error as Error)?.name === "AuthRetryableFetchError";

/** The paths of the fields that the API refused: `shipping_address.city`. */
export const refusedFields = (error: unknown): string[] =>
  error instanceof ApiError ? error.errors.map(({ field }) => field) : [];
