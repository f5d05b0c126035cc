import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { createLog, type Log } from "../log.js";
import { clearedSchemas } from "../places.js";
import { Refusal } from "../refusal.js";
import { parseUrl } from "../url.js";
import { leave } from "./away.js";
import type { Database } from "./database.js";
import { keepLifeline, Taken, type Watcher } from "./lifeline.js";
import { lockFolder } from "./lock.mjs";
import { openPglite } from "./pglite.js";
import { openPostgres } from "./postgres.js";
import { removeOrphan, SERVER_FOLDER, type Server, startServer } from "./server.js";

/**
 * Where a stack keeps its rows: a folder, a server's URL, or nowhere once it ends. `server`: a Postgres
 * from npm with the rows in a folder; null: nowhere once it ends.
 */
export type Place = { folder: string } | { url: string } | { server: string | null } | "memory";

/** A place that no other stack can use until it is released. */
export interface Claim {
  /** What a progress line calls the place; never holds a password. */
  readonly name: string;
  open(): Promise<Database>;
  /** Connections that were there before the platform lack its settings: gives new ones. */
  reopen(db: Database): Promise<Database>;
  /** Has `watcher` told of what befalls the place. */
  watch(watcher: Watcher): void;
  /** Removes everything that platform, migrations and seed made. No database may be open. */
  clear(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Claims `place`. Throws `Refusal` when another stack has it, or the server will not do. `port` is that
 * of a server which is started here; 0 takes any free one.
 */
export function claimPlace(place: Place, log = createLog(), port = 0): Promise<Claim> {
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

/**
 * The database has a folder of its own inside `folder`, so that clearing removes nothing else,
 * whatever folder a user names.
 */
async function claimFolder(folder: string): Promise<Claim> {
  const database = join(folder, "postgres");
  const finished = join(database, "souk.finished");
  const release = await takeFolder(folder);
  const clear = () => removeWhole(database);

  return {
    name: `PGlite in ${folder}`,
    clear,
    release,
    reopen: async (db) => db,
    watch: () => {},
    open: async () => {
      // Without its mark, the folder is what a first start left that was killed while Postgres
      // made its own tables. Nothing of a user's can be in it.
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

/** Has a folder to itself, by its kernel's lock. Throws `Refusal`. */
async function takeFolder(folder: string): Promise<() => Promise<void>> {
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

/** Whole or gone at any moment: a half removed database would look like a broken one. */
async function removeWhole(database: string): Promise<void> {
  const removed = `${database}.removed`;
  await rm(removed, { recursive: true, force: true });
  if (await exists(database)) await rename(database, removed);
  await rm(removed, { recursive: true, force: true });
}

/** The server is claimed as any other is, once it runs. */
async function claimOwnServer(folder: string | null, log: Log, port: number): Promise<Claim> {
  const unlock = folder === null ? async () => {} : await takeFolder(folder);
  const watchers: Watcher[] = [];
  let server: Server | undefined;
  let inner: Claim | undefined;
  return {
    name: `Postgres 17 ${folder === null ? "that keeps nothing" : `in ${join(folder, SERVER_FOLDER)}`}`,
    watch(watcher) {
      watchers.push(watcher);
      inner?.watch(watcher);
    },
    async open() {
      const settings = folder === null ? { fsync: "off" } : undefined;
      server ??= await startServer({ folder, port, log, settings });
      inner ??= await claimServer(server.url);
      for (const watcher of watchers) inner.watch(watcher);
      return await inner.open();
    },
    reopen: (db) => (inner as Claim).reopen(db),
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
/** Any number no other program on the server is likely to choose. */
const ADVISORY_LOCK = "7305788";
/** A killed stack's claim ends when the server sees its connection gone, a moment after. */
const RETRY_MS = 100;
const RETRIES = 20;

/**
 * The claim is a session's advisory lock: it ends with the connection, and is taken again with the next.
 * Nothing else is asked of the server meanwhile, which may be another stack's by then.
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
    if (!(error instanceof Taken)) throw error;
    throw new Refusal(
      `the database ${session.database} is in use by another start: stop that one first`,
    );
  }
  const lifeline = keepLifeline(url, session, async (next) => {
    await endHolder(next, holder);
    await lock(next);
    holder = await holderOf(next);
  });
  return {
    name,
    open: () => openPostgres(url, lifeline),
    reopen: async (db) => {
      await db.close();
      return await openPostgres(url, lifeline);
    },
    watch: lifeline.watch,
    clear: async () => {
      await session.query(clearing);
    },
    release: lifeline.close,
  };
}

/** Throws `Refusal` where `--database-url` was given something else. */
export function refuseOtherUrls(url: string): void {
  // pg takes what is none for the name of a database on a host of its own invention.
  if (/^postgres(ql)?:$/.test(parseUrl(url)?.protocol ?? "")) return;
  throw new Refusal("--database-url is no URL of Postgres: postgresql://user:password@host/name");
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
    await session.end().catch(() => {}); // It never was connected.
    if (code === "3D000") {
      throw new Refusal(
        `Postgres at ${server} has no database "${session.database}": create it first`,
      );
    }
    if (code?.startsWith("28")) {
      throw new Refusal(
        `Postgres at ${server} does not let "${session.user}" in: check user and password of --database-url`,
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

/** Takes the lock. Throws `Taken` when somebody keeps it. */
async function lock(session: pg.Client): Promise<void> {
  for (let tries = 0; tries <= RETRIES; tries++) {
    const { rows } = await session.query<{ locked: boolean }>(
      "select pg_try_advisory_lock($1::bigint) as locked",
      [ADVISORY_LOCK],
    );
    if (rows[0]?.locked) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  throw new Taken();
}

/** The server's process behind a session; ids alone are given out again. */
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

/** A server does not learn that a connection broke off on its way, and would keep the lock for it. */
async function endHolder(session: pg.Client, { pid, since }: Holder): Promise<void> {
  await session.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where pid = $1::int and extract(epoch from backend_start)::text = $2`,
    [pid, since],
  );
}

/** One `do` block is one transaction: all of it or nothing. */
const clearing = `
do $$
declare
  name text;
begin
  drop publication if exists supabase_realtime;
  -- An extension that brought its schema along (pg_cron, pg_net) owns it, and goes first.
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
