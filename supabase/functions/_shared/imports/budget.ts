import { environment } from "../http/environment.ts";
import type { Incoming } from "./lines.ts";

/** A chunk takes 0.1 ms of CPU time, however small it is. */
const CHUNKS = 4_000;

/**
 * What one request may import. The platform ends a function after 2 seconds of CPU time and 150 seconds of any time, and
 * then the caller sees a connection that breaks off. 20,000 past orders take 0.8 s of CPU time, as many that are all
 * refused 1.2 s, 8 million characters 0.5 s, and 4,000 chunks 0.5 s.
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

  /** Whether the next record belongs into another request. Every request takes one record at least. */
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
