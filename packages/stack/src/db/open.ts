import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { createLog, type Log } from "../log.js";
import { clearedSchemas, type DatabaseLocation } from "../places.js";
import { Refusal } from "../refusal.js";
import { parseUrl } from "../url.js";
import { leave } from "./away.js";
import type { Database } from "./database.js";
import { lockFolder } from "./lock.mjs";
import { openPglite } from "./pglite.js";
import { openPostgres } from "./postgres.js";
import { removeOrphan, SERVER_FOLDER, type Server, startServer } from "./server.js";
import { LockTaken, monitorServer, type Watcher } from "./server-monitor.js";

/** A place that no other stack can use until it is released. */
export interface Claim {
  /** The name in progress messages; never contains a password. */
  readonly name: string;
  open(): Promise<Database>;
  /** Replaces connections opened before the platform was set up, which lack its settings. */
  reopen(db: Database): Promise<Database>;
  /** Registers callbacks for the state of the server. */
  watch(watcher: Watcher): void;
  /** Removes everything that the platform, migrations and seed created. No database may be open. */
  clear(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Claims `place`. Throws `Refusal` when another stack has claimed it, or the server is unsuitable. `port` is the port of
 * a server that is started here; 0 takes any free one.
 */
export function claimPlace(place: DatabaseLocation, log = createLog(), port = 0): Promise<Claim> {
  if (place === "memory") return Promise.resolve(memory);
  if ("server" in place) return claimOwnServer(place.server, log, port);
  return "url" in place ? claimServer(place.url) : claimFolder(place.folder);
}

const memory: Claim = {
  name: "PGlite in memory",
  open: () => openPglite(null),
  reopen: async (db) => db,
  watch: () => {},
  clear: async () => {},
  release: async () => {},
};

/** The database has its own folder inside `folder`, so that clearing removes no other files. */
async function claimFolder(folder: string): Promise<Claim> {
  const database = join(folder, "postgres");
  const finished = join(database, "souk.finished");
  const release = await lockDataFolder(folder);
  const clear = () => removeWhole(database);

  return {
    name: `PGlite in ${folder}`,
    clear,
    release,
    reopen: async (db) => db,
    watch: () => {},
    open: async () => {
      // Without this file, the folder is from a first start that was killed while Postgres created its system tables.
      // It cannot contain user data.
      const marked = await exists(finished);
      if (!marked) await clear();
      let db: Database;
      try {
        db = await openPglite(database);
      } catch (error) {
        throw new Refusal(
          `cannot open the database in ${folder} (${(error as Error).message}): ` +
            "`npm run reset` makes it anew, without its rows",
        );
      }
      if (!marked) await writeFile(finished, "");
      return db;
    },
  };
}

/** Locks a folder by a lock of the kernel. Throws `Refusal`. */
async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  let release: Awaited<ReturnType<typeof lockFolder>>;
  try {
    await mkdir(folder, { recursive: true });
    release = await lockFolder(folder);
  } catch (error) {
    throw new Refusal(`cannot use ${folder}: ${(error as Error).message}`);
  }
  if (release === null) {
    throw new Refusal(
      `${folder} is in use by another start: stop that one first, or name another folder with --data`,
    );
  }
  return release;
}

/** Renames before removing: a partly removed database would look like a broken one. */
async function removeWhole(database: string): Promise<void> {
  const removed = `${database}.removed`;
  await rm(removed, { recursive: true, force: true });
  if (await exists(database)) await rename(database, removed);
  await rm(removed, { recursive: true, force: true });
}

/** Starts a server and then claims it like any other. */
async function claimOwnServer(folder: string | null, log: Log, port: number): Promise<Claim> {
  const unlock = folder === null ? async () => {} : await lockDataFolder(folder);
  const watchers: Watcher[] = [];
  let server: Server | undefined;
  let inner: Claim | undefined;
  const forOwner = (db: Database) => ({ ...db, url: (server as Server).ownerUrl });
  return {
    name: `Postgres 17 ${folder === null ? "that keeps nothing" : `in ${join(folder, SERVER_FOLDER)}`}`,
    watch(watcher) {
      watchers.push(watcher);
      inner?.watch(watcher);
    },
    async open() {
      const settings = folder === null ? { fsync: "off" } : undefined;
      server ??= await startServer({ folder, port, log, settings });
      if (!inner) {
        inner = await claimServer(server.url);
        inner.watch({ away: () => void server?.revive() });
      }
      for (const watcher of watchers) inner.watch(watcher);
      return forOwner(await inner.open());
    },
    reopen: async (db) => forOwner(await (inner as Claim).reopen(db)),
    clear: async () => {
      if (folder !== null) {
        await removeOrphan(folder);
        await removeWhole(join(folder, SERVER_FOLDER));
      }
    },
    async release() {
      try {
        await inner?.release();
        await server?.stop();
      } finally {
        await unlock();
      }
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

const OLDEST_VERSION = 150000;
const CONNECT_MS = 10_000;
/** An arbitrary number that no other program on the server is likely to use. */
const ADVISORY_LOCK = "7305788";
/** A killed stack's claim ends when the server sees its closed connection, a moment later. */
const RETRY_MS = 100;
const RETRIES = 20;

/**
 * The claim is a session-level advisory lock: it ends with the connection, and is taken again on the next one. Until
 * then the stack sends the server no other statement, because another stack may have claimed it.
 */
async function claimServer(url: string): Promise<Claim> {
  const session = await connect(url);
  const name = `Postgres at ${session.host}:${session.port}/${session.database}`;
  session.on("error", () => {});
  let holder: Holder;
  try {
    await suits(session, name);
    await lock(session);
    holder = await holderOf(session);
  } catch (error) {
    await leave(session);
    if (!(error instanceof LockTaken)) throw error;
    throw new Refusal(
      `the database ${session.database} is in use by another start: stop that one first`,
    );
  }
  const monitor = monitorServer(url, session, async (next) => {
    await endHolder(next, holder);
    await lock(next);
    holder = await holderOf(next);
  });
  return {
    name,
    open: () => openPostgres(url, monitor),
    reopen: async (db) => {
      await db.close();
      return await openPostgres(url, monitor);
    },
    watch: monitor.watch,
    clear: async () => {
      await session.query(clearing);
    },
    release: monitor.close,
  };
}

/** Throws `Refusal` if `--database-url` is not a Postgres URL. */
export function refuseOtherUrls(url: string): void {
  // pg takes an invalid URL for the name of a database on a host it makes up.
  if (/^postgres(ql)?:$/.test(parseUrl(url)?.protocol ?? "")) return;
  throw new Refusal("--database-url must be a Postgres URL: postgresql://user:password@host/name");
}

async function connect(url: string): Promise<pg.Client> {
  refuseOtherUrls(url);
  const session = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  try {
    await session.connect();
    return session;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const server = `${session.host}:${session.port}`;
    await session.end().catch(() => {}); // It was never connected.
    if (code === "3D000") {
      throw new Refusal(
        `Postgres at ${server} has no database "${session.database}": create it first`,
      );
    }
    if (code?.startsWith("28")) {
      throw new Refusal(
        `Postgres at ${server} refuses the user "${session.user}": check user and password of --database-url`,
      );
    }
    throw new Refusal(
      `cannot reach Postgres at ${server} (${message || code}): is it running, and is --database-url right?`,
    );
  }
}

async function suits(session: pg.Client, name: string): Promise<void> {
  const { rows } = await session.query<{ version: number; superuser: boolean }>(
    `select current_setting('server_version_num')::int as version,
       (select rolsuper from pg_roles where rolname = current_user) as superuser`,
  );
  if (Number(rows[0]?.version) < OLDEST_VERSION) {
    throw new Refusal(`${name} is older than version 15: use a newer server`);
  }
  if (!rows[0]?.superuser) {
    throw new Refusal(
      `"${session.user}" is no superuser of ${name}, and the platform's roles need one: ` +
        "name a superuser in --database-url",
    );
  }
}

/** Takes the lock. Throws `Taken` when another session keeps it. */
async function lock(session: pg.Client): Promise<void> {
  for (let tries = 0; tries <= RETRIES; tries++) {
    const { rows } = await session.query<{ locked: boolean }>(
      "select pg_try_advisory_lock($1::bigint) as locked",
      [ADVISORY_LOCK],
    );
    if (rows[0]?.locked) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  throw new LockTaken();
}

/** Identifies the server process of a session; the process id alone may be reused. */
interface Holder {
  pid: string;
  since: string;
}

async function holderOf(session: pg.Client): Promise<Holder> {
  const { rows } = await session.query<Holder>(
    `select pid::text, extract(epoch from backend_start)::text as since
     from pg_stat_activity where pid = pg_backend_pid()`,
  );
  return rows[0] as Holder;
}

/**
 * Ends the previous session: the server may not notice a broken connection, and would keep its
 * lock.
 */
async function endHolder(session: pg.Client, { pid, since }: Holder): Promise<void> {
  await session.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where pid = $1::int and extract(epoch from backend_start)::text = $2`,
    [pid, since],
  );
}

/** A `do` block runs in one transaction. */
const clearing = `
do $$
declare
  name text;
begin
  drop publication if exists supabase_realtime;
  -- An extension that created its own schema (pg_cron, pg_net) owns it, and must be dropped first.
  for name in
    select e.extname
    from pg_extension e
    join pg_depend d on d.refobjid = e.oid and d.refclassid = 'pg_extension'::regclass and d.deptype = 'e'
    join pg_namespace n on n.oid = d.objid and d.classid = 'pg_namespace'::regclass
    where n.nspname in (${clearedSchemas.map((schema) => `'${schema}'`).join(", ")})
  loop
    execute format('drop extension %I cascade', name);
  end loop;
  ${clearedSchemas.map((schema) => `drop schema if exists ${schema} cascade;`).join("\n  ")}
  create schema public authorization pg_database_owner;
  grant usage on schema public to public;
end
$$`;
