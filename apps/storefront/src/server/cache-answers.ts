/** Most answers that are kept. */
const LIMIT = 1000;

interface CachedAnswer {
  /** When the answer is outdated, in ms since 1970. A pending one is not. */
  until: number;
  answer: Promise<Answer>;
}

type Answer = { body: ArrayBuffer } & Pick<Response, "status" | "headers">;

/**
 * Fetches what visitors read, and keeps each answer as long as the API lets shared caches keep it. So the pages share
 * what they have in common, and requests that are sent at the same time are one.
 */
export function cacheAnswers(send: typeof fetch = fetch): typeof fetch {
  const cached = new Map<string, CachedAnswer>();

  function ask(key: string, request: Request): CachedAnswer {
    const asked: CachedAnswer = { until: Number.POSITIVE_INFINITY, answer: read(request) };
    cached.set(key, asked);
    asked.answer.then(
      ({ status, headers }) => {
        asked.until = status === 200 ? Date.now() + secondsIn(headers) * 1000 : 0;
      },
      () => {
        asked.until = 0;
      },
    );
    const [oldest] = cached.keys();
    if (cached.size > LIMIT && oldest !== undefined) cached.delete(oldest);
    return asked;
  }

  async function read(request: Request): Promise<Answer> {
    const response = await send(request);
    const { status, headers } = response;
    return { status, headers, body: await response.arrayBuffer() };
  }

  return async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== "GET") return send(request);
    const key = `${request.headers.get("x-souk-marketplace")} ${request.url}`;
    const known = cached.get(key);
    const { answer } = known && known.until > Date.now() ? known : ask(key, request);
    const { body, ...about } = await answer;
    return new Response(body, about);
  };
}

/** The seconds for which a shared cache may keep an answer. */
const secondsIn = (headers: Headers): number =>
  Number(/\bpublic, (?:s-maxage|max-age)=(\d+)/.exec(headers.get("cache-control") ?? "")?.[1] ?? 0);
