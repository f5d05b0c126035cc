import { ProviderRefusal } from "./provider.ts";

// Stripe counts money in the smallest unit of a currency. Its list differs a little from ISO 4217:
// https://docs.stripe.com/currencies

const WITHOUT_DECIMALS = new Set(
  "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" "),
);
const WITH_THREE_DECIMALS = new Set("BHD JOD KWD OMR TND".split(" "));
/** Currencies that have two decimals at Stripe, which must be 0. */
const WHOLE = new Set(["ISK", "UGX"]);

function decimalsOf(currency: string): number {
  if (WITHOUT_DECIMALS.has(currency)) return 0;
  return WITH_THREE_DECIMALS.has(currency) ? 3 : 2;
}

/** The units that an amount must be a multiple of. */
function stepOf(currency: string): bigint {
  if (WHOLE.has(currency)) return 100n;
  return WITH_THREE_DECIMALS.has(currency) ? 10n : 1n;
}

/**
 * A decimal amount in Stripe's units: 12.40 EUR is 1240. Errors: ProviderRefusal, if it has more decimals than Stripe
 * takes of this currency.
 */
export function toUnits(amount: string, currency: string): bigint {
  const code = currency.toUpperCase();
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  if (whole === undefined) throw new Error(`${amount} is not a positive decimal number`);
  const decimals = decimalsOf(code);
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  if (/[1-9]/.test(fraction.slice(decimals)) || units % stepOf(code) !== 0n) {
    throw new ProviderRefusal(
      "stripe",
      `Stripe does not take ${amount} ${code}: it has too many decimals.`,
    );
  }
  return units;
}

/** The decimal amount of Stripe's units. */
export function fromUnits(units: bigint, currency: string): string {
  const decimals = decimalsOf(currency.toUpperCase());
  const digits = String(units).padStart(decimals + 1, "0");
  if (decimals === 0) return digits;
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
