import { type Context, evalTokenValue, Tokenizer, TokenKind, type ValueToken } from "liquidjs";
import { MOST_ITEMS } from "./budget.ts";
import { TemplateLimit } from "./mistakes.ts";
import { pageOf } from "./page.ts";
import { numberOf } from "./texts.ts";

/** A range of numbers, as the tokenizer returns it. */
interface Range {
  kind: TokenKind;
  lhs: ValueToken;
  rhs: ValueToken;
}

/**
 * The integers of a range. Only safe integers are allowed: beyond them, a number plus one can be the same number, and
 * counting would not end.
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
 * Replaces how the tokenizer reads ranges, so that all ranges are bounded. The engine has no option for this: a range can
 * be anywhere a value can.
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
