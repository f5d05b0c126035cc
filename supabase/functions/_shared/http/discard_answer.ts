import type { Context } from "hono";

/** Discards the response of a handler that ran before the request was refused. An error response may then replace it. */
export async function discardAnswer(c: Context): Promise<void> {
  await c.res.body?.cancel();
  // Hono keeps the headers of the discarded response. Caches must not keep the refusal, or take it for the record.
  for (const name of ["content-length", "cache-control", "etag"]) c.res.headers.delete(name);
}
