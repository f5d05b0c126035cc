import { checkedVectors, type Provider, ProviderError } from "./provider.ts";

interface Session {
  run(text: string, options: { mean_pool: boolean; normalize: boolean }): Promise<unknown>;
}

const MODEL = "gte-small";

/** The model inside the hosted platform's runtime. Throws if the runtime has none. */
export function supabaseProvider(): Provider {
  const { Supabase } = globalThis as {
    Supabase?: { ai?: { Session: new (model: string) => Session } };
  };
  if (!Supabase?.ai)
    throw new Error(
      "EMBEDDINGS_PROVIDER: this runtime has no built-in model; choose builtin or openai",
    );
  const session = new Supabase.ai.Session(MODEL);
  return {
    model: `supabase:${MODEL}`,
    // Vectors are made one after another, within the CPU time of one request.
    batch: 10,
    takingMs: 1_000,
    async embed(texts, signal) {
      const vectors: unknown[] = [];
      for (const text of texts) {
        signal.throwIfAborted();
        vectors.push(
          await session.run(text, { mean_pool: true, normalize: true }).catch(() => {
            throw new ProviderError("the model made no vector", true);
          }),
        );
      }
      return checkedVectors(vectors, texts.length);
    },
  };
}
