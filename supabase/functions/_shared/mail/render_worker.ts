import { ApiError } from "../http/errors.ts";
import { createRoutes } from "../http/routes.ts";
import { insistOnSecretKey } from "../http/worker.ts";
import { type LetterWish, makeLetter } from "./letter.ts";

/** Where the function `api` has letters made that somebody looks at: in a process of their own, since strangers write them. */
export const letterRenderer = createRoutes();

letterRenderer.post("/", async (c) => {
  insistOnSecretKey(c);
  const { error, ...letter } = await makeLetter(c.get("body") as unknown as LetterWish);
  // Who looks at its own text is not shown the one that is built in.
  if (error !== null) throw new ApiError("TEMPLATE_ERROR", error);
  return c.json(letter, 200);
});
