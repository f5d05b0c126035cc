import { Client } from "undici";

export interface Wanted<Body = string> {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: Body;
}

export interface Measured {
  /** Answers per second. */
  rate: number;
  /** Milliseconds from sending to the last byte. */
  p50: number;
  p99: number;
}

/**
 * Asks `origin` over `connections` sockets, each with one request under way, for `seconds`. Throws
 * at the first answer that is not `status`: a server that refuses quickly is not a fast one.
 */
export async function load(
  origin: string,
  wanted: (count: number) => Wanted<string | Buffer>,
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
          const bytes = await answer.body.arrayBuffer();
          if (answer.statusCode !== status) {
            const text = Buffer.from(bytes).toString();
            throw new Error(`${origin} answered ${answer.statusCode}, not ${status}: ${text}`);
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
