import type { Context } from "hono";
import { postToRender } from "../http/ask_render.ts";
import type { Env } from "../http/env.ts";
import { tokenOf } from "../http/tokens.ts";
import { MARKETPLACE, VISITOR } from "../http/visits.ts";
import type { RenderContext } from "./inputs.ts";

/** A request for a page. */
export interface PageRequest {
  /** The id of a template, or a page type. */
  id: string;
  variables: Record<string, unknown>;
  context: RenderContext;
}

/** A rendered page as the function `render` returns it, and how long it may be kept. */
export interface MadePage {
  /** JSON. It is passed on unparsed, because parsing and writing it costs more than looking up a kept page. */
  text: string;
  key: string;
  isPersonal: boolean;
  /** In seconds. */
  memory: number;
  cdn: number;
}

/** Headers between this function and `render`. */
export const HEADERS = {
  caller: "x-souk-caller",
  /** Whose requests the sources of the page count with, as JSON. */
  subject: "x-souk-subject",
  key: "x-souk-page-key",
  personal: "x-souk-page-personal",
  memory: "x-souk-page-memory",
  cdn: "x-souk-page-cdn",
} as const;

/**
 * Lets the function `render` render a page for the caller. A page that takes long delays only other pages, not the API.
 * Errors of `render` are passed on unchanged.
 */
export async function handOver(
  c: Context<Env>,
  request: PageRequest,
): Promise<MadePage | Response> {
  const token = tokenOf(c);
  const { marketplace, visitor } = c.get("visit") ?? {};
  const response = await postToRender(c, "", request, {
    ...(token !== undefined && { [HEADERS.caller]: token }),
    [HEADERS.subject]: JSON.stringify(c.get("subject")),
    ...(marketplace !== undefined && { [MARKETPLACE]: marketplace }),
    ...(visitor !== undefined && { [VISITOR]: visitor }),
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
