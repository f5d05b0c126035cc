import { execFile } from "node:child_process";
import { chown, mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, type Server, type Socket, connect as to } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { ADMIN } from "../packages/stack/src/db/roles.js";

// A separate Postgres server that a test can stop, and a relay in front of it that counts connections.

const run = promisify(execFile);

/** The folder with the programs of the server at DATABASE_URL; empty if they are not on this machine. */
export async function findServerPrograms(): Promise<string> {
  const url = process.env.DATABASE_URL;
  if (!url) return "";
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("select setting from pg_config where name = 'BINDIR'");
  await client.end();
  const programs = rows[0]?.setting as string;
  return await stat(join(programs, "initdb")).then(
    () => programs,
    () => "",
  );
}

export interface Cluster {
  port: number;
  /** `immediate` stops the server as a crash does. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  /** Runs a statement as a superuser, directly on the server. */
  query<Found>(sql: string, values?: unknown[]): Promise<Found[]>;
  remove(): Promise<void>;
}

/** The uid of `nobody`. Postgres refuses to run as root. */
const NOBODY = 65_534;

/** A folder of `nobody` for a server, and how its programs run. `programs` is empty for those in the path. */
async function openHome(programs: string) {
  const folder = await mkdtemp(join(tmpdir(), "souk-cluster-"));
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (owner.uid) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const program = (name: string, ...args: string[]) =>
    run(join(programs, name), args, {
      ...owner,
      cwd: folder,
      env: { ...process.env, HOME: folder },
    });
  const port = await freePort();
  const control = (...args: string[]) => program("pg_ctl", "-D", data, "-w", ...args);
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200`;
  const start = async () => {
    await control("-l", join(folder, "log"), "-o", options, "start");
  };
  const stop = async (mode = "fast") => {
    await control("-m", mode, "stop");
  };
  const remove = async () => {
    await stop("immediate").catch(() => {}); // A test may have stopped it.
    await rm(folder, { recursive: true });
  };
  return { data, port, program, start, stop, remove };
}

/** A read replica of the server at `url`, which must have the version of the programs in the path. */
export async function openReplica(url: string): Promise<{ url: string; remove(): Promise<void> }> {
  const { data, port, program, start, remove } = await openHome("");
  await program("pg_basebackup", "-d", url, "-D", data, "-R", "-X", "stream", "-c", "fast");
  await start();
  const replica = new URL(url);
  replica.port = String(port);
  return { url: replica.href, remove };
}

export async function makeCluster(programs: string): Promise<Cluster> {
  const { data, port, program, start, stop, remove } = await openHome(programs);
  await program("initdb", "-D", data, "-U", ADMIN, "-A", "trust", "--no-sync");
  await start();
  return {
    port,
    start,
    stop,
    async query(sql, values = []) {
      const client = new pg.Client({ connectionString: serverUrl(port) });
      await client.connect();
      try {
        return (await client.query(sql, values)).rows;
      } finally {
        await client.end();
      }
    },
    remove,
  };
}

export const serverUrl = (port: number) =>
  `postgresql://${ADMIN}@127.0.0.1:${port}/postgres?sslmode=disable`;

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((closed) => server.close(closed));
  return port;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return (server.address() as { port: number }).port;
}

/**
 * `well` passes everything on. `silent` accepts requests and answers nothing. `parting` adds to each answer the message
 * of a server that closes the connection, and closes the connection only when the mood is `well` again.
 */
type Mood = "well" | "silent" | "parting";

/** A relay between a stack and its server. */
export interface Relay {
  url: string;
  /** Connections: requested so far, open now, and the maximum open at the same time. */
  counts: { asked: number; open: number; most: number };
  /** Sets the mood from now on, also for open connections. */
  be(mood: Mood): void;
  /** Closes all connections to the server. The clients behind the relay are not notified. */
  forget(): void;
  close(): Promise<void>;
}

/** The two sockets of a connection. `ended`: nothing more is passed on, in any mood. */
interface Pair {
  near: Socket;
  far: Socket | null;
  ended?: "silent" | "parting";
}

export async function openRelay(port: number): Promise<Relay> {
  const counts = { asked: 0, open: 0, most: 0 };
  const pairs = new Set<Pair>();
  let mood: Mood = "well";

  function relay(pair: Pair, near: Socket, far: Socket): void {
    near.on("data", (asked) => !pair.ended && far.write(asked));
    far.on("data", (answer) => {
      if (pair.ended) return;
      if (mood === "parting") pair.ended = mood;
      // Both in one piece, so that a client that has read the answer has also read the farewell.
      near.write(mood === "parting" ? Buffer.concat([answer, FAREWELL]) : answer);
    });
    far.on("error", () => far.destroy());
    far.once("close", () => !pair.ended && near.destroy());
  }

  const server = createServer((near) => {
    counts.asked += 1;
    counts.open += 1;
    counts.most = Math.max(counts.most, counts.open);
    const pair: Pair = { near, far: mood === "silent" ? null : to(port, "127.0.0.1") };
    pairs.add(pair);
    near.on("error", () => near.destroy());
    near.once("close", () => {
      counts.open -= 1;
      pairs.delete(pair);
      pair.far?.destroy();
    });
    if (pair.far) relay(pair, near, pair.far);
    else near.resume();
  });
  const url = serverUrl(await listen(server));
  return {
    url,
    counts,
    be(next) {
      mood = next;
      for (const pair of pairs) {
        // A silent connection stays silent, because its other end is closed.
        if (mood === "silent") pair.ended = mood;
        if (mood === "well" && pair.ended === "parting") pair.near.destroy();
      }
    },
    forget() {
      for (const { far } of pairs) far?.destroy();
    },
    close: () =>
      new Promise((closed) => {
        for (const { near } of pairs) near.destroy();
        server.close(() => closed());
      }),
  };
}

/** The message that Postgres sends to a client whose backend is terminated. */
const FAREWELL = farewell(Buffer.from("SFATAL\0C57P01\0Mterminated\0\0"));

function farewell(fields: Buffer): Buffer {
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
