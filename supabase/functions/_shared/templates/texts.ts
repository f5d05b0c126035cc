import { Drop } from "liquidjs";
import type { Budget } from "./budget.ts";
import { MOST_TEXT } from "./budget.ts";
import { TemplateLimit } from "./mistakes.ts";

/** HTML that code has checked, and that is put into a page's text as it is. */
export class SafeHtml {
  // Private, so that neither a template nor a record read from the database can be taken for one.
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

/** Marks HTML as checked. Only code may do so: what a template puts together is text, a `capture` apart. */
export function safeHtml(html: string): SafeHtml {
  return new SafeHtml(html);
}

/** A variable's own value: what the engine wraps is taken out, and safe HTML is a text as others are. */
export function plainValue(value: unknown): unknown {
  const own = value instanceof Drop ? value.valueOf() : value;
  return own instanceof SafeHtml ? own.toString() : own;
}

/** Lists may hold one another, and the same one may stand in many places. */
const DEEPEST = 100;

/**
 * A value as the text that is put into a page: lists one item after the other, records not at all. The engine's own way
 * would ask a record for its `toString`, and build a text of any length before anybody can say no.
 *
 * @throws TemplateLimit when the text is too long, or lists stand too deep in one another.
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

function scalarText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  return "";
}

/**
 * Counts what a value holds, for code that goes through all of it.
 *
 * @throws TemplateLimit when that is too much, or stands too deep.
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

/** A number, be it written as a text; what is none counts as zero. */
export function numberOf(value: unknown): number {
  const own = plainValue(value);
  if (typeof own === "number") return own;
  // A number has fewer digits, and reading a long text as one takes long.
  return typeof own === "string" && own.length <= 400 ? Number(own) || 0 : 0;
}

/** The length of a text in UTF-8. */
export function bytesOf(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // Two halves of one character take two bytes each, any other character from here on takes three.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
