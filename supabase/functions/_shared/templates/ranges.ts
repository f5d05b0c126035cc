import { type Context, evalTokenValue, Tokenizer, TokenKind, type ValueToken } from "liquidjs";
import { MOST_ITEMS } from "./budget.ts";
import { TemplateLimit } from "./mistakes.ts";
import { pageOf } from "./page.ts";
import { numberOf } from "./texts.ts";

/** A range as the tokenizer read it. */
interface Range {
  kind: TokenKind;
  lhs: ValueToken;
  rhs: ValueToken;
}

/**
 * The numbers from one to another. Beyond the safe ones a number plus one is the same number, and counting would never
 * end.
 *
 * @throws TemplateLimit when there are too many.
 */
function* numbersOf({ lhs, rhs }: Range, context: Context): Generator<unknown, number[], unknown> {
  const first = Math.trunc(numberOf(yield evalTokenValue(lhs, context)));
  const last = Math.trunc(numberOf(yield evalTokenValue(rhs, context)));
  const length = last - first + 1;
  if (length > MOST_ITEMS) throw new TemplateLimit("items", MOST_ITEMS);
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || length <= 0) return [];
  pageOf(context).budget.items(length);
  return Array.from({ length }, (_, index) => first + index);
}

let bounded = false;

/**
 * Makes ours of all ranges that are read from here on. They stand anywhere a value does and the engine has no place to
 * say how one is worked out, so that the tokenizer's answer is turned into a value with a way of its own.
 */
export function boundRanges(): void {
  if (bounded) return;
  bounded = true;
  const prototype = Tokenizer.prototype as unknown as { readGroupOrRange(): unknown };
  const read = prototype.readGroupOrRange;
  prototype.readGroupOrRange = function (this: Tokenizer) {
    const range = read.call(this) as Range | undefined;
    if (range?.kind !== TokenKind.Range) return range;
    const evaluate = (context: Context) => numbersOf(range, context);
    return Object.assign(range, {
      kind: TokenKind.FilteredValue,
      initial: { evaluate },
      filters: [],
    });
  };
}
