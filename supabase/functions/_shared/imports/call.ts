import { databaseAs } from "../http/authenticate.ts";
import type { Arguments, FunctionName } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import { ApiError } from "../http/errors.ts";

/**
 * Calls a function of the database as the caller. A stream makes many calls, and each has its own timeout of a request.
 * Errors: TIMEOUT.
 */
export async function callDatabase<Name extends FunctionName>(
  token: string,
  name: Name,
  args: Arguments<Name>,
  /** See sourceOf in http/authenticate.ts. */
  source: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the type of the function's result.
): Promise<any> {
  const signal = AbortSignal.timeout(environment.requestTimeoutMs);
  try {
    const { data } = await databaseAs(token, signal, fetch, source).rpc(name, args).throwOnError();
    return data;
  } catch (error) {
    throw signal.aborted ? new ApiError("TIMEOUT") : error;
  }
}
