import { ApiError } from "@souk/client";

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** What the API said of each field, by the field's path: `variants[0].price`. */
export function errorsByField(error: Error | null): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.errors.map(({ field, message }) => [field, message ?? error.message]),
  );
}
