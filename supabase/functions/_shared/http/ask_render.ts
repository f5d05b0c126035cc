import type { Context } from "hono";
import type { Env } from "./env.ts";
import { environment } from "./environment.ts";

/**
 * Sends a request to the function `render`, which does long work for other functions in a process of its own: it delays only
 * such work, not the API.
 */
export function askRender(
  c: Context<Env>,
  path: string,
  { headers, ...request }: { method: string; headers: Record<string, string>; body?: string },
): Promise<Response> {
  return fetch(`${environment.supabaseUrl}/functions/v1/render${path}`, {
    ...request,
    headers: { ...headers, "x-request-id": c.get("requestId") },
    signal: c.get("signal"),
  });
}

/** The same with JSON, and with the secret key that `requireSecretKey` checks. */
export const postToRender = (
  c: Context<Env>,
  path: string,
  work: object,
  headers: Record<string, string> = {},
): Promise<Response> =>
  askRender(c, path, {
    method: "POST",
    headers: {
      ...headers,
      apikey: environment.secretKeys[0],
      "content-type": "application/json",
    },
    body: JSON.stringify(work),
  });
