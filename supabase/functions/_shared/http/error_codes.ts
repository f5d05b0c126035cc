/** An error code. */
interface ErrorKind {
  status: number;
  /** The message of an error without a more exact one. */
  message: string;
  /** When it is thrown, in Markdown, for the table in docs/errors.md. */
  when: string;
}

/** Every error code. `npm run types` makes the tables in docs/errors.md of it. */
export const ERRORS = {
  INVALID_JSON: {
    status: 400,
    message: "The body is not a JSON object.",
    when: "the body is not JSON, or not an object",
  },
  NESTING_TOO_DEEP: {
    status: 400,
    message: "The body is nested more than 10 levels deep.",
    when: "more than 10 levels. In bodies of [content](content.md#how-much), the `content` of a block and a rich text each start a new count: 10 and 40. In bodies of [templates](templates.md), the `content` of each block and each `expression` do: 10",
  },
  INVALID_REQUEST: {
    status: 400,
    message: "The request is malformed.",
    when: "the request is malformed: a wrong content type, an invalid header, or a body that ends early",
  },
  UNAUTHORIZED: {
    status: 401,
    message: "Send a valid access token: Authorization: Bearer <token>.",
    when: "no token, an invalid one, or one that is not a user's",
  },
  TOKEN_EXPIRED: {
    status: 401,
    message: "The access token has expired. Refresh it.",
    when: "the access token has expired",
  },
  INVALID_CREDENTIALS: {
    status: 401,
    message: "The credentials are invalid. Check them and log in again.",
    when: "wrong e-mail or password, or an invalid refresh token",
  },
  FORBIDDEN: {
    status: 403,
    message: "Your role may not do this.",
    when: "the role may not do this, or the membership is gone",
  },
  NOT_FOUND: {
    status: 404,
    message: "There is no such record or endpoint.",
    when: "the record or endpoint does not exist, the id is not a UUID, or the record belongs to another tenant",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "This endpoint does not support the method. See the header Allow.",
    when: "the endpoint does not support the method; the header `Allow` lists the supported ones",
  },
  CONFLICT: {
    status: 409,
    message: "The request conflicts with an existing record.",
    when: "a unique value is taken; another record still refers to this one (`details.used_by`, when an asset of the [media library](media.md#permissions) is deleted); the first request with this `Idempotency-Key` is still running, or another request holds the record for [too long](limits.md#size-and-time): repeat it after the seconds in `Retry-After`; [content](content.md#saving) has a newer version: `details.version_number` is the newest, `details.conflicts` has the values that both sides changed differently, `{path, base, ours, theirs}`; a [checkout](checkout.md) has another total: `details.quote`",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: "The body is larger than 1 MB. Send less at once.",
    when: "the body is over 1 MB (1,048,576 bytes)",
  },
  VALIDATION_ERROR: {
    status: 422,
    message: "A field is missing or invalid.",
    when: "a field or a query parameter is unknown or missing, has the wrong type, is out of range, or contains a [forbidden character](limits.md#size-and-time)",
  },
  INVALID_TRANSITION: {
    status: 422,
    message: "The status cannot change this way.",
    when: "the status cannot change this way",
  },
  INSUFFICIENT_INVENTORY: {
    status: 422,
    message: "There is not enough stock. Send a smaller quantity.",
    when: "the stock is too small",
  },
  PRICE_MISMATCH: {
    status: 422,
    message: "The price has changed. Read the product again.",
    when: "`price` is not the current price",
  },
  DISCOUNT_NOT_APPLICABLE: {
    status: 422,
    message: "A discount code does not apply to this order. Leave it out.",
    when: "a code of a discount does not apply; `details.reason` says why",
  },
  MARKETPLACE_NOT_ACTIVE: {
    status: 422,
    message: "The marketplace is not active.",
    when: "the marketplace is not active, so it takes no orders",
  },
  SLOT_NOT_AVAILABLE: {
    status: 422,
    message: "This slot is not available. Choose one of the free slots.",
    when: "the slot of a service is taken, in the past, or not in its calendar",
  },
  NOTHING_DUE: {
    status: 422,
    message: "Nothing is due to this supplier.",
    when: "no due lines of the supplier add up to more than 0 in any [currency](payouts.md#payouts)",
  },
  LAST_ADMIN: {
    status: 422,
    message: "A tenant must have an active admin. Appoint another one first.",
    when: "the change would leave the tenant without an active admin",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "Another request was sent with this Idempotency-Key. Send a new key.",
    when: "another request was sent with this `Idempotency-Key`",
  },
  UNSUPPORTED_MEDIA: {
    status: 422,
    message: "The media library does not accept this file.",
    when: "a file that the [media library](media.md#file-types) does not accept: an unsupported type, a broken file, or not the announced one",
  },
  TEMPLATE_ERROR: {
    status: 422,
    message: "A text of this template cannot be rendered.",
    when: "a text of a [template](templates.md) that cannot be rendered safely; `details` have `section`, `block`, `line`, `column`",
  },
  TEMPLATE_LIMIT: {
    status: 422,
    message: "Rendering this page exceeds a limit.",
    when: "rendering a page exceeds a [limit](template-pages.md#limits-of-a-page); `details.limit` names it, `details.maximum` is its value",
  },
  LIMIT_REACHED: {
    status: 422,
    message: "The request exceeds a cap on the number of records.",
    when: "a cap is reached; `details.cap` names the [cap](limits.md#how-much-one-may-have), `details.maximum` is its value",
  },
  RATE_LIMITED: {
    status: 429,
    message: "Too many requests. Try again later.",
    when: "too many requests in this minute; `Retry-After` has the seconds to wait ([limits](limits.md))",
  },
  INTERNAL_ERROR: {
    status: 500,
    message: "An internal error occurred. Try again later.",
    when: "an internal error",
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: "The database is temporarily unavailable. Try again.",
    when: "the database is unavailable or restarts, or a [payment provider](payments.md#stripe) does not answer; `Retry-After` has the seconds to wait. With an `Idempotency-Key` a POST can be repeated safely",
  },
  TIMEOUT: {
    status: 504,
    message:
      "The request took longer than 30 seconds and was stopped. Send less at once, or try again later.",
    when: "the request took over 30 seconds, or a [statement](limits.md#size-and-time) over 8 seconds",
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];
