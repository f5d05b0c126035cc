import { environment } from "../http/environment.ts";
import type { Incoming } from "./lines.ts";

/** Maximum number of chunks of a body. Each takes 0.1 ms of CPU time, whatever its size. */
const CHUNKS = 4_000;

/**
 * The limits of one request's import. The platform ends a function after 2 seconds of CPU time or 150 seconds in total,
 * which breaks the caller's connection. 20,000 past orders take 0.8 s of CPU time, 20,000 refused ones 1.2 s, 8 million
 * characters 0.5 s, and 4,000 chunks 0.5 s.
 */
export class Budget {
  readonly #until = Date.now() + environment.importMs;
  readonly #body: Incoming;
  #records = 0;
  #characters = 0;

  constructor(body: Incoming) {
    this.#body = body;
  }

  spend(characters: number): void {
    this.#records += 1;
    this.#characters += characters;
  }

  /** Whether the next record belongs to another request. Every request imports at least one record. */
  isSpent(): boolean {
    if (this.#records === 0) return false;
    return (
      this.#records >= environment.importRecords ||
      this.#characters >= environment.importCharacters ||
      this.#body.chunks > CHUNKS ||
      Date.now() >= this.#until
    );
  }
}
