import type { Context } from "hono";
import { databaseAs } from "./authenticate.ts";
import type { Arguments, Env, FunctionName } from "./env.ts";

/**
 * Calls a function of the database as the caller and answers with what it returns, unread: to read a long
 * answer, check it and write it again costs more than all else that its request does here. So the function
 * returns all of what the route describes, and the tests hold it to that.
 */
export async function handOn<Name extends FunctionName>(
  c: Context<Env>,
  name: Name,
  args: Arguments<Name>,
  // biome-ignore lint/suspicious/noExplicitAny: the route's schema says what it is.
): Promise<any> {
  let returned: ReadableStream<Uint8Array> | null = null;
  const db = databaseAs(c.get("caller").token, c.get("signal"), async (input, init) => {
    const response = await fetch(input, init);
    // What went wrong is read.
    if (!response.ok) return response;
    returned = response.body;
    return new Response(null, { status: 204 });
  });
  await db.rpc(name, args).throwOnError();
  return c.newResponse(returned, 200, { "Content-Type": "application/json" });
}
