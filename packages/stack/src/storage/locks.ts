/** Runs work exclusively among all work that has one of these keys. */
export type WithLocks = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>;

export function createLocks(): WithLocks {
  const last = new Map<string, Promise<unknown>>();

  async function withLock<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  }

  // The keys are taken in one order, so two calls never wait for each other.
  return (keys, work) =>
    [...new Set(keys)].sort().reduceRight((rest, key) => () => withLock(key, rest), work)();
}
