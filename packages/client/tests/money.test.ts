import { describe, expect, it } from "vitest";
import { findMoneyArithmetic, isNameOfMoney } from "../../../scripts/money-arithmetic.js";
import { CURRENCY_DECIMALS } from "../src/currencies.generated.js";
import { addMoney, moneyFormat, multiplyMoney } from "../src/index.js";

describe("addMoney", () => {
  it.each([
    // The binary sums are 24.999999999999996, 0.30000000000000004, and 1.1099999999999999.
    ["EUR", [7.1, 8.95, 8.95], 25],
    ["EUR", [0.1, 0.2], 0.3],
    ["EUR", [1.1, 0.01], 1.11],
    ["EUR", [], 0],
    ["EUR", [19.99, -19.99], 0],
    ["EUR", [0.05, -0.1], -0.05],
    ["JPY", [1200, 350], 1550],
    ["KWD", [0.105, 0.205, 1.69], 2],
    ["IQD", [7.105, 8.95, 8.945], 25],
    // The largest amounts of orders.
    ["JPY", [999_999_999_999_998, 1], 999_999_999_999_999],
    ["EUR", [45_035_996_273_704.95, 0.01], 45_035_996_273_704.96],
    // Above 2^53 of the smallest unit.
    ["EUR", [90_071_992_547_409.92, 90_071_992_547_409.92], 180_143_985_094_819.84],
    ["EUR", Array(1000).fill(999_999_999_999.99), 999_999_999_999_990],
  ])("adds amounts in %s exactly: %j", (currency, amounts, sum) => {
    expect(addMoney(currency, amounts)).toBe(sum);
  });

  it("has the same sum in any order", () => {
    const amounts = Array.from({ length: 100 }, (_, i) => (i * 37 + 1) / 100);
    const sum = amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100;
    expect(addMoney("EUR", amounts)).toBe(sum);
    expect(addMoney("EUR", amounts.toReversed())).toBe(sum);
  });

  it("refuses what is no amount", () => {
    expect(() => addMoney("EUR", [Number.NaN])).toThrow(SyntaxError);
    expect(() => addMoney("EUR", [Number.POSITIVE_INFINITY])).toThrow(SyntaxError);
  });
});

describe("multiplyMoney", () => {
  it.each([
    // The binary products are 3.3000000000000003, 57.39999999999999, and 10.075000000000001.
    ["EUR", 1.1, 3, 3.3],
    ["EUR", 8.2, 7, 57.4],
    ["EUR", 8.95, 2, 17.9],
    ["KWD", 2.015, 5, 10.075],
    ["JPY", 150, 3, 450],
    ["EUR", 0, 1000, 0],
    ["EUR", 19.99, 0, 0],
    ["EUR", 999_999_999_999.99, 1_000_000, 999_999_999_999_990_000],
  ])("multiplies in %s exactly: %d × %d", (currency, amount, times, product) => {
    expect(multiplyMoney(currency, amount, times)).toBe(product);
  });

  it("refuses parts of a piece", () => {
    expect(() => multiplyMoney("EUR", 1, 1.5)).toThrow(RangeError);
  });
});

describe("moneyFormat", () => {
  it("shows every currency with the decimals that Souk has for it", () => {
    const currencies = Object.entries(CURRENCY_DECIMALS);
    expect(currencies.length).toBeGreaterThan(150);
    for (const [currency, decimals] of currencies) {
      for (const language of ["en", "de", "ar-u-nu-latn"]) {
        const parts = moneyFormat(language, currency).formatToParts(1234);
        const fraction = parts.find(({ type }) => type === "fraction")?.value ?? "";
        expect(`${currency} ${fraction}`).toBe(`${currency} ${"0".repeat(decimals)}`);
      }
    }
  });

  it.each([
    ["RSD", 10.5, "RSD 10.50"],
    ["IQD", 10.5, "IQD 10.500"],
    ["HUF", 1990, "HUF 1,990.00"],
    ["IDR", 15_000, "IDR 15,000.00"],
    ["COP", 99.9, "COP 99.90"],
    ["PKR", 0.5, "PKR 0.50"],
    ["JPY", 1990, "¥1,990"],
    ["EUR", 25, "€25.00"],
  ])("shows %s %d as %s", (currency, amount, shown) => {
    const text = moneyFormat("en", currency).format(amount);
    expect(text.replaceAll("\u00a0", " ")).toBe(shown);
  });

  it("takes the options of Intl", () => {
    const round = {
      notation: "compact",
      minimumFractionDigits: 0,
      maximumFractionDigits: 1,
    } as const;
    expect(moneyFormat("en", "EUR", round).format(12_345)).toBe("€12.3K");
  });
});

describe("the check of the sources", () => {
  it.each([
    "const total = items.reduce((sum, item) => sum + item.price * item.quantity, 0);",
    "const cost = costs.reduce((sum, { amount }) => sum + amount, 0);",
    "const cents = items.reduce((sum, { price, quantity }) => sum + Math.round(price * quantity * 1000), 0) / 1000;",
    "const shown = money(item.price * item.quantity, currency);",
    "const shown = money(cartTotal(cart) + delivery, currency);",
    "const { price: each } = item; const twice = each * 2;",
    "const paid = order.total_amount ?? 0; const open = owed - paid;",
    "let sum = 0; for (const line of lines) sum += line.commission_amount;",
    "const half = Number(order['refund_due']) / 2;",
    "const text = campaign.dailyBudget.toFixed(2);",
    "const sum = (free_from as number) + 1;",
    "const left = Math.max(0, prices[0] - bid);",
    "total_amount++;",
    "const sum = prices.reduce((a, b) => a + b, 0);",
    "const sum = items.map(({ price }) => price).reduce((a, b) => a + b, 0);",
    "for (const one of amounts) sum += one;",
    "const [first] = prices.toSorted(); const twice = first * 2;",
    "let each; each = item.price; const twice = each * 2;",
    "const twice = (each = item.price) => each * 2;",
    "const twice = (await shop.priceOf(item)) * 2;",
    "const twice = (item.price satisfies number) * 2;",
  ])("refuses arithmetic on money: %s", (code) => {
    expect(findMoneyArithmetic("a.ts", code)).not.toEqual([]);
  });

  it.each([
    "const last = Math.ceil(total / limit);",
    "const pieces = items.reduce((sum, { quantity }) => sum + quantity, 0);",
    "const isFree = amountOf(items) >= free_from;",
    "const text = '-' + money(order.total_amount, currency);",
    "const share = commission_percent / 100;",
    "const sum = addMoney(currency, [order.delivery_amount, multiplyMoney(currency, price, 2)]);",
    "const next = price_count + 1;",
    "const names = prices.map((one) => one.currency + '!');",
    "const pages = list.total + 1;",
  ])("accepts %s", (code) => {
    expect(findMoneyArithmetic("a.ts", code)).toEqual([]);
  });

  it("knows the fields of money of the API by their names", () => {
    const fields =
      "amount average_order basePrice bidAmount bid_amount commission_amount cost_per_click dailyBudget daily_budget " +
      "delivery_amount fee free_from maxBid max_bid minBid payout_amount price price_max price_min refund_due revenue " +
      "sales_amount spend subtotal subtotal_amount total_amount total_revenue";
    expect(fields.split(" ").filter((name) => !isNameOfMoney(name))).toEqual([]);
    const others = "total quantity commission_percent revenue_share ctr price_count bid_currency";
    expect(others.split(" ").filter(isNameOfMoney)).toEqual([]);
  });
});
