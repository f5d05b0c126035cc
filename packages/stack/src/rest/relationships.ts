import { keyOf, type Qualified, type Relationship, type SchemaCache } from "./cache.js";
import { CacheMiss, RestError } from "./errors.js";
import { closest } from "./similarity.js";

/**
 * Finds the relationship from `origin` that the request names by `target`: a table, a computed
 * relationship, a foreign key or its column. `hint` distinguishes several: a foreign key, a column
 * of either side, or a junction. Throws PGRST200 (none) and PGRST201 (several).
 */
export function findRelationship(
  cache: SchemaCache,
  schema: string,
  origin: Qualified,
  target: string,
  hint: string | null,
): Relationship {
  const all = (cache.relationships.get(keyOf(origin.schema, origin.name)) ?? []).filter(
    ({ foreign }) => foreign.schema === schema,
  );
  const found = all.filter((relationship) => matches(relationship, target, hint));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) throw ambiguous(origin.name, target, found);
  throw new CacheMiss(
    400,
    "PGRST200",
    `Could not find a relationship between '${origin.name}' and '${target}' in the schema cache`,
    `Searched for a foreign key relationship between '${origin.name}' and '${target}'${
      hint === null ? "" : ` using the hint '${hint}'`
    } in the schema '${schema}', but no matches were found.`,
    suggestion(cache, schema, origin.name, target, all),
  );
}

function matches(relationship: Relationship, target: string, hint: string | null): boolean {
  if (relationship.kind === "computed") return relationship.routine.name === target;
  const { table, foreign, kind } = relationship;
  const self = table.schema === foreign.schema && table.name === foreign.name;
  const named = target === foreign.name;
  if (relationship.kind === "many-to-many") {
    return !self && named && (hint === null || hint === relationship.junction.name);
  }
  const { columns, constraint, foreignIsView } = relationship;
  const [column, foreignColumn] = columns.length === 1 ? columns[0]! : [null, null];
  if (self) {
    return hint === null
      ? (named && kind === "one-to-many") || (target === column && kind === "many-to-one")
      : named && kind === "one-to-many" && hint === foreignColumn;
  }
  return hint === null
    ? named || (!foreignIsView && (target === constraint || target === column))
    : named && (hint === constraint || hint === column || hint === foreignColumn);
}

const order = ["computed", "one-to-many", "many-to-one", "one-to-one", "many-to-many"];

function ambiguous(origin: string, target: string, all: Relationship[]): RestError {
  const found = all.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const hints = found.map((relationship) => {
    if (relationship.kind === "computed") return "";
    const name =
      relationship.kind === "many-to-many" ? relationship.junction.name : relationship.constraint;
    return `'${relationship.foreign.name}!${name}'`;
  });
  return new RestError(
    300,
    "PGRST201",
    `Could not embed because more than one relationship was found for '${origin}' and '${target}'`,
    found.map(describe),
    `Try changing '${target}' to one of the following: ${hints.join(", ")}. Find the desired relationship in the 'details' key.`,
  );
}

function describe(relationship: Relationship): Record<string, string> {
  if (relationship.kind === "computed") return {};
  const { table, foreign, kind } = relationship;
  const list = (columns: readonly string[]) => `(${columns.join(", ")})`;
  const text =
    relationship.kind === "many-to-many"
      ? `${relationship.junction.name} using ${relationship.constraints[0]}${list(
          relationship.source.map(([, column]) => column),
        )} and ${relationship.constraints[1]}${list(relationship.target.map(([column]) => column))}`
      : `${relationship.constraint} using ${table.name}${list(
          relationship.columns.map(([column]) => column),
        )} and ${foreign.name}${list(relationship.columns.map(([, column]) => column))}`;
  return {
    cardinality: kind,
    embedding: `${table.name} with ${foreign.name}`,
    relationship: text,
  };
}

/** Suggests a similar name: of the origin if that is unknown, else of the target. */
function suggestion(
  cache: SchemaCache,
  schema: string,
  origin: string,
  target: string,
  all: Relationship[],
): string | null {
  if (all.length === 0) {
    const parents = [...cache.tables.values()]
      .filter((table) => table.schema === schema)
      .filter(({ name }) => (cache.relationships.get(keyOf(schema, name))?.length ?? 0) > 0)
      .map(({ name }) => name);
    const found = closest(origin, parents, 0.33);
    return found === null ? null : `Perhaps you meant '${found}' instead of '${origin}'.`;
  }
  const names = all.map(({ foreign }) => foreign.name);
  if (names.includes(target)) return null;
  const found = closest(target, names, 0.33);
  return found === null ? null : `Perhaps you meant '${found}' instead of '${target}'.`;
}
