import { moneyFormat, wallClock } from "@souk/client";

type Format = ReturnType<typeof createFormat>;

const formats = new Map<string, Format>();

/** The locale for numbers and times. Arabic uses Latin digits, as in the texts and in fields. */
export const intlLocale = (language: string): string =>
  language === "ar" ? "ar-u-nu-latn" : language;

/** Returns the same object for each language, because creating one costs more than using it. */
export function formatIn(locale: string): Format {
  const format = formats.get(locale) ?? createFormat(locale);
  formats.set(locale, format);
  return format;
}

function createFormat(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const share = { style: "percent", maximumFractionDigits: 1 } as const;
  const percents = new Intl.NumberFormat(locale, share);
  const rates = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 4 });
  const changes = new Intl.NumberFormat(locale, { ...share, signDisplay: "exceptZero" });
  const times = (options: Intl.DateTimeFormatOptions) => {
    const made = new Intl.DateTimeFormat(locale, options);
    return (time: string) => made.format(new Date(time));
  };
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
  const localTimes = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  const months = times({ month: "short", year: "2-digit", timeZone: "UTC" });
  return {
    money: amountsIn(locale, {}),
    /** An amount without cents, for large figures and axes. */
    roundMoney: amountsIn(locale, {
      notation: "compact",
      minimumFractionDigits: 0,
      maximumFractionDigits: 1,
    }),
    number: (value: number) => numbers.format(value),
    percent: (value: number) => percents.format(value / 100),
    /** A rate in percent, with all of its up to 4 decimals. */
    rate: (value: number) => rates.format(value / 100),
    /** A change as the API writes it, such as `+12.5%`. */
    change: (change: string) => changes.format(Number.parseFloat(change) / 100),
    date: (time: string) => dates.format(new Date(time)),
    /** The dates from one time to another. */
    dates: (from: string, to: string) => dates.formatRange(new Date(from), new Date(to)),
    time: times({ dateStyle: "medium", timeStyle: "short" }),
    /** A local text of the API, `created_at_local`: the tenant's time, as on mails and in exports. */
    localTime: (local: string) => localTimes.format(wallClock(local)),
    /** A month of the form `2026-11`. */
    month: (month: string) => months(`${month.slice(0, 7)}-01T00:00:00Z`),
    hour: times({ hour: "numeric" }),
    day: times({ day: "numeric", month: "short", timeZone: "UTC" }),
    /** A day of the form `2026-11-30`, with its year. */
    fullDay: times({ dateStyle: "medium", timeZone: "UTC" }),
  };
}

function amountsIn(locale: string, options: Intl.NumberFormatOptions) {
  const byCurrency = new Map<string, Intl.NumberFormat>();
  return (amount: number, currency: string): string => {
    const made = byCurrency.get(currency) ?? moneyFormat(locale, currency, options);
    byCurrency.set(currency, made);
    return made.format(amount);
  };
}
