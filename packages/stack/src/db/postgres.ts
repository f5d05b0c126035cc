import type { EventEmitter } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
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

const CONNECTIONS = 20;
/** As PostgREST does: a new connection has all its plans to make. */
const IDLE_MS = 30_000;
const RECONNECT_MS = 500;

type Params = readonly Parameter[];

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) => readerOf(oid)) as pg.CustomTypesConfig["getTypeParser"],
};

/** Opens a Postgres server by its URL. The URL's user must be a superuser: it makes the platform's roles. */
export async function openPostgres(url: string): Promise<Database> {
  // Compiling the services' wide queries on the catalogs takes a hundred times as long as they do.
  const options = "-c jit=off";
  const settings = { connectionString: url, options, types, pipeline: true };
  const pool = new pg.Pool({ ...settings, max: CONNECTIONS, idleTimeoutMillis: IDLE_MS });
  // A connection that the server drops fails its own query, and is replaced by the pool.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));

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
      throw error;
    }
  }

  function statement(role: string | null, sql: string, params: Params = []): Part {
    // What comes without parameters is rarely asked for again.
    return { name: role !== null && params.length > 0 ? nameOf(role, sql) : "", sql, params };
  }

  function opening(settings: Settings): Part[] {
    const set = settingsStatement(settings);
    return set ? [statement(SUPERUSER, set.sql, set.params)] : [];
  }

  async function run<Row>(settings: Settings, sql: string, params: Params = []) {
    const client = await pool.connect();
    const { role = SUPERUSER } = settings;
    const attempt = () => exchange<Row>(client, ...opening(settings), statement(role, sql, params));
    try {
      return await attempt().catch((error) => (isStale(error) ? attempt() : Promise.reject(error)));
    } finally {
      client.release();
    }
  }

  async function transaction<T>(
    settings: Settings,
    work: (tx: Queryable) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    let open = true;
    try {
      // What `work` asks first is sent behind these without waiting for them.
      const opened = Promise.all([
        client.query("begin"),
        ...opening(settings).map((part) => exchange(client, part)),
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
      await client.query("commit");
      return await working;
    } catch (error) {
      await client.query("rollback").catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      open = false;
      client.release(broken);
    }
  }

  async function script(user: string, sql: string, begun: (pid: number) => Promise<unknown>) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    try {
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
    } finally {
      await client.end();
    }
  }

  async function listen(channel: string, hear: (payload: string) => void) {
    let stopped = false;
    let client: pg.Client;
    const connect = async () => {
      client = new pg.Client({ connectionString: url, types });
      client.on("notification", (message) => hear(message.payload ?? ""));
      client.on("error", () => {});
      client.on("end", () => void reconnect());
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    };
    const reconnect = async () => {
      while (!stopped) {
        await pause(RECONNECT_MS);
        try {
          await connect();
          hear(""); // Something may have been said while nobody listened.
          return;
        } catch {
          // The server is still away; the next turn tries again.
        }
      }
    };
    await connect();
    return async () => {
      stopped = true;
      await client.end();
    };
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
    execute: async (script) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(script);
      } finally {
        await client.end();
      }
    },
    script,
    listen,
    serve: async () => {},
    close: () => pool.end(),
  };
}
