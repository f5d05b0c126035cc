import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { postToRender } from "../http/ask_render.ts";
import type { Env } from "../http/env.ts";
import type { MailInput } from "./render_mail.ts";
import { samplesOf } from "./samples.ts";
import type { mailRendering } from "./schema.ts";

/** An e-mail template to preview, with its tenant and marketplace. */
interface Preview extends Pick<MailInput, "key" | "own" | "tenant" | "marketplace"> {
  time_zone: string;
}

/**
 * The answer of the function `render`, which renders a mail in its own process, so that a slow text delays only other
 * previews: the mail, or its refusal: TEMPLATE_ERROR, TEMPLATE_LIMIT.
 */
export function previewAnswer(
  c: Context<Env>,
  { time_zone, ...preview }: Preview,
  { variables, language }: Omit<z.infer<typeof mailRendering>, "marketplace_id">,
): Promise<Response> {
  const input: MailInput = {
    ...preview,
    timeZone: time_zone,
    languages: [language, preview.marketplace?.language].filter((tag) => tag !== undefined),
    variables: { ...samplesOf(preview.key), ...variables },
    unsubscribeUrl: null,
  };
  return postToRender(c, "/mails", input);
}

/** An answer of `previewAnswer` as the response. */
export const passOn = (c: Context<Env>, { body, status }: Response) =>
  c.newResponse(body, status as 200, { "Content-Type": "application/json" }) as never;
