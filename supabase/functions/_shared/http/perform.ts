import { PostgrestError } from "@supabase/postgrest-js";
import type { Context } from "hono";
import type { Arguments, Env, FunctionName } from "./env.ts";
import { ApiError } from "./errors.ts";
import { needsOf } from "./needs.ts";

/** The result of `perform_once`: the function's answer, or its refusal as a PostgREST error. */
interface Outcome {
  answer?: unknown;
  refusal?: { code: string; message: string; details: string; hint: string };
  replayed: boolean;
}

/** Printable ASCII, because other characters in headers are decoded in different ways. */
const KEY = /^[ -~]{1,255}$/;

/**
 * Calls a function of the database as the caller and returns its result. Every POST that creates or charges something
 * uses it: with an `Idempotency-Key` the call is made once, and a repetition gets the first outcome, an answer or a
 * refusal. Errors: INVALID_REQUEST, IDEMPOTENCY_KEY_REUSED, CONFLICT while the first call is still running.
 */
export async function perform<Name extends FunctionName>(
  c: Context<Env>,
  name: Name,
  args: Arguments<Name>,
  /** Further headers of the database request. */
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: the route's schema defines the type.
): Promise<any> {
  if (!needsOf(c).once)
    throw new Error(`${c.req.path} calls perform() but does not declare \`once\``);
  const key = c.req.header("idempotency-key");
  // A key is kept for a user. What visitors send may be sent twice: events have ids, of an address one application waits, and
  // a second checkout reserves nothing.
  if (key === undefined || c.get("visit")) {
    const { data } = await withHeaders(c.get("db").rpc(name, args), headers).throwOnError();
    return data;
  }
  if (!KEY.test(key)) {
    throw new ApiError(
      "INVALID_REQUEST",
      "Idempotency-Key must have 1 to 255 printable ASCII characters.",
      [{ field: "Idempotency-Key", value: key }],
    );
  }
  const { data } = await withHeaders(
    c.get("db").rpc("perform_once", { key, operation: name as string, arguments: args }),
    headers,
  ).throwOnError();
  const { answer, refusal, replayed } = data as Outcome;
  if (replayed) c.header("Idempotency-Replayed", "true");
  if (refusal) throw new PostgrestError(refusal);
  return answer;
}

/** Whether `perform` returned the first outcome of a repeated request. */
export const wasReplayed = (c: Context<Env>): boolean => c.res.headers.has("Idempotency-Replayed");

function withHeaders<Call extends { setHeader(name: string, value: string): unknown }>(
  call: Call,
  headers: Record<string, string>,
): Call {
  for (const [name, value] of Object.entries(headers)) call.setHeader(name, value);
  return call;
}
