import { secondsToWait } from "../values/retry_after.ts";
import { type Answer, HungUp, NoAnswer } from "./answer.ts";
import { connect, waitingConnection } from "./connections.ts";
import { destinationOf, type Resolve } from "./reach.ts";
import { type Signable, signedHeaders } from "./sign.ts";

/** A delivery with everything that sending it needs. */
export interface Outgoing extends Signable {
  url: string;
}

/** The outcome of an attempt. */
export interface Outcome {
  started_at: string;
  duration_ms: number;
  /** Null if no complete response arrived. */
  response_code: number | null;
  /** The first 1024 bytes of the response, as text. */
  response_body: string | null;
  /** The wait that a 429 or 503 asked for, at most an hour. */
  retry_after_seconds: number | null;
  /** The reason in words, without secrets; null exactly if the response was 2xx. */
  error: string | null;
}

/** Options for tests. Production uses the defaults. */
export interface SendOptions {
  timeoutMs?: number;
  resolve?: Resolve;
  mayReachLoopback?: boolean;
}

const TIMEOUT_MS = 10_000;
const BODY_BYTES = 1024;

/**
 * Makes one attempt at a delivery. Only a 2xx within 10 seconds is success; redirects are not followed. The host's name is
 * looked up once, all its addresses are checked, and one of them is connected to.
 */
export async function send(outgoing: Outgoing, options: SendOptions = {}): Promise<Outcome> {
  const startedAt = new Date();
  const began = performance.now();
  const ended = await within(options.timeoutMs ?? TIMEOUT_MS, (signal) =>
    attempt(outgoing, startedAt, options, signal),
  ).catch((error) => {
    if (error instanceof NoAnswer) return noAnswer(error.message);
    throw error;
  });
  return {
    started_at: startedAt.toISOString(),
    duration_ms: Math.round(performance.now() - began),
    ...ended,
  };
}

type Ended = Omit<Outcome, "started_at" | "duration_ms">;

async function attempt(
  outgoing: Outgoing,
  now: Date,
  { resolve, mayReachLoopback }: SendOptions,
  signal: AbortSignal,
): Promise<Ended> {
  const destination = await destinationOf(outgoing.url, resolve, mayReachLoopback);
  if ("refusal" in destination) return noAnswer(destination.refusal);
  signal.throwIfAborted();
  const { url, addresses } = destination;
  const post = {
    path: url.pathname + url.search,
    headers: { ...signedHeaders(outgoing, now), "Accept-Encoding": "identity" },
    body: outgoing.body,
  };

  const waiting = waitingConnection(url, addresses);
  if (waiting) {
    try {
      return answered(await waiting.exchange(post, signal), now);
    } catch (error) {
      // It was closed while the request was sent. A repetition is safe: the receiver knows the delivery by its id.
      if (!(error instanceof HungUp) || signal.aborted) throw error;
    }
  }
  const connection = await connect(url, addresses, signal);
  return answered(await connection.exchange(post, signal), now);
}

/** Runs work with a timeout. The signal then closes what the work holds open. */
async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const reason = new NoAnswer(`the receiver did not answer within ${ms / 1000} seconds`);
      reject(reason);
      limit.abort(reason);
    }, ms);
  });
  try {
    return await Promise.race([late, work(limit.signal)]);
  } finally {
    clearTimeout(timer);
  }
}

function noAnswer(error: string): Ended {
  return { response_code: null, response_body: null, retry_after_seconds: null, error };
}

function answered({ status, retryAfter, start }: Answer, now: Date): Ended {
  return {
    response_code: status,
    response_body: textOf(start),
    retry_after_seconds: status === 429 || status === 503 ? secondsToWait(retryAfter, now) : null,
    error: status >= 200 && status < 300 ? null : `the receiver answered ${status}`,
  };
}

/** The text of the first bytes: at most as many bytes, and without characters that Postgres cannot store. */
function textOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return "";
  const text = new TextDecoder().decode(bytes, { stream: true }).replaceAll("\0", "\ufffd");
  const cut = new Uint8Array(BODY_BYTES);
  const { written } = new TextEncoder().encodeInto(text, cut);
  return new TextDecoder().decode(cut.subarray(0, written));
}
