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
import { type Part, send } from "./round-trip.js";
import { monitorServer, type ServerMonitor } from "./server-monitor.js";

const CONNECTIONS = 20;
/** The same as PostgREST's: a new connection has to plan all its statements again. */
const IDLE_MS = 30_000;

type Params = readonly Parameter[];

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) => readerOf(oid)) as pg.CustomTypesConfig["getTypeParser"],
};

/**
 * The connections to an available server. When it becomes unavailable they are closed, and a new
 * pool is opened later.
 */
function openPool(url: string) {
  const clients = new Set<pg.Client>();
  const waiting = new Set<(error: Error) => void>();
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      // The pool's own timeout would include the time of waiting for a free connection.
      super({ ...config, connectionTimeoutMillis: CONNECT_MS });
      this.on("error", () => {});
      this.once("end", () => clients.delete(this));
      clients.add(this);
    }
  }
  // Compiling the services' wide catalog queries takes a hundred times as long as running them.
  const options = "-c jit=off";
  const settings = { connectionString: url, options, types, pipeline: true, Client };
  const pool = new pg.Pool({ ...settings, max: CONNECTIONS, idleTimeoutMillis: IDLE_MS });
  // A connection that the server drops fails its own query, and the pool replaces it.
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
    /** Fails the callers that wait for a connection and those that have one. */
    cut(cause?: unknown) {
      if (!pool.ending) void pool.end();
      for (const reject of waiting) reject(new DatabaseAway(false, cause));
      waiting.clear();
      for (const client of clients) cut(client);
    },
    /** Waits until every connection is released. */
    async close() {
      if (!pool.ending) await pool.end();
      await Promise.all([...clients].map(leave));
    },
  };
}

/**
 * Opens a Postgres server by its URL. The URL's user must be a superuser, to create the platform's
 * roles. `given` monitors the server and is not closed.
 */
export async function openPostgres(url: string, given?: ServerMonitor): Promise<Database> {
  const monitor = given ?? (await openMonitor(url));
  let pool = openPool(url);
  /** Connections outside the pool. */
  const single = new Set<pg.Client>();
  let closed = false;

  function cutAll(cause?: unknown) {
    pool.cut(cause);
    for (const client of single) cut(client);
  }
  monitor.watch({
    away: cutAll,
    back() {
      if (!closed) pool = openPool(url);
    },
  });

  function check() {
    if (closed) throw new DatabaseAway(false);
    monitor.check();
  }

  async function connect(): Promise<pg.PoolClient> {
    check();
    return await pool.take();
  }

  /** Runs work over a separate connection. */
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

  /** Sends statements at once, as one transaction unless one is open. Returns the rows of the last one. */
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
    // A statement without parameters is rarely repeated.
    return { name: role !== null && params.length > 0 ? nameOf(role, sql) : "", sql, params };
  }

  /** A statement without parameters that is repeated. */
  const repeated = (role: string, sql: string): Part => ({
    name: nameOf(role, sql),
    sql,
    params: [],
  });

  function opening(settings: Settings): Part[] {
    const set = settingsStatement(settings);
    return set ? [statement(SUPERUSER, set.sql, set.params)] : [];
  }

  async function run<Row>(settings: Settings, sql: string, params: Params = [], before?: string) {
    const client = await connect();
    const { role = SUPERUSER } = settings;
    const parts = [
      ...opening(settings),
      ...(before === undefined ? [] : [repeated(role, before)]),
      statement(role, sql, params),
    ];
    const attempt = () => exchange<Row>(client, ...parts);
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
      // The first queries of `work` are sent without waiting for these.
      const opened = Promise.all([
        control("begin"),
        ...opening(settings).map((part) => exchange(client, part)),
      ]);
      const working = work({
        query: async (sql, params) => {
          if (!open) throw new Error("the transaction has ended");
          return await exchange(client, statement(settings.role ?? null, sql, params));
        },
      });
      // The first error is the cause; later ones only report that the transaction is aborted.
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
      // pg keeps only the first word of a command tag, and its types leave both members out.
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
      const stop = await monitor.listen(channel, hear, missed);
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
      if (!given) await monitor.close();
    },
  };
}

/** Opens the connection that monitors the server, without a claim. */
async function openMonitor(url: string): Promise<ServerMonitor> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return monitorServer(url, client);
}
