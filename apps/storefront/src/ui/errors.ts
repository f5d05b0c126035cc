import { ApiError } from "@souk/client";
import { findText, t } from "./texts";

/** The text of an error for the customer. */
export function wordsFor(error: unknown): string {
  if (hasEnded(error)) return t("error.SESSION_ENDED");
  if (error instanceof ApiError) {
    if (error.quote) return t("checkout.changed");
    return findText(`error.${error.code}`) ?? t("error.SERVER");
  }
  return isOffline(error) ? t("error.OFFLINE") : t("error.SERVER");
}

/** Whether the server no longer accepts the session. A wrong password is another error. */
export const hasEnded = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "UNAUTHORIZED" || error.code === "TOKEN_EXPIRED");

/** Whether there is no connection. `fetch` rejects with a TypeError then; supabase-js has its own error name. */
export const isOffline = (error: unknown): boolean =>
  error instanceof TypeError || (error as Error)?.name === "AuthRetryableFetchError";

/** Whether there is no such record, also because the id in the address is none. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === 404 || refusedFields(error).some((field) => /^(\w+_)?id$/.test(field)));

/** The paths of the fields that the API refused: `shipping_address.city`. */
export const refusedFields = (error: unknown): string[] =>
  error instanceof ApiError ? error.errors.map(({ field }) => field) : [];
