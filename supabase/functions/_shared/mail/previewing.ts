import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import type { LetterWish } from "./letter.ts";
import { samplesOf } from "./samples.ts";
import type { letterWish } from "./schema.ts";

/** An e-mail template as it is looked at, with whose it is. */
interface Preview extends Pick<LetterWish, "key" | "own" | "tenant" | "marketplace"> {
  time_zone: string;
}

/**
 * A letter, made by the function `render` and answered as it comes: whatever a text takes, nobody but those who look at
 * such texts waits for it. Errors: TEMPLATE_ERROR, TEMPLATE_LIMIT.
 */
export async function renderedLetter(
  c: Context<Env>,
  { time_zone, ...preview }: Preview,
  { variables, language }: Omit<z.infer<typeof letterWish>, "marketplace_id">,
): Promise<never> {
  const wish: LetterWish = {
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
    body: JSON.stringify(wish),
    signal: c.get("signal"),
  });
  return c.newResponse(response.body, response.status as 200, {
    "Content-Type": "application/json",
  }) as never;
}
