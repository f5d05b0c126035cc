import { createRoutes } from "../http/routes.ts";
import { requireSecretKey } from "../http/worker.ts";
import { refusalOf } from "../liquid/refusing.ts";
import { readOffsets } from "../liquid/zones.ts";
import { type MailInput, type MailTexts, renderOwnMail } from "./render_mail.ts";

/** Part of the function `render`. It renders previews of mails in a process of its own, because tenants write them. */
export const mailRenderer = createRoutes();

mailRenderer.post("/", async (c) => {
  requireSecretKey(c);
  const input = c.get("body") as unknown as MailInput & { own: MailTexts };
  const offsets = await readOffsets(input.timeZone);
  try {
    // A preview shows the mistake, not the built-in mail.
    return c.json(await renderOwnMail(input.own, { ...input, offsets }), 200);
  } catch (error) {
    throw refusalOf(error);
  }
});
