import type { ErrorCode } from "./openapi.generated.js";
import { readRetryAfter } from "./retry.js";

/** A refused field: its path in the body or query (`items[0].price`) and its value. */
export interface FieldError {
  field: string;
  value: unknown;
  message?: string;
}

/** A limit: its name and its maximum. */
export interface Cap {
  name: string;
  maximum: number;
}

/** A value that two saves, or two branches, changed differently. */
export interface ContentConflict {
  /** `title.en`, `seo.title`, `blocks.hero.content.title`. */
  path: string;
  /** The value before both changes. */
  base: unknown;
  /** The value on the server. */
  ours: unknown;
  /** The value that was sent, or that the other branch has. */
  theirs: unknown;
}

/** Thrown for every response of the server that is not 2xx. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The error code, `PRICE_MISMATCH`; `HTTP_502` if another server, such as a proxy, answered. */
  readonly code: ErrorCode | `HTTP_${number}`;
  /** The HTTP status. */
  readonly status: number;
  /** The first refused field; undefined if none is. */
  readonly field: string | undefined;
  /** The value that was sent in that field; null if there was none, or it is secret. */
  readonly value: unknown;
  /** All refused fields, in order. */
  readonly errors: readonly FieldError[];
  /** With `LIMIT_REACHED`: the limit. */
  readonly cap: Cap | undefined;
  /** With `VALIDATION_ERROR` on `size`: the bytes of media that are still available. */
  readonly remaining: number | undefined;
  /** With `VALIDATION_ERROR` on `delivery_method`: the keys of the methods that deliver the order. */
  readonly deliveryMethods: readonly string[] | undefined;
  /** With `CONFLICT` on the `total` of a checkout: its fields from `items` to `messages`, as they are now. */
  readonly quote: Readonly<Record<string, unknown>> | undefined;
  /** With `CONFLICT`: the records that use the record to be deleted. */
  readonly usedBy: readonly { type: string; id: string }[] | undefined;
  /** With `CONFLICT` on a save of content: the newest version. */
  readonly versionNumber: number | undefined;
  /** With `CONFLICT` on a save or a merge of content: the values that both sides changed differently. */
  readonly conflicts: readonly ContentConflict[] | undefined;
  /** The id of the request in the server's log. */
  readonly requestId: string | undefined;
  /** Seconds after which to retry, if the server says so. */
  readonly retryAfter: number | undefined;

  constructor(init: {
    code: ErrorCode | `HTTP_${number}`;
    message: string;
    status: number;
    errors?: readonly FieldError[];
    cap?: Cap;
    remaining?: number;
    deliveryMethods?: readonly string[];
    quote?: Readonly<Record<string, unknown>>;
    usedBy?: readonly { type: string; id: string }[];
    versionNumber?: number;
    conflicts?: readonly ContentConflict[];
    requestId?: string;
    retryAfter?: number;
  }) {
    super(init.message);
    this.code = init.code;
    this.status = init.status;
    this.errors = init.errors ?? [];
    this.field = this.errors[0]?.field;
    this.value = this.errors[0]?.value;
    this.cap = init.cap;
    this.remaining = init.remaining;
    this.deliveryMethods = init.deliveryMethods;
    this.quote = init.quote;
    this.usedBy = init.usedBy;
    this.versionNumber = init.versionNumber;
    this.conflicts = init.conflicts;
    this.requestId = init.requestId;
    this.retryAfter = init.retryAfter;
  }
}

interface ErrorBody {
  error: {
    code: ErrorCode;
    message: string;
    details?: {
      field?: string;
      value?: unknown;
      errors?: FieldError[];
      cap?: string;
      maximum?: number;
      remaining?: number;
      delivery_methods?: string[];
      quote?: Record<string, unknown>;
      used_by?: { type: string; id: string }[];
      version_number?: number;
      conflicts?: ContentConflict[];
    };
  };
}

/** Creates the error of a response. Reads its body. */
export async function readError(response: Response): Promise<ApiError> {
  const { status } = response;
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const retryAfterMs = readRetryAfter(response.headers.get("retry-after"));
  const retryAfter = retryAfterMs === undefined ? undefined : retryAfterMs / 1000;
  const body = parse(await response.text());
  if (isTokenErrorBody(body)) {
    const code = body.error === "invalid_client" ? "INVALID_CREDENTIALS" : "INVALID_REQUEST";
    return new ApiError({ code, message: body.error_description, status, requestId, retryAfter });
  }
  if (!isErrorBody(body)) {
    const message = `The server answered ${status} ${response.statusText}`.trimEnd();
    return new ApiError({ code: `HTTP_${status}`, message, status, requestId, retryAfter });
  }
  const { code, message, details = {} } = body.error;
  const { field, value, errors = field === undefined ? [] : [{ field, value }] } = details;
  const {
    cap: name,
    maximum,
    remaining,
    delivery_methods: deliveryMethods,
    quote,
    used_by: usedBy,
  } = details;
  const { version_number: versionNumber, conflicts } = details;
  const cap = name === undefined || maximum === undefined ? undefined : { name, maximum };
  const refused = { cap, remaining, deliveryMethods, quote, usedBy, versionNumber, conflicts };
  return new ApiError({ code, message, status, errors, ...refused, requestId, retryAfter });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // For example a proxy's error page: only the status is used.
    return undefined;
  }
}

/** An error of `auth.token`, which has the shape of OAuth 2.0. */
interface TokenErrorBody {
  error: string;
  error_description: string;
}

function isTokenErrorBody(body: unknown): body is TokenErrorBody {
  const { error, error_description } = (body ?? {}) as Partial<TokenErrorBody>;
  return typeof error === "string" && typeof error_description === "string";
}

function isErrorBody(body: unknown): body is ErrorBody {
  const error = (body as Partial<ErrorBody> | null | undefined)?.error;
  return typeof error?.code === "string" && typeof error.message === "string";
}
