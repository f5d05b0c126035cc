import type { Aggregate, SelectedField } from "./ast.js";
import type { Pairs, Qualified } from "./cache.js";
import {
  aggregateSql,
  asClause,
  castSql,
  columnOf,
  fieldSql,
  filterSql,
  orderSql,
  type Parameters,
  qualified,
  quote,
} from "./fragments.js";
import { hasAggregates, type PlannedCondition, type ReadNode, SOURCE } from "./read-plan.js";

/** Returns the query with one row per row of the node, including embeds. */
export function readSql(parameters: Parameters, node: ReadNode): string {
  return selectSql(parameters, node, "");
}

/**
 * `more`: columns that the outer query needs besides the selected ones, each with a leading comma.
 */
function selectSql(parameters: Parameters, node: ReadNode, more: string): string {
  const groups = node.spread !== "one" && hasAggregates(node);
  const joins = node.children.map((child) => joinSql(parameters, child));
  const columns = [
    ...node.fields.map((field) => fieldColumn(parameters, node, field)),
    ...node.children.flatMap((child) => embeddedColumns(child, node.spread !== "one")),
  ];
  if (node.fields.length === 0 && node.children.length === 0) {
    columns.push(columnOf(node.reference, "*"));
  }
  // A row may have no columns: `select=films()` selects nothing of either table.
  const list = columns.length === 0 ? more.slice(1) : columns.join(", ") + more;
  return [
    `select ${list} from ${fromSql(node)}`,
    ...joins,
    whereSql(node, conditionsSql(parameters, node)),
    groups ? groupSql(parameters, node) : "",
    node.spread === "many" ? "" : orderSql(parameters, node.reference, node.columns, node.order),
    rangeSql(parameters, node),
  ].join("");
}

function fieldColumn(parameters: Parameters, node: ReadNode, item: SelectedField): string {
  const { field, cast, aggregate, aggregateCast, alias } = item;
  const hoisted = node.spread === "one";
  if (aggregate === "count" && field.name === "*") {
    return hoisted
      ? `${quote(node.reference.name)}${asClause(alias ?? "count")}`
      : castSql("count(*)", aggregateCast) + asClause(alias);
  }
  const sql = castSql(fieldSql(parameters, node.reference, node.columns, field), cast);
  return (hoisted ? sql : aggregateSql(sql, aggregate, aggregateCast)) + asClause(alias);
}

/** A column that a spread relation adds to its parent's rows. */
interface SpreadColumn {
  name: string;
  aggregate: Aggregate | null;
  aggregateCast: string | null;
}

function spreadColumns(node: ReadNode): SpreadColumn[] {
  const plain = { aggregate: null, aggregateCast: null };
  return [
    ...node.fields.map(({ field, alias, aggregate, aggregateCast }) => ({
      name: alias ?? field.name,
      aggregate,
      aggregateCast,
    })),
    ...node.children.flatMap((child) =>
      child.spread === null
        ? isEmpty(child)
          ? []
          : [{ name: child.name, ...plain }]
        : spreadColumns(child).map((column) =>
            child.spread === "one" ? column : { ...column, ...plain },
          ),
    ),
  ];
}

/** Whether an embed selects no columns: `embed()` filters without adding anything. */
const isEmpty = (node: ReadNode): boolean =>
  node.fields.length === 0 && node.children.every(isEmpty);

/**
 * Returns the columns that an embed adds to its parent. A to-one spread leaves its aggregates to
 * the parent.
 */
function embeddedColumns(child: ReadNode, apply: boolean): string[] {
  const join = { schema: "", name: child.join };
  if (child.spread !== null) {
    return spreadColumns(child).map(({ name, aggregate, aggregateCast }) => {
      const column = columnOf(join, name);
      if (!apply || aggregate === null) return column;
      return aggregateSql(column, aggregate, aggregateCast) + asClause(name);
    });
  }
  if (isEmpty(child)) return [];
  const rows = child.toOne
    ? `row_to_json(${qualified(join)}.*)::jsonb`
    : `coalesce(${columnOf(join, child.join)}, '[]')`;
  return [rows + asClause(child.name)];
}

function joinSql(parameters: Parameters, child: ReadNode): string {
  const name = quote(child.join);
  const kind = child.inner ? "inner" : "left";
  if (child.toOne) {
    return ` ${kind} join lateral (${readSql(parameters, child)}) as ${name} on true`;
  }
  const rows = `json_agg(${name})::jsonb as ${name}`;
  const on = child.inner ? `${name} is not null` : "true";
  if (child.spread === null) {
    const query = readSql(parameters, child);
    return ` ${kind} join lateral (select ${rows} from (${query}) as ${name}) as ${name} on ${on}`;
  }
  // The order applies to the arrays, so the inner query must contain the columns to order by.
  const orders = child.order.map((term, i) => {
    const relation = term.relation === null ? child.reference : { schema: "", name: term.relation };
    const columns = term.relation === null ? child.columns : null;
    const sql = fieldSql(parameters, relation, columns, term.field);
    return { alias: `pgrst_order_${i}`, sql, term };
  });
  const query = selectSql(
    parameters,
    child,
    orders.map(({ sql, alias }) => `, ${sql}${asClause(alias)}`).join(""),
  );
  const order = orders.map(({ alias, term }) => ({
    ...term,
    relation: null,
    field: { name: alias, path: [] },
  }));
  const by = orderSql(parameters, { schema: "", name: child.join }, null, order);
  const arrays = spreadColumns(child).map(
    (column) =>
      `, coalesce(json_agg(${columnOf({ schema: "", name: child.join }, column.name)}${by}), '[]')::jsonb${asClause(column.name)}`,
  );
  return ` ${kind} join lateral (select ${rows}${arrays.join("")} from (${query}) as ${name}) as ${name} on ${on}`;
}

