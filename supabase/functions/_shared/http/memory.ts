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

/** Makes a memory of at most `bytes`. It does not keep texts that are larger than `largest`, by default a tenth of it. */
export function createMemory(
  bytes: number,
  { largest = bytes / 10, now = Date.now }: { largest?: number; now?: () => number } = {},
): Memory {
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
      if (size > largest || seconds <= 0) return one;
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
