/** How often and how patiently a call is repeated. */
export interface RetryOptions {
  /** How many times after the first attempt; 0 turns repeating off. Default 3. */
  times?: number;
  /** Milliseconds before the first repetition; doubled for each one after it. Default 250. */
  firstWaitMs?: number;
  /** No wait is longer; a server that asks for more is not asked again. Default 60,000. */
  maxWaitMs?: number;
  /** Told before each wait: for how long, and what for. What it throws ends the call. */
  onWait?(wait: Wait): void;
}

/** A call that is about to be repeated. */
export interface Wait {
  waitMs: number;
  /** How many times it was repeated before. */
  repeated: number;
  /** What the server answered (429, 5xx); undefined where no answer came. */
  status: number | undefined;
  method: string;
  url: string;
}

type Fetch = (request: Request) => Promise<Response>;

/**
 * Fetches, and repeats what was refused for the moment (429), and what the server (5xx) or the network
 * failed at, if that is safe to do twice. Rejects when the request is aborted.
 */
export async function fetchPatiently(
  request: Request,
  fetch: Fetch,
  { times = 3, firstWaitMs = 250, maxWaitMs = 60_000, onWait }: RetryOptions = {},
): Promise<Response> {
  /** Whether an attempt may have been carried out although nobody said so. */
  let inDoubt = false;
  for (let repeated = 0; ; repeated += 1) {
    const isLast = repeated >= times;
    // Callers that failed together should not come back together.
    const jitter = Math.random();
    let waitMs = Math.min(firstWaitMs * 2 ** repeated, maxWaitMs) * (0.5 + jitter / 2);
    let status: number | undefined;
    try {
      const response = await fetch(isLast ? request : request.clone());
      if (isDoneAlready(request, response, inDoubt)) return new Response(null, { status: 204 });
      if (isLast || !isWorthRepeating(request, response, inDoubt)) return response;
      const askedMs = readRetryAfter(response.headers.get("retry-after"));
      if (askedMs !== undefined && askedMs > maxWaitMs) return response;
      if (askedMs !== undefined) waitMs = askedMs + firstWaitMs * jitter;
      status = response.status;
      await response.body?.cancel();
      inDoubt ||= response.status >= 500;
    } catch (error) {
      // Fetch tells of a failed connection by a TypeError.
      const hasFailed = error instanceof TypeError && !request.signal.aborted;
      if (isLast || !hasFailed || !isSafeToRepeat(request)) throw error;
      inDoubt = true;
    }
    onWait?.({ waitMs, repeated, status, method: request.method, url: request.url });
    await pause(waitMs, request.signal);
  }
}

function isWorthRepeating(request: Request, { status }: Response, inDoubt: boolean): boolean {
  // Refused before anything was done.
  if (status === 429) return true;
  if (!isSafeToRepeat(request)) return false;
  // The attempt before, which seemed to have failed, is still being carried out.
  return status >= 500 || (inDoubt && status === 409 && request.method === "POST");
}

/**
 * Whether a call comes to the same when it is carried out twice. PUT sets what it set before; a POST
 * with a key is carried out once. PATCH adds to a stock, or moves an order on: that cannot be repeated.
 */
function isSafeToRepeat({ method, headers }: Request): boolean {
  return method === "POST" ? headers.has("idempotency-key") : method !== "PATCH";
}

/** Deleted by an attempt whose answer was lost, so that this one finds nothing more to delete. */
function isDoneAlready({ method }: Request, { status }: Response, inDoubt: boolean): boolean {
  return inDoubt && method === "DELETE" && status === 404;
}

/** Milliseconds that Retry-After asks for, in seconds or as a date; undefined when it does not say. */
export function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Waits so many milliseconds. Rejects with the signal's reason if it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
