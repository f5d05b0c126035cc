import pg from "pg";

/** One condition of a subscription's `filter`. */
export interface Filter {
  column: string;
  op: Operator;
  value: string;
  negate: boolean;
}

const MAX_IN_VALUES = 100;

const symbols = {
  eq: "=",
  neq: "<>",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
  in: "= any",
  like: "like",
  ilike: "ilike",
  match: "~",
  imatch: "~*",
  is: "is",
  isdistinct: "is distinct from",
} as const;

export type Operator = keyof typeof symbols;

/** A subscription with an invalid filter or parameter. The message is that of hosted. */
export class SubscriptionRefused extends Error {
  override name = "SubscriptionRefused";
}

/** Parses `a=eq.1,b=not.in.(2,3)`: conditions combined with "and". Throws `SubscriptionRefused`. */
export function parseFilters(text: string): Filter[] {
  if (text.trim() === "") return [];
  return splitAtCommas(text.trim()).map(parseFilter);
}

function refuse(reason: string): never {
  throw new SubscriptionRefused(`Error parsing \`filter\` params: ${reason}`);
}

const parts = (...values: string[]) => `[${values.map((v) => JSON.stringify(v)).join(", ")}]`;

/** Splits at commas outside of parentheses and quotes. */
function splitAtCommas(text: string): string[] {
  const segments: string[] = [];
  let depth = 0;
  let quoted = false;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === "\\") i++;
      else if (char === '"') quoted = false;
    } else if (char === '"' && ".(,".includes(text[i - 1] ?? " ")) quoted = true;
    else if (char === "(") depth++;
    else if (char === ")") depth = Math.max(0, depth - 1);
    else if (char === "," && depth === 0) {
      segments.push(text.slice(start, i));
      start = i + 1;
    }
  }
  segments.push(text.slice(start));
  return segments;
}

function parseFilter(segment: string): Filter {
  const text = segment.trim();
  if (text === "") refuse("filter must not contain empty segments (check for extra commas)");
  const equals = text.indexOf("=");
  if (equals < 0) refuse(parts(text));
  const column = text.slice(0, equals);
  const condition = text.slice(equals + 1);
  const negate = condition.startsWith("not.");
  const opAndValue = negate ? condition.slice(4) : condition;
  const dot = opAndValue.indexOf(".");
  if (dot < 0) refuse(parts(opAndValue));
  const op = opAndValue.slice(0, dot);
  const value = opAndValue.slice(dot + 1);
  if (!Object.hasOwn(symbols, op)) refuse(parts(op, value));
  if (op === "in") {
    if (!/^\(.*\)$/s.test(value)) refuse("`in` filter value must be wrapped by parentheses");
    return { column, op, value: `{${value.slice(1, -1)}}`, negate };
  }
  return { column, op: op as Operator, value: unquoted(value), negate };
}

function unquoted(value: string): string {
  const inner = /^"((?:[^"\\]|\\.)*)"$/s.exec(value)?.[1];
  return inner === undefined ? value : inner.replace(/\\(.)/gs, "$1");
}

/**
 * Returns the condition in SQL over the row `changed`, with its value as parameter `at` of type
 * `type`.
 */
export function filterExpression(filter: Filter, type: string, at: number): string {
  const column = `changed.${pg.escapeIdentifier(filter.column)}`;
  const not = filter.negate ? "not " : "";
  switch (filter.op) {
    case "is":
      // The keyword was validated on subscription. The parameter is only used to keep the
      // numbering.
      return `${not}(${column} is ${filter.value} and $${at}::text is not null)`;
    case "in":
      return `${not}(${column} = any ($${at}::text::${type}[]))`;
    default:
      return `${not}(${column} ${symbols[filter.op]} $${at}::text::${type})`;
  }
}

/**
 * Hosted's message for a filter that does not fit a column of `type`, according to `filterProbe`.
 */
export const misfit = ({ op }: Filter, type: string) =>
  op === "in"
    ? `too many values for \`in\` filter. Maximum ${MAX_IN_VALUES}`
    : `operator ${op} requires a text-compatible column type, got ${type}`;

/**
 * Hosted's message for a filter that is invalid for `type`, independent of the database; null if it
 * is valid.
 */
export function filterMisuse(filter: Filter, type: string): string | null {
  if (filter.op !== "is") return null;
  if (!["null", "true", "false", "unknown"].includes(filter.value)) {
    return "invalid value for is filter: must be null, true, false, or unknown";
  }
  if (filter.value !== "null" && type !== "boolean") {
    return `is ${filter.value} filter requires a boolean column, got ${type}`;
  }
  return null;
}

/** Returns a query that checks a filter's value, `$1`, for a column of `type`, `$2`. */
export function filterProbe(filter: Filter, type: string): string {
  switch (filter.op) {
    case "in":
      return `select cardinality($1::text::${type}[]) <= ${MAX_IN_VALUES} as fits, $2::text`;
    case "like":
    case "ilike":
      return `select exists (
          select from pg_operator where oprname = '~~' and oprleft = $2::text::regtype
        ) as fits, $1::text`;
    case "match":
    case "imatch":
      return `select exists (
          select from pg_operator
          where oprname = '${symbols[filter.op]}' and oprresult = 'boolean'::regtype
            and oprleft = $2::text::regtype and oprright = $2::text::regtype
        ) as fits, '' ~ $1::text`;
    case "is":
      return "select true as fits, $1::text, $2::text";
    default:
      return `select true as fits, $1::text::${type}, $2::text`;
  }
}
