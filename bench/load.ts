import { Client } from "undici";

export interface Wanted {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

export interface Measured {
  /** Answers per second. */
  rate: number;
  /** Milliseconds from sending to the last byte. */
  p50: number;
  p99: number;
}

/**
 * Sends requests to `origin` over `connections` sockets, each with one request in flight, for `seconds`. Throws at the
 * first answer with a status other than `status`, because refusals would be faster.
 */
export async function load(
  origin: string,
  wanted: (count: number) => Wanted,
  { connections, seconds, status }: { connections: number; seconds: number; status: number },
): Promise<Measured> {
  const took: number[] = [];
  let count = 0;
  const begun = performance.now();
  const until = begun + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Client(origin);
      try {
        while (performance.now() < until) {
          const sent = performance.now();
          const answer = await client.request(wanted(count++));
          const body = Buffer.from(await answer.body.arrayBuffer());
          if (answer.statusCode !== status) {
            throw new Error(`${origin} answered ${answer.statusCode}, not ${status}: ${body}`);
          }
          took.push(performance.now() - sent);
        }
      } finally {
        await client.close();
      }
    }),
  );
  const elapsed = performance.now() - begun;
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor((took.length - 1) * share)] as number;
  return { rate: took.length / (elapsed / 1000), p50: at(0.5), p99: at(0.99) };
}
