/** The syntax tree of a request's query string, before names are resolved in the database. */

export interface JsonStep {
  arrow: "->" | "->>";
  /** A key, or an index into an array. */
  operand: { key: string } | { index: string };
}

export interface Field {
  name: string;
  path: JsonStep[];
}

export type Aggregate = "sum" | "avg" | "count" | "max" | "min";

export interface SelectedField {
  kind: "field";
  field: Field;
  alias: string | null;
  cast: string | null;
  aggregate: Aggregate | null;
  aggregateCast: string | null;
}

export interface SelectedRelation {
  kind: "relation";
  name: string;
  alias: string | null;
  hint: string | null;
  inner: boolean;
  spread: boolean;
  select: SelectItem[];
}

export type SelectItem = SelectedField | SelectedRelation;

export type Operation =
  | { kind: "compare"; operator: string; quantifier: "any" | "all" | null; value: string }
  | { kind: "in"; values: string[] }
  | { kind: "is"; value: "null" | "not null" | "true" | "false" | "unknown" }
  | { kind: "distinct"; value: string }
  | { kind: "search"; parser: string; language: string | null; value: string };

export interface Filter {
  kind: "filter";
  field: Field;
  negated: boolean;
  operation: Operation;
}

export interface LogicTree {
  kind: "tree";
  negated: boolean;
  operator: "and" | "or";
  operands: Condition[];
}

export type Condition = Filter | LogicTree;

export interface OrderTerm {
  /** An embedded to-one relation whose column orders these rows. */
  relation: string | null;
  field: Field;
  direction: "asc" | "desc" | null;
  nulls: "first" | "last" | null;
}

/** Rows from `offset` (0-based), `limit` of them; a limit of null means all. */
export interface Range {
  offset: number;
  limit: number | null;
}

/** A value for the relation at the end of a path of embeds; an empty path means the root. */
export interface At<T> {
  path: string[];
  value: T;
}

export interface Query {
  select: SelectItem[];
  conditions: At<Condition>[];
  orders: At<OrderTerm[]>[];
  limits: At<number>[];
  offsets: At<number>[];
  columns: string[] | null;
  onConflict: string[] | null;
  /** Parameters that are no filters: the arguments of a function called by GET. */
  arguments: [string, string][];
}
