import { MOST_ITEMS, MOST_TEXT } from "./budget.ts";
import { TemplateLimit } from "./mistakes.ts";
import type { Page } from "./page.ts";
import { placesOf } from "./searching.ts";
import { numberOf, textOf } from "./texts.ts";

export type TemplateFilter = (page: Page, value: unknown, ...args: unknown[]) => unknown;

/** Makes a filter that takes texts. Other values are converted, and the length is counted. */
function ofTexts(filter: (text: string, ...args: string[]) => unknown): TemplateFilter {
  return ({ budget }, value, ...args) =>
    filter(textOf(value, budget), ...args.map((arg) => textOf(arg, budget)));
}

/** Makes a filter that replaces or removes the first `most` occurrences of a word. */
function ofPlaces(most?: number): TemplateFilter {
  return ({ budget }, value, word, by) => {
    const [text, sought, put] = [textOf(value, budget), textOf(word, budget), textOf(by, budget)];
    // One place more than allowed, to detect that there are too many.
    const places = placesOf(text, sought, most ?? MOST_ITEMS + 1);
    budget.items(places.length);
    bounded(text.length + places.length * (put.length - sought.length));
    return withPlaces(text, places, sought.length, put);
  };
}

/** @throws TemplateLimit if a text would become too long. */
function bounded(length: number): void {
  if (length > MOST_TEXT) throw new TemplateLimit("bytes", MOST_TEXT);
}

function joined(left: string, right: string): string {
  bounded(left.length + right.length);
  return left + right;
}

/** Replaces the word at some places of a text. */
function withPlaces(text: string, places: number[], length: number, by: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const place of places) {
    parts.push(text.slice(from, place), by);
    from = place + length;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

function split(page: Page, value: unknown, separator: unknown): string[] {
  const text = textOf(value, page.budget);
  const word = textOf(separator, page.budget);
  if (text === "") return [];
  if (word === "") return characters(page, text);
  const places = placesOf(text, word, MOST_ITEMS + 1);
  page.budget.items(places.length + 1);
  const starts = [0, ...places.map((place) => place + word.length)];
  const parts = starts.map((start, index) => text.slice(start, places[index]));
  while (parts.at(-1) === "") parts.pop();
  return parts;
}

function characters(page: Page, text: string): string[] {
  page.budget.items(Math.ceil(text.length / 2));
  const all = [...text];
  page.budget.items(all.length);
  return all;
}

/** The offset after `count` characters from an offset on. A character beyond U+FFFF has two units. */
function after(text: string, from: number, count: number): number {
  let at = from;
  for (let passed = 0; passed < count && at < text.length; passed++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

function truncate(page: Page, value: unknown, length: unknown = 50, end: unknown = "..."): string {
  const text = textOf(value, page.budget);
  const most = numberOf(length);
  if (after(text, 0, most) >= text.length) return text;
  const tail = textOf(end, page.budget);
  const kept = Math.max(most - after(tail, 0, tail.length), 0);
  return joined(text.slice(0, after(text, 0, kept)), tail);
}

function truncatewords(page: Page, value: unknown, words: unknown = 15, end: unknown = "...") {
  const text = textOf(value, page.budget);
  const most = Math.max(Math.trunc(numberOf(words)), 1);
  page.budget.items(Math.min(most, MOST_ITEMS + 1));
  const word = /\S+/g;
  const kept: string[] = [];
  for (let found = word.exec(text); found; found = word.exec(text)) {
    if (kept.length === most) return joined(kept.join(" "), textOf(end, page.budget));
    kept.push(found[0]);
  }
  return kept.join(" ");
}

/** A part of a text, counted in characters. Lists are handled elsewhere. */
export function sliceOfText(page: Page, value: unknown, begin: number, length: number): string {
  const text = textOf(value, page.budget);
  const start =
    begin < 0 ? after(text, 0, text.length) && fromEnd(text, -begin) : after(text, 0, begin);
  return start === undefined ? "" : text.slice(start, after(text, start, length));
}

function fromEnd(text: string, count: number): number | undefined {
  let at = text.length;
  for (let passed = 0; passed < count; passed++) {
    if (at === 0) return undefined;
    at -= at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/** The filters of texts. docs/template-language.md describes them. */
export const TEXT_FILTERS = {
  append: ofTexts((text, end = "") => joined(text, end)),
  prepend: ofTexts((text, start = "") => joined(start, text)),
  capitalize: ofTexts((text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()),
  downcase: ofTexts((text) => text.toLowerCase()),
  upcase: ofTexts((text) => text.toUpperCase()),
  strip: ofTexts((text) => text.trim()),
  lstrip: ofTexts((text) => text.trimStart()),
  rstrip: ofTexts((text) => text.trimEnd()),
  strip_newlines: ofTexts((text) => text.replace(/\r?\n/g, "")),
  remove: (page, text, word) => ofPlaces()(page, text, word, ""),
  remove_first: (page, text, word) => ofPlaces(1)(page, text, word, ""),
  replace: ofPlaces(),
  replace_first: ofPlaces(1),
  split,
  truncate,
  truncatewords,
} satisfies Record<string, TemplateFilter>;
