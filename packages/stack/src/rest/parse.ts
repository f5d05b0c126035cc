import type {
  Aggregate,
  At,
  Condition,
  Field,
  Filter,
  JsonStep,
  Operation,
  OrderTerm,
  Query,
  SelectItem,
} from "./ast.js";
import { Scanner } from "./scanner.js";

/** How deep embeds and logic trees may nest, so that hostile input cannot exhaust the stack. */
const DEEPEST = 64;

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
const isValues: Record<string, Extract<Operation, { kind: "is" }>["value"]> = {
  null: "null",
  not_null: "not null",
  true: "true",
  false: "false",
  unknown: "unknown",
};

/** Whether the last part of a dotted name is one of `words`. */
const endsIn = (name: string, words: readonly string[]) =>
  words.includes(name.slice(name.lastIndexOf(".") + 1));

/**
 * Reads the parameters of a URL. With `callsRoutine` a value without an operator is an argument.
 * Throws PGRST100.
 */
export function parseQuery(parameters: Iterable<[string, string]>, callsRoutine: boolean): Query {
  const query: Query = {
    select: [],
    conditions: [],
    orders: [],
    limits: [],
    offsets: [],
    columns: null,
    onConflict: null,
    arguments: [],
  };
  let select: string | null = null;
  for (const [name, value] of parameters) {
    if (name === "select") select ??= value;
    else if (name === "columns") query.columns ??= parseNames(value, "columns parameter");
    else if (name === "on_conflict") {
      query.onConflict ??= parseNames(value, "on_conflict parameter");
    } else if (endsIn(name, ["and", "or"])) query.conditions.push(parseLogic(name, value));
    else if (endsIn(name, ["order"])) {
      query.orders.push({ path: parsePath(name).path, value: parseOrder(value) });
    } else if (endsIn(name, ["limit", "offset"])) {
      const number = wholeNumber(value);
      const list = endsIn(name, ["limit"]) ? query.limits : query.offsets;
      if (number !== null) list.push({ path: parsePath(name).path, value: number });
    } else {
      const operation = parseFilterValue(value, callsRoutine);
      if (operation === null) query.arguments.push([name, value]);
      else {
        const { path, field } = parsePath(name);
        query.conditions.push({ path, value: { kind: "filter", field, ...operation } });
      }
    }
  }
  query.select = parseSelect(select ?? "*");
  return query;
}

/** An integer of a size that offsets and limits can have, else null. */
function wholeNumber(text: string): number | null {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : null;
  return value;
}

export function parseSelect(text: string): SelectItem[] {
  const scanner = new Scanner(text, `failed to parse select parameter (${text})`);
  const items = selectItems(scanner, 0);
  if (!scanner.done) scanner.fail('letter, digit, "-", "->>", "->", "::", "." or ","');
  return items;
}

function selectItems(scanner: Scanner, depth: number): SelectItem[] {
  if (depth > DEEPEST) scanner.fail("fewer embedded resources");
  const items: SelectItem[] = [];
  scanner.spaces();
  if (scanner.done || scanner.peek(")")) return items;
  do {
    scanner.spaces();
    items.push(selectItem(scanner, depth));
    scanner.spaces();
  } while (scanner.accept(","));
  return items;
}

function selectItem(scanner: Scanner, depth: number): SelectItem {
  const field = (name: string, alias: string | null = null) => ({
    kind: "field" as const,
    field: { name, path: [] as JsonStep[] },
    alias,
    cast: null as string | null,
    aggregate: null as Aggregate | null,
    aggregateCast: null as string | null,
  });
  if (scanner.accept("*")) return field("*");
  const spread = scanner.accept("...");
  let name = scanner.name();
  let alias: string | null = null;
  if (!spread && scanner.peek(":") && !scanner.peek("::")) {
    scanner.accept(":");
    alias = name;
    name = scanner.name();
  }

  if (name === "count" && !spread && scanner.accept("()")) {
    return {
      ...field("*", alias),
      aggregate: "count",
      aggregateCast: cast(scanner),
    };
  }
  if (spread || scanner.peek("!") || scanner.peek("(")) {
    let hint: string | null = null;
    let inner = false;
    for (let i = 0; i < 2 && scanner.accept("!"); i++) {
      const word = scanner.name();
      if (word === "inner") inner = true;
      else if (word !== "left") hint ??= word;
    }
    scanner.expect("(");
    const select = selectItems(scanner, depth + 1);
    scanner.expect(")", '"," or ")"');
    return { kind: "relation", name, alias, hint, inner, spread, select };
  }

  const item = field(name, alias);
  item.field.path = jsonPath(scanner);
  item.cast = cast(scanner);
  if (scanner.accept(".")) {
    for (const aggregate of ["sum", "avg", "count", "max", "min"] as const) {
      if (scanner.accept(`${aggregate}()`)) item.aggregate = aggregate;
    }
    if (!item.aggregate) scanner.fail('"sum", "avg", "count", "max" or "min"');
    item.aggregateCast = cast(scanner);
  }
  return item;
}

function cast(scanner: Scanner): string | null {
  if (!scanner.accept("::")) return null;
  const type = scanner.word();
  // A dollar sign could open a quotation in SQL, where the type stands as it is.
  if (type === "" || type.includes("$")) scanner.fail("letter or digit");
  return type;
}

