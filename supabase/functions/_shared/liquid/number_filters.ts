import { Decimal, decimalOf, quotient, remainder, rounded, valueOfDecimal } from "./numbers.ts";
import type { TemplateFilter } from "./text_filters.ts";
import { numberOf, plainValue } from "./texts.ts";

const ZERO = new Decimal(0);

type Calculation = (value: Decimal, other: Decimal | undefined, more: unknown) => Decimal;

/** Makes a filter that calculates with a value and an argument. A value that is no number counts as zero. */
function ofDecimals(calculate: Calculation): TemplateFilter {
  return (_page, value, other, more) => {
    const own = decimalOf(plainValue(value)) ?? ZERO;
    return valueOfDecimal(calculate(own, decimalOf(plainValue(other)), plainValue(more)));
  };
}

/** The filters of numbers. They calculate in decimal. docs/template-language.md describes them. */
export const NUMBER_FILTERS = {
  abs: ofDecimals((value) => value.abs()),
  at_least: ofDecimals((value, least = ZERO) => Decimal.max(value, least)),
  at_most: ofDecimals((value, most = ZERO) => Decimal.min(value, most)),
  ceil: ofDecimals((value) => value.ceil()),
  divided_by: ofDecimals((value, by, isWhole) => {
    const result = quotient(value, by);
    return isWhole === true ? result.floor() : result;
  }),
  floor: ofDecimals((value) => value.floor()),
  minus: ofDecimals((value, less = ZERO) => value.minus(less)),
  modulo: ofDecimals(remainder),
  plus: ofDecimals((value, more = ZERO) => value.plus(more)),
  round: ofDecimals((value, digits) => rounded(value, digits ? numberOf(digits.toFixed()) : 0)),
  times: ofDecimals((value, by = ZERO) => value.times(by)),
} satisfies Record<string, TemplateFilter>;
