import { Tokenizer } from "liquidjs";
import { decimalOf, valueOfDecimal } from "./numbers.ts";

let exact = false;

/** Replaces how the tokenizer reads numbers, so that those with more digits than a number can hold keep all of them. */
export function readExactNumbers(): void {
  if (exact) return;
  exact = true;
  const { prototype } = Tokenizer;
  const read = prototype.readNumber;
  prototype.readNumber = function (this: Tokenizer) {
    const token = read.call(this);
    const written = token && decimalOf(token.getText());
    return written ? Object.assign(token, { content: valueOfDecimal(written) as number }) : token;
  };
}
