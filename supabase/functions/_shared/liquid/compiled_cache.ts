import { marksIn } from "./parsing.ts";

/** Size limit of all compiled texts together, in characters. */
const MOST_KEPT = 16_777_216;

/** The tree of a tag, and of each character in a tag, takes as much memory as this number of characters of text. */
const A_MARK = 2_000;
const A_CHARACTER = 20;

/** The most recently used compiled texts. Older ones are dropped when all together become too large. */
export class CompiledCache<Kept> {
  readonly #kept = new Map<string, { made: Kept; weight: number }>();
  #weight = 0;

  constructor(readonly most = MOST_KEPT) {}

  /** The result of a text, compiled now if it is not kept. */
  get(kind: string, text: string, make: () => Kept): Kept {
    const key = `${kind} ${text}`;
    const found = this.#kept.get(key);
    if (found) {
      // A map keeps its entries in the order of insertion.
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
