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

/** What a client asks for in `config.postgres_changes`, understood. */
export interface Wish {
  event: "*" | "INSERT" | "UPDATE" | "DELETE";
  schema: string;
  table: string;
  filters: Filter[];
  select: string[] | null;
}

/** A wish with the tables it came to mean. */
export interface Binding {
  id: number;
  event: Wish["event"];
  relations: Set<string>;
  filters: Filter[];
  /** The same for equal filters. */
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

/** Reads one entry of `config.postgres_changes`. Throws `SubscriptionRefused`. */
export function parseWish(entry: unknown): Wish {
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
  const wish: Wish = {
    event: (["INSERT", "UPDATE", "DELETE"] as const).find((e) => e === event.toUpperCase()) ?? "*",
    schema: schema ?? "public",
    table: table ?? "*",
    filters: filter === undefined ? [] : parseFilters(filter),
    select: names.length > 0 ? names : null,
  };
  if (wish.select && (wish.schema === "*" || wish.table === "*")) {
    throw new SubscriptionRefused(
      "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.",
    );
  }
  return wish;
}

/** Finds the wish's tables and checks its filters on them. Throws `SubscriptionRefused`. */
export async function resolveWish(
  db: Database,
  wish: Wish,
  id: number,
  claims: Claims,
): Promise<Binding> {
  const unable = "Unable to subscribe to changes with given parameters.";
  let oids: string[];
  try {
    oids = await findPublished(db, wish.schema, wish.table);
    for (const relation of (await readRelations(db, oids, [claims.role])).values()) {
      await checkOn(db, wish, relation, claims.role);
    }
  } catch (error) {
    const reason = exceptionOf(error);
    if (reason === null) throw error;
    throw new SubscriptionRefused(
      `${unable} An exception happened so please check your connect parameters: [${inWords(wish)}]. Exception: ${reason}`,
    );
  }
  if (oids.length === 0) {
    throw new SubscriptionRefused(
      `${unable} Please check Realtime is enabled for the given connect parameters: [${inWords(wish)}]`,
    );
  }
  const { event, filters, select } = wish;
  const filtersKey = JSON.stringify(filters);
  return { id, event, filters, filtersKey, select, relations: new Set(oids) };
}

/** A wish that does not fit its table. */
class Misuse extends Error {
  readonly code: string = "P0001";
}

class UnknownRole extends Misuse {
  override readonly code = "42704";
}

async function checkOn(db: Database, wish: Wish, relation: Relation, role: string) {
  const access = relation.access[role];
  if (!access) throw new UnknownRole(`role "${role}" does not exist`);
  for (const filter of wish.filters) {
    const column = relation.columns.find(({ name }) => name === filter.column);
    if (!column || !access.columns.includes(filter.column)) {
      throw new Misuse(`invalid column for filter ${filter.column}`);
    }
    const misuse = filterMisuse(filter, column.cast);
    if (misuse) throw new Misuse(misuse);
    await probe(db, filter, column.cast);
  }
  for (const name of wish.select ?? []) {
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

/** Conditions that a wish may come upon, as hosted names them behind their code. */
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

/** The database's error about a subscription; null where the error is about something else. */
function exceptionOf(error: unknown): string | null {
  if (!(error instanceof Misuse || isDatabaseError(error))) return null;
  const { code, message } = error;
  if (!conditions[code] && !/^(22|23|42)/.test(code)) return null;
  return `ERROR ${code} (${conditions[code] ?? "data_exception"}) ${message}`;
}

/** A value of JSON in the notation of hosted's error messages. */
function inspect(value: unknown): string {
  if (value === null || value === undefined) return "nil";
  if (Array.isArray(value)) return `[${value.map(inspect).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `%{${entries.map(([key, of]) => `${inspect(key)} => ${inspect(of)}`).join(", ")}}`;
}

/** The wish in the same notation. */
function inWords({ event, schema, table, filters, select }: Wish): string {
  const conditions = filters.map(
    ({ column, op, value, negate }) => `{${[column, op, value, negate].map(inspect).join(", ")}}`,
  );
  return `event: ${event}, schema: ${schema}, table: ${table}, filters: [${conditions.join(", ")}], select: ${inspect(select)}`;
}
