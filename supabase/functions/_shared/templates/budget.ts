import { TemplateLimit } from "./mistakes.ts";

/** The most that a list holds which a filter or a loop takes. */
export const MOST_ITEMS = 10_000;

/** The longest text that a filter takes or makes, or a variable holds. */
export const MOST_TEXT = 1_000_000;

/** So long a page has the event loop for itself at a time, in milliseconds. */
const TURN = 10;

/** This many characters, or items, take about as long as one step of rendering. */
const CHARACTERS_A_STEP = 256;
const ITEMS_A_STEP = 10;

/** What one page may take, over all its texts. Each throws a TemplateLimit once it is too much. */
export interface Budget {
  step(count?: number): void;
  /** Bytes of the page itself. */
  written(bytes: number): void;
  /** A list that is about to be made or gone through: its length is bounded, and its work is counted. */
  items(count: number): void;
  /** A text that is about to be made or gone through, likewise. */
  text(length: number): void;
  /** Whether it is time to `turn`: asking is cheaper than waiting. */
  due(): boolean;
  /** Hands the event loop its turn where that is due. */
  turn(): Promise<void>;
}

export interface BudgetLimits {
  steps?: number;
  output?: number;
}

/** What a new page may take. */
export function createBudget({ steps = 100_000, output = 1_000_000 }: BudgetLimits = {}): Budget {
  let taken = 0;
  let bytes = 0;
  let since = performance.now();
  const step = (count = 1) => {
    taken += count;
    if (taken > steps) throw new TemplateLimit("steps", steps);
  };
  const due = () => performance.now() - since > TURN;
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
    async turn() {
      if (!due()) return;
      // A promise alone would not do: timers and sockets wait until all promises are settled.
      await new Promise((resolve) => setTimeout(resolve, 0));
      since = performance.now();
    },
  };
}
