import type { Queryable } from "../db/database.js";
import { keyOf, type SchemaCache, type Table } from "./cache.js";
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
  const [title, ...description] = (seen?.comment ?? "").split("\n");
  const { host, protocol } = new URL(url);
  return {
    swagger: "2.0",
    info: {
      title: title || "PostgREST API",
      description: description.join("\n").trim() || "Tables, views and functions over HTTP.",
      version: "14",
    },
    host,
    basePath: "/rest/v1",
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

const mediaTypes = [
  "application/json",
  "application/vnd.pgrst.object+json;nulls=stripped",
  "application/vnd.pgrst.object+json",
  "text/csv",
];

const query = (name: string, description: string): readonly [string, Json] => [
  name,
  { name, description, required: false, in: "query", type: "string" },
];
const prefer = (key: string, values: string[]): readonly [string, Json] => [
  key,
  {
    name: "Prefer",
    description: "Preference",
    required: false,
    in: "header",
    type: "string",
    enum: values,
  },
];

const shared: (readonly [string, Json])[] = [
  prefer("preferParams", ["params=single-object"]),
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
  [
    "range",
    {
      name: "Range",
      description: "Limiting and Pagination",
      required: false,
      in: "header",
      type: "string",
    },
  ],
  [
    "rangeUnit",
    {
      name: "Range-Unit",
      description: "Limiting and Pagination",
      required: false,
      default: "items",
      in: "header",
      type: "string",
    },
  ],
];

const references = (...names: string[]) => names.map((name) => ({ $ref: `#/parameters/${name}` }));

function tablePath(table: Table): Json {
  const [summary, ...rest] = (table.description ?? "").split("\n");
  const about = {
    tags: [table.name],
    ...(summary ? { summary } : {}),
    ...(rest.length > 0 ? { description: rest.join("\n").trim() } : {}),
  };
  const filters = [...table.columns.keys()].map((name) => `rowFilter.${table.name}.${name}`);
  const body = `body.${table.name}`;
  const rows = { type: "array", items: { $ref: `#/definitions/${table.name}` } };
  return {
    get: {
      ...about,
      parameters: references(
        ...filters,
        "select",
        "order",
        "range",
        "rangeUnit",
        "offset",
        "limit",
        "preferCount",
      ),
      responses: {
        200: { description: "OK", schema: rows },
        206: { description: "Partial Content" },
      },
    },
    ...(table.insertable && {
      post: {
        ...about,
        parameters: references(body, "select", "preferPost"),
        responses: { 201: { description: "Created" } },
      },
    }),
    ...(table.updatable && {
      patch: {
        ...about,
        parameters: references(...filters, body, "preferReturn"),
        responses: { 204: { description: "No Content" } },
      },
    }),
    ...(table.deletable && {
      delete: {
        ...about,
        parameters: references(...filters, "preferReturn"),
        responses: { 204: { description: "No Content" } },
      },
    }),
  };
}

function routinePath(routine: CatalogRoutine): Json {
  const [summary, ...rest] = (routine.description ?? "").split("\n");
  const about = {
    tags: [`(rpc) ${routine.name}`],
    ...(summary ? { summary } : {}),
    ...(rest.length > 0 ? { description: rest.join("\n").trim() } : {}),
    produces: mediaTypes,
    responses: { 200: { description: "OK" } },
  };
  const schema = {
    type: "object",
    ...(routine.description ? { description: routine.description } : {}),
    required: routine.parameters.filter((each) => each.required).map((each) => each.name),
    properties: Object.fromEntries(
      routine.parameters.map((each) => [each.name, typeOf(each.type)]),
    ),
  };
  const post = {
    ...about,
    parameters: [
      { name: "args", required: true, in: "body", schema },
      ...references("preferParams"),
    ],
  };
  if (routine.volatility === "v") return { post };
  const parameters = routine.parameters.map(({ name, required, type }) => ({
    name,
    required,
    in: "query",
    ...typeOf(type),
  }));
  return { get: { ...about, parameters }, post };
}

function definition(cache: SchemaCache, table: Table): Json {
  const columns = [...table.columns.values()];
  return {
    ...(table.description ? { description: table.description } : {}),
    required: columns
      .filter((column) => !column.nullable && column.default === null)
      .map((column) => column.name),
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
  const reference = cache.relationships
    .get(keyOf(table.schema, table.name))
    ?.find(
      (each) =>
        (each.kind === "many-to-one" || each.kind === "one-to-one") &&
        each.columns.length === 1 &&
        each.columns[0]?.[0] === column.name &&
        !each.foreignIsView,
    );
  if (reference && "columns" in reference) {
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
    ...(column.default === null ? {} : { default: column.default }),
    ...(column.enum.length > 0 ? { enum: column.enum } : {}),
    ...(column.maxLength === null ? {} : { maxLength: column.maxLength }),
    ...typeOf(column.base),
    format: column.type,
  };
}

/** A type of Postgres as one of JSON, with its own name as the format. */
function typeOf(type: string): Json {
  if (type.endsWith("[]")) return { type: "array", items: typeOf(type.slice(0, -2)), format: type };
  switch (type) {
    case "smallint":
    case "integer":
    case "bigint":
      return { type: "integer", format: type };
    case "numeric":
    case "real":
    case "double precision":
      return { type: "number", format: type };
    case "boolean":
      return { type: "boolean", format: type };
    case "json":
    case "jsonb":
      return { format: type };
    default:
      return { type: "string", format: type };
  }
}

const bodyParameter = ({ name }: Table): Json => ({
  name,
  description: name,
  required: false,
  in: "body",
  schema: { $ref: `#/definitions/${name}` },
});

const rowFilter = ({ name, type }: Column): Json => ({
  name,
  required: false,
  in: "query",
  type: "string",
  format: type,
});
