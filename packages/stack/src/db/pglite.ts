import { existsSync } from "node:fs";
import { join } from "node:path";
import { type messages, PGlite, protocol } from "@electric-sql/pglite";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { citext } from "@electric-sql/pglite/contrib/citext";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { pgcrypto } from "@electric-sql/pglite/contrib/pgcrypto";
import { unaccent } from "@electric-sql/pglite/contrib/unaccent";
import { uuid_ossp } from "@electric-sql/pglite/contrib/uuid_ossp";
import { vector } from "@electric-sql/pglite-pgvector";
import { KEPT_CLUSTER, keepCluster, readCluster } from "./cluster.js";
import type { Database, Parameter, Queryable, Settings } from "./database.js";
import {
  follow,
  isStale,
  readerOf,
  SUPERUSER,
  settingsStatement,
  statementNames,
} from "./database.js";
import { openWire, type Wire } from "./wire.js";
import { applySettings, discard, readSettings, restore } from "./wire-settings.js";

const { serialize } = protocol;

/** Opens the embedded Postgres kept in `folder` (null: in memory only). */
export async function openPglite(folder: string | null): Promise<Database> {
  return asDatabase(await startPglite(folder));
}

const extensions = { btree_gist, citext, pg_trgm, pgcrypto, unaccent, uuid_ossp, vector };

/**
 * PGlite itself, with every extension it has that a project may ask for. A new database is loaded from
 * the files kept at `kept`, if there are any; else they are made, and kept there.
 */
export async function startPglite(folder: string | null, kept = KEPT_CLUSTER): Promise<PGlite> {
  const dataDir = folder ?? "memory://";
  const isNew = folder === null || !existsSync(join(folder, "PG_VERSION"));
  if (!isNew || kept === null) return await PGlite.create({ dataDir, extensions });
  const loadDataDir = await readCluster(kept);
  if (loadDataDir) return await PGlite.create({ dataDir, extensions, loadDataDir });
  const pg = await PGlite.create({ dataDir, extensions });
  await keepCluster(kept, pg);
  return pg;
}

/**
 * PGlite has one session. Its own lock lets one transaction in at a time, so identities never mix as
 * long as everything goes through it.
 *
 * Messages of Postgres' protocol that belong together are handed over in one piece, as each call
 * costs as much as a small statement does.
 */
