import type { At, Condition, Filter, Operation } from "./ast.js";
import { field } from "./parse-field.js";
import { Scanner } from "./scanner.js";

/** Maximum nesting of logic trees, so that hostile input cannot exhaust the stack. */
const MAX_DEPTH = 64;

const comparisons: Record<string, string> = {
  neq: "<>",
  cs: "@>",
  cd: "<@",
  ov: "&&",
  sl: "<<",
  sr: ">>",
  nxr: "&<",
  nxl: "&>",
  adj: "-|-",
};
const quantifiable: Record<string, string> = {
  eq: "=",
  gte: ">=",
  gt: ">",
  lte: "<=",
  lt: "<",
  like: "like",
  ilike: "ilike",
  match: "~",
  imatch: "~*",
};
const searches: Record<string, string> = {
  fts: "to_tsquery",
  plfts: "plainto_tsquery",
  phfts: "phraseto_tsquery",
  wfts: "websearch_to_tsquery",
};
const isValues = {
  null: "null",
  not_null: "not null",
  true: "true",
  false: "false",
  unknown: "unknown",
} as const;
const isValue = /^(null|not_null|true|false|unknown)/i;

/**
 * Parses a filter's operator and operand. Without an operator returns null if `mayBeArgument`.
 * Throws PGRST100.
 */
export function parseFilterValue(
  text: string,
  mayBeArgument: boolean,
): Pick<Filter, "negated" | "operation"> | null {
  const scanner = new Scanner(text, `failed to parse filter (${text})`);
  const negated = scanner.accept("not.");
  // Like PostgREST, ignores text after a complete operand.
  const found = operation(scanner, () => scanner.takeRest());
  if (found) return { negated, operation: found };
  if (mayBeArgument && !negated) return null;
  return scanner.fail(negated ? "operator (eq, gt, ...)" : '"not" or operator (eq, gt, ...)');
}

/**
 * Parses an operator with its operand; returns null, and reads nothing, if there is no operator.
 */
function operation(scanner: Scanner, value: () => string): Operation | null {
  return scanner.attempt((): Operation | null => {
    const word = scanner.until(".(");
    if (word === "in" && scanner.accept(".")) return { kind: "in", values: list(scanner) };
    if (word === "is" && scanner.accept(".")) {
      const [name] = isValue.exec(scanner.rest) ?? [];
      if (!name) return scanner.fail("isVal: (null, not_null, true, false, unknown)");
      scanner.accept(name);
      return { kind: "is", value: isValues[name.toLowerCase() as keyof typeof isValues] };
    }
    if (word === "isdistinct" && scanner.accept(".")) return { kind: "distinct", value: value() };
    if (Object.hasOwn(searches, word)) {
      let language: string | null = null;
      if (scanner.accept("(")) {
        language = scanner.word();
        if (language === "" || !scanner.accept(")")) return null;
      }
      if (!scanner.accept(".")) return null;
      return { kind: "search", parser: searches[word]!, language, value: value() };
    }
    if (Object.hasOwn(comparisons, word) && scanner.accept(".")) {
      const operator = comparisons[word]!;
      return { kind: "compare", operator, quantifier: null, value: value() };
    }
    if (!Object.hasOwn(quantifiable, word)) return null;
    const quantifier = scanner.accept("(any)") ? "any" : scanner.accept("(all)") ? "all" : null;
    if (!scanner.accept(".")) return null;
    return { kind: "compare", operator: quantifiable[word]!, quantifier, value: value() };
  });
}

function list(scanner: Scanner): string[] {
  const values: string[] = [];
  scanner.expect("(");
  scanner.spaces();
  do values.push(element(scanner));
  while (scanner.accept(","));
  scanner.expect(")");
  scanner.spaces();
  return values;
}

/** Parses a quoted text followed by `,` or `)`, or else everything up to one of these. */
function element(scanner: Scanner): string {
  const quoted = scanner.attempt(() => {
    const value = scanner.quoted();
    return value !== null && (scanner.done || scanner.peek(",") || scanner.peek(")"))
      ? value
      : null;
  });
  return quoted ?? scanner.until(",)");
}

/** Like `element`, but an array in braces may contain commas. */
function operand(scanner: Scanner): string {
  const array = scanner.attempt(() => {
    if (!scanner.accept("{")) return null;
    const inside = scanner.until("{}");
    return scanner.accept("}") ? `{${inside}}` : null;
  });
  return array ?? element(scanner);
}

/** Parses `and=(…)`, `films.not.or=(…)` and similar. Throws PGRST100. */
export function parseLogic(name: string, text: string): At<Condition> {
  const names = name.split(".");
  const operator = names.at(-1) as "and" | "or";
  const negated = names.includes("not");
  // Positions in an error are counted from the operator.
  const head = (negated ? "not." : "") + operator;
  const scanner = new Scanner(head + text, `failed to parse logic tree (${text})`);
  scanner.accept(head);
  const operands = conditions(scanner, 0);
  const path = names.slice(0, -1).filter((part) => part !== "not");
  return { path, value: { kind: "tree", negated, operator, operands } };
}

function conditions(scanner: Scanner, depth: number): Condition[] {
  if (depth > MAX_DEPTH) scanner.fail("a shallower logic tree");
  const found: Condition[] = [];
  scanner.expect("(");
  do {
    scanner.spaces();
    found.push(condition(scanner, depth));
    scanner.spaces();
  } while (scanner.accept(","));
  scanner.expect(")", '"," or ")"');
  scanner.spaces();
  return found;
}

function condition(scanner: Scanner, depth: number): Condition {
  const tree = scanner.attempt(() => {
    const negated = scanner.accept("not.");
    const operator = scanner.accept("and") ? "and" : scanner.accept("or") ? "or" : null;
    scanner.spaces();
    return operator && scanner.peek("(") ? { negated, operator } : null;
  });
  if (tree) return { kind: "tree", ...tree, operands: conditions(scanner, depth + 1) } as Condition;
  const subject = field(
    scanner,
    "field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)",
  );
  scanner.expect(".", "delimiter (.)");
  const negated = scanner.accept("not.");
  const found = operation(scanner, () => operand(scanner));
  if (!found) return scanner.fail("operator (eq, gt, ...)");
  return { kind: "filter", field: subject, negated, operation: found };
}
