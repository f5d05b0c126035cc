import { z } from "zod";
import { type Database, isDatabaseError } from "../db/database.js";
import type { Claims } from "../keys.js";
import {
  type Filter,
  filterMisuse,
  filterProbe,
  misfit,
  parseFilters,
  SubscriptionRefused,
} from "./filters.js";
import { findPublished, PROJECT_PATH, type Relation, readRelations } from "./relations.js";

/** A parsed entry of `config.postgres_changes`. */
export interface RequestedSubscription {
  event: "*" | "INSERT" | "UPDATE" | "DELETE";
  schema: string;
  table: string;
  filters: Filter[];
  select: string[] | null;
}

/** A requested subscription, with the tables that it matches. */
export interface Binding {
  id: number;
  event: RequestedSubscription["event"];
  relations: Set<string>;
  filters: Filter[];
  /** Equal for equal filters. */
  filtersKey: string;
  select: string[] | null;
}

const given = z.object({
  event: z.string().catch("*"),
  schema: z.string().optional(),
  table: z.string().optional(),
  filter: z.string().optional(),
  select: z
    .union([z.array(z.unknown()), z.string()])
    .optional()
    .catch(undefined),
});

/** Parses one entry of `config.postgres_changes`. Throws `SubscriptionRefused`. */
export function parseSubscription(entry: unknown): RequestedSubscription {
  const parsed = given.safeParse(entry);
  const { event = "*", schema, table, filter, select } = parsed.data ?? {};
  const named = [schema, table].filter((name) => name !== undefined).length;
  if (named < (filter === undefined ? 1 : 2)) {
    throw new SubscriptionRefused(
      `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${inspect(entry)}`,
    );
  }
  if (typeof select === "string") {
    throw new SubscriptionRefused(
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    );
  }
  const names = (select ?? []).filter((name) => typeof name === "string");
  const requested: RequestedSubscription = {
    event: (["INSERT", "UPDATE", "DELETE"] as const).find((e) => e === event.toUpperCase()) ?? "*",
    schema: schema ?? "public",
    table: table ?? "*",
    filters: filter === undefined ? [] : parseFilters(filter),
    select: names.length > 0 ? names : null,
  };
  if (requested.select && (requested.schema === "*" || requested.table === "*")) {
    throw new SubscriptionRefused(
      "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.",
    );
  }
  return requested;
}

/**
 * Finds the tables of a requested subscription and validates its filters. Throws
 * `SubscriptionRefused`.
 */
export async function resolveSubscription(
  db: Database,
  requested: RequestedSubscription,
  id: number,
  claims: Claims,
): Promise<Binding> {
  const unable = "Unable to subscribe to changes with given parameters.";
  let oids: string[];
  try {
    oids = await findPublished(db, requested.schema, requested.table);
    for (const relation of (await readRelations(db, oids, [claims.role])).values()) {
      await validate(db, requested, relation, claims.role);
    }
  } catch (error) {
    const reason = exceptionOf(error);
    if (reason === null) throw error;
    throw new SubscriptionRefused(
      `${unable} An exception happened so please check your connect parameters: [${inWords(requested)}]. Exception: ${reason}`,
    );
  }
  if (oids.length === 0) {
    throw new SubscriptionRefused(
      `${unable} Please check Realtime is enabled for the given connect parameters: [${inWords(requested)}]`,
    );
  }
  const { event, filters, select } = requested;
  const filtersKey = JSON.stringify(filters);
  return { id, event, filters, filtersKey, select, relations: new Set(oids) };
}

/** A requested subscription that does not fit its table. */
class Misuse extends Error {
  readonly code: string = "P0001";
}

class UnknownRole extends Misuse {
  override readonly code = "42704";
}

async function validate(
  db: Database,
  requested: RequestedSubscription,
  relation: Relation,
  role: string,
) {
  const access = relation.access[role];
  if (!access) throw new UnknownRole(`role "${role}" does not exist`);
  for (const filter of requested.filters) {
    const column = relation.columns.find(({ name }) => name === filter.column);
    if (!column || !access.columns.includes(filter.column)) {
      throw new Misuse(`invalid column for filter ${filter.column}`);
    }
    const misuse = filterMisuse(filter, column.cast);
    if (misuse) throw new Misuse(misuse);
    await probe(db, filter, column.cast);
  }
  for (const name of requested.select ?? []) {
    if (!access.columns.includes(name)) throw new Misuse(`invalid column for select ${name}`);
  }
}

async function probe(db: Database, filter: Filter, type: string) {
  try {
    const [row] = await db.run<{ fits: boolean }>(
      { search_path: PROJECT_PATH },
      filterProbe(filter, type),
      [filter.value, type],
    );
    if (!row?.fits) throw new Misuse(misfit(filter, type));
  } catch (error) {
    if (isDatabaseError(error) && error.code === "2201B") {
      throw new Misuse(`invalid regular expression for ${filter.op} filter: ${error.message}`);
    }
    throw error;
  }
}

/** Hosted's names of SQLSTATEs that invalid subscriptions may cause. */
const conditions: Record<string, string> = {
  "22003": "numeric_value_out_of_range",
  "22007": "invalid_datetime_format",
  "22008": "datetime_field_overflow",
  "22021": "character_not_in_repertoire",
  "22P02": "invalid_text_representation",
  "23514": "check_violation",
  "42704": "undefined_object",
  P0001: "raise_exception",
};

/**
 * Returns the database's error about a requested subscription; null if the error has another cause.
 */
function exceptionOf(error: unknown): string | null {
  if (!(error instanceof Misuse || isDatabaseError(error))) return null;
  const { code, message } = error;
  if (!conditions[code] && !/^(22|23|42)/.test(code)) return null;
  return `ERROR ${code} (${conditions[code] ?? "data_exception"}) ${message}`;
}

/** Formats a JSON value in the notation of hosted's error messages (Elixir). */
function inspect(value: unknown): string {
  if (value === null || value === undefined) return "nil";
  if (Array.isArray(value)) return `[${value.map(inspect).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `%{${entries.map(([key, of]) => `${inspect(key)} => ${inspect(of)}`).join(", ")}}`;
}

/** Formats a requested subscription in the same notation. */
function inWords({ event, schema, table, filters, select }: RequestedSubscription): string {
  const conditions = filters.map(
    ({ column, op, value, negate }) => `{${[column, op, value, negate].map(inspect).join(", ")}}`,
  );
  return `event: ${event}, schema: ${schema}, table: ${table}, filters: [${conditions.join(", ")}], select: ${inspect(select)}`;
}
