import { PostgrestError } from "@supabase/postgrest-js";
import type { Context } from "hono";
import type { Arguments, Env, FunctionName } from "./env.ts";
import { ApiError } from "./errors.ts";
import { needsOf } from "./needs.ts";

/** What `perform_once` answers: the function's answer, or its refusal as PostgREST words errors. */
interface Outcome {
  answer?: unknown;
  refusal?: { code: string; message: string; details: string; hint: string };
  replayed: boolean;
}

/** Of ASCII: what a header can hold without being read in two ways. */
const KEY = /^[ -~]{1,255}$/;

/**
 * Calls a function of the database as the caller and answers what it returns. Everything that a POST
 * creates or charges goes through here: with an `Idempotency-Key` the call is made once, and whoever
 * repeats it gets what came of it the first time, be it an answer or a refusal.
 * Errors: INVALID_REQUEST, IDEMPOTENCY_KEY_REUSED, CONFLICT while it is still running.
 */
export async function perform<Name extends FunctionName>(
  c: Context<Env>,
  name: Name,
  args: Arguments<Name>,
  /** What the database is told of the request besides. */
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: the route's schema says what it is.
): Promise<any> {
  if (!needsOf(c).once) throw new Error(`${c.req.path} performs what it does not declare`);
  const key = c.req.header("idempotency-key");
  if (key === undefined) {
    const { data } = await withHeaders(c.get("db").rpc(name, args), headers).throwOnError();
    return data;
  }
  if (!KEY.test(key)) {
    throw new ApiError(
      "INVALID_REQUEST",
      "An idempotency key is 1 to 255 printable characters of ASCII.",
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

function withHeaders<Call extends { setHeader(name: string, value: string): unknown }>(
  call: Call,
  headers: Record<string, string>,
): Call {
  for (const [name, value] of Object.entries(headers)) call.setHeader(name, value);
  return call;
}
