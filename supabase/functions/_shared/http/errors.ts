import { PostgrestError } from "@supabase/postgrest-js";
import type { Context, ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Env } from "./env.ts";
import { isSecret } from "./needs.ts";

/** Every code an answer can carry, its status, and what it says where nobody says it better. */
const table = {
  INVALID_JSON: [400, "The body is not a JSON object."],
  NESTING_TOO_DEEP: [400, "The body is nested more than 10 levels deep."],
  INVALID_REQUEST: [400, "The request is malformed."],
  UNAUTHORIZED: [401, "Send a valid access token: Authorization: Bearer <token>."],
  TOKEN_EXPIRED: [401, "The access token has expired. Refresh it."],
  INVALID_CREDENTIALS: [401, "These credentials are not right."],
  FORBIDDEN: [403, "Your role may not do this."],
  NOT_FOUND: [404, "There is no such thing."],
  METHOD_NOT_ALLOWED: [405, "This address does not take that method."],
  CONFLICT: [409, "This contradicts what is already there."],
  PAYLOAD_TOO_LARGE: [413, "The body is larger than 1 MB."],
  VALIDATION_ERROR: [422, "A field is missing or wrong."],
  INVALID_TRANSITION: [422, "This move does not exist."],
  INSUFFICIENT_INVENTORY: [422, "There is not enough in stock."],
  PRICE_MISMATCH: [422, "The price is another one now."],
  MARKETPLACE_NOT_ACTIVE: [422, "The marketplace is not open."],
  SLOT_NOT_AVAILABLE: [422, "This slot cannot be booked any more."],
  LAST_ADMIN: [422, "A tenant keeps at least one active admin."],
  IDEMPOTENCY_KEY_REUSED: [422, "Another request was sent with this Idempotency-Key."],
  UNSUPPORTED_MEDIA: [422, "The library takes no such file."],
  TEMPLATE_ERROR: [422, "A text of this template cannot be rendered."],
  TEMPLATE_LIMIT: [422, "Rendering this page exceeds a limit."],
  LIMIT_REACHED: [422, "This is more than one may have."],
  RATE_LIMITED: [429, "Too many requests. Try again later."],
  INTERNAL_ERROR: [500, "Something went wrong on our side."],
  SERVICE_UNAVAILABLE: [503, "The database is away for a moment. Try again."],
  TIMEOUT: [504, "This took longer than 30 seconds and was stopped."],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof table;

export const ERROR_CODES = Object.keys(table) as [ErrorCode, ...ErrorCode[]];

/** A field to blame: its path in the body or query (`items[0].price`) and the value sent. */
export interface FieldError {
  field: string;
  value?: unknown;
  message?: string;
}

/** What the details of an error have beside its fields. */
export interface Beside {
  /** With LIMIT_REACHED: the cap's name and its value. With TEMPLATE_LIMIT: `limit` and `maximum`. */
  cap?: string;
  maximum?: number;
  /** With VALIDATION_ERROR on `size`: how many bytes there is still room for. */
  remaining?: number;
  /** With TEMPLATE_LIMIT: the name of the limit. */
  limit?: string;
  /** With TEMPLATE_ERROR: where the mistake is. */
  section?: string;
  block?: string;
  line?: number;
  column?: number;
  /** With wrong variables: each of them, even if it is the only one. */
  errors?: readonly FieldError[];
  /** With CONFLICT: what still uses the record that was to be deleted. */
  used_by?: readonly { type: string; id: string }[];
  /** With CONFLICT on a save: the newest version. */
  version_number?: number;
  /** With CONFLICT on a save or a merge: the values that both sides changed differently. */
  conflicts?: readonly { path: string; base: unknown; ours: unknown; theirs: unknown }[];
}

/** An error that the caller is told of. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: (typeof table)[ErrorCode][0];
  constructor(
    readonly code: ErrorCode,
    message?: string,
    /** The fields to blame, the first one first. */
    readonly fields: readonly FieldError[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
    readonly beside: Beside = {},
  ) {
    super(message ?? table[code][1]);
    this.status = table[code][0];
  }
}

