// Quality of results by grades of 0 (not wanted) to 3 (exactly wanted).

/** The minimum grade that counts as wanted; grade 1 is acceptable but was not requested. */
export const WANTED = 2;

/**
 * Discounted cumulative gain of the first `depth`: 2^grade − 1, divided by log2(place + 1), summed up.
 */
export function gain(grades: readonly number[], depth: number): number {
  return grades
    .slice(0, depth)
    .reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
}

/** The gain of the results, as a share of the best possible gain of all grades; 0 to 1. */
export function ndcg(
  found: readonly string[],
  grades: ReadonlyMap<string, number>,
  depth: number,
): number {
  const best = gain(
    [...grades.values()].sort((a, b) => b - a),
    depth,
  );
  return best === 0
    ? 0
    : gain(
        found.map((id) => grades.get(id) ?? 0),
        depth,
      ) / best;
}

/**
 * The share of the wanted products that is among the first `depth`; if more are wanted, of `depth`.
 */
export function recall(
  found: readonly string[],
  grades: ReadonlyMap<string, number>,
  depth: number,
): number {
  const wanted = new Set([...grades].filter(([, grade]) => grade >= WANTED).map(([id]) => id));
  const seen = new Set(found.slice(0, depth).filter((id) => wanted.has(id)));
  return wanted.size === 0 ? 0 : seen.size / Math.min(wanted.size, depth);
}

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
