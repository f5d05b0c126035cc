import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { DatabaseAway, RETRY_AFTER } from "../db/away.js";
import { isDatabaseError } from "../db/database.js";
import type { Log } from "../log.js";

/**
 * An error response of Supabase Auth: HTTP status, error code (`email_exists`, …; null if the
 * response has none) and message.
 */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string | null,
    message: string,
    readonly more: {
      /** The error of Postgres that caused the refusal. */
      cause?: unknown;
      /** Why a password is weak. */
      reasons?: string[];
    } = {},
  ) {
    super(message);
    this.name = "Refusal";
  }
}

/** The end of a message about a feature that this stack lacks: says where to find it. */
export const NOT_HERE =
  "not in the local stack: try it on a hosted project or with the Supabase CLI's `supabase start`";

/**
 * Refuses a feature that this stack lacks, with the answer of a hosted project that has it switched
 * off.
 */
export const notHere = (status: number, code: string, message: string) =>
  new Refusal(status, code, `${message} (${NOT_HERE})`);

export const noPhone = (status: number, message: string) =>
  notHere(status, "phone_provider_disabled", message);

export const emailExists = () =>
  new Refusal(422, "email_exists", "A user with this email address has already been registered");

const API_VERSION_HEADER = "x-supabase-api-version";
const FIRST_VERSION_WITH_CODES = "2024-01-01";
/**
 * SQLSTATEs raised by database functions whose message is shown to clients older than error codes.
 */
const SHOWN_TO_OLD_CLIENTS = /^(P0001|23(000|001|502|503|505|514|P01))$/;

/** Returns the innermost cause of a refusal. */
function causeOf(error: unknown): unknown {
  return error instanceof Refusal && error.more.cause ? causeOf(error.more.cause) : error;
}

function unforeseen(cause: unknown): Refusal {
  // Auth clients treat a 503 as a network failure and keep their session.
  return cause instanceof DatabaseAway
    ? new Refusal(503, "unexpected_failure", "The database is unavailable: try again in a moment", {
        cause,
      })
    : new Refusal(
        500,
        "unexpected_failure",
        "Unexpected failure, please check server logs for more information",
        { cause },
      );
}

/** Turns an error into the response of Supabase Auth for the caller's API version. */
export function answerRefusal(error: unknown, c: Context, log: Log): Response {
  const away = causeOf(error) instanceof DatabaseAway;
  const refusal = error instanceof Refusal && !away ? error : unforeseen(causeOf(error));
  const { status, message, more } = refusal;
  const code = refusal.code ?? (status === 500 ? "unexpected_failure" : "unknown");
  const answer = (body: object, as = status) => c.json(body, as as ContentfulStatusCode);

  const errorId = status >= 500 ? randomUUID() : undefined;
  if (errorId) {
    const { cause } = more;
    log.error(
      `${c.req.method} ${c.req.path}: ${message} (error_id ${errorId})`,
      cause instanceof Error ? cause : undefined,
    );
  }
  if (away) c.header("retry-after", RETRY_AFTER);
  if (refusal.code) c.header("x-sb-error-code", refusal.code);
  const weak = more.reasons && { weak_password: { reasons: more.reasons } };

  const asked = c.req.header(API_VERSION_HEADER) ?? "";
  if (/^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= FIRST_VERSION_WITH_CODES) {
    c.header(API_VERSION_HEADER, FIRST_VERSION_WITH_CODES);
    return answer({ code, message, ...weak });
  }
  if (isDatabaseError(more.cause)) {
    const { code: sqlState, message: raised, hint, detail } = more.cause;
    const own = /^PT([45]\d\d)$/.exec(sqlState)?.[1];
    if (own || SHOWN_TO_OLD_CLIENTS.test(sqlState)) {
      const details = { ...(hint && { hint }), ...(detail && { detail }) };
      return answer({ code: sqlState, message: raised, ...details }, Number(own ?? 500));
    }
  }
  return answer({ code: status, error_code: code, msg: message, error_id: errorId, ...weak });
}
