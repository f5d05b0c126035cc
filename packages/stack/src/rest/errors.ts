import { DatabaseAway, RETRY_AFTER } from "../db/away.js";
import { type DatabaseError, isDatabaseError } from "../db/database.js";

/** An error response of PostgREST. */
export class RestError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: unknown = null,
    readonly hint: string | null = null,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "RestError";
  }

  get body(): string {
    const { code, details, hint, message } = this;
    return JSON.stringify({ code, details, hint, message });
  }
}

/** The schema cache does not contain the object; the cache may be out of date. */
export class CacheMiss extends RestError {
  override name = "CacheMiss";
}

export const parseError = (what: string, details: string) =>
  new RestError(400, "PGRST100", what, details);

export const invalidBody = (message: string) => new RestError(400, "PGRST102", message);

export const notSatisfiable = (details: string) =>
  new RestError(416, "PGRST103", "Requested range not satisfiable", details);

export const notEmbedded = (name: string) =>
  new RestError(
    400,
    "PGRST108",
    `'${name}' is not an embedded resource in this request`,
    null,
    `Verify that '${name}' is included in the 'select' query parameter.`,
  );

export const notSingular = (rows: number) =>
  new RestError(
    406,
    "PGRST116",
    "Cannot coerce the result to a single JSON object",
    `The result contains ${rows} rows`,
  );

/** The same error as that of a database function that raises PT422. */
export const tooMuchEmbedded = (maximum: number) =>
  new RestError(
    422,
    "PT422",
    "LIMIT_REACHED",
    JSON.stringify({ cap: "embed_bytes", maximum }),
    "This answer is too large. Ask for fewer rows, or for fewer columns of what is embedded.",
  );

export const columnNotFound = (table: string, column: string) =>
  new CacheMiss(
    400,
    "PGRST204",
    `Could not find the '${column}' column of '${table}' in the schema cache`,
  );

/** Statuses of SQLSTATEs, or of their first two characters; all others are 400. */
const states: Record<number, string> = {
  400: "P0001",
  403: "0L 0P 28",
  404: "42883 42P01",
  405: "25006",
  409: "23503 23505",
  500: "09 25 2D 38 39 3B 40 53400 54 55 57 58 F0 HV P0 XX 42P17",
  503: "08 53 57P01",
};
const statuses = new Map(
  Object.entries(states).flatMap(([status, list]) =>
    list.split(" ").map((state) => [state, Number(status)] as const),
  ),
);

function statusOf({ code, message }: DatabaseError, anonymous: boolean): number {
  if (code === "42501") return anonymous ? 401 : 403;
  if (code === "42883" && message.startsWith("function xmlagg(")) return 406;
  if (code === "21000") return message.endsWith("requires a WHERE clause") ? 400 : 500;
  if (code === "22023" && message.startsWith("role") && message.endsWith("does not exist")) {
    return 401;
  }
  if (code.startsWith("PT")) {
    const status = Number(code.slice(2));
    return status >= 200 && status <= 599 ? status : 500;
  }
  return statuses.get(code) ?? statuses.get(code.slice(0, 2)) ?? 400;
}

/** Like PostgREST, distinguishes a failed connection from one that broke off. */
function away({ asked, message }: DatabaseAway): RestError {
  const [code, source] = asked ? ["PGRST001", "client"] : ["PGRST000", "connection"];
  const headers = { "Retry-After": RETRY_AFTER };
  return new RestError(503, code, `Database ${source} error. Retrying.`, message, null, headers);
}

/**
 * Converts an error to a response; null if it is unexpected. `anonymous`: the request has no role
 * of its own.
 */
export function asRestError(error: unknown, anonymous: boolean): RestError | null {
  if (error instanceof RestError) return error;
  if (error instanceof DatabaseAway) return away(error);
  if (!isDatabaseError(error)) return null;
  if (error.code === "PGRST") return raised(error);
  const status = statusOf(error, anonymous);
  return new RestError(
    status,
    error.code,
    error.message,
    error.detail ?? null,
    error.hint ?? null,
    status === 401 ? { "WWW-Authenticate": "Bearer" } : {},
  );
}

/** `raise sqlstate 'PGRST'` contains the whole response as JSON in its message and detail. */
function raised(error: DatabaseError): RestError {
  const message = jsonObject(error.message);
  const { details = null, hint = null } = message ?? {};
  if (
    typeof message?.code !== "string" ||
    typeof message.message !== "string" ||
    !isTextOrNull(details) ||
    !isTextOrNull(hint)
  ) {
    return raiseRefused(
      `Invalid JSON value for MESSAGE: '${error.message}'`,
      "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
    );
  }
  const detail = error.detail === undefined ? null : jsonObject(error.detail);
  const status = Number(detail?.status);
  if (!detail || !(status >= 200 && status <= 599) || !isHeaders(detail.headers)) {
    return raiseRefused(
      error.detail === undefined
        ? "DETAIL is missing in the RAISE statement"
        : `Invalid JSON value for DETAIL: '${error.detail}'`,
      "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.",
    );
  }
  return new RestError(status, message.code, message.message, details, hint, detail.headers);
}

const raiseRefused = (details: string, hint: string) =>
  new RestError(
    500,
    "PGRST121",
    `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
    details,
    hint,
  );

const isTextOrNull = (value: unknown): value is string | null =>
  value === null || typeof value === "string";

function jsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function isHeaders(value: unknown): value is Record<string, string> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(([name, text]) => isHeader(name, text))
  );
}

/** Whether name and value are valid in an HTTP header. */
export function isHeader(name: string, value: unknown): value is string {
  try {
    return typeof value === "string" && new Headers([[name, value]]) !== null;
  } catch {
    return false;
  }
}
