import type { Caching, Warning } from "./template.ts";

/** An entry of a memory. */
export interface Kept {
  text: string;
  /** When the entry expires, in milliseconds since 1970. */
  until: number;
}

/** The most recently used texts, by key. */
export interface Memory {
  get(key: string): Kept | undefined;
  put(key: string, text: string, seconds: number): Kept;
}

/** Bytes of an entry, at most two per character; the key and its place in the map are counted, too. */
const BESIDE_BYTES = 200;

/** Makes a memory of at most `most` bytes. It does not keep texts that are larger than a tenth of it. */
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

/** Time for which a page may be cached, in seconds: in memory here, and in caches between here and the readers. */
export interface Keeping {
  memory: number;
  cdn: number;
  warnings: Warning[];
}

/** The effect of a template's `caching`. Without it, pages are not kept. */
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
        message: `There is no ${caching.strategy} cache here: the page is rendered for each request.`,
      });
      return keeping;
  }
}