function jsonPath(scanner: Scanner): JsonStep[] {
  const path: JsonStep[] = [];
  for (;;) {
    const arrow = scanner.accept("->>") ? "->>" : scanner.accept("->") ? "->" : null;
    if (!arrow) return path;
    const index = scanner.attempt(() => {
      const sign = scanner.accept("-") ? "-" : "";
      const digits = scanner.digits();
      const ends = scanner.done || ["->", "::", ".", ",", ")"].some((end) => scanner.peek(end));
      return digits !== "" && ends ? sign + digits : null;
    });
    const operand =
      index !== null
        ? { index }
        : {
            key: scanner.dashed(
              () => scanner.until("(-:.,>)").trim(),
              "any non reserved character different from: .,>()",
            ),
          };
    path.push({ arrow, operand });
  }
}

function field(scanner: Scanner): Field {
  const name = scanner.name();
  return { name, path: jsonPath(scanner) };
}

/** `actors.films.title` is the field `title` of the embed `films` in the embed `actors`. */
function parsePath(text: string): { path: string[]; field: Field } {
  const scanner = new Scanner(text, `failed to parse tree path (${text})`);
  const names = [scanner.name()];
  while (scanner.accept(".")) names.push(scanner.name());
  const path = jsonPath(scanner);
  if (!scanner.done) scanner.fail('letter, digit, "-", "->>", "->", delimiter (.) or end of input');
  return { path: names.slice(0, -1), field: { name: names.at(-1)!, path } };
}

function parseNames(text: string, what: string): string[] {
  const scanner = new Scanner(text, `failed to parse ${what} (${text})`);
  const names: string[] = [];
  do {
    scanner.spaces();
    names.push(scanner.name());
    scanner.spaces();
  } while (scanner.accept(","));
  if (!scanner.done) scanner.fail('letter, digit, "-", "," or end of input');
  return names;
}

function parseFilterValue(
  text: string,
  mayBeArgument: boolean,
): Pick<Filter, "negated" | "operation"> | null {
  const scanner = new Scanner(text, `failed to parse filter (${text})`);
  const negated = scanner.accept("not.");
  const found = operation(scanner, () => scanner.takeRest());
  if (found && scanner.done) return { negated, operation: found };
  if (mayBeArgument) return null;
  return scanner.fail(negated ? "operator (eq, gt, ...)" : '"not" or operator (eq, gt, ...)');
}

/** An operator with its operand; null (and nothing read) where no operator stands. */
function operation(scanner: Scanner, value: () => string): Operation | null {
  return scanner.attempt((): Operation | null => {
    const word = scanner.until(".(");
    if (word === "in" && scanner.accept(".")) return { kind: "in", values: list(scanner) };
    if (word === "is" && scanner.accept(".")) {
      const name = scanner.until(",)").toLowerCase();
      const isValue = Object.hasOwn(isValues, name) ? isValues[name] : undefined;
      if (!isValue) scanner.fail("isVal: (null, not_null, true, false, unknown)");
      return { kind: "is", value: isValue! };
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

/** A quoted text that `,` or `)` follows, else everything up to one of these. */
function element(scanner: Scanner): string {
  const quoted = scanner.attempt(() => {
    const value = scanner.quoted();
    return value !== null && (scanner.done || scanner.peek(",") || scanner.peek(")"))
      ? value
      : null;
  });
  return quoted ?? scanner.until(",)");
}

/** As `element`; an array in braces may hold commas. */
function operand(scanner: Scanner): string {
  const array = scanner.attempt(() => {
    if (!scanner.accept("{")) return null;
    const inside = scanner.until("{}");
    return scanner.accept("}") ? `{${inside}}` : null;
  });
  return array ?? element(scanner);
}

function parseLogic(name: string, text: string): At<Condition> {
  const names = name.split(".");
  const operator = names.at(-1) as "and" | "or";
  const negated = names.includes("not");
  const what = `failed to parse logic tree (${text})`;
  const scanner = new Scanner(text, what);
  const operands = conditions(scanner, 0);
  if (!scanner.done) scanner.fail("end of input");
  const path = names.slice(0, -1).filter((part) => part !== "not");
  return { path, value: { kind: "tree", negated, operator, operands } };
}

function conditions(scanner: Scanner, depth: number): Condition[] {
  if (depth > DEEPEST) scanner.fail("a shallower logic tree");
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
  const subject = field(scanner);
  scanner.expect(".", "delimiter (.)");
  const negated = scanner.accept("not.");
  const found = operation(scanner, () => operand(scanner));
  if (!found) scanner.fail("operator (eq, gt, ...)");
  return { kind: "filter", field: subject, negated, operation: found! };
}

export function parseOrder(text: string): OrderTerm[] {
  const scanner = new Scanner(text, `failed to parse order (${text})`);
  const terms: OrderTerm[] = [];
  do {
    scanner.spaces();
    let subject = field(scanner);
    let relation: string | null = null;
    if (subject.path.length === 0 && scanner.accept("(")) {
      relation = subject.name;
      subject = field(scanner);
      scanner.expect(")");
    }
    const direction = scanner.accept(".asc") ? "asc" : scanner.accept(".desc") ? "desc" : null;
    const nulls = scanner.accept(".nullsfirst")
      ? "first"
      : scanner.accept(".nullslast")
        ? "last"
        : null;
    terms.push({ relation, field: subject, direction, nulls });
    scanner.spaces();
  } while (scanner.accept(","));
  if (!scanner.done) {
    const expected = scanner.accept(".")
      ? '"asc", "desc", "nullsfirst" or "nullslast"'
      : 'delimiter (.), "," or end of input';
    scanner.fail(expected);
  }
  return terms;
}
