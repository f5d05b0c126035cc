import {
  AssertionError,
  type Liquid,
  LiquidError,
  type Template,
  type Token,
  Tokenizer,
  TokenKind,
  type TopLevelToken,
  Value,
} from "liquidjs";
import { MOST_ITEMS } from "./budget.ts";
import { checkArguments } from "./filter_arguments.ts";
import { TemplateLimit, TemplateMistake } from "./mistakes.ts";

/** Longest text of a template, in characters. */
export const LONGEST_TEMPLATE = 262_144;

/** Maximum number of characters in tags and outputs: each takes far more time and memory than a character of HTML. */
const MOST_MARKUP = 65_536;

/** Deepest nesting of tags. */
export const DEEPEST_TAGS = 100;

/** Tags with a body. */
const BLOCKS = new Set(["capture", "case", "comment", "for", "if", "unless"]);

/** A list with a fast `shift`. The `shift` of a long array moves all other items. */
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

/** @throws TemplateLimit when a formula is too long. */
export function boundFormula(text: string): void {
  if (text.length > MOST_MARKUP) throw new TemplateLimit("bytes", MOST_MARKUP);
}

/** The number of tags and outputs that begin in a text. */
export function marksIn(text: string): number {
  let marks = 0;
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at + 1)) {
    const next = text[at + 1];
    if (next === "{" || next === "%") marks++;
  }
  return marks;
}

/**
 * Parses a text into the engine's tree.
 *
 * @throws TemplateLimit when the text is too long, has too many tags, too much text in tags, or tags nested too deep.
 * @throws TemplateMistake when it is not valid Liquid, or names a tag or a filter that does not exist.
 */
export function treeOf(text: string, engine: Liquid): Template[] {
  if (text.length > LONGEST_TEMPLATE) throw new TemplateLimit("bytes", LONGEST_TEMPLATE);
  // Checked before the text is parsed, because each token takes kilobytes.
  if (marksIn(text) > MOST_ITEMS) throw new TemplateLimit("items", MOST_ITEMS);
  const templates = parsed(text, engine);
  checkValues(templates);
  return templates;
}

function parsed(text: string, engine: Liquid): Template[] {
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

/**
 * Refuses expressions of two values without an operator between them, which the engine would read as the first one, and
 * wrong arguments of filters.
 */
function checkValues(templates: readonly Template[]): void {
  const pending = [...templates];
  for (let template = pending.pop(); template; template = pending.pop()) {
    for (const value of template.arguments?.() ?? []) {
      if (!(value instanceof Value)) continue;
      if (!isOneValue(value.initial)) {
        const [line, column] = template.token.getPosition();
        throw new TemplateMistake(TWO_VALUES, line, column);
      }
      value.filters.forEach(checkArguments);
    }
    const children = template.children?.(false, true).next().value;
    if (Array.isArray(children)) pending.push(...children);
  }
}

/** The mistake of an expression that has more than one value as its result. */
export const TWO_VALUES = "an operator or a filter is missing between two values";

/** Whether an expression has one value as its result. */
export function isOneValue(expression: unknown): boolean {
  const { postfix } = expression as { postfix?: Token[] };
  // The expression of `cycle` is ours, and has no tokens.
  if (!postfix) return true;
  const isOperator = (token: Token) => token.kind === TokenKind.Operator;
  const pairing = postfix.filter((token) => isOperator(token) && token.getText() !== "not");
  return postfix.filter((token) => !isOperator(token)).length - pairing.length === 1;
}

export interface Circumstances {
  /** Whether the error occurred while parsing. Then all errors are mistakes of the text. */
  parsing?: boolean;
  /** Number of characters that our code put before the text. */
  before?: number;
}

/** Converts an error of the engine to TemplateMistake or TemplateLimit. Errors of our own code are returned unchanged. */
export function explained(error: unknown, { parsing, before = 0 }: Circumstances = {}): unknown {
  const cause = causeOf(error);
  if (cause instanceof TemplateLimit) return cause;
  // A stack overflow, from thousands of nested brackets.
  if (cause instanceof RangeError) return new TemplateLimit("depth", DEEPEST_TAGS);
  const isTheirs =
    parsing ||
    cause instanceof TemplateMistake ||
    cause instanceof AssertionError ||
    LiquidError.is(cause);
  if (!isTheirs) return cause;
  const own = cause instanceof TemplateMistake ? cause : undefined;
  const [line, column] = placeOf(error) ?? [own?.line ?? 1, own?.column ?? 1];
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

/** The message of the engine without the place, which is in separate fields. */
function messageOf({ message }: Error): string {
  const words = message
    .slice(0, LONGEST_MESSAGE)
    .replace(/, line:\d+, col:\d+.*$/s, "")
    .replace(/^undefined filter: (.*)$/s, "there is no filter $1")
    .replace(/^tag "(.*)" not found$/s, "there is no tag $1");
  return words;
}
