import pg from "pg";

/**
 * The only entry point to Postgres for every service of the stack, over PGlite or a server. Calls
 * fail at once with `DatabaseAway` while the server is unavailable.
 *
 * Parameters are text or null. A statement casts each parameter (`$1::uuid`, `$2::text::jsonb`),
 * so that both drivers send the same types. Both drivers read results the same way: integers and
 * floats as numbers, booleans as booleans, json as values, arrays of text as arrays, and all other
 * types (numeric, timestamps, uuid) as the text that Postgres returns.
 */
export interface Queryable {
  query<Row = Record<string, unknown>>(sql: string, params?: readonly Parameter[]): Promise<Row[]>;
}

export type Parameter = string | null;

/**
 * Settings that hold for one transaction, by name: `role`, `request.jwt.claims`,
 * `statement_timeout`, … A transaction without a `role` runs as the platform's superuser.
 */
export type Settings = Readonly<Record<string, string>>;

export interface Database extends Queryable {
  readonly server: "pglite" | "postgres";
  /** Same format as `server_version_num`: 150018, 180006. */
  readonly version: number;
  /** The URL for other programs; null on PGlite until `serve` is called. */
  readonly url: string | null;
  /**
   * Runs one statement in its own transaction, under `settings`, in one round trip. The statement
   * `before` runs first, without parameters, and its rows are dropped.
   */
  run<Row = Record<string, unknown>>(
    settings: Settings,
    sql: string,
    params?: readonly Parameter[],
    before?: string,
  ): Promise<Row[]>;
  /** Commits when `work` resolves, rolls back and rethrows when it rejects. */
  transaction<T>(settings: Settings, work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Runs a script of several statements as the superuser, outside any transaction. */
  execute(script: string): Promise<void>;
  /**
   * Runs statements as a separate client that logs in as `user` and sends them as one simple query:
   * one transaction, unless they control it themselves. Calls `begun` with the session's process id
   * first.
   */
  script(user: string, sql: string, begun: (pid: number) => Promise<unknown>): Promise<Ran>;
  /**
   * Listens to `notify`; resolves to a function that stops it. Survives a lost connection: when
   * notifications may have been lost, calls `missed`, or `hear` with an empty payload if `missed`
   * is left out.
   */
  listen(
    channel: string,
    hear: (payload: string) => void,
    missed?: () => void,
  ): Promise<() => Promise<void>>;
  /** Accepts other programs at 127.0.0.1 (0: any free port). Does nothing for a server, which listens itself. */
  serve(port: number): Promise<void>;
  /** Drops every connection to a server: pending queries fail, and new ones are refused. */
  cut(): void;
  close(): Promise<void>;
}

/** The result of the last statement of a script. */
export interface Ran {
  /** The command tag: `INSERT 0 1`. Empty when there was no statement. */
  tag: string;
  /** Null for a statement that returns no rows. */
  rows: number | null;
}

/** Collects the result of a script from its response messages. */
export function follow(): Ran & { hear(message: { name: string; text?: string }): void } {
  let answering: number | null = null;
  return {
    tag: "",
    rows: 0,
    hear({ name, text = "" }) {
      if (name === "rowDescription") answering = 0;
      else if (name === "dataRow" && answering !== null) answering += 1;
      else if (name === "commandComplete") {
        this.tag = text;
        this.rows = answering;
        answering = null;
      }
    },
  };
}

/** The error of both drivers when Postgres refuses a statement. */
export interface DatabaseError extends Error {
  /** The SQLSTATE. */
  code: string;
  detail?: string;
  hint?: string;
  /** The stack of SQL functions in which it happened. */
  where?: string;
  /** Position in the statement, in characters, starting at 1. */
  position?: string;
  schema?: string;
  table?: string;
  column?: string;
  constraint?: string;
}

export function isDatabaseError(error: unknown): error is DatabaseError {
  // Error codes of the operating system have the same format: EPIPE, EPERM.
  if (!(error instanceof Error) || "syscall" in error) return false;
  return /^[0-9A-Z]{5}$/.test(String((error as DatabaseError).code));
}

const textArray = pg.types.getTypeParser(1009 as number) as (text: string) => unknown;

/** Parsers by type oid; other types stay text. */
const readers: Record<number, (text: string) => unknown> = {
  16: (text) => text === "t",
  20: Number,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
  114: JSON.parse,
  3802: JSON.parse,
  1009: textArray,
  1015: textArray,
};

/** Returns the parser of a column type, for both drivers. */
export function readerOf(oid: number): (text: string) => unknown {
  return readers[oid] ?? ((text) => text);
}

/** Returns the statement that applies `settings` until the transaction ends. */
export function settingsStatement(settings: Settings): { sql: string; params: string[] } | null {
  const entries = Object.entries(settings);
  if (entries.length === 0) return null;
  // The role comes last: afterwards the transaction may lack the privilege to set the others.
  entries.sort(([a], [b]) => Number(a === "role") - Number(b === "role"));
  const calls = entries.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true)`);
  return { sql: `select ${calls.join(", ")}`, params: entries.flat() };
}

const MAX_NAMES = 500;

/**
 * Names repeated statements, so that a session keeps them parsed and planned.
 *
 * Each role has its own names. Postgres plans again for another role if row-level security is
 * involved, but runs a plan with an inlined function without checking the privilege to execute it.
 */
export function statementNames(): (role: string, sql: string) => string {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  // Returns the empty string for a first occurrence, and when the maximum is reached.
  return (role, sql) => {
    const key = `${role}\n${sql}`;
    const name = names.get(key);
    if (name || names.size === MAX_NAMES) return name ?? "";
    if (!seen.delete(key)) {
      if (seen.size === MAX_NAMES) seen.clear();
      seen.add(key);
      return "";
    }
    names.set(key, `souk_${names.size}`);
    return names.get(key) as string;
  };
}

/** The role of a transaction's first statements, which run as the superuser. */
export const SUPERUSER = "";

/** Whether a prepared statement is gone from its session, or its result types have changed. */
export function isStale(error: unknown): boolean {
  if (!isDatabaseError(error)) return false;
  return (
    error.code === "26000" || (error.code === "0A000" && error.message.startsWith("cached plan"))
  );
}
