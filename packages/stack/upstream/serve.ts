import { execFile } from "node:child_process";
import { appendFile, cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import type { Log } from "../src/log.js";
import { startStack } from "../src/start.js";
import type { Suite } from "./suites.js";

/** Addresses at which the suites expect `supabase start`, and functions-js its functions. */
const HOSTS = ["127.0.0.1:54321", "localhost:54321", "localhost:8000"];
const SCRATCH = "souk_upstream";

const run = promisify(execFile);

/**
 * Starts the stack with the suite's own `supabase/` folder, on any free port and in a scratch
 * database, and writes its address into the suite's files. Resolves to a function that stops it.
 */
export async function serve(
  suite: Suite,
  folder: string,
  server: string | undefined,
  log: Log,
): Promise<() => Promise<void>> {
  if (suite.prepare) await run(process.execPath, [join(folder, suite.prepare)], { cwd: folder });
  for (const [from, to] of Object.entries(suite.copies ?? {})) {
    await cp(join(folder, from), join(folder, to), { recursive: true });
  }
  await edit(folder, suite.edits ?? {});
  process.env.UPSTREAM_KEY = "";
  if (suite.workdir === undefined) return async () => {};

  const root = join(folder, suite.workdir);
  // A suite without a configuration file gets the defaults.
  await appendFile(join(root, "supabase", "config.toml"), "");
  const url = server && (await createScratch(server));
  const stack = await startStack({ root, port: 0, log, place: url ? { url } : "memory" });
  const { port } = new URL(stack.url);
  await edit(folder, Object.fromEntries(HOSTS.map((host) => [host, host.replace(/\d+$/, port)])));
  process.env.UPSTREAM_PORT = port;
  if (suite.keyless) process.env.UPSTREAM_KEY = stack.keys.anonKey;
  return async () => {
    await stack.close();
    if (!server) return;
    await dropScratch(server);
    // Roles belong to the whole server, so settings of fixtures on them outlive the database.
    await ask(server, "alter role authenticator reset all");
  };
}

/** Replaces strings in the tests and fixtures of a suite. */
async function edit(folder: string, replacements: Record<string, string>): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(ts|sql|toml)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, "utf8");
    let edited = text;
    for (const [from, to] of Object.entries(replacements)) edited = edited.replaceAll(from, to);
    if (edited !== text) await writeFile(path, edited);
  }
}

async function createScratch(server: string): Promise<string> {
  await dropScratch(server);
  await ask(server, `create database ${SCRATCH}`);
  const url = new URL(server);
  url.pathname = `/${SCRATCH}`;
  return url.href;
}

const dropScratch = (server: string) =>
  ask(server, `drop database if exists ${SCRATCH} with (force)`);

async function ask(server: string, sql: string): Promise<void> {
  const session = new pg.Client({ connectionString: server });
  await session.connect();
  try {
    await session.query(sql);
  } finally {
    await session.end();
  }
}
