import { type Filter, Token, TokenKind } from "liquidjs";
import { isDateFormat } from "./date_formats.ts";
import { TemplateMistake } from "./mistakes.ts";
import { decimalOf } from "./numbers.ts";

/** The kind of an argument, as far as it can be seen in a text. */
type Kind = "any" | "currency" | "flag" | "format" | "list" | "number" | "text";

interface Arguments {
  /** The arguments that must be given, in their order, and those that may follow. */
  needs?: readonly Kind[];
  may?: readonly Kind[];
  /** Arguments that may be given by name. */
  named?: Readonly<Record<string, Kind>>;
}

const NONE: Arguments = {};
const A_NUMBER: Arguments = { needs: ["number"] };
const A_TEXT: Arguments = { needs: ["text"] };
const PERHAPS_A_TEXT: Arguments = { may: ["text"] };

/** The arguments of each filter. docs/template-language.md has an example of each. */
const ARGUMENTS = {
  abs: NONE,
  append: A_TEXT,
  asset_url: { named: { width: "number" } },
  at_least: A_NUMBER,
  at_most: A_NUMBER,
  capitalize: NONE,
  ceil: NONE,
  compact: NONE,
  country: NONE,
  concat: { needs: ["list"] },
  date: { may: ["format"] },
  default: { needs: ["any"], named: { allow_false: "flag" } },
  divided_by: { needs: ["number"], may: ["flag"] },
  downcase: NONE,
  find: { needs: ["text"], may: ["any"] },
  first: NONE,
  floor: NONE,
  join: PERHAPS_A_TEXT,
  last: NONE,
  lstrip: NONE,
  map: A_TEXT,
  minus: A_NUMBER,
  modulo: A_NUMBER,
  money: { may: ["currency"] },
  number: NONE,
  plus: A_NUMBER,
  prepend: A_TEXT,
  remove: A_TEXT,
  remove_first: A_TEXT,
  replace: { needs: ["text", "text"] },
  replace_first: { needs: ["text", "text"] },
  reverse: NONE,
  round: { may: ["number"] },
  rstrip: NONE,
  size: NONE,
  slice: { needs: ["number"], may: ["number"] },
  sort: PERHAPS_A_TEXT,
  sort_natural: PERHAPS_A_TEXT,
  split: A_TEXT,
  srcset: NONE,
  strip: NONE,
  strip_newlines: NONE,
  sum: PERHAPS_A_TEXT,
  t: { named: { count: "number" } },
  times: A_NUMBER,
  truncate: { may: ["number", "text"] },
  truncatewords: { may: ["number", "text"] },
  uniq: NONE,
  upcase: NONE,
  where: { needs: ["text"], may: ["any"] },
} satisfies Record<string, Arguments>;

export type FilterName = keyof typeof ARGUMENTS;

/** A filter as a text uses it. A named argument is a pair. */
interface Use {
  name: FilterName;
  args: readonly (Token | readonly [string, Token | undefined])[];
  token: Token;
}

/** Checks the number and the types of a filter's arguments. Values of variables are not known here. Throws TemplateMistake. */
export function checkArguments(filter: Filter): void {
  const use = filter as unknown as Use;
  const mistake = mistakeInOrder(use) ?? mistakeInNames(use);
  if (mistake === undefined) return;
  const [line, column] = use.token.getPosition();
  throw new TemplateMistake(mistake, line, column);
}

function mistakeInOrder({ name, args }: Use): string | undefined {
  const { needs = [], may = [] } = ARGUMENTS[name] as Arguments;
  const kinds = [...needs, ...may];
  const given = args.filter((arg) => arg instanceof Token);
  if (given.length < needs.length || given.length > kinds.length) {
    return `${name} takes ${counted(needs.length, kinds.length)}, not ${given.length}`;
  }
  for (const [index, arg] of given.entries()) {
    const kind = kinds[index] ?? "any";
    if (!isOf(kind, arg)) return `${name} takes ${NAMES[kind]}, not ${written(arg)}`;
  }
}

function mistakeInNames({ name, args }: Use): string | undefined {
  const { named = {} } = ARGUMENTS[name] as Arguments;
  for (const arg of args) {
    if (arg instanceof Token) continue;
    const [key, value] = arg;
    const kind = Object.hasOwn(named, key) ? named[key] : undefined;
    if (kind === undefined) return `${name} has no argument ${key.slice(0, 50)}`;
    if (!isOf(kind, value)) return `${name} takes ${NAMES[kind]} as ${key}, not ${written(value)}`;
  }
}

/**
 * The mistake in the options of a loop, and in what follows them; undefined if there is none. The engine would ignore both.
 */
export function mistakeInLoop(
  options: Readonly<Record<string, Token | undefined>>,
  rest: string,
): string | undefined {
  if (rest !== "")
    return `for ends before ${rest.slice(0, 50)}: assign the list to a variable first`;
  for (const [name, value] of Object.entries(options)) {
    if (name === "limit" || name === "offset") {
      if (!isOf("number", value)) return `for takes a number as ${name}, not ${written(value)}`;
    } else if (name !== "reversed" || value !== undefined) {
      return `for takes limit: 3, offset: 1 and reversed, not ${name.slice(0, 50)}`;
    }
  }
}

function counted(least: number, most: number): string {
  if (most === 0) return "no arguments";
  return `${least === most ? most : `${least} to ${most}`} argument${most === 1 ? "" : "s"}`;
}

const NAMES: Record<Kind, string> = {
  any: "a value",
  currency: "a currency such as 'EUR'",
  flag: "true or false",
  format: "short, medium, long, full, time or a format such as '%B %d, %Y'",
  list: "a list",
  number: "a number",
  text: "a text",
};

const written = (token: Token | undefined) => token?.getText().slice(0, 50) || "nothing";

/** Whether an argument may be of a kind. A variable may be of any. */
function isOf(kind: Kind, argument: Token | undefined): boolean {
  if (!argument) return false;
  const { kind: token, content } = argument as Token & { content?: unknown };
  switch (token) {
    case TokenKind.Number:
      return ["any", "number", "text"].includes(kind);
    case TokenKind.Quoted:
      return kind === "any" || kind === "text" || isTextFor(kind, String(content));
    case TokenKind.Literal:
      return kind === "any" || (kind === "flag" && /^(?:true|false)$/.test(argument.getText()));
    // A range.
    case TokenKind.FilteredValue:
      return kind === "any" || kind === "list";
    default:
      return true;
  }
}

function isTextFor(kind: Kind, text: string): boolean {
  if (kind === "number") return decimalOf(text) !== undefined;
  if (kind === "currency") return /^[a-z]{3}$/i.test(text);
  return kind === "format" && isDateFormat(text);
}
