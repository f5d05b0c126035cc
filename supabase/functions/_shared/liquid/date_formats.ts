import { filters } from "liquidjs";
import { TemplateLimit, TemplateMistake } from "./mistakes.ts";

export const DATE_STYLES = ["short", "medium", "long", "full"] as const;

export type DateStyle = (typeof DATE_STYLES)[number];

/** Directives of strftime that stand for several others. The engine does not know them, or not in all languages. */
const COMPOSITES: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  R: "%H:%M",
  r: "%I:%M:%S %p",
  T: "%H:%M:%S",
  v: "%e-%^b-%Y",
  X: "%H:%M:%S",
  x: "%m/%d/%y",
};

/** The other directives. */
const DIRECTIVES = new Set("aAbBCdehHIjklLmMnNpPsStuUwWyYzZ%");

const DIRECTIVE = /%[-_0^#:]*\d*[EO]?(.?)/gs;

/** Longest format, and widest part of its result, in characters. */
const LONGEST_FORMAT = 500;

/** Whether a text is a format of the filter `date`: a style, `time`, or a format of strftime without unknown directives. */
export function isDateFormat(text: string): boolean {
  if (text === "time" || DATE_STYLES.some((style) => style === text)) return true;
  const letters = [...text.matchAll(DIRECTIVE)].map(([, letter = ""]) => letter);
  return (
    text.length <= LONGEST_FORMAT &&
    letters.length > 0 &&
    letters.every((letter) => DIRECTIVES.has(letter) || Object.hasOwn(COMPOSITES, letter))
  );
}

type EngineFilter = (this: unknown, at: Date, format: string, offset: number) => string;

/**
 * Writes a time in a format of strftime, with the names of a language. `offset` is the offset of its time zone from UTC, in
 * minutes.
 *
 * @throws TemplateMistake when the format is too long.
 * @throws TemplateLimit when a part of it is too wide.
 */
export function strftime(at: Date, offset: number, format: string, language: string): string {
  if (format.length > LONGEST_FORMAT) {
    throw new TemplateMistake(`the format of a date has at most ${LONGEST_FORMAT} characters`);
  }
  const whole = format.replace(DIRECTIVE, (one, letter) => COMPOSITES[letter] ?? one);
  const memoryLimit = {
    use(width: number) {
      if (width > LONGEST_FORMAT) throw new TemplateLimit("bytes", LONGEST_FORMAT);
    },
  };
  const engine = { context: { opts: { locale: language }, memoryLimit } };
  // The engine counts offsets westwards, as JavaScript does.
  return (filters.date as unknown as EngineFilter).call(engine, at, whole, -offset);
}
