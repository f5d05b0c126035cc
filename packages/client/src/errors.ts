import type { ErrorCode } from "./openapi.generated.js";
import { readRetryAfter } from "./retry.js";

/** A field to blame: its path in the body or query (`items[0].price`) and the value that was sent. */
export interface FieldError {
  field: string;
  value: unknown;
  message?: string;
}

/** How much of something one may have: the cap's name, and its value. */
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

/** Thrown for every answer of the server that is not 2xx. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The server's word for it, `PRICE_MISMATCH`; `HTTP_502` where something before Souk answered. */
  readonly code: ErrorCode | `HTTP_${number}`;
  /** The HTTP status. */
  readonly status: number;
  /** The (first) field to blame; undefined where none is. */
  readonly field: string | undefined;
  /** What was sent in that field; null where nothing was, or something secret. */
  readonly value: unknown;
  /** Every field to blame, the first one first. */
  readonly errors: readonly FieldError[];
  /** Of `LIMIT_REACHED`, the cap that was, and how much it allows. */
  readonly cap: Cap | undefined;
  /** With `VALIDATION_ERROR` on `size`: how many bytes of media there is still room for. */
  readonly remaining: number | undefined;
  /** With `CONFLICT`: the records that use what was to be deleted. */
  readonly usedBy: readonly { type: string; id: string }[] | undefined;
  /** With `CONFLICT` on a save of content: the newest version. */
  readonly versionNumber: number | undefined;
  /** With `CONFLICT` on a save or a merge of content: the values that both sides changed differently. */
  readonly conflicts: readonly ContentConflict[] | undefined;
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;
  /** After how many seconds it is worth trying again, where the server says so. */
  readonly retryAfter: number | undefined;

  constructor(told: {
    code: ErrorCode | `HTTP_${number}`;
    message: string;
    status: number;
    errors?: readonly FieldError[];
    cap?: Cap;
    remaining?: number;
    usedBy?: readonly { type: string; id: string }[];
    versionNumber?: number;
    conflicts?: readonly ContentConflict[];
    requestId?: string;
    retryAfter?: number;
  }) {
    super(told.message);
    this.code = told.code;
    this.status = told.status;
    this.errors = told.errors ?? [];
    this.field = this.errors[0]?.field;
    this.value = this.errors[0]?.value;
    this.cap = told.cap;
    this.remaining = told.remaining;
    this.usedBy = told.usedBy;
    this.versionNumber = told.versionNumber;
    this.conflicts = told.conflicts;
    this.requestId = told.requestId;
    this.retryAfter = told.retryAfter;
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
      used_by?: { type: string; id: string }[];
      version_number?: number;
      conflicts?: ContentConflict[];
    };
  };
}

/** The error that an answer tells of. Reads its body. */
export async function readError(response: Response): Promise<ApiError> {
  const { status } = response;
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const retryAfterMs = readRetryAfter(response.headers.get("retry-after"));
  const retryAfter = retryAfterMs === undefined ? undefined : retryAfterMs / 1000;
  const body = parse(await response.text());
  if (!isErrorBody(body)) {
    const message = `The server answered ${status} ${response.statusText}`.trimEnd();
    return new ApiError({ code: `HTTP_${status}`, message, status, requestId, retryAfter });
  }
  const { code, message, details = {} } = body.error;
  const { field, value, errors = field === undefined ? [] : [{ field, value }] } = details;
  const { cap: name, maximum, remaining, used_by: usedBy } = details;
  const { version_number: versionNumber, conflicts } = details;
  const cap = name === undefined || maximum === undefined ? undefined : { name, maximum };
  const beside = { cap, remaining, usedBy, versionNumber, conflicts, requestId, retryAfter };
  return new ApiError({ code, message, status, errors, ...beside });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's page: the status has to say it all.
    return undefined;
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  const error = (body as Partial<ErrorBody> | null | undefined)?.error;
  return typeof error?.code === "string" && typeof error.message === "string";
}
