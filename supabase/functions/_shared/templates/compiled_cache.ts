import { marksIn } from "./parsing.ts";

/** What compiled texts may take all together, in characters of their texts. */
const MOST_KEPT = 16_777_216;

/** A tag's tree is as large as this many characters of text, and so is that of each character within one. */
const A_MARK = 2_000;
const A_CHARACTER = 20;

/** Texts that have been compiled, those that were asked for last. They go once they take too much. */
export class CompiledCache<Kept> {
  readonly #kept = new Map<string, { made: Kept; weight: number }>();
  #weight = 0;

  constructor(readonly most = MOST_KEPT) {}

  /** What was made of a text, or is now. */
  get(kind: string, text: string, make: () => Kept): Kept {
    const key = `${kind} ${text}`;
    const found = this.#kept.get(key);
    if (found) {
      // A map keeps the order in which its entries were put in.
      this.#kept.delete(key);
      this.#kept.set(key, found);
      return found.made;
    }
    const made = make();
    const marks = kind === "formula" ? 1 : marksIn(text);
    const weight = text.length * (marks > 0 ? A_CHARACTER : 1) + marks * A_MARK;
    this.#kept.set(key, { made, weight });
    this.#weight += weight;
    for (const [oldest, { weight: freed }] of this.#kept) {
      if (this.#weight <= this.most) break;
      this.#kept.delete(oldest);
      this.#weight -= freed;
    }
    return made;
  }
}
