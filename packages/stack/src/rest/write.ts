import type { Qualified, Table } from "./cache.js";
import { columnNotFound, RestError } from "./errors.js";
import { columnOf, literal, type Parameters, qualified, quote } from "./fragments.js";
import type { Column } from "./introspection.js";
import type { Payload } from "./payload.js";
import { conditionSql } from "./read.js";
import type { PlannedCondition, ReadNode } from "./read-plan.js";

const BODY: Qualified = { schema: "", name: "pgrst_body" };

/** A column or argument filled by a body, and the type as which it is read. */
export interface Filled {
  name: string;
  type: string;
  default: string | null;
}

/** Returns the table's columns with these names. Throws PGRST204. */
export function filledColumns(table: Table, names: readonly string[]): Filled[] {
  return names.map((name) => {
    const column: Column | undefined = table.columns.get(name);
    if (!column) throw columnNotFound(table.name, name);
    return { name, type: column.type, default: column.default };
  });
}

/**
 * Returns a from-clause whose last item, `pgrst_body`, contains the body's rows. A missing key becomes its column's
 * default with `defaults`, else null.
 */
export function bodySql(
  parameters: Parameters,
  payload: Payload,
  filled: readonly Filled[],
  { defaults = false, single = false } = {},
): string {
  const json = defaults ? "jsonb" : "json";
  const sources = [
    `(select ${parameters.bind(payload.text)}::text::${json} as body) pgrst_payload`,
  ];
  let body = "pgrst_payload.body";
  if (defaults) {
    const list = filled.filter((each) => each.default !== null);
    const object = `jsonb_build_object(${list
      .map((each) => `${literal(each.name)}, ${each.default}`)
      .join(", ")})`;
    sources.push(
      payload.array
        ? `lateral (select jsonb_agg(${object} || row) as body from jsonb_array_elements(pgrst_payload.body) row) pgrst_defaults`
        : `lateral (select ${object} || pgrst_payload.body as body) pgrst_defaults`,
    );
    body = "pgrst_defaults.body";
  }
  const names = filled.map(({ name }) => quote(name)).join(", ");
  const types = filled.map(({ name, type }) => `${quote(name)} ${type}`).join(", ");
  const limit = single ? " limit 1" : "";
  const rows =
    filled.length > 0
      ? `${json}_to_record${payload.array ? "set" : ""}(${body}) as row(${types})${limit}`
      : payload.array
        ? `${json}_array_elements(${body}) row`
        : "(values (1)) row";
  sources.push(`lateral (select ${names} from ${rows}) ${BODY.name}`);
  return sources.join(", ");
}

const returningSql = (table: Qualified, columns: readonly string[] | null) =>
  columns === null
    ? ` returning ${columnOf(table, "*")}`
    : ` returning ${columns.length === 0 ? "1" : columns.map((column) => columnOf(table, column)).join(", ")}`;

/** Counts the rows that an upsert inserted, not updated, in a setting of the transaction. */
const counted = (step: "+ 1" | "- 1") =>
  `set_config('pgrst.inserted', (coalesce(${INSERTED}, 0) ${step})::text, true) <> ''`;
export const INSERTED = "nullif(current_setting('pgrst.inserted', true), '')::int";

/** A change of a table by a body. */
export interface Change {
  table: Table;
  payload: Payload;
  filled: readonly Filled[];
  defaults: boolean;
  /** Columns to return; null for all. */
  returning: readonly string[] | null;
}

interface Conflict {
  columns: readonly string[];
  merge: boolean;
}

/** `conditions` are those of a PUT, which the body must satisfy. */
export function insertSql(
  parameters: Parameters,
  { table, payload, filled, defaults, returning }: Change,
  conflict: Conflict | null,
  conditions: readonly PlannedCondition[],
): string {
  const names = filled.map(({ name }) => quote(name));
  const into = names.length === 0 ? "" : ` (${names.join(", ")})`;
  const values = filled.map(({ name }) => columnOf(BODY, name)).join(", ");
  const body = bodySql(parameters, payload, filled, { defaults });
  const where = [
    ...(conflict?.merge ? [counted("+ 1")] : []),
    ...conditionsSql(parameters, { reference: BODY, columns: null }, conditions),
  ];
  return [
    `insert into ${qualified(table)}${into} select ${values} from ${body}`,
    where.length === 0 ? "" : ` where ${where.join(" and ")}`,
    conflict === null ? "" : conflictSql(conflict, names),
    returningSql(table, returning),
  ].join("");
}

function conflictSql({ columns, merge }: Conflict, names: readonly string[]): string {
  if (columns.length === 0) return "";
  const target = ` on conflict (${columns.map(quote).join(", ")})`;
  if (!merge || names.length === 0) return `${target} do nothing`;
  const assignments = names.map((name) => `${name} = excluded.${name}`).join(", ");
  return `${target} do update set ${assignments} where ${counted("- 1")}`;
}

export function updateSql(
  parameters: Parameters,
  { table, payload, filled, defaults, returning }: Change,
  conditions: readonly PlannedCondition[],
): string {
  if (filled.length === 0) {
    // An update without assignments is invalid; the read that follows still needs the columns.
    const columns = returning?.map((name) => columnOf(table, name)) ?? [columnOf(table, "*")];
    return `select ${columns.join(", ") || "null"} from ${qualified(table)} where false`;
  }
  const assignments = filled
    .map(({ name }) => `${quote(name)} = ${columnOf(BODY, name)}`)
    .join(", ");
  const body = bodySql(parameters, payload, filled, { defaults });
  return `update ${qualified(table)} set ${assignments} from ${body}${whereSql("UPDATE", parameters, table, conditions)}${returningSql(table, returning)}`;
}

export const deleteSql = (
  parameters: Parameters,
  table: Table,
  conditions: readonly PlannedCondition[],
  returning: readonly string[] | null,
) =>
  `delete from ${qualified(table)}${whereSql("DELETE", parameters, table, conditions)}${returningSql(table, returning)}`;

/** Throws 21000 without a condition, as hosted projects do: their PostgREST runs with the extension safeupdate. */
function whereSql(
  command: "UPDATE" | "DELETE",
  parameters: Parameters,
  table: Table,
  conditions: readonly PlannedCondition[],
): string {
  const node = { reference: table, columns: table.columns };
  const all = conditionsSql(parameters, node, conditions);
  if (all.length === 0) {
    throw new RestError(400, "21000", `${command} requires a WHERE clause`, null, null);
  }
  return ` where ${all.join(" and ")}`;
}

const conditionsSql = (
  parameters: Parameters,
  node: Pick<ReadNode, "reference" | "columns">,
  conditions: readonly PlannedCondition[],
) => conditions.map((condition) => conditionSql(parameters, node, condition, () => "true"));
