import { randomBytes } from "node:crypto";
import bcrypt from "bcryptjs";
import { Refusal } from "./refusals.js";

const COST = 10;
/** bcrypt reads no further. */
const MAX_BYTES = 72;

/** A hash at hosted's cost that no password matches: whoever has no password costs the same work. */
const NOBODY = bcrypt.hash(randomBytes(32).toString("base64"), COST);

export function hashPassword(password: string): Promise<string> {
  return bcrypt.hash(password, COST);
}

export const isBcryptHash = (hash: string) => /^\$2[abxy]\$\d\d\$.{53}$/.test(hash);

/** One comparison's work in every case: for a wrong password, a user without one, and no user at all. */
export async function passwordMatches(password: string, hash: string | null | undefined) {
  // Hashes of other schemes count as no password: bcrypt would answer at once.
  const usable = hash && isBcryptHash(hash) ? hash : null;
  const matches = await bcrypt.compare(password, usable ?? (await NOBODY));
  return usable !== null && matches;
}

/** Throws `validation_failed` for a password bcrypt would cut, `weak_password` for one too short. */
export function checkStrength(password: string, minimumLength: number): void {
  const bytes = Buffer.byteLength(password);
  if (bytes > MAX_BYTES) {
    throw new Refusal(
      400,
      "validation_failed",
      `Password cannot be longer than ${MAX_BYTES} characters`,
    );
  }
  if (bytes < minimumLength) {
    const message = `Password should be at least ${minimumLength} characters.`;
    throw new Refusal(422, "weak_password", message, { reasons: ["length"] });
  }
}
