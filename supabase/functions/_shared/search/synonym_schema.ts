import { z } from "@hono/zod-openapi";

const terms = z
  .array(z.string().min(1).max(100))
  .min(2)
  .max(20)
  .openapi({
    description:
      "Words or phrases. They are stored in lower case and without accents. Terms that differ only in case, accents or punctuation are duplicates, and the first is kept.",
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
    description: "A group of terms. A search for one of them finds the products of all of them.",
  });
