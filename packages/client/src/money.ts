import { CURRENCY_DECIMALS } from "./currencies.generated.js";

/** The number of decimals of amounts in a currency: 2 for EUR, 0 for JPY, 3 for KWD. */
export const decimalsOf = (currency: string): number => CURRENCY_DECIMALS[currency] ?? 2;

/**
 * Adds amounts of a currency exactly. In binary fractions, 7.10 + 8.95 + 8.95 is less than 25. The sum is the number
 * nearest to the exact one, so it has all its decimals below 2^53 of the currency's smallest unit.
 */
export function addMoney(currency: string, amounts: Iterable<number>): number {
  let sum = 0n;
  for (const amount of amounts) sum += unitsOf(amount, currency);
  return fromUnits(sum, currency);
}

/** The amount of several pieces, exactly, as `addMoney` adds. `times` is a whole number. */
export const multiplyMoney = (currency: string, amount: number, times: number): number =>
  fromUnits(unitsOf(amount, currency) * BigInt(times), currency);

/**
 * A formatter of amounts with the decimals that Souk has for the currency. Engines have other ones for some currencies,
 * such as RSD and IQD. `options` are those of `Intl.NumberFormat`.
 */
export function moneyFormat(
  language: string,
  currency: string,
  options: Intl.NumberFormatOptions = {},
): Intl.NumberFormat {
  const decimals = decimalsOf(currency);
  return new Intl.NumberFormat(language, {
    style: "currency",
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    ...options,
  });
}

/** An amount in the smallest unit of its currency. `toFixed` rounds the exact value of a number. */
const unitsOf = (amount: number, currency: string): bigint =>
  BigInt(amount.toFixed(decimalsOf(currency)).replace(".", ""));

const fromUnits = (units: bigint, currency: string): number =>
  Number(`${units}e-${decimalsOf(currency)}`);
