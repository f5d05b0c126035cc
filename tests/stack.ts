import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";
import { programOf } from "./programs.js";

/** What `npm start -- --json` prints. */
export interface StackAddress {
  url: string;
  functions_url: string;
  publishable_key: string;
  secret_key: string;
  anon_key: string;
  service_role_key: string;
  jwt_secret: string;
  db_url: string | null;
  mailpit_url: string | null;
}

export interface RunningStack extends StackAddress {
  process: ChildProcess;
  /** Ends it as Ctrl-C does. Rejects when a secret was in its log: whatever the tests did, none may be. */
  stop(): Promise<void>;
}

declare module "vitest" {
  interface ProvidedContext {
    stack: StackAddress;
    /** The run's own, gone afterwards. */
    folder: string;
  }
}

/** One stack for the whole run, on a free port: PGlite in memory, or the Postgres at DATABASE_URL. */
export default async function (project: TestProject) {
  const url = process.env.DATABASE_URL;
  const place = url ? ["--database-url", url] : ["--data", "memory"];
  const stack = await launch(BY_TSX, place, ".");
  const { process: _, stop, ...address } = stack;
  // Hundreds of people register from this one address.
  await setRateLimit(stack, "address", 1_000_000);
  project.provide("stack", address);
  const folder = await mkdtemp(join(tmpdir(), "souk-run-"));
  project.provide("folder", folder);
  return async () => {
    await rm(folder, { recursive: true });
    await stop();
  };
}

/** Changes a limit as an operator does. */
export async function setRateLimit(stack: StackAddress, kind: string, requests: number) {
  const key = stack.service_role_key;
  const response = await fetch(`${stack.url}/rest/v1/rpc/set_rate_limit`, {
    method: "POST",
    headers: { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ kind, requests }),
  });
  if (!response.ok) throw new Error(`set_rate_limit: ${response.status} ${await response.text()}`);
}

const CLI = "packages/stack/src/cli.ts";

/** As its user starts it. */
const BY_TSX = ["--import", "tsx", resolve(CLI)];

// Hundreds of people register, whose hashes would cost more than all that they do afterwards.
const options = ["--port", "0", "--json", "--password-cost", "4"];

/** What no line of a log may hold: a token, a key, the password of every person in the tests, a webhook's secret. */
const SECRET =
  /eyJ[\w-]{8,}\.|sb_(secret|publishable)_\w|correct horse battery|whsec_[\w+/]{16}|a secret of more than 16/;

/** Makes a database in a folder, with migrations and seed. */
export async function makeDatabase(folder: string): Promise<void> {
  const args = ["--liftoff-only", programOf(CLI), "reset", "--data", folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the database was not made: exit code ${code}`);
}

/** A project that differs from this one. */
export interface Project {
  /** Those that are served. Each is a process, and all of them take longer to start than everything else. */
  functions: readonly string[];
  /** Changes the text of config.toml. */
  configure?: (config: string) => string;
  /** Besides those of this one; `seed.sql` in place of it. */
  files?: Record<string, string>;
}

/**
 * Starts a stack of a test's own, in this project or in one that is there for as long as the stack, and resolves
 * when it says that every service answers.
 */
export async function startStack(
  place: string[],
  project?: Project | string,
): Promise<RunningStack> {
  const root = typeof project === "object" ? await makeProject(project) : (project ?? ".");
  const drop = async () => {
    if (typeof project === "object") await rm(root, { recursive: true, force: true });
  };
  try {
    // PGlite is compiled a second time, better, once it is busy: it takes seconds, which few tests use.
    const program = ["--liftoff-only", programOf(CLI)];
    const stack = await launch(program, place, root);
    return { ...stack, stop: () => stack.stop().finally(drop) };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Within this one, where node_modules is found. */
async function makeProject({ functions, configure, files = {} }: Project): Promise<string> {
  const root = await mkdtemp(join("tests", ".project-"));
  const folder = join(root, "supabase");
  await mkdir(folder);
  for (const name of ["functions", "migrations", "seed.sql"]) {
    if (!(name in files)) await symlink(resolve("supabase", name), join(folder, name));
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const given = await readFile("supabase/config.toml", "utf8");
  const config = (configure?.(given) ?? given).replace(
    /^\[functions\.(.*)\]$/gm,
    (heading, name) => (functions.includes(name) ? heading : `${heading}\nenabled = false`),
  );
  await writeFile(join(folder, "config.toml"), config);
  return root;
}

/** Starts the program in the folder of a project. */
async function launch(program: string[], place: string[], project: string): Promise<RunningStack> {
  const child = spawn(process.execPath, [...program, "start", ...options, ...place], {
    cwd: project,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // The last lines tell what went wrong, if anything does.
  const said: string[] = [];
  const leaked: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (SECRET.test(line)) leaked.push(line);
    said.push(line);
    if (said.length > 200) said.shift();
    if (process.env.SOUK_TEST_LOG) process.stderr.write(`${line}\n`);
  });
  const gone = once(child, "exit");
  const address = await Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([line]) => JSON.parse(line)),
    gone.then(([code]) => {
      throw new Error(`the stack ended with ${code} before it was ready:\n${said.join("\n")}`);
    }),
  ]);
  return {
    ...(address as StackAddress),
    process: child,
    async stop() {
      child.kill("SIGTERM");
      await gone;
      if (leaked.length > 0) throw new Error(`secrets in the stack's log:\n${leaked.join("\n")}`);
    },
  };
}
