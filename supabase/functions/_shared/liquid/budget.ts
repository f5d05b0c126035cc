import { TemplateLimit } from "./mistakes.ts";

/** Longest list for filters and loops, in items. */
export const MOST_ITEMS = 10_000;

/** Longest text for filters and variables, in characters. */
export const MOST_TEXT = 1_000_000;

/**
 * Longest time that a page uses without letting the event loop run, in milliseconds. Another page waits that long for each
 * of its own steps. With 10 ms its p99 beside a hostile page was 3.2 times its usual one, with 2 ms it is 1.5 times.
 */
const MOST_BUSY_MS = 2;

/** Characters, or items, that take about as long as one step of rendering. */
const CHARACTERS_A_STEP = 256;
const ITEMS_A_STEP = 10;

/** The counters of a page, for all its texts together. Methods throw TemplateLimit beyond a limit. */
export interface Budget {
  step(count?: number): void;
  /** Counts bytes of the page: HTML and CSS. */
  written(bytes: number): void;
  /** Bounds the length of a list, and counts the work of reading or making it. */
  items(count: number): void;
  /** The same for a text. */
  text(length: number): void;
  /** Whether `yieldIfDue` would let the event loop run. Asking is cheaper than awaiting it. */
  due(): boolean;
  /** Lets the event loop run, if that is due. */
  yieldIfDue(): Promise<void>;
}

export interface BudgetOptions {
  steps?: number;
  output?: number;
  /** The clock, in milliseconds. */
  now?: () => number;
}

/** Makes the counters of a new page. */
export function createBudget({
  steps = 100_000,
  output = 1_000_000,
  now = () => performance.now(),
}: BudgetOptions = {}): Budget {
  let taken = 0;
  let bytes = 0;
  let since = now();
  const step = (count = 1) => {
    taken += count;
    if (taken > steps) throw new TemplateLimit("steps", steps);
  };
  const due = () => now() - since > MOST_BUSY_MS;
  return {
    step,
    written(more) {
      bytes += more;
      if (bytes > output) throw new TemplateLimit("output", output);
    },
    items(count) {
      if (count > MOST_ITEMS) throw new TemplateLimit("items", MOST_ITEMS);
      step(Math.floor(count / ITEMS_A_STEP));
    },
    text(length) {
      if (length > MOST_TEXT) throw new TemplateLimit("bytes", MOST_TEXT);
      step(Math.floor(length / CHARACTERS_A_STEP));
    },
    due,
    async yieldIfDue() {
      if (!due()) return;
      // A promise alone is not enough: timers and sockets wait until all microtasks have run.
      await new Promise((resolve) => setTimeout(resolve, 0));
      since = now();
    },
  };
}
