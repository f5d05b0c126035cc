import type {
  Catalog,
  CatalogKey,
  CatalogRoutine,
  CatalogTable,
  CatalogView,
} from "./introspection.js";
import { viewSources } from "./views.js";

export interface Qualified {
  schema: string;
  name: string;
}

/** Pairs of columns: one of this side, one of the other side. */
export type Pairs = readonly (readonly [string, string])[];

interface Between {
  table: Qualified;
  foreign: Qualified;
}

/** The relationship from rows of `table` to rows of `foreign`. */
export type Relationship = Between &
  (
    | {
        kind: "many-to-one" | "one-to-many" | "one-to-one";
        constraint: string;
        columns: Pairs;
        tableIsView: boolean;
        foreignIsView: boolean;
        /** The constraint is on `foreign`. */
        inverse: boolean;
      }
    | {
        kind: "many-to-many";
        junction: Qualified;
        constraints: readonly [string, string];
        /** Pairs of a column of `table` and a column of the junction. */
        source: Pairs;
        /** Pairs of a column of the junction and a column of `foreign`. */
        target: Pairs;
      }
    | { kind: "computed"; routine: Qualified; single: boolean }
  );

export type KeyRelationship = Extract<Relationship, { constraint: string }>;

export interface Table extends Omit<CatalogTable, "columns"> {
  columns: Map<string, CatalogTable["columns"][number]>;
  primaryKey: string[];
}

export interface SchemaCache {
  tables: Map<string, Table>;
  /** The relationships, by their table. */
  relationships: Map<string, Relationship[]>;
  routines: Map<string, CatalogRoutine[]>;
  /** The settings of each role; null if the role is not granted to authenticator. */
  roles: Map<string, Record<string, string> | null>;
  options: Record<string, string>;
  /** Changes whenever the schema has changed. */
  generation: number;
}

export const keyOf = (schema: string, name: string) => `${schema}\u0000${name}`;
const same = (a: Qualified, b: Qualified) => a.schema === b.schema && a.name === b.name;
const swap = (pairs: Pairs): Pairs => pairs.map(([a, b]) => [b, a]);

/** Whether the relationship yields at most one row. */
export function isToOne(relationship: Relationship): boolean {
  return relationship.kind === "computed"
    ? relationship.single
    : relationship.kind === "many-to-one" || relationship.kind === "one-to-one";
}

export function buildCache(
  catalog: Catalog,
  schemas: readonly string[],
  generation: number,
): SchemaCache {
  const primaryKeys = new Map<string, CatalogKey>();
  for (const key of catalog.keys) if (key.kind === "p") primaryKeys.set(key.table, key);
  const views = new ViewColumns(catalog);

  const tables = new Map<string, Table>();
  for (const table of catalog.tables) {
    const primaryKey = table.view
      ? views.primaryKey(table.id, primaryKeys)
      : (primaryKeys.get(table.id)?.columns ?? []);
    tables.set(keyOf(table.schema, table.name), {
      ...table,
      columns: new Map(table.columns.map((column) => [column.name, column])),
      primaryKey,
    });
  }

  const exposed = new Set(schemas);
  const forward = catalog.keys
    .filter((key) => key.kind === "f")
    .flatMap((key) => foreignKeyRelationships(key, views));
  const all: Relationship[] = [
    ...forward,
    ...forward.map(inverse),
    ...manyToMany(forward, tables, exposed),
  ].filter((r) => exposed.has(r.table.schema) && exposed.has(r.foreign.schema));

  const relationships = new Map<string, Relationship[]>();
  for (const table of tables.values()) relationships.set(keyOf(table.schema, table.name), []);
  // A computed relationship replaces those between its table and a table with the function's name.
  for (const found of catalog.computed) {
    relationships.get(keyOf(found.tableSchema, found.tableName))?.push({
      kind: "computed",
      table: { schema: found.tableSchema, name: found.tableName },
      foreign: { schema: found.foreignSchema, name: found.foreignName },
      routine: { schema: found.schema, name: found.name },
      single: found.single,
    });
  }
  for (const relationship of all) {
    const list = relationships.get(keyOf(relationship.table.schema, relationship.table.name));
    const overridden = list?.some(
      (other) => other.kind === "computed" && same(other.routine, relationship.foreign),
    );
    if (!overridden) list?.push(relationship);
  }

  const routines = new Map<string, CatalogRoutine[]>();
  for (const routine of catalog.routines) {
    if (!isCallable(routine)) continue;
    const key = keyOf(routine.schema, routine.name);
    routines.set(key, [...(routines.get(key) ?? []), routine]);
  }

  // PostgREST logs in as authenticator, whose settings hold where a role has none.
  const ofSession = catalog.roles.find(({ name }) => name === "authenticator")?.settings;

  // The order is visible in an error's list of candidates.
  const signature = ({ parameters }: CatalogRoutine) =>
    parameters.map(({ name, type }) => `${name} ${type}`).join(",");
  for (const list of routines.values()) {
    list.sort(
      (a, b) => a.parameters.length - b.parameters.length || (signature(a) < signature(b) ? -1 : 1),
    );
  }

  return {
    tables,
    relationships,
    routines,
    roles: new Map(
      catalog.roles.map(({ name, granted, settings }) => [
        name,
        granted ? { ...ofSession, ...settings } : null,
      ]),
    ),
    options: catalog.options,
    generation,
  };
}

/** The types of a single unnamed parameter that can receive a whole request body. */
const bodyTypes = new Set(["bytea", "json", "jsonb", "text", "xml"]);

