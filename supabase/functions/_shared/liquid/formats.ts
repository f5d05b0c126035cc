import { CURRENCY_DECIMALS } from "../values/currencies.generated.ts";
import { CompiledCache } from "./compiled_cache.ts";
import { DATE_STYLES, type DateStyle, strftime } from "./date_formats.ts";
import { decimalOf } from "./numbers.ts";
import { offsetAt, type Time, timeOf } from "./times.ts";
import type { ZoneOffsets } from "./zones.ts";

/** The formats of a template in a language. */
export interface Formatting {
  date_format?: DateStyle;
  time_format?: DateStyle;
  currency_format?: "symbol" | "narrow_symbol" | "code" | "name";
  number_format?: "grouped" | "plain" | "compact";
}

/** Formats amounts, numbers and dates for a language. Other values give an empty text. */
export interface Locale {
  language: string;
  money(amount: unknown, currency?: unknown): string;
  number(value: unknown): string;
  /** In one of the styles, in a format of strftime, or as `time` for the time of the day. */
  date(value: unknown, style?: unknown): string;
  /** The name of a country by its ISO 3166-1 code; another text stays as it is. */
  country(code: unknown): string;
}

/** Longest text that is formatted as a number, in characters. */
const LONGEST = 64;

/** Maximum number of formatters that are kept. Making one is slow, and a template may name any currency. */
const MOST_KEPT = 20;

/** The formats of a language. Dates are given an offset of a time zone, in minutes. */
interface Formats extends Omit<Locale, "date"> {
  date(time: Time, style: unknown, offset: number): string;
}

/** Maximum size of all kept keys, in characters: enough for about thirty languages. */
const formats = new CompiledCache<Formats>(2_000);

/**
 * The formats of a language, or of English if Intl does not know the language. `currency` is the default currency of
 * amounts. Times are in the time zone, whose offsets the database has given.
 */
export function createLocale(
  language: string,
  formatting: Formatting = {},
  currency = "EUR",
  timeZone = "UTC",
  offsets?: ZoneOffsets,
): Locale {
  const asked = JSON.stringify([language, formatting, currency]);
  const made = formats.get("locale", asked, () => makeFormats(language, formatting, currency));
  return {
    ...made,
    date(value, style) {
      const time = timeOf(value);
      if (!time) return "";
      return made.date(time, style, time.isLocal ? 0 : offsetAt(time.at, timeZone, offsets));
    },
  };
}

function makeFormats(language: string, formatting: Formatting, currency: string): Formats {
  const tag = known(() => Intl.getCanonicalLocales(language)[0]) ?? "en";
  const kept = new Map<string, Intl.NumberFormat>();
  const days = new Map<unknown, Intl.DateTimeFormat>();
  let regions: Intl.DisplayNames | undefined;

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
    date(time, style, offset) {
      const at = new Date(time.at);
      if (typeof style === "string" && style.includes("%")) {
        return strftime(at, offset, style, tag);
      }
      const shown = dateOptions(style, formatting);
      if (!shown || (style === "time" && time.isDay)) return "";
      // All styles are kept: there are few. The time is shifted, because the engine's own zones may be old.
      const format = days.get(style) ?? new Intl.DateTimeFormat(tag, { ...shown, timeZone: "UTC" });
      days.set(style, format);
      const text = known(() => format.format(at.getTime() + offset * 60_000)) ?? "";
      return style === "time" && namesZone(formatting) && !time.isLocal
        ? `${text} ${zoneText(offset)}`
        : text;
    },
    country(code) {
      if (typeof code !== "string" || code.length > LONGEST) return "";
      regions ??= new Intl.DisplayNames([tag, "en"], { type: "region" });
      const names = regions;
      return known(() => names.of(code)) ?? code;
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
  const { time_format = "short", date_format = "medium" } = formatting;
  // The longer styles name the zone of the engine.
  if (style === "time")
    return { timeStyle: namesZone(formatting) ? "medium" : time_format } as const;
  const dateStyle = DATE_STYLES.find((one) => one === (style ?? date_format));
  return dateStyle && ({ dateStyle } as const);
}

const namesZone = ({ time_format }: Formatting) => time_format === "long" || time_format === "full";

/** The offset of a zone as Intl writes it: `GMT+5:30`. */
function zoneText(offset: number): string {
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  if (offset === 0) return "UTC";
  const rest = minutes === 0 ? "" : `:${String(minutes).padStart(2, "0")}`;
  return `GMT${offset < 0 ? "-" : "+"}${hours}${rest}`;
}

/** A value that Intl can format: a decimal as text, which may have more digits than a number. */
function decimalFor(value: unknown): number | undefined {
  if (typeof value === "string" && value.length > LONGEST) return undefined;
  // The types allow numbers only; engines have accepted texts since 2023.
  return decimalOf(value)?.toFixed() as number | undefined;
}

/** The result of `make`; undefined if Intl refuses its arguments. */
function known<Found>(find: () => Found): Found | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
