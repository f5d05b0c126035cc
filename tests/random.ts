import { createHash } from "node:crypto";

/** The seed of all random tests. SOUK_TEST_SEED sets another one. */
export const SEED = Number(process.env.SOUK_TEST_SEED ?? 1);

let drawn = 0;

/** The next pseudo-random integer: at least 0 and below `limit`. */
export function draw(limit: number): number {
  const hash = createHash("sha256").update(`${SEED}:${drawn++}`).digest();
  return hash.readUInt32BE() % limit;
}

/** Restarts the sequence, so that a file draws the same numbers whichever files its worker ran before. */
export const restartDraws = (): void => {
  drawn = 0;
};

/** Returns true with a probability of `percent` %. */
export const chance = (percent: number) => draw(100) < percent;
