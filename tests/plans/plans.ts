import { PostgrestClient } from "@supabase/postgrest-js";
import pg from "pg";
import type { Config } from "../../packages/stack/src/config.js";
import {
  type Database,
  isDatabaseError,
  type Parameter,
  type Settings,
  settingsStatement,
} from "../../packages/stack/src/db/database.js";
import { openPostgres } from "../../packages/stack/src/db/postgres.js";
import type { Keys } from "../../packages/stack/src/keys.js";
import type { Log } from "../../packages/stack/src/log.js";
import { createRest } from "../../packages/stack/src/rest/index.js";

// Measures the work of Postgres for a request: it records the statements of the REST service, and explains them
// together with every statement inside the called functions.

/** The work that one request caused in Postgres. */
export interface Reading {
  /** Pages of 8 kB, from memory or from disk. */
  buffers: number;
  /** Every node of every plan. */
  nodes: Node[];
  /** Whether a part was JIT-compiled. */
  compiled: boolean;
}

export interface Node {
  type: string;
  relation: string | null;
  index: string | null;
  /** Rows that were read, including those that a filter removed. */
  rows: number;
}

export interface Statement {
  settings: Settings;
  sql: string;
  params: readonly Parameter[];
}

export interface Observatory {
  /** The work for the REST requests of `ask`. Changes are rolled back. */
  read(ask: (fetch_: typeof fetch) => Promise<unknown>): Promise<Reading>;
  /** The work for a job's statement, after plans are kept. Changes are rolled back. */
  readJob(sql: string): Promise<Reading>;
  /** A client like `supabase.from` and `supabase.rpc`, with the headers of a caller. */
  supabase(headers: Record<string, string>, fetch_: typeof fetch): PostgrestClient;
  close(): Promise<void>;
}

const URL_ = "http://127.0.0.1:1";

/** The REST service in this process, for the database at `url`. */
export async function openObservatory(
  url: string,
  config: Config,
  keys: Keys,
  log: Log,
): Promise<Observatory> {
  const noted: Statement[] = [];
  const real = await openPostgres(url);
  const noting: Database = {
    ...real,
    run: (settings, sql, params = []) => {
      noted.push({ settings, sql, params });
      return real.run(settings, sql, params);
    },
    transaction: (settings, work) =>
      real.transaction(settings, (tx) =>
        work({
          query: (sql, params = []) => {
            noted.push({ settings, sql, params });
            return tx.query(sql, params);
          },
        }),
      ),
  };
  const rest = await createRest({ db: noting, config, keys, log, url: URL_ });
  const lens = await openLens(url);

  const answer: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const at = request.url.replace("/rest/v1", "");
    return (await rest.fetch?.(new Request(at, request))) as Response;
  };

  return {
    async read(ask) {
      noted.length = 0;
      await ask(answer);
      const readings: Reading[] = [];
      for (const statement of [...noted]) readings.push(await lens.explain(statement));
      if (readings.length === 0) throw new Error("the database got no statement");
      return {
        buffers: readings.reduce((sum, { buffers }) => sum + buffers, 0),
        nodes: readings.flatMap(({ nodes }) => nodes),
        compiled: readings.some(({ compiled }) => compiled),
      };
    },
    async readJob(sql) {
      const statement = { settings: {}, sql, params: [] };
      await lens.explain(statement);
      return lens.explain(statement);
    },
    supabase: (headers, fetch_) =>
      new PostgrestClient(`${URL_}/rest/v1`, { headers, fetch: fetch_ }),
    async close() {
      await rest.close();
      await lens.close();
      await real.close();
    },
  };
}

/** A session in which Postgres reports the plan of every statement, including those inside functions. */
export async function openLens(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    load 'auto_explain';
    set auto_explain.log_min_duration = 0;
    set auto_explain.log_analyze = on;
    set auto_explain.log_buffers = on;
    set auto_explain.log_timing = off;
    set auto_explain.log_format = json;
    set auto_explain.log_nested_statements = on;
    set auto_explain.log_level = notice;
    set track_functions = pl
  `);
  let notices: string[] = [];
  client.on("notice", ({ message = "" }) => notices.push(message));

  async function explain({ settings, sql, params }: Statement): Promise<Reading> {
    await client.query("begin");
    try {
      const set = settingsStatement(settings);
      if (set) await client.query(set.sql, set.params);
      notices = [];
      await client.query(sql, [...params]).catch((error: unknown) => {
        // A refused statement has done its work before.
        if (!isDatabaseError(error) || !error.code.startsWith("PT")) throw error;
      });
    } finally {
      await client.query("rollback");
    }
    const plans = notices.flatMap((message) => {
      const at = message.indexOf("plan:\n");
      return at < 0 ? [] : [JSON.parse(message.slice(at + 6)) as { Plan: RawNode; JIT?: object }];
    });
    // The outer statement ends last, and its pages include those of the called functions.
    const last = plans.at(-1)?.Plan;
    return {
      buffers: last ? last["Shared Hit Blocks"] + last["Shared Read Blocks"] : 0,
      nodes: plans.flatMap(({ Plan: plan }) => nodesOf(plan)),
      compiled: plans.some(({ JIT }) => JIT !== undefined),
    };
  }

  /** The functions that this session has called, by name. */
  async function called(): Promise<string[]> {
    await client.query("select pg_stat_force_next_flush()");
    const { rows } = await client.query<{ name: string }>(
      "select distinct schemaname || '.' || funcname as name from pg_stat_user_functions",
    );
    return rows.map(({ name }) => name);
  }

  return { explain, called, close: () => client.end() };
}

interface RawNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: RawNode[];
}

function nodesOf(raw: RawNode): Node[] {
  const dropped =
    (raw["Rows Removed by Filter"] ?? 0) + (raw["Rows Removed by Index Recheck"] ?? 0);
  return [
    {
      type: raw["Node Type"],
      relation: raw["Relation Name"] ?? null,
      index: raw["Index Name"] ?? null,
      rows: (raw["Actual Rows"] + dropped) * raw["Actual Loops"],
    },
    ...(raw.Plans ?? []).flatMap(nodesOf),
  ];
}
