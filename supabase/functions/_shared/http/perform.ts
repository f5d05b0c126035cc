import type { Context } from "hono";
import type { Door } from "./door.ts";

/**
 * Calls a function of the database as the caller and answers what it returns. Everything that a POST
 * creates or charges goes through here.
 */
export async function perform(
  c: Context<Door>,
  name: string,
  args: Record<string, unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: the route's schema says what it is.
): Promise<any> {
  const { data } = await c.get("db").rpc(name, args).throwOnError();
  return data;
}
