import { CURRENCY_DECIMALS } from "../http/currencies.generated.ts";
import { CompiledCache } from "./compiled_cache.ts";
import { decimalOf } from "./numbers.ts";

/** The formats of a template in a language. */
export interface Formatting {
  date_format?: DateStyle;
  time_format?: DateStyle;
  currency_format?: "symbol" | "narrow_symbol" | "code" | "name";
  number_format?: "grouped" | "plain" | "compact";
}

type DateStyle = (typeof DATE_STYLES)[number];

const DATE_STYLES = ["short", "medium", "long", "full"] as const;

/** Formats amounts, numbers and dates for a language. Other values give an empty text. */
export interface Locale {
  language: string;
  money(amount: unknown, currency?: unknown): string;
  number(value: unknown): string;
  /** In one of the styles, or `time` for the time of the day. */
  date(value: unknown, style?: unknown): string;
}

/** Longest text that is read as a number or a date, in characters. */
const LONGEST = 64;

/** Dates with the year first, as this API writes them. JavaScript engines differ in how they read others. */
const DAY = /^\d{4}-\d{2}-\d{2}/;

/** Maximum number of formatters that are kept. Making one is slow, and a template may name any currency. */
const MOST_KEPT = 20;

/** Maximum size of all kept keys, in characters: enough for about thirty languages. */
const locales = new CompiledCache<Locale>(2_000);

/**
 * The formats of a language, or of English if Intl does not know the language. `currency` is the default currency of
 * amounts, and dates are in the time zone.
 */
export function createLocale(
  language: string,
  formatting: Formatting = {},
  currency = "EUR",
  timeZone = "UTC",
): Locale {
  const asked = JSON.stringify([language, formatting, currency, timeZone]);
  return locales.get("locale", asked, () => makeLocale(language, formatting, currency, timeZone));
}

function makeLocale(
  language: string,
  formatting: Formatting,
  currency: string,
  timeZone: string,
): Locale {
  const tag = known(() => Intl.getCanonicalLocales(language)[0]) ?? "en";
  const zone = known(() => new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone);
  const kept = new Map<string, Intl.NumberFormat>();
  const days = new Map<unknown, Intl.DateTimeFormat>();

  const money = (code: string) => {
    const found = kept.get(code);
    if (found) return found;
    const made = moneyFormat(tag, code, formatting);
    if (kept.size < MOST_KEPT) kept.set(code, made);
    return made;
  };
  return {
    language: tag,
    money(amount, code) {
      const decimal = decimalFor(amount);
      const named = code === undefined || code === null || code === "" ? currency : code;
      if (decimal === undefined || typeof named !== "string") return "";
      return known(() => money(named.toUpperCase()).format(decimal)) ?? "";
    },
    number(value) {
      const decimal = decimalFor(value);
      if (decimal === undefined) return "";
      const format =
        kept.get("") ?? new Intl.NumberFormat(tag, NUMBERS[formatting.number_format ?? "grouped"]);
      kept.set("", format);
      return format.format(decimal);
    },
    date(value, style) {
      const day = dayOf(value);
      const shown = dateOptions(style, formatting);
      if (!day || !shown) return "";
      // All styles are kept: there are few.
      const options = { ...shown, timeZone: zone ?? "UTC" };
      const format = days.get(style) ?? new Intl.DateTimeFormat(tag, options);
      days.set(style, format);
      return known(() => format.format(day)) ?? "";
    },
  };
}

const NUMBERS = {
  grouped: { maximumFractionDigits: 20 },
  plain: { useGrouping: false, maximumFractionDigits: 20 },
  compact: { notation: "compact" },
} as const satisfies Record<string, Intl.NumberFormatOptions>;

const CURRENCIES = {
  symbol: "symbol",
  narrow_symbol: "narrowSymbol",
  code: "code",
  name: "name",
} as const;

function moneyFormat(tag: string, currency: string, formatting: Formatting) {
  const isCompact = formatting.number_format === "compact";
  // Engines have other decimals for some currencies. A compact amount has few of them.
  const decimals = isCompact ? undefined : CURRENCY_DECIMALS[currency];
  return new Intl.NumberFormat(tag, {
    style: "currency",
    currency,
    currencyDisplay: CURRENCIES[formatting.currency_format ?? "symbol"],
    useGrouping: formatting.number_format !== "plain",
    notation: isCompact ? "compact" : "standard",
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

function dateOptions(style: unknown, formatting: Formatting) {
  if (style === "time") return { timeStyle: formatting.time_format ?? "short" } as const;
  const named = style ?? formatting.date_format ?? "medium";
  const dateStyle = DATE_STYLES.find((one) => one === named);
  return dateStyle && ({ dateStyle } as const);
}

/** A value that Intl can format: a decimal as text, which may have more digits than a number. */
function decimalFor(value: unknown): number | undefined {
  if (typeof value === "string" && value.length > LONGEST) return undefined;
  // The types allow numbers only; engines have accepted texts since 2023.
  return decimalOf(value)?.toFixed() as number | undefined;
}

function dayOf(value: unknown): Date | undefined {
  const read = typeof value === "string" ? value.trim() : value;
  if (typeof read === "string" && (read.length > LONGEST || !DAY.test(read))) return undefined;
  if (typeof read !== "string" && typeof read !== "number" && !(read instanceof Date))
    return undefined;
  const day = new Date(read);
  return Number.isNaN(day.getTime()) ? undefined : day;
}

/** The result of `make`; undefined if Intl refuses its arguments. */
function known<Found>(find: () => Found): Found | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