function fromSql(node: ReadNode): string {
  const { relationship, alias } = node;
  if (relationship?.kind === "computed") {
    const argument = `${quote(node.parent!.name)}::${qualified(relationship.table)}`;
    return `${qualified(relationship.routine)}(${argument})${asClause(alias)}`;
  }
  const table = node.fromSource ? SOURCE : qualified(node.table);
  const junction =
    relationship?.kind === "many-to-many"
      ? `, ${qualified(relationship.junction)}${asClause(node.junctionAlias)}`
      : "";
  return table + asClause(alias) + junction;
}

function joinConditions({ relationship, parent, reference, junctionAlias }: ReadNode): string[] {
  if (relationship === null || relationship.kind === "computed") return [];
  const equal = (left: Qualified, right: Qualified, pairs: Pairs) =>
    pairs.map(([a, b]) => `${columnOf(left, a)} = ${columnOf(right, b)}`);
  if (relationship.kind !== "many-to-many") {
    return equal(parent!, reference, relationship.columns);
  }
  const junction = { schema: "", name: junctionAlias };
  return [
    ...equal(parent!, junction, relationship.source),
    ...equal(junction, reference, relationship.target),
  ];
}

const whereSql = (node: ReadNode, conditions: string[]) => {
  const all = [...conditions, ...joinConditions(node)];
  return all.length === 0 ? "" : ` where ${all.join(" and ")}`;
};

const conditionsSql = (parameters: Parameters, node: ReadNode) =>
  node.conditions.map((condition) =>
    conditionSql(
      parameters,
      node,
      condition,
      // Not `is null`, which is also true for a row of nulls.
      (child, negated) => `${quote(child.join)} is ${negated ? "" : "not "}distinct from null`,
    ),
  );

/** `embedded` returns the test for embedded rows: that there are some, or, if `negated`, none. */
export function conditionSql(
  parameters: Parameters,
  node: Pick<ReadNode, "reference" | "columns">,
  condition: PlannedCondition,
  embedded: (child: ReadNode, negated: boolean) => string,
): string {
  switch (condition.kind) {
    case "filter":
      return filterSql(parameters, node.reference, node.columns, condition);
    case "embedded":
      return embedded(condition.child, condition.negated);
    case "tree": {
      const operands = condition.operands.map((each) =>
        conditionSql(parameters, node, each, embedded),
      );
      return `${condition.negated ? "not " : ""}(${operands.join(` ${condition.operator} `)})`;
    }
  }
}

/**
 * The offset is bound, so that pages share a prepared statement. The limit is a literal: without it
 * Postgres estimates the generic plan as too expensive, and plans every time.
 */
function rangeSql(parameters: Parameters, { range: { offset, limit } }: ReadNode): string {
  const rows = limit === null ? "" : ` limit ${limit}`;
  return rows + (offset === 0 ? "" : ` offset ${parameters.bind(String(offset))}`);
}

function groupSql(parameters: Parameters, node: ReadNode): string {
  const terms = [
    ...node.fields
      .filter(({ aggregate }) => aggregate === null)
      .map(({ alias, field }) =>
        alias === null ? fieldSql(parameters, node.reference, node.columns, field) : quote(alias),
      ),
    ...node.children.flatMap((child) =>
      child.spread === null
        ? isEmpty(child)
          ? []
          : [quote(child.name)]
        : spreadColumns(child)
            .filter(({ aggregate }) => aggregate === null || child.spread === "many")
            .map(({ name }) => columnOf({ schema: "", name: child.join }, name)),
    ),
  ];
  return terms.length === 0 ? "" : ` group by ${terms.join(", ")}`;
}

/**
 * Returns a query with one row for each row of the node, without its range. Inner joins are replaced by `exists`, so
 * that only columns that filter are read.
 */
export function countSql(parameters: Parameters, node: ReadNode): string {
  const conditions = [
    ...node.conditions.map((condition) =>
      conditionSql(
        parameters,
        node,
        condition,
        (child, negated) => `${negated ? "" : "not "}exists (${countSql(parameters, child)})`,
      ),
    ),
    ...node.children
      .filter(({ inner }) => inner)
      .map((child) => `exists (${countSql(parameters, child)})`),
  ];
  return `select 1 from ${fromSql(node)}${whereSql(node, conditions)}`;
}
