import type { Aggregate, JsonStep, SelectItem } from "./ast.js";
import { jsonPath } from "./parse-field.js";
import { Scanner } from "./scanner.js";

/** Maximum nesting of embeds: rows multiply with each level, and PGlite has no timeout. */
const MAX_DEPTH = 16;

/** Parses `select`: columns, casts, aggregates and embeds. Throws PGRST100. */
export function parseSelect(text: string): SelectItem[] {
  const scanner = new Scanner(text, `failed to parse select parameter (${text})`);
  // Like PostgREST, ignores text after the last item.
  return selectItems(scanner, 0);
}

const END = '")", "," or end of input';

function selectItems(scanner: Scanner, depth: number): SelectItem[] {
  if (depth > MAX_DEPTH) scanner.fail("fewer embedded resources");
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
  if (scanner.accept("*")) {
    scanner.end("),", END);
    return field("*");
  }
  const spread = scanner.accept("...");
  let name = scanner.name();
  let alias: string | null = null;
  if (!spread && scanner.peek(":") && !scanner.peek("::")) {
    scanner.accept(":");
    alias = name;
    name = scanner.name();
  }

  if (name === "count" && !spread && scanner.accept("()")) {
    const counted = {
      ...field("*", alias),
      aggregate: "count" as const,
      aggregateCast: cast(scanner),
    };
    scanner.end("),", END);
    return counted;
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
  scanner.spaces();
  scanner.end("),", `letter, digit, "-", "->>", "->", "::", ".", ${END}`);
  return item;
}

function cast(scanner: Scanner): string | null {
  if (!scanner.accept("::")) return null;
  const type = scanner.word();
  // The type is inserted into SQL unchanged, where a dollar sign could start a quoted string.
  if (type === "" || type.includes("$")) scanner.fail("letter or digit");
  return type;
}
