import { PostgrestError } from "@supabase/postgrest-js";
import type { Context, ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Env } from "./env.ts";
import { ERRORS, type ErrorCode } from "./error_codes.ts";
import { isSecret } from "./needs.ts";

/** An invalid field: its path in the body or query (`items[0].price`) and the value sent. */
export interface FieldError {
  field: string;
  value?: unknown;
  message?: string;
}

/** Further entries of an error's `details`. */
export interface Beside {
  /** With LIMIT_REACHED: the cap's name and its value. With TEMPLATE_LIMIT: `limit` and `maximum`. */
  cap?: string;
  maximum?: number;
  /** With VALIDATION_ERROR on `size`: the number of bytes that are still free. */
  remaining?: number;
  /** With VALIDATION_ERROR on `delivery_method`: the keys of the methods that deliver the order. */
  delivery_methods?: readonly string[];
  /** With DISCOUNT_NOT_APPLICABLE: why the code does not apply. */
  reason?: string;
  /** With CONFLICT on `total`: what the checkout costs now. */
  quote?: Readonly<Record<string, unknown>>;
  /** With TEMPLATE_LIMIT: the name of the limit. */
  limit?: string;
  /** With TEMPLATE_ERROR: the position of the mistake. */
  section?: string;
  block?: string;
  line?: number;
  column?: number;
  /** With invalid variables: all of them, even if there is only one. */
  errors?: readonly FieldError[];
  /** With CONFLICT: the records that still use the record to delete. */
  used_by?: readonly { type: string; id: string }[];
  /** With CONFLICT on a save: the newest version. */
  version_number?: number;
  /** With CONFLICT on a save or a merge: the values that both sides changed differently. */
  conflicts?: readonly { path: string; base: unknown; ours: unknown; theirs: unknown }[];
}

/** An error whose code and message the caller receives. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: (typeof ERRORS)[ErrorCode]["status"];
  constructor(
    readonly code: ErrorCode,
    message?: string,
    /** The invalid fields. The first one is the main one. */
    readonly fields: readonly FieldError[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
    readonly beside: Beside = {},
  ) {
    super(message ?? ERRORS[code].message);
    this.status = ERRORS[code].status;
  }
}

/** Turns anything thrown into the error body, and logs internal errors. */
export const answerError: ErrorHandler<Env> = (thrown, c) => {
  // After the timeout every error is a consequence of the aborted request.
  const error = c.get("signal")?.aborted ? new ApiError("TIMEOUT") : toApiError(thrown);
  if (error.status === 500) {
    console.error(
      JSON.stringify({
        request_id: c.get("requestId"),
        error: thrown.stack ?? String(thrown),
        cause: causeOf(thrown),
      }),
    );
  }
  return c.json({ error: bodyOf(error, c) }, error.status, { ...error.headers });
};

/** Largest number of invalid fields in a response. */
const MAX_FIELDS = 100;

function bodyOf(error: ApiError, c: Context<Env>) {
  const [first] = error.fields;
  if (!first) return { code: error.code, message: error.message, details: { ...error.beside } };
  const errors = error.fields.slice(0, MAX_FIELDS).map(({ field, value, message }) => ({
    field,
    value: value === undefined ? sentValue(c, field) : value,
    ...(message === undefined ? {} : { message }),
  }));
  const { field, value } = errors[0] as FieldError;
  return {
    code: error.code,
    message: error.message,
    details: { field, value, ...error.beside, ...(errors.length > 1 ? { errors } : {}) },
  };
}

