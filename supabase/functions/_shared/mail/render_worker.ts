import { createRoutes } from "../http/routes.ts";
import { requireSecretKey } from "../http/worker.ts";
import { refusalOf } from "../liquid/refusing.ts";
import { readOffsets } from "../liquid/zones.ts";
import { type LetterInput, type LetterTexts, ownLetter } from "./letter.ts";

/** Part of the function `render`. It renders previews of letters in a process of its own, because tenants write them. */
export const letterRenderer = createRoutes();

letterRenderer.post("/", async (c) => {
  requireSecretKey(c);
  const input = c.get("body") as unknown as LetterInput & { own: LetterTexts };
  const offsets = await readOffsets(input.timeZone);
  try {
    // A preview shows the mistake, not the built-in letter.
    return c.json(await ownLetter(input.own, { ...input, offsets }), 200);
  } catch (error) {
    throw refusalOf(error);
  }
});
