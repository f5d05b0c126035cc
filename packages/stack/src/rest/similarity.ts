/** Returns the candidate most similar to `word` if its similarity (0 to 1) is at least `least`. */
export function closest(word: string, candidates: Iterable<string>, least: number): string | null {
  const wanted = shortened(word);
  let best: string | null = null;
  let bestScore = 0;
  for (const candidate of candidates) {
    const other = shortened(candidate);
    const score = 1 - distance(wanted, other) / Math.max(wanted.length, other.length, 1);
    if (score >= least && score > bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

/** Only the first 64 characters are compared, which is more than the length of Postgres' names. */
const shortened = (word: string) => word.slice(0, 64).toLowerCase();

/** The number of insertions, deletions and changes between `a` and `b` (Levenshtein distance). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
