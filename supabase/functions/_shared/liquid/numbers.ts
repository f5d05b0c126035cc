import { Decimal as Library } from "decimal.js";
import { TemplateMistake } from "./mistakes.ts";

/** Significant digits of a result. No amount needs as many. */
const PRECISION = 60;

/** Largest power of ten of a number: above that of the numbers of JavaScript. */
const LARGEST_POWER = 400;

/** Decimal numbers. Halves are rounded away from zero, and `mod` has the sign of the divisor, as in Ruby's Liquid. */
export const Decimal = Library.clone({
  precision: PRECISION,
  rounding: Library.ROUND_HALF_UP,
  modulo: Library.ROUND_FLOOR,
  maxE: LARGEST_POWER,
  minE: -LARGEST_POWER,
});
export type Decimal = Library;

/** Longest text that is read as a number, in characters: longer than every result. */
const LONGEST_NUMBER = LARGEST_POWER + 2 * PRECISION;

const DECIMAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)\s*$/;

/** A number, or a text in decimal notation, as a decimal number; undefined for other values. */
export function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? new Decimal(value) : undefined;
  if (typeof value !== "string" || value.length > LONGEST_NUMBER || !DECIMAL.test(value)) {
    return undefined;
  }
  return new Decimal(value.trim().replace(/^\+|\.$/g, ""));
}

/**
 * The value of a result for templates: a number, or a text in decimal notation if a number cannot hold all digits.
 *
 * @throws TemplateMistake when it is too large.
 */
export function valueOfDecimal(result: Decimal): number | string {
  if (!result.isFinite()) throw new TemplateMistake("the result is too large a number");
  const number = result.isZero() ? 0 : result.toNumber();
  return new Decimal(number).eq(result) ? number : result.toFixed();
}

/** A number in decimal notation, with all its digits. Infinity and NaN, which are no numbers, are an empty text. */
export function textOfNumber(value: number): string {
  if (!Number.isFinite(value)) return "";
  const text = String(value);
  return text.includes("e") ? new Decimal(value).toFixed() : text;
}

/** Compares numbers and numeric texts: negative, zero or positive; undefined if one of them is neither. */
export function comparedNumbers(left: unknown, right: unknown): number | undefined {
  if (typeof left === "number" && typeof right === "number") {
    const difference = left - right;
    return Number.isNaN(difference) ? undefined : difference;
  }
  const [a, b] = [decimalOf(left), decimalOf(right)];
  return a && b && a.cmp(b);
}

/**
 * A quotient. One that does not end is rounded to 16 digits, but not before the point.
 *
 * @throws TemplateMistake when the divisor is zero or no number.
 */
export function quotient(value: Decimal, divisor: Decimal | undefined): Decimal {
  const exact = value.div(nonZero(divisor));
  if (exact.precision() < PRECISION) return exact;
  return exact.toDecimalPlaces(Math.max(15 - exact.e, 0));
}

/** The rest of a division. Throws as `quotient` does. */
export function remainder(value: Decimal, divisor: Decimal | undefined): Decimal {
  return value.mod(nonZero(divisor));
}

function nonZero(divisor: Decimal | undefined): Decimal {
  if (!divisor) throw new TemplateMistake("cannot divide by nothing: the divisor is no number");
  if (divisor.isZero()) throw new TemplateMistake("cannot divide by zero");
  return divisor;
}

/** Rounds to a number of decimals; a negative one rounds to tens, hundreds and so on. */
export function rounded(value: Decimal, digits: number): Decimal {
  const places = Math.trunc(Math.min(Math.max(digits, -LARGEST_POWER), 2 * LARGEST_POWER));
  if (places >= 0) return value.toDecimalPlaces(places);
  return value.toNearest(Decimal.pow(10, -places));
}
