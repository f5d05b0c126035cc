/** Does work one after the other that has a key in common. */
export type InTurn = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();

  async function alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  }

  // In one sequence, so that nobody waits in a circle.
  return (keys, work) =>
    [...new Set(keys)].sort().reduceRight((rest, key) => () => alone(key, rest), work)();
}
