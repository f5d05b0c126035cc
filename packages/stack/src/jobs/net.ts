import type { Database } from "../db/database.js";
import type { Log } from "../log.js";
import { type HttpRequest, type HttpResponse, sendRequest } from "./request.js";

const BATCH = 200;
const POLL_MS = 10_000;

/**
 * Sends the committed rows of `net.http_request_queue` like pg_net: in batches of 200 concurrent
 * requests, with the answers of a batch stored in one statement. Each request is sent at most once.
 * No transaction is open while requests are in flight.
 */
export async function runNet(
  db: Database,
  gateway: string,
  log: Log,
): Promise<() => Promise<void>> {
  let working: Promise<void> | null = null;
  let again = false;
  const closing = new AbortController();

  const dequeue = () =>
    db.query<HttpRequest>(
      `with batch as (
         select id from net.http_request_queue order by id limit ${BATCH} for update skip locked
       )
       delete from net.http_request_queue q using batch where q.id = batch.id
       returning q.id, q.method::text as method, q.url, q.headers, encode(q.body, 'base64') as body,
         q.timeout_milliseconds`,
    );

  const store = (answers: HttpResponse[]) =>
    db.query(
      `insert into net._http_response
         (id, status_code, content_type, headers, content, timed_out, error_msg)
       select id, status_code, content_type, headers, content, timed_out, error_msg
       from jsonb_to_recordset($1::text::jsonb) as answer (
         id bigint, status_code int, content_type text, headers jsonb, content text,
         timed_out boolean, error_msg text
       )`,
      [JSON.stringify(answers)],
    );

  const expire = () =>
    db.query("delete from net._http_response where created < now() - interval '6 hours'");

  async function work(): Promise<void> {
    await expire();
    while (!closing.signal.aborted) {
      const batch = await dequeue();
      if (batch.length === 0) return;
      await store(
        await Promise.all(batch.map((request) => sendRequest(request, gateway, closing.signal))),
      );
    }
  }

  function wake(): void {
    if (closing.signal.aborted) return;
    if (working) {
      again = true;
      return;
    }
    working = work()
      .catch((error) => log.error("cannot process net.http_request_queue", error))
      .finally(() => {
        working = null;
        if (again) {
          again = false;
          wake();
        }
      });
  }

  const stopListening = await db.listen("net_wake", wake);
  // For rows inserted without a notification, and for lost notifications.
  const poll = setInterval(wake, POLL_MS);
  poll.unref();
  wake();

  return async () => {
    closing.abort();
    clearInterval(poll);
    await stopListening();
    await working;
  };
}
