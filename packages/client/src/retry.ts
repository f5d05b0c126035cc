/** Options for repeating calls. */
export interface RetryOptions {
  /** Number of repetitions after the first attempt; 0 turns them off. Default 3. */
  times?: number;
  /** Milliseconds before the first repetition, doubled before each further one. Default 250. */
  firstWaitMs?: number;
  /**
   * Maximum wait in ms. If the server asks for a longer one, the call is not repeated. Default
   * 60,000.
   */
  maxWaitMs?: number;
  /**
   * Called before each wait, with its duration and reason. If it throws, the call ends with that
   * error.
   */
  onWait?(wait: Wait): void;
}

/** A wait before a repetition. */
export interface Wait {
  waitMs: number;
  /** Number of previous repetitions. */
  repeated: number;
  /** The status of the response (409, 429, 5xx); undefined if there was none. */
  status: number | undefined;
  method: string;
  url: string;
}

type Fetch = (request: Request) => Promise<Response>;

/**
 * Fetches, and repeats calls that were refused temporarily (429, 409 with Retry-After), and those that
 * failed on the server (5xx) or in the network if repeating is safe. Rejects when the request is
 * aborted.
 */
export async function fetchPatiently(
  request: Request,
  fetch: Fetch,
  { times = 3, firstWaitMs = 250, maxWaitMs = 60_000, onWait }: RetryOptions = {},
): Promise<Response> {
  /** Whether an earlier attempt may have been carried out although its response is missing. */
  let inDoubt = false;
  for (let repeated = 0; ; repeated += 1) {
    const isLast = repeated >= times;
    // Spreads the repetitions of callers that failed at the same moment.
    const jitter = Math.random();
    let waitMs = Math.min(firstWaitMs * 2 ** repeated, maxWaitMs) * (0.5 + jitter / 2);
    let status: number | undefined;
    try {
      const response = await fetch(isLast ? request : request.clone());
      if (isDoneAlready(request, response, inDoubt)) return new Response(null, { status: 204 });
      if (isLast || !isWorthRepeating(request, response)) return response;
      const askedMs = readRetryAfter(response.headers.get("retry-after"));
      if (askedMs !== undefined && askedMs > maxWaitMs) return response;
      if (askedMs !== undefined) waitMs = askedMs + firstWaitMs * jitter;
      status = response.status;
      await response.body?.cancel();
      inDoubt ||= response.status >= 500;
    } catch (error) {
      // Fetch reports a failed connection as a TypeError.
      const hasFailed = error instanceof TypeError && !request.signal.aborted;
      if (isLast || !hasFailed || !isSafeToRepeat(request)) throw error;
      inDoubt = true;
    }
    onWait?.({ waitMs, repeated, status, method: request.method, url: request.url });
    await pause(waitMs, request.signal);
  }
}

function isWorthRepeating(request: Request, { status, headers }: Response): boolean {
  // It was refused before anything was done. A 409 with Retry-After: another request holds the record or
  // the same Idempotency-Key.
  if (status === 429 || (status === 409 && headers.has("retry-after"))) return true;
  return status >= 500 && isSafeToRepeat(request);
}

/**
 * Whether repeating a call has the same result. PUT sets the same value again; a POST with a key is
 * carried out once.
 * PATCH may add to a stock or move an order on, so it cannot be repeated.
 */
function isSafeToRepeat({ method, headers }: Request): boolean {
  return method === "POST" ? headers.has("idempotency-key") : method !== "PATCH";
}

/**
 * Whether an attempt whose response was lost deleted the record, so that this one does not find it.
 */
function isDoneAlready({ method }: Request, { status }: Response, inDoubt: boolean): boolean {
  return inDoubt && method === "DELETE" && status === 404;
}

/**
 * Parses Retry-After, in seconds or as a date, to milliseconds; undefined if it is missing or
 * invalid.
 */
export function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Waits for `ms` milliseconds. Rejects with the signal's reason if it is aborted. */
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
