import pg from "pg";

/**
 * How every service of the stack reaches Postgres, be it PGlite or a server. While a server is away, each query
 * fails at once with `DatabaseAway`.
 *
 * Parameters are text or null: a statement casts each where it uses it (`$1::uuid`,
 * `$2::text::jsonb`), so that both servers read it alike. Answers are read alike too: integers and
 * floats as numbers, booleans as booleans, json as values, arrays of text as arrays, and everything
 * else (numeric, timestamps, uuid) as the text Postgres wrote.
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
  /** As `server_version_num`: 150018, 180006. */
  readonly version: number;
  /** Where other programs reach this server; null on PGlite until `serve` lets them in. */
  readonly url: string | null;
  /** One statement in a transaction of its own, under `settings`: one round trip. */
  run<Row = Record<string, unknown>>(
    settings: Settings,
    sql: string,
    params?: readonly Parameter[],
  ): Promise<Row[]>;
  /** Commits when `work` resolves, rolls back and rethrows when it rejects. */
  transaction<T>(settings: Settings, work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** A script of several statements as the superuser, outside any transaction of ours. */
  execute(script: string): Promise<void>;
  /**
   * Runs statements as a client of its own would that logs in as `user` and sends them at once: one
   * transaction, unless they control it themselves. `begun` is told the session's process id before.
   */
  script(user: string, sql: string, begun: (pid: number) => Promise<unknown>): Promise<Ran>;
  /**
   * Hears `notify`; resolves to the function that stops it. Survives a lost connection: `missed` is
   * called, `hear` with nothing if left out, where something may have been said while nobody listened.
   */
  listen(
    channel: string,
    hear: (payload: string) => void,
    missed?: () => void,
  ): Promise<() => Promise<void>>;
  /** Lets other programs in at 127.0.0.1 (0: any free port). A server listens by itself. */
  serve(port: number): Promise<void>;
  /** Drops every connection to a server: what is under way fails, and nothing more is begun. */
  cut(): void;
  close(): Promise<void>;
}

/** How the last statement of a script ended. */
export interface Ran {
  /** The command tag: `INSERT 0 1`. Empty when there was no statement. */
  tag: string;
  /** Null for a statement that answers with none. */
  rows: number | null;
}

/** Follows the messages that answer a script. */
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

/** What both drivers throw when Postgres refuses a statement. */
export interface DatabaseError extends Error {
  /** The SQLSTATE. */
  code: string;
  detail?: string;
  hint?: string;
  /** The functions in which it happened. */
  where?: string;
  /** Where in the statement, from 1, in characters. */
  position?: string;
  schema?: string;
  table?: string;
  column?: string;
  constraint?: string;
}

export function isDatabaseError(error: unknown): error is DatabaseError {
  // The codes of the operating system may look the same: EPIPE, EPERM.
  if (!(error instanceof Error) || "syscall" in error) return false;
  return /^[0-9A-Z]{5}$/.test(String((error as DatabaseError).code));
}

const textArray = pg.types.getTypeParser(1009 as number) as (text: string) => unknown;

/** The type ids whose text becomes a value of JavaScript. */
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

/** How both drivers read a column of the type `oid`. */
export function readerOf(oid: number): (text: string) => unknown {
  return readers[oid] ?? ((text) => text);
}

/** The statement that puts `settings` in force until the transaction ends. */
export function settingsStatement(settings: Settings): { sql: string; params: string[] } | null {
  const entries = Object.entries(settings);
  if (entries.length === 0) return null;
  // The role comes last: afterwards the transaction may no longer have the right to set the others.
  entries.sort(([a], [b]) => Number(a === "role") - Number(b === "role"));
  const calls = entries.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true)`);
  return { sql: `select ${calls.join(", ")}`, params: entries.flat() };
}

const MOST_NAMES = 500;

/**
 * Names for the statements that come again, under which a session keeps them parsed and planned.
 *
 * Each role has its own: Postgres plans anew for another role where row-level security is involved,
 * but runs a plan into which it has drawn a function without asking who may call that.
 */
export function statementNames(): (role: string, sql: string) => string {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  // Empty for what is new, and for what is one too many.
  return (role, sql) => {
    const key = `${role}\n${sql}`;
    const name = names.get(key);
    if (name || names.size === MOST_NAMES) return name ?? "";
    if (!seen.delete(key)) {
      if (seen.size === MOST_NAMES) seen.clear();
      seen.add(key);
      return "";
    }
    names.set(key, `souk_${names.size}`);
    return names.get(key) as string;
  };
}

/** The role of the statements that run before the role of a transaction is set: the superuser. */
export const SUPERUSER = "";

/** Whether a statement kept under a name is gone from its session, or answers in other types now. */
export function isStale(error: unknown): boolean {
  if (!isDatabaseError(error)) return false;
  return (
    error.code === "26000" || (error.code === "0A000" && error.message.startsWith("cached plan"))
  );
}
