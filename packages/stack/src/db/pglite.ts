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
import { CLUSTER_FILE, findCluster, storeCluster } from "./cluster.js";
import type { Database, Parameter, Queryable, Settings } from "./database.js";
import {
  follow,
  isStale,
  readerOf,
  SUPERUSER,
  settingsStatement,
  statementNames,
} from "./database.js";
import { ADMIN, OWNER } from "./roles.js";
import { openWire, type Wire } from "./wire.js";
import { applySettings, discardAll, listenAgain, readSettings } from "./wire-settings.js";

const { serialize } = protocol;

/** Opens the embedded Postgres kept in `folder` (null: in memory only). */
export async function openPglite(folder: string | null): Promise<Database> {
  return asDatabase(await startPglite(folder));
}

const extensions = { btree_gist, citext, pg_trgm, pgcrypto, unaccent, uuid_ossp, vector };

/**
 * Starts PGlite with every extension that a project may use. A new database is loaded from the
 * cached files at `kept`;
 * if there are none, they are created and cached there.
 */
export async function startPglite(folder: string | null, kept = CLUSTER_FILE): Promise<PGlite> {
  const dataDir = folder ?? "memory://";
  const isNew = folder === null || !existsSync(join(folder, "PG_VERSION"));
  const loadDataDir = isNew && kept !== null ? await findCluster(kept) : null;
  const pg = await PGlite.create({
    dataDir,
    extensions,
    ...(loadDataDir && { loadDataDir }),
  });
  await renameSuperuser(pg);
  // PGlite has no initial session authorization: without one, a rollback would leave that of the transaction.
  await pg.exec(`set session authorization ${ADMIN}`);
  if (isNew && kept !== null && !loadDataDir) await storeCluster(kept, pg);
  return pg;
}

/**
 * PGlite's superuser is called `postgres`. Gives it the name that it has on hosted projects, where
 * `postgres` is no superuser. A role that is in use cannot be renamed, so another one does it.
 */
async function renameSuperuser(pg: PGlite): Promise<void> {
  const { rows } = await pg.query<{ name: string; taken: boolean }>(
    `select rolname as name, exists (select from pg_roles where rolname = $1) as taken
     from pg_roles where oid = 10`,
    [ADMIN],
  );
  if (rows[0]?.name !== ADMIN) {
    if (rows[0]?.taken) throw new Error("it is of an older stack, whose superuser was `postgres`");
    await pg.exec(`
      create role souk_renamer superuser;
      set session authorization souk_renamer;
      alter role ${OWNER} rename to ${ADMIN};
      set session authorization ${ADMIN};
      drop role souk_renamer;
    `);
  }
}

/**
 * PGlite has one session. Its own lock admits one transaction at a time, so identities never mix as
 * long as every call takes the lock.
 *
 * Related protocol messages are sent in one call, because each call costs as much as a small
 * statement.
 */
export async function asDatabase(pg: PGlite): Promise<Database> {
  const nameOf = statementNames();
  /** The names of statements that the session has prepared. */
  const prepared = new Set<string>();
  const channels = new Set<string>();
  let wire: Wire | null = null;
  let closed = false;

  const alone = <T>(work: () => Promise<T>) => pg._runExclusiveTransaction(work);

  /** Returns the protocol messages of a statement, for `exchange`. */
  function statement(role: string | null, sql: string, params: Params, read = true): Part {
    // A statement without parameters is rarely repeated.
    const name = role !== null && params.length > 0 ? nameOf(role, sql) : "";
    const known = prepared.has(name);
    return {
      name,
      messages: [
        // The name may exist although its statement failed.
        ...(name && !known ? [serialize.close({ type: "S", name })] : []),
        ...(known ? [] : [serialize.parse({ name, text: sql })]),
        serialize.bind({ statement: name, values: [...params] }),
        ...(read ? [serialize.describe({ type: "P" })] : []),
        serialize.execute({}),
      ],
    };
  }

  /** Applies settings to a transaction that has begun. */
  function opening(settings: Settings): Part[] {
    const set = settingsStatement(settings);
    return set ? [statement(SUPERUSER, set.sql, set.params, false)] : [];
  }

  /** Sends all parts at once, as one transaction unless one is open. Returns the rows of the last part. */
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

  function run<Row>(settings: Settings, sql: string, params: Params = [], before?: string) {
    const { role = SUPERUSER } = settings;
    const first = before === undefined ? [] : [statement(role, before, [], false)];
    const attempt = () =>
      exchange<Row>(...opening(settings), ...first, statement(role, sql, params));
    return alone(() =>
      attempt().catch((error) => (isStale(error) ? attempt() : Promise.reject(error))),
    );
  }

  function transaction<T>(settings: Settings, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return alone(async () => {
      let open = true;
      // PGlite gives the rows of two concurrent exchanges to the first caller.
      let last: Promise<unknown> = Promise.resolve();
      try {
        await exchange(begin, ...opening(settings));
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
          await discardAll(pg);
          prepared.clear();
          await applySettings(pg, settings);
          await listenAgain(pg, channels);
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
    // PGlite runs in this process, so it cannot become unavailable.
    cut: () => {},
    close: async () => {
      await wire?.close();
      await pg.close();
      closed = true;
    },
  };
}

/** The value of `pg_backend_pid()` in PGlite. */
const PID = 42;

type Params = readonly Parameter[];

interface Part {
  /** The name of the prepared statement, or empty. */
  name: string;
  messages: Uint8Array[];
}

const command = (sql: string): Part => ({ name: "", messages: [serialize.query(sql)] });
const begin = command("begin");
const commit = command("commit");
const rollback = command("rollback");

/** Returns the rows after the last row description. */
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
