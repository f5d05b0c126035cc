import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Database, Parameter, Queryable, Settings } from "./database.js";
import { readers, settingsStatement } from "./database.js";

const CONNECTIONS = 20;
const RECONNECT_MS = 500;

/** Text arrays are the one composite that the services read as a value. */
const arraysOfText = new Set([1009, 1015]);

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (arraysOfText.has(oid)) return pg.types.getTypeParser(oid, format as "text");
    return readers[oid] ?? ((text: string) => text);
  }) as pg.CustomTypesConfig["getTypeParser"],
};

/** Opens a Postgres server by its URL. The URL's user must be a superuser: it makes the platform's roles. */
export async function openPostgres(url: string): Promise<Database> {
  // Compiling the services' wide queries on the catalogs takes a hundred times as long as they do.
  const options = "-c jit=off";
  const settings = { connectionString: url, options, types, pipeline: true };
  const pool = new pg.Pool({ ...settings, max: CONNECTIONS });
  // An idle connection that the server drops is replaced by the pool at the next call.
  pool.on("error", () => {});

  async function query<Row>(sql: string, params: readonly Parameter[] = []): Promise<Row[]> {
    return (await pool.query(sql, [...params])).rows as Row[];
  }

  /**
   * Sends `begin`, the settings and whatever `work` sends without waiting in between, so that a
   * transaction of one statement costs one round trip.
   */
  async function transaction<T>(
    settings: Settings,
    work: (tx: Queryable) => Promise<T>,
    commit: "after work" | "with work" = "after work",
  ): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on("error", onError);
    try {
      const opening = settingsStatement(settings);
      const opened = [client.query("begin")];
      if (opening) opened.push(client.query(opening.sql, opening.params));
      const tx: Queryable = {
        query: async <Row>(sql: string, params: readonly Parameter[] = []) =>
          (await client.query(sql, [...params])).rows as Row[],
      };
      const working = work(tx);
      const closing = commit === "with work" ? client.query("commit") : null;
      // The first refusal is the cause; those behind it only say that the transaction is aborted.
      const outcomes = await Promise.allSettled([
        ...opened,
        working,
        ...(closing ? [closing] : []),
      ]);
      const refused = outcomes.find((outcome) => outcome.status === "rejected");
      if (refused) throw refused.reason;
      if (!closing) await client.query("commit");
      return await working;
    } catch (error) {
      if (!broken && commit === "after work") {
        await client.query("rollback").catch((failure: Error) => {
          broken = failure;
        });
      }
      throw error;
    } finally {
      client.off("error", onError);
      client.release(broken);
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

  const [row] = await query<{ version: string }>(
    "select current_setting('server_version_num') as version",
  );

  return {
    server: "postgres",
    version: Number(row?.version),
    url,
    query,
    transaction: (settings, work) => transaction(settings, work),
    run: (settings, sql, params) =>
      transaction(settings, (tx) => tx.query(sql, params), "with work"),
    execute: async (script) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(script);
      } finally {
        await client.end();
      }
    },
    listen,
    close: () => pool.end(),
  };
}