/** The value that the caller sent in a field; null if it sent none, or if the field is secret. */
function sentValue(c: Context<Env>, field: string): unknown {
  // Responses are logged, so they must not hold secrets.
  if (isSecret(field.split(/[.[]/)[0] as string)) return null;
  let value: unknown = c.get("body");
  for (const step of field.split(/[.[\]]+/).filter(Boolean)) {
    value =
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[step] : null;
  }
  const sent = value ?? c.req.query(field) ?? null;
  // Credentials inside an address are removed, too.
  return typeof sent === "string" ? sent.replace(/\/\/[^/?#\s]*@/, "//") : sent;
}

/** An error with invalid fields and their messages. The first field's message is the error's message. */
export function wrongFields(fields: readonly FieldError[]): ApiError {
  const [first] = fields;
  // An empty path means the whole body or query, not a field.
  if (first?.field === "") return new ApiError("VALIDATION_ERROR", first.message);
  return new ApiError("VALIDATION_ERROR", `${first?.field}: ${first?.message}`, fields);
}

export const notJson = () =>
  new ApiError("INVALID_REQUEST", "Send JSON, with Content-Type: application/json.");

/** Asks the caller to repeat the request. */
const SOON = { "Retry-After": "1" };

/** The error for an unavailable service: the database, or the service that `message` names. The caller may retry soon. */
export const isAway = (message?: string) => new ApiError("SERVICE_UNAVAILABLE", message, [], SOON);

/** The error while another request holds a record. The caller may retry soon. */
export const isHeld = (message: string) => new ApiError("CONFLICT", message, [], SOON);

/** Translates anything thrown into an ApiError. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof PostgrestError) return fromPostgres(thrown);
  if (thrown instanceof HTTPException && thrown.status === 400) return new ApiError("INVALID_JSON");
  if (thrown instanceof HTTPException && thrown.status === 415) return notJson();
  return new ApiError("INTERNAL_ERROR");
}

function causeOf(thrown: unknown) {
  return thrown instanceof PostgrestError
    ? { code: thrown.code, details: thrown.details }
    : undefined;
}

/** The details of a refusal of the database. With `retry`, it lasts only as long as another request. */
type Details = Partial<FieldError> & Beside & { retry?: true };

/** Translates error codes of SQL and PostgREST into our codes. */
function fromPostgres(error: PostgrestError): ApiError {
  if (error.code.startsWith("PT") && Object.hasOwn(ERRORS, error.message)) {
    const details = JSON.parse(error.details || "{}") as Details;
    const { field, value, errors } = details;
    const { cap, maximum, remaining, delivery_methods, reason, quote } = details;
    const { used_by, version_number, limit } = details;
    const fields = errors ?? (field === undefined ? [] : [{ field, value }]);
    return new ApiError(
      error.message as ErrorCode,
      error.hint ?? undefined,
      fields.map((one) => ({ ...one, value: one.value ?? undefined })),
      details.retry ? SOON : {},
      { cap, maximum, remaining, delivery_methods, reason, quote, used_by, version_number, limit },
    );
  }
  switch (error.code) {
    case "23505":
    case "23P01": {
      // Unique constraints are named <column>_is_unique_in_<table>.
      const field = quoted(error.message).at(-1)?.split("_is_unique_in_")[0];
      return new ApiError("CONFLICT", `This ${field} is taken.`, blame(field));
    }
    case "23503": {
      if (error.message.startsWith("update or delete")) {
        return new ApiError("CONFLICT", "Another record still refers to this one.");
      }
      // Foreign keys are named <table>_<column>_fkey.
      const [relation, constraint] = quoted(error.message);
      const field = constraint?.slice((relation?.length ?? 0) + 1).replace(/_fkey$/, "");
      return field?.endsWith("_id")
        ? new ApiError("NOT_FOUND", `There is no record with this ${field}.`, blame(field))
        : new ApiError("VALIDATION_ERROR", `There is no such ${field}.`, blame(field));
    }
    case "23502": {
      const [field] = quoted(error.message);
      return new ApiError("VALIDATION_ERROR", `${field} is missing.`, blame(field));
    }
    case "23514": {
      // Check constraints are named <table>_<column>_is_<the rule>.
      const [relation, constraint] = quoted(error.message);
      const [field, rule] = constraint?.slice((relation?.length ?? 0) + 1).split("_is_") ?? [];
      return new ApiError(
        "VALIDATION_ERROR",
        rule && `${field} must be ${rule.replaceAll("_", " ")}.`,
        blame(field),
      );
    }
    case "22001":
    case "22003":
    case "22007":
    case "22008":
    case "22021":
    case "22P02":
    case "22P05":
      return new ApiError("VALIDATION_ERROR", "A value has the wrong type or is out of range.");
    case "40001":
    case "40P01":
    case "55P03":
      return new ApiError(
        "CONFLICT",
        "Another request changed the same record. Try again.",
        [],
        SOON,
      );
    case "42501":
      return new ApiError("FORBIDDEN");
    case "53300":
    case "57P01":
    case "57P02":
    case "57P03":
    case "PGRST000":
    case "PGRST001":
    case "PGRST002":
    case "PGRST003":
      return isAway();
    case "57014":
      return new ApiError("TIMEOUT");
    case "PGRST116":
      return new ApiError("NOT_FOUND");
    case "PGRST301":
    case "PGRST302":
      return new ApiError("UNAUTHORIZED");
    case "PGRST303":
      return new ApiError("TOKEN_EXPIRED");
    default:
      return new ApiError("INTERNAL_ERROR");
  }
}

/** The quoted names in a message of Postgres. Only the message has them: with RLS on, Postgres withholds the details. */
function quoted(message: string): string[] {
  return [...message.matchAll(/"([^"]+)"/g)].map(([, name]) => name as string);
}

function blame(field: string | undefined): FieldError[] {
  return field === undefined ? [] : [{ field }];
}
