import { ApiError, type ErrorCode } from "@souk/client";

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The error codes for which the console has its own texts. */
const KNOWN = [
  "FORBIDDEN",
  "NOT_FOUND",
  "CONFLICT",
  "VALIDATION_ERROR",
  "INVALID_CREDENTIALS",
  "INVALID_TRANSITION",
  "INSUFFICIENT_INVENTORY",
  "LAST_ADMIN",
  "LIMIT_REACHED",
  "RATE_LIMITED",
  "UNSUPPORTED_MEDIA",
  "SERVICE_UNAVAILABLE",
  "INTERNAL_ERROR",
] as const satisfies readonly ErrorCode[];

/** The code of an API error; undefined for other errors, and for codes without a text. */
export const codeOf = (error: Error) =>
  error instanceof ApiError ? KNOWN.find((code) => code === error.code) : undefined;

/** Whether a change was refused because the record has changed since it was read. */
export const isOutdated = (error: Error): boolean =>
  error instanceof ApiError && error.code === "CONFLICT" && error.field === "updated_at";

/** The API's message for each field, by its path: `variants[0].price`. */
export function errorsByField(error: Error | null): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.errors.map(({ field, message }) => [field, message ?? error.message]),
  );
}
