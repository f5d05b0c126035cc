/** An entry of a memory. */
export interface CachedText {
  text: string;
  /** When the entry expires, in milliseconds since 1970. */
  until: number;
}

/** The most recently used texts, by key. */
export interface TextCache {
  get(key: string): CachedText | undefined;
  put(key: string, text: string, seconds: number): CachedText;
}

/** Bytes of an entry, at most two per character; the key and its place in the map are counted, too. */
const BESIDE_BYTES = 200;

/** Makes a memory of at most `bytes`. It does not keep texts that are larger than `largest`, by default a tenth of it. */
export function createTextCache(
  bytes: number,
  { largest = bytes / 10, now = Date.now }: { largest?: number; now?: () => number } = {},
): TextCache {
  const entries = new Map<string, CachedText>();
  let held = 0;
  const sizeOf = (key: string, { text }: CachedText) =>
    2 * (key.length + text.length) + BESIDE_BYTES;
  const remove = (key: string, one: CachedText) => {
    entries.delete(key);
    held -= sizeOf(key, one);
  };
  return {
    get(key) {
      const one = entries.get(key);
      if (!one) return undefined;
      if (one.until <= now()) {
        remove(key, one);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, one);
      return one;
    },
    put(key, text, seconds) {
      const one = { text, until: now() + seconds * 1000 };
      const before = entries.get(key);
      if (before) remove(key, before);
      const size = sizeOf(key, one);
      if (size > largest || seconds <= 0) return one;
      entries.set(key, one);
      held += size;
      for (const [oldest, other] of entries) {
        if (held <= bytes) break;
        remove(oldest, other);
      }
      return one;
    },
  };
}
