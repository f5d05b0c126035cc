import { z } from "zod";
import type { Queryable } from "../db/database.js";
import { isDatabaseError } from "../db/database.js";
import type { Claims } from "../keys.js";
import {
  type Filter,
  filterMisuse,
  filterProbe,
  parseFilters,
  SubscriptionRefused,
} from "./filters.js";
import { findPublished, type Relation, readRelations } from "./relations.js";

const MOST_IN_VALUES = 100;

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
  select: z.union([z.array(z.unknown()), z.string()]).optional(),
});

/** Reads one entry of `config.postgres_changes`. Throws `SubscriptionRefused`. */
export function parseWish(entry: unknown): Wish {
  const parsed = given.safeParse(entry);
  const { event = "*", schema, table, filter, select } = parsed.data ?? {};
  const named = [schema, table].filter((name) => name !== undefined).length;
  if (named < (filter === undefined ? 1 : 2)) {
    throw new SubscriptionRefused(
      "No subscription params provided. Please provide at least a `schema` or `table` to subscribe to",
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
  tx: Queryable,
  wish: Wish,
  id: number,
  claims: Claims,
): Promise<Binding> {
  const oids = await findPublished(tx, wish.schema, wish.table);
  const unable = "Unable to subscribe to changes with given parameters.";
  if (oids.length === 0) {
    throw new SubscriptionRefused(
      `${unable} Please check Realtime is enabled for the given connect parameters: [${inWords(wish)}]`,
    );
  }
  try {
    for (const relation of (await readRelations(tx, oids, [claims.role])).values()) {
      await checkOn(tx, wish, relation, claims.role);
    }
  } catch (error) {
    const reason =
      error instanceof Misuse
        ? `ERROR P0001 (raise_exception) ${error.message}`
        : isDatabaseError(error)
          ? `ERROR ${error.code} ${error.message}`
          : null;
    if (reason === null) throw error;
    throw new SubscriptionRefused(
      `${unable} An exception happened so please check your connect parameters: [${inWords(wish)}]. Exception: ${reason}`,
    );
  }
  const { event, filters, select } = wish;
  const filtersKey = JSON.stringify(filters);
  return { id, event, filters, filtersKey, select, relations: new Set(oids) };
}

/** A wish that does not fit its table. */
class Misuse extends Error {}

async function checkOn(tx: Queryable, wish: Wish, relation: Relation, role: string) {
  const access = relation.access[role];
  if (!access) throw new Misuse(`role "${role}" does not exist`);
  for (const filter of wish.filters) {
    const column = relation.columns.find(({ name }) => name === filter.column);
    if (!column || !access.columns.includes(filter.column)) {
      throw new Misuse(`invalid column for filter ${filter.column}`);
    }
    const misuse = filterMisuse(filter, column.cast);
    if (misuse) throw new Misuse(misuse);
    await probe(tx, filter, column.cast);
  }
  for (const name of wish.select ?? []) {
    if (!access.columns.includes(name)) throw new Misuse(`invalid column for select ${name}`);
  }
}

async function probe(tx: Queryable, filter: Filter, type: string) {
  try {
    const [row] = await tx.query<{ size?: string }>(filterProbe(filter, type), [filter.value]);
    if (filter.op === "in" && Number(row?.size) > MOST_IN_VALUES) {
      throw new Misuse("too many values for `in` filter. Maximum 100");
    }
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    if (error.code === "42883") {
      throw new Misuse(`operator ${filter.op} requires a text-compatible column type, got ${type}`);
    }
    if (error.code === "2201B") {
      throw new Misuse(`invalid regular expression for ${filter.op} filter: ${error.message}`);
    }
    throw error;
  }
}

/** The wish in the notation of hosted's error messages. */
function inWords({ event, schema, table, filters, select }: Wish): string {
  const text = (value: string) => JSON.stringify(value);
  const conditions = filters.map(
    ({ column, op, value, negate }) => `{${text(column)}, ${text(op)}, ${text(value)}, ${negate}}`,
  );
  const columns = select ? `[${select.map(text).join(", ")}]` : "nil";
  return `event: ${event}, schema: ${schema}, table: ${table}, filters: [${conditions.join(", ")}], select: ${columns}`;
}
