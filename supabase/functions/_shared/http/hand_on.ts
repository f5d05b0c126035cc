import type { Context } from "hono";
import { databaseFor } from "./authenticate.ts";
import type { Arguments, Env, FunctionName } from "./env.ts";

/**
 * Calls a function of the database as the caller and streams its result to the response without parsing it. Parsing,
 * checking and writing a long response costs more than the rest of the request. So the function must return exactly
 * what the route describes; tests check that.
 */
export async function handOn<Name extends FunctionName>(
  c: Context<Env>,
  name: Name,
  args: Arguments<Name>,
  // biome-ignore lint/suspicious/noExplicitAny: the route's schema defines the type.
): Promise<any> {
  let returned: ReadableStream<Uint8Array> | null = null;
  const db = databaseFor(c, async (input, init) => {
    const response = await fetch(input, init);
    // Errors are parsed.
    if (!response.ok) return response;
    returned = response.body;
    return new Response(null, { status: 204 });
  });
  await db.rpc(name, args).throwOnError();
  return c.newResponse(returned, 200, { "Content-Type": "application/json" });
}
