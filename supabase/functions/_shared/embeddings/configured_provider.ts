import process from "node:process";
import { z } from "@hono/zod-openapi";
import { openaiProvider } from "./openai_provider.ts";
import type { Provider } from "./provider.ts";
import { supabaseProvider } from "./supabase_provider.ts";

const QUERY_TIMEOUT_MS = 5_000;

const settings = z.discriminatedUnion("EMBEDDINGS_PROVIDER", [
  z.object({ EMBEDDINGS_PROVIDER: z.literal("builtin") }),
  z.object({ EMBEDDINGS_PROVIDER: z.literal("supabase") }),
  z.object({
    EMBEDDINGS_PROVIDER: z.literal("openai"),
    EMBEDDINGS_URL: z.url({ protocol: /^https?$/ }).default("https://api.openai.com/v1"),
    EMBEDDINGS_API_KEY: z.string().min(1),
    EMBEDDINGS_MODEL: z.string().min(1).max(100).default("text-embedding-3-small"),
  }),
]);

/** The provider that the environment names. Throws if the settings are invalid; the message holds no value of them. */
export function chooseProvider(environment: Record<string, string | undefined>): Provider {
  const { EMBEDDINGS_PROVIDER = "builtin" } = environment;
  const read = settings.safeParse({ ...environment, EMBEDDINGS_PROVIDER });
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  const chosen = read.data;
  switch (chosen.EMBEDDINGS_PROVIDER) {
    case "openai":
      return openaiProvider({
        url: chosen.EMBEDDINGS_URL,
        key: chosen.EMBEDDINGS_API_KEY,
        model: chosen.EMBEDDINGS_MODEL,
      });
    case "supabase":
      return supabaseProvider();
    default:
      return { model: "builtin", batch: 100, takingMs: 20_000 };
  }
}

let chosen: Provider | undefined;

/** The provider of this process. Throws as `chooseProvider` does. */
export function configuredProvider(): Provider {
  chosen ??= chooseProvider(process.env);
  return chosen;
}

/**
 * The vector of a search text in the form of `private.products_meant`: after the name of its model. Null if the database
 * makes it itself, or if the provider fails; then only the words are searched.
 */
export async function queryEmbedding(text: string): Promise<string | null> {
  try {
    const { model, embed } = configuredProvider();
    if (!embed) return null;
    const [vector] = await embed([text], AbortSignal.timeout(QUERY_TIMEOUT_MS));
    return `${model} [${vector}]`;
  } catch (error) {
    console.error(JSON.stringify({ embeddings: String(error) }));
    return null;
  }
}
