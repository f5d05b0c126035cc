import { z } from "@hono/zod-openapi";
import { secondsToWait } from "../values/retry_after.ts";
import { checkedVectors, DIMENSIONS, type Provider, ProviderError } from "./provider.ts";

const TIMEOUT_MS = 30_000;

const answer = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.unknown() })),
});

/**
 * A service with OpenAI's embeddings API. `url` is the address without `/embeddings`. The request asks for vectors of 384
 * dimensions, which the model must support.
 */
export function openaiProvider({
  url,
  key,
  model,
}: {
  url: string;
  key: string;
  model: string;
}): Provider {
  const address = `${url.replace(/\/+$/, "")}/embeddings`;
  return {
    model: `openai:${model}`,
    batch: 64,
    takingMs: 20_000,
    async embed(texts, signal) {
      const response = await fetch(address, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({
          model,
          input: texts,
          dimensions: DIMENSIONS,
          encoding_format: "float",
        }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        redirect: "error",
      }).catch((error) => {
        const late = (error as Error).name === "TimeoutError";
        throw new ProviderError(
          late ? "the provider did not answer in time" : "the provider could not be reached",
        );
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new ProviderError(
          `the provider answered ${response.status}`,
          [400, 413, 422].includes(response.status),
          secondsToWait(response.headers.get("retry-after")),
        );
      }
      const read = answer.safeParse(await response.json().catch(() => null));
      if (!read.success) throw new ProviderError("the provider's answer has no vectors");
      const { data } = read.data;
      const ordered = data.every(({ index }) => index !== undefined)
        ? data.toSorted((a, b) => Number(a.index) - Number(b.index))
        : data;
      return checkedVectors(
        ordered.map(({ embedding }) => embedding),
        texts.length,
      );
    },
  };
}
