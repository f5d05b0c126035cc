import { ApiError } from "../http/errors.ts";
import { createRoutes } from "../http/routes.ts";
import { requireSecretKey } from "../http/worker.ts";
import { type LetterInput, makeLetter } from "./letter.ts";

/** Part of the function `render`. It renders previews of letters in a process of its own, because tenants write them. */
export const letterRenderer = createRoutes();

letterRenderer.post("/", async (c) => {
  requireSecretKey(c);
  const { error, ...letter } = await makeLetter(c.get("body") as unknown as LetterInput);
  // A preview shows the mistake, not the built-in letter.
  if (error !== null) throw new ApiError("TEMPLATE_ERROR", error);
  return c.json(letter, 200);
});
