/**
 * The one door to Postgres for every service of the stack, over PGlite or a server.
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
  /** Where other programs reach this server; null for PGlite, which lives inside this process. */
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
  /** Hears `notify`; resolves to the function that stops it. Survives a lost connection. */
  listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** What both drivers throw when Postgres refuses a statement. */
export interface DatabaseError extends Error {
  /** The SQLSTATE. */
  code: string;
  detail?: string;
  hint?: string;
  /** Where in the statement, from 1, in characters. */
  position?: string;
  schema?: string;
  table?: string;
  column?: string;
  constraint?: string;
}

export function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && /^[0-9A-Z]{5}$/.test(String((error as DatabaseError).code));
}

/** The type ids whose text both drivers turn into values of JavaScript. */
export const readers: Record<number, (text: string) => unknown> = {
  16: (text) => text === "t" || text === "true",
  20: Number,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
  114: (text) => JSON.parse(text),
  3802: (text) => JSON.parse(text),
};

/** The statement that puts `settings` in force until the transaction ends. */
export function settingsStatement(settings: Settings): { sql: string; params: string[] } | null {
  const entries = Object.entries(settings);
  if (entries.length === 0) return null;
  // The role comes last: afterwards the transaction may no longer have the right to set the others.
  entries.sort(([a], [b]) => Number(a === "role") - Number(b === "role"));
  const calls = entries.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true)`);
  return { sql: `select ${calls.join(", ")}`, params: entries.flat() };
}
