// How good a result is, of what judges have said of it: grades of 0 (not wanted) to 3 (just that).

/** What is graded this or better was wanted; 1 is what one may see but did not ask for. */
export const WANTED = 2;

/**
 * Discounted cumulative gain of the first `depth`: 2^grade − 1, divided by log2(place + 1), summed up.
 */
export function gain(grades: readonly number[], depth: number): number {
  return grades
    .slice(0, depth)
    .reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
}

/** The gain of what was found, as a share of the best gain that all grades together could give; 0 to 1. */
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

/** The share of what was wanted that is among the first `depth`; where more was wanted, of `depth`. */
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
