import type { Http } from "./http.js";
import type { StorefrontEvent } from "./openapi.generated.js";
import { randomUuid } from "./random-uuid.js";

/** Options of `track`. */
export interface TrackingOptions {
  /**
   * Whether the visitor has consented. Without consent nothing is stored and nothing is sent.
   * Default true.
   */
  consent?: boolean;
}

/** Time from the first waiting event until all are sent. Doubled after each failure. */
const PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;
/** Number of waiting events that are sent without delay. */
const FULL = 20;
/** Maximum size of a batch. Browsers send at most 64 kB for a closed page. */
const BATCH_EVENTS = 100;
const BATCH_CHARACTERS = 20_000;
/** Maximum number of waiting events; the oldest are dropped. */
const QUEUE_EVENTS = 1000;

/** The parts of a browser page that other runtimes lack. */
type Page = Partial<Pick<Window, "addEventListener">> & {
  document?: Pick<Document, "addEventListener" | "visibilityState">;
};

/**
 * Collects events of a visitor and sends them after 5 seconds, at 20 events, and when the page is
 * left. Events that did not arrive are sent again with the same ids, so that they count once. No
 * method throws or rejects, because a shop must work without reports.
 */
export function trackingOf(http: Http, { consent = true }: TrackingOptions = {}) {
  let granted = consent;
  let queue: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let failures = 0;
  let listens = false;

  function enqueue(texts: string[]) {
    if (granted) queue = [...texts, ...queue].slice(-QUEUE_EVENTS);
  }

  function nextBatch(): string[] {
    let characters = 0;
    const beyond = queue.findIndex((text, i) => {
      characters += text.length;
      return i > 0 && (i === BATCH_EVENTS || characters > BATCH_CHARACTERS);
    });
    return queue.splice(0, beyond < 0 ? queue.length : beyond);
  }

  /** Whether the server has answered for the batch, so that it need not be sent again. */
  async function send(batch: string[], leaving: boolean): Promise<boolean> {
    try {
      const body = `{"events":[${batch.join(",")}]}`;
      const { status } = await http.post("/api/analytics/events", body, leaving);
      // 401: the visitor may sign in later.
      if (status < 500 && ![401, 408, 429].includes(status)) return true;
    } catch {}
    enqueue(batch);
    return false;
  }

  async function sendAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    while (queue.length > 0) {
      if (!(await send(nextBatch(), false))) {
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
    // The timer does not keep a program running.
    (timer as { unref?(): void }).unref?.();
    http.prepare().catch(() => {});
  }

  function leave() {
    while (queue.length > 0) send(nextBatch(), true).then(schedule);
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
    /** Collects an event, which is sent with others. */
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
    /** Sends the waiting events; resolves when they arrived or failed. For programs that end. */
    flush,
    /** Sets the visitor's consent. Without consent the waiting events are dropped. */
    consent(agrees: boolean): void {
      granted = agrees;
      if (!granted) queue = [];
    },
  };
}
