import type { Http } from "./http.js";
import type { StorefrontEvent } from "./openapi.generated.js";
import { randomUuid } from "./random-uuid.js";

/** How visits are gathered. */
export interface TrackingOptions {
  /** Whether the visitor has agreed. Without it nothing is kept and nothing sent. Default true. */
  consent?: boolean;
}

/** From the first event that waits to the sending of all that do. Doubled while nothing gets through. */
const PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;
/** So many that wait are sent at once. */
const FULL = 20;
/** A batch fits into what browsers send for a page that is gone: 64 kB. */
const BATCH_EVENTS = 100;
const BATCH_CHARACTERS = 20_000;
/** Of more the oldest are forgotten. */
const QUEUE_EVENTS = 1000;

/** What a page has, and other places where programs run have not. */
type Page = Partial<Pick<Window, "addEventListener">> & {
  document?: Pick<Document, "addEventListener" | "visibilityState">;
};

/**
 * Gathers what a visitor does and sends it: after a few seconds, when much has come together, and when the page
 * is left. What did not get through is sent again with the same ids, by which it is counted once. Nothing here ever
 * throws or rejects: a shop sells also where nobody can be told of it.
 */
export function trackingOf(http: Http, { consent = true }: TrackingOptions = {}) {
  let granted = consent;
  let queue: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let failures = 0;
  let listens = false;

  function keep(texts: string[]) {
    if (granted) queue = [...texts, ...queue].slice(-QUEUE_EVENTS);
  }

  function takeBatch(): string[] {
    let characters = 0;
    const beyond = queue.findIndex((text, i) => {
      characters += text.length;
      return i > 0 && (i === BATCH_EVENTS || characters > BATCH_CHARACTERS);
    });
    return queue.splice(0, beyond < 0 ? queue.length : beyond);
  }

  /** Whether a batch was taken, whatever became of its events. */
  async function send(batch: string[], leaving: boolean): Promise<boolean> {
    try {
      const body = `{"events":[${batch.join(",")}]}`;
      const { status } = await http.post("/api/analytics/events", body, leaving);
      // Who is not signed in yet will be.
      if (status < 500 && ![401, 408, 429].includes(status)) return true;
    } catch {}
    keep(batch);
    return false;
  }

  async function sendAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    while (queue.length > 0) {
      if (!(await send(takeBatch(), false))) {
        failures += 1;
        break;
      }
      failures = 0;
    }
  }

  function flush(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = undefined;
      schedule();
    });
    return sending;
  }

  function schedule() {
    if (timer !== undefined || sending || queue.length === 0) return;
    timer = setTimeout(flush, Math.min(PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS));
    // A program is not kept from its end by it.
    (timer as { unref?(): void }).unref?.();
    http.prepare().catch(() => {});
  }

  function leave() {
    while (queue.length > 0) send(takeBatch(), true).then(schedule);
  }

  function listen() {
    if (listens) return;
    listens = true;
    const page = globalThis as Page;
    page.addEventListener?.("pagehide", leave);
    page.addEventListener?.("online", () => {
      failures = 0;
      flush();
    });
    page.document?.addEventListener("visibilitychange", () => {
      if (page.document?.visibilityState === "hidden") leave();
    });
  }

  return {
    /** Notes what a visitor does, and sends it with others. */
    track(event: StorefrontEvent): void {
      if (!granted) return;
      try {
        const known = { id: randomUuid(), occurred_at: new Date().toISOString() };
        queue.push(JSON.stringify({ ...known, ...event }));
        if (queue.length > QUEUE_EVENTS) queue.shift();
        listen();
        if (queue.length >= FULL && failures === 0) flush();
        else schedule();
      } catch {}
    },
    /** Sends what waits, and resolves when it got through or did not: for programs that end. */
    flush,
    /** Whether the visitor agrees, from now on. Who does not any more has what waits forgotten. */
    consent(agrees: boolean): void {
      granted = agrees;
      if (!granted) queue = [];
    },
  };
}
