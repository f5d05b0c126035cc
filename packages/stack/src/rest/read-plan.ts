import type {
  At,
  Condition,
  Filter,
  OrderTerm,
  Query,
  Range,
  SelectedField,
  SelectedRelation,
  SelectItem,
} from "./ast.js";
import {
  isToOne,
  keyOf,
  type Qualified,
  type Relationship,
  type SchemaCache,
  type Table,
} from "./cache.js";
import { notEmbedded, RestError } from "./errors.js";
import { findRelationship } from "./relationships.js";

/** The name of the CTE with the rows of a mutation or call. */
export const SOURCE = "pgrst_source";

/** An order term; its `relation`, if any, is the name of the join in SQL. */
export type PlannedOrder = OrderTerm;

export type PlannedCondition =
  | Filter
  | { kind: "embedded"; negated: boolean; child: ReadNode }
  | { kind: "tree"; negated: boolean; operator: "and" | "or"; operands: PlannedCondition[] };

/** A relation to read, with its embeds. */
export interface ReadNode {
  /** The name in the response: its alias, or its name. */
  name: string;
  /** Its name even if it has an alias: conditions may use either. */
  target: string;
  /** The table that defines its columns and relationships. */
  table: Qualified;
  columns: Table["columns"] | null;
  /** The name of its rows in SQL: a schema and name, or an alias (schema ""). */
  reference: Qualified;
  /** Null for the table itself without an alias. */
  alias: string | null;
  fromSource: boolean;
  relationship: Relationship | null;
  /** The name of the parent's rows in SQL. */
  parent: Qualified | null;
  junctionAlias: string;
  /** The name of its join in the parent's query. */
  join: string;
  inner: boolean;
  spread: "one" | "many" | null;
  toOne: boolean;
  fields: SelectedField[];
  conditions: PlannedCondition[];
  order: PlannedOrder[];
  range: Range;
  children: ReadNode[];
}

export interface ReadOptions {
  schema: string;
  maxRows: number | null;
  aggregates: boolean;
  /** Whether the rows come from the mutation or call in the CTE `SOURCE`. */
  fromSource: boolean;
}

/**
 * Turns a query on `table` into a tree of relations joined by relationships. Throws PGRST108, 118,
 * 120, 123, 127, 200, 201.
 */
export function planRead(
  cache: SchemaCache,
  table: Qualified,
  query: Pick<Query, "select" | "orders" | "limits" | "offsets"> & {
    conditions: At<Condition>[];
  },
  options: ReadOptions,
): ReadNode {
  const root: ReadNode = {
    ...newNode(cache, table),
    reference: options.fromSource ? { schema: "", name: table.name } : table,
    alias: options.fromSource ? table.name : null,
    fromSource: options.fromSource,
  };
  addSelection(cache, root, query.select, 1, options);

  // If there are several orders, the first one applies.
  for (const { path, value } of query.orders.toReversed()) {
    const node = find(root, path);
    node.order = value.map((term) => resolveOrder(node, term));
  }
  for (const { path, value } of query.limits) find(root, path).range.limit = value;
  for (const { path, value } of query.offsets) find(root, path).range.offset = value;
  for (const { path, value } of query.conditions) {
    const node = find(root, path);
    node.conditions.push(resolveCondition(node, value));
  }
  finish(root, options);
  return root;
}

function newNode(cache: SchemaCache, table: Qualified): ReadNode {
  return {
    name: table.name,
    target: table.name,
    table,
    columns: cache.tables.get(keyOf(table.schema, table.name))?.columns ?? null,
    reference: table,
    alias: null,
    fromSource: false,
    relationship: null,
    parent: null,
    junctionAlias: "",
    join: "",
    inner: false,
    spread: null,
    toOne: false,
    fields: [],
    conditions: [],
    order: [],
    range: { offset: 0, limit: null },
    children: [],
  };
}

function addSelection(
  cache: SchemaCache,
  node: ReadNode,
  select: SelectItem[],
  depth: number,
  options: ReadOptions,
): void {
  for (const item of select) {
    if (item.kind === "field") {
      if (item.aggregate && !options.aggregates) {
        throw new RestError(400, "PGRST123", "Use of aggregate functions is not allowed");
      }
      node.fields.push(named(item, node.spread !== null));
    } else node.children.push(embed(cache, node, item, depth, options));
  }
}

/** Adds an alias to a field whose SQL expression would have another name. */
function named(item: SelectedField, spread: boolean): SelectedField {
  if (item.alias !== null) return item;
  if (item.aggregate) return spread ? { ...item, alias: item.aggregate } : item;
  if (item.field.path.length === 0) return item;
  const keys = item.field.path.flatMap(({ operand }) => ("key" in operand ? [operand.key] : []));
  return { ...item, alias: keys.at(-1) ?? item.field.name };
}

