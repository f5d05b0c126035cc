import type { ApiRequest } from "./api-request.js";
import type { At, Condition, Filter, Query } from "./ast.js";
import { keyOf, type SchemaCache, type Table } from "./cache.js";
import { callSql, findRoutine, type Shape, shapeOf } from "./call.js";
import { CacheMiss, RestError } from "./errors.js";
import { Parameters } from "./fragments.js";
import { refuseUnknown } from "./preferences.js";
import { countSql } from "./read.js";
import { neededColumns, planRead, type ReadNode } from "./read-plan.js";
import { closest } from "./similarity.js";
import { EMBED_BYTES, type StatementOptions, statement } from "./statement.js";
import { deleteSql, filledColumns, insertSql, updateSql } from "./write.js";

/** A planned statement, and the data needed to check and write the response. */
export interface Planned {
  sql: string;
  parameters: Parameters;
  readOnly: boolean;
  /** The statement that asks the planner for the total number of rows. */
  explain: { sql: string; parameters: Parameters } | null;
  shape: Shape | null;
  upserts: boolean;
  /** Whether there is a conflict target for an upsert. */
  resolves: boolean;
  /** Settings of a function that must be set before the statement begins. */
  settings: Record<string, string>;
}

const usual = {
  readOnly: false,
  explain: null,
  shape: null,
  upserts: false,
  resolves: false,
  settings: {},
};

/** Plans a request on a table or function; the response has at most `maxRows` rows. */
export function plan(cache: SchemaCache, apiRequest: ApiRequest, maxRows: number): Planned {
  const planned =
    apiRequest.action.kind === "call"
      ? planCall(cache, apiRequest, maxRows)
      : apiRequest.action.kind === "read"
        ? planSelect(cache, apiRequest, maxRows)
        : planChange(cache, apiRequest);
  refuseUnknown(apiRequest.preferences);
  // The comment separates prepared statements of different schema versions, whose parameter types
  // may differ.
  planned.sql += ` /* schema ${cache.generation} */`;
  return planned;
}

/** Returns the methods that a path supports. */
export function allowedMethods(cache: SchemaCache, { resource, schema }: ApiRequest): string {
  if (resource.kind === "root") return "OPTIONS,GET,HEAD";
  if (resource.kind === "routine") {
    const { volatility } = findRoutine(cache, schema, resource.name, [], null);
    return volatility === "v" ? "OPTIONS,POST" : "OPTIONS,GET,HEAD,POST";
  }
  const { insertable, updatable, deletable, primaryKey } = tableOf(cache, schema, resource.name);
  return [
    "OPTIONS,GET,HEAD",
    ...(insertable ? ["POST"] : []),
    ...(insertable && updatable && primaryKey.length > 0 ? ["PUT"] : []),
    ...(updatable ? ["PATCH"] : []),
    ...(deletable ? ["DELETE"] : []),
  ].join(",");
}

function tableOf(cache: SchemaCache, schema: string, name: string): Table {
  const table = cache.tables.get(keyOf(schema, name));
  if (table) return table;
  const names = [...cache.tables.values()].filter((each) => each.schema === schema);
  const near = closest(
    name,
    names.map((each) => each.name),
    0.75,
  );
  throw new CacheMiss(
    404,
    "PGRST205",
    `Could not find the table '${schema}.${name}' in the schema cache`,
    null,
    near === null ? null : `Perhaps you meant the table '${schema}.${near}'`,
  );
}

/** Sets the root's range, which combines the query's with the `Range` header. */
const setRange = (node: ReadNode, { range }: ApiRequest, maxRows: number) => {
  const limit = range.limit === null ? maxRows : Math.min(range.limit, maxRows);
  node.range = { offset: range.offset, limit };
};

const aggregatesOf = (cache: SchemaCache) => cache.options.db_aggregates_enabled === "true";

function planSelect(cache: SchemaCache, apiRequest: ApiRequest, maxRows: number): Planned {
  const { query, media } = apiRequest;
  const node = planRead(cache, tableOf(cache, apiRequest.schema, apiRequest.name), query, {
    schema: apiRequest.schema,
    maxRows,
    aggregates: aggregatesOf(cache),
    fromSource: false,
  });
  setRange(node, apiRequest, maxRows);
  const parameters = new Parameters();
  const sql = statement(parameters, node, null, {
    ...counting(apiRequest, maxRows),
    media,
    bodiless: apiRequest.headOnly,
    maxBytes: node.children.length > 0 ? EMBED_BYTES : null,
  });
  return { ...usual, sql, parameters, readOnly: true, explain: explanation(node, apiRequest) };
}

function counting(
  { preferences: { count } }: ApiRequest,
  maxRows: number,
): Partial<StatementOptions> {
  return {
    count: count === "exact" || count === "estimated",
    countLimit: count === "estimated" ? maxRows + 1 : null,
  };
}

function explanation(node: ReadNode, { preferences: { count } }: ApiRequest): Planned["explain"] {
  if (count !== "planned" && count !== "estimated") return null;
  const parameters = new Parameters();
  return { sql: `explain (format json) ${countSql(parameters, node)}`, parameters };
}

const isRoot = ({ path }: { path: string[] }) => path.length === 0;

