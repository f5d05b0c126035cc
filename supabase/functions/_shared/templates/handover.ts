import type { Context } from "hono";
import { tokenOf } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import type { RenderContext } from "./inputs.ts";

/** A page that somebody asks for. */
export interface PageWish {
  /** Of a template, or a type of page. */
  id: string;
  variables: Record<string, unknown>;
  context: RenderContext;
}

/** A page that was made, as the function `render` answers it, and how it may be kept. */
export interface MadePage {
  /** JSON, unread: to read a page and write it again costs more than to find it. */
  text: string;
  key: string;
  isPersonal: boolean;
  /** Seconds. */
  memory: number;
  cdn: number;
}

/** How the function `render` tells what is no part of a page. */
export const HEADERS = {
  caller: "x-souk-caller",
  key: "x-souk-page-key",
  personal: "x-souk-page-personal",
  memory: "x-souk-page-memory",
  cdn: "x-souk-page-cdn",
} as const;

/**
 * Has a page made by the function `render`, as the caller: whatever a template takes, nobody but those who look at such
 * pages waits for it. What that function refuses is answered as it is.
 */
export async function handOver(c: Context<Env>, wish: PageWish): Promise<MadePage | Response> {
  const token = tokenOf(c);
  const response = await fetch(`${environment.supabaseUrl}/functions/v1/render`, {
    method: "POST",
    headers: {
      apikey: environment.secretKeys[0],
      "content-type": "application/json",
      "x-request-id": c.get("requestId"),
      ...(token !== undefined && { [HEADERS.caller]: token }),
    },
    body: JSON.stringify(wish),
    signal: c.get("signal"),
  });
  const text = await response.text();
  if (!response.ok) {
    return c.newResponse(text, response.status as 422, { "Content-Type": "application/json" });
  }
  const { headers } = response;
  return {
    text,
    key: headers.get(HEADERS.key) ?? "",
    isPersonal: headers.get(HEADERS.personal) !== "false",
    memory: Number(headers.get(HEADERS.memory)),
    cdn: Number(headers.get(HEADERS.cdn)),
  };
}
