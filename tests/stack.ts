import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { ADMIN } from "../packages/stack/src/db/roles.js";
import { programOf } from "./programs.js";
import { watchAnswers } from "./watching.js";

/** The output of `npm start -- --json`. */
export interface StackAddress {
  url: string;
  functions_url: string;
  publishable_key: string;
  secret_key: string;
  anon_key: string;
  service_role_key: string;
  jwt_secret: string;
  db_url: string | null;
  mailpit_url: string;
  smtp_url: string;
}

export interface RunningStack extends StackAddress {
  process: ChildProcess;
  /** Stops it as Ctrl-C does. Rejects if its log contained a secret. */
  stop(): Promise<void>;
}

/** Changes a rate limit as an operator does. */
export async function setRateLimit(stack: StackAddress, kind: string, requests: number) {
  const key = stack.service_role_key;
  const response = await fetch(`${stack.url}/rest/v1/rpc/set_rate_limit`, {
    method: "POST",
    headers: { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ kind, requests_per_minute: requests }),
  });
  if (!response.ok) throw new Error(`set_rate_limit: ${response.status} ${await response.text()}`);
}

/**
 * The tests register many users: with bcrypt's usual cost that would take longer than everything else. And most need two
 * functions of twelve.
 */
const options = ["--port", "0", "--json", "--password-cost", "4", "--functions-on-demand"];

/** A program built from supabase/auth that the stacks run in place of their own Auth. */
const auth = process.env.SOUK_TEST_AUTH ? ["--auth", resolve(process.env.SOUK_TEST_AUTH)] : [];

/** Texts that no log line may contain: a token, a key, the password of the people in the tests, a webhook's secret. */
const SECRET =
  /eyJ[\w-]{8,}\.|sb_(secret|publishable)_\w|correct horse battery|whsec_[\w+/]{16}|a secret of more than 16/;

/** Creates a database at a place for the command line `cli`, with the migrations and the seed of the project in `root`. */
export async function resetDatabase(cli: string, place: string[], root = "."): Promise<void> {
  const child = spawn(process.execPath, [...SHORT_LIVED, cli, "reset", ...auth, ...place], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [[code], log] = await Promise.all([once(child, "exit"), text(child.stderr)]);
  if (code !== 0) throw new Error(`creating the database failed with exit code ${code}\n${log}`);
}

/** V8 would compile PGlite a second time with optimizations. That takes seconds and only pays off in long runs. */
const SHORT_LIVED = ["--liftoff-only"];

/** A project that differs from this one. */
export interface Project {
  /** The served functions. Each is a process, and they take longer to start than everything else. */
  functions?: readonly string[];
  /** Changes the text of config.toml. */
  configure?: (config: string) => string;
  /** Texts by their paths in supabase/, in addition to those of this project. `seed.sql` replaces its seed. */
  files?: Record<string, string>;
}

/**
 * Starts a separate stack and resolves when every service answers. It serves this project, the one in a folder, or one
 * that is created for it and removed when it stops.
 */
export async function startStack(
  place: string[],
  project: Project | string = ".",
): Promise<RunningStack> {
  const root = typeof project === "string" ? project : await makeProject(project);
  const drop = async () => {
    if (typeof project !== "string") await rm(root, { recursive: true, force: true });
  };
  const program = [...SHORT_LIVED, programOf("packages/stack/src/cli.ts")];
  try {
    const stack = await launch(program, place, root);
    watchAnswers(stack);
    return { ...stack, stop: () => stack.stop().finally(drop) };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Creates the folder of a project that differs. It is inside this repository, so that node_modules is found. */
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
    (heading, name) =>
      (functions ?? [name]).includes(name) ? heading : `${heading}\nenabled = false`,
  );
  await writeFile(join(folder, "config.toml"), config);
  return root;
}

/** The same database for another user, who has the same password. */
export function loggedInAs(user: string, url: string): string {
  const all = new URL(url);
  all.username = user;
  return all.href;
}

/** Whether a line of the log has the cause of a response 500, which no test can foresee. */
const isInternal = (line: string) => line.includes('"request_id"') && line.includes('"error"');

/** Starts the command line `program` in the folder of a project. */
export async function launch(
  program: string[],
  place: string[],
  project = ".",
): Promise<RunningStack> {
  const child = spawn(process.execPath, [...program, "start", ...options, ...auth, ...place], {
    cwd: project,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // The last lines show the cause of a failure.
  const lastLines: string[] = [];
  const leaked: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (SECRET.test(line)) leaked.push(line);
    lastLines.push(line);
    if (lastLines.length > 200) lastLines.shift();
    if (process.env.SOUK_TEST_LOG || isInternal(line)) process.stderr.write(`${line}\n`);
  });
  const gone = once(child, "exit");
  const address = await Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([line]) => JSON.parse(line)),
    gone.then(([code]) => {
      throw new Error(`the stack ended with ${code} before it was ready:\n${lastLines.join("\n")}`);
    }),
  ]);
  return {
    ...(address as StackAddress),
    // The tests look at rows as the superuser. The stack prints the URL for `postgres`.
    db_url: loggedInAs(ADMIN, address.db_url),
    process: child,
    async stop() {
      child.kill("SIGTERM");
      await gone;
      if (leaked.length > 0) throw new Error(`secrets in the stack's log:\n${leaked.join("\n")}`);
    },
  };
}
