import { randomBytes } from "node:crypto";
import bcrypt from "bcrypt";
import pLimit from "p-limit";
import type { Config } from "../config.js";
import { Refusal } from "./refusals.js";

/** Each step doubles the work of a hash. */
export const HOSTED_COST = 10;
/** bcrypt's least. */
export const LEAST_COST = 4;
/** bcrypt reads no further. */
const MAX_BYTES = 72;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** One comparison's work in every case: for a wrong password, a user without one, and no user at all. */
  matches(password: string, hash: string | null | undefined): Promise<boolean>;
  /**
   * The hash of a password that nobody knows: for who comes by mail, and for whoever has none to cost
   * the same work.
   */
  nobodysHash: Promise<string>;
}

/** How many may wait for their hash, some ten seconds' work of a core. Any further request is refused. */
const MOST_WAITING = 200;

/**
 * Hashes that cost what hosted's do, unless told to cost less. They are made on a thread of their own, one
 * after the other, so that logins take one core at most. Throws `over_request_rate_limit` when too many wait.
 */
export function createPasswords(cost = HOSTED_COST): Passwords {
  const oneByOne = pLimit(1);
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (oneByOne.pendingCount < MOST_WAITING) return oneByOne(work);
    throw new Refusal(429, "over_request_rate_limit", "Request rate limit reached");
  };
  const nobodysHash = inTurn(() => bcrypt.hash(randomBytes(32).toString("base64"), cost));
  return {
    hash: async (password) => inTurn(() => bcrypt.hash(password, cost)),
    matches: async (password, hash) => {
      // Hashes of other schemes count as no password: bcrypt would answer at once.
      const usable = hash && isBcryptHash(hash) ? hash : null;
      // PHP calls 2y what others call 2b; this bcrypt knows only 2b.
      const compared = (usable ?? (await nobodysHash)).replace(/^\$2y/, "$2b");
      const matches = await inTurn(() => bcrypt.compare(password, compared));
      return usable !== null && matches;
    },
    nobodysHash,
  };
}

export const isBcryptHash = (hash: string) => /^\$2[aby]\$\d\d\$.{53}$/.test(hash);

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const LETTERS = `${LOWER}${LOWER.toUpperCase()}`;
const DIGITS = "0123456789";
const SYMBOLS = "!@#$%^&*()_+-=[]{};'\\:\"|<>?,./`~";

/** A password needs a character of each of these sets. */
const REQUIRED: Record<Config["auth"]["password_requirements"], string[]> = {
  "": [],
  letters_digits: [LETTERS, DIGITS],
  lower_upper_letters_digits: [LOWER, LOWER.toUpperCase(), DIGITS],
  lower_upper_letters_digits_symbols: [LOWER, LOWER.toUpperCase(), DIGITS, SYMBOLS],
};

export interface Weakness {
  message: string;
  reasons: string[];
}

/** What a password lacks of the strength the project asks for; null if nothing. */
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

/** Throws `validation_failed` for a password bcrypt would cut. */
export function checkLength(password: string): void {
  if (Buffer.byteLength(password) <= MAX_BYTES) return;
  const message = `Password cannot be longer than ${MAX_BYTES} characters`;
  throw new Refusal(400, "validation_failed", message);
}

/** Throws `validation_failed` for a password bcrypt would cut, `weak_password` for a weak one. */
export function checkStrength(config: Config, password: string): void {
  checkLength(password);
  const weakness = weaknessOf(config, password);
  if (weakness) throw new Refusal(422, "weak_password", weakness.message, weakness);
}
