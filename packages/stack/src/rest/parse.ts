import type { Field, OrderTerm, Query } from "./ast.js";
import { field, jsonPath } from "./parse-field.js";
import { parseFilterValue, parseLogic } from "./parse-filter.js";
import { parseSelect } from "./parse-select.js";
import { Scanner } from "./scanner.js";

/** Returns the parameters of a URL's query in order. Ignores names without `=`. */
export function parametersOf(search: string): [string, string][] {
  return search
    .slice(1)
    .split("&")
    .filter((part) => part.includes("="))
    .map((part) => {
      const at = part.indexOf("=");
      return [decode(part.slice(0, at)), decode(part.slice(at + 1))];
    });
}

/** Decodes percent-encoding. Invalid escapes and invalid UTF-8 stay unchanged. */
function decode(text: string): string {
  return text.replaceAll("+", " ").replace(/(%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/**
 * Parses the parameters of a URL. With `callsRoutine`, a value without an operator is an argument.
 * Throws PGRST100.
 */
export function parseQuery(parameters: [string, string][], callsRoutine: boolean): Query {
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
    const last = name.slice(name.lastIndexOf(".") + 1);
    if (name === "select") select ??= value;
    else if (name === "columns") query.columns ??= parseNames(value, "columns parameter");
    else if (name === "on_conflict") {
      query.onConflict ??= parseNames(value, "on_conflict parameter");
    } else if (last === "and" || last === "or") query.conditions.push(parseLogic(name, value));
    else if (last === "order") {
      query.orders.push({ path: parsePath(name).path, value: parseOrder(value) });
    } else if (last === "limit" || last === "offset") {
      const number = wholeNumber(value);
      const list = last === "limit" ? query.limits : query.offsets;
      if (number !== null) list.push({ path: parsePath(name).path, value: number });
    } else {
      const operation = parseFilterValue(value, callsRoutine);
      const { path, field } = parsePath(name);
      if (operation === null) query.arguments.push([field.name, value]);
      else query.conditions.push({ path, value: { kind: "filter", field, ...operation } });
    }
  }
  query.select = parseSelect(select ?? "*");
  return query;
}

/** Parses an integer small enough for an offset or limit; null otherwise. */
function wholeNumber(text: string): number | null {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

/**
 * Parses a path: `actors.films.title` is the field `title` of the embed `films` in the embed
 * `actors`.
 */
function parsePath(text: string): { path: string[]; field: Field } {
  const scanner = new Scanner(text, `failed to parse tree path (${text})`);
  const names = [scanner.name()];
  while (scanner.accept(".")) names.push(scanner.name());
  const path = jsonPath(scanner);
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
  return names;
}

function parseOrder(text: string): OrderTerm[] {
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
    if (nulls === null && scanner.accept(".")) {
      scanner.fail(`${direction === null ? '"asc", "desc", ' : ""}"nullsfirst" or "nullslast"`);
    }
    scanner.end(",", `${nulls === null ? "delimiter (.), " : ""}"," or end of input`);
  } while (scanner.accept(","));
  return terms;
}
