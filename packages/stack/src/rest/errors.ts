import { type DatabaseError, isDatabaseError } from "../db/database.js";

/** What PostgREST would answer in place of a result. */
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

/** The schema cache knows no such thing; it may be out of date. */
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

export const unsupportedMethod = (method: string) =>
  new RestError(405, "PGRST117", `Unsupported HTTP method: ${method}`);

export const notImplemented = (details: string) =>
  new RestError(400, "PGRST127", "Feature not implemented", details);

export const columnNotFound = (table: string, column: string) =>
  new CacheMiss(
    400,
    "PGRST204",
    `Could not find the '${column}' column of '${table}' in the schema cache`,
  );

export const tokenInvalid = (
  message: string,
  details: string | null,
  code: "PGRST301" | "PGRST303",
) =>
  new RestError(401, code, message, details, null, {
    "WWW-Authenticate": `Bearer error="invalid_token", error_description=${JSON.stringify(message)}`,
  });

/** Statuses by SQLSTATE, then by its first two characters; what is in neither table is a 400. */
const byState: Record<string, number> = {
  "23503": 409,
  "23505": 409,
  "25006": 405,
  "53400": 500,
  "57P01": 503,
  P0001: 400,
  "42883": 404,
  "42P01": 404,
  "42P17": 500,
};
const byClass: Record<string, number> = {
  "08": 503,
  "09": 500,
  "0L": 403,
  "0P": 403,
  "25": 500,
  "28": 403,
  "2D": 500,
  "38": 500,
  "39": 500,
  "3B": 500,
  "40": 500,
  "53": 503,
  "54": 500,
  "55": 500,
  "57": 500,
  "58": 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
};

function statusOf({ code, message }: DatabaseError, anonymous: boolean): number {
  if (code === "42501") return anonymous ? 401 : 403;
  if (code === "21000") return message.endsWith("requires a WHERE clause") ? 400 : 500;
  if (code === "22023" && message.startsWith("role") && message.endsWith("does not exist")) {
    return 401;
  }
  if (code.startsWith("PT")) {
    const status = Number(code.slice(2));
    return status >= 200 && status <= 599 ? status : 500;
  }
  return byState[code] ?? byClass[code.slice(0, 2)] ?? 400;
}

/** Turns whatever was thrown into an answer; `anonymous`: the request's role is that of nobody. */
export function asRestError(error: unknown, anonymous: boolean): RestError | null {
  if (error instanceof RestError) return error;
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

/** `raise sqlstate 'PGRST'` carries the whole answer as JSON in its message and detail. */
function raised(error: DatabaseError): RestError {
  const message = jsonObject(error.message);
  if (!message || typeof message.code !== "string" || typeof message.message !== "string") {
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
  return new RestError(
    status,
    message.code,
    message.message,
    message.details ?? null,
    typeof message.hint === "string" ? message.hint : null,
    detail.headers,
  );
}

const raiseRefused = (details: string, hint: string) =>
  new RestError(
    500,
    "PGRST121",
    `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
    details,
    hint,
  );

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

/** Whether HTTP can carry a header of this name and value. */
export function isHeader(name: string, value: unknown): value is string {
  try {
    return typeof value === "string" && new Headers([[name, value]]) !== null;
  } catch {
    return false;
  }
}
