import type { EventEmitter } from "node:events";
import pg from "pg";
import { asAway, CONNECT_MS, cut, DatabaseAway, leave } from "./away.js";
import type { Database, Parameter, Queryable, Settings } from "./database.js";
import {
  follow,
  isStale,
  readerOf,
  SUPERUSER,
  settingsStatement,
  statementNames,
} from "./database.js";
import { keepLifeline, type Lifeline } from "./lifeline.js";
import { type Part, send } from "./round-trip.js";

const CONNECTIONS = 20;
/** As PostgREST does: a new connection has all its plans to make. */
const IDLE_MS = 30_000;

type Params = readonly Parameter[];

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) => readerOf(oid)) as pg.CustomTypesConfig["getTypeParser"],
};

/** The connections to a server that is there. When it goes away they are cut, and new ones made later. */
function openPool(url: string) {
  const clients = new Set<pg.Client>();
  const waiting = new Set<(error: Error) => void>();
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      // The pool's own limit of time would be that of waiting for another's end, too.
      super({ ...config, connectionTimeoutMillis: CONNECT_MS });
      this.on("error", () => {});
      this.once("end", () => clients.delete(this));
      clients.add(this);
    }
  }
  // Compiling the services' wide queries on the catalogs takes a hundred times as long as they do.
  const options = "-c jit=off";
  const settings = { connectionString: url, options, types, pipeline: true, Client };
  const pool = new pg.Pool({ ...settings, max: CONNECTIONS, idleTimeoutMillis: IDLE_MS });
  // A connection that the server drops fails its own query, and is replaced by the pool.
  pool.on("error", () => {});

  return {
    take: () =>
      new Promise<pg.PoolClient>((resolve, reject) => {
        waiting.add(reject);
        pool.connect().then(
          (client) => (waiting.delete(reject) ? resolve(client) : client.release(true)),
          (error) => {
            waiting.delete(reject);
            reject(new DatabaseAway(false, error));
          },
        );
      }),
    /** Fails those that wait for a connection, and those that have one. */
    cut(cause?: unknown) {
      if (!pool.ending) void pool.end();
      for (const reject of waiting) reject(new DatabaseAway(false, cause));
      waiting.clear();
      for (const client of clients) cut(client);
    },
    /** Waits for those who have a connection. */
    async close() {
      if (!pool.ending) await pool.end();
      await Promise.all([...clients].map(leave));
    },
  };
}

/**
 * Opens a Postgres server by its URL. The URL's user must be a superuser: it makes the platform's roles.
 * `given` looks after the server, and stays open.
 */
export async function openPostgres(url: string, given?: Lifeline): Promise<Database> {
  const lifeline = given ?? (await openLifeline(url));
  let pool = openPool(url);
  /** Those that are no pool's. */
  const single = new Set<pg.Client>();
  let closed = false;

  function cutAll(cause?: unknown) {
    pool.cut(cause);
    for (const client of single) cut(client);
  }
  lifeline.watch({
    away: cutAll,
    back() {
      if (!closed) pool = openPool(url);
    },
  });

  function check() {
    if (closed) throw new DatabaseAway(false);
    lifeline.check();
  }

  async function connect(): Promise<pg.PoolClient> {
    check();
    return await pool.take();
  }

  /** Runs some work over a connection of its own. */
  async function alone<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    check();
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
    client.on("error", () => {});
    single.add(client);
    try {
      await client.connect().catch((error) => {
        throw new DatabaseAway(false, error);
      });
      return await work(client);
    } catch (error) {
      throw asAway(error, client);
    } finally {
      await leave(client);
      single.delete(client);
    }
  }

  const nameOf = statementNames();
  let kept = new WeakMap<pg.ClientBase, Set<string>>();

  /** Sends statements at once: one transaction unless one is open. Answers with the last one's rows. */
  async function exchange<Row>(client: pg.ClientBase, ...parts: Part[]): Promise<Row[]> {
    const known = kept.get(client) ?? new Set();
    kept.set(client, known);
    try {
      return await send<Row>(client, known, parts);
    } catch (error) {
      if (isStale(error)) kept = new WeakMap();
      throw asAway(error, client);
    }
  }

  function statement(role: string | null, sql: string, params: Params = []): Part {
    // A statement without parameters rarely comes again.
    return { name: role !== null && params.length > 0 ? nameOf(role, sql) : "", sql, params };
  }

  function settingsFirst(settings: Settings): Part[] {
    const set = settingsStatement(settings);
    return set ? [statement(SUPERUSER, set.sql, set.params)] : [];
  }

  async function run<Row>(settings: Settings, sql: string, params: Params = []) {
    const client = await connect();
    const { role = SUPERUSER } = settings;
    const attempt = () =>
      exchange<Row>(client, ...settingsFirst(settings), statement(role, sql, params));
    let broken = false;
    try {
      return await attempt().catch((error) => (isStale(error) ? attempt() : Promise.reject(error)));
    } catch (error) {
      broken = error instanceof DatabaseAway;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async function transaction<T>(
    settings: Settings,
    work: (tx: Queryable) => Promise<T>,
  ): Promise<T> {
    const client = await connect();
    let broken = false;
    let open = true;
    const control = (command: string) =>
      client.query(command).catch((error) => Promise.reject(asAway(error, client)));
    try {
      // The first query of `work` is sent behind these without waiting for them.
      const opened = Promise.all([
        control("begin"),
        ...settingsFirst(settings).map((part) => exchange(client, part)),
      ]);
      const working = work({
        query: async (sql, params) => {
          if (!open) throw new Error("the transaction has ended");
          return await exchange(client, statement(settings.role ?? null, sql, params));
        },
      });
      // The first refusal is the cause; those behind it only say that the transaction is aborted.
      for (const outcome of await Promise.allSettled([opened, working])) {
        if (outcome.status === "rejected") throw outcome.reason;
      }
      await control("commit");
      return await working;
    } catch (error) {
      await client.query("rollback").catch(() => {
        broken = true;
      });
      throw error;
    } finally {
      open = false;
      client.release(broken);
    }
  }

  function script(user: string, sql: string, begun: (pid: number) => Promise<unknown>) {
    return alone(async (client) => {
      await client.query(`set session authorization ${client.escapeIdentifier(user)}`);
      // pg keeps but the first word of a tag, and its types leave both out.
      const { processID, connection } = client as unknown as {
        processID: number;
        connection: EventEmitter;
      };
      await begun(processID);
      const ran = follow();
      for (const name of ["rowDescription", "dataRow", "commandComplete"]) {
        connection.on(name, (message: { text?: string }) => ran.hear({ name, text: message.text }));
      }
      await client.query(sql);
      return ran;
    });
  }

  const [row] = await run<{ version: string }>(
    {},
    "select current_setting('server_version_num') as version",
  );

  return {
    server: "postgres",
    version: Number(row?.version),
    url,
    query: (sql, params) => run({}, sql, params),
    transaction,
    run,
    execute: (script) => alone(async (client) => void (await client.query(script))),
    script,
    async listen(channel, hear, missed = () => hear("")) {
      const stop = await lifeline.listen(channel, hear, missed);
      return async () => stop();
    },
    serve: async () => {},
    cut() {
      closed = true;
      cutAll();
    },
    async close() {
      closed = true;
      await pool.close();
      if (!given) await lifeline.close();
    },
  };
}

/** Looks after a server for one who has no claim on it. */
async function openLifeline(url: string): Promise<Lifeline> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return keepLifeline(url, client);
}
