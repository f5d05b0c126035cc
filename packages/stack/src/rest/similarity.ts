/** The candidate most like `word`, if its likeness (0 to 1) reaches `least`. */
export function closest(word: string, candidates: readonly string[], least: number): string | null {
  const wanted = pairsOf(word);
  let best: string | null = null;
  let bestScore = 0;
  for (const candidate of new Set(candidates)) {
    const score = likeness(wanted, pairsOf(candidate));
    if (score >= least && score > bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

/** Longer names than this are compared by their beginnings. */
const LONGEST = 128;

/** How often each pair of neighbouring letters occurs, the ends counting as letters. */
function pairsOf(word: string): Map<string, number> {
  const text = `-${word.slice(0, LONGEST).toLowerCase()}-`;
  const pairs = new Map<string, number>();
  for (let i = 0; i + 1 < text.length; i++) {
    const pair = text.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** The cosine of the angle between two counts. */
function likeness(a: Map<string, number>, b: Map<string, number>): number {
  let dot = 0;
  for (const [pair, count] of a) dot += count * (b.get(pair) ?? 0);
  const length = (pairs: Map<string, number>) =>
    Math.hypot(...[...pairs.values()].map((count) => count));
  const lengths = length(a) * length(b);
  return lengths === 0 ? 0 : dot / lengths;
}