function planChange(cache: SchemaCache, apiRequest: ApiRequest): Planned {
  const { query, preferences, media, schema } = apiRequest;
  const table = tableOf(cache, schema, apiRequest.name);
  const represented = preferences.return === "representation";
  // Conditions on the root select the rows to change, not the rows to return.
  const node = planRead(
    cache,
    table,
    {
      select: represented ? query.select : [],
      orders: query.orders,
      limits: [],
      offsets: [],
      conditions: query.conditions.filter((each) => !isRoot(each)),
    },
    { schema, maxRows: null, aggregates: aggregatesOf(cache), fromSource: true },
  );
  const named = preferences.return === "headers-only" ? table.primaryKey : [];
  const returning = represented ? neededColumns(node, table.primaryKey) : named;
  const parameters = new Parameters();
  const { source, ...made } = changeSql(parameters, table, apiRequest, returning);
  const sql = statement(parameters, node, source, {
    media,
    bodiless: !represented,
    upserts: made.upserts ?? false,
    keyColumns: apiRequest.action.kind === "insert" ? named : [],
  });
  return { ...usual, ...made, sql, parameters };
}

function changeSql(
  parameters: Parameters,
  table: Table,
  { action, query, payload, preferences }: ApiRequest,
  returning: readonly string[] | null,
): { source: string; upserts?: boolean; resolves?: boolean } {
  const conditions = query.conditions.filter(isRoot).map(({ value }) => value);
  if (action.kind === "delete") {
    return { source: deleteSql(parameters, table, conditions, returning) };
  }
  const filled = filledColumns(table, payload!.keys);
  const defaults = preferences.missing === "default";
  const change = { table, payload: payload!, filled, defaults, returning };
  if (action.kind === "update") return { source: updateSql(parameters, change, conditions) };
  if (action.kind === "upsert") {
    checkPut(table, query);
    const conflict = { columns: table.primaryKey, merge: true };
    return { source: insertSql(parameters, change, conflict, conditions), upserts: true };
  }
  const columns = query.onConflict ?? table.primaryKey;
  const merge = preferences.resolution === "merge-duplicates";
  const conflict = preferences.resolution === null ? null : { columns, merge };
  const source = insertSql(parameters, change, conflict, []);
  return { source, upserts: merge, resolves: columns.length > 0 };
}

/** Throws unless a PUT filters by its whole primary key and nothing else. */
function checkPut(table: Table, query: Query): void {
  const filters = query.conditions.map(({ value }) => value);
  const equal = filters.filter(
    (each): each is Filter =>
      each.kind === "filter" &&
      !each.negated &&
      each.operation.kind === "compare" &&
      each.operation.operator === "=" &&
      each.operation.quantifier === null,
  );
  const named = new Set(equal.map(({ field }) => field.name));
  const key = table.primaryKey;
  const whole = key.length > 0 && named.size === key.length && key.every((each) => named.has(each));
  if (!whole || equal.length !== filters.length) {
    throw new RestError(
      405,
      "PGRST105",
      "Filters must include all and only primary key columns with 'eq' operators",
    );
  }
}

function planCall(cache: SchemaCache, apiRequest: ApiRequest, maxRows: number): Planned {
  const { query, payload, schema, name, media, contentType } = apiRequest;
  const reads = apiRequest.action.kind === "call" && apiRequest.action.reads;
  const names = payload ? payload.keys : query.arguments.map(([each]) => each);
  const routine = findRoutine(cache, schema, name, names, payload ? contentType : null);
  const shape = shapeOf(routine);
  if (
    apiRequest.preferences.maxAffected !== null &&
    apiRequest.preferences.handling === "strict" &&
    shape !== "rows" &&
    shape !== "scalars"
  ) {
    throw new RestError(
      400,
      "PGRST128",
      "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
    );
  }
  const rows = shape === "rows" || shape === "row";
  const node = planRead(cache, { schema, name: rows ? routine.returnName : routine.name }, query, {
    schema,
    maxRows,
    aggregates: aggregatesOf(cache),
    fromSource: true,
  });
  setRange(node, apiRequest, maxRows);
  const embeds = new Set(node.children.map((child) => child.name));
  const filtered = filteredColumns(query.conditions).filter((each) => !embeds.has(each));
  const columns = neededColumns(node, filtered);
  const parameters = new Parameters();
  const values = payload ? payload.fields : query.arguments;
  const source = callSql(
    parameters,
    routine,
    values ? { from: "url", values } : { from: "body", payload: payload! },
    columns,
  );
  const sql = statement(parameters, node, source, {
    ...counting(apiRequest, maxRows),
    countLimit: null,
    media,
    bodiless: apiRequest.headOnly,
    shape,
  });
  const readOnly = reads || routine.volatility !== "v";
  return { ...usual, sql, parameters, readOnly, shape, settings: routine.settings };
}

/** Returns the root's columns that conditions on a call's result use. */
function filteredColumns(conditions: readonly At<Condition>[]): string[] {
  const names = (condition: Condition): string[] =>
    condition.kind === "filter" ? [condition.field.name] : condition.operands.flatMap(names);
  return conditions.filter(isRoot).flatMap(({ value }) => names(value));
}
