import { Drop } from "liquidjs";
import type { Budget } from "./budget.ts";
import { MOST_TEXT } from "./budget.ts";
import { TemplateLimit } from "./mistakes.ts";
import { decimalOf, textOfNumber } from "./numbers.ts";

/** HTML that our code has checked. It is inserted into a page without escaping. */
export class SafeHtml {
  // Private, so that neither a template nor a record of the database can look like one.
  readonly #html: string;

  constructor(html: string) {
    this.#html = html;
  }

  get length(): number {
    return this.#html.length;
  }

  toString(): string {
    return this.#html;
  }
}

/** Marks HTML as checked. Only our code can do that. A text that a template makes is not HTML, except that of `capture`. */
export function safeHtml(html: string): SafeHtml {
  return new SafeHtml(html);
}

/** The plain value of a variable: values that the engine wraps are unwrapped, and safe HTML becomes a text. */
export function plainValue(value: unknown): unknown {
  const own = value instanceof Drop ? value.valueOf() : value;
  return own instanceof SafeHtml ? own.toString() : own;
}

/** Deepest nesting of lists. A list may contain the same list many times, so the depth alone does not bound the work. */
const DEEPEST = 100;

/**
 * A value as text for a page: the items of lists one after the other, and nothing for records. The engine's own conversion
 * would call `toString` of a record, and build texts of unbounded length.
 *
 * @throws TemplateLimit when the text is too long, or lists are nested too deep.
 */
export function textOf(value: unknown, budget: Budget): string {
  const parts: string[] = [];
  let length = 0;
  const add = (one: unknown, depth: number) => {
    if (depth > DEEPEST) throw new TemplateLimit("depth", DEEPEST);
    const own = plainValue(one);
    if (Array.isArray(own)) {
      budget.items(own.length);
      for (const item of own) add(item, depth + 1);
      return;
    }
    const text = scalarText(own);
    length += text.length;
    if (length > MOST_TEXT) throw new TemplateLimit("bytes", MOST_TEXT);
    parts.push(text);
  };
  add(value, 0);
  budget.text(length);
  return parts.length === 1 ? (parts[0] ?? "") : parts.join("");
}

/** The text of a value that is no list; nothing for records. */
export function scalarText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return textOfNumber(value);
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  return "";
}

/**
 * Counts the size of a value, before code that reads all of it.
 *
 * @throws TemplateLimit when it is too large or nested too deep.
 */
export function weigh(value: unknown, budget: Budget, depth = 0): void {
  if (depth > DEEPEST) throw new TemplateLimit("depth", DEEPEST);
  const own = plainValue(value);
  if (typeof own === "string") budget.text(own.length);
  if (typeof own !== "object" || own === null) return;
  budget.step();
  const entries = Object.values(own);
  budget.items(entries.length);
  for (const entry of entries) weigh(entry, budget, depth + 1);
}

/** A value as number for counting, also if it is a numeric text. Other values count as zero. */
export function numberOf(value: unknown): number {
  const own = plainValue(value);
  return typeof own === "number" ? own : (decimalOf(own)?.toNumber() ?? 0);
}

/** The length of a text in UTF-8. */
export function bytesOf(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // The halves of a surrogate pair take two bytes each, other characters from U+0800 on three.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
