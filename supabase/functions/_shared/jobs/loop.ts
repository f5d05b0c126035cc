/** How a worker does its jobs. */
export interface LoopOptions {
  /** Takes jobs and does them until none is due, or its time is over. An error ends the round. */
  round(): Promise<void>;
  /** Maximum number of rounds in one process at the same time. The default is 1. */
  atOnce?: number;
  reportError(error: unknown): void;
}

/**
 * Does the jobs of a queue. `wake` begins a round. While as many rounds run as may, it lets one of them be followed by
 * another, since jobs may have been queued behind its last look. It resolves when no round runs, and never throws: the
 * jobs of a failed round are due again when their leases end, and a job of the database wakes the worker each minute.
 */
export function createLoop({ round, atOnce = 1, reportError }: LoopOptions): {
  wake(): Promise<void>;
} {
  const running = new Set<Promise<void>>();
  let isWoken = false;

  async function rounds(): Promise<void> {
    try {
      while (isWoken) {
        isWoken = false;
        await round();
      }
    } catch (error) {
      reportError(error);
    }
  }

  return {
    async wake() {
      isWoken = true;
      if (running.size < atOnce) {
        const begun = rounds().finally(() => running.delete(begun));
        running.add(begun);
      }
      while (running.size > 0) await Promise.all(running);
    },
  };
}
