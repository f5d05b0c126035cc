import { keyOf, type SchemaCache } from "./cache.js";
import { CacheMiss, RestError } from "./errors.js";
import { arrayText, columnOf, type Parameters, qualified, quote } from "./fragments.js";
import type { CatalogRoutine, Parameter } from "./introspection.js";
import { refuseDeepValue } from "./nesting.js";
import type { Payload } from "./payload.js";
import { closest } from "./similarity.js";
import { bodySql } from "./write.js";

/** The kind of a function's result, which decides how it is written. */
export type Shape = "void" | "scalar" | "scalars" | "row" | "rows";

export function shapeOf(routine: CatalogRoutine): Shape {
  if (routine.returnsComposite) return routine.returnsSet ? "rows" : "row";
  if (routine.returnsSet) return "scalars";
  return routine.returnSchema === "pg_catalog" && routine.returnName === "void" ? "void" : "scalar";
}

/** The types of a single unnamed parameter that can receive a body, by content type. */
const bodyTypes = new Map([
  ["application/json", ["json", "jsonb"]],
  ["text/plain", ["text"]],
  ["text/xml", ["xml"]],
  ["application/octet-stream", ["bytea"]],
]);
/** Whether a body of this type can only be passed to a single unnamed parameter. */
const isWhole = (contentType: string | null) =>
  contentType !== null && contentType !== "application/json" && bodyTypes.has(contentType);

/**
 * Finds the function `name` that accepts exactly the arguments `names`. If there is none and the request has a body,
 * finds one with a single unnamed parameter. Throws PGRST202 (none) and PGRST203 (several).
 */
export function findRoutine(
  cache: SchemaCache,
  schema: string,
  name: string,
  names: readonly string[],
  contentType: string | null,
): CatalogRoutine {
  const overloads = cache.routines.get(keyOf(schema, name)) ?? [];
  const given = new Set(names);
  const matching = overloads.filter(({ parameters }) =>
    parameters.length === 0
      ? given.size === 0 && !isWhole(contentType)
      : parameters.every((each) => !each.required || given.has(each.name)) &&
        [...given].every((each) => parameters.some((parameter) => parameter.name === each)),
  );
  const unnamed = overloads.filter(
    ({ parameters }) =>
      parameters.length === 1 &&
      parameters[0]!.name === "" &&
      bodyTypes.get(contentType ?? "")?.includes(parameters[0]!.type),
  );
  const named = matching.filter((routine) => !unnamed.includes(routine));
  const found = named.length > 0 ? named : unnamed;
  if (found.length === 1) return found[0]!;
  if (found.length > 1) throw ambiguous(found);
  throw notFound(cache, schema, name, names, contentType, overloads);
}

function ambiguous(found: CatalogRoutine[]): RestError {
  const list = found.map(
    ({ schema, name, parameters }) =>
      `${schema}.${name}(${parameters.map((each) => `${each.name} => ${each.type}`).join(", ")})`,
  );
  return new RestError(
    300,
    "PGRST203",
    `Could not choose the best candidate function between: ${list.join(", ")}`,
    null,
    "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
  );
}

function notFound(
  cache: SchemaCache,
  schema: string,
  name: string,
  names: readonly string[],
  contentType: string | null,
  overloads: CatalogRoutine[],
): CacheMiss {
  const routine = `${schema}.${name}`;
  const sorted = [...new Set(names)].sort();
  const list = sorted.join(", ");
  const whole = isWhole(contentType);
  const unnamed = `with a single unnamed ${bodyTypes.get(contentType ?? "")?.join("/")} parameter`;
  const message = whole ? "" : sorted.length === 0 ? " without parameters" : `(${list})`;
  const searched = whole
    ? ` ${unnamed}`
    : (sorted.length === 0
        ? " without parameters"
        : ` with parameter${sorted.length > 1 ? "s" : ""} ${list}`) +
      (contentType === "application/json" ? ` or ${unnamed}` : "");
  return new CacheMiss(
    404,
    "PGRST202",
    `Could not find the function ${routine}${message} in the schema cache`,
    `Searched for the function ${routine}${searched}, but no matches were found in the schema cache.`,
    whole ? null : suggestion(cache, schema, name, `(${list})`, overloads),
  );
}

function suggestion(
  cache: SchemaCache,
  schema: string,
  name: string,
  given: string,
  overloads: CatalogRoutine[],
): string | null {
  if (overloads.length === 0) {
    const names = [...cache.routines.values()].flatMap((list) =>
      list.filter((each) => each.schema === schema).map((each) => each.name),
    );
    const found = closest(name, names, 0.75);
    return found === null ? null : `Perhaps you meant to call the function ${schema}.${found}`;
  }
  const lists = overloads.map(
    ({ parameters }) =>
      `(${parameters
        .map((each) => each.name)
        .sort()
        .join(", ")})`,
  );
  const found = closest(given, lists, 0.33);
  return found === null ? null : `Perhaps you meant to call the function ${schema}.${name}${found}`;
}

/** The arguments of a call, from the URL or the body. */
export type Arguments =
  | { from: "url"; values: readonly (readonly [string, string])[] }
  | { from: "body"; payload: Payload };

/**
 * Returns the query that calls the function. A scalar result is the column `pgrst_scalar`. Of rows
 * only `columns` (null: all) are returned, including computed columns.
 */
export function callSql(
  parameters: Parameters,
  routine: CatalogRoutine,
  args: Arguments,
  columns: readonly string[] | null,
): string {
  const shape = shapeOf(routine);
  const names = new Set(
    args.from === "url" ? args.values.map(([name]) => name) : args.payload.keys,
  );
  const used = routine.parameters.filter(({ name }) => names.has(name));
  const [only] = routine.parameters;
  let body = "";
  let list: string[];
  if (args.from === "body" && routine.parameters.length === 1 && only!.name === "") {
    list = [`${parameters.bind(args.payload.text)}::text::${only!.type}`];
  } else if (args.from === "body") {
    if (used.length > 0) {
      const filled = used.map(({ name, type }) => ({ name, type, default: null }));
      body = `${bodySql(parameters, args.payload, filled, { single: true })}, lateral `;
    }
    list = used.map((each) => argumentSql(each, `pgrst_body.${quote(each.name)}`));
  } else {
    list = used.map((each) => {
      const values = args.values.filter(([name]) => name === each.name).map(([, value]) => value);
      const value = each.variadic ? arrayText(values) : values.at(-1)!;
      refuseDeepValue(value);
      return argumentSql(each, `${parameters.bind(value)}::${each.type}`);
    });
  }
  const call = `${qualified(routine)}(${list.join(", ")})`;
  if (shape === "row" || shape === "rows") {
    const row = { schema: "", name: "pgrst_call" };
    const kept =
      columns === null || columns.length === 0
        ? columnOf(row, "*")
        : columns.map((column) => columnOf(row, column)).join(", ");
    return `select ${kept} from ${body}${call} pgrst_call`;
  }
  return `select pgrst_call.pgrst_scalar from ${body}(select ${call} pgrst_scalar) pgrst_call`;
}

const argumentSql = ({ name, variadic }: Parameter, value: string) =>
  `${variadic ? "variadic " : ""}${quote(name)} := ${value}`;