export async function asDatabase(pg: PGlite): Promise<Database> {
  const nameOf = statementNames();
  /** The names that the session knows. */
  const prepared = new Set<string>();
  const channels = new Set<string>();
  let wire: Wire | null = null;
  let closed = false;

  const alone = <T>(work: () => Promise<T>) => pg._runExclusiveTransaction(work);

  /** A statement's messages, which `exchange` sends. */
  function statement(role: string | null, sql: string, params: Params, read = true): Part {
    // A statement without parameters rarely comes again.
    const name = role !== null && params.length > 0 ? nameOf(role, sql) : "";
    const known = prepared.has(name);
    return {
      name,
      messages: [
        // A name whose statement failed may be there without our knowing.
        ...(name && !known ? [serialize.close({ type: "S", name })] : []),
        ...(known ? [] : [serialize.parse({ name, text: sql })]),
        serialize.bind({ statement: name, values: [...params] }),
        ...(read ? [serialize.describe({ type: "P" })] : []),
        serialize.execute({}),
      ],
    };
  }

  /** Puts settings in force for a transaction that has begun. */
  function settingsFirst(settings: Settings): Part[] {
    const set = settingsStatement(settings);
    return set ? [statement(SUPERUSER, set.sql, set.params, false)] : [];
  }

  /** Sends all of it at once, as one transaction unless one is open; answers with the last one's rows. */
  async function exchange<Row>(...parts: Part[]): Promise<Row[]> {
    if (closed) throw new Error("the database is closed");
    const bytes = Buffer.concat(
      [...parts.map(({ messages }) => messages), serialize.sync()].flat(),
    );
    const answer = await pg.execProtocol(bytes, { syncToFs: false, throwOnError: false });
    const error = answer.messages.find((message) => message instanceof Error);
    if (error) {
      if (isStale(error)) prepared.clear();
      throw error;
    }
    for (const { name } of parts) if (name) prepared.add(name);
    return rowsOf<Row>(answer.messages);
  }

  function run<Row>(settings: Settings, sql: string, params: Params = []) {
    const { role = SUPERUSER } = settings;
    const attempt = () => exchange<Row>(...settingsFirst(settings), statement(role, sql, params));
    return alone(() =>
      attempt().catch((error) => (isStale(error) ? attempt() : Promise.reject(error))),
    );
  }

  function transaction<T>(settings: Settings, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return alone(async () => {
      let open = true;
      // PGlite gives the rows of two exchanges at once to whoever comes first.
      let last: Promise<unknown> = Promise.resolve();
      try {
        await exchange(begin, ...settingsFirst(settings));
        const made = await work({
          query: <Row>(sql: string, params: Params = []) => {
            const answer = last.then(() => {
              if (!open) throw new Error("the transaction has ended");
              return exchange<Row>(statement(settings.role ?? null, sql, params));
            });
            last = answer.catch(() => {});
            return answer;
          },
        });
        await exchange(commit);
        return made;
      } catch (error) {
        await last;
        await exchange(rollback);
        throw error;
      } finally {
        open = false;
      }
    });
  }

  const [row] = await run<{ version: string }>(
    {},
    "select current_setting('server_version_num') as version",
  );

  return {
    server: "pglite",
    version: Number(row?.version),
    get url() {
      return wire?.url ?? null;
    },
    query: (sql, params) => run({}, sql, params),
    transaction,
    run,
    execute: async (script) => {
      await pg.exec(script);
    },
    script: async (user, sql, begun) => {
      await begun(PID);
      return await alone(async () => {
        const settings = await readSettings(pg, []);
        try {
          await applySettings(pg, [...settings, ["session_authorization", user]]);
          const answer = await pg.execProtocol(serialize.query(sql), { throwOnError: false });
          const ran = follow();
          for (const message of answer.messages) {
            if (message instanceof Error) throw message;
            ran.hear(message);
          }
          return ran;
        } finally {
          // Plans too: those of when a table was small are not made anew by an `analyze`, as on a server.
          await discard(pg, true);
          prepared.clear();
          await restore(pg, settings, channels);
        }
      });
    },
    listen: async (channel, hear) => {
      channels.add(channel);
      const stop = await pg.listen(channel, hear);
      return async () => {
        channels.delete(channel);
        await stop();
      };
    },
    serve: async (port) => {
      wire = await openWire(pg, port, { channels, forget: () => prepared.clear() });
    },
    // It is in this process: it never goes away, and nothing of it is left behind.
    cut: () => {},
    close: async () => {
      await wire?.close();
      await pg.close();
      closed = true;
    },
  };
}

/** What `pg_backend_pid()` says in PGlite. */
const PID = 42;

type Params = readonly Parameter[];

interface Part {
  /** Empty, or the name under which the session keeps the statement. */
  name: string;
  messages: Uint8Array[];
}

const command = (sql: string): Part => ({ name: "", messages: [serialize.query(sql)] });
const begin = command("begin");
const commit = command("commit");
const rollback = command("rollback");

/** The rows behind the last description: what was not described is not read. */
function rowsOf<Row>(answers: readonly messages.BackendMessage[]): Row[] {
  let columns: { name: string; read: (text: string) => unknown }[] | null = null;
  let rows: Row[] = [];
  for (const answer of answers) {
    if (answer.name === "rowDescription") {
      const { fields } = answer as messages.RowDescriptionMessage;
      columns = fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) }));
      rows = [];
    } else if (answer.name === "dataRow" && columns) {
      const { fields } = answer as messages.DataRowMessage;
      const row: Record<string, unknown> = {};
      columns.forEach(({ name, read }, i) => {
        const text = fields[i] ?? null;
        row[name] = text === null ? null : read(text);
      });
      rows.push(row as Row);
    }
  }
  return rows;
}
