import {
  AssertionError,
  type Liquid,
  LiquidError,
  type Template,
  Tokenizer,
  TokenKind,
  type TopLevelToken,
} from "liquidjs";
import { MOST_ITEMS } from "./budget.ts";
import { TemplateLimit, TemplateMistake } from "./mistakes.ts";

/** The longest text of a template. */
export const LONGEST_TEMPLATE = 262_144;

/** The most of it that stands in tags and outputs: each of its letters takes far more time, and room, than a letter of HTML. */
const MOST_MARKUP = 65_536;

/** So deep tags stand in one another. */
export const DEEPEST_TAGS = 100;

/** Tags that something stands in. */
const BLOCKS = new Set(["capture", "case", "comment", "for", "if", "unless"]);

/** A list that is only taken from at its beginning. Taking from a long array's beginning moves all the rest of it. */
class Queue {
  #at = 0;

  constructor(readonly tokens: TopLevelToken[]) {}

  get length(): number {
    return this.tokens.length - this.#at;
  }

  shift(): TopLevelToken | undefined {
    return this.tokens[this.#at++];
  }
}

/** @throws TemplateLimit when a formula is longer than any may be. */
export function boundFormula(text: string): void {
  if (text.length > MOST_MARKUP) throw new TemplateLimit("bytes", MOST_MARKUP);
}

/** How many tags and outputs begin in a text. */
export function marksIn(text: string): number {
  let marks = 0;
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at + 1)) {
    const next = text[at + 1];
    if (next === "{" || next === "%") marks++;
  }
  return marks;
}

/**
 * A text as the engine's tree.
 *
 * @throws TemplateLimit when it is too long, or too much of it is tags, has too many tags or has them too deep in one another.
 * @throws TemplateMistake when it is no Liquid, or names a tag or a filter that does not exist.
 */
export function treeOf(text: string, engine: Liquid): Template[] {
  if (text.length > LONGEST_TEMPLATE) throw new TemplateLimit("bytes", LONGEST_TEMPLATE);
  // Before anything is made of them: each takes kilobytes.
  if (marksIn(text) > MOST_ITEMS) throw new TemplateLimit("items", MOST_ITEMS);
  try {
    const tokens = new Tokenizer(text, engine.options.operators).readTopLevelTokens(engine.options);
    boundMarkup(tokens);
    return engine.parser.parseTokens(new Queue(tokens) as unknown as TopLevelToken[]);
  } catch (error) {
    throw explained(error, { parsing: true });
  }
}

function boundMarkup(tokens: TopLevelToken[]): void {
  let depth = 0;
  let markup = 0;
  for (const token of tokens) {
    if (token.kind !== TokenKind.HTML) markup += token.end - token.begin;
    if (markup > MOST_MARKUP) throw new TemplateLimit("bytes", MOST_MARKUP);
    const name = "name" in token ? String(token.name) : "";
    if (BLOCKS.has(name)) depth++;
    if (name.startsWith("end")) depth--;
    if (depth > DEEPEST_TAGS) throw new TemplateLimit("depth", DEEPEST_TAGS);
  }
}

export interface Circumstances {
  /** Whether a text was being parsed: all that goes wrong then is the text's fault. */
  parsing?: boolean;
  /** How many characters stand before the text that nobody wrote. */
  before?: number;
}

/**
 * What the engine threw, as what a page answers. What went wrong in code that a template called is given back as it was.
 */
export function explained(error: unknown, { parsing, before = 0 }: Circumstances = {}): unknown {
  const cause = causeOf(error);
  if (cause instanceof TemplateLimit) return cause;
  // The stack's end: brackets in brackets, thousands of them.
  if (cause instanceof RangeError) return new TemplateLimit("depth", DEEPEST_TAGS);
  const isTheirs =
    parsing ||
    cause instanceof TemplateMistake ||
    cause instanceof AssertionError ||
    LiquidError.is(cause);
  if (!isTheirs) return cause;
  const [line, column] = placeOf(error) ?? [1, 1];
  return new TemplateMistake(
    messageOf(cause as Error),
    line,
    line === 1 ? Math.max(column - before, 1) : column,
  );
}

function causeOf(error: unknown): unknown {
  let cause = error;
  while (LiquidError.is(cause) && (cause as { originalError?: unknown }).originalError) {
    cause = (cause as { originalError?: unknown }).originalError;
  }
  return cause;
}

function placeOf(error: unknown): [number, number] | undefined {
  if (!LiquidError.is(error)) return undefined;
  const inner = (error as { originalError?: unknown }).originalError;
  const { token } = error as unknown as { token?: { getPosition(): [number, number] } };
  return placeOf(inner) ?? token?.getPosition();
}

const LONGEST_MESSAGE = 200;

/** The engine's words without the place, which stands beside them. */
function messageOf({ message }: Error): string {
  const words = message
    .slice(0, LONGEST_MESSAGE)
    .replace(/, line:\d+, col:\d+.*$/s, "")
    .replace(/^undefined filter: (.*)$/s, "there is no filter $1")
    .replace(/^tag "(.*)" not found$/s, "there is no tag $1");
  return words;
}
