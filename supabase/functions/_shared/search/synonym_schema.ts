import { z } from "@hono/zod-openapi";

const terms = z
  .array(z.string().min(1).max(100))
  .min(2)
  .max(20)
  .openapi({
    description:
      "Words or phrases. They are kept in lower case and without accents; of those that differ in case, accents or punctuation alone, the first.",
    example: ["sofa", "couch", "settee"],
  });

export const newSearchSynonyms = z.object({ terms }).openapi("NewSearchSynonyms");

export const searchSynonyms = z
  .object({
    id: z.guid(),
    terms: z.array(z.string()).openapi({ description: "In lower case, without accents." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("SearchSynonyms", {
    description: "Terms of which a search for one finds what any of them finds.",
  });
