import { randomBytes } from "node:crypto";
import bcrypt from "bcrypt";
import pLimit from "p-limit";
import type { Config } from "../config.js";
import { Refusal } from "./refusals.js";

/** bcrypt's cost factor on hosted Auth. Each step doubles the work of a hash. */
export const HOSTED_COST = 10;
/** bcrypt's minimum cost factor. */
export const LEAST_COST = 4;
/** bcrypt ignores all bytes after these. */
const MAX_BYTES = 72;

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Does the work of one comparison in every case: for a wrong password, a user without one, and no
   * user.
   */
  matches(password: string, hash: string | null | undefined): Promise<boolean>;
  /**
   * The hash of a random password, for users who sign in by mail, and for comparisons that must
   * cost the same work.
   */
  placeholderHash: Promise<string>;
}

/**
 * Maximum number of callers waiting for a hash: about ten seconds of work for one core. More are
 * refused.
 */
const MAX_WAITING = 200;

/**
 * Makes bcrypt hashes with the cost of hosted Auth, unless another cost is given. They are made on
 * a separate thread, one at a time, so that logins use at most one core. Throws
 * `over_request_rate_limit` when too many callers wait.
 */
export function createPasswords(cost = HOSTED_COST): Passwords {
  const oneByOne = pLimit(1);
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    if (oneByOne.pendingCount < MAX_WAITING) return oneByOne(work);
    throw new Refusal(429, "over_request_rate_limit", "Request rate limit reached");
  };
  const placeholderHash = enqueue(() => bcrypt.hash(randomBytes(32).toString("base64"), cost));
  return {
    hash: async (password) => enqueue(() => bcrypt.hash(password, cost)),
    matches: async (password, hash) => {
      // A hash of another scheme counts as no password, because bcrypt would return at once.
      const usable = hash && isBcryptHash(hash) ? hash : null;
      // PHP's prefix 2y means 2b; this bcrypt knows only 2b.
      const compared = (usable ?? (await placeholderHash)).replace(/^\$2y/, "$2b");
      const matches = await enqueue(() => bcrypt.compare(password, compared));
      return usable !== null && matches;
    },
    placeholderHash,
  };
}

export const isBcryptHash = (hash: string) => /^\$2[aby]\$\d\d\$.{53}$/.test(hash);

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const LETTERS = `${LOWER}${LOWER.toUpperCase()}`;
const DIGITS = "0123456789";
const SYMBOLS = "!@#$%^&*()_+-=[]{};'\\:\"|<>?,./`~";

/** A password must contain a character of each of these sets. */
export const REQUIRED: Record<Config["auth"]["password_requirements"], string[]> = {
  "": [],
  letters_digits: [LETTERS, DIGITS],
  lower_upper_letters_digits: [LOWER, LOWER.toUpperCase(), DIGITS],
  lower_upper_letters_digits_symbols: [LOWER, LOWER.toUpperCase(), DIGITS, SYMBOLS],
};

export interface Weakness {
  message: string;
  reasons: string[];
}

/** Returns the requirements that a password misses; null if none. */
export function weaknessOf({ auth }: Config, password: string): Weakness | null {
  const { minimum_password_length: length, password_requirements: requirements } = auth;
  const sets = REQUIRED[requirements];
  const lacks: [reason: string, message: string][] = [];
  if (Buffer.byteLength(password) < length) {
    lacks.push(["length", `Password should be at least ${length} characters.`]);
  }
  if (!sets.every((set) => [...password].some((character) => set.includes(character)))) {
    const each = sets.join(", ");
    lacks.push(["characters", `Password should contain at least one character of each: ${each}.`]);
  }
  if (lacks.length === 0) return null;
  return {
    message: lacks.map(([, message]) => message).join(" "),
    reasons: lacks.map(([reason]) => reason),
  };
}

/** Throws `validation_failed` for a password longer than bcrypt reads. */
export function checkLength(password: string): void {
  if (Buffer.byteLength(password) <= MAX_BYTES) return;
  const message = `Password cannot be longer than ${MAX_BYTES} characters`;
  throw new Refusal(400, "validation_failed", message);
}

/**
 * Throws `validation_failed` for a password longer than bcrypt reads, `weak_password` for a weak
 * one.
 */
export function checkStrength(config: Config, password: string): void {
  checkLength(password);
  const weakness = weaknessOf(config, password);
  if (weakness) throw new Refusal(422, "weak_password", weakness.message, weakness);
}
