import type { Parameter } from "../db/database.js";
import type { Aggregate, Field, Filter } from "./ast.js";
import type { Qualified, Table } from "./cache.js";
import { refuseDeepValue } from "./nesting.js";
import type { PlannedOrder } from "./read-plan.js";

/** The parameters of one statement, in the order of their numbers. */
export class Parameters {
  readonly values: Parameter[] = [];

  /** Adds a value and returns its placeholder, such as `$3`. */
  bind(value: Parameter): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** Quotes an identifier. It is cut at a zero byte, where Postgres would end the statement. */
export function quote(name: string): string {
  if (!/["\0]/.test(name)) return `"${name}"`;
  return `"${name.split("\0", 1)[0]!.replaceAll('"', '""')}"`;
}

export const qualified = ({ schema, name }: Qualified) =>
  schema === "" ? quote(name) : `${quote(schema)}.${quote(name)}`;

export const columnOf = (relation: Qualified, name: string) =>
  `${qualified(relation)}.${name === "*" ? "*" : quote(name)}`;

/** A text literal. Only for names from the catalogue; values must be parameters. */
export const literal = (text: string) =>
  `${text.includes("\\") ? " E" : ""}'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;

export const asClause = (alias: string | null) => (alias === null ? "" : ` as ${quote(alias)}`);

/** A column, or a JSON path in it. Columns of other types are converted to jsonb first. */
export function fieldSql(
  parameters: Parameters,
  relation: Qualified,
  columns: Table["columns"] | null,
  { name, path }: Field,
): string {
  const column = columnOf(relation, name);
  if (path.length === 0) return column;
  const base = columns?.get(name)?.base;
  const json = base === "json" || base === "jsonb" ? column : `to_jsonb(${column})`;
  const steps = path.map(({ arrow, operand }) =>
    "key" in operand
      ? arrow + parameters.bind(operand.key)
      : `${arrow}${parameters.bind(operand.index)}::int`,
  );
  return json + steps.join("");
}

/** `type` contains only letters, digits, `_` and spaces: the parser rejects everything else. */
export const castSql = (sql: string, type: string | null) =>
  type === null ? sql : `cast(${sql} as ${type})`;

export const aggregateSql = (sql: string, aggregate: Aggregate | null, type: string | null) =>
  aggregate === null ? sql : castSql(`${aggregate}(${sql})`, type);

/** Returns the text format of an array. */
export const arrayText = (values: readonly string[]) =>
  `{${values.map((value) => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;

/**
 * Returns the SQL of a condition on one field. Operands are bound without a type, so that Postgres
 * uses the field's own type, and indexes apply.
 */
export function filterSql(
  parameters: Parameters,
  relation: Qualified,
  columns: Table["columns"] | null,
  { field, negated, operation }: Filter,
): string {
  const bind = (value: string) => {
    refuseDeepValue(value);
    return parameters.bind(value);
  };
  const left = fieldSql(parameters, relation, columns, field);
  const not = negated ? "not " : "";
  switch (operation.kind) {
    case "is":
      return `${not}${left} is ${operation.value}`;
    case "distinct":
      return `${not}${left} is distinct from ${bind(operation.value)}`;
    case "in": {
      const { values } = operation;
      const text = values.length === 1 && values[0] === "" ? "{}" : arrayText(values);
      return `${not}${left} = any (${bind(text)})`;
    }
    case "search": {
      const language = operation.language;
      // The language is a separate parameter in both calls. A computed field counts as a tsvector.
      const given = () => (language === null ? "" : `${bind(language)}::text::regconfig, `);
      const base = columns?.get(field.name)?.base ?? "tsvector";
      const vector = base === "tsvector" ? left : `to_tsvector(${given()}${left})`;
      return `${not}${vector} @@ ${operation.parser}(${given()}${bind(operation.value)})`;
    }
    case "compare": {
      const { operator, quantifier } = operation;
      const pattern = operator === "like" || operator === "ilike";
      const value = bind(pattern ? operation.value.replaceAll("*", "%") : operation.value);
      return `${not}${left} ${operator} ${quantifier === null ? value : `${quantifier} (${value})`}`;
    }
  }
}

export function orderSql(
  parameters: Parameters,
  relation: Qualified,
  columns: Table["columns"] | null,
  terms: readonly PlannedOrder[],
): string {
  if (terms.length === 0) return "";
  const list = terms.map((term) => {
    const field =
      term.relation === null
        ? fieldSql(parameters, relation, columns, term.field)
        : fieldSql(parameters, { schema: "", name: term.relation }, null, term.field);
    const direction = term.direction === null ? "" : ` ${term.direction}`;
    return `${field}${direction}${term.nulls === null ? "" : ` nulls ${term.nulls}`}`;
  });
  return ` order by ${list.join(", ")}`;
}
