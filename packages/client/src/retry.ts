/** How often and how patiently a refused call is repeated. */
export interface RetryOptions {
  /** How many times after the first attempt; 0 turns repeating off. Default 3. */
  times?: number;
  /** Milliseconds before the first repetition; doubled for each one after it. Default 250. */
  firstWaitMs?: number;
  /** No wait is longer; a server that asks for more is not asked again. Default 60,000. */
  longestWaitMs?: number;
}

type Fetch = (request: Request) => Promise<Response>;

/** Fetches, and repeats what was refused for the moment only. Rejects when the request is aborted. */
export async function fetchPatiently(
  request: Request,
  fetch: Fetch,
  { times = 3, firstWaitMs = 250, longestWaitMs = 60_000 }: RetryOptions = {},
): Promise<Response> {
  for (let repeated = 0; ; repeated += 1) {
    const response = await fetch(request.clone());
    if (repeated >= times || !isWorthRepeating(request.method, response.status)) return response;
    const backOffMs = Math.min(firstWaitMs * 2 ** repeated, longestWaitMs);
    // Callers that were refused together should not come back together.
    const jitter = Math.random();
    const askedMs = readRetryAfter(response.headers.get("retry-after"));
    if (askedMs !== undefined && askedMs > longestWaitMs) return response;
    await response.body?.cancel();
    await pause(
      askedMs === undefined ? backOffMs * (0.5 + jitter / 2) : askedMs + firstWaitMs * jitter,
      request.signal,
    );
  }
}

/** A 429 was refused before anything was done; after a 5xx only reading is safe to repeat. */
function isWorthRepeating(method: string, status: number): boolean {
  return status === 429 || (method === "GET" && [502, 503, 504].includes(status));
}

/** Milliseconds that Retry-After asks for, in seconds or as a date; undefined when it does not say. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