function isCallable({ parameters }: CatalogRoutine): boolean {
  const unnamed = parameters.filter(({ name }) => name === "");
  if (unnamed.length === 0) return true;
  return unnamed.length === 1 && parameters.length === 1 && bodyTypes.has(parameters[0]!.type);
}

function foreignKeyRelationships(key: CatalogKey, views: ViewColumns): KeyRelationship[] {
  const sides = (table: string, name: Qualified, columns: string[]) => [
    { name, columns, view: false },
    ...views.over(table, columns).map((view) => ({ ...view, view: true })),
  ];
  const from = sides(key.table, { schema: key.schema, name: key.name }, key.columns);
  const to = sides(
    key.foreignTable,
    { schema: key.foreignSchema, name: key.foreignName },
    key.foreignColumns,
  );
  return from.flatMap((a) =>
    to.map((b) => ({
      kind: key.oneToOne ? ("one-to-one" as const) : ("many-to-one" as const),
      table: a.name,
      foreign: b.name,
      constraint: key.constraint,
      columns: a.columns.map((column, i) => [column, b.columns[i]!] as const),
      tableIsView: a.view,
      foreignIsView: b.view,
      inverse: false,
    })),
  );
}

function inverse(relationship: KeyRelationship): KeyRelationship {
  return {
    kind: relationship.kind === "one-to-one" ? "one-to-one" : "one-to-many",
    table: relationship.foreign,
    foreign: relationship.table,
    constraint: relationship.constraint,
    columns: swap(relationship.columns),
    tableIsView: relationship.foreignIsView,
    foreignIsView: relationship.tableIsView,
    inverse: true,
  };
}

/**
 * Two foreign keys that are both part of their table's primary key join the tables they reference.
 */
function manyToMany(
  forward: KeyRelationship[],
  tables: Map<string, Table>,
  exposed: Set<string>,
): Relationship[] {
  const found: Relationship[] = [];
  for (const [key, list] of groupByTable(forward)) {
    const junction = tables.get(key);
    if (!junction || !exposed.has(junction.schema)) continue;
    const primaryKey = new Set(junction.primaryKey);
    for (const one of list) {
      for (const two of list) {
        if (one.kind !== "many-to-one" || two.kind !== "many-to-one") continue;
        if (one.constraint === two.constraint) continue;
        const columns = [...one.columns, ...two.columns].map(([column]) => column);
        if (!columns.every((column) => primaryKey.has(column))) continue;
        found.push({
          kind: "many-to-many",
          table: one.foreign,
          foreign: two.foreign,
          junction: { schema: junction.schema, name: junction.name },
          constraints: [one.constraint, two.constraint],
          source: swap(one.columns),
          target: two.columns,
        });
      }
    }
  }
  return found;
}

function groupByTable(relationships: KeyRelationship[]): Map<string, KeyRelationship[]> {
  const groups = new Map<string, KeyRelationship[]>();
  for (const relationship of relationships) {
    const key = keyOf(relationship.table.schema, relationship.table.name);
    groups.set(key, [...(groups.get(key) ?? []), relationship]);
  }
  return groups;
}

/** Maps columns of tables to the columns of views that show them, also through nested views. */
class ViewColumns {
  /** The view's columns that show each column of a table, by table and view. */
  private readonly shown = new Map<string, Map<string, Map<string, string[]>>>();
  private readonly byId: Map<string, CatalogView>;

  constructor(catalog: Catalog) {
    this.byId = new Map(catalog.views.map((view) => [view.id, view]));
    const sources = new Map(catalog.views.map((view) => [view.id, viewSources(view.rule)]));
    const attributes = new Map(catalog.attributes.map(({ table, columns }) => [table, columns]));
    for (const view of catalog.views) {
      for (const source of sources.get(view.id)!) {
        let { table, column } = source;
        const seen = new Set<string>([view.id]);
        while (sources.has(table) && !seen.has(table)) {
          seen.add(table);
          const next = sources.get(table)!.find(({ position }) => position === column);
          if (!next) break;
          ({ table, column } = next);
        }
        const name = attributes.get(table)?.[column];
        const shownAs = view.columns[source.position - 1];
        if (name === undefined || shownAs === undefined) continue;
        const ofTable = this.shown.get(table) ?? new Map<string, Map<string, string[]>>();
        const ofView = ofTable.get(view.id) ?? new Map<string, string[]>();
        ofView.set(name, [...(ofView.get(name) ?? []), shownAs]);
        ofTable.set(view.id, ofView);
        this.shown.set(table, ofTable);
      }
    }
  }

  /**
   * Returns the views that show all of `columns` of `table`, once per combination of view columns.
   */
  over(table: string, columns: string[]): { name: Qualified; columns: string[] }[] {
    const found: { name: Qualified; columns: string[] }[] = [];
    for (const [id, shown] of this.shown.get(table) ?? []) {
      const { schema, name } = this.byId.get(id)!;
      let ways: string[][] = [[]];
      for (const column of columns) {
        ways = ways.flatMap((way) => (shown.get(column) ?? []).map((view) => [...way, view]));
      }
      for (const way of ways) found.push({ name: { schema, name }, columns: way });
    }
    return found;
  }

  /** Returns the view's columns that show complete primary keys of the underlying tables. */
  primaryKey(view: string, primaryKeys: Map<string, CatalogKey>): string[] {
    return [...this.shown].flatMap(([table, ofTable]) => {
      const shown = ofTable.get(view);
      const columns = primaryKeys.get(table)?.columns.map((column) => shown?.get(column)?.[0]);
      return columns?.every((column) => column !== undefined) ? columns : [];
    });
  }
}
