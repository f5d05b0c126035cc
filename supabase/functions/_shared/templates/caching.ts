import type { Caching, Warning } from "./template.ts";

/** What a memory keeps of one thing. */
export interface Kept {
  text: string;
  /** In milliseconds: when it is forgotten. */
  until: number;
}

/** Texts by their keys, those that were asked for last. */
export interface Memory {
  get(key: string): Kept | undefined;
  put(key: string, text: string, seconds: number): Kept;
}

/** Characters take two bytes at most; a key and its place in the map are counted beside them. */
const BESIDE_BYTES = 200;

/** A memory of at most so many bytes. What would fill a tenth of it alone is not kept. */
export function createMemory(bytes: number, now: () => number = Date.now): Memory {
  const kept = new Map<string, Kept>();
  let held = 0;
  const sizeOf = (key: string, { text }: Kept) => 2 * (key.length + text.length) + BESIDE_BYTES;
  const forget = (key: string, one: Kept) => {
    kept.delete(key);
    held -= sizeOf(key, one);
  };
  return {
    get(key) {
      const one = kept.get(key);
      if (!one) return undefined;
      if (one.until <= now()) {
        forget(key, one);
        return undefined;
      }
      kept.delete(key);
      kept.set(key, one);
      return one;
    },
    put(key, text, seconds) {
      const one = { text, until: now() + seconds * 1000 };
      const before = kept.get(key);
      if (before) forget(key, before);
      const size = sizeOf(key, one);
      if (size > bytes / 10 || seconds <= 0) return one;
      kept.set(key, one);
      held += size;
      for (const [oldest, other] of kept) {
        if (held <= bytes) break;
        forget(oldest, other);
      }
      return one;
    },
  };
}

const LONGEST_S = 86_400;

/** For how many seconds a page may be kept here, and in caches between here and its readers. */
export interface Keeping {
  memory: number;
  cdn: number;
  warnings: Warning[];
}

/** What a template's `caching` comes to. One that says nothing is not kept. */
export function keepingOf(caching: Caching | null | undefined): Keeping {
  const keeping: Keeping = { memory: 0, cdn: 0, warnings: [] };
  if (!caching) return keeping;
  const seconds = Math.min(Math.max(Math.trunc(Number(caching.duration)) || 0, 0), LONGEST_S);
  switch (caching.strategy) {
    case "memory":
      return { ...keeping, memory: seconds };
    case "cdn":
      return { ...keeping, cdn: seconds };
    default:
      keeping.warnings.push({
        code: "CACHING_NOT_SUPPORTED",
        message: `There is no cache of the kind ${caching.strategy} here: the page is made anew each time.`,
      });
      return keeping;
  }
}
