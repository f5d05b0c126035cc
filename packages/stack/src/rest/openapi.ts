import type { Queryable } from "../db/database.js";
import { type KeyRelationship, keyOf, type SchemaCache, type Table } from "./cache.js";
import type { CatalogRoutine, Column } from "./introspection.js";

/** What a role may see of a schema: the object ids of its tables and functions, and its comment. */
const accessible = `
  select
    (select coalesce(json_agg(c.oid), '[]') from pg_catalog.pg_class c
     where c.relnamespace = n.oid and (
       pg_catalog.has_table_privilege(c.oid, 'select, insert, update, delete')
       or pg_catalog.has_any_column_privilege(c.oid, 'select, insert, update'))) as tables,
    (select coalesce(json_agg(p.oid), '[]') from pg_catalog.pg_proc p
     where p.pronamespace = n.oid and pg_catalog.has_function_privilege(p.oid, 'execute')) as routines,
    pg_catalog.obj_description(n.oid, 'pg_namespace') as comment
  from pg_catalog.pg_namespace n where n.nspname = $1::text`;

interface Accessible {
  tables: string[];
  routines: string[];
  comment: string | null;
}

type Json = Record<string, unknown>;

/** Describes, in OpenAPI 2.0, what the transaction's role may use of a schema. */
export async function describeSchema(
  tx: Queryable,
  cache: SchemaCache,
  schema: string,
  url: string,
): Promise<Json> {
  const [seen] = await tx.query<Accessible>(accessible, [schema]);
  const tableIds = new Set(seen?.tables);
  const routineIds = new Set(seen?.routines);
  const tables = [...cache.tables.values()].filter(
    (table) => table.schema === schema && tableIds.has(table.id),
  );
  const routines = [...cache.routines.values()]
    .flat()
    .filter((routine) => routine.schema === schema && routineIds.has(routine.id));
  const { summary: title = "PostgREST API", description = "" } = about(seen?.comment ?? null);
  const { host, protocol } = new URL(url);
  return {
    swagger: "2.0",
    info: {
      title,
      description,
      version: "14",
    },
    host,
    basePath: "/",
    schemes: [protocol.slice(0, -1)],
    consumes: mediaTypes,
    produces: mediaTypes,
    paths: {
      "/": {
        get: {
          tags: ["Introspection"],
          summary: "OpenAPI description (this document)",
          produces: ["application/openapi+json", "application/json"],
          responses: { 200: { description: "OK" } },
        },
      },
      ...Object.fromEntries(tables.map((table) => [`/${table.name}`, tablePath(table)])),
      ...Object.fromEntries(
        routines.map((routine) => [`/rpc/${routine.name}`, routinePath(routine)]),
      ),
    },
    definitions: Object.fromEntries(tables.map((table) => [table.name, definition(cache, table)])),
    parameters: Object.fromEntries([
      ...shared,
      ...tables.flatMap((table) => [
        [`body.${table.name}`, bodyParameter(table)] as const,
        ...[...table.columns.values()].map(
          (column) => [`rowFilter.${table.name}.${column.name}`, rowFilter(column)] as const,
        ),
      ]),
    ]),
  };
}

const objects = [
  "application/json",
  "application/vnd.pgrst.object+json;nulls=stripped",
  "application/vnd.pgrst.object+json",
];
const mediaTypes = [...objects, "text/csv"];

/** A comment's first line is a summary of it. */
function about(comment: string | null): { summary?: string; description?: string } {
  if (comment === null) return {};
  const [summary = "", ...rest] = comment.split("\n");
  const description = rest.join("\n").replace(/^\n+/, "");
  return { summary, ...(description && { description }) };
}

const query = (name: string, description: string): readonly [string, Json] => [
  name,
  { name, description, required: false, in: "query", type: "string" },
];
const header = (key: string, name: string, description: string, more: Json = {}) =>
  [key, { name, description, required: false, in: "header", type: "string", ...more }] as const;
const prefer = (key: string, values?: string[]) =>
  header(key, "Prefer", "Preference", values && { enum: values });

const shared: (readonly [string, Json])[] = [
  prefer("preferParams"),
  prefer("preferReturn", ["return=representation", "return=minimal", "return=none"]),
  prefer("preferCount", ["count=none"]),
  prefer("preferPost", [
    "return=representation",
    "return=minimal",
    "return=none",
    "resolution=ignore-duplicates",
    "resolution=merge-duplicates",
  ]),
  query("select", "Filtering Columns"),
  query("on_conflict", "On Conflict"),
  query("order", "Ordering"),
  query("offset", "Limiting and Pagination"),
  query("limit", "Limiting and Pagination"),
  header("range", "Range", "Limiting and Pagination"),
  header("rangeUnit", "Range-Unit", "Limiting and Pagination", { default: "items" }),
];

const references = (...names: string[]) => names.map((name) => ({ $ref: `#/parameters/${name}` }));

