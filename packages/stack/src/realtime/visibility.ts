import pg from "pg";
import {
  type Database,
  type DatabaseError,
  isDatabaseError,
  type Settings,
} from "../db/database.js";
import type { Claims } from "../keys.js";
import type { Log } from "../log.js";
import { type Filter, filterExpression } from "./filters.js";
import { PROJECT_PATH, type Relation } from "./relations.js";

/** Timeout of a check in ms. A policy that takes longer counts as refusing. */
const CHECK_MS = "5000";
const QUERY_CANCELED = "57014";
/** Maximum number of expressions that a statement evaluates, so that other requests have their turn. */
const MAX_EVALUATIONS = 2000;
/** The cost of a policy, in filters: it may query tables. */
const POLICY_COST = 20;

/**
 * Whether the statement caused the error, and not a server that is unavailable, full or in
 * conflict.
 */
function isStatementsFault(error: unknown): error is DatabaseError {
  if (!isDatabaseError(error)) return false;
  return error.code === QUERY_CANCELED || !/^(08|40|53|57|58|XX)/.test(error.code);
}

/**
 * Evaluates `expressions` over `records`, rows of the relation as JSON, and returns the results in
 * order.
 *
 * It uses the captured rows and not the current ones. Between a change and its check the row may
 * have been changed again or deleted, and visibility must be decided by the row that is sent. So a
 * record does not leak because a later version is visible, and no event is lost because its row is
 * gone.
 */
async function evaluate(
  db: Database,
  settings: Settings,
  relation: Relation,
  alias: string,
  expressions: readonly string[],
  values: readonly string[],
  records: readonly string[],
): Promise<boolean[][]> {
  const table = `${pg.escapeIdentifier(relation.schema)}.${pg.escapeIdentifier(relation.name)}`;
  // Names with a dot cannot clash with columns that an expression uses without a table name.
  const rows = await db.run<{ answers: boolean[] }>(
    { ...settings, statement_timeout: CHECK_MS },
    `select json_build_array(${expressions.map((e) => `coalesce((${e}), false)`).join(", ")}) as answers
     from json_array_elements($1::text::json) with ordinality
       as "realtime.changes" ("realtime.record", "realtime.position"),
     lateral json_populate_record(null::${table}, "realtime.record") as ${pg.escapeIdentifier(alias)}
     order by "realtime.position"`,
    [`[${records.join(",")}]`, ...values],
  );
  return rows.map((row) => row.answers);
}

/**
 * Evaluates all records at once. If a statement fails, splits the records repeatedly, so that only
 * those that cause the error stay without results; `fault` is called with the error.
 */
async function answerEach(
  records: readonly string[],
  answer: (records: readonly string[]) => Promise<boolean[][]>,
  fault: (error: DatabaseError) => void,
): Promise<boolean[][]> {
  try {
    return await answer(records);
  } catch (error) {
    if (!isStatementsFault(error)) throw error;
    if (records.length === 1 || error.code === QUERY_CANCELED) {
      fault(error);
      return records.map(() => []);
    }
    const half = Math.ceil(records.length / 2);
    return [
      ...(await answerEach(records.slice(0, half), answer, fault)),
      ...(await answerEach(records.slice(half), answer, fault)),
    ];
  }
}

/** Evaluates `expressions` expressions for each record, in statements of limited size. */
async function answerInParts(
  records: readonly string[],
  expressions: number,
  answer: (part: readonly string[]) => Promise<boolean[][]>,
): Promise<boolean[][]> {
  const size = Math.max(1, Math.floor(MAX_EVALUATIONS / expressions));
  const answers: boolean[][] = [];
  for (let first = 0; first < records.length; first += size) {
    answers.push(...(await answer(records.slice(first, first + size))));
  }
  return answers;
}

/**
 * Returns which of the filters (conjunctions) each record passes: per record, in the filters'
 * order.
 */
export async function passFilters(
  db: Database,
  log: Log,
  relation: Relation,
  filters: readonly Filter[][],
  records: readonly string[],
): Promise<boolean[][]> {
  const casts = new Map(relation.columns.map((column) => [column.name, column.cast]));
  const values: string[] = [];
  const expressions = filters.map((conjunction) =>
    conjunction
      .map((filter) => {
        const cast = casts.get(filter.column);
        if (cast === undefined) return "false"; // The column was dropped after the subscription.
        values.push(filter.value);
        return filterExpression(filter, cast, values.length + 1);
      })
      .map((condition) => `coalesce(${condition}, false)`)
      .join(" and "),
  );
  const settings = { search_path: PROJECT_PATH };
  const answer = (all: readonly string[]) =>
    answerInParts(all, expressions.length, (part) =>
      evaluate(db, settings, relation, "changed", expressions, values, part),
    );
  if (filters.length === 1) {
    return answerEach(records, answer, ({ message }) =>
      log.warn(`a filter on ${relation.schema}.${relation.name} fails: ${message}`),
    );
  }
  try {
    return await answer(records);
  } catch (error) {
    if (!isStatementsFault(error)) throw error;
    const single: boolean[][][] = [];
    for (const filter of filters) {
      single.push(await passFilters(db, log, relation, [filter], records));
    }
    return records.map((_, i) => single.map((answers) => answers[i]?.[0] ?? false));
  }
}

/**
 * Returns which records a subscriber with these claims may see according to the relation's policies. A policy that
 * raises an error hides only the rows for which it does.
 */
export async function passPolicies(
  db: Database,
  log: Log,
  relation: Relation,
  policy: string,
  claims: Claims,
  records: readonly string[],
): Promise<boolean[]> {
  const settings = { role: claims.role, "request.jwt.claims": JSON.stringify(claims) };
  const answers = await answerInParts(records, POLICY_COST, (all) =>
    answerEach(
      all,
      (part) => evaluate(db, settings, relation, relation.name, [policy], [], part),
      ({ message }) =>
        log.warn(
          `a policy of ${relation.schema}.${relation.name} raises for a subscriber: ${message}`,
        ),
    ),
  );
  return answers.map(([visible]) => visible ?? false);
}
