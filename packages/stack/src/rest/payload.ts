import { parseCsv } from "./csv.js";
import { invalidBody } from "./errors.js";
import { refuseDeepBody } from "./nesting.js";

/** A request's body: JSON for Postgres, and the names of its columns or arguments. */
export interface Payload {
  /** JSON, or the unchanged body for a function's single parameter. */
  text: string;
  array: boolean;
  keys: string[];
  /** The fields of a form, for a function. */
  fields?: [string, string][];
}

/** The type in a `Content-Type` header. */
export const contentTypeOf = (header: string | null) =>
  (header ?? "application/json").split(";")[0]!.trim().toLowerCase();

/**
 * Parses a body. If `columns` (the parameter of that name) is given, the keys are not read from the
 * body. Throws PGRST102.
 */
export function readPayload(
  body: string,
  contentType: string,
  columns: string[] | null,
  forRoutine: boolean,
): Payload {
  switch (contentType) {
    case "application/json":
      refuseDeepBody(body);
      if (columns) return { text: body, array: startsAsArray(body), keys: [...new Set(columns)] };
      if (body === "" && forRoutine) return { text: "{}", array: false, keys: [] };
      return jsonPayload(body);
    case "text/csv":
      return jsonPayload(
        JSON.stringify(parseCsv(body)),
        "All lines must have same number of fields",
      );
    case "application/x-www-form-urlencoded": {
      const fields = [...new URLSearchParams(body)];
      const object = Object.fromEntries(fields);
      const payload = { text: JSON.stringify(object), array: false };
      return { ...payload, keys: Object.keys(object), ...(forRoutine && { fields }) };
    }
    case "text/plain":
    case "text/xml":
    case "application/octet-stream":
      if (forRoutine) return { text: body, array: false, keys: [] };
  }
  throw invalidBody(`Content-Type not acceptable: ${contentType}`);
}

const startsAsArray = (body: string) => !body.trimStart().startsWith("{");

function jsonPayload(text: string, uneven = "All object keys must match"): Payload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidBody("Empty or invalid json");
  }
  if (!Array.isArray(value)) {
    if (typeof value !== "object" || value === null) {
      return { text: "[]", array: true, keys: [] };
    }
    return { text, array: false, keys: Object.keys(value) };
  }
  const [first] = value;
  if (first === undefined) return { text: "[]", array: true, keys: [] };
  const keys = isObject(first) ? Object.keys(first) : null;
  if (!keys) throw invalidBody(uneven);
  for (const row of value) {
    const same =
      isObject(row) &&
      Object.keys(row).length === keys.length &&
      keys.every((key) => Object.hasOwn(row, key));
    if (!same) throw invalidBody(uneven);
  }
  return { text, array: true, keys };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