function tablePath(table: Table): Json {
  const shown = { tags: [table.name], ...about(table.description) };
  const filters = [...table.columns.keys()].map((name) => `rowFilter.${table.name}.${name}`);
  const body = `body.${table.name}`;
  const rows = { type: "array", items: { $ref: `#/definitions/${table.name}` } };
  const operation = (parameters: string[], responses: Json) => ({
    ...shown,
    parameters: references(...parameters),
    responses,
  });
  const get = operation(
    [...filters, "select", "order", "range", "rangeUnit", "offset", "limit", "preferCount"],
    { 200: { description: "OK", schema: rows }, 206: { description: "Partial Content" } },
  );
  if (!table.insertable && !table.updatable && !table.deletable) return { get };
  const changed = { 204: { description: "No Content" } };
  return {
    get,
    post: operation([body, "select", "preferPost"], { 201: { description: "Created" } }),
    patch: operation([...filters, body, "preferReturn"], changed),
    delete: operation([...filters, "preferReturn"], changed),
  };
}

function routinePath(routine: CatalogRoutine): Json {
  const shown = {
    tags: [`(rpc) ${routine.name}`],
    ...about(routine.description),
    produces: objects,
    responses: { 200: { description: "OK" } },
  };
  const required = routine.parameters.filter((each) => each.required).map((each) => each.name);
  const schema = {
    type: "object",
    ...(routine.description ? { description: routine.description } : {}),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      routine.parameters.map((each) => [each.name, typeOf(each.type)]),
    ),
  };
  const post = {
    ...shown,
    parameters: [
      { name: "args", required: true, in: "body", schema },
      ...references("preferParams"),
    ],
  };
  if (routine.volatility === "v") return { post };
  const parameters = routine.parameters.map(({ name, required, type, variadic }) => ({
    name,
    required,
    in: "query",
    ...(variadic
      ? { type: "array", collectionFormat: "multi", items: typeOf(type.slice(0, -2)) }
      : // An array is written in braces, and JSON as it is.
        { type: "string", format: formatOf(type), ...plainType(type) }),
  }));
  return { get: { ...shown, parameters }, post };
}

function definition(cache: SchemaCache, table: Table): Json {
  const columns = [...table.columns.values()];
  const required = columns.filter((column) => !column.nullable).map((column) => column.name);
  return {
    ...(table.description ? { description: table.description } : {}),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      columns.map((column) => [column.name, property(cache, table, column)]),
    ),
    type: "object",
  };
}

/** Notes on keys in a column's description are what generators of types read. */
function property(cache: SchemaCache, table: Table, column: Column): Json {
  const notes: string[] = [];
  if (table.primaryKey.includes(column.name)) notes.push("This is a Primary Key.<pk/>");
  const [reference] = (cache.relationships.get(keyOf(table.schema, table.name)) ?? [])
    .filter((each): each is KeyRelationship => "inverse" in each && !each.inverse)
    .filter(({ columns }) => columns.length === 1 && columns[0]?.[0] === column.name)
    .toSorted((a, b) => Number(a.foreignIsView) - Number(b.foreignIsView));
  if (reference) {
    const { name } = reference.foreign;
    const foreign = reference.columns[0]?.[1];
    notes.push(
      `This is a Foreign Key to \`${name}.${foreign}\`.<fk table='${name}' column='${foreign}'/>`,
    );
  }
  const note = notes.length > 0 ? `Note:\n${notes.join("\n")}` : null;
  const description = [column.description, note].filter((each) => each !== null).join("\n\n");
  return {
    ...(description ? { description } : {}),
    ...defaultOf(column),
    ...(column.enum.length > 0 ? { enum: column.enum } : {}),
    ...(column.maxLength === null ? {} : { maxLength: column.maxLength }),
    ...typeOf(column.base),
  };
}

/** What a default is, where it is a plain value of the column's type. */
function defaultOf({ base, default: text }: Column): Json {
  if (text === null) return {};
  if (plainType(base).type === undefined && !/^jsonb?$|\[\]$/.test(base)) {
    const bare = text.endsWith(`::${base}`) ? text.slice(0, -`::${base}`.length) : text;
    return { default: bare === text ? text : bare.replace(/^'+|'+$/g, "") };
  }
  try {
    return { default: JSON.parse(text) };
  } catch {
    return {};
  }
}

/** A type of Postgres as one of JSON. */
function typeOf(type: string): Json {
  const format = formatOf(type);
  if (type.endsWith("[]")) {
    const { format: _, ...items } = typeOf(type.slice(0, -2));
    return { type: "array", items, format };
  }
  return { ...(/^jsonb?$/.test(type) ? {} : { type: "string" }), format, ...plainType(type) };
}

/** Of what is no text in JSON. */
function plainType(type: string): { type?: string } {
  if (/^(smallint|integer|bigint)$/.test(type)) return { type: "integer" };
  if (/^(numeric|real|double precision)$/.test(type)) return { type: "number" };
  return type === "boolean" ? { type } : {};
}

const formatOf = (type: string) =>
  type === "smallint" || type === "integer" ? "int32" : type === "bigint" ? "int64" : type;

const bodyParameter = ({ name }: Table): Json => ({
  name,
  description: name,
  required: false,
  in: "body",
  schema: { $ref: `#/definitions/${name}` },
});

const rowFilter = ({ name, description }: Column): Json => ({
  name,
  ...(description === null ? {} : { description }),
  required: false,
  in: "query",
  type: "string",
});