/** Shapes whatever was thrown into the one error body, and logs what is our fault. */
export const answerError: ErrorHandler<Env> = (thrown, c) => {
  // Whatever a request that has taken too long ends with, it was the time that ended it.
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

/** Whoever sends a hundred thousand bad fields need not hear of each. */
const FIELDS_TOLD = 100;

function bodyOf(error: ApiError, c: Context<Env>) {
  const [first] = error.fields;
  if (!first) return { code: error.code, message: error.message, details: { ...error.beside } };
  const errors = error.fields.slice(0, FIELDS_TOLD).map(({ field, value, message }) => ({
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

/** What the caller sent in a field; null where it sent nothing, or something secret. */
function sentValue(c: Context<Env>, field: string): unknown {
  // Answers end up in logs.
  if (isSecret(field.split(/[.[]/)[0] as string)) return null;
  let value: unknown = c.get("body");
  for (const step of field.split(/[.[\]]+/).filter(Boolean)) {
    value =
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[step] : null;
  }
  const sent = value ?? c.req.query(field) ?? null;
  // Nor do the credentials in an address.
  return typeof sent === "string" ? sent.replace(/\/\/[^/?#\s]*@/, "//") : sent;
}

/** `["items", 0, "price"]` as people write it: `items[0].price`. */
export function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, i) =>
      typeof step === "number" ? `[${step}]` : `${i > 0 ? "." : ""}${String(step)}`,
    )
    .join("");
}

/** Fields that are wrong, each with its message; the first one's is the answer's too. */
export function wrongFields(fields: readonly FieldError[]): ApiError {
  const [first] = fields;
  // What is wrong with the whole is no field's fault.
  if (first?.field === "") return new ApiError("VALIDATION_ERROR", first.message);
  return new ApiError("VALIDATION_ERROR", `${first?.field}: ${first?.message}`, fields);
}

export const notJson = () =>
  new ApiError("INVALID_REQUEST", "Send JSON, with Content-Type: application/json.");

/** A service that the request needs is away, the database unless the message names another. The caller may retry soon. */
export const isAway = (message?: string) =>
  new ApiError("SERVICE_UNAVAILABLE", message, [], { "Retry-After": "1" });

/** What was thrown, in our words. */
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

/** SQL's conditions, and PostgREST's, in our words. */
function fromPostgres(error: PostgrestError): ApiError {
  if (error.code.startsWith("PT") && Object.hasOwn(table, error.message)) {
    const details = JSON.parse(error.details || "{}") as Partial<FieldError> & Beside;
    const { field, value, cap, maximum, remaining, used_by, version_number, limit } = details;
    return new ApiError(
      error.message as ErrorCode,
      error.hint ?? undefined,
      field === undefined ? [] : [{ field, value: value ?? undefined }],
      {},
      { cap, maximum, remaining, used_by, version_number, limit },
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
        return new ApiError("CONFLICT", "Something else still refers to this.");
      }
      // Foreign keys are named <table>_<column>_fkey.
      const [relation, constraint] = quoted(error.message);
      const field = constraint?.slice((relation?.length ?? 0) + 1).replace(/_fkey$/, "");
      return field?.endsWith("_id")
        ? new ApiError("NOT_FOUND", `There is nothing with this ${field}.`, blame(field))
        : new ApiError("VALIDATION_ERROR", `There is no such ${field}.`, blame(field));
    }
    case "23502": {
      const [field] = quoted(error.message);
      return new ApiError("VALIDATION_ERROR", `${field} is missing.`, blame(field));
    }
    case "23514": {
      // Check constraints are named <table>_<column>_is_<what it has to be>.
      const [relation, constraint] = quoted(error.message);
      const [field, rule] = constraint?.slice((relation?.length ?? 0) + 1).split("_is_") ?? [];
      return new ApiError(
        "VALIDATION_ERROR",
        rule && `${field} is not right: it has to be ${rule.replaceAll("_", " ")}.`,
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
      return new ApiError("VALIDATION_ERROR", "A value is of the wrong type or out of range.");
    case "40001":
    case "40P01":
    case "55P03":
      return new ApiError("CONFLICT", "Another request changed the same thing. Try again.");
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

/** The names in a message of Postgres, which alone tells them: details are withheld where RLS is on. */
function quoted(message: string): string[] {
  return [...message.matchAll(/"([^"]+)"/g)].map(([, name]) => name as string);
}

function blame(field: string | undefined): FieldError[] {
  return field === undefined ? [] : [{ field }];
}
