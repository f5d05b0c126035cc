import { type FilteredValueToken, Tokenizer } from "liquidjs";

const { prototype } = Tokenizer;
const read = prototype.readFilteredValue;

/**
 * Replaces how the tokenizer reads a value with its filters, so that nothing may follow it. The engine would ignore the rest:
 * the b of `{{ a, b }}`.
 */
export function readWholeValues(): void {
  prototype.readFilteredValue = function (this: Tokenizer) {
    const value = read.call(this);
    insistOnEnd(this);
    return value;
  };
}

/** Reads one of several values, which commas separate. */
export const readListedValue = (tokenizer: Tokenizer): FilteredValueToken => read.call(tokenizer);

/** Refuses a text after the last value of an output or a tag. */
export function insistOnEnd(tokenizer: Tokenizer): void {
  tokenizer.skipBlank();
  tokenizer.assert(
    tokenizer.end(),
    () => `the value ends before ${tokenizer.remaining().trim().slice(0, 50)}`,
  );
}
