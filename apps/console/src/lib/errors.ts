import { ApiError, type ErrorCode } from "@souk/client";
import i18next from "i18next";
import { english, fieldTextOf, KNOWN } from "./rules";

/** Whether a change was refused because the record has changed since it was read. */
export const isOutdated = (error: Error): boolean =>
  error instanceof ApiError && error.code === "CONFLICT" && error.field === "updated_at";

/** The text of an error code in the language of the page. */
function titleOf(error: Error): string {
  if (isOutdated(error)) return i18next.t("errors.outdated");
  // fetch rejects with a TypeError if there is no connection.
  if (error instanceof TypeError) return i18next.t("errors.offline");
  const known = KNOWN satisfies readonly ErrorCode[];
  const code = error instanceof ApiError ? known.find((one) => one === error.code) : undefined;
  return i18next.t(code ? `errors.${code}` : "errors.other");
}

const fieldsOf = (error: Error): { field: string; text: string }[] =>
  error instanceof ApiError
    ? error.errors.map(({ field, message }) => ({
        field,
        text: fieldTextOf(error.code, field, message ?? error.message),
      }))
    : [];

/** An error in the language of the page: what it is, and its details if there are any. */
export function textsOf(error: Error): { title: string; detail: string | undefined } {
  const title = titleOf(error);
  const fields = [...new Set(fieldsOf(error).map(({ text }) => text))].join(" ");
  const detail = english(error.message) ?? fields;
  return { title, detail: detail === title || detail === "" ? undefined : detail };
}

/** An error in one text, in the language of the page. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { title, detail } = textsOf(error);
  return isOutdated(error) ? title : (detail ?? title);
}

/** The text about each refused field, by its path: `variants[0].price`. */
export const errorsByField = (error: Error | null): Record<string, string> =>
  error === null ? {} : Object.fromEntries(fieldsOf(error).map(({ field, text }) => [field, text]));
