/** The work of each queue, such as that of a tenant's members, that runs at once in this process, and what waits for it. */
export interface Slots {
  /**
   * Waits for a slot of a queue, at most `wait_ms`, and returns a function that ends it. Throws the refusal after that
   * time, at once if too many wait already, and when `signal` is aborted: the client went away.
   */
  begin(queue: string, wait_ms: number, signal?: AbortSignal): Promise<() => void>;
}

/** Maximum number of requests of a queue that wait for a slot. */
const WAITING_AT_MOST = 20;
/** Longest rest after a slot, in milliseconds. */
const REST_MS = 2_000;

interface Queue {
  taken: number;
  waiting: (() => void)[];
}

/**
 * Makes slots of which a queue has `at_once` at the same time. After a slot, nobody has it for as long as it took. So a
 * queue that wants all turns at all times gets half of this time, and a caller that reads page after page hardly waits.
 */
export function createSlots(at_once: number, refusal: () => Error): Slots {
  /** Those that have a slot, or rest. */
  const queues = new Map<string, Queue>();

  function release(name: string, queue: Queue): void {
    const begin = queue.waiting.shift();
    if (begin) {
      begin();
      return;
    }
    queue.taken -= 1;
    if (queue.taken === 0) queues.delete(name);
  }

  function slotOf(name: string, queue: Queue): () => void {
    const begun = performance.now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      setTimeout(() => release(name, queue), Math.min(performance.now() - begun, REST_MS));
    };
  }

  /** Waits until another slot is handed on. */
  function wait({ waiting }: Queue, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(late);
        signal?.removeEventListener("abort", giveUp);
      };
      const giveUp = () => {
        stop();
        waiting.splice(waiting.indexOf(begin), 1);
        reject(refusal());
      };
      const begin = () => {
        stop();
        resolve();
      };
      const late = setTimeout(giveUp, ms);
      signal?.addEventListener("abort", giveUp);
      waiting.push(begin);
    });
  }

  return {
    async begin(name, wait_ms, signal) {
      const queue = queues.get(name) ?? { taken: 0, waiting: [] };
      queues.set(name, queue);
      if (queue.taken < at_once) queue.taken += 1;
      else if (signal?.aborted || queue.waiting.length >= WAITING_AT_MOST) throw refusal();
      else await wait(queue, wait_ms, signal);
      return slotOf(name, queue);
    },
  };
}