function embed(
  cache: SchemaCache,
  parent: ReadNode,
  item: SelectedRelation,
  depth: number,
  options: ReadOptions,
): ReadNode {
  const relationship = findRelationship(cache, options.schema, parent.table, item.name, item.hint);
  const { foreign } = relationship;
  const toOne = isToOne(relationship);
  const alias = `${foreign.name}_${depth}`;
  const node: ReadNode = {
    ...newNode(cache, foreign),
    name: item.alias ?? item.name,
    target: item.name,
    reference: { schema: "", name: alias },
    alias,
    relationship,
    parent: parent.reference,
    junctionAlias:
      relationship.kind === "many-to-many" ? `${relationship.junction.name}_${depth}_junction` : "",
    join: `${parent.table.name}_${item.alias ?? item.name}_${depth}`,
    inner: item.inner,
    spread: item.spread ? (toOne ? "one" : "many") : null,
    toOne,
  };
  addSelection(cache, node, item.select, depth + 1, options);
  return node;
}

const child = (node: ReadNode, name: string) => node.children.find((other) => other.name === name);

function find(root: ReadNode, path: string[]): ReadNode {
  let node = root;
  for (const name of path) {
    const next = node.children.find((other) => other.name === name || other.target === name);
    if (!next) throw notEmbedded(name);
    node = next;
  }
  return node;
}

function resolveOrder(node: ReadNode, term: OrderTerm): PlannedOrder {
  if (term.relation === null) return term;
  const related = child(node, term.relation);
  if (!related) throw notEmbedded(term.relation);
  if (!related.toOne) {
    throw new RestError(
      400,
      "PGRST118",
      `A related order on '${related.name}' is not possible`,
      `'${node.table.name}' and '${related.name}' do not form a many-to-one or one-to-one relationship`,
    );
  }
  return { ...term, relation: related.join };
}

/** If `films` is an embed and not a column, `films=not.is.null` tests whether it has rows. */
function resolveCondition(node: ReadNode, condition: Condition): PlannedCondition {
  if (condition.kind === "tree") {
    return {
      ...condition,
      operands: condition.operands.map((each) => resolveCondition(node, each)),
    };
  }
  const { field, operation, negated } = condition;
  const related = field.path.length === 0 ? child(node, field.name) : undefined;
  if (!related || operation.kind !== "is") return condition;
  if (operation.value === "null") return { kind: "embedded", negated, child: related };
  if (operation.value === "not null")
    return { kind: "embedded", negated: !negated, child: related };
  return condition;
}

/**
 * Runs when the tree is complete: expands stars next to aggregates, and applies the maximum of
 * rows.
 */
function finish(node: ReadNode, options: ReadOptions, aggregated = false): void {
  const aggregates =
    aggregated || node.spread === "many" || node.fields.some(({ aggregate }) => aggregate);
  if (aggregates && node.columns) {
    const columns = [...node.columns.keys()];
    node.fields = node.fields.flatMap((item) =>
      item.field.name === "*" && !item.aggregate
        ? columns.map((name) => ({ ...item, field: { name, path: [] } }))
        : [item],
    );
  }
  if (node.spread === "many" && hasAggregates(node)) {
    throw new RestError(
      400,
      "PGRST127",
      "Feature not implemented",
      "Aggregates are not implemented for one-to-many or many-to-many spreads.",
    );
  }
  if (options.maxRows !== null) {
    const { limit } = node.range;
    node.range.limit = limit === null ? options.maxRows : Math.min(limit, options.maxRows);
  }
  for (const each of node.children) finish(each, options, aggregates);
}

/** Whether the node's rows contain an aggregate, including those of to-one spreads. */
export function hasAggregates(node: ReadNode): boolean {
  return (
    node.fields.some(({ aggregate }) => aggregate) ||
    node.children.some((each) => each.spread === "one" && hasAggregates(each))
  );
}

/**
 * Returns the columns that a mutation or call must return for the read that follows: the selected
 * columns, those that relationships join by, and `more`. Null means all columns.
 */
export function neededColumns(root: ReadNode, more: readonly string[]): string[] | null {
  const names = new Set(root.fields.map(({ field }) => field.name));
  if (names.has("*")) return null;
  for (const { relationship } of root.children) {
    if (relationship?.kind === "computed") return null;
    const pairs =
      relationship?.kind === "many-to-many" ? relationship.source : relationship?.columns;
    for (const [column] of pairs ?? []) names.add(column);
  }
  for (const name of more) names.add(name);
  return [...names];
}
