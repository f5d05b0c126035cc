import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProviderRefusal } from "../../supabase/functions/_shared/payments/provider.ts";
import { fromUnits, toUnits } from "../../supabase/functions/_shared/payments/stripe_amounts.ts";
import { isSigned } from "../../supabase/functions/_shared/payments/stripe_signature.ts";
import { SEED } from "../random.js";

// Amounts in Stripe's units, and its signatures, without Stripe.

const WHOLE = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" ");
const THOUSANDTHS = "BHD JOD KWD OMR TND".split(" ");

describe("an amount in Stripe's units", () => {
  it.each([
    ["12.40", "EUR", 1240n],
    ["12.4", "eur", 1240n],
    ["12", "USD", 1200n],
    ["0.07", "EUR", 7n],
    ["1.005000", "EUR", null],
    ["1.0050", "EUR", null],
    ["1.100000", "EUR", 110n],
    // As a floating point number it would be 114.99999999999999.
    ["1.15", "EUR", 115n],
    ["999999999999999.99", "EUR", 99_999_999_999_999_999n],
    ["1000", "JPY", 1000n],
    ["1000.0000", "JPY", 1000n],
    ["1000.5", "JPY", null],
    ["1.230", "KWD", 1230n],
    ["1.23", "KWD", 1230n],
    ["1.234", "KWD", null],
    ["500", "ISK", 50_000n],
    ["500.00", "ISK", 50_000n],
    ["500.5", "ISK", null],
    ["500", "UGX", 50_000n],
    ["500.01", "UGX", null],
    ["0", "EUR", 0n],
  ] as const)("%s %s is %s", (amount, currency, units) => {
    if (units === null) expect(() => toUnits(amount, currency)).toThrow(ProviderRefusal);
    else expect(toUnits(amount, currency)).toBe(units);
  });

  it.each(["", "-1", "1e3", "1,5", " 1", "1.", ".5", "NaN"])("is not made of %j", (amount) => {
    expect(() => toUnits(amount, "EUR")).toThrow();
  });

  it("is the same amount when it comes back, in every currency", () => {
    const currency = fc.constantFrom("EUR", "USD", "ISK", "UGX", ...WHOLE, ...THOUSANDTHS);
    const steps = fc.bigInt({ min: 0n, max: 10n ** 15n });
    fc.assert(
      fc.property(currency, steps, (code, step) => {
        const factor = ["ISK", "UGX"].includes(code) ? 100n : THOUSANDTHS.includes(code) ? 10n : 1n;
        const units = step * factor;
        const decimals = WHOLE.includes(code) ? 0 : THOUSANDTHS.includes(code) ? 3 : 2;
        const amount = fromUnits(units, code);
        expect(toUnits(amount, code)).toBe(units);
        expect(amount.split(".")[1]?.length ?? 0).toBe(decimals);
        expect(BigInt(amount.replace(".", ""))).toBe(units);
      }),
      { seed: SEED },
    );
  });
});

describe("a signature of Stripe", () => {
  it("is the one that Stripe's documentation describes", () => {
    // HMAC-SHA256 of `1700000000.{"id":"evt_1"}` with the key whsec_test, computed with OpenSSL.
    const right = "c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925";
    const at = 1_700_000_000_000;
    const body = '{"id":"evt_1"}';
    const check = (header: string, now_ms = at, secret = "whsec_test") =>
      isSigned(body, header, secret, now_ms);
    const header = `t=1700000000,v1=${right}`;
    expect([check(header), check(header, at + 300_000), check(header, at - 300_000)]).toEqual([
      ...[true, true, true],
    ]);
    expect(check(`t=1700000000, v1=${"0".repeat(64)}, v1=${right}`)).toBe(true);
    for (const wrong of [
      check(header, at + 301_000),
      check(header, at - 301_000),
      check(header, at, "whsec_tesu"),
      check(`t=1700000001,v1=${right}`),
      check(`t=1700000000,v1=${right.slice(1)}`),
      check(`t=1700000000,v0=${right}`),
      check(`t=,v1=${right}`),
      check("t=1700000000,v1="),
      check("t=1700000000"),
      check(""),
    ]) {
      expect(wrong).toBe(false);
    }
  });
});
