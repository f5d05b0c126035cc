import type { Context } from "hono";
import { sameText } from "../values/same_text.ts";
import type { Env, Subject } from "./env.ts";
import { environment } from "./environment.ts";
import { ApiError, isAway } from "./errors.ts";

/** The count of a subject in the current minute, including this request. */
export interface Count {
  /** Start of the minute. */
  minute: string;
  /** Seconds until the minute ends. */
  resets_in: number;
  allowed: number;
  counted: number;
}

/** The result of counting a request. */
export interface Counted extends Count {
  /** Whether a user is an active member of the tenant. See caller.ts. */
  member: boolean;
}

interface Waiting {
  subject: Subject;
  cost: number;
  isUrgent: boolean;
  resolve: (count: Counted) => void;
  reject: (error: unknown) => void;
}

/** Shortest time between two counting calls, in milliseconds, so that requests share a call. Reading a row takes longer. */
const MIN_INTERVAL_MS = 5;
/** The same if nobody waits for the counts. */
const RELAXED_INTERVAL_MS = 250;

let waiting: Waiting[] = [];
let counting = false;
let begun = 0;
let hasten = () => {};

/**
 * Counts a request in the database, which all instances share. Requests that arrive soon after a call wait and go into
 * the next one together. So the cost per request falls with the load. cost: the number of requests that it counts as; 0
 * only reads the count. isUrgent: whether the response waits for the count.
 */
export function countRequest(subject: Subject, cost = 1, isUrgent = true): Promise<Counted> {
  return new Promise((resolve, reject) => {
    waiting.push({ subject, cost, isUrgent, resolve, reject });
    if (isUrgent) hasten();
    if (!counting) countWaiting();
  });
}

/** Time until the next counting call is due, in milliseconds. */
function untilDue(): number {
  const isUrgent = waiting.some((request) => request.isUrgent);
  return begun + (isUrgent ? MIN_INTERVAL_MS : RELAXED_INTERVAL_MS) - performance.now();
}

/** Pauses, at most until an urgent request arrives. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    hasten = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

async function countWaiting(): Promise<void> {
  counting = true;
  while (waiting.length > 0) {
    for (let early = untilDue(); early > 0; early = untilDue()) await pause(early);
    begun = performance.now();
    const group = waiting;
    waiting = [];
    try {
      const requests = group.map(({ subject, cost }) => ({ ...subject, cost }));
      const counts = (await callAsService("count_requests", { requests })) as Counted[];
      group.forEach(({ resolve }, i) => {
        resolve(counts[i] as Counted);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
  counting = false;
}

/** The header with the key of the functions, in their own requests. */
export const COUNTED = "x-souk-counted";

/** Whether a request comes from a function, and is counted as part of another one. */
export async function isCounted(c: Context<Env>): Promise<boolean> {
  const sent = c.req.header(COUNTED);
  return sent !== undefined && sameText(sent, await functionsKey());
}

let known: Promise<string> | undefined;

/**
 * The key in the functions' own requests to the database, so that they are not counted again as requests to /rest/v1. It
 * is read once per instance.
 */
export function functionsKey(): Promise<string> {
  known ??= (callAsService("functions_key", {}) as Promise<string>).catch((error) => {
    known = undefined;
    throw error;
  });
  return known;
}

/** Number of records of an answer that count as one request. */
const RECORDS_PER_REQUEST = 100;

/** The number of requests that an answer with this number of records counts as. */
export const costOf = (records: number): number =>
  Math.max(1, Math.ceil(records / RECORDS_PER_REQUEST));

/**
 * Throws RATE_LIMITED with `Retry-After` if the minute was used up before the request. A request of any cost begins while
 * there is something left.
 */
export function refuseTooMany({ allowed, counted, resets_in }: Count, cost = 1): void {
  if (cost > 0 && counted - cost >= allowed) {
    throw new ApiError("RATE_LIMITED", undefined, [], { "Retry-After": String(resets_in) });
  }
}

/**
 * Runs an attempt whose failures per minute are limited. It counts as a failure until it succeeds, so that parallel
 * attempts have the same limit as sequential ones. Errors: RATE_LIMITED.
 */
export async function limitFailures<T>(
  subject: Subject & { kind: "login" },
  attempt: () => Promise<T>,
): Promise<T> {
  const count = await countRequest(subject);
  const takeBack = () => callAsService("take_back_request", { ...subject, minute: count.minute });
  let result: T;
  try {
    refuseTooMany(count);
    result = await attempt();
  } catch (error) {
    // Neither an internal error nor a refusal before the attempt is the caller's failure.
    if (!(error instanceof ApiError && error.code === "INVALID_CREDENTIALS")) await takeBack();
    throw error;
  }
  await takeBack();
  return result;
}

/** Calls a function of the database with the service key. It avoids postgrest-js, because every request uses it. */
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
