import { createHash } from "node:crypto";

/** The seed of all random tests. SOUK_TEST_SEED names another one. */
export const SEED = Number(process.env.SOUK_TEST_SEED ?? 1);

let drawn = 0;

/** The next integer that follows from the seed: at least 0, and below `limit`. */
export function draw(limit: number): number {
  const hash = createHash("sha256").update(`${SEED}:${drawn++}`).digest();
  return hash.readUInt32BE() % limit;
}

/** Begins the sequence again, so that a file draws the same whichever files its worker has run before. */
export const restartDraws = (): void => {
  drawn = 0;
};

/** True with a probability of `percent` in a hundred. */
export const chance = (percent: number) => draw(100) < percent;
