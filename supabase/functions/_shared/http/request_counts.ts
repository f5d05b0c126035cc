import { environment } from "./environment.ts";
import { ApiError, isAway } from "./errors.ts";

/** Who is counted: a user, by its role in a tenant; an address; the e-mail of a login. */
export type Subject =
  | { kind: "user"; user_id: string; tenant_id: string | null }
  | { kind: "address" | "login"; id: string };

/** How much of a minute a subject has used, this request included. */
export interface Count {
  /** When the minute began. */
  minute: string;
  /** Seconds. */
  resets_in: number;
  allowed: number;
  counted: number;
  /** Whether a user is an active member of the tenant. */
  member: boolean;
}

interface Waiting {
  subject: Subject;
  resolve: (count: Count) => void;
  reject: (error: unknown) => void;
}

/** From one counting call to the next, so that the many share one. Reading a row takes longer than that. */
const PACE_MS = 5;

let waiting: Waiting[] = [];
let counting = false;
let begun = 0;

/**
 * Counts a request in the database, where all instances count. Who comes soon after the last call
 * waits, and goes in the next one with all who come meanwhile: the busier it is, the fewer calls a
 * request costs.
 */
export function countRequest(subject: Subject): Promise<Count> {
  return new Promise((resolve, reject) => {
    waiting.push({ subject, resolve, reject });
    if (!counting) countWaiting();
  });
}

async function countWaiting(): Promise<void> {
  counting = true;
  while (waiting.length > 0) {
    const early = begun + PACE_MS - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    begun = performance.now();
    const group = waiting;
    waiting = [];
    try {
      const requests = group.map(({ subject }) => subject);
      const counts = (await callAsService("count_requests", { requests })) as Count[];
      group.forEach(({ resolve }, i) => {
        resolve(counts[i] as Count);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
  counting = false;
}

let known: Promise<string> | undefined;

/**
 * What a function's own requests to the database carry, so that they are not counted once more where those
 * to /rest/v1 are. It is asked for once.
 */
export function functionsKey(): Promise<string> {
  known ??= (callAsService("functions_key", {}) as Promise<string>).catch((error) => {
    known = undefined;
    throw error;
  });
  return known;
}

/** Throws RATE_LIMITED, saying when to come again, if there are more than a minute may hold. */
export function refuseTooMany({ allowed, counted, resets_in }: Count): void {
  if (counted > allowed) {
    throw new ApiError("RATE_LIMITED", undefined, [], { "Retry-After": String(resets_in) });
  }
}

/**
 * Runs an attempt that may fail so many times a minute. It counts as a failure until it has gone
 * well, so that many at once get no further than one after another. Errors: RATE_LIMITED.
 */
export async function limitFailures<T>(
  subject: Subject & { kind: "login" },
  attempt: () => Promise<T>,
): Promise<T> {
  const count = await countRequest(subject);
  const takeBack = () => callAsService("take_back_request", { ...subject, minute: count.minute });
  refuseTooMany(count);
  let result: T;
  try {
    result = await attempt();
  } catch (error) {
    // What went wrong on our side is nobody's failure.
    if (!(error instanceof ApiError && error.code === "INVALID_CREDENTIALS")) await takeBack();
    throw error;
  }
  await takeBack();
  return result;
}

/** Calls a function of the database past row-level security; the leanest way, since every request does. */
export async function callAsService(name: string, args: object): Promise<unknown> {
  const [key] = environment.secretKeys;
  const response = await fetch(`${environment.supabaseUrl}/rest/v1/rpc/${name}`, {
    method: "POST",
    headers: { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(args),
    signal: AbortSignal.timeout(environment.requestTimeoutMs),
  });
  const text = await response.text();
  if (response.status === 503 || response.status === 504) throw isAway();
  if (!response.ok) throw new Error(`requests cannot be counted: ${response.status} ${text}`);
  return text && JSON.parse(text);
}
