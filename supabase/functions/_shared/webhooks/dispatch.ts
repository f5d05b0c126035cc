import type { PostgrestClient } from "@supabase/postgrest-js";
import { environment } from "../http/environment.ts";
import { reasonNotToReach } from "./reach.ts";
import { signedHeaders } from "./sign.ts";

/** A claimed delivery, with what it takes to send it. */
interface Delivery {
  id: string;
  url: string;
  secret: string;
  event: string;
  body: string;
}

/** What came of an attempt; `error` is null when it was delivered. */
interface Attempt {
  id: string;
  response_code: number | null;
  error: string | null;
}

const BATCH = 50;
const ATTEMPT_TIMEOUT_MS = 10_000;
/** With the last batch's attempts, this stays below the 30 seconds a request may take. */
const CLAIMING_MS = 15_000;

/**
 * Sends what is due, a batch at a time, and answers how many attempts were made. What is left when
 * the time is over, or when this process dies, is due again for the next one.
 */
export async function dispatchDue(db: PostgrestClient): Promise<number> {
  const until = performance.now() + CLAIMING_MS;
  let made = 0;
  while (performance.now() < until) {
    const { data } = await db.rpc("claim_webhook_deliveries", { batch: BATCH }).throwOnError();
    const deliveries = data as Delivery[];
    if (deliveries.length === 0) return made;
    const attempts = await Promise.all(deliveries.map(attempt));
    await db.rpc("record_webhook_attempts", { attempts }).throwOnError();
    made += attempts.length;
  }
  return made;
}

/** Makes one attempt: 2xx within 10 seconds is success; a redirect is not followed, and is none. */
async function attempt(delivery: Delivery): Promise<Attempt> {
  const { id, url, body } = delivery;
  try {
    const reason = await reasonNotToReach(url, environment.webhooksMayReachLoopback);
    if (reason) return { id, response_code: null, error: reason };
    const response = await fetch(url, {
      method: "POST",
      headers: signedHeaders(delivery, new Date()),
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return {
      id,
      response_code: response.status,
      error: response.ok ? null : `the receiver answered ${response.status}`,
    };
  } catch (error) {
    const late = error instanceof DOMException && error.name === "TimeoutError";
    return {
      id,
      response_code: null,
      error: late
        ? "the receiver did not answer within 10 seconds"
        : "the receiver could not be reached",
    };
  }
}
