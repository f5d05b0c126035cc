import type { Context } from "hono";

/** Discards the response of a handler that ran before the request was refused. An error response may then replace it. */
export async function discardAnswer(c: Context): Promise<void> {
  await c.res.body?.cancel();
  c.res.headers.delete("content-length");
}
