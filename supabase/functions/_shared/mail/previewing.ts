import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import type { LetterInput } from "./letter.ts";
import { samplesOf } from "./samples.ts";
import type { letterRendering } from "./schema.ts";

/** An e-mail template to preview, with its tenant and marketplace. */
interface Preview extends Pick<LetterInput, "key" | "own" | "tenant" | "marketplace"> {
  time_zone: string;
}

/**
 * Returns a letter that the function `render` renders in its own process, so that a slow text delays only other
 * previews. Errors: TEMPLATE_ERROR, TEMPLATE_LIMIT.
 */
export async function renderedLetter(
  c: Context<Env>,
  { time_zone, ...preview }: Preview,
  { variables, language }: Omit<z.infer<typeof letterRendering>, "marketplace_id">,
): Promise<never> {
  const input: LetterInput = {
    ...preview,
    timeZone: time_zone,
    languages: [language, preview.marketplace?.language].filter((tag) => tag !== undefined),
    variables: { ...samplesOf(preview.key), ...variables },
    unsubscribeUrl: null,
  };
  const response = await fetch(`${environment.supabaseUrl}/functions/v1/render/letters`, {
    method: "POST",
    headers: {
      apikey: environment.secretKeys[0],
      "content-type": "application/json",
      "x-request-id": c.get("requestId"),
    },
    body: JSON.stringify(input),
    signal: c.get("signal"),
  });
  return c.newResponse(response.body, response.status as 200, {
    "Content-Type": "application/json",
  }) as never;
}
