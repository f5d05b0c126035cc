import { MOST_TEXT } from "./budget.ts";
import { TemplateLimit, TemplateMistake } from "./mistakes.ts";
import { Decimal, decimalOf, valueOfDecimal } from "./numbers.ts";
import { same } from "./operators.ts";
import { ownProperty, type Page } from "./page.ts";
import { sliceOfText, type TemplateFilter } from "./text_filters.ts";
import { numberOf, plainValue, textOf } from "./texts.ts";

/** The value of a filter as a list. Nothing is an empty list, and any other value a list of one. */
function listOf(page: Page, value: unknown): unknown[] {
  const own = plainValue(value);
  if (own === null || own === undefined) return [];
  const list = Array.isArray(own) ? own : [own];
  page.budget.items(list.length);
  return list;
}

/** Longest path of a property, in characters. It is followed for each item. */
const LONGEST_PATH = 200;

/** Returns a function that reads the value at a path of an item, or the item itself if there is no path. */
function reader(page: Page, path: unknown): (item: unknown) => unknown {
  if (path === undefined || path === null) return plainValue;
  const text = textOf(path, page.budget);
  if (text.length > LONGEST_PATH) throw new TemplateMistake("The name of a property is too long.");
  const names = text.split(".");
  return (item) => {
    page.budget.step();
    return plainValue(names.reduce<unknown>((value, name) => ownProperty(value, name), item));
  };
}

/** Bounds the keys of sorting, because they are compared many times: all together are at most as long as one text. */
function boundedKeys(page: Page, keys: unknown[]): void {
  const length = keys.reduce<number>(
    (sum, key) => sum + (typeof key === "string" ? key.length : 0),
    0,
  );
  page.budget.text(length);
}

/** Compares numbers and texts. Values without an order come last, in their original order. */
function rank(key: unknown): number {
  if (typeof key === "number") return 0;
  if (typeof key === "string") return 1;
  return key === null || key === undefined ? 3 : 2;
}

function sortedBy(page: Page, value: unknown, path: unknown, keyOf: (found: unknown) => unknown) {
  const list = listOf(page, value);
  const read = reader(page, path);
  const keys = list.map(read);
  boundedKeys(page, keys);
  const rows = list.map((item, index) => ({ item, key: keyOf(keys[index]) }));
  // The steps are counted at once and not per comparison, so that sorting does not stop half way.
  const order = (a: unknown, b: unknown) =>
    rank(a) - rank(b) ||
    (rank(a) < 2 && (a as string) < (b as string) ? -1 : a === b || rank(a) > 1 ? 0 : 1);
  return rows.sort((a, b) => order(a.key, b.key)).map((row) => row.item);
}

function join(page: Page, value: unknown, separator: unknown = " "): string {
  const between = textOf(separator, page.budget);
  const list = listOf(page, value);
  let length = between.length * Math.max(list.length - 1, 0);
  const parts: string[] = [];
  for (const item of list) {
    if (length > MOST_TEXT) throw new TemplateLimit("bytes", MOST_TEXT);
    const text = textOf(item, page.budget);
    length += text.length;
    parts.push(text);
  }
  page.budget.text(length);
  return parts.join(between);
}

function slice(page: Page, value: unknown, begin: unknown = 0, length: unknown = 1): unknown {
  const from = Math.trunc(numberOf(begin));
  const count = Math.max(Math.trunc(numberOf(length)), 0);
  const own = plainValue(value);
  if (!Array.isArray(own)) return sliceOfText(page, own, from, count);
  const list = listOf(page, own);
  const start = from < 0 ? list.length + from : from;
  return start < 0 ? [] : list.slice(start, start + count);
}

/** The items with a property that equals a value, or that is truthy if no value is given. */
function where(page: Page, value: unknown, path: unknown, ...expected: unknown[]): unknown[] {
  const read = reader(page, path);
  return listOf(page, value).filter((item) => {
    const found = read(item);
    if (expected.length > 0) return same(found, expected[0], page.budget);
    return found !== undefined && found !== null && found !== false;
  });
}

function find(page: Page, value: unknown, path: unknown, ...expected: unknown[]): unknown {
  return where(page, value, path, ...expected)[0];
}

function uniq(page: Page, value: unknown): unknown[] {
  const list = listOf(page, value).map(plainValue);
  boundedKeys(page, list);
  return [...new Set(list)];
}

function concat(page: Page, value: unknown, more: unknown): unknown[] {
  const left = listOf(page, value);
  const right = listOf(page, more);
  page.budget.items(left.length + right.length);
  return [...left, ...right];
}

function sum(page: Page, value: unknown, path?: unknown): unknown {
  const read = reader(page, path);
  const numbers = listOf(page, value).map((item) => decimalOf(read(item)) ?? 0);
  return valueOfDecimal(numbers.reduce<Decimal>((total, one) => total.plus(one), new Decimal(0)));
}

const lowered = (key: unknown) => (typeof key === "string" ? key.toLowerCase() : key);

/** The filters of lists. docs/template-language.md describes them. */
export const LIST_FILTERS = {
  compact: (page, value) =>
    listOf(page, value).filter(
      (item) => plainValue(item) !== null && plainValue(item) !== undefined,
    ),
  concat,
  find,
  first: (_page, value) => ownProperty(value, "first"),
  join,
  last: (_page, value) => ownProperty(value, "last"),
  map: (page, value, path) => listOf(page, value).map(reader(page, path)),
  reverse: (page, value) => [...listOf(page, value)].reverse(),
  size: (_page, value) => ownProperty(value, "size") ?? 0,
  slice,
  sort: (page, value, path) => sortedBy(page, value, path, (key) => key),
  sort_natural: (page, value, path) => sortedBy(page, value, path, lowered),
  sum,
  uniq,
  where,
} satisfies Record<string, TemplateFilter>;
