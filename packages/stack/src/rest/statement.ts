import type { Shape } from "./call.js";
import { literal, type Parameters, quote } from "./fragments.js";
import type { Media } from "./media.js";
import { countSql, readSql } from "./read.js";
import { type ReadNode, SOURCE } from "./read-plan.js";
import { INSERTED } from "./write.js";

/** The single result row of every statement of the service. */
export interface Outcome {
  /** The number of all matching rows, if they were counted. */
  total: number | null;
  rows: number;
  body: string | null;
  /** The values that the request's functions set as `response.status` and `response.headers`. */
  status: string | null;
  headers: string | null;
  /** The number of rows that an upsert inserted. */
  inserted: number | null;
  /** The new row's key, for `Location`. */
  key: Record<string, unknown> | null;
}

/**
 * Maximum size in bytes of a response with embeds. PostgREST only limits the rows of each level: a thousand rows with a
 * thousand embedded rows each exceed the memory of a developer's machine.
 */
export const EMBED_BYTES = 8 * 1024 * 1024;

export interface StatementOptions {
  media: Media;
  /** Leave the body out, because it was not requested. */
  bodiless: boolean;
  count: boolean;
  /** The number of rows at which counting stops. */
  countLimit: number | null;
  /** The result of a call. */
  shape: Shape | null;
  upserts: boolean;
  /** Maximum size of the body in bytes; a larger body becomes null. */
  maxBytes: number | null;
  /** The columns of the primary key, if the response must name the new row. */
  keyColumns: readonly string[];
}

const defaults: StatementOptions = {
  media: { kind: "array", stripNulls: false, contentType: "" },
  bodiless: false,
  count: false,
  countLimit: null,
  shape: null,
  upserts: false,
  maxBytes: null,
  keyColumns: [],
};

/**
 * Builds one statement that changes or calls (`source`), reads, counts and writes the response's
 * body.
 */
export function statement(
  parameters: Parameters,
  node: ReadNode,
  source: string | null,
  given: Partial<StatementOptions>,
): string {
  const options = { ...defaults, ...given };
  const { shape, count, countLimit } = options;
  const one = shape === "row" || shape === "scalar" || shape === "void";
  const ctes: string[] = [];
  let rows: string;
  if (source === null) {
    ctes.push(`${SOURCE} as (${readSql(parameters, node)})`);
    rows = SOURCE;
  } else {
    ctes.push(`${SOURCE} as (${source})`);
    // Without a body the names in `select` are not checked.
    rows = options.bodiless && shape === null ? SOURCE : `(${readSql(parameters, node)})`;
  }
  if (count) {
    const limit = countLimit === null ? "" : ` limit ${countLimit}`;
    ctes.push(`pgrst_count as (${countSql(parameters, node)}${limit})`);
  }
  return [
    `with ${ctes.join(", ")} select`,
    ` ${count ? "(select pg_catalog.count(*) from pgrst_count)" : "null::bigint"} as total,`,
    ` ${one ? "1" : "pg_catalog.count(pgrst_row)"} as rows,`,
    ` ${options.bodiless ? "''" : limited(bodyOf(options), options.maxBytes)} as body,`,
    " nullif(current_setting('response.status', true), '') as status,",
    " nullif(current_setting('response.headers', true), '') as headers,",
    ` ${options.upserts ? INSERTED : "null::int"} as inserted,`,
    ` ${keyOfNewRow(options.keyColumns)} as key`,
    ` from ${rows} pgrst_row`,
  ].join("");
}

/** Postgres evaluates the body once, although the expression occurs twice. */
const limited = (body: string, most: number | null) =>
  most === null ? body : `case when pg_catalog.octet_length(${body}) <= ${most} then ${body} end`;

function bodyOf({ media, shape }: StatementOptions): string {
  const scalar = shape === "scalar" || shape === "scalars" || shape === "void";
  if (media.kind === "csv") {
    const names = `(select coalesce(string_agg(pgrst_key, ','), '') from (select json_object_keys(row_to_json(pgrst_first)) as pgrst_key from (select * from ${SOURCE} limit 1) pgrst_first) pgrst_keys)`;
    return `${names} || E'\\n' || coalesce(string_agg(substring(pgrst_row::text, 2, length(pgrst_row::text) - 2), E'\\n'), '')`;
  }
  if (media.kind === "geojson") {
    return "json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(st_asgeojson(pgrst_row)::json), '[]'))::text";
  }
  const stripped = (sql: string) => (media.stripNulls ? `json_strip_nulls(${sql})` : sql);
  if (shape === "scalar")
    return `coalesce(${stripped("to_json(pgrst_row.pgrst_scalar)")}::text, 'null')`;
  const rows = `json_agg(${scalar ? "pgrst_row.pgrst_scalar" : "pgrst_row"})`;
  return media.kind === "object" || shape === "row" || shape === "void"
    ? `coalesce(${stripped(`${rows}->0`)}, 'null')::text`
    : `coalesce(${stripped(rows)}, '[]')::text`;
}

function keyOfNewRow(columns: readonly string[]): string {
  if (columns.length === 0) return "null::json";
  const pairs = columns.map((name) => `${literal(name)}, pgrst_new.${quote(name)}`).join(", ");
  return `(select case when pg_catalog.count(*) = 1 then (json_agg(json_build_object(${pairs})))->0 end from ${SOURCE} pgrst_new)`;
}
