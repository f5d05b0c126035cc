import { describe, expect, it } from "vitest";
import { createLocale } from "../../supabase/functions/_shared/liquid/formats.ts";

/** Replaces the special spaces of Intl by ordinary ones. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

describe("money", () => {
  it("is formatted for its language", () => {
    expect(plain(createLocale("de").money(1234.5))).toBe("1.234,50 €");
    expect(plain(createLocale("en", {}, "USD").money("1234.50"))).toBe("$1,234.50");
    expect(plain(createLocale("de").money(3, "usd"))).toBe("3,00 $");
  });

  it("shows the currency in the requested style", () => {
    const shown = (currency_format: "symbol" | "narrow_symbol" | "code" | "name") =>
      plain(createLocale("en", { currency_format }, "CAD").money(2));
    expect(["symbol", "narrow_symbol", "code", "name"].map((one) => shown(one as "code"))).toEqual([
      "CA$2.00",
      "$2.00",
      "CAD 2.00",
      "2.00 Canadian dollars",
    ]);
  });

  it.each([
    ["HUF", 1990, "HUF 1,990.00"],
    ["IQD", "10.5", "IQD 10.500"],
    ["JPY", 1990, "¥1,990"],
    // A currency that Souk does not have.
    ["XAU", 1, "XAU 1.00"],
  ])("has the decimals of Souk's currencies on every engine: %s", (currency, amount, shown) => {
    expect(plain(createLocale("en", {}, currency).money(amount))).toBe(shown);
    expect(plain(createLocale("en").money(amount, currency.toLowerCase()))).toBe(shown);
  });

  it("is empty for other values", () => {
    const { money } = createLocale("en");
    for (const none of [undefined, null, "", "1e5", "abc", {}, [1], Number.NaN, "9".repeat(100)]) {
      expect(money(none)).toBe("");
    }
    expect(money(1, "no currency")).toBe("");
    expect(money(1, {})).toBe("");
  });
});

describe("number", () => {
  it("keeps all digits, grouped or not", () => {
    expect(createLocale("en").number("12345678901234567890.25")).toBe(
      "12,345,678,901,234,567,890.25",
    );
    expect(createLocale("en", { number_format: "plain" }).number(12345.5)).toBe("12345.5");
    expect(createLocale("en", { number_format: "compact" }).number(12345)).toBe("12K");
    expect(createLocale("en").number("twelve")).toBe("");
  });
});

describe("date", () => {
  const DAY = "2024-03-09T22:30:00Z";

  it("has the style medium by default", () => {
    const { date } = createLocale("en");
    expect(date(DAY)).toBe("Mar 9, 2024");
    expect(date(DAY, "short")).toBe("3/9/24");
    expect(date(DAY, "full")).toBe("Saturday, March 9, 2024");
    expect(plain(date(DAY, "time"))).toBe("10:30 PM");
    expect(createLocale("en", { date_format: "long" }).date(DAY)).toBe("March 9, 2024");
  });

  it("is in the time zone", () => {
    expect(createLocale("en", {}, "EUR", "Asia/Tokyo").date(DAY)).toBe("Mar 10, 2024");
    expect(createLocale("en", {}, "EUR", "No/Where").date(DAY)).toBe("Mar 9, 2024");
  });

  it("has the offsets that are given, and those of the engine without them", () => {
    const zone = [
      [0, 3600],
      [1_710_000_000, -7200],
    ] as const;
    const { date } = createLocale("en", { time_format: "long" }, "EUR", "No/Where", zone);
    expect(date("2024-03-09T15:59:59Z", "%F %H:%M:%S %z")).toBe("2024-03-09 16:59:59 +0100");
    expect(date("2024-03-09T16:00:00Z", "%F %H:%M:%S %z")).toBe("2024-03-09 14:00:00 -0200");
    expect(date("1969-12-31T23:30:00Z", "%F %R")).toBe("1970-01-01 00:30");
    expect(plain(date(DAY, "time"))).toBe("8:30:00 PM GMT-2");
    expect(plain(date("2024-03-09T10:00", "time"))).toBe("10:00:00 AM");
  });

  it("takes strftime, texts of the database, and Unix times", () => {
    const { date } = createLocale("de", {}, "EUR", "America/New_York");
    expect(date("2024-03-09 02:05:06.123456+00", "%-d. %B %Y, %k:%M")).toBe("8. März 2024, 21:05");
    expect(date(1_710_000_000, "%D %T")).toBe("03/09/24 11:00:00");
    expect(date("1710000000000", "%s")).toBe("1710000000");
    expect(date(DAY, "100 %%")).toBe("100 %");
    expect(() => date(DAY, "%9999d")).toThrow("limit");
    expect(() => date(DAY, "%d".repeat(300))).toThrow("at most 500");
  });

  it("is empty for other values", () => {
    const { date } = createLocale("no language at all");
    for (const none of ["", "soon", "9", null, undefined, {}, [DAY], Number.NaN, 1e300]) {
      expect(date(none)).toBe("");
    }
    expect(date(DAY, "soon")).toBe("");
    expect(date(0)).toBe("Jan 1, 1970");
  });
});
