import { useTranslation } from "react-i18next";

/** Amounts, numbers and times in the language of the page. */
export function useFormat() {
  const { i18n } = useTranslation();
  const language = i18n.language;
  return {
    money: (amount: number, currency: string) =>
      new Intl.NumberFormat(language, { style: "currency", currency }).format(amount),
    /** An amount without its cents, for large figures and axes. */
    roundMoney: (amount: number, currency: string) =>
      new Intl.NumberFormat(language, {
        style: "currency",
        currency,
        notation: "compact",
        maximumFractionDigits: 1,
      }).format(amount),
    number: (value: number) => new Intl.NumberFormat(language).format(value),
    percent: (value: number) =>
      new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 }).format(
        value / 100,
      ),
    date: (iso: string) =>
      new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(iso)),
    time: (iso: string) =>
      new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(
        new Date(iso),
      ),
    /** A month of the form `2026-11`. */
    month: (month: string) =>
      new Intl.DateTimeFormat(language, {
        month: "short",
        year: "2-digit",
        timeZone: "UTC",
      }).format(new Date(`${month.slice(0, 7)}-01T00:00:00Z`)),
    hour: (iso: string) =>
      new Intl.DateTimeFormat(language, { hour: "numeric" }).format(new Date(iso)),
    day: (date: string) =>
      new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" }).format(
        new Date(date),
      ),
  };
}

/** Reads a number that was typed, with a comma or a point; undefined where nothing or something else stands. */
export function numberFrom(text: string): number | undefined {
  const plain = text.trim().replace(",", ".");
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : undefined;
}
